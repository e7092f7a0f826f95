#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# put and get: text, files, hexadecimal, streams, and what can go wrong with them.
. "$(dirname "$0")/lib.sh"
need cmp od

"$ACH" mk -m 8 -n 64 a || fail "cannot make a"
"$ACH" mk -m 8 -n 64 b || fail "cannot make b"

# Text: each argument is a message.
expect 0 "$ACH" put a one 'two three' -- -four
expect 0 "$ACH" get --all --line a
same "$out" "one
two three
-four"
expect 0 "$ACH" get a
same "$out" one
expect 0 "$ACH" get --last a
same "$out" -four
expect 0 "$ACH" get -L --hex a
same "$out" 2d666f7572
expect 0 "$ACH" get --count 2 --line a
same "$out" "one
two three"
expect 1 "$ACH" get --count 4 --line a
same "$err" "ach get: a: nothing new"
expect 0 "$ACH" get --last --copy --count 3 --line a
same "$out" "-four
-four
-four"
expect 1 "$ACH" get --new a
expect 1 "$ACH" get --last --new --timeout 0.05 a
same "$err" "ach get: a: no message came in time"
expect 0 "$ACH" get --all --timeout 0.05 --line a
same "$out" "one
two three
-four"
expect 1 "$ACH" get b
expect 0 "$ACH" get --all b
same "$out" ""
expect 1 "$ACH" put a ''
same "$err" "ach put: a message cannot be empty"

# Hexadecimal
expect 0 "$ACH" put --hex a '00 01 fF'
expect 0 "$ACH" get --last --hex a
same "$out" 0001ff
for text in 0 0g '0x00' ' '; do
    expect 1 "$ACH" put --hex a "$text"
    has "$err" "not hexadecimal"
done
printf '41 42\n\n4344\n' | "$ACH" put --hex --line b
printf '41 42\n4344\n' | "$ACH" put --hex b
expect 0 "$ACH" get --all --line b
same "$out" "AB
CD
ABCD"

# Whole files, raw
head -c 512 /dev/urandom >"$tmp/full"
expect 0 "$ACH" put --file "$tmp/full" a
"$ACH" get --last a | cmp - "$tmp/full" || fail "a raw message came out different"
"$ACH" put a <"$tmp/full" || fail "put from standard input"
"$ACH" put --file - a <"$tmp/full" || fail "put from -"
"$ACH" get --last a | cmp - "$tmp/full" || fail "a raw message came out different"
expect 1 "$ACH" put --file "$tmp/nothing" a
has "$err" "cannot open $tmp/nothing"
expect 1 "$ACH" put --file / a
has "$err" "cannot read the input"
expect 1 "$ACH" put a </dev/null
echo x >>"$tmp/full"
before=$(newest a)
expect 1 "$ACH" put --file "$tmp/full" a
has "$err" "the channel holds 512 bytes"
expect 1 "$ACH" put a "$(printf '%0513d' 0)"
has "$err" "a message of 513 bytes is too large: the channel holds 512"
same "$(newest a)" "$before"

# Streams. Lines: the last needs no newline, empty ones are skipped.
"$ACH" mk -t -m 100 -n 64 a
printf '\n1\n\n2\n3' | "$ACH" put --line a || fail "lines"
printf 'x\ny\0z\0' | "$ACH" put --null a || fail "null"
"$ACH" get --all --null a >"$tmp/out"
printf '1\0002\0003\000x\ny\000z\000' | cmp - "$tmp/out" || fail "null came out different"
expect 1 sh -c "head -c 10000 /dev/zero | tr '\\0' y | '$ACH' put --line a"
has "$err" "the message is too large"

# --length-prefix: a copy preserves any bytes.
"$ACH" mk -t -m 300 -n 300 a
"$ACH" mk -t -m 300 -n 300 b
i=1
while [ $i -le 40 ]; do
    head -c $((i * i)) /dev/urandom >"$tmp/m"
    "$ACH" put --file "$tmp/m" a || fail "put $i"
    i=$((i + 1))
done
"$ACH" get --all --length-prefix a | "$ACH" put --length-prefix b || fail "copy"
"$ACH" get --all --hex a >"$tmp/a"
"$ACH" get --all --hex b >"$tmp/b"
same "$(wc -l <"$tmp/a")" 40
cmp "$tmp/a" "$tmp/b" || fail "the copy differs"
printf '\003\000\000\000abc' | "$ACH" put --length-prefix b || fail "one prefixed message"
expect 0 "$ACH" get --last b
same "$out" abc
"$ACH" get --last --length-prefix b >"$tmp/out"
printf '\003\000\000\000abc' | cmp - "$tmp/out" || fail "the prefix is not little-endian"
before=$(newest b)
for bad in '\003\000\000\000ab' '\003\000' '\000\000\000\000' '\377\377\377\377x'; do
    # shellcheck disable=SC2059
    printf "$bad" | "$ACH" put --length-prefix b 2>"$tmp/err"
    same $? 1
    has "$(cat "$tmp/err")" "ach put: "
done
has "$(cat "$tmp/err")" "a message of 4294967295 bytes is too large"
same "$(newest b)" "$before"

