/*
 * Matrices and right-hand sides on the host, in double complex whatever the type under test, and the check of
 * a solution: its component-wise backward error.
 */

#ifndef MATRIX_H
#define MATRIX_H

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double complex Value;

/* The four value types, in cuSPARSE's order of letters. */
enum { S, D, C, Z };

static inline int is_complex(int type) { return type >= C; }
static inline int is_double(int type) { return type == D || type == Z; }
static inline size_t value_bytes(int type) { return (size_t)(is_double(type) ? 8 : 4) << is_complex(type); }
static inline double epsilon(int type) { return is_double(type) ? DBL_EPSILON : FLT_EPSILON; }

/* CSR, base zero, both triangles. */
typedef struct {
    int m, nnz;
    int *ptr, *ind;
    Value *val;
} Matrix;

/* A small generator of our own, so that a failing case is the same everywhere. In [0, 1). */
static inline double next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 16777216.0;
}

static inline Value random_value(unsigned *seed)
{
    double re = 2 * next_random(seed) - 1, im = 2 * next_random(seed) - 1;
    return CMPLX(re, im);
}

static inline void convert(int type, const Value *from, int count, void *to)
{
    for (int i = 0; i < count; i++) {
        double re = creal(from[i]), im = cimag(from[i]);
        switch (type) {
        case S: ((float *)to)[i] = (float)re; break;
        case D: ((double *)to)[i] = re; break;
        case C: ((float *)to)[2 * i] = (float)re, ((float *)to)[2 * i + 1] = (float)im; break;
        default: ((double *)to)[2 * i] = re, ((double *)to)[2 * i + 1] = im;
        }
    }
}

static inline void convert_back(int type, const void *from, int count, Value *to)
{
    for (int i = 0; i < count; i++) {
        switch (type) {
        case S: to[i] = ((const float *)from)[i]; break;
        case D: to[i] = ((const double *)from)[i]; break;
        case C: to[i] = CMPLX(((const float *)from)[2 * i], ((const float *)from)[2 * i + 1]); break;
        default: to[i] = CMPLX(((const double *)from)[2 * i], ((const double *)from)[2 * i + 1]);
        }
    }
}

static inline Matrix matrix_alloc(int m, int nnz)
{
    Matrix a = {m, nnz, calloc((size_t)m + 1, sizeof(int)), calloc((size_t)nnz + 1, sizeof(int)),
                calloc((size_t)nnz + 1, sizeof(Value))};
    return a;
}

static inline void matrix_free(Matrix *a)
{
    free(a->ptr);
    free(a->ind);
    free(a->val);
}

/* From dense rows of real numbers; NAN marks a place that is not stored. */
static inline Matrix matrix_dense(int m, const double *dense)
{
    Matrix a = matrix_alloc(m, m * m);
    a.nnz = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            if (!isnan(dense[i * m + j])) {
                a.ind[a.nnz] = j;
                a.val[a.nnz++] = dense[i * m + j];
            }
        a.ptr[i + 1] = a.nnz;
    }
    return a;
}

/* Sorted rows with about `extra` entries beside the diagonal, in both triangles. The diagonal dominates, so
 * that every triangle is well conditioned. */
static inline Matrix matrix_random(int m, int extra, unsigned seed)
{
    Matrix a = matrix_alloc(m, m * m);
    a.nnz = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            if (i == j) {
                a.ind[a.nnz] = j;
                a.val[a.nnz++] = 2 + next_random(&seed) + I * next_random(&seed);
            } else if (next_random(&seed) * m < extra) {
                a.ind[a.nnz] = j;
                a.val[a.nnz++] = random_value(&seed) / (extra + 1);
            }
        a.ptr[i + 1] = a.nnz;
    }
    return a;
}

/* The place of (i, i) in the arrays, or -1. */
static inline int matrix_diagonal(const Matrix *a, int i)
{
    for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
        if (a->ind[k] == i)
            return k;
    return -1;
}

