# SPDX-License-Identifier: BSD-3-Clause
"""An ordinary script with sleeps, clocks, events and threads, without any code for simulation."""
import os
import select
import sys
import threading
import time

# Tolerance for the CPU time of the interpreter, in seconds.
SLACK = float(sys.argv[1]) * int(os.environ.get("ACH_TEST_TIME", 1))
failures = 0


def takes(seconds, what, call):
    global failures
    start = time.monotonic()
    result = call()
    took = time.monotonic() - start
    if abs(took - seconds) > SLACK + 1e-6:
        print(f"{what} took {took:.6f} s, not {seconds}", file=sys.stderr)
        failures += 1
    return result


def loop():
    next_time = time.monotonic()
    for _ in range(200):
        next_time += 0.01
        time.sleep(max(0, next_time - time.monotonic()))


def later(event):
    time.sleep(0.5)
    event.set()


event = threading.Event()
read_end, write_end = os.pipe()
wall = time.time()
takes(2, "a loop", loop)
takes(0.25, "an event that does not come", lambda: event.wait(0.25))
thread = threading.Thread(target=later, args=(event,))
thread.start()
if not takes(0.5, "an event", lambda: event.wait(10)):
    failures += 1
takes(0, "joining", thread.join)
takes(0.3, "select", lambda: select.select([read_end], [], [], 0.3))
condition = threading.Condition()
with condition:
    takes(0.125, "a condition", lambda: condition.wait(0.125))
if not 3.17 <= time.time() - wall <= 3.18 + 10 * SLACK or int(wall) != 1000000000:
    print(f"the wall clock went from {wall} to {time.time()}", file=sys.stderr)
    failures += 1
sys.exit(1 if failures else 0)
