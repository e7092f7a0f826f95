# SPDX-License-Identifier: BSD-3-Clause
"""Messages without a copy: views and reservations, and buffers that exist longer."""
import gc
import unittest

import ach
from support import ChannelTest, python

try:
    import numpy
except ImportError:
    numpy = None


def mapped(name):
    """How often this process maps a channel's file, achshm-NAME, or its device, ach-NAME."""
    with open("/proc/self/maps", encoding="utf-8") as f:
        return sum(f"-{name}" in line for line in f)


class View(ChannelTest):
    def test_view(self):
        w, r = self.pair()
        w.put(b"12345")
        with r.view() as v:
            self.assertIsInstance(v, memoryview)
            self.assertTrue(v.readonly)
            self.assertEqual(bytes(v), b"12345")
        with self.assertRaises(ValueError):  # released
            bytes(v)
        with self.assertRaises(TypeError):
            type(r.view)()

    def test_overwritten(self):
        w, r = self.pair(2, 200)
        w.put(b"1" * 100)
        with self.assertRaises(ach.Overwritten) as caught:
            with r.view():
                for _ in range(9):
                    w.put(b"2" * 100)
        self.assertEqual(caught.exception.status, ach.Status.EAGAIN)

    def test_overwritten_explains_an_exception(self):
        w, r = self.pair(2, 200)
        interrupt = KeyboardInterrupt
        for error, expected in ((interrupt, interrupt), (KeyError, ach.Overwritten)):
            w.put(b"1" * 100)
            with self.assertRaises(expected) as caught:
                with r.view(last=True):
                    for _ in range(9):
                        w.put(b"2" * 100)
                    raise error
        self.assertIsInstance(caught.exception.__context__, KeyError)

    def test_outstanding(self):
        w, r = self.pair(2, 200)
        w.put(b"1" * 100)
        with self.assertRaises(ach.Overwritten):
            with r.view() as v:
                inner = memoryview(v)
                for _ in range(9):
                    w.put(b"2" * 100)
        self.assertEqual(len(inner), 100)

    def test_close_keeps_the_mapping(self):
        name = self.create(4, 100)
        with ach.Channel(name) as w:
            w.put(b"1" * 100)
        r = self.open(name)
        with r.view() as v:
            part = v[10:20]
            self.assertFalse(r.close())
            self.assertTrue(r.closed)
            self.assertTrue(r.mapped)
        self.assertEqual(bytes(part), b"1" * 10)
        self.assertGreater(mapped(name), 0)
        part.release()
        self.assertFalse(r.mapped)
        self.assertEqual(mapped(name), 0)

    def test_channel_goes_first(self):
        name = self.create(4, 100)
        with ach.Channel(name) as w:
            w.put(b"1" * 100)
        part = memoryview(ach.Channel(name).view())
        gc.collect()
        self.assertEqual(bytes(part), b"1" * 100)
        del part
        self.assertEqual(mapped(name), 0)

    def test_one_at_a_time(self):
        w, r = self.pair()
        w.put(b"1")
        w.put(b"2")
        view = r.view()
        with self.assertRaises(RuntimeError):
            r.view()
        self.assertEqual(r.get(), b"2")
        self.assertTrue(view.intact)
        self.assertTrue(view.release())
        with self.assertRaises(ach.Invalid):
            view.intact
        with self.assertRaises(BufferError):
            memoryview(view)
        with r.view(copy=True, wait=False) as v:
            self.assertEqual(bytes(v), b"2")

    def test_twice(self):
        w, r = self.pair()
        w.put(b"1")
        view = r.view()
        with view:
            with self.assertRaises(RuntimeError):
                view.__enter__()

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_numpy(self):
        w, r = self.pair(4, 100)
        w.put(numpy.arange(10.0))
        with r.view() as v:
            a = numpy.frombuffer(v)
            self.assertFalse(a.flags.writeable)
        r.close()
        self.assertTrue(r.mapped)
        self.assertEqual(a.sum(), 45)
        del a
        self.assertFalse(r.mapped)

    def test_exit_of_the_interpreter(self):
        """Views that exist at the end of a program."""
        name = self.create()
        with ach.Channel(name) as w:
            w.put(b"1")
        done = python("import sys, ach\nr = ach.Channel(sys.argv[1])\nview = r.view()\n"
                      "v = view.__enter__()\nr.close()\nprint(bytes(v))", name)
        self.assertEqual((done.returncode, done.stdout), (0, "b'1'\n"), done.stderr)


