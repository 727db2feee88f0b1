/* See generic.h. Where cuSPARSE gives no descriptor, the program ends: the tests cannot go on. */

#include "generic.h"

#include <dlfcn.h>
#include <stdio.h>

static void must(int status, const char *call)
{
    if (status != 0) {
        fprintf(stderr, "cuSPARSE returned %d from %s\n", status, call);
        exit(1);
    }
}
#define MUST(call) must((int)(call), #call)

static void *must_alloc(size_t bytes)
{
    void *p = calloc(1, bytes + 1);
    if (p == NULL) {
        fprintf(stderr, "out of host memory\n");
        exit(1);
    }
    return p;
}

/* ---- the functions ---- */

static void load(void *slots, const char *const *names, void *library)
{
    for (int i = 0; names[i] != NULL; i++) {
        void *symbol = dlsym(library, names[i]);
        if (symbol == NULL) {
            fprintf(stderr, "no function %s\n", names[i]);
            exit(2);
        }
        memcpy((void **)slots + i, &symbol, sizeof symbol);
    }
}

#define NAME_OF_FUNCTION(name) "cusparse" #name,

void load_cusparse(Cusparse *table, void *library)
{
    static const char *const names[] = {OF_CUSPARSE(NAME_OF_FUNCTION) NULL};
    load(table, names, library);
}

void load_solver(Solver *table, void *library)
{
    static const char *const names[] = {OF_SOLVER(NAME_OF_FUNCTION) NULL};
    load(table, names, library);
}

/* ---- one call ---- */

int create_descr(const Solver *solver, int dense, void **descr)
{
    return dense ? (int)solver->SpSM_createDescr((cusparseSpSMDescr_t *)descr)
                 : (int)solver->SpSV_createDescr((cusparseSpSVDescr_t *)descr);
}

int destroy_descr(const Solver *solver, int dense, void *descr)
{
    return dense ? (int)solver->SpSM_destroyDescr(descr) : (int)solver->SpSV_destroyDescr(descr);
}

int call_size(const Solver *solver, const Call *c, size_t *bytes)
{
    cusparseOperation_t op = (cusparseOperation_t)c->op, op_b = (cusparseOperation_t)c->op_b;
    cudaDataType type = (cudaDataType)c->type;
    return c->dense ? (int)solver->SpSM_bufferSize(c->handle, op, op_b, c->alpha, c->mat, c->x, c->y, type,
                                                   (cusparseSpSMAlg_t)c->alg, c->descr, bytes)
                    : (int)solver->SpSV_bufferSize(c->handle, op, c->alpha, c->mat, c->x, c->y, type,
                                                   (cusparseSpSVAlg_t)c->alg, c->descr, bytes);
}

int call_analysis(const Solver *solver, const Call *c, void *buffer)
{
    cusparseOperation_t op = (cusparseOperation_t)c->op, op_b = (cusparseOperation_t)c->op_b;
    cudaDataType type = (cudaDataType)c->type;
    return c->dense ? (int)solver->SpSM_analysis(c->handle, op, op_b, c->alpha, c->mat, c->x, c->y, type,
                                                 (cusparseSpSMAlg_t)c->alg, c->descr, buffer)
                    : (int)solver->SpSV_analysis(c->handle, op, c->alpha, c->mat, c->x, c->y, type,
                                                 (cusparseSpSVAlg_t)c->alg, c->descr, buffer);
}

int call_solve(const Solver *solver, const Call *c)
{
    cusparseOperation_t op = (cusparseOperation_t)c->op, op_b = (cusparseOperation_t)c->op_b;
    cudaDataType type = (cudaDataType)c->type;
    return c->dense ? (int)solver->SpSM_solve(c->handle, op, op_b, c->alpha, c->mat, c->x, c->y, type,
                                              (cusparseSpSMAlg_t)c->alg, c->descr)
                    : (int)solver->SpSV_solve(c->handle, op, c->alpha, c->mat, c->x, c->y, type,
                                              (cusparseSpSVAlg_t)c->alg, c->descr);
}

