"""A system on the GPU, by CuPy or else by PyTorch; where there is neither, or no GPU, on CPU threads.

python 03_gpu.py [N]      the lower triangle of the equations on N x N points (default 500)
"""

import sys

import numpy as np
import scipy.sparse as sp

import sptrsv


def lower_triangle(n):
    """The lower triangle of the five-point equations on n x n points."""
    line = sp.diags_array([-np.ones(n - 1), np.full(n, 4.0)], offsets=[-1, 0])
    before = sp.diags_array([-np.ones(n - 1)], offsets=[-1], shape=(n, n))
    return sp.csr_array(sp.kron(sp.eye_array(n), line) + sp.kron(before, sp.eye_array(n)))


def on_gpu(A, b):
    """The matrix and the right-hand side on a GPU, if there is one, and how to get a result back."""
    try:
        import cupy
        import cupyx.scipy.sparse

        if cupy.cuda.is_available():
            return cupyx.scipy.sparse.csr_matrix(A), cupy.asarray(b), cupy.asnumpy
    except ImportError:
        pass
    try:
        import torch

        if torch.cuda.is_available():
            parts = (torch.from_numpy(part) for part in (A.indptr, A.indices, A.data))
            return torch.sparse_csr_tensor(*parts, device="cuda"), torch.from_numpy(b).cuda(), lambda x: x.cpu().numpy()
    except ImportError:
        pass
    return A, b, np.asarray


n = int(sys.argv[1]) if len(sys.argv) > 1 else 500
L = lower_triangle(n)
b = np.random.default_rng(1).standard_normal(n * n)

A, f, to_host = on_gpu(L, b)
try:
    # An analysis once, then as many solves as there are right-hand sides, on the current stream of the library.
    with sptrsv.analyse(A) as solver:
        x = solver.solve(f, check=True)
        stats = solver.stats
        print(f"{n * n} unknowns on {solver.device}: {stats.levels} levels, algorithm {stats.algorithm}")
except sptrsv.SptrsvError as e:
    sys.exit(f"sptrsv: {e}")

x = to_host(x)
print(f"residual {np.linalg.norm(L @ x - b) / np.linalg.norm(b):.1e}")
