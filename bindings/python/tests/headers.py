"""What the public headers declare, after the preprocessor, as ctypes would say it."""
from __future__ import annotations

import ctypes
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from berth import _ffi, _ffi_cohort, _ffi_goodput, _ffi_io

TOP = Path(__file__).resolve().parents[3]
INCLUDE = TOP / "include"
MODULES = (_ffi, _ffi_io, _ffi_cohort, _ffi_goodput)

_SCALARS = {
    "int": ctypes.c_int, "unsigned": ctypes.c_uint, "long": ctypes.c_long, "double": ctypes.c_double,
    "size_t": ctypes.c_size_t, "uint64_t": ctypes.c_uint64, "uint32_t": ctypes.c_uint32, "_Bool": ctypes.c_bool,
    "unsigned char": ctypes.c_ubyte,
}


def c_name(name: str) -> str:
    """PriceBounds: berth_price_bounds"""
    return "berth_" + re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@cache
def structures() -> dict[str, type[ctypes.Structure]]:
    """All that _ffi* define, by C's names."""
    return {c_name(name): value for module in MODULES for name, value in vars(module).items()
            if isinstance(value, type) and issubclass(value, ctypes.Structure) and value is not ctypes.Structure}


@cache
def statements(header: str) -> tuple[str, ...]:
    """Of a header and those it includes, without const and attributes."""
    text = subprocess.run(["gcc", "-E", "-P", "-I", str(INCLUDE), str(INCLUDE / header)], capture_output=True, text=True,
                          check=True).stdout
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|\bconst\b", "", text)
    found, depth, current = [], 0, ""
    for character in text:
        current += character
        depth += (character == "{") - (character == "}")
        if character == ";" and depth == 0:
            found.append(" ".join(current.split()))
            current = ""
    return tuple(found)


def all_statements() -> tuple[str, ...]:
    return statements("berth_cohort.h") + statements("berth_goodput.h")


def _type(text: str) -> Any:
    """Of a parameter or a result: "berth_job *job"."""
    stars = text.count("*") + text.count("[")
    words = re.sub(r"[*\[].*", "", text).split()
    base = "unsigned char" if words[:2] == ["unsigned", "char"] else words[0]
    if base == "char":
        result, stars = ctypes.c_char_p, stars - 1
    elif base == "void":
        result, stars = (ctypes.c_void_p, stars - 1) if stars else (None, 0)
    elif base in _SCALARS:
        result = _SCALARS[base]
    elif base in structures():
        result = structures()[base]
    elif base == "berth_selector_selected":
        return _ffi_cohort.SelectedHook
    elif stars:
        result, stars = ctypes.c_void_p, stars - 1  # opaque
    else:
        result = ctypes.c_int  # an enum
    for _ in range(stars):
        result = ctypes.POINTER(result)
    return result


def _functions(found_in: tuple[str, ...]) -> dict[str, tuple[Any, ...]]:
    found = {}
    for statement in found_in:
        match = re.match(r"(?:extern \"C\" \{)?(.*?)\b(berth_\w+)\s*\((.*)\) ?;$", statement)
        if match and not statement.startswith("typedef"):
            result, name, parameters = match.groups()
            listed = [] if parameters.strip() in ("void", "") else parameters.split(",")
            found[name] = (_type(result.strip()), *(_type(parameter.strip()) for parameter in listed))
    return found


@cache
def functions() -> dict[str, tuple[Any, ...]]:
    """Result and parameters by name."""
    return _functions(all_statements())


@cache
def of_files() -> frozenset[str]:
    """What berth_io.h declares by itself."""
    return frozenset(_functions(statements("berth_io.h"))) - frozenset(_functions(statements("berth.h")))


@cache
def enumerators() -> dict[str, list[str]]:
    """Names by enum."""
    found = {}
    for statement in all_statements():
        match = re.match(r"typedef enum (\w+) \{(.*)\}", statement)
        if match:
            found[match[1]] = [entry.split("=")[0].strip() for entry in match[2].split(",") if entry.strip()]
    return found


def printed(body: str, folder: str) -> list[list[str]]:
    """The words of the lines that a C program with this body prints."""
    source, program = Path(folder) / "layout.c", Path(folder) / "layout"
    source.write_text("#include <berth_cohort.h>\n#include <berth_goodput.h>\n#include <stdio.h>\n"
                      f"int main(void) {{\n{body}\nreturn 0;\n}}\n")
    subprocess.run(["gcc", "-std=c11", "-I", str(INCLUDE), "-o", str(program), str(source)], check=True)
    output = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    return [line.split() for line in output.splitlines()]
