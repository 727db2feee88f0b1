"""Cases for the stand-in of the driver, which test_standin.py runs: `standin_cases.py NAME`."""

from __future__ import annotations

import ctypes
import gc
import os
import sys

import numpy as np
import scipy.sparse as sp
from fakes import CudaArray, DlpackArray, install_cupy, sparse

CASES = []
A = sp.csr_array([[2.0, 0, 0], [1, 2, 0], [0, 1, 3]])


def case(function):
    CASES.append(function.__name__)
    return function


class Driver:
    def __init__(self):
        self.lib = ctypes.CDLL("libcuda.so.1")
        self.lib.standin_log.restype = ctypes.c_char_p
        self.lib.standin_memory.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self.kept = []

    def on_gpu(self, array, device=0):
        self.kept.append(array)
        start, end = np.lib.array_utils.byte_bounds(array) if hasattr(np.lib, "array_utils") else np.byte_bounds(array)
        self.lib.standin_memory(start, end - start, device)
        return array

    def log(self):
        return self.lib.standin_log().decode()

    def allocated(self):
        gc.collect()
        return self.lib.standin_allocated()


def stream_of(solver):
    from sptrsv._library import library

    stream = ctypes.c_void_p()
    library.sptrsvGetStream(solver._resources.handle, ctypes.byref(stream))
    return stream.value or 0


def refused(kind, sentence, call):
    try:
        call()
    except kind as e:
        assert sentence in str(e), e
    else:
        raise AssertionError(f"not refused: {sentence}")


@case
def interface_arrays(driver):
    """A matrix and right-hand sides that are known by the CUDA array interface only."""
    import sptrsv

    def wrap(a, device=1):
        return CudaArray(driver.on_gpu(a, device))

    solver = sptrsv.analyse(sparse(A, wrap))
    assert solver.device == "cuda:1" and solver.stats.setup == "cpu" and solver.stats.levels == 3
    b, out = wrap(np.ones(3)), wrap(np.zeros(3))
    assert solver.solve(b, out=out) is out
    assert solver.solve(wrap(np.ones((3, 2))), out=wrap(np.zeros((3, 2), order="F"))).array.shape == (3, 2)
    refused(TypeError, "pass out=", lambda: solver.solve(b))
    refused(TypeError, "an array must be converted", lambda: solver.solve(wrap(np.ones(3, "f")), out=out))
    refused(
        ValueError,
        "b is in host memory, but the matrix was analysed in memory of GPU 1",
        lambda: solver.solve(np.ones(3)),
    )
    refused(ValueError, "b is in memory of GPU 0, but", lambda: solver.solve(wrap(np.ones(3), 0), out=out))
    refused(ValueError, "out is in host memory, but", lambda: solver.solve(b, out=np.ones(3)))
    refused(ValueError, "is not in memory of a GPU", lambda: solver.solve(CudaArray(np.ones(3)), out=out))
    solver.update(wrap(np.ones(5)))
    assert solver.zero_pivot() is None


@case
def dlpack_arrays(driver):
    import sptrsv

    solver = sptrsv.analyse(sparse(A, DlpackArray))
    assert solver.device == "cuda:0"
    b, out = DlpackArray(np.ones(3)), DlpackArray(np.zeros(3))
    assert solver.solve(b, out=out) is out
    gc.collect()
    assert (b.deleted, out.deleted, b.streams) == (1, 1, [1])


@case
def memory_is_given_back(driver):
    import sptrsv

    def wrap(a):
        return CudaArray(driver.on_gpu(a))

    matrix = sparse(A, wrap)
    with sptrsv.analyse(matrix):
        pass
    driver.lib.standin_use(0)
    before = driver.allocated()
    solver = sptrsv.analyse(matrix)
    solver.solve(wrap(np.ones(3)), out=wrap(np.zeros(3)))
    assert driver.allocated() > before
    solver.close()
    assert driver.allocated() == before
    sptrsv.analyse(matrix, tune=True, any_trans=True).close()
    assert driver.allocated() == before
    # The end of the object, and an analysis that fails.
    sptrsv.analyse(matrix)
    assert driver.allocated() == before
    bad = A.copy()
    bad.indices[0] = 9
    refused(sptrsv.InvalidMatrixError, "column index 9", lambda: sptrsv.analyse(sparse(bad, wrap)))
    assert driver.allocated() == before
    driver.lib.standin_fail(b"cuMemAlloc_v2", 2)
    refused(sptrsv.SptrsvError, "CUresult 2", lambda: sptrsv.analyse(matrix))
    driver.lib.standin_fail(None, 0)
    assert driver.allocated() == before
    # A GPU that fails in between: the end of the solver is quiet.
    solver = sptrsv.analyse(matrix)
    driver.lib.standin_fail(b"cuMemFree_v2", 719)
    solver.close()
    driver.lib.standin_fail(None, 0)
    assert driver.lib.standin_retained(0) == 1, "only the test itself has the context"


