// TILED in clusters of blocks, whose tiles forward their unknowns to each other; one right-hand side.
#include "tiled.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
template <int U, bool PERMUTED, int WARPS, class T>
__device__ __forceinline__ void one_column(const SolveArgs<T> &a) {
    wait_for_previous_kernel();
    tiled<U, PERMUTED, 1, WARPS, true>(a, columns_of(a));
}

#define KERNEL(name, ENTRIES, PERMUTED, WARPS, t)                                                      \
    extern "C" __global__ void __cluster_dims__(TILED_CLUSTER, 1, 1) __launch_bounds__(WARPS *WARP, 1)       \
        name##_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {                                        \
        one_column<Lane<t##_type>::ENTRIES, PERMUTED, WARPS>(a);                                       \
    }
// For narrow levels, and for wide ones.
#define LONG_ROWS(t)                                                     \
    KERNEL(tiled_forward, ENTRIES, false, TILED_FEW_WARPS, t)                  \
    KERNEL(tiled_forward_permuted, ENTRIES, true, TILED_FEW_WARPS, t)          \
    KERNEL(tiled_forward_wide, ENTRIES, false, TILED_WARPS, t)
#define SHORT_ROWS(t) KERNEL(tiled_forward_short, SHORT, false, TILED_MANY_WARPS, t)
FOR_EACH_TYPE(LONG_ROWS)
SHORT_ROWS(s) SHORT_ROWS(d)
#endif
