#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""users.py SERVER_PROGRAM [TEST ...]

Access rights of local users over TCP. A uid has the rights that the permissions of the robot's
channels give it: data, commands and requests. Each client is a separate process that changes to
its user before it connects.
"""
import encodings.idna  # noqa: F401: the other users may not be able to read it
import functools
import glob
import os
import pickle
import resource
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tcp"))
import player  # noqa: E402
from player import (ACK, CMD, DATA, DATAMODE, DEVLIST, DRIVERINFO, NACK, OPAQUE, OPEN, PLAYER, PULL,
                    PUSH, REQ, Client)  # noqa: E402

OWNER, MEMBER, NAMED, STRANGER, UNLISTED, ROOT = 52001, 52002, 52003, 52004, 52009, 0
GROUPS = {OWNER: [53000], MEMBER: [53000, 53001], NAMED: [53001], STRANGER: [], UNLISTED: [], ROOT: []}
PASSWD = "root:x:0:0::/:/bin/sh\n" + "".join(
    f"{n}:x:{u}:{u}::/:/bin/sh\n"
    for n, u in (("owner", OWNER), ("member", MEMBER), ("named", NAMED), ("stranger", STRANGER)))
GROUP = ("root:x:0:\nowner:x:52001:\nmember:x:52002:\nnamed:x:52003:\nstranger:x:52004:\n"
         "robot:x:53000:member,owner\nother:x:53001:member,named\n")
LOG, CAPABILITY = 45, 255
SET_FILENAME, SET_WRITE_STATE = 5, 1
CONFIG = """
driver (name "relay" provides ["opaque:0"])
driver (name "dummy" provides ["position2d:0"] rate 50)
driver (name "writelog" provides ["log:0"] requires ["position2d:0"] log_directory "%s"
        autorecord no)
"""
ALL, LOOK, NOTHING = "everything", "data", "nothing"


class Server(player.Server):
    def __init__(self, program, config="", tcp="port 0", options=(), address="127.0.0.1", uid=OWNER):
        self.options, self.uid = list(options), uid
        self.logs = tempfile.mkdtemp(prefix="achusers.")
        os.chmod(self.logs, 0o777)
        super().__init__(program, CONFIG % self.logs + config, tcp, address=address)

    def start(self):
        self.process = subprocess.Popen([self.program, str(self.uid), self.text] + self.options,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors)
        line = self.process.stdout.readline().decode()
        assert line.startswith("port "), f"no server: {self.log()}"
        self.port = int(line.split()[1])

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.kill()
            for left in glob.glob(os.path.join(os.environ["ACH_DIR"], "*dev.*")):
                os.unlink(left)
        else:
            self.end()
        shutil.rmtree(self.logs)


def become(uid):
    os.setgroups(GROUPS[uid])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def as_user(uid, function, *arguments):
    """Run the function in a child process of that user, and return its result."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reader)
            become(uid)
            result = (True, function(*arguments))
        except BaseException:  # pylint: disable=broad-except
            result = (False, traceback.format_exc())
        with os.fdopen(writer, "wb") as f:
            pickle.dump(result, f)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as f:
        good, result = pickle.load(f)
    os.waitpid(pid, 0)
    assert good, f"user {uid}: {result}"
    return result


def command(client, text):
    client.send(CMD, OPAQUE, 0, 1, player.opaque(text))


def heard(client):
    """The contents of the next message that the relay publishes."""
    while True:
        m = client.next()
        if m.type == DATA and m.interf == OPAQUE:
            return m.body[8:].rstrip(b"\0")


def log_request(client, subtype, body):
    return client.request(LOG, 0, subtype, body).type == ACK


