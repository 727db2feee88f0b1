"""``analyse`` and what it returns."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Literal, NamedTuple

from ._analysed import Analysed
from ._arrays import DATA_TYPES, Array, Layout, scalar
from ._frameworks import Framework, Letter, framework_of
from ._library import Operation, Order, SolvePolicy
from ._matrix import Matrix, read
from ._resources import Resources

Trans = Literal["N", "T", "H"]

_OPERATIONS = {
    "N": Operation.NON_TRANSPOSE,
    "T": Operation.TRANSPOSE,
    "H": Operation.CONJUGATE_TRANSPOSE,
}
# The default of alpha, whose bytes a solver keeps.
_ONE = 1
_LETTERS: dict[Order, Letter] = {Order.COLUMN: "F", Order.ROW: "C"}


class Vectors(NamedTuple):
    """Right-hand sides, and where their solutions go: ``out`` is the caller's array, ``target`` the view of it."""

    out: Any
    view: Array
    layout: Layout
    target: Array
    target_layout: Layout

    @property
    def columns(self) -> int:
        return self.view.shape[1] if len(self.view.shape) == 2 else 1

    def in_place(self) -> Vectors:
        """The solutions as the right-hand sides of another solve."""
        return self._replace(view=self.target, layout=self.target_layout)


def _operation(trans: str) -> Operation:
    try:
        return _OPERATIONS[trans.upper()]
    except (KeyError, AttributeError):
        raise ValueError(f"trans must be 'N', 'T' or 'H', but it is {trans!r}") from None


class TriangularSolver(Analysed):
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
        tune: bool = False,
        prepare: Callable[[Resources], None] = lambda _: None,
    ) -> None:
        self._any_trans = any_trans
        self._one = scalar(_ONE, matrix.dtype)
        super().__init__(
            matrix,
            lower=lower,
            unit=unit,
            operation=_operation(trans),
            any_trans=any_trans,
            copy=copy,
            nrhs=nrhs,
            algorithm=algorithm,
            setup=setup,
            timeout=timeout,
            prepare=prepare,
        )
        if tune:
            self._tune(matrix)

    def _tune(self, matrix: Matrix) -> None:
        operations = {Operation.NON_TRANSPOSE, Operation.TRANSPOSE} if self._any_trans else {self._operation}
        arrays = (matrix.values, matrix.offsets, matrix.indices)
        r = self._resources
        with r.temporary(self._shape[0] * self._dtype.itemsize) as x, self._on_stream(matrix.framework, *arrays):
            for operation in sorted(operations):
                r.call(
                    "sptrsvTune", *self._arguments(operation), self._one, r.descr, DATA_TYPES[self._dtype],
                    *(a.pointer for a in arrays), r.info, x, x, SolvePolicy.USE_LEVEL, self._buffer,
                )  # fmt: skip

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
        factor = self._factor(alpha)
        framework = framework_of(b)
        with self._lock:
            self._must_be_usable()
            v = self._vectors(b, out, framework)
            if v.view.size:
                with self._on_stream(framework, v.view, v.target):
                    self._solve(operation, factor, v)
            if check:
                self._raise_zero_pivot()
            return v.out

    def _factor(self, alpha: complex) -> ctypes.Array[ctypes.c_char]:
        return self._one if alpha is _ONE else scalar(alpha, self._dtype)

    def _vectors(self, b: Any, out: Any, framework: Framework, by_columns: bool = False) -> Vectors:
        """Views of right-hand sides and solutions, which may have to be stored by columns."""
        view = self._converted("b", b, framework)
        shape = view.shape
        if len(shape) not in (1, 2) or shape[0] != self._shape[0]:
            raise ValueError(f"b must have the shape ({self._shape[0]},) or ({self._shape[0]}, k), but it has {shape}")
        order: Letter = "F" if by_columns else "C"
        layout = view.layout()
        if layout is None or (by_columns and layout.order != Order.COLUMN):
            view, layout = self._copied(view, framework, order)
        if out is None:
            maker = framework if framework.makes_arrays else self._framework
            out = maker.empty(shape, self._dtype, _LETTERS[layout.order], self._device)
            return Vectors(out, view, layout, *self._target(out, shape))
        target, target_layout = self._target(out, shape)
        if by_columns and target_layout.order != Order.COLUMN:
            raise ValueError("out must be in Fortran order, as rows or columns are permuted")
        if target.overlaps(view) and (view.pointer, layout) != (target.pointer, target_layout):
            view, layout = self._copied(view, framework, order)
        return Vectors(out, view, layout, target, target_layout)

    def _pointers(self) -> tuple[int | None, ...]:
        """The addresses of the matrix's values, offsets and indices; None where they are copied."""
        return (None, None, None) if self._arrays is None else tuple(a.pointer for a in self._arrays)

    def _solve(self, operation: Operation, factor: ctypes.Array[ctypes.c_char], v: Vectors) -> None:
        r = self._resources
        r.call(
            "sptrsvSolveDense", *self._arguments(operation), v.columns, factor, r.descr, DATA_TYPES[self._dtype],
            *self._pointers(), r.info, v.view.pointer, v.layout.leading, v.layout.order, v.target.pointer,
            v.target_layout.leading, v.target_layout.order, SolvePolicy.USE_LEVEL, self._buffer,
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
    tune: bool = False,
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
    tune : bool
        Whether to time the algorithms that promise most, and to keep the fastest. It takes about as long as 50 solves,
        for each op with ``any_trans=True``. Which one is kept may differ from run to run, and with it the last bits of
        solutions. Where an algorithm is named there is nothing to choose.

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
        tune=tune,
    )
