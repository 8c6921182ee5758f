"""Goodput of adaptive training jobs, and who gets which GPUs for the next round (after Pollux and Sia)."""
from __future__ import annotations

import math
import os
from array import array
from collections.abc import Sequence
from ctypes import POINTER, byref, c_double, c_size_t, c_uint32, pointer
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any

from . import _ffi_goodput
from ._convert import Arena, Owned, checked, fill, numbers, path_bytes, record, texts
from ._library import call, lib
from .hooks import Backends, Hooks, Installed, fill_common
from .model import Outcome
from .report import Report, owned_result, report_of

__all__ = [
    "AllocateOptions", "AllocatedJob", "Allocation", "Allocator", "BatchMode", "Fair", "Fit", "FitWarning",
    "GenerateOptions", "Instance", "Job", "JobOption", "Measurement", "NodeGpus", "Point", "Profile", "Rules",
    "allocate", "allocator_name", "at", "best", "check_allocation", "fit", "generate", "read_allocation",
    "read_measurements", "table", "write_allocation",
]


def __dir__() -> list[str]:
    return __all__


class BatchMode(IntEnum):
    """How batch size and accumulation are chosen."""

    GRID = 0  # as Pollux does
    EXACT = 1  # the best of all


class FitWarning(IntFlag):
    """What measurements could not tell."""

    NO_SINGLE = 1
    NO_LOCAL = 2
    NO_SPREAD = 4
    ONE_LOCAL = 8
    FEW_LOCAL = 16
    FEW_SPREAD = 32
    AT_BOUND = 64
    POOR = 128
    UNCONVERGED = 256


class Fair(IntEnum):
    NODE = 0
    SPREAD = 1


class Rules(IntEnum):
    POLLUX = 0
    SIA = 1


class Allocator(IntEnum):
    BERTH = 0
    GENETIC = 1
    OPTIMUS = 2
    TIRESIAS = 3
    GAVEL_MAXSUM = 4
    SIA = 5


# ---- one job ----


@dataclass(frozen=True, kw_only=True)
class Profile:
    """See berth_goodput_profile in berth_goodput.h, which has the formulas."""

    alpha_c: float = 0.0
    beta_c: float = 0.0
    alpha_n: float = 0.0
    beta_n: float = 0.0
    alpha_r: float = 0.0
    beta_r: float = 0.0
    gamma: float = 1.0
    m0: float = 1.0
    max_batch: float = 1.0
    min_local: float = 1.0
    max_local: float = 1.0
    accumulation: bool = True
    grad_sqr: float = 0.0
    grad_var: float = 0.0

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Profile:
        """berth-profile-1."""
        out = _ffi_goodput.GoodputProfile()
        lib.berth_goodput_profile_init(byref(out))
        call("berth_goodput_profile_read", path_bytes(path), byref(out))
        return record(cls, out)

    def write(self, path: str | os.PathLike[str]) -> None:
        call("berth_goodput_profile_write", byref(_profile_struct(self)), path_bytes(path))


@dataclass(frozen=True)
class Point:
    goodput: float  # samples a second at the efficiency of m0; 0: the job cannot run so
    local: int  # m
    accumulation: int  # s
    batch: float  # M
    step_s: float
    throughput: float
    efficiency: float


def _profile_struct(profile: Profile) -> _ffi_goodput.GoodputProfile:
    out = _ffi_goodput.GoodputProfile()
    _fill_profile(out, profile)
    return out


def _fill_profile(out: _ffi_goodput.GoodputProfile, profile: Profile) -> None:
    lib.berth_goodput_profile_init(byref(out))
    fill(out, profile, "profile/")


def _counts(**values: int) -> list[int]:
    return [checked(c_uint32, value, name) for name, value in values.items()]


def at(profile: Profile, nodes: int, replicas: int, local: int, accumulation: int = 0) -> Point:
    """Goodput at a given local batch m and accumulation s."""
    out = _ffi_goodput.GoodputPoint()
    call("berth_goodput_at", byref(_profile_struct(profile)),
         *_counts(nodes=nodes, replicas=replicas, local=local, accumulation=accumulation), byref(out))
    return record(Point, out)


def best(profile: Profile, nodes: int, replicas: int, mode: BatchMode = BatchMode.GRID) -> Point:
    """The best m and s; that there are none is a point of goodput 0."""
    out = _ffi_goodput.GoodputPoint()
    call("berth_goodput_best", byref(_profile_struct(profile)), mode, *_counts(nodes=nodes, replicas=replicas),
         byref(out))
    return record(Point, out)


