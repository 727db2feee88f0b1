"""Matrices to test with, and the measure of a solution."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

TYPES = ["f", "d", "F", "D"]


def values(rng: np.random.Generator, dtype: str, *shape: int) -> Any:
    """Random numbers of a type, all of absolute value 1/2 to 2."""
    numbers = rng.uniform(0.5, 1.4, shape) * rng.choice([-1, 1], shape)
    if dtype in "FD":
        numbers = numbers + 1j * rng.uniform(0.5, 1.4, shape)
    return numbers.astype(dtype)


def matrix(rng: np.random.Generator, n: int, dtype: str, format: str = "csr", density: float = 0.2) -> Any:
    """A full square matrix, both triangles, with a diagonal that keeps solutions small."""
    dense = values(rng, dtype, n, n) * (rng.uniform(size=(n, n)) < density)
    np.fill_diagonal(dense, values(rng, dtype, n) * 4)
    return sp.csr_array(dense.astype(dtype)).asformat(format)


def operator(A: Any, lower: bool = True, unit: bool = False, trans: str = "N") -> Any:
    """The dense op(A) that a solve is for, by NumPy alone."""
    dense = np.asarray(A.todense() if hasattr(A, "todense") else A)
    triangle = np.tril(dense) if lower else np.triu(dense)
    if unit:
        np.fill_diagonal(triangle, 1)
    return {"N": triangle, "T": triangle.T, "H": triangle.conj().T}[trans]


def error(op: Any, x: Any, b: Any) -> float:
    """The component-wise backward error of op x = b, in units of the precision times the longest row."""
    op, x, b = (np.asarray(a, np.complex128) for a in (op, x, b))
    scale = np.abs(op) @ np.abs(x) + np.abs(b)
    residual = np.abs(op @ x - b)
    longest = max((np.count_nonzero(op, axis=1)).max(initial=0), 1)
    worst = (residual / np.where(scale == 0, 1, scale)).max(initial=0)
    assert np.all(np.isfinite(x))
    return float(worst / longest)


def bound(dtype: Any) -> float:
    """What `error` may be: complex operations cost some roundings more."""
    return 8 * float(np.finfo(np.dtype(dtype)).eps)


def needs_gpu(reason: str) -> None:
    """Ends a test that has no GPU, or no library for it: SPTRSV_REQUIRE_GPU=1 makes that a failure."""
    if os.environ.get("SPTRSV_REQUIRE_GPU") == "1":
        pytest.fail(f"{reason}, but SPTRSV_REQUIRE_GPU=1", pytrace=False)
    pytest.skip(reason)
