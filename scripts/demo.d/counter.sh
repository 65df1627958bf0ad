# Counts words.
set -eu
. "${0%/*}/take.sh"
swarm register --role "counts words" --archetype specialist --task "waiting for work" >/dev/null
take
request=$file
swarm reply "$request" --status ack -m "Taken." >/dev/null
body | while read -r text; do
    printf '%7d  %s\n' "$(wc -w <"$text")" "${text##*/}"
done | sort -rn >"$LOGS/counts"
swarm reply "$request" --status "done" -s "The longest of $(grep -c . "$LOGS/counts") texts" -m "$(head -n 5 "$LOGS/counts")" >/dev/null
take                    # the goodbye
swarm unregister