int call_update(const Solver *solver, const Call *c, void *values, int part)
{
    return c->dense ? (int)solver->SpSM_updateMatrix(c->handle, c->descr, values, (cusparseSpSMUpdate_t)part)
                    : (int)solver->SpSV_updateMatrix(c->handle, c->descr, values, (cusparseSpSVUpdate_t)part);
}

int cuda_type(int type)
{
    static const int types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
    return types[type];
}

/* ---- arrays ---- */

void *values_to_device(int type, const Value *values, size_t count)
{
    void *host = must_alloc(count * value_bytes(type)), *device = memory_alloc(count * value_bytes(type));
    convert(type, values, (int)count, host);
    memory_put(device, host, count * value_bytes(type));
    free(host);
    return device;
}

void values_to_host(int type, const void *device, size_t count, Value *values)
{
    void *host = must_alloc(count * value_bytes(type));
    memory_get(host, device, count * value_bytes(type));
    convert_back(type, host, (int)count, values);
    free(host);
}

void *indices_to_device(int index_type, const int *from, size_t count, int base)
{
    size_t bytes = index_type == CUSPARSE_INDEX_64I ? 8 : index_type == CUSPARSE_INDEX_32I ? 4 : 2;
    char *host = must_alloc(count * bytes);
    void *device = memory_alloc(count * bytes);
    for (size_t i = 0; i < count; i++) {
        int64_t index = from[i] + base;
        memcpy(host + i * bytes, &index, bytes); /* the low bytes: all machines with a GPU are little-endian */
    }
    memory_put(device, host, count * bytes);
    free(host);
    return device;
}

void random_values(int type, size_t count, unsigned seed, Value *values)
{
    void *rounded = must_alloc(count * 16);
    for (size_t i = 0; i < count; i++)
        values[i] = random_value(&seed);
    convert(type, values, (int)count, rounded);
    convert_back(type, rounded, (int)count, values);
    free(rounded);
}

/* ---- matrices ---- */

Matrix matrix_copy(const Matrix *a)
{
    Matrix b = matrix_alloc(a->m, a->nnz);
    memcpy(b.ptr, a->ptr, ((size_t)a->m + 1) * sizeof *b.ptr);
    memcpy(b.ind, a->ind, (size_t)a->nnz * sizeof *b.ind);
    memcpy(b.val, a->val, (size_t)a->nnz * sizeof *b.val);
    return b;
}

Matrix matrix_revalued(const Matrix *a, unsigned seed)
{
    Matrix b = matrix_copy(a);
    for (int k = 0; k < b.nnz; k++)
        b.val[k] *= 1 + next_random(&seed);
    return b;
}

Matrix matrix_with_ones(const Matrix *a)
{
    Matrix b = matrix_alloc(a->m, a->nnz + a->m);
    int nnz = 0;
    for (int i = 0; i < a->m; i++) {
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++, nnz++)
            b.ind[nnz] = a->ind[k], b.val[nnz] = a->val[k];
        if (matrix_diagonal(a, i) < 0)
            b.ind[nnz] = i, b.val[nnz++] = 1;
        b.ptr[i + 1] = nnz;
    }
    b.nnz = nnz;
    return b;
}

Matrix matrix_with_duplicates(const Matrix *a)
{
    Matrix b = matrix_alloc(a->m, 2 * a->nnz);
    int nnz = 0;
    for (int i = 0; i < a->m; i++) {
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            int parts = a->ind[k] == i ? 1 : 2;
            for (int part = 0; part < parts; part++, nnz++)
                b.ind[nnz] = a->ind[k], b.val[nnz] = parts == 1 ? a->val[k] : a->val[k] * (part ? 0.25 : 0.75);
        }
        b.ptr[i + 1] = nnz;
    }
    b.nnz = nnz;
    return b;
}

