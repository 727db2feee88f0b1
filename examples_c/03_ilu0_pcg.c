/*
 * The main job: A x = b by a preconditioned iterative method, where each iteration solves with the
 * factors L and U of an ILU(0) factorisation. libsptrsv factorises and solves, where the matrix lies.
 *
 * A is read from a Matrix Market file, or is the 3-D Poisson equation. Both factors lie in one array with
 * the pattern of A: "lower, unit diagonal" and "upper" name the two triangles, and each solve ignores
 * the other one. b = A x for pseudo-random x, so that a singular A has a solution too.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"
#include "krylov.h"
#include "matrix.h"
#include "vectors.h"

typedef struct {
    const char *file;
    int grid, host, products;
    sptrsvAlgorithm_t algorithm;
    double tolerance, progress;
} options;

static const struct {
    const char *name;
    sptrsvAlgorithm_t number;
} algorithms[] = {{"auto", SPTRSV_ALG_AUTO}, {"levr", SPTRSV_ALG_LEVR}, {"levc", SPTRSV_ALG_LEVC},
                  {"slfr", SPTRSV_ALG_SLFR}, {"slfc", SPTRSV_ALG_SLFC}, {"gsf", SPTRSV_ALG_GSF},
                  {"one_word", SPTRSV_ALG_ONE_WORD}, {"tiled", SPTRSV_ALG_TILED},
                  {"nodal", SPTRSV_ALG_NODAL}, {"wide", SPTRSV_ALG_WIDE},
                  {"thin", SPTRSV_ALG_THIN}, {"block", SPTRSV_ALG_BLOCK},
                  {"panel", SPTRSV_ALG_PANEL}};
enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

static const char *algorithm_name(int number) {
    static char other[24];
    for (int i = 0; i < ALGORITHMS; i++)
        if ((int)algorithms[i].number == number) return algorithms[i].name;
    snprintf(other, sizeof other, "number %d", number);
    return other;
}

static void usage(int exit_code) {
    fprintf(exit_code ? stderr : stdout,
            "usage: 03_ilu0_pcg [--host] [--algorithm NAME] [--grid N] [--tolerance T] [--iterations N]\n"
            "                   [--progress SECONDS] [FILE.mtx[.gz]]\n"
            "  without a file: the Poisson equation on a grid of N x N x N points (N = 100)\n"
            "  --progress: seconds from one line about the residual to the next, on standard error (2)\n"
            "  algorithms:");
    for (int i = 0; i < ALGORITHMS; i++) fprintf(exit_code ? stderr : stdout, " %s", algorithms[i].name);
    fputc('\n', exit_code ? stderr : stdout);
    exit(exit_code);
}

static double number_of(const char *option, const char *text, double least, double most) {
    char *end = NULL;
    double value = text ? strtod(text, &end) : NAN;
    if (!text || end == text || *end || !(value >= least && value <= most))
        example_die(2, "%s needs a number from %g to %g", option, least, most);
    return value;
}

static options read_options(char **argument) {
    options o = {NULL, 100, 0, 5000, SPTRSV_ALG_AUTO, 1e-10, 2.0};
    while (*++argument) {
        const char *name = *argument;
        if (!strcmp(name, "--help")) usage(0);
        else if (!strcmp(name, "--host")) o.host = 1;
        else if (name[0] != '-' && !o.file) o.file = name;
        else {
            const char *value = *argument ? argument[1] : NULL;
            if (!strcmp(name, "--grid")) o.grid = (int)number_of(name, value, 1, 600);
            else if (!strcmp(name, "--tolerance")) o.tolerance = number_of(name, value, 1e-16, 1);
            else if (!strcmp(name, "--progress")) o.progress = number_of(name, value, 0, 1e9);
            else if (!strcmp(name, "--iterations")) o.products = (int)number_of(name, value, 1, 1e9);
            else if (!strcmp(name, "--algorithm")) {
                int i = 0;
                while (i < ALGORITHMS && (!value || strcmp(value, algorithms[i].name))) i++;
                if (i == ALGORITHMS) usage(2);
                o.algorithm = algorithms[i].number;
            } else usage(2);
            argument++;
        }
    }
    return o;
}

/* One triangle of the factors, ready to be solved with. */
typedef struct {
    sptrsvMatDescr_t descr;
    sptrsvInfo_t info;
    sptrsvStats_t stats;
} triangle;

typedef struct {
    sptrsvHandle_t handle;
    const matrix *a; /* with its arrays in the executor's memory */
    int64_t n, nnz;
    const int *ptr, *ind; /* these, values and scratch are in the executor's memory */
    double *lu;
    void *buffer;
    size_t buffer_bytes;
    triangle lower, upper;
    double size_of_b, progress, told_at; /* of the lines that say how far the iteration has come */
    double total_ms;
    int uses, unread; /* how often both were used; whether the stopwatch's last readings are still to be added */
} factors;

