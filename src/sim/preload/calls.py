#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The table of all calls, calls.table, and what the manual says of it.

usage: calls.py TABLE MANUAL     write the table into the manual, between its marks
       calls.py --check TABLE MANUAL
"""
import collections
import re
import sys
import textwrap

Line = collections.namedtuple("Line", "kind case text libc kernel")
KINDS = ("right", "refused", "absent", "approximate", "cpu", "none")


def read_table(path):
    """Lines of the table; an error in it is one of whoever wrote it."""
    lines, names = [], None
    with open(path, encoding="utf-8") as f:
        for text in f:
            text = text.rstrip("\n")
            head = re.match(r"(\w+)(?: ([\w-]+))?: (.*)", text)
            more = re.match(r"    (libc|kernel): (.*)", text)
            if not text or text.startswith("#"):
                continue
            if head:
                if head.group(1) not in KINDS:
                    sys.exit(f"{path}: no such class: {text}")
                lines.append(Line(head.group(1), head.group(2), head.group(3), [], []))
            elif more:
                names = getattr(lines[-1], more.group(1))
                names += more.group(2).split()
            else:
                names += text.split()
    return lines


MANY = 200  # of more names the manual lists only the first
TITLES = {
    "right": "Right: in virtual time",
    "refused": "Refused: the run ends",
    "absent": "Absent, as in an older kernel",
    "approximate": "Approximate: partly in real time",
    "cpu": "Real: CPU time",
}
BEGIN = '.\\" BEGIN calls.table\n'
END = '.\\" END calls.table\n'


def plain(names):
    """Without those that programs never write."""
    return sorted(n for n in names if not n.startswith("_"))


def listed(title, names):
    if not names:
        return ""
    if len(names) > MANY:
        text = f"{len(names)} {title.lower()}, as {', '.join(names[:8])}."
    else:
        text = f"{title}: {', '.join(names)}."
    return textwrap.fill(text, 95, break_on_hyphens=False) + "\n"


def items(lines):
    """One for all lines that say the same."""
    out = ""
    for text in dict.fromkeys(x.text for x in lines):
        same = [x for x in lines if x.text == text]
        libc = plain(n for x in same for n in x.libc)
        kernel = plain(n for x in same for n in x.kernel)
        out += ".It\n" + textwrap.fill(f"{text[0].upper()}{text[1:]}.", 95) + "\n"
        out += listed("Functions", libc) + listed("System calls", kernel)
    return out


def manual(lines):
    out = BEGIN
    for kind, title in TITLES.items():
        out += f".Ss {title}\n.Bl -bullet\n{items([x for x in lines if x.kind == kind])}.El\n"
    n = [sum(len(getattr(x, k)) for x in lines if x.kind == "none") for k in ("libc", "kernel")]
    out += (f".Pp\nAll other functions of glibc 2.36 to 2.41, {n[0]} of them, and all other system\n"
            f"calls up to Linux 6.12, {n[1]} of them, neither wait for others nor ask the time.\n")
    return out + END


def main():
    check = sys.argv[1] == "--check"
    table, path = sys.argv[-2:]
    with open(path, encoding="utf-8") as f:
        text = f.read()
    new = text[:text.index(BEGIN)] + manual(read_table(table)) + text[text.index(END) + len(END):]
    if check and new != text:
        sys.exit(f"{path} is not what {table} says: run {sys.argv[0]} {table} {path}")
    if not check:
        with open(path, "w", encoding="utf-8") as f:
            f.write(new)


if __name__ == "__main__":
    main()
