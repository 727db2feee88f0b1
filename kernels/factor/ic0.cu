// IC(0): factor.cuh for A = L L^H.
#include "factor/factor.cuh"

#define KERNELS(t) FACTOR_KERNELS(t, ic0, true)
FOR_EACH_TYPE(KERNELS)
