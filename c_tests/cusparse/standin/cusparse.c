/*
 * A stand-in for libcusparse.so.12 on machines where cuSPARSE is not installed. Here: handles and csrsv2's
 * descriptors, which only keep what they are told. See standin.h for what cuSPARSE does not have.
 */

#include "objects.h"

#include <stdlib.h>

struct cusparseMatDescr {
    cusparseMatrixType_t type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diag;
    cusparseIndexBase_t base;
};

/* Tells the tests that this is not the real library. */
const int cusparse_is_a_stand_in = 1;

static int chosen_version;

int cusparse_standin_version(void)
{
    const char *asked = getenv("CUSPARSE_STANDIN_VERSION");
    return chosen_version ? chosen_version : asked && atoi(asked) > 0 ? atoi(asked) : CUSPARSE_VERSION;
}

void cusparse_standin_set_version(int version) { chosen_version = version; }

static const char maker;

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
    if (handle == NULL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *handle = calloc(1, sizeof **handle);
    if (*handle == NULL)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    (*handle)->maker = &maker;
    return CUSPARSE_STATUS_SUCCESS;
}

/* Whether there is a handle. One of another library would crash cuSPARSE, and does so here. */
static int is_handle(cusparseHandle_t handle)
{
    if (handle != NULL && handle->maker != &maker)
        abort();
    return handle != NULL;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
    free(handle);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version)
{
    if (handle == NULL || version == NULL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *version = cusparse_standin_version();
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
    int version = cusparse_standin_version();
    if (value == NULL || (unsigned)type > PATCH_LEVEL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *value = type == MAJOR_VERSION ? version / 1000 : type == MINOR_VERSION ? version / 100 % 10 : version % 100;
    return CUSPARSE_STATUS_SUCCESS;
}

const char *cusparseGetErrorName(cusparseStatus_t status)
{
#define NAME(status)                                                                                         \
    case status: return #status
    switch (status) {
        NAME(CUSPARSE_STATUS_SUCCESS);
        NAME(CUSPARSE_STATUS_NOT_INITIALIZED);
        NAME(CUSPARSE_STATUS_ALLOC_FAILED);
        NAME(CUSPARSE_STATUS_INVALID_VALUE);
        NAME(CUSPARSE_STATUS_ARCH_MISMATCH);
        NAME(CUSPARSE_STATUS_MAPPING_ERROR);
        NAME(CUSPARSE_STATUS_EXECUTION_FAILED);
        NAME(CUSPARSE_STATUS_INTERNAL_ERROR);
        NAME(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED);
        NAME(CUSPARSE_STATUS_ZERO_PIVOT);
        NAME(CUSPARSE_STATUS_NOT_SUPPORTED);
        NAME(CUSPARSE_STATUS_INSUFFICIENT_RESOURCES);
    }
#undef NAME
    return "unrecognized error code";
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
    if (!is_handle(handle))
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream)
{
    if (!is_handle(handle))
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    *stream = handle->stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode)
{
    if (!is_handle(handle))
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if ((unsigned)mode > 1)
        return CUSPARSE_STATUS_INVALID_VALUE;
    handle->pointer_mode = mode;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode)
{
    if (!is_handle(handle))
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

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *cooRowInd, int nnz, int m, int *csrSortedRowPtr,
                                  cusparseIndexBase_t idxBase)
{
    if (handle == NULL || csrSortedRowPtr == NULL || nnz < 0 || m < 0 || (nnz > 0 && cooRowInd == NULL))
        return CUSPARSE_STATUS_INVALID_VALUE;
    for (int row = 0, k = 0; row <= m; row++) {
        while (k < nnz && cooRowInd[k] - (int)idxBase < row)
            k++;
        csrSortedRowPtr[row] = k + (int)idxBase;
    }
    return CUSPARSE_STATUS_SUCCESS;
}
