#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ends of controllers and of runs: the report has name and status, and nothing is left."""
import fcntl
import os
import re
import signal
import subprocess
import time

from coordinator import (ACH, ACTOR, DIR, LIMIT, STATIC, Run, actors, busy_loops, channel, check, controller,
                         kill, main, mine, others, path, read, status_time, wait_until, world)

OTHER = controller("other", "steps", 1000000, cost=0.0001)


def run(*sections, prefix=(), **options):
    return Run(world(*sections, **{"duration": 0.2, **options}), prefix=prefix)


def end_early():
    """A controller that ends with status 0 is no failure; the others go on."""
    run(controller("a", "end", 0), controller("b", "steps", 100), duration=0).expect(0, "0.10")
    run(controller("a", "end", 0), OTHER).expect(0, "0.200000 s")
    run(controller("a", "end", 0), duration=0).expect(0)
    run(controller("a", ["true"]), duration=0).expect(0)


def end_with_a_status():
    run(controller("a", "end", 3), OTHER).expect(1, "controller a has ended: exit status 3")
    run(controller("a", "end", 3), OTHER, model="free").expect(1, "exit status 3")
    run(controller("a", ["false"]), OTHER).expect(1, "controller a has ended: exit status 1")
    run(controller("a", "crash"), OTHER).expect(1, "controller a has ended: signal 6")


