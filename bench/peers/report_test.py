#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The report of made-up results: holds every row, is well-formed, escapes, and refuses damage.

report_test.py                 run the tests
report_test.py --sample DIR    write the made-up results there, to look at the page
"""
import collections
import copy
import html.parser
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.dont_write_bytecode = True

from report_sample import sample_calls, sample_report, sample_rows, sample_scaling  # noqa: E402

REPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "report")
LIMIT = 120
HOSTILE = "<script>alert(1)</script>\"'&]]>\x01\ud800"
VOID = {"meta", "br", "hr", "img", "input", "link"}


class Page(html.parser.HTMLParser):
    """Sees that tags match, and gathers the rows of each table."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.cell, self.ok = [], [], None, True
        self.tables = collections.defaultdict(list)
        self.region = None
        self.feed(text)
        self.close()
        self.ok = self.ok and not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        self.region = dict(attrs).get("aria-label", self.region) if tag == "div" else self.region
        if tag == "tbody":
            self.tables[self.region] = []
        elif tag == "tr" and self.region in self.tables:
            self.tables[self.region].append([])
        elif tag == "td":
            self.cell = ""

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        self.ok = self.ok and bool(self.open) and self.open.pop() == tag
        if tag == "td" and self.tables[self.region]:
            self.tables[self.region][-1].append(self.cell)
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data


class Tests:
    def __init__(self, folder):
        self.folder, self.failures = folder, 0
        self.path = {
            name: os.path.join(folder, name)
            for name in ("report.json", "scaling.json", "page.html")
        }

    def check(self, ok, what):
        if not ok:
            print("FAILED:", what)
            self.failures += 1

    def run(self, report, scaling):
        """Status, page or None, what it said. Takes results, bytes, or None for no file."""
        for name, value in (("report.json", report), ("scaling.json", scaling)):
            if os.path.exists(self.path[name]):
                os.unlink(self.path[name])
            if value is not None:
                with open(self.path[name], "wb") as file:
                    file.write(value if isinstance(value, bytes) else json.dumps(value).encode())
        if os.path.exists(self.path["page.html"]):
            os.unlink(self.path["page.html"])
        done = subprocess.run(
            [REPORT, *self.path.values()], capture_output=True, timeout=LIMIT, check=False
        )
        self.check(
            not [name for name in os.listdir(self.folder) if name not in self.path],
            "a draft is left behind",
        )
        text = None
        if os.path.exists(self.path["page.html"]):
            with open(self.path["page.html"], encoding="utf-8") as file:
                text = file.read()
        return done.returncode, text, done.stderr.decode()

    def page(self, name, report, scaling):
        """A page that must be made and well-formed."""
        status, text, said = self.run(report, scaling)
        self.check(status == 0 and text is not None and not said, f"{name}: makes a page: {said}")
        text = text or ""
        page = Page(text)
        self.check(page.ok, f"{name}: tags match")
        scripts = [tag for tag, _ in page.tags if tag == "script"]
        self.check(len(scripts) == 1, f"{name}: one script, our own")
        loads = [
            attrs
            for _, attrs in page.tags
            if "src" in attrs
            or not attrs.get("href", "#").startswith("#")
            or any(key.startswith("on") for key in attrs)
        ]
        self.check(not loads and "@import" not in text, f"{name}: loads nothing: {loads}")
        for svg in re.findall(r"<svg.*?</svg>", text, re.S):
            self.svg(name, svg)
        return text, page

    def svg(self, name, svg):
        try:
            root = xml.etree.ElementTree.fromstring(svg)
        except xml.etree.ElementTree.ParseError as error:
            self.check(False, f"{name}: SVG is not XML: {error}")
            return
        titled = (
            root.find("title") is not None
            and root.find("title").text
            and root.find("desc") is not None
        )
        self.check(
            titled or root.get("aria-hidden") == "true",
            f"{name}: SVG has a title and a description",
        )
        places = [
            value
            for node in root.iter()
            for key, value in node.items()
            if key in ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height", "points")
        ]
        finite = all(
            math.isfinite(float(part)) for value in places for part in re.split("[ ,]+", value)
        )
        self.check(places and finite, f"{name}: SVG has only finite places")

    def refuse(self, name, report, scaling, hint=""):
        status, text, said = self.run(report, scaling)
        self.check(status == 1, f"{name}: exit status is {status}, not 1")
        self.check(text is None, f"{name}: nothing is written")
        self.check(
            said.startswith("report: ") and said.count("\n") == 1 and hint in said,
            f"{name}: one clear sentence, not {said!r}",
        )


