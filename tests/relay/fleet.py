#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Five hosts send what bench/fleet/model.py forecasts. Packets are counted at their interfaces.

fleet.py ACHD ACH ORACLE relay|mdns|dds [ACH-DDS]

Counts that depend on the timing of packets have wide bounds. Messages and answers must be exact, and
bytes of TCP within five percent, which is for PINGs.
"""
import collections
import os
import shutil
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/fleet"))
sys.dont_write_bytecode = True
from hosts import ACH, FACTOR, TAG, check, hosts, ip, result, skip, until, wait
from model import TCP, Dds, Mdns, Relay

N = 5
OUTGOING = 4   # of PACKET_OUTGOING: the switch sends it to the host
EVERYTHING = 3


class Tap:
    """All packets that hosts send, from the ports of the switch."""

    def __init__(self, machines):
        self.sockets = []
        for host in machines:
            s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(EVERYTHING))
            s.bind((f"{TAG}v{host.number}", EVERYTHING))
            s.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
            s.setblocking(False)
            self.sockets.append((host.number, s))

    def take(self):
        """[(number of the host, bytes)] since the last call."""
        packets = []
        for number, s in self.sockets:
            while True:
                try:
                    data, address = s.recvfrom(65536)
                except BlockingIOError:
                    break
                if address[2] != OUTGOING and data[12:14] == b"\x08\0":
                    packets.append((number, data))
        return packets


def near(what, measured, forecast, below, above):
    print(f"{what}: {measured:g}, forecast {forecast:g}, ratio {measured / forecast:.3f}", flush=True)
    check(below <= measured / forecast <= above, what)


def tcp_payload(packets):
    """{host: bytes of TCP}, each byte once even if it was sent again."""
    ends = {}
    for number, data in packets:
        if data[23] != 6:
            continue
        size = struct.unpack(">H", data[16:18])[0] - 20 - (data[46] >> 4) * 4
        seq = struct.unpack(">I", data[38:42])[0]
        key = number, data[26:38]
        first, last = ends.get(key, (seq, seq))
        ends[key] = first, max(last, seq + size)
    sums = collections.Counter()
    for (number, _), (first, last) in ends.items():
        sums[number] += last - first
    return sums


def relay(machines, tap):
    """One host pushes to four others."""
    count, size = 300, 64
    first, others = machines[0], machines[1:]
    first.make("fan", 1024)
    for host in others:
        host.achd("--bind", "0.0.0.0", "--create", "*", "serve")
    first.achd(config="".join(f"push {host.address} fan all\n" for host in others))
    until("all are open", lambda: [f["state"] for f in first.flows()] == ["open"] * len(others))
    tap.take()
    wait(first.put("fan", 1, count, 5000, size=size))
    for host in others:
        received = result(host.get("fan", {1: count}))
        check(received[1][0] == count, f"host {host.number} received {received}")
    packets = tap.take()
    payload, wire = tcp_payload(packets), collections.Counter()
    for number, data in packets:
        wire[number] += len(data)
    near("bytes of TCP to four hosts", payload[1], 4 * count * Relay.payload(size), 0.99, 1.05)
    near("on the wire", wire[1], 4 * count * Relay.forth(size), (Relay.forth(size) - TCP)
         / Relay.forth(size), 1.35)  # messages may share packets; TCP may acknowledge alone
    for host in others:
        near(f"back from host {host.number}", wire[host.number], count * Relay.back(), 0.02, 1.7)


def quiet(tap, keep, seconds):
    """All packets of a kind until none has come for so long."""
    packets, last = [], time.monotonic()
    while time.monotonic() - last < seconds * FACTOR:
        more = [p for p in tap.take() if keep(p[1])]
        packets += more
        if more:
            last = time.monotonic()
        time.sleep(0.05)
    return packets


def is_mdns(data):
    return data[23] == 17 and data[36:38] == struct.pack(">H", 5353)


def avahi(host, txt):
    """avahi-daemon without a bus, with a service as achd announces it."""
    directory = f"{host.dir}/avahi"
    os.makedirs(f"{directory}/services")
    with open(f"{directory}/avahi-daemon.conf", "w") as f:
        f.write(f"[server]\nhost-name=robot{host.number}\nuse-ipv6=no\nallow-interfaces=eth0\n"
                "enable-dbus=no\n[publish]\npublish-workstation=no\npublish-hinfo=no\n")
    records = "".join(f"<txt-record>{record}</txt-record>" for record in txt)
    with open(f"{directory}/services/ach.service", "w") as f:
        f.write('<?xml version="1.0"?><!DOCTYPE service-group SYSTEM "avahi-service.dtd">'
                f"<service-group><name>robot{host.number}</name><service><type>_ach._tcp</type>"
                f"<port>8076</port>{records}</service></service-group>")
    ip("-n", host.space, "route", "add", "224.0.0.0/4", "dev", "eth0")
    host.start("unshare", "--mount", "sh", "-c", "mount -t tmpfs none /run && mkdir /run/avahi-daemon && "
               f"mount --bind '{directory}' /etc/avahi && "
               "exec avahi-daemon --no-drop-root --no-chroot --no-rlimits 2>/dev/null")


def mdns(machines, tap):
    """Machines that join, then a query for all of them."""
    txt = [f"c{i}=channel-{i:04d}" for i in range(10)]
    bytes_of_txt = sum(1 + len(record) for record in txt)
    for host in machines:
        avahi(host, txt)
    joined = []
    until("all are announced", lambda: joined.extend(p for p in tap.take() if is_mdns(p[1])) or
          {number for number, data in joined if data[44] & 0x80} == set(range(1, N + 1)))
    joined += quiet(tap, is_mdns, 5)
    packets, size = Mdns.join(bytes_of_txt)
    near("packets of machines that join", len(joined), N * packets, 0.6, 1.6)
    near("bytes of machines that join", sum(len(d) for _, d in joined), N * size, 0.6, 1.6)
    question = struct.pack(">6H", 0, 0, 1, 0, 0, 0) + b"\4_ach\4_tcp\5local\0" + struct.pack(">HH", 12, 1)
    machines[0].run("python3", "-c", f"""
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
s.bind(("", 5353))
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("{machines[0].address}"))
s.sendto({question!r}, ("224.0.0.251", 5353))""")
    found = quiet(tap, is_mdns, 3)
    packets, size = Mdns.browse(N, bytes_of_txt)
    near("packets of a query", len(found), packets, 0.6, 1.6)
    near("bytes of a query", sum(len(d) for _, d in found), size, 0.6, 1.6)


def submessages(data):
    """(kind, writer) of the submessages of an RTPS packet."""
    rtps, at = data[42:], 20
    while rtps[:4] == b"RTPS" and at + 4 <= len(rtps):
        kind, _, length = struct.unpack("<BBH", rtps[at:at + 4])
        writer = {0x15: slice(at + 12, at + 16), 6: slice(at + 8, at + 12)}.get(kind)
        if writer:
            yield kind, rtps[writer].hex()
        at += 4 + (length or len(rtps))


DATA, ACKNACK = 0x15, 6
PARTICIPANTS, PUBLICATIONS, LIVELINESS = "000100c2", "000003c2", "000200c2"


def dds_counts(packets):
    """{(kind, writer): how many hosts it came to}, and the bytes that came."""
    counts, size = collections.Counter(), 0
    for _, data in packets:
        if data[23] != 17 or data[42:46] != b"RTPS":
            continue
        receivers = N - 1 if data[30] >= 224 else 1
        size += receivers * len(data)
        for submessage in submessages(data):
            counts[submessage] += receivers
    return counts, size


def dds(machines, tap):
    """Gateways that find each other, then nothing new."""
    endpoints = 4
    for host in machines:
        ip("-n", host.space, "route", "add", "224.0.0.0/4", "dev", "eth0")
        host.run(ACH, "mk", *(f"h{host.number}c{i}" for i in range(endpoints)))
        host.start(os.path.abspath(sys.argv[5]), "-d", "5", "--interface", "eth0", "push",
                   *(f"h{host.number}c{i}" for i in range(endpoints)))
    packets, forecast = [], Dds.records(N, endpoints)
    until("all endpoints are known", lambda: packets.extend(tap.take()) or
          dds_counts(packets)[0][DATA, PUBLICATIONS] >= forecast)
    end = time.monotonic() + Dds.ROUND
    while time.monotonic() < end:
        packets += tap.take()
        time.sleep(0.1)
    counts, size = dds_counts(packets)
    near("descriptions of endpoints", counts[DATA, PUBLICATIONS], forecast, 1, 3)  # lost or late ones are sent again
    near("bytes until all are known", size, N * Dds.start(N, endpoints) +
         N * (N - 1) * Dds.ROUND_BYTES, 0.5, 2.5)
    packets = []
    until("three rounds", lambda: packets.extend(tap.take()) or
          dds_counts(packets)[0][DATA, LIVELINESS] >= 3 * N * (N - 1))
    counts, size = dds_counts(packets)
    rounds = counts[DATA, LIVELINESS] / (N * (N - 1))
    near("participants told in each round", counts[DATA, PARTICIPANTS], rounds * N * (N - 1), 0.6, 1.6)
    near("acknowledgements in each round", counts[ACKNACK, LIVELINESS], rounds * N * (N - 1), 0.6, 1.6)
    near("bytes in each round", size, rounds * N * (N - 1) * Dds.ROUND_BYTES, 0.6, 1.6)


if sys.argv[4] == "mdns" and not shutil.which("avahi-daemon"):
    skip("there is no avahi-daemon")
MACHINES = hosts(N)
{"relay": relay, "mdns": mdns, "dds": dds}[sys.argv[4]](MACHINES, Tap(MACHINES))
sys.exit(0)
