// BLOCK: for many right-hand sides. Row-wise in level order, a warp for a row and a lane of it for each of 32 columns; each unknown
// is published in one word that is value and flag together, and what a row depends on is read in whole lines of the cache. Of 64
// columns a lane has two. Of 16, which take half of the room, a warp reads two entries at once. However many there are, a column has
// two sums, to which its entries are subtracted in a fixed order: so it always gets the same bits.
//
// What a row needs but unknowns is copied to shared memory while its warp is at earlier rows, and a long row's further entries while it
// waits for those before.
//
// Rows of many entries are cut into segments (see `LongRow`). Where there are any, some warps of each block take segments, in the
// same order, and nothing else; to their row the sums of its segments are then further entries, of unknowns by those numbers.
//
// Two kernels bring right-hand sides to rows, where those of a row lie beside each other, and results back to where they belong.
// Both kinds lie in the caller's buffer, by row number: right-hand sides first, and behind them the words that are published.
#include "device/long_row.cuh"
#include "device/row.cuh"
#include "shared/block.h"

// There may be fewer threads than BLOCK_THREADS, as a block's shared memory may have room for fewer. A block has a warp for each queue
// of rows, and where there are segments, that many fewer of these. A queue has a line of the cache for itself.
constexpr uint32_t BLOCK_WARPS = BLOCK_THREADS / WARP, BLOCK_SEGMENT_WARPS = 4;
constexpr uint32_t SEGMENT_WORK_ITEMS = 8;  // that a ticket stands for
// Of a warp, from one word to the watchdog to the next: rows or tickets of segments, and entries of a row.
constexpr uint32_t PROGRESS_ROWS = 64, PROGRESS_ENTRIES = 1 << 16;
// Where a lane has two columns there are fewer warps, which leaves each of them more registers.
template <int NR>
constexpr uint32_t THREADS_FOR = NR > WARP ? BLOCK_WIDE_THREADS : BLOCK_THREADS;
constexpr int BLOCK_SUMS = 2;           // of a column; no fewer than entries that a warp reads at once

// The caller's right-hand sides and results, by columns or by rows. What does not exist repeats the last column.
template <class T>
struct BlockColumns {
    const MultiArgs<T> &m;

    __device__ __forceinline__ size_t place(uint32_t row, uint32_t j, uint64_t ld) const { return m.by_rows ? row * ld + j : j * ld + row; }
    __device__ __forceinline__ T load(uint32_t row, uint32_t j) const { return m.solve.f[place(row, min(j, m.columns - 1), m.ldf)]; }
    __device__ __forceinline__ void store(uint32_t row, uint32_t j, T v) const {
        if (j < m.columns) m.solve.x[place(row, j, m.ldx)] = v;
    }
};

template <int NR, class T>
__device__ __forceinline__ Words<T> *words_of(const SolveArgs<T> &a) {
    return reinterpret_cast<Words<T> *>(a.work) + (size_t)a.n * NR;
}

// A thread's places in a field of so many lines and `WIDTH` places in each.
template <uint32_t WIDTH, class Act>
__device__ __forceinline__ void each_of(uint32_t lines, const Act &act) {
    for (uint32_t y = threadIdx.x / WIDTH; y < lines; y += BLOCK_PACK_THREADS / WIDTH) act(y, threadIdx.x % WIDTH);
}

// A thread's rows and columns of 32 rows, as the caller's lie beside each other.
template <int NR, class T, class Act>
__device__ __forceinline__ void each_as_stored(const MultiArgs<T> &m, const Act &act) {
    if (m.by_rows) each_of<NR>(WARP, act);
    else each_of<WARP>(NR, [&](uint32_t j, uint32_t r) { act(r, j); });
}

