#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Five hosts: push, pull, fan-out, a chain, a diamond and rings deliver each message once.

shapes.py ACHD ACH ORACLE
"""
import sys
import time

from hosts import check, hosts, result, scale, until, wait

N = scale(4000)
PAUSE = 100
A, B, C, D, E = ALL = hosts(5)


def lines(*links):
    return "listen 0.0.0.0\ncreate *\n" + "".join(f"{kind} {host.address} {rest}\n"
                                                  for kind, host, rest in links)


def begin(configs):
    for host, links in configs.items():
        host.achd(config=lines(*links))


def end():
    for host in ALL:
        if host.daemon and host.daemon.poll() is None:
            host.kill(15)
        host.run("sh", "-c", f"rm -rf {host.dir}/achshm-* {host.dir}/.achshm-*")


def exact(reader, sources=(1,), n=N):
    """All messages of each source came."""
    got = result(reader)
    for source in sources:
        check(got.get(source, ())[:2] == (n, 0), f"{reader.args}: source {source} of {n}: {got}")


def settled(*watched):
    """All flows of these hosts are open, and nothing moves any more."""
    last = []

    def still():
        nonlocal last
        time.sleep(1.2)  # daemons put their figures once a second
        flows = [f for h in watched for f in h.flows()]
        now = [(f["channel"], f["messages"], f["known"]) for f in flows]
        same = now == last and flows and all(f["state"] == "open" for f in flows)
        last = now
        return same
    until("all is quiet", still)


def fan_out():
    A.make("c", 8192)
    begin({A: [("push", h, "c all") for h in (B, C)], B: [], C: [],
           D: [("pull", A, "c all")], E: [("pull", A, "c all remote=c")]})
    readers = [h.get("c", {1: N}) for h in (B, C, D, E)]
    wait(A.put("c", 1, N, PAUSE))
    for r in readers:
        exact(r)
    end()


def chain():
    A.make("c", 8192)
    begin({A: [("push", B, "c all")], B: [("push", C, "c all")], C: [],
           D: [("pull", C, "c all")], E: [("pull", D, "c all")]})
    reader = E.get("c", {1: N})
    wait(A.put("c", 1, N, PAUSE))
    exact(reader)
    end()


def diamond():
    A.make("c", 8192)
    begin({A: [("push", B, "c all"), ("push", C, "c all")], B: [("push", D, "c all")],
           C: [("push", D, "c all")], D: []})
    reader = D.get("c", {1: N})
    wait(A.put("c", 1, N, PAUSE))
    exact(reader)
    settled(D)
    got = [f for f in D.flows() if f["direction"] == "receives"]
    check(sum(f["messages"] for f in got) == N, f"each message once: {got}")
    end()


def ring(both):
    """Each host puts into the same channel, and gets what all others put."""
    n = N // 4
    A.make("c", 8192, 64, "--relayed")
    begin({h: [("push", ALL[(i + 1) % 5], "c all")] +
              ([("pull", ALL[(i + 1) % 5], "c all")] if both else []) for i, h in enumerate(ALL)})
    last = {i + 1: n for i in range(5)}
    readers = [h.get("c", last) for h in ALL]
    until("the channel is everywhere", lambda: all(
        h.start("test", "-e", f"{h.dir}/achshm-c").wait() == 0 for h in ALL))
    wait(*(h.put("c", i + 1, n, 5 * PAUSE) for i, h in enumerate(ALL)))
    for r in readers:
        exact(r, range(1, 6), n)
    settled(*ALL)
    end()


for shape in (fan_out, chain, diamond, lambda: ring(False), lambda: ring(True)):
    shape()
sys.exit(0)
