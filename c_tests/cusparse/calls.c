/*
 * What programs wait for that analyse anew: the first analysis and solve of a process, a later analysis with one solve, and one
 * with 100 solves, by cuSPARSE, by this library, and by this library where it keeps no analysis (SPTRSV_SPSV_KEEP=0), each in a
 * process of its own. A measurement and no test.
 *
 *     calls [SIDE [COLUMNS]]     the lower triangle of the 5-point matrix of SIDE x SIDE points, by default 320; SpSV for one
 *                                column, else SpSM
 *
 * Times are of createDescr, bufferSize, analysis, solves and destroyDescr until the GPU is done; buffers are allocated beside
 * them. Those of later calls are medians. The last line is of destroyDescr alone, when the GPU has nothing to do.
 */

#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>

#include "contract.h"

enum { LIVES = 9, KINDS = 4, MANY = 100 };

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

static Matrix grid(int side)
{
    int n = side * side, nnz = 0;
    Matrix a = matrix_alloc(n, 3 * n);
    for (int i = 0; i < n; i++) {
        if (i >= side)
            a.ind[nnz] = i - side, a.val[nnz++] = -1;
        if (i % side)
            a.ind[nnz] = i - 1, a.val[nnz++] = -1;
        a.ind[nnz] = i, a.val[nnz++] = 4;
        a.ptr[i + 1] = nnz;
    }
    a.nnz = nnz;
    return a;
}

static void must(int status, const char *what)
{
    if (status != 0) {
        fprintf(stderr, "calls: status %d from %s\n", status, what);
        exit(1);
    }
}
#define MUST_BE_ZERO(call) must((int)(call), #call)

/* Milliseconds of one descriptor's life, and of its end. */
static double life(System *s, int solves, double *end)
{
    double spent = 0, begin = now();
    MUST_BE_ZERO(system_create(s, &solver));
    MUST_BE_ZERO(system_size(s));
    spent += now() - begin;
    s->buffer = memory_alloc(s->bytes);
    memory_synchronize();
    begin = now();
    MUST_BE_ZERO(call_analysis(&solver, system_call(s), s->buffer));
    for (int k = 0; k < solves; k++)
        MUST_BE_ZERO(call_solve(&solver, &s->call));
    memory_synchronize();
    double last = now();
    MUST_BE_ZERO(system_forget(s));
    spent += now() - begin;
    *end = now() - last;
    memory_free(s->buffer);
    s->buffer = NULL;
    return spent;
}

static double median_life(System *s, int solves, double *end)
{
    double times[LIVES], ends[LIVES];
    for (int k = 0; k < LIVES; k++)
        times[k] = life(s, solves, &ends[k]);
    qsort(times, LIVES, sizeof *times, by_time);
    qsort(ends, LIVES, sizeof *ends, by_time);
    *end = ends[LIVES / 2];
    return times[LIVES / 2];
}

/* One side: its times are the last line. */
static int measure(int side, int columns)
{
    open_contract("calls");
    Matrix a = grid(side);
    System s = open_system(NULL, handle, &a, (Options){.type = D, .dense = columns > 1, .columns = columns});
    system_reset(&s);
    double end, first = life(&s, 1, &end), many = median_life(&s, MANY, &end), one = median_life(&s, 1, &end);
    int is_right = strcmp(system_verdict(&s, &a), "right") == 0;
    printf("%.17g %.17g %.17g %.17g\n", first, one, many, end);
    return !is_right;
}

static void measure_elsewhere(const char *program, const char *how, int side, int columns, double times[KINDS])
{
    char command[8192], line[256] = "";
    snprintf(command, sizeof command, "SPTRSV_SPSV%s '%s' --one %d %d", how, program, side, columns);
    FILE *out = popen(command, "r");
    while (out != NULL && fgets(line, sizeof line, out) != NULL)
        continue;
    if (out == NULL || pclose(out) != 0 || sscanf(line, "%lf %lf %lf %lf", &times[0], &times[1], &times[2], &times[3]) != KINDS) {
        printf("calls: failed: %s\n", command);
        exit(1);
    }
}

int main(int count, char **words)
{
    static const char *const kinds[KINDS] = {"first analysis and solve", "analysis and one solve", "analysis and 100 solves",
                                              "destroyDescr"};
    double theirs[KINDS], own[KINDS], anew[KINDS];
    if (count == 4 && strcmp(words[1], "--one") == 0)
        return measure(atoi(words[2]), atoi(words[3]));
    int side = count > 1 ? atoi(words[1]) : 320, columns = count > 2 ? atoi(words[2]) : 1;
    if (side < 1 || columns < 1) {
        fprintf(stderr, "usage: %s [SIDE [COLUMNS]]\n", words[0]);
        return 2;
    }
    measure_elsewhere(words[0], "=off", side, columns, theirs);
    measure_elsewhere(words[0], "=on", side, columns, own);
    measure_elsewhere(words[0], "_KEEP=0", side, columns, anew);
    printf("%d rows, %d columns, ms:\n| | cuSPARSE | libsptrsv | ratio | analysed anew | ratio |\n|---|--:|--:|--:|--:|--:|\n",
           side * side, columns);
    for (int k = 0; k < KINDS; k++)
        printf("| %s | %.4f | %.4f | %.2f | %.4f | %.2f |\n", kinds[k], theirs[k], own[k], theirs[k] / own[k], anew[k],
               theirs[k] / anew[k]);
    return 0;
}
