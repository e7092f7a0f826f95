# SPDX-License-Identifier: BSD-3-Clause
"""Plots as SVG, and numbers as text for people.

Lines differ in dashes and markers. Colour helps, but is not needed to tell lines apart.
"""
import html
import math
import re
from collections import namedtuple

# tip: text on hover. ends: of whiskers that begin at y.
Point = namedtuple("Point", "x y tip ends label", defaults=((), ""))
Look = namedtuple("Look", "dash outline filled colour strong")

LEFT, TOP, RIGHT, LABEL_STEP = 78, 14, 240, 16
MANY = 40  # points; lines with more have 6 markers
# 5 dashes and 14 markers have no common factor, so the first 70 lines all look different.
DASHES = ("none", "7 3", "2 3", "9 3 2 3", "14 4")
OUTLINES = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "M-3.6,-3.6h7.2v7.2h-7.2z", "M0,-4.8l4.4,8.2h-8.8z",
    "M0,-5.2l4.6,5.2l-4.6,5.2l-4.6,-5.2z", "M0,4.8l4.4,-8.2h-8.8z", "M-4.8,0l8.2,4.4v-8.8z",
    "M4.8,0l-8.2,4.4v-8.8z",
)


def esc(text):
    return html.escape(str(text))


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


def plain(value):
    """A number without a unit, on an axis."""
    return short(large(value) if abs(value) >= 10000 else three_digits(value)).replace(" ", "")


def percent(value):
    return f"{three_digits(value)} %"


def plural(number, word):
    return f"{count(number)} {word}" + ("" if number == 1 else "s")


def looks(kinds):
    """A look for each name, the same in every plot. kinds: {name: kind}"""
    colours = {"ach": 0, "floor": 8}
    return {
        name: Look(DASHES[i % 5], OUTLINES[i % 7], i % 14 < 7, colours.get(kind, 1 + i % 7),
                   kind == "ach")
        for i, (name, kind) in enumerate(kinds.items())
    }


def nice(value, up):
    """1, 2 or 5 times a power of ten: the next one above or below."""
    steps = [10.0 ** math.floor(math.log10(value)) * step for step in (1, 2, 5, 10)]
    if up:
        return min(step for step in steps if step >= value * (1 - 1e-9))
    return max(step for step in steps if step <= value * (1 + 1e-9))


class Axis:
    """Maps values to pixels. at: values of the ticks, instead of round ones."""

    def __init__(self, label, show, log=False, at=None):
        self.label, self.show, self.log, self.at = label, show, log, at
        self.scale = math.log10 if log else float

    def fit(self, values, first, last):
        """Set range and ticks. ticks: [(value, text, or "" for a minor grid line)]"""
        low, high = min(values), max(values)
        if self.at:
            self.ticks = [(value, self.show(value)) for value in self.at]
        elif self.log:
            low, high = nice(low, False), nice(high, True)
            named = (1, 2, 5) if high / low < 1500 else (1,)
            powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            steps = [(step, step * 10.0**power) for power in powers for step in range(1, 10)]
            self.ticks = [(value, short(self.show(value)) if step in named else "")
                          for step, value in steps if low * 0.999 <= value <= high * 1.001]
        else:
            low, high = min(0, low), max(0, high) or 1
            step = nice((high - low) / 7, True)
            steps = range(math.floor(low / step), math.ceil(high / step - 1e-9) + 1)
            self.ticks = [(i * step, short(self.show(i * step))) for i in steps]
            low, high = self.ticks[0][0], self.ticks[-1][0]
        if low == high:
            low, high = low / 2, high * 2 or 1
        room = (last - first) * (0.05 if self.at else 0)
        self.low, self.first = self.scale(low), first + room
        self.factor = (last - first - 2 * room) / (self.scale(high) - self.scale(low))

    def place(self, value):
        return self.first + (self.scale(value) - self.low) * self.factor


class Names(Axis):
    """An axis with a place for each name, in the order in which points have them."""

    def fit(self, values, first, last):
        names = list(dict.fromkeys(values))
        self.ticks = [(name, name) for name in names]
        self.scale, self.low, self.first = names.index, -0.5, first
        self.factor = (last - first) / len(names)


def text(x, y, what, anchor="start", classes="", turn=0):
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{classes}"'
    turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    return f"<text {place}{turned}>{esc(what)}</text>" if what else ""


def rule(x1, y1, x2, y2, classes):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{classes}"/>'


def marker(x, y, look, tip=""):
    place = f'd="{look.outline}" transform="translate({x:.1f} {y:.1f})"'
    title = f"<title>{esc(tip)}</title>" if tip else ""
    return f'<path {place} class="mark{look.filled:d}">{title}</path>'


