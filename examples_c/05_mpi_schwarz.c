/*
 * A x = b over the processes of an MPI program, one GPU or host executor a process, preconditioned by triangular solves
 * that each process does on its own rows:
 *
 *   ras   restricted additive Schwarz: r on the process's rows and on the rows around them (--overlap), L and U solves
 *         with ILU(0) of that block; of the result its own rows are kept. Not symmetric, so for BiCGSTAB or GMRES.
 *   as    additive Schwarz: the same, but the rows around go back to their owners and are added up. Symmetric, for CG.
 *   gs    hybrid Gauss-Seidel: a forward and a backward sweep on the process's rows, Jacobi between processes; the
 *         diagonal is that of 04_hybrid_gauss_seidel.c (--no-l1: as stored). Symmetric, for CG.
 *
 * The matrix is the Poisson equation on a grid that is cut into boxes, or any file, cut into rows. The analysis needs the
 * pattern only: it runs in a thread while the values are put together. The library factorises them afterwards.
 * --leave N measures at the end how an exchange of values and solves on another stream get on with each other.
 *
 *     mpirun -n 4 05_mpi_schwarz --grid 200 --preconditioner ras
 */
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"
#include "krylov.h"
#include "matrix.h"
#include "mpi_halo.h"
#include "mpi_overlap.h"
#include "partition.h"
#include "vectors.h"

typedef enum { RAS, AS, GS } preconditioner;
static const char *const preconditioner_name[] = {"restricted additive Schwarz", "additive Schwarz",
                                                  "hybrid Gauss-Seidel"};
typedef enum { AUTO, CG, BICGSTAB, GMRES } method;
static const char *const method_name[] = {"", "CG", "BiCGSTAB", "GMRES(60)"};
typedef enum { HALO, PRODUCTS, SOLVES, REDUCTIONS, PHASES } phase;
static const char *const phase_name[] = {"halo", "products", "solves", "reductions"};

typedef struct {
    const char *file; /* of the first process alone, which reads it */
    int stop;         /* -1, or the exit code when there is nothing to do */
    int grid, overlap, l1, host, staged, limit;
    int leave; /* multiprocessors, for the exchange beside solves; 0: that is not measured */
    preconditioner preconditioner;
    method method;
    double tolerance;
} options;

/* One triangle of the preconditioner, ready to be solved with. */
typedef struct {
    sptrsvMatDescr_t descr;
    sptrsvInfo_t info;
} triangle;

typedef struct {
    sptrsvHandle_t handle;
    preconditioner kind;
    region own, around, block;  /* this process's rows; with the ghosts of a product; with the preconditioner's overlap */
    matrix a, coupling, factor; /* on the executor: its rows and columns, its columns of others, L and U or the sweeps */
    int nnz;                    /* of factor */
    double *diagonal;           /* of the sweeps */
    halo product_halo, block_halo;
    triangle lower, upper;
    void *buffer;
    double *wide, *y, *t; /* vectors of the block, and of the own rows */
    double setup_s[5];    /* pattern, assembly, analysis, the last two together, and factorisation */
    int measuring;
    double since, seconds[PHASES];
} solver;

/* ------------------------------------------------------------------------------------------------- options */

static void usage(FILE *to) {
    fputs("usage: mpirun -n PROCESSES 05_mpi_schwarz [--preconditioner ras|as|gs] [--method cg|bicgstab|gmres]\n"
          "                  [--grid N] [--overlap LEVELS] [--no-l1] [--tolerance T] [--iterations N] [--host] [--staged]\n"
          "                  [--leave N] [FILE.mtx[.gz]]\n"
          "  without a file: the Poisson equation on a grid of N x N x N points (N = 64)\n"
          "  --staged: exchange through host memory, also where MPI reads GPU memory\n"
          "  --leave N: measure the exchange beside solves on another stream, which leave N multiprocessors to it\n", to);
}

/* The place of a word among others, or -1. */
static int choice(const char *word, const char *const names[], int count) {
    for (int i = 0; word && i < count; i++)
        if (!strcmp(word, names[i])) return i;
    return -1;
}

