// Litmus tests of the protocols of solves. Work items take tickets in order, as in a solve, and each depends on three earlier ones.
#include "device/sync.cuh"

#include "device/columns.cuh"
#include "litmus.cuh"
#include "device/ring.cuh"
#include "device/long_row.cuh"

constexpr uint64_t LIMIT = 5000000000ull;  // of the watchdog, in nanoseconds
constexpr int LAUNCHES = 30, TICKET_BLOCK = 32 * QUEUES;
constexpr uint32_t DEPENDENCIES = 3;

// How far back the items are that an item depends on: near, so that each waits for the one before, or far, so that many run.
struct Back {
    uint32_t items[DEPENDENCIES];
};
static Back back_in(int launch) { return launch % 2 ? Back{{97, 128, 1000}} : Back{{1, 2, 33}}; }

// The value whose words are these bits; now and then the sentinel itself, which is published as another NaN.
template <class R>
__device__ R real_of(uint64_t bits) {
    using B = typename Word<R>::bits;
    return Word<R>::value(bits % 1000 == 0 ? Word<R>::sentinel : (B)bits);
}
template <class T>
struct Made {
    static __device__ T of(uint32_t launch, uint64_t word) { return real_of<T>(bits_of(launch, word)); }
};
template <class R>
struct Made<Complex<R>> {
    static __device__ Complex<R> of(uint32_t launch, uint64_t word) {
        return {real_of<R>(bits_of(launch, 2 * word)), real_of<R>(bits_of(launch, 2 * word + 1))};
    }
};
template <class R>
__device__ bool is_published(Words<R> x, R v) {
    return x.b == Word<R>::pack(v);
}
template <class R>
__device__ bool is_published(Words<Complex<R>> x, Complex<R> v) {
    return is_published(x.re, v.re) && is_published(x.im, v.im);
}

// One word in global memory: NR values of a lane beside each other. Which work vector a launch uses comes with its tickets, and
// whoever takes the last one leaves the queue for the next launch.
template <class T, int NR, bool REDUCED>
__global__ void __launch_bounds__(TICKET_BLOCK) one_word(const GRID_CONSTANT SolveArgs<T> a, Back back, uint32_t launch, Outcome *outcome) {
    wait_for_previous_kernel();
    let_next_begin();
    WorkItems work_items(a.state, 0);
    uint32_t lane = threadIdx.x % WARP, item = work_items.work_item_of(work_items.first), next = work_items.of_ticket(work_items.take_ticket());
    T *work = work_of(a, work_items.first), *other = work_of(a, ~work_items.first);
    Seen seen;
    bool ok = true;
    while (item < a.work_items) {
        uint32_t ticket = work_items.take_ticket();
        for (uint32_t k = 0; k < DEPENDENCIES && ok; ++k) {
            if (item < back.items[k]) continue;
            uint64_t from = ((uint64_t)(item - back.items[k]) * WARP + (lane * 5 + k + 1) % WARP) * NR;
            Words<T> x[NR];
            for (int j = 0; j < NR; ++j) x[j] = Words<T>::sentinel();
            ok = spin(a, [&] {
                uint32_t highest = 0;
                poll<T, NR>(work + from, x);
                for (int j = 0; j < NR; ++j) highest = max(highest, x[j].flag());
                return highest == SENTINEL;
            });
            for (int j = 0; j < NR && ok; ++j) seen.compare(is_published(x[j], Made<T>::of(launch, from + j)));
        }
        uint64_t own = ((uint64_t)item * WARP + lane) * NR;
        T v[NR];
        for (int j = 0; j < NR; ++j) {
            v[j] = Made<T>::of(launch, own + j);
            reset(other + own + j);
        }
        if (REDUCED) publish_reduced(work + own, v);
        else publish(work + own, v);
        item = next;
        next = work_items.of_ticket(ticket);
    }
    work_items.leave(a.work_items, next, 2, BOTH);
    if (!ok) atomicAdd(&outcome->timed_out, 1u);
    seen.report(outcome);
}