def test_whole(t):
    report, scaling = sample_report(), sample_scaling()
    text, page = t.page("whole", report, scaling)
    shown = page.tables.get("All rows", [])
    t.check(len(shown) == len(report["rows"]), "every row is in the table")
    wanted = sorted((r["contender"], r["scenario"], r["mode"]) for r in report["rows"])
    t.check(
        sorted((line[0], line[1], line[2]) for line in shown) == wanted,
        "the table holds the rows that were given",
    )
    t.check(
        [line[0] for line in page.tables["Contenders"]]
        == [c["name"] for c in report["contenders"]],
        "every contender is in its table",
    )
    t.check("not built: zenoh.h was not found" in text, "says why a contender is missing")
    t.check(len(page.tables["A stopped receiver"]) == 4, "every stopped receiver is there")
    titles = re.findall(r"<svg[^>]*><title>(.*?)</title>", text)
    for title in (
        "Lines of code per contender",
        "Distribution of the latency",
        "Tail of the latency",
        "Latency and size of a message",
        "Latency and number of receivers",
        "Latency and number of senders",
        "Latency and number of hops",
        "Share of a control cycle",
        "Latency at 1 kHz and 8 kHz with 1 and 2 receivers",
        *[c["title"] for c in scaling["curves"]],
    ):
        t.check(title in titles, f"there is a plot “{title}”")
    t.check(all(note in text for note in scaling["notes"]), "the notes are there")
    t.check('class="absent"' not in text, "says of nothing that it is missing")
    t.check(report["kernel"] in text and report["machine"] in text, "says what it was measured on")


def test_looks(t):
    """No two lines of a plot have both dashes and marker in common."""
    text, _ = t.page("looks", sample_report(), sample_scaling())
    for svg in re.findall(r'<svg class="plot".*?</svg>', text, re.S):
        groups = re.findall(r'<g class="s[^"]*">\n.*?</g>', svg, re.S)
        made = []
        for group in groups:
            dash = re.search('class="line[^>]*?(stroke-dasharray="[^"]*")?/>', group)
            mark = re.search('<(circle|polygon points="[^"]*").*?class="mark c. ([fo])', group)
            if dash and mark:
                made.append((dash.group(1), *mark.groups()))
        t.check(len(made) == len(set(made)), "lines look different without colour")


def test_cycle(t):
    """Figures that are easy to reckon: 12.5 µs for a hop, measured up to 8."""
    report = {
        "rows": [
            {"scenario": "hops", "contender": "a", "mode": "block", "hops": n, "p50_ns": 12500 * n}
            for n in (2, 8)
        ]
    }
    _, page = t.page("cycle", report, None)
    t.check(
        page.tables.get("Hops in a control cycle")
        == [["a", "12.5 µs", "8", "≈ 20.0", "≈ 20.0 kHz", "5.00 kHz", "2.50 kHz"]],
        "hops in a control cycle",
    )
    report["rows"][0]["p50_ns"] = 500000
    _, page = t.page("slow hop", report, None)
    t.check(
        page.tables["Hops in a control cycle"][0][3] == "≈ 1.00",
        "a quarter of the cycle before the first chain",
    )


def test_base(t):
    """A curve begins with the row of a base that fits it, and with no other."""
    rows = [
        {"scenario": "receivers", "contender": "a", "receivers": 4, "size": 64, "p50_ns": 4000},
        {"scenario": "paced-1k", "contender": "a", "receivers": 1, "size": 64, "p50_ns": 1000},
        {"scenario": "paced-1k", "contender": "b", "receivers": 1, "size": 65, "p50_ns": 2000},
        {"scenario": "untouched", "contender": "c", "receivers": 1, "size": 64, "p50_ns": 3000},
    ]
    text, _ = t.page("base", {"rows": rows}, None)
    tips = re.findall(r"<title>(\w, \d: p50 [^,]*)", text)
    t.check(tips == ["a, 1: p50 1.00 µs", "a, 4: p50 4.00 µs"], f"points of a curve: {tips}")


