#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ach-dds against other programs of Cyclone DDS.

bridge.py ACH ACH_DDS PEER HOSTILE [TEST ...]

PEER is written against the interface of Cyclone DDS and IDL only. HOSTILE writes any payload. The
bytes of messages are made here, independent of both. All of it runs in a network namespace of its
own, if the system allows one.
"""
import os
import re
import signal
import struct
import subprocess
import sys
import time

FACTOR = int(os.environ.get("ACH_TEST_TIME", "1"))
LIMIT = 90 * FACTOR
# What rmw_cyclonedds_cpp passes to Cyclone DDS for ROS_LOCALHOST_ONLY=1.
LOCALHOST_ONLY = ('<CycloneDDS><Domain><General><Interfaces><NetworkInterface address="127.0.0.1"/>'
                  '</Interfaces></General></Domain></CycloneDDS>')
DEFINITIONS = {
    "std_msgs/msg/String": "string data\n",
    "geometry_msgs/msg/Vector3": "float64 x\nfloat64 y\nfloat64 z\n",
    "sensor_msgs/msg/LaserScan":
        "std_msgs/Header header\nfloat32 angle_min\nfloat32 angle_max\nfloat32 angle_increment\n"
        "float32 time_increment\nfloat32 scan_time\nfloat32 range_min\nfloat32 range_max\n"
        "float32[] ranges\nfloat32[] intensities\n" + "=" * 80 +
        "\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n",
    "demo_msgs/msg/Flags": "bool a\nbool[] more\nstring[<=2] names\n"}
STARTED = []


def own_network():
    """Run this again in a network namespace."""
    if os.environ.get("DDS_TEST_NETWORK"):
        return
    os.environ["DDS_TEST_NETWORK"] = "host"
    for unshare in (["unshare", "--net"], ["unshare", "--net", "--map-root-user"]):
        up = unshare + ["sh", "-c", "ip link set lo up"]
        if subprocess.run(up, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            os.environ["DDS_TEST_NETWORK"] = "own"
            os.execvp(unshare[0], unshare + ["sh", "-c", 'ip link set lo up && exec "$@"', "sh",
                                             sys.executable] + sys.argv)


def domain():
    """Programs of others may use the host's network."""
    return "17" if os.environ["DDS_TEST_NETWORK"] == "own" else str(1 + os.getpid() % 200)


class Cdr:
    """XCDR version 1, little-endian."""
    def __init__(self):
        self.bytes = b""

    def put(self, letter, *values):
        size = struct.calcsize("<" + letter)
        for v in values:
            self.bytes += b"\0" * (-len(self.bytes) % size) + struct.pack("<" + letter, v)
        return self

    def string(self, text):
        self.put("I", len(text) + 1)
        self.bytes += text.encode() + b"\0"
        return self

    def floats(self, values):
        return self.put("I", len(values)).put("f", *values)


def string(text):
    return Cdr().string(text).bytes


def vector(i):
    return Cdr().put("d", i, i + 0.5, -float(i)).bytes


def scan(i):
    c = Cdr().put("i", i).put("I", 7).string("laser").put("f", -1, 1, 0.5, 0, 0, 0, 30)
    return c.floats([i + k for k in range(3 + i % 900)]).floats([]).bytes


def payload(body):
    """With encapsulation and padding."""
    pad = -len(body) % 4
    return bytes([0, 1, 0, pad]) + body + b"\0" * pad


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(w) for w in what))


def ach(*words, status=0, given=None):
    r = subprocess.run([ACH, *words], input=given, capture_output=True, timeout=LIMIT, check=False)
    expect(r.returncode == status, "ach", words, r.returncode, r.stderr.decode())
    return r.stdout.decode()


class Program:
    """A program whose output is collected. It is killed at the end of the test."""
    def __init__(self, *words, given=None):
        self.p = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        STARTED.append(self.p)
        self.words = words
        if given is not None:
            self.p.stdin.write(given)
            self.p.stdin.close()
            self.p.stdin = None

    def end(self, status=0):
        """Its output, after it has ended by itself."""
        out, self.errors = self.p.communicate(timeout=LIMIT)
        expect(self.p.returncode == status, self.words, self.p.returncode, out, self.errors)
        return out

    def stop(self, status=0):
        """Its messages, after SIGTERM."""
        self.p.send_signal(signal.SIGTERM)
        self.end(status)
        return self.errors

    def kill(self):
        self.p.kill()
        self.p.communicate(timeout=LIMIT)


