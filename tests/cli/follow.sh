#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# echo, hz, bw and watch: what they print, and how they end.
. "$(dirname "$0")/lib.sh"
need python3

"$ACH" mk -m 100 -n 64 c
"$ACH" mk -m 100 -n 64 --timestamps stamped

# echo prints text, and other bytes as a hex dump; control characters never reach the terminal.
"$ACH" put c hello 'line
break'
"$ACH" put --hex c 00ff41 1b5b324a 68690a c39f c29b
expect 0 "$ACH" echo --all --count 7 c
has "$out" "#1 5 bytes: hello"
has "$out" "#2 10 bytes:
  00000000  6c 69 6e 65"
has "$out" "#3 3 bytes:
  00000000  00 ff 41                                         |..A|"
has "$out" "#5 3 bytes: hi"
has "$out" "#6 2 bytes: $(printf '\303\237')"
has "$out" "#7 2 bytes:
  00000000  c2 9b"
hasnt "$out" "$(printf '\033')"
expect 0 "$ACH" echo --all --count 7 --text c
has "$out" '#2 10 bytes: line\nbreak'
has "$out" '#3 3 bytes: \x00\xffA'
has "$out" '#4 4 bytes: \x1b[2J'
"$ACH" mk slash
printf 'a\\n\tb' | "$ACH" put slash
for how in --text --all; do
    expect 0 "$ACH" echo --all --count 1 $how slash
    has "$out" '#1 5 bytes: a\\n\tb'
done
"$ACH" rm slash
expect 0 "$ACH" echo --all --count 1 --hex c
has "$out" "68 65 6c 6c 6f"
expect 0 "$ACH" echo --last --count 1 c
has "$out" "#7"
echo "$out" | grep -Eq '^time unknown #7 2 bytes:$' || fail "line: $out"
expect 0 "$ACH" echo --all --count 3 --json c
out=$(echo "$out" | sed '1s/^/[/; $!s/$/,/; $s/$/]/')
same "$(json '[m.get("text", m.get("hex")) for m in j]')" \
    "['hello', 'line\\nbreak', '00ff41']"
same "$(json '[m["sequence"] for m in j], [m["size"] for m in j], j[0]["missed"]')" \
    "([1, 2, 3], [5, 10, 3], 0)"
# --text and --hex apply to JSON, too.
expect 0 "$ACH" echo --all --count 3 --json --text c
out=$(echo "$out" | sed '1s/^/[/; $!s/$/,/; $s/$/]/')
same "$(json 'ascii([m["text"] for m in j])')" "['hello', 'line\\nbreak', '\\x00\\ufffdA']"
expect 0 "$ACH" echo --all --count 1 --json --hex c
same "$(json 'j["hex"]')" 68656c6c6f

# If the channel has no timestamps, echo knows the times only of messages put while it runs.
expect 0 "$ACH" echo --all --count 1 c
same "${out%% *}" time
expect 0 "$ACH" echo --all --count 1 --json c
same "$(json 'j["time"]')" None
# If the channel has timestamps, the time is that of the put.
"$ACH" put stamped x
sleep 0.2
now=$(date +%s)
expect 0 "$ACH" echo --all --count 1 --json stamped
same "$(json "abs(j['time'] - $now) < 100")" True
first=$(json 'j["time"]')
sleep 0.2
expect 0 "$ACH" echo --all --count 1 --json stamped
same "$(json "abs(j['time'] - $first) < 0.1")" True

# Without --all echo begins with the next message; signals end it with status 0.
for signal in INT TERM HUP; do
    "$ACH" mk -t c
    # Remove the previous follower's output: the new one may be slow to truncate the file.
    : >"$tmp/out"
    env --default-signal="$signal" "$ACH" echo c >"$tmp/out" &
    follower=$!
    until_seen() {
        "$ACH" put c ping
        sleep 0.1
        grep -q ping "$tmp/out"
    }
    eventually until_seen
    kill -s "$signal" "$follower"
    wait "$follower"
    same "$? after $signal" "0 after $signal"
done

# Missed messages are reported.
"$ACH" mk -t -m 4 -n 8 c
mkfifo "$tmp/slow"
"$ACH" put c start
"$ACH" echo --all c >"$tmp/slow" &
follower=$!
exec 3<"$tmp/slow"
read -r line <&3
has "$line" "start"
# Far more than the pipe holds, so that echo falls behind.
seq 1 60000 | "$ACH" put --line c
# cat, because it does not buffer: how many lines come depends on scheduling.
cat <&3 >"$tmp/out" &
reader=$!
eventually grep -q missed "$tmp/out"
kill "$follower" "$reader" 2>/dev/null
exec 3<&-
wait "$follower"
wait "$reader"

