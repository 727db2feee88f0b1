// The tiled engine, for NR right-hand sides in one pass over the matrix: two tiers. A block takes a tile of
// consecutive rows (in solving order) and keeps the most recent unknowns of the tile in shared memory, so
// that most dependencies cost tens of nanoseconds; only those on other tiles go through L2. In both places
// an unknown is one word that is value and flag together.
//
// The tile's rows are sorted by level and packed into batches of at most 32 lanes, in order. Batch `s` is
// solved by warp `s` modulo the number of warps, which has everything in registers that does not depend
// on other rows (values, indices, right-hand side, reciprocal of the diagonal) before it waits, and the
// loads for its next batch on their way. A batch may hold several levels: what its rows need of each other
// goes through shuffles, level after level.
//
// The codes of a batch lie beside each other, one of each lane that has a row after the other: code `k` of a lane
// says where the unknown of its `k`-th entry is found. Without HIGH_BIT it is in the work vector, with HIGH_BIT in a
// cell of the window, with NEXT_BIT as well in a lane of the same batch. Every unknown is published, so any entry
// may be declared external. Lanes without such an entry, and entries of the same batch, point to a cell that is
// always zero. Entries are numbered from the end of the row in a forward solve and from its beginning in a backward
// one: those of the same batch are then the first ones.
//
// The window is a ring by position. A warp begins batch `s` when all batches of the rounds before the last TILED_ROUNDS -
// 1 are done, so unfinished batches lie within TILED_SPREAD positions. A batch resets the cells TILED_SPREAD positions
// ahead: whoever reads or writes them as new ones comes at least TILED_ROUNDS rounds later, and whoever reads what they
// held lies REACH positions behind it at most, and is done.
//
// Progress: tiles are taken by ticket in solving order and depend on earlier tiles only; batches depend on
// earlier batches only; and the earliest unfinished batch never waits for a round.
//
// Forwarding: where blocks come in clusters, the blocks of a cluster take consecutive tiles together, and each publishes
// its unknowns to the next one: into a remote buffer of its tile in that block's shared memory, where the codes of those
// unknowns then point. All blocks of a cluster end their tiles before any takes the next; so nobody writes to a remote buffer
// that is reset to the sentinel, and no block ends while another may write to it.
#pragma once
#include "device/columns.cuh"
#include "device/row.cuh"
#include "shared/tiled.h"

constexpr uint32_t EXTERNAL_BIT = 1u << BATCH_EXTERNAL_SHIFT;  // of a batch's second word: it depends on other tiles
constexpr uint32_t CELL_MASK = 0xffffu;                        // of a code with HIGH_BIT; the zero cell is TILED_WINDOW

template <class T>
struct Lane {
    static constexpr int ENTRIES = sizeof(T) > 8 ? TILED_ENTRIES / 2 : TILED_ENTRIES;  // that it holds at a time
    static constexpr int NEXT = ENTRIES / 2;                                           // of them that may depend on the same batch
    static constexpr int SHORT = TILED_SHORT;                                          // that it holds where no row has more
};

// Lanes of a row.
enum Lanes { ONE, TWO, ANY };

// From one level of a batch to the next: FIRST steps, and what is left by so many AT_ONCE.
template <int FIRST, int AT_ONCE>
struct Steps {
    static constexpr int first = FIRST, at_once = AT_ONCE;
};

// What a block publishes to the next one of its cluster, and gets from the one before.
struct Forwarding {
    uint32_t given, taken;   // unknowns that the next block gets, and that this one gets
    uint32_t first, before;  // first position of this tile and of the one before
    uint64_t target;         // address of the remote buffer of the next block
};

template <class T, int NR>
struct Tile {
    uint4 head[TILED_MANY_WARPS][4];  // of batches, by warp: the one that it solves and the next three
    uint32_t done[WARP];  // batches done by each warp; no more than there are for those that do not exist
    uint32_t ticket;      // number of the tile, and above it the solve's parity
    Forwarding forwarding;
    alignas(16) T window[TILED_WINDOW + 1][NR];  // and behind it the remote buffer
};