def peer(*words):
    return Program(PEER, words[0], DOMAIN, *words[1:])


def bridge(*words, topics, wait=True):
    """ach-dds, when all of its writers and readers of these topics can be seen: {topic: number}."""
    p = Program(ACH_DDS, "--domain", DOMAIN, *words)
    if wait:
        for topic, n in topics.items():
            peer("watch", topic, str(n)).end()
    return p


def make(name, kind=None, *more):
    words = ["mk", *more]
    if kind:
        path = os.path.join(os.environ["ACH_DIR"], "definition.msg")
        with open(path, "w") as f:
            f.write(DEFINITIONS[kind])
        words += ["--type", kind, "--schema", path]
    ach(*words, name)
    if kind:
        os.unlink(path)


def put(channel, *messages):
    stream = b"".join(struct.pack("<I", len(m)) + m for m in messages)
    ach("put", "--length-prefix", channel, given=stream)


def got(channel, n):
    """The first n messages of a channel, from when they are there."""
    out = ach("get", "--hex", "--count", str(n), "--timeout", str(LIMIT), channel)
    return [bytes.fromhex(line) for line in out.split("\n") if line]


def eventually(condition, *what):
    end = time.monotonic() + LIMIT
    while not condition():
        expect(time.monotonic() < end, "not in time:", *what)
        time.sleep(0.02)


def counts(text, route):
    """(messages, bytes, missed, refused) of the last report about a route."""
    found = re.findall(re.escape(route) + r": (\d+) messages, (\d+) bytes, (\d+) missed, "
                       r"(\d+) refused", text)
    expect(found, "no report of", route, "in", text)
    return tuple(int(n) for n in found[-1])


KINDS = {"String": ("std_msgs/msg/String", [string(f"hello {i}") for i in range(5)]),
         "Vector3": ("geometry_msgs/msg/Vector3", [vector(i) for i in range(5)]),
         "LaserScan": ("sensor_msgs/msg/LaserScan", [scan(i) for i in range(5)]),
         "Bytes": (None, [bytes([i]) * 5 for i in range(5)])}


def wire(kind, message):
    return payload(message if kind != "Bytes" else struct.pack("<I", len(message)) + message)


def test_push():
    """Messages of a channel reach a reader made from IDL: the fields, and every byte."""
    want = {"String": ["hello 0", "hello 4"], "Vector3": ["0 0.5 -0", "4 4.5 -4"],
            "LaserScan": ["0 7 laser -1 1 0.5 30: 0 1 2 / 0",
                          "4 7 laser -1 1 0.5 30: 4 5 6 7 8 9 10 / 0"],
            "Bytes": ["0000000000", "0404040404"]}
    for kind, (name, messages) in KINDS.items():
        topic = "rt/data" if name else "data"
        make("data", name, "--frames", "32")
        b = bridge("--stats", "push", "--transient-local", "data", topics={topic: 1})
        put("data", *messages)
        lines = peer("read", kind, topic, "rt10", "5").end().split("\n")
        expect([lines[0], lines[4]] == want[kind], kind, lines)
        encoded = peer("raw", kind, topic, "rt10", "5").end().split()
        expect(encoded == [wire(kind, m).hex() for m in messages], kind, encoded)
        report = counts(b.stop(), f"data to {topic}")
        expect(report == (5, sum(len(m) for m in messages), 0, 0), report)
        ach("rm", "data")


def test_pull():
    """Samples of a writer made from IDL reach a channel, byte for byte."""
    for kind, (name, messages) in KINDS.items():
        topic = "rt/data" if name else "data"
        make("data", name, "--frames", "32")
        b = bridge("--stats", "pull", "data", topics={topic: 1})
        peer("write", kind, topic, "r10", "5").end()
        expect(got("data", 5) == messages, kind)
        report = counts(b.stop(), f"{topic} to data")
        expect(report == (5, sum(len(m) for m in messages), 0, 0), report)
        ach("rm", "data")


def test_large():
    """A message of several fragments, both ways."""
    body = Cdr().put("i", 1).put("I", 2).string("x").put("f", *range(7))
    body.floats(range(300000)).floats([])
    for name in ("one", "two"):
        make(name, "sensor_msgs/msg/LaserScan", "--size", "2M", "--frames", "2")
    a = bridge("push", "--transient-local", "one=big", topics={"rt/big": 1})
    b = bridge("pull", "--transient-local", "two=big", topics={"rt/big": 2})
    put("one", body.bytes)
    expect(got("two", 1) == [body.bytes])
    a.stop()
    b.stop()
    ach("rm", "one", "two")


