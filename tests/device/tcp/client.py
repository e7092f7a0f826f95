#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The protocol as clients use it: pull and push mode, rules, requests, errors.

client.py SERVER_PROGRAM [TEST ...]
"""
import struct
import sys
import time

import player as p

CONFIG = """
driver ( name "puppet" provides ["control:::opaque:0" "position2d:0" "laser:0" "sonar:1"] )
driver ( name "vfh" provides ["position2d:5"] )
driver ( name "puppet" provides ["position2d:7"] does "echo" answer 7 )
"""
STATE = struct.pack(">6dI", 1, 2, 3, 4, 5, 6, 0)


def numbered(n):
    return struct.pack(">6dI", n, 0, 0, 0, 0, 0, 0)


served = p.served(lambda program: p.Server(program, CONFIG))


@served
def banner(server):
    c = server.client()
    assert len(c.banner) == 32, c.banner
    assert c.banner.startswith(b"Player v.") and c.banner.endswith(b"\0"), c.banner


@served
def addresses(server):
    """The server ignores host and port in clients' messages; its own messages have its address."""
    c = server.client()
    m = c.request(p.PLAYER, 0, p.DATAMODE, struct.pack(">I", p.PULL), host=77, robot=7777,
                  sequence=9, when=5.0)
    assert m.type == p.ACK and m.body == b"" and m.sequence == 9
    assert m.host == 0x0100007f and m.robot == server.port, m
    assert abs(m.time - time.time()) < 3600, m


@served
def devices(server):
    c = server.client()
    m = c.request(p.PLAYER, 0, p.DEVLIST)
    n, again = struct.unpack_from(">II", m.body)
    found = list(struct.iter_unpack(">4I", m.body[8:]))
    assert m.type == p.ACK and n == again == len(found) == 6, m
    assert found[1] == (0x0100007f, server.port, 4, 0), found
    m = c.request(p.PLAYER, 0, p.DRIVERINFO, struct.pack(">6I", 0, 0, 6, 0, 0, 0))
    assert m.body == struct.pack(">6I", 0x0100007f, server.port, 6, 0, 7, 7) + b"puppet\0\0", m
    m = c.request(p.PLAYER, 0, p.DRIVERINFO, struct.pack(">6I", 0, 0, 6, 9, 0, 0))
    assert m.type == p.NACK and m.body == b"", m


@served
def subscription(server):
    c = server.client(p.PULL)
    m = c.device(6, 0, p.OPEN)
    assert m.type == p.ACK
    assert m.body == struct.pack(">7I", 0x0100007f, server.port, 6, 0, 1, 7, 7) + b"puppet\0\0", m
    m = c.device(6, 9, p.OPEN)
    assert m.type == p.NACK, m
    assert m.body == struct.pack(">7I", 0x0100007f, server.port, 6, 9, 3, 0, 0), m
    m = c.device(6, 0, p.CLOSE)
    assert m.type == p.ACK and struct.unpack_from(">5I", m.body)[4] == p.CLOSE, m
    assert c.device(6, 0, p.CLOSE).type == p.NACK
    assert c.device(6, 0, 3).type == p.NACK
    assert c.device(6, 0, 9).type == p.NACK


@served
def push(server):
    puppet, c = server.puppet(), server.client(p.PUSH)
    c.open(p.POSITION2D, 0)
    for i in range(100):
        puppet.say(p.POSITION2D, 0, 1, numbered(i))
    for i in range(100):
        m = c.next()
        assert (m.type, m.interf, m.index, m.subtype, m.body) == (p.DATA, 4, 0, 1, numbered(i)), m
        assert m.host == 0x0100007f and m.robot == server.port
    c.device(p.POSITION2D, 0, p.CLOSE)
    puppet.say(p.POSITION2D, 0, 1, STATE)
    assert c.silent(0.2)


@served
def push_is_the_default(server):
    puppet, c = server.puppet(), server.client()
    c.open(p.POSITION2D, 0)
    puppet.say(p.POSITION2D, 0, 1, STATE)
    assert c.next().body == STATE