def attempt(server, name):
    """Try every operation; return the set of those that were granted."""
    c = Client(server.port, server.address, PUSH)
    got = set()
    if c.request(PLAYER, 0, DATAMODE, struct.pack(">I", PULL)).type == ACK and \
            c.request(PLAYER, 0, DATAMODE, struct.pack(">I", PUSH)).type == ACK:
        got.add("datamode")
    if c.rule(-1, -1, -1, -1, 0).type == ACK:
        got.add("rule")
    if c.request(PLAYER, 0, DEVLIST).type == ACK:
        got.add("list")
    if c.request(PLAYER, 0, DRIVERINFO, struct.pack(">6I", 0, 0, OPAQUE, 0, 0, 0)).type == ACK:
        got.add("driver")
    m = c.device(OPAQUE, 0, OPEN)
    if m.type == ACK:
        got.add("subscribe")
    else:
        assert struct.unpack_from(">I", m.body, 16)[0] == player.ERROR, m
    command(c, name.encode())
    m = c.request(OPAQUE, 0, CAPABILITY, struct.pack(">II", CMD, 1))
    if m.type == ACK:
        got.add("request")
    if c.device(LOG, 0, OPEN).type == ACK:
        got.add("subscribe-log")
    text = name.encode() + b".log\0"
    if log_request(c, SET_FILENAME, player.opaque(text)):
        got.add("name-log")
    if log_request(c, SET_WRITE_STATE, struct.pack(">I", 1)):
        got.add("write-log")
    c.device(LOG, 0, player.CLOSE)
    c.close()
    return got


FREE = {"datamode", "rule"}
EXPECTED = {
    NOTHING: FREE,
    LOOK: FREE | {"list", "driver", "subscribe", "subscribe-log"},
    ALL: FREE | {"list", "driver", "subscribe", "subscribe-log", "request", "name-log", "write-log"},
}


def expect(server, rights):
    """Check the rights of each user. A listener receives the commands that were accepted."""
    with_listener = as_root = Client(server.port, server.address, PUSH)
    as_root.open(OPAQUE, 0)
    for uid, right in rights.items():
        name = f"user{uid}"
        got = as_user(uid, attempt, server, name)
        assert got == EXPECTED[right], (uid, right, sorted(got ^ EXPECTED[right]), server.log())
        command(with_listener, b"mark")
        commands = [heard(with_listener)]
        while commands[-1] != b"mark":
            commands.append(heard(with_listener))
        assert (name.encode() in commands) == (right == ALL), (uid, right, commands)
        there = os.path.exists(os.path.join(server.logs, name + ".log"))
        assert there == (right == ALL), (uid, right, "log")
    with_listener.close()


def channel(name):
    found = glob.glob(os.path.join(os.environ["ACH_DIR"], f"*dev.6665.{name}"))
    assert len(found) == 1, found
    return found[0]


def test_usual_permissions(program):
    """By default channels have mode 0644: other users may read data."""
    with Server(program) as s:
        expect(s, {OWNER: ALL, ROOT: ALL, MEMBER: LOOK, STRANGER: LOOK, UNLISTED: LOOK})
        assert s.logged("may only read the data of opaque:0"), s.log()
        assert f"of uid {STRANGER}" in s.log(), s.log()


def test_group(program):
    with Server(program, 'access ( mode "0664" group "robot" )') as s:
        assert os.stat(channel("req")).st_gid == 53000
        expect(s, {OWNER: ALL, ROOT: ALL, MEMBER: ALL, NAMED: LOOK, STRANGER: LOOK, UNLISTED: LOOK})
    with Server(program, 'access ( mode "0660" group "robot" )') as s:
        expect(s, {OWNER: ALL, ROOT: ALL, MEMBER: ALL, NAMED: NOTHING, STRANGER: NOTHING,
                   UNLISTED: NOTHING})
        assert s.logged("may not list the devices"), s.log()


