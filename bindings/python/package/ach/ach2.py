# SPDX-License-Identifier: BSD-3-Clause
"""The Python module of Ach 2, for programs that were written for it.

    import ach.ach2 as ach

or, for a program that is not changed:

    python3 -m ach.ach2 PROGRAM [ARGUMENT ...]

It differs from ach.Channel: opening creates a missing channel, get copies into a buffer and
returns a status, and does not wait unless it is told to.
"""
import runpy
import sys
from typing import Any

from . import _ach
from ._channel import Channel as _Channel
from ._channel import create as _create
from ._channel import unlink as _unlink
from ._errors import Again, Canceled, Error, NotFound, Status, Timeout

AchException = Error
ACH_O_WAIT = _ach.ACH_O_WAIT
ACH_O_LAST = _ach.ACH_O_LAST
for _name, _status in Status.__members__.items():
    globals()[f"ACH_{_name}"] = int(_status)


class Channel:
    """A channel."""

    def __init__(self, name: Any = None, frame_count: int = 0, frame_size: int = 0):
        """With a name, open the channel, and create it if there is none."""
        self.pointer: Any = None
        self.name: Any = None
        if name:
            self.open(name, frame_count, frame_size)

    def open(self, name: str, frame_count: int = 0, frame_size: int = 0) -> None:
        """Open a channel; create it if there is none."""
        assert not self.pointer
        try:
            self.pointer = _Channel(name)
        except NotFound:
            _create(name, frame_count, frame_size, exist_ok=True)
            self.pointer = _Channel(name)
        self.name = name

    def close(self) -> None:
        """Close the channel."""
        assert self.pointer
        self.pointer.close()
        self.pointer = None
        self.name = None

    def put(self, buf: Any) -> None:
        """Put a buffer."""
        assert self.pointer
        self.pointer._put(buf)

    def get(self, buf: Any, wait: bool = False, last: bool = False) -> tuple[int, int]:
        """Copy a message into a buffer. Returns (status, size of the message).

        The status is OK, MISSED_FRAME, STALE_FRAMES, TIMEOUT or CANCELED; the last three have
        size 0. Others are raised.
        """
        assert self.pointer
        try:
            size = self.pointer.get(into=buf, wait=bool(wait), last=bool(last))
        except (Again, Timeout, Canceled) as e:
            return int(e.status), 0
        return int(self.pointer.status), size

    def result_string(self, status: int) -> str:
        """The name of a status."""
        return _ach.status_name(status)

    def flush(self) -> None:
        """Skip all messages that are in the channel now."""
        assert self.pointer
        self.pointer.flush()

    def chmod(self, mode: int) -> None:
        """Change the permissions of the channel."""
        assert self.pointer
        self.pointer.chmod(mode)

    def unlink(self) -> None:
        """Remove the channel's name. The channel stays open."""
        assert self.pointer
        _unlink(self.name)


def _main() -> None:
    if len(sys.argv) < 2:
        sys.exit("usage: python3 -m ach.ach2 PROGRAM [ARGUMENT ...]")
    import ach.ach2

    del sys.argv[0]
    sys.modules["ach"] = ach.ach2
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    _main()
