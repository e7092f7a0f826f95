# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment leaves: claims, tables, plots, and files with the data they come from."""
import csv
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "peers"))
import page
import plots
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
        self.parts.append(page.paragraph(sentence))

    def data(self, name, heads, rows):
        """A CSV file."""
        path = os.path.join(self.lab.out, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(heads)
            writer.writerows(rows)
        self.files.append(name)

    def table(self, name, heads, rows):
        self.parts.append(
            page.table(
                name,
                heads,
                [
                    [
                        page.number(cell, lambda v: f"{v:.5g}")
                        if isinstance(cell, float)
                        else page.number(cell)
                        if isinstance(cell, int)
                        else page.text(cell)
                        for cell in row
                    ]
                    for row in rows
                ],
            )
        )

    def plot(self, file, caption, x_label, y_label, lines, log_x=False, log_y=False, at=None):
        """lines: [(name, [(x, y)])]; also as an SVG file of its own."""
        looks = plots.looks([name for name, _ in lines], {})
        thin = [(name, thinned(points, POINTS)) for name, points in lines if points]
        if not thin:
            return
        xs = [x for _, points in thin for x, _ in points]
        ys = [y for _, points in thin for _, y in points]
        series = [
            plots.Series(
                name, looks[name], [(x, y, None, f"{name}: {x:g}, {y:g}") for x, y in points]
            )
            for name, points in thin
        ]
        svg = plots.lines(
            caption,
            f"{y_label} over {x_label}",
            plots.Axis(x_label, xs, log_x, plain, at),
            plots.Axis(y_label, ys, log_y, plain),
            series,
            marks=0 if at else 8,
        )
        self.parts.append(page.figure(svg, caption))
        with open(os.path.join(self.lab.out, file), "w", encoding="utf-8") as out:
            out.write(alone(svg))
        self.files.append(file)

    def markup(self):
        head = page.paragraph(self.about)
        if self.paper:
            head += page.paragraph(f"The paper: {self.paper}")
        if self.claims:
            head += page.table(
                f"{self.heading}: found and wanted",
                ["what", "#found", "target", "", "the paper"],
                [
                    [
                        page.text(c.name),
                        page.Cell(c.shown(c.value)),
                        page.text(c.target),
                        page.Cell(c.verdict, warn=c.reached is False),
                        page.text(c.paper),
                    ]
                    for c in self.claims
                ],
            )
        data = f"Data: {', '.join(self.files)}." if self.files else ""
        return head + "\n".join(self.parts) + (page.paragraph(data) if data else "")


def plain(value):
    """A number on an axis, which may be tiny."""
    return f"{float(f'{value:.3g}'):g}"


def alone(svg):
    """A picture that brings its style."""
    style = f"<style>{page.STYLE}svg{{background:var(--paper)}}</style>"
    svg = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    cut = svg.index(">") + 1
    return svg[:cut] + style + svg[cut:] + "\n"
