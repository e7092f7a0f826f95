#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gen: which header comes of which definition, and which are refused. The bytes: tests/msg/gen.
. "$(dirname "$0")/lib.sh"
include=$2

"$ACH" help --verbs | grep -qx gen || {
    echo "skipped: this ach was built without devices"
    exit 77
}
need cc

mkdir -p "$tmp/demo/msg" "$tmp/base/msg" "$tmp/far/away/msg"
cat >"$tmp/demo/msg/LaserScan.msg" <<'END'
Header header
away/Far far
Near[] near
builtin_interfaces/Time stamp
END
printf 'float64 x' >"$tmp/demo/msg/Near.msg"
mkdir "$tmp/std_msgs" "$tmp/std_msgs/msg"
printf 'uint32 seq\ntime stamp\nstring frame_id\n' >"$tmp/std_msgs/msg/Header.msg"
printf 'int8 LIMIT=5\nNear near\nstring name\n' >"$tmp/far/away/msg/Far.msg"
printf 'int32 other\n' >"$tmp/far/away/msg/Near.msg"
ACH=$(realpath "$ACH")
cd "$tmp" || exit 99

# Definitions are found beside the file, in packages beside its own, and in directories of -I.
expect 1 "$ACH" gen demo/msg/LaserScan.msg
same "$err" "ach gen: demo/msg/LaserScan.msg: there is no file away/msg/Far.msg beside it, nor in a directory of --include"
same "$out" ""
expect 0 "$ACH" gen -I "$tmp/far" --full-names demo/msg/LaserScan.msg
has "$out" "struct demo_laser_scan {"
has "$out" "struct std_msgs_header header;"
has "$out" "struct away_far far;"
has "$out" "#define AWAY_FAR_LIMIT 5"
has "$out" '"demo/msg/LaserScan", "cdr", "ros2msg"'
# Both packages have a Near.
expect 1 "$ACH" gen -I "$tmp/far" demo/msg/LaserScan.msg
has "$err" "away/Near and demo/Near would both be called 'near' in C: use --full-names"

# mk gathers the same definitions.
"$ACH" mk --type demo/msg/LaserScan --schema demo/msg/LaserScan.msg --include far scan
expect 0 "$ACH" type show --raw scan
has "$out" "================================================================================
MSG: std_msgs/Header
uint32 seq"
has "$out" "MSG: away/Near"
# What mk does not find, it leaves out, with a warning.
expect 0 "$ACH" mk --type demo/msg/LaserScan --schema demo/msg/LaserScan.msg part
has "$err" "ach mk: warning: demo/msg/LaserScan.msg: there is no file away/msg/Far.msg"
"$ACH" rm scan part

# Headers that share inner messages, and headers that do not go together.
printf 'Near near\nint8 x\n' >demo/msg/One.msg
printf 'Near[] near\n' >demo/msg/Two.msg
"$ACH" gen --output one.h demo/msg/One.msg
"$ACH" gen --output two.h demo/msg/Two.msg demo/msg/Near.msg
"$ACH" gen --output away.h far/away/msg/Near.msg
compiles() {
    printf '#include "%s"\n' "$@" >both.c
    cc -x "$language" -std="$standard" -Wall -Wextra -pedantic -Werror -fsyntax-only -I"$include" both.c 2>&1
}
language=c standard=c11
expect 0 compiles one.h two.h one.h
expect 1 compiles one.h away.h
has "$out" "struct near: away/Near differs from another message of that name"
if command -v c++ >/dev/null; then
    language=c++ standard=c++17
    expect 0 compiles one.h two.h one.h
fi

# A package's own Header is used before that of std_msgs.
printf 'Header h\n' >demo/msg/Own.msg
expect 0 "$ACH" gen demo/msg/Own.msg
has "$out" "/* std_msgs/Header */"
printf 'int8 own\n' >demo/msg/Header.msg
expect 0 "$ACH" gen demo/msg/Own.msg
has "$out" "/* demo/Header */"