def path(places, look):
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polyline points="{points}" class="line" stroke-dasharray="{look.dash}"/>'


def sample(x, y, look):
    return path([(x, y), (x + 40, y)], look) + marker(x + 20, y, look)


def coloured(look, *inner):
    classes = "s strong" if look.strong else "s"
    return f'<g class="{classes}" style="--c:var(--c{look.colour})">{"".join(inner)}</g>'


def key(look):
    """The look of a line, to put before its name in a table."""
    inner = coloured(look, sample(2, 7, look))
    return f'<svg class="key" viewBox="0 0 44 14" aria-hidden="true">{inner}</svg>'


def spread(wanted, low, high):
    """Heights near the wanted ones, which rise, but at least a line of text apart."""
    placed = []
    for value in wanted:
        placed.append(max(value, placed[-1] + LABEL_STEP if placed else low))
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], high)
        high = placed[i] - LABEL_STEP
    return placed


def draw_lines(lines, line_looks, place, y, edge, base, joined):
    """Lines, or only their points, with names beside their ends. lines: {name: points}"""
    drawn = [(name, points, [place(name, point) for point in points])
             for name, points in lines.items()]
    drawn.sort(key=lambda each: each[2][-1][1])
    heights = spread([places[-1][1] for _, _, places in drawn], TOP + 6, base)
    groups = []
    for i, ((name, points, places), height) in enumerate(zip(drawn, heights)):
        look, step = line_looks[name], len(places) // 6 if len(places) > MANY else 1
        out = [f"<title>{esc(name)}</title>"]
        for (at, start), point in zip(places, points):
            for end in map(y.place, point.ends):
                out.append(rule(at, start, at, end, "whisker"))
                out.append(rule(at - 2.5, end, at + 2.5, end, "whisker"))
            out.append(text(at, start - 8, point.label, "middle"))
        if joined:
            out.append(path(places, look))
            if step == 1 and places[-1][0] > edge - 90:
                out.append(rule(*places[-1], edge + 8, height, "lead"))
        for (at, start), point in list(zip(places, points))[i * 3 % step :: step]:
            out.append(marker(at, start, look, point.tip))
        out += [sample(edge + 8, height, look), text(edge + 54, height + 4, name)]
        groups.append(coloured(look, *out))
    return groups


def plot(title, caption, x, y, points, line_looks=None, dodge=0, limit=None):
    """One figure. points: [(name of the line, point)]. line_looks: {name: look}. dodge: pixels
    between lines. limit: (y, name) of a line across."""
    names = sorted({name for name, _ in points}, key=str)
    line_looks = line_looks or looks({name: name for name in names})
    lines = {name: [point for line, point in points if line == name] for name in names}
    shifts = {name: (i - (len(lines) - 1) / 2) * dodge for i, name in enumerate(lines)}
    slanted = isinstance(x, Names)
    edge = max(960 - RIGHT, LEFT + 38 * len({point.x for _, point in points}) if slanted else 0)
    base = max(388, TOP + LABEL_STEP * len(lines) + 20)
    width, height = edge + RIGHT, base + (104 if slanted else 52)
    x.fit([point.x for _, point in points], LEFT, edge)
    ys = [value for _, point in points for value in (point.y, *point.ends)]
    y.fit(ys + [limit[0]] if limit else ys, base, TOP)

    def place(name, point):
        return x.place(point.x) + shifts[name], y.place(point.y)

    out = []
    for value, name in x.ticks:
        at = x.place(value)
        out.append(rule(at, TOP, at, base, "grid" if name else "grid minor"))
        if slanted:
            out.append(text(at + 4, base + 16, name, "end", "tick", turn=-40))
        else:
            out.append(text(at, base + 18, name, "middle", "tick"))
    for value, name in y.ticks:
        at = y.place(value)
        out.append(rule(LEFT, at, edge, at, "grid" if name else "grid minor"))
        out.append(text(LEFT - 8, at + 4, name, "end", "tick"))
    out.append(f'<path d="M{LEFT},{TOP}H{edge}V{base}H{LEFT}z" class="frame"/>')
    out.append(text((LEFT + edge) / 2, height - 10, x.label, "middle"))
    out.append(text(16, (TOP + base) / 2, y.label, "middle", turn=-90))
    if limit:
        at = y.place(limit[0])
        out.append(rule(LEFT, at, edge, at, "limit"))
        out.append(text(LEFT + 8, at - 6, limit[1], classes="limit-name"))
    out += draw_lines(lines, line_looks, place, y, edge, base, not slanted)
    inner = "\n".join(filter(None, out))
    head = f"<title>{esc(title)}</title><desc>{esc(caption)}</desc>"
    return (f'<svg class="plot" viewBox="0 0 {width} {height}" role="img">'
            f"{head}\n{inner}\n</svg>")
