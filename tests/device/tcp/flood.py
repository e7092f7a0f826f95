#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Servers that send without end: the time limits of clients hold all the same.

flood.py ACH [TEST ...]
"""
import os
import queue
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import zlib

import player as p

GREETING = b"Player v.3.1.0".ljust(32, b"\0")
STATE = struct.pack(">6dI", 1, 2, 3, 4, 5, 6, 0)
MAP, GET_DATA = 42, 2
CELLS = zlib.compress(bytes(8 << 20), 9)
WORLD = struct.pack(">7I", 0, 0, 1 << 12, 1 << 11, len(CELLS), 1, len(CELLS)) + CELLS
WORLD += bytes(-len(WORLD) % 4)
# Data, a SYNCH, and answers to requests that nobody sent. One is a map that is short on the wire
# and long in memory, and takes the client much longer to unpack than the server to send.
NOISE = (p.header(p.DATA, p.POSITION2D, 0, 1, len(STATE)) + STATE +
         p.header(p.NACK, p.POSITION2D, 0, 9, 0, 0.0, 1 << 31) +
         p.header(p.SYNCH, p.PLAYER, 0, p.SYNCH_OVERFLOW, 4) + struct.pack(">I", 1) +
         p.header(p.ACK, MAP, 0, GET_DATA, len(WORLD), 0.0, 1 << 31) + WORLD) * 20
MEMORY = 256 << 10  # KiB that a client may take; the answers of one second would take more


def overtake(pid):
    """From now on this thread sends whenever there is room, before the client goes on: both are on
    one CPU. So the client always finds messages. It takes root; else it finds them most of the time."""
    cpu = {min(os.sched_getaffinity(0))}
    os.sched_setaffinity(0, cpu)
    os.sched_setaffinity(pid, cpu)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pass


class Flood:
    """Accepts one client after the other, and floods it from a point of the conversation on."""

    def __init__(self, agreeable):
        self.agreeable = agreeable
        self.tools = queue.Queue()  # process ids, in the order of their connections
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                client.sendall(GREETING)
                if self.agreeable:
                    self.agree(client)
                overtake(self.tools.get(timeout=p.LIMIT))
                while True:
                    client.sendall(NOISE)
            except OSError:
                pass
            client.close()

    @staticmethod
    def agree(client):
        """Answer as a server does until a device is open."""
        while True:
            head = client.recv(40, socket.MSG_WAITALL)
            if len(head) < 40:
                raise ConnectionError
            words = p.HEADER.unpack(head)
            body = client.recv(words[8], socket.MSG_WAITALL) if words[8] else b""
            opened = words[5] == p.DEV
            answer = body[:20] + struct.pack(">II", 0, 0) if opened else b""
            client.sendall(p.header(p.ACK, p.PLAYER, 0, words[5], len(answer), 0.0, words[7]) + answer)
            if opened:
                return

    def end(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(p.LIMIT)


def wait(process, limit):
    """Its exit status and the most memory that it took, in KiB; the status is None if it does not end."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status), usage.ru_maxrss
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    os.wait4(process.pid, 0)
    return None, 0


def ends(ach, server, tool, *more):
    """The tool fails by itself, says that it was not answered in time, and took little memory."""
    where = f"127.0.0.1:{server.port}" + (":position2d:0" if tool != "ls" else "")
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([ach, "dev", tool, "--wait", "1", "--transport", "tcp", where,
                                    *more], stdout=subprocess.DEVNULL, stderr=errors)
        server.tools.put(process.pid)
        status, memory = wait(process, p.LIMIT)
        process.returncode = status or -9
        errors.seek(0)
        said = errors.read()
    assert status is not None, f"ach dev {tool} did not end"
    assert status == 1, (tool, status, said)
    assert b"answer" in said, (tool, said)
    assert memory < MEMORY, (tool, memory)


def opening(ach):
    """A server that never answers: nothing can be opened or listed."""
    server = Flood(False)
    for tool, *more in [("print",), ("ls",), ("cmd", "vel"), ("req", "get_geom"), ("prop", "rate")]:
        ends(ach, server, tool, *more)
    server.end()


def asking(ach):
    """A server that opens a device and answers none of its requests."""
    server = Flood(True)
    for tool, *more in [("req", "get_geom"), ("prop", "rate")]:
        ends(ach, server, tool, *more)
    server.end()


if __name__ == "__main__":
    os.environ.pop("ACH_SECRET", None)
    raise SystemExit(p.run([opening, asking]))
