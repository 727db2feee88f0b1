"""Conjugate gradients for the Poisson equation on a grid, with an incomplete factorisation as preconditioner.

SciPy's spilu factorises; in each iteration this library solves with the factor L and with its transpose.

    python 02_ilu_cg.py [N]      N x N points (default 200)
"""

import sys

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, cg, spilu

import sptrsv


def poisson(n):
    """The five-point equations on n x n points, symmetric and positive definite."""
    line = sp.diags_array([-np.ones(n - 1), np.full(n, 2.0), -np.ones(n - 1)], offsets=[-1, 0, 1])
    return sp.csc_array(sp.kron(sp.eye_array(n), line) + sp.kron(line, sp.eye_array(n)))


def iterations(A, b, M=None):
    """Solves A x = b; returns x and the number of iterations."""
    count = 0

    def step(_):
        nonlocal count
        count += 1

    x, info = cg(A, b, rtol=1e-8, maxiter=10_000, M=M, callback=step)
    if info:
        sys.exit(f"cg did not converge in {info} iterations")
    return x, count


n = int(sys.argv[1]) if len(sys.argv) > 1 else 200
A = poisson(n)
b = A @ np.random.default_rng(1).standard_normal(n * n)

# Nothing is pivoted, and entries are dropped by their size alone: L and U are then nearly those of a symmetric matrix.
ilu = spilu(
    A, drop_tol=1e-2, drop_rule="basic", permc_spec="NATURAL", diag_pivot_thresh=0, options={"SymmetricMode": True}
)
assert np.array_equal(ilu.perm_r, np.arange(n * n)) and np.array_equal(ilu.perm_c, np.arange(n * n))

# CG needs a symmetric preconditioner: L D L^T, where D is the diagonal of U. L is in CSC and has ones on its diagonal.
# One analysis serves both operations.
diagonal = ilu.U.diagonal()
factor = sptrsv.analyse(ilu.L, lower=True, unit=True, any_trans=True)
M = LinearOperator(A.shape, matvec=lambda r: factor.solve(factor.solve(r) / diagonal, trans="T"))

x, plain = iterations(A, b)
x, preconditioned = iterations(A, b, M)
print(f"{n * n} unknowns: {plain} iterations without, {preconditioned} with the preconditioner")
print(f"residual {np.linalg.norm(b - A @ x) / np.linalg.norm(b):.1e}")
stats = factor.stats
print(f"L: {ilu.L.nnz} entries, {stats.levels} levels, analysed in {stats.setup_ms:.1f} ms")
