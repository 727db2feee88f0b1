/* The differential test's systematic cases: all kinds, types, bases, shapes, policies and pointer modes, with good and bad pivots. */

#include "diff_ilu02.h"

#include <stdio.h>

enum { GOOD, ZERO, FIRST_AND_LAST, NEGATIVE, NOT_A_NUMBER, INFINITE, BOOSTED, PIVOTS };
static const char *const pivot_names[PIVOTS] = {"good pivots", "two zero pivots", "zero pivots in the first and last row",
                                                "a negative pivot", "a NaN pivot", "an infinite pivot", "boosted zero pivots"};

typedef struct {
    int kind, type, shape, pivots, index_base, policy, device_pointers, m;
} Case;

enum { CASES = 2 * 4 * SHAPES * PIVOTS * 2 };

static Case decode(int number)
{
    static const int sizes[] = {1, 9, 48, 131};
    int n = number, again;
    Case c = {0};
    c.kind = n % 2, n /= 2;
    c.type = n % 4, n /= 4;
    c.shape = n % SHAPES, n /= SHAPES;
    c.pivots = n % PIVOTS, n /= PIVOTS;
    again = n;
    c.index_base = (again + c.shape + c.pivots) % 2;
    c.policy = (again + c.type / 2 + c.shape) % 2;
    c.device_pointers = (c.type + c.shape + c.pivots + again) / 2 % 2;
    c.m = c.shape == GRID_2D || c.shape == GRID_3D ? 64 + 64 * again : sizes[(number / 8 + again) % 4];
    return c;
}

const char *case_name(int number)
{
    static char text[TEXT];
    if (number >= CASES)
        return NULL;
    Case c = decode(number);
    text[0] = '\0';
    say(text, "%c%s: %s, %d rows, base %d, %s, %s, policy %d", "SDCZ"[c.type], c.kind == ILU ? "csrilu02" : "csric02",
        shape_names[c.shape], c.m, c.index_base, pivot_names[c.pivots], c.device_pointers ? "device pointers" : "host pointers",
        c.policy);
    return text;
}

static void spoil(Matrix *a, int pivots)
{
    int rows[] = {a->m / 3, a->m - 1 - a->m / 5};
    switch (pivots) {
    case ZERO:
    case BOOSTED: set_pivot(a, rows[0], 0), set_pivot(a, rows[1], 0); break;
    case FIRST_AND_LAST: set_pivot(a, 0, 0), set_pivot(a, a->m - 1, 0); break;
    case NEGATIVE: set_pivot(a, rows[1], -1); break;
    case NOT_A_NUMBER: set_pivot(a, rows[1], NAN); break;
    case INFINITE: set_pivot(a, rows[1], INFINITY); break;
    }
}

void run_case(int number, const Factors *f, char *out)
{
    Case c = decode(number);
    Matrix good = matrix_for(c.shape, c.m, (unsigned)number + 1), bad = copy_of(&good);
    spoil(&bad, c.pivots);
    Life l = open_life(f, out, c.kind, c.type, c.index_base, bad);
    l.policy = c.policy, l.device_pointers = c.device_pointers;
    if (c.pivots == BOOSTED && c.kind == ILU)
        boost(&l, 1, 1e-3, CMPLX(2.5, 0.5));
    whole_life(&l);
    /* The analysis and the info serve other values, and what was wrong before is forgotten. */
    if (l.boosts)
        boost(&l, 0, 0, 0);
    renew_values(&l, &good);
    memory_fill(l.buffer, 0xFF, l.bytes > 0 ? (size_t)l.bytes : 0);
    factorise(&l), pivot(&l);
    close_life(&l);
    matrix_free(&good);
}
