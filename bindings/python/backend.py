# SPDX-License-Identifier: BSD-3-Clause
"""Builds the wheel, for pip: a PEP 517 backend that needs only the standard library.

The C part is compiled with the C compiler. The libraries are the installed ones if pkg-config finds
them; else the static libraries of a build of the source tree become a part of the wheel. The
environment variable ACH_BUILD names that build; the default is build/release, which is made with
Meson if there is none.
"""
import base64
import hashlib
import io
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
# In the order of use, for the linker.
STATIC = ["msg/libachmsg.a", "device/client/libachclient.a", "device/channel/libachchannel.a",
          "device/tcp/libachtcp.a", "device/core/libachdevice.a", "device/xdr/libachxdr.a",
          "libach/libach.a"]
PACKAGES = ["achmsg", "achclient", "achdevice", "achxdr", "ach"]
TAG = "cp311-abi3-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
DATE = (1980, 1, 1, 0, 0, 0)  # of all files: equal sources give equal wheels


def version():
    """Of the tree; a source distribution has it in PKG-INFO."""
    info = HERE / "PKG-INFO"
    if info.exists():
        return re.search(r"^Version: (.+)$", info.read_text(), re.M)[1]
    return re.search(r"^  version: '(.+)'", (TOP / "meson.build").read_text(), re.M)[1]


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def is_installed():
    """Whether pkg-config finds the libraries, at least of this version."""
    if not shutil.which("pkg-config"):
        return False
    needed = [f"{p} >= {version()}" for p in PACKAGES]
    return subprocess.run(["pkg-config", "--exists", *needed], check=False).returncode == 0


def installed_flags():
    folder = output("pkg-config", "--variable=libdir", "ach").strip()
    return (shlex.split(output("pkg-config", "--cflags", *PACKAGES)),
            shlex.split(output("pkg-config", "--libs", *PACKAGES)) + [f"-Wl,-rpath,{folder}"])


def tree_flags():
    """Build the static libraries of the source tree."""
    build = pathlib.Path(os.environ.get("ACH_BUILD") or TOP / "build/release").resolve()
    if not (TOP / "meson.build").exists():
        sys.exit("ach: the libraries are not installed: pkg-config does not find achclient")
    if not (build / "build.ninja").exists():
        subprocess.run(["meson", "setup", build, TOP, "--buildtype=release", "-Dtests=false"],
                       check=True, stdout=sys.stderr)
    subprocess.run(["ninja", "-C", build, *(f"src/{s}" for s in STATIC)], check=True,
                   stdout=sys.stderr)
    return ([f"-I{TOP}/include", f"-I{build}/include"],
            [f"{build}/src/{s}" for s in STATIC] + ["-Wl,--exclude-libs,ALL", "-lz", "-lm"])


def compile_module(to):
    """Compile the C part."""
    python = sysconfig.get_path("include")
    if not os.path.exists(os.path.join(python, "Python.h")):
        sys.exit(f"ach: there is no {python}/Python.h: install Debian's python3-dev")
    cflags, libs = installed_flags() if is_installed() and "ACH_BUILD" not in os.environ \
        else tree_flags()
    compiler = shlex.split(os.environ.get("CC") or "cc")
    subprocess.run([*compiler, "-shared", "-fPIC", "-O2", "-std=gnu11", "-D_GNU_SOURCE",
                    "-fvisibility=hidden", "-fstack-protector-strong",
                    *shlex.split(os.environ.get("CFLAGS", "")), f"-I{python}", *cflags,
                    *sorted(map(str, (HERE / "src").glob("*.c"))), "-o", to,
                    *shlex.split(os.environ.get("LDFLAGS", "")), *libs, "-pthread"],
                   check=True, stdout=sys.stderr)


def metadata():
    with open(HERE / "pyproject.toml", "rb") as f:
        project = tomllib.load(f)["project"]
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version()}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}",
             f"License: {project['license']['text']}",
             *(f"Classifier: {c}" for c in project["classifiers"]),
             "Description-Content-Type: text/markdown", "",
             (HERE / project["readme"]).read_text()]
    return "\n".join(lines)


class Wheel:
    """A zip file with a list of its files."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.info = f"ach-{version()}.dist-info"
        self.record = []

    def add(self, name, data):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")
        item = zipfile.ZipInfo(name, DATE)
        item.compress_type = zipfile.ZIP_DEFLATED
        item.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
        self.zip.writestr(item, data)

    def close(self):
        self.add(f"{self.info}/METADATA", metadata().encode())
        self.add(f"{self.info}/WHEEL", ("Wheel-Version: 1.0\nGenerator: ach\n"
                                        f"Root-Is-Purelib: false\nTag: {TAG}\n").encode())
        names = "\n".join(self.record + [f"{self.info}/RECORD,,", ""])
        self.zip.writestr(zipfile.ZipInfo(f"{self.info}/RECORD", DATE), names)
        self.zip.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517: write the wheel, and return its name."""
    name = f"ach-{version()}-{TAG}.whl"
    wheel = Wheel(os.path.join(wheel_directory, name))
    for path in sorted((HERE / "package/ach").iterdir()):
        if path.suffix in (".py", ".pyi", ".typed"):
            wheel.add(f"ach/{path.name}", path.read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, "_ach.abi3.so")
        compile_module(module)
        wheel.add("ach/_ach.abi3.so", pathlib.Path(module).read_bytes())
    wheel.close()
    return name


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517: write the sources, which need the installed libraries, and return the name."""
    base = f"ach-{version()}"
    with tarfile.open(os.path.join(sdist_directory, f"{base}.tar.gz"), "w:gz") as tar:
        for folder in ("src", "package", "tests", "examples"):
            tar.add(HERE / folder, f"{base}/{folder}",
                    filter=lambda t: None if "__pycache__" in t.name else t)
        for name in ("backend.py", "pyproject.toml", "README.md", "conformance.py"):
            tar.add(HERE / name, f"{base}/{name}")
        info = tarfile.TarInfo(f"{base}/PKG-INFO")
        data = metadata().encode()
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    return f"{base}.tar.gz"
