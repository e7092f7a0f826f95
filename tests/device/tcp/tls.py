#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ach serve --tls: who gets in, who does not, and new keys while it runs.

tls.py ACH [TEST ...]
"""
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

import player as p

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import authority  # noqa: E402
from authority import first_bytes as greeting  # noqa: E402

CONFIG = """
driver ( name "dummy" provides ["laser:0"] rate 50 data "laser" subtype 1 )
tcp ( clients_max 20 )
"""


def ach(*words, keys=None, status=0, limit=p.LIMIT):
    """Run ach; return its output and its errors."""
    env = {k: v for k, v in os.environ.items() if k != "ACH_KEYS"}
    if keys:
        env["ACH_KEYS"] = keys
    r = subprocess.run([ACH, *words], env=env, capture_output=True, text=True, timeout=limit, check=False)
    assert r.returncode == status, f"{words}: {r.returncode}: {r.stdout}{r.stderr}"
    return r.stdout, r.stderr


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


class Serve:
    """ach serve with the keys of the host robot, in a directory of its own."""

    def __init__(self):
        self.dir = tempfile.mkdtemp()
        self.port = free_port()
        with open(f"{self.dir}/robot.cfg", "w") as f:
            f.write(CONFIG)
        self.authority = authority.Authority(ACH, f"{self.dir}/keys", "robot", "laptop", "thief")
        self.keys, self.host = self.authority.keys, self.authority.host
        self.used = self.authority.copy("robot", f"{self.dir}/used")
        self.errors = open(f"{self.dir}/log", "w+b")
        self.process = subprocess.Popen(
            [ACH, "serve", "--verbose", "--no-channels", "--port", str(self.port), "--tls", self.used,
             f"{self.dir}/robot.cfg"], stdout=subprocess.PIPE, stderr=self.errors)
        while b"serving" not in self.process.stdout.readline():
            assert self.process.poll() is None, self.log()

    def at(self, name="robot"):
        return f"{name}@127.0.0.1:{self.port}"

    log = p.Server.log
    logged = p.Server.logged

    def reload(self, text):
        """SIGHUP, and wait for what the server says."""
        before = self.log().count(text)
        self.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + p.LIMIT
        while self.log().count(text) == before:
            assert time.monotonic() < end, self.log()
            time.sleep(0.02)

    def connect(self, keys=None):
        return authority.dial(self.port, keys, limit=p.LIMIT)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            assert self.process.wait(timeout=p.LIMIT) == 0, self.log()
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.errors.close()
            shutil.rmtree(self.dir)


served = p.served(lambda _: Serve())


def refused(server, **how):
    return authority.refused(server.port, limit=p.LIMIT, **how)


@served
def accepted(server):
    laptop = server.host("laptop")
    assert "laser:0" in ach("dev", "ls", server.at(), keys=laptop)[0]
    assert server.logged("as laptop")
    out, _ = ach("dev", "print", "--count", "3", f"{server.at()}:laser:0", keys=laptop)
    assert out.count("SCAN") == 3, out
    with server.connect(laptop) as c:
        assert c.version() == "TLSv1.3" and greeting(c).startswith(b"Player")
    # Without a host the server is this machine, which has one name.
    assert "laser:0" in ach("dev", "ls", str(server.port), keys=server.used)[0]


@served
def wrong_names(server):
    laptop = server.host("laptop")
    _, err = ach("dev", "ls", server.at("robot2"), keys=laptop, status=1)
    assert "expected the certificate of robot2, found that of robot" in err, err
    _, err = ach("dev", "ls", f"localhost:{server.port}", keys=laptop, status=1)
    assert "expected the certificate of laptop, found that of robot" in err, err
    _, err = ach("dev", "ls", f"@127.0.0.1:{server.port}", keys=laptop, status=1)
    assert "expected NAME or NAME@ADDRESS" in err, err
    _, err = ach("dev", "ls", "--transport", "tls", server.at(), status=1)
    assert "set ACH_KEYS" in err, err
    _, err = ach("dev", "ls", server.at(), keys=f"{server.dir}/nothing", status=1)
    assert "nothing: No such file" in err, err


@served
def no_valid_certificate(server):
    other = f"{server.dir}/other"
    ach("keys", "init", "--dir", other)
    ach("keys", "host", "laptop", "--dir", other)
    assert refused(server)
    assert server.logged("the peer has shown no certificate")
    assert refused(server, keys=f"{other}/hosts/laptop")
    assert refused(server, keys=server.host("laptop"), version=ssl.TLSVersion.TLSv1_2)
    assert not refused(server, keys=server.host("laptop"))
    _, err = ach("dev", "ls", server.at(), keys=f"{other}/hosts/laptop", status=1)
    assert "the certificate of robot is not signed by an authority of ca.pem" in err, err


@served
def expired(server):
    """A certificate that ends at once, made with openssl(1)."""
    made = server.authority.sign("laptop", f"{server.dir}/made", 1)
    assert not refused(server, keys=made)
    server.authority.sign("laptop", made, 0)
    time.sleep(1.1)
    assert refused(server, keys=made)
    assert server.logged("the certificate of laptop has expired")


@served
def plain(server):
    """Without TLS nobody gets a byte; and a client with TLS talks to no other server."""
    _, err = ach("dev", "ls", "--timeout", "1", f"127.0.0.1:{server.port}", status=1)
    assert "if it requires TLS, set ACH_KEYS" in err, err
    with socket.create_connection(("127.0.0.1", server.port), timeout=p.LIMIT) as c:
        c.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert not greeting(c).startswith(b"Player")
    assert server.logged("the peer does not use TLS")

    class Plain(p.Listener):
        serve = staticmethod(lambda client: client.recv(1000))
    listener = Plain()
    _, err = ach("dev", "ls", f"robot@127.0.0.1:{listener.port}", keys=server.host("laptop"), status=1)
    assert "the peer does not use TLS" in err, err
    listener.end()


@served
def openssl_client(server):
    base = ["openssl", "s_client", "-connect", f"127.0.0.1:{server.port}", "-CAfile",
            f"{server.used}/ca.pem", "-verify_return_error", "-verify_hostname", "robot", "-quiet"]
    laptop = server.host("laptop")
    for keys, welcome in ((["-cert", f"{laptop}/host.pem", "-key", f"{laptop}/host.key"], True), ([], False)):
        c = subprocess.Popen(base + keys, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)
        try:
            assert (c.stdout.read(6) == b"Player") == welcome
        finally:
            c.kill()
            c.communicate()


@served
def openssl_server(server):
    """Our client trusts and authenticates to another implementation's server; which is no robot."""
    port, robot = free_port(), server.host("robot")
    s = subprocess.Popen(["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert",
                          f"{robot}/host.pem", "-key", f"{robot}/host.key", "-CAfile",
                          f"{robot}/ca.pem", "-Verify", "1", "-verify_return_error", "-quiet",
                          "-naccept", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    try:
        s.stdin.write(b"This is no server of devices at all.\n")
        s.stdin.flush()
        end = time.monotonic() + p.LIMIT
        while True:
            r = subprocess.run([ACH, "dev", "ls", f"robot@127.0.0.1:{port}"], capture_output=True,
                               text=True, timeout=p.LIMIT, check=False,
                               env={**os.environ, "ACH_KEYS": server.host("laptop")})
            if "refused" not in r.stderr or time.monotonic() > end:
                break
            time.sleep(0.05)
        assert "it is not a device server" in r.stderr, r.stderr
    finally:
        s.kill()
        s.communicate()


@served
def revoked(server):
    """After SIGHUP a revoked client is disconnected, and does not get in; others stay."""
    thief, laptop = server.connect(server.host("thief")), server.connect(server.host("laptop"))
    old = f"{server.dir}/old"
    shutil.copytree(server.host("thief"), old)  # with the list that does not have it
    assert greeting(thief) and greeting(laptop)
    server.keys("revoke", "thief")
    shutil.copy(f"{server.host('robot')}/crl.pem", server.used)
    assert not refused(server, keys=old)  # the server has not read it
    server.reload("the keys are read again")
    # At once, not only when all certificates are checked again, once a minute.
    assert "the certificate of thief is revoked" in server.log()
    assert greeting(thief) == b""
    assert refused(server, keys=old)
    _, err = ach("dev", "ls", server.at(), keys=old, status=1)
    assert "the peer refuses our certificate: it is revoked" in err, err
    client = p.Client(server.port, connect=lambda *_, **__: server.connect(server.host("laptop")))
    assert client.request(p.PLAYER, 0, p.DEVLIST).type == p.ACK
    client.close()
    laptop.settimeout(0.2)
    try:
        assert laptop.recv(1) != b"", "laptop was disconnected, too"
    except TimeoutError:
        pass
    thief.close()
    laptop.close()


@served
def damaged_keys(server):
    """A reload that fails changes nothing."""
    os.chmod(f"{server.used}/host.key", 0o640)
    server.reload("the old ones stay: ")
    assert "has mode 0640" in server.log()
    assert not refused(server, keys=server.host("laptop"))
    os.chmod(f"{server.used}/host.key", 0o600)
    os.unlink(f"{server.used}/crl.pem")
    server.reload("crl.pem has disappeared")
    assert not refused(server, keys=server.host("laptop"))
    shutil.copy(f"{server.host('robot')}/crl.pem", server.used)
    server.reload("the keys are read again")
    _, err = ach("serve", "--no-channels", "--tls", f"{server.dir}/nothing", f"{server.dir}/robot.cfg", status=1)
    assert "nothing: No such file" in err, err


@served
def reload_under_load(server):
    """New certificates while a client reads and others come and go."""
    client = p.Client(server.port, connect=lambda *_, **__: server.connect(server.host("laptop")), mode=p.PUSH)
    client.open(6, 0)
    stop, failures = threading.Event(), []

    def come_and_go():
        while not stop.is_set():
            if refused(server, keys=server.host("laptop")):
                failures.append("refused")
    thread = threading.Thread(target=come_and_go)
    thread.start()
    try:
        for _ in range(10):
            server.keys("renew", "robot")
            for file in "host.key", "host.pem":
                shutil.copy(f"{server.host('robot')}/{file}", server.used)
            server.reload("the keys are read again")
            assert client.next().type == p.DATA
    finally:
        stop.set()
        thread.join()
    assert not failures
    client.close()


@served
def many_hangups(server):
    """SIGHUPs one after the other end no server."""
    for _ in range(300):
        server.process.send_signal(signal.SIGHUP)
    assert not refused(server, keys=server.host("laptop"))
    server.reload("the keys are read again")


@served
def half_open(server):
    """Handshakes that do not go on are limited in number and time, and keep nobody out."""
    waiting = []
    for _ in range(50):  # clients_max is 20
        s = socket.create_connection(("127.0.0.1", server.port), timeout=p.LIMIT)
        s.sendall(b"\x16\x03\x01\x02\x00\x01")  # the beginning of a handshake
        waiting.append(s)
    assert "laser:0" in ach("dev", "ls", server.at(), keys=server.host("laptop"))[0]
    assert authority.drip(server.port, p.LIMIT), "a slow client stays for ever"
    for s in waiting:
        assert greeting(s) == b"", "the server talks to a stranger"
        s.close()
    assert server.logged("it did not finish the TLS handshake in time")
    assert "laser:0" in ach("dev", "ls", server.at(), keys=server.host("laptop"))[0]


if __name__ == "__main__":
    ACH = sys.argv[1]
    sys.exit(p.run([accepted, wrong_names, no_valid_certificate, expired, plain, openssl_client,
                    openssl_server, revoked, damaged_keys, reload_under_load, many_hangups, half_open]))
