"""Which clients of a federated-learning system to test a model on, and which train (after Oort)."""
from __future__ import annotations

import math
import os
from array import array
from collections.abc import Sequence
from ctypes import POINTER, byref, c_double, c_size_t, c_uint32, c_uint64
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from . import _ffi_cohort
from ._convert import (
    Arena, Owned, checked, fill, numbers, path_bytes, record, some_numbers, texts, vector,
)
from ._library import call, lib
from .hooks import Backends, Hooks, Installed, fill_common
from .model import Outcome
from .report import Report, owned_result, report_of

__all__ = [
    "Cohort", "Data", "GenerateOptions", "Objective", "Options", "Participant", "Reason", "Request", "SizeOptions",
    "check_cohort", "generate", "pick", "read_cohort", "read_request", "reason_name", "sample", "size",
    "write_cohort", "write_request",
]


def __dir__() -> list[str]:
    return __all__


class Objective(IntEnum):
    DURATION = 0  # the slowest participant is done soonest
    PARTICIPANTS = 1  # fewest participants


class Reason(IntEnum):
    """Why there is no cohort, the first that applies."""

    NONE = 0
    SUPPLY = 1  # eligible clients hold too little, or may not process enough
    DEADLINE = 2  # all eligible clients together do not make it by the deadline
    BUDGET = 3  # so many participants can't


def reason_name(reason: Reason) -> str:
    return str(lib.berth_cohort_reason_name(reason).decode())


# ---- how many participants ----


@dataclass(frozen=True, kw_only=True)
class SizeOptions:
    """See berth_cohort_size_options in berth_cohort.h."""

    deviation: float  # tolerated, in the unit of range
    range: float  # largest minus smallest count of a category that a client can hold
    clients: int
    confidence: float = 0.95
    categories: int = 0  # both sides and so many at once; 0: one category, one side
    overcommit: float = 1.0


def size(options: SizeOptions) -> tuple[int, float]:
    """How many participants represent all clients, and the number before it was rounded up."""
    c_options = _ffi_cohort.CohortSizeOptions()
    lib.berth_cohort_size_options_init(byref(c_options))
    fill(c_options, options, "options/")
    participants, exact = c_size_t(), c_double()
    call("berth_cohort_size", byref(c_options), byref(participants), byref(exact))
    return participants.value, exact.value


def sample(clients: int, n: int, seed: int = 1) -> array[int]:
    """n of the clients 0, 1, ..., uniformly without replacement, ascending."""
    if not 0 <= n <= clients:
        raise ValueError(f"n is {n}; expected 0 to {clients}, the number of clients")
    out = (c_size_t * n)()
    call("berth_cohort_sample", clients, n, checked(c_uint64, seed, "seed"), out)
    return vector(c_size_t, out, "sample")


# ---- which participants ----


