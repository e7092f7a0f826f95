# SPDX-License-Identifier: BSD-3-Clause
"""Plots as plain SVG. Dashes and a marker tell a line from the others; colour only helps."""
import math
from collections import namedtuple

from page import esc, short

WIDTH = 960
LEFT, RIGHT, TOP, BOTTOM = 78, 212, 14, 52
LABEL_STEP = 16

# Five patterns and fourteen markers have no common factor: seventy pairs before one comes again.
DASHES = ("", "7 3", "2 3", "9 3 2 3", "14 4")
MARKERS = tuple(
    (shape, filled)
    for filled in (True, False)
    for shape in ("circle", "square", "up", "diamond", "down", "left", "right")
)

# points: [(x, y, upper end of a whisker or None, what to say on hover)]
Series = namedtuple("Series", "name look points")
Look = namedtuple("Look", "dash marker colour strong")


def looks(names, kinds):
    """A look for each name, the same in every plot. kinds: {name: kind}"""
    made = {}
    for name in names:
        i = len(made)
        kind = kinds.get(name)
        colour = 0 if kind == "ach" else 8 if kind == "floor" else 1 + i % 7
        made[name] = Look(DASHES[i % len(DASHES)], MARKERS[i % len(MARKERS)], colour, kind == "ach")
    return made


def nice_below(value):
    base = 10.0 ** math.floor(math.log10(value))
    return max(base * step for step in (1, 2, 5) if base * step <= value * (1 + 1e-9))


def nice_above(value):
    base = 10.0 ** math.floor(math.log10(value))
    return min(base * step for step in (1, 2, 5, 10) if base * step >= value * (1 - 1e-9))


class Axis:
    """From values to 0..1. ticks: [(value, text or None for a minor line)]"""

    def __init__(self, label, values, log, show, at=None, pad=0.0):
        self.label, self.log = label, log
        low, high = min(values), max(values)
        if log and not at:
            low, high = nice_below(low), nice_above(high)
        elif not log and not at:
            low, high = min(0, low), max(0, high)
        if low == high:
            low, high = (low / 2, high * 2) if log else (low - 1, high + 1)
        self.ticks = [(value, show(value)) for value in at] if at else None
        if log:
            self.low, self.high = math.log10(low), math.log10(high)
            self.ticks = self.ticks or self.log_ticks(low, high, show)
        else:
            step = nice_above((high - low) / 7)
            if not at:
                low, high = math.floor(low / step) * step, math.ceil(high / step - 1e-9) * step
            self.low, self.high = low, high
            self.ticks = self.ticks or [
                (low + i * step, show(low + i * step))
                for i in range(round((high - low) / step) + 1)
            ]
        span = self.high - self.low
        self.low, self.high = self.low - pad * span, self.high + pad * span

    @staticmethod
    def log_ticks(low, high, show):
        decades = math.log10(high / low)
        named = (1, 2, 5) if decades < 3.2 else (1,)
        every = 1 if decades < 9 else math.ceil(decades / 8)
        ticks = []
        for exponent in range(
            math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9) + 1
        ):
            for step in range(1, 10):
                value = step * 10.0**exponent
                if low * (1 - 1e-9) <= value <= high * (1 + 1e-9):
                    has_name = step in named and exponent % every == 0
                    if has_name or every == 1:
                        ticks.append((value, short(show(value)) if has_name else None))
        return ticks

    def place(self, value):
        value = math.log10(value) if self.log else value
        return (value - self.low) / (self.high - self.low)


def picture(width, height, title, description, inner):
    return (
        f'<svg class="plot" viewBox="0 0 {width} {height}" role="img">'
        f"<title>{esc(title)}</title><desc>{esc(description)}</desc>\n{inner}\n</svg>"
    )


def words(x, y, what, anchor="start", classes="", turn=None):
    turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    named = f' class="{classes}"' if classes else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{named}{turned}>{esc(what)}</text>'


def rule(x1, y1, x2, y2, classes):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{classes}"/>'


def box(x, y, width, height, classes, more=""):
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'class="{classes}"{more}/>'
    )


def cut(name, room=25):
    return name if len(name) <= room else name[: room - 1] + "…"


OUTLINES = {
    "square": "-3.6,-3.6 3.6,-3.6 3.6,3.6 -3.6,3.6",
    "up": "0,-4.8 4.4,3.4 -4.4,3.4",
    "diamond": "0,-5.2 4.6,0 0,5.2 -4.6,0",
    "down": "0,4.8 4.4,-3.4 -4.4,-3.4",
    "left": "-4.8,0 3.4,4.4 3.4,-4.4",
    "right": "4.8,0 -3.4,4.4 -3.4,-4.4",
}


