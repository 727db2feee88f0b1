/* The stand-in's SpSM: what cuSPARSE 12.9.4 does, with a status where cuSPARSE crashes or hangs. */

#include "triangle.h"

#define OK CUSPARSE_STATUS_SUCCESS
#define INVALID CUSPARSE_STATUS_INVALID_VALUE

struct cusparseSpSMDescr {
    Triangle triangle; /* the one member: pointers to both are the same */
};

/* Before the solve, C is not looked at, and B's columns are not either. */
static cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t op, cusparseOperation_t op_b,
                              const void *alpha, cusparseConstSpMatDescr_t mat, cusparseConstDnMatDescr_t b,
                              cudaDataType type, cusparseSpSMAlg_t alg, const Triangle *triangle)
{
    int transposed = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
    if (b == NULL || (unsigned)op_b > CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
        return INVALID;
    cusparseStatus_t status = triangle_check(handle, op, alpha, mat, type, (int)alg, 0, triangle);
    if (status != OK)
        return status;
    if (mat->format == CUSPARSE_FORMAT_SLICED_ELLPACK)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    if ((transposed ? b->cols : b->rows) != mat->rows)
        return INVALID;
    return op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE || b->type != mat->type || !is_served(type)
               ? CUSPARSE_STATUS_NOT_SUPPORTED
               : OK;
}

static cusparseStatus_t check_result(cusparseConstSpMatDescr_t mat, cusparseOperation_t op_b,
                                     cusparseConstDnMatDescr_t b, cusparseConstDnMatDescr_t c, cudaDataType type)
{
    int64_t columns = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE ? b->rows : b->cols;
    if (c == NULL || c->rows != mat->rows || c->cols != columns)
        return INVALID;
    if (mat->type != type || c->type != type)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return mat->rows > 0 && columns > 0 && (b->values == NULL || c->values == NULL) ? INVALID : OK;
}

cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *descr)
{
    cusparse_standin_calls[SPSM_CREATE]++;
    return triangle_create((Triangle **)descr);
}

cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr)
{
    cusparse_standin_calls[SPSM_DESTROY]++;
    return triangle_destroy((Triangle *)descr);
}

cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                         const void *alpha, cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
                                         cudaDataType computeType, cusparseSpSMAlg_t alg,
                                         cusparseSpSMDescr_t spsmDescr, size_t *bufferSize)
{
    cusparse_standin_calls[SPSM_SIZE]++;
    (void)matC;
    cusparseStatus_t status = check(handle, opA, opB, alpha, matA, matB, computeType, alg, (const Triangle *)spsmDescr);
    if (status == OK && bufferSize == NULL)
        status = INVALID;
    if (status == OK)
        *bufferSize = 64;
    return status;
}

cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                       const void *alpha, cusparseConstSpMatDescr_t matA,
                                       cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
                                       cudaDataType computeType, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t spsmDescr,
                                       void *externalBuffer)
{
    cusparse_standin_calls[SPSM_ANALYSIS]++;
    (void)matC;
    cusparseStatus_t status = check(handle, opA, opB, alpha, matA, matB, computeType, alg, (const Triangle *)spsmDescr);
    if (status == OK && externalBuffer == NULL)
        status = INVALID;
    return status == OK ? triangle_analyse((Triangle *)spsmDescr, opA, matA, (int)alg) : status;
}

static Column column(cusparseConstDnMatDescr_t mat, int transposed, int64_t j)
{
    int along_rows = (mat->order == CUSPARSE_ORDER_COL) != transposed;
    return (Column){mat->type, mat->values, along_rows ? j * mat->ld : j, along_rows ? 1 : mat->ld};
}

cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                    const void *alpha, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                                    cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpSMAlg_t alg,
                                    cusparseSpSMDescr_t spsmDescr)
{
    cusparse_standin_calls[SPSM_SOLVE]++;
    const Triangle *triangle = (const Triangle *)spsmDescr;
    cusparseStatus_t status = check(handle, opA, opB, alpha, matA, matB, computeType, alg, triangle);
    if (status == OK)
        status = check_result(matA, opB, matB, matC, computeType);
    if (status != OK || matA->rows == 0)
        return status;
    if (!triangle->analysed)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (triangle->type != computeType || triangle->m != matC->rows)
        return INVALID;
    if (matC->cols == 0)
        return CUSPARSE_STATUS_INTERNAL_ERROR;
    for (int64_t j = 0; j < matC->cols && status == OK; j++)
        status = triangle_solve(triangle, alpha, column(matB, opB != CUSPARSE_OPERATION_NON_TRANSPOSE, j),
                                column(matC, 0, j));
    return status;
}

cusparseStatus_t cusparseSpSM_updateMatrix(cusparseHandle_t handle, cusparseSpSMDescr_t spsmDescr, void *newValues,
                                           cusparseSpSMUpdate_t updatePart)
{
    cusparse_standin_calls[SPSM_UPDATE]++;
    return triangle_update(handle, (Triangle *)spsmDescr, newValues, (int)updatePart);
}
