/*
 * The csrsv2 contract, row by row, through the drop-in library: what the real library of CUDA 11.8 was
 * measured to do, and what known programs rely on. Statuses are written as numbers, as the contract has them.
 */

#define _GNU_SOURCE
#include <cusparse.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>

#include "system.h"

static int on_gpu;

static const double HOLE = NAN;

/* A 3 by 3 lower triangle whose first two diagonal entries are given; HOLE for a missing one. */
static Matrix lower3(double d0, double d1, double d2)
{
    double dense[] = {d0, HOLE, HOLE, 1, d1, HOLE, 1, 1, d2};
    return matrix_dense(3, dense);
}

/* ------------------------------------------------------------------------------------------- solving */

static void solves_op_a_x_equals_alpha_f(void)
{
    int sizes[] = {1, 2, 31, 33, 257};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Matrix a = matrix_random(sizes[i], 6, 3);
        for (int c = 0; c < 4 * 3 * 2 * 2 * 2 * 2; c++) {
            int type = c % 4, op = c / 4 % 3, fill = c / 12 % 2, diag = c / 24 % 2, base = c / 48 % 2, policy = c / 96;
            System s = open_system(&a, type, op, fill, diag, base);
            STATUS(0, analyse(&s, policy));
            SOLVES(&s, &a, policy);
            PIVOT(-1, &s);
            close_system(&s);
        }
        matrix_free(&a);
    }
}

static void solves_a_system_worked_by_hand(void)
{
    /* [2 .; 1 4] x = 2 * (1, 3): x = (1, 5/4). Its transpose: x = (1/4, 3/2). */
    double dense[] = {2, HOLE, 1, 4};
    Matrix a = matrix_dense(2, dense);
    Value f[] = {1, 3}, x[2] = {0};
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    STATUS(0, analyse(&s, USE_LEVEL));
    STATUS(0, solve(&s, 2, f, x, USE_LEVEL));
    CHECK(x[0] == 1 && x[1] == 1.25);
    close_system(&s);
    s = open_system(&a, D, T, LOWER, NON_UNIT, 0);
    STATUS(0, analyse(&s, USE_LEVEL));
    STATUS(0, solve(&s, 2, f, x, USE_LEVEL));
    CHECK(x[0] == 0.25 && x[1] == 1.5);
    close_system(&s);
    matrix_free(&a);
}

static void fill_mode_names_the_stored_triangle_and_the_other_is_ignored(void)
{
    for (int c = 0; c < 3 * 2; c++) {
        Matrix a = matrix_random(60, 6, 5);
        int op = c % 3, fill = c / 3;
        for (int i = 0; i < a.m; i++)
            for (int k = a.ptr[i]; k < a.ptr[i + 1]; k++)
                if (fill == LOWER ? a.ind[k] > i : a.ind[k] < i)
                    a.val[k] = NAN;
        System s = open_system(&a, Z, op, fill, NON_UNIT, 0);
        STATUS(0, analyse(&s, USE_LEVEL));
        SOLVES(&s, &a, USE_LEVEL);
        close_system(&s);
        matrix_free(&a);
    }
}

static void op_h_on_real_types_is_t(void)
{
    Matrix a = matrix_random(80, 6, 7);
    for (int type = S; type <= D; type++) {
        Value f[80], x[2][80] = {{0}};
        random_vector(type, 80, 1, f);
        for (int h = 0; h < 2; h++) {
            System s = open_system(&a, type, h ? H : T, LOWER, NON_UNIT, 0);
            STATUS(0, analyse(&s, USE_LEVEL));
            STATUS(0, solve(&s, 1, f, x[h], USE_LEVEL));
            close_system(&s);
        }
        CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
    }
    matrix_free(&a);
}

static void unit_diagonal_is_not_read_and_may_be_missing(void)
{
    for (int c = 0; c < 3 * 2; c++) {
        Matrix a = matrix_random(50, 5, 9);
        for (int i = 0; i < a.m; i++)
            a.val[matrix_diagonal(&a, i)] = i % 2 ? 0 : NAN;
        for (int i = 0; i < a.m; i += 3)
            matrix_drop_diagonal(&a, i);
        System s = open_system(&a, D, c % 3, c / 3, UNIT, 1);
        STATUS(0, analyse(&s, USE_LEVEL));
        PIVOT(-1, &s);
        SOLVES(&s, &a, USE_LEVEL);
        PIVOT(-1, &s);
        close_system(&s);
        matrix_free(&a);
    }
}

static void values_are_read_at_every_solve(void)
{
    Matrix a = matrix_random(70, 6, 11);
    for (int op = N; op <= H; op++) {
        System s = open_system(&a, Z, op, UPPER, NON_UNIT, 0);
        STATUS(0, analyse(&s, USE_LEVEL));
        SOLVES(&s, &a, USE_LEVEL);
        Matrix b = matrix_random(70, 6, 11);
        unsigned seed = 5;
        for (int k = 0; k < b.nnz; k++)
            b.val[k] *= 1 + next_random(&seed);
        put_values(&s, &b);
        SOLVES(&s, &b, USE_LEVEL);
        matrix_free(&b);
        close_system(&s);
    }
    matrix_free(&a);
}

static void analysis_does_not_need_the_values(void)
{
    Matrix a = matrix_random(40, 5, 12);
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    void *val = s.val;
    s.val = NULL;
    STATUS(0, analyse(&s, USE_LEVEL));
    s.val = val;
    SOLVES(&s, &a, USE_LEVEL);
    close_system(&s);
    matrix_free(&a);
}

