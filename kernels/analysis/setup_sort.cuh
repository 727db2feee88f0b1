// Setup: running sums, and a stable sort by a 32-bit key, 8 bits a pass. Both look back: a tile publishes its own sum,
// adds up what earlier tiles have published, and publishes the result, so that each element is read once and one launch
// does it all. Tiles are taken by ticket, so an earlier one is resident or done.
#pragma once
#include "setup.cuh"

// The lanes of the warp with the same digit (up to BINS, that is of nine bits).
__device__ __forceinline__ uint32_t same_digit(uint32_t digit) {
#ifdef BEFORE_VOLTA
    uint32_t peers = FULL;
    for (int bit = 0; bit < 9; ++bit) {
        uint32_t votes = __ballot_sync(FULL, digit >> bit & 1u);
        peers &= digit >> bit & 1u ? votes : ~votes;
    }
    return peers;
#else
    return __match_any_sync(FULL, digit);
#endif
}

// What a tile has published, in the upper half of a word; the lower half is a sum.
constexpr uint64_t OWN = 1ull << 32;        // of the tile alone
constexpr uint64_t INCLUSIVE = 2ull << 32;  // of it and all before

// Waits, as a whole warp, for words to be published; lanes that are not `in` for none. Ends: an earlier tile
// publishes without waiting for a later one. Where the watchdog ends it the sums are too small, but no
// place that they lead to is outside of the arrays.
__device__ __forceinline__ uint64_t wait_state(const uint64_t *p, bool in, SetupWatchdog &dog) {
    uint64_t s = INCLUSIVE;
    for (;;) {
        if (in) s = load_relaxed(p);
        if (__all_sync(FULL, s != 0)) return s;
        if (!dog.keep_waiting()) return INCLUSIVE;
    }
}

// The sum over earlier tiles, for one warp, given the own one.
__device__ uint32_t look_back(const SetupArgs &a, uint32_t tile, uint32_t own) {
    uint64_t *states = a.states;
    SetupWatchdog dog(a);
    uint32_t lane = threadIdx.x % 32;
    if (tile == 0) {
        if (lane == 0) store_relaxed(&states[0], INCLUSIVE | own);
        return 0;
    }
    if (lane == 0) store_relaxed(&states[tile], OWN | own);
    uint32_t before = 0;
    for (int64_t nearest = (int64_t)tile - 1;; nearest -= 32) {
        int64_t k = nearest - lane;
        uint64_t s = wait_state(&states[k], k >= 0, dog);
        uint32_t whole = __ballot_sync(FULL, s >= INCLUSIVE);
        uint32_t last = whole ? __ffs(whole) - 1 : 31;
        before += Lanes(32).reduce(lane <= last ? (uint32_t)s : 0, Sum());
        if (whole) break;
    }
    if (lane == 0) store_relaxed(&states[tile], INCLUSIVE | (before + own));
    return before;
}

// scan_out[k] = sum over m < k of what is scanned, for k <= count. The arrays begin at multiples of 16 bytes.
// A thread has so many elements.
template <uint32_t ITEMS>
__device__ __forceinline__ void scan(const SetupArgs &a) {
    __shared__ uint32_t ticket, before_all, warp_sum[SCAN_BLOCK / 32];
    if (threadIdx.x == 0) ticket = atomicAdd(&a.summary->ticket[a.ticket], 1u);
    __syncthreads();
    uint32_t tile = ticket, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t begin = (tile * SCAN_BLOCK + threadIdx.x) * ITEMS;
    uint32_t value[ITEMS], sum = 0;
    bool plain = !a.scan_order && !a.scan_lengths && a.stride == 1 && begin + ITEMS <= a.count;
    if (plain) {
#pragma unroll
        for (uint32_t u = 0; u < ITEMS; u += 4) {
            uint4 v = *(const uint4 *)(a.scan_in + begin + u);
            value[u] = v.x & a.mask, value[u + 1] = v.y & a.mask, value[u + 2] = v.z & a.mask, value[u + 3] = v.w & a.mask;
            sum += value[u] + value[u + 1] + value[u + 2] + value[u + 3];
        }
    }
#pragma unroll
    for (uint32_t u = 0; u < ITEMS; ++u) {
        if (plain) break;
        uint32_t k = begin + u;
        value[u] = 0;
        if (k < a.count) {
            uint32_t i = a.scan_order ? a.scan_order[k] : k;
            value[u] = (a.scan_lengths ? a.scan_lengths[i + 1] - a.scan_lengths[i] : a.scan_in[(size_t)a.stride * i]) & a.mask;
        }
        sum += value[u];
    }
    uint32_t through = sum;  // up to this lane
    for (int by = 1; by < 32; by *= 2) {
        uint32_t v = __shfl_up_sync(FULL, through, by);
        if (lane >= by) through += v;
    }
    if (lane == 31) warp_sum[warp] = through;
    __syncthreads();
    uint32_t all = 0, at = through - sum;
    for (uint32_t w = 0; w < SCAN_BLOCK / 32; ++w) {
        if (w == warp) at += all;
        all += warp_sum[w];
    }
    if (warp == 0) {
        uint32_t before = look_back(a, tile, all);
        if (lane == 0) before_all = before;
    }
    __syncthreads();
    at += before_all;
    if (begin + ITEMS <= a.count) {
#pragma unroll
        for (uint32_t u = 0; u < ITEMS; u += 4) {
            uint32_t second = at + value[u], third = second + value[u + 1], fourth = third + value[u + 2];
            *(uint4 *)(a.scan_out + begin + u) = make_uint4(at, second, third, fourth);
            at = fourth + value[u + 3];
        }
        return;
    }
#pragma unroll
    for (uint32_t u = 0; u < ITEMS; ++u) {
        if (begin + u <= a.count) a.scan_out[begin + u] = at;
        at += value[u];
    }
}
SETUP_KERNEL_WITH_WAITS(setup_scan_4, SCAN_BLOCK) { scan<4>(a); }
SETUP_KERNEL_WITH_WAITS(setup_scan_16, SCAN_BLOCK) { scan<16>(a); }

