"""Sparse tensors of PyTorch on the CPU are solved on the host executor. Skipped where there is no PyTorch."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from problems import TYPES, bound, error, matrix, operator, values

import sptrsv

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore:Sparse (CSR|CSC|BSR).*beta state")


@pytest.fixture
def rng():
    return np.random.default_rng(63)


def tensor(A, indices="i8"):
    make = torch.sparse_csr_tensor if A.format == "csr" else torch.sparse_csc_tensor
    parts = (A.indptr.astype(indices), A.indices.astype(indices), A.data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(*map(torch.from_numpy, parts), size=A.shape)


def right(op, x, b):
    __tracebackhide__ = True
    assert error(op, x.numpy(), b) <= bound(x.numpy().dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("trans", ["N", "T", "H"])
@pytest.mark.parametrize("indices", ["i4", "i8"])
def test_results(rng, dtype, format, trans, indices):
    A = matrix(rng, 60, dtype, format)
    solver = sptrsv.analyse(tensor(A, indices), trans=trans)
    assert solver.device == "host"
    for b in (values(rng, dtype, 60), values(rng, dtype, 60, 3)):
        x = solver.solve(torch.from_numpy(b))
        assert isinstance(x, torch.Tensor) and x.shape == b.shape and x.is_contiguous()
        right(operator(A, trans=trans), x, b)
    b = values(rng, dtype, 3, 60)
    x = solver.solve(torch.from_numpy(b).t())
    assert x.t().is_contiguous()
    right(operator(A, trans=trans), x, b.T)


def test_strides_conjugates_and_outputs(rng):
    A = matrix(rng, 60, "D")
    solver = sptrsv.analyse(tensor(A))
    b = torch.from_numpy(values(rng, "D", 120, 8))
    for view in (b[::2, ::2], b[:60].conj(), b[:60, :2].conj().imag, b[:60, 3]):
        right(operator(A), solver.solve(view), view.resolve_conj().resolve_neg().numpy())
    out = torch.zeros(60, dtype=torch.complex128)
    assert solver.solve(b[:60, 0], out=out) is out
    right(operator(A), out, b[:60, 0].numpy())
    for lazy in (out.conj(), b[:60, 0].conj().imag):
        with pytest.raises(ValueError, match="out "):
            solver.solve(b[:60, 0], out=lazy)


def test_update_and_mixed_libraries(rng):
    A = matrix(rng, 60, "d")
    on_torch = tensor(A)
    solver = sptrsv.analyse(on_torch)
    x = solver.solve(np.ones(60))
    assert isinstance(x, np.ndarray)
    solver.update(2 * on_torch.values())
    assert np.array_equal(2 * solver.solve(np.ones(60)), x)
    assert isinstance(sptrsv.analyse(A).solve(torch.ones(60)), torch.Tensor)


@pytest.mark.parametrize(
    "b, kind, sentence",
    [
        (lambda: torch.ones(3, dtype=torch.bfloat16), TypeError, "a tensor of bfloat16 cannot be used"),
        (lambda: torch.ones(3, dtype=torch.complex64), TypeError, "b is complex64, which does not convert safely"),
        (lambda: torch.ones(3, requires_grad=True), TypeError, r"pass tensor.detach\(\)"),
        (lambda: torch.ones(3, device="meta"), TypeError, "a tensor is on device meta"),
        (lambda: torch.eye(3).to_sparse(), TypeError, "a dense tensor is needed"),
        (lambda: torch.ones(4), ValueError, r"b must have the shape \(3,\)"),
    ],
)
def test_right_hand_sides(b, kind, sentence):
    solver = sptrsv.analyse(sp.eye_array(3, format="csr"))
    with pytest.raises(kind, match=sentence):
        solver.solve(b())


@pytest.mark.parametrize(
    "A, kind, sentence",
    [
        (lambda: torch.eye(3), TypeError, "it is a tensor of layout torch.strided"),
        (lambda: torch.eye(3).to_sparse(), TypeError, "it is a tensor of layout torch.sparse_coo"),
        (lambda: torch.eye(4).to_sparse_bsr((2, 2)), TypeError, "it is a tensor of layout torch.sparse_bsr"),
        (lambda: torch.eye(3).half().to_sparse_csr(), TypeError, "they are float16"),
        (lambda: torch.eye(3).expand(2, 3, 3).to_sparse_csr(), ValueError, r"its shape is \(2, 3, 3\)"),
        (lambda: torch.eye(3, requires_grad=True).to_sparse_csr(), TypeError, "requires grad"),
    ],
)
def test_matrices(A, kind, sentence):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(kind, match=sentence):
            sptrsv.analyse(A())


def test_no_gradient_is_asked_for():
    solver = sptrsv.analyse(sp.eye_array(3, format="csr"))
    with torch.no_grad():
        assert solver.solve(torch.ones(3, requires_grad=True)).tolist() == [1, 1, 1]


def test_the_drop_in_takes_no_tensors():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(TypeError, match="for a tensor call sptrsv.analyse"):
            sptrsv.spsolve_triangular(torch.eye(3).to_sparse_csr(), np.ones(3))
