#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs in other languages than C: timed waits are correct, or the program is refused.

usage: languages.py ACH PROGRAMS_DIRECTORY LANGUAGE CACHE

CACHE: a directory where the Go compiler caches its standard library, which it compiles itself

In the model "free" each wait takes exactly the requested time. In the other models it takes at
least as long, and it ends.
"""
import os
import platform
import shutil
import subprocess
import sys
import tempfile

ACH, FILES = map(os.path.realpath, sys.argv[1:3])
LANGUAGE = sys.argv[3]
TIME = int(os.environ.get("ACH_TEST_TIME", 1))
LIMIT = 300 * TIME
RIGHT = "all waits were right"
MODELS = {"free": "0", "declared": "600000", "measured": "600000"}  # model: slack of a wait, in ms
SKIPPED = 77
failures = 0
tmp = tempfile.mkdtemp(prefix="achlanguages.")


def path(name):
    return os.path.join(FILES, name)


def in_tmp(name):
    return os.path.join(tmp, name)


def check(ok, what):
    global failures
    print(f"ok {what.splitlines()[0]}" if ok else f"FAILED: {what}", flush=True)
    failures += not ok


def simulate(model, *command, allow=""):
    """Run one controller in a simulation; return exit status and output."""
    allowed = f' allow ["{allow}"]' if allow else ""
    words = " ".join(f'"{w}"' for w in command)
    with open(in_tmp("world.cfg"), "w", encoding="utf-8") as f:
        f.write(f'world (name "w" model "{model}" epoch 1700000000.0 hang {200.0 * TIME})\n'
                f'controller (name "a" command [{words}]{allowed}'
                f'{" cost 0.001" if model == "declared" else ""})\n')
    r = subprocess.run([ACH, "sim", "--quiet", in_tmp("world.cfg")], text=True, cwd=tmp,
                       timeout=LIMIT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, check=False)
    return r.returncode, r.stdout


def right(*command, allow=""):
    for model, slack in MODELS.items():
        status, text = simulate(model, *command, slack, allow=allow)
        check(status == 0 and RIGHT in text, f"{LANGUAGE}, {model}: status {status}\n{text}")


def refused(what, words, *command):
    status, text = simulate("free", *command)
    check(status == 1 and "refused: " in text and words in text and "it runs" not in text,
          f"{LANGUAGE}, {what}, is refused: status {status}\n{text}")


def skip(why):
    print(f"skipped: {why}")
    shutil.rmtree(tmp)
    sys.exit(SKIPPED)


def tool(name, package):
    """The path of a tool: prefer Debian's in /usr/bin to others in the PATH."""
    found = shutil.which(name, path="/usr/bin") or shutil.which(name)
    if not found:
        skip(f"there is no {name} (Debian's package {package})")
    return found


def compile_with(command, **environment):
    r = subprocess.run(command, text=True, cwd=tmp, stdout=subprocess.PIPE, timeout=LIMIT,
                       stderr=subprocess.STDOUT, check=False, env={**os.environ, **environment})
    check(r.returncode == 0, f"{' '.join(command[:2])} compiles\n{r.stdout}")
    return r.returncode == 0


def cpp():
    if compile_with([tool("g++", "g++"), "-std=c++20", "-O2", "-pthread", path("waits.cpp"), "-o",
                     "cpp"]):
        right(in_tmp("cpp"))


def python():
    right("/usr/bin/python3", path("waits.py"))


def rust():
    if compile_with([tool("rustc", "rustc"), "-O", path("waits.rs"), "-o", "rust"]):
        right(in_tmp("rust"))


def java():
    """On x86 the Java VM reads the cycle counter (TSC) when it starts, only for its recorder."""
    if not compile_with([tool("javac", "default-jdk-headless"), "-d", tmp, path("Waits.java")]):
        return
    command = [tool("java", "default-jdk-headless"), "-cp", tmp, "Waits"]
    if platform.machine() in ("x86_64", "i686"):
        refused("with the counter of cycles", "cycle_counter", *command, "0")
        right(*command, allow="cycle_counter")
    else:
        right(*command)


def go():
    """Go programs: static, linked by the C compiler, without the Go note; and a shared library."""
    go_tool = tool("go", "golang-go")
    environment = {"GOCACHE": os.path.realpath(sys.argv[4]), "GOPATH": in_tmp("path"), "GOFLAGS": "",
                   "GO111MODULE": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "1"}
    with open(path("waits.go"), encoding="utf-8") as f:
        text = f.read()
    with open(in_tmp("cgo.go"), "w", encoding="utf-8") as f:
        f.write(text.replace("import ", 'import "C"\nimport ', 1))
    with open(in_tmp("library.go"), "w", encoding="utf-8") as f:
        f.write('package main\n\nimport "C"\n\n//export Nothing\nfunc Nothing() {}\n\n'
                "func main() {}\n")
    kinds = {"static": [path("waits.go")], "dynamic": ["cgo.go"],
             "without a note": ["-ldflags=-buildid= -s -w", "cgo.go"]}
    for what, arguments in kinds.items():
        if compile_with([go_tool, "build", "-o", "program", *arguments], **environment):
            refused(what, "in Go", in_tmp("program"))
            refused(f"{what}, by a shell", "in Go", "sh", "-c", in_tmp("program"))
    if compile_with([go_tool, "build", "-buildmode=c-shared", "-ldflags=-buildid= -s -w", "-o",
                     "library.so", "library.go"], **environment):
        refused("as a library", "go_library", "/usr/bin/python3", "-c",
                f"import ctypes; ctypes.CDLL('{in_tmp('library.so')}'); print('it runs')")


{"cpp": cpp, "python": python, "rust": rust, "java": java, "go": go}[LANGUAGE]()
shutil.rmtree(tmp)
sys.exit(1 if failures else 0)
