#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Controllers blocked outside the simulation: by a slow pipe."""
import os
import re
import socket
import time

from coordinator import (Run, arm, channel, check, controller, first_bytes, main, path, read,
                         wait_until, world)

OTHER = controller("other", "steps", 1000000)
PAUSE = 0.4


def times(name="log"):
    return [int(x) for x in read(name).split()]


def waits_for_pipe(outside, *more, busy=0, n=2, own=(), part="pipe", **options):
    """Run a controller that reads n bytes from a pipe; return the run and wall times per byte."""
    for name in ("fifo", "log"):
        if os.path.exists(path(name)):
            os.unlink(path(name))
    os.mkfifo(path("fifo"))
    r = Run(world(controller("a", part, path("fifo"), path("log"), busy, outside=outside,
                             **dict(own)), *more, **{"duration": 0, **options}))
    walls = []
    with open(path("fifo"), "wb", buffering=0) as f:
        for i in range(n):
            # The controller logs a line, computes, and blocks in read.
            check(wait_until(lambda: os.path.exists(path("log")) and
                             read("log").count("\n") == i + 1), "it does not come")
            time.sleep(0.1)
            begin = time.monotonic()
            time.sleep(PAUSE)
            walls.append(time.monotonic() - begin)
            f.write(b"x")
        time.sleep(0.1)
    return r, walls


def wall():
    """outside "wall": the controller is charged the wall time that it was blocked."""
    r, walls = waits_for_pipe("wall")
    r.expect(0, "blocked outside")
    t = times()
    for i, w in enumerate(walls):
        check(t[i + 1] - t[i] > w * 0.5e9, f"{w} s cost only {t[i + 1] - t[i]} ns")


def wait():
    """outside "wait": the world waits; the controller is charged exactly its CPU time."""
    busy = 3000000
    r, _ = waits_for_pipe("wait", busy=busy)
    r.expect(0, "blocked outside")
    t = times()
    for a, b in zip(t, t[1:]):
        check(busy * 0.99 < b - a < PAUSE * 0.5e9, f"{b - a} ns")


def leave():
    """outside "leave": the world goes on; the controller returns at the world's current time."""
    r, _ = waits_for_pipe("leave", controller("b", "steps", 50))
    r.expect(0, "blocked outside")
    t = times()
    check(t[-1] > t[0] + 1000000, f"the world did not go on: {t}")
    check(t == sorted(t), f"time went back: {t}")


def leave_without_others():
    r, _ = waits_for_pipe("leave")
    r.expect(0)


def leave_alone():
    """If the only controller is blocked, the world does not run ahead to the end of the run."""
    r, walls = waits_for_pipe("leave", arm(rate=1000), duration=100.0, own={"budget": 0.3})
    r.expect(0, "blocked outside")
    m = re.search(r"error ([-+\d.]+) s.* left behind for ([\d.]+) s", r.out)
    if check(m, r.out):
        check(abs(float(m.group(1))) < 0.3, f"what it missed is an error: {r.out}")
        check(float(m.group(2)) > sum(walls) * 0.5, f"it missed {walls}: {r.out}")
    check("has used" not in r.err and "overruns" not in r.out, f"an overrun: {r.err}{r.out}")
    t = times()
    check(sum(walls) * 0.5e9 < t[-1] < 100e9, f"it came back at another time: {t}")
    check(t == sorted(t), f"time went back: {t}")


def declared_costs():
    """Only declared costs are charged."""
    for outside in ("wall", "wait"):
        r, _ = waits_for_pipe(outside, controller("b", "steps", 50, cost=0.0), model="free")
        r.expect(0)
        t = times()
        check(t[0] == t[-1] == 0, f"{t}")


def declared_beside_a_thread():
    """With declared costs, a controller is not left while another of its threads computes."""
    r, _ = waits_for_pipe("leave", controller("b", "steps", 50, cost=0.0), part="beside",
                          own={"allow": ["clone"], "cost": 0.0}, model="declared")
    r.expect(0)
    check("blocked outside" not in r.out, r.out)
    check(times()[-1] == 0, f"the world went on: {times()}")


def declared_order():
    """With declared costs, a controller blocked outside keeps its place among equal times."""
    channel("order", 64, 16)
    os.mkfifo(path("order"))
    r = Run(world(controller("first", "order", "order", 1, 1000000, 7, path("order"), cost=0.0,
                             outside="wait"),
                  controller("second", "order", "order", 1, 1000000, 8, cost=0.0),
                  model="declared"))
    with open(path("order"), "wb", buffering=0) as f:
        time.sleep(PAUSE)
        f.write(b"x")
    r.expect(0)
    numbers = first_bytes("order")
    check(numbers == [7, 8], f"{numbers}")


def hang_blocked():
    os.mkfifo(path("still")) if not os.path.exists(path("still")) else None
    for outside in ("wall", "wait"):
        r = Run(world(controller("a", "pipe", path("still"), path("log2"), outside=outside), OTHER,
                      hang=0.5))
        r.expect(1, "controller a hangs", "blocked outside", ": thread ")
    r = Run(world(controller("a", "pipe", path("still"), path("log2"), outside="leave"), OTHER,
                  hang=0.5, duration=0.1))
    r.expect(0, "0.100000 s")


def network():
    """A controller that connects to a network gets a warning that time is real there."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        r = Run(world(controller("a", ["/usr/bin/python3", "-c", "import socket; "
                                       f"socket.create_connection(('127.0.0.1', {port}))"]),
                      duration=0.1))
        r.expect(0, f"controller a: python3 connects to 127.0.0.1 port {port}", "in real time")


main([network, wall, wait, leave, leave_without_others, leave_alone, declared_costs,
      declared_beside_a_thread, declared_order, hang_blocked])
