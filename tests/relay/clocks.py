#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hosts whose clocks differ by hours: time namespaces. Ages are right, and a message older than the
limit is never put, also after a host has restarted with another clock.

clocks.py ACHD ACH ORACLE
"""
import signal
import subprocess
import sys
import time

from hosts import ACH, check, local, result, serve, skip, until, wait

HOUR = 3600
A, B, C = local(3)
if subprocess.run(["unshare", "--time", "--boottime=60", "true"], check=False).returncode:
    skip("no time namespaces")


def flow(host, channel, direction="receives"):
    return next((f for f in host.flows()
                 if f["channel"] == channel and f["direction"] == direction), {})


def link(host):
    return host.status()["links"][0]


def is_open(host, channel, direction="receives"):
    return flow(host, channel, direction).get("state") == "open"


def near(host, offset):
    """The host knows how far its peer's clock is ahead, and with which error."""
    def known():
        l = link(host)
        return "offset" in l and abs(l["offset"] - offset) <= l["offset_error"] + 1e-6
    until(lambda: f"an offset of {offset}: {link(host)}", known)
    check(link(host)["offset_error"] < 10, f"the error is small: {link(host)}")


def begin(offsets):
    """A chain A, B, C in which each host has its own clock. C limits nothing, B and C say ages."""
    A.offset, B.offset, C.offset = offsets
    A.make("aged", 64)
    port = serve(B)
    A.achd("-p", str(port), "--all", "push", "127.0.0.1", "aged")
    C.achd("-p", str(port), "--all", "pull", "127.0.0.1", "aged")
    until("the chain", lambda: is_open(C, "aged") and is_open(B, "aged"))
    near(A, B.offset - A.offset)
    near(C, B.offset - C.offset)


def held():
    """A message that the daemon of A sends a second late has this age at B and C."""
    begin = time.monotonic()
    A.kill(signal.SIGSTOP)
    wait(A.put("aged", 1, 1))
    put = time.monotonic()
    time.sleep(1)
    least = time.monotonic() - put
    A.kill(signal.SIGCONT)
    for host in B, C:
        until("it is counted", lambda h=host: flow(h, "aged").get("age_max", 0) >= least)
    most = time.monotonic() - begin
    for host in B, C:
        figures = flow(host, "aged")
        check(figures["age_p50"] <= figures["age_max"], f"the median is not above the largest: {figures}")
        check(least <= figures["age_max"] <= most, f"between {least} and {most}: {figures}")


def ages():
    """Ages do not depend on the clocks; a restart of the host in the middle changes its clock."""
    for offsets in (0, 5 * HOUR, 30 * HOUR), (7 * HOUR, 100 * HOUR, 2 * HOUR):
        begin(offsets)
        held()
        for host in A, B, C:
            host.kill(signal.SIGTERM)
            host.run(ACH, "rm", "aged")  # as after a reboot


def limits():
    """Messages pass a limit of seconds in spite of clocks, and old ones do not."""
    for ahead, behind in (B, A), (A, B):
        ahead.offset, behind.offset = 9 * HOUR, 0
        name = f"limited{ahead.number}"
        A.make(name, 64)
        port = serve(B)
        A.achd("-p", str(port), "--all", "--max-age", "20", "push", "127.0.0.1", name)
        reader = B.get(name, {1: 10})
        wait(A.put(name, 1, 10))
        check(result(reader)[1][:2] == (10, 0), "messages of a second pass")
        A.kill(signal.SIGTERM)
        A.achd("-p", str(port), "--all", "--max-age", "0.3", "push", "127.0.0.1", name)
        until("it is open", lambda: is_open(A, name, "sends"))
        A.kill(signal.SIGSTOP)
        wait(A.put(name, 1, 5, first=11))
        time.sleep(0.4)
        A.kill(signal.SIGCONT)
        until("old ones are counted", lambda: flow(A, name, "sends").get("too_old") == 5)
        check(flow(B, name)["messages"] == 0, "none of them arrives")
        A.kill(signal.SIGTERM)
        B.kill(signal.SIGTERM)


def future():
    """A timestamp of a clock that has begun anew says nothing, so its message is not put."""
    A.offset, B.offset = 50 * HOUR, 0
    A.make("future", 64)
    wait(A.put("future", 1, 3))
    A.offset = HOUR
    port = serve(B)
    A.achd("-p", str(port), "--all", "--max-age", "20", "push", "127.0.0.1", "future")
    until("they are not sent", lambda: flow(A, "future", "sends").get("too_old") == 3)
    reader = B.get("future", {1: 4})
    wait(A.put("future", 1, 1, first=4))
    check(result(reader)[1][0] == 1, "only the new message")
    A.kill(signal.SIGTERM)
    B.kill(signal.SIGTERM)


for test in (ages, limits, future):
    print(f"== {test.__name__}", flush=True)
    test()
sys.exit(0)
