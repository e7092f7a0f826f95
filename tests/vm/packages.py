# SPDX-License-Identifier: BSD-3-Clause
"""Debian's packages, downloaded and unpacked: nothing gets installed."""
import os
import platform
import shutil
import subprocess

# What all time limits are multiplied by.
TIME = int(os.environ.get("ACH_TEST_TIME", 1))
LIMIT = 600 * TIME


class Unavailable(Exception):
    """There is no such thing to be had, and why."""


def output(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, check=True, timeout=LIMIT, **options).stdout


def architecture():
    """This system's, by Debian's name, or by another if it is not Debian."""
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
    """Packages from where this system gets its own, without the rights to install any.

    Or those made for a later release, or for another architecture.
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
        """Lists of our own."""
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
        """From now on, lists that are up to date."""
        self.options = self.private_options()
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
                       check=True, timeout=LIMIT)
    if tar.returncode != 0:
        raise OSError(f"cannot unpack {deb}")
    with open(done, "w"):
        pass


def get(what, apts, use):
    """use(), if need be with newer lists of packages."""
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
