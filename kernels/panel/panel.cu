// PANEL: up to 32 rows at a time by a block, for complete factors, where neighbouring rows depend on each other and on nearly the
// same unknowns.
//
// A block takes one panel after the other by ticket (`panel.cuh`). Each of its warps subtracts what is far of some of the rows,
// and one warp solves the triangle. Unknowns reach other blocks through L2, in one word each.
#include "panel.cuh"
#include "shared/panel.h"
#include "shared/panels.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
constexpr uint32_t ROWS_OF_WARP = WARP / PANEL_WARPS;

// Unknowns through L2, by the work vector.
template <class T>
struct ThroughWork {
    static constexpr bool POLLS_FIRST = true;  // most of what is far has long been there
    const T *work;
    __device__ __forceinline__ Words<T> expected(const T *, bool wanted, uint32_t) const {
        return wanted ? Words<T>::sentinel() : Words<T>::of_zero();
    }
    __device__ __forceinline__ void poll(uint32_t q, Words<T> &x) const { ::poll(work + q, x); }
};

// What the warps of a block tell each other of a panel.
template <class T>
struct Told {
    T sum[WARP];            // what is left of each right-hand side when all that is far is subtracted
    uint32_t placed[WARP];  // entries of each row that the tile has
    uint32_t near, found, length;  // entries that were put into it; with those that are far; and all of the rows
    uint32_t columns[2];    // of the window in which any row has entries, a bit each
    uint32_t failed;        // the watchdog ended a wait
    uint32_t ticket;
};

