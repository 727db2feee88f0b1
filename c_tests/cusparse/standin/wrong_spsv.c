/*
 * SpSV and SpSM that are wrong on purpose: after an update SpSV keeps all old values, and SpSM the old diagonal. The differential
 * test must not agree with them. Everything else comes from the library that this one is linked to.
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

cusparseStatus_t cusparseSpSM_updateMatrix(cusparseHandle_t handle, cusparseSpSMDescr_t spsmDescr, void *newValues,
                                           cusparseSpSMUpdate_t updatePart)
{
    cusparseStatus_t (*right)(cusparseHandle_t, cusparseSpSMDescr_t, void *, cusparseSpSMUpdate_t);
    void *symbol = dlsym(RTLD_NEXT, "cusparseSpSM_updateMatrix");
    memcpy(&right, &symbol, sizeof symbol);
    if (handle && spsmDescr && newValues && updatePart == CUSPARSE_SPSM_UPDATE_DIAGONAL)
        return CUSPARSE_STATUS_SUCCESS;
    return right(handle, spsmDescr, newValues, updatePart);
}
