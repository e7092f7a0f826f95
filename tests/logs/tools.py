#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ach log: good, cut, hostile and empty recordings in every tool.

tools.py ACH ACHLOG
"""
import csv
import gzip
import io
import json
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import time

import recording as r

ACH, ACHLOG = (os.path.realpath(p) for p in sys.argv[1:3])
MESSAGES = 10


def log(*words, **how):
    return r.run(ACH, "log", *words, **how)


def lines(*words, **how):
    return [json.loads(line) for line in log("cat", "--json", *words, **how).splitlines()]


def absent(*paths):
    """Nothing half is left, under no name."""
    left = [n for n in os.listdir(".") for p in paths if n.startswith(p)]
    r.same(left, [], "left behind")


def info():
    told = json.loads(log("info", "--json", "raw.mcap"))[0]
    r.same((told["format"], told["state"], told["messages"]), ("mcap", "complete", 30), "info")
    topics = {t["name"]: t for t in told["topics"]}
    r.same(sorted(topics), ["/robot/thing", "plain", "point"], "topics")
    r.same((topics["plain"]["messages"], topics["plain"]["missed"]), (10, 7), "plain")
    r.same((topics["point"]["type"], topics["point"]["encoding"]), ("demo/msg/Point", "cdr"), "type")
    r.check(abs(topics["plain"]["rate"] - 10) < 1e-6, "rate %s" % topics["plain"]["rate"])
    r.same(told["start"], "2023-11-14T22:13:20.000000000Z", "start")
    r.same([a["name"] for a in told["attachments"]], ["robot.cfg"], "attachments")
    r.same([m["name"] for m in told["metadata"]], ["ach.missed"], "metadata")
    shown = log("info", "raw.mcap")
    for part in ("messages  30", "state     complete", "attachment robot.cfg, 15 bytes",
                 "/robot/thing", "span      0.900002 s"):
        r.check(part in shown, "'%s' is not in %s" % (part, shown))
    r.same(log("info", "--attachment", "robot.cfg", "raw.mcap"), "tcp ( port 7 )\n", "attachment")
    r.same(log("cat", "--attachment", "robot.cfg", "raw.mcap"), "tcp ( port 7 )\n", "attachment")
    log("info", "--attachment", "robot", "raw.mcap", status=1,
        said="no attachment 'robot'; there are: 'robot.cfg'")
    log("info", "--quick", "raw.mcap", status=1, said="'raw.mcap' has no summary")
    log("filter", "-o", "indexed.mcap", "raw.mcap")
    quick = json.loads(log("info", "--quick", "--json", "indexed.mcap"))[0]
    r.same((quick["messages"], [t["messages"] for t in quick["topics"]]), (30, [10] * 3), "quick")
    r.same(sum(quick["chunks"][c] for c in ("none", "lz4", "zstd")), 1, "chunks")


def cat():
    got = lines("raw.mcap")
    r.same(len(got), 30, "messages")
    r.same([m["topic"] for m in got[:3]], ["plain", "point", "/robot/thing"], "order")
    r.same(got[0]["text"], "hello 0", "text")
    r.same(got[4]["message"], {"x": 1, "y": -1, "list": [0]}, "cdr")
    r.same(got[5]["message"], {"id": 1}, "json")
    r.same([m["time"] for m in got], sorted(m["time"] for m in got), "times")
    r.same(got, lines("indexed.mcap"), "the indexed file")
    r.same([m["text"] for m in lines("--topic", "pl*", "--start", "0.25", "--end", "0.55", "raw.mcap")],
           ["hello 3", "hello 4", "hello 5"], "start and end")
    r.same(lines("--topic", "pl*", "--start", "0.25", "--end", "0.55", "indexed.mcap"),
           lines("--topic", "pl*", "--start", "0.25", "--end", "0.55", "raw.mcap"), "by the index")
    r.same(len(lines("--count", "4", "raw.mcap")), 4, "count")
    r.same(log("cat", "--topic", "point", "--field", "y", "--field", "x", "--count", "2", "raw.mcap"),
           "0 0\n-1 1\n", "fields")
    rows = list(csv.reader(io.StringIO(log("cat", "--csv", "--topic", "point", "raw.mcap"))))
    r.same(rows[0], ["time", "sequence", "x", "y", "list"], "columns")
    r.same(rows[3], ["1700000000.200001000", "3", "2", "-2", "[0, 1]"], "row")
    log("cat", "--csv", "raw.mcap", status=1, said="--csv prints one topic, and there are 'plain' and 'point'")
    r.same(log("cat", "--yaml", "--topic", "point", "raw.mcap").split("---\n")[2],
           "topic: point\ntime: 1700000000.200001000\nsequence: 3\nmissed: 0\n"
           "message:\n  x: 2\n  y: -2\n  list: [0, 1]\n", "YAML")
    r.same(log("cat", "--yaml", "--topic", "point", "--field", "x", "--count", "1", "raw.mcap"),
           "topic: point\ntime: 1700000000.000001000\nsequence: 1\nmissed: 0\nmessage:\n  x: 0\n---\n", "YAML of a field")
    r.check("hello 3" in log("cat", "raw.mcap"), "lines")
    r.check("68 65 6c 6c 6f" in log("cat", "--hex", "--topic", "plain", "--count", "1", "raw.mcap"), "hex")
    log("cat", "--field", "z", "--topic", "point", "raw.mcap", status=1, said="z")
    r.same(r.run(ACH, "log", "cat", "--json", "-", given=r.read("raw.mcap")),
           log("cat", "--json", "raw.mcap"), "from a pipe")


def nowhere():
    """A pattern that fits no topic is told with the names there are."""
    for path in "raw.mcap", "indexed.mcap":
        names = ["no topic matches 'nosuch'; there are: ", "plain", "point", "/robot/thing"]
        r.same(log("cat", "--topic", "nosuch", path, status=1, said=names), "", "nothing of " + path)
        r.same(log("cat", "--topic", "nosuch", "--topic", "plain", path, said=names),
               log("cat", "--topic", "plain", path), "one of two patterns")
        log("filter", "--topic", "nosuch", "-o", "x.mcap", path, status=1, said=names)
        log("convert", "--topic", "nosuch", "-o", "x.jsonl", path, status=1, said=names)
        if os.path.exists("x.mcap"):
            os.unlink("x.mcap")
        if os.path.exists("x.jsonl"):
            os.unlink("x.jsonl")
    r.run(ACH, "log", "cat", "--topic", "nosuch", "-", given=r.read("raw.mcap"), status=1, said=names)


def filter_and_merge():
    log("filter", "--topic", "point", "--end", "0.45", "-o", "points.mcap", "raw.mcap")
    want = [m for m in lines("raw.mcap") if m["topic"] == "point"][:5]
    r.same(lines("points.mcap"), want, "filter")
    r.same(log("info", "--attachment", "robot.cfg", "points.mcap"), "tcp ( port 7 )\n", "kept")
    log("filter", "-o", "points.mcap", "raw.mcap", status=1, said="'points.mcap' exists; --force replaces it")
    r.same(lines("points.mcap"), want, "not replaced")
    log("filter", "--force", "--compression", "none", "-o", "points.mcap", "raw.mcap")
    r.same(lines("points.mcap"), lines("raw.mcap"), "replaced")
    log("filter", "-o", ".", "raw.mcap", status=1, said="'.' exists and is not a file")
    log("filter", "-o", "no/where.mcap", "raw.mcap", status=1, said="cannot write 'no/where.mcap'")
    log("filter", "raw.mcap", status=2, said="name the new file with -o")
    log("filter", "-o", "x.mcap", status=2, said="name a recording")
    log("filter", "-o", "x.mcap", "raw.mcap", "raw.mcap", status=2, said="ach log merge")
    log("filter", "--start", "3", "--end", "2", "-o", "x.mcap", "raw.mcap", status=2, said="--end is before")
    log("filter", "--compression", "best", "-o", "x.mcap", "raw.mcap", status=2, said="zstd, lz4 or none")
    r.same(log("filter", "-o", "-", "raw.mcap", text=False)[:8], b"\x89MCAP0\r\n", "to a pipe")
    # Halves that overlap, and a log of a channel between them.
    log("filter", "--end", "0.65", "-o", "early.mcap", "raw.mcap")
    log("filter", "--start", "0.35", "-o", "late.mcap", "raw.mcap")
    log("merge", "-o", "both.mcap", "late.mcap", "early.mcap")
    both = lines("both.mcap")
    r.same(len(both), 21 + 18, "merged")
    r.same([m["time"] for m in both], sorted(m["time"] for m in both), "merged by time")
    r.same(len(json.loads(log("info", "--json", "both.mcap"))[0]["topics"]), 3, "topics of the same name")
    log("merge", "-o", "x.mcap", "raw.mcap", status=2, said="at least two")
    # Each recording has its own offset of the clock. Nothing else may differ, and not by much.
    for name, more in ("a", {"clock_offset": "1700000000000000005"}), ("b", {"clock_offset": "1700000000000003000"}), \
            ("c", {"clock_offset": "1700000002000000005"}), ("d", {"clock_offset": "1700000000000000005", "frames": "65"}):
        m = r.Mcap()
        m.channel(1, "imu", metadata=r.geometry("imu", **more))
        m.message(1, r.START, name.encode())
        r.write("o%s.mcap" % name, m.end())
    for names, want in ("ab", 1), ("ac", 2), ("ad", 2), ("abcd", 3):
        log("merge", "--force", "-o", "offsets.mcap", *("o%s.mcap" % n for n in names))
        topics = json.loads(log("info", "--json", "offsets.mcap"))[0]["topics"]
        r.same(len(topics), want, "topics of " + names)
        r.same(topics[0]["metadata"]["clock_offset"], "1700000000000000005", "the first offset")
    absent("x.mcap", "points.mcap.part", "both.mcap.part")


def convert():
    log("convert", "--topic", "plain", "-o", "plain.achlog", "raw.mcap")
    old = json.loads(r.run(ACH, "replay", "--info", "--json", "plain.achlog"))[0]
    r.same((old["name"], old["frames"], old["size"], old["messages"], old["state"], old["stamps"], old["clock"]),
           ("plain", 64, 256, 10, "complete", "put", "monotonic"), "a log of a channel")
    log("convert", "-o", "back.mcap", "plain.achlog")
    want = [m for m in lines("raw.mcap") if m["topic"] == "plain"]
    r.same(lines("back.mcap"), want, "there and back")
    topic = json.loads(log("info", "--json", "back.mcap"))[0]["topics"][0]
    r.same(topic["metadata"], r.geometry("plain"), "geometry")
    log("convert", "-o", "x.achlog", "raw.mcap", status=1, said="choose with --topic, or end the output with /")
    log("convert", "--to", "achlog", "-o", "logs/", "raw.mcap")
    r.same(sorted(os.listdir("logs")), ["plain.achlog", "point.achlog", "robot_thing.achlog"], "a directory")
    r.same(json.loads(r.run(ACH, "replay", "--info", "--json", "logs/point.achlog"))[0]["largest"], 28,
           "without encapsulation")
    other = json.loads(r.run(ACH, "replay", "--info", "--json", "logs/robot_thing.achlog"))[0]
    r.same((other["name"], other["size"]), ("robot.thing", 64), "geometry of the largest message")
    log("convert", "--to", "csv", "-o", "logs/", "raw.mcap", status=1, said="'logs' exists: name a new directory")
    log("convert", "--topic", "point", "-o", "point.csv", "raw.mcap")
    r.same(r.read("point.csv").decode(), log("cat", "--csv", "--topic", "point", "raw.mcap"), "CSV")
    log("convert", "--to", "csv", "--topic", "po*", "--topic", "*thing", "-o", "tables/", "raw.mcap")
    r.same(sorted(os.listdir("tables")), ["point.csv", "robot_thing.csv"], "tables")
    log("convert", "-o", "all.jsonl", "raw.mcap")
    r.same(r.read("all.jsonl").decode(), log("cat", "--json", "raw.mcap"), "JSON lines")
    # Messages of equal times keep their order, also where a chunk ends.
    m = r.Mcap()
    for topic in range(1, 4):
        m.channel(topic, "t%d" % topic)
    for i in range(2000):
        m.message(i * 7 % 3 + 1, r.START + i // 100, b"%04d" % i * 200, i)
    r.write("equal.mcap", m.end())
    log("convert", "-o", "equal.jsonl", "equal.mcap")
    log("convert", "--compression", "none", "-o", "equal2.mcap", "equal.mcap")
    log("convert", "-o", "equal2.jsonl", "equal2.mcap")
    r.check(r.read("equal.jsonl") == r.read("equal2.jsonl"), "the order of equal times")
    log("convert", "-o", "what", "raw.mcap", status=2, said="does not tell the format")
    log("convert", "--to", "bag", "-o", "what", "raw.mcap", status=2, said="mcap, achlog, devices, csv or jsonl")
    log("convert", "-o", "x.log", "raw.mcap", status=1, said="no exact messages of devices")
    log("convert", "--to", "jsonl", "-o", "dir/", "raw.mcap", status=2, said="only csv and achlog")
    log("convert", "--topic", "nothing", "-o", "x.achlog", "raw.mcap", status=1, said="no messages to write")
    absent("x.", "what", "dir", "logs.part", "tables.part")


def empty():
    r.write("none.mcap", r.Mcap().end())
    r.write("zero.mcap", b"")
    r.write("zeros.mcap", bytes(4096))
    told = json.loads(log("info", "--json", "none.mcap"))[0]
    r.same((told["messages"], told["topics"]), (0, []), "a recording without messages")
    r.same(lines("none.mcap"), [], "none")
    log("filter", "-o", "none2.mcap", "none.mcap")
    r.same(json.loads(log("info", "--json", "none2.mcap"))[0]["state"], "complete", "none, copied")
    for name in "zero.mcap", "zeros.mcap":
        for tool in ("info", name), ("cat", name), ("filter", "-o", "x.mcap", name), \
                ("convert", "-o", "x.mcap", name), ("repair", name):
            log(*tool, status=1, said="'%s' is not" % name)
    log("info", "missing.mcap", status=1, said="cannot open 'missing.mcap': No such file")
    log("cat", "/tmp", status=1, said="'/tmp' is unreadable: Is a directory")
    absent("x.mcap")


def foreign():
    """What is no recording at all: which formats are known is said."""
    known = "is not a recording that ach knows: these are files of MCAP, logs of channels (achlog) and logs of devices"
    for data in bytes(range(200, 256)) * 9, b"hello, this is a text\n" * 9, b"\x89PNG\r\n\x1a\n", b"12 hello\n", b"x":
        r.write("foreign", data)
        for tool in ("info",), ("cat",), ("filter", "--force", "-o", "x1.mcap"), \
                ("convert", "--force", "-o", "x1.jsonl"), ("merge", "--force", "-o", "x1.mcap", "raw.mcap"):
            log(*tool, "foreign", status=1, said="'foreign' " + known)
        log("repair", "foreign", status=1, said="'foreign' is not a file of MCAP")
        r.run(ACH, "replay", "foreign", status=1, said=known)
    for name in "foreign", "x1.mcap", "x1.jsonl":
        if os.path.exists(name):
            os.remove(name)


def rates():
    """A rate is told if there are enough messages and time."""
    def of(*times):
        m = r.Mcap()
        m.channel(1, "all")
        m.channel(2, "some")
        for i in range(11):
            m.message(1, r.START + i * r.SECOND, b"x", i + 1)
        for t in times:
            m.message(2, r.START + t, b"x")
        r.write("rate.mcap", m.end())
        told = json.loads(log("info", "--json", "rate.mcap"))[0]["topics"]
        shown = [line.split() for line in log("info", "rate.mcap").splitlines() if line.startswith(("all", "some"))]
        r.same(told[0]["rate"], 1, "the rate of all")
        r.same(shown[0][4], "1.000/s", "the rate of all")
        return told[1]["rate"], shown[1][4]
    r.same(of(5), (None, "-"), "one message")
    r.same(of(0, 1000), (0.2, "0.200/s"), "two messages a microsecond apart")
    r.same(of(*range(0, 10 * r.SECOND, r.SECOND // 10)), (10, "10.000/s"), "a rate")
    m = r.Mcap()
    m.channel(1, "all")
    m.message(1, r.START, b"x")
    m.message(1, r.START + 1000, b"x")
    r.write("rate.mcap", m.end())
    r.same(json.loads(log("info", "--json", "rate.mcap"))[0]["topics"][0]["rate"], None, "a short recording")


def cut():
    """As if the recorder was killed: at every length, all tools end, and nothing is invented."""
    whole = r.read("indexed.mcap")
    raw = r.read("raw.mcap")
    want = lines("raw.mcap")
    for data in whole, raw:
        for size in sorted(random.Random(1).sample(range(9, len(data) - 1), 25)):
            r.write("cut.mcap", data[:size])
            got = r.run(ACH, "log", "cat", "--json", "cut.mcap", said="was cut short").splitlines()
            r.same([json.loads(m) for m in got], want[:len(got)], "cut at %d" % size)
    r.write("cut.mcap", raw[:raw.index(b"hello 5")])
    r.same(len(lines("cut.mcap", said="was cut short after 15 messages")), 15, "cut")
    r.same(json.loads(log("info", "--json", "cut.mcap"))[0]["state"], "cut short", "state")
    packed = gzip.compress(whole)
    r.write("packed.mcap.gz", packed)
    log("info", "packed.mcap.gz", status=1, said="unpack it first, with gunzip")
    log("filter", "-o", "rest.mcap", "cut.mcap", said="was cut short")
    r.same(lines("rest.mcap"), want[:15], "what is left")


def gaps():
    """What is missing is counted by the numbers of messages, also without the recorder's own count."""
    m = r.Mcap()
    m.channel(1, "plain", metadata=r.geometry("plain"))
    m.channel(2, "laser:0/scan", metadata=r.geometry("dev.6665.laser.0.data"))
    m.channel(3, "other")
    for i, number in enumerate((7, 8, 12, 2, 3, 0xffffffff, 2)):
        for channel in 1, 2, 3:
            m.message(channel, r.START + i, b"x", number)
    r.write("gaps.mcap", m.end())
    for topic, wanted in ("plain", [0, 0, 3, 0, 0, 0, 2]), ("laser:0/scan", [0] * 7), ("other", [0] * 7):
        r.same([m["missed"] for m in lines("gaps.mcap") if m["topic"] == topic], wanted, topic)
    told = json.loads(log("info", "--json", "gaps.mcap"))[0]
    r.same({t["name"]: t["missed"] for t in told["topics"]}, {"plain": 5, "laser:0/scan": 0, "other": 0}, "info")
    # What recorders count is more: it includes what is missing before and behind all messages.
    paths = []
    for part, count in (1, 20), (2, 30):
        m = r.Mcap()
        m.channel(1, "plain", metadata=r.geometry("plain"))
        for i, number in enumerate((1, 5, 6)):
            m.message(1, r.START + part * 10**9 + i, b"x", number + part * 6)
        m.metadata("ach.missed", {"total": str(count), "topic:plain": str(count)})
        paths.append("told%d.mcap" % part)
        r.write(paths[-1], m.end())
    missed = lambda path: json.loads(log("info", "--json", path))[0]["topics"][0]["missed"]
    r.same([missed(p) for p in paths], [20, 30], "told")
    log("merge", "-o", "told.mcap", *paths)
    r.same(missed("told.mcap"), 50, "merged")
    log("filter", "--end", "0.5", "-o", "part.mcap", "told.mcap")
    r.same(missed("part.mcap"), 3, "a part")


