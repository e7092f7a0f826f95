#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random operations: no crash, no wrong message, no leak.

usage: robust.py [SEED]

ACH_TEST_SCALE is the percentage of 100,000 operations. A failure prints the seed.
"""
import ctypes
import gc
import inspect
import os
import random
import struct
import sys
import threading
import warnings
import zlib

import ach
from ach import _ach

try:
    import numpy
except ImportError:
    numpy = None

SCALE = int(os.environ.get("ACH_TEST_SCALE", 100))
ERRORS = (ach.Error, BufferError, RuntimeError, ValueError, TypeError, OverflowError,
          AttributeError, MemoryError, UnicodeError, LookupError)
PREFIX = f"robust{os.getpid()}."
TYPE = ach.Type.from_text("demo/msg/T", "float64 x\nstring s\nuint8[] data\nP p\nP[] ps\n===\n"
                                        "MSG: demo/P\nfloat32 a\nint64 b\n")
KINDS = [{}, {"timestamps": True}, {"relayed": True}, {"single_writer": True}, {"map": "anon"},
         {"single_writer": True, "map": "anon"}]


def sealed(data):
    """A message that says whether it is whole."""
    return struct.pack("<I", zlib.crc32(data)) + data


def check(message):
    message = bytes(message)
    if len(message) < 4 or struct.unpack("<I", message[:4])[0] != zlib.crc32(message[4:]):
        raise AssertionError(f"a message of {len(message)} bytes is not whole")


class World:
    """Channels, handles, and buffers of them, to choose from."""

    def __init__(self, rng):
        self.rng = rng
        self.names = [f"{PREFIX}{i}" for i in range(3)]
        self.channels, self.handles, self.kept, self.reservations = {}, [], [], []
        for name in self.names:
            self.create(name)

    def create(self, name):
        options = self.rng.choice(KINDS)
        self.remove(name)
        made = ach.create(name, self.rng.choice([1, 2, 8]), self.rng.choice([16, 200, 70000]),
                          **options)
        self.channels[name] = name if made is None else made

    def remove(self, name):
        self.channels.pop(name, None)
        try:
            ach.unlink(name)
        except ach.NotFound:  # it is in the memory of this process
            pass

    def end(self):
        self.kept.clear()
        self.reservations.clear()
        self.handles.clear()
        for name in self.names:
            self.remove(name)
        gc.collect()

    def handle(self):
        return self.rng.choice(self.handles) if self.handles else self.open()

    def open(self):
        name = self.rng.choice(self.names)
        channel = ach.Channel(self.channels[name], readonly=self.rng.random() < 0.1,
                              source=self.rng.random() < 0.5)
        if len(self.handles) > 8:
            del self.handles[self.rng.randrange(8)]
        self.handles.append(channel)
        return channel

    def message(self):
        size = self.rng.choice([1, 10, 60, 76, 77, 100, 500, 1020, 5000, 70000])
        return sealed(bytes([self.rng.randrange(256)]) * size)

    def keep(self, buffer):
        self.kept.append(buffer)
        if len(self.kept) > 6:
            del self.kept[self.rng.randrange(6)]

    # Operations

    def op_open(self):
        self.open()

    def op_close(self):
        self.handle().close()

    def op_replace(self):
        if self.rng.random() < 0.05:
            self.create(self.rng.choice(self.names))

    def op_put(self):
        self.handle().put(self.message())

    def op_relay(self):
        self.handle().put_relayed(self.message(), (1, 2, 3))

    def op_get(self):
        check(self.handle().get(wait=False, last=self.rng.random() < 0.5,
                                copy=self.rng.random() < 0.3))

    def op_wait(self):
        check(self.handle().get(timeout=0))

    def op_into(self):
        buffer = bytearray(self.rng.choice([0, 10, 100, 80000]))
        n = self.handle().get(wait=False, into=buffer)
        check(buffer[:n])

    def op_view(self):
        handle = self.handle()
        view = handle.view(wait=False, copy=True)
        with view as v:
            data = bytes(v)
            if self.rng.random() < 0.3:
                self.op_put()
            if self.rng.random() < 0.3:
                self.keep(v[1:] if numpy is None else numpy.frombuffer(v, "u1"))
            if self.rng.random() < 0.1:
                handle.close()
            intact = view.intact
        if intact:
            check(data)

    def op_view_kept(self):
        self.keep(self.handle().view(wait=False, copy=True))

    def op_read_kept(self):
        if self.kept:
            bytes(self.rng.choice(self.kept))

    def op_reserve(self):
        message = self.message()
        with self.handle().reserve(len(message)) as b:
            b[:] = message
            if self.rng.random() < 0.1:
                self.keep(memoryview(b))
            if self.rng.random() < 0.1:
                raise ValueError

    def op_reserve_kept(self):
        message = self.message()
        reservation = self.handle().reserve(len(message))
        with memoryview(reservation) as b:
            b[:] = message
        self.reservations.append(reservation)
        if len(self.reservations) > 3:
            del self.reservations[0]

    def op_commit(self):
        if self.reservations:
            reservation = self.rng.choice(self.reservations)
            self.rng.choice([reservation.commit, reservation.abort])()

    def op_attributes(self):
        h = self.handle()
        for name in ("seq", "missed", "map", "clock", "closed", "mapped", "status", "type"):
            getattr(h, name)
        h.info()

    def op_flush(self):
        self.handle().flush()

    def op_cancel(self):
        h = self.handle()
        h.cancel()
        if self.rng.random() < 0.9:
            h.resume()

    def op_fileno(self):
        if self.rng.random() < 0.2:
            self.handle().fileno()

    def op_several(self):
        ach.wait({self.handle() for _ in range(3)}, 0)

    def op_type(self):
        if self.rng.random() < 0.2:
            t = ach.Type.from_text("demo/msg/T", TYPE.schema)
            t.decode(t.encode(t(s="x")))
        m = TYPE(x=self.rng.random(), s="s" * self.rng.randrange(9),
                 data=bytes(self.rng.randrange(99)),
                 p={"b": self.rng.randrange(-99, 99)}, ps=[{"a": 1}] * self.rng.randrange(4))
        data = bytearray(TYPE.encode(m))
        if TYPE.decode(data)._asdict() != TYPE.decode(TYPE.encode(m._asdict()))._asdict():
            raise AssertionError("a message changed")
        data[self.rng.randrange(len(data))] ^= self.rng.randrange(256)
        TYPE.decode(data[:self.rng.randrange(len(data) + 1)])


def run_operations(world, count):
    """Returns how many operations succeeded."""
    done = 0
    operations = [getattr(world, name) for name in dir(World) if name.startswith("op_")]
    for _ in range(count):
        try:
            world.rng.choice(operations)()
            done += 1
        except ERRORS:
            pass
    return done


def resources():
    """(descriptors, mappings of channels, blocks of Python) of this process."""
    gc.collect()
    with open("/proc/self/maps", encoding="utf-8") as f:
        maps = sum("achshm" in line for line in f)
    return len(os.listdir("/proc/self/fd")), maps, sys.getallocatedblocks()


class MallInfo(ctypes.Structure):
    """struct mallinfo2 of glibc."""
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks "
                                                    "fsmblks uordblks fordblks keepcost".split()]


def allocated():
    """The bytes that malloc has given out: unlike resident memory, without what it has got back."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = MallInfo
    info = mallinfo()
    return info.uordblks + info.hblkhd


