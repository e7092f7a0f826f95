# SPDX-License-Identifier: BSD-3-Clause
"""What a chain of hops leaves of a control cycle."""
import page
import plots
from page import absent, duration, figure, number, paragraph, table
from results import by_contender, comparable, setting_words

CYCLE_NS = 1e6
SHARE = 0.25


class Chain:
    """p50 of a chain of hops: straight lines between what was measured, in proportion outside."""

    def __init__(self, rows):
        self.points = sorted({row["hops"]: row["p50_ns"] for row in rows}.items())

    def ns(self, hops):
        (first, first_ns), (last, last_ns) = self.points[0], self.points[-1]
        if hops <= first:
            return first_ns * hops / first
        for (a, a_ns), (b, b_ns) in zip(self.points, self.points[1:]):
            if hops <= b:
                return a_ns + (b_ns - a_ns) * (hops - a) / (b - a)
        return last_ns * hops / last

    def hops(self, ns):
        """The first hop count, not always a whole one, that takes this long."""
        before, before_ns = 0, 0
        for hops, hops_ns in self.points:
            if hops_ns >= ns:
                return before + (hops - before) * (ns - before_ns) / (hops_ns - before_ns)
            before, before_ns = hops, hops_ns
        return before * ns / before_ns

    def marked(self, hops, shown):
        """Says whether a figure is for hop counts that were not measured."""
        return shown if self.points[0][0] <= hops <= self.points[-1][0] else "≈ " + shown


def cycle_table(report, chains):
    lines = []
    for name, chain in chains.items():
        last, last_ns = chain.points[-1]
        full = chain.hops(SHARE * CYCLE_NS)
        rates = [(k, SHARE * 1e9 / chain.ns(k)) for k in (1, 4, 8)]
        lines.append(
            [
                report.named(name),
                number(last_ns / last, duration),
                number(last),
                page.Cell(chain.marked(full, page.three_digits(full)), full),
                *[page.Cell(chain.marked(k, page.frequency(hz)), hz) for k, hz in rates],
            ]
        )
    return table(
        "Hops in a control cycle",
        [
            "contender",
            "#p50 per hop",
            "#longest chain",
            "#hops in 250 µs",
            "#rate, 1 hop",
            "#rate, 4 hops",
            "#rate, 8 hops",
        ],
        lines,
    )


def control_cycle(report):
    """What a chain of hops leaves of a control cycle."""
    groups = [
        [row for row in group if row["hops"]] for group in comparable(report.rows, "hops", "hops")
    ]
    groups = [group for group in groups if group]
    if not groups:
        return absent(f"{page.NOT_THERE} (scenario “hops”)")
    group = groups[0]
    series = []
    for name, rows in by_contender(group).items():
        points = [
            (
                row["hops"],
                100 * row["p50_ns"] / CYCLE_NS,
                None,
                f"{name}, {page.one(row['hops'], 'hop')}: {duration(row['p50_ns'])}",
            )
            for row in sorted(rows, key=lambda row: row["hops"])
        ]
        series.append(plots.Series(name, report.looks[name], points))
    ticks = sorted({row["hops"] for row in group})
    setting = setting_words(group[0], ("hops",))
    caption = f"p50 of the whole chain as a share of a cycle of 1 ms; {setting}."
    values = [point[1] for line in series for point in line.points] + [100 * SHARE]
    svg = plots.lines(
        "Share of a control cycle",
        caption,
        plots.Axis("hops", ticks, False, page.plain, at=ticks, pad=0.04),
        plots.Axis("share of a 1 ms control cycle", values, True, page.percent),
        series,
        limit=(100 * SHARE, "25 % of the cycle"),
    )
    chains = {name: Chain(rows) for name, rows in by_contender(group).items()}
    return (
        figure(svg, caption)
        + paragraph(
            "How many hops fit into a quarter of a 1 kHz cycle, and the control rate at which "
            "messaging over 1, 4 and 8 hops takes a quarter of the cycle. Between measured hop "
            "counts the p50 is taken to grow in a straight line. Figures with ≈ lie outside of "
            "what was measured: hops times the p50 per hop of the nearest chain measured."
        )
        + cycle_table(report, chains)
    )