# Messages overwritten before the first get are missed, but not those overwritten before the start.
for verb in "echo --json" "echo --all --json" "get --all --wait --new --line" \
    "get --all --wait --line" "get --new --count 2 --wait --line"; do
    case $verb in *--new* | "echo --json") before="1 2 3 4 5" ;; *) before= ;; esac
    "$ACH" mk -t -m 2 -n 64 c
    # shellcheck disable=SC2086
    [ -z "$before" ] || "$ACH" put c $before
    : >"$tmp/out"
    # shellcheck disable=SC2086
    "$ACH" $verb c >"$tmp/out" 2>"$tmp/err" &
    follower=$!
    eventually waits "$follower" c
    kill -STOP "$follower"
    seq 1 100 | "$ACH" put --line c
    kill -CONT "$follower"
    eventually grep -q 100 "$tmp/out"
    kill "$follower" 2>/dev/null
    wait "$follower"
    same "$verb $(grep -c -e '"missed": 98,' -e ' 98 messages were missed' "$tmp/out" "$tmp/err" |
        cut -d : -f 2 | sort -n | tail -n 1)" "$verb 1"
done
expect 0 "$ACH" get --all --line c
same "$out$err" "99
100"
expect 0 "$ACH" echo --all --count 1 --json c
same "$(json 'j["sequence"] > 90, j["missed"]')" "(True, 0)"

# Verbs that do not wait for a new channel end with status 1 when theirs is removed.
for verb in "echo --no-wait" "hz --no-wait" "bw --no-wait" "get --all --wait"; do
    "$ACH" mk -t c
    # shellcheck disable=SC2086
    "$ACH" $verb c >"$tmp/out" 2>"$tmp/err" &
    follower=$!
    sleep 0.2
    "$ACH" rm c
    wait "$follower"
    # shellcheck disable=SC2086
    same "$verb $?" "$verb 1"
    has "$(cat "$tmp/err")" "c"
done
for verb in "echo --no-wait" "hz --no-wait" "bw --no-wait" "get --all"; do
    # shellcheck disable=SC2086
    expect 1 "$ACH" $verb c
    has "$err" "'ach mk c' creates it"
done
expect 1 "$ACH" get --timeout 0.05 c
has "$err" "the channel was not created in time"

# The others wait for a channel, and follow it when it is removed and created again.
"$ACH" mk cc
waiting() {
    grep -q "there is no channel 'c' yet: waiting for it; did you mean 'cc'?" "$tmp/err"
}
for verb in "echo --text" "echo --last --json --text" "get --all --wait --line"; do
    : >"$tmp/err"
    # shellcheck disable=SC2086
    "$ACH" $verb c >"$tmp/out" 2>"$tmp/err" &
    follower=$!
    eventually waiting
    "$ACH" mk c
    "$ACH" put c first
    eventually grep -q first "$tmp/out"
    case $verb in
        echo*)
            "$ACH" rm c
            "$ACH" mk c
            "$ACH" put c second
            eventually grep -q second "$tmp/out"
            "$ACH" mk --truncate c
            "$ACH" put c third
            eventually grep -q third "$tmp/out"
            same "$(grep -c 'was removed or replaced: following' "$tmp/err")" 2 ;;
    esac
    kill "$follower"
    wait "$follower"
    # shellcheck disable=SC2086
    same "$verb $?" "$verb 0"
    "$ACH" rm c
done
# A signal ends the waiting, and so does an output pipe without reader.
for verb in echo hz bw; do
    : >"$tmp/err"
    "$ACH" $verb c 2>"$tmp/err" &
    follower=$!
    eventually waiting
    kill "$follower"
    wait "$follower"
    same "$verb $?" "$verb 0"
done
# A signal ends it also while the channel is being opened.
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    : >"$tmp/err"
    "$ACH" bw --interval 0.05 c >/dev/null 2>"$tmp/err" &
    follower=$!
    eventually waiting
    "$ACH" mk c
    kill "$follower"
    ended() { ! kill -0 "$follower" || grep -q '^State:.Z' "/proc/$follower/status"; }
    eventually ended || kill -KILL "$follower"
    wait "$follower"
    same "$round $?" "$round 0"
    "$ACH" rm c
