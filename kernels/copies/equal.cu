// Whether two arrays are equal, word by word.
#include "device/sync.cuh"
#include "shared/copies.h"

extern "C" __global__ void __launch_bounds__(EQUAL_BLOCK) equal_words(const GRID_CONSTANT EqualArgs args) {
    wait_for_previous_kernel();
    // Where the arrays of a launch before this one differ, these need not be as long.
    if (*(volatile uint32_t *)args.differ) return;
    uint64_t first = (uint64_t)blockIdx.x * (EQUAL_BLOCK * EQUAL_WORDS) + threadIdx.x;
    bool differ = false;
#pragma unroll
    for (uint32_t k = 0; k < EQUAL_WORDS; ++k) {
        uint64_t i = first + k * EQUAL_BLOCK;
        if (i < args.words) differ |= args.a[i] != args.b[i];
    }
    if (differ) *(volatile uint32_t *)args.differ = 1;
}
