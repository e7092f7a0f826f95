#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Messages in datagrams: to one host and to a group, over a network that loses, repeats, reorders
and forges datagrams, with daemons that are killed. Nothing comes twice, out of order or damaged,
and gaps are counted exactly.

udp.py ACHD ACH ORACLE
"""
import collections
import json
import os
import random
import select
import signal
import socket
import statistics
import sys
import threading
import time

from hosts import ACH, LIMIT, TAG, check, hosts, ip, result, scale, until, wait

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import authority  # noqa: E402

N = scale(3000)
RATE = 200_000      # bytes per second, of a slow network
DELAY = 0.01
ETH_P_ALL, SOL_PACKET, PACKET_VNET_HDR = 3, 263, 15
VNET = 10           # bytes that the kernel puts before a frame, with its checksum's state
DATAGRAM = b"ACHU"
numbers = {}        # the next message of each channel


def payload(frame):
    """Where the bytes of a UDP datagram begin in an Ethernet frame; 0: it is none."""
    if len(frame) < 42 or frame[12:14] != b"\x08\x00" or frame[23] != socket.IPPROTO_UDP:
        return 0
    return 14 + (frame[14] & 15) * 4 + 8


def tap(interface):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    s.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    s.bind((interface, ETH_P_ALL))
    return s


class Wire(threading.Thread):
    """The cable between two hosts."""

    def __init__(self, a, b):
        super().__init__(daemon=True)
        self.taps = []
        self.on = True
        for host in (a, b):
            name = f"{TAG}v{host.number}"
            ip("link", "set", name, "nomaster")
            self.taps.append(tap(name))
        self.start()

    def packets(self):
        """(the other end, packet) of all that has come, after a short wait."""
        for s in select.select(self.taps, [], [], 0.001)[0]:
            packet, address = s.recvfrom(70000)
            if address[2] != socket.PACKET_OUTGOING:
                yield self.taps[1 - self.taps.index(s)], packet

    def end(self, *back):
        self.on = False
        self.join()
        for host in back:
            ip("link", "set", f"{TAG}v{host.number}", "master", f"{TAG}b")


class Hostile(Wire):
    """TCP passes; datagrams are lost, repeated and reordered. If they are sealed, an attacker sends
    old ones, changed ones and garbage."""

    def __init__(self, a, b, sealed):
        self.sealed = sealed
        self.dice = random.Random(3)
        self.seen = []
        self.keys = set()
        self.forged = 0
        super().__init__(a, b)

    def forge(self, to, packet, begin):
        """An old datagram again, one with a changed bit, and one of random bytes."""
        changed = bytearray(packet)
        changed[self.dice.randrange(begin, len(packet))] ^= 1 << self.dice.randrange(8)
        garbage = packet[:begin] + self.dice.randbytes(len(packet) - begin)
        for forged in (self.dice.choice(self.seen), bytes(changed), garbage):
            to.send(forged)
            self.forged += 1

    def disturb(self, to, packet, held):
        self.seen = (self.seen + [packet])[-300:]
        self.keys.add(packet[VNET + payload(packet[VNET:]) + 5])
        luck = self.dice.random()
        if luck < 0.05:
            return
        if luck < 0.10:
            to.send(packet)
        if luck < 0.20:
            held.append((to, packet))
            return
        to.send(packet)
        if luck > 0.8 and self.sealed:
            self.forge(to, packet, VNET + payload(packet[VNET:]))

    def run(self):
        held = []
        while self.on:
            quiet = True
            for to, packet in self.packets():
                quiet = False
                if packet[VNET + payload(packet[VNET:]):][:4] == DATAGRAM:
                    self.disturb(to, packet, held)
                else:
                    to.send(packet)
            if held and (quiet or len(held) > 3):
                to, packet = held.pop(self.dice.randrange(len(held)))
                to.send(packet)


class Slow(Wire):
    """Packets to the second host wait in a queue that is emptied at RATE, all of them for a delay."""

    def __init__(self, a, b):
        self.queued = []    # bytes in the queue, whenever a packet came
        super().__init__(a, b)

    def run(self):
        queue, back, free = collections.deque(), collections.deque(), 0.0
        while self.on:
            for to, packet in self.packets():
                now = time.monotonic()
                if to is self.taps[0]:
                    back.append((now + DELAY, to, packet))
                    continue
                self.queued.append(max(0, free - now) * RATE)
                free = max(free, now) + len(packet) / RATE
                queue.append((free + DELAY, to, packet))
            for waiting in (queue, back):
                while waiting and waiting[0][0] <= time.monotonic():
                    _, to, packet = waiting.popleft()
                    to.send(packet)


class Listener(threading.Thread):
    """Datagrams on the bridge: which keys they have, and how many were sent twice."""

    def __init__(self):
        super().__init__(daemon=True)
        self.tap = tap(f"{TAG}b")
        self.keys = {}      # id: when it was first and last seen
        self.seen = set()
        self.twice = 0
        self.last = b""
        self.on = True
        self.start()

    def run(self):
        while self.on:
            if not select.select([self.tap], [], [], 0.1)[0]:
                continue
            packet = self.tap.recv(70000)
            data = packet[VNET + payload(packet[VNET:]):]
            if data[:4] == DATAGRAM:
                self.keys.setdefault(data[5], [time.monotonic(), 0])[1] = time.monotonic()
                self.twice += data[5:24] in self.seen
                self.seen.add(data[5:24])
                self.last = packet

    def end(self):
        self.on = False
        self.join()


def flow(host, channel):
    return next((f for f in host.flows() if f["channel"] == channel), {})


def link(host):
    return host.status()["links"][0]


def put(writer, channel, count, pause=0, size=32):
    """Put messages that continue the numbers of the channel."""
    begin = numbers.get(channel, 1)
    numbers[channel] = begin + count
    return writer.put(channel, 1, count, pause, begin, size)


def enough(writer, channel, condition, size=32):
    """Put messages until so much has come. Figures are up to a second old, and what is put meanwhile
    must find room in the channel that holds everything."""
    def more():
        wait(put(writer, channel, 20, 1000, size))
        time.sleep(1)
        return condition()
    until(f"enough of {channel}", more)


def finish(reader, writer, channel):
    """Put messages until the reader has one of the last: the last one may be lost."""
    while reader.poll() is None:
        wait(put(writer, channel, 1))
        time.sleep(0.02)
    got, missing, by_origin = result(reader)[1]
    check(missing == by_origin, f"{missing} missing by numbers, {by_origin} by origins")
    return got, missing


def counted(host, channel, least):
    """The daemon has counted what the oracle finds in the channel, which still holds everything."""
    oldest = json.loads(host.run(ACH, "info", "--json", channel))["oldest"]
    check(oldest == 1, f"it holds only messages from {oldest} on")
    until("the figures", lambda: flow(host, channel)["messages"] >= least)
    f = flow(host, channel)
    got, missing, _ = result(host.get(channel, {1: 1}, f["messages"]))[1]
    check((got, missing, 0, 0) == (f["messages"], f["gaps"], f["known"], f["failed"]),
          f"{got} messages and {missing} missing, counted as {f}")


def first(writer, channel, *readers):
    """Gaps are counted from the first message that has come."""
    wait(put(writer, channel, 1))
    for host in readers:
        until("the first message", lambda: flow(host, channel).get("messages") == 1)


def opened(host, channel):
    until(f"{channel} is open", lambda: flow(host, channel).get("state") == "open")


def plain(maker, other, push, size):
    """To one host: small messages, and such that need many datagrams."""
    name = f"one{push:d}{size}"
    maker.make(name, 64, size)
    other.make(name, N + 100, size, "--relayed")
    B.achd("serve", "--bind", "0.0.0.0", "--create", "*")
    A.achd("-t", "udp", "push" if push else "pull", B.address, name)
    opened(other, name)
    reader = other.get(name, {1: N // 4})
    first(maker, name, other)
    wait(put(maker, name, N // 4, 1000, size))
    enough(maker, name, lambda: flow(other, name)["messages"] > 10, size)
    got, _ = finish(reader, maker, name)
    counted(other, name, got)
    until("datagrams are counted", lambda: link(other)["datagrams_in"] >= got * (size // 1200 + 1))
    A.kill(signal.SIGTERM)
    B.kill(signal.SIGTERM)


def hostile():
    """A wire that loses, repeats and reorders, with an attacker."""
    A.make("wild", 64, 6000)
    B.make("wild", 3 * N, 6000, "--relayed")
    B.achd("serve", "--bind", "0.0.0.0")
    A.achd(config=f"push {B.address} wild udp\nrekey 1\n")
    opened(B, "wild")
    reader = B.get("wild", {1: 2 * N})
    first(A, "wild", B)
    sealed = link(A)["datagrams_sealed"]
    wire = Hostile(A, B, sealed)
    wait(put(A, "wild", N, 700))
    wait(put(A, "wild", N, 700, 6000))
    enough(A, "wild", lambda: flow(B, "wild")["messages"] > 50 and len(wire.keys) > 1, 6000)
    got, missing = finish(reader, A, "wild")
    counted(B, "wild", got)
    check(missing > 0, f"{got} messages, {missing} missing")
    check(bool(wire.forged) == sealed, f"{wire.forged} forged, sealed: {sealed}")
    refused = link(B)["datagrams_refused"] + link(A)["datagrams_refused"]
    print(f"wild: {got} messages, {missing} missing, {wire.forged} forged, {refused} refused")
    check(bool(refused) == sealed, f"{refused} of {wire.forged} forged ones refused")
    wire.end(A, B)
    A.kill(signal.SIGTERM)
    B.kill(signal.SIGTERM)
    return sealed


def slow():
    """A camera that sends five times as much as the network carries does not fill its queue."""
    A.make("camera", 8, 20_000)
    B.achd("serve", "--bind", "0.0.0.0", "--create", "*")
    A.achd("-t", "udp", "push", B.address, "camera")
    opened(B, "camera")
    wire = Slow(A, B)
    wait(put(A, "camera", 300, 20_000, 20_000))
    settled = wire.queued[len(wire.queued) // 2:]
    until("pictures", lambda: flow(B, "camera")["messages"] > 5)
    print(f"slow: median {statistics.median(settled):.0f}, max {max(settled):.0f} bytes queued; "
          f"{flow(B, 'camera')['messages']} pictures, age {flow(B, 'camera')['age_max']:.3f}")
    # A few KB; all that does not fit would be millions.
    check(statistics.median(settled) <= RATE / 2, f"the queue: {statistics.median(settled)} bytes")
    wire.end(A, B)
    A.kill(signal.SIGTERM)
    B.kill(signal.SIGTERM)


def aged():
    """Datagrams that waited for a receiver that was stopped are too old."""
    A.make("aged", 64)
    B.achd("serve", "--bind", "0.0.0.0", "--create", "*")
    A.achd("-t", "udp", "--max-age", "0.5", "push", B.address, "aged")
    opened(B, "aged")
    first(A, "aged", B)
    B.kill(signal.SIGSTOP)
    wait(put(A, "aged", 100, 500))
    time.sleep(0.6)
    B.kill(signal.SIGCONT)
    until("old messages", lambda: flow(B, "aged")["too_old"])
    check(flow(B, "aged")["age_max"] <= 0.5, f"{flow(B, 'aged')}")
    A.kill(signal.SIGTERM)
    B.kill(signal.SIGTERM)


def late():
    """The receiver is stopped for the first message, so the first round trip is long. A large message
    then waits for the pace, and nothing else wakes the sender: it sends no PING for a long time."""
    silence = ("--silence", str(20 * LIMIT))
    A.make("late", 8, 200_000)
    B.achd(*silence, "serve", "--bind", "0.0.0.0", "--create", "*")
    A.achd(*silence, "-t", "udp", "push", B.address, "late")
    opened(B, "late")
    B.kill(signal.SIGSTOP)
    wait(put(A, "late", 1))
    time.sleep(0.3)
    B.kill(signal.SIGCONT)
    until("the first message", lambda: flow(B, "late")["messages"] == 1)
    wait(put(A, "late", 1, 0, 200_000))
    until("the large message", lambda: flow(B, "late")["messages"] == 2)
    A.kill(signal.SIGTERM)
    B.kill(signal.SIGTERM)


def killed():
    """Daemons are killed, and the link is cut. Without timing: the oracle counts by origins."""
    dice = random.Random(4)
    A.make("killed", 64)
    B.achd("serve", "--bind", "0.0.0.0", "--create", "*")
    A.achd("-t", "udp", "push", B.address, "killed")
    reader = B.get("killed", {1: N})
    writer = put(A, "killed", N, 1500)
    left = [A, B, None, A, B]
    while writer.poll() is None or left:
        host = left.pop() if left else dice.choice([A, B, None])
        time.sleep(dice.random() / 2)
        if host:
            host.kill()
            host.restart()
        else:
            B.cut()
            time.sleep(dice.random() / 5)
            B.cut(False)
    wait(writer)
    finish(reader, A, "killed")
    A.kill(signal.SIGTERM)
    B.kill(signal.SIGTERM)


def group():
    """One stream to three hosts. A host that leaves does not get the next key."""
    listener = Listener()
    A.make("scan", 64, 3000)
    A.achd(config="listen 0.0.0.0\nmulticast scan 239.7.7.7:7700 rate=400K\n")
    until("the server", lambda: A.status() is not None)
    readers = {}
    for host in (B, C, D):
        host.make("scan", 2 * N, 3000, "--relayed")
        host.achd("-t", "udp", "pull", A.address, "scan")
        opened(host, "scan")
        readers[host] = host.get("scan", {1: N})
    first(A, "scan", B, C, D)
    wait(put(A, "scan", N // 2, 4000, 3000))
    check(len(listener.keys) == 1, f"one key: {listener.keys}")
    sent = N // 2 + 1

    def told():
        """The last message may be lost, so there is one more at each look."""
        nonlocal sent
        wait(put(A, "scan", 1, 0, 3000))
        sent += 1
        time.sleep(1.2)  # figures are up to a second old
        return [f["messages"] + f["gaps"] for f in A.flows() if f["channel"] == "scan"] == [sent] * 3

    until("each member's figures", told)
    D.kill()
    wait(put(A, "scan", N // 2, 4000, 3000))
    enough(A, "scan", lambda: len(listener.keys) == 2, 3000)
    for host in (B, C):
        enough(A, "scan", lambda: flow(host, "scan")["messages"] > 50, 3000)
        got, _ = finish(readers[host], A, "scan")
        counted(host, "scan", got)
    old, new = listener.keys.values()
    check(old[1] <= new[0], "the old key is not used any more")
    check(not listener.twice, f"{listener.twice} datagrams are sent more than once")
    forged = listener.last
    D.restart()
    for _ in range(50):  # a replay into the group
        listener.tap.send(forged)
    finish(readers[D], A, "scan")
    listener.end()
    for host in (A, B, C, D):
        host.kill(signal.SIGTERM)


def revoked():
    """With TLS: a member of a group whose certificate is revoked gets no further key."""
    ca = authority.Authority(ACH, f"{A.dir}/keys", "robot", "laptop", "thief", limit=LIMIT)
    for host, name in ((A, "robot"), (B, "laptop"), (C, "thief")):
        host.keys = ca.copy(name, f"{A.dir}/{name}")
    A.make("secret", 64)
    A.achd(config="listen 0.0.0.0\nmulticast secret 239.7.7.9:7702\n"
                  "allow laptop read secret\nallow thief read secret\n")
    until("the server", lambda: A.status() is not None)
    listener = Listener()
    for host in (B, C):
        host.achd("-t", "udp", "pull", f"robot@{A.address}", "secret")
        opened(host, "secret")
    readers = [host.get("secret", {1: 1}) for host in (B, C)]
    first(A, "secret", B, C)
    for reader in readers:
        result(reader)
    check(link(B)["datagrams_sealed"], "sealed with TLS")
    ca.keys("revoke", "thief")
    ca.update("robot", f"{A.dir}/robot", "crl.pem")
    A.kill(signal.SIGHUP)
    until("thief is disconnected", lambda: flow(C, "secret").get("state") != "open")
    until("another key", lambda: (wait(put(A, "secret", 1)), len(listener.keys) > 1)[1])
    before = flow(C, "secret")["messages"]
    reader = B.get("secret", {1: numbers["secret"] + 20})
    finish(reader, A, "secret")
    check(flow(C, "secret")["messages"] == before, "thief gets nothing more")
    listener.end()
    for host in (A, B, C):
        host.kill(signal.SIGTERM)


A, B, C, D = hosts(4)
for maker, other, push in ((A, B, True), (B, A, False)):
    for size in (32, 20_000):
        plain(maker, other, push, size)
sealed = hostile()
slow()
aged()
late()
killed()
group()
if sealed:
    revoked()
sys.exit(0)
