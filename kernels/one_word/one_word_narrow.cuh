// Publishing in a narrow end: each block of a cluster stores its unknowns to the shared memory of all, and polls its own.
// Each warp takes every so many-th work item.
#pragma once
#include "one_word.cuh"
#include "device/ring.cuh"

template <class T>
struct ThroughCluster {
    static constexpr bool LIMITS_RUN_AHEAD = false, EACH = false;
    const SolveArgs<T> &a;
    Ring<T, NARROW_RING> ring;
    T *work, *other_work;
    T *word, *to[CLUSTER];  // of the row: in the work vector, and in each block's ring
    uint32_t next;          // work item of this warp

    __device__ __forceinline__ ThroughCluster(const SolveArgs<T> &args, T *shared, uint32_t parity)
        : a(args), ring(shared, a.work_item[a.begin].x, a.n - a.work_item[a.begin].x), work(work_of(a, parity)), other_work(work_of(a, ~parity)) {
        next = a.begin + threadIdx.x / WARP * CLUSTER + rank_in_cluster();
    }
    __device__ __forceinline__ T *other() const { return other_work; }
    // The first work item of the warp, and the next.
    __device__ __forceinline__ uint32_t first() { return of_ticket(take_ticket()); }
    __device__ __forceinline__ uint32_t take_ticket() {
        uint32_t s = next;
        next += NARROW_WARPS * CLUSTER;
        if (threadIdx.x == 0) atomicAdd(&a.state->progress, 1u);
        return s;
    }
    // Shuffles and votes tell the compiler that all lanes have the same.
    __device__ __forceinline__ uint32_t of_ticket(uint32_t s) const { return __shfl_sync(FULL, s, 0); }

    // Unknowns are polled in the ring.
    __device__ __forceinline__ void expect(uint2, const Place<1> &) const {}
    // Begins with a work item, in which this lane's row is at `p`.
    __device__ __forceinline__ void enter(uint2 work_item, uint32_t p, uint32_t) {
        ring.begin(work_item.x);
        word = work + p;
        settle(word);
#pragma unroll
        for (int r = 0; r < CLUSTER; ++r) {
            to[r] = reinterpret_cast<T *>(ring.ring[r] + ring.cell(p));
            settle(to[r]);
        }
    }
    // All have read the parity.
    __device__ __forceinline__ void leave(uint32_t) {
        ring.leave(a.work_item[a.end - 1].x);
        if (rank_in_cluster() == 0 && threadIdx.x == 0) leave_queues(a.state, parity_of_warp(), BOTH);
    }

    __device__ __forceinline__ Words<T> expected(bool wanted, uint32_t q) const { return ring.expected(work, wanted, q); }
    __device__ __forceinline__ void poll(uint32_t q, Words<T> (&x)[1]) const { ring.poll(q, x[0]); }
    // Publishes the row's unknown.
    __device__ __forceinline__ void publish_if(bool yes, const T (&v)[1]) const {
#pragma unroll
        for (int r = 0; r < CLUSTER; ++r) publish_cluster_if(yes, (uint64_t)to[r], v[0]);
        ::publish_if(yes, word, v[0]);
    }
    __device__ __forceinline__ void publish_shared_if(bool yes, const T (&v)[1]) const { publish_if(yes, v); }
    __device__ __forceinline__ void publish(const T (&v)[1]) const { publish_if(true, v); }
};