static void solves_in_place(void)
{
    Matrix a = matrix_random(90, 6, 13);
    for (int c = 0; c < 4 * 3 * 2; c++) {
        int type = c % 4, op = c / 4 % 3, policy = c / 12;
        System s = open_system(&a, type, op, LOWER, NON_UNIT, 0);
        STATUS(0, analyse(&s, policy));
        Value f[90], x[90] = {0}, alpha = 2;
        char scalar[16];
        random_vector(type, 90, 3, f);
        convert(type, &alpha, 1, scalar);
        void *v = upload(type, f, 90);
        STATUS(0, solve_raw(&s, scalar, v, v, policy));
        download(type, v, 90, x);
        CHECK(backward_error(&a, type, op, LOWER, NON_UNIT, alpha, f, x) <= ERROR_LIMIT);
        memory_free(v);
        close_system(&s);
    }
    matrix_free(&a);
}

static void unsorted_rows_are_accepted(void)
{
    Matrix a = matrix_random(60, 8, 15);
    matrix_unsort(&a);
    for (int c = 0; c < 4 * 3 * 2; c++) {
        System s = open_system(&a, c % 4, c / 4 % 3, c / 12, NON_UNIT, 0);
        STATUS(0, analyse(&s, USE_LEVEL));
        SOLVES(&s, &a, USE_LEVEL);
        close_system(&s);
    }
    matrix_free(&a);
}

static void fifty_runs_give_the_same_bits(void)
{
    Matrix a = matrix_random(300, 12, 17);
    for (int c = 0; c < 2 * 2; c++) {
        int policy = c / 2;
        Value f[300], first[300] = {0}, x[300] = {0};
        random_vector(S, 300, 5, f);
        System s = open_system(&a, S, c % 2, LOWER, NON_UNIT, 0);
        STATUS(0, analyse(&s, policy));
        STATUS(0, solve(&s, 1, f, first, policy));
        for (int run = 1; run < 50; run++) {
            STATUS(0, solve(&s, 1, f, x, policy));
            CHECK(memcmp(x, first, sizeof x) == 0);
        }
        close_system(&s);
    }
    matrix_free(&a);
}

/* -------------------------------------------------------------------------------------- zero pivots */

static void structural_zero(void)
{
    for (int c = 0; c < 4 * 3 * 2 * 2; c++) {
        int type = c % 4, op = c / 4 % 3, fill = c / 12 % 2, base = c / 24;
        Matrix a = matrix_random(40, 5, 19);
        matrix_drop_diagonal(&a, 23);
        matrix_drop_diagonal(&a, 7);
        Value f[40], x[40] = {0};
        random_vector(type, 40, 1, f);
        System s = open_system(&a, type, op, fill, NON_UNIT, base);
        STATUS(0, analyse(&s, USE_LEVEL));
        PIVOT(7 + base, &s);
        STATUS(0, solve(&s, 1, f, x, USE_LEVEL));
        /* The first bad row in the order of the solve has a finite right-hand side over nothing. */
        int first = (op == N) == (fill == LOWER) ? 7 : 23;
        if (!is_complex(type))
            CHECK(isinf(creal(x[first])));
        else
            CHECK(!isfinite(creal(x[first])) || !isfinite(cimag(x[first])));
        PIVOT(7 + base, &s);
        close_system(&s);
        matrix_free(&a);
    }
}

static void structural_zero_by_hand(void)
{
    Matrix a = lower3(2, HOLE, 4);
    Value f[] = {2, 3, 5}, x[3] = {0};
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    STATUS(0, analyse(&s, USE_LEVEL));
    PIVOT(1, &s);
    STATUS(0, solve(&s, 1, f, x, USE_LEVEL));
    CHECK(x[0] == 1 && isinf(creal(x[1])) && isinf(creal(x[2])));
    close_system(&s);
    matrix_free(&a);
}

static void numerical_zero(void)
{
    for (int c = 0; c < 4 * 3 * 2 * 2 * 2; c++) {
        int type = c % 4, op = c / 4 % 3, fill = c / 12 % 2, base = c / 24 % 2, policy = c / 48;
        Matrix a = matrix_random(40, 5, 21);
        a.val[matrix_diagonal(&a, 31)] = 0;
        a.val[matrix_diagonal(&a, 9)] = 0;
        Value f[40], x[40] = {0};
        random_vector(type, 40, 1, f);
        System s = open_system(&a, type, op, fill, NON_UNIT, base);
        STATUS(0, analyse(&s, policy));
        PIVOT(-1, &s);
        STATUS(0, solve(&s, 1, f, x, policy));
        PIVOT(9 + base, &s);
        close_system(&s);
        matrix_free(&a);
    }
}

static void pivot_state_is_reset_by_the_next_solve(void)
{
    Matrix good = lower3(2, 3, 4), bad = lower3(2, 0, 4);
    Value f[] = {1, 1, 1}, x[3] = {0};
    System s = open_system(&bad, D, N, LOWER, NON_UNIT, 0);
    STATUS(0, analyse(&s, USE_LEVEL));
    STATUS(0, solve(&s, 1, f, x, USE_LEVEL));
    PIVOT(1, &s);
    PIVOT(1, &s);
    put_values(&s, &good);
    STATUS(0, solve(&s, 1, f, x, USE_LEVEL));
    PIVOT(-1, &s);
    close_system(&s);
    matrix_free(&good);
    matrix_free(&bad);
}

static void no_zero_gives_success_and_minus_one(void)
{
    Matrix a = lower3(2, 3, 4);
    Value f[] = {1, 1, 1}, x[3] = {0};
    System s = open_system(&a, S, N, LOWER, NON_UNIT, 1);
    STATUS(0, analyse(&s, NO_LEVEL));
    PIVOT(-1, &s);
    STATUS(0, solve(&s, 1, f, x, NO_LEVEL));
    PIVOT(-1, &s);
    close_system(&s);
    matrix_free(&a);
}

