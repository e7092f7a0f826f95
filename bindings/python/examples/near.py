#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Drive until something is near: near.py [LASER [BASE]]

The addresses are laser:0 and position2d:0 by default, or robot.local:6665:laser:0 and so on.
"""
import sys

import ach

laser_address = sys.argv[1] if len(sys.argv) > 1 else "laser:0"
base_address = sys.argv[2] if len(sys.argv) > 2 else "position2d:0"
with ach.device(laser_address) as laser, ach.device(base_address) as base:
    size = laser.request("GET_GEOM").size
    print(f"the laser is {size.sl} m long and {size.sw} m wide")
    while (near := min(laser.get("SCAN", last=True).ranges)) > 1.0:
        base.command("VEL", px=0.3, state=1)
        print(f"{near:.2f} m", flush=True)
    base.command("VEL", px=0, state=1)
    base.flush()
    print(f"stopped at {near:.2f} m")