done
{ "$ACH" echo c 2>"$tmp/err"; echo $? >"$tmp/status"; } | true
same "echo $(cat "$tmp/status")" "echo 1"
# hz and bw print lines also while there is no channel.
for verb in hz bw; do
    : >"$tmp/err"
    "$ACH" $verb --interval 0.05 --json c >"$tmp/out" 2>"$tmp/err" &
    follower=$!
    eventually waiting
    same "$(cat "$tmp/out")" ""
    "$ACH" mk c
    "$ACH" put c first
    eventually grep -q '"messages": 1,' "$tmp/out"
    "$ACH" rm c
    eventually grep -q 'was removed' "$tmp/err"
    lines=$(wc -l <"$tmp/out")
    more() { [ "$(wc -l <"$tmp/out")" -gt "$((lines + 1))" ]; }
    eventually more
    "$ACH" mk c
    "$ACH" put c second
    again() { [ "$(grep -c '"messages": 1,' "$tmp/out")" = 2 ]; }
    eventually again
    kill "$follower"
    wait "$follower"
    same "$verb $?" "$verb 0"
    "$ACH" rm c
done
"$ACH" rm cc
"$ACH" mk -m 20000 -n 8 c

# An output pipe without reader ends them, too.
(while :; do echo x; sleep 0.005; done) | "$ACH" put --line c &
writer=$!
for verb in echo "hz --interval 0.05" "bw --interval 0.05" "get --all --wait --line"; do
    # shellcheck disable=SC2086
    "$ACH" $verb c 2>"$tmp/err" | head -n 1 >"$tmp/out"
    [ -s "$tmp/out" ] || fail "$verb printed nothing"
    same "$(cat "$tmp/err")" ""
done
# Also while no message comes, and without an error message.
"$ACH" mk idle
for verb in echo "get --wait" "get --all --wait" "get --timeout 100"; do
    # shellcheck disable=SC2086
    { "$ACH" $verb idle 2>"$tmp/err"; echo $? >"$tmp/status"; } | true
    same "$verb $(cat "$tmp/status")" "$verb 1"
    same "$(cat "$tmp/err")" ""
done
"$ACH" rm idle
"$ACH" watch --interval 0.05 2>"$tmp/err" | head -n 1 >"$tmp/out"
has "$(cat "$tmp/out")" "NAME"
same "$(cat "$tmp/err")" ""

# hz and bw, with a writer that puts one byte some hundred times a second. On a busy machine an
# interval may be empty, so retry.
expect 0 "$ACH" hz --interval 0.2 --count 2 c
same "$(echo "$out" | wc -l)" 2
counts_text() {
    "$ACH" hz --interval 0.3 --count 1 c | grep -q ' Hz  period mean 0.*deviation 0.*missed 0'
}
eventually counts_text
counts_json() {
    expect 0 "$ACH" hz --interval 0.3 --count 1 --json c
    [ "$(json '"period_mean" in j')" = True ]
}
eventually counts_json
same "$(json 'j["name"], j["rate"] > 0, j["messages"] > 0, j["missed"]')" "('c', True, True, 0)"
same "$(json '0 <= j["period_min"] <= j["period_mean"] <= j["period_max"]')" True
same "$(json 'abs(j["rate"] * j["window"] - j["messages"]) < 0.01')" True
weighs_text() {
    "$ACH" bw --interval 0.3 --count 1 c | grep -q 'bytes/s  size mean 1.0  min 1  max 1'
}
eventually weighs_text
weighs_json() {
    expect 0 "$ACH" bw --interval 0.3 --count 1 --json c
    [ "$(json 'j["messages"] > 0')" = True ]
}
eventually weighs_json
same "$(json 'j["bytes"] == j["messages"] > 0, j["size_max"], j["missed"]')" "(True, 1, 0)"
watched() {
    "$ACH" watch --once --interval 0.3 >"$tmp/out"
    [ "$(awk '$1 == "c" {print ($2 > 0), ($3 > 0), $4, $5, $6, $7}' "$tmp/out")" = "1 1 1 - 0 0" ]
}
eventually watched
kill "$writer"
wait "$writer" 2>/dev/null

