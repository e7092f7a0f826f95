# SPDX-License-Identifier: BSD-3-Clause
"""World files, and runs of them."""
import csv
import os
import re
import shutil
import subprocess
import tempfile

REPORT = re.compile(
    r"^(?P<name>[\w-]+): (?P<virtual>[\d.]+) s in (?P<wall>[\d.]+) s of wall time, "
    r"real-time factor (?P<factor>\S+), (?P<activations>\d+) activations, "
    r"(?P<rate>\d+) a second(?P<rest>.*)$",
    re.MULTILINE,
)
CONTROLLER = re.compile(
    r"^  (?P<name>[\w-]+): (?P<cycles>\d+) cycles(?:, cpu (?P<cpu>[\d.]+) s)?"
    r"(?:, declared cost (?P<cost>[\d.]+) s)?(?:, granted (?P<granted>[\d.]+) s)?"
    r"(?:, error (?P<error>[-+\d.]+) s)?",
    re.MULTILINE,
)
COSTS = ("cpu", "cost", "granted", "error")  # those that the cost model has

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PENDULUM = {"mass": 0.2, "length": 0.3, "radius": 0.03}


# What time limits are multiplied by.
TIME = int(os.environ.get("ACH_TEST_TIME", 1))
END_LIMIT = 20 * TIME


class CannotRun(Exception):
    """Why an experiment could not be done."""


class CannotMeasure(CannotRun):
    """Why it cannot be done on this machine."""


def value_text(value):
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (list, tuple)):
        return "[" + " ".join(value_text(one) for one in value) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{value:.12g}"


def section(kind, **options):
    inner = " ".join(f"{name} {value_text(value)}" for name, value in options.items())
    return f"{kind} ({inner})\n"


def sensor(rate=1000, physics="arm", number=0, **options):
    return section(
        "driver",
        name="sim_joints",
        provides=[f"actarray:{number}"],
        physics=physics,
        rate=rate,
        **options,
    )


def pendulum(name="arm", engine="pendulum", **options):
    """A pendulum for each engine, with the same figures."""
    if engine == "mujoco":
        model = os.path.join(SOURCE, "examples/sim/pendulum.xml")
        return section("physics", name=name, engine=engine, model=model, step=0.001, **options)
    if engine == "ode":
        options["model"] = "pendulum"
    return section("physics", name=name, engine=engine, step=0.001, **PENDULUM, **options)


def controller(name, command, **options):
    return section("controller", name=name, command=[str(word) for word in command], **options)


def parse_report(text):
    found = REPORT.search(text)
    if not found:
        return None
    report = {key: float(found[key]) for key in ("virtual", "wall", "factor", "rate")}
    report["activations"] = int(found["activations"])
    report["realtime"] = "not real-time" not in found["rest"]
    report["controllers"] = {
        c["name"]: {
            "cycles": int(c["cycles"]),
            **{key: float(c[key]) for key in COSTS if c[key]},
        }
        for c in CONTROLLER.finditer(text)
    }
    return report


class Ledger:
    """Columns of a ledger file, of the lines of one kind and one sink."""

    def __init__(self, path, what, sink=None):
        with open(path, encoding="utf-8", newline="") as file:
            rows = [r for r in csv.DictReader(file) if r["what"] == what]
        rows = [r for r in rows if sink is None or r["sink"] == sink]
        self.time = [int(r["time_ns"]) for r in rows]
        self.wall = [int(r["wall_ns"]) for r in rows]
        self.armed = [int(r["armed_ns"]) for r in rows]
        self.used = [int(r["used_ns"]) for r in rows]
        self.granted_sum = [int(r["granted_sum_ns"]) for r in rows]
        self.used_sum = [int(r["used_sum_ns"]) for r in rows]


def end(process):
    """Ask it to end, so that it ends its own processes; then nobody is asked."""
    process.terminate()
    try:
        process.communicate(timeout=END_LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


class Lab:
    """A build, a folder for what comes out, and how to run a world."""

    def __init__(self, build, out, quick=False):
        self.build, self.out, self.quick = os.path.abspath(build), os.path.abspath(out), quick
        self.core = max(os.sched_getaffinity(0))
        self.scratch = tempfile.mkdtemp(prefix="ach-experiments-")
        place = os.environ.get("ACH_DIR") or "/dev/shm"
        self.channels = tempfile.mkdtemp(prefix="ach-experiments-", dir=place)
        self.environment = dict(os.environ, ACH_DIR=self.channels)
        plugins = [os.path.join(self.build, "src/physics", one) for one in ("ode", "mujoco")]
        self.environment.setdefault("ACH_PLUGIN_PATH", ":".join(plugins))

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)
        shutil.rmtree(self.channels, ignore_errors=True)

    def note(self, text):
        """What is being done, for who waits."""
        print(f"    {text} ...", flush=True)

    def program(self, *path):
        full = os.path.join(self.build, *path)
        if not os.access(full, os.X_OK):
            raise CannotRun(f"{full} is not built")
        return full

    def subject(self, *arguments):
        return [self.program("bench/sim/subject"), *map(str, arguments)]

    def balance(self, *arguments):
        return [self.program("examples/sim/balance"), *map(str, arguments)]

    def file(self, name):
        return os.path.join(self.scratch, name)

    def has_engine(self, engine):
        if engine == "pendulum":
            return True
        name = f"physics-{engine}.so"
        return any(
            os.path.exists(os.path.join(folder, name))
            for folder in self.environment["ACH_PLUGIN_PATH"].split(":")
        )

    def write(self, name, text):
        path = self.file(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def call(self, command, limit):
        limit *= TIME
        with subprocess.Popen(
            command,
            env=self.environment,
            cwd=self.scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                out, err = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                end(process)
                name = os.path.basename(command[0])
                raise CannotRun(f"{name} did not end in {limit} s") from None
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def take_leftovers(self):
        """Names of channels that a run left behind; they are gone then, and disturb no other run."""
        left = os.listdir(self.channels)
        shutil.rmtree(self.channels, ignore_errors=True)
        os.makedirs(self.channels, exist_ok=True)
        return left

    def simulate(self, parts, *arguments, limit=900, may_fail=False, **options):
        """Run a world; its report, with what it printed as "text"."""
        options = {"name": "experiment", "cores": [self.core], **options}
        path = self.write("world.cfg", section("world", **options) + "".join(parts))
        try:
            done = self.call([self.program("src/cli/ach"), "sim", *arguments, path], limit)
        finally:
            left = self.take_leftovers()
        report = parse_report(done.stdout)
        if report is None or (done.returncode != 0 and not may_fail):
            raise CannotRun(f"ach sim: {(done.stderr.strip() or done.stdout.strip())[-400:]}")
        if left:
            raise CannotRun(f"left behind: {', '.join(left)}")
        report["text"], report["status"] = done.stdout + done.stderr, done.returncode
        return report


def read_log(path):
    """Lines of numbers. Who was ended may have written a part of a line."""
    with open(path, encoding="utf-8") as file:
        return [
            tuple(float(word) if set(word) & set(".en") else int(word) for word in line.split())
            for line in file
            if line.endswith("\n")
        ]