static int read_option(options *o, const char *name, const char *value) {
    static const char *const preconditioners[] = {"ras", "as", "gs"};
    static const char *const methods[] = {"auto", "cg", "bicgstab", "gmres"};
    char *end = NULL;
    double number = value ? strtod(value, &end) : NAN;
    int is_number = value && end != value && !*end, place;
    if (!strcmp(name, "--preconditioner") && (place = choice(value, preconditioners, 3)) >= 0)
        o->preconditioner = (preconditioner)place;
    else if (!strcmp(name, "--method") && (place = choice(value, methods, 4)) >= 0) o->method = (method)place;
    else if (!strcmp(name, "--grid") && is_number && number >= 1 && number <= 20000) o->grid = (int)number;
    else if (!strcmp(name, "--overlap") && is_number && number >= 0 && number <= 100) o->overlap = (int)number;
    else if (!strcmp(name, "--leave") && is_number && number >= 1 && number <= 10000) o->leave = (int)number;
    else if (!strcmp(name, "--iterations") && is_number && number >= 1 && number <= 1e9) o->limit = (int)number;
    else if (!strcmp(name, "--tolerance") && is_number && number > 0 && number <= 1) o->tolerance = number;
    else return 0;
    return 1;
}

static options read_options(char **argument) {
    options o = {.stop = -1, .grid = 64, .overlap = 1, .l1 = 1, .limit = 5000, .tolerance = 1e-8};
    while (*++argument && o.stop < 0) {
        const char *name = *argument;
        if (!strcmp(name, "--help")) o.stop = 0;
        else if (!strcmp(name, "--host")) o.host = 1;
        else if (!strcmp(name, "--staged")) o.staged = 1;
        else if (!strcmp(name, "--no-l1")) o.l1 = 0;
        else if (name[0] != '-' && !o.file) o.file = name;
        else if (read_option(&o, name, argument[1])) argument++;
        else o.stop = 2;
    }
    if (o.stop >= 0) usage(o.stop ? stderr : stdout);
    if (o.stop < 0 && o.preconditioner == RAS && o.method == CG) {
        fputs("error: CG needs a symmetric preconditioner: take --preconditioner as or gs, or --method bicgstab\n", stderr);
        o.stop = 2;
    }
    return o;
}

/* ---------------------------------------------------------------------------------------- solving, by phases */

/* With `measuring` each phase is waited for, and its time added up; without it phases overlap as they can. */
static void enter(solver *s) {
    if (!s->measuring) return;
    wait_for_work();
    s->since = MPI_Wtime();
}

static void leave(solver *s, phase p) {
    if (!s->measuring) return;
    double from = s->since;
    enter(s);
    s->seconds[p] += s->since - from;
}

static void copy(int n, const double *from, double *to) { axpby(n, 1.0, from, 0.0, to); }

/* y = A x: the columns of this process while the others' values are on their way. */
static void multiply(void *context, const double *x, double *y) {
    solver *s = context;
    enter(s);
    halo_begin(&s->product_halo, x);
    if (s->measuring) {
        halo_end(&s->product_halo);
        leave(s, HALO);
    }
    spmv(&s->a, x, y);
    if (!s->measuring) halo_end(&s->product_halo);
    residual(&s->coupling, s->product_halo.ghost, y, y); /* the coupling has the opposite sign */
    leave(s, PRODUCTS);
}

static double multiply_vectors(void *context, const double *x, const double *y) {
    solver *s = context;
    enter(s);
    double sum = dot(s->own.n, x, y);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    leave(s, REDUCTIONS);
    return sum;
}

/* By both triangles, which lie in one array. `to` may be `from`. */
static void solve(solver *s, const double *from, double *to) {
    const double one = 1.0;
    const matrix *m = &s->factor;
    OK(sptrsvSolvePair(s->handle, SPTRSV_OPERATION_NON_TRANSPOSE, m->n, 1, &one, SPTRSV_R_64F, s->lower.descr, s->nnz, m->val,
                       m->ptr, m->ind, s->lower.info, s->upper.descr, s->nnz, m->val, m->ptr, m->ind, s->upper.info, NULL, NULL,
                       from, m->n, to, m->n, NULL, SPTRSV_SOLVE_POLICY_USE_LEVEL, s->buffer));
}

