# SPDX-License-Identifier: BSD-3-Clause
"""A controller's trace does not depend on what else the machine does, or on how slow physics is."""
import contextlib
import hashlib
import os
import subprocess
import sys

import figures
import stats
import world
from outcome import Outcome

PERIOD = figures.PERIOD
COMPUTE = 0.0003
SPIN = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
while os.getppid() == int(sys.argv[2]):
    for i in range(100000):
        pass
"""


@contextlib.contextmanager
def load_on(core):
    """A process that computes there; it ends with us."""
    process = subprocess.Popen([sys.executable, "-c", SPIN, str(core), str(os.getpid())])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def watch(lab, seconds, physics, extra=(), core=None):
    """Two controllers: one keeps a rate and has a log, one computes all the time."""
    log, own, ledger = lab.file("trace.log"), lab.file("own.log"), lab.file("ledger.csv")
    command = lab.subject("loop", 0.001, COMPUTE, seconds, log, "actarray:0")
    parts = [
        physics,
        world.sensor(),
        *extra,
        world.controller("loop", command, period=0.001, outside="wait"),
        world.controller("busy", lab.subject("busy", own)),
    ]
    with load_on(core) if core is not None else contextlib.nullcontext():
        report = lab.simulate(
            parts, "--ledger", ledger, "--duration", str(seconds + 0.1), hang=0, limit=1800
        )
    slices = world.Ledger(ledger, "slice", "busy")
    return {
        "trace": world.read_log(log),
        "factor": report["factor"],
        "own": figures.own_error(own, report["virtual"]),
        "error": figures.error_of(slices),
        "late": stats.percentile(stats.overruns(slices.armed, slices.used, PERIOD), 0.99),
    }


def plan(lab):
    """What is tried: [(name, seconds, physics, other sections, core with a load)]"""
    cores = sorted(os.sched_getaffinity(0) - {lab.core})
    long, middle, short = (0.2, 0.2, 0.02) if lab.quick else (10, 10, 2)
    tried = [
        ("undisturbed", long, world.pendulum(), (), None),
        ("undisturbed again", long, world.pendulum(), (), None),
    ]
    if cores:
        tried.append(("a load on another core", long, world.pendulum(), (), cores[0]))
    tried.append(("physics at 0.1 of real time", middle, world.pendulum(slow=10), (), None))
    tried.append(("physics at 0.01 of real time", short, world.pendulum(slow=100), (), None))
    if lab.has_engine("ode"):
        pose = world.section(
            "driver", name="sim_pose", provides=["position3d:0"], physics="boxes", rate=100
        )
        uneven = (figures.boxes(20 if lab.quick else 1000), pose)
        tried.append(("1,000 boxes in the same world", short, world.pendulum(), uneven, None))
    return tried


def wake_errors(trace):
    """How far each cycle begins from its point on the grid, ns."""
    first = trace[0][5] // PERIOD * PERIOD
    return [abs(line[5] - first - i * PERIOD) for i, line in enumerate(trace)]


def compare(out, name, seconds, found, base):
    trace = found["trace"]
    charge = [abs(e) * 100 / PERIOD for e in stats.charge_errors(trace)]
    wake = [e * 100 / PERIOD for e in wake_errors(trace)]
    apart = stats.deviation(trace, base, 4)
    out.claim(f"{name}: cycles", len(trace), "=", round(seconds * 1000))
    wake_high, charge_high = stats.percentile(wake, 0.99), stats.percentile(charge, 0.99)
    out.claim(f"{name}: beginning of a cycle, p99", wake_high, "<=", 2.0, "% of a period")
    out.claim(f"{name}: charge of a cycle, p99", charge_high, "<=", 2.0, "% of a period")
    out.claim(f"{name}: aggregate error", found["error"], "<=", 0.01, "%")
    out.claim(f"{name}: own CPU clock off by", found["own"], "<=", 0.1, "%")
    return [
        name, found["factor"], len(trace), wake_high, max(wake), charge_high, max(charge), apart,
        found["error"], found["own"], found["late"],
    ]  # fmt: skip


def conditions(lab):
    out = Outcome(
        lab,
        "steady",
        "The same trace, whatever else happens",
        "A controller of 1000 Hz takes a sample, computes 0.3 ms of CPU time and commands a "
        "torque, a sine of the cycle's number; another one computes all the time. Traces are "
        "compared so: each cycle must begin on its point of the grid, virtual time must move by "
        "the CPU time that was used, both within 2 % of a period (p99), no cycle may be "
        "missing, and the sampled angle is compared line by line with that of the first run. "
        "What remains is that real programs do not use the same CPU time twice.",
        "",
    )
    rows, lines, base = [], [], None
    for name, seconds, physics, extra, core in plan(lab):
        lab.note(f"{name}, {seconds:g} s of virtual time")
        found = watch(lab, seconds, physics, extra, core)
        base = base or found["trace"]
        rows.append(compare(out, name, seconds, found, base))
        lines.append((name, [(one[5] * 1e-9, one[4]) for one in found["trace"]]))
    heads = [
        "condition", "#real-time factor", "#cycles", "#begin p99 %", "#begin max %",
        "#charge p99 %", "#charge max %", "#angle apart, rad", "#aggregate error %",
        "#own clock %", "#overrun p99 %",
    ]  # fmt: skip
    out.table("Conditions", heads, rows)
    out.data("steady.csv", [head.lstrip("#") for head in heads], rows)
    traces = [(name, *point) for name, points in lines for point in points]
    out.data("steady-traces.csv", ["condition", "virtual_s", "angle"], traces)
    out.plot(
        "steady.svg", "The pendulum, as the controller sees it", "virtual time, s", "rad", lines
    )
    return out


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def robot(lab, number, seconds):
    """Sections of one robot, and its log."""
    log = lab.file(f"robot{number}.log")
    parts = [
        world.pendulum(f"arm{number}", angle=0.1 * (number + 1)),
        world.sensor(physics=f"arm{number}", number=number, noise=[0.001, 0.01]),
        world.controller(
            f"robot{number}",
            lab.balance("--device", f"actarray:{number}", "--seconds", seconds, "--log", log),
            period=0.001,
            cost=0.0002 + 0.0001 * number,
        ),
    ]
    return parts, log


def declared(lab, numbers, seconds):
    """Digests of the traces of these robots, in one world."""
    lab.note(f"robots {', '.join(map(str, numbers))}")
    parts, logs = [], {}
    for number in numbers:
        more, logs[number] = robot(lab, number, seconds)
        parts += more
    lab.simulate(parts, model="declared")
    return {number: digest(log) for number, log in logs.items()}


def identical(lab):
    out = Outcome(
        lab,
        "declared",
        "Declared costs: the same trace, byte for byte",
        "With a fixed cost for each cycle nothing depends on the machine. A robot swings its "
        "pendulum up, with noisy sensors; its trace has the time, the sample and the command of "
        "each cycle. Then two robots are simulated together and each alone.",
        "",
    )
    runs, seconds = (3, 3) if lab.quick else (20, 4)
    seen = [declared(lab, [0], seconds)[0] for _ in range(runs)]
    out.claim("runs", runs)
    out.claim("different traces", len(set(seen)), "=", 1)
    alone = {number: declared(lab, [number], seconds)[number] for number in (0, 1)}
    both = declared(lab, [0, 1], seconds)
    for number in (0, 1):
        same = "identical" if alone[number] == both[number] else "different"
        out.claim(f"robot {number}, alone and beside the other", same, "=", "identical")
    rows = [(f"run {i + 1}", one) for i, one in enumerate(seen)]
    rows += [(f"robot {n} alone", alone[n]) for n in (0, 1)]
    rows += [(f"robot {n} together", both[n]) for n in (0, 1)]
    out.table("SHA-256 of traces", ["trace", "SHA-256"], rows)
    out.data("declared.csv", ["trace", "sha256"], rows)
    for name, value in rows[-4:]:
        out.claim(f"sha256, {name}", value[:16] + "…")
    return out
