// Setup: levels.
//
// Sweep: each unknown waits for the levels of what it depends on, in one word that is level and flag
// together; no launch and no barrier per level. A block takes the next SWEEP_ROWS turns by ticket, a lane
// an unknown. What the block finds out is kept in shared memory too, and polled there. A lane looks at what
// it waits for once per round of its warp, so lanes of one warp may depend on each other; and where all
// that an unknown still lacks is one other unknown of its warp, it says so and the warp shortens such
// chains by doubling, so that a chain of 32 unknowns takes five rounds.
//
// Progress: tickets are drawn in order and every dependency has an earlier turn, so the first unfinished
// turn of all is resident, and lacks nothing.
//
// Kahn: the paper's algorithm, one launch a level.
#pragma once
#include "setup.cuh"

constexpr uint32_t SWEEP_ROWS = 1024;     // threads of a block; mirrored in setup.rs
constexpr uint32_t SWEEP_LONGEST = 256;   // entries; a longer row is walked by its whole warp
constexpr int SWEEP_CHUNK = 4;            // entries that a lane holds

__device__ __forceinline__ uint32_t load_volatile(const uint32_t *p) { return *(const volatile uint32_t *)p; }
__device__ __forceinline__ void store_volatile(uint32_t *p, uint32_t v) { *(volatile uint32_t *)p = v; }

// The words that a block sees: its own turns' in shared memory, those of earlier ones in global memory.
struct Turns {
    uint32_t *shared, *global;
    uint32_t begin;  // the block's first turn

    __device__ __forceinline__ uint32_t read_near(uint32_t t) const { return load_volatile(shared + (t - begin)); }
    __device__ __forceinline__ uint32_t read_far(uint32_t t) const { return load_relaxed(global + t); }
    __device__ __forceinline__ void write(uint32_t t, uint32_t w) const {
        store_volatile(shared + (t - begin), w);
        store_relaxed(global + t, w);
    }
};

// The rows of a warp one after the other, all lanes on each.
template <class I>
__device__ void sweep_long(const SetupArgs &a, const Turns &turns, const I *ind, uint32_t base, uint32_t t,
                           uint32_t begin, uint32_t length) {
    uint32_t lane = threadIdx.x % 32;
    for (uint32_t m = 0; m < 32 && t - lane + m < a.n; ++m) {
        uint32_t row = t - lane + m;
        uint32_t e = __shfl_sync(FULL, begin, m), left = __shfl_sync(FULL, length, m);
        uint32_t top = 0;
        for (uint32_t k = lane; k < left; k += 32 * SWEEP_CHUNK) {
            uint32_t q[SWEEP_CHUNK], missing = 0;
#pragma unroll
            for (int u = 0; u < SWEEP_CHUNK; ++u) {
                bool in = k + 32 * u < left;
                q[u] = in ? turn_of(a, (uint32_t)ind[e + k + 32 * u] - base) : row;
                if (q[u] < row) missing |= 1u << u;
            }
            // Ends: these turns are earlier, and either done or in the hands of another warp.
            while (missing) {
#pragma unroll
                for (int u = 0; u < SWEEP_CHUNK; ++u)
                    if (missing & (1u << u)) {
                        uint32_t w = q[u] >= turns.begin ? turns.read_near(q[u]) : turns.read_far(q[u]);
                        if (w) {
                            top = Max()(top, w);
                            missing &= ~(1u << u);
                        }
                    }
                if (missing) rest(40);
            }
        }
        __syncwarp();
        top = Lanes(32).reduce(top, Max());
        if (lane == 0) turns.write(row, top + 1);
        __syncwarp();
    }
}

