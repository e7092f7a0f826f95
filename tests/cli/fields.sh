#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fields of typed messages: echo --field, --json, --yaml and --csv, pub, type fields, for each encoding.
. "$(dirname "$0")/lib.sh"

"$ACH" help --verbs | grep -qx dev || {
    echo "this ach was built without devices"
    exit 77
}

# shown OPTION ... CHANNEL: the newest message
shown() {
    expect 0 "$ACH" echo --last --count 1 "$@"
}

cat >"$tmp/Scan.msg" <<'END_OF_MSG'
Header header
float32 angle_min
float32[] ranges
float64[3] cov
Pose[] poses
string note
===
MSG: std_msgs/Header
string frame_id
===
MSG: s/Pose
float64 x
string n
END_OF_MSG
"$ACH" mk --type s/msg/Scan --schema "$tmp/Scan.msg" scan
# The note has an escape sequence, U+009B, which is a C1 control, and a byte that is not UTF-8.
"$ACH" pub scan 'header.frame_id=base link' ranges=1,2.5,3e20 cov=1,2,3 angle_min=-0.5 \
    'poses=[{"x":1,"n":"a"},{"x":2}]' "note=$(printf 'x\033[31m\302\233,"q"\377\\')"
replaced=$(printf '\357\277\275')

expect 0 "$ACH" type fields scan
same "$out" "header.frame_id
angle_min
ranges
cov
poses[0].x
poses[0].n
note"
expect 2 "$ACH" type fields
expect 1 "$ACH" type fields absent

shown scan
has "$out" "
  header
    frame_id \"base link\"
  angle_min -0.5
  ranges    [3] 1 2.5 3e+20
  cov       [3] 1 2 3
  poses     [2]
    [0]
      x 1
      n \"a\"
    [1]
      x 2
      n \"\"
  note      \"x\\x1b[31m\\xc2\\x9b,\"q\"\\xff\\\""
shown --yaml scan
same "$out" "header:
  frame_id: \"base link\"
angle_min: -0.5
ranges: [1, 2.5, 3.0e+20]
cov: [1, 2, 3]
poses:
  - x: 1
    n: a
  - x: 2
    n: \"\"
