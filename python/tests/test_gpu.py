"""CuPy and PyTorch on a GPU. Without one, or without the library, a test is skipped; SPTRSV_REQUIRE_GPU=1 makes that a
failure. It takes NumPy, SciPy and pytest, and the package installed or unpacked on PYTHONPATH:

    SPTRSV_REQUIRE_GPU=1 python -m pytest -ra python/tests/test_gpu.py
"""

from __future__ import annotations

import gc
import importlib
import itertools
import os

import numpy as np
import pytest
import scipy.sparse as sp
from problems import TYPES, bound, error, matrix, needs_gpu, operator, values

import sptrsv


class CuPy:
    """What the tests ask of a library, by CuPy."""

    name = "cupy"

    def __init__(self):
        import cupyx.scipy.sparse

        self.lib = importlib.import_module("cupy")
        self.sparse = cupyx.scipy.sparse

    def is_usable(self):
        return self.lib.cuda.is_available()

    def devices(self):
        return self.lib.cuda.runtime.getDeviceCount()

    def array(self, a, device=0):
        with self.lib.cuda.Device(device):
            return self.lib.array(a, order="F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C")

    def matrix(self, A, device=0):
        with self.lib.cuda.Device(device):
            return getattr(self.sparse, f"{A.format}_matrix")(A)

    def host(self, a):
        return self.lib.asnumpy(a, order="A")

    def is_mine(self, a):
        return isinstance(a, self.lib.ndarray)

    def device_of(self, a):
        return a.device.id

    def is_fortran(self, a):
        return a.flags.f_contiguous

    def values(self, A):
        return A.data

    def stream(self):
        return self.lib.cuda.Stream(non_blocking=True)

    def on(self, stream):
        return stream

    def synchronize(self):
        self.lib.cuda.runtime.deviceSynchronize()

    def busy(self):
        """Keeps the current stream busy for some milliseconds."""
        a = self.lib.ones(10_000_000)
        for _ in range(200):
            a = a * 1.0001

    def copy_into(self, target, source):
        target[...] = source

    def captured(self, work):
        """Captures the work into a graph, and returns what launches it."""
        stream = self.lib.cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            work()
            graph = stream.end_capture()
        return lambda: graph.launch(stream)

    def free_memory(self):
        self.synchronize()
        self.lib.get_default_memory_pool().free_all_blocks()
        return self.lib.cuda.runtime.memGetInfo()[0]


class Torch:
    """The same by PyTorch."""

    name = "torch"

    def __init__(self):
        self.lib = importlib.import_module("torch")

    def is_usable(self):
        return self.lib.cuda.is_available()

    def devices(self):
        return self.lib.cuda.device_count()

    def array(self, a, device=0):
        tensor = self.lib.from_numpy(np.array(a, order="K"))
        if a.ndim == 2 and a.flags.f_contiguous and not a.flags.c_contiguous:
            return self.lib.from_numpy(np.ascontiguousarray(a.T)).to(f"cuda:{device}").t()
        return tensor.to(f"cuda:{device}")

    def matrix(self, A, device=0):
        make = self.lib.sparse_csr_tensor if A.format == "csr" else self.lib.sparse_csc_tensor
        parts = (self.lib.from_numpy(a) for a in (A.indptr.astype("i8"), A.indices.astype("i8"), A.data))
        return make(*parts, size=A.shape, device=f"cuda:{device}")

    def host(self, a):
        return a.cpu().resolve_conj().numpy()

    def is_mine(self, a):
        return isinstance(a, self.lib.Tensor)

    def device_of(self, a):
        return a.device.index

    def is_fortran(self, a):
        return a.t().is_contiguous()

    def values(self, A):
        return A.values()

    def stream(self):
        return self.lib.cuda.Stream()

    def on(self, stream):
        return self.lib.cuda.stream(stream)

    def synchronize(self):
        self.lib.cuda.synchronize()

    def busy(self):
        self.lib.cuda._sleep(20_000_000)

    def copy_into(self, target, source):
        target.copy_(source)

    def captured(self, work):
        graph = self.lib.cuda.CUDAGraph()
        with self.lib.cuda.graph(graph):
            work()
        return graph.replay

    def free_memory(self):
        self.synchronize()
        self.lib.cuda.empty_cache()
        return self.lib.cuda.mem_get_info()[0]