def test_wrong_config(program):
    """Config errors: a group without the server's user, an unknown group, invalid modes."""
    for config, why in (('access ( group "other" )', "must be in that group"),
                        ('access ( group "nogroup-at-all" )', "group of this machine"),
                        ('access ( mode "0477" )', "with 6 for its owner"),
                        ('access ( mode "99" )', "with 6 for its owner"),
                        ('tcp ( local_users "some" )', "\"channels\" or \"any\"")):
        end = subprocess.run([program, str(OWNER), CONFIG % "/tmp" + config], capture_output=True,
                             text=True, timeout=player.LIMIT, check=False)
        assert end.returncode == 2, end
        assert why in end.stderr or why in config_error(end), end
    assert not glob.glob(os.path.join(os.environ["ACH_DIR"], "*dev.*"))


def config_error(end):
    """The test server reports an error in the section tcp only by the name of the section."""
    return '"channels" or "any"' if "the section tcp is wrong" in end.stderr else ""


def test_mode_for_all(program):
    with Server(program, 'access ( mode "0666" )') as s:
        expect(s, {STRANGER: ALL, UNLISTED: ALL})


def test_mode_changed(program):
    """The current modes of the files decide, not those of the config file."""
    with Server(program, 'access ( mode "0600" )') as s:
        expect(s, {STRANGER: NOTHING})
        for name in ("opaque.0.data", "log.0.data", "ans"):
            os.chmod(channel(name), 0o644)
        expect(s, {STRANGER: LOOK})
        os.chmod(channel("opaque.0.cmd"), 0o666)
        got = as_user(STRANGER, attempt, s, "half")
        assert got == EXPECTED[LOOK], got
        os.chmod(channel("req"), 0o666)
        expect(s, {STRANGER: ALL})


def connected_as(uid, *arguments, **more):
    """socket.create_connection as another user. The socket keeps the uid that created it."""
    os.seteuid(uid)
    try:
        return socket.create_connection(*arguments, **more)
    finally:
        os.seteuid(ROOT)


def client_of(server, uid):
    return Client(server.port, server.address, PUSH, functools.partial(connected_as, uid))


def set_modes(mode, *names):
    for name in names:
        os.chmod(channel(name), mode)


def test_open_again(program):
    """A client keeps its rights while a device is open. The next open checks them again."""
    names = ("req", "ans", "opaque.0.data", "opaque.0.cmd")

    def request(client):
        return client.request(OPAQUE, 0, CAPABILITY, struct.pack(">II", CMD, 1)).type

    with Server(program, 'access ( mode "0666" )') as s:
        c = client_of(s, STRANGER)
        c.open(OPAQUE, 0)
        set_modes(0o600, *names)
        assert request(c) == ACK
        assert c.device(OPAQUE, 0, player.CLOSE).type == ACK
        assert c.device(OPAQUE, 0, OPEN).type == NACK
        assert request(c) == NACK
        set_modes(0o644, "ans", "opaque.0.data")
        c.open(OPAQUE, 0)
        assert request(c) == NACK
        assert c.device(OPAQUE, 0, player.CLOSE).type == ACK
        set_modes(0o666, *names)
        c.open(OPAQUE, 0)
        assert request(c) == ACK
        c.close()


def test_refusals_tell_nothing(program):
    """Refusals do not reveal which devices exist to a user that may not list them."""
    with Server(program, 'access ( mode "0600" )') as s:
        c = client_of(s, STRANGER)
        for access in (OPEN, player.CLOSE):
            for interf, index in ((OPAQUE, 0), (LOG, 0), (OPAQUE, 7), (player.POSITION2D, 3)):
                m = c.device(interf, index, access)
                assert m.type == NACK, m
                assert struct.unpack(">7I", m.body)[2:] == (interf, index, player.ERROR, 0, 0), m
        c.close()
        set_modes(0o644, "ans")
        c = client_of(s, STRANGER)
        m = c.request(PLAYER, 0, DRIVERINFO, struct.pack(">6I", 0, 0, OPAQUE, 0, 0, 0))
        assert m.type == ACK and b"relay" in m.body, m
        c.close()


