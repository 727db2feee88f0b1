/* Vectors and matrix products in the executor's memory: on the GPU by small kernels (gpu.cu), else by plain loops. */
#ifndef VECTORS_H
#define VECTORS_H

#include "gpu.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = A x; the arrays of A are in the executor's memory too. */
void spmv(const matrix *a, const double *x, double *y);

/* r = b - A x */
void residual(const matrix *a, const double *x, const double *b, double *r);

/* x' y; waits for the result. The sum is taken in the same order every time. */
double dot(int n, const double *x, const double *y);

/* y = alpha x + beta y; with beta = 0, y is only written. */
void axpby(int n, double alpha, const double *x, double beta, double *y);

/* to[i] = x[index[i]] */
void gather(int n, const int *index, const double *x, double *to);

/* x[index[i]] += from[i], where no index comes twice. */
void scatter_add(int n, const int *index, const double *from, double *x);

/* Waits until all work so far is done. */
void wait_for_work(void);

/*
 * A stopwatch for work on the executor: mark notes the moment when the work so far is done, without
 * waiting for it; between gives the milliseconds from one mark to another, and waits for the second.
 */
enum { STOPWATCH_MARKS = GPU_MARKS };
void stopwatch_mark(int mark);
double stopwatch_between(int from, int to);

#ifdef __cplusplus
}
#endif
#endif
