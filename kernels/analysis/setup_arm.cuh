// What solves expect to find. As `State::new` and `CudaPlan::arm` leave it.
#pragma once
#include "setup.cuh"

// Makes the state that of an info that has not solved, and arms its work vectors.
extern "C" __global__ void __launch_bounds__(256) setup_arm(const GRID_CONSTANT SetupArgs a) {
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
    if (a.tells) tell_in_the_end(a);
}
