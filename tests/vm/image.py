# SPDX-License-Identifier: BSD-3-Clause
"""The file system that a guest starts with: a cpio archive, written without privileges."""
import gzip
import os
import stat
import subprocess

FOLDERS = ("bin", "dev", "etc", "guest", "lib", "lib64", "proc", "programs", "run", "sys", "tmp",
           "usr")


class Image:
    def __init__(self):
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

    def program(self, name, path):
        """A program and the libraries that it is linked to."""
        self.file(name, path)
        for library in libraries(path):
            where = library if os.path.basename(library).startswith("ld-") else \
                "lib/" + os.path.basename(library)
            self.file(where.lstrip("/"), library)

    def busybox(self, path):
        self.program("bin/busybox", path)
        for applet in subprocess.run([path, "--list"], stdout=subprocess.PIPE, text=True,
                                     check=True, timeout=60).stdout.split():
            self.link(f"bin/{applet}", "busybox")

    def write(self, path):
        with gzip.open(path, "wb", compresslevel=1) as out:
            for number, (name, entry) in enumerate(self.entries.items(), 1):
                write_entry(out, number, name, *entry)
            write_entry(out, 0, "TRAILER!!!", 0, b"", (0, 0))


def libraries(path):
    """What ldd says: lines with '=> /path' or just '/path'."""
    said = subprocess.run(["ldd", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=False, timeout=60).stdout
    return [word for line in said.splitlines() for word in line.split() if word.startswith("/")]


def write_entry(out, number, name, mode, data, device):
    links = 2 if stat.S_ISDIR(mode) else 1
    fields = [number, mode, 0, 0, links, 0, len(data), 0, 0, device[0], device[1], len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08X" % f for f in fields) + name.encode() + b"\0"
    out.write(head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4))
