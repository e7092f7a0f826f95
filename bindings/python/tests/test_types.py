# SPDX-License-Identifier: BSD-3-Clause
"""Types: definitions, messages as objects, encodings, numpy."""
import array
import gc
import json
import math
import os
import struct
import tempfile
import types
import unittest
import weakref

import ach
from ach import _types
from support import ChannelTest

try:
    import numpy
except ImportError:
    numpy = None

ALL = """
bool flag
byte raw
char letter
int8 i8
uint8 u8
int16 i16
uint16 u16
int32 i32
uint32 u32
int64 i64
uint64 u64
float32 f32
float64 f64
string text
float64[3] fixed
uint16[] many
bool[] flags
string[] words
Inner inner
Inner[] inners
Inner[2] pair
string<=5 short
uint8[<=4] few
===
MSG: demo/Inner
float64 x
string name
"""
FIXED = """
int8 a
float64 b
uint16[3] c
Point p
Point[2] ps
===
MSG: demo/Point
float64 x
float64 y
"""


def all_type():
    return ach.Type.from_text("demo/msg/All", ALL)


class Definitions(ChannelTest):
    def test_fields(self):
        t = all_type()
        self.assertEqual(t.fields["fixed"], "float64[3]")
        self.assertEqual(list(t.fields)[:3], ["flag", "raw", "letter"])
        self.assertIn("many: uint16[]", type(t()).__doc__)

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(f"{folder}/demo_msgs/msg")
            for path, name in ((f"{folder}/imu.msg", "imu"),
                               (f"{folder}/demo_msgs/msg/Imu.msg", "demo_msgs/msg/Imu")):
                with open(path, "w", encoding="utf-8") as f:
                    f.write("float64 x\n")
                t = ach.Type.from_msg(path)
                self.assertEqual((t.name, t.schema), (name, b"float64 x\n"))
                self.assertEqual(ach.Type.from_msg(path, "other").name, "other")
            with self.assertRaises(FileNotFoundError):
                ach.Type.from_msg(f"{folder}/none.msg")

    def test_bad(self):
        for bad in ("float65 x", "float64", "Nowhere x", "\0", "x" * 2000000):
            with self.assertRaises(ValueError, msg=bad[:20]):
                ach.Type.from_text("demo/msg/Bad", bad)
        self.assertIn("line 1", self.error_of("float65 x"))

    def error_of(self, text):
        with self.assertRaises(ach.Invalid) as caught:
            ach.Type.from_text("demo/msg/Bad", text)
        return str(caught.exception)

    def test_hash(self):
        t = all_type()
        self.assertEqual(t, all_type())
        self.assertEqual(t.hash, all_type().hash)
        self.assertNotEqual(t, ach.Type.from_text("demo/msg/All", "float64 x"))
        self.assertEqual(len({t, all_type()}), 1)

    def test_freed(self):
        """A type and its classes refer to each other, and are freed together."""
        t = all_type()
        cls = weakref.ref(type(t()))
        del t
        gc.collect()
        self.assertIsNone(cls())


