/* Executor, memory and errors of the examples. */
#define _POSIX_C_SOURCE 200809L
#include "example.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu.h"

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

sptrsvHandle_t example_open_one_of(int number, int want_host, char line[EXAMPLE_LINE]) {
    sptrsvHandle_t handle = NULL;
    const char *require = getenv("SPTRSV_REQUIRE_GPU");
    const char *why_not = NULL, *gpu = want_host ? NULL : gpu_open(number, &why_not);

    if (gpu) {
        OK(sptrsvCreate(&handle));
        on_gpu = 1;
        snprintf(line, EXAMPLE_LINE, "CUDA executor on %s", gpu);
        return handle;
    }
    if (want_host)
        snprintf(line, EXAMPLE_LINE, "host executor, as asked");
    else if (require && strcmp(require, "1") == 0)
        example_die(1, "SPTRSV_REQUIRE_GPU is set, but no GPU can be used: %s", why_not);
    else
        snprintf(line, EXAMPLE_LINE, "no GPU can be used (%s): host executor", why_not);
    OK(sptrsvCreateWithExecutor(&handle, SPTRSV_EXECUTOR_HOST));
    return handle;
}

sptrsvHandle_t example_open(int want_host) {
    char line[EXAMPLE_LINE];
    sptrsvHandle_t handle = example_open_one_of(0, want_host, line);
    printf("%s\n", line);
    return handle;
}

int example_on_gpu(void) { return on_gpu; }

void *example_alloc(size_t bytes) {
    if (bytes == 0) bytes = 1;
    if (on_gpu) return gpu_alloc(bytes);
    void *array = malloc(bytes);
    if (!array) example_die(1, "out of memory: %zu bytes", bytes);
    return array;
}

void example_write(void *to, const void *from, size_t bytes) {
    if (on_gpu)
        gpu_write(to, from, bytes);
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
        gpu_read(to, from, bytes);
    else
        memcpy(to, from, bytes);
}

void example_free(void *array) {
    if (on_gpu)
        gpu_free(array);
    else
        free(array);
}

double example_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
