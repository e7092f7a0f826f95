# SPDX-License-Identifier: BSD-3-Clause
"""README.md, docstrings, stubs and examples. ACH is the program ach, ROBOT a config file."""
import ast
import doctest
import inspect
import os
import pydoc
import re
import signal
import subprocess
import sys
import textwrap
import unittest

import ach
from ach import _ach, _errors, ach2
from support import LIMIT, python

try:
    import numpy
except ImportError:
    numpy = None

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(HERE)
TUPLES = ["DeviceInfo", "Info", "Listed", "Missed", "Origin"]
EXAMPLES = os.path.join(TOP, "examples")


class Documents(unittest.TestCase):
    def test_readme(self):
        failed, tried = doctest.testfile(os.path.join(TOP, "README.md"), module_relative=False,
                                         optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 20)

    def test_docstrings(self):
        for name in ach.__all__ + _errors.__all__ + TUPLES:
            thing = getattr(ach, name)
            self.assertTrue(thing.__doc__, name)
            if not inspect.isclass(thing) or issubclass(thing, (ach.Error, tuple)):
                continue
            for member in dir(thing):
                if not member.startswith("_"):
                    self.assertTrue(getattr(thing, member).__doc__, f"{name}.{member}")
        for name, method in vars(ach2.Channel).items():
            if inspect.isfunction(method):
                self.assertTrue(method.__doc__, f"ach2.Channel.{name}")

    def test_help(self):
        """An overview first; no long lists of what exceptions and tuples inherit."""
        text = pydoc.plain(pydoc.render_doc(ach))
        for word in ("class Channel", "get(", "reserve(", "device("):
            self.assertIn(word, text)
        self.assertLess(len(text.splitlines()), 800)
        for word in ("with_traceback", "Alias for field", "object at 0x"):
            self.assertNotIn(word, text)
        for name in _errors.__all__ + TUPLES:
            self.assertRegex(ach.__doc__, rf"\b{name}\b")
            self.assertEqual(getattr(ach, name).__module__.partition(".")[0], "ach")
        for line in ach.__doc__.splitlines():
            self.assertLessEqual(len(line), 100)

    def test_overview(self):
        """The examples of help(ach) run; those with devices are in test_near."""
        blocks = re.findall(r"\n\n((?:    .*\n|\n(?=    ))+)", ach.__doc__)
        code = [textwrap.dedent(block) for block in blocks if "ach.Channel(" in block]
        self.assertEqual(len(code), 2)
        done = python("import ach\n" + "\n".join(code) +
                      "for name in ('temperature', 'point'):\n    ach.unlink(name)")
        self.assertEqual((done.stdout, done.stderr), ("b'22.5'\n1.0\n", ""))

    def test_stubs(self):
        """The stubs name what the C part has, and nothing else."""
        with open(os.path.join(os.path.dirname(ach.__file__), "_ach.pyi"), encoding="utf-8") as f:
            tree = ast.parse(f.read())
        named = {}
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                named[node.name] = {getattr(m, "name", None) or m.target.id for m in node.body
                                    if isinstance(m, (ast.FunctionDef, ast.AnnAssign))}
            elif isinstance(node, ast.FunctionDef):
                named[node.name] = None
            elif isinstance(node, ast.AnnAssign):
                named[node.target.id] = None
        real = {n for n in vars(_ach) if not n.startswith("__")}
        self.assertEqual(set(named), real)
        for name, members in named.items():
            if members is not None:
                has = {m for m in vars(getattr(_ach, name)) if not m.startswith("__")}
                self.assertEqual({m for m in members if not m.startswith("__")}, has, name)


class Examples(unittest.TestCase):
    def start(self, name, *args):
        process = subprocess.Popen([sys.executable, os.path.join(EXAMPLES, name), *args], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env={k: v for k, v in os.environ.items() if k != "DISPLAY"})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, LIMIT)
        self.addCleanup(process.kill)
        return process

    def run_to_end(self, name, *args):
        process = self.start(name, *args)
        text, _ = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 0, text)
        return text

    def publish(self):
        self.start("publisher.py")
        self.addCleanup(ach.unlink, "temperature")
        while "temperature" not in [c.name for c in ach.list()]:
            pass

    def test_publisher_and_subscribers(self):
        self.publish()
        self.assertIn("celsius=", self.run_to_end("subscriber.py", "temperature", "3"))
        plot = self.run_to_end("plot.py", "temperature", "celsius", "2")
        self.assertEqual(len(plot.splitlines()), 2)
        several = self.start("several.py", "temperature")
        self.assertIn("temperature: Temperature(", several.stdout.readline())
        several.send_signal(signal.SIGINT)
        self.assertEqual(several.wait(LIMIT), 0)

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_image(self):
        self.assertEqual(self.run_to_end("image.py").split(), ["18.0", "27.6", "37.3"])

    def test_near(self):
        server = subprocess.Popen(
            [os.environ["ACH"], "serve", "--no-tcp", "--port", "40080", os.environ["ROBOT"]],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait, LIMIT)
        self.addCleanup(server.terminate)
        while not server.stdout.readline().startswith("serving"):
            self.assertIsNone(server.poll())
        text = self.run_to_end("near.py", "40080:laser:0", "40080:position2d:0")
        self.assertIn("stopped at 1.00 m", text)

    def test_controller(self):
        with open(os.path.join(EXAMPLES, "controller.cfg"), encoding="utf-8") as f:
            world = f.read().replace('"python3" "controller.py"',
                                     f'"{sys.executable}" "{EXAMPLES}/controller.py"')
        path = os.path.join(os.environ["ACH_DIR"], ".world.cfg")
        with open(path, "w", encoding="utf-8") as f:
            f.write(world)
        self.addCleanup(os.remove, path)
        done = subprocess.run([os.environ["ACH"], "sim", "--quiet", "--model", "declared", path],
                              text=True, timeout=5 * LIMIT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        self.assertRegex(done.stdout, "500 periods, 0 missed, angle 0.(4[5-9]|5[0-4])")


if __name__ == "__main__":
    unittest.main()