@case
def streams_of_cupy(driver):
    """The current stream of CuPy, and order between streams."""
    cupy = install_cupy(driver.on_gpu)
    import sptrsv

    def wrap(a, device=1):
        return cupy.ndarray(a, device)

    solver = sptrsv.analyse(sparse(A, wrap))
    assert solver.device == "cuda:1" and stream_of(solver) == 0x11
    assert driver.log() == "record 0x11;"
    b = wrap(np.ones((3, 2)))
    x = solver.solve(b)
    assert isinstance(x, cupy.ndarray) and x.shape == (3, 2) and x.device.id == 1
    assert driver.log() == "wait 0x11;record 0x11;"
    cupy.current[1] = 0x22
    solver.solve(b)
    assert stream_of(solver) == 0x22 and driver.log() == "wait 0x22;record 0x22;"
    cupy.current[1] = 0x33
    solver.update(wrap(np.ones(5)))
    assert stream_of(solver) == 0x33 and driver.log() == "wait 0x33;record 0x33;"
    solver.zero_pivot()
    assert stream_of(solver) == 0x33
    driver.log()
    # A type that converts, and right-hand sides whose rows lie apart.
    assert solver.solve(wrap(np.ones(3, "f"))).dtype == np.float64
    assert solver.solve(wrap(np.ones((6, 4))[::2, ::2])).shape == (3, 2)
    refused(TypeError, "b is complex128", lambda: solver.solve(wrap(np.ones(3, complex))))
    refused(ValueError, "b is in memory of GPU 0", lambda: solver.solve(wrap(np.ones(3), 0)))
    assert solver.solve(wrap(np.asfortranarray(np.ones((3, 2))))).array.flags.f_contiguous


@case
def factors_and_sweeps_of_cupy(driver):
    """They work on CuPy's current stream, behind solves on other streams, and give all memory back."""
    cupy = install_cupy(driver.on_gpu)
    import sptrsv

    def wrap(a):
        return cupy.ndarray(a, 0)

    driver.lib.standin_use(0)
    before = driver.allocated()
    factors = sptrsv.ilu0(sparse(A, wrap), check=False)
    assert factors.device == "cuda:0" and isinstance(factors.values, cupy.ndarray)
    assert isinstance(factors.solve(wrap(np.ones((3, 2)))), cupy.ndarray)
    driver.log()
    cupy.current[0] = 0x22
    factors.update(wrap(np.ones(5)), check=False)
    assert driver.log() == "wait 0x22;wait 0x22;record 0x22;record 0x22;"
    factors.close()
    assert driver.allocated() == before
    smoother = sptrsv.smoother(sparse(A, wrap), diagonal=wrap(np.ones(3)))
    x = wrap(np.ones(3))
    assert smoother.sweep(wrap(np.ones(3)), x) is x and stream_of(smoother) == 0x22
    assert isinstance(smoother.sweep(wrap(np.ones(3))), cupy.ndarray)
    refused(ValueError, "x is in host memory", lambda: smoother.sweep(wrap(np.ones(3)), np.ones(3)))
    smoother.close()
    assert driver.allocated() == before
    plain = sparse(A, lambda a: CudaArray(driver.on_gpu(a)))
    refused(TypeError, "A must be of SciPy, CuPy or PyTorch for ilu0", lambda: sptrsv.ilu0(plain))
    on_gpu, out = CudaArray(driver.on_gpu(np.ones(3))), CudaArray(driver.on_gpu(np.zeros(3)))
    assert sptrsv.smoother(plain).sweep(on_gpu, out) is out


@case
def pairs_of_cupy(driver):
    """They work on CuPy's current stream, take room for permuted vectors once, and give all memory back."""
    cupy = install_cupy(driver.on_gpu)
    import sptrsv

    def wrap(a):
        return cupy.ndarray(a, 0)

    driver.lib.standin_use(0)
    before = driver.allocated()
    both = sptrsv.pair(sparse(A, wrap), rows=wrap(np.arange(3)), columns=wrap(np.arange(3)))
    assert both.device == "cuda:0"
    driver.log()
    cupy.current[0] = 0x22
    x = both.solve(wrap(np.ones((3, 2))))
    assert isinstance(x, cupy.ndarray) and x.array.flags.f_contiguous
    assert driver.log() == "wait 0x22;wait 0x22;record 0x22;record 0x22;"
    held = driver.allocated()
    both.solve(wrap(np.ones(3)))
    assert driver.allocated() == held
    # A solve that has its room can be captured.
    b, out = wrap(np.ones(3)), wrap(np.ones(3))
    driver.log()
    driver.lib.standin_capture(1)
    both.solve(b, out=out)
    assert driver.log() == "" and driver.lib.standin_broken_captures() == 0
    driver.lib.standin_capture(0)
    refused(ValueError, "rows is in host memory", lambda: sptrsv.pair(sparse(A, wrap), rows=np.arange(3)))
    both.close()
    assert driver.allocated() == before


