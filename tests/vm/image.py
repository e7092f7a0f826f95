# SPDX-License-Identifier: BSD-3-Clause
"""The file system that a guest starts with: a cpio archive, written without privileges."""
import gzip
import lzma
import os
import re
import stat
import subprocess

import packages

FOLDERS = ("bin", "dev", "etc", "guest", "lib", "lib64", "proc", "programs", "run", "sys", "tmp",
           "usr")


class Image:
    def __init__(self, root=None):
        """root: the directory of the libraries, if they are for another architecture."""
        self.root = root
        self.entries = {}
        for name in FOLDERS:
            self.folder(name)
        self.node("dev/console", 5, 1)
        self.node("dev/null", 1, 3)

    def add(self, name, mode, data=b"", device=(0, 0)):
        self.entries.setdefault(name, (mode, data, device))

    def folder(self, name):
        parts = name.split("/")
        for i in range(1, len(parts) + 1):
            self.add("/".join(parts[:i]), stat.S_IFDIR | 0o755)

    def node(self, name, major, minor):
        self.add(name, stat.S_IFCHR | 0o600, device=(major, minor))

    def link(self, name, target):
        self.add(name, stat.S_IFLNK | 0o777, target.encode())

    def text(self, name, text, mode=0o644):
        self.add(name, stat.S_IFREG | mode, text.encode())

    def file(self, name, path, mode=0o755):
        self.folder(os.path.dirname(name))
        with open(path, "rb") as f:
            self.add(name, stat.S_IFREG | mode, f.read())

    def module(self, name, path):
        """Add a module of the kernel, uncompressed."""
        self.folder(os.path.dirname(name))
        with lzma.open(path) if path.endswith(".xz") else open(path, "rb") as f:
            self.add(name, stat.S_IFREG | 0o644, f.read())

    def program(self, name, path):
        """Add a program and the libraries that it is linked to."""
        self.file(name, path)
        for library in foreign_libraries(path, self.root) if self.root else libraries(path):
            self.file(place_of(library), library)

    def busybox(self, path, runs):
        """Add busybox and links for its applets, which `runs`, a busybox for the host, lists."""
        self.file("bin/busybox", path)
        for applet in said([runs, "--list"]).split():
            self.link(f"bin/{applet}", "busybox")

    def write(self, path):
        with gzip.open(path, "wb", compresslevel=1) as out:
            for number, (name, entry) in enumerate(self.entries.items(), 1):
                write_entry(out, number, name, *entry)
            write_entry(out, 0, "TRAILER!!!", 0, b"", (0, 0))


def place_of(library):
    """The path of a library in the guest. The dynamic linker's path is fixed in the programs."""
    name = os.path.basename(library)
    return ("lib64/" if name.startswith("ld-linux-x86-64") else "lib/") + name


def libraries(path):
    """The libraries that ldd lists: lines with '=> /path' or just '/path'."""
    return [word for word in said(["ldd", path]).split() if word.startswith("/")]


def foreign_libraries(path, root):
    """The libraries that readelf lists, of the program and, recursively, of its libraries."""
    about = said(["readelf", "-W", "-d", path])
    folders = [f.replace("$ORIGIN", os.path.dirname(path))
               for f in re.findall(r"\(RUNPATH\).*\[(.*)\]", about)] + [root]
    found = []
    for name in re.findall(r"\(NEEDED\).*\[(.*)\]", about):
        library = next(p for p in (os.path.join(f, name) for f in folders) if os.path.exists(p))
        found += [library] + foreign_libraries(library, root)
    return found


def said(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False, timeout=60 * packages.TIME).stdout


def write_entry(out, number, name, mode, data, device):
    links = 2 if stat.S_ISDIR(mode) else 1
    fields = [number, mode, 0, 0, links, 0, len(data), 0, 0, device[0], device[1], len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08X" % f for f in fields) + name.encode() + b"\0"
    out.write(head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4))
