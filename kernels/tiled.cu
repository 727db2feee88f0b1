// TILED: two tiers. A block takes a tile of consecutive rows (in solving order) and keeps the most recent
// unknowns of the tile in shared memory, so that most dependencies cost tens of nanoseconds; only those on
// other tiles go through L2, in one word that is value and flag together.
//
// The tile's rows are sorted by level and packed into batches of at most 32 lanes, in order. One warp (the
// consumer) walks the batches, level after level. The other warps (producers) work ahead of it, each on
// every P-th batch: they fetch values, indices, right-hand side and diagonal, wait for unknowns of other
// tiles, and leave in a ring of slots only what the consumer needs: partial sum, reciprocal of the
// diagonal, and up to K local entries a lane. Loads are issued one batch of the producer before they are
// used, so that it waits for unknowns and not for memory.
//
// An entry is local if its unknown is in the tile and not older than the window; any entry may be declared
// external, since every unknown is published. The entry's code has bit 31 set for a local one; the row
// number in a record has bit 31 set where a new level begins.
//
// Progress: tiles are taken by ticket in solving order and depend on earlier tiles only; batches depend on
// earlier batches only; the producer of the earliest unfinished batch never waits for a slot.
#include "row.cuh"

constexpr int TILED_WARPS = 12;  // mirrored in tiled.rs
constexpr int PRODUCERS = TILED_WARPS - 1;
constexpr int SLOTS = 32;
constexpr int NEAR = 8;  // batches ahead of the consumer at which a producer may poll again and again
constexpr uint32_t HIGH_BIT = 0x80000000u;

template <class T>
struct Shape {
    static constexpr int K = sizeof(T) > 8 ? 4 : 8;             // local entries a lane, mirrored in tiled.rs
    static constexpr int WINDOW = sizeof(T) > 8 ? 2048 : 4096;  // unknowns, mirrored in tiled.rs
    static constexpr int U = sizeof(T) > 8 ? 4 : 8;             // entries a lane fetches at a time
};

template <class T>
struct alignas(sizeof(T) > 8 ? 16 : 2 * sizeof(T)) Pair {
    T a, b;
};

// What a lane of the consumer needs of a batch besides values.
struct alignas(16) Place {
    uint32_t row;       // where its unknown goes in x
    uint32_t position;  // and in the work vector
    uint32_t cell;      // and in the window, in bytes
    uint32_t turn;      // the level of the batch, from 1, in which the lane leads a row, or 0
};

// How a batch is solved: which loop, how many levels, and the lanes of a row.
enum Kind : uint32_t { TWO, FOUR, MOST, SHARED, DIVIDING };

// What the consumer needs of a batch, laid out so that each lane loads wide words.
template <class T>
struct Slot {
    static constexpr int K = Shape<T>::K;
    Pair<T> v[K / 2][WARP];
    T sum[WARP];
    T scale[WARP];  // reciprocal of the diagonal, or the diagonal itself where the kind is DIVIDING
    struct alignas(2 * K) {
        uint16_t of[K];  // cells of the window, in bytes
    } cell[WARP];
    Place place[WARP];
    uint4 head;  // kind, levels, log2(lanes of a row)

    __device__ __forceinline__ void put(uint32_t k, uint32_t lane, T value, uint32_t c) {
        (&v[k / 2][lane].a)[k % 2] = value;
        cell[lane].of[k] = (uint16_t)(c * sizeof(T));
    }
};

template <class T>
struct Tile {
    Slot<T> slot[SLOTS];
    T window[Shape<T>::WINDOW + 1];  // the last cell is always zero: what padded entries point to
    uint32_t full[SLOTS];            // 1 + the batch that a slot holds
    uint32_t front;                  // batches done
    uint32_t ticket;
};

// What a producer holds of a batch, stage by stage.
template <class T>
struct Stage {
    static constexpr int U = Shape<T>::U;
    uint2 batch;                 // first position, rows | log2(lanes of a row) << 6
    uint4 record;                // row, diagonal index, first entry, first value
    uint32_t end;                // past the last entry
    uint32_t longest;            // most entries of any lane
    uint32_t code[U], index[U];  // entries, and where their values lie
    T v[U], f, d;

    __device__ __forceinline__ uint32_t rows() const { return batch.y & 63u; }
    __device__ __forceinline__ uint32_t shift() const { return batch.y >> 6; }
};