// What a warp holds of a batch. Loads are issued long before what they bring is used, so nothing here is
// computed from what was loaded.
template <class T, int NR, int U>
struct Batch {
    uint4 head;     // first position, packed as below, first code divided by CODE_UNIT, most entries of a lane
    uint4 record;   // row, diagonal index, entries, value of entry 0; of the last row in lanes without one
    uint32_t code[U], index[U];
    T v[U], f[NR], d;

    __device__ __forceinline__ uint32_t rows() const { return head.y & BATCH_ROWS_MASK; }
    __device__ __forceinline__ uint32_t shift() const { return head.y >> BATCH_LANES_SHIFT & BATCH_LANES_MASK; }  // log2(lanes of a row)
    __device__ __forceinline__ uint32_t levels() const { return head.y >> BATCH_LEVELS_SHIFT & BATCH_LEVELS_MASK; }
    // Past the last of a lane's entries that may depend on the same batch.
    __device__ __forceinline__ uint32_t next() const { return head.y >> BATCH_NEXT_SHIFT & BATCH_NEXT_MASK; }
    __device__ __forceinline__ bool has_external() const { return head.y & EXTERNAL_BIT; }
    __device__ __forceinline__ uint32_t count() const { return head.w; }
};

template <class T, int U, bool PERMUTED, int NR, int WARPS, bool FORWARDS>
struct Solver {
    const SolveArgs<T> &a;
    const Columns<T, NR> &all;  // the columns of the solve
    Tile<T, NR> &tile;
    Columns<T, NR> columns;     // those of the tile
    T *work, *other;
    T alpha;
    uint32_t lane, warp, window;  // the last one: its address
    // Whether rows may be longer than a lane's entries, and have several lanes.
    static constexpr bool LONG = U == Lane<T>::ENTRIES;
    static constexpr int NEXT = Lane<T>::NEXT, LATE = LONG ? U / 2 : U;
    // Whether unknowns of other tiles are read as soon as a batch begins: where there are registers for that.
    static constexpr bool EARLY = NR == 1 && WARPS <= TILED_FEW_WARPS;
    static constexpr uint32_t STRIDE = NR * sizeof(T);  // from an unknown to the next
    static constexpr bool IS_COMPLEX = sizeof(T) > sizeof(typename Real<T>::type);
    using B = Batch<T, NR, U>;

    // Codes of unknowns that are in the remote buffer become those of its cells; then the batch may depend on no other tile.
    __device__ __forceinline__ void relocate(B &b) const {
        uint32_t before = tile.forwarding.before, taken = tile.forwarding.taken, all = HIGH_BIT;
#pragma unroll
        for (int u = 0; u < U; ++u) {
            uint32_t slot = b.code[u] - before;
            if (slot < taken) b.code[u] = HIGH_BIT | (TILED_WINDOW + 1 + slot);
            all &= b.code[u];
        }
        if (__all_sync(FULL, all != 0)) b.head.y &= ~EXTERNAL_BIT;
    }

