#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Servers that require devices of each other.

chain.py SERVER_PROGRAM [TEST ...]

Each server has its own loopback address: all can use the default port, and a restarted server gets
the same port.
"""
import os
import struct
import sys
import time

import player as p

VELOCITY = struct.pack(">3dI", 0.5, 0, 0.1, 1)


def passer(here, host, there):
    return f'driver ( name "passer" provides ["position2d:{here}"] ' \
           f'requires ["{host}:6665:position2d:{there}"] )'


def server(program, n, config, secret="", number=0):
    """Start server n. The robot number only shows in the path of an error message."""
    return p.Server(program, config, tcp=f'port 6665 bind "{p.loopback(n)}" {secret}',
                    address=p.loopback(n), number=number)


def counts(c, n):
    """The values of the next n messages of a ticker."""
    got = []
    while len(got) < n:
        m = c.next()
        if m.type == p.DATA:
            got.append(struct.unpack_from(">d", m.body)[0])
    return got


def ticking_chain(program):
    """Three servers a, b and c: c's ticker is passed on by b and a."""
    c = server(program, 2, 'driver ( name "ticker" provides ["position2d:2"] rate 50 )')
    b = server(program, 1, passer(1, p.loopback(2), 2))
    a = server(program, 0, passer(0, p.loopback(1), 1))
    return a, b, c


def data_flows(program):
    a, b, c = ticking_chain(program)
    client = a.client(p.PUSH)
    client.open(p.POSITION2D, 0)
    got = counts(client, 20)
    assert got == list(range(int(got[0]), int(got[0]) + 20)), got
    # A required device of another server is not listed.
    m = client.request(p.PLAYER, 0, p.DEVLIST)
    assert struct.unpack_from(">I", m.body)[0] == 1, m
    # When the last subscriber leaves, each server disconnects from the next.
    client.close()
    for s in (b, c):
        assert s.logged("the connection of client"), s.log()
    for s in (a, b, c):
        s.end()


def requests_and_commands(program):
    """Commands, requests and answers pass through three servers; ACH_SECRET is sent to the last."""
    os.environ["ACH_SECRET"] = "xyzzy"
    c = server(program, 2, 'driver ( name "puppet" provides ["position2d:2"] does "echo" )',
               secret='secret "xyzzy"')
    b = server(program, 1, passer(1, p.loopback(2), 2))
    a = server(program, 0, passer(0, p.loopback(1), 1))
    client = a.client(p.PUSH)
    client.open(p.POSITION2D, 0)
    client.send(p.CMD, p.POSITION2D, 0, 1, VELOCITY)
    assert client.next().body == VELOCITY
    body = struct.pack(">I", 1)
    for i in range(20):
        m = client.request(p.POSITION2D, 0, 2, body, sequence=100 + i)
        assert (m.type, m.sequence, m.body) == (p.ACK, 100 + i, body), m
    for s in (a, b, c):
        s.end()
    del os.environ["ACH_SECRET"]


def wrong_secret(program):
    b = server(program, 1, 'driver ( name "puppet" provides ["position2d:1"] )',
               secret='secret "xyzzy"')
    a = server(program, 0, passer(0, p.loopback(1), 1))
    client = a.client(p.PUSH)
    assert client.device(p.POSITION2D, 0, p.OPEN).type == p.NACK
    assert a.logged("ACH_SECRET"), a.log()
    for s in (a, b):
        s.end()


def peer_comes_back(program):
    """When the last of three servers is killed and restarted, data flows again."""
    a, b, c = ticking_chain(program)
    client = a.client(p.PUSH)
    client.open(p.POSITION2D, 0)
    counts(client, 5)
    c.kill()
    try:
        while True:
            client.receive(1.0)
    except p.Late:
        pass
    assert b.logged("next attempt in"), b.log()
    c.start()
    assert counts(client, 5)[0] < 1e6
    # The same for the server in the middle.
    b.kill()
    assert a.logged("next attempt in"), a.log()
    b.start()
    client.others.clear()
    counts(client, 5)
    for s in (a, b, c):
        s.end()


def peer_is_not_there(program):
    """If no server listens, the subscription fails, and the log has the reason."""
    a = server(program, 0, passer(0, p.loopback(1), 1))
    client = a.client(p.PULL)
    m = client.device(p.POSITION2D, 0, p.OPEN)
    assert m.type == p.NACK and struct.unpack_from(">5I", m.body)[4] == p.ERROR, m
    assert "refused" in a.log(), a.log()
    # Once the other server runs, the next subscription succeeds.
    b = server(program, 1, 'driver ( name "ticker" provides ["position2d:1"] rate 50 )')
    client.open(p.POSITION2D, 0)
    m = client.device(p.POSITION2D, 0, p.CLOSE)
    assert m.type == p.ACK, m
    for s in (a, b):
        s.end()


