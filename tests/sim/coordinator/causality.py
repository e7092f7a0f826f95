#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each controller sees the world as of its own virtual time: exactly, if costs are declared."""
import os
import subprocess

from coordinator import (Run, arm, channel, check, controller, first_bytes, main, path, read,
                         scale, world)

MS = 1000000
COUNT = 50
CORES = sorted(os.sched_getaffinity(0))


def channels(*names):
    for name in names:
        channel(name, 4096, 16)


def talk(cores, model="declared", busy=(0, 0), **options):
    channels("question", "answer")
    Run(world(
        controller("ask", "caller", "question", "answer", COUNT, MS, path("ask"), busy[0],
                   cost=0.0002),
        controller("say", "answerer", "question", "answer", COUNT, path("say"), busy[1],
                   cost=0.0001), model=model, cores=cores, **options)).expect(0)
    return read("ask"), read("say")


def messages():
    """A question is sent 0.2 ms after each millisecond, and answered 0.1 ms later."""
    ask, say = talk([CORES[0]])
    questions, answers = [], []
    for i in range(COUNT):
        t = i * MS
        if i:
            questions.append(f"begin {t} saw {i - 1} put {t - MS + 200000}")
        questions.append(f"begin {t} done {t + 200000}")
        answers.append(f"got {i} put {t} at {t + 200000} answered {t + 300000}")
    check(say.splitlines() == answers, f"the answers:\n{say[:300]}")
    check(ask.splitlines() == questions, f"the questions:\n{ask[:300]}")


def same_again():
    first = talk([CORES[0]])
    for i in range(scale(20)):
        check(talk([CORES[0]]) == first, f"run {i} is another one")
    if len(CORES) > 1:
        for i in range(scale(5)):
            check(talk(CORES[:2]) == first, f"run {i} on two cores is another one")
    check(talk([CORES[0]], realtime=False) == first, "without SCHED_FIFO it is another one")
    check(talk([CORES[0]], busy=(300000, 50000)) == first, "what is really computed matters")


def ties():
    """At equal virtual times, controllers run in the order of the world file."""
    channels("order")
    for cores in ([CORES[0]], CORES[:2]):
        channels("order")
        Run(world(*(controller(f"c{i}", "order", "order", 20, MS, i, cost=0.0001)
                    for i in (3, 1, 2, 0)), model="declared", cores=cores)).expect(0)
        order = first_bytes("order")
        check(order == [3, 1, 2, 0] * 20, f"on {cores}: {order}")


def samples(name):
    """A log's samples (virtual time, time stamp, angle, speed), and commands (virtual time, x)."""
    rows = [line.split() for line in read(name).splitlines()]
    return ([(int(r[0]), *map(float, r[2:])) for r in rows if r[1] == "sample"],
            [(int(r[0]), float(r[2])) for r in rows if r[1] == "command"])


def commands():
    """A command computed at cost c acts c after its sample, also between two steps of the world."""
    for cost in (0.0, 0.0023, 0.0098765, 0.0301):
        Run(world(arm(radius=0.001),
                  controller("a", "pushes", "actarray:0", 20, path("log"), cost=cost), model="declared", duration=2.0)).expect(0)
        seen, told = samples("log")
        at = told[0][0] * 1e-9
        if cost < 0.005:  # the controller waited for this sample
            check(abs(seen[1][1] + cost - at) < 1e-9, f"cost {cost}: after {seen[1]} came {told}")
        for now, stamp, angle, speed in seen:
            t = max(0, stamp - at)
            check(abs(angle - t * t / 2) < 2e-6 * max(1, t) and abs(speed - t) < 2e-6 * max(1, t),
                  f"cost {cost}: at {stamp} it is at {angle}, not at {t * t / 2}")
            check(now >= stamp * 1e9 - 1, f"a sample of {stamp} was seen at {now}")


def robot(i, rate, step, cost, busy=0):
    return (arm(f"arm{i}", f"actarray:{i}", rate=rate, step=step, gravity=9.81, damping=0.1),
            controller(f"c{i}", "holds", f"actarray:{i}", 60, path(f"log{i}"), busy, cost=cost))


def independent():
    """Two robots in one world behave exactly as each does alone."""
    parts = [robot(0, 100, 0.001, 0.0013), robot(1, 130, 0.0017, 0.0021, 200000)]
    alone = []
    for i in (0, 1):
        Run(world(*parts[i], model="declared")).expect(0)
        alone.append(read(f"log{i}"))
    for cores in ([CORES[0]], CORES[:2]):
        Run(world(*parts[0], *parts[1], model="declared", cores=cores)).expect(0)
        check([read("log0"), read("log1")] == alone, f"on {cores} they know of each other")
        Run(world(*parts[1], *parts[0], model="declared", cores=cores)).expect(0)
        check([read("log0"), read("log1")] == alone, f"on {cores} their order matters")


def judged(cores, load):
    channels("order")
    n, writers = scale(100), 3
    busy = subprocess.Popen(["sh", "-c", "while :; do :; done"]) if load else None
    try:
        r = Run(world(controller("judge", "judge", "order", n * writers, path("judge"), 30000),
                      controller("poll", "poller", "order", n * 12, path("poll")),
                      *(controller(f"c{i}", "caller", "order", "nothing", n, MS, path(f"l{i}"),
                                   100000 * (i + 1), i * n) for i in range(writers)),
                      cores=cores)).end()
    finally:
        if busy:
            busy.kill()
            busy.wait()
    r.expect(0)
    for log in ("judge", "poll"):
        rows = [list(map(int, line.split())) for line in read(log).splitlines()]
        check(all(put <= now for _, put, now in rows), f"{log} saw what was not yet there")
        times = [now for _, _, now in rows]
        check(times == sorted(times), f"the time of {log} went back")
    rows = [list(map(int, line.split())) for line in read("judge").splitlines()]
    done = [int(line.split()[3]) for i in range(writers) for line in read(f"l{i}").splitlines()]
    # A message was put between the time in it and the time at which its writer was done.
    for (_, put, _), (after, _, _) in zip(rows, rows[1:]):
        check(done[after] >= put, f"what was done at {done[after]} came after what came at {put}")


def measured_order():
    channels("nothing")
    for cores in ([CORES[0]], CORES[:2]):
        for load in (False, True):
            judged(cores, load)


def waits():
    for cores in ([CORES[0]], CORES[:2]):
        for model in ("measured", "declared", "free"):
            channels("ticks", "silence")
            Run(world(controller("w", "waits", "ticks", "silence", cost=0.0001, outside="wait"),
                      controller("t", "order", "ticks", 150, 10 * MS, 1, cost=0.0), model=model,
                      cores=cores)).expect(0)


main([messages, same_again, ties, commands, independent, measured_order, waits])
