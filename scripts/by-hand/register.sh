#!/bin/sh
# register.sh ROLE ARCHETYPE TASK [STATUS]: enters $ME in $MAIL/dir, whole, and only if there is none yet.
mail_register() (
  LC_ALL=C; export LC_ALL; set -C
  fail() { echo "register: $2" >&2; exit "$1"; }
  : "${MAIL:?is the mail folder}" "${ME:?is your agent id}" "${3?role, archetype and task, please}"
  [ -d "$MAIL/dir" ] || fail 3 "no mail folder: $MAIL"
  mail_id "$ME" || fail 2 "$MAIL_ID"
  case $1$3${4-} in *[[:cntrl:]]*) fail 2 "a value is one line";; esac
  case $1 in *[![:space:]]*) ;; *) fail 2 "no role";; esac
  case $3 in *[![:space:]]*) ;; *) fail 2 "no task";; esac
  case $2 in specialist|surveyor|researcher|planner|interfacer) ;; *) fail 2 "archetype: specialist, surveyor, researcher, planner or interfacer";; esac
  case ${4-active} in active|paused|done|error|cancel) ;; *) fail 2 "status: active, paused, done, error or cancel";; esac
  ! ls "$MAIL" "$MAIL/dir" | grep -ixF -e "$ME" -e "$ME.txt" | grep -qvxF -e "$ME" -e "$ME.txt" ||
    fail 5 "another agent's id differs only in case"
  mkdir -p "$MAIL/$ME/inbox/.read" "$MAIL/$ME/drafts" "$MAIL/$ME/sent" || exit 6
  draft=$MAIL/$ME/drafts/.swarm-$(mail_random 4).tmp
  printf 'id: %s\nrole: %s\narchetype: %s\ntask: %s\nstatus: %s\n' "$ME" "$1" "$2" "$3" "${4-active}" >"$draft" || exit
  [ ! -e "$MAIL/dir/$ME.txt" ] && ln "$draft" "$MAIL/dir/$ME.txt" 2>/dev/null || { rm -f "$draft"; fail 5 "$ME is registered"; }
  rm -f "$draft"; echo "$ME"
)
[ "${0##*/}" != register.sh ] || { . "$(dirname -- "$0")/names.sh" && mail_register "$@"; }
