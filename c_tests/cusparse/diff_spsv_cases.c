/*
 * The systematic part of the differential test: both sides analyse, solve, update and solve again on the same arrays, and
 * must give the same statuses and the same solutions.
 */

#include "diff_spsv.h"

#include <stdio.h>

enum { PLAIN, UNSORTED, DUPLICATES, POISONED, MISSING, ZERO, KINDS };
static const char *const kind_names[KINDS] = {"plain",           "unsorted",         "duplicates", "NaN in the other triangle",
                                              "missing diagonal", "zero diagonal"};

/* What happens between the two solves. */
enum { NOTHING, NEW_VALUES, NEW_DIAGONAL, BOTH, ANALYSIS, CHANGES };
static const char *const change_names[CHANGES] = {"nothing", "GENERAL", "DIAGONAL", "GENERAL and DIAGONAL", "analysis"};

typedef struct {
    Options o;
    int m, kind, change;
} Case;

const char *const case_groups[] = {"spsv_s", "spsv_d", "spsv_c", "spsv_z", "spsm_s", "spsm_d", "spsm_c", "spsm_z", NULL};

static void describe_case(const Case *c, char *text)
{
    static const char *const formats[] = {"", "CSR", "CSC", "COO"};
    const Options *o = &c->o;
    text[0] = '\0';
    say(text, "%s %c %c %s %s base %d %s %d-bit alg %d m %d, %s, then %s", o->dense ? "SpSM" : "SpSV", "SDCZ"[o->type],
        "NTH"[o->op], o->fill ? "upper" : "lower", o->diag ? "unit" : "non-unit", o->base, formats[o->format],
        o->width ? 64 : 32, o->alg, c->m, kind_names[c->kind], change_names[c->change]);
    if (o->device_alpha)
        say(text, ", device alpha");
    if (o->in_place)
        say(text, ", in place %d", o->in_place);
    if (o->dense)
        say(text, ", columns %d opB %c orders %d %d pads %d %d", o->columns, "NTH"[o->op_b], o->order_b, o->order_c,
            o->pad_b, o->pad_c);
}

static int pick(unsigned *seed, int count) { return (int)(next_random(seed) * count); }

/* The first seven dimensions are complete, 144 cases for a type; the others are drawn, the same every time. */
static Case make_case(int type, int dense, int k)
{
    static const int sizes[] = {1, 9, 40, 257}, columns[] = {1, 2, 3, 4, 7, 8, 17, 40};
    static const int algs[] = {0, 0, 0, 0, 1, 2}; /* old versions have the default alone */
    unsigned seed = 1000u + (unsigned)(k * 8 + type * 2 + dense);
    Case c = {.o = {.type = type, .dense = dense, .op = k % 3, .fill = k / 3 % 2, .diag = k / 6 % 2, .base = k / 12 % 2,
                    .format = CSR + k / 24 % 3, .width = k / 72 % 2}};
    for (int i = 0; i < 5; i++)
        next_random(&seed);
    c.kind = k / 144 % KINDS;
    c.change = pick(&seed, CHANGES);
    c.m = sizes[pick(&seed, 4)];
    if (c.kind != PLAIN && c.m == 1)
        c.m = 9;
    c.o.device_alpha = pick(&seed, 2);
    c.o.in_place = pick(&seed, 3);
    c.o.seed = (unsigned)k;
    if (!dense) {
        c.o.alg = algs[pick(&seed, 6)];
        return c;
    }
    c.o.columns = columns[pick(&seed, 8)];
    c.o.order_b = COL + pick(&seed, 2), c.o.order_c = COL + pick(&seed, 2);
    c.o.pad_b = pick(&seed, 3), c.o.pad_c = pick(&seed, 3);
    c.o.op_b = c.o.in_place ? N : pick(&seed, 2);
    if (c.o.in_place)
        c.o.order_c = c.o.order_b, c.o.pad_c = c.o.pad_b;
    return c;
}

static Matrix make_matrix(const Case *c)
{
    Matrix a = matrix_random(c->m, 6, c->o.seed + 1), b;
    switch (c->kind) {
    case UNSORTED: matrix_unsort(&a); break;
    case POISONED: matrix_poison(&a, c->o.fill); break;
    case ZERO: a.val[matrix_diagonal(&a, c->m / 3)] = 0; break;
    case MISSING:
        for (int i = c->m / 4; i < c->m; i += 5)
            matrix_drop_diagonal(&a, i);
        break;
    case DUPLICATES:
        b = matrix_with_duplicates(&a);
        if (b.nnz > c->m * c->m) { /* cuSPARSE makes no descriptor with more entries than places */
            matrix_free(&b);
            break;
        }
        matrix_free(&a);
        return b;
    }
    return a;
}

/* Whether the case updates the diagonal. */
static int has_new_diagonal(const Case *c) { return c->change == NEW_DIAGONAL || c->change == BOTH; }

