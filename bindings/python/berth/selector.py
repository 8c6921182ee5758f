"""Which clients train, round after round: guided participant selection (section 3 of berth_cohort.h)."""
from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from ctypes import byref, c_size_t, c_uint64, c_void_p, create_string_buffer
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from . import _ffi_cohort
from ._convert import Arena, Owned, checked, encode, fill, path_bytes, record
from ._library import call, lib
from .hooks import Hooks, Installed, InUse
from .report import owned_result

__all__ = [
    "Choice", "ChoiceKind", "Selection", "Selector", "SelectorClient", "SelectorOptions", "SelectorState",
]


def __dir__() -> list[str]:
    return __all__


class ChoiceKind(IntEnum):
    EXPLOIT = 0  # by weight
    EXPLORE = 1  # had never reported
    RECALL = 2  # blacklisted, but there were too few others: those selected least often


@dataclass(frozen=True, kw_only=True)
class SelectorOptions:
    """See berth_selector_options in berth_cohort.h."""

    seed: int = 1
    exploration: float = 0.9
    exploration_decay: float = 0.98
    exploration_min: float = 0.2
    alpha: float = 2.0
    clip: float = 0.95
    cut_off: float = 0.95
    overcommit: float = 1.3
    blacklist_rounds: int = 10
    fairness: float = 0.0
    percentile: float = 30.0
    pacer_delta: float = 5.0
    pacer_step: int = 20


@dataclass(frozen=True)
class Choice:
    client: int
    kind: ChoiceKind
    weight: float | None  # recalled: None


@dataclass(frozen=True)
class Selection:
    round: int  # from 1
    choices: tuple[Choice, ...]  # by ascending client
    n_exploited: int
    n_explored: int
    n_recalled: int
    n_available: int
    n_blacklisted: int  # of these, before the round
    exploration: float
    percentile: float
    preferred_duration_s: float  # inf: none


@dataclass(frozen=True)
class SelectorState:
    round: int  # selected so far
    n_clients: int
    n_reported: int
    n_blacklisted: int
    exploration: float  # of the next round
    percentile: float
    utility: tuple[float, float]  # reported during the present pacer_step rounds, and those before


@dataclass(frozen=True)
class SelectorClient:
    id: str | None
    declared_s: float | None
    utility: float | None  # of the latest result
    duration_s: float | None
    last_round: int  # 0: never reported
    selections: int
    blacklisted: bool


def _selection(c: Any) -> Selection:
    choices = tuple(record(Choice, choice, kind=ChoiceKind(choice.kind)) for choice in c.choices[:c.n])
    return record(Selection, c, choices=choices)


class Selector:
    """A state that events feed: clients register, rounds are selected, participants report. Closed at the end of a
    `with`, by close(), or when nobody holds it any more; to be used by one thread at a time."""

    def __init__(self, options: SelectorOptions | None = None) -> None:
        c_options = _ffi_cohort.SelectorOptions()
        lib.berth_selector_options_init(byref(c_options))
        fill(c_options, SelectorOptions() if options is None else options, "options/")
        out = c_void_p()
        call("berth_selector_new", byref(c_options), byref(out))
        self._hold(out)

    def _hold(self, out: c_void_p) -> None:
        self._owned = Owned(out.value, lib.berth_selector_free)
        self._in_use = InUse("selector", self._owned, Installed(None))

    @classmethod
    def restore(cls, snapshot: bytes) -> Selector:
        """The selector that a snapshot was made of. InputError: no snapshot, cut short or damaged."""
        out = c_void_p()
        call("berth_selector_restore", snapshot, len(snapshot), byref(out))
        self = cls.__new__(cls)
        self._hold(out)
        return self

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Selector:
        """A snapshot from a file."""
        out = c_void_p()
        call("berth_selector_read", path_bytes(path), byref(out))
        self = cls.__new__(cls)
        self._hold(out)
        return self

    def __enter__(self) -> Selector:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees it; once more is no error."""
        if not self._owned.closed:
            with self._in_use:
                self._owned.close()

    def register(self, id: str | None = None, declared_s: float | None = None) -> int:
        """A new client; its number: 0, 1, 2, ... declared_s: how long a round is expected to take it."""
        client = c_size_t()
        with self._in_use as selector:
            call("berth_selector_register", selector, None if id is None else encode(id, "id"),
                 math.nan if declared_s is None else declared_s, byref(client))
        return client.value

    def declare(self, client: int, declared_s: float | None) -> None:
        """A client came back with another declared duration."""
        with self._in_use as selector:
            call("berth_selector_declare", selector, checked(c_size_t, client, "client"),
                 math.nan if declared_s is None else declared_s)

    def report(self, client: int, samples: int, mean_squared_loss: float, duration_s: float) -> None:
        """What a client made of a round."""
        result = _ffi_cohort.SelectorResult(checked(c_uint64, samples, "samples"), mean_squared_loss, duration_s)
        with self._in_use as selector:
            call("berth_selector_report", selector, checked(c_size_t, client, "client"), byref(result))

    def select(self, participants: int, available: Sequence[int] | None = None) -> Selection:
        """The next round, for which so many results are wanted. `available`: the clients to choose from; None: all."""
        arena = Arena()
        # What is empty must not be NULL, which would be all.
        clients = None if available is None else arena.numbers(c_size_t, list(available) or [0], "available")
        n = 0 if available is None else len(available)
        with self._in_use as selector:
            owned = owned_result(_ffi_cohort.Selection, lib.berth_selection_free, "berth_selector_select", selector,
                                 checked(c_size_t, participants, "participants"), clients, n)
        return _selection(owned.pointer.contents)

    @property
    def state(self) -> SelectorState:
        out = _ffi_cohort.SelectorState()
        with self._in_use as selector:
            lib.berth_selector_present(selector, byref(out))
        return record(SelectorState, out, utility=tuple(out.utility))

    def client(self, client: int) -> SelectorClient:
        out = _ffi_cohort.SelectorClient()
        with self._in_use as selector:
            call("berth_selector_present_client", selector, checked(c_size_t, client, "client"), byref(out))
            return record(SelectorClient, out)

    def snapshot(self) -> bytes:
        """Everything that it knows, the same on every machine."""
        length = c_size_t()
        with self._in_use as selector:
            call("berth_selector_snapshot", selector, None, 0, byref(length))
            room = create_string_buffer(length.value)
            call("berth_selector_snapshot", selector, room, length.value, byref(length))
        return room.raw

    def write(self, path: str | os.PathLike[str]) -> None:
        """A snapshot into a file."""
        with self._in_use as selector:
            call("berth_selector_write", selector, path_bytes(path))

    def replay(self, path: str | os.PathLike[str], selected: Callable[[Selection], object] | None = None,
               hooks: Hooks | None = None) -> None:
        """Feeds it with a log, berth-selector-log-1. `selected` is called for each selection; if it returns False, or
        raises, the replay ends (CancelledError, or what was raised). The events before have been fed then."""
        raised: list[BaseException] = []

        def each(_user: object, _selector: object, selection: Any) -> bool:
            try:
                return selected is None or selected(_selection(selection.contents)) is not False
            except BaseException as error:  # pylint: disable=broad-except
                raised.append(error)
                return False

        thunk = _ffi_cohort.SelectedHook(each)
        with self._in_use as selector, Installed(hooks) as installed:
            try:
                call("berth_selector_replay", selector, path_bytes(path), byref(installed.struct), thunk, None)
            finally:
                if raised:
                    raise raised[0]
