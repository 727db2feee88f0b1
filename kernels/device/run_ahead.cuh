// Run-ahead limits: unknowns some levels back, which warps far ahead of the front wait for before they poll for their own.
#pragma once
#include "row.cuh"

// Waits, as a whole warp, for the unknown of a run-ahead limit. False if the watchdog ended the wait.
template <class T>
__device__ __forceinline__ bool pass(const SolveArgs<T> &a, const T *limit) {
    Words<T> w = Words<T>::sentinel();
    Watchdog<T> dog(a);
    for (;;) {
        poll(limit, w);
        if (__all_sync(FULL, !w.is_sentinel())) return true;
        if (!__all_sync(FULL, dog.keep_waiting())) return false;
    }
}

// Waits, as a whole warp, at a work item's run-ahead limit where so many warps run that this one may be far ahead of the front:
// there it would only poll for its rows' unknowns, `width` words a position, and slow the front down. False if the watchdog
// ended the wait.
template <class T>
__device__ __forceinline__ bool limit_run_ahead(const SolveArgs<T> &a, const T *work, uint2 work_item, uint32_t lanes, uint32_t width) {
    uint32_t back = work_item.y >> RUN_AHEAD_SHIFT;
    return back == 0 || back * lanes >= gridDim.x * blockDim.x || pass(a, work + (size_t)(work_item.x - back) * width);
}
