#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sequences that could make a message come twice, or a gap be counted wrongly: a daemon that
restarts after a rare message was overwritten, connections that overlap, channels that are replaced
under two flows, a writer that is stopped, more origins in a ring than the table holds.

resume.py ACHD ACH ORACLE
"""
import json
import signal
import socket
import sys
import time

from frames import CLOSE, HELLO, OPENED, PING, PONG, data, frame, opens, read
from hosts import ACH, LIMIT, ORACLE, check, local, result, serve, until, wait

A, B, C = local(3)


def newest(host, channel):
    """How many messages were put into the channel so far."""
    return json.loads(host.run(ACH, "info", "--json", channel))["newest"]


def flows(host, channel, direction="receives"):
    return [f for f in host.flows() if f["channel"] == channel and f["direction"] == direction]


def total(host, channel, what, direction="receives"):
    return sum(f[what] for f in flows(host, channel, direction))


def is_open(host, channel, direction="receives"):
    found = flows(host, channel, direction)
    return bool(found) and all(f["state"] == "open" for f in found)


def stop(*some):
    for host in some:
        host.kill(signal.SIGTERM)


def rare():
    """The last message of a source does not come again, though the channel has overwritten it."""
    B.make("both", 8, 64, "--relayed")
    port = serve(B)
    for name in ("rare", "often"):
        A.make(name, 256)
    A.achd(config=f"push 127.0.0.1:{port} rare all remote=both\n"
                  f"push 127.0.0.1:{port} often all remote=both\n")
    wait(A.put("rare", 1, 1))
    until("the rare message", lambda: newest(B, "both") == 1)
    wait(A.put("often", 2, 100))
    until("the frequent messages", lambda: newest(B, "both") == 101)
    B.kill()
    serve(B, port)
    wait(A.put("often", 2, 1, first=101))
    until("one more message", lambda: newest(B, "both") >= 102)
    until("both flows", lambda: len(flows(B, "both")) == 2 and is_open(B, "both"))
    wait(A.put("rare", 1, 1, first=2))
    until("two more messages", lambda: newest(B, "both") >= 103)
    check(newest(B, "both") == 103, f"{newest(B, 'both')} messages, not 103")
    stop(A, B)


def chained():
    """A receiver that was killed counts the gap exactly, also if its source is relayed."""
    A.make("chained", 64)
    B.make("chained", 8, 64, "--relayed")
    port = serve(B)
    A.achd("-p", str(port), "--all", "push", "127.0.0.1", "chained")
    C.achd("-p", str(port), "--all", "pull", "127.0.0.1", "chained")
    wait(A.put("chained", 1, 5))
    result(C.get("chained", {1: 5}))
    until("five are counted", lambda: total(C, "chained", "messages") == 5)
    C.kill()
    for first in range(6, 106, 20):  # what fits into the channel of A at a time
        wait(A.put("chained", 1, 20, first=first))
        until(f"{first + 19} at B", lambda: newest(B, "chained") == first + 19)
    C.restart()
    until("the rest", lambda: total(C, "chained", "messages") == 8)
    check(total(C, "chained", "gaps") == 92, f"{total(C, 'chained', 'gaps')} counted, not 92")
    stop(A, B, C)


class Speaker:
    """A connection that pushes a channel."""

    def __init__(self, port, name):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LIMIT)
        self.socket.sendall(HELLO + opens(name))
        self.wait(OPENED)

    def wait(self, wanted):
        while True:
            kind, flags, _, body = read(self.socket)
            if kind == PING:
                self.socket.sendall(frame(PONG, body + body + body))
            if kind == wanted:
                self.generation = flags
                return

    def send(self, *messages, **options):
        for seq in messages:
            self.socket.sendall(data(seq, b"message", generation=self.generation, **options))


def overlap():
    """What an old connection still delivers is not in the gap that a new one has announced."""
    port = serve(B)
    old = Speaker(port, b"overlap")
    old.send(1)
    until("the first", lambda: newest(B, "overlap") == 1)
    new = Speaker(port, b"overlap")
    old.send(2, 3, 4, 5)
    until("the old ones", lambda: newest(B, "overlap") == 5)
    new.send(10, gap=8)
    until("the new one", lambda: newest(B, "overlap") == 6)
    until("the figures", lambda: total(B, "overlap", "messages") == 6)
    check(total(B, "overlap", "gaps") == 4, f"{total(B, 'overlap', 'gaps')} counted, not 4")
    stop(B)


def too_large():
    """A message that does not fit is counted once, and so is the gap before it."""
    B.make("small", 8, 64, "--relayed")
    port = serve(B)
    speaker = Speaker(port, b"small")
    speaker.send(1)
    speaker.socket.sendall(data(5, bytes(1000), gap=3, generation=speaker.generation))
    until("it has failed", lambda: total(B, "small", "failed") == 1)
    again = Speaker(port, b"small")
    again.send(6, gap=4)  # as from a sender that does not know that 5 was carried
    until("the next one", lambda: total(B, "small", "messages") == 2)
    check(total(B, "small", "gaps") == 3, f"{total(B, 'small', 'gaps')} counted, not 3")
    check("larger than the channel's capacity of 512 bytes" in B.logged(), B.logged())
    stop(B)


def replaced():
    """Two flows into one channel: if it is replaced by one of another type, both end."""
    port = serve(B)
    for name in ("one", "two"):
        B.make(name, 64)
    A.make("into", 64, 64, "--relayed")
    A.achd(config=f"pull 127.0.0.1:{port} into all remote=one\n"
                  f"pull 127.0.0.1:{port} into all remote=two\n")
    wait(B.put("one", 1, 5), B.put("two", 2, 5))
    result(A.get("into", {1: 5, 2: 5}))
    A.run(ACH, "mk", "-t", "--relayed", "--type", "a/Other", "--encoding", "json", "into")
    wait(B.put("one", 1, 5, first=6), B.put("two", 2, 5, first=6))
    until("both are refused", lambda: all("a/Other" in f.get("why", "") for f in flows(A, "into")))
    check(newest(A, "into") == 0, "no message of another type")
    stop(A, B)


def held():
    """A writer holds the lock of the channel for long. No message is lost."""
    A.make("held", 2048)
    B.make("held", 2048, 64, "--relayed")
    port = serve(B)
    A.achd("-p", str(port), "--all", "push", "127.0.0.1", "held")
    reader = B.get("held", {1: 1001, 2: 1})
    wait(A.put("held", 1, 1))
    until("the first", lambda: newest(B, "held") == 1)
    holder = B.start(ORACLE, "hold", "held", "2", "1000", "0")
    time.sleep(0.2)
    wait(A.put("held", 1, 1000, first=2))
    wait(holder)
    check(result(reader)[1][:2] == (1001, 0), "all of 1001")
    until("the figures", lambda: total(B, "held", "messages") == 1001)
    check(total(B, "held", "failed") == 0, "none failed")
    stop(A, B)


def crowd():
    """More origins than the table holds, in a ring: messages do not go around again and again."""
    names = [f"crowd{i}" for i in range(70)]
    A.run(ACH, "mk", "-m", "4", "-n", "64", *names)
    b, c = serve(B), serve(C)
    stop(B, C)
    B.make("crowd", 512, 64, "--relayed")
    for host, port, peer in (B, b, c), (C, c, b):
        host.achd(config=f"listen 127.0.0.1:{port}\ncreate *\npush 127.0.0.1:{peer} crowd all\n")
    A.achd(config="".join(f"push 127.0.0.1:{b} {name} all remote=crowd\n" for name in names))
    until("all are open", lambda: sum(f["state"] == "open" for f in A.flows()) == len(names))
    until("the ring is open", lambda: is_open(C, "crowd") and is_open(C, "crowd", "sends"))
    C.kill(signal.SIGSTOP)
    wait(*(A.put(name, 1, 2) for name in names))
    until("all have been tried", lambda: total(B, "crowd", "messages") +
          total(B, "crowd", "failed") >= 140)
    C.kill(signal.SIGCONT)
    time.sleep(1)
    check(newest(B, "crowd") <= 140, f"{newest(B, 'crowd')} messages of 140")
    stop(A, B, C)


for test in (rare, chained, overlap, too_large, replaced, held, crowd):
    print(f"== {test.__name__}", flush=True)
    test()
sys.exit(0)