_libraries = {}


def library(name):
    """The library where it and a GPU are there; else the test ends here."""
    if name not in _libraries:
        try:
            found = {"cupy": CuPy, "torch": Torch}[name]()
            _libraries[name] = found if found.is_usable() else f"{name} finds no GPU"
        except ImportError as e:
            _libraries[name] = f"{name} cannot be imported ({e})"
    if isinstance(_libraries[name], str):
        needs_gpu(_libraries[name])
    return _libraries[name]


@pytest.fixture(params=["cupy", "torch"])
def lib(request):
    return library(request.param)


@pytest.fixture
def rng():
    return np.random.default_rng(62)


def right(lib, op, x, b):
    __tracebackhide__ = True
    x = lib.host(x)
    assert error(op, x, b) <= bound(x.dtype)


def grid(n):
    """The lower triangle of the five-point equations on n x n points, with both triangles stored."""
    line = sp.diags_array([-np.ones(n - 1), np.full(n, 4.0), -np.ones(n - 1)], offsets=[-1, 0, 1])
    ones = sp.diags_array([-np.ones(n - 1), -np.ones(n - 1)], offsets=[-1, 1])
    return (sp.kron(sp.eye_array(n), line) + sp.kron(ones, sp.eye_array(n))).tocsr()


def residual(A, x, b, lower=True):
    """The largest component-wise backward error, for matrices that are too large to be dense."""
    T = sp.tril(A).tocsr() if lower else sp.triu(A).tocsr()
    return np.max(np.abs(T @ x - b) / (abs(T) @ np.abs(x) + np.abs(b)))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_every_triangle_and_operation(lib, rng, dtype, format):
    kinds = itertools.product((True, False), (True, False), "NTH", (1, 33, 300))
    for lower, unit, trans, n in kinds:
        A = matrix(rng, n, dtype, format, density=0.2 if n < 100 else 0.01)
        if unit:
            A = (A / 8).astype(dtype)
        with sptrsv.analyse(lib.matrix(A), lower, unit, trans) as solver:
            assert solver.device == "cuda:0"
            for b in (values(rng, dtype, n), values(rng, dtype, n, 5), np.asfortranarray(values(rng, dtype, n, 5))):
                x = solver.solve(lib.array(b))
                assert lib.is_mine(x) and tuple(x.shape) == b.shape and lib.device_of(x) == 0
                right(lib, operator(A, lower, unit, trans), x, b)


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("lower", [True, False])
def test_a_large_grid(lib, rng, copy, lower):
    A = grid(700)
    solver = sptrsv.analyse(lib.matrix(A), lower, copy=copy)
    assert solver.stats.setup == "gpu"
    for shape in ((490000,), (490000, 3)):
        b = rng.standard_normal(shape)
        x = lib.host(solver.solve(lib.array(b)))
        assert residual(A, x, b, lower) < 1e-14
    again = lib.host(solver.solve(lib.array(b)))
    assert np.array_equal(again, x), "not the same bits"


def test_many_right_hand_sides(lib, rng):
    A = grid(200)
    b = rng.standard_normal((40000, 32))
    solver = sptrsv.analyse(lib.matrix(A), nrhs=32)
    assert solver.stats.algorithm == "block"
    for layout in (b, np.asfortranarray(b)):
        x = solver.solve(lib.array(layout))
        assert residual(A, lib.host(x), b) < 1e-14
        assert lib.is_fortran(x) == layout.flags.f_contiguous


def test_out_and_in_place(lib, rng):
    A = matrix(rng, 300, "d", density=0.02)
    solver = sptrsv.analyse(lib.matrix(A))
    for order in "CF":
        for out_order in "CF":
            b = np.array(rng.standard_normal((300, 4)), order=order)
            on_gpu, out = lib.array(b), lib.array(np.zeros((300, 4), order=out_order))
            assert solver.solve(on_gpu, out=out) is out
            right(lib, operator(A), out, b)
            assert solver.solve(on_gpu, out=on_gpu) is on_gpu
            right(lib, operator(A), on_gpu, b)


