// TILED: two tiers, one right-hand side. There are two work vectors, and each solve resets the other one to the
// sentinel for the next solve.
#include "tiled.cuh"

template <int U, bool PERMUTED, int WARPS, class T>
__device__ __forceinline__ void one_column(const SolveArgs<T> &a) {
    wait_for_previous_kernel();
    tiled<U, PERMUTED, 1, WARPS>(a, columns_of(a));
}

#define KERNEL(name, ENTRIES, PERMUTED, WARPS, t)                              \
    extern "C" __global__ void __launch_bounds__(WARPS *WARP, 1)               \
        name##_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {                \
        one_column<Lane<t##_type>::ENTRIES, PERMUTED, WARPS>(a);               \
    }
#define LONG_ROWS(t)                                                           \
    KERNEL(tiled, ENTRIES, false, TILED_WARPS, t)                              \
    KERNEL(tiled_permuted, ENTRIES, true, TILED_FEW_WARPS, t)
#define SHORT_ROWS(t)                                                          \
    KERNEL(tiled_short, SHORT, false, TILED_MANY_WARPS, t)                           \
    KERNEL(tiled_short_permuted, SHORT, true, TILED_MANY_WARPS, t)
// Narrow levels have no use for more warps.
#define NARROW_LEVELS(t) KERNEL(tiled_few, ENTRIES, false, TILED_FEW_WARPS, t)
FOR_EACH_TYPE(LONG_ROWS)
SHORT_ROWS(s) SHORT_ROWS(d)
NARROW_LEVELS(s) NARROW_LEVELS(d)

// What the host asks for (`shared_bytes` in src/engines/tiled/mod.rs).
static_assert(sizeof(Tile<d_type, 1>) <= ((TILED_WINDOW + 1) * 8 + TILED_HEAD + 15) / 16 * 16, "shared memory");
