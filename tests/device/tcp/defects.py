#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Defects of the reference server that ours must not have.

defects.py SERVER_PROGRAM [TEST ...]
"""
import struct
import sys
import time

import player as p

CONFIG = """
driver ( name "puppet" provides ["control:::opaque:0" "position2d:0"] )
driver ( name "vfh" provides ["position2d:5"] )
driver ( name "puppet" provides ["position2d:7"] does "echo" )
"""
STATE = struct.pack(">6dI", 1, 2, 3, 4, 5, 6, 0)


def empty_bodies(program):
    """Requests to the server with empty or truncated bodies are refused."""
    server = p.Server(program, CONFIG)
    bodies = {p.DRIVERINFO: struct.pack(">6I", 0, 0, 4, 0, 0, 0),
              p.DEV: struct.pack(">7I", 0, 0, 4, 0, 1, 0, 0), p.DATAMODE: struct.pack(">I", 2),
              p.ADD_RULE: struct.pack(">5i", -1, -1, 1, -1, 1),
              p.AUTH: struct.pack(">II", 4, 4) + b"abcd"}
    c = server.client()
    for subtype, body in bodies.items():
        for n in range(len(body)):
            m = c.request(p.PLAYER, 0, subtype, body[:n])
            assert m.type == p.NACK, (subtype, n, m)
    for subtype in range(256):
        if subtype != p.DATA_REQ:
            m = c.request(p.PLAYER, 0, subtype)
            assert m.type == (p.ACK if subtype == p.DEVLIST else p.NACK), m
    server.end()


def synch_is_clean(program):
    server = p.Server(program, CONFIG)
    puppet, c = server.puppet(), server.client(p.PULL)
    c.open(p.POSITION2D, 0)
    for _ in range(20):
        puppet.say(p.POSITION2D, 0, 1, STATE)
        assert c.pull()[-1] == (0, 0, 1, 0, p.SYNCH, p.SYNCH_OK, 0.0, 0, b"")
    server.end()


def true_count_pull(program):
    """An overflow of 3,000 lost messages is reported once, with that count, before the SYNCH."""
    server = p.Server(program, CONFIG)
    puppet, c = server.puppet(), server.client(p.PULL)
    c.open(p.POSITION2D, 0)
    puppet.say(p.POSITION2D, 0, 1, STATE, 1024 + 3000)
    puppet.request(p.OPAQUE, 0, 1)
    got = c.pull()
    assert [m.type for m in got] == [p.ACK] + [p.DATA] * 1024 + [p.SYNCH] * 2, len(got)
    assert (got[-2].subtype, got[-2].body) == (p.SYNCH_OVERFLOW, struct.pack(">I", 3000)), got[-2]
    puppet.say(p.POSITION2D, 0, 1, STATE)
    assert [m.type for m in c.pull()] == [p.ACK, p.DATA, p.SYNCH]
    server.end()


def true_count_push(program):
    """A client that stops reading gets the exact number of messages that it lost."""
    server = p.Server(program, CONFIG, tcp="port 0 queue 100 send_buffer 8192")
    puppet, c = server.puppet(), server.client(p.PUSH)
    c.open(p.POSITION2D, 0)
    body = struct.pack(">6dI", *range(6), 0) * 30
    puppet.say(p.POSITION2D, 0, 1, body, 6000)
    puppet.request(p.OPAQUE, 0, 1)
    said, data, lost, told, last = 6000, 0, 0, 0, None
    while last != STATE:
        if data + lost == said:  # every message is accounted for, so the next one fits in the queue
            puppet.say(p.POSITION2D, 0, 1, STATE)
            said += 1
        m = c.next()
        if m.type == p.DATA:
            data, last = data + 1, m.body
        else:
            assert (m.type, m.subtype) == (p.SYNCH, p.SYNCH_OVERFLOW), m
            lost, told = lost + struct.unpack(">I", m.body)[0], told + 1
    assert lost > 0 and data + lost == said == 6001, (data, lost, said)
    print(f"        {data} came, {lost} were lost, told {told} times")
    server.end()


def failed_setup(program):
    """If a driver's setup fails, the subscription is refused, and the log has the reason."""
    server = p.Server(program, CONFIG)
    c = server.client(p.PULL)
    for _ in range(3):
        m = c.device(p.POSITION2D, 5, p.OPEN)
        assert m.type == p.NACK and struct.unpack_from(">5I", m.body)[4] == p.ERROR, m
    assert c.request(p.POSITION2D, 5, 1).type == p.NACK
    assert c.device(p.POSITION2D, 5, p.CLOSE).type == p.NACK
    assert "nothing to avoid obstacles with" in server.log()
    server.end()