def test_name_of_another_file(program):
    """Rights come from the channel that the server has open, not from a file with the same name."""
    directory = os.environ["ACH_DIR"]
    open_to_all = os.path.join(directory, "open-to-all")
    with Server(program, 'access ( mode "0600" )') as s:
        mode = os.stat(directory).st_mode & 0o7777
        try:
            os.chmod(directory, 0o777)  # every user may rename files, as in a group's directory
            with open(open_to_all, "wb"):
                os.chown(open_to_all, OWNER, OWNER)
                os.chmod(open_to_all, 0o666)
            names = [channel(n) for n in ("req", "ans", "opaque.0.data", "opaque.0.cmd", "log.0.data")]
            for name in names:
                as_user(STRANGER, os.rename, name, name + ".away")
                as_user(OWNER, os.link, open_to_all, name)
            expect(s, {ROOT: ALL, OWNER: ALL, STRANGER: NOTHING, UNLISTED: NOTHING})
            for name in names:
                os.rename(name + ".away", name)
                os.chmod(name, 0o666)
            expect(s, {STRANGER: ALL})
        finally:
            os.chmod(directory, mode)
            for left in [open_to_all] + glob.glob(os.path.join(directory, "*.away")):
                if os.path.exists(left):
                    os.unlink(left)


def test_access_control_list(program):
    with Server(program, 'access ( mode "0600" )') as s:
        everybody = 0xffffffff
        entries = [(1, 6, everybody), (2, 6, NAMED), (4, 0, everybody), (16, 6, everybody),
                   (32, 0, everybody)]
        acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in entries)
        try:
            for path in glob.glob(os.path.join(os.environ["ACH_DIR"], "*dev.6665.*")):
                os.setxattr(path, "system.posix_acl_access", acl)
        except OSError as e:
            print(f"        no access control lists here: {e}")
            return
        expect(s, {OWNER: ALL, NAMED: ALL, MEMBER: NOTHING, STRANGER: NOTHING})


def test_directory(program):
    """A user without search permission for the directory of the channels has no rights."""
    directory = os.environ["ACH_DIR"]
    with Server(program, 'access ( mode "0666" )') as s:
        mode = os.stat(directory).st_mode & 0o7777
        try:
            os.chmod(directory, 0o700)
            expect(s, {ROOT: ALL, STRANGER: NOTHING, UNLISTED: NOTHING})
        finally:
            os.chmod(directory, mode)


def test_no_channels(program):
    """Without channels the configured mode and group decide."""
    with Server(program, options=["no-channels"]) as s:
        expect(s, {OWNER: ALL, ROOT: ALL, STRANGER: LOOK, UNLISTED: LOOK})
    with Server(program, 'access ( mode "0660" group "robot" )', options=["no-channels"]) as s:
        expect(s, {OWNER: ALL, MEMBER: ALL, STRANGER: NOTHING})


def test_any(program):
    with Server(program, 'access ( mode "0600" )', 'port 0 local_users "any"') as s:
        expect(s, {STRANGER: ALL, UNLISTED: ALL})


def test_proc(program):
    """Without netlink the server finds the uid of a client in /proc."""
    with Server(program, options=["no-netlink"]) as s:
        expect(s, {OWNER: ALL, ROOT: ALL, STRANGER: LOOK})


def has_ipv6():
    with socket.socket(socket.AF_INET6) as s:
        try:
            s.bind(("::1", 0))
        except OSError:
            print("        not tested: this machine has no IPv6")
            return False
    return True


def test_addresses(program):
    """Loopback addresses of IPv4 and IPv6, and IPv4 clients of an IPv6 socket."""
    ipv6 = has_ipv6()
    for bind, addresses in (("127.0.0.1", ["127.0.0.1"]), ("0.0.0.0", ["127.0.0.1", "127.9.9.9"]),
                            ("::1", ["::1"]), ("::", ["::1", "127.0.0.1", "::ffff:127.0.0.1"])):
        for options in ((), ("no-netlink",)) if ipv6 or ":" not in bind else ():
            for address in addresses:
                with Server(program, tcp=f'port 0 bind "{bind}"', address=address,
                            options=options) as s:
                    expect(s, {OWNER: ALL, STRANGER: LOOK})


