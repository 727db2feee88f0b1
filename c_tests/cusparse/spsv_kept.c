/*
 * The contract of SpSV, through the library: what a descriptor keeps of the matrix, how updateMatrix changes it, and what
 * may change or end between the calls.
 */

#include "contract.h"

/* Formats, operations and types by one number below 24; H for complex types, N and T for all. */
static Options varied(int k)
{
    Options o = {.type = k % 4, .op = k / 4 % 2, .format = CSR + k / 8 % 3, .fill = k % 2, .base = k / 4 % 2};
    if (o.op == T && is_complex(o.type) && k / 8 % 2)
        o.op = H;
    if (is_refused(&o))
        o.format = COO;
    return o;
}

/* ------------------------------------------------------------------------------- what an analysis keeps */

static void arrays_may_be_overwritten_after_the_analysis(void)
{
    Matrix a = matrix_random(70, 6, 11);
    for (int k = 0; k < 24; k++) {
        System s = open_prepared(&a, varied(k));
        memory_fill(s.a.values, 0xFF, (size_t)a.nnz * value_bytes(s.o.type));
        memory_fill(s.a.indices, 0xFF, (size_t)a.nnz * 4);
        memory_fill(s.a.offsets, 0xFF, s.a.format == COO ? (size_t)a.nnz * 4 : 71 * 4);
        SOLVES(&s, &a);
        close_system(&s);
    }
    matrix_free(&a);
}

static void arrays_may_be_freed_after_the_analysis(void)
{
    Matrix a = matrix_random(70, 6, 11);
    for (int k = 0; k < 24; k++) {
        System s = open_prepared(&a, varied(k));
        memory_free(s.a.values);
        memory_free(s.a.indices);
        memory_free(s.a.offsets);
        s.a.values = s.a.indices = s.a.offsets = NULL;
        SOLVES(&s, &a);
        close_system(&s);
    }
    matrix_free(&a);
}

/* The analysed matrix is solved whatever matA is at the solve, if it could be one. */
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

static void operation_of_the_analysis_counts(void)
{
    Matrix a = matrix_random(60, 6, 12);
    for (int type = D; type <= Z; type += Z - D)
        for (int k = 0; k < 9; k++) {
            int analysed = k % 3, solved = k / 3;
            if (!is_complex(type) && (analysed == H || solved == H))
                continue;
            System s = open_prepared(&a, (Options){.type = type, .op = analysed});
            s.call.op = solved;
            SOLVES(&s, &a);
            close_system(&s);
        }
    System s = open_prepared(&a, (Options){.type = D, .op = T});
    s.call.op = H;
    REFUSES(3, &s);
    close_system(&s);
    matrix_free(&a);
}

static void buffer_of_any_alignment_serves(void)
{
    Matrix a = matrix_random(64, 6, 25);
    for (int type = S; type <= Z; type++)
        for (int shift = 4; shift <= 8; shift += 4) {
            System s = open_here(&a, (Options){.type = type});
            STATUS(0, system_size(&s));
            char *block = memory_alloc(s.bytes + 8);
            s.buffer = block + shift;
            STATUS(0, system_analyse(&s));
            SOLVES(&s, &a);
            SOLVES(&s, &a);
            s.buffer = NULL;
            close_system(&s);
            memory_free(block);
        }
    matrix_free(&a);
}

/* With 12.6 and 12.9 it must survive from the analysis to the last solve; no program may write beyond it. */
static void nothing_is_written_beyond_the_buffer(void)
{
    enum { GUARD = 4096 };
    unsigned char guard[GUARD];
    Matrix a = matrix_random(700, 8, 35);
    for (int k = 0; k < 24; k++) {
        System s = open_here(&a, varied(k));
        STATUS(0, system_size(&s));
        s.buffer = memory_alloc(s.bytes + GUARD);
        memory_fill(s.buffer, 0x5A, s.bytes + GUARD);
        STATUS(0, system_analyse(&s));
        SOLVES(&s, &a);
        memory_get(guard, (char *)s.buffer + s.bytes, GUARD);
        int touched = 0;
        for (int i = 0; i < GUARD; i++)
            touched += guard[i] != 0x5A;
        CHECK(touched == 0);
        close_system(&s);
    }
    matrix_free(&a);
}

