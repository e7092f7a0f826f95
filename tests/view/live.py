#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `ach view` tells its page and clients of Foxglove of running channels, and what it lets them put.

live.py ACH
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

from websocket import LIMIT, View

ACH = sys.argv[1]
TYPE = "float64 celsius\nstring place\n"
NOBODY = 65534


def ach(*words, data=None):
    return subprocess.run([ACH, *words], input=data, stdout=subprocess.PIPE, check=True,
                          timeout=LIMIT).stdout


def give_away(name):
    """Let the channel belong to another user."""
    os.chown(os.path.join(os.environ.get("ACH_DIR", "/dev/shm"), f"achshm-{name}"), NOBODY, NOBODY)


class Live(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.view = View(ACH, "--write", "in-*", "--write", "odd")
        cls.folder = tempfile.TemporaryDirectory()
        cls.schema = os.path.join(cls.folder.name, "Temperature.msg")
        with open(cls.schema, "w") as f:
            f.write(TYPE)

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()
        cls.folder.cleanup()

    def make(self, name, *more):
        ach("mk", "--type", "demo/msg/Temperature", "--schema", self.schema, "--timestamps", *more, name)
        self.addCleanup(ach, "rm", name)

    def page(self):
        page = self.view.socket()
        self.addCleanup(page.close)
        return page

    def foxglove(self, protocol="foxglove.websocket.v1"):
        client = self.view.socket(protocol)
        self.addCleanup(client.close)
        return client

    def topic(self, page, name):
        """The topic of this name, however often the list comes."""
        found = page.op("topics", lambda m: any(t["name"] == name for t in m["add"]))
        return next(t for t in found["add"] if t["name"] == name)

    def channel(self, client, name):
        found = client.op("advertise", lambda m: any(c["topic"] == name for c in m["channels"]))
        return next(c for c in found["channels"] if c["topic"] == name)

    def test_page(self):
        page = self.page()
        self.assertEqual(page.op("hello")["source"], "live")
        self.make("oven")
        topic = self.topic(page, "oven")
        self.assertEqual((topic["encoding"], topic["schema"], topic["fields"]),
                         ("cdr", "demo/msg/Temperature", ["celsius", "place"]))
        ach("pub", "oven", "celsius=21.5", "place=above")
        page.send({"op": "watch", "topic": topic["id"], "rate": 10})
        message = page.op("message")  # that the channel held
        self.assertEqual(message["value"], {"celsius": 21.5, "place": "above"})
        self.assertEqual((message["sequence"], message["missed"], message["dropped"]), (1, 0, 0))
        page.send({"op": "plot", "plot": 7, "topic": topic["id"], "fields": ["celsius", "nothing"]})
        for i in range(3):
            ach("pub", "oven", f"celsius={i}", "place=below")
        values, newest = [], None
        while values[-3:] != [0.0, 1.0, 2.0] or newest != 2:
            data = page.until(lambda m: isinstance(m, bytes) or m["op"] == "message")
            if not isinstance(data, bytes):
                newest = data["value"]["celsius"]
                continue
            kind, plot, n, k, dropped = struct.unpack_from("<BIIIQ", data)
            self.assertEqual((kind, plot, k, dropped, len(data)), (1, 7, 2, 0, 21 + 24 * n))
            numbers = struct.unpack_from(f"<{3 * n}d", data, 21)
            values += numbers[1::3]
            self.assertTrue(all(x != x for x in numbers[2::3]))
        page.send({"op": "unwatch", "topic": topic["id"]})
        page.send({"op": "unplot", "plot": 7})

    def test_later_subscribers(self):
        """A message that was put once, as of a map, reaches those who come while others have it."""
        self.make("once")
        ach("pub", "once", "celsius=7", "place=x")
        body = struct.pack("<dI2s", 7, 2, b"x\0")
        first, second = self.foxglove(), self.foxglove("foxglove.sdk.v1")
        for client in (first, second):
            channel = self.channel(client, "once")
            client.send({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": channel["id"]}]})
            client.until(lambda m: isinstance(m, bytes) and m[17:] == body)
        page = self.page()
        topic = self.topic(page, "once")
        page.send({"op": "watch", "topic": topic["id"], "rate": 10})
        message = page.op("message")
        self.assertEqual((message["value"]["celsius"], message["sequence"]), (7, 1))
        page.send({"op": "plot", "plot": 1, "topic": topic["id"], "fields": ["celsius"]})
        data = page.until(lambda m: isinstance(m, bytes))
        self.assertEqual(struct.unpack_from("<d", data, 29), (7,))

    def test_channels_come_and_go(self):
        page, client = self.page(), self.foxglove()
        ach("mk", "--type", "demo/msg/Temperature", "--schema", self.schema, "brief")
        topic, channel = self.topic(page, "brief"), self.channel(client, "brief")
        ach("rm", "brief")
        self.assertIn(topic["id"], page.op("topics", lambda m: topic["id"] in m["remove"])["remove"])
        self.assertIn(channel["id"],
                      client.op("unadvertise", lambda m: channel["id"] in m["channelIds"])["channelIds"])

    def test_list(self):
        self.make("listed")
        ach("pub", "listed", "celsius=1", "place=x")
        page = self.page()
        writer = subprocess.Popen([ACH, "pub", "--rate", "100", "listed", "celsius=1", "place=y"])
        try:
            def seen(message):
                found = [c for c in message["channels"] if c["name"] == "listed"]
                return found and found[0]["rate"] and found[0]["writers"] and sum(found[0]["ages"])

            message = page.op("channels", seen)
        finally:
            writer.terminate()
            writer.wait()
        channel = next(c for c in message["channels"] if c["name"] == "listed")
        self.assertEqual((channel["machine"], channel["type"]), ("", "demo/msg/Temperature"))
        self.assertEqual(channel["writers"], [{"pid": writer.pid, "name": "ach"}])
        self.assertGreater(channel["bandwidth"], 0)
        self.assertEqual(len(channel["ages"]), 7)

    def relay(self, name, *flows):
        """What an achd with these flows tells, as long as the test lasts."""
        ach("mk", "--single-writer", "--size", "262144", "--frames", "4", name)
        self.addCleanup(ach, "rm", name)
        writer = subprocess.Popen([ACH, "put", "--line", name], stdin=subprocess.PIPE)
        self.addCleanup(writer.wait, LIMIT)
        self.addCleanup(writer.stdin.close)
        text = json.dumps({"name": name, "links": [{"peer": "robot", "port": 1, "flows": flows}]})
        writer.stdin.write(text.encode() + b"\n")
        writer.stdin.flush()

    def test_relay(self):
        """A host is asked once, however often its relay tells of it."""
        ach("mk", "list-of-robot")
        self.addCleanup(ach, "rm", "list-of-robot")
        ach("put", "list-of-robot", json.dumps({"host": "robot", "channels": ["far-1", "far-2"]}))
        flow = {"remote": "achd-channels.1", "channel": "list-of-robot", "state": "open"}
        self.relay("achd-status.1", *[flow] * 1000)
        page = self.page()
        page.op("relay", lambda m: [r["name"] for r in m["status"]] == ["achd-status.1"])
        message = page.op("channels", lambda m: any(c["machine"] for c in m["channels"]))
        self.assertEqual([c["name"] for c in message["channels"] if c["machine"]], ["far-1", "far-2"])

    @unittest.skipIf(os.geteuid() != 0, "another user is needed, so root")
    def test_relay_of_another_user(self):
        """Its texts are not even read."""
        ach("mk", "list-of-robot")
        self.addCleanup(ach, "rm", "list-of-robot")
        ach("put", "list-of-robot", json.dumps({"host": "robot", "channels": ["far-1"]}))
        flow = {"remote": "achd-channels.1", "channel": "list-of-robot", "state": "open"}
        self.relay("achd-status.1", flow)
        self.relay("achd-status.2")
        page = self.page()
        page.op("relay", lambda m: len(m["status"]) == 2)
        page.op("channels", lambda m: any(c["name"] == "far-1" for c in m["channels"]))
        give_away("list-of-robot")
        page.op("channels", lambda m: all(c["name"] != "far-1" for c in m["channels"]))
        give_away("achd-status.1")
        page.op("relay", lambda m: [r["name"] for r in m["status"]] == ["achd-status.2"])

    def simulation(self, name, seconds):
        ach("mk", f"sim.{name}.status")
        ach("put", f"sim.{name}.status", f"{name}  {seconds} s  1.0 x real time")

    def test_simulation_again(self):
        """A simulation of the same name has its own clock."""
        page = self.page()
        self.addCleanup(ach, "rm", "sim.world.status")
        self.simulation("world", 50)
        page.op("clock", lambda m: m["time"] == 50)
        ach("rm", "sim.world.status")
        self.simulation("world", 1)
        page.op("clock", lambda m: m["time"] == 1)

    @unittest.skipIf(os.geteuid() != 0, "another user is needed, so root")
    def test_simulation_of_another_user(self):
        page = self.page()
        for name in ("first", "second"):
            self.addCleanup(ach, "rm", f"sim.{name}.status")
            self.simulation(name, 1)
        page.op("clock", lambda m: m["simulation"] == "first")
        give_away("sim.first.status")
        page.op("clock", lambda m: m["simulation"] == "second")

    def test_hidden(self):
        self.make("hidden")
        page = self.page()
        topic = self.topic(page, "hidden")
        page.send({"op": "watch", "topic": topic["id"], "rate": 100})
        page.send({"op": "visible", "visible": False})
        page.send({"op": "nothing"})
        page.op("status")  # all before was handled
        ach("pub", "hidden", "celsius=1", "place=x")
        self.assertTrue(page.quiet(1.5), "a hidden page was sent something")
        page.send({"op": "visible", "visible": True})
        self.assertEqual(page.op("message")["value"]["celsius"], 1)
        page.op("channels")

    def test_unknown_types(self):
        ach("mk", "bytes")
        self.addCleanup(ach, "rm", "bytes")
        page = self.page()
        topic = self.topic(page, "bytes")
        self.assertEqual((topic["encoding"], topic["fields"]), ("", []))
        ach("put", "bytes", "--hex", "00ff10")
        page.send({"op": "watch", "topic": topic["id"], "rate": 10})
        self.assertEqual(page.op("message")["text"], "00ff10")

    def test_foxglove(self):
        self.make("fox")
        for protocol in ("foxglove.websocket.v1", "foxglove.sdk.v1"):
            client = self.foxglove(protocol)
            info = client.op("serverInfo")
            self.assertEqual(info["capabilities"], ["clientPublish", "connectionGraph"])
            self.assertIn("json", info["supportedEncodings"])
            channel = self.channel(client, "fox")
            self.assertEqual({k: channel[k] for k in ("encoding", "schemaName", "schema",
                                                      "schemaEncoding")},
                             {"encoding": "cdr", "schemaName": "demo/msg/Temperature",
                              "schema": TYPE, "schemaEncoding": "ros2msg"})
            client.send({"op": "subscribe", "subscriptions": [{"id": 9, "channelId": channel["id"]}]})
            client.send({"op": "subscribe", "subscriptions": [{"id": 9, "channelId": channel["id"]}]})
            client.op("status", lambda m: m["level"] == 2)
            ach("pub", "fox", "celsius=3", "place=x")
            body = struct.pack("<dI2s", 3, 2, b"x\0")
            data = client.until(lambda m: isinstance(m, bytes) and m[17:] == body)
            self.assertEqual(struct.unpack_from("<BI", data), (1, 9))
            self.assertEqual(data[13:17], b"\0\1\0\0")
            client.send({"op": "unsubscribe", "subscriptionIds": [9]})
            client.send({"op": "unsubscribe", "subscriptionIds": [9]})
            client.op("status", lambda m: m["level"] == 1)

    def test_graph(self):
        self.make("graph")
        client = self.foxglove()
        client.send({"op": "subscribeConnectionGraph"})
        user = subprocess.Popen([ACH, "echo", "graph"], stdout=subprocess.DEVNULL)
        try:  # it may write, too: it has not asked for less
            client.op("connectionGraphUpdate",
                      lambda m: {"name": "graph", "publisherIds": [f"ach:{user.pid}"]}
                      in m["publishedTopics"])
        finally:
            user.terminate()
            user.wait()
        client.op("connectionGraphUpdate",
                  lambda m: {"name": "graph", "publisherIds": []} in m["publishedTopics"])

    def publish(self, client, number, data):
        client.binary(b"\1" + struct.pack("<I", number) + data)

    def advertise(self, client, number, topic, encoding="json", **more):
        client.send({"op": "advertise", "channels": [
            {"id": number, "topic": topic, "encoding": encoding, "schemaName": "", **more}]})

    def refused(self, client, word):
        self.assertIn(word, client.op("status", lambda m: m["level"] == 2)["message"])

    def test_publish(self):
        self.make("in-json")
        reader, client = self.foxglove(), self.foxglove()
        channel = self.channel(reader, "in-json")
        reader.send({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": channel["id"]}]})
        reader.send({"op": "nothing"})
        reader.op("status")  # the subscription is there
        self.advertise(client, 1, "in-json")
        self.publish(client, 1, b'{"celsius": 4.5, "place": "here"}')
        self.advertise(client, 2, "/in-json", "cdr", schemaName="demo/Temperature")
        self.publish(client, 2, b"\0\1\0\0" + struct.pack("<dI6s", 5.5, 6, b"there\0"))
        bodies = [reader.until(lambda m: isinstance(m, bytes))[17:] for _ in range(2)]
        self.assertEqual([(struct.unpack_from("<d", b)[0], b[12:-1]) for b in bodies],
                         [(4.5, b"here"), (5.5, b"there")])

    def test_publish_is_refused(self):
        self.make("in-strict")
        self.make("out")
        ach("mk", "in-bytes")
        self.addCleanup(ach, "rm", "in-bytes")
        client = self.foxglove()
        self.advertise(client, 1, "out")
        self.refused(client, "--write")
        self.advertise(client, 1, "in-missing")
        self.refused(client, "in-missing")
        self.advertise(client, 1, "in-bytes")
        self.refused(client, "no type")
        self.advertise(client, 1, "../in-strict")
        self.refused(client, "cannot be written")
        self.advertise(client, 1, "in-strict", "ros1")
        self.refused(client, "encoding")
        self.advertise(client, 1, "in-strict", schemaName="demo/msg/Other")
        self.refused(client, "another type")
        self.publish(client, 1, b"{}")
        self.refused(client, "no channel")
        self.advertise(client, 1, "in-strict")
        self.advertise(client, 1, "in-strict")
        self.refused(client, "in use")
        self.publish(client, 1, b'{"celsius": "hot"}')
        self.refused(client, "in-strict")
        self.publish(client, 1, b'{"celsius": 1\0}')
        self.refused(client, "NUL")
        self.advertise(client, 2, "in-strict", "cdr")
        self.publish(client, 2, b"\0\0\0\0" + bytes(16))
        self.refused(client, "little-endian")
        self.publish(client, 2, b"\0\1\0\0" + bytes(5))
        self.refused(client, "no such message")
        self.assertIn(b'"newest": 0', ach("info", "--json", "in-strict"))
        with View(ACH) as view:
            other = view.socket("foxglove.sdk.v1")
            self.assertNotIn("clientPublish", other.op("serverInfo")["capabilities"])
            self.advertise(other, 1, "in-strict")
            self.refused(other, "--write")

    def test_driving_is_off(self):
        page = self.page()
        for request in ({"op": "drive", "address": "position2d:0", "forward": 1, "turn": 0},
                        {"op": "stop", "address": "position2d:0"},
                        {"op": "joint", "address": "actarray:0", "joint": 0, "position": 1},
                        {"op": "goal", "address": "planner:0", "x": 0, "y": 0, "a": 0},
                        {"op": "pause"}, {"op": "step"}):
            page.send(request)
            self.assertIn("--drive", page.op("status")["message"], request)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], warnings="ignore")
