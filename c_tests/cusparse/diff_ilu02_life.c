/* One factorisation of the differential test: its calls, its matrices, and what has become of the values. */

#define _GNU_SOURCE
#include <dlfcn.h>

#include "diff_ilu02.h"

#include <stdarg.h>
#include <stdio.h>

void say(char *text, const char *format, ...)
{
    size_t length = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + length, TEXT - length, format, list);
    va_end(list);
}

/* ---- libraries ---- */

void *open_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "cannot load %s: %s\n", path, dlerror());
        exit(2);
    }
    return library;
}

static void find_function(void *slot, void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "no function %s\n", name);
        exit(2);
    }
    memcpy(slot, &symbol, sizeof symbol);
}

void load_base(void *library)
{
    find_function(&base.create, library, "cusparseCreate");
    find_function(&base.destroy, library, "cusparseDestroy");
    find_function(&base.version, library, "cusparseGetVersion");
    find_function(&base.set_stream, library, "cusparseSetStream");
    find_function(&base.set_pointer_mode, library, "cusparseSetPointerMode");
    find_function(&base.create_descr, library, "cusparseCreateMatDescr");
    find_function(&base.destroy_descr, library, "cusparseDestroyMatDescr");
    find_function(&base.set_type, library, "cusparseSetMatType");
    find_function(&base.set_fill, library, "cusparseSetMatFillMode");
    find_function(&base.set_diag, library, "cusparseSetMatDiagType");
    find_function(&base.set_base, library, "cusparseSetMatIndexBase");
}

static void find_typed(void *slot, void *library, int type, const char *name, const char *call)
{
    char text[96];
    snprintf(text, sizeof text, "cusparse%c%s%s", "SDCZ"[type], name, call);
    find_function(slot, library, text);
}

void load_factors(Factors *f, void *library)
{
    static const char *const names[] = {"csrilu02", "csric02"};
    find_function(&f->create[ILU], library, "cusparseCreateCsrilu02Info");
    find_function(&f->destroy[ILU], library, "cusparseDestroyCsrilu02Info");
    find_function(&f->pivot[ILU], library, "cusparseXcsrilu02_zeroPivot");
    find_function(&f->create[IC], library, "cusparseCreateCsric02Info");
    find_function(&f->destroy[IC], library, "cusparseDestroyCsric02Info");
    find_function(&f->pivot[IC], library, "cusparseXcsric02_zeroPivot");
    for (int type = 0; type < 4; type++) {
        for (int kind = 0; kind < 2; kind++) {
            find_typed(&f->size[kind][type], library, type, names[kind], "_bufferSize");
            find_typed(&f->analysis[kind][type], library, type, names[kind], "_analysis");
            find_typed(&f->factorise[kind][type], library, type, names[kind], "");
        }
        find_typed(&f->boost[type], library, type, names[ILU], "_numericBoost");
    }
}

/* ---- matrices ---- */

const char *const shape_names[SHAPES] = {"random", "2-D grid", "3-D grid", "tridiagonal", "nodes", "dense", "lower triangle"};

static int is_entry(int shape, int i, int j, unsigned *seed)
{
    int d = i < j ? j - i : i - j;
    double chance = next_random(seed);
    switch (shape) {
    case GRID_2D: return d == 0 || d == 8 || (d == 1 && (i < j ? j : i) % 8 != 0);
    case GRID_3D: return d == 0 || d == 16 || (d == 4 && (i < j ? j : i) / 4 % 4 != 0) || (d == 1 && (i < j ? j : i) % 4 != 0);
    case TRIDIAGONAL: return d <= 1;
    case NODES: return i / 3 == j / 3 || i / 3 + 1 == j / 3 || j / 3 + 1 == i / 3 || i / 3 + 4 == j / 3 || j / 3 + 4 == i / 3;
    case DENSE: return 1;
    case LOWER_ONLY: return j <= i && (d == 0 || chance * i < 4);
    default: return d == 0 || chance * 60 < 8;
    }
}

Matrix matrix_for(int shape, int m, unsigned seed)
{
    Matrix a = matrix_alloc(m, m * m);
    a.nnz = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            if (is_entry(shape, i, j, &seed)) {
                a.ind[a.nnz] = j;
                a.val[a.nnz++] = i == j ? 4 + next_random(&seed) : random_value(&seed) / (shape == DENSE ? m : 4);
            }
        a.ptr[i + 1] = a.nnz;
    }
    return a;
}

Matrix copy_of(const Matrix *a)
{
    Matrix b = matrix_alloc(a->m, a->nnz);
    memcpy(b.ptr, a->ptr, ((size_t)a->m + 1) * sizeof *b.ptr);
    memcpy(b.ind, a->ind, (size_t)a->nnz * sizeof *b.ind);
    memcpy(b.val, a->val, (size_t)a->nnz * sizeof *b.val);
    return b;
}

