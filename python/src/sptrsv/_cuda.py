"""What this package itself asks the CUDA driver for: the context of a device, memory for the scratch buffer, and events
that put solves on different streams in order. The driver is bound at run time, and only where a GPU is asked for."""

from __future__ import annotations

import ctypes
import functools
from ctypes import POINTER, byref, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

from ._errors import SptrsvError, check
from ._library import Executor, Status, library

_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9
_EVENT_DISABLE_TIMING = 2

_ARGUMENTS: dict[str, list[Any]] = {
    "cuPointerGetAttribute": [c_void_p, c_int, c_uint64],
    "cuDeviceGet": [POINTER(c_int), c_int],
    "cuDevicePrimaryCtxRetain": [POINTER(c_void_p), c_int],
    "cuDevicePrimaryCtxRelease_v2": [c_int],
    "cuCtxPushCurrent_v2": [c_void_p],
    "cuCtxPopCurrent_v2": [POINTER(c_void_p)],
    "cuMemAlloc_v2": [POINTER(c_uint64), c_size_t],
    "cuMemFree_v2": [c_uint64],
    "cuEventCreate": [POINTER(c_void_p), c_uint],
    "cuEventDestroy_v2": [c_void_p],
    "cuEventRecord": [c_void_p, c_void_p],
    "cuStreamWaitEvent": [c_void_p, c_void_p, c_uint],
    "cuStreamIsCapturing": [c_void_p, POINTER(c_int)],
}


@functools.cache
def _driver() -> ctypes.CDLL:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        driver = None
    if driver is None or driver.cuInit(0):
        # The library fails in the same way, and its sentence says why.
        check(library.sptrsvCreateWithExecutor(byref(c_void_p()), Executor.CUDA))
        raise SptrsvError("libcuda.so.1 could not be initialised", Status.NO_DRIVER)
    for name, arguments in _ARGUMENTS.items():
        function = getattr(driver, name)
        function.argtypes, function.restype = arguments, c_int
    return driver


def _call(name: str, *arguments: Any) -> None:
    result = getattr(_driver(), name)(*arguments)
    if result:
        raise SptrsvError(f"{name} failed with CUresult {result}", Status.EXECUTION_FAILED)


def device_of(pointer: int) -> int:
    """The number of the GPU whose memory an address is in."""
    ordinal = c_int(-1)
    result = _driver().cuPointerGetAttribute(byref(ordinal), _POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer)
    if result:
        raise ValueError(f"the address {pointer:#x} is not in memory of a GPU")
    return ordinal.value


class Device:
    """One GPU's primary context, which CuPy, PyTorch and Numba use. ``with`` makes it current on this thread."""

    def __init__(self, ordinal: int) -> None:
        _driver()
        self.ordinal = ordinal
        self._number = c_int()
        self._context = c_void_p()
        _call("cuDeviceGet", byref(self._number), ordinal)
        _call("cuDevicePrimaryCtxRetain", byref(self._context), self._number)

    def __enter__(self) -> Device:
        _call("cuCtxPushCurrent_v2", self._context)
        return self

    def __exit__(self, *_: object) -> None:
        _call("cuCtxPopCurrent_v2", byref(c_void_p()))

    def release(self) -> None:
        _call("cuDevicePrimaryCtxRelease_v2", self._number)

    # All below needs the context to be current.

    def allocate(self, size: int) -> int:
        address = c_uint64()
        _call("cuMemAlloc_v2", byref(address), size)
        return address.value

    def free(self, address: int) -> None:
        _call("cuMemFree_v2", address)

    def event(self) -> c_void_p:
        event = c_void_p()
        _call("cuEventCreate", byref(event), _EVENT_DISABLE_TIMING)
        return event

    def destroy(self, event: c_void_p) -> None:
        _call("cuEventDestroy_v2", event)

    def record(self, event: c_void_p, stream: int) -> None:
        _call("cuEventRecord", event, stream)

    def wait(self, stream: int, event: c_void_p) -> None:
        """Lets the stream wait for the event, without waiting on the host."""
        _call("cuStreamWaitEvent", stream, event, 0)

    def is_capturing(self, stream: int) -> bool:
        status = c_int()
        _call("cuStreamIsCapturing", stream, byref(status))
        return status.value != 0
