# SPDX-License-Identifier: BSD-3-Clause
"""How cost grows: the curves of ach-scaling."""
import math
import re

import page
import plots
from page import absent, esc, figure, paragraph


def unit(label):
    """A label without its unit, and how to show values of that unit."""
    for name, show in (("ns", page.duration), ("bytes|B", page.size)):
        found = re.fullmatch(rf"(.*?)[\s,]*[(\[]?\b(?:{name})\b[)\]]?\s*", label)
        if found:
            return found.group(1) or label, lambda value, show=show: page.short(show(value))
    return label, page.plain


def ticks(xs, log):
    """Measured places for a log axis, which may be powers of two; None: the usual ones."""
    return xs[:: math.ceil(len(xs) / 9)] if log or len(xs) <= 4 else None


def curve(one):
    """One curve of ach-scaling; values that a log scale cannot show are left out and counted."""
    title = one["title"] or one["name"]
    series, left_out = [], 0
    for each in one["series"] or []:
        points = [
            (x, y)
            for x, y in sorted(each["points"] or [])
            if (x > 0 or not one["x_log"]) and (y > 0 or not one["y_log"])
        ]
        left_out += len(each["points"] or []) - len(points)
        if points:
            series.append((each["name"], points))
    if not series:
        return f"<h3>{esc(title)}</h3>" + absent("This curve has no points.")
    looks = plots.looks(range(len(series)), {})
    x_label, x_show = unit(one["x_label"] or "x")
    y_label, y_show = unit(one["y_label"] or "y")
    ys = [y for _, points in series for _, y in points]
    xs = sorted({x for _, points in series for x, _ in points})
    drawn = []
    for i, (name, points) in enumerate(series):
        tips = [(x, y, None, f"{name}, {x_show(x)}: {y_show(y)}") for x, y in points]
        drawn.append(plots.Series(name, looks[i], tips))
    svg = plots.lines(
        title,
        f"{y_label} over {x_label}",
        plots.Axis(x_label, xs, one["x_log"], x_show, at=ticks(xs, one["x_log"]), pad=0.03),
        plots.Axis(y_label, ys, one["y_log"], y_show),
        drawn,
        marks=30,
    )
    caption = f"{y_label} over {x_label}." + (
        f" {page.one(left_out, 'point')} that a logarithmic scale cannot show left out."
        if left_out
        else ""
    )
    return f"<h3>{esc(title)}</h3>" + figure(svg, caption)


def section(scaling, report):
    if scaling is None:
        return absent("There is no file of results of ach-scaling.")
    out = []
    for key in ("machine", "kernel"):
        if scaling[key] and scaling[key] != report.parts[key]:
            out.append(
                paragraph(
                    f"Measured on another {key} than the rest: {scaling[key]}"
                    if report.parts[key]
                    else f"{key}: {scaling[key]}"
                )
            )
    out += [curve(one) for one in scaling["curves"] or []] or [absent(page.NOT_THERE)]
    if scaling["notes"]:
        out.append("<ul>" + "".join(f"<li>{esc(note)}</li>" for note in scaling["notes"]) + "</ul>")
    return "\n".join(out)
