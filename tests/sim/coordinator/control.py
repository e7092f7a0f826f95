#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pause, step, speed and end by the control channel; the contents of the status channel."""
import json
import os
import re
import signal
import subprocess
import time

from coordinator import (ACH, LIMIT, Run, arm, check, controller, descendants, kill, main, path, put, read,
                         status, status_time, wait_until, world)

MS = 1000000
STEPS = controller("a", "steps", 1000000, cost=0.0001)
CONTROL = "sim.w.control"


def begin(*options, sections=(STEPS,), **more):
    r = Run(world(*sections, **more), *options)
    check(wait_until(lambda: status_time() is not None), "no status")
    return r


def stands():
    """The virtual time if it does not advance, else None."""
    time.sleep(0.5)
    a = status_time()
    time.sleep(0.5)
    return a if a == status_time() else None


def until_it_stands():
    found = []
    check(wait_until(lambda: found.append(stands()) or found[-1] is not None), "it does not stand")
    return found[-1]


def goes():
    a = status_time()
    return wait_until(lambda: status_time() != a)


def pause_and_go():
    for model in ("measured", "declared", "free"):
        r = begin("--pause", model=model)
        check(until_it_stands() == 0, "it did not begin paused")
        put(CONTROL, "go")
        check(goes(), "it does not go")
        put(CONTROL, "pause\n")
        until_it_stands()
        put(CONTROL, "go")
        check(goes(), "it does not go on")
        put(CONTROL, "end")
        r.expect(0)


def step():
    r = begin("--pause", sections=(controller("a", "steps", 1000000, 7 * MS, cost=0.0001),),
              model="declared")
    put(CONTROL, "step 0.25")
    check(wait_until(lambda: status_time() == 0.25), f"not 0.25 but {status_time()}")
    put(CONTROL, "step 0.1")
    check(wait_until(lambda: status_time() == 0.35), f"not 0.35 but {status_time()}")
    put(CONTROL, "step")
    check(wait_until(lambda: status_time() == 0.351), f"not 0.351 but {status_time()}")
    check(stands() == 0.351, "it goes on")
    text = status()
    check("granted" in text and "error" not in text, f"nothing was measured: {text}")
    put(CONTROL, "end")
    r.expect(0, "0.351000 s")


def step_to_the_end():
    r = begin("--pause", model="declared", duration=0.5)
    put(CONTROL, "step 0.2")
    check(wait_until(lambda: status_time() == 0.2), f"not 0.2 but {status_time()}")
    put(CONTROL, "step 100")
    r.expect(0, "0.500000 s")


def speed():
    start = time.monotonic()
    r = Run(world(STEPS, duration=2.0), "--speed", "2").expect(0, "2.000000 s")
    check(time.monotonic() - start > 0.95, "it was faster than it may")
    start = time.monotonic()
    Run(world(controller("a", "steps", 2, 1000 * MS)), "--speed", "1").expect(0)
    check(time.monotonic() - start > 1.5, "it was faster than it may, from event to event")
    r = begin(speed=0.01)
    check((status_time() or 0) < 1, "it is too fast")
    put(CONTROL, "speed 0")
    check(wait_until(lambda: (status_time() or 0) > 1), "it is still slow")
    put(CONTROL, "end")
    r.expect(0)


def at_least(seconds, r, start):
    """The run took at least this much wall time, by our clock and by its report."""
    r.expect(0)
    took = time.monotonic() - start
    told = re.search(r" s in ([0-9.]+) s of wall time", r.out)
    told = float(told.group(1)) if told else 0
    check(min(took, told) > seconds - 0.01, f"{seconds} s of wall time were {took}, told {told}")


def speed_when_one_ends():
    """The speed limit still holds after a controller, or a process started by one, has ended."""
    script = "for i in 1 2 3 4 5 6 7 8; do sleep 0.1; /bin/true; done"
    for model in ("measured", "declared", "free"):
        for ends in (controller("b", "steps", 50, 10 * MS, cost=0.0),
                     controller("b", ["/bin/sh", "-c", script], cost=0.0)):
            start = time.monotonic()
            r = Run(world(controller("a", "steps", 1000000, 10 * MS, cost=0.0001), ends,
                          model=model, duration=2.0), "--speed", "1")
            at_least(2, r, start)


def reaper_of(pid):
    """The coordinator's child in its own session: the reaper."""
    for child in descendants():
        try:
            with open(f"/proc/{child}/stat", encoding="utf-8", errors="replace") as f:
                words = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == pid and int(words[3]) == child:
            return child
    return None


def speed_without_reaper():
    """The speed limit still holds after the coordinator's reaper is killed."""
    start = time.monotonic()
    r = Run(world(controller("a", "steps", 1000000, 10 * MS), duration=2.0), "--speed", "1")
    wait_until(lambda: (status_time() or 0) > 0)
    reaper = reaper_of(r.child.pid)
    if check(reaper, "there is no reaper"):
        kill([reaper])
    at_least(2, r, start)


def speed_to_the_end():
    """A controller that wakes early on its own core and ends does not end the run too soon."""
    start = time.monotonic()
    r = Run(world(controller("a", "steps", 10, 10 * MS, MS), controller("b", "steps", 1, 1000 * MS),
                  cores=sorted(os.sched_getaffinity(0))[:2]), "--speed", "1")
    at_least(1, r, start)


def step_takes_a_second(words, end):
    start = time.monotonic()
    put(CONTROL, words)
    check(wait_until(lambda: status_time() == end), f"not {end} but {status_time()}")
    check(time.monotonic() - start > 0.99, f"{words} was faster than it may")


