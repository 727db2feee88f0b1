// Setup: a sample of rows, for whether the pattern is irregular, which src/analysis/irregular.rs explains; and values that are
// gathered piece by piece.
#pragma once
#include "setup.cuh"
#include "shared/tuning.h"

// A thread takes a pair of majors.
template <class I>
__device__ void sample_rows(const SetupArgs &a) {
    __shared__ uint32_t scratch[32];
    const I *ind = (const I *)a.ind;
    auto distance = [](uint32_t i, uint32_t j) { return i < j ? j - i : i - j; };
    uint32_t pair = thread_index(), entries = 0, irregular = 0;
    if (pair < IRREGULAR_PAIRS) {
        uint32_t i = pair * (a.n / IRREGULAR_PAIRS);
        uint4 major = a.major[i], next = a.major[i + 1];
        uint32_t both = Min()(major.z, next.z);
        entries = Min()(both, IRREGULAR_ENTRIES);
        for (uint32_t e = 0; e < entries; ++e) {
            uint32_t k = (uint32_t)((uint64_t)e * both / entries);
            uint32_t j = (uint32_t)ind[major.x + k] - a.base, beside = (uint32_t)ind[next.x + k] - a.base;
            irregular += distance(i, j) > a.n / IRREGULAR_FAR_PART && distance(j, beside) > IRREGULAR_BESIDE;
        }
    }
    Block block(scratch);
    entries = block.reduce(entries, Sum());
    irregular = block.reduce(irregular, Sum());
    if (block.rank != 0 || entries == 0) return;
    atomicAdd(&a.summary->sampled, entries);
    atomicAdd(&a.summary->irregular, irregular);
}

#define IRREGULAR(i, I) \
    SETUP_KERNEL(setup_irregular_##i, 256) { sample_rows<I>(a); }
FOR_EACH_INDEX(IRREGULAR)

// Keys for the sort of entries by the piece of `span` values in which each entry's lies.
SETUP_KERNEL(setup_piece_keys, 256) {
    uint32_t e = thread_index();
    if (e >= a.count) return;
    a.key_out[e] = a.out_val[e] / a.span;
    ((uint32_t *)a.value_out)[e] = e;
}

// Where each gathered value comes from, by the sorted entries; and of each entry, which of them is its own.
SETUP_KERNEL(setup_pieces, 256) {
    uint32_t k = thread_index();
    if (k >= a.count) return;
    uint32_t e = ((const uint32_t *)a.value_in)[k];
    ((uint32_t *)a.value_out)[k] = a.out_val[e];
    a.out_val[e] = k;
}