template <class T>
static SolveArgs<T> arguments(const Lab &lab, uint32_t items, T *work, uint32_t words) {
    SolveArgs<T> a = {};
    a.work_items = items;
    a.state = lab.state;
    a.host_failed = lab.failed;
    a.timeout_ns = LIMIT;
    a.work = work;
    a.words = words;
    return a;
}

template <class T, int NR, bool REDUCED>
static cudaError_t run_one_word(Litmus *result) {
    constexpr uint32_t ITEMS = 60000, WORDS = ITEMS * WARP * NR;
    Lab lab;
    SolveArgs<T> a = arguments(lab, ITEMS, lab.device<T>(2 * WORDS, 0xff), WORDS);
    for (int launch = 0; launch < LAUNCHES; ++launch)
        lab.launch(one_word<T, NR, REDUCED>, 2 * lab.gpu.multiProcessorCount, TICKET_BLOCK, 0, a, back_in(launch), launch, lab.outcome);
    return lab.finish(result);
}

// A counter beside its payload, which plain stores write and plain loads read. The consumer has read the payload before, so that
// its L1 cache holds the old one.
__global__ void fill_counters(uint32_t *counters, uint32_t items, Back back) {
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < items; i += gridDim.x * blockDim.x) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < DEPENDENCIES; ++k) count += i >= back.items[k];
        counters[i] = count;
    }
}

__global__ void __launch_bounds__(TICKET_BLOCK) counter(const GRID_CONSTANT SolveArgs<float> a, uint32_t *payload, Back back,
                                                        uint32_t launch, Outcome *outcome) {
    WorkItems work_items(a.state, 0);
    uint32_t lane = threadIdx.x % WARP, item = work_items.work_item_of(work_items.first);
    Seen seen;
    bool ok = true;
    for (uint32_t next; item < a.work_items; item = next) {
        next = work_items.of_ticket(work_items.take_ticket());
        for (uint32_t k = 0; k < DEPENDENCIES; ++k)
            if (item >= back.items[k]) load_first(payload + (uint64_t)(item - back.items[k]) * WARP + (lane * 5 + k) % WARP);
        if (lane == 0) {
            Watchdog<float> dog(a);
            while (load_acquire(&a.counters[item]) != 0 && (ok = dog.keep_waiting())) {
            }
        }
        __syncwarp();
        ok = __shfl_sync(FULL, ok, 0);
        for (uint32_t k = 0; k < DEPENDENCIES && ok; ++k) {
            if (item < back.items[k]) continue;
            uint64_t from = (uint64_t)(item - back.items[k]) * WARP + (lane * 5 + k) % WARP;
            seen.compare(load_first(payload + from) == (uint32_t)bits_of(launch, from));
        }
        uint64_t own = (uint64_t)item * WARP + lane;
        payload[own] = (uint32_t)bits_of(launch, own);
        publish_fence();
        __syncwarp();
        if (lane < DEPENDENCIES && item + back.items[lane] < a.work_items) {
            publish_fence();
            atomicSub(&a.counters[item + back.items[lane]], 1u);
        }
    }
    work_items.leave(a.work_items, item, 1, BOTH);
    if (!ok && lane == 0) atomicAdd(&outcome->timed_out, 1u);
    seen.report(outcome);
}

static cudaError_t run_counter(Litmus *result) {
    constexpr uint32_t ITEMS = 60000;
    Lab lab;
    SolveArgs<float> a = arguments<float>(lab, ITEMS, nullptr, 0);
    uint32_t *payload = lab.device<uint32_t>(ITEMS * WARP, 0), *counters = lab.device<uint32_t>(ITEMS, 0);
    a.counters = counters;
    for (int launch = 0; launch < LAUNCHES && lab.error == cudaSuccess; ++launch) {
        lab.begin_to_disturb();
        fill_counters<<<64, 256, 0, lab.stream>>>(counters, ITEMS, back_in(launch));
        counter<<<2 * lab.gpu.multiProcessorCount, TICKET_BLOCK, 0, lab.stream>>>(a, payload, back_in(launch), (uint32_t)launch, lab.outcome);
        lab.check(cudaGetLastError());
    }
    return lab.finish(result);
}

