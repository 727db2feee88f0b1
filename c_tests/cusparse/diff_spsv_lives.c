/* The stories of what happens between the calls; see diff_spsv_stories.h. */

#include "diff_spsv_stories.h"

#include <stdio.h>

/* ---- lives ---- */

void solve_without_anything(Teller *t) { solve(t); }
void solve_after_size(Teller *t) { say(t->out, "size %d; ", system_size(&t->s)), solve(t); }

void analysis_without_size(Teller *t)
{
    t->s.bytes = 1 << 20;
    say(t->out, "analysis %d; ", system_analyse(&t->s));
    solve(t);
}

void solve_after_null_buffer(Teller *t)
{
    say(t->out, "size %d; ", system_size(&t->s));
    say(t->out, "analysis %d; ", call_analysis(t->solver, system_call(&t->s), NULL));
    solve(t);
}

void analysis_after_null_buffer(Teller *t)
{
    say(t->out, "size %d; ", system_size(&t->s));
    say(t->out, "analysis %d; ", call_analysis(t->solver, system_call(&t->s), NULL));
    analyse(t);
    solve(t);
}

void failed_analysis_after_a_good_one(Teller *t)
{
    analyse(t);
    t->s.call.op = 3;
    say(t->out, "analysis %d; ", system_analyse(&t->s));
    t->s.call.op = t->s.o.op;
    solve(t);
}

void size_after_analysis(Teller *t)
{
    analyse(t);
    say(t->out, "size %d; ", system_size(&t->s));
    solve(t);
}

void buffer_overwritten(Teller *t)
{
    analyse(t);
    memory_fill(t->s.buffer, 0xFF, t->s.bytes);
    solve(t);
}

/* On the host the next allocation takes the place. */
void buffer_freed(Teller *t)
{
    if (!on_gpu) {
        say(t->out, "no GPU");
        return;
    }
    analyse(t);
    memory_free(t->s.buffer);
    t->s.buffer = NULL;
    solve(t);
}

void buffer_misaligned(Teller *t)
{
    say(t->out, "size %d; ", system_size(&t->s));
    char *block = memory_alloc(t->s.bytes + 8);
    t->s.buffer = block + 1;
    say(t->out, "analysis %d; ", system_analyse(&t->s));
    solve(t);
    t->s.buffer = NULL;
}

void one_buffer_for_two(Teller *t)
{
    System other = open_system(t->solver, handle, &t->fresh, t->s.o);
    analyse(t);
    other.buffer = t->s.buffer;
    say(t->out, "size %d; ", system_size(&other));
    say(t->out, "analysis %d; ", system_analyse(&other));
    solve(t);
    say(t->out, "the other's: "), solve_other(t, &other, &t->fresh);
    other.buffer = NULL;
    close_system(&other);
}

void another_matrix_analysed(Teller *t)
{
    Matrix b = matrix_random(90, 7, 73);
    Options o = t->s.o;
    o.fill = !o.fill, o.diag = !o.diag;
    analyse(t), solve(t);
    System other = open_system(NULL, handle, &b, o);
    other.solver = t->solver;
    other.call.descr = t->s.call.descr;
    say(t->out, "prepare %d; ", system_prepare(&other));
    solve_other(t, &other, &b);
    say(t->out, "back: "), analyse(t), solve(t);
    other.solver = NULL;
    close_system(&other);
    matrix_free(&b);
}

void other_vectors(Teller *t) { analyse(t), system_renew_vectors(&t->s), solve(t); }

static void in_place(Teller *t, int kind)
{
    Options o = t->s.o;
    o.in_place = kind;
    close_system(&t->s);
    t->s = open_system(t->solver, handle, &t->old, o);
    analyse(t), solve(t);
}

void same_memory(Teller *t) { in_place(t, 1); }
void same_descriptor(Teller *t) { in_place(t, 2); }

void another_handle(Teller *t)
{
    cusparseHandle_t other;
    cusparse.Create(&other);
    t->s.call.handle = other;
    analyse(t);
    cusparse.Destroy(other);
    t->s.call.handle = handle;
    solve(t);
    update(t, &t->fresh, GENERAL);
    solve(t);
}

void another_stream(Teller *t)
{
    if (!on_gpu) {
        say(t->out, "no GPU");
        return;
    }
    analyse(t);
    void *stream = stream_create();
    cusparse.SetStream(handle, stream);
    solve(t);
    cusparse.SetStream(handle, NULL);
    stream_destroy(stream);
    solve(t);
}

void destroyed_after_solve(Teller *t)
{
    analyse(t);
    int status = system_solve(&t->s), destroyed = system_forget(&t->s);
    say(t->out, "%d %d %s", status, destroyed, whose(t));
}

void destroyed_twice(Teller *t)
{
    void *descr = t->s.call.descr;
    analyse(t);
    say(t->out, "%d; ", system_forget(&t->s));
    say(t->out, "%d", destroy_descr(t->solver, t->s.o.dense, descr));
}

void solved_after_destroy(Teller *t)
{
    void *descr = t->s.call.descr;
    analyse(t);
    say(t->out, "%d; ", system_forget(&t->s));
    t->s.solver = t->solver, t->s.call.descr = descr;
    solve(t);
    t->s.solver = NULL;
}

void null_descriptors(Teller *t)
{
    int dense = t->s.o.dense;
    say(t->out, "create %d; destroy %d", create_descr(t->solver, dense, NULL), destroy_descr(t->solver, dense, NULL));
}

