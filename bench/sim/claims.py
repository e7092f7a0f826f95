# SPDX-License-Identifier: BSD-3-Clause
"""What was found, beside what it was to be."""

SIGNS = {"<=": "≤", ">=": "≥", "=": ""}


class Claim:
    def __init__(self, name, value, sign=None, limit=None, unit="", paper=""):
        self.name, self.value, self.sign, self.limit = name, value, sign, limit
        self.unit, self.paper = unit, paper

    @property
    def reached(self):
        """None: there is no target."""
        if self.sign is None:
            return None
        if self.sign == "=":
            return self.value == self.limit
        return self.value <= self.limit if self.sign == "<=" else self.value >= self.limit

    @property
    def verdict(self):
        return {None: "", True: "reached", False: "missed"}[self.reached]

    def shown(self, value):
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
        return f"{text} {self.unit}".rstrip()

    @property
    def target(self):
        return "" if self.sign is None else f"{SIGNS[self.sign]} {self.shown(self.limit)}".strip()


def lines(claims):
    """As a table on the terminal."""
    cells = [(c.name, c.shown(c.value), c.target, c.verdict) for c in claims]
    widths = [max(len(row[i]) for row in cells) for i in range(4)]
    for name, value, target, verdict in cells:
        line = f"  {name:<{widths[0]}}  {value:>{widths[1]}}  {target:<{widths[2]}}  {verdict}"
        yield line.rstrip()
