#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# balance.sh SOURCE BUILD WORLD [INTEGRATOR]
# A controller whose delay margin is between 1 and 2 ms balances with 0.5 ms of computation and
# falls with 2 ms, except in a simulator that stands still while the controller computes.
. "$(dirname "$0")/lib.sh"
name=$3
integrator=${4:-rk4}

out=$(balance --margin)
echo "$out"
margin=$(number 'delay margin \([0-9.]*\) ms')
check 'the margin is between 1 and 2 ms' "$margin > 1 && $margin < 2"

with() {
    change "$name" "s/integrator \"rk4\"/integrator \"$integrator\"/
        s/\\[\"balance\"\\]/[\"balance\" \"--seconds\" \"2.5\" \"--busy\" \"$1\"]/"
}
with 0.0005
sim 0 "$name"
has 'balance: balanced since'
cpu=$(number 'cpu \([0-9.]*\) s')
check 'half a millisecond is computed in each cycle' "$cpu > 1.15"

with 0.002
sim 1 "$name"
has 'balance: fell'
has 'controller balance has ended: exit status 3'
sim 0 "$name" --callback
has 'balance: balanced since'
has '2500 cycles, 0 missed'
finish
