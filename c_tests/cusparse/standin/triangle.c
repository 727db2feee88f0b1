/* See triangle.h. */

#include "triangle.h"

#include <stdlib.h>
#include <string.h>

#define OK CUSPARSE_STATUS_SUCCESS
#define INVALID CUSPARSE_STATUS_INVALID_VALUE
#define UNSUPPORTED CUSPARSE_STATUS_NOT_SUPPORTED

static Triangle *all;

static Triangle **find(const Triangle *triangle)
{
    Triangle **at = &all;
    while (*at != NULL && *at != triangle)
        at = &(*at)->next;
    return at;
}

static int lives(const Triangle *triangle) { return triangle != NULL && *find(triangle) != NULL; }

static void forget(Triangle *triangle)
{
    free(triangle->row);
    free(triangle->col);
    free(triangle->place);
    free(triangle->val);
    free(triangle->diagonal);
    triangle->row = triangle->col = triangle->place = NULL;
    triangle->val = triangle->diagonal = NULL;
    triangle->analysed = 0;
}

cusparseStatus_t triangle_create(Triangle **triangle)
{
    if (triangle == NULL)
        return INVALID;
    *triangle = calloc(1, sizeof **triangle);
    if (*triangle == NULL)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    (*triangle)->next = all;
    all = *triangle;
    return OK;
}

cusparseStatus_t triangle_destroy(Triangle *triangle)
{
    Triangle **at = find(triangle);
    if (triangle == NULL)
        return OK;
    if (*at == NULL)
        return INVALID;
    *at = triangle->next;
    forget(triangle);
    free(triangle);
    return OK;
}

/* ---- numbers of the four types ---- */

static int is_complex(cudaDataType type) { return type == CUDA_C_32F || type == CUDA_C_64F; }

int is_served(cudaDataType type) { return type == CUDA_R_32F || type == CUDA_R_64F || is_complex(type); }

static Number number(cudaDataType type, const void *values, int64_t at)
{
    switch (type) {
    case CUDA_R_32F: return ((const float *)values)[at];
    case CUDA_R_64F: return ((const double *)values)[at];
    case CUDA_C_32F: return CMPLX(((const float *)values)[2 * at], ((const float *)values)[2 * at + 1]);
    default: return CMPLX(((const double *)values)[2 * at], ((const double *)values)[2 * at + 1]);
    }
}

static void store(cudaDataType type, void *values, int64_t at, Number number)
{
    double re = creal(number), im = cimag(number);
    switch (type) {
    case CUDA_R_32F: ((float *)values)[at] = (float)re; break;
    case CUDA_R_64F: ((double *)values)[at] = re; break;
    case CUDA_C_32F: ((float *)values)[2 * at] = (float)re, ((float *)values)[2 * at + 1] = (float)im; break;
    default: ((double *)values)[2 * at] = re, ((double *)values)[2 * at + 1] = im;
    }
}

static int64_t index_at(cusparseIndexType_t type, const void *indices, int64_t at)
{
    return type == CUSPARSE_INDEX_32I ? ((const int32_t *)indices)[at] : ((const int64_t *)indices)[at];
}

/* ---- arguments ---- */

static cusparseStatus_t check_matrix(cusparseConstSpMatDescr_t mat)
{
    int csc = mat->format == CUSPARSE_FORMAT_CSC;
    if ((mat->format > CUSPARSE_FORMAT_COO && mat->format != CUSPARSE_FORMAT_SLICED_ELLPACK) || (csc && cusparse_standin_version() < 12900))
        return UNSUPPORTED;
    if (mat->offsets_type != mat->indices_type || mat->indices_type == CUSPARSE_INDEX_16U)
        return UNSUPPORTED;
    return is_served(mat->type) ? OK : UNSUPPORTED;
}

/* cuSPARSE refuses neither fill modes nor types of the diagonal that it does not know. */
cusparseStatus_t triangle_check(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                cusparseConstSpMatDescr_t mat, cudaDataType type, int alg, int last_alg,
                                const Triangle *triangle)
{
    if (handle == NULL || alpha == NULL || mat == NULL || !lives(triangle))
        return INVALID;
    if ((unsigned)op > CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE || alg < 0 || alg > last_alg ||
        (unsigned)type > CUDA_C_16F || mat->rows != mat->cols)
        return INVALID;
    if (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && !is_complex(mat->type))
        return INVALID;
    return check_matrix(mat);
}

