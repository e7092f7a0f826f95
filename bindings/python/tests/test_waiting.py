# SPDX-License-Identifier: BSD-3-Clause
"""Waiting: threads, signals, fork, descriptors, asyncio, and the end of the interpreter."""
import asyncio
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
import unittest

import ach
from support import LIMIT, ChannelTest, in_thread, python, sleeps


class Threads(ChannelTest):
    def test_gil(self):
        """Other threads run while one waits."""
        w, r = self.pair()
        join = in_thread(lambda: r.get(timeout=LIMIT))
        sleeps(r)
        w.put(b"1")
        self.assertEqual(join(), b"1")

    def test_cancel(self):
        _, r = self.pair()
        join = in_thread(r.get)
        sleeps(r)
        r.cancel()
        with self.assertRaises(ach.Canceled):
            join()
        r.resume()

    def test_close_ends_waits(self):
        name = self.create()
        waits = [lambda c: c.get(), lambda c: c.view(), lambda c: ach.wait([c]),
                 lambda c: c.get(timeout=LIMIT), lambda c: list(c)]
        for wait in waits:
            r = self.open(name)
            join = in_thread(wait, r)
            sleeps(r)
            r.close()
            if wait is waits[-1]:
                self.assertEqual(join(), [])
            else:
                with self.assertRaises(ach.Closed):
                    join()
            self.assertFalse(r.mapped)

    def test_misuse(self):
        """A second thread on the same handle gets an exception; put works."""
        w, r = self.pair()
        join = in_thread(r.get)
        sleeps(r)
        for call in (r.get, r.view, r.flush, r.fileno, r.info, lambda: r.seq, lambda: r.missed,
                     lambda: ach.wait([w, r], 0), lambda: r.reserve(1), lambda: r.chmod(0o600)):
            with self.assertRaises(RuntimeError):
                call()
        r.put(b"1")
        self.assertEqual(join(), b"1")

    def test_many_writers(self):
        """Threads that put through one handle, small and large messages."""
        w, r = self.pair(64, 200000)
        joins = [in_thread(lambda i=i: [w.put(bytes([i]) * size) for size in (10, 150000) * 50])
                 for i in range(4)]
        seen = 0
        while seen < 400:
            message = r.get(timeout=LIMIT)
            self.assertEqual(message, message[:1] * len(message))
            seen = r.seq
        for join in joins:
            join()

    def test_close_during_puts(self):
        for _ in range(20):
            w, _ = self.pair(4, 200000)
            self.remove(w.name)
            joins = [in_thread(self.put_until_closed, w) for _ in range(3)]
            time.sleep(0.002)
            w.close()
            for join in joins:
                join()
            self.assertFalse(w.mapped)

    @staticmethod
    def put_until_closed(w):
        try:
            while True:
                w.put(bytes(150000))
        except ach.Closed:
            pass

    def test_daemon(self):
        """The interpreter ends while a thread waits."""
        name = self.create()
        for wait in ("c.get()", "c.view()", "ach.wait([c])", "ach.Period(1000).wait()"):
            done = python(
                "import sys, threading, time, ach\nc = ach.Channel(sys.argv[1])\n"
                f"threading.Thread(target=lambda: {wait}, daemon=True).start()\n"
                "time.sleep(0.05)\nprint('end')", name)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "end\n", ""))


class Signals(ChannelTest):
    def test_interrupt(self):
        """Ctrl-C ends each kind of wait of the main thread."""
        name = self.create()
        for wait in ("c.get()", "c.get(timeout=1e6)", "c.view()", "ach.wait([c])", "next(iter(c))",
                     "ach.Period(1e6).wait()", "asyncio.run(c.aget())"):
            with subprocess.Popen(
                    [sys.executable, "-c",
                     "import asyncio, sys, ach\nc = ach.Channel(sys.argv[1])\n"
                     f"try:\n    print('waits', flush=True)\n    {wait}\n"
                     "except KeyboardInterrupt:\n    print('interrupted', c.seq)", name],
                    stdout=subprocess.PIPE, text=True) as process:
                self.assertEqual(process.stdout.readline(), "waits\n")
                time.sleep(0.02)
                process.send_signal(signal.SIGINT)
                start = time.monotonic()
                self.assertEqual(process.stdout.readline(), "interrupted 0\n", wait)
                self.assertLess(time.monotonic() - start, LIMIT)

    def test_handler(self):
        """A signal handler runs during a wait, and may use the handle."""
        w, r = self.pair()
        old = signal.signal(signal.SIGUSR1, lambda *_: w.put(str(r.seq).encode()))
        self.addCleanup(signal.signal, signal.SIGUSR1, old)
        timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGUSR1))
        timer.start()
        self.assertEqual(r.get(timeout=LIMIT), b"0")
        timer.join()

    def test_handler_closes(self):
        for wait in (lambda c: c.get(), lambda c: ach.wait([c])):
            _, r = self.pair()
            self.remove(r.name)
            old = signal.signal(signal.SIGUSR1, lambda *_, r=r: r.close())
            timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGUSR1))
            timer.start()
            with self.assertRaises(ach.Closed):
                wait(r)
            timer.join()
            signal.signal(signal.SIGUSR1, old)


