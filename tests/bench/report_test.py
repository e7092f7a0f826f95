#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of a small sample: its tables, figures, numbers, gaps and errors."""
import contextlib
import io
import json
import math
import re
import runpy
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

sys.dont_write_bytecode = True
BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH / "peers"))
import plot  # noqa: E402

REPORT = runpy.run_path(str(BENCH / "peers/report"))
MAIN = REPORT["main"]
P50 = {"ach": 5000, "futex": 4000, "pipe": 8000}
KINDS = {"ach": "ach", "futex": "floor", "pipe": "kernel"}
HOSTILE = "<script>alert(1)</script>\"'&]]>"
CYCLE = "Hops in a control cycle"


def row(scenario, name, factor=1, **more):
    p50 = P50[name] * factor
    return {
        "scenario": scenario, "contender": name, "kind": KINDS[name], "mode": "block", "size": 64,
        "rate_hz": 1000, "senders": 1, "receivers": 1, "hops": 1, "sched": "other", "touched": True,
        "n": 20000, "lost": 0, "reordered": 0, "damaged": 0, "p50_ns": p50, "p99_ns": 2 * p50,
        "p999_ns": 3 * p50, "max_ns": 10 * p50, "ratio": p50 / 4000, "ratio_p99": 0,
        "cdf": [[p50 / 2, 0], [p50, 0.5], [2 * p50, 0.99], [10 * p50, 1]], **more,
    }


def sample(code):
    rows = []
    for name in P50:
        rows += [row("paced-1k", name), row("paced-8k", name, 2, rate_hz=8000)]
        rows += [row("sizes", name, n, size=1024 * n) for n in (1, 16)]
        rows += [row("senders", name, 2, senders=4)]
    rows += [row("hops", "ach", n, hops=n) for n in (2, 8)]
    rows += [row("hops", "pipe", 20 * n, hops=n, rate_hz=1000) for n in (2, 4)]
    rows += [row("receivers", "ach", n, receivers=n) for n in (2, 4)]
    rows += [row("ms", "pipe", unit="ms"), row("lossy", "pipe", lost=12, size=65)]
    put = {"name": "put", "points": [[1, 10], [10, 100], [100, 1000], [0, 5]]}
    every = {"name": "all", "points": [[n, 1000 * n] for n in range(6)]}
    contenders = [{"name": name, "kind": KINDS[name], "settings": "none", "package": "p",
                   "source": f"{code} nowhere.c", "status": "ok"} for name in P50]
    contenders += [{"name": "zenoh", "kind": "library", "status": "not built: no zenoh.h"}]
    return {
        "report.json": {
            "machine": "Example board", "kernel": "Linux 6.1", "unmeasured": {"stopped": "why"},
            "contenders": contenders, "rows": rows, "stopped": [{
                "contender": "pipe", "blocks": True, "longest_send_ms": 0.5, "lost": 1234,
                "first": "oldest", "first_age_ms": 1000.2, "newest_after_ms": -1}]},
        "scaling.json": {"machine": "Example board", "kernel": "Linux 6.2", "curves": [
            {"name": "size", "title": "Cost and size", "x_label": "bytes", "x_log": True,
             "y_label": "ns", "y_log": True, "series": [put]},
            {"name": "writers", "series": [every]}], "notes": ["A note."]},
        "rt/peers.json": {"kernel": "Linux RT", "rows": [
            row("paced-1k", "ach"), row("receivers-1k", "ach", 2, receivers=2)]},
        "rt/calls.json": {"claims": [
            {"name": "read", "floor": "get", "p50": 912, "p99": 1400, "ratio": 4.63,
             "target": "ratio >= 5", "reached": False},
            {"name": "write", "p50": 4011.5, "p99": None, "reached": True}]},
    }


