#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""slow.py FOLDER RATE SIZE PERIOD_US

Judge what guest-slow measured, print a table, and draw the ages of pictures: FOLDER/ages.svg. Exit
status 1: a bound does not hold.
"""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import page  # noqa: E402

CHUNK = 1024
DATA, MORE = 76, 16  # bytes of frames besides the message's
PACKET = 66          # Ethernet, IP and TCP


def ages(path):
    """[(seconds since the first arrival, age in ms)]"""
    rows = [[int(word) for word in line.split()] for line in path.read_text().splitlines()]
    return [((when - rows[0][0]) / 1e9, age / 1e6) for when, age in rows]


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def transmission(size, rate):
    """Milliseconds that a message takes on the link, with its frames and packets."""
    parts = max(0, -((CHUNK - DATA - size) // (CHUNK - MORE)))
    return (size + DATA + PACKET + parts * (MORE + PACKET)) * 1e3 / rate


def alone(svg):
    """A picture as a file of its own, also for programs that do not know variables in CSS."""
    colours = dict(re.findall(r"(--\w+):(#\w+)", page.STYLE.partition("@media")[0]))
    style = "".join(re.findall(r"^svg .*\n", page.STYLE, re.M)) + \
        "svg{background:var(--paper);font-family:sans-serif}"
    svg = svg.replace("--c:", "color:").replace("</desc>", f"</desc><style>{style}</style>", 1)
    svg = svg.replace('class="plot"', 'xmlns="http://www.w3.org/2000/svg" width="960"', 1)
    svg = svg.replace("var(--c)", "currentColor")
    return re.sub(r"var\((--\w+)\)", lambda found: colours[found.group(1)], svg) + "\n"


def draw(path, found, bound, caption):
    points = [(name, page.Point(when, age, f"{age:.0f} ms"))
              for name, rows in found.items() for when, age in rows]
    path.write_text(alone(page.plot(
        "Age of messages on a slow link", caption, page.Axis("time, s"),
        page.Axis("age at arrival, ms", log=True), points,
        (bound, f"transmission + round trip + period: {bound:.0f} ms"))))


def main():
    folder, (rate, size, period) = Path(sys.argv[1]), (int(word) for word in sys.argv[2:5])
    trip = float(re.search(r"= ([\d.]+)/", (folder / "ping").read_text()).group(1))
    bound = transmission(size, rate) + trip + period / 1e3
    idle, loaded, relay, tcp = (ages(folder / name) for name in ("idle", "loaded", "relay", "tcp"))
    print(f"link: {rate / 1e3:.0f} KB/s, round trip {trip:.1f} ms")
    print(f"pictures of {size} bytes each {period / 1e3:.0f} ms, "
          f"{size / period * 1e6 / rate:.0f} times what the link carries:")
    # The last one has no newer one after it: it waits while another picture is sent.
    oldest = max(age for _, age in relay[:-1])
    print(f"  relay: {len(relay)} arrive, age at most {oldest:.1f} ms of {bound:.1f} ms")
    print(f"  plain TCP: {len(tcp)} arrive, age from {tcp[0][1]:.0f} ms to {tcp[-1][1]:.0f} ms")
    print("commands of 64 bytes at 1 kHz, age in ms:")
    print(f"  {'':22}{'p50':>8}{'p99':>8}{'max':>8}")
    for name, rows in (("idle link", idle), ("beside the pictures", loaded)):
        values = [age for _, age in rows]
        print(f"  {name:22}{percentile(values, 0.5):8.2f}{percentile(values, 0.99):8.2f}"
              f"{max(values):8.2f}")
    limit = percentile([a for _, a in idle], 0.99) + 4096e3 / rate
    late = percentile([a for _, a in loaded], 0.99)
    print(f"  p99 of the idle link and 4 KiB: {limit:.2f} ms")
    draw(folder / "ages.svg", {"plain TCP": tcp, "ach": relay}, bound,
         f"{size} bytes each {period / 1e3:.0f} ms on a link of {rate / 1e3:.0f} KB/s")
    failed = [what for holds, what in (
        (oldest <= bound, "a picture is too old"), (late <= limit, "commands are too late"),
        (tcp[-1][1] > 10 * bound, "the link is not overloaded")) if not holds]
    for what in failed:
        print(f"failed: {what}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