template <class T, bool PERMUTED>
struct Producer {
    const SolveArgs<T> &a;
    Tile<T> &tile;
    T *work, *other;
    T alpha;
    uint32_t lane;
    static constexpr int U = Shape<T>::U, WINDOW = Shape<T>::WINDOW;

    __device__ __forceinline__ uint32_t row_of(const Stage<T> &g) const { return lane >> g.shift(); }
    __device__ __forceinline__ bool leads(const Stage<T> &g) const {
        return row_of(g) < g.rows() && (lane & ((1u << g.shift()) - 1)) == 0;
    }

    __device__ __forceinline__ void fetch_record(Stage<T> &g) const {
        uint32_t r = row_of(g);
        g.record = {0, NONE, 0, 0};
        g.end = 0;
        if (r < g.rows()) {
            g.record = a.record[g.batch.x + r];
            g.end = a.record[g.batch.x + r + 1].z;
        }
    }

    __device__ __forceinline__ void count(Stage<T> &g) const {
        uint32_t most = warp_max(g.end - g.record.z);
        g.longest = (most + (1u << g.shift()) - 1) >> g.shift();
    }

    // The place of this lane's `k`-th entry. Loads go without a branch, a lane without an entry repeating
    // another: so they all overlap.
    __device__ __forceinline__ uint32_t entry(const Stage<T> &g, uint32_t k) const {
        return g.record.z + (lane & ((1u << g.shift()) - 1)) + (k << g.shift());
    }
    __device__ __forceinline__ uint32_t some_entry(const Stage<T> &g, uint32_t k) const {
        return min(entry(g, k), g.end > g.record.z ? g.end - 1 : 0);
    }

    __device__ __forceinline__ void fetch_codes(Stage<T> &g, uint32_t from) const {
#pragma unroll
        for (int u = 0; u < U; ++u) {
            if (u % 2 == 0 && from + u >= g.longest) break;
            g.code[u] = a.row_adj[some_entry(g, from + u)];
        }
    }

    __device__ __forceinline__ void fetch_indices(Stage<T> &g, uint32_t from) const {
#pragma unroll
        for (int u = 0; u < U; ++u) {
            if (!PERMUTED || (u % 2 == 0 && from + u >= g.longest)) break;
            g.index[u] = a.row_val[some_entry(g, from + u)];
        }
    }

    __device__ __forceinline__ void fetch_values(Stage<T> &g, uint32_t from) const {
        // An empty row reads the first value there is.
        const T *val = a.val + (PERMUTED ? 0 : g.end > g.record.z ? (int64_t)g.record.w - g.record.z : 0);
#pragma unroll
        for (int u = 0; u < U; ++u) {
            if (u % 2 == 0 && from + u >= g.longest) break;
            g.v[u] = val[PERMUTED ? g.index[u] : some_entry(g, from + u)];
        }
    }

    __device__ __forceinline__ void fetch_right_hand_side(Stage<T> &g) const {
        g.f = zero(T{});
        g.d = one(T{});
        if (!leads(g)) return;
        if (a.diag_index) g.d = g.record.y == NONE ? zero(T{}) : a.diag_values[g.record.y];
        g.f = a.f[g.record.x & ~HIGH_BIT];
    }

    // Waits until the consumer is less than `ahead` batches behind batch `s`.
    template <uint32_t SLEEP>
    __device__ __forceinline__ bool wait_front(uint32_t s, uint32_t ahead, Watchdog<T> &dog) const {
        // Ends when the consumer has come far enough, or by the watchdog.
        while (s >= load_acquire_shared(&tile.front) + ahead) {
            if (!dog.turn()) return false;
            rest(SLEEP);
        }
        return true;
    }

    // Turns the local ones of the first M entries in `g` into entries of the slot. Returns the others.
    template <int M>
    __device__ __forceinline__ uint32_t take_local(const Stage<T> &g, uint32_t from, Slot<T> &slot,
                                                   uint32_t &local) const {
        uint32_t external = 0;
#pragma unroll
        for (int u = 0; u < M; ++u) {
            if (entry(g, from + u) >= g.end) continue;
            if (g.code[u] & HIGH_BIT)
                slot.put(local++, lane, conjugate_if(a.conjugate, g.v[u]), g.code[u] & (WINDOW - 1));
            else external |= 1u << u;
        }
        return external;
    }

