/*
 * csrsm2 through the drop-in library: several right-hand sides, solved in place in B, which is stored by
 * columns (transB = N) or by rows (transB = T).
 */

#define _GNU_SOURCE
#include <cusparse.h>

#include "system.h"

static int on_gpu;

/* A System's matrix with the dense side beside it. */
typedef struct {
    System *s;
    csrsm2Info_t info;
    int algo, trans_b, nrhs, ldb;
    void *b, *buffer;
    size_t bytes;
} Dense;

#define MATRIX_ARGUMENTS                                                                                     \
    handle, d->algo, (cusparseOperation_t)s->op, (cusparseOperation_t)d->trans_b, s->m, d->nrhs, s->nnz, alpha, \
        s->descr, s->val, s->ptr, s->ind

static int dense_size(const Dense *d, const void *alpha, const void *b, size_t *bytes)
{
    const System *s = d->s;
    cusparseSolvePolicy_t p = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
    switch (s->type) {
    case S: return cusparseScsrsm2_bufferSizeExt(MATRIX_ARGUMENTS, b, d->ldb, d->info, p, bytes);
    case D: return cusparseDcsrsm2_bufferSizeExt(MATRIX_ARGUMENTS, b, d->ldb, d->info, p, bytes);
    case C: return cusparseCcsrsm2_bufferSizeExt(MATRIX_ARGUMENTS, b, d->ldb, d->info, p, bytes);
    default: return cusparseZcsrsm2_bufferSizeExt(MATRIX_ARGUMENTS, b, d->ldb, d->info, p, bytes);
    }
}

static int dense_analyse(const Dense *d, const void *alpha, const void *b, int policy)
{
    const System *s = d->s;
    cusparseSolvePolicy_t p = (cusparseSolvePolicy_t)policy;
    switch (s->type) {
    case S: return cusparseScsrsm2_analysis(MATRIX_ARGUMENTS, b, d->ldb, d->info, p, d->buffer);
    case D: return cusparseDcsrsm2_analysis(MATRIX_ARGUMENTS, b, d->ldb, d->info, p, d->buffer);
    case C: return cusparseCcsrsm2_analysis(MATRIX_ARGUMENTS, b, d->ldb, d->info, p, d->buffer);
    default: return cusparseZcsrsm2_analysis(MATRIX_ARGUMENTS, b, d->ldb, d->info, p, d->buffer);
    }
}

static int dense_solve(const Dense *d, const void *alpha, void *b, int policy)
{
    const System *s = d->s;
    cusparseSolvePolicy_t p = (cusparseSolvePolicy_t)policy;
    switch (s->type) {
    case S: return cusparseScsrsm2_solve(MATRIX_ARGUMENTS, b, d->ldb, d->info, p, d->buffer);
    case D: return cusparseDcsrsm2_solve(MATRIX_ARGUMENTS, b, d->ldb, d->info, p, d->buffer);
    case C: return cusparseCcsrsm2_solve(MATRIX_ARGUMENTS, b, d->ldb, d->info, p, d->buffer);
    default: return cusparseZcsrsm2_solve(MATRIX_ARGUMENTS, b, d->ldb, d->info, p, d->buffer);
    }
}

static int by_rows(const Dense *d) { return d->trans_b != N; }

/* Values of B as stored, those between the columns (or rows) included. */
static int stored(const Dense *d) { return d->ldb * (by_rows(d) ? d->s->m : d->nrhs); }

static int place(const Dense *d, int i, int j) { return by_rows(d) ? i * d->ldb + j : i + j * d->ldb; }

/* Two values lie between columns (or rows). alpha and B are not given yet, as callers do. */
static Dense open_dense(System *s, int algo, int trans_b, int nrhs)
{
    Dense d = {.s = s, .algo = algo, .trans_b = trans_b, .nrhs = nrhs};
    d.ldb = (trans_b != N ? nrhs : s->m) + 2;
    STATUS(0, cusparseCreateCsrsm2Info(&d.info));
    STATUS(0, dense_size(&d, NULL, NULL, &d.bytes));
    CHECK(d.bytes > 0);
    d.buffer = memory_alloc(d.bytes);
    return d;
}

