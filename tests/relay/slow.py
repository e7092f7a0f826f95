#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A slow link: a forwarder with a rate, a delay and a queue. A camera that sends ten times as much as
the link carries does not fill the queue, its messages do not wait behind older ones, and a command
of higher priority finds few bytes before it. On a link with a long round trip, frames keep their pace.

slow.py ACHD ACH ORACLE
"""
import collections
import selectors
import signal
import socket
import statistics
import struct
import sys
import threading
import time

from hosts import FACTOR, check, local, result, until, wait

RATE = 200_000  # bytes per second
DELAY = 0.02
PICTURE = 100_000
FAR = 0.5 * FACTOR   # seconds, a long round trip
SMALL = 10_000       # ten frames
DATA, MORE = 5, 6
HEADER = struct.Struct("<IBBH")


class Frames:
    """Tell where frames begin in a stream."""

    def __init__(self):
        self.skip = 0
        self.head = b""

    def feed(self, data):
        """(kind, flow) of each frame that begins in these bytes."""
        while data:
            if self.skip:
                n = min(self.skip, len(data))
                self.skip -= n
                data = data[n:]
                continue
            need = 8 - len(self.head)
            self.head, data = self.head + data[:need], data[need:]
            if len(self.head) == 8:
                length, kind, _, flow = HEADER.unpack(self.head)
                self.skip, self.head = length - 4, b""
                yield kind, flow


class Forwarder(threading.Thread):
    """Forward one connection. Bytes to the server wait in a queue that is emptied at RATE."""

    def __init__(self, port, delay=DELAY):
        super().__init__(daemon=True)
        self.delay = delay
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.server = port
        self.queued = []        # bytes in the queue, whenever some came
        self.before_command = []
        self.unanswered = [0]   # frames of messages between two answers
        self.start()

    def run(self):
        client, _ = self.listener.accept()
        with socket.create_connection(("127.0.0.1", self.server)) as server:
            for s in (client, server):
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.forward(client, server)

    def forward(self, client, server):
        queue, back = collections.deque(), collections.deque()
        frames, held, free = Frames(), 0, 0.0
        select = selectors.DefaultSelector()
        for s in (client, server):
            select.register(s, selectors.EVENT_READ)
        while True:
            for key, _ in select.select(0.001):
                data = key.fileobj.recv(65536)
                if not data:
                    return
                now = time.monotonic()
                if key.fileobj is server:
                    back.append((now + self.delay / 2, data))
                    continue
                for kind, flow in frames.feed(data):
                    self.unanswered[-1] += kind in (DATA, MORE)
                    if kind == DATA and flow == 1:
                        self.before_command.append(held)
                held += len(data)
                self.queued.append(held)
                free = max(free, now) + len(data) / RATE
                queue.append((free, free + self.delay / 2, data))
            now = time.monotonic()
            held = sum(len(d) for out, _, d in queue if out > now)
            while queue and queue[0][1] <= now:
                server.sendall(queue.popleft()[2])
            while back and back[0][0] <= now:
                client.sendall(back.popleft()[1])
                self.unanswered.append(0)


def figures(host):
    return {f["channel"]: f for f in host.flows()}


A, B = local(2)
A.make("camera", 4, PICTURE)
A.make("command", 16)
B.achd("serve", "-p", "0")
until("the server", lambda: B.status() is not None)
port = B.port_served()
link = Forwarder(port)
A.achd(config=f"push 127.0.0.1:{link.port} camera priority=0\n"
              f"push 127.0.0.1:{link.port} command priority=7\n")
pictures = B.get("camera", {1: 400})
commands = B.get("command", {2: 300})
camera = A.put("camera", 1, 400, 25_000, size=PICTURE)  # 4 MB/s
wait(A.put("command", 2, 300, 30_000))
wait(camera)
got, missing, _ = result(pictures)[1]
check(result(commands)[2][0] > 0, "commands arrive")
settled = link.queued[len(link.queued) // 2:]
check(missing > 0, f"the newest picture is sent, others are skipped: {got} of 400")
# A few KB on a machine with time. Whole pictures would be more, and all of them millions.
check(statistics.median(settled) <= PICTURE / 2, f"the queue: {statistics.median(settled)} bytes")
check(statistics.median(link.before_command) <= PICTURE / 2,
      f"before a command: {statistics.median(link.before_command)} bytes")
until("the gaps", lambda: figures(B)["camera"]["gaps"] >= missing)
print(f"queue: median {statistics.median(settled):.0f}, max {max(settled)} bytes; before a command: "
      f"median {statistics.median(link.before_command):.0f}, max {max(link.before_command)}; "
      f"{got} pictures, {missing} skipped, age at most {figures(B)['camera']['age_max']:.3f} s; "
      f"commands {figures(B)['command']['age_p50']:.4f} s, at most {figures(B)['command']['age_max']:.3f}")
A.kill(signal.SIGTERM)

# If there was none for a second, a PING goes with a message. Frames do not wait for its answer: one message
# more than the first, whose frames have no pace, comes whole before any answer.
A.make("far", 4, SMALL)
link = Forwarder(port, FAR)
A.achd("push", f"127.0.0.1:{link.port}", "far")
until("the flow", lambda: figures(A).get("far", {}).get("state") == "open")
wait(A.put("far", 1, 4, int(3e6 * FAR), size=SMALL))
until("the messages", lambda: sum(link.unanswered) >= 4 * SMALL // 1024)
check(sorted(link.unanswered)[-2] >= SMALL // 1024, f"frames between two answers: {link.unanswered}")
sys.exit(0)
