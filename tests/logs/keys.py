#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Keys that steer ach replay: pause, step, jumps, speed, quit; and what is left of the terminal.

keys.py ACH
"""
import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time

import recording as r

ACH = os.path.realpath(sys.argv[1])
COUNT = 40


class Player:
    """A replay in a terminal of its own. The line of status tells what it has done."""

    def __init__(self, *words, before=()):
        self.master, self.slave = pty.openpty()
        self.before = termios.tcgetattr(self.slave)
        self.text = ""
        self.child = subprocess.Popen([*before, ACH, "replay", *words], stdin=self.slave, stdout=self.slave,
                                      stderr=self.slave, start_new_session=True,
                                      preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def type(self, keys):
        os.write(self.master, keys)

    def more(self):
        if select.select([self.master], [], [], 0.1)[0]:
            self.text += os.read(self.master, 65536).decode(errors="replace")

    def shows(self, pattern):
        """Wait for a line of status; only what comes from now on counts."""
        end = time.monotonic() + r.LIMIT
        self.text = ""
        while not re.search(pattern, self.text) and time.monotonic() < end:
            self.more()
        return r.check(re.search(pattern, self.text), "'%s' is not shown: %r" % (pattern, self.text[-300:]))

    def end(self, status=0):
        end = time.monotonic() + r.LIMIT
        while self.child.poll() is None and time.monotonic() < end:
            self.more()
        if self.child.poll() is None:
            self.child.kill()
        self.more()
        r.same(self.child.wait(), status, "status of the replay: %r" % self.text[-300:])
        r.same(termios.tcgetattr(self.slave), self.before, "the terminal")
        os.close(self.master)
        os.close(self.slave)


def numbers(count):
    return [int(m["text"].split()[-1]) for m in r.channel_take(ACH, "plain", count)]


def record():
    """A message each 2 s: nothing is played by accident while a key is on its way."""
    m = r.Mcap()
    m.channel(1, "plain", metadata=r.geometry("plain", 256, 64))
    for i in range(COUNT):
        m.message(1, r.START + 2 * i * r.SECOND, b"hello %d" % i, i + 1)
    r.write("slow.mcap", m.end())
    r.run(ACH, "log", "filter", "-o", "fast.mcap", "slow.mcap")
    r.run(ACH, "log", "convert", "-o", "slow.achlog", "slow.mcap")


def steps(path):
    p = Player("--create", "--paused", path)
    p.shows(r"paused at 0\.000 s.*0 messages")
    p.type(b".")
    p.shows(r"paused at 0\.000 s.*1 messages")
    p.type(b".")
    p.shows(r"paused at 2\.000 s.*2 messages")
    p.type(b"\033[C")  # 5 s on: the next one is that of 8 s
    p.shows(r"paused at 7\.000 s.*2 messages")
    p.type(b".")
    p.shows(r"paused at 8\.000 s.*3 messages")
    p.type(b"\033[D")  # 5 s back: then that of 4 s
    p.shows(r"paused at 3\.000 s")
    p.type(b".")
    p.shows(r"paused at 4\.000 s.*4 messages")
    p.type(b"\033[H.")
    p.shows(r"paused at 0\.000 s.*5 messages")
    p.type(b"q")
    p.end()
    r.check("5 messages played" in p.text, p.text)
    r.same(numbers(5), [0, 1, 4, 2, 0], "in the order of the keys")


def runs():
    p = Player("--create", "--paused", "fast.mcap")
    p.shows("paused")
    for i in range(1, 20):
        p.type(b"+")
        p.shows("speed %g," % 2**i)
    p.type(b" ")  # the rest at half a million times the speed
    p.end()
    r.check("%d messages played" % COUNT in p.text, p.text)
    r.same(numbers(COUNT), list(range(COUNT)), "all")
    p = Player("--create", "--speed", "0.5", "fast.mcap")
    p.shows("at .* of 78.0 s, .*speed 0.5, 1 messages")
    p.type(b"-")
    p.shows("speed 0.25")
    p.type(b" ")
    p.shows("paused")
    p.type(b" ")
    p.shows(r"\rat |\x1b\[Kat ")
    p.type(b"\003")
    p.end(-signal.SIGINT)
    r.same(numbers(1), [0], "until Ctrl-C")


def stops():
    """Ctrl-Z under a shell that prints a line when it has the terminal, and runs fg after input."""
    p = Player("--create", "--paused", "fast.mcap",
               before=["sh", "-mc", '"$@"; echo "it was stopped"; read line; fg >/dev/null', "sh"])
    p.shows("paused")
    p.type(b"\032")
    p.shows("it was stopped")
    r.same(termios.tcgetattr(p.slave), p.before, "the terminal of a stopped replay")
    p.type(b"\n")
    p.shows("paused")
    p.type(b".")
    p.shows("1 messages")
    p.type(b"q")
    p.end()
    numbers(1)


def quiet():
    p = Player("--create", "--quiet", "--max", "fast.mcap")
    p.end()
    r.same(p.text, "", "quiet")
    numbers(COUNT)


r.enter()
record()
for recording in "slow.mcap", "fast.mcap", "slow.achlog":
    steps(recording)
runs()
stops()
quiet()
r.finish()
