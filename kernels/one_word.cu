// ONE_WORD: row-wise in level order, each unknown handed over in one word that is value and flag together.
//
// A slice is up to 32 rows of one level, solved by one warp with `lanes` lanes a row; so no lane waits for
// another of its own warp. Everything that does not depend on other rows (values, indices, right-hand
// side, reciprocal of the diagonal) is in registers before the first poll. The unknowns live in a work
// vector in level order; there are two of them, and each solve arms the other one for the next solve.
#include "row.cuh"

template <class T>
struct Chunk {
    static constexpr int size = sizeof(T) > 8 ? 4 : 8;
};

// sum_k a_k x_k of this lane's entries `e, e + lanes, ...`, waiting for each x_k.
template <class T>
__device__ __forceinline__ T waiting_dot(const SolveArgs<T> &a, const T *work, uint32_t p, uint32_t begin,
                                         uint32_t end, uint32_t e, uint32_t lanes, bool &ok) {
    constexpr int U = Chunk<T>::size;
    T sum = zero(T{});
    while (e < end) {
        T v[U], xk[U];
        uint32_t q[U];
        uint32_t missing = 0;
#pragma unroll
        for (int u = 0; u < U; ++u) {
            uint32_t k = e + u * lanes;
            bool in = k < end;
            q[u] = in ? a.row_adj[k] : 0;
            v[u] = in ? conjugate_if(a.conjugate, a.val[row_value_index(a, p, begin, k)]) : zero(T{});
            if (in) missing |= 1u << u;
        }
        uint32_t have = missing;
        Watchdog dog(a);
        // Ends when every dependency has been published, or by the watchdog.
        while (missing) {
#pragma unroll
            for (int u = 0; u < U; ++u)
                if (missing & (1u << u)) {
                    if (try_read(&work[q[u]], xk[u])) missing &= ~(1u << u);
                }
            if (missing && !dog.turn()) {
                ok = false;
                return sum;
            }
        }
#pragma unroll
        for (int u = 0; u < U; ++u)
            if (have & (1u << u)) sum = multiply_add(v[u], xk[u], sum);
        e += U * lanes;
    }
    return sum;
}

template <class T>
__device__ void one_word(const SolveArgs<T> &a) {
    uint32_t lane = threadIdx.x % WARP;
    uint32_t epoch = load_relaxed(&a.state->epoch) & 1u;
    T *work = a.work + (size_t)epoch * a.n;
    T *other = a.work + (size_t)(epoch ^ 1u) * a.n;
    T alpha = alpha_of(a);

    uint32_t s = 0;
    if (lane == 0) s = atomicAdd(&a.state->ticket, 1u);
    s = __shfl_sync(0xffffffffu, s, 0);
    while (s < a.slices) {
        uint32_t next = 0;
        if (lane == 0) next = atomicAdd(&a.state->ticket, 1u);

        uint2 slice = a.slice[s];
        uint32_t rows = slice.y & 63u, lanes = slice.y >> 6;
        uint32_t r = lane / lanes, sub = lane % lanes;
        bool active = r < rows;
        uint32_t p = slice.x + r, i = 0;
        T sum = zero(T{}), fi = sum, d = one(T{}), inverse = d;
        bool ok = true;
        if (active) {
            uint32_t begin = a.row_ptr[p], end = a.row_ptr[p + 1];
            if (sub == 0) {
                i = a.order[p];
                fi = alpha * a.f[i];
                d = diagonal(a, p, i, &a.state->pivot_running);
            }
            sum = waiting_dot(a, work, p, begin, end, begin + sub, lanes, ok);
        }
        __syncwarp();
        sum = warp_sum(sum, lanes);
        ok = __all_sync(0xffffffffu, ok);
        if (active && sub == 0) {
            T xi = ok ? divide(fi - sum, d) : not_a_number(T{});
            publish(&work[p], xi);
            a.x[i] = xi;
            arm(&other[p]);
        }
        s = __shfl_sync(0xffffffffu, next, 0);
    }

    // The last block leaves the state as the next solve wants to find it.
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(&a.state->done, 1u) == gridDim.x - 1) {
            __threadfence();
            a.state->pivot = load_relaxed(&a.state->pivot_running);
            a.state->pivot_running = NONE;
            a.state->ticket = 0;
            a.state->done = 0;
            a.state->epoch = epoch ^ 1u;
        }
    }
}

#define KERNEL(t)                                                                            \
    extern "C" __global__ void __launch_bounds__(128) one_word_##t(SolveArgs<t##_type> a) { \
        one_word(a);                                                                         \
    }
FOR_EACH_TYPE(KERNEL)
