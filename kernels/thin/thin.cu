// THIN: positions 32 at a time, for narrow levels, where a row mostly depends on the one before it.
//
// A warp takes a panel of 32 positions (`panel.cuh`). Panels are dealt out to the warps of one block of the cluster one by one,
// then to the next one's: mostly a warp waits for another of its own block, through its shared memory, while the other blocks are
// busy with what is far of theirs.
#include "device/ring.cuh"
#include "device/long_row.cuh"
#include "shared/thin.h"
#include "walk.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
template <class T>
constexpr uint32_t WARPS = sizeof(T) > 8 ? THIN_WARPS / 2 : THIN_WARPS;

template <class T>
__device__ __forceinline__ void thin(const SolveArgs<T> &a) {
    extern __shared__ __align__(16) unsigned char shared[];
    wait_for_previous_kernel();
    uint32_t parity = note_parity_of(a.state), first_position = a.work_item[a.begin].x, lane = threadIdx.x % WARP;
    T *work = work_of(a, parity), *other = work_of(a, ~parity), alpha = alpha_of(a);
    Ring<T, THIN_RING> ring(reinterpret_cast<T *>(shared), first_position, a.n - first_position);
    uint32_t warp = uniform(threadIdx.x / WARP), rank = rank_in_cluster();
    MarkedTile<T> tile{reinterpret_cast<T *>(shared + THIN_RING) + warp * Tile<T>::PLACES};
    uint32_t number = rank * WARPS<T> + warp, blocks = (a.n - first_position + WARP - 1) / WARP;
    // The next block of the cluster waits for what the last warp solves.
    uint32_t waiting = warp == WARPS<T> - 1 ? (rank + 1) % CLUSTER : rank;
    uint64_t next_ring = of_block(shared, waiting);
    bool are_sorted = true;  // as far as is known

    for (; number < blocks; number += CLUSTER * WARPS<T>) {
        uint32_t base = first_position + number * WARP, p = base + lane;
        bool in = p < a.n;
        uint4 record = {0, NONE, 0, 0};
        uint32_t end = 0;
        if (in) {
            record = a.record[p];
            end = a.record[p + 1].z;
        }
        T f, d, scale = one(T{});
        load_if(in, a.f + record.x, f);
        load_if(in && a.diag_index && record.y != NONE, a.diag_values + record.y, d);
        if (threadIdx.x == 0) atomicAdd(&a.state->progress, 1u);
        ring.begin(base);

        uint32_t window = base - min(base - first_position, WINDOW);
        WalkedPanel<T, Ring<T, THIN_RING>> panel{{a, ring, work, tile, p, base, window, record.z, end, record.w}};
        bool multiplies = true;
        if (a.diag_index && in) {
            d = diagonal_of(a, p, d, [&] { note_zero_pivot(a.state, parity_of_warp(), record.x); });
            multiplies = reciprocal(d, scale);
        }
        // Where rows are in their natural order, what is near is last of each, if they are sorted.
        uint32_t after = record.x - __shfl_sync(FULL, record.x, 0);
        bool is_sorted = __all_sync(FULL, are_sorted && (!in || after == (a.backward ? 0 - lane : lane)));
        tile.clear();
        uint32_t near = panel.put_near(!is_sorted);
        // Whether dividing by the diagonals beforehand is as good as behind.
        bool is_moderate = multiplies && magnitude(scale) < NOT_FINITE<T>;
        uint32_t placed = tile.fill_third(2, [&](T v) {
            T factor = product(v, scale);
            is_moderate = is_moderate & (is_zero(v) | ::is_moderate(factor));
            return factor;
        });
        uint32_t halves = 0;  // of the window in which any row has entries, a bit each
#pragma unroll 1
        for (uint32_t half = 0; half < 2; ++half) {
            uint32_t in_half = tile.fill_third(half, [](T v) { return v; });
            placed += in_half;
            halves |= (uint32_t)__any_sync(FULL, in_half > 0) << half;
        }
        bool ok = true;
        T given = in ? product(alpha, f) : zero(T{}), sum = given;
        uint32_t far = panel.subtract_far(panel.walk(is_sorted ? placed : 0), sum, ok);
        // Whether no two entries are in the same place, and none was overlooked.
        bool is_single = __reduce_add_sync(FULL, near - placed) == 0;
        if (__reduce_add_sync(FULL, end - record.z - near - far) != 0) {
            are_sorted = is_single = false;
            panel.near_from = 0;
            sum = given;
        }

        uint32_t cell = ring.cell(p), solved = 0;
        auto publish_unknown = [&](bool yes, T v) {
            publish_shared_if(yes, ring.own + cell, v);
            publish_cluster_if(yes && waiting != rank, next_ring + cell, v);
        };
        T x;
        if (__all_sync(FULL, ok && is_moderate && is_single)) {
            Triangle<T> triangle;
            triangle.load(tile);
            T left = sum;
            bool finite = true;
#pragma unroll 1
            for (uint32_t half = 0; half < 2; ++half) {
                if (halves >> half & 1u) finite = panel.subtract_half(half, FULL, left) && finite;
                if (half == 0) triangle.show_groups(tile);
            }
            if (finite) solved = triangle.solve(tile, product(left, scale), x, publish_unknown);
        }
        if (!__all_sync(FULL, ok)) sum = not_a_number(T{});
        if (solved < WARP)
            panel.solve_by_entries(
                solved, sum, x, [&](T sum) { return multiplies ? product(sum, scale) : divide(sum, d); }, publish_unknown);
        __syncwarp();
#pragma unroll
        for (int r = 0; r < CLUSTER; ++r)
            publish_cluster_if(in && r != rank && r != waiting, ring.ring[r] + cell, x);
        if (in) {
            publish(work + p, x);
            a.x[record.x] = x;
            reset(other + p);
            // A solve for which there was no cluster has left there what its segments summed up.
            T *segments = other + first_segment(a, record.z);
            for (uint32_t k = 0; k < segments_of<T>(end - record.z); ++k) reset(segments + k);
        }
    }
    ring.leave(first_position + (blocks - 1) * WARP);
    if (rank == 0 && threadIdx.x == 0) leave_queues(a.state, parity, BOTH);
}

#define KERNEL(t)                                                                                      \
    extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(WARPS<t##_type> *WARP, 1) \
        thin_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {                                          \
        thin(a);                                                                                       \
    }
FOR_EACH_TYPE(KERNEL)
#endif
