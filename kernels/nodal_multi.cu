// NODAL for two right-hand sides: the matrix is read once for both. The work vector lies in the caller's buffer and
// comes armed; the two work vectors of single solves are left alone.
#include "nodal.cuh"

template <int B, class T>
__device__ void two_columns(const MultiArgs<T> &m) {
    const SolveArgs<T> &a = m.solve;
    nodal<B, 2>(a, Columns<T, 2>{a.x, a.f, m.ldx, m.ldf, m.columns});
}

#define KERNEL(B, t)                                                        \
    extern "C" __global__ void __launch_bounds__(NODAL_BLOCK, 2)            \
        nodal_multi##B##_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {   \
        two_columns<B>(m);                                                  \
    }
#define KERNELS(t) FOR_EACH_NODE(KERNEL, t)
FOR_EACH_TYPE(KERNELS)
