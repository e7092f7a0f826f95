#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Types, ages, limits, settings, and peers that do not follow the protocol.

rules.py ACHD ACH ORACLE
"""
import ctypes
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

from frames import HELLO, OPENED, data, frame, opens, read
from hosts import ACH, ACHD, LIMIT, check, local, result, serve, until, wait

A, B, C = local(3)
PR_SET_CHILD_SUBREAPER = 36


def flow(host, channel):
    return next((f for f in host.flows() if f["channel"] == channel), {})


def connect(*arguments):
    A.achd("-p", str(PORT), *arguments)


def why(text):
    until(f"'{text}' in {A.flows()}", lambda: any(text in f.get("why", "") for f in A.flows()))
    A.kill(signal.SIGTERM)


def types():
    """The far channel gets the same type and geometry; another type is refused by name."""
    A.run(ACH, "mk", "-m", "9", "-n", "77", "--timestamps", "--type", "a/One", "--encoding", "json",
          "typed")
    connect("push", "127.0.0.1", "typed")
    until("typed is open", lambda: flow(A, "typed").get("state") == "open")
    info = B.run(ACH, "info", "--json", "typed")
    for part in ('"frames":9', '"size":77', '"timestamps":true', "a/One"):
        check(part in info.replace(": ", ":"), f"{part} in {info}")
    A.kill(signal.SIGTERM)
    A.run(ACH, "mk", "-t", "--type", "a/Other", "--encoding", "json", "typed")
    connect("push", "127.0.0.1", "typed")
    why("the channel 'typed' has the type a/One, and the sender's a/Other")


def larger():
    """The far channel keeps its size; messages that it cannot hold are shown as failed."""
    A.make("ok-small", 2, 64)
    connect("push", "127.0.0.1", "ok-small")
    until("ok-small is open", lambda: flow(A, "ok-small").get("state") == "open")
    A.run(ACH, "mk", "-t", "-m", "2", "-n", "100000", "--timestamps", "ok-small")
    A.start(ACH, "put", "ok-small", stdin=subprocess.PIPE).communicate("x" * 50000, timeout=LIMIT)

    def failed():
        rows = [re.split(r"  +", line) for line in B.run(ACH, "relay", "status").splitlines()]
        heads = next(r for r in rows if "CHANNEL" in r)
        row = next(r for r in rows if "ok-small" in r)
        return dict(zip(heads, row)).get("FAILED")
    until(f"a failure: {B.run(ACH, 'relay', 'status')}", lambda: failed() == "1")
    B.run(ACH, "rm", "ok-small")  # the new channel gets what the source still holds
    until("one of the new size", lambda: flow(B, "ok-small").get("messages") == 1)
    A.kill(signal.SIGTERM)


def rights():
    """Peers create only channels that the pattern allows."""
    A.make("forbidden", 8)
    connect("push", "127.0.0.1", "forbidden")
    why("peers may not create it")


def ages():
    """Messages that waited while the daemon was stopped are too old, and never put."""
    A.make("aged", 64)
    connect("--all", "--max-age", "0.5", "push", "127.0.0.1", "aged")
    until("aged is open", lambda: flow(A, "aged").get("state") == "open")
    A.kill(signal.SIGSTOP)
    wait(A.put("aged", 1, 20))
    time.sleep(0.7)
    A.kill(signal.SIGCONT)
    reader = B.get("aged", {1: 21})
    until("old ones are counted", lambda: flow(A, "aged").get("too_old") == 20)
    while reader.poll() is None:  # until one is fast enough, however slow this machine is
        wait(A.put("aged", 1, 1, first=21 + int(time.monotonic() * 1000)))
        time.sleep(0.1)
    rows = reader.communicate()[0].split()
    check(reader.returncode == 0 and rows[0] == "1", f"only young messages: {rows}")
    A.kill(signal.SIGTERM)
    A.run(ACH, "mk", "-m", "8", "unstamped")
    connect("--max-age", "0.5", "push", "127.0.0.1", "unstamped")
    until("the reason", lambda: "mk --timestamps" in flow(A, "unstamped").get("why", ""))
    A.run(ACH, "rm", "unstamped")
    A.make("unstamped", 64)
    until("unstamped is open", lambda: flow(A, "unstamped").get("state") == "open")
    A.kill(signal.SIGTERM)


def first_gap():
    """What is put while the flow is open is carried, or counted: also before its first message. What
    the channel held before is neither."""
    A.make("gaps", 64)
    wait(A.put("gaps", 1, 5))
    connect("-u", "200000", "push", "127.0.0.1", "gaps")
    until("the newest of those", lambda: flow(A, "gaps").get("messages") == 1)
    check(flow(A, "gaps")["gaps"] == 0, "nothing is lost before the flow begins")
    A.kill(signal.SIGTERM)
    A.run(ACH, "rm", "gaps")
    A.make("gaps", 64)
    connect("push", "127.0.0.1", "gaps")
    until("gaps is open", lambda: flow(A, "gaps").get("state") == "open")
    A.kill(signal.SIGSTOP)
    wait(A.put("gaps", 1, 12))
    A.kill(signal.SIGCONT)
    until("the newest", lambda: flow(A, "gaps").get("messages"))
    check((flow(A, "gaps")["messages"], flow(A, "gaps")["gaps"]) == (1, 11), flow(A, "gaps"))
    until("the receiver's figures", lambda: flow(B, "gaps").get("gaps") == 11)
    A.kill(signal.SIGTERM)


def rate():
    """Not more messages than the period allows; the time of the test itself is the measure."""
    A.make("limited", 64)
    connect("-u", "200000", "push", "127.0.0.1", "limited")
    until("limited is open", lambda: flow(A, "limited").get("state") == "open")
    begin = time.monotonic()
    wait(A.put("limited", 1, 1000, 1000))
    until("some came", lambda: flow(A, "limited")["messages"] > 2)
    sent, took = flow(A, "limited")["messages"], time.monotonic() - begin
    check(sent <= took / 0.2 + 2, f"{sent} messages in {took} s")
    A.kill(signal.SIGTERM)


def removed():
    """A channel that is removed and created again, on either side."""
    A.make("again", 64)
    connect("--all", "push", "127.0.0.1", "again")
    wait(A.put("again", 1, 10))
    result(B.get("again", {1: 10}))
    B.run(ACH, "rm", "again")
    result(B.get("again", {1: 10}))  # the new channel gets what the source still holds
    A.run(ACH, "rm", "again")
    A.make("again", 64)
    wait(A.put("again", 2, 10))
    result(B.get("again", {1: 0, 2: 10}))
    A.kill(signal.SIGTERM)


def holes():
    """A channel that is missing does not hold up the next one of the same connection."""
    A.make("ok-second", 64)
    A.achd(config=f"push 127.0.0.1:{PORT} ok-first all\npush 127.0.0.1:{PORT} ok-second all\n")
    wait(A.put("ok-second", 1, 10))
    result(B.get("ok-second", {1: 10}))
    A.make("ok-first", 64)
    wait(A.put("ok-first", 1, 10))
    result(B.get("ok-first", {1: 10}))
    A.kill(signal.SIGTERM)


def plain():
    """A channel that stores no origins is used as it is, but cannot send on what it received."""
    A.make("plain", 64)
    B.make("plain", 64)
    connect("--all", "push", "127.0.0.1", "plain")
    wait(A.put("plain", 1, 10))
    result(B.get("plain", {1: 10}))
    until("no exact resume after a restart", lambda: flow(B, "plain").get("resumes") is False)
    A.kill(signal.SIGTERM)
    connect("pull", "127.0.0.1", "plain")
    why("stores no origins")


def circle():
    """Nor can it if one daemon of a machine receives, and another one sends."""
    for host in A, B, C:
        host.make("circle", 64)
    port = serve(C)
    send = [ACHD, "-q", "-p", str(port), "push", "127.0.0.1", "circle"]
    sender = B.start(*send)
    until("circle is open", lambda: flow(C, "circle").get("state") == "open")
    connect("push", "127.0.0.1", "circle")
    why("stores no origins")
    sender.kill()
    sender.wait()
    connect("push", "127.0.0.1", "circle")
    until("circle is open", lambda: flow(B, "circle").get("state") == "open")
    sender = B.start(*send)
    until("a reason", lambda: "stores no origins" in B.run(ACH, "relay", "status", "--json"))
    sender.kill()
    sender.wait()
    A.kill(signal.SIGTERM)
    C.kill(signal.SIGTERM)


def statuses(host):
    return [n for n in os.listdir(host.dir) if re.fullmatch(r"achshm-achd-status\.\d+", n)]


def named():
    """Daemons at the same port have a status each, also if another user has taken the name."""
    taken = Path(A.dir, f"achshm-achd-status.{PORT}")
    taken.touch()
    if os.geteuid() == 0:
        os.chown(taken, 65534, 65534)
    started = [A.start(ACHD, "-q", "--bind", f"127.0.0.{i}", "-p", str(PORT), "serve",
                       stderr=open(A.log, "a")) for i in (3, 4)]

    def shown():
        out = A.start(ACH, "relay", "status", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        text, complaint = out.communicate(timeout=LIMIT)
        check(text or "no figures: either no achd runs" in complaint, complaint)
        return sorted(json.loads(line)["pid"] for line in text.splitlines())
    until(f"figures of both: {shown()}", lambda: shown() == sorted(p.pid for p in started))

    def told():
        """The list of channels is that of the daemon which started last; the other one says why."""
        A.run(ACH, "mk", "-a", "listed")
        time.sleep(0.5)
        A.run(ACH, "rm", "listed")
        return f"cannot put into the channel 'achd-channels.{PORT}': ACH_CORRUPT" in A.logged()
    until("a reason", told)
    for p in started:
        p.terminate()
        p.wait()
    check(os.listdir(A.dir).count(taken.name) == 1 and taken.stat().st_size == 0, "the file stays")
    taken.unlink()
    check(not [n for n in os.listdir(A.dir) if "achd-status" in n], "nothing else stays")


def full():
    """A daemon that starts while memory is full has a status as soon as there is room."""
    C.daemon = C.start("unshare", "--mount", *(["--map-root-user"] if os.geteuid() else []), "sh", "-c",
                       f"mount -t tmpfs -o size=4m none {C.dir} || exit; head -c 4m /dev/zero >{C.dir}/full;"
                       f" exec {ACHD} -p 0 serve", stderr=open(C.log, "a"))
    until("no status", lambda: C.daemon.poll() is not None or "status" in C.logged())
    room = f"/proc/{C.daemon.pid}/root{C.dir}"  # what is mounted there
    if C.daemon.poll() is None and os.path.exists(f"{room}/full"):
        os.unlink(f"{room}/full")
        until("a status", lambda: [n for n in os.listdir(room) if n.startswith("achshm-achd-status.")])
        C.kill(signal.SIGTERM)
    else:
        print(f"   not done: no file system can be mounted: {C.logged()}")
        C.daemon.kill()


def background():
    """Our children that run in the background."""
    with open(f"/proc/self/task/{os.getpid()}/children") as f:
        pids = [int(pid) for pid in f.read().split()]
    return [pid for pid in pids if b"\0-d\0" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def starts():
    """Daemons that start at once have a status each. One in the background is there when its parent
    ends, or the parent fails."""
    for _ in range(4):
        started = [A.start(ACHD, "-q", "-p", str(PORT), "push", "127.0.0.1", f"ok-{i}")
                   for i in range(16)]
        until("a status of each", lambda: len(statuses(A)) == len(started))
        for p in started:
            p.terminate()
            p.wait()
        check(not statuses(A), "nothing stays")
    taken = A.start(ACHD, "-d", "-p", str(PORT), "serve", stderr=subprocess.DEVNULL)
    check(taken.wait() == 1, "the port is in use")
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    A.run(ACHD, "-q", "-d", "-p", "0", "serve")
    for pid in background():
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)
    check(not statuses(A), "nothing stays")


def group():
    """A channel is pushed to a multicast group, which stays on loopback."""
    A.make("ok-group", 64)
    A.achd(config=f"push 127.0.0.1:{PORT} ok-group udp\nmulticast ok-group 239.7.7.8:7701\n")
    until("ok-group is open", lambda: flow(B, "ok-group").get("state") == "open")
    reader = B.get("ok-group", {1: 5})
    number = 0
    while reader.poll() is None:
        number += 1
        wait(A.put("ok-group", 1, 1, first=number))
        time.sleep(0.05)
    result(reader)
    A.kill(signal.SIGTERM)


def say(data, expect_close=True):
    """Send bytes to the server, which must close the connection and go on."""
    with socket.create_connection(("127.0.0.1", PORT), timeout=LIMIT) as s:
        try:
            s.sendall(data)
            while expect_close and s.recv(65536):
                pass
        except ConnectionError:
            pass


def await_opened(s):
    """The epoch of the server's channel, from OPENED."""
    kind = None
    while kind != OPENED:
        kind, _, _, body = read(s)
    return struct.unpack_from("<Q", body)[0]