def test_layouts_of_b(lib, rng):
    A = matrix(rng, 300, "d", density=0.02)
    solver = sptrsv.analyse(lib.matrix(A))
    wide = lib.array(rng.standard_normal((600, 8)))
    for b in (wide[:300, :4], wide[::2, ::2], wide[:300].T[:4].T, wide[:300, 3], wide[::2, 3]):
        right(lib, operator(A), solver.solve(b), lib.host(b))
    single = lib.array(rng.standard_normal(300).astype("f"))
    right(lib, operator(A), solver.solve(single), lib.host(single))
    memory = lib.array(np.zeros(400))
    b = rng.standard_normal(300)
    lib.copy_into(memory[:300], lib.array(b))
    x = solver.solve(memory[:300], out=memory[10:310])
    right(lib, operator(A), x, b)


def test_lazy_conjugates_of_torch(rng):
    lib = library("torch")
    A = matrix(rng, 50, "D")
    solver = sptrsv.analyse(lib.matrix(A))
    b = lib.array(values(rng, "D", 50, 3))
    right(lib, operator(A), solver.solve(b.conj()), lib.host(b).conj())
    with pytest.raises(ValueError, match="a lazy conjugate"):
        solver.solve(b, out=b.conj())


# --------------------------------------------------------------------------------- factorisations, sweeps


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", ["ilu0", "ic0"])
def test_incomplete_factors(lib, rng, dtype, kind):
    """The same factors as on the host executor, to rounding, and solves with them."""
    A = grid(60).astype(dtype)
    factorize = getattr(sptrsv, kind)
    on_host, factors = factorize(A), factorize(lib.matrix(A))
    assert factors.device == "cuda:0" and lib.is_mine(factors.values)
    close = {"rtol": 100 * np.finfo(dtype).eps, "atol": 0}
    assert np.allclose(lib.host(factors.values), on_host.values, **close)
    for b in (values(rng, dtype, 3600), values(rng, dtype, 3600, 3)):
        x = factors.solve(lib.array(b))
        assert lib.is_mine(x) and np.allclose(lib.host(x), on_host.solve(b), rtol=0, atol=1e4 * np.finfo(dtype).eps)
    once = lib.host(factors.values)
    factors.update(lib.array(A.data))
    assert np.array_equal(lib.host(factors.values), once), "not the same bits"
    factors.update(lib.array((2 * A.data).astype(dtype)))
    assert np.allclose(lib.host(factors.solve(lib.array(b))), lib.host(x) / 2, rtol=0, atol=1e4 * np.finfo(dtype).eps)
    A.data[A.indptr[5] : A.indptr[6]] = 0
    with pytest.raises(sptrsv.ZeroPivotError) as caught:
        factorize(lib.matrix(A))
    assert caught.value.row == 5
    factors.close()


@pytest.mark.parametrize("dtype", TYPES)
def test_pairs(lib, rng, dtype):
    """The bits of two solves; permuted, the numbers of the host executor; and in a graph."""
    n = 3600
    A = grid(60).astype(dtype)
    LU = sptrsv.ilu0(lib.matrix(A))
    factors = sp.csr_array((lib.host(LU.values), A.indices, A.indptr), shape=A.shape)
    there = lib.matrix(factors)
    lower, upper = sptrsv.analyse(there, unit=True), sptrsv.analyse(there, lower=False)
    close = {"rtol": 0, "atol": 1e4 * np.finfo(dtype).eps}
    both = sptrsv.pair(there)
    assert both.device == "cuda:0"
    for b in (values(rng, dtype, n), values(rng, dtype, n, 3), np.asfortranarray(values(rng, dtype, n, 3))):
        on_gpu = lib.array(b)
        x = both.solve(on_gpu)
        assert lib.is_mine(x) and np.array_equal(lib.host(x), lib.host(upper.solve(lower.solve(on_gpu))))
        assert np.allclose(lib.host(LU.solve(on_gpu)), lib.host(x), **close)
    rows, columns = rng.permutation(n), rng.permutation(n).astype("i4")
    on_host = sptrsv.pair(factors, rows=rows, columns=columns, any_trans=True)
    both = sptrsv.pair(there, rows=lib.array(rows), columns=lib.array(columns), any_trans=True)
    for trans in "NTH":
        for b in (values(rng, dtype, n), values(rng, dtype, n, 3)):
            x = lib.host(both.solve(lib.array(b), trans=trans))
            assert np.allclose(x, on_host.solve(b, trans=trans), **close)
    b, out = lib.array(np.zeros(n, dtype)), lib.array(np.zeros(n, dtype))
    both.solve(b, out=out)
    lib.synchronize()
    launch = lib.captured(lambda: both.solve(b, out=out))
    numbers = values(rng, dtype, n)
    lib.copy_into(b, lib.array(numbers))
    lib.synchronize()
    launch()
    lib.synchronize()
    assert np.allclose(lib.host(out), on_host.solve(numbers), **close)