def environment(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as f:
            return f.read()
    except OSError:
        return b""


def killed(computes):
    """A controller is killed by another process while the simulation runs."""
    part = ["spin"] if computes else ["steps", 1000000]
    r = run(controller("victim", *part), OTHER, duration=0, hang=0.0)
    check(wait_until(lambda: len(actors()) == 2 and (status_time() or 0) > 0.01), "no beginning")
    kill(p for p in actors() if b"ACH_SIM_NAME=victim" in environment(p))
    r.expect(1, "controller victim has ended: signal 9")


def killed_while_it_computes():
    killed(True)


def killed_while_it_sleeps():
    killed(False)


def hang_computing():
    for model in ("measured", "declared", "free"):
        run(controller("a", "spin", cost=0.001), OTHER, duration=0, hang=0.3, model=model).expect(
            1, "controller a hangs", "computed without a pause")


def slow_is_no_hang():
    """A hang is measured in the controller's CPU time: being preempted for long is no hang."""
    core = min(os.sched_getaffinity(0))
    with busy_loops(4, core):
        for model in ("measured", "declared"):
            run(controller("a", "steps", 2, 1000000, 200000000, cost=0.001, outside="wait"),
                duration=0, hang=1.0, model=model, cores=[core], realtime=0,
                prefix=["nice", "-n", "5"]).end(4 * LIMIT).expect(0)


def much_work_is_no_hang():
    """A hang is measured in the CPU time of one cycle, not in the total."""
    for model in ("measured", "declared"):
        run(controller("a", "steps", 20, 1000000, 100000000, cost=0.001, outside="wait"), duration=0,
            hang=1.0, model=model).expect(0)


def hang_on_itself():
    """If all threads of a controller wait for each other, it is reported as a hang."""
    for program in ("import threading; l = threading.Lock(); l.acquire(); l.acquire()",
                    "import threading; t = threading.Thread(target=threading.Event().wait); "
                    "t.start(); t.join()"):
        run(controller("a", ["/usr/bin/python3", "-c", program]), OTHER, duration=0,
            hang=0.5).expect(1, "controller a hangs", "wait for each other")


def stubborn():
    run(controller("a", "stubborn"), OTHER).expect(0, "0.200000 s")
    run(controller("a", "stubborn"), controller("b", "end", 4)).expect(1, "controller b", "4")


def stops_itself():
    """A controller that stops itself is continued or reported; the run ends in any case."""
    r = run(controller("a", "stopped"), OTHER, duration=0.05, hang=1.0).end()
    check(r.status == 0 or "controller a" in r.err, r.err)
    r.expect(r.status)
    r = run(controller("a", "stopped", cost=0.0), OTHER, duration=0.05, hang=1.0,
            model="declared").end()
    check(r.status == 0 or "controller a" in r.err, r.err)
    r.expect(r.status)


def forks():
    for own_session in (0, 1):
        run(controller("a", "forks", own_session, 0), OTHER).expect(0, "0.200000 s")
        run(controller("a", "forks", own_session, 1), OTHER).expect(0, "0.200000 s")
        run(controller("a", "forks", own_session, 0), controller("b", "end", 5)).expect(
            1, "status 5")


def daemon():
    """A process in another session, whose parent has exited, ends with the run."""
    run(controller("a", "daemon"), OTHER).expect(0)


def shell_script():
    with open(path("script"), "w", encoding="utf-8") as f:
        f.write(f"#!/bin/sh\n{ACTOR} steps 10\nsleep 0.02\n{ACTOR} steps 10 &\n"
                f"{ACTOR} steps 10 | cat\nwait\necho done > {path('done')}\nexit 6\n")
    os.chmod(path("script"), 0o755)
    run(controller("a", [path("script")]), controller("b", "steps", 100000), duration=0).expect(
        1, "controller a has ended: exit status 6")
    check(read("done") == "done\n", "the script did not come to its end")


def handles_the_end():
    """At the end of the run a waiting program's SIGTERM handler runs. That of bash uses longjmp."""
    run(controller("a", ["/bin/bash", "-c", f"trap 'echo yes > {path('cleaned')}; exit 0' TERM; "
                         "sleep 100 & wait"])).expect(0)
    check(os.path.exists(path("cleaned")), "its handler did not run")


def becomes_another():
    r = run(controller("a", "become", ACTOR, "steps", 50, outside="wait"), duration=0).expect(0)
    m = re.search(r"w: ([0-9.]+) s", r.out)
    check(m and 0.055 <= float(m.group(1)) < 0.5, f"not 55 ms: {r.out}")
    run(controller("a", "become", ACTOR, "end", 7), OTHER).expect(1, "exit status 7")
    run(controller("a", "become", "/nowhere"), OTHER).expect(1, "exit status 9")


def without_descriptors():
    run(controller("a", "closed"), controller("b", "steps", 20), duration=0).expect(0)


def not_part_of_it():
    run(controller("a", [STATIC]), OTHER).expect(1, "controller a", "statically linked")
    run(controller("a", [STATIC, "stay"]), OTHER).expect(1, "controller a", "statically linked")


def forged():
    """A forged note with the pid of a process outside the simulation does not stop that process."""
    victim = subprocess.Popen([ACTOR, "spin"])
    others.add(victim.pid)
    r = run(controller("a", "forge", "sim.w.note", victim.pid), controller("b", "steps", 100),
            duration=0).end()
    with open(f"/proc/{victim.pid}/stat", encoding="utf-8") as f:
        check(f.read().rpartition(")")[2].split()[0] in "RS", "it was stopped")
    victim.kill()
    victim.wait()
    others.clear()
    r.expect(0)


def floods():
    channel("flooded", 16, 64)
    run(controller("a", "flood", "flooded", 300), controller("b", "steps", 20),
        duration=0).expect(0)


def babbles():
    """Random bytes in the simulation's channels do not affect other controllers."""
    for seed in range(2):
        for most in (8, 208, 3000):
            r = run(controller("a", "babble", "sim.w.note", 30, most, seed, outside="wait"),
                    controller("b", "steps", 40, outside="wait"), duration=0).expect(0)
            m = re.search(r"w: ([0-9.]+) s", r.out)
            check(m and 0.04 <= float(m.group(1)) < 1, f"not 40 ms: {r.out}")
    r = run(controller("a", "babble", "sim.w.control", 30, 3000), controller("b", "steps", 40),
            duration=0).expect(0)


def coordinator_killed():
    """If the coordinator is killed, its controllers end, also stopped ones and children."""
    run_before = set(os.listdir(DIR))
    r = run(controller("a", "spin"), controller("b", "steps", 1000000), controller("c", "stubborn"),
            controller("d", "forks", 0, 1), controller("e", "spin"), duration=0, hang=0.0)
    check(wait_until(lambda: len(actors()) == 6 and (status_time() or 0) > 0.02), "no beginning")
    r.child.kill()
    r.end()
    check(r.status == -signal.SIGKILL, f"status {r.status}")
    check(wait_until(lambda: not actors(), 30), f"still there: {actors()}")
    kill(actors())
    left = set(os.listdir(DIR)) - run_before - mine
    run(controller("a", "steps", 3), duration=0).end()
    still = left & set(os.listdir(DIR))
    check(not still, f"the next run leaves what it could remove: {still}")
    for f in still:
        os.unlink(os.path.join(DIR, f))


def reapers(coordinator):
    """The coordinator's reapers: its children that run the same program."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
                parent = int(f.read().rpartition(")")[2].split()[1])
            if parent == coordinator and os.readlink(f"/proc/{pid}/exe") == ACH:
                found.append(int(pid))
        except OSError:
            pass
    return found


def all_killed():
    """If coordinator and reaper are killed, the controllers still end.

    The SIGHUP that the kernel sends to stopped orphans must not be needed: one case ignores it."""
    for case in (["spin"], ["forks", 1, 1],
                 [["/bin/sh", "-c", f"trap '' HUP; {ACTOR} spin; true"]]):
        r = run(controller("a", *case), controller("b", "steps", 1000000), duration=0, hang=0.0)
        check(wait_until(lambda: len(actors()) >= 2 and (status_time() or 0) > 0.02), "no beginning")
        reaper = reapers(r.child.pid)
        check(len(reaper) == 1, f"not one reaper: {reaper}")
        os.kill(reaper[0], signal.SIGKILL)
        r.child.kill()
        r.end()
        check(wait_until(lambda: not actors(), 20), f"{case}: still there: {actors()}")
        kill(actors())
    run(controller("a", "steps", 3), duration=0).expect(0)


def computes_to_the_end():
    """What a controller computes since its last note is charged, too."""
    with open(path("compute.py"), "w", encoding="utf-8") as f:
        f.write("import os, time\nbegin = time.process_time()\n"
                "while time.process_time() < begin + 0.05:\n    pass\n"
                "print('printed', time.monotonic(), flush=True)\nos._exit(0)\n")
    r = run(controller("a", ["/usr/bin/python3", path("compute.py")]), duration=0).expect(0)
    printed = float(re.search(r"printed ([0-9.]+)", r.out).group(1))
    end = float(re.search(r"w: ([0-9.]+) s", r.out).group(1))
    check(end >= printed - 1e-6, f"the run ended at {end} s, the controller at {printed} s")


def signals():
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        r = run(controller("a", "spin"), controller("b", "stubborn"), duration=0, hang=0.0)
        check(wait_until(lambda: len(actors()) == 2 and (status_time() or 0) > 0.01),
              "no beginning")
        os.kill(r.child.pid, sig)
        r.expect(0, "interrupted")
    # A signal before all controllers have joined the simulation.
    r = run(controller("a", "steps", 10), controller("b", [STATIC, "stay"], allow=["static"]))
    check(wait_until(lambda: len(actors()) == 2), "no beginning")
    time.sleep(0.2)
    os.kill(r.child.pid, signal.SIGTERM)
    r.expect(0, "interrupted")


def two_of_a_name():
    """A second run with the same name fails, and does not affect the first."""
    first = run(controller("a", "steps", 1000000), duration=0)
    check(wait_until(lambda: (status_time() or 0) > 0.01), "no beginning")
    for robot, words in ((0, "another server"), (7, "a simulation called w is running")):
        second = Run(world(controller("a", "steps", 3), robot=robot)).end()
        check(second.status == 1 and words in second.err, f"{second.status} {second.err}")
    before = status_time()
    check(before is not None, "the first one has lost its channels")
    check(wait_until(lambda: (status_time() or 0) > (before or 0), 20), "the first one stands")
    os.kill(first.child.pid, signal.SIGTERM)
    first.expect(0, "interrupted")


def locked_by_a_reader():
    """Read-only locks on the channels of a killed simulation do not stop the next one."""
    first = run(controller("a", "steps", 1000000), duration=0)
    check(wait_until(lambda: (status_time() or 0) > 0.01), "no beginning")
    first.child.kill()
    first.end()
    check(wait_until(lambda: not actors()), "a controller outlives its coordinator")
    notes = os.path.join(DIR, "achshm-sim.w.note")
    with open(notes, "rb") as records, open(notes, "rb") as whole:
        fcntl.lockf(records, fcntl.LOCK_SH)
        fcntl.flock(whole, fcntl.LOCK_EX | fcntl.LOCK_NB)
        run(controller("a", "steps", 3)).expect(0)


main([end_early, end_with_a_status, killed_while_it_computes, killed_while_it_sleeps,
      hang_computing, slow_is_no_hang, much_work_is_no_hang, hang_on_itself, stubborn, stops_itself, forks, daemon, shell_script, handles_the_end,
      becomes_another, without_descriptors, not_part_of_it, floods, babbles, coordinator_killed, all_killed,
      forged, computes_to_the_end, signals, two_of_a_name, locked_by_a_reader])
