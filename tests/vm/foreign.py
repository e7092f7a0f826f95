# SPDX-License-Identifier: BSD-3-Clause
"""Programs cross-compiled for another architecture than this machine's."""
import os
import shutil
import subprocess

import kernels
import machine
import packages

LIMIT = 1200 * packages.TIME


def root(arch):
    """The directory of the architecture's libraries; None for this machine's own."""
    return None if arch == packages.architecture() else f"/usr/{kernels.TRIPLES[arch]}/lib"


def build(arch, top):
    """Build for the architecture; return the build directory."""
    out = os.path.join(top, "build", arch)
    triple = kernels.TRIPLES[arch]
    gone = [p for p in (f"{triple}-gcc", machine.MACHINES[arch][0]) if not shutil.which(p)]
    if gone:
        raise packages.Unavailable(f"{', '.join(gone)} not installed")
    cross = os.path.join(top, "packaging/cross", triple.split("-", maxsplit=1)[0] + ".ini")
    commands = [["ninja", "-C", out]]
    if not os.path.exists(os.path.join(out, "build.ninja")):
        commands.insert(0, ["meson", "setup", "--cross-file", cross, "-Dbench=false", out, top])
    for command in commands:
        r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           stdin=subprocess.DEVNULL, timeout=LIMIT, check=False)
        if r.returncode != 0:
            raise kernels.Broken("programs do not build: " + r.stdout[-500:])
    return out
