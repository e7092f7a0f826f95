#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# worlds.sh SOURCE BUILD [ENGINE ...]
# The other example worlds run and show what they are made to show.
. "$(dirname "$0")/lib.sh"
shift 2
engines=" $* "

change two-robots
sim 0 two-robots
[ "$(echo "$out" | grep -c 'balance: balanced')" = 2 ] || fail 'two balance'

# A plan takes the time that is computed for it, and does not delay the other controller.
change planner
sim 0 planner
has 'balance: balanced'
check 'a plan takes 50 ms' "$(number 'plans in .*, \([0-9.]*\) ms each') >= 50"
check 'a plan takes 50 ms' "$(number 'plans in .*, \([0-9.]*\) ms each') < 55"
check 'plans follow each other' "$(number 'planner: \([0-9]*\) plans in') > 65"

change rooms "s|\\.\\./device|$source/examples/device|; s|rooms\\.log|$tmp/rooms.log|"
sim 0 rooms
has '0 contacts'

case $engines in
    *' ode '*)
        change wheels
        sim 0 wheels
        has 'square: 4 corners' ;;
    *) echo 'without ODE: no wheels' ;;
esac
finish
