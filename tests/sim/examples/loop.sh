#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loop.sh SOURCE BUILD PYTHON
# A Python script keeps its rate by the world's clock, however slow or fast the world is.
. "$(dirname "$0")/lib.sh"
python=$3
[ -x "$python" ] || { echo 'there is no python3'; exit 77; }

# at SLOW PERIODS [OPTION ...]: run with physics that takes SLOW seconds of wall time per second
at() {
    slow=$1
    periods=$2
    seconds=$(awk "BEGIN { print $periods / 100 }")
    shift 2
    change loop "s/slow 0 /slow $slow /
        s|\"loop.py\" \"100\" \"2\"|\"$python\" \"-S\" \"-E\" \"$worlds/loop.py\" \"100\" \"$seconds\"|
        s/\"--seconds\" \"3\"/\"--seconds\" \"$seconds\"/"
    sim 0 loop "$@"
    has "loop.py: $periods periods"
    median=$(number 'the median \([0-9.]*\) ms')
    factor=$(number 'real-time factor \([0-9.e+-]*\),')
    check 'the speed is what it is limited to' "$factor < $limit"
}

# A period differs from 10 ms only by the CPU time that the script used after it woke up.
for limit in 0.02 0.2 2 5.5; do
    case $limit in
        0.02) at 100 10 ;;
        0.2) at 10 30 ;;
        2) at 1 100 ;;
        5.5) at 0 500 --speed 5 ;;
    esac
    check 'the rate is kept' "$median > 9.9 && $median < 10.1"
done

# With declared costs the period is exact.
for limit in 0.02 5.5; do
    case $limit in
        0.02) at 100 10 --model declared ;;
        5.5) at 0 500 --model declared --speed 5 ;;
    esac
    check 'the rate is exact' "$median == 10"
    has 'at most 0 us late'
done
finish
