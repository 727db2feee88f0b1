"""What an analysed matrix is in this package, whatever it was analysed for."""

from __future__ import annotations

import threading
import weakref
from ctypes import byref, c_int64, c_size_t
from types import TracebackType
from typing import Any, Callable, TypeVar

import numpy as np

from ._arrays import DATA_TYPES, Array, Layout, place
from ._errors import ZeroPivotError, check
from ._frameworks import Framework, Letter, framework_of
from ._library import (
    Algorithm,
    CopyValues,
    DiagType,
    FillMode,
    Operation,
    Setup,
    SolvePolicy,
    Status,
    library,
    text,
)
from ._matrix import Matrix
from ._resources import OnStream, Resources
from ._stats import Stats, read_stats


def _named(kind: type[Algorithm] | type[Setup], what: str, value: str) -> int:
    try:
        return kind[value.upper()]
    except (KeyError, AttributeError):
        names = ", ".join(member.name.lower() for member in kind)
        raise ValueError(f"{what} must be one of {names}, but it is {value!r}") from None


Self = TypeVar("Self", bound="Analysed")


class Analysed:
    """What all analysed matrices can do: :class:`TriangularSolver`, :class:`Smoother`."""

    def __init__(
        self,
        matrix: Matrix,
        *,
        lower: bool,
        unit: bool,
        operation: Operation,
        any_trans: bool,
        copy: bool,
        nrhs: int,
        algorithm: str,
        setup: str,
        timeout: float,
        prepare: Callable[[Resources], None],
    ) -> None:
        self._operation = operation
        algorithm_number, setup_number = _named(Algorithm, "algorithm", algorithm), _named(Setup, "setup", setup)
        if nrhs < 1:
            raise ValueError(f"nrhs must be 1 or more, but it is {nrhs}")
        self._lock = threading.RLock()
        self._shape = (matrix.rows, matrix.rows)
        self._entries, self._dtype, self._device = matrix.entries, matrix.dtype, matrix.device
        self._framework = matrix.framework
        self._resources = Resources(matrix.device)
        self._finalizer = weakref.finalize(self, self._resources.free)
        r = self._resources
        check(library.sptrsvSetMatFillMode(r.descr, FillMode.LOWER if lower else FillMode.UPPER))
        check(library.sptrsvSetMatDiagType(r.descr, DiagType.UNIT if unit else DiagType.NON_UNIT))
        check(library.sptrsvSetMatFormat(r.descr, matrix.format))
        check(library.sptrsvSetMatIndexTypes(r.descr, *matrix.index_types))
        check(library.sptrsvSetAlgorithm(r.info, algorithm_number))
        check(library.sptrsvSetAnalysisMode(r.info, setup_number))
        check(library.sptrsvSetAnalysisForAllOperations(r.info, int(any_trans)))
        check(library.sptrsvSetCopyValues(r.info, CopyValues.ALL if copy else CopyValues.NONE))
        check(library.sptrsvSetExpectedRightHandSides(r.info, nrhs))
        r.call("sptrsvSetTimeout", timeout)
        prepare(r)
        # The arrays that solves read; none where the values are copied.
        self._arrays: tuple[Array, Array, Array] | None = (
            None if copy else (matrix.values, matrix.offsets, matrix.indices)
        )
        self._analyse(matrix)

    def _arguments(self, operation: Operation) -> tuple[Any, ...]:
        return operation, self._shape[0], self._entries

    def _analyse(self, matrix: Matrix) -> None:
        r = self._resources
        kind = DATA_TYPES[self._dtype]
        size = c_size_t()
        what = self._arguments(self._operation)
        arrays = (matrix.values.pointer, matrix.offsets.pointer, matrix.indices.pointer)
        r.call("sptrsvBufferSize", *what, r.descr, kind, *arrays, r.info, byref(size))
        self._buffer, self._buffer_size = r.scratch(size.value), size.value
        with self._on_stream(matrix.framework, matrix.values, matrix.offsets, matrix.indices):
            r.call("sptrsvAnalysis", *what, r.descr, kind, *arrays, r.info, SolvePolicy.USE_LEVEL, self._buffer)

    # ------------------------------------------------------------------------------------------ arrays

    def _converted(self, what: str, array: Any, framework: Framework) -> Array:
        """A view of an array, or of a copy in the matrix's type where that loses nothing. A list has no type yet."""
        if not hasattr(array, "dtype") and framework.name == "NumPy":
            array = np.asarray(array, self._dtype)
        view = framework.view(array)
        if view.size and view.device != self._device:
            raise ValueError(f"{what} is in {view.place()}, but the matrix was analysed in {place(self._device)}")
        if view.dtype == self._dtype:
            return view
        if not np.can_cast(view.dtype, self._dtype, "safe"):
            raise TypeError(f"{what} is {view.dtype}, which does not convert safely to the matrix's {self._dtype}")
        return framework.view(framework.copy(view, self._dtype, "C"))

    def _copied(self, view: Array, framework: Framework, order: Letter = "C") -> tuple[Array, Layout]:
        copy = framework.view(framework.copy(view, self._dtype, order))
        layout = copy.layout()
        assert layout is not None, "a new array has its rows or columns one after the other"
        return copy, layout

    def _target(self, out: Any, shape: tuple[int, ...], what: str = "out") -> tuple[Array, Layout]:
        framework = framework_of(out)
        if isinstance(out, (list, tuple)):
            raise TypeError(f"{what} must be an array")
        target = framework.view(out)
        if target.shape != shape or target.dtype != self._dtype:
            raise ValueError(
                f"{what} must have the shape {shape} and the type {self._dtype}, "
                f"but it has {target.shape} and {target.dtype}"
            )
        if target.size and target.device != self._device:
            raise ValueError(f"{what} is in {target.place()}, but the matrix was analysed in {place(self._device)}")
        layout = target.layout()
        if layout is None or not target.writable:
            why = "neither its rows nor its columns lie one after the other"
            if not target.writable:
                why = "it is read-only, of another byte order, or a lazy conjugate"
            raise ValueError(f"{what} cannot be used: {why}")
        return target, layout

    def _must_be_usable(self) -> None:
        if not self._finalizer.alive:
            raise ValueError("the solver is closed")
        if self._resources.is_copy:
            raise RuntimeError(
                "a solver on a GPU cannot be used in a forked process: analyse A anew, in a spawned process"
            )

    def _on_stream(self, framework: Framework, *views: Array) -> OnStream:
        return OnStream(self._resources, self._stream(framework, views), views)

    def _stream(self, framework: Framework, views: tuple[Array, ...]) -> int:
        """The stream to work on: that of the array's library, else of the matrix's, else of the first array."""
        if self._device is None:
            return 0
        current = [f.stream(self._device) for f in (framework, self._framework)]
        given = [view.stream for view in views]
        return next((stream for stream in (*current, *given) if stream is not None), 0)

    # ------------------------------------------------------------------------------------- what it knows

    def zero_pivot(self) -> int | None:
        """The smallest row (counted from 0) with a zero on its diagonal, or None.

        After the analysis this is the first row without a diagonal entry. After a solve it also counts zeros among the
        values of that solve. It waits for the solve.

        Examples
        --------
        >>> import scipy.sparse as sp, sptrsv
        >>> solver = sptrsv.analyse(sp.csr_array([[1.0, 0], [1, 0]]))
        >>> solver.zero_pivot()
        1
        """
        found = self._find_zero_pivot()
        return None if found is None else found[0]

    def _find_zero_pivot(self, function: str = "sptrsvZeroPivot") -> tuple[int, str] | None:
        with self._lock:
            self._must_be_usable()
            r = self._resources
            row = c_int64(-1)
            # On a stream that is there: that of the last solve may be gone.
            with self._on_stream(self._framework):
                status = getattr(library, function)(r.handle, r.info, byref(row))
                if status == Status.ZERO_PIVOT:
                    return row.value, text(status)
                check(status)
            return None

    def _raise_zero_pivot(self) -> None:
        found = self._find_zero_pivot()
        if found is not None:
            raise ZeroPivotError(found[1], found[0])

    @property
    def stats(self) -> Stats:
        """What the analysis found and what it cost."""
        with self._lock:
            self._must_be_usable()
            return read_stats(self._resources.info)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its values, and of solutions."""
        return self._dtype

    @property
    def device(self) -> str:
        """Where it solves: "host", or "cuda:" and the number of the GPU."""
        return "host" if self._device is None else f"cuda:{self._device}"

    def __repr__(self) -> str:
        n = self._shape[0]
        return f"<sptrsv.{type(self).__name__} of {n} x {n} {self._dtype} on {self.device}>"

    # ------------------------------------------------------------------------------------------ lifetime

    def close(self) -> None:
        """Gives back what the solver holds, after its work in flight. A second call does nothing."""
        with self._lock:
            self._finalizer()
            self._arrays = None

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