static void zero_pivot_before_any_analysis(void)
{
    Matrix a = lower3(2, 3, 4);
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    int position = -77;
    STATUS(3, cusparseXcsrsv2_zeroPivot(handle, s.info, &position));
    CHECK(position == -77);
    close_system(&s);
    matrix_free(&a);
}

static void zero_pivot_writes_one_int(void)
{
    Matrix a = lower3(2, HOLE, 4);
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 1);
    STATUS(0, analyse(&s, USE_LEVEL));
    int positions[3] = {-77, -77, -77};
    STATUS(9, cusparseXcsrsv2_zeroPivot(handle, s.info, &positions[1]));
    CHECK(positions[0] == -77 && positions[1] == 2 && positions[2] == -77);
    STATUS(3, cusparseXcsrsv2_zeroPivot(handle, s.info, NULL));
    STATUS(3, cusparseXcsrsv2_zeroPivot(handle, NULL, &positions[0]));
    CHECK(positions[0] == -77);
    close_system(&s);
    matrix_free(&a);
}

/* ------------------------------------------------------------------------- buffer, policy, arguments */

static void buffer_is_scratch(void)
{
    Matrix a = matrix_random(200, 8, 23);
    for (int op = N; op <= H; op++) {
        System s = open_system(&a, D, op, LOWER, NON_UNIT, 0);
        STATUS(0, analyse(&s, USE_LEVEL));
        for (int i = 0; i < 3; i++) {
            memory_fill(s.buffer, 0xFF, (size_t)s.bytes);
            SOLVES(&s, &a, USE_LEVEL);
            PIVOT(-1, &s);
        }
        get_buffer(&s);
        SOLVES(&s, &a, USE_LEVEL);
        close_system(&s);
    }
    matrix_free(&a);
}

static void buffer_may_be_aligned_to_8_bytes(void)
{
    Matrix a = matrix_random(64, 6, 25);
    for (int type = S; type <= Z; type++) {
        System s = open_system(&a, type, N, LOWER, NON_UNIT, 0);
        char *block = memory_alloc((size_t)s.bytes + 8);
        void *own = s.buffer;
        s.buffer = block + 8;
        STATUS(0, analyse(&s, USE_LEVEL));
        SOLVES(&s, &a, USE_LEVEL);
        s.buffer = own;
        memory_free(block);
        close_system(&s);
    }
    matrix_free(&a);
}

static void null_buffer_is_refused(void)
{
    Matrix a = lower3(2, 3, 4);
    Value f[] = {1, 1, 1}, x[] = {-7, -7, -7};
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    void *buffer = s.buffer;
    s.buffer = NULL;
    STATUS(3, analyse(&s, USE_LEVEL));
    s.buffer = buffer;
    STATUS(0, analyse(&s, USE_LEVEL));
    s.buffer = NULL;
    STATUS(3, solve(&s, 1, f, x, USE_LEVEL));
    CHECK(x[0] == -7 && x[1] == -7 && x[2] == -7);
    s.buffer = buffer;
    close_system(&s);
    matrix_free(&a);
}

static void buffer_size_is_never_zero(void)
{
    for (int c = 0; c < 4 * 3 * 2; c++) {
        Matrix a = matrix_random(c % 7 + 1, 3, 27);
        System s = open_system(&a, c % 4, c / 4 % 3, c / 12, NON_UNIT, 0);
        size_t bytes = 0;
        CHECK(s.bytes > 0);
        if (s.type == D) {
            STATUS(0, cusparseDcsrsv2_bufferSizeExt(handle, (cusparseOperation_t)s.op, s.m, s.nnz, s.descr, s.val,
                                                    s.ptr, s.ind, s.info, &bytes));
            CHECK(bytes == (size_t)s.bytes);
        }
        close_system(&s);
        matrix_free(&a);
    }
}

/* Nothing is written beyond the size, which an int can say for more rows than it could in CUDA 11. */
static void nothing_is_written_beyond_the_buffer(void)
{
    enum { GUARD = 1 << 16 };
    char *guard = malloc(GUARD);
    int bytes = 0;
    for (int c = 0; c < 4 * 2 * 4; c++) {
        int shape = c / 8;
        Matrix a = shape == 0 ? matrix_random(1500, 8, 35) : shape == 1 ? matrix_random(40, 40, 36)
                 : shape == 2 ? matrix_random(2000, 1, 37) : matrix_random(1000, 20, 38);
        System s = open_system(&a, c % 4, c / 4 % 2, LOWER, NON_UNIT, 0);
        char *block = memory_alloc((size_t)s.bytes + GUARD);
        void *own = s.buffer;
        s.buffer = block;
        memory_fill(block, 0x5a, (size_t)s.bytes + GUARD);
        STATUS(0, analyse(&s, USE_LEVEL));
        SOLVES(&s, &a, USE_LEVEL);
        memory_get(guard, block + s.bytes, GUARD);
        int touched = 0;
        for (int i = 0; i < GUARD; i++)
            touched += guard[i] != 0x5a;
        CHECK(touched == 0);
        s.buffer = own;
        memory_free(block);
        s.m = 130000000, s.nnz = INT_MAX;
        STATUS(0, size_query(&s, &bytes));
        CHECK(bytes > 0);
        s.m = a.m, s.nnz = a.nnz;
        close_system(&s);
        matrix_free(&a);
    }
    free(guard);
}

/* For real types H is T also between the analysis and the solve. */
static void transposed_serves_hermitian_of_real_types(void)
{
    Matrix a = matrix_random(50, 5, 39);
    for (int c = 0; c < 4; c++) {
        System s = open_system(&a, c % 2 ? D : S, c / 2 ? H : T, LOWER, NON_UNIT, 0);
        STATUS(0, analyse(&s, USE_LEVEL));
        s.op = c / 2 ? T : H;
        SOLVES(&s, &a, USE_LEVEL);
        close_system(&s);
    }
    matrix_free(&a);
}

