/* Measures an exchange of ghost values beside triangular solves. Solves run on a stream of their own, the exchange on the default one. */
#include "mpi_overlap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "example.h"
#include "gpu.h"

enum { ROUNDS = 51, WARM_UPS = 5, MOST_SOLVES = 1000 };

typedef struct {
    sptrsvHandle_t handle;
    void (*solve)(void *context);
    void *context, *stream;
    halo *h;
    const double *x;
} overlap;

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median, of the slowest process. */
static double typical(double ms[ROUNDS]) {
    qsort(ms, ROUNDS, sizeof *ms, ascending);
    double slowest = ms[ROUNDS / 2];
    MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static double exchange_ms(overlap *o) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    halo_begin(o->h, o->x);
    halo_end(o->h);
    gpu_wait();
    return 1e3 * (MPI_Wtime() - start);
}

/* Milliseconds of the solves alone. */
static double solves_alone(overlap *o) {
    double ms[ROUNDS];
    for (int i = -WARM_UPS; i < ROUNDS; i++) {
        gpu_mark_on(0, o->stream);
        o->solve(o->context);
        gpu_mark_on(1, o->stream);
        double taken = gpu_between(0, 1);
        if (i >= 0) ms[i] = taken;
    }
    return typical(ms);
}

/*
 * Milliseconds of an exchange that begins while solves run; `solves` of them are enqueued, or none. Adds up how many exchanges were
 * over while solves still ran.
 */
static double exchanges(overlap *o, int solves, int *beside) {
    double ms[ROUNDS];
    for (int i = -WARM_UPS; i < ROUNDS; i++) {
        for (int k = 0; k < solves; k++) {
            o->solve(o->context);
            if (k == 0) gpu_mark_on(0, o->stream);
        }
        if (solves) gpu_wait_for_mark(0); /* now the second one runs */
        double taken = exchange_ms(o);
        int is_beside = solves && gpu_is_busy(o->stream);
        gpu_wait_for(o->stream);
        if (i < 0) continue;
        ms[i] = taken;
        *beside += is_beside;
    }
    return typical(ms);
}

/* As many solves as last longer than an exchange that waits for some of them; the same number in every process. */
static int enough(double solve_ms, double alone_ms) {
    return (int)fmin(MOST_SOLVES, 4.0 + ceil(8.0 * alone_ms / solve_ms));
}

void measure_overlap(sptrsvHandle_t handle, void (*solve)(void *context), void *context, halo *h, const double *x, int leave) {
    int rank, size, none = 0, beside[2] = {0, 0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!example_on_gpu() || size == 1) {
        if (rank == 0)
            printf("overlap:    not measured: %s\n", size == 1 ? "one process has nobody to exchange values with"
                                                               : "the host executor has no multiprocessors to leave");
        return;
    }
    int all = gpu_multiprocessors();
    if (leave >= all) example_die(2, "--leave %d leaves nothing of %d multiprocessors to the solves", leave, all);
    overlap o = {.handle = handle, .solve = solve, .context = context, .stream = gpu_new_stream(), .h = h, .x = x};
    gpu_wait();
    OK(sptrsvSetStream(handle, o.stream));
    double alone = exchanges(&o, 0, &none), solves[2], together[2];
    for (int few = 0; few < 2; few++) {
        OK(sptrsvSetSmCountTarget(handle, few ? all - leave : 0));
        solves[few] = solves_alone(&o);
        together[few] = exchanges(&o, enough(solves[few], alone), &beside[few]);
    }
    OK(sptrsvSetSmCountTarget(handle, 0));
    OK(sptrsvSetStream(handle, NULL));
    gpu_free_stream(o.stream);
    MPI_Allreduce(MPI_IN_PLACE, beside, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank) return;
    printf("overlap:    exchange %.4f ms alone; beside solves on all %d multiprocessors %.4f ms (%.2f times), on %d %.4f ms (%.2f times)\n",
           alone, all, together[0], together[0] / alone, all - leave, together[1], together[1] / alone);
    printf("            solves %.4f ms on all, %.4f ms (%.2f times) on %d\n", solves[0], solves[1], solves[1] / solves[0], all - leave);
    printf("            medians of %d, of the slowest process; solves outlasted %d and %d of the exchanges\n", ROUNDS, beside[0],
           beside[1]);
}
