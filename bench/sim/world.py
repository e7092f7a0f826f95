# SPDX-License-Identifier: BSD-3-Clause
"""World files, and runs of them."""
import collections
import csv
import os
import pathlib
import re
import shutil
import subprocess

REPORT = re.compile(
    r"^[\w-]+: (?P<virtual>[\d.]+) s in (?P<wall>[\d.]+) s of wall time, "
    r"real-time factor (?P<factor>\S+), (?P<activations>\d+) activations, (?P<rate>\d+) a second",
    re.MULTILINE,
)
ERROR = re.compile(r"^  ([\w-]+): \d+ cycles,.* error ([-+\d.]+) s", re.MULTILINE)
SOURCE = pathlib.Path(__file__).resolve().parents[2]
PENDULUM = {"mass": 0.2, "length": 0.3, "radius": 0.03}
PERIOD = 1000000  # ns, of sensors and most controllers
TIME = int(os.environ.get("ACH_TEST_TIME", 1))  # multiplies time limits

# A line of the log of "subject loop", and a line of a ledger; times in ns.
Cycle = collections.namedtuple("Cycle", "begin cpu end end_cpu angle woke")
Slice = collections.namedtuple("Slice", "time armed used granted_sum used_sum")


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


def pendulum(number=0, engine="pendulum", noise=(0, 0), **options):
    """A pendulum, the same for each engine, as actarray:NUMBER."""
    if engine == "mujoco":
        options["model"] = str(SOURCE / "examples/sim/pendulum.xml")
    else:
        options.update(PENDULUM)
    if engine == "ode":
        options["model"] = "pendulum"
    arm = f"arm{number}"
    return section("physics", name=arm, engine=engine, step=0.001, **options) + section(
        "driver", name="sim_joints", provides=[f"actarray:{number}"], physics=arm, rate=1000,
        noise=noise)


def controller(name, command, **options):
    return section("controller", name=name, command=command, **options)


def parse_report(text):
    found = REPORT.search(text)
    if not found:
        return None
    report = {key: float(value) for key, value in found.groupdict().items()}
    report["errors"] = {name: float(error) for name, error in ERROR.findall(text)}
    return report


def numbers(text):
    """Lines of numbers. A program that was ended may have written a part of the last line."""
    return [
        tuple(float(word) if set(word) & set(".en") else int(word) for word in line.split())
        for line in text.splitlines(keepends=True) if line.endswith("\n")
    ]


class Lab:
    """A build, a folder for results, and how to run a world. Programs run in the folder scratch."""

    def __init__(self, build, out, quick, scratch, channels):
        self.build, self.out = pathlib.Path(build).absolute(), pathlib.Path(out).absolute()
        self.quick, self.scratch, self.channels = quick, pathlib.Path(scratch), channels
        self.core = max(os.sched_getaffinity(0))
        plugins = f"{self.build}/src/physics/ode:{self.build}/src/physics/mujoco"
        self.environment = {"ACH_PLUGIN_PATH": plugins, **os.environ, "ACH_DIR": channels}

    def note(self, text):
        """Show what is being done."""
        print(f"    {text} ...")

    def command(self, path, *arguments):
        """The command that runs a program of the build."""
        full = self.build / path
        if not os.access(full, os.X_OK):
            raise CannotRun(f"{full} is not built")
        return [str(full), *map(str, arguments)]

    def subject(self, *arguments):
        return self.command("bench/sim/subject", *arguments)

    def balance(self, *arguments):
        return self.command("examples/sim/balance", *arguments)

    def read_cycles(self, name):
        return [Cycle(*line) for line in numbers((self.scratch / name).read_text())]

    def read_ledger(self, what, sink):
        """The lines of one kind and one sink, after a run with ledger="ledger.csv"."""
        lines = csv.DictReader((self.scratch / "ledger.csv").read_text().splitlines())
        return [
            Slice(*(int(line[f"{column}_ns"]) for column in Slice._fields))
            for line in lines if line["what"] == what and line["sink"] == sink
        ]

    def has_engine(self, engine):
        folders = self.environment["ACH_PLUGIN_PATH"].split(":")
        files = [pathlib.Path(folder) / f"physics-{engine}.so" for folder in folders]
        return engine == "pendulum" or any(file.exists() for file in files)

    def call(self, command, limit):
        """Run a command. At the time limit it is killed, and its controllers with it."""
        limit *= TIME
        try:
            return subprocess.run(command, env=self.environment, cwd=self.scratch, text=True,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=limit,
                                  check=False)
        except subprocess.TimeoutExpired:
            name = os.path.basename(command[0])
            raise CannotRun(f"{name} did not end in {limit} s") from None

    def simulate(self, parts, limit=900, may_fail=False, **options):
        """Run a world; its report, with what it printed as "text"."""
        options = {"name": "experiment", "cores": [self.core], **options}
        text = section("world", **options) + parts
        (self.scratch / "world.cfg").write_text(text, encoding="utf-8")
        try:
            done = self.call(self.command("src/cli/ach", "sim", "world.cfg"), limit)
        finally:  # channels that are left would disturb the next run
            left = os.listdir(self.channels)
            shutil.rmtree(self.channels, ignore_errors=True)
            os.makedirs(self.channels, exist_ok=True)
        report = parse_report(done.stdout)
        if report is None or (done.returncode != 0 and not may_fail):
            raise CannotRun(f"ach sim: {(done.stderr.strip() or done.stdout.strip())[-400:]}")
        if left:
            raise CannotRun(f"left behind: {', '.join(left)}")
        report["text"] = done.stdout + done.stderr
        return report
