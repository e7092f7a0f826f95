#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ended.sh REFEREE LOOP: controllers end with the simulation, as if by SIGTERM
"$1" -m free -e 50000000 -- "$2" 100000000 -- "$2" 100000000
status=$?
[ $status = 143 ] || { echo "exit status $status, not 143"; exit 1; }
