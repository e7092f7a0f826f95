#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every source compiles for i386 without a warning, even if no i386 libraries are installed.

usage: i386.py BUILD

Compiles the sources in the build's compile_commands.json with -fsyntax-only. Headers of other
libraries are this machine's, searched after those of the cross compiler.
"""
import concurrent.futures
import glob
import itertools
import json
import os
import shlex
import shutil
import subprocess
import sys

COMPILER = "i686-linux-gnu-gcc"
LIMIT = 300 * int(os.environ.get("ACH_TEST_TIME", 1))  # seconds per file
FOLDERS = ("src", "tests", "examples")
HEADERS = ["/usr/include"] + glob.glob("/usr/include/*-linux-gnu")  # of this machine
WITH_VALUE = ("-c", "-o", "-MF", "-MQ")
OF_MACHINE = ("-MD", "-m", "-fdiagnostics-color")  # options to leave out


def arguments(command):
    """The compiler's arguments, without its name, input and outputs."""
    words = itertools.dropwhile(lambda w: not w.startswith("-"), shlex.split(command))
    kept = []
    for word in words:
        if word in WITH_VALUE:
            next(words)
        elif not word.startswith(OF_MACHINE):
            kept.append(word)
    return kept


def sources(build):
    """{path: (directory, arguments)}; for a file of several targets, those of the first."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        entries = json.load(f)
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    found = {}
    for e in entries:
        path = os.path.realpath(os.path.join(e["directory"], e["file"]))
        folder = os.path.relpath(path, root).split(os.sep)[0]
        if path.endswith(".c") and folder in FOLDERS:
            found.setdefault(path, (e["directory"], arguments(e["command"])))
    return found


def compiled(path, directory, words):
    """Compile one file; return the compiler's messages if it fails, else an empty string."""
    after = [word for folder in HEADERS for word in ("-idirafter", folder)]
    r = subprocess.run([COMPILER, *words, "-fsyntax-only", *after, path],
                       cwd=directory, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       stdin=subprocess.DEVNULL, timeout=LIMIT, check=False)
    return r.stdout if r.returncode else ""


def main():
    if not shutil.which(COMPILER):
        print(f"skipped: there is no {COMPILER}")
        return 77
    found = sources(sys.argv[1])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = [s for s in pool.map(lambda i: compiled(i[0], *i[1]), found.items()) if s]
    print("".join(said) + f"{len(found)} sources, {len(said)} do not compile")
    return 1 if said or not found else 0


sys.exit(main())
