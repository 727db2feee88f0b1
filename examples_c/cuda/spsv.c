/*
 * A program of CUDA 12 or 13 that knows nothing of libsptrsv: L x = f by cuSPARSE's SpSV. The launcher has the same binary
 * solved by libsptrsv, and says what it served:
 *
 *     cc spsv.c -o spsv -I/usr/local/cuda/include -L/usr/local/cuda/lib64 -lcusparse -lcudart -lm \
 *        -Wl,-rpath,/usr/local/cuda/lib64
 *     ./spsv                               by cuSPARSE
 *     sptrsv run --report -- ./spsv      by libsptrsv
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
    int *d_ptr = upload(ptr, sizeof ptr), *d_ind = upload(ind, sizeof ind);
    double *d_val = upload(val, sizeof val), *d_f = upload(f, sizeof f), *d_x = upload(f, sizeof x);
    void *buffer = NULL;
    size_t bytes = 0;

    cusparseHandle_t handle;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t right, solution;
    cusparseSpSVDescr_t info;
    cusparseFillMode_t lower = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t stored = CUSPARSE_DIAG_TYPE_NON_UNIT;
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseSpSVAlg_t algorithm = CUSPARSE_SPSV_ALG_DEFAULT;
    CHECK(cusparseCreate(&handle));
    CHECK(cusparseCreateCsr(&matrix, M, M, NNZ, d_ptr, d_ind, d_val, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    CHECK(cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof lower));
    CHECK(cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_DIAG_TYPE, &stored, sizeof stored));
    CHECK(cusparseCreateDnVec(&right, M, d_f, CUDA_R_64F));
    CHECK(cusparseCreateDnVec(&solution, M, d_x, CUDA_R_64F));
    CHECK(cusparseSpSV_createDescr(&info));

    CHECK(cusparseSpSV_bufferSize(handle, op, &one, matrix, right, solution, CUDA_R_64F, algorithm, info, &bytes));
    CHECK(cudaMalloc(&buffer, bytes));
    CHECK(cusparseSpSV_analysis(handle, op, &one, matrix, right, solution, CUDA_R_64F, algorithm, info, buffer));
    CHECK(cusparseSpSV_solve(handle, op, &one, matrix, right, solution, CUDA_R_64F, algorithm, info));
    CHECK(cudaMemcpy(x, d_x, sizeof x, cudaMemcpyDeviceToHost));
    printf("x = %g %g %g\n", x[0], x[1], x[2]);

    CHECK(cusparseSpSV_destroyDescr(info));
    CHECK(cusparseDestroyDnVec(solution));
    CHECK(cusparseDestroyDnVec(right));
    CHECK(cusparseDestroySpMat(matrix));
    CHECK(cusparseDestroy(handle));
    void *arrays[] = {d_ptr, d_ind, d_val, d_f, d_x, buffer};
    for (int i = 0; i < 6; i++) CHECK(cudaFree(arrays[i]));
    return fabs(x[0] - 1) + fabs(x[1] - 2) + fabs(x[2] - 3) < 1e-12 ? 0 : 1;
}
