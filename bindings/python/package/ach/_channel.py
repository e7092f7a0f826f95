# SPDX-License-Identifier: BSD-3-Clause
"""Channels."""
import asyncio
import functools
import math
import operator
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any, NamedTuple

from . import _ach
from ._errors import (RAISE, AccessDenied, Again, Canceled, Closed, Error, Exists, NotFound,
                      NotSupported, Status, Timeout)
from ._types import Buffer, Type
from ._waiters import Waiters

_MAPS = {_ach.ACH_MAP_DEFAULT: "", _ach.ACH_MAP_ANON: "anon", _ach.ACH_MAP_USER: "user",
         _ach.ACH_MAP_KERNEL: "kernel"}
_READY = {_ach.ACH_READY_NONE: "", _ach.ACH_READY_IO_URING: "io_uring",
          _ach.ACH_READY_THREAD: "thread", _ach.ACH_READY_KERNEL: "kernel"}


class Missed(NamedTuple):
    """How many messages were overwritten or skipped before they were read."""

    last: int  #: right before the message got last
    total: int  #: through this handle


class Origin(NamedTuple):
    """Where a relayed message was first put; all 0: into this channel."""

    epoch: int  #: of that channel
    seq: int  #: of the message in that channel
    stamp: int  #: its timestamp there, in nanoseconds; 0: it had none


class Listed(NamedTuple):
    """A channel that has a name."""

    name: str
    map: str  #: "user" or "kernel"


class Info(NamedTuple):
    """Facts about a channel, and about the handle: see ach_channel_info(3)."""

    map: str  #: which memory holds it: "anon", "user" or "kernel"
    clock: int  #: for time.clock_gettime
    frame_cnt: int  #: messages it keeps at most
    frame_size: int  #: nominal size of a message
    capacity: int  #: the largest message
    memory: int  #: bytes of memory in all
    newest: int  #: sequence of the newest message; 0: there was none
    oldest: int  #: sequence of the oldest one still there; 0: none
    recovered: int  #: writers that died while putting
    inode: int
    mode: int  #: permissions of the file
    uid: int
    gid: int
    timestamps: bool
    single_writer: bool
    readonly_wake: bool
    unlinked: bool  #: the channel's name was removed
    replaced: bool  #: another channel replaced this one
    readonly: bool  #: the handle cannot put
    source: bool  #: the handle holds the source lock
    sourced: bool  #: any handle holds it
    seen: int  #: sequence of the last message got or flushed
    received: int  #: messages the handle got
    missed: int  #: messages overwritten or skipped before it got them
    overtaken: int  #: reads restarted because a writer overwrote them
    slept: int  #: times it slept in a wait
    ready: str  #: mechanism of its descriptor: "", "io_uring", "thread" or "kernel"
    source_pid: int  #: process that holds the source lock; 0: none, or unknown
    epoch: int  #: random: a later channel of the same name has another one
    relayed: bool  #: messages have an origin
    typed: bool  #: messages have a type
    anticipated: bool  #: receivers that anticipate spare puts the system call


def _map_number(name: str) -> int:
    for number, known in _MAPS.items():
        if name == known:
            return number
    raise ValueError(f"map must be one of {', '.join(map(repr, _MAPS.values()))}, not {name!r}")


def _count(what: str, number: int) -> int:
    if not 0 <= operator.index(number) < 1 << 63:
        raise ValueError(f"{what} must be from 0 to 2**63 - 1, not {number}")
    return number


def _type_tuple(type: Type | None) -> tuple[str, str, str, bytes] | None:
    if type is None:
        return None
    if not isinstance(type, Type):
        raise TypeError(f"type must be an ach.Type, not {type!r}")
    return type._tuple()


def _nanoseconds(seconds: float) -> int:
    seconds = float(seconds)
    if not 0 <= seconds < 1e9:
        raise ValueError(f"expected seconds from 0 to 1e9, not {seconds}")
    return round(seconds * 1e9)


