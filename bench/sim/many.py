# SPDX-License-Identifier: BSD-3-Clause
"""Over-runners, many controllers, several cores, a planner, and what an activation costs."""
import os

import figures
import stats
import world
from outcome import Outcome

PERIOD = figures.PERIOD


def overrun(lab):
    out = Outcome(
        lab,
        "overrun",
        "A controller that overruns is suspended",
        "A controller with a period of 1 ms may use half of it, and computes all the time "
        "instead. It is stopped until its next period. How much more CPU time it got than its "
        "budget:",
        "suspension was future work.",
    )
    ledger = lab.file("ledger.csv")
    lab.simulate(
        [
            world.pendulum(),
            world.sensor(),
            world.controller(
                "greedy", lab.subject("busy"), period=0.001, budget=0.0005, overrun="suspend"
            ),
        ],
        "--ledger",
        ledger,
        "--duration",
        "0.2" if lab.quick else "10",
        hang=0,
    )
    lines = world.Ledger(ledger, "overrun", "greedy")
    late = [100 * (used - budget) / PERIOD for used, budget in zip(lines.used, lines.armed)]
    out.claim("times suspended", len(late))
    out.claim("stopped after its budget, p50", stats.median(late), unit="% of a period")
    high = stats.percentile(late, 0.99)
    out.claim("stopped after its budget, p99", high, "<=", 100.0, "% of a period")
    out.claim("stopped after its budget, maximum", max(late), unit="% of a period")
    rows = list(zip(lines.time, lines.armed, lines.used))
    out.data("overrun.csv", ["time_ns", "budget_ns", "used_ns"], rows)
    return out


def crowd(lab, count, compute, seconds, cores):
    """That many controllers of 1000 Hz, each with a pendulum of its own."""
    parts = []
    for i in range(count):
        command = lab.subject("loop", 0.001, compute, seconds, "-", f"actarray:{i}")
        parts.append(world.pendulum(f"arm{i}"))
        parts.append(world.sensor(physics=f"arm{i}", number=i))
        parts.append(world.controller(f"c{i}", command, period=0.001))
    return lab.simulate(parts, cores=cores)


def controllers(lab):
    out = Outcome(
        lab,
        "many",
        "Many controllers on one core",
        "N robots, each a pendulum with a controller of its own that takes a sample and gives a "
        "command at 1000 Hz, all in one world on one core.",
        "one controller only; several are future work.",
    )
    counts, seconds = ((1, 2), 0.1) if lab.quick else ((1, 2, 4, 8, 16, 32, 100), 2)
    rows = []
    for count in counts:
        lab.note(f"{count} controllers")
        try:
            report = crowd(lab, count, 0, seconds, [lab.core])
        except world.CannotRun as error:
            out.failed[f"{count} controllers"] = str(error)
            continue
        rows.append((count, report["rate"], report["factor"]))
        out.claim(f"{count} controllers: activations per second", report["rate"])
        out.claim(f"{count} controllers: real-time factor", report["factor"])
    out.data("many.csv", ["controllers", "activations_per_s", "real_time_factor"], rows)
    for name, label, column in (("rate", "activations / s", 1), ("factor", "real-time factor", 2)):
        out.plot(
            f"many-{name}.svg",
            f"{label}, for N controllers on one core",
            "controllers",
            label,
            [(label, [(row[0], row[column]) for row in rows])],
            log_x=True,
            log_y=True,
            at=[row[0] for row in rows],
        )
    return out


def own_error(path, virtual):
    """What the controller's clock moved, less the CPU time it used meanwhile; % of the run. To read
    both clocks takes the same time in each cycle, the median: that is no error."""
    found = stats.charge_errors(world.read_log(path))
    usual = stats.median(found)
    return 100 * abs(sum(one - usual for one in found)) / (1e9 * virtual)


def errors(lab, count, compute, seconds):
    """Of each of so many controllers: by the report, and by its own clocks."""
    parts, logs = [], []
    for i in range(count):
        logs.append(lab.file(f"crowd{i}.log"))
        command = lab.subject("loop", 0.001, compute, seconds, logs[-1], f"actarray:{i}")
        parts.append(world.pendulum(f"arm{i}"))
        parts.append(world.sensor(physics=f"arm{i}", number=i))
        parts.append(world.controller(f"c{i}", command, period=0.001, outside="wait"))
    report = lab.simulate(parts, limit=3600)
    virtual = report["virtual"]
    told = [100 * abs(c["error"]) / virtual for c in report["controllers"].values()]
    own = [own_error(log, virtual) for log in logs]
    for log in logs:
        os.unlink(log)
    return told, own


def crowds(lab):
    out = Outcome(
        lab,
        "crowd",
        "The error of each of many controllers",
        "N controllers at 1000 Hz on one core, each with a pendulum of its own; each computes for "
        "a part of its period. The worst of them: the difference between the time that it was "
        "granted and the CPU time that it used, by the report; and the same by its own clocks, "
        "which it reads before and after its work, without what it takes to read them.",
        "one controller only.",
    )
    tried = [(1, 0.1), (5, 0.1), (5, 0.5), (20, 0.1), (100, 0.1)]
    if lab.quick:
        tried = [(1, 0.1), (2, 0.1)]
    rows = []
    for count, load in tried:
        lab.note(f"{count} controllers, {load * 100:g} % load")
        told, own = errors(lab, count, load * 0.001, 0.1 if lab.quick else 10)
        rows.append((count, load, max(told), max(own)))
        name = f"{count} controllers, {load * 100:g} % load"
        goal = () if lab.quick else ("<=", 0.05)
        out.claim(f"{name}: error by the report", max(told), *goal, unit="%")
        out.claim(f"{name}: error by their own clocks", max(own), *goal, unit="%")
    out.data("crowd.csv", ["controllers", "load", "error_told", "error_own"], rows)
    return out


