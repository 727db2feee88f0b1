// TILED: two tiers. A block takes a tile of consecutive rows (in solving order) and keeps the most recent
// unknowns of the tile in shared memory, so that most dependencies cost tens of nanoseconds; only those on
// other tiles go through L2, in one word that is value and flag together.
//
// The tile's rows are sorted by level and cut into steps: rows of one level, at most 32 lanes. One warp
// (the consumer) walks the steps. The other warps (producers) work ahead of it, each on every P-th step:
// they fetch values, indices, right-hand side and diagonal, wait for unknowns of other tiles, and leave in
// a ring of slots only what the consumer needs: partial sum, reciprocal of the diagonal, and up to K local
// entries a lane. A producer keeps four stages of loads in flight, so that it never waits for memory but
// only for unknowns.
//
// An entry is local if its unknown is in the tile and not older than the window; any entry may be declared
// external, since every unknown is published. The entry's code has bit 31 set for a local one.
//
// Progress: tiles are taken by ticket in solving order and depend on earlier tiles only; steps depend on
// earlier steps only; the producer of the earliest unfinished step never waits for a slot.
#include "row.cuh"

constexpr int TILED_WARPS = 8;  // mirrored in tiled.rs
constexpr int PRODUCERS = TILED_WARPS - 1;
constexpr int SLOTS = 32;
constexpr int NEAR = 8;  // steps ahead of the consumer at which a producer may poll again and again
constexpr uint32_t LOCAL = 0x80000000u;

template <class T>
struct Shape {
    static constexpr int K = sizeof(T) > 8 ? 4 : 8;               // local entries a lane, mirrored in tiled.rs
    static constexpr int WINDOW = sizeof(T) > 8 ? 2048 : 4096;    // unknowns, mirrored in tiled.rs
    static constexpr int U = sizeof(T) > 8 ? 4 : 8;               // entries a lane fetches at a time
};

template <class T>
struct alignas(sizeof(T) > 8 ? 16 : 2 * sizeof(T)) Pair {
    T a, b;
};

// What the consumer needs of a step, laid out so that each lane loads wide words.
template <class T>
struct Slot {
    static constexpr int K = Shape<T>::K;
    Pair<T> v[K / 2][WARP];
    Pair<T> sum_scale[WARP];  // scale: reciprocal of the diagonal, or the diagonal itself where `divides`
    struct alignas(2 * K) {
        uint16_t of[K];
    } cell[WARP];
    uint32_t row[WARP];
    uint2 step;  // position of the step's first row; rows | lanes of a row << 6 | local entries << 12 | divides << 20

    __device__ __forceinline__ void put(uint32_t k, uint32_t lane, T value, uint32_t c) {
        (&v[k / 2][lane].a)[k % 2] = value;
        cell[lane].of[k] = (uint16_t)c;
    }
};

template <class T>
struct Tile {
    Slot<T> slot[SLOTS];
    T window[Shape<T>::WINDOW + 1];  // the last cell is always zero: what padded entries point to
    uint32_t full[SLOTS];            // 1 + the step that a slot holds
    uint32_t front;                  // steps done
    uint32_t ticket;
};

// What a producer holds of a step, stage by stage.
template <class T>
struct Stage {
    static constexpr int U = Shape<T>::U;
    uint2 step;                  // first position, rows | lanes << 6
    uint4 record;                // row, diagonal index, first entry, first value
    uint32_t end;                // past the last entry
    uint32_t longest;            // most entries of any lane
    uint32_t code[U], index[U];  // entries, and where their values lie
    T v[U], f, d;

    __device__ __forceinline__ uint32_t rows() const { return step.y & 63u; }
    __device__ __forceinline__ uint32_t lanes() const { return step.y >> 6; }
};

template <class T>
struct Producer {
    const SolveArgs<T> &a;
    Tile<T> &tile;
    T *work, *other;
    T alpha;
    uint32_t lane;
    static constexpr int U = Shape<T>::U, WINDOW = Shape<T>::WINDOW;

    __device__ __forceinline__ void fetch_record(Stage<T> &g) const {
        uint32_t r = lane / g.lanes();
        g.record = {0, NONE, 0, 0};
        g.end = 0;
        if (r < g.rows()) {
            g.record = a.record[g.step.x + r];
            g.end = a.record[g.step.x + r + 1].z;
        }
    }

    // The place of this lane's `k`-th entry, and whether it has one. Loads go without a branch, a lane
    // without an entry repeating another: so they all overlap.
    __device__ __forceinline__ uint32_t entry(const Stage<T> &g, uint32_t k) const {
        return g.record.z + lane % g.lanes() + k * g.lanes();
    }
    __device__ __forceinline__ uint32_t some_entry(const Stage<T> &g, uint32_t k) const {
        return min(entry(g, k), g.end > g.record.z ? g.end - 1 : 0);
    }

