# SPDX-License-Identifier: BSD-3-Clause
"""A page of results: numbers for people, plots as SVG, tables, and the frame around them."""
import base64
import hashlib
import html
import math
import re
from collections import namedtuple

NONE = "–"
LONG = 40  # rows; longer tables scroll
LEFT, TOP, RIGHT, BASE, WIDTH, STEP = 78, 14, 240, 388, 960, 16
DASHES = ("none", "7 3", "2 3", "9 3 2 3", "14 4")
COLOURS = 9
LOOKS = {}  # name of a line: a number, so that it looks the same in all plots

# tip: text on hover. ends: of whiskers that begin at y. label: text above it.
Point = namedtuple("Point", "x y tip ends label", defaults=("", (), ""))


def esc(text):
    return html.escape(str(text))


# Numbers.


def three_digits(value):
    """Three significant digits, or all before the point if these are more."""
    if abs(value) >= 999.5:
        return f"{value:.0f}"
    return f"{value:#.3g}".rstrip(".") if value else "0"


def short(text):
    """Without zeros at the end of a fraction: 1.50 becomes 1.5, and 1.00 becomes 1."""
    return re.sub(r"\.0+\b|(\.\d*[1-9])0+\b", r"\1", text)


def scaled(step, *units):
    """A function that shows a value in the largest unit that leaves at least 1."""

    def show(value):
        for unit in units[:-1]:
            if abs(value) < step - 0.5:
                return f"{three_digits(value)} {unit}"
            value /= step
        return f"{three_digits(value)} {units[-1]}"

    return show


duration = scaled(1000, "ns", "µs", "ms", "s")
frequency = scaled(1000, "Hz", "kHz", "MHz", "GHz")
large = scaled(1000, "", "k", "M", "G", "T")
binary = scaled(1024, "B", "KiB", "MiB", "GiB")


def size(number):
    return short(binary(number))


def rate(hz):
    return "ping-pong" if hz == 0 else short(frequency(hz))


def count(number):
    return f"{number:,.0f}".replace(",", "\u202f")


def percent(value):
    return f"{three_digits(value)} %"


def plain(value):
    """A number without a unit, which may be tiny."""
    return large(value).replace(" ", "") if abs(value) >= 10000 else f"{float(f'{value:.3g}'):g}"


def plural(number, word):
    return f"{count(number)} {word}" + ("" if number == 1 else "s")


# Plots. Lines differ in dashes and colour.


class Axis:
    """Maps values, or names in the order of the points, to pixels. at_points: the ticks are at the
    values of the points, instead of round ones."""

    def __init__(self, label, show=plain, log=False, at_points=False):
        self.label, self.show, self.scale = label, show, math.log10 if log else float
        self.log, self.at_points = log, at_points

    def fit(self, values, first, last):
        """Set range and ticks: [(value, text)]"""
        known = sorted(set(values)) if not isinstance(values[0], str) else dict.fromkeys(values)
        if isinstance(values[0], str):
            self.scale, ticks, low, high = list(known).index, list(known), -0.5, len(known) - 0.5
        else:
            low, high = self.scale(known[0]), self.scale(known[-1])
            if not self.log:
                low, high = min(0, low), max(0, high)
            ticks = known if self.at_points or high == low else self.round_values(low, high)
            room = (high - low) * 0.03 or 1
            low, high = low - room, high + room
        self.ticks = [(tick, short(self.show(tick))) for tick in ticks]
        self.low, self.first, self.factor = low, first, (last - first) / (high - low)

    def round_values(self, low, high):
        if self.log:
            steps = [step * 10.0**power for power in range(math.floor(low), math.ceil(high) + 1)
                     for step in ((1, 2, 5) if high - low < 3 else (1,))]
            return [step for step in steps if low - 0.01 <= math.log10(step) <= high + 0.01]
        wanted = (high - low) / 7
        step = min(base * 10.0 ** math.floor(math.log10(wanted)) for base in (1, 2, 5, 10)
                   if base * 10.0 ** math.floor(math.log10(wanted)) >= wanted * 0.999)
        return [i * step for i in range(math.ceil(low / step), math.floor(high / step) + 1)]

    def place(self, value):
        return self.first + (self.scale(value) - self.low) * self.factor


def text(x, y, what, anchor="start", classes="", turn=0):
    turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{classes}"{turned}>'
            f"{esc(what)}</text>")


def rule(x1, y1, x2, y2, classes):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{classes}"/>'


def spread(wanted, low, high):
    """Heights near the wanted ones, which rise, but at least a line of text apart."""
    placed = []
    for value in wanted:
        placed.append(max(value, placed[-1] + STEP if placed else low))
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], high)
        high = placed[i] - STEP
    return placed


