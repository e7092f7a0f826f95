#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Replay a recorded conversation of a Player client with our server, and compare every byte.

conversation.py SERVER_PROGRAM

conversation.txt is the recording. The client's messages are sent unchanged. Our server must send
the same bytes as Player's, except:

  version     the text in the banner
  address     the port, because ours is any free one; the host is the same
  time        in data and in the server's own answers. A driver's NACK has the time of its
              request, which is compared
  synch       the recorded SYNCH has uninitialized memory as time and sequence; ours has 0
  setup       if the setup of a driver failed, Player answered with an ACK; ours is a NACK

The recording has one ACK before the request for data that it answers; put_in_order corrects that.
"""
import ast
import os
import re
import struct
import sys

import player as p

CONFIG = """
driver ( name "dummy" provides ["control:::opaque:0" "position2d:0"] )
driver ( name "vfh" provides ["position2d:5"] )
"""
RECORDED_PORT = 6665


def recorded():
    """The banner, and for each message: is it from the client?, header, body."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "conversation.txt")
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    banner = ast.literal_eval(lines[0].split(" ", 3)[3])
    messages = []
    for line in lines[1:]:
        words = line.split()
        if words[0] in ("C>S", "S>C"):
            messages.append([words[0] == "C>S", bytes.fromhex("".join(words[2:])), b""])
        elif words[0] == "body":
            messages[-1][2] = bytes.fromhex("".join(words[1:]))
    return banner, messages


def put_in_order(messages):
    """Move each answer to a request for data behind the request."""
    for i in range(1, len(messages)):
        before, this = messages[i - 1], messages[i]
        if not before[0] and before[1][16:24] == struct.pack(">II", p.ACK, p.DATA_REQ) and this[0]:
            messages[i - 1:i + 1] = [this, before]


class Differences:
    """Counts the permitted differences by kind."""

    def __init__(self):
        self.count = {}

    def add(self, kind):
        self.count[kind] = self.count.get(kind, 0) + 1

    def header(self, theirs, got, port):
        """Our header, with the fields that may differ replaced by those of the recording."""
        theirs, got = bytearray(theirs), bytearray(got)
        kind, subtype = struct.unpack_from(">II", theirs, 16)
        if kind == p.SYNCH:
            assert got[24:36] == bytes(12), "a SYNCH with a time or a sequence"
            got[24:36] = theirs[24:36]
            self.add("synch")
            return bytes(got)
        assert struct.unpack_from(">I", got, 4)[0] == port, "another port"
        got[4:8] = struct.pack(">I", RECORDED_PORT)
        self.add("address")
        if kind == p.DATA or struct.unpack_from(">I", theirs, 8)[0] == p.PLAYER:
            got[24:32] = theirs[24:32]
            self.add("time")
        if (kind, subtype) == (p.ACK, p.DEV) and struct.unpack_from(">I", got, 16)[0] == p.NACK:
            got[16:20] = struct.pack(">I", p.ACK)
            self.add("setup")
        return bytes(got)

    def body(self, theirs, got, port):
        if theirs[:8] == struct.pack(">II", 0x0100007f, RECORDED_PORT):
            assert got[:8] == struct.pack(">II", 0x0100007f, port), got.hex()
            got = theirs[:8] + got[8:]
            self.add("address")
        return got


def publish(puppet, body):
    puppet.say(p.POSITION2D, 0, 1, body)
    puppet.request(p.OPAQUE, 0, 1)  # answered after the data is published


def compare(i, theirs, got, differences, port):
    header = p.header(got.type, got.interf, got.index, got.subtype, len(got.body), got.time,
                      got.sequence, got.host, got.robot)
    header = differences.header(theirs[1], header, port)
    body = differences.body(theirs[2], got.body, port)
    assert header == theirs[1], f"message {i}: {header.hex()}, not {theirs[1].hex()}"
    assert body == theirs[2], f"message {i}: {body.hex()}, not {theirs[2].hex()}"


def conversation(program):
    server = p.Server(program, CONFIG)
    banner, messages = recorded()
    put_in_order(messages)
    differences = Differences()
    puppet, c = server.puppet(), server.client()
    assert len(c.banner) == len(banner)
    assert re.fullmatch(rb"Player v\.[0-9.]+\0+", c.banner), c.banner
    differences.add("version")

    said = False
    for i, m in enumerate(messages):
        is_data = not m[0] and m[1][16:20] == struct.pack(">I", p.DATA)
        if m[0]:
            after = messages[i + 1] if i + 1 < len(messages) else None
            # Publish the data that was queued before the request.
            if after and not after[0] and after[1][16:20] == struct.pack(">I", p.DATA):
                publish(puppet, after[2])
                said = True
            c.raw(m[1] + m[2])
            continue
        if is_data and not said:
            publish(puppet, m[2])
        said = said and not is_data
        compare(i, m, c.receive(), differences, server.port)
    assert c.silent(0.2), "more than was recorded"
    print(f"{len(messages)} messages; different by permission: {differences.count}")
    assert differences.count["setup"] == 1 and differences.count["synch"] == 1
    server.end()


if __name__ == "__main__":
    sys.exit(p.run([conversation]))
