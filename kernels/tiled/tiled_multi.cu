// TILED for several right-hand sides: the matrix is read once for all of them. The work vector holds 32 bytes a
// position at most (a sector of the L2 cache), lies in the caller's buffer and comes reset to the sentinel; the two
// work vectors of single solves are left alone.
#include "tiled.cuh"

template <bool PERMUTED, int NR, class T>
__device__ __forceinline__ void several_columns(const MultiArgs<T> &m) {
    const SolveArgs<T> &a = m.solve;
    tiled<Lane<T>::ENTRIES, PERMUTED, NR, TILED_FEW_WARPS>(a, Columns<T, NR>{a.x, a.f, m.ldx, m.ldf, m.columns});
}

#define KERNEL(NR, t)                                                                  \
    extern "C" __global__ void __launch_bounds__(TILED_FEW_WARPS *WARP, 1)                   \
        tiled_multi##NR##_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {             \
        several_columns<false, NR>(m);                                                 \
    }                                                                                  \
    extern "C" __global__ void __launch_bounds__(TILED_FEW_WARPS *WARP, 1)                   \
        tiled_multi##NR##_permuted_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {    \
        several_columns<true, NR>(m);                                                  \
    }
KERNEL(2, s) KERNEL(4, s)
KERNEL(2, d) KERNEL(4, d)
KERNEL(2, c)
KERNEL(2, z)