def verified():
    """A byte that no message needs is checked, too."""
    m = r.Mcap()
    m.channel(1, "plain", metadata=r.geometry("plain"))
    for i in range(5):
        m.message(1, r.START + i, b"x" * 100, i + 1)
    m.attachment("robot.cfg", b"speed 1")
    m.metadata("note", {"weather": "fine"})
    r.write("loose.mcap", m.end())
    log("filter", "-o", "sound.mcap", "loose.mcap")
    data = r.read("sound.mcap")
    log("info", "sound.mcap")
    for part in b"speed 1", b"fine", b"ach":
        r.write("wrong.mcap", flipped(data, data.index(part)))
        shown = log("info", "wrong.mcap", status=1, said="is damaged, although all messages were read")
        r.check("state     damaged: " in shown, shown)


def beside(path):
    """Topics, attachments and metadata, without those that a writer adds."""
    told = json.loads(log("info", "--json", path))[0]
    return (sorted(t["name"] for t in told["topics"]), [a["name"] for a in told["attachments"]],
            [m["name"] for m in told["metadata"]])


def copied():
    """A copy has what is beside the messages, also of a pipe, and topics without messages."""
    m = r.Mcap()
    m.attachment("early.cfg", b"speed 1")
    m.channel(1, "plain", metadata=r.geometry("plain"))
    m.channel(2, "silent", metadata=r.geometry("silent"))
    for i in range(5):
        m.message(1, r.START + i * 1000000000, b"x", i + 1)
    m.attachment("late.cfg", b"speed 2")
    m.metadata("note", {"weather": "fine"})
    want = (["plain", "silent"], ["early.cfg", "late.cfg"], ["note"])
    r.write("simple.mcap", m.end())
    log("filter", "-o", "kept.mcap", "simple.mcap")
    r.same(beside("kept.mcap"), want, "of a file without an index")
    both = (want[0], 2 * want[1], 2 * want[2])
    for path in "simple.mcap", "kept.mcap":
        data = r.read(path)
        for words, given, expected in (
                (["filter", path], None, want), (["convert", "--to", "mcap", path], None, want),
                (["filter", "-"], data, want), (["filter", "--end", "1", "-"], data, want),
                (["convert", "--to", "mcap", "-"], data, want), (["merge", "-", "kept.mcap"], data, both)):
            log(*words, "-f", "-o", "copied.mcap", given=given)
            got = beside("copied.mcap")
            r.same((got[0], sorted(got[1]), got[2]), (expected[0], sorted(expected[1]), expected[2]), "%s of %s" % (words, path))
        log("filter", "--topic", "plain", "-f", "-o", "copied.mcap", path)
        r.same(beside("copied.mcap"), (["plain"], *want[1:]), "one topic")
    # What is damaged is told, and the rest is copied.
    r.write("wrong.mcap", flipped(data, data.index(b"speed 1")))
    for words, given in (["wrong.mcap"], None), (["-"], r.read("wrong.mcap")):
        log("filter", *words, "-f", "-o", "copied.mcap", given=given, status=1, said="the attachment is damaged")
        r.same(beside("copied.mcap"), (want[0], ["late.cfg"], want[2]), "the rest")


