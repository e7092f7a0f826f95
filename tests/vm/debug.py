# SPDX-License-Identifier: BSD-3-Clause
"""Kernels with debug checks, built from Debian's sources with hardly any drivers."""
import glob
import os
import shutil
import subprocess

import kernels
import packages

CONFIGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "config")
BUILD_LIMIT = 4 * 3600 * packages.TIME
IMAGES = {"arm64": ("Image", "arch/arm64/boot/Image"),
          "amd64": ("bzImage", "arch/x86/boot/bzImage")}
# Additional arguments of make.
OPTIONS = {"race": ["KCSAN_SANITIZE=n"]}
NAMES = ("debug", "race")
SLOW = 10
NEEDED = ("bison", "flex", "bc", "xz")


def source(apt, folder):
    """The unpacked sources of Debian's kernel."""
    root = os.path.join(folder, "source")
    deb = apt.download(apt.depends("linux-source", "linux-source-")[0])
    packages.unpack(deb, root)
    tree = os.path.join(root, os.path.basename(deb)[:-len(".deb")])
    if not os.path.exists(tree):
        part = tree + ".part"
        shutil.rmtree(part, ignore_errors=True)
        os.makedirs(part)
        archive = glob.glob(os.path.join(root, "usr/src/linux-source-*.tar.xz"))[0]
        subprocess.run(["tar", "-xf", archive, "-C", part, "--strip-components=1"], check=True,
                       timeout=packages.LIMIT)
        os.rename(part, tree)
    return tree


def configuration(name):
    text = ""
    for part in ("base", name):
        with open(os.path.join(CONFIGS, part)) as f:
            text += f.read()
    return text


def make(tree, out, log, *words):
    r = subprocess.run(["nice", "make", "-C", tree, f"O={out}", f"-j{os.cpu_count()}"] +
                       list(words), stdout=log, stderr=subprocess.STDOUT,
                       stdin=subprocess.DEVNULL, timeout=BUILD_LIMIT, check=False)
    return r.returncode == 0


def build(name, tree, out, log):
    target, image = IMAGES[packages.architecture()]
    wanted = os.path.join(out, "wanted")
    text = configuration(name)
    if os.path.exists(wanted) and os.path.exists(os.path.join(out, image)):
        with open(wanted) as f:
            if f.read() == text + tree:
                return os.path.join(out, image)
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "fragment"), "w") as f:
        f.write(text)
    options = OPTIONS.get(name, [])
    if not (make(tree, out, log, f"KCONFIG_ALLCONFIG={out}/fragment", "allnoconfig") and
            make(tree, out, log, *options, target, "modules")):
        return None
    with open(wanted, "w") as f:
        f.write(text + tree)
    return os.path.join(out, image)


def kernel(name, folder):
    gone = [p for p in NEEDED if not shutil.which(p)]
    if gone:
        raise packages.Unavailable(f"{', '.join(gone)} not installed")
    apt = packages.Apt(folder)
    tree = packages.get("linux-source", [apt], lambda: source(apt, folder))
    out = os.path.join(folder, name, "linux")
    path = os.path.join(folder, name, "build.log")
    os.makedirs(out, exist_ok=True)
    print(f"building a {name} kernel, see {path}", flush=True)
    with open(path, "w") as log:
        image = build(name, tree, out, log)
    if not image:
        raise kernels.Broken(f"does not build, see {path}")
    return kernels.Kernel(name, os.path.basename(tree), image, out, SLOW)
