// NODAL: ONE_WORD with nodes of several unknowns in the place of rows. There are two work vectors, and each solve
// arms the other one for the next solve.
#include "nodal.cuh"

template <int B, class T>
__device__ void one_column(const SolveArgs<T> &a) {
    wait_for_turn();
    nodal<B, 1>(a, columns_of(a));
}

#define KERNEL(B, t)                                                    \
    extern "C" __global__ void __launch_bounds__(NODAL_BLOCK, (NODAL_BLOCKS<t##_type, B>)) \
        nodal##B##_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {     \
        one_column<B>(a);                                               \
    }
#define KERNELS(t) FOR_EACH_NODE(KERNEL, t)
FOR_EACH_TYPE(KERNELS)
