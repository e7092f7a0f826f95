#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of a small sample: its tables, figures, numbers, gaps and errors."""
import json
import re
import runpy
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

sys.dont_write_bytecode = True
BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import page  # noqa: E402

REPORT = runpy.run_path(str(BENCH / "report"))
P50 = {"ach": 5000, "futex": 4000, "pipe": 8000}
KINDS = {"ach": "ach", "futex": "floor", "pipe": "kernel"}
HOSTILE = "<script>alert(1)</script>\"'&]]>"
CYCLE = "Hops in a control cycle"


def row(scenario, name, factor=1, **more):
    p50 = P50[name] * factor
    return {
        "scenario": scenario, "contender": name, "kind": KINDS[name], "mode": "block", "size": 64,
        "rate_hz": 1000, "senders": 1, "receivers": 1, "hops": 1, "sched": "other", "touched": True,
        "network": False,
        "n": 20000, "lost": 0, "reordered": 0, "damaged": 0, "p50_ns": p50,
        "p99_ns": 2 * p50, "p999_ns": 3 * p50, "max_ns": 10 * p50, "ratio": p50 / 4000,
        "ratio_p99": 0,
        "cdf": [[p50 / 2, 0], [p50, 0.5], [2 * p50, 0.99], [10 * p50, 1]], **more,
    }


def curve(name, title, x_label, y_label, log):
    return {"name": name, "title": title, "x_label": x_label, "x_log": log, "y_label": y_label,
            "y_log": log}


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
    points = [("size", "put", x, y) for x, y in ((1, 10), (10, 100), (100, 1000), (0, 5))]
    points += [("writers", "all", n, 1000 * n) for n in range(6)]
    contenders = [{"name": name, "kind": KINDS[name], "settings": "none", "package": "p",
                   "source": f"{code} nowhere.c", "status": "ok"} for name in P50]
    contenders += [{"name": "zenoh", "kind": "library", "source": "",
                    "status": "not built: no zenoh.h"}]
    return {
        "report.json": {
            "machine": "Example board", "kernel": "Linux 6.1", "unmeasured": {"stopped": "why"},
            "contenders": contenders, "rows": rows, "stopped": [{
                "contender": "pipe", "blocks": True, "longest_send_ms": 0.5, "lost": 1234,
                "first": "oldest", "first_age_ms": 1000.2, "newest_after_ms": -1}]},
        "scaling.json": {"machine": "Example board", "kernel": "Linux 6.2", "curves": [
            curve("size", "Cost and size", "bytes", "ns", True),
            curve("writers", "Many writers", "writers", "pairs", False)],
            "rows": [{"scenario": s, "contender": name, "x": x, "p50_ns": y}
                     for s, name, x, y in points], "notes": ["A note."]},
        "rt/peers.json": {"kernel": "Linux RT", "rows": [
            row("paced-1k", "ach"), row("receivers-1k", "ach", 2, receivers=2)]},
        "rt/calls.json": {"claims": [
            {"name": "read", "floor": "get", "p50": 912, "p99": 1400, "ratio": 4.63,
             "target": "ratio >= 5", "reached": False},
            {"name": "write", "p50": 4011.5, "p99": None, "reached": True}]},
    }