static void close_dense(Dense *d)
{
    STATUS(0, cusparseDestroyCsrsm2Info(d->info));
    memory_free(d->buffer);
}

static void dense_check(int line, const Dense *d, const Matrix *a, int policy)
{
    const System *s = d->s;
    Value alpha = CMPLX(-1.25, is_complex(s->type) ? 0.75 : 0), GAP = 4242;
    int total = stored(d);
    Value *f = malloc(((size_t)total + 1) * sizeof *f), *x = malloc(((size_t)total + 1) * sizeof *x);
    Value *one_f = malloc(((size_t)s->m + 1) * sizeof *one_f), *one_x = malloc(((size_t)s->m + 1) * sizeof *one_x);
    char scalar[16];
    convert(s->type, &alpha, 1, scalar);
    random_vector(s->type, total, 71, f);
    int minor = by_rows(d) ? d->nrhs : s->m;
    for (int k = 0; k < total; k++)
        if (k % d->ldb >= minor)
            f[k] = GAP;
    void *b = upload(s->type, f, total);
    int status = dense_solve(d, scalar, b, policy);
    download(s->type, b, total, x);
    double worst = 0;
    for (int j = 0; j < d->nrhs; j++) {
        for (int i = 0; i < s->m; i++)
            one_f[i] = f[place(d, i, j)], one_x[i] = x[place(d, i, j)];
        double error = backward_error(a, s->type, s->op, s->fill, s->diag, alpha, one_f, one_x);
        if (!(error <= worst))
            worst = error;
    }
    int gaps = 1;
    for (int k = 0; k < total; k++)
        if (k % d->ldb >= minor && x[k] != GAP)
            gaps = 0;
    if (status != 0 || worst > ERROR_LIMIT || !gaps)
        complain(line, "%c transA %c transB %c %s %s nrhs %d algo %d: status %d, backward error %g, gaps %s",
                 "SDCZ"[s->type], "NTH"[s->op], "NTH"[d->trans_b], s->fill ? "upper" : "lower",
                 s->diag ? "unit" : "non-unit", d->nrhs, d->algo, status, worst, gaps ? "kept" : "written to");
    memory_free(b);
    free(f), free(x), free(one_f), free(one_x);
}
#define DENSE_SOLVES(d, a, policy) dense_check(__LINE__, d, a, policy)

static void solves_every_column_of_b(void)
{
    Matrix a = matrix_random(67, 6, 51);
    int counts[] = {1, 2, 5, 17, 33};
    for (int c = 0; c < 4 * 3 * 2 * 2 * 2 * 5; c++) {
        int type = c % 4, op = c / 4 % 3, fill = c / 12 % 2, diag = c / 24 % 2, trans_b = c / 48 % 2, k = c / 96;
        System s = open_system(&a, type, op, fill, diag, c % 2);
        Dense d = open_dense(&s, c % 2, trans_b, counts[k]);
        STATUS(0, dense_analyse(&d, NULL, NULL, USE_LEVEL));
        DENSE_SOLVES(&d, &a, USE_LEVEL);
        DENSE_SOLVES(&d, &a, NO_LEVEL);
        close_dense(&d);
        close_system(&s);
    }
    matrix_free(&a);
}

static void buffer_is_scratch_and_may_be_aligned_to_8_bytes(void)
{
    Matrix a = matrix_random(50, 6, 53);
    for (int c = 0; c < 2 * 2; c++) {
        System s = open_system(&a, Z, N, LOWER, NON_UNIT, 0);
        Dense d = open_dense(&s, 1, c % 2, c / 2 ? 40 : 3);
        char *block = memory_alloc(d.bytes + 8);
        void *own = d.buffer;
        d.buffer = block + 8;
        STATUS(0, dense_analyse(&d, NULL, NULL, USE_LEVEL));
        memory_fill(d.buffer, 0xFF, d.bytes);
        DENSE_SOLVES(&d, &a, USE_LEVEL);
        d.buffer = own;
        DENSE_SOLVES(&d, &a, USE_LEVEL);
        memory_free(block);
        close_dense(&d);
        close_system(&s);
    }
    matrix_free(&a);
}