def marker(x, y, look, tip=None):
    shape, filled = look.marker
    classes = f'mark c{look.colour} {f"f{look.colour}" if filled else "open"}'
    inner = f"<title>{esc(tip)}</title>" if tip else ""
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" class="{classes}">{inner}</circle>'
    return (
        f'<polygon points="{OUTLINES[shape]}" transform="translate({x:.1f} {y:.1f})" '
        f'class="{classes}">{inner}</polygon>'
    )


def path(places, look):
    dash = f' stroke-dasharray="{look.dash}"' if look.dash else ""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polyline points="{points}" class="line c{look.colour}"{dash}/>'


def sample(x, y, look, length=40):
    return path([(x, y), (x + length, y)], look) + marker(x + length / 2, y, look)


def key(look):
    """The look of a line, to put before its name in a table."""
    strong = ' class="strong"' if look.strong else ""
    return (
        f'<svg class="key" viewBox="0 0 44 14" aria-hidden="true"><g{strong}>'
        f"{sample(2, 7, look)}</g></svg>"
    )


def spread(wanted, low, high):
    """Places near the wanted ones, a line of text apart; wanted rises."""
    placed = []
    for value in wanted:
        placed.append(max(value, placed[-1] + LABEL_STEP if placed else low))
    limit = high
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], limit)
        limit = placed[i] - LABEL_STEP
    return placed


def frame(x_axis, y_axis, width, height):
    """Grid, ticks and names of the axes; and what turns values into places."""
    right, bottom = width - RIGHT, height - BOTTOM

    def x_of(value):
        return LEFT + x_axis.place(value) * (right - LEFT)

    def y_of(value):
        return bottom - y_axis.place(value) * (bottom - TOP)

    out = []
    for value, name in x_axis.ticks:
        out.append(rule(x_of(value), TOP, x_of(value), bottom, "grid" if name else "grid minor"))
        if name:
            out.append(words(x_of(value), bottom + 18, name, "middle", "tick"))
    for value, name in y_axis.ticks:
        out.append(rule(LEFT, y_of(value), right, y_of(value), "grid" if name else "grid minor"))
        if name:
            out.append(words(LEFT - 8, y_of(value) + 4, name, "end", "tick"))
    out.append(box(LEFT, TOP, right - LEFT, bottom - TOP, "frame"))
    out.append(words((LEFT + right) / 2, height - 10, x_axis.label, "middle"))
    out.append(words(16, (TOP + bottom) / 2, y_axis.label, "middle", turn=-90))
    return out, x_of, y_of


def one_line(line, places, label_y, edge, whiskers, every, lead):
    """A series: its line, whiskers, markers and its name at the right."""
    look = line.look
    out = [f'<g class="s{" strong" if look.strong else ""}">', f"<title>{esc(line.name)}</title>"]
    for (x, y), top in zip(places, whiskers):
        if top is not None:
            out.append(rule(x, y, x, top, f"whisker c{look.colour}"))
            out.append(rule(x - 2.5, top, x + 2.5, top, f"whisker c{look.colour}"))
    out.append(path(places, look))
    for i, ((x, y), point) in enumerate(zip(places, line.points)):
        if every(i):
            out.append(marker(x, y, look, point[3]))
    if lead and places[-1][0] > edge - 90:
        out.append(rule(*places[-1], edge + 8, label_y, f"lead c{look.colour}"))
    out.append(sample(edge + 8, label_y, look))
    out.append(words(edge + 54, label_y + 4, cut(line.name, 22)))
    out.append("</g>")
    return "\n".join(out)


