#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Clients that try to exhaust the server. At all times its memory stays below the bound that its
options state, an honest client is served, and no request is left without an answer.

attacks.py SERVER_PROGRAM [TEST ...]
"""
import os
import re
import socket
import struct
import sys
import tempfile
import threading
import time

import player as p

MAP, GET_DATA = 42, 2
ROUTE = 100  # a request of Ach's own: the path of servers that led to this connection
SIDE = 2048  # cells, for a map of 4 MiB
CONFIG = f"""
driver ( name "atlas" provides ["map:0"] side {SIDE} noise no )
driver ( name "atlas" provides ["map:1"] side 512 )
driver ( name "puppet" provides ["position2d:7" "opaque:7"] does "echo" )
driver ( name "puppet" provides ["control:::opaque:8" "position2d:8" "map:8"] does "hold" )
driver ( name "puppet" provides ["opaque:9"] sleep_ms 20 )
driver ( name "puppet" provides ["position2d:6"] does "fail" )
"""
MIB = 1 << 20
MEMORY = 32 * MIB  # the option 'memory' of the servers
SLACK = 64 * MIB  # for the program, one map being compressed, and memory that malloc caches
ASK = struct.pack(">7I", 0, 0, SIDE, SIDE, 0, 0, 0)


def scaled(n):
    return max(1, n * int(os.environ.get("ACH_TEST_SCALE", "100")) // 100)


def status(server, name):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as f:
        for line in f:
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
    raise AssertionError(f"no {name}")


def sanitized(program):
    """Sanitizers keep freed and shadow memory, so their memory use cannot be compared."""
    with open(program, "rb") as f:
        text = f.read()
    return b"__asan_init" in text or b"__tsan_init" in text


class Witness:
    """An honest client that sends requests continuously, in a separate thread."""

    def __init__(self, server, secret=None):
        self.client = server.client()
        if secret:
            key = secret.encode()
            body = struct.pack(">II", len(key), len(key)) + key + bytes(-len(key) % 4)
            assert self.client.request(p.PLAYER, 0, p.AUTH, body).type == p.ACK
        self.client.request(p.PLAYER, 0, p.DATAMODE, struct.pack(">I", p.PUSH))
        self.client.open(p.POSITION2D, 7)
        self.count, self.ending, self.failure = 0, False, None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            while not self.ending:
                sequence = self.count % (1 << 32)
                answer = self.client.request(p.POSITION2D, 7, 1, sequence=sequence)
                assert (answer.type, answer.sequence) == (p.ACK, sequence), answer
                self.client.others.clear()
                self.count += 1
                time.sleep(0.001)
        except Exception as e:  # pylint: disable=broad-except
            self.failure = e or type(e)

    def served(self, times=3):
        """Wait until this many more of its requests are answered."""
        end, goal = time.monotonic() + p.LIMIT, self.count + times
        while self.count < goal:
            assert self.failure is None, f"the honest client failed: {self.failure!r}"
            assert time.monotonic() < end, "the honest client is not served"
            time.sleep(0.01)

    def end(self):
        self.ending = True
        self.thread.join(p.LIMIT)
        assert self.failure is None, f"the honest client failed: {self.failure!r}"


def attacked(tcp="", secret=None, bound=MEMORY + SLACK):
    """Run a test against a server with these options, while an honest client is served."""
    def decorate(test):
        def run(program):
            server = p.Server(program, CONFIG, tcp=f"port 0 memory {MEMORY} {tcp}")
            before = status(server, "VmRSS")
            attackers = []
            try:
                witness = Witness(server, secret)
                test(server, witness, attackers)
                witness.served()
                witness.end()
                grown = status(server, "VmHWM") - before
                assert grown < bound or sanitized(program), f"{grown / MIB:.0f} MiB"
            except BaseException:
                print(server.log()[-3000:])
                raise
            finally:
                for a in attackers:
                    a.close()
                server.end()
        run.__name__ = test.__name__
        return run
    return decorate


def attacker(server, attackers, devices=()):
    """A client with a small receive buffer."""
    c = server.client()
    c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    attackers.append(c)
    for d in devices:
        c.open(*d)
    return c


def pour(c, data, limit=1.0):
    """Send until the server does not read for `limit` seconds; return the number of bytes sent."""
    c.socket.settimeout(limit)
    sent = 0
    try:
        while sent < len(data):
            sent += c.socket.send(data[sent:sent + 65536])
    except (TimeoutError, ConnectionError):
        pass
    c.socket.settimeout(p.LIMIT)
    return sent


def ask_for_maps(n, index=0):
    return b"".join(p.header(p.REQ, MAP, index, GET_DATA, len(ASK), 0.0, i) + ASK for i in range(n))


@attacked()
def map_requests(server, witness, attackers):
    """27 KB of requests without reading. When the client reads, all are answered in order."""
    n = scaled(400)
    c = attacker(server, attackers, [(MAP, 0)])
    pour(c, ask_for_maps(n))
    witness.served(20)
    for i in range(n):
        m = c.next()
        assert m.sequence == i and m.type == p.ACK, (i, m.sequence, m.type)
    assert c.silent(0.1)


@attacked()
def sudden_maps(server, witness, attackers):
    """Answers that are small at first, so that the server accepts many requests, and then large."""
    c = attacker(server, attackers, [(MAP, 0), (p.OPAQUE, 7)])
    for i in range(40):
        assert c.request(p.OPAQUE, 7, 1, p.opaque(b"x"), sequence=i).sequence == i
    n = scaled(250)
    pour(c, ask_for_maps(n))
    witness.served(20)
    c.others.clear()
    got = []
    while len(got) < n:
        m = c.next()
        if m.interf == MAP:
            got.append(m)
    assert [m.sequence for m in got] == list(range(n))
    refused = sum(m.type == p.NACK for m in got)
    assert refused < n and all(m.type in (p.ACK, p.NACK) for m in got)
    print(f"        {refused} of {n} were refused")
    assert not refused or server.logged("answers were replaced by NACKs")


@attacked()
def crowd(server, witness, attackers):
    """Many clients request maps and do not read. Those with the most memory are disconnected."""
    for _ in range(24):
        c = attacker(server, attackers, [(MAP, 1)])
        pour(c, ask_for_maps(200, 1), 0.1)
    witness.served(50)
    assert server.logged("and other clients need memory"), "nobody was disconnected"
    witness.served(50)
    honest = server.client(p.PUSH)
    honest.open(MAP, 1)
    end = time.monotonic() + p.LIMIT
    while honest.request(MAP, 1, GET_DATA, ASK).type != p.ACK:
        assert time.monotonic() < end, "an honest client gets no map"
        time.sleep(0.1)
    honest.close()


@attacked()
def partial_messages(server, witness, attackers):
    """All but the last bytes of the largest message, from many clients."""
    body = p.opaque(bytes(MIB - 100))
    for _ in range(100):
        c = attacker(server, attackers, [(p.OPAQUE, 7)])
        pour(c, p.header(p.CMD, p.OPAQUE, 7, 1, len(body)) + body[:-4], 0.01)
    witness.served(20)


@attacked()
def small_pieces(server, witness, attackers):
    """A large message in very many pieces arrives complete, and its memory is released: all of the
    messages together exceed the option 'memory'."""
    c = attacker(server, attackers, [(p.OPAQUE, 7)])
    c.request(p.PLAYER, 0, p.DATAMODE, struct.pack(">I", p.PUSH))
    body = p.opaque(bytes(range(256)) * 2048)
    whole = p.header(p.CMD, p.OPAQUE, 7, 1, len(body)) + body
    for piece in [100] + [10000] * (2 * MEMORY // len(body)):
        for i in range(0, len(whole), piece):
            c.raw(whole[i:i + piece])
        assert c.next().body == body
    witness.served()


@attacked()
def held_requests(server, witness, attackers):
    """Large requests that a driver does not answer: those beyond the memory limit are refused."""
    body = p.opaque(bytes(MIB - 100))
    whole = p.header(p.REQ, p.OPAQUE, 8, 1, len(body)) + body
    for _ in range(6):
        c = attacker(server, attackers, [(p.OPAQUE, 8)])
        pour(c, whole * 20, 0.2)
    witness.served(20)


@attacked()
def slow_driver(server, witness, attackers):
    """Large commands to a slow driver."""
    body = p.opaque(bytes(MIB - 100))
    whole = p.header(p.CMD, p.OPAQUE, 9, 1, len(body)) + body
    for _ in range(4):
        c = attacker(server, attackers, [(p.OPAQUE, 9)])
        pour(c, whole * 30, 0.2)
    witness.served(20)


def publish(boss, body):
    """Let the device publish. If data is lost for lack of memory, the client gets an overflow."""
    end = time.monotonic() + p.LIMIT
    while True:
        boss.send(p.CMD, p.OPAQUE, 7, 1, body)
        m = boss.next()
        if m.type == p.DATA:
            return
        assert (m.type, m.subtype) == (p.SYNCH, p.SYNCH_OVERFLOW), m
        assert time.monotonic() < end, "nothing comes through"


@attacked(bound=MEMORY + 24 * MIB)
def stopped_readers(server, witness, attackers):
    """Clients that subscribe to large data and stop reading at different times.

    Each makes the server keep one more message of 1 MiB: 80 MiB without a limit."""
    boss = server.client(p.PUSH)
    boss.open(p.OPAQUE, 7)
    body = p.opaque(bytes(MIB - 100))
    for _ in range(60):
        attacker(server, attackers, [(p.OPAQUE, 7)])
        publish(boss, body)
    witness.served(20)
    for _ in range(20):
        publish(boss, body)
    boss.close()


def unsent(server):
    """Bytes in the kernel's send queue, for each client of the server."""
    with open("/proc/net/tcp", encoding="ascii") as f:
        rows = [line.split() for line in f][1:]
    here = f":{server.port:04X}"
    return [int(r[4].split(":")[0], 16) for r in rows if r[1].endswith(here) and r[3] == "01"]


