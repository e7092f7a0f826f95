#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A recording is played, sought and stepped, for the page and for clients of Foxglove.

recording.py ACH
"""
import fcntl
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from websocket import LIMIT, View

ACH = sys.argv[1]
COUNT = 20


def ach(*words, data=None):
    subprocess.run([ACH, *words], input=data, check=True, timeout=LIMIT)


def record(path):
    """COUNT messages of "count", and one of "once" before them: in another chunk, as "big" fills some."""
    ach("mk", "--type", "demo/N", "--encoding", "json", "--timestamps", "--frames", "64", "count")
    ach("mk", "--type", "demo/N", "--encoding", "json", "--timestamps", "once")
    ach("mk", "--size", str(1 << 21), "--frames", "4", "--timestamps", "big")
    recorder = subprocess.Popen([ACH, "record", "-o", path, "count", "once", "big"])
    try:
        time.sleep(1)
        ach("put", "once", data=b'{"n":-1}')
        for _ in range(3):
            ach("put", "big", data=os.urandom(3 << 19))
            time.sleep(0.2)
        for i in range(COUNT):
            ach("put", "count", data=b'{"n":%d}' % i)
            time.sleep(0.05)
        time.sleep(1)
    finally:
        recorder.send_signal(signal.SIGINT)
        recorder.wait(LIMIT)
        ach("rm", "count")
        ach("rm", "once")
        ach("rm", "big")


class Recording(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.file = os.path.join(cls.folder.name, "drive.mcap")
        record(cls.file)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.view = View(ACH, self.file)
        self.addCleanup(self.view.stop)
        self.page = self.view.socket()
        self.addCleanup(self.page.close)
        hello = self.page.op("hello")
        self.assertEqual((hello["source"], hello["file"]), ("file", "drive.mcap"))
        topics = {t["name"]: t["id"] for t in self.page.op("topics")["add"]}
        self.page.send({"op": "pause"})
        clock = self.page.op("clock", lambda m: m["paused"])
        self.start, self.end = clock["start"], clock["end"]
        self.topics = topics
        for name in ("count", "once"):
            self.page.send({"op": "watch", "topic": topics[name], "rate": 100})

    def message(self, name, n):
        return self.page.op("message", lambda m: m["topic"] == self.topics[name] and m["value"]["n"] == n)

    def test_seek_shows_the_state(self):
        self.page.send({"op": "seek", "time": self.end})
        self.message("count", COUNT - 1)
        self.page.send({"op": "seek", "time": (self.start + self.end) / 2})
        self.message("once", -1)  # long before
        self.page.send({"op": "seek", "time": self.end + 1e6})
        self.assertAlmostEqual(self.page.op("clock", lambda m: m["time"] >= self.end)["time"], self.end)
        self.page.send({"op": "seek", "time": 0})
        self.page.op("clock", lambda m: m["time"] == self.start)

    def test_without_index(self):
        """The state is found in a file without an end, too."""
        cut = os.path.join(self.folder.name, "no-end.mcap")
        shutil.copy(self.file, cut)
        os.truncate(cut, os.path.getsize(cut) - 20)
        with View(ACH, cut) as view, view.socket() as page:
            topics = {t["name"]: t["id"] for t in page.op("topics")["add"]}
            page.send({"op": "pause"})
            clock = page.op("clock", lambda m: m["paused"])
            page.send({"op": "seek", "time": clock["end"]})
            page.send({"op": "watch", "topic": topics["once"], "rate": 100})
            self.assertEqual(page.op("message")["value"], {"n": -1})
            page.send({"op": "watch", "topic": topics["count"], "rate": 100})
            self.assertEqual(page.op("message", lambda m: m["topic"] == topics["count"])["value"], {"n": COUNT - 1})

    def test_seek_forgets(self):
        """At the beginning there is no message of "count" yet: clients must not go on showing a later one."""
        client = self.view.socket("foxglove.sdk.v1")
        self.addCleanup(client.close)
        channels = {c["topic"]: c["id"] for c in client.op("advertise")["channels"]}
        client.send({"op": "subscribe", "subscriptions": [
            {"id": i, "channelId": channels[name]} for i, name in enumerate(("count", "once"))]})
        self.page.send({"op": "plot", "plot": 1, "topic": self.topics["once"], "fields": ["n"]})
        self.page.send({"op": "seek", "time": self.end})
        self.message("count", COUNT - 1)
        client.until(lambda m: isinstance(m, bytes) and m.endswith(b'{"n":%d}' % (COUNT - 1)))
        self.page.send({"op": "seek", "time": self.start})
        sought = self.page.op("sought", lambda m: abs(m["time"] - self.start) < 1e-3)
        self.assertEqual(set(sought["empty"]), {self.topics["count"], self.topics["big"]})
        samples = self.page.until(lambda m: isinstance(m, bytes))
        self.assertAlmostEqual(struct.unpack_from("<d", samples, 21)[0], self.start, places=5)
        data = client.until(lambda m: isinstance(m, bytes) and (m[0] == 1 or abs(struct.unpack(
            "<Q", m[1:])[0] * 1e-9 - self.start) < 1e-3))
        self.assertEqual(data[0], 2, "the time must run backwards before its messages come")
        data = client.until(lambda m: isinstance(m, bytes))
        self.assertEqual((data[0], data[13:]), (1, b'{"n":-1}'))
        other = self.view.socket()  # a client that comes now gets no later message either
        self.addCleanup(other.close)
        other.op("topics")
        for name in ("count", "once"):
            other.send({"op": "watch", "topic": self.topics[name], "rate": 100})
        self.assertEqual(other.op("message")["value"], {"n": -1})

    def test_hidden_page_forgets(self):
        self.page.send({"op": "seek", "time": self.end})
        self.message("count", COUNT - 1)
        other = self.view.socket()
        self.addCleanup(other.close)
        other.op("topics")
        self.page.send({"op": "visible", "visible": False})
        self.page.send({"op": "nothing"})
        self.page.op("status")  # it is hidden
        other.send({"op": "seek", "time": self.start})
        other.op("sought")
        self.page.send({"op": "visible", "visible": True})
        self.assertIn(self.topics["count"], self.page.op("sought")["empty"])
        self.message("once", -1)

    def test_step(self):
        self.page.send({"op": "seek", "time": self.start})
        self.message("once", -1)
        for n in range(3):
            self.page.send({"op": "step"})
            seen = {}

            def shown(m):
                """Both have come, in any order."""
                if m["op"] == "message" and m["topic"] == self.topics["count"] and m["value"]["n"] == n:
                    seen["message"] = m["time"]
                elif m["op"] == "clock" and m["paused"]:
                    seen["clock"] = m["time"]
                return len(seen) == 2 and abs(seen["message"] - seen["clock"]) < 1e-5

            self.page.until(lambda m: isinstance(m, dict) and shown(m))

    def test_play_to_the_end_and_again(self):
        self.page.send({"op": "seek", "time": self.start})
        self.page.send({"op": "play", "speed": 1000})
        missing = {"message", "clock"}
        while missing:  # in any order
            m = self.page.until(lambda m: True)
            if m["op"] == "message" and m["value"]["n"] == COUNT - 1 or \
                    m["op"] == "clock" and m["paused"] and m["time"] == self.end and m["speed"] == 1000:
                missing.discard(m["op"])
        self.page.send({"op": "play", "speed": 100})
        self.message("count", COUNT - 1)
        for speed in ("0", "-1", "1e-300", "0.0009", "1000.1", "1e300", "1e999", '"fast"', "null"):
            self.page.text('{"op": "play", "speed": %s}' % speed)
            self.assertIn("from 0.001 to 1000", self.page.op("status")["message"], speed)

    def test_foxglove(self):
        client = self.view.socket("foxglove.sdk.v1")
        self.assertEqual(client.op("serverInfo")["capabilities"], ["time"])
        channel = next(c for c in client.op("advertise")["channels"] if c["topic"] == "count")
        client.send({"op": "subscribe", "subscriptions": [{"id": 3, "channelId": channel["id"]}]})
        client.send({"op": "nothing"})
        client.op("status")  # it is subscribed
        self.page.send({"op": "seek", "time": self.start})
        self.page.send({"op": "play", "speed": 50})
        seen, times = [], []
        while COUNT - 1 not in seen:
            data = client.until(lambda m: isinstance(m, bytes))
            if data[0] == 2:
                times.append(struct.unpack("<Q", data[1:])[0])
            else:
                seen.append(int(data[13:].split(b":")[1].rstrip(b"}")))
        self.assertEqual(seen[-COUNT:], list(range(COUNT)))
        self.assertTrue(times and all(self.start - 1 < t * 1e-9 < self.end + 1 for t in times))
        client.send({"op": "advertise", "channels": [{"id": 1, "topic": "count", "encoding": "json"}]})
        self.assertIn("may not publish", client.op("status")["message"])

    def test_damaged_chunk(self):
        """It is left out, and told once when a seek meets it."""
        with open(self.file, "rb") as f:
            data = bytearray(f.read())
        at, chunks = 8, []
        while data[at] != 15:
            length = 9 + struct.unpack_from("<Q", data, at + 1)[0]
            if data[at] == 6:
                chunks.append((at + length // 2, struct.unpack_from("<Q", data, at + 17)[0] / 1e9))
            at += length
        self.assertGreater(len(chunks), 2)
        for at, _ in chunks[1:3]:  # the first one is over when the beginning is shown
            data[at] ^= 0x55
        bad = os.path.join(self.folder.name, "bad.mcap")
        with open(bad, "wb") as f:
            f.write(data)
        with View(ACH, bad) as view:
            page = view.socket()
            topics = {t["name"]: t["id"] for t in page.op("topics")["add"]}
            page.send({"op": "pause"})
            for name in ("count", "once", "big"):
                page.send({"op": "watch", "topic": topics[name], "rate": 100})
            told = []
            for _, end in [*chunks[:3], chunks[1], chunks[2]]:
                page.send({"op": "seek", "time": end})
                while (m := page.until(lambda m: m["op"] in ("status", "sought")))["op"] == "status":
                    told.append(m["message"])
            self.assertIn(len(told), (1, 2), told)
            self.assertIn("bad.mcap: 2 chunks or records are bad", told[-1])
            page.send({"op": "play", "speed": 1000})
            page.op("message", lambda m: m["topic"] == topics["count"] and m["value"]["n"] == COUNT - 1)
            self.assertIn(told[-1], view.socket().op("status")["message"])  # who comes later is told, too

    def test_shortened_while_open(self):
        short = os.path.join(self.folder.name, "short.mcap")
        shutil.copy(self.file, short)
        with View(ACH, short) as view:
            page = view.socket()
            topics = {t["name"]: t["id"] for t in page.op("topics")["add"]}
            clock = page.op("clock")
            os.truncate(short, os.path.getsize(short) // 10)
            for name in ("count", "once", "big"):
                page.send({"op": "watch", "topic": topics[name], "rate": 100})
            told = 0
            for i in range(20):
                page.send({"op": "seek", "time": clock["start"] + i * (clock["end"] - clock["start"]) / 20})
                while page.until(lambda m: m["op"] in ("status", "sought"))["op"] == "status":
                    told += 1
            self.assertIn(told, (1, 2, 3))

    def test_damaged_files(self):
        cut = os.path.join(self.folder.name, "cut.mcap")
        shutil.copy(self.file, cut)
        os.truncate(cut, os.path.getsize(cut) - 100)
        with View(ACH, cut) as view:
            view.socket().op("topics", lambda m: len(m["add"]) == 3)
            self.assertIn("cut.mcap: ", view.socket().op("status")["message"])
        with open(cut, "rb+") as f:
            fcntl.lockf(f, fcntl.LOCK_EX)  # as a recorder does
            with View(ACH, cut) as view:
                self.assertIn("being recorded", view.socket().op("status")["message"])
        for name in ("cut.mcap", "cut.achlog"):
            with open(os.path.join(self.folder.name, name), "w") as f:
                f.write("no recording")
            run = subprocess.run([os.path.abspath(ACH), "view", "--port", "0", name], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, timeout=LIMIT, cwd=self.folder.name)
            self.assertEqual((run.returncode, run.stdout), (1, ""))
            self.assertIn(name, run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], warnings="ignore")
