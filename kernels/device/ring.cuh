// A ring of cells for the youngest unknowns in the shared memory of each block of a cluster, by position: whoever solves a row
// stores its unknown to all of them, and each block polls its own.
//
// The positions from the first one on are divided into epochs, of which the ring holds eight. A warp takes pieces of work in
// order, none of which is longer than an epoch. It enters an epoch with the first piece that begins in it, and arrives at a
// barrier of the cluster then, for which it waits when it enters the next one. So when it enters epoch e:
//
//   all warps have entered epoch e - 1, and have solved what begins before it;
//   an unknown of epoch e - 3 or before is in the work vector, and is read there without a wait;
//   nobody will poll one of epoch e - 4 in the ring again, whose cells are reset to the sentinel for epoch e + 4. All
//   warps have done that when the first one enters epoch e + 2, and a piece that begins in e + 3 may end in e + 4.
//
// All blocks of a cluster are resident, and which warp takes which piece is known beforehand: progress needs no tickets.
#pragma once
#include "row.cuh"
#include "shared/cluster.h"

constexpr int CLUSTER = CLUSTER_BLOCKS;
constexpr uint32_t EPOCHS = 8;

template <class T, uint32_t BYTES>
struct Ring {
    static constexpr uint32_t CELLS = BYTES / sizeof(T), EPOCH = CELLS / EPOCHS;
    T *cells;
    uint64_t ring[CLUSTER];  // where each block has its cells
    uint32_t own;            // where this one has them
    uint32_t first_position;
    uint32_t epoch;
    uint32_t near;  // the first position that is polled in the ring

    __device__ __forceinline__ Ring(T *shared, uint32_t first, uint32_t positions)
        : cells(shared), own(shared_address(shared)), first_position(first), epoch(0), near(first) {
#pragma unroll
        for (int r = 0; r < CLUSTER; ++r) ring[r] = of_block(shared, r);
        for (uint32_t k = threadIdx.x; k < min(CELLS, positions); k += blockDim.x) reset_shared(cells + k);
        cluster_barrier();
    }

    __device__ __forceinline__ void enter_epoch() {
        if (epoch > 0) cluster_wait();
        ++epoch;
        if (epoch >= 4)
            for (uint32_t k = threadIdx.x; k < EPOCH; k += blockDim.x) reset_shared(cells + (epoch + 4) % EPOCHS * EPOCH + k);
        cluster_arrive();
    }
    __device__ __forceinline__ void go_on_to(uint32_t position) {
        uint32_t wanted = (position - first_position) / EPOCH;
        while (__any_sync(FULL, epoch < wanted)) enter_epoch();
    }
    // Begins with a piece.
    __device__ __forceinline__ void begin(uint32_t position) {
        go_on_to(position);
        near = first_position + (epoch >= 2 ? (epoch - 2) * EPOCH : 0);
    }
    // Behind the last piece of all, which begins at `position`. No block ends while another may store to its cells.
    __device__ __forceinline__ void leave(uint32_t position) {
        go_on_to(position);
        if (epoch > 0) cluster_wait();
        cluster_barrier();
    }

    __device__ __forceinline__ uint32_t cell(uint32_t p) const { return (p - first_position) % CELLS * (uint32_t)sizeof(T); }
    // What is known of an unknown that has not been polled in the ring: what it is, if it is not there any more.
    __device__ __forceinline__ Words<T> expected(const T *work, bool wanted, uint32_t q) const {
        Words<T> x = wanted ? Words<T>::sentinel() : Words<T>::of_zero();
        read_if(wanted && q < near, work + q, x);
        return x;
    }
    __device__ __forceinline__ void poll(uint32_t q, Words<T> &x) const { poll_shared(own + cell(q), x); }
};
