# SPDX-License-Identifier: BSD-3-Clause
"""Latency: how it is spread, and how it grows with size, receivers, senders and hops."""
import page
import plots
from page import absent, duration, esc, figure
from results import by_contender, comparable, setting_words


def growth_plot(report, group, x, x_label, show, key="p50_ns", whisker="p99_ns"):
    """Lines over x on a log scale; over a linear one if x begins at 0."""
    tick_values = sorted({row[x] for row in group})
    series, values = [], []
    for name, rows in by_contender(group).items():
        points = []
        for row in sorted(rows, key=lambda r: r[x]):
            if row[key]:
                top = row[whisker] if whisker and row[whisker] else None
                tip = f"{name}, {show(row[x])}: p50 {duration(row['p50_ns'])}"
                tip += f", p99 {duration(row['p99_ns'])}"
                points.append((row[x], row[key], top, tip))
                values += [row[key], top or row[key]]
        if points:
            series.append(plots.Series(name, report.looks[name], points))
    if not series:
        return ""
    word = {"p50_ns": "p50", "p99_ns": "p99"}[key]
    what = f"{word} of the latency" + (", whiskers up to p99" if whisker else "")
    caption = f"{what}; {setting_words(group[0], (x,))}." + (
        " Points of the same place on the x axis stand a little apart." if whisker else ""
    )
    x_axis = plots.Axis(x_label, tick_values, tick_values[0] > 0, show, at=tick_values, pad=0.06)
    y_axis = plots.Axis(f"latency, {word}", values, True, duration)
    svg = plots.lines(
        f"Latency and {x_label}",
        caption,
        x_axis,
        y_axis,
        series,
        dodge=min(3.0, 40 / len(series)) if whisker else 0.0,
    )
    return figure(svg, caption)


def growth(report, scenario, x, x_label, show, both=False):
    """p50, or p50 and p99, of each group of a scenario; the first in sight, others folded."""
    out = []
    for group in comparable(report.rows, scenario, x):
        made = growth_plot(report, group, x, x_label, show)
        if both:
            made += growth_plot(report, group, x, x_label, show, "p99_ns", None)
        if out:
            setting = esc(setting_words(group[0], (x,)))
            made = f"<details><summary>Also measured: {setting}</summary>{made}</details>"
        out.append(made)
    return "\n".join(out) or absent(f"{page.NOT_THERE} (scenario “{scenario}”)")


def cdf_plots(report, rows):
    """The distribution, and its tail on a scale of its own."""
    rows = [row for row in rows if row["cdf"]]
    points = {id(row): [(max(ns, 1), fraction) for ns, fraction in row["cdf"]] for row in rows}
    all_ns = [ns for each in points.values() for ns, _ in each]
    if not all_ns:
        return absent("The results hold no distribution for this scenario.")
    body, tail = [], []
    for row in rows:
        name = row["contender"]
        tip = f"{name}: p50 {duration(row['p50_ns'])}, p99 {duration(row['p99_ns'])}"
        body.append(
            plots.Series(
                name,
                report.looks[name],
                [(ns, 100 * fraction, None, tip) for ns, fraction in points[id(row)]],
            )
        )
        above = [
            (ns, 100 * (1 - fraction), None, tip)
            for ns, fraction in points[id(row)]
            if 1 - fraction > 1e-9
        ]
        if above:
            tail.append(plots.Series(name, report.looks[name], above))
    caption = f"Share of messages that took no longer than this; {setting_words(rows[0])}."
    x_axis = plots.Axis("latency", all_ns, True, duration)
    y_axis = plots.Axis("messages", [0, 100], False, page.percent)
    out = figure(
        plots.lines(
            "Distribution of the latency", caption, x_axis, y_axis, body, lead=False, marks=6
        ),
        caption,
    )
    if tail:
        caption = "The same, seen from above: share of messages that took longer."
        y_axis = plots.Axis(
            "messages that took longer",
            [p[1] for line in tail for p in line.points],
            True,
            page.percent,
        )
        out += figure(
            plots.lines("Tail of the latency", caption, x_axis, y_axis, tail, lead=False, marks=6),
            caption,
        )
    return out


def distribution(report):
    """Rows of any scenario that fit one of four settings."""
    wanted = [(hz, receivers) for hz in (1000, 8000) for receivers in (1, 2)]
    found, sched = {}, None
    for row in report.rows:
        place = (row["rate_hz"], row["receivers"])
        if (
            place in wanted
            and row["mode"] == "block"
            and row["size"] == 64
            and row["touched"] is not False
            and row["p50_ns"]
            and row["senders"] in (None, 1)
            and row["hops"] in (None, 0, 1)
            and (not found or row["sched"] == sched)
        ):
            sched = row["sched"]
            found.setdefault(row["contender"], {}).setdefault(place, row)
    if not found:
        return absent(page.NOT_THERE)
    names = [page.rate(hz) + ", " + page.one(receivers, "receiver") for hz, receivers in wanted]
    groups, values = [], []
    for name, places in found.items():
        bars = []
        for place in wanted:
            row = places.get(place)
            bars.append(
                row
                and (
                    row["p50_ns"],
                    row["p99_ns"] or None,
                    row["max_ns"] or None,
                    f"{name}, {setting_words(row)}: p50 {duration(row['p50_ns'])}, "
                    f"p99 {duration(row['p99_ns'])}, max {duration(row['max_ns'])}",
                )
            )
            values += [value for value in (bars[-1] or ())[:3] if value]
        groups.append((name, report.strong(name), bars))
    groups.sort(key=lambda group: min(bar[0] for bar in group[2] if bar))
    caption = (
        "Thick line: p50; box: up to p99; whisker: up to the maximum. 64 B, 1 sender, "
        "receivers sleep. "
        "A bar that is not there was not measured."
    )
    svg = plots.percentile_bars(
        "Latency at 1 kHz and 8 kHz with 1 and 2 receivers",
        caption,
        plots.Axis("latency", values, True, duration),
        names,
        groups,
    )
    return figure(svg, caption)
