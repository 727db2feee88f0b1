/*
 * The differential test: the real csrsv2 and csrsm2 of CUDA 11 and ours get the same calls on the same arrays,
 * and must give the same statuses, the same zero pivots and the same solutions.
 *
 *     diff_csrsv2 /path/to/libcusparse.so.11 [/path/to/libcusparse.so.12]
 *
 * The first library is the reference, with handles and descriptors of its own. Ours is libsptrsv_cusparse.so,
 * on handles and descriptors of the second library, or of the first where no second is given. Where ours is
 * kinder by intention, both statuses are listed.
 */

#define _GNU_SOURCE
#include <dlfcn.h>

#include "harness.h"
#include "matrix.h"

typedef struct Opaque *Handle, *Descr, *Info;

/* The functions of one side, whatever library each comes from; per value type where there are four. */
typedef struct {
    const char *name;
    int (*create)(Handle *), (*destroy)(Handle), (*set_pointer_mode)(Handle, int);
    int (*create_descr)(Descr *), (*destroy_descr)(Descr);
    int (*set_type)(Descr, int), (*set_fill)(Descr, int), (*set_diag)(Descr, int), (*set_base)(Descr, int);
    int (*create_info)(Info *), (*destroy_info)(Info), (*zero_pivot)(Handle, Info, int *);
    int (*size[4])(Handle, int, int, int, Descr, void *, const int *, const int *, Info, int *);
    int (*analysis[4])(Handle, int, int, int, Descr, const void *, const int *, const int *, Info, int, void *);
    int (*solve[4])(Handle, int, int, int, const void *, Descr, const void *, const int *, const int *, Info,
                    const void *, void *, int, void *);
    int (*create_m)(Info *), (*destroy_m)(Info);
    int (*size_m[4])(Handle, int, int, int, int, int, int, const void *, Descr, const void *, const int *, const int *,
                     const void *, int, Info, int, size_t *);
    int (*analysis_m[4])(Handle, int, int, int, int, int, int, const void *, Descr, const void *, const int *,
                         const int *, const void *, int, Info, int, void *);
    int (*solve_m[4])(Handle, int, int, int, int, int, int, const void *, Descr, const void *, const int *, const int *,
                      void *, int, Info, int, void *);
    Handle handle;
    Descr descr;
} Side;

static Side reference = {.name = "reference"}, ours = {.name = "ours"};

static void *open_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        printf("cannot load %s: %s\ndiff_csrsv2: 0 passed, 1 failed, 0 skipped\n", path, dlerror());
        exit(1);
    }
    return library;
}

static void find(void *slot, void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        printf("no function %s\ndiff_csrsv2: 0 passed, 1 failed, 0 skipped\n", name);
        exit(1);
    }
    memcpy(slot, &symbol, sizeof symbol);
}

static void find_typed(void *slots, void *library, const char *format)
{
    for (int type = S; type <= Z; type++) {
        char name[64];
        snprintf(name, sizeof name, format, "SDCZ"[type]);
        find((void **)slots + type, library, name);
    }
}

static void load(Side *side, void *base, void *solver)
{
    find(&side->create, base, "cusparseCreate");
    find(&side->destroy, base, "cusparseDestroy");
    find(&side->set_pointer_mode, base, "cusparseSetPointerMode");
    find(&side->create_descr, base, "cusparseCreateMatDescr");
    find(&side->destroy_descr, base, "cusparseDestroyMatDescr");
    find(&side->set_type, base, "cusparseSetMatType");
    find(&side->set_fill, base, "cusparseSetMatFillMode");
    find(&side->set_diag, base, "cusparseSetMatDiagType");
    find(&side->set_base, base, "cusparseSetMatIndexBase");
    find(&side->create_info, solver, "cusparseCreateCsrsv2Info");
    find(&side->destroy_info, solver, "cusparseDestroyCsrsv2Info");
    find(&side->zero_pivot, solver, "cusparseXcsrsv2_zeroPivot");
    find_typed(side->size, solver, "cusparse%ccsrsv2_bufferSize");
    find_typed(side->analysis, solver, "cusparse%ccsrsv2_analysis");
    find_typed(side->solve, solver, "cusparse%ccsrsv2_solve");
    find(&side->create_m, solver, "cusparseCreateCsrsm2Info");
    find(&side->destroy_m, solver, "cusparseDestroyCsrsm2Info");
    find_typed(side->size_m, solver, "cusparse%ccsrsm2_bufferSizeExt");
    find_typed(side->analysis_m, solver, "cusparse%ccsrsm2_analysis");
    find_typed(side->solve_m, solver, "cusparse%ccsrsm2_solve");
}

