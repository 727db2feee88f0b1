/*
 * A matrix whose rows are spread over processes: who owns a row, what is in it, and the parts of it that one process
 * puts together. Rows are numbered so that each process owns consecutive ones.
 */
#ifndef PARTITION_H
#define PARTITION_H

#include "matrix.h"

typedef struct {
    int processes;
    long long *first;   /* processes + 1: the first row of each, then the number of rows */
    int widest;         /* entries of a row at most */
    int grid, parts[3]; /* the Poisson equation on grid x grid x grid points, cut into boxes: along x, y and z */
    const matrix *file; /* or any matrix, which every process has in full */
} partition;

partition partition_grid(int grid, const int parts[3]);
partition partition_matrix(const matrix *a, int processes);
void partition_free(partition *p);

/* The process that owns a row. */
int partition_owner(const partition *p, long long row);

/* The row's number in the matrix as it was before it was spread. */
long long partition_original(const partition *p, long long row);

/*
 * Rows that one process works on: those it owns, and ghosts, which belong to others. With `levels` = 1 the ghosts are the
 * columns of its rows that it does not own; each further level adds the columns of the ghosts. Vectors on all these rows
 * have them in ascending order, so that the owned ones are consecutive in them.
 */
typedef struct {
    long long first;
    int n, ghosts; /* rows owned, and others */
    int below;     /* ghosts before the owned rows */
    long long *ghost;
} region;

region region_around(const partition *p, int process, int levels);
void region_free(region *r);

/*
 * The matrix of a region: its rows and columns, entries outside left out. `pattern` leaves val unset; `values` sets it,
 * and reads each row of the matrix again.
 */
matrix region_pattern(const partition *p, const region *r);
void region_values(const partition *p, const region *r, matrix *block);

/* The owned rows with the ghosts as columns, with the opposite sign; the same two steps. */
matrix coupling_pattern(const partition *p, const region *r);
void coupling_values(const partition *p, const region *r, matrix *coupling);

#endif
