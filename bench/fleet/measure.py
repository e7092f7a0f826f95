#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure.py BUILD   print what a message costs in each hop, as JSON

Latencies are medians of messages of 64 bytes between processes on this machine. The processor time
of a message is that of achd, at 1000 messages per second."""
import contextlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
ACH, ACHD = f"{BUILD}/src/cli/ach", f"{BUILD}/src/relay/achd"
LATENCY = f"{BUILD}/bench/dds/dds-latency"
LIMIT = 120
FLOWS = 200
RATE, SECONDS = 1000, 10


def output(*command, env=None):
    return subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, timeout=LIMIT).stdout


def start(directory, *command):
    return subprocess.Popen(command, env={**os.environ, "ACH_DIR": directory},
                            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)


def latencies():
    """p50 in microseconds, of the rows of bench/dds and of the same program with achd."""
    if not os.path.exists(LATENCY):
        return {}
    rows = output(os.path.join(os.path.dirname(__file__), "../dds/run"), BUILD, "latency")
    found = {name: median(row, rows) for name, row in
             (("channel_us", "put, get, without DDS"), ("dds_us", "writer, reader"),
              ("dds_bridge_us", "put, ach-dds push, reader"))}
    with relays(1) as (here, there, _):
        sender = start(here, LATENCY, "send", "channel", "c0", "0")
        try:
            found["relay_us"] = median("", output(LATENCY, "receive", "channel", "c0", "0",
                                                  env={**os.environ, "ACH_DIR": there}))
        finally:
            sender.kill()
            sender.wait()
    return found


def median(row, text):
    return float(re.search(row + r" *p50 +([\d.]+)", text)[1])


def used(process):
    """Processor time in seconds."""
    with open(f"/proc/{process.pid}/schedstat") as f:
        return int(f.read().split()[0]) / 1e9


def resident(process):
    """Memory in KiB, without the channels."""
    with open(f"/proc/{process.pid}/status") as f:
        fields = dict(line.split(":") for line in f)
    return int(fields["RssAnon"].split()[0])


def until(condition):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"not within {LIMIT} s")
        time.sleep(0.05)


def port_of(directory):
    """The port of the server, from the name of its status channel."""
    return next((m[1] for m in (re.fullmatch(r"achshm-achd-status\.(\d+)", name)
                                for name in os.listdir(directory)) if m), None)


def opened(directory):
    status = subprocess.run([ACH, "relay", "status", "--json"], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, env={**os.environ, "ACH_DIR": directory})
    flows = [f for line in status.stdout.splitlines() for l in json.loads(line)["links"]
             for f in l["flows"]]
    return [f for f in flows if f["state"] == "open"]


@contextlib.contextmanager
def relays(flows):
    """Two achd: the directories of their channels, and their processes. One pushes all channels."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as here, \
            tempfile.TemporaryDirectory(dir="/dev/shm") as there:
        names = [f"c{i}" for i in range(flows)]
        output(ACH, "mk", "-m", "16", "-n", "64", *names, env={**os.environ, "ACH_DIR": here})
        processes = [start(there, ACHD, "-q", "-p", "0", "serve")]
        try:
            until(lambda: port_of(there))
            config = os.path.join(here, "config")
            with open(config, "w") as f:
                f.writelines(f"push 127.0.0.1:{port_of(there)} {name} all\n" for name in names)
            processes.insert(0, start(here, ACHD, "-q", "run", config))
            until(lambda: len(opened(here)) == flows)
            yield here, there, processes
        finally:
            for p in processes:
                p.terminate()
                p.wait(LIMIT)


def processor_time():
    """Seconds per message, of the sender and of the receiver."""
    with relays(1) as (here, there, processes):
        before = [used(p) for p in processes]
        putter = start(here, ACH, "put", "--line", "c0")
        for _ in range(RATE * SECONDS):
            putter.stdin.write(b"x" * 63 + b"\n")
            putter.stdin.flush()
            time.sleep(1 / RATE)
        putter.stdin.close()
        putter.wait(LIMIT)
        after = [used(p) for p in processes]
        time.sleep(2)  # until the status has the last figures
        count = opened(there)[0]["messages"]
    return [(a - b) / count for a, b in zip(after, before)]


def holdings(flows):
    """(memory in KiB, descriptors) of the sender and of the receiver."""
    with relays(flows) as (_, _, processes):
        return [(resident(p), len(os.listdir(f"/proc/{p.pid}/fd"))) for p in processes]


def main():
    costs = {"machine": f"{platform.machine()}, {os.cpu_count()} processors, "
                        f"Linux {platform.release().split('-')[0]}, load {os.getloadavg()[0]:.1f}",
             "date": time.strftime("%Y-%m-%d")} | latencies()
    send, receive = processor_time()
    costs["send_us"] = round(send * 1e6, 1)
    costs["receive_us"] = round(receive * 1e6, 1)
    for side, few, many in zip(("send", "receive"), holdings(1), holdings(FLOWS)):
        costs[f"{side}_kb"] = round((many[0] - few[0]) / (FLOWS - 1), 1)
        costs[f"{side}_descriptors"] = round((many[1] - few[1]) / (FLOWS - 1), 1)
    json.dump(costs, sys.stdout, indent=1)
    print()


main()
