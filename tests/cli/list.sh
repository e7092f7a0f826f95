#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ls and info, as tables, as JSON and as bare names.
. "$(dirname "$0")/lib.sh"
need python3

expect 0 "$ACH" ls
same "$out" "NAME  KIND  MODE  OWNER  FRAMES  SIZE  SEQUENCE  RATE"
expect 0 "$ACH" ls --json
same "$(json 'j')" "[]"

"$ACH" mk -o 640 -m 10 -n 100 arm-left
"$ACH" mk --timestamps -o 666 arm-right
"$ACH" mk leg
echo junk >"$ACH_DIR/achshm-junk"
"$ACH" put leg 1 22 333

expect 0 "$ACH" ls --names
same "$out" "arm-left
arm-right
junk
leg"
expect 0 "$ACH" ls --names 'arm-*' 'l?g'
same "$out" "arm-left
arm-right
leg"
expect 0 "$ACH" ls --no-rate
has "$out" "rw-r-----"
has "$out" "$(id -un)"
same "$(echo "$out" | awk '$1 == "leg" {print $7, $8}')" "3 -"
same "$(echo "$out" | awk '$1 == "arm-left" {print $2, $5, $6, $7}')" "user 10 100 0"
same "$(echo "$out" | awk '$1 == "junk" {print $4, $8}')" "$(id -un) no-channel"
expect 0 "$ACH" ls --interval 0.1 leg
same "$(echo "$out" | awk '$1 == "leg" {print $8}')" 0.0

# The rate counts the messages that are put during the interval.
(while :; do echo x; sleep 0.005; done) | "$ACH" put --line leg &
writer=$!
moving() {
    "$ACH" ls --interval 0.3 leg | awk '$1 == "leg" && $8 > 0 {ok = 1} END {exit !ok}'
}
eventually moving
kill "$writer"
wait "$writer" 2>/dev/null

expect 0 "$ACH" ls --json --interval 0.05
same "$(json '[c["name"] for c in j]')" "['arm-left', 'arm-right', 'junk', 'leg']"
same "$(json 'j[0]["mode"], j[0]["frames"], j[0]["size"], j[0]["capacity"]')" \
    "('0640', 10, 100, 1000)"
same "$(json 'j[0]["path"]')" "$ACH_DIR/achshm-arm-left"
same "$(json 'j[1]["timestamps"], j[0]["timestamps"]')" "(True, False)"
same "$(json 'j[2]["error"], "trouble" in j[2], "frames" in j[2]')" \
    "('ACH_BAD_SHM_FILE', True, False)"
same "$(json 'type(j[3]["rate"]).__name__ in ("int", "float")')" True
expect 0 "$ACH" ls --json --no-rate leg
same "$(json 'j[0]["rate"]')" None

"$ACH" mk -t leg
"$ACH" put leg 1 22 333
expect 0 "$ACH" info --json leg
same "$(json 'j["newest"], j["oldest"], j["held"], j["newest_size"], j["recovered"]')" \
    "(3, 1, 3, 3, 0)"
same "$(json 'j["clock"], j["kind"], j["uid"], "newest_put" in j')" \
    "('monotonic', 'user', $(id -u), False)"
"$ACH" put arm-right x
expect 0 "$ACH" info --json arm-right
same "$(json 'j["newest_put"] > 0, j["owner"]')" "(True, '$(id -un)')"
info=$out
expect 0 "$ACH" ls --json --no-rate --who arm-right
same "$(json 'sorted(dict(j[0], rate=0, hidden_processes=0).items())')" \
    "$(out=$info json 'sorted(dict(j, rate=0, hidden_processes=0).items())')"
expect 0 "$ACH" ls --json --no-rate arm-right
same "$(json '"processes" in j[0]')" False
expect 0 "$ACH" info leg
has "$out" "held            3"
has "$out" "newest size     3 bytes"
expect 1 "$ACH" info junk
has "$err" "ach info: $ACH_DIR/achshm-junk is not a channel"

# JSON is valid whatever the name of the directory.
dir=$ACH_DIR
ACH_DIR=$dir/$(printf 'a"b\\c\td\344\303\244')
mkdir "$ACH_DIR"
"$ACH" mk odd
expect 0 "$ACH" info --json odd
same "$(json 'j["path"].endswith("/a\"b\\c\td\ufffd\xe4/achshm-odd")')" True
"$ACH" rm odd
rmdir "$ACH_DIR"
ACH_DIR=$dir

# Root does not see processes that have privileges that it lacks, and the help says so.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && ! grep -q '^CapEff:.0*$' /proc/$$/status; then
    expect 0 setpriv --bounding-set=-all --inh-caps=-all "$ACH" info --json arm-right
    same "$(json 'j["hidden_processes"] > 0')" True
fi
expect 0 "$ACH" info --help
has "$out" "those with privileges that you do not have"

