/* The differential test's single stories: unusual orders of calls, boosts, and patterns that libsptrsv does not factorise. */

#include "diff_ilu02.h"

#include <stdio.h>

enum { ROWS = 60 };

/* ---- stories ---- */

static void pivot_before_anything(Life *l) { pivot(l), whole_life(l); }
static void pivot_after_size(Life *l) { size(l), pivot(l); }
static void factorisation_before_anything(Life *l) { factorise(l), pivot(l), whole_life(l); }
static void factorisation_after_size(Life *l) { size(l), factorise(l), pivot(l); }
static void analysis_without_size(Life *l) { analyse(l), pivot(l), factorise(l), pivot(l); }
static void nothing_at_all(Life *l) { (void)l; }

static void many_factorisations(Life *l)
{
    Matrix good = copy_of(&l->a);
    whole_life(l);
    for (int k = 1; k < 4; k++) {
        for (int e = 0; e < good.nnz; e++)
            good.val[e] *= 1.25;
        renew_values(l, &good);
        factorise(l), pivot(l);
    }
    matrix_free(&good);
}

static void two_analyses(Life *l)
{
    Matrix good = copy_of(&l->a);
    whole_life(l);
    renew_values(l, &good);
    analyse(l), pivot(l), factorise(l), pivot(l);
    matrix_free(&good);
}

static void analysis_forgets_a_zero_pivot(Life *l)
{
    Matrix good = copy_of(&l->a), bad = copy_of(&l->a);
    set_pivot(&bad, 20, 0);
    renew_values(l, &bad);
    whole_life(l);
    analyse(l), pivot(l);
    renew_values(l, &good);
    factorise(l), pivot(l), pivot(l);
    matrix_free(&good), matrix_free(&bad);
}

static void another_matrix(Life *l)
{
    whole_life(l);
    renew_matrix(l, matrix_for(NODES, 90, 5));
    whole_life(l);
    renew_matrix(l, matrix_for(RANDOM, 20, 6));
    whole_life(l);
}

static void large_matrices(Life *l)
{
    static const int shapes[] = {GRID_2D, GRID_3D, TRIDIAGONAL, NODES};
    for (int k = 0; k < 4; k++) {
        renew_matrix(l, matrix_for(shapes[k], 1536, 7 + (unsigned)k));
        whole_life(l);
    }
}

static void another_matrix_without_size(Life *l)
{
    whole_life(l);
    renew_matrix(l, matrix_for(RANDOM, 20, 6));
    analyse(l), pivot(l), factorise(l), pivot(l);
}

static void other_arrays(Life *l)
{
    size(l), analyse(l);
    int *ptr = l->ptr, *ind = l->ind;
    Matrix same = copy_of(&l->a);
    void *val = l->val;
    Life other = open_life(l->f, l->out, l->kind, l->type, l->index_base, same);
    l->ptr = other.ptr, l->ind = other.ind, l->val = other.val;
    factorise(l), pivot(l);
    l->ptr = ptr, l->ind = ind, l->val = val;
    close_life(&other);
}

static void drop_rows(Life *l, int count)
{
    Matrix a = copy_of(&l->a);
    for (int k = 0; k < count; k++)
        matrix_drop_diagonal(&a, 40 - 10 * k);
    renew_matrix(l, a);
}

static void missing_diagonal(Life *l) { drop_rows(l, 1), whole_life(l); }
static void missing_diagonals(Life *l) { drop_rows(l, 3), whole_life(l); }

static void missing_diagonal_then_a_good_matrix(Life *l)
{
    missing_diagonal(l);
    renew_matrix(l, matrix_for(RANDOM, 50, 8));
    whole_life(l);
}

static void good_matrix_then_missing_diagonal(Life *l) { whole_life(l), drop_rows(l, 1), whole_life(l); }

static void missing_diagonal_boosted(Life *l)
{
    if (l->kind == ILU)
        boost(l, 1, 1e-3, 3);
    missing_diagonal(l);
}

static void unsorted_rows(Life *l)
{
    Matrix a = copy_of(&l->a);
    matrix_unsort(&a);
    renew_matrix(l, a);
    size(l), analyse(l), pivot(l), factorise(l), pivot(l);
}

static void unsorted_rows_boosted(Life *l)
{
    Matrix a = copy_of(&l->a);
    set_pivot(&a, 20, 0);
    matrix_unsort(&a);
    renew_matrix(l, a);
    if (l->kind == ILU)
        boost(l, 1, 1e-3, 3);
    size(l), analyse(l);
    if (l->kind == ILU)
        boost(l, 1, 1e-3, 2);
    factorise(l), pivot(l);
}

