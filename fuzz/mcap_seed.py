#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Inputs to begin with: small recordings, most without checksums, which a fuzzer would not find.

mcap_seed.py FOLDER
"""
import os
import struct
import sys

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(1, 9)
ATTACHMENT, ATTACHMENT_INDEX, STATISTICS, METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END = range(9, 16)


def record(opcode, *fields):
    content = b"".join(fields)
    return struct.pack("<BQ", opcode, len(content)) + content


def text(s):
    return struct.pack("<I", len(s)) + s


def pairs(entries):
    return text(b"".join(text(k) + text(v) for k, v in entries))


def message(channel, sequence, time, data):
    return record(MESSAGE, struct.pack("<HIQQ", channel, sequence, time, time), data)


def plain(data):
    return b"", data


def lz4(data):
    """A frame with one block that is not compressed."""
    return b"lz4", bytes.fromhex("04224d18604082") + struct.pack("<I", len(data) | 1 << 31) + data + bytes(4)


def zstd(data):
    """A frame with a raw block."""
    return b"zstd", (bytes.fromhex("28b52ffd") + b"\x60" + struct.pack("<H", len(data) - 256)
                     + struct.pack("<I", len(data) << 3 | 1)[:3] + data)


SCHEMA_RECORD = record(SCHEMA, struct.pack("<H", 1), text(b"S"), text(b"json"), text(b"{}"))
CHANNEL_RECORD = record(CHANNEL, struct.pack("<HH", 1, 1), text(b"/a"), text(b"json"), pairs([(b"k", b"v")]))
OTHER_RECORD = record(CHANNEL, struct.pack("<HH", 2, 0), text(b"/b"), text(b""), pairs([]))


class File:
    def __init__(self, method):
        self.bytes = MAGIC + record(HEADER, text(b""), text(b"seed"))
        self.method = method
        self.chunks = b""
        self.others = b""

    def chunk(self, messages, first):
        """messages: (channel, sequence, time, data)."""
        records = SCHEMA_RECORD + CHANNEL_RECORD + OTHER_RECORD if first else b""
        places, times = {}, [m[2] for m in messages]
        for m in messages:
            places.setdefault(m[0], []).append((m[2], len(records)))
            records += message(*m)
        name, stored = self.method(records)
        span = struct.pack("<QQ", min(times), max(times))
        chunk = record(CHUNK, span, struct.pack("<QI", len(records), 0), text(name),
                       struct.pack("<Q", len(stored)), stored)
        at = len(self.bytes)
        self.bytes += chunk
        index = b""
        begin = len(self.bytes)
        for channel, found in places.items():
            index += struct.pack("<HQ", channel, len(self.bytes))
            self.bytes += record(MESSAGE_INDEX, struct.pack("<H", channel),
                                 text(b"".join(struct.pack("<QQ", *f) for f in found)))
        self.chunks += record(CHUNK_INDEX, span, struct.pack("<QQ", at, len(chunk)), text(index),
                              struct.pack("<Q", len(self.bytes) - begin), text(name),
                              struct.pack("<QQ", len(stored), len(records)))

    def extras(self):
        at = len(self.bytes)
        data = record(ATTACHMENT, struct.pack("<QQ", 1, 2), text(b"n"), text(b"m"), struct.pack("<Q", 3), b"abc",
                      bytes(4))
        self.bytes += data
        self.others += record(ATTACHMENT_INDEX, struct.pack("<QQQQQ", at, len(data), 1, 2, 3), text(b"n"), text(b"m"))
        at = len(self.bytes)
        data = record(METADATA, text(b"ach"), pairs([(b"a", b"b")]))
        self.bytes += data
        self.others += record(METADATA_INDEX, struct.pack("<QQ", at, len(data)), text(b"ach"))

    def end(self, messages, chunks):
        self.bytes += record(DATA_END, bytes(4))
        start = len(self.bytes)
        counts = b"".join(struct.pack("<HQ", c, n) for c, n in messages)
        self.bytes += (SCHEMA_RECORD + CHANNEL_RECORD + OTHER_RECORD + self.chunks + self.others
                       + record(STATISTICS, struct.pack("<QHIIIIQQ", sum(n for _, n in messages), 1, 2, 1, 1,
                                                        chunks, 1, 9), text(counts)))
        self.bytes += record(FOOTER, struct.pack("<QQI", start, 0, 0)) + MAGIC


def whole(method):
    f = File(method)
    f.chunk([(1, 0, 1, b"{}"), (2, 0, 7, b"x" * 200), (1, 1, 3, b"{}")], True)
    f.chunk([(1, 2, 2, b"{1}" * 50), (2, 1, 9, b"y" * 100)], False)
    f.extras()
    before = len(f.bytes)
    f.end([(1, 3), (2, 2)], 2)
    return f.bytes, before


def main():
    folder = sys.argv[1]
    seeds = {}
    for method in (plain, lz4, zstd):
        data, before = whole(method)
        seeds[method.__name__] = data
        seeds[method.__name__ + "-cut"] = data[:before]
        seeds[method.__name__ + "-index-cut"] = data[:before - 150]
    seeds["loose"] = (MAGIC + record(HEADER, text(b""), text(b"")) + CHANNEL_RECORD + message(1, 0, 1, b"{}")
                      + record(FOOTER, bytes(20)) + MAGIC)
    for name, data in seeds.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main()
