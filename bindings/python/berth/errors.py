"""What can go wrong: a class for each status of libberth."""
from __future__ import annotations

from . import _ffi


class BerthError(Exception):
    """A call that failed. `where` is a JSON pointer ("/jobs/3/epochs"), a file's name or an argument's name, "" if there
    is nothing to say; `line` and `column` count from 1, None if they do not apply."""

    def __init__(self, status: int, message: str, where: str = "", line: int | None = None,
                 column: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.where = where
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = self.where
        if self.line is not None:
            place += f":{self.line}" if self.column is None else f":{self.line}:{self.column}"
        return f"{place}: {self.message}" if place else self.message

    @property
    def name(self) -> str:
        """C's name of the status, "BERTH_E_INPUT"."""
        from ._library import lib  # which includes this module

        return str(lib.berth_status_name(self.status).decode())

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.status, self.message, self.where, self.line, self.column)


class ArgumentError(BerthError, ValueError):
    """An argument is none of those that are allowed."""


class OutOfMemoryError(BerthError, MemoryError):
    """Out of memory."""


class InputError(BerthError, ValueError):
    """A file or bytes are malformed or contradict themselves."""


class FileError(BerthError):
    """Something cannot be read or written."""


class BackendError(BerthError):
    """A solver is missing or failed."""


class NumericError(BerthError, ArithmeticError):
    """Numerical trouble."""


class CancelledError(BerthError):
    """Cancelled or out of time before there was any result."""


class UnsupportedError(BerthError):
    """Not supported by this version."""


class MismatchError(BerthError, ValueError):
    """A result and an instance do not belong together."""


class InternalError(BerthError):
    """An error of berth itself."""


_CLASSES: dict[int, type[BerthError]] = {
    -1: ArgumentError, -2: OutOfMemoryError, -3: InputError, -4: FileError, -5: BackendError, -6: NumericError,
    -7: CancelledError, -8: UnsupportedError, -9: MismatchError, -10: InternalError,
}


def from_status(status: int, text: str, error: _ffi.Error | None = None) -> BerthError:
    """The exception for a status; `text` is used where the library left no message."""
    kind = _CLASSES.get(status, BerthError)
    if error is None or not error.message:
        return kind(status, text)
    return kind(status, error.message.decode(errors="replace"), error.where.decode(errors="replace"),
                error.line or None, error.column or None)