def appended():
    """A file that standard output is and that has something stays as it is."""
    r.write("notes.txt", b"precious")
    for words in ["log", "filter", "-o", "-", "raw.mcap"], ["record", "-a", "-o", "-", "-d", "0.1"]:
        for mode in "ab", "r+b":
            with open("notes.txt", mode) as f:
                done = subprocess.run([ACH, *words], stdout=f, stderr=subprocess.PIPE, timeout=r.LIMIT)
            r.check(done.returncode == 1 and b"a file that is not empty" in done.stderr, done.stderr)
            r.same(r.read("notes.txt"), b"precious", "the file")
    with open("new.mcap", "wb") as f:
        subprocess.run([ACH, "log", "filter", "-o", "-", "raw.mcap"], stdout=f, check=True, timeout=r.LIMIT)
    r.same(lines("new.mcap"), lines("raw.mcap"), "a new file")


def unknown_kind():
    """Without an index, a chunk whose kind is damaged is told by the indexes behind it."""
    data = r.read("chunks.mcap")
    where = chunks(data)
    at, length = where[1]
    data = data[:where[-1][0]]
    r.write("kind.mcap", data[:at] + b"\x55" + data[at + 1:])
    log("info", "kind.mcap", status=1, said="the chunk at byte %d is bad: its kind is damaged" % at)
    r.check("damaged bytes were lost, of 1 chunk" in log("repair", "kind.mcap"), "the chunk is counted")
    log("info", "kind.mcap")
    r.check("it is whole" in log("repair", "kind.mcap"), "repaired twice")


