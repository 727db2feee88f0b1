// Values in the order in which solves read them, from where the caller has them.
#include "device/sync.cuh"
#include "shared/copies.h"

template <class T>
__device__ void values_gather(const ValuesArgs<T> &a) {
    wait_for_previous_kernel();
    uint32_t first = blockIdx.x * (VALUES_BLOCK * VALUES_EACH) + threadIdx.x;
    uint32_t index[VALUES_EACH];
    T v[VALUES_EACH];
#pragma unroll
    for (uint32_t u = 0; u < VALUES_EACH; ++u) {
        uint32_t k = first + u * VALUES_BLOCK;
        if (k < a.count) index[u] = a.source[k];
    }
#pragma unroll
    for (uint32_t u = 0; u < VALUES_EACH; ++u)
        if (first + u * VALUES_BLOCK < a.count) v[u] = a.from[index[u]];
#pragma unroll
    for (uint32_t u = 0; u < VALUES_EACH; ++u)
        if (first + u * VALUES_BLOCK < a.count) a.to[first + u * VALUES_BLOCK] = v[u];
}

// Puts a diagonal, given in the order of the unknowns, among the values that solves read. Rows without an entry there are left out.
template <class T>
__device__ void values_set_diagonal(const DiagonalPlaces<T> &a) {
    wait_for_previous_kernel();
    uint32_t p = blockIdx.x * VALUES_BLOCK + threadIdx.x;
    if (p >= a.n) return;
    uint32_t unknown, index;
    if (a.node > 1) {
        unknown = a.record[p / a.node].x * a.node + p % a.node;
        index = a.node_row[p].y;
    } else if (a.record) {
        unknown = a.record[p].x;
        index = a.record[p].y;
    } else {
        unknown = a.order[p];
        index = a.diag_index[p];
    }
    if (index != NONE) a.to[index] = a.from[unknown];
}

#define KERNEL(t)                                                                                  \
    extern "C" __global__ void __launch_bounds__(VALUES_BLOCK)                                     \
        values_gather_##t(const GRID_CONSTANT ValuesArgs<t##_type> a) {                            \
        values_gather(a);                                                                          \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(VALUES_BLOCK)                                     \
        values_set_diagonal_##t(const GRID_CONSTANT DiagonalPlaces<t##_type> a) {                  \
        values_set_diagonal(a);                                                                    \
    }
FOR_EACH_TYPE(KERNEL)
