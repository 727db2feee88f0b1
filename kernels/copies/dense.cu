// Copies a dense matrix of n rows from one way of storing it to another, through a tile in shared memory: both sides are read
// and written along the direction in which their values lie beside each other.
#include "device/sync.cuh"
#include "shared/copies.h"

constexpr uint32_t DENSE_COLUMNS = 32;  // of a tile

// Calls `each` with the row and column of every value of a tile of `rows` by `columns`, neighbouring threads along the shorter step.
template <class Each>
__device__ __forceinline__ void walk_tile(DenseSteps steps, uint32_t rows, uint32_t columns, const Each &each) {
    bool along_row = steps.column < steps.row;
    uint32_t length = along_row ? columns : rows;
    for (uint32_t k = threadIdx.x; k < rows * columns; k += DENSE_BLOCK) {
        uint32_t outer = k / length, inner = k - outer * length;
        along_row ? each(outer, inner) : each(inner, outer);
    }
}

template <class T>
__device__ void dense_copy(const DenseArgs<T> &a) {
    // Bytes, as a shared variable has no constructor. One more row, so that a column begins in another bank.
    __shared__ __align__(16) unsigned char room[DENSE_COLUMNS * (DENSE_ROWS + 1) * sizeof(T)];
    T *tile = reinterpret_cast<T *>(room);
    wait_for_previous_kernel();
    uint64_t row = (uint64_t)blockIdx.x * DENSE_ROWS;
    uint32_t rows = (uint32_t)(a.n - row < DENSE_ROWS ? a.n - row : DENSE_ROWS);
    for (uint32_t column = 0; column < a.columns; column += DENSE_COLUMNS) {
        uint32_t columns = min(a.columns - column, DENSE_COLUMNS);
        walk_tile(a.of_from, rows, columns, [&](uint32_t i, uint32_t j) {
            tile[j * (DENSE_ROWS + 1) + i] = a.from[(row + i) * a.of_from.row + (uint64_t)(column + j) * a.of_from.column];
        });
        __syncthreads();
        walk_tile(a.of_to, rows, columns, [&](uint32_t i, uint32_t j) {
            a.to[(row + i) * a.of_to.row + (uint64_t)(column + j) * a.of_to.column] = tile[j * (DENSE_ROWS + 1) + i];
        });
        __syncthreads();
    }
}

#define KERNEL(t)                                                                                                        \
    extern "C" __global__ void __launch_bounds__(DENSE_BLOCK) dense_copy_##t(const GRID_CONSTANT DenseArgs<t##_type> a) { \
        dense_copy(a);                                                                                                   \
    }
FOR_EACH_TYPE(KERNEL)