    __device__ __forceinline__ uint32_t row_of(const B &b) const { return lane >> b.shift(); }
    __device__ __forceinline__ bool leads(const B &b) const {
        return row_of(b) < b.rows() && (lane & ((1u << b.shift()) - 1)) == 0;
    }
    // Loads go without a branch, a lane without a row repeating another: so they all overlap.
    __device__ __forceinline__ void fetch_record(B &b) const {
        b.record = load_once(a.record + (b.head.x + min(row_of(b), max(b.rows(), 1) - 1)));
    }
    // Lanes that have a row: each has a code for every entry of the deepest lane.
    static __device__ __forceinline__ uint32_t used_lanes(const B &b) { return b.rows() << b.shift(); }
    __device__ __forceinline__ size_t first_code(const B &b, uint32_t from) const {
        return (size_t)b.head.z * CODE_UNIT + (size_t)from * used_lanes(b) + lane;
    }
    __device__ __forceinline__ void fetch_indices(B &b, uint32_t from) const {
        if (!PERMUTED) return;
        uint32_t used = used_lanes(b);
        const uint32_t *index = a.row_val + first_code(b, from);
#pragma unroll
        for (int u = 0; u < U; ++u) {
            if (u % 2 == 0 && from + u >= b.count()) break;
            if (lane < used && from + u < b.count()) b.index[u] = index[u * used];
        }
    }
    // Entries `from` and on of each lane; zero where there is none.
    __device__ __forceinline__ void fetch_entries(B &b, uint32_t from) const {
        uint32_t used = used_lanes(b), shift = b.shift(), sub = lane & ((1u << shift) - 1);
        bool has_row = lane < used;
        // Codes that the batch has, and entries of this lane, from number `from` on.
        uint32_t codes = has_row ? b.count() - from : 0;
        int32_t entries = has_row ? (int32_t)((b.record.z - sub + (1u << shift) - 1) >> shift) - (int32_t)from : 0;
        const uint32_t *code = a.row_adj + first_code(b, from);
        // Entry number 0 of the row is the last one in storage, or the first.
        int64_t number = sub + (from << shift);
        const T *value = a.val + b.record.w + (a.backward ? number : -number);
        int step = a.backward ? 1 << shift : -(1 << shift);
#pragma unroll
        for (int u = 0; u < U; ++u) {
            b.v[u] = zero(T{});
            b.code[u] = HIGH_BIT | TILED_WINDOW;
        }
#pragma unroll
        for (int u = 0; u < U; ++u) {
            if (u == LATE && from + LATE >= b.count()) break;
            if (PERMUTED) load_if(u < entries, a.val + b.index[u], b.v[u]);
            else load_line_if(u < entries, value, b.v[u]);
            if (u < codes) b.code[u] = load_once(code);
            value += step;
            code += used;
        }
    }
    __device__ __forceinline__ void fetch_right_hand_side(B &b) const {
        // A missing one is zero.
        if (a.diag_index) load_if(b.record.y != NONE, a.diag_values + b.record.y, b.d);
#pragma unroll
        for (int j = 0; j < NR; ++j) b.f[j] = columns.load(b.record.x, j);
    }

    // Unknowns of other tiles that a lane's entries from number FIRST to below M need, as far as they are known;
    // something that is there for its other entries.
    template <int FIRST, int M>
    __device__ __forceinline__ void read_external(const B &b, Words<T> (&x)[U][NR]) const {
#pragma unroll
        for (int u = FIRST; u < M; ++u) {
#pragma unroll
            for (int j = 0; j < NR; ++j)
                x[u][j] = NR == 1 || b.code[u] & HIGH_BIT ? Words<T>::of_zero() : Words<T>::sentinel();
            if (NR == 1) read_far<STRIDE>(work, b.code[u], x[u][0]);
            else poll(work + (size_t)b.code[u] * NR, x[u]);
        }
    }
    template <int FIRST, int M>
    static __device__ __forceinline__ bool lacks(const Words<T> (&x)[U][NR]) {
        uint32_t highest = 0;
#pragma unroll
        for (int u = FIRST; u < M; ++u)
#pragma unroll
            for (int j = 0; j < NR; ++j) highest = max(highest, x[u][j].flag());
        return highest == SENTINEL;
    }
    // Waits for those that were not there when they were read.
    template <int FIRST, int M>
    __device__ __forceinline__ void wait_far(const B &b, Words<T> (&x)[U][NR], bool &failed) const {
        if (__any_sync(FULL, lacks<FIRST, M>(x)))
            failed |= !spin(a, [&] {
#pragma unroll
                for (int u = FIRST; u < M; ++u) {
                    if (NR == 1) poll_far<STRIDE>(work, b.code[u], x[u][0]);
                    else poll(work + (size_t)b.code[u] * NR, x[u]);
                }
                return lacks<FIRST, M>(x);
            });
    }
    // Waits for all other unknowns that these entries need, and subtracts all from the sums, the last entry first: the
    // order in which a row is summed does not depend on the way that an unknown takes. For what is no entry zero times
    // zero is subtracted.
    template <int FIRST, int M>
    __device__ __forceinline__ void subtract(const B &b, Words<T> (&x)[U][NR], T (&sum)[NR], bool &failed) const {
        wait_near<FIRST, M>(b, x, failed, [&] { return lacks<FIRST, M>(x); });
#pragma unroll
        for (int u = M - 1; u >= FIRST; --u)
#pragma unroll
            for (int j = 0; j < NR; ++j)
                sum[j] = multiply_add(-conjugate_if(a.conjugate, b.v[u]), x[u][j].value(), sum[j]);
    }
    // Polls the unknowns of this tile that these entries need, and calls `is_lacking` each time, until it says that no lane
    // lacks any.
    template <int FIRST, int M, class IsLacking>
    __device__ __forceinline__ void wait_near(const B &b, Words<T> (&x)[U][NR], bool &failed, const IsLacking &is_lacking) const {
        uint32_t from[U];
#pragma unroll
        for (int u = FIRST; u < M; ++u) from[u] = window + (b.code[u] & CELL_MASK) * STRIDE;
        auto poll = [&](bool again) {
#pragma unroll
            for (int u = FIRST; u < M; ++u)
#pragma unroll
                for (int j = 0; j < NR; ++j) {
                    uint32_t address = from[u] + j * (uint32_t)sizeof(T);
                    // What is there stays the same until this batch is done, so a single word may be read again.
                    if (NR > 1 && again) poll_shared(address, x[u][j]);
                    else read_near(address, b.code[u], x[u][j]);
                }
            return is_lacking();
        };
        // What a failed wait has left is not in shared memory.
        if (__any_sync(FULL, poll(false)) && !failed) failed = !spin(a, [&] { return poll(true); });
    }

