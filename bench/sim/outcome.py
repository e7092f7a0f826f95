# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment leaves: claims, tables, plots, and files with the data they come from."""
import csv
import dataclasses
import inspect
import operator
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "peers"))
import page
import plot
import stats

EXPERIMENTS = {}  # by name: functions that take a lab and return an Outcome
POINTS = 400  # of a line in a plot; the data file has all
SIGNS = {"<=": ("≤ ", operator.le), ">=": ("≥ ", operator.ge), "=": ("", operator.eq)}


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

    @property
    def reached(self):
        """None: there is no target."""
        return SIGNS[self.sign][1](self.value, self.limit) if self.sign else None

    @property
    def verdict(self):
        return {None: "", True: "reached", False: "missed"}[self.reached]

    def shown(self, value):
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
        return f"{text} {self.unit}".rstrip()

    @property
    def target(self):
        return SIGNS[self.sign][0] + self.shown(self.limit) if self.sign else ""


class Outcome:
    def __init__(self, lab, name, heading, about, paper):
        self.lab, self.name, self.heading, self.about, self.paper = lab, name, heading, about, paper
        self.claims, self.parts, self.files = [], [], []
        self.failed = {}  # parts that could not be run: {name: why}

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

    def data(self, name, heads, rows):
        """A CSV file."""
        with open(self.lab.out / name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([heads, *rows])
        self.files.append(name)

    def table(self, caption, name, heads, rows):
        """On the page, and as a CSV file."""
        made = [[shown(cell) for cell in row] for row in rows]
        numbers = [all(isinstance(cell, (int, float)) for cell in column) for column in zip(*rows)]
        self.parts.append(page.table(caption, list(zip(heads, numbers)), made))
        self.data(name, heads, rows)

    def plot(self, name, caption, x_label, y_label, lines, log_x=False, log_y=False, at=None):
        """lines: [(name, [(x, y)])]; also as an SVG file of its own."""
        points = [(line, plot.Point(x, y, f"{line}: {x:g}, {y:g}"))
                  for line, points in lines for x, y in stats.thinned(points, POINTS)]
        if not points:
            return
        shape = (f"{y_label} over {x_label}", caption, plot.Axis(x_label, plain, log_x, at),
                 plot.Axis(y_label, plain, log_y), points)
        svg = plot.plot(*shape)
        self.parts.append(page.figure(*shape))
        (self.lab.out / name).write_text(alone(svg), encoding="utf-8")
        self.files.append(name)

    def markup(self):
        head = page.element("p", self.about)
        if self.paper:
            head += page.element("p", f"The paper: {self.paper}")
        if self.claims:
            names = ("what", "found", "target", "", "the paper")
            heads = [(name, name == "found") for name in names]
            rows = [[page.cell(c.name), page.cell(c.shown(c.value), c.value), page.cell(c.target),
                     page.cell(c.verdict, warn=c.reached is False), page.cell(c.paper)]
                    for c in self.claims]
            head += page.table(f"{self.heading}: found and wanted", heads, rows)
        data = page.element("p", f"Data: {', '.join(self.files)}.") if self.files else ""
        return head + "\n".join(self.parts) + data


def shown(value):
    if isinstance(value, float):
        return page.cell(f"{value:.5g}", value)
    return page.cell(value, value) if isinstance(value, int) else page.cell(value)


def plain(value):
    """A number on an axis, which may be tiny."""
    return f"{float(f'{value:.3g}'):g}"


def alone(svg):
    """A picture that brings its style."""
    style = f"<style>{page.STYLE}svg{{background:var(--paper)}}</style>"
    svg = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return svg.replace(">", ">" + style, 1) + "\n"
