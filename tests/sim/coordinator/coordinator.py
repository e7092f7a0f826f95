# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of the coordinator: world files, runs of ach sim, checks for leftovers.

usage: TEST ACH ACTOR STATIC [CASE ...]
"""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ACH, ACTOR, STATIC = map(os.path.realpath, sys.argv[1:4])
LIMIT = 60 * int(os.environ.get("ACH_TEST_TIME", 1))  # seconds, for any run
DIR = os.environ["ACH_DIR"]
STAGE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../support/stage")
failures = 0
tmp = tempfile.mkdtemp(prefix="achsim.")
current = ""


def check(ok, what):
    global failures
    if not ok:
        print(f"FAILED: {current}: {what}", flush=True)
        failures += 1
    return ok


def scale(n):
    return max(1, n * int(os.environ.get("ACH_TEST_SCALE", "100")) // 100)


def path(name):
    return os.path.join(tmp, name)


def read(name):
    with open(path(name), encoding="utf-8") as f:
        return f.read()


def value(v):
    if isinstance(v, (list, tuple)):
        return "[" + " ".join(value(x) for x in v) + "]"
    if isinstance(v, bool):
        return str(int(v))
    return f'"{v}"' if isinstance(v, str) else repr(v)


def section(kind, **options):
    return f"{kind}\n(\n" + "".join(f"  {k} {value(v)}\n" for k, v in options.items()) + ")\n"


def controller(name, *command, **options):
    """A controller section that runs the actor with these arguments, or the program in a list."""
    words = command[0] if isinstance(command[0], list) else [ACTOR, *map(str, command)]
    return section("controller", name=name, command=words, **options)


def world(*sections, **options):
    """Write a world file; return its path. The hang limit is long unless a test sets it."""
    options = {"name": "w", "hang": 100.0, **options}
    name = path("world.cfg")
    with open(name, "w", encoding="utf-8") as f:
        f.write(section("world", **options) + "".join(sections))
    return name


PENDULUM = dict(engine="pendulum", step=0.01, gravity=0.0, mass=1.0, length=1.0)


def arm(name="arm", device="actarray:0", rate=100, **physics):
    return section("physics", name=name, **{**PENDULUM, **physics}) + section(
        "driver", name="sim_joints", provides=[device], physics=name, rate=rate)


class Run:
    """One run of ach sim."""

    def __init__(self, file, *options, before=None, env=None, prefix=()):
        self.out = self.err = ""
        self.status = None
        self.child = subprocess.Popen([*prefix, ACH, "sim", *options, file], text=True, cwd=tmp,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, preexec_fn=before,
                                      env={**os.environ, **(env or {})})

    def end(self, limit=LIMIT):
        try:
            self.out, self.err = self.child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.out, self.err = self.child.communicate()
            check(False, f"no end after {limit} s")
        self.status = self.child.returncode
        return self

    def expect(self, status, *words):
        """Wait for the end; check the exit status, the output, and that nothing is left."""
        if self.status is None:
            self.end()
        text = self.out + self.err
        if not (check(self.status == status, f"status {self.status}, not {status}")
                & check(all(w in text for w in words), f"no {words}")):
            print(text)
        nothing_left()
        return self


@contextlib.contextmanager
def staged():
    """Use copies of ach and the actor that every user can execute."""
    global ACH, ACTOR
    kept = ACH, ACTOR
    stage = path("stage")
    preload = os.path.join(os.path.dirname(ACH), "../sim/preload/libachsim-preload.so")
    subprocess.run([STAGE, stage, ACH, ACTOR, preload], check=True)
    ACH, ACTOR = (os.path.join(stage, os.path.basename(p)) for p in kept)
    os.environ.update(LD_LIBRARY_PATH=stage,
                      ACH_SIM_PRELOAD=os.path.join(stage, os.path.basename(preload)))
    try:
        yield
    finally:
        ACH, ACTOR = kept
        del os.environ["LD_LIBRARY_PATH"], os.environ["ACH_SIM_PRELOAD"]


def sim(file, *options, **more):
    return Run(file, *options, **more).end()


def descendants():
    """All descendants of this process, also those in other sessions."""
    parents = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
                parents[int(pid)] = int(f.read().rpartition(")")[2].split()[1])
        except OSError:
            pass
    found, new = set(), {os.getpid()}
    while new:
        new = {p for p, parent in parents.items() if parent in new} - found
        found |= new
    return found


def actors():
    """All processes of the actor with our ACH_DIR, whatever their parent is by now."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            exe = os.readlink(f"/proc/{pid}/exe")
            with open(f"/proc/{pid}/environ", "rb") as f:
                if exe in (ACTOR, STATIC) and b"ACH_DIR=" + DIR.encode() in f.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            pass
    return found


