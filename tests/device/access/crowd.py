#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""crowd.py SERVER_PROGRAM [TEST ...]

Local users that claim more than their share of a server. Each client is a separate process that
changes to its user before it connects.
"""
import os
import signal
import struct
import sys

from users import (ACK, DATA, DATAMODE, DEVLIST, MEMBER, NACK, NAMED, OPAQUE, OPEN, OWNER, PLAYER,
                   PUSH, ROOT, STRANGER, UNLISTED, Client, Server, as_user, become, command, heard,
                   player, prepare)


def test_listens_often(program):
    """A read-only user can open a device 32 times; it gets data once each, until the last close."""
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


def test_guesses(program):
    """Wrong secrets delay only the user that sends them."""
    def show(port, secret, times):
        c = Client(port)
        body = struct.pack(">II", len(secret), len(secret)) + secret
        ask = player.header(player.REQ, PLAYER, 0, player.AUTH, len(body)) + body
        c.raw(ask * times)
        return c

    def guess(port):
        return len([show(port, b"0000", 3) for _ in range(100)])

    def know(port):
        return show(port, b"open sesame!", 1).answer(PLAYER, 0, player.AUTH).type == ACK

    def hold(port, ready, go):
        kept = [show(port, b"0000", 3) for _ in range(100)]
        os.write(ready, b"x")
        os.read(go, 1)
        return len(kept)

    ready, go = os.pipe(), os.pipe()
    with Server(program, tcp='port 0 secret "open sesame!"') as s:
        assert as_user(STRANGER, guess, s.port) == 100
        pid = os.fork()
        if pid == 0:
            as_user(STRANGER, hold, s.port, ready[1], go[0])
            os._exit(0)
        try:
            os.read(ready[0], 1)
            for uid in (MEMBER, OWNER, ROOT):
                assert as_user(uid, know, s.port), s.log()
            assert "the secret is short" not in s.log()
        finally:
            os.write(go[1], b"x")
            os.waitpid(pid, 0)
    for fd in ready + go:
        os.close(fd)


class Crowd:
    """Connections held by one process of a user. The process runs until end() is called."""
    left = set()  # processes to kill, because a failed test did not end them

    def __init__(self, uid, port, count, speak):
        self.uid, self.lines = uid, os.pipe()
        self.orders = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                become(uid)
                self.run(port, count, speak)
            finally:
                os._exit(0)
        self.left.add(self.pid)
        os.close(self.lines[1])
        os.close(self.orders[0])
        self.answers = os.fdopen(self.lines[0])
        assert self.answers.readline() == "ready\n", f"no clients of user {uid}"

    def run(self, port, count, speak):
        clients = []
        for _ in range(count):
            clients.append(Client(port))
            speak(clients[-1])
        os.write(self.lines[1], b"ready\n")
        while os.read(self.orders[0], 1) == b"?":
            os.write(self.lines[1], b"%d\n" % sum(is_served(c) for c in clients))

    def served(self):
        """The number of connections that still get answers."""
        os.write(self.orders[1], b"?")
        return int(self.answers.readline())

    def end(self):
        os.write(self.orders[1], b".")
        os.close(self.orders[1])
        self.answers.close()
        os.waitpid(self.pid, 0)
        self.left.remove(self.pid)


def is_served(client):
    try:
        return client.request(PLAYER, 0, DATAMODE, struct.pack(">I", PUSH)).type == ACK
    except (player.Gone, OSError):
        return False


def say_one_thing(client):
    assert is_served(client)


def subscribe(client):
    client.open(OPAQUE, 0)


def is_let_in(port):
    c = Client(port)
    return bool(c.banner) and is_served(c) and c.request(PLAYER, 0, DEVLIST).type == ACK


def is_greeted(port):
    try:
        return bool(Client(port).banner)
    except OSError:
        return False


def test_no_rights(program):
    """A user without rights fills the table with active connections. New clients replace these, the
    oldest first; connections of users with rights are kept."""
    with Server(program, 'access ( mode "0660" group "robot" )', "port 0 clients_max 20") as s:
        member = Crowd(MEMBER, s.port, 3, subscribe)
        stranger = Crowd(STRANGER, s.port, 17, say_one_thing)
        assert stranger.served() == 17
        for uid in (OWNER, ROOT, MEMBER):
            assert as_user(uid, is_let_in, s.port), f"user {uid} is locked out: {s.log()}"
        more = Crowd(STRANGER, s.port, 30, lambda c: None)
        assert member.served() == 3, s.log()
        assert as_user(OWNER, is_let_in, s.port), s.log()
        assert s.logged("its user has no rights here, and another client needed its place"), s.log()
        for crowd in (member, stranger, more):
            crowd.end()


def test_many_readers(program):
    """A read-only user holds all connections. Clients of other users replace some of these."""
    with Server(program, tcp="port 0 clients_max 20") as s:
        stranger = Crowd(STRANGER, s.port, 20, subscribe)
        crowds = [Crowd(uid, s.port, 1, subscribe) for uid in (MEMBER, NAMED, OWNER, ROOT)]
        assert stranger.served() == 16, s.log()
        assert not as_user(STRANGER, is_greeted, s.port)
        assert [c.served() for c in crowds] == [1, 1, 1, 1], s.log()
        for crowd in crowds + [stranger]:
            crowd.end()


def test_many_users(program):
    """If the table is full with one connection per user, only the owner and root are accepted."""
    with Server(program, tcp="port 0 clients_max 3") as s:
        crowds = [Crowd(uid, s.port, 1, subscribe) for uid in (MEMBER, NAMED, STRANGER)]
        assert not as_user(UNLISTED, is_greeted, s.port)
        assert [c.served() for c in crowds] == [1, 1, 1], s.log()
        owner = Crowd(OWNER, s.port, 1, subscribe)
        root = Crowd(ROOT, s.port, 1, subscribe)
        assert (owner.served(), root.served()) == (1, 1), s.log()
        assert sum(c.served() for c in crowds) == 1, s.log()
        for crowd in crowds + [owner, root]:
            crowd.end()


if __name__ == "__main__":
    prepare()
    try:
        sys.exit(player.run([f for n, f in list(globals().items()) if n.startswith("test_")]))
    finally:
        for left in Crowd.left:
            os.kill(left, signal.SIGKILL)
