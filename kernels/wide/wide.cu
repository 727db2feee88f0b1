// WIDE: row-wise in level order, a launch for each level, for levels so wide that they are streamed and not waited for.
//
// Inside a level nothing waits: so unknowns are read from the caller's vector itself, by row number and through L1, and nothing
// is stored but the solution. What does not depend on values is asked for ahead: which rows a warp's next entries are of one
// work item before, its next records two, and its next work items three; and the first of them, except in the first level with their
// values, while the level before is still being solved. Work items are those of all engines by rows, but a long row is a single
// warp's.
#include "device/columns.cuh"
#include "device/row.cuh"
#include "shared/wide.h"

// Blocks on a multiprocessor that leave a thread enough registers, with one right-hand side.
template <class T>
constexpr int BLOCKS = sizeof(T) > 8 ? WIDE_BLOCKS_MULTI : WIDE_BLOCKS;

// A lane's row of a work item, before any value is known.
struct Row {
    uint4 record;
    uint32_t end;

    template <class T>
    __device__ __forceinline__ Row(const SolveArgs<T> &a, uint2 work_item) : record{0, NONE, 0, 0}, end(0) {
        uint32_t r = row_of(work_item);
        if (r >= rows_of(work_item)) return;
        record = a.record[work_item.x + r];
        end = a.record[work_item.x + r + 1].z;
    }
    __device__ __forceinline__ uint32_t entries() const { return end - record.z; }

    static __device__ __forceinline__ uint32_t lanes_of(uint2 work_item) { return work_item.y >> ITEM_LANES_SHIFT & ITEM_LANES_MASK; }
    // Segments of a row are left to the work item of the row itself.
    static __device__ __forceinline__ uint32_t rows_of(uint2 work_item) {
        return (work_item.y & ITEM_ROWS_MASK) == SEGMENT ? 0 : work_item.y & ITEM_ROWS_MASK;
    }
    static __device__ __forceinline__ uint32_t row_of(uint2 work_item) {
        return threadIdx.x % WARP >> (__ffs(lanes_of(work_item)) - 1);
    }
};

