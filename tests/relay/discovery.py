#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hosts find each other's channels with mDNS, each with an Avahi daemon of its own.

discovery.py ACHD ACH ORACLE BUS.CONF
"""
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

os.environ["PATH"] += ":/usr/sbin:/sbin"
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from authority import Authority  # noqa: E402
from hosts import ACH, ACHD, LIMIT, check, hosts, result, skip, until, wait  # noqa: E402

BUS = os.path.abspath(sys.argv[4])
for tool in ("unshare", "avahi-daemon", "dbus-daemon"):
    if not shutil.which(tool):
        skip(f"{tool} is not installed")
ROBOT, OPERATOR, STRANGER = hosts(3)
for each in (ROBOT, OPERATOR):
    each.environment["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={each.dir}/bus"


def bus(host):
    """A bus of this host; clients find it by the environment."""
    host.start("dbus-daemon", f"--config-file={BUS}", "--nofork", "--nopidfile",
               f"--address={host.environment['DBUS_SYSTEM_BUS_ADDRESS']}", stderr=subprocess.DEVNULL)
    until("the bus", lambda: os.path.exists(f"{host.dir}/bus"))


def avahi(host, name):
    """An Avahi daemon of this host. It writes to /run, so it gets one of its own."""
    path = os.path.join(host.dir, "avahi.conf")
    with open(path, "w") as f:
        f.write(f"[server]\nhost-name={name}\nuse-ipv6=no\n[publish]\npublish-workstation=no\n")
    host.avahi = host.start(
        "unshare", "--mount", "sh", "-c", "mount -t tmpfs none /run && mkdir /run/avahi-daemon &&"
        f" exec avahi-daemon -f {path} --no-chroot --no-drop-root --no-rlimits --no-proc-title",
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def stop(process):
    process.terminate()
    process.wait(timeout=LIMIT)


def ach(host, *arguments):
    p = host.start(ACH, *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = p.communicate(timeout=LIMIT)
    return p.returncode, out, err


def search(channel):
    return ach(OPERATOR, "search", "-T", "20", channel)[1]


def found(channel):
    return f"{ROBOT.address}:8076" in search(channel)


def appears(*channels):
    for channel in channels:
        until(f"{channel} is found: {search(channel)}", lambda: found(channel))


def vanishes(channel):
    until(f"{channel} is not found", lambda: not found(channel))


def listed(*arguments):
    code, out, err = ach(OPERATOR, "ls", "--all", "--json", "-T", "20", *arguments)
    check(code == 0, f"ach ls --all: {err}")
    return json.loads(out)


def serve(*arguments):
    ROBOT.achd("--bind", "0.0.0.0", *arguments, "serve")


def static_peers():
    """Without mDNS, achd asks the hosts in its file."""
    ROBOT.make("imu")
    ROBOT.run(ACH, "adv", "imu")
    serve()
    OPERATOR.achd(config=f"peer {ROBOT.address}\n")

    def names():
        code, out, err = ach(OPERATOR, "ls", "--all", "--json")
        check("avahi-daemon" in err, f"there is no Avahi: {err}")
        return [(r["kind"], r.get("name"), r["address"], r["port"]) for r in json.loads(out)
                if "host" in r and code == 0]
    until("its channels are listed",
          lambda: names() == [("channel", "imu", ROBOT.address, 8076)])
    code, out, _ = ach(OPERATOR, "search", "imu")
    check(code == 0 and out.startswith(f"{ROBOT.address}:8076 "), f"ach search: {out}")
    ROBOT.make("more")
    ROBOT.run(ACH, "adv", "more")
    until("both are listed", lambda: [n[1] for n in names()] == ["imu", "more"])
    ROBOT.run(ACH, "hide", "imu", "more")
    until("the daemon has no channels", lambda: names() == [("achd", None, ROBOT.address, 8076)])
    ROBOT.kill(signal.SIGKILL)
    until("it is gone", lambda: names() == [])
    check("no list of channels from" in ach(OPERATOR, "ls", "--all")[2], "it does not answer")
    ROBOT.run(ACH, "adv", "imu")
    ROBOT.restart()
    until("it is back", lambda: [n[1] for n in names()] == ["imu"])
    ROBOT.kill(signal.SIGTERM)
    until("its list is removed",
          lambda: "achd-channels" not in ROBOT.run(ACH, "ls", "--names"))
    ROBOT.run(ACH, "rm", "imu", "more")
    OPERATOR.kill(signal.SIGTERM)


def without_avahi():
    """Without a bus or a daemon, messages say what is missing."""
    OPERATOR.make("local")

    def complains():
        for arguments in (("search", "imu"), ("ls", "--all")):
            code, out, err = ach(OPERATOR, *arguments)
            check(code == 1 and "avahi-daemon" in err, f"{arguments}: {code}, {out}, {err}")
        check("local" in out, f"channels of this machine are listed all the same: {out}")
    complains()
    bus(OPERATOR)
    complains()
    ROBOT.make("imu")
    serve()  # before there is a bus: the daemon tries again
    time.sleep(0.5)
    check(ROBOT.daemon.poll() is None, "achd serves without Avahi")
    bus(ROBOT)
    avahi(ROBOT, "robot")
    avahi(OPERATOR, "operator")


def announced():
    """A channel that is advertised is found, with an address that can be used; others are not."""
    ROBOT.make("secret")
    ROBOT.run(ACH, "adv", "imu")
    appears("imu")
    line = search("imu").split()
    check(line == [f"{ROBOT.address}:8076", "robot.local", "tcp"], f"ach search: {line}")
    code, out, err = ach(OPERATOR, "search", "secret")
    check(code == 1 and not out and "no machine" in err, f"not advertised: {out}{err}")
    row = json.loads(ach(OPERATOR, "search", "--json", "imu")[1])
    check(row == {"channel": "imu", "host": "robot.local", "address": ROBOT.address, "port": 8076,
                  "transport": "tcp"}, f"as JSON: {row}")
    OPERATOR.achd("--all", "pull", line[0], "imu")
    wait(ROBOT.put("imu", 1, 10))
    result(OPERATOR.get("imu", {1: 10}))
    OPERATOR.kill(signal.SIGTERM)


def all_machines():
    rows = listed()
    local = [r for r in rows if "host" not in r]
    far = [r for r in rows if r.get("host") == "robot.local"]
    check("local" in [r["name"] for r in local], f"channels of this machine: {rows}")
    check(far == [{"kind": "channel", "name": "imu", "host": "robot.local", "port": 8076,
                   "address": ROBOT.address, "transport": "tcp"}], f"of others: {rows}")
    check(listed("nothing*") == [], "a pattern that nothing matches")
    table = ach(OPERATOR, "ls", "--all", "im*")[1]
    check(re.search(rf"^robot\.local +{ROBOT.address}:8076 +tcp +channel +imu$", table, re.M),
          f"the table: {table}")


def hidden():
    """hide and rm take an announcement back; mk -a makes one."""
    ROBOT.run(ACH, "hide", "imu")
    vanishes("imu")
    until("the daemon is listed without channels",
          lambda: [r["kind"] for r in listed() if r.get("host") == "robot.local"] == ["achd"])
    code, _, err = ach(ROBOT, "hide", "imu")
    check(code == 1 and "is not advertised" in err, f"hidden twice: {err}")
    code, _, err = ach(ROBOT, "adv", "nowhere")
    check(code == 1 and "nowhere" in err, f"no such channel: {err}")
    ROBOT.run(ACH, "mk", "-a", "fresh")
    ROBOT.run(ACH, "adv", "imu")
    appears("fresh", "imu")
    ROBOT.run(ACH, "rm", "fresh")
    vanishes("fresh")
    ROBOT.run(ACH, "mk", "fresh")
    appears("imu")
    check(not found("fresh"), "a new channel of the same name is not advertised")


def foreign():
    """A mark that belongs to neither the channel's owner nor root does not count."""
    mark = os.path.join(ROBOT.dir, ".achshm-secret.adv")
    with open(mark, "w"):
        pass
    appears("secret")
    os.chown(mark, 65534, 65534)
    ROBOT.run(ACH, "mk", "-a", "after")  # the directory changes, so that achd looks again
    vanishes("secret")
    appears("after")
    os.unlink(mark)
    os.symlink("/etc/passwd", mark)
    ROBOT.run(ACH, "mk", "-a", "later")
    appears("later")
    check(not found("secret"), "a symbolic link is not a mark")
    os.unlink(mark)


