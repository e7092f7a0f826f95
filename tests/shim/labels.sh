#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# labels.sh SOURCE_ROOT
# The labels in steps.def are those that the core, wait.c and sleep.c use: no more, no fewer.
cd "$1" || exit 99
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
sed -n 's/^STEP(\([A-Z_]*\))$/\1/p' tests/shim/steps.def | sort >"$tmp/listed"
grep -ohE '\b(PUT|GET|WAIT)_[A-Z_]+\)' src/core/*.c src/libach/wait.c src/libach/sleep.c | tr -d ')' | sort -u >"$tmp/used"
[ -s "$tmp/used" ] || { echo "no labels found in the sources"; exit 1; }
sort -u "$tmp/listed" | cmp -s - "$tmp/listed" || { echo "a label is listed twice"; exit 1; }
if ! diff "$tmp/listed" "$tmp/used" >"$tmp/diff"; then
    sed -n 's/^< /listed but not used: /p; s/^> /used but not listed: /p' "$tmp/diff"
    exit 1
fi
echo "$(wc -l <"$tmp/listed") labels"
