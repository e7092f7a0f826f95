#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What bindings/overhead/overhead.c does, with the package ach."""
import sys
import time

import ach


# Each operation has its own loop, because calling a function takes about as long as some of them.
def put(channel, message, calls):
    for _ in range(calls):
        channel.put(message)


def get(channel, _message, calls):
    for _ in range(calls):
        channel.get(wait=False, last=True, copy=True)


def get_into(channel, message, calls):
    for _ in range(calls):
        channel.get(wait=False, last=True, copy=True, into=message)


def view(channel, message, calls):
    for _ in range(calls):
        with channel.view(wait=False, last=True, copy=True) as v:
            message[0] = v[0]


def main():
    batches, calls = map(int, sys.argv[2:])
    message = bytearray(64)
    with ach.Channel(sys.argv[1]) as channel:
        for operation in (put, get, get_into, view):
            times = []
            for _ in range(batches):
                begin = time.perf_counter_ns()
                operation(channel, message, calls)
                times.append((time.perf_counter_ns() - begin) / calls)
            print(f"{operation.__name__.replace('_', ' ')}:", *times)


if __name__ == "__main__":
    main()