def test_factors_on_two_streams(lib, rng):
    """New values are factorised behind the solves on other streams, and before those that follow."""
    A = grid(300)
    factors = sptrsv.ilu0(lib.matrix(A))
    b, new = rng.standard_normal(90000), lib.array(4 * A.data)
    on_gpu, out = lib.array(b), [lib.array(np.zeros(90000)) for _ in range(3)]
    expected = sptrsv.ilu0(A).solve(b)
    lib.synchronize()
    with lib.on(lib.stream()):
        lib.busy()
        factors.solve(on_gpu, out=out[0])
    with lib.on(lib.stream()):
        factors.update(new, check=False)
    with lib.on(lib.stream()):
        factors.solve(on_gpu, out=out[1])
    lib.synchronize()
    assert np.allclose(lib.host(out[0]), expected)
    assert np.allclose(lib.host(out[1]), expected / 4)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("backward", [False, True])
def test_sweeps(lib, rng, dtype, backward):
    A = grid(60).astype(dtype)
    b, start = values(rng, dtype, 3600), values(rng, dtype, 3600)
    close = {"rtol": 0, "atol": 100 * np.finfo(dtype).eps}
    for diagonal in (None, (A.diagonal() + 1).astype(dtype)):
        on_host = sptrsv.smoother(A, backward, diagonal=diagonal)
        on_gpu = sptrsv.smoother(lib.matrix(A), backward, diagonal=None if diagonal is None else lib.array(diagonal))
        first = on_gpu.sweep(lib.array(b))
        assert lib.is_mine(first) and np.allclose(lib.host(first), on_host.sweep(b), **close)
        x, y = lib.array(start), start.copy()
        for weight in (1.0, 1.3):
            assert on_gpu.sweep(lib.array(b), x, weight=weight) is x
            on_host.sweep(b, y, weight=weight)
            assert np.allclose(lib.host(x), y, **close)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("backward", [False, True])
def test_several_symmetric_sweeps_on_some_rows(lib, rng, dtype, backward):
    A = grid(60).astype(dtype)
    b, start = values(rng, dtype, 3600), values(rng, dtype, 3600)
    marker = rng.integers(-1, 2, 3600, np.int32)
    close = {"rtol": 0, "atol": 100 * np.finfo(dtype).eps}
    on_host = sptrsv.smoother(A, backward, symmetric=True)
    on_gpu = sptrsv.smoother(lib.matrix(A), backward, symmetric=True)
    assert np.allclose(lib.host(on_gpu.sweep(lib.array(b), sweeps=2)), on_host.sweep(b, sweeps=2), **close)
    for points in (1, -1):
        x, y = lib.array(start), start.copy()
        on_gpu.sweep(lib.array(b), x, sweeps=2, marker=lib.array(marker), points=points)
        on_host.sweep(b, y, sweeps=2, marker=marker, points=points)
        assert np.allclose(lib.host(x), y, **close)
        assert np.array_equal(lib.host(x)[marker != points], start[marker != points])
    assert on_gpu.zero_pivot() is None


# ------------------------------------------------------------------------------------------------ streams


def test_the_current_stream(lib, rng):
    """The right-hand side is written late, on the stream that is current: a solve elsewhere would read zeros."""
    A = grid(200)
    solver = sptrsv.analyse(lib.matrix(A))
    b = rng.standard_normal(40000)
    source, late = lib.array(b), lib.array(np.zeros(40000))
    lib.synchronize()
    for _ in range(3):
        with lib.on(lib.stream()):
            lib.busy()
            lib.copy_into(late, source)
            x = solver.solve(late)
            lib.copy_into(late, lib.array(np.zeros(40000)))
        lib.synchronize()
        assert residual(A, lib.host(x), b) < 1e-14


