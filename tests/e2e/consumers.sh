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
  perl "$STACKCOLLAPSE_PERF" --all written.perf.txt > found 2>> said
}

# speedscope has no modules of frames without names, no marks, and no counts.
speedscope() {
  wick convert "$1" --to folded |
    sed -E 's/_\[[kij]\]//g; s/ [0-9]+$//; s/\[[^];]*\]/[unknown]/g; s/[^;]*\+0x[0-9a-f]+/[unknown]/g' |
    LC_ALL=C sort -u > expected
  node "$here/speedscope.mjs" written.perf.txt | LC_ALL=C sort > found
}

for file in "$@"; do
  rm -f expected found written.perf.txt
  wick convert "$file" --to perf-script -o written.perf.txt
  "$consumer" "$file"
  if [ -s expected ] && cmp -s expected found; then verdict=equal; else verdict=differs; fi
  echo "$(basename "$file") $verdict"
done
