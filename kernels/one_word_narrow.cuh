// Handing over in a narrow end: each block of a cluster stores its unknowns to the shared memory of all, and polls its own.
//
// A block has a ring of cells for the youngest unknowns, by position. The positions of the narrow end are divided into
// epochs, of which the ring holds eight. A warp enters an epoch with the first slice that begins in it, and arrives at a
// barrier of the cluster then, for which it waits when it enters the next one. So when it enters epoch e:
//
//   all warps have entered epoch e - 1, and have solved what begins before it;
//   an unknown of epoch e - 3 or before is in the work vector, and is read there without a wait;
//   nobody will look for one of epoch e - 4 in the ring again, whose cells are armed for epoch e + 4. All warps have done
//   that when the first one enters epoch e + 2, and a slice that begins in e + 3 may end in e + 4.
//
// All blocks of a cluster are resident, and each warp takes every so many-th slice in order: progress needs no tickets.
#pragma once
#include "one_word.cuh"

// Mirrored in tuning.rs: blocks, warps of a block, and bytes of its ring.
constexpr int CLUSTER = 8;
constexpr uint32_t WARPS = 8, RING = 128 * 1024;
constexpr uint32_t EPOCHS = 8;

template <class T>
struct ThroughCluster {
    static constexpr bool GATES = false, EACH = false;
    static constexpr uint32_t CELLS = RING / sizeof(T), EPOCH = CELLS / EPOCHS;
    const SolveArgs<T> &a;
    T *work, *armed, *cells;
    T *word, *to[CLUSTER];   // of the row: in the work vector, and in each block's ring
    uint64_t ring[CLUSTER];  // where each block has its cells
    uint32_t own;            // where this one has them
    uint32_t first_position; // of the narrow end
    uint32_t next;           // slice of this warp
    uint32_t epoch;
    uint32_t near;           // the first position that is looked for in the ring

    __device__ __forceinline__ ThroughCluster(const SolveArgs<T> &args, T *shared)
        : a(args), cells(shared), own(shared_address(shared)), epoch(0) {
        uint32_t turn = load_relaxed(&a.state->queue[0].next);
        note_turn(turn);
        work = work_of(a, turn);
        armed = work_of(a, ~turn);
        first_position = near = a.slice[a.begin].x;
        next = a.begin + threadIdx.x / WARP * CLUSTER + rank_in_cluster();
#pragma unroll
        for (int r = 0; r < CLUSTER; ++r) ring[r] = of_block(shared, r);
        for (uint32_t k = threadIdx.x; k < min(CELLS, a.n - first_position); k += WARPS * WARP) arm_shared(cells + k);
        cluster_barrier();
    }
    __device__ __forceinline__ T *other() const { return armed; }
    // The first slice of the warp, and the next.
    __device__ __forceinline__ uint32_t first() { return drawn(draw()); }
    __device__ __forceinline__ uint32_t draw() {
        uint32_t s = next;
        next += WARPS * CLUSTER;
        if (threadIdx.x == 0) atomicAdd(&a.state->progress, 1u);
        return s;
    }
    // Shuffles and votes tell the compiler that all lanes have the same.
    __device__ __forceinline__ uint32_t drawn(uint32_t s) const { return __shfl_sync(FULL, s, 0); }

    __device__ __forceinline__ void enter_epoch() {
        if (epoch > 0) cluster_wait();
        ++epoch;
        if (epoch >= 4)
            for (uint32_t k = threadIdx.x; k < EPOCH; k += WARPS * WARP) arm_shared(cells + (epoch + 4) % EPOCHS * EPOCH + k);
        cluster_arrive();
    }
    __device__ __forceinline__ void go_on_to(uint32_t position) {
        uint32_t wanted = (position - first_position) / EPOCH;
        while (__any_sync(FULL, epoch < wanted)) enter_epoch();
    }
    // Begins with a slice, in which this lane's row is at `p`.
    __device__ __forceinline__ void enter(uint2 slice, uint32_t p) {
        go_on_to(slice.x);
        near = first_position + (epoch >= 2 ? (epoch - 2) * EPOCH : 0);
        word = work + p;
        settle(word);
#pragma unroll
        for (int r = 0; r < CLUSTER; ++r) {
            to[r] = reinterpret_cast<T *>(ring[r] + cell(p));
            settle(to[r]);
        }
    }
    // No block ends while another may store to its cells. All have looked whose turn it is.
    __device__ __forceinline__ void leave(uint32_t) {
        go_on_to(a.slice[a.end - 1].x);
        if (epoch > 0) cluster_wait();
        cluster_barrier();
        if (rank_in_cluster() == 0 && threadIdx.x == 0) leave_queues(a.state, turn_of_warp(), BOTH);
    }

    __device__ __forceinline__ uint32_t cell(uint32_t p) const { return (p - first_position) % CELLS * (uint32_t)sizeof(T); }
    // What is known of an unknown that has not been looked for in the ring: what it is, if it is not there any more.
    __device__ __forceinline__ Words<T> ask(bool wanted, uint32_t q) const {
        Words<T> x = wanted ? Words<T>::armed() : Words<T>::of_zero();
        look_if(wanted && q < near, work + q, x);
        return x;
    }
    __device__ __forceinline__ void look(uint32_t q, Words<T> &x) const { poll_shared(own + cell(q), x); }
    __device__ __forceinline__ void look(uint32_t q, Words<T> (&x)[1]) const { look(q, x[0]); }
    // Hands the row's unknown over.
    __device__ __forceinline__ void give_if(bool yes, T v) const {
#pragma unroll
        for (int r = 0; r < CLUSTER; ++r) publish_cluster_if(yes, (uint64_t)to[r], v);
        publish_if(yes, word, v);
    }
    __device__ __forceinline__ void give(const T (&v)[1]) const { give_if(true, v[0]); }
};
