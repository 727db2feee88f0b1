"""Arrays that say they are on a GPU. Their numbers lie in host memory, which the stand-in for the driver calls its
own."""

from __future__ import annotations

import ctypes
import sys
import types

import numpy as np

from sptrsv import _dlpack


class CudaArray:
    """Known by the CUDA array interface only, as arrays of Numba are."""

    def __init__(self, array, stream=None, **changes):
        self.array, self.stream, self.changes = array, stream, changes

    @property
    def dtype(self):
        return self.array.dtype

    @property
    def __cuda_array_interface__(self):
        a = self.array
        contiguous = a.flags.c_contiguous
        return {
            "shape": a.shape,
            "typestr": a.dtype.str,
            "data": (a.ctypes.data if a.size else 0, not a.flags.writeable),
            "strides": None if contiguous else a.strides,
            "stream": self.stream,
            "version": 3,
            **self.changes,
        }


_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class DlpackArray:
    """Known by DLPack only."""

    def __init__(self, array, device=(_dlpack.CUDA, 0)):
        self.array, self.device = array, device
        self.deleted = 0
        self.streams = []

    @property
    def dtype(self):
        return self.array.dtype

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        a = self.array
        numbers = ctypes.c_int64 * max(a.ndim, 1)
        managed = _dlpack._Managed()
        tensor = managed.tensor
        tensor.data, tensor.byte_offset = a.ctypes.data - 8, 8
        tensor.device_type, tensor.device_id = self.device
        tensor.ndim, tensor.code, tensor.bits, tensor.lanes = a.ndim, _CODES[a.dtype.kind], a.dtype.itemsize * 8, 1
        shape = numbers(*a.shape)
        strides = numbers(*(s // a.itemsize for s in a.strides))
        tensor.shape = shape
        if not a.flags.c_contiguous:
            tensor.strides = strides

        @_dlpack._DELETER
        def deleter(address):
            self.deleted += 1

        managed.deleter = ctypes.cast(deleter, ctypes.c_void_p)
        self.kept = (managed, shape, strides, deleter)
        return _new_capsule(ctypes.addressof(managed), b"dltensor", None)


def sparse(A, wrap):
    """A matrix of SciPy with wrapped arrays, as any object with these attributes."""
    return types.SimpleNamespace(
        format=A.format, shape=A.shape, indptr=wrap(A.indptr), indices=wrap(A.indices), data=wrap(A.data)
    )


def install_cupy(register):
    """Puts a module `cupy` into `sys.modules` with the few things that the package asks CuPy for."""
    cupy = types.ModuleType("cupy")
    current = {0: 0x10, 1: 0x11}
    used = [0]

    class Device:
        def __init__(self, number):
            self.id = number

        def __enter__(self):
            self.before, used[0] = used[0], self.id

        def __exit__(self, *_):
            used[0] = self.before

    class ndarray:
        def __init__(self, array, device=None):
            self.array = array
            self.device = Device(used[0] if device is None else device)
            self.shape, self.strides, self.dtype, self.ndim = array.shape, array.strides, array.dtype, array.ndim
            self.data = types.SimpleNamespace(ptr=array.ctypes.data)
            register(array, self.device.id)

    ndarray.__module__ = "cupy"
    cupy.ndarray = ndarray
    cupy.empty = lambda shape, dtype, order: ndarray(np.empty(shape, dtype, order))
    cupy.array = lambda a, dtype, order: ndarray(np.array(a.array, dtype=dtype, order=order))
    cupy.cuda = types.SimpleNamespace(
        Device=Device, get_current_stream=lambda device=-1: types.SimpleNamespace(ptr=current[device])
    )
    cupy.current = current
    sys.modules["cupy"] = cupy
    return cupy