def own():
    """A channel does not take a message that was first put into itself, whatever the peer sends."""
    with socket.create_connection(("127.0.0.1", PORT), timeout=LIMIT) as s:
        s.sendall(HELLO + opens(b"ok-own"))
        epoch = await_opened(s)
        s.sendall(data(1000, b"own", epoch=epoch) + data(1001, b"other"))
        until("the message of another origin", lambda: flow(B, "ok-own").get("messages"))
        counts = flow(B, "ok-own")
    check((counts["known"], counts["messages"]) == (1, 1), f"one of two messages: {counts}")


def reasons():
    """The reason why a channel cannot be read is not that of another one."""
    A.make("ok-damaged", 8)
    with open(f"{A.dir}/achshm-ok-damaged", "r+b") as f:
        f.seek(128)  # the number of the newest message
        f.write(b"\xff" * 4)
    A.achd(config=f"push 127.0.0.1:{PORT} ok-absent\npush 127.0.0.1:{PORT} ok-damaged\n")
    until("a reason", lambda: flow(A, "ok-damaged").get("why"))
    reason = flow(A, "ok-damaged")["why"]
    check(reason == "cannot read the channel 'ok-damaged': ACH_CORRUPT", reason)
    A.kill(signal.SIGTERM)
    A.run(ACH, "rm", "ok-damaged")


