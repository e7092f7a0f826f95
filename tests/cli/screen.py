#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ach watch on a terminal: draws, sorts, scrolls, filters, quits, restores the terminal.

It also restores the terminal while it is stopped (Ctrl-Z). ach plot does so, too.
"""
import contextlib
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

ACH = sys.argv[1]
STAGE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../support/stage")
LIMIT = 40 * int(os.environ.get("ACH_TEST_TIME", 1))
failures = 0
# As in lib.sh: leak detection at the end of each process would take longer than the test.
os.environ["TERM"] = "xterm"
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"


def check(ok, what):
    global failures
    if not ok:
        print("FAILED:", what)
        failures += 1


def resize(fd, rows, columns=80):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class Screen:
    def __init__(self, before=(), arguments=(), verb=("watch", "--interval", "0.1"), **environment):
        self.master, slave = pty.openpty()
        resize(self.master, 24)
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.text = b""
        self.child = subprocess.Popen(
            [*before, ACH, *verb, *arguments], stdin=slave, stdout=slave, stderr=slave,
            start_new_session=True, env={**os.environ, **environment},
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def read_until(self, part, times=1):
        end = time.monotonic() + LIMIT
        self.text = b""
        while self.text.count(part) < times and time.monotonic() < end:
            if select.select([self.master], [], [], 0.1)[0]:
                self.text += os.read(self.master, 65536)
        return self.text.count(part) >= times

    def drawn(self):
        """The lines of one complete screen."""
        if not self.read_until(b"\033[H", 2):
            return []
        shown = re.sub(rb"\033\[[?0-9]*[A-Za-z]", b"", self.text.split(b"\033[H")[1])
        return re.split(rb"\r+\n", shown.rstrip(b"\r\n"))

    def shows(self, what, condition):
        """Wait until the screen's lines meet the condition."""
        end = time.monotonic() + LIMIT
        lines = []
        while time.monotonic() < end:
            lines = self.drawn()
            if lines and condition(lines):
                return
        check(False, "%s: %s" % (what, lines))

    def fits(self, rows, columns):
        """Resize; wait until the lines are cut to the width and fill all rows."""
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
check(s.read_until(b"rows 1-22 of 30"), "the rest is not counted")
resize(s.master, 10)
os.kill(s.child.pid, signal.SIGWINCH)
check(s.read_until(b"rows 1-8 of 30"), "a smaller window is not noticed")
os.write(s.master, b"x")
check(s.read_until(b"q quit"), "another key ends it")
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

# Keys: scroll, sort, filter. All rates are 0, so rows come in the order of names.
s = Screen()
s.shows("first rows", lambda l: l[1].startswith(b"c00 ") and b"RATEv" in l[0])
os.write(s.master, b"\033[B\033[B")
s.shows("two down", lambda l: l[1].startswith(b"c02 "))
os.write(s.master, b"k")
s.shows("one up", lambda l: l[1].startswith(b"c01 "))
os.write(s.master, b"\033[F")
s.shows("the end", lambda l: l[-2].startswith(b"c29 ") and b"rows 9-30 of 30" in l[-1])
os.write(s.master, b"\033[6~")
s.shows("behind the end", lambda l: l[-2].startswith(b"c29 "))
os.write(s.master, b"\033[5~")
s.shows("a page up", lambda l: l[1].startswith(b"c00 "))
os.write(s.master, b"<")
s.shows("by name", lambda l: l[0].startswith(b"NAMEv ") and b"RATEv" not in l[0])
os.write(s.master, b"r")
s.shows("by name, reversed", lambda l: l[1].startswith(b"c29 ") and l[0].startswith(b"NAME^ "))
os.write(s.master, b"/C1xq")
s.shows("nothing passes", lambda l: len(l) == 2 and b"filter: C1xq_" in l[-1])
os.write(s.master, b"\177\177\n")
s.shows("a filter", lambda l: len(l) == 12 and l[1].startswith(b"c19 ") and b"filter: C1" in l[-1])
os.write(s.master, b"\033")
s.shows("no filter", lambda l: b"rows 1-22 of 30" in l[-1])
check(b"\033[7m" in s.text, "titles are not shown as such")
os.write(s.master, b"q")
s.finish("keys")

