/*
 * The contract of SpSV, through the library: what it solves and what it refuses. What a descriptor keeps is in
 * spsv_kept.c. Statuses are written as numbers.
 */

#include "contract.h"

/* ------------------------------------------------------------------------------------------- solving */

static void solves_every_combination(void)
{
    static const int sizes[] = {1, 2, 9, 40, 257};
    for (int size = 0; size < 5; size++) {
        Matrix a = matrix_random(sizes[size], 6, 3);
        for (int k = 0; k < 4 * 3 * 2 * 2 * 2 * 3 * 2; k++) {
            Options o = {.type = k % 4, .op = k / 4 % 3, .fill = k / 12 % 2, .diag = k / 24 % 2, .base = k / 48 % 2,
                         .format = CSR + k / 96 % 3, .width = k / 288, .device_alpha = (k + k / 12) % 2,
                         .seed = (unsigned)k};
            if (!is_refused(&o))
                one_life(__LINE__, &a, &a, o);
        }
        matrix_free(&a);
    }
}

static void solves_3000_rows(void)
{
    Matrix a = matrix_random(3000, 8, 5);
    for (int k = 0; k < 4 * 3 * 2 * 3; k++) {
        Options o = {.type = k % 4, .op = k / 4 % 3, .fill = k / 12 % 2, .format = CSR + k / 24};
        if (!is_refused(&o))
            one_life(__LINE__, &a, &a, o);
    }
    matrix_free(&a);
}

static void solves_a_system_worked_by_hand(void)
{
    /* [2 .; 1 4] x = 1.5 * (1, 3): x = (3/4, 15/16). Its transpose: x = (3/16, 9/8). */
    double dense[] = {2, NAN, 1, 4};
    Matrix a = matrix_dense(2, dense);
    Value x[2];
    for (int op = N; op <= T; op++) {
        System s = open_here(&a, (Options){.type = D, .op = op});
        s.f[0] = 1, s.f[1] = 3;
        STATUS(0, system_prepare(&s));
        STATUS(0, system_solve(&s));
        system_result(&s, x);
        CHECK(x[0] == (op == N ? 0.75 : 0.1875) && x[1] == (op == N ? 0.9375 : 1.125));
        close_system(&s);
    }
    matrix_free(&a);
}

static void other_triangle_may_hold_nan(void)
{
    for (int k = 0; k < 3 * 2 * 3; k++) {
        Options o = {.type = k % 3 == H ? Z : D, .op = k % 3, .fill = k / 3 % 2, .format = CSR + k / 6};
        Matrix a = matrix_random(60, 6, 5);
        matrix_poison(&a, o.fill);
        if (!is_refused(&o))
            one_life(__LINE__, &a, &a, o);
        matrix_free(&a);
    }
}

static void unit_diagonal_is_not_read_and_may_be_missing(void)
{
    for (int k = 0; k < 2 * 2 * 3; k++) {
        Options o = {.type = D, .op = k % 2, .fill = k / 2 % 2, .diag = UNIT, .base = 1, .format = CSR + k / 4};
        Matrix a = matrix_random(50, 5, 9);
        for (int i = 0; i < a.m; i++)
            a.val[matrix_diagonal(&a, i)] = i % 2 ? 0 : NAN;
        for (int i = 0; i < a.m; i += 3)
            matrix_drop_diagonal(&a, i);
        if (!is_refused(&o))
            one_life(__LINE__, &a, &a, o);
        matrix_free(&a);
    }
}

/* Neither a status nor an Inf: a program that relies on it solves with an incomplete factor. */
static void missing_diagonal_counts_as_one(void)
{
    for (int k = 0; k < 4 * 3 * 2 * 3; k++) {
        Options o = {.type = k % 4, .op = k / 4 % 3, .fill = k / 12 % 2, .format = CSR + k / 24, .base = k % 2};
        Matrix a = matrix_random(40, 5, 19);
        for (int i = 3; i < a.m; i += 7)
            matrix_drop_diagonal(&a, i);
        if (!is_refused(&o))
            one_life(__LINE__, &a, &a, o); /* system_verdict puts in the ones */
        matrix_free(&a);
    }
}

