// Right-hand sides and solutions in another order of their rows: a thread takes a few rows of all columns, side by side.
#include "device/sync.cuh"
#include "shared/copies.h"

// An index that is none is left out, as NaN where it says where a row comes from.
template <class T>
__device__ void permute(const PermuteArgs<T> &a) {
    constexpr uint32_t ROWS = PERMUTE_ROWS;
    wait_for_previous_kernel();
    uint32_t first = blockIdx.x * PERMUTE_BLOCK * ROWS + threadIdx.x;
    uint64_t from[ROWS], to[ROWS];
    bool reads[ROWS], writes[ROWS];
#pragma unroll
    for (uint32_t r = 0; r < ROWS; ++r) {
        uint32_t row = first + r * PERMUTE_BLOCK;
        bool in = row < a.n;
        int64_t there = -1;
        if (in) there = (a.is_wide ? ((const int64_t *)a.index)[row] : ((const int32_t *)a.index)[row]) - (int64_t)a.base;
        reads[r] = there >= 0 && there < a.n;
        writes[r] = a.scatters ? reads[r] : in;
        from[r] = a.scatters ? row : there;
        to[r] = a.scatters ? there : row;
    }
    for (uint64_t j = 0; j < a.columns; ++j) {
        T value[ROWS];
#pragma unroll
        for (uint32_t r = 0; r < ROWS; ++r) value[r] = reads[r] ? a.from[j * a.ld_from + from[r]] : not_a_number(T{});
#pragma unroll
        for (uint32_t r = 0; r < ROWS; ++r)
            if (writes[r]) a.to[j * a.ld_to + to[r]] = value[r];
    }
}

#define KERNEL(t)                                                                                                       \
    extern "C" __global__ void __launch_bounds__(PERMUTE_BLOCK) permute_##t(const GRID_CONSTANT PermuteArgs<t##_type> a) { \
        permute(a);                                                                                                     \
    }
FOR_EACH_TYPE(KERNEL)
