# SPDX-License-Identifier: BSD-3-Clause
"""A client of the Player protocol, written from its description only, and the server under test."""
import collections
import contextlib
import os
import select
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback

DATA, CMD, REQ, ACK, SYNCH, NACK = 1, 2, 3, 4, 5, 6
PLAYER = 1
DEVLIST, DRIVERINFO, DEV, DATA_REQ, DATAMODE, AUTH, NAMESERVICE, ADD_RULE = 1, 2, 3, 4, 5, 7, 8, 10
OPEN, CLOSE, ERROR = 1, 2, 3
PUSH, PULL = 1, 2
SYNCH_OK, SYNCH_OVERFLOW = 1, 2
OPAQUE, POSITION2D = 51, 4
HEADER = struct.Struct(">6IdII")
KEYS = os.environ.get("ACH_TEST_KEYS")  # a directory of keys: servers and clients use TLS
LIMIT = 60.0 * int(os.environ.get("ACH_TEST_TIME", 1))  # seconds, for any operation

Message = collections.namedtuple("Message", "host robot interf index type subtype time sequence body")


def header(mtype, interf, index, subtype, size, when=0.0, sequence=0, host=0, robot=0):
    return HEADER.pack(host, robot, interf, index, mtype, subtype, when, sequence, size)


class Gone(Exception):
    """The server closed the connection."""


class Late(Exception):
    """No message came within the time limit."""


def dial(address, timeout):
    """A connection to the server under test."""
    plain = socket.create_connection(address, timeout=timeout)
    if not KEYS:
        return plain
    context = ssl.create_default_context(cafile=f"{KEYS}/ca.pem")
    context.load_cert_chain(f"{KEYS}/host.pem", f"{KEYS}/host.key")
    return context.wrap_socket(plain, server_hostname="robot")


