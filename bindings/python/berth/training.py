"""Simulation of jobs that train measured applications on a cluster, in rounds (section 5 of berth_goodput.h)."""
from __future__ import annotations

import math
import os
from array import array
from collections.abc import Sequence
from ctypes import byref, c_double, c_size_t, c_uint32
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from . import _ffi_goodput
from ._convert import (
    Arena, Owned, checked, fill, names, numbers, path_bytes, record, some_numbers, texts, vector,
)
from ._library import call, lib
from .goodput import Allocator, BatchMode, NodeGpus, nodes_of
from .hooks import Backends, Hooks, fill_common
from .report import Report, owned_result, report_of

__all__ = [
    "Application", "MeasuredPlacement", "MeasuredTraining", "Policy", "Run", "RunOptions", "Span", "TrainedJob",
    "TrainingJob", "Workload", "check_run", "policy_name", "policy_names", "read_run", "simulate", "write_run",
]


def __dir__() -> list[str]:
    return __all__


class Policy(IntEnum):
    POLLUX = 0
    SIA = 1
    TIRESIAS = 2
    OPTIMUS = 3
    HESRPT = 4


@dataclass(frozen=True)
class MeasuredPlacement:
    nodes: int
    replicas: int
    gpus: Sequence[int] | None  # replicas on each node, in the order of the ring; None: any placement of so many
    local: Sequence[int]  # m, ascending
    step_s: Sequence[float]
    sync_s: Sequence[float]


@dataclass(frozen=True)
class MeasuredTraining:
    """A whole training at one batch size, epoch by epoch."""

    batch: float
    progress: Sequence[float]
    iterations: Sequence[float]
    grad_sqr: Sequence[float]
    grad_var: Sequence[float]


@dataclass(frozen=True)
class Application:
    name: str
    m0: float
    max_batch: float
    min_local: float
    max_local: float
    accumulation: bool
    batch: float  # fixed for policies that adapt it; 0: theirs to choose
    max_replicas: int  # 0: no limit but min_local
    placements: Sequence[MeasuredPlacement]
    trainings: Sequence[MeasuredTraining]  # by ascending batch, the first of m0; equally many epochs

    @property
    def epochs(self) -> int:
        return len(self.trainings[0].progress)


@dataclass(frozen=True)
class TrainingJob:
    id: str
    submit_s: float
    application: int
    replicas: int = 1
    batch: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Workload:
    """See berth_goodput_workload in berth_goodput.h."""

    name: str
    gpus: Sequence[int]  # by node
    node_names: Sequence[str]
    type_names: Sequence[str]
    applications: Sequence[Application]
    jobs: Sequence[TrainingJob]
    gpu_type: Sequence[int] | None = None  # by node; None: all 0
    speed: Sequence[float] | None = None  # by type; None: all 1
    source: str | None = None
    round_s: float = 60.0
    restart_s: float = 30.0
    tick_s: float = 1.0
    crc32: int = field(default=0, init=False, repr=False)  # of what was read from a file

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Workload:
        """berth-goodput-jobs-1."""
        return _workload(owned_result(_ffi_goodput.GoodputWorkload, lib.berth_goodput_workload_free,
                                      "berth_goodput_workload_read", path_bytes(path)))

    @classmethod
    def read_pollux(cls, workload: str | os.PathLike[str], applications: str | os.PathLike[str], n_nodes: int,
                    gpus: int) -> Workload:
        """Pollux's files, see berth_goodput_import: a workload CSV, and a folder of applications or a
        berth-goodput-jobs-1 file that has them."""
        return _workload(owned_result(
            _ffi_goodput.GoodputWorkload, lib.berth_goodput_workload_free, "berth_goodput_import", path_bytes(workload),
            path_bytes(applications), checked(c_size_t, n_nodes, "n_nodes"), checked(c_uint32, gpus, "gpus")))

    def write(self, path: str | os.PathLike[str]) -> None:
        arena = Arena()
        call("berth_goodput_workload_write", byref(_workload_struct(arena, self)), path_bytes(path))


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """See berth_goodput_run_options in berth_goodput.h."""

    policy: Policy = Policy.POLLUX
    demote_gpu_s: float = 57600.0
    horizon_s: float = 1e8
    allocator: Allocator = Allocator.BERTH
    mode: BatchMode = BatchMode.GRID
    p: float | None = None  # None: the rules' own
    seed: int = 1
    time_limit_s: float = math.inf
    backends: Backends | None = None
    hooks: Hooks | None = None


