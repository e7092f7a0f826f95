# SPDX-License-Identifier: BSD-3-Clause
"""Objects, schemas and memory that are made to crash the interpreter."""
import gc
import itertools
import signal
import sys
import unittest
import weakref

import ach
from support import LIMIT, ChannelTest, in_thread, python, sleeps

try:
    import numpy
except ImportError:
    numpy = None


class Number:
    """A number that calls a function when it is used."""

    def __init__(self, call, value):
        self.call, self.value = call, value

    def __float__(self):
        self.call()
        return float(self.value)

    def __index__(self):
        self.call()
        return int(self.value)


class Arguments(ChannelTest):
    def test_timeout_uses_the_handle(self):
        """The timeout of a get lets another thread wait on the same handle."""
        name = self.create()
        for wait in (lambda c, t: c.get(timeout=t), lambda c, t: c.view(timeout=t),
                     lambda c, t: c.get(timeout=t, into=bytearray(10))):
            c = self.open(name)
            joins = []

            def use(c=c, joins=joins):
                joins.append(in_thread(c.get))
                sleeps(c)

            with self.assertRaises(RuntimeError):
                wait(c, Number(use, 0))
            c.close()
            with self.assertRaises(ach.Closed):
                joins[0]()

    def test_numbers_close_the_handle(self):
        name = self.create()
        for call in (lambda c, n: c.get(timeout=n), lambda c, n: c.view(timeout=n),
                     lambda c, n: c.get(deadline=n), lambda c, n: ach.wait([c], n),
                     lambda c, n: c.reserve(n), lambda c, n: c.chmod(n)):
            c = self.open(name)
            with self.assertRaises(ach.Closed):
                call(c, Number(c.close, 1))

    def test_exit_of_views(self):
        """__exit__ with what is not a class of exceptions."""
        w, r = self.pair(1, 16)
        w.put(b"1")
        view = r.view()
        for _ in range(20):
            w.put(b"2" * 16)  # overwrites it
        for bad in (3, "x", object()):
            with self.assertRaises(TypeError):
                view.__exit__(bad, None, None)
        with self.assertRaises(ach.Overwritten):
            view.__exit__(ValueError, None, None)

    def test_mode(self):
        """A mode that does not fit into an int is not cut."""
        c = self.open(self.create())
        mode = c.info().mode
        for bad in (2**32 + 0o600, 2**70, -2**31 - 1, -1):
            with self.assertRaises((OverflowError, ach.Invalid)):
                c.chmod(bad)
        self.assertEqual(c.info().mode, mode)

    def test_second_view(self):
        """A signal handler makes a view while another one is awaited."""
        w, r = self.pair()
        w.put(b"1")
        r.flush()
        views = []

        def handler(*_):
            views.append(r.view(wait=False, copy=True))
            w.put(b"2")

        old = signal.signal(signal.SIGALRM, handler)
        self.addCleanup(signal.signal, signal.SIGALRM, old)
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with self.assertRaisesRegex(RuntimeError, "one view at a time"):
            r.view(timeout=LIMIT)
        self.assertEqual(bytes(views[0]), b"1")


class Schemas(unittest.TestCase):
    def test_endless_iterators(self):
        """Only as many elements are taken as a field may have, and one."""
        kind = ach.Type.from_text("demo/msg/T", "uint8[<=3] few\nuint8[3] three\nP[<=2] ps\n===\n"
                                                "MSG: demo/P\nuint8 x\n")
        for field, limit in (("few", 3), ("three", 3), ("ps", 2)):
            numbers = itertools.count()
            with self.assertRaisesRegex(ValueError, "elements instead of"):
                kind.encode({field: ({"x": n} if field == "ps" else n for n in numbers)})
            self.assertEqual(next(numbers), limit + 1)
        self.assertEqual(list(kind.decode(kind.encode({"few": iter([1, 2])})).few), [1, 2])


    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_large_dtype(self):
        """The layout of many structs does not take as many steps."""
        text = "P[1000000] ps\nuint8 end\n===\nMSG: demo/P\nQ[3] qs\n===\nMSG: demo/Q\nuint8 x\n"
        kind = ach.Type.from_text("demo/msg/T", text)
        steps = []
        old = sys.gettrace()
        sys.settrace(lambda frame, *_: steps.append(1))
        try:
            dtype = kind.dtype
        finally:
            sys.settrace(old)
        self.assertLess(len(steps), 10000)
        self.assertEqual((dtype.itemsize, dtype.fields["end"][1]), (3000001, 3000000))


