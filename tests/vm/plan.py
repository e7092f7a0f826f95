# SPDX-License-Identifier: BSD-3-Clause
"""Which tests a guest runs."""
import glob
import os

import kernels

# Where the build has programs for guests.
FOLDERS = ("tests/conformance", "tests/kernel", "tests/vm")


class Test:
    def __init__(self, name, limit, command):
        self.name = name
        self.limit = limit
        self.command = command


def programs(build):
    found = []
    for folder in FOLDERS:
        for path in sorted(glob.glob(os.path.join(build, folder, "*"))):
            if os.path.isfile(path) and os.access(path, os.X_OK):
                found.append(path)
    return found


def module(kernel, top, folder):
    if not os.path.exists(os.path.join(top, "src/kmod/Kbuild")):
        return None
    return kernels.build_module(kernel, top, folder)


def settings(args):
    return {"ACH_TEST_SCALE": "100" if args.long else "20", "STRESS_SEED": args.seed,
            "STRESS_SECONDS": args.seconds or (600 if args.long else 60)}


def tests(args, build, have_module):
    if args.script:
        return [Test("script", 3600, " ".join([os.path.basename(args.script)] + args.argument))]
    plan = [
        Test("conformance-user", 300, "conformance user"),
        Test("conformance-heap", 300, "conformance heap"),
    ]
    if args.only:
        plan = [t for t in plan if t.name in args.only.split(",")]
    return plan
