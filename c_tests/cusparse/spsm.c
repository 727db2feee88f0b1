/*
 * The contract of SpSM, through the library: what spsv.c and spsv_kept.c test of SpSV, where SpSM is called in another
 * way, and the layouts of dense matrices.
 */

#include "contract.h"

static Options varied(int k)
{
    Options o = {.dense = 1, .type = k % 4, .op = k / 4 % 2, .format = CSR + k / 8 % 3, .fill = k % 2, .base = k / 4 % 2,
                 .columns = 1 + k % 7, .op_b = k / 2 % 2, .order_b = COL + k / 3 % 2, .order_c = COL + k / 5 % 2,
                 .pad_b = k % 3, .pad_c = k % 5};
    if (o.op == T && is_complex(o.type) && k / 8 % 2)
        o.op = H;
    if (is_refused(&o))
        o.format = COO;
    return o;
}

/* ------------------------------------------------------------------------------------------- solving */

static void solves_every_combination(void)
{
    static const int columns[] = {1, 2, 3, 4, 7, 8, 17, 40}, sizes[] = {1, 2, 9, 40, 257};
    for (int size = 0; size < 5; size++) {
        Matrix a = matrix_random(sizes[size], 6, 3);
        for (int k = 0; k < 4 * 3 * 2 * 2 * 2 * 3 * 2; k++) {
            Options o = {.dense = 1, .type = k % 4, .op = k / 4 % 3, .fill = k / 12 % 2, .diag = k / 24 % 2,
                         .base = k / 48 % 2, .format = CSR + k / 96 % 3, .width = k / 288, .columns = columns[k / 3 % 8],
                         .order_b = COL + k % 2, .order_c = COL + k / 2 % 2, .op_b = k / 7 % 2, .pad_b = k % 3,
                         .pad_c = k / 5 % 3, .device_alpha = k / 11 % 2, .seed = (unsigned)k};
            if (!is_refused(&o))
                one_life(__LINE__, &a, &a, o);
        }
        matrix_free(&a);
    }
}

static void solves_every_layout(void)
{
    static const int columns[] = {1, 3, 8, 40};
    Matrix a = matrix_random(70, 6, 4);
    for (int k = 0; k < 4 * 2 * 2 * 2 * 3 * 3 * 4; k++) {
        Options o = {.dense = 1, .type = k % 4, .op_b = k / 4 % 2, .order_b = COL + k / 8 % 2, .order_c = COL + k / 16 % 2,
                     .pad_b = k / 32 % 3 * 5, .pad_c = k / 96 % 3 * 3, .columns = columns[k / 288], .op = k / 3 % 2,
                     .fill = k / 7 % 2};
        one_life(__LINE__, &a, &a, o);
    }
    matrix_free(&a);
}

static void solves_3000_rows(void)
{
    Matrix a = matrix_random(3000, 8, 5);
    for (int k = 0; k < 12; k++)
        LIVES(&a, .dense = 1, .type = k % 4, .op = k % 2, .fill = k / 4 % 2, .columns = 1 + 3 * k, .order_b = COL + k / 3 % 2,
              .order_c = COL + k / 2 % 2, .format = k % 3 ? COO : CSR);
    matrix_free(&a);
}

/* B and C have one descriptor, or two on the same memory. */
static void solves_in_place(void)
{
    Matrix a = matrix_random(90, 6, 13);
    for (int k = 0; k < 4 * 3 * 2 * 2 * 2; k++) {
        Options o = {.dense = 1, .type = k % 4, .op = k / 4 % 3, .in_place = 1 + k / 12 % 2, .columns = 1 + k % 9};
        o.order_b = o.order_c = COL + k / 24 % 2;
        o.pad_b = o.pad_c = k / 48 * 3;
        if (!is_refused(&o))
            one_life(__LINE__, &a, &a, o);
    }
    matrix_free(&a);
}

static void singular_and_unsorted_matrices_are_taken_as_by_spsv(void)
{
    Matrix a = matrix_random(60, 8, 15), doubled = matrix_with_duplicates(&a), holes = matrix_copy(&a);
    matrix_unsort(&a);
    for (int i = 3; i < holes.m; i += 7)
        matrix_drop_diagonal(&holes, i);
    for (int k = 0; k < 24; k++) {
        Options o = varied(k);
        one_life(__LINE__, &a, &a, o);
        one_life(__LINE__, &doubled, &doubled, o);
        one_life(__LINE__, &holes, &holes, o);
        o.diag = UNIT;
        one_life(__LINE__, &holes, &holes, o);
        Matrix poisoned = matrix_copy(&a);
        matrix_poison(&poisoned, o.fill);
        one_life(__LINE__, &poisoned, &poisoned, o);
        matrix_free(&poisoned);
    }
    matrix_free(&holes);
    matrix_free(&doubled);
    matrix_free(&a);
}