static void policy_of_the_analysis_binds_the_solve(void)
{
    Matrix a = lower3(2, 3, 4);
    Value f[] = {1, 1, 1}, x[] = {-7, -7, -7};
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    STATUS(0, analyse(&s, USE_LEVEL));
    SOLVES(&s, &a, USE_LEVEL);
    SOLVES(&s, &a, NO_LEVEL);
    STATUS(0, analyse(&s, NO_LEVEL));
    SOLVES(&s, &a, NO_LEVEL);
    STATUS(3, solve(&s, 1, f, x, USE_LEVEL));
    CHECK(x[0] == -7 && x[1] == -7 && x[2] == -7);
    close_system(&s);
    matrix_free(&a);
}

static void matrix_type_must_be_general(void)
{
    Matrix a = lower3(2, 3, 4);
    Value f[] = {1, 1, 1}, x[] = {-7, -7, -7};
    for (int type = 1; type <= 3; type++) {
        System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
        int bytes = 0;
        STATUS(0, analyse(&s, USE_LEVEL));
        STATUS(0, cusparseSetMatType(s.descr, (cusparseMatrixType_t)type));
        STATUS(8, size_query(&s, &bytes));
        STATUS(8, analyse(&s, USE_LEVEL));
        STATUS(8, solve(&s, 1, f, x, USE_LEVEL));
        CHECK(x[0] == -7 && x[1] == -7 && x[2] == -7);
        close_system(&s);
    }
    matrix_free(&a);
}

static void solve_before_analysis(void)
{
    Matrix a = lower3(2, 3, 4);
    Value f[] = {1, 1, 1}, x[] = {-7, -7, -7};
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    STATUS(3, solve(&s, 1, f, x, USE_LEVEL));
    CHECK(x[0] == -7 && x[1] == -7 && x[2] == -7);
    close_system(&s);
    matrix_free(&a);
}

static void info_serves_another_matrix_after_a_new_analysis(void)
{
    Matrix a = matrix_random(50, 5, 29), b = matrix_random(80, 7, 31);
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    STATUS(0, analyse(&s, USE_LEVEL));
    SOLVES(&s, &a, USE_LEVEL);
    put_matrix(&s, &b);
    get_buffer(&s);
    STATUS(0, analyse(&s, USE_LEVEL));
    SOLVES(&s, &b, USE_LEVEL);
    s.op = T;
    describe(&s, UPPER, UNIT);
    get_buffer(&s);
    STATUS(0, analyse(&s, USE_LEVEL));
    SOLVES(&s, &b, USE_LEVEL);
    close_system(&s);
    matrix_free(&a);
    matrix_free(&b);
}

static void another_matrix_than_was_analysed_is_refused(void)
{
    Matrix a = lower3(2, 3, 4);
    Value f[] = {1, 1, 1}, x[] = {-7, -7, -7};
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    STATUS(0, analyse(&s, USE_LEVEL));
    s.op = T;
    STATUS(3, solve(&s, 1, f, x, USE_LEVEL));
    s.op = N;
    s.m = 2;
    STATUS(3, solve(&s, 1, f, x, USE_LEVEL));
    s.m = 3;
    describe(&s, UPPER, NON_UNIT);
    STATUS(3, solve(&s, 1, f, x, USE_LEVEL));
    describe(&s, LOWER, NON_UNIT);
    CHECK(x[0] == -7 && x[1] == -7 && x[2] == -7);
    SOLVES(&s, &a, USE_LEVEL);
    close_system(&s);
    matrix_free(&a);
}

static void malformed_pattern_is_an_invalid_value(void)
{
    Matrix a = lower3(2, 3, 4);
    a.ind[a.ptr[1]] = 3;
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    STATUS(3, analyse(&s, USE_LEVEL));
    close_system(&s);
    a.ind[a.ptr[1]] = 0;
    a.ptr[1] = 9;
    s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    STATUS(3, analyse(&s, USE_LEVEL));
    close_system(&s);
    matrix_free(&a);
}

static void empty_matrix_does_nothing(void)
{
    Matrix a = matrix_alloc(0, 0);
    double alpha = 1;
    for (int op = N; op <= H; op++) {
        System s = open_system(&a, D, op, LOWER, NON_UNIT, 0);
        /* A process that got no part of a matrix has no arrays either. */
        System none = s;
        none.val = none.ptr = none.ind = NULL;
        STATUS(0, analyse(&none, USE_LEVEL));
        STATUS(0, solve_raw(&none, &alpha, NULL, NULL, USE_LEVEL));
        STATUS(0, analyse(&s, USE_LEVEL));
        STATUS(0, solve_raw(&s, &alpha, s.val, s.val, USE_LEVEL));
        PIVOT(-1, &s);
        close_system(&s);
    }
    matrix_free(&a);
}

static void no_entries_and_a_unit_diagonal_give_alpha_f(void)
{
    Matrix a = matrix_alloc(4, 0);
    Value f[] = {1, 2, 3, 4}, x[4] = {0};
    for (int op = N; op <= H; op++) {
        System s = open_system(&a, D, op, UPPER, UNIT, 1);
        STATUS(0, analyse(&s, USE_LEVEL));
        STATUS(0, solve(&s, 3, f, x, USE_LEVEL));
        CHECK(x[0] == 3 && x[1] == 6 && x[2] == 9 && x[3] == 12);
        PIVOT(-1, &s);
        close_system(&s);
    }
    matrix_free(&a);
}

