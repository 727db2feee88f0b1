/* The differential test's wrong arguments: each in one of the three calls. A right call behind it is part of the outcome. */

#include "diff_ilu02.h"

#include <stdio.h>

enum { ROWS = 60, SCRATCH = 1 << 20, VARIANTS = 4 };

static const char *const place_names[PLACES] = {"bufferSize", "analysis", "factorisation"};

static const char *const wrong_names[] = {
    "nothing", "handle NULL", "descriptor NULL", "values NULL", "offsets NULL", "columns NULL", "info NULL", "buffer or size NULL",
    "m = 0", "m = -1", "nnz = 0", "nnz = -1", "m = 0 and nnz = 0", "type SYMMETRIC", "type HERMITIAN", "type TRIANGULAR",
    "policy 2", "policy -1", "fill mode UPPER", "diagonal UNIT"};
enum { WRONGS = sizeof wrong_names / sizeof *wrong_names };

static void spoil(Life *l, int wrong)
{
    switch (wrong) {
    case 1: l->handle = NULL; break;
    case 2: l->descr = NULL; break;
    case 3: l->val = NULL; break;
    case 4: l->ptr = NULL; break;
    case 5: l->ind = NULL; break;
    case 6: l->info = NULL; break;
    case 8: l->m = 0; break;
    case 9: l->m = -1; break;
    case 10: l->nnz = 0; break;
    case 11: l->nnz = -1; break;
    case 12: l->m = l->nnz = 0; break;
    case 13: case 14: case 15: base.set_type(l->descr, wrong - 12); break;
    case 16: l->policy = 2; break;
    case 17: l->policy = -1; break;
    case 18: base.set_fill(l->descr, 1); break;
    case 19: base.set_diag(l->descr, 1); break;
    }
}

static void wrong_argument(Life *l, int place, int wrong)
{
    Matrix good = copy_of(&l->a);
    l->buffer = memory_alloc(SCRATCH);
    for (int p = 0; p < PLACES; p++) {
        Life spoilt = *l;
        int bytes = -7;
        void *last = p == IN_SIZE ? (void *)&bytes : l->buffer;
        if (p == place)
            spoil(&spoilt, wrong);
        int status = call(&spoilt, p, p == place && wrong == 7 ? NULL : last);
        memory_synchronize();
        say(l->out, " %s %d;", place_names[p], status);
        if (p == place)
            base.set_type(l->descr, 0), base.set_fill(l->descr, 0), base.set_diag(l->descr, 0);
    }
    pivot(l);
    /* Whatever was refused: a right call behind it. */
    renew_values(l, &good);
    factorise(l), pivot(l);
    matrix_free(&good);
}

/* ---- the numbering: each argument in each call, for both kinds and two types ---- */

const char *argument_name(int number)
{
    static char text[TEXT];
    int variant = number % VARIANTS, kind = variant % 2, type = variant / 2 ? Z : D, n = number / VARIANTS;
    if (n >= WRONGS * PLACES)
        return NULL;
    text[0] = '\0';
    say(text, "arguments of %s: %c %s wrong in %s", kind == ILU ? "csrilu02" : "csric02", "SDCZ"[type], wrong_names[n / PLACES],
        place_names[n % PLACES]);
    return text;
}

void run_argument(int number, const Factors *f, char *out)
{
    int variant = number % VARIANTS, kind = variant % 2, type = variant / 2 ? Z : D, n = number / VARIANTS;
    Life l = open_life(f, out, kind, type, variant / 2, matrix_for(RANDOM, ROWS, 31));
    wrong_argument(&l, n % PLACES, n / PLACES);
    close_life(&l);
}