void other_alpha_at_solve(Teller *t)
{
    analyse(t);
    t->s.alpha = -3;
    convert(t->s.o.type, &t->s.alpha, 1, t->s.alpha_host);
    memory_put(t->s.alpha_device, t->s.alpha_host, sizeof t->s.alpha_host);
    solve(t);
    t->s.o.device_alpha = 1;
    solve(t);
}

void alpha_zero(Teller *t)
{
    Value *x = calloc((size_t)t->s.m * (size_t)t->s.columns, sizeof *x);
    analyse(t);
    t->s.alpha = 0;
    memset(t->s.alpha_host, 0, sizeof t->s.alpha_host);
    solve(t);
    t->s.f[0] = NAN;
    say(t->out, "with NaN %d ", system_solve(&t->s));
    system_result(&t->s, x);
    say(t->out, "%s", isnan(creal(x[0])) ? "NaN" : x[0] == 0 ? "zero" : "neither");
    free(x);
}

void ten_runs(Teller *t)
{
    size_t bytes = t->s.c_count * value_bytes(t->s.o.type);
    char *first = malloc(bytes), *now = malloc(bytes);
    int same = 1, status = 0;
    analyse(t);
    for (int run = 0; run < 10; run++) {
        status |= system_solve(&t->s);
        memory_get(run ? now : first, t->s.c, bytes);
        same = same && (run == 0 || memcmp(first, now, bytes) == 0);
    }
    say(t->out, "%d %s", status, same ? "the same bits" : "other bits");
    free(first);
    free(now);
}

void index_out_of_range(Teller *t)
{
    int index = 1 << 20;
    memory_put((char *)t->s.a.indices + 4 * 100, &index, sizeof index);
    analyse(t), solve(t);
}

void offsets_that_decrease(Teller *t)
{
    int offset = 0;
    memory_put((char *)t->s.a.offsets + 4 * 30, &offset, sizeof offset);
    analyse(t), solve(t);
}

void duplicate_diagonal(Teller *t)
{
    Matrix a = matrix_alloc(2, 3);
    a.ptr[1] = 2, a.ptr[2] = 3;
    a.ind[1] = 0, a.ind[2] = 1;
    a.val[0] = 2, a.val[1] = 8, a.val[2] = 1;
    System s = open_system(t->solver, handle, &a, t->s.o);
    Value x[8] = {0};
    int prepared = system_prepare(&s), solved = system_solve(&s);
    system_result(&s, x);
    double pivot = creal(s.alpha * s.f[0] / x[0]);
    say(t->out, "%d %d, divided by %s", prepared, solved,
        fabs(pivot - 2) < 0.1 ? "the first" : fabs(pivot - 8) < 0.1 ? "the last" : fabs(pivot - 10) < 0.1 ? "the sum" : "else");
    close_system(&s);
    matrix_free(&a);
}

/* ---- of SpSM alone ---- */

void other_columns(Teller *t)
{
    static const int pairs[][2] = {{4, 8}, {8, 4}, {1, 30}, {30, 1}};
    for (int k = 0; k < 4; k++) {
        Options o = t->s.o;
        o.columns = pairs[k][0];
        System s = open_system(t->solver, handle, &t->old, o);
        int prepared = system_prepare(&s);
        o.columns = pairs[k][1];
        System other = open_system(NULL, handle, &t->old, o);
        other.solver = t->solver, other.call.descr = s.call.descr;
        say(t->out, "%d/%d: %d ", pairs[k][0], pairs[k][1], prepared);
        solve_other(t, &other, &t->old);
        other.solver = NULL;
        close_system(&other), close_system(&s);
    }
}

void other_layouts(Teller *t)
{
    for (int k = 0; k < 8; k++) {
        Options o = t->s.o;
        o.op_b = k % 2, o.order_b = COL + k / 2 % 2, o.order_c = COL + k / 4, o.pad_b = o.pad_c = 3;
        analyse(t);
        System other = open_system(NULL, handle, &t->old, o);
        other.solver = t->solver, other.call.descr = t->s.call.descr;
        solve_other(t, &other, &t->old);
        other.solver = NULL;
        close_system(&other);
    }
}

/* ---- graphs ---- */

enum { CAPTURE_SOLVE, CAPTURE_UPDATE, CAPTURE_SIZE, CAPTURE_ANALYSIS };

static void capture(Teller *t, int what)
{
    if (!on_gpu) {
        say(t->out, "no GPU");
        return;
    }
    analyse(t), solve(t);
    void *stream = stream_create(), *values = stored_values(&t->s.a, &t->fresh);
    size_t bytes;
    cusparse.SetStream(handle, stream);
    const Call *c = system_call(&t->s);
    stream_begin_capture(stream);
    int status = what == CAPTURE_SOLVE    ? call_solve(t->solver, c)
                 : what == CAPTURE_UPDATE ? call_update(t->solver, c, values, GENERAL)
                 : what == CAPTURE_SIZE   ? call_size(t->solver, c, &bytes)
                                          : call_analysis(t->solver, c, t->s.buffer);
    void *graph = stream_end_capture(stream);
    say(t->out, "captured %d %s; ", status, graph ? "whole" : "broken");
    cusparse.SetStream(handle, NULL);
    if (graph && status == 0) {
        system_reset(&t->s);
        graph_launch(graph, stream);
        stream_synchronize(stream);
        if (what == CAPTURE_SOLVE)
            say(t->out, "%s; ", whose(t));
        else
            solve(t);
    }
}

void capture_solve(Teller *t) { capture(t, CAPTURE_SOLVE); }
void capture_update(Teller *t) { capture(t, CAPTURE_UPDATE); }
void capture_size(Teller *t) { capture(t, CAPTURE_SIZE); }
void capture_analysis(Teller *t) { capture(t, CAPTURE_ANALYSIS); }