static void describe(Side *side, int type, int fill, int diag, int base)
{
    if (side->set_type(side->descr, type) || side->set_fill(side->descr, fill) || side->set_diag(side->descr, diag) ||
        side->set_base(side->descr, base))
        complain(__LINE__, "%s: a descriptor's setter failed", side->name);
}

/* ---- the arrays that both sides work on ---- */

typedef struct {
    int type, m, nnz;
    int *ptr, *ind;
    void *val;
} Device;

static void *to_device(const void *host, size_t bytes)
{
    void *device = memory_alloc(bytes);
    memory_put(device, host, bytes);
    return device;
}

static void *values_to_device(int type, const Value *values, int count)
{
    void *host = malloc(((size_t)count + 1) * 16);
    convert(type, values, count, host);
    void *device = to_device(host, (size_t)count * value_bytes(type));
    free(host);
    return device;
}

static void values_to_host(int type, const void *device, int count, Value *values)
{
    void *host = malloc(((size_t)count + 1) * 16);
    memory_get(host, device, (size_t)count * value_bytes(type));
    convert_back(type, host, count, values);
    free(host);
}

static Device upload(const Matrix *a, int type, int base)
{
    Device d = {.type = type, .m = a->m, .nnz = a->nnz};
    int *ptr = malloc(((size_t)a->m + 1) * sizeof *ptr), *ind = malloc(((size_t)a->nnz + 1) * sizeof *ind);
    for (int i = 0; i <= a->m; i++)
        ptr[i] = a->ptr[i] + base;
    for (int k = 0; k < a->nnz; k++)
        ind[k] = a->ind[k] + base;
    d.ptr = to_device(ptr, ((size_t)a->m + 1) * sizeof *ptr);
    d.ind = to_device(ind, (size_t)a->nnz * sizeof *ind);
    d.val = values_to_device(type, a->val, a->nnz);
    free(ptr);
    free(ind);
    return d;
}

static void discard(Device *d)
{
    memory_free(d->ptr);
    memory_free(d->ind);
    memory_free(d->val);
}

/* ---- csrsv2 ---- */

enum { REGULAR, STRUCTURAL, NUMERICAL, KINDS };

typedef struct {
    int type, op, fill, diag, base, analysed_with, solved_with, kind, in_place, device_pointers, m;
} Case;

static const char *describe_case(const Case *c)
{
    static char text[200];
    static const char *const kinds[] = {"regular", "structurally singular", "numerically singular"};
    snprintf(text, sizeof text, "%c %c %s %s base %d policies %d/%d %s%s%s m %d", "SDCZ"[c->type], "NTH"[c->op],
             c->fill ? "upper" : "lower", c->diag ? "unit" : "non-unit", c->base, c->analysed_with, c->solved_with,
             kinds[c->kind], c->in_place ? ", in place" : "", c->device_pointers ? ", device pointers" : "", c->m);
    return text;
}

enum { BEFORE, SIZE, ANALYSIS, PIVOT_1, SOLVE, PIVOT_2, SOLVE_AGAIN, PIVOT_3, STEPS };
static const char *const step_names[STEPS] = {
    "zeroPivot before the analysis", "bufferSize",           "analysis",
    "zeroPivot after the analysis",  "solve",                "zeroPivot after the solve",
    "solve with regular values",     "zeroPivot after that",
};

typedef struct {
    int status[STEPS], position[STEPS];
    Value *x[2];
} Outcome;

static void pivot(const Side *side, Info info, int device_pointers, int *status, int *position)
{
    int untouched = -77;
    if (!device_pointers) {
        *position = untouched;
        *status = side->zero_pivot(side->handle, info, position);
        return;
    }
    int *place = to_device(&untouched, sizeof untouched);
    *status = side->zero_pivot(side->handle, info, place);
    memory_get(position, place, sizeof *position);
    memory_free(place);
}

