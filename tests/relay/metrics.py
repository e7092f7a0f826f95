#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The figures of achd as text of Prometheus, and clients of its port that misbehave.

metrics.py ACHD ACH ORACLE
"""
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time

from frames import HELLO, opens
from hosts import ACH, ACHD, LIMIT, check, local, result, until, wait

A, B = local(2)
HOSTILE = b'a"b\\c{d="e"} 1\xff'
SAMPLE = re.compile(r'(\w+)\{((?:\w+="(?:[^"\\\n]|\\[n"\\])*",?)*)\} (\S+)')
LABEL = re.compile(r'(\w+)="((?:[^"\\\n]|\\[n"\\])*)"')
COUNT = 50


def ask(port, request, read=True):
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT) as s:
        s.sendall(request)
        answer = b""
        while read and (part := s.recv(65536)):
            answer += part
    return answer


def scrape(host):
    head, _, body = ask(host.port, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    check(lines[0] == "HTTP/1.0 200 OK", lines)
    check("Content-Type: text/plain; version=0.0.4; charset=utf-8" in lines, lines)
    return body.decode()


def unescape(text):
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text)


def parse(text):
    """{name: {labels: value}}. Fails unless the text follows the format strictly."""
    check(text.endswith("\n"), "the last line ends")
    samples, family, kind, seen = {}, None, None, set()
    for line in text.splitlines():
        if line.startswith("# HELP "):
            family = line.split()[2]
            check(family not in seen and len(line.split()) > 3, line)
            seen.add(family)
        elif line.startswith("# TYPE "):
            check(line.split()[2] == family, f"TYPE follows HELP: {line}")
            kind = line.split()[3]
        else:
            m = SAMPLE.fullmatch(line)
            check(m, f"a sample: {line}")
            suffixes = ("_bucket", "_sum", "_count") if kind == "histogram" else ("",)
            check(m[1] in {family + s for s in suffixes}, f"{line} in {family}")
            check(kind != "counter" or family.endswith("_total"), f"{family} ends with _total")
            labels = frozenset((k, unescape(v)) for k, v in LABEL.findall(m[2]))
            check(labels not in samples.setdefault(m[1], {}), f"twice: {line}")
            samples[m[1]][labels] = float(m[3])
    return samples


def metrics(host):
    return parse(scrape(host))


def value(samples, name, **labels):
    """The sum of the samples that have these labels; None: there is none."""
    found = [v for l, v in samples.get(f"ach_relay_{name}", {}).items() if labels.items() <= dict(l).items()]
    return sum(found) if found else None


def expose(host, *arguments, config=None):
    """Start a daemon that is not given up while this test stops it."""
    if config:
        host.achd(config="silence 1000\nmetrics 0\n" + config)
    else:
        host.achd("--silence", "1000", "--metrics", "0", *arguments)
    until("the port of the metrics",
          lambda: (host.status() or {}).get("pid") == host.daemon.pid)
    host.port = host.status()["metrics_port"]


def lose():
    """Put more messages than the channel holds while the daemon is stopped."""
    wait(A.put("lossy", 1, 1))
    until("the first one", lambda: value(metrics(B), "messages_total", channel="lossy") == 1)
    A.kill(signal.SIGSTOP)
    wait(A.put("lossy", 1, 20, first=2))
    A.kill(signal.SIGCONT)
    result(B.get("lossy", {1: 21}))


def figures():
    """Both sides count the same messages; ages and losses are where they are known."""
    A.make("state", 64)
    config = f"push 127.0.0.1:{PORT} state all\npush 127.0.0.1:{PORT} lossy all\n"
    A.make("lossy", 4)
    expose(A, config=config)
    until("both are open", lambda: value(metrics(A), "flow_open") == 2)
    wait(A.put("state", 1, COUNT, size=40))
    until("all have come", lambda: value(metrics(B), "messages_total", channel="state") == COUNT)
    lose()
    a, b = metrics(A), metrics(B)
    for samples, direction, peer in ((a, "sends", f"127.0.0.1:{PORT}"), (b, "receives", "127.0.0.1")):
        labels = {"channel": "state", "direction": direction, "peer": peer}
        check(value(samples, "messages_total", **labels) == COUNT, (direction, samples))
        check(value(samples, "bytes_total", **labels) == COUNT * 40, (direction, samples))
        check(value(samples, "lost_total", **labels) == 0, (direction, samples))
        lost, carried = (value(samples, n, channel="lossy") for n in ("lost_total", "messages_total"))
        check(lost > 0 and lost + carried == 21, (direction, lost, carried))
        check(value(samples, "up", peer=peer) == 1, (direction, samples))
    check(value(a, "reconnections_total") == 0, a)
    check(value(b, "reconnections_total") is None, "only the side that connects knows")
    check(value(b, "age_seconds_count", channel="state") == COUNT, b)
    check(value(b, "age_seconds_bucket", channel="state", le="+Inf") == COUNT, b)
    check(value(b, "newest_age_seconds", channel="state") > 0, b)
    check(value(a, "age_seconds_count") is None, "a sender knows no age at arrival")
    buckets = sorted((float(dict(l)["le"]), v) for l, v in b["ach_relay_age_seconds_bucket"].items()
                     if ("channel", "state") in l)
    check([v for _, v in buckets] == sorted(v for _, v in buckets), f"cumulative: {buckets}")
    until("the clocks are compared", lambda: value(metrics(A), "clock_error_seconds") is not None)
    a = metrics(A)
    check(abs(value(a, "clock_offset_seconds")) <= value(a, "clock_error_seconds"), "one clock")


def rates():
    """The rate in the status rises with messages, and returns to zero."""
    def rate():
        return next(f for f in A.flows() if f["channel"] == "state")["message_rate"]
    writer = A.put("state", 1, 1000000, 1000, first=COUNT + 1)
    until("a rate", lambda: rate() > 0)
    writer.kill()
    writer.wait()
    A.started.remove(writer)
    until("no rate", lambda: rate() == 0)


def reconnection():
    """The connection and its counters before and after the server was killed."""
    before = value(metrics(A), "messages_total", channel="state")
    B.kill()
    until("down", lambda: value(metrics(A), "up") == 0)
    check(value(metrics(A), "messages_total", channel="state") == before, "the count stays")
    expose(B, "-p", str(PORT), "serve")
    until("up", lambda: value(metrics(A), "up") == 1)
    check(value(metrics(A), "reconnections_total") == 1, metrics(A))
    until("in the status", lambda: A.status()["links"][0]["reconnections"] == 1)


def names():
    """Names that peers choose are escaped; two flows of one channel are two series."""
    asked = opens(HOSTILE, push=False)
    with socket.create_connection(("127.0.0.1", PORT), timeout=LIMIT) as s:
        s.sendall(HELLO + asked)
        text = HOSTILE.decode(errors="replace")
        until("the name", lambda: value(metrics(B), "flow_open", channel=text) == 0)
        promtool()
    check("\\xff" in B.logged() and "\ufffd" not in B.logged(), "the log is printable text")
    A.kill(signal.SIGTERM)
    expose(A, config="".join(f"push {host} state remote={name}\n" for host, name in
                             ((f"127.0.0.1:{PORT}", "x"), (f"127.0.0.1:{PORT}", "y"),
                              ("[::1]:9", "x"))))
    until("both are open", lambda: value(metrics(A), "flow_open") == 2)
    check(value(metrics(A), "up", peer="[::1]:9") == 0, metrics(A))
    for row in ([f"127.0.0.1:{PORT}", "up", "0"], [f"127.0.0.1:{PORT}", "state", "sends", "open"],
                ["[::1]:9", "down", "0"], ["[::1]:9", "state", "sends", "opening"]):
        until(f"{row} in the status", lambda: any(
            r.split()[:len(row)] == row for r in A.run(ACH, "relay", "status").splitlines()))


def promtool():
    """Prometheus itself finds nothing wrong with the text."""
    if not shutil.which("promtool"):
        print("skipped: there is no promtool (package prometheus)")
        return
    for host in (A, B):
        p = subprocess.run(["promtool", "check", "metrics"], input=scrape(host), text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT)
        check(p.returncode == 0 and not p.stdout.strip(), f"promtool: {p.stdout}")


def status(request):
    return int(ask(A.port, request).split()[1])


def requests():
    """The answers to requests, right and wrong."""
    head = ask(A.port, b"HEAD /metrics HTTP/1.0\n\n")
    check(head.startswith(b"HTTP/1.0 200") and head.endswith(b"\r\n\r\n"), head)
    for request, expected in ((b"GET /metrics?x=1 HTTP/1.1\r\n\r\n", 200),
                              (b"GET / HTTP/1.1\r\n\r\n", 404),
                              (b"GET /metricsx HTTP/1.1\r\n\r\n", 404),
                              (b"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", 405),
                              (b"GET /metrics\r\n\r\n", 400),
                              (b"GET  /metrics HTTP/1.1\r\n\r\n", 400),
                              (b"GET /metrics HTTP/2.0\r\n\r\n", 400),
                              (b"\r\n\r\n", 400),
                              (b"\0" * 100 + b"\n\n", 400),
                              (b"GET /" + b"x" * 5000, 431)):
        check(status(request) == expected, f"{request[:40]}: {status(request)}, not {expected}")
    with socket.create_connection(("127.0.0.1", A.port), timeout=LIMIT) as s:
        for byte in b"GET /metrics HTTP/1.0\r\n\r\n":  # in pieces
            s.sendall(bytes([byte]))
        check(s.recv(12) == b"HTTP/1.0 200", "a request in pieces")


def closed(s):
    try:
        return s.recv(1) == b""
    except ConnectionResetError:
        return True


def crowd():
    """Silent and greedy clients delay others by a bounded time, and cost no memory."""
    def resident():
        with open(f"/proc/{A.daemon.pid}/status") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))
    before = resident()
    silent = [socket.create_connection(("127.0.0.1", A.port), timeout=LIMIT) for _ in range(16)]
    for s in silent[::2]:
        s.sendall(b"GET /metrics HTTP/1.0\r\n")  # never ended
    for _ in range(100):
        with socket.create_connection(("127.0.0.1", A.port), timeout=LIMIT) as s:
            s.sendall(b"GET /metrics HTTP/1.0\r\n\r\n" * 10)
    check(all(closed(s) for s in silent[:8]), "silent clients are closed")
    check("ach_relay_up" in scrape(A), "others are served then")
    for s in silent:
        s.close()
    check(resident() < before + 8 * 1024, f"memory: {before} before, {resident()} KiB now")


def descriptors():
    """A connection that cannot be accepted waits, and costs no processor time."""
    limits = resource.prlimit(A.daemon.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(A.daemon.pid, resource.RLIMIT_NOFILE, (3, limits[1]))
    with socket.create_connection(("127.0.0.1", A.port), timeout=LIMIT) as s:
        s.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        before, begin = used(A), time.monotonic()
        time.sleep(2)
        check(used(A) - before <= (time.monotonic() - begin) / 4, f"{used(A) - before} s used")
        resource.prlimit(A.daemon.pid, resource.RLIMIT_NOFILE, limits)
        check(s.recv(12) == b"HTTP/1.0 200", "it is served then")


def used(host):
    """Seconds of processor time."""
    with open(f"/proc/{host.daemon.pid}/schedstat") as f:
        return int(f.read().split()[0]) / 1e9


def refused():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for port, text in (("x", "0 to 65535, not 'x'"), ("65536", "not '65536'"),
                           (str(taken.getsockname()[1]), "cannot listen on 127.0.0.1")):
            p = subprocess.run([ACHD, "-p", "0", "--metrics", port, "serve"], timeout=LIMIT,
                               stderr=subprocess.PIPE, text=True)
            check(p.returncode in (1, 2) and text in p.stderr, f"'{text}' in {p.stderr}")


expose(B, "-p", "0", "serve")
PORT = B.port_served()
for test in (figures, promtool, rates, reconnection, names, promtool, requests, crowd, descriptors,
             refused):
    print(f"== {test.__name__}", flush=True)
    test()
for host in (A, B):
    host.kill(signal.SIGTERM)
    check(host.daemon.returncode == 0, "it ends well")
sys.exit(0)