def test_secret(program):
    """With a secret, a local user has all rights if it sends the secret, else none."""
    def with_secret(port, secret):
        c = Client(port)
        if secret:
            body = struct.pack(">II", len(secret), len(secret)) + secret
            c.request(PLAYER, 0, player.AUTH, body)
        return c.device(OPAQUE, 0, OPEN).type == ACK and \
            c.request(OPAQUE, 0, CAPABILITY, struct.pack(">II", CMD, 1)).type == ACK

    with Server(program, 'access ( mode "0600" )', 'port 0 secret "four"') as s:
        for uid in (STRANGER, OWNER, ROOT):
            assert as_user(uid, with_secret, s.port, b"four")
            assert not as_user(uid, with_secret, s.port, b"")


def test_driver_not_set_up(program):
    """A read-only client gets data while the driver runs, but does not start the driver."""
    def look(server, ready, go):
        c = Client(server.port, mode=PUSH)
        c.open(player.POSITION2D, 0)
        quiet = c.silent(0.3)
        os.write(ready, b"x")
        os.read(go, 1)
        got = c.next().type == DATA
        assert c.device(player.POSITION2D, 0, player.CLOSE).type == ACK
        assert c.device(player.POSITION2D, 0, player.CLOSE).type == NACK
        return quiet, got

    def lead(server, ready, go):
        os.read(ready, 1)
        c = Client(server.port, mode=PUSH)
        c.open(player.POSITION2D, 0)
        assert c.next().type == DATA
        os.write(go, b"x")
        while c.next().type == DATA:
            if os.path.exists(done):
                return

    ready, go = os.pipe(), os.pipe()
    with Server(program) as s:
        done = os.path.join(s.logs, "done")
        pid = os.fork()
        if pid == 0:
            lead(s, ready[0], go[1])
            os._exit(0)
        try:
            assert as_user(STRANGER, look, s, ready[1], go[0]) == (True, True)
        finally:
            open(done, "w", encoding="ascii").close()
            os.waitpid(pid, 0)
    for fd in ready + go:
        os.close(fd)


def test_passed_socket(program):
    """A connection keeps the rights of the user that created the socket."""
    def then_leave(port):
        c = Client(port, mode=PUSH)
        become_later(c)
        c.open(OPAQUE, 0)
        return c.request(OPAQUE, 0, CAPABILITY, struct.pack(">II", CMD, 1)).type == ACK

    def become_later(client):
        assert client.banner
        become(STRANGER)

    with Server(program, 'access ( mode "0600" )') as s:
        assert as_user(ROOT, then_leave, s.port)


def hit_and_run(port, reset, address="127.0.0.1", connect=socket.create_connection):
    """Subscribe, send a command and close, while the server is stopped."""
    c = connect((address, port))
    c.sendall(player.header(REQ, PLAYER, 0, player.DEV, 28) +
              struct.pack(">7I", 0, 0, OPAQUE, 0, OPEN, 0, 0))
    body = player.opaque(b"evil")
    c.sendall(player.header(CMD, OPAQUE, 0, 1, len(body)) + body)
    if reset:
        c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    c.close()


def expect_no_command(s, *arguments):
    """Commands of strangers are dropped if they closed their sockets before the server looks."""
    listener = s.client(PUSH)
    listener.open(OPAQUE, 0)
    with player.stopped(s):
        for _ in range(20):
            as_user(STRANGER, hit_and_run, s.port, *arguments)
    for _ in range(3):  # the server accepts connections in order: these are after the closed ones
        last = s.client(PUSH)
        last.open(OPAQUE, 0)
        last.request(PLAYER, 0, DEVLIST)
    command(listener, b"mark")
    assert heard(listener) == b"mark", s.log()


def test_closed_socket(program):
    """A closed socket has no owner. The server does not take that as uid 0."""
    for options in ((), ("no-netlink",)):
        for reset in (False, True):
            with Server(program, options=options) as s:
                expect_no_command(s, reset)


