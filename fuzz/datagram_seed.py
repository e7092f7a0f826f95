#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write seeds of fuzz/datagram.c: frames in datagrams to achd.

datagram_seed.py DIRECTORY
"""
import os
import struct
import sys

PART, SEEN, RAW = 1, 0, 255
UNIT = 256


def piece(kind, body):
    """What the fuzzer cuts off: a kind, half of a length, and a body."""
    body += bytes(len(body) % 2)
    return bytes([kind, len(body) // 2]) + body


def part(seq, total, offset=0, n=0, count=None):
    data = struct.pack("<QQQQQQQQI", seq, count or seq, 77, seq, 0, 5, 1, 9, total)
    return piece(PART, struct.pack("<QQIH", 1000, 77, offset, UNIT) + data + b"x" * (n or total))


seeds = {
    "small": part(1, 6) + part(2, 10) + part(2, 10) + part(5, 2),
    "late": part(3, 6) + part(2, 6) + part(4, 100),
    "parts": part(1, UNIT + 20, UNIT, 20) + part(1, UNIT + 20, 0, UNIT) + part(2, 600, 512, 88),
    "large": part(1, 100000, 99840, 160) + part(2, 4),
    "seen": piece(SEEN, struct.pack("<QQQQQ", 0, 0, 1, 2, 3)) + part(1, 2),
    "raw": piece(RAW, b"ACHU\1\1\0\0" + struct.pack("<QQ", 1, 1) + bytes(40)),
}
for name, datagrams in seeds.items():
    with open(os.path.join(sys.argv[1], name), "wb") as f:
        f.write(datagrams)