def strangers_do_not_command(program):
    """Commands and requests of clients that have not subscribed are refused, and logged once."""
    server = p.Server(program, CONFIG)
    watcher, c = server.client(p.PUSH), server.client(p.PULL)
    watcher.open(p.POSITION2D, 7)
    for _ in range(50):
        c.send(p.CMD, p.POSITION2D, 7, 1, struct.pack(">3dI", 1, 0, 0, 1))
    for body in (b"", struct.pack(">I", 1)):
        assert c.request(p.POSITION2D, 7, 2, body).type == p.NACK
    assert c.request(p.POSITION2D, 7, 255, struct.pack(">II", 3, 255)).type == p.NACK
    assert c.request(p.POSITION2D, 7, 254, struct.pack(">II", 7, 7) + b"answer\0\0\0\0\0\0").type \
        == p.NACK
    assert watcher.silent(0.2), "a command from a stranger arrived"
    assert server.log().count("is refused") == 1, server.log()
    c.open(p.POSITION2D, 7)
    c.send(p.CMD, p.POSITION2D, 7, 1, struct.pack(">3dI", 1, 0, 0, 1))
    assert watcher.next().type == p.DATA
    c.device(p.POSITION2D, 7, p.CLOSE)
    c.send(p.CMD, p.POSITION2D, 7, 1, struct.pack(">3dI", 1, 0, 0, 1))
    assert c.request(p.POSITION2D, 7, 2).type == p.NACK
    assert watcher.silent(0.2), "a command after the end of a subscription arrived"
    server.end()


def listening_at(port):
    """The addresses that listen at this port, as /proc/net/tcp prints them."""
    with open("/proc/net/tcp", encoding="ascii") as f:
        rows = [line.split() for line in f.readlines()[1:]]
    return [r[1].split(":")[0] for r in rows if r[3] == "0A" and int(r[1].split(":")[1], 16) == port]


def loopback_only(program):
    """By default the server listens on loopback only."""
    server = p.Server(program, CONFIG)
    assert listening_at(server.port) == ["0100007F"], listening_at(server.port)
    server.end()
    server = p.Server(program, CONFIG, tcp='port 0 bind "0.0.0.0"')
    assert listening_at(server.port) == ["00000000"], listening_at(server.port)
    c = p.Client(server.port, p.loopback(3))
    first = int(p.loopback(3).split(".")[3])
    assert c.request(p.PLAYER, 0, p.DEVLIST).host >> 24 == first
    server.end()


def key(text):
    return struct.pack(">II", len(text), len(text)) + text + b"\0" * (-len(text) % 4)


def secret(program):
    """Without the secret nothing is served, and only a few guesses are permitted."""
    server = p.Server(program, CONFIG, tcp='port 0 secret "open sesame"')
    c = server.client(p.PULL)  # mode and rules of the own connection need no secret
    assert c.rule(-1, -1, 1, -1, 1).type == p.ACK
    assert c.request(p.PLAYER, 0, p.DEVLIST).type == p.NACK
    assert c.device(p.POSITION2D, 0, p.OPEN).type == p.NACK
    assert c.request(p.PLAYER, 0, p.DRIVERINFO, struct.pack(">6I", 0, 0, 4, 0, 0, 0)).type == p.NACK
    assert c.request(p.POSITION2D, 0, 1).type == p.NACK
    for wrong in (b"open sesam", b"open sesame!"):
        assert c.request(p.PLAYER, 0, p.AUTH, key(wrong)).type == p.NACK
    assert c.request(p.PLAYER, 0, p.AUTH, key(b"open sesame")).type == p.ACK
    c.open(p.POSITION2D, 0)
    assert c.request(p.PLAYER, 0, p.DEVLIST).type == p.ACK
    c = server.client()
    assert c.request(p.PLAYER, 0, p.AUTH, key(b"open sesame\0")).type == p.ACK
    c = server.client()
    for _ in range(3):
        c.send(p.REQ, p.PLAYER, 0, p.AUTH, key(b""))
    assert c.gone(), "it may guess on"
    c = server.client()
    start = time.monotonic()
    assert c.gone(), "a stranger may stay"
    assert time.monotonic() - start > 5
    server.end()


def answers_beside_data(program):
    """Requests that wait for the answer of one before them are handled, whoever sends that answer."""
    server = p.Server(program, CONFIG, tcp="port 0 requests_max 1")
    puppet, c = server.puppet(), server.client(p.PUSH)
    c.open(4, 0)
    c.open(4, 7)
    request = p.header(p.REQ, 4, 7, 2, 0)
    for _ in range(200):
        puppet.say(4, 0, 1, STATE, 400)
        c.raw(request * 100)
        for _ in range(100):
            assert c.answer(4, 7, 2).type == p.ACK
        c.others.clear()
    server.end()


if __name__ == "__main__":
    sys.exit(p.run([empty_bodies, synch_is_clean, true_count_pull, true_count_push, failed_setup,
                    strangers_do_not_command, loopback_only, secret,
                    answers_beside_data]))
