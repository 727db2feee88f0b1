// NODAL: ONE_WORD with nodes of several unknowns in the place of rows. There are two work vectors, and each solve
// resets the other one to the sentinel for the next solve.
#include "nodal.cuh"

template <int B, bool WHOLE, class T>
__device__ void one_column(const SolveArgs<T> &a) {
    wait_for_previous_kernel();
    nodal<B, 1, WHOLE>(a, columns_of(a));
}

// Row by row, and nodes as a whole.
#define KERNEL(name, B, t, whole)                                                        \
    extern "C" __global__ void __launch_bounds__(NODAL_BLOCK, (NODAL_BLOCKS<t##_type, B>)) \
        name(const GRID_CONSTANT SolveArgs<t##_type> a) {                                  \
        one_column<B, whole>(a);                                                           \
    }
#define BOTH_KERNELS(B, t) KERNEL(nodal##B##_##t, B, t, false) KERNEL(nodal##B##_whole_##t, B, t, true)
#define KERNELS(t) FOR_EACH_NODE(BOTH_KERNELS, t)
FOR_EACH_TYPE(KERNELS)
