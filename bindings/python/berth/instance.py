"""Instance files of the placement model (berth-jobs-1), whole runs of policies on them (berth-run-1), and their check."""
from __future__ import annotations

import math
import os
from array import array
from ctypes import POINTER, byref, c_double, c_int, create_string_buffer
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from . import _ffi, _ffi_io
from ._convert import (
    Owned, encode, fill, names, numbers, path_bytes, record, slot, some_numbers, text, texts, versions,
)
from ._library import call, lib
from .hooks import Hooks, Installed
from .model import (
    Cluster, Effort, Job, Options, PriceBounds, SlotPlan, Utility, UtilityKind, bounds_of, options_struct, slot_plans,
)
from .report import Report, owned_result, report_of


class JobOutcome(IntEnum):
    COMPLETED = 0
    REJECTED = 1
    UNFINISHED = 2
    UNDECIDED = 3  # the run was stopped first


class Arrivals(IntEnum):
    UNIFORM = 0
    POISSON = 1
    BURSTS = 2


class Instance:
    """A cluster and the jobs that come to it."""

    def __init__(self, owned: Owned) -> None:
        self._owned = owned

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Instance:
        """FileError: cannot be read; InputError says where in the file."""
        return cls(owned_result(_ffi_io.Instance, lib.berth_instance_free, "berth_instance_read", path_bytes(path)))

    @classmethod
    def parse(cls, content: str | bytes) -> Instance:
        """The text of an instance file."""
        content = content.encode() if isinstance(content, str) else content
        return cls(owned_result(_ffi_io.Instance, lib.berth_instance_free, "berth_instance_parse", content,
                                len(content)))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Canonical text."""
        call("berth_instance_write", self._owned.pointer, path_bytes(path))

    def warnings(self) -> list[str]:
        """Jobs larger than any machine and the like: no errors, but worth a line."""
        lines: list[str] = []
        with Installed(Hooks(log=lambda level, message: lines.append(message))) as installed:
            lib.berth_instance_warnings(self._owned.pointer, byref(installed.struct))
        return lines

    @property
    def _c(self) -> Any:
        return self._owned.pointer.contents

    @property
    def name(self) -> str:
        return text(self._c.name) or ""

    @property
    def source(self) -> str:
        """Provenance."""
        return text(self._c.source) or ""

    @property
    def crc32(self) -> int:
        """Of the canonical text."""
        return int(self._c.crc32)

    @property
    def price_upper(self) -> array[float] | None:
        """By resource, utility per unit, NAN where not given; None: not given at all."""
        return numbers(c_double, self._c.price_upper, self._c.n_resources)

    @property
    def price_lower(self) -> array[float] | None:
        return numbers(c_double, self._c.price_lower, self._c.n_resources)

    @property
    def price_floor(self) -> float | None:
        return None if math.isnan(self._c.price_floor) else float(self._c.price_floor)

    def price_bounds(self, policy: str) -> PriceBounds:
        """As run_online takes them: those that it gives, the rest computed from its jobs. InputError: they cross."""
        return bounds_of("berth_instance_price_bounds", self._owned.pointer, encode(policy, "policy"))

    @property
    def cluster(self) -> Cluster:
        """As a scheduler takes it."""
        view = _ffi.Cluster()
        lib.berth_instance_cluster(self._owned.pointer, byref(view))
        n = view.n_resources
        machines = texts(view.machines, view.n_machines) or ()
        quotas = {str(text(quota.tenant)): quota.amount[:n] for quota in view.quotas[:view.n_quotas]}
        return Cluster(slot_seconds=view.slot_seconds, horizon_slots=view.horizon_slots,
                       resources=texts(view.resources, n) or (), quotas=quotas,
                       machines={name: view.capacity[i * n:(i + 1) * n] for i, name in enumerate(machines)})

    @property
    def jobs(self) -> tuple[Job, ...]:
        """In the order of the file."""
        n = self._c.n_resources
        return tuple(_job(job, n) for job in self._c.jobs[:self._c.n_jobs])


def _job(c: Any, n: int) -> Job:
    utility = record(Utility, c.utility, kind=UtilityKind(c.utility.kind), theta=tuple(c.utility.theta),
                     steps=tuple((s.delay_slots, s.value) for s in c.utility.steps[:c.utility.n_steps]))
    return record(Job, c, utility=utility, worker=c.worker[:n], ps=c.ps[:n] if c.ps else None,
                  allow=texts(c.allow, c.n_allow) or (), avoid=texts(c.avoid, c.n_avoid) or ())


@dataclass(frozen=True)
class GeneratePdorsOptions:
    """See berth_generate_pdors_options in berth_io.h."""

    seed: int = 1
    machines: int = 20
    jobs: int = 0  # 0: as many as `load` asks for
    load: float = 1.0
    slots: int = 20
    arrivals: Arrivals = Arrivals.UNIFORM
    communication: float = 0.1
    heterogeneous: bool = False
    max_workers: int = 0  # 0: twice the machines, at most 200
    mix: tuple[int, int, int] = (10, 55, 35)  # percent insensitive, sensitive, critical to delay


def generate_pdors(options: GeneratePdorsOptions | None = None) -> Instance:
    """The random setting of Yu et al. (2022), section V, made usable."""
    c_options = _ffi_io.GeneratePdorsOptions()
    lib.berth_generate_pdors_options_init(byref(c_options))
    options = GeneratePdorsOptions() if options is None else options
    fill(c_options, options, "options/")
    c_options.mix[:] = options.mix
    return Instance(owned_result(_ffi_io.Instance, lib.berth_instance_free, "berth_generate_pdors", byref(c_options)))


# ---- runs ----


@dataclass(frozen=True)
class RunJob:
    id: str
    admitted: bool
    outcome: JobOutcome
    reason: str
    promised_slot: int | None
    completion_slot: int | None
    delay_slots: int | None
    utility: float
    payoff: float | None
    payoff_bound: float | None
    price_paid: float | None
    slots: tuple[SlotPlan, ...]


@dataclass(frozen=True)
class RunBounds:
    """No schedule whatsoever earns more; None: not computed."""

    dual: float | None
    arrival_dual: float | None
    lp: float | None
    exact: float | None
    best: float | None
    ratio: float | None
    void_because: str | None


@dataclass(frozen=True)
class RoundingSummary:
    problems: float
    solved: float
    repaired: float
    draws: float
    guarantee_held: float
    why_not: str | None
    scale: float | None
    cost_factor: float | None
    cover_factor: float | None
    pack_factor: float | None
    probability: float | None


@dataclass(frozen=True)
class PlacementSummary:
    slots: float
    proved: float
    worst_gap: float | None
    mean_gap: float | None


@dataclass(frozen=True)
class EstimationSummary:
    """What estimation errors did in a run with noise."""

    early: int
    late: int
    unfinished: int
    promises_kept: int
    promises_broken: int
    mean_overrun_slots: float | None
    worst_overrun_slots: float | None


@dataclass(frozen=True)
class RunSummary:
    jobs: int
    admitted: int
    completed: int
    utility: float | None
    mean_delay_slots: float | None
    median_delay_slots: float | None
    makespan_slots: int
    utilisation: array[float] | None  # by resource; NAN: no capacity


@dataclass(frozen=True)
class Certificate:
    """Prices for which the dual bound was evaluated: [horizon][class of machines][resource], utility per unit."""

    class_of_machine: array[int]
    prices: array[float]


@dataclass(frozen=True)
class Run:
    """See berth_run in berth_io.h."""

    instance: str
    instance_crc32: int
    policy: str
    seed: int
    solver: str | None
    levels: int
    delta: float | None
    favour: str | None
    scale: str | None
    trials: int
    repair: bool
    restart_delay_s: float
    noise: float
    effort: Effort
    fifo_workers: int
    dorm_fairness: float | None
    dorm_adjust: float | None
    stopped: bool
    price_upper: array[float] | None
    price_lower: array[float] | None
    price_floor: float | None
    price_floored: bool
    price_oracle: bool
    closed_form_ratio: float | None
    closed_form_why_not: str | None
    utility: float
    bounds: RunBounds
    certificate: Certificate | None
    rounding: RoundingSummary | None
    placement: PlacementSummary | None
    truth: tuple[tuple[float, float], ...] | None  # (speed, work) over what was declared, by job
    estimation: EstimationSummary | None
    jobs: tuple[RunJob, ...]  # in the instance's order
    summary: RunSummary
    versions: dict[str, str]
    _owned: Owned = field(repr=False, compare=False)


def run_online(instance: Instance, options: Options | None = None) -> Run:
    """Replays the instance's jobs in order of arrival under a policy, and certifies the run."""
    c_options, installed = options_struct(options)
    out = POINTER(_ffi_io.Run)()
    with installed:
        call("berth_run_online", instance._owned.pointer, byref(c_options), byref(out), None)
        owned = Owned(out, lib.berth_run_free)
    return _run(owned, instance)


