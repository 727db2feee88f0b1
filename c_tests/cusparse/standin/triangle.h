/*
 * What the stand-in's SpSV and SpSM share: a triangle that an analysis copied, and its solve for one column, row after
 * row in double complex numbers.
 */

#ifndef TRIANGLE_H
#define TRIANGLE_H

#include "objects.h"

#include <complex.h>

typedef double complex Number;

/* The body of a cusparseSpSVDescr and of a cusparseSpSMDescr. All that live are in a list, because a stand-in
 * answers to a descriptor that was destroyed, or never made, with a status. */
typedef struct Triangle {
    struct Triangle *next;
    int analysed, alg;
    cudaDataType type;
    int64_t m, nnz;
    int lower, unit;          /* of op(A) */
    int new_diagonal;         /* a DIAGONAL update came after the values: it counts for unit diagonals too */
    int conjugated;
    int64_t *row, *col;       /* of op(A), per entry of A in the order of A; base 0 */
    int64_t *place;           /* of its value among those of A */
    Number *val;              /* likewise */
    Number *diagonal;         /* per row: one where A stores none */
} Triangle;

/* One column of a dense matrix, or a vector. */
typedef struct {
    cudaDataType type;
    const void *values;
    int64_t first, stride;
} Column;

/* The four types that are solved. */
int is_served(cudaDataType type);

cusparseStatus_t triangle_create(Triangle **triangle);
cusparseStatus_t triangle_destroy(Triangle *triangle);

/* The checks of the arguments that SpSV and SpSM have in common. */
cusparseStatus_t triangle_check(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                cusparseConstSpMatDescr_t mat, cudaDataType type, int alg, int last_alg,
                                const Triangle *triangle);

/* Copies the matrix; what the triangle held before is gone. */
cusparseStatus_t triangle_analyse(Triangle *triangle, cusparseOperation_t op, cusparseConstSpMatDescr_t mat, int alg);

cusparseStatus_t triangle_update(cusparseHandle_t handle, Triangle *triangle, const void *values, int part);

/* op(A) x = alpha f; x may be f. */
cusparseStatus_t triangle_solve(const Triangle *triangle, const void *alpha, Column f, Column x);

#endif
