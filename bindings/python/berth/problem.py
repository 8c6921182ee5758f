"""General problems: linear and mixed-integer programmes, above all mixed packing and covering ones."""
from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Mapping, Sequence
from ctypes import byref, c_bool, c_double, c_int, c_size_t
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from . import _ffi, _ffi_io
from ._convert import (
    Arena, Owned, checked, encode, fill, names, numbers, path_bytes, record, some_numbers, text, texts, vector, versions,
)
from ._library import call, lib
from .hooks import Backends, Hooks, fill_common
from .model import Favour, Outcome, ScaleRule
from .report import Report, owned_result, report_of


class Proof(IntEnum):
    """How far a bound can be trusted."""

    NONE = 0  # there is no bound, or a solver's word is all there is
    TOLERANCE = 1  # the multipliers give it, but for reduced costs that are 0 within tolerance
    EXACT = 2  # it follows from the multipliers in exact arithmetic


class Format(IntEnum):
    AUTO = 0  # by the file's name, else by its content
    JSON = 1  # berth-mpc-1
    MPS = 2
    MPS_FREE = 3
    LP = 4
    GMPL = 5  # read only
    ORLIB_SCP = 6  # read only
    ORLIB_MKNAP = 7  # read only


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """min or max  offset + cost . x   s.t.  row_lower <= A x <= row_upper,  lower <= x <= upper, x_j integer where
    is_integer[j].

    A is given by rows: row i has the variables var_of[row_start[i]:row_start[i + 1]] with the coefficients value[...].
    These are indptr, indices and data of a scipy.sparse.csr_array. Any sequence of numbers will do."""

    cost: Sequence[float]
    row_lower: Sequence[float]  # -inf: none
    row_upper: Sequence[float]  # inf: none
    row_start: Sequence[int]
    var_of: Sequence[int]
    value: Sequence[float]
    lower: Sequence[float] | None = None  # None: 0
    upper: Sequence[float] | None = None  # None: inf
    is_integer: Sequence[bool] | None = None  # None: none is
    maximize: bool = False
    offset: float = 0.0
    name: str = ""
    var_names: Sequence[str] | None = None  # None: x0, x1, ...
    row_names: Sequence[str] | None = None  # None: r0, r1, ...
    group: Sequence[int] | None = None  # group of each variable (dependent rounding) or -1
    group_names: Sequence[str] | None = None  # None: g0, g1, ...
    crc32: int = field(default=0, init=False, repr=False)  # of what was read from a file; 0: not computed

    @classmethod
    def by_rows(cls, cost: Sequence[float], rows: Iterable[tuple[float, Mapping[int, float], float]],
                **others: Any) -> Problem:
        """Of rows (lower, {variable: coefficient}, upper)."""
        lower, upper, starts, var_of, value = array("d"), array("d"), array("Q", [0]), array("i"), array("d")
        for least, coefficients, most in rows:
            lower.append(least)
            upper.append(most)
            var_of.extend(coefficients.keys())
            value.extend(coefficients.values())
            starts.append(len(var_of))
        return cls(cost=cost, row_lower=lower, row_upper=upper, row_start=starts, var_of=var_of, value=value, **others)


@dataclass(frozen=True, kw_only=True)
class SolveOptions:
    """See berth_solve_options in berth.h."""

    method: str = "auto"  # one of method_names()
    lp: str = "auto"  # solver of the relaxation: "auto", "clp", "glpk", "first-order"
    seed: int = 1
    threads: int = 0  # 0: all processors
    time_limit_s: float = 10.0
    gap: float = 0.0
    lp_gap: float = 1e-3
    delta: float = 0.1
    favour: Favour = Favour.COVER
    scale_rule: ScaleRule = ScaleRule.AUTO
    scale: float = 0.0
    trials: int = 16
    repair: bool = False
    group_separators: str | None = None
    backends: Backends | None = None
    hooks: Hooks | None = None


@dataclass(frozen=True)
class Promise:
    """What a rounding promised, apart from what came out; with which probability (1: for certain)."""

    holds: bool
    scale: float | None
    cost_factor: float | None
    cover_factor: float | None
    pack_factor: float | None
    probability: float | None
    why_not: str | None


