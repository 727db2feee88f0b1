// Setup: levels.
//
// Sweep: each unknown waits for the levels of what it depends on, in one word that is level and flag together; no
// launch and no barrier per level. A block takes the next SWEEP_BLOCK positions by ticket, a warp a group of 32, a lane
// an unknown. The words of the block's positions are in shared memory too, and polled there. What the unknowns of a
// group depend on inside of it is known from the pattern alone, so the way through the group is worked out before
// anything arrives from outside; then it takes a few shuffles. Every lane is done as soon as it can be: a group may
// hold the end of a grid line, which is known late, and the beginning of the next, which is known early.
//
// Progress: tickets are taken in order and every dependency has an earlier position, so the first unfinished position
// of all is in the hands of a warp, and lacks nothing.
//
// A long row is all lanes' of its warp, which look at so many of its entries at once, unless most of its group are long: then each
// lane has its own. What they do not find is the row's own lane's to wait for, as in a short row, so that nobody waits for one row
// before another. Very long rows are taken one after the other, and the block's warps that are done take pieces of them.
//
// A warp that waits must not take the issue slots of one that has work: it polls the less often, the farther
// the groups that are known are from the one that it waits for.
//
// Kahn: the paper's algorithm, one launch a level.
//
// Transposed: the levels of the pattern, from the last to the first, are levels of the transposed one.
#pragma once
#include "setup_chains.cuh"

constexpr uint32_t SWEEP_LONGEST = 256;   // entries; a longer row may be all lanes' of its warp
// Where lanes by themselves take so many times the steps: they wait for their rows beside each other.
constexpr uint32_t SWEEP_TOGETHER = 4;
constexpr uint32_t SWEEP_SHARED = 4096;   // entries; a longer row is walked by all warps of the block that have nothing else to do
constexpr int SWEEP_CHUNK = 4;            // entries that a lane holds

// Loads where `yes`, without a branch, so that the loads of a lane overlap.
__device__ __forceinline__ void load_far_if(bool yes, const uint32_t *p, uint32_t &v) {
    asm volatile(
        "{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %1, 0;\n\t@yes " LOAD_RELAXED ".u32 %0, [%2];\n\t}"
        : "+r"(v)
        : "r"((uint32_t)yes), "l"(p)
        : "memory");
}
__device__ __forceinline__ void load_near_if(bool yes, const uint32_t *p, uint32_t &v) {
    asm volatile(
        "{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %1, 0;\n\t@yes " LOAD_SHARED(VOLATILE, "32", "%0", "%2") "\n\t}"
        : "+r"(v)
        : "r"((uint32_t)yes), "r"(shared_address(p))
        : "memory");
}

// The words that a block sees: those of its own positions in shared memory, those of earlier ones in global memory.
struct SweepWords {
    uint32_t *shared, *global;
    uint32_t begin;  // the tile's first position

    // Leaves `w` as it is unless `yes`.
    __device__ __forceinline__ void read_if(bool yes, uint32_t t, uint32_t &w) const {
        bool near = t >= begin;
        load_near_if(yes && near, shared + (near ? t - begin : 0), w);
        load_far_if(yes && !near, global + t, w);
    }
    __device__ __forceinline__ void write(uint32_t t, uint32_t w) const {
        store_volatile(shared + (t - begin), w);
        store_relaxed(global + t, w);
    }
};

// The highest word of what the row of a position depends on by entries `k` to `end`, by a warp. False where the watchdog ended it.
template <class I>
__device__ __forceinline__ bool sweep_entries(const SetupArgs &a, const SweepWords &words, const I *ind, uint32_t base, uint32_t row,
                                              uint32_t k, uint32_t end, uint32_t &top, SetupWatchdog &dog) {
    uint32_t lane = threadIdx.x % 32;
    top = 0;
    for (k += lane; __any_sync(FULL, k < end); k += 32 * SWEEP_CHUNK) {
        uint32_t q[SWEEP_CHUNK], missing = 0;
#pragma unroll
        for (int u = 0; u < SWEEP_CHUNK; ++u) {
            q[u] = k + 32 * u < end ? natural_position(a, (uint32_t)ind[k + 32 * u] - base) : row;
            if (q[u] < row) missing |= 1u << u;
        }
        // Ends: these positions are earlier, and either done or in the hands of another warp. Or by the watchdog.
        for (;;) {
#pragma unroll
            for (int u = 0; u < SWEEP_CHUNK; ++u) {
                uint32_t w = 0;
                words.read_if(missing >> u & 1u, q[u], w);
                if (w) {
                    top = Max()(top, w);
                    missing &= ~(1u << u);
                }
            }
            if (!__any_sync(FULL, missing)) break;
            if (!__all_sync(FULL, dog.keep_waiting())) return false;
            rest(SHORT_REST);
        }
    }
    top = Lanes(32).reduce(top, Max());
    return true;
}

