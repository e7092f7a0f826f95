#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hostile or broken clients do not affect other clients.

hostile.py SERVER_PROGRAM [TEST ...]
"""
import os
import random
import socket
import struct
import sys
import time

import player as p

CONFIG = """
driver ( name "puppet" provides ["control:::opaque:0" "position2d:0"] )
driver ( name "puppet" provides ["position2d:7" "opaque:7"] does "echo" )
driver ( name "puppet" provides ["position2d:8" "control:::opaque:8"] does "hold" )
driver ( name "ticker" provides ["position2d:9"] rate 100 )
"""
STATE = struct.pack(">6dI", 1, 2, 3, 4, 5, 6, 0)
SCALE = int(os.environ.get("ACH_TEST_SCALE", "100"))


def scaled(n):
    return max(1, n * SCALE // 100)


class Witness:
    """An honest client. The server must serve it whatever else happens."""

    def __init__(self, server):
        self.client = server.client(p.PUSH)
        self.client.open(p.POSITION2D, 7)
        self.count = 0

    def check(self):
        self.count += 1
        body = struct.pack(">3dI", self.count, 0, 0, 0)
        self.client.send(p.CMD, p.POSITION2D, 7, 1, body)
        assert self.client.next().body == body


def memory(server):
    """Resident memory of the server, in bytes."""
    with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


served = p.served(lambda program: p.Server(program, CONFIG), Witness)


@served
def garbage(server, witness):
    """Random bytes end the connection, with a line in the log."""
    rng = random.Random(1)
    for i in range(scaled(200)):
        c = server.client()
        try:
            c.raw(bytes(rng.randrange(256) for _ in range(rng.choice([40, 41, 100, 5000]))))
        except ConnectionError:
            pass
        assert c.gone(), i
        c.close()
        if i % 20 == 0:
            witness.check()
    witness.check()
    assert "not a message" in server.log()


@served
def bad_headers(server, witness):
    """Invalid types, interfaces, subtypes and sizes end the connection."""
    for words in [(4, 0, 0, 1, 0), (4, 0, 7, 1, 0), (4, 0, 1, 1, 0), (4, 0, 4, 1, 0),
                  (4, 0, 5, 1, 0), (4, 0, 6, 1, 0), (70000, 0, 3, 1, 0), (4, 70000, 3, 1, 0),
                  (4, 0, 3, 256, 0), (4, 0, 3, 1, 0xffffffff), (4, 0, 3, 1, 1 << 25),
                  (4, 0, 2, 1, (1 << 20) + 1)]:
        interf, index, mtype, subtype, size = words
        c = server.client()
        c.raw(p.header(mtype, interf, index, subtype, size))
        assert c.gone(), words
        c.close()
        witness.check()


@served
def huge_claims(server, witness):
    """The server allocates no memory for a claimed size until the bytes come."""
    before = memory(server)
    clients = []
    for _ in range(100):
        c = server.client()
        c.raw(p.header(p.REQ, p.OPAQUE, 7, 1, 1 << 20) + bytes(100))
        clients.append(c)
    witness.check()
    assert memory(server) - before < 20 << 20, memory(server) - before
    for c in clients:
        c.close()


@served
def largest(server, witness):
    """The largest message that is allowed, in small pieces."""
    c = server.client(p.PUSH)
    c.open(p.OPAQUE, 7)
    body = p.opaque(bytes(range(256)) * 4095)
    whole = p.header(p.CMD, p.OPAQUE, 7, 1, len(body)) + body
    for i in range(0, len(whole), 50001):
        c.raw(whole[i:i + 50001])
    assert c.next().body == body
    witness.check()


@served
def half_messages(server, witness):
    """A message may come byte by byte; a client that stops in the middle delays no other."""
    c = server.client(p.PULL)
    c.open(p.POSITION2D, 7)
    for byte in p.header(p.REQ, 4, 7, 2, 4, 0.0, 77) + struct.pack(">I", 1):
        c.raw(bytes([byte]))
        time.sleep(0.001)
    assert c.next().sequence == 77
    left = []
    for n in (1, 20, 39, 40, 50):
        d = server.client()
        d.raw((p.header(p.REQ, p.PLAYER, 0, p.DEV, 28) + bytes(28))[:n])
        left.append(d)
        witness.check()
    for d in left[::2]:
        d.close()
    witness.check()


@served
def nothing(server, witness):
    """Connections that send nothing, that are closed at once, that are reset."""
    idle = [server.client() for _ in range(scaled(200))]
    witness.check()
    for i, c in enumerate(idle):
        if i % 3 == 0:
            c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if i % 3 != 2:
            c.close()
    for _ in range(100):
        socket.create_connection(("127.0.0.1", server.port)).close()
    witness.check()


@served
def never_reads(server, witness):
    """If a client sends requests and reads no answers, the server stops reading from it."""
    c = server.client()
    before = memory(server)
    c.socket.settimeout(2)
    ask = p.header(p.REQ, p.PLAYER, 0, p.DEVLIST, 0) * 1000
    try:
        for _ in range(2000):
            c.socket.sendall(ask)
        stuck = False
    except TimeoutError:
        stuck = True
    assert stuck, "80 MB of requests were taken without an answer being read"
    witness.check()
    assert memory(server) - before < 20 << 20, memory(server) - before
    c.close()
    witness.check()


@served
def held_requests(server, witness):
    """If a driver does not answer, the number of a client's pending requests is limited."""
    boss, c = server.puppet(8), server.client(p.PULL)
    c.open(p.POSITION2D, 8)
    n = 1000
    c.raw(b"".join(p.header(p.REQ, 4, 8, 1, 0, 0.0, i) for i in range(n)))
    witness.check()
    assert c.silent(0.1)
    got = 0
    while got < n:
        boss.tell("answer")
        try:
            while True:
                assert c.receive(0.05).type == p.NACK
                got += 1
        except p.Late:
            pass
    assert got == n
    witness.check()