def killed():
    """The entry of a killed daemon goes away; a new daemon brings it back."""
    ROBOT.kill(signal.SIGKILL)
    vanishes("imu")
    ROBOT.restart()
    appears("imu")
    stop(ROBOT.avahi)
    avahi(ROBOT, "robot")
    appears("imu")
    ROBOT.kill(signal.SIGTERM)
    check(ROBOT.daemon.returncode == 0, "the daemon ends well")
    vanishes("imu")


def configured():
    """Patterns of the daemon; a daemon that is not to be found, or that nobody could reach."""
    serve("--advertise", "sec*")
    appears("secret", "imu")
    ROBOT.kill(signal.SIGTERM)
    vanishes("imu")
    for arguments in (("--no-advertise", "--bind", "0.0.0.0"), ("--bind", "127.0.0.1")):
        ROBOT.achd(*arguments, "-p", "8077", "serve")
        until("it serves", lambda: ROBOT.status() is not None)
        check(not [r for r in listed() if r.get("host") == "robot.local"], f"told: {arguments}")
        ROBOT.kill(signal.SIGTERM)
    ROBOT.achd(config="listen 0.0.0.0\nadvertise sec*\n")
    appears("secret")
    ROBOT.kill(signal.SIGTERM)
    vanishes("secret")


