#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Create, remove and name channels, with the current syntax and that of Ach 2.
. "$(dirname "$0")/lib.sh"
umask 022

# mk and its aliases, with their defaults.
for verb in mk create make; do
    expect 0 "$ACH" $verb chan
    same "$out$err" ""
    expect 0 "$ACH" info chan
    has "$out" "frames          16"
    has "$out" "size            512 bytes"
    has "$out" "(0644)"
    expect 1 "$ACH" $verb chan
    same "$err" "ach mk: channel 'chan' exists already"
    expect 0 "$ACH" $verb -1 -m 3 chan
    expect 0 "$ACH" $verb --exist-ok chan
    expect 0 "$ACH" info chan
    has "$out" "frames          16"
    expect 0 "$ACH" rm chan
done

# Every option of mk shows in info.
expect 0 "$ACH" mk -v --frames 10 --size 2K --mode 660 --timestamps --readonly-wake \
    --single-writer --relayed --clock realtime chan
same "$err" "created channel 'chan': 10 messages of 2048 bytes"
expect 0 "$ACH" info chan
has "$out" "frames          10"
has "$out" "largest message 20480 bytes"
has "$out" "(0660)"
has "$out" "clock           realtime"
has "$out" "timestamps      yes"
has "$out" "single writer   yes"
has "$out" "read-only wake  yes"
has "$out" "relayed         yes"
expect 0 "$ACH" mk -t -m 2 -n 8 --clock CLOCK_TAI chan
expect 0 "$ACH" info chan
has "$out" "largest message 16 bytes"
has "$out" "clock           tai"
has "$out" "timestamps      no"
expect 0 "$ACH" mk -1v chan
same "$err" "channel 'chan' exists already"