/* The lower triangle's info prepares the factorisation too. */
static triangle analyse(factors *f, sptrsvFillMode_t fill, sptrsvDiagType_t diag, sptrsvAlgorithm_t algorithm) {
    triangle t = {NULL, NULL, {0}};
    sptrsvHandle_t h = f->handle;
    OK(sptrsvCreateMatDescr(&t.descr));
    OK(sptrsvSetMatFillMode(t.descr, fill));
    OK(sptrsvSetMatDiagType(t.descr, diag));
    OK(sptrsvCreateInfo(&t.info));
    OK(sptrsvSetAlgorithm(t.info, algorithm));
    OK(sptrsvSetFactorization(t.info, fill == SPTRSV_FILL_MODE_LOWER));

    /* The buffer is scratch: another one serves the solves of both triangles. */
    size_t bytes;
    OK(sptrsvBufferSize(h, SPTRSV_OPERATION_NON_TRANSPOSE, f->n, f->nnz, t.descr, SPTRSV_R_64F, f->lu, f->ptr,
                        f->ind, t.info, &bytes));
    void *buffer = example_alloc(bytes);
    OK(sptrsvAnalysis(h, SPTRSV_OPERATION_NON_TRANSPOSE, f->n, f->nnz, t.descr, SPTRSV_R_64F, f->lu, f->ptr,
                      f->ind, t.info, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer));
    example_free(buffer);
    if (bytes > f->buffer_bytes) f->buffer_bytes = bytes;
    t.stats.struct_size = sizeof t.stats;
    OK(sptrsvGetStats(t.info, &t.stats));
    return t;
}

/* Adds up what the stopwatch says of the last use; read late, so that nobody waits for it. */
static void read_stopwatch(factors *f) {
    if (!f->unread) return;
    f->total_ms += stopwatch_between(0, 1);
    f->unread = 0;
}

/* z = U^-1 L^-1 r */
static void apply_factors(void *context, const double *r, double *z) {
    factors *f = context;
    read_stopwatch(f);
    const double one = 1.0;
    const triangle *l = &f->lower, *u = &f->upper;
    stopwatch_mark(0);
    OK(sptrsvSolvePair(f->handle, SPTRSV_OPERATION_NON_TRANSPOSE, f->n, 1, &one, SPTRSV_R_64F, l->descr, f->nnz, f->lu, f->ptr,
                       f->ind, l->info, u->descr, f->nnz, f->lu, f->ptr, f->ind, u->info, NULL, NULL, r, f->n, z, f->n, NULL,
                       SPTRSV_SOLVE_POLICY_USE_LEVEL, f->buffer));
    stopwatch_mark(1);
    f->unread = 1;
    f->uses++;
}

static void multiply(void *context, const double *x, double *y) { spmv(((factors *)context)->a, x, y); }

static double multiply_vectors(void *context, const double *x, const double *y) {
    return dot(((factors *)context)->a->n, x, y);
}

/* Says how far the iteration has come, every few seconds. */
static void tell_progress(void *context, int products, double error) {
    factors *f = context;
    double now = example_seconds();
    if (now - f->told_at < f->progress) return;
    f->told_at = now;
    fprintf(stderr, "progress:   iteration %d, |r| / |b| = %.2e\n", products, error / f->size_of_b);
}

static double *known_solution(int n) {
    double *x = malloc((size_t)n * sizeof(double));
    unsigned state = 12345;
    if (!x) example_die(1, "out of memory: a vector of %d values", n);
    for (int i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = (state >> 8) / 16777216.0;
    }
    return x;
}

static matrix get_matrix(const options *o) {
    if (o->file) {
        printf("matrix:     %s\n", o->file);
        return matrix_read(o->file);
    }
    printf("matrix:     Poisson equation on %d x %d x %d points\n", o->grid, o->grid, o->grid);
    return matrix_poisson(o->grid);
}

/* Puts the factors in the place of A's values; the first row with a zero pivot, or -1. */
static int64_t try_to_factorize(factors *f, const matrix *a) {
    int64_t row;
    example_write(f->lu, a->val, (size_t)f->nnz * sizeof(double));
    double start = example_seconds();
    OK(sptrsvIlu0(f->handle, f->n, f->nnz, f->lower.descr, SPTRSV_R_64F, f->lu, f->ptr, f->ind, f->lower.info, f->buffer));
    sptrsvStatus_t status = sptrsvFactorZeroPivot(f->handle, f->lower.info, &row); /* waits */
    if (status != SPTRSV_STATUS_ZERO_PIVOT) OK(status);
    printf("ILU(0):     %.3f ms\n", 1e3 * (example_seconds() - start));
    return row;
}

