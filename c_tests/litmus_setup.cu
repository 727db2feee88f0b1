// Litmus tests of the protocols of analyses on the GPU.
// The other file has it as well, and no program has two.
#define watchdog_poll watchdog_poll_of_setups
#include "analysis/setup_levels.cuh"
#include "analysis/setup_sort.cuh"

#include "litmus.cuh"

constexpr uint64_t LIMIT = 5000000000ull;  // of the watchdog, in nanoseconds
constexpr int LAUNCHES = 30;

static SetupArgs arguments(Lab &lab, uint32_t count) {
    SetupArgs a = {};
    a.n = a.count = count;
    a.forward = 1;
    a.summary = lab.device<Summary>(1, 0);
    a.state = lab.state;
    a.timeout_ns = LIMIT;
    return a;
}
// The words that a launch finds zero.
static void clear(Lab &lab, const SetupArgs &a) {
    if (lab.error != cudaSuccess) return;
    lab.check(cudaMemsetAsync(a.summary, 0, sizeof *a.summary, lab.stream));
    lab.check(cudaMemsetAsync(&a.state->ticket, 0, sizeof a.state->ticket, lab.stream));
}

// The words of the sweep: of the block's own positions in shared memory, and of earlier ones in global memory. 0 is "not there
// yet".
__device__ uint32_t word_of(uint32_t launch, uint32_t position) { return (uint32_t)bits_of(launch, position) | 1u; }

__global__ void __launch_bounds__(SWEEP_BLOCK) sweep_words(const GRID_CONSTANT SetupArgs a, uint32_t near, uint32_t far, uint32_t launch,
                                                           Outcome *outcome) {
    __shared__ uint32_t shared[SWEEP_BLOCK + 1], ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(&a.state->ticket, 1u);
    shared[threadIdx.x] = 0;
    __syncthreads();
    SweepWords words{shared, a.word, ticket * SWEEP_BLOCK};
    SetupWatchdog dog(a);
    Seen seen;
    uint32_t t = words.begin + threadIdx.x;
    bool done = t >= a.n, ok = true;
    // Rows of one warp may depend on each other, so each lane goes on by itself.
    while (ok && !__all_sync(FULL, done)) {
        uint32_t first = 0, second = 0;
        words.read_if(!done && t >= near, t - near, first);
        words.read_if(!done && t >= far, t - far, second);
        if (!done && (t < near || first) && (t < far || second)) {
            if (t >= near) seen.compare(first == word_of(launch, t - near));
            if (t >= far) seen.compare(second == word_of(launch, t - far));
            words.write(t, word_of(launch, t));
            done = true;
        }
        ok = dog.keep_waiting();
    }
    if (threadIdx.x == 0) atomicAdd(&a.state->progress, 1u);
    if (!ok && threadIdx.x % 32 == 0) atomicAdd(&outcome->timed_out, 1u);
    seen.report(outcome);
}

static cudaError_t run_sweep(Litmus *result) {
    constexpr uint32_t ROWS = 2000 * SWEEP_BLOCK;
    Lab lab;
    SetupArgs a = arguments(lab, ROWS);
    a.word = lab.device<uint32_t>(ROWS, 0);
    for (int launch = 0; launch < LAUNCHES && lab.error == cudaSuccess; ++launch) {
        clear(lab, a);
        lab.check(cudaMemsetAsync(a.word, 0, ROWS * sizeof *a.word, lab.stream));
        uint32_t near = launch % 2 ? 7 : 700;
        lab.begin_to_disturb();
        sweep_words<<<ROWS / SWEEP_BLOCK, SWEEP_BLOCK, 0, lab.stream>>>(a, near, launch % 3 ? 1500 : 90000, (uint32_t)launch, lab.outcome);
        lab.check(cudaGetLastError());
    }
    return lab.finish(result);
}

// Very long rows of the sweep: the last row of each block depends on many before it. Warps of the block take pieces of it, and the
// warp whose row it is waits for those that others have.
constexpr uint32_t LONG_LENGTH = 3 * SWEEP_SHARED;

__global__ void __launch_bounds__(SWEEP_BLOCK) sweep_pieces(const GRID_CONSTANT SetupArgs a, const uint32_t *back, uint32_t launch,
                                                            Outcome *outcome) {
    __shared__ uint32_t shared[SWEEP_BLOCK + 1], ticket;
    __shared__ SharedRows rows;
    if (threadIdx.x == 0) ticket = atomicAdd(&a.state->ticket, 1u), rows.rows = 0;
    shared[threadIdx.x] = 0;
    __syncthreads();
    SweepWords words{shared, a.word, ticket * SWEEP_BLOCK};
    SetupWatchdog dog(a);
    Seen seen;
    uint32_t t = words.begin + threadIdx.x, last = words.begin + SWEEP_BLOCK - 1, lane = threadIdx.x % 32;
    bool is_long = t == last && last >= LONG_LENGTH, ok = true;
    uint32_t mine = rows.fill(t, 0, is_long ? LONG_LENGTH : 0);
    uint32_t base = 0u - (last - LONG_LENGTH);  // so that what is back[k] positions behind the first is meant
    if (!is_long) words.write(t, word_of(launch, t));
    mine = __shfl_sync(FULL, mine, 31);
    if (mine == NONE) {
        rows.help_all(a, words, back, base, dog);
    } else {
        uint32_t top = 0, expected = 0;
        ok = rows.finish(mine, a, words, back, base, top, dog);
        for (uint32_t k = lane; k < LONG_LENGTH; k += 32) expected = max(expected, word_of(launch, last - LONG_LENGTH + k));
        expected = Lanes(32).reduce(expected, Max());
        if (ok) seen.compare(top == expected);
        if (lane == 31) words.write(last, word_of(launch, last));
    }
    if (threadIdx.x == 0) atomicAdd(&a.state->progress, 1u);
    if (!ok && lane == 0) atomicAdd(&outcome->timed_out, 1u);
    seen.report(outcome);
}