    // U of this lane's entries, from its `from`-th on.
    __device__ __forceinline__ void fetch_entries(Stage<T> &g, uint32_t from) const {
#pragma unroll
        for (int u = 0; u < U; ++u) {
            if (u % 2 == 0 && from + u >= g.longest) break;
            g.code[u] = a.row_adj[some_entry(g, from + u)];
        }
        if (!a.row_permuted) return;
#pragma unroll
        for (int u = 0; u < U; ++u) {
            if (u % 2 == 0 && from + u >= g.longest) break;
            g.index[u] = a.row_val[some_entry(g, from + u)];
        }
    }

    __device__ __forceinline__ void begin_entries(Stage<T> &g) const {
        uint32_t n = g.end - g.record.z, lanes = g.lanes();
        g.longest = (__reduce_max_sync(0xffffffffu, n) + lanes - 1) / lanes;
        fetch_entries(g, 0);
    }

    __device__ __forceinline__ void fetch_values(Stage<T> &g, uint32_t from) const {
        if (a.row_permuted) {
#pragma unroll
            for (int u = 0; u < U; ++u) {
                if (u % 2 == 0 && from + u >= g.longest) break;
                g.v[u] = a.val[g.index[u]];
            }
        } else {
            const T *val = a.val + (g.end > g.record.z ? g.record.w : 0);
#pragma unroll
            for (int u = 0; u < U; ++u) {
                if (u % 2 == 0 && from + u >= g.longest) break;
                g.v[u] = val[some_entry(g, from + u) - g.record.z];
            }
        }
    }

    __device__ __forceinline__ void fetch_right_hand_side(Stage<T> &g) const {
        g.f = zero(T{});
        g.d = one(T{});
        if (lane / g.lanes() >= g.rows() || lane % g.lanes() != 0) return;
        if (a.diag_index) g.d = g.record.y == NONE ? zero(T{}) : a.diag_values[g.record.y];
        g.f = a.f[g.record.x];
    }

    // Waits until the consumer is less than `ahead` steps behind step `s`.
    __device__ __forceinline__ bool wait_front(uint32_t s, uint32_t ahead, Watchdog<T> &dog) const {
        // Ends when the consumer has come far enough, or by the watchdog.
        while (s >= load_acquire_shared(&tile.front) + ahead) {
            if (!dog.turn()) return false;
            __nanosleep(20);
        }
        return true;
    }

    // Turns M of the entries in `g` into local entries of the slot and a sum of the external ones.
    template <int M>
    __device__ __forceinline__ bool take_entries(Stage<T> &g, uint32_t s, uint32_t from, Slot<T> &slot,
                                                 uint32_t &local, T &sum, Watchdog<T> &dog) const {
        Words<T> x[M];
        uint32_t externals = 0;
#pragma unroll
        for (int u = 0; u < M; ++u) {
            bool in = entry(g, from + u) < g.end;
            bool external = in && !(g.code[u] & LOCAL);
            x[u] = external ? Words<T>::armed() : Words<T>::of_zero();
            externals |= external ? 1u << u : 0;
            if (in && !external) slot.put(local++, lane, conjugate_if(a.conjugate, g.v[u]), g.code[u] & (WINDOW - 1));
        }
        if (!__any_sync(0xffffffffu, externals)) return true;
        bool near = false;
        // Ends when every unknown of other tiles has been published, or by the watchdog.
        for (;;) {
            bool waiting = false;
#pragma unroll
            for (int u = 0; u < M; ++u) poll(&work[g.code[u]], x[u]);
#pragma unroll
            for (int u = 0; u < M; ++u) waiting |= x[u].is_armed();
            if (!__any_sync(0xffffffffu, waiting)) break;
            // What is not there at once is not polled again until the consumer is near.
            if (!near) {
                near = true;
                if (!__all_sync(0xffffffffu, wait_front(s, NEAR, dog))) return false;
            } else if (!__all_sync(0xffffffffu, dog.turn())) {
                return false;
            }
        }
#pragma unroll
        for (int u = 0; u < M; ++u)
            if (externals >> u & 1u) sum = multiply_add(conjugate_if(a.conjugate, g.v[u]), x[u].value(), sum);
        return true;
    }

