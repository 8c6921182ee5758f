"""The placement model: clusters, jobs, utilities, options, price bounds and decisions."""
from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from ctypes import byref, c_double, sizeof
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Union

from . import _ffi
from ._convert import Arena, encode, fill, names, record, slot, some_numbers, text
from ._library import call, lib
from .hooks import Backends, Hooks, Installed, fill_common

#: Of each resource by name, or in the order of the cluster's resources.
Amounts = Union[Mapping[str, float], Sequence[float]]


class Outcome(IntEnum):
    """What became of a problem, apart from whether the call worked."""

    OPTIMAL = 0
    FEASIBLE = 1
    APPROXIMATE = 2
    INFEASIBLE = 3
    UNBOUNDED = 4
    LIMIT = 5
    NUMERIC = 6


class UtilityKind(IntEnum):
    SIGMOID = 0
    CONSTANT = 1
    LINEAR = 2
    DEADLINE = 3
    STEPS = 4


class Favour(IntEnum):
    COVER = 0
    PACKING = 1


class ScaleRule(IntEnum):
    """How the factor G of randomised rounding is chosen."""

    AUTO = 0
    PAPER = 1
    GIVEN = 2


class Bound(IntEnum):
    """What a run is measured against; each includes those before it."""

    NONE = 0
    DUAL = 1
    LP = 2
    EXACT = 3


class Effort(IntEnum):
    LOW = 0
    MEDIUM = 1
    HIGH = 2


class Locality(IntEnum):
    INTERNAL = 0
    EXTERNAL = 1


@dataclass(frozen=True)
class Utility:
    """Utility of completing so many slots after arrival; see the functions that make one."""

    kind: UtilityKind
    theta: tuple[float, float, float] = (0.0, 0.0, 0.0)
    value: float = 0.0
    deadline_slots: float = 0.0
    steps: tuple[tuple[float, float], ...] = ()  # (delay_slots, value)

    @classmethod
    def sigmoid(cls, size: float, slope: float, middle: float) -> Utility:
        """size / (1 + exp(slope (d - middle)))"""
        return cls(UtilityKind.SIGMOID, theta=(size, slope, middle))

    @classmethod
    def constant(cls, value: float) -> Utility:
        return cls(UtilityKind.CONSTANT, value=value)

    @classmethod
    def linear(cls, value: float, deadline_slots: float) -> Utility:
        """max(0, value (1 - d / deadline_slots))"""
        return cls(UtilityKind.LINEAR, value=value, deadline_slots=deadline_slots)

    @classmethod
    def deadline(cls, value: float, deadline_slots: float) -> Utility:
        """value until the deadline, then 0"""
        return cls(UtilityKind.DEADLINE, value=value, deadline_slots=deadline_slots)

    @classmethod
    def by_steps(cls, steps: Iterable[tuple[float, float]]) -> Utility:
        """The value of the first (delay_slots, value) with delay_slots >= d; 0 after the last."""
        return cls(UtilityKind.STEPS, steps=tuple(steps))


@dataclass(frozen=True, kw_only=True)
class Job:
    """One training job. Work is epochs x samples; a slot's workers each process samples at

        1 / (sample_seconds + workers_per_ps x 2 x gradient_mb / (batch x bandwidth)) samples a second

    with the internal bandwidth if all of the slot's workers and parameter servers are on one machine, else the
    external one. With all_reduce there are no parameter servers and the factor workers_per_ps is 1."""

    id: str
    epochs: float
    samples: float  # per epoch
    batch: float  # samples a worker processes between two pushes
    sample_seconds: float  # of one sample on one worker
    gradient_mb: float
    bandwidth_internal_mb_s: float
    bandwidth_external_mb_s: float
    worker: Amounts  # demand of one worker
    utility: Utility
    ps: Amounts | None = None  # demand of one parameter server; None if all_reduce
    workers_per_ps: float = 1.0  # most workers that one parameter server serves
    all_reduce: bool = False
    arrival_slot: int = 0  # the first slot in which it may run
    max_workers: int = 0  # 0: floor(batch)
    tenant: str | None = None
    allow: tuple[str, ...] = ()  # machine-name globs; (): every machine
    avoid: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Cluster:
    slot_seconds: float
    horizon_slots: int
    resources: Sequence[str]
    machines: Mapping[str, Amounts]  # capacity by name; a resource that is not named is 0
    quotas: Mapping[str, Amounts] = field(default_factory=dict)  # by tenant; what is not named is unlimited


