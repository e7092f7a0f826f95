#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run a script of operations and print a trace: see ../conformance/README.md.

usage: conformance.py PREFIX SCRIPT
"""
import os
import select
import struct
import sys
import threading
import time

import ach

LIMIT = 10.0  # seconds that data and request wait


class Program:
    """The handles, devices and threads of a script, and a method for each operation.

    A method returns the results as words; an exception is the status.
    """

    def __init__(self, prefix):
        self.prefix = prefix
        self.handles, self.heaps, self.devices, self.threads = {}, {}, {}, {}
        self.views, self.reservations = {}, {}

    def run(self, words):
        """(name of the status, results) of an operation."""
        method = getattr(self, "run_" + words[0].replace("-", "_"))
        try:
            results = method(*words[1:])
        except ach.Error as e:
            results = [e.size] if isinstance(e, ach.Overflow) and words[0] == "get" else []
            return str(e.status), results
        status = self.handles[words[1]].status if words[0] in ("get", "view") else ach.Status.OK
        return str(status), results or []

    def name(self, word):
        return self.prefix + word[1:] if word.startswith("$") else word

    def handle(self, name):
        if name not in self.handles:
            raise ach.Closed(name)
        return self.handles[name]

    def device(self, name):
        if name not in self.devices:
            raise ach.Closed(name)
        return self.devices[name]

    # Channels

    def run_create(self, name, count, size, *words):
        values, flags = options(words)
        maps = {"heap": "anon", "kernel": "kernel"}
        kinds = [maps[f] for f in flags if f in maps]
        clocks = {"monotonic": time.CLOCK_MONOTONIC, "realtime": time.CLOCK_REALTIME}
        made = ach.create(self.name(name), int(count), int(size), type=type_of(values),
                          map="".join(kinds), clock=clocks.get(values.get("clock")),
                          mode=int(values["mode"], 8) if "mode" in values else None,
                          **{f: True for f in flags if f not in maps})
        if "heap" in flags:
            self.heaps[self.name(name)] = made

    def run_open(self, handle, name, *words):
        values, flags = options(words)
        self.handles.pop(handle, None)
        name = self.name(name)
        self.handles[handle] = ach.Channel(
            self.heaps.get(name, name), type=type_of(values),
            spin=int(values.get("spin", 0)) * 1e-9,
            lock_timeout=int(values.get("lock_timeout", 0)) * 1e-9, **{f: True for f in flags})

    def run_close(self, handle):
        channel = self.handle(handle)
        self.end_view(handle)
        channel.close()
        del self.handles[handle]

    def run_unlink(self, name):
        ach.unlink(self.name(name))

    def run_exists(self, name):
        return ["yes" if self.name(name) in [c.name for c in ach.list()] else "no"]

    def run_chmod(self, handle, mode):
        self.handle(handle).chmod(int(mode, 8))

    def run_put(self, handle, data):
        self.handle(handle).put(bytes_of(data))

    def run_relay(self, handle, data, *origin):
        self.handle(handle).put_relayed(bytes_of(data), tuple(map(int, origin)))

    def run_reserve(self, handle, size, data):
        reservation = self.handle(handle).reserve(int(size))
        data = bytes_of(data)
        with memoryview(reservation) as room:
            room[:len(data)] = data
        self.reservations[handle] = reservation

    def run_commit(self, handle, size):
        if handle not in self.reservations:
            raise ach.Invalid(handle)
        self.reservations[handle].commit(int(size))

    def run_abort(self, handle):
        if handle not in self.reservations:
            raise ach.Invalid(handle)
        self.reservations[handle].abort()

    def run_get(self, handle, size, *words):
        buffer = bytearray(int(size))
        n = self.handle(handle).get(into=buffer, **get_options(words))
        return [n, hexadecimal(buffer[:n])]

    def end_view(self, handle):
        if handle in self.views:
            self.views.pop(handle).release()

    def run_view(self, handle, *words):
        self.end_view(handle)
        view = self.handle(handle).view(**get_options(words))
        self.views[handle] = view
        return [len(view), hexadecimal(bytes(view))]

    def run_check(self, handle):
        if handle not in self.views:
            raise ach.Invalid(handle)
        if not self.views[handle].intact:
            raise ach.Overwritten(handle)

    def run_flush(self, handle):
        self.handle(handle).flush()

    def run_cancel(self, handle):
        self.handle(handle).cancel()

    def run_resume(self, handle):
        self.handle(handle).resume()

    def run_seq(self, handle):
        return [self.handle(handle).seq]

    def run_missed(self, handle):
        return self.handle(handle).missed

    def run_stamped(self, handle):
        assert self.handle(handle).timestamp > 0

    def run_origin(self, handle):
        return self.handle(handle).origin

    def run_type(self, handle):
        t = self.handle(handle).type
        if t is None:
            raise ach.NotSupported(handle)
        return [t.name, t.encoding, t.schema_encoding or "-", hexadecimal(t.schema),
                f"{t.hash:016x}"]

    def run_info(self, handle):
        i = self.handle(handle).info()
        flags = [i.timestamps, i.single_writer, i.relayed, i.typed, i.anticipated, i.readonly,
                 i.source]
        return [i.frame_cnt, i.frame_size, i.newest, i.oldest, i.seen, i.received, i.missed,
                *map(int, flags)]

    def run_map(self, handle):
        return [self.handle(handle).map]

    def run_clock(self, handle):
        realtime = self.handle(handle).clock == time.CLOCK_REALTIME
        return ["realtime" if realtime else "monotonic"]

    def run_path(self, name):
        ach.path(self.name(name))

    def run_poll(self, handle, milliseconds):
        poll = select.poll()
        poll.register(self.handle(handle), select.POLLIN)
        return ["yes" if poll.poll(int(milliseconds)) else "no"]

    def run_wait(self, *words):
        values, names = options(words)
        handles = [self.handle(n) for n in names]
        ready = ach.wait(handles, int(values["timeout"]) / 1000 if "timeout" in values else None)
        return [status_name(ready.get(h, ach.Status.EAGAIN)) for h in handles]

    def run_period(self, microseconds, count):
        period = ach.Period(int(microseconds) * 1e-6)
        for _ in range(int(count)):
            period.wait()

    def run_async(self, key, *words):
        result = []
        thread = threading.Thread(target=lambda: result.append(self.run(words)))
        self.threads[key] = thread, result
        thread.start()

    # Devices

    def address(self, word):
        return word.replace("$where", os.environ.get("ACH_CONFORMANCE_WHERE", ""))

    def run_device(self, name, address):
        self.devices.pop(name, None)
        self.devices[name] = ach.device(self.address(address), timeout=LIMIT)

    def run_data(self, device, name):
        return fields_of(self.device(device).get(name, timeout=LIMIT))

    def run_command(self, device, name, *words):
        d = self.device(device)
        d.command(name, filled(d.new(name), words))

    def run_request(self, device, name, *words):
        d = self.device(device)
        body = filled(d.new(name, request=True), words) if words else None
        answer = d.request(name, body, timeout=LIMIT)
        return fields_of(answer) if answer is not None else []

    def run_device_flush(self, device):
        self.device(device).flush(LIMIT)

    def run_device_close(self, device):
        self.device(device)
        self.devices.pop(device).close()

    def run_devices(self, where):
        return [len(ach.devices(self.address(where)))]

    def operation(self, words):
        """As run; "join" has the status of the operation that it waits for."""
        if words[0] == "join":
            thread, result = self.threads.pop(words[1])
            thread.join()
            return result[0]
        return self.run(words)


def status_name(status):
    return str(ach.Status(status)).removeprefix("ACH_")


def options(words):
    """({name: value} of NAME=VALUE, the other words)."""
    return dict(w.split("=", 1) for w in words if "=" in w), [w for w in words if "=" not in w]


def get_options(words):
    values, flags = options(words)
    chosen = {f: True for f in flags}
    if "timeout" in values:
        chosen["timeout"] = int(values["timeout"]) / 1000
    return {"wait": False, **chosen}


def type_of(values):
    if "type" not in values:
        return None
    return ach.Type(values["type"], values["encoding"], values.get("schema_encoding", ""),
                    bytes_of(values.get("schema", "-")))


def bytes_of(word):
    digits, _, times = word.partition("*")
    return b"" if digits == "-" else bytes.fromhex(digits) * int(times or 1)


def hexadecimal(data):
    return bytes(data).hex() or "-"


def fields_of(message):
    """path=value of all fields."""
    return [f"{path.lstrip('.')}={value}" for path, value in values_of("", message)]


def values_of(path, value):
    if isinstance(value, ach.Message):
        for name in value._fields:
            yield from values_of(f"{path}.{name}", getattr(value, name))
    elif isinstance(value, str):
        yield path, hexadecimal(value.encode("utf-8", "surrogateescape"))
    elif hasattr(value, "__len__"):
        for i, element in enumerate(value):
            yield from values_of(f"{path}[{i}]", element)
    elif isinstance(value, float) or getattr(value, "dtype", None) in ("f4", "f8"):
        yield path, struct.pack(">d", value).hex()
    else:
        yield path, int(value)


def filled(message, words):
    """Set the fields PATH=VALUE of a message."""
    for word in words:
        path, _, text = word.partition("=")
        *outer, name = path.split(".")
        inner = message
        for n in outer:
            inner = getattr(inner, n)
        inner._update({name: value_like(getattr(inner, name, None), text)})
    return message


def value_like(old, text):
    """The text as a value of the same kind."""
    if old is None or isinstance(old, str):
        return text
    if hasattr(old, "__len__"):
        return [float(t) if "." in t else int(t) for t in text.split(",")]
    return float(text) if isinstance(old, float) else int(text)


def main():
    program = Program(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as script:
        for number, line in enumerate(script, 1):
            words = line.split()
            if words and not words[0].startswith("#"):
                status, results = program.operation(words)
                print(number, words[0], status.removeprefix("ACH_"), *results, flush=True)


if __name__ == "__main__":
    main()