class Messages(ChannelTest):
    def message(self):
        return all_type()(flag=True, raw=255, letter=65, i8=-128, u8=255, i16=-2**15, u16=2**16 - 1,
                          i32=-2**31, u32=2**32 - 1, i64=-2**63, u64=2**64 - 1, f32=1.5,
                          f64=math.pi, text="Grüße", fixed=[1, 2, 3], many=range(5),
                          flags=[True, False], words=["a", "", "ccc"], inner={"x": 1, "name": "n"},
                          inners=[{"x": 2}, {"name": "m"}], pair=[{"x": 3}, {"x": 4}],
                          short="12345", few=b"\1\2")

    def test_round_trip(self):
        t, m = all_type(), self.message()
        back = t.decode(t.encode(m))
        self.assertEqual(back, t.decode(t.encode(back)))
        plain = back._asdict()
        self.assertEqual(plain["i64"], -2**63)
        self.assertEqual(plain["u64"], 2**64 - 1)
        self.assertEqual(plain["f64"], math.pi)
        self.assertEqual(plain["text"], "Grüße")
        self.assertEqual(plain["many"], [0, 1, 2, 3, 4])
        self.assertEqual(plain["flags"], [True, False])
        self.assertEqual(plain["words"], ["a", "", "ccc"])
        self.assertEqual(plain["inners"][1], {"x": 0.0, "name": "m"})
        self.assertEqual(plain["pair"][1]["x"], 4)
        self.assertEqual(back.inner.name, "n")
        self.assertIs(back.flag, True)
        self.assertEqual(t.encode(plain), t.encode(m))
        self.assertEqual(t.encode(types.SimpleNamespace(**plain)), t.encode(m))

    def test_defaults(self):
        t = all_type()
        m = t()
        self.assertEqual((m.f64, m.text, m.inner.x, list(m.many), m.words), (0, "", 0, [], []))
        self.assertEqual(t.encode({}), t.encode(m))
        self.assertEqual(type(m)(text="x").text, "x")

    def test_bytes_of_strings(self):
        t = ach.Type.from_text("demo/msg/S", "string s")
        self.assertEqual(t.decode(t.encode({"s": b"\xff\xfe"})).s, "\udcff\udcfe")
        self.assertEqual(t.encode({"s": "\udcff\udcfe"}), t.encode({"s": b"\xff\xfe"}))

    def test_nan(self):
        t = ach.Type.from_text("demo/msg/S", "float64 a\nfloat32 b")
        m = t.decode(t.encode({"a": math.nan, "b": -math.inf}))
        self.assertTrue(math.isnan(m.a) and m.b == -math.inf)

    def test_bad_values(self):
        t = all_type()
        for bad, error in (({"i8": 128}, OverflowError), ({"u8": -1}, OverflowError),
                           ({"u8": 256}, OverflowError), ({"u16": 2**16}, OverflowError),
                           ({"u32": 2**32}, OverflowError), ({"i16": -2**15 - 1}, OverflowError),
                           ({"i32": 2**31}, OverflowError), ({"f64": 10**400}, OverflowError),
                           ({"f32": 1e300}, OverflowError), ({"f32": -1e39}, OverflowError),
                           ({"u64": 2**64}, OverflowError), ({"i64": 2**63}, OverflowError),
                           ({"i8": 1.5}, TypeError), ({"i8": "1"}, TypeError),
                           ({"f64": "x"}, TypeError), ({"text": 5}, TypeError),
                           ({"text": "a\0b"}, ValueError), ({"fixed": [1]}, ValueError),
                           ({"fixed": "abc"}, TypeError), ({"many": 5}, TypeError),
                           ({"many": [1, None]}, TypeError), ({"nofield": 1}, ach.Invalid),
                           ({1: 1}, ach.Invalid), ({"inner": {"nofield": 1}}, ach.Invalid),
                           ({"inner": 5}, AttributeError), ({"inners": [5]}, AttributeError),
                           ({"few": b"12345"}, ValueError), ({"short": "123456"}, ValueError),
                           (5, TypeError), (None, TypeError), ([], AttributeError)):
            with self.assertRaises(error, msg=bad):
                t.encode(bad)
        with self.assertRaisesRegex(OverflowError, r"f32: 1e\+300 does not fit float"):
            t.encode({"f32": 1e300})
        with self.assertRaises(ach.Invalid):
            t(nofield=1)
        with self.assertRaises(TypeError):
            ach.Message()

    def test_error_names_the_field(self):
        with self.assertRaises(OverflowError) as caught:
            all_type().encode({"pair": [{}, {"x": 10**400}]})
        self.assertTrue(str(caught.exception).startswith("pair: x: "), caught.exception)

    def test_mutating_sequence(self):
        """A sequence that changes while its elements are read."""
        elements = []

        class Evil:
            def __index__(self):
                elements.clear()
                return 7

        elements += [Evil(), Evil(), Evil()]
        t = all_type()
        self.assertEqual(list(t.decode(t.encode({"many": elements})).many), [7, 7, 7])

    def test_truncated(self):
        t = all_type()
        data = t.encode(self.message())
        for size in range(len(data) - 8):
            with self.assertRaises(ach.Corrupt):
                t.decode(data[:size])
        for i in range(len(data)):  # never a crash
            changed = bytearray(data)
            changed[i] ^= 0xff
            try:
                t.decode(changed)
            except ach.Corrupt:
                pass

    def test_without_numpy(self):
        saved, _types.numpy = _types.numpy, None
        self.addCleanup(setattr, _types, "numpy", saved)
        t = all_type()
        m = t.decode(t.encode(self.message()))
        self.assertIsInstance(m.many, array.array)
        self.assertEqual(m.many.tolist(), [0, 1, 2, 3, 4])
        self.assertEqual(m.flags, [True, False])
        self.assertEqual(t.encode(m), t.encode(self.message()))
        with self.assertRaises(TypeError):
            t.dtype

    def test_arrays(self):
        t = ach.Type.from_text("demo/msg/A", "float64[] d\nint32[] i\nuint8[] b")
        expected = t.encode({"d": [1.0, 2.0], "i": [1, 2], "b": [1, 2]})
        for d in (array.array("d", [1, 2]), array.array("f", [1, 2]), (1, 2), iter([1, 2]),
                  memoryview(array.array("d", [1, 0, 2]))[::2]):
            self.assertEqual(t.encode({"d": d, "i": [1, 2], "b": b"\1\2"}), expected)
        i = array.array("q", [1, 2])
        self.assertEqual(t.encode({"d": [1, 2], "i": i, "b": b"\1\2"}), expected)
        with self.assertRaises(OverflowError):
            t.encode({"i": array.array("q", [2**40])})


