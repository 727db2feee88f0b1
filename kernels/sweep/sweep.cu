// What a Gauss-Seidel or SOR sweep solves its triangle for: with D' the sweep's diagonal, r = b - (A - L - D') x, where L is the
// triangle of A that the sweep uses new unknowns of. Then (L + D') x_new = r.
//
// Where only some rows are relaxed, r also lacks what L takes from the others, whose unknowns stay as they are. Of these rows D' is
// infinite and r zero: their unknowns come out as zero, and the solve takes nothing from them.
#include "device/pattern.cuh"
#include "device/row.cuh"
#include "device/times.cuh"
#include "shared/sweep.h"

constexpr int SWEEP_ENTRIES = 4;  // of a lane, which are on their way together

__device__ __forceinline__ double infinity(double) { return __longlong_as_double(0x7ff0000000000000ll); }
__device__ __forceinline__ float infinity(float) { return __int_as_float(0x7f800000); }
template <class R>
__device__ Complex<R> infinity(Complex<R>) {
    return {infinity(R(0)), R(0)};
}

template <bool MARKED, class T>
__device__ __forceinline__ void sweep_rest(const SweepArgs<T> &a) {
    wait_for_previous_kernel();
    uint64_t thread = (uint64_t)blockIdx.x * SWEEP_THREADS + threadIdx.x;
    uint32_t lane = threadIdx.x & (a.lanes - 1);
    uint64_t row = thread / a.lanes;
    T sum = zero(T{}), own = zero(T{});
    bool is_relaxed = row < a.pattern.n && (!MARKED || a.marker[row] == a.points);
    if (is_relaxed) {
        uint32_t begin = a.pattern.begin(row), end = a.pattern.begin(row + 1);
        if (a.place && (!MARKED || a.is_zero)) {
            // The rest of the row is in one piece.
            uint32_t place = a.place[row];
            if (lane == 0 && a.scaled) own = a.val[place];
            if (a.backward) end = place;
            else begin = place + 1;
            if (a.is_zero) begin = end;
        }
        for (uint32_t e = begin + lane; e < end; e += SWEEP_ENTRIES * a.lanes) {
            uint32_t column[SWEEP_ENTRIES];
            T v[SWEEP_ENTRIES], x[SWEEP_ENTRIES];
#pragma unroll
            for (int u = 0; u < SWEEP_ENTRIES; ++u) {
                uint32_t k = e + u * a.lanes;
                column[u] = k < end ? a.pattern.column(k) : NONE;
                v[u] = k < end ? a.val[k] : zero(T{});
            }
#pragma unroll
            for (int u = 0; u < SWEEP_ENTRIES; ++u) {
                bool is_rest = column[u] != NONE && column[u] != row && !a.is_zero &&
                               (column[u] > row != a.backward || (MARKED && a.marker[column[u]] != a.points));
                x[u] = is_rest ? a.x[column[u]] : zero(T{});
                if (column[u] == row) own = own + v[u];
                // A value of the other triangle may be infinite.
                if (!is_rest) v[u] = zero(T{});
            }
#pragma unroll
            for (int u = 0; u < SWEEP_ENTRIES; ++u) sum = multiply_add(v[u], x[u], sum);
        }
    }
    for (uint32_t by = a.lanes / 2; by > 0; by /= 2) {
        sum = sum + shuffle_xor(sum, by);
        own = own + shuffle_xor(own, by);
    }
    if (row >= a.pattern.n || lane != 0) return;
    if (MARKED && !is_relaxed) {
        a.rest[row] = zero(T{});
        a.scaled[row] = infinity(T{});
        return;
    }
    if (!a.scaled) {
        a.rest[row] = a.b[row] - sum;
        return;
    }
    T diagonal = times(a.diagonal ? a.diagonal[row] : own, a.factor);
    // No product where A's own diagonal is the sweep's: zero times infinity is NaN.
    T more = own - diagonal, r = a.b[row] - sum;
    a.rest[row] = a.is_zero || is_zero(more) ? r : multiply_add(-more, a.x[row], r);
    a.scaled[row] = diagonal;
}

// What the solve has given for the rows that are relaxed. The others stay, or become zero where they count as zero.
template <class T>
__device__ __forceinline__ void sweep_take(const SweepArgs<T> &a) {
    wait_for_previous_kernel();
    uint64_t row = (uint64_t)blockIdx.x * SWEEP_THREADS + threadIdx.x;
    if (row >= a.pattern.n) return;
    if (a.marker[row] == a.points) a.x[row] = a.rest[row];
    else if (a.is_zero) a.x[row] = zero(T{});
}

#define KERNEL(t, name, ...)                                              \
    extern "C" __global__ void __launch_bounds__(SWEEP_THREADS)             \
        name##_##t(const GRID_CONSTANT SweepArgs<t##_type> a) {           \
        __VA_ARGS__(a);                                                   \
    }
#define KERNELS(t)                                 \
    KERNEL(t, sweep_rest, sweep_rest<false>)       \
    KERNEL(t, sweep_rest_marked, sweep_rest<true>) \
    KERNEL(t, sweep_take, sweep_take)
FOR_EACH_TYPE(KERNELS)