@dataclass(frozen=True)
class Solution:
    """See berth_solution in berth.h. None: there is none."""

    problem: str
    problem_crc32: int
    packing_covering: bool
    why_not: str | None
    method: str
    found_by: str | None
    lp: str | None
    outcome: Outcome
    cost: float | None
    bound: float | None
    proof: Proof
    node_bound: float | None
    ratio: float | None
    cover_min: float | None
    pack_max: float | None
    promise: Promise
    seed: int
    trials: int
    delta: float
    favour: str
    scale: str
    repair: bool
    gap: float
    lp_gap: float
    x: array[float] | None
    relaxation: array[float] | None  # the point that was rounded
    multipliers: array[float] | None  # of `bound`
    ray: array[float] | None  # proves that the relaxation is infeasible
    versions: dict[str, str]
    _owned: Owned = field(repr=False, compare=False)


def method_names() -> tuple[str, ...]:
    """The default comes first."""
    return names(lib.berth_method_names())


def method_about(name: str) -> str | None:
    """What a method does, in a line; None if there is none of that name."""
    return text(lib.berth_method_about(encode(name, "name")))


def solve(problem: Problem, options: SolveOptions | None = None) -> Solution:
    """Solves, rounds and bounds. That a problem is infeasible or unbounded is an outcome, not an error."""
    arena = Arena()
    c_problem = _problem_struct(arena, problem)
    c_options = _ffi.SolveOptions()
    lib.berth_solve_options_init(byref(c_options))
    options = SolveOptions() if options is None else options
    fill(c_options, options, "options/")
    with fill_common(c_options, options):
        owned = owned_result(_ffi.Solution, lib.berth_solution_free, "berth_solve", byref(c_problem), byref(c_options))
    return _solution(owned)


def check_solution(problem: Problem, solution: Solution, hooks: Hooks | None = None) -> Report:
    """Every row, bound and figure again from the values, the dual bound in exact arithmetic."""
    arena = Arena()
    return report_of("berth_check_solution", hooks, byref(_problem_struct(arena, problem)), solution._owned.pointer)


# ---- files ----


def problem_format_names() -> tuple[str, ...]:
    return names(lib.berth_problem_format_names())


def _read_options(format: Format, data: str | os.PathLike[str] | None, number: int, backends: Backends | None,
                  hooks: Hooks | None) -> tuple[Any, Any]:
    out = _ffi_io.ProblemReadOptions()
    lib.berth_problem_read_options_init(byref(out))
    out.format = format
    out.data = None if data is None else path_bytes(data)
    out.number = checked(c_int, number, "number")
    installed = fill_common(out, _Common(backends, hooks))
    return out, installed


@dataclass(frozen=True)
class _Common:
    backends: Backends | None
    hooks: Hooks | None


def read_problem(path: str | os.PathLike[str], format: Format = Format.AUTO, *,
                 data: str | os.PathLike[str] | None = None, number: int = 1, backends: Backends | None = None,
                 hooks: Hooks | None = None) -> Problem:
    """berth-mpc-1, MPS, LP, GMPL (`data`: its data section) or OR-Library (`number`: which problem of the file). MPS, LP
    and GMPL need Backends(glpk=True)."""
    options, installed = _read_options(format, data, number, backends, hooks)
    with installed:
        return _problem(owned_result(_ffi.Problem, lib.berth_problem_free, "berth_problem_read", path_bytes(path),
                                     byref(options)))


def parse_problem(content: str | bytes, format: Format = Format.AUTO, *, number: int = 1,
                  backends: Backends | None = None, hooks: Hooks | None = None) -> Problem:
    """As read_problem, from what a file would hold."""
    content = content.encode() if isinstance(content, str) else content
    options, installed = _read_options(format, None, number, backends, hooks)
    with installed:
        return _problem(owned_result(_ffi.Problem, lib.berth_problem_free, "berth_problem_parse", content,
                                     len(content), byref(options)))


def write_problem(problem: Problem, path: str | os.PathLike[str], format: Format = Format.AUTO) -> None:
    arena = Arena()
    call("berth_problem_write", byref(_problem_struct(arena, problem)), format, path_bytes(path))


