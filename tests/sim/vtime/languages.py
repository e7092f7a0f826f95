#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Timed waits of other languages, whose runtimes use the kernel in ways of their own.

usage: languages.py ACH CASES_DIRECTORY

What has no compiler here is said to be skipped. Java takes minutes on a busy machine, since its
threads hand over to each other all the time: only with ACH_TEST_LONG in the environment.
"""
import os
import shutil
import subprocess
import sys
import tempfile

ACH, FILES = map(os.path.realpath, sys.argv[1:3])
TIME = int(os.environ.get("ACH_TEST_TIME", 1))
LIMIT = 900 * TIME
failures = 0
tmp = tempfile.mkdtemp(prefix="achlanguages.")


def run(name, *command, model="free"):
    global failures
    words = " ".join(f'"{w}"' for w in command)
    world = os.path.join(tmp, "world.cfg")
    with open(world, "w", encoding="utf-8") as f:
        f.write(f'world (name "w" model "{model}" epoch 1700000000.0 hang {300.0 * TIME})\n'
                f'controller (name "a" command [{words}])\n')
    r = subprocess.run([ACH, "sim", "--quiet", world], text=True, cwd=tmp, timeout=LIMIT,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       check=False)
    if r.returncode != 0:
        print(f"FAILED: {name}: status {r.returncode}\n{r.stdout}")
        failures += 1
    else:
        print(f"ok {name}")


def compiled(name, compiler, *command):
    """False, with a word: there is no compiler that works."""
    if not shutil.which(compiler):
        print(f"skipped: {name}: there is no {compiler}")
        return False
    r = subprocess.run([compiler, *command], text=True, cwd=tmp, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, check=False)
    if r.returncode != 0:
        print(f"skipped: {name}: {compiler} fails: {r.stdout.splitlines()[:1]}")
    return r.returncode == 0


def path(name):
    return os.path.join(FILES, name)


run("Python", "/usr/bin/python3", path("waits.py"))
if compiled("C++", "g++", "-std=c++20", "-O2", "-pthread", path("future.cpp"), "-o", "future"):
    run("C++", os.path.join(tmp, "future"))
if compiled("Rust", "rustc", "-O", path("waits.rs"), "-o", "rust"):
    run("Rust", os.path.join(tmp, "rust"))
if "ACH_TEST_LONG" not in os.environ:
    print("skipped: Java: it takes minutes; set ACH_TEST_LONG")
elif compiled("Java", "javac", "-d", tmp, path("Waits.java")):
    run("Java", "java", "-cp", tmp, "Waits", model="measured")
shutil.rmtree(tmp)
sys.exit(1 if failures else 0)
