# SPDX-License-Identifier: BSD-3-Clause
"""Plots as SVG, and numbers as text for people.

Lines differ in dashes and markers. Colour helps, but is not needed to tell lines apart.
"""
import html
import math
import re
from collections import namedtuple

# tip: text on hover. top: end of the whisker of a line or of a box. most: end of a box's whisker.
Point = namedtuple("Point", "x y tip top most label", defaults=(None, None, ""))
Series = namedtuple("Series", "name look points")
Look = namedtuple("Look", "dash marker colour strong")

NONE = "–"
# XML and HTML forbid these characters, but JSON strings can contain them.
NOT_TEXT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
LEFT, LABEL_STEP = 78, 16
MANY = 40  # points; lines with more have 6 markers
# 5 dashes and 14 markers have no common factor, so the first 70 lines all look different.
DASHES = ("", "7 3", "2 3", "9 3 2 3", "14 4")
OUTLINES = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "M-3.6,-3.6h7.2v7.2h-7.2z", "M0,-4.8l4.4,8.2h-8.8z",
    "M0,-5.2l4.6,5.2l-4.6,5.2l-4.6,-5.2z", "M0,4.8l4.4,-8.2h-8.8z", "M-4.8,0l8.2,4.4v-8.8z",
    "M4.8,0l-8.2,4.4v-8.8z",
)
MARKERS = [(outline, filled) for filled in (True, False) for outline in OUTLINES]
# Fills of up to four boxes side by side, from dark to light.
FILLS = ("var(--ink)", "var(--c8)", "var(--rule)", "var(--paper)")


def esc(text):
    return html.escape(NOT_TEXT.sub("\ufffd", str(text)), quote=True)


def three_digits(value):
    """Three significant digits, never an exponent."""
    for _ in "12":  # rounding may add a digit: 9.996 is 10.0
        places = 2 - math.floor(math.log10(abs(value) or 1))
        value = round(value, places)
    return f"{value:.{min(max(0, places), 6)}f}" if value else "0"


def short(text):
    """Without zeros at the end of a fraction: 1.00 becomes 1."""
    return re.sub(r"(\.\d*?)0+(?=\D|$)", r"\1", text).replace(". ", " ").rstrip(".")


def scaled(step, *units):
    """A function that shows a value in the largest unit that leaves at least 1."""

    def show(value):
        for unit in units[:-1]:
            if abs(value) < (999.5 if step == 1000 else step):
                return f"{three_digits(value)} {unit}"
            value /= step
        return f"{three_digits(value)} {units[-1]}"

    return show


duration = scaled(1000, "ns", "µs", "ms", "s")
frequency = scaled(1000, "Hz", "kHz", "MHz", "GHz")
large = scaled(1000, "", "k", "M", "G", "T")
binary = scaled(1024, "B", "KiB", "MiB", "GiB")


def size(bytes_):
    return short(binary(bytes_))


def rate(hz):
    return "ping-pong" if hz == 0 else short(frequency(hz))


def count(value):
    return f"{value:,.0f}".replace(",", "\u202f") if value == int(value) else three_digits(value)


def plain(value):
    """A number without a unit, on an axis."""
    if abs(value) >= 10000:
        return short(large(value)).replace(" ", "")
    return short(three_digits(value)) if value % 1 else f"{value:.0f}"


def percent(value):
    return short(three_digits(value)) + " %"


def plural(number, word):
    return f"{count(number)} {word}" + ("" if number == 1 else "s")


def looks(kinds):
    """A look for each name, the same in every plot. kinds: {name: kind}"""
    colours = {"ach": 0, "floor": 8}
    return {
        name: Look(DASHES[i % len(DASHES)], MARKERS[i % len(MARKERS)],
                   colours.get(kind, 1 + i % 7), kind == "ach")
        for i, (name, kind) in enumerate(kinds.items())
    }


def nice(value, up):
    """1, 2 or 5 times a power of ten: the next one above or below."""
    steps = [10.0 ** math.floor(math.log10(value)) * step for step in (1, 2, 5, 10)]
    if up:
        return min(step for step in steps if step >= value * (1 - 1e-9))
    return max(step for step in steps if step <= value * (1 + 1e-9))


