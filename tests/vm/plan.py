# SPDX-License-Identifier: BSD-3-Clause
"""The tests that a guest runs."""
import glob
import os
import subprocess

import languages
import packages

# Folders of the build with programs for guests.
FOLDERS = ("tests/conformance", "tests/kernel", "tests/vm")
RELAY = ("src/relay/achd", "src/cli/ach", "tests/relay/relay-oracle")
# Tests of channels in memory whose result depends on the kernel. The others depend on the library
# only, and have run on the host; --long runs them here, too. Without --long they run on the
# real-time kernel only: the other kernel has the same version.
SAMPLE = {"user": ("kill", "lock", "many", "wait"), "heap": ("lock", "wait")}


class Test:
    """A line of the plan. The text of its script, if it has one, is a program in the guest that
    uses the host's files."""

    def __init__(self, name, limit, command, script=None):
        self.name = name
        self.limit = limit
        self.command = command
        self.script = script


def programs(build, folders=FOLDERS):
    found = []
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(build, folder, "*"))):
            if os.path.isfile(path) and os.access(path, os.X_OK):
                found.append(path)
    return found


def relay(build, tests):
    """The programs of relay-sctp, if it is one of these tests."""
    wanted = any(t.name == "relay-sctp" for t in tests)
    return [os.path.join(build, path) for path in RELAY] if wanted else []


def settings(args, slow):
    """Environment variables of the guest's programs."""
    return {"ACH_TEST_SCALE": max((100 if args.long else 5) // slow, 1),
            "ACH_TEST_TIME": packages.TIME}


def conformance(args, kind):
    """The conformance tests on channels of this kind: all, or those of the sample."""
    command = f"conformance {kind}"
    if not args.long and not args.only:
        program = os.path.join(args.build, "tests/conformance/conformance")
        listed = subprocess.check_output([program, "--list"], text=True)
        names = [line.partition(":")[0] for line in listed.splitlines()]
        command = " ".join([command] + [n for n in names if n.split("-")[0] in SAMPLE[kind]])
    return Test(f"conformance-{kind}", 600, command)


def of_the_module(args, build):
    seconds = args.seconds or (600 if args.long else 30)  # on each kernel
    own = [os.path.basename(p) for p in programs(build, ["tests/kernel"])]
    return [Test("module-load", 120, "module-load"),
            Test("conformance-kernel", 600, "conformance kernel")] + \
        [Test(name, 600, name) for name in own] + \
        [Test("stress", seconds + 600, f"vm-stress {seconds // 2} {args.seed}"),
         Test("fuzz", seconds + 600, f"vm-fuzz {seconds // 2} {args.seed}"),
         Test("module-gone", 120, "module-gone")]


def tests(args, build, kernel):
    if args.script:
        return [Test("script", 3600, " ".join([os.path.basename(args.script)] + args.argument))]
    plan = of_the_module(args, build)
    every = args.long or args.only
    if kernel.share and (every or kernel.name == "vanilla"):
        plan[2:2] = [Test(name, 1200, name, text) for name, text in languages.scripts(args).items()]
    if kernel.sctp and (every or kernel.name == "vanilla"):
        plan[2:2] = [Test("relay-sctp", 900, "relay-sctp")]
    if every or kernel.name == "rt":
        plan = [conformance(args, "user"), conformance(args, "heap")] + plan
    if args.only:
        needed = ["module-load", "module-gone"] + args.only.split(",")
        plan = [t for t in plan if t.name in needed]
    for t in plan:
        t.limit *= kernel.slow
    return plan