static void values_are_read_at_every_solve(void)
{
    Matrix a = matrix_random(50, 6, 55), b = matrix_random(50, 6, 55);
    for (int k = 0; k < b.nnz; k++)
        b.val[k] *= 3;
    System s = open_system(&a, D, T, UPPER, NON_UNIT, 0);
    Dense d = open_dense(&s, 0, T, 4);
    STATUS(0, dense_analyse(&d, NULL, NULL, USE_LEVEL));
    DENSE_SOLVES(&d, &a, USE_LEVEL);
    put_values(&s, &b);
    DENSE_SOLVES(&d, &b, USE_LEVEL);
    close_dense(&d);
    close_system(&s);
    matrix_free(&a);
    matrix_free(&b);
}

static void zero_pivots_are_reported(void)
{
    for (int c = 0; c < 2 * 2 * 2 * 2; c++) {
        int base = c % 2, trans_b = c / 2 % 2, structural = c / 4 % 2, nrhs = c / 8 ? 32 : 3, position = -77;
        Matrix a = matrix_random(30, 5, 57);
        if (structural)
            matrix_drop_diagonal(&a, 12);
        else
            a.val[matrix_diagonal(&a, 12)] = 0;
        System s = open_system(&a, D, N, LOWER, NON_UNIT, base);
        Dense d = open_dense(&s, 0, trans_b, nrhs);
        STATUS(3, cusparseXcsrsm2_zeroPivot(handle, d.info, &position));
        CHECK(position == -77);
        STATUS(0, dense_analyse(&d, NULL, NULL, USE_LEVEL));
        STATUS(structural ? 9 : 0, cusparseXcsrsm2_zeroPivot(handle, d.info, &position));
        CHECK(position == (structural ? 12 + base : -1));
        double alpha = 1;
        void *b = memory_alloc((size_t)stored(&d) * sizeof(double));
        memory_fill(b, 0, (size_t)stored(&d) * sizeof(double));
        STATUS(0, dense_solve(&d, &alpha, b, USE_LEVEL));
        STATUS(9, cusparseXcsrsm2_zeroPivot(handle, d.info, &position));
        CHECK(position == 12 + base);
        memory_free(b);
        close_dense(&d);
        close_system(&s);
        matrix_free(&a);
    }
}

/* A size that was asked for later is enough for what an earlier one has led to. */
static void an_info_for_many_serves_few(void)
{
    Matrix a = matrix_random(90, 6, 65);
    for (int c = 0; c < 2 * 2; c++) {
        int later = c % 2, trans_b = c / 2;
        System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
        Dense d = open_dense(&s, 0, trans_b, 32), few = d;
        few.nrhs = 2;
        few.ldb = (trans_b != N ? few.nrhs : s.m) + 2;
        if (later)
            STATUS(0, dense_analyse(&d, NULL, NULL, USE_LEVEL));
        STATUS(0, dense_size(&few, NULL, NULL, &few.bytes));
        few.buffer = memory_alloc(few.bytes);
        if (!later)
            STATUS(0, dense_analyse(&few, NULL, NULL, USE_LEVEL));
        DENSE_SOLVES(&few, &a, USE_LEVEL);
        DENSE_SOLVES(&d, &a, USE_LEVEL);
        memory_free(few.buffer);
        close_dense(&d);
        close_system(&s);
    }
    matrix_free(&a);
}

/* An info is for few right-hand sides where its first size was asked for those: so that size is enough for many too. */
static void an_info_for_few_serves_many(void)
{
    Matrix a = matrix_random(90, 6, 66);
    for (int analysed_for_many = 0; analysed_for_many < 2; analysed_for_many++) {
        System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
        Dense none = open_dense(&s, 0, N, 0), few = none, many = none;
        few.nrhs = 2, many.nrhs = 33;
        STATUS(0, dense_size(&few, NULL, NULL, &few.bytes));
        STATUS(0, dense_size(&many, NULL, NULL, &many.bytes));
        CHECK(many.bytes == few.bytes && few.bytes == none.bytes);
        STATUS(0, dense_analyse(analysed_for_many ? &many : &few, NULL, NULL, USE_LEVEL));
        DENSE_SOLVES(&few, &a, USE_LEVEL);
        DENSE_SOLVES(&many, &a, USE_LEVEL);
        close_dense(&none);
        close_system(&s);
    }
    matrix_free(&a);
}

