#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Servers that send without end: clients still observe their time limits.

flood.py ACH [TEST ...]
"""
import os
import queue
import signal
import socket
import struct
import subprocess
import tempfile
import time
import zlib

import player as p

STATE = struct.pack(">6dI", 1, 2, 3, 4, 5, 6, 0)
MAP, GET_DATA = 42, 2
CELLS = zlib.compress(bytes(8 << 20), 9)
WORLD = struct.pack(">7I", 0, 0, 1 << 12, 1 << 11, len(CELLS), 1, len(CELLS)) + CELLS
WORLD += bytes(-len(WORLD) % 4)
# Data, a SYNCH, and answers without a request. One is a compressed map, short on the wire and long
# in memory, which the client unpacks much more slowly than the server sends it.
NOISE = (p.header(p.DATA, p.POSITION2D, 0, 1, len(STATE)) + STATE +
         p.header(p.NACK, p.POSITION2D, 0, 9, 0, 0.0, 1 << 31) +
         p.header(p.SYNCH, p.PLAYER, 0, p.SYNCH_OVERFLOW, 4) + struct.pack(">I", 1) +
         p.header(p.ACK, MAP, 0, GET_DATA, len(WORLD), 0.0, 1 << 31) + WORLD) * 20
MEMORY = 256 << 10  # KiB that a client may use, less than the answers of one second


def overtake(pid):
    """Pin this thread and the client to one CPU, and run this thread first (SCHED_FIFO): it fills
    the socket before the client continues. So the client always finds messages, or, if SCHED_FIFO
    is not permitted, most of the time."""
    cpu = {min(os.sched_getaffinity(0))}
    os.sched_setaffinity(0, cpu)
    os.sched_setaffinity(pid, cpu)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pass


class Flood(p.Listener):
    """Floods its client: at once, or after it has opened a device."""

    def __init__(self, agreeable):
        self.agreeable = agreeable
        self.tools = queue.Queue()  # process ids, in the order of their connections
        super().__init__()

    def serve(self, client):
        if self.agreeable:
            self.agree(client)
        overtake(self.tools.get(timeout=p.LIMIT))
        while True:
            client.sendall(NOISE)

    @staticmethod
    def agree(client):
        """Answer requests as a server until a device is open."""
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


def wait(process, limit):
    """The process's exit status (None: killed at the limit), and its peak memory in KiB."""
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
    """The tool ends by its time limit, reports the missing answer, and uses little memory."""
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
    """A server that answers nothing: tools cannot open or list devices."""
    server = Flood(False)
    for tool, *more in [("print",), ("ls",), ("cmd", "vel"), ("req", "get_geom"), ("prop", "rate")]:
        ends(ach, server, tool, *more)
    server.end()


def asking(ach):
    """A server that opens a device, but answers no request to the device."""
    server = Flood(True)
    for tool, *more in [("req", "get_geom"), ("prop", "rate")]:
        ends(ach, server, tool, *more)
    server.end()


if __name__ == "__main__":
    os.environ.pop("ACH_SECRET", None)
    raise SystemExit(p.run([opening, asking]))