def test_discovery():
    """Names, types and quality of service on the wire are those of ROS 2."""
    make("scan", "sensor_msgs/msg/LaserScan", "--relayed")
    make("raw", None)
    endpoint = "rt/scan sensor_msgs::msg::dds_::LaserScan_"
    plain = "sensor_msgs::msg::LaserScan"
    cases = [(["push", "scan"], "rt/scan", f"writer {endpoint} reliable volatile xcdr1"),
             (["push", "--profile", "sensor", "scan=/scan"], "rt/scan",
              f"writer {endpoint} best_effort volatile xcdr1"),
             (["pull", "--profile", "sensor", "scan"], "rt/scan",
              f"reader {endpoint} best_effort volatile xcdr1"),
             (["pull", "--profile", "parameters", "scan=/arm/left/scan"], "rt/arm/left/scan",
              "reader rt/arm/left/scan sensor_msgs::msg::dds_::LaserScan_ reliable volatile xcdr1"),
             (["push", "--transient-local", "--depth", "1", "--partition", "arm", "scan"],
              "rt/scan", f"writer {endpoint} reliable transient_local xcdr1 @arm"),
             (["push", "--names", "dds", "scan"], "scan",
              f"writer scan {plain} reliable volatile xcdr1"),
             (["push", "--best-effort", "raw"], "raw",
              "writer raw ach::Bytes best_effort volatile xcdr1")]
    for words, topic, want in cases:
        b = bridge(*words, topics={}, wait=False)
        lines = peer("watch", topic, "1").end().strip().split("\n")
        enclave = ["participant enclave=/;"] if topic.startswith("rt/") else []
        expect([x for x in lines if x.strip() != "participant"] == [want] + enclave, words, lines)
        b.stop()
    b = bridge("both", "scan", topics={}, wait=False)
    lines = peer("watch", "rt/scan", "2").end()
    expect(f"writer {endpoint} reliable" in lines and f"reader {endpoint} reliable" in lines, lines)
    b.stop()
    ach("rm", "scan", "raw")


def sockets(b):
    """The local addresses of a program's sockets, with the device that they are bound to."""
    listed = subprocess.run(["ss", "-H", "-u", "-a", "-n", "-p"], capture_output=True, text=True,
                            check=True).stdout
    return [x.split()[3] for x in listed.split("\n") if f"pid={b.p.pid}," in x]


def test_sockets():
    """By default, sockets take nothing from other machines, wherever Cyclone DDS binds them."""
    make("raw")
    b = bridge("push", "raw", topics={"raw": 1})
    found = sockets(b)
    expect(len(found) >= 2 and all("%lo:" in x for x in found), found)
    b.stop()
    for words in (["--interface", "lo"], ["--config", LOCALHOST_ONLY]):
        b = bridge(*words, "push", "raw", topics={"raw": 1})
        found = sockets(b)
        expect(len(found) >= 2 and not any("%" in x for x in found), found)
        b.stop()
    ach("rm", "raw")


def test_hostile():
    """Payloads that are no message of the type are refused and counted."""
    make("flags", "demo_msgs/msg/Flags", "--frames", "4", "--size", "64")
    b = bridge("--stats", "pull", "--depth", "1000", "flags", topics={"rt/flags": 1})
    good = Cdr().put("B", 1).put("I", 2).put("B", 0, 1).put("I", 1).string("n").bytes
    bad = [b"\0\0\0\0" + good,                          # big-endian
           b"\0\2\0\0" + good, b"\0\3\0\0" + good,      # parameter lists
           b"\0\7\0\0" + good, b"\0\x0b\0\0" + good,    # XCDR version 2
           b"\0\1\0\0",
           payload(b"\2" + good[1:]),                   # not a boolean
           payload(good[:4] + b"\xff\xff\xff\xff" + good[8:]),
           payload(good[:4] + b"\2\0\0\0\0\2" + good[10:]),
           payload(good[:12] + b"\3\0\0\0" + good[16:]),          # three names
           payload(good[:-1] + b"x"),                             # no NUL
           payload(good[:-2]), payload(good + b"\0" * 8)]
    lines = [x.hex() for x in bad] + [payload(good).hex() + " 1000000", payload(good).hex()]
    Program(HOSTILE, DOMAIN, "rt/flags", "demo_msgs::msg::dds_::Flags_",
            given="\n".join(lines) + "\n").end()
    expect(got("flags", 1) == [good])
    text = b.stop()
    expect("message of rt/flags is refused: encapsulation 0x0000 (CDR_BE), expected " in text, text)
    expect(text.count("is refused") == 1, text)
    expect(counts(text, "rt/flags to flags") == (1, len(good), 0, len(bad) + 1), text)
    expect(ach("get", "--all", "--hex", "flags").strip() == good.hex())
    ach("rm", "flags")


