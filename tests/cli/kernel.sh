#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Kernel channels if the module is loaded, else the errors that replace them.
. "$(dirname "$0")/lib.sh"

# column NAME N: field N of the line in $out whose first word is NAME.
column() {
    echo "$out" | awk -v name="$1" -v n="$2" '$1 == name {print $n}'
}

if [ ! -e /dev/achctrl ]; then
    expect 1 "$ACH" mk -k --verbose one
    same "$out" ""
    has "$err" "no kernel channels"
    has "$err" "/dev/achctrl"
    has "$err" "modprobe ach"
    expect 1 "$ACH" mk -k 'bad name'
    has "$err" "not a channel name"
    expect 2 "$ACH" mk -k -m 0 one
    has "$err" "cannot be '0'"
    expect 1 "$ACH" rm -f -k one
    has "$err" "no kernel channels"
    expect 1 "$ACH" file -k one
    expect 0 "$ACH" ls --names
    same "$out" ""
    "$ACH" doctor >"$tmp/text"
    grep -q '^note      module: .*not loaded$' "$tmp/text" || fail "doctor says nothing of the module"
    grep -q 'modprobe ach' "$tmp/text" || fail "doctor has no advice"
    expect 0 "$ACH" mk one
    expect 0 "$ACH" file one
    same "$out" "$ACH_DIR/achshm-one"
    expect 0 "$ACH" ls --no-rate
    same "$(column one 2)" user
    expect 0 "$ACH" rm one
    expect 1 "$ACH" rm one
    has "$err" "no channel 'one'"
    finish
fi

k=cli-kernel-$$
expect 0 "$ACH" mk -k -v -m 10 -n 100 -o 640 $k
same "$err" "created channel '$k': 10 messages of 100 bytes"
expect 1 "$ACH" mk -k $k
has "$err" "exists already"
expect 1 "$ACH" mk $k
has "$err" "in the kernel"
expect 0 "$ACH" mk -1 $k
expect 0 "$ACH" put $k one two
expect 0 "$ACH" get $k
same "$out" one
expect 0 "$ACH" ls --no-rate $k
same "$(column $k 2) $(column $k 3) $(column $k 5) $(column $k 7)" "kernel rw-r----- 10 2"
expect 0 "$ACH" ls --names $k
same "$out" $k
expect 0 "$ACH" info $k
same "$(column kind 2) $(column device 2)" "kernel /dev/ach-$k"
expect 0 "$ACH" file $k
same "$out" "/dev/ach-$k"
expect 0 "$ACH" file -k $k
same "$out" "/dev/ach-$k"
expect 0 "$ACH" file -u $k-other
same "$out" "$ACH_DIR/achshm-$k-other"
expect 0 "$ACH" chmod 600 $k
expect 0 "$ACH" ls --no-rate $k
same "$(column $k 3)" rw-------
expect 0 "$ACH" dump -k $k
expect 0 "$ACH" mk -k -t $k
expect 0 "$ACH" info $k
same "$(column newest 2)" 0
"$ACH" doctor >"$tmp/text"
grep -q '^ok        module: kernel channels can be created' "$tmp/text" || fail "doctor: no module"
expect 1 "$ACH" rm -u $k
has "$err" "in the kernel"
expect 0 "$ACH" rm -k -v $k
same "$err" "removed channel '$k'"
expect 1 "$ACH" rm -k $k
expect 0 "$ACH" rm -f -k $k
expect 0 "$ACH" mk $k
expect 1 "$ACH" mk -k $k
has "$err" "in shared memory"
expect 0 "$ACH" rm $k
expect 0 "$ACH" mk -k $k
expect 0 "$ACH" rm $k
expect 1 "$ACH" info $k
has "$err" "no channel '$k'"

finish