static Outcome drive(Side *side, const Case *c, const Device *d, const void *regular_values, Value alpha,
                     const Value *f)
{
    Outcome o = {{0}, {0}, {calloc((size_t)c->m + 1, sizeof(Value)), calloc((size_t)c->m + 1, sizeof(Value))}};
    Info info;
    int bytes = 0;
    char scalar[16];
    convert(c->type, &alpha, 1, scalar);
    void *device_alpha = to_device(scalar, 16);
    const void *a = c->device_pointers ? device_alpha : scalar;
    describe(side, 0, c->fill, c->diag, c->base);
    if (side->set_pointer_mode(side->handle, c->device_pointers) || side->create_info(&info)) {
        complain(__LINE__, "%s: no pointer mode or no info", side->name);
        return o;
    }
    pivot(side, info, c->device_pointers, &o.status[BEFORE], &o.position[BEFORE]);
    o.status[SIZE] = side->size[c->type](side->handle, c->op, d->m, d->nnz, side->descr, d->val, d->ptr, d->ind, info,
                                         &bytes);
    if (bytes <= 0)
        complain(__LINE__, "%s: a buffer of %d bytes", side->name, bytes);
    void *buffer = memory_alloc((size_t)bytes);
    o.status[ANALYSIS] = side->analysis[c->type](side->handle, c->op, d->m, d->nnz, side->descr, d->val, d->ptr,
                                                 d->ind, info, c->analysed_with, buffer);
    pivot(side, info, c->device_pointers, &o.status[PIVOT_1], &o.position[PIVOT_1]);
    for (int again = 0; again < 2; again++) {
        void *df = values_to_device(c->type, f, c->m);
        void *dx = c->in_place ? df : values_to_device(c->type, f, c->m);
        int step = again ? SOLVE_AGAIN : SOLVE;
        memory_fill(buffer, 0xFF, (size_t)bytes);
        o.status[step] = side->solve[c->type](side->handle, c->op, d->m, d->nnz, a, side->descr,
                                              again ? regular_values : d->val, d->ptr, d->ind, info, df, dx,
                                              c->solved_with, buffer);
        values_to_host(c->type, dx, c->m, o.x[again]);
        pivot(side, info, c->device_pointers, &o.status[step + 1], &o.position[step + 1]);
        if (dx != df)
            memory_free(dx);
        memory_free(df);
    }
    side->set_pointer_mode(side->handle, 0);
    side->destroy_info(info);
    memory_free(buffer);
    memory_free(device_alpha);
    return o;
}

/* Finite, NaN, +Inf and -Inf by sign. */
static int class_of(double v) { return isnan(v) ? 2 : isinf(v) ? (v > 0 ? 1 : -1) : 0; }

/* Values of two right solutions of a well-conditioned system are this close. Where one is not finite, neither
 * is the other: the same infinity or a NaN for real types. (How a complex division by zero is spread over the
 * real and imaginary part is nobody's promise.) */
static int agree(int type, Value a, Value b)
{
    if (!is_complex(type) && class_of(creal(a)) != class_of(creal(b)))
        return 0;
    int finite = isfinite(creal(a)) && isfinite(cimag(a));
    if (finite != (isfinite(creal(b)) && isfinite(cimag(b))))
        return 0;
    return !finite || cabs(a - b) <= 1000 * epsilon(type) * fmax(1, cabs(a));
}

/* With NO_LEVEL the reference's analysis takes a missing entry of a unit diagonal for a zero pivot (with
 * USE_LEVEL it does not), and keeps to that until a solve is accepted; ours never does. */
static int is_kinder(const Case *c, int step, const Outcome *theirs, const Outcome *own)
{
    int no_solve_yet = step == PIVOT_1 || c->solved_with == 1;
    return c->kind == STRUCTURAL && c->diag == 1 && c->analysed_with == 0 && no_solve_yet &&
           theirs->status[step] == 9 && own->status[step] == 0 && own->position[step] == -1;
}

static int unit_pivots; /* how often that was seen */

static void compare(const Case *c, const Outcome *theirs, const Outcome *own)
{
    for (int step = 0; step < STEPS; step++) {
        if (is_kinder(c, step, theirs, own)) {
            unit_pivots++;
            continue;
        }
        if (theirs->status[step] != own->status[step])
            complain(__LINE__, "%s: %s: status %d, ours %d", describe_case(c), step_names[step], theirs->status[step],
                     own->status[step]);
        if (theirs->position[step] != own->position[step])
            complain(__LINE__, "%s: %s: position %d, ours %d", describe_case(c), step_names[step],
                     theirs->position[step], own->position[step]);
    }
    for (int again = 0; again < 2; again++)
        for (int i = 0; i < c->m; i++)
            if (!agree(c->type, theirs->x[again][i], own->x[again][i])) {
                Value t = theirs->x[again][i], o = own->x[again][i];
                complain(__LINE__, "%s: %s: x[%d] is %g%+gi, ours %g%+gi", describe_case(c),
                         step_names[again ? SOLVE_AGAIN : SOLVE], i, creal(t), cimag(t), creal(o), cimag(o));
                break;
            }
}