def reasons_travel(program):
    """If the last server's driver fails to set up, the reason is in the first server's log."""
    c = server(program, 2, 'driver ( name "vfh" provides ["position2d:2"] )')
    b = server(program, 1, passer(1, p.loopback(2), 2))
    a = server(program, 0, passer(0, p.loopback(1), 1))
    client = a.client(p.PULL)
    assert client.device(p.POSITION2D, 0, p.OPEN).type == p.NACK
    assert "nothing to avoid obstacles with" in a.log(), a.log()
    for s in (a, b, c):
        s.end()


def circle(program):
    """A requires B, B requires C, C requires A: refused, with the path in the log."""
    servers = [server(program, n, passer(n, p.loopback((n + 1) % 3), (n + 1) % 3),
                      number=7000 + n) for n in range(3)]
    host = os.uname().nodename
    for n in range(3):
        client = servers[n].client(p.PULL)
        start = time.monotonic()
        m = client.device(p.POSITION2D, n, p.OPEN)
        assert m.type == p.NACK, m
        path = " -> ".join(f"{host}:{7000 + i % 3}:position2d:{i % 3}" for i in range(n, n + 4))
        assert path in servers[n].log(), f"{path} is not in {servers[n].log()}"
        print(f"        {path} ({time.monotonic() - start:.3f} s)")
        client.close()
    for s in servers:
        s.end()


def circle_at_once(program):
    """Simultaneous subscriptions in a circle of servers are refused; the servers keep working."""
    servers = [server(program, n, passer(n, p.loopback((n + 1) % 3), (n + 1) % 3) +
                      f' driver ( name "ticker" provides ["position2d:{10 + n}"] rate 50 )')
               for n in range(3)]
    clients = [s.client(p.PUSH) for s in servers]
    for n, c in enumerate(clients):
        c.send(p.REQ, p.PLAYER, 0, p.DEV, struct.pack(">7I", 0, 0, 4, n, p.OPEN, 0, 0))
    for c in clients:
        assert c.answer(p.PLAYER, 0, p.DEV).type == p.NACK
    for n, c in enumerate(clients):
        c.open(p.POSITION2D, 10 + n)
        counts(c, 2)
    for s in servers:
        s.end()


def to_and_fro(program):
    """Two servers may require different devices of each other: that is not a circle."""
    a = server(program, 0, passer(0, p.loopback(1), 1) +
               ' driver ( name "ticker" provides ["position2d:10"] rate 50 )')
    b = server(program, 1, passer(1, p.loopback(0), 10))
    client = a.client(p.PUSH)
    client.open(p.POSITION2D, 0)
    counts(client, 5)
    client.close()
    for s in (a, b):
        s.end()


def itself(program):
    """A device that requires itself by the server's address is refused as a circle."""
    a = server(program, 0, passer(0, p.loopback(0), 0), number=7000)
    client = a.client(p.PULL)
    assert client.device(p.POSITION2D, 0, p.OPEN).type == p.NACK
    assert "7000:position2d:0 -> " in a.log(), a.log()
    a.end()


def many_robots(program):
    """Devices with another robot number are served at the port of that number."""
    spare = p.loopback(5)
    a = p.Server(program, """
        driver ( name "puppet" does "echo" provides ["position2d:0"] )
        driver ( name "ticker" provides ["7005:position2d:0"] rate 50 )""",
                 tcp=f'port 6665 bind "{spare}"', address=spare)
    first, second = p.Client(6665, spare, p.PUSH), p.Client(7005, spare, p.PUSH)
    first.open(p.POSITION2D, 0)
    second.open(p.POSITION2D, 0)
    assert counts(second, 1) and second.next().robot == 7005
    first.send(p.CMD, p.POSITION2D, 0, 1, VELOCITY)
    m = first.next()
    assert m.body == VELOCITY and m.robot == 6665
    for client, robot in ((first, 6665), (second, 7005)):  # each port lists its own devices
        body = client.request(p.PLAYER, 0, p.DEVLIST).body
        assert [d[1] for d in struct.iter_unpack(">4I", body[8:])] == [robot], body
    a.end()


if __name__ == "__main__":
    sys.exit(p.run([data_flows, requests_and_commands, wrong_secret, peer_comes_back,
                    peer_is_not_there, reasons_travel, circle, circle_at_once, to_and_fro, itself, many_robots]))
