# An agent that knows nothing of swarm, only the protocol: the shell, mv, cat, touch and grep
# are all that it can call. A line on standard input is a turn; in each it looks at its mail.
set -eu
me=outliner box=$SWARM_ROOT/outliner sent=0

enter() {               # STATUS TASK: writes the registry entry
    cat >"$box/drafts/entry" <<E
id: $me
role: outlines texts
archetype: researcher
task: $2
status: $1
E
    mv "$box/drafts/entry" "$SWARM_ROOT/dir/$me.txt"
}

answer() {              # STATUS SUBJECT SLUG <body: to the sender of $request
    sent=$((sent + 1))
    hash=$(LC_ALL=C grep -aom1 '[0-9a-f]\{4\}' /dev/urandom)
    name=0${sent}_${3}_${hash%%[!0-9a-f]*}.txt
    to=$(grep -m1 '^From: ' "$request") thread=$(grep -m1 '^Thread: ' "$request")
    {
        printf 'To: %s\nFrom: %s\nSubject: %s\n%s\nStatus: %s\n---\n' "${to#From: }" "$me" "$2" "$thread" "$1"
        cat
    } >"$box/drafts/$name"
    cat "$box/drafts/$name" >"$box/sent/$name"
    mv "$box/drafts/$name" "$SWARM_ROOT/${to#From: }/inbox/$name"
}

outline() {             # the texts named in the body of $request
    in_body=
    while read -r line; do
        case $in_body$line in
        ---) in_body=yes ;;
        yes*) printf '%7d  %s: %s\n' "$(grep -c '^##* ' "$line" || :)" "${line##*/}" "$(grep -m1 '^# ' "$line" || :)" ;;
        esac
    done <"$request"
}

enter active "waiting for work"
while read -r turn; do
    for request in "$box"/inbox/*.txt; do
        name=${request##*/}
        [ -f "$request" ] && [ ! -f "$box/inbox/.read/$name" ] || continue
        message=$(cat "$request")
        touch "$box/inbox/.read/$name"
        echo "$name" >>"$LOGS/$me"
        case $message in
        *"Thread: "*) ;;
        *) enter "done" "outlined all texts"; exit ;;        # the goodbye needs no answer
        esac
        answer ack "Taken" taken <<E
I shall give the number of headings and the first one.
E
        found=$(outline)
        answer "done" "Headings in each text" headings-in-each-text <<E
$found
E
    done
done