static void one_case(const Case *c, unsigned seed)
{
    Matrix a = matrix_random(c->m, 6, seed);
    int rows[] = {c->m / 3, c->m - 1 - c->m / 5};
    if (c->kind == STRUCTURAL)
        for (int r = 1; r >= 0; r--)
            matrix_drop_diagonal(&a, rows[r]);
    Matrix bad = a;
    bad.val = malloc(((size_t)a.nnz + 1) * sizeof(Value));
    memcpy(bad.val, a.val, (size_t)a.nnz * sizeof(Value));
    if (c->kind == NUMERICAL)
        for (int r = 0; r < 2; r++)
            bad.val[matrix_diagonal(&bad, rows[r])] = 0;

    Device d = upload(&bad, c->type, c->base);
    void *regular = values_to_device(c->type, a.val, a.nnz);
    Value *f = malloc(((size_t)c->m + 1) * sizeof *f), alpha = CMPLX(0.75, is_complex(c->type) ? 0.5 : 0);
    for (int i = 0; i < c->m; i++)
        f[i] = random_value(&seed);
    Outcome theirs = drive(&reference, c, &d, regular, alpha, f), own = drive(&ours, c, &d, regular, alpha, f);
    compare(c, &theirs, &own);
    for (int again = 0; again < 2; again++) {
        free(theirs.x[again]);
        free(own.x[again]);
    }
    free(f);
    free(bad.val);
    memory_free(regular);
    discard(&d);
    matrix_free(&a);
}

/* All cases of one type, so that the output says where a difference lies. */
static void csrsv2_cases(int type)
{
    static const int sizes[] = {1, 9, 40, 257};
    int count = 0;
    for (int k = 0; k < 3 * 2 * 2 * 2 * 4 * KINDS * 2 * 2; k++) {
        Case c = {.type = type, .op = k % 3, .fill = k / 3 % 2, .diag = k / 6 % 2, .base = k / 12 % 2};
        c.analysed_with = k / 24 % 2;
        c.solved_with = k / 48 % 2;
        c.kind = k / 96 % KINDS;
        c.in_place = k / 96 / KINDS % 2;
        c.device_pointers = k / 192 / KINDS % 2;
        c.m = sizes[(k * 7 + k / 24) % 4];
        /* nnz = 0 is a probe of its own, below. */
        if (c.kind == STRUCTURAL && c.m == 1)
            c.m = 9;
        one_case(&c, 100u + (unsigned)k);
        count++;
    }
    if (unit_pivots)
        printf("  expected difference, NO_LEVEL and a unit diagonal with missing entries: zero pivots after the"
               " analysis in %d cases, ours none\n", unit_pivots);
    unit_pivots = 0;
    printf("  %d cases\n", count);
}

static void csrsv2_s(void) { csrsv2_cases(S); }
static void csrsv2_d(void) { csrsv2_cases(D); }
static void csrsv2_c(void) { csrsv2_cases(C); }
static void csrsv2_z(void) { csrsv2_cases(Z); }

static void csrsv2_large(void)
{
    for (int k = 0; k < 4 * 3 * 2; k++) {
        Case c = {.type = k % 4, .op = k / 4 % 3, .fill = k / 12, .analysed_with = 1, .solved_with = 1, .m = 2000};
        one_case(&c, 900u + (unsigned)k);
    }
}

/* ---- arguments that are refused, and where ours is kinder ---- */

typedef struct {
    const char *what;
    int m, nnz, mat_type, null_handle, null_buffer, no_analysis, diag;
    int expected[3]; /* of ours: bufferSize, analysis, solve */
    int kinder;
} Probe;

