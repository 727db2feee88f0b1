// Setup: the transposed pattern. Lists are counted; a running sum says where they begin; entries are put into
// them in whatever order they come, by an atomic add on where a list ends so far; and then each list is sorted by
// itself, so that it is always the same. Lists are short and neighbours lie beside each other, so all but the
// reading of the pattern stays in the caches; a sort of all entries would carry each through memory several times.
// The few that are very long are left to a kernel in which all blocks put one in order together.
#pragma once
#include "setup_survey.cuh"

constexpr uint32_t CROWD = 16384;  // entries; in longer lists many are put at the same time

// The whole triangle, its diagonal included where that is the matrix's own.
template <class P, class I>
struct Triangle {
    static constexpr int PIECES = OF_MAJORS;
    const SetupArgs &a;

    __device__ uint2 span(uint32_t i) const { return Survey<P, I>{a}.span(i); }
    __device__ bool entry(uint32_t i, uint32_t e, uint32_t &j, uint32_t &value) const {
        return Stored<I>{a}.entry(i, e, j, value) || (j == i && a.own_diag);
    }
};

// Additions of a block to words of `bounds`, added up in shared memory first, as one word of L2 takes no more than one addition a
// nanosecond: a word stands for the first index that comes of those that share it, and what others count goes past it.
struct Tally {
    static constexpr uint32_t WORDS = 1024;
    uint32_t *index, *count;

    __device__ Tally() {
        __shared__ uint32_t shared[2][WORDS];
        index = shared[0], count = shared[1];
        for (uint32_t k = threadIdx.x; k < WORDS; k += blockDim.x) index[k] = NONE, count[k] = 0;
        __syncthreads();
    }
    __device__ void add(const SetupArgs &a, uint32_t j) const {
        uint32_t k = j % WORDS, its = load_volatile(&index[k]);
        if (its == NONE) its = atomicCAS(&index[k], NONE, j);
        if (its == NONE || its == j) atomicAdd(&count[k], 1u);
        else atomicAdd(&a.bounds[j], 1u);
    }
    __device__ void finish(const SetupArgs &a) const {
        __syncthreads();
        for (uint32_t k = threadIdx.x; k < WORDS; k += blockDim.x)
            if (count[k] > 0 && atomicAdd(&a.bounds[index[k]], count[k]) + count[k] > CROWD) a.summary->crowded = 1;
    }
};

// The next slot of a list, by one addition for all lanes that want one of the same list at the same time.
__device__ __forceinline__ uint32_t next_slot(const SetupArgs &a, uint32_t j) {
#ifdef BEFORE_VOLTA
    return atomicAdd(&a.bounds[j], 1u);
#else
    uint32_t alike = __match_any_sync(__activemask(), j), lane = threadIdx.x % 32, first = __ffs(alike) - 1, slot;
    if (lane == first) slot = atomicAdd(&a.bounds[j], (uint32_t)__popc(alike));
    return __shfl_sync(alike, slot, first) + __popc(alike & ((1u << lane) - 1));
#endif
}

// Counts the entries of each list; or puts each where its list ends so far, which `bounds` says.
template <class Source, bool PUT>
struct Across {
    static constexpr int PIECES = Source::PIECES;
    Source source;
    const Tally *tally;

    __device__ uint2 span(uint32_t i) const { return source.span(i); }
    __device__ uint32_t number(uint32_t i) const { return i; }
    template <class Team>
    __device__ void visit(uint32_t i, uint2 span, const Team &team) const {
        constexpr int U = 4;  // entries that are on their way together
        const SetupArgs &a = source.a;
        uint2 *lists = (uint2 *)a.value_out;
        uint32_t k = team.begin(), past = team.end(span.y);
        if (PUT && a.summary->crowded) {
            for (; k < past; k += team.size) {
                uint32_t j, e;
                if (source.entry(i, span.x + k, j, e)) lists[next_slot(a, j)] = make_uint2(e, i);
            }
        }
        for (; k < past; k += U * team.size) {
            uint32_t j[U], e[U], slot[U];
            bool kept[U];
#pragma unroll
            for (int u = 0; u < U; ++u)
                kept[u] = k + u * team.size < past && source.entry(i, span.x + k + u * team.size, j[u], e[u]);
#pragma unroll
            for (int u = 0; u < U; ++u) {
                if (kept[u] && PUT) slot[u] = atomicAdd(&a.bounds[j[u]], 1u);
                if (kept[u] && !PUT) tally->add(a, j[u]);
            }
#pragma unroll
            for (int u = 0; u < U; ++u)
                if (PUT && kept[u]) lists[slot[u]] = make_uint2(e[u], i);
        }
    }
};

