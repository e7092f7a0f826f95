#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Read several channels with asyncio, without threads: several.py CHANNEL ..."""
import asyncio
import sys

import ach


async def read(name):
    with ach.Channel(name) as channel:
        async for message in channel:
            print(f"{name}: {message}", flush=True)


async def main():
    await asyncio.gather(*(read(name) for name in sys.argv[1:]))


try:
    asyncio.run(main())
except KeyboardInterrupt:
    pass
