"""Incomplete factorisations on the host executor, against the definition by NumPy, and with SciPy's iterations."""

from __future__ import annotations

import types

import numpy as np
import pytest
import scipy.sparse as sp
from problems import TYPES, bound, error, matrix, operator, values
from scipy.sparse.linalg import LinearOperator, cg

import sptrsv


@pytest.fixture
def rng():
    return np.random.default_rng(64)


def ilu0(A):
    """The factors in one array, by the loops of the definition."""
    a, pattern = A.toarray().astype(np.complex128), A.toarray() != 0
    for i in range(len(a)):
        for k in range(i):
            if pattern[i, k]:
                a[i, k] /= a[k, k]
                row = pattern[i] & (np.arange(len(a)) > k)
                a[i, row] -= a[i, k] * a[k, row] * pattern[k, row]
    return a


def hermitian(rng, n, dtype):
    """A Hermitian matrix with a heavy diagonal."""
    B = matrix(rng, n, dtype, density=0.1).toarray()
    B = np.tril(B, -1)
    A = B + B.conj().T + np.diag(np.full(n, 2 + np.abs(B).sum() / n + np.abs(B + B.T).sum(axis=1).max()))
    return sp.csr_array(A.astype(dtype))


def heavy(rng, n, dtype):
    """A matrix whose factorisation without pivoting is stable."""
    A = matrix(rng, n, dtype, density=0.1).toarray()
    np.fill_diagonal(A, 1 + np.abs(A).sum(axis=1))
    return sp.csr_array(A.astype(dtype))


def dense(A, factors):
    return sp.csr_array((factors.values, A.indices, A.indptr), shape=A.shape).toarray()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("indices", ["i4", "i8"])
def test_ilu0(rng, dtype, indices):
    for n in (1, 2, 60):
        A = heavy(rng, n, dtype)
        A.indptr, A.indices = A.indptr.astype(indices), A.indices.astype(indices)
        factors = sptrsv.ilu0(A)
        assert factors.shape == (n, n) and factors.dtype == dtype and factors.device == "host"
        assert np.allclose(dense(A, factors), ilu0(A), rtol=100 * np.finfo(dtype).eps)
        for shape in ((n,), (n, 3)):
            b = values(rng, dtype, *shape)
            x = factors.solve(b)
            LU = dense(A, factors)
            y = np.linalg.solve(operator(LU, unit=True), b)
            assert error(operator(LU, lower=False), x, y) <= 100 * bound(dtype)
            out = b.copy(order="K")
            assert factors.solve(out, out=out) is out and np.array_equal(out, x)


@pytest.mark.parametrize("dtype", TYPES)
def test_ic0(rng, dtype):
    A = hermitian(rng, 60, dtype)
    factors = sptrsv.ic0(A)
    L = np.tril(dense(A, factors))
    inside = np.tril(A.toarray() != 0)
    assert np.allclose((L @ L.conj().T)[inside], A.toarray()[inside], rtol=1000 * np.finfo(dtype).eps)
    assert np.array_equal(np.triu(dense(A, factors), 1), np.triu(A.toarray(), 1)), "above the diagonal"
    b = values(rng, dtype, 60)
    x = factors.solve(b)
    assert np.allclose(L @ (L.conj().T @ x), b, rtol=0, atol=1000 * np.finfo(dtype).eps * np.abs(b).max() * 60)
    # The lower triangle alone is enough.
    alone = sptrsv.ic0(sp.csr_array(sp.tril(A)))
    assert np.array_equal(alone.solve(b), x)


def test_the_matrix_is_copied(rng):
    A = heavy(rng, 40, "d")
    before, b = A.copy(), values(rng, "d", 40)
    factors = sptrsv.ilu0(A)
    assert np.array_equal(A.data, before.data)
    x = factors.solve(b)
    A.data[:], A.indices[:], A.indptr[:] = 0, 0, 0
    assert np.array_equal(factors.solve(b), x)
    factors.update(2 * before.data)
    assert np.allclose(factors.solve(b), x / 2)
    factors.update((2 * before.data).astype("f"))  # converts safely
    with pytest.raises(TypeError, match="which does not convert safely"):
        factors.update(before.data.astype("D"))
    with pytest.raises(ValueError, match="values must have the shape"):
        factors.update(before.data[:-1])


