/* Vectors and matrix products of the examples, on the GPU and on the host. */
#include "vectors.h"

#include "example.h"
#include "gpu.h"

static void multiply(const matrix *a, const double *x, const double *b, double *y) {
    if (example_on_gpu()) {
        gpu_multiply(a->n, a->ptr, a->ind, a->val, x, b, y);
        return;
    }
    for (int i = 0; i < a->n; i++) {
        double sum = 0.0;
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) sum += a->val[k] * x[a->ind[k]];
        y[i] = b ? b[i] - sum : sum;
    }
}

void spmv(const matrix *a, const double *x, double *y) { multiply(a, x, NULL, y); }

void residual(const matrix *a, const double *x, const double *b, double *r) { multiply(a, x, b, r); }

double dot(int n, const double *x, const double *y) {
    if (example_on_gpu()) return gpu_dot(n, x, y);
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

void axpby(int n, double alpha, const double *x, double beta, double *y) {
    if (example_on_gpu()) {
        gpu_axpby(n, alpha, x, beta, y);
        return;
    }
    for (int i = 0; i < n; i++) y[i] = beta == 0.0 ? alpha * x[i] : alpha * x[i] + beta * y[i];
}

void gather(int n, const int *index, const double *x, double *to) {
    if (example_on_gpu()) {
        gpu_gather(n, index, x, to);
        return;
    }
    for (int i = 0; i < n; i++) to[i] = x[index[i]];
}

void scatter_add(int n, const int *index, const double *from, double *x) {
    if (example_on_gpu()) {
        gpu_scatter_add(n, index, from, x);
        return;
    }
    for (int i = 0; i < n; i++) x[index[i]] += from[i];
}

void wait_for_work(void) {
    if (example_on_gpu()) gpu_wait();
}

static double second[STOPWATCH_MARKS];

void stopwatch_mark(int mark) {
    if (example_on_gpu())
        gpu_mark(mark);
    else
        second[mark] = example_seconds();
}

double stopwatch_between(int from, int to) {
    return example_on_gpu() ? gpu_between(from, to) : 1e3 * (second[to] - second[from]);
}