constexpr uint32_t SORT_TILE = SORT_BLOCK * SORT_ITEMS;
constexpr uint32_t SORT_LOOK_BACK = 8;  // earlier tiles whose words a thread looks at together

// How often each digit occurs, for the `shift` passes to come.
SETUP_KERNEL(setup_histogram, SORT_BLOCK) {
    __shared__ uint32_t bin[4][BINS];
    uint32_t passes = a.shift, count = a.count, lane = threadIdx.x % 32;
    for (uint32_t d = 0; d < passes; ++d) bin[d][threadIdx.x] = 0;
    __syncthreads();
    constexpr int U = 4;  // keys that are loaded together
    uint32_t stride = gridDim.x * blockDim.x;
    for (uint64_t k = thread_index(); k - lane < count; k += U * (uint64_t)stride) {
        uint32_t key[U];
#pragma unroll
        for (int u = 0; u < U; ++u) key[u] = k + (uint64_t)u * stride < count ? a.key_in[k + (uint64_t)u * stride] : 0;
#pragma unroll
        for (int u = 0; u < U; ++u) {
            bool in = k + (uint64_t)u * stride < count;
            for (uint32_t d = 0; d < passes; ++d) {
                // Equal digits of a warp are counted at once: neighbours often have the same.
                uint32_t digit = key[u] >> 8 * d & 255u;
                uint32_t peers = same_digit(in ? digit : BINS);
                if (in && lane == __ffs(peers) - 1) atomicAdd(&bin[d][digit], __popc(peers));
            }
        }
    }
    __syncthreads();
    for (uint32_t d = 0; d < passes; ++d)
        if (bin[d][threadIdx.x]) atomicAdd(&a.histogram[d * BINS + threadIdx.x], bin[d][threadIdx.x]);
}

// Exclusive sums over the threads of a block.
__device__ uint32_t block_scan(uint32_t v, uint32_t *scratch) {
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, through = v;
    for (int by = 1; by < 32; by *= 2) {
        uint32_t before = __shfl_up_sync(FULL, through, by);
        if (lane >= by) through += before;
    }
    if (lane == 31) scratch[warp] = through;
    __syncthreads();
    uint32_t at = through - v;
    for (uint32_t w = 0; w < warp; ++w) at += scratch[w];
    __syncthreads();
    return at;
}

// One pass: key_in, value_in to key_out, value_out by the digit at `shift`.
SETUP_KERNEL_WITH_WAITS(setup_sort, SORT_BLOCK, 3) {
    constexpr uint32_t WARPS = SORT_BLOCK / 32;
    __shared__ uint32_t warp_bin[WARPS][BINS];  // of each warp: how many so far, then where they begin
    __shared__ uint32_t destination[BINS];      // of a digit's first element here, less its slot in the tile
    __shared__ uint32_t scratch[32], ticket;
    __shared__ uint32_t stage[SORT_TILE];       // keys, later values, in sorted order
    uint32_t count = a.count, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) ticket = atomicAdd(&a.summary->ticket[a.ticket], 1u);
    for (uint32_t w = 0; w < WARPS; ++w) warp_bin[w][threadIdx.x] = 0;
    __syncthreads();
    uint32_t tile = ticket, tile_begin = tile * SORT_TILE;
    if (tile_begin >= count) return;
    uint32_t here = Min()(count - tile_begin, SORT_TILE);

    // Ranks among equal digits of the warp, whose elements are consecutive.
    uint32_t own_begin = warp * 32 * SORT_ITEMS + lane;
    const uint32_t *value_in = (const uint32_t *)a.value_in + tile_begin;
    uint32_t key[SORT_ITEMS], value[SORT_ITEMS], slot[SORT_ITEMS];
#pragma unroll
    for (uint32_t u = 0; u < SORT_ITEMS; ++u) {
        uint32_t k = own_begin + 32 * u;
        key[u] = k < here ? a.key_in[tile_begin + k] : 0;
        value[u] = k < here ? value_in[k] : 0;
    }
