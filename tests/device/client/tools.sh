#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tools.sh ACH   what the ach command prints about devices, and its error messages
. "$(dirname "$0")/../../cli/lib.sh"
need python3
server=
# shellcheck disable=SC2317
end_server() {
    [ -z "$server" ] || kill "$server"
    wait
    rm -rf "$tmp"
    rm -f "$ACH_DIR"/achshm-dev.* "$ACH_DIR"/.achshm-dev.*
}
trap end_server EXIT

cat >"$tmp/robot.cfg" <<'END'
driver ( name "dummy" provides ["laser:0" "position2d:1"] )
driver ( name "dummy" provides ["position2d:2"] alwayson yes )
driver ( name "simrobot" provides ["position2d:3"] bitmap "room.pgm" resolution 0.1 pose [1 1 0]
         alwayson yes )
END
{ printf 'P5 20 20 255\n'; printf '%0400d' 0 | tr 0 '\377'; } >"$tmp/room.pgm"
"$ACH" serve --no-tcp --port 40021 "$tmp/robot.cfg" >"$tmp/served" 2>&1 &
server=$!
eventually grep -q '^serving' "$tmp/served"

# Devices of a server without TCP, or of a simulation, are listed by channels, without drivers.
expect 0 "$ACH" dev ls 40021
same "$(echo "$out" | sed 's/ *$//')" "laser:0
position2d:1
position2d:2
position2d:3"
expect 0 "$ACH" dev ls --port 40021 --json
has "$out" '{"device": "position2d:1", "driver": ""}'
expect 0 "$ACH" dev ls --transport channel 40021
has "$out" "laser:0"
expect 1 "$ACH" dev ls 40022
has "$err" "connection refused"
expect 1 "$ACH" dev ls --transport channel 40022
has "$err" "no server on this machine provides channels for robot 40022"
expect 1 "$ACH" dev ls --transport channel localhost:40021
has "$err" "without a host"
expect 1 "$ACH" dev ls --transport pigeon 40021
has "$err" "there is no transport pigeon"
expect 1 "$ACH" dev ls --transport tcp 40021
has "$err" "connection refused"
expect 2 "$ACH" dev ls --port 70000
has "$err" "a port from 1 to 65535"

# ach echo decodes the messages of devices. The driver publishes only while a client is subscribed.
"$ACH" dev print --json --timeout 100 40021:laser:0 >/dev/null &
reader=$!
expect 0 "$ACH" echo --count 1 dev.40021.laser.0.data
has "$out" "bytes: 40021:laser:0 data SCAN, device time "
hasnt "$out" process
has "$out" "
  ranges"
hasnt "$out" "00000000  "
expect 0 "$ACH" echo --count 1 --json dev.40021.laser.0.data
same "$(json 'j["device"], j["type"], j["message"], "ranges" in j["body"], "hex" in j')" \
    "('40021:laser:0', 'data', 'SCAN', True, False)"
expect 0 "$ACH" echo --count 1 --field 'ranges[0]' --field id dev.40021.laser.0.data
[ "$(echo "$out" | wc -w)" = 2 ] || fail "not two fields: $out"
expect 0 "$ACH" echo --count 1 --csv dev.40021.laser.0.data
has "$out" "time,sequence,min_angle,max_angle,resolution,max_range,ranges,intensity,id
"
expect 0 "$ACH" type show dev.40021.laser.0.data
has "$out" "# messages of laser: a header of 40 bytes, and a body in XDR

# data 1, SCAN: ach/msg/LaserData
float32 min_angle"
has "$out" "
# data 3, SCANANGLE: ach/msg/LaserDataScanangle"
expect 0 "$ACH" type show dev.40021.position2d.1.cmd
has "$out" "# command 1, VEL: ach/msg/Position2dCmdVel"
hasnt "$out" "# data"
expect 0 "$ACH" info dev.40021.laser.0.data
has "$out" "type            none; messages of the interface laser"
expect 1 "$ACH" type show --raw dev.40021.laser.0.data
expect 1 "$ACH" type show dev.40021.req
has "$err" "the channel has no type"
expect 0 "$ACH" echo --count 1 --hex dev.40021.laser.0.data
has "$out" "00000000  "
kill "$reader"
wait "$reader"

