"""Incomplete factorisations without fill-in."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any, Callable, Literal

import numpy as np

from ._arrays import DATA_TYPES, Array
from ._errors import ZeroPivotError, check
from ._frameworks import framework_of
from ._library import library
from ._matrix import Matrix
from ._pair import TriangularPair
from ._resources import Resources
from ._smoother import read_csr
from ._solver import TriangularSolver

Kind = Literal["ilu0", "ic0"]
_FUNCTIONS: dict[Kind, str] = {"ilu0": "sptrsvIlu0", "ic0": "sptrsvIc0"}


class IncompleteFactors:
    """An incomplete factorisation of a matrix, which solves with both factors. :func:`ilu0` and :func:`ic0` make it.

    Threads may share it: its calls run one after the other. ``with`` and :meth:`close` give back what it holds.
    """

    def __init__(
        self,
        matrix: Matrix,
        kind: Kind,
        *,
        boost: tuple[float, complex] | None,
        algorithm: str,
        setup: str,
        timeout: float,
    ) -> None:
        self._kind: Kind = kind
        self._lock = threading.RLock()
        if not matrix.framework.makes_arrays:
            raise TypeError(f"A must be of SciPy, CuPy or PyTorch for {kind}, as its arrays are copied")
        kept = [framework_of(a.owner).copy(a, a.dtype, "C") for a in (matrix.offsets, matrix.indices, matrix.values)]
        offsets, indices, values = (framework_of(a).view(a) for a in kept)
        matrix = dataclasses.replace(matrix, offsets=offsets, indices=indices, values=values)
        self._values, self._before = kept[2], None

        def prepare(r: Resources) -> None:
            check(library.sptrsvSetFactorization(r.info, 1))
            if boost is not None:
                tolerance, value = boost
                check(library.sptrsvSetPivotBoost(r.info, tolerance, complex(value).real, complex(value).imag))

        def nothing(_: Resources) -> None:
            pass

        def solver(lower: bool, unit: bool, trans: str, prepare: Callable[[Resources], None]) -> TriangularSolver:
            return TriangularSolver(
                matrix,
                lower=lower,
                unit=unit,
                trans=trans,
                any_trans=False,
                copy=False,
                nrhs=1,
                algorithm=algorithm,
                setup=setup,
                timeout=timeout,
                prepare=prepare,
            )

        is_lu = kind == "ilu0"
        self._first = solver(True, is_lu, "N", prepare)
        self._second = solver(False, False, "N", nothing) if is_lu else solver(True, False, "H", nothing)
        self._pair = TriangularPair(self._first, self._second) if is_lu else None
        self._factorize()

    def _factorize(self) -> None:
        first, second = self._first, self._second
        assert first._arrays is not None
        values, offsets, indices = first._arrays
        if not first._shape[0]:
            return
        r = first._resources
        # Solves on other streams come before, and those that follow after.
        with second._on_stream(first._framework, values), first._on_stream(first._framework, values):
            r.call(
                _FUNCTIONS[self._kind], first._shape[0], first._entries, r.descr, DATA_TYPES[first._dtype],
                values.pointer, offsets.pointer, indices.pointer, r.info, first._buffer,
            )  # fmt: skip

    def solve(self, b: Any, *, out: Any = None) -> Any:
        """Solves with both factors: ``L U x = b`` after :func:`ilu0`, ``L L^H x = b`` after :func:`ic0`.

        Parameters
        ----------
        b : array of shape (n,) or (n, k)
            As in :meth:`TriangularSolver.solve`.
        out : array, optional
            Receives the solution, also as there.

        Returns
        -------
        x : array
            ``out``, else a new array of b's library and order.

        Examples
        --------
        >>> import scipy.sparse as sp, sptrsv
        >>> factors = sptrsv.ilu0(sp.csr_array([[2.0, 1], [4, 5]]))
        >>> factors.solve([5.0, 19])
        array([1., 3.])
        """
        with self._lock:
            if self._pair is not None:
                return self._pair.solve(b, out=out)
            x = self._first.solve(b, out=out)
            return self._second.solve(x, out=x)

    def update(self, values: Any, *, check: bool = True) -> None:
        """Factorises new values in the same pattern.

        Parameters
        ----------
        values : array of shape (nnz,)
            In the order of ``A.data``, of the matrix's type or one that converts safely to it. They are copied.
        check : bool
            Whether to raise :class:`ZeroPivotError` where a pivot is zero. On a GPU this waits for the factorisation.
        """
        framework = framework_of(values)
        with self._lock:
            self._first._must_be_usable()
            view = self._first._converted("values", values, framework)
            if view.shape != (self._first._entries,):
                raise ValueError(f"values must have the shape ({self._first._entries},), but it has {view.shape}")
            new = framework.copy(view, view.dtype, "C")
            view = framework_of(new).view(new)
            for solver in (self._first, self._second):
                assert solver._arrays is not None
                solver._arrays = (view, *solver._arrays[1:])
            # Solves in flight may still read those from before.
            self._before, self._values = self._values, new
            self._factorize()
            if check:
                self._raise_zero_pivot()

    @property
    def values(self) -> Any:
        """The factors' values, in the order of ``A.data``: an array of the matrix's library, which must not be changed.

        After :func:`ilu0` L is below the diagonal, whose own diagonal is ones, and U on and above it. After :func:`ic0`
        L is on and below the diagonal, and above it are A's own values.
        """
        return self._values

    def zero_pivot(self) -> int | None:
        """The smallest row (counted from 0) whose pivot is zero, or None. It waits for the factorisation."""
        found = self._find_zero_pivot()
        return None if found is None else found[0]

    def _find_zero_pivot(self) -> tuple[int, str] | None:
        with self._lock:
            return self._first._find_zero_pivot("sptrsvFactorZeroPivot")

    def _raise_zero_pivot(self) -> None:
        found = self._find_zero_pivot()
        if found is not None:
            raise ZeroPivotError(found[1], found[0])

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        return self._first.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its values, and of solutions."""
        return self._first.dtype

    @property
    def device(self) -> str:
        """Where it works: "host", or "cuda:" and the number of the GPU."""
        return self._first.device

    def __repr__(self) -> str:
        n = self.shape[0]
        return f"<sptrsv.IncompleteFactors ({self._kind}) of {n} x {n} {self.dtype} on {self.device}>"

    def close(self) -> None:
        """Gives back what it holds, after its work in flight. A second call does nothing."""
        with self._lock:
            self._first.close()
            self._second.close()
            self._values = self._before = None

    def __enter__(self) -> IncompleteFactors:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ilu0(
    A: Any,
    *,
    boost: tuple[float, complex] | None = None,
    check: bool = True,
    algorithm: str = "auto",
    setup: str = "auto",
    timeout: float = 10.0,
) -> IncompleteFactors:
    """Factorises a sparse matrix into L U without fill-in: ILU(0).

    Parameters
    ----------
    A : sparse matrix in CSR
        Of SciPy, CuPy or PyTorch, as :func:`analyse` takes it. Each row must have its columns in ascending order, each
        once, and an entry on its diagonal (``A.sum_duplicates()``). Its arrays are copied.
    boost : (tolerance, value), optional
        Pivots of an absolute value of at most ``tolerance`` are replaced by ``value``.
    check : bool
        Whether to raise :class:`ZeroPivotError` where a pivot is zero.
    algorithm, setup, timeout
        As in :func:`analyse`.

    Returns
    -------
    factors : IncompleteFactors

    Raises
    ------
    TypeError, ValueError
        A or an option cannot be used.
    ZeroPivotError
        A pivot is zero.
    InvalidMatrixError
        A row is not sorted, or has no entry on its diagonal.
    SptrsvError
        As :func:`analyse`.

    Examples
    --------
    >>> import scipy.sparse as sp, sptrsv
    >>> factors = sptrsv.ilu0(sp.csr_array([[2.0, 1], [4, 5]]))
    >>> factors.values
    array([2., 1., 2., 3.])
    """
    return _factorized(A, "ilu0", boost, check, algorithm, setup, timeout)