    static __device__ __forceinline__ bool is_next(uint32_t code) {
        return (code & (HIGH_BIT | NEXT_BIT)) == (HIGH_BIT | NEXT_BIT);
    }
    // What entry k is multiplied by, times the reciprocal of the diagonal.
    __device__ __forceinline__ T scaled(const B &b, int k, T scale) const {
        return product(-conjugate_if(a.conjugate, b.v[k]), scale);
    }
    // Whether a batch with up to K such entries a row has so many levels that scaling pays, and its factors may be scaled.
    template <int K>
    __device__ __forceinline__ bool is_chain(const B &b, T scale) const {
        constexpr uint32_t LEAST_LEVELS = 6;
        if (b.levels() < LEAST_LEVELS) return false;
        bool may = true;
#pragma unroll
        for (int k = 0; k < K; ++k) {
            T factor = scaled(b, k, scale);
            bool good = is_zero(b.v[k]) ? is_zero(factor) : is_moderate(factor);
            may = may && (good || !is_next(b.code[k]));
        }
        return __all_sync(FULL, may);
    }

    // Solves for x, where all but the first M entries of a lane are few enough for one go or none, and where at most K
    // of the M depend on the same batch. Others wait for the result, so everything is decided and computed before the
    // last wait that can be: a branch behind it takes a third of a step. Every lane computes in every step: from the
    // step of its level on the result is right, and stays the same. SCALED: the factors of what depends on the same
    // batch are multiplied by the reciprocal beforehand, which makes a step shorter.
    template <int M, int K, Lanes LANES, bool DIVIDES, bool SCALED = false>
    __device__ __forceinline__ void finish(B &b, Words<T> (&far)[U][NR], T (&sum)[NR], T scale, bool lead,
                                           uint32_t p, T (&x)[NR], bool &failed) const {
        constexpr int N = K ? K : 1;
        uint32_t from[N];
        bool next[N];
        T v[N];
#pragma unroll
        for (int k = 0; k < K; ++k) {
            next[k] = is_next(b.code[k]);
            from[k] = b.code[k] >> LANE_SHIFT & 31u;
            v[k] = SCALED ? scaled(b, k, scale) : -conjugate_if(a.conjugate, b.v[k]);
            // Each entry counts in one step. Otherwise a zero stands for the unknown, which an infinite value must not be
            // multiplied by.
            if (next[k]) b.v[k] = zero(T{});
            else if (K > 1) v[k] = zero(T{});
        }
        // Where the result goes: in this block, to the next one or nowhere, and to all.
        uint32_t cell = window + p % TILED_WINDOW * STRIDE;
        uint64_t remote_buffer = 0;
        if (FORWARDS) {
            uint32_t slot = p - tile.forwarding.first;
            remote_buffer = lead && slot < tile.forwarding.given ? tile.forwarding.target + slot * (uint64_t)sizeof(T) : 0;
        }
        T *word = work + (size_t)p * NR;
        bool wide = LATE < U && M == LATE && b.count() > LATE;
        if (b.has_external()) {
            if (!EARLY && wide) read_external<LATE, U>(b, far);
            if (!EARLY) read_external<0, M>(b, far);
            if (wide) wait_far<LATE, U>(b, far, failed);
            wait_far<0, M>(b, far, failed);
        }
        if (wide) subtract<LATE, U>(b, far, sum, failed);

        auto result = [&](T t) {
            if (LANES == TWO) t = t + shuffle_xor(t, 1);
            if (LANES == ANY) t = warp_sum_all(t, b.shift());
            if (DIVIDES && a.inverts) return divide(one(T{}), t);
            return DIVIDES ? divide(t, scale) : product(t, scale);
        };
        auto step = [&] {
#pragma unroll
            for (int j = 0; j < NR; ++j) {
                T t = sum[j], y[N];
#pragma unroll
                for (int k = 0; k < K; ++k) y[k] = shuffle(x[j], from[k]);
                if (SCALED && K == 1) {
                    multiply_add_if(next[0], v[0], y[0], sum[j], x[j]);
                } else if (K == 1 && LANES == ONE && !DIVIDES) {
                    product_if(next[0], multiply_add(v[0], y[0], t), scale, x[j]);
                } else {
#pragma unroll
                    for (int k = K - 1; k >= 0; --k) t = multiply_add(v[k], next[k] ? y[k] : zero(T{}), t);
                    x[j] = SCALED ? t : result(t);
                }
            }
        };
        auto last_wait = [&](auto steps) {
            if constexpr (NR == 1 && LANES == ONE && !DIVIDES) {
                // Every poll works the result out from what there is. Where no row depends on another of the batch each
                // is published as soon as it can be.
                T t;
                wait_near<0, M>(b, far, failed, [&] {
                    t = sum[0];
#pragma unroll
                    for (int u = M - 1; u >= 0; --u)
                        t = multiply_add(-conjugate_if(a.conjugate, b.v[u]), far[u][0].value(), t);
                    x[0] = product(t, scale);
                    if (!SCALED) compute(x[0]);
                    bool lacking = lacks<0, M>(far);
                    if (K == 0) {
                        bool now = lead && !lacking;
                        publish_shared_if(now, cell, x[0]);
                        if (FORWARDS) publish_cluster_if(now && remote_buffer != 0, remote_buffer, x[0]);
                        publish_reduced_if(now, word, x[0]);
                        lead = lead && lacking;
                    }
                    return lacking;
                });
                sum[0] = t;
            } else {
                subtract<0, M>(b, far, sum, failed);
#pragma unroll
                for (int j = 0; j < NR; ++j) x[j] = result(sum[j]);
            }
            if (SCALED)
#pragma unroll
                for (int j = 0; j < NR; ++j) sum[j] = x[j];
            int left = b.levels() - 1 - steps.first;
#pragma unroll
            for (int k = 0; k < steps.first; ++k) step();
            if (steps.at_once > 0)
#pragma unroll 1
                for (; left > 0; left -= steps.at_once)
#pragma unroll
                    for (int k = 0; k < steps.at_once; ++k) step();
#pragma unroll
            for (int j = 0; j < NR; ++j) publish_shared_if(lead, cell + j * (uint32_t)sizeof(T), x[j]);
            if (FORWARDS) publish_cluster_if(lead && remote_buffer != 0, remote_buffer, x[0]);
            if (lead) publish_reduced(word, x);
        };
        uint32_t steps = b.levels() - 1;
        if constexpr (K == 0) {
            last_wait(Steps<0, 0>{});
        } else if constexpr (DIVIDES || IS_COMPLEX || LANES == ANY) {
            // Where a step takes longer, and so much code takes minutes to compile. A step too many changes nothing.
            last_wait(Steps<0, 2>{});
        } else if constexpr (NR > 1) {
            // Fours, and two where that is enough.
            if ((steps - 1) % 4 < 2) last_wait(Steps<2, 4>{});
            else last_wait(Steps<0, 4>{});
        } else {
            if constexpr (K > 1 && LANES == ONE) {
                if (steps == 3) return last_wait(Steps<3, 0>{});
                if (steps == 2) return last_wait(Steps<2, 0>{});
                if (steps == 1) return last_wait(Steps<1, 0>{});
            }
            if (steps % 4 == 3) last_wait(Steps<3, 4>{});
            else if (steps % 4 == 2) last_wait(Steps<2, 4>{});
            else if (steps % 4 == 1) last_wait(Steps<1, 4>{});
            else last_wait(Steps<0, 4>{});
        }
    }

