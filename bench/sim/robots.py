# SPDX-License-Identifier: BSD-3-Clause
"""The pendulum: with each integrator, and with each engine, swung up and balanced."""
import itertools
import re

import figures
import world
from world import experiment


def free_swing(lab, integrator, step, seconds):
    text = world.section("physics", name="arm", engine="pendulum", step=step, integrator=integrator,
                         angle=2.5, damping=0, **world.PENDULUM)
    return figures.steps(lab, text, round(seconds / step))


def back_steps(lab, integrator):
    """How often the time goes back, for a controller that asks for it all the time."""
    command = lab.subject("clock", 0.1 if lab.quick else 2, "clock.log")
    lab.simulate(world.pendulum(integrator=integrator) + world.controller("clock", command))
    lines = world.numbers((lab.scratch / "clock.log").read_text())
    return lines[-1][1]


@experiment("integrators", "Adaptive and implicit integration", "such integrators are future work.")
def integrators(lab, out):
    """A free pendulum from 2.5 rad, without friction, in steps of 10 ms, against RK4 with steps of
    0.01 ms. An adaptive integrator steps back and forth inside a step; the time that a controller
    sees must not."""
    seconds, fine = (0.5, 1e-4) if lab.quick else (10, 1e-5)
    truth = {step.time: step.position for step in free_swing(lab, "rk4", fine, seconds)}
    lines = {}
    for name in ("rk4", "adaptive", "implicit"):
        swing = free_swing(lab, name, 0.01, seconds)
        errors = [(step.time * 1e-9, abs(step.position - truth[step.time]))
                  for step in swing if step.time in truth]
        largest = max(error for _, error in errors)
        energy = max(abs(step.energy - swing[0].energy) for step in swing)
        cost = sum(step.cost for step in swing) / len(swing)
        back = back_steps(lab, name)
        lines[name] = [(time, error) for time, error in errors if error > 0]
        out.claim(f"{name}: largest error of the angle", largest, unit="rad")
        out.claim(f"{name}: largest change of energy", energy, unit="J")
        out.claim(f"{name}: cost of a step", cost / 1000, unit="µs")
        out.claim(f"{name}: times that time went back", back, "=", 0)
    out.plot("Error of the angle", "virtual time, s", "rad", lines, log_y=True)


def balances(lab, engine, busy, model):
    """What the controller says of itself, in short, and the report."""
    command = lab.balance("--seconds", 1.5 if lab.quick else 6, "--busy", busy)
    parts = world.pendulum(engine=engine) + world.controller("balance", command, period=0.001)
    report = lab.simulate(parts, may_fail=True, model=model)
    for printed, said in (("fell", "falls"), ("balanced", "balances")):
        if f"balance: {printed}" in report["text"]:
            return said, report
    raise world.CannotRun(f"balance: {report['text'].strip()[-300:]}")


def margin(lab):
    done = lab.call(lab.balance("--margin"), 30)
    found = re.search(r"delay margin ([\d.]+) ms; ([\d.]+) ms", done.stdout)
    if not found:
        raise world.CannotRun(f"balance says no margin: {done.stdout}")
    return float(found[1]), float(found[2])


@experiment(
    "pendulum", "The pendulum task", "a PD controller swings the pendulum up and balances it.")
def task(lab, out):
    """An unmodified program swings a pendulum up and balances it at 1000 Hz, with more computation
    in each cycle than it needs: a busy loop of CPU time. The same program, gains and engines in
    both models; only in the consistent one does time pass meanwhile."""
    whole, left = margin(lab)
    out.claim("delay margin of the loop", whole, unit="ms")
    out.claim("… left for computation at 1000 Hz", left, unit="ms")
    models = {"consistent": "measured", "callback": "free"}
    rows = []
    for engine in ("pendulum",) if lab.quick else ("pendulum", "ode", "mujoco"):
        if not lab.has_engine(engine):
            out.say(f"The plug-in for {engine} is not built.")
            continue
        for busy, model in itertools.product((0, 0.0005, 0.002), models):
            name = f"{engine}, {busy * 1000:g} ms more, {model}"
            said, report = balances(lab, engine, busy, models[model])
            wanted = "falls" if busy > 0.001 and model == "consistent" else "balances"
            out.claim(name, said, *(() if lab.quick else ("=", wanted)))
            rows.append((engine, busy * 1000, model, said, wanted, report["factor"]))
    heads = ["engine", "busy, ms", "model", "it", "expected", "real-time factor"]
    out.table("The pendulum task", heads, rows)
