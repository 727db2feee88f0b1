/*
 * The stand-in's descriptors of sparse matrices, dense vectors and dense matrices: they keep what they are told, and
 * refuse what cuSPARSE refuses.
 */

#include "objects.h"

#include <stdlib.h>
#include <string.h>

#define OK CUSPARSE_STATUS_SUCCESS
#define INVALID CUSPARSE_STATUS_INVALID_VALUE

static int known_type(cudaDataType type) { return (unsigned)type <= CUDA_C_16F; }

static int known_indices(cusparseIndexType_t type) { return type >= CUSPARSE_INDEX_16U && type <= CUSPARSE_INDEX_64I; }

static int known_order(cusparseOrder_t order) { return order == CUSPARSE_ORDER_COL || order == CUSPARSE_ORDER_ROW; }

/* A copy of what is given, whatever the descriptor's kind. */
static cusparseStatus_t create(void *descr, const void *from, size_t bytes)
{
    void *made = malloc(bytes);
    if (made == NULL)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    memcpy(made, from, bytes);
    memcpy(descr, &made, sizeof made);
    return OK;
}

/* ---- sparse matrices ---- */

static cusparseStatus_t create_sparse(void *descr, struct cusparseSpMatDescr mat)
{
    int too_many = mat.format <= CUSPARSE_FORMAT_COO && mat.rows >= 0 && mat.cols >= 0 && mat.nnz > mat.rows * mat.cols;
    if (descr == NULL || mat.rows < 0 || mat.cols < 0 || mat.nnz < 0 || too_many || (unsigned)mat.base > 1 ||
        !known_indices(mat.offsets_type) || !known_indices(mat.indices_type) || !known_type(mat.type))
        return INVALID;
    if (mat.offsets_type != mat.indices_type && cusparse_standin_version() < 12900)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return create(descr, &mat, sizeof mat);
}

cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                        const void *csrRowOffsets, const void *csrColInd, const void *csrValues,
                                        cusparseIndexType_t csrRowOffsetsType, cusparseIndexType_t csrColIndType,
                                        cusparseIndexBase_t idxBase, cudaDataType valueType)
{
    struct cusparseSpMatDescr mat = {CUSPARSE_FORMAT_CSR, rows, cols, nnz, csrRowOffsets, csrColInd, csrValues,
                                     csrRowOffsetsType, csrColIndType, idxBase, valueType, {0}};
    return create_sparse(spMatDescr, mat);
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                   void *csrRowOffsets, void *csrColInd, void *csrValues,
                                   cusparseIndexType_t csrRowOffsetsType, cusparseIndexType_t csrColIndType,
                                   cusparseIndexBase_t idxBase, cudaDataType valueType)
{
    return cusparseCreateConstCsr((cusparseConstSpMatDescr_t *)spMatDescr, rows, cols, nnz, csrRowOffsets, csrColInd,
                                  csrValues, csrRowOffsetsType, csrColIndType, idxBase, valueType);
}

cusparseStatus_t cusparseCreateConstCsc(cusparseConstSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                        const void *cscColOffsets, const void *cscRowInd, const void *cscValues,
                                        cusparseIndexType_t cscColOffsetsType, cusparseIndexType_t cscRowIndType,
                                        cusparseIndexBase_t idxBase, cudaDataType valueType)
{
    struct cusparseSpMatDescr mat = {CUSPARSE_FORMAT_CSC, rows, cols, nnz, cscColOffsets, cscRowInd, cscValues,
                                     cscColOffsetsType, cscRowIndType, idxBase, valueType, {0}};
    return create_sparse(spMatDescr, mat);
}

cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                   void *cscColOffsets, void *cscRowInd, void *cscValues,
                                   cusparseIndexType_t cscColOffsetsType, cusparseIndexType_t cscRowIndType,
                                   cusparseIndexBase_t idxBase, cudaDataType valueType)
{
    return cusparseCreateConstCsc((cusparseConstSpMatDescr_t *)spMatDescr, rows, cols, nnz, cscColOffsets, cscRowInd,
                                  cscValues, cscColOffsetsType, cscRowIndType, idxBase, valueType);
}

cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                        const void *cooRowInd, const void *cooColInd, const void *cooValues,
                                        cusparseIndexType_t cooIdxType, cusparseIndexBase_t idxBase,
                                        cudaDataType valueType)
{
    struct cusparseSpMatDescr mat = {CUSPARSE_FORMAT_COO, rows, cols, nnz, cooRowInd, cooColInd, cooValues,
                                     cooIdxType, cooIdxType, idxBase, valueType, {0}};
    return create_sparse(spMatDescr, mat);
}

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                   void *cooRowInd, void *cooColInd, void *cooValues, cusparseIndexType_t cooIdxType,
                                   cusparseIndexBase_t idxBase, cudaDataType valueType)
{
    return cusparseCreateConstCoo((cusparseConstSpMatDescr_t *)spMatDescr, rows, cols, nnz, cooRowInd, cooColInd,
                                  cooValues, cooIdxType, idxBase, valueType);
}