def test_solves_on_two_streams_do_not_overlap(lib, rng):
    A = grid(500)
    solver = sptrsv.analyse(lib.matrix(A))
    b = [rng.standard_normal(250000) for _ in range(8)]
    on_gpu = [lib.array(a) for a in b]
    streams = [lib.stream(), lib.stream()]
    out = [lib.array(np.zeros(250000)) for _ in b]
    lib.synchronize()
    for i in range(8):
        with lib.on(streams[i % 2]):
            solver.solve(on_gpu[i], out=out[i])
    lib.synchronize()
    for a, x in zip(b, out):
        assert residual(A, lib.host(x), a) < 1e-14


def test_a_stream_that_is_gone(lib, rng):
    A = grid(50)
    solver = sptrsv.analyse(lib.matrix(A))
    b = lib.array(rng.standard_normal(2500))
    lib.synchronize()
    stream = lib.stream()
    with lib.on(stream):
        x = solver.solve(b)
    del stream
    gc.collect()
    assert solver.zero_pivot() is None
    assert residual(A, lib.host(x), lib.host(b)) < 1e-14


def test_a_graph(lib, rng):
    A = grid(200)
    on_gpu = lib.matrix(A)
    solver = sptrsv.analyse(on_gpu)
    b, out, factors = lib.array(np.zeros(40000)), lib.array(np.zeros(40000)), lib.array(np.array(A.data))
    solver.solve(b, out=out)
    lib.synchronize()

    def work():
        solver.update(factors)
        solver.solve(b, out=out)

    launch = lib.captured(work)
    for factor in (1, 3):
        numbers = rng.standard_normal(40000)
        lib.copy_into(b, lib.array(numbers))
        lib.copy_into(factors, lib.array(factor * A.data))
        lib.synchronize()
        launch()
        lib.synchronize()
        assert residual(factor * A, lib.host(out), numbers) < 1e-14


def test_cupy_and_torch_together(rng):
    cupy, torch = library("cupy"), library("torch")
    A = grid(100)
    b = rng.standard_normal(10000)
    for one, other in ((cupy, torch), (torch, cupy)):
        solver = sptrsv.analyse(one.matrix(A))
        x = solver.solve(other.array(b))
        assert other.is_mine(x)
        assert residual(A, other.host(x), b) < 1e-14


class Interface:
    """An array that is known by the CUDA array interface only."""

    def __init__(self, array):
        self.dtype = np.dtype(array.__cuda_array_interface__["typestr"])
        self.__cuda_array_interface__ = array.__cuda_array_interface__
        self.array = array


class Dlpack:
    """An array that is known by DLPack only."""

    def __init__(self, array):
        self.dtype = np.dtype(array.__cuda_array_interface__["typestr"])
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__(stream=stream)


@pytest.mark.parametrize("protocol", [Interface, Dlpack])
def test_arrays_by_protocol(lib, rng, protocol):
    A = grid(100)
    solver = sptrsv.analyse(lib.matrix(A))
    b = rng.standard_normal((10000, 2))
    on_gpu, out = lib.array(b), lib.array(np.zeros((10000, 2)))
    x = solver.solve(protocol(on_gpu))
    assert lib.is_mine(x)
    assert residual(A, lib.host(x), b) < 1e-14
    solver.solve(protocol(on_gpu), out=protocol(out))
    lib.synchronize()
    assert np.array_equal(lib.host(out), lib.host(x))


# ------------------------------------------------------------------------------------- values and pivots


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_update(lib, rng, copy, format):
    A = grid(200).asformat(format)
    on_gpu = lib.matrix(A)
    solver = sptrsv.analyse(on_gpu, copy=copy)
    b = rng.standard_normal(40000)
    before = lib.host(solver.solve(lib.array(b)))
    solver.update(lib.values(on_gpu) * 2)
    assert np.allclose(lib.host(solver.solve(lib.array(b))), before / 2)
    solver.update(lib.values(on_gpu))
    assert np.array_equal(lib.host(solver.solve(lib.array(b))), before)