// A window in the shared memory of a block, with a flag for each warp that bounds how far ahead the others run: as in TILED, and
// by the same numbers.
constexpr uint32_t CELLS = 4096, WARPS_OF_WINDOW = 8, WINDOW_ROUNDS = 2, AHEAD = (WINDOW_ROUNDS * WARPS_OF_WINDOW + 1) * WARP;
static const Back IN_WINDOW = {{32, 100, CELLS - 2 * AHEAD}};

template <class T>
__global__ void __launch_bounds__(WARPS_OF_WINDOW *WARP) window(const GRID_CONSTANT SolveArgs<T> a, Back back, uint32_t launch, Outcome *outcome) {
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ uint32_t done[WARP];
    T *cells = reinterpret_cast<T *>(shared);
    uint32_t address = shared_address(cells), lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    if (threadIdx.x < WARP) done[threadIdx.x] = threadIdx.x < WARPS_OF_WINDOW ? 0 : NONE - WINDOW_ROUNDS;
    for (uint32_t k = threadIdx.x; k < AHEAD; k += blockDim.x) reset_shared(cells + k);
    __syncthreads();
    Seen seen;
    bool ok = true;
    uint64_t origin = (uint64_t)blockIdx.x * a.work_items * WARP;
    for (uint32_t round = 0, s = warp; s < a.work_items && ok; s += WARPS_OF_WINDOW, ++round) {
        Watchdog<T> dog(a);
        while (ok && !__all_sync(FULL, load_acquire_shared(&done[lane]) + WINDOW_ROUNDS > round)) ok = dog.keep_waiting_together();
        uint32_t p = s * WARP + lane;
        for (uint32_t k = 0; k < DEPENDENCIES && ok; ++k) {
            bool wanted = p >= back.items[k];
            uint32_t q = p - back.items[k];
            Words<T> x = wanted ? Words<T>::sentinel() : Words<T>::of_zero();
            ok = spin(a, [&] {
                poll_shared(address + q % CELLS * (uint32_t)sizeof(T), x);
                return x.is_sentinel();
            });
            if (ok && wanted) seen.compare(is_published(x, Made<T>::of(launch, origin + q)));
        }
        publish_shared_if(true, address + p % CELLS * (uint32_t)sizeof(T), Made<T>::of(launch, origin + p));
        reset_shared(cells + (p + AHEAD) % CELLS);
        __syncwarp();
        if (lane == 0) {
            store_release_shared(&done[warp], round + 1);
            if (s % 1024 == 0) atomicAdd(&a.state->progress, 1u);
        }
    }
    if (lane == 0) store_release_shared(&done[warp], NONE - WINDOW_ROUNDS);
    if (!ok && lane == 0) atomicAdd(&outcome->timed_out, 1u);
    seen.report(outcome);
}

template <class T>
static cudaError_t run_window(Litmus *result) {
    constexpr uint32_t BATCHES = 40000;
    Lab lab;
    SolveArgs<T> a = arguments<T>(lab, BATCHES, nullptr, 0);
    lab.check(cudaFuncSetAttribute(window<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, CELLS * sizeof(T)));
    for (int launch = 0; launch < LAUNCHES && lab.error == cudaSuccess; ++launch) {
        lab.begin_to_disturb();
        window<T><<<lab.gpu.multiProcessorCount, WARPS_OF_WINDOW * WARP, CELLS * sizeof(T), lab.stream>>>(a, IN_WINDOW, (uint32_t)launch, lab.outcome);
        lab.check(cudaGetLastError());
    }
    return lab.finish(result);
}

