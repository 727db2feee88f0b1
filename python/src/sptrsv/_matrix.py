"""Reads a sparse matrix of SciPy, CuPy or PyTorch, without a conversion of its format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import DATA_TYPES, Array, place
from ._frameworks import Framework, framework_of
from ._library import Format, Index

_INDEX_TYPES = {np.dtype(np.int32): Index.I32, np.dtype(np.int64): Index.I64}


@dataclass(frozen=True)
class Matrix:
    """A square matrix in CSR or CSC."""

    rows: int
    entries: int
    format: Format
    offsets: Array
    indices: Array
    values: Array
    framework: Framework

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.values.dtype

    @property
    def device(self) -> int | None:
        return self.values.device

    @property
    def index_types(self) -> tuple[Index, Index]:
        return _INDEX_TYPES[self.offsets.dtype], _INDEX_TYPES[self.indices.dtype]


def _parts(matrix: Any) -> tuple[Format, Any, Any, Any]:
    """The format, and the three arrays as their library has them."""
    layout = str(getattr(matrix, "layout", ""))
    if layout == "torch.sparse_csr":
        return Format.CSR, matrix.crow_indices(), matrix.col_indices(), matrix.values()
    if layout == "torch.sparse_csc":
        return Format.CSC, matrix.ccol_indices(), matrix.row_indices(), matrix.values()
    name = getattr(matrix, "format", None)
    if name in ("csr", "csc") and hasattr(matrix, "indptr"):
        return Format.CSR if name == "csr" else Format.CSC, matrix.indptr, matrix.indices, matrix.data
    if isinstance(name, str):
        what = f"a matrix in format {name}"
    elif layout.startswith("torch."):
        what = f"a tensor of layout {layout}"
    else:
        what = f"an object of type {type(matrix).__name__}"
    raise TypeError(f"A must be a sparse matrix in CSR or CSC of SciPy, CuPy or PyTorch, but it is {what}")


def _vector(framework: Framework, array: Any, dtype: np.dtype[Any] | None = None) -> Array:
    """A view of a vector, or of a copy where its values do not lie one after the other or are to be of another type."""
    view = framework.view(array)
    if len(view.shape) != 1:
        raise ValueError(f"the arrays of A must have one dimension, but one has the shape {view.shape}")
    if view.is_contiguous and dtype in (None, view.dtype):
        return view
    return framework.view(framework.copy(view, dtype or view.dtype, "C"))


def read(matrix: Any) -> Matrix:
    """Raises TypeError or ValueError where it is not a square matrix that the library can take."""
    format, offsets, indices, values = _parts(matrix)
    shape = tuple(matrix.shape)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"A must be a square matrix, but its shape is {shape}")
    framework = framework_of(values)
    if framework.view(values).dtype not in DATA_TYPES:
        found = framework.view(values).dtype
        raise TypeError(f"the values of A must be float32, float64, complex64 or complex128, but they are {found}")
    rows, columns = (_vector(framework_of(a), a) for a in (offsets, indices))
    if rows.dtype not in _INDEX_TYPES or columns.dtype not in _INDEX_TYPES:
        raise TypeError(f"the indices of A must be int32 or int64, but they are {rows.dtype} and {columns.dtype}")
    if rows.dtype == np.int32 and columns.dtype == np.int64:
        # The library takes no shorter offsets than indices; they are one a row.
        rows = _vector(framework_of(offsets), offsets, np.dtype(np.int64))
    entries = _entries(rows, columns)
    return _checked(Matrix(shape[0], entries, format, rows, columns, _vector(framework, values), framework))


def _entries(offsets: Array, indices: Array) -> int:
    """SciPy's arrays may be longer than the matrix, whose last offset then counts."""
    entries = indices.size
    if offsets.device is None and isinstance(offsets.owner, np.ndarray) and offsets.size:
        last = int(offsets.owner[-1])
        return last if 0 <= last < entries else entries
    return entries


def _checked(matrix: Matrix) -> Matrix:
    if matrix.offsets.size != matrix.rows + 1:
        raise ValueError(f"A has {matrix.rows} rows, but {matrix.offsets.size} offsets")
    if matrix.indices.size != matrix.values.size:
        raise ValueError(f"A has {matrix.values.size} values, but {matrix.indices.size} indices")
    for array in (matrix.offsets, matrix.indices):
        if array.size and matrix.values.size and array.device != matrix.device:
            raise ValueError(f"the values of A are in {place(matrix.device)}, but an index array in {array.place()}")
    return matrix