    // Adds the external ones of the first M entries in `g` to `sum`, waiting for their unknowns.
    template <int M>
    __device__ __forceinline__ bool take_external(const Stage<T> &g, uint32_t s, uint32_t external, T &sum) const {
        if (!__any_sync(0xffffffffu, external)) return true;
        Words<T> x[M];
#pragma unroll
        for (int u = 0; u < M; ++u) x[u] = external >> u & 1u ? Words<T>::armed() : Words<T>::of_zero();
        Watchdog<T> dog(a);
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
                if (!__all_sync(0xffffffffu, wait_front<20>(s, NEAR, dog))) return false;
            } else if (!__all_sync(0xffffffffu, dog.turn())) {
                return false;
            }
        }
#pragma unroll
        for (int u = 0; u < M; ++u)
            if (external >> u & 1u) sum = multiply_add(conjugate_if(a.conjugate, g.v[u]), x[u].value(), sum);
        return true;
    }

    // Everything of the slot but the sum. Rows of the batch that begin a level are marked in their records.
    __device__ __forceinline__ void fill(const Stage<T> &g, Slot<T> &slot, uint32_t local, T scale,
                                         bool divides) const {
        // The consumer takes 2, 4 or K entries.
        constexpr uint32_t K = Shape<T>::K;
        uint32_t most = warp_max(local);
        most = g.shift() > 0 || divides ? K : most <= 2 ? 2 : most <= 4 ? 4 : K;
        for (; local < most; ++local) slot.put(local, lane, zero(T{}), WINDOW);
        slot.scale[lane] = scale;
        uint32_t starts = __ballot_sync(0xffffffffu, leads(g) && (g.record.x & HIGH_BIT)) | 1u;
        uint32_t p = g.batch.x + row_of(g), turn = __popc(starts & (0xffffffffu >> (31 - lane)));
        slot.place[lane] = {g.record.x & ~HIGH_BIT, p, p % WINDOW * (uint32_t)sizeof(T), leads(g) ? turn : 0};
        Kind kind = divides ? DIVIDING : g.shift() > 0 ? SHARED : most == 2 ? TWO : most == 4 ? FOUR : MOST;
        if (lane == 0) slot.head = {kind, (uint32_t)__popc(starts), g.shift(), 0};
    }

    // Makes batch `s` ready for the consumer. Returns false if the watchdog ended a wait.
    __device__ __forceinline__ bool produce(Stage<T> &g, uint32_t s) {
        Slot<T> &slot = tile.slot[s % SLOTS];
        uint32_t p = g.batch.x + row_of(g);
        T scale = one(T{});
        bool divides = false;
        if (leads(g)) {
            arm(&other[p]);
            if (a.diag_index) {
                T d = g.d;
                if (a.extra_count) d = extra_diagonal(a, p, d);
                d = conjugate_if(a.conjugate, d);
                if (is_zero(d)) atomicMin(&a.state->pivot_running, g.record.x & ~HIGH_BIT);
                divides = !reciprocal(d, scale);
                g.d = d;
            }
        }
        divides = __any_sync(0xffffffffu, divides);
        if (divides) scale = g.d;
        {
            Watchdog<T> dog(a);
            if (!__all_sync(0xffffffffu, wait_front<100>(s, SLOTS, dog))) return false;
        }

        T sum = zero(T{});
        uint32_t local = 0, from = 0;
        bool ok = true;
        // All but the last entries first: they are the older ones.
        for (; ok && from + U < g.longest; from += U) {
            ok = take_external<U>(g, s, take_local<U>(g, from, slot, local), sum);
            fetch_codes(g, from + U);
            fetch_indices(g, from + U);
            fetch_values(g, from + U);
        }
        uint32_t left = g.longest - from;
        if (left <= 2) {
            uint32_t external = left == 0 ? 0 : take_local<2>(g, from, slot, local);
            fill(g, slot, local, scale, divides);
            ok = ok && take_external<2>(g, s, external, sum);
        } else {
            uint32_t external = take_local<U>(g, from, slot, local);
            fill(g, slot, local, scale, divides);
            ok = ok && take_external<U>(g, s, external, sum);
        }
        if (!ok) return false;
        // The consumer adds up the lanes of a row.
        slot.sum[lane] = leads(g) ? alpha * g.f - sum : -sum;
        __syncwarp();
        if (lane == 0) store_release_shared(&tile.full[s % SLOTS], s + 1);
        return true;
    }

    // Batches `mine, mine + PRODUCERS, ...` of a tile whose batches are `batch[0..batches]`.
    __device__ __forceinline__ void run(const uint2 *batch, uint32_t batches, uint32_t mine) {
        constexpr uint2 nothing = {0, 0};
        auto load = [&](uint32_t s) { return s < batches ? batch[s] : nothing; };
        Stage<T> g0, g1, g2, g3;
        g0.batch = load(mine);
        g1.batch = load(mine + PRODUCERS);
        g2.batch = load(mine + 2 * PRODUCERS);
        g3.batch = load(mine + 3 * PRODUCERS);
        fetch_record(g0);
        fetch_record(g1);
        count(g0);
        fetch_codes(g0, 0);
        fetch_indices(g0, 0);
        fetch_values(g0, 0);
        fetch_right_hand_side(g0);
        if (PERMUTED) {
            fetch_record(g2);
            count(g1);
            fetch_indices(g1, 0);
        }
        for (uint32_t s = mine; s < batches; s += PRODUCERS) {
            if (!PERMUTED) count(g1);
            fetch_values(g1, 0);
            fetch_codes(g1, 0);
            fetch_right_hand_side(g1);
            if (PERMUTED) {
                count(g2);
                fetch_indices(g2, 0);
                fetch_record(g3);
            } else {
                fetch_record(g2);
            }
            uint2 after = load(s + 4 * PRODUCERS);
            if (!produce(g0, s)) return;
            g0 = g1;
            g1 = g2;
            if (PERMUTED) g2 = g3;
            else g2.batch = g3.batch;
            g3.batch = after;
        }
    }
};