static void no_entries_and_no_diagonal_give_a_structural_zero(void)
{
    Matrix a = matrix_alloc(4, 0);
    for (int base = 0; base < 2; base++) {
        System s = open_system(&a, D, N, LOWER, NON_UNIT, base);
        STATUS(0, analyse(&s, USE_LEVEL));
        PIVOT(base, &s);
        close_system(&s);
    }
    matrix_free(&a);
}

static void negative_sizes_are_invalid_values(void)
{
    Matrix a = lower3(2, 3, 4);
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    int bytes = -7;
    s.m = -1;
    STATUS(3, size_query(&s, &bytes));
    STATUS(3, analyse(&s, USE_LEVEL));
    s.m = 3;
    s.nnz = -1;
    STATUS(3, size_query(&s, &bytes));
    STATUS(3, analyse(&s, USE_LEVEL));
    CHECK(bytes == 0);
    s.nnz = a.nnz;
    close_system(&s);
    matrix_free(&a);
}

static void nulls_are_invalid_values(void)
{
    Matrix a = lower3(2, 3, 4);
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0), w;
    Value f[] = {1, 1, 1};
    double one = 1;
    void *v = upload(D, f, 3);
    int bytes = 0;
    STATUS(0, analyse(&s, USE_LEVEL));
    STATUS(3, size_query(&s, NULL));
    w = s, w.descr = NULL;
    STATUS(3, size_query(&w, &bytes));
    STATUS(3, analyse(&w, USE_LEVEL));
    STATUS(3, solve_raw(&w, &one, v, v, USE_LEVEL));
    w = s, w.info = NULL;
    STATUS(3, size_query(&w, &bytes));
    STATUS(3, analyse(&w, USE_LEVEL));
    STATUS(3, solve_raw(&w, &one, v, v, USE_LEVEL));
    w = s, w.ptr = NULL;
    STATUS(3, analyse(&w, USE_LEVEL));
    STATUS(3, solve_raw(&w, &one, v, v, USE_LEVEL));
    w = s, w.ind = NULL;
    STATUS(3, analyse(&w, USE_LEVEL));
    STATUS(3, solve_raw(&w, &one, v, v, USE_LEVEL));
    w = s, w.val = NULL;
    STATUS(3, solve_raw(&w, &one, v, v, USE_LEVEL));
    STATUS(3, solve_raw(&s, NULL, v, v, USE_LEVEL));
    STATUS(3, solve_raw(&s, &one, NULL, v, USE_LEVEL));
    STATUS(3, solve_raw(&s, &one, v, NULL, USE_LEVEL));
    STATUS(3, cusparseCreateCsrsv2Info(NULL));
    SOLVES(&s, &a, USE_LEVEL);
    memory_free(v);
    close_system(&s);
    matrix_free(&a);
}

static void null_handle_is_not_initialized(void)
{
    Matrix a = lower3(2, 3, 4);
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    cusparseHandle_t kept = handle;
    int position = -77, bytes = 0;
    double one = 1;
    handle = NULL;
    STATUS(1, size_query(&s, &bytes));
    STATUS(1, analyse(&s, USE_LEVEL));
    STATUS(1, solve_raw(&s, &one, s.val, s.val, USE_LEVEL));
    STATUS(1, cusparseXcsrsv2_zeroPivot(handle, s.info, &position));
    CHECK(position == -77);
    handle = kept;
    close_system(&s);
    matrix_free(&a);
}

static void enums_out_of_range_are_invalid_values(void)
{
    Matrix a = lower3(2, 3, 4);
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    int bytes = -7;
    double one = 1;
    int wrong[] = {3, -1, INT_MAX};
    STATUS(0, analyse(&s, USE_LEVEL));
    for (int i = 0; i < 3; i++) {
        s.op = wrong[i];
        STATUS(3, size_query(&s, &bytes));
        STATUS(3, analyse(&s, USE_LEVEL));
        STATUS(3, solve_raw(&s, &one, s.val, s.val, USE_LEVEL));
        s.op = N;
        STATUS(3, analyse(&s, wrong[i]));
        STATUS(3, solve_raw(&s, &one, s.val, s.val, wrong[i]));
    }
    CHECK(bytes == 0);
    SOLVES(&s, &a, USE_LEVEL);
    close_system(&s);
    matrix_free(&a);
}

static void a_new_descriptor_is_general_lower_non_unit_zero(void)
{
    cusparseMatDescr_t descr;
    Matrix a = lower3(2, 3, 4);
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    STATUS(0, cusparseCreateMatDescr(&descr));
    CHECK(cusparseGetMatType(descr) == CUSPARSE_MATRIX_TYPE_GENERAL);
    CHECK(cusparseGetMatFillMode(descr) == CUSPARSE_FILL_MODE_LOWER);
    CHECK(cusparseGetMatDiagType(descr) == CUSPARSE_DIAG_TYPE_NON_UNIT);
    CHECK(cusparseGetMatIndexBase(descr) == CUSPARSE_INDEX_BASE_ZERO);
    STATUS(3, cusparseSetMatFillMode(descr, (cusparseFillMode_t)2));
    STATUS(0, cusparseDestroyMatDescr(s.descr));
    s.descr = descr;
    STATUS(0, analyse(&s, USE_LEVEL));
    SOLVES(&s, &a, USE_LEVEL);
    close_system(&s);
    matrix_free(&a);
}

/* ------------------------------------------------------------------------------- values that are not finite */