def lines(title, description, x_axis, y_axis, series, dodge=0.0, limit=None, lead=True, marks=0):
    """Lines that are named at their ends. dodge: pixels between points of the same x. limit: (y,
    name) of a line across. lead: names stand near the ends; without, in the order of the lines.
    marks: how many markers on a line, 0 for one at each point."""
    height = max(440, TOP + BOTTOM + LABEL_STEP * len(series) + 20)
    out, x_of, y_of = frame(x_axis, y_axis, WIDTH, height)
    edge = WIDTH - RIGHT
    if limit:
        out.append(rule(LEFT, y_of(limit[0]), edge, y_of(limit[0]), "limit"))
        out.append(words(LEFT + 8, y_of(limit[0]) - 6, limit[1], classes="limit-name"))
    drawn = []
    for i, line in enumerate(series):
        shift = (i - (len(series) - 1) / 2) * dodge
        drawn.append((line, [(x_of(p[0]) + shift, y_of(p[1])) for p in line.points]))
    if lead:
        drawn.sort(key=lambda pair: pair[1][-1][1])
    wanted = [places[-1][1] if lead else TOP + 10 for _, places in drawn]
    for i, ((line, places), label_y) in enumerate(
        zip(drawn, spread(wanted, TOP + 6, height - BOTTOM))
    ):
        step = max(1, len(places) // marks) if marks else 1
        whiskers = [None if p[2] is None else y_of(p[2]) for p in line.points]
        out.append(
            one_line(
                line,
                places,
                label_y,
                edge,
                whiskers,
                lambda k, step=step, i=i: k % step == i * 3 % step,
                lead,
            )
        )
    return picture(WIDTH, height, title, description, "\n".join(out))


def bars(title, description, label, values):
    """Lying bars with their numbers. values: [(name, value, strong)]"""
    left, right, step = 190, 60, 22
    height = step * len(values) + 34
    most = max(value for _, value, _ in values) or 1
    out = []
    for i, (name, value, strong) in enumerate(values):
        y = i * step + 6
        length = (WIDTH - left - right) * value / most
        out.append(
            f'<g class="s{" strong" if strong else ""}"><title>{esc(f"{name}: {value:g}")}</title>'
        )
        out.append(words(left - 10, y + 12, cut(name), "end"))
        out.append(box(left, y, length, step - 7, "bar"))
        out.append(words(left + length + 8, y + 12, f"{value:g}") + "</g>")
    out.append(rule(left, 0, left, height - 26, "frame"))
    out.append(words((left + WIDTH - right) / 2, height - 6, label, "middle", "tick"))
    return picture(WIDTH, height, title, description, "\n".join(out))


# Ink for up to four bars that stand side by side, and the patterns that need a definition.
FILLS = (
    'class="solid ink"',
    'class="ink" fill="url(#hatch)"',
    'class="blank ink"',
    'class="ink" fill="url(#dots)"',
)
PATTERNS = (
    '<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect width="5" height="5" class="blank"/>'
    '<line x1="0" y1="0" x2="0" y2="5" class="thick"/></pattern>'
    '<pattern id="dots" width="4" height="4" patternUnits="userSpaceOnUse">'
    '<rect width="4" height="4" class="blank"/><circle cx="2" cy="2" r="1.1" class="solid"/>'
    "</pattern></defs>"
)


def percentile_bar(x, width, places, fill, tip):
    """Box from p50 to p99, whisker to the maximum, thick line at p50. places: y of the three"""
    p50, p99, most = places
    middle = x + width / 2
    out = [f"<g><title>{esc(tip)}</title>"]
    if most is not None:
        out.append(rule(middle, p50, middle, most, "ink"))
        out.append(rule(x + 1, most, x + width - 1, most, "ink"))
    if p99 is not None:
        out.append(
            f'<rect x="{x:.1f}" y="{p99:.1f}" width="{width:.1f}" height="{max(1, p50 - p99):.1f}" '
            f"{fill}/>"
        )
    out.append(rule(x - 1.5, p50, x + width + 1.5, p50, "thick"))
    return "".join(out) + "</g>"


def percentile_bars(title, description, y_axis, conditions, groups):
    """groups: [(name, strong, [(p50, p99, max, tip) or None for each condition])]"""
    left, right, top, bottom = LEFT, 14, 40, 104
    step = max(52, (WIDTH - left - right) / len(groups))
    width, height = left + right + step * len(groups), 540
    floor = height - bottom

    def y_of(value):
        return None if value is None else floor - y_axis.place(value) * (floor - top)

    out = [PATTERNS]
    for value, name in y_axis.ticks:
        out.append(
            rule(left, y_of(value), width - right, y_of(value), "grid" if name else "grid minor")
        )
        if name:
            out.append(words(left - 8, y_of(value) + 4, name, "end", "tick"))
    for i, name in enumerate(conditions):
        x = left + i * 200
        out.append(percentile_bar(x, 9, (30, 18, 8), FILLS[i], name) + words(x + 20, 26, name))
    for i, (name, strong, values) in enumerate(groups):
        x = left + i * step
        out.append(f'<g{" class=" + chr(34) + "strong" + chr(34) if strong else ""}>')
        if i % 2:
            out.append(box(x, top, step, floor - top, "back", ' opacity="0.6"'))
        slot = min(14, (step - 12) / len(conditions))
        first = x + (step - slot * len(conditions)) / 2
        for k, value in enumerate(values):
            if value:
                out.append(
                    percentile_bar(
                        first + k * slot + 1.5,
                        slot - 4,
                        [y_of(v) for v in value[:3]],
                        FILLS[k],
                        value[3],
                    )
                )
        out.append(words(x + step / 2 + 4, floor + 16, cut(name, 20), "end", turn=-40) + "</g>")
    out.append(
        rule(left, top, left, floor, "frame") + rule(left, floor, width - right, floor, "frame")
    )
    out.append(words(16, (top + floor) / 2, y_axis.label, "middle", turn=-90))
    return picture(f"{width:.0f}", height, title, description, "\n".join(out))