#pragma unroll
    for (uint32_t u = 0; u < SORT_ITEMS; ++u) {
        bool in = own_begin + 32 * u < here;
        uint32_t digit = key[u] >> a.shift & 255u;
        uint32_t peers = same_digit(in ? digit : BINS), leader = __ffs(peers) - 1, before = 0;
        if (in && lane == leader) {
            before = warp_bin[warp][digit];
            warp_bin[warp][digit] = before + __popc(peers);
        }
        slot[u] = __shfl_sync(FULL, before, leader) + __popc(peers & ((1u << lane) - 1));
        __syncwarp();
    }
    __syncthreads();

    // One thread a digit: where its elements go, in the tile and in all.
    uint32_t digit = threadIdx.x, total = 0;
    for (uint32_t w = 0; w < WARPS; ++w) {
        uint32_t c = warp_bin[w][digit];
        warp_bin[w][digit] = total;
        total += c;
    }
    uint64_t *state = a.states + digit;
    store_relaxed(&state[(uint64_t)tile * BINS], (tile == 0 ? INCLUSIVE : OWN) | total);
    uint32_t local = block_scan(total, scratch);
    uint32_t smaller = block_scan(a.histogram[digit], scratch);
    uint32_t before = 0;
    if (tile > 0) {
        SetupWatchdog dog(a);
        bool found = false;
        for (uint64_t left = tile; !__all_sync(FULL, found);) {
            // Where all tiles begin together, one at a time is half as many ways to L2 as there are tiles.
            uint64_t s[SORT_LOOK_BACK];
#pragma unroll
            for (uint32_t u = 0; u < SORT_LOOK_BACK; ++u) s[u] = !found && u < left ? load_relaxed(&state[(left - 1 - u) * BINS]) : 0;
            bool goes_on = !found;
#pragma unroll
            for (uint32_t u = 0; u < SORT_LOOK_BACK; ++u) {
                goes_on = goes_on && s[u] != 0;
                if (!goes_on) continue;
                before += (uint32_t)s[u], --left;
                found = s[u] >= INCLUSIVE;
                goes_on = !found;
            }
            if (!dog.keep_waiting()) break;
        }
        store_relaxed(&state[(uint64_t)tile * BINS], INCLUSIVE | (before + total));
    }
    destination[digit] = smaller + before - local;
    for (uint32_t w = 0; w < WARPS; ++w) warp_bin[w][digit] += local;
    __syncthreads();

    // Through shared memory, so that neighbours are written together.
#pragma unroll
    for (uint32_t u = 0; u < SORT_ITEMS; ++u)
        if (own_begin + 32 * u < here) {
            slot[u] += warp_bin[warp][key[u] >> a.shift & 255u];
            stage[slot[u]] = key[u];
        }
    __syncthreads();
    uint32_t target[SORT_ITEMS];
#pragma unroll
    for (uint32_t u = 0; u < SORT_ITEMS; ++u) {
        uint32_t s = u * SORT_BLOCK + threadIdx.x;
        if (s < here) {
            uint32_t k = stage[s];
            target[u] = destination[k >> a.shift & 255u] + s;
            a.key_out[target[u]] = k;
        }
    }
    __syncthreads();
#pragma unroll
    for (uint32_t u = 0; u < SORT_ITEMS; ++u)
        if (own_begin + 32 * u < here) stage[slot[u]] = value[u];
    __syncthreads();
#pragma unroll
    for (uint32_t u = 0; u < SORT_ITEMS; ++u) {
        uint32_t s = u * SORT_BLOCK + threadIdx.x;
        if (s < here) ((uint32_t *)a.value_out)[target[u]] = stage[s];
    }
}

// Where a level begins among sorted keys, or where all of them end: each look of some lanes leaves one part of what was left, of one
// more than they are.
__device__ __forceinline__ uint32_t begin_of(const SetupArgs &a, uint32_t level, const Lanes &lanes) {
    uint32_t low = 0, high = a.n;
    while (low < high) {
        auto place = [&](uint32_t k) { return low + (uint32_t)((uint64_t)(high - low) * k / (lanes.size + 1)); };
        uint32_t smaller;
        lanes.place(a.key_in[place(lanes.rank + 1)] < level, smaller);
        uint32_t end = smaller < lanes.size ? place(smaller + 1) : high;
        if (smaller > 0) low = place(smaller) + 1;
        high = end;
    }
    return low;
}

// Where each level begins, and how many unknowns the widest has. Some lanes for each.
SETUP_KERNEL(setup_level_bounds, 256) {
    Lanes lanes(a.lanes);
    uint32_t level = thread_index() / a.lanes, width = 0;
    if (level <= a.count) {
        uint32_t begin = begin_of(a, level, lanes);
        if (lanes.rank == 0) a.bounds[level] = begin;
        if (level < a.count) width = begin_of(a, level + 1, lanes) - begin;
    }
    width = Lanes(32).reduce(width, Max());
    if (threadIdx.x % 32 == 0 && width) atomicMax(&a.summary->widest, width);
}
