#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Our tools and a server that answers as Player's does.

reference.py ACH [TEST ...]
"""
import socket
import struct
import subprocess
import sys

import player as p


class Reference(p.Listener):
    """Has no devices, knows no secret, and answers with the sequence 0."""

    def serve(self, client):
        while (head := client.recv(40, socket.MSG_WAITALL)):
            words = p.HEADER.unpack(head)
            body = client.recv(words[8], socket.MSG_WAITALL) if words[8] else b""
            kind, answer = self.answer(words[5], body)
            client.sendall(p.header(kind, p.PLAYER, 0, words[5], len(answer)) + answer)

    @staticmethod
    def answer(subtype, body):
        if subtype == p.DEV:
            return p.NACK, body[:16] + struct.pack(">III", 3, 0, 0)
        return (p.ACK if subtype == p.DATAMODE else p.NACK), b""


def unknown_device(ach):
    server = Reference()
    r = subprocess.run([ach, "dev", "print", f"127.0.0.1:{server.port}:laser:0"],
                       capture_output=True, text=True, timeout=p.LIMIT, check=False)
    assert r.returncode != 0 and "no such device" in r.stderr and "secret" not in r.stderr, r
    server.end()


if __name__ == "__main__":
    sys.exit(p.run([unknown_device]))
