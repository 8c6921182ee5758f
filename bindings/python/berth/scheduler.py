"""A cluster, the jobs it was promised to, and the clock."""
from __future__ import annotations

from collections.abc import Sequence
from ctypes import POINTER, byref, c_double, c_int, c_size_t, c_ubyte, c_uint64, c_void_p, sizeof, string_at
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from . import _ffi
from ._convert import Arena, Owned, checked, encode, record, slot as or_none
from ._library import call, lib, require
from .hooks import Installed, InUse
from .model import (
    Amounts, Cluster, Decision, Job, Options, PriceBounds, amounts, bounds_struct, cluster_struct, decision_of,
    job_structs, options_struct,
)


class JobState(IntEnum):
    PROPOSED = 0  # held, to be committed
    WAITING = 1  # admitted, none of its slots has come
    RUNNING = 2  # the first slot of its plan has come


class ChangeKind(IntEnum):
    MOVED = 0  # another plan, complete no later than promised
    DELAYED = 1  # another plan, and later than promised
    COMPLETED = 2  # its plan has run out
    LOST = 3  # no plan completes it any more, or its gang was lost
    LAPSED = 4  # a proposal that nobody committed in time


class MachineState(IntEnum):
    UP = 0
    DRAINING = 1  # keeps what it has, takes nothing new
    DOWN = 2  # failed, or drained and empty


class Verdict(IntEnum):
    """Why a machine takes no worker of a job."""

    FREE = 0  # it has room for a worker, in `free_slots` of the slots until the horizon
    FORBIDDEN = 1  # by the job's allow or avoid
    CLOSED = 2  # draining or down
    TOO_SMALL = 3  # even when empty: `resource`
    FULL = 4  # in every slot until the horizon: `resource` is what is short in most of them

    @property
    def text(self) -> str:
        """For a person."""
        return str(lib.berth_machine_verdict_text(self).decode())


@dataclass(frozen=True)
class JobInfo:
    """A live job: admitted or proposed, and neither complete, finished, cancelled, lost nor lapsed."""

    number: int
    gang: int  # number of the first of its gang; its own if it has none
    id: str
    state: JobState
    arrival_slot: int
    promised_slot: int
    completion_slot: int
    samples: float  # all its work
    samples_left: float  # not done before the present slot


@dataclass(frozen=True)
class Change:
    """What became of a job in an event that did not name it."""

    number: int
    id: str
    kind: ChangeKind
    slot: int  # in which it happened; COMPLETED: the slot after its last
    promised_slot: int | None
    completion_slot: int | None
    reason: str


@dataclass(frozen=True)
class MachineInfo:
    name: str
    state: MachineState
    capacity: dict[str, float]  # when it is up
    held_until: int  # the first slot from which on it is planned to be empty; the present one: it is


@dataclass(frozen=True)
class MachineReason:
    machine: int
    verdict: Verdict
    resource: str | None  # that is short
    needed: float | None  # of it by one worker
    most: float | None  # of it, free in one slot (TOO_SMALL: the capacity)
    free_slots: int  # with room for a worker
    price: float | None  # of a worker in the cheapest of them; None: there is none


@dataclass(frozen=True)
class LeastChange:
    value: float
    completion_slot: int


@dataclass(frozen=True)
class Explanation:
    """Why a job would be rejected, and the least change of one thing that admits it; None: none was found."""

    admitted: bool
    reason: str
    payoff: float | None
    payoff_bound: float | None
    machines: tuple[MachineReason, ...]  # by index
    later_slots: LeastChange | None  # slots by which the utility is to fall later
    utility_factor: LeastChange | None  # on the utility
    max_workers: LeastChange | None  # another width
    dry_runs: int


@dataclass(frozen=True)
class Statistics:
    submitted: int
    admitted: int  # not those only proposed
    rejected: int
    proposed: int  # ever
    abandoned: int  # of these taken back
    lapsed: int
    completed: int
    finished: int
    cancelled: int
    lost: int
    moved: int  # plans changed after they were announced
    delayed: int
    live: int
    utility: float  # of jobs complete or finished, at the slot in which they were
    utility_planned: float  # of live ones but proposals, at their planned completion
    machines_up: int
    machines_draining: int
    machines_down: int


