#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Five hosts that know each other by names: a pair, a chain, a fan-out and a ring carry a million
messages, while daemons are killed, hosts are paused, links are cut and addresses change. Every
message that a channel still holds must arrive, once and in order.

million.py ACHD ACH ORACLE [SEED]
"""
import os
import random
import signal
import struct
import sys
import time

from hosts import BASE, SILENCE, check, hosts, result, scale, tell_names, until, wait

TOTAL = min(scale(3_000_000), 10_000_000)  # a million in make check
ROUNDS = 1 + TOTAL // 500_000  # of all kinds of faults
FRAMES = 8192
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.SystemRandom().randrange(1 << 32)
ALL = hosts(5)
A, B, C, D, E = ALL
dice = random.Random(SEED)


class Shape:
    """A channel on several hosts, with oracles."""

    def __init__(self, name, share, links, writers, readers, frames=FRAMES):
        self.name, self.links, self.writers, self.readers = name, links, writers, readers
        self.count = max(1000, int(TOTAL * share) // len(writers) // len(readers))
        self.frames = frames
        self.mode = "all" if frames == FRAMES else "newest"

    def begin(self):
        """A message may be followed in a channel by all that its source is ahead, and by twice as
        many of each other source, which may have waited elsewhere."""
        for host in self.writers:
            host.make(self.name, self.frames, 64, "--relayed")
        self.env = {"ORACLE_READERS": str(len(self.readers)),
                    "ORACLE_SOURCES": str(len(self.writers)),
                    "ORACLE_AHEAD": str(FRAMES // (2 * len(self.writers)) - 128),
                    "ORACLE_PROGRESS": os.path.join(BASE, f"progress-{self.name}")}
        last = {i + 1: self.count for i in range(len(self.writers))}
        self.getting = [h.get(self.name, last, env={**self.env, "ORACLE_READER": str(i)})
                        for i, h in enumerate(self.readers)]
        self.putting = [h.put(self.name, i + 1, self.count, 20, env=self.env)
                        for i, h in enumerate(self.writers)]

    def progress(self):
        """The last number that all readers have of all sources."""
        with open(self.env["ORACLE_PROGRESS"], "rb") as f:
            words = struct.unpack("256Q", f.read())
        return min(words[16 * r + s + 1] for r in range(len(self.readers))
                   for s in range(len(self.writers)))

    def lost(self):
        """What the daemons know of messages that are missing."""
        return [(h.number, f["gaps"], f["failed"]) for h in ALL for f in h.flows()
                if f["channel"] == self.name and f["gaps"] + f["failed"]]

    def end(self):
        """How many messages the oracles have seen. If a channel has several writers, the sequences
        of its messages count those of all of them."""
        wait(*self.putting)
        got = [result(r) for r in self.getting]
        for host, rows in zip(self.readers, got):
            for source, (received, missing, by_origin) in rows.items():
                exact = self.mode == "newest" or (received, missing) == (self.count, 0)
                check(exact and received + missing <= self.count and
                      (len(self.writers) > 1 or by_origin == missing),
                      f"{self.name}: source {source} of {self.count} at host {host.number}: "
                      f"{received} received, {missing} missing, {by_origin} by origin; since the last "
                      f"start of each daemon: {self.lost()}")
        os.remove(self.env["ORACLE_PROGRESS"])
        return sum(row[0] for rows in got for row in rows.values())


SHAPES = [
    Shape("pair", 0.25, [("push", A, B)], [A], [B]),
    Shape("chain", 0.25, [("push", A, B), ("pull", C, B), ("push", C, D), ("pull", E, D)], [A],
          [B, C, D, E]),
    Shape("fan", 0.25, [("push", A, B), ("push", A, C), ("pull", D, A), ("pull", E, A)], [A],
          [B, C, D, E]),
    Shape("ring", 0.25, [("push", h, ALL[(i + 1) % 5]) for i, h in enumerate(ALL)], ALL, ALL),
    Shape("newest", 0.05, [("push", B, C), ("pull", D, C)], [B], [D], frames=8),
]


def daemon(host):
    lines = [f"{kind} h{other.number} {s.name} {s.mode}\n" for s in SHAPES
             for kind, asks, other in s.links if asks is host]
    host.achd(config="listen 0.0.0.0\ncreate *\n" + "".join(lines))


def processes(host):
    return [p for p in host.started if p.poll() is None]


def kill(host):
    host.kill()
    yield 0.1
    host.restart()


def stop(host, pids, seconds):
    for p in pids:
        p.send_signal(signal.SIGSTOP)
    yield seconds
    for p in pids:
        p.send_signal(signal.SIGCONT)


def cut(host, seconds):
    host.cut()
    yield seconds
    host.cut(False)


def move(host):
    host.readdress(f"10.77.0.{dice.randrange(10, 250) // 5 * 5 + host.number - 1}")
    yield 0.3
    tell_names()


SHORT = [kill, kill, lambda h: stop(h, [h.daemon], 0.3), lambda h: stop(h, processes(h), 0.3),
         lambda h: cut(h, 0.2)]
LONG = [lambda h: stop(h, [h.daemon], SILENCE + 1), lambda h: stop(h, processes(h), SILENCE + 1),
        lambda h: cut(h, SILENCE + 1), move, move]


def fault(kind):
    """On one host or two, overlapping."""
    steps = [kind(host) for host in dice.sample(ALL, dice.choice([1, 1, 2]))]
    while steps:
        rest = []
        for step in steps:
            seconds = next(step, None)
            if seconds is not None:
                rest.append(step)
                time.sleep(dice.random() * seconds if seconds < SILENCE else seconds)
        steps = rest


def disturb():
    """Faults of all kinds. After each one every channel must get on."""
    todo = (SHORT + LONG) * ROUNDS
    dice.shuffle(todo)
    for i, kind in enumerate(todo):
        fault(kind)
        for s in SHAPES:
            want = s.count * (i + 1) // (len(todo) + 1)
            until(lambda: f"{s.name} is at {want}, not {s.progress()}",
                  lambda: s.progress() >= want)
    return len(todo)


print(f"seed {SEED}, {TOTAL} messages", file=sys.stderr, flush=True)
tell_names()
begin = time.monotonic()
for s in SHAPES:
    s.begin()
for h in ALL:
    daemon(h)
faults = disturb()
seen = sum(s.end() for s in SHAPES)
for h in ALL:
    h.kill(signal.SIGTERM)
    check(h.daemon.returncode == 0, f"the daemon of host {h.number} ends well")
check(seen >= TOTAL, f"{seen} of {TOTAL} messages seen")
print(f"{seen} messages, {faults} faults, {time.monotonic() - begin:.0f} s")
sys.exit(0)