static void sweep(solver *s, const triangle *t, int from_zero, const double *b, double *x) {
    const matrix *m = &s->factor;
    OK(sptrsvSweep(s->handle, m->n, s->nnz, 1.0, from_zero, t->descr, SPTRSV_R_64F, m->val, m->ptr, m->ind, t->info, b, x,
                   s->buffer));
}

/* z = the sum of R' (L U)^-1 R r over the processes, where R takes a block's rows; ras: only the owner's summand. */
static void apply_schwarz(void *context, const double *r, double *z) {
    solver *s = context;
    halo *h = &s->block_halo;
    int below = s->block.below, above = s->block.ghosts - below, n = s->own.n;
    enter(s);
    halo_begin(h, r);
    copy(n, r, s->wide + below);
    halo_end(h);
    copy(below, h->ghost, s->wide);
    copy(above, h->ghost + below, s->wide + below + n);
    leave(s, HALO);
    solve(s, s->wide, s->wide);
    leave(s, SOLVES);
    copy(n, s->wide + below, z);
    if (s->kind != AS) return;
    copy(below, s->wide, h->ghost);
    copy(above, s->wide + below + n, h->ghost + below);
    halo_add(h, z);
    leave(s, HALO);
}

/* A forward sweep from zero on the process's own block, and a backward one from there. What other processes' unknowns contribute is
 * zero before the first one; before the second one it is taken from the right-hand side. */
static void apply_sweeps(void *context, const double *r, double *z) {
    solver *s = context;
    enter(s);
    sweep(s, &s->lower, 1, r, z);
    leave(s, SOLVES);
    halo_begin(&s->product_halo, z);
    halo_end(&s->product_halo);
    leave(s, HALO);
    spmv(&s->coupling, s->product_halo.ghost, s->t); /* the coupling has the opposite sign */
    axpby(s->own.n, 1.0, r, 1.0, s->t);
    leave(s, PRODUCTS);
    sweep(s, &s->upper, 0, s->t, z);
    leave(s, SOLVES);
}

/* The solves of one application, apart from any exchange. */
static void solve_both(void *context) {
    solver *s = context;
    solve(s, s->kind == GS ? s->t : s->wide, s->y);
}

static void watch_nothing(void *context, int products, double error) { (void)context, (void)products, (void)error; }

/* --------------------------------------------------------------------------------------------------- setup */

static triangle prepare(solver *s, sptrsvFillMode_t fill, sptrsvDiagType_t diag, size_t *bytes) {
    triangle t;
    size_t needed;
    OK(sptrsvCreateMatDescr(&t.descr));
    OK(sptrsvSetMatFillMode(t.descr, fill));
    OK(sptrsvSetMatDiagType(t.descr, diag));
    OK(sptrsvCreateInfo(&t.info));
    if (s->kind == GS) {
        OK(sptrsvSetSweeps(t.info, SPTRSV_SWEEPS_ANY));
        OK(sptrsvSetDiagonal(t.info, s->diagonal));
    } else OK(sptrsvSetFactorization(t.info, fill == SPTRSV_FILL_MODE_LOWER));
    OK(sptrsvBufferSize(s->handle, SPTRSV_OPERATION_NON_TRANSPOSE, s->factor.n, s->nnz, t.descr, SPTRSV_R_64F, NULL,
                        s->factor.ptr, s->factor.ind, t.info, &needed));
    if (needed > *bytes) *bytes = needed;
    return t;
}

static void *analyse(void *context) {
    solver *s = context;
    const triangle *both[] = {&s->lower, &s->upper};
    double start = MPI_Wtime();
    for (int i = 0; i < 2; i++)
        OK(sptrsvAnalysis(s->handle, SPTRSV_OPERATION_NON_TRANSPOSE, s->factor.n, s->nnz, both[i]->descr, SPTRSV_R_64F, NULL,
                          s->factor.ptr, s->factor.ind, both[i]->info, SPTRSV_SOLVE_POLICY_USE_LEVEL, s->buffer));
    s->setup_s[2] = MPI_Wtime() - start;
    return NULL;
}

