"""``analyse`` and what it returns."""

from __future__ import annotations

import ctypes
import threading
import weakref
from ctypes import byref, c_int64, c_size_t
from types import TracebackType
from typing import Any, Literal

import numpy as np

from ._arrays import DATA_TYPES, Array, Layout, place, scalar
from ._errors import ZeroPivotError, check
from ._frameworks import Framework, Letter, framework_of
from ._library import (
    Algorithm,
    CopyValues,
    DiagType,
    FillMode,
    Operation,
    Order,
    Setup,
    SolvePolicy,
    Status,
    library,
    text,
)
from ._matrix import Matrix, read
from ._resources import OnStream, Resources
from ._stats import Stats, read_stats

Trans = Literal["N", "T", "H"]

_OPERATIONS = {
    "N": Operation.NON_TRANSPOSE,
    "T": Operation.TRANSPOSE,
    "H": Operation.CONJUGATE_TRANSPOSE,
}
# The default of alpha, whose bytes a solver keeps.
_ONE = 1
_LETTERS: dict[Order, Letter] = {Order.COLUMN: "F", Order.ROW: "C"}


def _named(kind: type[Algorithm] | type[Setup], what: str, value: str) -> int:
    try:
        return kind[value.upper()]
    except (KeyError, AttributeError):
        names = ", ".join(member.name.lower() for member in kind)
        raise ValueError(f"{what} must be one of {names}, but it is {value!r}") from None


def _operation(trans: str) -> Operation:
    try:
        return _OPERATIONS[trans.upper()]
    except (KeyError, AttributeError):
        raise ValueError(f"trans must be 'N', 'T' or 'H', but it is {trans!r}") from None