template <int NR, class T>
__device__ __forceinline__ void wide(const SolveArgs<T> &a, const Columns<T, NR> &columns) {
    constexpr int U = NR * sizeof(T) > 16 || sizeof(T) > 8 ? 4 : 8;
    __shared__ uint32_t zero_pivot;
    // Calls `f` with the number of entries that a lane must have room for.
    auto for_size = [&](uint32_t longest, uint32_t lanes, auto f) {
        return U > 4 && longest > 4 * lanes ? f(Constant<U>{}) : f(Constant<4>{});
    };
    // Loads the indices of a lane's first entries of a row.
    auto load_indices = [&](uint2 work_item, const Row &row, uint32_t(&q)[U]) {
        uint32_t lanes = Row::lanes_of(work_item), e = row.record.z + (threadIdx.x & (lanes - 1));
        for_size(warp_max(row.entries()), lanes,
                 [&](auto size) { load_adjacent<size.value, false>(a, row.record, row.end, e, lanes, q); });
    };
    // Warps take the level's work items by strides, all blocks side by side: what rows near each other ask for L2 has then.
    uint32_t warps = blockDim.x / WARP, step = warps * gridDim.x, end = a.end, q[U];
    uint32_t s = a.begin + blockIdx.x * warps + threadIdx.x / WARP;
    auto work_item_at = [&](uint32_t s) { return s < end ? a.work_item[s] : make_uint2(0, 1u << ITEM_LANES_SHIFT); };
    uint2 work_item = work_item_at(s), work_item1 = work_item_at(s + step), work_item2 = work_item_at(s + 2 * step);
    Row row(a, work_item), row1(a, work_item1);
    load_indices(work_item, row, q);
    if (threadIdx.x == 0) zero_pivot = NONE;
    __syncthreads();

    // Each block of the last level takes one ticket, beyond the last work item; those before it only read the parity.
    bool waits = true, ends = a.end == a.work_items;
    uint32_t parity = 0, *counter = &a.state->queue[0].next;
    auto wait = [&] {
        wait_for_previous_kernel();
        let_next_begin();
        if (threadIdx.x == 0) parity = ends ? atomicAdd(counter, 1u) : load_relaxed(counter);
        waits = false;
    };
    // The caller's values may be on their way to the first level. Each other one has begun when the one before had waited for them.
    if (a.begin == 0) wait();
    for (; s < end; s += step) {
        uint32_t lanes = Row::lanes_of(work_item), sub = threadIdx.x & (lanes - 1), i = row.record.x;
        uint32_t longest = warp_max(row.entries());
        bool owns = sub == 0 && Row::row_of(work_item) < Row::rows_of(work_item);
        T sum[NR], d = zero(T{}), v[U], x[U][NR];
#pragma unroll
        for (int j = 0; j < NR; ++j) load_if(owns, columns.from(i, j), sum[j]);
        if (a.diag_index) load_if(owns && row.record.y != NONE, a.diag_values + row.record.y, d);
        // Values of the entries of a row from its number `k` on, and the unknowns that they are of.
        auto values = [&](auto size, const Row &row, uint32_t k) {
            load_values<size.value>(a, row.record, row.end, row.record.z + sub + k, lanes, v);
        };
        auto unknowns = [&](auto size, const Row &row, uint32_t k) {
#pragma unroll
            for (int u = 0; u < size.value; ++u)
#pragma unroll
                for (int j = 0; j < NR; ++j)
                    load_if(sub + k + u * lanes < row.entries(), columns.solved(q[u], j), x[u][j]);
        };
        auto add = [&](auto size) {
#pragma unroll
            for (int u = 0; u < size.value; ++u)
#pragma unroll
                for (int j = 0; j < NR; ++j) sum[j] = multiply_add(-conjugate_if(a.conjugate, v[u]), x[u][j], sum[j]);
        };
        uint2 work_item3;
        Row row2 = for_size(longest, lanes, [&](auto size) {
            values(size, row, 0);
            if (waits) wait();
            unknowns(size, row, 0);
            load_indices(work_item1, row1, q);
            Row next(a, work_item2);
            work_item3 = work_item_at(s + 3 * step);
            T alpha = alpha_of(a);
#pragma unroll
            for (int j = 0; j < NR; ++j) sum[j] = owns ? product(alpha, sum[j]) : zero(T{});
            add(size);
            return next;
        });
        // What is left of a long row, of which nothing has been asked for ahead.
        if (longest > U * lanes) {
            Row whole(a, work_item);
            for (uint32_t k = U * lanes; k < longest; k += U * lanes) {
                load_adjacent<U, false>(a, whole.record, whole.end, whole.record.z + sub + k, lanes, q);
                values(Constant<U>{}, whole, k);
                unknowns(Constant<U>{}, whole, k);
                add(Constant<U>{});
            }
            load_indices(work_item1, row1, q);
        }
#pragma unroll
        for (int j = 0; j < NR; ++j) sum[j] = warp_sum_all(sum[j], __ffs(lanes) - 1);
        if (owns) {
            T scale;
            uint32_t p = work_item.x + Row::row_of(work_item);
            d = a.diag_index ? diagonal_of(a, p, d, [&] { atomicMin(&zero_pivot, i); }) : one(T{});
            bool multiplies = reciprocal(d, scale);
#pragma unroll
            for (int j = 0; j < NR; ++j) columns.store(i, j, multiplies ? product(sum[j], scale) : divide(sum[j], d));
        }
        work_item = work_item1;
        work_item1 = work_item2;
        work_item2 = work_item3;
        row = row1;
        row1 = row2;
    }
    if (waits) wait();
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (zero_pivot != NONE) note_zero_pivot(a.state, parity, zero_pivot);
    if (ends && (parity & ~BOTH) == gridDim.x - 1) leave_queues(a.state, parity, PIVOT_BIT);
}

template <int NR, class T>
__device__ __forceinline__ void several_columns(const MultiArgs<T> &m) {
    wide(m.solve, Columns<T, NR>{m.solve.x, m.solve.f, m.ldx, m.ldf, m.columns});
}

#define KERNEL(t)                                                                 \
    extern "C" __global__ void __launch_bounds__(WIDE_BLOCK, BLOCKS<t##_type>) \
        wide_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {                     \
        wide(a, columns_of(a));                                                   \
    }
FOR_EACH_TYPE(KERNEL)

#define KERNEL_MULTI(NR, t)                                                       \
    extern "C" __global__ void __launch_bounds__(WIDE_BLOCK, WIDE_BLOCKS_MULTI)   \
        wide_multi##NR##_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {         \
        several_columns<NR>(m);                                                   \
    }
KERNEL_MULTI(2, s) KERNEL_MULTI(4, s)
KERNEL_MULTI(2, d) KERNEL_MULTI(4, d)
KERNEL_MULTI(2, c) KERNEL_MULTI(4, c)
KERNEL_MULTI(2, z)