# Without messages they still print lines.
expect 0 "$ACH" hz --interval 0.05 --count 2 c
same "$out" "0.000 Hz  messages 0  missed 0
0.000 Hz  messages 0  missed 0"
expect 0 "$ACH" bw --interval 0.05 --count 1 --json c
same "$(json 'j["bytes_per_second"], j["messages"]')" "(0, 0)"

# Periods are computed from the timestamps, not from the times of the gets: two puts, at least half
# a second apart.
apart() {
    "$ACH" hz --interval 3 --count 1 --json stamped >"$tmp/out" &
    follower=$!
    sleep 0.5
    "$ACH" put stamped a
    sleep 0.5
    "$ACH" put stamped b
    wait "$follower" || fail "hz ends with $?"
    out=$(cat "$tmp/out")
    [ "$(json 'j["messages"]')" = 2 ]
}
eventually apart
same "$(json '0.4 < j["period_max"] < 60')" True

# watch: channels are created and removed between refreshes; patterns; files that are no channels.
expect 0 "$ACH" watch --once --interval 0.05 'stam*'
same "$(echo "$out" | awk '{print $1}')" "NAME
stamped"
"$ACH" watch --interval 0.05 >"$tmp/out" &
follower=$!
eventually grep -q '^stamped' "$tmp/out"
"$ACH" mk late
eventually grep -q '^late' "$tmp/out"
"$ACH" put late x
eventually grep -Eq '^late +[0-9.]+ +1 +1 ' "$tmp/out"
"$ACH" mk -t late
eventually grep -Eq '^late +[0-9.]+ +0 +- ' "$tmp/out"
echo junk >"$ACH_DIR/achshm-junk"
eventually grep -q 'no-channel' "$tmp/out"
rm "$ACH_DIR/achshm-junk"
# MISSED: messages overwritten between two refreshes
seq 1 1000 | "$ACH" put --line late
lost_many() {
    awk '$1 == "late" && $6 > 0 && $6 <= 984 {ok = 1} END {exit !ok}' "$tmp/out"
}
eventually lost_many
"$ACH" rm late
gone() {
    ! tail -n 2 "$tmp/out" | grep -q '^late'
}
eventually gone
kill "$follower"
wait "$follower"
same "watch $?" "watch 0"

# Periodic messages: hz tells what is learnt, info the period; each way to wait gets every message.
for verb in 'echo --count 1' 'hz --count 1' 'bw --count 1' get; do
    # shellcheck disable=SC2086
    expect 1 "$ACH" $verb --wait-by soon stamped
    has "$err" "the way to wait (ACH_WAIT) is 'sleep', 'spin[:US]' or 'anticipate[:PERCENT]', not 'soon'"
done
python3 -c '
import time
while True:
    print("tick", flush=True)
    time.sleep(0.01)' | "$ACH" put --line stamped &
writer=$!
for how in sleep spin:20 spin anticipate anticipate:50; do
    expect 0 "$ACH" echo --wait-by $how --count 5 stamped
    same "$(echo "$out" | grep -c tick)" 5
    expect 0 "$ACH" get --wait-by $how --new --count 5 --line stamped
    same "$(echo "$out" | grep -c tick)" 5
done
expected() {
    out=$("$ACH" hz --interval 0.5 --count 1 --json --wait-by anticipate:50 stamped)
    [ "$(json '(a := j["anticipation"])["budget"] == 0.5 and 0 < a["hits"] <= a["windows"] < 100 and a["cpu"] > 0 and 0.005 < a["period"] < 0.1')" = True ]
}
eventually expected
expect 0 "$ACH" hz --interval 0.1 --count 2 --wait-by anticipate:50 stamped
same "$(echo "$out" | grep -Ec 'expected every [0-9.]+ s \+- [0-9.]+ s  window [0-9.]+ s  hit [0-9]+ of [0-9]+  cpu [0-9.]+ %$')" 2
expect 0 "$ACH" hz --interval 0.1 --count 1 stamped
hasnt "$out" expected
regular() {
    "$ACH" info stamped | grep -Eq '^period +0\.0[0-9]+ s \+- 0\.0[0-9]+ s$'
}
eventually regular
periodic() {
    out=$("$ACH" info --json stamped)
    [ "$(json '0.005 < j["period"] < 0.1 and j["jitter"] < 0.01')" = True ]
}
eventually periodic
kill "$writer"
wait "$writer"

"$ACH" rm c stamped || fail "rm"
finish
