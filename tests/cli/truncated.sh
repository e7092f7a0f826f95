#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# truncated.sh ACH ACHLOG ACHCAT   channels whose files are cut short while verbs read or write them
. "$(dirname "$0")/lib.sh"
ACHLOG=$2
ACHCAT=$3
need truncate

# cut STATUS COMMAND ...: truncate channel 'cut' while the command waits for it; check its status.
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

# Standard input without end, for commands that read it.
mkfifo "$tmp/never"
exec 3<>"$tmp/never"
for size in 0 4096; do
    cut 1 "$ACH" echo --no-wait cut
    cut 1 "$ACH" get --all --wait cut
    cut 1 "$ACH" hz --no-wait cut
    cut 1 "$ACH" bw --no-wait cut
    cut 1 "$ACHCAT" cut
done

# Verbs that follow a name continue with the channel that replaces it, and report that.
for verb in "echo --text" "hz --interval 0.05 --json" "bw --interval 0.05 --json"; do
    case $verb in echo*) seen='#1 ' ;; *) seen='"messages": 1,' ;; esac
    for size in 0 4096; do
        "$ACH" mk cut
        : >"$tmp/out"
        : >"$tmp/err"
        # shellcheck disable=SC2086
        "$ACH" $verb cut >"$tmp/out" 2>"$tmp/err" &
        reads=$!
        eventually waits "$reads" cut
        truncate -c -s "$size" "$ACH_DIR/achshm-cut"
        eventually grep -q "the file of channel 'cut' was cut short: following" "$tmp/err"
        "$ACH" mk --replace-corrupt cut
        "$ACH" put cut second
        eventually grep -q "$seen" "$tmp/out"
        # Afterwards a removed channel is followed as before.
        "$ACH" rm cut
        eventually grep -q "'cut' was removed or replaced: following" "$tmp/err"
        "$ACH" mk cut
        "$ACH" put cut third
        again() { [ "$(grep -c "$seen" "$tmp/out")" = 2 ]; }
        eventually again
        kill "$reads"
        wait "$reads"
        same "$verb $?: $(grep -c following "$tmp/err")" "$verb 0: 2"
        "$ACH" rm cut
    done
done

# A file that is not a channel from the start is an error: echo does not wait.
: >"$ACH_DIR/achshm-cut"
expect 1 "$ACH" echo cut
has "$err" "achshm-cut"
rm "$ACH_DIR/achshm-cut"

# A recorder ends the log of the truncated channel and continues with the others.
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
