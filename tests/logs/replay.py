#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ach replay of files of MCAP: which channels, which messages, in which order.

replay.py ACH ACHLOG
"""
import json
import os
import re
import struct
import sys
import time

import recording as r

ACH, ACHLOG = (os.path.realpath(p) for p in sys.argv[1:3])


def replay(*words, **how):
    return r.run(ACH, "replay", *words, **how)


def numbers(name, count):
    return [int(m["text"].split()[-1]) for m in r.channel_take(ACH, name, count)]


def names():
    return r.run(ACH, "ls", "--names").split()


def creates():
    replay("--create", "--max", "raw.mcap", said="30 messages played")
    r.same(names(), ["plain", "point", "robot.thing"], "channels")
    told = json.loads(r.run(ACH, "info", "--json", "plain"))
    told = told[0] if isinstance(told, list) else told
    r.same((told["frames"], told["size"], told["clock"]), (64, 256, "monotonic"), "geometry")
    r.check("demo/msg/Point" in r.run(ACH, "type", "show", "point"), "the type")
    got = r.channel_take(ACH, "point", 10)
    r.same([m["message"] for m in got[:3]],
           [{"x": 0, "y": 0, "list": []}, {"x": 1, "y": -1, "list": [0]}, {"x": 2, "y": -2, "list": [0, 1]}],
           "points")
    r.same(got[0]["size"], 20, "without encapsulation")
    r.same([m["message"]["id"] for m in r.channel_take(ACH, "robot.thing", 10)], list(range(10)), "JSON")
    r.same(numbers("plain", 10), list(range(10)), "plain")


def chooses():
    replay("--max", "raw.mcap", status=1, said="there is no channel 'plain'")
    replay("--create", "--max", "--only", "pl*", "raw.mcap", said="10 messages played")
    r.same(names(), ["plain"], "only one")
    numbers("plain", 10)
    replay("--create", "--max", "--map", "plain=other", "--only", "plain", "raw.mcap")
    r.same(numbers("other", 10), list(range(10)), "mapped")
    replay("--create", "--max", "--map", "/robot/thing=thing", "--only", "/robot/thing", "raw.mcap")
    r.same(len(r.channel_take(ACH, "thing", 10)), 10, "a topic, mapped")
    replay("--create", "--max", "--map", "nothing=other", "raw.mcap", status=2, said="'nothing'")
    r.same(names(), [], "nothing is created")
    replay("--create", "--max", "--only", "plain", "--start", "0.25", "--end", "0.55", "raw.mcap")
    r.same(numbers("plain", 3), [3, 4, 5], "start and end")
    replay("--create", "--max", "--only", "plain", "--start", "0.25", "--end", "0.55", "--loop", "3", "indexed.mcap")
    r.same(numbers("plain", 9), [3, 4, 5] * 3, "by the index, in a loop")
    replay("--create", "--max", "--only", "plain", "--loop", "2", "raw.mcap")
    r.same(numbers("plain", 20), list(range(10)) * 2, "twice")
    r.run(ACH, "mk", "plain", "-m", "100", "-n", "100")
    r.run(ACH, "replay", "--max", "--only", "plain", "-", given=r.read("raw.mcap"), said="10 messages played")
    r.same(numbers("plain", 10), list(range(10)), "from a pipe")
    r.run(ACH, "replay", "--create", "--max", "--only", "plain", "--loop", "2", "-", given=r.read("raw.mcap"), status=1,
          said="'-' cannot be played again")
    numbers("plain", 10)


def merges():
    """Overlapping files of three formats, in the order of times; the order of words does not matter."""
    r.run(ACH, "log", "filter", "--topic", "plain", "--end", "0.35", "-o", "a.mcap", "raw.mcap")
    r.run(ACH, "log", "convert", "--topic", "plain", "--start", "0.15", "--end", "0.65", "-o", "b.achlog", "raw.mcap")
    r.run(ACH, "log", "filter", "--topic", "plain", "--start", "0.55", "-o", "c.mcap", "raw.mcap")
    for files in ("a.mcap", "b.achlog", "c.mcap"), ("c.mcap", "b.achlog", "a.mcap"):
        replay("--create", "--max", *files)
        r.same(numbers("plain", 13), [0, 1, 2, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9], "merged")


def in_time():
    """No message comes before its time, and the report tells how late they were."""
    begin = time.monotonic()
    out = replay("--create", "--only", "plain", "--speed", "3", "--statistics", "raw.mcap", said="of 10 messages")
    r.check(time.monotonic() - begin >= 0.3, "too fast")
    r.same(out, "", "standard output")
    stamps = [m["time"] for m in r.channel_take(ACH, "plain", 10)]
    r.check(stamps[-1] - stamps[0] >= 0.25, "times %s" % stamps)
    replay("--create", "--only", "plain", "--max", "--statistics", "raw.mcap", said="nothing was played by time")
    replay("--create", "--paused", "raw.mcap", status=1, said="--paused needs a terminal")
    numbers("plain", 10)


def refuses():
    """What channels cannot hold."""
    m = r.Mcap()
    m.schema(1, "demo/msg/Point", "ros2msg", r.POINT)
    m.channel(1, "point", "cdr", 1)
    m.message(1, r.START, r.cdr_point(1, 2, (), b"\0\0\0\0"))
    r.write("endian.mcap", m.end())
    replay("--create", "endian.mcap", status=1, said="big-endian")
    r.run(ACH, "rm", "point")
    m = r.Mcap()
    m.channel(1, "plain", metadata=r.geometry("plain"))
    m.message(1, r.START, b"hello 1")
    m.message(1, r.START, b"")
    m.message(1, r.START, b"hello 2")
    r.write("empty.mcap", m.end())
    replay("--create", "empty.mcap", said=["2 messages played", "1 empty messages left out"])
    r.same(numbers("plain", 2), [1, 2], "empty")
    r.run(ACH, "mk", "plain2")
    r.run(ACH, "mk", "--encoding", "json", "--type", "Other", "point")
    for path in "raw.mcap", "indexed.mcap":
        replay("--create", "--max", "--only", "nosuch", path, status=1,
               said=["no topic matches 'nosuch'; there are: ", "plain", "point"])
    replay("--only", "point", "raw.mcap", status=1,
           said="the channel 'point' has messages Other in 'json', and those of 'point' are demo/msg/Point in 'cdr'")
    replay("--only", "plain", "--to", "point", "raw.mcap", status=1,
           said="the channel 'point' has messages Other in 'json', and those of 'plain' are without a type")
    r.run(ACH, "rm", "plain2", "point")
    replay("--create", "--to", "both", "raw.mcap", status=1,
           said=["cannot be played into one channel 'both'", "without a type", "demo/msg/Point in 'cdr'"])
    m = r.Mcap()
    for i, name in enumerate(("demo/msg/Point", "demo/msg/Other"), 1):
        m.schema(i, name, "ros2msg", r.POINT)
        m.channel(i, "point", "cdr", i)
        m.message(i, r.START, r.cdr_point(1, 2))
    r.write("two.mcap", m.end())
    replay("--create", "two.mcap", status=1, said="cannot be played into one channel 'point'")
    replay("--create", "--only", "point~demo/msg/Other", "two.mcap", said="1 messages played")
    r.check("demo/msg/Other" in r.run(ACH, "type", "show", "point"), "the topic that was chosen by its type")
    r.run(ACH, "rm", "point")
    replay("--create", "--map", "point~demo/msg/Other=other", "two.mcap", said="2 messages played")
    r.same(names(), ["other", "point"], "mapped by the type")
    r.run(ACH, "rm", "point", "other")
    replay("--map", "a=b", "--map", "a=c", "two.mcap", status=2, said="there is --map a=b already")
    m = r.Mcap()
    m.channel(1, "big", metadata=r.geometry("big", 1 << 40, 1 << 30))
    m.message(1, r.START, b"x")
    r.write("big.mcap", m.end())
    replay("--create", "big.mcap", status=1, said="very large channel 'big'")
    m = r.Mcap()
    m.channel(1, "x" * 300)
    m.message(1, r.START, b"x")
    r.write("long.mcap", m.end())
    replay("--create", "long.mcap", status=1, said="is too long for the name of a channel")
    replay("--info", "raw.mcap", status=1, said="ach log info")
    r.same(names(), [], "left")


def cut():
    data = r.read("raw.mcap")
    r.write("cut.mcap", data[:data.index(b"hello 5")])
    replay("--create", "--max", "--only", "plain", "cut.mcap", said="was cut short after 15 messages")
    r.same(numbers("plain", 5), list(range(5)), "cut")
    data = bytearray(r.read("indexed.mcap"))
    data[len(data) // 4] ^= 255
    r.write("bad.mcap", data)
    replay("--create", "--max", "--only", "plain", "bad.mcap", status=1, said="'bad.mcap' is damaged")
    numbers("plain", 0)
    r.write("none.mcap", r.Mcap().end())
    replay("--create", "none.mcap", said="0 messages played")
    r.write("begin.mcap", data[:4])
    replay("--create", "begin.mcap", status=1, said="'begin.mcap'")
    r.write("zero.mcap", b"")
    replay("--create", "zero.mcap", status=1, said="'zero.mcap' is")


def devices():
    """What a recorder made of the data of devices is not played, exact messages are."""
    m = r.Mcap()
    m.schema(1, "sensor_msgs/msg/LaserScan", "ros2msg", "float32 a\n")
    data = "dev.6665.laser.0.data"
    m.channel(1, "laser:0/scan", "cdr", 1, r.geometry(data))
    m.channel(2, data, metadata=r.geometry(data))
    m.channel(3, "dev.6665.ans", metadata=r.geometry("dev.6665.ans"))
    frame = struct.pack(">HHIHHBBd", 0, 0, 0, 0, 0, 0, 0, 0.0).ljust(40, b"\0")
    for i in range(4):
        m.message(1, r.START + i, b"\0\1\0\0" + struct.pack("<f", i))
        m.message(2, r.START + i, frame + b"%d" % i)
        m.message(3, r.START + i, frame)
    r.write("device.mcap", m.end())
    replay("--max", "device.mcap", said=["1 topics were made from the data of devices", "1 channels of devices do not",
                                         "0 messages played"])
    replay("--create", "--max", "device.mcap", said=["1 topics were made", "4 messages played"])
    r.same(names(), [data], "channels of devices")
    r.run(ACH, "rm", data)
    replay("--create", "--max", "--only", "laser*", "--map", "laser:0/scan=scan", "device.mcap", said="4 messages played")
    r.same([m["message"]["a"] for m in r.channel_take(ACH, "scan", 4)], [0, 1, 2, 3], "converted, mapped")


r.enter()
r.write("raw.mcap", r.sample())
r.run(ACH, "log", "filter", "-o", "indexed.mcap", "raw.mcap")
creates()
chooses()
merges()
in_time()
refuses()
cut()
devices()
r.finish()
