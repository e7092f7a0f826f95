# SPDX-License-Identifier: BSD-3-Clause
"""Numbers out of numbers: percentiles, slopes and errors."""
import itertools
import math
import statistics


def percentile(values, share):
    """The smallest value that at least so large a share (0..1) of them does not exceed."""
    if not values:
        raise ValueError("no values")
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def slope(points):
    """Of the straight line that fits best."""
    return statistics.linear_regression(*zip(*points)).slope


def rates(points, parts):
    """How fast y grows with x, in each of so many parts: [(middle x, rate)]"""
    ends = points[:: max(1, (len(points) - 1) // parts)]
    return [
        ((x + next_x) / 2, (next_y - y) / (next_x - x))
        for (x, y), (next_x, next_y) in itertools.pairwise(ends) if x != next_x
    ]


def overruns(slices, period):
    """How much longer each slice took than it was to, in percent of a period."""
    return [100 * (one.used - one.armed) / period for one in slices]


def charge_errors(cycles):
    """What the clock moved less the CPU time that was used, for each cycle."""
    return [(one.end - one.begin) - (one.end_cpu - one.cpu) for one in cycles]


def thinned(points, most):
    """Not more than so many of them, the first and the last among them."""
    if len(points) <= most:
        return points
    return [points[round(i * (len(points) - 1) / (most - 1))] for i in range(most)]
