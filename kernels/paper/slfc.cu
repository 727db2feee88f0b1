// SLFC: column-wise, self-scheduled (R. Li, algorithm 4). One warp a column in level order; its leading
// lane waits for the column's dependency counter.
#include "column.cuh"

#define KERNEL(t) SELF_SCHEDULED_COLUMNS(slfc, t, 1)
FOR_EACH_TYPE(KERNEL)
