# SPDX-License-Identifier: BSD-3-Clause
"""Frames of the relay's protocol, for tests that speak it themselves: see docs/relay.md."""
import struct

HELLO_KIND, OPEN, OPENED, REFUSED, DATA, MORE, ACK, PING, PONG, CLOSE = range(1, 11)


def frame(kind, body, flow=0, flags=1):
    return struct.pack("<IBBH", len(body) + 4, kind, flags, flow) + body


HELLO = frame(HELLO_KIND, b"ACHR\1\0" + struct.pack("<QIH", 5, 65664, 0))


def opens(name, number=0, frames=8, size=64, push=True, epoch=77):
    """OPEN for all messages of a channel with timestamps."""
    terms = struct.pack("<QQQIBBH", epoch, frames, size, 1, 1, 0, 0)
    request = bytes([push, 1, 4]) + struct.pack("<H", len(name)) + name + bytes(24)
    return frame(OPEN, request + terms, number)


def data(seq, message, gap=0, epoch=77, total=None, flow=0, generation=1):
    """DATA of a message that was first put into the channel of this epoch."""
    total = len(message) if total is None else total
    return frame(DATA, struct.pack("<QQQQQQQQI", seq, gap, epoch, seq, 0, 0, 0, 0, total) + message,
                 flow, generation)


def read(s):
    """The next frame from a socket: kind, flags, flow, body."""
    head = s.recv(8, 256)  # MSG_WAITALL
    if len(head) < 8:
        raise ConnectionError("the connection ended")
    length, kind, flags, flow = struct.unpack("<IBBH", head)
    return kind, flags, flow, s.recv(length - 4, 256) if length > 4 else b""


def more(part, flow=0, generation=1):
    """MORE: the next part of a message."""
    return frame(MORE, struct.pack("<Q", 9) + part, flow, generation)


def split(stream):
    """(kind, flow, body) of each complete frame in these bytes."""
    at = 0
    while at + 8 <= len(stream):
        size, kind, _, flow = struct.unpack_from("<IBBH", stream, at)
        if at + 4 + size > len(stream):
            return
        yield kind, flow, stream[at + 8:at + 4 + size]
        at += 4 + size