def several_types():
    """Of topics with one name and different types, CSV prints one."""
    m = r.Mcap()
    for i, name in enumerate(("demo/msg/Point", "demo/msg/Other"), 1):
        m.schema(i, name, "ros2msg", r.POINT)
        m.channel(i, "point", "cdr", i)
        m.message(i, r.START, r.cdr_point(1, 2))
    r.write("types.mcap", m.end())
    both = ["'point~demo/msg/Point' and 'point~demo/msg/Other'", "--topic"]
    log("cat", "--csv", "types.mcap", status=1, said=both)
    log("convert", "-o", "types.csv", "types.mcap", status=1, said=both)
    r.same(len(log("cat", "--csv", "--topic", "point~*Other", "types.mcap").splitlines()), 2, "one of them")
    log("cat", "--topic", "point~no", "types.mcap", status=1, said="point~demo/msg/Point, point~demo/msg/Other")


def unfit():
    """CSV has no place for messages that do not fit their type: they are counted, and the rest is written."""
    m = r.Mcap()
    m.schema(1, "demo/msg/Point", "ros2msg", r.POINT)
    m.channel(1, "point", "cdr", 1)
    m.channel(2, "untyped")
    for i in range(5):
        m.message(1, r.START + i, r.cdr_point(i, i) if i % 2 else b"\0\1\0\0x")
        m.message(2, r.START + i, b"text")
    r.write("unfit.mcap", m.end())
    said = "3 messages of 'point' could not be decoded and are left out"
    log("convert", "--topic", "point", "-o", "unfit.csv", "unfit.mcap", status=1, said=said)
    r.same(len(r.read("unfit.csv").splitlines()), 3, "rows")
    log("cat", "--yaml", "--topic", "point", "unfit.mcap", status=1, said=said)
    log("convert", "--to", "csv", "-o", "unfit/", "unfit.mcap", status=1, said=[said, "'untyped' has no type"])
    r.same(os.listdir("unfit"), ["point.csv"], "tables")
    log("convert", "--to", "csv", "--topic", "untyped", "-o", "untyped.csv", "unfit.mcap", status=1, said="no type")


