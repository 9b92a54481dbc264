#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reads texts of perf script, writes them again with wick, and reports for each whether another program finds the
# right stacks in the written text.
#
#     consumers.sh stackcollapse FILE...    stackcollapse-perf.pl ($STACKCOLLAPSE_PERF): what it finds in FILE itself
#     consumers.sh speedscope FILE...       speedscope ($NODE_MODULES): what wick finds in FILE
here=$(dirname "$0")
consumer=$1
shift

# The program drops the last stack if no blank line follows it.
stackcollapse() {
  { cat "$1"; printf '\n\n'; } > whole.txt
  perl "$STACKCOLLAPSE_PERF" --all whole.txt > expected 2> said
  perl "$STACKCOLLAPSE_PERF" --all "$2" > found 2>> said
}

# speedscope has no modules of frames without names, no marks, and no counts.
speedscope() {
  wick convert "$1" --to folded |
    sed -E 's/_\[[kij]\]//g; s/ [0-9]+$//; s/\[[^];]*\]/[unknown]/g; s/[^;]*\+0x[0-9a-f]+/[unknown]/g' |
    LC_ALL=C sort -u > expected
  LC_ALL=C sort "$2.stacks" > found
}

number=0
for file in "$@"; do
  number=$((number + 1))
  wick convert "$file" --to perf-script -o $number.perf.txt
done
# All in one process: starting it takes longer than reading a file.
[ "$consumer" != speedscope ] || node "$here/speedscope.mjs" --each [0-9]*.perf.txt

number=0
for file in "$@"; do
  number=$((number + 1))
  rm -f expected found
  "$consumer" "$file" $number.perf.txt
  if [ -s expected ] && cmp -s expected found; then verdict=equal; else verdict=differs; fi
  echo "$(basename "$file") $verdict"
done
