#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that cannot be intercepted are refused; children are intercepted as their parents are.

usage: watch.py ACH CASES STATIC GONOTE NUMBERS [CASE ...]

NUMBERS: the numbers of the system calls prctl and seccomp, separated by a comma
"""
import ctypes
import os
import shutil
import struct
import subprocess
import sys
import tempfile

ACH, CASES, STATIC, GONOTE = map(os.path.realpath, sys.argv[1:5])
PRCTL, SECCOMP = map(int, sys.argv[5].split(","))
TIME = int(os.environ.get("ACH_TEST_TIME", 1))
LIMIT = 120 * TIME
tmp = tempfile.mkdtemp(prefix="achwatch.")
failures = 0
current = ""


def check(ok, what):
    global failures
    if not ok:
        print(f"FAILED: {current}: {what}", flush=True)
        failures += 1


def path(name):
    return os.path.join(tmp, name)


def run(*command, allow=(), before=None, model="free"):
    """Run one controller in a simulation; return exit status and output."""
    words = " ".join(f'"{w}"' for w in command)
    allowed = f"allow [{' '.join(chr(34) + a + chr(34) for a in allow)}]" if allow else ""
    with open(path("world.cfg"), "w", encoding="utf-8") as f:
        f.write(f'world (name "w" model "{model}" epoch 1700000000.0 hang {60.0 * TIME})\n'
                f'controller (name "a" command [{words}] {allowed})\n')
    r = subprocess.run([ACH, "sim", "--quiet", path("world.cfg")], text=True, cwd=tmp,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       timeout=LIMIT, check=False, preexec_fn=before)
    return r.returncode, r.stdout


def refused(*words, command, **options):
    status, text = run(*command, **options)
    check(status == 1 and "refused: " in text and all(w in text for w in words),
          f"{command}: {status} {text}")


def script(name, *lines):
    with open(path(name), "w", encoding="utf-8") as f:
        f.write("".join(f"{line}\n" for line in lines))
    os.chmod(path(name), 0o755)
    return path(name)


def static():
    """A static program is refused as controller, as interpreter of a script, and in any exec."""
    refused("controller a", "statically linked", 'write allow ["static"] in', command=[STATIC])
    refused("controller a", "statically linked", command=[script("s", f"#!{STATIC}")])
    refused("static program", "statically linked", 'write allow ["static"] in',
            command=["sh", "-c", f"exec {STATIC}"])
    for way in (f"os.execv({STATIC!r}, ['x'])", f"os.posix_spawn({STATIC!r}, ['x'], {{}})",
                f"subprocess.call([{STATIC!r}])", f"os.system({STATIC!r})"):
        refused("static program", "statically linked",
                command=["/usr/bin/python3", "-c", f"import os, subprocess; {way}"])


def static_in_a_pipeline():
    """A refused process ends the run, even if its parent ignores its exit status."""
    refused("static program", "was refused: it has printed why",
            command=["sh", "-c", f"({STATIC} || true) | cat; sleep 1"])


def static_allowed():
    status, text = run("sh", "-c", f"{STATIC} && echo it ran", allow=["static"])
    check(status == 0 and "it ran" in text, text)


def go():
    refused("controller a", "Go", command=[GONOTE])


def another_machine():
    with open(shutil.which("true"), "rb") as f:
        image = bytearray(f.read())
    struct.pack_into("<H", image, 18, 0xf3 if image[18] != 0xf3 else 0x3e)  # e_machine
    with open(path("foreign"), "wb") as f:
        f.write(image)
    os.chmod(path("foreign"), 0o755)
    refused("controller a", "another machine", command=[path("foreign")])


def bare_environment():
    """Programs are in virtual time even if the environment is cleared or LD_PRELOAD unset."""
    for how in ("env -i date +%s", "env -u LD_PRELOAD date +%s", "env -u ACH_SIM date +%s",
                "LD_PRELOAD= date +%s"):
        status, text = run("sh", "-c", how)
        check(status == 0 and text.startswith("17000000"), f"{how}: {status} {text}")


def children_are_trapped():
    """The seccomp filter and virtual time survive exec."""
    for depth in ("", "sh -c ", "env -i sh -c "):
        inner = f"{CASES} instruction"
        command = f"{depth}'{inner}; exit $?'" if depth else inner
        status, text = run("sh", "-c", f"{command} || exit 5")
        check(status == 0, f"{command}: {status} {text}")


def refused_child():
    refused("refused: aio_read", "was refused: it has printed why",
            command=["sh", "-c", f"{CASES} --call aio_read; sleep 1; true"])


def allowed_call():
    status, text = run(CASES, "--number", str(PRCTL), allow=["adjtimex"])
    check(status == 0, text)
    refused("adjtimex", command=[CASES, "--call", "adjtimex"], allow=["aio_read", "adjtime"])
    status, text = run(CASES, "--call", "ntp_adjtime", allow=["aio_read", "ntp_adjtime"])
    check("refused" not in text, text)


def bad_allow():
    status, text = run("true", allow=["no,such"])
    check(status != 0 and "allow" in text, f"{status} {text}")


class Filter(ctypes.Structure):
    _fields_ = [("n", ctypes.c_ushort), ("at", ctypes.c_char_p)]


def without_filters():
    """Install a seccomp filter that forbids further filters, as in a container."""
    def instruction(code, yes, no, k):
        return struct.pack("HBBI", code, yes, no, k)

    program = (instruction(0x20, 0, 0, 0) + instruction(0x15, 3, 0, SECCOMP) +
               instruction(0x15, 0, 3, PRCTL) + instruction(0x20, 0, 0, 16) +
               instruction(0x15, 0, 1, 22) + instruction(0x06, 0, 0, 0x00050001) +
               instruction(0x06, 0, 0, 0x7fff0000))
    libc = ctypes.CDLL(None, use_errno=True)
    f = Filter(len(program) // 8, program)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.byref(f), 0, 0) != 0:
        os._exit(99)


def unwatched():
    status, text = run("true", before=without_filters)
    if status == 99:
        print("  unwatched: skipped: this kernel permits no filter even to the test")
        return
    check(status == 1 and "refused: unwatched" in text and "seccomp" in text, f"{status} {text}")
    status, text = run("date", "+%s", before=without_filters, allow=["unwatched"])
    check(status == 0 and text.startswith("17000000"), f"{status} {text}")


def main():
    global current
    for case in (static, static_in_a_pipeline, static_allowed, go, another_machine,
                 bare_environment, children_are_trapped, refused_child, allowed_call, bad_allow,
                 unwatched):
        if len(sys.argv) > 6 and case.__name__ not in sys.argv[6:]:
            continue
        current = case.__name__
        case()
    shutil.rmtree(tmp)
    return 1 if failures else 0


sys.exit(main())