// The ring of a cluster, to which each block stores through distributed shared memory; what has left it is in the work vector.
constexpr uint32_t RING_BYTES = 64 * 1024, RING_WARPS = 8;
static const Back IN_RING = {{32, 70, 20000}};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
template <class T>
__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(RING_WARPS *WARP, 1)
    cluster_ring(const GRID_CONSTANT SolveArgs<T> a, Back back, uint32_t launch, Outcome *outcome) {
#if defined(__CUDA_ARCH__)
    extern __shared__ __align__(16) unsigned char shared[];
    uint32_t lane = threadIdx.x % WARP, rank = rank_in_cluster(), number = rank * RING_WARPS + threadIdx.x / WARP;
    uint64_t origin = (uint64_t)(blockIdx.x / CLUSTER) * a.work_items * WARP;
    T *work = a.work + (launch % 2 ? a.words : 0) + origin, *other = a.work + (launch % 2 ? 0 : a.words) + origin;
    Ring<T, RING_BYTES> ring(reinterpret_cast<T *>(shared), 0, a.work_items * WARP);
    Seen seen;
    bool ok = true;
    for (; number < a.work_items; number += CLUSTER * RING_WARPS) {
        uint32_t p = number * WARP + lane;
        if (threadIdx.x == 0) atomicAdd(&a.state->progress, 1u);
        ring.begin(number * WARP);
        for (uint32_t k = 0; k < DEPENDENCIES && ok; ++k) {
            bool wanted = p >= back.items[k];
            uint32_t q = p - back.items[k];
            Words<T> x = ring.expected(work, wanted, q);
            if (wanted && q < ring.near) seen.compare(!x.is_sentinel());
            ok = spin(a, [&] {
                ring.poll(q, x);
                return x.is_sentinel();
            });
            if (ok && wanted) seen.compare(is_published(x, Made<T>::of(launch, origin + q)));
        }
        T v = Made<T>::of(launch, origin + p);
        uint32_t cell = ring.cell(p);
        publish_shared_if(true, ring.own + cell, v);
        __syncwarp();
        for (int r = 0; r < CLUSTER; ++r) publish_cluster_if(r != rank, ring.ring[r] + cell, v);
        publish(work + p, v);
        reset(other + p);
    }
    ring.leave((a.work_items - 1) * WARP);
    if (!ok && lane == 0) atomicAdd(&outcome->timed_out, 1u);
    seen.report(outcome);
#endif
}
#else
template <class T>
__global__ void cluster_ring(const GRID_CONSTANT SolveArgs<T>, Back, uint32_t, Outcome *) {}
#endif

template <class T>
static cudaError_t run_ring(Litmus *result) {
    constexpr uint32_t PIECES = 40000, CLUSTERS = 4, WORDS = PIECES * WARP * CLUSTERS;
    Lab lab;
    SolveArgs<T> a = arguments(lab, PIECES, lab.device<T>(2 * WORDS, 0xff), WORDS);
    lab.check(cudaFuncSetAttribute(cluster_ring<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, RING_BYTES));
    for (int launch = 0; launch < LAUNCHES / 3 && lab.error == cudaSuccess; ++launch) {
        lab.begin_to_disturb();
        cluster_ring<T><<<CLUSTERS * CLUSTER, RING_WARPS * WARP, RING_BYTES, lab.stream>>>(a, IN_RING, (uint32_t)launch, lab.outcome);
        lab.check(cudaGetLastError());
    }
    return lab.finish(result);
}

