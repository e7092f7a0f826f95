#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Who may do what: certificates, lists of channels per peer, limits, and the user of the daemon.

secure.py ACHD ACH ORACLE
"""
import os
import pwd
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

from frames import HELLO, data, frame, more, opens, split
from hosts import ACH, ACHD, BASE, LIMIT, check, local, result, until, wait

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(TOP, "tests/support"))
import authority  # noqa: E402

A, B = local(2)
CA = authority.Authority(ACH, f"{BASE}/keys", "robot", "laptop", "thief", limit=LIMIT)
OTHER = authority.Authority(ACH, f"{BASE}/other", "robot", "laptop", limit=LIMIT)
LAPTOP = CA.host("laptop")
USED = f"{BASE}/used"  # the keys of the server
REFUSED = 4


def served_port():
    until("the server", lambda: B.status() is not None or B.daemon.poll() is not None)
    check(B.daemon.poll() is None, f"the server runs: {B.logged()[-300:]}")
    return next(int(n.rpartition(".")[2]) for n in os.listdir(B.dir)
                if n.startswith("achshm-achd-status."))


def serve(config="", plain=False, options=()):
    """Start the server of B with these lines, at a free port."""
    shutil.rmtree(USED, ignore_errors=True)
    B.keys = None if plain else CA.copy("robot", USED)
    B.achd("-p", "0", *options, config="listen 127.0.0.1\n" + config)
    return served_port()


def stop(*more_hosts):
    for host in (B, *more_hosts):
        host.kill(signal.SIGTERM)
        check(host.daemon.returncode == 0, "the daemon ends well")


def exists(name, host=B):
    return os.path.exists(f"{host.dir}/achshm-{name}")


def at(port, name="robot"):
    return f"{name}@127.0.0.1:{port}"


def flow(host, channel, direction="sends"):
    return next((f for f in host.flows()
                 if f["channel"] == channel and f["direction"] == direction), {})


def is_open(host, channel, direction="sends"):
    return flow(host, channel, direction).get("state") == "open"


def client(*lines, keys=LAPTOP):
    A.keys = keys
    A.logged_before = len(A.logged()) if os.path.exists(A.log) else 0
    A.achd(config="".join(f"{line}\n" for line in lines))


def link_why(text):
    """The client's daemon says why it has no connection."""
    until(f"'{text}' in the log", lambda: text in A.logged()[A.logged_before:])
    A.kill(signal.SIGTERM)


def logged(text, host=B):
    until(f"'{text}' in the log", lambda: text in host.logged())


def accepted():
    """Both directions inside TLS 1.3; the peer is known by its certificate."""
    port = serve("allow laptop write up\nallow laptop read down\n")
    A.make("up", 64)
    B.make("down", 64)
    client(f"push {at(port)} up all", f"pull {at(port)} down all")
    wait(A.put("up", 1, 50), B.put("down", 2, 50))
    check(result(B.get("up", {1: 50})) == {1: (50, 0, 0)}, "up")
    until("down exists", lambda: exists("down", A))
    check(result(A.get("down", {2: 50})) == {2: (50, 0, 0)}, "down")
    until("the name", lambda: any(l["peer"] == "laptop@127.0.0.1" for l in B.status()["links"]))
    with authority.dial(port, LAPTOP) as c:
        check(c.version() == "TLSv1.3" and b"ACHR" in c.recv(100), "Python's TLS is greeted")
    stop(A)
    # Without a name the server must be this host, or have the name that was dialled.
    A.keys = USED
    port = serve("allow robot write up\n")
    A.achd("-p", str(port), "--all", "push", "localhost", "up")
    until("localhost has the own name", lambda: is_open(A, "up"))
    stop(A)


