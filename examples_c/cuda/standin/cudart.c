/*
 * A stand-in for the CUDA runtime on a machine without a GPU: its memory is the host's. Programs for a GPU run on it
 * as they are, because here sptrsvCreate makes a handle of the host executor.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda_runtime_api.h"
#include "sptrsv.h"

sptrsvStatus_t sptrsvCreate(sptrsvHandle_t *handle) { return sptrsvCreateWithExecutor(handle, SPTRSV_EXECUTOR_HOST); }

/* The host executor has no streams: NULL is the only one. */
cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    *stream = NULL;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **address, size_t bytes) {
    *address = malloc(bytes ? bytes : 1);
    return *address ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *address) {
    free(address);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    (void)kind;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    (void)stream;
    return cudaMemcpy(to, from, bytes, kind);
}

const char *cudaGetErrorString(cudaError_t error) { return error == cudaSuccess ? "no error" : "out of memory"; }