// Remote buffers of tiles: the blocks of a cluster take a tile each, and store what they publish in a buffer in the next block's shared
// memory too, by distributed shared memory. Two barriers of the cluster stand between the last store to a buffer and its next use: as
// in TILED in clusters. Some of what a tile needs is in the work vector.
constexpr uint32_t BUFFER_CELLS = 1024, BUFFER_WARPS = 8;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
template <class T>
__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(BUFFER_WARPS *WARP, 1)
    tile_buffers(const GRID_CONSTANT SolveArgs<T> a, uint32_t launch, Outcome *outcome) {
#if defined(__CUDA_ARCH__)
    __shared__ __align__(16) unsigned char memory[BUFFER_CELLS * sizeof(T)];
    constexpr uint32_t THREADS = BUFFER_WARPS * WARP;
    T *cells = reinterpret_cast<T *>(memory);
    uint32_t rank = rank_in_cluster(), own = shared_address(cells);
    uint64_t origin = (uint64_t)(blockIdx.x / CLUSTER) * a.work_items * BUFFER_CELLS;
    T *work = a.work + (launch % 2 ? a.words : 0) + origin, *other = a.work + (launch % 2 ? 0 : a.words) + origin;
    bool publishes = rank + 1 < CLUSTER;
    uint64_t target = of_block(cells, publishes ? rank + 1 : rank);
    Seen seen;
    bool ok = true;
    for (uint32_t tile = rank; tile < a.work_items; tile += CLUSTER) {
        cluster_barrier();
        for (uint32_t k = threadIdx.x; k < BUFFER_CELLS; k += THREADS) reset_shared(cells + k);
        cluster_barrier();
        if (threadIdx.x == 0) atomicAdd(&a.state->progress, 1u);
        for (uint32_t k = threadIdx.x; k < BUFFER_CELLS; k += THREADS) {
            // From the tile before, by the buffer, and from two before, by the work vector.
            uint32_t p = tile * BUFFER_CELLS + k, q = (k * 5 + 7) % BUFFER_CELLS, near = p - k - BUFFER_CELLS + q, far = near - BUFFER_CELLS;
            bool is_near = rank > 0, is_far = tile > 1;
            Words<T> x = is_near ? Words<T>::sentinel() : Words<T>::of_zero(), y = is_far ? Words<T>::sentinel() : Words<T>::of_zero();
            if (ok)
                ok = spin(a, [&] {
                    poll_shared(own + q * (uint32_t)sizeof(T), x);
                    poll_far<sizeof(T)>(work, is_far ? far : 0, y);
                    return max(x.flag(), y.flag()) == SENTINEL;
                });
            if (ok && is_near) seen.compare(is_published(x, Made<T>::of(launch, origin + near)));
            if (ok && is_far) seen.compare(is_published(y, Made<T>::of(launch, origin + far)));
            T v = Made<T>::of(launch, origin + p);
            publish_cluster_if(publishes, target + k * (uint32_t)sizeof(T), v);
            publish_reduced(work + p, v);
            reset(other + p);
        }
    }
    cluster_barrier();  // none ends while another may store to its memory
    if (!ok && threadIdx.x % WARP == 0) atomicAdd(&outcome->timed_out, 1u);
    seen.report(outcome);
#endif
}
#else
template <class T>
__global__ void tile_buffers(const GRID_CONSTANT SolveArgs<T>, uint32_t, Outcome *) {}
#endif

template <class T>
static cudaError_t run_tile_buffers(Litmus *result) {
    constexpr uint32_t TILES = 150 * CLUSTER, CLUSTERS = 4, WORDS = TILES * BUFFER_CELLS * CLUSTERS;
    Lab lab;
    SolveArgs<T> a = arguments(lab, TILES, lab.device<T>(2 * WORDS, 0xff), WORDS);
    for (int launch = 0; launch < LAUNCHES / 3 && lab.error == cudaSuccess; ++launch) {
        lab.begin_to_disturb();
        tile_buffers<T><<<CLUSTERS * CLUSTER, BUFFER_WARPS * WARP, 0, lab.stream>>>(a, (uint32_t)launch, lab.outcome);
        lab.check(cudaGetLastError());
    }
    return lab.finish(result);
}

// Long rows, cut into segments: each segment is the work item of an earlier ticket than its row's, which waits for the sums of all.
// The sums are whole numbers, so that they add up to the same in any order.
constexpr uint32_t SEGMENTS = 70, ITEMS_OF_ROW = SEGMENTS + 1;

template <class T>
__device__ T sum_of_segment(uint32_t launch, uint64_t segment) {
    return (T)(bits_of(launch, segment) % 1000);
}