def test_hostile_bytes():
    make("raw", None, "--frames", "4", "--size", "16")
    b = bridge("--stats", "pull", "--depth", "1000", "raw", topics={"raw": 1})
    bad = [payload(struct.pack("<I", n) + b"abcd") for n in (5, 0xffffffff, 0xfffffff8)]
    bad += [payload(struct.pack("<I", 0)), payload(struct.pack("<I", 1) + b"a" + b"\0" * 8)]
    bad += [payload(struct.pack("<I", 65) + b"x" * 65), b"\0\1\0\0"]
    good = payload(struct.pack("<I", 3) + b"abc")
    Program(HOSTILE, DOMAIN, "raw", "ach::Bytes",
            given="\n".join(x.hex() for x in bad + [good]) + "\n").end()
    expect(got("raw", 1) == [b"abc"])
    text = b.stop()
    expect(counts(text, "raw to raw") == (1, 3, 0, len(bad)), text)
    ach("rm", "raw")


def test_wrong_channel():
    """Messages of a channel that are not of its type do not reach the topic."""
    make("name", "std_msgs/msg/String")
    b = bridge("--stats", "push", "--transient-local", "name", topics={"rt/name": 1})
    put("name", b"\xff\xff\xff\xff", string("good"), b"\1", string("padded") + b"\0\0\0")
    r = peer("raw", "String", "rt/name", "rt10", "2").end().split()
    expect(r == [payload(string("good")).hex(), payload(string("padded")).hex()], r)
    text = b.stop()
    expect("a message of name is refused: String.data: its count is over the limit" in text, text)
    expect(counts(text, "name to rt/name")[::3] == (2, 2), text)
    ach("rm", "name")


def test_echo():
    """A message that was pulled is not pushed to the same topic, by this process or another one."""
    make("chat", "std_msgs/msg/String", "--relayed")
    b = bridge("--stats", "both", "chat", topics={"rt/chat": 2})
    out = peer("echo", "String", "rt/chat", "r10", str(1.0 * FACTOR)).end()
    expect(out == "0 echoes\n", out)
    expect(got("chat", 1) == [string("hello 0")])
    put("chat", string("mine"))
    eventually(lambda: counted(b, "chat to rt/chat")[0] == 1, "pushed")
    text = b.stop()
    expect(counts(text, "rt/chat to chat") == (1, 12, 0, 0), text)
    expect(counts(text, "chat to rt/chat") == (1, 9, 0, 0), text)
    ach("rm", "chat")
    make("chat", "std_msgs/msg/String", "--relayed")
    a = bridge("--stats", "push", "chat", topics={"rt/chat": 1})
    b = bridge("--stats", "pull", "chat", topics={"rt/chat": 2})
    out = peer("echo", "String", "rt/chat", "r10", str(1.0 * FACTOR)).end()
    expect(out == "0 echoes\n", out)
    put("chat", string("mine"))  # comes back once, from one process to the other
    eventually(lambda: counted(b, "rt/chat to chat")[0] == 2, "pulled")
    expect(counts(a.stop(), "chat to rt/chat")[0] == 1)
    expect(counts(b.stop(), "rt/chat to chat")[0] == 2)
    ach("rm", "chat")


def counted(b, route):
    """What a running ach-dds reports after SIGUSR1."""
    b.p.send_signal(signal.SIGUSR1)
    while True:
        line = b.p.stderr.readline()
        expect(line, "ach-dds has ended")
        if f": {route}: " in line:
            return counts(line, route)


