"""The functions of include/sptrsv.h that this package calls, by ctypes, under the names of the header."""

from __future__ import annotations

import ctypes
import enum
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p
from pathlib import Path
from typing import Any


class Status(enum.IntEnum):
    """What a call of the library gives; numbers up to 11 are cuSPARSE's own."""

    SUCCESS = 0
    NOT_INITIALIZED = 1
    ALLOC_FAILED = 2
    INVALID_VALUE = 3
    ARCH_MISMATCH = 4
    MAPPING_ERROR = 5
    EXECUTION_FAILED = 6
    INTERNAL_ERROR = 7
    MATRIX_TYPE_NOT_SUPPORTED = 8
    ZERO_PIVOT = 9
    NOT_SUPPORTED = 10
    INSUFFICIENT_RESOURCES = 11
    INVALID_MATRIX = 100
    NOT_ANALYSED = 101
    PATTERN_MISMATCH = 102
    TIMED_OUT = 103
    NO_DRIVER = 104


class Executor(enum.IntEnum):
    CUDA = 0
    HOST = 1


class FillMode(enum.IntEnum):
    LOWER = 0
    UPPER = 1


class DiagType(enum.IntEnum):
    NON_UNIT = 0
    UNIT = 1


class Format(enum.IntEnum):
    CSR = 0
    CSC = 1


class Index(enum.IntEnum):
    I32 = 0
    I64 = 1


class Algorithm(enum.IntEnum):
    AUTO = 0
    LEVR = 1
    LEVC = 2
    SLFR = 3
    SLFC = 4
    GSF = 5
    ONE_WORD = 16
    TILED = 17
    NODAL = 18
    WIDE = 19
    THIN = 20
    BLOCK = 21
    PANEL = 22


class Setup(enum.IntEnum):
    AUTO = 0
    CPU = 1
    GPU = 2
    GPU_KAHN = 3


class CopyValues(enum.IntEnum):
    NONE = 0
    ALL = 2


class Sweeps(enum.IntEnum):
    ANY = 1
    GAUSS_SEIDEL = 2


class Operation(enum.IntEnum):
    NON_TRANSPOSE = 0
    TRANSPOSE = 1
    CONJUGATE_TRANSPOSE = 2


class DataType(enum.IntEnum):
    R_32F = 0
    R_64F = 1
    C_32F = 4
    C_64F = 5


class SolvePolicy(enum.IntEnum):
    USE_LEVEL = 1


class Order(enum.IntEnum):
    COLUMN = 1
    ROW = 2