static void zero_on_the_diagonal_divides(void)
{
    for (int k = 0; k < 4 * 2 * 2; k++) {
        Options o = {.type = k % 4, .op = k / 4 % 2, .fill = k / 8};
        Matrix a = matrix_random(40, 5, 21);
        a.val[matrix_diagonal(&a, 9)] = 0;
        System s = open_prepared(&a, o);
        Value x[40];
        STATUS(0, system_solve(&s));
        system_result(&s, x);
        if (is_complex(o.type))
            CHECK(!isfinite(creal(x[9])) || !isfinite(cimag(x[9])));
        else
            CHECK(isinf(creal(x[9])));
        close_system(&s);
        matrix_free(&a);
    }
}

static void unsorted_rows_are_accepted(void)
{
    Matrix a = matrix_random(60, 8, 15);
    matrix_unsort(&a);
    for (int k = 0; k < 4 * 3 * 2 * 3; k++) {
        Options o = {.type = k % 4, .op = k / 4 % 3, .fill = k / 12 % 2, .format = CSR + k / 24};
        if (!is_refused(&o))
            one_life(__LINE__, &a, &a, o);
    }
    matrix_free(&a);
}

static void duplicates_off_the_diagonal_add_up(void)
{
    Matrix a = matrix_random(60, 6, 16), doubled = matrix_with_duplicates(&a);
    for (int k = 0; k < 4 * 3 * 2 * 3; k++) {
        Options o = {.type = k % 4, .op = k / 4 % 3, .fill = k / 12 % 2, .format = CSR + k / 24};
        if (!is_refused(&o))
            one_life(__LINE__, &doubled, &doubled, o);
    }
    matrix_free(&doubled);
    matrix_free(&a);
}

static void solves_in_place(void)
{
    Matrix a = matrix_random(90, 6, 13);
    for (int k = 0; k < 4 * 3 * 2 * 2; k++) {
        Options o = {.type = k % 4, .op = k / 4 % 3, .fill = k / 12 % 2, .in_place = 1 + k / 24};
        if (!is_refused(&o))
            one_life(__LINE__, &a, &a, o);
    }
    matrix_free(&a);
}

/* A linear solver whose alpha is 0 is no way to get rid of a NaN. */
static void alpha_of_zero_keeps_nan(void)
{
    Matrix a = matrix_random(20, 4, 14);
    for (int type = S; type <= Z; type++) {
        System s = open_here(&a, (Options){.type = type});
        Value x[20];
        s.alpha = 0;
        memset(s.alpha_host, 0, sizeof s.alpha_host);
        s.f[0] = NAN;
        STATUS(0, system_prepare(&s));
        STATUS(0, system_solve(&s));
        system_result(&s, x);
        CHECK(isnan(creal(x[0])));
        s.f[0] = 1;
        STATUS(0, system_solve(&s));
        system_result(&s, x);
        for (int i = 0; i < 20; i++)
            CHECK(x[i] == 0);
        close_system(&s);
    }
    matrix_free(&a);
}

static void alpha_is_read_where_the_pointer_mode_says(void)
{
    Matrix a = matrix_random(40, 5, 18);
    for (int k = 0; k < 4 * 2; k++) {
        System s = open_prepared(&a, (Options){.type = k % 4, .device_alpha = k / 4});
        SOLVES(&s, &a);
        /* Another alpha at the same place, then in the other place. */
        s.alpha = -2;
        convert(s.o.type, &s.alpha, 1, s.alpha_host);
        memory_put(s.alpha_device, s.alpha_host, sizeof s.alpha_host);
        SOLVES(&s, &a);
        s.o.device_alpha = !s.o.device_alpha;
        SOLVES(&s, &a);
        close_system(&s);
    }
    matrix_free(&a);
}