/* What the matrix is after the change. A DIAGONAL update leaves the other entries, and gives missing ones a one. */
static Matrix change_matrix(const Case *c, const Matrix *a)
{
    Matrix b = c->change == NEW_VALUES || c->change == BOTH ? matrix_revalued(a, 5) : matrix_copy(a);
    if (has_new_diagonal(c))
        for (int i = 0; i < b.m; i++)
            if (matrix_diagonal(&b, i) >= 0)
                b.val[matrix_diagonal(&b, i)] *= 1.5;
    return b;
}

static int change_system(System *s, const Case *c, const Matrix *b)
{
    int status = 0;
    if (c->change == ANALYSIS)
        return system_analyse(s);
    if (c->change == NEW_VALUES || c->change == BOTH)
        status = system_update(s, b, GENERAL);
    if (status == 0 && has_new_diagonal(c))
        status = system_update(s, b, DIAGONAL);
    return status;
}

/* What became of the second solve. Whether an updated unit diagonal divides depends on the version of cuSPARSE. */
static const char *verdict_after_change(System *s, const Case *c, const Matrix *b)
{
    if (!has_new_diagonal(c) || c->o.diag == NON_UNIT)
        return system_verdict(s, b);
    const char *as_unit = system_verdict(s, b);
    if (strcmp(as_unit, "right") == 0)
        return "still of a unit diagonal";
    s->o.diag = NON_UNIT;
    const char *as_non_unit = system_verdict(s, b);
    s->o.diag = UNIT;
    return as_non_unit;
}

static void drive(System *s, const Case *c, const Matrix *a, const Matrix *b, const Solver *solver, Value *x[2],
                  char *outcome)
{
    outcome[0] = '\0';
    int status = system_create(s, solver);
    say(outcome, "create %d", status);
    s->bytes = 0;
    status = system_size(s);
    say(outcome, ", bufferSize %d", status);
    if (status == 0 && s->bytes == 0 && s->m > 0)
        say(outcome, " (0 bytes)");
    if (status != 0)
        s->bytes = 1 << 16;
    s->buffer = NULL;
    status = system_analyse(s);
    say(outcome, ", analysis %d", status);
    for (int solve = 0; solve < 2 && status == 0; solve++) {
        if (solve) {
            status = change_system(s, c, b);
            say(outcome, ", change %d", status);
        }
        int solved = system_solve(s);
        memory_synchronize();
        say(outcome, ", solve %d %s", solved, solve ? verdict_after_change(s, c, b) : system_verdict(s, a));
        system_result(s, x[solve]);
    }
    say(outcome, ", destroy %d", system_forget(s));
    memory_free(s->buffer);
    s->buffer = NULL;
}

/* 0 for finite numbers, 2 for a NaN, the sign of an infinity. */
static int class_of(double v) { return isnan(v) ? 2 : isinf(v) ? (v > 0 ? 1 : -1) : 0; }

/* Two right solutions of a well-conditioned system are this close. Where one is not finite, neither is the other. How a
 * complex division by zero is spread over the real and imaginary part is nobody's promise. */
static int agree(int type, Value a, Value b)
{
    if (!is_complex(type) && class_of(creal(a)) != class_of(creal(b)))
        return 0;
    int finite = isfinite(creal(a)) && isfinite(cimag(a));
    if (finite != (isfinite(creal(b)) && isfinite(cimag(b))))
        return 0;
    return !finite || cabs(a - b) <= 1000 * epsilon(type) * fmax(1, cabs(a));
}

static void one_case(const Case *c, Report *report)
{
    Observation seen = {.agrees = 1};
    Matrix a = make_matrix(c), b = change_matrix(c, &a);
    System s = open_system(NULL, handle, &a, c->o);
    size_t count = (size_t)s.m * (size_t)s.columns;
    Value *x[2][2];
    for (int k = 0; k < 4; k++)
        x[k / 2][k % 2] = calloc(count + 1, sizeof(Value));
    describe_case(c, seen.name);
    for (int side = 0; side < 2; side++)
        drive(&s, c, &a, &b, &sides[side], x[side], seen.outcome[side]);
    for (int solve = 0; solve < 2; solve++)
        for (size_t i = 0; i < count; i++)
            seen.agrees = seen.agrees && agree(c->o.type, x[REFERENCE][solve][i], x[OURS][solve][i]);
    report(&seen);
    for (int k = 0; k < 4; k++)
        free(x[k / 2][k % 2]);
    close_system(&s);
    matrix_free(&b);
    matrix_free(&a);
}

void run_cases(const char *group, Report *report)
{
    int dense = group[3] == 'm', type = (int)(strchr("sdcz", group[5]) - "sdcz");
    for (int k = 0; k < 144 * KINDS; k++) {
        Case c = make_case(type, dense, k);
        one_case(&c, report);
    }
}