static cudaError_t run_pieces(Litmus *result) {
    constexpr uint32_t BLOCKS = 1500, ROWS = BLOCKS * SWEEP_BLOCK;
    Lab lab;
    SetupArgs a = arguments(lab, ROWS);
    a.word = lab.device<uint32_t>(ROWS, 0);
    std::vector<uint32_t> back(LONG_LENGTH);
    for (uint32_t k = 0; k < LONG_LENGTH; ++k) back[k] = k * 5 % LONG_LENGTH;  // each once
    uint32_t *entries = lab.device<uint32_t>(LONG_LENGTH, 0);
    if (lab.error == cudaSuccess) lab.check(cudaMemcpy(entries, back.data(), LONG_LENGTH * sizeof *entries, cudaMemcpyHostToDevice));
    for (int launch = 0; launch < LAUNCHES && lab.error == cudaSuccess; ++launch) {
        clear(lab, a);
        lab.check(cudaMemsetAsync(a.word, 0, ROWS * sizeof *a.word, lab.stream));
        lab.begin_to_disturb();
        sweep_pieces<<<BLOCKS, SWEEP_BLOCK, 0, lab.stream>>>(a, entries, (uint32_t)launch, lab.outcome);
        lab.check(cudaGetLastError());
    }
    return lab.finish(result);
}

// Looking back: a tile publishes its sum, adds up what earlier ones have published, and publishes the result. Sums are known: tile
// t has 1 + t modulo 5.
__global__ void __launch_bounds__(32) look_backs(const GRID_CONSTANT SetupArgs a, Outcome *outcome) {
    uint32_t tile = threadIdx.x == 0 ? atomicAdd(&a.summary->ticket[0], 1u) : 0;
    tile = __shfl_sync(FULL, tile, 0);
    if (tile >= a.count) return;
    uint32_t before = look_back(a, tile, 1 + tile % 5), rest = tile % 5;
    Seen seen;
    if (threadIdx.x == 0) {
        seen.compare(before == tile / 5 * 15 + rest * (rest + 1) / 2);
        atomicAdd(&a.state->progress, 1u);
        seen.report(outcome);
        if (a.summary->bad) atomicAdd(&outcome->timed_out, 1u);
    }
}

static cudaError_t run_look_back(Litmus *result) {
    constexpr uint32_t TILES = 200000;
    Lab lab;
    SetupArgs a = arguments(lab, TILES);
    a.states = lab.device<uint64_t>(TILES, 0);
    for (int launch = 0; launch < LAUNCHES && lab.error == cudaSuccess; ++launch) {
        clear(lab, a);
        lab.check(cudaMemsetAsync(a.states, 0, TILES * sizeof *a.states, lab.stream));
        lab.begin_to_disturb();
        look_backs<<<TILES, 32, 0, lab.stream>>>(a, lab.outcome);
        lab.check(cudaGetLastError());
    }
    return lab.finish(result);
}

// Words to the host: every block writes some, the last one sends them all, and the host polls for the word behind them. Plain
// stores of all blocks, and relaxed loads of the last one.
constexpr uint32_t TOLD_BLOCK = 256;

__global__ void __launch_bounds__(TOLD_BLOCK) messages(const GRID_CONSTANT SetupArgs a, uint32_t *words, uint32_t launch) {
    uint32_t k = thread_index();
    words[k] = (uint32_t)bits_of(launch, k);
    send_message_at_end(a);
}

static cudaError_t run_messages(Litmus *result) {
    constexpr uint32_t BLOCKS = 16, WORDS = BLOCKS * TOLD_BLOCK, MESSAGES = 4000;
    Lab lab;
    SetupArgs a = arguments(lab, WORDS);
    uint32_t *words = lab.device<uint32_t>(WORDS, 0);
    volatile uint32_t *page = lab.host(LONGEST_MESSAGE + 1);
    a.message_words = WORDS;
    a.message_from = words;
    a.message_to = const_cast<uint32_t *>(page);
    unsigned long long published = 0, wrong = 0;
    unsigned timed_out = 0;
    for (uint32_t launch = 0; launch < MESSAGES && lab.error == cudaSuccess && !timed_out; ++launch) {
        __atomic_store_n(page + LONGEST_MESSAGE, 0u, __ATOMIC_RELEASE);
        lab.begin_to_disturb();
        messages<<<BLOCKS, TOLD_BLOCK, 0, lab.stream>>>(a, words, launch);
        lab.check(cudaGetLastError());
        // Ends with the message, or when the kernel has ended without one.
        while (!__atomic_load_n(page + LONGEST_MESSAGE, __ATOMIC_ACQUIRE) && !timed_out)
            if (cudaStreamQuery(lab.stream) != cudaErrorNotReady) timed_out = !__atomic_load_n(page + LONGEST_MESSAGE, __ATOMIC_ACQUIRE);
        for (uint32_t k = 0; k < WORDS; ++k, ++published) wrong += page[k] != (uint32_t)bits_of(launch, k);
        lab.check(cudaStreamSynchronize(lab.stream));
    }
    cudaError_t error = lab.finish(result);
    *result = {published, wrong, timed_out};
    return error;
}

static const LitmusTest TESTS[] = {
    {"the words of the sweep", 0, run_sweep},
    {"pieces of very long rows in the sweep", 0, run_pieces},
    {"looking back", 0, run_look_back},
    {"messages to the host", 0, run_messages},
};

const LitmusTest *litmus_of_setups(int *count) {
    *count = sizeof TESTS / sizeof *TESTS;
    return TESTS;
}