static void ten_runs_give_the_same_bits(void)
{
    Matrix a = matrix_random(300, 12, 17);
    for (int k = 0; k < 4 * 2; k++) {
        System s = open_prepared(&a, (Options){.type = k % 4, .op = k / 4});
        Value first[300], x[300];
        STATUS(0, system_solve(&s));
        system_result(&s, first);
        for (int run = 1; run < 10; run++) {
            STATUS(0, system_solve(&s));
            system_result(&s, x);
            CHECK(memcmp(x, first, sizeof x) == 0);
        }
        close_system(&s);
    }
    matrix_free(&a);
}

/* A process that got no part of a matrix has a matrix of no rows, and may have no arrays either. */
static void empty_matrix_does_nothing(void)
{
    Matrix a = matrix_alloc(0, 0);
    for (int k = 0; k < 4 * 3; k++) {
        Options o = {.type = k % 4, .op = k / 4};
        if (!is_refused(&o))
            one_life(__LINE__, &a, &a, o);
    }
    matrix_free(&a);
}

static void no_entries_give_alpha_f(void)
{
    Matrix a = matrix_alloc(40, 0);
    for (int k = 0; k < 4 * 2 * 2 * 2; k++)
        LIVES(&a, .type = k % 4, .op = k / 4 % 2, .diag = k / 8 % 2, .fill = k / 16, .base = k % 2);
    matrix_free(&a);
}

static void every_algorithm_of_the_version_is_accepted(void)
{
    Matrix a = matrix_random(50, 5, 20);
    for (int alg = -1; alg <= 4; alg++) {
        System s = open_here(&a, (Options){.type = D, .alg = alg});
        int known = alg == 0 || (!is_old() && alg > 0 && alg <= 2);
        STATUS(known ? 0 : 3, system_size(&s));
        s.bytes = known ? s.bytes : 1 << 16;
        STATUS(known ? 0 : 3, system_analyse(&s));
        if (known) {
            SOLVES(&s, &a);
            s.call.alg = 99;
            REFUSES(3, &s);
        }
        close_system(&s);
    }
    matrix_free(&a);
}

/* A size that was asked for with one descriptor, and an analysis with another, which is passed on as a diagonal entry is missing. */
static void a_buffer_may_have_another_descriptors_size(void)
{
    enum { BEHIND = 1 << 16 };
    static unsigned char bytes[BEHIND];
    Matrix a = matrix_random(40, 5, 19);
    matrix_drop_diagonal(&a, 3);
    System sized = open_here(&a, (Options){.type = D}), s = open_here(&a, (Options){.type = D});
    STATUS(0, system_size(&sized));
    s.bytes = sized.bytes;
    s.buffer = memory_alloc(s.bytes + BEHIND);
    memory_fill(s.buffer, 0x5c, s.bytes + BEHIND);
    STATUS(0, system_analyse(&s));
    SOLVES(&s, &a);
    memory_get(bytes, (char *)s.buffer + s.bytes, BEHIND);
    int touched = 0;
    for (int i = 0; i < BEHIND; i++)
        touched += bytes[i] != 0x5c;
    CHECK(touched == 0);
    close_system(&sized);
    close_system(&s);
    matrix_free(&a);
}

static void a_descriptor_may_change_sides(void) { change_sides(0); }

/* A format that cuSPARSE solves and this library does not. */
static void sliced_ell_is_passed_on(void)
{
    Matrix a = matrix_random(50, 5, 45);
    int *calls = stand_in("cusparse_standin_calls");
    for (int type = S; type <= Z; type++)
        for (int base = 0; base < 2; base++) {
            System s = open_here(&a, (Options){.type = type, .base = base, .fill = type % 2});
            Stored sliced = store_sliced(&a, type, base, s.o.fill, s.o.diag);
            int before = calls ? calls[SPSV_SOLVE] : 0;
            s.call.mat = sliced.mat;
            STATUS(0, system_prepare(&s));
            SOLVES(&s, &a);
            CHECK(calls == NULL || calls[SPSV_SOLVE] == before + 1);
            discard_matrix(&sliced);
            close_system(&s);
        }
    matrix_free(&a);
}

/* ------------------------------------------------------------------------------------------- refusing */