# The type of the messages
printf 'float64 x\nfloat64 y\n' >"$ACH_DIR/Pair.msg"
printf 'float32 x\nfloat64 y\n' >"$ACH_DIR/Other.msg"
: >"$ACH_DIR/empty.msg"
expect 0 "$ACH" info chan
has "$out" "type            none"
expect 0 "$ACH" mk --type demo/msg/Pair --schema "$ACH_DIR/Pair.msg" pair
expect 0 "$ACH" info pair
has "$out" "type            demo/msg/Pair"
has "$out" "encoding        cdr"
has "$out" "schema          ros2msg, 20 bytes"
expect 0 "$ACH" info --json pair
has "$out" '"type": {"name": "demo/msg/Pair", "encoding": "cdr", "schema_encoding": "ros2msg", '
expect 0 "$ACH" mk --exact --type demo/msg/Pair --schema "$ACH_DIR/Pair.msg" pair
expect 3 "$ACH" mk --exact --type demo/msg/Pair --schema "$ACH_DIR/Other.msg" pair
same "$err" "ach mk: channel 'pair' exists and differs: it has another schema of type demo/msg/Pair"
expect 3 "$ACH" mk --exact --type demo/msg/Two --schema "$ACH_DIR/Pair.msg" pair
same "$err" "ach mk: channel 'pair' exists and differs: it has type demo/msg/Pair"
expect 3 "$ACH" mk --exact --type text --encoding text chan
same "$err" "ach mk: channel 'chan' exists and differs: it has no type"
expect 0 "$ACH" rm pair
expect 0 "$ACH" mk --type note --encoding text pair
expect 0 "$ACH" info pair
has "$out" "encoding        text"
hasnt "$out" "schema  "
expect 0 "$ACH" rm pair
expect 2 "$ACH" mk --schema "$ACH_DIR/Pair.msg" pair
has "$err" "a type needs a name: --type"
expect 2 "$ACH" mk --type t pair
has "$err" "a type needs the encoding of its messages: --encoding"
expect 2 "$ACH" mk --type t --encoding e --schema "$ACH_DIR/achshm-chan" pair
has "$err" "what is the schema written in? --schema-encoding"
expect 1 "$ACH" mk --type t --schema "$ACH_DIR/absent.msg" pair
has "$err" "cannot read the schema $ACH_DIR/absent.msg: No such file or directory"
expect 1 "$ACH" mk --type t --schema "$ACH_DIR/empty.msg" pair
has "$err" "the schema $ACH_DIR/empty.msg is empty"
expect 1 "$ACH" mk --type 'two words' --encoding text pair
has "$err" "the name of a type is a word"
rm "$ACH_DIR"/*.msg

# file, chmod, dump
expect 0 "$ACH" file chan other
same "$out" "$ACH_DIR/achshm-chan
$ACH_DIR/achshm-other"
expect 0 "$ACH" chmod 600 chan
same "$(stat -c %a "$ACH_DIR/achshm-chan")" 600
expect 0 "$ACH" chmod 0644 chan
expect 0 "$ACH" info chan
has "$out" "read-only wake  yes"
expect 0 "$ACH" dump chan
same "$out" ""
has "$err" "frames        2 of 8 bytes"

# rm and its aliases
expect 0 "$ACH" rm -v chan
same "$err" "removed channel 'chan'"
for verb in rm unlink remove; do
    expect 1 "$ACH" $verb chan
    same "$err" "ach rm: there is no channel 'chan' (no file $ACH_DIR/achshm-chan)"
    expect 0 "$ACH" $verb --force chan
    expect 0 "$ACH" $verb -1 chan
done
expect 0 "$ACH" mk a b c
expect 1 "$ACH" rm a nothing b c
expect 0 "$ACH" ls --names
same "$out" ""

# A file that is not a channel is replaced only with --replace-corrupt.
echo junk >"$ACH_DIR/achshm-junk"
for exist_ok in '' -1; do
    expect 1 "$ACH" mk $exist_ok junk
    has "$err" "achshm-junk is not a channel"
    has "$err" "--replace-corrupt replaces it"
done
expect 1 "$ACH" info junk
expect 0 "$ACH" mk --replace-corrupt junk
expect 0 "$ACH" put junk message
expect 1 "$ACH" mk --replace-corrupt junk
expect 0 "$ACH" get junk
same "$out" message
expect 0 "$ACH" rm junk

# A channel of another layout version is not replaced: programs of another release may use it.
"$ACH" mk old
printf '\004' | dd of="$ACH_DIR/achshm-old" bs=1 seek=8 conv=notrunc status=none
for how in '' -1; do
    expect 1 "$ACH" mk $how old
    same "$err" "ach mk: $ACH_DIR/achshm-old has another layout (version 4): created by another \
release of Ach; end the programs that use it, then remove it: ach rm"
done
for how in -t --replace-corrupt; do
    expect 1 "$ACH" mk $how old
    same "$err" "ach mk: channel 'old' has another layout version, and programs of another \
release of Ach may use it: end them, then remove it: ach rm old"
done
expect 0 "$ACH" rm old
expect 0 "$ACH" mk old
expect 0 "$ACH" rm old

# A directory is not replaced, and the error does not advise --replace-corrupt.
mkdir "$ACH_DIR/achshm-dir"
for how in '' -1 -t --replace-corrupt; do
    expect 1 "$ACH" mk $how dir
    same "$err" "ach mk: $ACH_DIR/achshm-dir is not a channel: not a regular file; remove it, \
or rename it"
done
rmdir "$ACH_DIR/achshm-dir"

# If an existing channel differs from the options, -1 prints a warning, and --exact fails with 3.
"$ACH" mk -m 10 -n 64 there
expect 0 "$ACH" mk -1 there
same "$out$err" ""
expect 0 "$ACH" mk -1 --frames 10 --size 64 --clock monotonic --user there
same "$out$err" ""
expect 0 "$ACH" mk -1 -m 10 -n 80 there
same "$err" "ach mk: warning: channel 'there' exists and differs: it has size 64, not 80"
expect 0 "$ACH" mk --exact -m 10 -n 64 there
same "$out$err" ""
expect 0 "$ACH" mk --exact there
expect 3 "$ACH" mk --exact -m 9 -n 80 --timestamps --readonly-wake --single-writer \
    --relayed --clock realtime there
same "$err" "ach mk: channel 'there' exists and differs: it has 10 frames, not 9, size 64, not 80, \
clock monotonic, no timestamps, no read-only wake, many writers, no origins"
expect 3 "$ACH" mk --exact -n 80 there elsewhere
expect 1 "$ACH" mk --exact -n 80 there 'bad name'
expect 1 "$ACH" mk --exact -n 80 'bad name' there
expect 0 "$ACH" info --json elsewhere
has "$out" '"size": 80,'
expect 2 "$ACH" mk --exact --truncate there
"$ACH" rm there elsewhere

# Ach 2: flags in place of verbs, options before the verb.
expect 0 "$ACH" -1 -C old -m 10 -n 3000
expect 0 "$ACH" -1 -C old -m 10 -n 3000
expect 1 "$ACH" -C old
expect 0 "$ACH" -t1C old -m7 -n 30 -o 606
expect 0 "$ACH" info old
has "$out" "frames          7"
has "$out" "(0606)"
expect 0 "$ACH" -F old
same "$out" "$ACH_DIR/achshm-old"
expect 0 "$ACH" -D old
has "$err" "frames        7 of 30 bytes"
expect 0 "$ACH" -U old
expect 1 "$ACH" -U old
expect 0 "$ACH" -m 5 mk old -n 20
expect 0 "$ACH" info old
has "$out" "frames          5"
has "$out" "size            20 bytes"
expect 0 "$ACH" -v rm old
same "$err" "removed channel 'old'"
expect 2 "$ACH" -C a -U b
for verb in put mk top; do
    expect 2 "$ACH" -C old $verb x
    has "$err" "ach: the flag stands for the verb 'mk', so '$verb' would be a channel"
    has "$err" "Try 'ach help'."
done
expect 2 "$ACH" -U old x ls
expect 0 "$ACH" ls --names
same "$out" ""
expect 0 "$ACH" -C old older
expect 0 "$ACH" -U old older
expect 2 "$ACH" -1
expect 2 "$ACH" -1 nonsense
expect 2 "$ACH" -Q
expect 2 "$ACH" -C

# Marks of advertised channels; also in Ach 2's order of words.
mark() { test -e "$ACH_DIR/.achshm-$1.adv"; }
expect 1 "$ACH" adv chan
has "$err" "ach adv: there is no channel 'chan'"
expect 1 "$ACH" hide chan
same "$err" "ach hide: the channel 'chan' is not advertised"
expect 2 "$ACH" adv
expect 2 "$ACH" search
expect 1 "$ACH" adv a/b
expect 0 "$ACH" mk chan
mark chan && fail "advertised without having been told"
expect 0 "$ACH" adv -p 8076 chan
mark chan || fail "not advertised"
expect 0 "$ACH" adv chan
expect 0 "$ACH" hide chan
mark chan && fail "not hidden"
expect 0 "$ACH" mk -1 -a chan
mark chan || fail "mk -a of an existing channel"
expect 0 "$ACH" ls --names
same "$out" chan
expect 0 "$ACH" rm chan
mark chan && fail "removed, but still advertised"
expect 0 "$ACH" -a -p 8076 -C chan
mark chan || fail "-a before -C"
expect 0 "$ACH" -U chan

# Kernel channels without the module are refused.
for command in "mk" "rm" "dump" "file" "chmod 666"; do
    # shellcheck disable=SC2086
    if [ ! -e /dev/achctrl ]; then
        expect 1 "$ACH" $command -k chan
        has "$err" "no kernel channels"
    fi
done
expect 0 "$ACH" mk -u chan
expect 0 "$ACH" rm -u chan

finish