# Many messages, with put and get at the same time.
"$ACH" mk -t -m 5000 -n 8 a
"$ACH" mk -t -m 5000 -n 8 b
seq 1 4000 >"$tmp/numbers"
"$ACH" get --all --wait --length-prefix a >"$tmp/fifo.out" &
getter=$!
"$ACH" put --line --file "$tmp/numbers" a || fail "numbers"
full() {
    "$ACH" put --length-prefix b <"$tmp/fifo.out" && [ "$("$ACH" get --last b)" = 4000 ]
}
eventually full
kill "$getter"
wait "$getter" || fail "get --all --wait ends with $?"
"$ACH" get --all --line a | cmp - "$tmp/numbers" || fail "numbers differ"
"$ACH" get --all --line b | tail -n 4000 | cmp - "$tmp/numbers" || fail "followed numbers differ"

# A line is put as soon as it is read, not when the stream ends.
mkfifo "$tmp/fifo"
"$ACH" mk -t b
"$ACH" put --line b <"$tmp/fifo" &
putter=$!
exec 3>"$tmp/fifo"
echo first >&3
expect 0 "$ACH" get --wait --timeout 60 b
same "$out" first
exec 3>&-
wait "$putter" || fail "put --line ends with $?"

# A removed channel ends put when the next line comes.
"$ACH" mk gone
"$ACH" put --line gone <"$tmp/fifo" 2>"$tmp/err" &
putter=$!
exec 3>"$tmp/fifo"
echo first >&3
expect 0 "$ACH" get --wait --timeout 60 gone
"$ACH" rm gone
"$ACH" mk gone
echo second >&3
exec 3>&-
wait "$putter"
same "put ends with $?" "put ends with 1"
has "$(cat "$tmp/err")" "gone: the channel was removed"
"$ACH" rm gone

# A waiting get sleeps until a message comes.
: >"$tmp/out"
"$ACH" get --wait --new --timeout 60 --line b >"$tmp/out" &
getter=$!
until_got() {
    "$ACH" put b late
    sleep 0.1
    [ -s "$tmp/out" ]
}
eventually until_got
wait "$getter" || fail "get --wait ends with $?"
same "$(cat "$tmp/out")" late

# A channel for a single writer: put is its source, one at a time.
"$ACH" mk --single-writer s
expect 0 "$ACH" put s mine
"$ACH" put --line s <"$tmp/fifo" &
putter=$!
exec 3>"$tmp/fifo"
echo theirs >&3
is_theirs() {
    [ "$("$ACH" get --last s)" = theirs ]
}
eventually is_theirs
expect 1 "$ACH" put s mine
has "$err" "ach put: channel 's' has a source already: process $putter (ach)"
exec 3>&-
wait "$putter" || fail "the source ends with $?"
expect 0 "$ACH" put s mine

# A put may be refused for two reasons; the error says which.
if can_be_nobody; then
    chmod 711 "$ACH_DIR"
    "$ACH" chmod 644 b
    expect 1 nobody put b x
    same "$err" "ach put: b: not permitted: you may read this channel, but not write it"
fi
if unshare --user --map-root-user --pid --fork true 2>/dev/null; then
    expect 1 unshare --user --map-root-user --pid --fork "$ACH" put b x
    has "$err" "ach put: b: not permitted: the channel was created in another PID namespace"
    expect 0 unshare --user --map-root-user --pid --fork "$ACH" get --last b
fi

# Output that cannot be written is a failure; if the pipe has no reader, without an error message.
if [ -c /dev/full ]; then
    "$ACH" get s >/dev/full 2>"$tmp/err"
    same $? 1
    has "$(cat "$tmp/err")" "ach get: cannot write to standard output: No space left"
    "$ACH" help >/dev/full 2>/dev/null
    same $? 1
    # Verbs that wait for more messages end when their output cannot be written.
    "$ACH" mk -m 1000 -n 100 wide
    printf '%090d\n' $(seq 1 200) | "$ACH" put --line wide
    for channel in s wide; do
        for verb in "get --all --wait" "echo --all" "echo --all --json"; do
            # shellcheck disable=SC2086
            timeout 60 "$ACH" $verb $channel >/dev/full 2>"$tmp/err"
            same "$verb $?" "$verb 1"
            same "$(cat "$tmp/err")" \
                "ach ${verb%% *}: cannot write to standard output: No space left on device"
        done
    done
    "$ACH" rm wide
fi
{
    "$ACH" get --all --line a 2>"$tmp/err"
    echo $? >"$tmp/status"
} | true
eventually test -s "$tmp/status"
same "$(cat "$tmp/err")" ""

# With standard output closed, no output is written into a channel by mistake.
"$ACH" get --all --line s >"$tmp/before"
"$ACH" info s >&- 2>/dev/null
same $? 1
"$ACH" get --all s >&- 2>/dev/null
same $? 1
"$ACH" info s >&- 2>&- <&-
same $? 1
"$ACH" get --all --line s | cmp - "$tmp/before" || fail "a closed stream damaged the channel"
expect 1 sh -c "exec '$ACH' put s <&-"
# More than the output buffer holds, so that it is written while the channel is open.
"$ACH" mk -m 4 -n 20000 large
head -c 20000 /dev/urandom >"$tmp/large"
"$ACH" put --file "$tmp/large" large
"$ACH" get large >&- 2>/dev/null
same $? 1
"$ACH" get large | cmp - "$tmp/large" || fail "a closed stream damaged the channel"
"$ACH" rm large

"$ACH" rm a b s || fail "rm"
finish