class Fork(ChannelTest):
    def test_fork(self):
        """Parent and child have their own read positions and descriptors."""
        w, r = self.pair()
        r.fileno()
        w.put(b"1")
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                selector = selectors.DefaultSelector()
                selector.register(r, selectors.EVENT_READ)
                if r.get() == b"1" and r.get(timeout=LIMIT) == b"2":
                    w.put(b"child")
                    r.close()
                    status = 0
            finally:
                os._exit(status)
        w.put(b"2")
        self.assertEqual([r.get(timeout=LIMIT) for _ in range(3)], [b"1", b"2", b"child"])
        self.assertEqual(os.waitpid(pid, 0)[1], 0)

    def test_fork_during_a_wait(self):
        """The thread that waits does not exist in the child; its handle stays unusable there."""
        w, r = self.pair()
        join = in_thread(r.get)
        sleeps(r)
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                try:
                    r.get(wait=False)
                except RuntimeError:
                    r.close()
                    status = 0
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        w.put(b"1")
        self.assertEqual(join(), b"1")


class Descriptors(ChannelTest):
    def test_selectors(self):
        w, r = self.pair()
        with selectors.DefaultSelector() as selector:
            selector.register(r, selectors.EVENT_READ)
            self.assertEqual(selector.select(0), [])
            w.put(b"1")
            self.assertEqual(len(selector.select(LIMIT)), 1)
            r.get()
            self.assertIsNone(r.get(wait=False, default=None))
            self.assertEqual(selector.select(0), [])


class Asyncio(ChannelTest):
    def run_tasks(self, *tasks):
        async def main():
            return await asyncio.wait_for(asyncio.gather(*tasks), LIMIT)
        return asyncio.run(main())

    async def put_later(self, w, *messages):
        for message in messages:
            await asyncio.sleep(0.002)
            w.put(message)

    def test_aget(self):
        w, r = self.pair()
        self.assertEqual(self.run_tasks(r.aget(), self.put_later(w, b"1"))[0], b"1")
        before = threading.active_count()
        self.assertEqual(self.run_tasks(r.aget(), self.put_later(w, b"2"))[0], b"2")
        self.assertEqual(threading.active_count(), before)

    def test_async_for(self):
        w, r = self.pair()

        async def read():
            got = []
            async for message in r:
                got.append(message)
                if len(got) == 3:
                    r.cancel()
            return got

        self.assertEqual(self.run_tasks(read(), self.put_later(w, b"1", b"2", b"3"))[0],
                         [b"1", b"2", b"3"])

    def test_timeout(self):
        w, r = self.pair()
        self.assertEqual(self.run_tasks(r.aget(timeout=0.01, default="none")), ["none"])
        with self.assertRaises(ach.Timeout):
            self.run_tasks(r.aget(timeout=0.01))
        with self.assertRaises(ach.Timeout):
            self.run_tasks(r.aget(deadline=r.now() + 0.01))
        with self.assertRaises(ValueError):
            self.run_tasks(r.aget(timeout=float("nan")))
        w.put(b"1")
        self.assertEqual(self.run_tasks(r.aget(timeout=0)), [b"1"])

    def test_several_tasks(self):
        """Each task gets a message of its own."""
        w, r = self.pair()
        got = self.run_tasks(r.aget(), r.aget(), r.aget(), self.put_later(w, b"1", b"2", b"3"))
        self.assertEqual(sorted(got[:3]), [b"1", b"2", b"3"])

    def test_close(self):
        _, r = self.pair()

        async def close():
            await asyncio.sleep(0.01)
            r.close()

        async def read():
            with self.assertRaises(ach.Closed):
                await r.aget()
            return True

        self.assertEqual(self.run_tasks(read(), read(), close())[:2], [True, True])
        self.assertFalse(r.mapped)

    def test_end_from_elsewhere(self):
        """A thread, or another task, closes or cancels a handle that a task waits for."""
        async def main(r, end):
            task = asyncio.create_task(r.aget())
            await asyncio.sleep(0.01)
            start = time.monotonic()
            end()
            with self.assertRaises((ach.Closed, ach.Canceled)):
                await asyncio.wait_for(task, 2 * LIMIT)
            self.assertLess(time.monotonic() - start, LIMIT)

        for in_other in (False, True):
            for name in ("close", "cancel"):
                _, r = self.pair(name=f"{in_other}{name}")
                end = getattr(r, name)
                asyncio.run(main(r, threading.Timer(0.02, end).start if in_other else end))

    def test_loops(self):
        """Tasks of two event loops wait for one handle, one after the other; one loop is gone."""
        w, r = self.pair()
        loop = asyncio.new_event_loop()
        left = loop.create_task(r.aget())
        loop.run_until_complete(asyncio.sleep(0.01))
        self.assertEqual(self.run_tasks(r.aget(), self.put_later(w, b"1"))[0], b"1")
        loop.close()
        r.close()
        self.assertFalse(left.done())
        left._log_destroy_pending = False

    def test_cancel_of_a_task(self):
        w, r = self.pair()

        async def main():
            first, second = asyncio.ensure_future(r.aget()), asyncio.ensure_future(r.aget())
            await asyncio.sleep(0.01)
            first.cancel()
            await asyncio.sleep(0)
            w.put(b"1")
            return await asyncio.wait_for(second, LIMIT)

        self.assertEqual(asyncio.run(main()), b"1")
        self.assertEqual(r._waiters._loops, {})


if __name__ == "__main__":
    unittest.main()
