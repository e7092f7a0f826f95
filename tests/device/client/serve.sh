#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# serve.sh ACH   servers that compete for the same channels, errors at the start, and how one ends
set -u
ach=$1
. "$(dirname "$0")/serving.sh"

# start NAME OPTION ...: start a server and wait until it serves
start() {
    log=$dir/$1
    shift
    : >"$log"
    "$ach" serve "$@" >"$log" 2>&1 &
    server=$!
    i=0
    until grep -q '^serving' "$log"; do
        i=$((i + 1))
        [ $i -lt 300 ] || { cat "$log"; fail "no server"; return 1; }
        sleep 0.1
    done
}
echo 'driver ( name "dummy" provides ["laser:0"] )' >"$dir/laser.cfg"
echo 'tcp ( port 0 ) include "laser.cfg"' >"$dir/free.cfg"
echo 'driver ( name "fake" provides ["laser:0"] slow_setup 60 alwayson true )' >"$dir/slow.cfg"

echo "tcp ( secret \"$(printf '%033d' 0)\" ) include \"laser.cfg\"" >"$dir/secret.cfg"
"$ach" serve --no-channels "$dir/secret.cfg" >"$dir/out" 2>&1 && fail "a secret of 33 characters is taken"
grep -q '32 characters' "$dir/out" || fail "$(cat "$dir/out")"
grep -q 0000000000 "$dir/out" && fail "a secret is printed: $(cat "$dir/out")"
echo 'driver ( name "dummy" provides ["laser:0" "laser:0"] )' >"$dir/twice.cfg"
"$ach" serve --no-tcp "$dir/twice.cfg" >"$dir/out" 2>&1 && fail "a device is taken twice"
grep -q 'driver dummy provides laser:0 twice' "$dir/out" || fail "$(cat "$dir/out")"

start first --no-tcp -p 40001 "$dir/laser.cfg" || exit 1
"$ach" serve --no-tcp -p 40001 "$dir/laser.cfg" >"$dir/out" 2>&1 && fail "a second server took the channels"
grep -q 'another server already provides the channels of robot 40001' "$dir/out" || fail "$(cat "$dir/out")"
grep -q -e '--port .* --no-channels' "$dir/out" || fail "no remedy: $(cat "$dir/out")"
"$ach" dev print -c 1 -T 30 40001:laser:0 | grep -q SCAN || fail "the first server is out of reach"

# The channels of a killed server remain, and do not hide other servers.
kill -9 "$server"
wait "$server" 2>/dev/null
# A process that may only read the channels, and locks them, does not stop the next server.
python3 -c '
import fcntl, os, sys, time
fds = [os.open(p, os.O_RDONLY) for p in sys.argv[2:]]
for fd in fds:
    fcntl.lockf(os.dup(fd), fcntl.LOCK_SH)
    fcntl.flock(fd, fcntl.LOCK_EX)
open(sys.argv[1], "w").close()
time.sleep(1000)
' "$dir/locked" "$ACH_DIR"/achshm-dev.40001.* &
client=$!
i=0
until [ -e "$dir/locked" ]; do
    i=$((i + 1))
    [ $i -lt 600 ] || { fail "nobody locks"; break; }
    sleep 0.1
done
start again --no-tcp -p 40001 "$dir/laser.cfg" || fail "a reader keeps a server from starting: $(cat "$dir/again")"
"$ach" serve --no-tcp -p 40001 "$dir/laser.cfg" >"$dir/out" 2>&1 && fail "a second server took the channels"
grep -q "robot 40001: process $server (" "$dir/out" || fail "not told who serves: $(cat "$dir/out")"
"$ach" dev print -c 1 -T 30 40001:laser:0 | grep -q SCAN || fail "the server that was started again is out of reach"
kill -9 "$server" "$client"
wait "$server" "$client" 2>/dev/null
server=

# A channel's file belongs to another user: the error names that user.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 1777 "$ACH_DIR"
    : >"$ACH_DIR/achshm-dev.40009.req"
    chmod 0755 "$dir"
    "$(dirname "$0")/../../support/stage" "$dir/stage" "$ach" || exit 1
    LD_LIBRARY_PATH=$dir/stage setpriv --reuid=65534 --clear-groups \
        "$dir/stage/ach" serve --no-tcp -p 40009 "$dir/laser.cfg" >"$dir/out" 2>&1 &&
        fail "another user's file was taken"
    grep -q 'achshm-dev.40009.req belongs to user 0' "$dir/out" || fail "$(cat "$dir/out")"
    rm "$ACH_DIR/achshm-dev.40009.req"
