# SPDX-License-Identifier: BSD-3-Clause
"""Over-runners, many controllers, several cores, a planner, and what an activation costs."""
import json
import os

import figures
import steady
import world
from world import PERIOD, experiment


@experiment("overrun", "A controller that overruns is suspended", "suspension was future work.")
def overrun(lab, out):
    """A controller with a period of 1 ms may use half of it, and computes all the time instead. It
    is stopped until its next period. How much more CPU time it got than its budget:"""
    greedy = world.controller("greedy", lab.subject("busy", "-"), period=0.001, budget=0.0005,
                              overrun="suspend")
    lab.simulate(world.pendulum() + greedy, ledger="ledger.csv", hang=0,
                 duration=0.2 if lab.quick else 10)
    slices = lab.read_ledger("overrun", "greedy")
    out.claim("times suspended", len(slices))
    figures.claim_overruns(out, "stopped after its budget", slices, 100.0)


def crowd(lab, logs, compute, seconds, outside="wall", **options):
    """A controller of 1000 Hz for each log ("-" for none), each with a pendulum of its own."""
    parts = ""
    for i, log in enumerate(logs):
        command = lab.subject("loop", 0.001, compute, seconds, log, f"actarray:{i}")
        parts += world.pendulum(i)
        parts += world.controller(f"c{i}", command, period=0.001, outside=outside)
    return lab.simulate(parts, **options)


@experiment("many", "Many controllers on one core", "one controller only; several are future work.")
def controllers(lab, out):
    """N robots, each a pendulum with a controller of its own that takes a sample and gives a
    command at 1000 Hz, all in one world on one core."""
    counts, seconds = ((1, 2), 0.1) if lab.quick else ((1, 2, 4, 8, 16, 32, 100), 2)
    rates, factors = [], []
    for count in counts:
        try:
            report = crowd(lab, ["-"] * count, 0, seconds)
        except world.CannotRun as error:
            out.failed[f"{count} controllers"] = str(error)
            continue
        rates.append((count, report["rate"]))
        factors.append((count, report["factor"]))
        out.claim(f"{count} controllers: activations per second", report["rate"])
        out.claim(f"{count} controllers: real-time factor", report["factor"])
    for label, points in (("activations / s", rates), ("real-time factor", factors)):
        out.plot(f"{label}, for N controllers on one core", "controllers", label, {label: points},
                 log_x=True, log_y=True)


def clock_error(cycles, virtual):
    """What the controller's clock moved, less the CPU time it used meanwhile; % of the run. To read
    both clocks takes the same time in each cycle, the median: that is no error."""
    errors = world.charge_errors(cycles)
    usual = world.percentile(errors, 0.5)
    return 100 * abs(sum(error - usual for error in errors)) / (1e9 * virtual)


@experiment("crowd", "The error of each of many controllers", "one controller only.")
def crowds(lab, out):
    """N controllers at 1000 Hz on one core, each with a pendulum of its own; each computes for a
    part of its period. The worst of them: the difference between the time that it was granted and
    the CPU time that it used, by the report; and the same by its own clocks, which it reads before
    and after its work, without what it takes to read them."""
    tried, seconds = [(1, 0.1), (5, 0.1), (5, 0.5), (20, 0.1), (100, 0.1)], 10
    goal = ("<=", 0.05)
    if lab.quick:
        tried, seconds, goal = [(1, 0.1), (2, 0.1)], 0.1, ()
    for count, load in tried:
        name = f"{count} controllers, {load * 100:g} % load"
        logs = [f"crowd{i}.log" for i in range(count)]
        report = crowd(lab, logs, load * 0.001, seconds, outside="wait", limit=3600)
        virtual = report["virtual"]
        told = max(100 * abs(report["errors"][f"c{i}"]) / virtual for i in range(count))
        own = max(clock_error(lab.read_cycles(log), virtual) for log in logs)
        out.claim(f"{name}: error by the report", told, *goal, unit="%")
        out.claim(f"{name}: error by their own clocks", own, *goal, unit="%")


