#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A controller at 100 Hz: keeps the joint of an arm at an angle. controller.py [ANGLE [SECONDS]]

On a robot, or unchanged in a simulation on its virtual time:

    ach sim controller.cfg
"""
import sys

import ach

RATE = 100  # Hz
KP, KD = 1.5, 0.15

target = float(sys.argv[1]) if len(sys.argv) > 1 else 0.5
steps = int(float(sys.argv[2]) * RATE) if len(sys.argv) > 2 else 10 * RATE
with ach.device("actarray:0") as arm:
    missed = 0
    for _, late in zip(range(steps), ach.Period(1 / RATE)):
        missed += late
        joint = arm.get("STATE", last=True).actuators[0]
        torque = KP * (target - joint.position) - KD * joint.speed
        arm.command("CURRENT", joint=0, current=torque)
    print(f"{steps} periods, {missed} missed, angle {joint.position:.3f}", flush=True)