static void nan_in_f_propagates_down_the_dependencies(void)
{
    /* Rows 0 and 2 do not depend on row 1; row 3 does. */
    double dense[] = {2, HOLE, HOLE, HOLE, 1, 2, HOLE, HOLE, 1, HOLE, 2, HOLE, HOLE, 1, HOLE, 2};
    Matrix a = matrix_dense(4, dense);
    Value f[] = {2, NAN, 4, 6}, x[4] = {0};
    for (int policy = 0; policy < 2; policy++) {
        System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
        STATUS(0, analyse(&s, policy));
        STATUS(0, solve(&s, 1, f, x, policy));
        CHECK(x[0] == 1 && isnan(creal(x[1])) && x[2] == 1.5 && isnan(creal(x[3])));
        PIVOT(-1, &s);
        close_system(&s);
    }
    matrix_free(&a);
}

static void inf_on_the_diagonal_gives_zero_there(void)
{
    Matrix a = lower3(2, INFINITY, 4);
    Value f[] = {2, 3, 5}, x[3] = {0};
    for (int type = S; type <= D; type++) {
        System s = open_system(&a, type, N, LOWER, NON_UNIT, 0);
        STATUS(0, analyse(&s, USE_LEVEL));
        STATUS(0, solve(&s, 1, f, x, USE_LEVEL));
        CHECK(x[0] == 1 && x[1] == 0 && x[2] == 1);
        PIVOT(-1, &s);
        close_system(&s);
    }
    matrix_free(&a);
}

/* -------------------------------------------------------------------------------- streams and pointer modes */

static void pointer_mode_device(void)
{
    Matrix a = lower3(2, 0, 4);
    Matrix good = lower3(2, 3, 4);
    for (int type = S; type <= Z; type++) {
        Value alpha = 2, f[] = {1, 2, 3}, x[3] = {0};
        System s = open_system(&good, type, N, LOWER, NON_UNIT, 0);
        STATUS(0, analyse(&s, USE_LEVEL));
        STATUS(0, cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE));
        void *d_alpha = upload(type, &alpha, 1), *df = upload(type, f, 3), *dx = upload(type, f, 3);
        int untouched[3] = {-77, -77, -77}, positions[3];
        int *d_positions = upload_indices(untouched, 3, 0);
        STATUS(0, solve_raw(&s, d_alpha, df, dx, USE_LEVEL));
        download(type, dx, 3, x);
        CHECK(backward_error(&good, type, N, LOWER, NON_UNIT, alpha, f, x) <= ERROR_LIMIT);
        STATUS(0, cusparseXcsrsv2_zeroPivot(handle, s.info, d_positions + 1));
        memory_get(positions, d_positions, sizeof positions);
        CHECK(positions[0] == -77 && positions[1] == -1 && positions[2] == -77);
        put_values(&s, &a);
        STATUS(0, solve_raw(&s, d_alpha, df, dx, USE_LEVEL));
        STATUS(9, cusparseXcsrsv2_zeroPivot(handle, s.info, d_positions + 1));
        memory_get(positions, d_positions, sizeof positions);
        CHECK(positions[0] == -77 && positions[1] == 1 && positions[2] == -77);
        STATUS(0, cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
        memory_free(d_alpha);
        memory_free(df);
        memory_free(dx);
        memory_free(d_positions);
        close_system(&s);
    }
    matrix_free(&a);
    matrix_free(&good);
}

static void solve_is_captured_into_a_graph_and_analysis_is_not(void)
{
    if (!on_gpu)
        SKIP("CUDA graphs need a GPU");
    Matrix a = matrix_random(300, 8, 33), b = matrix_random(300, 8, 33);
    for (int k = 0; k < b.nnz; k++)
        b.val[k] *= 2;
    Value f[300], x[300] = {0};
    double alpha = 1;
    random_vector(D, 300, 1, f);
    for (int op = N; op <= T; op++) {
        void *stream = stream_create();
        System s = open_system(&a, D, op, LOWER, NON_UNIT, 0);
        void *df = upload(D, f, 300), *dx = upload(D, f, 300);
        STATUS(0, cusparseSetStream(handle, (cudaStream_t)stream));
        STATUS(0, analyse(&s, USE_LEVEL));
        stream_begin_capture(stream);
        STATUS(3, analyse(&s, USE_LEVEL));
        STATUS(0, solve_raw(&s, &alpha, df, dx, USE_LEVEL));
        void *graph = stream_end_capture(stream);
        CHECK(graph != NULL);
        /* The values of the replay, not those of the capture. */
        void *values = upload(D, b.val, b.nnz), *host = malloc((size_t)b.nnz * 8);
        memory_get(host, values, (size_t)b.nnz * 8);
        memory_put(s.val, host, (size_t)b.nnz * 8);
        free(host);
        memory_free(values);
        for (int i = 0; graph && i < 3; i++) {
            memory_fill(dx, 0, sizeof(double) * 300);
            graph_launch(graph, stream);
            stream_synchronize(stream);
            download(D, dx, 300, x);
            CHECK(backward_error(&b, D, op, LOWER, NON_UNIT, alpha, f, x) <= ERROR_LIMIT);
        }
        if (graph)
            graph_destroy(graph);
        STATUS(0, cusparseSetStream(handle, NULL));
        memory_free(df);
        memory_free(dx);
        close_system(&s);
        stream_destroy(stream);
    }
    matrix_free(&a);
    matrix_free(&b);
}

/* ------------------------------------------------------------------------------- what known programs do */

static void hypre_one_buffer_for_l_and_u_reallocated_in_between(void)
{
    Matrix a = matrix_random(120, 6, 35);
    System l = open_system(&a, D, N, LOWER, UNIT, 0), u = open_system(&a, D, N, UPPER, NON_UNIT, 0);
    size_t bytes = (size_t)(l.bytes > u.bytes ? l.bytes : u.bytes);
    memory_free(l.buffer);
    memory_free(u.buffer);
    l.buffer = u.buffer = memory_alloc(bytes);
    STATUS(0, analyse(&l, USE_LEVEL));
    STATUS(0, analyse(&u, USE_LEVEL));
    memory_fill(l.buffer, 0xFF, bytes);
    memory_free(l.buffer);
    l.buffer = u.buffer = memory_alloc(2 * bytes);
    for (int i = 0; i < 3; i++) {
        SOLVES(&l, &a, USE_LEVEL);
        SOLVES(&u, &a, USE_LEVEL);
    }
    u.buffer = NULL;
    close_system(&l);
    close_system(&u);
    matrix_free(&a);
}