def test_absent(t):
    text, page = t.page("no scaling", sample_report(), None)
    t.check("no file of results of ach-scaling" in text, "says that scaling is absent")
    text, _ = t.page("no report", None, sample_scaling())
    t.check(
        "no file of results of ach-peers" in text and "Messages per second" in text,
        "says that the report is absent",
    )
    t.page("empty objects", {}, {})
    t.refuse("neither file", None, None, "neither")
    for key in sample_report():
        less = sample_report()
        del less[key]
        text, _ = t.page(f"without {key}", less, sample_scaling())
        t.check(
            key in ("machine", "kernel") or 'class="absent"' in text, f"says that {key} is absent"
        )
    for key in (
        "p50_ns",
        "p99_ns",
        "p999_ns",
        "max_ns",
        "ratio",
        "cdf",
        "mode",
        "size",
        "hops",
        "rate_hz",
        "kind",
    ):
        less = sample_report()
        for each in less["rows"]:
            each.pop(key, None)
        _, page = t.page(f"rows without {key}", less, sample_scaling())
        t.check(len(page.tables["All rows"]) == len(less["rows"]), f"rows without {key} are shown")
    zero = sample_report()
    for each in zero["rows"]:
        each.update(p50_ns=0, p99_ns=0, max_ns=0, hops=0, cdf=[[0, 0], [0, 1]])
    t.page("nothing but zeros", zero, None)


def test_curves(t):
    for x_log in (True, False):
        for points in ([], [[0, 0]], [[5, 5]], [[-1, -2], [3, 1e18]], [[1, 1e-12], [2, 1e15]]):
            scaling = {
                "curves": [
                    {
                        "name": "c",
                        "x_log": x_log,
                        "y_log": x_log,
                        "series": [{"name": "s", "points": points}, {"name": "none"}],
                    }
                ]
            }
            t.page(f"curve {points} log {x_log}", None, scaling)


