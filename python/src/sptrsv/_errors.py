"""Exceptions: one class for each cause that a program may want to tell from others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._library import Status, library, text


class SptrsvError(RuntimeError):
    """A call that the library refused or could not finish.

    The message is the library's own sentence. ``status`` is the status of the call, as in ``include/sptrsv.h``.
    """

    def __init__(self, message: str, status: Status) -> None:
        super().__init__(message)
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        # Other processes get it whole.
        return type(self), (str(self), self.status)


class InvalidMatrixError(SptrsvError, ValueError):
    """The sparsity pattern is malformed: offsets that fall, or an index out of range."""


class ZeroPivotError(SptrsvError, np.linalg.LinAlgError):
    """The diagonal has a zero, or lacks an entry, in row ``row`` (counted from 0)."""

    def __init__(self, message: str, row: int) -> None:
        super().__init__(message, Status.ZERO_PIVOT)
        self.row = row

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.row)


class NoGpuError(SptrsvError):
    """No usable NVIDIA driver or GPU, or a GPU that the library has no code for."""


class TimedOutError(SptrsvError, TimeoutError):
    """The watchdog ended an analysis or an earlier solve."""


class OutOfMemoryError(SptrsvError, MemoryError):
    """Host or device memory could not be allocated."""


_CLASSES: dict[int, type[SptrsvError]] = {
    Status.INVALID_MATRIX: InvalidMatrixError,
    Status.NO_DRIVER: NoGpuError,
    Status.ARCH_MISMATCH: NoGpuError,
    Status.TIMED_OUT: TimedOutError,
    Status.ALLOC_FAILED: OutOfMemoryError,
}


def error(status: int, message: str) -> SptrsvError:
    return _CLASSES.get(status, SptrsvError)(message, Status(status))


def check(status: int) -> None:
    """Raises what the status of this thread's last call stands for."""
    if status != Status.SUCCESS:
        raise error(status, text(status))