class Axis:
    """Maps values to 0..1. at: values of the ticks, instead of round ones. values: to be in its
    range besides those of the points. pad: room at both ends."""

    def __init__(self, label, show, log=False, at=None, values=(), pad=0.0):
        self.label, self.show, self.at, self.pad = label, show, at, pad
        self.log, self.values, self.scale = log, list(values), math.log10 if log else float

    def fit(self, values):
        """Set range and ticks. ticks: [(value, text, or None for a minor grid line)]"""
        low, high = min(self.values + values), max(self.values + values)
        if not self.at:
            low = nice(low, False) if self.log else min(0, low)
            high = nice(high, True) if self.log else max(0, high)
        if low == high:
            low, high = (low / 2, high * 2) if self.log else (low - 1, high + 1)
        if self.at:
            self.ticks = [(value, self.show(value)) for value in self.at]
        elif self.log:
            self.ticks = self.log_ticks(low, high)
        else:
            step = nice((high - low) / 7, True)
            first, last = math.floor(low / step), math.ceil(high / step - 1e-9)
            self.ticks = [(i * step, self.show(i * step)) for i in range(first, last + 1)]
            low, high = first * step, last * step
        span = self.scale(high) - self.scale(low)
        self.low, self.span = self.scale(low) - self.pad * span, span * (1 + 2 * self.pad)

    def log_ticks(self, low, high):
        named = (1, 2, 5) if high / low < 1500 else (1,)
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        powers = [10.0**i for i in range(first, last + 1)]
        return [
            (step * power, short(self.show(step * power)) if step in named else None)
            for power in powers for step in range(1, 10)
            if low * (1 - 1e-9) <= step * power <= high * (1 + 1e-9)
        ]

    def place(self, value):
        return (self.scale(value) - self.low) / self.span


def names_axis(names):
    """An axis with a place for each name; the values are 0, 1, ..."""
    return Axis("", lambda i: names[i], at=range(len(names)), values=[-0.5, len(names) - 0.5])


def words(x, y, what, anchor="start", classes="", turn=0, room=99):
    what = what if len(what or "") <= room else what[: room - 1] + "…"
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{classes}"'
    turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    return f"<text {place}{turned}>{esc(what)}</text>" if what else ""


def rule(x1, y1, x2, y2, classes):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{classes}"/>'


def box(x, y, width, height, more):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {more}/>'


def marker(x, y, look, tip=None):
    outline, filled = look.marker
    classes = f'mark c{look.colour} {f"f{look.colour}" if filled else "open"}'
    inner = f"<title>{esc(tip)}</title>" if tip else ""
    place = f'd="{outline}" transform="translate({x:.1f} {y:.1f})"'
    return f'<path {place} class="{classes}">{inner}</path>'


def path(places, look):
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dash = f' stroke-dasharray="{look.dash}"' if look.dash else ""
    return f'<polyline points="{points}" class="line c{look.colour}"{dash}/>'


def sample(x, y, look):
    return path([(x, y), (x + 40, y)], look) + marker(x + 20, y, look)


def key(look):
    """The look of a line, to put before its name in a table."""
    inner = f'<g class="{"strong" if look.strong else ""}">{sample(2, 7, look)}</g>'
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


def draw_lines(series, place, edge, top, base):
    """Lines with their names near their ends. Lines with whiskers are drawn slightly apart."""
    whiskers = any(point.top is not None for line in series for point in line.points)
    dodge = min(3.0, 40 / len(series)) if whiskers else 0
    drawn = []
    for i, line in enumerate(series):
        shift = (i - (len(series) - 1) / 2) * dodge
        places = [place(point.x, point.y) for point in line.points]
        drawn.append((line, [(x + shift, y) for x, y in places]))
    drawn.sort(key=lambda each: each[1][-1][1])
    heights = spread([places[-1][1] for _, places in drawn], top + 6, base)
    out = []
    for i, ((line, places), height) in enumerate(zip(drawn, heights)):
        look, colour = line.look, f"c{line.look.colour}"
        step = len(places) // 6 if len(places) > MANY else 1
        out.append(f'<g class="s{" strong" if look.strong else ""}">')
        out.append(f"<title>{esc(line.name)}</title>")
        for (x, y), point in zip(places, line.points):
            if point.top is not None:
                end = place(point.x, point.top)[1]
                out.append(rule(x, y, x, end, f"whisker {colour}"))
                out.append(rule(x - 2.5, end, x + 2.5, end, f"whisker {colour}"))
        out.append(path(places, look))
        for (x, y), point in list(zip(places, line.points))[i * 3 % step :: step]:
            out.append(marker(x, y, look, point.tip))
        if step == 1 and places[-1][0] > edge - 90:
            out.append(rule(*places[-1], edge + 8, height, f"lead {colour}"))
        out.append(sample(edge + 8, height, look))
        out.append(words(edge + 54, height + 4, line.name, room=22) + "</g>")
    return out


