# SPDX-License-Identifier: BSD-3-Clause
"""Timed waits of Python: each takes the requested time, by the clocks that the program reads.

usage: waits.py SLACK: milliseconds by which a wait may be longer
"""
import os
import queue
import select
import signal
import socket
import subprocess
import sys
import threading
import time


SLACK = float(sys.argv[1]) * 1e-3


def takes(what, seconds, call, slack=0.0):
    begin = time.monotonic()
    call()
    took = time.monotonic() - begin
    if not seconds - 1e-9 <= took <= seconds + slack + SLACK + 1e-9:
        sys.exit(f"{what} took {took} s")


def ignore(call, error):
    try:
        call()
    except error:
        pass


takes("sleep", 5, lambda: time.sleep(5))
takes("Event", 5, lambda: threading.Event().wait(5))
takes("Queue", 5, lambda: ignore(lambda: queue.Queue().get(timeout=5), queue.Empty))
takes("Lock", 5, lambda: [lock := threading.Lock(), lock.acquire(), lock.acquire(timeout=5)])
signal.signal(signal.SIGALRM, lambda *_: None)
takes("pause", 2.5, lambda: [signal.setitimer(signal.ITIMER_REAL, 2.5), signal.pause()])
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
takes("sigtimedwait", 5, lambda: signal.sigtimedwait([signal.SIGUSR1], 5))
a, b = socket.socketpair()
a.settimeout(5)
takes("recv", 5, lambda: ignore(lambda: a.recv(1), TimeoutError))
takes("select", 5, lambda: select.select([a], [], [], 5))
# Starting a program is charged the time that the kernel takes, so a busy machine adds to these.
takes("run", 5, lambda: subprocess.run(["sleep", "5"], check=True), 25)
takes("output", 5, lambda: subprocess.check_output("sleep 5; echo x", shell=True), 25)


def start_and_join():
    thread = threading.Timer(5, lambda: None)
    thread.start()
    thread.join()


def give_way():
    done = []
    threading.Timer(0.005, lambda: done.append(1)).start()
    while not done:
        os.sched_yield()


takes("join", 5, start_and_join)
takes("sched_yield", 0.005, give_way, 0.001)
if not 1700000000 <= time.time() < 1700010000:
    sys.exit(f"it is {time.time()}")
print("all waits were right")