def test_killed():
    """After kill -9, the channel is usable, and another ach-dds goes on."""
    make("name", "std_msgs/msg/String", "--frames", "64")
    r = peer("read", "String", "rt/name", "rt100", "7")
    for text in ("a", "b", "c"):
        b = bridge("push", "--transient-local", "name", topics={"rt/name": 2})
        put("name", string(text))
        expect(r.p.stdout.readline() == text + "\n", text)
        b.kill()
        put("name", string(text * 2))
        b = bridge("push", "--transient-local", "name", topics={"rt/name": 2})
        expect(r.p.stdout.readline() == text * 2 + "\n", text)
        b.kill()
        put("name", string("gone"))
        ach("rm", "name")
        make("name", "std_msgs/msg/String")
    r.kill()
    for _ in range(2):
        b = bridge("pull", "name", topics={}, wait=False)
        peer("write", "String", "rt/name", "r10", "1").end()
        expect(got("name", 1) == [string("hello 0")])
        b.kill()
    ach("rm", "name")


def test_slow_reader():
    """A reliable reader that is stopped delays neither the channel nor another reader."""
    make("scan", "sensor_msgs/msg/LaserScan", "--size", "400K", "--frames", "4")
    b = bridge("--stats", "push", "--depth", "4", "scan", topics={"rt/scan": 1})
    stopped = peer("read", "LaserScan", "rt/scan", "r10", "1000000")
    peer("watch", "rt/scan", "2").end()
    body = Cdr().put("i", 1).put("I", 2).string("x").put("f", *range(7))
    body.floats([]).floats(range(99000))
    stopped.p.send_signal(signal.SIGSTOP)
    other = peer("read", "LaserScan", "rt/scan", "r10", "30")
    puts, end = 0, time.monotonic() + LIMIT
    while other.p.poll() is None:
        put("scan", body.bytes)
        puts += 1
        expect(time.monotonic() < end, "the other reader is held up")
    out = other.end()
    expect(out.count("\n") == 30, out)
    stopped.p.send_signal(signal.SIGCONT)
    stopped.kill()
    messages, _, missed, refused = counts(b.stop(), "scan to rt/scan")
    expect((messages + missed, refused) == (puts, 0), messages, missed, puts)
    ach("rm", "scan")


def test_gaps():
    """An ach-dds that was stopped goes on with the newest message, and counts the others."""
    make("name", "std_msgs/msg/String", "--frames", "64")
    b = bridge("--stats", "push", "--depth", "5", "name", topics={"rt/name": 1})
    b.p.send_signal(signal.SIGSTOP)
    put("name", *[string(f"{i:03}") for i in range(50)])
    b.p.send_signal(signal.SIGCONT)
    eventually(lambda: sum(counted(b, "name to rt/name")[::2]) == 50, "all messages")
    expect(counts(b.stop(), "name to rt/name") == (5, 40, 45, 0))
    ach("rm", "name")


def test_missed_samples():
    """Samples that a stopped ach-dds could not take in time are counted."""
    make("name", "std_msgs/msg/String", "--frames", "64")
    b = bridge("--stats", "pull", "--depth", "2", "name", topics={"rt/name": 1})
    n = 400
    peer("write", "String", "rt/name", f"r{n}", str(n)).end()
    eventually(lambda: sum(counted(b, "rt/name to name")[::2]) == n, "all samples")
    b.stop()
    ach("rm", "name")


def switches(pid):
    with open(f"/proc/{pid}/task/{pid}/status") as f:
        return int(re.search(r"\nvoluntary_ctxt_switches:\s+(\d+)", f.read()).group(1))


def test_idle():
    """The thread of ach-dds sleeps while there is nothing to do."""
    make("name", "std_msgs/msg/String", "--relayed")
    b = bridge("both", "name", topics={"rt/name": 2})
    time.sleep(1)
    before = switches(b.p.pid)
    time.sleep(2)
    expect(switches(b.p.pid) == before, before, switches(b.p.pid))
    b.stop()
    ach("rm", "name")


def test_mismatch():
    """What keeps readers and writers apart is said."""
    make("name", "std_msgs/msg/String")
    b = bridge("push", "--best-effort", "name", topics={"rt/name": 1})
    p = peer("read", "String", "rt/name", "r10", "1")
    line = b.p.stderr.readline()
    expect("a reader of rt/name does not match: its reliability requests more than" in line, line)
    p.kill()
    b.stop()
    b = bridge("pull", "name", topics={"rt/name": 1})
    p = peer("write", "String", "rt/name", "r10", "1", "xcdr2")
    line = b.p.stderr.readline()
    expect("a writer of rt/name does not match: its data representation offers less" in line, line)
    p.kill()
    b.stop()
    b = bridge("push", "--partition", "left", "--transient-local", "name", topics={"rt/name": 1})
    put("name", string("left"))
    p = peer("read", "String", "rt/name", "rt10@left", "1")
    expect(p.end() == "left\n")
    b.stop()
    ach("rm", "name")


