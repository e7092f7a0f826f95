#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hostile peers attack a daemon that serves and one that connects: random bytes, damaged frames,
lies about lengths and flows, resets, peers that are slow or never read, floods. Meanwhile honest
messages arrive, memory stays bounded, and in the end nothing is left of the attack.

garbage.py ACHD ACH ORACLE [SEED]
"""
import os
import random
import signal
import socket
import struct
import sys
import threading
import time

from frames import (ACK, CLOSE, DATA, HELLO, MORE, OPEN, OPENED, PING, PONG, REFUSED, data, frame,
                    opens)
from hosts import ACHD, FACTOR, LIMIT, SCALE, check, local, result, serve, until, wait

# A minute in make check, an hour in make check-long.
SECONDS = 3600 if SCALE >= 1000 else max(10, 180 * SCALE // 100)
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.SystemRandom().randrange(1 << 32)
PAUSE = 5000  # microseconds between two honest messages

# What docs/relay.md lets a peer make the daemon hold: connections; a frame and a batch for each of
# them, with a schema at most; flows, and a message for each. The attack opens flows on FLOODS
# connections at a time, and sends frames with a large schema on as many. A sanitizer needs more.
LINKS, FLOWS, FLOODS = 256, 4096, 2
FRAME, LARGEST_FRAME, FLOW, MESSAGE = 256 << 10, 2 << 20, 8 << 10, 4 << 10
BOUND = LINKS * FRAME + FLOODS * (LARGEST_FRAME + FLOWS * (FLOW + MESSAGE)) + (32 << 20)
with open(ACHD, "rb") as program:
    if any(name in program.read() for name in (b"__asan_init", b"__tsan_init")):
        BOUND += 1 << 30

SERVER, FRIEND, CLIENT = local(3)
over = threading.Event()
attacks = {}


def numbers(dice):
    """A number that a careless program does not expect."""
    return dice.choice([0, 1, 3, 4, 5, 0x7f, 0xffff, 0x10000, 0x100000, 0x7fffffff, 0x80000000,
                        0xffffffff, 1 << 63, (1 << 64) - 1, dice.getrandbits(64)])


def words(dice, n):
    return struct.pack(f"<{n}Q", *(numbers(dice) for _ in range(n)))


def valid(dice):
    """Frames that are right, or could be."""
    name = b"ok-%d" % dice.randrange(6)
    flow = dice.randrange(6)
    return dice.choice([
        opens(name, flow, push=dice.random() < 0.7),
        opens(dice.randbytes(dice.randrange(40)), flow),
        opens(b"ok-honest", flow, push=False),
        data(dice.randrange(1000), dice.randbytes(dice.randrange(1, 300)), flow=flow,
             gap=dice.randrange(9), generation=dice.randrange(3)),
        data(dice.randrange(1000), bytes(50), total=numbers(dice) & 0xffffffff, flow=flow),
        frame(MORE, words(dice, 1) + bytes(40), flow),
        frame(ACK, struct.pack("<Q", dice.randrange(500)) + words(dice, 3)),
        frame(PING, words(dice, 1)),
        frame(PONG, words(dice, 3)),
        frame(OPENED, words(dice, 3) + bytes(8), flow),
        frame(REFUSED, b"\1\0\2\0no", flow),
        frame(CLOSE, b"\3\0bye", flow)])


def damaged(dice, some):
    """Flip bits, cut, or repeat."""
    some = bytearray(some)
    for _ in range(dice.randrange(1, 4)):
        some[dice.randrange(len(some))] ^= 1 << dice.randrange(8)
    if dice.random() < 0.2:
        del some[dice.randrange(len(some)):]
    return bytes(some)


def lies(dice):
    """Frames whose lengths, counts and numbers do not fit."""
    kind = dice.randrange(13)
    body = words(dice, dice.randrange(14)) + dice.randbytes(dice.randrange(9))
    length = numbers(dice) & 0xffffffff if dice.random() < 0.3 else len(body) + 4
    return struct.pack("<IBBH", length, kind, dice.randrange(256), numbers(dice) & 0xffff) + body


def talk(dice, make, n):
    return b"".join(make(dice) for _ in range(dice.randrange(1, n)))


def reset(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def random_bytes(s, dice):
    s.sendall(dice.randbytes(dice.randrange(1, 3000)))


def greeted_bytes(s, dice):
    s.sendall(HELLO + dice.randbytes(dice.randrange(1, 3000)))


def damaged_frames(s, dice):
    s.sendall(HELLO + damaged(dice, talk(dice, valid, 30)))


def damaged_hello(s, dice):
    s.sendall(damaged(dice, HELLO) + talk(dice, valid, 5))


def valid_frames(s, dice):
    s.sendall(HELLO + talk(dice, valid, 60))
    s.recv(65536)


def lying_frames(s, dice):
    s.sendall(HELLO + opens(b"ok-1") + talk(dice, lies, 4))


def cut_frames(s, dice):
    """A reset in mid-frame."""
    some = HELLO + talk(dice, valid, 30)
    s.sendall(some[:dice.randrange(1, len(some))])
    reset(s)


def byte_by_byte(s, dice):
    some = HELLO + talk(dice, valid, 30)
    for i in range(dice.randrange(3, 12)):
        s.sendall(some[i:i + 1])
        if over.wait(1):
            return


def never_read(s, dice):
    """Ask for much, and read nothing."""
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.sendall(HELLO + opens(b"ok-honest", push=False))
    s.setblocking(False)
    for _ in range(dice.randrange(5, 50)):
        try:
            s.send(frame(PING, bytes(8)) * 500)
        except BlockingIOError:
            pass
        if over.wait(0.05):
            return


def flood_opens(s, dice):
    """All flows that a connection may have, of a channel that exists and of some that do not."""
    for i in range(0, FLOWS, 64):
        s.sendall((b"" if i else HELLO) + b"".join(
            opens(b"ok-honest" if n % 8 == 0 else b"no-%d" % dice.getrandbits(32), n,
                  push=n % 8 != 0) for n in range(i, i + 64)))
        s.recv(65536)
        if over.is_set():
            return


def flood_schema(s, dice):
    """The largest frame, again and again."""
    text = b"\1\0t\1\0e\0\0" + struct.pack("<I", 1000000) + bytes(1000000)
    body = opens(b"no-schema")[8:-4] + b"\1\1\0\0" + text
    for _ in range(dice.randrange(1, 5)):
        s.sendall(HELLO + frame(OPEN, body, dice.randrange(3)))


ON_SERVER = [random_bytes, greeted_bytes, damaged_frames, damaged_frames, damaged_hello,
             valid_frames, lying_frames, lying_frames, cut_frames, byte_by_byte, byte_by_byte,
             never_read, never_read] + [flood_opens, flood_schema] * FLOODS
ON_CLIENT = [random_bytes, greeted_bytes, damaged_frames, damaged_hello, valid_frames, lying_frames,
             cut_frames, byte_by_byte, never_read, flood_schema]


def attack(s, how, dice):
    try:
        s.settimeout(2)
        how(s, dice)
    except OSError:
        pass  # the daemon has closed it, as it should
    finally:
        s.close()
    attacks[how.__name__] = attacks.get(how.__name__, 0) + 1


def attack_server(port, how, dice):
    while not over.is_set():
        try:
            s = socket.create_connection(("127.0.0.1", port), 2)
        except OSError:
            continue
        attack(s, how, dice)


def flood_connections(port, dice):
    """More connections than the daemon accepts, some of which greet."""
    while not over.wait(dice.random() * 4):
        some = []
        try:
            for _ in range(LINKS + 50):
                some.append(socket.create_connection(("127.0.0.1", port), 2))
                if dice.random() < 0.3:
                    some[-1].sendall(HELLO)
        except OSError:
            pass
        over.wait(dice.random() * 2)
        for s in some:
            s.close()
        attacks["flood_connections"] = attacks.get("flood_connections", 0) + 1


def attack_client(listener, dice):
    """The server that the daemon connects to is hostile."""
    listener.settimeout(0.5)
    while not over.is_set():
        try:
            s, _ = listener.accept()
        except OSError:
            continue
        attack(s, dice.choice(ON_CLIENT), dice)


def usage(host):
    """Private memory in bytes, and descriptors."""
    with open(f"/proc/{host.daemon.pid}/status") as f:
        anon = next(int(line.split()[1]) for line in f if line.startswith("RssAnon"))
    return anon << 10, len(os.listdir(f"/proc/{host.daemon.pid}/fd"))


def descriptors(host):
    """What they are, for the text of a failure."""
    path = f"/proc/{host.daemon.pid}/fd"
    return sorted(os.readlink(os.path.join(path, fd)) for fd in os.listdir(path))


def nothing_left(host, before):
    """Remove the channels of the attack. Connections that the daemon had not seen yet make more."""
    for name in os.listdir(host.dir):
        if name.startswith("achshm-ok-") and name[10:] not in ("honest", "sent", "also"):
            os.remove(os.path.join(host.dir, name))
    return usage(host)[1] <= before


def processor(host):
    """Seconds of processor time so far."""
    with open(f"/proc/{host.daemon.pid}/stat") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def state(host, channel):
    return [f["state"] for f in host.flows() if f["channel"] == channel]


print(f"seed {SEED}, {SECONDS} s", flush=True)
count = SECONDS * 1000000 // PAUSE
for host, name in (SERVER, "ok-honest"), (FRIEND, "ok-sent"), (CLIENT, "ok-also"):
    host.make(name, count)
port = serve(SERVER, 0, "--create", "ok-*")
evil = [socket.create_server(("127.0.0.1", 0)) for _ in range(4)]
FRIEND.achd(config=f"pull 127.0.0.1:{port} ok-honest all\npush 127.0.0.1:{port} ok-sent all\n")
CLIENT.achd(config=f"push 127.0.0.1:{port} ok-also all\n" + "".join(
    f"push 127.0.0.1:{s.getsockname()[1]} ok-also\n"
    f"pull 127.0.0.1:{s.getsockname()[1]} ok-evil{i}\n" for i, s in enumerate(evil)))
honest = [(SERVER, FRIEND, "ok-honest"), (FRIEND, SERVER, "ok-sent"), (CLIENT, SERVER, "ok-also")]
for source, _, name in honest:
    until(f"{name} is open", lambda: "open" in state(source, name))
victims = [SERVER, CLIENT]
before = {h: usage(h) for h in victims}
readers = [to.get(name, {1: count}) for _, to, name in honest]
writers = [source.put(name, 1, count, PAUSE) for source, _, name in honest]
threads = [threading.Thread(target=attack_server, args=(port, how, random.Random(SEED + i)))
           for i, how in enumerate(ON_SERVER)]
threads += [threading.Thread(target=attack_client, args=(s, random.Random(SEED + 100 + i)))
            for i, s in enumerate(evil)]
threads.append(threading.Thread(target=flood_connections, args=(port, random.Random(SEED + 200))))
most = {h: (0, 0) for h in victims}
for t in threads:
    t.start()
end = time.monotonic() + SECONDS
try:
    while any(w.poll() is None for w in writers):
        if time.monotonic() > end:
            over.set()
        for h in victims:
            check(h.daemon.poll() is None, f"the daemon survives: {h.daemon.returncode}")
            most[h] = tuple(max(pair) for pair in zip(most[h], usage(h)))
            check(most[h][0] <= before[h][0] + BOUND, f"{most[h][0] >> 20} MiB, the bound is "
                  f"{BOUND >> 20} more than {before[h][0] >> 20} MiB")
        time.sleep(0.2)
finally:
    over.set()
    for t in threads:
        t.join()
    for s in evil:
        s.close()
wait(*writers)
for reader in readers:
    check(result(reader) == {1: (count, 0, 0)}, f"all honest messages: {reader.args}")
for h in victims:
    until(lambda: f"{before[h][1]} descriptors before, now {descriptors(h)}",
          lambda: nothing_left(h, before[h][1]))
time.sleep(6)  # back-off is at its longest
for h in victims:
    begin = processor(h)
    time.sleep(2)
    check(processor(h) - begin <= 0.2, f"{processor(h) - begin} s of processor time, idle for 2 s")
for h in SERVER, FRIEND, CLIENT:
    h.kill(signal.SIGTERM)
    check(h.daemon.returncode == 0, f"the daemon ends well: {h.daemon.returncode}")
print(f"{sum(attacks.values())} attacks: {attacks}; {3 * count} honest messages; at most "
      f"{', '.join(f'{m >> 10} KiB and {fds} descriptors' for m, fds in most.values())}; "
      f"the bound is {BOUND >> 10} KiB")
sys.exit(0)
