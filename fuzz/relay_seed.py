#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write seeds of fuzz/relay.c: conversations of a peer of achd.

relay_seed.py DIRECTORY
"""
import os
import struct
import sys

HELLO, OPEN, OPENED, REFUSED, DATA, MORE, ACK, PING, PONG, CLOSE = range(1, 11)


def frame(kind, body, flow=0, flags=1):
    return struct.pack("<IBBH", len(body) + 4, kind, flags, flow) + body


def text(s):
    return struct.pack("<H", len(s)) + s.encode()


def terms(typed=False, marks=()):
    body = struct.pack("<QQQIBBH", 77, 4, 64, 1, 1, typed, len(marks))
    for mark in marks:
        body += struct.pack("<QQQ", *mark)
    if typed:
        body += text("demo/X") + text("json") + text("") + struct.pack("<I", 0)
    return body


def opens(push, typed=False):
    return frame(OPEN, bytes([push, 1, 4]) + text("fuzzed") + struct.pack("<QQQ", 0, 0, 0) + terms(typed))


def data(seq, total, part):
    return frame(DATA, struct.pack("<QQQQQQQQI", seq, 0, 77, seq, 0, 5, 1, 9, total) + part)


hello = frame(HELLO, b"ACHR\1\0" + struct.pack("<QI", 5, 65664) + text("seed"), flags=0)
more = frame(MORE, struct.pack("<Q", 9) + b"x" * 60)
seeds = {
    "push": hello + opens(1) + data(1, 5, b"hello") + data(2, 100, b"y" * 40) + more
            + frame(PING, struct.pack("<Q", 3)),
    "typed": hello + opens(1, True) + data(1, 5, b"hello") + frame(CLOSE, text("bye")),
    "pull": hello + opens(0) + frame(ACK, struct.pack("<QQQQ", 0, 1, 2, 3)),
    "answer": hello + frame(OPENED, terms(marks=[(77, 3, 3)])) + data(4, 2, b"ab")
              + frame(PONG, struct.pack("<QQQ", 1, 2, 3)),
    "refuse": hello + frame(REFUSED, struct.pack("<H", 9) + text("no")),
}
for name, conversation in seeds.items():
    for first in (255, 252, 253, 254, 8):
        with open(os.path.join(sys.argv[1], f"{name}-{first}"), "wb") as f:
            f.write(bytes([first]) + conversation)
