#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Many controllers, many threads, many runs; and a run without privileges."""
import atexit
import os
import re
import shutil
import tempfile

from coordinator import (ACTOR, DIR, LIMIT, Run, arm, busy_loops, check, controller, main, path,
                         read, scale, sim, staged, tmp, world)

MS = 1000000
CPP = os.environ.get("CPP_THREADS")
SCRIPT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "threads.py")
NOBODY = 65534
CORES = sorted(os.sched_getaffinity(0))
# In memory: a controller that waits for a disk is blocked outside the simulation.
LOGS = tempfile.mkdtemp(prefix="achsim.", dir="/dev/shm")
atexit.register(shutil.rmtree, LOGS)


def log(i):
    return os.path.join(LOGS, f"log{i}")


def controllers():
    for cores in ([CORES[0]], CORES[:2]):
        n = scale(64)
        Run(world(*(controller(f"c{i}", "steps", 10, MS * (1 + i % 7), cost=0.0001)
                    for i in range(n)), model="declared", cores=cores)).expect(0, "0.070")
        Run(world(*(controller(f"c{i}", "steps", 5) for i in range(n)), cores=cores)).expect(0)


def visitors(n, cycles=20, **options):
    """n controllers, each of which opens and closes the device of its own arm."""
    return [part for i in range(n) for part in (
        arm(f"arm{i}", f"actarray:{i}", rate=1000),
        controller(f"c{i}", "visits", f"actarray:{i}", cycles, MS // 10, log(i),
                   **options))]


def devices():
    """No controller is stopped while it holds a channel's lock, or counted as blocked outside."""
    for _ in range(scale(6)):
        r = Run(world(*visitors(20, outside="wait"))).expect(0)
        check(not re.search(r"blocked outside [1-9]", r.out), r.out)
    if len(CORES) > 1:
        Run(world(*visitors(8), cores=CORES[:2])).expect(0)


def accounts():
    """Granted time equals used CPU time, also for several controllers that interrupt each other."""
    r = Run(world(*visitors(5))).expect(0)
    for name, cpu, granted in re.findall(r"  (\w+): .* cpu ([\d.]+) s, granted ([\d.]+) s", r.out):
        check(abs(float(cpu) - float(granted)) < 0.01 * float(cpu), f"{name}: {r.out}")


def threads_of_all_languages():
    """Controllers with threads in Python and, if compiled, in C++."""
    found = [controller("py", ["/usr/bin/python3", SCRIPT, path("py")], cost=0.0001)]
    if CPP and CPP != ACTOR:
        found.append(controller("cpp", [CPP, path("cpp")], cost=0.0001))
    return found


def identical():
    """With declared costs, the logs of all runs are identical, whatever the load."""
    n, logs, others = 5, set(), threads_of_all_languages()
    with busy_loops(6):
        for _ in range(scale(12)):
            Run(world(*visitors(n, cost=0.0001), *others, model="declared")).expect(0)
            logs.add("".join(read(log(i)) for i in range(n)) + read("py") +
                     (read("cpp") if len(others) > 1 else ""))
    check(len(logs) == 1, f"{len(logs)} different runs")


def crowds():
    """1 to 100 controllers at 1 kHz, in both models: all complete their cycles."""
    for n in (1, 5, 20, 100):
        cycles = scale(30)
        for model in ("measured", "declared"):
            r = Run(world(*visitors(n, cycles=cycles, cost=0.0001, outside="wait"),
                          model=model)).end(LIMIT * 5)
            r.expect(0)
            found = re.findall(r"  c\d+: (\d+) cycles", r.out)
            check(len(found) == n and all(int(c) >= cycles for c in found), r.out)


def crowded():
    """While a controller is preempted, its coordinator leaves the core to others."""
    runs, core = [], CORES[0]
    with busy_loops(5, core):
        for _ in range(2):
            own = tempfile.mkdtemp(dir=LOGS)
            file = world(controller("c", "reads", scale(300) * MS), cores=[core])
            runs.append(Run(shutil.move(file, own), env={"ACH_DIR": own}))
        for r in runs:
            r.end()
    for r in runs:
        r.expect(0)


def threads():
    for cores in ([CORES[0]], CORES[:2]):
        Run(world(controller("a", "threads", scale(100), 5), controller("b", "steps", 10),
                  cores=cores)).expect(0)
        Run(world(controller("a", "threads", 10, 20), controller("b", "threads", 10, 20),
                  model="free", cores=cores)).expect(0)


def runs():
    """Many runs leave no channels behind."""
    file = world(controller("a", "steps", 2), controller("b", "end", 0, MS))
    for i in range(scale(300)):
        r = sim(file, "--quiet")
        if not check(r.status == 0 and not r.out and not r.err,
                     f"run {i}: {r.status} {r.out} {r.err}"):
            break
    check(not os.listdir(DIR), f"channels are left: {os.listdir(DIR)}")
    Run(file).expect(0)


def nobody():
    """A user without SCHED_FIFO gets the same result."""
    if os.getuid() != 0 or not shutil.which("setpriv"):
        print("nobody: not tried, since this is not root, or setpriv is missing")
        return
    os.chmod(tmp, 0o777)
    with staged():
        compare_users(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"])


def compare_users(change):
    results = []
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


main([controllers, devices, accounts, identical, crowds, crowded, threads, runs, nobody])
