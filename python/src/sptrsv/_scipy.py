"""SciPy's function for triangular systems, on this library."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ._errors import ZeroPivotError
from ._frameworks import framework_of
from ._solver import analyse


def spsolve_triangular(
    A: Any,
    b: Any,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> Any:
    """Solves ``A x = b`` for a triangular matrix, as ``scipy.sparse.linalg.spsolve_triangular`` does.

    Parameters
    ----------
    A : (n, n) sparse matrix
        Of SciPy, or of CuPy: then the system is solved on its GPU. In CSR or CSC; others are converted to CSR, with
        SciPy's warning.
    b : (n,) or (n, k) array
    lower : bool
        Whether A is a lower triangular matrix.
    overwrite_A : bool
        For SciPy's sake; A is never changed.
    overwrite_b : bool
        Whether b may receive the solution. It then does where its type is that of the result.
    unit_diagonal : bool
        Whether the diagonal is taken as all ones.

    Returns
    -------
    x : array of b's shape
        Of the type that SciPy 1.15 and later give: A's and b's promoted, and at least float32.

    Raises
    ------
    numpy.linalg.LinAlgError
        The diagonal has a zero.
    ValueError
        The shapes do not fit.

    Notes
    -----
    Each call analyses A. To solve more than once, use :func:`analyse`. Entries in the other triangle are ignored.

    Examples
    --------
    >>> import scipy.sparse as sp, sptrsv
    >>> sptrsv.spsolve_triangular(sp.csr_array([[2, 0], [1, 4]]), [2, 9])
    array([1., 2.])
    """
    if hasattr(A, "to_scipy_sparse"):
        A = A.to_scipy_sparse()
    if getattr(A, "format", None) not in ("csr", "csc"):
        A = _to_csr(A)
    rows, columns = A.shape
    if rows != columns:
        raise ValueError(f"A must be a square matrix but its shape is {A.shape}.")
    framework = framework_of(A.data)
    if not hasattr(b, "dtype"):
        b = np.asarray(b)
    if b.ndim not in (1, 2):
        raise ValueError(f"b must have 1 or 2 dims but its shape is {b.shape}.")
    if b.shape[0] != rows:
        raise ValueError(
            "The size of the dimensions of A must be equal to the size of the first dimension of b but the shape of A "
            f"is {A.shape} and the shape of b is {b.shape}."
        )
    # SciPy divides by the diagonal first, which makes integers double precision.
    least = np.float64 if A.dtype.kind in "biu" and not unit_diagonal else np.float32
    dtype = np.promote_types(np.promote_types(A.dtype, least), b.dtype)
    if A.dtype != dtype:
        A = A.astype(dtype)
    columns = b.shape[1] if b.ndim == 2 else 1
    with analyse(A, lower, unit_diagonal, copy=False, nrhs=max(columns, 1)) as solver:
        # As in SciPy a result of several columns is in Fortran order.
        out = b
        if not overwrite_b or b.dtype != dtype or framework.view(b).layout() is None:
            out = framework.empty(b.shape, dtype, "F", framework.view(A.data).device)
        try:
            return solver.solve(b, out=out, check=True)
        except ZeroPivotError as e:
            raise ZeroPivotError(f"A is singular: zero entry on diagonal. In detail: {e}", e.row) from None


def _to_csr(A: Any) -> Any:
    library = framework_of(getattr(A, "data", A)).name
    if library == "CuPy":
        return A.tocsr()
    if library != "NumPy":
        raise TypeError("A must be a sparse matrix of SciPy or CuPy; for a tensor call sptrsv.analyse")
    import scipy.sparse

    warnings.warn(
        "CSC or CSR matrix format is required. Converting to CSR matrix.",
        scipy.sparse.SparseEfficiencyWarning,
        stacklevel=3,
    )
    return scipy.sparse.csr_array(A)
