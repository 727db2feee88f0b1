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
    opaque = re.fullmatch(r"sptrsv(Handle|(Const)?MatDescr|(Const)?Info|Stream)_t", kind)
    if pointer:
        if opaque:
            return ctypes.POINTER(ctypes.c_void_p)
        if kind in ("void", "int32_t"):  # arrays, whose addresses may be on a GPU
            return ctypes.c_void_p
        return ctypes.POINTER(_library.StatsStruct if kind == "sptrsvStats_t" else FIELDS[kind])
    if opaque:
        return ctypes.c_void_p
    return FIELDS.get(kind, ctypes.c_int)


def declared():
    functions = re.findall(r"(sptrsvStatus_t|const char) \*?(sptrsv\w+)\(([^)]*)\);", CODE)
    return {name: [" ".join(a.split()) for a in arguments.split(",") if a != "void"] for _, name, arguments in functions}


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
    _library.Setup: "sptrsvAnalysisMode_t",
    _library.CopyValues: "sptrsvCopyValues_t",
    _library.Sweeps: "sptrsvSweeps_t",
    _library.Operation: "sptrsvOperation_t",
    _library.DataType: "sptrsvDataType_t",
    _library.SolvePolicy: "sptrsvSolvePolicy_t",
    _library.Order: "sptrsvOrder_t",
}
# Numbers that the package has no use for.
UNUSED = {"sptrsvCopyValues_t": {1}, "sptrsvSweeps_t": {0}, "sptrsvSolvePolicy_t": {0}}


@pytest.mark.parametrize("enum, name", ENUMS.items())
def test_numbers(enum, name):
    body = re.search(rf"typedef enum {{([^{{}}]*)}} {name};", CODE, re.DOTALL)[1]
    values = {key: int(value) for key, value in re.findall(r"SPTRSV_(\w+) = (\d+)", body)}
    assert values
    assert {int(member) for member in enum} == set(values.values()) - UNUSED.get(name, set())
    for member in enum:
        # The header's names end with those of the members: SPTRSV_STATUS_SUCCESS, SPTRSV_INDEX_32I.
        ours = {"I32": "INDEX_32I", "I64": "INDEX_64I"}.get(member.name, member.name)
        assert any(key.endswith(ours) and value == member for key, value in values.items()), member


def test_statistics():
    body = re.search(r"typedef struct {([^{}]*)} sptrsvStats_t;", CODE, re.DOTALL)[1]
    fields = [(name, FIELDS[kind]) for kind, name in re.findall(r"(\w+) (\w+);", body)]
    # It may grow at its end.
    ours = _library.StatsStruct._fields_
    assert fields[: len(ours)] == ours and len(ours) > 10
    assert set(sptrsv.Stats.__dataclass_fields__) == {name for name, _ in ours} - {"struct_size"}


def test_version():
    parts = [re.search(rf"#define SPTRSV_VERSION_{part} (\d+)", CODE)[1] for part in ("MAJOR", "MINOR", "PATCH")]
    assert sptrsv.__version__ == ".".join(parts)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        sptrsv.nothing
