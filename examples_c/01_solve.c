/* The smallest complete program: one lower triangular system, analysed and solved once. */
#include <math.h>
#include <stdio.h>

#include "example.h"

int main(void) {
    /* [ 2 0 0 ]     [ 2 ]            [ 1 ]
       [ 1 2 0 ] x = [ 5 ]   has  x = [ 2 ]
       [ 0 1 3 ]     [ 11 ]           [ 3 ] */
    enum { N = 3, NNZ = 5 };
    const int row_ptr[N + 1] = {0, 1, 3, 5};
    const int col_ind[NNZ] = {0, 0, 1, 1, 2};
    const double val[NNZ] = {2, 1, 2, 1, 3};
    const double f[N] = {2, 5, 11};
    const double alpha = 1.0;
    double x[N];

    /* Arrays are where the executor works: in GPU memory, or on the host executor in plain memory. */
    sptrsvHandle_t h = example_open(0);
    int *d_ptr = example_upload(row_ptr, sizeof row_ptr);
    int *d_ind = example_upload(col_ind, sizeof col_ind);
    double *d_val = example_upload(val, sizeof val);
    double *d_f = example_upload(f, sizeof f);
    double *d_x = example_alloc(sizeof x);

    /* A new descriptor says: CSR, base 0, lower triangle, diagonal stored. */
    sptrsvMatDescr_t descr;
    sptrsvInfo_t info;
    size_t bytes;
    OK(sptrsvCreateMatDescr(&descr));
    OK(sptrsvCreateInfo(&info));

    OK(sptrsvBufferSize(h, SPTRSV_OPERATION_NON_TRANSPOSE, N, NNZ, descr, SPTRSV_R_64F, d_val, d_ptr, d_ind, info,
                        &bytes));
    void *buffer = example_alloc(bytes);
    OK(sptrsvAnalysis(h, SPTRSV_OPERATION_NON_TRANSPOSE, N, NNZ, descr, SPTRSV_R_64F, d_val, d_ptr, d_ind, info,
                      SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer));
    OK(sptrsvSolve(h, SPTRSV_OPERATION_NON_TRANSPOSE, N, NNZ, &alpha, descr, SPTRSV_R_64F, d_val, d_ptr, d_ind, info,
                   d_f, d_x, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer));
    example_download(x, d_x, sizeof x);
    printf("x = %g %g %g\n", x[0], x[1], x[2]);

    OK(sptrsvDestroyInfo(info));
    OK(sptrsvDestroyMatDescr(descr));
    OK(sptrsvDestroy(h));
    example_free(d_ptr);
    example_free(d_ind);
    example_free(d_val);
    example_free(d_f);
    example_free(d_x);
    example_free(buffer);
    return fabs(x[0] - 1) + fabs(x[1] - 2) + fabs(x[2] - 3) < 1e-12 ? 0 : 1;
}