def leave_one_descriptor(pid):
    """Limit a process of the owner to one more descriptor. Returns the old limits."""
    used = {int(n) for n in os.listdir(f"/proc/{pid}/fd")}
    free = min(set(range(len(used) + 1)) - used)
    old = as_user(OWNER, resource.prlimit, pid, resource.RLIMIT_NOFILE)
    as_user(OWNER, resource.prlimit, pid, resource.RLIMIT_NOFILE, (free + 1, old[1]))
    return old


def test_last_descriptor(program):
    """With one free descriptor the server still identifies users, or rejects clients."""
    def request(s):
        c = client_of(s, OWNER)
        c.open(OPAQUE, 0)
        assert c.request(OPAQUE, 0, CAPABILITY, struct.pack(">II", CMD, 1)).type == ACK
        return c

    # no-channels: the thread of the channels would open descriptors at any time after the start.
    with Server(program, 'access ( mode "0600" )', options=["no-channels"]) as s:
        c = request(s)
        leave_one_descriptor(s.process.pid)
        d = request(s)
        c.close()
        d.close()
    with Server(program, 'access ( mode "0600" )', options=["no-channels", "no-netlink"]) as s:
        c = request(s)
        old = leave_one_descriptor(s.process.pid)
        with connected_as(OWNER, (s.address, s.port), timeout=player.LIMIT) as turned_away:
            assert turned_away.recv(1) == b"", s.log()
        assert s.logged("to identify its user"), s.log()
        as_user(OWNER, resource.prlimit, s.process.pid, resource.RLIMIT_NOFILE, old)
        d = request(s)
        c.close()
        d.close()


def ip(*words):
    subprocess.run(["ip"] + list(words), check=True)


def test_own_address(program):
    """A client that connects to the machine's network address is still a local user."""
    if not os.environ.get("ACH_TEST_NETNS"):
        print("        not tested: no network namespace can be made here, or ip is missing")
        return
    ip("addr", "add", "10.99.0.1/32", "dev", "lo")
    with Server(program, tcp='port 0 bind "0.0.0.0"', address="10.99.0.1") as s:
        expect(s, {OWNER: ALL, STRANGER: LOOK})
        assert s.logged("without a secret"), s.log()


ANYCAST = "2001:db8::"


def connect_from_anycast(address, timeout=None):
    """Connect from the anycast address of routers. Any user may bind a socket to it."""
    s = socket.socket(socket.AF_INET6)
    s.settimeout(timeout)
    s.setsockopt(socket.IPPROTO_IPV6, 78, 1)  # IPV6_FREEBIND
    s.bind((ANYCAST, 0))
    s.connect(address)
    return s


