# SPDX-License-Identifier: BSD-3-Clause
"""What the page is made of: safe text, numbers for people, tables, the frame around it all."""
import base64
import hashlib
import html
import math
import re

NONE = "–"
NOT_THERE = "The results hold nothing for this."

# No document may hold these, and JSON can smuggle them in.
NOT_TEXT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def esc(text):
    return html.escape(NOT_TEXT.sub("\ufffd", str(text)), quote=True)


def three_digits(value):
    """Three significant digits, never an exponent."""
    if value == 0:
        return "0"
    places = 2 - math.floor(math.log10(abs(value)))
    value = round(value, places)
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{min(places, 6)}f}"


def short(text):
    """1.00 is 1 on an axis."""
    return re.sub(r"(\.\d*?)0+(?=\D|$)", r"\1", text).replace(". ", " ").rstrip(".")


def scaled(value, steps, units):
    for unit in units[:-1]:
        if abs(value) < steps * (0.9995 if steps == 1000 else 1):
            return f"{three_digits(value)} {unit}"
        value /= steps
    return f"{three_digits(value)} {units[-1]}"


def duration(ns):
    return NONE if ns is None else scaled(ns, 1000, ("ns", "µs", "ms", "s"))


def duration_ms(ms):
    return NONE if ms is None else duration(ms * 1e6)


def size(count):
    return NONE if count is None else short(scaled(count, 1024, ("B", "KiB", "MiB", "GiB")))


def frequency(hz):
    return NONE if hz is None else scaled(hz, 1000, ("Hz", "kHz", "MHz", "GHz"))


def rate(hz):
    return "ping-pong" if hz == 0 else short(frequency(hz))


def count(value):
    if value is None:
        return NONE
    return f"{value:,.0f}".replace(",", "\u202f") if value == int(value) else three_digits(value)


def plain(value):
    """A number of unknown unit on an axis."""
    if abs(value) >= 10000:
        return short(scaled(value, 1000, ("", "k", "M", "G", "T"))).replace(" ", "")
    return short(three_digits(value))


def percent(value):
    return short(three_digits(value)) + " %"


def one(number, word):
    return f"{count(number)} {word}" + ("" if number == 1 else "s")


class Cell:
    """What a table shows, and what it is sorted by."""

    def __init__(self, shown, key=None, warn=False, markup=False):
        self.shown = shown if markup else esc(shown)
        self.key = key
        self.warn = warn

    def markup(self, head):
        names = [name for name, on in (("n", head), ("warn", self.warn)) if on]
        classes = f' class="{" ".join(names)}"' if names else ""
        key = "" if self.key is None else f' data-v="{self.key!r}"'
        return f"<td{classes}{key}>{self.shown}</td>"


def number(value, show=count, warn=False):
    return Cell(NONE if value is None else show(value), value, warn)


def text(value):
    return Cell(value or NONE)


def wide(inner, name, tall=False):
    """A box that scrolls by itself, so that the page does not."""
    classes = "wide tall" if tall else "wide"
    return (
        f'<div class="{classes}" tabindex="0" role="region" aria-label="{esc(name)}">{inner}</div>'
    )


def table(name, heads, lines, tall=False):
    """heads: names; those that begin with '#' are over numbers."""
    numeric = [head.startswith("#") for head in heads]
    top = "".join(
        f'<th scope="col"{" class=n" if is_n else ""}>{esc(head.lstrip("#"))}</th>'
        for head, is_n in zip(heads, numeric)
    )
    body = "\n".join(
        "<tr>" + "".join(cell.markup(is_n) for cell, is_n in zip(line, numeric)) + "</tr>"
        for line in lines
    )
    return wide(
        f'<table class="sort"><thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody></table>',
        name,
        tall,
    )


def figure(svg, caption):
    return f"<figure>{wide(svg, caption)}<figcaption>{esc(caption)}</figcaption></figure>"


def paragraph(sentence):
    return f"<p>{esc(sentence)}</p>"


def absent(sentence):
    return f'<p class="absent">{esc(sentence)}</p>'


