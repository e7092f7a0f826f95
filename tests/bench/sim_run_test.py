#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""sim_run_test.py BUILD

An experiment that fails costs no other one, and what a machine cannot measure is no failure.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/sim/run")
BUILD = os.path.abspath(sys.argv[1])
# A build without bench/sim/steps, whose bench/peers/ach-peers measures nothing.
PARTS = {part: os.path.join(BUILD, part) for part in ("src", "examples", "bench/sim/subject")}
PARTS["bench/peers/ach-peers"] = "/bin/true"


def one_processor():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


class Run(unittest.TestCase):
    def experiments(self, build, names, before=None):
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run([RUN, "--quick", "--only", names, "--out", out, build],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  preexec_fn=before, check=False)
            with open(os.path.join(out, "experiments.json")) as f:
                return done, json.load(f)

    def test_failure(self):
        with tempfile.TemporaryDirectory() as build:
            for folder in ("bench/sim", "bench/peers"):
                os.makedirs(os.path.join(build, folder))
            for part, target in PARTS.items():
                os.symlink(target, os.path.join(build, part))
            done, found = self.experiments(build, "fig1,overhead,overrun")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(list(found["failed"]), ["fig1", "overhead"])
        self.assertIn("is not built", found["failed"]["fig1"])
        self.assertIn("FileNotFoundError", found["failed"]["overhead"])
        self.assertEqual({one["experiment"] for one in found["results"]}, {"overrun"})

    def test_one_processor(self):
        done, found = self.experiments(BUILD, "cores,overrun", one_processor)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(found["unmeasured"], {"cores": "one processor"})
        self.assertEqual({one["experiment"] for one in found["results"]}, {"overrun"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
