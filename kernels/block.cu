// BLOCK: for many right-hand sides. Row-wise in level order, a warp for a row and a lane of it for each of 32 columns; each unknown is
// handed over in one word that is value and flag together, and what a row depends on is read in whole lines of the cache. Of 16
// columns, which take half of the room, a warp reads two entries at once. However many there are, a column has two sums, to which
// its entries go by turns: so it always gets the same bits.
//
// Rows of many entries are cut into parts (see `Share`). Where there are any, some warps of each block take parts, in the same order,
// and nothing else; to their row the sums of its parts are then further entries, of unknowns by those numbers.
//
// Two kernels bring right-hand sides to rows, where those of a row lie beside each other, and results back to where they belong.
// Both kinds lie in the caller's buffer, by row number: right-hand sides first, and behind them the words that are handed over.
#include "row.cuh"
#include "share.cuh"

// Threads of a block and of the two other kernels; mirrored in tuning.rs. A block has a warp for each queue of rows, and where there are
// parts, that many fewer of these. A queue has a line of the cache for itself.
constexpr int BLOCK_THREADS = 640, BLOCK_PACK_THREADS = 256;
constexpr uint32_t BLOCK_WARPS = BLOCK_THREADS / WARP, BLOCK_PART_WARPS = 4, QUEUE_WORDS = 32;
constexpr uint32_t PART_SLICES = 8;  // that are drawn at once
constexpr int BLOCK_SUMS = 2;        // of a column; no fewer than entries that a warp reads at once

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