void set_pivot(Matrix *a, int row, Value value)
{
    for (int k = a->ptr[row]; k < a->ptr[row + 1]; k++)
        if (a->ind[k] <= row)
            a->val[k] = a->ind[k] == row ? value : 0;
}

/* ---- a factorisation by its definition ---- */

static int find(const Matrix *a, int row, int column)
{
    for (int k = a->ptr[row]; k < a->ptr[row + 1]; k++)
        if (a->ind[k] == column)
            return k;
    return -1;
}

/* In place; the first row with a zero pivot, or -1. Rows are sorted. */
static int by_definition(const Life *l, Matrix *a)
{
    int first = -1;
    for (int i = 0; i < a->m; i++) {
        int own = find(a, i, i);
        for (int k = a->ptr[i]; k < a->ptr[i + 1] && a->ind[k] <= i; k++) {
            int c = a->ind[k], pivot_at = find(a, c, c);
            if (l->kind == IC)
                for (int p = a->ptr[i]; p < k; p++) {
                    int q = find(a, c, a->ind[p]);
                    a->val[k] -= q < 0 ? 0 : a->val[p] * conj(a->val[q]);
                }
            if (c == i)
                break;
            a->val[k] /= pivot_at < 0 ? 0 : a->val[pivot_at];
            for (int p = k + 1; l->kind == ILU && p < a->ptr[i + 1]; p++) {
                int q = find(a, c, a->ind[p]);
                a->val[p] -= q < 0 ? 0 : a->val[k] * a->val[q];
            }
        }
        if (l->boosts && own >= 0 && cabs(a->val[own]) < l->tolerance)
            a->val[own] = is_complex(l->type) ? l->boost : creal(l->boost);
        int is_zero = own < 0 || (l->kind == IC ? creal(a->val[own]) <= 0 : a->val[own] == 0);
        if (first < 0 && is_zero)
            first = i;
        if (l->kind == IC && own >= 0)
            a->val[own] = csqrt(creal(a->val[own]));
    }
    return first;
}

static void *rounded(int type, const Matrix *a)
{
    void *values = malloc(((size_t)a->nnz + 1) * 16);
    convert(type, a->val, a->nnz, values);
    return values;
}

static unsigned long long hash_of(const void *bytes, size_t count)
{
    unsigned long long hash = 14695981039346656037ull;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211ull;
    return hash;
}

static int is_finite(Value v) { return isfinite(creal(v)) && isfinite(cimag(v)); }

/* What has become of the values. What lies behind a zero pivot stands in brackets, and a hash of all bits in braces. */
void tell_values(const Life *l)
{
    size_t bytes = (size_t)l->a.nnz * value_bytes(l->type);
    void *before = rounded(l->type, &l->a), *after = malloc(bytes + 16);
    memory_get(after, l->val, bytes);
    if (memcmp(before, after, bytes) == 0) {
        say(l->out, " untouched");
    } else {
        Matrix right = copy_of(&l->a), got = copy_of(&l->a);
        convert_back(l->type, before, l->a.nnz, right.val);
        convert_back(l->type, after, l->a.nnz, got.val);
        int first = by_definition(l, &right), wrong = 0, not_finite = 0, end = first < 0 ? l->a.m : first;
        for (int i = 0; i < l->a.m; i++)
            for (int k = l->a.ptr[i]; k < l->a.ptr[i + 1]; k++) {
                double off = cabs(got.val[k] - right.val[k]), limit = 200 * epsilon(l->type) * fmax(1, cabs(right.val[k]));
                if (!is_finite(right.val[k]))
                    off = is_finite(got.val[k]);
                int is_upper = l->kind == IC && l->a.ind[k] > i;
                size_t size = value_bytes(l->type), at = (size_t)k * size;
                if (is_upper ? memcmp((char *)before + at, (char *)after + at, size) != 0 : i < end && !(off <= fmin(limit, 0.5)))
                    wrong++;
                not_finite += !is_upper && !is_finite(got.val[k]);
            }
        say(l->out, wrong ? " %d values wrong" : " right", wrong);
        if (first >= 0)
            say(l->out, " to row %d [%d not finite]", first, not_finite);
        matrix_free(&right);
        matrix_free(&got);
    }
    say(l->out, "{%016llx}", hash_of(after, bytes));
    free(before);
    free(after);
}

/* ---- a life ---- */

static int *indices_to_device(const int *from, int count, int shift)
{
    int *host = malloc(((size_t)count + 1) * sizeof *host), *device = memory_alloc(((size_t)count + 1) * sizeof *host);
    for (int k = 0; k < count; k++)
        host[k] = from[k] + shift;
    memory_put(device, host, (size_t)count * sizeof *host);
    free(host);
    return device;
}

static void upload(Life *l, Matrix a)
{
    l->a = a;
    l->m = a.m, l->nnz = a.nnz;
    l->ptr = indices_to_device(a.ptr, a.m + 1, l->index_base);
    l->ind = indices_to_device(a.ind, a.nnz, l->index_base);
    l->val = memory_alloc(((size_t)a.nnz + 1) * value_bytes(l->type));
    void *values = rounded(l->type, &a);
    memory_put(l->val, values, (size_t)a.nnz * value_bytes(l->type));
    free(values);
}