def step_at_speed():
    """A step observes the speed limit, and ends in time although no event happens in it."""
    r = begin("--pause", "--speed", "1", sections=(controller("a", "steps", 1, 10 ** 12),),
              duration=3.0 * LIMIT)
    check(until_it_stands() == 0, "it did not begin paused")
    step_takes_a_second("step 1", 1)
    put(CONTROL, "speed 0.5")
    time.sleep(1)
    step_takes_a_second("step 0.5", 1.5)
    put(CONTROL, "end")
    r.expect(0)


def go_during_a_step():
    """After "go" the simulation runs on past the end of the step."""
    r = begin("--pause", "--speed", "1")
    put(CONTROL, "step 1")
    put(CONTROL, "go")
    check(wait_until(lambda: (status_time() or 0) > 1.1), f"it stands at {status_time()}")
    put(CONTROL, "end")
    r.expect(0)


def paused_controllers_stand():
    """A pause stops a computing controller: it is not charged for it, nor reported as a hang."""
    r = begin(sections=(controller("a", "spin"),), slice=0.05, hang=4.0)
    check(wait_until(lambda: (status_time() or 0) > 0.05), "no beginning")
    put(CONTROL, "pause")
    at = until_it_stands()
    time.sleep(5)
    put(CONTROL, "step 0.1")
    check(wait_until(lambda: (status_time() or 0) >= at + 0.0995 or r.child.poll() is not None),
          "no step")
    now = status_time() or 0
    check(r.child.poll() is None and now < at + 1, f"from {at} it came to {now}")
    put(CONTROL, "end")
    r.expect(0)


def slow_worlds_are_no_hang():
    """A controller delayed by the speed limit is not reported as a hang."""
    for model in ("measured", "declared"):
        Run(world(controller("a", "steps", 2, 5000 * MS, 60 * MS, cost=0.001), model=model,
                  hang=3.0), "--speed", "1", "--duration", "6").expect(0)


def nonsense():
    """Unknown control words are reported; words that are too long or too many do no harm."""
    r = begin(model="free", speed=1.0)
    for words in ("paus", "pauses", "goat", "speed", "speed nan", "speed -1", "x" * 60, "y" * 1000,
                  "%s%n", "\n"):
        put(CONTROL, words)
    for _ in range(100):
        put(CONTROL, "go")
    check(goes(), "it does not go on")
    put(CONTROL, "end")
    r.expect(0, "ach sim: control: pause, go")


def paused_and_interrupted():
    r = begin("--pause")
    os.kill(r.child.pid, signal.SIGINT)
    r.expect(0, "interrupted")
    r = begin("--pause")
    put(CONTROL, "end")
    r.expect(0)


def controller_ends_in_a_pause():
    """The end of a controller in a pause is handled when time goes on."""
    r = begin("--pause", sections=(controller("short", "steps", 5), STEPS))
    put(CONTROL, "go")
    check(goes(), "it does not go")
    put(CONTROL, "end")
    r.expect(0)


def observer():
    """A client outside the simulation is served, also in a pause, and if no controller sends."""
    r = begin(sections=(arm(), STEPS), model="declared")
    for word in ("go", "pause"):
        put(CONTROL, word)
        if word == "pause":
            until_it_stands()
        done = subprocess.run([ACH, "dev", "req", "actarray:0", "get_geom"], capture_output=True,
                              text=True, timeout=LIMIT, check=False)
        check(done.returncode == 0, f"{word}: {done.stdout} {done.stderr}")
    put(CONTROL, "end")
    r.expect(0)


def observer_comes_late():
    """A late observer gets samples from its subscription on, in steps of the rate, without loss."""
    r = begin(sections=(arm(rate=100), STEPS), model="declared")
    check(wait_until(lambda: (status_time() or 0) > 2), "time does not pass")
    put(CONTROL, "pause")
    came = until_it_stands()
    with open(path("seen"), "w", encoding="utf-8") as out:
        p = subprocess.Popen([ACH, "dev", "print", "-j", "-c", "3", "actarray:0"], stdout=out,
                             stderr=subprocess.PIPE, text=True)
    for _ in range(50):  # fewer samples than the channel holds, so that none is lost
        if p.poll() is not None:
            break
        size = os.path.getsize(path("seen"))
        put(CONTROL, "step 0.01")
        wait_until(lambda: os.path.getsize(path("seen")) > size or p.poll() is not None, 1)
    if p.poll() is None:
        kill([p.pid])
    _, err = p.communicate()
    times = [json.loads(line)["time"] for line in read("seen").splitlines()]
    check(len(times) == 3 and times[0] >= came, f"it came at {came} s, and got {times}: {err}")
    check(all(abs(b - a - 0.01) < 1e-6 for a, b in zip(times, times[1:])), f"{times}")
    check("lost" not in err, err)
    put(CONTROL, "end")
    r.expect(0)


def refused():
    """Commands that a device refuses are reported, but only a few times."""
    for joint, words in ((7, "there is no joint 7"), (0, "nothing drives joint")):
        r = Run(world(arm(strength=0.0), controller("a", "wrong", "actarray:0", 20, joint,
                                                    cost=0.0001), model="declared"))
        r.expect(0, "is refused", words)
        check(r.err.count("\n") == 5, r.err)


main([observer, observer_comes_late, refused, pause_and_go, step, step_to_the_end, speed, speed_when_one_ends,
      speed_without_reaper, speed_to_the_end, step_at_speed, go_during_a_step, paused_controllers_stand,
      slow_worlds_are_no_hang, nonsense, paused_and_interrupted, controller_ends_in_a_pause])