class StatsStruct(ctypes.Structure):
    """sptrsvStats_t."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("levels", c_int64),
        ("widest_level", c_int64),
        ("rows", c_int64),
        ("entries_used", c_int64),
        ("algorithm", c_int),
        ("setup", c_int),
        ("setup_ms", c_double),
        ("bytes_held", c_int64),
        ("predicted_ms", c_double),
        ("mat_d2h_ms", c_double),
        ("trans_ms", c_double),
        ("dep_ms", c_double),
        ("lev_ms", c_double),
        ("lev_h2d_ms", c_double),
        ("missing_diagonal", c_int64),
        ("pattern_was_known", c_int64),
        ("tuned_ms", c_double),
    ]


# Handles, descriptors, infos, streams and arrays are addresses; enums are ints.
_MATRIX = [c_void_p, c_int, c_int64, c_int64]
_ARRAYS = [c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p]
_FACTOR = [c_void_p, c_int64, c_void_p, c_void_p, c_void_p, c_void_p]
ARGUMENTS: dict[str, list[Any]] = {
    "sptrsvCreateWithExecutor": [POINTER(c_void_p), c_int],
    "sptrsvDestroy": [c_void_p],
    "sptrsvGetVersion": [c_void_p, POINTER(c_int)],
    "sptrsvSetStream": [c_void_p, c_void_p],
    "sptrsvSetTimeout": [c_void_p, c_double],
    "sptrsvCreateMatDescr": [POINTER(c_void_p)],
    "sptrsvDestroyMatDescr": [c_void_p],
    "sptrsvSetMatFillMode": [c_void_p, c_int],
    "sptrsvSetMatDiagType": [c_void_p, c_int],
    "sptrsvSetMatFormat": [c_void_p, c_int],
    "sptrsvSetMatIndexTypes": [c_void_p, c_int, c_int],
    "sptrsvCreateInfo": [POINTER(c_void_p)],
    "sptrsvDestroyInfo": [c_void_p],
    "sptrsvSetAlgorithm": [c_void_p, c_int],
    "sptrsvSetExpectedRightHandSides": [c_void_p, c_int64],
    "sptrsvSetAnalysisMode": [c_void_p, c_int],
    "sptrsvSetAnalysisForAllOperations": [c_void_p, c_int],
    "sptrsvSetCopyValues": [c_void_p, c_int],
    "sptrsvGetStats": [c_void_p, POINTER(StatsStruct)],
    "sptrsvBufferSize": [*_MATRIX, *_ARRAYS, POINTER(c_size_t)],
    "sptrsvAnalysis": [*_MATRIX, *_ARRAYS, c_int, c_void_p],
    "sptrsvUpdateValues": [c_void_p, c_void_p, c_void_p],
    "sptrsvTune": [*_MATRIX, c_void_p, *_ARRAYS, c_void_p, c_void_p, c_int, c_void_p],
    "sptrsvSolveDense": [
        *_MATRIX, c_int64, c_void_p, *_ARRAYS, c_void_p, c_int64, c_int, c_void_p, c_int64, c_int, c_int, c_void_p,
    ],
    "sptrsvZeroPivot": [c_void_p, c_void_p, POINTER(c_int64)],
    "sptrsvSolvePair": [
        c_void_p, c_int, c_int64, c_int64, c_void_p, c_int, *_FACTOR, *_FACTOR, c_void_p, c_void_p, c_void_p, c_int64,
        c_void_p, c_int64, c_void_p, c_int, c_void_p,
    ],
    "sptrsvSetFactorization": [c_void_p, c_int],
    "sptrsvSetPivotBoost": [c_void_p, c_double, c_double, c_double],
    "sptrsvIlu0": [c_void_p, c_int64, c_int64, *_ARRAYS, c_void_p],
    "sptrsvIc0": [c_void_p, c_int64, c_int64, *_ARRAYS, c_void_p],
    "sptrsvFactorZeroPivot": [c_void_p, c_void_p, POINTER(c_int64)],
    "sptrsvSetSweeps": [c_void_p, c_int],
    "sptrsvSetDiagonal": [c_void_p, c_void_p],
    "sptrsvRelax": [
        c_void_p, c_int64, c_int64, c_int, c_double, c_int, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p,
    ],
}  # fmt: skip
# Those that give a text in place of a status.
TEXTS: dict[str, list[Any]] = {
    "sptrsvGetErrorString": [c_int],
    "sptrsvGetLastErrorString": [],
}


def _load() -> ctypes.CDLL:
    folder = Path(__file__).resolve().parent / "lib"
    # The wheel has it under its SONAME.
    files = sorted(folder.glob("libsptrsv.so*"))
    if len(files) != 1:
        raise ImportError(f"{folder} must hold one libsptrsv.so, but it holds {len(files)}: install the wheel anew")
    try:
        library = ctypes.CDLL(str(files[0]))
    except OSError as e:
        # The loader's sentence names the version of glibc that is missing.
        raise ImportError(f"libsptrsv.so cannot be loaded here: {e}") from None
    for functions, result in ((ARGUMENTS, c_int), (TEXTS, c_char_p)):
        for name, arguments in functions.items():
            function = getattr(library, name)
            function.argtypes, function.restype = arguments, result
    return library


library = _load()


def text(status: int) -> str:
    """The sentence about this thread's last call."""
    sentence: bytes = library.sptrsvGetLastErrorString()
    return (sentence or library.sptrsvGetErrorString(status)).decode()


def version() -> str:
    """The version of the library, for example "0.2.0"."""
    handle, number = c_void_p(), c_int()
    library.sptrsvCreateWithExecutor(handle, Executor.HOST)
    library.sptrsvGetVersion(handle, number)
    library.sptrsvDestroy(handle)
    return f"{number.value // 10000}.{number.value // 100 % 100}.{number.value % 100}"
