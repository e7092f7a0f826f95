#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Publish a temperature ten times a second: publisher.py [COUNT]"""
import math
import sys

import ach

Temperature = ach.Type.from_text("demo/msg/Temperature", "float64 celsius\nstring place\n")

ach.create("temperature", type=Temperature, timestamps=True, exist_ok=True)
with ach.Channel("temperature", type=Temperature) as channel:
    for i, _ in enumerate(ach.Period(0.1)):
        if len(sys.argv) > 1 and i == int(sys.argv[1]):
            break
        channel.put({"celsius": 20 + 5 * math.sin(i / 10), "place": "kitchen"})
