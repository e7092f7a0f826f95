# SPDX-License-Identifier: BSD-3-Clause
"""Tasks of asyncio that wait for a descriptor."""
import asyncio
import os


def _done(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_result(None)


class Waiters:
    """The tasks that wait for the descriptor of one handle, in any event loops."""

    def __init__(self) -> None:
        self._loops: dict[asyncio.Future[None], asyncio.AbstractEventLoop] = {}

    async def readable(self, fd: int) -> None:
        """Wait until the descriptor is readable, or wake is called.

        Each task polls a duplicate, because an event loop calls one function for each descriptor,
        and because the handle may be closed meanwhile, and its descriptor used for something else.
        """
        loop = asyncio.get_running_loop()
        waiter = loop.create_future()
        own = os.dup(fd)
        try:
            loop.add_reader(own, _done, waiter)
            self._loops[waiter] = loop
            await waiter
        finally:
            self._loops.pop(waiter, None)
            loop.remove_reader(own)
            os.close(own)

    def wake(self) -> None:
        """Let all tasks go on. Any thread may call it."""
        for waiter, loop in list(self._loops.items()):
            try:
                loop.call_soon_threadsafe(_done, waiter)
            except RuntimeError:  # the event loop has ended
                pass