void matrix_poison(Matrix *a, int fill)
{
    for (int i = 0; i < a->m; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            if (fill == LOWER ? a->ind[k] > i : a->ind[k] < i)
                a->val[k] = NAN;
}

/* Columns sorted by row, as a CSC matrix has them. */
static Matrix matrix_transposed(const Matrix *a)
{
    Matrix b = matrix_alloc(a->m, a->nnz);
    for (int k = 0; k < a->nnz; k++)
        b.ptr[a->ind[k] + 1]++;
    for (int i = 0; i < a->m; i++)
        b.ptr[i + 1] += b.ptr[i];
    int *at = must_alloc(((size_t)a->m + 1) * sizeof *at);
    memcpy(at, b.ptr, (size_t)a->m * sizeof *at);
    for (int i = 0; i < a->m; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            int place = at[a->ind[k]]++;
            b.ind[place] = i;
            b.val[place] = a->val[k];
        }
    free(at);
    return b;
}

static Matrix in_format(const Matrix *a, int format) { return format == CSC ? matrix_transposed(a) : matrix_copy(a); }

static int create_mat(Stored *s, int offset_type, int index_type)
{
    const Matrix *a = &s->host;
    cusparseIndexBase_t base = (cusparseIndexBase_t)s->base;
    cusparseIndexType_t offsets = (cusparseIndexType_t)offset_type, indices = (cusparseIndexType_t)index_type;
    cudaDataType type = (cudaDataType)cuda_type(s->type);
    if (s->format == CSR)
        return (int)cusparse.CreateCsr(&s->mat, a->m, a->m, a->nnz, s->offsets, s->indices, s->values, offsets, indices,
                                       base, type);
    if (s->format == CSC)
        return (int)cusparse.CreateCsc(&s->mat, a->m, a->m, a->nnz, s->offsets, s->indices, s->values, offsets, indices,
                                       base, type);
    return (int)cusparse.CreateCoo(&s->mat, a->m, a->m, a->nnz, s->offsets, s->indices, s->values, offsets, base, type);
}

Stored store_matrix(const Matrix *a, int type, int format, int width, int base, int fill, int diag)
{
    static const int offset_types[] = {2, 3, 3, 2, 1}, index_types[] = {2, 3, 2, 3, 1};
    Stored s = {.format = format ? format : CSR, .width = width, .base = base, .type = type};
    s.host = in_format(a, s.format);
    if (s.format == COO) {
        int *rows = must_alloc(((size_t)a->nnz + 1) * sizeof *rows);
        for (int i = 0; i < a->m; i++)
            for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
                rows[k] = i;
        s.offsets = indices_to_device(offset_types[width], rows, (size_t)a->nnz, base);
        free(rows);
    } else {
        s.offsets = indices_to_device(offset_types[width], s.host.ptr, (size_t)a->m + 1, base);
    }
    s.indices = indices_to_device(index_types[width], s.host.ind, (size_t)a->nnz, base);
    s.values = values_to_device(type, s.host.val, (size_t)a->nnz);
    s.status = create_mat(&s, offset_types[width], index_types[width]);
    if (s.status != 0 && width >= 2)
        return s;
    MUST(s.status);
    MUST(cusparse.SpMatSetAttribute(s.mat, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    MUST(cusparse.SpMatSetAttribute(s.mat, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof diag));
    return s;
}

/* Slices of four rows, as wide as the longest of these. */
Stored store_sliced(const Matrix *a, int type, int base, int fill, int diag)
{
    enum { SLICE = 4 };
    Stored s = {.base = base, .type = type, .host = matrix_copy(a)};
    int slices = (a->m + SLICE - 1) / SLICE, *offsets = must_alloc(((size_t)slices + 1) * sizeof *offsets);
    for (int i = 0; i < a->m; i++) {
        int length = SLICE * (a->ptr[i + 1] - a->ptr[i]), *width = &offsets[i / SLICE + 1];
        *width = length > *width ? length : *width;
    }
    for (int k = 0; k < slices; k++)
        offsets[k + 1] += offsets[k];
    size_t places = (size_t)offsets[slices];
    int *columns = must_alloc(places * sizeof *columns);
    Value *values = must_alloc(places * sizeof *values);
    for (size_t k = 0; k < places; k++)
        columns[k] = -1 - base; /* -1 with the base */
    for (int i = 0; i < a->m; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            int place = offsets[i / SLICE] + SLICE * (k - a->ptr[i]) + i % SLICE;
            columns[place] = a->ind[k], values[place] = a->val[k];
        }
    s.offsets = indices_to_device(CUSPARSE_INDEX_32I, offsets, (size_t)slices + 1, base);
    s.indices = indices_to_device(CUSPARSE_INDEX_32I, columns, places, base);
    s.values = values_to_device(type, values, places);
    free(offsets), free(columns), free(values);
    MUST(cusparse.CreateSlicedEll(&s.mat, a->m, a->m, a->nnz, (int64_t)places, SLICE, s.offsets, s.indices, s.values,
                                  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, (cusparseIndexBase_t)base,
                                  (cudaDataType)cuda_type(type)));
    MUST(cusparse.SpMatSetAttribute(s.mat, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    MUST(cusparse.SpMatSetAttribute(s.mat, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof diag));
    return s;
}

void discard_matrix(Stored *s)
{
    MUST(cusparse.DestroySpMat(s->mat));
    memory_free(s->offsets);
    memory_free(s->indices);
    memory_free(s->values);
    matrix_free(&s->host);
}

void *stored_values(const Stored *s, const Matrix *a)
{
    Matrix b = in_format(a, s->format);
    void *values = values_to_device(s->type, b.val, (size_t)b.nnz);
    matrix_free(&b);
    return values;
}

/* ---- right-hand sides ---- */

/* The layout of a dense matrix with `rows` x `columns` elements. */
typedef struct {
    int rows, columns, ld, order;
} Layout;

static Layout layout_b(const System *s)
{
    int transposed = s->o.op_b != N;
    Layout l = {transposed ? s->columns : s->m, transposed ? s->m : s->columns, 0, s->o.order_b};
    l.ld = (l.order == COL ? l.rows : l.columns) + s->o.pad_b;
    return l;
}

static Layout layout_c(const System *s)
{
    Layout l = {s->m, s->columns, 0, s->o.order_c};
    l.ld = (l.order == COL ? l.rows : l.columns) + s->o.pad_c;
    return l;
}

static size_t layout_count(Layout l)
{
    return (size_t)l.ld * (size_t)(l.order == COL ? l.columns : l.rows);
}

static size_t layout_place(Layout l, int row, int column)
{
    return l.order == COL ? (size_t)row + (size_t)l.ld * (size_t)column : (size_t)column + (size_t)l.ld * (size_t)row;
}

static size_t place_in_b(const System *s, Layout l, int row, int column)
{
    return s->o.op_b == N ? layout_place(l, row, column) : layout_place(l, column, row);
}

static void *dense_descr(const System *s, Layout l, void *values)
{
    cudaDataType type = (cudaDataType)cuda_type(s->o.type);
    cusparseDnMatDescr_t matrix;
    cusparseDnVecDescr_t vector;
    if (!s->o.dense) {
        MUST(cusparse.CreateDnVec(&vector, s->m, values, type));
        return vector;
    }
    MUST(cusparse.CreateDnMat(&matrix, l.rows, l.columns, l.ld, values, type, (cusparseOrder_t)l.order));
    return matrix;
}

static void destroy_dense_descr(const System *s, void *descr)
{
    if (s->o.dense)
        MUST(cusparse.DestroyDnMat(descr));
    else
        MUST(cusparse.DestroyDnVec(descr));
}

static void open_vectors(System *s)
{
    size_t size = value_bytes(s->o.type);
    s->b_count = layout_count(layout_b(s));
    s->c_count = layout_count(layout_c(s));
    s->b = memory_alloc(s->b_count * size);
    s->c = s->o.in_place ? s->b : memory_alloc(s->c_count * size);
    s->call.x = dense_descr(s, layout_b(s), s->b);
    s->call.y = s->o.in_place == 2 ? s->call.x : dense_descr(s, layout_c(s), s->c);
    s->before = must_alloc(s->c_count * size);
}

static void close_vectors(System *s, void *x, void *y)
{
    if (y != x)
        destroy_dense_descr(s, y);
    destroy_dense_descr(s, x);
    if (s->c != s->b)
        memory_free(s->c);
    memory_free(s->b);
    free(s->before);
}

/* ---- systems ---- */

System open_system(const Solver *solver, cusparseHandle_t handle, const Matrix *a, Options o)
{
    System s = {.m = a->m, .columns = o.dense ? o.columns : 1};
    o.order_b = o.order_b ? o.order_b : COL;
    o.order_c = o.order_c ? o.order_c : COL;
    s.o = o;
    s.a = store_matrix(a, o.type, o.format, o.width, o.base, o.fill, o.diag);
    s.alpha = CMPLX(1.5, is_complex(o.type) ? -0.5 : 0);
    convert(o.type, &s.alpha, 1, s.alpha_host);
    s.alpha_device = memory_alloc(sizeof s.alpha_host);
    memory_put(s.alpha_device, s.alpha_host, sizeof s.alpha_host);
    s.f = must_alloc((size_t)s.m * (size_t)s.columns * sizeof *s.f);
    random_values(o.type, (size_t)s.m * (size_t)s.columns, o.seed + 17u + (unsigned)s.m, s.f);
    s.call = (Call){.dense = o.dense, .handle = handle, .op = o.op, .op_b = o.op_b, .mat = s.a.mat,
                    .type = cuda_type(o.type), .alg = o.alg};
    open_vectors(&s);
    if (solver != NULL)
        MUST(system_create(&s, solver));
    return s;
}

void close_system(System *s)
{
    if (s->solver != NULL)
        system_forget(s);
    close_vectors(s, s->call.x, s->call.y);
    discard_matrix(&s->a);
    memory_free(s->alpha_device);
    memory_free(s->buffer);
    free(s->f);
}

int system_create(System *s, const Solver *solver)
{
    s->solver = solver;
    return create_descr(solver, s->o.dense, &s->call.descr);
}

int system_forget(System *s)
{
    int status = destroy_descr(s->solver, s->o.dense, s->call.descr);
    s->solver = NULL;
    s->call.descr = NULL;
    return status;
}

const Call *system_call(System *s)
{
    s->call.alpha = s->o.device_alpha ? s->alpha_device : s->alpha_host;
    if (s->call.handle != NULL)
        MUST(cusparse.SetPointerMode(s->call.handle, (cusparsePointerMode_t)s->o.device_alpha));
    return &s->call;
}

int system_size(System *s) { return call_size(s->solver, system_call(s), &s->bytes); }

int system_analyse(System *s)
{
    if (s->buffer == NULL)
        s->buffer = memory_alloc(s->bytes);
    return call_analysis(s->solver, system_call(s), s->buffer);
}

int system_prepare(System *s)
{
    int status = system_size(s);
    return status ? status : system_analyse(s);
}

void system_reset(System *s)
{
    Layout l = layout_b(s);
    size_t bytes = s->c_count * value_bytes(s->o.type);
    Value *b = must_alloc(s->b_count * sizeof *b);
    for (int j = 0; j < s->columns; j++)
        for (int i = 0; i < s->m; i++)
            b[place_in_b(s, l, i, j)] = s->f[(size_t)j * (size_t)s->m + (size_t)i];
    void *host = must_alloc(s->b_count * value_bytes(s->o.type));
    convert(s->o.type, b, (int)s->b_count, host);
    memory_put(s->b, host, s->b_count * value_bytes(s->o.type));
    free(host);
    free(b);
    if (s->c != s->b)
        memory_fill(s->c, 0xFF, bytes);
    memory_get(s->before, s->c, bytes);
}

int system_solve(System *s)
{
    system_reset(s);
    return call_solve(s->solver, system_call(s));
}

int system_update(System *s, const Matrix *a, int part)
{
    size_t count = (size_t)(part == GENERAL ? a->nnz : a->m);
    void *values;
    if (part == GENERAL) {
        values = stored_values(&s->a, a);
    } else {
        Value *diagonal = must_alloc(count * sizeof *diagonal);
        for (int i = 0; i < a->m; i++)
            diagonal[i] = matrix_diagonal(a, i) < 0 ? 1 : a->val[matrix_diagonal(a, i)];
        values = values_to_device(s->o.type, diagonal, count);
        free(diagonal);
    }
    int status = call_update(s->solver, system_call(s), values, part);
    /* The copy is in the order of the handle's stream, which the filling need not wait for. */
    memory_synchronize();
    memory_fill(values, 0xFF, count * value_bytes(s->o.type));
    memory_free(values);
    return status;
}

void system_result(const System *s, Value *x)
{
    Layout l = layout_c(s);
    Value *c = must_alloc(s->c_count * sizeof *c);
    values_to_host(s->o.type, s->c, s->c_count, c);
    for (int j = 0; j < s->columns; j++)
        for (int i = 0; i < s->m; i++)
            x[(size_t)j * (size_t)s->m + (size_t)i] = c[layout_place(l, i, j)];
    free(c);
}

double system_error(const System *s, const Matrix *a, int op, int fill, int diag)
{
    double worst = 0;
    size_t m = (size_t)s->m;
    Value *x = must_alloc(m * (size_t)s->columns * sizeof *x);
    Matrix meant = matrix_with_ones(a);
    system_result(s, x);
    for (size_t j = 0; j < (size_t)s->columns; j++)
        worst = fmax(worst, backward_error(&meant, s->o.type, op, fill, diag, s->alpha, s->f + j * m, x + j * m));
    matrix_free(&meant);
    free(x);
    return worst;
}

int system_untouched(const System *s)
{
    size_t bytes = s->c_count * value_bytes(s->o.type);
    char *now = must_alloc(bytes);
    memory_get(now, s->c, bytes);
    int same = memcmp(now, s->before, bytes) == 0;
    free(now);
    return same;
}

int system_padding_intact(const System *s)
{
    Layout l = layout_c(s);
    size_t size = value_bytes(s->o.type), bytes = s->c_count * size;
    char *now = must_alloc(bytes);
    memory_get(now, s->c, bytes);
    for (int j = 0; j < s->columns; j++)
        for (int i = 0; i < s->m; i++)
            memcpy(now + layout_place(l, i, j) * size, s->before + layout_place(l, i, j) * size, size);
    int same = memcmp(now, s->before, bytes) == 0;
    free(now);
    return same;
}

const char *system_verdict(const System *s, const Matrix *a)
{
    size_t count = (size_t)s->m * (size_t)s->columns;
    if (!system_padding_intact(s))
        return "wrote outside";
    if (system_error(s, a, s->o.op, s->o.fill, s->o.diag) <= ERROR_LIMIT)
        return "right";
    if (system_untouched(s))
        return "untouched";
    Value *x = must_alloc(count * sizeof *x);
    int finite = 1;
    system_result(s, x);
    for (size_t i = 0; i < count; i++)
        finite = finite && isfinite(creal(x[i])) && isfinite(cimag(x[i]));
    free(x);
    return finite ? "wrong" : "not finite";
}

void system_renew_vectors(System *s)
{
    System old = *s;
    open_vectors(s); /* before the old ones are freed, so that the addresses differ */
    close_vectors(&old, old.call.x, old.call.y);
}