def create(name: str, frame_count: int = 0, frame_size: int = 0, *, type: Type | None = None,
           exist_ok: bool = False, map: str = "", clock: int | None = None,
           truncate: bool = False, replace_corrupt: bool = False, timestamps: bool = False,
           readonly_wake: bool = False, single_writer: bool = False, relayed: bool = False,
           anticipated: bool = False, mode: int | None = None) -> Any:
    """Create a channel; see ach_create(3).

    frame_count: the most messages to keep; 0: 16
    frame_size: nominal size of a message; 0: 512. A message may be as large as both together
    type: what the messages are
    exist_ok: do nothing if there is such a channel. It may differ from the requested one
    map: "user" for shared memory (the default), "kernel", or "anon" for this process. The result
        for "anon" is passed to Channel instead of a name
    clock: for timeouts and timestamps: time.CLOCK_MONOTONIC (the default), CLOCK_REALTIME, ...
    truncate: replace an existing channel; replace_corrupt: only if it is damaged
    timestamps: stamp each message when it is put
    readonly_wake: let read-only subscribers sleep instead of polling
    single_writer: only a handle opened with source=True may put; Channel.reserve needs no copy
    relayed: messages can have an origin, see Channel.put_relayed
    anticipated: receivers that anticipate spare puts the system call
    mode: permissions, such as 0o640; the default is 0o666 without the bits of the umask
    """
    if mode is not None and not 0 <= operator.index(mode) <= 0o777:
        raise ValueError(f"mode must be from 0 to 0o777, not {mode:#o}")
    if clock is not None and operator.index(clock) < 0:
        raise ValueError(f"there is no clock {clock}")
    try:
        return _ach.create(name, _count("frame_count", frame_count),
                           _count("frame_size", frame_size), _map_number(map),
                           -1 if clock is None else clock, truncate, replace_corrupt, timestamps,
                           readonly_wake, single_writer, relayed, anticipated,
                           -1 if mode is None else mode, _type_tuple(type))
    except Exists:
        if not exist_ok:
            raise
    try:
        Channel(name, readonly=True).close()  # raises BadFile if it is something else
    except AccessDenied:
        pass
    return None


def unlink(name: str) -> None:
    """Remove a channel's name. Open handles keep working with each other."""
    _ach.unlink(name)


def path(name: str) -> str:
    """The file of a shared-memory channel, which need not exist."""
    return _ach.path(name)


def list_channels() -> list[Listed]:
    """The channels that have a name, in the order of names."""
    return [Listed(name, _MAPS[number]) for name, number in _ach.list()]


def handle_sigbus() -> None:
    """Survive the truncation of a channel's file: raise Corrupt instead of being killed.

    A program calls it once, after it has installed its own handler of SIGBUS.
    """
    _ach.handle_sigbus()


def wait(channels: Iterable["Channel"], timeout: float | None = None, *,
         deadline: float | None = None, linked: bool = False) -> dict["Channel", Status]:
    """Wait until one of several channels has a new message.

    timeout: seconds; deadline: a time of time.monotonic()
    linked: also return if a channel has lost its name

    Returns the channels that have a new message (Status.OK) or an error. It gets no messages.
    Raises Timeout if there is none.
    """
    if isinstance(channels, Channel):
        raise TypeError("expected several channels, such as [channel]; get waits for one")
    channels = tuple(channels)
    until = deadline if timeout is None else timeout
    found = _ach.wait(channels, until, timeout is None,
                      _ach.ACH_O_LINKED if linked else 0)
    return {c: Status(s) for c, s in zip(channels, found) if s != Status.EAGAIN}


