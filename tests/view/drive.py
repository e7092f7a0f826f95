#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page drives a simulated robot, which stops when the page says so, is silent, hidden, closed or its server
is stopped; joints and planners are stopped, too; and who may drive.

drive.py ACH
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from websocket import LIMIT, Closed, View

ACH = sys.argv[1]
BASE, ARM, PLANNER, STUBBORN = "position2d:0", "actarray:0", "planner:0", "planner:1"
STILL = 0.02  # m/s
SILENCE, TICK_AGE = 0.2, 0.3  # s
WORLD = """driver
(
  name "simrobot"
  provides ["position2d:0" "laser:0"]
  bitmap "room.pgm"
  resolution 0.1
  pose [4 4 0]
)
driver
(
  name "fake"
  provides ["actarray:0" "planner:0" "planner:1"]
  publish (device "actarray:0" rate 20 body "actuators[2].position=0.5")
  answer (device "planner:0" message "ENABLE")
  answer (device "planner:1" message "ENABLE" refuse yes)
)
"""
ROOM = "P2 80 80 255\n" + "255 " * 6400


class Page:
    """A client that reads all the time, as a page does, so that it knows the newest tick."""

    def __init__(self, view):
        self.socket = view.socket()
        self.changed = threading.Condition()
        self.messages, self.tick, self.odometry = [], None, []
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self):
        try:
            while True:
                message = json.loads(self.socket.receive())
                with self.changed:
                    self._take(message)
                    self.changed.notify_all()
        except (Closed, OSError, ValueError):
            pass

    def _take(self, m):
        if m["op"] == "tick":
            self.tick = m["tick"]
        elif m["op"] == "message":
            self.odometry.append(abs(m["value"]["twist"]["twist"]["linear"]["x"]))
        elif m["op"] in ("hello", "devices", "topics", "status", "driving", "refused"):
            self.messages.append(m)
            for topic in m.get("add", []):
                if topic["name"] == f"{BASE}/odom":
                    self.socket.send({"op": "watch", "topic": topic["id"], "rate": 50})

    def until(self, what, test):
        """Wait until test is neither false nor None, and return that."""
        end = time.monotonic() + LIMIT
        with self.changed:
            while not (found := test()):
                self.changed.wait(0.1)
                if time.monotonic() > end:
                    raise TimeoutError(f"never: {what}; {self.messages[-5:]}")
            return found

    def op(self, op, test=lambda m: True):
        """The next message like this; those before it are dropped."""
        def find():
            for i, m in enumerate(self.messages):
                if m["op"] == op and test(m):
                    del self.messages[:i + 1]
                    return m
            return None
        return self.until(op, find)

    def driving(self, moving, address=BASE, reason=""):
        return self.op("driving", lambda m: m["address"] == address and m["moving"] is moving
                       and reason in m["reason"])

    def told(self, moving, address=BASE):
        with self.changed:
            return any(m["op"] == "driving" and m["address"] == address and m["moving"] is moving
                       for m in self.messages)

    def refused(self, reason, address=BASE):
        return self.op("refused", lambda m: m["address"] == address and reason in m["reason"])

    def forget(self):
        with self.changed:
            self.messages.clear()
            self.odometry.clear()

    def stands(self):
        """Some messages in a row say that it stands."""
        with self.changed:
            self.odometry.clear()
        self.until("the robot stands", lambda: len(self.odometry) > 10 and max(self.odometry[-10:]) < STILL)

    def send(self, **message):
        self.socket.send(message)

    def command(self, **message):
        self.until("a tick", lambda: self.tick is not None)
        self.socket.send({"tick": self.tick, "address": BASE, **message})

    def drive(self, forward=0.2, **more):
        self.command(op="drive", forward=forward, turn=0, **more)

    def press(self):
        """Let go, and drive until the server says that it moves."""
        self.send(op="release", address=BASE)
        self.forget()
        end = time.monotonic() + LIMIT
        while not self.told(True):
            self.drive()
            time.sleep(0.05)
            if time.monotonic() > end:
                raise TimeoutError(f"it does not move: {self.messages[-5:]}")

    def close(self):
        self.socket.close()
        self.thread.join()


