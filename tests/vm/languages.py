# SPDX-License-Identifier: BSD-3-Clause
"""Tests of languages on kernel channels: the script of bindings/conformance, and some more.

The programs need interpreters, libraries and the build directory. So they run with the files of
the host, see guest/on-host.
"""
import json
import os
import shlex
import subprocess

import kernels
import packages

# Names of tests in the build. Those of QUICK take a minute together.
SCRIPT = "languages-"
QUICK = tuple(SCRIPT + language for language in ("c", "cpp", "rust", "python", "java"))
ALL = QUICK + (SCRIPT + "lisp", SCRIPT + "octave", "python-inplace", "python-waiting")
PREPARE_LIMIT = 600 * packages.TIME


def chosen(args):
    if args.script:
        return ()
    if args.only:
        return [n for n in ALL if n in args.only.split(",")]
    return ALL if args.long else QUICK


def commands(args):
    """By name of the test: its environment and its command."""
    names = chosen(args)
    if not names:
        return {}
    tests = json.loads(packages.output(["meson", "introspect", "--tests", args.build]))
    of_name = {t["name"]: t for t in tests}
    found = {}
    for name in names:
        test = of_name.get(name)
        if test:
            command = test["cmd"]
            # The guest has its own tests/support/run, and its own limits.
            found[name] = test["env"], command[2:] if command[0].endswith("/run") else command
    return found


def prepare(args):
    """Compile what the scripts' programs compile when they run: a guest would take long."""
    for name, (env, command) in commands(args).items():
        if not name.startswith(SCRIPT):
            continue
        r = subprocess.run(command, cwd=args.build, env={**os.environ, **env, "CHANNELS": "none"},
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           stdin=subprocess.DEVNULL, timeout=PREPARE_LIMIT, check=False)
        if r.returncode not in (0, 77):
            raise kernels.Broken(f"{name} cannot be prepared: {r.stdout[-500:]}")


def scripts(args):
    """By name of the test: the text of a script that runs it in a guest."""
    found = {}
    for name, (env, command) in commands(args).items():
        env = {**env, "CHANNELS": "kernel", "HOME": "/tmp"}
        # busybox leaves SIGINT and SIGQUIT ignored, and the tests of Ctrl-C need them.
        words = ["on-host", "/usr/bin/env", "-C", os.path.abspath(args.build),
                 "--default-signal=INT,QUIT"]
        words += [f"{k}={v}" for k, v in env.items()] + command
        found[name] = f"#!/bin/busybox sh\nexec {shlex.join(words)}\n"
    return found
