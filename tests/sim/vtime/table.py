#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every call that can wait or read the time is correct in virtual time, or refused.

usage: table.py SOURCE ACH PRELOAD CASES COMPILER [NAME ...]

Reads src/sim/preload/calls.table, compares it with the C library's exports and the system call
numbers of the kernel's headers, and runs the case of each line. Prints the table of all calls.
"""
import os
import re
import subprocess
import sys
import tempfile

SOURCE, ACH, PRELOAD, CASES, CC = sys.argv[1:6]
ONLY = sys.argv[6:]
TIME = int(os.environ.get("ACH_TEST_TIME", 1))
LIMIT = 120 * TIME  # seconds, for any run
PRELOAD_DIR = os.path.join(SOURCE, "src/sim/preload")
sys.path.insert(0, PRELOAD_DIR)
from calls import read_table  # noqa: E402

failures = 0
SKIPPED = 77
COMPARED = ("errors",)  # cases that print the same natively
CLONE_VM = "256"  # clone is refused only with this flag; other calls ignore it


def check(ok, what):
    global failures
    if not ok:
        print(f"FAILED: {what}", flush=True)
        failures += 1
    return ok


def output(*command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def functions(library):
    """The exported functions, except those private to the C library (GLIBC_PRIVATE)."""
    found = set()
    for line in output("nm", "-D", "--defined-only", "--with-symbol-versions", library).splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "TWi" and "GLIBC_PRIVATE" not in words[2]:
            found.add(words[2].split("@")[0])
    return found


def needed(program):
    return {line.split()[-1].split("@")[0] for line in
            output("nm", "-D", "--undefined-only", program).splitlines()}


def numbers():
    text = output(*CC.split(), "-dM", "-E", "-", input="#include <asm/unistd.h>\n")
    source = "#include <asm/unistd.h>\n" + "".join(
        f"call {m} = __NR_{m}\n" for m in re.findall(r"#define __NR_(\w+)", text))
    lines = output(*CC.split(), "-E", "-P", "-", input=source)
    return {m[0]: eval(m[1], {"__builtins__": {}})  # an expression of numbers
            for m in re.findall(r"call (\w+) = ([-+ ()x0-9a-f]+)", lines)}


def simulate(*command):
    """Run a controller in a simulation; return the run's status, the controller's, and output."""
    with tempfile.TemporaryDirectory(prefix="achvtime.") as tmp:
        world = os.path.join(tmp, "world.cfg")
        words = " ".join(f'"{w}"' for w in command)
        with open(world, "w", encoding="utf-8") as f:
            f.write(f'world (name "v" model "free" epoch 1700000000.0 hang {60.0 * TIME})\n'
                    f'controller (name "case" command [{words}])\n')
        try:
            r = subprocess.run([ACH, "sim", "--quiet", world], text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT,
                               check=False, env={**os.environ, "ACH_SIM_PRELOAD": PRELOAD})
        except subprocess.TimeoutExpired as late:
            sys.exit(f"{' '.join(command)}: not done after {LIMIT} s; output: {late.stdout}")
    ended = re.search(r"controller case has ended: exit status (\d+)", r.stdout)
    return r.returncode, int(ended.group(1)) if ended else 0, r.stdout


# Reasons why a line of the table has no case.
UNPROVED = {
    "approximate": "needs another process, a device, a network or a terminal outside the simulation",
    "none": "has no wait and no time that a case could measure: classified by its documentation",
}


def by_number(name):
    return rf"(SYS_|CALL\(){name}\b"


def names_are_classified(kind, there, table):
    for name in sorted(there - set(table)):
        check(False, f"{kind} {name} is not in calls.table: can it wait or ask the time?")


def runs_right(case):
    status, of_case, text = simulate(CASES, case)
    if of_case == SKIPPED:
        print(f"  {case}: {text.splitlines()[0]}")
        return
    check(status == 0, f"case {case}: status {status}\n{text}")


def runs_as_natively(case):
    """The case prints the same natively and in simulation."""
    native = output(CASES, case, timeout=LIMIT).splitlines()
    status, _, text = simulate(CASES, case)
    lines = text.splitlines()
    check(status == 0, f"case {case}: status {status}\n" + "\n".join(lines[-5:]))
    check(len(lines) == len(native),
          f"case {case}: {len(lines)} lines in simulation, {len(native)} natively")
    for here, there in zip(lines, native):
        check(here == there, f"case {case}: in simulation {here}, natively {there}")


def says_refused(text):
    return "refused: " in text and "ach sim: controller case" in text


def runs_refused(what, *command):
    status, of_case, text = simulate(CASES, *command)
    if of_case == SKIPPED:
        print(f"  {what}: {text.splitlines()[0]}")
        return
    check(status == 1 and says_refused(text), f"{what} is not refused: status {status}\n{text}")


def proof(line):
    if line.case:
        return f"case {line.case}"
    if line.kind in UNPROVED:
        return f"not proved: it {UNPROVED[line.kind]}"
    return "each was called"


def print_line(line, functions_there, calls_there):
    if functions_there or calls_there:
        print(f"{line.kind:12} {functions_there:4} functions {calls_there:4} system calls: {line.text}"
              f" ({proof(line)})")


def main():
    libc = output(*CC.split(), "-print-file-name=libc.so.6").strip()
    there, number = functions(os.path.realpath(libc)), numbers()
    covered, tested = functions(PRELOAD), needed(CASES)
    lines = read_table(os.path.join(PRELOAD_DIR, "calls.table"))
    cases = set(output(CASES, "--list").split())
    with open(os.path.join(PRELOAD_DIR, "traps.def"), encoding="utf-8") as f:
        traps = dict((n, kind) for kind, n in re.findall(r"^(TRAP|ABSENT)\((\w+)", f.read(), re.M))
    source = ""
    for name in ("approximate.c", "numbers.c", "raw.c"):
        with open(os.path.join(SOURCE, "tests/sim/vtime", name), encoding="utf-8") as f:
            source += f.read()

    of_libc = [n for x in lines for n in x.libc]
    of_kernel = [n for x in lines for n in x.kernel]
    for kind, names in (("function", of_libc), ("system call", of_kernel)):
        for n in sorted(set(n for n in names if names.count(n) > 1)):
            check(False, f"{kind} {n} is in calls.table twice")
    names_are_classified("function", there, of_libc)
    names_are_classified("system call", set(number), of_kernel)

    for line in lines:
        libc_names, kernel_names = set(line.libc) & there, set(line.kernel) & set(number)
        if line.case:
            check(line.case in cases, f"there is no case {line.case}")
            for n in sorted(libc_names - tested):
                check(False, f"{n} is said to be {line.kind}, but no case calls it")
            for n in sorted(kernel_names):
                check(re.search(by_number(n), source),
                      f"system call {n} is said to be {line.kind}, but no case makes it by number")
        if line.kind == "right":
            check(line.case, f"{line.text}: it is said to be right, but has no case")
            if line.case != "inside":
                for n in sorted(libc_names - covered - {"signalfd"}):
                    check(False, f"{n} is said to be right, but the library does not cover it")
        for n in sorted(kernel_names & set(traps)):
            check(line.kind == {"TRAP": line.kind if line.kind in ("right", "refused") else "right",
                                "ABSENT": "absent"}[traps[n]],
                  f"system call {n} is {line.kind} in calls.table, {traps[n]} in traps.def")
        if line.kind == "refused":
            for n in sorted(libc_names):
                if check(n in covered, f"{n} is said to be refused, but the library has no {n}"):
                    if not ONLY or n in ONLY:
                        runs_refused(n, "--call", n)
            for n in sorted(kernel_names):
                if not ONLY or n in ONLY:
                    runs_refused(f"system call {n}", "--number", str(number[n]), CLONE_VM)
                    if n in traps:
                        runs_refused(f"instruction {n}", "--instruction", str(number[n]))
        if line.kind == "absent":
            for n in sorted(kernel_names):
                for how in ("--number", "--instruction"):
                    if not ONLY or n in ONLY:
                        _, _, text = simulate(CASES, how, str(number[n]))
                        check(text.strip() == "-38", f"{n} {how}: {text}")

    for case in sorted(c for c in cases if not c.startswith("refused-")):
        if not ONLY or case in ONLY:
            runs_as_natively(case) if case in COMPARED else runs_right(case)
    for case in sorted(c for c in cases if c.startswith("refused-")):
        if not ONLY or case in ONLY:
            runs_refused(case, case)
    for line in lines:
        print_line(line, len(set(line.libc) & there), len(set(line.kernel) & set(number)))
    return 1 if failures else 0


sys.exit(main())
