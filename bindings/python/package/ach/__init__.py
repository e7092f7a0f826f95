# SPDX-License-Identifier: BSD-3-Clause
"""Ach: channels between the processes of a robot, and its devices.

A channel is a piece of shared memory with a name. Many processes put messages into it, and many
get them. A reader gets the newest message at once, or all that are still there.

    import ach

    ach.create("temperature", exist_ok=True)
    with ach.Channel("temperature") as channel:
        channel.put(b"22.5")
        print(channel.get(last=True))

- ach.create, ach.unlink, ach.list, ach.path: channels by name
- ach.Channel: put, get, view, reserve; `for message in channel`, `async for message in channel`
- ach.wait: wait for several channels
- ach.Type: what messages are; ach.Type.from_msg reads definitions of ROS
- ach.device, ach.devices: devices of robots
- ach.Period: the rate of a control loop
- ach.Error and its subclasses: one for each status, such as ach.NotFound, ach.Timeout
- ach.ach2: the module of Ach 2

help(ach.Channel) describes the methods.
"""
from . import _ach
from ._ach import Heap, Period, Reservation, View
from ._channel import (Channel, Info, Listed, Missed, Origin, create, handle_sigbus, path, unlink,
                       wait)
from ._channel import list_channels as list
from ._device import Device, DeviceInfo, device, devices
from ._errors import (AccessDenied, Again, BadAddress, BadFile, BadHeader, BadType, Bug, Canceled,
                      Closed, Corrupt, Error, Exists, Interrupted, Invalid, InvalidName, NotFound,
                      NotSupported, Overflow, Overwritten, Status, SystemCallFailed, Timeout,
                      make_error)
from ._types import Message, Type, make_array, make_class

_ach.set_hooks(make_error, make_array, make_class)

__all__ = ["AccessDenied", "Again", "BadAddress", "BadFile", "BadHeader", "BadType", "Bug",
           "Canceled", "Channel", "Closed", "Corrupt", "Device", "DeviceInfo", "Error", "Exists",
           "Heap", "Info", "Interrupted", "Invalid", "InvalidName", "Listed", "Message", "Missed",
           "NotFound", "NotSupported", "Origin", "Overflow", "Overwritten", "Period",
           "Reservation", "Status", "SystemCallFailed", "Timeout", "Type", "View", "create",
           "device", "devices", "handle_sigbus", "list", "path", "unlink", "wait"]