def secured():
    """With TLS, the name of the certificate is found, too, and achd accepts what is found."""
    if "no TLS" in ach(ROBOT, "keys", "ls", "--dir", "/nonexistent")[2]:
        return
    authority = Authority(ACH, f"{ROBOT.dir}/authority", "wheels", "desk")
    ROBOT.keys, OPERATOR.keys = authority.host("wheels"), authority.host("desk")
    serve("--allow", "desk read *")
    until("TLS is announced", lambda: search("imu").split() == [
        f"wheels@{ROBOT.address}:8076", "robot.local", "tls"])
    OPERATOR.run(ACH, "rm", "imu")
    OPERATOR.achd("--all", "pull", search("imu").split()[0], "imu")
    result(OPERATOR.get("imu", {1: 10}))
    OPERATOR.kill(signal.SIGTERM)
    ROBOT.kill(signal.SIGTERM)
    vanishes("imu")
    ROBOT.keys = OPERATOR.keys = None


def many():
    """More channels than fit into one service."""
    names = [f"many-{i:03}-{'x' * 40}" for i in range(100)]
    ROBOT.run(ACH, "mk", "-a", "-m", "2", "-n", "64", *names)
    serve()
    until("all are found", lambda: sorted(r["name"] for r in listed("many-*")) == names)
    ROBOT.run(ACH, "hide", *names[1:])
    until("one is left", lambda: [r["name"] for r in listed("many-*")] == names[:1])
    ROBOT.run(ACH, "rm", *names)


def label(data):
    return bytes([len(data)]) + data


def domain(*labels):
    return b"".join(label(part) for part in labels) + b"\0"


def record(name, kind, data, flush=True):
    return name + struct.pack(">HHIH", kind, 0x8001 if flush else 1, 120, len(data)) + data


def packet(instance, texts, port=8076, service=b"_ach", address=b"\x0a\x4d\0\x03"):
    """An unsolicited answer that announces a service of the stranger."""
    kind = domain(service, b"_tcp", b"local")
    name = label(instance) + kind
    host = domain(b"\x1b[31mevil", b"local")
    records = [record(kind, 12, name, flush=False),
               record(name, 33, struct.pack(">HHH", 0, 0, port) + host),
               record(name, 16, b"".join(label(t) for t in texts) or b"\0"),
               record(host, 1, address)]
    return struct.pack(">HHHHHH", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


SENDER = r"""
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind((sys.argv[1], 5353))
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(sys.argv[1]))
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
for line in sys.stdin:
    s.sendto(bytes.fromhex(line), ("224.0.0.251", 5353))
"""


def send(packets):
    p = STRANGER.start(sys.executable, "-c", SENDER, STRANGER.address, stdin=subprocess.PIPE)
    p.communicate("".join(f"{data.hex()}\n" for data in packets), timeout=LIMIT)
    check(p.returncode == 0, "packets are sent")


def hostile():
    """Announcements with control characters, false names, and many of them."""
    send([packet(b"\x1b]0;title\x07\n", [b"c0=good", b"c1=\x1b[2J", b"c2=../../etc/passwd", b"c3=",
                                         b"c=x", b"cc=y", b"c4=" + b"z" * 200, b"c5=a\0b", b"c6",
                                         b"transport=\x1b[5m", b"channels=99999999999", b"\xff\xfe"]),
          packet(b"huge", [b"c%d=%s" % (i, b"h" * 60) for i in range(120)]),
          packet(b"player", [b"device=laser#0(x)", b"device=laser#99999(x)", b"device=\x1b#0(x)",
                             b"device=laser#0(\x1b[2J)", b"device=la ser#1(y"], service=b"_player2")])
    until("what is well-formed is listed", lambda: "good" in [r.get("name") for r in listed()])
    names = {r["name"] for r in listed() if r.get("address") == STRANGER.address and "name" in r}
    check(names <= {"good", "h" * 60, "laser:0"}, f"only names of channels and devices: {names}")
    send([packet(b"flood %d" % i, [b"c0=flood-%d" % i]) for i in range(3000)])
    begin = time.monotonic()
    for arguments in (("ls", "--all", "-T", "5"), ("ls", "--all", "--json", "-T", "5"),
                      ("search", "-T", "5", "good"), ("dev", "find", "-T", "5")):
        _, out, err = ach(OPERATOR, *arguments)
        check(not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", out + err),
              f"{arguments}: control characters in {out + err!r}")
    took = time.monotonic() - begin
    flood = len(listed("flood-*"))
    check(flood > 0, "the flood arrives")
    print(f"   {flood} of 3000 services found; four searches in {took:.1f} s")


for test in (static_peers, without_avahi, announced, all_machines, hidden, foreign, killed,
             configured, secured, many, hostile):
    print(f"== {test.__name__}", flush=True)
    test()
sys.exit(0)
