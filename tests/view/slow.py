#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Clients that do not read: 50 clients, one of which is stopped, do not slow each other or the writer,
memory stays bounded, and what was dropped is told. And a server without clients does nothing.

slow.py ACH
"""
import os
import subprocess
import sys
import tempfile
import time
import unittest

from websocket import LIMIT, View

ACH = sys.argv[1]
SIZE = 100_000
CLIENTS = 50
QUEUE = 1 << 20


def ach(*words, data=None):
    subprocess.run([ACH, *words], input=data, check=True, timeout=LIMIT)


def resident(pid):
    with open(f"/proc/{pid}/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def used(pid):
    """Processor time of a process and how often it was woken."""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rpartition(")")[2].split()
    with open(f"/proc/{pid}/status") as f:
        switches = next(line for line in f if line.startswith("voluntary_ctxt_switches"))
    return int(fields[11]) + int(fields[12]), int(switches.split()[1])


class Many(unittest.TestCase):
    """The list of topics is larger than what waits for a client at most."""

    CHANNELS, SCHEMA = 100, 130_000  # each byte of the schema takes two in JSON

    def setUp(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as schema:
            schema.write('{"title":"%s"}' % (r'\"' * (self.SCHEMA // 2)))
            schema.flush()
            for i in range(self.CHANNELS):
                ach("mk", "--type", "demo/Large", "--encoding", "json", "--schema", schema.name, f"large-{i}")
                self.addCleanup(ach, "rm", f"large-{i}")

    def all(self, client):
        names = set()
        while len(names) < self.CHANNELS:
            found = client.op("advertise")["channels"]
            self.assertLess(sum(len(c["schema"]) for c in found), 1 << 20)
            names |= {c["topic"] for c in found}

    def test_many_topics(self):
        with View(ACH) as view:
            first = view.socket("foxglove.sdk.v1")
            self.all(first)
            slow = view.socket("foxglove.sdk.v1", receive_buffer=4096)
            slow.op("advertise")
            before = resident(view.process.pid)
            others = [view.socket("foxglove.sdk.v1", receive_buffer=4096) for _ in range(10)]
            ach("rm", "large-0")
            ach("mk", "large-0")
            first.op("unadvertise")
            self.assertLess(resident(view.process.pid) - before, 11 * (4 << 20))
            for client in [first, slow, *others]:
                client.send({"op": "nothing"})
                client.op("status")
                client.close()


class Types(unittest.TestCase):
    """A short schema that describes very many values costs little, as long as nobody reads the topic."""

    def make(self, name, n):
        with tempfile.NamedTemporaryFile("w", suffix=".msg") as schema:
            schema.write(f"A[{n}] a\n===\nMSG: demo/A\nB[{n}] b\n===\nMSG: demo/B\nC[{n}] c\n===\n"
                         "MSG: demo/C\nfloat64 d\n")
            schema.flush()
            subprocess.run([ACH, "mk", "--type", "demo/msg/Huge", "--schema", schema.name, name],
                           stderr=subprocess.DEVNULL, check=True, timeout=LIMIT)
        self.addCleanup(ach, "rm", name)

    def test_types(self):
        with View(ACH) as view, view.socket() as page:
            page.op("topics")
            before = resident(view.process.pid)
            names = {f"huge-{n}-{i}" for n in (25, 64) for i in range(20)}
            for name in names:
                self.make(name, int(name.split("-")[1]))
            while names:
                names -= {t["name"] for t in page.op("topics")["add"]}
            self.assertLess(resident(view.process.pid) - before, 64 << 20)


class Slow(unittest.TestCase):
    def setUp(self):
        ach("mk", "--frames", "16", "--size", str(2 * SIZE), "--type", "demo/Blob", "--encoding", "json",
            "big")
        self.addCleanup(ach, "rm", "big")
        self.number = 0

    def put(self):
        """A message with its number, large."""
        self.number += 1
        ach("put", "big", data=b'{"n":%d,"x":"%s"}' % (self.number, b"x" * SIZE))

    @staticmethod
    def number_of(data):
        return int(data[13:40].split(b":")[1].split(b",")[0])

    def subscribe(self, view, **how):
        client = view.socket("foxglove.websocket.v1", **how)
        found = client.op("advertise", lambda m: m["channels"])["channels"]
        client.send({"op": "subscribe", "subscriptions":
                     [{"id": 1, "channelId": next(c["id"] for c in found if c["topic"] == "big")}]})
        client.send({"op": "nothing"})
        client.op("status")  # the subscription is there
        return client

    def newest(self, client, number):
        """Read until this message has come; none comes twice or late."""
        last = 0
        while last < number:
            data = client.until(lambda m: isinstance(m, bytes))
            self.assertGreater(self.number_of(data), last)
            last = self.number_of(data)

    def test_one_of_many_is_stopped(self):
        with View(ACH, "--queue", str(QUEUE)) as view:
            stopped = self.subscribe(view, receive_buffer=4096)
            others = [self.subscribe(view) for _ in range(CLIENTS - 1)]
            before = resident(view.process.pid)
            for _ in range(60):
                self.put()
                for client in others:
                    self.newest(client, self.number)
            grown = resident(view.process.pid) - before
            self.assertLess(grown, QUEUE + (16 << 20), "memory is not bounded")
            dropped, last = 0, 0
            while last < self.number:
                message = stopped.until(lambda m: True)
                if isinstance(message, bytes):
                    self.assertGreater(self.number_of(message), last)
                    last = self.number_of(message)
                elif message["op"] == "status":
                    self.assertIn("dropped", message["message"])
                    dropped += int(message["message"].split()[0])
            self.assertGreater(dropped, 0, "nobody told that messages were dropped")
            self.assertEqual(last, self.number, "the newest message did not come")

    def test_page_is_stopped(self):
        with View(ACH, "--queue", str(QUEUE)) as view:
            page = view.socket(receive_buffer=4096)
            topic = page.op("topics", lambda m: m["add"])["add"][0]
            page.send({"op": "watch", "topic": topic["id"], "rate": 100})
            watcher = self.subscribe(view)
            for _ in range(60):
                self.put()
                self.newest(watcher, self.number)
            message = page.op("message", lambda m: m["value"]["n"] == self.number)
            self.assertGreater(message["dropped"], 0)

    def test_control_is_bounded(self):
        """A client that asks and never reads the answers is closed."""
        with View(ACH) as view:
            client = view.socket("foxglove.websocket.v1", receive_buffer=4096)
            question = b'{"op":"subscribe","subscriptions":[%s]}' % b",".join([b"{}"] * 1000)
            before = resident(view.process.pid)
            with self.assertRaises(OSError):
                end = time.monotonic() + LIMIT
                while time.monotonic() < end:  # each has 1000 answers
                    client.text(question)
            self.assertLess(resident(view.process.pid) - before, 64 << 20)

    def test_idle_costs_nothing(self):
        with View(ACH) as view:
            for _ in range(2):
                page, client = view.socket(), self.subscribe(view)
                page.op("channels")
                page.close()
                client.close()
                end = time.monotonic() + LIMIT
                while self.open_channels(view) and time.monotonic() < end:
                    time.sleep(0.1)
                self.assertEqual(self.open_channels(view), [])
                time.sleep(6)  # time limits of the closed connections pass
                before = used(view.process.pid)
                for _ in range(20):
                    self.put()
                time.sleep(5)
                after = used(view.process.pid)
                self.assertEqual(after[1] - before[1], 0, "it was woken")
                self.assertEqual(after[0] - before[0], 0)

    @staticmethod
    def open_channels(view):
        with open(f"/proc/{view.process.pid}/maps") as f:
            return [line for line in f if "/achshm-" in line]


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], warnings="ignore")
