#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# commands.sh ACH   every command of "ach dev cmd" arrives, by TCP and through channels
set -u
ach=$1
n=$((1000 * ${ACH_TEST_SCALE:-100} / 100 / 5))
[ "${ACH_TEST_SCALE:-100}" -lt 100 ] || n=1000
[ "$n" -gt 0 ] || n=1
. "$(dirname "$0")/serving.sh"

# until_true SECONDS COMMAND ...
until_true() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}
# shellcheck disable=SC2317
got() {
    [ "$(wc -l <"$dir/out")" -ge "$1" ]
}

echo 'tcp ( port 0 ) driver ( name "relay" provides ["opaque:0"] )' >"$dir/relay.cfg"
"$ach" serve -p 40002 "$dir/relay.cfg" >"$dir/log" 2>&1 &
server=$!
until_true 60 grep -q '^serving' "$dir/log" || { cat "$dir/log"; fail "no server"; exit 1; }
port=$(sed -n 's/.* on port //p' "$dir/log")

# A relay publishes commands as data; the first ones show when the observer is subscribed.
for way in "tcp $port" "channel 40002"; do
    read -r transport robot <<<"$way"
    "$ach" dev print --json --transport "$transport" -T 60 "$robot:opaque:0" >"$dir/out" 2>"$dir/err" &
    client=$!
    # shellcheck disable=SC2317
    prime() {
        "$ach" dev cmd -T 60 --transport "$transport" "$robot:opaque:0" data data=0 && sleep 0.1 && got 1
    }
    until_true 60 prime || { fail "$transport: nothing comes: $(cat "$dir/log" "$dir/err")"; break; }
    sleep 0.5
    first=$(wc -l <"$dir/out")
    told=0
    for ((i = 0; i < n; i++)); do
        "$ach" dev cmd -T 60 --transport "$transport" "$robot:opaque:0" data "data=$((i % 256))" || told=$((told + 1))
    done
    until_true 60 got $((first + n - told)) || fail "$transport: $(wc -l <"$dir/out") of $((first + n)) commands"
    [ $told = 0 ] || fail "$transport: $told commands were refused: $(tail -3 "$dir/log")"
    kill "$client"
    wait "$client" 2>/dev/null
    client=
done

# A command to a stopped server fails with a message within its timeout.
"$ach" dev cmd -T 60 --transport tcp "$port:opaque:0" data data=1 || fail "the last command"
kill -STOP "$server"
# shellcheck disable=SC2317
stopped() {
    for t in "/proc/$server/task/"*; do
        grep -q 'State:.T' "$t/status" || return 1
    done
}
until_true 60 stopped || fail "the server does not stop"
"$ach" dev cmd -T 1 --transport tcp "$port:opaque:0" data data=1 2>"$dir/err" && fail "a stopped server took it"
[ -s "$dir/err" ] || fail "a stopped server, and no word of it"
kill -CONT "$server"
kill "$server"
wait "$server" || fail "the server did not end well"
server=
exit $failed