@dataclass(frozen=True)
class Span:
    """From at_s on, until the next of the job."""

    at_s: float
    nodes: tuple[NodeGpus, ...]  # in the order of the ring; (): no GPUs
    placed: bool  # other GPUs than before
    local: int
    accumulation: int


@dataclass(frozen=True)
class TrainedJob:
    start_s: float | None
    completion_s: float | None
    restarts: int
    attained_gpu_s: float
    alone_s: float | None
    fairness: float | None
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Run:
    """See berth_goodput_run in berth_goodput.h. None: there is none."""

    workload: str
    workload_crc32: int
    policy: str
    allocator: str | None
    batches: str | None
    p: float | None
    demote_gpu_s: float | None
    horizon_s: float | None
    seed: int
    stopped: bool
    rounds: int
    end_s: float
    jobs: tuple[TrainedJob, ...]
    completed: int
    mean_s: float | None
    median_s: float | None
    p99_s: float | None
    makespan_s: float | None
    mean_fairness: float | None
    worst_fairness: float | None
    unfair: float | None
    restarts: int
    gpu_s: float
    utilisation: float
    _owned: Owned = field(repr=False, compare=False)


def policy_name(policy: Policy) -> str:
    return str(lib.berth_goodput_policy_name(policy).decode())


def policy_names() -> tuple[str, ...]:
    return names(lib.berth_goodput_policy_names())


def simulate(workload: Workload, options: RunOptions | None = None) -> Run:
    """A whole run of a policy."""
    arena = Arena()
    c_workload = _workload_struct(arena, workload)
    c_options = _ffi_goodput.GoodputRunOptions()
    lib.berth_goodput_run_options_init(byref(c_options))
    options = RunOptions() if options is None else options
    fill(c_options, options, "options/")
    with fill_common(c_options, options):
        return _run(owned_result(_ffi_goodput.GoodputRun, lib.berth_goodput_run_free, "berth_goodput_simulate",
                                 byref(c_workload), byref(c_options)))


def check_run(workload: Workload, run: Run, hooks: Hooks | None = None) -> Report:
    """A run again from its spans."""
    arena = Arena()
    return report_of("berth_check_goodput_run", hooks, byref(_workload_struct(arena, workload)), run._owned.pointer)


def read_run(path: str | os.PathLike[str], workload: Workload) -> Run:
    """berth-goodput-run-1."""
    arena = Arena()
    return _run(owned_result(_ffi_goodput.GoodputRun, lib.berth_goodput_run_free, "berth_goodput_run_read",
                             path_bytes(path), byref(_workload_struct(arena, workload))))


def write_run(run: Run, workload: Workload, path: str | os.PathLike[str]) -> None:
    arena = Arena()
    call("berth_goodput_run_write", run._owned.pointer, byref(_workload_struct(arena, workload)), path_bytes(path))


# ---- to C and back ----


def _fill_placement(arena: Arena, out: _ffi_goodput.MeasuredPlacement, placement: MeasuredPlacement, where: str) -> None:
    fill(out, placement, where)
    local = vector(c_uint32, placement.local, where + "local")
    out.n = len(local)
    out.local = arena.numbers(c_uint32, local, where + "local")
    out.gpus = arena.numbers(c_uint32, placement.gpus, where + "gpus", placement.nodes)
    out.step_s = arena.numbers(c_double, placement.step_s, where + "step_s", out.n)
    out.sync_s = arena.numbers(c_double, placement.sync_s, where + "sync_s", out.n)