// Very long rows of a block, cut into pieces that its warps take by ticket. Whose row it is takes pieces too, and so waits for
// nobody who waits for it: a piece in the hands of another warp wants earlier positions only.
struct SharedRows {
    uint32_t rows;
    struct Row {
        uint32_t position, begin, end;
        uint32_t tickets, done;  // pieces
        uint32_t top;
    } row[SWEEP_BLOCK];

    static __device__ __forceinline__ uint32_t pieces(const Row &r) { return divide_up(r.end - r.begin, SWEEP_SHARED); }

    // Puts those rows of the block there that are very long, by rising positions, as nobody is to wait with a piece of a later one
    // while there are some of earlier ones. Each lane's row's number, or NONE. By all threads of the block, which meet.
    __device__ __forceinline__ uint32_t fill(uint32_t position, uint32_t begin, uint32_t length) {
        __shared__ uint32_t of_warp[SWEEP_BLOCK / 32];
        uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, mine = __ballot_sync(FULL, length > SWEEP_SHARED);
        of_warp[warp] = __popc(mine);
        if (!__syncthreads_or(mine != 0)) return NONE;
        uint32_t is_mine = mine >> lane & 1u;
        uint32_t before = Lanes(32).reduce(lane < warp ? of_warp[lane] : 0, Sum()) + __popc(mine & ((1u << lane) - 1));
        if (is_mine) row[before] = {position, begin, begin + length, 0, 0, 0};
        if (threadIdx.x == SWEEP_BLOCK - 1) rows = before + is_mine;
        __syncthreads();
        return is_mine ? before : NONE;
    }
    // Takes pieces of a row until there are none left. False where the watchdog ended it.
    template <class I>
    __device__ __forceinline__ bool help(uint32_t k, const SetupArgs &a, const SweepWords &words, const I *ind, uint32_t base,
                                         SetupWatchdog &dog) {
        Row &r = row[k];
        for (;;) {
            uint32_t piece = threadIdx.x % 32 == 0 ? atomicAdd(&r.tickets, 1u) : 0, top;
            piece = __shfl_sync(FULL, piece, 0);
            if (piece >= pieces(r)) return true;
            uint32_t begin = r.begin + piece * SWEEP_SHARED, end = Min()(r.end - begin, SWEEP_SHARED) + begin;
            if (!sweep_entries(a, words, ind, base, r.position, begin, end, top, dog)) return false;
            if (threadIdx.x % 32 == 0) {
                atomicMax(&r.top, top);
                add_release_shared(&r.done, 1u);
            }
        }
    }
    // The same, and waits for the pieces that others have.
    template <class I>
    __device__ __forceinline__ bool finish(uint32_t k, const SetupArgs &a, const SweepWords &words, const I *ind, uint32_t base,
                                           uint32_t &top, SetupWatchdog &dog) {
        if (!help(k, a, words, ind, base, dog)) return false;
        while (__any_sync(FULL, load_acquire_shared(&row[k].done) < pieces(row[k]))) {
            if (!__all_sync(FULL, dog.keep_waiting())) return false;
            rest(SHORT_REST);
        }
        top = load_volatile(&row[k].top);
        return true;
    }
    // Helps with all of them, in any order.
    template <class I>
    __device__ __forceinline__ void help_all(const SetupArgs &a, const SweepWords &words, const I *ind, uint32_t base, SetupWatchdog &dog) {
        for (uint32_t k = 0; k < rows; ++k)
            if (!help(k, a, words, ind, base, dog)) return;
    }
};

