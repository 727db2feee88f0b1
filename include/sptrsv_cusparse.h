/*
 * The csrsv2 and csrsm2 functions of cuSPARSE 11 for programs built with CUDA 12 and later, which no longer
 * have them. They are in libsptrsv_cusparse.so and work on cuSPARSE's own handles and matrix descriptors.
 *
 *     cc -include sptrsv_cusparse.h ... -lsptrsv_cusparse -lsptrsv -lcusparse
 *
 * Nothing is declared under CUDA 11, whose <cusparse.h> has them all. What each function does, and where it
 * is kinder than cuSPARSE was, is in docs/coming-from-csrsv2.md.
 *
 * Every function returns one of cuSPARSE's own statuses. analysis reads the pattern only; solve reads the
 * values, is asynchronous on the handle's stream, allocates nothing and can be captured into a CUDA graph;
 * zeroPivot waits for the last solve. pBuffer is scratch: nothing has to survive in it between calls. An info serves one
 * solve at a time: order those on several streams by events, or analyse an info for each.
 *
 * The kernels of a context, and a pool of memory that keeps up to 1/32 of the device's for further analyses, stay until
 * the program ends.
 */

#ifndef SPTRSV_CUSPARSE_H
#define SPTRSV_CUSPARSE_H

#include <stddef.h>

#include <cusparse.h>

#if CUSPARSE_VERSION >= 12000

