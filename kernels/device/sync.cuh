// Publishing, waiting, tickets and the watchdog: the only memory-order code of the kernels.
//
// Two protocols, both by the PTX memory model (so for Volta and later):
//
// 1. Counter. A producer stores a result, every lane fences (`publish_fence`) and then lowers the counters
//    of its dependents with relaxed atomics. A consumer's leading lane polls its counter with acquire loads
//    and meets its warp at __syncwarp, which extends the order to the other lanes' plain loads.
//
// 2. One word. The result is its own flag: work vectors hold the pattern SENTINEL until one relaxed store of a naturally aligned
//    word, or one relaxed `and`, makes it the result, so a consumer that reads anything else has the whole result. No second
//    location is involved, hence no fence. A computed word that equals SENTINEL (a NaN with all bits set) is stored as the default
//    NaN. Complex values are two words, each its own flag.
//
// Progress: work is handed out by a ticket in an order in which every dependency has a smaller number, and
// a warp that holds a ticket is resident. So the smallest unfinished piece of work never waits for one
// that has not begun, whatever the order in which the hardware starts blocks.
//
// Parity: consecutive solves alternate between two work vectors and two pivots. A solve resets those of the next solve:
// the work vector to the sentinel, and the pivot. The upper bits of the counter of tickets say which ones a solve uses
// (its parity), and come with the first ticket. Each warp or block takes a known number of tickets beyond the last work
// item before it ends. So whoever takes the very last ticket knows that it is the last, and leaves the counter as the
// next solve expects it. Nothing is left to the end of a solve, and nobody has to be waited for there.
#pragma once
#include "args.cuh"
#include "scalar.cuh"

// GPUs before Volta have no memory model and no scoped accesses: volatile ones that bypass L1, and fences,
// take their place.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define BEFORE_VOLTA
#endif
#ifdef BEFORE_VOLTA
#define LOAD_RELAXED "ld.volatile.global"
#define STORE_RELAXED "st.volatile.global"
#define REDUCE "red.global"
#define GRID_CONSTANT
#else
#define LOAD_RELAXED "ld.relaxed.gpu.global"
#define STORE_RELAXED "st.relaxed.gpu.global"
#define REDUCE "red.relaxed.gpu.global"
#define GRID_CONSTANT __grid_constant__
#endif

// Lets a waiting warp rest for about that long.
__device__ __forceinline__ void rest(uint32_t ns) {
#ifndef BEFORE_VOLTA
    __nanosleep(ns);
#endif
}
// How long it rests where what it waits for is near.
constexpr uint32_t SHORT_REST = 40;

