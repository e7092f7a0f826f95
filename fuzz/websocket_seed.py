#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""websocket_seed.py DIR: conversations with the viewer, as property_websocket reads them."""
import os
import struct
import sys

TEXT, BINARY, MESSAGE = 0, 11, 15


def message(kind, data):
    data = data.encode() if isinstance(data, str) else data
    return bytes([kind << 4 | len(data) >> 8, len(data) & 255]) + data


CDR = b"\0\1\0\0" + struct.pack("<dIIsI", 1.5, 1, 2, b"a", 0)
PAGE = [
    [(TEXT, '{"op":"watch","topic":1,"rate":10}'), (MESSAGE, CDR), (TEXT, '{"op":"unwatch","topic":1}')],
    [(TEXT, '{"op":"plot","plot":1,"topic":2,"fields":["x","a.b[0]"]}'), (MESSAGE, '{"x":1,"a":{"b":[2]}}'),
     (TEXT, '{"op":"unplot","plot":1}'), (TEXT, '{"op":"visible","visible":false}')],
    [(TEXT, '{"op":"watch","topic":4,"rate":50}'),
     (MESSAGE, '{"width":2,"height":1,"encoding":"mono8","step":2,"data":[1,2]}')],
    [(TEXT, '{"op":"watch","topic":5,"rate":50}'),
     (MESSAGE, '{"info":{"width":1,"height":1,"resolution":0.1,"origin":{"position":{"x":0,"y":1}}},"data":[9]}')],
    [(TEXT, '{"op":"drive","address":"position2d:0","forward":1,"turn":0}'),
     (TEXT, '{"op":"stop","address":"position2d:0"}'), (TEXT, '{"op":"goal","address":"p","x":1,"y":2,"a":3}'),
     (TEXT, '{"op":"joint","address":"actarray:0","joint":1,"speed":2}')],
    [(TEXT, '{"op":"play","speed":2}'), (TEXT, '{"op":"seek","time":1.5}'), (TEXT, '{"op":"step"}'),
     (TEXT, '{"op":"pause"}')],
]
FOXGLOVE = [
    [(TEXT, '{"op":"subscribe","subscriptions":[{"id":1,"channelId":1},{"id":2,"channelId":2}]}'),
     (MESSAGE, CDR), (TEXT, '{"op":"unsubscribe","subscriptionIds":[1,2]}')],
    [(TEXT, '{"op":"advertise","channels":[{"id":1,"topic":"fuzzed","encoding":"cdr","schemaName":"demo/T"}]}'),
     (BINARY, b"\1\1\0\0\0" + CDR), (TEXT, '{"op":"unadvertise","channelIds":[1]}')],
    [(TEXT, '{"op":"advertise","channels":[{"id":1,"topic":"/fuzzed","encoding":"json"}]}'),
     (BINARY, b'\1\1\0\0\0{"x":1,"names":["b"],"data":[1]}')],
    [(TEXT, '{"op":"subscribeConnectionGraph"}'), (TEXT, '{"op":"unsubscribeConnectionGraph"}')],
]


def main():
    folder = sys.argv[1]
    for protocol, talks in ((1, PAGE), (0, FOXGLOVE)):
        for number, talk in enumerate(talks):
            for file in (0, 2):
                data = bytes([protocol | file]) + b"".join(message(*m) for m in talk)
                with open(os.path.join(folder, f"{protocol}-{number}-{file}"), "wb") as f:
                    f.write(data)


main()