class Data:
    """What clients hold: client n has the categories category[row_start[n]:row_start[n + 1]] with so many samples each
    (indptr, indices and data of a scipy.sparse.csr_array). Without ms_per_sample and bandwidth_kbps durations do not
    matter. Everything is copied, once."""

    def __init__(self, row_start: Sequence[int], category: Sequence[int], count: Sequence[int], n_categories: int, *,
                 ms_per_sample: Sequence[float] | None = None, bandwidth_kbps: Sequence[float] | None = None,
                 clients: Sequence[str] | None = None, categories: Sequence[str] | None = None) -> None:
        self._arena = Arena()
        self._owned: Owned | None = None
        self._struct = c = _ffi_cohort.CohortData()
        lib.berth_cohort_data_init(byref(c))
        category, count = vector(c_uint32, category, "category"), vector(c_uint32, count, "count")
        c.row_start, n = self._arena.rows(row_start, {"category": len(category), "count": len(count)})
        c.n_clients, c.n_categories = n, checked(c_size_t, n_categories, "n_categories")
        c.category = self._arena.numbers(c_uint32, category, "category")
        c.count = self._arena.numbers(c_uint32, count, "count")
        c.ms_per_sample = self._arena.numbers(c_double, ms_per_sample, "ms_per_sample", n)
        c.bandwidth_kbps = self._arena.numbers(c_double, bandwidth_kbps, "bandwidth_kbps", n)
        c.clients = self._arena.texts(clients, "clients", n)
        c.categories = self._arena.texts(categories, "categories", n_categories)

    @classmethod
    def _of(cls, owned: Owned) -> Data:
        self = cls.__new__(cls)
        self._owned, self._struct = owned, owned.pointer.contents
        return self

    @classmethod
    def read(cls, path: str | os.PathLike[str], profiles: str | os.PathLike[str] | None = None, *,
             default_ms_per_sample: float | None = None, default_bandwidth_kbps: float | None = None,
             hooks: Hooks | None = None) -> Data:
        """Counts as CSV, wide or long; `profiles`: CSV client,ms_per_sample,bandwidth_kbps."""
        options = _ffi_cohort.CohortReadOptions()
        lib.berth_cohort_read_options_init(byref(options))
        options.profiles = None if profiles is None else path_bytes(profiles)
        options.default_ms_per_sample = math.nan if default_ms_per_sample is None else default_ms_per_sample
        options.default_bandwidth_kbps = math.nan if default_bandwidth_kbps is None else default_bandwidth_kbps
        with Installed(hooks) as installed:
            options.hooks = installed.struct
            return cls._of(owned_result(_ffi_cohort.CohortData, lib.berth_cohort_data_free, "berth_cohort_data_read",
                                        path_bytes(path), byref(options)))

    def write(self, path: str | os.PathLike[str], profiles: str | os.PathLike[str] | None = None) -> None:
        """Long CSV and, if there is a path for them, profiles."""
        call("berth_cohort_data_write", byref(self._struct), path_bytes(path),
             None if profiles is None else path_bytes(profiles))

    @property
    def n_clients(self) -> int:
        return int(self._struct.n_clients)

    @property
    def n_categories(self) -> int:
        return int(self._struct.n_categories)

    @property
    def row_start(self) -> array[int]:
        return some_numbers(c_size_t, self._struct.row_start, self.n_clients + 1)

    @property
    def category(self) -> array[int]:
        return some_numbers(c_uint32, self._struct.category, self._struct.row_start[self.n_clients])

    @property
    def count(self) -> array[int]:
        return some_numbers(c_uint32, self._struct.count, self._struct.row_start[self.n_clients])

    @property
    def ms_per_sample(self) -> array[float] | None:
        return numbers(c_double, self._struct.ms_per_sample, self.n_clients)

    @property
    def bandwidth_kbps(self) -> array[float] | None:
        return numbers(c_double, self._struct.bandwidth_kbps, self.n_clients)

    @property
    def clients(self) -> tuple[str, ...] | None:
        return texts(self._struct.clients, self.n_clients)

    @property
    def categories(self) -> tuple[str, ...] | None:
        return texts(self._struct.categories, self.n_categories)


@dataclass(frozen=True, kw_only=True, eq=False)
class Request:
    """What is wanted, in one of three forms: `requests` samples of each category; so many `representative` ones; or `all`
    samples of some categories. See berth_cohort_request in berth_cohort.h."""

    requests: Sequence[int] | None = None
    representative: int = 0
    all: Sequence[int] | None = None  # categories
    exact: bool = False
    budget: int = 0  # most participants; 0: any number
    client_cap: int = 0  # most samples of a client; 0: none
    eligible: Sequence[int] | None = None  # clients; None: all
    model_kbit: float = 65536.0
    deadline_s: float = math.inf
    slack: float = 0.0
    objective: Objective = Objective.DURATION


@dataclass(frozen=True, kw_only=True)
class Options:
    """See berth_cohort_options in berth_cohort.h."""

    solver: str = "auto"
    time_limit_s: float = math.inf
    effort: float = 1.0
    backends: Backends | None = None
    hooks: Hooks | None = None


@dataclass(frozen=True)
class Participant:
    client: int
    duration_s: float | None
    samples: dict[int, int]  # by category


@dataclass(frozen=True)
class Cohort:
    """See berth_cohort in berth_cohort.h. None: there is none."""

    outcome: Outcome
    objective: Objective
    n_clients: int
    n_categories: int
    requests: array[int]  # as resolved
    participants: tuple[Participant, ...]  # by ascending client
    duration_s: float | None
    bound_s: float | None
    search_bound_s: float | None
    participants_bound: int
    search_participants: int
    ratio: float | None
    prices: array[float] | None
    certificate_deadline_s: float
    reason: Reason
    missing: array[int] | None
    enough_deadline_s: float | None
    enough_budget: int
    stopped: bool
    solver: str
    _owned: Owned = field(repr=False, compare=False)


