# A worker that thinks for itself, beside its guardian: asks which word to search for, and is
# at work when it is cancelled. By mail it reads what its guardian left unread; over a channel
# its guardian's lines of JSON are its standard input.
set -eu
. "${0%/*}/take.sh"
over=${CHANNEL:+--channel $CHANNEL}

heard() {               # EVENT: waits until a message of that kind needs thinking
    event=
    until [ "$event" = "$1" ]; do
        if [ "$CHANNEL" ]; then
            read -r line
            event=$(printf '%s\n' "$line" | sed 's/.*"event": "\([a-z_]*\)".*/\1/')
        else
            take
            event=$(header Event)
        fi
    done
}

heard task_req
swarm task clarify $over -s "Which word shall I search for?"
heard task_clarify_res
swarm task update $over -s "Searching"
[ -z "$CHANNEL" ] || exec cat >/dev/null        # its guardian goes on