class Page:
    """tables: {name: lines of cells, "!" before warnings}. figures: [(title, {line: places of its
    points}, {text of a tick: its place})]. The page must be XML, and load nothing."""

    def __init__(self, text):
        self.text, root = text, ET.fromstring(text)
        assert len(list(root.iter("script"))) == 1
        assert all(node.get("href", "#")[0] == "#" and not node.get("src") for node in root.iter())
        assert not re.search(r"[ \",](nan|inf)\b", text)
        self.tables = {
            box.get("aria-label"): ["|".join(
                "!" * ("warn" in cell.get("class", "")) + "".join(cell.itertext()) for cell in line)
                for line in box.iter("tr")]
            for box in root.iter("div") if box.find("table") is not None}
        self.figures = [(svg.findtext("title"), {
            group.findtext("title"): [(float(dot.get("cx")), float(dot.get("cy")))
                                      for dot in group.iter("circle")]
            for group in svg.iter("g")
        }, {
            each.text: (float(each.get("x")), float(each.get("y")) - 4)
            for each in svg.iter("text") if each.get("class") == "tick"
        }) for svg in root.iter("svg")]
        for _, lines, _ in self.figures:
            assert all(x >= page.LEFT and y >= page.TOP for line in lines.values() for x, y in line)


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
        try:
            REPORT["main"]([self.folder / name
                            for name in ("report.json", "scaling.json", "page.html", "rt")])
        except SystemExit as end:
            return end.code
        return ""

    def page(self, changes=()):
        self.assertEqual(self.run_report(changes), "")
        return Page((self.folder / "page.html").read_text("utf-8"))

    def test_tables(self):
        made = self.page()
        self.assertEqual({name: len(lines) for name, lines in made.tables.items()}, {
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
            (CYCLE, 2, "futex|4.00 µs|1|≈ 62.5|62.5 kHz|≈ 15.6 kHz|≈ 7.81 kHz"),
            (CYCLE, 3, "pipe|160 µs|4|1.78|31.2 kHz|391 Hz|≈ 195 Hz"),
            ("All rows", 0, "contender|scenario|mode|size|rate|senders|receivers|hops|p50|p99|"
                            "p99.9|max|p50/floor|p99/floor|lost|reordered|damaged|n|sched|kind"),
            ("All rows", -1, "pipe|lossy|block|65 B|1 kHz|1|1|1|8.00 µs|16.0 µs|24.0 µs|"
                             "80.0 µs|2.00|–|!12|0|0|20\u202f000|other|kernel"),
            ("A stopped receiver", 1, "pipe|blocks|500 µs|!1\u202f234|oldest|1.00 s|never"),
            ("Calls of kernel channels, Linux RT", 1,
             "read|912 ns|1.40 µs|4.63|get|ratio >= 5|!missed"),
            ("Calls of kernel channels, Linux RT", 2, "write|4.01 µs|–|–|–|–|reached"),
            ("Rows, Linux RT", 2, "ach|receivers-1k|2|10.0 µs|20.0 µs|30.0 µs|100 µs|2.50"),
        ):
            self.assertEqual(made.tables[name][line], text)
        for text in ("Example board", "Linux 6.1", "A note.", "Left out: 1 point that",
                     "A floor is the least", "4 and 8 hops", "Click on a heading",
                     "receiver is stopped while", "not on hardware",
                     "ach, 4: p50 20.0 µs, p99 40.0 µs", "p50 10.0 µs, p99 20.0 µs, max 100",
                     "latency; receivers sleep, 64 B, 1 kHz, 1 sender, 2 receivers"):
            self.assertIn(text, made.text)
        self.assertNotIn("No results", made.text)

    def test_figures(self):
        """The number of points of each line."""
        body, tail = "Distribution of the latency", "Tail of the latency"
        rates = "Latency at 1 kHz and 8 kHz with 1 and 2 receivers"
        receivers = ("Latency and number of receivers", {"ach": 3, "futex": 1, "pipe": 1})
        hops = {"ach": 3, "futex": 1, "pipe": 3}
        made = self.page()
        self.assertEqual([(title, {name: len(places) for name, places in lines.items()})
                          for title, lines, _ in made.figures], [
            ("Lines of code per contender", {"ach": 1, "floor": 1, "kernel": 1}),
            (body, dict.fromkeys(P50, 4)), (tail, dict.fromkeys(P50, 3)),
            ("Latency and size of a message", dict.fromkeys(P50, 3)), receivers, receivers,
            ("Latency and number of senders", dict.fromkeys(P50, 2)),
            ("Latency and number of hops", hops),
            (rates, {"1 kHz, 1 receiver": 3, "1 kHz, 2 receivers": 1, "8 kHz, 1 receiver": 3}),
            ("Share of a control cycle", hops), ("Cost and size", {"put": 3}),
            ("Many writers", {"all": 6}),
            (rates, {"1 kHz, 1 receiver": 1, "1 kHz, 2 receivers": 1}),
            (body, {"ach": 4}), (tail, {"ach": 3}), (body, {"ach": 4}), (tail, {"ach": 3})])

    def test_places(self):
        """Points are where the ticks of their values are."""
        figures = {title: more for title, *more in self.page().figures}
        lines, ticks = figures["Cost and size"]
        self.assertEqual(lines["put"], [(ticks[x][0], ticks[y][1]) for x, y in (
            ("1 B", "10 ns"), ("10 B", "100 ns"), ("100 B", "1 µs"))])
        self.assertAlmostEqual(2 * ticks["10 B"][0], ticks["1 B"][0] + ticks["100 B"][0], 0)
        lines, ticks = figures["Many writers"]
        self.assertEqual([y for _, y in lines["all"]], [
            ticks[text][1] for text in ("0", "1000", "2000", "3000", "4000", "5000")])

    def test_labels(self):
        """Points have labels, their values ticks, and lines their names beside their ends."""
        made = self.page()
        figures = {title: more for title, *more in made.figures}
        lines, ticks = figures["Latency and size of a message"]
        self.assertLessEqual({"64 B", "1 KiB", "16 KiB"}, set(ticks))
        svg = re.findall(r"<svg.*?</svg>", made.text, re.DOTALL)
        self.assertEqual(svg[0].count('class="">50</text>'), 3)
        sizes = next(each for each in svg if "size of a message" in each)
        at = {name: float(re.search(rf'y="([\d.]+)"[^>]*>{name}</text>', sizes)[1]) for name in P50}
        self.assertEqual(sorted(at, key=at.get),
                         sorted(P50, key=lambda name: lines[name][-1][1]))

    def test_numbers(self):
        for show, value, text in (
            (page.duration, 999.6, "1.00 µs"), (page.duration, 12345678, "12.3 ms"),
            (page.duration, 0, "0 ns"), (page.duration, 9.996, "10.0 ns"), (page.size, 64, "64 B"),
            (page.size, 1536, "1.5 KiB"), (page.size, 1023, "1023 B"), (page.rate, 0, "ping-pong"),
            (page.rate, 8000, "8 kHz"), (page.percent, 0.5, "0.500 %"),
            (page.count, 1234567, "1\u202f234\u202f567"),
        ):
            self.assertEqual(show(value), text)

    def test_missing(self):
        """What is missing costs only its part: so many figures and tables, and a sentence."""
        whole, good = self.page(), self.sample["report.json"]
        no_kernel = {"rt/peers.json": None, "rt/calls.json": None}
        for changes, figures, tables, lacking in (
            ({"scaling.json": None}, 2, 0, "“How cost grows”"),
            ({"report.json": b""}, 10, 6, "“Floors”"),
            ({"rt/peers.json": None}, 5, 1, ""),
            ({"rt/calls.json": None}, 0, 1, ""),
            (no_kernel, 5, 2, "“Inside an emulated machine”"),
            ({"report.json": {**good, "stopped": []}}, 0, 1, "“A stopped receiver”"),
            ({"report.json": {**good, "rows": []}}, 9, 4, "“All rows”"),
        ):
            made = self.page(changes)
            self.assertEqual(len(whole.figures) - len(made.figures), figures, changes)
            self.assertEqual(len(whole.tables) - len(made.tables), tables, changes)
            said = "".join(re.findall("No results for [^<]*", made.text))
            self.assertTrue(lacking in said if lacking else not said, said)

    def test_curves(self):
        for log in (True, False):
            for points in ([[0, 0]], [[5, 5]], [[-1, -2], [3, 1e18]], [[1, 1e-12], [2, 1e15]]):
                rows = [{"scenario": "c", "contender": "s", "x": x, "p50_ns": y}
                        for x, y in points]
                made = {"curves": [curve("c", "C", "x", "y", log)], "rows": rows}
                figures = self.page({"scaling.json": made}).figures
                drawn = [len(lines["s"]) for title, lines, _ in figures if title == "C"]
                shown = len([pair for pair in points if not log or pair[0] > 0])
                self.assertEqual(drawn, [shown] if shown else [])

    def test_invalid(self):
        """Invalid results are an error of one line, and leave the old page."""
        old = self.page().text
        for value in (b"{", b'"\xff"', [], {"rows": [7]}, {"rows": [{"kind": "floor"}]},
                      {"rows": [row("paced-1k", "ach", p50_ns="7")]}, {"contenders": [{}]}):
            self.assertRegex(self.run_report({"report.json": value}),
                             "^report: not valid results: .+$")
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
        with self.assertRaisesRegex(SystemExit, "^usage: report "):
            REPORT["main"]([])

    def test_hostile(self):
        """Strings are shown as they are, never as markup."""
        text = json.dumps(self.sample["report.json"])
        for old in ("pipe", "none", "lossy", "oldest", "Example board"):
            text = text.replace(f'"{old}"', json.dumps(HOSTILE + old))
        made = self.page({"report.json": text.encode()})
        self.assertNotIn("<script>alert", made.text)
        self.assertIn(f"{HOSTILE}pipe|{HOSTILE}lossy|block", made.tables["All rows"][-1])


if __name__ == "__main__":
    unittest.main()
