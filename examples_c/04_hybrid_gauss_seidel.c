/*
 * Hybrid Gauss-Seidel, the smoother of algebraic multigrid: A is cut into blocks of rows, as over the
 * processes of a parallel program; a sweep is Gauss-Seidel inside of a block and Jacobi between blocks.
 *
 * Each block is a full matrix A_k = L + D + U, and each sweep in it one call: what other blocks take from
 * b is taken before, with the old x. Its diagonal comes separately: d_i = a_ii + the sum of |a_ij| over the entries of row i outside of the
 * block (the l1 variant), which makes the method converge for every positive definite A.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "example.h"
#include "matrix.h"
#include "vectors.h"

enum { GRID = 32, BLOCKS = 4, SWEEPS = 20 };

typedef struct {
    int first, n, nnz;
    int *ptr, *ind; /* in the executor's memory, like val and diagonal */
    double *val, *diagonal;
    sptrsvInfo_t lower, upper;
} block;

static sptrsvInfo_t analyse(sptrsvHandle_t h, sptrsvMatDescr_t descr, const block *b, size_t *buffer_bytes) {
    sptrsvInfo_t info;
    size_t bytes;
    OK(sptrsvCreateInfo(&info));
    OK(sptrsvSetSweeps(info, SPTRSV_SWEEPS_ANY));
    OK(sptrsvSetDiagonal(info, b->diagonal));
    OK(sptrsvBufferSize(h, SPTRSV_OPERATION_NON_TRANSPOSE, b->n, b->nnz, descr, SPTRSV_R_64F, b->val, b->ptr, b->ind,
                        info, &bytes));
    /* The buffer is scratch: another one serves all sweeps. */
    void *buffer = example_alloc(bytes);
    OK(sptrsvAnalysis(h, SPTRSV_OPERATION_NON_TRANSPOSE, b->n, b->nnz, descr, SPTRSV_R_64F, b->val, b->ptr, b->ind,
                      info, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer));
    example_free(buffer);
    if (bytes > *buffer_bytes) *buffer_bytes = bytes;
    return info;
}

/* Rows first .. first + n of A, with the columns outside of that range gone into the diagonal. */
static block cut(sptrsvHandle_t h, sptrsvMatDescr_t lower, sptrsvMatDescr_t upper, const matrix *a, int first, int n,
                 size_t *buffer_bytes) {
    int from = a->ptr[first], room = a->ptr[first + n] - from, nnz = 0;
    int *ptr = calloc((size_t)n + 1, sizeof(int)), *ind = malloc((size_t)room * sizeof(int));
    double *val = malloc((size_t)room * sizeof(double)), *diagonal = calloc((size_t)n, sizeof(double));
    if (!ptr || !ind || !val || !diagonal) example_die(1, "out of memory: a block of %d rows", n);
    for (int i = 0; i < n; i++) {
        for (int k = a->ptr[first + i]; k < a->ptr[first + i + 1]; k++) {
            int j = a->ind[k] - first;
            if (j < 0 || j >= n) {
                diagonal[i] += fabs(a->val[k]);
                continue;
            }
            if (j == i) diagonal[i] += a->val[k];
            ind[nnz] = j;
            val[nnz++] = a->val[k];
        }
        ptr[i + 1] = nnz;
    }
    block b = {.first = first, .n = n, .nnz = nnz};
    b.ptr = example_upload(ptr, ((size_t)n + 1) * sizeof(int));
    b.ind = example_upload(ind, (size_t)nnz * sizeof(int));
    b.val = example_upload(val, (size_t)nnz * sizeof(double));
    b.diagonal = example_upload(diagonal, (size_t)n * sizeof(double));
    b.lower = analyse(h, lower, &b, buffer_bytes);
    b.upper = analyse(h, upper, &b, buffer_bytes);
    free(ptr);
    free(ind);
    free(val);
    free(diagonal);
    return b;
}

