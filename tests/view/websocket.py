# SPDX-License-Identifier: BSD-3-Clause
"""A small WebSocket client that can also misbehave, and `ach view` as a process, for tests."""
import base64
import json
import os
import re
import select
import socket
import struct
import subprocess
import time

LIMIT = 20 * int(os.environ.get("ACH_TEST_TIME", "1"))
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Closed(Exception):
    """The server closed the connection: code and reason."""

    def __init__(self, code, reason):
        super().__init__(f"closed: {code} {reason}")
        self.code, self.reason = code, reason


class Refused(Exception):
    """The answer to the handshake was no upgrade."""

    def __init__(self, status, text):
        super().__init__(f"refused: {status} {text}")
        self.status, self.text = status, text


def request(port, path="/", method="GET", headers=None, host=None, address="127.0.0.1"):
    """Send a request of HTTP. Returns (status, {header: value}, body)."""
    with socket.create_connection((address, port), LIMIT) as s:
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'localhost:{port}'}"]
        lines += [f"{k}: {v}" for k, v in (headers or {}).items()] + ["Connection: close", "", ""]
        s.sendall("\r\n".join(lines).encode())
        return answer(s)


def answer(s):
    data = b""
    try:
        while chunk := s.recv(65536):
            data += chunk
            head, end, body = data.partition(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head, re.I)
            if end and length and len(body) >= int(length[1]):
                break
    except ConnectionResetError:
        pass
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    status = int(lines[0].split()[1]) if len(lines[0].split()) > 1 else 0
    return status, {k.lower(): v.strip() for k, _, v in (l.partition(":") for l in lines[1:])}, body


class WebSocket:
    def __init__(self, port, protocol, token=None, headers=None, host=None, path=None,
                 address="127.0.0.1", receive_buffer=None):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(LIMIT)
        self.socket.connect((address, port))
        self.buffer = b""
        self.parts, self.kind = [], 0
        if path is None:
            path = "/" + (f"?token={token}" if token else "")
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host or f'localhost:{port}'}",
                 "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}",
                 "Sec-WebSocket-Version: 13"]
        lines += [f"Sec-WebSocket-Protocol: {protocol}"] if protocol else []
        lines += [f"{k}: {v}" for k, v in (headers or {}).items()] + ["", ""]
        self.socket.sendall("\r\n".join(lines).encode())
        while b"\r\n\r\n" not in self.buffer:
            try:
                chunk = self.socket.recv(65536)
            except ConnectionResetError:
                chunk = b""
            if not chunk:
                raise Refused(0, "the connection was closed")
            self.buffer += chunk
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        status = int(head.split()[1])
        if status != 101:
            length = int(re.search(rb"content-length: (\d+)", head, re.I)[1])
            while len(self.buffer) < length:
                chunk = self.socket.recv(65536)
                if not chunk:
                    break
                self.buffer += chunk
            raise Refused(status, self.buffer.decode("latin-1"))

    def frame(self, kind, data, final=True):
        """Send a frame of a kind, masked as a client must."""
        n = len(data)
        head = bytes([kind | (0x80 if final else 0)])
        if n < 126:
            head += bytes([0x80 | n])
        elif n < 65536:
            head += struct.pack(">BH", 0x80 | 126, n)
        else:
            head += struct.pack(">BQ", 0x80 | 127, n)
        self.socket.sendall(head + bytes(4) + data)  # the mask is 0

    def send(self, message):
        self.frame(TEXT, json.dumps(message).encode())

    def text(self, text):
        self.frame(TEXT, text if isinstance(text, bytes) else text.encode())

    def binary(self, data):
        self.frame(BINARY, data)

    def _read(self, n):
        while len(self.buffer) < n:
            chunk = self.socket.recv(1 << 20)
            if not chunk:
                raise Closed(0, "without a close frame")
            self.buffer += chunk
        data, self.buffer = self.buffer[:n], self.buffer[n:]
        return data

    def _frame(self):
        first, second = self._read(2)
        n = second & 127
        if n == 126:
            n, = struct.unpack(">H", self._read(2))
        elif n == 127:
            n, = struct.unpack(">Q", self._read(8))
        return first & 15, bool(first & 0x80), self._read(n)

    def receive(self):
        """The next message: str or bytes. Pings may come for ever."""
        end = time.monotonic() + LIMIT
        while True:
            kind, final, data = self._frame()
            if kind == PING:
                self.frame(PONG, data)
                if time.monotonic() > end:
                    raise TimeoutError("nothing but pings came")
                continue
            if kind == CLOSE:
                code = struct.unpack(">H", data[:2])[0] if len(data) >= 2 else 0
                raise Closed(code, data[2:].decode("utf-8", "replace"))
            if kind == PONG:
                continue
            self.kind = kind or self.kind
            self.parts.append(data)
            if final:
                whole, self.parts = b"".join(self.parts), []
                return whole.decode() if self.kind == TEXT else whole

    def until(self, test):
        """The next message for which test is true; texts are parsed."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            message = self.receive()
            if isinstance(message, str):
                message = json.loads(message)
            if test(message):
                return message
        raise TimeoutError("no such message came")

    def op(self, op, test=lambda m: True):
        return self.until(lambda m: isinstance(m, dict) and m["op"] == op and test(m))

    def quiet(self, seconds):
        """Nothing comes for so long."""
        return not self.buffer and not select.select([self.socket], [], [], seconds)[0]

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class View:
    """A server as a process."""

    def __init__(self, ach, *options, port=0):
        self.process = subprocess.Popen([ach, "view", "--port", str(port), *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.errors = ""
        line = self.process.stdout.readline()
        found = re.match(r"(https?)://([^/]+):(\d+)/\?token=([0-9a-f]{32})$", line)
        if not found:
            self.stop()
            raise RuntimeError(f"ach view did not start: {line!r} {self.errors}")
        self.url = line.strip()
        self.port, self.token = int(found[3]), found[4]
        self.foxglove_url = self.process.stdout.readline().split()[-1]

    def socket(self, protocol="ach.view.v1", **more):
        more.setdefault("token", self.token)
        return WebSocket(self.port, protocol, **more)

    def request(self, path="/", token=True, headers=None, **more):
        headers = dict(headers or {})
        if token:
            headers["Cookie"] = f"ach-view-token-{self.port}={self.token}"
        return request(self.port, path, headers=headers, **more)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        _, errors = self.process.communicate(timeout=LIMIT)
        self.errors += errors
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