def wait_until(what, limit=LIMIT):
    end = time.monotonic() + limit
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def describe(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return f.read()[:60]
    except OSError:
        return f"{pid}, which has ended meanwhile"


def nothing_left(channels=()):
    left = actors() + sorted(descendants() - others)
    if not check(not left, f"processes are left: {[describe(p) for p in left]}"):
        kill(left)
    files = sorted(f for f in os.listdir(DIR) if f not in channels and f not in mine)
    if not check(not files, f"channels are left: {files}"):
        for f in files:
            os.unlink(os.path.join(DIR, f))


mine = set()
others = set()  # processes started by the tests, which are no leftovers



def channel(name, count=1024, size=64):
    before = set(os.listdir(DIR))
    subprocess.run([ACH, "mk", "--truncate", "-m", str(count), "-n", str(size), name],
                   check=True, timeout=LIMIT)
    mine.update(set(os.listdir(DIR)) - before)


def no_channels():
    for f in mine:
        try:
            os.unlink(os.path.join(DIR, f))
        except FileNotFoundError:
            pass
    mine.clear()


def put(name, data):
    return subprocess.run([ACH, "put", name], input=data.encode(), timeout=LIMIT,
                          check=False).returncode == 0


def first_bytes(name):
    """The first byte of each message in a channel; its two hex digits are read as decimal."""
    r = subprocess.run([ACH, "get", "--all", "--hex", name], capture_output=True, text=True,
                       timeout=LIMIT, check=True)
    return [int(line.replace(" ", "")[:2]) for line in r.stdout.splitlines()]


def status(name="w"):
    """The newest message of the status channel; empty if there is none yet."""
    r = subprocess.run([ACH, "get", "--last", f"sim.{name}.status"], capture_output=True, text=True,
                       timeout=LIMIT, check=False)
    return r.stdout if r.returncode == 0 else ""


def status_time(name="w"):
    """The virtual time in the status channel; None if there is none yet."""
    m = re.search(r"^\S+  ([0-9.]+) s", status(name))
    return float(m.group(1)) if m else None


@contextlib.contextmanager
def busy_loops(n, core=None):
    """Run n busy loops for the duration of the with block, on any core or on the one given."""
    loop = ("import os, sys\n"
            "if len(sys.argv) > 2: os.sched_setaffinity(0, {int(sys.argv[2])})\n"
            "while os.getppid() == int(sys.argv[1]):\n    for i in range(100000): pass")
    where = [] if core is None else [str(core)]
    children = [subprocess.Popen([sys.executable, "-c", loop, str(os.getpid()), *where])
                for _ in range(n)]
    others.update(c.pid for c in children)
    try:
        yield
    finally:
        for c in children:
            c.kill()
            c.wait()
        others.clear()


def main(cases):
    """Run all cases, or those named on the command line."""
    global current
    names = sys.argv[4:]
    os.chmod(tmp, 0o755)
    for case in cases:
        current = case.__name__
        if names and current not in names:
            continue
        begin = time.monotonic()
        case()
        no_channels()
        print(f"{current}: {time.monotonic() - begin:.1f} s", flush=True)
    shutil.rmtree(tmp)
    sys.exit(1 if failures else 0)
