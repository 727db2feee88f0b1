/*
 * One triangular system on the executor, and the calls of csrsv2 on it whatever its type.
 */

#ifndef SYSTEM_H
#define SYSTEM_H

#include "harness.h"
#include "matrix.h"

enum { N = 0, T = 1, H = 2 };
enum { LOWER = 0, UPPER = 1 };
enum { NON_UNIT = 0, UNIT = 1 };
enum { NO_LEVEL = 0, USE_LEVEL = 1 };

static cusparseHandle_t handle;

typedef struct {
    int type, op, fill, diag, base, m, nnz;
    cusparseMatDescr_t descr;
    csrsv2Info_t info;
    void *val;
    int *ptr, *ind;
    void *buffer;
    int bytes;
} System;

static void *upload(int type, const Value *values, int count)
{
    void *host = malloc(((size_t)count + 1) * value_bytes(type));
    void *device = memory_alloc((size_t)count * value_bytes(type));
    convert(type, values, count, host);
    memory_put(device, host, (size_t)count * value_bytes(type));
    free(host);
    return device;
}

static void download(int type, const void *device, int count, Value *values)
{
    void *host = malloc(((size_t)count + 1) * value_bytes(type));
    memory_get(host, device, (size_t)count * value_bytes(type));
    convert_back(type, host, count, values);
    free(host);
}

static int *upload_indices(const int *from, int count, int base)
{
    int *host = malloc(((size_t)count + 1) * sizeof *host);
    int *device = memory_alloc((size_t)count * sizeof *host);
    for (int i = 0; i < count; i++)
        host[i] = from[i] + base;
    memory_put(device, host, (size_t)count * sizeof *host);
    free(host);
    return device;
}

static int size_query(const System *s, int *bytes)
{
    cusparseOperation_t op = (cusparseOperation_t)s->op;
    switch (s->type) {
    case S: return cusparseScsrsv2_bufferSize(handle, op, s->m, s->nnz, s->descr, s->val, s->ptr, s->ind, s->info, bytes);
    case D: return cusparseDcsrsv2_bufferSize(handle, op, s->m, s->nnz, s->descr, s->val, s->ptr, s->ind, s->info, bytes);
    case C: return cusparseCcsrsv2_bufferSize(handle, op, s->m, s->nnz, s->descr, s->val, s->ptr, s->ind, s->info, bytes);
    default: return cusparseZcsrsv2_bufferSize(handle, op, s->m, s->nnz, s->descr, s->val, s->ptr, s->ind, s->info, bytes);
    }
}

static inline int analyse(const System *s, int policy)
{
    cusparseOperation_t op = (cusparseOperation_t)s->op;
    cusparseSolvePolicy_t p = (cusparseSolvePolicy_t)policy;
    switch (s->type) {
    case S: return cusparseScsrsv2_analysis(handle, op, s->m, s->nnz, s->descr, s->val, s->ptr, s->ind, s->info, p, s->buffer);
    case D: return cusparseDcsrsv2_analysis(handle, op, s->m, s->nnz, s->descr, s->val, s->ptr, s->ind, s->info, p, s->buffer);
    case C: return cusparseCcsrsv2_analysis(handle, op, s->m, s->nnz, s->descr, s->val, s->ptr, s->ind, s->info, p, s->buffer);
    default: return cusparseZcsrsv2_analysis(handle, op, s->m, s->nnz, s->descr, s->val, s->ptr, s->ind, s->info, p, s->buffer);
    }
}

/* alpha, f and x as cuSPARSE takes them. */
static inline int solve_raw(const System *s, const void *alpha, const void *f, void *x, int policy)
{
    cusparseOperation_t op = (cusparseOperation_t)s->op;
    cusparseSolvePolicy_t p = (cusparseSolvePolicy_t)policy;
    switch (s->type) {
    case S: return cusparseScsrsv2_solve(handle, op, s->m, s->nnz, alpha, s->descr, s->val, s->ptr, s->ind, s->info, f, x, p, s->buffer);
    case D: return cusparseDcsrsv2_solve(handle, op, s->m, s->nnz, alpha, s->descr, s->val, s->ptr, s->ind, s->info, f, x, p, s->buffer);
    case C: return cusparseCcsrsv2_solve(handle, op, s->m, s->nnz, alpha, s->descr, s->val, s->ptr, s->ind, s->info, f, x, p, s->buffer);
    default: return cusparseZcsrsv2_solve(handle, op, s->m, s->nnz, alpha, s->descr, s->val, s->ptr, s->ind, s->info, f, x, p, s->buffer);
    }
}

