#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""urg_seed.py DIR: answers of a scanner, for the fuzzer to begin with."""
import pathlib
import sys


def line(text):
    return text + chr((sum(map(ord, text)) & 63) + 48) + "\n"


def number(value, chars):
    return "".join(chr((value >> 6 * (chars - 1 - i) & 63) + 48) for i in range(chars))


def scan(command, count, chars):
    data = "".join(number(i, chars) for i in range(count))
    lines = [line(data[i:i + 64]) for i in range(0, len(data), 64)]
    return command + "\n" + line("99") + line(number(1234, 4)) + "".join(lines) + "\n"


SEEDS = {
    "version": "VV\n" + line("00") + line("PROT:SCIP 2.0;") + line("SERI:H0508486;") + "\n",
    "parameters": "PP\n" + line("00") + line("DMIN:20;") + line("AMAX:768;") + "\n",
    "on": "BM\n" + line("00") + "\n",
    "three": scan("MD0044072501000", 120, 3),
    "two": scan("MS0044072501000", 120, 2),
    "both": "QT\n" + line("00") + "\n" + scan("MD0000000401000", 5, 3),
}
for name, text in SEEDS.items():
    for piece in (0, 255):
        path = pathlib.Path(sys.argv[1]) / f"{name}-{piece}"
        path.write_bytes(bytes([piece]) + text.encode("ascii"))