note: \"x\\u001b[31m\\u009b,\\\"q\\\"$replaced\\\\\"
---"
shown --csv scan
same "$out" 'time,sequence,header.frame_id,angle_min,ranges,cov[0],cov[1],cov[2],poses,note
,1,base link,-0.5,"[1, 2.5, 3e+20]",1,2,3,"[{""x"": 1, ""n"": ""a""}, {""x"": 2, ""n"": """"}]",'\
'"x\x1b[31m\xc2\x9b,""q""\xff\\"'
shown --json scan
has "$out" '"note": "x\u001b[31m\u009b,\"q\"'"$replaced"'\\"}}'

# --field
shown --field 'ranges[1]' --field 'poses[1].x' --field note --field poses scan
same "$out" '2.5 2 "x\u001b[31m\u009b,\"q\"'"$replaced"'\\" [{"x": 1, "n": "a"}, {"x": 2, "n": ""}]'
shown --field 'ranges[1:5]' scan
same "$out" '2.5 3e+20 null null'
shown --csv --field 'ranges[2:4]' --field cov scan
same "$out" 'time,sequence,ranges[2],ranges[3],cov
,1,3e+20,,"[1, 2, 3]"'
shown --yaml --field header scan
same "$out" 'frame_id: "base link"
---'
shown --yaml --field angle_min --field 'cov[1]' scan
same "$out" 'angle_min: -0.5
"cov[1]": 2
---'
shown --json --field angle_min scan
has "$out" '"message": {"angle_min": -0.5}}'

expect 1 "$ACH" echo --last --count 1 --field hedder scan
same "$err" "ach echo: channel 'scan': the message has no field 'hedder'; it has: header, angle_min, ranges, cov, \
poses, note"
expect 1 "$ACH" echo --last --count 1 --field 'poses[0].z' scan
same "$err" "ach echo: channel 'scan': poses[0] has no field 'z'; it has: x, n"
expect 1 "$ACH" echo --last --count 1 --field 'cov[3]' scan
same "$err" "ach echo: channel 'scan': cov has only 3 elements"
expect 1 "$ACH" echo --last --count 1 --field note.x scan
same "$err" "ach echo: channel 'scan': note has no fields"
for path in '' . a. 'a[' 'a[]' 'a[x]' 'a[1' 'a[1]b' '[1]' 'a[3:1]' 'a[:1]' 'a[1:2][1:2]' 'a[99999999999]' 'a[0:999999]'; do
    expect 2 "$ACH" echo --field "$path" scan
done
expect 2 "$ACH" echo --csv --yaml scan
expect 2 "$ACH" echo --csv --hex scan
expect 2 "$ACH" echo --field note --text scan
"$ACH" mk plain
expect 1 "$ACH" echo --csv plain
has "$err" "channel 'plain' has no type that this ach knows"
expect 1 "$ACH" echo --field x plain

# A message that does not fit is reported, and the next one is printed.
"$ACH" mk --type s/msg/Scan --schema "$tmp/Scan.msg" --timestamps timed
"$ACH" pub timed angle_min=1
"$ACH" put --hex timed 0102
"$ACH" pub timed angle_min=2
expect 0 "$ACH" echo --all --count 3 --field angle_min timed
same "$out" "1
2"
has "$err" "a message of 'timed' is not of the channel's type"
# With timestamps, the time of each message is known. There is one header.
expect 0 "$ACH" echo --all --count 3 --csv --field angle_min timed
same "$(echo "$out" | sed 's/^[0-9]*\.[0-9]\{9\},/T,/')" "time,sequence,angle_min
T,1,1
T,3,2"
# If the type has the columns, the header does not wait for a message.
"$ACH" echo --csv timed >"$tmp/table" &
reader=$!
eventually grep -q '^time,sequence,header.frame_id,angle_min,' "$tmp/table"
kill $reader
wait $reader || fail "echo ended with $?"

# NaN and infinities
printf 'float64 a\nfloat32 b\nfloat64[] c\n' >"$tmp/Reals.msg"
"$ACH" mk --type s/msg/Reals --schema "$tmp/Reals.msg" reals
"$ACH" pub --json '{"a": null, "b": 1e999, "c": [-1e999, 0.1, 1e-7]}' reals
shown --field a --field b --field c reals
same "$out" "null 1e999 [-1e999, 0.1, 1e-07]"
shown --yaml reals
same "$out" "a: .nan
b: .inf
c: [-.inf, 0.1, 1.0e-07]
---"
shown --csv reals
same "$out" 'time,sequence,a,b,c
,1,nan,inf,"[-1e999, 0.1, 1e-07]"'
expect 1 "$ACH" pub --json '{"b": 1e300}' reals
same "$err" "ach pub: b: 1e300 does not fit float"
expect 1 "$ACH" pub reals b=1e300
same "$err" "ach pub: b: 1e300 does not fit float"
"$ACH" rm reals timed

# What other programs read
if command -v python3 >/dev/null; then
    need python3
    shown --csv scan
    same "$(printf '%s\n' "$out" | "$python" -S -c 'import csv, json, sys
row = list(csv.DictReader(sys.stdin))[0]
print(json.loads(row["poses"])[1]["x"], row["cov[2]"])')" "2 3"
fi

# JSON: without a schema, the fields are those of the message.
"$ACH" mk --type some.Thing --encoding json js
"$ACH" pub js a=1 b=true c=hello 'd[1].x=3' e=1,2 'f={"g": [1.50, 1e2]}' 'h="1"'
expect 0 "$ACH" get --last js
same "$out" '{"a": 1, "b": true, "c": "hello", "d": [null, {"x": 3}], "e": "1,2", "f": {"g": [1.50, 1e2]}, "h": "1"}'
shown --field c --field 'f.g[0]' --field 'd[0].x' js
same "$out" '"hello" 1.50 null'
shown --yaml --field f js
same "$out" 'g: [1.50, 100]
---'
shown --csv js
same "$out" 'time,sequence,a,b,c,d,e,f.g,h
,1,1,true,hello,"[null, {""x"": 3}]","1,2","[1.50, 1e2]",1'
shown --field q js
same "$out" null
same "$err" "ach echo: channel 'js': the message has no field 'q'; it has: a, b, c, d, e, f, h"
expect 0 "$ACH" type fields js
same "$out" "a
b
c
d
e
f.g
h"
"$ACH" put js '{"a": '
shown --yaml js
same "$out" ""
same "$err" "ach echo: a message of 'js' is not of the channel's type: byte 6 of the JSON text: expected a value, found \
the end"
shown js
has "$out" "7b 22 61 22"
"$ACH" pub --json ' [1, "x\u0000y\ud83d\ude00"] ' js
shown --csv js
same "$out" "time,sequence,message
,3,\"[1, \"\"x\\u0000y$(printf '\360\237\230\200')\"\"]\""
deep=$(printf '%080d' 0)
expect 1 "$ACH" pub --json "$(echo "$deep" | tr 0 '[')1$(echo "$deep" | tr 0 ']')" js
has "$err" "the JSON text is nested more than 64 deep"
for text in '' '{' '{"a"}' '{"a":1,}' '[1 2]' '01' '1.' '.5' '1e' '+1' 'nul' '"a' '"\x"' '"\u12"' '[1]]' "'a'" 'NaN'; do
    expect 1 "$ACH" pub --json "$text" js
    has "$err" "of the JSON text: expected"
done
# A message of 10 MB that would be a tree of 5 million values is refused.
"$ACH" mk --type big --encoding json --frames 1 --size 11M big
{ printf '[0'; head -c 10000000 /dev/zero | sed 's/\x00\x00/,0/g'; printf ']'; } >"$tmp/big.json"
"$ACH" put --file "$tmp/big.json" big
expect 0 "$ACH" echo --last --count 1 --csv big
same "$out" ""
has "$err" "it takes more than 268435456 bytes of memory"
"$ACH" rm big
expect 1 "$ACH" pub --json '[1,]' js
has "$err" "byte 3 of the JSON text: expected a value"
expect 1 "$ACH" pub js a
expect 1 "$ACH" pub js 'a[200000]=1'
# With a schema, names are checked and words are what the schema says.
cat >"$tmp/Thing.json" <<'END_OF_SCHEMA'
{"type": "object", "properties": {
    "id": {"type": "string"}, "ok": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "at": {"type": "object", "properties": {"x": {"type": "number"}, "other": {}}}}}
END_OF_SCHEMA
"$ACH" mk --type some.Thing --schema "$tmp/Thing.json" thing
expect 0 "$ACH" type fields thing
same "$out" "id
ok
tags
at.x
at.other"
"$ACH" pub thing id=12 tags=1,b at.x=0.5 'at.other.deep[0]=true'
expect 0 "$ACH" get --last thing
same "$out" '{"id": "12", "tags": ["1", "b"], "at": {"x": 0.5, "other": {"deep": [true]}}}'
expect 1 "$ACH" pub thing nam=x
has "$err" "the message has no field 'nam'; it has: id, ok, tags, at"
shown --csv thing
same "$out" 'time,sequence,id,ok,tags,at.x,at.other
,1,12,,"[""1"", ""b""]",0.5,"{""deep"": [true]}"'
echo '{"type": ' >"$tmp/Broken.json"
"$ACH" mk --type some.Thing --schema "$tmp/Broken.json" broken
expect 1 "$ACH" pub broken a=1
has "$err" "cannot decode the messages of 'broken': byte 10 of the JSON text"
"$ACH" rm js thing broken

# Text
"$ACH" mk --type note --encoding text text
expect 1 "$ACH" pub text ''
same "$err" "ach pub: text: the message has no bytes, and a channel has no empty messages"
"$ACH" pub text "$(printf 'a=b,\033"c"')"
shown --csv text
same "$out" 'time,sequence,message
,1,"a=b,\x1b""c"""'
shown --json text
has "$out" '"message": "a=b,\u001b\"c\""}'
expect 1 "$ACH" echo --last --count 1 --field a text
has "$err" "the message has no fields"
expect 1 "$ACH" pub text a b
"$ACH" put --hex text 61ff
shown --yaml text
has "$err" "byte 1 is not UTF-8"

