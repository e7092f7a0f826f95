#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rows_test.py ACH_BENCH ACH_SCALING [ACH_DEVICE_BENCH]

The benchmarks measure whichever side is slower, however coarse the counter is, and a part that cannot
be measured costs no other part.
"""
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

BENCH, SCALING = sys.argv[1:3]
DEVICES = sys.argv[3] if len(sys.argv) > 3 else None  # of builds without devices
TWO_SIDED = {"spinning", "bulk", "readers"}  # need a processor for each side
SMALL_FILE = 3 * 1024 * 1024


def small_files():
    """Large channels cannot be made."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_FILE, SMALL_FILE))


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))


def one_processor():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


class Rows(unittest.TestCase):
    def run_program(self, program, *args, before=None):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.json")
            done = subprocess.run([program, "--quick", *args, "--json", path], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, preexec_fn=before, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)
            with open(path) as f:
                return json.load(f), done.stdout

    def bench(self, *args, before=None):
        return self.run_program(BENCH, "--rounds", "1", *args, before=before)[0]

    def check_measured(self, report, allowed):
        self.assertLessEqual(set(report["unmeasured"]), allowed | {"kernel"})
        for row in report["rows"]:
            self.assertGreater(row["p50"], 0, row)

    def test_slow_sides(self):
        few = TWO_SIDED if len(os.sched_getaffinity(0)) < 2 else set()
        for slow in [("main",), ("peer",), ("main", "peer")]:
            with self.subTest(slow=slow):
                report = self.bench(*[a for side in slow for a in ("--slow", side)])
                self.check_measured(report, few)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one processor")
    def test_coarse_counter(self):
        for slow in [(), ("--slow", "main"), ("--slow", "peer")]:
            with self.subTest(slow=slow):
                report = self.bench("--row", "readers", "--coarse", *slow)
                self.assertEqual(report["unmeasured"], {})
                self.assertGreater(len(report["rows"]), 0)

    def test_one_processor(self):
        report = self.bench(before=one_processor)
        self.check_measured(report, TWO_SIDED)
        for name in TWO_SIDED:
            self.assertEqual(report["unmeasured"][name], "one processor")
        self.assertTrue({"operations", "blocking", "paced", "inplace"} <=
                        {row["group"] for row in report["rows"]})

    def test_failed_row(self):
        report = self.bench(before=small_files)
        self.assertIn("File too large", report["unmeasured"]["inplace"])
        self.check_measured(report, TWO_SIDED | {"inplace"})
        self.assertTrue({"operations", "blocking", "paced"} <=
                        {row["group"] for row in report["rows"]})

    def test_failed_curve(self):
        report, output = self.run_program(SCALING, before=small_files)
        self.assertRegex(output, "sizes: could not be measured: .*File too large")
        self.assertIn("readers", {curve["name"] for curve in report["curves"]})

    def test_curves_of_one_processor(self):
        report, output = self.run_program(SCALING, before=one_processor)
        self.assertIn("polled: could not be measured: one processor", output)
        self.assertIn("writers", {curve["name"] for curve in report["curves"]})

    @unittest.skipUnless(DEVICES, "built without devices")
    def test_failed_device(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "devices.json")
            done = subprocess.run([DEVICES, "--quick", "--json", path], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  preexec_fn=few_descriptors, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)
            with open(path) as f:
                rows = {row["scenario"]: row for row in map(json.loads, f)}
        self.assertIn("unmeasured", rows["clients_1000"])
        self.assertGreater(rows["push_1000Hz"]["received"], 0)

    def test_wrong_side(self):
        done = subprocess.run([BENCH, "--slow", "neither"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--slow takes main or peer", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
