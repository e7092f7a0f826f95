# SPDX-License-Identifier: BSD-3-Clause
"""Read and check the two result files, and pick rows from them. A part may be absent; what is there
must be right."""
import json
import math

import page
import plots

SETTING = ("mode", "size", "rate_hz", "senders", "receivers", "hops", "sched", "touched")

# One sender, one receiver, one hop: where the curves of other scenarios begin.
BASES = ("paced-1k", "saturated")
MODES = {"block": "receivers sleep", "spin": "receivers spin", "poll": "receivers poll"}

MOST = 1e18


class Damaged(Exception):
    pass


def text(where, value):
    if not isinstance(value, str):
        raise Damaged(f"{where}: not a string")
    return value


def flag(where, value):
    if not isinstance(value, bool):
        raise Damaged(f"{where}: neither true nor false")
    return value


def any_number(where, value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Damaged(f"{where}: not a number")
    if not -MOST <= value <= MOST or not math.isfinite(value):
        raise Damaged(f"{where}: not a number that can be")
    return value


def number(where, value):
    if any_number(where, value) < 0:
        raise Damaged(f"{where}: negative")
    return value


def listed(where, value):
    if not isinstance(value, list):
        raise Damaged(f"{where}: not a list")
    return enumerate(value)


def pairs(where, value):
    for i, pair in listed(where, value):
        if not isinstance(pair, list) or len(pair) != 2:
            raise Damaged(f"{where}[{i}]: not a pair")
        any_number(f"{where}[{i}][0]", pair[0])
        any_number(f"{where}[{i}][1]", pair[1])
    return value


def cdf(where, value):
    before = (0, 0)
    for i, (ns, fraction) in enumerate(pairs(where, value)):
        if ns < before[0] or fraction < before[1] or fraction > 1:
            raise Damaged(f"{where}[{i}]: does not rise from 0 to 1")
        before = (ns, fraction)
    return value


def fields(**kinds):
    """An object: each key has a kind; the first one must be there, others may be absent or null."""
    needed = next(iter(kinds))

    def check(where, value):
        if not isinstance(value, dict):
            raise Damaged(f"{where}: not an object")
        if value.get(needed) is None:
            raise Damaged(f"{where}: has no {needed}")
        return {
            key: None if value.get(key) is None else kind(f"{where}.{key}", value[key])
            for key, kind in kinds.items()
        }

    return check


def several(kind):
    return lambda where, value: [kind(f"{where}[{i}]", each) for i, each in listed(where, value)]


def named_numbers(where, value):
    if not isinstance(value, dict):
        raise Damaged(f"{where}: not an object")
    return {
        key: None if each is None else number(f"{where}.{key}", each) for key, each in value.items()
    }


def row(where, value):
    made = fields(
        scenario=text,
        contender=text,
        kind=text,
        mode=text,
        size=number,
        rate_hz=number,
        senders=number,
        receivers=number,
        hops=number,
        sched=text,
        touched=flag,
        n=number,
        lost=number,
        reordered=number,
        damaged=number,
        p50_ns=number,
        p99_ns=number,
        p999_ns=number,
        max_ns=number,
        ratio=number,
        ratio_p99=number,
        cdf=cdf,
    )(where, value)
    if made["contender"] is None:
        raise Damaged(f"{where}: has no contender")
    return made


REPORT = {
    "machine": text,
    "kernel": text,
    "floors": named_numbers,
    "contenders": several(
        fields(name=text, kind=text, package=text, settings=text, lines=number, status=text)
    ),
    "rows": several(row),
    "stopped": several(
        fields(
            contender=text,
            blocks=flag,
            longest_send_ms=number,
            first_age_ms=number,
            first=text,
            newest_after_ms=number,
            lost=number,
        )
    ),
}

SERIES = fields(name=text, points=pairs)
SCALING = {
    "machine": text,
    "kernel": text,
    "curves": several(
        fields(
            name=text,
            title=text,
            x_label=text,
            x_log=flag,
            y_label=text,
            y_log=flag,
            series=several(SERIES),
        )
    ),
    "notes": several(text),
}


def no_constant(name):
    raise ValueError(f"{name} is not a number")


def read(path, parts):
    """The parts of a file, None for each that is absent; None if there is no file."""
    try:
        with open(path, encoding="utf-8") as file:
            whole = json.load(file, parse_constant=no_constant)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Damaged(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{path}: not JSON: {error}") from error
    if not isinstance(whole, dict):
        raise Damaged(f"{path}: not an object")
    return {
        key: None if whole.get(key) is None else check(f"{path}: {key}", whole[key])
        for key, check in parts.items()
    }


class Report:
    """The results of ach-peers, and a look for each contender that is the same in all plots."""

    def __init__(self, parts):
        self.parts = parts or dict.fromkeys(REPORT)
        self.rows = self.parts["rows"] or []
        self.contenders = self.parts["contenders"] or []
        names = dict.fromkeys(
            [c["name"] for c in self.contenders] + [r["contender"] for r in self.rows]
        )
        kinds = {r["contender"]: r["kind"] for r in self.rows}
        kinds.update({c["name"]: c["kind"] for c in self.contenders})
        self.looks = plots.looks(names, kinds)

    def named(self, name):
        """A cell with a contender's name and how its lines look."""
        look = self.looks.get(name)
        return page.Cell((plots.key(look) if look else "") + page.esc(name), markup=True)

    def strong(self, name):
        return name in self.looks and self.looks[name].strong


def setting_words(row, leave_out=()):
    """What a row was measured with, as a phrase."""
    said = {
        "mode": MODES.get(row["mode"], row["mode"]),
        "size": row["size"] is not None and page.size(row["size"]),
        "rate_hz": row["rate_hz"] is not None and page.rate(row["rate_hz"]),
        "senders": row["senders"] is not None and page.one(row["senders"], "sender"),
        "receivers": row["receivers"] is not None and page.one(row["receivers"], "receiver"),
        "hops": row["hops"] is not None and page.one(row["hops"], "hop"),
        "sched": row["sched"] and "scheduling " + row["sched"],
        "touched": row["touched"] is False and "payload not touched",
    }
    return ", ".join(said[key] for key in SETTING if said[key] and key not in leave_out)


def setting(row, leave_out):
    return tuple(row[key] for key in SETTING if key != leave_out)


def comparable(rows, scenario, x=None):
    """Rows of a scenario in groups that differ in contender and x only; receivers that sleep first,
    then the largest group. Rows of a base that fit a group and have an x of their own belong to it.
    """
    usable = [row for row in rows if row["p50_ns"] and (not x or row[x] is not None)]
    groups = {}
    for row in usable:
        if row["scenario"] == scenario:
            groups.setdefault(setting(row, x), []).append(row)
    for key, group in groups.items():
        own = {row[x] for row in group} if x else ()
        begin = [row for row in usable if row["scenario"] in BASES and setting(row, x) == key]
        group += [row for row in begin if x and row[x] not in own]
    return sorted(groups.values(), key=lambda group: (group[0]["mode"] != "block", -len(group)))


def by_contender(rows):
    made = {}
    for row in rows:
        made.setdefault(row["contender"], []).append(row)
    return made
