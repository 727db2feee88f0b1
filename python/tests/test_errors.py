"""Bad input: an exception with one sentence, and nothing is touched."""

from __future__ import annotations

import pickle
import types

import numpy as np
import pytest
import scipy.sparse as sp

import sptrsv

A = sp.csr_array([[2.0, 0, 0], [1, 2, 0], [0, 1, 3]])


def with_arrays(**arrays):
    """A matrix like A with other arrays, which SciPy would refuse."""
    parts = {"format": "csr", "shape": A.shape, "indptr": A.indptr, "indices": A.indices, "data": A.data}
    return types.SimpleNamespace(**{**parts, **arrays})


@pytest.mark.parametrize(
    "bad, kind, sentence",
    [
        (A.tocoo(), TypeError, "it is a matrix in format coo"),
        (sp.bsr_array(A), TypeError, "it is a matrix in format bsr"),
        (A.toarray(), TypeError, "it is an object of type ndarray"),
        (None, TypeError, "it is an object of type NoneType"),
        (A[:2], ValueError, r"A must be a square matrix, but its shape is \(2, 3\)"),
        (A.astype(int), TypeError, "they are int64"),
        (A.astype(np.longdouble), TypeError, "they are longdouble|they are float128"),
        (A.astype(bool), TypeError, "they are bool"),
        (with_arrays(indptr=A.indptr.astype("u8")), TypeError, "must be int32 or int64, but they are uint64 and int32"),
        (
            with_arrays(indices=A.indices.astype(float)),
            TypeError,
            "must be int32 or int64, but they are int32 and float64",
        ),
        (with_arrays(indptr=A.indptr[:-1]), ValueError, "A has 3 rows, but 3 offsets"),
        (with_arrays(data=A.data[:-1]), ValueError, "A has 4 values, but 5 indices"),
        (with_arrays(data=A.data.reshape(1, -1)), ValueError, r"one has the shape \(1, 5\)"),
        (with_arrays(indptr=np.array([0, 3, 1, 5])), sptrsv.InvalidMatrixError, "row 1 of the matrix"),
        (with_arrays(indices=np.array([0, 0, 1, 1, 3])), sptrsv.InvalidMatrixError, "column index 3 is outside 0 to 2"),
        (
            with_arrays(indices=np.array([0, 0, 1, -1, 2])),
            sptrsv.InvalidMatrixError,
            "column index -1 is outside 0 to 2",
        ),
        (with_arrays(indptr=np.array([1, 2, 4, 5])), sptrsv.InvalidMatrixError, "of the matrix"),
    ],
)
def test_matrices(bad, kind, sentence):
    with pytest.raises(kind, match=sentence):
        sptrsv.analyse(bad)


def test_an_invalid_matrix_is_a_value_error():
    with pytest.raises(ValueError) as caught:
        sptrsv.analyse(with_arrays(indptr=np.array([0, 3, 1, 5])))
    assert isinstance(caught.value, sptrsv.SptrsvError)
    assert caught.value.status == sptrsv.Status.INVALID_MATRIX


