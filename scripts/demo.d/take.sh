# Sourced by the agents that use swarm: taking the next message and looking into it.
take() {                # waits for mail, reads one message: its name is in $file, its text in $message
    swarm wait --timeout 30 >/dev/null
    file=$(swarm unread | sed 's/	.*//; q')
    message=$(swarm read "$file")
    echo "$file" >>"$LOGS/$SWARM_AGENT"
}
header() {              # NAME
    printf '%s\n' "$message" | sed -n "/^---\$/q; s/^$1: //p"
}
body() {
    printf '%s\n' "$message" | sed '1,/^---$/d'
}