/* A single one by rows lies as by columns, and its info serves more by rows all the same. */
static void an_info_for_one_by_rows_serves_more(void)
{
    Matrix a = matrix_random(70, 6, 67);
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    Dense one = {.s = &s, .trans_b = T, .nrhs = 1, .ldb = 1}, more;
    STATUS(0, cusparseCreateCsrsm2Info(&one.info));
    STATUS(0, dense_size(&one, NULL, NULL, &one.bytes));
    one.buffer = memory_alloc(one.bytes);
    more = one;
    more.nrhs = 8, more.ldb = 10;
    STATUS(0, dense_size(&more, NULL, NULL, &more.bytes));
    CHECK(more.bytes == one.bytes);
    STATUS(0, dense_analyse(&more, NULL, NULL, USE_LEVEL));
    DENSE_SOLVES(&more, &a, USE_LEVEL);
    DENSE_SOLVES(&one, &a, USE_LEVEL);
    close_dense(&one);
    close_system(&s);
    matrix_free(&a);
}

/* Right-hand sides by rows need no size of their own. */
static void few_by_rows_solve_with_the_size_for_columns(void)
{
    Matrix a = matrix_random(40, 5, 77);
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    Dense d = open_dense(&s, 0, N, 4), rows = d;
    rows.trans_b = T;
    rows.ldb = rows.nrhs + 2;
    STATUS(0, dense_analyse(&d, NULL, NULL, USE_LEVEL));
    DENSE_SOLVES(&rows, &a, USE_LEVEL);
    DENSE_SOLVES(&d, &a, USE_LEVEL);
    close_dense(&d);
    close_system(&s);
    matrix_free(&a);
}

static void no_right_hand_sides_do_nothing(void)
{
    Matrix a = matrix_random(20, 4, 59);
    for (int trans_b = N; trans_b <= T; trans_b++) {
        System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
        Dense d = open_dense(&s, 0, trans_b, 0);
        double alpha = 1;
        STATUS(0, dense_analyse(&d, NULL, NULL, USE_LEVEL));
        STATUS(0, dense_solve(&d, &alpha, s.val, USE_LEVEL));
        Value first;
        download(D, s.val, 1, &first);
        CHECK(first == creal(a.val[0]));
        close_dense(&d);
        close_system(&s);
    }
    matrix_free(&a);
}

