"""What is read of arrays by the CUDA array interface and DLPack, on every machine."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import scipy.sparse as sp
from fakes import CudaArray, DlpackArray, sparse

import sptrsv
from sptrsv import _arrays, _dlpack
from sptrsv._frameworks import framework_of


@pytest.fixture
def on_gpu_1(monkeypatch):
    monkeypatch.setattr(_arrays, "device_of", lambda pointer: 1)


ARRAYS = [
    np.arange(6.0),
    np.arange(6, dtype="i4"),
    np.arange(12, dtype="D").reshape(3, 4),
    np.asfortranarray(np.arange(12, dtype="f").reshape(3, 4)),
    np.arange(24.0).reshape(4, 6)[::2, 1:4],
]


@pytest.mark.parametrize("a", ARRAYS, ids=str)
@pytest.mark.parametrize("kind", [CudaArray, lambda a: DlpackArray(a, (_dlpack.CUDA, 1))])
def test_what_is_read(on_gpu_1, a, kind):
    array = kind(a)
    view = framework_of(array).view(array)
    assert (view.pointer, view.shape, view.strides, view.dtype) == (a.ctypes.data, a.shape, a.strides, a.dtype)
    assert (view.device, view.writable, view.size) == (1, True, a.size)


def test_read_only_arrays(on_gpu_1):
    a = np.arange(3.0)
    a.flags.writeable = False
    assert not _arrays.from_cuda_interface(CudaArray(a)).writable


@pytest.mark.parametrize("given, read", [(None, None), (1, 0), (2, 2), (0x1234, 0x1234)])
def test_streams_of_the_interface(on_gpu_1, given, read):
    assert _arrays.from_cuda_interface(CudaArray(np.arange(3.0), stream=given)).stream == read


def test_masks_are_refused(on_gpu_1):
    with pytest.raises(TypeError, match="an array with a mask cannot be used"):
        _arrays.from_cuda_interface(CudaArray(np.arange(3.0), mask=CudaArray(np.ones(3, bool))))


def test_a_capsule_is_given_back():
    array = DlpackArray(np.arange(3.0))
    view = framework_of(array).view(array)
    assert array.streams == [1] and array.deleted == 0
    del view
    gc.collect()
    assert array.deleted == 1


def test_a_capsule_that_is_refused_is_given_back():
    array = DlpackArray(np.ones(3, bool))
    with pytest.raises(TypeError, match="DLPack type 6"):
        framework_of(array).view(array)
    gc.collect()
    assert array.deleted == 1


def test_a_capsule_is_used_once():
    capsule = DlpackArray(np.arange(3.0)).__dlpack__()
    _dlpack.read_capsule(capsule)
    with pytest.raises(ValueError, match="PyCapsule_GetPointer called with incorrect name"):
        _dlpack.read_capsule(capsule)


class HostArray:
    """An array in host memory, of another library."""

    def __init__(self, array):
        self.array, self.dtype = array, array.dtype

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


def test_arrays_of_other_libraries_on_the_host():
    A = sp.csr_array([[2.0, 0], [1, 4]])
    solver = sptrsv.analyse(sparse(A, HostArray))
    assert solver.device == "host"
    assert solver.solve(HostArray(np.array([2.0, 9]))).tolist() == [1, 2]
    assert solver.solve(HostArray(np.array([2, 9]))).tolist() == [1, 2]


def test_other_devices_are_refused():
    with pytest.raises(TypeError, match="an array is on a device of DLPack type 10"):
        sptrsv.analyse(sp.csr_array(np.eye(3))).solve(DlpackArray(np.ones(3), (10, 0)))


def test_an_array_on_the_gpu_for_a_matrix_on_the_host(on_gpu_1):
    solver = sptrsv.analyse(sp.csr_array(np.eye(3)))
    for b in (CudaArray(np.ones(3)), DlpackArray(np.ones(3), (_dlpack.CUDA, 1))):
        with pytest.raises(ValueError, match="b is in memory of GPU 1, but the matrix was analysed in host memory"):
            solver.solve(b)
    with pytest.raises(ValueError, match="out is in memory of GPU 1, but the matrix was analysed in host memory"):
        solver.solve(np.ones(3), out=CudaArray(np.ones(3)))


def test_a_matrix_in_both_memories(on_gpu_1):
    A = sparse(sp.csr_array(np.eye(3)), CudaArray)
    A.indices = A.indices.array
    with pytest.raises(ValueError, match="the values of A are in memory of GPU 1, but an index array in host memory"):
        sptrsv.analyse(A)