static void zero_on_the_diagonal_divides(void)
{
    Matrix a = matrix_random(40, 5, 21);
    a.val[matrix_diagonal(&a, 9)] = 0;
    for (int type = S; type <= D; type++) {
        System s = open_prepared(&a, (Options){.dense = 1, .type = type, .columns = 3});
        Value x[3 * 40];
        STATUS(0, system_solve(&s));
        system_result(&s, x);
        for (int j = 0; j < 3; j++)
            CHECK(isinf(creal(x[j * 40 + 9])));
        close_system(&s);
    }
    matrix_free(&a);
}

static void ten_runs_give_the_same_bits(void)
{
    enum { COUNT = 300 * 9 };
    Matrix a = matrix_random(300, 12, 17);
    for (int k = 0; k < 4 * 2; k++) {
        System s = open_prepared(&a, (Options){.dense = 1, .type = k % 4, .op = k / 4, .columns = 9});
        static Value first[COUNT], x[COUNT];
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

/* cuSPARSE answers with 7 to a C of no columns; no program can rely on that. */
static void no_columns_do_no_harm(void)
{
    Matrix a = matrix_random(40, 5, 22);
    System s = open_here(&a, (Options){.dense = 1, .type = D, .columns = 0, .pad_b = 40, .pad_c = 40});
    int status = system_prepare(&s);
    if (status == 0)
        status = system_solve(&s);
    CHECK(status == 0 || status == 7);
    close_system(&s);
    matrix_free(&a);
}

static void empty_matrix_does_nothing(void)
{
    Matrix a = matrix_alloc(0, 0);
    System s = open_here(&a, (Options){.dense = 1, .type = D, .columns = 3});
    int status = system_prepare(&s);
    if (status == 0)
        status = system_solve(&s);
    CHECK(status == 0 || status == 7);
    close_system(&s);
    matrix_free(&a);
}

/* ------------------------------------------------------------------------------- what an analysis keeps */

static void arrays_may_be_freed_after_the_analysis(void)
{
    Matrix a = matrix_random(70, 6, 11);
    for (int k = 0; k < 24; k++) {
        System s = open_prepared(&a, varied(k));
        memory_fill(s.a.values, 0xFF, (size_t)a.nnz * value_bytes(s.o.type));
        memory_fill(s.a.indices, 0xFF, (size_t)a.nnz * 4);
        SOLVES(&s, &a);
        memory_free(s.a.values);
        memory_free(s.a.indices);
        memory_free(s.a.offsets);
        s.a.values = s.a.indices = s.a.offsets = NULL;
        SOLVES(&s, &a);
        close_system(&s);
    }
    matrix_free(&a);
}

static void another_matrix_at_the_solve_changes_nothing(void)
{
    Matrix a = matrix_random(70, 6, 11), b = matrix_revalued(&a, 3);
    for (int k = 0; k < 24; k++) {
        System s = open_prepared(&a, varied(k));
        const Options *o = &s.o;
        Stored other = store_matrix(&b, o->type, o->format, o->width, o->base, o->fill, o->diag);
        s.call.mat = other.mat;
        SOLVES(&s, &a);
        STATUS(0, cusparse.SpMatSetValues(other.mat, NULL));
        SOLVES(&s, &a);
        s.call.mat = s.a.mat;
        discard_matrix(&other);
        close_system(&s);
    }
    matrix_free(&b);
    matrix_free(&a);
}

static void updates_change_the_values(void)
{
    Matrix a = matrix_random(70, 6, 31), b = matrix_revalued(&a, 1), c = matrix_copy(&b);
    for (int i = 0; i < a.m; i++)
        c.val[matrix_diagonal(&c, i)] = 3 + i % 5;
    for (int k = 0; k < 24; k++) {
        System s = open_here(&a, varied(k));
        STATUS(0, system_update(&s, &b, GENERAL));
        STATUS(0, system_prepare(&s));
        SOLVES(&s, &a);
        STATUS(0, system_update(&s, &b, GENERAL));
        SOLVES(&s, &b);
        STATUS(0, system_update(&s, &c, DIAGONAL));
        SOLVES(&s, &c);
        STATUS(0, system_analyse(&s));
        SOLVES(&s, &a);
        close_system(&s);
    }
    matrix_free(&c);
    matrix_free(&b);
    matrix_free(&a);
}

/* The columns of B and C may be more or fewer at the solve than at the analysis. */
static void other_numbers_of_columns_may_be_solved(void)
{
    static const int pairs[][2] = {{4, 8}, {8, 4}, {1, 30}, {30, 1}};
    Matrix a = matrix_random(60, 6, 32);
    for (int k = 0; k < 4 * 4 * 2; k++) {
        Options o = {.dense = 1, .type = k % 4, .op = k / 16, .columns = pairs[k / 4 % 4][0]};
        System s = open_prepared(&a, o);
        o.columns = pairs[k / 4 % 4][1];
        System t = open_system(NULL, handle, &a, o);
        t.solver = &solver;
        t.call.descr = s.call.descr;
        SOLVES(&t, &a);
        SOLVES(&s, &a);
        t.solver = NULL;
        close_system(&t);
        close_system(&s);
    }
    matrix_free(&a);
}

static void operation_of_the_analysis_counts(void)
{
    Matrix a = matrix_random(60, 6, 12);
    for (int k = 0; k < 9; k++) {
        System s = open_prepared(&a, (Options){.dense = 1, .type = Z, .op = k % 3, .columns = 4});
        s.call.op = k / 3;
        SOLVES(&s, &a);
        close_system(&s);
    }
    matrix_free(&a);
}

static void handles_vectors_and_descriptors_may_end(void)
{
    Matrix a = matrix_random(50, 5, 49);
    for (int k = 0; k < 24; k++) {
        cusparseHandle_t other;
        STATUS(0, cusparse.Create(&other));
        System s = open_system(&solver, other, &a, varied(k));
        STATUS(0, system_prepare(&s));
        STATUS(0, cusparse.Destroy(other));
        s.call.handle = handle;
        system_renew_vectors(&s);
        SOLVES(&s, &a);
        STATUS(0, system_solve(&s));
        STATUS(0, system_forget(&s));
        CHECK(strcmp(system_verdict(&s, &a), "right") == 0);
        close_system(&s);
    }
    matrix_free(&a);
}

static void a_descriptor_serves_another_matrix_after_a_new_analysis(void)
{
    Matrix a = matrix_random(50, 5, 43), b = matrix_random(80, 7, 44);
    for (int k = 0; k < 24; k++) {
        System s = open_prepared(&a, varied(k)), t = open_system(NULL, handle, &b, varied(23 - k));
        SOLVES(&s, &a);
        t.solver = &solver;
        t.call.descr = s.call.descr;
        STATUS(0, system_prepare(&t));
        SOLVES(&t, &b);
        t.solver = NULL;
        close_system(&t);
        close_system(&s);
    }
    matrix_free(&b);
    matrix_free(&a);
}

static void solve_can_be_captured(void)
{
    if (!on_gpu)
        SKIP("graphs need a GPU");
    Matrix a = matrix_random(500, 6, 52);
    void *stream = stream_create();
    for (int k = 0; k < 24; k++) {
        System s = open_prepared(&a, varied(k));
        STATUS(0, system_solve(&s)); /* fills the matrices */
        void *graph = capture(__LINE__, &s, stream, record_solve, NULL);
        for (int round = 0; graph && round < 2; round++) {
            memory_put(s.c, s.before, s.c_count * value_bytes(s.o.type));
            graph_launch(graph, stream);
            stream_synchronize(stream);
            CHECK(strcmp(system_verdict(&s, &a), "right") == 0);
        }
        if (graph)
            graph_destroy(graph);
        close_system(&s);
    }
    stream_destroy(stream);
    matrix_free(&a);
}

static void a_descriptor_may_change_sides(void) { change_sides(1); }

/* ------------------------------------------------------------------------------------------- refusing */

static void null_descriptors(void)
{
    STATUS(3, solver.SpSM_createDescr(NULL));
    STATUS(0, solver.SpSM_destroyDescr(NULL));
}

static void wrong_arguments_are_refused(void)
{
    Matrix a = matrix_random(9, 3, 22);
    System s = open_prepared(&a, (Options){.dense = 1, .type = D, .columns = 2});
    REFUSED_WITH(3, &s, c->handle = NULL);
    REFUSED_WITH(3, &s, c->alpha = NULL);
    REFUSED_WITH(3, &s, c->mat = NULL);
    REFUSED_WITH(3, &s, c->descr = NULL);
    REFUSED_WITH(3, &s, c->op = 3);
    REFUSED_WITH(3, &s, c->op = -1);
    REFUSED_WITH(3, &s, c->op_b = 3);
    REFUSED_WITH(3, &s, c->alg = 1);
    STATUS(3, call_size(&solver, system_call(&s), NULL));
    SOLVES(&s, &a);
    close_system(&s);
    matrix_free(&a);
}

static void op_h_of_b_is_not_supported(void)
{
    Matrix a = matrix_random(9, 3, 22);
    for (int type = S; type <= Z; type++) {
        System s = open_prepared(&a, (Options){.dense = 1, .type = type, .columns = 9});
        REFUSED_WITH(10, &s, c->op_b = H);
        SOLVES(&s, &a);
        close_system(&s);
    }
    matrix_free(&a);
}

/* cuSPARSE refuses it, where SpSV crashes. */
static void null_buffer_is_refused(void)
{
    Matrix a = matrix_random(9, 3, 22);
    System s = open_here(&a, (Options){.dense = 1, .type = D, .columns = 2});
    STATUS(0, system_size(&s));
    STATUS(3, call_analysis(&solver, system_call(&s), NULL));
    close_system(&s);
    matrix_free(&a);
}

static void solve_needs_an_analysis(void)
{
    Matrix a = matrix_random(9, 3, 26);
    System s = open_here(&a, (Options){.dense = 1, .type = D, .columns = 2});
    REFUSES(1, &s);
    STATUS(0, system_size(&s));
    REFUSES(1, &s);
    STATUS(0, system_analyse(&s));
    SOLVES(&s, &a);
    close_system(&s);
    matrix_free(&a);
}

static void destroyed_descriptors_are_refused(void)
{
    Matrix a = matrix_random(9, 3, 26);
    System s = open_prepared(&a, (Options){.dense = 1, .type = D, .columns = 2});
    void *descr = s.call.descr;
    STATUS(0, system_forget(&s));
    CHECK(destroy_descr(&solver, 1, descr) != 0);
    s.solver = &solver;
    s.call.descr = descr;
    CHECK(system_analyse(&s) != 0);
    CHECK(system_solve(&s) != 0);
    CHECK(system_untouched(&s));
    s.solver = NULL;
    close_system(&s);
    matrix_free(&a);
}

static void what_is_served_does_not_reach_cusparse(void)
{
    int *calls = stand_in("cusparse_standin_calls");
    if (calls == NULL)
        SKIP("only the stand-in counts its calls");
    Matrix a = matrix_random(50, 5, 54);
    int before[STANDIN_CALLS];
    memcpy(before, calls, sizeof before);
    for (int k = 0; k < 24; k++) {
        Options o = varied(k);
        one_life(__LINE__, &a, &a, o);
    }
    CHECK(calls[SPSM_ANALYSIS] == before[SPSM_ANALYSIS]);
    CHECK(calls[SPSM_SOLVE] == before[SPSM_SOLVE]);
    matrix_free(&a);
}

int main(void)
{
    open_contract("spsm");
    RUN(solves_every_combination);
    RUN(solves_every_layout);
    RUN(solves_3000_rows);
    RUN(solves_in_place);
    RUN(singular_and_unsorted_matrices_are_taken_as_by_spsv);
    RUN(zero_on_the_diagonal_divides);
    RUN(ten_runs_give_the_same_bits);
    RUN(no_columns_do_no_harm);
    RUN(empty_matrix_does_nothing);
    RUN(arrays_may_be_freed_after_the_analysis);
    RUN(another_matrix_at_the_solve_changes_nothing);
    RUN(updates_change_the_values);
    RUN(other_numbers_of_columns_may_be_solved);
    RUN(operation_of_the_analysis_counts);
    RUN(handles_vectors_and_descriptors_may_end);
    RUN(a_descriptor_serves_another_matrix_after_a_new_analysis);
    RUN(a_descriptor_may_change_sides);
    RUN(solve_can_be_captured);
    RUN(null_descriptors);
    RUN(wrong_arguments_are_refused);
    RUN(op_h_of_b_is_not_supported);
    RUN(null_buffer_is_refused);
    RUN(solve_needs_an_analysis);
    RUN(destroyed_descriptors_are_refused);
    RUN(what_is_served_does_not_reach_cusparse);
    return close_contract("spsm");
}
