"""Solves on the host executor, against dense products by NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from problems import TYPES, bound, error, matrix, operator, values

import sptrsv


@pytest.fixture
def rng():
    return np.random.default_rng(61)


def right(op, x, b):
    __tracebackhide__ = True
    assert error(op, x, b) <= bound(x.dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("trans", ["N", "T", "H"])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_every_triangle_and_operation(rng, dtype, format, trans, lower, unit):
    for n in (1, 2, 33, 120):
        A = matrix(rng, n, dtype, format, density=0.2 if n < 100 else 0.02)
        if unit:
            A = A / 8  # that solutions stay small
            A = A.astype(dtype)
        solver = sptrsv.analyse(A, lower, unit, trans)
        for shape in ((n,), (n, 1), (n, 5)):
            b = values(rng, dtype, *shape)
            x = solver.solve(b)
            assert x.shape == shape and x.dtype == dtype
            right(operator(A, lower, unit, trans), x, b)


def test_csc_is_taken_without_a_conversion(rng):
    A = matrix(rng, 50, "d", "csc")
    solver = sptrsv.analyse(A, copy=False)
    b = values(rng, "d", 50)
    right(operator(A), solver.solve(b), b)
    A.data *= 2
    right(operator(A), solver.solve(b), b)


@pytest.mark.parametrize("container", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csc_matrix])
def test_arrays_and_matrices_of_scipy(rng, container):
    A = container(matrix(rng, 20, "d"))
    right(operator(A), sptrsv.analyse(A).solve(np.ones(20)), np.ones(20))


@pytest.mark.parametrize("offsets, columns", [("i4", "i4"), ("i8", "i4"), ("i8", "i8"), ("i4", "i8")])
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_index_types(rng, offsets, columns, format):
    A = matrix(rng, 30, "d", format)
    A.indptr, A.indices = A.indptr.astype(offsets), A.indices.astype(columns)
    right(operator(A), sptrsv.analyse(A).solve(np.ones(30)), np.ones(30))


def test_rows_need_not_be_sorted_and_duplicates_add_up(rng):
    A = matrix(rng, 40, "d").tocoo()
    twice = np.repeat(np.arange(A.nnz), 2)
    order = rng.permutation(twice)
    rows = A.row[order]
    by_row = np.argsort(rows, kind="stable")
    B = sp.csr_array(
        (A.data[order][by_row] / 2, A.col[order][by_row], np.searchsorted(np.sort(rows), np.arange(41))), shape=A.shape
    )
    assert not B.has_sorted_indices and B.nnz == 2 * A.nnz
    right(operator(A), sptrsv.analyse(B).solve(np.ones(40)), np.ones(40))
    assert B.nnz == 2 * A.nnz, "A was changed"


def test_the_other_triangle_is_ignored():
    A = sp.csr_array(np.array([[2.0, np.nan], [1, 4]]))
    assert sptrsv.analyse(A).solve([2.0, 9]).tolist() == [1, 2]


def test_arrays_longer_than_the_matrix():
    A = sp.csr_array(([2.0, 1, 4, 99], [0, 0, 1, 7], [0, 1, 3]), shape=(2, 2))
    assert A.nnz == 3
    solver = sptrsv.analyse(A)
    assert solver.solve([2.0, 9]).tolist() == [1, 2]
    solver.update([1.0, 1, 1])
    assert solver.solve([2.0, 9]).tolist() == [2, 7]


@pytest.mark.parametrize("unit", [True, False])
def test_no_rows(unit):
    A = sp.csr_array((0, 0))
    with sptrsv.analyse(A, unit=unit) as solver:
        assert solver.solve(np.empty(0)).shape == (0,)
        assert solver.solve(np.empty((0, 3))).shape == (0, 3)
        assert solver.zero_pivot() is None
        solver.update(np.empty(0))


def test_no_entries():
    A = sp.csr_array((3, 3))
    assert sptrsv.analyse(A, unit=True).solve([1.0, 2, 3]).tolist() == [1, 2, 3]
    assert sptrsv.analyse(A).zero_pivot() == 0


def test_no_columns(rng):
    assert sptrsv.analyse(matrix(rng, 5, "d")).solve(np.empty((5, 0))).shape == (5, 0)


# ------------------------------------------------------------------------------------------ right-hand sides


def layouts(b):
    """The same numbers in many ways of lying in memory."""
    n, k = b.shape
    wide = np.zeros((n, 2 * k), b.dtype)
    wide[:, :k] = b
    tall = np.zeros((2 * n, k), b.dtype, order="F")
    tall[:n] = b
    spread = np.zeros((2 * n, 2 * k), b.dtype)
    spread[::2, ::2] = b
    packed = np.zeros(b.size * b.itemsize + 1, np.uint8)
    packed[1:] = np.frombuffer(b.tobytes(), np.uint8)
    unaligned = packed[1:].view(b.dtype).reshape(b.shape)
    read_only = b.copy()
    read_only.flags.writeable = False
    yield "C", np.ascontiguousarray(b)
    yield "F", np.asfortranarray(b)
    yield "rows of a wider array", wide[:, :k]
    yield "columns of a taller array", tall[:n]
    yield "every second row and column", spread[::2, ::2]
    yield "backwards", np.ascontiguousarray(b[::-1, ::-1])[::-1, ::-1]
    yield "unaligned", unaligned
    yield "of the other byte order", b.astype(b.dtype.newbyteorder())
    yield "read-only", read_only


@pytest.mark.parametrize("dtype", TYPES)
def test_layouts_of_b(rng, dtype):
    A = matrix(rng, 30, dtype)
    solver = sptrsv.analyse(A)
    b = values(rng, dtype, 30, 4)
    expected = solver.solve(b)
    right(operator(A), expected, b)
    for name, other in layouts(b):
        before = other.copy()
        x = solver.solve(other)
        assert np.array_equal(x, expected) and np.array_equal(other, before), name
        assert x.dtype == dtype, name
    # Vectors, also such whose numbers do not lie one after the other.
    for vector in (b[:, 1], np.asfortranarray(b)[:, 1], b[::-1, 1][::-1]):
        assert np.array_equal(solver.solve(vector), expected[:, 1])


def test_the_result_has_the_order_of_b(rng):
    solver = sptrsv.analyse(matrix(rng, 30, "d"))
    b = values(rng, "d", 30, 4)
    assert solver.solve(b).flags.c_contiguous
    assert solver.solve(np.asfortranarray(b)).flags.f_contiguous


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("out_order", ["C", "F"])
def test_out(rng, order, out_order):
    A = matrix(rng, 30, "d")
    solver = sptrsv.analyse(A)
    b = np.array(values(rng, "d", 30, 4), order=order)
    out = np.zeros((30, 4), order=out_order)
    assert solver.solve(b, out=out) is out
    right(operator(A), out, b)
    assert solver.solve(b, out=b) is b
    assert np.array_equal(b, out)


def test_out_may_overlap_b(rng):
    solver = sptrsv.analyse(matrix(rng, 30, "d"))
    b = values(rng, "d", 30)
    expected = solver.solve(b)
    memory = np.zeros(40)
    memory[:30] = b
    assert np.array_equal(solver.solve(memory[:30], out=memory[10:]), expected)
    square = values(rng, "d", 30, 30)
    expected = solver.solve(square)
    assert np.array_equal(solver.solve(square, out=square.T), expected)


def test_numbers_that_convert_safely(rng):
    A = matrix(rng, 10, "D")
    solver = sptrsv.analyse(A)
    for b in (list(range(10)), np.arange(10), np.arange(10, dtype="f"), np.arange(10, dtype="F"), range(10)):
        right(operator(A), solver.solve(b), np.arange(10))
    single = sptrsv.analyse(matrix(rng, 2, "f"))
    assert single.solve([1, 2]).dtype == np.float32


@pytest.mark.parametrize(
    "dtype, alpha", [("f", 2), ("d", -0.5), ("F", 1j), ("D", 2 - 1j), ("d", np.float32(3)), ("d", 0)]
)
def test_alpha(rng, dtype, alpha):
    A = matrix(rng, 20, dtype)
    b = values(rng, dtype, 20, 2)
    right(operator(A), sptrsv.analyse(A).solve(b, alpha=alpha), alpha * b)


def test_any_trans(rng):
    A = matrix(rng, 40, "D")
    solver = sptrsv.analyse(A, trans="H", any_trans=True)
    b = values(rng, "D", 40)
    for trans in ("N", "T", "H", None):
        right(operator(A, trans=trans or "H"), solver.solve(b, trans=trans), b)


@pytest.mark.parametrize(
    "name", ["auto", "levr", "levc", "slfr", "slfc", "gsf", "one_word", "tiled", "nodal", "wide", "thin", "block"]
)
def test_every_algorithm(rng, name):
    A = matrix(rng, 60, "d", density=0.05)
    solver = sptrsv.analyse(A, algorithm=name, nrhs=20)
    b = values(rng, "d", 60, 20)
    right(operator(A), solver.solve(b), b)
    assert solver.stats.algorithm in {"levr": ["levr"], "levc": ["levc"], "gsf": ["gsf"]}.get(
        name, ["levr", "slfr", "slfc"]
    )


@pytest.mark.parametrize("any_trans", [False, True])
@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize("dtype", "fdFD")
def test_tune(rng, dtype, copy, any_trans):
    A = matrix(rng, 60, dtype)
    solver = sptrsv.analyse(A, tune=True, copy=copy, any_trans=any_trans)
    b = values(rng, dtype, 60, 2)
    for trans in "NTH" if any_trans else "N":
        right(operator(A, trans=trans), solver.solve(b, trans=trans), b)
    assert solver.stats.tuned_ms > 0
    solver.update(2 * A.data)
    right(operator(2 * A), solver.solve(b), b)
    assert sptrsv.analyse(A, tune=True, algorithm="slfr").stats.tuned_ms == 0


# ------------------------------------------------------------------------------------------------- values


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("copy", [True, False])
def test_update(rng, format, copy):
    A = matrix(rng, 40, "d", format)
    solver = sptrsv.analyse(A, copy=copy)
    b = values(rng, "d", 40)
    before = solver.solve(b)
    B = A.copy()
    B.data = values(rng, "d", A.nnz) + 3
    solver.update(B.data)
    right(operator(B), solver.solve(b), b)
    solver.update(np.repeat(A.data, 2)[::2])
    assert np.array_equal(solver.solve(b), before)


def test_a_copy_of_the_values_needs_nothing_of_the_matrix(rng):
    A = matrix(rng, 40, "d")
    op = operator(A)
    solver = sptrsv.analyse(A)
    A.data[:], A.indices[:], A.indptr[:] = np.nan, 7, 3
    b = values(rng, "d", 40)
    right(op, solver.solve(b), b)


def test_without_a_copy_solves_read_the_matrix(rng):
    A = matrix(rng, 40, "d")
    solver = sptrsv.analyse(A, copy=False)
    A.data *= 3
    b = values(rng, "d", 40)
    right(operator(A), solver.solve(b), b)


def test_values_that_do_not_lie_one_after_the_other(rng):
    A = matrix(rng, 40, "d")
    A.data, A.indices = np.repeat(A.data, 2)[::2], np.repeat(A.indices, 3)[::3]
    right(operator(A), sptrsv.analyse(A).solve(np.ones(40)), np.ones(40))


# ---------------------------------------------------------------------------------------- what it tells


def test_zero_pivot():
    A = sp.csr_array([[1.0, 0, 0], [1, 2, 0], [0, 1, 3]])
    solver = sptrsv.analyse(A)
    assert solver.zero_pivot() is None
    solver.update([1.0, 1, 0, 1, 3])
    x = solver.solve([1.0, 2, 3])
    assert solver.zero_pivot() == 1 and not np.isfinite(x[1])
    with pytest.raises(sptrsv.ZeroPivotError, match="the diagonal entry of row 1 is zero") as caught:
        solver.solve([1.0, 2, 3], check=True)
    assert caught.value.row == 1 and caught.value.status == sptrsv.Status.ZERO_PIVOT
    assert isinstance(caught.value, np.linalg.LinAlgError)
    solver.update([1.0, 1, 2, 1, 3])
    solver.solve([1.0, 2, 3], check=True)
    assert sptrsv.analyse(A, unit=True).zero_pivot() is None


def test_stats():
    A = sp.csr_array([[1.0, 9, 0], [1, 2, 0], [0, 1, 0]])
    stats = sptrsv.analyse(A, algorithm="slfr").stats
    assert (stats.rows, stats.levels, stats.widest_level, stats.entries_used) == (3, 3, 1, 5)
    assert (stats.algorithm, stats.setup, stats.missing_diagonal) == ("slfr", "cpu", 2)
    assert stats.setup_ms > 0 and stats.bytes_held > 0


def test_properties():
    solver = sptrsv.analyse(sp.csr_array((4, 4), dtype="F"))
    assert (solver.shape, solver.dtype, solver.device) == ((4, 4), np.complex64, "host")
    assert repr(solver) == "<sptrsv.TriangularSolver of 4 x 4 complex64 on host>"
