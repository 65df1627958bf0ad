#!/bin/sh
# receipt.sh MESSAGE...: marks messages in the inbox of $ME as read. MESSAGE: the exact name, or the file's path.
mail_receipt() (
  box=${MAIL:?is the mail folder}/${ME:?is your agent id}/inbox
  : "${1:?the name of a message, please}"
  for file in "$@"; do
    name=${file#"$box/"}
    case $name in */*|.*|'') name=;; *.txt) ;; *) name=;; esac
    [ "$name" ] && [ -f "$box/$name" ] && [ ! -L "$box/$name" ] ||
      { printf 'receipt: no message in the inbox of %s: %s\n' "$ME" "$file" >&2; exit 4; }
    mkdir -p "$box/.read" && touch -- "$box/.read/$name" || exit 6
  done
)
[ "${0##*/}" != receipt.sh ] || mail_receipt "$@"