template <class T>
__global__ void __launch_bounds__(TICKET_BLOCK) segments(const GRID_CONSTANT SolveArgs<T> a, uint32_t launch, Outcome *outcome) {
    WorkItems work_items(a.state, 0);
    uint32_t lane = threadIdx.x % WARP, item = work_items.work_item_of(work_items.first);
    T *work = work_of(a, work_items.first), *other = work_of(a, ~work_items.first);
    Seen seen;
    bool ok = true;
    for (uint32_t next; item < a.work_items; item = next) {
        next = work_items.of_ticket(work_items.take_ticket());
        uint32_t row = item / ITEMS_OF_ROW, number = item % ITEMS_OF_ROW, longest = ITEMS_OF_ROW * LONGEST_WHOLE<T>;
        uint32_t begin = row * longest, end = begin + longest;
        bool is_segment = number < SEGMENTS;
        LongRow<true, 1, T> long_row(a, make_uint2(0, is_segment ? SEGMENT | number << RUN_AHEAD_SHIFT : 1), begin, end, longest);
        if (is_segment) {
            if (lane == 0) publish(work + long_row.place(), sum_of_segment<T>(launch, item));
            if (lane == 0) reset(other + long_row.place());
            continue;
        }
        T sum[1] = {T(0)}, expected = T(0);
        ok = ok && long_row.has_segments() && long_row.template add_segments<1>(a, work, sum);
        for (uint32_t k = lane; k < SEGMENTS; k += WARP) expected += sum_of_segment<T>(launch, item - SEGMENTS + k);
        if (ok) seen.compare(sum[0] == expected);
    }
    work_items.leave(a.work_items, item, 1, BOTH);
    if (!ok && lane == 0) atomicAdd(&outcome->timed_out, 1u);
    seen.report(outcome);
}

template <class T>
static cudaError_t run_segments(Litmus *result) {
    constexpr uint32_t ROWS = 2000, ITEMS = ROWS * ITEMS_OF_ROW, WORDS = ITEMS + SEGMENTS;
    Lab lab;
    SolveArgs<T> a = arguments(lab, ITEMS, lab.device<T>(2 * WORDS, 0xff), WORDS);
    for (int launch = 0; launch < LAUNCHES && lab.error == cudaSuccess; ++launch) {
        lab.begin_to_disturb();
        segments<T><<<2 * lab.gpu.multiProcessorCount, TICKET_BLOCK, 0, lab.stream>>>(a, (uint32_t)launch, lab.outcome);
        lab.check(cudaGetLastError());
    }
    return lab.finish(result);
}

// Phases of a launch: in each, every block writes its share, and reads some of the phase before. In the end the last block reads
// what all have written last.
constexpr uint32_t PHASES = 400, PHASE_BLOCK = 256;

// The watchdog of a whole warp.
struct Together {
    Watchdog<float> dog;
    __device__ explicit Together(const SolveArgs<float> &a) : dog(a) {}
    __device__ bool keep_waiting() { return dog.keep_waiting_together(); }
};

__global__ void __launch_bounds__(PHASE_BLOCK) phases(const GRID_CONSTANT SolveArgs<float> a, uint32_t *next, uint32_t *done, uint32_t *ended,
                                                      uint32_t *data, uint32_t launch, Outcome *outcome) {
    __shared__ bool is_last;
    Phases phase(next, done);
    Together dog(a);
    Seen seen;
    uint32_t words = gridDim.x * PHASE_BLOCK;
    bool ok = true;
    auto word_of = [&](uint32_t number, uint32_t k) { return (uint32_t)bits_of(launch, (uint64_t)number * words + k); };
    while (phase.take_ticket() < PHASES && (ok = phase.begin(dog))) {
        uint32_t share = phase.share, number = phase.number, k = share * PHASE_BLOCK + threadIdx.x;
        for (uint32_t far = 1; number > 0 && far < gridDim.x; far *= 3) {
            uint32_t from = (share + far) % gridDim.x * PHASE_BLOCK + (threadIdx.x * 7 + far) % PHASE_BLOCK;
            seen.compare(data[(number - 1) % 2 * words + from] == word_of(number - 1, from));
        }
        data[number % 2 * words + k] = word_of(number, k);
        if (threadIdx.x == 0) atomicAdd(&a.state->progress, 1u);
        phase.end();
    }
    __syncthreads();
    if (threadIdx.x == 0) is_last = comes_last(ended, gridDim.x);
    __syncthreads();
    for (uint32_t k = threadIdx.x; is_last && ok && k < words; k += PHASE_BLOCK)
        seen.compare(data[(PHASES - 1) % 2 * words + k] == word_of(PHASES - 1, k));
    if (!ok && threadIdx.x == 0) atomicAdd(&outcome->timed_out, 1u);
    seen.report(outcome);
}