static void nulls_are_invalid_values(void)
{
    Matrix a = matrix_random(9, 3, 22);
    System s = open_prepared(&a, (Options){.type = D});
    REFUSED_WITH(3, &s, c->handle = NULL);
    REFUSED_WITH(3, &s, c->alpha = NULL);
    REFUSED_WITH(3, &s, c->mat = NULL);
    REFUSED_WITH(3, &s, c->descr = NULL);
    STATUS(3, call_size(&solver, system_call(&s), NULL));
    Call c = *system_call(&s);
    c.x = NULL;
    STATUS(3, call_solve(&solver, &c));
    c = *system_call(&s), c.y = NULL;
    STATUS(3, call_solve(&solver, &c));
    SOLVES(&s, &a);
    close_system(&s);
    matrix_free(&a);
}

static void unknown_numbers_are_invalid_values(void)
{
    Matrix a = matrix_random(9, 3, 22);
    System s = open_prepared(&a, (Options){.type = D});
    REFUSED_WITH(3, &s, c->op = 3);
    REFUSED_WITH(3, &s, c->op = -1);
    REFUSED_WITH(3, &s, c->alg = 3);
    REFUSED_WITH(3, &s, c->alg = -1);
    if (is_old())
        REFUSED_WITH(3, &s, c->alg = 1);
    SOLVES(&s, &a);
    close_system(&s);
    matrix_free(&a);
}

static void op_h_is_refused_for_real_types(void)
{
    Matrix a = matrix_random(9, 3, 22);
    for (int type = S; type <= D; type++) {
        System s = open_prepared(&a, (Options){.type = type});
        REFUSED_WITH(3, &s, c->op = H);
        SOLVES(&s, &a);
        close_system(&s);
    }
    matrix_free(&a);
}

/* A program may hold one of three types wrong; the solve says so. */
static void types_must_agree_at_the_solve(void)
{
    Matrix a = matrix_random(9, 3, 22);
    System s = open_prepared(&a, (Options){.type = D}), other = open_prepared(&a, (Options){.type = S});
    struct {
        cusparseConstSpMatDescr_t mat;
        void *x, *y;
        int type;
    } wrong[] = {{other.a.mat, s.call.x, s.call.y, CUDA_R_64F},
                 {s.a.mat, other.call.x, s.call.y, CUDA_R_64F},
                 {s.a.mat, s.call.x, other.call.y, CUDA_R_64F},
                 {s.a.mat, s.call.x, s.call.y, CUDA_R_32F}};
    for (int k = 0; k < 4; k++) {
        Call c = *system_call(&s);
        c.mat = wrong[k].mat, c.x = wrong[k].x, c.y = wrong[k].y, c.type = wrong[k].type;
        STATUS(10, call_solve(&solver, &c));
    }
    SOLVES(&s, &a);
    close_system(&other);
    close_system(&s);
    matrix_free(&a);
}

/* Old versions make no descriptor with offsets and columns of different widths. */
static void some_index_types_are_not_supported(void)
{
    Matrix a = matrix_random(9, 3, 22);
    System s = open_prepared(&a, (Options){.type = D});
    for (int width = 2; width <= 4; width++) {
        Stored other = store_matrix(&a, D, CSR, width, 0, LOWER, NON_UNIT);
        if (other.status == 0)
            REFUSED_WITH(10, &s, c->mat = other.mat);
        else
            CHECK(other.status == 10 && is_old());
        discard_matrix(&other);
    }
    SOLVES(&s, &a);
    close_system(&s);
    matrix_free(&a);
}

/* A library that solves what an old cuSPARSE refused harms no program. */
static void csc_is_refused_or_right_in_old_versions(void)
{
    Matrix a = matrix_random(40, 5, 24);
    System s = open_here(&a, (Options){.type = D, .format = CSC});
    int status = system_prepare(&s);
    if (status == 0)
        SOLVES(&s, &a);
    else if (status != 10 || !is_old())
        complain(__LINE__, "CSC: status %d", status);
    close_system(&s);
    matrix_free(&a);
}

