# SPDX-License-Identifier: BSD-3-Clause
"""The paper's figures 1, 5, 6 and 7."""
import stats
import world
from outcome import Outcome

NS = 1e-9
PERIOD = 1000000  # ns


def boxes(count):
    return world.section(
        "physics", name="boxes", engine="ode", model="boxes", count=count, step=0.01
    )


def steps(lab, text, count, limit=600):
    """[(time, cost of the step, position, velocity, energy)]"""
    path = lab.write("steps.cfg", text)
    done = lab.call([lab.program("bench/sim/steps"), path, str(count)], limit)
    if done.returncode != 0:
        raise world.CannotRun(done.stderr.strip())
    lines = (line.split() for line in done.stdout.splitlines())
    return [(int(one[0]), int(one[1]), *map(float, one[2:])) for one in lines]


def uneven_steps(lab):
    out = Outcome(
        lab,
        "fig1",
        "Figure 1: physics takes an uneven time",
        "1,000 boxes slide and turn on a plane with walls, in ODE, in steps of 10 ms. The CPU time "
        "of each step.",
        "the slowest iteration takes more than 50 % longer than the fastest, with 1,000 boxes.",
    )
    if not lab.has_engine("ode"):
        raise world.CannotRun("the plug-in for ODE is not built")
    found = steps(lab, boxes(20 if lab.quick else 1000), 50 if lab.quick else 2000)
    costs = [one[1] for one in found]
    low, middle, high = (stats.percentile(costs, share) / 1e6 for share in (0.01, 0.5, 0.99))
    out.claim("step, p1", low, unit="ms")
    out.claim("step, p50", middle, unit="ms")
    out.claim("step, p99", high, unit="ms")
    out.claim("p99 / p1", high / low, ">=", 1.5, paper="> 1.5 (maximum / minimum)")
    late = costs[len(costs) // 2 :]
    ratio = stats.percentile(late, 0.99) / stats.percentile(late, 0.01)
    out.claim("p99 / p1 of the second half, when all lie on the plane", ratio)
    out.data("fig1.csv", ["step", "cpu_ns"], list(enumerate(costs)))
    out.plot(
        "fig1.svg",
        "CPU time of each step (as the paper's Figure 1)",
        "step",
        "ms",
        [("ODE, 1,000 boxes", [(i, cost / 1e6) for i, cost in enumerate(costs)])],
    )
    return out


def slow_controller(lab, cycles, *arguments):
    """One that computes 10 ms in each cycle of 1 ms; in the end 7 ms. Its log and its slices."""
    log, ledger = lab.file("controller.log"), lab.file("ledger.csv")
    command = lab.subject("loop", 0.001, 0.01, cycles * 0.001, log, "actarray:0", 0.7)
    lab.simulate(
        [world.pendulum(), world.sensor(), world.controller("slow", command)],
        "--ledger",
        ledger,
        *arguments,
    )
    return world.read_log(log), world.Ledger(ledger, "slice")


def callback_time(lab, cycles):
    """[(virtual time, controller's CPU time), s], as the controller itself measures them."""
    lines, _ = slow_controller(lab, cycles, "--callback")
    begin = lines[0]
    return [((one[2] - begin[0]) * NS, (one[3] - begin[1]) * NS) for one in lines]


def consistent_time(lab, cycles):
    """The same by the coordinator's ledger, which leaves out what the controller's calls cost."""
    _, slices = slow_controller(lab, cycles)
    begin, used = slices.time[0], slices.used_sum[0]
    return [((t - begin) * NS, (u - used) * NS) for t, u in zip(slices.time, slices.used_sum)]


def two_models(lab):
    out = Outcome(
        lab,
        "fig5",
        "Figures 5 and 6: controller time against simulation time",
        "A controller takes a sample of the pendulum, computes 10 ms of CPU time, which become "
        "7 ms by the end of the run, and commands a torque; it would like to do so each "
        "millisecond. In the callback model the simulation stands still meanwhile. In the "
        "consistent model it moves on with the controller.",
        "with callbacks the simulation advances about 0.1 s for each second of the controller, and "
        "the ratio drifts; the consistent system is within 2 %.",
    )
    cycles = 20 if lab.quick else 500
    lab.note("callback model, then consistent")
    found = {"callback": callback_time(lab, cycles), "consistent": consistent_time(lab, cycles)}
    ratio = {
        name: stats.slope([c for _, c in points], [t for t, _ in points])
        for name, points in found.items()
    }
    drift = {
        name: stats.rates([c for _, c in points], [t for t, _ in points], 25)
        for name, points in found.items()
    }
    out.claim("callback: simulation s per controller s", ratio["callback"], paper="about 0.1")
    out.claim("callback: that ratio at the beginning", drift["callback"][0][1])
    out.claim("callback: that ratio at the end", drift["callback"][-1][1], paper="it drifts")
    out.claim("consistent: simulation s per controller s", ratio["consistent"], paper="1 ± 0.02")
    error = abs(ratio["consistent"] - 1) * 100
    out.claim("consistent: slope off by", error, "<=", 0.1, "%", "2 %")
    rows = [(name, t, c) for name, points in found.items() for t, c in points]
    out.data("fig5.csv", ["model", "virtual_s", "controller_cpu_s"], rows)
    out.plot(
        "fig5.svg",
        "Simulation time against controller time (as the paper's Figure 5)",
        "controller's CPU time, s",
        "simulation time, s",
        [(name, [(c, t) for t, c in points]) for name, points in found.items()],
    )
    out.plot(
        "fig6.svg",
        "How fast simulation time grows with controller time (as the paper's Figure 6)",
        "controller's CPU time, s",
        "s / s",
        list(drift.items()),
    )
    return out


def computing_all_the_time(lab, command, seconds, *arguments, **options):
    """A ledger's slices, and the report."""
    ledger = lab.file("ledger.csv")
    report = lab.simulate(
        [
            world.pendulum(),
            world.sensor(),
            world.controller("busy", command, period=0),
        ],
        "--ledger",
        ledger,
        "--duration",
        str(seconds),
        *arguments,
        hang=0,
        **options,
    )
    return world.Ledger(ledger, "slice"), report


def error_of(ledger):
    return abs(stats.aggregate_error(ledger.granted_sum[-1], ledger.used_sum[-1], ledger.time[-1]))


def error_curve(ledger):
    return [
        (t * NS, 100 * abs(g - u) / t)
        for t, g, u in zip(ledger.time, ledger.granted_sum, ledger.used_sum)
        if t > 0 and g != u
    ]


def own_error(path, virtual):
    """By how many percent its own CPU clock is off virtual time. Up to a slice it may be ahead, or
    on its way when all begin."""
    with open(path, encoding="ascii") as file:
        off = abs(int(file.read()) * NS - virtual)
    return 100 * max(0, off - 2 * PERIOD * NS) / virtual


def error_run(lab, out, name, command, seconds, plot, own=None):
    """The same with and without correction."""
    lines, errors, rows = [], {}, []
    for how, arguments in (("with correction", ()), ("without", ("--no-correction",))):
        lab.note(f"{name}, {how}")
        ledger, report = computing_all_the_time(lab, command, seconds, *arguments)
        errors[how] = error_of(ledger)
        lines.append((how, error_curve(ledger)))
        rows += [
            (how, *row)
            for row in zip(
                ledger.time, ledger.armed, ledger.used, ledger.granted_sum, ledger.used_sum
            )
        ]
        if arguments:
            continue
        part = stats.slope(ledger.time, ledger.used_sum)
        if own:
            error = own_error(own, report["virtual"])
            out.claim(f"{name}: its own CPU clock is off by", error, "<=", 0.1, "%", "2 %")
        late = stats.overruns(ledger.armed, ledger.used, PERIOD)
        out.claim(f"{name}: slope off by", abs(part - 1) * 100, "<=", 0.1, "%", "2 %")
        out.claim(f"{name}: aggregate error", errors[how], "<=", 0.01, "%", "< 2 %")
        out.claim(f"{name}: overrun of a cycle, p50", stats.median(late), unit="% of a period")
        high = stats.percentile(late, 0.99)
        out.claim(f"{name}: overrun of a cycle, p99", high, "<=", 2.0, "% of a period", "≤ 2 %")
        out.claim(f"{name}: overrun of a cycle, maximum", max(late), unit="% of a period")
        out.claim(f"{name}: slices", len(late))
    out.claim(f"{name}: aggregate error without correction", errors["without"], unit="%")
    times = errors["without"] / max(errors["with correction"], 1e-9)
    out.claim(f"{name}: … times that with correction", times, ">=", 10.0, paper="about 10")
    out.data(
        f"{plot}.csv",
        ["correction", "time_ns", "armed_ns", "used_ns", "granted_sum_ns", "used_sum_ns"],
        rows,
    )
    out.plot(
        f"{plot}.svg",
        f"{name}: aggregate error (as the paper's Figure 7)",
        "virtual time, s",
        "% of virtual time",
        lines,
        log_y=True,
    )


def aggregate(lab):
    out = Outcome(
        lab,
        "fig7",
        "Figure 7: aggregate error of a controller that computes all the time",
        "A sensor of 1000 Hz is the world: each millisecond the controller is looked at and "
        "stopped. The error is the time that it was granted less the CPU time that it used, "
        "summed up. Without correction its time is what it was granted, as if timers were exact.",
        "below 2 % with correction over 100 s, about ten times as much without; a controller may "
        "overrun its interval by up to 2 %.",
    )
    short, long = (0.3, 0) if lab.quick else (10, 100)
    own = lab.file("own.log")
    busy = lab.subject("busy", own)
    error_run(lab, out, "no calls, 10,000 cycles", busy, short, "fig7-busy", own)
    clock = lab.subject("clock", short * 2, lab.file("clock.log"))
    error_run(lab, out, "asks the time, 10,000 cycles", clock, short, "fig7-clock")
    if long:
        error_run(lab, out, "no calls, 100 s", busy, long, "fig7-100s", own)
    return out