#ifdef __cplusplus
extern "C" {
#endif

/* cuSPARSE 12 and later mark some of their own types below as deprecated. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

struct csrsv2Info;
typedef struct csrsv2Info *csrsv2Info_t;

struct csrsm2Info;
typedef struct csrsm2Info *csrsm2Info_t;

/* ---- csrsv2: op(A) x = alpha f, one right-hand side ----
 *
 * A is m x m with nnz entries, those of the other triangle counted: m + 1 offsets, nnz columns, nnz values. f and x are m values,
 * and x may be f; alpha is one value where the pointer mode says. bufferSize and analysis do not read the values, which may be
 * NULL there; bufferSize reads no array, and what it says is 64 on a GPU, whatever the matrix. Statuses: SUCCESS (also with a
 * zero pivot: see zeroPivot), NOT_INITIALIZED, INVALID_VALUE, MATRIX_TYPE_NOT_SUPPORTED, INSUFFICIENT_RESOURCES, ALLOC_FAILED,
 * EXECUTION_FAILED (also where the watchdog has ended a solve), ARCH_MISMATCH (a GPU that the library has no kernels for),
 * NOT_SUPPORTED (a matrix that is too large for the analysis), INTERNAL_ERROR. analysis waits for the stream, and is refused with
 * INVALID_VALUE while that is capturing.
 */

/* An info outlives the handle it was used with; destroying one that was never analysed, or NULL, is fine. */
cusparseStatus_t cusparseCreateCsrsv2Info(csrsv2Info_t *info);

cusparseStatus_t cusparseDestroyCsrsv2Info(csrsv2Info_t info);

/* CUSPARSE_STATUS_ZERO_PIVOT and the smallest row with a zero on its diagonal, in the index base of the
 * matrix; else -1. position is an int where the pointer mode says. */
cusparseStatus_t cusparseXcsrsv2_zeroPivot(cusparseHandle_t handle,
                                           csrsv2Info_t info,
                                           int *position);

/* A size beyond INT_MAX gives INT_MAX and CUSPARSE_STATUS_INSUFFICIENT_RESOURCES. The arrays are not read. */
cusparseStatus_t cusparseScsrsv2_bufferSize(cusparseHandle_t handle,
                                            cusparseOperation_t transA,
                                            int m,
                                            int nnz,
                                            const cusparseMatDescr_t descrA,
                                            float *val,
                                            const int *rowPtr,
                                            const int *colInd,
                                            csrsv2Info_t info,
                                            int *pBufferSizeInBytes);

cusparseStatus_t cusparseScsrsv2_bufferSizeExt(cusparseHandle_t handle,
                                               cusparseOperation_t transA,
                                               int m,
                                               int nnz,
                                               const cusparseMatDescr_t descrA,
                                               float *val,
                                               const int *rowPtr,
                                               const int *colInd,
                                               csrsv2Info_t info,
                                               size_t *pBufferSize);

cusparseStatus_t cusparseScsrsv2_analysis(cusparseHandle_t handle,
                                          cusparseOperation_t transA,
                                          int m,
                                          int nnz,
                                          const cusparseMatDescr_t descrA,
                                          const float *val,
                                          const int *rowPtr,
                                          const int *colInd,
                                          csrsv2Info_t info,
                                          cusparseSolvePolicy_t policy,
                                          void *pBuffer);

cusparseStatus_t cusparseScsrsv2_solve(cusparseHandle_t handle,
                                       cusparseOperation_t transA,
                                       int m,
                                       int nnz,
                                       const float *alpha,
                                       const cusparseMatDescr_t descrA,
                                       const float *val,
                                       const int *rowPtr,
                                       const int *colInd,
                                       csrsv2Info_t info,
                                       const float *f,
                                       float *x,
                                       cusparseSolvePolicy_t policy,
                                       void *pBuffer);

cusparseStatus_t cusparseDcsrsv2_bufferSize(cusparseHandle_t handle,
                                            cusparseOperation_t transA,
                                            int m,
                                            int nnz,
                                            const cusparseMatDescr_t descrA,
                                            double *val,
                                            const int *rowPtr,
                                            const int *colInd,
                                            csrsv2Info_t info,
                                            int *pBufferSizeInBytes);

cusparseStatus_t cusparseDcsrsv2_bufferSizeExt(cusparseHandle_t handle,
                                               cusparseOperation_t transA,
                                               int m,
                                               int nnz,
                                               const cusparseMatDescr_t descrA,
                                               double *val,
                                               const int *rowPtr,
                                               const int *colInd,
                                               csrsv2Info_t info,
                                               size_t *pBufferSize);

cusparseStatus_t cusparseDcsrsv2_analysis(cusparseHandle_t handle,
                                          cusparseOperation_t transA,
                                          int m,
                                          int nnz,
                                          const cusparseMatDescr_t descrA,
                                          const double *val,
                                          const int *rowPtr,
                                          const int *colInd,
                                          csrsv2Info_t info,
                                          cusparseSolvePolicy_t policy,
                                          void *pBuffer);

cusparseStatus_t cusparseDcsrsv2_solve(cusparseHandle_t handle,
                                       cusparseOperation_t transA,
                                       int m,
                                       int nnz,
                                       const double *alpha,
                                       const cusparseMatDescr_t descrA,
                                       const double *val,
                                       const int *rowPtr,
                                       const int *colInd,
                                       csrsv2Info_t info,
                                       const double *f,
                                       double *x,
                                       cusparseSolvePolicy_t policy,
                                       void *pBuffer);

cusparseStatus_t cusparseCcsrsv2_bufferSize(cusparseHandle_t handle,
                                            cusparseOperation_t transA,
                                            int m,
                                            int nnz,
                                            const cusparseMatDescr_t descrA,
                                            cuComplex *val,
                                            const int *rowPtr,
                                            const int *colInd,
                                            csrsv2Info_t info,
                                            int *pBufferSizeInBytes);

cusparseStatus_t cusparseCcsrsv2_bufferSizeExt(cusparseHandle_t handle,
                                               cusparseOperation_t transA,
                                               int m,
                                               int nnz,
                                               const cusparseMatDescr_t descrA,
                                               cuComplex *val,
                                               const int *rowPtr,
                                               const int *colInd,
                                               csrsv2Info_t info,
                                               size_t *pBufferSize);

cusparseStatus_t cusparseCcsrsv2_analysis(cusparseHandle_t handle,
                                          cusparseOperation_t transA,
                                          int m,
                                          int nnz,
                                          const cusparseMatDescr_t descrA,
                                          const cuComplex *val,
                                          const int *rowPtr,
                                          const int *colInd,
                                          csrsv2Info_t info,
                                          cusparseSolvePolicy_t policy,
                                          void *pBuffer);

cusparseStatus_t cusparseCcsrsv2_solve(cusparseHandle_t handle,
                                       cusparseOperation_t transA,
                                       int m,
                                       int nnz,
                                       const cuComplex *alpha,
                                       const cusparseMatDescr_t descrA,
                                       const cuComplex *val,
                                       const int *rowPtr,
                                       const int *colInd,
                                       csrsv2Info_t info,
                                       const cuComplex *f,
                                       cuComplex *x,
                                       cusparseSolvePolicy_t policy,
                                       void *pBuffer);

cusparseStatus_t cusparseZcsrsv2_bufferSize(cusparseHandle_t handle,
                                            cusparseOperation_t transA,
                                            int m,
                                            int nnz,
                                            const cusparseMatDescr_t descrA,
                                            cuDoubleComplex *val,
                                            const int *rowPtr,
                                            const int *colInd,
                                            csrsv2Info_t info,
                                            int *pBufferSizeInBytes);

cusparseStatus_t cusparseZcsrsv2_bufferSizeExt(cusparseHandle_t handle,
                                               cusparseOperation_t transA,
                                               int m,
                                               int nnz,
                                               const cusparseMatDescr_t descrA,
                                               cuDoubleComplex *val,
                                               const int *rowPtr,
                                               const int *colInd,
                                               csrsv2Info_t info,
                                               size_t *pBufferSize);

cusparseStatus_t cusparseZcsrsv2_analysis(cusparseHandle_t handle,
                                          cusparseOperation_t transA,
                                          int m,
                                          int nnz,
                                          const cusparseMatDescr_t descrA,
                                          const cuDoubleComplex *val,
                                          const int *rowPtr,
                                          const int *colInd,
                                          csrsv2Info_t info,
                                          cusparseSolvePolicy_t policy,
                                          void *pBuffer);

cusparseStatus_t cusparseZcsrsv2_solve(cusparseHandle_t handle,
                                       cusparseOperation_t transA,
                                       int m,
                                       int nnz,
                                       const cuDoubleComplex *alpha,
                                       const cusparseMatDescr_t descrA,
                                       const cuDoubleComplex *val,
                                       const int *rowPtr,
                                       const int *colInd,
                                       csrsv2Info_t info,
                                       const cuDoubleComplex *f,
                                       cuDoubleComplex *x,
                                       cusparseSolvePolicy_t policy,
                                       void *pBuffer);

/* ---- csrsm2: op(A) op(X) = alpha op(B), X replaces B ----
 *
 * B holds m x nrhs values: with transB = N by columns, ldb >= m; with T by rows, ldb >= nrhs. With H as with T for real types, and
 * NOT_SUPPORTED for complex ones. algo is 0 or 1, without a difference. bufferSizeExt and analysis read neither B nor alpha, which
 * may be NULL there. The first size that is asked for an info decides: with 16 right-hand sides and more it is that of an engine for
 * many, 64 values a row and more, and the info stays with it. Statuses, blocking and capture are as with csrsv2.
 */

cusparseStatus_t cusparseCreateCsrsm2Info(csrsm2Info_t *info);

cusparseStatus_t cusparseDestroyCsrsm2Info(csrsm2Info_t info);

cusparseStatus_t cusparseXcsrsm2_zeroPivot(cusparseHandle_t handle,
                                           csrsm2Info_t info,
                                           int *position);

cusparseStatus_t cusparseScsrsm2_bufferSizeExt(cusparseHandle_t handle,
                                               int algo,
                                               cusparseOperation_t transA,
                                               cusparseOperation_t transB,
                                               int m,
                                               int nrhs,
                                               int nnz,
                                               const float *alpha,
                                               const cusparseMatDescr_t descrA,
                                               const float *val,
                                               const int *rowPtr,
                                               const int *colInd,
                                               const float *B,
                                               int ldb,
                                               csrsm2Info_t info,
                                               cusparseSolvePolicy_t policy,
                                               size_t *pBufferSize);

cusparseStatus_t cusparseScsrsm2_analysis(cusparseHandle_t handle,
                                          int algo,
                                          cusparseOperation_t transA,
                                          cusparseOperation_t transB,
                                          int m,
                                          int nrhs,
                                          int nnz,
                                          const float *alpha,
                                          const cusparseMatDescr_t descrA,
                                          const float *val,
                                          const int *rowPtr,
                                          const int *colInd,
                                          const float *B,
                                          int ldb,
                                          csrsm2Info_t info,
                                          cusparseSolvePolicy_t policy,
                                          void *pBuffer);

cusparseStatus_t cusparseScsrsm2_solve(cusparseHandle_t handle,
                                       int algo,
                                       cusparseOperation_t transA,
                                       cusparseOperation_t transB,
                                       int m,
                                       int nrhs,
                                       int nnz,
                                       const float *alpha,
                                       const cusparseMatDescr_t descrA,
                                       const float *val,
                                       const int *rowPtr,
                                       const int *colInd,
                                       float *B,
                                       int ldb,
                                       csrsm2Info_t info,
                                       cusparseSolvePolicy_t policy,
                                       void *pBuffer);

cusparseStatus_t cusparseDcsrsm2_bufferSizeExt(cusparseHandle_t handle,
                                               int algo,
                                               cusparseOperation_t transA,
                                               cusparseOperation_t transB,
                                               int m,
                                               int nrhs,
                                               int nnz,
                                               const double *alpha,
                                               const cusparseMatDescr_t descrA,
                                               const double *val,
                                               const int *rowPtr,
                                               const int *colInd,
                                               const double *B,
                                               int ldb,
                                               csrsm2Info_t info,
                                               cusparseSolvePolicy_t policy,
                                               size_t *pBufferSize);

cusparseStatus_t cusparseDcsrsm2_analysis(cusparseHandle_t handle,
                                          int algo,
                                          cusparseOperation_t transA,
                                          cusparseOperation_t transB,
                                          int m,
                                          int nrhs,
                                          int nnz,
                                          const double *alpha,
                                          const cusparseMatDescr_t descrA,
                                          const double *val,
                                          const int *rowPtr,
                                          const int *colInd,
                                          const double *B,
                                          int ldb,
                                          csrsm2Info_t info,
                                          cusparseSolvePolicy_t policy,
                                          void *pBuffer);

cusparseStatus_t cusparseDcsrsm2_solve(cusparseHandle_t handle,
                                       int algo,
                                       cusparseOperation_t transA,
                                       cusparseOperation_t transB,
                                       int m,
                                       int nrhs,
                                       int nnz,
                                       const double *alpha,
                                       const cusparseMatDescr_t descrA,
                                       const double *val,
                                       const int *rowPtr,
                                       const int *colInd,
                                       double *B,
                                       int ldb,
                                       csrsm2Info_t info,
                                       cusparseSolvePolicy_t policy,
                                       void *pBuffer);

cusparseStatus_t cusparseCcsrsm2_bufferSizeExt(cusparseHandle_t handle,
                                               int algo,
                                               cusparseOperation_t transA,
                                               cusparseOperation_t transB,
                                               int m,
                                               int nrhs,
                                               int nnz,
                                               const cuComplex *alpha,
                                               const cusparseMatDescr_t descrA,
                                               const cuComplex *val,
                                               const int *rowPtr,
                                               const int *colInd,
                                               const cuComplex *B,
                                               int ldb,
                                               csrsm2Info_t info,
                                               cusparseSolvePolicy_t policy,
                                               size_t *pBufferSize);

cusparseStatus_t cusparseCcsrsm2_analysis(cusparseHandle_t handle,
                                          int algo,
                                          cusparseOperation_t transA,
                                          cusparseOperation_t transB,
                                          int m,
                                          int nrhs,
                                          int nnz,
                                          const cuComplex *alpha,
                                          const cusparseMatDescr_t descrA,
                                          const cuComplex *val,
                                          const int *rowPtr,
                                          const int *colInd,
                                          const cuComplex *B,
                                          int ldb,
                                          csrsm2Info_t info,
                                          cusparseSolvePolicy_t policy,
                                          void *pBuffer);

cusparseStatus_t cusparseCcsrsm2_solve(cusparseHandle_t handle,
                                       int algo,
                                       cusparseOperation_t transA,
                                       cusparseOperation_t transB,
                                       int m,
                                       int nrhs,
                                       int nnz,
                                       const cuComplex *alpha,
                                       const cusparseMatDescr_t descrA,
                                       const cuComplex *val,
                                       const int *rowPtr,
                                       const int *colInd,
                                       cuComplex *B,
                                       int ldb,
                                       csrsm2Info_t info,
                                       cusparseSolvePolicy_t policy,
                                       void *pBuffer);

cusparseStatus_t cusparseZcsrsm2_bufferSizeExt(cusparseHandle_t handle,
                                               int algo,
                                               cusparseOperation_t transA,
                                               cusparseOperation_t transB,
                                               int m,
                                               int nrhs,
                                               int nnz,
                                               const cuDoubleComplex *alpha,
                                               const cusparseMatDescr_t descrA,
                                               const cuDoubleComplex *val,
                                               const int *rowPtr,
                                               const int *colInd,
                                               const cuDoubleComplex *B,
                                               int ldb,
                                               csrsm2Info_t info,
                                               cusparseSolvePolicy_t policy,
                                               size_t *pBufferSize);

cusparseStatus_t cusparseZcsrsm2_analysis(cusparseHandle_t handle,
                                          int algo,
                                          cusparseOperation_t transA,
                                          cusparseOperation_t transB,
                                          int m,
                                          int nrhs,
                                          int nnz,
                                          const cuDoubleComplex *alpha,
                                          const cusparseMatDescr_t descrA,
                                          const cuDoubleComplex *val,
                                          const int *rowPtr,
                                          const int *colInd,
                                          const cuDoubleComplex *B,
                                          int ldb,
                                          csrsm2Info_t info,
                                          cusparseSolvePolicy_t policy,
                                          void *pBuffer);

cusparseStatus_t cusparseZcsrsm2_solve(cusparseHandle_t handle,
                                       int algo,
                                       cusparseOperation_t transA,
                                       cusparseOperation_t transB,
                                       int m,
                                       int nrhs,
                                       int nnz,
                                       const cuDoubleComplex *alpha,
                                       const cusparseMatDescr_t descrA,
                                       const cuDoubleComplex *val,
                                       const int *rowPtr,
                                       const int *colInd,
                                       cuDoubleComplex *B,
                                       int ldb,
                                       csrsm2Info_t info,
                                       cusparseSolvePolicy_t policy,
                                       void *pBuffer);

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* CUSPARSE_VERSION >= 12000 */

#endif /* SPTRSV_CUSPARSE_H */
