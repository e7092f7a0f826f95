# SPDX-License-Identifier: BSD-3-Clause
"""Statuses, and the exceptions that stand for them."""
import enum
import errno as _errno
import re
from typing import Any

from . import _ach

__all__ = ["AccessDenied", "Again", "BadAddress", "BadFile", "BadHeader", "BadType", "Bug",
           "Canceled", "Closed", "Corrupt", "Error", "Exists", "Interrupted", "Invalid",
           "InvalidName", "NotFound", "NotSupported", "Overflow", "Overwritten", "Status",
           "SystemCallFailed", "Timeout"]


class Status(enum.IntEnum):
    """The result of a function of libach. Some numbers have several names."""

    OK = 0
    OVERFLOW = 1
    INVALID_NAME = 2
    BAD_SHM_FILE = 3
    FAILED_SYSCALL = 4
    EAGAIN = 5
    STALE_FRAMES = 5
    LOCKED = 5
    MISSED_FRAME = 6
    TIMEOUT = 7
    EEXIST = 8
    ENOENT = 9
    CLOSED = 10
    BUG = 11
    EINVAL = 12
    CORRUPT = 13
    BAD_HEADER = 14
    EACCES = 15
    CANCELED = 16
    EFAULT = 17
    EINTR = 18
    ENOTSUP = 19
    BAD_TYPE = 20

    def __str__(self) -> str:
        return _ach.status_name(self)


class _Raise:
    """The default of `default`: an exception is raised. Its repr is for help."""

    def __repr__(self) -> str:
        return "<raise>"


RAISE: Any = _Raise()


def _names(text: str, name: str) -> bool:
    """Whether a text contains a name as a word, and not by chance within another one."""
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", text) is not None


class Error(Exception):
    """A function of Ach failed. `status` says how; each status has a class of its own."""

    status: Status = Status.BUG
    _text = "failed"
    _errno = 0

    def __init__(self, what: object = None, text: str = "", errno: int = 0):
        """what: the channel or device; text: why it failed; errno: the error of the system."""
        message = text or self._text
        name = "" if what is None else str(what)
        if name and not (text and _names(text, name)):
            message = f"{name}: {message}"
        super().__init__(message)
        if errno or self._errno:
            self.errno = errno or self._errno


class Overflow(Error, ValueError):
    """The message is larger than the buffer, or than the channel.

    After a call of a Channel, `size` is the size of the message, and `room` that of the buffer or
    of the largest message of the channel, in bytes. A message that was larger than the buffer of
    Channel.get(into=...) can still be got.
    """

    size = 0
    room = 0

    status = Status.OVERFLOW
    _text = "the message is larger than the buffer or than the channel"


class InvalidName(Error, ValueError):
    """Not the name of a channel."""

    status = Status.INVALID_NAME
    _text = "a name has letters, digits, '.', '_' and '-', no leading dot, at most 63 characters"


class BadFile(Error, OSError):
    """The file is not a channel, or was cut short."""

    status = Status.BAD_SHM_FILE
    _text = "the file is not a channel"


class SystemCallFailed(Error, OSError):
    """The system refused; `errno` says why."""

    status = Status.FAILED_SYSCALL
    _text = "the system refused"


class Again(Error, BlockingIOError):
    """There is nothing new, or another handle or writer holds what is needed."""

    status = Status.EAGAIN
    _text = "there is nothing new, or another writer is busy"
    _errno = _errno.EAGAIN


class Overwritten(Again):
    """A writer overwrote the message while it was viewed: what was read may be a mixture."""

    _text = "the message was overwritten while it was viewed"


class Timeout(Error, TimeoutError):
    """The time ran out."""

    status = Status.TIMEOUT
    _text = "the time ran out"
    _errno = _errno.ETIMEDOUT


class Exists(Error, FileExistsError):
    """There is such a channel already."""

    status = Status.EEXIST
    _text = "there is such a channel already"
    _errno = _errno.EEXIST


class NotFound(Error, FileNotFoundError):
    """There is no such channel or device."""

    status = Status.ENOENT
    _text = "there is no such channel"
    _errno = _errno.ENOENT


class Closed(Error, ValueError):
    """The handle is not open, or the server of the device has ended."""

    status = Status.CLOSED
    _text = "the handle is not open"


class Bug(Error, RuntimeError):
    """A fault in Ach itself."""

    status = Status.BUG
    _text = "a fault in Ach itself"


class Invalid(Error, ValueError):
    """A bad argument."""

    status = Status.EINVAL
    _text = "a bad argument, such as an empty message"


class Corrupt(Error, ValueError):
    """The channel's memory is damaged, the channel was replaced, or bytes are not of the type."""

    status = Status.CORRUPT
    _text = "the channel is damaged or was replaced; open it again"


class BadHeader(Error, OSError):
    """A channel of another layout: of another version or machine."""

    status = Status.BAD_HEADER
    _text = "a channel of another layout"


class AccessDenied(Error, PermissionError):
    """Not permitted."""

    status = Status.EACCES
    _text = "not permitted: the handle is read-only, or another one is the only writer"
    _errno = _errno.EACCES


class Canceled(Error):
    """cancel was called on this handle."""

    status = Status.CANCELED
    _text = "the handle was canceled"


class BadAddress(Error, OSError):
    """A bad address."""

    status = Status.EFAULT
    _text = "a bad address"
    _errno = _errno.EFAULT


class Interrupted(Error, InterruptedError):
    """A signal handler ran."""

    status = Status.EINTR
    _text = "a signal handler ran"
    _errno = _errno.EINTR


class NotSupported(Error, NotImplementedError):
    """This kind of channel or device, or this system, cannot do that."""

    status = Status.ENOTSUP
    _text = "not supported by this channel or device"


class BadType(Error, TypeError):
    """The channel's messages have another type than expected."""

    status = Status.BAD_TYPE
    _text = "the channel has another type"


_CLASSES = {c.status: c for c in Error.__subclasses__()}


for _name in __all__:
    globals()[_name].__module__ = "ach"  # tracebacks show where programs find the class


def make_error(status: int, what: object, text: str, errno: int) -> Error:
    """The exception of a status. The C part calls it."""
    cls = Overwritten if status == _ach.PYACH_OVERWRITTEN else _CLASSES.get(status, Bug)
    return cls(what, text, errno)
