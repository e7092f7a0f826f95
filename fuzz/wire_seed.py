#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Inputs to begin with: what clients of a recorded conversation said.

wire_seed.py FOLDER
"""
import os
import struct
import sys
import zlib

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def split(message):
    """As the property reads it: a byte says how many follow."""
    out = b""
    for i in range(0, len(message), 128):
        part = message[i:i + 128]
        out += bytes([len(part) - 1]) + part
    return out


def spoken():
    path = os.path.join(TOP, "tests", "device", "tcp", "conversation.txt")
    said = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            words = line.split()
            if words[0] in ("C>S", "S>C"):
                said.append((words[0] == "C>S", bytes.fromhex("".join(words[2:]))
                             if words[1] == "hdr" else b""))
            elif words[0] == "body":
                said[-1] = (said[-1][0], said[-1][1] + bytes.fromhex("".join(words[1:])))
    return said


def a_map():
    cells = zlib.compress(bytes(48))
    body = struct.pack(">5IiI", 0, 0, 8, 6, len(cells), 1, len(cells)) + cells
    body += b"\0" * (-len(cells) % 4)
    return struct.pack(">6IdII", 0, 6665, 42, 0, 4, 2, 0.0, 1, len(body)) + body


def main():
    said = spoken()
    seeds = [b"\1" + split(m) for is_client, m in said if is_client]
    seeds.append(b"\1" + b"".join(split(m) for is_client, m in said if is_client))
    seeds.append(b"\0" + b"".join(split(m) for is_client, m in said if not is_client and m))
    seeds.append(b"\0" + split(a_map()))
    for i, seed in enumerate(seeds):
        with open(os.path.join(sys.argv[1], f"wire-{i}"), "wb") as f:
            f.write(seed)


if __name__ == "__main__":
    main()