static matrix upload(const matrix *m) {
    size_t nnz = (size_t)m->ptr[m->n];
    matrix on = {m->n, example_upload(m->ptr, ((size_t)m->n + 1) * sizeof(int)), example_upload(m->ind, nnz * sizeof(int)),
                 m->val ? example_upload(m->val, nnz * sizeof(double)) : example_alloc(nnz * sizeof(double))};
    return on;
}

static void free_uploaded(matrix *m) {
    example_free(m->ptr);
    example_free(m->ind);
    example_free(m->val);
}

/* The values of the preconditioner's matrix, and the diagonal of the sweeps. */
static void set_values(solver *s, const partition *p, matrix *block, const matrix *coupling, int l1) {
    region_values(p, &s->block, block);
    example_write(s->factor.val, block->val, (size_t)s->nnz * sizeof(double));
    if (s->kind != GS) return;
    double *diagonal = calloc((size_t)block->n + 1, sizeof(double));
    if (!diagonal) example_die(1, "out of memory: %d values", block->n);
    for (int i = 0; i < block->n; i++) {
        for (int k = block->ptr[i]; k < block->ptr[i + 1]; k++)
            if (block->ind[k] == i) diagonal[i] += block->val[k];
        for (int k = coupling->ptr[i]; l1 && k < coupling->ptr[i + 1]; k++) diagonal[i] += fabs(coupling->val[k]);
    }
    example_write(s->diagonal, diagonal, (size_t)block->n * sizeof(double));
    free(diagonal);
}

/* L and U in the place of the block's values; a pivot next to nothing becomes as large as the largest of these. */
static void factorize(solver *s, const matrix *block) {
    double largest = 0.0;
    for (int k = 0; k < s->nnz; k++) largest = fmax(largest, fabs(block->val[k]));
    OK(sptrsvSetPivotBoost(s->lower.info, 1e-10 * largest, largest > 0.0 ? largest : 1.0, 0.0));
    OK(sptrsvIlu0(s->handle, s->factor.n, s->nnz, s->lower.descr, SPTRSV_R_64F, s->factor.val, s->factor.ptr, s->factor.ind,
                  s->lower.info, s->buffer));
    wait_for_work();
}

static void set_up(solver *s, const partition *p, const options *o, int rank, int direct) {
    double start = MPI_Wtime();
    s->own = region_around(p, rank, 0);
    s->around = region_around(p, rank, 1);
    s->block = region_around(p, rank, s->kind == GS ? 0 : o->overlap);
    matrix block = region_pattern(p, &s->block);
    size_t bytes = 0, vector = (size_t)block.n * sizeof(double);
    s->nnz = block.ptr[block.n];
    s->factor = upload(&block);
    s->diagonal = example_alloc(vector);
    s->lower = prepare(s, SPTRSV_FILL_MODE_LOWER, s->kind == GS ? SPTRSV_DIAG_TYPE_NON_UNIT : SPTRSV_DIAG_TYPE_UNIT, &bytes);
    s->upper = prepare(s, SPTRSV_FILL_MODE_UPPER, SPTRSV_DIAG_TYPE_NON_UNIT, &bytes);
    s->buffer = example_alloc(bytes);
    s->setup_s[0] = MPI_Wtime() - start;

    /* No call of MPI in that thread, and no call with this handle in this one until it has ended. */
    pthread_t thread;
    start = MPI_Wtime();
    if (pthread_create(&thread, NULL, analyse, s)) example_die(1, "cannot start a thread");
    matrix a = region_pattern(p, &s->own), coupling = coupling_pattern(p, &s->around);
    region_values(p, &s->own, &a);
    coupling_values(p, &s->around, &coupling);
    s->a = upload(&a);
    s->coupling = upload(&coupling);
    set_values(s, p, &block, &coupling, o->l1);
    s->setup_s[1] = MPI_Wtime() - start;
    pthread_join(thread, NULL);
    s->setup_s[3] = MPI_Wtime() - start;
    start = MPI_Wtime();
    if (s->kind != GS) factorize(s, &block);
    s->setup_s[4] = MPI_Wtime() - start;

    s->product_halo = halo_new(p, &s->around, direct);
    s->block_halo = halo_new(p, &s->block, direct);
    s->wide = example_alloc(vector);
    s->y = example_alloc(vector);
    s->t = example_alloc(vector);
    matrix_free(&block);
    matrix_free(&a);
    matrix_free(&coupling);
}

