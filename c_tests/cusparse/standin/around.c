/*
 * What the stand-in has around a solve, for the tests of the command line: SpMV, Axpby and SpVV, csrilu02 and csric02, by their definitions,
 * for 32-bit indices, base 0 and double precision. Other value types are refused.
 */

#include "objects.h"

#include <math.h>
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

/* ---- factorisations ---- */

/* Whose analysis was made, and of which factorisation it is. */
struct Info {
    int incomplete_cholesky, analysed;
};
typedef struct Info *Info;

static cusparseStatus_t create(Info *info, int incomplete_cholesky)
{
    *info = malloc(sizeof **info);
    **info = (struct Info){incomplete_cholesky, 0};
    return OK;
}

cusparseStatus_t cusparseCreateCsrilu02Info(Info *info) { return create(info, 0); }
cusparseStatus_t cusparseCreateCsric02Info(Info *info) { return create(info, 1); }

static cusparseStatus_t destroy(Info info)
{
    free(info);
    return OK;
}

cusparseStatus_t cusparseDestroyCsrilu02Info(Info info) { return destroy(info); }
cusparseStatus_t cusparseDestroyCsric02Info(Info info) { return destroy(info); }

/* The place of an entry, or -1. */
static int find(const int *ptr, const int *col, int row, int column)
{
    for (int k = ptr[row]; k < ptr[row + 1]; k++)
        if (col[k] == column)
            return k;
    return -1;
}

static void incomplete_lu(int m, double *val, const int *ptr, const int *col)
{
    for (int i = 0; i < m; i++)
        for (int k = ptr[i]; k < ptr[i + 1] && col[k] < i; k++) {
            val[k] /= val[find(ptr, col, col[k], col[k])];
            for (int j = k + 1; j < ptr[i + 1]; j++) {
                int above = find(ptr, col, col[k], col[j]);
                if (above >= 0)
                    val[j] -= val[k] * val[above];
            }
        }
}

static void incomplete_cholesky(int m, double *val, const int *ptr, const int *col)
{
    for (int i = 0; i < m; i++)
        for (int k = ptr[i]; k < ptr[i + 1] && col[k] <= i; k++) {
            int j = col[k];
            for (int p = ptr[i]; p < ptr[i + 1] && col[p] < j; p++) {
                int beside = find(ptr, col, j, col[p]);
                if (beside >= 0)
                    val[k] -= val[p] * val[beside];
            }
            val[k] = j < i ? val[k] / val[find(ptr, col, j, j)] : sqrt(val[k]);
        }
}

static cusparseStatus_t check_info(cusparseHandle_t handle, int m, int nnz, cusparseMatDescr_t descr, const int *ptr, Info info,
                                   int incomplete_cholesky)
{
    if (handle == NULL || descr == NULL || ptr[m] != nnz)
        return INVALID;
    return info->incomplete_cholesky == incomplete_cholesky ? OK : INVALID;
}

#define FACTORISATION(NAME, IS_CHOLESKY, FACTORISE)                                                                                 \
    cusparseStatus_t cusparseD##NAME##_bufferSize(cusparseHandle_t handle, int m, int nnz, cusparseMatDescr_t descr, double *val,   \
                                                  const int *ptr, const int *col, Info info, int *bytes)                            \
    {                                                                                                                               \
        (void)val, (void)col;                                                                                                       \
        *bytes = 8;                                                                                                                 \
        return check_info(handle, m, nnz, descr, ptr, info, IS_CHOLESKY);                                                           \
    }                                                                                                                               \
    cusparseStatus_t cusparseD##NAME##_analysis(cusparseHandle_t handle, int m, int nnz, cusparseMatDescr_t descr,                  \
                                                const double *val, const int *ptr, const int *col, Info info,                       \
                                                cusparseSolvePolicy_t policy, void *buffer)                                         \
    {                                                                                                                               \
        (void)val, (void)col;                                                                                                       \
        info->analysed = 1;                                                                                                         \
        if (policy != CUSPARSE_SOLVE_POLICY_USE_LEVEL || buffer == NULL)                                                            \
            return INVALID;                                                                                                         \
        return check_info(handle, m, nnz, descr, ptr, info, IS_CHOLESKY);                                                           \
    }                                                                                                                               \
    cusparseStatus_t cusparseD##NAME(cusparseHandle_t handle, int m, int nnz, cusparseMatDescr_t descr, double *val,                \
                                     const int *ptr, const int *col, Info info, cusparseSolvePolicy_t policy, void *buffer)         \
    {                                                                                                                               \
        cusparseStatus_t status = check_info(handle, m, nnz, descr, ptr, info, IS_CHOLESKY);                                        \
        if (policy != CUSPARSE_SOLVE_POLICY_USE_LEVEL || buffer == NULL || !info->analysed)                                         \
            return INVALID;                                                                                                         \
        if (status == OK)                                                                                                           \
            FACTORISE(m, val, ptr, col);                                                                                            \
        return status;                                                                                                              \
    }

FACTORISATION(csrilu02, 0, incomplete_lu)
FACTORISATION(csric02, 1, incomplete_cholesky)
