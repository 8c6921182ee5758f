"""From Python's values to C's and back.

In: everything a C structure points to is copied into buffers that an Arena keeps alive; numpy arrays and other buffers
need no loop for that. Out: all is copied, so that nothing in Python refers to C's memory; NAN becomes None, text str,
vectors array.array (numpy.asarray makes an array of one without copying)."""
from __future__ import annotations

import dataclasses
import math
import operator
import os
import sys
import weakref
from array import array
from collections.abc import Callable, Iterable, Sequence
from ctypes import (
    Structure, addressof, c_bool, c_char, c_char_p, c_double, c_int, c_long, c_size_t, c_uint, c_uint32, c_uint64,
    pointer, sizeof, string_at,
)
from functools import cache
from itertools import accumulate, count, islice, takewhile
from typing import Any, TypeVar

S = TypeVar("S")
T = TypeVar("T")

_CODES = {c_double: "d", c_int: "i", c_uint32: "I", c_uint64: "Q", c_size_t: "Q" if sizeof(c_size_t) == 8 else "I",
          c_bool: "B"}
_INTEGERS = (c_int, c_long, c_uint, c_size_t, c_uint32, c_uint64)


# ---- in ----


def _of_numpy(code: str, values: Any) -> Any:
    """values as a one-dimensional contiguous array of that type; no number may change by that."""
    numpy = sys.modules["numpy"]
    if values.ndim != 1:
        raise ValueError(f"an array of {values.ndim} dimensions; expected one")
    with numpy.errstate(invalid="ignore"):
        converted = numpy.ascontiguousarray(values, dtype=code)
    if code != "d" and not (converted == values).all():
        raise ValueError("a number that is no whole one or out of range")
    return converted


def vector(ctype: Any, values: Iterable[Any], name: str, length: int | None = None) -> array[Any]:
    """A copy of values as an array of a C type. ValueError or TypeError with the name."""
    code = _CODES[ctype]
    try:
        numpy = sys.modules.get("numpy")
        if ctype is c_bool:
            result = array(code, [bool(value) for value in values])
        elif numpy is not None and isinstance(values, numpy.ndarray):
            result = array(code)
            result.frombytes(memoryview(_of_numpy(code, values)).cast("B"))
        else:
            result = array(code, values)
    except (TypeError, OverflowError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}: {error}") from None
    if length is not None and len(result) != length:
        raise ValueError(f"{name} has {len(result)} entries; expected {length}")
    return result


def encode(value: str, name: str) -> bytes:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}; expected text")
    if "\0" in value:
        raise ValueError(f"{name}: text with a NUL character")
    return value.encode()


def checked(ctype: Any, value: int, name: str) -> int:
    """value, if it is whole and the C type can hold it: ctypes itself would cut it off, and takes no numpy.int64."""
    try:
        whole = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; expected a whole number") from None
    if ctype(whole).value != whole:
        raise ValueError(f"{name} is {value}, out of range")
    return whole


