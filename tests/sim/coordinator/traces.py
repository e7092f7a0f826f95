#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The trace file: valid JSON, rows without overlapping events, time that does not go back."""
import json
import os

from coordinator import Run, arm, check, controller, main, path, world

MS = 1000000
CORES = sorted(os.sched_getaffinity(0))
VIRTUAL, WALL = 1, 2


def trace(*sections, **options):
    Run(world(*sections, **options), "--trace", path("trace")).expect(0)
    with open(path("trace"), encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
             if e["ph"] == "M" and e["name"] == "thread_name"}
    rows = {}
    for e in events:
        check(e["ph"] in ("M", "X"), f"{e}")
        if e["ph"] == "X":
            check(e["dur"] >= 0 and e["ts"] >= 0, f"{e}")
            check((e["pid"], e["tid"]) in names, f"a row without a name: {e}")
            rows.setdefault((e["pid"], e["tid"]), []).append(
                (round(e["ts"] * 1000), round(e["dur"] * 1000), e["name"]))
    return names, rows


def in_order(rows, end):
    """The events in a row of virtual time do not overlap."""
    for (process, row), events in rows.items():
        if process != VIRTUAL:
            continue
        at = 0
        for begin, length, name in events:
            if not check(begin >= at, f"row {row}: {name} at {begin} ns, before {at} ns"):
                break
            at = begin + length
        check(at <= end, f"row {row} ends at {at} ns")


def one_and_two_cores():
    for cores in ([CORES[0]], CORES[:2]):
        for model in ("measured", "declared"):
            names, rows = trace(
                arm(), controller("a", "steps", 50, 2 * MS, MS // 2, cost=0.0005),
                controller("b", "steps", 30, 3 * MS, 2 * MS, cost=0.001), model=model, cores=cores,
                duration=0.1)
            check(sorted(set(names.values())) == ["a", "b", "world"], f"{names}")
            # With measured costs, a controller is charged for waiting for a slow disk.
            in_order(rows, 102 * MS if model == "declared" else 100000 * MS)
            for (process, row), name in names.items():
                check(name == "world" or rows.get((process, row)), f"nothing of {name}")


def what_is_charged():
    """Each cycle is in the trace with its cost."""
    _, rows = trace(controller("a", "steps", 20, 5 * MS, 0, cost=0.0007), model="declared")
    events = [e for e in rows[(VIRTUAL, 1)] if e[1]]
    check([e[0] for e in events] == [i * 5 * MS for i in range(20)], f"begins: {events}")
    check({e[1] for e in events} == {700000}, f"lengths: {events}")


def threads():
    """Each thread has its own row, so that events do not overlap."""
    names, rows = trace(controller("a", "threads", 4, 10), controller("b", "steps", 10))
    check(len([n for (p, _), n in names.items() if p == VIRTUAL and n.startswith("a")]) == 5,
          f"rows: {names}")
    in_order(rows, 100000 * MS)


def suspended():
    _, rows = trace(controller("a", "steps", 10, 10 * MS, 5 * MS, period=0.01, budget=0.002,
                               overrun="suspend"), controller("b", "steps", 300))
    in_order(rows, 100000 * MS)


main([one_and_two_cores, what_is_charged, threads, suspended])
