// GSF: the synchronization-free baseline (W. Liu et al., 2016): columns in natural order, one warp each,
// the whole warp spinning; no level information.
#include "column.cuh"

#define KERNEL(t)                                                                       \
    extern "C" __global__ void __launch_bounds__(256) gsf_##t(SolveArgs<t##_type> a) { \
        self_scheduled_columns(a, WARP);                                                \
    }
FOR_EACH_TYPE(KERNEL)
