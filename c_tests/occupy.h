/*
 * Kernels that are bad neighbours (occupy.cu): one that keeps multiprocessors busy, and ones that break the context.
 */
#ifndef SPTRSV_OCCUPY_H
#define SPTRSV_OCCUPY_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* So many blocks of so many threads do nothing for that long. */
cudaError_t occupy(cudaStream_t stream, int blocks, int threads, double seconds);

/* Ways to lose a context: a store to where there is no memory, a trap, a load from between two words. */
enum { NO_MEMORY, TRAP, MISALIGNED, BREAKS };
cudaError_t break_context(cudaStream_t stream, int how);

#ifdef __cplusplus
}
#endif

#endif
