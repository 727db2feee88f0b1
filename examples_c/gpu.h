/* What the examples do on a GPU, in gpu.cu; no_gpu.c stands for it in a build without a CUDA compiler. */
#ifndef GPU_H
#define GPU_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes a GPU current, number modulo their count: its name, or NULL where there is none that can be used, with a sentence
 * that says why.
 */
const char *gpu_open(int number, const char **why_not);

/* Memory of that GPU, and copies to it and from it. */
void *gpu_alloc(size_t bytes);
void gpu_free(void *array);
void gpu_write(void *to, const void *from, size_t bytes);
void gpu_read(void *to, const void *from, size_t bytes);

/* Host memory that is page-locked, which makes copies faster. */
void *gpu_alloc_host(size_t bytes);
void gpu_free_host(void *array);

/* Waits for all work so far. */
void gpu_wait(void);

/* y = b - A x, or A x where b is NULL; x' y; y = alpha x + beta y. */
void gpu_multiply(int n, const int *ptr, const int *ind, const double *val, const double *x, const double *b, double *y);
double gpu_dot(int n, const double *x, const double *y);
void gpu_axpby(int n, double alpha, const double *x, double beta, double *y);

/* to[i] = x[index[i]]; x[index[i]] += from[i], where no index comes twice. */
void gpu_gather(int n, const int *index, const double *x, double *to);
void gpu_scatter_add(int n, const int *index, const double *from, double *x);

/* Marks the work so far with one of GPU_MARKS numbers; the milliseconds between two marks, when the second is done. */
enum { GPU_MARKS = 3 };
void gpu_mark(int mark);
double gpu_between(int from, int to);

#ifdef __cplusplus
}
#endif
#endif
