// Publishing, waiting, tickets and the watchdog: the only memory-order code of the kernels.
//
// Two protocols, both by the PTX memory model (so for Volta and later):
//
// 1. Counter. A producer stores a result, every lane fences (`publish_fence`) and then lowers the counters
//    of its dependents with relaxed atomics. A consumer's leading lane polls its counter with acquire loads
//    and meets its warp at __syncwarp, which extends the order to the other lanes' plain loads.
//
// 2. One word. The result is its own flag: work vectors hold the pattern ARMED until the result is stored
//    with one relaxed store of a naturally aligned word, so a consumer that reads anything else has the
//    whole result. No second location is involved, hence no fence. A computed word that equals ARMED (a NaN
//    with all bits set) is stored as the default NaN. Complex values are two words, each its own flag.
//
// Progress: work is handed out by a ticket in an order in which every dependency has a smaller number, and
// a warp that holds a ticket is resident. So the smallest unfinished piece of work never waits for one
// that has not begun, whatever the order in which the hardware starts blocks.
#pragma once
#include "args.cuh"
#include "scalar.cuh"

__device__ inline uint32_t load_relaxed(const uint32_t *p) {
    uint32_t v;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ inline uint64_t load_relaxed(const uint64_t *p) {
    uint64_t v;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}
__device__ inline uint32_t load_acquire(const uint32_t *p) {
    uint32_t v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ inline void store_relaxed(uint32_t *p, uint32_t v) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ inline void store_relaxed(uint64_t *p, uint64_t v) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}
__device__ inline uint64_t nanoseconds() {
    uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__device__ inline void publish_fence() { __threadfence(); }

// Ends a wait that sees no progress. `turn()` is called once per poll and is cheap; it returns false when
// the wait must be given up. Progress is a ticket handed out somewhere since the last look.
struct Watchdog {
    State *state;
    volatile uint32_t *host_failed;
    uint64_t limit, since = 0;
    uint32_t turns = 0, ticket = 0;

    template <class T>
    __device__ explicit Watchdog(const SolveArgs<T> &a)
        : state(a.state), host_failed(a.host_failed), limit(a.timeout_ns) {}

    __device__ __forceinline__ bool turn() {
        if ((++turns & 255u) != 0) return true;
        return look();
    }

    __device__ __noinline__ bool look() {
        if (load_relaxed(&state->failed)) return false;
        if (limit == 0) return true;
        uint64_t now = nanoseconds();
        uint32_t t = load_relaxed(&state->ticket);
        if (since == 0 || t != ticket) {
            since = now;
            ticket = t;
        } else if (now - since > limit) {
            store_relaxed(&state->failed, 1u);
            *host_failed = 1;
            __threadfence_system();
            return false;
        }
        return true;
    }
};

// The next of `count` pieces of work for the whole block, in the order of asking.
__device__ inline uint32_t block_ticket(State *state) {
    __shared__ uint32_t ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(&state->ticket, 1u);
    __syncthreads();
    return ticket;
}

// One-word values ------------------------------------------------------------------------------------

template <class R>
struct Word;
template <>
struct Word<float> {
    using bits = uint32_t;
    static constexpr uint32_t armed = 0xffffffffu;
    __device__ static float value(uint32_t b) { return __uint_as_float(b); }
    __device__ static uint32_t pack(float v) {
        uint32_t b = __float_as_uint(v);
        return b == armed ? 0x7fffffffu : b;
    }
};
template <>
struct Word<double> {
    using bits = uint64_t;
    static constexpr uint64_t armed = 0xffffffffffffffffull;
    __device__ static double value(uint64_t b) { return __longlong_as_double((long long)b); }
    __device__ static uint64_t pack(double v) {
        uint64_t b = (uint64_t)__double_as_longlong(v);
        return b == armed ? 0x7fffffffffffffffull : b;
    }
};

// Reads a value if it has been published.
template <class R>
__device__ __forceinline__ bool try_read(const R *p, R &v) {
    using W = Word<R>;
    auto b = load_relaxed((const typename W::bits *)p);
    v = W::value(b);
    return b != W::armed;
}
template <class R>
__device__ __forceinline__ bool try_read(const Complex<R> *p, Complex<R> &v) {
    bool re = try_read(&p->re, v.re);
    bool im = try_read(&p->im, v.im);
    return re && im;
}

template <class R>
__device__ __forceinline__ void publish(R *p, R v) {
    using W = Word<R>;
    store_relaxed((typename W::bits *)p, W::pack(v));
}
template <class R>
__device__ __forceinline__ void publish(Complex<R> *p, Complex<R> v) {
    publish(&p->re, v.re);
    publish(&p->im, v.im);
}

// Makes a word ready for the next solve but one. Nobody reads it in this solve.
template <class R>
__device__ __forceinline__ void arm(R *p) {
    *(typename Word<R>::bits *)p = Word<R>::armed;
}
template <class R>
__device__ __forceinline__ void arm(Complex<R> *p) {
    arm(&p->re);
    arm(&p->im);
}