@served
def pull(server):
    puppet, c = server.puppet(), server.client(p.PULL)
    c.open(p.POSITION2D, 0)
    for i in range(5):
        puppet.say(p.POSITION2D, 0, 1, numbered(i))
    assert c.silent(0.3), "data came that nobody asked for"
    got = c.pull()
    assert [m.type for m in got] == [p.ACK] + [p.DATA] * 5 + [p.SYNCH], got
    assert [m.body for m in got[1:6]] == [numbered(i) for i in range(5)]
    assert got[0][2:6] == (1, 0, p.ACK, p.DATA_REQ) and got[0].body == b""


@served
def synch_follows_data(server):
    """Without data the server delays the SYNCH until there is some."""
    puppet, c = server.puppet(), server.client(p.PULL)
    c.open(p.POSITION2D, 0)
    c.send(p.REQ, p.PLAYER, 0, p.DATA_REQ)
    m = c.next()
    assert (m.type, m.subtype) == (p.ACK, p.DATA_REQ), m
    assert c.silent(0.3), "a SYNCH without data"
    puppet.say(p.POSITION2D, 0, 1, STATE)
    assert c.next().type == p.DATA
    m = c.next()
    assert (m.type, m.subtype, m.interf, m.body) == (p.SYNCH, p.SYNCH_OK, 1, b""), m
    puppet.say(p.POSITION2D, 0, 1, STATE)
    assert c.silent(0.3), "data came that nobody asked for"


@served
def answers_while_data_waits(server):
    """In pull mode requests are answered while data is queued; queued data may be sent first."""
    puppet, c = server.puppet(), server.client(p.PULL)
    c.open(p.POSITION2D, 0)
    puppet.say(p.POSITION2D, 0, 1, STATE, 3)
    time.sleep(0.2)
    m = c.request(p.POSITION2D, 0, 1)
    assert m.type == p.NACK, m
    assert all(o.type == p.DATA for o in c.others)
    puppet.say(p.POSITION2D, 0, 1, STATE)
    assert c.pull()[-1].type == p.SYNCH


@served
def both_modes(server):
    """A client may switch from pull to push mode."""
    puppet, c = server.puppet(), server.client(p.PULL)
    c.open(p.POSITION2D, 0)
    puppet.say(p.POSITION2D, 0, 1, numbered(1))
    assert c.silent(0.2)
    c.request(p.PLAYER, 0, p.DATAMODE, struct.pack(">I", p.PUSH))
    assert c.next().body == numbered(1)
    puppet.say(p.POSITION2D, 0, 1, numbered(2))
    assert c.next().body == numbered(2)
    m = c.request(p.PLAYER, 0, p.DATAMODE, struct.pack(">I", 3))
    assert m.type == p.NACK


@served
def rules(server):
    """Rules to replace, ignore and accept; the first rule that matches applies."""
    puppet, c = server.puppet(), server.client(p.PULL)
    c.open(p.POSITION2D, 0)
    c.open(6, 0)
    c.open(5, 1)
    assert c.rule(5, -1, -1, -1, 2).type == p.ACK      # sonar: ignored
    assert c.rule(6, 0, 1, 1, 0).type == p.ACK         # laser: all data
    assert c.rule(-1, -1, 1, -1, 1).type == p.ACK      # other devices: only the newest data
    assert c.rule(-1, -1, 1, -1, 3).type == p.NACK
    assert c.rule(-2, -1, 1, -1, 1).type == p.NACK
    for i in range(4):
        puppet.say(p.POSITION2D, 0, 1, numbered(i))
        puppet.say(6, 0, 1, bytes(4 * i))
        puppet.say(5, 1, 1, bytes(8))
    puppet.request(p.OPAQUE, 0, 1)  # answered after all data above is published
    got = [m for m in c.pull() if m.type == p.DATA]
    assert [m.body for m in got if m.interf == 4] == [numbered(3)], got
    assert [len(m.body) for m in got if m.interf == 6] == [0, 4, 8, 12], got
    assert not [m for m in got if m.interf == 5], got


