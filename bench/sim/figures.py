# SPDX-License-Identifier: BSD-3-Clause
"""The paper's figures 1, 5, 6 and 7."""
import collections

import world
from world import PERIOD, experiment

NS = 1e-9
OF_PERIOD = "% of a period"

Step = collections.namedtuple("Step", "time cost position energy")


def boxes(lab):
    count = 20 if lab.quick else 1000
    return world.section("physics", name="boxes", engine="ode", model="boxes", count=count,
                         step=0.01)


def steps(lab, text, count):
    """The steps of a mechanism: what they cost, and where they lead."""
    (lab.scratch / "steps.cfg").write_text(text)
    done = lab.call(lab.command("bench/sim/steps", "steps.cfg", count), 600)
    if done.returncode != 0:
        raise world.CannotRun(done.stderr.strip())
    return [Step(*line) for line in world.numbers(done.stdout)]


@experiment(
    "fig1", "Figure 1: physics takes an uneven time",
    "the slowest iteration takes more than 50 % longer than the fastest, with 1,000 boxes.")
def uneven_steps(lab, out):
    """1,000 boxes slide and turn on a plane with walls, in ODE, in steps of 10 ms. The CPU time of
    each step."""
    if not lab.has_engine("ode"):
        raise world.CannotRun("the plug-in for ODE is not built")
    costs = [step.cost for step in steps(lab, boxes(lab), 50 if lab.quick else 2000)]
    low, middle, high = (world.percentile(costs, share) / 1e6 for share in (0.01, 0.5, 0.99))
    for name, value in (("p1", low), ("p50", middle), ("p99", high)):
        out.claim(f"step, {name}", value, unit="ms")
    out.claim("p99 / p1", high / low, ">=", 1.5, paper="> 1.5 (maximum / minimum)")
    late = costs[len(costs) // 2 :]
    ratio = world.percentile(late, 0.99) / world.percentile(late, 0.01)
    out.claim("p99 / p1 of the second half, when all lie on the plane", ratio)
    out.plot("CPU time of each step (as the paper's Figure 1)", "step", "ms",
             {"ODE, 1,000 boxes": [(i, cost / 1e6) for i, cost in enumerate(costs)]})


@experiment(
    "fig5", "Figures 5 and 6: controller time against simulation time",
    "with callbacks the simulation advances about 0.1 s for each second of the controller, and "
    "the ratio drifts; the consistent system is within 2 %.")
def two_models(lab, out):
    """A controller takes a sample of the pendulum, computes 10 ms of CPU time, which become 7 ms by
    the end of the run, and commands a torque; it would like to do so each millisecond. In the
    callback model the simulation stands still meanwhile. In the consistent model it moves on with
    the controller."""
    seconds = 0.02 if lab.quick else 0.5
    command = lab.subject("loop", 0.001, 0.01, seconds, "slow.log", "actarray:0", 0.7)
    parts = world.pendulum() + world.controller("slow", command)
    lab.simulate(parts, model="free")
    cycles = lab.read_cycles("slow.log")
    lab.simulate(parts, ledger="ledger.csv")
    slices = lab.read_ledger("slice", "slow")
    # [(CPU time, virtual time), s]. With callbacks the controller measures both itself. The ledger
    # leaves out what the controller's calls cost.
    first = slices[0]
    found = {
        "callback": [((one.end_cpu - cycles[0].cpu) * NS, (one.end - cycles[0].begin) * NS)
                     for one in cycles],
        "consistent": [((one.used_sum - first.used_sum) * NS, (one.time - first.time) * NS)
                       for one in slices],
    }
    ratio = {name: world.slope(line) for name, line in found.items()}
    drift = {name: world.rates(line, 25) for name, line in found.items()}
    out.claim("callback: simulation s per controller s", ratio["callback"], paper="about 0.1")
    out.claim("callback: that ratio at the beginning", drift["callback"][0][1])
    out.claim("callback: that ratio at the end", drift["callback"][-1][1], paper="it drifts")
    out.claim("consistent: simulation s per controller s", ratio["consistent"], paper="1 ± 0.02")
    error = abs(ratio["consistent"] - 1) * 100
    out.claim("consistent: slope off by", error, "<=", 0.1, "%", "2 %")
    cpu_label = "controller's CPU time, s"
    out.plot("Simulation time against controller time (as the paper's Figure 5)",
             cpu_label, "simulation time, s", found)
    out.plot("How fast simulation time grows with controller time (as the paper's Figure 6)",
             cpu_label, "s / s", drift)


def aggregate_error(slices):
    """What was granted less what was used, in percent of virtual time."""
    last = slices[-1]
    return 100 * abs(last.granted_sum - last.used_sum) / last.time


def own_error(lab, virtual):
    """By how many percent the CPU clock of "subject busy own.log" is off virtual time. Up to a
    slice it may be ahead, or on its way when all begin."""
    off = abs(int((lab.scratch / "own.log").read_text()) * NS - virtual)
    return 100 * max(0, off - 2 * PERIOD * NS) / virtual


def error_curve(slices):
    return [(one.time * NS, 100 * abs(one.granted_sum - one.used_sum) / one.time)
            for one in slices if one.time > 0 and one.granted_sum != one.used_sum]


def claim_overruns(out, name, slices, limit, paper=""):
    late = world.overruns(slices, PERIOD)
    out.claim(f"{name}, p50", world.percentile(late, 0.5), unit=OF_PERIOD)
    out.claim(f"{name}, p99", world.percentile(late, 0.99), "<=", limit, OF_PERIOD, paper)
    out.claim(f"{name}, maximum", max(late), unit=OF_PERIOD)


def error_run(lab, out, name, command, seconds, own=False):
    """The same with and without correction."""
    parts = world.pendulum() + world.controller("busy", command, period=0)
    found = {}
    for how, correction in (("with correction", True), ("without", False)):
        report = lab.simulate(parts, ledger="ledger.csv", duration=seconds, hang=0,
                              correction=correction)
        found[how] = lab.read_ledger("slice", "busy")
        if own and correction:
            error = own_error(lab, report["virtual"])
            out.claim(f"{name}: its own CPU clock is off by", error, "<=", 0.1, "%", "2 %")
    slices = found["with correction"]
    slope = world.slope([(one.time, one.used_sum) for one in slices])
    error, without = (aggregate_error(lines) for lines in found.values())
    out.claim(f"{name}: slope off by", abs(slope - 1) * 100, "<=", 0.1, "%", "2 %")
    out.claim(f"{name}: aggregate error", error, "<=", 0.01, "%", "< 2 %")
    claim_overruns(out, f"{name}: overrun of a cycle", slices, 2.0, "≤ 2 %")
    out.claim(f"{name}: slices", len(slices))
    out.claim(f"{name}: aggregate error without correction", without, unit="%")
    times = without / max(error, 1e-9)
    out.claim(f"{name}: … times that with correction", times, ">=", 10.0, paper="about 10")
    out.plot(f"{name}: aggregate error (as the paper's Figure 7)",
             "virtual time, s", "% of virtual time",
             {how: error_curve(lines) for how, lines in found.items()}, log_y=True)


@experiment(
    "fig7", "Figure 7: aggregate error of a controller that computes all the time",
    "below 2 % with correction over 100 s, about ten times as much without; a controller may "
    "overrun its interval by up to 2 %.")
def aggregate(lab, out):
    """A sensor of 1000 Hz is the world: each millisecond the controller is looked at and stopped.
    The error is the time that it was granted less the CPU time that it used, summed up. Without
    correction its time is what it was granted, as if timers were exact."""
    seconds = 0.3 if lab.quick else 10
    busy = lab.subject("busy", "own.log")
    error_run(lab, out, "no calls, 10,000 cycles", busy, seconds, own=True)
    clock = lab.subject("clock", seconds * 2, "clock.log")
    error_run(lab, out, "asks the time, 10,000 cycles", clock, seconds)
    if not lab.quick:
        error_run(lab, out, "no calls, 100 s", busy, 100, own=True)
