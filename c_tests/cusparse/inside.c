/*
 * A program that has cuSPARSE inside of itself, as by libcusparse_static.a, and SpSV from libsptrsv_spsv.so: a search for cuSPARSE's
 * SpSV in the program leads back to that library, which must give a status instead of calling itself.
 */

#include <cusparse.h>

#include "harness.h"

#define SPSV handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, mat, x, x, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT

static void every_function_gives_a_status(void)
{
    int offsets[] = {0, 1}, column = 0;
    double value = 2, b = 4, one = 1;
    size_t bytes;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t mat;
    cusparseDnVecDescr_t x;
    cusparseSpSVDescr_t descr;
    STATUS(0, cusparseCreate(&handle));
    STATUS(0, cusparseCreateCsr(&mat, 1, 1, 1, offsets, &column, &value, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    STATUS(0, cusparseCreateDnVec(&x, 1, &b, CUDA_R_64F));
    STATUS(0, cusparseSpSV_createDescr(&descr));
    for (int k = 0; k < 2; k++) {
        cusparseSpSVDescr_t used = k ? descr : NULL;
        STATUS(1, cusparseSpSV_bufferSize(SPSV, used, &bytes));
        STATUS(1, cusparseSpSV_analysis(SPSV, used, &bytes));
        STATUS(1, cusparseSpSV_solve(SPSV, used));
    }
    STATUS(1, cusparseSpSV_updateMatrix(handle, NULL, &value, CUSPARSE_SPSV_UPDATE_GENERAL));
    STATUS(0, cusparseSpSV_destroyDescr(descr));
    CHECK(b == 4);
}

int main(void)
{
    RUN(every_function_gives_a_status);
    return close_tally("inside");
}