/* ---- analysis and update ---- */

static int is_sliced(cusparseConstSpMatDescr_t mat) { return mat->format == CUSPARSE_FORMAT_SLICED_ELLPACK; }

/* How many places A has for entries. */
static int64_t places(cusparseConstSpMatDescr_t mat) { return is_sliced(mat) ? mat->stored : mat->nnz; }

/* How many runs of entries the offsets tell: those of a row or column each, or of a slice. */
static int64_t runs(cusparseConstSpMatDescr_t mat)
{
    return is_sliced(mat) ? (mat->rows + mat->slice - 1) / mat->slice : mat->rows;
}

static int offsets_increase(cusparseConstSpMatDescr_t mat)
{
    int64_t before = 0;
    for (int64_t i = 0; i <= runs(mat) && mat->nnz > 0; i++) {
        int64_t offset = index_at(mat->offsets_type, mat->offsets, i) - mat->base;
        if (offset < before || offset > places(mat))
            return 0;
        before = offset;
    }
    return 1;
}

/* The row and column of every entry of A, by its format. */
static void number_entries(Triangle *triangle, cusparseConstSpMatDescr_t mat)
{
    int csc = mat->format == CUSPARSE_FORMAT_CSC;
    int64_t *outer = csc ? triangle->col : triangle->row, *inner = csc ? triangle->row : triangle->col;
    for (int64_t k = 0; k < mat->nnz; k++) {
        inner[k] = index_at(mat->indices_type, mat->indices, k) - mat->base;
        triangle->place[k] = k;
    }
    if (mat->format == CUSPARSE_FORMAT_COO)
        for (int64_t k = 0; k < mat->nnz; k++)
            outer[k] = index_at(mat->offsets_type, mat->offsets, k) - mat->base;
    else
        for (int64_t i = 0; i < mat->rows && mat->nnz > 0; i++)
            for (int64_t k = index_at(mat->offsets_type, mat->offsets, i) - mat->base;
                 k < index_at(mat->offsets_type, mat->offsets, i + 1) - mat->base; k++)
                outer[k] = i;
}

/* The same of sliced ELLPACK: a slice has the first entries of its rows, then the second ones, and so on. A place without an entry
 * has column -1. */
static void number_sliced_entries(Triangle *triangle, cusparseConstSpMatDescr_t mat)
{
    triangle->nnz = 0;
    for (int64_t slice = 0; slice < runs(mat) && mat->nnz > 0; slice++) {
        int64_t begin = index_at(mat->offsets_type, mat->offsets, slice) - mat->base;
        int64_t end = index_at(mat->offsets_type, mat->offsets, slice + 1) - mat->base;
        for (int64_t place = begin; place < end; place++) {
            int64_t k = triangle->nnz, column = index_at(mat->indices_type, mat->indices, place);
            if (column == -1)
                continue;
            triangle->row[k] = slice * mat->slice + (place - begin) % mat->slice;
            triangle->col[k] = column - mat->base;
            triangle->place[k] = place;
            triangle->nnz++;
        }
    }
}

static int lies_within(const Triangle *triangle)
{
    for (int64_t k = 0; k < triangle->nnz; k++)
        if (triangle->row[k] < 0 || triangle->row[k] >= triangle->m || triangle->col[k] < 0 ||
            triangle->col[k] >= triangle->m)
            return 0;
    return 1;
}

static void put_values(Triangle *triangle, const void *values)
{
    triangle->new_diagonal = 0;
    for (int64_t i = 0; i < triangle->m; i++)
        triangle->diagonal[i] = 1;
    for (int64_t k = triangle->nnz - 1; k >= 0; k--) { /* of several entries on the diagonal the first counts */
        Number value = number(triangle->type, values, triangle->place[k]);
        triangle->val[k] = triangle->conjugated ? conj(value) : value;
        if (triangle->row[k] == triangle->col[k])
            triangle->diagonal[triangle->row[k]] = triangle->val[k];
    }
}

