#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Typed channels: mk --type, type, echo and pub.
. "$(dirname "$0")/lib.sh"

"$ACH" help --verbs | grep -qx dev || {
    echo "this ach was built without devices"
    exit 77
}

cat >"$tmp/Twist.msg" <<'END'
# a velocity
Vector3 linear
Vector3 angular
string[] notes
bool hold
================
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
END
"$ACH" mk plain
"$ACH" mk --type geometry_msgs/msg/Twist --schema "$tmp/Twist.msg" vel

# type
expect 0 "$ACH" type ls
same "$out" "CHANNEL  TYPE                     ENCODING  SCHEMA
vel      geometry_msgs/msg/Twist  cdr       ros2msg"
expect 0 "$ACH" type show vel
same "$out" "# geometry_msgs/msg/Twist, messages in cdr
$(cat "$tmp/Twist.msg")"
expect 0 "$ACH" type show --raw vel
same "$out" "$(cat "$tmp/Twist.msg")"
expect 1 "$ACH" type show plain
same "$err" "ach type: channel 'plain': the channel has no type"
expect 1 "$ACH" type show absent
expect 2 "$ACH" type
expect 2 "$ACH" type ls more
expect 2 "$ACH" type show
# A struct of an interface has a definition that a channel can have.
if "$ACH" help --verbs | grep -qx serve; then
    expect 0 "$ACH" type struct position2d.cmd_vel
    has "$out" "# ach/msg/Position2dCmdVel
Pose2d vel"
    has "$out" "MSG: ach/Pose2d
float64 px"
    "$ACH" type struct --raw position2d.cmd_vel >"$tmp/Position2dCmdVel.msg"
    expect 0 "$ACH" mk --type ach/msg/Position2dCmdVel --schema "$tmp/Position2dCmdVel.msg" base
    expect 0 "$ACH" pub base vel.px=0.5 state=1
    expect 0 "$ACH" echo --all --count 1 --field vel.px base
    same "$out" 0.5
    "$ACH" rm base
    expect 1 "$ACH" type struct laser.nothing
    same "$err" "ach type: no interface has a struct 'laser.nothing'; ach dev messages lists the interfaces"
fi
printf 'a\001b' >"$tmp/binary"
"$ACH" mk --type t --encoding e --schema "$tmp/binary" --schema-encoding s odd
expect 0 "$ACH" type show odd
has "$out" "61 01 62"
"$ACH" rm odd

# pub, echo
expect 0 "$ACH" pub vel linear.x=0.5 angular.z=-1e-3 'notes=["a", "b c"]' hold=true
expect 0 "$ACH" echo --all --count 1 vel
has "$out" "bytes:
  linear  x=0.5 y=0 z=0
  angular x=0 y=0 z=-0.001
  notes   [2] \"a\" \"b c\"
  hold    true"
expect 0 "$ACH" echo --all --count 1 --json vel
has "$out" '"message": {"linear": {"x": 0.5, "y": 0, "z": 0}, "angular": {"x": 0, "y": 0, "z": -0.001}, '\
'"notes": ["a", "b c"], "hold": true}}'
expect 0 "$ACH" echo --all --count 1 --hex vel
has "$out" "00 00 00 00 00 00 e0 3f"
expect 0 "$ACH" pub --json '{"angular": {"y": 2}, "notes": ["n"]}' vel
expect 0 "$ACH" echo --last --count 1 vel
has "$out" "angular x=0 y=2 z=0"
expect 0 "$ACH" pub vel 'notes[1]=second'
expect 0 "$ACH" echo --last --count 1 vel
has "$out" 'notes   [2] "" "second"'

# A rate, with a count and until it is stopped.
expect 0 "$ACH" pub --rate 1000 --count 20 vel linear.y=3
expect 0 "$ACH" info --json vel
has "$out" '"newest": 23,'
"$ACH" pub --rate 1000 vel linear.y=4 &
pid=$!
expect 0 "$ACH" echo --count 30 vel
has "$out" "y=4"
kill $pid
wait $pid || fail "pub ended with $? after SIGTERM"
"$ACH" pub --rate 1000 vel 2>"$tmp/removed" &
pid=$!
expect 0 "$ACH" echo --count 5 vel
"$ACH" rm vel
wait $pid && fail "pub goes on although its channel was removed"
has "$(cat "$tmp/removed")" "ach pub:"

# Mistakes
"$ACH" mk --type geometry_msgs/msg/Twist --schema "$tmp/Twist.msg" vel
expect 1 "$ACH" pub vel linear.w=1
same "$err" "ach pub: Vector3 has no field 'w'; did you mean 'x'? It has: x, y, z"
expect 1 "$ACH" pub vel =3
has "$err" "has no field ''"
expect 1 "$ACH" pub vel hold=2
has "$err" "true or false"
expect 1 "$ACH" pub --json '{"linear": 1}' vel
expect 1 "$ACH" pub plain x=1
has "$err" "channel 'plain' has no type that this ach knows"
expect 1 "$ACH" pub absent x=1
expect 2 "$ACH" pub
expect 2 "$ACH" pub --count 3 vel
has "$err" "--count needs --rate"
expect 2 "$ACH" pub --rate 0 vel
expect 2 "$ACH" pub --rate fast vel
expect 2 "$ACH" pub --json '{}' vel hold=true
"$ACH" mk --type geometry_msgs/msg/Twist --schema "$tmp/Twist.msg" --frames 1 --size 8 small
expect 1 "$ACH" pub small
has "$err" "too large"

# A message that does not fit the type is shown as bytes; a bad schema is reported once.
"$ACH" put --hex vel 0102
expect 0 "$ACH" echo --last --count 1 vel
has "$out" "01 02"
has "$err" "a message of 'vel' is not of the channel's type: Vector3.x: the message ends before it"
echo 'Missing m' >"$tmp/Bad.msg"
"$ACH" mk --type demo/msg/Bad --schema "$tmp/Bad.msg" bad
"$ACH" put bad text
expect 0 "$ACH" echo --last --count 1 bad
has "$out" "text"
same "$err" "ach echo: cannot decode the messages of 'bad': line 1 of the definition: there is no definition of 'Missing'"
expect 1 "$ACH" pub bad
# What a schema says is not sent to the terminal as it is.
printf 'Bad\033[31m\302\233 m\n' >"$tmp/Red.msg"
"$ACH" mk --type demo/msg/Red --schema "$tmp/Red.msg" red 2>/dev/null
expect 1 "$ACH" pub red
has "$err" "found 'Bad\\x1b[31m\\xc2\\x9b'"
"$ACH" rm red
"$ACH" rm vel plain small bad

finish