class Memory(ChannelTest):
    def test_timestamp(self):
        """The largest timestamp that a forged message can have."""
        w, r = self.pair(timestamps=True)
        w.put(b"1")
        r.get()
        path = ach.path(r.name)
        with open(path, "r+b") as f:
            at = f.read().find(r.timestamp_ns.to_bytes(8, "little"))
            self.assertGreater(at, 0)
            f.seek(at)
            f.write(b"\xff" * 8)
        again = self.open(r.name)
        again.get()
        self.assertEqual(again.timestamp_ns, 2**64 - 1)


class Lifetimes(ChannelTest):
    def test_cycles(self):
        """A handle that refers to its own view or reservation is collected."""
        w, _ = self.pair()
        w.put(b"1")

        def keep(c, *things):
            c.things = things

        for make in (lambda c: keep(c, c.view(copy=True, wait=False)),
                     lambda c: keep(c, memoryview(c.view(copy=True, wait=False))[:1]),
                     lambda c: keep(c, c.reserve(4)),
                     lambda c: keep(c, memoryview(c.reserve(4))),
                     lambda c: keep(c, c.reserve(4).__enter__(), c.view(copy=True).__enter__())):
            c = ach.Channel(w.name)
            make(c)
            gone = weakref.ref(c)
            del c
            gc.collect()
            self.assertIsNone(gone())

    def test_interpreters(self):
        """A sub-interpreter cannot import ach, before or after the main one; nothing crashes."""
        for first in ("", "import ach"):
            done = python(first + """
import _xxsubinterpreters
i = _xxsubinterpreters.create()
_xxsubinterpreters.run_string(i, '''
import sys
sys.modules["numpy"] = None
try:
    import ach
except ImportError as e:
    print(e, flush=True)
''')
_xxsubinterpreters.destroy(i)
import ach
try:
    ach.unlink("missing")
except ach.NotFound:
    print("done")
""")
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (0, "ach cannot be used in a sub-interpreter\ndone\n", ""))

    def test_no_init(self):
        """Handles of a subclass that does not call __init__ are closed."""
        class Handle(ach.Channel):
            def __init__(self):
                pass

        class Remote(ach.Device):
            def __init__(self):
                pass

        handle, remote = Handle(), Remote()
        self.assertTrue(handle.close())
        self.assertTrue(handle.closed and remote.closed)
        for call in (handle.flush, handle.cancel, handle.resume, handle.fileno, handle.info,
                     lambda: handle._put(b"1"), lambda: handle.reserve(1), handle.view,
                     lambda: handle._get(0, None, False, None), lambda: ach.wait([handle]),
                     lambda: handle.seq, lambda: handle.timestamp_ns, lambda: handle.chmod(0),
                     remote.close, remote.flush, remote.fileno, lambda: remote.lost,
                     lambda: remote._get(0, 0, None), lambda: remote._command(1, None),
                     lambda: remote._request(1, None, 1.0), lambda: remote.rights):
            with self.assertRaises(ach.Closed):
                call()

    def test_init_again(self):
        """A second __init__ of an open handle changes nothing."""
        w, r = self.pair()
        w.put(b"1")
        with self.assertRaises(ValueError):
            r.__init__(r.name, decode=len)
        self.assertEqual(r.get(), b"1")

    def test_import_again(self):
        """A second copy of the extension does not harm objects of the first one."""
        done = python("""
import sys, ach
ach.create("again.hostile", exist_ok=True)
old = ach.Channel("again.hostile")
for name in [n for n in sys.modules if n.startswith("ach")]:
    del sys.modules[name]
import ach as new
for call in (lambda: old.put(b"1"), lambda: old.get(), lambda: new.wait([old], 0),
             lambda: ach.wait([old], 0), lambda: ach.unlink("missing"),
             lambda: bytes(old.view(copy=True, wait=False))):
    try:
        call()
    except Exception as e:
        print(type(e).__name__)
new.unlink("again.hostile")
del old, ach
""")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)


if __name__ == "__main__":
    unittest.main()
