# SPDX-License-Identifier: BSD-3-Clause
"""Recordings made for tests, and programs run in a directory of the test's own."""
import atexit
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

LIMIT = 60 * int(os.environ.get("ACH_TEST_TIME", 1))
SECOND = 10**9
START = 1700000000 * SECOND
# Leak detection at the end of each of many short processes would take longer than the tests.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
failures = 0


def check(ok, what):
    global failures
    if not ok:
        print("FAILED:", what)
        failures += 1
    return ok


def same(got, want, what):
    return check(got == want, "%s: %r is not %r" % (what, got, want))


def enter():
    """Change to a new directory, which is removed at the end."""
    directory = tempfile.mkdtemp(dir=os.environ.get("ACH_DIR"))
    os.chdir(directory)
    atexit.register(shutil.rmtree, directory, True)


def finish():
    sys.exit(1 if failures else 0)


def run(*words, status=0, said="", given=None, text=True):
    """Run a program; returns its output. said: words that must be on standard error."""
    done = subprocess.run(words, input=given, capture_output=True, timeout=LIMIT)
    error = done.stderr.decode(errors="replace")
    check(done.returncode == status,
          "%s: status %d, not %d: %s" % (" ".join(words), done.returncode, status, error))
    for part in [said] if isinstance(said, str) else said:
        check(part in error, "%s: '%s' is not in '%s'" % (" ".join(words), part, error))
    return done.stdout.decode(errors="replace") if text else done.stdout


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def text(s):
    data = s.encode() if isinstance(s, str) else s
    return struct.pack("<I", len(data)) + data


def pairs(values):
    return text(b"".join(text(k) + text(v) for k, v in values.items()))


class Mcap:
    """A file of MCAP as simple as the format permits: no chunks, no index, no checksums."""

    def __init__(self):
        self.data = bytearray(b"\x89MCAP0\r\n")
        self.record(1, text("") + text("test"))

    def record(self, opcode, content):
        self.data += struct.pack("<BQ", opcode, len(content)) + content

    def schema(self, number, name, encoding, data):
        self.record(3, struct.pack("<H", number) + text(name) + text(encoding) + text(data))

    def channel(self, number, topic, encoding="", schema=0, metadata=None):
        self.record(4, struct.pack("<HH", number, schema) + text(topic) + text(encoding) +
                    pairs(metadata or {}))

    def message(self, channel, time, data, sequence=0):
        self.record(5, struct.pack("<HIQQ", channel, sequence, time, time) + data)

    def attachment(self, name, data):
        self.record(9, struct.pack("<QQ", START, START) + text(name) + text("text/plain") +
                    struct.pack("<Q", len(data)) + data + struct.pack("<I", 0))

    def metadata(self, name, values):
        self.record(12, text(name) + pairs(values))

    def end(self):
        self.record(15, struct.pack("<I", 0))
        self.record(2, struct.pack("<QQI", 0, 0, 0))
        self.data += b"\x89MCAP0\r\n"
        return bytes(self.data)


POINT = "float64 x\nfloat64 y\nint32[] list\n"


def cdr_point(x, y, numbers=(), encapsulation=b"\0\1\0\0"):
    body = struct.pack("<ddI", x, y, len(numbers)) + b"".join(struct.pack("<i", n) for n in numbers)
    return encapsulation + body


def geometry(channel, frames=64, size=256, **more):
    """Metadata as ach record writes it."""
    return {"channel": channel, "frames": str(frames), "frame_size": str(size), "clock": "monotonic",
            "timestamps": "1", "clock_offset": "5", "type": "", "encoding": "", **more}


def sample(messages=10):
    """Three topics: text without a type, points in CDR, and JSON; 0.1 s apart, in turn."""
    m = Mcap()
    m.schema(1, "demo/msg/Point", "ros2msg", POINT)
    m.schema(2, "Thing", "jsonschema", '{"type": "object", "properties": {"id": {"type": "integer"}}}')
    m.channel(1, "plain", metadata=geometry("plain"))
    m.channel(2, "point", "cdr", 1, geometry("point", type="demo/msg/Point", encoding="cdr"))
    m.channel(3, "/robot/thing", "json", 2)
    m.attachment("robot.cfg", b"tcp ( port 7 )\n")
    for i in range(messages):
        at = START + i * SECOND // 10
        m.message(1, at, b"hello %d" % i, i + 1)
        m.message(2, at + 1000, cdr_point(i, -i, range(i % 3)), i + 1)
        m.message(3, at + 2000, json.dumps({"id": i}).encode(), i + 1)
    m.metadata("ach.missed", {"topic:plain": "7", "total": "7"})
    return m.end()


def channel_take(ach, name, count):
    """The texts of the messages in a channel, which is then removed."""
    out = run(ach, "echo", "--all", "--no-wait", "--count", str(count), "--json", name) if count else ""
    run(ach, "rm", name)
    return [json.loads(line) for line in out.splitlines()]
