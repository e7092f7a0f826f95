# SPDX-License-Identifier: BSD-3-Clause
"""A controller in Python under `ach sim`: unchanged, on virtual time. ACH is the program ach."""
import os
import subprocess
import sys
import tempfile
import unittest

from support import LIMIT

WORLD = """
world (name "w" model "{model}" hang {limit})
physics (name "arm" engine "pendulum" mass 0.2 length 0.3 radius 0.03)
driver (name "sim_joints" provides ["actarray:0"] rate 200)
controller (name "py" command ["{python}" "{program}"]{cost})
"""

# Half a minute of virtual time takes a second or so.
CONTROLLER = """
import time
import ach

arm = ach.device("actarray:0")
ach.create("py.sim", exist_ok=True)
channel = ach.Channel("py.sim")

def takes(what, seconds, call):
    start = time.monotonic()
    call()
    took = time.monotonic() - start
    print(what, "right" if seconds - 1e-6 <= took <= seconds + SLACK else took, flush=True)

def periods():
    period = ach.Period(0.01)
    for _ in range(500):
        period.wait()

takes("get", 5, lambda: channel.get(timeout=5, default=None))
takes("wait", 5, lambda: channel.get(deadline=channel.now() + 5, default=None))
takes("period", 5, periods)
takes("long", 1, lambda: ach.Period(1).wait())
first = arm.get("STATE", last=True)
time.sleep(1)
second = arm.get("STATE", last=True)
print("data", "right" if 0.9 < second._timestamp - first._timestamp < 1.2 else "wrong")
for _ in ach.Period(0.01):
    arm.command("CURRENT", joint=0, current=0.5)
    if abs(arm.get("STATE", last=True).actuators[0].position) > 0.05:
        break
print("moved", "right")
channel.close()
ach.unlink("py.sim")
arm.close()
"""


class Simulation(unittest.TestCase):
    def simulate(self, model, slack, cost=""):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "controller.py")
            with open(program, "w", encoding="utf-8") as f:
                f.write(CONTROLLER.replace("SLACK", str(slack)))
            with open(os.path.join(folder, "world.cfg"), "w", encoding="utf-8") as f:
                f.write(WORLD.format(model=model, limit=LIMIT, python=sys.executable,
                                     program=program, cost=cost))
            done = subprocess.run([os.environ["ACH"], "sim", "--quiet", f.name], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=5 * LIMIT, check=False)
        lines = [line for line in done.stdout.splitlines() if line.endswith("right")]
        self.assertEqual((done.returncode, [line.split()[-2] for line in lines]),
                         (0, ["get", "wait", "period", "long", "data", "moved"]), done.stdout)

    def test_free(self):
        self.simulate("free", 1e-6)

    def test_measured(self):
        self.simulate("measured", 5)


if __name__ == "__main__":
    unittest.main()
