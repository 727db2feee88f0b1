/* The stories by their numbers, and what they are told with; see diff_spsv_stories.h. */

#include "diff_spsv_stories.h"

#include <stdio.h>

void analyse(Teller *t)
{
    int status = system_size(&t->s);
    if (status == 0)
        status = system_analyse(&t->s);
    if (status != 0)
        say(t->out, "not analysed: %d ", status);
}

const char *whose(Teller *t)
{
    static char text[64];
    if (strcmp(solved_system(&t->s, &t->fresh), "right") == 0)
        return "new";
    const char *old = solved_system(&t->s, &t->old);
    if (strncmp(old, "wrong", 5) != 0)
        return old;
    snprintf(text, sizeof text, "new as %s", solved_system(&t->s, &t->fresh));
    return strstr(text, "wrong") ? solved_system(&t->s, &t->old) : text;
}

void solve(Teller *t)
{
    int status = system_solve(&t->s);
    memory_synchronize();
    say(t->out, "%d %s; ", status, whose(t));
}

void solve_other(Teller *t, System *other, const Matrix *a)
{
    int status = system_solve(other);
    memory_synchronize();
    say(t->out, "%d %s; ", status, solved_system(other, a));
}

void update(Teller *t, const Matrix *a, int part) { say(t->out, "update %d; ", system_update(&t->s, a, part)); }

/* ---- the list ---- */

#define ROW_OF_TABLE(name) {#name, name},
static const struct {
    const char *name;
    void (*tell)(Teller *);
} stories[] = {KEPT_STORIES(ROW_OF_TABLE) LIFE_STORIES(ROW_OF_TABLE) ROW_OF_TABLE(other_alg_at_solve)
                   ROW_OF_TABLE(other_columns) ROW_OF_TABLE(other_layouts)};

/* Each story for SpSV and SpSM, two types, three operations and two triangles; H for complex types alone. The last
 * ones have one family each. */
typedef struct {
    int story, dense;
    Options o;
} Place;

enum { VARIANTS = 2 * 10 };

static Place locate(int number)
{
    static const int types[] = {D, D, D, D, Z, Z, Z, Z, Z, Z}, ops[] = {N, T, N, T, N, T, H, N, T, H};
    int variant = number % VARIANTS, k = variant % 10;
    Place p = {number / VARIANTS, variant / 10, {.type = types[k], .op = ops[k], .fill = k < 4 ? k / 2 : k >= 7}};
    p.o.dense = p.dense;
    p.o.columns = 3;
    p.o.base = k % 2;
    return p;
}

const char *story_name(int number)
{
    static char text[TEXT];
    Place p = locate(number);
    if ((size_t)p.story >= sizeof stories / sizeof *stories)
        return NULL;
    text[0] = '\0';
    say(text, "%s stories: %s, %c %c %s", p.dense ? "SpSM" : "SpSV", stories[p.story].name, "SDCZ"[p.o.type],
        "NTH"[p.o.op], p.o.fill ? "upper" : "lower");
    for (char *c = text; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return text;
}

/* Algorithms are SpSV's, columns and layouts SpSM's. */
static int is_told(Place p)
{
    void (*tell)(Teller *) = stories[p.story].tell;
    return p.dense ? tell != other_alg_at_solve : tell != other_columns && tell != other_layouts;
}

void story_probe(int number, const Solver *solver, char *outcome)
{
    Place p = locate(number);
    if (!is_told(p)) {
        say(outcome, "not told");
        return;
    }
    Teller t = {.solver = solver, .old = matrix_random(ROWS, 6, 70), .out = outcome};
    t.fresh = matrix_revalued(&t.old, 3);
    t.s = open_system(solver, handle, &t.old, p.o);
    stories[p.story].tell(&t);
    memory_synchronize();
    close_system(&t.s);
    matrix_free(&t.fresh);
    matrix_free(&t.old);
}
