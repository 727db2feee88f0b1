/*
 * New values, same pattern: the analysis reads the pattern only, so a matrix that changes its values, as
 * in a time-stepping code, is analysed once and solved with ever new values.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "example.h"
#include "matrix.h"
#include "vectors.h"

/* The lower triangle of A, with its diagonal. */
static matrix lower_triangle(const matrix *a) {
    int nnz = a->ptr[a->n], count = 0, added;
    entry *entries = malloc((size_t)nnz * sizeof *entries);
    if (!entries) example_die(1, "out of memory: %d entries", nnz);
    for (int i = 0; i < a->n; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1] && a->ind[k] <= i; k++)
            entries[count++] = (entry){i, a->ind[k], a->val[k]};
    matrix l = matrix_from_entries(a->n, count, entries, &added);
    free(entries);
    return l;
}

int main(void) {
    sptrsvHandle_t h = example_open(0);
    matrix a = matrix_poisson(40), l = lower_triangle(&a);
    int n = l.n, nnz = l.ptr[n], bad = 0;
    size_t values = (size_t)nnz * sizeof(double), vector = (size_t)n * sizeof(double);

    matrix device = {n, example_upload(l.ptr, ((size_t)n + 1) * sizeof(int)),
                     example_upload(l.ind, (size_t)nnz * sizeof(int)), example_alloc(values)};
    double *f = malloc(vector);
    if (!f) example_die(1, "out of memory: %zu bytes", vector);
    for (int i = 0; i < n; i++) f[i] = 1.0 + i % 7;
    double *d_f = example_upload(f, vector), *d_x = example_alloc(vector), *d_r = example_alloc(vector);

    /* No values yet: NULL is enough for size and analysis. */
    sptrsvMatDescr_t descr;
    sptrsvInfo_t info;
    size_t bytes;
    OK(sptrsvCreateMatDescr(&descr));
    OK(sptrsvCreateInfo(&info));
    OK(sptrsvBufferSize(h, SPTRSV_OPERATION_NON_TRANSPOSE, n, nnz, descr, SPTRSV_R_64F, NULL, device.ptr, device.ind,
                        info, &bytes));
    void *buffer = example_alloc(bytes);
    OK(sptrsvAnalysis(h, SPTRSV_OPERATION_NON_TRANSPOSE, n, nnz, descr, SPTRSV_R_64F, NULL, device.ptr, device.ind,
                      info, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer));

    for (int step = 1; step <= 3; step++) {
        const double one = 1.0;
        for (int i = 0; i < n; i++) l.val[l.ptr[i + 1] - 1] = 6.0 + step; /* the diagonal ends its row */
        if (step == 3) l.val[l.ptr[n / 2 + 1] - 1] = 0.0;
        example_write(device.val, l.val, values);
        OK(sptrsvSolve(h, SPTRSV_OPERATION_NON_TRANSPOSE, n, nnz, &one, descr, SPTRSV_R_64F, device.val, device.ptr,
                       device.ind, info, d_f, d_x, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer));

        /* Whether the new values can be solved with is known after the solve. */
        int64_t row;
        if (sptrsvZeroPivot(h, info, &row) == SPTRSV_STATUS_ZERO_PIVOT) {
            printf("step %d: the pivot of row %lld is zero\n", step, (long long)row);
            bad += step != 3 || row != n / 2;
            continue;
        }
        residual(&device, d_x, d_f, d_r);
        double error = sqrt(dot(n, d_r, d_r) / dot(n, d_f, d_f));
        printf("step %d: |f - L x| / |f| = %.1e\n", step, error);
        bad += step == 3 || !(error < 1e-14);
    }

    OK(sptrsvDestroyInfo(info));
    OK(sptrsvDestroyMatDescr(descr));
    OK(sptrsvDestroy(h));
    example_free(device.ptr);
    example_free(device.ind);
    example_free(device.val);
    example_free(d_f);
    example_free(d_x);
    example_free(d_r);
    example_free(buffer);
    free(f);
    matrix_free(&a);
    matrix_free(&l);
    return bad ? 1 : 0;
}
