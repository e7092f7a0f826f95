# SPDX-License-Identifier: BSD-3-Clause
"""Types of messages: what a channel says about them, and how they become Python objects."""
import array
import itertools
import json
import os
import re
from collections.abc import Mapping
from typing import Any, Union

from . import _ach
from ._errors import BadType, Invalid

try:
    import numpy
except ImportError:  # arrays are array.array then
    numpy = None

# enum ach_kind: (code of the array module and of numpy, size)
_SCALARS = {
    _ach.ACH_KIND_INT8: ("b", 1), _ach.ACH_KIND_UINT8: ("B", 1),
    _ach.ACH_KIND_INT16: ("h", 2), _ach.ACH_KIND_UINT16: ("H", 2),
    _ach.ACH_KIND_INT32: ("i", 4), _ach.ACH_KIND_UINT32: ("I", 4),
    _ach.ACH_KIND_INT64: ("q", 8), _ach.ACH_KIND_UINT64: ("Q", 8),
    _ach.ACH_KIND_FLOAT: ("f", 4), _ach.ACH_KIND_DOUBLE: ("d", 8), _ach.ACH_KIND_BOOL: ("?", 1)}
_CHAR = _ach.ACH_KIND_CHAR
_ONE, _FIXED = _ach.ACH_ARRAY_NONE, _ach.ACH_ARRAY_FIXED  # others are variable

Buffer = Union[bytes, bytearray, memoryview, Any]


def make_array(kind: int, data: bytearray) -> Any:
    """An array of scalars. The C part calls it."""
    code = _SCALARS[kind][0]
    if numpy is not None:
        return numpy.frombuffer(data, dtype=code)
    return [bool(b) for b in data] if code == "?" else array.array(code, bytes(data))


class Message:
    """A message: an attribute for each field, in the order of the definition.

    Fields are numbers, str, messages, arrays of numbers (numpy arrays if numpy is installed, else
    array.array), and lists of messages or strings. Names that begin with an underscore are not
    fields, so no field can have the same name.
    """

    __slots__ = ("_name", "_timestamp")
    _fields: tuple[str, ...] = ()
    _table: Any = None

    def __new__(cls, /, **fields: Any) -> "Message":
        if cls._table is None:
            raise TypeError("messages are made by a Type: ach.Type.from_msg(...)(field=value)")
        return cls._table.zero()

    def __init__(self, /, **fields: Any):
        self._update(fields)

    def _update(self, fields: Mapping[str, Any]) -> None:
        """Set fields. A dict sets fields of a message within this one."""
        for name, value in fields.items():
            if name not in self._fields:
                raise Invalid(None, f"{type(self).__name__} has no field '{name}': it has "
                                    f"{', '.join(self._fields)}")
            old = getattr(self, name)
            if isinstance(old, Message) and isinstance(value, Mapping):
                old._update(value)
            else:
                setattr(self, name, value)

    def _asdict(self) -> dict[str, Any]:
        """The fields as a dict, with dicts and lists within."""
        return {name: _plain(getattr(self, name)) for name in self._fields}

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({fields})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return _alike(self._table, other._table) and self._asdict() == other._asdict()

    __hash__ = None  # type: ignore[assignment]


def _alike(a: Any, b: Any) -> bool:
    """Whether two tables, perhaps of two channels, are of one type."""
    if a is b or a is None or b is None:
        return a is b
    pairs = list(itertools.zip_longest(a.fields(), b.fields(), fillvalue=(None,) * 5))
    return a.name == b.name and all(f[:4] == g[:4] and _alike(f[4], g[4]) for f, g in pairs)


def _plain(value: Any) -> Any:
    if isinstance(value, Message):
        return value._asdict()
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return value.tolist() if hasattr(value, "tolist") else value


