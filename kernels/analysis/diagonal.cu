// Where the diagonal entry of each row lies in the caller's arrays, for what goes through a matrix by both triangles.
#include "device/pattern.cuh"
#include "device/sync.cuh"

constexpr uint32_t DIAGONAL_BLOCK = 256;  // threads; mirrored in executor/cuda/pattern.rs

// What is found, behind it how many rows are longer than so many entries. Mirrored there too.
constexpr uint32_t UNSORTED = 0, MISSING_DIAGONAL = 1, LONGER = 2;
constexpr uint32_t EIGHT = 8, THIRTY_TWO = 32;

struct DiagonalArgs {
    Pattern pattern;
    uint32_t *place;  // by row; NONE where there is no entry
    uint32_t *found;  // the smallest row whose columns do not ascend, the smallest one without a diagonal entry, and two counts
};

// A row for each thread.
extern "C" __global__ void __launch_bounds__(DIAGONAL_BLOCK) diagonal_places(const GRID_CONSTANT DiagonalArgs a) {
    wait_for_turn();
    uint32_t row = blockIdx.x * DIAGONAL_BLOCK + threadIdx.x;
    if (row >= a.pattern.n) return;
    uint32_t begin = a.pattern.begin(row), end = a.pattern.begin((size_t)row + 1), place = NONE, before = 0;
    for (uint32_t e = begin; e < end; ++e) {
        uint32_t column = a.pattern.column(e);
        if (e > begin && column <= before) atomicMin(&a.found[UNSORTED], row);
        if (column == row) place = e;
        before = column;
    }
    if (place == NONE) atomicMin(&a.found[MISSING_DIAGONAL], row);
    a.place[row] = place;
    if (end - begin > EIGHT) atomicAdd(&a.found[LONGER], 1u);
    if (end - begin > THIRTY_TWO) atomicAdd(&a.found[LONGER + 1], 1u);
}
