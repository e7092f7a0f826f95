#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A plain loop that keeps a rate, with the clock and the sleep of the standard library.

usage: loop.py [RATE [SECONDS]]

It prints the rate that it kept by its own clock. Under `ach sim` that is the simulation's clock.
"""
import sys
import time

rate = float(sys.argv[1]) if len(sys.argv) > 1 else 100.0
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 2.0
period = 1 / rate
times = []

begin = time.monotonic()
for i in range(int(rate * seconds) + 1):
    ahead = begin + i * period - time.monotonic()
    if ahead > 0:
        time.sleep(ahead)
    times.append(time.monotonic())

took = times[-1] - times[0]
late = max(t - begin - i * period for i, t in enumerate(times))
middle = sorted(b - a for a, b in zip(times, times[1:]))[len(times) // 2]
print(f"loop.py: {len(times) - 1} periods in {took:.6f} s, the median {middle * 1e3:.6f} ms; "
      f"at most {late * 1e6:.0f} us late", flush=True)
