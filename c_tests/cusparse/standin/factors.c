/*
 * The stand-in's csrilu02 and csric02: what NVIDIA documents of them and what diff_ilu02 has seen of cuSPARSE 12.6 and 12.9, row after
 * row in double complex numbers. Where cuSPARSE crashes or loses the context, they give a status.
 */

#include "objects.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#define OK CUSPARSE_STATUS_SUCCESS
#define INVALID CUSPARSE_STATUS_INVALID_VALUE
#define INTERNAL CUSPARSE_STATUS_INTERNAL_ERROR

typedef double complex Number;

/* The body of a csrilu02Info and of a csric02Info. */
typedef struct {
    int analysed, policy, base;
    int structural, pivot; /* rows in the matrix's own base, or -1 */
    int boosts;
    double tolerance;
    Number boost;
} Info;

struct csrilu02Info {
    Info body;
};
struct csric02Info {
    Info body;
};

/* A matrix with its values in double complex. */
typedef struct {
    int m, base;
    const int *ptr, *col;
    Number *val;
} Matrix;

static Number load(cudaDataType type, const void *values, int k)
{
    switch (type) {
    case CUDA_R_32F: return ((const float *)values)[k];
    case CUDA_R_64F: return ((const double *)values)[k];
    case CUDA_C_32F: return CMPLX(((const float *)values)[2 * k], ((const float *)values)[2 * k + 1]);
    default: return CMPLX(((const double *)values)[2 * k], ((const double *)values)[2 * k + 1]);
    }
}

static void store(cudaDataType type, void *values, int k, Number v)
{
    switch (type) {
    case CUDA_R_32F: ((float *)values)[k] = (float)creal(v); break;
    case CUDA_R_64F: ((double *)values)[k] = creal(v); break;
    case CUDA_C_32F: ((float *)values)[2 * k] = (float)creal(v), ((float *)values)[2 * k + 1] = (float)cimag(v); break;
    default: ((double *)values)[2 * k] = creal(v), ((double *)values)[2 * k + 1] = cimag(v);
    }
}

static int begin(const Matrix *a, int row) { return a->ptr[row] - a->base; }
static int column(const Matrix *a, int k) { return a->col[k] - a->base; }

