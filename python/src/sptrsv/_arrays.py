"""What the library needs to know of an array: its address, shape, strides, type and device."""

from __future__ import annotations

import ctypes
import math
from typing import Any, NamedTuple

import numpy as np

from ._cuda import device_of
from ._dlpack import read_capsule
from ._library import DataType, Order

DATA_TYPES = {
    np.dtype(np.float32): DataType.R_32F,
    np.dtype(np.float64): DataType.R_64F,
    np.dtype(np.complex64): DataType.C_32F,
    np.dtype(np.complex128): DataType.C_64F,
}


class Array(NamedTuple):
    """A view of somebody's array. ``owner`` keeps the memory."""

    owner: Any
    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in bytes
    dtype: np.dtype[Any]
    device: int | None  # the number of the GPU; None: host memory
    writable: bool = True
    stream: int | None = None  # on which the array is made, where its owner says so

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def is_aligned(self) -> bool:
        # Kernels read a complex number as a whole.
        unit = self.dtype.alignment if self.device is None else self.dtype.itemsize
        return self.pointer % unit == 0

    @property
    def is_contiguous(self) -> bool:
        """Whether a vector's values lie one after the other, where they may be read."""
        return self.is_aligned and (self.size < 2 or self.strides[0] == self.dtype.itemsize)

    def layout(self) -> Layout | None:
        """How a vector, or a matrix of right-hand sides, is stored.

        None where it is neither column after column nor row after row.
        """
        item = self.dtype.itemsize
        n, row = self.shape[0], self.strides[0]
        k, column = (self.shape[1], self.strides[1]) if len(self.shape) == 2 else (1, n * item)
        if not self.is_aligned or row % item or column % item:
            return None
        if (n <= 1 or row == item) and (k <= 1 or column >= n * item):
            return Layout(Order.COLUMN, column // item if k > 1 else n)
        if (k <= 1 or column == item) and (n <= 1 or row >= k * item):
            return Layout(Order.ROW, row // item if n > 1 else k)
        return None

    def end(self) -> int:
        """The address behind the last value, of an array that has a layout."""
        last = (self.shape[0] - 1) * self.strides[0]
        if len(self.shape) == 2:
            last += (self.shape[1] - 1) * self.strides[1]
        return self.pointer + last + self.dtype.itemsize

    def overlaps(self, other: Array) -> bool:
        return self.device == other.device and self.pointer < other.end() and other.pointer < self.end()

    def place(self) -> str:
        return place(self.device)


class Layout(NamedTuple):
    order: Order
    leading: int  # values from one column, or row, to the next


def place(device: int | None) -> str:
    return "host memory" if device is None else f"memory of GPU {device}"


def dense_strides(shape: tuple[int, ...], item: int) -> tuple[int, ...]:
    """Strides in bytes of an array in C order."""
    strides = [item]
    for extent in reversed(shape[1:]):
        strides.insert(0, strides[0] * max(extent, 1))
    return tuple(strides[-len(shape) :]) if shape else ()


def from_cuda_interface(array: Any) -> Array:
    """Reads ``__cuda_array_interface__``, versions 2 and 3."""
    description = array.__cuda_array_interface__
    if description.get("mask") is not None:
        raise TypeError("an array with a mask cannot be used")
    dtype = np.dtype(description["typestr"])
    shape = tuple(description["shape"])
    pointer, read_only = description["data"]
    stream = description.get("stream")
    return Array(
        owner=array,
        pointer=pointer or 0,
        shape=shape,
        strides=tuple(description.get("strides") or dense_strides(shape, dtype.itemsize)),
        dtype=dtype,
        device=device_of(pointer) if pointer else 0,
        writable=not read_only,
        # 1 is the default stream, as 0 is elsewhere.
        stream=0 if stream == 1 else stream,
    )


def from_dlpack(array: Any, device: int) -> Array:
    """Reads an array on a GPU by the DLPack protocol; its owner then makes the default stream wait for it."""
    tensor = read_capsule(array.__dlpack__(stream=1))
    strides = tensor.strides
    return Array(
        owner=tensor,
        pointer=tensor.pointer,
        shape=tensor.shape,
        strides=dense_strides(tensor.shape, tensor.dtype.itemsize)
        if strides is None
        else tuple(stride * tensor.dtype.itemsize for stride in strides),
        dtype=tensor.dtype,
        device=device,
        writable=tensor.writable,
        stream=0,
    )


def scalar(value: complex, dtype: np.dtype[Any]) -> ctypes.Array[ctypes.c_char]:
    """The bytes of one number of a type."""
    number = np.asarray(value)
    if number.shape != () or not np.can_cast(number.dtype, dtype, "same_kind"):
        raise TypeError(f"alpha must be one number that fits {dtype}, but it is {value!r}")
    return ctypes.create_string_buffer(number.astype(dtype).tobytes(), dtype.itemsize)