static void wrong_arguments_are_invalid_values(void)
{
    Matrix a = matrix_random(20, 4, 61);
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    double alpha = 1;
    void *b = memory_alloc(8 * 30 * 30);
    memory_fill(b, 0, 8 * 30 * 30);
    for (int trans_b = N; trans_b <= T; trans_b++) {
        Dense d = open_dense(&s, 0, trans_b, 5), w;
        size_t bytes = 77;
        STATUS(3, dense_solve(&d, &alpha, b, USE_LEVEL)); /* before the analysis */
        STATUS(0, dense_analyse(&d, NULL, NULL, USE_LEVEL));

        w = d, w.algo = 2;
        STATUS(3, dense_size(&w, NULL, NULL, &bytes));
        STATUS(3, dense_analyse(&w, NULL, NULL, USE_LEVEL));
        STATUS(3, dense_solve(&w, &alpha, b, USE_LEVEL));
        w = d, w.nrhs = -1;
        STATUS(3, dense_size(&w, NULL, NULL, &bytes));
        STATUS(3, dense_solve(&w, &alpha, b, USE_LEVEL));
        w = d, w.ldb = (trans_b == N ? s.m : d.nrhs) - 1;
        STATUS(3, dense_size(&w, NULL, NULL, &bytes));
        STATUS(3, dense_solve(&w, &alpha, b, USE_LEVEL));
        w = d, w.trans_b = 3;
        STATUS(3, dense_size(&w, NULL, NULL, &bytes));
        STATUS(3, dense_solve(&w, &alpha, b, USE_LEVEL));
        w = d, w.info = NULL;
        STATUS(3, dense_size(&w, NULL, NULL, &bytes));
        STATUS(3, dense_analyse(&w, NULL, NULL, USE_LEVEL));
        STATUS(3, dense_solve(&w, &alpha, b, USE_LEVEL));
        w = d, w.buffer = NULL;
        STATUS(3, dense_analyse(&w, NULL, NULL, USE_LEVEL));
        STATUS(3, dense_solve(&w, &alpha, b, USE_LEVEL));
        STATUS(3, dense_size(&d, NULL, NULL, NULL));
        STATUS(3, dense_solve(&d, NULL, b, USE_LEVEL));
        STATUS(3, dense_solve(&d, &alpha, NULL, USE_LEVEL));
        STATUS(3, dense_solve(&d, &alpha, b, 2));
        CHECK(bytes == 0);

        cusparseHandle_t kept = handle;
        handle = NULL;
        STATUS(1, dense_size(&d, NULL, NULL, &bytes));
        STATUS(1, dense_analyse(&d, NULL, NULL, USE_LEVEL));
        STATUS(1, dense_solve(&d, &alpha, b, USE_LEVEL));
        handle = kept;

        STATUS(0, cusparseSetMatType(s.descr, CUSPARSE_MATRIX_TYPE_TRIANGULAR));
        STATUS(8, dense_analyse(&d, NULL, NULL, USE_LEVEL));
        STATUS(8, dense_solve(&d, &alpha, b, USE_LEVEL));
        STATUS(0, cusparseSetMatType(s.descr, CUSPARSE_MATRIX_TYPE_GENERAL));
        DENSE_SOLVES(&d, &a, USE_LEVEL);
        close_dense(&d);
    }
    memory_free(b);
    close_system(&s);
    matrix_free(&a);
}

static void trans_b_h_is_t_for_real_types_only(void)
{
    Matrix a = matrix_random(20, 4, 63);
    for (int type = S; type <= Z; type++) {
        System s = open_system(&a, type, N, LOWER, NON_UNIT, 0);
        if (!is_complex(type)) {
            Dense d = open_dense(&s, 0, H, 3);
            STATUS(0, dense_analyse(&d, NULL, NULL, USE_LEVEL));
            DENSE_SOLVES(&d, &a, USE_LEVEL);
            close_dense(&d);
        } else {
            Dense d = {.s = &s, .trans_b = H, .nrhs = 3, .ldb = 3, .bytes = 77};
            STATUS(0, cusparseCreateCsrsm2Info(&d.info));
            STATUS(10, dense_size(&d, NULL, NULL, &d.bytes));
            CHECK(d.bytes == 0);
            close_dense(&d);
        }
        close_system(&s);
    }
    matrix_free(&a);
}

int main(void)
{
    on_gpu = open_executor("csrsm2");
    if (cusparseCreate(&handle) != CUSPARSE_STATUS_SUCCESS) {
        printf("cusparseCreate failed\ncsrsm2: 0 passed, 1 failed, 0 skipped\n");
        return 1;
    }
    RUN(solves_every_column_of_b);
    RUN(buffer_is_scratch_and_may_be_aligned_to_8_bytes);
    RUN(values_are_read_at_every_solve);
    RUN(zero_pivots_are_reported);
    RUN(an_info_for_many_serves_few);
    RUN(an_info_for_few_serves_many);
    RUN(an_info_for_one_by_rows_serves_more);
    RUN(few_by_rows_solve_with_the_size_for_columns);
    RUN(no_right_hand_sides_do_nothing);
    RUN(wrong_arguments_are_invalid_values);
    RUN(trans_b_h_is_t_for_real_types_only);
    CHECK(cusparseDestroy(handle) == CUSPARSE_STATUS_SUCCESS);
    return close_tally("csrsm2");
}
