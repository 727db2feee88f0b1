// ILU(0) and IC(0) of patterns whose updates all go to the diagonal, as those of 5-point and 7-point grids: no three unknowns depend on
// each other. Then l_ik = a_ik / u_kk, and only the pivots depend on each other: of ILU(0)
//
//     u_ii = a_ii - sum_k (a_ik a_ki) / u_kk,
//
// and of IC(0) the same for the squares of its pivots, with a_ik conj(a_ik). That is a triangular solve whose engine publishes the
// reciprocal of what is left of a row's right-hand side: f_i = a_ii, l_ik = a_ik a_ki, x_i = 1 / u_ii. `factor_diagonal_products` comes
// before it, and `factor_diagonal_finish` behind it.
//
// A product could be too large or too small for its type where a quotient is not. So row i is scaled by a power of two: its pivot is
// 2^e_i times what the solve works with, and a_ik 2^-e_i times a_ki 2^-e_k takes the place of the product. The values of row k from the
// diagonal on (of IC(0) the diagonal) are less than 2^(e_k + 2). A thread takes a row.
//
// The solve leaves its own zero pivot. So the one of the solve before is kept meanwhile, in the first of the factorisation's two.
#include "device/times.cuh"
#include "factor/factor.cuh"
#include "shared/factor.h"

__device__ __forceinline__ bool has_column(const Pattern &pattern, uint32_t begin, uint32_t end, uint32_t column) {
    for (uint32_t e = begin; e < end; ++e)
        if (pattern.column(e) == column) return true;
    return false;
}

extern "C" __global__ void __launch_bounds__(ON_DIAGONAL_BLOCK)
    factor_diagonal_check(const GRID_CONSTANT OtherUpdatesArgs a) {
    wait_for_previous_kernel();
    uint32_t row = blockIdx.x * ON_DIAGONAL_BLOCK + threadIdx.x;
    if (row >= a.pattern.n) return;
    uint32_t begin = a.pattern.begin(row), end = a.pattern.begin((size_t)row + 1), own = a.diag[row];
    for (uint32_t e = begin; e < own; ++e) {
        uint32_t k = a.pattern.column(e), of_k = a.diag[k], end_of_k = a.pattern.begin((size_t)k + 1);
        for (uint32_t t = of_k + 1; t < end_of_k; ++t) {
            uint32_t column = a.pattern.column(t);
            if (column != row && has_column(a.pattern, begin, end, column)) a.found->ilu0 = 1;
        }
        for (uint32_t t = a.pattern.begin(k); t < of_k; ++t)
            if (has_column(a.pattern, begin, own, a.pattern.column(t))) a.found->ic0 = 1;
    }
}

__device__ __forceinline__ double power_of_two(int e) { return scalbn(1.0, e); }

// The exponent of a row by its values from `first` to `end`: even, so that it has a root, and such that its power and the reciprocal
// are numbers.
template <class T>
__device__ __forceinline__ int exponent(const OnDiagonalArgs<T> &a, uint32_t first, uint32_t end) {
    double most = 0;
    for (uint32_t e = first; e < end; ++e) most = fmax(most, size_of(a.val[e]));
    if (!(most > 0) || isinf(most)) return 0;
    return min(max(ilogb(most), -1000), 1000) & ~1;
}

// The zero pivot of the last solve by that state.
__device__ __forceinline__ uint32_t *last_pivot(State *solver) { return pivot_of(solver, solver->queue[0].next ^ PIVOT_BIT); }

template <bool CHOLESKY, class T>
__device__ __forceinline__ void products(const OnDiagonalArgs<T> &a) {
    wait_for_previous_kernel();
    uint32_t row = blockIdx.x * ON_DIAGONAL_BLOCK + threadIdx.x;
    if (row == 0) a.state->pivot[0] = *last_pivot(a.solver), a.state->pivot[1] = NONE;
    if (row >= a.pattern.n) return;
    uint32_t begin = a.pattern.begin(row), own = a.diag[row];
    int scale = exponent(a, own, CHOLESKY ? own + 1 : a.pattern.begin((size_t)row + 1));
    double by = power_of_two(-scale);
    for (uint32_t e = begin; e < own; ++e) {
        uint32_t k = a.pattern.column(e), of_k = a.diag[k], end = CHOLESKY ? of_k + 1 : a.pattern.begin((size_t)k + 1);
        T v = a.val[e], other = conjugate_if(true, v);
        bool is_there = CHOLESKY;
        for (uint32_t t = of_k + 1; t < end; ++t)
            if (a.pattern.column(t) == row) other = a.val[t], is_there = true;
        // What is missing is no zero factor: zero times infinity is NaN.
        T both = product(times(v, by), times(other, power_of_two(-exponent(a, of_k, end))));
        a.products[e] = is_there ? both : zero(T{});
    }
    // The diagonal of the solve, where it has one.
    a.products[own] = one(T{});
    a.pivots[row] = times(a.val[own], by);
    a.scale[row] = scale;
}

template <bool CHOLESKY, class T>
__device__ __forceinline__ void finish(const OnDiagonalArgs<T> &a) {
    wait_for_previous_kernel();
    uint32_t row = blockIdx.x * ON_DIAGONAL_BLOCK + threadIdx.x;
    if (row == 0) *last_pivot(a.solver) = a.state->pivot[0];
    if (row >= a.pattern.n) return;
    uint32_t begin = a.pattern.begin(row), own = a.diag[row];
    for (uint32_t e = begin; e < own; ++e) {
        uint32_t k = a.pattern.column(e);
        T inverse = a.pivots[k];
        int scale = a.scale[k];
        if (CHOLESKY) inverse = root(inverse), scale /= 2;
        a.val[e] = product(times(a.val[e], power_of_two(-scale)), inverse);
    }
    T left = times(divide(one(T{}), a.pivots[row]), power_of_two(a.scale[row]));
    if (CHOLESKY ? !is_positive(left) : is_zero(left)) note_zero_pivot(a.state, PIVOT_BIT, row);
    a.val[own] = CHOLESKY ? root(left) : left;
}

#define KERNEL(t, name, body, CHOLESKY)                                            \
    extern "C" __global__ void __launch_bounds__(ON_DIAGONAL_BLOCK)            \
        factor_diagonal_##name##_##t(const GRID_CONSTANT OnDiagonalArgs<t##_type> a) { \
        body<CHOLESKY>(a);                                                         \
    }
#define KERNELS(t)                                                                           \
    KERNEL(t, products_ilu0, products, false) KERNEL(t, products_ic0, products, true)        \
    KERNEL(t, finish_ilu0, finish, false) KERNEL(t, finish_ic0, finish, true)
FOR_EACH_TYPE(KERNELS)
