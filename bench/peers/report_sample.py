# SPDX-License-Identifier: BSD-3-Clause
"""Made-up results that look like real ones: for the test of the report, and to look at its page."""
import math
import random

# name, kind, package, settings, lines, ns asleep, ns spinning, ns for each KiB, most receivers
CONTENDERS = (
    ("ach", "ach", None, "newest first, 64 entries", 61, 5200, 160, 55, 16),
    ("ach-oldest", "ach", None, "oldest first, 64 entries", 63, 5300, 165, 55, 16),
    ("ach-kernel", "ach", "ach-dkms", "character device", 58, 6900, None, 130, 16),
    ("futex", "floor", None, "a word and a buffer", 48, 4600, None, 40, 1),
    ("cache-line", "floor", None, "two words, pinned", 39, None, 110, 38, 1),
    ("pipe", "kernel", None, "O_DIRECT packets", 52, 7600, 2100, 160, 1),
    (
        "unix-seqpacket",
        "kernel",
        None,
        "SOCK_SEQPACKET, one pair for each receiver",
        77,
        9100,
        2700,
        150,
        16,
    ),
    (
        "udp-multicast",
        "kernel",
        None,
        "loopback, IP_MULTICAST_LOOP, SO_RCVBUF 4 MiB",
        96,
        14800,
        6100,
        380,
        16,
    ),
    ("mqueue", "kernel", None, "10 messages", 49, 8200, 2400, 140, 1),
    ("lcm", "library", "liblcm-dev 1.3.1", "udpm, ttl 0, queue of 1", 88, 21500, None, 420, 16),
    (
        "zeromq",
        "library",
        "libzmq3-dev 4.3.4",
        "ipc, PUB/SUB, ZMQ_CONFLATE off, one I/O thread",
        104,
        24800,
        17000,
        210,
        16,
    ),
    ("nng", "library", "libnng-dev 1.5.2", "ipc, pub0/sub0", 99, 31000, None, 230, 16),
    (
        "iceoryx",
        "library",
        "libiceoryx-posix-dev 2.0.3",
        "RouDi, history 0, WaitSet",
        172,
        11900,
        480,
        2,
        16,
    ),
    (
        "cyclonedds",
        "library",
        "cyclonedds-dev 0.10.2",
        "KEEP_LAST 1, best effort, loopback only",
        151,
        38500,
        24000,
        260,
        16,
    ),
    (
        "fastdds",
        "library",
        "libfastrtps-dev 2.9.1",
        "shared-memory transport, data sharing",
        208,
        52500,
        30500,
        190,
        16,
    ),
)


def row(dice, scenario, who, mode, base, cdf=False, **setting):
    """One row around a p50, with a tail like that of a machine that also does other things."""
    wanted = dict(size=64, rate_hz=1000, senders=1, receivers=1, hops=1, sched="other")
    wanted.update(setting)
    p50 = base * dice.uniform(0.95, 1.05)
    tail = dice.uniform(1.4, 3.2)
    made = dict(
        scenario=scenario,
        contender=who[0],
        kind=who[1],
        mode=mode,
        n=20000,
        lost=dice.choice((0, 0, 0, 12)) if who[0] == "lcm" else 0,
        reordered=0,
        damaged=0,
        p50_ns=round(p50),
        p99_ns=round(p50 * tail),
        p999_ns=round(p50 * tail * 1.8),
        max_ns=round(p50 * tail * 1.8 + dice.uniform(2e4, 4e6)),
        ratio=p50 / 4600,
        ratio_p99=tail * p50 / 9000,
        **wanted,
    )
    if cdf:
        steps = [k / 100 for k in range(100)] + [0.993, 0.996, 0.998, 0.999, 0.9995, 1]
        made["cdf"] = [
            [round(p50 * (0.75 + 0.5 * f / (1.5 - f)) * (1 + (tail * 1.8 - 1) * f**60)), f]
            for f in steps
        ]
    return made


def sample_rows():
    dice = random.Random(1)
    rows = []
    for who in CONTENDERS:
        asleep, spinning, kib, most = who[5:]
        if asleep:
            rows.append(row(dice, "paced-1k", who, "block", asleep, cdf=True))
            rows.append(row(dice, "paced-8k", who, "block", asleep * 0.9, rate_hz=8000))
            rows += [
                row(dice, "receivers", who, "block", asleep * (1 + 0.35 * (n - 1)), receivers=n)
                for n in (1, 2, 4, 8, 16)
                if n <= most
            ]
            rows += [
                row(dice, "paced-8k", who, "block", asleep * 1.3, rate_hz=8000, receivers=2)
            ] * (most > 1)
            rows += [
                row(dice, "senders", who, "block", asleep * (1 + 0.1 * n), senders=n)
                for n in (1, 2, 4)
            ]
            rows += [row(dice, "hops", who, "block", asleep * n, hops=n) for n in (1, 2, 4, 8)]
            rows += [
                row(dice, "sizes", who, "block", asleep + kib * size / 1024, size=size)
                for size in (8, 64, 1024, 16384, 262144, 4194304)
                if size < 1e5 or who[0] != "mqueue"
            ]
        if spinning:
            rows += [
                row(dice, "sizes", who, "spin", spinning + kib * size / 1024, size=size, rate_hz=0)
                for size in (8, 64, 1024, 16384, 262144)
            ]
    return rows