/* The place of an entry, or -1. It may not be found where the columns do not ascend. */
static int find(const Matrix *a, int row, int wanted)
{
    int low = begin(a, row), high = begin(a, row + 1);
    while (low < high) {
        int middle = (low + high) / 2;
        if (column(a, middle) == wanted)
            return middle;
        if (column(a, middle) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

static Matrix open_matrix(int m, int nnz, cudaDataType type, int base, const void *val, const int *ptr, const int *col)
{
    Matrix a = {m, base, ptr, col, malloc((size_t)nnz * sizeof(Number))};
    for (int k = 0; k < nnz; k++)
        a.val[k] = load(type, val, k);
    return a;
}

/* The diagonal value of a row that is finished. */
static Number pivot_of(const Matrix *a, int row)
{
    int k = find(a, row, row);
    return k < 0 ? 0 : a->val[k];
}

/* The first row with a zero pivot, or -1. A row without a diagonal entry ends it. */
static int incomplete_lu(Matrix *a, const Info *info)
{
    int first = -1;
    for (int i = 0; i < a->m; i++) {
        int end = begin(a, i + 1), own = find(a, i, i);
        if (own < 0)
            return first < 0 ? i : first;
        for (int k = begin(a, i); k < own; k++) {
            a->val[k] /= pivot_of(a, column(a, k));
            for (int j = k + 1; j < end; j++) {
                int above = find(a, column(a, k), column(a, j));
                if (above >= 0)
                    a->val[j] -= a->val[k] * a->val[above];
            }
        }
        if (info->boosts && cabs(a->val[own]) < info->tolerance)
            a->val[own] = info->boost;
        if (first < 0 && a->val[own] == 0)
            first = i;
    }
    return first;
}

/* Likewise; values above the diagonal stay. A negative pivot is reported, and the root of its absolute value is stored. */
static int incomplete_cholesky(Matrix *a, const Info *info)
{
    int first = -1;
    (void)info;
    for (int i = 0; i < a->m; i++) {
        int own = find(a, i, i);
        if (own < 0)
            return first < 0 ? i : first;
        for (int k = begin(a, i); k <= own; k++) {
            int j = column(a, k);
            for (int p = begin(a, i); p < k; p++) {
                int beside = find(a, j, column(a, p));
                if (beside >= 0)
                    a->val[k] -= a->val[p] * conj(a->val[beside]);
            }
            if (k < own)
                a->val[k] /= pivot_of(a, j);
        }
        if (first < 0 && creal(a->val[own]) <= 0)
            first = i;
        a->val[own] = sqrt(fabs(creal(a->val[own])));
    }
    return first;
}

/* ---- what the functions of both kinds do ---- */

static cusparseStatus_t create(void *info)
{
    Info *made = calloc(1, sizeof *made);
    cusparse_standin_calls[FACTOR_CREATE]++;
    if (info == NULL || made == NULL) {
        free(made);
        return info == NULL ? INVALID : CUSPARSE_STATUS_ALLOC_FAILED;
    }
    made->structural = made->pivot = -1;
    *(Info **)info = made;
    return OK;
}

static cusparseStatus_t destroy(Info *info)
{
    cusparse_standin_calls[FACTOR_DESTROY]++;
    free(info);
    return OK;
}

static cusparseStatus_t check(cusparseHandle_t handle, int m, int nnz, cusparseMatDescr_t descr, const Info *info)
{
    if (handle == NULL)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (descr == NULL || m <= 0 || nnz <= 0 || info == NULL)
        return INVALID;
    return cusparseGetMatType(descr) == CUSPARSE_MATRIX_TYPE_GENERAL ? OK : CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

/* Arrays may be missing. */
static cusparseStatus_t size(cusparseHandle_t handle, int m, int nnz, cusparseMatDescr_t descr, const Info *info, int *bytes)
{
    cusparse_standin_calls[FACTOR_SIZE]++;
    cusparseStatus_t status = check(handle, m, nnz, descr, info);
    if (status == OK && bytes == NULL)
        status = INVALID;
    if (status == OK)
        *bytes = 64 + 4 * m;
    return status;
}

/* It reads no values. */
static cusparseStatus_t analyse(cusparseHandle_t handle, int m, int nnz, cusparseMatDescr_t descr, const int *ptr, const int *col,
                                Info *info, cusparseSolvePolicy_t policy, void *buffer)
{
    cusparse_standin_calls[FACTOR_ANALYSIS]++;
    cusparseStatus_t status = check(handle, m, nnz, descr, info);
    if (status == OK && (ptr == NULL || col == NULL || buffer == NULL || (unsigned)policy > 1))
        status = INVALID;
    if (status != OK)
        return status;
    Matrix a = {m, (int)cusparseGetMatIndexBase(descr), ptr, col, NULL};
    info->structural = -1;
    for (int i = m - 1; i >= 0; i--)
        if (find(&a, i, i) < 0)
            info->structural = i + a.base;
    info->analysed = 1, info->policy = (int)policy, info->pivot = info->structural;
    for (int k = 0; k < 4 * m; k++)
        ((unsigned char *)buffer)[k] = 0xAB; /* the whole buffer may be used */
    return OK;
}

static cusparseStatus_t factorise(int (*method)(Matrix *, const Info *), cusparseHandle_t handle, int m, int nnz,
                                  cusparseMatDescr_t descr, cudaDataType type, void *val, const int *ptr, const int *col,
                                  Info *info, cusparseSolvePolicy_t policy, void *buffer)
{
    cusparse_standin_calls[FACTORISE]++;
    cusparseStatus_t status = check(handle, m, nnz, descr, info);
    if (status == OK && (val == NULL || ptr == NULL || col == NULL || buffer == NULL || (unsigned)policy > 1))
        status = INVALID;
    if (status == OK && (!info->analysed || (policy == 1 && info->policy == 0)))
        status = INTERNAL;
    if (status != OK)
        return status;
    Matrix a = open_matrix(m, nnz, type, (int)cusparseGetMatIndexBase(descr), val, ptr, col);
    int row = method(&a, info);
    for (int k = 0; k < nnz; k++)
        store(type, val, k, a.val[k]);
    info->pivot = row < 0 ? -1 : row + a.base;
    free(a.val);
    for (int k = 0; k < 4 * m; k++)
        ((unsigned char *)buffer)[k] = 0xCD;
    return OK;
}

static cusparseStatus_t report_pivot(cusparseHandle_t handle, const Info *info, int *position)
{
    cusparse_standin_calls[FACTOR_PIVOT]++;
    if (handle == NULL)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (info == NULL || position == NULL || !info->analysed)
        return INVALID;
    *position = info->pivot;
    return info->pivot < 0 ? OK : CUSPARSE_STATUS_ZERO_PIVOT;
}

static cusparseStatus_t set_boost(cusparseHandle_t handle, Info *info, int enable, const double *tolerance, cudaDataType type,
                                  const void *boost)
{
    cusparse_standin_calls[FACTOR_BOOST]++;
    if (handle == NULL)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (info == NULL)
        return INVALID;
    if (enable && (tolerance == NULL || boost == NULL))
        return INTERNAL;
    info->boosts = enable;
    if (enable)
        info->tolerance = *tolerance, info->boost = load(type, boost, 0);
    return OK;
}

/* ---- the functions ---- */

#define OF_ANY_TYPE(Name, name)                                                                                                     \
    cusparseStatus_t cusparseCreate##Name##Info(name##Info_t *info) { return create(info); }                                        \
    cusparseStatus_t cusparseDestroy##Name##Info(name##Info_t info) { return destroy((Info *)info); }                               \
    cusparseStatus_t cusparseX##name##_zeroPivot(cusparseHandle_t handle, name##Info_t info, int *position)                         \
    {                                                                                                                               \
        return report_pivot(handle, (Info *)info, position);                                                                       \
    }

OF_ANY_TYPE(Csrilu02, csrilu02)
OF_ANY_TYPE(Csric02, csric02)

#define OF_TYPE(Letter, Value, TYPE, name, method)                                                                                  \
    cusparseStatus_t cusparse##Letter##name##_bufferSize(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,  \
                                                         Value *val, const int *ptr, const int *col, name##Info_t info, int *bytes) \
    {                                                                                                                               \
        (void)val, (void)ptr, (void)col;                                                                                            \
        return size(handle, m, nnz, descrA, (Info *)info, bytes);                                                                   \
    }                                                                                                                               \
    cusparseStatus_t cusparse##Letter##name##_analysis(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,    \
                                                       const Value *val, const int *ptr, const int *col, name##Info_t info,         \
                                                       cusparseSolvePolicy_t policy, void *buffer)                                  \
    {                                                                                                                               \
        (void)val;                                                                                                                  \
        return analyse(handle, m, nnz, descrA, ptr, col, (Info *)info, policy, buffer);                                             \
    }                                                                                                                               \
    cusparseStatus_t cusparse##Letter##name(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, Value *val,   \
                                            const int *ptr, const int *col, name##Info_t info, cusparseSolvePolicy_t policy,        \
                                            void *buffer)                                                                           \
    {                                                                                                                               \
        return factorise(method, handle, m, nnz, descrA, TYPE, val, ptr, col, (Info *)info, policy, buffer);                        \
    }

#define OF_BOTH(Letter, Value, TYPE)                                                                                                \
    OF_TYPE(Letter, Value, TYPE, csrilu02, incomplete_lu)                                                                           \
    OF_TYPE(Letter, Value, TYPE, csric02, incomplete_cholesky)                                                                      \
    cusparseStatus_t cusparse##Letter##csrilu02_numericBoost(cusparseHandle_t handle, csrilu02Info_t info, int enable_boost,        \
                                                             double *tol, Value *boost_val)                                         \
    {                                                                                                                               \
        return set_boost(handle, (Info *)info, enable_boost, tol, TYPE, boost_val);                                                 \
    }

OF_BOTH(S, float, CUDA_R_32F)
OF_BOTH(D, double, CUDA_R_64F)
OF_BOTH(C, cuComplex, CUDA_C_32F)
OF_BOTH(Z, cuDoubleComplex, CUDA_C_64F)
