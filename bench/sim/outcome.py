# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment leaves: claims, tables, plots, and files with the data they come from."""
import csv
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "peers"))
import page
import plot
from claims import Claim
from stats import thinned

POINTS = 400  # of a line in a plot; the data file has all


class Outcome:
    def __init__(self, lab, name, heading, about, paper):
        self.lab, self.name, self.heading, self.about, self.paper = lab, name, heading, about, paper
        self.claims, self.parts, self.files = [], [], []
        self.failed = {}  # parts that could not be run: {name: why}

    def claim(self, *arguments, **options):
        self.claims.append(Claim(*arguments, **options))

    def say(self, sentence):
        self.parts.append(page.element("p", sentence))

    def data(self, name, heads, rows):
        """A CSV file."""
        path = os.path.join(self.lab.out, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(heads)
            writer.writerows(rows)
        self.files.append(name)

    def table(self, name, heads, rows):
        made = [[shown(cell) for cell in row] for row in rows]
        numbers = [all(isinstance(row[i], (int, float)) for row in rows) for i in range(len(heads))]
        self.parts.append(page.table(name, list(zip(heads, numbers)), made))

    def plot(self, file, caption, x_label, y_label, lines, log_x=False, log_y=False, at=None):
        """lines: [(name, [(x, y)])]; also as an SVG file of its own."""
        looks = plot.looks(dict.fromkeys(name for name, _ in lines))
        series = [
            plot.Series(name, looks[name], [plot.Point(x, y, f"{name}: {x:g}, {y:g}")
                                            for x, y in thinned(points, POINTS)])
            for name, points in lines if points
        ]
        if not series:
            return
        svg = plot.plot(caption, f"{y_label} over {x_label}", plot.Axis(x_label, plain, log_x, at),
                        plot.Axis(y_label, plain, log_y), series)
        self.parts.append(page.framed(svg, caption))
        with open(os.path.join(self.lab.out, file), "w", encoding="utf-8") as out:
            out.write(alone(svg))
        self.files.append(file)

    def markup(self):
        head = page.element("p", self.about)
        if self.paper:
            head += page.element("p", f"The paper: {self.paper}")
        if self.claims:
            heads = [("what", False), ("found", True), ("target", False), ("", False),
                     ("the paper", False)]
            rows = [[page.cell(c.name), page.cell(c.shown(c.value), c.value), page.cell(c.target),
                     page.cell(c.verdict, warn=c.reached is False), page.cell(c.paper)]
                    for c in self.claims]
            head += page.table(f"{self.heading}: found and wanted", heads, rows)
        data = f"Data: {', '.join(self.files)}." if self.files else ""
        return head + "\n".join(self.parts) + (page.element("p", data) if data else "")


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
    cut = svg.index(">") + 1
    return svg[:cut] + style + svg[cut:] + "\n"
