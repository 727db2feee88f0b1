/*
 * Litmus tests of the kernels' wait protocols (litmus_solve.cu, litmus_setup.cu): the functions of kernels/ publish and poll words
 * millions of times, beside a kernel that keeps caches and memory busy. Each word that arrives is compared with what was published.
 */
#ifndef SPTRSV_LITMUS_H
#define SPTRSV_LITMUS_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  unsigned long long published; /* words that a consumer has waited for and compared */
  unsigned long long wrong;     /* of them with other bits, or old ones */
  unsigned timed_out;           /* waits that the watchdog has ended */
} Litmus;

typedef struct {
  const char *name;
  int capability; /* the least that it needs: 90 for clusters */
  cudaError_t (*run)(Litmus *result);
} LitmusTest;

/* The tests, and how many there are. */
const LitmusTest *litmus_of_solves(int *count);
const LitmusTest *litmus_of_setups(int *count);

/* So many checks of the watchdog, that far apart in nanoseconds and without progress, end a wait of that limit. */
unsigned litmus_checks(unsigned long long limit, unsigned long long apart);

#ifdef __cplusplus
}
#endif

#endif
