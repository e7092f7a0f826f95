#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ach watch on a terminal: draws, survives a change of size, quits, restores the terminal."""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

ACH = sys.argv[1]
LIMIT = 40
failures = 0


def check(ok, what):
    global failures
    if not ok:
        print("FAILED:", what)
        failures += 1


def resize(fd, rows):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))


class Screen:
    def __init__(self):
        self.master, slave = pty.openpty()
        resize(self.master, 24)
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.text = b""
        self.child = subprocess.Popen(
            [ACH, "watch", "--interval", "0.1"], stdin=slave, stdout=slave, stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def read_until(self, part):
        end = time.monotonic() + LIMIT
        self.text = b""
        while part not in self.text and time.monotonic() < end:
            if select.select([self.master], [], [], 0.1)[0]:
                self.text += os.read(self.master, 65536)
        return part in self.text

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

for i in range(30):
    subprocess.run([ACH, "rm", "c%02d" % i], check=True)
sys.exit(1 if failures else 0)
