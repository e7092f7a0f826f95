# SPDX-License-Identifier: BSD-3-Clause
"""Two threads with a period of 1 ms, one created and joined by the other; usage: LOG"""
import sys
import threading
import time


def loop(log, name):
    for i in range(15):
        time.sleep(0.001)
        log.write(f"{name} {i} {time.monotonic_ns()}\n")


with open(sys.argv[1], "w", encoding="utf-8") as file:
    thread = threading.Thread(target=loop, args=(file, "thread"))
    thread.start()
    loop(file, "main")
    thread.join()
    file.write(f"end {time.monotonic_ns()}\n")
