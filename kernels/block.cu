// BLOCK: for many right-hand sides. Row-wise in level order, a warp for a row and a lane of it for each of 32 columns; each unknown is
// handed over in one word that is value and flag together, and what a row depends on is read in whole lines of the cache.
//
// Two kernels bring right-hand sides to rows, where the 32 of a row lie beside each other, and results back to columns. Both kinds lie
// in the caller's buffer, by row number: right-hand sides first, and behind them the words that are handed over.
#include "columns.cuh"
#include "row.cuh"

// Threads of a block, which has a warp for each queue of rows, and of the two other kernels; mirrored in tuning.rs. A queue has a
// line of the cache for itself.
constexpr int BLOCK_THREADS = 640, BLOCK_PACK_THREADS = 256;
constexpr uint32_t BLOCK_QUEUES = BLOCK_THREADS / WARP, QUEUE_WORDS = 32;
constexpr uint32_t BLOCK_COLUMNS = WARP;  // mirrored in workspace.rs

template <class T>
using BlockColumns = Columns<T, BLOCK_COLUMNS>;

template <class T>
__device__ __forceinline__ BlockColumns<T> block_columns(const MultiArgs<T> &m) {
    return {m.solve.x, m.solve.f, m.ldx, m.ldf, m.columns};
}
template <class T>
__device__ __forceinline__ Words<T> *words_of(const SolveArgs<T> &a) {
    return reinterpret_cast<Words<T> *>(a.work) + (size_t)a.n * BLOCK_COLUMNS;
}

// A thread's places in a square of 32 rows and columns, column by column and row by row.
template <class Act>
__device__ __forceinline__ void each_of_square(const Act &act) {
    for (uint32_t y = threadIdx.x / WARP; y < WARP; y += BLOCK_PACK_THREADS / WARP) act(y, threadIdx.x % WARP);
}

// Right-hand sides by rows; arms the words, and lets nothing be drawn yet.
template <class T>
__device__ void block_begin(const MultiArgs<T> &m) {
    __shared__ T square[WARP][WARP + 1];
    const SolveArgs<T> &a = m.solve;
    BlockColumns<T> columns = block_columns(m);
    if (blockIdx.x == 0) {
        if (threadIdx.x < BLOCK_QUEUES) a.counters[threadIdx.x * QUEUE_WORDS] = 0;
        if (threadIdx.x == 0) *pivot_of(a.state, PIVOT_BIT) = NONE;
    }
    uint32_t first = blockIdx.x * WARP;
    each_of_square([&](uint32_t j, uint32_t r) {
        if (r < a.n - first) square[j][r] = columns.load(first + r, j);
    });
    __syncthreads();
    Words<T> *words = words_of(a);
    each_of_square([&](uint32_t r, uint32_t j) {
        size_t k = (size_t)(first + r) * BLOCK_COLUMNS + j;
        if (r < a.n - first) a.work[k] = square[j][r], words[k] = Words<T>::armed();
    });
}

// Results by columns.
template <class T>
__device__ void block_end(const MultiArgs<T> &m) {
    __shared__ T square[WARP][WARP + 1];
    const SolveArgs<T> &a = m.solve;
    BlockColumns<T> columns = block_columns(m);
    uint32_t first = blockIdx.x * WARP;
    const Words<T> *words = words_of(a);
    each_of_square([&](uint32_t r, uint32_t j) {
        if (r < a.n - first) square[r][j] = words[(size_t)(first + r) * BLOCK_COLUMNS + j].value();
    });
    __syncthreads();
    each_of_square([&](uint32_t j, uint32_t r) {
        if (r < a.n - first) columns.store(first + r, j, square[r][j]);
    });
}

template <class T>
struct BlockSolver {
    const SolveArgs<T> &a;
    uint32_t lane;
    static constexpr int U = sizeof(T) > 8 ? 4 : 8;  // entries whose unknowns are looked for together

    // What is known of a row before its unknowns: f of the lane's column, and of every lane one of the first 32 entries.
    struct Row {
        uint4 record;
        uint32_t end, adj;
        T f, d, v;
    };