def test_damage(t):
    good = json.dumps(sample_report()).encode()
    t.refuse("half a file", good[: len(good) // 2], sample_scaling(), "not JSON")
    t.refuse("empty file", b"", None, "not JSON")
    t.refuse("a list", b"[]", None, "not an object")
    t.refuse("not UTF-8", b'{"machine": "\xff"}', None, "not JSON")
    t.refuse("deep", b"[" * 100000, None, "not JSON")
    t.refuse("scaling damaged", sample_report(), b"{", "scaling.json")
    for value in (
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"1e999",
        b"9" * 400,
        b"9" * 5000,
        b"-1",
        b"true",
        b'"7"',
        b"[]",
    ):
        made = good.replace(b'"p50_ns": ', b'"p50_ns": ' + value + b', "old": ', 1)
        t.refuse(f"p50_ns is {value[:12]}", made, sample_scaling(), "report.json")
    for path, value, hint in (
        (("rows", 3, "cdf"), [[1, 0.5], [2, 0.4]], "rows[3].cdf[1]"),
        (("rows", 3, "cdf"), [[1]], "rows[3].cdf[0]"),
        (("rows", 0, "cdf"), [[1, 1.5]], "cdf"),
        (("rows", 0, "mode"), 5, "rows[0].mode"),
        (("rows", 1), 7, "rows[1]"),
        (("rows", 2, "scenario"), None, "scenario"),
        (("rows", 2, "contender"), None, "contender"),
        (("contenders", 0, "name"), None, "name"),
        (("stopped", 0, "blocks"), "no", "blocks"),
        (("floors",), [1], "floors"),
        (("floors", "futex"), "x", "floors.futex"),
        (("rows",), {}, "rows"),
    ):
        report = sample_report()
        at = report
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = copy.deepcopy(value)
        t.refuse(f"damaged {path}", report, sample_scaling(), hint)
    scaling = sample_scaling()
    scaling["curves"][1]["series"][0]["points"][2] = [1, "2"]
    t.refuse("damaged point", sample_report(), scaling, "curves[1].series[0].points[2][1]")


def test_keeps_old_page(t):
    """Damage must not cost the page of the last run."""
    with open(t.path["report.json"], "wb") as file:
        file.write(b"{")
    with open(t.path["page.html"], "w", encoding="utf-8") as file:
        file.write("old")
    done = subprocess.run(
        [REPORT, *t.path.values()], capture_output=True, timeout=LIMIT, check=False
    )
    with open(t.path["page.html"], encoding="utf-8") as file:
        t.check(done.returncode == 1 and file.read() == "old", "the old page stays")
    nowhere = os.path.join(t.folder, "no", "page.html")
    t.run(sample_report(), None)
    done = subprocess.run(
        [REPORT, t.path["report.json"], "none", nowhere],
        capture_output=True,
        timeout=LIMIT,
        check=False,
    )
    t.check(
        done.returncode == 1 and done.stderr.startswith(b"report: "),
        "no folder to write to is said",
    )
    done = subprocess.run([REPORT], capture_output=True, timeout=LIMIT, check=False)
    t.check(done.returncode == 2 and b"usage" in done.stderr, "says how to use it")


def hostile(value):
    """The same results with every string, and every name of a floor, as nasty as can be."""
    keep = {"paced-1k", "sizes", "receivers", "senders", "hops", "block", "spin"}
    if isinstance(value, str):
        return value if value in keep else HOSTILE + value
    if isinstance(value, list):
        return [hostile(each) for each in value]
    if isinstance(value, dict):
        return {
            HOSTILE + key if isinstance(each, float) and key == "cache line" else key: hostile(each)
            for key, each in value.items()
        }
    return value


def test_hostile(t):
    text, page = t.page("hostile", hostile(sample_report()), hostile(sample_scaling()))
    t.check(
        "<script>alert" not in text and "&lt;script&gt;alert(1)" in text,
        "hostile names are escaped",
    )
    t.check("\x01" not in text, "control characters are gone")
    t.check(len(page.tables["All rows"]) == len(sample_rows()), "hostile rows are all there")
    t.check(
        all(
            line[0].startswith("<script>alert(1)</script>\"'&]]>\ufffd\ufffd")
            for line in page.tables["All rows"]
        ),
        "hostile names are shown as they are",
    )


def emulated_page(t, calls, *names):
    """Status, page and what was said, with folders of emulated kernels of which one is empty."""
    t.run(sample_report(), sample_scaling())
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            os.mkdir(os.path.join(folder, name))
        for name, value in (("peers.json", sample_report()), ("calls.json", calls)):
            with open(os.path.join(folder, names[0], name), "w", encoding="utf-8") as file:
                json.dump(value, file)
        done = subprocess.run(
            [REPORT, *t.path.values(), *[os.path.join(folder, name) for name in names]],
            capture_output=True,
            timeout=LIMIT,
            check=False,
        )
    with open(t.path["page.html"], encoding="utf-8") as file:
        return done.returncode, file.read(), done.stderr.decode()


def test_emulated(t):
    status, text, said = emulated_page(t, sample_calls(), "vanilla", "rt")
    t.check(status == 0 and not said, f"emulated: makes a page: {said}")
    page = Page(text)
    t.check(page.ok, "emulated: tags match")
    t.check("not on hardware" in text, "emulated: says that it is")
    kernel = sample_report()["kernel"]
    calls = page.tables[f"Calls of kernel channels, {kernel}"]
    t.check(len(calls) == 3, "emulated: all calls are there")
    t.check([line[-1] for line in calls] == ["reached", "missed", "–"], "emulated: verdicts")
    rows = page.tables[f"All rows, {kernel}"]
    t.check(len(rows) == len(sample_rows()), "emulated: all rows are there")
    damaged = sample_calls()
    damaged["rows"][1]["ratio"] = "much"
    status, _, said = emulated_page(t, damaged, "vanilla")
    t.check(status == 1 and "rows[1].ratio" in said, f"emulated: damage is refused: {said}")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--sample":
        for name, value in (("report.json", sample_report()), ("scaling.json", sample_scaling())):
            with open(os.path.join(sys.argv[2], name), "w", encoding="utf-8") as file:
                json.dump(value, file)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        t = Tests(folder)
        for test in (
            test_whole,
            test_looks,
            test_cycle,
            test_base,
            test_absent,
            test_curves,
            test_damage,
            test_keeps_old_page,
            test_hostile,
            test_emulated,
        ):
            test(t)
    print("report:", f"{t.failures} failures" if t.failures else "all is well")
    return 1 if t.failures else 0


if __name__ == "__main__":
    sys.exit(main())
