# SPDX-License-Identifier: BSD-3-Clause
"""A controller's trace does not depend on what else the machine does, or on how slow physics is."""
import contextlib
import hashlib
import os
import subprocess
import sys

import figures
import world
from figures import OF_PERIOD
from world import PERIOD, experiment

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


def conditions(lab):
    """What is tried: (name, seconds, world without controllers, load on the machine)"""
    cores = sorted(os.sched_getaffinity(0) - {lab.core})
    long, short = (0.2, 0.02) if lab.quick else (10, 2)
    none = contextlib.nullcontext()
    yield "undisturbed", long, world.pendulum(), none
    yield "undisturbed again", long, world.pendulum(), none
    if cores:
        yield "a load on another core", long, world.pendulum(), load_on(cores[0])
    yield "physics at 0.1 of real time", long, world.pendulum(slow=10), none
    yield "physics at 0.01 of real time", short, world.pendulum(slow=100), none
    if lab.has_engine("ode"):
        pose = world.section("driver", name="sim_pose", provides=["position3d:0"], physics="boxes",
                             rate=100)
        boxes = world.pendulum() + figures.boxes(lab) + pose
        yield "1,000 boxes in the same world", short, boxes, none


def compare_cycles(out, name, cycles, seconds, period=PERIOD):
    """No cycle may be missing. Each must begin on its point of the grid, and be charged the CPU
    time that it used. How far they are off, in percent of the period: beginnings, charges."""
    first = cycles[0].woke // period * period
    wake = [100 * abs(one.woke - first - i * period) / period for i, one in enumerate(cycles)]
    charge = [100 * abs(error) / period for error in world.charge_errors(cycles)]
    out.claim(f"{name}: cycles", len(cycles), "=", round(seconds * 1e9 / period))
    for what, values in (("beginning", wake), ("charge", charge)):
        high = world.percentile(values, 0.99)
        out.claim(f"{name}: {what} of a cycle, p99", high, "<=", 2.0, OF_PERIOD)
    return wake, charge


@experiment("steady", "The same trace, whatever else happens")
def steady(lab, out):
    """A controller of 1000 Hz takes a sample, computes 0.3 ms of CPU time and commands a torque, a
    sine of the cycle's number; another one computes all the time. Traces are compared so: each
    cycle must begin on its point of the grid, virtual time must move by the CPU time that was used,
    both within 2 % of a period (p99), no cycle may be missing, and the sampled angle is compared
    line by line with that of the first run. What remains is that real programs do not use the same
    CPU time twice."""
    rows, traces, base = [], {}, None
    busy = world.controller("busy", lab.subject("busy", "own.log"))
    for name, seconds, parts, load in conditions(lab):
        command = lab.subject("loop", 0.001, 0.0003, seconds, "loop.log", "actarray:0")
        loop = world.controller("loop", command, period=0.001, outside="wait")
        with load:
            report = lab.simulate(parts + loop + busy, limit=1800, ledger="ledger.csv",
                                  duration=seconds + 0.1, hang=0)
        cycles, slices = lab.read_cycles("loop.log"), lab.read_ledger("slice", "busy")
        base = base or cycles
        wake, charge = compare_cycles(out, name, cycles, seconds)
        apart = max(abs(one.angle - other.angle) for one, other in zip(cycles, base))
        error, own = figures.aggregate_error(slices), figures.own_error(lab, report["virtual"])
        out.claim(f"{name}: aggregate error", error, "<=", 0.01, "%")
        out.claim(f"{name}: own CPU clock off by", own, "<=", 0.1, "%")
        rows.append((
            name, report["factor"], len(cycles), world.percentile(wake, 0.99), max(wake),
            world.percentile(charge, 0.99), max(charge), apart, error, own,
            world.percentile(world.overruns(slices, PERIOD), 0.99)))
        traces[name] = [(one.woke * 1e-9, one.angle) for one in cycles]
    heads = [
        "condition", "real-time factor", "cycles", "begin p99 %", "begin max %", "charge p99 %",
        "charge max %", "angle apart, rad", "aggregate error %", "own clock %", "overrun p99 %"]
    out.table("Conditions", heads, rows)
    out.plot("The pendulum, as the controller sees it", "virtual time, s", "rad",
             traces)


def declared_digests(lab, numbers, seconds):
    """SHA-256 of the traces of these robots, simulated in one world."""
    parts = ""
    for i in numbers:
        command = lab.balance("--device", f"actarray:{i}", "--seconds", seconds,
                              "--log", f"robot{i}.log")
        parts += world.pendulum(i, noise=(0.001, 0.01), angle=0.1 * (i + 1))
        parts += world.controller(f"robot{i}", command, period=0.001, cost=0.0002 + 0.0001 * i)
    lab.simulate(parts, model="declared")
    logs = [lab.scratch / f"robot{i}.log" for i in numbers]
    return [hashlib.sha256(log.read_bytes()).hexdigest() for log in logs]


@experiment("declared", "Declared costs: the same trace, byte for byte")
def declared(lab, out):
    """With a fixed cost for each cycle nothing depends on the machine. A robot swings its pendulum
    up, with noisy sensors; its trace has the time, the sample and the command of each cycle. Then
    two robots are simulated together and each alone."""
    runs, seconds = (3, 3) if lab.quick else (20, 4)
    seen = [declared_digests(lab, [0], seconds)[0] for _ in range(runs)]
    out.claim("runs", runs)
    out.claim("different traces", len(set(seen)), "=", 1)
    alone = [declared_digests(lab, [i], seconds)[0] for i in (0, 1)]
    both = declared_digests(lab, [0, 1], seconds)
    for i in (0, 1):
        same = "identical" if alone[i] == both[i] else "different"
        out.claim(f"robot {i}, alone and beside the other", same, "=", "identical")
    rows = [(f"run {i}", digest) for i, digest in enumerate(seen, 1)]
    rows += [(f"robot {i} alone", digest) for i, digest in enumerate(alone)]
    rows += [(f"robot {i} together", digest) for i, digest in enumerate(both)]
    out.table("SHA-256 of traces", ["trace", "sha256"], rows)
    for name, digest in rows[-4:]:
        out.claim(f"sha256, {name}", digest[:16] + "…")
