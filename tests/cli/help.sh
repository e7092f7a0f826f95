#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every verb has help with examples and a manual page, and both list all its options.
. "$(dirname "$0")/lib.sh"
man=$2
version=$3

expect 0 "$ACH" --version
same "$out" "ach $version"
expect 0 "$ACH" -V
same "$out" "ach $version"
for way in help --help -h '-?'; do
    expect 0 "$ACH" "$way"
    has "$out" "Usage: ach VERB"
    has "$out" "  mk       create channels"
done
# The groups of verbs.
"$ACH" help --verbs | grep -qx dev && devices="Devices and simulation: " || devices=
same "$(echo "$out" | sed -n '/^[A-Z].*:$/p' | tr '\n' ' ')" "Create and remove channels: \
Look at channels: Put and get messages: Other machines: ${devices}This machine: Examples: "
has "$out" "

Look at channels:
  ls "
expect 0 "$ACH" help --verbs
verbs=$out
for verb in mk rm chmod file dump ls info put get echo hz bw watch bench doctor help search adv hide; do
    has " $(echo $verbs) " " $verb "
done

for verb in $verbs; do
    expect 0 "$ACH" "$verb" --help
    help=$out
    same "$err" ""
    has "$help" "Usage: ach $verb"
    has "$help" "Examples:"
    expect 0 "$ACH" help "$verb"
    same "$out" "$help"
    expect 0 "$ACH" "$verb" -h
    same "$out" "$help"
    page=$man/ach-$verb.1
    case $verb in adv | hide) page=$man/ach-search.1 ;; esac
    if [ ! -s "$page" ]; then
        fail "there is no manual page for $verb"
        continue
    fi
    grep -q '^\.Sh EXAMPLES' "$page" || fail "$page has no examples"
    grep -q "^.Nm ach-$verb" "$page" || fail "$page does not name $verb"
    for option in $(echo "$help" | sed -n 's/^ \{2,\}\(-., \)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p'); do
        [ "$option" = --help ] && continue
        grep -q -e "-${option#--}" "$page" || fail "$page does not know $option"
    done
done
# Only mk has a default place; the others find out where the channel is.
for verb in rm chmod file dump; do
    expect 0 "$ACH" $verb --help
    has "$out" "only in shared memory"
    hasnt "$out" "(default)"
done
for alias in create make unlink remove; do
    expect 0 "$ACH" $alias --help
done
# -h works after other options, too, but not after --.
for words in 'ls --json -h' 'get -w c -h' 'mk -m 3 -h' 'doctor -j -h' 'replay --info -h'; do
    # shellcheck disable=SC2086
    expect 0 "$ACH" $words
    has "$out" "Usage: ach ${words%% *}"
done
expect 1 "$ACH" info -- -h
expect 0 "$ACH" put --help chan
has "$out" "Usage: ach put"
"$ACH" mk c
expect 0 "$ACH" put c -- --help
expect 0 "$ACH" get c
same "$out" "--help"
"$ACH" rm c
# The manual's example that removes all channels works for any names.
"$ACH" mk -- c -v --help
example=$(grep 'xargs.*ach rm' "$man/ach-ls.1")
PATH=$(dirname "$ACH"):$PATH sh -c "$example" >/dev/null
expect 0 "$ACH" ls --names
same "$out" ""
[ -s "$man/ach.1" ] || fail "there is no ach.1"
for verb in $verbs; do
    case $verb in adv | hide) continue ;; esac # ach-search.1 describes them
    grep -q "^.Xr ach-$verb 1" "$man/ach.1" || fail "ach.1 does not refer to $verb"
done

# mandoc, if installed, finds no fault in the pages.
if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$man"/ach.1 "$man"/ach-*.1 >"$tmp/lint" 2>&1
    [ -s "$tmp/lint" ] && fail "$(cat "$tmp/lint")"
fi
finish