def _int(value: int, name: str) -> int:
    return checked(c_int, value, name)


class Scheduler:
    """Decides jobs as they come; see section 8 of berth.h, whose functions these are. Time is the number of a slot; the
    present one, `now`, has not run yet. What an event does to other jobs than the one it names is told by
    take_changes(). Machines and resources are numbers or names, live jobs numbers or ids.

    Closed at the end of a `with`, by close(), or when nobody holds it any more. To be used by one thread at a time:
    RuntimeError for a call while another one is under way."""

    def __init__(self, cluster: Cluster, bounds: PriceBounds | None = None, options: Options | None = None) -> None:
        """`bounds`: needed by all policies but bidlp; price_bounds() computes them from expected jobs."""
        arena = Arena()
        c_options, installed = options_struct(options)
        out = c_void_p()
        with installed:
            call("berth_scheduler_new", byref(cluster_struct(arena, cluster)),
                 bounds_struct(arena, bounds, len(cluster.resources)), byref(c_options), byref(out))
        self._hold(out, installed, options)

    def _hold(self, out: c_void_p, installed: Installed, options: Options | None) -> None:
        self.resources = tuple(str(lib.berth_resource_name(out, resource).decode())
                               for resource in range(lib.berth_resource_count(out)))
        self._options = options  # with the backends, which the scheduler goes on using
        self._owned = Owned(out.value, lib.berth_scheduler_free)
        self._in_use = InUse("scheduler", self._owned, installed)

    @classmethod
    def restore(cls, snapshot: bytes, options: Options | None = None) -> Scheduler:
        """The scheduler that a snapshot was made of: it decides and prices as that one does, to the last bit. Of the
        options backends, hooks, threads and time_limit_s are used. InputError: no snapshot, cut short or damaged;
        UnsupportedError: of a later version."""
        c_options, installed = options_struct(options)
        out = c_void_p()
        buffer = (c_ubyte * len(snapshot)).from_buffer_copy(snapshot)
        with installed:
            call("berth_restore", buffer, len(snapshot), byref(c_options), byref(out))
        self = cls.__new__(cls)
        self._hold(out, installed, options)
        return self

    def __enter__(self) -> Scheduler:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees it; nothing else can be done with it then. Once more is no error."""
        if not self._owned.closed:
            with self._in_use:
                self._owned.close()

    # ---- submitting ----

    def _one(self, name: str, job: Job) -> Decision:
        arena = Arena()
        c_job = job_structs(arena, [job], self.resources)
        out = POINTER(_ffi.Decision)()
        with self._in_use as scheduler:
            try:
                call(name, scheduler, c_job, byref(out))
                return decision_of(out.contents)
            finally:
                lib.berth_decision_free(out)

    def _several(self, name: str, slot: int, jobs: Sequence[Job]) -> list[Decision]:
        arena = Arena()
        c_jobs = job_structs(arena, jobs, self.resources)
        out = (POINTER(_ffi.Decision) * len(jobs))()
        with self._in_use as scheduler:
            try:
                call(name, scheduler, _int(slot, "slot"), len(jobs), c_jobs, out)
                return [decision_of(decision.contents) for decision in out]
            finally:
                for decision in out:
                    lib.berth_decision_free(decision)

    def submit(self, job: Job) -> Decision:
        """Decides a job at once and for good. An arrival slot after the present one moves time to it first."""
        return self._one("berth_submit", job)

    def submit_batch(self, slot: int, jobs: Sequence[Job]) -> list[Decision]:
        """All arrivals of a slot together. With no jobs, bidlp looks for better placements."""
        return self._several("berth_submit_batch", slot, jobs)

    def submit_gang(self, slot: int, jobs: Sequence[Job]) -> list[Decision]:
        """All or none of them; from then on they stand and fall together."""
        return self._several("berth_submit_gang", slot, jobs)

    def propose(self, slot: int, jobs: Job | Sequence[Job]) -> list[Decision]:
        """As submit_gang, for one job or several, but held only: to be confirmed by commit(), or taken back by abandon();
        lapses when time passes the first slot in which one of them would run."""
        return self._several("berth_propose", slot, [jobs] if isinstance(jobs, Job) else jobs)

    def commit(self, job: int | str) -> None:
        """Confirms a proposal, by the number or the id of any of its jobs."""
        self._event("berth_commit", self._number(job))

    def abandon(self, job: int | str) -> None:
        """Takes a proposal back, by the number or the id of any of its jobs."""
        self._event("berth_abandon", self._number(job))

    def what_if(self, job: Job) -> Decision:
        """The decision that submit() would give; commits nothing."""
        return self._one("berth_what_if", job)

    def explain(self, job: Job) -> Explanation:
        """Why a job would be rejected now, or that it would not; commits nothing."""
        arena = Arena()
        c_job = job_structs(arena, [job], self.resources)
        out = POINTER(_ffi.Explanation)()
        with self._in_use as scheduler:
            try:
                call("berth_explain", scheduler, c_job, byref(out))
                return self._explanation(out.contents)
            finally:
                lib.berth_explanation_free(out)

    def _explanation(self, out: Any) -> Explanation:
        def least(change: Any) -> LeastChange | None:
            return LeastChange(change.value, change.completion_slot) if change.found else None

        reasons = tuple(
            record(MachineReason, reason, verdict=Verdict(reason.verdict),
                   resource=self.resources[reason.resource] if reason.resource >= 0 else None)
            for reason in out.machines[:out.n_machines])
        return record(Explanation, out, machines=reasons, later_slots=least(out.later_slots),
                      utility_factor=least(out.utility_factor), max_workers=least(out.max_workers))

    # ---- time and jobs ----

    def _event(self, name: str, *arguments: Any) -> None:
        with self._in_use as scheduler:
            call(name, scheduler, *arguments)

    def advance(self, slot: int) -> None:
        """Time moves to a slot: those before it have run as planned."""
        self._event("berth_advance", _int(slot, "slot"))

    @property
    def now(self) -> int:
        with self._in_use as scheduler:
            return int(lib.berth_now(scheduler))

    @property
    def horizon(self) -> int:
        """The first slot that plans cannot use."""
        with self._in_use as scheduler:
            return int(lib.berth_horizon(scheduler))

    def finish(self, job: int | str) -> None:
        """A job is done before its plan ends: what it holds from the present slot on is free."""
        self._event("berth_finish", self._number(job))

    def cancel(self, job: int | str) -> None:
        """A job is called off."""
        self._event("berth_cancel", self._number(job))

    def report_left(self, job: int | str, samples: float) -> None:
        """A job turned out to have so many samples left: the rest is planned anew."""
        self._event("berth_report_left", self._number(job), samples)

    def live_jobs(self) -> list[JobInfo]:
        """By increasing number."""
        info = _ffi.JobInfo()
        found = []
        with self._in_use as scheduler:
            for index in range(lib.berth_live_count(scheduler)):
                require(lib.berth_live_job(scheduler, index, byref(info)), "live job")
                found.append(record(JobInfo, info, state=JobState(info.state)))
        return found

    def find_job(self, job_id: str) -> int | None:
        """The number of the live job of an id."""
        number = c_uint64()
        with self._in_use as scheduler:
            found = lib.berth_find_job(scheduler, encode(job_id, "job_id"), byref(number))
        return number.value if found else None

    def _number(self, job: int | str) -> int:
        if not isinstance(job, str):
            return checked(c_uint64, job, "job number")
        found = self.find_job(job)
        if found is None:
            raise ValueError(f"no live job {job!r}")
        return found

    def present_plan(self, job: int | str) -> Decision:
        """The plan of a live job as it stands, from its first slot on."""
        number = self._number(job)
        out = POINTER(_ffi.Decision)()
        with self._in_use as scheduler:
            try:
                call("berth_present_plan", scheduler, number, byref(out))
                return decision_of(out.contents)
            finally:
                lib.berth_decision_free(out)

    def take_changes(self) -> list[Change]:
        """All since the last call, in the order of events."""
        out = _ffi.Changes()
        with self._in_use as scheduler:
            try:
                call("berth_take_changes", scheduler, byref(out))
                return [record(Change, change, kind=ChangeKind(change.kind),
                               promised_slot=or_none(change.promised_slot),
                               completion_slot=or_none(change.completion_slot)) for change in out.changes[:out.n]]
            finally:
                lib.berth_changes_clear(byref(out))

    # ---- machines ----

    def machines(self) -> list[MachineInfo]:
        """By index."""
        info = _ffi.MachineInfo()
        found = []
        with self._in_use as scheduler:
            for index in range(lib.berth_machine_count(scheduler)):
                require(lib.berth_machine(scheduler, index, byref(info)), "machine")
                capacity = dict(zip(self.resources, info.capacity[:len(self.resources)]))
                found.append(record(MachineInfo, info, state=MachineState(info.state), capacity=capacity))
        return found

    def find_machine(self, name: str) -> int | None:
        with self._in_use as scheduler:
            return or_none(lib.berth_find_machine(scheduler, encode(name, "name")))

    def _machine(self, machine: int | str) -> int:
        if isinstance(machine, int):
            return _int(machine, "machine")
        found = self.find_machine(machine)
        if found is None:
            raise ValueError(f"no machine {machine!r}")
        return found

    def _resource(self, resource: int | str) -> int:
        if isinstance(resource, int):
            return _int(resource, "resource")
        if resource not in self.resources:
            raise ValueError(f"no resource {resource!r}; there are {', '.join(self.resources)}")
        return self.resources.index(resource)

    def _capacity(self, capacity: Amounts, name: str) -> Any:
        values = amounts(capacity, self.resources, name)
        if len(values) != len(self.resources):
            raise ValueError(f"{name} has {len(values)} amounts; expected {len(self.resources)}")
        return (c_double * len(values))(*values)

    def add_machine(self, name: str, capacity: Amounts) -> int:
        """A further machine, up; its index."""
        index = c_int()
        self._event("berth_add_machine", encode(name, "name"), self._capacity(capacity, "capacity"), byref(index))
        return index.value

    def drain_machine(self, machine: int | str) -> None:
        """No further plans on it: jobs planned to be there keep it, unless they are moved."""
        self._event("berth_drain_machine", self._machine(machine))

    def fail_machine(self, machine: int | str) -> None:
        """It is gone from the present slot on; jobs planned to be there are planned anew."""
        self._event("berth_fail_machine", self._machine(machine))

    def resize_machine(self, machine: int | str, capacity: Amounts) -> None:
        """Another capacity from the present slot on; jobs that no longer fit are planned anew."""
        self._event("berth_resize_machine", self._machine(machine), self._capacity(capacity, "capacity"))

    def return_machine(self, machine: int | str) -> None:
        """A machine that is down or draining is up again."""
        self._event("berth_return_machine", self._machine(machine))

    # ---- looking ----

    def price(self, slot: int, machine: int | str, resource: int | str) -> float:
        """Present price of one unit of a resource on a machine in a slot."""
        place = self._machine(machine), self._resource(resource)
        with self._in_use as scheduler:
            return float(lib.berth_price(scheduler, _int(slot, "slot"), *place))

    def used(self, slot: int, machine: int | str, resource: int | str) -> float:
        """Amount of a resource held on a machine in a slot."""
        place = self._machine(machine), self._resource(resource)
        with self._in_use as scheduler:
            return float(lib.berth_used(scheduler, _int(slot, "slot"), *place))

    def capacity_value(self, first: int, end: int, machine: int | str, resource: int | str) -> float:
        """What one more unit of a resource on a machine in slots [first, end) would be worth at most."""
        place = self._machine(machine), self._resource(resource)
        with self._in_use as scheduler:
            return float(lib.berth_capacity_value(scheduler, _int(first, "first"), _int(end, "end"), *place))

    def statistics(self) -> Statistics:
        out = _ffi.Statistics(struct_size=sizeof(_ffi.Statistics))
        with self._in_use as scheduler:
            require(lib.berth_scheduler_statistics(scheduler, byref(out)), "statistics")
        return record(Statistics, out)

    def snapshot(self) -> bytes:
        """All of its state; see restore."""
        pointer, length = POINTER(c_ubyte)(), c_size_t()
        with self._in_use as scheduler:
            try:
                call("berth_snapshot", scheduler, byref(pointer), byref(length))
                return string_at(pointer, length.value)
            finally:
                lib.berth_snapshot_free(pointer)
