#!/bin/sh
# header.sh NAME FILE: the value of a message's header, nothing if it has none. NAME in small letters.
mail_header() {
  cr=$(printf '\r') bom=$(printf '\357\273\277') field='^[A-Za-z0-9_-]\{1,\}:'
  # Hold space: empty until a header line or an opening "---" was seen; only before that is a blank line passed over.
  LC_ALL=C sed -n "1s/^$bom//
    s/$cr\$//
    /$field/!{
      x; /./q; x
      /^\$/d
      /^---\$/!q
      h; d
    }
    h; s/:.*//; y/ABCDEFGHIJKLMNOPQRSTUVWXYZ/abcdefghijklmnopqrstuvwxyz/
    /^$1\$/!d
    x; s/^[^:]*:[[:blank:]]*//; s/[[:blank:]]*\$//; p; q" <"$2"
}
[ "${0##*/}" != header.sh ] || mail_header "$@"
