#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A thousand channels on one connection: all work, none slows another one, and idle ones cost nothing.

scale.py ACHD ACH ORACLE MANY SYSCALLS
"""
import os
import resource
import signal
import subprocess
import sys
import time

from hosts import ACH, FACTOR, check, local, scale, skip, until, wait

MANY, SYSCALLS = (os.path.abspath(p) for p in sys.argv[4:6])
DESCRIPTORS = 6  # of a process for each channel, at most
CALLS = 8        # for each message, with its acknowledgement, at most
QUIET = 5        # seconds
MEMORY = 128     # KiB for each channel
GROWTH = 16384   # KiB
A, B = local(2)


def many(how, rounds):
    return A.start(MANY, A.dir, B.dir, str(N), how, str(rounds))


def proc(pid, name):
    with open(f"/proc/{pid}/{name}") as f:
        return f.read()


def memory(host):
    """Resident KiB, without channels and other files."""
    return next(int(line.split()[1]) for line in proc(host.daemon.pid, "status").splitlines()
                if line.startswith("RssAnon"))


def activity(host):
    """Times of each thread: on a processor, waiting for one, and how often it ran."""
    tasks = f"/proc/{host.daemon.pid}/task"
    return {tid: proc(host.daemon.pid, f"task/{tid}/schedstat") for tid in os.listdir(tasks)}


def connect():
    """Both daemons, with a PING only every 15 seconds, as by default."""
    B.achd("-p", "0", "--silence", "30", "serve")
    until("the server", lambda: B.status() is not None)
    port = B.port_served()
    names = [f"many{i}" for i in range(N)]
    A.run(ACH, "mk", "-m", "4", "-n", "64", *names)
    path = os.path.join(A.dir, "achd.conf")
    with open(path, "w") as f:
        f.writelines(f"push 127.0.0.1:{port} {name} all\n" for name in names)
    A.achd("--silence", "30", "run", path)


def each():
    """Each channel carries its own messages, in a burst and alone, in bounded memory."""
    wait(many("burst", 2))
    before = {host: memory(host) for host in (A, B)}
    wait(many("burst", scale(20)))
    wait(many("single", 1))
    for host, kib in before.items():
        now = memory(host)
        print(f"host {host.number}: {kib} KiB for {N} channels, {now} KiB after messages")
        check(kib < MEMORY * N, f"host {host.number}: {kib} KiB for {N} channels")
        check(now < kib + GROWTH, f"host {host.number}: {kib} KiB became {now} KiB")


def counted():
    """A message takes a few system calls, however many channels there are."""
    tracers = [host.start(SYSCALLS, str(host.daemon.pid), stdout=subprocess.PIPE)
               for host in (A, B)]
    if any(t.stdout.readline() != "begun\n" for t in tracers):
        print("not counted: this process may not trace others")
        return
    begin = time.monotonic()
    wait(many("single", 1))
    seconds = time.monotonic() - begin
    for host, tracer in zip((A, B), tracers):
        tracer.send_signal(signal.SIGTERM)
        calls = int(tracer.communicate(timeout=60 * FACTOR)[0])
        print(f"host {host.number}: {calls / N:.2f} system calls for each message")
        check(N <= calls <= CALLS * N + 20 * seconds + 100,
              f"host {host.number}: {calls} system calls for {N} messages")


def idle():
    """Neither daemon runs for some seconds."""
    if any(len(activity(host)) > 1 for host in (A, B)):
        print("not measured: on this kernel, threads wait for channels")
        return

    def quiet():
        before = [activity(host) for host in (A, B)]
        time.sleep(QUIET)
        return before == [activity(host) for host in (A, B)]
    until(f"{QUIET} seconds without work", quiet)


N = 1000
if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < N * DESCRIPTORS:
    skip(f"a process may not have {N * DESCRIPTORS} descriptors")
connect()
for test in (each, counted, idle):
    print(f"== {test.__name__}", flush=True)
    test()
for end in (A, B):
    end.kill(signal.SIGTERM)
    check(end.daemon.returncode == 0, "the daemon ends well")
sys.exit(0)
