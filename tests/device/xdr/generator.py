#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Errors of the generator for bad definitions; its output for good ones is reproducible.

generator.py ACHGEN
"""
import os
import subprocess
import sys
import tempfile

# Definition, line of the error, part of the error message.
BAD = [
    ("", 0, "expected 'interface NAME NUMBER', found the end of the file"),
    ("struct a {\n}\n", 1, "expected 'interface NAME NUMBER', found 'struct a {'"),
    ("interface x\n", 1, "expected 'interface NAME NUMBER'"),
    ("interface x y\n", 1, "expected the number of an interface, a number, found 'y'"),
    ("interface x 70000\n", 1, "the number of an interface must be from 1 to 65535, not 70000"),
    ("interface 9x 7\n", 1, "expected the name of an interface, found '9x'"),
    ("interface x 7\nfoo\n", 2, "expected interface, common, use, const, struct"),
    ("interface x 7\nstruct a\n", 2, "expected 'struct NAME {'"),
    ("interface x 7\nstruct a {\n}\n", 3, "expected a field in struct a"),
    ("interface x 7\nstruct a {\n    int32 b\n", 3, "expected '}' of struct a"),
    ("interface x 7\nstruct a {\n    int b\n}\n", 3, "expected a type (int8, "),
    ("interface x 7\nstruct a {\n    int32\n}\n", 3, "expected a field 'TYPE NAME'"),
    ("interface x 7\nstruct a {\n    int32 b c\n}\n", 3, "expected a field 'TYPE NAME'"),
    ("interface x 7\nstruct a {\n    int32 class\n}\n", 3, "'class' cannot name a field"),
    ("interface x 7\nstruct a {\n    int32 b\n    float b\n}\n", 4, "has a field b already"),
    ("interface x 7\nstruct a {\n    char b\n}\n", 3, "a char stands only in an array"),
    ("interface x 7\nstruct a {\n    float b[]\n}\n", 3, "expected the limit of b, a number"),
    ("interface x 7\nstruct a {\n    float b[0]\n}\n", 3, "the limit of b must be from 1 to"),
    ("interface x 7\nstruct a {\n    float b[..99999999]\n}\n", 3, "the limit of b must be"),
    ("interface x 7\nstruct a {\n    float b[n..9]\n}\n", 3, "expected an earlier field 'uint32 n'"),
    ("interface x 7\nstruct a {\n    uint16 n\n    float b[n..9]\n}\n", 4, "expected an earlier"),
    ("interface x 7\nstruct a {\n    uint32 n\n    float b[n..9]\n    float c[n..9]\n}\n", 5,
     "that counts no other array"),
    ("interface x 7\nstruct a {\n    uint32 b_count\n    float b[..9]\n}\n", 4,
     "write b[b_count..9] if it is the count"),
    ("interface x 7\nstruct a {\n    a again\n}\n", 3, "expected a type"),
    ("interface x 7\nstruct a {\n    laser.data b\n}\n", 3, "expected 'use laser' before"),
    ("interface x 7\nuse nothing\n", 2, "there is no nothing.def"),
    ("interface x 7\nuse laser\nstruct a {\n    laser.nothing b\n}\n", 4, "expected a type"),
    ("interface x 7\nstruct a {\n    int8 b\n}\nstruct a {\n", 5, "there is a type a already"),
    ("interface x 7\nstruct float {\n", 2, "there is a type float already"),
    ("interface x 7\nstruct a {\n    int8 b[33554432]\n    int8 c[4]\n}\n", 5, "is larger than"),
    ("interface x 7\ndata A\n", 2, "expected 'data NAME NUMBER' and perhaps a struct"),
    ("interface x 7\ndata a 1\n", 2, "expected the name of a message in capitals, found 'a'"),
    ("interface x 7\ndata A 256\n", 2, "the number of a message must be from 1 to 255"),
    ("interface x 7\ndata A 246\nrequest B 246\n", 3, "numbers from 246 on are for requests"),
    ("interface x 7\ndata A 1 nothing\n", 2, "expected a type"),
    ("interface x 7\ndata A 1\ndata B 1\n", 3, "data 1 is already A"),
    ("interface x 7\ndata A 1\ndata A 2\n", 3, "ACH_X_DATA_A is already made at line 2"),
    ("interface x 7\nconst DATA_A 3\ndata A 1\n", 3, "ACH_X_DATA_A is already made at line 2"),
    ("interface x 7\nconst CODE 3\n", 2, "ACH_X_CODE is already made at line 1"),
    ("interface x 7\nconst A 4000000000\n", 2, "a constant must be from"),
    ("interface x 7\nconst A\n", 2, "expected 'const NAME NUMBER'"),
    ("interface x 7\ndata A 1  # ends */ here\n", 2, "a comment cannot have"),
    ("interface x 7\nuse x\n", 0, "uses itself"),
]


def nested(levels, bounds):
    """A definition with structs nested to this many levels."""
    text = "interface x 7\nstruct s0 {\n    int8 a\n}\n"
    for i in range(1, levels):
        text += f"struct s{i} {{\n    s{i - 1} a{bounds}\n}}\n"
    return text


BAD += [(nested(17, ""), 52, "struct s16 has structs more than 16 deep"),
        (nested(10, "[..2]"), 31, "struct s9 has arrays of structs more than 8 deep")]


def run(achgen, *arguments):
    return subprocess.run([achgen, *arguments], capture_output=True, text=True, check=False)


def check_bad(achgen, directory):
    faults = 0
    path = os.path.join(directory, "x.def")
    for text, line, sentence in BAD:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        out = run(achgen, path)
        if out.returncode != 1 or f"{path}:{line}: " not in out.stderr \
                or sentence not in out.stderr or out.stderr.count("\n") != 1:
            print(f"failed: {text!r}: exit {out.returncode}, said {out.stderr!r}, "
                  f"not x.def:{line}: {sentence}")
            faults += 1
    return faults


def check_two(achgen, directory):
    """Two interfaces with the same number are refused."""
    paths = []
    for name in ("one", "two"):
        paths.append(os.path.join(directory, name + ".def"))
        with open(paths[-1], "w", encoding="utf-8") as f:
            f.write(f"interface {name} 7\n")
    out = run(achgen, *paths)
    if out.returncode == 1 and "the number 7 is taken by" in out.stderr:
        return 0
    print(f"failed: two of one number: {out.stderr}")
    return 1


def check_good(achgen, directory):
    """The same definition makes the same header; a missing output directory is an error."""
    text = "# Words.\ninterface x 7\nstruct a {\n    float b[..3]  # m\n}\ndata A 1 a  # said\n"
    path, made = os.path.join(directory, "x.def"), []
    for _ in range(2):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        out = run(achgen, "--headers", directory, "--source", path + ".c", path)
        if out.returncode:
            print(f"failed: {out.stderr}")
            return 1
        with open(os.path.join(directory, "x.h"), encoding="utf-8") as h:
            made.append(h.read())
    wanted = ("/* Words. */", "float *b; /* m */", "ACH_X_DATA_A = 1, /* said */",
              "ACH_X_A_B_MAX = 3", "extern const ach_type_t ach_x_a_type;")
    faults = [w for w in wanted if w not in made[0]]
    if made[0] != made[1]:
        faults.append("the same twice")
    out = run(achgen, "--headers", os.path.join(directory, "nowhere"), path)
    if out.returncode != 1 or "nowhere" not in out.stderr:
        faults.append("a sentence about a directory that is not there")
    for fault in faults:
        print(f"failed: expected {fault}")
    return len(faults)


def main():
    achgen = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as directory:
        faults = check_bad(achgen, directory)
        os.remove(os.path.join(directory, "x.def"))
        faults += check_two(achgen, directory) + check_good(achgen, directory)
    print(f"{len(BAD)} bad definitions, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
