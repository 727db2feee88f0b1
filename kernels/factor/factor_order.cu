// The order of what a factorisation works on, made of the rows by level: work items of a few rows of one level, or nodes. Each keeps
// some of the positions, in their order. `factor_order_count_*` counts those that each block keeps, `factor_order_place_*` writes them.
#include "factor/factor.cuh"

// Begins of work items: in each level the first one of every `rows` positions.
struct Items {
    const FactorOrderArgs &a;
    __device__ bool keeps(uint32_t p) const {
        // Of the levels that begin at p or before, the last one.
        uint32_t low = 0, high = a.levels;
        while (low + 1 < high) {
            uint32_t middle = low + (high - low) / 2;
            (a.level_ptr[middle] <= p ? low : high) = middle;
        }
        return (p - a.level_ptr[low]) % a.rows == 0;
    }
    __device__ uint32_t value(uint32_t p) const { return p; }
};

// Nodes, at the positions of their first rows.
struct Nodes {
    const FactorOrderArgs &a;
    __device__ bool keeps(uint32_t p) const { return a.order[p] % a.rows == 0; }
    __device__ uint32_t value(uint32_t p) const { return a.order[p] / a.rows; }
};

template <class Rule>
__device__ void count(const FactorOrderArgs &a) {
    wait_for_previous_kernel();
    uint32_t p = blockIdx.x * FACTOR_ORDER_BLOCK + threadIdx.x;
    int kept = __syncthreads_count(p < a.n && Rule{a}.keeps(p));
    if (threadIdx.x == 0) a.kept[blockIdx.x] = kept;
}

template <class Rule>
__device__ void place(const FactorOrderArgs &a) {
    __shared__ uint32_t in_warp[FACTOR_ORDER_BLOCK / WARP], before;
    wait_for_previous_kernel();
    uint32_t p = blockIdx.x * FACTOR_ORDER_BLOCK + threadIdx.x, warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (threadIdx.x == 0) before = 0;
    bool keeps = p < a.n && Rule{a}.keeps(p);
    uint32_t mask = __ballot_sync(FULL, keeps), sum = 0;
    if (lane == 0) in_warp[warp] = __popc(mask);
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < blockIdx.x; b += FACTOR_ORDER_BLOCK) sum += a.kept[b];
    if (sum > 0) atomicAdd(&before, sum);
    __syncthreads();
    uint32_t at = before + __popc(mask & ((1u << lane) - 1));
    for (uint32_t w = 0; w < warp; ++w) at += in_warp[w];
    if (keeps) a.out[at] = Rule{a}.value(p);
    if (p == 0) a.out[a.items] = a.n;
}

#define KERNELS(name, Rule)                                                  \
    extern "C" __global__ void __launch_bounds__(FACTOR_ORDER_BLOCK)         \
        factor_order_count_##name(const GRID_CONSTANT FactorOrderArgs a) {   \
        count<Rule>(a);                                                      \
    }                                                                        \
    extern "C" __global__ void __launch_bounds__(FACTOR_ORDER_BLOCK)         \
        factor_order_place_##name(const GRID_CONSTANT FactorOrderArgs a) {   \
        place<Rule>(a);                                                      \
    }
KERNELS(items, Items)
KERNELS(nodes, Nodes)
