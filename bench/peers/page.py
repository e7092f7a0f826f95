# SPDX-License-Identifier: BSD-3-Clause
"""A page of results: tables, figures, and the frame around them."""
import base64
import hashlib

from plot import esc, plot

NONE = "–"
LONG = 40  # rows; longer tables scroll


def element(tag, text, classes=""):
    return f'<{tag} class="{classes}">{esc(text)}</{tag}>'


def scrolled(inner, name, classes="wide"):
    """A box that scrolls by itself, so that a wide table does not widen the page."""
    return (f'<div class="{classes}" tabindex="0" role="region" aria-label="{esc(name)}">'
            f"{inner}</div>")


def figure(title, caption, x, y, points, *options, **more):
    if not points:
        return ""
    svg = scrolled(plot(title, caption, x, y, points, *options, **more), caption)
    return f"<figure>{svg}{element('figcaption', caption)}</figure>"


def cell(shown, value=None, warn=False, before=""):
    """Of a table. value: a number to sort by. before: markup in front of what is shown."""
    sort = "" if value is None else f' data-v="{value}"'
    classes = ("n" if sort else "") + (" warn" if warn else "")
    return f'<td class="{classes}"{sort}>{before}{esc(shown)}</td>'


def table(title, heads, rows):
    """heads: [(text, whether numbers are below it)]. rows: lists of cells, as markup."""
    if not rows:
        return ""
    top = "".join(f'<th class="{"n" if numbers else ""}"><button>{esc(head)}</button></th>'
                  for head, numbers in heads)
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    inner = f"<table><thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
    return scrolled(inner, title, "wide tall" if len(rows) > LONG else "wide")


STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1d2126;--soft:#5a626c;--rule:#d9dde2;
--band:#f4f6f8;--warn:#a3260b;--c0:#0b57b0;--c1:#b3470b;--c2:#1b7a4b;--c3:#8a3a8f;--c4:#7d6200;
--c5:#b0284f;--c6:#0f7280;--c7:#5b4bb5;--c8:#6b7280}
@media (prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e4e7eb;--soft:#a2aab4;
--rule:#363c44;--band:#1e2227;--warn:#ff9a7d;--c0:#6db3ff;--c1:#ff9d66;--c2:#6fd39b;--c3:#dc9be0;
--c4:#e0c050;--c5:#ff8aa5;--c6:#5fd0db;--c7:#b0a4ff;--c8:#a0a6b0}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:66rem;background:var(--paper);
color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
h1{font-size:1.8rem;line-height:1.2;margin:.5rem 0 1rem}h3{font-size:1.05rem;margin:2rem 0 .4rem}
h2{font-size:1.3rem;margin:3rem 0 .6rem;padding-top:.6rem;border-top:1px solid var(--rule)}
p,figcaption,ul{max-width:46rem}a{color:var(--c0)}
nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;max-width:none}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.absent{color:var(--soft);font-style:italic}.wide{overflow-x:auto;margin:.6rem 0}
.tall{max-height:min(85vh,60rem);overflow-y:auto;border:1px solid var(--rule)}
figure{margin:1rem 0 2rem}figcaption{color:var(--soft);font-size:.9rem}
details{margin:.5rem 0}summary{cursor:pointer;color:var(--soft)}
table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .7rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}
td{min-width:3rem;max-width:26rem;overflow-wrap:break-word}
td:first-child{white-space:nowrap;max-width:none}
td.n,th.n{text-align:right;white-space:nowrap}td.warn{color:var(--warn);font-weight:600}
.tall th,.tall td{padding:.2rem .45rem}.tall table{font-size:.8rem}
thead th{position:sticky;top:0;background:var(--band);white-space:nowrap;font-weight:600}
th button{all:unset;cursor:pointer}th button:focus-visible{outline:2px solid var(--c0)}
th[aria-sort=ascending] button::after{content:" \\25b2"}
th[aria-sort=descending] button::after{content:" \\25bc"}
svg.plot{display:block;width:100%;min-width:47rem;height:auto}
svg.key{width:44px;height:14px;vertical-align:middle;margin-right:.4rem}
svg text{fill:var(--ink);stroke:none;font-size:12.5px}svg .tick{fill:var(--soft);font-size:12px}
svg .grid{stroke:var(--rule);stroke-width:1}svg .minor{opacity:.45}
svg .frame{stroke:var(--soft);stroke-width:1;fill:none}
svg .limit{stroke:var(--warn);stroke-dasharray:9 4}svg .limit-name{fill:var(--warn)}
svg .s{stroke:var(--c)}svg .line{fill:none;stroke-width:1.6}svg .strong .line{stroke-width:3}
svg .strong text{font-weight:700}svg .lead{stroke-width:.7;opacity:.6}
svg .whisker{stroke-width:1;opacity:.6}svg .mark0,svg .mark1{stroke-width:1.4}
svg .mark0{fill:var(--paper)}svg .mark1{fill:var(--c)}
svg.plot:hover .s{opacity:.3}svg.plot:hover .s:hover{opacity:1}
@media print{.tall{max-height:none}.wide{overflow:visible}}
"""
SCRIPT = """
for (const table of document.querySelectorAll('table')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.firstChild.onclick = () => {
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
  });
}
"""
FRAME = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy"
content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>{title}</title><style>{style}</style></head>
<body><h1>{title}</h1>
<dl>{facts}</dl>
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
        facts="".join(element("dt", name) + element("dd", text) for name, text in facts.items()),
        lacking=element("p", f"No results for {lacking}.", "absent") if lacking else "",
        links="".join(f'<li><a href="#{name}">{heading}</a></li>' for name, heading, *_ in shown),
        body="\n".join(f'<section id="{name}">\n<h2>{heading}</h2>\n{note and element("p", note)}'
                       f"{contents}\n</section>" for name, heading, note, contents in shown),
    )
