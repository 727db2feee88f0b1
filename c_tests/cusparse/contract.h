/* What the programs share that test SpSV and SpSM through the linked libraries. */

#ifndef CONTRACT_H
#define CONTRACT_H

#define _GNU_SOURCE
#include <dlfcn.h>

#include "generic.h"
#include "harness.h"
#include "standin/standin.h"

Cusparse cusparse = LINKED_CUSPARSE;
static Solver solver = LINKED_SOLVER;
static cusparseHandle_t handle;
static int on_gpu;
static int version; /* of the cuSPARSE that is loaded */

/* Before 12.9 cuSPARSE refuses CSC, and algorithms other than the default. */
static inline int is_old(void) { return version < 12900; }

static inline void *stand_in(const char *symbol)
{
    return dlsym(RTLD_DEFAULT, "cusparse_is_a_stand_in") ? dlsym(RTLD_DEFAULT, symbol) : NULL;
}

static inline System open_here(const Matrix *a, Options o) { return open_system(&solver, handle, a, o); }

static inline System open_prepared(const Matrix *a, Options o)
{
    System s = open_here(a, o);
    STATUS(0, system_prepare(&s));
    return s;
}

static inline const char *describe_system(const System *s)
{
    static char text[256];
    static const char *const formats[] = {"", "CSR", "CSC", "COO"}, *const widths[] = {"32", "64", "64/32", "32/64", "16"};
    const Options *o = &s->o;
    int written = snprintf(text, sizeof text, "%c %c %s %s base %d %s %s-bit alg %d%s%s m %d", "SDCZ"[o->type],
                           "NTH"[o->op], o->fill ? "upper" : "lower", o->diag ? "unit" : "non-unit", o->base,
                           formats[s->a.format], widths[o->width], o->alg, o->device_alpha ? ", device alpha" : "",
                           o->in_place ? ", in place" : "", s->m);
    if (o->dense)
        snprintf(text + written, sizeof text - (size_t)written, " columns %d opB %c orders %d %d pads %d %d", s->columns,
                 "NTH"[o->op_b], o->order_b, o->order_c, o->pad_b, o->pad_c);
    return text;
}

/* Solves, and checks the result against the matrix `a`. */
static inline void solve_and_check(int line, System *s, const Matrix *a)
{
    int status = system_solve(s);
    const char *verdict = system_verdict(s, a);
    if (status != 0 || strcmp(verdict, "right") != 0)
        complain(line, "%s: status %d, %s, backward error %g", describe_system(s), status, verdict,
                 system_error(s, a, s->o.op, s->o.fill, s->o.diag));
}
#define SOLVES(s, a) solve_and_check(__LINE__, s, a)

/* A whole life: analysis, solve, end. */
static inline void one_life(int line, const Matrix *a, const Matrix *meant, Options o)
{
    System s = open_here(a, o);
    int status = system_prepare(&s);
    if (status != 0)
        complain(line, "%s: status %d before the solve", describe_system(&s), status);
    else
        solve_and_check(line, &s, meant);
    close_system(&s);
}
#define LIVES(a, ...) one_life(__LINE__, a, a, (Options){__VA_ARGS__})

/* op H is refused for real types, and CSC by old versions. */
static inline int is_refused(const Options *o)
{
    return (o->op == H && !is_complex(o->type)) || (o->format == CSC && is_old());
}

/* solve must give the status and write nothing. */
static inline void refused_solve(int line, System *s, int expected)
{
    int status = system_solve(s);
    if (status != expected || !system_untouched(s))
        complain(line, "%s: status %d, not %d%s", describe_system(s), status, expected,
                 system_untouched(s) ? "" : ", and the result was written");
}
#define REFUSES(expected, s) refused_solve(__LINE__, s, expected)

/* bufferSize, analysis and, after a good analysis, solve must refuse the changed call. A refused bufferSize leaves its
 * output alone, a refused solve the result. */
