# SPDX-License-Identifier: BSD-3-Clause
"""benchmark.py counts lost messages, and a contender that fails costs only its own rows."""
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import benchmark  # noqa: E402 - found in that folder

COUNT = benchmark.SIZES["64 B"][1] // 5  # messages of a round


class Lossy(benchmark.Pipe):
    """Loses every second message: of those that end rounds too, because COUNT is even."""

    name, kind = "lossy", "library"

    def sender(self):
        send = super().sender()
        numbers = iter(range(1 << 30))
        return lambda message: next(numbers) % 2 == 0 or send(message)


class Deaf(benchmark.Pipe):
    """Loses all messages but those that end rounds."""

    name, kind = "deaf", "library"

    def sender(self):
        send = super().sender()
        return lambda message: benchmark.STAMP.unpack_from(message)[0] > 0 or send(message)


class Broken(benchmark.Pipe):
    name, kind = "broken", "library"

    def sender(self):
        return lambda _message: 1 / 0


class Absent(benchmark.Pipe):
    name, kind = "absent", "library"

    def __init__(self, _size, _folder):
        import no_such_module  # noqa: F401


class Benchmark(unittest.TestCase):
    def test_measure(self):
        missing = {}
        contenders = [benchmark.Pipe, Lossy, Deaf, Broken, Absent]
        with mock.patch.object(benchmark, "CONTENDERS", contenders), \
             mock.patch.object(benchmark, "END_SECONDS", 0.1):
            rows = benchmark.measure("64 B", 2, missing)
        self.assertEqual({r["contender"]: (r["n"], r["lost"]) for r in rows},
                         {"os.pipe": (2 * COUNT, 0), "lossy": (COUNT, COUNT)})
        self.assertEqual(missing, {
            "deaf 64 B": f"all {2 * COUNT} messages were lost",
            "broken 64 B": "division by zero",
            "absent": "No module named 'no_such_module'"})


if __name__ == "__main__":
    unittest.main()