// Right-hand sides by rows; resets the words to the sentinel, and the counters of tickets.
template <int NR, class T>
__device__ void block_begin(const MultiArgs<T> &m) {
    __shared__ T field[NR][WARP + 1];
    const SolveArgs<T> &a = m.solve;
    if (blockIdx.x == 0) {
        if (threadIdx.x < BLOCK_WARPS) a.counters[threadIdx.x * BLOCK_QUEUE_WORDS] = 0;
        if (threadIdx.x == 0) *pivot_of(a.state, PIVOT_BIT) = NONE;
    }
    uint32_t first = blockIdx.x * WARP, rows = a.n - min(a.n, first);
    each_as_stored<NR>(m, [&](uint32_t r, uint32_t j) {
        if (r < rows) field[j][r] = BlockColumns<T>{m}.load(first + r, j);
    });
    __syncthreads();
    Words<T> *words = words_of<NR>(a);
    each_of<NR>(WARP, [&](uint32_t r, uint32_t j) {
        size_t k = (size_t)(first + r) * NR + j;
        if (r < rows) a.work[k] = field[j][r];
        if (r < a.words - first) words[k] = Words<T>::sentinel();
    });
}

// Results to where they belong.
template <int NR, class T>
__device__ void block_end(const MultiArgs<T> &m) {
    __shared__ T field[WARP][NR + 1];
    const SolveArgs<T> &a = m.solve;
    uint32_t first = blockIdx.x * WARP;
    const Words<T> *words = words_of<NR>(a);
    each_of<NR>(WARP, [&](uint32_t r, uint32_t j) {
        if (r < a.n - first) field[r][j] = words[(size_t)(first + r) * NR + j].value();
    });
    __syncthreads();
    each_as_stored<NR>(m, [&](uint32_t r, uint32_t j) {
        if (r < a.n - first) BlockColumns<T>{m}.store(first + r, j, field[r][j]);
    });
}

// A row, or a segment of one: its position, its number, which of the diagonal values is its own, its entries of the lists, the
// place of the value of the first, how many segments it has, which are further entries before those, and where the first of them,
// or its own sum, is.
struct BlockRow {
    uint32_t p, i, diag, begin, end, value, segments, place;
    __device__ __forceinline__ uint32_t entries() const { return segments + (end - begin); }
};

// Up to 32 entries of a row: whose unknowns they are of, and the values.
template <class T>
struct BlockEntries {
    T v[WARP];
    uint32_t adj[WARP];
};

// What is known of a row before its round.
template <int NR, class T>
struct BlockAhead {
    BlockRow row;
    BlockEntries<T> entries;  // the first ones
    T f[NR];
    alignas(BLOCK_DIAGONAL_BYTES) T d;
};

// What a warp copies; its size is `warp_bytes` in src/engines/block/mod.rs.
template <int NR, class T>
struct BlockCopies {
    BlockAhead<NR, T> ahead[BLOCK_AHEAD];
    BlockEntries<T> more[BLOCK_MORE];  // of a long row
};

template <int NR, bool MAY_HAVE_SEGMENTS, class T>
struct BlockSolver {
    using Entries = BlockEntries<T>;
    using Ahead = BlockAhead<NR, T>;
    const SolveArgs<T> &a;
    BlockCopies<NR, T> &copies;
    uint32_t lane, queues;
    static constexpr uint32_t LANES = NR < WARP ? NR : WARP;  // of an entry
    static constexpr int PER_LANE = NR / LANES;               // columns that a lane has
    static constexpr uint32_t AT_ONCE = WARP / LANES;         // entries that a warp reads at once
    static constexpr int SUMS = BLOCK_SUMS / AT_ONCE;  // that a lane has of those
    static constexpr int U = LONGEST_WHOLE<T> / WARP;  // entries whose unknowns are polled together

    // The first column of a lane; the others lie beside it.
    __device__ __forceinline__ uint32_t column() const { return lane % LANES * PER_LANE; }

