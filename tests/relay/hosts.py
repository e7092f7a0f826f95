# SPDX-License-Identifier: BSD-3-Clause
"""Hosts for tests of achd: network namespaces on one bridge, each with channels of its own."""
import atexit
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

ACHD, ACH, ORACLE = (os.path.abspath(p) for p in sys.argv[1:4])
FACTOR = max(1, int(os.environ.get("ACH_TEST_TIME", "1")))
SCALE = int(os.environ.get("ACH_TEST_SCALE", "100"))
TAG = f"r{os.getpid() % 100000}"
BASE = os.environ["ACH_DIR"]
LIMIT = 60 * FACTOR
SILENCE = 2 * FACTOR  # seconds until a daemon gives up a silent connection


def scale(n):
    """Amount of work: ACH_TEST_SCALE percent of n."""
    return max(1, n * SCALE // 100)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def ip(*args, check=True):
    return subprocess.run(["ip", *args], check=check, timeout=LIMIT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def until(what, condition):
    """what: a text, or a function that returns it when time is over."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    sys.exit(f"not within {LIMIT} s: {what() if callable(what) else what}")


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Host:
    """A host: a namespace with an interface, or with loopback only if there is no network."""
    all = []

    def __init__(self, number, network=True):
        self.number = number
        self.space = f"{TAG}h{number}" if network else None
        self.address = f"10.77.0.{number}" if network else "127.0.0.1"
        self.dir = os.path.join(BASE, f"host{number}")
        os.mkdir(self.dir)
        self.offset = 0  # seconds by which its clocks are ahead
        self.daemon = None
        self.arguments = []
        self.keys = None  # a directory of keys: the daemon uses TLS
        self.log = os.path.join(BASE, f"log{number}")
        self.started = []
        self.environment = {"ACH_DIR": self.dir}
        Host.all.append(self)
        if network:
            self.connect()

    def connect(self):
        ip("netns", "add", self.space)
        ip("link", "add", f"{TAG}v{self.number}", "type", "veth", "peer", "name", "eth0", "netns",
           self.space)
        ip("link", "set", f"{TAG}v{self.number}", "master", f"{TAG}b", "up")
        ip("-n", self.space, "addr", "add", f"{self.address}/24", "dev", "eth0")
        ip("-n", self.space, "link", "set", "eth0", "up")
        ip("-n", self.space, "link", "set", "lo", "up")

    def start(self, *command, env=None, **options):
        prefix = ["ip", "netns", "exec", self.space] if self.space else []
        if self.offset:
            prefix += ["unshare", "--time", f"--monotonic={self.offset}",
                       f"--boottime={self.offset}"]
        p = subprocess.Popen([*prefix, *command],
                             env={**os.environ, **self.environment, **(env or {})},
                             preexec_fn=die_with_parent, text=True, **options)
        self.started.append(p)
        return p

    def run(self, *command):
        p = self.start(*command, stdout=subprocess.PIPE)
        out, _ = p.communicate(timeout=LIMIT)
        if p.returncode:
            sys.exit(f"{command}: exit status {p.returncode}")
        return out

    def make(self, channel, frames=1024, size=64, *options):
        self.run(ACH, "mk", "-m", str(frames), "-n", str(size), "--timestamps", *options, channel)

    def achd(self, *arguments, config=None):
        """Start the daemon with these arguments, and with the lines of a config."""
        if config is not None:
            arguments = [*arguments, "run", self.configure(config)]
        self.arguments = ["--silence", str(SILENCE), *arguments]
        if self.keys:
            self.arguments[:0] = ["--tls", self.keys]
        elif self.space:
            self.arguments.insert(0, "--insecure")
        self.restart()

    def configure(self, config):
        path = os.path.join(self.dir, "achd.conf")
        with open(path, "w") as f:
            f.write(config)
        return path

    def restart(self):
        with open(self.log, "a") as log:
            self.daemon = self.start(ACHD, *self.arguments, stderr=log)

    def logged(self):
        """All that the daemons of this host have written."""
        with open(self.log, errors="replace") as f:
            return f.read()

    def reload(self, text="are read again"):
        """SIGHUP, and wait until the daemon writes this text once more."""
        before = self.logged().count(text)
        self.daemon.send_signal(signal.SIGHUP)
        until(f"'{text}' in the log", lambda: self.logged().count(text) > before)

    def kill(self, sig=signal.SIGKILL):
        self.daemon.send_signal(sig)
        if sig in (signal.SIGKILL, signal.SIGTERM):
            self.daemon.wait(timeout=LIMIT)

    def cut(self, cut=True):
        ip("link", "set", f"{TAG}v{self.number}", "down" if cut else "up")

    def readdress(self, address):
        ip("-n", self.space, "addr", "del", f"{self.address}/24", "dev", "eth0")
        ip("-n", self.space, "addr", "add", f"{address}/24", "dev", "eth0")
        self.address = address

    def etc(self, name, text):
        """Write a file that the programs of this host see in /etc."""
        os.makedirs(f"/etc/netns/{self.space}", exist_ok=True)
        with open(f"/etc/netns/{self.space}/{name}", "w") as f:
            f.write(text)

    def status(self):
        """The newest figures of this host's daemon, None: none yet."""
        p = self.start(ACH, "relay", "status", "--json", stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL)
        out, _ = p.communicate(timeout=LIMIT)
        lines = [json.loads(line) for line in out.splitlines()]
        return lines[0] if lines else None

    def port_served(self):
        """The port in the name of the daemon's status channel."""
        found = (re.fullmatch(r"achshm-achd-status\.(\d+)", name) for name in os.listdir(self.dir))
        return next(int(m[1]) for m in found if m)

    def flows(self):
        return [f for l in (self.status() or {"links": []})["links"] for f in l["flows"]]

    def put(self, channel, source, count, pause=0, first=1, size=32, env=None):
        return self.start(ORACLE, "put", channel, str(source), str(first), str(count), str(pause),
                          str(size), env=env)

    def get(self, channel, sources, count=0, env=None):
        """Start the oracle, which ends when the last number of each source has come."""
        limit = 200 + max(sources.values()) // 100
        return self.start(ORACLE, "get", channel, str(count), str(limit),
                          *(f"{s}:{last}" for s, last in sources.items()), env=env,
                          stdout=subprocess.PIPE)


def result(reader):
    """{source: (received, missing, missing by origin)} of an oracle that has ended well."""
    out, _ = reader.communicate(timeout=3000 * FACTOR)
    if reader.returncode:
        sys.exit(f"the oracle failed: {reader.args}")
    rows = [[int(n) for n in line.split()] for line in out.splitlines()]
    return {row[0]: tuple(row[1:]) for row in rows}


def serve(host, port=0, *arguments):
    """Start a server. Returns its port, which is a free one for 0."""
    host.achd("-p", str(port), *arguments, "serve")
    until("the server", lambda: host.status() is not None)
    return host.port_served()


def tell_names():
    """Each host knows the others by the names h1, h2, ... The files are mounted, so they stay."""
    text = "127.0.0.1 localhost\n" + "".join(f"{h.address} h{h.number}\n" for h in Host.all)
    for host in Host.all:
        host.etc("hosts", text)


def wait(*processes):
    for p in processes:
        if p.wait(timeout=3000 * FACTOR):
            sys.exit(f"failed: {p.args}")


def clean():
    for host in Host.all:
        for p in host.started:
            if p.poll() is None:
                p.kill()
                p.wait()
        if host.space:
            ip("netns", "del", host.space, check=False)
            shutil.rmtree(f"/etc/netns/{host.space}", ignore_errors=True)
        if os.path.exists(host.log):
            sys.stdout.write(host.logged()[-4000:])
            os.unlink(host.log)
        shutil.rmtree(host.dir, ignore_errors=True)
    ip("link", "del", f"{TAG}b", check=False)


def hosts(n):
    """n hosts on one bridge."""
    atexit.register(clean)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    made = shutil.which("ip") and ip("link", "add", f"{TAG}b", "type", "bridge", check=False)
    if not made or made.returncode:
        skip(f"no network namespaces: {made.stdout.strip() if made else 'there is no ip(8)'}")
    ip("link", "set", f"{TAG}b", "up")
    return [Host(i + 1) for i in range(n)]


def local(n):
    """n hosts without a network: they share loopback."""
    atexit.register(clean)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    return [Host(i + 1, network=False) for i in range(n)]


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")
