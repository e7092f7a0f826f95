#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""In a simulation, a replay follows the simulation's clock: an hour of recording in no time.

sim.py ACH
"""
import os
import re
import sys

import recording as r

ACH = os.path.realpath(sys.argv[1])
COUNT = 37

r.enter()
m = r.Mcap()
m.channel(1, "plain", metadata=r.geometry("plain"))
for i in range(COUNT):
    m.message(1, r.START + i * 100 * r.SECOND, b"hello %d" % i, i + 1)
r.write("hour.mcap", m.end())
r.write("world.cfg", b"""
world (name "replayed")
physics (name "arm" engine "pendulum" mass 0.2 length 0.3 radius 0.03 step 0.1)
driver (name "sim_joints" provides ["actarray:0"] rate 1)
controller (name "replay" command ["%s" "replay" "--create" "--statistics" "hour.mcap"])
""" % ACH.encode())
# The test's time limit is much less than an hour.
r.run(ACH, "sim", "--quiet", "--no-realtime", "world.cfg",
      said=["%d messages played in 3600.0" % COUNT, "of %d messages" % COUNT])
r.same([int(x["text"].split()[1]) for x in r.channel_take(ACH, "plain", COUNT)], list(range(COUNT)), "messages")
r.finish()