static const Probe probes[] = {
    {.what = "a handle that is NULL", .m = 3, .nnz = 3, .null_handle = 1, .expected = {1, 1, 1}},
    {.what = "a buffer that is NULL", .m = 3, .nnz = 3, .null_buffer = 1, .expected = {0, 3, 3}},
    {.what = "type SYMMETRIC", .m = 3, .nnz = 3, .mat_type = 1, .expected = {8, 8, 8}},
    {.what = "type HERMITIAN", .m = 3, .nnz = 3, .mat_type = 2, .expected = {8, 8, 8}},
    {.what = "type TRIANGULAR", .m = 3, .nnz = 3, .mat_type = 3, .expected = {8, 8, 8}},
    {.what = "a solve before the analysis", .m = 3, .nnz = 3, .no_analysis = 1, .expected = {0, 0, 3}},
    {.what = "m = -1", .m = -1, .nnz = 3, .expected = {3, 3, 3}},
    {.what = "m = 0", .m = 0, .nnz = 0, .expected = {0, 0, 0}, .kinder = 1},
    {.what = "nnz = 0 with a unit diagonal", .m = 3, .nnz = 0, .diag = 1, .expected = {0, 0, 0}, .kinder = 1},
    {.what = "nnz = 0 without a diagonal", .m = 3, .nnz = 0, .expected = {0, 0, 0}, .kinder = 1},
};

static void run_probe(Side *side, const Probe *p, int status[3])
{
    double dense[] = {2, NAN, NAN, NAN, 2, NAN, NAN, NAN, 2}, alpha = 1;
    Matrix a = matrix_dense(3, dense);
    if (p->nnz == 0)
        memset(a.ptr, 0, 4 * sizeof *a.ptr);
    Device d = upload(&a, D, 0);
    Info info;
    Handle h = p->null_handle ? NULL : side->handle;
    int bytes = 0;
    void *buffer = memory_alloc(1 << 20), *given = p->null_buffer ? NULL : buffer;
    void *x = memory_alloc(64);
    memory_fill(x, 0, 64);
    describe(side, p->mat_type, 0, p->diag, 0);
    side->create_info(&info);
    status[0] = side->size[D](h, 0, p->m, p->nnz, side->descr, d.val, d.ptr, d.ind, info, &bytes);
    status[1] = p->no_analysis ? 0
                               : side->analysis[D](h, 0, p->m, p->nnz, side->descr, d.val, d.ptr, d.ind, info, 1, given);
    status[2] = side->solve[D](h, 0, p->m, p->nnz, &alpha, side->descr, d.val, d.ptr, d.ind, info, x, x, 1, given);
    memory_synchronize();
    side->destroy_info(info);
    memory_free(x);
    memory_free(buffer);
    discard(&d);
    matrix_free(&a);
}

static void refused_arguments(void)
{
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        const Probe *p = &probes[i];
        int theirs[3], own[3];
        run_probe(&reference, p, theirs);
        run_probe(&ours, p, own);
        if (memcmp(own, p->expected, sizeof own) != 0)
            complain(__LINE__, "%s: ours %d %d %d, documented %d %d %d", p->what, own[0], own[1], own[2],
                     p->expected[0], p->expected[1], p->expected[2]);
        if (memcmp(own, theirs, sizeof own) == 0)
            continue;
        if (p->kinder)
            printf("  expected difference, %s: %d %d %d, ours %d %d %d\n", p->what, theirs[0], theirs[1], theirs[2],
                   own[0], own[1], own[2]);
        else
            complain(__LINE__, "%s: %d %d %d, ours %d %d %d", p->what, theirs[0], theirs[1], theirs[2], own[0], own[1],
                     own[2]);
    }
}

/* ---- csrsm2 ---- */

typedef struct {
    int type, op, trans_b, fill, diag, algo, nrhs, m, ldb;
} DenseCase;

