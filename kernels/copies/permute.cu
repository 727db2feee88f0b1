// Right-hand sides and solutions in another order of their rows: a thread takes a row of all columns.
#include "device/sync.cuh"
#include "shared/copies.h"

// An index that is none is left out, as NaN where it says where a row comes from.
template <class T>
__device__ void permute(const PermuteArgs<T> &a) {
    wait_for_previous_kernel();
    uint32_t row = blockIdx.x * PERMUTE_BLOCK + threadIdx.x;
    if (row >= a.n) return;
    int64_t there = a.is_wide ? ((const int64_t *)a.index)[row] : ((const int32_t *)a.index)[row];
    there -= a.base;
    bool is_row = there >= 0 && there < a.n;
    if (a.scatters && !is_row) return;
    const T *from = a.from + (a.scatters ? row : is_row ? there : 0);
    T *to = a.to + (a.scatters ? there : row);
    for (uint64_t j = 0; j < a.columns; ++j) to[j * a.ld_to] = is_row ? from[j * a.ld_from] : not_a_number(T{});
}

#define KERNEL(t)                                                                                                       \
    extern "C" __global__ void __launch_bounds__(PERMUTE_BLOCK) permute_##t(const GRID_CONSTANT PermuteArgs<t##_type> a) { \
        permute(a);                                                                                                     \
    }
FOR_EACH_TYPE(KERNEL)