class Page:
    """tables: {name: lines of cells, "!" before warnings}. figures: [(title, {line: places of its
    markers}, {text of a tick: its place})]. The page must be XML, and load nothing."""

    def __init__(self, text):
        self.text, root = text, ET.fromstring(text)
        assert len(list(root.iter("script"))) == 1
        assert all(node.get("href", "#")[0] == "#" and not node.get("src") for node in root.iter())
        assert not re.search(r"[ \",](nan|inf)\b", text)
        self.tables = {
            box.get("aria-label"): ["|".join(
                "!" * ("warn" in cell.get("class")) + "".join(cell.itertext()) for cell in line)
                for line in box.iter("tr")]
            for box in root.iter("div") if box.find("table") is not None}
        self.figures = [(svg.findtext("title"), {
            group.findtext("title"): [
                tuple(map(float, re.findall("[0-9.]+", mark.get("transform"))))
                for mark in group.iter("path") if mark.find("title") is not None]
            for group in svg.iter("g")
        }, {
            each.text: (float(each.get("x")), float(each.get("y")) - 4)
            for each in svg.iter("text") if each.get("class") == "tick"
        }) for svg in root.iter("svg") if svg.get("class") == "plot"]
        for _, lines, _ in self.figures:
            assert all(x >= plot.LEFT and y >= plot.TOP for line in lines.values() for x, y in line)


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "rt").mkdir()
        (self.folder / "code").write_text("/* no\n * code */\n\n" + 50 * "code(); // no code\n")
        self.sample = sample(self.folder / "code")

    def run_report(self, changes=()):
        """Message of an error. changes: {name of a file: JSON value, bytes, or None for no file}"""
        for name, value in {**self.sample, **dict(changes)}.items():
            text = value if isinstance(value, bytes) else json.dumps(value).encode()
            (self.folder / name).write_bytes(text)
            if value is None:
                (self.folder / name).unlink()
        names = ("report.json", "scaling.json", "page.html", "rt")
        try:
            MAIN([self.folder / name for name in names])
        except SystemExit as end:
            return end.code
        return ""

    def page(self, changes=()):
        self.assertEqual(self.run_report(changes), "")
        return Page((self.folder / "page.html").read_text("utf-8"))

    def test_tables(self):
        page = self.page()
        self.assertEqual({name: len(lines) for name, lines in page.tables.items()}, {
            "Floors": 6, "Contenders": 5, "Main scenario": 4, CYCLE: 4, "All rows": 23,
            "A stopped receiver": 2, "Calls of kernel channels, Linux RT": 3, "Rows, Linux RT": 3})
        for name, line, text in (
            ("Floors", 1, "futex, paced-1k: receivers sleep, 64 B, 1 kHz, 1 sender, 1 receiver, "
                          "1 hop, scheduling other|4.00 µs"),
            ("Contenders", 1, "ach|ach|p|none|50|ok"),
            ("Contenders", 4, "zenoh|library|–|–|–|!not built: no zenoh.h"),
            ("Main scenario", 1, "futex|4.00 µs|8.00 µs|12.0 µs|40.0 µs|1.00"),
            ("Main scenario", 2, "ach|5.00 µs|10.0 µs|15.0 µs|50.0 µs|1.25"),
            (CYCLE, 1, "ach|5.00 µs|8|≈ 50.0|50.0 kHz|12.5 kHz|6.25 kHz"),
            (CYCLE, 2, "pipe|160 µs|4|1.78|31.2 kHz|391 Hz|≈ 195 Hz"),
            (CYCLE, 3, "futex|4.00 µs|1|≈ 62.5|62.5 kHz|≈ 15.6 kHz|≈ 7.81 kHz"),
            ("All rows", 0, "contender|scenario|mode|size|rate|senders|receivers|hops|p50|p99|"
                            "p99.9|max|p50/floor|p99/floor|lost|reordered|damaged|n|sched|kind"),
            ("All rows", -1, "pipe|lossy|block|65 B|1 kHz|1|1|1|8.00 µs|16.0 µs|24.0 µs|"
                             "80.0 µs|2.00|–|!12|0|0|20\u202f000|other|kernel"),
            ("A stopped receiver", 0, "contender|sender|longest send|messages dropped|"
                                      "first message|age of the first|until the newest"),
            ("A stopped receiver", 1, "pipe|blocks|500 µs|1\u202f234|oldest|1.00 s|never"),
            ("Calls of kernel channels, Linux RT", 1,
             "read|912 ns|1.40 µs|4.63|get|ratio >= 5|!missed"),
            ("Calls of kernel channels, Linux RT", 2, "write|4.01 µs|–|–|–|–|reached"),
            ("Rows, Linux RT", 2, "ach|receivers-1k|2|10.0 µs|20.0 µs|30.0 µs|100 µs|2.50"),
        ):
            self.assertEqual(page.tables[name][line], text)
        for text in ("Example board", "Linux 6.1", "another kernel than the rest: Linux 6.2",
                     "A note.", "Left out: 1 point that", "A floor is the least", "4 and 8 hops",
                     "Click on a heading", "receiver is stopped while", "not on hardware",
                     "ach, 4: p50 20.0 µs, p99 40.0 µs", "p50 10.0 µs, p99 20.0 µs, max 100",
                     "latency; receivers sleep, 64 B, 1 kHz, 1 sender, 2 receivers"):
            self.assertIn(text, page.text)
        self.assertNotIn("No results", page.text)

    def test_figures(self):
        """The number of points of each line."""
        body, tail = "Distribution of the latency", "Tail of the latency"
        rates = "Latency at 1 kHz and 8 kHz with 1 and 2 receivers"
        receivers = ("Latency and number of receivers", {"ach": 3, "futex": 1, "pipe": 1})
        hops = {"ach": 3, "futex": 1, "pipe": 3}
        page = self.page()
        self.assertEqual([(title, {name: len(places) for name, places in lines.items()})
                          for title, lines, _ in page.figures], [
            ("Lines of code per contender", {"ach": 1, "floor": 1, "kernel": 1}),
            (body, dict.fromkeys(P50, 4)), (tail, dict.fromkeys(P50, 3)),
            ("Latency and size of a message", dict.fromkeys(P50, 3)), receivers, receivers,
            ("Latency and number of senders", dict.fromkeys(P50, 2)),
            ("Latency and number of hops", hops),
            (rates, {"1 kHz, 1 receiver": 3, "1 kHz, 2 receivers": 1, "8 kHz, 1 receiver": 3}),
            ("Share of a control cycle", hops), ("Cost and size", {"put": 3}),
            ("writers", {"all": 6}), (rates, {"1 kHz, 1 receiver": 1, "1 kHz, 2 receivers": 1}),
            (body, {"ach": 4}), (tail, {"ach": 3}), (body, {"ach": 4}), (tail, {"ach": 3})])
        # A whisker is a line and a dash. Lines of code, sizes, receivers, senders, hops, rates:
        self.assertEqual(page.text.count('class="whisker"'), 2 * (3 + 9 + 5 + 6 + 7 + 2 * (7 + 2)))

    def test_places(self):
        """Points are where the ticks of their values are."""
        page = self.page()
        figures = {title: more for title, *more in page.figures}
        lines, ticks = figures["Cost and size"]
        self.assertEqual(lines["put"], [(ticks[x][0], ticks[y][1]) for x, y in (
            ("1 B", "10 ns"), ("10 B", "100 ns"), ("100 B", "1 µs"))])
        self.assertAlmostEqual(2 * ticks["10 B"][0], ticks["1 B"][0] + ticks["100 B"][0], 0)
        lines, ticks = figures["writers"]
        self.assertEqual([y for _, y in lines["all"]], [ticks[str(1000 * n)][1] for n in range(6)])
        lines, ticks = figures["Share of a control cycle"]
        self.assertEqual(lines["ach"][:2], [(ticks[x][0], ticks[y][1]) for x, y in (
            ("1", "0.5 %"), ("2", "1 %"))])
        _, ticks = figures["Latency at 1 kHz and 8 kHz with 1 and 2 receivers"]
        self.assertIn(f'y2="{ticks["50 µs"][1]}" class="whisker"', page.text)

    def test_numbers(self):
        for show, value, text in (
            (plot.duration, 999.6, "1.00 µs"), (plot.duration, 12345678, "12.3 ms"),
            (plot.duration, 0, "0 ns"), (plot.duration, 9.996, "10.0 ns"), (plot.size, 64, "64 B"),
            (plot.size, 1536, "1.5 KiB"), (plot.size, 1023, "1023 B"), (plot.rate, 0, "ping-pong"),
            (plot.rate, 8000, "8 kHz"), (plot.plain, 25000, "25k"), (plot.plain, 4096, "4096"),
            (plot.percent, 0.5, "0.500 %"), (plot.count, 1234567, "1\u202f234\u202f567"),
        ):
            self.assertEqual(show(value), text)
        looks = plot.looks(dict.fromkeys(range(70))).values()
        self.assertEqual(len({(look.dash, look.outline, look.filled) for look in looks}), 70)

    def test_missing(self):
        """What is missing costs only its part: so many figures and tables, and a sentence."""
        whole, good = self.page(), self.sample["report.json"]
        no_kernel = {"rt/peers.json": None, "rt/calls.json": None}
        for changes, figures, tables, lacking in (
            ({"scaling.json": None}, 2, 0, "“How cost grows”"),
            ({"report.json": None}, 10, 6, "“Floors”"),
            ({"rt/peers.json": None}, 5, 1, ""),
            ({"rt/calls.json": None}, 0, 1, ""),
            (no_kernel, 5, 2, "“Inside an emulated machine”"),
            ({"report.json": {**good, "machine": None}}, 0, 0, ""),
            ({"report.json": {**good, "contenders": None}}, 1, 1, "“Contenders”"),
            ({"report.json": {**good, "stopped": None}}, 0, 1, "“A stopped receiver”"),
            ({"report.json": {**good, "rows": None}}, 9, 4, "“All rows”"),
        ):
            page = self.page(changes)
            self.assertEqual(len(whole.figures) - len(page.figures), figures, changes)
            self.assertEqual(len(whole.tables) - len(page.tables), tables, changes)
            said = "".join(re.findall("No results for [^<]*", page.text))
            self.assertTrue(lacking in said if lacking else not said, said)
        self.assertIn("holds results", self.run_report(dict.fromkeys(self.sample)))

    def test_missing_columns(self):
        """Rows without a column are still in the table, and so are those with a 0."""
        rows = self.sample["report.json"]["rows"]
        for column, old in rows[0].items():
            if column in ("scenario", "contender"):
                continue
            for value in {None, 0 if type(old) is int else None}:
                changed = [{**each, column: value} for each in rows]
                page = self.page({"report.json": {"rows": changed}})
                self.assertEqual(len(page.tables["All rows"]), 23, column)

    def test_curves(self):
        for log in (True, False):
            for points in ([], [[0, 0]], [[5, 5]], [[-1, -2], [3, 1e18]], [[1, 1e-12], [2, 1e15]]):
                series = [{"name": "s", "points": points}, {"name": "none"}]
                curve = {"name": "c", "x_log": log, "y_log": log, "series": series}
                figures = self.page({"scaling.json": {"curves": [curve]}}).figures
                drawn = [len(lines["s"]) for title, lines, _ in figures if title == "c"]
                shown = len([pair for pair in points if not log or pair[0] > 0])
                self.assertEqual(drawn, [shown] if shown else [])

    def test_invalid(self):
        """Invalid results are an error of one line that says where, and leave the old page."""
        old, good = self.page().text, row("spin", "ach")
        for name, value, where in (
            *[("report.json", text, "") for text in (b"", b"{", b'"\xff"', b"[" * 100000)],
            *[("report.json", {"rows": [good, {"p50_ns": value}]}, ".rows[1].p50_ns: ")
              for value in (math.nan, math.inf, 10**400, -1, True, "7", [])],
            ("report.json", [], ": "), ("report.json", {"rows": {}}, ".rows: "),
            ("report.json", {"rows": [7]}, ".rows[0]: "),
            ("report.json", {"rows": [{"mode": 5}]}, ".rows[0].mode: "),
            ("report.json", {"rows": [{"cdf": [[1]]}]}, ".rows[0].cdf[0]: "),
            ("report.json", {"stopped": [{"blocks": "no"}]}, ".stopped[0].blocks: "),
            ("scaling.json", {"curves": [{"series": [{"points": [[1, "2"]]}]}]},
             ".curves[0].series[0].points[0][1]: "),
            ("rt/calls.json", {"claims": [{"ratio": "much"}]}, ".claims[0].ratio: "),
        ):
            said = self.run_report({name: value})
            self.assertRegex(said, f"^report: .*/{name}: not valid results: {re.escape(where)}.+$")
        for name, value, text in (
            *[("report.json", {"rows": [{**good, "cdf": cdf}]}, ".rows[0].cdf: does not rise to 1")
              for cdf in ([[1, 0.5], [2, 0.4]], [[2, 0.5], [1, 0.6]], [[1, 1.5]])],
            ("report.json", {"rows": [{"contender": "c"}]}, ".rows[0]: has no scenario"),
            ("report.json", {"rows": [{"scenario": "s"}]}, ".rows[0]: has no contender"),
            ("report.json", {"contenders": [{}]}, ".contenders[0]: has no name"),
            ("report.json", {"stopped": [{}]}, ".stopped[0]: has no contender"),
            ("scaling.json", {"curves": [{}]}, ".curves[0]: has no name"),
            ("scaling.json", {"curves": [{"name": "c", "series": [{}]}]},
             ".curves[0].series[0]: has no name"),
            ("rt/calls.json", {"claims": [{}]}, ".claims[0]: has no name"),
        ):
            said = self.run_report({name: value})
            self.assertTrue(said.endswith(f"{name}: not valid results: {text}"), said)
        self.assertEqual((self.folder / "page.html").read_text("utf-8"), old)

    def test_lines_of_code(self):
        """Functions of another contender in the same file do not count."""
        function = "static int {}_send(int a,\n                  int b)\n{{\n    go(a);\n}}\n\n"
        file = self.folder / "two.c"
        file.write_text("int all;\n" + function.format("one") + 2 * function.format("other"))
        for source, lines in ((file, 16), (f"{file}:one", 6), (f"{file}:other", 11)):
            self.assertEqual(REPORT["lines_of"](str(source), {"one", "other"}), lines)

    def test_output(self):
        (self.folder / "page.html").mkdir()
        self.assertTrue(self.run_report().endswith("page.html: Is a directory"))
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(MAIN([]), 2)
        self.assertRegex(said.getvalue(), "^usage: report ")

    def test_hostile(self):
        """Strings are shown as they are, never as markup."""
        text = json.dumps(self.sample["report.json"])
        for old in ("pipe", "none", "lossy", "oldest", "Example board"):
            text = text.replace(f'"{old}"', json.dumps(HOSTILE + old))
        page = self.page({"report.json": text.encode()})
        self.assertNotIn("<script>alert", page.text)
        self.assertIn(f"{HOSTILE}pipe|{HOSTILE}lossy|block", page.tables["All rows"][-1])


if __name__ == "__main__":
    unittest.main()
