#!/bin/sh
# send.sh TO SUBJECT [THREAD [STATUS [REF]]] <body: a message from $ME, there whole or not at all, never over a file.
mail_send() (
  LC_ALL=C; export LC_ALL; set -C +f
  fail() { echo "send: $2" >&2; exit "$1"; }
  : "${MAIL:?is the mail folder}" "${ME:?is your agent id}" "${2?recipient and subject, please}"
  [ -d "$MAIL/dir" ] || fail 3 "no mail folder: $MAIL"
  mail_known "$1" && mail_known "$ME" || exit
  case $2${3-}${4-}${5-} in *[[:cntrl:]]*) fail 2 "a header is one line";; esac
  case $2 in *[![:space:]]*) ;; *) fail 2 "no subject";; esac
  inbox=$MAIL/$1/inbox sent=$MAIL/$ME/sent drafts=$MAIL/$ME/drafts
  mkdir -p "$inbox/.read" "$sent" "$drafts" || exit 6
  stem=$(mail_number "$sent")_$(mail_slug "$2") && draft=$drafts/${stem}_$(mail_random 4).txt || exit
  printf "To: %s\nFrom: %s\nSubject: %s\n${3:+Thread: %s\n}${4:+Status: %s\n}${5:+Ref: %s\n}---\n" \
    "$1" "$ME" "$2" ${3:+"$3"} ${4:+"$4"} ${5:+"$5"} >"$draft" && cat >>"$draft" || exit
  for try in 1 2 3 4 5 6 7 8 9; do      # a name in use, or used before, is drawn again
    name=${stem}_$(mail_random 2).txt || exit
    [ ! -e "$inbox/$name" ] && [ ! -e "$inbox/.read/$name" ] && [ ! -e "$sent/$name" ] || continue
    part=$inbox/.swarm-$$-$(mail_random 8).tmp || exit    # hidden, and nobody else's
    why=$({ cp "$draft" "$part" && ln "$part" "$inbox/$name"; } 2>&1) && got=$name || got=
    rm -f "$part"
    [ -z "$got" ] || { ln "$draft" "$sent/$name" && rm -f "$draft"; echo "$1/inbox/$name"; exit; }
  done
  fail 1 "not delivered, still in $draft: ${why-no free name}"
)
[ "${0##*/}" != send.sh ] || { . "$(dirname -- "$0")/names.sh" && mail_send "$@"; }
