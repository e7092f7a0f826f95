#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Small clients of Player in C and C++ work.

programs.py SERVER_PROGRAM DRIVE PULL
"""
import subprocess
import sys

import player as p

TICKER = 'driver ( name "ticker" provides ["position2d:0"] rate 50 )'


def output(server, program):
    r = subprocess.run([program, str(server.port)], capture_output=True, text=True, timeout=p.LIMIT,
                       check=False)
    assert r.returncode == 0 and not r.stderr, r
    return r.stdout.splitlines()


def drive_prints_poses(program):
    server = p.Server(program, TICKER)
    lines = output(server, PROGRAMS[0])
    assert len(lines) == 3 and all(len([float(w) for w in s.split()]) == 3 for s in lines), lines
    server.end()


def pull_sees_synchs(program):
    server = p.Server(program, TICKER)
    assert output(server, PROGRAMS[1]) == ["data, and a synch"] * 3
    server.end()


if __name__ == "__main__":
    PROGRAMS = sys.argv[2:]
    del sys.argv[2:]
    sys.exit(p.run([drive_prints_poses, pull_sees_synchs]))
