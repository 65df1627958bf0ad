# Sourced by scripts/demo: lead and counter live on a channel, clerk is a shell script with files.
# lead asks clerk; clerk asks counter in turn; neither knows where the others live.

export SWARM_ROOT="$work/bridged/mail" LOGS="$work/logs-bridged"
mkdir "$LOGS" "$work/bridged"
: >"$LOGS/go"           # the counter need not wait
swarm init "$work/bridged" >/dev/null
swarm register clerk --role clerk --archetype specialist --task "what comes" --status paused >/dev/null
swarm team create mixed >/dev/null
for agent in lead counter; do
    swarm --as "$agent" team join mixed --description "the $agent one" >/dev/null
done
start swarm up --channel mixed
up=$!
until swarm team roster mixed | grep -q clerk && [ -d "$SWARM_ROOT/counter/inbox" ]; do sleep 0.2; done
start swarm mamoru --channel mixed --as counter --exec count-lines
guard=$!
start sh -c 'for turn in $(seq 300); do echo "$turn"; sleep 0.1; done |
    PATH=$1 exec /bin/sh "$2" "$SWARM_ROOT" "$3"' turns "$work/bin" "$parts/clerk.sh" "$repo/README.md"
clerk=$!

key=$(swarm --as lead task request clerk --channel mixed -s "How long is README.md?" 2>>"$LOGS/notes")
swarm --as lead task wait "$key" --channel mixed --timeout 45
wait "$clerk" || { echo "demo: the clerk failed" >&2; exit 1; }
sleep 1.2               # the last receipts cross
end "$guard" "$up"

echo; echo "== What lay in the clerk's inbox"
cat "$SWARM_ROOT"/clerk/inbox/*.txt
echo; echo "== The two tasks, as files and as rows"
swarm --as clerk task list --all | tee "$LOGS/files"
swarm --as counter task list --all --channel mixed | tee "$LOGS/rows"
swarm --as lead task list --all --channel mixed | tee -a "$LOGS/rows"
for side in files rows; do
    [ "$(grep -c "	done	" "$LOGS/$side")" = 2 ] ||
        { echo "demo: the $side do not say that both are done" >&2; exit 1; }
done
swarm bridge --channel mixed --dry-run | grep -v "^alive" >"$LOGS/missing" || :    # signs of life go on
[ ! -s "$LOGS/missing" ] || { echo "demo: not all has crossed" >&2; cat "$LOGS/missing" >&2; exit 1; }
echo "every message is on both sides"
