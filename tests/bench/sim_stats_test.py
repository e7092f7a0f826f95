# SPDX-License-Identifier: BSD-3-Clause
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/sim"))
import figures
import world
from world import Claim


class Statistics(unittest.TestCase):
    def test_percentile(self):
        values = list(range(100, 0, -1))
        for share, wanted in ((0.01, 1), (0.5, 50), (0.99, 99), (1, 100)):
            self.assertEqual(world.percentile(values, share), wanted)
        self.assertEqual(world.percentile([7], 0.99), 7)
        self.assertEqual(world.percentile([3, 1, 2], 0.5), 2)
        self.assertRaises(ValueError, world.percentile, [], 0.5)

    def test_slope(self):
        self.assertAlmostEqual(world.slope([(0, 5), (1, 5.1), (2, 5.2), (3, 5.3)]), 0.1)
        big = [10**15 + i * 1000 for i in range(1000)]
        self.assertAlmostEqual(world.slope([(x, x * 1.001) for x in big]), 1.001, places=6)
        self.assertRaises(ValueError, world.slope, [(1, 1)])
        self.assertRaises(ValueError, world.slope, [(1, 1), (1, 2)])

    def test_rates(self):
        points = [(0, 0), (1, 1), (2, 2), (3, 4), (4, 6)]
        self.assertEqual(world.rates(points, 2), [(1, 1), (3, 2)])
        self.assertEqual(world.rates([(0, 1), (0, 2)], 1), [])

    def test_errors(self):
        slices = [world.Slice(0, armed, used, 0, 0) for armed, used in ((100, 110), (90, 90))]
        self.assertEqual(world.overruns(slices, 1000), [1.0, 0.0])
        cycles = [world.Cycle(0, 5, end, 15, 0.0, 0) for end in (10, 12)]
        self.assertEqual(world.charge_errors(cycles), [0, 2])
        last = world.Slice(100, 0, 0, 99, 100)
        self.assertAlmostEqual(figures.aggregate_error([last]), 1.0)

    def test_thinned(self):
        self.assertEqual(world.thinned([1, 2, 3], 5), [1, 2, 3])
        few = world.thinned(list(range(1001)), 11)
        self.assertEqual((len(few), few[0], few[-1], few[5]), (11, 0, 1000, 500))


class Texts(unittest.TestCase):
    REPORT = (
        "w: 1.000000 s in 0.050 s of wall time, real-time factor 20.14, 999 activations, "
        "20122 a second, not real-time\n"
        "  one: 999 cycles, cpu 0.012141 s, granted 0.003972 s, error -0.008169 s (-0.81690 %), "
        "3 overruns, the longest cycle 1.500 ms\n"
        "  two: 2 cycles, cpu 0.1 s, granted 0.2 s, error +0.100000 s (+10.00000 %)\n"
        "  three: 20 cycles, declared cost 0.001000 s, granted 0.021000 s, 4 overruns\n"
        "  four: 7 cycles, free of charge\n"
    )

    def test_report(self):
        wanted = {"virtual": 1.0, "wall": 0.05, "factor": 20.14, "activations": 999, "rate": 20122}
        wanted["errors"] = {"one": -0.008169, "two": 0.1}
        self.assertEqual(world.parse_report(self.REPORT), wanted)
        self.assertIsNone(world.parse_report("nothing of that"))

    def test_numbers(self):
        self.assertEqual(world.numbers("1 -2 0.5\n3 1e-9 4\n5 6"), [(1, -2, 0.5), (3, 1e-9, 4)])

    def test_sections(self):
        self.assertEqual(
            world.section("driver", name="x", rate=1000, joints=["a", "b"], slow=0.5, on=True),
            'driver (name "x" rate 1000 joints ["a" "b"] slow 0.5 on 1)\n',
        )


class Claims(unittest.TestCase):
    def test_reached(self):
        self.assertTrue(Claim("a", 1.0, "<=", 1.0).reached)
        self.assertFalse(Claim("a", 1.1, "<=", 1.0).reached)
        self.assertTrue(Claim("a", 1.0, ">=", 1.0).reached)
        self.assertFalse(Claim("a", 0.9, ">=", 1.0).reached)
        self.assertIsNone(Claim("a", 0.9).reached)
        self.assertTrue(Claim("a", "falls", "=", "falls").reached)
        self.assertFalse(Claim("a", float("nan"), "<=", 1.0).reached)


if __name__ == "__main__":
    unittest.main()
