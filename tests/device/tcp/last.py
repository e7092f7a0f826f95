#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The last messages of a connection arrive, whether the client or the server ends it.

last.py SERVER_PROGRAM [TEST ...]
"""
import array
import fcntl
import os
import socket
import struct
import sys
import termios
import threading
import time

import player as p

CONFIG = """
driver ( name "puppet" provides ["control:::opaque:0" "opaque:1"] )
driver ( name "puppet" provides ["opaque:2"] does "echo" )
driver ( name "puppet" provides ["control:::opaque:3" "opaque:4"] does "hold" )
driver ( name "puppet" provides ["opaque:5"] does "fail" )
driver ( name "puppet" provides ["opaque:6"] does "echo" )
"""
ROUNDS = max(1, 20 * int(os.environ.get("ACH_TEST_SCALE", "100")) // 100)


def await_sent(client):
    """Wait until the peer's kernel has acknowledged all sent bytes."""
    left = array.array("i", [1])
    end = time.monotonic() + p.LIMIT
    while left[0]:
        assert time.monotonic() < end, "the server does not read"
        fcntl.ioctl(client.socket, termios.TIOCOUTQ, left)
        time.sleep(0.001)


def close_with_reset(client):
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def count(client, n):
    for i in range(n):
        m = client.next()
        assert m.type == p.DATA, (i, m)


def reset(program):
    """If a client closes with unread data, its commands are still carried out.

    The close sends a reset, which must not discard commands that the server has received."""
    server = p.Server(program, CONFIG)
    observer = server.client(p.PUSH)
    observer.open(p.OPAQUE, 2)
    for _ in range(ROUNDS):
        c = server.client(p.PUSH)
        c.open(p.OPAQUE, 2)
        for _ in range(60):
            c.send(p.CMD, p.OPAQUE, 2, 1, p.opaque(b"x" * 8000))
        await_sent(c)
        c.close()
        count(observer, 60)
    server.end()


def behind_requests(program):
    """Commands queued behind requests_max requests are carried out after the client disconnects."""
    server = p.Server(program, CONFIG, "port 0 requests_max 4")
    observer, control = server.client(p.PUSH), server.puppet(3)
    observer.open(p.OPAQUE, 4)
    c = server.client(p.PUSH)
    c.open(p.OPAQUE, 4)
    c.open(p.OPAQUE, 3)
    for i in range(20):
        c.send(p.REQ, p.OPAQUE, 4, 1, p.opaque(b"x"), sequence=i + 1)
    c.send(p.CMD, p.OPAQUE, 3, 1, p.opaque(b"say 51 4 1 7 " + p.opaque(b"y").hex().encode()))
    await_sent(c)
    close_with_reset(c)
    count(observer, 7)
    control.close()
    server.end()


class Noise:
    """A client that makes a device publish continuously to all its subscribers."""

    def __init__(self, server, index):
        self.client, self.index, self.ending = server.client(p.PUSH), index, False
        self.client.open(p.OPAQUE, index)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        for _ in range(20):
            self.client.send(p.CMD, p.OPAQUE, self.index, 1, p.opaque(b"x"))
        while not self.ending:
            self.client.next()
            self.client.send(p.CMD, p.OPAQUE, self.index, 1, p.opaque(b"x"))

    def end(self):
        self.ending = True
        self.thread.join()
        self.client.close()


def lost_while_sending(program):
    """If a send finds the connection lost, commands received before are still carried out.

    In some of the rounds, SIGSTOP hits the server between poll and send: then the send fails."""
    server = p.Server(program, CONFIG)
    observer, noise = server.client(p.PUSH), Noise(server, 6)
    observer.open(p.OPAQUE, 2)
    for _ in range(5 * ROUNDS):
        c = server.client(p.PUSH)
        c.open(p.OPAQUE, 2)
        c.open(p.OPAQUE, 6)
        with p.stopped(server):
            for _ in range(20):
                c.send(p.CMD, p.OPAQUE, 2, 1, p.opaque(b"x"))
            await_sent(c)
            close_with_reset(c)
        count(observer, 20)
    noise.end()
    server.end()


def half_closed(program):
    """Commands before a half-close (SHUT_WR) are carried out."""
    server = p.Server(program, CONFIG)
    observer = server.client(p.PUSH)
    observer.open(p.OPAQUE, 2)
    for _ in range(ROUNDS):
        c = server.client(p.PUSH)
        c.open(p.OPAQUE, 2)
        for _ in range(20):
            c.send(p.CMD, p.OPAQUE, 2, 1, p.opaque(b"x"))
        c.socket.shutdown(socket.SHUT_WR)
        count(observer, 20)
        assert c.gone()
    server.end()


def small_client(server):
    """A client with a small receive buffer."""
    c = server.client(p.PUSH)
    c.close()
    c.socket = socket.socket()
    c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    c.socket.connect((server.address, server.port))
    c.banner = c.socket.recv(32)
    c.request(p.PLAYER, 0, p.DATAMODE, struct.pack(">I", p.PUSH))
    return c


def server_ends(program):
    """Data and answers in the queue of a slow client are sent before the server ends."""
    server = p.Server(program, CONFIG, "port 0 linger 60 send_buffer 4096")
    puppet, c = server.puppet(), small_client(server)
    c.open(p.OPAQUE, 1)
    c.open(p.OPAQUE, 2)
    puppet.say(p.OPAQUE, 1, 1, p.opaque(b"x" * 3000), 300)
    puppet.request(p.OPAQUE, 0, 1)
    c.send(p.REQ, p.OPAQUE, 2, 1, p.opaque(b"y"), sequence=77)
    ending = threading.Thread(target=server.end)
    ending.start()
    try:
        got = []
        try:
            while True:
                got.append(c.next())
        except p.Gone:
            pass
        assert sum(m.type == p.DATA for m in got) == 300, len(got)
        assert sum(m.sequence == 77 for m in got) == 1, [m.type for m in got[-3:]]
    finally:
        c.close()
        ending.join()


def taken_at_the_end(program):
    """A command queued behind requests_max requests is carried out when the server ends."""
    server = p.Server(program, CONFIG, "port 0 requests_max 4")
    c = server.client(p.PUSH)
    c.open(p.OPAQUE, 4)
    c.open(p.OPAQUE, 5)
    for i in range(20):
        c.send(p.REQ, p.OPAQUE, 4, 1, p.opaque(b"x"), sequence=i + 1)
    c.send(p.CMD, p.OPAQUE, 5, 1, p.opaque(b"x"))
    await_sent(c)
    server.end()
    c.close()
    assert "it always fails" in server.log(), server.log()


def server_does_not_wait_for_ever(program):
    """A client that does not read delays the end of the server by at most the option linger."""
    server = p.Server(program, CONFIG, "port 0 linger 1 send_buffer 4096")
    puppet, c = server.puppet(), small_client(server)
    c.open(p.OPAQUE, 1)
    puppet.say(p.OPAQUE, 1, 1, p.opaque(b"x" * 3000), 300)
    puppet.request(p.OPAQUE, 0, 1)
    server.end()
    c.close()


if __name__ == "__main__":
    sys.exit(p.run([reset, behind_requests, lost_while_sending, half_closed, server_ends,
                    taken_at_the_end, server_does_not_wait_for_ever]))
