#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Daemons that anticipate periodic messages: each arrives once, both daemons learn the period and open
windows, and when no more messages come, they do not run.

anticipate.py ACHD ACH ORACLE
"""
import signal
import sys
import time

from hosts import LIMIT, check, hosts, result, serve, until, wait

A, B = hosts(2)
PERIOD = 1000  # us
N = 3000
ROUND = 1000
ROUNDS = 12  # the figures of a round may appear a second later
QUIET = 0.0002  # seconds


def windows(host):
    return host.status().get("windows", 0)


def learnt(host, channel):
    return [f for f in host.flows() if f["channel"] == channel and "period" in f]


def opened(host, channel):
    return [f for f in host.flows() if f["channel"] == channel and f["state"] == "open"]


def put_round(channel):
    """Put periodic messages. True: the machine was quiet, so that they can be anticipated."""
    writer = A.put(channel, 2, ROUND, PERIOD)
    late = []
    while writer.poll() is None:
        begin = time.monotonic()
        time.sleep(PERIOD * 1e-6)
        late.append(time.monotonic() - begin - PERIOD * 1e-6)
    wait(writer)
    return sorted(late)[len(late) * 95 // 100] < QUIET


def anticipates(channel):
    """Put periodic messages until both daemons have had a window more, and know the period. On a busy
    machine they need not."""
    before = [windows(h) for h in (A, B)]
    quiet = 0
    for _ in range(ROUNDS):
        if all(windows(h) > n and learnt(h, channel) for h, n in zip((A, B), before)):
            break
        quiet += put_round(channel)
        check(quiet < ROUNDS // 2, f"{channel}: windows {before}, then {[windows(h) for h in (A, B)]}")
    for host in A, B:
        for f in learnt(host, channel):
            check(0.5 * PERIOD < f["period"] * 1e6 < 100 * PERIOD and f["jitter"] < f["period"], f)


def rests(host):
    """Figures change while rates return to zero; then there are no windows, and no CPU is used."""
    until("figures that stay", lambda: [windows(host), time.sleep(2)][0] == windows(host))
    figures = host.status()
    check(figures["windows_hit"] <= figures["windows"], figures)
    check(figures["windows_cpu"] < LIMIT, figures)


def relays(channel, transport):
    """Each message arrives once, then windows open."""
    A.make(channel, 8192)
    A.achd("-t", transport, *(["--all"] if transport == "tcp" else []), "push", B.address, channel)
    until("the flow", lambda: opened(A, channel) and opened(B, channel))
    if transport == "tcp":
        reader = B.get(channel, {1: N})
        wait(A.put(channel, 1, N, PERIOD))
        check(result(reader) == {1: (N, 0, 0)}, "all came once, in order")
    anticipates(channel)
    rests(A)
    A.kill(signal.SIGTERM)


def sleeps():
    """A daemon that may not anticipate opens no window."""
    A.make("asleep", 8192)
    A.achd("--anticipate", "0", "push", B.address, "asleep")
    until("the flow", lambda: opened(A, "asleep") and opened(B, "asleep"))
    put_round("asleep")
    check(windows(A) == 0 and not learnt(A, "asleep"), A.status())
    A.kill(signal.SIGTERM)


def loses_group():
    """A group whose messages were expected ends with its last member, and begins again."""
    A.make("group", 8192)
    A.achd(config="listen 0.0.0.0\nanticipate 4\nmulticast group 239.7.7.8:7701\n")
    until("the server", lambda: A.status() is not None)
    for _ in range(3):
        B.achd("-t", "udp", "pull", A.address, "group")
        until("the group", lambda: opened(A, "group") and opened(B, "group"))
        put_round("group")
        B.kill()
        until("its end", lambda: not A.status()["links"])
        put_round("group")
    check(A.daemon.poll() is None, "the daemon lives")
    A.kill(signal.SIGTERM)


serve(B, 8076, "--bind", B.address, "--anticipate", "4", "--create", "*")
relays("stream", "tcp")
relays("datagrams", "udp")
sleeps()
rests(B)
B.kill(signal.SIGTERM)
loses_group()
sys.exit(0)
