#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""crowd.py SERVER_PROGRAM [TEST ...]

Users of one machine that take more of a server than they should. Each client is a process of its
own, which becomes that user before it connects.
"""
import os
import sys

from users import (ACK, DATA, DEVLIST, NACK, OPAQUE, OPEN, PLAYER, PUSH, STRANGER, Client, Server,
                   as_user, command, heard, player, prepare)


def test_listens_often(program):
    """Who may only look opens a device 32 times, and gets its data once until all are closed."""
    def look(server):
        c = Client(server.port, mode=PUSH)
        opened = [c.device(OPAQUE, 0, OPEN).type for _ in range(40)]
        assert opened == [ACK] * 32 + [NACK] * 8, opened
        for _ in range(31):
            assert c.device(OPAQUE, 0, player.CLOSE).type == ACK
        return c

    def hear(server, ready, go):
        c = look(server)
        os.write(ready, b"x")
        got = [heard(c), heard(c)]
        assert c.device(OPAQUE, 0, player.CLOSE).type == ACK
        os.write(ready, b"x")
        os.read(go, 1)
        assert c.request(PLAYER, 0, DEVLIST).type == ACK
        assert c.device(OPAQUE, 0, player.CLOSE).type == NACK
        return got + [m.type for m in c.others if m.type == DATA]

    ready, go = os.pipe(), os.pipe()
    with Server(program) as s:
        root = s.client(PUSH)
        root.open(OPAQUE, 0)
        pid = os.fork()
        if pid == 0:
            os.read(ready[0], 1)
            command(root, b"one")
            command(root, b"two")
            os.read(ready[0], 1)
            command(root, b"three")
            while heard(root) != b"three":
                pass
            os.write(go[1], b"x")
            os._exit(0)
        try:
            assert as_user(STRANGER, hear, s, ready[1], go[0]) == [b"one", b"two"]
        finally:
            os.waitpid(pid, 0)
    for fd in ready + go:
        os.close(fd)


if __name__ == "__main__":
    prepare()
    sys.exit(player.run([f for n, f in list(globals().items()) if n.startswith("test_")]))
