#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Wrong usage has status 2, a failure 1; both print an error message and leave nothing behind.
. "$(dirname "$0")/lib.sh"
tools=$(dirname "$ACH")/../tools

long=$(printf '%064d' 0)
longest=$(printf '%063d' 0)

# Names
for name in '' .hidden 'a b' a/b ../x "$long" 'ä' 'a*'; do
    for verb in mk rm file info put get echo hz bw dump; do
        expect 1 "$ACH" $verb -- "$name" </dev/null
        has "$err" "ach $verb: "
        has "$err" "name"
    done
    expect 1 "$ACH" chmod 666 -- "$name"
done
expect 0 "$ACH" mk "$longest"
expect 0 "$ACH" rm "$longest"

# Missing, surplus and unknown words
expect 2 "$ACH"
has "$err" "a verb is missing"
expect 2 "$ACH" frobnicate
has "$err" "there is no verb 'frobnicate'"
expect 2 "$ACH" help frobnicate
for words in --frob '-1 --frob' '-t mk --frob x' --frob=1; do
    # shellcheck disable=SC2086
    expect 2 "$ACH" $words
    has "$err" "ach: there is no option '--frob"
    has "$err" "Try 'ach help'."
    hasnt "$err" "invalid"
done
expect 2 "$ACH" -Q
has "$err" "ach: there is no option '-Q'"
expect 2 "$ACH" -C
has "$err" "ach: the option -C needs a value"
for verb in mk rm chmod file dump info put get echo hz bw; do
    expect 2 "$ACH" $verb
    has "$err" "ach $verb: "
    has "$err" "Try 'ach $verb --help'."
done
for verb in dump info get echo hz bw; do
    expect 2 "$ACH" $verb a b
done
expect 2 "$ACH" doctor now
expect 2 "$ACH" bench now
expect 2 "$ACH" chmod 666
for verb in mk rm chmod file dump ls info put get echo hz bw watch bench doctor help; do
    expect 2 "$ACH" $verb --frobnicate
    has "$err" "ach $verb: unrecognized option '--frobnicate'"
    hasnt "$err" "did you mean"
    expect 2 "$ACH" $verb --hellp
    has "$err" "ach $verb: did you mean '--help'?
