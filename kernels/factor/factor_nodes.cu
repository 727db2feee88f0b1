// ILU(0) and IC(0) by nodes, of real types: factor_nodes.cuh for nodes of two to six unknowns; and whether a pattern is of nodes.
#include "factor/factor_nodes.cuh"

#define KERNEL(t, name, B, CHOLESKY)                                                                            \
    extern "C" __global__ void __launch_bounds__(FACTOR_WARPS *WARP)                                            \
        name##_nodes_##B##_##t(const GRID_CONSTANT FactorArgs<t##_type> a) {                                    \
        factor_nodes<t##_type, B, CHOLESKY>(a);                                                                 \
    }
#define KERNELS(B) KERNEL(s, ilu0, B, false) KERNEL(d, ilu0, B, false) KERNEL(s, ic0, B, true) KERNEL(d, ic0, B, true)
KERNELS(2) KERNELS(3) KERNELS(4) KERNELS(5) KERNELS(6)

// A warp for each row: whether its columns are those of its node's first row, and come in whole nodes, not too many.
extern "C" __global__ void __launch_bounds__(FACTOR_WARPS *WARP) factor_nodes_check(const GRID_CONSTANT NodesArgs a) {
    wait_for_previous_kernel();
    uint32_t row = blockIdx.x * FACTOR_WARPS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (row >= a.pattern.n) return;
    uint32_t first = row / a.node * a.node, begin = a.pattern.begin(row), length = a.pattern.begin((size_t)row + 1) - begin;
    uint32_t begin_of_first = a.pattern.begin(first), length_of_first = a.pattern.begin((size_t)first + 1) - begin_of_first;
    bool differs = length != length_of_first || length % a.node != 0 || length > a.node * a.most_blocks;
    for (uint32_t e = lane; !differs && e < length; e += WARP) {
        uint32_t column = a.pattern.column((size_t)begin + e), whole = a.pattern.column((size_t)begin + e / a.node * a.node);
        differs = column != a.pattern.column((size_t)begin_of_first + e) || whole % a.node != 0 || column != whole + e % a.node;
    }
    if (__any_sync(FULL, differs) && lane == 0) atomicAdd(a.found, 1u);
}
