#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files of another user under the names of a simulation's, in a directory as /dev/shm is."""
import fcntl
import os
import shutil
import struct
import sys

from coordinator import DIR, Run, check, controller, main, path, staged, world

OWNER, STRANGER = 2001, 2002
F_OFD_SETLK = 37
USER = ["setpriv", f"--reuid={OWNER}", f"--regid={OWNER}", "--clear-groups"]
NOTE = os.path.join(DIR, "achshm-sim.w.note")


def as_stranger(do, ready, life):
    """In a process of the other user; it ends when this one closes its end of life, or is killed."""
    status = 1
    try:
        os.setgroups([])
        os.setgid(STRANGER)
        os.setuid(STRANGER)
        os.umask(0)
        do()
        os.write(ready, b"x")
        os.read(life, 1)
        status = 0
    finally:
        os._exit(status)


def with_stranger(do, *words):
    """A simulation fails and says these words while the stranger's file is there."""
    (begun, ready), (life, end) = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(end)
        as_stranger(do, ready, life)
    os.close(ready)
    os.close(life)
    check(os.read(begun, 1) == b"x", "the stranger could not do it")
    r = Run(world(controller("a", "steps", 2)), prefix=USER).end()
    check(r.status == 1, f"status {r.status}")
    check(all(x in r.err for x in words), f"no {words} in: {r.err}")
    os.close(end)
    os.close(begun)
    os.waitpid(pid, 0)
    for f in os.listdir(DIR):
        os.unlink(os.path.join(DIR, f))


def lock():
    fd = os.open(NOTE, os.O_CREAT | os.O_RDWR, 0o666)
    fcntl.fcntl(fd, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))


def locked():
    """It is not told that a simulation of its own is running."""
    with_stranger(lock, "user 2002", NOTE)


def link():
    """A link to a file of the user that runs the simulation: it is neither opened nor locked."""
    target = path("target")
    with open(target, "w", encoding="utf-8") as f:
        fcntl.fcntl(f, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        os.chown(target, OWNER, OWNER)
        with_stranger(lambda: os.symlink(target, NOTE), "user 2002", NOTE, "cannot be replaced")


def fifo():
    with_stranger(lambda: os.mkfifo(NOTE, 0o666), "user 2002", NOTE, "cannot be replaced")


def board():
    name = os.path.join(DIR, ".achsim-w.board")
    with_stranger(lambda: open(name, "w", encoding="utf-8").close(), "user 2002", ".achsim-w.board")


if os.getuid() != 0 or not shutil.which("setpriv"):
    print("skipped: becoming other users takes root, and setpriv")
    sys.exit(77)
os.chmod(DIR, 0o1777)
with staged():
    main([locked, link, fifo, board])
