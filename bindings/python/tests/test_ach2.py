# SPDX-License-Identifier: BSD-3-Clause
"""The module of Ach 2."""
import array
import os
import subprocess
import sys
import tempfile
import unittest

import ach
from ach import ach2
from support import LIMIT, ChannelTest

PROGRAM = """
import sys
import ach

channel = ach.Channel(sys.argv[1], 10, 64)
channel.put(b"hello")
buffer = bytearray(64)
status, size = channel.get(buffer, last=True)
assert status == ach.ACH_OK, channel.result_string(status)
print(buffer[:size].decode(), channel.name, __name__)
channel.unlink()
channel.close()
try:
    ach.Channel("bad/name")
except ach.AchException as e:
    print("AchException")
"""


class Ach2(ChannelTest):
    def test_unchanged_program(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
            f.write(PROGRAM)
            f.flush()
            name = f"py{os.getpid()}.program"
            done = subprocess.run([sys.executable, "-m", "ach.ach2", f.name, name], text=True,
                                  capture_output=True, timeout=LIMIT, check=False)
        self.assertEqual((done.stdout, done.stderr, done.returncode),
                         (f"hello {name} __main__\nAchException\n", "", 0))

    def test_get(self):
        name = self.create()
        c = ach2.Channel()
        c.open(name)
        buffer = array.array("d", [0.0])
        self.assertEqual(c.get(buffer), (ach2.ACH_STALE_FRAMES, 0))
        for x in (1.5, 2.5, 3.5):
            c.put(array.array("d", [x]))
        self.assertEqual(c.get(buffer), (ach2.ACH_OK, 8))
        self.assertEqual(buffer[0], 1.5)
        self.assertEqual(c.get(buffer, True, True), (ach2.ACH_MISSED_FRAME, 8))
        c.put(b"larger than 8 bytes")
        with self.assertRaises(ach2.AchException) as caught:
            c.get(buffer)
        self.assertEqual(caught.exception.status, ach2.ACH_OVERFLOW)
        c.flush()
        c.chmod(0o600)
        self.assertEqual(c.result_string(ach2.ACH_ENOENT), "ACH_ENOENT")
        c.close()
        with self.assertRaises(AssertionError):
            c.put(b"1")

    def test_creates(self):
        name = f"py{os.getpid()}.new"
        self.addCleanup(self.remove, name)
        c = ach2.Channel(name, 7, 100)
        with ach.Channel(name) as r:
            self.assertEqual((r.info().frame_cnt, r.info().frame_size), (7, 100))
        c.close()


if __name__ == "__main__":
    unittest.main()
