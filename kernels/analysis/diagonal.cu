// Where the diagonal entry of each row lies in the caller's arrays, for what goes through a matrix by both triangles.
#include "device/pattern.cuh"
#include "device/sync.cuh"
#include "shared/diagonal.h"

// A row for each thread.
extern "C" __global__ void __launch_bounds__(DIAGONAL_BLOCK) diagonal_places(const GRID_CONSTANT DiagonalArgs a) {
    wait_for_previous_kernel();
    uint32_t row = blockIdx.x * DIAGONAL_BLOCK + threadIdx.x;
    if (row >= a.pattern.n) return;
    uint32_t begin = a.pattern.begin(row), end = a.pattern.begin((size_t)row + 1), place = NONE, before = 0;
    for (uint32_t e = begin; e < end; ++e) {
        uint32_t column = a.pattern.column(e);
        if (e > begin && column <= before) atomicMin(&a.found->unsorted, row);
        if (column == row) place = e;
        before = column;
    }
    if (place == NONE) atomicMin(&a.found->missing, row);
    a.place[row] = place;
    const uint32_t lengths[DIAGONAL_LENGTHS] = {DIAGONAL_LONGER, DIAGONAL_MUCH_LONGER, DIAGONAL_LONGEST};
#pragma unroll
    for (int k = 0; k < DIAGONAL_LENGTHS; ++k) {
        if (end - begin > lengths[k]) atomicAdd(&a.found->longer[k], 1u);
        if (place != NONE && place - begin >= lengths[k]) atomicAdd(&a.found->longer_lower[k], 1u);
    }
}