def make_class(table: Any) -> tuple[type, tuple[str, ...]]:
    """The class of a struct's messages, and its fields. The C part calls it."""
    fields = table.fields()
    names = tuple(f[0] for f in fields)
    lines = [f"    {f[0]}: {_describe(f)}" for f in fields]
    doc = f"{table.text or table.name}\n\n" + "\n".join(lines)
    cls = type(re.sub(r"\W", "_", table.name.rpartition("/")[2]), (Message,),
               {"__slots__": names, "_fields": names, "_table": table, "__doc__": doc})
    return cls, names


def _describe(field: tuple) -> str:
    """A field for people, as in a definition."""
    _, kind, how, limit, inner, text = field
    if kind == _CHAR:
        return f"string  {text}".rstrip()
    name = inner.name if inner else {"b": "int8", "B": "uint8", "h": "int16", "H": "uint16",
                                     "i": "int32", "I": "uint32", "q": "int64", "Q": "uint64",
                                     "f": "float32", "d": "float64", "?": "bool"}[_SCALARS[kind][0]]
    size = {_ONE: "", _FIXED: f"[{limit}]"}.get(how, "[]")
    return f"{name}{size}  {text}".rstrip()


class _Layout:
    """The dtype of a struct in CDR: alignment counts from the first byte of the message."""

    def __init__(self) -> None:
        self.at = 0

    def struct(self, table: Any) -> Any:
        start, names, formats, offsets = self.at, [], [], []
        for name, kind, how, limit, inner, _ in table.fields():
            dtype = self.field(kind, how, limit, inner)
            names.append(name)
            formats.append(dtype)
            offsets.append(self.at - dtype.itemsize - start)
        return numpy.dtype({"names": names, "formats": formats, "offsets": offsets,
                            "itemsize": self.at - start})

    def field(self, kind: int, how: int, limit: int, inner: Any) -> Any:
        if inner is None:
            code, size = _SCALARS[kind]
            self.at += -self.at % size
            one = numpy.dtype("<" + code if size > 1 else code)
            self.at += size * limit
            return one if how == _ONE else numpy.dtype((one, (limit,)))
        if how == _ONE:
            return self.struct(inner)
        return self.structs(inner, limit)

    def structs(self, inner: Any, limit: int) -> Any:
        """An array of structs: numpy needs the same layout, and the same distance, for all.

        The layout depends on the place modulo 8, so the first 8 show whether all are the same.
        """
        first = None
        for i in range(min(limit, 8)):
            start = self.at
            dtype = self.struct(inner)
            if i == 0:
                first, begin, distance = dtype, start, dtype.itemsize
            elif dtype != first or start - begin != i * distance:
                raise TypeError(f"numpy cannot describe an array of {inner.name}: the padding of "
                                "its elements differs")
        self.at = begin + limit * distance
        return numpy.dtype((first, (limit,)))