/* With alpha, f and x on the host; x keeps what it held where the solve does not write it. */
static inline int solve(const System *s, Value alpha, const Value *f, Value *x, int policy)
{
    char scalar[16];
    convert(s->type, &alpha, 1, scalar);
    void *df = upload(s->type, f, s->m), *dx = upload(s->type, x, s->m);
    int status = solve_raw(s, scalar, df, dx, policy);
    download(s->type, dx, s->m, x);
    memory_free(df);
    memory_free(dx);
    return status;
}

static inline void put_values(System *s, const Matrix *a)
{
    memory_free(s->val);
    s->val = upload(s->type, a->val, a->nnz);
}

static void put_matrix(System *s, const Matrix *a)
{
    memory_free(s->ptr);
    memory_free(s->ind);
    s->m = a->m;
    s->nnz = a->nnz;
    s->ptr = upload_indices(a->ptr, a->m + 1, s->base);
    s->ind = upload_indices(a->ind, a->nnz, s->base);
    put_values(s, a);
}

static void get_buffer(System *s)
{
    memory_free(s->buffer);
    s->bytes = 0;
    STATUS(0, size_query(s, &s->bytes));
    s->buffer = memory_alloc((size_t)s->bytes);
}

static void describe(System *s, int fill, int diag)
{
    s->fill = fill;
    s->diag = diag;
    STATUS(0, cusparseSetMatFillMode(s->descr, (cusparseFillMode_t)fill));
    STATUS(0, cusparseSetMatDiagType(s->descr, (cusparseDiagType_t)diag));
    STATUS(0, cusparseSetMatIndexBase(s->descr, (cusparseIndexBase_t)s->base));
}

/* Everything up to the analysis, which is left to the test. */
static System open_system(const Matrix *a, int type, int op, int fill, int diag, int base)
{
    System s = {.type = type, .op = op, .base = base};
    STATUS(0, cusparseCreateMatDescr(&s.descr));
    STATUS(0, cusparseCreateCsrsv2Info(&s.info));
    describe(&s, fill, diag);
    put_matrix(&s, a);
    get_buffer(&s);
    return s;
}

static void close_system(System *s)
{
    STATUS(0, cusparseDestroyCsrsv2Info(s->info));
    STATUS(0, cusparseDestroyMatDescr(s->descr));
    memory_free(s->val);
    memory_free(s->ptr);
    memory_free(s->ind);
    memory_free(s->buffer);
}

/* Values that `type` holds exactly. */
static void random_vector(int type, int m, unsigned seed, Value *f)
{
    void *rounded = malloc(((size_t)m + 1) * 16);
    for (int i = 0; i < m; i++)
        f[i] = random_value(&seed);
    convert(type, f, m, rounded);
    convert_back(type, rounded, m, f);
    free(rounded);
}

/* Solves with a random right-hand side and checks the result. */
static inline void solve_and_check(int line, const System *s, const Matrix *a, int policy)
{
    Value alpha = CMPLX(1.5, is_complex(s->type) ? -0.5 : 0);
    Value *f = malloc(((size_t)s->m + 1) * sizeof *f), *x = malloc(((size_t)s->m + 1) * sizeof *x);
    random_vector(s->type, s->m, 17u + (unsigned)s->m, f);
    for (int i = 0; i < s->m; i++)
        x[i] = 99;
    int status = solve(s, alpha, f, x, policy);
    double error = backward_error(a, s->type, s->op, s->fill, s->diag, alpha, f, x);
    if (status != 0 || error > ERROR_LIMIT)
        complain(line, "%c %c %s %s base %d policy %d m %d: status %d, backward error %g", "SDCZ"[s->type],
                 "NTH"[s->op], s->fill ? "upper" : "lower", s->diag ? "unit" : "non-unit", s->base, policy, s->m,
                 status, error);
    free(f);
    free(x);
}
#define SOLVES(s, a, policy) solve_and_check(__LINE__, s, a, policy)

/* zeroPivot must give this status and position; -1 for none. */
static inline void pivot_check(int line, const System *s, int expected)
{
    int position = -77;
    int status = cusparseXcsrsv2_zeroPivot(handle, s->info, &position);
    if (status != (expected < 0 ? 0 : 9) || position != expected)
        complain(line, "%c %s %s base %d: zeroPivot %d, position %d, expected %d", "NTH"[s->op],
                 s->fill ? "upper" : "lower", s->diag ? "unit" : "non-unit", s->base, status, position, expected);
}
#define PIVOT(expected, s) pivot_check(__LINE__, s, expected)

#endif