def cores(lab):
    out = Outcome(
        lab,
        "cores",
        "Two cores against one",
        "Controllers that compute 0.5 ms of CPU time in each cycle of 1 ms, on one core and on "
        "two: they may compute at the same time, since each is in front of what it has seen.",
        "one core only.",
    )
    both = sorted(os.sched_getaffinity(0))[-2:]
    if len(both) < 2:
        raise world.CannotMeasure("one processor")
    rows = []
    for count in (2,) if lab.quick else (2, 4):
        lab.note(f"{count} controllers, on one core and on two")
        one = crowd(lab, count, 0.0005, 0.1 if lab.quick else 3, [lab.core])
        two = crowd(lab, count, 0.0005, 0.1 if lab.quick else 3, both)
        rows.append((count, one["factor"], two["factor"], two["factor"] / one["factor"]))
        out.claim(f"{count} controllers: real-time factor, one core", one["factor"])
        out.claim(f"{count} controllers: real-time factor, two cores", two["factor"])
        out.claim(f"{count} controllers: two cores / one", two["factor"] / one["factor"])
    out.data("cores.csv", ["controllers", "factor_one", "factor_two", "ratio"], rows)
    return out


def planner(lab):
    out = Outcome(
        lab,
        "planner",
        "A planner beside a controller",
        "A planner computes 80 ms of CPU time, ten times a second; a controller of 1000 Hz goes "
        "on meanwhile, on the same core. Neither may notice the other: cycles begin on their grid, "
        "and virtual time moves by the CPU time used.",
        "planners are future work.",
    )
    seconds = 0.3 if lab.quick else 5
    fast, slow = lab.file("fast.log"), lab.file("slow.log")
    report = lab.simulate(
        [
            world.pendulum(),
            world.sensor(),
            world.controller(
                "controller",
                lab.subject("loop", 0.001, 0.0002, seconds, fast, "actarray:0"),
                period=0.001,
            ),
            world.controller(
                "planner", lab.subject("loop", 0.1, 0.08, seconds, slow, "actarray:0")
            ),
        ]
    )
    for name, path, period in (("controller", fast, PERIOD), ("planner", slow, 100 * PERIOD)):
        trace = world.read_log(path)
        begin = trace[0][5] // period * period
        late = [100 * abs(one[5] - begin - i * period) / period for i, one in enumerate(trace)]
        charge = [100 * abs(e) / period for e in stats.charge_errors(trace)]
        out.claim(f"{name}: cycles", len(trace), "=", round(seconds * 1e9 / period))
        high = stats.percentile(late, 0.99)
        out.claim(f"{name}: beginning of a cycle, p99", high, "<=", 2.0, "% of a period")
        high = stats.percentile(charge, 0.99)
        out.claim(f"{name}: charge of a cycle, p99", high, "<=", 2.0, "% of a period")
        heads = ["begin_ns", "cpu_ns", "end_ns", "end_cpu_ns", "angle", "woke_ns"]
        out.data(f"planner-{name}.csv", heads, trace)
    out.claim("real-time factor", report["factor"])
    return out


def overhead(lab):
    out = Outcome(
        lab,
        "overhead",
        "What an activation costs",
        "Controllers that compute next to nothing, at 1000 Hz with the pendulum: one that only "
        "wakes up, one that also takes a sample and gives a command, and the one that balances. "
        "Beside it two processes that only wake each other, on the same core. All take turns; "
        "medians over the rounds.",
        "",
    )
    rounds, seconds, count = (1, 0.2, 2000) if lab.quick else (7, 5, 50000)
    commands = {
        "wakes up": lab.subject("loop", 0.001, 0, seconds, "-"),
        "sample and command": lab.subject("loop", 0.001, 0, seconds, "-", "actarray:0"),
        "balances": lab.balance("--seconds", seconds),
    }
    rows = []
    for i in range(rounds):
        lab.note(f"round {i + 1} of {rounds}")
        done = lab.call([lab.program("bench/sim/switches"), str(lab.core), str(count)], 120)
        pairs = zip(("futex pair", "pipe pair"), done.stdout.split())
        rows += [(i, how, float(ns)) for how, ns in pairs]
        for name, command in commands.items():
            one = world.controller("one", command, period=0.001)
            report = lab.simulate([world.pendulum(), world.sensor(), one], may_fail=True)
            rows.append((i, name, 1e9 * report["wall"] / report["activations"]))
    names = dict.fromkeys(row[1] for row in rows)
    found = {name: stats.median([r[2] for r in rows if r[1] == name]) for name in names}
    floor = found["futex pair"]
    for name, ns in found.items():
        out.claim(f"{name}: wall time", ns / 1000, unit="µs")
        if name in commands:
            goal = ("<=", 18.0) if name != "wakes up" else ()
            out.claim(f"{name}: activations per second", 1e9 / ns)
            out.claim(
                f"{name}: against a pair of context switches", ns / floor, *goal, unit="times"
            )
    out.data("overhead.csv", ["round", "what", "ns"], rows)
    return out
