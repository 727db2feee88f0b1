// ONE_WORD for several right-hand sides: the matrix is read once for all of them. The work vector lies in the caller's
// buffer and comes reset to the sentinel; the two work vectors of single solves are left alone.
#include "one_word.cuh"

template <int NR, class T>
__device__ void several_columns(const MultiArgs<T> &m) {
    const SolveArgs<T> &a = m.solve;
    ThroughL2<NR, T> exchange(a);
    one_word<NR, true>(a, Columns<T, NR>{a.x, a.f, m.ldx, m.ldf, m.columns}, exchange);
}

#define KERNEL(NR, t)                                                                \
    extern "C" __global__ void __launch_bounds__(128, 4)                             \
        one_word_multi##NR##_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {        \
        several_columns<NR>(m);                                                      \
    }
KERNEL(2, s) KERNEL(4, s)
KERNEL(2, d) KERNEL(4, d)
KERNEL(2, c) KERNEL(4, c)
KERNEL(2, z)