    // Waits until the batches of all rounds but the last TILED_ROUNDS up to `round` are done.
    __device__ __forceinline__ bool wait_round(uint32_t round) const {
        Watchdog<T> dog(a);
        // Ends when the slowest warp has come far enough, or by the watchdog.
        while (!__all_sync(FULL, load_acquire_shared(&tile.done[lane]) + TILED_ROUNDS > round))
            if (!dog.keep_waiting_together()) return false;
        // What one lane has seen done, the others may read.
        __syncwarp();
        return true;
    }

    // Solves a batch of round `round`. Returns false if the watchdog ended a wait.
    __device__ __forceinline__ bool solve(B &b, uint32_t round) const {
        uint32_t p = b.head.x + row_of(b), row = b.record.x, count = b.count();
        bool lead = leads(b), multiplies = true;
        T scale = one(T{}), sum[NR], x[NR];
        Words<T> far[U][NR] = {};
        if (EARLY && b.has_external() && count <= U) {
            if (count > LATE) read_external<LATE, U>(b, far);
            read_external<0, LATE>(b, far);
        }
        if (a.diag_index) {
            T d = b.d;
            if (a.extra_count) d = extra_diagonal(a, p, d);
            d = conjugate_if(a.conjugate, d);
            if (lead && is_zero(d)) note_zero_pivot(a.state, tile.ticket, row);
            multiplies = reciprocal(d, scale);
            b.d = d;
        }
        bool divides = __any_sync(FULL, !multiplies);
        if (divides) scale = b.d;
        // What publishes reciprocals of what is left of right-hand sides has a diagonal of ones.
        divides = divides || a.inverts;
#pragma unroll
        for (int j = 0; j < NR; ++j) sum[j] = lead ? product(alpha, b.f[j]) : zero(T{});
        if (!wait_round(round)) return false;

        bool failed = false;
        // Long rows in several goes, the older entries first. The first go's entries are there already.
        if (LONG && count > U) {
            B c = b;
            for (uint32_t from = (count - 1) / U * U; from > 0; from -= U) {
                fetch_indices(c, from);
                fetch_entries(c, from);
                c.head.y |= EXTERNAL_BIT;
                if (FORWARDS) relocate(c);
                read_external<0, U>(c, far);
                wait_far<0, U>(c, far, failed);
                subtract<0, U>(c, far, sum, failed);
            }
            if (EARLY && b.has_external()) read_external<0, U>(b, far);
        }
        if (divides) finish<LATE, NEXT, LONG ? ANY : ONE, true>(b, far, sum, scale, lead, p, x, failed);
        else if (LONG && b.shift() > 1) {
            if (b.next() == 0) finish<LATE, 0, ANY, false>(b, far, sum, scale, lead, p, x, failed);
            else finish<LATE, NEXT, ANY, false>(b, far, sum, scale, lead, p, x, failed);
        } else if (LONG && b.shift() > 0) {
            if (b.next() == 0) finish<LATE, 0, TWO, false>(b, far, sum, scale, lead, p, x, failed);
            else if (b.next() <= 2) finish<LATE, 2, TWO, false>(b, far, sum, scale, lead, p, x, failed);
            else finish<LATE, NEXT, TWO, false>(b, far, sum, scale, lead, p, x, failed);
        } else if (count <= 2) {
            if (b.next() == 0) finish<2, 0, ONE, false>(b, far, sum, scale, lead, p, x, failed);
            else if (b.next() == 1 && is_chain<1>(b, scale))
                finish<2, 1, ONE, false, true>(b, far, sum, scale, lead, p, x, failed);
            else if (b.next() == 1) finish<2, 1, ONE, false>(b, far, sum, scale, lead, p, x, failed);
            else if (is_chain<2>(b, scale)) finish<2, 2, ONE, false, true>(b, far, sum, scale, lead, p, x, failed);
            else finish<2, 2, ONE, false>(b, far, sum, scale, lead, p, x, failed);
        } else {
            if (b.next() == 0) finish<LATE, 0, ONE, false>(b, far, sum, scale, lead, p, x, failed);
            else if (b.next() <= 2) finish<LATE, 2, ONE, false>(b, far, sum, scale, lead, p, x, failed);
            else finish<LATE, NEXT, ONE, false>(b, far, sum, scale, lead, p, x, failed);
        }
        if (failed) return false;

        if (lead) {
#pragma unroll
            for (int j = 0; j < NR; ++j) columns.store(row, j, x[j]);
#pragma unroll
            for (int j = 0; j < NR; ++j) reset_shared(&tile.window[(p + TILED_SPREAD) % TILED_WINDOW][j]);
            if (NR == 1) reset(&other[p]);
        }
        __syncwarp();
        return true;
    }