# A channel with the name of a device may hold any bytes; ach echo dumps them.
"$ACH" mk dev.1.laser.0.data
expect 1 "$ACH" type fields dev.1.laser.0.data
same "$err" "ach type: 'dev.1.laser.0.data' has no message yet, which would tell its fields"
"$ACH" put --hex dev.1.laser.0.data 00010203 "$(printf '%0200d' 1)"
expect 0 "$ACH" echo --all --count 2 dev.1.laser.0.data
has "$out" "#1 4 bytes:
  00000000  00 01 02 03"
has "$out" "#2 100 bytes:
  00000000  00 00"
"$ACH" rm dev.1.laser.0.data

# A driver that is shut down with its last client, and one that is not (alwayson).
expect 0 "$ACH" dev cmd 40021:position2d:1 vel vel.px=1 state=1
has "$err" "note: the driver of 40021:position2d:1 is shut down when its last client leaves"
expect 0 "$ACH" dev prop 40021:position2d:1 alwayson
same "$out" false
expect 1 "$ACH" dev prop 40021:position2d:1 alwayson true
expect 0 "$ACH" dev cmd 40021:position2d:2 vel vel.px=1 state=1
same "$err" ""
expect 0 "$ACH" dev prop 40021:position2d:2 alwayson
same "$out" true
expect 0 "$ACH" echo --last --count 1 dev.40021.position2d.2.cmd
has "$out" "bytes: position2d:2 command VEL, device time "
has "$out" ", process "
expect 0 "$ACH" echo --last --count 1 --json dev.40021.position2d.2.cmd
same "$(json 'j["device"], j["type"], j["process"] > 1')" "('position2d:2', 'command', True)"
expect 1 "$ACH" pub dev.40021.position2d.2.cmd vel.px=1
same "$err" "ach pub: 'dev.40021.position2d.2.cmd' is a channel of a device: use ach dev cmd"

# Error messages say what to write instead.
expect 1 "$ACH" dev cmd 40021:position2d:1 vel vel=1,2
same "$err" "ach dev cmd: vel is a pose2d {px, py, pa}: write vel.px=1 vel.py=2"
expect 1 "$ACH" dev cmd 40021:position2d:1 vel val.px=1
has "$err" "has no field 'val'; did you mean 'vel'? It has: vel {px, py, pa}, state"
expect 1 "$ACH" dev cmd 40021:position2d:1 velo
has "$err" "position2d has no command velo; did you mean 'VEL'? It has:"
expect 1 "$ACH" dev cmd 40021:position2d:1 nothing_like_it
has "$err" "position2d has no command nothing_like_it; it has:"
expect 1 "$ACH" dev cmd 40021:laser:0 vel
same "$err" "ach dev cmd: laser has no commands"
expect 1 "$ACH" dev print 40021:lazer:0
has "$err" "there is no interface lazer; did you mean 'laser'?"
expect 2 "$ACH" dev prnt 40021:laser:0
has "$err" "there is no tool 'prnt'; did you mean 'print'?"
expect 2 "$ACH" ehco c
has "$err" "there is no verb 'ehco'; did you mean 'echo'?"
expect 1 "$ACH" info dev.40021.lasr.0.data
has "$err" "did you mean 'dev.40021.laser.0.data'?"
expect 1 "$ACH" dev messages lazer
has "$err" "there is no interface 'lazer'; did you mean 'laser'?"
expect 0 "$ACH" dev messages
has "$out" "position2d"
expect 0 "$ACH" dev messages 40021:position2d:1
has "$out" "cmd   VEL"
expect 0 "$ACH" dev messages position2d cmd vel
has "$out" "vel.px  double"
expect 1 "$ACH" dev messages position2d nothing
has "$err" "'ach dev messages position2d' lists those it has"

# Fields that are left out are zero, also if all are.
expect 0 "$ACH" dev cmd 40021:position2d:3 vel
finish
