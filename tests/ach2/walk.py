#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Everything that a program for Ach 2 can name is here, or docs/porting-from-ach2.md says why not.

walk.py SOURCE_ROOT INCLUDE LIBRARY CC ACH ACHCOP ACHCAT ACHLOG

names.txt has the names. One that is the same must compile, have the same value, size or type, or
be accepted by the program; one that differs must not, and must stand in the page.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HEAD = """
#include <ach.h>
#include <ach/experimental.h>
#include <ach/generic.h>
#include <ach/klinux_generic.h>
#include <stddef.h>
#define SAME(a, b) _Static_assert((unsigned long long)(a) == (unsigned long long)(b), #a)
"""
# What a program needs so that an option alone does nothing, or fails for another reason.
VALUE = {"ach": {"-m": "1", "-n": "1", "-o": "600", "-C": "walk", "-U": "walk", "-D": "walk",
                 "-F": "walk", "-p": "1"},
         "achcop": {"-P": "/dev/null/x", "-p": "/dev/null/x", "-o": "-", "-e": "-", "-i": "walk",
                    "-f": "user"}}
GLOBAL = ("-m", "-n", "-o", "-t", "-1", "-k", "-u", "-v")
VERBS = (["mk", "/"], ["rm", "/"], ["chmod", "600", "/"], ["dump", "/"], ["file", "/"])
UNKNOWN = re.compile(r"no option|invalid option|unrecognized|no verb|not offered|needs achd")


class Walk:
    def __init__(self, root, include, library, cc, *programs):
        self.page = (pathlib.Path(root) / "docs/porting-from-ach2.md").read_text()
        self.compiler = [*cc.split(), "-std=gnu11", "-Werror", f"-I{include}"]
        self.link = [library, f"-Wl,-rpath,{os.path.dirname(os.path.realpath(library))}"]
        self.programs = dict(zip(("ach", "achcop", "achcat", "achlog"), programs))
        self.faults = []
        self.tmp = tempfile.TemporaryDirectory()

    def compiles(self, text, link=False):
        file = os.path.join(self.tmp.name, "walk.c")
        pathlib.Path(file).write_text(HEAD + text + "\n")
        how = [*self.link, "-o", file + ".exe"] if link else ["-fsyntax-only"]
        return subprocess.run([*self.compiler, file, *how], capture_output=True, timeout=60,
                              check=False).returncode == 0

    def accepts(self, program, words):
        r = subprocess.run([self.programs[program], *words], capture_output=True, text=True,
                           stdin=subprocess.DEVNULL, timeout=60, check=False)
        return not UNKNOWN.search(r.stderr)

    def holds(self, kind, what):
        """Is it here, as it was in Ach 2?"""
        if kind == "header":
            return "hpp" in what or self.compiles(f"#include <{what}>")
        if kind == "function":
            pointer = re.sub(r"\b(ach_\w+)\(", r"(*p)(", what, count=1)
            name = re.search(r"\b(ach_(?!status\b)\w+)\(", what)
            return bool(name) and self.compiles(
                f"int main(void) {{ {pointer} = {name.group(1)}; return !p; }}", link=True)
        if kind == "type":
            return self.compiles(f"extern {what} *walk;")
        if kind == "macro":
            return self.compiles(f"#ifndef {what}\n#error\n#endif")
        if kind in ("constant", "size"):
            name, value = what.split(None, 1)
            return self.compiles(f"SAME({f'sizeof({name})' if kind == 'size' else name}, {value});")
        if kind == "field":
            owner, field = what.rsplit(None, 1)
            return self.compiles(f"static inline void walk({owner} *w) {{ (void)w->{field}; }}")
        program, word = what.split()
        if kind == "verb":
            return self.accepts(program, [word, "--help"])
        words = [word, *filter(None, [VALUE.get(program, {}).get(word)])]
        if program == "ach" and word in GLOBAL: # every verb accepts them
            return all(self.accepts(program, [*words, *verb]) for verb in VERBS)
        return self.accepts(program, words)

    def explained(self, what):
        """The name stands in a row of the page that gives a reason, or says what to do."""
        word = what.split("(")[0].split()[-1].lstrip("*")
        return any(re.search(rf"`[^`]*{re.escape(word)}\b", line) for line in self.page.splitlines()
                   if line.startswith("|"))

    def line(self, text):
        kind, verdict, what = text.split(None, 2)
        if verdict == "same" and not self.holds(kind, what):
            self.faults.append(f"{kind} {what} is not the same")
        if verdict == "differs" and not self.explained(what):
            self.faults.append(f"{kind} {what} differs, and the page does not say why")
        if verdict == "differs" and kind == "field" and self.holds(kind, what):
            self.faults.append(f"{kind} {what} is said to differ, and does not")
        if verdict not in ("same", "differs"):
            self.faults.append(f"what is '{text}'?")


def main():
    walk = Walk(*sys.argv[1:])
    names = pathlib.Path(__file__).with_name("names.txt").read_text().splitlines()
    names = [n for n in names if n and not n.startswith("#")]
    for name in names:
        walk.line(name)
    for fault in walk.faults:
        print(f"failed: {fault}")
    print(f"{len(names)} names")
    sys.exit(1 if walk.faults else 0)


main()
