"""Callables that long calls report to, and the sets of solvers they may use."""
from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from ctypes import byref, c_void_p
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from . import _ffi
from ._convert import Owned
from ._library import glpk_backend, lib, require


class LogLevel(IntEnum):
    DEBUG = 0
    INFO = 1
    WARNING = 2


@dataclass(frozen=True)
class Hooks:
    """`cancel` is asked where work can be long, possibly from other threads and several at once; True ends the call soon,
    with the best that was found. `log` and `progress` are called from the calling thread. An exception that one of
    them raises ends the call, too, and is raised by it. With hooks, be they empty, Ctrl-C ends a call of the main
    thread."""

    log: Callable[[LogLevel, str], object] | None = None
    cancel: Callable[[], bool] | None = None
    progress: Callable[[float, float], object] | None = None


def _in_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


class _Events:
    """What came up while C was at work: exceptions of hooks, and Ctrl-C."""

    def __init__(self) -> None:
        self.raised: list[BaseException] = []
        self.interrupts: list[int] = []
        self.handler: Any = None  # Python's own for SIGINT; None: it has not been replaced

    def note(self, number: int, _frame: object) -> None:
        self.interrupts.append(number)

    def guarded(self, function: Callable[[], Any]) -> Any:
        """What a function returns, None once anything was raised."""
        if self.raised:
            return None
        try:
            while self.interrupts and _in_main_thread():  # as Python's handlers always are
                self.handler(self.interrupts.pop(), None)
            return function()
        except BaseException as error:
            self.raised.append(error)
            return None


class Installed:
    """Hooks as a C structure. Holds the thunks, which must live as long as C may call them; a call is made in a `with`.

    A signal is handled by Python when one of its functions begins, so also when a thunk does, where nothing can catch
    what the handler raises. So Ctrl-C is only noted meanwhile, and handled within."""

    def __init__(self, hooks: Hooks | None) -> None:
        self.struct = _ffi.Hooks()
        self._events = _Events()
        lib.berth_hooks_init(byref(self.struct))
        if hooks is not None:
            _install(self.struct, hooks, self._events)

    def __enter__(self) -> Installed:
        events = self._events
        if self.struct.cancel and _in_main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler):
                events.handler = handler
                signal.signal(signal.SIGINT, events.note)
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """What a hook raised comes before what the library makes of it."""
        events, handler = self._events, self._events.handler
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
            events.handler = None
        if events.raised:
            del events.raised[1:]
            events.interrupts.clear()
            raise events.raised.pop() from None
        while events.interrupts:
            handler(events.interrupts.pop(), None)


def _install(struct: _ffi.Hooks, hooks: Hooks, events: _Events) -> None:
    """Closures over what holds no thunks: no cycle, so no waiting for the collector."""

    def log(_user: object, level: int, message: bytes) -> None:
        events.guarded(lambda: hooks.log and hooks.log(LogLevel(level), message.decode(errors="replace")))

    def cancel(_user: object) -> bool:
        return bool(events.guarded(lambda: hooks.cancel is not None and bool(hooks.cancel()))) or bool(events.raised)

    def progress(_user: object, done: float, total: float) -> None:
        events.guarded(lambda: hooks.progress and hooks.progress(done, total))

    if hooks.log:
        struct.log = _ffi.LogHook(log)
    if hooks.progress:
        struct.progress = _ffi.ProgressHook(progress)
    struct.cancel = _ffi.CancelHook(cancel)


class InUse:
    """Lets one thread at a time use a C object, and raises what hooks raised meanwhile."""

    def __init__(self, what: str, owned: Owned, installed: Installed) -> None:
        self._what = what
        self._owned = owned
        self._installed = installed
        self._lock = threading.Lock()

    def __enter__(self) -> Any:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError(f"a {self._what} can be used by one thread at a time, and not by its own hooks")
        try:
            if self._owned.closed:
                raise ValueError(f"the {self._what} has been closed")
            self._installed.__enter__()
            return self._owned.pointer
        except BaseException:
            self._lock.release()
            raise

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            self._installed.__exit__(kind, error, trace)
        finally:
            self._lock.release()


@dataclass(frozen=True)
class BackendInfo:
    name: str
    version: str
    exact: bool  # solves linear programmes to the end, as policies need


class Backends:
    """The solvers built into libberth, in order of preference, and with `glpk` that of libberth_glpk, which is a library
    of its own because GLPK is under the GPL; BackendError if it is not there."""

    def __init__(self, glpk: bool = False) -> None:
        out = c_void_p()
        require(lib.berth_backends_new(byref(out)), "backends")
        self._owned = Owned(out.value, lib.berth_backends_free)
        if glpk:
            require(lib.berth_add_backend(self._owned.pointer, glpk_backend()), "backends: glpk")

    def __iter__(self) -> Iterator[BackendInfo]:
        pointer = self._owned.pointer
        for index in range(lib.berth_backends_count(pointer)):
            yield BackendInfo(lib.berth_backends_name(pointer, index).decode(),
                              lib.berth_backends_version(pointer, index).decode(),
                              bool(lib.berth_backends_exact(pointer, index)))

    def __len__(self) -> int:
        return int(lib.berth_backends_count(self._owned.pointer))


def pointer_of(backends: Backends | None) -> Any:
    """NULL is the built-in ones."""
    return None if backends is None else backends._owned.pointer


class _Forked:
    """Is this a process that was forked? OpenMP's threads do not survive that: work with several would never end."""

    here = False

    @classmethod
    def see(cls) -> None:
        cls.here = True


os.register_at_fork(after_in_child=_Forked.see)


def fill_common(struct: Any, options: Any) -> Installed:
    """Backends and hooks of an options structure; what is returned must outlive the use of struct. In a forked process
    one thread does all the work, which changes no result."""
    installed = Installed(options.hooks)
    struct.hooks = installed.struct
    if hasattr(struct, "backends"):
        struct.backends = pointer_of(options.backends)
    if hasattr(struct, "threads") and _Forked.here:
        struct.threads = 1
    return installed
