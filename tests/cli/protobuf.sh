#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Messages in Protocol Buffers. protoc is the other side: it encodes what echo decodes, and decodes
# what pub encodes.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
need protoc

protoc -I"$here" --include_imports --descriptor_set_out="$tmp/all.desc" \
    "$here/everything.proto" || exit 99
protoc -I"$here" --descriptor_set_out="$tmp/old.desc" "$here/old.proto" || exit 99
"$ACH" mk --size 4K --type demo.test.Everything --schema "$tmp/all.desc" all
"$ACH" mk --type Old --schema "$tmp/old.desc" old
expect 0 "$ACH" type ls
has "$out" "all      demo.test.Everything  protobuf  protobuf"

# encoded TYPE FILE CHANNEL: put what protoc encodes from the text in standard input
encoded() {
    protoc -I"$here" --encode="$1" "$here/$2" >"$tmp/message" || fail "protoc --encode=$1"
    "$ACH" put --file "$tmp/message" "$3"
}

# decoded TYPE FILE CHANNEL: what protoc decodes of the newest message
decoded() {
    "$ACH" get --raw --last "$3" | protoc -I"$here" --decode="$1" "$here/$2"
}

shown() {
    expect 0 "$ACH" echo --last --count 1 "$@"
}

cat >"$tmp/all.txt" <<'END_OF_TEXT'
d: -0.5
f: 1.5
i32: -3
i64: -9223372036854775808
u32: 4294967295
u64: 18446744073709551615
s32: -5
s64: -9223372036854775808
f32: 7
f64: 8
sf32: -9
sf64: -10
b: true
text: "a\"b\033"
raw: "\001\002\377"
mode: BACK
level: HIGH
at { x: 1 y: 2.5 }
inner { name: "n" points { x: 3 } points { y: 4 } again { i32: 8 } }
packed: [1, -2, 3]
unpacked: [4, 5]
reals: [0.25, -1]
flags: [true, false]
names: ["p", "q,r"]
modes: [DRIVE, IDLE, BACK]
points { x: 5 }
points { }
counts { key: "one" value: 1 }
counts { key: "two" value: 2 }
places { key: -7 value { x: 9 } }
places { key: 3 }
choices { key: true value: DRIVE }
point { x: 6 }
stamp { seconds: 12 nanos: 34 }
four: [1, 2]
signs: [-1, 1]
floats: [0.1]
END_OF_TEXT
encoded demo.test.Everything everything.proto all <"$tmp/all.txt"
shown --json all
has "$out" '"message": {"d": -0.5, "f": 1.5, "i32": -3, "i64": -9223372036854775808, "u32": 4294967295, '\
'"u64": 18446744073709551615, "s32": -5, "s64": -9223372036854775808, "f32": 7, "f64": 8, "sf32": -9, "sf64": -10, '\
'"b": true, "text": "a\"b\u001b", "raw": "AQL/", "mode": "BACK", "level": "HIGH", "at": {"x": 1, "y": 2.5}, '\
'"inner": {"name": "n", "points": [{"x": 3, "y": 0}, {"x": 0, "y": 4}], "again": {"d": 0, '
has "$out" '"packed": [1, -2, 3], "unpacked": [4, 5], "reals": [0.25, -1], "flags": [true, false], '\
'"names": ["p", "q,r"], "modes": ["DRIVE", "IDLE", "BACK"], "points": [{"x": 5, "y": 0}, {"x": 0, "y": 0}], '\
'"counts": {"one": 1, "two": 2}, "places": {"-7": {"x": 9, "y": 0}, "3": {"x": 0, "y": 0}}, '\
'"choices": {"true": "DRIVE"}, "point": {"x": 6, "y": 0}, "stamp": {"seconds": 12, "nanos": 34}, "four": [1, 2], '\
'"signs": [-1, 1], "floats": [0.1]}}'
shown --field inner.points[1].y --field counts.two --field modes --field maybe --field places.-7.x all
same "$out" '4 2 ["DRIVE", "IDLE", "BACK"] null 9'
shown --yaml --field inner.points all
same "$out" "- x: 3
  y: 0
- x: 0
  y: 4
---"
shown all
has "$out" "
  raw      [3 bytes] 01 02 ff
  mode     BACK
  level    HIGH
  at       x=1 y=2.5"
shown --csv --field at --field mode --field packed --field word all
same "$out" 'time,sequence,at,mode,packed,word
,1,"{""x"": 1, ""y"": 2.5}",BACK,"[1, -2, 3]",'

# What pub encodes from this JSON, protoc decodes to the same text.
shown --json all
printf '%s\n' "$out" | sed 's/.*"message": //; s/}$//' >"$tmp/all.json"
decoded demo.test.Everything everything.proto all >"$tmp/first"
expect 0 "$ACH" pub --json "$(cat "$tmp/all.json")" all
decoded demo.test.Everything everything.proto all >"$tmp/second"
# pub also puts the fields of "again" that are 0: they have no presence, so protoc omits neither.
grep -q 'again' "$tmp/first" || fail "protoc decoded nothing"
sed '/again {/,/^  }/d' "$tmp/first" >"$tmp/first.rest"
sed '/again {/,/^  }/d' "$tmp/second" >"$tmp/second.rest"
cmp -s "$tmp/first.rest" "$tmp/second.rest" || fail "pub differs: $(diff "$tmp/first.rest" "$tmp/second.rest")"
shown --json all
same "$(printf '%s\n' "$out" | sed 's/.*"message": //; s/}$//')" "$(cat "$tmp/all.json")"

