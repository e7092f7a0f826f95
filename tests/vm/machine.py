# SPDX-License-Identifier: BSD-3-Clause
"""Boot a kernel in QEMU, follow its console, and report the result of each test."""
import base64
import hashlib
import os
import re
import select
import subprocess
import time

import judge
import packages

# By Debian architecture: QEMU program, its options, console.
MACHINES = {
    "arm64": ("qemu-system-aarch64", ["-M", "virt", "-cpu", "max,pauth-impdef=on"], "ttyAMA0"),
    "amd64": ("qemu-system-x86_64", ["-M", "q35", "-cpu", "max"], "ttyS0"),
}
PARAMETERS = ("panic=-1 oops=panic printk.devkmsg=on printk.time=1 ignore_loglevel "
              "log_buf_len=8M rcupdate.rcu_cpu_stall_timeout=300 net.ifnames=0 rdinit=/guest/init")
BOOT_LIMIT = 300 * packages.TIME
OFF_LIMIT = 60 * packages.TIME
# Seconds after the limit of a test in which the guest must report its end.
GRACE = 60 * packages.TIME

OURS = re.compile(r"^\[ *[\d.]+\](?:\[[^]]*\])? ach-vm: ?(.*)$")
STAMP = re.compile(r"^\[ *[\d.]+\]")


class Outcome:
    """The result of one test: pass, FAIL or skip, and why."""

    def __init__(self, name):
        self.name = name
        self.result = None
        self.detail = ""
        self.output = []
        self.complaints = []

    def settle(self, status, seconds):
        if self.complaints:
            self.result, self.detail = "FAIL", "the kernel complained: " + self.complaint()
        elif status == 0:
            self.result, self.detail = "pass", f"{seconds} s"
        elif status == 77:
            self.result, self.detail = "skip", self.reason()
        else:
            self.result, self.detail = "FAIL", f"status {status} after {seconds} s"

    def complaint(self):
        """The first complaint that is more than a separator line ("cut here")."""
        return next((c for c in self.complaints if "cut here" not in c), self.complaints[0])

    def reason(self):
        said = [line.split("skipped:", 1)[1].strip() for line in self.output if "skipped:" in line]
        return said[0] if said else "no reason given"


class Follower:
    """Reads the console line by line."""

    def __init__(self, plan, files):
        self.outcomes = {t.name: Outcome(t.name) for t in plan}
        self.limits = {t.name: t.limit * packages.TIME for t in plan}
        self.kernel = Outcome("log")
        self.files = files
        self.current = None
        self.receiving = None
        self.finished = False
        self.wait_until(BOOT_LIMIT)

    def wait_until(self, seconds):
        self.deadline = time.monotonic() + seconds

    def line(self, line):
        ours = OURS.match(line)
        if ours:
            self.ours(ours.group(1))
        elif judge.complaint(line):
            (self.current or self.kernel).complaints.append(STAMP.sub("", line).strip())

    def ours(self, said):
        word, _, rest = said.partition(" ")
        if word == "|" and self.current:
            self.current.output.append(rest)
        elif word == "begin":
            self.current = self.outcomes[rest]
            self.wait_until(self.limits[rest] + GRACE)
        elif word == "end":
            name, status, seconds = rest.split()
            self.outcomes[name].settle(int(status), seconds)
            self.current = None
            self.wait_until(GRACE)
        elif word in ("file", "data", "sent"):
            self.receive(word, rest)
        elif word == "tainted" and judge.taints(int(rest)):
            self.kernel.complaints.append(f"the kernel is tainted: {rest}")
        elif word == "finished":
            self.finished = True
            self.wait_until(OFF_LIMIT)

    def receive(self, word, rest):
        if word == "file":
            self.receiving = (os.path.basename(rest), [])
        elif word == "data" and self.receiving:
            self.receiving[1].append(rest)
        elif word == "sent" and self.receiving:
            name, data = self.receiving
            data = base64.b64decode("".join(data))
            if hashlib.sha256(data).hexdigest() != rest:
                self.kernel.complaints.append(f"file {name} did not come over whole")
            os.makedirs(self.files, exist_ok=True)
            with open(os.path.join(self.files, name), "wb") as f:
                f.write(data)
            self.receiving = None

    def results(self):
        """The outcomes of all tests. Tests that did not run, or did not end, are failures."""
        for o in self.outcomes.values():
            if o.result is None:
                o.result = "FAIL"
                o.detail = ("did not end" if o is self.current else "did not run") + \
                    (f": {o.complaint()}" if o.complaints else "")
        self.kernel.result = "pass"
        if self.kernel.complaints or not self.finished:
            self.kernel.result = "FAIL"
            self.kernel.detail = (self.kernel.complaints or ["the guest did not finish"])[0]
        return list(self.outcomes.values()) + [self.kernel]


# TIMED: two processors in parallel. IN_TURNS: two processors in turns, for a guest whose memory
# ordering may be stronger than the host's. COUNTED: one processor whose clock counts instructions,
# one nanosecond each, and jumps to the next timer when idle: its time does not depend on the load
# of the host.
TIMED = ["-accel", "tcg,thread=multi", "-smp", "2"]
IN_TURNS = ["-accel", "tcg,thread=single", "-smp", "2"]
COUNTED = ["-accel", "tcg,thread=single", "-smp", "1", "-icount", "shift=0,sleep=off"]


# All files of the host, which the guest can only read.
SHARE = ["-fsdev", "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap",
         "-device", "virtio-9p-pci,fsdev=host,mount_tag=host"]


def command(arch, own, kernel, initramfs, memory, counted, share):
    program, options, console = MACHINES[arch]
    options = options + (COUNTED if counted else TIMED if own else IN_TURNS)
    return ["setpriv", "--pdeathsig", "KILL", program] + options + [
        "-m", str(memory), "-nodefaults", "-display", "none", "-monitor", "none",
        "-serial", "stdio", "-no-reboot",
        "-kernel", kernel.image, "-initrd", initramfs,
        "-append", f"console={console} {PARAMETERS}"] + (SHARE if share else [])


def boot(argv, follower, log):
    """Run the guest until it is off or late. Returns True if it switched itself off."""
    with open(log, "wb") as out, subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT) as qemu:
        try:
            return follow(qemu.stdout.fileno(), follower, out)
        finally:
            qemu.kill()


def follow(fd, follower, out):
    rest = b""
    while time.monotonic() < follower.deadline:
        if not select.select([fd], [], [], 1)[0]:
            continue
        data = os.read(fd, 65536)
        if not data:
            return True
        out.write(data)
        out.flush()
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            follower.line(line.decode(errors="replace").rstrip("\r"))
    return False
