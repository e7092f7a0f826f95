#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# truncated.sh ACH ACHLOG ACHCAT   channels whose files are cut short while verbs read or write them
. "$(dirname "$0")/lib.sh"
ACHLOG=$2
ACHCAT=$3
need truncate

# cut STATUS COMMAND ...: it has opened the channel 'cut' and waits; the file goes; it ends with that.
cut() {
    want=$1
    shift
    "$ACH" mk cut
    "$ACH" put cut x
    "$@" >"$tmp/out" 2>"$tmp/err" <"$tmp/never" &
    reads=$!
    eventually waits "$reads" cut
    truncate -c -s "$size" "$ACH_DIR/achshm-cut"
    wait "$reads"
    got=$?
    [ "$got" = "$want" ] || fail "$*: status $got, not $want: $(cat "$tmp/err")"
    grep -q 'cut.*its file was cut short' "$tmp/err" || fail "$*: says $(cat "$tmp/err")"
    "$ACH" rm cut
}

# Input that does not end, for those who read some.
mkfifo "$tmp/never"
exec 3<>"$tmp/never"
for size in 0 4096; do
    cut 1 "$ACH" echo cut
    cut 1 "$ACH" get --all --wait cut
    cut 1 "$ACH" hz cut
    cut 1 "$ACH" bw cut
    cut 1 "$ACHCAT" cut
done

# A recorder leaves the channel and goes on with the others.
"$ACH" mk cut
"$ACH" mk whole
"$ACHLOG" -d "$tmp" cut whole 2>"$tmp/err" &
log=$!
eventually waits "$log" cut
truncate -c -s 0 "$ACH_DIR/achshm-cut"
eventually grep -q "recording of 'cut' ends" "$tmp/err"
"$ACH" put whole later
same "$(newest whole)" 1
kill -TERM "$log"
wait "$log"
same "$?" 1
grep -q '^whole: 1 messages' "$tmp/err" || fail "achlog: $(cat "$tmp/err")"
"$ACH" rm cut whole
finish
