# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of ach-ros share: a roscore of their own, programs with time limits."""
import contextlib
import importlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

FACTOR = int(os.environ.get("ACH_TEST_TIME", "1"))
LIMIT = 60 * FACTOR


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def need(programs, modules):
    for program, package in programs.items():
        if not shutil.which(program):
            skip(f"there is no {program}: package {package}")
    for module, package in modules.items():
        try:
            importlib.import_module(module)
        except ImportError:
            skip(f"there is no module {module}: package {package}")


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def eventually(condition, what):
    """Wait until the condition holds, and return what it returned."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.05)
    sys.exit(f"FAILED: in {LIMIT} s: {what}")


def run(*command, limit=LIMIT, **more):
    """The output of a program that must succeed."""
    try:
        done = subprocess.run(command, timeout=limit, capture_output=True, text=True, **more)
    except subprocess.TimeoutExpired as e:
        sys.exit(f"FAILED: {' '.join(command)} took more than {limit} s: {e.stdout} {e.stderr}")
    check(done.returncode == 0, f"{' '.join(command)}: {done.stdout} {done.stderr}")
    return done.stdout


class Program:
    """A program in the background, which ends with the test. Its output is in a file."""

    def __init__(self, directory, *command):
        self.path = os.path.join(directory, f"output-{time.monotonic_ns()}")
        with open(self.path, "w") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        self.command = " ".join(command)

    def output(self):
        with open(self.path, errors="replace") as f:
            return f.read()

    def says(self, text):
        def said():
            check(self.process.poll() is None or text in self.output(),
                  f"{self.command} ended: {self.output()}")
            return text in self.output()

        eventually(said, f"{self.command} does not say '{text}': {self.output()}")

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


def free_port():
    """A free port that the kernel gives to nobody who asks for any: a node that waits for the
    master, and got the master's port, would answer as one."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as f:
        lowest = int(f.read().split()[0])
    for _ in range(1000):
        port = random.randrange(11312, max(lowest, 11313))
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass
    sys.exit("FAILED: there is no free port")


@contextlib.contextmanager
def ros_environment():
    """A directory for everything, and the variables of a master that does not run yet."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that all is cleaned up
    with tempfile.TemporaryDirectory() as directory:
        port = free_port()
        os.environ.update(ROS_MASTER_URI=f"http://127.0.0.1:{port}", ROS_IP="127.0.0.1",
                          ROS_HOME=directory, ROS_LOG_DIR=directory, HOME=directory,
                          XDG_RUNTIME_DIR=directory)
        os.environ.pop("ROS_HOSTNAME", None)
        os.environ.pop("ROS_NAMESPACE", None)
        yield directory, port


@contextlib.contextmanager
def roscore(directory, port):
    core = Program(directory, "roscore", "-p", str(port))
    try:
        core.says("started core service")
        yield
    finally:
        core.end(signal.SIGINT)
        # what it started outlives it if it had to be killed, and keeps the port
        subprocess.run(["pkill", "-KILL", "-f", f"__log:={directory}/"], timeout=LIMIT)


ROBOT = """tcp (port 0)
driver
(
  name "simrobot"
  provides ["position2d:0" "laser:0" "simulation:0"]
  bitmap "{bitmap}"
  resolution 0.1
  pose [1.5 1.5 60]
  laser_fov 270
  laser_range 6
  alwayson yes
)
"""


def served(directory, ach, text):
    """A server of devices, on this machine's channels, with a config file of this text."""
    config = os.path.join(directory, "robot.cfg")
    with open(config, "w") as f:
        f.write(text)
    server = Program(directory, ach, "serve", config)
    try:
        server.says("serving")
    except BaseException:
        server.end()
        raise
    return server


def simulated_robot(directory, ach, bitmap):
    return served(directory, ach, ROBOT.format(bitmap=bitmap))
