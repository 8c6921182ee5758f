"""What a check of a result found."""
from __future__ import annotations

import os
from collections.abc import Callable
from ctypes import POINTER, byref
from dataclasses import dataclass, field
from typing import Any

from . import _ffi_io
from ._convert import Owned, path_bytes, record, texts
from ._library import call, lib
from .hooks import Hooks, Installed


@dataclass(frozen=True)
class Finding:
    violated: bool  # False: a note, something that could not be checked
    rule: str
    where: str
    message: str
    slack: float | None  # by which the rule holds, < 0: violated


@dataclass(frozen=True)
class Report:
    n_violations: int
    findings: tuple[Finding, ...]
    rules: dict[str, int]  # evaluated, with how often
    utility: float | None  # recomputed
    dual: float | None  # evaluated again from the certificate's prices
    ratio: float | None
    _owned: Owned = field(repr=False, compare=False)

    def write(self, path: str | os.PathLike[str]) -> None:
        """As JSON."""
        call("berth_report_write", self._owned.pointer, path_bytes(path))

    @property
    def ok(self) -> bool:
        """Was no rule violated?"""
        return self.n_violations == 0


def report_of(name: str, hooks: Hooks | None, *arguments: Any) -> Report:
    """Calls a function that checks, whose last arguments are hooks, report and error."""
    with Installed(hooks) as installed:
        return _report(owned_result(_ffi_io.Report, lib.berth_report_free, name, *arguments, byref(installed.struct)))


def _report(owned: Owned) -> Report:
    out = owned.pointer.contents
    rules = dict(zip(texts(out.rule_names, out.n_rules) or (), out.rule_counts[:out.n_rules]))
    return record(Report, out, rules=rules, _owned=owned,
                  findings=tuple(record(Finding, finding) for finding in out.findings[:out.n_findings]))


def owned_result(kind: Any, free: Callable[[Any], None], name: str, *arguments: Any) -> Owned:
    """Calls a function whose last arguments are a pointer to a pointer to a result and the error; who holds the result."""
    out = POINTER(kind)()
    call(name, *arguments, byref(out))
    return Owned(out, free)
