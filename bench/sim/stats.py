# SPDX-License-Identifier: BSD-3-Clause
"""Numbers out of numbers: percentiles, slopes, errors, and how far two traces are apart."""
import math


def percentile(values, share):
    """The smallest value that at least so large a share (0..1) of them does not exceed."""
    if not values:
        raise ValueError("no values")
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def median(values):
    return percentile(values, 0.5)


def slope(xs, ys):
    """Of the straight line that fits best."""
    if len(xs) != len(ys) or len(xs) < 2:
        raise ValueError("a slope needs two points or more")
    mean_x, mean_y = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    across = math.fsum((x - mean_x) ** 2 for x in xs)
    if across == 0:
        raise ValueError("all points have the same x")
    return math.fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / across


def rates(xs, ys, parts):
    """How fast y grows with x, in each of so many parts: [(middle x, rate)]"""
    step = max(1, (len(xs) - 1) // parts)
    found = []
    for i in range(0, len(xs) - step, step):
        if xs[i + step] != xs[i]:
            found.append(
                ((xs[i] + xs[i + step]) / 2, (ys[i + step] - ys[i]) / (xs[i + step] - xs[i]))
            )
    return found


def aggregate_error(granted, used, virtual):
    """What was granted and not used, in percent of virtual time; below 0: too much was used."""
    return 100.0 * (granted - used) / virtual


def overruns(armed, used, period):
    """How much longer each slice took than it was to, in percent of a period."""
    return [100.0 * (u - a) / period for a, u in zip(armed, used)]


def deviation(one, other, column):
    """The largest difference between two traces in a column, line by line."""
    if not one or not other:
        raise ValueError("an empty trace")
    return max(abs(a[column] - b[column]) for a, b in zip(one, other))


def charge_errors(trace):
    """Of lines (time, cpu, time after work, cpu after work): what the clock moved less what was
    used, for each."""
    return [(line[2] - line[0]) - (line[3] - line[1]) for line in trace]


def thinned(points, most):
    """Not more than so many of them, the first and the last among them."""
    if len(points) <= most:
        return list(points)
    return [points[round(i * (len(points) - 1) / (most - 1))] for i in range(most)]
