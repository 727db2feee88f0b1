#include <cstdint>

#include "occupy.h"

// Ends by the clock: nobody is waited for.
static __global__ void stay(uint64_t nanoseconds) {
    uint64_t begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < nanoseconds);
}

static __global__ void fall(int how, uint32_t *place) {
    if (how == TRAP) asm volatile("trap;");
    *reinterpret_cast<volatile uint32_t *>(place) = 1;
}

cudaError_t occupy(cudaStream_t stream, int blocks, int threads, double seconds) {
    stay<<<blocks, threads, 0, stream>>>(static_cast<uint64_t>(seconds * 1e9));
    return cudaGetLastError();
}

cudaError_t break_context(cudaStream_t stream, int how) {
    void *memory = nullptr;
    cudaError_t error = cudaMalloc(&memory, 64);
    if (error != cudaSuccess) return error;
    uintptr_t address = how == MISALIGNED ? reinterpret_cast<uintptr_t>(memory) + 1 : 64;
    fall<<<1, 1, 0, stream>>>(how, reinterpret_cast<uint32_t *>(address));
    return cudaGetLastError();
}
