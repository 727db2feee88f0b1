// TILED: two tiers, one right-hand side. There are two work vectors, and each solve arms the other one for
// the next solve.
#include "tiled.cuh"

template <bool PERMUTED, class T>
__device__ __forceinline__ void one_column(const SolveArgs<T> &a) {
    uint32_t epoch = load_relaxed(&a.state->epoch) & 1u;
    T *work = a.work + (size_t)epoch * a.n, *other = a.work + (size_t)(epoch ^ 1u) * a.n;
    tiled<PERMUTED, 1, PERMUTED ? FEW_WARPS : TILED_WARPS>(a, Columns<T, 1>{a.x, a.f}, work, other);
    finish_solve(a, epoch);
}

#define KERNEL(t)                                                                \
    extern "C" __global__ void __launch_bounds__(TILED_WARPS *WARP, 1)           \
        tiled_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {                   \
        one_column<false>(a);                                                    \
    }                                                                            \
    extern "C" __global__ void __launch_bounds__(FEW_WARPS *WARP, 1)             \
        tiled_permuted_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {          \
        one_column<true>(a);                                                     \
    }
FOR_EACH_TYPE(KERNEL)

// What the host asks for, mirrored in tiled.rs.
static_assert(sizeof(Tile<d_type, 1>) <= ((WINDOW + 1) * 8 + TILE_HEAD + 15) / 16 * 16, "shared memory");
