# SPDX-License-Identifier: BSD-3-Clause
"""Debian's packages, downloaded and unpacked, but not installed."""
import os
import platform
import shutil
import subprocess

# Factor of all time limits.
TIME = int(os.environ.get("ACH_TEST_TIME", 1))
LIMIT = 600 * TIME


class Unavailable(Exception):
    """A package or tool is not available here; the text is the reason."""


def output(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, check=True, timeout=LIMIT, **options).stdout


def architecture():
    """This system's architecture, by Debian's name if it is Debian, else by the kernel's."""
    if not shutil.which("dpkg"):
        return platform.machine()
    return output(["dpkg", "--print-architecture"]).strip()


def own_source():
    """The mirror and the release that this system's packages come from."""
    said = output(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)",
                   "Created-By: Packages"])
    for line in said.splitlines():
        uri, _, release = line.partition(" ")
        if "-" not in release:
            return uri, release
    raise Unavailable("apt does not say what release this is")


class Apt:
    """Downloads packages from this system's mirror, without privileges.

    Also from backports, or for another architecture.
    """

    def __init__(self, folder, backports=False, arch=None):
        self.folder = os.path.join(folder, "packages")
        self.backports = backports
        self.arch = arch
        self.private = os.path.join(folder, "apt" + backports * "-backports" +
                                    (f"-{arch}" if arch else ""))
        self.options = self.private_options() if backports or arch else []
        os.makedirs(self.folder, exist_ok=True)

    def private_options(self):
        """Options of apt for private package lists and a private cache."""
        for d in ("lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(self.private, d), exist_ok=True)
        settings = [f"Dir::State::lists={self.private}/lists", f"Dir::Cache={self.private}/cache"]
        if self.arch:
            settings += [f"APT::Architecture={self.arch}", f"APT::Architectures={self.arch}"]
        if self.backports:
            uri, release = own_source()
            path = os.path.join(self.private, "sources.list")
            with open(path, "w") as f:
                f.write(f"deb {uri} {release}-backports main\n")
            settings += [f"Dir::Etc::sourcelist={path}", "Dir::Etc::sourceparts=-"]
        return [word for s in settings for word in ("-o", s)]

    def refresh(self):
        """Use private package lists from now on, and update them."""
        self.options = self.private_options()
        output(["apt-get", "-qq"] + self.options + ["update"])

    def depends(self, package, prefix):
        """The names of the dependencies of a package that begin with the prefix."""
        said = output(["apt-cache"] + self.options + ["depends", package])
        found = [line.split()[1] for line in said.splitlines() if " Depends: " in line]
        found = [name for name in found if name.startswith(prefix)]
        if not found:
            raise LookupError(f"apt knows no package {package}")
        return found

    def download(self, package):
        """Download a package unless it is cached; return the path of the file."""
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
    """Unpack a package, once per file."""
    done = os.path.join(root, os.path.basename(deb) + ".unpacked")
    if os.path.exists(done):
        return
    os.makedirs(root, exist_ok=True)
    with subprocess.Popen(["dpkg", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as tar:
        subprocess.run(["tar", "-x", "-C", root, "--no-same-owner"] + list(only), stdin=tar.stdout,
                       check=True, timeout=LIMIT)
    if tar.returncode != 0:
        raise OSError(f"cannot unpack {deb}")
    with open(done, "w"):
        pass


def get(what, apts, use):
    """Call use(); if it fails, update the package lists and call it again."""
    try:
        try:
            return use()
        except (subprocess.CalledProcessError, LookupError):
            for apt in apts:
                apt.refresh()
            return use()
    except (subprocess.SubprocessError, LookupError, OSError) as e:
        said = (getattr(e, "stderr", "") or str(e)).strip().splitlines()
        raise Unavailable(f"cannot download {what}: {said[-1] if said else e}") from e