class Reservation(ChannelTest):
    def kinds(self):
        """A channel where a reservation is a private buffer, and one where it is in place."""
        for i, single in enumerate((False, True)):
            with self.subTest(single_writer=single):
                yield self.pair(4, 100, name=f"k{i}", single_writer=single)

    def test_reserve(self):
        for w, r in self.kinds():
            with w.reserve(5) as b:
                b[:] = b"12345"
            self.assertEqual(r.get(), b"12345")
            with self.assertRaises(ValueError):
                b[0]

    def test_smaller(self):
        for w, r in self.kinds():
            reservation = w.reserve(100)
            with reservation as b:
                b[:3] = b"abc"
                reservation.size = 3
            self.assertEqual(r.get(), b"abc")
            for bad in (0, 101):
                with self.assertRaises(ValueError):
                    reservation.size = bad
            with self.assertRaises(AttributeError):
                del reservation.size

    def test_exception(self):
        for w, r in self.kinds():
            with self.assertRaises(KeyError):
                with w.reserve(5) as b:
                    b[:] = b"12345"
                    raise KeyError
            self.assertIsNone(r.get(wait=False, default=None))
            w.put(b"1")
            self.assertEqual(r.get(), b"1")

    def test_outstanding(self):
        for w, r in self.kinds():
            with self.assertRaises(BufferError):
                with w.reserve(5) as b:
                    kept = memoryview(b)
            self.assertIsNone(r.get(wait=False, default=None))
            with self.assertRaises(BufferError):
                w.reserve(100)
            if w.info().single_writer:
                with self.assertRaises(BufferError):
                    w.put(b"1")
            kept[:] = b"01234"
            kept.release()
            with w.reserve(3) as b:
                b[:] = b"abc"
            self.assertEqual(r.get(), b"abc")

    def test_by_hand(self):
        for w, r in self.kinds():
            reservation = w.reserve(5)
            with memoryview(reservation) as b:
                b[:] = b"12345"
            with self.assertRaises(ach.Invalid):
                reservation.commit(6)
            reservation.commit(2)
            self.assertEqual(r.get(), b"12")
            for call in (reservation.commit, reservation.abort):
                with self.assertRaises(ach.Invalid):
                    call()
            with self.assertRaises(BufferError):
                memoryview(reservation)

    def test_again(self):
        """A second reservation drops the first."""
        for w, r in self.kinds():
            first = w.reserve(5)
            second = w.reserve(3)
            with self.assertRaises(ach.Invalid):
                first.commit()
            del first
            second.commit()
            self.assertEqual(len(r.get()), 3)

    def test_dropped(self):
        for w, r in self.kinds():
            del_me = w.reserve(5)
            del del_me
            w.put(b"1")
            self.assertEqual(r.get(), b"1")

    def test_close(self):
        for w, _ in self.kinds():
            with self.assertRaises(ach.Closed):
                with w.reserve(5) as b:
                    w.close()
                    b[:] = b"12345"  # the memory is still there
            self.assertFalse(w.mapped)

    def test_large(self):
        w, r = self.pair(4, 100000)
        with w.reserve(300000) as b:
            b[:] = b"x" * 300000
        self.assertEqual(r.get(), b"x" * 300000)


if __name__ == "__main__":
    unittest.main()