def check(instance: Instance, run: Run, hooks: Hooks | None = None) -> Report:
    """Everything the run claims, again, from the instance and the run alone."""
    return report_of("berth_check", hooks, instance._owned.pointer, run._owned.pointer)


def read_run(path: str | os.PathLike[str], instance: Instance,
             certificate: str | os.PathLike[str] | None = None) -> Run:
    """`certificate`: where write_run put it, if not into the result. MismatchError: of another instance."""
    owned = owned_result(_ffi_io.Run, lib.berth_run_free, "berth_run_read", path_bytes(path), instance._owned.pointer)
    if certificate is not None:
        call("berth_run_read_certificate", owned.pointer, instance._owned.pointer, path_bytes(certificate))
    return _run(owned, instance)


def write_run(run: Run, instance: Instance, path: str | os.PathLike[str],
              certificate: str | os.PathLike[str] | None = None) -> None:
    """ArgumentError: the certificate has more than 100,000 numbers and no path of its own."""
    call("berth_run_write", run._owned.pointer, instance._owned.pointer, path_bytes(path),
         None if certificate is None else path_bytes(certificate))


def _run(owned: Owned, instance: Instance) -> Run:
    c = owned.pointer.contents
    n = c.n_resources
    jobs = tuple(
        record(RunJob, job, outcome=JobOutcome(job.outcome), promised_slot=slot(job.promised_slot),
               completion_slot=slot(job.completion_slot), delay_slots=slot(job.delay_slots),
               slots=slot_plans(job.slots, job.n_slots))
        for job in c.jobs[:c.n_jobs])
    return record(
        Run, c, effort=Effort(c.effort), price_upper=numbers(c_double, c.price_upper, n),
        price_lower=numbers(c_double, c.price_lower, n), bounds=record(RunBounds, c.bounds),
        certificate=_certificate(c.certificate, instance), rounding=_rounding(c.rounding),
        placement=record(PlacementSummary, c.placement.contents) if c.placement else None,
        estimation=record(EstimationSummary, c.estimation.contents) if c.estimation else None,
        truth=tuple((t.speed, t.work) for t in c.truth[:c.n_jobs]) if c.truth else None, jobs=jobs,
        summary=record(RunSummary, c.summary, utilisation=numbers(c_double, c.summary.utilisation, n)),
        versions=versions(c), _owned=owned)


def _certificate(pointer: Any, instance: Instance) -> Certificate | None:
    if not pointer:
        return None
    c, i = pointer.contents, instance._c
    return Certificate(some_numbers(c_int, c.class_of_machine, i.n_machines),
                       some_numbers(c_double, c.prices, i.horizon_slots * c.n_classes * i.n_resources))


def _rounding(pointer: Any) -> RoundingSummary | None:
    if not pointer:
        return None
    promise = pointer.contents.promise
    of_promise = {name: None if math.isnan(value) else value
                  for name, value in ((name, getattr(promise, name)) for name, _ in promise._fields_)}
    return record(RoundingSummary, pointer.contents, **of_promise)


# ---- formats ----


def file_format(path: str | os.PathLike[str]) -> str:
    """What the `format` field of a JSON file says, "" if there is none."""
    room = create_string_buffer(32)
    lib.berth_file_format(path_bytes(path), room)
    return room.value.decode(errors="replace")


def schema(format: str) -> str | None:
    """JSON Schema of a format by name ("berth-jobs-1"); None if unknown."""
    return text(lib.berth_schema(encode(format, "format")))


def schema_names() -> tuple[str, ...]:
    return names(lib.berth_schema_names())