@attacked()
def unread_data(server, witness, attackers):
    """For a client that does not read, the kernel queues TCP_NOTSENT_LOWAT (64 KiB) and a write."""
    boss = server.client(p.PUSH)
    boss.open(p.OPAQUE, 7)
    for _ in range(4):
        c = attacker(server, attackers, [(p.OPAQUE, 7)])
        c.request(p.PLAYER, 0, p.DATAMODE, struct.pack(">I", p.PUSH))
    for _ in range(6):
        publish(boss, p.opaque(bytes(MIB - 100)))
    witness.served(20)
    held = [n for n in unsent(server) if n]
    assert held, "all was received"
    assert max(held) < 192 << 10, held
    boss.close()


@attacked("clients_max 100 secret \"open\"", "open", 16 * MIB)
def strangers(server, witness, attackers):
    """Clients without the secret fill the table; clients with the secret are still accepted."""
    for _ in range(300):
        c = server.client()
        attackers.append(c)
        try:
            pour(c, p.header(p.REQ, p.PLAYER, 0, p.AUTH, 200) + bytes(199), 0.1)
        except ConnectionError:
            pass
    for _ in range(20):
        late = Witness(server, "open")
        late.served()
        late.end()
        late.client.close()
    witness.served()
    assert server.logged("another client needed its place")