// The rows of a warp one after the other, all lanes on each. `shared` is each lane's row's number among those that are shared, or
// NONE. False where the watchdog ended it.
template <class I>
__device__ bool sweep_long(const SetupArgs &a, const SweepWords &words, const I *ind, uint32_t base, uint32_t t, uint32_t begin,
                           uint32_t length, SharedRows &rows, uint32_t shared, SetupWatchdog &dog) {
    uint32_t lane = threadIdx.x % 32;
    for (uint32_t m = 0; m < 32 && t - lane + m < a.n; ++m) {
        uint32_t row = t - lane + m, top;
        uint32_t e = __shfl_sync(FULL, begin, m), left = __shfl_sync(FULL, length, m), its = __shfl_sync(FULL, shared, m);
        bool ok = its == NONE ? sweep_entries(a, words, ind, base, row, e, e + left, top, dog)
                              : rows.finish(its, a, words, ind, base, top, dog);
        if (!ok) return false;
        if (lane == 0) words.write(row, top + 1);
        __syncwarp();
    }
    return true;
}

// 32 rows, one for each lane; with `LONG` entries of long ones are looked at by all lanes together. False where the watchdog ended
// it. The warp stays together: every branch is short, or one that all lanes take, and by a vote, so that the compiler knows it.
template <bool LONG, class I>
__device__ bool sweep_lanes(const SetupArgs &a, const SweepWords &words, const I *ind, uint32_t base, uint32_t t,
                            uint32_t e, uint32_t length, SetupWatchdog &dog) {
    constexpr int U = SWEEP_CHUNK;
    uint32_t lane = threadIdx.x % 32, group = t - lane;
    bool is_long = LONG && length > SWEEP_LONGEST;
    uint32_t by_lane = is_long ? 0 : length;  // entries that the lane takes by itself
    uint32_t q[U];         // the positions that are held
    uint32_t missing = 0;  // which of those are not known yet
    uint32_t seen = 0;     // entries that have been held
    uint32_t inside = 0;   // lanes of the group that the row depends on
    uint32_t top = 0;      // largest word known from outside of the group

    auto poll_entries = [&] {
        uint32_t w[U];
#pragma unroll
        for (int u = 0; u < U; ++u) {
            w[u] = 0;
            words.read_if(missing >> u & 1u, q[u], w[u]);
        }
#pragma unroll
        for (int u = 0; u < U; ++u) {
            top = Max()(top, w[u]);
            missing &= ~((uint32_t)(w[u] != 0) << u);
        }
    };
    // Entries from number k on, the farthest away first where they are sorted: those nearby are known last. They are
    // taken where none is held, and all before them have been.
    auto take = [&](uint32_t k) {
        uint32_t r[U], outside = 0;
#pragma unroll
        for (int u = 0; u < U; ++u)
            r[u] = k + u < by_lane ? (uint32_t)ind[a.forward ? e + k + u : e + length - 1 - k - u] : 0;
        bool empty = missing == 0 && seen == k && k < by_lane;
#pragma unroll
        for (int u = 0; u < U; ++u) {
            r[u] = natural_position(a, r[u] - base);
            bool earlier = k + u < by_lane && r[u] < t;
            uint32_t bit = 1u << (r[u] - group & 31u);
            inside |= earlier && r[u] >= group ? bit : 0;
            outside |= (uint32_t)(earlier && r[u] < group) << u;
            q[u] = empty ? r[u] : q[u];
        }
        if (empty) {
            missing = outside;
            seen = k + U;
        }
        poll_entries();
    };
    // Lane `m`'s next entries by all lanes, up to as many that are not known as a lane holds. Of a long row those of its own group
    // are waited for as all others are, so that not all of it need be looked at before.
    auto take_together = [&](uint32_t m) {
        uint32_t from = __shfl_sync(FULL, seen, m), first = __shfl_sync(FULL, e, m), its_length = __shfl_sync(FULL, length, m);
        uint32_t r[U], w[U], most = 0, next = from + 32 * U, held = 0;
#pragma unroll
        for (int u = 0; u < U; ++u) {
            uint32_t k = from + 32 * u + lane;
            r[u] = k < its_length ? natural_position(a, (uint32_t)ind[a.forward ? first + k : first + its_length - 1 - k] - base) : NONE;
        }
#pragma unroll
        for (int u = 0; u < U; ++u) {
            w[u] = 0;
            words.read_if(r[u] < group + m, r[u], w[u]);
        }
#pragma unroll
        for (int u = 0; u < U; ++u) most = Max()(most, w[u]);
        most = Lanes(32).reduce(most, Max());
#pragma unroll
        for (int u = 0; u < U; ++u)
            for (uint32_t unknown = __ballot_sync(FULL, r[u] < group + m && w[u] == 0); unknown && held < U; unknown &= unknown - 1) {
                uint32_t k = __ffs(unknown) - 1, position = __shfl_sync(FULL, r[u], k);
#pragma unroll
                for (int v = 0; v < U; ++v) q[v] = lane == m && v == held ? position : q[v];
                if (++held == U) next = from + 32 * u + k + 1;
            }
        if (lane == m) {
            top = Max()(top, most);
            missing = (1u << held) - 1;
            seen = next;
        }
    };
#pragma unroll
    for (int u = 0; u < U; ++u) q[u] = 0;
    for (uint32_t k = 0; __any_sync(FULL, k < by_lane); k += U) take(k);

    // The way through the group: each lane's link is the last one that it depends on. Links make chains, and
    // hop[s] leads 2^s links on, or to the chain's end: lane | links << 5. `need` is the lanes of the chain.
    uint32_t hop[5], need = 1u << lane;
    uint32_t jump = inside ? (31 - __clz(inside)) | 1u << 5 : lane;
    bool linked = __any_sync(FULL, inside);
#pragma unroll
    for (uint32_t s = 0; s < 5; ++s) {
        hop[s] = jump;
        uint32_t its_jump = __shfl_sync(FULL, jump, jump), its_need = __shfl_sync(FULL, need, jump);
        need |= its_need;
        jump = (jump & ~31u) + its_jump;
    }
    // Where all else that a row depends on lies farther back in its chain, the chain alone decides.
    bool chains = __all_sync(FULL, (inside & ~need) == 0);
    uint32_t depended_on = 0;
    if (!chains) {
        depended_on = Lanes(32).reduce(inside, Or());
        need = 1u << lane;
        for (uint32_t m = depended_on; __any_sync(FULL, m); m &= m - 1) {
            uint32_t k = __ffs(m) - 1, its_need = __shfl_sync(FULL, need, k);
            need |= inside >> k & 1u ? its_need : 0;
        }
    }

    bool done = t >= a.n;
    // Ends when each row is done (see above for why that happens), or by the watchdog.
    for (;;) {
        while (__any_sync(FULL, missing == 0 && seen < by_lane)) take(seen);
        uint32_t more = LONG ? __ballot_sync(FULL, is_long && missing == 0 && seen < length) : 0;
        if (more) take_together(__ffs(more) - 1);
        uint32_t ready = __ballot_sync(FULL, missing == 0 && (!LONG || seen >= length));
        bool can = !done && (need & ~ready) == 0;
        if (__any_sync(FULL, can)) {
            uint32_t w = top + 1;
            if (!chains) {
                for (uint32_t m = depended_on; __any_sync(FULL, m); m &= m - 1) {
                    uint32_t k = __ffs(m) - 1, its = __shfl_sync(FULL, w, k);
                    w = Max()(w, inside >> k & 1u ? its + 1 : 0);
                }
            } else if (linked) {
#pragma unroll
                for (uint32_t s = 0; s < 5; ++s) w = Max()(w, __shfl_sync(FULL, w, hop[s]) + (hop[s] >> 5));
            }
            if (can) words.write(t, w);
            done = done || can;
            if (__all_sync(FULL, done)) return true;
        }
        if (more) continue;
        // Until something is known that a lane waits for. It needs all that it holds, so it polls one.
        bool waits = missing != 0;
        uint32_t at = missing & 1u ? q[0] : missing & 2u ? q[1] : missing & 4u ? q[2] : q[3];
        if (!waits) at = words.begin;
        bool near = at >= words.begin;
        const uint32_t *spot = words.shared + (waits && near ? at - words.begin : SWEEP_BLOCK);
        // How far is what is known from what is waited for, by the first and by the last lane that waits?
        uint32_t who = __ballot_sync(FULL, waits), ahead = 32u << (lane & 3u);
        uint32_t probe = __shfl_sync(FULL, at, lane < 4 ? __ffs(who) - 1 : 31 - __clz(who));
        bool probes = lane < 8 && probe >= ahead;
        probe = probes ? probe - ahead : words.begin;
        uint32_t w;
        for (;;) {
            bool known_now = false;
#pragma unroll
            for (int tries = 0; tries < 8; ++tries) {
                w = load_volatile(spot);
                load_far_if(!near, words.global + at, w);
                known_now = __any_sync(FULL, w);
                if (known_now) break;
            }
            if (known_now) break;
            if (!__all_sync(FULL, dog.keep_waiting())) return false;
            uint32_t known = 0;
            words.read_if(probes, probe, known);
            known = __ballot_sync(FULL, known || (lane < 8 && !probes));
            if (known & 0x11u) continue;
            rest(known & 0x22u ? 20 : known & 0x44u ? 60 : known & 0x88u ? 120 : 250);
        }
        top = Max()(top, w);
        missing &= w ? missing - 1 : missing;
        if (__any_sync(FULL, w && missing)) poll_entries();
    }
}