# A busy channel comes first, in colour, with the processes that use it.
writer = subprocess.Popen([ACH, "put", "--line", "c29"], stdin=subprocess.PIPE)
feeding = True


def feed():
    while feeding:
        writer.stdin.write(b"x\n")
        writer.stdin.flush()
        time.sleep(0.005)


feeder = threading.Thread(target=feed, daemon=True)
feeder.start()
name = b"ach:%d" % writer.pid
s = Screen()
s.shows("the busy channel first", lambda l: l[1].startswith(b"c29 ") and l[1].split()[7] == name)
check(b"\033[32mc29 " in s.text, "the busy channel is not green")
os.write(s.master, b"q")
s.finish("busy")
s = Screen(arguments=["--sort", "name", "--reverse", "c2[0-9]"], NO_COLOR="1")
s.shows("sorted by an option", lambda l: l[1].startswith(b"c29 ") and len(l) == 12)
check(not re.search(rb"\033\[[0-9]*m", s.text), "NO_COLOR is not honoured")
os.write(s.master, b"q")
s.finish("no colour")

# info and ls --who list the same processes: a read-only reader, and the writer.
reader = subprocess.Popen([sys.executable, "-c", "import mmap, os, sys, time\n"
                           "f = os.open(sys.argv[1], os.O_RDONLY)\n"
                           "m = mmap.mmap(f, 4096, prot=mmap.PROT_READ)\n"
                           "print('ready', flush=True)\ntime.sleep(1000)",
                           os.path.join(os.environ["ACH_DIR"], "achshm-c29")],
                          stdout=subprocess.PIPE)
reader.stdout.readline()
told = json.loads(subprocess.run([ACH, "info", "--json", "c29"], check=True,
                                 capture_output=True).stdout)["processes"]
access = {p["pid"]: p["writes"] for p in told}
check(access == {writer.pid: True, reader.pid: False}, "info: %s" % told)
out = subprocess.run([ACH, "info", "c29"], check=True, capture_output=True).stdout
check(re.search(rb"^read and write +%s$" % name, out, re.M), "info: %s" % out)
check(re.search(rb"^only read +python[^:]*:%d$" % reader.pid, out, re.M), "info: %s" % out)
out = subprocess.run([ACH, "ls", "--who", "--no-rate", "c2[89]"], check=True,
                     capture_output=True).stdout.splitlines()
check(out[0].split()[8:] == [b"READ+WRITE", b"READ"], "ls: %s" % out)
check(out[1].split()[8:] == [b"-", b"-"], "ls: %s" % out)
check(out[2].split()[8] == name and out[2].endswith(b":%d" % reader.pid), "ls: %s" % out)
if os.getuid() == 0 and shutil.which("setpriv"):
    # Another user does not see them, but their number is reported.
    os.chmod(os.environ["ACH_DIR"], 0o755)
    with tempfile.TemporaryDirectory() as stage:
        subprocess.run([STAGE, stage, ACH], check=True)
        told = json.loads(subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", stage + "/ach", "info",
             "--json", "c29"],
            check=True, stdout=subprocess.PIPE, env=dict(os.environ, LD_LIBRARY_PATH=stage)).stdout)
        check(told["processes"] == [] and told["hidden_processes"] >= 2, "nobody: %s" % told)
reader.kill()
reader.wait()
feeding = False
feeder.join()
writer.stdin.close()
check(writer.wait() == 0, "the writer failed")

# get does not write binary data to a terminal, except with --raw.
def on_terminal(*arguments):
    master, slave = pty.openpty()
    done = subprocess.run([ACH, *arguments], stdin=subprocess.DEVNULL, stdout=slave,
                          stderr=subprocess.PIPE, check=True, timeout=LIMIT)
    os.close(slave)
    text = b""
    with contextlib.suppress(OSError): # raised when the other end is closed
        while more := os.read(master, 65536):
            text += more
    os.close(master)
    return text, done.stderr


