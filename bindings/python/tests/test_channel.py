# SPDX-License-Identifier: BSD-3-Clause
"""Channels: put and get, options, attributes, errors."""
import array
import errno
import json
import os
import pickle
import time
import unittest

import ach
from ach import _ach
from support import LIMIT, ChannelTest


class PutAndGet(ChannelTest):
    def test_order(self):
        w, r = self.pair()
        for i in range(5):
            w.put(bytes([i]))
        self.assertEqual([r.get() for _ in range(5)], [bytes([i]) for i in range(5)])
        with self.assertRaises(ach.Again):
            r.get(wait=False)
        self.assertIsNone(r.get(wait=False, default=None))
        self.assertEqual(r.get(wait=False, copy=True), b"\x04")
        self.assertEqual(r.seq, 5)

    def test_newest(self):
        w, r = self.pair()
        for i in range(5):
            w.put(bytes([i]))
        self.assertEqual(r.get(last=True), b"\x04")
        self.assertEqual(r.missed, (4, 4))
        self.assertEqual(r.missed.total, 4)
        self.assertEqual(r.status, ach.Status.MISSED_FRAME)

    def test_buffers(self):
        w, r = self.pair(4, 1000)
        messages = (b"bytes", bytearray(b"array"), memoryview(b"view"), array.array("d", [1.5]))
        for message in messages:
            w.put(message)
            self.assertEqual(r.get(), bytes(memoryview(message).cast("B")))
        with self.assertRaises(BufferError):
            w.put(memoryview(b"0123")[::2])
        for message in ("text", 1, None, [1]):
            with self.assertRaises(TypeError):
                w.put(message)
        with self.assertRaises(ach.Invalid):
            w.put(b"")

    def test_sizes(self):
        w, r = self.pair(4, 100000)
        for size in (1, 80, 81, 1023, 1024, 1025, 65535, 65536, 65537, 400000):
            message = os.urandom(size)
            w.put(message)
            self.assertEqual(r.get(), message)

    def test_overflow(self):
        """The exception has the sizes of the message and of the channel or buffer."""
        w, r = self.pair(4, 100000, relayed=True)
        for call in (lambda: w.put(bytes(400001)), lambda: w.put_relayed(bytes(400001), (1, 2, 3)),
                     lambda: w.reserve(400001)):
            with self.assertRaises(ach.Overflow) as caught:
                call()
            e = caught.exception
            self.assertEqual((e.size, e.room), (400001, w.info().capacity))
            self.assertIn("has 400001 bytes; the channel has room for 400000 bytes", str(e))
        w.put(bytes(5))
        with self.assertRaises(ach.Overflow) as caught:
            r.get(into=bytearray(3))
        e = caught.exception
        self.assertEqual((e.size, e.room), (5, 3))
        self.assertIn("has 5 bytes; the buffer has room for 3 bytes", str(e))

    def test_into(self):
        w, r = self.pair()
        w.put(b"12345")
        buffer = bytearray(3)
        with self.assertRaises(ach.Overflow) as caught:
            r.get(into=buffer)
        self.assertEqual(caught.exception.size, 5)
        buffer = bytearray(b"........")
        self.assertEqual(r.get(into=buffer), 5)
        self.assertEqual(buffer, b"12345...")
        w.put(b"1")
        with self.assertRaises((BufferError, TypeError)):
            r.get(into=b"read-only")

    def test_flush(self):
        w, r = self.pair()
        w.put(b"1")
        r.flush()
        self.assertIsNone(r.get(wait=False, default=None))

    def test_iterate(self):
        w, r = self.pair()
        w.put(b"1")
        w.put(b"2")
        got = []
        for message in r:
            got.append(message)
            if len(got) == 2:
                r.cancel()
        self.assertEqual(got, [b"1", b"2"])
        with self.assertRaises(ach.Canceled):
            r.get()
        r.resume()
        r.close()
        with self.assertRaises(ach.Closed):
            next(iter(r))

    def test_timeout(self):
        _, r = self.pair()
        for options in ({"timeout": 0.01}, {"timeout": 0}, {"timeout": -1},
                        {"deadline": r.now() + 0.01}, {"deadline": 0}):
            with self.assertRaises(TimeoutError) as caught:
                r.get(**options)
            self.assertEqual(caught.exception.status, ach.Status.TIMEOUT)
            self.assertIsNone(r.get(default=None, **options))
        with self.assertRaises(ValueError):
            r.get(timeout=float("nan"))
        with self.assertRaises(TypeError):
            r.get(timeout="1")

    def test_timeout_takes_its_time(self):
        _, r = self.pair()
        for seconds in (0.03, 0.25):  # shorter and longer than a slice of the wait
            start = time.monotonic()
            self.assertIsNone(r.get(timeout=seconds, default=None))
            self.assertGreaterEqual(time.monotonic() - start, seconds)

    def test_linked(self):
        w, r = self.pair()
        w.put(b"1")
        ach.unlink(w.name)
        self.assertEqual(list(r.messages(linked=True)), [b"1"])
        with self.assertRaises(FileNotFoundError):
            r.get(wait=False, linked=True)


