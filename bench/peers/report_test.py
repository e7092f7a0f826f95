#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of a small sample: its tables, figures, numbers, gaps and errors."""
import json
import math
import os
import re
import runpy
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET

sys.dont_write_bytecode = True
import plot  # noqa: E402

REPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "report")
MAIN = runpy.run_path(REPORT)["main"]
P50 = {"ach": 5000, "futex": 4000, "pipe": 8000}
KINDS = {"ach": "ach", "futex": "floor", "pipe": "kernel"}
HOSTILE = "<script>alert(1)</script>\"'&]]>\x01\ud800"
PLACES = ("x", "y", "x1", "x2", "y1", "y2", "width", "height", "points")
BOXES = "Latency at 1 kHz and 8 kHz with 1 and 2 receivers"
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


def sample():
    rows = []
    for name in P50:
        rows += [row("paced-1k", name), row("paced-8k", name, 2, rate_hz=8000)]
        rows += [row("sizes", name, n, size=1024 * n) for n in (1, 16)]
        rows += [row("sizes", name, n, size=1024 * n, mode="spin") for n in (1, 4)]
        rows += [row("hops", name, n, hops=n) for n in (2, 8)]
        rows += [row("senders", name, 2, senders=4)]
    rows += [row("receivers", "ach", n, receivers=n) for n in (2, 4)]
    rows += [row("lossy", "pipe", lost=12)]
    put = {"name": "put", "points": [[1, 10], [10, 100], [100, 1000], [0, 5]]}
    get = {"name": "get", "points": [[1, 20], [100, 20]]}
    every = {"name": "all", "points": [[n, 1000 * n] for n in range(6)]}
    contenders = [{"name": name, "kind": KINDS[name], "settings": "none", "package": "p",
                   "source": f"SOURCE{i} nowhere.c", "status": "ok"} for i, name in enumerate(P50)]
    contenders += [{"name": "zenoh", "kind": "library", "status": "not built: no zenoh.h"}]
    stopped = {"contender": "pipe", "blocks": True, "longest_send_ms": 0.5, "lost": 1234,
               "first": "oldest", "first_age_ms": 1000.2, "newest_after_ms": -1}
    return {
        "report.json": {
            "machine": "Example board", "kernel": "Linux 6.1",
            "contenders": contenders, "rows": rows, "stopped": [stopped]},
        "scaling.json": {"machine": "Example board", "kernel": "Linux 6.2", "curves": [
            {"name": "size", "title": "Cost and size", "x_label": "size, bytes", "x_log": True,
             "y_label": "p50 (ns)", "y_log": True, "series": [put, get]},
            {"name": "writers", "series": [every]}], "notes": ["A note.", "Another note."]},
        "rt/peers.json": {"kernel": "Linux RT", "rows": [row("paced-1k", name) for name in P50] + [
            row("receivers-1k", "ach", n, receivers=n) for n in (2, 3)]},
        "rt/calls.json": {"claims": [
            {"name": "read", "floor": "get", "p50": 912, "p99": 1400, "ratio": 4.63,
             "target": "ratio >= 5", "reached": False},
            {"name": "write", "p50": 4011.5, "reached": True}, {"name": "poll"}]},
        "empty/x": {},
    }