/* The stand-in does not solve with BSR: it keeps that a matrix is in it. */
cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t *spMatDescr, int64_t brows, int64_t bcols, int64_t bnnz,
                                   int64_t rowBlockSize, int64_t colBlockSize, void *bsrRowOffsets, void *bsrColInd,
                                   void *bsrValues, cusparseIndexType_t bsrRowOffsetsType,
                                   cusparseIndexType_t bsrColIndType, cusparseIndexBase_t idxBase,
                                   cudaDataType valueType, cusparseOrder_t order)
{
    struct cusparseSpMatDescr mat = {CUSPARSE_FORMAT_BSR, brows * rowBlockSize, bcols * colBlockSize,
                                     bnnz * rowBlockSize * colBlockSize, bsrRowOffsets, bsrColInd, bsrValues,
                                     bsrRowOffsetsType, bsrColIndType, idxBase, valueType, {0}};
    return known_order(order) ? create_sparse(spMatDescr, mat) : INVALID;
}

cusparseStatus_t cusparseCreateSlicedEll(cusparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                         int64_t sellValuesSize, int64_t sliceSize, void *sellSliceOffsets,
                                         void *sellColInd, void *sellValues, cusparseIndexType_t sellSliceOffsetsType,
                                         cusparseIndexType_t sellColIndType, cusparseIndexBase_t idxBase,
                                         cudaDataType valueType)
{
    struct cusparseSpMatDescr mat = {CUSPARSE_FORMAT_SLICED_ELLPACK, rows, cols, nnz, sellSliceOffsets, sellColInd,
                                     sellValues, sellSliceOffsetsType, sellColIndType, idxBase, valueType, {0},
                                     sellValuesSize, sliceSize};
    return sellValuesSize >= nnz && sliceSize > 0 ? create_sparse(spMatDescr, mat) : INVALID;
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t spMatDescr)
{
    free((void *)spMatDescr);
    return OK;
}

cusparseStatus_t cusparseConstCsrGet(cusparseConstSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz,
                                     const void **csrRowOffsets, const void **csrColInd, const void **csrValues,
                                     cusparseIndexType_t *csrRowOffsetsType, cusparseIndexType_t *csrColIndType,
                                     cusparseIndexBase_t *idxBase, cudaDataType *valueType)
{
    if (spMatDescr == NULL || spMatDescr->format != CUSPARSE_FORMAT_CSR || !rows || !cols || !nnz || !csrRowOffsets ||
        !csrColInd || !csrValues || !csrRowOffsetsType || !csrColIndType || !idxBase || !valueType)
        return INVALID;
    *rows = spMatDescr->rows, *cols = spMatDescr->cols, *nnz = spMatDescr->nnz;
    *csrRowOffsets = spMatDescr->offsets, *csrColInd = spMatDescr->indices, *csrValues = spMatDescr->values;
    *csrRowOffsetsType = spMatDescr->offsets_type, *csrColIndType = spMatDescr->indices_type;
    *idxBase = spMatDescr->base, *valueType = spMatDescr->type;
    return OK;
}

cusparseStatus_t cusparseConstCscGet(cusparseConstSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz,
                                     const void **cscColOffsets, const void **cscRowInd, const void **cscValues,
                                     cusparseIndexType_t *cscColOffsetsType, cusparseIndexType_t *cscRowIndType,
                                     cusparseIndexBase_t *idxBase, cudaDataType *valueType)
{
    if (spMatDescr == NULL || spMatDescr->format != CUSPARSE_FORMAT_CSC)
        return INVALID;
    struct cusparseSpMatDescr as_csr = *spMatDescr;
    as_csr.format = CUSPARSE_FORMAT_CSR;
    return cusparseConstCsrGet(&as_csr, rows, cols, nnz, cscColOffsets, cscRowInd, cscValues, cscColOffsetsType,
                               cscRowIndType, idxBase, valueType);
}

cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz,
                                     const void **cooRowInd, const void **cooColInd, const void **cooValues,
                                     cusparseIndexType_t *idxType, cusparseIndexBase_t *idxBase,
                                     cudaDataType *valueType)
{
    if (spMatDescr == NULL || spMatDescr->format != CUSPARSE_FORMAT_COO)
        return INVALID;
    struct cusparseSpMatDescr as_csr = *spMatDescr;
    as_csr.format = CUSPARSE_FORMAT_CSR;
    return cusparseConstCsrGet(&as_csr, rows, cols, nnz, cooRowInd, cooColInd, cooValues, idxType, idxType, idxBase,
                               valueType);
}

static cusparseStatus_t set_pointers(cusparseSpMatDescr_t mat, cusparseFormat_t format, const void *offsets,
                                     const void *indices, const void *values)
{
    if (mat == NULL || mat->format != format)
        return INVALID;
    mat->offsets = offsets;
    mat->indices = indices;
    mat->values = values;
    return OK;
}

cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t spMatDescr, void *csrRowOffsets, void *csrColInd,
                                        void *csrValues)
{
    return set_pointers(spMatDescr, CUSPARSE_FORMAT_CSR, csrRowOffsets, csrColInd, csrValues);
}

cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t spMatDescr, void *cscColOffsets, void *cscRowInd,
                                        void *cscValues)
{
    return set_pointers(spMatDescr, CUSPARSE_FORMAT_CSC, cscColOffsets, cscRowInd, cscValues);
}

cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t spMatDescr, void *cooRows, void *cooColumns,
                                        void *cooValues)
{
    return set_pointers(spMatDescr, CUSPARSE_FORMAT_COO, cooRows, cooColumns, cooValues);
}

cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t spMatDescr, void *values)
{
    if (spMatDescr == NULL)
        return INVALID;
    spMatDescr->values = values;
    return OK;
}

cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t spMatDescr, cusparseFormat_t *format)
{
    if (spMatDescr == NULL || format == NULL)
        return INVALID;
    *format = spMatDescr->format;
    return OK;
}

cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t spMatDescr, cusparseIndexBase_t *idxBase)
{
    if (spMatDescr == NULL || idxBase == NULL)
        return INVALID;
    *idxBase = spMatDescr->base;
    return OK;
}

cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz)
{
    if (spMatDescr == NULL || !rows || !cols || !nnz)
        return INVALID;
    *rows = spMatDescr->rows, *cols = spMatDescr->cols, *nnz = spMatDescr->nnz;
    return OK;
}

cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t spMatDescr, cusparseSpMatAttribute_t attribute,
                                           void *data, size_t dataSize)
{
    if (spMatDescr == NULL || (unsigned)attribute > CUSPARSE_SPMAT_SYMMETRY_TYPE || data == NULL ||
        dataSize != sizeof(int))
        return INVALID;
    memcpy(data, &spMatDescr->attributes[attribute], sizeof(int));
    return OK;
}

/* Like cuSPARSE, it does not look at the number. */
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t spMatDescr, cusparseSpMatAttribute_t attribute,
                                           void *data, size_t dataSize)
{
    if (spMatDescr == NULL || (unsigned)attribute > CUSPARSE_SPMAT_SYMMETRY_TYPE || data == NULL ||
        dataSize != sizeof(int))
        return INVALID;
    memcpy(&spMatDescr->attributes[attribute], data, sizeof(int));
    return OK;
}

/* ---- dense vectors ---- */

cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *dnVecDescr, int64_t size, const void *values,
                                          cudaDataType valueType)
{
    struct cusparseDnVecDescr vec = {size, values, valueType};
    if (dnVecDescr == NULL || size < 0 || !known_type(valueType))
        return INVALID;
    return create(dnVecDescr, &vec, sizeof vec);
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *dnVecDescr, int64_t size, void *values,
                                     cudaDataType valueType)
{
    return cusparseCreateConstDnVec((cusparseConstDnVecDescr_t *)dnVecDescr, size, values, valueType);
}

cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t dnVecDescr)
{
    free((void *)dnVecDescr);
    return OK;
}

cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t dnVecDescr, int64_t *size, const void **values,
                                       cudaDataType *valueType)
{
    if (dnVecDescr == NULL || !size || !values || !valueType)
        return INVALID;
    *size = dnVecDescr->size, *values = dnVecDescr->values, *valueType = dnVecDescr->type;
    return OK;
}

cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t dnVecDescr, void *values)
{
    if (dnVecDescr == NULL)
        return INVALID;
    dnVecDescr->values = values;
    return OK;
}

/* ---- dense matrices ---- */

cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *dnMatDescr, int64_t rows, int64_t cols, int64_t ld,
                                          const void *values, cudaDataType valueType, cusparseOrder_t order)
{
    struct cusparseDnMatDescr mat = {rows, cols, ld, values, valueType, order};
    if (dnMatDescr == NULL || rows < 0 || cols < 0 || !known_type(valueType) || !known_order(order) ||
        ld < (order == CUSPARSE_ORDER_COL ? rows : cols))
        return INVALID;
    return create(dnMatDescr, &mat, sizeof mat);
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *dnMatDescr, int64_t rows, int64_t cols, int64_t ld,
                                     void *values, cudaDataType valueType, cusparseOrder_t order)
{
    return cusparseCreateConstDnMat((cusparseConstDnMatDescr_t *)dnMatDescr, rows, cols, ld, values, valueType, order);
}

cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t dnMatDescr)
{
    free((void *)dnMatDescr);
    return OK;
}

cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t dnMatDescr, int64_t *rows, int64_t *cols, int64_t *ld,
                                       const void **values, cudaDataType *type, cusparseOrder_t *order)
{
    if (dnMatDescr == NULL || !rows || !cols || !ld || !values || !type || !order)
        return INVALID;
    *rows = dnMatDescr->rows, *cols = dnMatDescr->cols, *ld = dnMatDescr->ld;
    *values = dnMatDescr->values, *type = dnMatDescr->type, *order = dnMatDescr->order;
    return OK;
}

cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t dnMatDescr, void *values)
{
    if (dnMatDescr == NULL)
        return INVALID;
    dnMatDescr->values = values;
    return OK;
}