def _effort_of(value: Effort | str) -> Effort:
    by_name = {effort.name.lower(): effort for effort in Effort}
    try:
        return by_name[value] if isinstance(value, str) else Effort(value)
    except (KeyError, ValueError):
        raise ValueError(f"effort is {value!r}; expected a berth.Effort, or one of {', '.join(by_name)}") from None


@dataclass(frozen=True, kw_only=True)
class Options:
    """See berth_options in berth.h. `hooks` and `backends` are kept by what they are given to."""

    policy: str = "bidlp"  # one of policy_names()
    solver: str = "auto"
    seed: int = 1
    threads: int = 0  # 0: all processors
    time_limit_s: float = math.inf
    levels: int = 200
    delta: float = 0.1
    favour: Favour = Favour.COVER
    scale_rule: ScaleRule = ScaleRule.AUTO
    scale: float = 1.0
    trials: int = 16
    repair: bool = False
    effort: Effort | str = Effort.MEDIUM  # or "low", "medium", "high", which become one
    fifo_workers: int = 0
    bound: Bound = Bound.DUAL
    bound_gap: float = 0.005
    dorm_fairness: float = 0.1
    dorm_adjust: float = 0.1
    restart_delay_s: float = 0.0
    noise: float = 0.0
    rolling: bool = False  # the horizon is always horizon_slots from the present slot on
    backends: Backends | None = None
    hooks: Hooks | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "effort", _effort_of(self.effort))


@dataclass(frozen=True)
class PriceBounds:
    """Bounds of the exponential price function by resource, in utility per share of the cluster's total."""

    upper: Sequence[float]
    lower: Sequence[float]
    floor: float = 0.0
    floored: bool = False


@dataclass(frozen=True)
class Placement:
    machine: int  # index
    workers: int
    ps: int


@dataclass(frozen=True)
class SlotPlan:
    slot: int
    locality: Locality
    samples: float  # progress made in the slot
    placements: tuple[Placement, ...]  # by increasing machine


@dataclass(frozen=True)
class Decision:
    number: int  # of the submission, from 0
    admitted: bool
    reason: str
    promised_slot: int | None  # it completes no later; None if rejected
    completion_slot: int | None  # by the plan
    utility: float  # 0 if rejected
    payoff: float | None  # of the best plan; None: there is no plan
    payoff_bound: float | None
    price_paid: float | None  # None in present plans
    slots: tuple[SlotPlan, ...]  # by increasing slot


def policy_names() -> tuple[str, ...]:
    """The default comes first."""
    return names(lib.berth_policy_names())


def policy_about(name: str) -> str | None:
    """What a policy does, in a line; None if there is none of that name."""
    return text(lib.berth_policy_about(encode(name, "name")))


def policy_promises(name: str) -> bool:
    """Does it decide a job for good at arrival, and complete every job it admits?"""
    return bool(lib.berth_policy_promises(encode(name, "name")))


def effort_name(effort: Effort) -> str:
    return str(lib.berth_effort_name(effort).decode())


def price_bounds(cluster: Cluster, jobs: Sequence[Job], floor: float = 0.0) -> PriceBounds:
    """Price bounds of jobs that are like those to come; floor 0: 1e-12. See berth_price_bounds_compute."""
    arena = Arena()
    c_cluster = cluster_struct(arena, cluster)
    c_jobs = job_structs(arena, jobs, cluster.resources)
    return bounds_of("berth_price_bounds_compute", byref(c_cluster), c_jobs, len(jobs), floor)


def bounds_of(name: str, *arguments: Any) -> PriceBounds:
    """Calls a function whose last arguments are price bounds to fill, and the error."""
    out = _ffi.PriceBounds(struct_size=sizeof(_ffi.PriceBounds))
    try:
        call(name, *arguments, byref(out))
        return record(PriceBounds, out, upper=some_numbers(c_double, out.upper, out.n_resources),
                      lower=some_numbers(c_double, out.lower, out.n_resources))
    finally:
        lib.berth_price_bounds_clear(byref(out))


# ---- to C ----


def amounts(values: Amounts, resources: Sequence[str], where: str, otherwise: float = 0.0) -> Sequence[float]:
    """In the order of resources."""
    if not isinstance(values, Mapping):
        return values
    unknown = [name for name in values if name not in resources]
    if unknown:
        raise ValueError(f"{where}: no resource {unknown[0]!r}; there are {', '.join(resources)}")
    return [values.get(name, otherwise) for name in resources]