def table(profile: Profile, replicas: int, mode: BatchMode = BatchMode.GRID) -> tuple[list[Point], list[Point]]:
    """All that goodput can be with 1 .. replicas replicas: on one node, and on several."""
    replicas = checked(c_uint32, replicas, "replicas")
    local, spread = (_ffi_goodput.GoodputPoint * replicas)(), (_ffi_goodput.GoodputPoint * replicas)()
    call("berth_goodput_table", byref(_profile_struct(profile)), mode, replicas, local, spread)
    return [record(Point, point) for point in local], [record(Point, point) for point in spread]


# ---- parameters from measurements ----


@dataclass(frozen=True)
class Measurement:
    nodes: int
    replicas: int
    local: int
    step_s: float
    sync_s: float


@dataclass(frozen=True)
class Fit:
    alpha_c: float
    beta_c: float
    alpha_n: float
    beta_n: float
    alpha_r: float
    beta_r: float
    gamma: float
    objective: float
    step_error: float  # mean of |fitted / measured - 1|
    worst_error: float
    worst: int
    warnings: FitWarning
    fitted: array[float]  # step times


def fit(measurements: Sequence[Measurement], hooks: Hooks | None = None) -> Fit:
    """The parameters of a profile that explain measured steps best."""
    arena = Arena()
    c_measurements = arena.structs(_ffi_goodput.Measurement, measurements,
                                   lambda out, measurement, index: fill(out, measurement, f"/{index}/"))
    with Installed(hooks) as installed:
        owned = owned_result(_ffi_goodput.GoodputFit, lib.berth_goodput_fit_free, "berth_goodput_fit_new",
                             c_measurements, len(measurements), byref(installed.struct))
    c = owned.pointer.contents
    return record(Fit, c, warnings=FitWarning(c.warnings), fitted=numbers(c_double, c.fitted, len(measurements)))


def read_measurements(path: str | os.PathLike[str]) -> list[Measurement]:
    """CSV with the columns num_nodes, num_replicas, local_bsz, step_time, sync_time."""
    out, n = POINTER(_ffi_goodput.Measurement)(), c_size_t()
    try:
        call("berth_measurements_read", path_bytes(path), byref(out), byref(n))
        return [record(Measurement, measurement) for measurement in out[:n.value]]
    finally:
        lib.berth_measurements_free(out)


# ---- allocation ----


@dataclass(frozen=True)
class NodeGpus:
    node: int
    gpus: int


@dataclass(frozen=True)
class JobOption:
    """What a job makes of exactly so many GPUs on so many nodes, where no profile of it is known."""

    gpu_type: int
    nodes: int
    gpus: int
    value: float


@dataclass(frozen=True, kw_only=True)
class Job:
    """Exactly one of profile, typed and options. See berth_goodput_job in berth_goodput.h."""

    id: str | None = None
    profile: Profile | None = None  # the same on any type of GPU
    typed: Sequence[Profile] | None = None  # by type; alpha_c = beta_c = 0: not on this one
    options: Sequence[JobOption] = ()
    age_s: float = 0.0
    restarts: int = 0
    current: Sequence[NodeGpus] = ()  # GPUs held now, by ascending node
    min_replicas: int = 0
    max_replicas: int = 0  # 0: min(64, max_batch / min_local)
    pinned: bool = False
    attained_gpu_s: float = 0.0
    requested: int = 0
    remaining_samples: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Instance:
    """A cluster and its jobs. See berth_goodput_instance in berth_goodput.h."""

    gpus: Sequence[int]  # by node
    jobs: Sequence[Job]
    gpu_type: Sequence[int] | None = None  # by node; None: all 0
    n_types: int = 1
    name: str | None = None
    source: str | None = None
    node_names: Sequence[str] | None = None
    type_names: Sequence[str] | None = None
    p: float = -1.0  # power of the mean
    fair: Fair = Fair.NODE
    restart_s: float = 30.0
    rules: Rules = Rules.POLLUX
    round_s: float = 60.0
    lambda_none: float = 1.1
    crc32: int = field(default=0, init=False, repr=False)  # of what was read from a file

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Instance:
        """berth-goodput-1."""
        return _instance(owned_result(_ffi_goodput.GoodputInstance, lib.berth_goodput_instance_free,
                                      "berth_goodput_instance_read", path_bytes(path)))

    @classmethod
    def parse(cls, content: str | bytes) -> Instance:
        content = content.encode() if isinstance(content, str) else content
        return _instance(owned_result(_ffi_goodput.GoodputInstance, lib.berth_goodput_instance_free,
                                      "berth_goodput_instance_parse", content, len(content)))

    def write(self, path: str | os.PathLike[str]) -> None:
        arena = Arena()
        call("berth_goodput_instance_write", byref(_instance_struct(arena, self)), path_bytes(path))


