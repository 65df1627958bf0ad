# Shows a channel's traffic as it comes, until there is a file $LOGS/over and all was shown.
set -eu
seen=0 last=
until [ "$last" ]; do
    [ ! -e "$LOGS/over" ] || last=yes
    lines=$(swarm team history "$CHANNEL" -n 500 | cut -f 1,3-)
    printf '%s\n' "$lines" | tail -n "+$((seen + 1))"
    seen=$(printf '%s\n' "$lines" | wc -l)
    [ "$last" ] || sleep 0.5
done
