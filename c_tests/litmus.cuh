// What the litmus tests share: numbers to compare, memory, launches as the library makes them, and a kernel that is in the way.
#pragma once
#include <utility>
#include <vector>

#include "litmus.h"

// What the threads of a test have seen.
struct Outcome {
    unsigned long long published, wrong;
    unsigned timed_out;
};

// Of one thread, which reports them at the end.
struct Seen {
    uint32_t published = 0, wrong = 0;

    __device__ void compare(bool is_right) {
        ++published;
        wrong += !is_right;
    }
    __device__ void report(Outcome *outcome) const {
        atomicAdd(&outcome->published, (unsigned long long)published);
        if (wrong) atomicAdd(&outcome->wrong, (unsigned long long)wrong);
    }
};

// A number that depends on all bits of `k`. Source: S. Vigna's splitmix64.
__host__ __device__ inline uint64_t mixed(uint64_t k) {
    k = (k ^ k >> 30) * 0xbf58476d1ce4e5b9ull;
    k = (k ^ k >> 27) * 0x94d049bb133111ebull;
    return k ^ k >> 31;
}
// What word `word` is in a launch. No two launches publish the same, so an old one is noticed.
__host__ __device__ inline uint64_t bits_of(uint32_t launch, uint64_t word) {
    return mixed(((uint64_t)launch << 40) + word + 0x9e3779b97f4a7c15ull);
}

// Stores and adds all over a buffer until it is told to stop, at most for half a minute.
static __global__ void disturb(uint32_t *buffer, uint32_t words, const volatile uint32_t *stop) {
    uint64_t begin = nanoseconds(), k = mixed(blockIdx.x * blockDim.x + threadIdx.x + 1);
    while (!*stop && nanoseconds() - begin < 30000000000ull)
        for (int round = 0; round < 64; ++round) {
            k = mixed(k + round);
            if (k & 1) atomicAdd(buffer + (k >> 8) % words, 1u);
            else buffer[(k >> 8) % words] = (uint32_t)k;
        }
}

// Memory, streams and the first error of a test.
struct Lab {
    cudaError_t error = cudaSuccess;
    cudaDeviceProp gpu = {};
    cudaStream_t stream = nullptr, other = nullptr;
    std::vector<void *> memory, page;
    Outcome *outcome = nullptr;
    State *state = nullptr;
    uint32_t *stop = nullptr, *failed = nullptr;
    static constexpr uint32_t WORDS = 1u << 24;
    uint32_t *disturbed = nullptr;
    bool is_disturbed = false;

    void check(cudaError_t e) {
        if (error == cudaSuccess) error = e;
    }
    template <class T>
    T *device(size_t count, int byte) {
        void *p = nullptr;
        check(cudaMalloc(&p, count * sizeof(T)));
        if (error != cudaSuccess) return nullptr;
        memory.push_back(p);
        check(cudaMemset(p, byte, count * sizeof(T)));
        return static_cast<T *>(p);
    }
    // In page-locked memory, which the device sees at the same address.
    uint32_t *host(size_t count) {
        void *p = nullptr;
        check(cudaHostAlloc(&p, count * sizeof(uint32_t), cudaHostAllocMapped));
        if (error != cudaSuccess) return nullptr;
        page.push_back(p);
        for (size_t k = 0; k < count; ++k) static_cast<uint32_t *>(p)[k] = 0;
        return static_cast<uint32_t *>(p);
    }
    Lab() {
        check(cudaGetDeviceProperties(&gpu, 0));
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
        outcome = device<Outcome>(1, 0);
        state = device<State>(1, 0);
        stop = host(1);
        failed = host(1);
        reset();
        disturbed = device<uint32_t>(WORDS, 0);
    }
    // Before the first launch, as what allocates memory may wait for all kernels.
    void begin_to_disturb() {
        if (is_disturbed) return;
        is_disturbed = true;
        check(cudaDeviceSynchronize());
        if (error == cudaSuccess) disturb<<<gpu.multiProcessorCount / 4, 256, 0, other>>>(disturbed, WORDS, stop);
        check(cudaGetLastError());
    }
    ~Lab() {
        for (void *p : memory) cudaFree(p);
        for (void *p : page) cudaFreeHost(p);
        if (stream) cudaStreamDestroy(stream);
        if (other) cudaStreamDestroy(other);
    }
    // The state as an analysis leaves it.
    void reset() {
        if (error != cudaSuccess) return;
        State fresh = {};
        fresh.pivot[0] = fresh.pivot[1] = NONE;
        for (uint32_t q = 0; q < QUEUES; ++q) fresh.queue[q].next = q;
        check(cudaMemcpy(state, &fresh, sizeof fresh, cudaMemcpyHostToDevice));
    }
    // Launches a kernel before the previous one has ended, as the library does where the GPU can.
    template <class... Formal, class... Actual>
    void launch(void (*kernel)(Formal...), int blocks, int threads, size_t shared, Actual... arguments) {
        begin_to_disturb();
        if (error != cudaSuccess) return;
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(blocks);
        config.blockDim = dim3(threads);
        config.dynamicSmemBytes = shared;
        config.stream = stream;
        config.attrs = &attribute;
        config.numAttrs = gpu.major >= 9 ? 1 : 0;
        check(cudaLaunchKernelEx(&config, kernel, Formal(arguments)...));
    }
    cudaError_t finish(Litmus *result) {
        check(cudaStreamSynchronize(stream));
        if (stop) *static_cast<volatile uint32_t *>(stop) = 1;
        check(cudaStreamSynchronize(other));
        Outcome seen = {};
        if (error == cudaSuccess) check(cudaMemcpy(&seen, outcome, sizeof seen, cudaMemcpyDeviceToHost));
        *result = {seen.published, seen.wrong, seen.timed_out};
        return error;
    }
};