class Type:
    """What the messages of a channel are: name, encoding and schema.

    Made by Type.from_msg, Type.from_text, Channel.type, or by hand for other encodings:

        ach.Type("demo/Point", "json")

    Calling it makes a message: Imu(temperature=20.5).
    """

    def __init__(self, name: str, encoding: str, schema_encoding: str = "",
                 schema: Union[bytes, str] = b""):
        """encoding: "cdr", "json", "protobuf", ..., as in https://mcap.dev/spec/registry."""
        self.name = name
        self.encoding = encoding
        self.schema_encoding = schema_encoding
        self.schema = schema.encode() if isinstance(schema, str) else bytes(schema)
        self._table: Any = None

    @classmethod
    def from_text(cls, name: str, text: Union[str, bytes]) -> "Type":
        """A type from a definition in the language of ROS; messages are encoded in CDR.

        The definitions that it uses follow it, each behind a line of '=' and a line
        `MSG: package/Name`.
        """
        made = cls(name, "cdr", "ros2msg", text)
        made._definition()
        return made

    @classmethod
    def from_msg(cls, path: Union[str, "os.PathLike[str]"], name: str | None = None) -> "Type":
        """A type from a .msg file of ROS.

        The default name is that of the file, in its package if the file is in a folder
        PACKAGE/msg: sensor_msgs/msg/Imu.msg is sensor_msgs/msg/Imu.
        """
        with open(os.fspath(path), "rb") as f:  # a number would be a descriptor
            text = f.read()
        if name is None:
            *folders, last = os.path.abspath(path).split(os.sep)
            stem = os.path.splitext(last)[0]
            in_package = len(folders) > 1 and folders[-1] == "msg"
            name = f"{folders[-2]}/msg/{stem}" if in_package else stem
        return cls.from_text(name, text)

    def _tuple(self) -> tuple[str, str, str, bytes]:
        return self.name, self.encoding, self.schema_encoding, self.schema

    def _definition(self) -> Any:
        """The table of the messages; TypeError: they are not CDR with a definition of ROS."""
        if self._table is None:
            if self.encoding != "cdr" or self.schema_encoding not in ("ros2msg", "ros1msg"):
                raise TypeError(f"{self.name}: no definition of ROS, but encoding "
                                f"'{self.encoding}' and schema '{self.schema_encoding}'")
            self._table = _ach.define(self.name, self.schema)
        return self._table

    @property
    def hash(self) -> int:
        """A number that differs for different types."""
        return _ach.type_hash(self._tuple())

    @property
    def decodes(self) -> bool:
        """Whether decode makes an object of a message: in CDR with a definition of ROS, or JSON."""
        return self.encoding == "json" or (self.encoding == "cdr" and
                                           self.schema_encoding in ("ros2msg", "ros1msg"))

    @property
    def fields(self) -> dict[str, str]:
        """The names of the fields, and what they are."""
        return {f[0]: _describe(f) for f in self._definition().fields()}

    @property
    def dtype(self) -> Any:
        """The numpy dtype of the encoded messages, if all of them have the same size.

        np.frombuffer(view, dtype=channel.type.dtype, count=1) shows a message without a copy.
        """
        if numpy is None:
            raise TypeError("numpy is not installed")
        table = self._definition()
        if not table.fixed:
            raise TypeError(f"{self.name} has strings or sequences, so its messages have no dtype")
        return _Layout().struct(table)

    def frombuffer(self, buffer: Buffer) -> Any:
        """A message as a numpy structured array of no dimensions, in the memory of the buffer."""
        return numpy.frombuffer(buffer, dtype=self.dtype, count=1).reshape(())

    def decode(self, data: Buffer) -> Any:
        """A message as an object: a Message; for JSON a dict or so; else bytes."""
        if self.encoding == "json":
            return json.loads(bytes(data))
        return self._definition().decode(data) if self.decodes else bytes(data)

    def encode(self, message: Any) -> Buffer:
        """The bytes of a message, given as Message, dict, any object with the fields as attributes.

        A dict may leave out fields, which are zero or empty then. Bytes and other buffers are
        messages that are encoded already.
        """
        if isinstance(message, (bytes, bytearray, memoryview)):
            return message
        if self.encoding == "json":
            return json.dumps(message, separators=(",", ":")).encode()
        if message is None or isinstance(message, (str, int, float)):
            raise TypeError(f"expected a message of {self.name}: a dict, a Message, or an object "
                            f"with its fields, not {message!r}")
        if not self.decodes:
            return message
        table = self._definition()
        if isinstance(message, Message) and not _alike(table, message._table):
            raise BadType(None, f"expected a message of {self.name}, not this one of "
                                f"{message._table.name}: {message!r}")
        return table.encode(message)

    def __call__(self, /, **fields: Any) -> Any:
        message = self._definition().zero()
        message._update(fields)
        return message

    def __eq__(self, other: object) -> bool:
        return self._tuple() == other._tuple() if isinstance(other, Type) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._tuple())

    def __repr__(self) -> str:
        return f"<ach.Type {self.name} {self.encoding}>"