/* Senseless ones: see the judge. */
static void index_out_of_range(Life *l)
{
    int far = 1 << 28;
    memory_put(l->ind + 100, &far, sizeof far);
    size(l), analyse(l), pivot(l);
}

static void offsets_that_fall(Life *l)
{
    int high = l->nnz + l->index_base;
    memory_put(l->ptr + 10, &high, sizeof high);
    size(l), analyse(l), pivot(l);
}

static void other_size_at_the_factorisation(Life *l)
{
    size(l), analyse(l);
    l->m = ROWS / 2, l->nnz = l->a.ptr[ROWS / 2];
    factorise(l), pivot(l);
}

static void other_type_at_the_factorisation(Life *l)
{
    size(l), analyse(l);
    Life other = open_life(l->f, l->out, l->kind, l->type == D ? S : C, l->index_base, copy_of(&l->a));
    Info own = other.info;
    other.info = l->info, other.buffer = l->buffer;
    factorise(&other), pivot(&other);
    other.info = own, other.buffer = NULL;
    close_life(&other);
}

static void other_kind_of_info(Life *l)
{
    size(l), analyse(l);
    l->kind = !l->kind;
    factorise(l), pivot(l);
    l->kind = !l->kind;
}

static void info_destroyed_right_after(Life *l)
{
    size(l), analyse(l);
    l->f->factorise[l->kind][l->type](l->handle, l->m, l->nnz, l->descr, l->val, l->ptr, l->ind, l->info, l->policy, l->buffer);
    say(l->out, " destroy %d;", l->f->destroy[l->kind](l->info));
    memory_synchronize();
    say(l->out, " create %d;", l->f->create[l->kind](&l->info));
    Matrix good = copy_of(&l->a);
    renew_values(l, &good);
    matrix_free(&good);
    whole_life(l);
}

static void policies(Life *l, int analysed, int factorised)
{
    size(l);
    l->policy = analysed;
    analyse(l), pivot(l);
    l->policy = factorised;
    factorise(l), pivot(l);
}

static void wrong_analysis_after_a_good_one(Life *l)
{
    size(l), analyse(l);
    l->policy = 2;
    analyse(l), pivot(l);
    l->policy = USE_LEVEL;
    factorise(l), pivot(l);
}

static void no_level_then_use_level(Life *l) { policies(l, NO_LEVEL, USE_LEVEL); }
static void use_level_then_no_level(Life *l) { policies(l, USE_LEVEL, NO_LEVEL); }

static void buffer_misaligned(Life *l)
{
    size(l);
    char *block = memory_alloc((size_t)(l->bytes > 0 ? l->bytes : 0) + 256);
    l->buffer = block + 4;
    analyse(l), factorise(l), pivot(l);
    l->buffer = NULL;
    memory_free(block);
}

static void another_buffer(Life *l)
{
    size(l), analyse(l);
    void *first = l->buffer;
    l->buffer = NULL;
    factorise(l), pivot(l);
    memory_free(first);
}

static void another_handle(Life *l)
{
    base.create(&l->handle);
    size(l), analyse(l);
    base.destroy(l->handle);
    l->handle = handle;
    factorise(l), pivot(l);
}

static void another_descriptor(Life *l)
{
    size(l), analyse(l);
    base.destroy_descr(l->descr);
    base.create_descr(&l->descr);
    base.set_base(l->descr, l->index_base);
    factorise(l), pivot(l);
}

static void another_stream(Life *l)
{
    if (!on_gpu) {
        say(l->out, " no GPU");
        return;
    }
    size(l), analyse(l);
    void *stream = stream_create();
    base.set_stream(handle, stream);
    factorise(l), pivot(l);
    base.set_stream(handle, NULL);
    stream_destroy(stream);
}

static void captured(Life *l, int with_analysis)
{
    if (!on_gpu) {
        say(l->out, " no GPU");
        return;
    }
    size(l), analyse(l);
    void *stream = stream_create();
    base.set_stream(handle, stream);
    stream_begin_capture(stream);
    int status = with_analysis ? call(l, IN_ANALYSIS, l->buffer) : call(l, IN_FACTORISE, l->buffer);
    void *graph = stream_end_capture(stream);
    say(l->out, " captured %d%s;", status, graph ? "" : ", which failed");
    if (graph && !with_analysis) {
        Matrix good = copy_of(&l->a);
        for (int k = 0; k < 2; k++) {
            renew_values(l, &good);
            graph_launch(graph, stream);
            stream_synchronize(stream);
            tell_values(l), pivot(l);
        }
        matrix_free(&good);
        graph_destroy(graph);
    }
    base.set_stream(handle, NULL);
    Matrix good = copy_of(&l->a);
    renew_values(l, &good);
    matrix_free(&good);
    factorise(l), pivot(l);
    stream_destroy(stream);
}

