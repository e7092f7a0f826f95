# SPDX-License-Identifier: BSD-3-Clause
"""The script of operations of bindings/conformance on kernel channels, in each language.

The programs need interpreters, libraries and the build directory. So they run with the files of
the host, see guest/on-host.
"""
import json
import os
import shlex
import subprocess

import kernels
import packages

# Those of QUICK take a minute together.
QUICK = ("c", "cpp", "rust", "python", "java")
ALL = QUICK + ("lisp", "octave")
PREPARE_LIMIT = 600 * packages.TIME


def chosen(args):
    if args.script:
        return ()
    if args.only:
        return [n for n in ALL if f"languages-{n}" in args.only.split(",")]
    return ALL if args.long else QUICK


def commands(args):
    """By language: the environment and the command of its test in the build."""
    names = chosen(args)
    if not names:
        return {}
    tests = json.loads(packages.output(["meson", "introspect", "--tests", args.build]))
    of_name = {t["name"]: t for t in tests}
    found = {}
    for language in names:
        test = of_name.get(f"languages-{language}")
        if test:
            command = test["cmd"]
            # The guest has its own tests/support/run, and its own limits.
            found[language] = test["env"], command[2:] if command[0].endswith("/run") else command
    return found


def prepare(args):
    """Compile what the tests compile when they run: a guest would take long."""
    for language, (env, command) in commands(args).items():
        r = subprocess.run(command, cwd=args.build, env={**os.environ, **env, "CHANNELS": "none"},
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           stdin=subprocess.DEVNULL, timeout=PREPARE_LIMIT, check=False)
        if r.returncode not in (0, 77):
            raise kernels.Broken(f"languages-{language} cannot be prepared: {r.stdout[-500:]}")


def scripts(args):
    """By name of the test: the text of a script that runs it in a guest."""
    found = {}
    for language, (env, command) in commands(args).items():
        env = {**env, "CHANNELS": "kernel", "HOME": "/tmp"}
        words = ["on-host", "/usr/bin/env", "-C", os.path.abspath(args.build)]
        words += [f"{k}={v}" for k, v in env.items()] + command
        found[f"languages-{language}"] = f"#!/bin/busybox sh\nexec {shlex.join(words)}\n"
    return found
