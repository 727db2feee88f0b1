// Before a factorisation: resets `work` to the sentinel, the ticket to zero and the pivot to none.
#include "factor/factor.cuh"

constexpr uint32_t FACTOR_BLOCK = FACTOR_WARPS * WARP;  // threads

template <class T>
__device__ void factor_begin(const FactorArgs<T> &a) {
    wait_for_previous_kernel();
    using Bits = typename Word<typename Real<T>::type>::bits;
    auto *words = reinterpret_cast<Bits *>(a.solve.work);
    size_t count = (size_t)a.solve.values * (sizeof(T) / sizeof(Bits)), step = (size_t)gridDim.x * FACTOR_BLOCK;
    size_t first = (size_t)blockIdx.x * FACTOR_BLOCK + threadIdx.x;
    for (size_t k = first; k < count; k += step) words[k] = Word<typename Real<T>::type>::sentinel;
    if (first == 0) {
        a.solve.state->ticket = 0;
        a.solve.state->pivot[1] = NONE;
    }
}

#define KERNEL(t)                                                              \
    extern "C" __global__ void __launch_bounds__(FACTOR_BLOCK)                 \
        factor_begin_##t(const GRID_CONSTANT FactorArgs<t##_type> a) {         \
        factor_begin(a);                                                       \
    }
FOR_EACH_TYPE(KERNEL)
