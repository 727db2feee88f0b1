"""The smallest complete program: one lower triangular system, analysed once and solved twice.

A matrix of SciPy is solved on CPU threads. With CuPy the same lines work on the GPU.
"""

import numpy as np
import scipy.sparse as sp

import sptrsv

L = sp.csr_array([[2.0, 0, 0], [1, 2, 0], [0, 1, 3]])

with sptrsv.analyse(L) as solver:
    x = solver.solve(np.array([2.0, 5, 11]))
    print("x =", x)

    # New values in the same pattern need no new analysis.
    solver.update(2 * L.data)
    print("half of it:", solver.solve(np.array([2.0, 5, 11])))
