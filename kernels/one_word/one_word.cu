// ONE_WORD: row-wise in level order. There are two work vectors, and each solve resets the other one to the sentinel
// for the next solve.
#include "one_word.cuh"

template <bool SEGMENTS, class T>
__device__ void one_column(const SolveArgs<T> &a) {
    wait_for_previous_kernel();
    ThroughL2<1, T> exchange(a);
    one_word<1, SEGMENTS>(a, columns_of(a), exchange);
}

// Blocks on a multiprocessor that leave a thread enough registers.
template <class T>
constexpr int BLOCKS = sizeof(T) > 8 ? ROWS_BLOCKS : ONE_WORD_BLOCKS_CACHED;

#define KERNEL(t)                                                                    \
    extern "C" __global__ void __launch_bounds__(ROWS_BLOCK, BLOCKS<t##_type>)         \
        one_word_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {                    \
        one_column<false>(a);                                                        \
    }                                                                                \
    extern "C" __global__ void __launch_bounds__(ROWS_BLOCK, BLOCKS<t##_type>)         \
        one_word_segments_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {           \
        one_column<true>(a);                                                         \
    }                                                                                \
    extern "C" __global__ void __launch_bounds__(128)                                \
        one_word_level_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {              \
        one_level(a);                                                                \
    }
FOR_EACH_TYPE(KERNEL)
