# Sourced by scripts/demo: tasks between agents that have guardians, by mail, or over a channel
# where CHANNEL names one. "lead" asks counter and searcher; "hasty" asks frail, which is killed,
# and finds that out within seconds instead of minutes.

ask() {                 # WHO TO SUBJECT OPTION...: the task's key is in $key
    who=$1 to=$2 about=$3
    shift 3
    key=$(swarm --as "$who" task request "$to" -s "$about" "$@" $over 2>>"$LOGS/notes")
}
listed() {              # WHO PATTERN...: waits until that one's list of tasks has a line like each
    who=$1 turns=150
    shift
    for pattern in "$@"; do
        until swarm --as "$who" task list --all $over | grep -q "$pattern"; do
            turns=$((turns - 1))
            [ "$turns" -gt 0 ] || { echo "demo: no task of $who became: $pattern" >&2; exit 1; }
            sleep 0.3
        done
    done
}

waited() {              # WHO TASK PATTERN: until that task needs its requester or has its end
    swarm --as "$1" task wait "$2" $over --timeout 45 2>&1 | grep -q "$3" ||
        { echo "demo: $2 of $1 became no $3" >&2; exit 1; }
}

agents_come() {
    for agent in lead hasty counter searcher frail; do
        if [ "$CHANNEL" ]; then
            swarm --as "$agent" team join "$CHANNEL" --description "the $agent one" >/dev/null
        else
            swarm register "$agent" --role "the $agent one" --archetype specialist \
                --task "what comes" >/dev/null
        fi
    done
}

guard() {               # OPTION...: starts a guardian
    start swarm mamoru $over "$@"
    guards="$guards $!"
}
guards_come() {
    guards=
    guard --as counter --exec count-lines
    if [ "$CHANNEL" ]; then
        start sh -c 'swarm mamoru --channel "$CHANNEL" --as searcher --jsonl |
            SWARM_AGENT=searcher sh "$1"' searcher "$parts/thinker.sh"
        guards="$guards $!"
        guard --as lead --jsonl >"$LOGS/lead.jsonl"
        guard --as hasty --jsonl --task-timeout 4 --ping-timeout 1 >"$LOGS/hasty.jsonl"
    else
        guard --as searcher --as lead                   # one process can guard many
        start env SWARM_AGENT=searcher sh "$parts/thinker.sh"
        guards="$guards $!"
        guard --as hasty --task-timeout 4 --ping-timeout 1
    fi
    start swarm mamoru $over --as frail --exec never-ends
    frail=$!
}

tasks() {               # CHANNEL PLACE: the channel is "" for mail
    export CHANNEL="$1" LOGS="$work/logs-$1"
    over=${CHANNEL:+--channel $CHANNEL}
    mkdir "$LOGS"
    agents_come
    if [ "$CHANNEL" ]; then start sh "$parts/follow.sh"; else start swarm watch; fi
    traffic=$!
    guards_come
    sleep 1.5

    ask hasty frail "Work that is killed in the middle" -m "no matter what"
    dead=$key
    listed hasty "^$dead	accepted	.*a while"
    kill -s KILL "$frail"
    echo "-- the guardian of frail was killed (kill -9), and what it ran ends with it"

    ask lead counter "Count the lines of README.md" -m "$repo/README.md"
    counted=$key
    listed lead "^$counted	accepted	"
    ask lead counter "Count the lines of the changes" -m "$repo/CHANGELOG.md" --queue
    listed lead "^$key	rejected	"
    : >"$LOGS/go"           # the counter gets on
    ask lead searcher "Search the texts" -F "$TEXTS"
    searched=$key
    waited lead "$searched" waiting
    swarm --as lead task answer "$searched" $over -s "message"
    listed lead "^$searched	accepted	.*Searching"
    swarm --as lead task cancel "$searched" $over -s "Not needed any more"

    waited lead "$searched" cancelled
    waited lead "$counted" done
    listed lead "	done	.*changes"
    waited hasty "$dead" failed
    if [ "$CHANNEL" ]; then : >"$LOGS/over"; wait "$traffic"; else end "$traffic"; fi
    end $guards

    for who in lead hasty; do
        echo; echo "== The tasks of $who"
        swarm --as $who task list --all $over
        swarm --as $who task list --all --json $over >"$LOGS/$who.json"
    done
    echo; echo "== A question and a cancel"
    swarm --as lead task show "$searched" $over
    echo; echo "== A worker that was killed"
    swarm --as hasty task show "$dead" $over
    echo
    if [ "$CHANNEL" ]; then swarm team roster "$CHANNEL" --all; else swarm --as hasty unread; fi
    echo; echo "== Is every task accounted for?"
    "$python" "$parts/accounts.py" "$2" "$LOGS/lead.json" "$LOGS/hasty.json"
}