/* The entries of A outside of the blocks, in the executor's memory. */
static matrix outside_of_blocks(const matrix *a) {
    int n = a->n, rows = n / BLOCKS, nnz = 0;
    int *ptr = calloc((size_t)n + 1, sizeof(int)), *ind = malloc((size_t)a->ptr[n] * sizeof(int));
    double *val = malloc((size_t)a->ptr[n] * sizeof(double));
    if (!ptr || !ind || !val) example_die(1, "out of memory: the entries outside of blocks");
    for (int i = 0; i < n; i++) {
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            if (a->ind[k] / rows != i / rows) ind[nnz] = a->ind[k], val[nnz++] = a->val[k];
        ptr[i + 1] = nnz;
    }
    matrix outer = {n, example_upload(ptr, ((size_t)n + 1) * sizeof(int)), example_upload(ind, (size_t)nnz * sizeof(int)),
                    example_upload(val, (size_t)nnz * sizeof(double))};
    free(ptr);
    free(ind);
    free(val);
    return outer;
}

/* A forward or a backward sweep in each block, with what the others take from b by the x from before. */
static void sweep(sptrsvHandle_t h, sptrsvMatDescr_t descr, int is_upper, const block *blocks, const matrix *outer,
                  const double *b, double *x, double *r, void *buffer) {
    residual(outer, x, b, r);
    for (int k = 0; k < BLOCKS; k++) {
        const block *c = &blocks[k];
        OK(sptrsvSweep(h, c->n, c->nnz, 1.0, 0, descr, SPTRSV_R_64F, c->val, c->ptr, c->ind,
                       is_upper ? c->upper : c->lower, r + c->first, x + c->first, buffer));
    }
}

static double norm_of_residual(const matrix *a, const double *b, const double *x, double *r) {
    residual(a, x, b, r);
    return sqrt(dot(a->n, r, r));
}

int main(void) {
    sptrsvHandle_t h = example_open(0);
    matrix a = matrix_poisson(GRID);
    int n = a.n, nnz = a.ptr[n];
    matrix device = {n, example_upload(a.ptr, ((size_t)n + 1) * sizeof(int)),
                     example_upload(a.ind, (size_t)nnz * sizeof(int)), example_upload(a.val, (size_t)nnz * sizeof(double))};
    double *zero = calloc((size_t)n, sizeof(double));
    if (!zero) example_die(1, "out of memory: a vector of %d values", n);
    double *x = example_upload(zero, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) zero[i] = 1.0;
    double *b = example_upload(zero, (size_t)n * sizeof(double));
    double *r = example_alloc((size_t)n * sizeof(double));
    free(zero);

    sptrsvMatDescr_t lower, upper;
    OK(sptrsvCreateMatDescr(&lower));
    OK(sptrsvCreateMatDescr(&upper));
    OK(sptrsvSetMatFillMode(upper, SPTRSV_FILL_MODE_UPPER));
    block blocks[BLOCKS];
    size_t buffer_bytes = 0;
    for (int k = 0; k < BLOCKS; k++)
        blocks[k] = cut(h, lower, upper, &a, n / BLOCKS * k, n / BLOCKS, &buffer_bytes);
    matrix outer = outside_of_blocks(&a);
    void *buffer = example_alloc(buffer_bytes);

    double first = norm_of_residual(&device, b, x, r), last = first;
    int falls = 1;
    for (int k = 1; k <= SWEEPS; k++) {
        sweep(h, lower, 0, blocks, &outer, b, x, r, buffer);
        sweep(h, upper, 1, blocks, &outer, b, x, r, buffer);
        double now = norm_of_residual(&device, b, x, r);
        falls = falls && now < last;
        last = now;
        if (k == 1 || k % 5 == 0) printf("after %2d forward and backward sweeps: |r| / |b| = %.4f\n", k, last / first);
    }

    for (int k = 0; k < BLOCKS; k++) {
        OK(sptrsvDestroyInfo(blocks[k].lower));
        OK(sptrsvDestroyInfo(blocks[k].upper));
        example_free(blocks[k].ptr);
        example_free(blocks[k].ind);
        example_free(blocks[k].val);
        example_free(blocks[k].diagonal);
    }
    OK(sptrsvDestroyMatDescr(lower));
    OK(sptrsvDestroyMatDescr(upper));
    OK(sptrsvDestroy(h));
    example_free(device.ptr);
    example_free(device.ind);
    example_free(device.val);
    example_free(outer.ptr);
    example_free(outer.ind);
    example_free(outer.val);
    example_free(x);
    example_free(b);
    example_free(r);
    example_free(buffer);
    matrix_free(&a);
    if (!falls) example_die(1, "the residual did not fall with every sweep");
    return 0;
}
