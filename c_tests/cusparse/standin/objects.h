/* What the stand-in's handles and descriptors hold. */

#ifndef OBJECTS_H
#define OBJECTS_H

#include "standin.h"

struct cusparseContext {
    cudaStream_t stream;
    cusparsePointerMode_t pointer_mode;
    const void *maker; /* the library that made it: the handles of two versions are not alike */
};

struct cusparseSpMatDescr {
    cusparseFormat_t format;
    int64_t rows, cols, nnz;
    const void *offsets, *indices, *values; /* in COO rows, columns and values */
    cusparseIndexType_t offsets_type, indices_type;
    cusparseIndexBase_t base;
    cudaDataType type;
    int attributes[4];
    int64_t stored, slice; /* of sliced ELLPACK: places for entries, and rows of a slice */
};

struct cusparseDnVecDescr {
    int64_t size;
    const void *values;
    cudaDataType type;
};

struct cusparseDnMatDescr {
    int64_t rows, cols, ld;
    const void *values;
    cudaDataType type;
    cusparseOrder_t order;
};

#endif