@experiment("cores", "Two cores against one", "one core only.")
def cores(lab, out):
    """Controllers that compute 0.5 ms of CPU time in each cycle of 1 ms, on one core and on two:
    they may compute at the same time, since each is in front of what it has seen."""
    both = sorted(os.sched_getaffinity(0))[-2:]
    if len(both) < 2:
        raise world.CannotMeasure("one processor")
    counts, seconds = ((2,), 0.1) if lab.quick else ((2, 4), 3)
    for count in counts:
        one, two = (crowd(lab, ["-"] * count, 0.0005, seconds, cores=cores)["factor"]
                    for cores in ([lab.core], both))
        out.claim(f"{count} controllers: real-time factor, one core", one)
        out.claim(f"{count} controllers: real-time factor, two cores", two)
        out.claim(f"{count} controllers: two cores / one", two / one)


@experiment("planner", "A planner beside a controller", "planners are future work.")
def planner(lab, out):
    """A planner computes 80 ms of CPU time, ten times a second; a controller of 1000 Hz goes on
    meanwhile, on the same core. Neither may notice the other: cycles begin on their grid, and
    virtual time moves by the CPU time used."""
    seconds = 0.3 if lab.quick else 5
    fast = lab.subject("loop", 0.001, 0.0002, seconds, "controller.log", "actarray:0")
    slow = lab.subject("loop", 0.1, 0.08, seconds, "planner.log", "actarray:0")
    report = lab.simulate(world.pendulum() + world.controller("controller", fast, period=0.001)
                          + world.controller("planner", slow))
    for name, period in (("controller", PERIOD), ("planner", 100 * PERIOD)):
        cycles = lab.read_cycles(f"{name}.log")
        steady.compare_cycles(out, name, cycles, seconds, period)
    out.claim("real-time factor", report["factor"])


def pairs(lab):
    """[(name, what a pair of context switches takes there and back, in ns)]"""
    command = lab.command("bench/peers/ach-peers", "--rate", 0, "--size", 8, "--seconds", 1,
                          "--rounds", 1, "--only", "pipe", "--modules", "none",
                          "--json", "pairs.json")
    lab.call(["taskset", "-c", str(lab.core), *command], 120)
    rows = json.loads((lab.scratch / "pairs.json").read_text())["rows"]
    found = {row["contender"]: 2 * row["p50_ns"] for row in rows}
    return [(f"{name} pair", found[name]) for name in ("futex", "pipe")]


@experiment("overhead", "What an activation costs")
def overhead(lab, out):
    """Controllers that compute next to nothing, at 1000 Hz with the pendulum: one that only wakes
    up, one that also takes a sample and gives a command, and the one that balances. Beside it two
    processes that only send each other messages of 8 bytes, on the same core. All take turns;
    medians over the rounds."""
    rounds, seconds = (1, 0.2) if lab.quick else (7, 5)
    commands = {
        "wakes up": lab.subject("loop", 0.001, 0, seconds, "-"),
        "sample and command": lab.subject("loop", 0.001, 0, seconds, "-", "actarray:0"),
        "balances": lab.balance("--seconds", seconds),
    }
    took = {}
    for _ in range(rounds):
        for name, ns in pairs(lab):
            took.setdefault(name, []).append(ns)
        for name, command in commands.items():
            parts = world.pendulum() + world.controller("one", command, period=0.001)
            report = lab.simulate(parts, may_fail=True)
            took.setdefault(name, []).append(1e9 * report["wall"] / report["activations"])
    found = {name: world.percentile(values, 0.5) for name, values in took.items()}
    floor = found["futex pair"]
    for name, ns in found.items():
        out.claim(f"{name}: wall time", ns / 1000, unit="µs")
        if name in commands:
            goal = ("<=", 18.0) if name != "wakes up" else ()
            out.claim(f"{name}: activations per second", 1e9 / ns)
            out.claim(f"{name}: against a pair of context switches", ns / floor, *goal,
                      unit="times")
