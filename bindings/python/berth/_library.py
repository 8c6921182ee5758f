"""Finds and loads libberth, and calls its functions."""
from __future__ import annotations

import os
from ctypes import CDLL, byref
from pathlib import Path
from typing import Any

from . import _ffi, _ffi_cohort, _ffi_goodput, _ffi_io
from .errors import BerthError, from_status

SONAME = "libberth.so.0"
GLPK_SONAME = "libberth_glpk.so.0"
_VERSION = (0, 1)  # of the headers that _ffi* describe
_PROTOTYPES: dict[str, tuple[Any, ...]] = {
    **_ffi.PROTOTYPES, **_ffi_io.PROTOTYPES, **_ffi_cohort.PROTOTYPES, **_ffi_goodput.PROTOTYPES,
}


def _build_tree(soname: str) -> list[str]:
    """Where make leaves the library, if this package lies in berth's source tree."""
    top = Path(__file__).resolve().parents[3]
    return [str(top / "build" / soname)] if (top / "include" / "berth.h").exists() else []


def _first(paths: list[str]) -> CDLL:
    problems = []
    for path in paths:
        try:
            return CDLL(path)
        except OSError as error:
            problems.append(str(error))
    raise OSError("berth: no library: " + "; ".join(problems))


class Library:
    """libberth, loaded when the first of its functions is asked for: $BERTH_LIBRARY, which is a path and has no
    alternative; else what the system's loader finds; else that of a build tree. Functions get their prototypes one by
    one, so that a library that lacks one serves for the rest."""

    def __init__(self) -> None:
        self._loaded: CDLL | None = None

    def _load(self) -> CDLL:
        given = os.environ.get("BERTH_LIBRARY")
        loaded = _first([given] if given else [SONAME, *_build_tree(SONAME)])
        version = loaded.berth_version
        version.restype = _PROTOTYPES["berth_version"][0]
        found = version().decode()
        if tuple(int(part) for part in found.split(".")[:2]) != _VERSION:
            raise OSError(f"berth: libberth is of version {found}; expected {_VERSION[0]}.{_VERSION[1]}")
        return loaded

    def __getattr__(self, name: str) -> Any:
        if name not in _PROTOTYPES:
            raise AttributeError(name)
        if self._loaded is None:
            self._loaded = self._load()
        function = _with_prototype(self._loaded, name)
        setattr(self, name, function)
        return function


def _with_prototype(library: CDLL, name: str) -> Any:
    try:
        function = getattr(library, name)
    except AttributeError:
        raise NotImplementedError(f"berth: this libberth has no {name}; a later one has") from None
    function.restype, *function.argtypes = _PROTOTYPES[name]
    return function


lib = Library()


def call(name: str, *arguments: Any) -> None:
    """Calls a function that returns a status and takes a berth_error last; raises what it says."""
    error = _ffi.Error()
    status = getattr(lib, name)(*arguments, byref(error))
    if status != 0:
        raise from_status(status, _text(status), error)


def require(status: int, what: str) -> None:
    """For functions that return a status and nothing else."""
    if status != 0:
        raise from_status(status, f"{what}: {_text(status)}")


def _text(status: int) -> str:
    return str(lib.berth_status_text(status).decode())


def glpk_backend() -> int:
    """The backend of libberth_glpk, beside $BERTH_LIBRARY or wherever libberth may be."""
    given = os.environ.get("BERTH_LIBRARY")
    beside = [str(Path(given).with_name(GLPK_SONAME))] if given else []
    try:
        library = _first(beside + [GLPK_SONAME, *_build_tree(GLPK_SONAME)])
    except OSError as error:
        raise BerthError(-5, f"no GLPK backend: {error}", where="backends") from None
    return int(_with_prototype(library, "berth_glpk_backend")())


def version() -> str:
    """The library's version, "major.minor.patch"."""
    return str(lib.berth_version().decode())
