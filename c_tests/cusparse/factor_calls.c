/*
 * What programs wait for that factorise by csrilu02: the first analysis and factorisation of a process, a later analysis with one
 * factorisation, and one with 100, by cuSPARSE and by this library, each in a process of its own. A measurement and no test.
 *
 *     factor_calls [SIDE [POINTS]]     the matrix of SIDE x SIDE points, by default 1000, each with 5 (by default) or 9 points
 *
 * Times are of the info's creation, bufferSize, analysis, factorisations, zeroPivot and the info's end; buffers are allocated beside
 * them. Those of later calls are medians. The matrix stays: each factorisation takes what the one before it has left.
 */

#define _GNU_SOURCE
#include <time.h>

#include "diff_ilu02.h"

#include <stdio.h>

enum { LIVES = 9, KINDS = 3, MANY = 100 };

Base base;
Handle handle;
int on_gpu;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_time(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

static Matrix grid(int side, int points)
{
    int n = side * side;
    Matrix a = matrix_alloc(n, points * n);
    a.nnz = 0;
    for (int i = 0; i < n; i++) {
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int x = i % side + dx, y = i / side + dy;
                if (x < 0 || y < 0 || x >= side || y >= side || (points == 5 && dx != 0 && dy != 0))
                    continue;
                a.ind[a.nnz] = y * side + x;
                a.val[a.nnz++] = dx || dy ? -1 : points - 1;
            }
        a.ptr[i + 1] = a.nnz;
    }
    return a;
}

static void must(int status, const char *what)
{
    if (status != 0) {
        fprintf(stderr, "factor_calls: status %d from %s\n", status, what);
        exit(1);
    }
}
#define MUST_BE_ZERO(call) must((int)(call), #call)

/* Milliseconds of one info's life. */
static double life(Life *l, int factorisations)
{
    int row;
    double begin = now(), spent;
    MUST_BE_ZERO(l->f->create[ILU](&l->info));
    MUST_BE_ZERO(call(l, IN_SIZE, &l->bytes));
    spent = now() - begin;
    l->buffer = memory_alloc((size_t)l->bytes);
    memory_synchronize();
    begin = now();
    MUST_BE_ZERO(call(l, IN_ANALYSIS, l->buffer));
    for (int k = 0; k < factorisations; k++)
        MUST_BE_ZERO(call(l, IN_FACTORISE, l->buffer));
    MUST_BE_ZERO(l->f->pivot[ILU](handle, l->info, &row));
    MUST_BE_ZERO(l->f->destroy[ILU](l->info));
    spent += now() - begin;
    memory_free(l->buffer);
    l->buffer = NULL;
    return spent;
}

static double median_life(Life *l, int factorisations)
{
    double times[LIVES];
    for (int k = 0; k < LIVES; k++)
        times[k] = life(l, factorisations);
    qsort(times, LIVES, sizeof *times, by_time);
    return times[LIVES / 2];
}

/* One side: its times are the last line. */
static int measure(int side, int points)
{
    static char out[TEXT];
    Factors f;
    on_gpu = memory_open();
    load_base(open_library("libcusparse.so.12"));
    load_factors(&f, open_library("libsptrsv_spsv.so"));
    MUST_BE_ZERO(base.create(&handle));
    Life l = open_life(&f, out, ILU, D, 0, grid(side, points));
    MUST_BE_ZERO(f.destroy[ILU](l.info));
    double first = life(&l, 1), many = median_life(&l, MANY), one = median_life(&l, 1);
    printf("%.17g %.17g %.17g\n", first, one, many);
    return 0;
}

static void measure_elsewhere(const char *program, const char *how, int side, int points, double times[KINDS])
{
    char command[8192], line[256] = "";
    snprintf(command, sizeof command, "SPTRSV_SPSV_FACTORISATIONS=%s '%s' --one %d %d", how, program, side, points);
    FILE *out = popen(command, "r");
    while (out != NULL && fgets(line, sizeof line, out) != NULL)
        continue;
    if (out == NULL || pclose(out) != 0 || sscanf(line, "%lf %lf %lf", &times[0], &times[1], &times[2]) != KINDS) {
        printf("factor_calls: failed: %s\n", command);
        exit(1);
    }
}

int main(int count, char **words)
{
    static const char *const kinds[KINDS] = {"first analysis and factorisation", "analysis and one factorisation",
                                              "analysis and 100 factorisations"};
    double theirs[KINDS], own[KINDS];
    if (count == 4 && strcmp(words[1], "--one") == 0)
        return measure(atoi(words[2]), atoi(words[3]));
    int side = count > 1 ? atoi(words[1]) : 1000, points = count > 2 ? atoi(words[2]) : 5;
    if (side < 2 || (points != 5 && points != 9)) {
        fprintf(stderr, "usage: %s [SIDE [POINTS]]\n", words[0]);
        return 2;
    }
    measure_elsewhere(words[0], "off", side, points, theirs);
    measure_elsewhere(words[0], "on", side, points, own);
    printf("%d rows, %d points, ms:\n| | cuSPARSE | libsptrsv | ratio |\n|---|--:|--:|--:|\n", side * side, points);
    for (int k = 0; k < KINDS; k++)
        printf("| %s | %.4f | %.4f | %.2f |\n", kinds[k], theirs[k], own[k], theirs[k] / own[k]);
    return 0;
}