Try 'ach $verb --help'."
done
for words in 'ls --jsn/json' 'mk --timestmaps/timestamps' 'get --timout=3/timeout' \
    'replay --jsn/json' 'bench --roundz/rounds' 'serve --simulatd/simulated' \
    'dev:print --cont/count' 'sim --duraton/duration'; do
    verb=${words%% *}
    "$ACH" help --verbs | grep -qx "${verb%:*}" || continue
    option=${words#* }
    # shellcheck disable=SC2046
    expect 2 "$ACH" $(echo "$verb" | tr : ' ') "${option%/*}"
    has "$err" "ach $(echo "$verb" | tr : ' '): did you mean '--${option#*/}'?"
done
expect 2 "$tools/achcat" --lats x
has "$err" "achcat: did you mean '--last'?"
expect 2 "$ACH" --vresion
has "$err" "ach: there is no option '--vresion'; did you mean '--version'?"
# Two letters that were swapped count as one mistake, also in a short word.
expect 2 "$ACH" sl
has "$err" "did you mean 'ls'?"
# getopt itself has reported these.
expect 2 "$ACH" mk --t x
hasnt "$err" "did you mean"
expect 2 "$ACH" ls --json=3
hasnt "$err" "did you mean"

# Numbers
for number in -1 1x x '' ' 1' 0x10 1.5 +1 1e 1e3K 1e30 99999999999999999999999 18446744073709551616 1T 1KK; do
    expect 2 "$ACH" mk -m "$number" bad
    expect 2 "$ACH" mk -n "$number" bad
    expect 2 "$ACH" get --count "$number" bad
    expect 2 "$ACH" echo --count "$number" bad
    has "$err" "cannot be '$number'"
done
# A number that is too large is reported as such.
for number in 99999999999G 99999999999999999999999 18446744073709551616; do
    expect 2 "$ACH" mk -n "$number" bad
    has "$err" "the size cannot be '$number', which is too large: give a number from 1 on"
done
for verb in "get --count" "echo --count" "hz --count" "watch --count"; do
    # shellcheck disable=SC2086
    expect 2 "$ACH" $verb 18446744073709551616 bad
    has "$err" "which is too large: give a number from 1 on"
    # shellcheck disable=SC2086
    expect 2 "$ACH" $verb 99999999999999999999999x bad
    hasnt "$err" "too large"
done
expect 2 "$ACH" get --timeout 99999999999 bad
has "$err" "which is too large: give more than 0 seconds, at most a year"
expect 2 "$ACH" chmod 1000 bad
has "$err" "which is too large: give octal digits up to 777"
expect 2 "$ACH" replay --loop 18446744073709551616 bad
has "$err" "the number of loops '18446744073709551616' is too large"
for number in 0 1K1 ''; do
    expect 2 "$ACH" get --count "$number" bad
    hasnt "$err" "too large"
done
for number in 0 -1 x '' inf nan 1e99 0x1 99999999999999 . 1s; do
    expect 2 "$ACH" ls --interval "$number"
    expect 2 "$ACH" get --timeout "$number" bad
    expect 2 "$ACH" hz --interval "$number" bad
    expect 2 "$ACH" watch --once --interval "$number"
done
for mode in 8 1000 x -1 '' 7777 u+r 99999999999999999999; do
    expect 2 "$ACH" mk -o "$mode" bad
    expect 2 "$ACH" chmod -- "$mode" bad
done
expect 2 "$ACH" mk --clock sundial bad
has "$err" "give monotonic"
expect 2 "$ACH" mk -m 0 bad
expect 2 "$ACH" mk -n 0 bad
expect 1 "$ACH" mk -m 18446744073709551615 -n 18446744073709551615 bad
expect 1 "$ACH" mk -m 1 -n 9223372036854775807 bad
expect 1 "$ACH" mk -m 1024 -n 1024G bad
has "$err" "ach mk: "

# Options that do not go together
expect 2 "$ACH" mk -t -1 bad
has "$err" "ach mk: --truncate and --exist-ok do not go together"
expect 2 "$ACH" put --line --null bad
expect 2 "$ACH" put --line bad text
expect 2 "$ACH" put --file x bad text
expect 2 "$ACH" put --hex --length-prefix bad
expect 2 "$ACH" get --line --hex bad
expect 2 "$ACH" get --all --count 3 bad
expect 2 "$ACH" get --all --copy bad
expect 2 "$ACH" get --all --last bad
has "$err" "ach get: --all and --last do not go together"
expect 2 "$ACH" get --all --new bad
has "$err" "ach get: --all and --new go together only with --wait or --timeout"
expect 2 "$ACH" echo --text --hex bad
has "$err" "ach echo: --text and --hex do not go together"
expect 2 "$ACH" echo --hex --text bad
expect 2 "$ACH" echo --all --last bad
has "$err" "ach echo: --all and --last do not go together"

expect 2 "$ACH" ls --names --json
has "$err" "ach ls: --names and --json do not go together"
expect 2 "$ACH" ls --no-rate --interval 3
has "$err" "ach ls: --interval and --no-rate do not go together"

# No such channel
for verb in rm dump info put get echo hz bw; do
    case $verb in echo | hz | bw) now=--no-wait ;; *) now= ;; esac
    # shellcheck disable=SC2086
    expect 1 "$ACH" $verb $now nothing </dev/null
    has "$err" "ach $verb: there is no channel 'nothing'"
    [ $verb = rm ] || has "$err" "; 'ach mk nothing' creates it"
done
expect 1 "$ACH" chmod 600 nothing
# A similar name is suggested.
"$ACH" mk temperature
for verb in rm dump info put get 'echo --no-wait' 'chmod 600'; do
    # shellcheck disable=SC2086
    expect 1 "$ACH" $verb tempratur </dev/null
    has "$err" "; did you mean 'temperature'?"
done
expect 1 "$tools/achcat" tempratur
has "$err" "'ach mk tempratur' creates it; did you mean 'temperature'?"
expect 0 "$ACH" rm --force tempratur
same "$err" ""
"$ACH" rm temperature

# A directory that is not there
dir=$ACH_DIR
ACH_DIR=$dir/missing
expect 1 "$ACH" mk bad
expect 1 "$ACH" ls
has "$err" "ach ls: cannot list"
expect 1 "$ACH" watch --once
# No verb waits for a channel there.
for verb in echo hz bw 'get --wait' 'get --timeout 100' rm dump info put get 'echo --no-wait' \
    'chmod 600'; do
    # shellcheck disable=SC2086
    expect 1 timeout $((30 * ${ACH_TEST_TIME:-1})) "$ACH" $verb x </dev/null
    has "$err" ": the directory of the channels is missing: $dir/missing"
    hasnt "$err" "waiting"
done
expect 1 "$tools/achcat" x
has "$err" "achcat: the directory of the channels is missing: $dir/missing"
expect 1 "$ACH" doctor
has "$out" "problem   directory"
ACH_DIR=$dir

expect 0 "$ACH" ls --names
same "$out" ""
finish