class TypedChannels(ChannelTest):
    def test_objects(self):
        t = ach.Type.from_text("demo/msg/P", "float64 x\nstring s")
        name = self.create(8, 64, type=t)
        with ach.Channel(name, type=t) as w, ach.Channel(name) as r:
            self.assertEqual(r.type, t)
            w.put({"x": 1, "s": "one"})
            w.put(t(x=2, s="two"))
            w.put(t.encode({"x": 3}))
            m = r.get()
            self.assertEqual((m.x, m.s), (1, "one"))
            self.assertEqual(r.get().s, "two")
            self.assertEqual(r.get(raw=True), t.encode({"x": 3}))
            w.put(b"xyz")
            with self.assertRaises(ach.Corrupt):
                r.get()
        with self.assertRaises(ach.BadType) as caught:
            ach.Channel(name, type=ach.Type.from_text("demo/msg/P", "float32 x\nstring s"))
        self.assertIn("x", str(caught.exception))
        self.assertIsInstance(caught.exception, TypeError)

    def test_messages_of_other_types(self):
        t = ach.Type.from_text("demo/msg/P", "float64 x\nI i\n===\nMSG: demo/I\nint8 a")
        name = self.create(8, 64, type=t)
        others = {"demo/msg/Q": "float64 x\nI i\n===\nMSG: demo/I\nint8 a",
                  "demo/msg/P": "float64 x\nI i\nint32 y\n===\nMSG: demo/I\nint8 a",
                  "other/msg/P": "float64 x\nI i\n===\nMSG: other/I\nint16 a"}
        with ach.Channel(name) as c:
            for other, text in others.items():
                with self.assertRaises(ach.BadType) as caught:
                    c.put(ach.Type.from_text(other, text)(x=1))
                self.assertIn("demo/msg/P", str(caught.exception))
            c.put(t(x=1))
            got = c.get()
            self.assertEqual(got, t(x=1))
            self.assertNotEqual(got, t(x=2))
            self.assertNotEqual(got, {"x": 1})

    def test_any_field_name(self):
        t = ach.Type.from_text("demo/msg/K", "int32 self\nint32 cls\nint32 fields")
        self.assertEqual(t(self=1, cls=2, fields=3)._asdict(), {"self": 1, "cls": 2, "fields": 3})
        self.assertEqual(type(t())(self=4).self, 4)

    def test_json(self):
        t = ach.Type("demo/Any", "json")
        w, r = self.open(self.create(type=t)), None
        r = self.open(w.name)
        for message in ({"a": [1, 2.5, None]}, [1], "text", None):
            w.put(message)
            self.assertEqual(r.get(), message)
        w.put(b"{bad")
        with self.assertRaises(json.JSONDecodeError):
            r.get()

    def test_hooks(self):
        t = ach.Type("demo.Point", "protobuf", "protobuf", b"\1\2")
        name = self.create(type=t)
        w = self.open(name, encode=lambda m: struct.pack("<d", m))
        r = self.open(name, decode=lambda b: struct.unpack("<d", b)[0])
        w.put(1.5)
        self.assertEqual(self.open(name).get(), struct.pack("<d", 1.5))
        self.assertEqual(r.get(), 1.5)

    def test_unknown_schema(self):
        """A definition that cannot be read: bytes can still be got."""
        name = self.create(type=ach.Type("demo/msg/Bad", "cdr", "ros2msg", b"what is this"))
        c = self.open(name)
        c.put(b"123")
        with self.assertRaises(ach.Invalid):
            c.get(last=True)
        self.assertEqual(c.get(wait=False, copy=True, raw=True), b"123")

    def test_none(self):
        c = self.open(self.create())
        self.assertIsNone(c.type)


