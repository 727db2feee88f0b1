/* Sparse matrices of the examples: square, double precision, compressed by rows, base 0. */
#ifndef MATRIX_H
#define MATRIX_H

typedef struct {
    int n;       /* rows and columns */
    int *ptr;    /* n + 1 offsets */
    int *ind;    /* ptr[n] columns, ascending in each row */
    double *val; /* ptr[n] values */
} matrix;

/* One entry of a matrix that is being put together. */
typedef struct {
    int row, col;
    double val;
} entry;

/* Sorts the entries into a matrix; entries in the same place add up, and every row gets a diagonal. */
matrix matrix_from_entries(int n, long long count, const entry *entries, int *diagonals_added);

/* The Poisson equation on a grid of k x k x k points, 7-point stencil. */
matrix matrix_poisson(int k);

/*
 * Reads a Matrix Market file, plain or gzip: coordinate; real, integer or pattern; general or symmetric.
 * Says on stdout what it had to add. A file that cannot be used ends the program with exit code 2 and
 * one line that names file and line.
 */
matrix matrix_read(const char *path);

/* Whether A equals its transpose, up to rounding. */
int matrix_is_symmetric(const matrix *a);

void matrix_free(matrix *a);

#endif
