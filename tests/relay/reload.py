#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two hosts with TLS. Keys and lists are read again, and daemons are killed, while messages flow: each
one arrives once, in order.

reload.py ACHD ACH ORACLE
"""
import os
import shutil
import signal
import sys
import time

from hosts import ACH, BASE, LIMIT, check, hosts, result, scale, until, wait

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import authority  # noqa: E402

N = scale(20_000)
FRAMES = 32768
A, B = hosts(2)
CA = authority.Authority(ACH, f"{BASE}/keys", "laptop", "robot", "thief", limit=LIMIT)
RULES = "listen 0.0.0.0\nallow laptop write up*\nallow laptop read down*\n"

# A daemon writes at most 100 lines of a kind to its log in 10 s, and each reload waits for a line.
LOG_PERIOD = 0.12


def renew(host, name):
    CA.keys("renew", name)
    CA.update(name, host.keys, "host.key", "host.pem")
    host.reload("the keys are read again")


def lists(extra):
    B.configure(RULES + extra)
    B.reload("the lists and limits are read again")


def revoke_other():
    CA.keys("revoke", "thief")
    CA.keys("renew", "thief")
    CA.update("robot", B.keys, "crl.pem")
    B.reload("the keys are read again")


def kill(host):
    host.kill()
    host.restart()


QUIET = [lambda: renew(A, "laptop"), lambda: renew(B, "robot"), lambda: lists("allow thief both *\n"),
         lambda: lists(""), revoke_other]


def connections():
    return A.status()["links"][0]["connections"]


def traffic(number, disturbances, stays):
    names = {"push": f"up{number}", "pull": f"down{number}"}
    A.make(names["push"], FRAMES)
    B.make(names["pull"], FRAMES)
    A.achd(config="".join(f"{verb} robot@{B.address} {name} all\n" for verb, name in names.items()))
    until("the channels", lambda: os.path.exists(f"{A.dir}/achshm-{names['pull']}")
          and os.path.exists(f"{B.dir}/achshm-{names['push']}"))
    readers = B.get(names["push"], {1: N}), A.get(names["pull"], {2: N})
    writers = A.put(names["push"], 1, N, 200), B.put(names["pull"], 2, N, 200)
    left = disturbances[:]
    while left or any(w.poll() is None for w in writers):
        (left.pop() if left else disturbances[0])()
        time.sleep(LOG_PERIOD)
    wait(*writers)
    check(result(readers[0]) == {1: (N, 0, 0)}, "all were pushed")
    check(result(readers[1]) == {2: (N, 0, 0)}, "all were pulled")
    check(not stays or connections() == 1, f"{connections()} connections")
    A.kill(signal.SIGTERM)


def plain():
    """Another address than loopback needs TLS."""
    A.make("bare", 8)
    A.arguments = ["push", B.address, "bare"]
    A.restart()
    until("refused", lambda: "is not a loopback address: use --tls" in A.logged())
    A.kill(signal.SIGTERM)
    check(not os.path.exists(f"{B.dir}/achshm-bare"), "nothing was created")


for host, name in (A, "laptop"), (B, "robot"):
    host.keys = CA.copy(name, f"{BASE}/used-{name}")
B.achd(config=RULES)
until("the server", lambda: B.status() is not None)
traffic(1, QUIET, True)
traffic(2, [lambda: time.sleep(0.3), lambda: kill(A), lambda: kill(B), lambda: renew(A, "laptop")], False)
plain()
B.kill(signal.SIGTERM)
for directory in "keys", "used-laptop", "used-robot":
    shutil.rmtree(f"{BASE}/{directory}")
sys.exit(0)
