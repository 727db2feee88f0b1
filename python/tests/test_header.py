"""The binding says what include/sptrsv.h says: functions with their arguments, numbers, and the statistics."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import pytest

import sptrsv
from sptrsv import _library

HEADER = (Path(sptrsv.__file__).parent / "include" / "sptrsv.h").read_text()
CODE = re.sub(r"/\*.*?\*/", "", HEADER, flags=re.DOTALL)

FIELDS = {"size_t": ctypes.c_size_t, "int64_t": ctypes.c_int64, "int": ctypes.c_int, "double": ctypes.c_double}


def argument(declaration):
    """The ctypes type of one argument in C."""
    if "**" in declaration:
        return ctypes.POINTER(ctypes.c_void_p)
    kind = declaration.replace("const ", "").rsplit(None, 1)[0].strip()
    pointer = "*" in declaration
    kind = kind.replace("*", "").strip()
    opaque = kind in ("sptrsvHandle_t", "sptrsvMatDescr_t", "sptrsvInfo_t")
    if pointer:
        if opaque:
            return ctypes.POINTER(ctypes.c_void_p)
        if kind in ("void", "struct CUstream_st"):
            return ctypes.c_void_p
        return ctypes.POINTER(_library.StatsStruct if kind == "struct sptrsvStats_t" else FIELDS[kind])
    if opaque:
        return ctypes.c_void_p
    return ctypes.c_int if kind.startswith("enum ") else FIELDS[kind]


def declared():
    functions = re.findall(r"(enum sptrsvStatus_t|const char) \*?(sptrsv\w+)\(([^)]*)\);", CODE)
    return {name: [" ".join(a.split()) for a in arguments.split(",")] for _, name, arguments in functions}


@pytest.mark.parametrize("name", sorted({**_library.ARGUMENTS, **_library.TEXTS}))
def test_arguments(name):
    bound = {**_library.ARGUMENTS, **_library.TEXTS}[name]
    assert bound == [argument(a) for a in declared()[name]]


ENUMS = {
    _library.Status: "sptrsvStatus_t",
    _library.Executor: "sptrsvExecutor_t",
    _library.FillMode: "sptrsvFillMode_t",
    _library.DiagType: "sptrsvDiagType_t",
    _library.Format: "sptrsvFormat_t",
    _library.Index: "sptrsvIndexType_t",
    _library.Algorithm: "sptrsvAlgorithm_t",
    _library.Setup: "sptrsvSetup_t",
    _library.CopyValues: "sptrsvCopyValues_t",
    _library.Operation: "sptrsvOperation_t",
    _library.DataType: "sptrsvDataType_t",
    _library.SolvePolicy: "sptrsvSolvePolicy_t",
    _library.Order: "sptrsvOrder_t",
}
# Numbers that the package has no use for.
UNUSED = {"sptrsvCopyValues_t": {1}, "sptrsvSolvePolicy_t": {0}}


@pytest.mark.parametrize("enum, name", ENUMS.items())
def test_numbers(enum, name):
    body = re.search(rf"typedef enum {name} {{(.*?)}} {name};", CODE, re.DOTALL)[1]
    values = {key: int(value) for key, value in re.findall(r"SPTRSV_(\w+) = (\d+)", body)}
    assert values
    assert {int(member) for member in enum} == set(values.values()) - UNUSED.get(name, set())
    for member in enum:
        # The header's names end with those of the members: SPTRSV_STATUS_SUCCESS, SPTRSV_INDEX_32I.
        ours = {"I32": "INDEX_32I", "I64": "INDEX_64I"}.get(member.name, member.name)
        assert any(key.endswith(ours) and value == member for key, value in values.items()), member


def test_statistics():
    body = re.search(r"typedef struct sptrsvStats_t {(.*?)} sptrsvStats_t;", CODE, re.DOTALL)[1]
    fields = [(name, FIELDS[kind]) for kind, name in re.findall(r"(\w+) (\w+);", body)]
    # It may grow at its end.
    ours = _library.StatsStruct._fields_
    assert fields[: len(ours)] == ours and len(ours) > 10
    assert set(sptrsv.Stats.__dataclass_fields__) == {name for name, _ in ours} - {"struct_size"}


def test_version():
    number = int(re.search(r"#define SPTRSV_VERSION (\d+)", CODE)[1])
    assert sptrsv.__version__ == f"{number // 1000}.{number // 100 % 10}.{number % 100}"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        sptrsv.nothing