// Right-hand sides by rows; arms the words, and lets nothing be drawn yet.
template <int NR, class T>
__device__ void block_begin(const MultiArgs<T> &m) {
    __shared__ T field[NR][WARP + 1];
    const SolveArgs<T> &a = m.solve;
    if (blockIdx.x == 0) {
        if (threadIdx.x < BLOCK_WARPS) a.counters[threadIdx.x * QUEUE_WORDS] = 0;
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
        if (r < a.words - first) words[k] = Words<T>::armed();
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

template <int NR, bool MAY_HAVE_PARTS, class T>
struct BlockSolver {
    const SolveArgs<T> &a;
    uint32_t lane = threadIdx.x % WARP;
    static constexpr uint32_t AT_ONCE = WARP / NR;     // entries that a warp reads at once
    static constexpr int SUMS = BLOCK_SUMS / AT_ONCE;  // that a lane has of those
    static constexpr int U = sizeof(T) > 8 ? 4 : 8;    // entries whose unknowns are looked for together
    static constexpr uint32_t QUEUES = BLOCK_WARPS - (MAY_HAVE_PARTS ? BLOCK_PART_WARPS : 0);

    __device__ __forceinline__ explicit BlockSolver(const SolveArgs<T> &a) : a(a) {}
    __device__ __forceinline__ uint32_t column() const { return lane % NR; }

    // What is known of a row, or of a part of one, before its unknowns: f of the lane's column, and of every lane one of the first 32
    // entries. Those of a row begin with its parts.
    struct Row {
        uint4 record;
        uint32_t end, parts, place, adj;
        T f, d, v;
        __device__ __forceinline__ uint32_t entries() const { return parts + (end - record.z); }
    };

    // Of the row at a position, or where there is a slice that is a part of it, of that.
    __device__ __forceinline__ void record_of(uint2 slice, Row &row) const {
        row.record = make_uint4(0, NONE, 0, 0), row.end = row.parts = row.place = 0;
        if (slice.x >= a.n) return;
        row.record = a.record[slice.x];
        row.end = a.record[slice.x + 1].z;
        uint32_t first = row.record.z, length = row.end - first;
        Share<MAY_HAVE_PARTS, U * WARP, 1, T> share(a, slice, row.record.z, row.end, length);
        row.record.w += row.record.z - first;
        row.place = share.place();
        if (share.has_parts()) row.parts = share.parts;
    }
    // A lane's entry of 32 from number `k` on: the sums of parts, and then entries in the order in which their unknowns are solved.
    __device__ __forceinline__ void entry(const Row &row, uint32_t k, uint32_t &adj, T &v) const {
        k += lane;
        bool in = k < row.entries();
        if (MAY_HAVE_PARTS && in && k < row.parts) {
            adj = row.place + k, v = zero(T{}) - one(T{});
            return;
        }
        k -= row.parts;
        uint32_t e = a.backward ? row.end - 1 - k : row.record.z + k;
        adj = in ? a.row_adj[e] : 0;
        uint32_t place = !in ? 0 : a.row_permuted ? a.row_val[e] : row.record.w + (e - row.record.z);
        load_if(in, a.val + place, v);
    }
    __device__ __forceinline__ void ask(uint32_t p, Row &row) const {
        row.f = a.work[(size_t)row.record.x * NR + column()];
        load_if(a.diag_index && p < a.n && row.record.y != NONE, a.diag_values + row.record.y, row.d);
        entry(row, 0, row.adj, row.v);
    }

    template <int SIZE>
    __device__ __forceinline__ bool subtract(const Words<T> *words, uint32_t count, uint32_t adj, T v, T (&sum)[SUMS]) const {
        bool ok = true;
        for (uint32_t first = 0; first < count; first += SIZE * AT_ONCE) {
            uint32_t k = first + lane / NR;
            const T *from[SIZE];
            Words<T> x[SIZE];
#pragma unroll
            for (int u = 0; u < SIZE; ++u) {
                uint32_t row = __shfl_sync(FULL, adj, min(k + u * AT_ONCE, count - 1));
                from[u] = reinterpret_cast<const T *>(words + (size_t)row * NR);
                x[u] = k + u * AT_ONCE < count ? Words<T>::armed() : Words<T>::of_zero();
            }
            ok = ok && spin(a, [&] {
                uint32_t highest = 0;
#pragma unroll
                for (int u = 0; u < SIZE; ++u) poll(from[u], x[u]);
#pragma unroll
                for (int u = 0; u < SIZE; ++u) highest = max(highest, x[u].tell());
                return highest == ARMED;
            });
#pragma unroll
            for (int u = 0; u < SIZE; ++u) {
                T factor = -conjugate_if(a.conjugate, shuffle(v, (k + u * AT_ONCE) % WARP));
                if (k + u * AT_ONCE < count) sum[u % SUMS] = multiply_add(factor, x[u].value(), sum[u % SUMS]);
            }
        }
        return ok;
    }

    // The sum of `first` and what all entries of a row or part subtract from it; not a number where the watchdog ended the wait.
    __device__ __forceinline__ T sum_of(const Words<T> *words, const Row &row, T first) const {
        bool ok = true;
        uint32_t adj = row.adj, entries = row.entries();
        T v = row.v, sum[SUMS];
#pragma unroll
        for (int s = 0; s < SUMS; ++s) sum[s] = zero(T{});
        if (lane < NR) sum[0] = first;
        for (uint32_t k = 0; k < entries && ok; k += WARP) {
            uint32_t count = min(entries - k, (uint32_t)WARP), next_adj = 0;
            T next_v = zero(T{});
            if (count == WARP) entry(row, k + WARP, next_adj, next_v);
            ok = count > U * AT_ONCE / 2 ? subtract<U>(words, count, adj, v, sum) : subtract<U / 2>(words, count, adj, v, sum);
            adj = next_adj, v = next_v;
        }
        if (!ok) return not_a_number(T{});
        return sum[0] + (SUMS > 1 ? sum[SUMS - 1] : shuffle_xor(sum[0], NR));
    }

    __device__ __forceinline__ void hand_over(Words<T> *words, uint32_t row, T v) const {
        if (lane < NR) publish(reinterpret_cast<T *>(words + (size_t)row * NR), v);
    }

    // All lanes work alike: each has a sum of its column.
    __device__ __forceinline__ void solve(uint32_t p, const Row &row, T alpha) const {
        Words<T> *words = words_of<NR>(a) + column();
        uint32_t i = row.record.x;
        T scale = one(T{}), d = scale;
        bool multiplies = true;
        if (a.diag_index) {
            d = diagonal_of(a, p, row.d, [&] {
                if (lane == 0) note_zero_pivot(a.state, PIVOT_BIT, i);
            });
            multiplies = reciprocal(d, scale);
        }
        T sum = sum_of(words, row, product(alpha, row.f));
        hand_over(words, i, multiplies ? product(sum, scale) : divide(sum, d));
    }

    // Rows are asked for one before, and their records two. Nobody waits for what another warp has not drawn: each queue gives its
    // positions in their order, and every block has a warp for each.
    __device__ __forceinline__ void rows(uint32_t q) const {
        auto draw = [&] { return lane == 0 ? atomicAdd(a.counters + q * QUEUE_WORDS, 1u) : 0u; };
        auto position = [&](uint32_t number) { return min(__shfl_sync(FULL, number, 0), a.n / QUEUES + 1) * QUEUES + q; };
        T alpha = alpha_of(a);
        uint32_t p = position(draw()), p1 = position(draw()), p2 = position(draw());
        Row row, row1, row2;
        record_of(make_uint2(p, 0), row);
        record_of(make_uint2(p1, 0), row1);
        ask(p, row);
        while (p < a.n) {
            ask(p1, row1);
            record_of(make_uint2(p2, 0), row2);
            uint32_t number = draw();
            solve(p, row, alpha);
            p = p1, p1 = p2;
            row = row1, row1 = row2;
            p2 = position(number);
        }
    }

    // Draws slices, which are in the order of positions, with the parts of a row before it.
    __device__ __forceinline__ void parts() const {
        Words<T> *words = words_of<NR>(a) + column();
        for (;;) {
            uint32_t number = lane == 0 ? atomicAdd(a.counters + QUEUES * QUEUE_WORDS, 1u) : 0u;
            uint32_t first = __shfl_sync(FULL, number, 0) * PART_SLICES;
            if (first >= a.slices) return;
            uint2 slice = lane < PART_SLICES && lane < a.slices - first ? a.slice[first + lane] : make_uint2(0, 0);
            for (uint32_t parts = __ballot_sync(FULL, (slice.y & 63u) == PART); parts != 0; parts &= parts - 1) {
                uint32_t k = __ffs(parts) - 1;
                Row row;
                record_of(make_uint2(__shfl_sync(FULL, slice.x, k), __shfl_sync(FULL, slice.y, k)), row);
                entry(row, 0, row.adj, row.v);
                hand_over(words, row.place, sum_of(words, row, zero(T{})));
            }
        }
    }

    __device__ __forceinline__ void run() const {
        uint32_t warp = threadIdx.x / WARP;
        if (!MAY_HAVE_PARTS || warp < QUEUES) rows(warp);
        else parts();
    }
};

#define KERNEL(NR, t)                                                                                                      \
    extern "C" __global__ void __launch_bounds__(BLOCK_PACK_THREADS)                                                       \
        block_begin##NR##_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {                                                 \
        block_begin<NR>(m);                                                                                                \
    }                                                                                                                      \
    extern "C" __global__ void __launch_bounds__(BLOCK_PACK_THREADS)                                                       \
        block_end##NR##_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {                                                   \
        block_end<NR>(m);                                                                                                  \
    }                                                                                                                      \
    extern "C" __global__ void __launch_bounds__(BLOCK_THREADS, 1)                                                         \
        block##NR##_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {                                                       \
        BlockSolver<NR, false, t##_type>(m.solve).run();                                                                   \
    }                                                                                                                      \
    extern "C" __global__ void __launch_bounds__(BLOCK_THREADS, 1)                                                         \
        block_parts##NR##_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {                                                 \
        BlockSolver<NR, true, t##_type>(m.solve).run();                                                                    \
    }
#define KERNELS(t) KERNEL(16, t) KERNEL(32, t)
FOR_EACH_TYPE(KERNELS)
