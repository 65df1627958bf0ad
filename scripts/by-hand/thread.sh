#!/bin/sh
# thread.sh THREAD [COMMAND...]: the messages of $ME in exactly that thread, received and sent; or COMMAND run on each file.
mail_thread() (
  LC_ALL=C; export LC_ALL; set +f; code=4
  box=${MAIL:?is the mail folder}/${ME:?is your agent id} thread=${1:?a thread, please}; shift
  [ -d "$box" ] || { echo "thread: no mailbox: $box" >&2; exit 4; }
  for f in "$box"/inbox/*.txt "$box"/sent/*.txt; do
    [ -f "$f" ] && [ ! -L "$f" ] && [ "$(mail_header thread "$f")" = "$thread" ] || continue
    code=0
    if [ $# -gt 0 ]; then "$@" "$f" || exit; continue; fi
    printf '%s' "${f#"$MAIL/"}" | sed -e ':a' -e '$!{' -e 'N;ba' -e '}' -e 's/[[:cntrl:]]/?/g'; echo
  done
  [ "$code" = 0 ] || echo "thread: nothing of $ME in thread $thread" >&2
  exit $code
)
[ "${0##*/}" != thread.sh ] || { . "$(dirname -- "$0")/header.sh" && mail_thread "$@"; }