    // Every WARPS-th batch of those in `batch[0..batches]`. Returns how many of all were done when the
    // watchdog ended a wait, or `batches`.
    __device__ __forceinline__ uint32_t run(const uint4 *batch, uint32_t batches) const {
        constexpr uint32_t W = WARPS;
        batches = uniform(batches);
        uint4 *head = tile.head[warp];
        auto load = [&](uint32_t round) {
            uint32_t s = warp + round * W;
            if (lane == 0) copy_ahead(s < batches, head + round % 4, batch + min(s, batches - 1));
        };
        auto loaded = [&] {
            copied();
            __syncwarp();
        };
        copied();  // what the tile before has asked for in vain
        for (uint32_t r = 0; r < 3; ++r) load(r);
        loaded();
        B b0, b1, b2;
        b0.head = head[0];
        b1.head = head[1];
        fetch_record(b0);
        fetch_record(b1);
        fetch_indices(b0, 0);
        fetch_indices(b1, 0);
        fetch_entries(b0, 0);
        fetch_right_hand_side(b0);
        uint32_t round = 0;
        for (uint32_t s = warp; s < batches; s += W, ++round) {
            loaded();
            load(round + 3);
            b0.head = head[round % 4];
            b0.head.y = uniform(b0.head.y);
            b0.head.w = uniform(b0.head.w);
            b1.head = head[(round + 1) % 4];
            b2.head = head[(round + 2) % 4];
            if (FORWARDS && b0.has_external()) relocate(b0);
            fetch_entries(b1, 0);
            fetch_right_hand_side(b1);
            if (NR == 1) expect_if(leads(b1), work + (b1.head.x + row_of(b1)));
            fetch_record(b2);
            fetch_indices(b2, 0);
            if (!solve(b0, round)) return s;
            if (lane == 0) {
                store_release_shared(&tile.done[warp], round + 1);
                if (s % 1024 == 0) atomicAdd(&a.state->progress, 1u);
            }
            b0 = b1;
            b1 = b2;
        }
        // Nobody waits for a warp that has no more batches.
        if (lane == 0) store_release_shared(&tile.done[warp], NONE - TILED_ROUNDS);
        return batches;
    }