def random_operations(seed):
    """Rounds of random operations; what is left after each must not grow."""
    count, rounds, marks, done = 100000 * SCALE // 100, 8, [], 0
    warm_up = World(random.Random("warm up"))  # fills the caches of the interpreter
    run_operations(warm_up, 30000)
    warm_up.end()
    for i in range(rounds):
        world = World(random.Random(f"{seed}.{i}"))
        done += run_operations(world, count // rounds)
        world.end()
        del world
        marks.append((*resources(), allocated()))
    fds, maps, blocks, memory = zip(*marks)
    print(f"{count} operations, {done} succeeded: descriptors {fds}, mappings {maps}, "
          f"blocks {blocks}, memory {[m >> 10 for m in memory]} KiB")
    if fds[-1] > fds[1] or maps[-1] > 0:
        raise AssertionError("descriptors or mappings leak")
    # A leak in one kind of operation is a block in 20 operations or more. Caches vary by hundreds.
    if blocks[-1] > blocks[0] + 200 + count // 40:
        raise AssertionError("objects leak")
    # The sanitizer replaces malloc and its figures.
    if "PYTHONMALLOC" not in os.environ and memory[-1] > memory[0] + (256 << 10):
        raise AssertionError("memory leaks")


NASTY = [None, 0, 1, 3, -1, 255, 2**31, 2**63, 2**64, 2**70, 0.0, -1.5, float("nan"), float("inf"),
         "", "x", "a\0b", "ü" * 100, "\udcff", b"", b"x", b"\0" * 100, bytearray(10),
         memoryview(b"0123456789")[::2], (), (1, 2), ("a", "b", "c", b"d"), [], [None], {},
         {"x": 1}, object(), ValueError, len, True,
         ach.Type.from_text("demo/msg/T", TYPE.schema)]  # not TYPE: Type.__init__ may change it
# These wait, or end the process, if they are told to.
NOT_CALLED = {"resume", "wait", "handle_sigbus", "devices", "device", "set_hooks", "_open",
              "Device", "Period"}


class Trap:
    """An object that closes a handle, raises, or ends a view when anything is done with it."""

    def __init__(self, rng, *things):
        self.__dict__.update(rng=rng, things=things)

    def spring(self, *_):
        rng, thing = self.__dict__["rng"], self.__dict__["rng"].choice(self.__dict__["things"])
        act = rng.choice(["close", "release", "abort", "commit", "flush", "cancel", "raise", ""])
        if act == "raise":
            raise rng.choice([ValueError, KeyboardInterrupt, StopIteration, MemoryError])
        try:
            getattr(thing, act, len)()
        except Exception:
            pass
        return rng.choice([0, 1, 3])

    def __float__(self):
        return float(self.spring())

    def __bool__(self):
        return bool(self.spring())

    def __eq__(self, other):
        return bool(self.spring())

    def __iter__(self):
        return iter([self] * self.spring())

    def __getitem__(self, key):
        if self.spring() == 3:
            raise IndexError
        return self

    def __str__(self):
        return "x" * self.spring()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.spring()
        return self

    __call__ = __hash__ = __index__ = __len__ = spring
    __repr__ = __str__


class TrapDict(dict):
    """A dict with a key that is a trap."""


class TrapKey(str):
    def __eq__(self, other):
        self.trap.spring()
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def traps(rng, *things):
    key = TrapKey("x")
    key.trap = Trap(rng, *things)
    return [Trap(rng, *things), [Trap(rng, *things)], {"x": Trap(rng, *things)},
            TrapDict({key: Trap(rng, *things)}), {"ps": [{"a": Trap(rng, *things)}]},
            {"data": Trap(rng, *things), "s": Trap(rng, *things), "p": Trap(rng, *things)}]


def bad_options(call, rng, nasty):
    """Sometimes values for options that a function has."""
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return {}
    names = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "wait"]
    return {n: rng.choice(nasty) for n in names if rng.random() < 0.3}