class Options(ChannelTest):
    def test_create(self):
        name = self.create(3, 50, timestamps=True, clock=time.CLOCK_REALTIME, mode=0o600)
        with ach.Channel(name, readonly=True) as r:
            i = r.info()
            self.assertEqual((i.frame_cnt, i.frame_size, i.mode, i.map), (3, 50, 0o600, "user"))
            self.assertTrue(i.timestamps and i.readonly)
            self.assertEqual(r.clock, time.CLOCK_REALTIME)
            with self.assertRaises(PermissionError):
                r.put(b"1")

    def test_exists(self):
        name = self.create()
        with self.assertRaises(FileExistsError):
            ach.create(name)
        ach.create(name, exist_ok=True)
        old = self.open(name)
        ach.create(name, truncate=True)
        with self.assertRaises(ach.Corrupt):
            old.get(wait=False)
        self.assertIn(ach.Listed(name, "user"), ach.list())
        self.assertTrue(os.path.exists(ach.path(name)))

    def test_timestamp(self):
        w, r = self.pair(timestamps=True)
        with self.assertRaises(ach.Again):
            r.timestamp
        before = time.monotonic_ns()
        w.put(b"1")
        r.get()
        self.assertTrue(before <= r.timestamp_ns <= time.monotonic_ns())
        self.assertAlmostEqual(r.timestamp, r.timestamp_ns / 1e9, 3)
        _, other = self.pair(name="b")
        with self.assertRaises(ach.NotSupported):
            other.timestamp

    def test_relayed(self):
        w, r = self.pair(relayed=True)
        w.put_relayed(b"1", ach.Origin(2**64 - 1, 8, 9))
        r.get()
        self.assertEqual(r.origin, (2**64 - 1, 8, 9))
        w.put(b"1")
        r.get()
        self.assertEqual(r.origin, (0, 0, 0))
        with self.assertRaises(OverflowError):
            w.put_relayed(b"1", (2**64, 0, 0))
        other, _ = self.pair(name="b")
        with self.assertRaises(ach.NotSupported):
            other.put_relayed(b"1", (1, 2, 3))

    def test_source(self):
        name = self.create(single_writer=True)
        with self.assertRaises(PermissionError):
            self.open(name).put(b"1")
        first = self.open(name, source=True)
        with self.assertRaises(BlockingIOError):
            ach.Channel(name, source=True)
        first.close()
        self.open(name, source=True).put(b"1")

    def test_heap(self):
        memory = ach.create("any", 4, 16, map="anon")
        w, r = self.open(memory), self.open(memory)
        self.assertEqual(w.map, "anon")
        del memory
        w.put(b"1")
        w.close()
        self.assertEqual(r.get(), b"1")
        with self.assertRaises(TypeError):
            ach.Channel(object())

    def test_chmod(self):
        w, _ = self.pair()
        w.chmod(0o640)
        self.assertEqual(w.info().mode, 0o640)

    def test_wait(self):
        a, b = self.open(self.create(name="a")), self.open(self.create(name="b"))
        with self.assertRaises(TimeoutError):
            ach.wait([a, b], 0.01)
        b.put(b"1")
        self.assertEqual(ach.wait([a, b], LIMIT), {b: ach.Status.OK})
        self.assertEqual(ach.wait([a, b], deadline=time.monotonic() + LIMIT), {b: ach.Status.OK})
        for bad, error in (([], ValueError), ([a, a], ValueError), ([a] * 65, ValueError),
                           ([a, 1], TypeError)):
            with self.assertRaises(error):
                ach.wait(bad, 0)
        a.close()
        with self.assertRaises(ach.Closed):
            ach.wait([a, b])

    def test_period(self):
        period = ach.Period(0.001)
        start = time.monotonic()
        self.assertEqual(period.wait(), 0)
        time.sleep(0.01)
        self.assertGreaterEqual(next(iter(period)), 8)
        self.assertGreaterEqual(time.monotonic() - start, 0.01)
        for bad in (0, -1, float("nan"), float("inf")):
            with self.assertRaises(ach.Invalid):
                ach.Period(bad)