__device__ inline uint32_t load_relaxed(const uint32_t *p) {
    uint32_t v;
    asm volatile(LOAD_RELAXED ".u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ inline uint64_t load_relaxed(const uint64_t *p) {
    uint64_t v;
    asm volatile(LOAD_RELAXED ".u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}
__device__ inline uint32_t load_acquire(const uint32_t *p) {
    uint32_t v;
#ifdef BEFORE_VOLTA
    v = load_relaxed(p);
    __threadfence();
#else
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
#endif
    return v;
}
__device__ inline void store_relaxed(uint32_t *p, uint32_t v) {
    asm volatile(STORE_RELAXED ".u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ inline void store_relaxed(uint64_t *p, uint64_t v) {
    asm volatile(STORE_RELAXED ".u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}
// A plain load that the compiler leaves where it is: behind stores of other warps to words beside it, it takes tens of
// microseconds.
__device__ __forceinline__ uint32_t load_first(const uint32_t *p) {
    uint32_t v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
// Shared memory. Words there that one warp stores and others poll, of so many bits, with the order and scope that is named.
//
// Tools that look for races know barriers and atomic operations, and no such words. With SPTRSV_RACECHECK, which build.rs tells of,
// the words go by atomic operations, so that a tool finds whatever else races.
#ifdef SPTRSV_RACECHECK
#define LOAD_SHARED(ORDER, BITS, TO, FROM) "atom." ORDER ".shared.or.b" BITS " " TO ", [" FROM "], 0;"
#define STORE_SHARED(ORDER, BITS, TO, V) "atom." ORDER ".shared.exch.b" BITS " _, [" TO "], " V ";"
#define STORE_CLUSTER(BITS, TO, V) "atom.relaxed.cluster.exch.b" BITS " _, [" TO "], " V ";"
#define VOLATILE "relaxed.cta"
__device__ __forceinline__ uint32_t load_volatile(const uint32_t *p) { return atomicOr(const_cast<uint32_t *>(p), 0u); }
__device__ __forceinline__ void store_volatile(uint32_t *p, uint32_t v) { atomicExch(p, v); }
#else
#define LOAD_SHARED(ORDER, BITS, TO, FROM) "ld." ORDER ".shared.u" BITS " " TO ", [" FROM "];"
#define STORE_SHARED(ORDER, BITS, TO, V) "st." ORDER ".shared.u" BITS " [" TO "], " V ";"
#define STORE_CLUSTER(BITS, TO, V) "st.relaxed.cluster.u" BITS " [" TO "], " V ";"
#define VOLATILE "volatile"
__device__ __forceinline__ uint32_t load_volatile(const uint32_t *p) { return *(const volatile uint32_t *)p; }
__device__ __forceinline__ void store_volatile(uint32_t *p, uint32_t v) { *(volatile uint32_t *)p = v; }
#endif
__device__ __forceinline__ uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

// A flag beside its payload. Acquire and release keep the assembler from moving either.
__device__ __forceinline__ uint32_t load_acquire_shared(const uint32_t *p) {
    uint32_t v;
#ifdef BEFORE_VOLTA
    v = load_volatile(p);
    __threadfence_block();
#else
    asm volatile(LOAD_SHARED("acquire.cta", "32", "%0", "%1") : "=r"(v) : "r"(shared_address(p)) : "memory");
#endif
    return v;
}
__device__ __forceinline__ void store_release_shared(uint32_t *p, uint32_t v) {
#ifdef BEFORE_VOLTA
    __threadfence_block();
    store_volatile(p, v);
#else
    asm volatile(STORE_SHARED("release.cta", "32", "%0", "%1") ::"r"(shared_address(p)), "r"(v) : "memory");
#endif
}
__device__ __forceinline__ void add_release_shared(uint32_t *p, uint32_t v) {
    __threadfence_block();
    atomicAdd(p, v);
}
__device__ inline uint64_t nanoseconds() {
    uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__device__ inline void publish_fence() { __threadfence(); }

// Counts the caller among `all`. True for the last one: it sees what each has done before, by stores or by relaxed atomics.
__device__ __forceinline__ bool comes_last(uint32_t *done, uint32_t all) {
    publish_fence();
    if (atomicAdd(done, 1u) + 1 < all) return false;
    publish_fence();
    return true;
}

// Waits until what was enqueued before this kernel is done and seen. To be called first by every kernel that is launched
// before the previous one has ended (`Launcher::kernel_overlapped`); nothing elsewhere.
__device__ __forceinline__ void wait_for_previous_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Lets the blocks of the next kernel begin as soon as there is room for them, where that one waits for this one to end.
__device__ __forceinline__ void let_next_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// What the watchdog remembers between two checks: when it last looked, what it saw of the solve's progress, and for how many parts
// of its limit it has seen none. `at` is GIVEN_UP when the wait must end.
struct LastProgress {
    uint64_t at;
    uint32_t progress, idle;
};
constexpr uint64_t GIVEN_UP = ~0ull;
constexpr uint32_t IDLE_PARTS = 64;

// Goes on from what a check remembers at a time `now`. Between two checks a quarter of the limit passes at most, however long that
// was: so a solve goes on that was stopped for a while, with its GPU or its whole machine.
__host__ __device__ __forceinline__ LastProgress count_idle(LastProgress last, uint64_t now, uint32_t progress, uint64_t limit) {
    if (last.at == 0 || progress != last.progress) return {now, progress, 0};
    uint64_t part = limit / IDLE_PARTS + 1;
    // Clocks of multiprocessors may differ by a tick.
    if (now < last.at + part) return last;
    uint64_t parts = (now - last.at) / part;
    return {now, progress, last.idle + (uint32_t)(parts < IDLE_PARTS / 4 ? parts : IDLE_PARTS / 4)};
}

// What a check finds.
__device__ __forceinline__ LastProgress find(State *state, volatile uint32_t *host_failed, uint64_t limit, LastProgress last) {
    if (load_relaxed(&state->failed)) return {GIVEN_UP, 0, 0};
    if (limit == 0) return last;
    // None changes but where work goes on, so their sum tells whether any does.
    uint32_t progress = load_relaxed(&state->ticket) + load_relaxed(&state->progress);
    for (uint32_t q = 0; q < QUEUES; ++q) progress += load_relaxed(&state->queue[q].next);
    last = count_idle(last, nanoseconds(), progress, limit);
    if (last.idle < IDLE_PARTS) return last;
    store_relaxed(&state->failed, 1u);
    *host_failed = 1;
    __threadfence_system();
    return {GIVEN_UP, 0, 0};
}
// `last` by value, so that nothing of a waiting kernel has to live in local memory.
__device__ __noinline__ LastProgress watchdog_poll(State *state, volatile uint32_t *host_failed, uint64_t limit, LastProgress last) {
    return find(state, host_failed, limit, last);
}
// The same with the arguments where the kernel has them, so that a wait that ends soon does not load them.
template <class T>
__device__ __noinline__ LastProgress watchdog_poll(const SolveArgs<T> *a, LastProgress last) {
    return find(a->state, a->host_failed, a->timeout_ns, last);
}

// Ends a wait that sees no progress. `keep_waiting()` is called once per poll and is cheap; it returns false when the
// wait must be given up. Progress is a ticket handed out somewhere, or a tile walked on, since the last check.
template <class T>
struct Watchdog {
    const SolveArgs<T> &a;
    LastProgress last = {0, 0, 0};
    uint32_t polls = 0;

    __device__ __forceinline__ explicit Watchdog(const SolveArgs<T> &args) : a(args) {}

    static constexpr uint32_t POLLS = 256;  // from one check of the clock to the next

    __device__ __forceinline__ bool keep_waiting() { return ++polls % POLLS != 0 || check(); }
    // The same by all lanes of a warp, which go on together or not at all.
    __device__ __forceinline__ bool keep_waiting_together() { return ++polls % POLLS != 0 || __all_sync(0xffffffffu, check()); }

    __device__ __forceinline__ bool check() {
        last = watchdog_poll(&a, last);
        return last.at != GIVEN_UP;
    }
};

// Ends when `poll` has found in every lane of the warp what it waits for, or by the watchdog: then false.
template <class T, class Poll>
__device__ __forceinline__ bool spin(const SolveArgs<T> &a, const Poll &poll) {
    Watchdog<T> dog(a);
    do {
#pragma unroll 2
        for (uint32_t k = 0; k < Watchdog<T>::POLLS; ++k)
            if (!__any_sync(0xffffffffu, poll())) return true;
    } while (__all_sync(0xffffffffu, dog.check()));
    return false;
}

// The next piece of work for the whole block, in the order of asking.
__device__ inline uint32_t block_ticket(State *state) {
    __shared__ uint32_t ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(&state->ticket, 1u);
    __syncthreads();
    return ticket;
}

template <class T>
__device__ __forceinline__ T *work_of(const SolveArgs<T> &a, uint32_t parity) {
    return a.work + (parity & WORK_BIT ? a.words : 0u);
}
__device__ __forceinline__ uint32_t *pivot_of(State *state, uint32_t parity) {
    return &state->pivot[parity & PIVOT_BIT ? 1 : 0];
}
__device__ __forceinline__ void note_zero_pivot(State *state, uint32_t parity, uint32_t row) {
    atomicMin(pivot_of(state, parity), row);
}
constexpr uint32_t BOTH = WORK_BIT | PIVOT_BIT;
// What a solve for NR columns passes on: the other ones of both, or of pivots where it has no use for work vectors.
template <int NR>
constexpr uint32_t PASSED_ON = NR == 1 ? BOTH : PIVOT_BIT;

// Leaves queue `q` for the next solve, which finds the other ones of what `passes_on` names.
__device__ __forceinline__ void leave_queue(State *state, uint32_t q, uint32_t parity, uint32_t passes_on) {
    uint32_t next = (parity ^ passes_on) & BOTH;
    if (q == 0 && passes_on & PIVOT_BIT) *pivot_of(state, next) = NONE;
    state->queue[q].next = next | q;
}
// The same for all of them, by a solve that knows by itself that nobody takes a ticket any more.
__device__ __forceinline__ void leave_queues(State *state, uint32_t parity, uint32_t passes_on) {
    for (uint32_t q = 0; q < QUEUES; ++q) leave_queue(state, q, parity, passes_on);
}

// The parity of a warp's solve, where it is rarely wanted.
__device__ __forceinline__ uint32_t &parity_of_warp() {
    constexpr int MOST_WARPS = 8;
    __shared__ uint32_t parity[MOST_WARPS];
    return parity[threadIdx.x / 32];
}
__device__ __forceinline__ void note_parity(uint32_t parity) {
    if (threadIdx.x % 32 == 0) parity_of_warp() = parity;
    __syncwarp();
}

// Notes the parity of a solve that takes no tickets.
__device__ __forceinline__ uint32_t note_parity_of(State *state) {
    uint32_t parity = load_relaxed(&state->queue[0].next);
    note_parity(parity);
    return parity;
}

// Takes work items from `begin` on for a warp. They are dealt out to the queues one by one, and each warp of a block takes
// tickets of one queue. So every block that is resident takes tickets of every queue, and no work item of a queue is left when a
// later one has been taken: the argument at the beginning holds for each.
struct WorkItems {
    State *state;
    uint32_t begin;
    uint32_t first;  // the first ticket, in all lanes

    static __device__ __forceinline__ uint32_t queue() { return threadIdx.x / 32 % QUEUES; }

    __device__ __forceinline__ WorkItems(State *of, uint32_t begin_with) : state(of), begin(begin_with) {
        first = __shfl_sync(0xffffffffu, take_ticket(), 0);
        note_parity(first);
    }
    // In one lane. Nothing is computed from the number here: that would wait for it.
    __device__ __forceinline__ uint32_t take_ticket() const {
        return threadIdx.x % 32 == 0 ? atomicAdd(&state->queue[queue()].next, QUEUES) : 0u;
    }
    __device__ __forceinline__ uint32_t work_item_of(uint32_t number) const { return begin + (number & ~BOTH); }
    // That of lane 0's ticket, in all lanes.
    __device__ __forceinline__ uint32_t of_ticket(uint32_t number) const {
        return work_item_of(__shfl_sync(0xffffffffu, number, 0));
    }
    // To be called when all work items up to `end` have been taken, with the last one of so many tickets beyond them.
    __device__ __forceinline__ void leave(uint32_t end, uint32_t last, uint32_t beyond, uint32_t passes_on) const {
        uint32_t q = queue(), work_items = (end - begin + QUEUES - 1 - q) / QUEUES;
        if (threadIdx.x % 32 == 0 && last == begin + q + (work_items + beyond * gridDim.x - 1) * QUEUES)
            leave_queue(state, q, parity_of_warp(), passes_on);
    }
};

// Phases of a launch, each of which begins when all of the one before is done. Every phase has as many shares as there are
// blocks, which take them by ticket: so those of a phase that is waited for are done, or in the hands of blocks that are
// resident, and the argument at the beginning holds. Whatever a block has stored in a phase all blocks see in the next.
struct Phases {
    uint32_t *next, *done;  // zero at the beginning: shares that have been taken, and that are done
    uint32_t number, share;

    __device__ __forceinline__ Phases(uint32_t *counter, uint32_t *counted_in) : next(counter), done(counted_in) {}
    // Takes the block's next share; the number of its phase.
    __device__ __forceinline__ uint32_t take_ticket() {
        __shared__ uint32_t ticket;
        __syncthreads();
        if (threadIdx.x == 0) ticket = atomicAdd(next, 1u);
        __syncthreads();
        number = ticket / gridDim.x;
        share = ticket % gridDim.x;
        return number;
    }
    // Waits for the phases before it. False if the watchdog ended the wait.
    template <class Dog>
    __device__ __forceinline__ bool begin(Dog &dog) const {
        bool ok = true;
        if (threadIdx.x < 32)
            while (ok && __any_sync(0xffffffffu, load_acquire(done) < number * gridDim.x)) ok = dog.keep_waiting();
        return __syncthreads_and(ok);
    }
    __device__ __forceinline__ void end() const {
        __syncthreads();
        if (threadIdx.x != 0) return;
        publish_fence();
        atomicAdd(done, 1u);
    }
};

// One-word values ------------------------------------------------------------------------------------

template <class R>
struct Word;
template <>
struct Word<float> {
    using bits = uint32_t;
    static constexpr uint32_t sentinel = 0xffffffffu;
    __device__ static float value(uint32_t b) { return __uint_as_float(b); }
    // A NaN that has all bits loses one. By a minimum, as a comparison takes three times as long.
    __device__ static uint32_t pack(float v) {
        uint32_t b = __float_as_uint(v);
        asm("min.u32 %0, %0, 0xfffffffe;" : "+r"(b));
        return b;
    }
    __device__ static uint32_t flag(uint32_t b) { return b; }
};
template <>
struct Word<double> {
    using bits = uint64_t;
    static constexpr uint64_t sentinel = 0xffffffffffffffffull;
    __device__ static double value(uint64_t b) { return __longlong_as_double((long long)b); }
    __device__ static uint64_t pack(double v) {
        uint64_t b = (uint64_t)__double_as_longlong(v);
        asm("{\n\t.reg .b32 low, high;\n\tmov.b64 {low, high}, %0;\n\tmin.u32 high, high, 0xfffffffe;\n\t"
            "mov.b64 %0, {low, high};\n\t}"
            : "+l"(b));
        return b;
    }
    // The upper half tells: only NaNs have these bits.
    __device__ static uint32_t flag(uint64_t b) {
        uint32_t high;
        asm("{\n\t.reg .b32 low;\n\tmov.b64 {low, %0}, %1;\n\t}" : "=r"(high) : "l"(b));
        return high;
    }
};

constexpr uint32_t SENTINEL = 0xffffffffu;
// Whether a value is the sentinel.
__device__ __forceinline__ bool is_absent(float v) { return __float_as_uint(v) == SENTINEL; }
__device__ __forceinline__ bool is_absent(double v) { return (uint32_t)__double2hiint(v) == SENTINEL; }
template <class R>
__device__ __forceinline__ bool is_absent(Complex<R> v) {
    return is_absent(v.re);
}

// A value as it is read: the words that it is made of. `flag()` is SENTINEL if and only if one of them is the sentinel.
template <class T>
struct Words {
    typename Word<T>::bits b;
    static __device__ __forceinline__ Words sentinel() { return {Word<T>::sentinel}; }
    static __device__ __forceinline__ Words of_zero() { return {0}; }
    __device__ __forceinline__ uint32_t flag() const { return Word<T>::flag(b); }
    __device__ __forceinline__ bool is_sentinel() const { return flag() == SENTINEL; }
    __device__ __forceinline__ T value() const { return Word<T>::value(b); }
};
template <class R>
struct Words<Complex<R>> {
    Words<R> re, im;
    static __device__ __forceinline__ Words sentinel() { return {Words<R>::sentinel(), Words<R>::sentinel()}; }
    static __device__ __forceinline__ Words of_zero() { return {Words<R>::of_zero(), Words<R>::of_zero()}; }
    __device__ __forceinline__ uint32_t flag() const { return max(re.flag(), im.flag()); }
    __device__ __forceinline__ bool is_sentinel() const { return flag() == SENTINEL; }
    __device__ __forceinline__ Complex<R> value() const { return {re.value(), im.value()}; }
};

// Reads a word again if it was still the sentinel. There is no branch, so the polls of a lane overlap.
__device__ __forceinline__ void poll(const float *p, Words<float> &w) {
    asm volatile(
        "{\n\t.reg .pred sentinel;\n\t"
        "setp.eq.u32 sentinel, %0, 0xffffffff;\n\t"
        "@sentinel " LOAD_RELAXED ".u32 %0, [%1];\n\t}"
        : "+r"(w.b)
        : "l"(p)
        : "memory");
}
__device__ __forceinline__ void poll(const double *p, Words<double> &w) {
    asm volatile(
        "{\n\t.reg .pred sentinel;\n\t.reg .b32 low, high;\n\tmov.b64 {low, high}, %0;\n\t"
        "setp.eq.u32 sentinel, high, 0xffffffff;\n\t"
        "@sentinel " LOAD_RELAXED ".u64 %0, [%1];\n\t}"
        : "+l"(w.b)
        : "l"(p)
        : "memory");
}
template <class R>
__device__ __forceinline__ void poll(const Complex<R> *p, Words<Complex<R>> &w) {
    poll(&p->re, w.re);
    poll(&p->im, w.im);
}

// Reads a word where `yes`, without a branch.
__device__ __forceinline__ void read_if(bool yes, const float *p, Words<float> &w) {
    asm volatile("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %2, 0;\n\t@yes " LOAD_RELAXED ".u32 %0, [%1];\n\t}"
                 : "+r"(w.b)
                 : "l"(p), "r"((uint32_t)yes)
                 : "memory");
}
__device__ __forceinline__ void read_if(bool yes, const double *p, Words<double> &w) {
    asm volatile("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %2, 0;\n\t@yes " LOAD_RELAXED ".u64 %0, [%1];\n\t}"
                 : "+l"(w.b)
                 : "l"(p), "r"((uint32_t)yes)
                 : "memory");
}
template <class R>
__device__ __forceinline__ void read_if(bool yes, const Complex<R> *p, Words<Complex<R>> &w) {
    read_if(yes, &p->re, w.re);
    read_if(yes, &p->im, w.im);
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

// The same where `yes`, without a branch, by an instruction for words of four bytes and one for eight.
#define PUBLISH_IF(name, INSTRUCTION_32, INSTRUCTION_64)                                                                 \
    __device__ __forceinline__ void name(bool yes, float *p, float v) {                                                  \
        asm volatile("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %2, 0;\n\t@yes " INSTRUCTION_32 " [%0], %1;\n\t}" ::"l"(p), \
                     "r"(Word<float>::pack(v)), "r"((uint32_t)yes)                                                       \
                     : "memory");                                                                                        \
    }                                                                                                                    \
    __device__ __forceinline__ void name(bool yes, double *p, double v) {                                                \
        asm volatile("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %2, 0;\n\t@yes " INSTRUCTION_64 " [%0], %1;\n\t}" ::"l"(p), \
                     "l"(Word<double>::pack(v)), "r"((uint32_t)yes)                                                      \
                     : "memory");                                                                                        \
    }                                                                                                                    \
    template <class R>                                                                                                   \
    __device__ __forceinline__ void name(bool yes, Complex<R> *p, Complex<R> v) {                                        \
        name(yes, &p->re, v.re);                                                                                         \
        name(yes, &p->im, v.im);                                                                                         \
    }
PUBLISH_IF(publish_if, STORE_RELAXED ".u32", STORE_RELAXED ".u64")

// The same by the units of atomic operations in L2: the sentinel has all bits set, so its conjunction with the value is
// the value. Where a multiprocessor stores much, these do not queue behind its stores; where not, they take longer.
__device__ __forceinline__ void publish_reduced(float *p, float v) {
    asm volatile(REDUCE ".and.b32 [%0], %1;" ::"l"(p), "r"(Word<float>::pack(v)) : "memory");
}
__device__ __forceinline__ void publish_reduced(double *p, double v) {
    asm volatile(REDUCE ".and.b64 [%0], %1;" ::"l"(p), "l"(Word<double>::pack(v)) : "memory");
}
template <class R>
__device__ __forceinline__ void publish_reduced(Complex<R> *p, Complex<R> v) {
    publish_reduced(&p->re, v.re);
    publish_reduced(&p->im, v.im);
}
PUBLISH_IF(publish_reduced_if, REDUCE ".and.b32", REDUCE ".and.b64")

// The same in shared memory, where a block publishes to itself.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define LOADED "relaxed.cluster"  // another block of the cluster may have written it
#elif defined(BEFORE_VOLTA)
#define LOADED VOLATILE
#else
#define LOADED "relaxed.cta"
#endif
#ifdef BEFORE_VOLTA
#define STORED VOLATILE
#else
#define STORED "relaxed.cta"
#endif

// Codes: without its highest bit one is the number of a value in global memory, with it it says where in shared memory
// one is. A word is read where its code is of that kind; else it stays as it is. There is no branch, and addresses are
// worked out anew, as registers are what is short.
template <int STRIDE>
__device__ __forceinline__ void read_far(const float *values, uint32_t code, Words<float> &w) {
    asm volatile(
        "{\n\t.reg .pred far;\n\t.reg .b64 a;\n\tsetp.ge.s32 far, %2, 0;\n\tmad.wide.u32 a, %2, %3, %1;\n\t"
        "@far " LOAD_RELAXED ".u32 %0, [a];\n\t}"
        : "+r"(w.b)
        : "l"(values), "r"(code), "n"(STRIDE)
        : "memory");
}
template <int STRIDE>
__device__ __forceinline__ void read_far(const double *values, uint32_t code, Words<double> &w) {
    asm volatile(
        "{\n\t.reg .pred far;\n\t.reg .b64 a;\n\tsetp.ge.s32 far, %2, 0;\n\tmad.wide.u32 a, %2, %3, %1;\n\t"
        "@far " LOAD_RELAXED ".u64 %0, [a];\n\t}"
        : "+l"(w.b)
        : "l"(values), "r"(code), "n"(STRIDE)
        : "memory");
}
template <int STRIDE, class R>
__device__ __forceinline__ void read_far(const Complex<R> *values, uint32_t code, Words<Complex<R>> &w) {
    read_far<STRIDE>(&values->re, code, w.re);
    read_far<STRIDE>(&values->im, code, w.im);
}
// Reads it again if it was still the sentinel.
template <int STRIDE>
__device__ __forceinline__ void poll_far(const float *values, uint32_t code, Words<float> &w) {
    asm volatile(
        "{\n\t.reg .pred sentinel;\n\t.reg .b64 a;\n\tsetp.eq.u32 sentinel, %0, 0xffffffff;\n\t"
        "mad.wide.u32 a, %2, %3, %1;\n\t@sentinel " LOAD_RELAXED ".u32 %0, [a];\n\t}"
        : "+r"(w.b)
        : "l"(values), "r"(code), "n"(STRIDE)
        : "memory");
}
template <int STRIDE>
__device__ __forceinline__ void poll_far(const double *values, uint32_t code, Words<double> &w) {
    asm volatile(
        "{\n\t.reg .pred sentinel;\n\t.reg .b64 a;\n\t.reg .b32 low, high;\n\tmov.b64 {low, high}, %0;\n\t"
        "setp.eq.u32 sentinel, high, 0xffffffff;\n\tmad.wide.u32 a, %2, %3, %1;\n\t"
        "@sentinel " LOAD_RELAXED ".u64 %0, [a];\n\t}"
        : "+l"(w.b)
        : "l"(values), "r"(code), "n"(STRIDE)
        : "memory");
}
template <int STRIDE, class R>
__device__ __forceinline__ void poll_far(const Complex<R> *values, uint32_t code, Words<Complex<R>> &w) {
    poll_far<STRIDE>(&values->re, code, w.re);
    poll_far<STRIDE>(&values->im, code, w.im);
}
// In shared memory the caller knows where.
__device__ __forceinline__ void read_near(uint32_t address, uint32_t code, Words<float> &w) {
    asm volatile("{\n\t.reg .pred near;\n\tsetp.lt.s32 near, %2, 0;\n\t@near " LOAD_SHARED(LOADED, "32", "%0", "%1") "\n\t}"
                 : "+r"(w.b)
                 : "r"(address), "r"(code)
                 : "memory");
}
__device__ __forceinline__ void read_near(uint32_t address, uint32_t code, Words<double> &w) {
    asm volatile("{\n\t.reg .pred near;\n\tsetp.lt.s32 near, %2, 0;\n\t@near " LOAD_SHARED(LOADED, "64", "%0", "%1") "\n\t}"
                 : "+l"(w.b)
                 : "r"(address), "r"(code)
                 : "memory");
}
template <class R>
__device__ __forceinline__ void read_near(uint32_t address, uint32_t code, Words<Complex<R>> &w) {
    read_near(address, code, w.re);
    read_near(address + (uint32_t)sizeof(R), code, w.im);
}
// Reads it again if it was still the sentinel.
__device__ __forceinline__ void poll_shared(uint32_t address, Words<float> &w) {
    asm volatile(
        "{\n\t.reg .pred sentinel;\n\tsetp.eq.u32 sentinel, %0, 0xffffffff;\n\t"
        "@sentinel " LOAD_SHARED(LOADED, "32", "%0", "%1") "\n\t}"
        : "+r"(w.b)
        : "r"(address)
        : "memory");
}
__device__ __forceinline__ void poll_shared(uint32_t address, Words<double> &w) {
    asm volatile(
        "{\n\t.reg .pred sentinel;\n\t.reg .b32 low, high;\n\tmov.b64 {low, high}, %0;\n\t"
        "setp.eq.u32 sentinel, high, 0xffffffff;\n\t@sentinel " LOAD_SHARED(LOADED, "64", "%0", "%1") "\n\t}"
        : "+l"(w.b)
        : "r"(address)
        : "memory");
}
template <class R>
__device__ __forceinline__ void poll_shared(uint32_t address, Words<Complex<R>> &w) {
    poll_shared(address, w.re);
    poll_shared(address + (uint32_t)sizeof(R), w.im);
}

__device__ __forceinline__ void store_relaxed_shared(void *p, uint32_t v) {
    asm volatile(STORE_SHARED(STORED, "32", "%0", "%1") ::"r"(shared_address(p)), "r"(v) : "memory");
}
__device__ __forceinline__ void store_relaxed_shared(void *p, uint64_t v) {
    asm volatile(STORE_SHARED(STORED, "64", "%0", "%1") ::"r"(shared_address(p)), "l"(v) : "memory");
}
// Stores a value at an address where `yes`, without a branch.
__device__ __forceinline__ void publish_shared_if(bool yes, uint32_t address, float v) {
    asm volatile("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %2, 0;\n\t@yes " STORE_SHARED(STORED, "32", "%0", "%1") "\n\t}"
                 ::"r"(address), "r"(Word<float>::pack(v)), "r"((uint32_t)yes)
                 : "memory");
}
__device__ __forceinline__ void publish_shared_if(bool yes, uint32_t address, double v) {
    asm volatile("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %2, 0;\n\t@yes " STORE_SHARED(STORED, "64", "%0", "%1") "\n\t}"
                 ::"r"(address), "l"(Word<double>::pack(v)), "r"((uint32_t)yes)
                 : "memory");
}
template <class R>
__device__ __forceinline__ void publish_shared_if(bool yes, uint32_t address, Complex<R> v) {
    publish_shared_if(yes, address, v.re);
    publish_shared_if(yes, address + (uint32_t)sizeof(R), v.im);
}
template <class R>
__device__ __forceinline__ void reset_shared(R *p) {
    store_relaxed_shared(p, Word<R>::sentinel);
}
template <class R>
__device__ __forceinline__ void reset_shared(Complex<R> *p) {
    reset_shared(&p->re);
    reset_shared(&p->im);
}

// Copies a value of 4, 8 or 16 bytes to shared memory while other work goes on, or zeros.
template <class T>
__device__ __forceinline__ void copy_ahead(bool yes, T *to, const T *from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    constexpr uint32_t BYTES = sizeof(T);
    // Only this size can go past L1.
    if constexpr (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
                     "r"(yes ? BYTES : 0u)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global" WHOLE_LINE " [%0], [%1], %2, %3;" ::"r"(shared_address(to)), "l"(from), "n"(BYTES),
                     "r"(yes ? BYTES : 0u)
                     : "memory");
#else
    *to = yes ? *from : T{};
#endif
}
// The same of a piece of 16 bytes, past L1, where `yes`, and nothing elsewhere.
__device__ __forceinline__ void copy_piece_ahead(bool yes, void *to, const void *from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %2, 0;\n\t@yes cp.async.cg.shared.global" WHOLE_LINE " [%0], [%1], 16;\n\t}" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"((uint32_t)yes)
                 : "memory");
#else
    if (yes) *(uint4 *)to = *(const uint4 *)from;
#endif
}
// What this thread has copied since it did this last is a commit group by itself.
__device__ __forceinline__ void commit_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Waits for what this thread copies, except for so many commit groups at the end.
template <int GROUPS>
__device__ __forceinline__ void copied_but() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
#endif
}
// Waits for all that this thread copies.
__device__ __forceinline__ void copied() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// The same from block to block of a cluster, by addresses in its shared memory.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define IN_CLUSTERS(...) __VA_ARGS__
#else
#define IN_CLUSTERS(...)
#endif
__device__ __forceinline__ uint32_t rank_in_cluster() {
    uint32_t v = 0;
    IN_CLUSTERS(asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(v));)
    return v;
}
__device__ __forceinline__ uint32_t blocks_of_cluster() {
    uint32_t v = 1;
    IN_CLUSTERS(asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(v));)
    return v;
}
__device__ __forceinline__ uint32_t dynamic_shared_bytes() {
    uint32_t v;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(v));
    return v;
}
// For every thread of every block: what has been written before the one is seen by all behind the other.
__device__ __forceinline__ void cluster_arrive() {
    __syncwarp();
    IN_CLUSTERS(asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");)
}
__device__ __forceinline__ void cluster_wait() {
    __syncwarp();
    IN_CLUSTERS(asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");)
}
__device__ __forceinline__ void cluster_barrier() {
    cluster_arrive();
    cluster_wait();
}
// Where a block has what lies at `p` in this one.
__device__ __forceinline__ uint64_t of_block(const void *p, uint32_t rank) {
    uint64_t address = (uint64_t)p;
    IN_CLUSTERS(asm("mapa.u64 %0, %0, %1;" : "+l"(address) : "r"(rank));)
    return address;
}
__device__ __forceinline__ void store_cluster(uint64_t address, uint32_t v) {
    IN_CLUSTERS(asm volatile(STORE_CLUSTER("32", "%0", "%1") ::"l"(address), "r"(v) : "memory");)
}
__device__ __forceinline__ void publish_cluster_if(bool yes, uint64_t address, float v) {
    IN_CLUSTERS(
        asm volatile("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %2, 0;\n\t"
                     "@yes " STORE_CLUSTER("32", "%0", "%1") "\n\t}" ::"l"(address),
                     "r"(Word<float>::pack(v)), "r"((uint32_t)yes)
                     : "memory");)
}
__device__ __forceinline__ void publish_cluster_if(bool yes, uint64_t address, double v) {
    IN_CLUSTERS(
        asm volatile("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %2, 0;\n\t"
                     "@yes " STORE_CLUSTER("64", "%0", "%1") "\n\t}" ::"l"(address),
                     "l"(Word<double>::pack(v)), "r"((uint32_t)yes)
                     : "memory");)
}
template <class R>
__device__ __forceinline__ void publish_cluster_if(bool yes, uint64_t address, Complex<R> v) {
    publish_cluster_if(yes, address, v.re);
    publish_cluster_if(yes, address + sizeof(R), v.im);
}

// NR values beside each other, as a work vector for NR right-hand sides has them. They travel in vector
// accesses, which by the memory model are as many relaxed accesses to single words, in any order: each
// word is still its own flag.

template <class R>
__device__ __forceinline__ typename Word<R>::bits &word(Words<R> &w, int) {
    return w.b;
}
template <class R>
__device__ __forceinline__ typename Word<R>::bits &word(Words<Complex<R>> &w, int k) {
    return k == 0 ? w.re.b : w.im.b;
}

__device__ __forceinline__ void poll_words(const uint32_t *p, uint32_t &a, uint32_t &b) {
    asm volatile(
        "{\n\t.reg .pred sentinel;\n\t"
        "setp.eq.u32 sentinel, %0, 0xffffffff;\n\t"
        "setp.eq.or.u32 sentinel, %1, 0xffffffff, sentinel;\n\t"
        "@sentinel " LOAD_RELAXED ".v2.u32 {%0, %1}, [%2];\n\t}"
        : "+r"(a), "+r"(b)
        : "l"(p)
        : "memory");
}
__device__ __forceinline__ void poll_words(const uint32_t *p, uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d) {
    asm volatile(
        "{\n\t.reg .pred sentinel;\n\t"
        "setp.eq.u32 sentinel, %0, 0xffffffff;\n\t"
        "setp.eq.or.u32 sentinel, %1, 0xffffffff, sentinel;\n\t"
        "setp.eq.or.u32 sentinel, %2, 0xffffffff, sentinel;\n\t"
        "setp.eq.or.u32 sentinel, %3, 0xffffffff, sentinel;\n\t"
        "@sentinel " LOAD_RELAXED ".v4.u32 {%0, %1, %2, %3}, [%4];\n\t}"
        : "+r"(a), "+r"(b), "+r"(c), "+r"(d)
        : "l"(p)
        : "memory");
}
__device__ __forceinline__ void poll_words(const uint64_t *p, uint64_t &a, uint64_t &b) {
    asm volatile(
        "{\n\t.reg .pred sentinel;\n\t.reg .b32 low, high0, high1;\n\t"
        "mov.b64 {low, high0}, %0;\n\tmov.b64 {low, high1}, %1;\n\t"
        "setp.eq.u32 sentinel, high0, 0xffffffff;\n\t"
        "setp.eq.or.u32 sentinel, high1, 0xffffffff, sentinel;\n\t"
        "@sentinel " LOAD_RELAXED ".v2.u64 {%0, %1}, [%2];\n\t}"
        : "+l"(a), "+l"(b)
        : "l"(p)
        : "memory");
}

__device__ __forceinline__ void store_words(uint32_t *p, uint32_t a, uint32_t b) {
    asm volatile(STORE_RELAXED ".v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(a), "r"(b) : "memory");
}
__device__ __forceinline__ void store_words(uint32_t *p, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    asm volatile(STORE_RELAXED ".v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
}
__device__ __forceinline__ void store_words(uint64_t *p, uint64_t a, uint64_t b) {
    asm volatile(STORE_RELAXED ".v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(a), "l"(b) : "memory");
}

// What NR values are made of: words, and how many of them one access takes, at most 16 bytes.
template <class T, int NR>
struct Beside {
    using bits = typename Word<typename Real<T>::type>::bits;
    static constexpr int each = sizeof(T) / sizeof(bits);
    static constexpr int words = NR * each;
    static constexpr int wide = words * sizeof(bits) < 16 ? words : 16 / sizeof(bits);
};

template <class T, int NR>
__device__ __forceinline__ void poll(const T *p, Words<T> (&x)[NR]) {
    using B = Beside<T, NR>;
    auto w = [&](int k) -> typename B::bits & { return word(x[k / B::each], k % B::each); };
    auto from = reinterpret_cast<const typename B::bits *>(p);
    if constexpr (NR == 1) poll(p, x[0]);
    else {
#pragma unroll
        for (int k = 0; k < B::words; k += B::wide) {
            if constexpr (B::wide == 4) poll_words(from + k, w(k), w(k + 1), w(k + 2), w(k + 3));
            else poll_words(from + k, w(k), w(k + 1));
        }
    }
}

__device__ __forceinline__ Words<float> pack(float v) { return {Word<float>::pack(v)}; }
__device__ __forceinline__ Words<double> pack(double v) { return {Word<double>::pack(v)}; }
template <class R>
__device__ __forceinline__ Words<Complex<R>> pack(Complex<R> v) {
    return {pack(v.re), pack(v.im)};
}

template <class T, int NR>
__device__ __forceinline__ void publish(T *p, const T (&v)[NR]) {
    using B = Beside<T, NR>;
    if constexpr (NR == 1) publish(p, v[0]);
    else {
        Words<T> x[NR];
#pragma unroll
        for (int j = 0; j < NR; ++j) x[j] = pack(v[j]);
        auto w = [&](int k) { return word(x[k / B::each], k % B::each); };
        auto to = reinterpret_cast<typename B::bits *>(p);
#pragma unroll
        for (int k = 0; k < B::words; k += B::wide) {
            if constexpr (B::wide == 4) store_words(to + k, w(k), w(k + 1), w(k + 2), w(k + 3));
            else store_words(to + k, w(k), w(k + 1));
        }
    }
}

// Several beside each other go in wide stores.
template <class T, int NR>
__device__ __forceinline__ void publish_reduced(T *p, const T (&v)[NR]) {
    if constexpr (NR == 1) publish_reduced(p, v[0]);
    else publish(p, v);
}

// Asks L2 for a word of the work vector that this warp is to publish soon, where `yes`. It was reset a solve ago, and mostly lies
// in memory since: whoever looks for it first would wait for that, and so would its publication.
__device__ __forceinline__ void expect_if(bool yes, const void *word) {
    asm volatile("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %1, 0;\n\t@yes prefetch.global.L2 [%0];\n\t}" ::"l"(word),
                 "r"((uint32_t)yes)
                 : "memory");
}

// Makes a word of the other work vector ready for the next solve. Nobody reads it in this one.
template <class R>
__device__ __forceinline__ void reset(R *p) {
    store_once((typename Word<R>::bits *)p, Word<R>::sentinel);
}
template <class R>
__device__ __forceinline__ void reset(Complex<R> *p) {
    reset(&p->re);
    reset(&p->im);
}