cusparseStatus_t triangle_analyse(Triangle *triangle, cusparseOperation_t op, cusparseConstSpMatDescr_t mat, int alg)
{
    size_t entries = (size_t)places(mat) + 1, rows = (size_t)mat->rows + 1;
    int transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    int lower = mat->attributes[CUSPARSE_SPMAT_FILL_MODE] == CUSPARSE_FILL_MODE_LOWER; /* all else is upper */
    forget(triangle);
    if (mat->nnz > 0 && (mat->offsets == NULL || mat->indices == NULL || mat->values == NULL))
        return INVALID;
    triangle->m = mat->rows;
    triangle->nnz = mat->nnz;
    triangle->type = mat->type;
    triangle->alg = alg;
    triangle->lower = lower != transposed;
    triangle->unit = mat->attributes[CUSPARSE_SPMAT_DIAG_TYPE] == CUSPARSE_DIAG_TYPE_UNIT;
    triangle->conjugated = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    triangle->row = calloc(entries, sizeof *triangle->row);
    triangle->col = calloc(entries, sizeof *triangle->col);
    triangle->place = calloc(entries, sizeof *triangle->place);
    triangle->val = calloc(entries, sizeof *triangle->val);
    triangle->diagonal = calloc(rows, sizeof *triangle->diagonal);
    if (!triangle->row || !triangle->col || !triangle->place || !triangle->val || !triangle->diagonal)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    if (mat->format != CUSPARSE_FORMAT_COO && !offsets_increase(mat))
        return INVALID;
    if (is_sliced(mat))
        number_sliced_entries(triangle, mat);
    else
        number_entries(triangle, mat);
    if (!lies_within(triangle))
        return INVALID;
    if (transposed) {
        int64_t *row = triangle->row;
        triangle->row = triangle->col;
        triangle->col = row;
    }
    put_values(triangle, mat->values);
    triangle->analysed = triangle->m > 0; /* of no rows there is nothing to keep */
    return OK;
}

/* A unit diagonal is one no more, until all values are updated. */
static void put_diagonal(Triangle *triangle, const void *values)
{
    for (int64_t i = 0; i < triangle->m; i++) {
        Number value = number(triangle->type, values, i);
        triangle->diagonal[i] = triangle->conjugated ? conj(value) : value;
    }
    triangle->new_diagonal = 1;
}

cusparseStatus_t triangle_update(cusparseHandle_t handle, Triangle *triangle, const void *values, int part)
{
    if (handle == NULL || values == NULL || !lives(triangle) || (unsigned)part > CUSPARSE_SPSV_UPDATE_DIAGONAL)
        return INVALID;
    if (!triangle->analysed)
        return OK;
    if (part == CUSPARSE_SPSV_UPDATE_GENERAL)
        put_values(triangle, values);
    else
        put_diagonal(triangle, values);
    return OK;
}

/* ---- solve ---- */

/* Per row the list of its entries inside the triangle: `first` per row and `next` per entry, -1 at the end. */
static int list_entries(const Triangle *t, int64_t **first, int64_t **next)
{
    *first = malloc(((size_t)t->m + 1) * sizeof **first);
    *next = malloc(((size_t)t->nnz + 1) * sizeof **next);
    if (*first == NULL || *next == NULL)
        return 0;
    for (int64_t i = 0; i < t->m; i++)
        (*first)[i] = -1;
    for (int64_t k = t->nnz - 1; k >= 0; k--)
        if (t->lower ? t->col[k] < t->row[k] : t->col[k] > t->row[k]) {
            (*next)[k] = (*first)[t->row[k]];
            (*first)[t->row[k]] = k;
        }
    return 1;
}

cusparseStatus_t triangle_solve(const Triangle *t, const void *alpha, Column f, Column x)
{
    int64_t *first, *next;
    Number scale = number(t->type, alpha, 0), *solved = malloc(((size_t)t->m + 1) * sizeof *solved);
    if (!list_entries(t, &first, &next) || solved == NULL)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    for (int64_t step = 0; step < t->m; step++) {
        int64_t i = t->lower ? step : t->m - 1 - step;
        Number sum = scale * number(f.type, f.values, f.first + i * f.stride);
        for (int64_t k = first[i]; k >= 0; k = next[k])
            sum -= t->val[k] * solved[t->col[k]];
        if (!t->unit || t->new_diagonal)
            sum /= t->diagonal[i];
        /* A division by zero leaves a NaN in the imaginary part, which must not reach other rows of real types. */
        solved[i] = is_complex(t->type) ? sum : creal(sum);
    }
    for (int64_t i = 0; i < t->m; i++)
        store(x.type, (void *)x.values, x.first + i * x.stride, solved[i]);
    free(first);
    free(next);
    free(solved);
    return OK;
}
