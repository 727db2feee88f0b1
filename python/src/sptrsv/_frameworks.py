"""The array libraries that arrays may be of: how each views, copies and makes them, and on which stream it works.

None of them but NumPy is imported here: an array of CuPy or PyTorch brings its library along.
"""

from __future__ import annotations

import sys
from typing import Any, Literal, Protocol

import numpy as np

from . import _dlpack
from ._arrays import Array, from_cuda_interface, from_dlpack

Letter = Literal["C", "F"]


class Framework(Protocol):
    name: str
    # Whether it can make arrays: those that are known by a protocol only cannot be made.
    makes_arrays: bool

    def view(self, array: Any) -> Array:
        """The array as it is in memory; a copy that must not be written where it is not stored as its numbers are."""

    def copy(self, view: Array, dtype: np.dtype[Any], order: Letter) -> Any:
        """A new array in this order, on the same device."""

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], order: Letter, device: int | None) -> Any: ...

    def stream(self, device: int) -> int | None:
        """The stream on which the library works now, as an address; None where it has none."""


class NumPy:
    name = "NumPy"
    makes_arrays = True

    def view(self, array: Any) -> Array:
        a = np.asarray(array)
        is_native = a.dtype.isnative
        if not is_native:
            a = a.astype(a.dtype.newbyteorder("="))
        pointer = a.__array_interface__["data"][0]
        return Array(a, pointer, a.shape, a.strides, a.dtype, None, is_native and a.flags.writeable)

    def copy(self, view: Array, dtype: np.dtype[Any], order: Letter) -> Any:
        return np.array(view.owner, dtype=dtype, order=order)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], order: Letter, device: int | None) -> Any:
        return np.empty(shape, dtype, order)

    def stream(self, device: int) -> int | None:
        return None


class HostDlpack(NumPy):
    """Arrays in host memory of any library that speaks DLPack."""

    def view(self, array: Any) -> Array:
        return super().view(np.from_dlpack(array))


class CuPy:
    name = "CuPy"
    makes_arrays = True

    def __init__(self) -> None:
        self._cupy: Any = sys.modules["cupy"]

    def view(self, array: Any) -> Array:
        return Array(array, array.data.ptr, array.shape, array.strides, array.dtype, array.device.id)

    def copy(self, view: Array, dtype: np.dtype[Any], order: Letter) -> Any:
        with view.owner.device:
            return self._cupy.array(view.owner, dtype=dtype, order=order)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], order: Letter, device: int | None) -> Any:
        with self._cupy.cuda.Device(device):
            return self._cupy.empty(shape, dtype, order)

    def stream(self, device: int) -> int | None:
        stream: int = self._cupy.cuda.get_current_stream(device).ptr
        return stream


class Torch:
    name = "PyTorch"
    makes_arrays = True

    def __init__(self) -> None:
        self._torch: Any = sys.modules["torch"]

    def view(self, array: Any) -> Array:
        if not str(array.layout).endswith("strided"):
            raise TypeError(f"a dense tensor is needed, but one has the layout {array.layout}")
        if array.requires_grad and self._torch.is_grad_enabled():
            raise TypeError("a tensor requires grad, and this solve has no gradient: pass tensor.detach()")
        # Conjugates and negatives may be lazy: such a tensor is copied.
        is_lazy = array.is_conj() or array.is_neg()
        tensor = array.detach().resolve_conj().resolve_neg()
        dtype = self._dtype(tensor)
        strides = tuple(stride * dtype.itemsize for stride in tensor.stride())
        device = self._device(tensor)
        return Array(tensor, tensor.data_ptr(), tuple(tensor.shape), strides, dtype, device, not is_lazy)

    @staticmethod
    def _dtype(tensor: Any) -> np.dtype[Any]:
        name = str(tensor.dtype).rpartition(".")[2]
        # Of NumPy's own types: other packages may have added more under names of PyTorch.
        dtype = np.dtype(name) if name in np.sctypeDict else None
        if dtype is None or dtype.isbuiltin != 1:
            raise TypeError(f"a tensor of {name} cannot be used")
        return dtype

    @staticmethod
    def _device(tensor: Any) -> int | None:
        if tensor.device.type == "cpu":
            return None
        if tensor.device.type != "cuda":
            raise TypeError(f"a tensor is on device {tensor.device}; this library works on the CPU and on CUDA")
        index: int = tensor.device.index
        return index

    def copy(self, view: Array, dtype: np.dtype[Any], order: Letter) -> Any:
        torch = self._torch
        tensor = view.owner.to(getattr(torch, dtype.name))
        if order == "F" and tensor.ndim == 2:
            return tensor.t().clone(memory_format=torch.contiguous_format).t()
        return tensor.clone(memory_format=torch.contiguous_format)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], order: Letter, device: int | None) -> Any:
        options = {"dtype": getattr(self._torch, dtype.name), "device": "cpu" if device is None else f"cuda:{device}"}
        if order == "F" and len(shape) == 2:
            return self._torch.empty(shape[::-1], **options).t()
        return self._torch.empty(shape, **options)

    def stream(self, device: int) -> int | None:
        stream: int = self._torch.cuda.current_stream(device).cuda_stream
        return stream


class CudaInterface:
    """Arrays that are known by the CUDA array interface only, for example those of Numba."""

    name = "the CUDA array interface"
    makes_arrays = False

    def view(self, array: Any) -> Array:
        return from_cuda_interface(array)

    def copy(self, view: Array, dtype: np.dtype[Any], order: Letter) -> Any:
        raise TypeError(
            f"an array must be converted (to {dtype}, aligned, its rows or columns one after the other), which this "
            "package does for arrays of NumPy, CuPy and PyTorch only"
        )

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], order: Letter, device: int | None) -> Any:
        raise TypeError("a result can be made for arrays of NumPy, CuPy and PyTorch only: pass out=")

    def stream(self, device: int) -> int | None:
        return None


class CudaDlpack(CudaInterface):
    """Arrays on a GPU that are known by DLPack only."""

    name = "DLPack"

    def view(self, array: Any) -> Array:
        return from_dlpack(array, array.__dlpack_device__()[1])


# The libraries whose arrays are known by their type.
_of_type: dict[type, Framework] = {np.ndarray: NumPy()}


def framework_of(array: Any) -> Framework:
    """The library of an array; NumPy for lists and whatever else NumPy makes an array of."""
    known = _of_type.get(type(array))
    if known is not None:
        return known
    roots = {cls.__module__.partition(".")[0] for cls in type(array).__mro__}
    if "cupy" in roots:
        return _of_type.setdefault(type(array), CuPy())
    if "torch" in roots:
        return _of_type.setdefault(type(array), Torch())
    if hasattr(array, "__cuda_array_interface__"):
        return CudaInterface()
    if isinstance(array, np.ndarray) or not hasattr(array, "__dlpack_device__"):
        return NumPy()
    kind = int(array.__dlpack_device__()[0])
    if kind in (_dlpack.CUDA, _dlpack.CUDA_MANAGED):
        return CudaDlpack()
    if kind in (_dlpack.CPU, _dlpack.CUDA_HOST):
        return HostDlpack()
    raise TypeError(f"an array is on a device of DLPack type {kind}; this library works on the CPU and on CUDA")