def strangers():
    """Without a valid certificate nobody gets a byte of the protocol."""
    port = serve("allow * both *\n")
    made = CA.sign("laptop", f"{BASE}/made", 1)
    check(not authority.refused(port, keys=made), "a certificate that openssl has made is valid")
    CA.sign("laptop", made, 0)
    time.sleep(1.1)
    ways = {"the peer has shown no certificate": {},
            "the certificate of laptop is not signed by an authority": {"keys": OTHER.host("laptop")},
            "the certificate of laptop has expired": {"keys": made},
            "the peer does not offer TLS 1.3": {"keys": LAPTOP, "version": ssl.TLSVersion.TLSv1_2}}
    for text, how in ways.items():
        check(authority.refused(port, **how), text)
        logged(text)
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT) as c:
        c.sendall(HELLO + opens(b"plain"))
        check(b"ACHR" not in authority.first_bytes(c), "no greeting without TLS")
    logged("the peer does not use TLS")
    check(not authority.refused(port, keys=LAPTOP), "a valid certificate is accepted")
    check(not exists("plain"), "nothing was created")
    stop()


def half_closed_server(version=None, keys=None, text=b"x" * 100):
    """A server in Python for one client; returns its port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def run():
        c, _ = listener.accept()
        try:
            if keys:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(f"{keys}/host.pem", f"{keys}/host.key")
                if version:
                    context.maximum_version = version
                c = context.wrap_socket(c, server_side=True)
            c.sendall(text)
            c.recv(1000)
        except (OSError, ssl.SSLError):
            pass
        c.close()
        listener.close()
    threading.Thread(target=run, daemon=True).start()
    return listener.getsockname()[1]


def servers():
    """A client trusts only the server whose name it dials, with TLS 1.3."""
    A.make("trust", 8)
    port = serve("allow * both *\n")
    for address, keys, text in (
            (at(port, "robot2"), LAPTOP, "expected the certificate of robot2, found that of robot"),
            (at(port), OTHER.host("laptop"), "not signed by an authority"),
            (f"127.0.0.1:{port}", LAPTOP, "expected the certificate of laptop, found that of robot")):
        client(f"push {address} trust", keys=keys)
        link_why(text)
    old = CA.sign("robot", f"{BASE}/old-robot", 0)
    time.sleep(1.1)
    for how, text in (({"keys": CA.host("robot"), "version": ssl.TLSVersion.TLSv1_2}, "TLS 1.3"),
                      ({"keys": old}, "the certificate of robot has expired"),
                      ({"text": HELLO}, "the peer does not use TLS")):
        client(f"push {at(half_closed_server(**how))} trust")
        link_why(text)
    client(f"push 127.0.0.1:{port} trust", keys=None)
    link_why("if it uses TLS, use --tls")
    stop()
    port = serve(plain=True)
    client(f"push {at(port)} trust")
    link_why("the peer does not use TLS")
    check(not exists("trust"), "nothing was created")
    stop()


def revoked():
    """After SIGHUP a revoked peer is disconnected, and does not get in; others stay."""
    port = serve("allow * both *\n")
    thief = CA.copy("thief", f"{BASE}/thief")  # with the list that does not have it
    A.make("good", 65536)
    client(f"push {at(port)} good all")
    until("good is open", lambda: is_open(A, "good"))
    writer = A.put("good", 1, 4000, 100)
    connection = authority.dial(port, thief)
    connection.sendall(HELLO + opens(b"loot"))
    until("loot", lambda: exists("loot"))
    CA.keys("revoke", "thief")
    CA.update("robot", USED, "crl.pem")
    for _ in range(2):  # what the first one has ended is in the log before the second one is
        B.reload("the keys are read again")
    check("the certificate of thief is revoked" in B.logged(), "at once")
    received = b""
    while part := authority.first_bytes(connection):
        received += part
    connection.close()
    check(authority.refused(port, keys=thief), "the thief does not come back")
    wait(writer)
    check(result(B.get("good", {1: 4000})) == {1: (4000, 0, 0)}, "others stay")
    until("one connection", lambda: A.status()["links"][0]["connections"] == 1)
    # The client, too, closes a connection to a server that is revoked.
    used = CA.copy("laptop", f"{BASE}/used-laptop")
    A.kill(signal.SIGTERM)
    client(f"push {at(port)} good all", keys=used)
    until("good is open", lambda: is_open(A, "good"))
    CA.keys("revoke", "robot")
    CA.update("laptop", used, "crl.pem")
    A.reload("the keys are read again")
    until("robot is revoked", lambda: "the certificate of robot is revoked" in str(A.status()))
    stop(A)
    CA.keys("renew", "robot")


def revoked_meanwhile():
    """A handshake that began before SIGHUP and ends after it."""
    CA.keys("host", "late")
    keys = CA.copy("late", f"{BASE}/late")
    port = serve("allow * both *\n")
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = authority.client_context(keys).wrap_bio(incoming, outgoing)
    plain = socket.create_connection(("127.0.0.1", port), timeout=LIMIT)

    def step(call, *arguments):
        """False: the server must answer first."""
        try:
            call(*arguments)
            return True
        except ssl.SSLWantReadError:
            return False
    check(not step(tls.do_handshake), "the server answers")
    plain.sendall(outgoing.read())
    incoming.write(plain.recv(65536))
    CA.keys("revoke", "late")
    CA.update("robot", USED, "crl.pem")
    B.reload("the keys are read again")
    while not step(tls.do_handshake):
        incoming.write(plain.recv(65536))
    tls.write(HELLO + opens(b"late"))
    plain.sendall(outgoing.read())
    try:
        while part := plain.recv(65536):
            incoming.write(part)
        check(not step(tls.read), "no byte of the protocol")
    except (ssl.SSLError, ConnectionError):
        pass
    plain.close()
    logged("the certificate of late is revoked")
    check(not exists("late"), "nothing was created")
    stop()


def damaged():
    """A reload that fails changes nothing."""
    port = serve("allow laptop read x\n")
    os.chmod(f"{USED}/host.key", 0o640)
    B.reload("the old ones stay: ")
    check("has mode 0640" in B.logged(), "the mode of the key")
    check(not authority.refused(port, keys=LAPTOP), "the old keys are used")
    os.chmod(f"{USED}/host.key", 0o600)
    os.unlink(f"{USED}/crl.pem")
    B.reload("crl.pem has disappeared")
    CA.update("robot", USED, "crl.pem")
    B.configure("listen 127.0.0.1\nallow laptop raed x\n")
    B.reload("line 2: expected read, write or both, not 'raed'")
    check(not authority.refused(port, keys=LAPTOP), "the daemon goes on")
    stop()


class Peer:
    """A peer in Python, with the keys of a host; plain without keys."""

    def __init__(self, port, keys=LAPTOP):
        self.socket = (authority.dial(port, keys, limit=LIMIT) if keys else
                       socket.create_connection(("127.0.0.1", port), timeout=LIMIT))
        self.received = b""
        self.send(HELLO)

    def send(self, *frames):
        self.socket.sendall(b"".join(frames))

    def answer(self, number, kinds):
        """The first frame of these kinds for a flow."""
        while True:
            for kind, number_, body in split(self.received):
                if kind in kinds and number_ == number:
                    return kind, body
            part = self.socket.recv(65536)
            check(part, f"an answer for flow {number}")
            self.received += part

    def opens(self, name, number=0, push=True, **terms):
        """None: it is open. Otherwise the status and the text of the refusal."""
        self.send(opens(name.encode(), number, push=push, **terms))
        kind, body = self.answer(number, (3, REFUSED))
        return None if kind == 3 else (struct.unpack_from("<H", body)[0], body[4:].decode())

    def closed(self):
        while authority.first_bytes(self.socket):
            pass
        self.socket.close()


RULES = """
allow laptop read seen seen-* shared
allow laptop write cmd? shared
allow LAP*   both any[0-9]
allow thief  both stolen
"""
# channel: (may read, may write)
MATRIX = {"seen": (1, 0), "seen-": (1, 0), "seen-camera": (1, 0), "seen2": (0, 0), "Seen": (0, 0),
          "shared": (1, 1), "shared2": (0, 0), "cmd1": (0, 1), "cmd": (0, 0), "cmd12": (0, 0),
          "any7": (1, 1), "any": (0, 0), "anyx": (0, 0), "stolen": (0, 0),
          "achd-status.1": (0, 0), "other": (0, 0)}


def lists():
    """A peer opens what is on its list, and does not learn whether other channels exist."""
    port = serve(RULES)
    peer, number = Peer(port), 0
    for name, rights in MATRIX.items():
        for push in (False, True):
            if rights[push] and not push:
                B.make(name, 8, 64, "--relayed")
            answer = peer.opens(name, number, push)
            check((answer is None) == rights[push], f"{name}, push {push}: {answer}")
            if not rights[push]:
                word = "write" if push else "read"
                check(f"laptop may not {word} the channel '{name}'" in answer[1], answer)
                check(push or rights[True] or rights[False] or not exists(name), f"{name} was created")
            number += 1
    for name, rights in MATRIX.items():
        check(exists(name) == any(rights), f"{name} exists: {exists(name)}")
        if exists(name):
            B.run(ACH, "rm", name)
    # The same answer for channels that exist, do not exist, and were open before.
    for push in (False, True):
        number += 1
        before = peer.opens("secret", number - 1, push)
        B.make("secret", 8, 64, "--relayed")
        number += 1
        after = peer.opens("secret", number - 1, push)
        check(before == after and before[0] == after[0], f"{before} and {after}")
        B.run(ACH, "rm", "secret")
    # A refused flow takes no messages, even if the channel exists and the peer goes on.
    B.make("secret", 8, 64, "--relayed")
    peer.opens("secret", number)
    peer.send(data(1, b"forged", flow=number), frame(8, bytes(8)))
    peer.answer(0, (9,))
    # An open flow is not a way to another channel.
    check(peer.opens("cmd1", number + 1) is None, "cmd1")
    peer.received = b""
    check("may not write" in peer.opens("secret", number + 1)[1], "a flow that is open already")
    peer.send(data(2, b"forged", flow=number + 1), frame(8, bytes(8)))
    peer.answer(0, (9,))
    check('"newest":0,' in B.run(ACH, "info", "--json", "secret").replace(" ", ""), "no message")
    check(Peer(port, CA.host("laptop")).opens("stolen") is not None, "the list of another peer")
    stop()
    # Its own channels achd removes itself when it ends, which may be now.
    for name in [n[7:] for n in os.listdir(B.dir) if n.startswith("achshm-")]:
        if not name.startswith("achd-"):
            B.run(ACH, "rm", name)


def nothing():
    """With TLS and without a list nothing is allowed."""
    port = serve()
    check("peers may read and write nothing" in B.logged(), "a warning")
    B.make("x", 8)
    peer = Peer(port)
    check(peer.opens("x", 0, False) and peer.opens("x", 1, True) and peer.opens("y", 2, True), "refused")
    check(not exists("y"), "nothing was created")
    B.run(ACH, "rm", "x")
    stop()


def plain_lists():
    """Peers without TLS have a list if there is one, otherwise they may do everything."""
    port = serve("allow @plain read seen\n", plain=True)
    B.make("seen", 8, 64, "--relayed")
    peer = Peer(port, None)
    check(peer.opens("seen", 0, False) is None, "seen")
    check("@plain may not write" in peer.opens("seen", 1, True)[1], "not written")
    check(peer.opens("free", 2, True), "not on the list")
    B.configure("listen 127.0.0.1\n")
    B.reload("which would allow everything")
    check(peer.opens("free", 3, True), "the last line cannot be taken back while achd runs")
    stop()
    port = serve(plain=True)
    check(Peer(port, None).opens("free", 0, True) is None, "without a list")
    stop()
    for name in "seen", "free":
        B.run(ACH, "rm", name)


def new_lists():
    """SIGHUP: flows that are not allowed any more are closed, others open; links stay."""
    port = serve("allow laptop write one\n")
    for name in "one", "two":
        A.make(name, 1024)
    client(f"push {at(port)} one all", f"push {at(port)} two all")
    until("one is open", lambda: is_open(A, "one"))
    until("two is refused", lambda: "may not write" in flow(A, "two").get("why", ""))
    wait(A.put("one", 1, 10))
    result(B.get("one", {1: 10}))
    peer = Peer(port)
    check(peer.opens("nothing", 5), "refused, and the numbers before it are free")
    B.configure("listen 127.0.0.1\nallow laptop write two\n")
    B.reload("the lists and limits are read again")
    peer.socket.close()
    until("one is closed", lambda: "may not write" in flow(A, "one").get("why", ""))
    until("two is open", lambda: is_open(A, "two"))
    wait(A.put("one", 1, 10, first=11), A.put("two", 2, 10))
    result(B.get("two", {2: 10}))
    check(result(B.get("one", {1: 10})) == {1: (10, 0, 0)}, "nothing more came")
    B.configure("listen 127.0.0.1\nallow laptop write one two\n")
    B.reload("the lists and limits are read again")
    check(result(B.get("one", {1: 20})) == {1: (20, 0, 0)}, "the rest comes, nothing twice")
    check(A.status()["links"][0]["connections"] == 1, "the connection stays")
    stop(A)


def limits():
    port = serve("allow * both *\nlimit flows=3\nlimit message=1000\nlimit channel=100K\n"
                 "limit created=240K\nlimit memory=80K\n")
    peer = Peer(port)
    text = peer.opens("large", 0, frames=8, size=65536)[1]
    check("more than the limit of 102400 bytes" in text, text)
    peer.received = b""
    for number in range(3):
        check(peer.opens("lim%d" % number, number, size=8192) is None, "three flows")
    check("the limit of a peer is 3" in peer.opens("lim3", 3)[1], "four are too many")
    # A message that is too large is counted, and the flow goes on.
    peer.send(data(1, b"x" * 900, total=1001, flow=1), more(b"x" * 101, 1), data(2, b"y" * 1000, flow=1))
    until("one message", lambda: flow(B, "lim1", "receives").get("messages") == 1)
    check(flow(B, "lim1", "receives")["failed"] == 1, "one is too large")
    check("larger than the limit of 1000 bytes" in flow(B, "lim1", "receives")["why"], "why")
    peer.socket.close()
    peer = Peer(port)
    check("more than the limit of 18048 bytes" in peer.opens("lim9", 0, size=8192)[1], "227712 are created")
    check(not exists("large") and not exists("lim9"), "nothing was created")
    # Flows and memory count for all connections of a peer; a flow itself needs some memory.
    others = [Peer(port) for _ in range(2)]
    check(peer.opens("lim0", 1) is None and others[0].opens("lim0") is None, "three flows")
    check("the limit of a peer is 3" in others[1].opens("lim0")[1], "of three connections")
    B.configure("listen 127.0.0.1\nallow * both *\nlimit memory=80K\n")
    B.reload("the lists and limits are read again")
    peers = []
    while len(peers) < 100:
        peers.append(Peer(port))
        peers[-1].send(b"".join(opens(b"lim0", number) for number in range(3)), frame(8, bytes(8)))
        if "the limit of a peer is 81920 bytes" in B.logged():
            break
        time.sleep(0.01)
    logged("the limit of a peer is 81920 bytes")
    check(len(peers) < 100, "memory is limited")
    for p in peers:
        p.socket.close()
    until("memory is free again", lambda: Peer(port).opens("lim0") is None)
    stop()


def mapped():
    """The page tables that map a channel count: a large one cannot be opened again and again."""
    port = serve("allow * both *\nlimit memory=100K\n")
    B.run(ACH, "mk", "-m", "16", "-n", "65536", "wide")
    peer = Peer(port)
    opened = 0
    while peer.opens("wide", opened, push=False) is None:
        opened += 1
    logged("the limit of a peer is 102400 bytes")
    check(3 < opened < 12, f"{opened} flows")
    peer.socket.close()
    until("memory is free again", lambda: Peer(port).opens("wide", push=False) is None)
    stop()


def large_source():
    """Messages that the server must copy for a peer count, too."""
    port = serve("allow * both *\nlimit memory=200K\n")
    B.make("big", 4, 100000)
    wait(B.put("big", 1, 1, size=150000))
    peer = Peer(port)
    check(peer.opens("big", 0, False) is None, "one flow is open")
    peer.answer(0, (5,))
    second = Peer(port)
    second.send(opens(b"big", 0, push=False))
    kind, body = second.answer(0, (5, 10))
    check(kind == 10 and b"the limit of a peer is 204800 bytes" in body, f"{kind} {body[:80]}")
    stop()
    B.run(ACH, "rm", "big")


def rate():
    """More than the rate is read later: the time of the test itself is the measure."""
    port = serve("allow * both *\nlimit rate=64K\n")
    peer = Peer(port)
    check(peer.opens("rated", 0, size=65536) is None, "open")
    begin, n = time.monotonic(), 20
    for i in range(n):
        peer.send(data(i + 1, b"z" * 16384))
    peer.send(frame(8, bytes(8)))
    peer.answer(0, (9,))
    took = time.monotonic() - begin
    check(took > n * 16384 / 65536 - 0.5, f"{n * 16384} bytes in {took} s")
    until("all came", lambda: flow(B, "rated", "receives").get("messages") == n)
    stop()


def connections():
    port = serve("allow * both *\nlimit connections=6\nlimit peer-connections=3\nlimit handshakes=4\n")
    peers = [Peer(port) for _ in range(3)]
    for i, peer in enumerate(peers):
        check(peer.opens(f"conn{i}") is None, "three connections")
    Peer(port).closed()
    logged("too many connections, see the limit peer-connections")
    thieves = [Peer(port, CA.host("robot")) for _ in range(3)]
    for i, peer in enumerate(thieves):
        check(peer.opens(f"conn{i}") is None, "three of another peer")
    Peer(port, None).closed()
    logged("there are 6 connections already")
    for i, peer in enumerate(peers):
        peer.received = b""
        check(peer.opens(f"conn{i}") is None, "nobody was disconnected")
        peer.socket.close()
    until("there is room again", lambda: not authority.refused(port, keys=LAPTOP))
    stop()


def slow():
    """Handshakes that do not go on are limited in number and time, and keep nobody out."""
    port = serve("allow * both *\nlimit handshakes=20\n")
    waiting = []
    for _ in range(60):
        s = socket.create_connection(("127.0.0.1", port), timeout=LIMIT)
        s.sendall(b"\x16\x03\x01\x02\x00\x01")  # the beginning of a handshake
        waiting.append(s)
    check(Peer(port).opens("slow") is None, "others get in")
    logged("too many connections wait to be greeted")
    check(authority.drip(port, LIMIT), "a slow peer is disconnected")
    silent = authority.dial(port, LAPTOP)  # a handshake, and no greeting
    check(b"ACHR" in silent.recv(100), "greeted")
    while authority.first_bytes(silent):
        pass
    silent.close()
    logged("it did not finish the TLS handshake in time")
    logged("it has not greeted as a relay")
    for s in waiting:
        check(authority.first_bytes(s) == b"", "the server talks to a stranger")
        s.close()
    stop()


def user():
    """The daemon gives up the rights of root, and can read its keys again afterwards."""
    if os.getuid() != 0:
        return
    nobody = pwd.getpwnam("nobody")
    os.chmod(BASE, 0o755)
    os.chown(B.dir, nobody.pw_uid, nobody.pw_gid)
    CA.copy("robot", f"{BASE}/root-keys")
    p = subprocess.run([ACHD, "-p", "0", "--user", "nobody", "--tls", f"{BASE}/root-keys", "serve"],
                       stderr=subprocess.PIPE, text=True, timeout=LIMIT,
                       env={**os.environ, "ACH_DIR": B.dir})
    check(p.returncode == 1 and "Permission denied" in p.stderr, f"keys of root: {p.stderr}")
    shutil.rmtree(USED, ignore_errors=True)
    CA.copy("robot", USED)
    for path in USED, *(f"{USED}/{n}" for n in os.listdir(USED)):
        os.chown(path, nobody.pw_uid, nobody.pw_gid)
    B.keys = USED
    groups = os.getgroups()
    os.setgroups([*groups, 1, 2])  # which the daemon must give up, too
    B.achd("-p", "0", config="listen 127.0.0.1\nuser nobody\nallow laptop write own\n")
    os.setgroups(groups)
    port = served_port()
    with open(f"/proc/{B.daemon.pid}/status") as f:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
    check(status["Uid"].split() == [str(nobody.pw_uid)] * 4, status["Uid"])
    check(status["Gid"].split() == [str(nobody.pw_gid)] * 4, status["Gid"])
    check(status["Groups"].split() in ([], [str(nobody.pw_gid)]), f"groups: {status['Groups']}")
    check(int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 0, "no capabilities")
    check(status["NoNewPrivs"] == "1", "no new privileges")
    check(Peer(port).opens("own") is None, "a channel of the user")
    check(os.stat(f"{B.dir}/achshm-own").st_uid == nobody.pw_uid, "it belongs to the user")
    B.reload("the keys are read again")
    B.reload("the lists and limits are read again")
    stop()
    os.chown(B.dir, 0, 0)


def wrong(text, *arguments, lines=None, keys=None):
    env = {**os.environ, "ACH_DIR": A.dir}
    if lines is not None:
        arguments = (*arguments, "run", A.configure(lines))
    if keys:
        env["ACH_KEYS"] = keys
    p = subprocess.run([ACHD, *arguments], env=env, timeout=LIMIT, stderr=subprocess.PIPE, text=True)
    check(p.returncode in (1, 2) and text in p.stderr, f"{arguments}: '{text}' in {p.stderr}")


def settings():
    wrong("use --tls", "--bind", "0.0.0.0", "serve")
    wrong("tls and insecure exclude each other", "--tls", LAPTOP, "--insecure", "serve")
    wrong("the directory of keys", "--tls", f"{BASE}/nothing", "serve")
    wrong("nothing: No such file", "--tls", f"{BASE}/nothing", "serve")
    wrong("give the directory of a host", "--tls", CA.dir, "serve")
    wrong("nothing: No such file", "serve", keys=f"{BASE}/nothing")
    wrong("names are checked with TLS only", "push", "robot@127.0.0.1", "c")
    wrong("expected NAME@ADDRESS", "--tls", LAPTOP, "push", "@127.0.0.1", "c")
    wrong("expected NAME@ADDRESS", "--tls", LAPTOP, "push", "n" * 65 + "@127.0.0.1", "c")
    wrong("without tls, the name of all peers is @plain", "--allow", "laptop read x", "serve")
    wrong("with tls, all peers have certificates", "--tls", LAPTOP, "--allow", "@plain read x", "serve")
    wrong("expected read, write or both, not 'red'", "--allow", "laptop red x", "serve")
    wrong("expected PEER read|write|both CHANNEL", "--allow", "laptop read", "serve")
    wrong("the name of a certificate, or @plain, not '@all'", "--allow", "@all read x", "serve")
    wrong("did you mean 'memory'", "--limit", "memry=1M", "serve")
    wrong("the limit flows is a number from 1 to 4096", "--limit", "flows=0", "serve")
    wrong("the limit rate is a number from 16384", "--limit", "rate=x", "serve")
    wrong("write allow and limit into the file", "--limit", "flows=9", lines="")
    wrong("insecure takes no value", lines="insecure no\nlisten 127.0.0.1\n")
    wrong("no-advertise takes no value", lines="no-advertise no\nlisten 127.0.0.1\n")
    wrong("there is a line listen already", lines="listen 127.0.0.1\nlisten [::1]\n")
    wrong("nothing to do", lines="# nothing\n")
    wrong("a byte 0", lines="li\0sten\n")
    wrong("Is a directory", "run", A.dir)
    wrong("line 2: expected PEER read|write|both CHANNEL", lines="\nallow\n")
    wrong("there is no such user", "-p", "0", "--user", "no-such-user", "serve")
    A.make("c", 8)
    A.keys = LAPTOP
    A.achd("push", "n" * 70, "c")
    until("a long name", lambda: "is not a name that a certificate can have" in str(A.status())
          or "not known" in str(A.status()) or "resolution" in str(A.status()))
    A.kill(signal.SIGTERM)


def left():
    """What a peer has used is free again when it has gone, also if its channels stay."""
    port = serve("allow * both *\n")
    peer = Peer(port)
    check(peer.opens("left0") is None, "the first one")
    peer.socket.close()
    until("it has gone", lambda: not B.flows())
    descriptors = lambda: len(os.listdir(f"/proc/{B.daemon.pid}/fd"))
    before = descriptors()
    for _ in range(2):
        peer = Peer(port)
        for number in range(100):
            check(peer.opens(f"left{number}", number) is None, number)
        check(descriptors() >= before + 100, "they are open")
        peer.socket.close()
        until("it has gone", lambda: not B.flows())
        until("nothing is open", lambda: descriptors() <= before)
    tables = lambda: sum(n.startswith(".achd-origins-left") for n in os.listdir(B.dir))
    check(tables() == 100, "the tables of origins stay with the channels")
    B.run(ACH, "rm", *(f"left{number}" for number in range(100)))
    until("the tables go with the channels", lambda: tables() == 0)
    stop()


def example():
    """The example is a valid file."""
    with open(os.path.join(TOP, "examples/relay/achd.conf")) as f:
        lines = f.read()
    for a, b in ("/etc/ach/keys", CA.host("robot")), ("0.0.0.0:8076", "127.0.0.1"):
        check(a in lines, f"{a} in the example")
        lines = lines.replace(a, b)
    B.keys = None
    B.achd("-p", "0", config=lines)
    peer = Peer(served_port())
    check(peer.opens("command") is None, "laptop may write command")
    check("may not read" in peer.opens("command", 1, push=False)[1], "and not read it")
    stop()


def hang_up():
    """Without keys and file, SIGHUP ends the daemon, as a terminal that closes means."""
    A.keys = None
    A.achd("-p", "0", "serve")
    until("it runs", lambda: A.status() is not None)
    A.daemon.send_signal(signal.SIGHUP)
    check(A.daemon.wait(timeout=LIMIT) == 0, "it ends")


TESTS = (accepted, strangers, servers, revoked, revoked_meanwhile, damaged, lists, nothing, plain_lists, new_lists, limits,
         large_source, mapped, rate, left, connections, slow, user, settings,
         example, hang_up)
for test in TESTS:
    if not sys.argv[4:] or test.__name__ in sys.argv[4:]:
        print(f"== {test.__name__}", flush=True)
        test()
for directory in "keys", "other", "used", "made", "old-robot", "thief", "used-laptop", "root-keys", "late":
    shutil.rmtree(f"{BASE}/{directory}", ignore_errors=True)
sys.exit(0)