// What the consumer holds of a batch in registers.
template <class T>
struct Operands {
    static constexpr int K = Shape<T>::K;
    Pair<T> v[K / 2];
    T sum, scale;
    uint16_t cell[K];
    Place place;
    uint4 head;
};

template <class T>
struct Consumer {
    const SolveArgs<T> &a;
    Tile<T> &tile;
    T *work;
    uint32_t lane;
    static constexpr int K = Shape<T>::K;

    __device__ __forceinline__ bool is_full(uint32_t s) const {
        return load_acquire_shared(&tile.full[s % SLOTS]) == s + 1;
    }

    __device__ __forceinline__ T &window(uint32_t bytes) const {
        return *reinterpret_cast<T *>(reinterpret_cast<unsigned char *>(tile.window) + bytes);
    }

    __device__ __forceinline__ void take(Operands<T> &o, uint32_t s) const {
        const Slot<T> &slot = tile.slot[s % SLOTS];
        o.head = slot.head;
        o.sum = slot.sum[lane];
        o.scale = slot.scale[lane];
        o.place = slot.place[lane];
        auto cells = slot.cell[lane];
#pragma unroll
        for (int k = 0; k < K; ++k) o.cell[k] = cells.of[k];
        o.v[0] = slot.v[0][lane];
        if (o.head.x == TWO) return;
#pragma unroll
        for (int k = 2; k < K; k += 2) o.v[k / 2] = slot.v[k / 2][lane];
    }

    // Solves level after level of a batch with at most M local entries a lane. There is no branch inside a
    // level: a branch costs as much as the arithmetic.
    template <int M, bool SHARES, bool DIVIDES>
    __device__ __forceinline__ void levels(const Operands<T> &o) const {
        T *word = work + o.place.position;
        T xi = zero(T{});
#pragma unroll 2
        for (uint32_t level = 1; level <= o.head.y; ++level) {
            T y[M];
#pragma unroll
            for (int k = 0; k < M; ++k) y[k] = window(o.cell[k]);
            T even = o.sum, odd = zero(T{});
#pragma unroll
            for (int k = 0; k < M; k += 2) {
                even = multiply_add(-o.v[k / 2].a, y[k], even);
                if (M > 2) odd = multiply_add(-o.v[k / 2].b, y[k + 1], odd);
                else even = multiply_add(-o.v[k / 2].b, y[k + 1], even);
            }
            T sum = M > 2 ? even + odd : even;
            if (SHARES) sum = warp_sum(sum, 1 << o.head.z);
            T value = DIVIDES ? divide(sum, o.scale) : sum * o.scale;
            if (o.place.turn == level) {
                xi = value;
                window(o.place.cell) = value;
                publish(word, value);
            }
            __syncwarp();
        }
        if (o.place.turn) a.x[o.place.row] = xi;
    }