    // Fills the slot of step `s`. Returns false if the watchdog ended a wait.
    __device__ __forceinline__ bool fill(Stage<T> &g, uint32_t s) {
        Watchdog<T> dog(a);
        Slot<T> &slot = tile.slot[s % SLOTS];
        uint32_t lanes = g.lanes(), sub = lane % lanes, p = g.step.x + lane / lanes;
        bool leads = lane / lanes < g.rows() && sub == 0;
        T d = g.d, scale = one(T{});
        bool divides = false;
        if (leads && a.diag_index) {
            if (a.extra_count) d = extra_diagonal(a, p, d);
            d = conjugate_if(a.conjugate, d);
            if (is_zero(d)) atomicMin(&a.state->pivot_running, g.record.x);
            divides = !reciprocal(d, scale);
        }
        divides = __any_sync(0xffffffffu, divides);
        if (leads) arm(&other[p]);
        if (!__all_sync(0xffffffffu, wait_front(s, SLOTS, dog))) return false;

        T sum = zero(T{});
        uint32_t local = 0;
        for (uint32_t from = 0; from < g.longest; from += U) {
            if (from > 0) {
                fetch_entries(g, from);
                fetch_values(g, from);
            }
            uint32_t left = g.longest - from;
            bool ok = left <= 2   ? take_entries<2>(g, s, from, slot, local, sum, dog)
                      : left <= 4 ? take_entries<4>(g, s, from, slot, local, sum, dog)
                                  : take_entries<U>(g, s, from, slot, local, sum, dog);
            if (!ok) return false;
        }
        // The consumer takes entries in pairs.
        uint32_t most = (__reduce_max_sync(0xffffffffu, local) + 1) & ~1u;
        for (; local < most; ++local) slot.put(local, lane, zero(T{}), WINDOW);
        // The consumer adds up the lanes of a row.
        slot.sum_scale[lane] = {leads ? alpha * g.f - sum : -sum, divides ? d : scale};
        slot.row[lane] = g.record.x;
        if (lane == 0) slot.step = {g.step.x, g.step.y | most << 12 | (divides ? 1u << 20 : 0)};
        __syncwarp();
        if (lane == 0) store_release_shared(&tile.full[s % SLOTS], s + 1);
        return true;
    }

    // Steps `mine, mine + PRODUCERS, ...` of a tile whose steps are `step[0..steps]`. Each stage of loads is
    // issued one step before it is used.
    __device__ __forceinline__ void run(const uint2 *step, uint32_t steps, uint32_t mine) {
        constexpr uint2 nothing = {0, 1u << 6};
        auto load = [&](uint32_t s) { return s < steps ? step[s] : nothing; };
        Stage<T> g0, g1, g2, g3;
        g0.step = load(mine);
        g1.step = load(mine + PRODUCERS);
        g2.step = load(mine + 2 * PRODUCERS);
        g3.step = load(mine + 3 * PRODUCERS);
        fetch_record(g0);
        fetch_record(g1);
        fetch_record(g2);
        begin_entries(g0);
        begin_entries(g1);
        fetch_values(g0, 0);
        fetch_right_hand_side(g0);
        for (uint32_t s = mine; s < steps; s += PRODUCERS) {
            fetch_values(g1, 0);
            fetch_right_hand_side(g1);
            begin_entries(g2);
            fetch_record(g3);
            uint2 after = load(s + 4 * PRODUCERS);
            if (!fill(g0, s)) return;
            g0 = g1;
            g1 = g2;
            g2 = g3;
            g3.step = after;
        }
    }
};

// What the consumer holds of a step in registers.
template <class T>
struct Operands {
    static constexpr int K = Shape<T>::K;
    Pair<T> v[K / 2], sum_scale;
    uint16_t cell[K];
    uint32_t row;
    uint2 step;
    __device__ __forceinline__ uint32_t entries() const { return step.y >> 12 & 255u; }
};

template <class T>
struct Consumer {
    const SolveArgs<T> &a;
    Tile<T> &tile;
    T *work;
    uint32_t lane;
    static constexpr int K = Shape<T>::K, WINDOW = Shape<T>::WINDOW;

    __device__ __forceinline__ bool is_full(uint32_t s) const {
        return load_acquire_shared(&tile.full[s % SLOTS]) == s + 1;
    }

    __device__ __forceinline__ void take(Operands<T> &o, uint32_t s) const {
        const Slot<T> &slot = tile.slot[s % SLOTS];
        o.step = slot.step;
        o.sum_scale = slot.sum_scale[lane];
        o.row = slot.row[lane];
        auto cells = slot.cell[lane];
#pragma unroll
        for (int k = 0; k < K; ++k) o.cell[k] = cells.of[k];
#pragma unroll
        for (int k = 0; k < K; k += 2) {
            if (k >= o.entries()) break;
            o.v[k / 2] = slot.v[k / 2][lane];
        }
    }

