# SPDX-License-Identifier: BSD-3-Clause
"""The pendulum: with each integrator, and with each engine, swung up and balanced."""
import re

import figures
import world
from outcome import Outcome

ENGINES = ("pendulum", "ode", "mujoco")
INTEGRATORS = ("rk4", "adaptive", "implicit")


def free_swing(lab, integrator, step, seconds):
    text = world.section(
        "physics", name="arm", engine="pendulum", step=step, integrator=integrator, angle=2.5,
        damping=0, **world.PENDULUM,
    )  # fmt: skip
    return figures.steps(lab, text, round(seconds / step))


def back_steps(lab, integrator, seconds):
    """How often the time goes back, for a controller that asks for it all the time."""
    log = lab.file("clock.log")
    physics = world.pendulum(integrator=integrator)
    command = lab.subject("clock", seconds, log)
    lab.simulate([physics, world.sensor(), world.controller("clock", command)])
    times = [one[0] for one in world.read_log(log)]
    return sum(b < a for a, b in zip(times, times[1:])), len(times)


def integrators(lab):
    out = Outcome(
        lab,
        "integrators",
        "Adaptive and implicit integration",
        "A free pendulum from 2.5 rad, without friction, in steps of 10 ms, against RK4 with steps "
        "of 0.01 ms. An adaptive integrator steps back and forth inside a step; the time that a "
        "controller sees must not.",
        "such integrators are future work.",
    )
    seconds, fine = (0.5, 1e-4) if lab.quick else (10, 1e-5)
    truth = {one[0]: one[2] for one in free_swing(lab, "rk4", fine, seconds)}
    lines, rows = [], []
    for name in INTEGRATORS:
        lab.note(name)
        swing = free_swing(lab, name, 0.01, seconds)
        error = [(one[0] * 1e-9, abs(one[2] - truth[one[0]])) for one in swing if one[0] in truth]
        energy = max(abs(one[4] - swing[0][4]) for one in swing)
        cost = sum(one[1] for one in swing) / len(swing)
        back, looks = back_steps(lab, name, 0.1 if lab.quick else 2)
        rows.append((name, max(e for _, e in error), energy, cost, looks, back))
        lines.append((name, [(t, e) for t, e in error if e > 0]))
        out.claim(f"{name}: largest error of the angle", rows[-1][1], unit="rad")
        out.claim(f"{name}: largest change of energy", energy, unit="J")
        out.claim(f"{name}: cost of a step", cost / 1000, unit="µs")
        out.claim(f"{name}: times that time went back", back, "=", 0)
    heads = ["integrator", "error_rad", "energy_change_J", "step_ns", "looks", "back"]
    out.data("integrators.csv", heads, rows)
    out.plot(
        "integrators.svg",
        "Error of the angle",
        "virtual time, s",
        "rad",
        lines,
        log_y=True,
    )
    return out


def balances(lab, engine, busy, arguments, seconds):
    """What the controller says of itself, in short."""
    parts = [
        world.pendulum(engine=engine),
        world.sensor(),
        world.controller(
            "balance", lab.balance("--seconds", seconds, "--busy", busy), period=0.001
        ),
    ]
    report = lab.simulate(parts, *arguments, may_fail=True)
    text = report["text"]
    if "balance: fell" in text:
        return "falls", report
    if "balance: balanced" in text:
        return "balances", report
    raise world.CannotRun(f"balance: {text.strip()[-300:]}")


def margin(lab):
    done = lab.call(lab.balance("--margin"), 30)
    found = re.search(r"delay margin ([\d.]+) ms; ([\d.]+) ms", done.stdout)
    if not found:
        raise world.CannotRun(f"balance says no margin: {done.stdout}")
    return float(found[1]), float(found[2])


def task(lab):
    out = Outcome(
        lab,
        "pendulum",
        "The pendulum task",
        "An unmodified program swings a pendulum up and balances it at 1000 Hz, with more "
        "computation in each cycle than it needs: a busy loop of CPU time. The same program, "
        "gains and engines in both models; only in the consistent one does time pass meanwhile.",
        "a PD controller swings the pendulum up and balances it.",
    )
    whole, left = margin(lab)
    out.claim("delay margin of the loop", whole, unit="ms")
    out.claim("… left for computation at 1000 Hz", left, unit="ms")
    rows = []
    seconds = 1.5 if lab.quick else 6
    for engine in ("pendulum",) if lab.quick else ENGINES:
        if not lab.has_engine(engine):
            out.say(f"The plug-in for {engine} is not built.")
            continue
        for busy in (0, 0.0005, 0.002):
            for model, arguments in (("consistent", ()), ("callback", ("--callback",))):
                lab.note(f"{engine}, {busy * 1000:g} ms more, {model}")
                said, report = balances(lab, engine, busy, arguments, seconds)
                wanted = "falls" if busy > 0.001 and model == "consistent" else "balances"
                goal = () if lab.quick else ("=", wanted)
                out.claim(f"{engine}, {busy * 1000:g} ms more, {model}", said, *goal)
                rows.append((engine, busy * 1000, model, said, wanted, report["factor"]))
    heads = ["engine", "#busy, ms", "model", "it", "expected", "#real-time factor"]
    out.table("The pendulum task", heads, rows)
    out.data("pendulum.csv", [head.lstrip("#") for head in heads], rows)
    return out
