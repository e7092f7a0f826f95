# SPDX-License-Identifier: BSD-3-Clause
"""What was measured inside emulated machines, one for each kernel: a folder with peers.json of
ach-peers and calls.json of ach-bench."""
import os

import latency
import page
import results
from page import absent, duration, esc, number, paragraph, table, text

NOTE = (
    "Measured inside an emulated machine, not on hardware. It has one processor, and its clock "
    "counts the instructions that this processor runs, user's and kernel's: a nanosecond here "
    "is an instruction. So the host's load does not matter, and neither do caches, pipelines, "
    "nor what a trap or a barrier costs on a real processor. Numbers mean something only beside "
    "others of the same kernel, not beside those of other sections."
)

CALLS = {
    "rows": results.several(
        results.fields(
            name=results.text,
            floor=results.text,
            p50=results.number,
            p99=results.number,
            ratio=results.number,
            target=results.text,
            reached=results.flag,
        )
    )
}


def read(folder):
    """The two files; what is absent is None."""
    return (
        results.read(os.path.join(folder, "peers.json"), results.REPORT),
        results.read(os.path.join(folder, "calls.json"), CALLS),
    )


def verdict(row):
    return page.Cell(
        {True: "reached", False: "missed", None: page.NONE}[row["reached"]],
        warn=row["reached"] is False,
    )


def calls_table(kernel, calls):
    if not calls or not calls["rows"]:
        return absent(page.NOT_THERE)
    lines = [
        [
            text(row["name"]),
            number(row["p50"], duration),
            number(row["p99"], duration),
            number(row["ratio"], page.three_digits),
            text(row["floor"]),
            text(row["target"]),
            verdict(row),
        ]
        for row in calls["rows"]
    ]
    heads = ["calls", "#p50", "#p99", "#ratio", "to", "target", ""]
    return table(f"Calls of kernel channels, {kernel}", heads, lines)


def rows_table(report, kernel):
    lines = [
        [
            report.named(row["contender"]),
            text(row["scenario"]),
            number(row["receivers"]),
            *[number(row[key], duration) for key in ("p50_ns", "p99_ns", "p999_ns", "max_ns")],
            number(row["ratio"] or None, page.three_digits),
        ]
        for row in report.rows
    ]
    heads = ["contender", "scenario", "#receivers", "#p50", "#p99", "#p99.9", "#max", "#p50/futex"]
    return table(f"All rows, {kernel}", heads, lines, tall=True)


def distributions(report):
    """One and two receivers at 1 kHz."""
    out = []
    for scenario, receivers in (("paced-1k", 1), ("receivers-1k", 2)):
        rows = [
            row
            for row in report.rows
            if row["scenario"] == scenario and row["receivers"] == receivers and row["p50_ns"]
        ]
        if rows:
            out.append(latency.cdf_plots(report, sorted(rows, key=lambda row: row["p50_ns"])))
    return "\n".join(out)


def one_kernel(parts, calls):
    report = results.Report(parts)
    kernel = report.parts["kernel"] or "a kernel that is not named"
    return "\n".join(
        [
            f"<h3>{esc(kernel)}, emulated</h3>",
            latency.distribution(report),
            distributions(report),
            calls_table(kernel, calls),
            f"<details><summary>All rows of {esc(kernel)}, emulated</summary>"
            f"{rows_table(report, kernel)}</details>",
        ]
    )


def section(kernels):
    """kernels: what read() gave, for each."""
    there = [(parts, calls) for parts, calls in kernels if parts or calls]
    if not there:
        return absent(page.NOT_THERE)
    return paragraph(NOTE) + "\n".join(one_kernel(parts, calls) for parts, calls in there)