    // The row at a position, or where there is a work item that is a segment of it, that.
    __device__ __forceinline__ BlockRow row_of(uint2 work_item) const {
        BlockRow row = {work_item.x, 0, NONE, 0, 0, 0, 0, 0};
        if (work_item.x >= a.n) return row;
        uint4 record = a.record[work_item.x];
        row.i = record.x, row.diag = record.y, row.begin = record.z, row.value = record.w;
        row.end = a.record[work_item.x + 1].z;
        if (MAY_HAVE_SEGMENTS) {
            uint32_t length = row.end - row.begin;
            LongRow<MAY_HAVE_SEGMENTS, 1, T> long_row(a, work_item, row.begin, row.end, length);
            row.value += row.begin - record.z;
            row.place = long_row.place();
            if (long_row.has_segments()) row.segments = long_row.segments;
        }
        return row;
    }
    // Has a lane's entry copied of those from number `k` on, except the value, and finds where that is, for which it asks where values
    // are permuted. The sums of segments come first, and then entries in the order in which their unknowns are solved. False if a
    // lane has none of the list; where it has none at all there will be zeros.
    __device__ __forceinline__ bool copy_entry(const BlockRow &row, uint32_t k, Entries &to, uint32_t &value) const {
        k += lane;
        uint32_t e = a.backward ? row.end - 1 - (k - row.segments) : row.begin + (k - row.segments);
        bool is_entry = k >= row.segments && k < row.entries();
        if (MAY_HAVE_SEGMENTS && k < row.segments) to.adj[lane] = row.place + k;
        else copy_ahead(is_entry, &to.adj[lane], a.row_adj + (is_entry ? e : 0));
        value = !is_entry ? 0 : a.row_permuted ? a.row_val[e] : row.value + (e - row.begin);
        return is_entry;
    }
    __device__ __forceinline__ void copy_value(const BlockRow &row, uint32_t k, bool is_entry, uint32_t value, Entries &to) const {
        if (MAY_HAVE_SEGMENTS && k + lane < row.segments) to.v[lane] = zero(T{}) - one(T{});
        else copy_ahead(is_entry, &to.v[lane], a.val + value);
    }
    __device__ __forceinline__ void copy_entries(const BlockRow &row, uint32_t k, Entries &to) const {
        uint32_t value;
        bool is_entry = copy_entry(row, k, to, value);
        copy_value(row, k, is_entry, value, to);
    }
    // Has what is known of a row copied, except values.
    __device__ __forceinline__ bool copy(const BlockRow &row, Ahead &to, uint32_t &value) const {
        if (lane == 0) {
            to.row = row;
            bool has = a.diag_index && row.diag != NONE;
            copy_ahead(has, &to.d, a.diag_values + (has ? row.diag : 0));
        }
#pragma unroll
        for (uint32_t j = lane; j < NR; j += WARP) copy_ahead(true, &to.f[j], a.work + (size_t)row.i * NR + j);
        return copy_entry(row, 0, to.entries, value);
    }