def ic0(
    A: Any,
    *,
    check: bool = True,
    algorithm: str = "auto",
    setup: str = "auto",
    timeout: float = 10.0,
) -> IncompleteFactors:
    """Factorises a Hermitian sparse matrix into L L^H without fill-in: IC(0).

    Parameters
    ----------
    A : sparse matrix in CSR
        As for :func:`ilu0`. Only the lower triangle is read; entries above it need not be stored.
    check, algorithm, setup, timeout
        As in :func:`ilu0`. A pivot that is zero or negative counts as a zero one.

    Returns
    -------
    factors : IncompleteFactors

    Examples
    --------
    >>> import scipy.sparse as sp, sptrsv
    >>> factors = sptrsv.ic0(sp.csr_array([[4.0, 2], [2, 10]]))
    >>> factors.solve([8.0, 22])
    array([1., 2.])
    """
    return _factorized(A, "ic0", None, check, algorithm, setup, timeout)


def _factorized(
    A: Any,
    kind: Kind,
    boost: tuple[float, complex] | None,
    check: bool,
    algorithm: str,
    setup: str,
    timeout: float,
) -> IncompleteFactors:
    factors = IncompleteFactors(
        read_csr(A, kind), kind, boost=boost, algorithm=algorithm, setup=setup, timeout=timeout
    )
    if check:
        factors._raise_zero_pivot()
    return factors
