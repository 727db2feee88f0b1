"""Gauss-Seidel and SOR sweeps."""

from __future__ import annotations

import contextlib
import functools
import operator
from typing import Any, Callable

import numpy as np

from ._analysed import Analysed
from ._arrays import DATA_TYPES, place
from ._errors import check
from ._frameworks import Framework, framework_of
from ._library import Format, Operation, Sweeps, library
from ._matrix import Matrix, read
from ._resources import Resources


class Smoother(Analysed):
    """A matrix that was analysed for sweeps. :func:`smoother` makes it.

    Threads may share it: its calls run one after the other. ``with`` and :meth:`close` give back what it holds.
    """

    def __init__(
        self,
        matrix: Matrix,
        *,
        backward: bool,
        symmetric: bool,
        diagonal: Any,
        algorithm: str,
        setup: str,
        timeout: float,
        sweeps: Sweeps | None = None,
    ) -> None:
        given = diagonal
        sweeps = sweeps or (Sweeps.GAUSS_SEIDEL if diagonal is None else Sweeps.ANY)
        # Gauss-Seidel sweeps on all rows are faster without what others need. Another analysis is for those.
        self._for_others: Smoother | None = None
        self._analyse_for_others: Callable[[], Smoother] | None = None
        if sweeps == Sweeps.GAUSS_SEIDEL:
            self._analyse_for_others = functools.partial(
                Smoother,
                matrix,
                backward=backward,
                symmetric=symmetric,
                diagonal=None,
                algorithm=algorithm,
                setup=setup,
                timeout=timeout,
                sweeps=Sweeps.ANY,
            )
        # For the other half of symmetric sweeps.
        self._other: Smoother | None = None
        if symmetric:
            self._other = Smoother(
                matrix,
                backward=not backward,
                symmetric=False,
                diagonal=diagonal,
                algorithm=algorithm,
                setup=setup,
                timeout=timeout,
                sweeps=sweeps,
            )

        def prepare(r: Resources) -> None:
            check(library.sptrsvSetSweeps(r.info, sweeps))
            if given is not None:
                self._diagonal = self._vector("diagonal", given, framework_of(given))
                check(library.sptrsvSetDiagonal(r.info, self._diagonal.pointer))

        super().__init__(
            matrix,
            lower=not backward,
            unit=False,
            operation=Operation.NON_TRANSPOSE,
            any_trans=False,
            copy=False,
            nrhs=1,
            algorithm=algorithm,
            setup=setup,
            timeout=timeout,
            prepare=prepare,
        )

    def _vector(self, what: str, array: Any, framework: Framework) -> Any:
        view = self._converted(what, array, framework)
        if view.shape != (self._shape[0],):
            raise ValueError(f"{what} must have the shape ({self._shape[0]},), but it has {view.shape}")
        return view if view.is_contiguous else self._copied(view, framework)[0]

    def _marker(self, given: Any, framework: Framework) -> Any:
        """A view of it, or of a copy in the type that the library reads."""
        view = framework.view(given)
        if view.shape != (self._shape[0],) or view.dtype.kind not in "biu":
            found = f"it has the shape {view.shape} and the type {view.dtype}"
            raise ValueError(f"marker must be {self._shape[0]} integers, but {found}")
        if view.size and view.device != self._device:
            raise ValueError(f"marker is in {view.place()}, but the matrix was analysed in {place(self._device)}")
        if view.dtype == np.int32 and view.is_contiguous:
            return view
        return framework.view(framework.copy(view, np.dtype(np.int32), "C"))

    def sweep(
        self, b: Any, x: Any = None, *, weight: float = 1.0, sweeps: int = 1, marker: Any = None, points: int = 1
    ) -> Any:
        """Makes one sweep, or several, for ``A x = b``.

        Parameters
        ----------
        b : array of shape (n,)
            Of the matrix's type, or one that converts safely to it.
        x : array of shape (n,), optional
            What to start from; it is replaced. Of the matrix's type. Without it the sweep starts from zero and is a
            solve with the triangle.
        weight : float
            The weight of SOR; 1 is Gauss-Seidel. Sweeps converge for weights between 0 and 2 alone; others are taken
            too, except 0 and NaN.
        sweeps : int
            How many sweeps to make. A symmetric one counts once.
        marker : array of n integers, optional
            Only rows with ``marker[i] == points`` are relaxed, as multigrid does with coarse and fine points; the others
            keep their x. Of 32 bits it is not copied.
        points : int
            See ``marker``.

        Returns
        -------
        x : array
            ``x``, else a new array of b's library.

        Notes
        -----
        Every unknown is updated with the new values of those before it (behind it, for a backward sweep), as the loop
        over the rows does it. On a GPU the sweep is enqueued on the current stream of b's library.

        The first call with another weight than 1 or with a marker analyses A once more, unless the smoother has a
        ``diagonal``. Make it before a CUDA graph is captured.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, sptrsv
        >>> A = sp.csr_array([[4.0, 1], [1, 2]])
        >>> smoother = sptrsv.smoother(A)
        >>> x = smoother.sweep([8.0, 4])
        >>> x
        array([2., 1.])
        >>> smoother.sweep([8.0, 4], x)
        array([1.75 , 1.125])
        >>> smoother.sweep([8.0, 4], x, marker=np.array([1, -1], np.int32), points=-1)
        array([1.75 , 1.125])
        """
        framework = framework_of(b)
        with self._lock:
            self._must_be_usable()
            if self._analyse_for_others is not None and (weight != 1 or marker is not None):
                self._for_others = self._for_others or self._analyse_for_others()
                return self._for_others.sweep(b, x, weight=weight, sweeps=sweeps, marker=marker, points=points)
            view = self._vector("b", b, framework)
            from_zero = x is None
            if from_zero:
                maker = framework if framework.makes_arrays else self._framework
                x = maker.empty(view.shape, self._dtype, "C", self._device)
            target, _ = self._target(x, view.shape, "x")
            if not target.is_contiguous:
                raise ValueError("x cannot be used: its values do not lie one after the other")
            if target.size and target.overlaps(view):
                view, _ = self._copied(view, framework)
            marked = None if marker is None else self._marker(marker, framework_of(marker))
            if view.size:
                assert self._arrays is not None
                r = self._resources
                values, offsets, indices = (a.pointer for a in self._arrays)
                used = [view, target] if marked is None else [view, target, marked]
                both = [self] if self._other is None else [self._other, self]
                other = (None, None) if self._other is None else (both[0]._resources.descr, both[0]._resources.info)
                buffer = max(both, key=lambda smoother: smoother._buffer_size)._buffer
                with contextlib.ExitStack() as on_stream:
                    for smoother in both:
                        on_stream.enter_context(smoother._on_stream(framework, *used))
                    r.call(
                        "sptrsvRelax", self._shape[0], self._entries, operator.index(sweeps), weight, int(from_zero),
                        DATA_TYPES[self._dtype], values, offsets, indices, r.descr, r.info, *other,
                        None if marked is None else marked.pointer, operator.index(points), view.pointer, target.pointer,
                        buffer,
                    )  # fmt: skip
            return x

    def _find_zero_pivot(self, function: str = "sptrsvZeroPivot") -> tuple[int, str] | None:
        with self._lock:
            found = super()._find_zero_pivot(function)
            of_other = None if self._other is None else self._other._find_zero_pivot(function)
            return min((pivot for pivot in (found, of_other) if pivot is not None), default=None)

    def close(self) -> None:
        """Gives back what the smoother holds, after its work in flight. A second call does nothing."""
        with self._lock:
            for smoother in (self._for_others, self._other):
                if smoother is not None:
                    smoother.close()
            self._for_others = self._analyse_for_others = self._other = None
            super().close()


