/*
 * A reference that is wrong on purpose: it keeps zero pivots to itself. The differential test must not agree with
 * it. Everything else comes from the libraries that this one is linked to.
 */

#define _GNU_SOURCE
#include <cusparse.h>
#include <dlfcn.h>
#include <string.h>

cusparseStatus_t cusparseXcsrsv2_zeroPivot(cusparseHandle_t handle, csrsv2Info_t info, int *position)
{
    cusparseStatus_t (*right)(cusparseHandle_t, csrsv2Info_t, int *);
    void *symbol = dlsym(RTLD_NEXT, "cusparseXcsrsv2_zeroPivot");
    memcpy(&right, &symbol, sizeof symbol);
    cusparseStatus_t status = right(handle, info, position);
    return status == CUSPARSE_STATUS_ZERO_PIVOT ? CUSPARSE_STATUS_SUCCESS : status;
}
