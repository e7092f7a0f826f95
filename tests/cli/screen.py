#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ach watch on a terminal: draws, survives a change of size, quits, restores the terminal.

It also gives the terminal back while it is stopped.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

ACH = sys.argv[1]
LIMIT = 40 * int(os.environ.get("ACH_TEST_TIME", 1))
failures = 0
# As in lib.sh: to look for leaks at the end of each process takes longer than the test.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"


def check(ok, what):
    global failures
    if not ok:
        print("FAILED:", what)
        failures += 1


def resize(fd, rows, columns=80):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class Screen:
    def __init__(self, before=()):
        self.master, slave = pty.openpty()
        resize(self.master, 24)
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.text = b""
        self.child = subprocess.Popen(
            [*before, ACH, "watch", "--interval", "0.1"], stdin=slave, stdout=slave, stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def read_until(self, part, times=1):
        end = time.monotonic() + LIMIT
        self.text = b""
        while self.text.count(part) < times and time.monotonic() < end:
            if select.select([self.master], [], [], 0.1)[0]:
                self.text += os.read(self.master, 65536)
        return self.text.count(part) >= times

    def drawn(self):
        """The lines of one whole screen."""
        if not self.read_until(b"\033[H", 2):
            return []
        shown = re.sub(rb"\033\[[?0-9]*[A-Za-z]", b"", self.text.split(b"\033[H")[1])
        return re.split(rb"\r+\n", shown.rstrip(b"\r\n"))

    def fits(self, rows, columns):
        """Lines are cut to the width, and there are as many as there is room for."""
        resize(self.master, rows, columns)
        end = time.monotonic() + LIMIT
        lines = []
        while [max(map(len, lines), default=0), len(lines)] != [columns, rows]:
            if time.monotonic() > end:
                check(False, "%s in %d rows of %d" % (lines, rows, columns))
                break
            lines = self.drawn()

    def finish(self, what):
        end = time.monotonic() + LIMIT
        while self.child.poll() is None and time.monotonic() < end:
            if select.select([self.master], [], [], 0.05)[0]:
                self.text += os.read(self.master, 65536)
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        while select.select([self.master], [], [], 0)[0]:
            self.text += os.read(self.master, 65536)
        check(self.child.returncode == 0, "%s: status %s" % (what, self.child.returncode))
        check(b"\033[?1049l" in self.text and b"\033[?25h" in self.text,
              "%s: the screen is not given back" % what)
        check(termios.tcgetattr(self.slave) == self.before,
              "%s: the terminal is not as before" % what)
        os.close(self.master)
        os.close(self.slave)


for i in range(30):
    subprocess.run([ACH, "mk", "-m", "2", "-n", "8", "c%02d" % i], check=True)

s = Screen()
check(s.read_until(b"\033[?1049h"), "no screen of its own")
check(s.read_until(b"c05"), "no channels on the screen")
check(s.read_until(b"... and 9 more"), "the rest is not counted")
resize(s.master, 10)
os.kill(s.child.pid, signal.SIGWINCH)
check(s.read_until(b"... and 23 more"), "a smaller window is not noticed")
os.write(s.master, b"x")
check(s.read_until(b"q quits"), "another key ends it")
os.write(s.master, b"q")
s.finish("q")

s = Screen()
check(s.read_until(b"c05"), "no channels on the screen")
os.write(s.master, b"\003")
s.finish("Ctrl-C")

s = Screen()
for size in (10, 40), (2, 5), (1, 1), (10, 20):
    s.fits(*size)
os.write(s.master, b"q")
s.finish("narrow")

# Ctrl-Z, under a shell that tells when it has the terminal, and goes on after a line
s = Screen(["sh", "-mc", '"$@"; echo "it was stopped"; read line; fg >/dev/null', "sh"])
check(s.read_until(b"c05"), "no channels on the screen")
os.write(s.master, b"\032")
check(s.read_until(b"it was stopped"), "Ctrl-Z does not stop it")
check(b"\033[?25h\033[?1049l" in s.text, "Ctrl-Z: the screen is not given back")
check(termios.tcgetattr(s.slave) == s.before, "Ctrl-Z: the terminal is not as before")
os.write(s.master, b"\n")
check(s.read_until(b"\033[?1049h\033[?25l"), "no screen of its own after Ctrl-Z")
check(s.read_until(b"c05"), "no channels on the screen after Ctrl-Z")
os.write(s.master, b"q")
s.finish("q after Ctrl-Z")

# Killed while it is stopped, it leaves the terminal alone, and ends.
s = Screen(["sh", "-mc", '"$@"; kill %1; kill -CONT %1;'
            'while kill -0 %1 2>/dev/null; do sleep 0.05; done', "sh"])
check(s.read_until(b"c05"), "no channels on the screen")
os.write(s.master, b"\032")
s.finish("killed while stopped")
check(s.text.count(b"\033[?1049l") == 1, "the terminal is given back twice")

for i in range(30):
    subprocess.run([ACH, "rm", "c%02d" % i], check=True)
sys.exit(1 if failures else 0)