class Errors(ChannelTest):
    def test_statuses(self):
        """The statuses are those of libach, and each error has an exception."""
        with open(os.environ["API"], encoding="utf-8") as f:
            real = json.load(f)["enums"]["ach_status"]
        self.assertEqual({f"ACH_{n}": int(s) for n, s in ach.Status.__members__.items()},
                         {n: s["value"] for n, s in real.items()})
        classes = {c.status for c in ach.Error.__subclasses__()}
        self.assertEqual(classes, set(ach.Status) - {ach.Status.OK, ach.Status.MISSED_FRAME})

    def test_constants(self):
        """The numbers that the C part exports are those of the headers."""
        with open(os.environ["API"], encoding="utf-8") as f:
            api = json.load(f)
        real = {n: v["value"] for e in api["enums"].values() for n, v in e.items()}
        real.update(api["constants"])
        exported = {n: v for n, v in vars(_ach).items() if n.startswith("ACH_")}
        self.assertEqual(exported, {n: real.get(n) for n in exported})
        named = {n for n in exported if n.startswith(("ACH_MAP_", "ACH_READY_"))}
        self.assertEqual(named, {*api["enums"]["ach_map"], *api["enums"]["ach_ready"]})

    def test_missing(self):
        with self.assertRaises(ach.NotFound) as caught:
            ach.Channel("missing")
        e = caught.exception
        self.assertIsInstance(e, FileNotFoundError)
        self.assertEqual((e.status, e.errno), (ach.Status.ENOENT, errno.ENOENT))
        self.assertIn("'missing'", str(e))

    def test_names(self):
        for bad in ("bad/name", ".x", "", "x" * 64, "a\0b", "ü", "\udcff"):
            for call in (ach.create, ach.Channel, ach.unlink, ach.path):
                with self.assertRaises((ach.InvalidName, UnicodeError), msg=(bad, call)):
                    call(bad)
        for bad in (1, None, b"bytes"):
            with self.assertRaises(TypeError):
                ach.unlink(bad)

    def test_text(self):
        """The name of the channel is in the text, even if the text contains it by chance."""
        for name in ("time", "t", "imu"):
            self.assertEqual(str(ach.Timeout(name)), f"{name}: the time ran out")
        self.assertEqual(str(ach.NotFound("imu", "there is no 'imu'")), "there is no 'imu'")
        self.assertEqual(str(ach.NotFound("no", "there is none")), "no: there is none")

    def test_create_arguments(self):
        for bad in ({"frame_count": 2**64}, {"frame_size": -1}, {"mode": -1}, {"mode": 0o1000},
                    {"clock": -5}):
            with self.assertRaises(ValueError, msg=bad):
                ach.create("a", **bad)
        with self.assertRaisesRegex(TypeError, "ach.Type"):
            ach.create("a", type=3)
        self.addCleanup(os.unlink, ach.path("junk"))
        with open(ach.path("junk"), "wb") as f:
            f.write(b"no channel")
        with self.assertRaises(ach.BadFile):
            ach.create("junk", exist_ok=True)

    def test_system(self):
        with self.assertRaises(ach.Error) as caught:
            ach.create("large", 2**40, 2**20)
        self.assertIsInstance(caught.exception, (OSError, ValueError))

    def test_closed(self):
        w, _ = self.pair()
        self.assertTrue(w.close())
        self.assertTrue(w.close())
        self.assertTrue(w.closed)
        calls = [lambda: w.put(b"1"), w.get, w.view, lambda: w.reserve(1), w.flush, w.cancel,
                 w.resume, w.fileno, w.info, lambda: w.seq, lambda: w.missed, lambda: w.map,
                 lambda: w.clock, lambda: w.chmod(0o600), lambda: w.timestamp, lambda: w.origin]
        for call in calls:
            with self.assertRaises(ach.Closed):
                call()
        self.assertIn("closed", repr(w))

    def test_arguments(self):
        name = self.create()
        for options in ({"spin": -1}, {"spin": float("nan")}, {"lock_timeout": 1e30}, {"map": "x"}):
            with self.assertRaises(ValueError):
                ach.Channel(name, **options)
        for options in ({"type": 3}, {"decode": 3}, {"encode": "x"}, {"spin": None}):
            with self.assertRaises(TypeError):
                ach.Channel(name, **options)
        for bad in (5, None, b"bytes"):
            with self.assertRaisesRegex(TypeError, "the name of a channel"):
                ach.Channel(bad)
        w = self.open(name)
        with self.assertRaisesRegex(TypeError, "several channels"):
            ach.wait(w, 0.1)
        for size in (0, -1, 2**62):
            with self.assertRaises(ValueError):
                w.reserve(size)
        with self.assertRaises(OverflowError):
            w.reserve(2**70)
        with self.assertRaises(TypeError):
            pickle.dumps(w)
        with self.assertRaises(ValueError):
            w._open(name, None, 0, False, False, 0, 0, None)


if __name__ == "__main__":
    unittest.main()