/* ------------------------------------------------------------------------------------------- updates */

/* system_update overwrites and frees the array of new values before the solve. */
static void general_update_changes_all_values(void)
{
    Matrix a = matrix_random(70, 6, 31), b = matrix_revalued(&a, 1), c = matrix_revalued(&b, 2);
    for (int k = 0; k < 24; k++) {
        System s = open_prepared(&a, varied(k));
        SOLVES(&s, &a);
        STATUS(0, system_update(&s, &b, GENERAL));
        SOLVES(&s, &b);
        SOLVES(&s, &b);
        STATUS(0, system_update(&s, &c, GENERAL));
        STATUS(0, system_update(&s, &a, GENERAL));
        SOLVES(&s, &a);
        close_system(&s);
    }
    matrix_free(&c);
    matrix_free(&b);
    matrix_free(&a);
}

static void diagonal_update_changes_the_diagonal(void)
{
    Matrix a = matrix_random(70, 6, 33), b = matrix_copy(&a);
    for (int i = 0; i < a.m; i++)
        b.val[matrix_diagonal(&b, i)] *= 1.25 + i % 3;
    for (int k = 0; k < 24; k++) {
        System s = open_prepared(&a, varied(k));
        STATUS(0, system_update(&s, &b, DIAGONAL));
        SOLVES(&s, &b);
        STATUS(0, system_update(&s, &a, DIAGONAL));
        SOLVES(&s, &a);
        close_system(&s);
    }
    matrix_free(&b);
    matrix_free(&a);
}

static void diagonal_and_general_updates_follow_each_other(void)
{
    Matrix a = matrix_random(70, 6, 34), b = matrix_revalued(&a, 4), c = matrix_copy(&b);
    for (int i = 0; i < a.m; i++)
        c.val[matrix_diagonal(&c, i)] = 3 + i % 5;
    for (int k = 0; k < 24; k++) {
        System s = open_prepared(&a, varied(k));
        STATUS(0, system_update(&s, &b, GENERAL));
        STATUS(0, system_update(&s, &c, DIAGONAL));
        SOLVES(&s, &c);
        STATUS(0, system_update(&s, &b, GENERAL));
        SOLVES(&s, &b);
        close_system(&s);
    }
    matrix_free(&c);
    matrix_free(&b);
    matrix_free(&a);
}

static void general_update_of_unsorted_rows(void)
{
    Matrix a = matrix_random(60, 8, 36), b;
    matrix_unsort(&a);
    b = matrix_revalued(&a, 5);
    for (int k = 0; k < 24; k++) {
        System s = open_prepared(&a, varied(k));
        STATUS(0, system_update(&s, &b, GENERAL));
        SOLVES(&s, &b);
        close_system(&s);
    }
    matrix_free(&b);
    matrix_free(&a);
}

static void general_update_holds_nan_in_the_other_triangle(void)
{
    Matrix a = matrix_random(60, 6, 37);
    for (int k = 0; k < 24; k++) {
        Options o = varied(k);
        Matrix b = matrix_revalued(&a, 6);
        matrix_poison(&b, o.fill);
        System s = open_prepared(&a, o);
        STATUS(0, system_update(&s, &b, GENERAL));
        SOLVES(&s, &b);
        close_system(&s);
        matrix_free(&b);
    }
    matrix_free(&a);
}

