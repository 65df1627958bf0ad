#!/bin/sh
# reply.sh MESSAGE [STATUS] <body: answers a message of $ME, archived or not, in its thread. MESSAGE: the exact name.
mail_reply() (
  LC_ALL=C; export LC_ALL
  : "${MAIL:?is the mail folder}" "${ME:?is your agent id}" "${1:?the name of a message, please}"
  name=${1#"$MAIL/$ME/inbox/"}
  for file in "$MAIL/$ME/inbox/$name" "$MAIL/$ME/sent/$name" ''; do
    case $name in */*|.*) ;; *.txt) [ ! -f "$file" ] || [ -L "$file" ] || break;; esac
  done
  [ "$file" ] || { printf 'reply: %s has no message %s\n' "$ME" "$1" >&2; exit 4; }
  subject=$(mail_header subject "$file" | sed 's/[[:cntrl:]]//g; s/^Re: //')
  case $name in *[[:cntrl:]]*) name=;; esac
  mail_send "$(mail_header from "$file")" "Re: ${subject:-(no subject)}" "$(mail_header thread "$file")" "${2-}" "$name"
)
[ "${0##*/}" != reply.sh ] || { . "$(dirname -- "$0")/names.sh" && . "$(dirname -- "$0")/header.sh" &&
  . "$(dirname -- "$0")/send.sh" && mail_reply "$@"; }
