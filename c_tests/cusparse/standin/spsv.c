/* The stand-in's SpSV: what cuSPARSE 12.9.4 does, with a status where cuSPARSE crashes or hangs. */

#include "triangle.h"

#include <string.h>

#define OK CUSPARSE_STATUS_SUCCESS
#define INVALID CUSPARSE_STATUS_INVALID_VALUE

int cusparse_standin_calls[STANDIN_CALLS];

/* Bytes that an analysis writes to. */
enum { SPSV_BUFFER = 4096 };

struct cusparseSpSVDescr {
    Triangle triangle; /* the one member: pointers to both are the same */
};

static int last_alg(void)
{
    return cusparse_standin_version() >= 12900 ? CUSPARSE_SPSV_ALG2 : CUSPARSE_SPSV_ALG_DEFAULT;
}

/* Before the solve, vectors are not looked at. */
static cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                              cusparseConstSpMatDescr_t mat, cudaDataType type, cusparseSpSVAlg_t alg,
                              const Triangle *triangle)
{
    return triangle_check(handle, op, alpha, mat, type, (int)alg, last_alg(), triangle);
}

/* The matrix of the solve must fit, although it is the analysed one that is solved. */
static cusparseStatus_t check_vectors(cusparseConstSpMatDescr_t mat, cusparseConstDnVecDescr_t x,
                                      cusparseConstDnVecDescr_t y, cudaDataType type)
{
    if (x == NULL || y == NULL || x->size != mat->rows || y->size != mat->rows)
        return INVALID;
    if (mat->type != type || x->type != type || y->type != type)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return mat->rows > 0 && (x->values == NULL || y->values == NULL) ? INVALID : OK;
}

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr)
{
    cusparse_standin_calls[SPSV_CREATE]++;
    return triangle_create((Triangle **)descr);
}

cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr)
{
    cusparse_standin_calls[SPSV_DESTROY]++;
    return triangle_destroy((Triangle *)descr);
}

cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
                                         cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                                         cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t alg,
                                         cusparseSpSVDescr_t spsvDescr, size_t *bufferSize)
{
    cusparse_standin_calls[SPSV_SIZE]++;
    (void)vecX, (void)vecY;
    cusparseStatus_t status = check(handle, opA, alpha, matA, computeType, alg, (const Triangle *)spsvDescr);
    if (status == OK && bufferSize == NULL)
        status = INVALID;
    if (status == OK)
        *bufferSize = SPSV_BUFFER;
    return status;
}

cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
                                       cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                                       cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t alg,
                                       cusparseSpSVDescr_t spsvDescr, void *externalBuffer)
{
    cusparse_standin_calls[SPSV_ANALYSIS]++;
    (void)vecX, (void)vecY;
    cusparseStatus_t status = check(handle, opA, alpha, matA, computeType, alg, (const Triangle *)spsvDescr);
    if (status == OK && externalBuffer == NULL)
        status = INVALID;
    if (status == OK)
        memset(externalBuffer, 0xb5, SPSV_BUFFER);
    return status == OK ? triangle_analyse((Triangle *)spsvDescr, opA, matA, (int)alg) : status;
}

cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
                                    cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                                    cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t alg,
                                    cusparseSpSVDescr_t spsvDescr)
{
    cusparse_standin_calls[SPSV_SOLVE]++;
    const Triangle *triangle = (const Triangle *)spsvDescr;
    cusparseStatus_t status = check(handle, opA, alpha, matA, computeType, alg, triangle);
    if (status == OK)
        status = check_vectors(matA, vecX, vecY, computeType);
    if (status != OK || matA->rows == 0)
        return status;
    if (!triangle->analysed)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (triangle->type != computeType || triangle->m != vecX->size)
        return INVALID;
    return triangle_solve(triangle, alpha, (Column){vecX->type, vecX->values, 0, 1},
                          (Column){vecY->type, vecY->values, 0, 1});
}

cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseSpSVDescr_t spsvDescr, void *newValues,
                                           cusparseSpSVUpdate_t updatePart)
{
    cusparse_standin_calls[SPSV_UPDATE]++;
    return triangle_update(handle, (Triangle *)spsvDescr, newValues, (int)updatePart);
}
