# SPDX-License-Identifier: BSD-3-Clause
"""Devices, of a server with a fake driver. ACH is the program ach, ROBOT its config file."""
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
from support import LIMIT, in_thread, python

WHERE = "40078"


class Device(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen(
            [os.environ["ACH"], "serve", "--no-tcp", "--port", WHERE, os.environ["ROBOT"]],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        cls.addClassCleanup(cls.stop)
        for line in cls.server.stdout:
            if line.startswith("serving"):
                return
        raise AssertionError("the server did not start")

    @classmethod
    def stop(cls):
        cls.server.terminate()
        cls.server.wait(LIMIT)
        cls.server.stdout.close()

    def open(self, name):
        device = ach.device(f"{WHERE}:{name}", timeout=LIMIT)
        self.addCleanup(device.__exit__)
        return device

    def test_list(self):
        found = ach.devices(WHERE)
        self.assertEqual(len(found), 4)
        self.assertTrue(any("laser" in d.address for d in found), found)

    def test_get(self):
        laser = self.open("laser:0")
        scan = laser.get("SCAN", timeout=LIMIT)
        self.assertEqual(list(scan.ranges), [1, 2.5, 3, 4])
        self.assertEqual(list(scan.intensity), [0, 1, 2, 255])
        self.assertEqual((scan.id, scan.max_angle, scan._name), (7, 0.5, "SCAN"))
        self.assertAlmostEqual(scan._timestamp, time.time(), delta=2 * LIMIT)
        self.assertEqual(laser.get("scan", timeout=LIMIT, last=True).id, 7)
        self.assertEqual((laser.interface, laser.transport, laser.lost), ("laser", "channel", 0))
        self.assertIn("data", laser.rights)
        self.assertIn("ranges", laser.describe())

    def test_iterate(self):
        laser = self.open("laser:0")
        for i, scan in enumerate(laser):
            self.assertEqual(scan._name, "SCAN")
            if i == 3:
                break

    def test_timeout(self):
        board = self.open("blackboard:0")
        with self.assertRaises(ach.Again):
            board.get(wait=False)
        with self.assertRaises(TimeoutError):
            board.get(timeout=0.01)
        self.assertIsNone(board.get(timeout=0.15, default=None))

    def test_request(self):
        laser = self.open("laser:0")
        geom = laser.request("GET_GEOM", timeout=LIMIT)
        self.assertEqual((geom.pose.px, geom.size.sw), (0.2, 0.1))
        with self.assertRaises(ach.NotSupported):
            laser.request("GET_CONFIG", timeout=LIMIT)
        board = self.open("blackboard:0")
        self.assertIsNotNone(board.describe())
        board.request("SET_ENTRY", key="k", group="g", type=1, data=[1, 2, 250], timeout=LIMIT)
        entry = board.request("GET_ENTRY", {"key": "k", "group": "g"}, timeout=LIMIT)
        self.assertEqual((entry.key, list(entry.data)), ("k", [1, 2, 250]))

    def test_command(self):
        pipe = self.open("opaque:0")
        for data in ([1, 2, 3], b"\4\5", []):
            pipe.command("DATA", data=data)
            self.assertEqual(list(pipe.get("STATE", timeout=LIMIT).data), list(data))
        base = self.open("position2d:0")
        base.command("VEL", **{"vel.px": 0.5}, vel={"pa": 1}, state=1)
        base.command("VEL", py=0.5)  # no other field has the name
        base.command("CAR", {"velocity": 1.0})
        message = base.new("POS")
        message.pos.px = 1
        base.command("POS", message)
        base.flush(LIMIT)

    def test_bad(self):
        base = self.open("position2d:0")
        for call in (lambda: base.command("VELL"), lambda: base.command("VEL", nofield=1),
                     lambda: base.command("POS", px=1),  # of pos and of vel
                     lambda: base.request("VEL"), lambda: base.get("VEL"),
                     lambda: base.command("VEL", {"nofield": 1})):
            with self.assertRaises(ach.Invalid):
                call()
        with self.assertRaises(ach.Invalid) as caught:
            base.command("VELL")
        self.assertIn("was 'VEL' meant?", str(caught.exception))
        with self.assertRaises(ValueError):
            base.command("VEL", {}, state=1)
        with self.assertRaises(OverflowError):
            base.command("VEL", state=256)
        with self.assertRaises(TypeError):
            base.command("VEL", px="fast")
        with self.assertRaises(ValueError):
            base.request("RESET_ODOM", {"x": 1})
        for bad in ("", "nodevice:0", "laser:99999", "x:y:z:a:b:c"):
            with self.assertRaises(ach.Error):
                ach.device(bad, timeout=1)
        for bad in ({"timeout": -1}, {"timeout": float("nan")}, {"messages": -1},
                    {"messages": 2**32}):
            with self.assertRaises(ValueError):
                ach.device(f"{WHERE}:laser:0", **bad)
        for call in (lambda t: base.flush(t), lambda t: base.request("GET_GEOM", timeout=t)):
            for bad in (-1, float("nan")):
                with self.assertRaises(ValueError):
                    call(bad)

    def test_endless_timeouts(self):
        """Times that libach cannot compute with. TCP and channels differ."""
        for timeout in (1e10, 1e300, float("inf")):
            with ach.device(f"{WHERE}:laser:0", timeout=timeout) as laser:
                self.assertEqual(laser.get(timeout=timeout).id, 7)
                self.assertIsNotNone(laser.request("GET_GEOM", timeout=timeout))
                laser.flush(timeout)
            self.assertEqual(len(ach.devices(WHERE, timeout=timeout)), 4)

    def test_close(self):
        laser = self.open("laser:0")
        laser.close()
        self.assertTrue(laser.closed)
        for call in (laser.get, laser.close, laser.fileno, laser.flush, lambda: laser.lost,
                     lambda: laser.request("GET_GEOM"), lambda: next(iter(laser))):
            with self.assertRaises(ach.Closed):
                call()

    def test_threads(self):
        """A second thread on the same device gets an exception."""
        board = self.open("blackboard:0")
        join = in_thread(lambda: board.get(timeout=1))
        busy = 0
        while not busy:
            try:
                board.lost
            except RuntimeError:
                busy += 1
        for call in (board.get, lambda: board.request("GET_ENTRY", key="x")):
            with self.assertRaises(RuntimeError):
                call()
        with self.assertRaises(TimeoutError):
            join()

    @staticmethod
    def busy(device):
        """Wait until another thread uses the device."""
        while True:
            try:
                device.lost
            except RuntimeError:
                return

    def test_close_ends_waits(self):
        waits = [lambda d: d.get(), lambda d: d.get(timeout=LIMIT), lambda d: d.get("STATE"),
                 lambda d: list(d)]
        for wait in waits:
            pipe = self.open("opaque:0")  # it has no data before a command
            join = in_thread(wait, pipe)
            self.busy(pipe)
            pipe.close()
            self.assertTrue(pipe.closed)
            with self.assertRaises(ach.Closed):
                pipe.get(wait=False)
            if wait is waits[-1]:
                self.assertEqual(join(), [])
            else:
                with self.assertRaisesRegex(ach.Closed, "was closed during the call"):
                    join()
            with self.assertRaises(ach.Closed):
                pipe.close()

    def test_close_ends_a_request(self):
        """A request to a server that is stopped ends with its timeout, and then with Closed."""
        board = self.open("blackboard:0")
        self.server.send_signal(signal.SIGSTOP)
        try:
            join = in_thread(lambda: board.request("GET_ENTRY", key="x", timeout=0.5))
            self.busy(board)
            board.close()
            with self.assertRaises(ach.Closed):
                join()
        finally:
            self.server.send_signal(signal.SIGCONT)
        self.assertTrue(board.closed)

    def test_close_at_once(self):
        """Threads use and close a device at the same time."""
        for _ in range(10):
            laser = self.open("laser:0")
            joins = [in_thread(self.use_until_closed, laser) for _ in range(3)]
            time.sleep(0.01)
            laser.close()
            for join in joins:
                join()

    @staticmethod
    def use_until_closed(device):
        while True:
            try:
                device.get(timeout=0.01)
                device.request("GET_GEOM", timeout=LIMIT)
                device.lost
            except ach.Closed:
                return
            except (TimeoutError, RuntimeError):
                pass

    def test_handler_closes(self):
        pipe = self.open("opaque:0")
        old = signal.signal(signal.SIGUSR1, lambda *_: pipe.close())
        self.addCleanup(signal.signal, signal.SIGUSR1, old)
        timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGUSR1))
        timer.start()
        with self.assertRaises(ach.Closed):
            pipe.get()
        timer.join()

    def test_handler_closes_and_raises(self):
        pipe = self.open("opaque:0")

        def handler(*_):
            pipe.close()
            raise LookupError

        old = signal.signal(signal.SIGUSR1, handler)
        self.addCleanup(signal.signal, signal.SIGUSR1, old)
        timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGUSR1))
        timer.start()
        with self.assertRaises(LookupError):
            pipe.get()
        timer.join()
        self.assertTrue(pipe.closed)

    def test_close_ends_tasks(self):
        """close, in the event loop or in a thread, ends all tasks that wait."""
        async def main(close):
            pipe = self.open("opaque:0")
            tasks = [asyncio.create_task(pipe.aget()) for _ in range(3)]
            tasks.append(asyncio.create_task(self.count(pipe)))
            await asyncio.sleep(0.02)
            close(pipe)
            start = time.monotonic()
            done = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 2 * LIMIT)
            self.assertLess(time.monotonic() - start, LIMIT)
            return done

        for close in (lambda pipe: pipe.close(),
                      lambda pipe: threading.Timer(0.02, pipe.close).start()):
            done = asyncio.run(main(close))
            self.assertEqual([type(e) for e in done], [ach.Closed] * 3 + [int])

    @staticmethod
    async def count(device):
        return len([m async for m in device])

    def test_daemon(self):
        """The interpreter ends while a thread waits."""
        for wait in ("d.get()", "list(d)", "d.request('GET_ENTRY', key='x', timeout=1e6)"):
            done = python(f"""
import os, signal, threading, time, ach
d = ach.device("{WHERE}:{'blackboard' if 'ENTRY' in wait else 'opaque'}:0")
threading.Thread(target=lambda: {wait}, daemon=True).start()
time.sleep(0.05)
print("end")""")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "end\n", ""))

    def test_selectors(self):
        laser = self.open("laser:0")
        with selectors.DefaultSelector() as selector:
            selector.register(laser, selectors.EVENT_READ)
            self.assertTrue(selector.select(LIMIT))

    def test_asyncio(self):
        laser = self.open("laser:0")

        async def main():
            first = await asyncio.wait_for(laser.aget("SCAN"), LIMIT)
            async for second in laser:
                return first.id, second.id

        self.assertEqual(asyncio.run(main()), (7, 7))

    def test_interrupt(self):
        with subprocess.Popen([sys.executable, "-c", f"""
import ach
with ach.device("{WHERE}:blackboard:0") as board:
    print("waits", flush=True)
    try:
        board.get()
    except KeyboardInterrupt:
        print("interrupted")
"""], stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "waits\n")
            time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.stdout.readline(), "interrupted\n")

    def test_server_ends(self):
        """Iterations end when the server does."""
        with subprocess.Popen(
                [os.environ["ACH"], "serve", "--no-tcp", "--port", "40079", os.environ["ROBOT"]],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
            for line in server.stdout:
                if line.startswith("serving"):
                    break
            laser = ach.device("40079:laser:0", timeout=LIMIT)
            laser.get(timeout=LIMIT)
            server.terminate()
            self.assertTrue(all(scan.id == 7 for scan in laser))
            server.wait(LIMIT)
        with self.assertRaises(ach.Closed):
            laser.get()


if __name__ == "__main__":
    unittest.main()
