#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Many controllers, many threads, many runs; and a run of somebody without privileges."""
import os
import shutil
import subprocess

from coordinator import (ACTOR, DIR, Run, arm, check, controller, main, path, read, scale, sim, tmp,
                         world)

MS = 1000000
NOBODY = 65534
CORES = sorted(os.sched_getaffinity(0))


def controllers():
    for cores in ([CORES[0]], CORES[:2]):
        n = scale(64)
        Run(world(*(controller(f"c{i}", "steps", 10, MS * (1 + i % 7), cost=0.0001)
                    for i in range(n)), model="declared", cores=cores)).expect(0, "0.070")
        Run(world(*(controller(f"c{i}", "steps", 5) for i in range(n)), cores=cores)).expect(0)


def threads():
    for cores in ([CORES[0]], CORES[:2]):
        Run(world(controller("a", "threads", scale(100), 5), controller("b", "steps", 10),
                  cores=cores)).expect(0)
        Run(world(controller("a", "threads", 10, 20), controller("b", "threads", 10, 20),
                  model="free", cores=cores)).expect(0)


def runs():
    """None leaves anything."""
    file = world(controller("a", "steps", 2), controller("b", "end", 0, MS))
    for i in range(scale(300)):
        r = sim(file, "--quiet")
        if not check(r.status == 0 and not r.out and not r.err,
                     f"run {i}: {r.status} {r.out} {r.err}"):
            break
    check(not os.listdir(DIR), f"channels are left: {os.listdir(DIR)}")
    Run(file).expect(0)


def nobody():
    """Without SCHED_FIFO, and with the same result."""
    if os.getuid() != 0 or not shutil.which("setpriv"):
        print("nobody: not tried, since this is not root, or setpriv is missing")
        return
    change = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    if subprocess.run([*change, ACTOR, "end", "0", "0"], check=False,
                      capture_output=True).returncode:
        print("nobody: not tried, since nobody may not run what was built here")
        return
    results = []
    os.chmod(tmp, 0o777)
    for prefix in ([], change):
        mode = os.stat(DIR).st_mode
        if prefix:
            os.chown(DIR, NOBODY, NOBODY)
        file = world(arm(), controller("a", "holds", "actarray:0", 30, path("log"), cost=0.002),
                     controller("b", "steps", 100, MS, 0, cost=0.0001), model="declared")
        r = Run(file, prefix=prefix).expect(0)
        check(("not real-time" in r.out) == bool(prefix), r.out)
        results.append(read("log"))
        Run(world(controller("a", "steps", 50, 2 * MS, MS, period=0.002),
                  controller("b", "steps", 100)), prefix=prefix).expect(0)
        Run(world(controller("a", "clocks", 100 * MS, path("clocks"), outside="wait")),
            prefix=prefix).expect(0)
        cpu, time = map(int, read("clocks").split())
        check(abs(time - cpu) < cpu * 0.01, f"{cpu} ns of CPU time, {time} ns passed")
        for name in ("log", "clocks"):
            os.unlink(path(name))
        os.chmod(DIR, mode)
    os.chown(DIR, 0, 0)
    check(results[0] == results[1], "nobody has another world")


main([controllers, threads, runs, nobody])