static void captured_factorisation(Life *l) { captured(l, 0); }
static void captured_analysis(Life *l) { captured(l, 1); }

/* Where there are values of IC(0) that are not Hermitian: only the lower triangle and the real parts of the diagonal should count. */
static void imaginary_diagonal(Life *l)
{
    Matrix a = copy_of(&l->a);
    for (int i = 0; i < a.m; i++)
        a.val[matrix_diagonal(&a, i)] += l->kind == IC ? I * 0.25 : 0;
    renew_values(l, &a);
    matrix_free(&a);
    whole_life(l);
}

static void upper_triangle_of_nans(Life *l)
{
    Matrix a = copy_of(&l->a);
    for (int i = 0; i < a.m; i++)
        for (int k = a.ptr[i]; k < a.ptr[i + 1]; k++)
            if (a.ind[k] > i)
                a.val[k] = NAN;
    renew_values(l, &a);
    matrix_free(&a);
    whole_life(l);
}

/* ---- boosts, of ILU(0) alone ---- */

static void with_zeros(Life *l)
{
    Matrix a = copy_of(&l->a);
    set_pivot(&a, 20, 0), set_pivot(&a, l->m - 1, 1e-5);
    renew_values(l, &a);
    matrix_free(&a);
}

static void boost_and_factorise(Life *l, int enable, double tolerance, Value value)
{
    with_zeros(l);
    size(l), analyse(l);
    boost(l, enable, tolerance, value);
    factorise(l), pivot(l);
}

static void boost_plain(Life *l) { boost_and_factorise(l, 1, 1e-3, CMPLX(3, 1)); }
static void boost_of_one_pivot(Life *l) { boost_and_factorise(l, 1, 1e-7, CMPLX(3, 1)); }
static void boost_of_all_pivots(Life *l) { boost_and_factorise(l, 1, 100, CMPLX(3, 1)); }
static void boost_disabled(Life *l) { boost_and_factorise(l, 0, 1e-3, 3); }
static void boost_enabled_by_two(Life *l) { boost_and_factorise(l, 2, 1e-3, 3); }
static void boost_enabled_by_minus_one(Life *l) { boost_and_factorise(l, -1, 1e-3, 3); }
static void boost_tolerance_zero(Life *l) { boost_and_factorise(l, 1, 0, 3); }
/* Which is exact in all types. */
static void boost_at_the_tolerance(Life *l)
{
    Matrix a = copy_of(&l->a);
    set_pivot(&a, 20, 0x1p-17);
    renew_values(l, &a);
    matrix_free(&a);
    size(l), analyse(l);
    boost(l, 1, 0x1p-17, 3);
    factorise(l), pivot(l);
}

static void boost_tolerance_negative(Life *l) { boost_and_factorise(l, 1, -1, 3); }
static void boost_tolerance_nan(Life *l) { boost_and_factorise(l, 1, NAN, 3); }
static void boost_by_zero(Life *l) { boost_and_factorise(l, 1, 1e-3, 0); }
static void boost_device(Life *l) { l->device_pointers = 1, boost_and_factorise(l, 1, 1e-3, CMPLX(3, 1)); }

static void boost_before_size(Life *l)
{
    with_zeros(l);
    boost(l, 1, 1e-3, 3);
    whole_life(l);
    with_zeros(l);
    boost(l, 0, 0, 0);
    factorise(l), pivot(l);
}

static void boost_survives_an_analysis(Life *l)
{
    boost_plain(l);
    with_zeros(l);
    analyse(l), factorise(l), pivot(l);
}

static void boost_null(Life *l, int tolerance, int value, int with_handle, int enable)
{
    double t = 1e-3, v[2] = {3, 0};
    size(l), analyse(l);
    int status = l->f->boost[l->type](with_handle ? handle : NULL, l->info, enable, tolerance ? &t : NULL, value ? v : NULL);
    say(l->out, " boost %d;", status);
    factorise(l), pivot(l);
}