else
    echo "not tested: only root can become another user, by setpriv"
fi
start second --no-channels "$dir/free.cfg" -p 40001 || exit 1
port=$(sed -n 's/.* on port //p' "$dir/second")
"$ach" dev print -c 1 -T 2 40001:laser:0 >"$dir/out" 2>&1 && fail "a dead server answered"
grep -q 'in time' "$dir/out" && fail "waited for a dead server"
"$ach" dev print -c 1 -T 30 "$port:laser:0" | grep -q SCAN || fail "the living server is hidden"
kill "$server"
wait "$server" || fail "a server that was asked to end did not end well"

# A failed setup is tried again, except with --strict. Config file errors always end the server.
echo 'tcp ( port 0 ) driver ( name "urg_laser" provides ["laser:0"] port "/nowhere" alwayson true )' \
    >"$dir/gone.cfg"
start later --no-channels "$dir/gone.cfg" || exit 1
i=0
until [ "$(grep -c 'driver urg_laser cannot be set up' "$dir/later")" -ge 2 ]; do
    i=$((i + 1))
    [ $i -lt 300 ] || { fail "not tried again: $(cat "$dir/later")"; break; }
    sleep 0.1
done
kill "$server"
wait "$server" || fail "a server that was asked to end did not end well"
"$ach" serve --strict --no-tcp --no-channels "$dir/gone.cfg" >"$dir/out" 2>&1 && fail "not strict"
[ "$(grep -c 'cannot be set up' "$dir/out")" = 1 ] || fail "said not once: $(cat "$dir/out")"
echo 'driver ( name "fake" provides ["laser:0"] rate "often" alwayson true )' >"$dir/wrong.cfg"
"$ach" serve --no-tcp --no-channels "$dir/wrong.cfg" >"$dir/out" 2>&1 && fail "a wrong file is served"
grep -q 'wrong.cfg:1:' "$dir/out" || fail "$(cat "$dir/out")"

# An invalid bind address is reported before any driver is set up.
echo 'tcp ( bind "notahost" ) include "slow.cfg"' >"$dir/bind.cfg"
timeout 50 "$ach" serve --no-channels --bind notahost "$dir/slow.cfg" >"$dir/out" 2>&1
[ $? = 1 ] || fail "--bind was not checked first"
grep -q 'cannot listen on notahost' "$dir/out" || fail "$(cat "$dir/out")"
timeout 50 "$ach" serve --no-channels "$dir/bind.cfg" >"$dir/out" 2>&1
[ $? = 1 ] || fail "bind was not checked first"
grep -q 'cannot listen on notahost' "$dir/out" || fail "$(cat "$dir/out")"
{ printf 'P5 20 20 255\n'; printf '%0400d' 0 | tr 0 '\377'; } >"$dir/room.pgm"
echo 'driver ( name "simrobot" provides ["position2d:0"] bitmap "room.pgm" resolution 0.1 pose [1 1 0]
    drive_clock yes alwayson yes )' >"$dir/clock.cfg"
"$ach" serve --strict --no-tcp --no-channels "$dir/clock.cfg" >"$dir/out" 2>&1 && fail "no simulated clock"
grep -q 'ach serve --simulated' "$dir/out" || fail "no remedy: $(cat "$dir/out")"

# Devices of other servers are not counted; a simulated clock that stands still is reported.
echo 'driver ( name "passthrough" provides ["laser:1"] requires ["127.0.0.1:9:laser:0"] )' >"$dir/far.cfg"
start far --simulated --no-tcp --no-channels "$dir/far.cfg" || exit 1
grep -q '^serving 1 device$' "$dir/far" || fail "$(cat "$dir/far")"
i=0
until grep -q 'the simulated clock does not advance' "$dir/far"; do
    i=$((i + 1))
    [ $i -lt 300 ] || { fail "nobody was told of the clock"; break; }
    sleep 0.1
done
kill "$server"
wait "$server" || fail "a server that was asked to end did not end well"

# After the first signal the server waits for a driver's setup; a later signal ends it at once.
"$ach" serve --no-tcp --no-channels "$dir/slow.cfg" >"$dir/out" 2>&1 &
server=$!
sleep 1
kill "$server"
i=0
while kill "$server" 2>/dev/null; do
    i=$((i + 1))
    [ $i -lt 100 ] || { fail "still there after two signals"; break; }
    sleep 0.1
done
server=
exit $failed