class Held:
    """A page whose button is held: it drives on, whatever the server says."""

    def __init__(self, page):
        self.page, self.ends = page, threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self):
        try:
            while not self.ends.wait(0.03):
                self.page.drive()
        except OSError:
            pass  # the server has ended

    def __enter__(self):
        self.page.press()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()


class Echo:
    """What comes in a channel, as text."""

    def __init__(self, channel):
        self.process = subprocess.Popen([ACH, "echo", "--all", channel], stdout=subprocess.PIPE, text=True)
        self.text, self.lock = "", threading.Lock()
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self):
        for line in self.process.stdout:
            with self.lock:
                self.text += line

    def until(self, pattern):
        end = time.monotonic() + LIMIT
        while not (found := re.search(pattern, self.read(), re.S)):
            if time.monotonic() > end:
                raise TimeoutError(f"never {pattern}: {self.read()}")
            time.sleep(0.02)
        return found

    def read(self):
        with self.lock:
            return self.text

    def close(self):
        self.process.terminate()
        self.process.wait(LIMIT)
        self.thread.join()
        self.process.stdout.close()


class Drive(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.config = os.path.join(self.folder.name, "robot.cfg")
        with open(self.config, "w") as f:
            f.write(WORLD)
        with open(os.path.join(self.folder.name, "room.pgm"), "w") as f:
            f.write(ROOM)
        self.begin_robot()
        self.addCleanup(self.end_robot)
        self.view = View(ACH, "--drive")
        self.addCleanup(self.view.stop)
        self.page, self.other = self.new_page(), self.new_page()
        for page in self.page, self.other:
            page.op("devices", lambda m: any(d["address"] == BASE and "VEL" in d["commands"]
                                             for d in m["devices"]))

    def new_page(self):
        page = Page(self.view)
        self.addCleanup(page.close)
        return page

    def echo(self, channel):
        echo = Echo(channel)
        self.addCleanup(echo.close)
        return echo

    def begin_robot(self):
        self.robot = subprocess.Popen([ACH, "serve", "--no-tcp", self.config], stdout=subprocess.PIPE, text=True)
        while "serving" not in (line := self.robot.stdout.readline()):
            self.assertTrue(line)

    def end_robot(self, how=signal.SIGTERM):
        if self.robot.poll() is None:
            self.robot.send_signal(signal.SIGCONT)
            self.robot.send_signal(how)
        self.robot.wait(LIMIT)
        self.robot.stdout.close()

    def repeat(self, attempt):
        """What a busy machine may be too slow for, once. Without what is tested it never succeeds."""
        end = time.monotonic() + LIMIT
        while not attempt():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_silence_stops(self):
        self.page.press()
        self.page.until("it moves", lambda: self.page.drive() or max(self.page.odometry, default=0) > 0.1)
        self.page.driving(False, reason="no command for 200 ms")
        self.page.stands()

    def test_hidden_stops(self):
        self.page.press()
        self.page.send(op="visible", visible=False)
        self.other.driving(False)
        self.page.forget()
        self.page.drive()
        self.assertIn("seen", self.page.op("status")["message"])
        self.page.send(op="visible", visible=True)
        self.page.driving(False)  # it is told what it has missed

    def test_closed_stops(self):
        self.page.press()
        self.page.close()
        self.other.driving(False)
        self.other.press()  # nobody has it any more

    def test_last_page_closed_stops(self):
        commands = self.echo("dev.6665.position2d.0.cmd")
        self.page.press()
        self.other.close()
        self.page.close()
        commands.until(r"px=0\.2.*px=0 ")
        again = self.new_page()
        again.press()

    def test_end_stops(self):
        commands = self.echo("dev.6665.position2d.0.cmd")
        with Held(self.page):
            commands.until(r"px=0\.2 ")
            self.assertEqual(self.view.stop(), 0)
        commands.until(r"px=0\.2.*px=0 ")
        self.assertNotIn("px=0.2 ", commands.read().rpartition("px=0 ")[2])

    def test_one_page_drives(self):
        self.page.press()
        self.assertEqual(self.page.op("driving", lambda m: m["moving"])["by"], "you")
        self.assertEqual(self.other.op("driving", lambda m: m["moving"])["by"], "another page")
        self.other.drive()
        self.other.refused("another page drives")
        self.other.send(op="release", address=BASE)  # of the press that was refused
        self.page.press()
        self.page.send(op="release", address=BASE)
        self.other.driving(False)
        self.other.press()

    def held_stop(self):
        with Held(self.page):
            self.other.forget()
            self.other.send(op="stop", address=BASE)
            for page in self.page, self.other:
                page.driving(False)
                page.forget()
            time.sleep(5 * SILENCE)
            moved = self.other.told(True)
            with self.page.changed:
                refused = any(m.get("reason") == "stopped by another page" for m in self.page.messages)
            with self.other.changed:
                stood = max(self.other.odometry[-3:], default=1) < STILL
        return refused and stood and not moved

    def test_stop_holds(self):
        """While the page drives on, the robot stands; after silence or a release it may be driven."""
        self.repeat(self.held_stop)
        time.sleep(SILENCE)
        self.page.press()
        self.other.send(op="stop", address=BASE)
        self.page.driving(False, reason="stopped by another page")
        self.page.press()

    def test_one_robot_has_one_owner(self):
        self.page.press()
        for spelling in f"6665:{BASE}", f"localhost:6665:{BASE}", f"LOCALHOST::{BASE}", f"127.0.0.1::{BASE}":
            self.other.drive(address=spelling)
            self.other.refused("another page drives")
        self.other.drive(address=f"robot.example:6665:{BASE}")
        self.other.refused("another machine", f"robot.example:6665:{BASE}")
        self.page.press()
        self.other.send(op="stop", address=f"localhost:6665:{BASE}")
        self.page.driving(False)

    def test_what_cannot_be_driven(self):
        for address, word in (("laser:0", "no such command"), ("position2d:9", "")):
            self.page.drive(address=address)
            said = self.page.op("driving", lambda m: m["address"] == address and m["reason"])
            self.assertIsNone(said["moving"])
            self.assertIn(word, said["reason"])
            self.page.forget()
            self.page.send(op="stop", address=address)
        self.page.drive(address="nothing")
        self.page.refused("not an address", "nothing")
        for forward in (1e9, "fast", None, 1e999):
            self.page.drive(forward=forward)
            self.page.op("status")
        self.assertFalse(self.page.told(False, "laser:0"))

    def test_server_that_hangs(self):
        """It is not told to stand, and it does not keep the viewer from others."""
        self.page.press()
        self.robot.send_signal(signal.SIGSTOP)
        self.page.drive(address="laser:0")
        self.page.driving(None, reason="cannot be stopped")
        self.assertFalse(self.page.told(False))
        self.new_page().op("hello")
        self.robot.send_signal(signal.SIGCONT)
        self.page.driving(False)
        self.other.stands()

    def test_server_that_starts_again(self):
        with Held(self.page):
            self.end_robot(signal.SIGKILL)
            self.page.driving(None)
            self.begin_robot()
            self.page.driving(False)
            self.other.stands()  # nobody has pressed again
        time.sleep(SILENCE)
        self.page.press()
        self.page.send(op="stop", address=BASE)
        self.page.driving(False)
        self.end_robot()
        self.begin_robot()
        self.page.press()  # at rest it does not matter

    def test_commands_that_waited(self):
        self.page.drive(tick=None)
        self.page.refused("too old")
        self.page.until("a tick", lambda: self.page.tick)
        old = self.page.tick
        self.page.until("a newer tick", lambda: self.page.tick > old + 1000 * TICK_AGE)
        self.page.drive(tick=old)
        self.page.refused("too old")
        self.page.drive(tick=self.page.tick + 100000)
        self.page.refused("too old")
        self.page.command(op="joint", tick=old, joint=1, position=0.1, address=ARM)
        self.page.refused("too old", ARM)
        self.page.command(op="goal", tick=old, x=1, y=1, address=PLANNER)
        self.page.refused("too old", PLANNER)
        self.assertFalse(self.page.told(True))

    def test_viewer_that_stood_still(self):
        commands = self.echo("dev.6665.position2d.0.cmd")
        self.page.press()
        commands.until(r"px=0\.2 ")
        self.view.process.send_signal(signal.SIGSTOP)
        with self.page.changed:
            self.page.changed.wait(0.1)  # what was sent before has come
        for _ in range(20):
            self.page.drive(0.3)
        time.sleep(2 * TICK_AGE)
        self.view.process.send_signal(signal.SIGCONT)
        self.page.until("it is stopped", lambda: self.page.told(False))
        self.page.refused("too old")
        self.page.stands()
        self.assertNotIn("px=0.3 ", commands.read())

    def joint(self, joint, speed=0.5):
        self.page.command(op="joint", address=ARM, joint=joint, speed=speed)

    def test_joints_stop(self):
        commands = self.echo("dev.6665.actarray.0.cmd")

        def together():
            self.joint(1)
            self.joint(2)  # in the same instant
            return re.search(r"joint 1\n  speed 0\.5\n.*joint 2\n  speed 0\.5\n", commands.read(), re.S)

        def one_goes_on():
            self.joint(1)
            if "speed 0.7" not in commands.read():
                self.joint(2, 0.7)
            return re.search(r"speed 0\.7.*joint 2\n  speed 0\n", commands.read(), re.S)

        self.repeat(together)
        for joint in 1, 2:
            commands.until(rf"joint {joint}\n  speed 0\.5\n.*joint {joint}\n  speed 0\n")
        self.page.driving(False, ARM)
        self.assertNotIn("joint 0", commands.read())
        self.repeat(one_goes_on)
        self.page.command(op="joint", address=ARM, joint=1, position=0.1)
        self.page.driving(True, ARM, "it has a goal")
        self.page.send(op="stop", address=ARM)
        self.page.driving(False, ARM)
        commands.until(r"joint 0\n  speed 0\n")  # which the arm has, too

    def test_impossible(self):
        """What cannot be carried out is refused with a sentence."""
        self.page.command(op="joint", address=ARM, joint=77, position=0.1)
        told = self.page.op("driving", lambda m: m["address"] == ARM and m["moving"] is not False)
        self.assertEqual((told["moving"], told["reason"]), (None, "it has no joint 77: it has 3"))
        self.page.command(op="joint", address=ARM, joint=2, position=1e300)
        self.page.op("status", lambda m: "position, at most 1e+06" in m["message"])
        self.page.command(op="goal", address=PLANNER, x=1e300, y=0)
        self.page.op("status", lambda m: "x and y, and maybe a, at most 1e+06" in m["message"])
        self.assertFalse(self.page.told(True, PLANNER))

    def test_planner_stops(self):
        requests = self.echo("dev.6665.req")
        for state in (PLANNER, False, ""), (STUBBORN, None, "cannot be stopped"):
            address, moving, reason = state
            self.page.command(op="goal", address=address, x=1, y=2, a=0)
            self.page.driving(True, address, "it has a goal")
            self.page.forget()
            self.page.send(op="stop", address=address)
            self.page.driving(moving, address, reason)
            self.page.command(op="goal", address=address, x=1, y=2, a=0)
            self.page.driving(True, address)
        self.assertFalse(self.page.told(False, STUBBORN))
        requests.until(r"planner:0 request ENABLE.*state 1.*planner:0 request ENABLE.*state 0.*state 1")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], warnings="ignore")
