# SPDX-License-Identifier: BSD-3-Clause
"""Certificates for tests: made by ach keys, and those that it does not make by openssl(1)."""
import os
import shutil
import socket
import ssl
import subprocess
import time


class Authority:
    """An authority in a directory, and directories of keys for these hosts."""

    def __init__(self, ach, directory, *hosts, limit=60):
        self.ach, self.dir, self.limit = ach, directory, limit
        self.keys("init")
        for name in hosts:
            self.keys("host", name)

    def keys(self, *words):
        subprocess.run([self.ach, "keys", *words, "--dir", self.dir], check=True, timeout=self.limit,
                       stdout=subprocess.DEVNULL)

    def host(self, name):
        return f"{self.dir}/hosts/{name}"

    def copy(self, name, to):
        """The keys of a host, as they are now, in a directory of their own."""
        return shutil.copytree(self.host(name), to)

    def update(self, name, to, *files):
        for file in files:
            shutil.copy(f"{self.host(name)}/{file}", to)

    def sign(self, name, to, days):
        """A certificate for a name that ends after so many days; 0: at once."""
        def openssl(*words):
            subprocess.run(["openssl", *words], check=True, capture_output=True, timeout=self.limit)
        if not os.path.isdir(to):
            os.mkdir(to, 0o700)
            openssl("req", "-new", "-newkey", "ed25519", "-nodes", "-subj", f"/CN={name}", "-keyout",
                    f"{to}/host.key", "-out", f"{to}/csr")
            shutil.copy(f"{self.dir}/ca/ca.pem", to)
        with open(f"{to}/ext", "w") as f:
            f.write(f"subjectAltName=DNS:{name}\nextendedKeyUsage=clientAuth,serverAuth\n"
                    "basicConstraints=critical,CA:FALSE\nsubjectKeyIdentifier=hash\n"
                    "authorityKeyIdentifier=keyid:always\n")
        openssl("x509", "-req", "-in", f"{to}/csr", "-CA", f"{self.dir}/ca/ca.pem", "-CAkey",
                f"{self.dir}/ca/ca.key", "-extfile", f"{to}/ext", "-out", f"{to}/host.pem", "-days",
                str(days))
        return to


def client_context(keys=None, version=None):
    """TLS of Python, for a client that does not check the server."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if version:
        context.maximum_version = version
    if keys:
        context.load_cert_chain(f"{keys}/host.pem", f"{keys}/host.key")
    return context


def dial(port, keys=None, version=None, limit=60):
    """A connection with TLS to a server of this machine."""
    plain = socket.create_connection(("127.0.0.1", port), timeout=limit)
    try:
        return client_context(keys, version).wrap_socket(plain)
    except BaseException:
        plain.close()
        raise


def first_bytes(connection):
    """What the server sends; b"": it closes the connection."""
    try:
        return connection.recv(32)
    except (ssl.SSLError, ConnectionError):
        return b""


def refused(port, **how):
    """Whether a server closes the connection without sending a byte of its protocol."""
    try:
        with dial(port, **how) as c:
            c.sendall(b"x" * 100)
            return first_bytes(c) == b""
    except (ssl.SSLError, ConnectionError):
        return True


def drip(port, limit=60):
    """A handshake of a byte at a time; False: the server has not closed it in time."""
    hello = iter(b"\x16\x03\x01\x02\x00" + bytes(512))
    end = time.monotonic() + limit
    with socket.create_connection(("127.0.0.1", port), timeout=0.5) as slow:
        while time.monotonic() < end:
            try:
                slow.sendall(bytes([next(hello)]))
                if slow.recv(1) == b"":
                    return True
            except TimeoutError:
                pass
            except ConnectionError:
                return True
    return False