/* The first status that is not SUCCESS, and B. */
static int drive_dense(Side *side, const DenseCase *c, const Device *d, Value alpha, const Value *b, int total, Value *x)
{
    Info info;
    size_t bytes = 0;
    char scalar[16];
    convert(c->type, &alpha, 1, scalar);
    describe(side, 0, c->fill, c->diag, 0);
    void *db = values_to_device(c->type, b, total), *buffer = NULL;
    side->create_m(&info);
    int status = side->size_m[c->type](side->handle, c->algo, c->op, c->trans_b, c->m, c->nrhs, d->nnz, scalar,
                                       side->descr, d->val, d->ptr, d->ind, db, c->ldb, info, 1, &bytes);
    if (status == 0) {
        buffer = memory_alloc(bytes);
        status = side->analysis_m[c->type](side->handle, c->algo, c->op, c->trans_b, c->m, c->nrhs, d->nnz, scalar,
                                           side->descr, d->val, d->ptr, d->ind, db, c->ldb, info, 1, buffer);
    }
    if (status == 0)
        status = side->solve_m[c->type](side->handle, c->algo, c->op, c->trans_b, c->m, c->nrhs, d->nnz, scalar,
                                        side->descr, d->val, d->ptr, d->ind, db, c->ldb, info, 1, buffer);
    values_to_host(c->type, db, total, x);
    side->destroy_m(info);
    memory_free(buffer);
    memory_free(db);
    return status;
}

static void csrsm2(void)
{
    int kinder = 0;
    for (int k = 0; k < 4 * 3 * 2 * 2 * 2 * 2; k++) {
        DenseCase c = {k % 4, k / 4 % 3, k / 12 % 2, k / 24 % 2, k / 48 % 2, k / 96, 5, 60, 0};
        c.ldb = (c.trans_b ? c.nrhs : c.m) + 3;
        int total = c.ldb * (c.trans_b ? c.m : c.nrhs);
        unsigned seed = 500u + (unsigned)k;
        Matrix a = matrix_random(c.m, 6, seed);
        Device d = upload(&a, c.type, 0);
        Value *b = malloc((size_t)total * sizeof *b), *theirs = malloc((size_t)total * sizeof *b);
        Value *own = malloc((size_t)total * sizeof *b), alpha = CMPLX(0.75, is_complex(c.type) ? 0.5 : 0);
        for (int i = 0; i < total; i++)
            b[i] = random_value(&seed);
        int their_status = drive_dense(&reference, &c, &d, alpha, b, total, theirs);
        int own_status = drive_dense(&ours, &c, &d, alpha, b, total, own);
        if (own_status == 0 && (their_status == 3 || their_status == 10))
            kinder++;
        else if (their_status != own_status)
            complain(__LINE__, "csrsm2 case %d: status %d, ours %d", k, their_status, own_status);
        else
            for (int i = 0; i < total; i++)
                if (!agree(c.type, theirs[i], own[i])) {
                    complain(__LINE__, "csrsm2 %c transA %c transB %c %s %s algo %d: B[%d] is %g%+gi, ours %g%+gi",
                             "SDCZ"[c.type], "NTH"[c.op], "NTH"[c.trans_b], c.fill ? "upper" : "lower",
                             c.diag ? "unit" : "non-unit", c.algo, i, creal(theirs[i]), cimag(theirs[i]), creal(own[i]),
                             cimag(own[i]));
                    break;
                }
        free(b), free(theirs), free(own);
        discard(&d);
        matrix_free(&a);
    }
    if (kinder)
        printf("  expected difference: %d cases that the reference refuses are solved by ours\n", kinder);
}

int main(int count, char **arguments)
{
    if (count < 2) {
        fprintf(stderr, "usage: %s /path/to/libcusparse.so.11 [/path/to/libcusparse.so.12]\n", arguments[0]);
        return 2;
    }
    int on_gpu = open_executor("diff_csrsv2");
    void *theirs = open_library(arguments[1]);
    void *base = count > 2 ? open_library(arguments[2]) : theirs;
    load(&reference, dlsym(theirs, "cusparseCreate") ? theirs : base, theirs);
    load(&ours, base, open_library("libsptrsv_cusparse.so"));

    int status = reference.create(&reference.handle);
    if (status != 0 && !on_gpu) {
        printf("SKIPPED all: the reference needs a GPU\ndiff_csrsv2: 0 passed, 0 failed, 1 skipped\n");
        return 0;
    }
    if (status != 0 || ours.create(&ours.handle) != 0 || reference.create_descr(&reference.descr) != 0 ||
        ours.create_descr(&ours.descr) != 0) {
        printf("cuSPARSE gives no handle or descriptor\ndiff_csrsv2: 0 passed, 1 failed, 0 skipped\n");
        return 1;
    }
    RUN(csrsv2_s);
    RUN(csrsv2_d);
    RUN(csrsv2_c);
    RUN(csrsv2_z);
    RUN(csrsv2_large);
    RUN(refused_arguments);
    RUN(csrsm2);
    return close_tally("diff_csrsv2");
}