def test_zero_pivot(lib):
    A = grid(50)
    on_gpu = lib.matrix(A)
    solver = sptrsv.analyse(on_gpu)
    assert solver.zero_pivot() is None
    spoilt = A.data.copy()
    spoilt[A.indptr[777] : A.indptr[778]] *= A.indices[A.indptr[777] : A.indptr[778]] != 777
    solver.update(lib.array(spoilt))
    b = lib.array(np.ones(2500))
    x = lib.host(solver.solve(b))
    assert solver.zero_pivot() == 777 and not np.isfinite(x[777])
    with pytest.raises(sptrsv.ZeroPivotError, match="the diagonal entry of row 777 is zero"):
        solver.solve(b, check=True)


def test_spsolve_triangular_of_cupy(rng):
    lib = library("cupy")
    A = matrix(rng, 100, "f")
    b = rng.standard_normal((100, 3))
    x = sptrsv.spsolve_triangular(lib.matrix(A), lib.array(b))
    assert x.dtype == np.float64 and x.flags.f_contiguous
    right(lib, operator(A), x, b)
    upper = sptrsv.spsolve_triangular(lib.matrix(A), lib.array(b[:, 0]), lower=False, unit_diagonal=True)
    right(lib, operator(A, lower=False, unit=True), upper, b[:, 0])
    singular = sp.csr_matrix(np.array([[1.0, 0], [1, 0]]))
    with pytest.raises(np.linalg.LinAlgError, match="A is singular: zero entry on diagonal"):
        sptrsv.spsolve_triangular(lib.matrix(singular), lib.array(np.ones(2)))


# ---------------------------------------------------------------------------------- errors and lifetime


def test_arrays_elsewhere(lib):
    A = grid(10)
    solver = sptrsv.analyse(lib.matrix(A))
    with pytest.raises(ValueError, match="b is in host memory, but the matrix was analysed in memory of GPU 0"):
        solver.solve(np.ones(100))
    with pytest.raises(ValueError, match="b is in memory of GPU 0, but the matrix was analysed in host memory"):
        sptrsv.analyse(A).solve(lib.array(np.ones(100)))
    with pytest.raises(TypeError, match="b is complex128"):
        solver.solve(lib.array(np.ones(100, complex)))
    with pytest.raises(ValueError, match="b must have the shape"):
        solver.solve(lib.array(np.ones(99)))


def test_an_index_out_of_range(lib):
    A = sp.csr_array((np.ones(3), [0, 1, 2], [0, 1, 2, 3]), shape=(3, 3))
    on_gpu = lib.matrix(A)
    indices = on_gpu.indices if lib.name == "cupy" else on_gpu.col_indices()
    indices[1] = 7
    with pytest.raises(sptrsv.InvalidMatrixError, match="column index 7 is outside 0 to 2"):
        sptrsv.analyse(on_gpu)


def test_memory_is_given_back(lib, rng):
    A = lib.matrix(grid(300))
    b = lib.array(rng.standard_normal(90000))

    def use():
        for _ in range(10):
            with sptrsv.analyse(A) as solver:
                solver.solve(b)
        return lib.free_memory()

    keeps_the_kernels = sptrsv.analyse(A)
    before = use()
    assert before - use() < 16 << 20
    keeps_the_kernels.close()


def test_a_forked_process_is_told(lib):
    solver = sptrsv.analyse(lib.matrix(grid(10)))
    b = lib.array(np.ones(100))
    child = os.fork()
    if child == 0:
        try:
            solver.solve(b)
        except RuntimeError as e:
            os._exit(0 if "forked process" in str(e) else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0) == (child, 0)
    solver.solve(b)


def test_the_second_gpu(lib, rng):
    if lib.devices() < 2:
        pytest.skip("there is one GPU")
    A = grid(200)
    solver = sptrsv.analyse(lib.matrix(A, device=1))
    assert solver.device == "cuda:1"
    b = rng.standard_normal(40000)
    x = solver.solve(lib.array(b, device=1))
    assert lib.device_of(x) == 1
    assert residual(A, lib.host(x), b) < 1e-14
    with pytest.raises(ValueError, match="b is in memory of GPU 0, but the matrix was analysed in memory of GPU 1"):
        solver.solve(lib.array(b, device=0))