@served
def stopped_client(server, witness):
    """A client that stops reading does not delay the others."""
    stopped = server.client(p.PUSH)
    stopped.open(p.POSITION2D, 0)
    stopped.open(p.POSITION2D, 9)
    puppet, c = server.puppet(), server.client(p.PUSH)
    c.open(p.POSITION2D, 0)
    n = scaled(3000)
    for i in range(n):
        puppet.say(p.POSITION2D, 0, 1, struct.pack(">6dI", i, 0, 0, 0, 0, 0, 0) * 20)
        m = c.next()
        assert (m.type, struct.unpack_from(">d", m.body)[0]) == (p.DATA, i), m
    witness.check()


@served
def leaves_in_the_middle(server, witness):
    """Clients that disconnect while data flows and requests are pending."""
    boss = server.puppet(8)
    for i in range(scaled(60)):
        c = server.client(p.PUSH if i % 2 else p.PULL)
        c.open(p.POSITION2D, 9)
        c.open(p.POSITION2D, 8)
        c.send(p.REQ, p.POSITION2D, 8, 1)
        c.send(p.REQ, p.PLAYER, 0, p.DATA_REQ)
        c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        c.close()
        boss.tell("answer")
    witness.check()


def slow_setup(program):
    """A subscription that waits for a driver's setup counts as a pending request. Beyond the limit
    the server stops reading from the client; after the setup all are answered, in order."""
    config = CONFIG + 'driver ( name "puppet" provides ["laser:3"] setup_ms 1500 )\n'
    server = p.Server(program, config, tcp="port 0 requests_max 4")
    c = server.client(p.PULL)
    ask = struct.pack(">7I", 0, 0, 6, 3, p.OPEN, 0, 0)
    c.raw(b"".join(p.header(p.REQ, p.PLAYER, 0, p.DEV, len(ask), 0.0, i) + ask for i in range(6)))
    c.raw(p.header(p.REQ, p.PLAYER, 0, p.DEVLIST, 0, 0.0, 100))
    got = [c.receive(p.LIMIT) for _ in range(7)]
    assert [m.sequence for m in got] == [0, 1, 2, 3, 4, 5, 100], got
    assert all(m.type == p.ACK for m in got), got
    for i in range(20):
        assert c.device(6, 3, p.OPEN).type == p.ACK
    server.end()


def second_open_pending(program):
    """A close during a second, pending subscription cancels that one: the first remains."""
    config = CONFIG + 'driver ( name "puppet" provides ["control:::opaque:5" "position2d:5"] ' \
        'does "echo" setup_ms 1500 )\n'
    server = p.Server(program, config)
    c = server.client(p.PUSH)
    c.open(p.OPAQUE, 5)
    c.open(p.POSITION2D, 5)
    c.send(p.CMD, p.OPAQUE, 5, 1, p.opaque(b"die"))
    assert server.logged("has failed; next attempt in")
    asks = [struct.pack(">7I", 0, 0, p.POSITION2D, 5, access, 0, 0)
            for access in (p.OPEN, p.CLOSE)]
    for i, ask in enumerate(asks):
        c.raw(p.header(p.REQ, p.PLAYER, 0, p.DEV, len(ask), 0.0, i + 1) + ask)
    answers = {m.sequence: m.type for m in (c.next(), c.next())}
    assert answers == {1: p.NACK, 2: p.ACK}, answers
    body, end = struct.pack(">3dI", 1, 2, 3, 0), time.monotonic() + p.LIMIT
    while True:  # until the driver is set up again
        c.send(p.CMD, p.POSITION2D, 5, 1, body)
        try:
            assert c.receive(0.2).body == body
            break
        except p.Late:
            assert time.monotonic() < end, "no longer subscribed"
    assert c.device(p.POSITION2D, 5, p.CLOSE).type == p.ACK
    server.end()


