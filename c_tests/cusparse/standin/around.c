/*
 * What the stand-in has around a solve, for the tests of the command line: SpMV, Axpby and SpVV, by their definitions, for 32-bit
 * indices, base 0 and double precision. Other value types are refused.
 */

#include "objects.h"

#include <stdlib.h>

#define OK CUSPARSE_STATUS_SUCCESS
#define INVALID CUSPARSE_STATUS_INVALID_VALUE

/* ---- products and sums ---- */

struct cusparseSpVecDescr {
    int64_t size, nnz;
    const int *indices;
    double *values;
};
typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;

enum { CSR_ALG1 = 2 };

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *descr, int64_t size, int64_t nnz, void *indices, void *values,
                                     cusparseIndexType_t type, cusparseIndexBase_t base, cudaDataType value_type)
{
    if (type != CUSPARSE_INDEX_32I || base != CUSPARSE_INDEX_BASE_ZERO || value_type != CUDA_R_64F || nnz > size)
        return INVALID;
    *descr = malloc(sizeof **descr);
    **descr = (struct cusparseSpVecDescr){size, nnz, indices, values};
    return OK;
}

cusparseStatus_t cusparseDestroySpVec(cusparseSpVecDescr_t descr)
{
    free(descr);
    return OK;
}

static cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpMatDescr_t a,
                              cusparseConstDnVecDescr_t x, cusparseConstDnVecDescr_t y, cudaDataType type, int alg)
{
    if (handle == NULL || op != CUSPARSE_OPERATION_NON_TRANSPOSE || a->cols != x->size || a->rows != y->size)
        return INVALID;
    return type == CUDA_R_64F && a->type == type && alg == CSR_ALG1 ? OK : CUSPARSE_STATUS_NOT_SUPPORTED;
}

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType type, int alg, size_t *bytes)
{
    (void)alpha, (void)beta;
    *bytes = 8;
    return check(handle, op, a, x, y, type, alg);
}

cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType type, int alg, void *buffer)
{
    (void)alpha, (void)beta;
    return buffer == NULL ? INVALID : check(handle, op, a, x, y, type, alg);
}

cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
                              cusparseDnVecDescr_t y, cudaDataType type, int alg, void *buffer)
{
    const int *ptr = a->offsets, *col = a->indices;
    const double *val = a->values, *in = x->values;
    double *out = (double *)y->values;
    cusparseStatus_t status = buffer == NULL ? INVALID : check(handle, op, a, x, y, type, alg);
    for (int64_t i = 0; status == OK && i < a->rows; i++) {
        double sum = 0;
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            sum += val[k] * in[col[k]];
        out[i] = *(const double *)alpha * sum + *(const double *)beta * out[i];
    }
    return status;
}

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha, cusparseSpVecDescr_t x, const void *beta,
                               cusparseDnVecDescr_t y)
{
    double *out = (double *)y->values;
    if (handle == NULL || x->size != y->size || y->type != CUDA_R_64F)
        return INVALID;
    for (int64_t i = 0; i < y->size; i++)
        out[i] *= *(const double *)beta;
    for (int64_t k = 0; k < x->nnz; k++)
        out[x->indices[k]] += *(const double *)alpha * x->values[k];
    return OK;
}

cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, cusparseSpVecDescr_t x,
                                         cusparseConstDnVecDescr_t y, const void *result, cudaDataType type, size_t *bytes)
{
    (void)handle, (void)result;
    *bytes = 8;
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE && x->size == y->size && type == CUDA_R_64F ? OK : INVALID;
}

/* Into memory of the device, as the handle's pointer mode has to say. */
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op, cusparseSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                              void *result, cudaDataType type, void *buffer)
{
    const double *values = y->values;
    size_t bytes;
    if (buffer == NULL || handle->pointer_mode != CUSPARSE_POINTER_MODE_DEVICE ||
        cusparseSpVV_bufferSize(handle, op, x, y, result, type, &bytes) != OK)
        return INVALID;
    double sum = 0;
    for (int64_t k = 0; k < x->nnz; k++)
        sum += x->values[k] * values[x->indices[k]];
    *(double *)result = sum;
    return OK;
}