class Client:
    """One connection. Messages received while waiting for an answer are queued in .others."""

    def __init__(self, port, address="127.0.0.1", mode=None, connect=dial):
        self.socket = connect((address, port), timeout=LIMIT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.banner = self.socket.recv(32)
        self.buffer = b""
        self.others = collections.deque()
        if mode is not None:
            self.request(PLAYER, 0, DATAMODE, struct.pack(">I", mode))

    def close(self):
        self.socket.close()

    def raw(self, data):
        self.socket.sendall(data)

    def send(self, mtype, interf, index, subtype, body=b"", when=None, sequence=0, host=0, robot=0):
        when = time.time() if when is None else when
        self.raw(header(mtype, interf, index, subtype, len(body), when, sequence, host, robot) + body)

    def _read(self, n, limit):
        end = time.monotonic() + limit
        while len(self.buffer) < n:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                raise Late()
            try:
                more = self.socket.recv(1 << 16)
            except (ConnectionError, ssl.SSLError) as e:
                raise Gone() from e
            if not more:
                raise Gone()
            self.buffer += more

    def receive(self, limit=LIMIT):
        self._read(40, limit)
        words = HEADER.unpack_from(self.buffer)
        self._read(40 + words[8], limit)
        body = self.buffer[40:40 + words[8]]
        self.buffer = self.buffer[40 + words[8]:]
        return Message(*words[:8], body)

    def next(self, limit=LIMIT):
        return self.others.popleft() if self.others else self.receive(limit)

    def silent(self, seconds):
        """True if no message comes for this long."""
        try:
            self.others.append(self.receive(seconds))
        except Late:
            return True
        return False

    def answer(self, interf, index, subtype, limit=LIMIT):
        """Wait for the answer: the first with this interface, index and subtype, as Player does."""
        end = time.monotonic() + limit
        while True:
            m = self.receive(max(0.001, end - time.monotonic()))
            if m.type in (ACK, NACK) and (m.interf, m.index, m.subtype) == (interf, index, subtype):
                return m
            if m.type not in (DATA, SYNCH, ACK, NACK):
                raise AssertionError(f"a message of type {m.type}")
            self.others.append(m)

    def request(self, interf, index, subtype, body=b"", **more):
        self.send(REQ, interf, index, subtype, body, **more)
        return self.answer(interf, index, subtype)

    def device(self, interf, index, access):
        return self.request(PLAYER, 0, DEV, struct.pack(">7I", 0, 0, interf, index, access, 0, 0))

    def open(self, interf, index):
        m = self.device(interf, index, OPEN)
        assert m.type == ACK, m
        return m

    def rule(self, interf, index, mtype, subtype, replace):
        return self.request(PLAYER, 0, ADD_RULE,
                            struct.pack(">5i", interf, index, mtype, subtype, replace))

    def pull(self):
        """Request data in pull mode; return all messages up to the SYNCH."""
        self.send(REQ, PLAYER, 0, DATA_REQ)
        got = []
        while True:
            m = self.next()
            got.append(m)
            if m.type == SYNCH and m.subtype == SYNCH_OK:
                return got

    def gone(self, limit=LIMIT):
        """True if the server closes the connection, after any messages."""
        try:
            while True:
                self.receive(limit)
        except Gone:
            return True
        except Late:
            return False


class Server:
    """The program under test. Its log is .log()."""

    def __init__(self, program, config, tcp="port 0", number=0, address="127.0.0.1"):
        self.program, self.number, self.address = program, number, address
        tls = f'tls "{KEYS}"' if KEYS else ""
        self.text = f"{config}\ntcp ( {tcp} {tls} )\n"
        self.errors = tempfile.TemporaryFile()
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.program, self.text, str(self.number)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors)
        line = self.process.stdout.readline().decode()
        if not line.startswith("port "):
            self.process.communicate(timeout=LIMIT)
            raise AssertionError(f"no server: {self.log()}")
        self.port = int(line.split()[1])

    def client(self, mode=None):
        return Client(self.port, self.address, mode)

    def puppet(self, index=0):
        """A client that tells the driver what to do."""
        c = self.client(PULL)
        c.open(OPAQUE, index)
        c.tell = lambda text: c.send(CMD, OPAQUE, index, 1, opaque(text.encode()))
        c.say = lambda interf, i, subtype, body, n=1: c.tell(
            f"say {interf} {i} {subtype} {n} {body.hex()}")
        return c

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=LIMIT)
        self.process.stdout.close()
        assert status == 0, f"the server ended with {status}: {self.log()}"

    def log(self):
        # Without a seek: the server shares the file's offset, and would write at it.
        fd = self.errors.fileno()
        return os.pread(fd, os.fstat(fd).st_size, 0).decode(errors="replace")

    def logged(self, text, limit=LIMIT):
        end = time.monotonic() + limit
        while text not in self.log():
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True


def served(start, *fixtures):
    """A decorator: start(program) makes the test's server, each fixture(server) an argument more.

    Shows the end of the server's log if the test fails.
    """
    def decorate(test):
        def run_served(program):
            server = start(program)
            try:
                test(server, *(make(server) for make in fixtures))
            except BaseException:
                print(server.log()[-3000:])
                raise
            finally:
                server.end()
        run_served.__name__ = test.__name__
        return run_served
    return decorate


def opaque(data):
    return struct.pack(">II", len(data), len(data)) + data + b"\0" * (-len(data) % 4)


class Listener:
    """A server in a thread: greets one client at a time, and calls serve with its socket."""

    def __init__(self):
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
            with client, contextlib.suppress(OSError):
                client.sendall(b"Player v.3.1.0".ljust(32, b"\0"))
                self.serve(client)

    def end(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(LIMIT)


def loopback(n):
    """An address of this machine that no other test uses."""
    pid = os.getpid()
    return f"127.{64 + n}.{pid >> 8 & 255}.{pid & 255}"


@contextlib.contextmanager
def stopped(server):
    """Stop all threads of the server (SIGSTOP) for the duration of the with block."""
    pid = server.process.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        os.waitid(os.P_PID, pid, os.WSTOPPED)
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def run(tests):
    """Run the tests named on the command line, or all. Returns the exit status."""
    program = sys.argv[1]
    failed = 0
    for test in tests:
        if len(sys.argv) > 2 and test.__name__ not in sys.argv[2:]:
            continue
        try:
            test(program)
            print(f"ok      {test.__name__}", flush=True)
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print(f"FAILED  {test.__name__}\n{traceback.format_exc()}", flush=True)
    return 1 if failed else 0
