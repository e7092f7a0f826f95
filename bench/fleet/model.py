# SPDX-License-Identifier: BSD-3-Clause
"""What a fleet costs: relays by topology, discovery by mDNS, discovery by DDS.

The sizes of packets were counted between five hosts; tests/relay/fleet.py compares the forecasts of this
module with what such hosts send. The costs of a message come from measure.py.
"""
import collections
import heapq
import math
import random

ETHERNET = 14
UDP = ETHERNET + 20 + 8
TCP = ETHERNET + 20 + 32
SEGMENT = 1448

# Limits of one achd: src/relay/daemon.h and link.h.
ACCEPTED_MAX = 256
FLOWS_MAX = 4096


class Relay:
    """A message on a link of achd: a frame DATA, and a frame ACK that comes back."""
    DATA = 8 + 68
    ACK = 8 + 32

    @staticmethod
    def payload(size):
        """Bytes of TCP for a message, while none waits for another."""
        return Relay.DATA + size

    @staticmethod
    def forth(size):
        """Bytes on the wire in the direction of the message."""
        return Relay.payload(size) + TCP * math.ceil(Relay.payload(size) / SEGMENT)

    @staticmethod
    def back():
        return Relay.ACK + TCP


class Node:
    """What one relay of a fleet does, per second and in total."""

    def __init__(self):
        self.accepted = self.connected = self.flows_of_link = 0
        self.received = self.sent = 0

    def load(self, rate, size, costs):
        """Cores, bits/s in the busier direction, descriptors and memory."""
        def of_flows(what):
            return self.received * costs[f"receive_{what}"] + self.sent * costs[f"send_{what}"]

        cpu = of_flows("us") * rate * 1e-6
        bits = 8 * rate * max(self.received * Relay.forth(size) + self.sent * Relay.back(),
                              self.sent * Relay.forth(size) + self.received * Relay.back())
        return {"links": self.accepted + self.connected, "cores": cpu, "mbit": bits / 1e6,
                "memory_mb": of_flows("kb") / 1e3, "descriptors": of_flows("descriptors")}


def join(lower, upper, up, down):
    """A link that `lower` opens. up, down: flows in each direction."""
    lower.connected += 1
    upper.accepted += 1
    for node in (lower, upper):
        node.flows_of_link = max(node.flows_of_link, up + down)
    lower.sent += up
    upper.received += up
    lower.received += down
    upper.sent += down


def mesh(n, everyone):
    """Direct links: each with each, or the operator with each."""
    operator = Node()
    if not everyone:
        for _ in range(n):
            join(operator, Node(), 0, 1)
        return [operator]
    machine = Node()
    for i in range(n - 1):  # half of the links are opened by the other side
        join(*((machine, Node()) if i % 2 else (Node(), machine)), 1, 1)
    return [machine]


def tree(n, everyone, width):
    """Relays of `width` links each, up to one root, where the operator is. All distinct loads."""
    level = [(Node(), 1) for _ in range(n)]
    nodes = [level[0][0]]
    while len(level) > 1:
        above = []
        for i in range(0, len(level), width):
            relay, below = Node(), level[i:i + width]
            for node, machines in below:
                join(node, relay, machines, n - machines if everyone else 0)
            above.append((relay, sum(machines for _, machines in below)))
        nodes.append(above[0][0])
        level = above
    return nodes


def busiest(nodes, rate, size, costs):
    return max((node.load(rate, size, costs) | {"accepted": node.accepted,
                                                "flows_of_link": node.flows_of_link}
                for node in nodes), key=lambda load: load["cores"])


class Mdns:
    """avahi-daemon with one service of _ach._tcp, as counted."""
    PROBES, ANNOUNCES = 6, 6
    TIMES = (0, 0.25, 0.5, 0.75, 0.75, 1.0, 1.25, 1.5, 1.75, 2.5, 3.75, 4.5)  # seconds after its start
    RECORDS = 4            # PTR, SRV, TXT and A in the caches of all others
    CACHE_MAX = 4096       # cache-entries-max of avahi-daemon
    QUERY = UDP + 33
    KNOWN = 20             # bytes of a known answer in a query
    QUERIES = (0.05, 1.05, 3.05, 7.05)  # of a program that looks for a service
    QUIET = 1.0            # an answer is not repeated within so long

    @staticmethod
    def answer(txt):
        """Bytes of a packet with a whole service. txt: bytes of the TXT records."""
        return UDP + 131 + txt

    @staticmethod
    def join(txt):
        """(packets, bytes) that a machine sends when it comes."""
        return (Mdns.PROBES + Mdns.ANNOUNCES,
                3 * 246 + 3 * (UDP + 79 + txt) + 3 * Mdns.answer(txt) + 2 * 228 + 184)

    @staticmethod
    def browse(machines, txt):
        """(packets, bytes) of one query with no known answers."""
        return 1 + machines, Mdns.QUERY + machines * Mdns.answer(txt)


def storm(n, seconds, txt, seed):
    """All machines start within `seconds`, and each looks for all others.

    Returns packets and bytes in total, and the most bytes in a second. Every machine receives every
    packet."""
    dice = random.Random(seed)
    starts = [dice.uniform(0, seconds) for _ in range(n)]
    last = [-math.inf] * n  # when a machine last told of its service
    seconds_of, total = collections.Counter(), [0, 0]
    events = []
    size = Mdns.join(txt)[1] / len(Mdns.TIMES)
    for i, start in enumerate(starts):
        events += [(start + t, 0, i) for t in Mdns.TIMES]
        events += [(start + t, 1, i) for t in Mdns.QUERIES]
    heapq.heapify(events)

    def count(when, number, length):
        seconds_of[int(when)] += length
        total[0] += number
        total[1] += length
    while events:
        now, kind, i = heapq.heappop(events)
        if kind == 0:
            if now - starts[i] >= 0.75:
                last[i] = now
            count(now, 1, size)
            continue
        known = sum(1 for t in last if t > starts[i])
        length = Mdns.QUERY + known * Mdns.KNOWN
        count(now, math.ceil(length / SEGMENT), length)
        for k in range(n):
            if starts[k] + 0.75 < now and last[k] <= min(starts[i], now - Mdns.QUIET):
                last[k] = now
                count(now, 1, Mdns.answer(txt))
    return total[0], total[1], max(seconds_of.values())


class Dds:
    """Participants of Cyclone DDS 0.10 on one segment, each with some endpoints, as counted."""
    ROUND = 8              # seconds: the lease of 10 s, times 0.8
    PAIR, ENDPOINT = 2585, 197  # bytes that a participant receives from another one at the start
    ROUND_PACKETS, ROUND_BYTES = 3, 698  # from each other one in a round
    PEER_KB = 20           # memory for another participant

    @staticmethod
    def records(participants, endpoints):
        """Descriptions of endpoints that participants receive at the start."""
        return participants * (participants - 1) * endpoints

    @staticmethod
    def start(participants, endpoints):
        """Bytes that each participant receives until it knows all others."""
        return (participants - 1) * (Dds.PAIR + Dds.ENDPOINT * endpoints)

    @staticmethod
    def steady(participants):
        """(packets/s, bytes/s) that each participant receives while nothing changes."""
        return ((participants - 1) * Dds.ROUND_PACKETS / Dds.ROUND,
                (participants - 1) * Dds.ROUND_BYTES / Dds.ROUND)