@case
def streams_of_producers(driver):
    """The CUDA array interface names the stream on which an array is made."""
    cupy = install_cupy(driver.on_gpu)
    import sptrsv

    solver = sptrsv.analyse(sparse(A, lambda a: cupy.ndarray(a, 0)))
    driver.log()
    b = CudaArray(driver.on_gpu(np.ones(3)), stream=0x55)
    x = solver.solve(b)
    assert isinstance(x, cupy.ndarray) and stream_of(solver) == 0x10
    assert driver.log() == "record 0x55;wait 0x10;wait 0x10;record 0x10;"
    dlpack = DlpackArray(np.ones(3))
    solver.solve(dlpack)
    # The owner has made the default stream wait.
    assert dlpack.streams == [1]
    assert driver.log() == "record 0;wait 0x10;wait 0x10;record 0x10;"
    # Without a library that has a stream, that of the array.
    plain = sptrsv.analyse(sparse(A, lambda a: CudaArray(driver.on_gpu(a), stream=0x77)))
    assert stream_of(plain) == 0x77
    plain.solve(CudaArray(driver.on_gpu(np.ones(3))), out=CudaArray(driver.on_gpu(np.zeros(3))))
    assert stream_of(plain) == 0


@case
def captures(driver):
    """While a stream captures nothing is recorded or waited for, and no capture is lost."""
    cupy = install_cupy(driver.on_gpu)
    import sptrsv

    def wrap(a):
        return cupy.ndarray(a, 0)

    solver = sptrsv.analyse(sparse(A, wrap))
    b, out = wrap(np.ones(3)), wrap(np.zeros(3))
    driver.log()
    driver.lib.standin_capture(1)
    solver.solve(b, out=out)
    solver.update(wrap(np.ones(5)))
    assert driver.log() == "" and driver.lib.standin_broken_captures() == 0
    refused(sptrsv.SptrsvError, "a stream is capturing", lambda: solver.solve(b, out=out, check=True))
    driver.lib.standin_capture(0)
    solver.solve(b, out=out)
    assert driver.log() == "wait 0x10;record 0x10;"


@case
def the_context_of_the_thread_stays(driver):
    import sptrsv

    current = ctypes.c_void_p()
    solver = sptrsv.analyse(sparse(A, lambda a: CudaArray(driver.on_gpu(a, 1))))
    solver.solve(CudaArray(driver.on_gpu(np.ones(3), 1)), out=CudaArray(driver.on_gpu(np.zeros(3), 1)))
    driver.lib.cuCtxGetCurrent(ctypes.byref(current))
    assert current.value is None


@case
def a_forked_process_is_told(driver):
    import sptrsv

    solver = sptrsv.analyse(sparse(A, lambda a: CudaArray(driver.on_gpu(a))))
    b, out = CudaArray(driver.on_gpu(np.ones(3))), CudaArray(driver.on_gpu(np.zeros(3)))
    child = os.fork()
    if child == 0:
        try:
            refused(RuntimeError, "cannot be used in a forked process", lambda: solver.solve(b, out=out))
            solver.close()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0) == (child, 0)
    solver.solve(b, out=out)


@case
def errors_of_the_driver(driver):
    import sptrsv

    matrix = sparse(A, lambda a: DlpackArray(a, (2, 0)))
    solver = sptrsv.analyse(matrix)
    for entry in (b"cuEventRecord", b"cuStreamWaitEvent", b"cuCtxPushCurrent_v2"):
        driver.lib.standin_fail(entry, 719)
        refused(
            sptrsv.SptrsvError, f"{entry.decode()} failed with CUresult 719",
            lambda: solver.solve(DlpackArray(np.ones(3)), out=DlpackArray(np.zeros(3))),
        )  # fmt: skip
        driver.lib.standin_fail(None, 0)
        solver.solve(DlpackArray(np.ones(3)), out=DlpackArray(np.zeros(3)))
    refused(
        sptrsv.SptrsvError,
        "cuDeviceGet failed with CUresult 101",
        lambda: sptrsv.analyse(sparse(A, lambda a: DlpackArray(a, (2, 7)))),
    )
    driver.lib.standin_fail(b"cuInit", 100)
    sptrsv._cuda._driver.cache_clear()
    refused(sptrsv.NoGpuError, "cuInit failed", lambda: sptrsv.analyse(matrix))
    driver.lib.standin_fail(None, 0)


if __name__ == "__main__":
    globals()[sys.argv[1]](Driver())