static void psblas_size_query_before_the_arrays_are_filled(void)
{
    Matrix a = matrix_random(60, 6, 37);
    System s = open_system(&a, D, N, UPPER, NON_UNIT, 1);
    memory_fill(s.ptr, 0xFF, sizeof(int) * (size_t)(s.m + 1));
    memory_fill(s.ind, 0xFF, sizeof(int) * (size_t)s.nnz);
    memory_fill(s.val, 0xFF, sizeof(double) * (size_t)s.nnz);
    get_buffer(&s);
    put_matrix(&s, &a);
    STATUS(0, analyse(&s, USE_LEVEL));
    SOLVES(&s, &a, USE_LEVEL);
    close_system(&s);
    matrix_free(&a);
}

static void petsc_lower_then_upper_and_a_factor_with_its_transpose(void)
{
    Matrix a = matrix_random(100, 6, 39);
    System ilu[] = {open_system(&a, D, N, LOWER, NON_UNIT, 0), open_system(&a, D, N, UPPER, UNIT, 0)};
    System icc[] = {open_system(&a, D, N, UPPER, UNIT, 0), open_system(&a, D, T, UPPER, NON_UNIT, 0)};
    for (int i = 0; i < 2; i++) {
        STATUS(0, analyse(&ilu[i], USE_LEVEL));
        STATUS(0, analyse(&icc[i], USE_LEVEL));
    }
    for (int i = 0; i < 2; i++) {
        SOLVES(&ilu[i], &a, USE_LEVEL);
        SOLVES(&icc[i], &a, USE_LEVEL);
    }
    for (int i = 0; i < 2; i++) {
        close_system(&ilu[i]);
        close_system(&icc[i]);
    }
    matrix_free(&a);
}

static void one_descriptor_changed_between_calls(void)
{
    Matrix a = matrix_random(100, 6, 41);
    System l = open_system(&a, D, N, LOWER, UNIT, 0);
    System u = l;
    STATUS(0, cusparseCreateCsrsv2Info(&u.info));
    describe(&l, LOWER, UNIT);
    STATUS(0, analyse(&l, USE_LEVEL));
    describe(&u, UPPER, NON_UNIT);
    STATUS(0, analyse(&u, USE_LEVEL));
    for (int i = 0; i < 2; i++) {
        describe(&l, LOWER, UNIT);
        SOLVES(&l, &a, USE_LEVEL);
        describe(&u, UPPER, NON_UNIT);
        SOLVES(&u, &a, USE_LEVEL);
    }
    STATUS(0, cusparseDestroyCsrsv2Info(u.info));
    close_system(&l);
    matrix_free(&a);
}

static void many_infos_of_tiny_matrices_live_at_once(void)
{
    enum { COUNT = 300 };
    static System s[COUNT];
    Matrix a = lower3(2, 3, 4);
    for (int i = 0; i < COUNT; i++) {
        s[i] = open_system(&a, D, i % 2, LOWER, NON_UNIT, 0);
        STATUS(0, analyse(&s[i], USE_LEVEL));
    }
    for (int i = 0; i < COUNT; i++)
        SOLVES(&s[i], &a, USE_LEVEL);
    for (int i = 0; i < COUNT; i++)
        close_system(&s[i]);
    matrix_free(&a);
}

static void one_info_analysed_a_hundred_times(void)
{
    Matrix a = matrix_random(100, 6, 43);
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0);
    for (int i = 0; i < 100; i++)
        STATUS(0, analyse(&s, i % 2));
    SOLVES(&s, &a, USE_LEVEL);
    close_system(&s);
    matrix_free(&a);
}

static void info_never_analysed_is_destroyed(void)
{
    csrsv2Info_t info = NULL;
    STATUS(0, cusparseCreateCsrsv2Info(&info));
    CHECK(info != NULL);
    STATUS(0, cusparseDestroyCsrsv2Info(info));
    STATUS(0, cusparseDestroyCsrsv2Info(NULL));
}

static void info_outlives_its_handle_and_stream(void)
{
    Matrix a = matrix_random(100, 6, 45);
    cusparseHandle_t kept = handle;
    void *stream = on_gpu ? stream_create() : NULL;
    STATUS(0, cusparseCreate(&handle));
    STATUS(0, cusparseSetStream(handle, (cudaStream_t)stream));
    System s = open_system(&a, D, N, LOWER, NON_UNIT, 0), t = open_system(&a, D, T, LOWER, NON_UNIT, 0);
    STATUS(0, analyse(&s, USE_LEVEL));
    STATUS(0, analyse(&t, USE_LEVEL));
    SOLVES(&s, &a, USE_LEVEL);
    SOLVES(&t, &a, USE_LEVEL);
    STATUS(0, cusparseDestroy(handle));
    if (on_gpu)
        stream_destroy(stream);
    handle = kept;
    /* One is used with another handle, the other only destroyed. */
    SOLVES(&s, &a, USE_LEVEL);
    close_system(&s);
    close_system(&t);
    matrix_free(&a);
}