@dataclass(frozen=True, kw_only=True)
class AllocateOptions:
    """See berth_allocate_options in berth_goodput.h."""

    allocator: Allocator = Allocator.BERTH
    mode: BatchMode = BatchMode.GRID
    solver: str = "auto"
    starve_last: bool = True  # fewest jobs without GPUs first
    prove: bool = False
    seed: int = 1
    time_limit_s: float = math.inf
    backends: Backends | None = None
    hooks: Hooks | None = None


@dataclass(frozen=True)
class AllocatedJob:
    nodes: tuple[NodeGpus, ...]  # (): starved
    replicas: int
    local: int
    accumulation: int
    goodput: float
    speedup: float
    kept: bool  # the present allocation


@dataclass(frozen=True)
class Allocation:
    """See berth_allocation in berth_goodput.h."""

    outcome: Outcome
    jobs: tuple[AllocatedJob, ...]
    fitness: float | None
    bound: float | None
    search_bound: float | None
    ratio: float | None
    starved: int
    starved_bound: int
    prices: array[float] | None  # of a GPU by type
    starve_price: float | None
    serve_prices: array[float] | None
    allocator: Allocator
    mode: BatchMode
    p: float
    seed: int
    starve_last: bool
    stopped: bool
    node_level: bool
    local_prices: array[float] | None  # of k GPUs of a type at [type * n_sizes + k - 1], in place of prices
    spread_prices: array[float] | None
    _owned: Owned = field(repr=False, compare=False)


def allocator_name(allocator: Allocator) -> str:
    return str(lib.berth_allocator_name(allocator).decode())


def allocate(instance: Instance, options: AllocateOptions | None = None) -> Allocation:
    """Who gets which GPUs for the next round, and a bound on any other allocation."""
    arena = Arena()
    c_instance = _instance_struct(arena, instance)
    c_options = _ffi_goodput.AllocateOptions()
    lib.berth_allocate_options_init(byref(c_options))
    options = AllocateOptions() if options is None else options
    fill(c_options, options, "options/")
    with fill_common(c_options, options):
        return _allocation(owned_result(_ffi_goodput.Allocation, lib.berth_allocation_free, "berth_allocate",
                                        byref(c_instance), byref(c_options)))


def check_allocation(instance: Instance, allocation: Allocation, hooks: Hooks | None = None) -> Report:
    """Every claim of an allocation again."""
    arena = Arena()
    return report_of("berth_check_allocation", hooks, byref(_instance_struct(arena, instance)),
                     allocation._owned.pointer)


def read_allocation(path: str | os.PathLike[str], instance: Instance) -> Allocation:
    """berth-allocation-1. MismatchError: of another instance."""
    arena = Arena()
    return _allocation(owned_result(_ffi_goodput.Allocation, lib.berth_allocation_free, "berth_allocation_read",
                                    path_bytes(path), byref(_instance_struct(arena, instance))))


def write_allocation(allocation: Allocation, instance: Instance, path: str | os.PathLike[str]) -> None:
    arena = Arena()
    call("berth_allocation_write", allocation._owned.pointer, byref(_instance_struct(arena, instance)),
         path_bytes(path))


@dataclass(frozen=True)
class GenerateOptions:
    """See berth_generate_goodput_options in berth_goodput.h."""

    seed: int = 1
    nodes: int = 16
    gpus: int = 4
    types: int = 1
    jobs: int = 0  # 0: 2.5 for each node
    warm: float = 0.5
    pinned: float = 0.0
    p: float = -1.0


