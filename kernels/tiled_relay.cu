// TILED in clusters of blocks, whose tiles relay their unknowns to each other; one right-hand side.
#include "tiled.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
constexpr int CLUSTER = 8;  // blocks; mirrored in tuning.rs

template <bool PERMUTED, class T>
__device__ __forceinline__ void one_column(const SolveArgs<T> &a) {
    uint32_t epoch = load_relaxed(&a.state->epoch) & 1u;
    T *work = a.work + (size_t)epoch * a.n, *other = a.work + (size_t)(epoch ^ 1u) * a.n;
    tiled<PERMUTED, 1, FEW_WARPS, true>(a, Columns<T, 1>{a.x, a.f}, work, other);
    finish_solve(a, epoch);
}

#define KERNEL(t)                                                                                      \
    extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(FEW_WARPS *WARP, 1)   \
        tiled_relay_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {                                   \
        one_column<false>(a);                                                                          \
    }                                                                                                  \
    extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(FEW_WARPS *WARP, 1)   \
        tiled_relay_permuted_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {                          \
        one_column<true>(a);                                                                           \
    }
FOR_EACH_TYPE(KERNEL)
#endif