static void discard(Life *l)
{
    memory_synchronize();
    memory_free(l->ptr);
    memory_free(l->ind);
    memory_free(l->val);
    matrix_free(&l->a);
}

Life open_life(const Factors *f, char *out, int kind, int type, int index_base, Matrix a)
{
    Life l = {.f = f, .out = out, .kind = kind, .type = type, .index_base = index_base, .handle = handle, .policy = USE_LEVEL};
    base.create_descr(&l.descr);
    base.set_base(l.descr, index_base);
    upload(&l, a);
    say(out, "create %d;", f->create[kind](&l.info));
    return l;
}

void close_life(Life *l)
{
    say(l->out, " destroy %d", l->f->destroy[l->kind](l->info));
    base.set_pointer_mode(handle, 0);
    base.destroy_descr(l->descr);
    discard(l);
    memory_free(l->buffer);
}

void renew_values(Life *l, const Matrix *a)
{
    memory_synchronize();
    memcpy(l->a.val, a->val, (size_t)a->nnz * sizeof *a->val);
    void *values = rounded(l->type, &l->a);
    memory_put(l->val, values, (size_t)a->nnz * value_bytes(l->type));
    free(values);
}

void renew_matrix(Life *l, Matrix a)
{
    discard(l);
    memory_free(l->buffer);
    l->buffer = NULL;
    upload(l, a);
}

void size(Life *l)
{
    l->bytes = -7;
    int status = l->f->size[l->kind][l->type](l->handle, l->m, l->nnz, l->descr, l->val, l->ptr, l->ind, l->info, &l->bytes);
    say(l->out, " size %d%s;", status, status == 0 ? (l->bytes > 0 ? "" : " (of nothing)") : l->bytes == -7 ? "" : " (written)");
}

static void *buffer_of(Life *l)
{
    if (l->buffer == NULL)
        l->buffer = memory_alloc(l->bytes > 0 ? (size_t)l->bytes : 1 << 20);
    return l->buffer;
}

void analyse(Life *l)
{
    int status = l->f->analysis[l->kind][l->type](l->handle, l->m, l->nnz, l->descr, l->val, l->ptr, l->ind, l->info, l->policy,
                                                  buffer_of(l));
    memory_synchronize();
    say(l->out, " analysis %d;", status);
}

void factorise(Life *l)
{
    int status = l->f->factorise[l->kind][l->type](l->handle, l->m, l->nnz, l->descr, l->val, l->ptr, l->ind, l->info, l->policy,
                                                   buffer_of(l));
    memory_synchronize();
    say(l->out, " factorise %d", status);
    tell_values(l);
    say(l->out, ";");
}

void pivot(Life *l)
{
    int here = -7, *there = memory_alloc(sizeof here);
    memory_put(there, &here, sizeof here);
    base.set_pointer_mode(handle, l->device_pointers);
    int status = l->f->pivot[l->kind](l->handle, l->info, l->device_pointers ? there : &here);
    memory_synchronize();
    if (l->device_pointers)
        memory_get(&here, there, sizeof here);
    base.set_pointer_mode(handle, 0);
    memory_free(there);
    say(l->out, " pivot %d at %d;", status, here);
}

void boost(Life *l, int enable, double tolerance, Value value)
{
    char host[16] = {0}, *device = memory_alloc(32);
    convert(l->type, &value, 1, host);
    memory_put(device, &tolerance, sizeof tolerance);
    memory_put(device + 16, host, 16);
    base.set_pointer_mode(handle, l->device_pointers);
    int status = l->f->boost[l->type](l->handle, l->info, enable, l->device_pointers ? (double *)device : &tolerance,
                                      l->device_pointers ? device + 16 : host);
    memory_synchronize();
    base.set_pointer_mode(handle, 0);
    say(l->out, " boost %d;", status);
    l->boosts = enable, l->tolerance = tolerance, l->boost = value;
    /* Device memory that the boost was told of stays to the end of the process. */
    if (!l->device_pointers)
        memory_free(device);
}

void whole_life(Life *l)
{
    size(l), analyse(l), pivot(l), factorise(l), pivot(l);
}

int call(Life *l, int place, void *last)
{
    switch (place) {
    case IN_SIZE: return l->f->size[l->kind][l->type](l->handle, l->m, l->nnz, l->descr, l->val, l->ptr, l->ind, l->info, last);
    case IN_ANALYSIS:
        return l->f->analysis[l->kind][l->type](l->handle, l->m, l->nnz, l->descr, l->val, l->ptr, l->ind, l->info, l->policy, last);
    default:
        return l->f->factorise[l->kind][l->type](l->handle, l->m, l->nnz, l->descr, l->val, l->ptr, l->ind, l->info, l->policy, last);
    }
}