/* A diagonal of ones stays so, as in cuSPARSE 12.9; 12.6 divides by the values of a DIAGONAL update. */
static void updates_of_a_unit_diagonal(void)
{
    Matrix a = matrix_random(60, 6, 38), b = matrix_revalued(&a, 7);
    for (int k = 0; k < 24; k++) {
        Options o = varied(k);
        o.diag = UNIT;
        System s = open_prepared(&a, o);
        STATUS(0, system_update(&s, &b, GENERAL));
        SOLVES(&s, &b);
        STATUS(0, system_update(&s, &a, DIAGONAL));
        SOLVES(&s, &b);
        STATUS(0, system_update(&s, &a, GENERAL));
        SOLVES(&s, &a);
        close_system(&s);
    }
    matrix_free(&b);
    matrix_free(&a);
}

static void update_before_the_analysis_has_no_effect(void)
{
    Matrix a = matrix_random(40, 6, 39), b = matrix_revalued(&a, 8);
    for (int part = GENERAL; part <= DIAGONAL; part++) {
        System s = open_here(&a, (Options){.type = D});
        STATUS(0, system_update(&s, &b, part));
        STATUS(0, system_prepare(&s));
        SOLVES(&s, &a);
        close_system(&s);
    }
    matrix_free(&b);
    matrix_free(&a);
}

static void an_analysis_undoes_an_update(void)
{
    Matrix a = matrix_random(40, 6, 40), b = matrix_revalued(&a, 9);
    System s = open_prepared(&a, (Options){.type = Z});
    STATUS(0, system_update(&s, &b, GENERAL));
    SOLVES(&s, &b);
    STATUS(0, system_analyse(&s));
    SOLVES(&s, &a);
    close_system(&s);
    matrix_free(&b);
    matrix_free(&a);
}

static void wrong_updates_are_refused(void)
{
    Matrix a = matrix_random(40, 6, 41), b = matrix_revalued(&a, 9);
    System s = open_prepared(&a, (Options){.type = D});
    void *values = stored_values(&s.a, &b);
    Call c = *system_call(&s);
    STATUS(3, call_update(&solver, &c, NULL, GENERAL));
    c.handle = NULL;
    STATUS(3, call_update(&solver, &c, values, GENERAL));
    c = s.call, c.descr = NULL;
    STATUS(3, call_update(&solver, &c, values, GENERAL));
    STATUS(3, call_update(&solver, &s.call, values, 2));
    STATUS(3, call_update(&solver, &s.call, values, -1));
    SOLVES(&s, &a);
    memory_free(values);
    close_system(&s);
    matrix_free(&b);
    matrix_free(&a);
}

/* --------------------------------------------------------------------------------- a descriptor's life */

static void a_descriptor_serves_another_matrix_after_a_new_analysis(void)
{
    Matrix a = matrix_random(50, 5, 43), b = matrix_random(80, 7, 44);
    for (int k = 0; k < 24; k++) {
        Options first = varied(k), second = varied(23 - k);
        second.diag = UNIT;
        System s = open_prepared(&a, first), t = open_system(NULL, handle, &b, second);
        SOLVES(&s, &a);
        t.solver = &solver;
        t.call.descr = s.call.descr;
        STATUS(0, system_prepare(&t));
        SOLVES(&t, &b);
        STATUS(0, system_prepare(&s));
        SOLVES(&s, &a);
        t.solver = NULL;
        close_system(&t);
        close_system(&s);
    }
    matrix_free(&b);
    matrix_free(&a);
}

/* L, U and their transposes, with a buffer each, in any order. */
static void four_descriptors_live_side_by_side(void)
{
    Matrix a = matrix_random(120, 7, 45);
    System s[4];
    for (int k = 0; k < 4; k++)
        s[k] = open_prepared(&a, (Options){.type = D, .op = k % 2, .fill = k / 2, .diag = k / 2});
    for (int round = 0; round < 3; round++)
        for (int k = 3; k >= 0; k--)
            SOLVES(&s[k], &a);
    for (int k = 0; k < 4; k++)
        close_system(&s[k]);
    matrix_free(&a);
}

