#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plot a field of a channel, live: plot.py CHANNEL FIELD [COUNT]

    publisher.py & plot.py temperature celsius

With matplotlib in a window, without it as bars in the terminal.
"""
import itertools
import os
import sys

import ach

name, field = sys.argv[1:3]
count = int(sys.argv[3]) if len(sys.argv) > 3 else None


def values(channel):
    for message in itertools.islice(channel.messages(last=True), count):
        yield float(message[field] if isinstance(message, dict) else getattr(message, field))


def in_terminal(channel):
    width, low, high = 60, float("inf"), float("-inf")
    for value in values(channel):
        low, high = min(low, value), max(high, value)
        length = round(width * (value - low) / (high - low)) if high > low else 0
        print(f"{value:10.3f} {'#' * length}", flush=True)


def in_window(channel, pyplot):
    seen = []
    pyplot.ion()
    for value in values(channel):
        seen = seen[-199:] + [value]
        pyplot.cla()
        pyplot.plot(seen)
        pyplot.ylabel(field)
        pyplot.pause(0.001)


with ach.Channel(name) as source:
    try:
        if "DISPLAY" not in os.environ and "WAYLAND_DISPLAY" not in os.environ:
            raise ImportError("there is no display")
        from matplotlib import pyplot as plt
    except ImportError:
        in_terminal(source)
    else:
        in_window(source, plt)
