// ONE_WORD for the narrow end of a matrix: its last work items, solved by the blocks of one cluster.
#include "one_word_narrow.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
template <bool SEGMENTS, class T>
__device__ __forceinline__ void one_column(const SolveArgs<T> &a) {
    extern __shared__ __align__(16) unsigned char cells[];
    wait_for_previous_kernel();
    ThroughCluster<T> exchange(a, reinterpret_cast<T *>(cells), note_parity_of(a.state));
    one_word<1, SEGMENTS>(a, columns_of(a), exchange);
}

#define KERNEL(t)                                                                                   \
    extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(NARROW_WARPS *WARP, 1)    \
        one_word_narrow_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {                            \
        one_column<false>(a);                                                                       \
    }                                                                                               \
    extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(NARROW_WARPS *WARP, 1)    \
        one_word_narrow_segments_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {                   \
        one_column<true>(a);                                                                        \
    }
// None for type z, whose unknowns are two words of eight bytes: docs/performance.md says what the stores cost.
KERNEL(s) KERNEL(d) KERNEL(c)
#endif