static cudaError_t run_phases(Litmus *result) {
    Lab lab;
    int blocks = 2 * lab.gpu.multiProcessorCount;
    SolveArgs<float> a = arguments<float>(lab, 0, nullptr, 0);
    uint32_t *counts = lab.device<uint32_t>(96, 0), *data = lab.device<uint32_t>((size_t)2 * blocks * PHASE_BLOCK, 0);
    for (int launch = 0; launch < LAUNCHES && lab.error == cudaSuccess; ++launch) {
        lab.check(cudaMemsetAsync(counts, 0, 96 * sizeof *counts, lab.stream));
        lab.begin_to_disturb();
        phases<<<blocks, PHASE_BLOCK, 0, lab.stream>>>(a, counts, counts + 32, counts + 64, data, (uint32_t)launch, lab.outcome);
        lab.check(cudaGetLastError());
    }
    return lab.finish(result);
}

static const LitmusTest TESTS[] = {
    {"one word, float", 0, run_one_word<float, 1, false>},
    {"one word, double", 0, run_one_word<double, 1, false>},
    {"one word, complex float", 0, run_one_word<Complex<float>, 1, false>},
    {"one word, complex double", 0, run_one_word<Complex<double>, 1, false>},
    {"one word, by an atomic conjunction, float", 0, run_one_word<float, 1, true>},
    {"one word, by an atomic conjunction, double", 0, run_one_word<double, 1, true>},
    {"one word, two floats beside each other", 0, run_one_word<float, 2, false>},
    {"one word, four floats beside each other", 0, run_one_word<float, 4, false>},
    {"one word, two doubles beside each other", 0, run_one_word<double, 2, false>},
    {"one word, four doubles beside each other", 0, run_one_word<double, 4, false>},
    {"a counter and its payload", 0, run_counter},
    {"a window in shared memory, float", 0, run_window<float>},
    {"a window in shared memory, double", 0, run_window<double>},
    {"the ring of a cluster, float", 90, run_ring<float>},
    {"the ring of a cluster, double", 90, run_ring<double>},
    {"the ring of a cluster, complex float", 90, run_ring<Complex<float>>},
    {"remote buffers of tiles, float", 90, run_tile_buffers<float>},
    {"remote buffers of tiles, double", 90, run_tile_buffers<double>},
    {"remote buffers of tiles, complex float", 90, run_tile_buffers<Complex<float>>},
    {"remote buffers of tiles, complex double", 90, run_tile_buffers<Complex<double>>},
    {"segments of long rows, float", 0, run_segments<float>},
    {"segments of long rows, double", 0, run_segments<double>},
    {"phases of a launch", 0, run_phases},
};

const LitmusTest *litmus_of_solves(int *count) {
    *count = sizeof TESTS / sizeof *TESTS;
    return TESTS;
}

unsigned litmus_checks(unsigned long long limit, unsigned long long apart) {
    LastProgress last = {0, 0, 0};
    unsigned checks = 0;
    for (unsigned long long now = 1; last.idle < IDLE_PARTS; now += apart, ++checks) last = count_idle(last, now, 7, limit);
    return checks;
}