    // Subtracts all entries of a row or segment, times their unknowns, from the sums of a lane's columns. The first entries are there
    // already. Where the watchdog ends the wait the sums are not a number.
    template <int SIZE>
    __device__ __forceinline__ void subtract(const BlockRow &row, const Entries &first_entries, T (&sums)[PER_LANE]) const {
        const T *words = reinterpret_cast<const T *>(words_of<NR>(a) + column());
        const Entries *now = &first_entries;
        uint32_t entries = row.entries(), k = 0;
        T sum[SUMS][PER_LANE];
#pragma unroll
        for (int s = 0; s < SUMS; ++s)
#pragma unroll
            for (int j = 0; j < PER_LANE; ++j) sum[s][j] = s == 0 && lane < NR ? sums[j] : zero(T{});
        auto copy_more = [&] {
            if (k + WARP < entries) copy_entries(row, k + WARP, copies.more[k / WARP % BLOCK_MORE]);
        };
        copy_more();
        for (;;) {
            uint32_t from[SIZE], number = k % WARP + lane / LANES;
            Words<T> x[SIZE][PER_LANE];
#pragma unroll
            for (int u = 0; u < SIZE; ++u) {
                from[u] = now->adj[number + u * AT_ONCE];
                bool is_entry = k + lane / LANES + u * AT_ONCE < entries;
#pragma unroll
                for (int j = 0; j < PER_LANE; ++j) x[u][j] = is_entry ? Words<T>::sentinel() : Words<T>::of_zero();
            }
            bool ok = spin(a, [&] {
                uint32_t highest = 0;
#pragma unroll
                for (int u = 0; u < SIZE; ++u) {
                    if constexpr (PER_LANE == 1) poll_far<NR * sizeof(T)>(words, from[u], x[u][0]);
                    else poll(words + (size_t)from[u] * NR, x[u]);
                }
#pragma unroll
                for (int u = 0; u < SIZE; ++u)
#pragma unroll
                    for (int j = 0; j < PER_LANE; ++j) highest = max(highest, x[u][j].flag());
                return highest == SENTINEL;
            });
            if (!ok) {
#pragma unroll
                for (int j = 0; j < PER_LANE; ++j) sums[j] = not_a_number(T{});
                return;
            }
            // What there is not are zeros.
#pragma unroll
            for (int u = 0; u < SIZE; ++u) {
                T v = -conjugate_if(a.conjugate, now->v[number + u * AT_ONCE]);
#pragma unroll
                for (int j = 0; j < PER_LANE; ++j) sum[u % SUMS][j] = multiply_add(v, x[u][j].value(), sum[u % SUMS][j]);
            }
            k += SIZE * AT_ONCE;
            if (lane == 0 && k % PROGRESS_ENTRIES == 0) atomicAdd(&a.state->progress, 1u);
            if (k >= entries) break;
            if (k % WARP == 0) {
                copied();
                __syncwarp();
                now = &copies.more[(k / WARP + 1) % BLOCK_MORE];
                copy_more();
            }
        }
#pragma unroll
        for (int j = 0; j < PER_LANE; ++j) sums[j] = sum[0][j] + (SUMS > 1 ? sum[SUMS - 1][j] : shuffle_xor(sum[0][j], LANES));
    }
    __device__ __forceinline__ void subtract_all(const BlockRow &row, const Entries &entries, T (&sums)[PER_LANE]) const {
        if (row.entries() > U * AT_ONCE / 2) subtract<U>(row, entries, sums);
        else subtract<U / 2>(row, entries, sums);
    }

    __device__ __forceinline__ void publish_unknowns(uint32_t row, const T (&x)[PER_LANE]) const {
        if (lane < NR) publish(reinterpret_cast<T *>(words_of<NR>(a) + (size_t)row * NR + column()), x);
    }

    // All lanes work alike: each has sums of its columns.
    __device__ __forceinline__ void solve(const Ahead &ahead, T alpha) const {
        BlockRow row = ahead.row;
        T scale = one(T{}), d = scale;
        bool multiplies = true;
        if (a.diag_index) {
            d = diagonal_of(a, row.p, ahead.d, [&] {
                if (lane == 0) note_zero_pivot(a.state, PIVOT_BIT, row.i);
            });
            multiplies = reciprocal(d, scale);
        }
        T x[PER_LANE];
#pragma unroll
        for (int j = 0; j < PER_LANE; ++j) x[j] = product(alpha, ahead.f[column() + j]);
        subtract_all(row, ahead.entries, x);
#pragma unroll
        for (int j = 0; j < PER_LANE; ++j) x[j] = multiplies ? product(x[j], scale) : divide(x[j], d);
        publish_unknowns(row.i, x);
    }

    // What a row needs is loaded two rounds before its own, and its record three; a value whose place must be loaded first, one
    // round before. Nobody waits for what another warp has not taken: each queue gives its positions in their order, and every
    // block has a warp for each.
    __device__ __forceinline__ void rows(uint32_t q) const {
        auto take_ticket = [&] { return lane == 0 ? atomicAdd(a.counters + q * BLOCK_QUEUE_WORDS, 1u) : 0u; };
        T alpha = alpha_of(a);
        uint32_t number = take_ticket(), value = 0, round = 0;
        bool is_entry = false;
        BlockRow next = row_of(make_uint2(a.n, 0));
        for (Ahead *now = copies.ahead, *before = now + 1, *oldest = now + 2;; ++round) {
            if (a.row_permuted && round > 1) copy_value(before->row, 0, is_entry, value, before->entries);
            is_entry = copy(next, *now, value);
            if (!a.row_permuted) copy_value(next, 0, is_entry, value, now->entries);
            commit_copies();
            next = row_of(make_uint2(__shfl_sync(FULL, number, 0) * queues + q, 0));
            number = take_ticket();
            if (a.row_permuted) copied_but<1>();
            else copied_but<2>();
            __syncwarp();
            if (round > 2) {
                if (oldest->row.p >= a.n) break;
                solve(*oldest, alpha);
                if (lane == 0 && round % PROGRESS_ROWS == 0) atomicAdd(&a.state->progress, 1u);
            }
            __syncwarp();
            auto free = oldest;
            oldest = before, before = now, now = free;
        }
        copied();
    }

