#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Messages of ROS 1 in libachmsg beside those of genpy.

ros1.py LIBRARIES ROUNDS PACKAGE ...

For all messages of the packages: the MD5 sums are those of ROS; and random messages that genpy has
serialized become CDR, which is compared with CDR written here, and then the same bytes of ROS 1
again. LIBRARIES is a list, separated by colons; each needs those behind it.
"""
import ctypes
import importlib
import io
import os
import random
import re
import struct
import sys

SCALARS = {"bool": "?", "byte": "b", "char": "B", "int8": "b", "uint8": "B", "int16": "h",
           "uint16": "H", "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q",
           "float32": "f", "float64": "d"}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


try:
    import genpy
    import genpy.dynamic
except ImportError:
    skip("there is no module genpy: package python3-genpy")


class Library:
    """Calls of libachmsg that fail if the status is not ACH_OK."""

    def __init__(self, paths):
        loaded = [ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL) for path in reversed(paths)]
        self.msg, self.ach = loaded[-1], loaded[0]
        self.ach.ach_errstr.restype = ctypes.c_char_p
        self.msg.ach_definition_type.restype = ctypes.c_void_p
        self.free = ctypes.CDLL(None).free
        self.free.argtypes = [ctypes.c_void_p]

    def call(self, name, *arguments):
        if getattr(self.msg, name)(*arguments) != 0:
            sys.exit(f"{name}: {self.ach.ach_errstr().decode()}")


class Definition:
    def __init__(self, library, name, text):
        self.library, self.handle = library, ctypes.c_void_p()
        text = text.encode()
        library.call("ach_definition_new", name.encode(), text, ctypes.c_size_t(len(text)),
                     ctypes.byref(self.handle))
        self.type = ctypes.c_void_p(library.msg.ach_definition_type(self.handle))

    def close(self):
        self.library.msg.ach_definition_free(self.handle)

    def md5(self):
        text = ctypes.create_string_buffer(33)
        self.library.call("ach_ros1_md5", self.handle, text)
        return text.value.decode()

    def text(self, ros):
        name, text = ctypes.c_void_p(), ctypes.c_void_p()
        self.library.call("ach_definition_text", self.handle, ros, ctypes.byref(name),
                          ctypes.byref(text))
        both = tuple(ctypes.string_at(p).decode() for p in (name, text))
        self.library.free(name)
        self.library.free(text)
        return both

    def transcode(self, data, decode, decode_by, encode, encode_by):
        body, size = ctypes.c_void_p(), ctypes.c_size_t()
        buffer = ctypes.create_string_buffer(len(data) * 4 + 64)
        self.library.call(decode, decode_by, data, ctypes.c_size_t(len(data)), ctypes.byref(body))
        self.library.call(encode, encode_by, body, buffer, ctypes.c_size_t(len(buffer)),
                          ctypes.byref(size))
        self.library.free(body)
        return buffer.raw[:size.value]

    def to_cdr(self, data):
        return self.transcode(data, "ach_ros1_decode_new", self.handle, "ach_cdr_encode", self.type)

    def to_ros1(self, data):
        return self.transcode(data, "ach_cdr_decode_new", self.type, "ach_ros1_encode", self.handle)


def message_class(full):
    package, name = full.split("/")
    return getattr(importlib.import_module(f"{package}.msg"), name)


def split(slot_type):
    """The base of a type, and None, "" or the size of an array."""
    match = re.fullmatch(r"([\w/]+)(?:\[(\d*)\])?", slot_type)
    return match.groups()


def random_bits(rng, form):
    data = rng.randbytes(struct.calcsize("<" + form))
    value = struct.unpack("<" + form, data)[0]
    return value if value == value else 0.5  # a NaN is not equal to itself


def random_value(rng, base):
    if base == "bool":
        return rng.random() < 0.5
    if base in SCALARS:
        return random_bits(rng, SCALARS[base])
    if base == "string":
        return "".join(rng.choice("abc xyz\u00e9") for _ in range(rng.randrange(9)))
    if base == "time":
        return genpy.Time(rng.getrandbits(31), rng.randrange(10**9))
    if base == "duration":
        return genpy.Duration(rng.getrandbits(31) - 2**30, rng.randrange(10**9))
    return random_message(rng, message_class(base))


def random_message(rng, cls):
    message = cls()
    for name, slot_type in zip(cls.__slots__, cls._slot_types):
        base, array = split(slot_type)
        if array is None:
            value = random_value(rng, base)
        else:
            count = int(array) if array else rng.randrange(4)
            value = [random_value(rng, base) for _ in range(count)]
            if base in ("uint8", "char"):
                value = bytes(value)
        setattr(message, name, value)
    return message


class Cdr:
    """A message of genpy in CDR; without seq if asked for."""

    def __init__(self, seq):
        self.bytes, self.seq = bytearray(), seq

    def scalar(self, form, value):
        self.bytes += bytes(-len(self.bytes) % struct.calcsize("<" + form))
        self.bytes += struct.pack("<" + form, value)

    def value(self, base, value):
        if base in SCALARS:
            self.scalar(SCALARS[base], value)
        elif base == "string":
            text = value.encode() + b"\0"
            self.scalar("I", len(text))
            self.bytes += text
        elif base in ("time", "duration"):
            self.scalar("I" if base == "time" else "i", value.secs)
            self.scalar("I", value.nsecs)
        else:
            self.message(value)

    def message(self, message):
        for name, slot_type in zip(message.__slots__, message._slot_types):
            base, array = split(slot_type)
            value = getattr(message, name)
            if message._type == "std_msgs/Header" and name == "seq" and not self.seq:
                continue
            if array is None:
                self.value(base, value)
                continue
            if array == "":
                self.scalar("I", len(value))
            for item in value:
                self.value(base, item)
        if not message.__slots__:
            self.scalar("B", 0)  # an empty message


def clear_seq(message):
    """The encoding does not keep it."""
    for name in message.__slots__:
        value = getattr(message, name)
        if message._type == "std_msgs/Header" and name == "seq":
            message.seq = 0
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, genpy.Message):
                clear_seq(item)


def serialize(message):
    to = io.BytesIO()
    message.serialize(to)
    return to.getvalue()


def check(condition, full, what):
    if not condition:
        sys.exit(f"{full}: {what}")


def check_messages(definition, cls, seq, rng, rounds):
    for _ in range(rounds):
        message = random_message(rng, cls)
        if not seq:
            clear_seq(message)
        data = serialize(message)
        cdr = definition.to_cdr(data)
        want = Cdr(seq)
        want.message(message)
        check(cdr == want.bytes, cls._type, f"CDR is {cdr.hex()}, not {want.bytes.hex()}")
        back = definition.to_ros1(cdr)
        check(back == data, cls._type, f"ROS 1 is {back.hex()}, not {data.hex()}")


def check_type(library, full, rng, rounds):
    cls = message_class(full)
    first = Definition(library, full, cls._full_text)
    check(first.md5() == cls._md5sum, full, f"MD5 is {first.md5()}, not {cls._md5sum}")
    second = Definition(library, *first.text(2))
    check(second.md5() == cls._md5sum, full, "as in ROS 2, it has another MD5")
    generated = genpy.dynamic.generate_dynamic(*second.text(1))[full]
    check(generated._md5sum == cls._md5sum, full, "as in ROS 1, genpy has another MD5 for it")
    check_messages(first, cls, True, rng, rounds)
    check_messages(second, cls, False, rng, rounds)
    first.close()
    second.close()


def main():
    libraries, rounds, packages = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    library, rng, types = Library(libraries.split(":")), random.Random(1), []
    for package in packages:
        directory = f"/usr/share/{package}/msg"
        if not os.path.isdir(directory):
            skip(f"there is no {directory}: package ros-{package.replace('_', '-')}")
        types += [f"{package}/{name[:-4]}" for name in sorted(os.listdir(directory))
                  if name.endswith(".msg")]
    for full in types:
        try:
            message_class(full)
        except ImportError:
            skip(f"there is no module {full.split('/')[0]}.msg of Python")
        check_type(library, full, rng, rounds)
    print(f"{len(types)} types, {rounds} messages of each")


if __name__ == "__main__":
    main()
