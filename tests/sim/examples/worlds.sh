#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# worlds.sh SOURCE BUILD [ENGINE ...]
# The other worlds do what they are there for.
. "$(dirname "$0")/lib.sh"
shift 2
engines=" $* "

change two-robots
sim 0 two-robots
[ "$(echo "$out" | grep -c 'balance: balanced')" = 2 ] || fail 'two balance'

# A planner takes as long as it computes, and no cycle is late for it.
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