def real(value: float, name: str) -> float:
    """value as a float. Texts that look like numbers are none."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} is {value!r}; expected a number")
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; expected a number") from None


def path_bytes(path: str | os.PathLike[str]) -> bytes:
    return os.fsencode(path)


class Arena:
    """Keeps alive what C structures point to."""

    def __init__(self) -> None:
        self._kept: list[object] = []

    def keep(self, thing: T) -> T:
        self._kept.append(thing)
        return thing

    def numbers(self, ctype: Any, values: Iterable[Any] | None, name: str, length: int | None = None) -> Any:
        """A pointer to values, NULL for None."""
        if values is None:
            return None
        return self._pointer_to(ctype, vector(ctype, values, name, length))

    def texts(self, values: Iterable[str] | None, name: str, length: int | None = None) -> Any:
        """A pointer to pointers to texts, NULL for None."""
        if values is None:
            return None
        if isinstance(values, str):
            raise TypeError(f"{name} is one text; expected a sequence of them")
        encoded = [encode(value, f"{name}/{index}") for index, value in enumerate(values)]
        if length is not None and len(encoded) != length:
            raise ValueError(f"{name} has {len(encoded)} entries; expected {length}")
        room = self.keep(bytearray(b"\0".join(encoded) + b"\0"))
        base = addressof(c_char.from_buffer(room))
        ends = accumulate((len(value) + 1 for value in encoded), initial=base)
        return self._pointer_to(c_char_p, array(_CODES[c_size_t], islice(ends, len(encoded))))

    def _pointer_to(self, ctype: Any, buffer: array[Any]) -> Any:
        """Not by cast or an array type, which would leave cycles to the collector."""
        if not buffer:
            buffer.append(0)  # something to point to
        self.keep(buffer)
        return pointer(ctype.from_address(buffer.buffer_info()[0]))

    def rows(self, row_start: Iterable[int], n_entries: dict[str, int]) -> tuple[Any, int]:
        """The starts of compressed rows, which end with how many entries there are; and the number of rows."""
        starts = vector(c_size_t, row_start, "row_start")
        if not starts:
            raise ValueError("row_start is empty; expected a 0 at least")
        for name, count in n_entries.items():
            if starts[-1] != count:
                raise ValueError(f"{name} has {count} entries; row_start ends with {starts[-1]}")
        return self.numbers(c_size_t, starts, "row_start"), len(starts) - 1

    def structs(self, ctype: Any, items: Sequence[S], fill_one: Callable[[Any, S, int], None]) -> Any:
        """A pointer to a structure for each item, made by fill_one(structure, item, index); NULL if there are none."""
        if not items:
            return None
        room = bytearray(sizeof(ctype) * len(items))
        entries = [ctype.from_buffer(room, sizeof(ctype) * index) for index in range(len(items))]
        for index, (entry, item) in enumerate(zip(entries, items)):
            fill_one(entry, item, index)
        return pointer(self.keep(entries)[0])


@cache
def _plain_fields(struct: type[Structure]) -> tuple[tuple[str, Any], ...]:
    plain = (*_INTEGERS, c_double, c_bool, c_char_p)
    return tuple((name, ctype) for name, ctype, *_ in getattr(struct, "_fields_") if ctype in plain)


def fill(struct: Structure, source: object, where: str = "") -> None:
    """Numbers and texts of the same names from source into struct; None is NAN, NULL or 0. What struct has and source
    has not stays as it is."""
    for name, ctype in _plain_fields(type(struct)):
        value: Any = getattr(source, name, _MISSING)
        if value is _MISSING:
            continue
        if value is None:
            value = math.nan if ctype is c_double else None if ctype is c_char_p else 0
        elif ctype is c_char_p:
            value = encode(value, where + name)
        elif ctype is c_double:
            value = real(value, where + name)
        elif ctype is not c_bool:
            value = checked(ctype, value, where + name)
        setattr(struct, name, value)


_MISSING = object()


# ---- out ----


def text(value: bytes | None) -> str | None:
    return None if value is None else value.decode(errors="replace")


def number(value: float) -> float | None:
    """None for NAN."""
    return None if value != value else value


def slot(value: int) -> int | None:
    """None for -1."""
    return None if value < 0 else value


def numbers(ctype: Any, start: Any, n: int) -> array[Any] | None:
    """A copy of what a pointer points to; None for NULL."""
    if not start:
        return None
    result = array(_CODES[ctype])
    if n > 0:
        result.frombytes(string_at(start, n * sizeof(ctype)))
    return result


def some_numbers(ctype: Any, start: Any, n: int) -> array[Any]:
    """As numbers, where NULL is an empty array."""
    result = numbers(ctype, start, n)
    return array(_CODES[ctype]) if result is None else result


def texts(start: Any, n: int) -> tuple[str, ...] | None:
    if not start:
        return None
    return tuple(value.decode(errors="replace") for value in start[:n])


def names(start: Any) -> tuple[str, ...]:
    """A list that ends with NULL."""
    return tuple(value.decode() for value in takewhile(lambda value: value is not None, map(start.__getitem__, count())))


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind) if field.init)


def record(kind: type[T], struct: Any, /, **given: Any) -> T:
    """A dataclass whose fields are the struct's of the same names, but for those given. -1 stays: see slot."""
    for name in _field_names(kind):  # type: ignore[arg-type]
        if name in given:
            continue
        value = getattr(struct, name)
        if isinstance(value, bytes):
            value = value.decode(errors="replace")
        elif isinstance(value, float) and value != value:
            value = None
        given[name] = value
    return kind(**given)


# ---- ownership ----


class Owned:
    """A C object that is freed when this is collected or closed, once."""

    def __init__(self, handle: Any, free: Callable[[Any], None]) -> None:
        self._pointer = handle
        self._finalizer = weakref.finalize(self, free, handle)

    @property
    def pointer(self) -> Any:
        if not self._finalizer.alive:
            raise ValueError("this object has been closed")
        return self._pointer

    @property
    def closed(self) -> bool:
        return not self._finalizer.alive

    def close(self) -> None:
        self._finalizer()


def versions(struct: Any) -> dict[str, str]:
    """What took part in a result, by name."""
    n = struct.n_versions
    return dict(zip(texts(struct.version_names, n) or (), texts(struct.version_numbers, n) or ()))
