"""Gauss-Seidel and SOR sweeps on the host executor, against the loop over the rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from problems import TYPES, matrix, values

import sptrsv
from sptrsv._library import Sweeps, library


@pytest.fixture
def rng():
    return np.random.default_rng(66)


def loop(A, b, x, weight, backward, diagonal):
    """One sweep in twice the precision."""
    a, x = A.toarray().astype(np.clongdouble), x.astype(np.clongdouble)
    d = np.diag(a) if diagonal is None else diagonal
    for i in range(len(a))[:: -1 if backward else 1]:
        x[i] += weight * (b[i] - a[i] @ x) / d[i]
    return x


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("weight", [1.0, 1.5])
@pytest.mark.parametrize("with_diagonal", [False, True])
def test_a_sweep(rng, dtype, backward, weight, with_diagonal):
    for n in (1, 2, 70):
        A = matrix(rng, n, dtype, density=0.1)
        A.setdiag(1 + abs(A).sum(axis=1))
        diagonal = (A.diagonal() + 1).astype(dtype) if with_diagonal else None
        b, start = values(rng, dtype, n), values(rng, dtype, n)
        close = {"rtol": 0, "atol": 200 * np.finfo(dtype).eps}
        with sptrsv.smoother(A, backward, diagonal=diagonal) as smoother:
            first = smoother.sweep(b, weight=weight)
            assert first.shape == (n,) and first.dtype == dtype
            assert np.allclose(first, loop(A, b, np.zeros(n), weight, backward, diagonal), **close)
            x = start.copy()
            assert smoother.sweep(b, x, weight=weight) is x
            assert np.allclose(x, loop(A, b, start, weight, backward, diagonal), **close)


def test_an_analysis_is_for_no_more_than_is_asked_for(rng, monkeypatch):
    asked, real = [], library.sptrsvSetSweeps
    monkeypatch.setattr(library, "sptrsvSetSweeps", lambda info, sweeps: asked.append(sweeps) or real(info, sweeps))
    A = matrix(rng, 70, "d", density=0.1)
    A.setdiag(1 + abs(A).sum(axis=1))
    b = values(rng, "d", 70)
    marker = np.ones(70, np.int32)
    smoother = sptrsv.smoother(A)
    smoother.sweep(b, smoother.sweep(b))
    assert asked == [Sweeps.GAUSS_SEIDEL]
    for _ in range(2):
        smoother.sweep(b, weight=1.5)
        x = smoother.sweep(b, marker=marker)
    assert asked == [Sweeps.GAUSS_SEIDEL, Sweeps.ANY]
    # As before, and by one analysis alone where a diagonal is given.
    assert np.allclose(smoother.sweep(b), x, rtol=0, atol=1e-13)
    other = smoother._for_others
    smoother.close()
    with pytest.raises(ValueError, match="the solver is closed"):
        smoother.sweep(b, weight=1.5)
    with pytest.raises(ValueError, match="the solver is closed"):
        other.sweep(b)
    with sptrsv.smoother(A, diagonal=A.diagonal() + 1) as by_diagonal:
        by_diagonal.sweep(b, by_diagonal.sweep(b), weight=1.5, marker=marker)
    assert asked[2:] == [Sweeps.ANY]


def test_several_sweeps_on_some_rows(rng):
    A = matrix(rng, 70, "d", density=0.1)
    A.setdiag(1 + abs(A).sum(axis=1))
    b, start = values(rng, "d", 70), values(rng, "d", 70)
    marker = rng.integers(-1, 2, 70, np.int32)
    with sptrsv.smoother(A) as smoother:
        one, three = start.copy(), start.copy()
        for _ in range(3):
            smoother.sweep(b, one)
        assert np.array_equal(smoother.sweep(b, three, sweeps=3), one)
        assert np.array_equal(smoother.sweep(b, start.copy(), sweeps=0), start)
        x, expected = start.copy(), start.copy()
        for i in np.flatnonzero(marker == -1):
            expected[i] += (b[i] - A.toarray()[i] @ expected) / A.toarray()[i, i]
        smoother.sweep(b, x, marker=marker, points=-1)
        assert np.allclose(x, expected, rtol=0, atol=1e-13)
        assert np.array_equal(x[marker != -1], start[marker != -1])
        for same in (marker == -1, np.where(marker == -1, 1, 0), np.repeat((marker == -1).astype(np.int32), 2)[::2]):
            assert np.array_equal(smoother.sweep(b, start.copy(), marker=same), x)
        for bad in (marker[:69], marker.astype(float)):
            with pytest.raises(ValueError, match="marker must be 70 integers"):
                smoother.sweep(b, x, marker=bad)
        with pytest.raises(sptrsv.SptrsvError, match="sweeps"):
            smoother.sweep(b, x, sweeps=-1)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("weight", [1.0, 1.5])
@pytest.mark.parametrize("with_diagonal", [False, True])
def test_symmetric_sweeps(rng, dtype, backward, weight, with_diagonal):
    A = matrix(rng, 70, dtype, density=0.1)
    A.setdiag(1 + abs(A).sum(axis=1))
    diagonal = (A.diagonal() + 1).astype(dtype) if with_diagonal else None
    b, start = values(rng, dtype, 70), values(rng, dtype, 70)
    marker = rng.integers(0, 2, 70, np.int32)
    close = {"rtol": 0, "atol": 200 * np.finfo(dtype).eps}
    one_way = [sptrsv.smoother(A, way, diagonal=diagonal) for way in (backward, not backward)]
    with sptrsv.smoother(A, backward, symmetric=True, diagonal=diagonal) as both:
        for x in (None, start):
            expected = np.zeros(70) if x is None else start
            for way in (backward, not backward) * 2:
                expected = loop(A, b, expected, weight, way, diagonal)
            x = both.sweep(b, None if x is None else x.copy(), weight=weight, sweeps=2)
            assert np.allclose(x, expected, **close)
        x, y = start.copy(), start.copy()
        both.sweep(b, x, weight=weight, marker=marker)
        for smoother in one_way:
            smoother.sweep(b, y, weight=weight, marker=marker)
        assert np.array_equal(x, y) and not np.array_equal(x, start)
    with pytest.raises(ValueError, match="the solver is closed"):
        both.sweep(b)


def test_zero_pivots_of_symmetric_sweeps():
    A = sp.csr_array([[2.0, 1, 0], [0, 0, 1], [0, 1, 2]])
    with sptrsv.smoother(A, symmetric=True) as smoother:
        smoother.sweep([1.0, 1, 1])
        assert smoother.zero_pivot() == 1
    with sptrsv.smoother(sp.csr_array([[2.0, 1], [0, 2]]), symmetric=True) as smoother:
        smoother.sweep([1.0, 1])
        assert smoother.zero_pivot() is None


def test_it_smooths_and_reads_the_matrix_as_it_is(rng):
    A = sp.csr_array(sp.diags_array([-np.ones(99), np.full(100, 2.0), -np.ones(99)], offsets=[-1, 0, 1]))
    b = A @ np.ones(100)
    with sptrsv.smoother(A) as forward, sptrsv.smoother(A, backward=True) as backward:
        x = forward.sweep(b)
        before = np.linalg.norm(b - A @ x)
        for _ in range(20):
            forward.sweep(b, x)
            backward.sweep(b, x)
        assert np.linalg.norm(b - A @ x) < before / 5
        A.data *= 2
        assert np.allclose(forward.sweep(2 * b), sptrsv.smoother(A).sweep(2 * b))
        assert forward.stats.rows == 100 and forward.device == "host"
        assert repr(forward) == "<sptrsv.Smoother of 100 x 100 float64 on host>"


def test_arrays_are_converted_or_refused(rng):
    A = matrix(rng, 20, "d")
    b = values(rng, "d", 20)
    smoother = sptrsv.smoother(A)
    x = smoother.sweep(b)
    assert np.array_equal(smoother.sweep(b.astype("f").astype("d")[::1]), smoother.sweep(list(b.astype("f"))))
    apart = np.repeat(b, 2)[::2]
    assert apart.strides == (16,) and np.array_equal(smoother.sweep(apart), x)
    both = b.copy()
    smoother.sweep(both, both)
    assert np.array_equal(both, smoother.sweep(b, b.copy()))
    for call, kind, sentence in (
        (lambda: smoother.sweep(b[:-1]), ValueError, r"b must have the shape \(20,\)"),
        (lambda: smoother.sweep(np.ones((20, 1))), ValueError, r"b must have the shape \(20,\)"),
        (lambda: smoother.sweep(b.astype("D")), TypeError, "does not convert safely"),
        (lambda: smoother.sweep(b, b.astype("f")), ValueError, "x must have the shape"),
        (lambda: smoother.sweep(b, list(b)), TypeError, "x must be an array"),
        (lambda: smoother.sweep(b, apart), ValueError, "x cannot be used"),
        (lambda: smoother.sweep(b, weight=0), sptrsv.SptrsvError, "weight is 0"),
        (lambda: sptrsv.smoother(A.tocsc()), TypeError, "A must be in CSR for sweeps"),
        (lambda: sptrsv.smoother(A, diagonal=b[:-1]), ValueError, r"diagonal must have the shape \(20,\)"),
    ):
        with pytest.raises(kind, match=sentence):
            call()
    smoother.close()
    with pytest.raises(ValueError, match="the solver is closed"):
        smoother.sweep(b)


def test_no_rows():
    assert sptrsv.smoother(sp.csr_array((0, 0))).sweep(np.empty(0)).shape == (0,)
