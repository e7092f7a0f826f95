#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every message of every interface over the wire.

interfaces.py SERVER_PROGRAM

The table of messages and the encoder are those of tests/device/xdr/golden.py, which are independent
of the library. An echo driver has one device of each interface: it returns commands as data and
requests with an ACK, and publishes data; all with the same bytes. Cells of maps are compressed.
"""
import os
import random
import struct
import sys
import time
import zlib

import player as p

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "xdr"))
import golden  # pylint: disable=wrong-import-position

TYPES = {"DATA": p.DATA, "CMD": p.CMD, "REQ": p.REQ}
MAP, GET_DATA = 42, 2


def table():
    """The messages of devices, the encoder, and (number, name) of each interface."""
    messages = [m for m in golden.table("messages.tsv") if m["interface"] != "player"]
    names = sorted({(int(m["code"]), m["interface"]) for m in messages})
    maker = golden.Maker(golden.structs(messages), random.Random(4711))
    return messages, maker, names


def map_body(cells, said=None):
    count = len(cells) if said is None else said
    return struct.pack(">5Ii", 1, 2, 8, 6, count, 7) + struct.pack(">I", count) + cells + \
        b"\0" * (-len(cells) % 4)


def check(c, puppet, m, body):
    code, subtype = int(m["code"]), int(m["subtype"])
    title = f"{m['interface']} {m['msgtype']} {m['subtype_name']}"
    if m["msgtype"] == "DATA":
        puppet.say(code, 0, subtype, body)
        got, want = c.next(), p.DATA
    elif m["msgtype"] == "CMD":
        c.send(p.CMD, code, 0, subtype, body)
        got, want = c.next(), p.DATA
    else:
        got, want = c.request(code, 0, subtype, body, sequence=3), p.ACK
        assert got.sequence == 3, got
    assert (got.type, got.interf, got.index, got.subtype) == (want, code, 0, subtype), \
        f"{title}: {got}"
    assert got.body == body, f"{title}: {got.body.hex()}, not {body.hex()}"


def every_message(program):
    messages, maker, names = table()
    provides = " ".join(f'"{name}:0"' for code, name in names if code != p.OPAQUE)
    server = p.Server(program, f"""
        driver ( name "puppet" does "echo" provides ["opaque:0" "control:::opaque:1" {provides}] )
        """)
    puppet, c = server.puppet(1), server.client(p.PUSH)
    for code, _ in names:
        c.open(code, 0)
    done = 0
    for m in messages:
        if m["msgtype"] not in TYPES or (int(m["code"]), int(m["subtype"]), m["msgtype"]) == \
                (MAP, GET_DATA, "REQ"):
            continue
        body = maker.struct(m["struct"])[1] if m["wire_fields"] else b""
        check(c, puppet, m, body)
        done += 1
    print(f"{done} messages of {len(names)} interfaces")
    assert len(names) == 42 and done > 200, (len(names), done)
    server.end()


def short_bodies(program):
    """Bodies that are too short, too long or have wrong counts get a NACK."""
    messages, maker, names = table()
    provides = " ".join(f'"{name}:0"' for _, name in names)
    server = p.Server(program, f'driver ( name "puppet" does "echo" provides [{provides}] )')
    c = server.client(p.PUSH)
    rng = random.Random(7)
    for code, _ in names:
        c.open(code, 0)
    for m in messages:
        if m["msgtype"] != "REQ" or not m["wire_fields"]:
            continue
        body = maker.struct(m["struct"])[1]
        for bad in (body[:-1], body[:rng.randrange(len(body))], body + b"\0\0\0\0",
                    bytes(rng.randrange(256) for _ in range(len(body)))):
            got = c.request(int(m["code"]), 0, int(m["subtype"]), bad)
            assert got.type in (p.ACK, p.NACK)
            assert got.type == p.NACK or len(bad) == len(body) or not bad, (m, bad.hex())
    server.end()


def map_cells(program):
    """Cells are compressed on the wire, and only in answers."""
    server = p.Server(program, 'driver ( name "puppet" does "echo" provides ["map:0"] )')
    c = server.client(p.PULL)
    c.open(MAP, 0)
    cells = bytes([0, 1, 255] * 16)
    got = c.request(MAP, 0, GET_DATA, map_body(cells))
    assert got.type == p.ACK, got
    count, data_range, twin = struct.unpack_from(">IiI", got.body, 16)
    packed = got.body[28:28 + count]
    assert count == twin and data_range == 7 and len(got.body) == 28 + (count + 3) // 4 * 4
    assert zlib.decompress(packed) == cells
    assert struct.unpack_from(">4I", got.body) == (1, 2, 8, 6)
    got = c.request(MAP, 0, GET_DATA, map_body(b""))
    assert got.type == p.ACK and zlib.decompress(got.body[28:]) == b""
    assert c.request(MAP, 0, GET_DATA).body == b""
    server.end()


def map_through_a_link(program):
    """A server that passes a map on decompresses and compresses its cells."""
    at = [p.loopback(0), p.loopback(1)]
    far = p.Server(program, 'driver ( name "puppet" does "echo" provides ["map:0"] )',
                   tcp=f'port 6665 bind "{at[0]}"', address=at[0])
    near = p.Server(program, f"""
        driver ( name "passer" provides ["map:3"] requires ["{at[0]}:6665:map:0"] )""",
                    tcp=f'port 0 bind "{at[1]}"', address=at[1])
    c = near.client(p.PULL)
    c.open(MAP, 3)
    cells = bytes(range(48))
    got = c.request(MAP, 3, GET_DATA, map_body(cells))
    assert got.type == p.ACK, got
    assert zlib.decompress(got.body[28:28 + struct.unpack_from(">I", got.body, 16)[0]]) == cells
    near.end()
    far.end()


if __name__ == "__main__":
    start = time.time()
    status = p.run([every_message, short_bodies, map_cells, map_through_a_link])
    sys.exit(status)