def cluster_struct(arena: Arena, cluster: Cluster) -> _ffi.Cluster:
    out = _ffi.Cluster()
    lib.berth_cluster_init(byref(out))
    n = len(cluster.resources)
    rows = array("d")
    for name, capacity in cluster.machines.items():
        row = array("d", amounts(capacity, cluster.resources, f"machines/{name}"))
        if len(row) != n:
            raise ValueError(f"machines/{name} has {len(row)} amounts; expected {n}")
        rows.extend(row)
    fill(out, cluster, "cluster/")
    out.n_resources = n
    out.resources = arena.texts(cluster.resources, "resources")
    out.n_machines = len(cluster.machines)
    out.machines = arena.texts(cluster.machines, "machines")
    out.capacity = arena.numbers(c_double, rows, "capacity")
    out.n_quotas = len(cluster.quotas)
    out.quotas = _quota_structs(arena, cluster, n)
    return out


def _quota_structs(arena: Arena, cluster: Cluster, n: int) -> Any:
    def fill_one(entry: Any, quota: tuple[str, Amounts], _index: int) -> None:
        tenant, most = quota
        where = f"quotas/{tenant}"
        entry.tenant = encode(tenant, where)
        entry.amount = arena.numbers(c_double, amounts(most, cluster.resources, where, math.inf), where, n)

    return arena.structs(_ffi.Quota, list(cluster.quotas.items()), fill_one)


def utility_struct(arena: Arena, utility: Utility, out: _ffi.Utility) -> None:
    fill(out, utility, "utility/")
    out.theta = (c_double * 3)(*utility.theta)
    out.n_steps = len(utility.steps)
    out.steps = arena.structs(_ffi.Step, utility.steps, _fill_step)


def _fill_step(out: Any, step: tuple[float, float], _index: int) -> None:
    out.delay_slots, out.value = step


def fill_job(arena: Arena, out: _ffi.Job, job: Job, resources: Sequence[str]) -> None:
    if not isinstance(job, Job):
        raise TypeError(f"a job is {job!r}; expected a berth.Job")
    where = f"job {job.id}: "
    lib.berth_job_init(byref(out))
    fill(out, job, where)
    n = len(resources)
    out.worker = arena.numbers(c_double, amounts(job.worker, resources, where + "worker"), where + "worker", n)
    if job.ps is not None:
        out.ps = arena.numbers(c_double, amounts(job.ps, resources, where + "ps"), where + "ps", n)
    utility_struct(arena, job.utility, out.utility)
    out.n_allow, out.allow = len(job.allow), arena.texts(job.allow, where + "allow")
    out.n_avoid, out.avoid = len(job.avoid), arena.texts(job.avoid, where + "avoid")


def job_structs(arena: Arena, jobs: Sequence[Job], resources: Sequence[str]) -> Any:
    """A pointer to them, NULL if there are none."""
    return arena.structs(_ffi.Job, jobs, lambda out, job, _index: fill_job(arena, out, job, resources))


def bounds_struct(arena: Arena, bounds: PriceBounds | None, n: int) -> Any:
    """NULL for None."""
    if bounds is None:
        return None
    out = arena.keep(_ffi.PriceBounds(struct_size=sizeof(_ffi.PriceBounds), n_resources=n))
    fill(out, bounds, "bounds/")
    out.upper = arena.numbers(c_double, bounds.upper, "bounds/upper", n)
    out.lower = arena.numbers(c_double, bounds.lower, "bounds/lower", n)
    return byref(out)


def options_struct(options: Options | None) -> tuple[_ffi.Options, Installed]:
    out = _ffi.Options()
    lib.berth_options_init(byref(out))
    options = Options() if options is None else options
    fill(out, options, "options/")
    return out, fill_common(out, options)


# ---- from C ----


def slot_plans(pointer: Any, count: int) -> tuple[SlotPlan, ...]:
    return tuple(
        SlotPlan(plan.slot, Locality(plan.locality), plan.samples,
                 tuple(Placement(p.machine, p.workers, p.ps) for p in plan.placements[:plan.n_placements]))
        for plan in pointer[:count])


def decision_of(out: Any) -> Decision:
    return record(Decision, out, promised_slot=slot(out.promised_slot), completion_slot=slot(out.completion_slot),
                  slots=slot_plans(out.slots, out.n_slots))