def key(text):
    return struct.pack(">II", len(text), len(text)) + text + bytes(-len(text) % 4)


@attacked("secret \"open\"", "open", 16 * MIB)
def guesses(server, witness, attackers):
    """Eight wrong secrets are answered at once, then one per second over all connections."""
    assert server.logged("the secret is short and can be guessed")
    begin, answered, seconds = time.monotonic(), 0, 3
    one = p.header(p.REQ, p.PLAYER, 0, p.AUTH, len(key(b"0000"))) + key(b"0000")
    for _ in range(30):
        attackers.append(server.client())
        attackers[-1].raw(one * 2)  # with three, it would be disconnected
    witness.served(20)
    while time.monotonic() < begin + seconds:
        for c in attackers:
            try:
                while True:
                    assert c.receive(0.001).type == p.NACK
                    answered += 1
            except (p.Late, p.Gone):
                pass
    spent = time.monotonic() - begin
    assert 8 <= answered <= 8 + spent + 1, (answered, spent)
    for c in attackers:
        c.close()
    friend, end = None, time.monotonic() + p.LIMIT
    while not friend:  # the same user as the attackers, so its secret is delayed too
        try:
            friend = Witness(server, "open")
        except (p.Gone, ConnectionError):
            assert time.monotonic() < end, "a friend is locked out"
    friend.served()
    friend.end()
    friend.client.close()


@attacked("secret \"open\"", "open", 16 * MIB)
def large_strangers(server, witness, attackers):
    """Without the secret a client's messages are limited to 256 bytes, whatever a header claims."""
    for size in (300, 1 << 20):
        c = server.client()
        attackers.append(c)
        pour(c, p.header(p.REQ, p.PLAYER, 0, p.AUTH, size) + bytes(100), 0.1)
        assert c.gone() and server.logged(f"a message of {size} bytes; the limit is 256")
    for _ in range(50):  # clients that send requests and do not read
        c = attacker(server, attackers)
        pour(c, p.header(p.REQ, p.PLAYER, 0, p.DEVLIST, 0) * 20000, 0.05)
    witness.served()


