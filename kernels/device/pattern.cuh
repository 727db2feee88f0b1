// The caller's pattern as it lies, read zero-based: offsets of rows and indices of columns, of 32 or 64 bits each.
#pragma once
#include "shared/pattern.h"
#include <cstddef>

struct Pattern : PatternArgs {
    static __device__ __forceinline__ uint32_t index(const void *p, uint32_t is_wide, size_t i) {
        return is_wide ? (uint32_t)static_cast<const uint64_t *>(p)[i] : static_cast<const uint32_t *>(p)[i];
    }
    // Where the entries of a row begin; those of the one before it end there.
    __device__ __forceinline__ uint32_t begin(size_t row) const { return index(row_ptr, wide_offsets, row) - base; }
    __device__ __forceinline__ uint32_t column(size_t entry) const { return index(col_ind, wide_columns, entry) - base; }
};
