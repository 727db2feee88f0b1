"""Reads a DLPack capsule (dlpack.h, version 0 of the structures, as every exporter gives without ``max_version``)."""

from __future__ import annotations

import ctypes
import weakref
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p, py_object
from typing import Any

import numpy as np

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
_KINDS = {0: "i", 1: "u", 2: "f", 5: "c"}


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("manager", c_void_p), ("deleter", c_void_p)]


_api = ctypes.pythonapi
_get_pointer = ctypes.PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", _api))
_set_name = ctypes.PYFUNCTYPE(ctypes.c_int, py_object, c_char_p)(("PyCapsule_SetName", _api))
_DELETER = ctypes.CFUNCTYPE(None, c_void_p)
# A capsule keeps the address of its name, not the name.
_USED = b"used_dltensor"


def _release(address: int) -> None:
    deleter = _Managed.from_address(address).deleter
    if deleter:
        _DELETER(deleter)(address)


class Tensor:
    """What a capsule holds, taken over from it. The memory is given back with this object."""

    def __init__(self, address: int) -> None:
        weakref.finalize(self, _release, address)
        tensor = _Managed.from_address(address).tensor
        if tensor.code not in _KINDS or tensor.lanes != 1:
            raise TypeError(f"an array of DLPack type {tensor.code} with {tensor.lanes} lanes cannot be used")
        self.pointer: int = (tensor.data or 0) + tensor.byte_offset
        self.dtype: np.dtype[Any] = np.dtype(f"{_KINDS[tensor.code]}{tensor.bits // 8}")
        self.shape: tuple[int, ...] = tuple(tensor.shape[: tensor.ndim])
        self.strides: tuple[int, ...] | None = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else None
        # Version 0 cannot say that memory must not be written, so exporters refuse to export such memory.
        self.writable = True


def read_capsule(capsule: Any) -> Tensor:
    address = _get_pointer(capsule, b"dltensor")
    _set_name(capsule, _USED)
    return Tensor(address)
