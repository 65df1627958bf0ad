#!/bin/sh
# unread.sh [COMMAND...]: the messages of $ME that have no receipt, by number: their names, or COMMAND run on each file.
mail_unread() (
  LC_ALL=C; export LC_ALL; set +f; d='[0-9]' code=0
  box=${MAIL:?is the mail folder}/${ME:?is your agent id}/inbox
  [ -d "$box" ] || { echo "unread: no inbox: $box" >&2; exit 4; }
  [ -r "$box" ] && [ -x "$box" ] || { echo "unread: cannot read $box" >&2; exit 6; }
  for f in "$box"/$d[!0-9]* "$box"/$d$d[!0-9]* "$box"/$d$d$d[!0-9]* "$box"/$d$d$d$d[!0-9]* \
    "$box"/$d$d$d$d$d[!0-9]* "$box"/$d$d$d$d$d$d* "$box"/[!0-9]*; do
    name=${f##*/}
    case $name in *.txt) ;; *) continue;; esac
    [ -f "$f" ] && [ ! -L "$f" ] && [ ! -e "$box/.read/$name" ] || continue
    if [ $# -gt 0 ]; then "$@" "$f" || code=$?; continue; fi
    case $name in *[[:cntrl:]]*) name=$(printf '%s' "$name" | sed -e ':a' -e '$!{' -e 'N;ba' -e '}' -e 's/[[:cntrl:]]/?/g');; esac
    printf '%s\n' "$name"
  done
  exit $code
)
[ "${0##*/}" != unread.sh ] || mail_unread "$@"
