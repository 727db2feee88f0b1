"""Preconditioners of this library for conjugate gradients on the Poisson equation: IC(0), and symmetric Gauss-Seidel.

With a matrix of CuPy, ic0 and smoother work on its GPU.

    python 04_preconditioners.py [N]      N x N points (default 200)
"""

import sys

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, cg

import sptrsv


def poisson(n):
    """The five-point equations on n x n points, symmetric and positive definite."""
    line = sp.diags_array([-np.ones(n - 1), np.full(n, 2.0), -np.ones(n - 1)], offsets=[-1, 0, 1])
    A = sp.csr_array(sp.kron(sp.eye_array(n), line) + sp.kron(line, sp.eye_array(n)))
    A.sum_duplicates()
    return A


def report(name, precondition):
    """Solves A x = b, and says how many iterations that took."""
    count = []
    M = precondition and LinearOperator(A.shape, matvec=precondition)
    x, info = cg(A, b, rtol=1e-8, maxiter=10_000, M=M, callback=count.append)
    if info or np.linalg.norm(b - A @ x) > 1e-7 * np.linalg.norm(b):
        sys.exit(f"cg did not converge with {name}")
    print(f"{name + ':':24}{len(count):5} iterations")


n = int(sys.argv[1]) if len(sys.argv) > 1 else 200
A = poisson(n)
b = A @ np.random.default_rng(1).standard_normal(n * n)

report("none", None)

with sptrsv.ic0(A) as factors:
    report("IC(0)", factors.solve)

# A forward sweep from zero and a backward one: together they are symmetric, as CG needs it.
with sptrsv.smoother(A) as forward, sptrsv.smoother(A, backward=True) as backward:
    report("symmetric Gauss-Seidel", lambda r: backward.sweep(r, forward.sweep(r)))
