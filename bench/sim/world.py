# SPDX-License-Identifier: BSD-3-Clause
"""World files and runs of them, numbers out of numbers, and what an experiment leaves."""
import collections
import csv
import dataclasses
import inspect
import itertools
import math
import operator
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE / "bench"))
import page  # noqa: E402

REPORT = re.compile(
    r"^[\w-]+: (?P<virtual>[\d.]+) s in (?P<wall>[\d.]+) s of wall time, "
    r"real-time factor (?P<factor>\S+), (?P<activations>\d+) activations, (?P<rate>\d+) a second",
    re.MULTILINE,
)
ERROR = re.compile(r"^  ([\w-]+): \d+ cycles,.* error ([-+\d.]+) s", re.MULTILINE)
PENDULUM = {"mass": 0.2, "length": 0.3, "radius": 0.03}
PERIOD = 1000000  # ns, of sensors and most controllers
TIME = int(os.environ.get("ACH_TEST_TIME", 1))  # multiplies time limits
POINTS = 400  # of a line in a plot
EXPERIMENTS = {}  # by name: functions that take a lab and return an Outcome
SIGNS = {"<=": ("≤ ", operator.le), ">=": ("≥ ", operator.ge), "=": ("", operator.eq)}

# A line of the log of "subject loop", and a line of a ledger; times in ns.
Cycle = collections.namedtuple("Cycle", "begin cpu end end_cpu angle woke")
Slice = collections.namedtuple("Slice", "time armed used granted_sum used_sum")


class CannotRun(Exception):
    """Why an experiment could not be done."""


class CannotMeasure(CannotRun):
    """Why it cannot be done on this machine."""


# Numbers.


def percentile(values, share):
    """The smallest value that at least so large a share (0..1) of them does not exceed."""
    if not values:
        raise ValueError("no values")
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def slope(points):
    """Of the straight line that fits best."""
    return statistics.linear_regression(*zip(*points)).slope


def rates(points, parts):
    """How fast y grows with x, in each of so many parts: [(middle x, rate)]"""
    ends = points[:: max(1, (len(points) - 1) // parts)]
    return [
        ((x + next_x) / 2, (next_y - y) / (next_x - x))
        for (x, y), (next_x, next_y) in itertools.pairwise(ends) if x != next_x
    ]


def overruns(slices, period):
    """How much longer each slice took than it was to, in percent of a period."""
    return [100 * (one.used - one.armed) / period for one in slices]


def charge_errors(cycles):
    """What the clock moved less the CPU time that was used, for each cycle."""
    return [(one.end - one.begin) - (one.end_cpu - one.cpu) for one in cycles]


def thinned(points, most):
    """Not more than so many of them, the first and the last among them."""
    if len(points) <= most:
        return points
    return [points[round(i * (len(points) - 1) / (most - 1))] for i in range(most)]


def numbers(text):
    """Lines of numbers. A program that was ended may have written a part of the last line."""
    return [
        tuple(float(word) if set(word) & set(".en") else int(word) for word in line.split())
        for line in text.splitlines(keepends=True) if line.endswith("\n")
    ]


# World files.


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


class Lab:
    """A build, a folder for results, and how to run a world. Programs run in the folder scratch."""

    def __init__(self, build, out, quick, scratch, channels):
        self.build, self.out = pathlib.Path(build).absolute(), pathlib.Path(out).absolute()
        self.quick, self.scratch, self.channels = quick, pathlib.Path(scratch), channels
        self.core = max(os.sched_getaffinity(0))
        plugins = f"{self.build}/src/physics/ode:{self.build}/src/physics/mujoco"
        self.environment = {"ACH_PLUGIN_PATH": plugins, **os.environ, "ACH_DIR": channels}

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


# What an experiment leaves.


def experiment(name, heading, paper=""):
    """Registers a function of a lab and an Outcome. Its docstring describes it on the page."""

    def register(function):
        def run(lab):
            out = Outcome(lab, name, heading, inspect.getdoc(function), paper)
            function(lab, out)
            return out

        EXPERIMENTS[name] = run
        return function

    return register


@dataclasses.dataclass
class Claim:
    """What was found, beside what it was to be."""

    name: str
    value: object
    sign: str = None  # None: there is no target
    limit: object = None
    unit: str = ""
    paper: str = ""

    def __post_init__(self):
        self.reached, self.verdict, self.target = None, "", ""
        if self.sign:
            before, compare = SIGNS[self.sign]
            self.reached = compare(self.value, self.limit)
            self.verdict = "reached" if self.reached else "missed"
            self.target = before + self.shown(self.limit)

    def shown(self, value):
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
        return f"{text} {self.unit}".rstrip()


class Outcome:
    """Claims, tables and plots, and the data they come from."""

    def __init__(self, lab, name, heading, about, paper):
        self.lab, self.name, self.heading = lab, name, heading
        self.claims, self.failed = [], {}  # parts that could not be run: {name: why}
        self.intro = page.element("p", about)
        if paper:
            self.intro += page.element("p", f"The paper: {paper}")
        self.parts, self.data = [], {}  # data: of tables and plots, by caption

    def claim(self, *arguments, **options):
        self.claims.append(Claim(*arguments, **options))

    def lines(self):
        """The claims as a table on the terminal."""
        cells = [(c.name, c.shown(c.value), c.target, c.verdict) for c in self.claims]
        widths = [max(map(len, column)) for column in zip(*cells)]
        for name, value, target, verdict in cells:
            line = f"  {name:<{widths[0]}}  {value:>{widths[1]}}  {target:<{widths[2]}}  {verdict}"
            yield line.rstrip()

    def say(self, sentence):
        self.parts.append(page.element("p", sentence))

    def table(self, caption, heads, rows):
        made = [[page.cell(f"{value:.5g}", value) if isinstance(value, float) else page.cell(value)
                 for value in row] for row in rows]
        self.parts.append(page.table(caption, heads, made))
        self.data[caption] = [heads, *rows]

    def plot(self, caption, x_label, y_label, lines, log_x=False, log_y=False):
        """lines: {name: [(x, y)]}"""
        points = [(line, page.Point(x, y, f"{line}: {x:g}, {y:g}"))
                  for line, points in lines.items() for x, y in thinned(points, POINTS)]
        self.data[caption] = lines
        self.parts.append(page.figure(
            f"{y_label} over {x_label}", caption, page.Axis(x_label, log=log_x),
            page.Axis(y_label, log=log_y), points))

    def markup(self):
        rows = [[page.cell(c.name), page.cell(c.shown(c.value), c.value), page.cell(c.target),
                 page.cell(c.verdict, warn=c.reached is False), page.cell(c.paper)]
                for c in self.claims]
        found = page.table(f"{self.heading}: found and wanted",
                           ("what", "found", "target", "", "the paper"), rows)
        return "\n".join([self.intro, found, *self.parts])