def test_an_iteration_of_scipy():
    line = sp.diags_array([-np.ones(59), np.full(60, 2.0), -np.ones(59)], offsets=[-1, 0, 1])
    A = sp.csr_array(sp.kron(sp.eye_array(60), line) + sp.kron(line, sp.eye_array(60)))
    A.sum_duplicates()
    b = A @ np.ones(3600)

    def iterations(M=None):
        count = []
        x, info = cg(A, b, rtol=1e-8, M=M, callback=count.append)
        assert info == 0 and np.linalg.norm(b - A @ x) < 1e-7 * np.linalg.norm(b)
        return len(count)

    with sptrsv.ic0(A) as factors:
        assert 2 * iterations(LinearOperator(A.shape, matvec=factors.solve)) < iterations()


def test_zero_pivots():
    A = sp.csr_array([[1.0, 2, 0], [1, 2, 3], [0, 1, 1]])
    with pytest.raises(sptrsv.ZeroPivotError, match="row 1") as caught:
        sptrsv.ilu0(A)
    assert caught.value.row == 1
    factors = sptrsv.ilu0(A, check=False)
    assert factors.zero_pivot() == 1
    factors.update(np.array([1.0, 2, 1, 3, 3, 1, 5]))
    assert factors.zero_pivot() is None
    with pytest.raises(sptrsv.ZeroPivotError):
        factors.update(A.data)
    assert sptrsv.ilu0(A, boost=(1e-10, 7)).values[3] == 7
    with pytest.raises(TypeError, match="boost"):
        sptrsv.ic0(A, boost=(1e-10, 7))
    with pytest.raises(sptrsv.ZeroPivotError):
        sptrsv.ic0(sp.csr_array([[1.0, 2], [2, 1]]))


@pytest.mark.parametrize("factorize", [sptrsv.ilu0, sptrsv.ic0])
def test_bad_input(factorize):
    with pytest.raises(TypeError, match=r"A must be in CSR for \w+0, but it is in CSC: convert it with A.tocsr\(\)"):
        factorize(sp.csc_array(np.eye(2)))
    with pytest.raises(sptrsv.InvalidMatrixError, match="row 1 of the matrix: it has no entry on its diagonal"):
        factorize(sp.csr_array([[1.0, 0], [1, 0]]))
    unsorted = types.SimpleNamespace(
        format="csr", shape=(2, 2), indptr=np.array([0, 1, 3]), indices=np.array([0, 1, 0]), data=np.ones(3)
    )
    with pytest.raises(sptrsv.InvalidMatrixError, match="row 1 of the matrix: its columns do not ascend"):
        factorize(unsorted)
    with pytest.raises(ValueError, match="algorithm must be one of"):
        factorize(sp.csr_array(np.eye(2)), algorithm="fastest")
    with pytest.raises(ValueError, match="A must be a square matrix"):
        factorize(sp.csr_array(np.ones((2, 3))))


def test_lifetime():
    with sptrsv.ilu0(sp.csr_array(np.eye(3))) as factors:
        assert repr(factors) == "<sptrsv.IncompleteFactors (ilu0) of 3 x 3 float64 on host>"
    factors.close()
    for call in (lambda: factors.solve(np.ones(3)), lambda: factors.update(np.ones(3)), factors.zero_pivot):
        with pytest.raises(ValueError, match="the solver is closed"):
            call()
    with sptrsv.ilu0(sp.csr_array((0, 0))) as nothing:
        assert nothing.solve(np.empty(0)).shape == (0,) and nothing.zero_pivot() is None