    // Marks the unknowns of this warp's batches from number `s` on as invalid.
    __device__ __forceinline__ void invalidate(const uint4 *batch, uint32_t s, uint32_t batches) const {
        for (; s < batches; s += WARPS) {
            uint4 b = batch[s];
            if (lane >= (b.y & BATCH_ROWS_MASK)) continue;
            for (int j = 0; j < NR; ++j) columns.store(a.record[b.x + lane].x, j, not_a_number(T{}));
            // The next solve may be on its way already.
            if (NR == 1) reset(&other[b.x + lane]);
        }
        // The other warps do not go on without this one: they would find old unknowns where these batches have reset nothing.
    }

    // Thread 0 of the first block of a cluster takes a ticket for each of its blocks.
    __device__ __forceinline__ void share_tickets() const {
        uint32_t size = blocks_of_cluster(), first = atomicAdd(&a.state->queue[0].next, size);
        for (uint32_t r = 0; r < size; ++r) store_cluster(of_block(&tile.ticket, r), first + r);
    }
    // The whole block takes the next tile, which may be an empty one in the last cluster; false when there is none.
    __device__ __forceinline__ bool next_tile(const uint4 *batch, uint32_t &begin, uint32_t &end) {
        uint32_t rank = FORWARDS ? rank_in_cluster() : 0;
        auto barrier = [] {
            if (FORWARDS) cluster_barrier();
            else __syncthreads();
        };
        barrier();
        if (threadIdx.x < WARP) tile.done[threadIdx.x] = threadIdx.x < WARPS ? 0 : NONE - TILED_ROUNDS;
        if (threadIdx.x < NR) tile.window[TILED_WINDOW][threadIdx.x] = zero(T{});
        if (FORWARDS) {
            if (rank == 0 && threadIdx.x == 0) share_tickets();
            uint32_t cells = (dynamic_shared_bytes() - (uint32_t)sizeof tile) / (uint32_t)sizeof(T);
            for (uint32_t k = threadIdx.x; k < cells; k += WARPS * WARP) reset_shared(&tile.window[TILED_WINDOW + 1][0] + k);
        } else if (threadIdx.x == 0) {
            tile.ticket = atomicAdd(&a.state->queue[0].next, 1u);
        }
        barrier();
        uint32_t t = tile.ticket & ~BOTH, groups = all.groups();
        if (t - rank >= a.tiles * groups) return false;
        work = NR == 1 ? work_of(a, tile.ticket) : a.work;
        if (NR > 1) {
            // The groups of columns take a tile one after the other, each with a work vector of its own.
            uint32_t group = t % groups;
            t /= groups;
            columns = all.of_group(group);
            work += (size_t)group * NR * a.words;
        }
        other = work_of(a, ~tile.ticket);
        settle(work);
        if (FORWARDS && t >= a.tiles) {
            begin = end = a.tile_step[a.tiles];
            return true;
        }
        if (FORWARDS && threadIdx.x == 0) {
            uint32_t first = batch[a.tile_step[t]].x, before = rank > 0 ? batch[a.tile_step[t - 1]].x : first;
            bool publishes = rank + 1 < blocks_of_cluster() && t + 1 < a.tiles;
            tile.forwarding = {publishes ? batch[a.tile_step[t + 1]].x - first : 0, first - before, first, before,
                               of_block(&tile.window[TILED_WINDOW + 1], publishes ? rank + 1 : rank)};
        }
        begin = a.tile_step[t];
        end = a.tile_step[t + 1];
        // What the tile's own batches do not reset in time.
        uint32_t first = batch[begin].x;
        for (uint32_t k = threadIdx.x; k < TILED_SPREAD; k += WARPS * WARP)
            for (int j = 0; j < NR; ++j) reset_shared(&tile.window[(first + k) % TILED_WINDOW][j]);
        __syncthreads();
        return true;
    }
};