@served
def requests(server):
    """An answer has the sequence, subtype and address of its request; a NACK also its time."""
    c = server.client(p.PULL)
    c.open(p.POSITION2D, 0)
    c.open(p.POSITION2D, 7)
    m = c.request(p.POSITION2D, 0, 1, sequence=5, when=1234.5)
    assert m == (0x0100007f, server.port, 4, 0, p.NACK, 1, 1234.5, 5, b""), m
    body = struct.pack(">I", 1)
    m = c.request(p.POSITION2D, 7, 2, body, sequence=6)
    assert (m.type, m.sequence, m.body) == (p.ACK, 6, body), m
    m = c.request(p.POSITION2D, 7, 255, struct.pack(">II", 2, 1))
    assert m.type == p.NACK and m.body == b"", m
    m = c.request(p.POSITION2D, 7, 255, struct.pack(">II", 3, 255))
    assert m.type == p.ACK, m
    name = struct.pack(">II", 7, 7) + b"answer\0\0"
    m = c.request(p.POSITION2D, 7, 254, name + bytes(4))
    assert m.type == p.ACK and m.body == name + struct.pack(">i", 7), m
    m = c.request(p.POSITION2D, 7, 253, name + struct.pack(">i", -5))
    assert m.type == p.ACK, m
    m = c.request(p.POSITION2D, 7, 254, name + bytes(4))
    assert m.body == name + struct.pack(">i", -5), m


@served
def many_in_order(server):
    """Requests that are sent at once are answered in their order."""
    c = server.client(p.PULL)
    c.open(p.POSITION2D, 7)
    n = 2000
    c.raw(b"".join(p.header(p.REQ, 4, 7, 2, 4, 0.0, i) + struct.pack(">I", i) for i in range(n)))
    assert [c.next().sequence for _ in range(n)] == list(range(n))


@served
def commands(server):
    """A command reaches the driver, which echoes it."""
    c = server.client(p.PUSH)
    c.open(p.POSITION2D, 7)
    body = struct.pack(">3dI", 0.5, 0, 0.1, 1)
    c.send(p.CMD, p.POSITION2D, 7, 1, body, host=1, robot=7777)
    m = c.next()
    assert (m.type, m.index, m.subtype, m.body) == (p.DATA, 7, 1, body), m


@served
def two_clients(server):
    """All subscribers get the data; rules and modes are per client."""
    puppet, a, b = server.puppet(), server.client(p.PUSH), server.client(p.PULL)
    a.open(p.POSITION2D, 0)
    b.open(p.POSITION2D, 0)
    b.rule(-1, -1, 1, -1, 1)
    for i in range(3):
        puppet.say(p.POSITION2D, 0, 1, numbered(i))
    assert [a.next().body for _ in range(3)] == [numbered(i) for i in range(3)]
    time.sleep(0.1)
    assert [m.body for m in b.pull() if m.type == p.DATA] == [numbered(2)]
    a.close()
    puppet.say(p.POSITION2D, 0, 1, STATE)
    assert [m.body for m in b.pull() if m.type == p.DATA] == [STATE]


@served
def not_known(server):
    """Unsupported requests get a NACK at once."""
    c = server.client(p.PULL)
    for subtype in (p.AUTH, p.NAMESERVICE, 6, 9, 11, 99, 101, 255, 0):
        m = c.request(p.PLAYER, 0, subtype, struct.pack(">II", 4, 4) + b"abcd")
        assert m.type == p.NACK and m.body == b"", m


TESTS = [banner, addresses, devices, subscription, push, push_is_the_default, pull,
         synch_follows_data, answers_while_data_waits, both_modes, rules, requests, many_in_order,
         commands, two_clients, not_known]

if __name__ == "__main__":
    sys.exit(p.run(TESTS))
