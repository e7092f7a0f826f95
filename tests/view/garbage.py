#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hostile clients: what is no HTTP, no WebSocket, no JSON, wrong or too much is refused with a reason, and the
server goes on.

garbage.py ACH [SEED]
"""
import json
import os
import random
import socket
import struct
import subprocess
import sys
import time
import unittest

from websocket import BINARY, CLOSE, LIMIT, PING, TEXT, Closed, View

ACH = sys.argv[1]
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
PROTOCOLS = ("ach.view.v1", "foxglove.websocket.v1", "foxglove.sdk.v1")
NUMBERS = ["-1", "0", "1", "1.5", "4294967295", "4294967296", "9007199254740993", "1e308", "1e999", "-1e999",
           "18446744073709551616", '"1"', "null", "true", "[]", "{}", "[1]", '{"a":1}', "1e-320"]
# Requests with a place for something else.
REQUESTS = {
    "ach.view.v1": [
        '{"op":"watch","topic":%s,"rate":%s}', '{"op":"unwatch","topic":%s}',
        '{"op":"plot","plot":%s,"topic":%s,"fields":%s}', '{"op":"plot","plot":1,"topic":1,"fields":[%s]}',
        '{"op":"unplot","plot":%s}', '{"op":"visible","visible":%s}',
        '{"op":"drive","address":%s,"forward":%s,"turn":%s}', '{"op":"stop","address":%s}',
        '{"op":"drive","address":"position2d:0","forward":%s,"turn":%s}',
        '{"op":"joint","address":"actarray:0","joint":%s,"position":%s,"speed":%s}',
        '{"op":"goal","address":%s,"x":%s,"y":%s,"a":%s}', '{"op":"play","speed":%s}',
        '{"op":"seek","time":%s}', '{"op":"step","seconds":%s}'],
    "foxglove.websocket.v1": [
        '{"op":"subscribe","subscriptions":%s}', '{"op":"subscribe","subscriptions":[%s]}',
        '{"op":"subscribe","subscriptions":[{"id":%s,"channelId":%s}]}',
        '{"op":"unsubscribe","subscriptionIds":%s}', '{"op":"unsubscribe","subscriptionIds":[%s]}',
        '{"op":"advertise","channels":%s}', '{"op":"advertise","channels":[%s]}',
        '{"op":"advertise","channels":[{"id":%s,"topic":%s,"encoding":%s,"schemaName":%s}]}',
        '{"op":"unadvertise","channelIds":[%s]}', '{"op":"getParameters","parameterNames":%s}',
        '{"op":"fetchAsset","uri":%s}', '{"op":"subscribeConnectionGraph"}',
        '{"op":"unsubscribeConnectionGraph"}'],
}
REQUESTS["foxglove.sdk.v1"] = REQUESTS["foxglove.websocket.v1"]


class Garbage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print("seed", SEED)
        subprocess.run([ACH, "mk", "--type", "demo/Text", "--encoding", "json", "text"], check=True)
        cls.view = View(ACH, "--drive", "--write", "*")
        cls.dice = random.Random(SEED)

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()
        subprocess.run([ACH, "rm", "text"], check=True)
        if cls.view.process.returncode != 0 or cls.view.errors:
            raise AssertionError(f"ended with {cls.view.process.returncode}: {cls.view.errors}")

    def alive(self):
        self.assertIsNone(self.view.process.poll(), "the server has ended")
        with self.view.socket() as page:
            page.op("hello")

    def test_json(self):
        for protocol in PROTOCOLS:
            with self.view.socket(protocol) as client:
                for text in ("", " ", "{", "[]", "null", "1", '"op"', "{}", '{"op":1}', '{"op":null}',
                             '{"op":""}', '{"op":"x","op":2}', "{" * 500, "[" * 5000, '{"op":"\\ud800"}',
                             '{"op":"a\\u0000b"}', '{"op":"' + "x" * 5000 + '"}', '{"op":"watch"',
                             '{"a":' * 80 + "1" + "}" * 80):
                    client.text(text)
                    client.op("status")
        self.alive()

    def test_numbers(self):
        for protocol in PROTOCOLS:
            with self.view.socket(protocol) as client:
                for request in REQUESTS[protocol]:
                    for _ in range(40):
                        client.text(request % tuple(self.dice.choice(NUMBERS)
                                                    for _ in range(request.count("%s"))))
                client.text('{"op":"the end"}')
                client.op("status", lambda m: "the end" in m["message"])
        self.alive()

    def test_random_bytes(self):
        for protocol in PROTOCOLS:
            for _ in range(30):
                with self.view.socket(protocol) as client:
                    try:
                        for _ in range(20):
                            data = self.dice.randbytes(self.dice.choice([0, 1, 4, 5, 30, 3000]))
                            if protocol != "ach.view.v1" and self.dice.random() < 0.7:
                                client.binary(data)
                            else:
                                client.text(data)
                    except OSError:
                        pass  # closed: it was no UTF-8
        self.alive()

    def test_binary_for_the_page(self):
        with self.view.socket() as page:
            page.binary(b"x")
            with self.assertRaises(Closed) as closed:
                page.until(lambda m: False)
            self.assertEqual(closed.exception.code, 1009)

    def test_too_large(self):
        for protocol, size in (("ach.view.v1", 64 << 10), ("foxglove.sdk.v1", 1 << 20)):
            with self.view.socket(protocol) as client:
                with self.assertRaises((Closed, OSError)):
                    client.text("x" * (size + 1))
                    client.until(lambda m: False)
        with self.view.socket("foxglove.sdk.v1") as client:
            with self.assertRaises((Closed, OSError)):
                for i in range(1 << 12):  # a message without an end
                    client.frame(BINARY if i == 0 else 0, bytes(1 << 16), final=False)
                client.until(lambda m: False)
        self.alive()

    def test_frames(self):
        wrong = [
            b"\x81\x01x",                                  # not masked
            b"\xf1\x80\0\0\0\0",                           # reserved bits
            b"\x83\x80\0\0\0\0",                           # reserved kind
            b"\x80\x80\0\0\0\0",                           # continues nothing
            b"\x09\x80\0\0\0\0",                           # a ping in pieces
            b"\x89\xfe\0\x7e" + bytes(4 + 126),            # a long ping
            b"\x81\xff" + b"\xff" * 8 + bytes(4),          # 2^64 - 1 bytes
            b"\x81\xff\x7f" + b"\xff" * 7 + bytes(4),      # 2^63 - 1 bytes
            b"\x88\x81\0\0\0\0x",                          # a close with half a code
            b"\x88\x82\0\0\0\0\0\0",                       # a code that is none
            b"\x81\x84\0\0\0\0\xff\xfe\xfd\xfc",           # no UTF-8
            b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ]
        for protocol in PROTOCOLS:
            for data in wrong:
                with self.view.socket(protocol) as client:
                    try:
                        client.socket.sendall(data)
                        client.socket.shutdown(socket.SHUT_WR)
                        client.until(lambda m: False)
                    except (Closed, OSError):
                        pass
        self.alive()

    def test_pings_are_answered(self):
        with self.view.socket() as page:
            page.frame(PING, b"there?")
            end = time.monotonic() + LIMIT
            while time.monotonic() < end:
                kind, _, data = page._frame()  # pylint: disable=protected-access
                if kind == 10:
                    break
            self.assertEqual((kind, data), (10, b"there?"))
            page.frame(CLOSE, struct.pack(">H", 1000))

    def test_pieces(self):
        """A request byte by byte, in frames of a byte."""
        text = json.dumps({"op": "in pieces"}).encode()
        with self.view.socket() as page:
            for i, byte in enumerate(text):
                page.frame(TEXT if i == 0 else 0, bytes([byte]), final=i == len(text) - 1)
            page.op("status", lambda m: "in pieces" in m["message"])

    def test_http(self):
        lines = [b"\0" * 100, b"\r\n" * 1000, b"GET", b"GET / HTTP/9.9\r\n\r\n", b"GET /\r\n\r\n",
                 b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: " + b"x" * 100000 + b"\r\n\r\n",
                 b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                 b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 10000 + b"\r\n", b"\x16\x03\x01\x02\0\x01\0\x01\xfc",
                 b"GET /?token=" + b"%41" * 2000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999\r\n\r\nxx",
                 b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
                 b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Key: \r\nSec-WebSocket-Version: 99\r\n\r\n"]
        lines += [self.dice.randbytes(self.dice.randrange(3000)) for _ in range(50)]
        for data in lines:
            with socket.create_connection(("127.0.0.1", self.view.port), LIMIT) as s:
                try:
                    s.sendall(data)
                    s.shutdown(socket.SHUT_WR)
                    got = b""
                    while chunk := s.recv(65536):
                        got += chunk
                    self.assertNotIn(b" 200 ", got[:20])
                    self.assertNotIn(b" 101 ", got[:20])
                except OSError:
                    pass
        self.alive()

    def test_floods(self):
        with self.view.socket() as page:
            with self.assertRaises((Closed, OSError)):
                for _ in range(100000):
                    page.text('{"op":"visible","visible":true}')
                page.until(lambda m: False)
        self.alive()

    def test_limits(self):
        with self.view.socket("foxglove.sdk.v1") as client:
            channel = client.op("advertise", lambda m: m["channels"])["channels"][0]["id"]
            client.send({"op": "subscribe", "subscriptions":
                         [{"id": i, "channelId": channel} for i in range(1100)]})
            self.assertIn("too many", client.op("status")["message"])
            client.send({"op": "advertise", "channels":
                         [{"id": i, "topic": "text", "encoding": "json"} for i in range(300)]})
            client.op("status", lambda m: "in use, or there are too many" in m["message"])
        with self.view.socket() as page:
            topic = page.op("topics", lambda m: m["add"])["add"][0]["id"]
            for i in range(70):
                page.send({"op": "plot", "plot": i, "topic": topic, "fields": ["a"]})
            self.assertIn("too many", page.op("status")["message"])
            page.send({"op": "plot", "plot": 1, "topic": topic, "fields": ["a"] * 33})
            self.assertIn("at most 32", page.op("status", lambda m: "fields" in m["message"])["message"])
        self.alive()


if __name__ == "__main__":
    os.environ.setdefault("ACH_DIR", "/dev/shm")
    unittest.main(argv=sys.argv[:1], warnings="ignore")