class Channel(_ach.Channel):
    """A handle of a channel, with its own read position.

        with ach.Channel("imu") as imu:
            for message in imu:
                ...

    Getting: get, messages, `for`; flush skips what is there. Putting: put, put_relayed.
    Without a copy: view, reserve. With asyncio: aget, amessages, `async for`; fileno for select.
    About the last message: seq, timestamp, missed, origin, status. About the channel: info, type,
    name, clock, map. To end waits: close, cancel.

    Different handles can be used by different threads. One handle is for one thread at a time, or
    RuntimeError is raised; but put, cancel and close may be called at any time. Waiting releases
    the GIL, and Ctrl-C ends a wait.
    """

    # Not set by __init__, which a subclass may not call.
    _waiters = functools.cached_property(lambda self: Waiters())

    def __init__(self, name: Any, *, type: Type | None = None, readonly: bool = False,
                 source: bool = False, spin: float = 0.0, lock_timeout: float = 0.0, map: str = "",
                 decode: Callable | None = None, encode: Callable | None = None):
        """Open a channel.

        name: its name, or what create returned for a channel of this process
        type: the type to expect; BadType is raised for another one
        readonly: subscribe only: read permission is enough
        source: take the source lock, which only one process has at a time
        spin: seconds to spin before sleeping
        lock_timeout: seconds that a put waits for another writer; 0: one second
        map: "user", "kernel" or "" for any
        decode: makes an object of the bytes of a message, such as FromString of a protobuf class
        encode: makes bytes of an object, such as SerializeToString of a protobuf class
        """
        heap = None if isinstance(name, str) else name
        if not isinstance(name, (str, _ach.Heap)):
            raise TypeError(f"expected the name of a channel, or what create returned for "
                            f"map='anon', not {name!r}")
        for function in (decode, encode):
            if function is not None and not callable(function):
                raise TypeError(f"decode and encode must be functions, not {function!r}")
        self._open(name if heap is None else "anonymous", heap, _map_number(map), readonly, source,
                   _nanoseconds(spin), _nanoseconds(lock_timeout), _type_tuple(type))
        self._decode = decode
        self._encode = encode
        self._channel_type = type
        if type is None:
            try:
                self._channel_type = Type(*self._type()[:4])
            except NotSupported:  # it has none
                pass
        if self._channel_type is not None and self._channel_type.decodes:
            self._decode = decode or self._channel_type.decode
            self._encode = encode or self._channel_type.encode

    def __enter__(self) -> "Channel":
        return self

    def __exit__(self, *unused: Any) -> None:
        """Close the handle."""
        self.close()

    def __repr__(self) -> str:
        return f"<ach.Channel {self.name}{' closed' if self.closed else ''}>"

    @property
    def type(self) -> Type | None:
        """What the messages are; None: the channel does not say."""
        return self._channel_type

    def put(self, message: Any) -> None:
        """Put a message: an object with a contiguous buffer (bytes, memoryview, numpy array, ...).

        The bytes of a buffer are put as they are, and not compared with the channel's type.
        On a channel with a type also a Message, a dict, or any object with the fields as
        attributes. encode is called for all that is not a buffer. Raises Overflow, with the sizes,
        if the message is larger than info().capacity.
        """
        self._put(self._encoded(message))

    def _encoded(self, message: Any) -> Buffer:
        if self._encode is None or isinstance(message, (bytes, bytearray, memoryview)):
            return message
        try:
            return memoryview(message)
        except TypeError:
            return self._encode(message)

    def put_relayed(self, message: Any, origin: tuple[int, int, int]) -> None:
        """Put a message that was first put into another channel: origin is (epoch, seq, stamp).

        The channel must have been created with relayed=True.
        """
        self._put_relayed(self._encoded(message), *origin)

    def get(self, *, wait: bool = True, last: bool = False, copy: bool = False,
            linked: bool = False, timeout: float | None = None,
            deadline: float | None = None, raw: bool = False, into: Buffer | None = None,
            default: Any = RAISE) -> Any:
        """Get a message: the oldest one that this handle has not seen.

        wait: if there is nothing new, wait; else raise Again
        last: get the newest message
        copy: without wait: if there is nothing new, get the last message again
        linked: if there is nothing new, raise NotFound if the channel has lost its name
        timeout: seconds to wait; deadline: a time on the channel's clock. Raises Timeout
        raw: return bytes, also if the channel has a type
        into: copy the message into this buffer and return its size; Overflow if it is too small
        default: return this instead of raising Again or Timeout

        Returns bytes; for a channel with a type that Type.decodes a Message, for JSON a dict or
        so. If messages were missed before this one, `missed.last` is not 0.
        """
        try:
            data = self._get(_options(wait, last, copy, linked),
                             deadline if timeout is None else timeout, timeout is None, into)
        except (Again, Timeout):
            if default is RAISE:
                raise
            return default
        if raw or into is not None or self._decode is None:
            return data
        return self._decode(data)

    def view(self, *, wait: bool = True, last: bool = False, copy: bool = False,
             linked: bool = False, timeout: float | None = None,
             deadline: float | None = None) -> Any:
        """Read a message in place, without a copy. Options are those of get.

            with channel.view() as v:       # a read-only memoryview
                a = numpy.frombuffer(v, dtype=channel.type.dtype, count=1)

        Writers do not wait: they may overwrite the message meanwhile. The end of the block raises
        Overwritten if that has happened; then discard what was read. Arrays may exist after the
        block, and even after close: their memory is valid, but will be overwritten some time. A
        handle has one view at a time.
        """
        return self._view(_options(wait, last, copy, linked),
                          deadline if timeout is None else timeout, timeout is None)

    def reserve(self, size: int) -> Any:
        """Reserve room for a message, to be written in place.

            with channel.reserve(640 * 480) as buffer:      # a writable memoryview
                buffer[:] = ...

        The end of the block puts the message; an exception drops it. On a channel with a single
        writer this needs no copy. For a message that turns out smaller, set `size` of the
        reservation. If arrays or other memoryviews of the buffer still exist at the end of
        the block, BufferError is raised and nothing is put: they could change the message later.
        """
        return self._reserve(size)

    @property
    def missed(self) -> Missed:
        """How many messages were missed: (last, total)."""
        return Missed(*self._missed)

    @property
    def origin(self) -> Origin:
        """Where the last message was first put; NotSupported if the channel is not relayed."""
        return Origin(*self._origin)

    @property
    def timestamp(self) -> float:
        """When the last message was put, in seconds on the channel's clock."""
        return self.timestamp_ns * 1e-9

    @property
    def clock(self) -> int:
        """The channel's clock, for time.clock_gettime."""
        return self._clock

    @property
    def map(self) -> str:
        """Which memory holds the channel: "anon" (of this process), "user" or "kernel"."""
        return _MAPS[self._map]

    @property
    def status(self) -> Status:
        """The status of the last get or view: OK, MISSED_FRAME, or that of its exception."""
        return Status(self._status)

    def now(self) -> float:
        """The time on the channel's clock, in seconds, to compute a deadline."""
        return time.clock_gettime(self._clock)

    def info(self) -> Info:
        """Facts about the channel and this handle."""
        facts = self._info()
        facts["map"] = _MAPS[facts["map"]]
        facts["ready"] = _READY[facts["ready"]]
        return Info(**facts)

    def messages(self, **options: Any) -> Iterator[Any]:
        """Iterate over messages, with the options of get.

        The iteration ends when the handle is canceled or closed, and with linked=True when
        the channel has lost its name.
        """
        if self.closed:
            raise Closed(self.name)
        while True:
            try:
                message = self.get(**options)
            except Error as e:
                if _ends_iteration(e, options):
                    return
                raise
            yield message

    def __iter__(self) -> Iterator[Any]:
        """As messages()."""
        return self.messages()

    def cancel(self) -> None:
        """End waits of other threads and tasks with Canceled.

        Later gets raise it, too, until resume. May be called from a signal handler.
        """
        super().cancel()
        self._waiters.wake()

    def close(self) -> bool:
        """Close the handle. Waits of other threads and tasks end with Closed.

        Returns False if views, or arrays made from them, still exist: their memory stays mapped
        until the last one is gone. Closing again does nothing.
        """
        unmapped = super().close()
        self._waiters.wake()
        return unmapped

    # asyncio

    async def aget(self, *, last: bool = False, copy: bool = False, linked: bool = False,
                   timeout: float | None = None, deadline: float | None = None,
                   raw: bool = False, into: Buffer | None = None,
                   default: Any = RAISE) -> Any:
        """As get, for asyncio: waits without blocking the event loop, and without a thread."""
        options = {"last": last, "copy": copy, "linked": linked, "raw": raw, "into": into}
        if timeout is None and deadline is not None:
            timeout = deadline - self.now()
        if timeout is None:
            return await self._get_ready(options)
        if math.isnan(timeout):
            raise ValueError("a timeout must be a number of seconds, not nan")
        try:
            return self.get(wait=False, **options)
        except Again:
            pass
        try:
            return await asyncio.wait_for(self._get_ready(options), timeout)
        except asyncio.TimeoutError:
            if default is RAISE:
                raise Timeout(self.name) from None
            return default

    async def _get_ready(self, options: dict[str, Any]) -> Any:
        while True:
            try:
                return self.get(wait=False, **options)
            except Again:
                await self._waiters.readable(self.fileno())

    async def amessages(self, **options: Any) -> AsyncIterator[Any]:
        """As messages, for `async for`."""
        if self.closed:
            raise Closed(self.name)
        while True:
            try:
                message = await self.aget(**options)
            except Error as e:
                if _ends_iteration(e, options):
                    return
                raise
            yield message

    def __aiter__(self) -> AsyncIterator[Any]:
        """As amessages()."""
        return self.amessages()


def _ends_iteration(error: Error, options: dict[str, Any]) -> bool:
    """Whether an exception ends an iteration over messages, instead of being raised."""
    ends = (Canceled, Closed, NotFound) if options.get("linked") else (Canceled, Closed)
    return isinstance(error, ends)


def _options(wait: bool, last: bool, copy: bool, linked: bool) -> int:
    return ((_ach.ACH_O_WAIT if wait else 0) | (_ach.ACH_O_LAST if last else 0)
            | (_ach.ACH_O_COPY if copy else 0) | (_ach.ACH_O_LINKED if linked else 0))