def smoother(
    A: Any,
    backward: bool = False,
    *,
    symmetric: bool = False,
    diagonal: Any = None,
    algorithm: str = "auto",
    setup: str = "auto",
    timeout: float = 10.0,
) -> Smoother:
    """Analyses a sparse matrix for Gauss-Seidel and SOR sweeps.

    Parameters
    ----------
    A : sparse matrix in CSR
        Of SciPy, CuPy or PyTorch, as :func:`analyse` takes it. Each sweep reads its arrays as they are then; they must
        stay, and the pattern must not change.
    backward : bool
        Whether sweeps go from the last row to the first.
    symmetric : bool
        Whether each sweep goes there and back: forward and then backward, or with ``backward`` the other way round. It
        is one call, and takes a second analysis.
    diagonal : array of shape (n,), optional
        Takes the place of A's diagonal, as the l1 diagonal of hybrid smoothers does. It must stay too.
    algorithm, setup, timeout
        As in :func:`analyse`.

    Returns
    -------
    smoother : Smoother

    Raises
    ------
    TypeError, ValueError
        A or an option cannot be used.
    SptrsvError
        As :func:`analyse`.

    Examples
    --------
    >>> import scipy.sparse as sp, sptrsv
    >>> A = sp.csr_array([[4.0, 1], [1, 2]])
    >>> sptrsv.smoother(A, backward=True).sweep([8.0, 4])
    array([1.5, 2. ])
    """
    return Smoother(
        read_csr(A, "sweeps"),
        backward=backward,
        symmetric=symmetric,
        diagonal=diagonal,
        algorithm=algorithm,
        setup=setup,
        timeout=timeout,
    )


def read_csr(A: Any, what: str) -> Matrix:
    """The matrix, which must be in CSR for this."""
    matrix = read(A)
    if matrix.format != Format.CSR:
        raise TypeError(f"A must be in CSR for {what}, but it is in CSC: convert it with A.tocsr()")
    return matrix
