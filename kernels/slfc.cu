// SLFC: column-wise, self-scheduled (R. Li, algorithm 4). One warp a column in level order; its leading
// lane waits for the column's dependency counter.
#include "column.cuh"

#define KERNEL(t)                                                                        \
    extern "C" __global__ void __launch_bounds__(256) slfc_##t(SolveArgs<t##_type> a) { \
        self_scheduled_columns(a, 1);                                                    \
    }
FOR_EACH_TYPE(KERNEL)