def sample_report():
    return {
        "machine": "Example board, 4 cores at 2.4 GHz, governor performance",
        "kernel": "Linux 6.1.0-28-arm64 SMP PREEMPT_DYNAMIC",
        "floors": {"futex": 4602, "cache line": 108.5, "clock": 21},
        "contenders": [
            dict(zip(("name", "kind", "package", "settings", "lines"), who), status="ok")
            for who in CONTENDERS
        ]
        + [
            {
                "name": "zenoh",
                "kind": "library",
                "package": "none in Debian 12",
                "settings": None,
                "lines": None,
                "status": "not built: zenoh.h was not found",
            }
        ],
        "rows": sample_rows(),
        "stopped": [
            {
                "contender": "ach",
                "blocks": False,
                "longest_send_ms": 0.011,
                "first_age_ms": 0.6,
                "first": "newest",
                "newest_after_ms": 0.05,
                "lost": 0,
            },
            {
                "contender": "pipe",
                "blocks": True,
                "longest_send_ms": 1000.2,
                "first_age_ms": 1016,
                "first": "oldest",
                "newest_after_ms": 4.1,
                "lost": 0,
            },
            {
                "contender": "udp-multicast",
                "blocks": False,
                "longest_send_ms": 0.04,
                "first_age_ms": 1000,
                "first": "oldest",
                "newest_after_ms": 7.7,
                "lost": 312,
            },
            {
                "contender": "zeromq",
                "blocks": False,
                "longest_send_ms": 0.08,
                "first_age_ms": 998,
                "first": "between",
                "newest_after_ms": None,
                "lost": 7,
            },
        ],
    }


def sample_scaling():
    grows = [("message copied", lambda x: 140 + x / 18), ("in place", lambda x: 95 + x / 60)]
    flat = [
        ("put", lambda x: 210),
        ("newest", lambda x: 62),
        ("oldest", lambda x: 66 + math.log2(x)),
    ]
    threads = [(f"{k} writers", lambda x, k=k: 1.1e6 / k * x / (x + 1)) for k in (1, 2, 4)]

    def curve(name, title, x, y, series, xs):
        return {
            "name": name,
            "title": title,
            "x_label": x[0],
            "x_log": x[1],
            "y_label": y[0],
            "y_log": y[1],
            "series": [
                {"name": who, "points": [[at, cost(at)] for at in xs]} for who, cost in series
            ],
        }

    return {
        "machine": "Example board, 4 cores at 2.4 GHz, governor performance",
        "kernel": "Linux 6.1.0-28-arm64 SMP PREEMPT_DYNAMIC",
        "curves": [
            curve(
                "size",
                "Cost and size of a message",
                ("size of a message, bytes", True),
                ("p50, ns", True),
                grows,
                [2**k for k in range(3, 23)],
            ),
            curve(
                "depth",
                "Cost and depth of a channel",
                ("entries", True),
                ("p50 (ns)", False),
                flat,
                [16, 64, 256, 1024, 4096],
            ),
            curve(
                "writers",
                "Messages per second",
                ("readers", False),
                ("messages per second", False),
                threads,
                list(range(1, 17)),
            ),
        ],
        "notes": [
            "The cost of a put does not depend on the number of readers.",
            "Single readings are medians of 5.",
        ],
    }


def sample_calls():
    return {
        "rows": [
            {
                "name": "kernel write, poll, read",
                "floor": "pipe write, poll, read",
                "p50": 4011.5,
                "p99": 4100,
                "ratio": 0.981,
                "target": "ratio <= 1",
                "reached": True,
            },
            {
                "name": "kernel read of the newest",
                "floor": "mapped get of the newest",
                "p50": 912,
                "p99": 1400,
                "ratio": 4.63,
                "target": "ratio >= 5",
                "reached": False,
            },
            {"name": "pipe poll", "floor": "pipe poll", "p50": 1207, "p99": 1210, "ratio": 1},
        ]
    }
