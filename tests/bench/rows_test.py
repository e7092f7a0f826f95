#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rows_test.py ACH_BENCH ACH_SCALING ACH_PEERS [ACH_DEVICE_BENCH]

The benchmarks measure whichever side is slower, and a group that cannot be measured costs no other
group.
"""
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BENCH, SCALING, PEERS = sys.argv[1:4]
DEVICES = sys.argv[4] if len(sys.argv) > 4 else None  # of builds without devices
TWO_SIDED = {"bulk", "readers"}  # need a processor for each side
FEW_PEERS = ("--only", "ach,ach polled,ach helper,pipe,eventfd",
             "--scenario", "paced-1k,saturated,spin,poll,poll-saturated")
SMALL_FILE = 3 * 1024 * 1024


def small_files():
    """Large channels cannot be made."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_FILE, SMALL_FILE))


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))


def one_processor():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def descendants(pid):
    """Of a process, the oldest first."""
    found = [pid]
    for each in found:
        with contextlib.suppress(OSError), open(f"/proc/{each}/task/{each}/children") as f:
            found += map(int, f.read().split())
    return sorted(found[2:])  # without the program, which only supervises, and its first child


def brake(process, side):
    """Stop the processes that measure, or those that they started, most of the time."""
    while process.poll() is None:
        chosen = [pid for i, pid in enumerate(descendants(process.pid)) if i % 2 == side]
        for sign, seconds in ((signal.SIGSTOP, 0.0015), (signal.SIGCONT, 0.0007)):
            for pid in chosen:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, sign)
            time.sleep(seconds)


class Rows(unittest.TestCase):
    def results(self, program, *args, before=None, slow=()):
        """slow: 0 or 1, the sides that are slowed down."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            with subprocess.Popen([program, "--quick", "--rounds", "1", *args, "--json", path],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  stdin=subprocess.DEVNULL, preexec_fn=before) as process:
                brakes = [threading.Thread(target=brake, args=(process, side)) for side in slow]
                for each in brakes:
                    each.start()
                said = process.communicate()[0]
                for each in brakes:
                    each.join()
            self.assertEqual(process.returncode, 0, said)
            with open(path) as f:
                return json.load(f)

    def measured(self, results):
        """{(scenario, contender)}, of those that took time."""
        found = {(row["scenario"], row["contender"]): row.get("p50_ns", row.get("p50"))
                 for row in results["rows"]}
        self.assertGreater(min(found.values()), 0, found)
        return set(found)

    def check_bench(self, results, allowed):
        self.assertLessEqual(set(results["unmeasured"]), allowed | {"kernel", "instructions"})
        scenarios = {scenario for scenario, _ in self.measured(results)}
        self.assertLessEqual({"operations", "bulk", "inplace", "readers"} - allowed, scenarios)

    def test_slow_sides(self):
        few = TWO_SIDED if len(os.sched_getaffinity(0)) < 2 else set()
        for slow in [(0,), (1,), (0, 1)]:
            with self.subTest(slow=slow):
                self.check_bench(self.results(BENCH, slow=slow), few)
                self.check_peers(self.results(PEERS, *FEW_PEERS, slow=slow), spin=not few)

    def check_peers(self, results, spin):
        found = self.measured(results)
        wanted = {(scenario, name) for scenario in ("paced-1k", "saturated")
                  for name in ("ach", "futex", "pipe", "eventfd")}
        wanted |= {(scenario, name) for scenario in ("poll", "poll-saturated")
                   for name in ("ach", "ach helper", "futex", "pipe", "eventfd")}
        if spin:
            wanted |= {("spin", name) for name in ("ach", "ach polled", "cache line")}
        self.assertLessEqual(wanted, found)

    def test_one_processor(self):
        results = self.results(BENCH, before=one_processor)
        self.check_bench(results, TWO_SIDED)
        for name in TWO_SIDED:
            self.assertEqual(results["unmeasured"][name], "one processor")
        results = self.results(PEERS, *FEW_PEERS, before=one_processor)
        self.check_peers(results, spin=False)
        self.assertEqual(results["claims"], [])

    def test_network(self):
        found = self.measured(self.results(PEERS, "--only", "achd,TCP", "--scenario", "network"))
        self.assertEqual({("network", name) for name in ("futex-TCP-futex", "achd", "TCP")}, found)

    def test_failed_group(self):
        results = self.results(BENCH, before=small_files)
        self.assertIn("File too large", results["unmeasured"]["inplace"])
        self.check_bench(results, TWO_SIDED | {"inplace"})

    def test_failed_curve(self):
        results = self.results(SCALING, before=small_files)
        self.assertIn("File too large", results["unmeasured"]["sizes"])
        self.assertIn("readers", self.curves(results))

    def curves(self, results):
        """Names of those with points."""
        return {row["scenario"] for row in results["rows"]}

    def test_curves_of_one_processor(self):
        results = self.results(SCALING, before=one_processor)
        self.assertEqual(results["unmeasured"]["polled"], "one processor")
        self.assertIn("writers", self.curves(results))

    @unittest.skipUnless(DEVICES, "built without devices")
    def test_failed_device(self):
        results = self.results(DEVICES, before=few_descriptors)
        self.assertIn("clients_1000", results["unmeasured"])
        self.assertIn(("push_1000Hz", "latency"), self.measured(results))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
