/*
 * A program of CUDA 11, as it was: L x = f by csrsv2, which CUDA 12 removed. It builds for CUDA 12 and 13 with one option
 * more and the two libraries that have csrsv2 again; not a line changes.
 *
 *     before:  cc csrsv2.c -I/usr/local/cuda-11/include -L/usr/local/cuda-11/lib64 -lcusparse -lcudart -lm
 *     after:   cc -include sptrsv_cusparse.h csrsv2.c -I/opt/sptrsv/include -I/usr/local/cuda/include \
 *                 -L/opt/sptrsv/lib -lsptrsv_cusparse -lsptrsv -L/usr/local/cuda/lib64 -lcusparse -lcudart -lm \
 *                 -Wl,-rpath,/opt/sptrsv/lib:/usr/local/cuda/lib64
 */
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                         \
    do {                                                    \
        int code = (int)(call);                             \
        if (code) {                                         \
            fprintf(stderr, "%s returned %d\n", #call, code); \
            exit(1);                                        \
        }                                                   \
    } while (0)

static void *upload(const void *from, size_t bytes) {
    void *to = NULL;
    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return to;
}

int main(void) {
    enum { M = 3, NNZ = 5 };
    const int ptr[M + 1] = {0, 1, 3, 5}, ind[NNZ] = {0, 0, 1, 1, 2};
    const double val[NNZ] = {2, 1, 2, 1, 3}, f[M] = {2, 5, 11}, one = 1.0;
    double x[M];
    int *d_ptr = upload(ptr, sizeof ptr), *d_ind = upload(ind, sizeof ind), bytes = 0, pivot = -1;
    double *d_val = upload(val, sizeof val), *d_f = upload(f, sizeof f), *d_x = upload(f, sizeof x);
    void *buffer = NULL;

    cusparseHandle_t handle;
    cusparseMatDescr_t descr;
    csrsv2Info_t info;
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseSolvePolicy_t policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
    CHECK(cusparseCreate(&handle));
    CHECK(cusparseCreateMatDescr(&descr));
    CHECK(cusparseSetMatFillMode(descr, CUSPARSE_FILL_MODE_LOWER));
    CHECK(cusparseSetMatDiagType(descr, CUSPARSE_DIAG_TYPE_NON_UNIT));
    CHECK(cusparseCreateCsrsv2Info(&info));

    CHECK(cusparseDcsrsv2_bufferSize(handle, op, M, NNZ, descr, d_val, d_ptr, d_ind, info, &bytes));
    CHECK(cudaMalloc(&buffer, (size_t)bytes));
    CHECK(cusparseDcsrsv2_analysis(handle, op, M, NNZ, descr, d_val, d_ptr, d_ind, info, policy, buffer));
    CHECK(cusparseDcsrsv2_solve(handle, op, M, NNZ, &one, descr, d_val, d_ptr, d_ind, info, d_f, d_x, policy, buffer));
    if (cusparseXcsrsv2_zeroPivot(handle, info, &pivot) == CUSPARSE_STATUS_ZERO_PIVOT) printf("row %d has no pivot\n", pivot);
    CHECK(cudaMemcpy(x, d_x, sizeof x, cudaMemcpyDeviceToHost));
    printf("x = %g %g %g\n", x[0], x[1], x[2]);

    CHECK(cusparseDestroyCsrsv2Info(info));
    CHECK(cusparseDestroyMatDescr(descr));
    CHECK(cusparseDestroy(handle));
    void *arrays[] = {d_ptr, d_ind, d_val, d_f, d_x, buffer};
    for (int i = 0; i < 6; i++) CHECK(cudaFree(arrays[i]));
    return fabs(x[0] - 1) + fabs(x[1] - 2) + fabs(x[2] - 3) < 1e-12 ? 0 : 1;
}