// One row for each lane.
template <class I>
__device__ void sweep_lanes(const SetupArgs &a, const Turns &turns, const I *ind, uint32_t base, uint32_t t,
                            uint32_t e, uint32_t left) {
    constexpr int U = SWEEP_CHUNK;
    uint32_t warp_begin = t & ~31u;
    uint32_t q[U], next[U];  // the turns in hand, and the indices that come after them
    uint32_t missing = 0;    // which of those in hand are not known yet
    uint32_t top = 0;        // largest word known
    uint32_t self = t < a.n ? 0 : NONE;  // the own word once it is known
    // A linked lane's word is max(own, word of lane `link` + distance). Not linked: distance 0.
    uint32_t own = 0, distance = 0, link = t % 32;

    auto fetch = [&] {
#pragma unroll
        for (int u = 0; u < U; ++u) next[u] = u < left ? (uint32_t)ind[e + u] : 0;
    };
    auto take = [&] {
        missing = 0;
#pragma unroll
        for (int u = 0; u < U; ++u) {
            q[u] = turn_of(a, next[u] - base);
            if (u < left && q[u] < t) missing |= 1u << u;
        }
        uint32_t taken = Min()(left, U);
        e += taken;
        left -= taken;
        fetch();
    };
    auto finish = [&](uint32_t w) {
        self = w;
        missing = 0;
        turns.write(t, w);
    };
    fetch();
    take();
    uint32_t pause = 32;
    // Ends when each row is done. See above for why that happens.
    for (;;) {
        bool far = false;
        if (missing && distance == 0) {
#pragma unroll
            for (int u = 0; u < U; ++u)
                if ((missing & (1u << u)) && q[u] < turns.begin) {
                    uint32_t w = turns.read_far(q[u]);
                    if (w) {
                        top = Max()(top, w);
                        missing &= ~(1u << u);
                        far = true;
                    }
                }
        }
        // Rounds without a look at global memory, as long as the warp gets on.
        bool got_on = __any_sync(FULL, far), more;
        do {
            bool moved = false;
            if (self == 0 && distance == 0) {
#pragma unroll
                for (int u = 0; u < U; ++u)
                    if ((missing & (1u << u)) && q[u] >= turns.begin) {
                        uint32_t w = turns.read_near(q[u]);
                        if (w) {
                            top = Max()(top, w);
                            missing &= ~(1u << u);
                        }
                    }
                if (missing == 0) {
                    moved = true;
                    if (left) take();
                    else finish(top + 1);
                } else if (left == 0 && (missing & (missing - 1)) == 0) {
                    uint32_t last = missing == 1 ? q[0] : missing == 2 ? q[1] : missing == 4 ? q[2] : q[3];
                    if (last >= warp_begin) {
                        moved = true;
                        own = top + 1;
                        distance = 1;
                        link = last % 32;
                    }
                }
            }
            uint32_t its_word = __shfl_sync(FULL, self, link), its_own = __shfl_sync(FULL, own, link);
            uint32_t its_distance = __shfl_sync(FULL, distance, link), its_link = __shfl_sync(FULL, link, link);
            if (self == 0 && distance) {
                if (its_word) {
                    moved = true;
                    finish(Max()(own, its_word + distance));
                } else if (its_distance) {
                    moved = true;
                    own = Max()(own, its_own + distance);
                    distance += its_distance;
                    link = its_link;
                }
            }
            more = __any_sync(FULL, moved);
            got_on |= more;
        } while (more);
        if (__all_sync(FULL, self != 0)) return;
        if (got_on) {
            pause = 32;
            continue;
        }
        // Only a warp whose turn is near looks again at once: the first one of a block, and one whose
        // predecessor has begun to finish.
        bool near = warp_begin == turns.begin || turns.read_near(warp_begin - 32) != 0;
        rest(near ? 20 : pause);
        if (pause < 256) pause *= 2;
    }
}

template <class I>
__device__ void sweep(const SetupArgs &a, const I *ind, uint32_t base, const uint32_t *begin, const uint32_t *end) {
    __shared__ uint32_t shared[SWEEP_ROWS], ticket;
    if (a.summary->bad) return;
    if (threadIdx.x == 0) ticket = atomicAdd(&a.summary->ticket[a.ticket], 1u);
    shared[threadIdx.x] = 0;
    __syncthreads();
    Turns turns{shared, a.word, ticket * SWEEP_ROWS};
    uint32_t t = turns.begin + threadIdx.x;
    if ((t & ~31u) >= a.n) return;
    uint32_t e = 0, length = 0;
    if (t < a.n) {
        uint32_t i = turn_of(a, t);
        e = begin[i];
        length = end[i] - e;
    }
    if (__any_sync(FULL, length > SWEEP_LONGEST)) sweep_long(a, turns, ind, base, t, e, length);
    else sweep_lanes(a, turns, ind, base, t, e, length);
}

