#!/bin/sh
# names.sh: which agent ids there can be, and the parts of a new message's name. Needed by register, send and reply.
mail_id() {             # ID: letters, digits, ".", "_", "-"; not "dir" or "all"
  case $1 in ''|[!A-Za-z0-9]*|*[!A-Za-z0-9._-]*|*.|[Dd][Ii][Rr]|[Aa][Ll][Ll]) return 1;; esac
  [ ${#1} -le 64 ]
}
MAIL_ID="no agent id: 1 to 64 letters, digits, '.', '_', '-'; a letter or digit first, no '.' last; not dir or all"
mail_known() {          # ID: whether it has an entry or a mailbox; says why not
  mail_id "$1" || { echo "mail: $MAIL_ID" >&2; return 2; }
  [ -e "$MAIL/dir/$1.txt" ] || [ -e "$MAIL/$1/inbox" ] || [ -e "$MAIL/$1/sent" ] || [ -e "$MAIL/$1/drafts" ] || { echo "mail: no agent $1" >&2; return 4; }
}
mail_random() {         # BYTES: that many from the system, in hex
  od -An -N"$1" -tx1 /dev/urandom | sed 's/ //g' | grep .
}
mail_slug() {           # SUBJECT: 1 to 40 of a-z, 0-9 and "-"
  printf '%s\n' "$1" | sed 'y/ABCDEFGHIJKLMNOPQRSTUVWXYZ/abcdefghijklmnopqrstuvwxyz/
    s/[^a-z0-9]\{1,\}/-/g; s/^-//; s/^\(.\{40\}\).*/\1/; s/-$//; s/^$/message/'
}
mail_number() (         # FOLDER: one more than the highest number in it, two digits at least
  n=0
  for f in "$1"/[0-9][0-9]*_*_*.txt; do
    f=${f##*/} f=${f%%_*}
    case $f in *[!0-9]*|???????*) ;; *) [ "$f" -le "$n" ] || n=${f#"${f%%[!0]*}"};; esac
  done
  printf '%02d\n' $((n + 1))
)
