/*
 * What a solve costs the host through SpSV's names and through sptrsv.h: the time of a call that enqueues a solve of a small
 * system, without waiting for the GPU. A measurement and no test.
 *
 *     overhead [CALLS]
 */

#define _GNU_SOURCE
#include <sptrsv.h>
#include <time.h>

#include "contract.h"

enum { ROWS = 1000, ROUNDS = 9, MOST_WAITING = 200 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int by_time(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

/* Microseconds of a call: the median of some rounds, each short enough for the queue of a stream. */
static double measure(void (*call)(void *), void *data, int calls)
{
    double times[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        double spent = 0;
        for (int done = 0; done < calls; done += MOST_WAITING) {
            double begin = now();
            for (int k = 0; k < MOST_WAITING; k++)
                call(data);
            spent += now() - begin;
            memory_synchronize();
        }
        times[r] = spent / ((calls + MOST_WAITING - 1) / MOST_WAITING * MOST_WAITING);
    }
    qsort(times, ROUNDS, sizeof *times, by_time);
    return times[ROUNDS / 2];
}

static void must(int status, const char *what)
{
    if (status != 0) {
        printf("overhead: status %d from %s\n", status, what);
        exit(1);
    }
}
#define MUST_BE_ZERO(call) must((int)(call), #call)

static void through_spsv(void *system) { MUST_BE_ZERO(call_solve(&solver, &((System *)system)->call)); }

typedef struct {
    sptrsvHandle_t handle;
    sptrsvMatDescr_t descr;
    sptrsvInfo_t info;
    void *ptr, *ind, *val, *f, *x, *buffer;
    int nnz;
} Native;

static void through_sptrsv(void *data)
{
    Native *n = data;
    const double one = 1;
    MUST_BE_ZERO(sptrsvSolve(n->handle, SPTRSV_OPERATION_NON_TRANSPOSE, ROWS, n->nnz, &one, n->descr, SPTRSV_R_64F, n->val,
                             n->ptr, n->ind, n->info, n->f, n->x, SPTRSV_SOLVE_POLICY_USE_LEVEL, n->buffer));
}

static void *device_copy(const void *host, size_t bytes)
{
    void *there = memory_alloc(bytes);
    memory_put(there, host, bytes);
    return there;
}

static Native open_native(const Matrix *a)
{
    Native n = {.nnz = a->nnz};
    double *val = malloc((size_t)a->nnz * sizeof *val), *f = malloc(ROWS * sizeof *f);
    for (int k = 0; k < a->nnz; k++)
        val[k] = creal(a->val[k]);
    for (int i = 0; i < ROWS; i++)
        f[i] = 1;
    n.ptr = device_copy(a->ptr, (ROWS + 1) * sizeof *a->ptr);
    n.ind = device_copy(a->ind, (size_t)a->nnz * sizeof *a->ind);
    n.val = device_copy(val, (size_t)a->nnz * sizeof *val);
    n.f = device_copy(f, ROWS * sizeof *f);
    n.x = memory_alloc(ROWS * sizeof *f);
    size_t bytes = 0;
    MUST_BE_ZERO(sptrsvCreateWithExecutor(&n.handle, on_gpu ? SPTRSV_EXECUTOR_CUDA : SPTRSV_EXECUTOR_HOST));
    MUST_BE_ZERO(sptrsvCreateMatDescr(&n.descr));
    MUST_BE_ZERO(sptrsvCreateInfo(&n.info));
    MUST_BE_ZERO(sptrsvBufferSize(n.handle, SPTRSV_OPERATION_NON_TRANSPOSE, ROWS, n.nnz, n.descr, SPTRSV_R_64F, n.val, n.ptr,
                                  n.ind, n.info, &bytes));
    n.buffer = memory_alloc(bytes);
    MUST_BE_ZERO(sptrsvAnalysis(n.handle, SPTRSV_OPERATION_NON_TRANSPOSE, ROWS, n.nnz, n.descr, SPTRSV_R_64F, n.val, n.ptr,
                                n.ind, n.info, SPTRSV_SOLVE_POLICY_USE_LEVEL, n.buffer));
    free(val), free(f);
    return n;
}

int main(int count, char **words)
{
    int calls = count > 1 ? atoi(words[1]) : 4000;
    open_contract("overhead");
    Matrix a = matrix_random(ROWS, 6, 5);
    System s = open_prepared(&a, (Options){.type = D});
    MUST_BE_ZERO(system_solve(&s));
    Native native = open_native(&a);
    through_sptrsv(&native);
    memory_synchronize();
    double theirs = measure(through_spsv, &s, calls), own = measure(through_sptrsv, &native, calls);
    printf("cusparseSpSV_solve takes the host %.2f us a call, sptrsvSolve %.2f us: %.2f us more\n", theirs, own, theirs - own);
    return 0;
}