def repair():
    data = r.read("indexed.mcap")
    r.write("whole.mcap", data)
    r.check("whole.mcap: it is whole" in log("repair", "whole.mcap"), "whole")
    r.same(r.read("whole.mcap"), data, "not changed")
    big = r.Mcap()
    big.channel(1, "plain", metadata=r.geometry("plain"))
    for i in range(3000):
        big.message(1, r.START + i, b"%08d" % i * 128, i + 1)
    r.write("big.mcap", big.end())
    log("filter", "--compression", "none", "-o", "chunks.mcap", "big.mcap")
    data = r.read("chunks.mcap")
    r.write("killed.mcap", data[:len(data) // 2])
    before = lines("killed.mcap", said="was cut short")
    said = log("repair", "-o", "mended.mcap", "killed.mcap")
    r.check("bytes behind the last whole chunk were lost" in said, said)
    lost = int(said.split("repaired, ")[1].split()[0])
    r.check(0 < lost < 3 << 20, "%d lost" % lost)
    r.same(r.read("killed.mcap"), data[:len(data) // 2], "the file itself")
    r.same(lines("mended.mcap"), before, "mended")
    r.check(json.loads(log("info", "--quick", "--json", "mended.mcap"))[0]["messages"] == len(before) > 0,
            "its index")
    log("repair", "-o", "mended.mcap", "killed.mcap", status=1, said="exists; --force")
    log("repair", "killed.mcap")
    r.same(r.read("killed.mcap"), r.read("mended.mcap"), "in place")
    log("repair", "plain.achlog", status=1, said="is not a file of MCAP")
    log("repair", status=2, said="name a recording")
    r.write("junk.mcap", b"\x89MCAP0\r\n" + b"\xff" * 100)
    r.check("lost" in log("repair", "junk.mcap"), "junk")
    r.same(lines("junk.mcap"), [], "junk, repaired")
    absent("mended.mcap.part")


def chunks(data):
    """Where the chunks of a file are: offsets and lengths."""
    at, found = 8, []
    while at + 9 <= len(data):
        kind, length = struct.unpack_from("<BQ", data, at)
        if kind == 15:
            break
        if kind == 6:
            found.append((at, 9 + length))
        at += 9 + length
    return found


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:]


def span(data, chunk):
    """Numbers of the messages in a chunk: they are 1 ns apart."""
    first, last = struct.unpack_from("<QQ", data, chunk[0] + 9)
    return set(range(first - r.START + 1, last - r.START + 2))


def damaged(name, data, lost, removed=False):
    """Messages of some chunks cannot be read. All others can, before the repair and after it."""
    r.write(name, data)
    want = sorted(set(range(1, 3001)) - lost)
    read = [m["sequence"] for m in lines(name, status=1, said="is damaged: ")]
    shown = log("info", name, status=1, said="is damaged: ")
    r.check("state     damaged: " in shown and shown.count("damaged: ") == 1, shown)
    said = log("repair", name)
    r.check("damaged bytes were lost, of 1 chunk" in said and ("behind the last whole" in said) == removed, said)
    r.same([m["sequence"] for m in lines(name)], want, "%s, repaired" % name)
    r.check("it is whole" in log("repair", name), "%s, repaired twice" % name)
    return read, want, said


def damage():
    """Only what is damaged is lost, wherever it is."""
    data = r.read("chunks.mcap")
    where = chunks(data)
    r.check(len(where) >= 3, "chunks: %s" % where)
    for n, (at, length) in enumerate(where):
        lost = span(data, where[n])
        read, want, said = damaged("mid.mcap", flipped(data, at + length // 2), lost)
        r.same(read, want, "read on behind chunk %d" % n)
        r.check("its checksum is wrong" in said and r"messages from 2023-11-14T22:13:20" in said, said)
        read, want, said = damaged("mid.mcap", flipped(data, at + 3), lost)  # its length
        r.same(read, want, "read on behind chunk %d without a length" % n)
    at, length = where[1]
    r.write("mid.mcap", flipped(data, at + length // 2))
    left = 3000 - len(span(data, where[1]))
    r.run(ACH, "replay", "--create", "--max", "mid.mcap", status=1, said=["is damaged: ", "%d messages played" % left])
    r.run(ACH, "rm", "plain")
    log("filter", "-o", "good.mcap", "mid.mcap", status=1, said="is damaged: ")
    r.same(len(numbers("good.mcap")), left, "filtered")
    # The same in a file that was cut off, in its last chunk.
    at, length = where[-1]
    cut = data[:at + length // 2]
    rest = span(data, where[-1])
    at, length = where[1]
    read, want, said = damaged("mid.mcap", flipped(cut, at + length // 2), span(data, where[1]) | rest, True)
    r.same(read, want, "read on in a file that was cut off")
    read, want, said = damaged("mid.mcap", flipped(cut, at + 3), span(data, where[1]) | rest, True)
    r.same(read, want, "read on in a file that was cut off, without a length")
    # Damage before a bad end is not taken for that end.
    twice = flipped(flipped(data[:where[-1][0] + where[-1][1]], at + length // 2), where[-1][0] + where[-1][1] // 2)
    r.write("twice.mcap", twice)
    log("info", "twice.mcap", status=1, said="2 chunks or records are bad")
    # The first chunk defines the channels of the others.
    at, length = where[0]
    read, want, said = damaged("mid.mcap", flipped(cut, at + length // 2), span(data, where[0]) | rest, True)
    r.check("names and types of channels were damaged, in all 1" in said, said)
    r.same({m["topic"] for m in lines("mid.mcap")}, {"plain"}, "a name from a damaged chunk")
    broken = cut[:at + 9] + bytes(200) + cut[at + 209:]
    read, want, said = damaged("mid.mcap", broken, span(data, where[0]) | rest, True)
    r.same({m["topic"] for m in lines("mid.mcap")}, {"unknown-1"}, "a name that is lost")
    # The header.
    r.write("mid.mcap", flipped(data, 8))
    log("repair", "mid.mcap")
    r.same(numbers("mid.mcap"), list(range(1, 3001)), "without a header")


def numbers(name, **how):
    return [m["sequence"] for m in lines(name, **how)]


def joined():
    """Two files that were joined: the second is not forgotten, and not removed."""
    data = r.read("chunks.mcap")
    for more, what in (data, "another MCAP file of %d bytes" % len(data)), (b"\n" * 7, "7 bytes"):
        r.write("joined.mcap", data + more)
        said = "its end is at byte %d, and what is behind it was not read: %s" % (len(data), what)
        r.same(numbers("joined.mcap", status=1, said=said), list(range(1, 3001)), "the first part")
        log("info", "joined.mcap", status=1, said=said)
        log("repair", "joined.mcap", status=1, said=said)
        r.same(r.read("joined.mcap"), data + more, "not changed")


def output_while_recording():
    """A file that a recorder writes is not touched."""
    r.run(ACH, "mk", "live")
    child = subprocess.Popen([ACH, "record", "--output", "live.mcap", "live"], stdout=subprocess.DEVNULL)
    end = time.monotonic() + r.LIMIT
    while not (os.path.exists("live.mcap") and os.path.getsize("live.mcap")) and time.monotonic() < end:
        time.sleep(0.02)
    before = r.read("live.mcap")
    log("repair", "live.mcap", status=1, said="'live.mcap' is being written by a recorder")
    r.same(json.loads(log("info", "--json", "live.mcap", said="is being recorded"))[0]["state"], "being recorded", "live")
    for words in ("filter", "raw.mcap"), ("merge", "raw.mcap", "indexed.mcap"):
        log(words[0], "--force", "-o", "live.mcap", *words[1:], status=1,
            said="'live.mcap' is being written by a recorder")
    after = r.read("live.mcap")
    r.check(after.startswith(before) and not after.endswith(b"\x89MCAP0\r\n"), "changed: %r" % after)
    log("repair", "-o", "copy.mcap", "live.mcap")
    child.send_signal(signal.SIGINT)
    r.same(child.wait(timeout=r.LIMIT), 0, "the recorder")
    r.same(json.loads(log("info", "--json", "live.mcap"))[0]["state"], "complete", "recorded")
    r.run(ACH, "rm", "live")


def hostile():
    """No bytes make a tool crash, hang, or write outside the output."""
    random.seed(3)
    for source in "raw.mcap", "indexed.mcap", "plain.achlog":
        data = r.read(source)
        for _ in range(25):
            bad = bytearray(data)
            for _ in range(random.randrange(1, 8)):
                bad[random.randrange(len(bad))] = random.randrange(256)
            r.write("bad", bytes(bad))
            for words in ("info", "bad"), ("cat", "--json", "bad"), \
                    ("convert", "--force", "-o", "bad.mcap", "bad"):
                status = os.spawnv(os.P_WAIT, "/bin/sh",
                                   ["sh", "-c", 'exec timeout %d "$@" >/dev/null 2>&1' % r.LIMIT, "sh", ACH, "log",
                                    *words])
                r.check(status in (0, 1), "%s of %s: status %d" % (words[0], bytes(bad).hex()[:80], status))
    m = r.Mcap()
    for i, name in enumerate(("../../evil", "..", "", "/", "a\n\033[31mb", "x" * 3000, "a", "/a")):
        m.channel(i + 1, name, "json")
        m.message(i + 1, r.START + i, b'{"n": %d}' % i)
    r.write("names.mcap", m.end())
    log("convert", "--to", "csv", "-o", "names/", "names.mcap")
    r.same(len(os.listdir("names")), 8, "files of names")
    r.check("\033" not in log("info", "names.mcap") + log("cat", "names.mcap"), "control characters")
    r.check(not os.path.exists("../evil.csv") and not os.path.exists("../../evil.csv"), "evil")
    m = r.Mcap()
    m.channel(1, "late", metadata=r.geometry("late"))
    m.message(1, 2**64 - 1, b"late")
    r.write("late.mcap", m.end())
    log("cat", "late.mcap", status=1, said="impossible time")
    m = r.Mcap()
    m.schema(1, "demo/msg/Point", "ros2msg", r.POINT)
    m.channel(1, "big", "cdr", 1)
    m.message(1, r.START, r.cdr_point(1, 2, (), b"\0\0\0\0"))
    r.write("endian.mcap", m.end())
    log("cat", "endian.mcap", status=1, said="the topic 'big' cannot be decoded: its messages are in big-endian")
    log("filter", "-o", "endian2.mcap", "endian.mcap")
    r.check(struct.pack("<d", 1) in r.run(ACH, "log", "filter", "--compression", "none", "-o", "-", "endian2.mcap",
                                          text=False), "copied as it is")
    m = r.Mcap()
    m.schema(1, "demo/msg/Point", "ros2msg", "no such definition {")
    m.channel(1, "odd", "cdr", 1)
    m.message(1, r.START, r.cdr_point(1, 2))
    r.write("schema.mcap", m.end())
    r.check('"hex": ' in log("cat", "--json", "schema.mcap", said="cannot decode the messages of 'odd'"), "hex")


def fails():
    """A full disk, and a signal: there is no new file, and an existing one is as before."""
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, resource.RLIM_INFINITY))

    r.write("old.mcap", b"old")
    for words in ("filter", "-o", "x.mcap"), ("convert", "-o", "x.jsonl"), ("convert", "--topic", "point", "-o", "x.csv"), \
            ("convert", "--to", "achlog", "-o", "xlogs/"), ("filter", "--force", "-o", "old.mcap"):
        done = subprocess.run([ACH, "log", *words, "--compression", "none", "raw.mcap"], preexec_fn=limited,
                              capture_output=True, timeout=r.LIMIT)
        r.check(done.returncode == 1 and b"cannot write" in done.stderr and b"File too large" in done.stderr,
                "%s: %s" % (words, done))
    r.same(r.read("old.mcap"), b"old", "the old file")
    absent("x.", "xlogs", "old.mcap.part")
    child = subprocess.Popen([ACH, "log", "convert", "-o", "x.jsonl", "-"], stdin=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    child.stdin.write(r.read("raw.mcap")[:-100])
    child.stdin.flush()
    end = time.monotonic() + r.LIMIT
    while not any(n.startswith("x.jsonl.part") for n in os.listdir(".")) and time.monotonic() < end:
        time.sleep(0.02)
    child.terminate()
    said = child.communicate(timeout=r.LIMIT)[1]
    r.check(child.returncode == 1 and b"interrupted" in said, "after a signal: %s, %s" % (child.returncode, said))
    absent("x.")


def devices():
    if "dev" not in r.run(ACH, "help", "--verbs").split():
        return
    head = "## Ach version 3\n## File version 0.3.0\n"
    line = "%014.6f 0 6665 position2d 00 001 001 +0%.3f -02.500 +3.142 +00.100 +00.000 +00.000 0\n"
    ack = "0000010.000000 0 6665 position2d 00 004 001 +00.000 +00.000 +0.000 +00.400 +00.400\n"
    text = head + ack + "".join(line % (10 + i / 10, i) for i in range(9))
    r.write("d.log", text.encode())
    log("convert", "-o", "d.mcap", "d.log")
    told = json.loads(log("info", "--json", "d.mcap"))[0]
    r.same({t["name"]: t["messages"] for t in told["topics"]},
           {"dev.6665.position2d.0.data": 9, "dev.6665.position2d.0.answers": 1}, "devices")
    got = lines("--topic", "*data", "--count", "1", "d.mcap")[0]
    r.same((got["device"], got["message"], got["body"]["pos"]["py"]), ("6665:position2d:0", "STATE", -2.5),
           "decoded")
    # What a channel of answers has: messages of several kinds, whose bodies have other fields.
    log("filter", "--compression", "none", "-o", "plain.mcap", "d.mcap")
    data, m = r.read("plain.mcap"), r.Mcap()
    m.channel(1, "dev.6665.ans")
    at, length = chunks(data)[0]
    inside, end, n = at + 9 + 40, at + length, 0
    while inside < end:
        kind, size = struct.unpack_from("<BQ", data, inside)
        if kind == 5:
            n += 1
            m.message(1, r.START + n, data[inside + 31:inside + 9 + size], n)
        inside += 9 + size
    r.write("ans.mcap", m.end())
    log("convert", "-o", "ans.csv", "ans.mcap")
    rows = list(csv.reader(io.StringIO(r.read("ans.csv").decode())))
    r.same(rows[0], ["time", "sequence", "device", "type", "message", "body"], "columns of answers")
    r.same([row[3:5] for row in rows[1:]], [["answer", "GET_GEOM"]] + [["data", "STATE"]] * 9, "answers")
    r.same((rows[1][2], json.loads(rows[1][5])["size"]["sl"], json.loads(rows[2][5])["pos"]["py"]),
           ("position2d:0", 0.4, -2.5), "bodies")
    log("convert", "-o", "d2.log", "d.mcap")
    body = [x for x in r.read("d2.log").decode().splitlines() if not x.startswith("##")]
    r.same(body, text.splitlines()[2:], "there and back")
    r.write("odd.log", (text + "nonsense\n" + line % (12, 3) + "1 2 3\n").encode())
    log("cat", "odd.log", said="2 wrong lines of 'odd.log' are skipped; the first: line 13")
    r.write("nothing.log", b"12 hello\n")
    log("cat", "nothing.log", status=1, said="; as a log of devices, line 1")


r.enter()
r.write("raw.mcap", r.sample(MESSAGES))
info()
cat()
nowhere()
filter_and_merge()
convert()
empty()
foreign()
rates()
cut()
gaps()
unfit()
hostile()
fails()
devices()
repair()
damage()
verified()
copied()
appended()
unknown_kind()
several_types()
joined()
output_while_recording()
log(status=2, said="say which tool: info, cat, filter, merge, convert or repair")
log("inof", status=2, said="did you mean 'info'?")
r.finish()