def hostile():
    dice = random.Random(2)
    memory = f"/proc/{B.daemon.pid}/status"

    def resident():
        with open(memory) as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))
    before = resident()
    say(b"GET / HTTP/1.0\r\n\r\n")
    say(frame(1, b"ACHR\2\0" + struct.pack("<QIH", 5, 65664, 0)))    # another major version
    say(HELLO + HELLO)
    say(HELLO + frame(7, struct.pack("<QQQQ", 1 << 60, 1, 1, 1)))    # ACK of bytes never sent
    say(HELLO + struct.pack("<IBBH", 0x7fffffff, 5, 0, 0))           # a frame of 2 GiB
    say(HELLO + opens(b"x", number=4096))                            # a number out of range
    say(HELLO + frame(5, bytes(80)))                                 # DATA of no flow
    say(HELLO + opens(b"ok-huge", frames=1 << 40, size=1 << 20), False)
    say(HELLO + opens(b"../../etc"), False)
    say(HELLO + b"".join(opens(b"ok-%d" % (i % 7), number=i % 7) for i in range(5000)), False)
    say(HELLO + b"".join(frame(8, bytes(8)) for i in range(50000)), False)  # PINGs, no reading
    for _ in range(30):
        say(HELLO + dice.randbytes(3000), False)
    for _ in range(20):  # messages that begin and never end
        part = struct.pack("<QQQQQQQQI", 1, 0, 5, 1, 0, 0, 0, 0, 500) + b"y" * 90
        say(HELLO + opens(b"ok-part") + frame(5, part), False)
    check(B.daemon.poll() is None, "the server survives")
    check(resident() < before + 64 * 1024, f"memory: {before} before, {resident()} KiB now")
    check(not os.path.exists(f"{B.dir}/achshm-ok-huge"), "no huge channel")
    A.make("ok-alive", 64)
    connect("--all", "push", "127.0.0.1", "ok-alive")
    wait(A.put("ok-alive", 1, 10))
    result(B.get("ok-alive", {1: 10}))
    A.kill(signal.SIGTERM)


