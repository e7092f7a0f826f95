#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare the library with a second, independent encoder.

golden.py PROGRAM [SEED]

Reads the messages of Player 3 from tables (messages.tsv, nested.tsv, every.tsv), not from
protocol/. Makes random contents, encodes them with Python's struct module, and passes bytes and
contents to PROGRAM, which decodes the bytes with the library. PROGRAM's JSON must equal the
contents, and its encodings of the decoded struct and of our JSON must be the same bytes.
"""
import csv
import json
import os
import random
import re
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {"DATA": 1, "CMD": 2, "REQ": 3, "SYNCH": 5}
LIMITS = {"PLAYER_MAX_DEVICES": 4096, "PLAYER_MAX_DRIVER_STRING_LEN": 64, "PLAYER_KEYLEN": 32,
          "PLAYER_LASER_MAX_FILTER_PARAMS": 8}
WHOLE = {"int8_t": (8, True), "uint8_t": (8, False), "int16_t": (16, True),
         "uint16_t": (16, False), "int32_t": (32, True), "uint32_t": (32, False),
         "int64_t": (64, True)}
FIELD = re.compile(r"(\w+)\s*(\*?)\s*(\w+)(?:\[(\w+)\])?$")


def table(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return list(csv.DictReader(f, delimiter="\t"))


def fields(text):
    """(type, name, is it an array?, length or limit of the array) of each field."""
    out = []
    for part in text.split(";"):
        kind, star, name, bounds = FIELD.match(part.strip()).groups()
        out.append((kind, name, bool(star or bounds), LIMITS.get(bounds) or int(bounds or 0)))
    return out


def structs(messages):
    known = {row["struct"]: fields(row["wire_fields"]) for row in table("nested.tsv")}
    known.update({m["struct"]: fields(m["wire_fields"]) for m in messages if m["wire_fields"]})
    return known


class Maker:
    """Makes random contents of a struct: its JSON value and its bytes."""

    def __init__(self, known, rng):
        self.known, self.rng = known, rng

    def scalar(self, kind):
        rng = self.rng
        if kind == "float":
            v = struct.unpack(">f", struct.pack(">f", rng.choice([0, -1.5, rng.gauss(0, 1e3)])))[0]
            return v, struct.pack(">f", v)
        if kind == "double":
            v = rng.choice([0.0, rng.gauss(0, 1), rng.gauss(0, 1e30)])
            return v, struct.pack(">d", v)
        bits, signed = WHOLE[kind]
        low, high = (-2**(bits - 1), 2**(bits - 1) - 1) if signed else (0, 2**bits - 1)
        v = rng.choice([low, high, rng.randint(low, high)])
        return v, struct.pack((">q" if signed else ">Q") if bits == 64 else
                              (">i" if signed else ">I"), v)

    def value(self, kind):
        return self.struct(kind) if kind in self.known else self.scalar(kind)

    def text(self, room):
        return "".join(self.rng.choice("abcXYZ 0129\"\\/\t\n~") for _ in range(room))

    def array(self, kind, n, limit, fixed):
        """Contents, count and bytes of an array of about n elements."""
        rng = self.rng
        if kind == "char":
            text = self.text(rng.randint(0, limit - 1) if fixed else max(n - 1, 0))
            raw = text.encode().ljust(limit, b"\0") if fixed else (text.encode() + b"\0")[:n]
            return text if raw else None, len(raw), raw + b"\0" * (-len(raw) % 4)
        if kind in ("uint8_t", "int8_t"):
            raw = bytes(rng.randrange(256) for _ in range(n))
            said = [b - 256 if kind == "int8_t" and b > 127 else b for b in raw]
            return said, n, raw + b"\0" * (-n % 4)
        made = [self.value(kind) for _ in range(n)]
        return [v for v, _ in made], n, b"".join(b for _, b in made)

    def struct(self, name):
        layout = self.known[name]
        names = {f[1] for f in layout}
        counts, arrays = {}, {}
        for kind, field, is_array, limit in layout:
            if is_array:
                variable = field + "_count" in names
                n = self.rng.choice([0, 1, 2, 3, 5, 17]) if variable else limit
                n = min(n, limit) if limit else n
                arrays[field] = self.array(kind, n, limit, not variable) + (variable,)
                if variable:
                    counts[field + "_count"] = arrays[field][1]
        contents, raw = {}, b""
        for kind, field, is_array, _ in layout:
            if is_array:
                said, count, payload, variable = arrays[field]
                raw += (struct.pack(">I", count) if variable else b"") + payload
                contents[field] = said
            elif field in counts:
                raw += struct.pack(">I", counts[field])
            else:
                contents[field], part = self.value(kind)
                raw += part
        return contents, raw


def same(said, want):
    """Compare JSON values. A float32 is printed with few digits: compare it rounded to float32."""
    if isinstance(want, dict):
        return set(said) == set(want) and all(same(said[k], want[k]) for k in want)
    if isinstance(want, list):
        return len(said) == len(want) and all(map(same, said, want))
    if isinstance(want, float):
        return said == want or struct.pack(">f", said) == struct.pack(">f", want)
    return said == want


def cases(messages, maker, rounds):
    for m in messages:
        if not m["wire_fields"]:
            yield m, None, b""
            continue
        for _ in range(rounds):
            contents, raw = maker.struct(m["struct"])
            yield m, contents, raw


def check(m, contents, raw, answer):
    title = f"{m['interface']} {m['msgtype']} {m['subtype_name']}"
    words = answer.split("\t")
    if contents is None:
        return [] if words == ["empty", m["subtype_name"]] else [f"{title}: {answer}"]
    if len(words) != 5 or words[0] != "ok" or words[1] != m["subtype_name"]:
        return [f"{title}: {answer}"]
    faults = []
    if not same(json.loads(words[4]), contents):
        faults.append(f"{title}: decoded {words[4]}, not {json.dumps(contents)}")
    for what, text in (("decoded", words[2]), ("read from JSON", words[3])):
        if text != raw.hex():
            faults.append(f"{title}: {what} and encoded it is {text}, not {raw.hex()}")
    return faults


def main():
    program = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    rounds = max(1, 40 * int(os.environ.get("ACH_TEST_SCALE", "100")) // 100)
    print(f"seed {seed}, {rounds} of each message")
    messages = table("messages.tsv")
    if len(messages) != 249:
        print(f"failed: {len(messages)} messages")
        return 1
    messages += table("every.tsv")
    made = list(cases(messages, Maker(structs(messages), random.Random(seed)), rounds))
    lines = [f"{m['code']}\t{TYPES[m['msgtype']]}\t{m['subtype']}\t{raw.hex()}\t{json.dumps(c)}\n"
             for m, c, raw in made]
    out = subprocess.run([program], input="".join(lines), capture_output=True, text=True,
                         check=False)
    answers = out.stdout.splitlines()
    if out.returncode or len(answers) != len(made):
        print(f"failed: exit {out.returncode}, {len(answers)} of {len(made)} answers\n{out.stderr}")
        return 1
    faults = [f for case, answer in zip(made, answers) for f in check(*case, answer)]
    for fault in faults[:20]:
        print(f"failed: {fault[:2000]}")
    print(f"{len(messages)} messages, {len(made)} bodies, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