    // Solves step `s`, whose operands are in `o`, while those of the next one come into `next` if they are
    // there. Returns whether they were.
    __device__ __forceinline__ bool solve(const Operands<T> &o, Operands<T> &next, uint32_t s, bool more) const {
        uint32_t entries = o.entries();
        T y[K];
#pragma unroll
        for (int k = 0; k < K; k += 2) {
            if (k >= entries) break;
            y[k] = tile.window[o.cell[k]];
            y[k + 1] = tile.window[o.cell[k + 1]];
        }
        bool have = more && is_full(s + 1);
        if (have) take(next, s + 1);
        T even = o.sum_scale.a, odd = zero(T{});
#pragma unroll
        for (int k = 0; k < K; k += 2) {
            if (k >= entries) break;
            even = multiply_add(-o.v[k / 2].a, y[k], even);
            odd = multiply_add(-o.v[k / 2].b, y[k + 1], odd);
        }
        T sum = even + odd;
        uint32_t rows = o.step.y & 63u, share = o.step.y >> 6 & 63u, r = lane;
        if (share > 1) {
            sum = warp_sum(sum, share);
            r = lane % share == 0 ? lane / share : WARP;
        }
        T xi = (o.step.y >> 20 & 1u) ? divide(sum, o.sum_scale.b) : sum * o.sum_scale.b;
        if (r < rows) {
            uint32_t p = o.step.x + r;
            tile.window[p % WINDOW] = xi;
            publish(&work[p], xi);
            a.x[o.row] = xi;
        }
        __syncwarp();
        if (lane == 0) store_volatile_shared(&tile.front, s + 1);
        return have;
    }

    // Walks the steps; returns how many were done: fewer than `steps` only after a watchdog.
    __device__ __forceinline__ uint32_t run(uint32_t steps) const {
        Watchdog<T> dog(a);
        Operands<T> one, other;
        bool have = false;
        for (uint32_t s = 0; s < steps; ++s) {
            // Ends when the step's producer has filled the slot, or by the watchdog.
            while (!have && !is_full(s))
                if (!dog.turn()) return s;
            if (!have) take(one, s);
            have = solve(one, other, s, s + 1 < steps);
            if (++s >= steps) break;
            while (!have && !is_full(s))
                if (!dog.turn()) return s;
            if (!have) take(other, s);
            have = solve(other, one, s, s + 1 < steps);
        }
        return steps;
    }
};

// Marks the output of positions `p..end` as invalid.
template <class T>
__device__ void invalidate(const SolveArgs<T> &a, uint32_t p, uint32_t end, uint32_t lane) {
    for (p += lane; p < end; p += WARP) a.x[a.record[p].x] = not_a_number(T{});
}

template <class T>
__device__ __forceinline__ void tiled(const SolveArgs<T> &a) {
    extern __shared__ __align__(16) unsigned char memory[];
    Tile<T> &tile = *reinterpret_cast<Tile<T> *>(memory);
    uint32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    uint32_t epoch = load_relaxed(&a.state->epoch) & 1u;
    T *work = a.work + (size_t)epoch * a.n;
    T *other = a.work + (size_t)(epoch ^ 1u) * a.n;
    Producer<T> producer{a, tile, work, other, alpha_of(a), lane};
    Consumer<T> consumer{a, tile, work, lane};
    for (;;) {
        __syncthreads();
        if (threadIdx.x < SLOTS) tile.full[threadIdx.x] = 0;
        if (threadIdx.x == 0) {
            tile.front = 0;
            tile.window[Shape<T>::WINDOW] = zero(T{});
            tile.ticket = atomicAdd(&a.state->ticket, 1u);
        }
        __syncthreads();
        uint32_t t = tile.ticket;
        if (t >= a.tiles) break;
        uint32_t begin = a.tile_step[t], end = a.tile_step[t + 1];
        if (warp == 0) {
            uint32_t done = consumer.run(end - begin);
            if (done < end - begin) invalidate(a, a.slice[begin + done].x, a.slice[end].x, lane);
        } else {
            producer.run(a.slice + begin, end - begin, warp - 1);
        }
    }
    finish_solve(a, epoch);
}

#define KERNEL(t)                                                         \
    extern "C" __global__ void __launch_bounds__(TILED_WARPS *WARP, 1)    \
        tiled_##t(const __grid_constant__ SolveArgs<t##_type> a) {        \
        tiled(a);                                                         \
    }
FOR_EACH_TYPE(KERNEL)

// What the host asks for, mirrored in tiled.rs.
static_assert(sizeof(Tile<s_type>) <= 80 << 10, "shared memory");
static_assert(sizeof(Tile<d_type>) <= 136 << 10 && sizeof(Tile<c_type>) <= 136 << 10, "shared memory");
static_assert(sizeof(Tile<z_type>) <= 144 << 10, "shared memory");
