# SPDX-License-Identifier: BSD-3-Clause
"""Debian's kernels, and the module built for them."""
import os
import re
import subprocess

import packages

MODULE_LIMIT = 600 * packages.TIME
# A warning is an error. Types for tracers, which would need another program, are left out.
KBUILD_ARGS = "W=1 KCFLAGS=-Werror CONFIG_DEBUG_INFO_BTF_MODULES="
# What Debian puts into the names of the packages. The new ones are made for a later release.
DEBIAN = {"vanilla": "", "rt": "rt-", "new": "", "new-rt": "rt-"}
NEW = ("new", "new-rt")
# By Debian's names of the architectures: others that a kernel can be had for, and compilers.
FOREIGN = {"arm64": ("amd64",), "amd64": ("arm64",)}
TRIPLES = {"arm64": "aarch64-linux-gnu", "amd64": "x86_64-linux-gnu"}


class Broken(Exception):
    """A kernel should be there, and is not."""


class Kernel:
    """A kernel that boots, what builds modules for it, and how many times slower it is."""

    def __init__(self, name, release, image, headers, slow=1, arch=None):
        self.name = name
        self.release = release
        self.image = image
        self.headers = headers
        self.slow = slow
        self.arch = arch or packages.architecture()


def adapt_headers(root, release):
    """The only absolute path in the packages."""
    makefile = os.path.join(root, "usr/src", f"linux-headers-{release}", "Makefile")
    with open(makefile) as f:
        text = f.read()
    with open(makefile, "w") as f:
        f.write(re.sub("include .*/usr/src/", f"include {root}/usr/src/", text))
    return os.path.dirname(makefile)


def fetch(apt, tools, infix, arch, root):
    """The newest kernel of a kind: its release, with the headers of the same version.

    Programs that build modules come from packages of this system's own architecture.
    """
    package = apt.depends(f"linux-image-{infix}{arch}", "linux-image-")[0]
    release = package[len("linux-image-"):]
    headers = f"linux-headers-{release}"
    packages.unpack(apt.download(package), root, ["./boot"])
    for p in [headers] + apt.depends(headers, "linux-headers-"):
        packages.unpack(apt.download(p), root)
    for p in apt.depends(headers, "linux-kbuild-"):
        packages.unpack(tools.download(p), root)
    return release


def debian(name, folder):
    own = packages.architecture()
    arch = name if name in FOREIGN.get(own, ()) else own
    tools = packages.Apt(folder, backports=name in NEW)
    apt = packages.Apt(folder, arch=arch) if arch != own else tools
    root = os.path.join(folder, "debian" if arch == own else f"debian-{arch}")
    release = packages.get(f"a {name} kernel", {apt, tools},
                           lambda: fetch(apt, tools, DEBIAN.get(name, ""), arch, root))
    return Kernel(name, release, os.path.join(root, "boot", f"vmlinuz-{release}"),
                  adapt_headers(root, release), 1 if arch == own else 3, arch)


def busybox(folder, arch):
    """The static one, which would push another one out if it were installed."""
    apt = packages.Apt(folder, arch=None if arch == packages.architecture() else arch)
    root = os.path.join(folder, f"busybox-{arch}")
    packages.get("busybox-static", [apt],
                 lambda: packages.unpack(apt.download("busybox-static"), root))
    places = [os.path.join(root, d, "busybox") for d in ("usr/bin", "bin")]  # since Debian 13; before
    found = [p for p in places if os.path.exists(p)]
    if not found:
        raise Broken(f"busybox-static has none of {', '.join(places)}")
    return found[0]


def build_module(kernel, top, folder):
    """src/kmod for this kernel: the file, or None and the log tells."""
    work = os.path.join(folder, "kmod")
    arguments = f"{KBUILD_ARGS} CROSS_COMPILE={TRIPLES[kernel.arch]}-"
    with open(os.path.join(folder, "kmod.log"), "w") as log:
        r = subprocess.run(["make", "-C", os.path.join(top, "src/kmod"), f"KDIR={kernel.headers}",
                            f"BUILD={work}", f"KBUILD_ARGS={arguments}"], stdout=log,
                           stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                           timeout=MODULE_LIMIT, check=False)
    if r.returncode != 0:
        return None
    small = os.path.join(folder, "ach.ko")
    packages.output([f"{TRIPLES[kernel.arch]}-strip", "--strip-debug", "-o", small,
                     os.path.join(work, "ach.ko")])
    return small
