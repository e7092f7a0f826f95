# SPDX-License-Identifier: BSD-3-Clause
"""Devices of robots."""
import difflib
import functools
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, NamedTuple

from . import _ach
from ._errors import RAISE, Again, Closed, Invalid, Timeout
from ._types import Message, _describe
from ._waiters import Waiters

_DATA, _COMMAND, _REQUEST = _ach.ACH_MSG_DATA, _ach.ACH_MSG_CMD, _ach.ACH_MSG_REQ
_RIGHTS = {_ach.ACH_RIGHT_LIST: "list", _ach.ACH_RIGHT_DATA: "data",
           _ach.ACH_RIGHT_COMMAND: "command", _ach.ACH_RIGHT_REQUEST: "request"}


class DeviceInfo(NamedTuple):
    """A device of a robot."""

    address: str
    driver: str  #: "": unknown


def devices(where: str = "", *, transport: str | None = None,
            timeout: float = 5.0) -> list[DeviceInfo]:
    """The devices of a robot: where is "" for this machine, "6666", or "robot.local:6665"."""
    return [DeviceInfo(*d) for d in _ach.devices(where, transport, timeout)]


def _leaves(message: Message, name: str) -> list[Message]:
    """The messages within a message that have a field of that name."""
    inner = [getattr(message, f) for f in message._fields]
    found = [m for m in inner if isinstance(m, Message)]
    return [m for m in found if name in m._fields] + [x for m in found for x in _leaves(m, name)]


def _set_field(message: Message, name: str, value: Any) -> None:
    """Set a field by its path (vel.px), or by its name alone if no other field has it."""
    outer, _, rest = name.partition(".")
    if rest and outer in message._fields and isinstance(getattr(message, outer), Message):
        _set_field(getattr(message, outer), rest, value)
    elif name in message._fields:
        message._update({name: value})
    else:
        owners = _leaves(message, name)
        if len(owners) != 1:
            kind = type(message).__name__
            raise Invalid(None, f"{kind} has {'several fields' if owners else 'no field'} '{name}'"
                                f": {', '.join(message._fields)}")
        setattr(owners[0], name, value)