def bad_arguments(seed):
    """All functions and methods with arguments that make no sense."""
    warnings.simplefilter("ignore")  # nobody awaits the coroutines
    rng = random.Random(seed)
    world = World(rng)
    for _ in range(5000 * SCALE // 100):
        channel = ach.Channel(world.channels[world.names[0]])
        channel.cancel()  # so that nothing waits
        reader = ach.Channel(world.channels[world.names[0]])
        try:
            channel.put(sealed(b"x"))
        except ach.Error:
            pass
        kind = ach.Type.from_text("demo/msg/T", TYPE.schema)
        targets = [channel, ach, _ach, kind, kind._definition(), kind(), ach.Type]
        for make in (lambda: reader.view(wait=False, copy=True), lambda: channel.reserve(5)):
            try:
                targets.append(make())
            except ERRORS:
                pass
        nasty = NASTY + targets + traps(rng, reader, *targets) * 3
        target = rng.choice(targets)
        names = [n for n in dir(target) if n not in NOT_CALLED and (n[:2] != "__" or n in (
            "__enter__", "__exit__", "__init__", "__call__", "__len__"))]
        arguments = [rng.choice(nasty) for _ in range(rng.choice([0, 1, 1, 2, 3, 4, 8]))]
        try:
            call = getattr(target, rng.choice(names))
            call(*arguments, **bad_options(call, rng, nasty))
        except SystemError as e:
            raise AssertionError(f"{call} {arguments!r}") from e
        except (Exception, KeyboardInterrupt):  # whichever: it only must not crash
            pass
        for name in os.listdir(os.environ["ACH_DIR"]):
            if name.startswith("achshm-") and PREFIX not in name:
                ach.unlink(name.removeprefix("achshm-"))
    world.end()


def threads(seed):
    """Several threads use the same handles."""
    world = World(random.Random(seed))
    failed = []

    def run(i):
        try:
            mine = World.__new__(World)
            mine.__dict__.update(world.__dict__, rng=random.Random(f"{seed}.{i}"))
            run_operations(mine, 20000 * SCALE // 100)
        except BaseException as e:
            failed.append(e)

    running = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for t in running:
        t.start()
    for t in running:
        t.join()
    world.end()
    if failed:
        raise failed[0]


def main():
    seed = sys.argv[1] if len(sys.argv) > 1 else str(random.SystemRandom().randrange(10**9))
    print(f"seed {seed}", flush=True)
    random_operations(seed)
    bad_arguments(seed)
    threads(seed)
    print("done")


if __name__ == "__main__":
    main()