def refused(text, *arguments, lines=None):
    if lines is not None:
        path = os.path.join(A.dir, "bad.conf")
        with open(path, "w") as f:
            f.write(lines)
        arguments = ("run", path)
    p = subprocess.run([ACHD, *arguments], env={**os.environ, "ACH_DIR": A.dir}, timeout=LIMIT,
                       stderr=subprocess.PIPE, text=True)
    check(p.returncode in (1, 2) and text in p.stderr, f"{arguments}: '{text}' in {p.stderr}")


def settings():
    refused("not a loopback address", "--bind", "0.0.0.0", "serve")
    refused("the transport must be tcp, udp or sctp, not 'icmp'", "-t", "icmp", "push", "h", "c")
    refused("udp cannot carry all messages", "--all", "-t", "udp", "push", "h", "c")
    refused("the transport of connections is tcp or sctp, not 'udp'", lines="transport udp\n")
    refused("udp cannot carry all messages", lines="push h c udp all\n")
    refused("line 1: a group is an address from 224", lines="multicast c 10.0.0.1:8\n")
    refused("line 1: expected multicast CHANNEL", lines="multicast c\n")
    refused("expected serve, push", "puhs", "h", "c")
    refused("'a/b'", "push", "h", "a/b")
    refused("from 0 to 7, not '9'", "--priority", "9", "push", "h", "c")
    refused("line 2: expected push, pull", lines="# fine\npsh h c\n")
    refused("did you mean 'push'", lines="psh h c\n")
    refused("line 1: expected push HOST CHANNEL", lines="push h\n")
    refused("did you mean 'priority'", lines="push h c prioriti=3\n")
    refused("a port is a number", lines="push h:x c\n")
    refused("line 1: expected one value after listen", lines="listen\n")
    refused("cannot read", "run", "/nonexistent")
    connect("push", "192.0.2.1", "c")
    until("refused without --insecure", lambda: "--insecure" in str(A.status()))
    A.kill(signal.SIGTERM)