def _fill_training(arena: Arena, out: _ffi_goodput.MeasuredTraining, training: MeasuredTraining, epochs: int,
                   where: str) -> None:
    out.batch = training.batch
    for name in ("progress", "iterations", "grad_sqr", "grad_var"):
        setattr(out, name, arena.numbers(c_double, getattr(training, name), where + name, epochs))


def _fill_application(arena: Arena, out: _ffi_goodput.Application, application: Application, where: str) -> None:
    fill(out, application, where)
    out.n_placements, out.n_trainings = len(application.placements), len(application.trainings)
    out.placements = arena.structs(
        _ffi_goodput.MeasuredPlacement, application.placements,
        lambda entry, placement, index: _fill_placement(arena, entry, placement, f"{where}placements/{index}/"))
    out.trainings = arena.structs(
        _ffi_goodput.MeasuredTraining, application.trainings,
        lambda entry, training, index: _fill_training(arena, entry, training, out.epochs, f"{where}trainings/{index}/"))


def _workload_struct(arena: Arena, workload: Workload) -> _ffi_goodput.GoodputWorkload:
    out = _ffi_goodput.GoodputWorkload()
    lib.berth_goodput_workload_init(byref(out))
    fill(out, workload)
    out.n_nodes, out.n_types = len(workload.gpus), len(workload.type_names)
    out.gpus = arena.numbers(c_uint32, workload.gpus, "gpus")
    out.gpu_type = arena.numbers(c_size_t, workload.gpu_type, "gpu_type", out.n_nodes)
    out.speed = arena.numbers(c_double, workload.speed, "speed", out.n_types)
    out.node_names = arena.texts(workload.node_names, "node_names", out.n_nodes)
    out.type_names = arena.texts(workload.type_names, "type_names")
    out.n_applications, out.n_jobs = len(workload.applications), len(workload.jobs)
    out.applications = arena.structs(
        _ffi_goodput.Application, workload.applications,
        lambda entry, application, index: _fill_application(arena, entry, application, f"/applications/{index}/"))
    out.jobs = arena.structs(_ffi_goodput.TrainingJob, workload.jobs,
                             lambda entry, job, index: fill(entry, job, f"/jobs/{index}/"))
    return out


def _application(c: Any) -> Application:
    placements = tuple(
        record(MeasuredPlacement, p, gpus=numbers(c_uint32, p.gpus, p.nodes), local=some_numbers(c_uint32, p.local, p.n),
               step_s=some_numbers(c_double, p.step_s, p.n), sync_s=some_numbers(c_double, p.sync_s, p.n))
        for p in c.placements[:c.n_placements])
    trainings = tuple(
        MeasuredTraining(t.batch, *(some_numbers(c_double, pointer, c.epochs)
                                    for pointer in (t.progress, t.iterations, t.grad_sqr, t.grad_var)))
        for t in c.trainings[:c.n_trainings])
    return record(Application, c, placements=placements, trainings=trainings)


def _workload(owned: Owned) -> Workload:
    c = owned.pointer.contents
    out = record(
        Workload, c, gpus=numbers(c_uint32, c.gpus, c.n_nodes), gpu_type=numbers(c_size_t, c.gpu_type, c.n_nodes),
        speed=numbers(c_double, c.speed, c.n_types), node_names=texts(c.node_names, c.n_nodes) or (),
        type_names=texts(c.type_names, c.n_types) or (),
        applications=tuple(_application(application) for application in c.applications[:c.n_applications]),
        jobs=tuple(record(TrainingJob, job) for job in c.jobs[:c.n_jobs]))
    object.__setattr__(out, "crc32", c.crc32)
    owned.close()
    return out


def _run(owned: Owned) -> Run:
    c = owned.pointer.contents
    jobs = tuple(
        record(TrainedJob, job, spans=tuple(record(Span, span, nodes=nodes_of(span.nodes, span.n_nodes))
                                            for span in job.spans[:job.n_spans]))
        for job in c.jobs[:c.n_jobs])
    return record(Run, c, jobs=jobs, _owned=owned)
