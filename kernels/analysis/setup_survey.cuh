// Setup: is the pattern well-formed, and what is in it? Two passes over the caller's arrays. The first
// looks at the offsets alone, so that the second reads nothing outside of the arrays and each entry once.
#pragma once
#include "setup.cuh"
#include "shared/tuning.h"

template <class P>
__device__ void offsets(const SetupArgs &a) {
    const P *ptr = (const P *)a.ptr;
    // Numbers below the base wrap around to ones that are far too large.
    uint32_t lane = threadIdx.x % 32;
    for (uint64_t k = thread_index(); k - lane <= a.n; k += (uint64_t)gridDim.x * blockDim.x) {
        uint64_t offset = k <= a.n ? (uint64_t)(int64_t)ptr[k] - a.base : a.nnz;
        uint64_t end = k < a.n ? (uint64_t)(int64_t)ptr[k + 1] - a.base : a.nnz;
        bool good = offset <= end && end <= a.nnz && (k > 0 || offset == 0) && (k < a.n || offset == end);
        if (!good) a.summary->bad_offsets = 1;
        list_pieces(a, OF_MAJORS, (uint32_t)k, good ? (uint32_t)(end - offset) : 0);
    }
}

// From which distance to the diagonal on an entry is off-band: as in src/select/features.rs.
__device__ __forceinline__ uint32_t off_band_from(uint32_t n) { return Min()(Max()(n / OFF_BAND_PART, OFF_BAND_LEAST), OFF_BAND_MOST); }

template <class P, class I>
struct Survey {
    static constexpr int PIECES = OF_MAJORS;
    const SetupArgs &a;
    // Of the rows that this thread has led.
    uint32_t entries = 0, extra = 0, missing = 0, scattered = 0, bad = 0, next_to_diagonal = 0, near = 0, off_band = 0, bare = 0;

    __device__ uint2 span(uint32_t i) const {
        const P *ptr = (const P *)a.ptr;
        uint32_t begin = (uint32_t)ptr[i] - a.base;
        return make_uint2(begin, (uint32_t)ptr[i + 1] - a.base - begin);
    }
    __device__ uint32_t number(uint32_t i) const { return i; }

    template <class Team>
    __device__ void visit(uint32_t i, uint2 span, const Team &team) {
        constexpr int U = 4;  // entries that are loaded together
        const I *ind = (const I *)a.ind;
        uint32_t first = NONE, stop = 0, kept = 0, diag = NONE, diags = 0, past = team.end(span.y);
        for (uint32_t k = team.begin(); k < past; k += U * team.size) {
            uint64_t column[U];
#pragma unroll
            for (int u = 0; u < U; ++u) {
                bool in = k + u * team.size < past;
                column[u] = in ? (uint64_t)(int64_t)ind[span.x + k + u * team.size] - a.base : a.n;
            }
#pragma unroll
            for (int u = 0; u < U; ++u) {
                uint32_t e = span.x + k + u * team.size, j = (uint32_t)column[u];
                if (k + u * team.size >= past) continue;
                if (column[u] >= a.n) {
                    bad = 1;
                } else if (j == i) {
                    if (diags++ == 0) diag = e;
                } else if ((j < i) == (a.low != 0)) {
                    if (kept++ == 0) first = e;
                    stop = e + 1;
                    uint32_t distance = j < i ? i - j : j - i;
                    next_to_diagonal += distance == 1;
                    near += distance <= NEAR / a.node;
                    off_band += distance > off_band_from(a.n);
                }
            }
        }
        uint32_t sum[] = {kept, diags, stop, ~first, ~diag};
        if (!add_up_row<2>(team, sum, a.own_diag ? FULL : 1u | 1u << 2 | 1u << 3)) return;
        kept = sum[0], diags = sum[1], stop = sum[2], first = ~sum[3], diag = ~sum[4];
        if (kept == 0) first = stop = span.x;
        a.major[i] = make_uint4(first, stop, kept, diag);
        entries += kept;
        bare += kept == 0;
        scattered |= stop - first != kept;
        if (a.own_diag) {
            if (diags > 1) extra += diags - 1;
            if (diags == 0) missing = Max()(missing, ~i);
        }
    }
};

template <class P, class I>
__device__ void survey(const SetupArgs &a) {
    __shared__ uint32_t scratch[32];
    if (a.summary->bad_offsets) {
        a.summary->bad = 1;
        return;
    }
    Survey<P, I> s{a};
    each_row(a, a.n, s);
    Block block(scratch);
    uint32_t bad = block.reduce(s.bad, Max()), scattered = block.reduce(s.scattered, Max());
    uint32_t entries = block.reduce(s.entries, Sum()), extra = block.reduce(s.extra, Sum());
    uint32_t missing = block.reduce(s.missing, Max()), next = block.reduce(s.next_to_diagonal, Sum());
    uint32_t bare = block.reduce(s.bare, Sum()), off_band = block.reduce(s.off_band, Sum());
    uint32_t near = block.reduce(s.near, Sum());
    if (block.rank != 0) return;
    if (bad) atomicOr(&a.summary->bad, 1u);
    if (scattered) atomicOr(&a.summary->scattered, 1u);
    if (entries) atomicAdd(&a.summary->entries, entries);
    if (extra) atomicAdd(&a.summary->extra, extra);
    if (missing) atomicMax(&a.summary->missing, missing);
    if (next) atomicAdd(&a.summary->next_to_diagonal, next);
    if (bare) atomicAdd(&a.summary->bare, bare);
    if (near) atomicAdd(&a.summary->near, near);
    if (off_band) atomicAdd(&a.summary->off_band, off_band);
}

#define OFFSETS(p, P)                                                                                      \
    extern "C" __global__ void __launch_bounds__(256) setup_offsets_##p(const GRID_CONSTANT SetupArgs a) { \
        begin_kernel(a);                                                                                   \
        offsets<P>(a);                                                                                     \
    }
FOR_EACH_INDEX(OFFSETS)

#define SURVEY(p, P, i, I)                                                                                          \
    extern "C" __global__ void __launch_bounds__(TEAM_BLOCK) setup_survey_##p##i(const GRID_CONSTANT SetupArgs a) { \
        begin_kernel(a);                                                                                            \
        survey<P, I>(a);                                                                                            \
    }
SURVEY(i, int32_t, i, int32_t)
SURVEY(l, int64_t, i, int32_t)
SURVEY(l, int64_t, l, int64_t)