# A channel that replaces another one of the same type continues the table.
"$ACH" mk --type point --encoding json again
"$ACH" echo --csv --count 2 --field x again >"$tmp/table" 2>"$tmp/said" &
reader=$!
eventually waits $reader again
eventually grep -q '^time,sequence,x$' "$tmp/table"
"$ACH" pub again x=1
eventually grep -q ',1,1$' "$tmp/table"
"$ACH" rm again
"$ACH" mk --type point --encoding json again
"$ACH" pub again x=2
wait $reader || fail "echo ended with $?"
same "$(sed 's/^[0-9.]*,/T,/' "$tmp/table")" "time,sequence,x
T,1,1
T,1,2"
"$ACH" rm again

# plot, without a terminal: one picture at the end, over the sequence numbers if there are no times
"$ACH" mk --type curve --encoding json curve
for x in 0 1 2 3 2 1 0; do
    "$ACH" pub curve "x=$x" "a[1]=-$x" 'b=text'
done
expect 0 "$ACH" plot --once --ascii curve x 'a[1]' b c
same "$(echo "$out" | head -5)" 'curve: 7 messages
* x                    now 0          min 0          max 3
+ a[1]                 now 0          min -3         max 0
o b                    no values
# c                    no values'
same "$(echo "$err" | sort -u)" "ach plot: channel 'curve': the message has no field 'c'; it has: x, a, b"
same "$(echo "$out" | wc -l | tr -d ' ')" 24
same "$(echo "$out" | tail -1 | tr -s ' ')" ' 1 7 messages'
# The curve of x: it rises to 3 in the middle, at the top, and ends where it began.
same "$(echo "$out" | sed -n 6p)" "         3                                 *****"
expect 0 env LC_ALL=C.UTF-8 "$ACH" plot --once curve x
has "$out" "$(printf '\342\241')"
hasnt "$out" "$(printf '\033')"
# A count; the values that come
"$ACH" pub --rate 200 curve x=7 &
writer=$!
expect 0 "$ACH" plot --count 5 --window 100 --ascii curve x
kill $writer
wait $writer
has "$out" "curve: 5 messages
* x                    now 7          min 7          max 7"
same "$(echo "$out" | tail -1 | tr -s ' ')" " -100 0 s"
expect 2 "$ACH" plot curve
expect 2 "$ACH" plot --once --count 3 curve x
expect 2 "$ACH" plot --window 0 curve x
expect 1 "$ACH" plot --no-wait absent x
expect 1 "$ACH" plot --once curve 'x['
expect 1 "$ACH" plot --once text x
"$ACH" rm curve

# Structs of interfaces in XDR
"$ACH" mk --type laser.data --encoding xdr laser
"$ACH" pub laser ranges=1,2 id=7
shown --field ranges --field id laser
same "$out" "[1, 2] 7"
"$ACH" mk --type no.such --encoding xdr unknown
expect 1 "$ACH" pub unknown
"$ACH" rm scan plain text laser unknown

finish