def test_late():
    """A late subscriber of a transient-local topic gets the message that was there before."""
    make("name", "std_msgs/msg/String", "--timestamps")
    before = time.time_ns()
    put("name", string("old"), string("newest"))
    after = time.time_ns()
    b = bridge("--stats", "push", "--transient-local", "name", topics={"rt/name": 1})
    expect(peer("read", "String", "rt/name", "rt10", "1").end() == "newest\n")
    stamp = int(peer("time", "String", "rt/name", "rt10", "1").end())
    # Too early by the time between the readings of two clocks.
    expect(before - LIMIT * 1_000_000_000 <= stamp <= after, before, stamp, after)
    expect(counts(b.stop(), "name to rt/name") == (1, 11, 0, 0))
    b = bridge("--stats", "push", "name", topics={"rt/name": 1})
    expect(counts(b.stop(), "name to rt/name") == (0, 0, 0, 0))
    ach("rm", "name")


def complaint(*words, status):
    p = Program(ACH_DDS, *words, given="")
    p.end(status)
    return p.errors


def test_arguments():
    make("name", "std_msgs/msg/String")
    make("a.b", "std_msgs/msg/String")
    for words, status, want in (
            ([], 2, "no channel is given"), (["push"], 2, "no channel is given"),
            (["name"], 2, "give push, pull or both before 'name'"),
            (["--domain", "233", "push", "name"], 2, "the domain must be a whole number"),
            (["push", "--depth", "0", "name"], 2, "the depth must be a whole number from 1"),
            (["push", "--profile", "x", "name"], 2, "'x' is not a profile"),
            (["push", "--names", "x", "name"], 2, "names are ros2 or dds, not 'x'"),
            (["--config", "x", "--interface", "lo", "push", "name"], 2, "do not combine"),
            (["--interface", "a'/>", "push", "name"], 1, "cannot be the name of an interface"),
            (["--relible", "push", "name"], 2, "did you mean '--reliable'?"),
            (["push", "absent"], 1, "ach mk"),
            (["push", "a.b"], 1, "'a.b' cannot be the name of a topic"),
            (["push", "name=a//b"], 1, "'a//b' cannot be the name of a topic"),
            (["push", "name=/1"], 1, "'/1' cannot be the name of a topic"),
            (["push", "name=" + "x" * 300], 1, "fewer letters"),
            (["both", "name"], 1, "create it with 'ach mk --relayed'")):
        text = complaint(*words, status=status)
        expect(want in text and "ach-dds: " in text, words, text)
    expect("Usage: ach-dds" in Program(ACH_DDS, "--help", given="").end())
    expect("ach-dds (Ach)" in Program(ACH_DDS, "--version", given="").end())
    ach("rm", "name", "a.b")


def test_removed():
    """ach-dds ends when a channel is removed."""
    make("name", "std_msgs/msg/String")
    b = bridge("push", "name", topics={"rt/name": 1})
    ach("rm", "name")
    b.end(1)
    expect("the channel was removed" in b.errors, b.errors)
    make("name", "std_msgs/msg/String")
    b = bridge("pull", "name", topics={"rt/name": 1})
    ach("rm", "name")
    p = peer("write", "String", "rt/name", "r10", "1")
    b.end(1)
    expect("the channel was removed" in b.errors, b.errors)
    p.kill()


def main():
    global ACH, ACH_DDS, PEER, HOSTILE, DOMAIN
    own_network()
    ACH, ACH_DDS, PEER, HOSTILE = sys.argv[1:5]
    DOMAIN = domain()
    os.environ["CYCLONEDDS_URI"] = LOCALHOST_ONLY
    os.environ.pop("ROS_DOMAIN_ID", None)
    failed = 0
    names = sys.argv[5:] or [n[5:] for n in globals() if n.startswith("test_")]
    for name in names:
        try:
            globals()["test_" + name]()
            print(f"{name}: ok", flush=True)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            failed = 1
            print(f"{name}: FAILED: {error!r}", flush=True)
        finally:
            for p in STARTED:
                if p.poll() is None:
                    p.kill()
                    p.communicate()
            STARTED.clear()
            for file in os.listdir(os.environ["ACH_DIR"]):
                if failed:
                    os.unlink(os.path.join(os.environ["ACH_DIR"], file))
    sys.exit(failed)


if __name__ == "__main__":
    main()
