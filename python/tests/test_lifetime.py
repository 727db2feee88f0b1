"""What a solver holds is given back, threads may share it, and a forked process can use one on the host."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
from problems import matrix

import sptrsv
from sptrsv import _library

COUNTED = {"sptrsvCreateWithExecutor": 1, "sptrsvDestroy": -1, "sptrsvCreateInfo": 1, "sptrsvDestroyInfo": -1}


@pytest.fixture
def alive(monkeypatch):
    """Counts handles and infos: how many are created and not destroyed."""
    count = [0]

    class Counting:
        def __getattr__(self, name):
            function = getattr(_library.library, name)

            def counted(*arguments):
                first = arguments[0]
                # A NULL is no object.
                if COUNTED.get(name) == -1 and not getattr(first, "value", first):
                    return function(*arguments)
                count[0] += COUNTED.get(name, 0)
                return function(*arguments)

            return counted

    from sptrsv import _analysed, _resources

    monkeypatch.setattr(_resources, "library", Counting())
    monkeypatch.setattr(_analysed, "library", Counting())
    return count


def test_close_and_with(alive):
    A = sp.csr_array(np.eye(3))
    with sptrsv.analyse(A) as solver:
        assert alive == [2]
    assert alive == [0]
    solver.close()
    assert alive == [0]


def test_factors_and_smoothers(alive):
    A = sp.csr_array(np.eye(3))
    with sptrsv.ilu0(A), sptrsv.smoother(A):
        assert alive == [6]
    assert alive == [0]
    factors, smoother = sptrsv.ic0(A), sptrsv.smoother(A)
    assert alive == [6]
    del factors, smoother
    gc.collect()
    assert alive == [0]
    with pytest.raises(sptrsv.InvalidMatrixError):
        sptrsv.ilu0(sp.csr_array([[1.0, 0], [1, 0]]))
    gc.collect()
    assert alive == [0]


def test_the_end_of_the_object(alive):
    solver = sptrsv.analyse(sp.csr_array(np.eye(3)))
    assert alive == [2]
    del solver
    gc.collect()
    assert alive == [0]


def test_an_analysis_that_fails_leaves_nothing(alive):
    A = sp.csr_array(np.eye(3))
    A.indices[0] = 5
    with pytest.raises(sptrsv.InvalidMatrixError):
        sptrsv.analyse(A)
    gc.collect()
    assert alive == [0]


def test_a_solver_keeps_what_it_reads_and_nothing_else():
    def analysed(copy):
        A = sp.csr_array(np.eye(3))
        return weakref.ref(A.data), sptrsv.analyse(A, copy=copy)

    data, solver = analysed(copy=True)
    gc.collect()
    assert data() is None
    data, solver = analysed(copy=False)
    gc.collect()
    assert data() is not None
    assert solver.solve(np.ones(3)).tolist() == [1, 1, 1]
    solver.close()
    gc.collect()
    assert data() is None


def test_threads_share_a_solver():
    rng = np.random.default_rng(3)
    A = matrix(rng, 400, "d", density=0.05)
    solver = sptrsv.analyse(A)
    b = rng.standard_normal((8, 400))
    expected = [solver.solve(row) for row in b]
    wrong = []

    def work(i):
        for _ in range(50):
            if not np.array_equal(solver.solve(b[i]), expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_forked_process_solves_on_the_host():
    rng = np.random.default_rng(4)
    A = matrix(rng, 300, "d", density=0.05)
    solver = sptrsv.analyse(A, algorithm="slfr")
    b = rng.standard_normal(300)
    expected = solver.solve(b)
    child = os.fork()
    if child == 0:
        try:
            good = np.array_equal(solver.solve(b), expected)
            good &= np.allclose(sptrsv.analyse(A).solve(b), expected)
            solver.close()
            os._exit(0 if good else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0) == (child, 0)
    assert np.array_equal(solver.solve(b), expected)


def test_solvers_that_are_left_at_the_end_of_the_program():
    script = (
        "import scipy.sparse as sp, numpy as np, sptrsv\n"
        "solver = sptrsv.analyse(sp.csr_array(np.eye(3)))\n"
        "print(solver.solve(np.ones(3)).sum())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3.0\n", "")