def draw_line(name, places, height, y, edge, joined):
    """A line, or only its points, and its name beside its end. places: [(x, y, Point)]"""
    number = LOOKS.setdefault(name, len(LOOKS))
    out = [f"<title>{esc(name)}</title>", text(edge + 54, height + 4, name),
           rule(edge + 8, height, edge + 48, height, "line")]
    if joined:
        path = " ".join(f"{at:.1f},{up:.1f}" for at, up, _ in places)
        out.append(f'<polyline points="{path}" class="line"/>')
        out.append(rule(*places[-1][:2], edge + 8, height, "lead"))
    for at, up, point in places:
        for end in map(y.place, point.ends):
            out += [rule(at, up, at, end, "whisker"), rule(at - 3, end, at + 3, end, "whisker")]
        out.append(f'<circle cx="{at:.1f}" cy="{up:.1f}" r="{3 if len(places) < LONG else 1}">'
                   f"<title>{esc(point.tip)}</title></circle>")
        if point.label:
            out.append(text(at, up - 8, point.label, "middle"))
    look = f"--c:var(--c{number % COLOURS});stroke-dasharray:{DASHES[number % len(DASHES)]}"
    strong = " strong" if name.startswith("ach") else ""
    return f'<g class="s{strong}" style="{look}">{"".join(out)}</g>'


def draw_lines(points, x, y, edge, base, joined):
    """Points of several lines with the same x and whiskers are drawn slightly apart."""
    lines = {name: [] for name, _ in points}
    apart = 0
    if any(point.ends for _, point in points) and len({p.x for _, p in points}) < len(points):
        apart = min(3, 40 / len(lines)) if joined else 8
    shifts = {name: (i - (len(lines) - 1) / 2) * apart for i, name in enumerate(lines)}
    for name, point in points:
        lines[name].append((x.place(point.x) + shifts[name], y.place(point.y), point))
    drawn = sorted(lines.items(), key=lambda line: line[1][-1][1])
    heights = spread([places[-1][1] for _, places in drawn], TOP + 6, base)
    return [draw_line(name, places, height, y, edge, joined)
            for (name, places), height in zip(drawn, heights)]


def plot(title, caption, x, y, points, limit=None):
    """An SVG picture. points: [(name of the line, Point)]. limit: (y, name) of a line across."""
    by_name = isinstance(points[0][1].x, str)
    edge = max(WIDTH - RIGHT, LEFT + 38 * len({p.x for _, p in points}) if by_name else 0)
    base = max(BASE, TOP + STEP * len({name for name, _ in points}) + 20)
    height = base + (104 if by_name else 52)
    x.fit([point.x for _, point in points], LEFT, edge)
    heights = [value for _, p in points for value in (p.y, *p.ends)]
    y.fit(heights + [limit[0]] if limit else heights, base, TOP)
    out = [f'<path d="M{LEFT},{TOP}H{edge}V{base}H{LEFT}z" class="frame"/>',
           text((LEFT + edge) / 2, height - 10, x.label, "middle"),
           text(16, (TOP + base) / 2, y.label, "middle", turn=-90)]
    for value, name in x.ticks:
        at, place = x.place(value), ("end", "tick", -40) if by_name else ("middle", "tick")
        out += [rule(at, TOP, at, base, "grid"), text(at, base + 18, name, *place)]
    for value, name in y.ticks:
        at = y.place(value)
        out += [rule(LEFT, at, edge, at, "grid"), text(LEFT - 8, at + 4, name, "end", "tick")]
    if limit:
        at = y.place(limit[0])
        out += [rule(LEFT, at, edge, at, "limit"), text(LEFT + 8, at - 6, limit[1])]
    out += draw_lines(points, x, y, edge, base, not by_name)
    return (f'<svg class="plot" viewBox="0 0 {edge + RIGHT} {height}" role="img"><title>'
            f"{esc(title)}</title><desc>{esc(caption)}</desc>\n" + "\n".join(out) + "\n</svg>")


# The page.


def element(tag, content, classes=""):
    return f'<{tag} class="{classes}">{esc(content)}</{tag}>'


def figure(title, caption, x, y, points, limit=None):
    if not points:
        return ""
    return (f'<figure><div class="wide">{plot(title, caption, x, y, points, limit)}</div>'
            f"{element('figcaption', caption)}</figure>")


def cell(shown, value=None, warn=False):
    """Of a table. value: a number to sort by."""
    sort = "" if value is None else f' data-v="{value}"'
    classes = ("n" if sort else "") + (" warn" if warn else "")
    return f'<td class="{classes}"{sort}>{esc(shown)}</td>'


