"""Solves by both factors in one call on the host executor, against dense solves and against two solvers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from problems import TYPES, bound, error, matrix, operator, values
from scipy.sparse.linalg import LinearOperator, gmres, spilu, splu

import sptrsv


@pytest.fixture
def rng():
    return np.random.default_rng(640)


def factors(rng, n, dtype, unit, upper_unit=False):
    """L and U, each with another triangle that must not count."""
    L, U = matrix(rng, n, dtype, density=0.1), matrix(rng, n, dtype, density=0.1)
    return (L / 8).astype(dtype) if unit else L, (U / 8).astype(dtype) if upper_unit else U


def permuted(op, rows, columns):
    """A of P A Q = L U."""
    A = np.empty_like(op)
    A[np.ix_(rows, columns)] = op
    return A


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("formats", [("csr", "csr"), ("csc", "csr"), ("csc", "csc")])
def test_every_operation(rng, dtype, formats):
    for n, unit, upper_unit, trans in (
        (1, True, False, "N"),
        (40, True, False, "N"),
        (40, False, False, "T"),
        (40, True, False, "H"),
        (40, False, True, "N"),
        (40, True, True, "T"),
    ):
        L, U = factors(rng, n, dtype, unit, upper_unit)
        both = sptrsv.pair(
            L.asformat(formats[0]), U.asformat(formats[1]), unit=unit, upper_unit=upper_unit, trans=trans
        )
        one = sptrsv.analyse(L.asformat(formats[0]), True, unit, trans)
        other = sptrsv.analyse(U.asformat(formats[1]), False, upper_unit, trans)
        first, second = (one, other) if trans == "N" else (other, one)
        assert both.shape == (n, n) and both.dtype == dtype and both.device == "host"
        for b in (values(rng, dtype, n), values(rng, dtype, n, 3), np.asfortranarray(values(rng, dtype, n, 3))):
            x = both.solve(b)
            assert np.array_equal(x, second.solve(first.solve(b))), "not the bits of two solves"
            assert x.flags.f_contiguous == b.flags.f_contiguous
            out = b.copy(order="K")
            assert both.solve(out, out=out) is out and np.array_equal(out, x)
            # That the first solve is right, the second says.
            ops = (operator(L, True, unit, trans), operator(U, False, upper_unit, trans))
            y = np.linalg.solve(ops[0] if trans == "N" else ops[1], b)
            assert error(ops[1] if trans == "N" else ops[0], x, y) <= 1000 * bound(dtype)
            assert np.allclose(both.solve(b, alpha=2), 2 * x)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("wide", [False, True])
def test_permutations(rng, dtype, wide):
    n = 50
    L, U = factors(rng, n, dtype, True)
    if wide:
        L.indices, L.indptr = L.indices.astype("i8"), L.indptr.astype("i8")
    rows, columns = rng.permutation(n), rng.permutation(n).astype("i4")
    dense = operator(L, unit=True) @ operator(U, lower=False)
    for given in ({"rows": rows}, {"columns": columns}, {"rows": list(rows), "columns": columns}):
        both = sptrsv.pair(L, U, any_trans=True, **given)
        A = permuted(dense, given.get("rows", np.arange(n)), given.get("columns", np.arange(n)))
        for trans, op in (("N", A), ("T", A.T), ("H", A.conj().T)):
            x = values(rng, dtype, n, 3)
            for b in (op @ x, np.asfortranarray(op @ x), (op @ x)[:, 0]):
                b = b.astype(dtype, order="K")
                solution = both.solve(b, trans=trans)
                expected = np.linalg.solve(op.astype(np.complex128), b)
                close = 1e4 * np.finfo(dtype).eps * np.linalg.cond(op)
                assert np.allclose(solution, expected, rtol=0, atol=close * np.abs(expected).max())
                out = np.array(b, order="F")
                assert both.solve(out, out=out, trans=trans) is out and np.array_equal(out, solution)
        with pytest.raises(ValueError, match="out must be in Fortran order"):
            both.solve(values(rng, dtype, n, 3), out=np.empty((n, 3), dtype))


def test_both_factors_in_one_array(rng):
    A = matrix(rng, 60, "d", density=0.1)
    A.setdiag(1 + abs(A).sum(axis=1))
    A.sum_duplicates()
    incomplete = sptrsv.ilu0(A)
    LU = sp.csr_array((incomplete.values.copy(), A.indices, A.indptr), shape=A.shape)
    b = values(rng, "d", 60)
    with sptrsv.pair(LU) as both:
        x = both.solve(b)
        assert np.array_equal(x, incomplete.solve(b))
        # Values are copied, and replaced by update.
        LU.data *= 3
        assert np.array_equal(both.solve(b), x)
        both.update(incomplete.values * 1.0)
        assert np.array_equal(both.solve(b), x)
        lower, upper = both.stats
        assert lower.rows == upper.rows == 60
        assert repr(both) == "<sptrsv.TriangularPair of 60 x 60 float64 on host>"
    with pytest.raises(ValueError, match="the solver is closed"):
        both.solve(b)
    both.close()


def test_new_values(rng):
    L, U = factors(rng, 30, "d", False)
    b = values(rng, "d", 30)
    for copy in (True, False):
        both = sptrsv.pair(L, U, unit=False, copy=copy)
        x = both.solve(b)
        both.update(2 * L.data, 4 * U.data)
        assert np.allclose(both.solve(b), x / 8)


def test_the_factors_of_scipy(rng):
    """splu and spilu pivot: their permutations are the inverse ones."""
    A = matrix(rng, 200, "d", "csc", density=0.03)[rng.permutation(200)]
    lu = splu(A)
    assert not np.array_equal(lu.perm_r, np.arange(200)) and not np.array_equal(lu.perm_c, np.arange(200))
    exact = rng.standard_normal(200)
    both = sptrsv.pair(lu.L, lu.U, rows=np.argsort(lu.perm_r), columns=np.argsort(lu.perm_c), any_trans=True)
    assert np.allclose(both.solve(A @ exact), exact) and np.allclose(both.solve(A.T @ exact, trans="T"), exact)
    ilu = spilu(A, drop_tol=1e-4)
    both = sptrsv.pair(ilu.L, ilu.U, rows=np.argsort(ilu.perm_r), columns=np.argsort(ilu.perm_c))
    b = rng.standard_normal(200)
    assert np.allclose(both.solve(b), ilu.solve(b))
    x, info = gmres(A, b, M=LinearOperator(A.shape, matvec=both.solve), rtol=1e-10)
    assert info == 0 and np.linalg.norm(A @ x - b) < 1e-9 * np.linalg.norm(b)


def test_zero_pivots():
    L = sp.csr_array([[1.0, 0, 0], [1, 0, 0], [0, 1, 1]])
    U = sp.csr_array(np.diag([1.0, 2, 3]))
    U.data[2] = 0
    both = sptrsv.pair(L, U)
    both.solve(np.ones(3))
    assert both.zero_pivot() == 2, "the diagonal of L is ones"
    with pytest.raises(sptrsv.ZeroPivotError, match="row 2") as caught:
        both.solve(np.ones(3), check=True)
    assert caught.value.row == 2
    both = sptrsv.pair(L, U, unit=False)
    both.solve(np.ones(3))
    assert both.zero_pivot() == 1
    both = sptrsv.pair(L, U, upper_unit=True)
    both.solve(np.ones(3), check=True)
    assert both.zero_pivot() is None, "both diagonals are ones"
    assert sptrsv.pair(sp.csr_array(np.eye(3))).zero_pivot() is None


def test_bad_input():
    eye = sp.csr_array(np.eye(3))
    for call, kind, sentence in (
        (lambda: sptrsv.pair(eye, sp.csr_array(np.eye(2))), ValueError, "L has 3 rows, but U has 2"),
        (lambda: sptrsv.pair(eye, eye.astype("f")), TypeError, "L is float64, but U is float32"),
        (lambda: sptrsv.pair(eye, eye.tocoo()), TypeError, "A must be a sparse matrix in CSR or CSC"),
        (lambda: sptrsv.pair(eye, rows=[0, 1]), ValueError, "rows must be 3 integers"),
        (lambda: sptrsv.pair(eye, rows=np.arange(3.0)), ValueError, "rows must be 3 integers"),
        (lambda: sptrsv.pair(eye, columns=[0, 1, 1]), ValueError, "columns must have each number from 0 to 2 once"),
        (lambda: sptrsv.pair(eye, columns=[0, 1, 3]), ValueError, "columns must have each number from 0 to 2 once"),
        (lambda: sptrsv.pair(eye, trans="C"), ValueError, "trans must be"),
        (lambda: sptrsv.pair(eye).solve(np.ones(3), trans="T"), ValueError, "any_trans=True"),
        (lambda: sptrsv.pair(eye).solve(np.ones(4)), ValueError, "b must have the shape"),
    ):
        with pytest.raises(kind, match=sentence):
            call()


def test_no_rows():
    with sptrsv.pair(sp.csr_array((0, 0)), rows=np.empty(0, int)) as nothing:
        assert nothing.solve(np.empty(0)).shape == (0,)