// By the caller's majors, which are the rows of op(A).
#define SWEEP(i, I)                                                                                        \
    extern "C" __global__ void __launch_bounds__(SWEEP_ROWS, 1)                                            \
        setup_sweep_##i(const GRID_CONSTANT SetupArgs a) {                                             \
        sweep(a, (const I *)a.ind, a.base, a.first, a.stop);                                               \
    }
FOR_EACH_INDEX(SWEEP)


// By the transposed pattern.
extern "C" __global__ void __launch_bounds__(SWEEP_ROWS, 1) setup_sweep_transposed(const GRID_CONSTANT SetupArgs a) {
    // The value index in front of each major is read along: an entry is eight bytes.
    struct Entry {
        uint32_t value, major;
        __device__ operator uint32_t() const { return major; }
    };
    sweep(a, (const Entry *)a.list, 0, a.list_ptr, a.list_ptr + 1);
}

// Keys for the sort by level, and the least and largest level of every span of turns.
extern "C" __global__ void __launch_bounds__(256) setup_levels(const GRID_CONSTANT SetupArgs a) {
    __shared__ uint32_t scratch[32];
    if (a.summary->bad) return;
    uint32_t begin = blockIdx.x * a.span, end = Min()(a.n - begin, a.span) + begin;
    uint32_t low = NONE, high = 0;
    for (uint32_t t = begin + threadIdx.x; t < end; t += blockDim.x) {
        uint32_t level = a.word[t] - 1, i = turn_of(a, t);
        low = Min()(low, level);
        high = Max()(high, level);
        a.key_out[i] = level;
        ((uint32_t *)a.value_out)[i] = i;
    }
    Block block(scratch);
    low = block.reduce(low, Min());
    high = block.reduce(high, Max());
    if (block.rank == 0) {
        a.spans[blockIdx.x] = make_uint2(low, high);
        atomicMax(&a.summary->levels, high + 1);
    }
}

// The paper's Kahn. `wanted` holds the dependency counters, `bounds` the queue ------------------------------

// FIND_LEVEL0, and the counters: `kept` where the rows of op(A) are stored, else the lengths of the lists.
extern "C" __global__ void __launch_bounds__(256) setup_find_level0(const GRID_CONSTANT SetupArgs a) {
    uint32_t i = thread_index();
    if (i >= a.n || a.summary->bad) return;
    uint32_t count = a.count_ptr ? a.count_ptr[i + 1] - a.count_ptr[i] : a.kept[i];
    a.wanted[i] = count;
    if (count != 0) return;
    a.bounds[atomicAdd(&a.summary->queued, 1u)] = i;
    a.word[turn_of(a, i)] = 1;
}

// FIND_LEVEL: a warp takes an unknown of the level out of the graph.
template <class Columns>
__device__ void find_level(const SetupArgs &a, const Columns &columns) {
    uint32_t k = a.begin + thread_index() / 32, lane = threadIdx.x % 32;
    if (k >= a.end || a.summary->bad) return;
    uint32_t i = a.bounds[k];
    uint2 span = columns.span(i);
    for (uint32_t e = lane; e < span.y; e += 32) {
        uint32_t j, value;
        if (columns.entry(i, span.x + e, j, value) && atomicSub(&a.wanted[j], 1u) == 1) {
            a.bounds[atomicAdd(&a.summary->queued, 1u)] = j;
            a.word[turn_of(a, j)] = a.level + 2;
        }
    }
}

#define FIND_LEVEL(i, I)                                                                                   \
    extern "C" __global__ void __launch_bounds__(256) setup_find_level_##i(const GRID_CONSTANT SetupArgs a) { \
        find_level(a, Stored<I>{a});                                                                       \
    }
FOR_EACH_INDEX(FIND_LEVEL)

extern "C" __global__ void __launch_bounds__(256) setup_find_level_transposed(const GRID_CONSTANT SetupArgs a) {
    find_level(a, Transposed{a});
}
