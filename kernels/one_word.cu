// ONE_WORD: row-wise in level order, each unknown handed over in one word that is value and flag together.
//
// A slice is up to 32 rows of one level, solved by one warp with `lanes` lanes a row; so no lane waits for
// another of its own warp. Everything that does not depend on other rows (values, indices, right-hand
// side, reciprocal of the diagonal) is in registers before the first poll, and the next slice's record is
// on its way. The unknowns live in a work vector in level order; there are two of them, and each solve
// arms the other one for the next solve.
#include "row.cuh"

// sum_k a_k x_k of U of this lane's entries, from number `e` on and `lanes` apart, waiting for each x_k.
template <int U, class T>
__device__ __forceinline__ bool waiting_dot(const SolveArgs<T> &a, const T *work, uint4 record, uint32_t end,
                                            uint32_t e, uint32_t lanes, T &sum) {
    T v[U];
    Words<T> x[U];
    uint32_t q[U];
    // Loads go without a branch, a lane without an entry repeating another: so they all overlap.
    uint32_t last = end > record.z ? end - 1 : 0;
    if (a.row_permuted) {
        uint32_t index[U];
#pragma unroll
        for (int u = 0; u < U; ++u) index[u] = a.row_val[min(e + u * lanes, last)];
#pragma unroll
        for (int u = 0; u < U; ++u) v[u] = a.val[index[u]];
    } else {
        const T *val = a.val + (end > record.z ? record.w : 0);
#pragma unroll
        for (int u = 0; u < U; ++u) v[u] = val[min(e + u * lanes, last) - record.z];
    }
#pragma unroll
    for (int u = 0; u < U; ++u) q[u] = a.row_adj[min(e + u * lanes, last)];
#pragma unroll
    for (int u = 0; u < U; ++u) x[u] = e + u * lanes < end ? Words<T>::armed() : Words<T>::of_zero();
    Watchdog<T> dog(a);
    // Ends when every dependency has been published, or by the watchdog.
    for (;;) {
        bool waiting = false;
#pragma unroll
        for (int u = 0; u < U; ++u) poll(&work[q[u]], x[u]);
#pragma unroll
        for (int u = 0; u < U; ++u) waiting |= x[u].is_armed();
        if (!waiting) break;
        if (!dog.turn()) return false;
    }
#pragma unroll
    for (int u = 0; u < U; ++u)
        if (e + u * lanes < end) sum = multiply_add(conjugate_if(a.conjugate, v[u]), x[u].value(), sum);
    return true;
}

template <class T>
__device__ void one_word(const SolveArgs<T> &a) {
    constexpr int U = sizeof(T) > 8 ? 4 : 8;
    constexpr uint2 nothing = {0, 1u << 6};
    uint32_t lane = threadIdx.x % WARP;
    uint32_t epoch = load_relaxed(&a.state->epoch) & 1u;
    T *work = a.work + (size_t)epoch * a.n;
    T *other = a.work + (size_t)(epoch ^ 1u) * a.n;
    T alpha = alpha_of(a);

    auto ticket = [&] { return lane == 0 ? atomicAdd(&a.state->ticket, 1u) : 0u; };
    auto slice_of = [&](uint32_t s) { return s < a.slices ? a.slice[s] : nothing; };
    auto row_of = [&](uint2 slice) { return lane / (slice.y >> 6); };
    auto record_of = [&](uint2 slice, uint32_t &end) {
        uint4 record = {0, NONE, 0, 0};
        end = 0;
        uint32_t r = row_of(slice);
        if (r < (slice.y & 63u)) {
            record = a.record[slice.x + r];
            end = a.record[slice.x + r + 1].z;
        }
        return record;
    };

    uint32_t s = __shfl_sync(0xffffffffu, ticket(), 0);
    uint32_t s1 = __shfl_sync(0xffffffffu, ticket(), 0);
    uint2 slice = slice_of(s), slice1 = slice_of(s1);
    uint32_t end, end1;
    uint4 record = record_of(slice, end);
    while (s < a.slices) {
        uint32_t s2 = ticket();
        uint4 record1 = record_of(slice1, end1);

        uint32_t rows = slice.y & 63u, lanes = slice.y >> 6, sub = lane % lanes;
        uint32_t p = slice.x + lane / lanes;
        bool leads = lane / lanes < rows && sub == 0;
        T sum = zero(T{}), f = sum, d = one(T{}), scale = d;
        bool multiplies = true, ok = true;
        if (leads) {
            f = alpha * a.f[record.x];
            if (a.diag_index) {
                d = diagonal_at(a, p, record.y, record.x, &a.state->pivot_running);
                multiplies = reciprocal(d, scale);
            }
        }
        uint32_t e = record.z + sub;
        uint32_t longest = __reduce_max_sync(0xffffffffu, end - record.z);
        if (longest > 4 * lanes)
            for (; ok && e < end; e += U * lanes) ok = waiting_dot<U>(a, work, record, end, e, lanes, sum);
        else if (longest > 2 * lanes) ok = waiting_dot<4>(a, work, record, end, e, lanes, sum);
        else if (longest > 0) ok = waiting_dot<2>(a, work, record, end, e, lanes, sum);
        __syncwarp();
        if (lanes > 1) {
            sum = warp_sum(sum, lanes);
            ok = __all_sync(0xffffffffu, ok);
        }
        if (leads) {
            T xi = multiplies ? (f - sum) * scale : divide(f - sum, d);
            if (!ok) xi = not_a_number(T{});
            publish(&work[p], xi);
            a.x[record.x] = xi;
            arm(&other[p]);
        }
        s = s1;
        slice = slice1;
        record = record1;
        end = end1;
        s1 = __shfl_sync(0xffffffffu, s2, 0);
        slice1 = slice_of(s1);
    }
    finish_solve(a, epoch);
}

#define KERNEL(t)                                                       \
    extern "C" __global__ void __launch_bounds__(128)                   \
        one_word_##t(const __grid_constant__ SolveArgs<t##_type> a) {   \
        one_word(a);                                                    \
    }
FOR_EACH_TYPE(KERNEL)
