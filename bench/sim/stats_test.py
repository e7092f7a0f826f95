# SPDX-License-Identifier: BSD-3-Clause
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import claims
import stats
import world


class Statistics(unittest.TestCase):
    def test_percentile(self):
        values = list(range(100, 0, -1))
        self.assertEqual(stats.percentile(values, 0.01), 1)
        self.assertEqual(stats.percentile(values, 0.5), 50)
        self.assertEqual(stats.percentile(values, 0.99), 99)
        self.assertEqual(stats.percentile(values, 1), 100)
        self.assertEqual(stats.percentile([7], 0.99), 7)
        self.assertEqual(stats.median([3, 1, 2]), 2)
        self.assertRaises(ValueError, stats.percentile, [], 0.5)

    def test_slope(self):
        self.assertAlmostEqual(stats.slope([0, 1, 2, 3], [5, 5.1, 5.2, 5.3]), 0.1)
        big = [10**15 + i * 1000 for i in range(1000)]
        self.assertAlmostEqual(stats.slope(big, [x * 1.001 for x in big]), 1.001, places=6)
        self.assertRaises(ValueError, stats.slope, [1], [1])
        self.assertRaises(ValueError, stats.slope, [1, 1], [1, 2])

    def test_rates(self):
        found = stats.rates([0, 1, 2, 3, 4], [0, 1, 2, 4, 6], 2)
        self.assertEqual(found, [(1, 1), (3, 2)])
        self.assertEqual(stats.rates([0, 0], [1, 2], 1), [])

    def test_errors(self):
        self.assertAlmostEqual(stats.aggregate_error(101, 100, 100), 1.0)
        self.assertAlmostEqual(stats.aggregate_error(99, 100, 100), -1.0)
        self.assertEqual(stats.overruns([100, 90], [110, 90], 1000), [1.0, 0.0])
        self.assertEqual(stats.charge_errors([(0, 5, 10, 15), (0, 5, 12, 15)]), [0, 2])
        self.assertEqual(stats.deviation([(0, 1), (1, 2)], [(0, 1.5), (1, 2)], 1), 0.5)
        self.assertRaises(ValueError, stats.deviation, [], [], 0)

    def test_thinned(self):
        self.assertEqual(stats.thinned([1, 2, 3], 5), [1, 2, 3])
        few = stats.thinned(list(range(1001)), 11)
        self.assertEqual((len(few), few[0], few[-1], few[5]), (11, 0, 1000, 500))


class Reports(unittest.TestCase):
    TEXT = (
        "w: 1.000000 s in 0.050 s of wall time, real-time factor 20.14, 999 activations, "
        "20122 a second, not real-time\n"
        "  one: 999 cycles, cpu 0.012141 s, granted 0.003972 s, error -0.008169 s (-0.81690 %), "
        "3 overruns, the longest cycle 1.500 ms\n"
        "  two: 2 cycles, cpu 0.1 s, granted 0.2 s, error +0.100000 s (+10.00000 %)\n"
        "  three: 20 cycles, declared cost 0.001000 s, granted 0.021000 s, 4 overruns\n"
        "  four: 7 cycles, free of charge\n"
    )

    def test_report(self):
        report = world.parse_report(self.TEXT)
        self.assertEqual(report["virtual"], 1.0)
        self.assertEqual(report["factor"], 20.14)
        self.assertEqual(report["rate"], 20122)
        self.assertFalse(report["realtime"])
        self.assertEqual(report["controllers"]["one"]["cycles"], 999)
        self.assertEqual(report["controllers"]["one"]["error"], -0.008169)
        self.assertEqual(report["controllers"]["two"]["granted"], 0.2)
        self.assertEqual(
            report["controllers"]["three"], {"cycles": 20, "cost": 0.001, "granted": 0.021}
        )
        self.assertEqual(report["controllers"]["four"], {"cycles": 7})
        self.assertIsNone(world.parse_report("nothing of that"))

    def test_sections(self):
        self.assertEqual(
            world.section("driver", name="x", rate=1000, joints=["a", "b"], slow=0.5, on=True),
            'driver (name "x" rate 1000 joints ["a" "b"] slow 0.5 on 1)\n',
        )


class Claims(unittest.TestCase):
    def test_reached(self):
        self.assertTrue(claims.Claim("a", 1.0, "<=", 1.0).reached)
        self.assertFalse(claims.Claim("a", 1.1, "<=", 1.0).reached)
        self.assertTrue(claims.Claim("a", 1.0, ">=", 1.0).reached)
        self.assertFalse(claims.Claim("a", 0.9, ">=", 1.0).reached)
        self.assertIsNone(claims.Claim("a", 0.9).reached)
        self.assertTrue(claims.Claim("a", "falls", "=", "falls").reached)
        self.assertFalse(claims.Claim("a", float("nan"), "<=", 1.0).reached)


if __name__ == "__main__":
    unittest.main()