static void other_vectors_may_be_solved(void)
{
    Matrix a = matrix_random(50, 5, 46);
    for (int k = 0; k < 24; k++) {
        System s = open_prepared(&a, varied(k));
        system_renew_vectors(&s);
        SOLVES(&s, &a);
        close_system(&s);
    }
    matrix_free(&a);
}

static void vectors_may_be_null_before_the_solve(void)
{
    Matrix a = matrix_random(50, 5, 47);
    for (int k = 0; k < 24; k++) {
        System s = open_here(&a, varied(k));
        void *x = s.call.x, *y = s.call.y;
        s.call.x = s.call.y = NULL;
        STATUS(0, system_prepare(&s));
        s.call.x = x, s.call.y = y;
        SOLVES(&s, &a);
        close_system(&s);
    }
    matrix_free(&a);
}

static void input_is_not_changed(void)
{
    Matrix a = matrix_random(50, 5, 48);
    for (int type = S; type <= Z; type++) {
        System s = open_prepared(&a, (Options){.type = type});
        Value f[50];
        SOLVES(&s, &a);
        values_to_host(type, s.b, 50, f);
        CHECK(memcmp(f, s.f, sizeof f) == 0);
        close_system(&s);
    }
    matrix_free(&a);
}

static void another_handle_may_solve_and_the_first_may_be_gone(void)
{
    Matrix a = matrix_random(50, 5, 49), b = matrix_revalued(&a, 10);
    cusparseHandle_t first, second;
    STATUS(0, cusparse.Create(&first));
    STATUS(0, cusparse.Create(&second));
    System s = open_system(&solver, first, &a, (Options){.type = D});
    STATUS(0, system_prepare(&s));
    s.call.handle = second;
    SOLVES(&s, &a);
    STATUS(0, cusparse.Destroy(first));
    SOLVES(&s, &a);
    STATUS(0, system_update(&s, &b, GENERAL));
    SOLVES(&s, &b);
    STATUS(0, cusparse.Destroy(second));
    s.call.handle = handle;
    SOLVES(&s, &b);
    close_system(&s);
    matrix_free(&b);
    matrix_free(&a);
}

static void a_descriptor_may_end_right_after_a_solve(void)
{
    Matrix a = matrix_random(900, 6, 50);
    for (int k = 0; k < 24; k++) {
        System s = open_prepared(&a, varied(k));
        STATUS(0, system_solve(&s));
        STATUS(0, system_forget(&s));
        CHECK(strcmp(system_verdict(&s, &a), "right") == 0);
        close_system(&s);
    }
    matrix_free(&a);
}

/* ------------------------------------------------------------------------------------ streams and graphs */

static void solves_on_the_stream_of_the_handle(void)
{
    if (!on_gpu)
        SKIP("streams need a GPU");
    Matrix a = matrix_random(500, 6, 51), b = matrix_revalued(&a, 11);
    void *streams[2] = {stream_create(), stream_create()};
    System s = open_prepared(&a, (Options){.type = D});
    for (int round = 0; round < 4; round++) {
        STATUS(0, cusparse.SetStream(handle, streams[round % 2]));
        STATUS(0, system_update(&s, round % 2 ? &a : &b, GENERAL));
        SOLVES(&s, round % 2 ? &a : &b);
        memory_synchronize();
    }
    STATUS(0, cusparse.SetStream(handle, NULL));
    stream_destroy(streams[0]);
    stream_destroy(streams[1]);
    SOLVES(&s, &a);
    close_system(&s);
    matrix_free(&b);
    matrix_free(&a);
}

static int record_update(System *s, void *values) { return call_update(&solver, &s->call, values, GENERAL); }

