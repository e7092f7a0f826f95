# SPDX-License-Identifier: BSD-3-Clause
"""What the tests share."""
import os
import subprocess
import sys
import threading
import unittest

import ach

# The kind of channel that tests create if they do not care: "kernel" in a guest of tests/vm.
KIND = os.environ.get("CHANNELS", "")
LIMIT = 60.0 * int(os.environ.get("ACH_TEST_TIME", 1))  # seconds; only ends a test that hangs


class ChannelTest(unittest.TestCase):
    """A test with channels that are removed at its end."""

    def create(self, *args, name="a", **options):
        """Create a channel with a name of its own; the name."""
        name = f"py{os.getpid()}.{self.id().rpartition('.')[2]}.{name}"[-60:].lstrip(".-")
        ach.create(name, *args, **{"map": KIND, **options})
        self.addCleanup(self.remove, name)
        return name

    @staticmethod
    def remove(name):
        try:
            ach.unlink(name)
        except ach.NotFound:
            pass

    def open(self, name, **options):
        channel = ach.Channel(name, **options)
        self.addCleanup(channel.close)
        return channel

    def pair(self, *args, **options):
        """A handle that puts and one that gets."""
        name = self.create(*args, **options)
        return self.open(name, source=options.get("single_writer", False)), self.open(name)


def in_thread(function, *args):
    """Run a function in a thread. Returns a function that waits for its result or exception."""
    result = []

    def run():
        try:
            result.append((function(*args), None))
        except BaseException as e:
            result.append((None, e))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def join():
        thread.join(LIMIT)
        if not result:
            raise AssertionError("the thread did not end")
        if result[0][1] is not None:
            raise result[0][1]
        return result[0][0]

    return join


def sleeps(channel):
    """Wait until a handle of this process waits; another handle of the channel tells."""
    # The flag for waiters is private, so use what everybody can see: the thread is busy.
    while True:
        try:
            channel.seq
        except RuntimeError:
            return


def python(text, *args, **options):
    """Run a program in another process."""
    return subprocess.run([sys.executable, "-c", text, *args], text=True, timeout=LIMIT,
                          capture_output=True, check=False, **options)
