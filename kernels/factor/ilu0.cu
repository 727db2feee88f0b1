// ILU(0): factor.cuh for A = L U.
#include "factor/factor.cuh"

#define KERNELS(t) FACTOR_KERNELS(t, ilu0, false)
FOR_EACH_TYPE(KERNELS)
