/*
 * csrilu02 and csric02 that are wrong on purpose: csric02 keeps zero pivots to itself, and csrilu02 in double precision leaves the
 * last value alone. The differential test must not agree with them. Everything else comes from the library that this one is linked to.
 */

#define _GNU_SOURCE
#include <cusparse.h>
#include <dlfcn.h>
#include <string.h>

cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info, int *position)
{
    cusparseStatus_t (*right)(cusparseHandle_t, csric02Info_t, int *);
    void *symbol = dlsym(RTLD_NEXT, "cusparseXcsric02_zeroPivot");
    memcpy(&right, &symbol, sizeof symbol);
    cusparseStatus_t status = right(handle, info, position);
    return status == CUSPARSE_STATUS_ZERO_PIVOT ? CUSPARSE_STATUS_SUCCESS : status;
}

cusparseStatus_t cusparseDcsrilu02(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, double *val,
                                   const int *ptr, const int *col, csrilu02Info_t info, cusparseSolvePolicy_t policy, void *buffer)
{
    __typeof__(&cusparseDcsrilu02) right;
    void *symbol = dlsym(RTLD_NEXT, "cusparseDcsrilu02");
    memcpy(&right, &symbol, sizeof symbol);
    double last = val && nnz > 0 ? val[nnz - 1] : 0;
    cusparseStatus_t status = right(handle, m, nnz, descrA, val, ptr, col, info, policy, buffer);
    if (val && nnz > 0)
        val[nnz - 1] = last;
    return status;
}