STYLE = (
    """
:root{color-scheme:light dark;--paper:#fff;--ink:#1d2126;--soft:#5a626c;--rule:#d9dde2;
--band:#f4f6f8;--warn:#a3260b;--c0:#0b57b0;--c1:#b3470b;--c2:#1b7a4b;--c3:#8a3a8f;--c4:#7d6200;
--c5:#b0284f;--c6:#0f7280;--c7:#5b4bb5;--c8:#6b7280}
@media (prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e4e7eb;--soft:#a2aab4;
--rule:#363c44;--band:#1e2227;--warn:#ff9a7d;--c0:#6db3ff;--c1:#ff9d66;--c2:#6fd39b;--c3:#dc9be0;
--c4:#e0c050;--c5:#ff8aa5;--c6:#5fd0db;--c7:#b0a4ff;--c8:#a0a6b0}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:66rem;background:var(--paper);
color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
h1{font-size:1.8rem;line-height:1.2;margin:.5rem 0 1rem}
h2{font-size:1.3rem;margin:3rem 0 .6rem;padding-top:.6rem;border-top:1px solid var(--rule)}
h3{font-size:1.05rem;margin:2rem 0 .4rem}
p,figcaption,ul{max-width:46rem}
a{color:var(--c0)}
nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;max-width:none}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.absent{color:var(--soft);font-style:italic}
.wide{overflow-x:auto;margin:.6rem 0}
.tall{max-height:min(85vh,60rem);overflow-y:auto;border:1px solid var(--rule)}
figure{margin:1rem 0 2rem}figcaption{color:var(--soft);font-size:.9rem}
details{margin:.5rem 0}summary{cursor:pointer;color:var(--soft)}
table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .7rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}
thead th{position:sticky;top:0;background:var(--band);white-space:nowrap;font-weight:600}
td.n,th.n{text-align:right;white-space:nowrap}
.tall th,.tall td{padding:.2rem .45rem}.tall table{font-size:.8rem}
td:first-child{white-space:nowrap}
td{min-width:3rem;max-width:26rem;overflow-wrap:break-word}
td.warn{color:var(--warn);font-weight:600}
th button{all:unset;cursor:pointer}th button:focus-visible{outline:2px solid var(--c0)}
th[aria-sort=ascending] button::after{content:" \\25b2"}
th[aria-sort=descending] button::after{content:" \\25bc"}
svg.plot{display:block;width:100%;min-width:47rem;height:auto}
svg.key{width:44px;height:14px;vertical-align:middle;margin-right:.4rem}
svg text{fill:var(--ink);font-size:12.5px}
svg .tick{fill:var(--soft);font-size:12px}
svg .grid{stroke:var(--rule);stroke-width:1}svg .minor{opacity:.45}
svg .frame{stroke:var(--soft);stroke-width:1;fill:none}
svg .limit{stroke:var(--warn);stroke-width:1.5;stroke-dasharray:9 4}
svg .limit-name{fill:var(--warn)}
svg .line{fill:none;stroke-width:1.6}svg .strong .line{stroke-width:3}
svg .strong text{font-weight:700}
svg .lead{stroke-width:.7;opacity:.6}svg .whisker{stroke-width:1;opacity:.6}
svg .mark{stroke-width:1.4}svg .open{fill:var(--paper)}
svg .bar{fill:var(--c8)}svg .strong .bar{fill:var(--c0)}
svg .ink{stroke:var(--ink);stroke-width:1}svg .thick{stroke:var(--ink);stroke-width:2.5}
svg .solid{fill:var(--ink)}svg .blank{fill:var(--paper)}svg .back{fill:var(--band)}
svg.plot:hover .s{opacity:.3}svg.plot:hover .s:hover{opacity:1}
"""
    + "".join(
        f"svg .c{i}{{stroke:var(--c{i})}}svg .f{i}{{fill:var(--c{i});stroke:var(--c{i})}}\n"
        for i in range(9)
    )
    + """
@media print{.tall{max-height:none}.wide{overflow:visible}}
"""
)

SCRIPT = """
for (const table of document.querySelectorAll('table.sort')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const down = head.getAttribute('aria-sort') === 'ascending';
      heads.forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const key = row => row.cells[column].dataset.v ?? row.cells[column].textContent;
      const order = (a, b) => {
        const x = key(a), y = key(b);
        if (x === '–' || y === '–') return (x === '–') - (y === '–');
        const way = x - y || (isNaN(x) || isNaN(y) ? x.localeCompare(y, 'en') : 0);
        return down ? -way : way;
      };
      table.tBodies[0].append(...[...table.tBodies[0].rows].sort(order));
    };
  });
}
"""


def whole(title, intro, sections):
    """sections: [(id, heading, markup)]"""
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    rule = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    links = "".join(
        f'<li><a href="#{name}">{esc(heading)}</a></li>' for name, heading, _ in sections
    )
    body = "\n".join(
        f'<section id="{name}">\n<h2>{esc(heading)}</h2>\n{markup}\n</section>'
        for name, heading, markup in sections
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{rule}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{esc(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<h1>{esc(title)}</h1>
{intro}
<nav aria-label="Contents"><ul>{links}</ul></nav>
<main>
{body}
</main>
<script>{SCRIPT}</script>
</body>
</html>
"""