class TriangularSolver:
    """An analysed triangular matrix, which solves ``op(A) x = alpha b``. :func:`analyse` makes it.

    Threads may share a solver: its calls run one after the other. ``with`` and :meth:`close` give back what it holds,
    and so does the end of the object. A solver on a GPU cannot be used in a forked process; one on the host can.
    """

    def __init__(
        self,
        matrix: Matrix,
        *,
        lower: bool,
        unit: bool,
        trans: str,
        any_trans: bool,
        copy: bool,
        nrhs: int,
        algorithm: str,
        setup: str,
        timeout: float,
    ) -> None:
        self._operation = _operation(trans)
        self._any_trans = any_trans
        algorithm_number, setup_number = _named(Algorithm, "algorithm", algorithm), _named(Setup, "setup", setup)
        if nrhs < 1:
            raise ValueError(f"nrhs must be 1 or more, but it is {nrhs}")
        self._lock = threading.RLock()
        self._shape = (matrix.rows, matrix.rows)
        self._entries, self._dtype, self._device = matrix.entries, matrix.dtype, matrix.device
        self._one = scalar(_ONE, matrix.dtype)
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
        self._buffer = r.scratch(size.value)
        with self._on_stream(matrix.framework, matrix.values, matrix.offsets, matrix.indices):
            r.call("sptrsvAnalysis", *what, r.descr, kind, *arrays, r.info, SolvePolicy.USE_LEVEL, self._buffer)

    # ------------------------------------------------------------------------------------------ solves

    def solve(
        self,
        b: Any,
        *,
        out: Any = None,
        trans: Trans | None = None,
        alpha: complex = _ONE,
        check: bool = False,
    ) -> Any:
        """Solves ``op(A) x = alpha b``.

        Parameters
        ----------
        b : array of shape (n,) or (n, k)
            One right-hand side, or k of them as columns, in C or Fortran order. It is read as it lies where its rows or
            columns lie one after the other; any other array, and one of a type that converts safely to that of the
            matrix, is copied first.
        out : array, optional
            Receives the solution: of b's shape, of the matrix's type, in C or Fortran order. It may be b itself.
        trans : {"N", "T", "H"}, optional
            op(A): A, its transpose, or its conjugate transpose. The default is the one of the analysis; others need
            ``any_trans=True`` there.
        alpha : number
            Multiplies b.
        check : bool
            Whether to raise :class:`ZeroPivotError` where the diagonal has a zero. On a GPU this waits for the solve.

        Returns
        -------
        x : array
            ``out``, else a new array of b's library and order.

        Raises
        ------
        TypeError, ValueError
            b or out cannot be used. Nothing is solved.
        SptrsvError
            The library refused the solve, or an earlier solve ended in its watchdog (:class:`TimedOutError`).

        Notes
        -----
        On a GPU the solve is enqueued on the current stream of b's library, and this returns at once. It can be
        captured into a CUDA graph if ``out`` is given and ``check`` is not. Without ``check``, x holds Inf or NaN where
        a pivot is zero.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, sptrsv
        >>> solver = sptrsv.analyse(sp.csr_array([[2.0, 0, 0], [1, 2, 0], [0, 1, 3]]))
        >>> solver.solve([2.0, 5, 11])
        array([1., 2., 3.])
        >>> solver.solve(np.array([[2.0, 4], [5, 10], [11, 22]]))
        array([[1., 2.],
               [2., 4.],
               [3., 6.]])
        """
        operation = self._operation if trans is None else self._allowed(trans)
        factor = self._one if alpha is _ONE else scalar(alpha, self._dtype)
        framework = framework_of(b)
        with self._lock:
            self._must_be_usable()
            view = self._converted("b", b, framework)
            shape = view.shape
            if len(shape) not in (1, 2) or shape[0] != self._shape[0]:
                raise ValueError(
                    f"b must have the shape ({self._shape[0]},) or ({self._shape[0]}, k), but it has {shape}"
                )
            layout = view.layout()
            if layout is None:
                view, layout = self._copied(view, framework)
            if out is None:
                maker = framework if framework.makes_arrays else self._framework
                out = maker.empty(shape, self._dtype, _LETTERS[layout.order], self._device)
                target, target_layout = self._target(out, shape)
            else:
                target, target_layout = self._target(out, shape)
                if target.overlaps(view) and (view.pointer, layout) != (target.pointer, target_layout):
                    view, layout = self._copied(view, framework)
            if view.size:
                with self._on_stream(framework, view, target):
                    self._solve(operation, factor, view, layout, target, target_layout)
            if check:
                self._raise_zero_pivot()
            return out

    def _solve(
        self,
        operation: Operation,
        factor: ctypes.Array[ctypes.c_char],
        view: Array,
        layout: Layout,
        target: Array,
        target_layout: Layout,
    ) -> None:
        columns = view.shape[1] if len(view.shape) == 2 else 1
        arrays = (None, None, None) if self._arrays is None else tuple(a.pointer for a in self._arrays)
        r = self._resources
        r.call(
            "sptrsvSolveDense", *self._arguments(operation), columns, factor, r.descr, DATA_TYPES[self._dtype], *arrays,
            r.info, view.pointer, layout.leading, layout.order, target.pointer, target_layout.leading,
            target_layout.order, SolvePolicy.USE_LEVEL, self._buffer,
        )  # fmt: skip

    def update(self, values: Any) -> None:
        """Replaces the values of the matrix; the pattern stays, and no new analysis is needed.

        Parameters
        ----------
        values : array of shape (nnz,)
            The new values, in the order of ``A.data`` (of ``A.values()`` in PyTorch), of the matrix's type or one that
            converts safely to it.

        Notes
        -----
        They are copied, on a GPU in the order of the stream. A solver that was made with ``copy=False`` reads this
        array at each solve from then on.

        Examples
        --------
        >>> import scipy.sparse as sp, sptrsv
        >>> A = sp.csr_array([[2.0, 0], [1, 2]])
        >>> solver = sptrsv.analyse(A)
        >>> solver.update(2 * A.data)
        >>> solver.solve([4.0, 4])
        array([1. , 0.5])
        """
        framework = framework_of(values)
        with self._lock:
            self._must_be_usable()
            view = self._converted("values", values, framework)
            if view.shape != (self._entries,):
                raise ValueError(f"values must have the shape ({self._entries},), but it has {view.shape}")
            if not view.is_contiguous:
                view = framework.view(framework.copy(view, self._dtype, "C"))
            if self._arrays is not None:
                self._arrays = (view, *self._arrays[1:])
                return
            with self._on_stream(framework, view):
                self._resources.call("sptrsvUpdateValues", self._resources.info, view.pointer)

    def _allowed(self, trans: str) -> Operation:
        operation = _operation(trans)
        if operation != self._operation and not self._any_trans:
            analysed = next(letter for letter, known in _OPERATIONS.items() if known == self._operation)
            raise ValueError(f"trans is {trans!r}, but A was analysed for {analysed!r}: analyse it with any_trans=True")
        return operation

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

    def _copied(self, view: Array, framework: Framework) -> tuple[Array, Layout]:
        copy = framework.view(framework.copy(view, self._dtype, "C"))
        layout = copy.layout()
        assert layout is not None, "a new array has its rows one after the other"
        return copy, layout

    def _target(self, out: Any, shape: tuple[int, ...]) -> tuple[Array, Layout]:
        framework = framework_of(out)
        if isinstance(out, (list, tuple)):
            raise TypeError("out must be an array")
        target = framework.view(out)
        if target.shape != shape or target.dtype != self._dtype:
            raise ValueError(
                f"out must have the shape {shape} and the type {self._dtype}, "
                f"but it has {target.shape} and {target.dtype}"
            )
        if target.size and target.device != self._device:
            raise ValueError(f"out is in {target.place()}, but the matrix was analysed in {place(self._device)}")
        layout = target.layout()
        if layout is None or not target.writable:
            why = "neither its rows nor its columns lie one after the other"
            if not target.writable:
                why = "it is read-only, of another byte order, or a lazy conjugate"
            raise ValueError(f"out cannot be used: {why}")
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

    def _find_zero_pivot(self) -> tuple[int, str] | None:
        with self._lock:
            self._must_be_usable()
            r = self._resources
            row = c_int64(-1)
            # On a stream that is there: that of the last solve may be gone.
            with self._on_stream(self._framework):
                status = library.sptrsvZeroPivot(r.handle, r.info, byref(row))
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
        return f"<sptrsv.TriangularSolver of {n} x {n} {self._dtype} on {self.device}>"

    # ------------------------------------------------------------------------------------------ lifetime

    def close(self) -> None:
        """Gives back what the solver holds, after its solves in flight. A second call does nothing."""
        with self._lock:
            self._finalizer()
            self._arrays = None

    def __enter__(self) -> TriangularSolver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def analyse(
    A: Any,
    lower: bool = True,
    unit: bool = False,
    trans: Trans = "N",
    *,
    any_trans: bool = False,
    copy: bool = True,
    nrhs: int = 1,
    algorithm: str = "auto",
    setup: str = "auto",
    timeout: float = 10.0,
) -> TriangularSolver:
    """Analyses a sparse triangular matrix for solves of ``op(A) x = alpha b``.

    Parameters
    ----------
    A : sparse matrix in CSR or CSC
        Of SciPy (solved on the host executor), of CuPy (on its GPU), a sparse tensor of PyTorch (where it is), or any
        object with the attributes ``format`` ("csr" or "csc"), ``shape``, ``indptr``, ``indices`` and ``data``. Square;
        float32, float64, complex64 or complex128; int32 or int64 indices, sorted or not; duplicates add up. The format
        is not converted.
    lower : bool
        Whether the lower triangle of A is the matrix, or the upper one. The other triangle is ignored.
    unit : bool
        Whether the diagonal is all ones. Entries of A on it are then ignored.
    trans : {"N", "T", "H"}
        op(A): A, its transpose, or its conjugate transpose.
    any_trans : bool
        Whether solves may take any op. It takes the memory of two analyses.
    copy : bool
        Whether to copy the values. If not, each solve reads A's own array as it is then, which must stay.
    nrhs : int
        How many right-hand sides solves will mostly have at once. Any other number works too.
    algorithm : str
        "auto", or the name of an algorithm in small letters: "levr", "slfr", "tiled", ...
    setup : {"auto", "cpu", "gpu", "gpu_kahn"}
        Where the analysis of a matrix on a GPU is done.
    timeout : float
        Seconds without progress after which a wait inside an analysis or a solve is ended; 0 turns this off.

    Returns
    -------
    solver : TriangularSolver

    Raises
    ------
    TypeError, ValueError
        A or an option cannot be used.
    NoGpuError
        A is on a GPU, and there is no driver, or no code for this GPU.
    InvalidMatrixError
        Offsets that fall, or an index out of range.
    OutOfMemoryError, TimedOutError, SptrsvError
        As the library says.

    Notes
    -----
    On a GPU the analysis works on the current stream of A's library and waits for it. It cannot be captured.

    Examples
    --------
    >>> import scipy.sparse as sp, sptrsv
    >>> A = sp.csr_array([[2.0, 0], [1, 4]])
    >>> with sptrsv.analyse(A) as solver:
    ...     solver.solve([2.0, 9])
    array([1., 2.])
    >>> sptrsv.analyse(A, trans="T").solve([4.0, 8])
    array([1., 2.])
    """
    return TriangularSolver(
        read(A),
        lower=lower,
        unit=unit,
        trans=trans,
        any_trans=any_trans,
        copy=copy,
        nrhs=nrhs,
        algorithm=algorithm,
        setup=setup,
        timeout=timeout,
    )