template <class Rows>
__device__ void sweep(const SetupArgs &a, const Rows &rows) {
    __shared__ uint32_t shared[SWEEP_BLOCK + 1], ticket;  // one word more, of which nobody ever knows
    __shared__ SharedRows shared_rows;
    // No sweep where levels are known.
    bool by_grid = levels_by_grid(a);
    if (__all_sync(FULL, by_grid || levels_by_chains(a))) {
        uint32_t t = thread_index();
        if (t < a.n) a.word[t] = by_grid ? Grid(a).level(t) + 1 : number_in_chain(a, t);
        return;
    }
    if (threadIdx.x == 0) {
        ticket = atomicAdd(&a.state->ticket, 1u);
        shared[SWEEP_BLOCK] = 0;
        shared_rows.rows = 0;
    }
    shared[threadIdx.x] = 0;
    __syncthreads();
    SweepWords words{shared, a.word, ticket * SWEEP_BLOCK};
    uint32_t t = words.begin + threadIdx.x;
    uint2 span = t < a.n ? rows.span(natural_position(a, t)) : make_uint2(0, 0);
    SetupWatchdog dog(a);
    auto ind = rows.entries();
    // Lanes by themselves take as many steps as the longest row wants, and together as many as all long ones.
    bool is_long = false, has_rows = __any_sync(FULL, t < a.n);
    if (__any_sync(FULL, span.y > SWEEP_LONGEST)) {
        uint32_t by_lanes = Lanes(32).reduce(divide_up(span.y, SWEEP_CHUNK), Max());
        uint32_t together = Lanes(32).reduce(span.y > SWEEP_LONGEST ? divide_up(span.y, 32 * SWEEP_CHUNK) : 0, Sum());
        is_long = __any_sync(FULL, by_lanes > SWEEP_TOGETHER * together);
    }
    uint32_t shared_row = shared_rows.fill(t, span.x, span.y);
    if (__any_sync(FULL, shared_row != NONE))
        sweep_long(a, words, ind, rows.base(), t, span.x, span.y, shared_rows, shared_row, dog);
    else if (is_long) sweep_lanes<true>(a, words, ind, rows.base(), t, span.x, span.y, dog);
    else if (has_rows) sweep_lanes<false>(a, words, ind, rows.base(), t, span.x, span.y, dog);
    shared_rows.help_all(a, words, ind, rows.base(), dog);
    // What the watchdogs of those who wait poll.
    if (threadIdx.x == 0) atomicAdd(&a.state->progress, 1u);
}