template <class T>
__device__ __forceinline__ void panels(const SolveArgs<T> &a) {
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ Told<T> told;
    wait_for_previous_kernel();
    uint32_t lane = threadIdx.x % WARP, warp = uniform(threadIdx.x / WARP), all = a.work_items;
    // The positions of each panel's rows; null where panels are in natural order.
    const uint32_t *table = reinterpret_cast<const uint32_t *>(a.work_item);
    uint32_t *queue = &a.state->queue[0].next;
    if (threadIdx.x == 0) told.ticket = atomicAdd(queue, 1u);
    __syncthreads();
    uint32_t parity = told.ticket, number = parity & ~BOTH;
    note_parity(parity);
    T *work = work_of(a, parity), *other = work_of(a, ~parity), alpha = alpha_of(a);
    ThroughWork<T> exchange{work};
    Tile<T> tile{reinterpret_cast<T *>(shared)};
    uint32_t from = warp * ROWS_OF_WARP, until = from + ROWS_OF_WARP;

    while (number < all) {
        uint32_t next = threadIdx.x == 0 ? atomicAdd(queue, 1u) : 0u;
        uint32_t p = table ? table[number * WARP + lane] : number * WARP + lane;
        bool in = p < a.n;
        if (!in) p = NONE;
        // Rows may be of several runs. Only a single one has a window.
        uint32_t before = __shfl_up_sync(FULL, p, 1);
        uint32_t starts = __ballot_sync(FULL, lane == 0 || !in || before == NONE || p != before + 1);
        uint32_t start = WARP - 1 - __clz(starts << (WARP - 1 - lane) >> (WARP - 1 - lane));
        bool is_run = (starts & __ballot_sync(FULL, in)) == 1;
        uint32_t run = __shfl_sync(FULL, p, start), window = is_run ? min(run, WINDOW) : 0;
        uint32_t row = 0, begin = 0, end = 0, first_value = 0, diag = NONE;
        if (in) {
            row = a.backward ? a.n - 1 - p : p;
            begin = a.row_ptr[p];
            end = a.row_ptr[p + 1];
            if (!a.row_permuted) first_value = a.row_val[p];
            if (a.diag_index) diag = a.diag_index[p];
        }
        T f, d, scale = one(T{});
        load_if(in, a.f + row, f);
        load_if(warp == 0 && diag != NONE, a.diag_values + diag, d);
        tile.clear_by_block();
        if (warp == 0) {
            told.placed[lane] = 0;
            if (lane == 0) {
                atomicAdd(&a.state->progress, 1u);
                told.near = told.found = told.length = told.failed = told.columns[0] = told.columns[1] = 0;
            }
        }
        __syncthreads();

        uint32_t base = __shfl_sync(FULL, p, 0);
        Panel<T, ThroughWork<T>, true> panel{a,    exchange,     work,        tile,  p,
                                             base, run - window, run - start, begin, end, first_value};
        bool is_own = lane >= from && lane < until;
        uint32_t near = panel.put_near(false, from, until);
        uint32_t of_warp = __reduce_add_sync(FULL, near), lengths = __reduce_add_sync(FULL, is_own ? end - begin : 0u);
        if (lane == 0) {
            atomicAdd(&told.near, of_warp);
            atomicAdd(&told.found, of_warp);
            atomicAdd(&told.length, lengths);
        }
        bool multiplies = true;
        if (warp == 0 && a.diag_index && in) {
            d = diagonal_of(a, p, d, [&] { note_zero_pivot(a.state, parity, row); });
            multiplies = reciprocal(d, scale);
        }
        __syncthreads();

        // Whether dividing by the diagonals beforehand is as good as behind.
        bool is_moderate = multiplies && magnitude(scale) < NOT_FINITE<T>;
        for (uint32_t third = 2 - min(warp, 2u); warp < 3 && third < 3; third -= PANEL_WARPS) {
            uint32_t columns = 0;
            auto factor_of = [&](T v) {
                if (third < 2) return v;
                T factor = product(v, scale);
                is_moderate = is_moderate & (is_zero(v) | ::is_moderate(factor));
                return factor;
            };
            uint32_t placed = tile.template fill_third<true>(third, factor_of, &columns);
            atomicAdd(&told.placed[lane], placed);
            if (third < 2 && lane == 0) told.columns[third] = columns;
        }
        __syncthreads();

        bool ok = true;
        uint32_t placed = told.placed[lane];
        T given = in ? product(alpha, f) : zero(T{}), sum = given;
        uint32_t far = __reduce_add_sync(FULL, panel.subtract_far(panel.walk(placed, from, until), sum, ok, from, until));
        if (lane == 0) atomicAdd(&told.found, far);
        if (is_own) told.sum[lane] = sum;
        if (!__all_sync(FULL, ok) && lane == 0) told.failed = 1;
        if (threadIdx.x == 0) told.ticket = next;
        __syncthreads();

        number = told.ticket & ~BOTH;
        if (warp == 0) {
            ok = !told.failed;
            sum = told.sum[lane];
            // Whether no two entries are in the same place, and none was overlooked.
            bool is_single = __reduce_add_sync(FULL, placed) == told.near;
            if (told.found != told.length) {
                is_single = false;
                panel.near_from = 0;
                sum = given;
            }
            auto publish_unknown = [&](bool yes, T v) { publish_if(yes && in, work + p, v); };
            T x;
            uint32_t solved = 0;
            if (__all_sync(FULL, ok && is_moderate && is_single)) {
                Triangle<T> triangle;
                triangle.load(tile);
                T left = sum;
                bool finite = true;
#pragma unroll 1
                for (uint32_t half = 0; half < 2; ++half) {
                    if (uint32_t wanted = told.columns[half]) finite = panel.subtract_half(half, wanted, left) && finite;
                    if (half == 0) triangle.show_groups(tile);
                }
                if (finite) solved = triangle.solve(tile, product(left, scale), x, publish_unknown);
            }
            if (!ok) sum = not_a_number(T{});
            if (solved < WARP)
                panel.solve_by_entries(
                    solved, sum, x, [&](T sum) { return multiplies ? product(sum, scale) : divide(sum, d); }, publish_unknown);
            if (in) {
                a.x[row] = x;
                reset(other + p);
            }
        }
        // The tile is the next panel's.
        __syncthreads();
    }
    if (threadIdx.x == 0 && number == all + gridDim.x - 1) leave_queues(a.state, parity, BOTH);
}

#define KERNEL(t)                                                                                                        \
    extern "C" __global__ void __launch_bounds__(PANEL_WARPS *WARP, 4) panel_##t(const GRID_CONSTANT SolveArgs<t##_type> a) { \
        panels(a);                                                                                                       \
    }
FOR_EACH_TYPE(KERNEL)
#endif