def few_clients(program):
    """Beyond clients_max, clients are rejected until another one disconnects."""
    server = p.Server(program, CONFIG, tcp="port 0 clients_max 3")
    clients = [server.client(p.PULL) for _ in range(3)]
    extra = socket.create_connection(("127.0.0.1", server.port), timeout=p.LIMIT)
    assert extra.recv(32) == b""
    for _ in range(50):
        with socket.create_connection(("127.0.0.1", server.port), timeout=p.LIMIT) as extra:
            assert extra.recv(32) == b""
    for c in clients:
        assert c.request(p.PLAYER, 0, p.DEVLIST).type == p.ACK
    assert server.logged("a client is turned away: there are already 3 clients")
    assert server.log().count("turned away") <= 2, server.log()
    assert server.logged(
        "clients were turned away within 10 s, the last one because there are already 3 clients")
    clients.pop().close()
    end = time.monotonic() + p.LIMIT
    while True:
        try:
            c = p.Client(server.port)
        except ConnectionError:
            c = None
        if c and c.banner:
            break
        assert time.monotonic() < end, "never let in again"
        time.sleep(0.05)
    assert c.request(p.PLAYER, 0, p.DEVLIST).type == p.ACK
    server.end()


def few_subscriptions(program):
    server = p.Server(program, CONFIG, tcp="port 0 subscriptions_max 2")
    c = server.client(p.PULL)
    c.open(p.POSITION2D, 0)
    c.open(p.POSITION2D, 7)
    c.open(p.POSITION2D, 0)
    assert c.device(p.POSITION2D, 8, p.OPEN).type == p.NACK
    server.end()


def no_descriptors(program):
    """Without descriptors new clients are rejected and old ones stay; later ones are accepted."""
    server = p.Server(program, CONFIG)
    witness = Witness(server)
    limit = len(os.listdir(f"/proc/{server.process.pid}/fd")) + 5
    os.system(f"prlimit --pid {server.process.pid} --nofile={limit}:{limit}")
    clients = []
    for _ in range(20):
        try:  # a client without a request would be replaced by the next one
            clients.append(server.client())
            clients[-1].request(p.PLAYER, 0, p.DEVLIST)
        except (ConnectionError, p.Gone):
            pass
    witness.check()
    assert server.logged("no more file descriptors")
    for c in clients:
        c.close()
    witness.check()
    end = time.monotonic() + p.LIMIT
    while True:
        try:
            c = p.Client(server.port)
        except ConnectionError:
            c = None
        if c and c.banner:
            break
        assert time.monotonic() < end, "never let in again"
        time.sleep(0.05)
    assert c.request(p.PLAYER, 0, p.DEVLIST).type == p.ACK
    server.end()


def cpu(server):
    """CPU time that the server has used, in seconds."""
    with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as f:
        words = f.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def not_one_descriptor(program):
    """Without a descriptor even to reject clients, they wait: the server accepts them later."""
    server = p.Server(program, CONFIG)
    witness = Witness(server)
    used = len(os.listdir(f"/proc/{server.process.pid}/fd"))
    os.system(f"prlimit --pid {server.process.pid} --nofile=1:{used + 50}")
    waiting = [socket.create_connection(("127.0.0.1", server.port), timeout=p.LIMIT)
               for _ in range(3)]
    time.sleep(0.5)
    before = cpu(server)
    time.sleep(2)
    assert cpu(server) - before < 1, cpu(server) - before
    witness.check()
    os.system(f"prlimit --pid {server.process.pid} --nofile={used + 50}:{used + 50}")
    for c in waiting:
        assert len(c.recv(32)) == 32
        c.close()
    witness.check()
    server.end()


def bad_options(program):
    """Invalid options are refused with an error message."""
    for tcp, what in [("port 70000", "from 0 to 65535"), ('port "x"', "number"),
                      (f'secret "{"x" * 33}"', "32 characters"), ("clients_max 0", "from 1"),
                      ('bind "nowhere.invalid"', "cannot listen on nowhere.invalid")]:
        try:
            p.Server(program, CONFIG, tcp=tcp)
        except AssertionError as e:
            assert what in str(e) or "is wrong" in str(e), e
        else:
            raise AssertionError(f"{tcp} was taken")


if __name__ == "__main__":
    sys.exit(p.run([garbage, bad_headers, huge_claims, largest, half_messages, nothing, never_reads,
                    held_requests, slow_setup, second_open_pending, stopped_client, leaves_in_the_middle, few_clients,
                    few_subscriptions, no_descriptors, not_one_descriptor, bad_options]))