def draw_box(x, width, heights, fill, tip, label=""):
    """Box from y to top, whisker to most, thick line at y. heights: of the three"""
    y, top, most = heights
    out = [f'<g class="box"><title>{esc(tip)}</title>']
    if most is not None:
        out.append(rule(x + width / 2, y, x + width / 2, most, "ink"))
        out.append(rule(x + 1, most, x + width - 1, most, "ink"))
    if top is not None:
        out.append(box(x, top, width, max(1, y - top), f'class="ink" fill="{fill}"'))
        out.append(words(x + width / 2, top - 4, label, "middle"))
    return "".join(out) + rule(x - 1.5, y, x + width + 1.5, y, "thick") + "</g>"


def draw_boxes(series, place, step, bold):
    """The boxes of all series side by side, and what their fills mean. One series needs no fills:
    colour shows which of its boxes are bold."""
    slot = min(56, step - 12) / len(series)
    out = []
    for i, (line, fill) in enumerate(zip(series, FILLS)):
        if len(series) > 1:
            x = LEFT + i * 200
            out.append(draw_box(x, 9, (30, 18, 8), fill, line.name) + words(x + 20, 26, line.name))
        for point in line.points:
            x = place(point.x, point.y)[0] + (i - len(series) / 2) * slot + 1.5
            heights = [None if value is None else place(point.x, value)[1]
                       for value in (point.y, point.top, point.most)]
            if len(series) == 1:
                fill = "var(--c0)" if bold[point.x] else "var(--c8)"
            out.append(draw_box(x, slot - 4, heights, fill, point.tip, point.label))
    return out


def plot(title, caption, x, y, series, boxes=False, bold=(), limit=None):
    """One figure, of lines or of boxes. bold: names on the x axis. limit: (y, name) of a line
    across."""
    series = [line for line in series if boxes or line.points]
    points = [point for line in series for point in line.points]
    ys = [value for point in points for value in (point.y, point.top, point.most)]
    x.fit([point.x for point in points])
    y.fit([value for value in ys if value is not None])
    right, top, bottom = (14, 40, 104) if boxes else (212, 14, 52)
    step = max(52, (960 - LEFT - right) / len(x.ticks))
    width = LEFT + right + step * len(x.ticks) if boxes else 960
    height = max(440, top + bottom + LABEL_STEP * len(series) + 20)
    height = (400 if len(series) == 1 else 540) if boxes else height
    edge, base = width - right, height - bottom

    def place(at_x, at_y):
        return LEFT + x.place(at_x) * (edge - LEFT), base - y.place(at_y) * (base - top)

    out = []
    for i, (value, name) in enumerate(x.ticks):
        at = LEFT + x.place(value) * (edge - LEFT)
        if boxes:
            strong = "strong" if name in bold else ""
            out.append(box(at - step / 2, top, step, base - top, f'class="back{i % 2}"'))
            out.append(words(at + 4, base + 16, name, "end", strong, turn=-40, room=20))
        else:
            out.append(rule(at, top, at, base, "grid" if name else "grid minor"))
            out.append(words(at, base + 18, name, "middle", "tick"))
    for value, name in y.ticks:
        at = base - y.place(value) * (base - top)
        out.append(rule(LEFT, at, edge, at, "grid" if name else "grid minor"))
        out.append(words(LEFT - 8, at + 4, name, "end", "tick"))
    out.append(box(LEFT, top, edge - LEFT, base - top, 'class="frame"'))
    out.append(words((LEFT + edge) / 2, height - 10, x.label, "middle"))
    out.append(words(16, (top + base) / 2, y.label, "middle", turn=-90))
    if limit:
        at = base - y.place(limit[0]) * (base - top)
        out.append(rule(LEFT, at, edge, at, "limit"))
        out.append(words(LEFT + 8, at - 6, limit[1], classes="limit-name"))
    if boxes:
        out += draw_boxes(series, place, step, [name in bold for _, name in x.ticks])
    else:
        out += draw_lines(series, place, edge, top, base)
    inner = "\n".join(filter(None, out))
    head = f"<title>{esc(title)}</title><desc>{esc(caption)}</desc>"
    attributes = f'class="plot" viewBox="0 0 {width:.0f} {height}" role="img"'
    return f"<svg {attributes}>{head}\n{inner}\n</svg>"