    // Solves batch `s`, whose operands are in `o`, while those of the next one come into `next` if they are
    // there. Returns whether they were.
    __device__ __forceinline__ bool solve(const Operands<T> &o, Operands<T> &next, uint32_t s, bool more) const {
        bool have = more && is_full(s + 1);
        if (have) take(next, s + 1);
        if (o.head.x == TWO) levels<2, false, false>(o);
        else if (o.head.x == FOUR) levels<4, false, false>(o);
        else if (o.head.x == MOST) levels<K, false, false>(o);
        else if (o.head.x == SHARED) levels<K, true, false>(o);
        else levels<K, true, true>(o);
        if (lane == 0) {
            store_volatile_shared(&tile.front, s + 1);
            if (s % 1024 == 0) atomicAdd(&a.state->progress, 1u);
        }
        return have;
    }

    // Walks the batches; returns how many were done: fewer than `batches` only after a watchdog.
    __device__ __forceinline__ uint32_t run(uint32_t batches) const {
        Watchdog<T> dog(a);
        Operands<T> one, two;
        bool have = false;
        for (uint32_t s = 0; s < batches; ++s) {
            // Both waits end when the batch's producer has filled the slot, or by the watchdog.
            while (!have && !is_full(s))
                if (!dog.turn()) return s;
            if (!have) take(one, s);
            have = solve(one, two, s, s + 1 < batches);
            if (++s >= batches) break;
            while (!have && !is_full(s))
                if (!dog.turn()) return s;
            if (!have) take(two, s);
            have = solve(two, one, s, s + 1 < batches);
        }
        return batches;
    }
};

// Marks the output of positions `p..end` as invalid.
template <class T>
__device__ void invalidate(const SolveArgs<T> &a, uint32_t p, uint32_t end, uint32_t lane) {
    for (p += lane; p < end; p += WARP) a.x[a.record[p].x & ~HIGH_BIT] = not_a_number(T{});
}

// The whole block takes the next tile; false when there is none.
template <class T>
__device__ __forceinline__ bool next_tile(const SolveArgs<T> &a, Tile<T> &tile, uint32_t &begin, uint32_t &end) {
    __syncthreads();
    if (threadIdx.x < SLOTS) tile.full[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        tile.front = 0;
        tile.window[Shape<T>::WINDOW] = zero(T{});
        tile.ticket = atomicAdd(&a.state->ticket, 1u);
    }
    __syncthreads();
    uint32_t t = tile.ticket;
    if (t >= a.tiles) return false;
    begin = a.tile_step[t];
    end = a.tile_step[t + 1];
    return true;
}

template <bool PERMUTED, class T>
__device__ __forceinline__ void tiled(const SolveArgs<T> &a) {
    extern __shared__ __align__(16) unsigned char memory[];
    Tile<T> &tile = *reinterpret_cast<Tile<T> *>(memory);
    uint32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    uint32_t epoch = load_relaxed(&a.state->epoch) & 1u;
    T *work = a.work + (size_t)epoch * a.n;
    uint32_t begin, end;
    if (warp == 0) {
        Consumer<T> consumer{a, tile, work, lane};
        while (next_tile(a, tile, begin, end)) {
            uint32_t done = consumer.run(end - begin);
            if (done < end - begin) invalidate(a, a.slice[begin + done].x, a.slice[end].x, lane);
        }
    } else {
        T *other = a.work + (size_t)(epoch ^ 1u) * a.n;
        Producer<T, PERMUTED> producer{a, tile, work, other, alpha_of(a), lane};
        while (next_tile(a, tile, begin, end)) producer.run(a.slice + begin, end - begin, warp - 1);
    }
    finish_solve(a, epoch);
}

#define KERNEL(t)                                                                \
    extern "C" __global__ void __launch_bounds__(TILED_WARPS *WARP, 1)           \
        tiled_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {               \
        tiled<false>(a);                                                         \
    }                                                                            \
    extern "C" __global__ void __launch_bounds__(TILED_WARPS *WARP, 1)           \
        tiled_permuted_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {      \
        tiled<true>(a);                                                          \
    }
FOR_EACH_TYPE(KERNEL)

// What the host asks for, mirrored in tiled.rs.
static_assert(sizeof(Tile<s_type>) <= 96 << 10, "shared memory");
static_assert(sizeof(Tile<d_type>) <= 152 << 10 && sizeof(Tile<c_type>) <= 152 << 10, "shared memory");
static_assert(sizeof(Tile<z_type>) <= 160 << 10, "shared memory");
