// The inverse of a panel's triangle, applied to the window too. With N the negated triangle, V = (I - N)^-1, and W the negated window,
// all over the diagonal: x = V s + (V W) x', where s is what is left of the right-hand sides, and x' are the unknowns of the window.
// The two matrices are made while earlier panels are solved. From panel to panel a row then takes one sum over 32 unknowns, which are
// known at once. Diagonal blocks are inverted by MAGMA's triangular solves too; Du Croz and Higham, Stability of methods for matrix
// inversion, IMA J. Numer. Anal. 12, 1992, say how large the errors are.
#pragma once
#include "panel/panel.cuh"

template <class T>
struct Inverse {
    // Entries of V are less than four, or V is not used: sums over larger ones would cancel.
    static constexpr uint32_t FOUR = sizeof(typename Real<T>::type) == 4 ? 0x40800000u : 0x40100000u;  // its magnitude
    static constexpr uint32_t SUMS = 4;  // that a sum is made of, so that multiply-adds wait less for each other
    const Tile<T> &tile;
    bool is_there;

    // Puts the two matrices into the tile, where that is full and all its entries are moderate. `halves` says in which halves of the
    // window any row has entries, a bit each.
    __device__ __forceinline__ Inverse(const Tile<T> &of, uint32_t halves, bool is_moderate) : tile(of) {
        uint32_t lane = threadIdx.x % WARP, highest = 0;
        T v[WARP];
#pragma unroll
        for (uint32_t i = 0; i < WARP; ++i) v[i] = i == lane ? one(T{}) : zero(T{});
        // V = I + N V, from the first row to the last.
#pragma unroll
        for (uint32_t k = 0; k < WARP - 1; ++k)
#pragma unroll
            for (uint32_t i = (k + 1) / 2 * 2; i < WARP; i += 2) {
                Two two = rows(k, i);
                if (i > k) v[i] = multiply_add(two.of[0], v[k], v[i]);
                v[i + 1] = multiply_add(two.of[1], v[k], v[i + 1]);
            }
#pragma unroll
        for (uint32_t i = 0; i < WARP; ++i) highest = max(highest, magnitude(v[i]));
        is_there = __all_sync(FULL, is_moderate && highest < FOUR);
        if (!is_there) return;
#pragma unroll
        for (uint32_t i = 1; i < WARP; ++i) tile.put_if(i > lane, WINDOW + lane, i, v[i]);
        __syncwarp();
#pragma unroll 1
        for (uint32_t half = 0; half < 2; ++half)
            if (halves >> half & 1u) multiply(half * WARP + lane);
        __syncwarp();
    }
    // Two rows of a column of the triangle, from an even one on, which lie beside each other. A row that the column does not have is
    // of no use.
    struct alignas(sizeof(T) > 8 ? 16 : 2 * sizeof(T)) Two {
        T of[2];
    };
    __device__ __forceinline__ Two rows(uint32_t column, uint32_t row) const {
        Two two = *reinterpret_cast<const Two *>(tile.values + Tile<T>::place(WINDOW + column, row) / 2 * 2);
        return column % 2 ? Two{two.of[1], two.of[0]} : two;
    }
    // V times a column of the window, a column a lane.
    __device__ __forceinline__ void multiply(uint32_t column) const {
        T w[WARP];
#pragma unroll
        for (uint32_t i = 0; i < WARP; ++i) w[i] = tile.values[Tile<T>::place(column, i)];
        // From the last row to the first, as each needs what is above it as it was.
#pragma unroll
        for (uint32_t i = WARP; i > 0; i -= 2) {
            T upper = w[i - 2], lower = multiply_add(rows(i - 2, i - 2).of[1], upper, w[i - 1]);
#pragma unroll
            for (uint32_t k = 0; k < i - 2; ++k) {
                Two two = rows(k, i - 2);
                upper = multiply_add(two.of[0], w[k], upper);
                lower = multiply_add(two.of[1], w[k], lower);
            }
            w[i - 2] = upper, w[i - 1] = lower;
        }
#pragma unroll
        for (uint32_t i = 0; i < WARP; ++i) tile.put_if(true, column, i, w[i]);
    }

    // V times what is left of the right-hand sides, a row a lane.
    __device__ __forceinline__ T times(T left) const {
        uint32_t lane = threadIdx.x % WARP;
        T sums[SUMS] = {left};
#pragma unroll
        for (uint32_t j = 0; j < WARP - 1; ++j) {
            T entry = tile.values[Tile<T>::place(WINDOW + j, lane)];
            sums[j % SUMS] = multiply_add(j < lane ? entry : zero(T{}), shuffle(left, j), sums[j % SUMS]);
        }
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    // Adds what 32 unknowns of the window, from position `first` on, take from each row, as soon as all are known. False if the
    // watchdog ended the wait.
    template <class Rows>
    __device__ __forceinline__ bool add_half(const Rows &panel, uint32_t half, uint32_t first, T &sum) const {
        constexpr uint32_t TOGETHER_READ = 16 / sizeof(T);
        uint32_t lane = threadIdx.x % WARP, cell = panel.exchange.own + panel.exchange.cell(first);
        T share[WARP], sums[SUMS] = {sum};
#pragma unroll
        for (uint32_t j = 0; j < WARP; ++j) share[j] = tile.values[half * WARP * WARP + Tile<T>::place(j, lane)];
        Words<T> word = Words<T>::sentinel();
        bool ok = spin(panel.a, [&] {
            panel.exchange.poll(first + lane, word);
            return word.is_sentinel();
        });
#pragma unroll
        for (uint32_t j = 0; j < WARP; j += TOGETHER_READ) {
            T x[TOGETHER_READ];
            read_shared(cell + j * (uint32_t)sizeof(T), x);
#pragma unroll
            for (uint32_t k = 0; k < TOGETHER_READ; ++k) sums[(j + k) % SUMS] = multiply_add(share[j + k], x[k], sums[(j + k) % SUMS]);
        }
        sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        return ok;
    }
};
