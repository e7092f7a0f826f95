# SPDX-License-Identifier: BSD-3-Clause
"""Debian's kernels, and the module built for them."""
import glob
import os
import re
import subprocess

import packages

MODULE_LIMIT = 600 * packages.TIME
# Warnings are errors. BTF types for tracers are left out: they would need another program.
KBUILD_ARGS = "W=1 KCFLAGS=-Werror CONFIG_DEBUG_INFO_BTF_MODULES="
# The infix of the package names in Debian. The kernels in NEW come from backports.
DEBIAN = {"vanilla": "", "rt": "rt-", "new": "", "new-rt": "rt-"}
NEW = ("new", "new-rt")
# By Debian architecture: foreign architectures to test, and prefixes of compilers.
FOREIGN = {"arm64": ("amd64",), "amd64": ("arm64",)}
# Modules of the kernel that share the host's files, in the order in which they are loaded. Some
# kernels have some of them built in.
SHARE = ("virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci",
         "netfs", "fscache", "9pnet", "9pnet_virtio", "9p", "overlay")
# The same for SCTP.
SCTP = ("crc32c_generic", "libcrc32c", "udp_tunnel", "ip6_udp_tunnel", "sctp")
# The same for a slow link between two network namespaces.
NETWORK = ("veth", "sch_netem")
TRIPLES = {"arm64": "aarch64-linux-gnu", "amd64": "x86_64-linux-gnu"}


class Broken(Exception):
    """A kernel or program that should exist is missing or does not build."""


class Kernel:
    """A bootable kernel, the headers to build modules for it, its slowdown factor, the modules
    that share the host's files, those of SCTP, and those of a slow link."""

    def __init__(self, name, release, image, headers, slow=1, arch=None, share=(), sctp=(),
                 network=()):
        self.name = name
        self.release = release
        self.image = image
        self.headers = headers
        self.slow = slow
        self.arch = arch or packages.architecture()
        self.share = share
        self.sctp = sctp
        self.network = network


def adapt_headers(root, release):
    """Correct the only absolute path in the packages of headers."""
    makefile = os.path.join(root, "usr/src", f"linux-headers-{release}", "Makefile")
    with open(makefile) as f:
        text = f.read()
    with open(makefile, "w") as f:
        f.write(re.sub("include .*/usr/src/", f"include {root}/usr/src/", text))
    return os.path.dirname(makefile)


def fetch(apt, tools, infix, arch, root):
    """Unpack the newest kernel of a kind, and headers of the same version. Returns its release.

    The programs that build modules (linux-kbuild) are for this system's own architecture.
    """
    package = apt.depends(f"linux-image-{infix}{arch}", "linux-image-")[0]
    release = package[len("linux-image-"):]
    headers = f"linux-headers-{release}"
    packages.unpack(apt.download(package), root, ["./boot"])
    packages.unpack(apt.download(package), os.path.join(root, "modules"),
                    ["--wildcards", "*/kernel/fs/*", "*/kernel/net/9p/*",
                     "*/kernel/drivers/virtio/*"])
    packages.unpack(apt.download(package), os.path.join(root, "modules-sctp"),
                    ["--wildcards", "*/kernel/net/*", "*/kernel/lib/*", "*/kernel/crypto/*"])
    packages.unpack(apt.download(package), os.path.join(root, "modules-veth"),
                    ["--wildcards", "*/kernel/drivers/net/veth*"])
    for p in [headers] + apt.depends(headers, "linux-headers-"):
        packages.unpack(apt.download(p), root)
    for p in apt.depends(headers, "linux-kbuild-"):
        packages.unpack(tools.download(p), root)
    return release


def modules(root, release, names):
    """The kernel's modules with these names. Those that are built in are missing."""
    found = [glob.glob(os.path.join(root, "modules*", "**", release, "**", f"{name}.ko*"),
                       recursive=True) for name in names]
    return [paths[0] for paths in found if paths]


def debian(name, folder):
    own = packages.architecture()
    arch = name if name in FOREIGN.get(own, ()) else own
    tools = packages.Apt(folder, backports=name in NEW)
    apt = packages.Apt(folder, arch=arch) if arch != own else tools
    root = os.path.join(folder, "debian" if arch == own else f"debian-{arch}")
    release = packages.get(f"a {name} kernel", {apt, tools},
                           lambda: fetch(apt, tools, DEBIAN.get(name, ""), arch, root))
    return Kernel(name, release, os.path.join(root, "boot", f"vmlinuz-{release}"),
                  adapt_headers(root, release), 1 if arch == own else 3, arch,
                  modules(root, release, SHARE) if arch == own else (),
                  modules(root, release, SCTP) if arch == own else (),
                  modules(root, release, NETWORK) if arch == own else ())


def busybox(folder, arch):
    """The path of busybox-static, unpacked: installing it would remove the package busybox."""
    apt = packages.Apt(folder, arch=None if arch == packages.architecture() else arch)
    root = os.path.join(folder, f"busybox-{arch}")
    packages.get("busybox-static", [apt],
                 lambda: packages.unpack(apt.download("busybox-static"), root))
    places = [os.path.join(root, d, "busybox") for d in ("usr/bin", "bin")]  # Debian 13; older
    found = [p for p in places if os.path.exists(p)]
    if not found:
        raise Broken(f"busybox-static has none of {', '.join(places)}")
    return found[0]


def build_module(kernel, top, folder):
    """Build src/kmod for this kernel. Returns the module's path, or None: see kmod.log."""
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
