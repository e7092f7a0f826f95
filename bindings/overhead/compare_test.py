#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare_test.py BUILD LANGUAGE...

Each language prints its rows, those that were built and others if they are installed. A language
that is missing is named, and one whose program fails is an error.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMPARE = Path(__file__).resolve().parent / "compare-languages"
BUILD, *BUILT = sys.argv[1:]
ALL = {"put", "get", "get into", "view"}
OPERATIONS = {"C": ALL - {"get into"}, "C++": ALL, "Common Lisp": ALL, "Java": ALL,
              "Octave": ALL - {"get into"}, "Python": ALL, "Rust": ALL}


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "dirname").symlink_to(shutil.which("dirname"))  # as a PATH with little else

    def results(self, build=BUILD, status=0, rounds=1, **environment):
        """{language: its operations} and what is missing."""
        path = self.folder / "results.json"
        done = subprocess.run([sys.executable, COMPARE, build, "--rounds", str(rounds), "--batches",
                               "20", "--calls", "2", "--json", path], check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, status, done.stdout)
        results = json.loads(path.read_text())
        measured = {}
        for row in results["rows"]:
            self.assertIn(row["contender"], done.stdout)
            self.assertGreaterEqual(row["max_ns"], row["p50_ns"])
            measured.setdefault(row["contender"], set()).add(
                row["scenario"].removeprefix("language "))
        self.assertEqual({*measured, *results["unmeasured"]}, set(OPERATIONS), done.stdout)
        return measured, results["unmeasured"]

    def test_rows(self):
        measured, missing = self.results(rounds=2)
        self.assertEqual(measured, {name: OPERATIONS[name] for name in measured})
        self.assertLessEqual(set(BUILT), set(measured), missing)

    def test_missing(self):
        measured, missing = self.results(PATH=str(self.folder))
        self.assertEqual({*measured} & {"Common Lisp", "Java", "Octave", "Rust"}, set())
        for name, program in {"Common Lisp": "sbcl", "Java": "java", "Octave": "octave-cli",
                              "Rust": "cargo"}.items():
            self.assertEqual(missing[name], f"{program} is not installed")

    def test_failure(self):
        """Of the program in C++, which is copied into a build of its own."""
        programs = self.folder / "bindings/overhead"
        programs.mkdir(parents=True)
        (self.folder / "src").symlink_to(Path(BUILD) / "src")
        (programs / "overhead-c").symlink_to(Path(BUILD) / "bindings/overhead/overhead-c")
        (programs / "overhead-cpp").write_text("#!/bin/sh\necho out of order >&2\nexit 3\n")
        (programs / "overhead-cpp").chmod(0o755)
        measured, missing = self.results(build=self.folder, status=1, PATH=str(self.folder))
        self.assertEqual(measured, {"C": OPERATIONS["C"]})
        self.assertEqual(missing["C++"], "status 3: out of order")
        self.assertIn("ach.abi3.so was not built", missing["Python"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
