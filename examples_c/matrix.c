/* Sparse matrices of the examples: assembly, a model problem, symmetry. */
#include "matrix.h"

#include <math.h>
#include <stdlib.h>

#include "example.h"

static void *allocate(size_t count, size_t size) {
    void *array = calloc(count ? count : 1, size);
    if (!array) example_die(1, "out of memory: %zu bytes", count * size);
    return array;
}

static matrix matrix_new(int n, long long nnz) {
    matrix a = {n, allocate((size_t)n + 1, sizeof(int)), allocate((size_t)nnz, sizeof(int)),
                allocate((size_t)nnz, sizeof(double))};
    return a;
}

static matrix transpose(const matrix *a) {
    matrix t = matrix_new(a->n, a->ptr[a->n]);
    for (int k = 0; k < a->ptr[a->n]; k++) t.ptr[a->ind[k] + 1]++;
    for (int i = 0; i < a->n; i++) t.ptr[i + 1] += t.ptr[i];
    /* Each column's offset is its cursor while filling, and is moved back afterwards. */
    for (int i = 0; i < a->n; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            int at = t.ptr[a->ind[k]]++;
            t.ind[at] = i;
            t.val[at] = a->val[k];
        }
    for (int i = a->n; i > 0; i--) t.ptr[i] = t.ptr[i - 1];
    t.ptr[0] = 0;
    return t;
}

/* Adds up entries in the same place; they are neighbours, because rows are sorted. */
static void add_duplicates(matrix *a) {
    int end = 0, from = 0;
    for (int i = 0; i < a->n; i++) {
        int first = end, to = a->ptr[i + 1];
        for (; from < to; from++) {
            if (end > first && a->ind[end - 1] == a->ind[from]) {
                a->val[end - 1] += a->val[from];
            } else {
                a->ind[end] = a->ind[from];
                a->val[end++] = a->val[from];
            }
        }
        a->ptr[i + 1] = end;
    }
}

matrix matrix_from_entries(int n, long long count, const entry *entries, int *diagonals_added) {
    char *has_diagonal = allocate((size_t)n, 1);
    for (long long k = 0; k < count; k++)
        if (entries[k].row == entries[k].col) has_diagonal[entries[k].row] = 1;
    int missing = 0;
    for (int i = 0; i < n; i++) missing += !has_diagonal[i];

    /* By columns first: transposing that gives sorted rows in linear time. */
    matrix columns = matrix_new(n, count + missing);
    for (long long k = 0; k < count; k++) columns.ptr[entries[k].col + 1]++;
    for (int i = 0; i < n; i++) columns.ptr[i + 1] += columns.ptr[i] + !has_diagonal[i];
    int *next = allocate((size_t)n, sizeof(int));
    for (int i = 0; i < n; i++) {
        next[i] = columns.ptr[i];
        if (!has_diagonal[i]) columns.ind[next[i]++] = i;
    }
    for (long long k = 0; k < count; k++) {
        int at = next[entries[k].col]++;
        columns.ind[at] = entries[k].row;
        columns.val[at] = entries[k].val;
    }
    matrix a = transpose(&columns);
    add_duplicates(&a);
    matrix_free(&columns);
    free(next);
    free(has_diagonal);
    *diagonals_added = missing;
    return a;
}

matrix matrix_poisson(int k) {
    int plane = k * k, n = plane * k, nnz = 0;
    int step[7] = {-plane, -k, -1, 0, 1, k, plane};
    matrix a = matrix_new(n, 7LL * n);
    for (int i = 0; i < n; i++) {
        int x = i % k, y = i / k % k, z = i / plane;
        int inside[7] = {z > 0, y > 0, x > 0, 1, x < k - 1, y < k - 1, z < k - 1};
        for (int s = 0; s < 7; s++)
            if (inside[s]) {
                a.ind[nnz] = i + step[s];
                a.val[nnz++] = s == 3 ? 6.0 : -1.0;
            }
        a.ptr[i + 1] = nnz;
    }
    return a;
}

int matrix_is_symmetric(const matrix *a) {
    matrix t = transpose(a);
    int same = 1;
    for (int i = 0; i <= a->n && same; i++) same = a->ptr[i] == t.ptr[i];
    for (int k = 0; same && k < a->ptr[a->n]; k++)
        same = a->ind[k] == t.ind[k] && fabs(a->val[k] - t.val[k]) <= 1e-14 * fabs(a->val[k]);
    matrix_free(&t);
    return same;
}

void matrix_free(matrix *a) {
    free(a->ptr);
    free(a->ind);
    free(a->val);
    *a = (matrix){0};
}