def make_router():
    """Create an interface with an anycast address. Returns its name, or None if that fails."""
    for kind in ("dummy", "bridge", "veth"):
        if subprocess.run(["ip", "link", "add", "achany", "type", kind], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0:
            break
    else:
        return None
    try:
        with open("/proc/sys/net/ipv6/conf/all/forwarding", "w", encoding="ascii") as f:
            f.write("1")
        ip("link", "set", "achany", "up")
        ip("addr", "add", ANYCAST + "1/64", "dev", "achany", "nodad")
    except (OSError, subprocess.CalledProcessError):
        ip("link", "del", "achany")
        return None
    return "achany"


def test_anycast(program):
    """A client at an anycast address is a local user, though the address is not a local one."""
    def subscribe(server):
        c = Client(server.port, server.address, PUSH, connect_from_anycast)
        return c.device(OPAQUE, 0, OPEN).type, \
            c.request(OPAQUE, 0, CAPABILITY, struct.pack(">II", CMD, 1)).type

    router = os.environ.get("ACH_TEST_NETNS") and has_ipv6() and make_router()
    if not router:
        print("        not tested: no router with IPv6 can be made of a network namespace here")
        return
    try:
        with Server(program, 'access ( mode "0600" )', 'port 0 bind "::"', address="::1") as s:
            assert as_user(STRANGER, subscribe, s) == (NACK, NACK), s.log()
            assert as_user(OWNER, subscribe, s) == (ACK, ACK), s.log()
            expect_no_command(s, False, s.address, connect_from_anycast)
    finally:
        ip("link", "del", router)


def test_network(program):
    """The uid of a client on another machine does not matter: only bind and secret decide."""
    if not os.environ.get("ACH_TEST_NETNS"):
        print("        not tested: no network namespace can be made here, or ip is missing")
        return
    other = subprocess.Popen(["unshare", "--net", "sleep", "600"])
    try:
        end = time.monotonic() + player.LIMIT
        mine = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{other.pid}/ns/net") == mine:
            assert time.monotonic() < end
            time.sleep(0.02)
        try:
            ip("link", "add", "achv0", "type", "veth", "peer", "name", "achv1", "netns",
               str(other.pid))
        except subprocess.CalledProcessError:
            print("        not tested: no pair of network interfaces can be made here")
            return
        ip("addr", "add", "10.98.0.1/24", "dev", "achv0")
        ip("link", "set", "achv0", "up")
        inside = ["nsenter", "-t", str(other.pid), "-n"]
        subprocess.run(inside + ["ip", "addr", "add", "10.98.0.2/24", "dev", "achv1"], check=True)
        subprocess.run(inside + ["ip", "link", "set", "achv1", "up"], check=True)
        with Server(program, 'access ( mode "0600" )', 'port 0 bind "10.98.0.1"',
                    address="10.98.0.1") as s:
            code = ("import sys; sys.path[:0] = sys.argv[1:2]; import users; "
                    "users.network_client(int(sys.argv[2]))")
            here = os.path.dirname(os.path.abspath(__file__))
            subprocess.run(inside + [sys.executable, "-B", "-c", code, here, str(s.port)], check=True)
    finally:
        other.kill()
        other.wait()


def network_client(port):
    os.setgroups([])
    os.setresgid(STRANGER, STRANGER, STRANGER)
    os.setresuid(STRANGER, STRANGER, STRANGER)
    c = Client(port, "10.98.0.1", PUSH)
    c.open(OPAQUE, 0)
    assert c.request(OPAQUE, 0, CAPABILITY, struct.pack(">II", CMD, 1)).type == ACK


def prepare():
    """Set up private users and, if possible, a private network; this executes the test again."""
    if os.geteuid() != 0:
        print("skipped: only root can become other users")
        sys.exit(77)
    if "ACH_TEST_USERS" not in os.environ:
        os.environ["ACH_TEST_USERS"] = "1"
        unshare = ["unshare", "--mount", "--propagation", "private"]
        if subprocess.run(unshare + ["true"], stderr=subprocess.DEVNULL, check=False).returncode:
            print("skipped: no mount namespace can be made here, for users of the test's own")
            sys.exit(77)
        if shutil.which("ip") and not subprocess.run(
                unshare + ["--net", "ip", "link", "set", "lo", "up"], stderr=subprocess.DEVNULL,
                check=False).returncode:
            os.environ["ACH_TEST_NETNS"] = "1"
            unshare.append("--net")
        os.execvp(unshare[0], unshare + [sys.executable, "-B"] + sys.argv)
    if os.environ.get("ACH_TEST_NETNS"):
        ip("link", "set", "lo", "up")
    for text, path in ((PASSWD, "/etc/passwd"), (GROUP, "/etc/group")):
        with tempfile.NamedTemporaryFile("w") as f:
            f.write(text)
            f.flush()
            os.chmod(f.name, 0o644)
            subprocess.run(["mount", "--bind", f.name, path], check=True)
    os.chmod(os.environ["ACH_DIR"], 0o1777)


if __name__ == "__main__":
    prepare()
    sys.exit(player.run([f for n, f in list(globals().items()) if n.startswith("test_")]))