// Solves for the columns, NR at a time, with U entries a lane. A single column takes the work vector of its parity, and resets the other
// one on the way.
template <int U, bool PERMUTED, int NR, int WARPS, bool FORWARDS = false, class T>
__device__ __forceinline__ void tiled(const SolveArgs<T> &a, const Columns<T, NR> &columns) {
    extern __shared__ __align__(16) unsigned char memory[];
    Tile<T, NR> &tile = *reinterpret_cast<Tile<T, NR> *>(memory);
    uint32_t window = shared_address(&tile.window[0][0]);
    settle(window);
    uint32_t lane = threadIdx.x % WARP, warp = uniform(threadIdx.x / WARP);
    Solver<T, U, PERMUTED, NR, WARPS, FORWARDS> solver{a, columns, tile, columns, nullptr, nullptr, alpha_of(a), lane, warp, window};
    auto batch = reinterpret_cast<const uint4 *>(a.work_item);
    uint32_t begin, end;
    while (solver.next_tile(batch, begin, end)) {
        uint32_t batches = end - begin, done = solver.run(batch + begin, batches);
        if (done < batches) solver.invalidate(batch + begin, done, batches);
    }
    // Each block or cluster has taken as many tickets in vain as it has blocks.
    uint32_t size = FORWARDS ? blocks_of_cluster() : 1, last = (a.tiles * columns.groups() + size - 1) / size * size + gridDim.x - size;
    if (threadIdx.x == 0 && (tile.ticket & ~BOTH) == last) leave_queue(a.state, 0, tile.ticket, PASSED_ON<NR>);
}
