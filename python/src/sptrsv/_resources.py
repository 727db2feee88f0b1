"""What a solver owns of the library and of the GPU, and how it is given back."""

from __future__ import annotations

import contextlib
import os
from ctypes import byref, c_void_p
from typing import Any, Iterator

import numpy as np

from ._arrays import Array
from ._cuda import Device
from ._errors import SptrsvError, check
from ._library import Executor, library


class Resources:
    """A handle, a descriptor, an info and a scratch buffer on one executor. ``free`` gives all of it back."""

    def __init__(self, device: int | None) -> None:
        self.handle = c_void_p()
        self.descr = c_void_p()
        self.info = c_void_p()
        self.device: Device | None = None
        self._scratch: int = 0
        self._host_scratch: Any = None
        self._event: c_void_p | None = None
        self._process = os.getpid()
        try:
            if device is None:
                check(library.sptrsvCreateWithExecutor(byref(self.handle), Executor.HOST))
            else:
                self.device = Device(device)
                with self.device:
                    check(library.sptrsvCreateWithExecutor(byref(self.handle), Executor.CUDA))
            check(library.sptrsvCreateMatDescr(byref(self.descr)))
            check(library.sptrsvCreateInfo(byref(self.info)))
        except BaseException:
            self.free()
            raise

    @property
    def is_copy(self) -> bool:
        """Whether this is a copy in a forked process, which cannot use what its parent has on the GPU."""
        return self.device is not None and os.getpid() != self._process

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function whose first argument is the handle."""
        check(getattr(library, name)(self.handle, *arguments))

    def scratch(self, size: int) -> int:
        """The address of a new scratch buffer, in place of the one before."""
        if self.device is None:
            self._host_scratch = np.empty(size, np.uint8)
            return int(self._host_scratch.ctypes.data)
        with self.device:
            if self._scratch:
                self.device.free(self._scratch)
                self._scratch = 0
            self._scratch = self.device.allocate(max(size, 1))
        return self._scratch

    @contextlib.contextmanager
    def temporary(self, size: int) -> Iterator[int]:
        """The address of so many bytes: zeros on the host, anything on a GPU."""
        if self.device is None:
            memory = np.zeros(size, np.uint8)
            yield int(memory.ctypes.data)
            return
        with self.device:
            address = self.device.allocate(max(size, 1))
        try:
            yield address
        finally:
            with self.device:
                self.device.free(address)

    def is_capturing(self, stream: int) -> bool:
        return self.device is not None and self.device.is_capturing(stream)

    def order(self, stream: int) -> None:
        """Lets the stream wait for what ``mark`` has recorded last."""
        if self.device and self._event:
            self.device.wait(stream, self._event)

    def mark(self, stream: int) -> None:
        """Records what the stream has been given until now."""
        if self.device:
            if self._event is None:
                self._event = self.device.event()
            self.device.record(self._event, stream)

    def wait_for_producer(self, stream: int, producer: int | None) -> None:
        """Lets the stream wait for that on which an array is made."""
        if self.device and producer is not None and producer != stream:
            event = self.device.event()
            self.device.record(event, producer)
            self.device.wait(stream, event)
            self.device.destroy(event)

    def free(self) -> None:
        """Waits for solves in flight. In a forked process there is nothing to be given back."""
        if self.is_copy:
            return
        library.sptrsvDestroyInfo(self.info)
        library.sptrsvDestroyMatDescr(self.descr)
        if self.handle:
            library.sptrsvDestroy(self.handle)
        self.info, self.descr, self.handle = c_void_p(), c_void_p(), c_void_p()
        self._host_scratch = None
        device, self.device = self.device, None
        if device:
            # A GPU that has failed gives nothing back.
            with contextlib.suppress(SptrsvError), device:
                if self._event:
                    device.destroy(self._event)
                if self._scratch:
                    device.free(self._scratch)
            with contextlib.suppress(SptrsvError):
                device.release()


class OnStream:
    """Work on a stream, in order with the solver's work on other streams and with those who make the arrays.

    A stream that is capturing cannot wait for work outside of its capture, and has done nothing yet that others could
    wait for.
    """

    def __init__(self, resources: Resources, stream: int, views: tuple[Array, ...]) -> None:
        self._resources, self._stream, self._views = resources, stream, views
        self._captures = False

    def __enter__(self) -> None:
        r = self._resources
        if r.device is None:
            return
        r.device.__enter__()
        try:
            self._captures = r.is_capturing(self._stream)
            if not self._captures:
                for producer in {view.stream for view in self._views}:
                    r.wait_for_producer(self._stream, producer)
                r.order(self._stream)
            r.call("sptrsvSetStream", self._stream)
        except BaseException:
            r.device.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        r = self._resources
        if r.device is not None:
            try:
                if not self._captures:
                    r.mark(self._stream)
            finally:
                r.device.__exit__()
