"""Solves by both factors of a matrix in one call."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np

from ._arrays import DATA_TYPES, Array, place
from ._errors import ZeroPivotError
from ._frameworks import framework_of
from ._library import Operation, Order, SolvePolicy
from ._matrix import Matrix, read
from ._solver import _ONE, Trans, TriangularSolver, Vectors
from ._stats import Stats

# Bytes between the scratch of the solves and that of the permuted vectors: more than any value needs.
_ALIGNMENT = 256


class TriangularPair:
    """A lower and an upper triangular matrix, which are solved with in one call. :func:`pair` makes it.

    Threads may share it: its calls run one after the other. ``with`` and :meth:`close` give back what it holds.
    """

    def __init__(
        self, lower: TriangularSolver, upper: TriangularSolver, rows: Array | None = None, columns: Array | None = None
    ) -> None:
        self._lower, self._upper = lower, upper
        self._rows, self._columns = rows, columns
        self._lock = threading.RLock()
        # Of the larger buffer; the permuted vectors lie behind it.
        self._buffer_size = max(lower._buffer_size, upper._buffer_size)
        self._scratch_size = 0

    @property
    def _is_permuted(self) -> bool:
        return self._rows is not None or self._columns is not None

    def solve(
        self,
        b: Any,
        *,
        out: Any = None,
        trans: Trans | None = None,
        alpha: complex = _ONE,
        check: bool = False,
    ) -> Any:
        """Solves ``L U x = alpha b``, for "T" and "H" ``op(L U) x = alpha b``.

        Parameters
        ----------
        b : array of shape (n,) or (n, k)
            As in :meth:`TriangularSolver.solve`. Several right-hand sides in C order are copied where rows or columns
            are permuted.
        out : array, optional
            Receives the solution, as there. It must be in Fortran order where rows or columns are permuted.
        trans, alpha, check
            As there.

        Returns
        -------
        x : array
            ``out``, else a new array of b's library: of b's order, but in Fortran order where rows or columns are
            permuted.

        Notes
        -----
        On a GPU the solves are enqueued on the current stream of b's library, and this returns at once. They can be
        captured into a CUDA graph if ``out`` is given and ``check`` is not; with permutations after a solve that is not
        captured, for as many right-hand sides.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, sptrsv
        >>> L, U = sp.csr_array([[1.0, 0], [2, 1]]), sp.csr_array([[2.0, 1], [0, 3]])
        >>> factors = sptrsv.pair(L, U)
        >>> factors.solve([5.0, 19])
        array([1., 3.])
        """
        lower = self._lower
        operation = lower._operation if trans is None else lower._allowed(trans)
        factor = lower._factor(alpha)
        framework = framework_of(b)
        with self._lock:
            lower._must_be_usable()
            v = lower._vectors(b, out, framework, self._is_permuted)
            if v.view.size:
                arrays = (v.view, v.target)
                with self._upper._on_stream(framework, *arrays), lower._on_stream(framework, *arrays):
                    self._solve(operation, factor, v)
            if check:
                self._raise_zero_pivot()
            return v.out

    def _solve(self, operation: Operation, factor: ctypes.Array[ctypes.c_char], v: Vectors) -> None:
        lower, upper = self._lower, self._upper
        if {v.layout.order, v.target_layout.order} != {Order.COLUMN}:
            # The library takes both factors at once for vectors that are stored by columns.
            is_plain = operation == Operation.NON_TRANSPOSE
            first, second = (lower, upper) if is_plain else (upper, lower)
            first._solve(operation, factor, v)
            second._solve(operation, second._one, v.in_place())
            return
        buffer, work = self._scratch(v.columns)
        factors = [(s._resources.descr, s._entries, *s._pointers(), s._resources.info) for s in (lower, upper)]
        rows, columns = (None if array is None else array.pointer for array in (self._rows, self._columns))
        lower._resources.call(
            "sptrsvSolvePair", operation, lower._shape[0], v.columns, factor, DATA_TYPES[lower._dtype], *factors[0],
            *factors[1], rows, columns, v.view.pointer, v.layout.leading, v.target.pointer, v.target_layout.leading,
            work, SolvePolicy.USE_LEVEL, buffer,
        )  # fmt: skip

    def _scratch(self, columns: int) -> tuple[int, int | None]:
        """The addresses of the buffer, and of room for the permuted vectors."""
        if not self._is_permuted:
            larger = max(self._lower, self._upper, key=lambda solver: solver._buffer_size)
            return larger._buffer, None
        lower = self._lower
        size = self._buffer_size + _ALIGNMENT + lower._shape[0] * columns * lower._dtype.itemsize
        if size > self._scratch_size:
            lower._buffer, self._scratch_size = lower._resources.scratch(size), size
        return lower._buffer, -(-(lower._buffer + self._buffer_size) // _ALIGNMENT) * _ALIGNMENT

    def update(self, L: Any, U: Any = None) -> None:
        """Replaces the values of the factors; the patterns stay, and no new analysis is needed.

        Parameters
        ----------
        L : array of shape (nnz,)
            The new values of L, in the order of ``L.data``, as in :meth:`TriangularSolver.update`.
        U : array of shape (nnz,), optional
            Those of U. Without it L has both factors.

        Examples
        --------
        >>> import scipy.sparse as sp, sptrsv
        >>> factors = sp.csr_array([[2.0, 1], [2, 3]])
        >>> both = sptrsv.pair(factors)
        >>> both.update([4.0, 2, 2, 6])
        >>> both.solve([10.0, 38])
        array([1., 3.])
        """
        with self._lock:
            self._lower.update(L)
            self._upper.update(L if U is None else U)

    def zero_pivot(self) -> int | None:
        """The smallest row of the factors (counted from 0) with a zero on the diagonal of L or U, or None.

        It waits for the last solve.
        """
        found = self._find_zero_pivot()
        return None if found is None else found[0]

    def _find_zero_pivot(self) -> tuple[int, str] | None:
        with self._lock:
            found = [solver._find_zero_pivot() for solver in (self._lower, self._upper)]
            return min((pivot for pivot in found if pivot is not None), default=None)

    def _raise_zero_pivot(self) -> None:
        found = self._find_zero_pivot()
        if found is not None:
            raise ZeroPivotError(found[1], found[0])

    @property
    def stats(self) -> tuple[Stats, Stats]:
        """What the analyses of L and of U found and what they cost."""
        return self._lower.stats, self._upper.stats

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of both factors."""
        return self._lower.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of their values, and of solutions."""
        return self._lower.dtype

    @property
    def device(self) -> str:
        """Where it solves: "host", or "cuda:" and the number of the GPU."""
        return self._lower.device

    def __repr__(self) -> str:
        n = self.shape[0]
        return f"<sptrsv.TriangularPair of {n} x {n} {self.dtype} on {self.device}>"

    def close(self) -> None:
        """Gives back what it holds, after its work in flight. A second call does nothing."""
        with self._lock:
            self._lower.close()
            self._upper.close()
            self._rows = self._columns = None

    def __enter__(self) -> TriangularPair:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def pair(
    L: Any,
    U: Any = None,
    *,
    rows: Any = None,
    columns: Any = None,
    unit: bool = True,
    upper_unit: bool = False,
    trans: Trans = "N",
    any_trans: bool = False,
    copy: bool = True,
    nrhs: int = 1,
    algorithm: str = "auto",
    setup: str = "auto",
    timeout: float = 10.0,
) -> TriangularPair:
    """Analyses the factors of ``A = L U`` for solves with both in one call.

    Parameters
    ----------
    L : sparse matrix in CSR or CSC
        Its lower triangle is L; as :func:`analyse` takes it.
    U : sparse matrix in CSR or CSC, optional
        Its upper triangle is U. Of L's type and size, and where L is. Without it L's upper triangle is U, as the
        factors of an incomplete factorisation are often stored.
    rows, columns : arrays of n integers, optional
        For a matrix whose rows and columns were permuted before the factorisation: ``rows[i]`` is the row of A that is
        row i of L U, and ``columns[j]`` the column of A that is its column j. Right-hand sides and solutions are then
        those of A. They are copied. On a GPU they are not checked.
    unit : bool
        Whether the diagonal of L is all ones. Entries on it are then ignored.
    upper_unit : bool
        The same for U.
    trans, any_trans, copy, nrhs, algorithm, setup, timeout
        As in :func:`analyse`. Each permutation costs a copy of the vectors.

    Returns
    -------
    pair : TriangularPair

    Raises
    ------
    TypeError, ValueError
        A matrix, a permutation or an option cannot be used.
    SptrsvError
        As :func:`analyse`.

    Examples
    --------
    The factors of SciPy, with their permutations:

    >>> import numpy as np, scipy.sparse as sp, sptrsv
    >>> from scipy.sparse.linalg import splu
    >>> A = sp.csc_array([[0.0, 3, 1], [4, 1, 0], [1, 0, 5]])
    >>> lu = splu(A)
    >>> factors = sptrsv.pair(lu.L, lu.U, rows=np.argsort(lu.perm_r), columns=np.argsort(lu.perm_c))
    >>> np.allclose(factors.solve(A @ [1.0, 2, 3]), [1, 2, 3])
    True
    """
    of_l = read(L)
    of_u = of_l if U is None else read(U)
    _must_fit(of_l, of_u)

    def solver(matrix: Matrix, lower: bool, unit: bool) -> TriangularSolver:
        return TriangularSolver(
            matrix,
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

    one = solver(of_l, True, unit)
    permutations = [_permutation(what, given, of_l, one) for what, given in (("rows", rows), ("columns", columns))]
    return TriangularPair(one, solver(of_u, False, upper_unit), *permutations)


def _must_fit(L: Matrix, U: Matrix) -> None:
    if L.rows != U.rows:
        raise ValueError(f"L has {L.rows} rows, but U has {U.rows}")
    if L.dtype != U.dtype:
        raise TypeError(f"L is {L.dtype}, but U is {U.dtype}")
    if L.entries and U.entries and L.device != U.device:
        raise ValueError(f"L is in {place(L.device)}, but U is in {place(U.device)}")


def _permutation(what: str, given: Any, L: Matrix, solver: TriangularSolver) -> Array | None:
    """A copy of a permutation in the type of L's indices, which later solves wait for."""
    if given is None:
        return None
    framework = framework_of(given)
    view = framework.view(given)
    if view.shape != (L.rows,) or view.dtype.kind not in "iu":
        found = f"it has the shape {view.shape} and the type {view.dtype}"
        raise ValueError(f"{what} must be {L.rows} integers, but {found}")
    if view.size and view.device != L.device:
        raise ValueError(f"{what} is in {view.place()}, but L is in {place(L.device)}")
    if view.size and view.device is None and not np.array_equal(np.sort(view.owner), np.arange(L.rows)):
        raise ValueError(f"{what} must have each number from 0 to {L.rows - 1} once")
    copy = framework.view(framework.copy(view, L.indices.dtype, "C"))
    with solver._on_stream(framework, view):
        return copy