def read_solution(path: str | os.PathLike[str], problem: Problem) -> Solution:
    """MismatchError: of another problem."""
    arena = Arena()
    return _solution(owned_result(_ffi.Solution, lib.berth_solution_free, "berth_solution_read", path_bytes(path),
                                  byref(_problem_struct(arena, problem))))


def write_solution(solution: Solution, problem: Problem, path: str | os.PathLike[str]) -> None:
    arena = Arena()
    call("berth_solution_write", solution._owned.pointer, byref(_problem_struct(arena, problem)), path_bytes(path))


# ---- to C and back ----


def _problem_struct(arena: Arena, problem: Problem) -> _ffi.Problem:
    out = _ffi.Problem()
    lib.berth_problem_init(byref(out))
    fill(out, problem)
    cost = vector(c_double, problem.cost, "cost")
    row_lower = vector(c_double, problem.row_lower, "row_lower")
    var_of = vector(c_int, problem.var_of, "var_of")
    value = vector(c_double, problem.value, "value")
    n_vars, n_rows = len(cost), len(row_lower)
    out.n_vars, out.n_rows = n_vars, n_rows
    out.cost = arena.numbers(c_double, cost, "cost")
    out.lower = arena.numbers(c_double, problem.lower, "lower", n_vars)
    out.upper = arena.numbers(c_double, problem.upper, "upper", n_vars)
    out.is_integer = arena.numbers(c_bool, problem.is_integer, "is_integer", n_vars)
    out.var_names = arena.texts(problem.var_names, "var_names", n_vars)
    out.row_names = arena.texts(problem.row_names, "row_names", n_rows)
    out.row_lower = arena.numbers(c_double, row_lower, "row_lower")
    out.row_upper = arena.numbers(c_double, problem.row_upper, "row_upper", n_rows)
    out.row_start, counted = arena.rows(problem.row_start, {"var_of": len(var_of), "value": len(value)})
    if counted != n_rows:
        raise ValueError(f"row_start has {counted + 1} entries; expected {n_rows + 1}")
    out.var_of = arena.numbers(c_int, var_of, "var_of")
    out.value = arena.numbers(c_double, value, "value")
    _fill_groups(arena, problem, out)
    return out


def _fill_groups(arena: Arena, problem: Problem, out: _ffi.Problem) -> None:
    if problem.group is None:
        return
    group = vector(c_int, problem.group, "group", out.n_vars)
    out.group = arena.numbers(c_int, group, "group")
    out.n_groups = max(group, default=-1) + 1 if problem.group_names is None else len(problem.group_names)
    out.group_names = arena.texts(problem.group_names, "group_names")


def _problem(owned: Owned) -> Problem:
    c = owned.pointer.contents
    n_vars, n_rows = c.n_vars, c.n_rows
    n_entries = c.row_start[n_rows]
    is_integer = numbers(c_bool, c.is_integer, n_vars)
    out = Problem(
        cost=some_numbers(c_double, c.cost, n_vars), lower=numbers(c_double, c.lower, n_vars),
        upper=numbers(c_double, c.upper, n_vars),
        is_integer=None if is_integer is None else [value != 0 for value in is_integer],
        row_lower=some_numbers(c_double, c.row_lower, n_rows), row_upper=some_numbers(c_double, c.row_upper, n_rows),
        row_start=some_numbers(c_size_t, c.row_start, n_rows + 1), var_of=some_numbers(c_int, c.var_of, n_entries),
        value=some_numbers(c_double, c.value, n_entries), maximize=bool(c.maximize), offset=c.offset,
        name=text(c.name) or "", var_names=texts(c.var_names, n_vars), row_names=texts(c.row_names, n_rows),
        group=numbers(c_int, c.group, n_vars), group_names=texts(c.group_names, c.n_groups))
    object.__setattr__(out, "crc32", c.crc32)
    owned.close()
    return out


def _solution(owned: Owned) -> Solution:
    c = owned.pointer.contents
    return record(
        Solution, c, outcome=Outcome(c.outcome), proof=Proof(c.proof), promise=record(Promise, c.promise),
        x=numbers(c_double, c.x, c.n_vars), relaxation=numbers(c_double, c.relaxation, c.n_vars),
        multipliers=numbers(c_double, c.multipliers, c.n_rows), ray=numbers(c_double, c.ray, c.n_rows),
        versions=versions(c), _owned=owned)
