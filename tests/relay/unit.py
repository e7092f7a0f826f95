#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The unit of systemd is valid, locks the daemon down, and allows every system call that it makes.

unit.py ACHD ACH ORACLE UNIT
"""
import os
import re
import shutil
import signal
import subprocess
import sys

from hosts import ACH, ACHD, BASE, LIMIT, check, local, result, skip, until, wait

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import authority  # noqa: E402

EXPOSURE_MAX = 20  # tenths; 100 is a service without any protection


def analyze(*words):
    return subprocess.run(["systemd-analyze", *words], timeout=LIMIT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def settings(unit):
    with open(unit) as f:
        return [line.rstrip("\n").partition("=")[::2] for line in f if re.match(r"[A-Z]\w*=", line)]


def syntax(unit):
    """The unit, with this build's achd."""
    copy = f"{BASE}/achd.service"
    with open(unit) as f, open(copy, "w") as to:
        to.write(re.sub(r"(?m)^ExecStart=\S+", f"ExecStart={ACHD}", f.read()))
    out = analyze("verify", "--man=no", copy)
    check(out.returncode == 0 and not out.stdout.strip(), f"verify: {out.stdout}")
    out = analyze("security", "--offline=true", f"--threshold={EXPOSURE_MAX}", copy)
    check(out.returncode == 0, f"security: {out.stdout}")
    os.unlink(copy)


def calls(group, known={}):
    """The names of the system calls in a group."""
    if not known:
        name = None
        for line in analyze("syscall-filter").stdout.splitlines():
            word = line.strip()
            if line.startswith("@"):
                name, known[word] = word, []
            elif line.startswith(" ") and name and word and not word.startswith("#"):
                known[name].append(word)
    return {c for word in known[group] for c in (calls(word) if word[0] == "@" else [word])}


def allowed(unit):
    names = set()
    for key, value in settings(unit):
        if key == "SystemCallFilter":
            group = {c for word in value.lstrip("~").split() for c in calls(word)}
            names = names - group if value[0] == "~" else names | group
    return names


def traced():
    """What strace says of a daemon that serves with TLS, connects, reads keys again, and ends."""
    A, B = local(2)
    ca = authority.Authority(ACH, f"{BASE}/keys", "laptop", "robot", limit=LIMIT)
    trace = f"{BASE}/trace"
    A.keys, B.keys = ca.host("laptop"), ca.host("robot")
    B.configure("listen 127.0.0.1\nallow laptop both *\n")
    B.daemon = B.start("strace", "-f", "-qq", "-o", trace, ACHD, "-p", "0", "--tls", B.keys, "run",
                       f"{B.dir}/achd.conf", stderr=open(B.log, "a"))
    until("the server", lambda: B.status() is not None or B.daemon.poll() is not None)
    if B.daemon.poll() is not None:
        skip("strace cannot trace here")
    port = next(int(n.rpartition(".")[2]) for n in os.listdir(B.dir)
                if n.startswith("achshm-achd-status."))
    A.make("up", 64)
    B.make("down", 64)
    wait(A.put("up", 1, 50), B.put("down", 2, 50))
    A.achd(config="".join(f"{w} robot@127.0.0.1:{port} {c} all\n" for w, c in (("push", "up"), ("pull", "down"))))
    until("both channels", lambda: all(os.path.exists(f"{h.dir}/achshm-{c}") for h, c in ((A, "down"), (B, "up"))))
    result(B.get("up", {1: 50}))
    result(A.get("down", {2: 50}))
    pid = int(re.match(r"\d+", open(trace).readline())[0])
    os.kill(pid, signal.SIGHUP)
    until("the keys", lambda: "the keys are read again" in B.logged())
    os.kill(pid, signal.SIGTERM)
    check(B.daemon.wait(timeout=LIMIT) == 0, "the daemon ends well")
    A.kill(signal.SIGTERM)
    shutil.rmtree(f"{BASE}/keys")
    with open(trace) as f:
        lines = f.read().splitlines()
    os.unlink(trace)
    return lines


def confined(unit):
    lines = traced()
    names = {m[1] for line in lines if (m := re.match(r"\d+ +(\w+)\(", line))} - {"execve"}
    check("recvfrom" in names and "openat" in names, f"strace has seen it: {names}")
    forbidden = names - allowed(unit)
    check(not forbidden, f"system calls that the unit forbids: {forbidden}")
    families = {m[1] for line in lines if (m := re.search(r"\bsocket\((AF_\w+)", line))}
    check(families <= set(dict(settings(unit))["RestrictAddressFamilies"].split()), families)
    check(not any("PROT_WRITE|PROT_EXEC" in line for line in lines), "memory is not executable")
    print(f"{len(names)} system calls, {families}")


UNIT = os.path.abspath(sys.argv[4])
if not shutil.which("systemd-analyze"):
    skip("there is no systemd-analyze")
syntax(UNIT)
if not shutil.which("strace"):
    skip("there is no strace")
confined(UNIT)
sys.exit(0)
