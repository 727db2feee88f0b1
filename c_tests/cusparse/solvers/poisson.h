/*
 * What the programs of this folder share: the system that they solve, the residual of a solution, times, and the line for a case.
 *
 * The system is A x = 1 with the 7-point stencil on a grid of side x side x side points. A point depends on its neighbours in
 * three directions, and neighbours outside the grid are zero.
 */
#ifndef SOLVERS_POISSON_H
#define SOLVERS_POISSON_H

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STENCIL = 7 };

typedef struct {
    int side;
    double convection; /* 0: A is symmetric; else the neighbours before and behind a point in a line have -1 -+ this value */
    double shift;      /* what the diagonal has more than 6: one to five times this value, by row */
} Grid;

static inline int grid_rows(const Grid *grid) { return grid->side * grid->side * grid->side; }

/* The entries of a row, columns ascending; returns how many there are. */
static inline int grid_row(const Grid *grid, int row, int columns[STENCIL], double values[STENCIL])
{
    const int line = grid->side, plane = line * line, last = line - 1;
    const int i = row % line, j = row / line % line, k = row / plane;
    const double diagonal = 6.0 + grid->shift * (1.0 + row % 5);
    const double before = -1.0 - grid->convection, behind = -1.0 + grid->convection;
    const int inside[STENCIL] = {k > 0, j > 0, i > 0, 1, i < last, j < last, k < last};
    const int offsets[STENCIL] = {-plane, -line, -1, 0, 1, line, plane};
    const double stencil[STENCIL] = {-1.0, -1.0, before, diagonal, behind, -1.0, -1.0};
    int count = 0;
    for (int s = 0; s < STENCIL; s++) {
        if (inside[s]) {
            columns[count] = row + offsets[s];
            values[count] = stencil[s];
            count++;
        }
    }
    return count;
}

/* The norm of 1 - A x over the norm of 1, computed on the host. */
static inline double grid_residual(const Grid *grid, const double *x)
{
    const int rows = grid_rows(grid);
    double squares = 0.0;
    for (int row = 0; row < rows; row++) {
        int columns[STENCIL];
        double values[STENCIL], residual = 1.0;
        const int count = grid_row(grid, row, columns, values);
        for (int e = 0; e < count; e++)
            residual -= values[e] * x[columns[e]];
        squares += residual * residual;
    }
    return sqrt(squares / rows);
}

static inline void check_cuda(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

static inline void require_gpu(void)
{
    int count = 0;
    check_cuda(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
}

/* Seconds of a clock, after all work of the GPU. */
static inline double finished_at(void)
{
    struct timespec t;
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
    double setup; /* of the preconditioner, seconds */
    double first; /* the first solve, which may analyse, seconds */
    double solve; /* the fastest of the later solves, seconds */
} Times;

/* Adds the time of a solve; repetition 0 is the first. */
static inline void add_time(Times *times, int repetition, double taken)
{
    if (repetition == 0)
        times->first = taken;
    else if (repetition == 1 || taken < times->solve)
        times->solve = taken;
}

/* Prints the line of a case; `solved` says whether it is right. Returns `solved`. */
static inline int print_case(const char *name, int rows, int iterations, double residual, Times times, int solved)
{
    printf("CASE %s n=%d iterations=%d residual=%.3e setup=%.6f first=%.6f solve=%.6f %s\n", name, rows, iterations, residual,
           times.setup, times.first, times.solve, solved ? "ok" : "wrong");
    fflush(stdout);
    return solved;
}

#endif