static void boost_without_tolerance(Life *l) { boost_null(l, 0, 1, 1, 1); }
static void boost_without_value(Life *l) { boost_null(l, 1, 0, 1, 1); }
static void boost_without_handle(Life *l) { boost_null(l, 1, 1, 0, 1); }
static void boost_off_without_numbers(Life *l) { boost_null(l, 0, 0, 1, 0); }
static void boost_of_no_info(Life *l)
{
    double t = 1e-3, v[2] = {3, 0};
    say(l->out, " boost %d;", l->f->boost[l->type](handle, NULL, 1, &t, v));
}

/* ---- NULL where there is no matrix ---- */

static void create_null(Life *l) { say(l->out, " create %d;", l->f->create[l->kind](NULL)); }
static void destroy_null(Life *l) { say(l->out, " destroy %d;", l->f->destroy[l->kind](NULL)); }

static void pivot_null(Life *l)
{
    int row = -7;
    size(l), analyse(l);
    say(l->out, " without a handle %d,", l->f->pivot[l->kind](NULL, l->info, &row));
    say(l->out, " an info %d,", l->f->pivot[l->kind](handle, NULL, &row));
    say(l->out, " a position %d; %d", l->f->pivot[l->kind](handle, l->info, NULL), row);
}

typedef struct {
    const char *name;
    void (*tell)(Life *);
    int of_ilu_alone;
} Story;

#define STORY(f) {#f, f, 0}
#define BOOST(f) {#f, f, 1}
static const Story stories[] = {
    STORY(pivot_before_anything), STORY(pivot_after_size), STORY(factorisation_before_anything), STORY(factorisation_after_size),
    STORY(analysis_without_size), STORY(nothing_at_all), STORY(many_factorisations), STORY(two_analyses),
    STORY(analysis_forgets_a_zero_pivot), STORY(another_matrix), STORY(large_matrices), STORY(another_matrix_without_size), STORY(other_arrays),
    STORY(missing_diagonal), STORY(missing_diagonals), STORY(missing_diagonal_then_a_good_matrix),
    STORY(good_matrix_then_missing_diagonal), STORY(missing_diagonal_boosted), STORY(unsorted_rows), STORY(unsorted_rows_boosted),
    STORY(index_out_of_range), STORY(offsets_that_fall), STORY(other_size_at_the_factorisation),
    STORY(other_type_at_the_factorisation), STORY(other_kind_of_info), STORY(info_destroyed_right_after),
    STORY(wrong_analysis_after_a_good_one), STORY(no_level_then_use_level), STORY(use_level_then_no_level),
    STORY(buffer_misaligned), STORY(another_buffer),
    STORY(another_handle), STORY(another_descriptor), STORY(another_stream), STORY(captured_factorisation),
    STORY(captured_analysis), STORY(imaginary_diagonal), STORY(upper_triangle_of_nans), BOOST(boost_plain),
    BOOST(boost_of_one_pivot), BOOST(boost_of_all_pivots), BOOST(boost_disabled), BOOST(boost_enabled_by_two),
    BOOST(boost_enabled_by_minus_one), BOOST(boost_tolerance_zero), BOOST(boost_at_the_tolerance),
    BOOST(boost_tolerance_negative), BOOST(boost_tolerance_nan),
    BOOST(boost_by_zero), BOOST(boost_device), BOOST(boost_before_size), BOOST(boost_survives_an_analysis),
    BOOST(boost_without_tolerance), BOOST(boost_without_value), BOOST(boost_without_handle), BOOST(boost_off_without_numbers),
    BOOST(boost_of_no_info), STORY(create_null), STORY(destroy_null), STORY(pivot_null)};
enum { STORIES = sizeof stories / sizeof *stories, VARIANTS = 4 };

/* ---- the numbering: each story for both kinds and two types ---- */

const char *story_name(int number)
{
    static char text[TEXT];
    int variant = number % VARIANTS, kind = variant % 2, type = variant / 2 ? Z : D, n = number / VARIANTS;
    if (n >= STORIES)
        return NULL;
    text[0] = '\0';
    say(text, "stories of %s: %c %s", kind == ILU ? "csrilu02" : "csric02", "SDCZ"[type], stories[n].name);
    for (char *c = text; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return text;
}

void run_story(int number, const Factors *f, char *out)
{
    int variant = number % VARIANTS, kind = variant % 2, type = variant / 2 ? Z : D, n = number / VARIANTS;
    if (stories[n].of_ilu_alone && kind == IC) {
        say(out, NO_PROBE);
        return;
    }
    Life l = open_life(f, out, kind, type, variant / 2, matrix_for(RANDOM, ROWS, 31));
    stories[n].tell(&l);
    close_life(&l);
}
