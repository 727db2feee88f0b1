/* Executor, memory and errors of the examples. */
#define _POSIX_C_SOURCE 200809L
#include "example.h"

#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int on_gpu;

void example_die(int exit_code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fputs("error: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(exit_code);
}

void example_check(sptrsvStatus_t status, const char *call) {
    if (status == SPTRSV_STATUS_SUCCESS) return;
    example_die(1, "%s: %s (%s)", sptrsvGetErrorName(status), sptrsvGetLastErrorString(), call);
}

static void cuda_check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) example_die(1, "CUDA: cannot %s: %s", what, cudaGetErrorString(error));
}

sptrsvHandle_t example_open(int want_host) {
    sptrsvHandle_t handle = NULL;
    const char *require = getenv("SPTRSV_REQUIRE_GPU");
    int devices = 0, driver = 0;
    cudaError_t error = cudaSuccess;

    if (want_host) {
        printf("host executor, as asked\n");
    } else if (cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0 &&
               (error = cudaGetDeviceCount(&devices)) == cudaSuccess && devices > 0) {
        struct cudaDeviceProp gpu;
        cuda_check(cudaSetDevice(0), "use GPU 0");
        cuda_check(cudaGetDeviceProperties(&gpu, 0), "ask for the GPU's name");
        OK(sptrsvCreate(&handle));
        on_gpu = 1;
        printf("CUDA executor on %s\n", gpu.name);
        return handle;
    } else if (require && strcmp(require, "1") == 0) {
        example_die(1, "SPTRSV_REQUIRE_GPU is set, but no usable NVIDIA GPU was found");
    } else if (error == cudaSuccess || error == cudaErrorNoDevice) {
        printf("no NVIDIA GPU found: host executor\n");
    } else {
        printf("the GPU cannot be used (%s): host executor\n", cudaGetErrorString(error));
    }
    OK(sptrsvCreateWithExecutor(&handle, SPTRSV_EXECUTOR_HOST));
    return handle;
}

int example_on_gpu(void) { return on_gpu; }

void *example_alloc(size_t bytes) {
    void *array = NULL;
    if (bytes == 0) bytes = 1;
    if (on_gpu)
        cuda_check(cudaMalloc(&array, bytes), "allocate GPU memory");
    else if (!(array = malloc(bytes)))
        example_die(1, "out of memory: %zu bytes", bytes);
    return array;
}

void example_write(void *to, const void *from, size_t bytes) {
    if (on_gpu)
        cuda_check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copy to the GPU");
    else
        memcpy(to, from, bytes);
}

void *example_upload(const void *from, size_t bytes) {
    void *array = example_alloc(bytes);
    example_write(array, from, bytes);
    return array;
}

void example_download(void *to, const void *from, size_t bytes) {
    if (on_gpu)
        cuda_check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copy from the GPU");
    else
        memcpy(to, from, bytes);
}

void example_free(void *array) {
    if (on_gpu)
        cuda_check(cudaFree(array), "free GPU memory");
    else
        free(array);
}

double example_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
