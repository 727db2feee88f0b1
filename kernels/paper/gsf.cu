// GSF: the synchronization-free baseline (W. Liu et al., 2016): columns in natural order, one warp each,
// the whole warp spinning; no level information.
#include "column.cuh"

#define KERNEL(t) SELF_SCHEDULED_COLUMNS(gsf, t, WARP)
FOR_EACH_TYPE(KERNEL)