# Names
expect 0 "$ACH" gen --prefix my_ demo/msg/Near.msg
has "$out" "struct my_near {"
has "$out" "#define MY_NEAR_CDR_SIZE 8"
printf 'int8 default\nint8 a\n' >Char.msg
expect 0 "$ACH" gen Char.msg
has "$out" "struct char_ {"
has "$out" "int8_t default_;"
has "$out" " char_put("
has "$out" '"Char", "cdr"'
expect 0 "$ACH" gen --type robot/msg/UInt16ABCs Char.msg
has "$out" "struct u_int16_ab_cs {"
has "$out" '"robot/msg/UInt16ABCs", "cdr"'
for name in Timespec Timer Ach Tm; do
	expect 1 "$ACH" gen --type robot/msg/$name Char.msg
	has "$err" "$name would be called '$(echo $name | tr A-Z a-z)' in C"
	expect 0 "$ACH" gen --type robot/msg/$name --full-names Char.msg
done
expect 0 "$ACH" gen --type a/b/msg/Char --full-names Char.msg
has "$out" "struct a_b_char {"
# Keywords of C and C++, and common macros.
for word in EOF INT32_MAX LONG_WIDTH SIZE_MAX st_mtime \
    NULL alignas and asm auto bitor bool break case catch char char16_t class co_await compl \
    concept const const_cast consteval constexpr continue decltype default delete do double dynamic_cast \
    else enum errno explicit export extern false float for friend goto if inline int linux long mutable \
    namespace new noexcept not nullptr operator or or_eq private protected public register \
    reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast stderr \
    struct switch template this thread_local throw true try typedef typeid typename union unix unsigned \
    using virtual void volatile wchar_t while xor xor_eq; do
    echo "int8 $word"
done >Words.msg
"$ACH" gen --output words.h Words.msg
printf '#include <%s.h>\n' stdio errno stdbool limits sys/stat >std.h
language=c standard=gnu11
expect 0 compiles std.h words.h
if command -v c++ >/dev/null; then
    language=c++ standard=gnu++20
    expect 0 compiles std.h words.h
fi

# Refused
# refused TEXT WHY
refused() {
    printf '%b' "$1" >Bad.msg
    expect 1 "$ACH" gen --output bad.h Bad.msg
    has "$err" "ach gen: Bad.msg: $2"
    [ ! -e bad.h ] || fail "a header of '$1'"
}
refused 'wstring w\n' "line 1 of the definition: wstring is not supported: w"
refused 'int8\n' "line 1 of the definition: expected the name of a field after 'int8'"
refused 'Bad b\n' "the definition of Bad contains itself"
refused 'int8 default\nint8 default_\n' "Bad has two fields that are called 'default_' in C"
refused 'int8 A=1\nint8 A=1\n' "line 2 of the definition: two fields or constants are called 'A'"
refused 'int8 CDR_SIZE=1\n' "Bad: the constant CDR_SIZE has the name of a macro of ach gen"
refused 'int8 x\nuint8 A=256\n' "line 2 of the definition: the value of A must be a number from 0 to 255, found '256'"
refused 'int8 A=-129\n' "line 1 of the definition: the value of A must be a number from -128 to 127, found '-129'"
refused 'uint8 A=--1\n' "line 1"
refused 'uint8 A=1 2\n' "line 1"
refused 'uint64 A=18446744073709551616\n' "line 1"
refused 'bool A=2\n' "line 1 of the definition: the value of A must be true or false, found '2'"
refused 'float32 A=1e39\n' "line 1 of the definition: the value of A must be a finite number, found '1e39'"
refused 'float64 A=x\n' "line 1"
refused 'Other A=1\n' "line 1 of the definition: A is a Other, which cannot have a value, found '1'"
refused 'Missing m\n' "there is no file Missing.msg beside it"
expect 1 "$ACH" gen absent.msg
has "$err" "ach gen: cannot read the schema absent.msg: No such file or directory"
expect 1 "$ACH" gen --output nowhere/x.h Char.msg
has "$err" "ach gen: cannot write nowhere/x.h"
# As /dev/full; takes root, and a file system with devices.
if mknod full c 1 7 2>/dev/null && head -c 1 full >/dev/null 2>&1; then
    expect 1 "$ACH" gen --output full Char.msg
    has "$err" "ach gen: cannot write full: No space left on device"
    [ -c full ] || fail "a device was removed"
fi
expect 2 "$ACH" gen
expect 2 "$ACH" gen Char.txt
has "$err" "Char.txt: a definition's name ends in .msg"
expect 2 "$ACH" gen --prefix 1 Char.msg
expect 2 "$ACH" gen --prefix a-b Char.msg
expect 2 "$ACH" gen --type a/msg/B Char.msg Char.msg
finish