@unittest.skipIf(numpy is None, "numpy is not installed")
class Numpy(ChannelTest):
    def test_dtype(self):
        t = ach.Type.from_text("demo/msg/Fixed", FIXED)
        message = {"a": -5, "b": math.pi, "c": [1, 2, 3], "p": {"x": 1, "y": 2},
                   "ps": [{"x": 3, "y": 4}, {"x": 5, "y": 6}]}
        data = t.encode(message)
        self.assertEqual(t.dtype.itemsize, len(data))
        seen = t.frombuffer(data)
        self.assertEqual((seen["a"], seen["b"], seen["ps"]["y"][1]), (-5, math.pi, 6))
        made = numpy.zeros((), t.dtype)
        made["a"], made["b"], made["c"] = -5, math.pi, [1, 2, 3]
        made["p"] = (1, 2)
        made["ps"] = [(3, 4), (5, 6)]
        self.assertEqual(t.decode(made.tobytes())._asdict(), t.decode(data)._asdict())

    def test_random_layouts(self):
        """The dtype and the codec of CDR agree about every offset."""
        names = ["int8", "uint16", "int32", "float32", "float64", "bool"]
        for seed in range(200):
            fields = [(names[(seed * 7 + i * i * 3 + seed // (i + 1)) % 6], 1 + (seed + i) % 3)
                      for i in range(1 + seed % 6)]
            text = "\n".join(f"{k}[{n}] f{i}" for i, (k, n) in enumerate(fields))
            inner = "Inner s\n" if seed % 2 else ""
            t = ach.Type.from_text("demo/msg/R", f"{inner}{text}\nInner e\n===\nMSG: demo/Inner\n"
                                                 "uint8 u\nfloat64 v\nint16 w\n")
            message = {f"f{i}": [(j + i) % 2 for j in range(n)] for i, (_, n) in enumerate(fields)}
            message["e"] = {"u": 200, "v": -1.5, "w": -7}
            data = t.encode(message)
            seen = t.frombuffer(data)
            self.assertEqual(t.dtype.itemsize, len(data))
            self.assertEqual(tuple(seen["e"].tolist()), (200, -1.5, -7))
            for i in range(len(fields)):
                self.assertEqual(list(seen[f"f{i}"]), message[f"f{i}"])

    def test_no_dtype(self):
        for text in ("string s", "uint8[] b"):
            with self.assertRaises(TypeError):
                ach.Type.from_text("demo/msg/V", text).dtype
        uneven = "uint8 a\nI[2] i\n===\nMSG: demo/I\nuint8 u\nfloat64 v"
        with self.assertRaises(TypeError):
            ach.Type.from_text("demo/msg/V", uneven).dtype

    def test_view(self):
        t = ach.Type.from_text("demo/msg/Fixed", FIXED)
        name = self.create(8, 128, type=t)
        w, r = self.open(name), self.open(name)
        w.put({"b": 2.5})
        with r.view() as v:
            a = numpy.frombuffer(v, dtype=r.type.dtype, count=1)
            self.assertEqual(a["b"][0], 2.5)
            with self.assertRaises(ValueError):
                a["b"] = 1

    def test_put(self):
        w, r = self.pair(8, 1000)
        w.put(numpy.arange(6, dtype="f4").reshape(2, 3))
        self.assertEqual(numpy.frombuffer(r.get(), "f4").tolist(), [0, 1, 2, 3, 4, 5])
        with self.assertRaises((BufferError, ValueError)):
            w.put(numpy.arange(6)[::2])

    def test_covariance(self):
        """An array of two dimensions for a field of one."""
        t = ach.Type.from_text("demo/msg/C", "float64[9] c")
        c = t.decode(t.encode({"c": numpy.eye(3)})).c
        self.assertEqual(list(c), [1, 0, 0, 0, 1, 0, 0, 0, 1])


if __name__ == "__main__":
    unittest.main()
