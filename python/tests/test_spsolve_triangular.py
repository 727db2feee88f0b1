"""The drop-in for SciPy's function: the same signature, results and errors."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg
from problems import TYPES, bound, error, matrix, operator, values

import sptrsv

real = scipy.sparse.linalg.spsolve_triangular


# SciPy 1.15 changed the types and the order of results, and its errors; this package follows it.
as_now = pytest.mark.skipif(
    tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 15), reason="SciPy before 1.15 is not what is followed"
)


def parameters(function):
    return [(p.name, p.default, p.kind) for p in inspect.signature(function).parameters.values()]


def test_signature():
    assert parameters(sptrsv.spsolve_triangular) == parameters(real)


@pytest.fixture
def rng():
    return np.random.default_rng(6)


@as_now
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
@pytest.mark.parametrize("shape", [(30,), (30, 1), (30, 4)])
def test_results(rng, dtype, format, lower, unit, shape):
    A = matrix(rng, 30, dtype, format)
    A = (sp.tril(A) if lower else sp.triu(A)).asformat(format) / (8 if unit else 1)
    A = A.astype(dtype)
    b = values(rng, dtype, *shape)
    before = A.copy(), b.copy()
    x = sptrsv.spsolve_triangular(A, b, lower=lower, unit_diagonal=unit)
    expected = real(A, b, lower=lower, unit_diagonal=unit)
    assert type(x) is type(expected) and (x.shape, x.dtype) == (expected.shape, expected.dtype)
    assert x.flags.f_contiguous == expected.flags.f_contiguous
    assert np.allclose(x, expected, rtol=1e-3 if dtype in "fF" else 1e-10)
    assert error(operator(A, lower, unit), x, b) <= bound(dtype)
    assert (A != before[0]).nnz == 0 and np.array_equal(b, before[1])


@as_now
@pytest.mark.parametrize("of_a", "?bhilBHILfdFD")
@pytest.mark.parametrize("of_b", "?bhilBHILefdFD")
@pytest.mark.parametrize("unit", [False, True])
def test_types(of_a, of_b, unit):
    A = sp.csr_array([[1, 0], [1, 1]]).astype(of_a)
    b = np.array([1, 1]).astype(of_b)
    x, expected = (solve(A, b, unit_diagonal=unit) for solve in (sptrsv.spsolve_triangular, real))
    assert x.dtype == expected.dtype and np.array_equal(x, expected)


@pytest.mark.parametrize("b", [[2, 9], (2.0, 9j), [[2], [9]], np.ones((2, 0))])
def test_lists(b):
    A = sp.csr_array([[2.0, 0], [1, 4]])
    x, expected = sptrsv.spsolve_triangular(A, b), real(A, b)
    assert (x.shape, x.dtype) == (expected.shape, expected.dtype) and np.allclose(x, expected)


@pytest.mark.parametrize("other", [sp.coo_array, sp.lil_array, sp.bsr_array, lambda A: A.toarray()])
def test_other_formats_are_converted_with_a_warning(other):
    A = other(sp.csr_array([[2.0, 0], [1, 4]]))
    with pytest.warns(sp.SparseEfficiencyWarning, match="CSC or CSR matrix format is required"):
        x = sptrsv.spsolve_triangular(A, [2.0, 9])
    assert x.tolist() == [1, 2]


def test_no_warning_for_csr_and_csc():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for format in ("csr", "csc"):
            sptrsv.spsolve_triangular(sp.eye_array(3, format=format), np.ones(3))


def test_no_rows():
    for shape in ((0,), (0, 2)):
        assert sptrsv.spsolve_triangular(sp.csr_array((0, 0)), np.empty(shape)).shape == shape


def test_unit_diagonal_needs_no_entries():
    assert sptrsv.spsolve_triangular(sp.csr_array([[0.0, 0], [3, 0]]), [1, 5], unit_diagonal=True).tolist() == [1, 2]


def duplicates(*values):
    """A 2 x 2 matrix with the diagonal entry of row 0 stored twice."""
    rows, columns = np.array([0, 2, len(values)], "i4"), np.array([0, 0, 0, 1, 1][: len(values)], "i4")
    return sp.csr_array((np.array(values), columns, rows), shape=(2, 2))


@as_now
def test_duplicates_add_up():
    A = duplicates(1.0, 1, 1, 2, 2)
    assert sptrsv.spsolve_triangular(A, [2.0, 9]).tolist() == real(A, [2.0, 9]).tolist() == [1, 2]
    A = duplicates(1.0, -1, 1, 2)
    for solve in (sptrsv.spsolve_triangular, real):
        with pytest.raises(np.linalg.LinAlgError, match="A is singular"):
            solve(A, [2.0, 9])


def test_overwrite_b(rng):
    A = sp.csr_array([[2.0, 0], [1, 4]])
    b = np.array([2.0, 9])
    assert sptrsv.spsolve_triangular(A, b, overwrite_b=True) is b
    assert b.tolist() == [1, 2]
    b = np.array([2, 9])
    assert sptrsv.spsolve_triangular(A, b, overwrite_b=True).tolist() == [1, 2]
    assert b.tolist() == [2, 9]


@as_now
@pytest.mark.parametrize(
    "A, b, kind",
    [
        (sp.csr_array([[2.0, 0], [1, 0]]), [1, 1], np.linalg.LinAlgError),
        (sp.csc_array([[0.0, 0], [1, 1]]), [1, 1], np.linalg.LinAlgError),
        (sp.csr_array(([2.0, 1, 0], [0, 0, 1], [0, 1, 3])), [1, 1], np.linalg.LinAlgError),
        (sp.csc_array((2, 3)), [1, 1], ValueError),
        (sp.csr_array(np.eye(2)), [1, 1, 1], ValueError),
        (sp.csr_array(np.eye(2)), 1.0, ValueError),
        (sp.csr_array(np.eye(2)), np.ones((2, 1, 1)), ValueError),
        (sp.csr_array(np.eye(2, dtype=np.longdouble)), [1, 1], TypeError),
        (sp.csr_array(np.eye(2)), np.ones(2, np.longdouble), TypeError),
    ],
)
def test_errors(A, b, kind):
    sentences = []
    for solve in (real, sptrsv.spsolve_triangular):
        with pytest.raises(kind) as caught:
            solve(A, b)
        sentences.append(str(caught.value))
    # SciPy's sentence, and where the pivot is zero the library's behind it.
    assert kind is TypeError or sentences[1].startswith(sentences[0])
