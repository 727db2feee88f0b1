// Words on their way to the host, by way of page-locked memory.
#pragma once
#include "setup.cuh"

// Sends the host some words, whatever the pattern is. One block.
extern "C" __global__ void __launch_bounds__(1024) setup_message(const GRID_CONSTANT SetupArgs a) {
    begin_kernel(a);
    __syncthreads();
    send_message(a);
}
