#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""No event is lost: ends of threads and children, signals, mutexes, puts, and CPU time."""
import os
import re

from coordinator import (ACTOR, Run, actors, channel, check, controller, kill, main, scale,
                         status_time, wait_until, world)

CORES = [[0]] + ([[0, 1]] if {0, 1} <= os.sched_getaffinity(0) else [])


def run(*sections, **options):
    return Run(world(*sections, **{"duration": 0.2, "hang": 20.0, **options}))


def happens(r, what, at, model):
    """An event happens in time; with measured costs, waits on a busy machine may add to that."""
    t = float(re.search(what + " (.*)", r.out).group(1))
    check(t >= at and (model == "measured" or t < 2 * at), f"not at {at}: {r.out}")


def children():
    """However a child ends, time goes on. With declared costs a wait for it takes a fixed time."""
    for how in ("ended", "killed", "aborted", "threads"):
        for model in ("measured", "declared"):
            seen = set()
            for _ in range(scale(5)):
                r = run(controller("a", "parent", how, cost=0.0001), model=model).expect(
                    0, "waited until")
                seen.add(re.search("until (.*)", r.out).group(1))
            check(model == "measured" or len(seen) == 1, f"{how}: {seen}")


def scripts():
    """Shells that start programs, also programs that end while another thread exists."""
    for model in ("measured", "declared"):
        run(controller("a", ["/bin/sh", "-c", f"{ACTOR} inner; {ACTOR} inner; exit 3"], cost=0.0001),
            model=model, duration=0).expect(1, "exit status 3")
        r = run(controller("a", "shell", "sleep 0.01; exit 4", cost=0.0001), model=model,
                duration=0).expect(1, "waited until", "exit status 4")
        happens(r, "waited until", 0.01, model)


def pipes():
    for model in ("measured", "declared"):
        run(controller("a", "piped", cost=0.0001), model=model, duration=0).expect(0, "read at")


def threads():
    """Two threads of one process alternate in virtual time, whatever each computes."""
    for cores in CORES:
        r = run(controller("a", "threads", cost=0.0001), model="declared", cores=cores).expect(0)
        check("AB" * 100 in r.out, f"on {cores}: {r.out}")


def conditions():
    for model in ("measured", "declared"):
        r = run(controller("a", "keeps", cost=0.0001), model=model).expect(0, "woken at")
        happens(r, "woken at", 0.01, model)


def canceled():
    channel("lost", 4, 8)
    channel("lost-other", 4, 8)
    for model in ("measured", "declared"):
        r = run(controller("a", "canceled", cost=0.0001), model=model).expect(
            0, "ACH_CANCELED", "canceled at", "ACH_OK")
        check(float(re.search("at (.*)", r.out).group(1)) >= 0.02, f"before its time: {r.out}")


def puts():
    channel("lost-large", 4, 4000000)
    for outside in ("wall", "wait"):
        for cores in CORES:
            r = run(*(controller(n, "large", outside=outside) for n in "ab"), cores=cores,
                    duration=0).expect(0)
            check(r.out.count("0 lost") == 2, f"on {cores}: {r.out}")


def notes():
    """Waiting for another controller's note does not count as blocked outside."""
    for cores in CORES:
        r = run(*(controller(n, "notes", scale(1000)) for n in "abc"), cores=cores,
                duration=0).expect(0)
        blocks = sum(map(int, re.findall(r"outside (\d+) times", r.out)))
        check(blocks < scale(1000) // 100 + 5, f"on {cores}: {r.out}")


def killed():
    """A program started by a script ends with the coordinator, even if it only computes."""
    r = run(controller("a", ["/bin/sh", "-c", f"{ACTOR} spin; true"]), duration=0, hang=0.0)
    check(wait_until(lambda: len(actors()) == 1 and (status_time() or 0) > 0.01), "no beginning")
    r.child.kill()
    r.end()
    check(wait_until(lambda: not actors(), 20), f"still there: {actors()}")
    kill(actors())
    run(controller("a", "notes", 1), duration=0).expect(0)


def ends():
    """A thread that ends while the coordinator reads its state is joined."""
    for model in ("free", "declared"):
        for ms in (30, 80, 150, 220):
            Run(world(controller("a", "joins", ms, cost=0.0001), model=model, hang=20.0),
                env={"LD_PRELOAD": os.environ["SLOW_PROC"]}).expect(0, "joined at")


main([children, scripts, pipes, threads, conditions, canceled, puts, notes, killed, ends])
