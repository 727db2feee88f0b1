// What solves expect to find. As `State::new` and `CudaPlan::reset` leave it.
#pragma once
#include "setup.cuh"

// Makes the state that of an info that has not solved, and resets its work vectors to the sentinel.
extern "C" __global__ void __launch_bounds__(256) setup_reset(const GRID_CONSTANT SetupArgs a) {
    begin_kernel(a);
    uint64_t words = a.work_bytes / sizeof *a.work;
    for (uint64_t k = thread_index(); k < words; k += gridDim.x * blockDim.x) a.work[k] = ~0ull;
    if (thread_index() == 0) {
        State state = {};
        state.pivot[0] = NONE;
        state.pivot[1] = a.pivot;
        for (uint32_t q = 0; q < QUEUES; ++q) state.queue[q].next = q;
        *a.solves = state;
    }
    if (a.message_words) send_message_at_end(a);
}
