#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tools.sh ACH ACHCOP ACHCAT ACHLOG
# Command lines as scripts for Ach 2 have them.
achcop=$2
achcat=$3
achlog=$4
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

# mode CHANNEL: its permissions
mode() {
    stat -c %a "$("$ACH" file "$1")"
}

# An existing channel gets the mode; verbs in any case; sizes with an exponent.
expect 0 "$ACH" -1 -C foo -o 644
same "$(mode foo)" 644
expect 0 "$ACH" -1 -C foo -o 600
same "$(mode foo)" 600
expect 0 "$ACH" -1 -C foo
same "$(mode foo)" 600
expect 0 "$ACH" MK -m 1e1 -n 1e3 -v bar
has "$("$ACH" info bar)" 1000
same "$out" ''
has "$err" bar
expect 0 "$ACH" Rm -v bar
same "$out" ''
# All verbs accept all options.
for line in '-v -D foo' '-D foo -v' '-v -F foo' '-v file foo' '-v dump foo' '-v chmod 600 foo' \
    '-v -m 5 -n 3 -o 600 -t chmod 600 foo'; do
    # shellcheck disable=SC2086
    expect 0 "$ACH" $line
done
"$ACH" mk bar
expect 0 "$ACH" -U bar -o 666 -m 3 -v
"$ACH" mk bar
expect 0 "$ACH" -v -o 666 remove bar
for program in "$ACH" "$achcop" "$achcat" "$achlog"; do
    for option in -H '-?' -h; do
        expect 0 "$program" "$option"
        has "$out" Usage
        same "$err" ''
    done
done

# achcat: -p keeps the newline, -s subscribes.
printf 'one\n\nlast' >"$tmp/lines"
expect 0 "$achcat" -p foo <"$tmp/lines"
"$achcat" -x -s foo >"$tmp/out"
cmp "$tmp/lines" "$tmp/out" || fail "achcat -p and -s"
same "$("$ACH" info foo | sed -n 's/.*newest *\([0-9]*\).*/\1/p')" 3

# achlog: -n has no argument.
expect 0 "$achlog" -d "$tmp" -n -t 0.1 foo
[ -s "$tmp/foo.achlog" ] || fail "no log"
expect 0 "$achlog" -d "$tmp" -f -t 0.1 -n foo
expect 2 "$achlog" -d "$tmp" -f -nfoo foo

# achcop: it gives up if the first run fails within a second, and -d returns that.
for options in '' -r -d -dr; do
    # shellcheck disable=SC2086
    expect 0 timeout 60 "$achcop" $options true
    # shellcheck disable=SC2086
    expect 1 timeout 60 "$achcop" $options false
    # shellcheck disable=SC2086
    expect 0 timeout 60 "$achcop" $options sleep 1.5
done
# shellcheck disable=SC2016
expect 3 "$achcop" -r -o - -e - -- sh -c 'echo out $ACHCOP; echo err >&2; exit 3'
same "$out" 'out 1'
has "$err" err
"$achcop" -d -o - sh -c 'echo detached' >"$tmp/out"
same "$(cat "$tmp/out")" detached
expect 0 "$achcop" -i name -f daemon true
expect 0 "$achcop" -f USER true
expect 2 "$achcop" -f nobody true
expect 0 "$ACH" -U foo
exit $failures