def generate(options: GenerateOptions | None = None) -> Instance:
    """A random cluster with jobs of the profiles of the Pollux paper."""
    c_options = _ffi_goodput.GenerateGoodputOptions()
    lib.berth_generate_goodput_options_init(byref(c_options))
    fill(c_options, GenerateOptions() if options is None else options, "options/")
    return _instance(owned_result(_ffi_goodput.GoodputInstance, lib.berth_goodput_instance_free,
                                  "berth_generate_goodput", byref(c_options)))


# ---- to C and back ----


def _node_gpus(arena: Arena, nodes: Sequence[NodeGpus], where: str) -> Any:
    return arena.structs(_ffi_goodput.NodeGpus, nodes, lambda out, node, index: fill(out, node, f"{where}{index}/"))


def _fill_job(arena: Arena, out: _ffi_goodput.GoodputJob, job: Job, index: int, n_types: int) -> None:
    where = f"/jobs/{index}/"
    if job.typed is not None and len(job.typed) != n_types:
        raise ValueError(f"{where}typed has {len(job.typed)} profiles; expected {n_types}")
    lib.berth_goodput_job_init(byref(out))
    fill(out, job, where)
    out.n_current, out.current = len(job.current), _node_gpus(arena, job.current, where + "current/")
    if job.profile is not None:
        out.profile = pointer(arena.keep(_profile_struct(job.profile)))
    if job.typed is not None:
        out.typed = arena.structs(_ffi_goodput.GoodputProfile, job.typed,
                                  lambda entry, profile, _index: _fill_profile(entry, profile))
    out.n_options = len(job.options)
    out.options = arena.structs(_ffi_goodput.GoodputOption, job.options,
                                lambda entry, option, at: fill(entry, option, f"{where}options/{at}/"))


def _instance_struct(arena: Arena, instance: Instance) -> _ffi_goodput.GoodputInstance:
    out = _ffi_goodput.GoodputInstance()
    lib.berth_goodput_instance_init(byref(out))
    fill(out, instance)
    n = len(instance.gpus)
    out.n_nodes, out.n_jobs = n, len(instance.jobs)
    out.gpus = arena.numbers(c_uint32, instance.gpus, "gpus")
    out.gpu_type = arena.numbers(c_size_t, instance.gpu_type, "gpu_type", n)
    out.node_names = arena.texts(instance.node_names, "node_names", n)
    out.type_names = arena.texts(instance.type_names, "type_names", instance.n_types)
    out.jobs = arena.structs(_ffi_goodput.GoodputJob, instance.jobs,
                             lambda entry, job, index: _fill_job(arena, entry, job, index, instance.n_types))
    return out


def nodes_of(start: Any, n: int) -> tuple[NodeGpus, ...]:
    return tuple(NodeGpus(node.node, node.gpus) for node in start[:n])


def _job(c: Any, n_types: int) -> Job:
    return record(
        Job, c, current=nodes_of(c.current, c.n_current),
        profile=record(Profile, c.profile.contents) if c.profile else None,
        typed=tuple(record(Profile, profile) for profile in c.typed[:n_types]) if c.typed else None,
        options=tuple(record(JobOption, option) for option in c.options[:c.n_options]))


def _instance(owned: Owned) -> Instance:
    c = owned.pointer.contents
    out = record(
        Instance, c, gpus=numbers(c_uint32, c.gpus, c.n_nodes), gpu_type=numbers(c_size_t, c.gpu_type, c.n_nodes),
        node_names=texts(c.node_names, c.n_nodes), type_names=texts(c.type_names, c.n_types), fair=Fair(c.fair),
        rules=Rules(c.rules), jobs=tuple(_job(job, c.n_types) for job in c.jobs[:c.n_jobs]))
    object.__setattr__(out, "crc32", c.crc32)
    owned.close()
    return out


def _allocation(owned: Owned) -> Allocation:
    c = owned.pointer.contents
    jobs = tuple(record(AllocatedJob, job, nodes=nodes_of(job.nodes, job.n_nodes)) for job in c.jobs[:c.n_jobs])
    return record(Allocation, c, outcome=Outcome(c.outcome), allocator=Allocator(c.allocator), mode=BatchMode(c.mode),
                  jobs=jobs, prices=numbers(c_double, c.prices, c.n_types),
                  serve_prices=numbers(c_double, c.serve_prices, c.n_types),
                  local_prices=numbers(c_double, c.local_prices, c.n_types * c.n_sizes),
                  spread_prices=numbers(c_double, c.spread_prices, c.n_types * c.n_sizes), _owned=owned)
