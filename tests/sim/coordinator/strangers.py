#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Another user's files have the names of a simulation's files, in a sticky directory."""
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
    """Call do() as the other user, and wait until the parent closes its end of the pipe `life`."""
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
    """A simulation fails with these words in its error while the stranger's file exists."""
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
    """A stranger's lock is not mistaken for a running simulation of the user's own."""
    with_stranger(lock, "user 2002", NOTE)


def link():
    """A stranger's link to a file of the simulation's user is neither opened nor locked."""
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