#define SWEEP(name, ROWS) \
    SETUP_KERNEL_WITH_WAITS(setup_sweep_##name, SWEEP_BLOCK) { sweep(a, ROWS{a}); }
FOR_EACH_ROWS(SWEEP)

// From the words of the transposed operation, whose positions run the other way. `levels` is known already.
SETUP_KERNEL(setup_transposed_levels, 256) {
    uint32_t t = thread_index();
    if (t >= a.n) return;
    a.word[t] = a.summary->levels + 1 - ((const uint32_t *)a.value_in)[a.n - 1 - t];
}

// Entries of a row of op(A). `count_ptr` where these rows are not stored.
__device__ __forceinline__ uint32_t entries_of(const SetupArgs &a, uint32_t i) {
    return a.count_ptr ? a.count_ptr[i + 1] - a.count_ptr[i] : a.major[i].z;
}
// Rows with more entries are long.
__device__ __forceinline__ uint32_t longest_usual(const SetupArgs &a) {
    return Max()(LONG_ROW, LONG_ROW_TIMES * Min()(a.summary->entries / a.n, NONE / LONG_ROW_TIMES));
}

// Keys for the sort by level, the levels of every span of positions, and how rows vary.
SETUP_KERNEL(setup_levels, 256) {
    uint64_t squares[1] = {0};
    uint32_t longest = longest_usual(a);
    auto note = [&](uint32_t t, uint32_t level) {
        uint32_t i = natural_position(a, t), entries = entries_of(a, i);
        a.key_out[i] = level;
        ((uint32_t *)a.value_out)[i] = i;
        uint64_t square = (uint64_t)entries * entries;
        squares[0] += square;
        if (entries > longest) atomicAdd((unsigned long long *)&a.summary->long_squares, square);
    };
    uint32_t high = each_span(a, [&](uint32_t t) { return a.word[t] - 1; }, note);
    add_up(squares);
    if (threadIdx.x != 0) return;
    atomicMax(&a.summary->levels, high + 1);
    atomicAdd((unsigned long long *)&a.summary->squares, (unsigned long long)squares[0]);
}

// Long rows that no row depends on, by the rule of src/executor/host/setup/survey.rs ------------------------------

// What `counters` says of each unknown.
enum LongRow : uint32_t { IS_SHORT, IS_LONG, IS_NEEDED };

SETUP_KERNEL(setup_long_rows, 256) {
    uint32_t longest = longest_usual(a);
    each_below(a.n, [&](uint32_t i) { a.counters[i] = entries_of(a, i) > longest ? IS_LONG : IS_SHORT; });
}

template <class Source>
struct Needed : OverRows<Source> {
    using OverRows<Source>::source;

    template <class Team>
    __device__ void visit(uint32_t i, uint2 span, const Team &team) {
        uint32_t *state = source.a.counters;
        each_entry(source, i, span, team, [&](const uint32_t (&unknowns)[4]) {
#pragma unroll
            for (uint32_t j : unknowns)
                if (j != i && load_relaxed(&state[j]) == IS_LONG) store_relaxed(&state[j], (uint32_t)IS_NEEDED);
        });
    }
};

#define NEEDED(name, SOURCE) \
    SETUP_KERNEL(setup_needed_##name, TEAM_BLOCK) { walk(a, Needed<SOURCE>{{{a}}}); }
FOR_EACH_SOURCE(NEEDED)

// Raises them to the last level; and the levels of every span of positions.
SETUP_KERNEL(setup_raise, 256) {
    uint32_t last = a.summary->levels - 1;
    auto is_raised = [&](uint32_t t) { return a.counters[natural_position(a, t)] == IS_LONG; };
    auto level = [&](uint32_t t) { return is_raised(t) ? last : a.word[t] - 1; };
    each_span(a, level, [&](uint32_t t, uint32_t level) {
        if (!is_raised(t)) return;
        a.key_out[natural_position(a, t)] = level;
        a.word[t] = level + 1;
    });
}

// The levels of every span of positions, by other spans.
SETUP_KERNEL(setup_spans, 256) {
    each_span(a, [&](uint32_t t) { return a.word[t] - 1; }, [](uint32_t, uint32_t) {});
}

// The paper's Kahn. `counters` holds the dependency counters, `bounds` the queue ----------------------------

// FIND_LEVEL0, and the counters: `kept` where the rows of op(A) are stored, else the lengths of the lists.
SETUP_KERNEL(setup_find_level0, 256) {
    uint32_t i = thread_index();
    if (i >= a.n) return;
    uint32_t count = entries_of(a, i);
    a.counters[i] = count;
    if (count != 0) return;
    a.bounds[atomicAdd(&a.summary->queued, 1u)] = i;
    a.word[natural_position(a, i)] = 1;
}

// FIND_LEVEL: a warp takes an unknown of the level out of the graph.
template <class Columns>
__device__ void find_level(const SetupArgs &a, const Columns &columns) {
    uint32_t k = a.begin + blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (k >= a.end) return;
    uint32_t i = a.bounds[k];
    uint2 span = columns.span(i);
    for (uint32_t e = lane; e < span.y; e += 32) {
        uint32_t j, value;
        if (columns.entry(i, span.x + e, j, value) && atomicSub(&a.counters[j], 1u) == 1) {
            a.bounds[atomicAdd(&a.summary->queued, 1u)] = j;
            a.word[natural_position(a, j)] = a.level + 2;
        }
    }
}

#define FIND_LEVEL(i, I) \
    SETUP_KERNEL(setup_find_level_##i, 256) { find_level(a, Stored<I>{a}); }
FOR_EACH_INDEX(FIND_LEVEL)

SETUP_KERNEL(setup_find_level_transposed, 256) {
    find_level(a, Transposed{a});
}
