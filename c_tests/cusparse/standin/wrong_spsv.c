/*
 * SpSV that is wrong on purpose: it keeps the old values after an update of all of them. The differential test must not
 * agree with it. Everything else comes from the library that this one is linked to.
 */

#define _GNU_SOURCE
#include <cusparse.h>
#include <dlfcn.h>
#include <string.h>

cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseSpSVDescr_t spsvDescr, void *newValues,
                                           cusparseSpSVUpdate_t updatePart)
{
    cusparseStatus_t (*right)(cusparseHandle_t, cusparseSpSVDescr_t, void *, cusparseSpSVUpdate_t);
    void *symbol = dlsym(RTLD_NEXT, "cusparseSpSV_updateMatrix");
    memcpy(&right, &symbol, sizeof symbol);
    if (handle && spsvDescr && newValues && updatePart == CUSPARSE_SPSV_UPDATE_GENERAL)
        return CUSPARSE_STATUS_SUCCESS;
    return right(handle, spsvDescr, newValues, updatePart);
}
