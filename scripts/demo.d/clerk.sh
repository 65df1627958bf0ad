# A worker that knows nothing of swarm, of channels or of bridges: mail is files, and it has the
# shell, cat, mv, touch and grep. A line on standard input is a turn.
#   clerk.sh MAIL FILE     is asked once, passes the work on by a mail of its own, and answers
set -eu
cd "$1"
box=clerk request=

say() {                 # NAME TO SUBJECT HEADER <body: delivers a message as anybody can
    { printf 'To: %s\nFrom: clerk\nSubject: %s\n%s\n---\n' "$2" "$3" "$4"; cat; } >"$box/drafts/$1"
    cat "$box/drafts/$1" >"$box/sent/$1"
    mv "$box/drafts/$1" "$2/inbox/$1"
}

while read -r turn; do
    for mail in "$box"/inbox/*.txt; do
        name=${mail##*/}
        [ -f "$mail" ] && [ ! -f "$box/inbox/.read/$name" ] || continue
        touch "$box/inbox/.read/$name"
        if grep -q '^Event: task_req' "$mail"; then
            request=$mail
            printf '%s\n' "$2" | say 01_count-the-lines_c0de.txt counter "Count the lines" "Thread: count-1"
        elif grep -q '^Event: task_done' "$mail"; then
            said=$(grep -m1 '^Subject: ' "$mail") to=$(grep -m1 '^From: ' "$request")
            thread=$(grep -m1 '^Thread: ' "$request")
            say 02_so-long_c0de.txt "${to#From: }" "${said#Subject: }" "$thread
Status: done" </dev/null
            exit
        fi
    done
done
exit 1
