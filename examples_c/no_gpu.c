/* gpu.h without a CUDA compiler. Nothing but gpu_open is ever called. */
#include "gpu.h"

#include <stdlib.h>

const char *gpu_open(int number, const char **why_not) {
    (void)number;
    *why_not = "these programs were built without a CUDA compiler";
    return NULL;
}

void *gpu_alloc(size_t bytes) {
    (void)bytes;
    abort();
}

void gpu_free(void *array) {
    (void)array;
    abort();
}

void gpu_write(void *to, const void *from, size_t bytes) {
    (void)to, (void)from, (void)bytes;
    abort();
}

void gpu_read(void *to, const void *from, size_t bytes) {
    (void)to, (void)from, (void)bytes;
    abort();
}

void *gpu_alloc_host(size_t bytes) {
    (void)bytes;
    abort();
}

void gpu_free_host(void *array) {
    (void)array;
    abort();
}

void gpu_wait(void) { abort(); }

void gpu_multiply(int n, const int *ptr, const int *ind, const double *val, const double *x, const double *b, double *y) {
    (void)n, (void)ptr, (void)ind, (void)val, (void)x, (void)b, (void)y;
    abort();
}

double gpu_dot(int n, const double *x, const double *y) {
    (void)n, (void)x, (void)y;
    abort();
}

void gpu_axpby(int n, double alpha, const double *x, double beta, double *y) {
    (void)n, (void)alpha, (void)x, (void)beta, (void)y;
    abort();
}

void gpu_gather(int n, const int *index, const double *x, double *to) {
    (void)n, (void)index, (void)x, (void)to;
    abort();
}

void gpu_scatter_add(int n, const int *index, const double *from, double *x) {
    (void)n, (void)index, (void)from, (void)x;
    abort();
}

void gpu_mark(int mark) {
    (void)mark;
    abort();
}

double gpu_between(int from, int to) {
    (void)from, (void)to;
    abort();
}