    // Takes work items, which are in the order of positions, with the segments of a row before it.
    __device__ __forceinline__ void segments() const {
        for (;;) {
            uint32_t number = lane == 0 ? atomicAdd(a.counters + queues * BLOCK_QUEUE_WORDS, 1u) : 0u;
            uint32_t first = __shfl_sync(FULL, number, 0) * SEGMENT_WORK_ITEMS;
            if (first >= a.work_items) return;
            if (lane == 0 && number % PROGRESS_ROWS == 0) atomicAdd(&a.state->progress, 1u);
            uint2 work_item = lane < SEGMENT_WORK_ITEMS && lane < a.work_items - first ? a.work_item[first + lane] : make_uint2(0, 0);
            bool is_segment = (work_item.y & ITEM_ROWS_MASK) == SEGMENT;
            for (uint32_t segments = __ballot_sync(FULL, is_segment); segments != 0; segments &= segments - 1) {
                uint32_t k = __ffs(segments) - 1;
                BlockRow row = row_of(make_uint2(__shfl_sync(FULL, work_item.x, k), __shfl_sync(FULL, work_item.y, k)));
                Entries &entries = copies.ahead[0].entries;
                copy_entries(row, 0, entries);
                copied();
                __syncwarp();
                T sums[PER_LANE] = {};
                subtract_all(row, entries, sums);
                publish_unknowns(row.place, sums);
                __syncwarp();
            }
        }
    }
};

template <int NR, bool MAY_HAVE_SEGMENTS, class T>
__device__ __forceinline__ void block(const SolveArgs<T> &a) {
    constexpr size_t ENTRIES = WARP * (sizeof(T) + 4);
    constexpr size_t AHEAD = BLOCK_ROW_BYTES + ENTRIES + NR * sizeof(T) + BLOCK_DIAGONAL_BYTES;
    static_assert(sizeof(BlockCopies<NR, T>) == BLOCK_AHEAD * AHEAD + BLOCK_MORE * ENTRIES, "warp_bytes");
    extern __shared__ __align__(16) unsigned char memory[];
    uint32_t warp = threadIdx.x / WARP, queues = blockDim.x / WARP - (MAY_HAVE_SEGMENTS ? BLOCK_SEGMENT_WARPS : 0);
    BlockSolver<NR, MAY_HAVE_SEGMENTS, T> solver{a, reinterpret_cast<BlockCopies<NR, T> *>(memory)[warp], threadIdx.x % WARP, queues};
    if (!MAY_HAVE_SEGMENTS || warp < queues) solver.rows(warp);
    else solver.segments();
}

#define KERNEL(NR, t)                                                                                                      \
    extern "C" __global__ void __launch_bounds__(BLOCK_PACK_THREADS)                                                       \
        block_begin##NR##_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {                                                 \
        block_begin<NR>(m);                                                                                                \
    }                                                                                                                      \
    extern "C" __global__ void __launch_bounds__(BLOCK_PACK_THREADS)                                                       \
        block_end##NR##_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {                                                   \
        block_end<NR>(m);                                                                                                  \
    }                                                                                                                      \
    extern "C" __global__ void __launch_bounds__(THREADS_FOR<NR>, 1)                                                       \
        block##NR##_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {                                                       \
        block<NR, false>(m.solve);                                                                                         \
    }                                                                                                                      \
    extern "C" __global__ void __launch_bounds__(THREADS_FOR<NR>, 1)                                                       \
        block_segments##NR##_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {                                              \
        block<NR, true>(m.solve);                                                                                          \
    }
#define KERNELS(t) KERNEL(16, t) KERNEL(32, t) KERNEL(64, t)
FOR_EACH_TYPE(KERNELS)
