# Hands out the work, answers the question that comes back, collects the results.
set -eu
. "${0%/*}/take.sh"
swarm register --role "hands out work" --archetype planner --task "an overview of the texts" >/dev/null
for id in counter searcher outliner; do
    until swarm agents | grep -q "^$id	"; do sleep 0.1; done
done

swarm send counter -s "Count the words of these texts" -t count-1 -F "$TEXTS" >/dev/null
swarm send searcher -s "Search these texts" -t search-1 -F "$TEXTS" >/dev/null
swarm send outliner -s "Outline these texts" -t outline-1 -F "$TEXTS" >/dev/null

open=3
while [ "$open" -gt 0 ]; do
    take
    case $(header Status) in
    ack) ;;
    done)
        { header Subject; body | sed 's/^/    /'; } >>"$LOGS/results"
        open=$((open - 1)) ;;
    error) body >&2; exit 1 ;;
    *) swarm reply "$file" -m "message" >/dev/null ;;       # the searcher's question
    esac
done

swarm send all -s "That is all, thank you" -m "No answer needed." >/dev/null
swarm archive --read >/dev/null
swarm update --status "done"