static void *solve_in_a_thread(void *line)
{
    memory_enter_thread();
    Matrix a = matrix_random(100, 6, 47);
    cusparseHandle_t own;
    long bad = 0;
    bad += cusparseCreate(&own) != 0;
    cusparseMatDescr_t descr;
    csrsv2Info_t info;
    bad += cusparseCreateMatDescr(&descr) != 0 || cusparseCreateCsrsv2Info(&info) != 0;
    int *ptr = upload_indices(a.ptr, a.m + 1, 0), *ind = upload_indices(a.ind, a.nnz, 0), bytes = 0;
    double *val = upload(D, a.val, a.nnz), alpha = 1;
    Value f[100], x[100] = {0};
    random_vector(D, 100, 5, f);
    double *df = upload(D, f, 100), *dx = upload(D, f, 100);
    bad += cusparseDcsrsv2_bufferSize(own, CUSPARSE_OPERATION_NON_TRANSPOSE, a.m, a.nnz, descr, val, ptr, ind, info,
                                      &bytes) != 0;
    void *buffer = memory_alloc((size_t)bytes);
    for (int i = 0; i < 20; i++) {
        bad += cusparseDcsrsv2_analysis(own, CUSPARSE_OPERATION_NON_TRANSPOSE, a.m, a.nnz, descr, val, ptr, ind, info,
                                        CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer) != 0;
        bad += cusparseDcsrsv2_solve(own, CUSPARSE_OPERATION_NON_TRANSPOSE, a.m, a.nnz, &alpha, descr, val, ptr, ind,
                                     info, df, dx, CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer) != 0;
        download(D, dx, 100, x);
        bad += !(backward_error(&a, D, N, LOWER, NON_UNIT, alpha, f, x) <= ERROR_LIMIT);
    }
    bad += cusparseDestroyCsrsv2Info(info) != 0 || cusparseDestroyMatDescr(descr) != 0 || cusparseDestroy(own) != 0;
    memory_free(ptr), memory_free(ind), memory_free(val), memory_free(df), memory_free(dx), memory_free(buffer);
    matrix_free(&a);
    *(long *)line = bad;
    return line;
}

static void threads_with_handles_of_their_own(void)
{
    enum { COUNT = 4 };
    pthread_t threads[COUNT];
    long bad[COUNT];
    for (int i = 0; i < COUNT; i++)
        CHECK(pthread_create(&threads[i], NULL, solve_in_a_thread, &bad[i]) == 0);
    for (int i = 0; i < COUNT; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(bad[i] == 0);
    }
}

int main(void)
{
    on_gpu = open_executor("csrsv2");
    printf("cuSPARSE: %s\n", dlsym(RTLD_DEFAULT, "cusparse_is_a_stand_in") ? "stand-in" : "real");
    if (cusparseCreate(&handle) != CUSPARSE_STATUS_SUCCESS) {
        printf("cusparseCreate failed\ncsrsv2: 0 passed, 1 failed, 0 skipped\n");
        return 1;
    }

    RUN(solves_op_a_x_equals_alpha_f);
    RUN(solves_a_system_worked_by_hand);
    RUN(fill_mode_names_the_stored_triangle_and_the_other_is_ignored);
    RUN(op_h_on_real_types_is_t);
    RUN(unit_diagonal_is_not_read_and_may_be_missing);
    RUN(values_are_read_at_every_solve);
    RUN(analysis_does_not_need_the_values);
    RUN(solves_in_place);
    RUN(unsorted_rows_are_accepted);
    RUN(fifty_runs_give_the_same_bits);

    RUN(structural_zero);
    RUN(structural_zero_by_hand);
    RUN(numerical_zero);
    RUN(pivot_state_is_reset_by_the_next_solve);
    RUN(no_zero_gives_success_and_minus_one);
    RUN(zero_pivot_before_any_analysis);
    RUN(zero_pivot_writes_one_int);

    RUN(buffer_is_scratch);
    RUN(buffer_may_be_aligned_to_8_bytes);
    RUN(null_buffer_is_refused);
    RUN(buffer_size_is_never_zero);
    RUN(nothing_is_written_beyond_the_buffer);
    RUN(transposed_serves_hermitian_of_real_types);
    RUN(policy_of_the_analysis_binds_the_solve);
    RUN(matrix_type_must_be_general);
    RUN(solve_before_analysis);
    RUN(info_serves_another_matrix_after_a_new_analysis);
    RUN(another_matrix_than_was_analysed_is_refused);
    RUN(malformed_pattern_is_an_invalid_value);
    RUN(empty_matrix_does_nothing);
    RUN(no_entries_and_a_unit_diagonal_give_alpha_f);
    RUN(no_entries_and_no_diagonal_give_a_structural_zero);
    RUN(negative_sizes_are_invalid_values);
    RUN(nulls_are_invalid_values);
    RUN(null_handle_is_not_initialized);
    RUN(enums_out_of_range_are_invalid_values);
    RUN(a_new_descriptor_is_general_lower_non_unit_zero);

    RUN(nan_in_f_propagates_down_the_dependencies);
    RUN(inf_on_the_diagonal_gives_zero_there);

    RUN(pointer_mode_device);
    RUN(solve_is_captured_into_a_graph_and_analysis_is_not);

    RUN(hypre_one_buffer_for_l_and_u_reallocated_in_between);
    RUN(psblas_size_query_before_the_arrays_are_filled);
    RUN(petsc_lower_then_upper_and_a_factor_with_its_transpose);
    RUN(one_descriptor_changed_between_calls);
    RUN(many_infos_of_tiny_matrices_live_at_once);
    RUN(one_info_analysed_a_hundred_times);
    RUN(info_never_analysed_is_destroyed);
    RUN(info_outlives_its_handle_and_stream);
    RUN(threads_with_handles_of_their_own);

    CHECK(cusparseDestroy(handle) == CUSPARSE_STATUS_SUCCESS);
    return close_tally("csrsv2");
}
