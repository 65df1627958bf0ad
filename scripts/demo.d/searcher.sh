# Searches for a word; asks for it when the request does not name one.
set -eu
. "${0%/*}/take.sh"
swarm register --role "searches texts" --archetype surveyor --task "waiting for work" >/dev/null
take
request=$file texts=$(body)
swarm reply "$request" --status ack -m "Taken." >/dev/null
swarm reply "$request" -s "Which word shall I search for?" -m "The request has a list of texts but no word." >/dev/null
swarm update --status paused
take
word=$(body)
swarm update --status active --task "search for '$word'"
printf '%s\n' "$texts" | while read -r text; do
    printf '%7d  %s\n' "$(grep -io -- "$word" "$text" | wc -l)" "${text##*/}"
done | sort -rn >"$LOGS/found"
swarm reply "$file" --status "done" -s "Where '$word' occurs most" -m "$(head -n 5 "$LOGS/found")" >/dev/null
take                    # the goodbye
swarm update --status "done"
