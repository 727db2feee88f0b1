// NODAL for two right-hand sides: the matrix is read once for both. The work vector lies in the caller's buffer and
// comes reset to the sentinel; the two work vectors of single solves are left alone.
#include "nodal.cuh"

template <int B, bool WHOLE, class T>
__device__ void two_columns(const MultiArgs<T> &m) {
    const SolveArgs<T> &a = m.solve;
    nodal<B, 2, WHOLE>(a, Columns<T, 2>{a.x, a.f, m.ldx, m.ldf, m.columns});
}

// Row by row, and nodes as a whole.
#define KERNEL(name, B, t, whole)                                 \
    extern "C" __global__ void __launch_bounds__(NODAL_BLOCK, 2)  \
        name(const GRID_CONSTANT MultiArgs<t##_type> m) {         \
        two_columns<B, whole>(m);                                 \
    }
#define BOTH_KERNELS(B, t) KERNEL(nodal_multi##B##_##t, B, t, false) KERNEL(nodal_multi##B##_whole_##t, B, t, true)
#define KERNELS(t) FOR_EACH_NODE(BOTH_KERNELS, t)
FOR_EACH_TYPE(KERNELS)