# Words
expect 0 "$ACH" pub all d=0.5 text=12 raw=AQL/ mode=DRIVE level=5 at.x=1 'points[1].y=2' names=a,b modes=BACK,1 \
    counts.k=3 'places={"4": {"x": 1}}' packed=1,2 reals= 'inner={"name": "z"}' word= b=true \
    inner.again.inner.name=deep
decoded demo.test.Everything everything.proto all >"$tmp/words"
same "$(cat "$tmp/words")" 'd: 0.5
b: true
text: "12"
raw: "\001\002\377"
mode: DRIVE
level: HIGH
at {
  x: 1
}
inner {
  again {
    inner {
      name: "deep"
    }
  }
}
packed: 1
packed: 2
names: "a"
names: "b"
modes: BACK
modes: DRIVE
points {
}
points {
  y: 2
}
counts {
  key: "k"
  value: 3
}
places {
  key: 4
  value {
    x: 1
  }
}
word: ""'
for word in nothing=1 i32=2147483648 i32=1.5 u32=-1 b=2 mode=FAST d=x raw=? at=1 'packed={}' packed=1,,2 \
    counts=1 at.z=1 'points[0].z=1' 'text[0]=1' 'choices={"maybe": 0}' 'inner.again.nothing=1' 'inner={"x": 1}'; do
    expect 1 "$ACH" pub all "$word"
done
expect 1 "$ACH" pub all at.z=1
same "$err" "ach pub: at has no field 'z'; it has: x, y"
expect 1 "$ACH" pub all mode=FAST
same "$err" "ach pub: mode: expected a constant of its enumeration, found 'FAST'"
expect 1 "$ACH" pub all f=1e300
same "$err" "ach pub: f: expected a number that fits float, found '1e300'"
expect 1 "$ACH" pub --json '{"d": -1e400}' all
same "$err" "ach pub: d: expected a number that fits double, found '-1e400'"
expect 1 "$ACH" pub all
same "$err" "ach pub: all: the message has no bytes, and a channel has no empty messages"
expect 1 "$ACH" pub --json '{"i32": "x"}' all
expect 1 "$ACH" pub --json '[]' all

# Fields that come twice, in any order, or unknown; the last of a oneof counts.
# i32=1, i32=2, number=1, word="a", unknown 9999=1, at.x=1 and at.y=1 in two parts
"$ACH" put --hex all 18011802f00101fa010161f8f00401920109090000000000000f40920105150000803f
shown --field i32 --field number --field word --field at all
same "$out" '2 null "a" {"x": 3.875, "y": 1}'
# Damaged messages are reported, and the next one is printed.
for hex in 08 09 0900 7a05 9201050900 ff a301 1801a401 $(printf '9a01%02x%s' 3 1a01ff); do
    "$ACH" put --hex all "$hex"
    expect 0 "$ACH" echo --last --count 1 --field d all
    same "$out" ""
    has "$err" "a message of 'all' is not of the channel's type: demo.test."
done
# Nesting is limited: inner.again.inner.again ...
deep=$("$here/nested" 40)
"$ACH" put --hex all "$deep"
expect 0 "$ACH" echo --last --count 1 --field d all
has "$err" "nested more than"

# Version 2 of the language, with presence and groups
encoded Old old.proto old <<'END_OF_TEXT'
id: 0
list: [1, 2]
packed: [3, 4]
Part { n: 5 Deep { b: true } Deep { } }
END_OF_TEXT
shown --json old
has "$out" '"message": {"id": 0, "list": [1, 2], "packed": [3, 4], "part": {"n": 5, "deep": [{"b": true}, {}]}}'
expect 0 "$ACH" pub old id=1 list=1,2 packed=3,4 part.n=5 'part.deep[0].b=true'
same "$(decoded Old old.proto old)" 'id: 1
list: 1
list: 2
packed: 3
packed: 4
Part {
  n: 5
  Deep {
    b: true
  }
}'

# Fields for completion: a type within itself ends the list.
expect 0 "$ACH" type fields all
has "$out" "inner.points[0].x"
has "$out" "
stamp.nanos"
has "$out" "
inner.again
"

# Schemas that cannot be used
head -c 100 "$tmp/all.desc" >"$tmp/cut.desc"
"$ACH" mk --type demo.test.Everything --schema "$tmp/cut.desc" cut
expect 1 "$ACH" pub cut d=1
has "$err" "cannot decode the messages of 'cut': the schema is not a descriptor set of protoc"
expect 0 "$ACH" mk --type demo.test.Nothing --schema "$tmp/all.desc" nothing
same "$err" "ach mk: warning: messages of type 'demo.test.Nothing' will not be decoded: the schema has no message \
'demo.test.Nothing'"
expect 1 "$ACH" pub nothing d=1
same "$err" "ach pub: cannot decode the messages of 'nothing': the schema has no message 'demo.test.Nothing'"
protoc -I"$here" --descriptor_set_out="$tmp/alone.desc" "$here/everything.proto"
"$ACH" mk --type demo.test.Everything --schema "$tmp/alone.desc" alone
expect 1 "$ACH" pub alone d=1
has "$err" "the schema lacks the type of the field 'stamp'; run protoc with --include_imports"
"$ACH" rm all old cut nothing alone

finish