def pick(data: Data, request: Request, options: Options | None = None) -> Cohort:
    """Picks participants and bounds how much better any others could be. That there is no cohort is an outcome."""
    arena = Arena()
    c_request = _request_struct(arena, request, data)
    c_options = _ffi_cohort.CohortOptions()
    lib.berth_cohort_options_init(byref(c_options))
    options = Options() if options is None else options
    fill(c_options, options, "options/")
    with fill_common(c_options, options):
        return _cohort(owned_result(_ffi_cohort.Cohort, lib.berth_cohort_free, "berth_cohort_pick",
                                    byref(data._struct), byref(c_request), byref(c_options)))


def check_cohort(data: Data, request: Request, cohort: Cohort, hooks: Hooks | None = None) -> Report:
    """Every claim of a cohort again, the certificate in exact arithmetic."""
    arena = Arena()
    c_request = _request_struct(arena, request, data)
    return report_of("berth_check_cohort", hooks, byref(data._struct), byref(c_request), cohort._owned.pointer)


def _request_struct(arena: Arena, request: Request, data: Data) -> Any:
    out = _ffi_cohort.CohortRequest()
    lib.berth_cohort_request_init(byref(out))
    fill(out, request, "request/")
    out.requests = arena.numbers(c_uint64, request.requests, "requests", data.n_categories)
    if request.all is not None:
        out.n_all, out.all = len(request.all), arena.numbers(c_size_t, request.all, "all")
    if request.eligible is not None:
        out.choose_eligible = True
        out.n_eligible = len(request.eligible)
        out.eligible = arena.numbers(c_size_t, request.eligible, "eligible")
    return out


def _request(c: Any, data: Data) -> Request:
    return record(Request, c, objective=Objective(c.objective), requests=numbers(c_uint64, c.requests, data.n_categories),
                  all=numbers(c_size_t, c.all, c.n_all) if c.n_all else None,
                  eligible=some_numbers(c_size_t, c.eligible, c.n_eligible) if c.choose_eligible else None)


def _cohort(owned: Owned) -> Cohort:
    c = owned.pointer.contents
    participants = tuple(
        Participant(p.client, None if math.isnan(p.duration_s) else p.duration_s,
                    dict(zip(p.category[:p.n_entries], p.samples[:p.n_entries])))
        for p in c.participants[:c.n_participants])
    k = c.n_categories
    return record(Cohort, c, outcome=Outcome(c.outcome), objective=Objective(c.objective), reason=Reason(c.reason),
                  requests=some_numbers(c_uint64, c.requests, k), participants=participants,
                  prices=numbers(c_double, c.prices, k), missing=numbers(c_uint64, c.missing, k), _owned=owned)


# ---- files ----


def read_request(path: str | os.PathLike[str], data: Data) -> Request:
    """berth-cohort-request-1."""
    owned = owned_result(_ffi_cohort.CohortRequest, lib.berth_cohort_request_free, "berth_cohort_request_read",
                         path_bytes(path), byref(data._struct))
    return _request(owned.pointer.contents, data)


def write_request(request: Request, data: Data, path: str | os.PathLike[str]) -> None:
    arena = Arena()
    call("berth_cohort_request_write", byref(_request_struct(arena, request, data)), byref(data._struct),
         path_bytes(path))


def read_cohort(path: str | os.PathLike[str], data: Data) -> Cohort:
    """berth-cohort-1."""
    return _cohort(owned_result(_ffi_cohort.Cohort, lib.berth_cohort_free, "berth_cohort_read", path_bytes(path),
                                byref(data._struct)))


def write_cohort(cohort: Cohort, data: Data, path: str | os.PathLike[str]) -> None:
    call("berth_cohort_write", cohort._owned.pointer, byref(data._struct), path_bytes(path))


@dataclass(frozen=True)
class GenerateOptions:
    """See berth_generate_cohort_options in berth_cohort.h."""

    seed: int = 1
    clients: int = 1000
    categories: int = 20
    per_client: int = 8
    median_count: float = 30.0
    request_share: float = 0.02
    budget_share: float = 0.02


def generate(options: GenerateOptions | None = None) -> tuple[Data, Request]:
    """Clients in the shape of public federated data sets, and a request for some of their samples."""
    c_options = _ffi_cohort.GenerateCohortOptions()
    lib.berth_generate_cohort_options_init(byref(c_options))
    fill(c_options, GenerateOptions() if options is None else options, "options/")
    data, request = POINTER(_ffi_cohort.CohortData)(), POINTER(_ffi_cohort.CohortRequest)()
    call("berth_generate_cohort", byref(c_options), byref(data), byref(request))
    owned_request = Owned(request, lib.berth_cohort_request_free)
    made = Data._of(Owned(data, lib.berth_cohort_data_free))
    return made, _request(owned_request.pointer.contents, made)
