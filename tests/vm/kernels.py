# SPDX-License-Identifier: BSD-3-Clause
"""Debian's kernels and their headers, unpacked below build/vm: nothing gets installed."""
import os
import re
import shutil
import subprocess

PACKAGE_LIMIT = 600
MODULE_LIMIT = 600
# The kinds, with what Debian puts into the names of their packages.
DEBIAN = {"vanilla": "", "rt": "rt-"}


class Unavailable(Exception):
    """There is no such kernel to be had, and why."""


class Broken(Exception):
    """A kernel should be there, and is not."""


class Kernel:
    """A kernel that boots, what builds modules for it, and how many times slower it is."""

    def __init__(self, name, release, image, headers, slow=1):
        self.name = name
        self.release = release
        self.image = image
        self.headers = headers
        self.slow = slow


def architecture():
    return output(["dpkg", "--print-architecture"]).strip()


def output(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, check=True, timeout=PACKAGE_LIMIT,
                          **options).stdout


class Apt:
    """Packages from where this system gets its own, without the rights to install any."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "packages")
        self.private = os.path.join(folder, "apt")
        self.options = []
        os.makedirs(self.folder, exist_ok=True)

    def refresh(self):
        """From now on, lists of our own that are up to date."""
        for d in ("lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(self.private, d), exist_ok=True)
        self.options = ["-o", f"Dir::State::lists={self.private}/lists",
                        "-o", f"Dir::Cache={self.private}/cache"]
        output(["apt-get", "-qq"] + self.options + ["update"])

    def depends(self, package, prefix):
        """The names of packages that this one needs, those that begin so."""
        said = output(["apt-cache"] + self.options + ["depends", package])
        found = [line.split()[1] for line in said.splitlines() if " Depends: " in line]
        found = [name for name in found if name.startswith(prefix)]
        if not found:
            raise LookupError(f"apt knows no package {package}")
        return found

    def download(self, package):
        """The file of a package, which is kept."""
        shown = output(["apt-cache"] + self.options + ["show", "--no-all-versions", package])
        names = [line.split()[1] for line in shown.splitlines() if line.startswith("Filename: ")]
        if not names:
            raise LookupError(f"apt knows no package {package}")
        name = os.path.basename(names[0])
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            part = os.path.join(self.folder, "part")
            shutil.rmtree(part, ignore_errors=True)
            os.makedirs(part)
            print(f"downloading {name}", flush=True)
            output(["apt-get", "-qq"] + self.options + ["download", package], cwd=part)
            os.rename(os.path.join(part, os.listdir(part)[0]), path)
            os.rmdir(part)
        return path


def unpack(deb, root, only=()):
    """Once per file."""
    done = os.path.join(root, os.path.basename(deb) + ".unpacked")
    if os.path.exists(done):
        return
    os.makedirs(root, exist_ok=True)
    with subprocess.Popen(["dpkg", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as tar:
        subprocess.run(["tar", "-x", "-C", root, "--no-same-owner"] + list(only), stdin=tar.stdout,
                       check=True, timeout=PACKAGE_LIMIT)
    if tar.returncode != 0:
        raise OSError(f"cannot unpack {deb}")
    with open(done, "w"):
        pass


def adapt_headers(root, release):
    """The only absolute path in the packages."""
    makefile = os.path.join(root, "usr/src", f"linux-headers-{release}", "Makefile")
    with open(makefile) as f:
        text = f.read()
    with open(makefile, "w") as f:
        f.write(re.sub("include .*/usr/src/", f"include {root}/usr/src/", text))
    return os.path.dirname(makefile)


def fetch(apt, name, root):
    """The newest kernel of that kind, with the headers of the same version."""
    meta = f"linux-image-{DEBIAN[name]}{architecture()}"
    package = apt.depends(meta, "linux-image-")[0]
    release = package[len("linux-image-"):]
    headers = f"linux-headers-{release}"
    unpack(apt.download(package), root, ["./boot"])
    for p in [headers] + apt.depends(headers, "linux-"):
        unpack(apt.download(p), root)
    return Kernel(name, release, os.path.join(root, "boot", f"vmlinuz-{release}"),
                  adapt_headers(root, release))


def from_packages(what, apt, get):
    """get(), if need be with newer lists of packages."""
    try:
        try:
            return get()
        except (subprocess.CalledProcessError, LookupError):
            apt.refresh()
            return get()
    except (subprocess.SubprocessError, LookupError, OSError) as e:
        said = (getattr(e, "stderr", "") or str(e)).strip().splitlines()
        raise Unavailable(f"cannot download {what}: {said[-1] if said else e}") from e


def debian(name, folder):
    apt = Apt(folder)
    return from_packages(f"a {name} kernel", apt,
                         lambda: fetch(apt, name, os.path.join(folder, "debian")))


def busybox(folder):
    """The static one, which would push another one out if it were installed."""
    apt = Apt(folder)
    root = os.path.join(folder, "busybox")
    from_packages("busybox-static", apt, lambda: unpack(apt.download("busybox-static"), root))
    return os.path.join(root, "bin", "busybox")


def build_module(kernel, top, folder):
    """src/kmod for this kernel: the file, or None and the log tells."""
    work = os.path.join(folder, "kmod")
    with open(os.path.join(folder, "kmod.log"), "w") as log:
        r = subprocess.run(["make", "-C", os.path.join(top, "src/kmod"), f"KDIR={kernel.headers}",
                            f"BUILD={work}"], stdout=log, stderr=subprocess.STDOUT,
                           stdin=subprocess.DEVNULL, timeout=MODULE_LIMIT, check=False)
    if r.returncode != 0:
        return None
    small = os.path.join(folder, "ach.ko")
    output(["strip", "--strip-debug", "-o", small, os.path.join(work, "ach.ko")])
    return small