# A user with read permission can list and get, but not put. Without it the error says so.
if can_be_nobody; then
    chmod 1777 "$ACH_DIR"
    "$ACH" chmod 644 leg
    expect 0 nobody get --last leg
    same "$out" 333
    expect 1 nobody put leg x
    has "$err" "ach put: leg: not permitted"
    expect 1 nobody chmod 666 leg
    has "$err" "ach chmod: leg: cannot change"
    expect 1 nobody adv leg
    same "$err" "ach adv: only its owner and root can advertise the channel 'leg'"
    expect 0 "$ACH" adv leg
    expect 1 nobody hide leg
    has "$err" "ach hide: cannot remove"
    expect 0 "$ACH" hide leg
    for make in touch mkdir; do # what another user puts in the way of a mark is replaced
        $make "$ACH_DIR/.achshm-leg.adv"
        chown 65534 "$ACH_DIR/.achshm-leg.adv"
        expect 0 "$ACH" adv leg
        same "$(stat -c '%F %u' "$ACH_DIR/.achshm-leg.adv")" "regular empty file 0"
        expect 0 "$ACH" hide leg
    done
    expect 0 nobody mk toe
    touch "$ACH_DIR/.achshm-toe.adv"
    chown 1234 "$ACH_DIR/.achshm-toe.adv"
    expect 1 nobody adv toe
    has "$err" "/.achshm-toe.adv is in the way and cannot be removed: it belongs to user 1234"
    rm "$ACH_DIR/.achshm-toe.adv"
    expect 0 nobody rm toe
    expect 1 nobody rm leg
    expect 1 nobody info arm-left
    has "$err" "Permission denied"
    expect 0 nobody ls --no-rate arm-left
    same "$(echo "$out" | awk '$1 == "arm-left" {print $3, $4, $8}')" \
        "rw-r----- root unreadable"
    expect 0 nobody ls --json --no-rate arm-left
    same "$(json 'j[0]["mode"], j[0]["owner"], j[0]["error"]')" \
        "('0640', 'root', 'ACH_EACCES')"
fi

# More channels than the soft limit of open files, which ls raises.
for i in $(seq 1 40); do
    "$ACH" mk "many-$i"
done
out=$(ulimit -Sn 20 && "$ACH" ls --no-rate 'many-*') || fail "many channels"
same "$(echo "$out" | grep -c '^many-.* root ')" 40
hasnt "$out" unusable
# More channels than the hard limit of open files: those beyond it are listed, too.
for verb in "ls --no-rate" "ls --interval 0.05" "watch --once --interval 0.05"; do
    # shellcheck disable=SC2086
    out=$(ulimit -n 30 && "$ACH" $verb 'many-*') || fail "$verb: too many channels"
    same "$verb $(echo "$out" | grep -c '^many-')" "$verb 40"
    has "$out" unusable
done
for i in $(seq 1 40); do
    "$ACH" rm "many-$i"
done

# A file that is truncated between two samples: an access to its memory raises SIGBUS.
for verb in "ls --interval 3" "watch --once --interval 3"; do
    "$ACH" mk cut
    "$ACH" put cut x
    # shellcheck disable=SC2086
    "$ACH" $verb cut leg >"$tmp/cut" 2>&1 &
    looks=$!
    eventually waits "$looks" cut
    truncate -s 0 "$ACH_DIR/achshm-cut"
    wait "$looks" || fail "$verb: a file that is cut short ended it with $?"
    grep -q '^leg ' "$tmp/cut" || fail "$verb: $(cat "$tmp/cut")"
    "$ACH" rm cut
done

# SIGBUS at the first access: the file has holes, as many blocks allocated beyond its end, and the
# file system has no room to fill the holes.
if mkdir "$tmp/full" && unshare -m mount -t tmpfs -o size=1m none "$tmp/full" 2>/dev/null; then
    # shellcheck disable=SC2016
    unshare -m sh -c '
        mount -t tmpfs -o size=1m none "$2/full" && ACH_DIR=$2/full && export ACH_DIR || exit 99
        "$1" mk -m 100 -n 1000 full && "$1" put full x || exit 98
        file=$2/full/achshm-full
        size=$(stat -c %s "$file")
        fallocate -p -o 4096 -l $((size - 4096)) "$file"
        fallocate -n -o "$size" -l "$size" "$file"
        cat /dev/zero >"$2/full/rest" 2>/dev/null
        for verb in "ls --no-rate" "info full" doctor; do
            "$1" $verb >"$2/said" 2>&1
            status=$?
            [ "$status" -lt 128 ] || { echo "$verb: ended with $status"; exit 1; }
        done
        "$1" info full
        [ "$?" = 1 ]' sh "$ACH" "$tmp" >"$tmp/full.out" 2>&1 ||
        fail "holes that cannot be filled: $? $(cat "$tmp/full.out")"
fi

rm "$ACH_DIR/achshm-junk"
"$ACH" rm arm-left arm-right leg || fail "rm"
finish