for i, text in (0, b"\033[2Jx"), (1, b"good\nlines"):
    subprocess.run([ACH, "put", "c%02d" % i], input=text, check=True)
text, said = on_terminal("get", "c00")
check(b"\033" not in text and b"1b 5b 32 4a 78" in text, "get: %s" % text)
check(b"--raw writes it unchanged" in said, "get: %s" % said)
check(on_terminal("get", "--raw", "c00") == (b"\033[2Jx", b""), "get --raw")
check(on_terminal("get", "--hex", "c00") == (b"1b5b324a78\r\n", b""), "get --hex")
check(on_terminal("get", "c01") == (b"good\r\nlines", b""), "get text")
check(subprocess.run([ACH, "get", "c00"], stdout=subprocess.PIPE).stdout == b"\033[2Jx",
      "get into a pipe")

# Ctrl-Z, under a shell that prints a line when it gets the terminal, and runs fg after input.
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

# If it is killed while it is stopped, it ends and does not restore the terminal again.
s = Screen(["sh", "-mc", '"$@"; kill %1; kill -CONT %1;'
            'while kill -0 %1 2>/dev/null; do sleep 0.05; done', "sh"])
check(s.read_until(b"c05"), "no channels on the screen")
os.write(s.master, b"\032")
s.finish("killed while stopped")
check(s.text.count(b"\033[?1049l") == 1, "the terminal is given back twice")

# ach plot draws what arrives, fits the window, and gives the terminal back however it ends.
subprocess.run([ACH, "mk", "--type", "demo", "--encoding", "json", "plotted"], check=True)


def plot(*arguments, **environment):
    s = Screen(verb=("plot", "--window", "1000"), arguments=[*arguments, "plotted", "x", "a.y"], **environment)
    check(s.read_until(b"no values"), "plot draws nothing")
    for x, y in (1, 5), (2, -7), (3, 0.5):
        subprocess.run([ACH, "pub", "plotted", "x=%s" % x, "a.y=%s" % y], check=True)
    s.shows("values", lambda lines: b"plotted: 3 messages; q quits" in lines[0] and
            re.search(rb"x +now 3 +min 1 +max 3", lines[1]) and re.search(rb"a.y +now 0.5 +min -7 +max 5", lines[2]))
    return s


s = plot(LC_ALL="C.UTF-8")
s.shows("braille", lambda lines: any(re.search(b"\xe2[\xa0-\xa3]", line) for line in lines[3:]))
subprocess.run([ACH, "put", "plotted", "{"], check=True)
s.shows("a wrong message", lambda lines: b"plotted: 4 messages, 1 not decoded; q quits" in lines[0])
check(s.read_until(b"\033[36m") and s.read_until(b"\033[33m"), "plot has no colours")
os.write(s.master, b"q")
s.finish("q of plot")
s = plot("--ascii", LC_ALL="C.UTF-8", NO_COLOR="1")
s.shows("ascii", lambda lines: any(b"+" in line for line in lines[3:]))
check(b"\033[36m" not in s.text and b"\xe2" not in s.text, "plot --ascii: %s" % s.text)
s.fits(12, 50)
s.fits(30, 100)
os.kill(s.child.pid, signal.SIGTERM)
s.finish("SIGTERM of plot")
s = plot(LC_ALL="C")
s.shows("locale without UTF-8", lambda lines: any(b"+" in line for line in lines[3:]) and
        re.fullmatch(rb" +-1000 +0 s", lines[-1]))
os.kill(s.child.pid, signal.SIGINT)
s.finish("SIGINT of plot")
subprocess.run([ACH, "rm", "plotted"], check=True)

for i in range(30):
    subprocess.run([ACH, "rm", "c%02d" % i], check=True)
sys.exit(1 if failures else 0)
