# SPDX-License-Identifier: BSD-3-Clause
"""Ach: channels between the processes of a robot, and its devices.

A channel is a piece of shared memory with a name. Many processes put messages into it, and many
get them. A reader gets the newest message at once, or all that are still there.

    import ach

    ach.create("temperature", exist_ok=True)
    with ach.Channel("temperature") as channel:
        channel.put(b"22.5")
        print(channel.get(last=True))           # the newest message; waits if there is none

To do this                                  call this
------------------------------------------  --------------------------------------------------
create or remove a channel, list them       ach.create, ach.unlink, ach.list, ach.path
put a message                               channel.put(b"22.5")
get the next message, or the newest one     channel.get(), channel.get(last=True)
do not wait, or not for ever                channel.get(wait=False), channel.get(timeout=0.1)
get all messages as they come               for message in channel: ...
wait for several channels                   ach.wait([a, b], timeout=0.1)
use asyncio                                 await channel.aget(), async for m in channel: ...
read or write without a copy                with channel.view() as v, channel.reserve(size) as b
say what the messages are                   ach.create(name, type=ach.Type.from_msg("Imu.msg"))
run a control loop at a steady rate         for missed in ach.Period(0.01): ...
list the devices of a robot                 ach.devices()
use a device                                laser = ach.device("laser:0"); laser.get("SCAN")
survive a truncated channel file            ach.handle_sigbus()
run a program for Ach 2                     python3 -m ach.ach2 PROGRAM

On a channel with a type, messages are objects:

    Point = ach.Type.from_text("demo/msg/Point", "float64 x\\nfloat64 y")
    ach.create("point", type=Point)
    with ach.Channel("point") as channel:
        channel.put(Point(x=1, y=2))
        print(channel.get().x)

Devices:

    with ach.device("position2d:0") as base, ach.device("laser:0") as laser:
        for scan in laser:
            base.command("VEL", px=0.5 if min(scan.ranges) > 1 else 0)

Every failure raises a subclass of ach.Error. `status` is its ach.Status. Most of them are also the
usual exception, here in brackets:

    Again         nothing new; another writer is busy [BlockingIOError]
    Overwritten   a writer was faster than a view; a kind of Again
    Timeout       the time ran out [TimeoutError]
    Canceled      cancel was called
    Closed        the handle is not open, or the server of the device has ended [ValueError]
    Overflow      the message is larger than the buffer or the channel [ValueError]
    NotFound      no such channel or device [FileNotFoundError]
    Exists        there is such a channel already [FileExistsError]
    AccessDenied  not permitted [PermissionError]
    InvalidName   not the name of a channel [ValueError]
    Invalid       a bad argument [ValueError]
    BadType       the channel has another type than expected [TypeError]
    NotSupported  this channel, device or system cannot do that [NotImplementedError]
    Corrupt       the channel was damaged or replaced; bytes are not of the type [ValueError]
    BadFile, BadHeader      the file is not a channel; of another version or machine [OSError]
    SystemCallFailed        the system refused; `errno` says why [OSError]
    Interrupted, BadAddress, Bug        these do not occur unless Ach has a bug

Some calls return named tuples: ach.Info, ach.Missed, ach.Origin, ach.Listed, ach.DeviceInfo.

help(ach.Channel), help(ach.Device), help(ach.Type) and so on describe each of them.
"""
from . import _ach
from ._ach import Heap, Period, Reservation, View
from ._channel import Channel, create, handle_sigbus, path, unlink, wait
from ._channel import Info as Info
from ._channel import Listed as Listed
from ._channel import Missed as Missed
from ._channel import Origin as Origin
from ._channel import list_channels as list
from ._device import Device, device, devices
from ._device import DeviceInfo as DeviceInfo
from ._errors import *
from ._errors import make_error
from ._types import Message, Type, make_array, make_class

_ach.set_hooks(make_error, make_array, make_class)

# Exceptions and tuples are not listed: help(ach) would show thousands of lines that they inherit.
__all__ = ["Channel", "Device", "Heap", "Message", "Period", "Reservation", "Type", "View",
           "create", "device", "devices", "handle_sigbus", "list", "path", "unlink", "wait"]
