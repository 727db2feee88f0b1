/*
 * A stand-in for libcusparse.so.12 on machines where cuSPARSE is not installed: handles and descriptors that
 * only keep what they are told, which is all that libsptrsv_cusparse.so asks of them.
 */

#include "cusparse.h"

#include <stdlib.h>

struct cusparseContext {
    cudaStream_t stream;
    cusparsePointerMode_t pointer_mode;
};

struct cusparseMatDescr {
    cusparseMatrixType_t type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diag;
    cusparseIndexBase_t base;
};

/* Tells the tests that this is not the real library. */
const int cusparse_is_a_stand_in = 1;

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
    if (handle == NULL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
    free(handle);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
    if (handle == NULL)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream)
{
    if (handle == NULL)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    *stream = handle->stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode)
{
    if (handle == NULL)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if ((unsigned)mode > 1)
        return CUSPARSE_STATUS_INVALID_VALUE;
    handle->pointer_mode = mode;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode)
{
    if (handle == NULL)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    *mode = handle->pointer_mode;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descr)
{
    if (descr == NULL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *descr = calloc(1, sizeof **descr);
    return *descr ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr)
{
    free(descr);
    return CUSPARSE_STATUS_SUCCESS;
}

#define PROPERTY(Name, Type, field, last)                                                                    \
    cusparseStatus_t cusparseSet##Name(cusparseMatDescr_t descr, Type value)                                 \
    {                                                                                                        \
        if (descr == NULL || (unsigned)value > last)                                                         \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                            \
        descr->field = value;                                                                                \
        return CUSPARSE_STATUS_SUCCESS;                                                                      \
    }                                                                                                        \
    Type cusparseGet##Name(const cusparseMatDescr_t descr) { return descr->field; }

PROPERTY(MatType, cusparseMatrixType_t, type, 3)
PROPERTY(MatFillMode, cusparseFillMode_t, fill, 1)
PROPERTY(MatDiagType, cusparseDiagType_t, diag, 1)
PROPERTY(MatIndexBase, cusparseIndexBase_t, base, 1)
