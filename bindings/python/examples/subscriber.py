#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print the messages of a channel: subscriber.py CHANNEL [COUNT]

It needs no definition: a channel with a type says what its messages are.
"""
import itertools
import sys

import ach

with ach.Channel(sys.argv[1], readonly=True) as channel:
    count = int(sys.argv[2]) if len(sys.argv) > 2 else None
    for message in itertools.islice(channel, count):
        if channel.missed.last:
            print(f"missed {channel.missed.last} messages")
        print(message, flush=True)