template <class Source>
__device__ void count_across(const SetupArgs &a) {
    if (thread_index() == 0) a.list_ptr[0] = 0;
    Tally tally;
    walk(a, Across<Source, false>{{a}, &tally});
    tally.finish(a);
}

#define ACROSS(name, ...)                                                              \
    SETUP_KERNEL(setup_count_##name, TEAM_BLOCK) { count_across<__VA_ARGS__>(a); }     \
    SETUP_KERNEL(setup_put_##name, TEAM_BLOCK) { walk(a, Across<__VA_ARGS__, true>{{a}, nullptr}); }
ACROSS(i, Stored<int32_t>)
ACROSS(l, Stored<int64_t>)
ACROSS(triangle_ii, Triangle<int32_t, int32_t>)
ACROSS(triangle_li, Triangle<int64_t, int32_t>)
ACROSS(triangle_ll, Triangle<int64_t, int64_t>)

// Lists as two arrays: majors, and where values lie.
SETUP_KERNEL(setup_split, 256) {
    uint32_t entries = a.list_ptr[a.n];
    for (uint32_t k = thread_index(); k < entries; k += gridDim.x * blockDim.x) {
        uint2 pair = ((const uint2 *)a.value_in)[k];
        a.out_adj[k] = pair.y;
        a.out_val[k] = pair.x;
    }
}

// Lists in order: K. E. Batcher's bitonic network in the form in which every comparison leaves the smaller pair in
// front. First an element is compared with its mirror image in 2, 4, 8, ... elements, then with the one at half of the
// distance, a quarter, and so on. What is behind the end counts as largest, and stays there.
//
// Of two pairs (value index, major) the one with the smaller value index has no larger major, so either half of the pairs may be
// ordered by itself.

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr uint32_t ORDER_BLOCKS = 2;              // on a multiprocessor
#else
constexpr uint32_t ORDER_BLOCKS = 3;
#endif
constexpr uint32_t ORDER_CHUNK = 4096;            // pairs in shared memory
constexpr uint32_t ORDER_SHARE = ORDER_CHUNK / (ORDER_BLOCK / 32);  // of a warp
constexpr int ORDER_HELD = 4;                     // pairs that a lane holds

__device__ __forceinline__ uint2 in_front(uint2 a, uint2 b) { return make_uint2(min(a.x, b.x), min(a.y, b.y)); }
__device__ __forceinline__ uint2 behind(uint2 a, uint2 b) { return make_uint2(max(a.x, b.x), max(a.y, b.y)); }

// A list and the lanes that order it. Pair number r * LANES + rank is in register r of a lane.
template <uint32_t LANES>
struct OrderLanes {
    uint32_t rank = threadIdx.x % LANES;

    // Compares with the pair whose number differs in the bits APART of the register and the bits ACROSS of the lane.
    template <int APART, uint32_t ACROSS, int K>
    __device__ __forceinline__ void exchange(uint2 (&pair)[K]) const {
        constexpr uint32_t highest = ACROSS & ~(ACROSS >> 1);
        uint2 other[K];
#pragma unroll
        for (int r = 0; r < K; ++r) {
            other[r] = pair[r ^ APART];
            if constexpr (ACROSS != 0) {
                other[r].x = __shfl_xor_sync(FULL, other[r].x, ACROSS);
                other[r].y = __shfl_xor_sync(FULL, other[r].y, ACROSS);
            }
        }
#pragma unroll
        for (int r = 0; r < K; ++r)
            pair[r] = (APART ? r < (r ^ APART) : !(rank & highest)) ? in_front(pair[r], other[r]) : behind(pair[r], other[r]);
    }
    // At a distance of BY lanes, half as many, and so on.
    template <uint32_t BY, int K>
    __device__ __forceinline__ void exchange_lanes(uint2 (&pair)[K]) const {
        if constexpr (BY > 0) {
            exchange<0, BY>(pair);
            exchange_lanes<BY / 2>(pair);
        }
    }
    // From mirror images in SIZE lanes on, where all in half of them are in order.
    template <uint32_t SIZE, int K>
    __device__ __forceinline__ void merge_lanes(uint2 (&pair)[K]) const {
        exchange<0, SIZE - 1>(pair);
        exchange_lanes<SIZE / 4>(pair);
        if constexpr (SIZE < LANES) merge_lanes<2 * SIZE>(pair);
    }
    // From mirror images in 2 * APART registers on, where all in APART are in order.
    template <int APART, int K>
    __device__ __forceinline__ void merge_registers(uint2 (&pair)[K]) const {
        if constexpr (APART < K) {
            exchange<2 * APART - 1, LANES - 1>(pair);
            if constexpr (APART >= 2) exchange<APART / 2, 0>(pair);
            exchange_lanes<LANES / 2>(pair);
            merge_registers<2 * APART>(pair);
        }
    }
    // No more than K pairs for each lane.
    template <int K>
    __device__ __forceinline__ void order(uint2 *list, uint32_t length) const {
        static_assert(K <= 4, "there is one step across registers");
        uint2 pair[K];
#pragma unroll
        for (int r = 0; r < K; ++r) pair[r] = r * LANES + rank < length ? list[r * LANES + rank] : make_uint2(NONE, NONE);
        merge_lanes<2>(pair);
        merge_registers<1>(pair);
#pragma unroll
        for (int r = 0; r < K; ++r)
            if (r * LANES + rank < length) list[r * LANES + rank] = pair[r];
    }
};

// A warp, a block or all of them, that order in memory. Where all do, steps are phases.
struct OrderWarp : Lanes {
    __device__ OrderWarp() : Lanes(32) {}
    __device__ void wait() const { __syncwarp(); }
};
struct OrderBlock {
    uint32_t rank = threadIdx.x, size = ORDER_BLOCK;
    __device__ void wait() const { __syncthreads(); }
};
struct OrderGrid {
    uint32_t rank, size = gridDim.x * ORDER_BLOCK;
    __device__ explicit OrderGrid(uint32_t share) : rank(share * ORDER_BLOCK + threadIdx.x) {}
    __device__ void wait() const {}
};

// One step of the network: with the mirror images in `size` pairs, or at a distance of half as many.
template <class Team>
__device__ void order_step(uint2 *list, uint32_t length, uint32_t size, bool mirrored, const Team &team) {
    constexpr int U = 4;  // comparisons whose loads are on their way together
    uint32_t half = size / 2;
    for (uint32_t t = team.rank; 2 * (uint64_t)(t & ~(half - 1)) < length; t += U * team.size) {
        uint32_t at[U], other[U];
        uint2 front[U], back[U];
#pragma unroll
        for (int u = 0; u < U; ++u) {
            uint32_t its = t + u * team.size;
            at[u] = 2 * its - (its & (half - 1));
            other[u] = mirrored ? at[u] ^ (size - 1) : at[u] + half;
            if (other[u] >= length) continue;
            front[u] = list[at[u]];
            back[u] = list[other[u]];
        }
#pragma unroll
        for (int u = 0; u < U; ++u) {
            if (other[u] >= length || front[u].x < back[u].x) continue;
            list[at[u]] = back[u];
            list[other[u]] = front[u];
        }
    }
    team.wait();
}

// The pairs of a list go through `chunk`, which has room for `most`; `steps` orders what is there.
template <class Team, class Steps>
__device__ __forceinline__ void in_chunks(uint2 *list, uint32_t length, uint2 *chunk, uint32_t most, const Team &team, Steps steps) {
    for (uint32_t begin = 0; begin < length; begin += most) {
        uint32_t here = Min()(length - begin, most);
        for (uint32_t k = team.rank; k < here; k += team.size) chunk[k] = list[begin + k];
        team.wait();
        steps(here);
        for (uint32_t k = team.rank; k < here; k += team.size) list[begin + k] = chunk[k];
        team.wait();
    }
}

// All steps of what has no more pairs than a chunk, and those at distances of less than a chunk's pairs.
template <class Team>
__device__ __forceinline__ void order_chunk(uint2 *chunk, uint32_t length, const Team &team) {
    for (uint32_t size = 2; size / 2 < length; size *= 2) {
        order_step(chunk, length, size, true, team);
        for (uint32_t by = size / 2; by > 1; by /= 2) order_step(chunk, length, by, false, team);
    }
}
template <class Team>
__device__ __forceinline__ void finish_chunk(uint2 *chunk, uint32_t length, uint32_t most, const Team &team) {
    for (uint32_t by = most; by > 1; by /= 2) order_step(chunk, length, by, false, team);
}

// A list of any length. Only steps that reach farther than a chunk are done where the list is.
template <class Team>
__device__ __noinline__ void order_in_memory(uint2 *list, uint32_t length, uint2 *chunk, uint32_t most, Team team) {
    in_chunks(list, length, chunk, most, team, [&](uint32_t here) { order_chunk(chunk, here, team); });
    for (uint32_t size = 2 * most; size != 0 && size / 2 < length; size *= 2) {
        order_step(list, length, size, true, team);
        for (uint32_t by = size / 2; by > most; by /= 2) order_step(list, length, by, false, team);
        in_chunks(list, length, chunk, most, team, [&](uint32_t here) { finish_chunk(chunk, here, most, team); });
    }
}

// Words of the summary that launches of the next two kernels share: how many lists are left to a block and to all of them, which
// `bounds` holds from the end on and from the beginning, and the phases of those.
__device__ __forceinline__ uint32_t &left_to_block(const SetupArgs &a) { return a.summary->ticket[a.ticket]; }
__device__ __forceinline__ uint32_t &left_to_all(const SetupArgs &a) { return a.summary->ticket[a.ticket + 1]; }
__device__ __forceinline__ Phases phases_of_lists(const SetupArgs &a) {
    return Phases(&a.summary->ticket[a.ticket + 2], &a.summary->ticket[a.ticket + 3]);
}

// Some lanes for each list; those that are too long for them get a warp; and still longer ones the block, or, where lists of more
// than `count` entries are possible, are left.
template <uint32_t LANES>
__device__ void order_lists(const SetupArgs &a) {
    __shared__ uint32_t long_list[ORDER_BLOCK / LANES], longs;
    __shared__ uint2 chunk[ORDER_CHUNK];
    if (threadIdx.x == 0) longs = 0;
    __syncthreads();
    // Long lists are often neighbours, so those of a block lie apart.
    uint32_t warp = threadIdx.x / 32, i = (warp * gridDim.x + blockIdx.x) * (32 / LANES) + threadIdx.x % 32 / LANES;
    uint2 *lists = (uint2 *)a.value_out;
    OrderLanes<LANES> lanes;
    uint2 span = i < a.n ? Transposed{a}.span(i) : make_uint2(0, 0);
    list_pieces(a, OF_LISTS, i, lanes.rank == 0 ? span.y : 0);
    if (span.y > ORDER_HELD * LANES) {
        if (lanes.rank == 0) long_list[atomicAdd(&longs, 1u)] = i;
        span.y = 0;
    }
    __syncwarp();
    if (__any_sync(FULL, span.y > LANES)) lanes.template order<ORDER_HELD>(lists + span.x, span.y);
    else if (__any_sync(FULL, span.y > 1)) lanes.template order<1>(lists + span.x, span.y);
    __syncthreads();
    uint32_t count = longs;
    for (uint32_t k = warp; k < count; k += ORDER_BLOCK / 32) {
        span = Transposed{a}.span(long_list[k]);
        if (span.y <= ORDER_SHARE)
            order_in_memory(lists + span.x, span.y, chunk + warp * ORDER_SHARE, ORDER_SHARE, OrderWarp());
    }
    __syncthreads();
    for (uint32_t k = 0; k < count; ++k) {
        span = Transposed{a}.span(long_list[k]);
        if (span.y <= ORDER_SHARE) continue;
        if (a.count == NONE) order_in_memory(lists + span.x, span.y, chunk, ORDER_CHUNK, OrderBlock());
        else if (threadIdx.x > 0) continue;
        else if (span.y > a.count) a.bounds[atomicAdd(&left_to_all(a), 1u)] = long_list[k];
        else a.bounds[a.n - 1 - atomicAdd(&left_to_block(a), 1u)] = long_list[k];
    }
}

// The lists that are left, first those that are a block's. Of the others every chunk is put in order. Then, for runs of 2, 4, 8, ... chunks, a phase for
// each step that reaches farther than a chunk, and one for all others.
__device__ void order_left(const SetupArgs &a) {
    __shared__ uint2 chunk[ORDER_CHUNK];
    __shared__ uint32_t scratch[32];
    for (uint32_t k = blockIdx.x; k < left_to_block(a); k += gridDim.x) {
        uint2 span = Transposed{a}.span(a.bounds[a.n - 1 - k]);
        order_in_memory((uint2 *)a.value_out + span.x, span.y, chunk, ORDER_CHUNK, OrderBlock());
    }
    uint32_t lists = left_to_all(a), chunks = 0;
    if (lists == 0) return;
    for (uint32_t k = threadIdx.x; k < lists; k += ORDER_BLOCK)
        chunks = Max()(chunks, divide_up(Transposed{a}.span(a.bounds[k]).y, ORDER_CHUNK));
    chunks = Block(scratch).reduce(chunks, Max());
    uint32_t merges = 32 - __clz(chunks - 1), phases = 1 + merges * (merges + 3) / 2;
    Phases phase = phases_of_lists(a);
    SetupWatchdog dog(a);
    while (phase.take_ticket() < phases && phase.begin(dog)) {
        uint32_t merge = 0, step = phase.number;
        for (; step > merge; ++merge) step -= merge + 1;
        for (uint32_t k = 0; k < lists; ++k) {
            uint2 span = Transposed{a}.span(a.bounds[k]);
            uint2 *list = (uint2 *)a.value_out + span.x;
            // Not all begin with the same block.
            uint32_t size = ORDER_CHUNK << merge, share = (phase.share + k * 31) % gridDim.x;
            if (merge > 0 && size / 2 >= span.y) continue;
            if (merge > 0 && step < merge) {
                order_step(list, span.y, size >> step, step == 0, OrderGrid(share));
                continue;
            }
            for (uint64_t begin = (uint64_t)share * ORDER_CHUNK; begin < span.y; begin += gridDim.x * ORDER_CHUNK) {
                uint32_t here = Min()(span.y - (uint32_t)begin, ORDER_CHUNK);
                OrderBlock team;
                in_chunks(list + begin, here, chunk, ORDER_CHUNK, team, [&](uint32_t here) {
                    if (merge == 0) order_chunk(chunk, here, team);
                    else finish_chunk(chunk, here, ORDER_CHUNK, team);
                });
            }
        }
        phase.end();
    }
}
SETUP_KERNEL_WITH_WAITS(setup_order_left, ORDER_BLOCK) { order_left(a); }

#define ORDER(LANES) \
    SETUP_KERNEL(setup_order_##LANES, ORDER_BLOCK, ORDER_BLOCKS) { order_lists<LANES>(a); }
ORDER(4)
ORDER(8)
ORDER(16)
ORDER(32)