def pending_opens(program):
    """Subscriptions that wait for a driver's setup count in the option memory: those that do not fit
    are refused, and all others are answered when the driver is set up."""
    text = b"x" * 1900 + bytes(1)
    route = struct.pack(">II", len(text), len(text)) + text + bytes(-len(text) % 4)
    body = struct.pack(">7I", 0, 0, p.POSITION2D, 5, p.OPEN, 0, 0)
    ask = p.header(p.REQ, p.PLAYER, 0, p.DEV, len(body)) + body
    with tempfile.TemporaryDirectory(prefix="achattacks.") as directory:
        gate = os.path.join(directory, "gate")
        server = p.Server(program, 'driver ( name "puppet" provides ["position2d:5"] '
                          f'setup_file "{gate}" )', tcp=f"port 0 memory {MIB} client_memory 65536")
        clients = []
        try:
            for _ in range(30):  # 32 subscriptions of over 2000 bytes each: twice the limit
                c = server.client()
                clients.append(c)
                c.send(p.REQ, p.PLAYER, 0, ROUTE, route)
                assert c.receive().type == p.ACK
                c.raw(ask * 32)
            assert clients[-1].answer(p.PLAYER, 0, p.DEV).type == p.NACK
            with open(gate, "w", encoding="ascii"):
                pass
            first = clients[0]
            assert [first.answer(p.PLAYER, 0, p.DEV).type for _ in range(32)] == [p.ACK] * 32
            granted = sum(c.answer(p.PLAYER, 0, p.DEV).type == p.ACK for c in clients[1:-1]
                          for _ in range(32))
            assert granted < MIB // 2000, granted
            honest = server.client()
            honest.open(p.POSITION2D, 5)  # answered requests do not count any more
        except BaseException:
            print(server.log()[-3000:])
            raise
        finally:
            with open(gate, "w", encoding="ascii"):
                pass
            for c in clients:
                c.close()
            server.end()


@attacked()
def long_burst(server, witness, attackers):
    """The server handles a few messages of a client at a time: a command of another client is not
    delayed by a long burst that was sent before it."""
    hog, other, ear = (attacker(server, attackers, [(p.OPAQUE, 7)]) for _ in range(3))
    ear.request(p.PLAYER, 0, p.DATAMODE, struct.pack(">I", p.PUSH))

    def command(text):
        body = p.opaque(text)
        return p.header(p.CMD, p.OPAQUE, 7, 1, len(body)) + body

    n = 500  # the server receives them with one read
    with p.stopped(server):
        hog.raw(b"".join(command(b"%03d" % i) for i in range(n)))
        other.raw(command(b"one"))
    heard = [m.body[8:11] for m in (ear.next() for _ in range(n + 1))]
    assert [h for h in heard if h != b"one"] == [b"%03d" % i for i in range(n)], heard
    assert heard.index(b"one") <= 32, heard.index(b"one")
    witness.served()


@attacked()
def many_opens(server, witness, attackers):
    """A client can open one device 32 times, not more: a disconnect has to close each."""
    c = attacker(server, attackers)
    for i in range(100):
        m = c.device(p.POSITION2D, 7, p.OPEN)
        assert m.type == (p.ACK if i < 32 else p.NACK), (i, m)
    assert c.device(p.POSITION2D, 7, p.CLOSE).type == p.ACK
    assert c.device(p.POSITION2D, 7, p.OPEN).type == p.ACK
    assert c.device(p.POSITION2D, 7, p.OPEN).type == p.NACK
    for i in range(33):
        m = c.device(p.POSITION2D, 7, p.CLOSE)
        assert m.type == (p.ACK if i < 32 else p.NACK), (i, m)
    witness.served()


def refused_messages(program):
    """Refused messages and invalid connections log a few lines, and then only how many lines were
    left out."""
    server = p.Server(program, CONFIG)
    witness = Witness(server)
    c = attacker(server, [], [(p.POSITION2D, 6)])
    body = struct.pack(">3dI", 1, 0, 0, 0)
    n = 20000
    for _ in range(n // 100):
        c.raw((p.header(p.CMD, p.POSITION2D, 6, 1, len(body)) + body) * 100)
    assert c.request(p.POSITION2D, 6, 1).type == p.NACK
    for _ in range(200):
        d = server.client()
        d.raw(bytes([255]) * 40)
        assert d.gone()
        d.close()
    witness.served()
    witness.end()
    server.end()
    log = server.log()
    assert len(log) < 64 << 10, len(log)
    assert "it always fails" in log and "not a message" in log
    told = [int(w) for w in re.findall(r"(\d+) more lines like this one were not logged", log)]
    assert len(told) >= 2 and sum(told) > 300, told


if __name__ == "__main__":
    sys.setswitchinterval(1e-4)
    sys.exit(p.run([map_requests, sudden_maps, crowd, partial_messages, small_pieces, held_requests,
                    slow_driver, stopped_readers, unread_data, strangers, guesses, large_strangers, long_burst,
                    many_opens, pending_opens, refused_messages]))
