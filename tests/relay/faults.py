#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two hosts: daemons are killed and stopped, the link is cut, an address changes. Messages keep
arriving, none twice and none out of order, and no message is lost that the channel still holds.

faults.py ACHD ACH ORACLE
"""
import os
import random
import signal
import subprocess
import sys
import time

from hosts import FACTOR, SILENCE, check, hosts, result, scale, tell_names, until, wait

MANY = scale(100_000)
N = scale(20_000)
FRAMES = 32768
PAUSE = 150
A, B = hosts(2)
dice = random.Random(1)


def serve():
    B.achd("serve", "--bind", "0.0.0.0", "--create", "*")


def received():
    return [f for f in B.flows() if f["direction"] == "receives" and f["state"] == "open"]


def flow_at(channel):
    return sum(f["messages"] for f in A.flows() if f["channel"] == channel)


def waiting():
    return [l["state"] for l in (A.status() or {"links": []})["links"]]


def kill(host):
    host.kill()
    time.sleep(dice.random() / 10)
    host.restart()


def pause(host):
    host.kill(signal.SIGSTOP)
    time.sleep(dice.random() / 5)
    host.kill(signal.SIGCONT)


def cut():
    B.cut()
    time.sleep(dice.random() / 5)
    B.cut(False)


def long_cut():
    """Until both sides have given up the connection."""
    B.cut()
    time.sleep(SILENCE + 0.5)
    B.cut(False)


FAULTS = [lambda: kill(A), lambda: kill(B), lambda: pause(A), lambda: pause(B), cut, long_cut]


def disturb(writer):
    """Faults until the writer has ended, each kind at least once."""
    left = FAULTS[:]
    while writer.poll() is None or left:
        time.sleep(dice.random() / 4)
        (left.pop() if left else dice.choice(FAULTS[:5]))()


def exact(push):
    """The channel holds all messages that the reader may lack, so that each one must arrive."""
    count = MANY if push else N
    name = "all" + ("push" if push else "pull")
    maker, other = (A, B) if push else (B, A)
    os.environ["ORACLE_PROGRESS"] = os.path.join(maker.dir, name)
    os.environ["ORACLE_AHEAD"] = str(FRAMES - 1024)
    maker.make(name, FRAMES)
    serve()
    A.achd("--all", "push" if push else "pull", B.address, name)
    reader = other.get(name, {1: count})
    writer = maker.put(name, 1, count, PAUSE)
    disturb(writer)
    wait(writer)
    check(result(reader) == {1: (count, 0, 0)}, f"{name}: all of {count}")
    del os.environ["ORACLE_PROGRESS"]
    A.kill(signal.SIGTERM)
    B.kill(signal.SIGTERM)


def newest():
    """A small channel: messages may be lost, and the numbers of the origins count how many."""
    A.make("few", 8)
    serve()
    A.achd("push", B.address, "few")
    reader = B.get("few", {1: N})
    writer = A.put("few", 1, N, PAUSE)
    disturb(writer)
    wait(writer)
    got, missing, by_origin = result(reader)[1]
    check(missing == by_origin, f"gaps: {missing} by numbers, {by_origin} by origins")
    A.kill(signal.SIGTERM)
    B.kill(signal.SIGTERM)


def counted():
    """Without a restart, the daemon that pulls counts exactly the messages that are missing."""
    A.make("counted", 8)
    B.make("counted", N, 64, "--relayed")
    A.achd("serve", "--bind", "0.0.0.0")
    B.achd("pull", A.address, "counted")
    reader = B.get("counted", {1: N})
    wait(A.put("counted", 1, 1))  # what came before the first message, the oracle does not count
    until("the first message", lambda: sum(f["messages"] for f in received()) == 1)
    writer = A.put("counted", 1, N - 1, PAUSE // 2, first=2)
    while writer.poll() is None:
        dice.choice([lambda: pause(B), cut, lambda: pause(A), lambda: kill(A)])()
        time.sleep(dice.random() / 4)
    wait(writer)
    got, missing, _ = result(reader)[1]
    until(f"the figures: {got}", lambda: sum(f["messages"] for f in received()) == got)
    gaps = sum(f["gaps"] for f in received())
    check(gaps == missing, f"{got} received, {missing} missing, {gaps} counted")
    A.kill(signal.SIGTERM)
    B.kill(signal.SIGTERM)


def address():
    """The server loses its address, and gets it back."""
    A.make("moved", 4096)
    serve()
    A.achd("--all", "push", B.address, "moved")
    reader = B.get("moved", {1: 2000})
    wait(A.put("moved", 1, 1000))
    until("the first part", lambda: any(f["messages"] >= 1000 for f in received()))
    old = B.address
    B.readdress("10.77.0.99")
    wait(A.put("moved", 1, 1000, first=1001))
    time.sleep(SILENCE + 0.5)
    B.readdress(old)
    check(result(reader) == {1: (2000, 0, 0)}, "all of 2000 after the address changed")
    A.kill(signal.SIGTERM)
    B.kill(signal.SIGTERM)


def name():
    """The server gets another address, and its name leads there."""
    tell_names()
    A.make("named", 4096)
    serve()
    A.achd("--all", "push", "h2", "named")
    reader = B.get("named", {1: 3000})
    for first, address in (1, "10.77.0.98"), (1001, "10.77.0.99"), (2001, B.address):
        wait(A.put("named", 1, 1000, first=first))
        until(f"{first + 999} of 'named'", lambda: flow_at("named") >= first + 999)
        B.readdress(address)
        tell_names()
    check(result(reader) == {1: (3000, 0, 0)}, "all of 3000 after the address changed twice")
    A.kill(signal.SIGTERM)
    B.kill(signal.SIGTERM)


def name_server():
    """Names that cannot be looked up do not delay other peers, nor the end of the daemon."""
    deaf = B.start(sys.executable, "-c", "import socket, time; s = socket.socket(type=2); "
                   f"s.bind(('{B.address}', 53)); print(flush=True); time.sleep(3000)",
                   stdout=subprocess.PIPE)
    deaf.stdout.readline()
    A.etc("resolv.conf", f"nameserver {B.address}\noptions timeout:30 attempts:5\n")
    A.make("beside", 4096)
    serve()
    A.achd(config="".join(f"push nowhere{i}.example beside\n" for i in range(20)) +
           f"push {B.address} beside all\n")
    reader = B.get("beside", {1: 1000})
    until("names are looked up", lambda: waiting().count("looking up") == 8)
    wait(A.put("beside", 1, 1000))
    check(result(reader) == {1: (1000, 0, 0)}, "all of 1000 beside the look-ups")
    check(waiting().count("looking up") == 8, f"they are still looked up: {waiting()}")
    begin = time.monotonic()
    A.kill(signal.SIGTERM)
    check(A.daemon.returncode == 0, "the daemon ends well")
    check(time.monotonic() - begin < 10 * FACTOR, "the daemon ends at once")
    B.kill(signal.SIGTERM)
    deaf.kill()


exact(True)
exact(False)
newest()
counted()
address()
name()
name_server()
sys.exit(0)