static inline void refuse_call(int line, int expected, System *s, Call changed)
{
    size_t bytes = 77;
    int size = call_size(&solver, &changed, &bytes), analysis = call_analysis(&solver, &changed, s->buffer);
    STATUS(0, call_analysis(&solver, system_call(s), s->buffer));
    STATUS(0, system_solve(s)); /* fills the result, which must then stay */
    memory_get(s->before, s->c, s->c_count * value_bytes(s->o.type));
    int solve = call_solve(&solver, &changed);
    if (size != expected || analysis != expected || solve != expected || bytes != 77 || !system_untouched(s))
        complain(line, "statuses %d %d %d, not %d; %zu bytes%s", size, analysis, solve, expected, bytes,
                 system_untouched(s) ? "" : "; the result was written");
}

/* The last argument changes the call `c`. */
#define REFUSED_WITH(expected, s, change)                                                                    \
    do {                                                                                                     \
        Call changed_ = *system_call(s), *c = &changed_;                                                     \
        change;                                                                                              \
        refuse_call(__LINE__, expected, s, changed_);                                                        \
    } while (0)

/* Captures what `record` does on the system; NULL when that fails. */
static inline void *capture(int line, System *s, void *stream, int (*record)(System *, void *), void *data)
{
    STATUS(0, cusparse.SetStream(handle, stream));
    system_call(s);
    stream_begin_capture(stream);
    int status = record(s, data);
    void *graph = stream_end_capture(stream);
    if (status != 0 || graph == NULL)
        complain(line, "%s: status %d in a capture%s", describe_system(s), status, graph ? "" : ", which failed");
    STATUS(0, cusparse.SetStream(handle, NULL));
    return graph;
}

static inline int record_solve(System *s, void *data)
{
    (void)data;
    return call_solve(&solver, &s->call);
}

/* cuSPARSE solves what this library does not, by the same descriptor: here rows without a diagonal entry. */
static inline void change_sides(int dense)
{
    Matrix a = matrix_random(50, 5, 43), missing = matrix_random(70, 6, 44);
    int none[STANDIN_CALLS] = {0}, *calls = stand_in("cusparse_standin_calls");
    int solves = dense ? SPSM_SOLVE : SPSV_SOLVE;
    calls = calls ? calls : none;
    for (int i = 3; i < missing.m; i += 7)
        matrix_drop_diagonal(&missing, i);
    Matrix other_a = matrix_revalued(&a, 3), other_missing = matrix_revalued(&missing, 4);
    for (int op = N; op <= T; op++) {
        Options o = {.type = D, .op = op, .dense = dense, .columns = 3};
        System ours = open_here(&a, o), theirs = open_here(&missing, o);
        void *descr = theirs.call.descr;
        theirs.call.descr = ours.call.descr;
        for (int round = 0; round < 2; round++) {
            int before = calls[solves];
            STATUS(0, system_prepare(&ours));
            SOLVES(&ours, &a);
            STATUS(0, system_update(&ours, &other_a, GENERAL));
            SOLVES(&ours, &other_a);
            CHECK(calls[solves] == before);
            STATUS(0, system_prepare(&theirs));
            SOLVES(&theirs, &missing);
            STATUS(0, system_update(&theirs, &other_missing, GENERAL));
            SOLVES(&theirs, &other_missing);
            CHECK(calls == none || calls[solves] == before + 2);
        }
        theirs.call.descr = descr;
        close_system(&theirs);
        close_system(&ours);
    }
    matrix_free(&other_missing), matrix_free(&other_a);
    matrix_free(&missing), matrix_free(&a);
}

static inline void open_contract(const char *program)
{
    on_gpu = open_executor(program);
    if (cusparse.Create(&handle) != 0 || cusparse.GetVersion(handle, &version) != 0) {
        printf("cuSPARSE gives no handle\n%s: 0 passed, 1 failed, 0 skipped\n", program);
        exit(1);
    }
    printf("%s: cuSPARSE %d%s\n", program, version, stand_in("cusparse_is_a_stand_in") ? ", the stand-in" : "");
}

static inline int close_contract(const char *program)
{
    STATUS(0, cusparse.Destroy(handle));
    return close_tally(program);
}

#endif
