#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loop.sh SOURCE BUILD PYTHON
# A Python script keeps its rate by the world's clock, however slow or fast the world is.
. "$(dirname "$0")/lib.sh"
python=$3
[ -x "$python" ] || { echo 'there is no python3'; exit 77; }

# at SLOW PERIODS OPTION ...: with physics that takes so many seconds for one
at() {
    slow=$1
    periods=$2
    seconds=$(awk "BEGIN { print $periods / 100 }")
    shift 2
    change loop "s/slow 0 /slow $slow /
        s|\"loop.py\" \"100\" \"2\"|\"$python\" \"-S\" \"-E\" \"$worlds/loop.py\" \"100\" \"$seconds\"|
        s/\"--seconds\" \"3\"/\"--seconds\" \"$seconds\"/"
    sim 0 loop "$@"
    rate=$(number '[0-9] s: \([0-9.]*\) Hz')
    factor=$(number 'real-time factor \([0-9.e+-]*\),')
    has "loop.py: $periods periods"
    check 'the rate is kept' "$rate > 99.9 && $rate < 100.1"
    check 'the speed is what it is limited to' "$factor < $limit"
}
limit=0.011 at 100 10
limit=0.11 at 10 50
limit=1.1 at 1 100
limit=5.5 at 0 1000 --speed 5
finish