def test_exceptions_reach_other_processes():
    for error in (
        sptrsv.ZeroPivotError("a sentence", 7),
        sptrsv.TimedOutError("a sentence", sptrsv.Status.TIMED_OUT),
        sptrsv.OutOfMemoryError("a sentence", sptrsv.Status.ALLOC_FAILED),
    ):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error) and (str(copy), copy.status) == ("a sentence", error.status)
        assert getattr(copy, "row", 7) == 7


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"trans": "C"}, "trans must be 'N', 'T' or 'H', but it is 'C'"),
        ({"trans": 1}, "trans must be 'N', 'T' or 'H', but it is 1"),
        ({"algorithm": "best"}, "algorithm must be one of auto, levr, .*, panel, but it is 'best'"),
        ({"setup": "here"}, "setup must be one of auto, cpu, gpu, gpu_kahn, but it is 'here'"),
        ({"nrhs": 0}, "nrhs must be 1 or more, but it is 0"),
    ],
)
def test_options(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        sptrsv.analyse(A, **options)


def test_a_negative_timeout():
    with pytest.raises(sptrsv.SptrsvError, match="the timeout of -1 seconds is not a time") as caught:
        sptrsv.analyse(A, timeout=-1)
    assert caught.value.status == sptrsv.Status.INVALID_VALUE


@pytest.mark.parametrize(
    "b, kind, sentence",
    [
        (1.0, ValueError, r"b must have the shape \(3,\) or \(3, k\), but it has \(\)"),
        (np.ones(2), ValueError, r"but it has \(2,\)"),
        (np.ones((2, 3)), ValueError, r"but it has \(2, 3\)"),
        (np.ones((3, 1, 1)), ValueError, r"but it has \(3, 1, 1\)"),
        (np.ones(3, complex), TypeError, "b is complex128, which does not convert safely to the matrix's float64"),
        (np.ones(3, np.longdouble), TypeError, "does not convert safely to the matrix's float64"),
        (["a", "b", "c"], ValueError, "could not convert"),
        ([[1.0], [2, 3], [4]], ValueError, "inhomogeneous"),
        ([1j, 1, 1], TypeError, "complex"),
        (None, ValueError, r"but it has \(\)"),
        (A, TypeError, "does not convert safely"),
    ],
)
def test_right_hand_sides(b, kind, sentence):
    out = np.zeros(3)
    with pytest.raises(kind, match=sentence):
        sptrsv.analyse(A).solve(b, out=out)
    assert not out.any()


def test_single_precision_takes_no_double_precision():
    solver = sptrsv.analyse(A.astype("f"))
    with pytest.raises(TypeError, match="b is float64, which does not convert safely to the matrix's float32"):
        solver.solve(np.ones(3))
    with pytest.raises(TypeError, match="values is float64"):
        solver.update(np.ones(5))


def read_only():
    out = np.zeros(3)
    out.flags.writeable = False
    return out


@pytest.mark.parametrize(
    "out, kind, sentence",
    [
        (
            np.zeros(2),
            ValueError,
            r"out must have the shape \(3,\) and the type float64, but it has \(2,\) and float64",
        ),
        (np.zeros((3, 1)), ValueError, r"but it has \(3, 1\) and float64"),
        (np.zeros(3, "f"), ValueError, r"but it has \(3,\) and float32"),
        (read_only(), ValueError, "out cannot be used: it is read-only"),
        (np.zeros(3, ">f8"), ValueError, "out cannot be used: .* of another byte order"),
        (np.zeros(5)[::-1][:3], ValueError, "out cannot be used: neither its rows"),
        ([0.0, 0, 0], TypeError, "out must be an array"),
    ],
)
def test_outputs(out, kind, sentence):
    with pytest.raises(kind, match=sentence):
        sptrsv.analyse(A).solve(np.ones(3), out=out)


def test_operations():
    with pytest.raises(ValueError, match="trans is 'T', but A was analysed for 'N': analyse it with any_trans=True"):
        sptrsv.analyse(A).solve(np.ones(3), trans="T")


@pytest.mark.parametrize("alpha", [1j, "1", [1, 2], None])
def test_alpha(alpha):
    with pytest.raises(TypeError, match="alpha must be one number that fits float64"):
        sptrsv.analyse(A).solve(np.ones(3), alpha=alpha)


def test_values():
    solver = sptrsv.analyse(A)
    with pytest.raises(ValueError, match=r"values must have the shape \(5,\), but it has \(4,\)"):
        solver.update(np.ones(4))
    with pytest.raises(TypeError, match="values is complex128"):
        solver.update(np.ones(5, complex))
    assert solver.solve([2.0, 5, 11]).tolist() == [1, 2, 3]


def test_a_solver_that_is_closed():
    solver = sptrsv.analyse(A)
    solver.close()
    solver.close()
    for call in (
        lambda: solver.solve(np.ones(3)),
        lambda: solver.update(A.data),
        solver.zero_pivot,
        lambda: solver.stats,
    ):
        with pytest.raises(ValueError, match="the solver is closed"):
            call()
    assert solver.device == "host"