def table(title, heads, rows):
    """heads: texts. rows: lists of cells, as markup."""
    if not rows:
        return ""
    top = "".join(f"<th><button>{esc(head)}</button></th>" for head in heads)
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return (f'<div class="wide{" tall" * (len(rows) > LONG)}" tabindex="0" role="region" '
            f'aria-label="{esc(title)}"><table><thead><tr>{top}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody></table></div>")


STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1d2126;--soft:#5a626c;--rule:#d9dde2;
--warn:#a3260b;--c0:#0b57b0;--c1:#b3470b;--c2:#1b7a4b;--c3:#8a3a8f;--c4:#7d6200;
--c5:#b0284f;--c6:#0f7280;--c7:#5b4bb5;--c8:#6b7280}
@media (prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e4e7eb;--soft:#a2aab4;
--rule:#363c44;--warn:#ff9a7d;--c0:#6db3ff;--c1:#ff9d66;--c2:#6fd39b;--c3:#dc9be0;
--c4:#e0c050;--c5:#ff8aa5;--c6:#5fd0db;--c7:#b0a4ff;--c8:#a0a6b0}}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:66rem;background:var(--paper);
color:var(--ink);font:16px/1.55 system-ui,"DejaVu Sans",sans-serif}
h2{margin-top:3rem;border-top:1px solid var(--rule)}p,figcaption,ul{max-width:46rem}
nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;max-width:none}
.absent,figcaption,summary{color:var(--soft)}.wide{overflow-x:auto;margin:.6rem 0}
.tall{max-height:85vh;overflow-y:auto}figure{margin:1rem 0 2rem}
table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}
td.n{text-align:right;white-space:nowrap}td.warn{color:var(--warn);font-weight:600}
thead th{position:sticky;top:0;background:var(--paper);white-space:nowrap}
th button{all:unset;cursor:pointer}
svg.plot{display:block;width:100%;min-width:47rem;height:auto}
svg text{fill:var(--ink);stroke:none;font-size:12.5px}svg .tick{fill:var(--soft)}
svg .grid{stroke:var(--rule)}svg .frame{stroke:var(--soft);fill:none}
svg .limit{stroke:var(--warn);stroke-dasharray:9 4}svg .s{stroke:var(--c)}
svg .line{fill:none;stroke-width:1.6}svg .strong .line{stroke-width:3}
svg .strong text{font-weight:700}svg .lead{stroke-width:.7;opacity:.6;stroke-dasharray:none}
svg .whisker{opacity:.6}
svg .whisker,svg circle{stroke-dasharray:none;fill:var(--c)}
svg.plot:hover .s{opacity:.3}svg.plot:hover .s:hover{opacity:1}
"""
SCRIPT = """
for (const table of document.querySelectorAll('table'))
  [...table.tHead.rows[0].cells].forEach((head, column) => head.firstChild.onclick = () => {
    const way = head.dataset.way = head.dataset.way === '1' ? -1 : 1;
    const key = row => row.cells[column].dataset.v ?? row.cells[column].textContent;
    const order = (a, b) => {
      const x = key(a), y = key(b);
      if (x === '–' || y === '–') return (x === '–') - (y === '–');
      return way * (x - y || (isNaN(x) || isNaN(y) ? x.localeCompare(y, 'en') : 0));
    };
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort(order));
  });
"""
FRAME = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy"
content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>{title}</title><style>{style}</style></head>
<body><h1>{title}</h1>
<ul>{facts}</ul>
{intro}{lacking}
<nav aria-label="Contents"><ul>{links}</ul></nav>
<main>
{body}
</main>
<script>{script}</script></body></html>
"""


def whole(title, facts, sections, intro=""):
    """facts: {name: text}. sections: [(id, heading, note, contents)]. intro: markup."""
    shown = [section for section in sections if section[-1]]
    lacking = ", ".join(f"“{section[1]}”" for section in sections if not section[-1])
    return FRAME.format(
        title=title, style=STYLE, script=SCRIPT, intro=intro,
        digest=base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode(),
        facts="".join(element("li", f"{name}: {text}") for name, text in facts.items()),
        lacking=element("p", f"No results for {lacking}.", "absent") if lacking else "",
        links="".join(f'<li><a href="#{name}">{heading}</a></li>' for name, heading, *_ in shown),
        body="\n".join(f'<section id="{name}">\n<h2>{heading}</h2>\n{note and element("p", note)}'
                       f"{contents}\n</section>" for name, heading, note, contents in shown),
    )