static void solve_can_be_captured(void)
{
    if (!on_gpu)
        SKIP("graphs need a GPU");
    Matrix a = matrix_random(500, 6, 52), b = matrix_revalued(&a, 12);
    void *stream = stream_create();
    for (int k = 0; k < 24; k++) {
        Options o = varied(k);
        o.device_alpha = k / 4 % 2;
        System s = open_prepared(&a, o);
        STATUS(0, system_solve(&s)); /* fills the vectors */
        void *graph = capture(__LINE__, &s, stream, record_solve, NULL);
        for (int round = 0; graph && round < 3; round++) {
            if (round == 2)
                STATUS(0, system_update(&s, &b, GENERAL));
            memory_fill(s.c, 0xFF, s.c_count * value_bytes(o.type));
            graph_launch(graph, stream);
            stream_synchronize(stream);
            CHECK(strcmp(system_verdict(&s, round == 2 ? &b : &a), "right") == 0);
        }
        if (graph)
            graph_destroy(graph);
        close_system(&s);
    }
    stream_destroy(stream);
    matrix_free(&b);
    matrix_free(&a);
}

static void update_can_be_captured(void)
{
    if (!on_gpu)
        SKIP("graphs need a GPU");
    Matrix a = matrix_random(500, 6, 53), b = matrix_revalued(&a, 13);
    void *stream = stream_create();
    System s = open_prepared(&a, (Options){.type = D});
    void *values = stored_values(&s.a, &b), *graph = capture(__LINE__, &s, stream, record_update, values);
    SOLVES(&s, &a);
    if (graph) {
        graph_launch(graph, stream);
        stream_synchronize(stream);
        SOLVES(&s, &b);
        graph_destroy(graph);
    }
    memory_free(values);
    close_system(&s);
    stream_destroy(stream);
    matrix_free(&b);
    matrix_free(&a);
}

/* ---------------------------------------------------------- analyses of descriptors that are destroyed */

/* Lives of one matrix and of others of the same size, one after the other and side by side, from the same arrays and others. */
static void a_new_descriptor_takes_over_an_analysis(void)
{
    enum { OTHERS = 12 };
    Matrix same[OTHERS];
    for (int i = 0; i < OTHERS; i++)
        same[i] = i % 3 ? matrix_revalued(&same[i - i % 3], (unsigned)i) : matrix_random(300, 6, (unsigned)(60 + i));
    for (int k = 0; k < 24; k++) {
        Options o = varied(k);
        for (int i = 0; i < OTHERS; i++)
            LIVES(&same[i], .type = o.type, .op = o.op, .format = o.format, .fill = o.fill, .base = o.base);
        for (int i = 0; i + 2 < OTHERS; i += 3) {
            System s = open_prepared(&same[i], o), t = open_prepared(&same[i + 1], o);
            SOLVES(&s, &same[i]);
            SOLVES(&t, &same[i + 1]);
            close_system(&s);
            s = open_prepared(&same[i + 2], o);
            SOLVES(&t, &same[i + 1]);
            SOLVES(&s, &same[i + 2]);
            close_system(&s);
            close_system(&t);
        }
    }
    for (int i = 0; i < OTHERS; i++)
        matrix_free(&same[i]);
}

/* What was updated before is what the arrays hold at the next analysis. */
static void a_kept_analysis_has_the_values_of_the_new_one(void)
{
    Matrix a = matrix_random(200, 6, 71), b = matrix_revalued(&a, 5);
    for (int k = 0; k < 24; k++) {
        System s = open_prepared(&a, varied(k));
        STATUS(0, system_update(&s, &b, GENERAL));
        SOLVES(&s, &b);
        STATUS(0, system_forget(&s));
        STATUS(0, system_create(&s, &solver));
        STATUS(0, system_size(&s));
        STATUS(0, system_analyse(&s));
        SOLVES(&s, &a);
        close_system(&s);
    }
    matrix_free(&b);
    matrix_free(&a);
}