static void free_solver(solver *s) {
    triangle *both[] = {&s->lower, &s->upper};
    for (int i = 0; i < 2; i++) {
        OK(sptrsvDestroyInfo(both[i]->info));
        OK(sptrsvDestroyMatDescr(both[i]->descr));
    }
    region_free(&s->own);
    region_free(&s->around);
    region_free(&s->block);
    free_uploaded(&s->a);
    free_uploaded(&s->coupling);
    free_uploaded(&s->factor);
    halo_free(&s->product_halo);
    halo_free(&s->block_halo);
    example_free(s->diagonal);
    example_free(s->buffer);
    example_free(s->wide);
    example_free(s->y);
    example_free(s->t);
}

/* ------------------------------------------------------------------------------------------------ the whole */

/* The first process reads the file; the others get what it read. */
static matrix spread_file(const char *file, int rank) {
    matrix a = {0};
    if (rank == 0) a = matrix_read(file);
    MPI_Bcast(&a.n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    int nnz = rank == 0 ? a.ptr[a.n] : 0;
    MPI_Bcast(&nnz, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank) {
        a.ptr = malloc(((size_t)a.n + 1) * sizeof(int));
        a.ind = malloc((size_t)nnz * sizeof(int));
        a.val = malloc((size_t)nnz * sizeof(double));
        if (!a.ptr || !a.ind || !a.val) example_die(1, "out of memory: %d entries", nnz);
    }
    MPI_Bcast(a.ptr, a.n + 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(a.ind, nnz, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(a.val, nnz, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return a;
}

/* The same pseudo-random solution with any number of processes. */
static double *known_solution(const partition *p, const region *own) {
    double *x = malloc(((size_t)own->n + 1) * sizeof(double));
    if (!x) example_die(1, "out of memory: a vector of %d values", own->n);
    for (int i = 0; i < own->n; i++) {
        unsigned long long state = (unsigned long long)partition_original(p, own->first + i) + 1;
        state *= 0x9e3779b97f4a7c15ull;
        state ^= state >> 32;
        state *= 0x9e3779b97f4a7c15ull;
        x[i] = (double)(state >> 40) / 16777216.0;
    }
    return x;
}

/* Solves from x = 0; the seconds of the slowest process. */
static double iterate(solver *s, problem *p, method m, double *x, double *r, double size_of_b, double *error) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    p->products = 0;
    axpby(p->n, 0.0, p->b, 0.0, x);
    do {
        int before = p->products;
        if (m == CG && !conjugate_gradients(p, x)) example_die(1, "A or the preconditioner is not definite: take BiCGSTAB");
        if (m == BICGSTAB) bicgstab(p, x);
        if (m == GMRES) gmres(p, x);
        /* The methods update the residual; where that was too optimistic, go on. */
        multiply(s, x, r);
        axpby(p->n, 1.0, p->b, -1.0, r);
        *error = sqrt(multiply_vectors(s, r, r)) / size_of_b;
        if (p->products == before) break;
    } while (*error * size_of_b > p->target && p->products < p->limit);
    wait_for_work();
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

static void print_setup(solver *s, int rank) {
    long long size[2] = {s->own.n, (long long)s->block.n + s->block.ghosts}, sum[2];
    double slowest[5];
    MPI_Reduce(size, sum, 2, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(s->setup_s, slowest, 5, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank) return;
    printf("            %lld rows, %lld in the preconditioner's blocks\n", sum[0], sum[1]);
    printf("setup:      pattern %.3f s; then assembly %.3f s beside the analysis %.3f s: together %.3f s; factorisation %.3f s\n",
           slowest[0], slowest[1], slowest[2], slowest[3], slowest[4]);
}

/* One line: each phase of the slowest process, and what is left of the time. */
static void print_phases(const solver *s, double seconds, int rank) {
    double slowest[PHASES], sum = 0.0;
    MPI_Reduce(s->seconds, slowest, PHASES, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank) return;
    printf("phases:    ");
    for (int i = 0; i < PHASES; i++) {
        printf(" %s %.3f s,", phase_name[i], slowest[i]);
        sum += slowest[i];
    }
    printf(" other %.3f s; each waited for, in a solve of %.3f s before\n", fmax(seconds - sum, 0.0), seconds);
}

static int run(const options *o, int rank, int processes) {
    MPI_Comm host;
    int local = 0, parts[3] = {0, 0, 0}, symmetric = 1;
    char line[EXAMPLE_LINE];
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &local);
    MPI_Comm_free(&host);
    solver s = {.kind = o->preconditioner, .handle = example_open_one_of(local, o->host, line)};
    int direct = example_on_gpu() && !o->staged && mpi_is_cuda_aware();
    if (rank == 0)
        printf("%s\nprocesses:  %d, exchange %s\n", line, processes,
               !example_on_gpu() ? "between arrays of the host"
               : direct          ? "between arrays of the GPUs"
                                 : "through page-locked memory of the host");

    matrix file = {0};
    partition p;
    if (o->file) {
        file = spread_file(o->file, rank);
        symmetric = matrix_is_symmetric(&file);
        p = partition_matrix(&file, processes);
        if (rank == 0) printf("matrix:     %s, %s\n", o->file, symmetric ? "symmetric" : "not symmetric");
    } else {
        MPI_Dims_create(processes, 3, parts);
        p = partition_grid(o->grid, parts);
        if (rank == 0)
            printf("matrix:     Poisson equation on %d x %d x %d points in %d x %d x %d boxes\n", o->grid, o->grid, o->grid,
                   parts[0], parts[1], parts[2]);
    }
    set_up(&s, &p, o, rank, direct);
    print_setup(&s, rank);

    int n = s.own.n;
    size_t vector = (size_t)n * sizeof(double);
    double *host_x = known_solution(&p, &s.own), error;
    double *x = example_upload(host_x, vector), *b = example_alloc(vector), *r = example_alloc(vector);
    multiply(&s, x, b);
    double size_of_b = sqrt(multiply_vectors(&s, b, b));
    method m = o->method != AUTO ? o->method : symmetric && s.kind != RAS ? CG : BICGSTAB;
    problem problem = {.n = n, .b = b, .multiply = multiply, .apply = s.kind == GS ? apply_sweeps : apply_schwarz,
                       .dot = multiply_vectors, .watch = watch_nothing, .context = &s,
                       .target = o->tolerance * size_of_b, .limit = o->limit};
    s.measuring = 1;
    double measured = iterate(&s, &problem, m, x, r, size_of_b, &error);
    s.measuring = 0;
    double seconds = iterate(&s, &problem, m, x, r, size_of_b, &error);
    if (rank == 0)
        printf("iterations: %d products of %s with %s%s in %.3f s\n", problem.products, method_name[m],
               preconditioner_name[s.kind], s.kind == GS ? o->l1 ? " (l1)" : "" : " of ILU(0)", seconds);
    print_phases(&s, measured, rank);
    if (rank == 0) printf("residual:   |b - A x| / |b| = %.2e, %.0e was asked for\n", error, o->tolerance);

    if (o->leave) measure_overlap(s.handle, solve_both, &s, &s.product_halo, x, o->leave);

    free(host_x);
    example_free(x);
    example_free(b);
    example_free(r);
    free_solver(&s);
    OK(sptrsvDestroy(s.handle));
    partition_free(&p);
    matrix_free(&file);
    return error <= o->tolerance ? 0 : 1;
}

/* A process that ends with an error takes the others along; they would wait for it. */
static void end_all(void) {
    int finalized;
    MPI_Finalized(&finalized);
    if (!finalized) MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
    int rank, processes, provided, code;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    atexit(end_all);
    options o = {0};
    if (rank == 0) o = read_options(argv);
    MPI_Bcast(&o, sizeof o, MPI_BYTE, 0, MPI_COMM_WORLD);
    code = o.stop >= 0 ? o.stop : run(&o, rank, processes);
    if (o.stop < 0 && code && rank == 0) fputs("error: the residual asked for was not reached\n", stderr);
    MPI_Finalize();
    return code;
}
