"""Sparse triangular solves on NVIDIA GPUs and on CPU threads.

>>> import numpy as np, scipy.sparse as sp, sptrsv
>>> L = sp.csr_array([[2.0, 0, 0], [1, 2, 0], [0, 1, 3]])
>>> solver = sptrsv.analyse(L)
>>> solver.solve(np.array([2.0, 5, 11]))
array([1., 2., 3.])
"""

from ._errors import (
    InvalidMatrixError,
    NoGpuError,
    OutOfMemoryError,
    SptrsvError,
    TimedOutError,
    ZeroPivotError,
)
from ._factors import IncompleteFactors, ic0, ilu0
from ._library import Status
from ._pair import TriangularPair, pair
from ._scipy import spsolve_triangular
from ._smoother import Smoother, smoother
from ._solver import TriangularSolver, analyse
from ._stats import Stats

__version__: str

__all__ = [
    "IncompleteFactors",
    "InvalidMatrixError",
    "NoGpuError",
    "OutOfMemoryError",
    "Smoother",
    "SptrsvError",
    "Stats",
    "Status",
    "TimedOutError",
    "TriangularPair",
    "TriangularSolver",
    "ZeroPivotError",
    "analyse",
    "ic0",
    "ilu0",
    "pair",
    "smoother",
    "spsolve_triangular",
]

# Tracebacks name them as programs do.
for _class in (InvalidMatrixError, NoGpuError, OutOfMemoryError, SptrsvError, TimedOutError, ZeroPivotError):
    _class.__module__ = __name__


def __getattr__(name: str) -> str:
    # The library's own version, which takes a handle to ask for.
    if name == "__version__":
        from ._library import version

        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