def ports():
    """The port of the line listen is not the default of other lines, whatever their order."""
    lines = [f"listen 127.0.0.3:{PORT}\n", "push 127.0.0.2 nothing\n", "peer 127.0.0.4\n"]
    for option, port in ((), 8076), (("-p", "8079"), 8079):
        for config in lines, lines[::-1]:
            A.achd(*option, config="".join(config))
            until("figures", lambda: A.status() is not None)
            check([link["port"] for link in A.status()["links"]] == [port, port], f"{config}: {A.status()}")
            check(A.port_served() == PORT, "it listens at the port of its line")
            A.kill(signal.SIGTERM)


def descriptors():
    """A server that may open few files refuses connections, and works again afterwards."""
    C.daemon = C.start("sh", "-c", f"ulimit -n 40; exec '{ACHD}' -p 0 serve")
    until("the server", lambda: C.status() is not None)
    port = C.port_served()
    some = [socket.create_connection(("127.0.0.1", port), timeout=LIMIT) for _ in range(60)]
    check(some[-1].recv(1) == b"", "the last connection is refused")
    for s in some:
        s.close()
    C.make("ok-free", 64)
    A.achd("-p", str(port), "pull", "127.0.0.1", "ok-free")
    until("ok-free is open", lambda: flow(A, "ok-free").get("state") == "open")
    A.kill(signal.SIGTERM)
    C.kill(signal.SIGTERM)


PORT = serve(B, 0, "--create", "[!f]*")
for test in (types, larger, rights, ages, first_gap, rate, removed, holes, plain, circle, starts,
             named, full, group, settings, ports, own, reasons, hostile, descriptors):
    print(f"== {test.__name__}", flush=True)
    test()
B.kill(signal.SIGTERM)
check(B.daemon.returncode == 0, "the server ends well")
sys.exit(0)