static void solve_needs_an_analysis(void)
{
    Matrix a = matrix_random(9, 3, 26);
    System s = open_here(&a, (Options){.type = D});
    REFUSES(1, &s);
    STATUS(0, system_size(&s));
    REFUSES(1, &s);
    s.call.op = H;
    STATUS(3, system_analyse(&s));
    s.call.op = N;
    REFUSES(1, &s);
    STATUS(0, system_analyse(&s));
    SOLVES(&s, &a);
    close_system(&s);
    matrix_free(&a);
}

static void null_descriptors(void)
{
    STATUS(3, solver.SpSV_createDescr(NULL));
    STATUS(0, solver.SpSV_destroyDescr(NULL));
}

/* cuSPARSE itself crashes or does worse. */
static void destroyed_descriptors_are_refused(void)
{
    Matrix a = matrix_random(9, 3, 26);
    System s = open_prepared(&a, (Options){.type = D});
    void *descr = s.call.descr;
    STATUS(0, system_forget(&s));
    CHECK(destroy_descr(&solver, 0, descr) != 0);
    s.solver = &solver;
    s.call.descr = descr;
    size_t bytes;
    CHECK(call_size(&solver, system_call(&s), &bytes) != 0);
    CHECK(system_analyse(&s) != 0);
    CHECK(system_solve(&s) != 0);
    CHECK(system_untouched(&s));
    CHECK(system_update(&s, &a, GENERAL) != 0);
    s.solver = NULL;
    close_system(&s);
    matrix_free(&a);
}

/* Such a descriptor may reach cuSPARSE, which may crash: the stand-in does not. */
static void descriptors_that_nobody_made_are_refused(void)
{
    static char nobodys[4096];
    if (!stand_in("cusparse_is_a_stand_in"))
        SKIP("cuSPARSE itself is loaded");
    Matrix a = matrix_random(9, 3, 26);
    System s = open_prepared(&a, (Options){.type = D});
    Call c = *system_call(&s);
    size_t bytes;
    c.descr = nobodys;
    CHECK(call_size(&solver, &c, &bytes) != 0);
    CHECK(call_analysis(&solver, &c, s.buffer) != 0);
    CHECK(call_solve(&solver, &c) != 0);
    CHECK(call_update(&solver, &c, s.a.values, GENERAL) != 0);
    CHECK(destroy_descr(&solver, 0, nobodys) != 0);
    close_system(&s);
    matrix_free(&a);
}

int main(void)
{
    open_contract("spsv");
    RUN(solves_every_combination);
    RUN(solves_3000_rows);
    RUN(solves_a_system_worked_by_hand);
    RUN(other_triangle_may_hold_nan);
    RUN(unit_diagonal_is_not_read_and_may_be_missing);
    RUN(missing_diagonal_counts_as_one);
    RUN(zero_on_the_diagonal_divides);
    RUN(unsorted_rows_are_accepted);
    RUN(duplicates_off_the_diagonal_add_up);
    RUN(solves_in_place);
    RUN(alpha_of_zero_keeps_nan);
    RUN(alpha_is_read_where_the_pointer_mode_says);
    RUN(ten_runs_give_the_same_bits);
    RUN(empty_matrix_does_nothing);
    RUN(no_entries_give_alpha_f);
    RUN(every_algorithm_of_the_version_is_accepted);
    RUN(a_descriptor_may_change_sides);
    RUN(a_buffer_may_have_another_descriptors_size);
    RUN(sliced_ell_is_passed_on);
    RUN(nulls_are_invalid_values);
    RUN(unknown_numbers_are_invalid_values);
    RUN(op_h_is_refused_for_real_types);
    RUN(types_must_agree_at_the_solve);
    RUN(some_index_types_are_not_supported);
    RUN(csc_is_refused_or_right_in_old_versions);
    RUN(solve_needs_an_analysis);
    RUN(null_descriptors);
    RUN(destroyed_descriptors_are_refused);
    RUN(descriptors_that_nobody_made_are_refused);
    return close_contract("spsv");
}
