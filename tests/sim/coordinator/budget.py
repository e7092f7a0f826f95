#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Charged time, budgets, overruns, and the ledger."""
import csv
import re

from coordinator import Run, arm, check, controller, main, path, read, world

MS = 1000000


def cpu_time():
    """With measured costs, virtual time is CPU time, under any load and with any slice length."""
    for slice_s, other in ((0.001, False), (0.0001, True), (0.05, True)):
        more = [controller("b", "steps", 1000000, MS, MS // 10)] if other else []
        r = Run(world(controller("a", "clocks", 200 * MS, path("log"), outside="wait"), *more,
                      controller("end", "end", 3, 300 * MS), duration=0.25, slice=slice_s,
                      realtime=not other)).end()
        r.expect(0)
        cpu, time = map(int, read("log").split())
        check(abs(time - cpu) < cpu * 0.01, f"{cpu} ns of CPU time, {time} ns passed")


def report():
    r = Run(world(controller("a", "steps", 20, MS, 2 * MS, period=0.001))).expect(
        0, "has used", "of 1.000 ms", "further overruns are not reported", "20 overruns")
    check(r.err.count("has used") == 5, r.err)
    r = Run(world(controller("a", "steps", 20, 10 * MS, MS, period=0.01, budget=0.009,
                             outside="wait"))).expect(0)
    check("overruns" not in r.out, r.out)


def end():
    Run(world(controller("a", "steps", 20, MS, 2 * MS, period=0.001, overrun="end"))).expect(
        1, "controller a has used", "may use 1.000 ms")


def suspend():
    """A controller is suspended from the end of its budget to its next period, repeatedly."""
    period, budget = 10 * MS, 2 * MS
    leaps = []
    for _ in range(10):  # on a busy machine it may be stopped too late for the test to see
        r = Run(world(controller("a", "leaps", 5, period, 5 * MS, path("log"), period=0.01,
                                 budget=0.002, overrun="suspend", outside="wait"),
                      controller("b", "steps", 1000000), duration=0.3)).expect(0, "suspended")
        leaps = [list(map(int, line.split())) for line in read("log").splitlines()]
        if len(leaps) == 10:
            break
    check(len(leaps) == 10, f"{len(leaps)} leaps, not two in each of five cycles")
    for i, (begin, before, after) in enumerate(leaps):
        begin += i % 2 * period
        check(before - begin < budget + MS, f"it ran {before - begin} ns")
        check(abs(after - (begin + period)) < MS, f"it went on {after - begin - period} ns late")
    m = re.search(r"suspended ([0-9.]+) s", r.out)
    total = sum(after - before for _, before, after in leaps) * 1e-9
    check(abs(float(m.group(1)) - total) < 0.005, f"suspended {m.group(1)}, seen {total}")


def suspended_account():
    """Granted time equals used time, except for the last slice, which may be stopped late."""
    r = Run(world(controller("a", "spin", period=0.001, budget=0.0003, overrun="suspend",
                             outside="wait"), duration=0.2)).expect(0, "suspended")
    m = re.search(r"cpu ([\d.]+) s, granted ([\d.]+) s.* at most ([\d.]+) us late", r.out)
    cpu, granted, late = map(float, m.groups())
    check(abs(cpu - granted) <= late * 1e-6 + 0.00001, r.out)


def declared_costs():
    r = Run(world(controller("a", "steps", 10, 5 * MS, cost=0.002, budget=0.001), model="declared"))
    r.expect(0, "10 overruns", "the longest cycle 2.000 ms", "declared cost 0.002000 s, granted 0.02")
    check("error" not in r.out and "cpu" not in r.out, f"nothing was measured: {r.out}")
    Run(world(controller("a", "steps", 10, 5 * MS, cost=0.002, budget=0.001, overrun="end"),
              model="declared")).expect(1, "has used 2.000 ms")
    r = Run(world(controller("a", "steps", 10, 5 * MS, cost=0.002, budget=0.002), model="declared"))
    r.expect(0)
    check("overruns" not in r.out, r.out)
    r = Run(world(controller("a", "steps", 10, 5 * MS), model="free")).expect(0, "free of charge")
    check("error" not in r.out and "granted" not in r.out, f"nothing was charged: {r.out}")


def lines(name):
    with open(path(name), encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def ledger():
    """The sums in the ledger never decrease, agree with its lines, and with the report."""
    r = Run(world(controller("a", "steps", 20, 10 * MS, 5 * MS),
                  controller("b", "steps", 100, 2 * MS, MS // 4)),
            "--ledger", path("ledger")).expect(0)
    rows = lines("ledger")
    for name in ("a", "b"):
        own = [{k: v if k in ("sink", "what") else int(v) for k, v in row.items()}
               for row in rows if row["sink"] == name]
        check(len([x for x in own if x["what"] == "cycle"]) == (20 if name == "a" else 100),
              f"cycles of {name}")
        for key in ("time_ns", "used_sum_ns", "granted_sum_ns"):
            values = [x[key] for x in own]
            check(values == sorted(values), f"{name}: {key} falls")
        m = re.search(rf"  {name}: \d+ cycles, cpu ([0-9.]+) s, granted ([0-9.]+) s", r.out)
        last = own[-1]
        for said, key in ((m.group(1), "used_sum_ns"), (m.group(2), "granted_sum_ns")):
            check(0 <= float(said) - last[key] * 1e-9 + 1e-6 < 0.01,
                  f"{name}: {key}: {last}, {r.out}")
        cycles = sum(x["used_ns"] for x in own if x["what"] == "cycle")
        # Time charged while it is blocked, as by a page fault, is not used CPU time.
        check(abs(cycles - last["used_sum_ns"]) < 0.25 * cycles,
              f"{name}: {cycles} in cycles: {last}")


def ledger_of_declared_costs():
    Run(world(controller("a", "steps", 20, 10 * MS, cost=0.003), model="declared"), "--ledger",
        path("ledger")).expect(0)
    rows = [x for x in lines("ledger") if x["what"] == "cycle"]
    check([int(x["used_ns"]) for x in rows] == [3 * MS] * 20, "a cycle took something else")
    check([int(x["time_ns"]) for x in rows] == [i * 10 * MS + 3 * MS for i in range(20)], "times")
    check([int(x["used_sum_ns"]) for x in rows] == [0] * 20, "CPU time is not measured")
    check([int(x["granted_sum_ns"]) for x in rows] == [i * 3 * MS + 3 * MS for i in range(20)], "sums")


def start_once():
    """The start is one cycle, although it opens a device. 19 with commands and the end follow."""
    Run(world(arm(), controller("a", "wrong", "actarray:0", 20, 7, cost=0.0001),
              model="declared")).expect(0, "20 cycles", "granted 0.002100 s")


main([start_once, cpu_time, report, end, suspend, suspended_account, declared_costs, ledger, ledger_of_declared_costs])
