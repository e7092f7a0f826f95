#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# server.sh SOURCE BUILD
# The same controller in real time, with a server whose fake pendulum hangs down: it reports a fall.
. "$(dirname "$0")/lib.sh"

cat >"$tmp/server.cfg" <<'END'
driver
(
  name "fake"
  provides ["actarray:0"]
  rate 1000
  publish (message "state" body "actuators[0].position=0 actuators[0].speed=0")
)
END
"$build/src/cli/ach" serve --no-tcp -q "$tmp/server.cfg" >"$tmp/serving" &
server=$!
for _ in $(seq 300); do
    [ -s "$tmp/serving" ] && break
    sleep 0.1
done
out=$(balance --seconds 1.5 --busy 0.0002)
got=$?
kill "$server"
wait "$server"
echo "$out"
[ "$got" = 3 ] || fail "status $got, not 3"
has 'balance: fell'
check 'it ran by the wall' "$(number '; \([0-9]*\) cycles') > 10"
finish
