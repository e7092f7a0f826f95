#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# killed.sh REFEREE LOOP: a simulation whose coordinator is killed leaves nothing behind
"$1" -m free -s 1 -- "$2" 100000000 &
referee=$!
i=0
until [ -n "$(find "$ACH_DIR" -name '*.go.*')" ]; do
    i=$((i + 1))
    [ $i -lt 200 ] || { echo "the controller did not come"; exit 1; }
    sleep 0.05
done
kill -KILL $referee
wait $referee
# The test runner itself checks for leftover channels and processes.
i=0
while [ -n "$(ls -A "$ACH_DIR")" ]; do
    i=$((i + 1))
    [ $i -lt 400 ] || { echo "left: $(ls -A "$ACH_DIR")"; exit 1; }
    sleep 0.05
done