class Device(_ach.Device):
    """A device of a robot, opened by its address: see ach.device.

        with ach.device("laser:0") as laser:
            scan = laser.get("SCAN", last=True)
            print(min(scan.ranges))

    describe() names the messages of its interface. Getting data: get, aget, `for`, `async for`.
    Sending: command, new, flush; request waits for an answer.

    A device is for one thread at a time, or RuntimeError is raised; but close may be called at any
    time.
    """

    # Not set by __init__, which a subclass may not call.
    _waiters = functools.cached_property(lambda self: Waiters())

    def __init__(self, address: str, *, transport: str | None = None, timeout: float = 5.0,
                 messages: int = 0):
        self._open(address, transport, timeout, messages)
        self._messages = {(kind, name): (subtype, text, table) for name, kind, subtype, text, table
                          in (_ach.interface(self.interface) if self.interface else [])}

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *unused: Any) -> None:
        """Close the device."""
        if not self.closed:
            self.close()

    def __repr__(self) -> str:
        return f"<ach.Device {self.address}{' closed' if self.closed else ''}>"

    def close(self) -> None:
        """Close the device. Waits until the driver has handled the commands, at most 2 seconds.

        Any thread may call it. Waits of other threads and tasks end with Closed: get within 0.1
        seconds, request and flush at the end of their timeout. Such a thread then closes the
        device, and this returns at once.
        """
        try:
            self._close()
        finally:
            self._waiters.wake()

    @property
    def rights(self) -> set[str]:
        """The caller's rights: a set of "list", "data", "command" and "request"."""
        return {name for bit, name in _RIGHTS.items() if self._rights & bit}

    def describe(self) -> str:
        """The messages of the interface with their fields, for people."""
        kinds = {_DATA: "data", _COMMAND: "command", _REQUEST: "request"}
        lines = []
        for (kind, name), (_, text, table) in self._messages.items():
            lines.append(f"{kinds.get(kind, kind)} {name}  {text}".rstrip())
            lines += [f"    {f[0]}: {_describe(f)}" for f in (table.fields() if table else [])]
        return "\n".join(lines)

    def _find(self, kind: int, name: str) -> tuple[int, str, Any]:
        if not isinstance(name, str):
            raise TypeError(f"expected the name of a message, not {name!r}")
        found = self._messages.get((kind, name.upper()))
        if found is None:
            names = [n for k, n in self._messages if k == kind]
            near = difflib.get_close_matches(name.upper(), names, 1)
            hint = f"; was '{near[0]}' meant?" if near else f": it has {', '.join(names) or 'none'}"
            raise Invalid(self.address, f"{self.interface} has no message '{name}'{hint}")
        return found

    def get(self, name: str | None = None, *, wait: bool = True, last: bool = False,
            timeout: float | None = None, default: Any = RAISE) -> Any:
        """Get data.

        name: which message, such as "SCAN"; None: any. Others are kept for later calls
        wait: if there is none, wait; else raise Again
        last: get the newest, and drop older ones
        timeout: seconds to wait. Raises Timeout
        default: return this instead of raising Again or Timeout

        Returns a Message; `_name` is the name of the message and `_timestamp` its time. Raises
        Closed if the server has ended.
        """
        subtype = _ach.ACH_SUBTYPE_ANY if name is None else self._find(_DATA, name)[0]
        options = (_ach.ACH_O_WAIT if wait else 0) | (_ach.ACH_O_LAST if last else 0)
        try:
            return _message(self._get(subtype, options, timeout))
        except (Again, Timeout):
            if default is RAISE:
                raise
            return default

    def __iter__(self) -> Iterator[Any]:
        """Iterate over all data, until the server ends or the device is closed."""
        if self.closed:
            raise Closed(self.address)
        while True:
            try:
                message = self.get()
            except Closed:
                return
            yield message

    def new(self, name: str, *, request: bool = False) -> Message:
        """A command, or a request, with all fields zero or empty, to be filled in."""
        table = self._find(_REQUEST if request else _COMMAND, name)[2]
        return table.zero() if table else object.__new__(Message)

    def _body(self, name: str, request: bool, body: Any, fields: Mapping[str, Any]) -> Any:
        if body is not None and fields:
            raise ValueError("either a message, or fields")
        if not fields:
            return body
        body = self.new(name, request=request)
        for field, value in fields.items():
            _set_field(body, field, value)
        return body

    def command(self, name: str, message: Any = None, /, **fields: Any) -> None:
        """Send a command: its fields, or a Message or dict.

            base.command("VEL", px=0.5, state=1)

        A field of an inner struct is named by its path, **{"vel.px": 0.5}, as vel={"px": 0.5}, or
        by its name alone if there is no other field of that name. Fields that are left
        out are zero. Does not wait until the command has arrived: see flush.
        """
        subtype, _, table = self._find(_COMMAND, name)
        body = self._body(name, False, message, fields)
        self._command(subtype, {} if body is None and table else body)

    def request(self, name: str, message: Any = None, /, *, timeout: float = 5.0,
                **fields: Any) -> Message | None:
        """Send a request, and wait for the answer; fields as for command.

        Returns the answer as a Message; None if it has no fields. Raises NotSupported if the
        driver refused the request.
        """
        subtype = self._find(_REQUEST, name)[0]
        answer = self._request(subtype, self._body(name, True, message, fields), timeout)
        return None if answer[5] is None else _message(answer)

    def flush(self, timeout: float = 5.0) -> None:
        """Wait until the driver has handled all commands. Raises if some were not handled."""
        self._flush(timeout)

    # asyncio

    async def aget(self, name: str | None = None, *, last: bool = False) -> Any:
        """As get, for asyncio: waits without blocking the event loop, and without a thread."""
        while True:
            try:
                return self.get(name, wait=False, last=last)
            except Again:
                await self._waiters.readable(self.fileno())

    async def __aiter__(self) -> AsyncIterator[Any]:
        while True:
            try:
                message = await self.aget()
            except Closed:
                return
            yield message


def _message(got: tuple) -> Any:
    name, _, _, _, timestamp, body = got
    if isinstance(body, bytes):
        return body
    message = object.__new__(Message) if body is None else body
    message._name, message._timestamp = name, timestamp
    return message


def device(address: str, *, transport: str | None = None, timeout: float = 5.0,
           messages: int = 0) -> Device:
    """Open a device, and subscribe to its data.

    address: "laser:0" for this machine, "6666:laser:0" for another robot on it,
        "robot.local:6665:laser:0" for another host
    transport: "tcp" or "channel"; the default depends on the address
    timeout: seconds to connect, and to wait for the driver
    messages: length of the queue; 0: 1024
    """
    return Device(address, transport=transport, timeout=timeout, messages=messages)