    __device__ __forceinline__ void record_of(uint32_t p, Row &row) const {
        row.record = make_uint4(0, NONE, 0, 0), row.end = 0;
        if (p >= a.n) return;
        row.record = a.record[p];
        row.end = a.record[p + 1].z;
    }
    // A lane's entry of 32 from number `e` on.
    __device__ __forceinline__ void entry(const Row &row, uint32_t e, uint32_t &adj, T &v) const {
        e += lane;
        bool in = e < row.end;
        adj = in ? a.row_adj[e] : 0;
        uint32_t place = !in ? 0 : a.row_permuted ? a.row_val[e] : row.record.w + (e - row.record.z);
        load_if(in, a.val + place, v);
    }
    __device__ __forceinline__ void ask(uint32_t p, Row &row) const {
        row.f = a.work[(size_t)row.record.x * BLOCK_COLUMNS + lane];
        load_if(a.diag_index && p < a.n && row.record.y != NONE, a.diag_values + row.record.y, row.d);
        entry(row, row.record.z, row.adj, row.v);
    }

    template <int SIZE>
    __device__ __forceinline__ bool subtract(const Words<T> *words, uint32_t count, uint32_t adj, T v, T &sum) const {
        bool ok = true;
        for (uint32_t k = 0; k < count; k += SIZE) {
            const T *from[SIZE];
            Words<T> x[SIZE];
#pragma unroll
            for (int u = 0; u < SIZE; ++u) {
                uint32_t row = __shfl_sync(FULL, adj, min(k + u, count - 1));
                from[u] = reinterpret_cast<const T *>(words + (size_t)row * BLOCK_COLUMNS);
                x[u] = k + u < count ? Words<T>::armed() : Words<T>::of_zero();
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
                T factor = -conjugate_if(a.conjugate, shuffle(v, (k + u) % WARP));
                if (k + u < count) sum = multiply_add(factor, x[u].value(), sum);
            }
        }
        return ok;
    }

    // All lanes work alike: each has its column's sum.
    __device__ __forceinline__ void solve(uint32_t p, const Row &row, T alpha) const {
        Words<T> *words = words_of(a) + lane;
        uint32_t i = row.record.x;
        T sum = product(alpha, row.f), scale = one(T{}), d = scale;
        bool multiplies = true;
        if (a.diag_index) {
            d = diagonal_of(a, p, row.d, [&] {
                if (lane == 0) note_zero_pivot(a.state, PIVOT_BIT, i);
            });
            multiplies = reciprocal(d, scale);
        }
        bool ok = true;
        uint32_t adj = row.adj;
        T v = row.v;
        for (uint32_t e = row.record.z; e < row.end && ok; e += WARP) {
            uint32_t count = min(row.end - e, (uint32_t)WARP), next_adj = 0;
            T next_v = zero(T{});
            if (count == WARP) entry(row, e + WARP, next_adj, next_v);
            ok = count > U / 2 ? subtract<U>(words, count, adj, v, sum) : subtract<U / 2>(words, count, adj, v, sum);
            adj = next_adj, v = next_v;
        }
        // What the watchdog has left.
        if (!ok) sum = not_a_number(T{});
        publish(reinterpret_cast<T *>(words + (size_t)i * BLOCK_COLUMNS), multiplies ? product(sum, scale) : divide(sum, d));
    }

    // Rows are asked for one before, and their records two. Nobody waits for what another warp has not drawn: each queue gives its
    // positions in their order, and every block has a warp for each.
    __device__ __forceinline__ void run() const {
        uint32_t q = threadIdx.x / WARP;
        auto draw = [&] { return lane == 0 ? atomicAdd(a.counters + q * QUEUE_WORDS, 1u) : 0u; };
        auto position = [&](uint32_t number) { return min(__shfl_sync(FULL, number, 0), a.n / BLOCK_QUEUES + 1) * BLOCK_QUEUES + q; };
        T alpha = alpha_of(a);
        uint32_t p = position(draw()), p1 = position(draw()), p2 = position(draw());
        Row row, row1, row2;
        record_of(p, row);
        record_of(p1, row1);
        ask(p, row);
        while (p < a.n) {
            ask(p1, row1);
            record_of(p2, row2);
            uint32_t number = draw();
            solve(p, row, alpha);
            p = p1, p1 = p2;
            row = row1, row1 = row2;
            p2 = position(number);
        }
    }
};

#define KERNEL(t)                                                                                                          \
    extern "C" __global__ void __launch_bounds__(BLOCK_PACK_THREADS) block_begin_##t(const GRID_CONSTANT MultiArgs<t##_type> m) { \
        block_begin(m);                                                                                                    \
    }                                                                                                                      \
    extern "C" __global__ void __launch_bounds__(BLOCK_PACK_THREADS) block_end_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {   \
        block_end(m);                                                                                                      \
    }                                                                                                                      \
    extern "C" __global__ void __launch_bounds__(BLOCK_THREADS, 1) block_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {     \
        BlockSolver<t##_type>{m.solve, threadIdx.x % WARP}.run();                                                          \
    }
FOR_EACH_TYPE(KERNEL)