/* The next analysis is on another stream while the solve of the destroyed descriptor is still under way. */
static void a_kept_analysis_waits_for_its_solves(void)
{
    if (!on_gpu)
        SKIP("streams need a GPU");
    Matrix a = matrix_random(20000, 6, 72), b = matrix_revalued(&a, 6);
    void *streams[2] = {stream_create(), stream_create()};
    for (int k = 0; k < 24; k++) {
        System s = open_here(&a, varied(k)), t = open_here(&b, varied(k));
        STATUS(0, cusparse.SetStream(handle, streams[0]));
        STATUS(0, system_prepare(&s));
        for (int i = 0; i < 10; i++)
            STATUS(0, system_solve(&s));
        STATUS(0, system_forget(&s));
        STATUS(0, cusparse.SetStream(handle, streams[1]));
        STATUS(0, system_prepare(&t));
        SOLVES(&t, &b);
        stream_synchronize(streams[0]);
        CHECK(strcmp(system_verdict(&s, &a), "right") == 0);
        close_system(&s);
        close_system(&t);
        STATUS(0, cusparse.SetStream(handle, NULL));
    }
    stream_destroy(streams[0]);
    stream_destroy(streams[1]);
    matrix_free(&b);
    matrix_free(&a);
}

/* ---------------------------------------------------------------------------------------- passing on */

/* The library solves these itself: cuSPARSE's own analysis and solve see no call. */
static void what_is_served_does_not_reach_cusparse(void)
{
    static const struct {
        int format, width;
    } served[] = {{CSR, 0}, {CSR, 1}, {CSC, 0}, {COO, 0}};
    int *calls = stand_in("cusparse_standin_calls");
    if (calls == NULL)
        SKIP("only the stand-in counts its calls");
    Matrix a = matrix_random(50, 5, 54);
    for (int k = 0; k < 4 * 3 * 4; k++) {
        Options o = {.type = k % 4, .op = k / 4 % 3, .format = served[k / 12].format, .width = served[k / 12].width};
        int analyses = calls[SPSV_ANALYSIS], solves = calls[SPSV_SOLVE];
        if (is_refused(&o))
            continue;
        one_life(__LINE__, &a, &a, o);
        if (calls[SPSV_ANALYSIS] != analyses || calls[SPSV_SOLVE] != solves)
            complain(__LINE__, "type %c op %c format %d width %d reached cuSPARSE", "SDCZ"[o.type], "NTH"[o.op], o.format,
                     o.width);
    }
    matrix_free(&a);
}

int main(void)
{
    open_contract("spsv_kept");
    RUN(arrays_may_be_overwritten_after_the_analysis);
    RUN(arrays_may_be_freed_after_the_analysis);
    RUN(another_matrix_at_the_solve_changes_nothing);
    RUN(operation_of_the_analysis_counts);
    RUN(buffer_of_any_alignment_serves);
    RUN(nothing_is_written_beyond_the_buffer);
    RUN(general_update_changes_all_values);
    RUN(diagonal_update_changes_the_diagonal);
    RUN(diagonal_and_general_updates_follow_each_other);
    RUN(general_update_of_unsorted_rows);
    RUN(general_update_holds_nan_in_the_other_triangle);
    RUN(updates_of_a_unit_diagonal);
    RUN(update_before_the_analysis_has_no_effect);
    RUN(an_analysis_undoes_an_update);
    RUN(wrong_updates_are_refused);
    RUN(a_descriptor_serves_another_matrix_after_a_new_analysis);
    RUN(four_descriptors_live_side_by_side);
    RUN(other_vectors_may_be_solved);
    RUN(vectors_may_be_null_before_the_solve);
    RUN(input_is_not_changed);
    RUN(another_handle_may_solve_and_the_first_may_be_gone);
    RUN(a_descriptor_may_end_right_after_a_solve);
    RUN(solves_on_the_stream_of_the_handle);
    RUN(solve_can_be_captured);
    RUN(update_can_be_captured);
    RUN(a_new_descriptor_takes_over_an_analysis);
    RUN(a_kept_analysis_has_the_values_of_the_new_one);
    RUN(a_kept_analysis_waits_for_its_solves);
    RUN(what_is_served_does_not_reach_cusparse);
    return close_contract("spsv_kept");
}