class Page:
    """tables: {name: rows of cells, "!" before warnings}. figures: [(title, {line: places in
    pixels, or tip of a box: None})]. The page must be XML, and load nothing."""

    def __init__(self, text):
        self.text = text
        root = ET.fromstring(text)
        for node in root.iter():
            assert node.get("src") is None and node.get("href", "#").startswith("#"), node.items()
            assert not any(name.startswith("on") for name in node.keys()), node.items()
            for name in PLACES if node.tag != "meta" else ():
                for part in re.findall("[^ ,]+", node.get(name, "")):
                    assert math.isfinite(float(part)), node.items()
        assert len(list(root.iter("script"))) == 1
        self.tables = {
            box.get("aria-label"): [
                ["!" * ("warn" in cell.get("class")) + "".join(cell.itertext()) for cell in line]
                for line in box.iter("tr")]
            for box in root.iter("div") if box.find("table") is not None}
        plots = [svg for svg in root.iter("svg") if svg.get("class") == "plot"]
        self.figures = [(svg.findtext("title"), {
            group.findtext("title"): None if group.get("class") == "box" else [
                tuple(map(float, pair.split(",")))
                for pair in group.find("polyline").get("points").split()]
            for group in svg.iter("g")}) for svg in plots]
        self.ticks = {svg.findtext("title"): {
            each.text: (float(each.get("x")), float(each.get("y")) - 4)
            for each in svg.iter("text") if each.get("class") == "tick"} for svg in plots}


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for i in range(len(P50)):  # 50 lines of code, and more
            with open(self.path(f"code{i}"), "w", encoding="utf-8") as file:
                file.write("/* no\n * code */\n\n" + (50 + i) * "code(); // no code\n")

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_report(self, changes):
        """Status and message. changes: {name of a file: JSON value, bytes, or None for no file}"""
        for name, value in (sample() | changes).items():
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            with open(self.path(name), "wb") as file:
                file.write(value if isinstance(value, bytes) else json.dumps(value).replace(
                    "SOURCE", self.path("code")).encode())
            if value is None:
                os.unlink(self.path(name))
        names = ("report.json", "scaling.json", "page.html", "rt", "empty")
        try:
            MAIN([self.path(name) for name in names])
        except SystemExit as end:
            return 1, end.code
        return 0, ""

    def page(self, changes=None, **more):
        """The page. more: changes of report.json and scaling.json"""
        more = {name + ".json": value for name, value in more.items()}
        self.assertEqual(self.run_report((changes or {}) | more), (0, ""))
        with open(self.path("page.html"), encoding="utf-8") as file:
            return Page(file.read())

    def refuse(self, name, value, hint):
        status, said = self.run_report({name: value})
        self.assertEqual((status, said.count("\n")), (1, 0), said)
        self.assertIn(f"{name}: {hint}", said)
        self.assertTrue(said.startswith("report: "), said)

    def test_tables(self):
        page, rows = self.page(), sample()["report.json"]["rows"]
        small = {name: lines[1:] for name, lines in page.tables.items() if len(lines) < 6}
        self.assertEqual(small, {
            "Contenders": [
                ["ach", "ach", "p", "none", "50", "ok"],
                ["futex", "floor", "p", "none", "51", "ok"],
                ["pipe", "kernel", "p", "none", "52", "ok"],
                ["zenoh", "library", "–", "–", "–", "!not built: no zenoh.h"]],
            "Main scenario": [
                ["futex", "4.00 µs", "8.00 µs", "12.0 µs", "40.0 µs", "1.00"],
                ["ach", "5.00 µs", "10.0 µs", "15.0 µs", "50.0 µs", "1.25"],
                ["pipe", "8.00 µs", "16.0 µs", "24.0 µs", "80.0 µs", "2.00"]],
            CYCLE: [
                ["ach", "5.00 µs", "8", "≈ 50.0", "50.0 kHz", "12.5 kHz", "6.25 kHz"],
                ["futex", "4.00 µs", "8", "≈ 62.5", "62.5 kHz", "15.6 kHz", "7.81 kHz"],
                ["pipe", "8.00 µs", "8", "≈ 31.2", "31.2 kHz", "7.81 kHz", "3.91 kHz"]],
            "A stopped receiver": [
                ["pipe", "blocks", "500 µs", "1\u202f234", "oldest", "1.00 s", "never"]],
            "Calls of kernel channels, Linux RT": [
                ["read", "912 ns", "1.40 µs", "4.63", "get", "ratio >= 5", "!missed"],
                ["write", "4.01 µs", "–", "–", "–", "–", "reached"], ["poll", *"––––––"]]})
        self.assertEqual(page.tables["Floors"][1], [
            "futex, paced-1k: receivers sleep, 64 B, 1 kHz, 1 sender, 1 receiver, 1 hop, "
            "scheduling other", "4.00 µs"])
        heads = {name: "|".join(lines[0]) for name, lines in page.tables.items()}
        self.assertEqual(heads["All rows"], (
            "contender|scenario|mode|size|rate|senders|receivers|hops|p50|p99|p99.9|max|p50/floor|"
            "p99/floor|lost|reordered|damaged|n|sched|kind"))
        self.assertEqual(heads["A stopped receiver"], (
            "contender|sender|longest send|messages dropped|first message|age of the first|"
            "until the newest"))
        self.assertEqual([line[:2] for line in page.tables["All rows"][1:]],
                         [[each["contender"], each["scenario"]] for each in rows])
        self.assertEqual(page.tables["All rows"][-1], [
            "pipe", "lossy", "block", "64 B", "1 kHz", "1", "1", "1", "8.00 µs", "16.0 µs",
            "24.0 µs", "80.0 µs", "2.00", "–", "!12", "0", "0", "20\u202f000", "other", "kernel"])
        self.assertEqual(len(page.tables["All rows, Linux RT"]), 6)
        self.assertEqual(page.tables["All rows, Linux RT"][4], [
            "ach", "receivers-1k", "2", "10.0 µs", "20.0 µs", "30.0 µs", "100 µs", "2.50"])
        for text in ("Example board", "Linux 6.1", "another kernel than the rest: Linux 6.2",
                     "A note.", "Another note.", "Left out: 1 point that", "not on hardware"):
            self.assertIn(text, page.text)
        self.assertNotIn('class="absent"', page.text)

    def test_figures(self):
        page = self.page()
        figures = [(title, {name: places and len(places) for name, places in lines.items()})
                   for title, lines in page.figures]
        two, three, four = [dict.fromkeys(P50, n) for n in (2, 3, 4)]
        receivers = ("Latency and number of receivers", {"ach": 3, "futex": 1, "pipe": 1})
        body, tail = "Distribution of the latency", "Tail of the latency"
        self.assertEqual([each for each in figures if each[0] != BOXES], [
            ("Lines of code per contender", dict.fromkeys(["ach: 50", "futex: 51", "pipe: 52"])),
            (body, four), (tail, three), ("Latency and size of a message", three),
            ("Latency and size of a message", two), receivers, receivers,
            ("Latency and number of senders", two), ("Latency and number of hops", three),
            ("Share of a control cycle", three), ("Cost and size", {"put": 3, "get": 2}),
            ("writers", {"all": 6}), (body, four), (tail, three), (body, {"ach": 4}),
            (tail, {"ach": 3})])
        boxes = [lines for title, lines in figures if title == BOXES]
        self.assertEqual([len(lines) for lines in boxes], [4 + 7, 4 + 4])
        self.assertIn("8 kHz, 2 receivers", boxes[1])
        self.assertIn("ach, receivers sleep, 64 B, 1 kHz, 1 sender, 2 receivers, 1 hop, scheduling "
                      "other: p50 10.0 µs, p99 20.0 µs, max 100 µs", boxes[0])
        self.assertIn("ach, 4: p50 20.0 µs, p99 40.0 µs", page.text)
        self.assertIn("latency; receivers sleep, 64 B, 1 kHz, 1 sender, 2 receivers", page.text)

    def test_places(self):
        """Points are where the ticks of their values are."""
        page = self.page()
        ticks, lines = page.ticks["Cost and size"], dict(page.figures)["Cost and size"]
        self.assertEqual(lines["put"], [(ticks[x][0], ticks[y][1]) for x, y in (
            ("1 B", "10 ns"), ("10 B", "100 ns"), ("100 B", "1 µs"))])
        self.assertAlmostEqual(2 * ticks["10 B"][0], ticks["1 B"][0] + ticks["100 B"][0], 0)
        ticks, lines = page.ticks["writers"], dict(page.figures)["writers"]
        self.assertEqual([y for _, y in lines["all"][1:]],
                         [ticks[f"{n}000"][1] for n in range(1, 6)])
        share = dict(page.figures)["Share of a control cycle"]["ach"]
        self.assertEqual(share[0][1], page.ticks["Share of a control cycle"]["0.5 %"][1])
        self.assertAlmostEqual((share[2][0] - share[0][0]) / (share[1][0] - share[0][0]), 7, 1)
        self.assertEqual(page.text.count('class="whisker'), 2 * (9 + 6 + 5 + 6 + 9))
        found = re.findall('height="([0-9.]*)" class="ink"', page.text)
        heights = [float(height) for height in found]
        self.assertEqual((len(heights), min(heights) > 9), (3 + 11 + 8, True), heights)

    def test_looks(self):
        looks = plot.looks(dict.fromkeys(range(70))).values()
        self.assertEqual(len({(look.dash, look.marker) for look in looks}), 70)

    def test_numbers(self):
        for show, value, text in (
            (plot.duration, 999.6, "1.00 µs"), (plot.duration, 12345678, "12.3 ms"),
            (plot.duration, 0, "0 ns"), (plot.duration, 9.996, "10.0 ns"), (plot.size, 64, "64 B"),
            (plot.size, 1536, "1.5 KiB"), (plot.rate, 0, "ping-pong"), (plot.rate, 8000, "8 kHz"),
            (plot.plain, 25000, "25k"), (plot.plain, 4096, "4096"), (plot.percent, 0.5, "0.5 %"),
        ):
            self.assertEqual(show(value), text)

    def test_cycle(self):
        """A chain that takes longer than a quarter of the cycle, and one that was not measured."""
        rows = [row("hops", "ach", 2.5 * n, hops=n) for n in (2, 8)]
        line = self.page(report={"rows": rows}).tables[CYCLE][1]
        self.assertEqual(line[3:], ["≈ 20.0", "≈ 20.0 kHz", "5.00 kHz", "2.50 kHz"])
        rows[0]["p50_ns"] = 500000
        self.assertEqual(self.page(report={"rows": rows}).tables[CYCLE][1][3], "≈ 1.00")

    def test_missing_files(self):
        whole, page = self.page(), self.page(scaling=None)
        self.assertIn("results of ach-scaling are missing", page.text)
        self.assertEqual(page.tables, whole.tables)
        self.assertEqual(page.figures, whole.figures[:11] + whole.figures[13:])
        page = self.page(report=None)
        self.assertIn("results of ach-peers are missing", page.text)
        self.assertEqual(page.figures, whole.figures[11:])
        page = self.page({"rt/peers.json": None})
        self.assertEqual(page.figures, whole.figures[:13])
        self.assertEqual(set(whole.tables) - set(page.tables), {
            "All rows, Linux RT", "Calls of kernel channels, Linux RT"})
        self.page(report=None, scaling=None)
        self.page({name: {} for name in sample()})
        status, said = self.run_report(dict.fromkeys(sample()))
        self.assertEqual((status, said.endswith("exists")), (1, True), said)

    def test_missing_parts(self):
        whole = self.page()
        for part, tables in (
            ("machine", []), ("contenders", ["Contenders"]),
            ("stopped", ["A stopped receiver"]), ("rows", ["All rows", "Floors", "Main scenario", CYCLE]),
        ):
            page = self.page(report={**sample()["report.json"], part: None})
            self.assertEqual(set(whole.tables) - set(page.tables), set(tables))
            self.assertEqual('class="absent"' in page.text, part != "machine", part)
        self.assertEqual(page.text.count("No results for the scenario"), 6)

    def test_missing_columns(self):
        """Rows without a column are still in the table, and so are those with a 0."""
        rows = sample()["report.json"]["rows"]
        for column in rows[0].keys() - {"scenario", "contender"}:
            zero = 0 if type(rows[0][column]) in (int, float) else None
            for value in {None, zero}:
                page = self.page(report={"rows": [{**each, column: value} for each in rows]})
                self.assertEqual(len(page.tables["All rows"]), 1 + len(rows), column)

    def test_curves(self):
        for log in (True, False):
            for points in ([], [[0, 0]], [[5, 5]], [[-1, -2], [3, 1e18]], [[1, 1e-12], [2, 1e15]]):
                curve = {"name": "c", "x_log": log, "y_log": log,
                         "series": [{"name": "s", "points": points}, {"name": "none"}]}
                page = self.page(scaling={"curves": [curve]})
                shown = [pair for pair in points if not log or pair[0] > 0]
                self.assertEqual(len(dict(page.figures).get("c", {}).get("s", [])), len(shown))

    def test_broken_files(self):
        good = json.dumps(sample()["report.json"]).encode()
        broken = [good[:999], b"", b"[]", b'{"machine": "\xff"}', b"[" * 100000]
        for value in b'NaN -Infinity 1e999 -1 true "7" []'.split() + [b"9" * 400, b"9" * 5000]:
            broken.append(good.replace(b'"p50_ns": ', b'"p50_ns": ' + value + b', "old": ', 1))
        for value in broken:
            self.refuse("report.json", value, "not valid results: ")
        self.refuse("scaling.json", b"{", "not valid results: ")

    def test_broken_values(self):
        for name, path, value, hint in (
            ("report", "rows/3/cdf", [[1, 0.5], [2, 0.4]], ".rows[3].cdf: does not rise"),
            ("report", "rows/3/cdf", [[2, 0.5], [1, 0.6]], ".rows[3].cdf: does not rise"),
            ("report", "rows/0/cdf", [[1, 1.5]], ".rows[0].cdf: does not rise"),
            ("report", "rows/0/cdf", [[1]], ".rows[0].cdf[0]: not a pair"),
            ("report", "rows/0/mode", 5, ".rows[0].mode: not a string"),
            ("report", "rows/1", 7, ".rows[1]: not an object"),
            ("report", "rows/2/scenario", None, ".rows[2]: has no scenario"),
            ("report", "rows", {}, ".rows: not a list"),
            ("report", "contenders/0/name", None, ".contenders[0]: has no name"),
            ("report", "stopped/0/blocks", "no", ".stopped[0].blocks: not true or false"),
            ("scaling", "curves/0/series/1/points/1", [1, "2"],
             ".curves[0].series[1].points[1][1]: not a number"),
            ("rt/calls", "claims/0/ratio", "much", ".claims[0].ratio: not a number"),
        ):
            whole = sample()[name + ".json"]
            *steps, last = [int(step) if step.isdigit() else step for step in path.split("/")]
            at = whole
            for step in steps:
                at = at[step]
            at[last] = value
            self.refuse(name + ".json", whole, "not valid results: " + hint)

    def test_output(self):
        """Invalid results leave the old page. Other errors are clear, too."""
        self.page()
        self.refuse("report.json", b"{", "not valid")
        self.assertTrue(os.path.exists(self.path("page.html")))
        os.unlink(self.path("page.html"))
        os.mkdir(self.path("page.html"))
        status, said = self.run_report({})
        self.assertEqual((status, said.endswith("page.html: Is a directory")), (1, True), said)
        done = subprocess.run([REPORT], capture_output=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr[:6]), (2, b"usage:"))
        done = subprocess.run([REPORT, "a", "b", "c"], capture_output=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, b"report: neither a nor b exists\n"))

    def test_hostile(self):
        """Strings are shown as they are, never as markup."""
        def hostile(value):
            if isinstance(value, list):
                return [hostile(each) for each in value]
            if isinstance(value, dict):
                return {HOSTILE if key == "futex" else key: hostile(v) for key, v in value.items()}
            kept = value in ("paced-1k", "sizes", "receivers", "senders", "hops", "block")
            return HOSTILE + value if isinstance(value, str) and not kept else value

        page = self.page({name: hostile(value) for name, value in sample().items()})
        self.assertNotIn("<script>alert", page.text)
        shown = HOSTILE[:-2] + "\ufffd\ufffd"
        names = {line[0] for line in page.tables["All rows"][1:]}
        self.assertEqual(names, {shown + name for name in P50})


if __name__ == "__main__":
    unittest.main()