/* Takes the diagonal entry of a row out. */
static inline void matrix_drop_diagonal(Matrix *a, int row)
{
    int at = matrix_diagonal(a, row);
    if (at < 0)
        return;
    memmove(a->ind + at, a->ind + at + 1, (size_t)(a->nnz - at - 1) * sizeof *a->ind);
    memmove(a->val + at, a->val + at + 1, (size_t)(a->nnz - at - 1) * sizeof *a->val);
    a->nnz--;
    for (int i = row + 1; i <= a->m; i++)
        a->ptr[i]--;
}

/* Reverses and rotates the entries inside each row. */
static inline void matrix_unsort(Matrix *a)
{
    for (int i = 0; i < a->m; i++)
        for (int lo = a->ptr[i], hi = a->ptr[i + 1] - 1; lo < hi; lo += 2, hi--) {
            int ind = a->ind[lo];
            Value val = a->val[lo];
            a->ind[lo] = a->ind[hi], a->val[lo] = a->val[hi];
            a->ind[hi] = ind, a->val[hi] = val;
        }
}

/* Where op(A)'s triangle has an entry: its row, column and value there. 0 for entries that do not count. */
static inline int triangle_entry(const Matrix *a, int i, int k, int op, int fill, int diag, int *row, int *col,
                                 Value *value)
{
    int j = a->ind[k];
    if (fill == 0 ? j > i : j < i)
        return 0;
    if (i == j && diag == 1)
        return 0;
    *row = op == 0 ? i : j;
    *col = op == 0 ? j : i;
    *value = op == 2 ? conj(a->val[k]) : a->val[k];
    return 1;
}

/* The largest component-wise backward error of x in units of (entries in the row + 2) eps: at most a few when
 * the solution is right. The arrays hold values of `type` exactly; the matrix is rounded to it here. */
static inline double backward_error(const Matrix *a, int type, int op, int fill, int diag, Value alpha,
                                    const Value *f, const Value *x)
{
    int m = a->m;
    Matrix r = *a;
    r.val = malloc(((size_t)a->nnz + 1) * sizeof(Value));
    void *rounded = malloc(((size_t)a->nnz + 1) * 16);
    convert(type, a->val, a->nnz, rounded);
    convert_back(type, rounded, a->nnz, r.val);
    free(rounded);
    if (!is_complex(type))
        alpha = creal(alpha);

    Value *residual = malloc(((size_t)m + 1) * sizeof *residual);
    double *scale = malloc(((size_t)m + 1) * sizeof *scale);
    int *entries = calloc((size_t)m + 1, sizeof *entries);
    for (int i = 0; i < m; i++) {
        residual[i] = alpha * f[i] - (diag == 1 ? x[i] : 0);
        scale[i] = cabs(alpha * f[i]) + (diag == 1 ? cabs(x[i]) : 0);
    }
    for (int i = 0; i < m; i++)
        for (int k = r.ptr[i]; k < r.ptr[i + 1]; k++) {
            int row, col;
            Value v;
            if (triangle_entry(&r, i, k, op, fill, diag, &row, &col, &v)) {
                residual[row] -= v * x[col];
                scale[row] += cabs(v) * cabs(x[col]);
                entries[row]++;
            }
        }
    double worst = 0;
    for (int i = 0; i < m; i++) {
        double bound = (entries[i] + 2) * epsilon(type) * scale[i];
        double error = cabs(residual[i]);
        double ratio = error == 0 ? 0 : error / bound;
        /* A NaN is an error, whatever it is compared with. */
        if (!(ratio <= worst))
            worst = isnan(ratio) ? INFINITY : ratio;
    }
    free(r.val);
    free(residual);
    free(scale);
    free(entries);
    return worst;
}

/* What backward_error may be: complex arithmetic costs a few roundings more per entry. */
#define ERROR_LIMIT 4.0

#endif