/* The factors of A. If there is a zero pivot, pivots next to nothing become as large as the largest value of A. */
static void factorize(factors *f, const matrix *a) {
    double largest = 0.0;
    int64_t row = try_to_factorize(f, a);
    if (row < 0) return;
    for (int k = 0; k < a->ptr[a->n]; k++) largest = fmax(largest, fabs(a->val[k]));
    if (largest == 0.0) largest = 1.0;
    printf("            zero pivot in row %lld: small pivots are replaced by the largest value of A\n", (long long)row + 1);
    OK(sptrsvSetPivotBoost(f->lower.info, 1e-10 * largest, largest, 0.0));
    try_to_factorize(f, a);
}

static factors make_factors(sptrsvHandle_t handle, const matrix *a, const matrix *device, sptrsvAlgorithm_t algorithm) {
    size_t values = (size_t)a->ptr[a->n] * sizeof(double);
    factors f = {.handle = handle, .a = device, .n = a->n, .nnz = a->ptr[a->n], .ptr = device->ptr, .ind = device->ind};
    f.lu = example_alloc(values);
    f.lower = analyse(&f, SPTRSV_FILL_MODE_LOWER, SPTRSV_DIAG_TYPE_UNIT, algorithm);
    f.upper = analyse(&f, SPTRSV_FILL_MODE_UPPER, SPTRSV_DIAG_TYPE_NON_UNIT, algorithm);
    f.buffer = example_alloc(f.buffer_bytes);
    printf("levels:     L %lld, U %lld\n", (long long)f.lower.stats.levels, (long long)f.upper.stats.levels);
    printf("algorithm:  L %s, U %s\n", algorithm_name(f.lower.stats.algorithm), algorithm_name(f.upper.stats.algorithm));
    printf("analysis:   L %.3f ms, U %.3f ms\n", f.lower.stats.setup_ms, f.upper.stats.setup_ms);
    factorize(&f, a);
    return f;
}

static void free_factors(factors *f) {
    OK(sptrsvDestroyInfo(f->lower.info));
    OK(sptrsvDestroyInfo(f->upper.info));
    OK(sptrsvDestroyMatDescr(f->lower.descr));
    OK(sptrsvDestroyMatDescr(f->upper.descr));
    example_free(f->lu);
    example_free(f->buffer);
}

int main(int argc, char **argv) {
    (void)argc;
    options o = read_options(argv);
    sptrsvHandle_t handle = example_open(o.host);
    matrix a = get_matrix(&o);
    int n = a.n, nnz = a.ptr[n], symmetric = matrix_is_symmetric(&a);
    size_t vector = (size_t)n * sizeof(double);
    printf("            n = %d, nnz = %d, %s\n", n, nnz, symmetric ? "symmetric" : "not symmetric");

    matrix device = {n, example_upload(a.ptr, ((size_t)n + 1) * sizeof(int)),
                     example_upload(a.ind, (size_t)nnz * sizeof(int)), example_upload(a.val, (size_t)nnz * sizeof(double))};
    factors f = make_factors(handle, &a, &device, o.algorithm);

    double *host = known_solution(n);
    double *x = example_upload(host, vector), *b = example_alloc(vector), *r = example_alloc(vector);
    spmv(&device, x, b);
    double size_of_b = sqrt(dot(n, b, b));
    if (!(size_of_b > 0.0)) example_die(1, "b = A x is zero: there is nothing to solve");
    memset(host, 0, vector);
    example_write(x, host, vector);

    /* The methods watch a residual that is updated, not computed; where it was too optimistic, go on. */
    problem p = {.n = n, .b = b, .multiply = multiply, .apply = apply_factors, .dot = multiply_vectors,
                 .watch = tell_progress, .context = &f, .target = o.tolerance * size_of_b, .limit = o.products};
    const char *method = symmetric ? "CG" : "GMRES(60)";
    double start = example_seconds(), error;
    f.size_of_b = size_of_b;
    f.progress = o.progress;
    f.told_at = start;
    do {
        if (symmetric && !conjugate_gradients(&p, x)) {
            symmetric = 0;
            method = "CG, then GMRES(60) as it is not definite";
        }
        if (!symmetric) gmres(&p, x);
        residual(&device, x, b, r);
        error = sqrt(dot(n, r, r)) / size_of_b;
    } while (error > o.tolerance && p.products < o.products);
    double elapsed = example_seconds() - start;

    read_stopwatch(&f);
    if (f.uses) {
        double both = f.total_ms / f.uses;
        printf("solve:      L and U %.4f ms (mean of %d), %.2f GFLOPS (2 nnz / time)\n", both, f.uses, 2e-6 * nnz / both);
    }
    printf("iterations: %d of %s in %.3f s\n", p.products, method, elapsed);
    printf("residual:   |b - A x| / |b| = %.2e, %.0e was asked for\n", error, o.tolerance);

    free(host);
    example_free(x);
    example_free(b);
    example_free(r);
    free_factors(&f);
    example_free(device.ptr);
    example_free(device.ind);
    example_free(device.val);
    matrix_free(&a);
    OK(sptrsvDestroy(handle));
    if (!(error <= o.tolerance)) example_die(1, "the residual asked for was not reached");
    return 0;
}
