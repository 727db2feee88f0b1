/*
 * Systems of at most 5 unknowns, solved by hand. All pivots are powers of two, so that every algorithm
 * must give the exact solution.
 */
#include "problem.h"

enum { N = SPTRSV_OPERATION_NON_TRANSPOSE, TR = SPTRSV_OPERATION_TRANSPOSE, H = SPTRSV_OPERATION_CONJUGATE_TRANSPOSE };
enum { LO = SPTRSV_FILL_MODE_LOWER, UP = SPTRSV_FILL_MODE_UPPER };
enum { NU = SPTRSV_DIAG_TYPE_NON_UNIT, U = SPTRSV_DIAG_TYPE_UNIT, SEP = SEPARATE_DIAGONAL };

/* A zero in A is an entry that is not stored. */
static const struct {
  const char *name;
  int n, only_complex, op, fill, diag;
  double complex alpha, A[5][5], d[5], f[5], x[5];
} CASES[] = {
    {"one unknown", 1, 0, N, LO, NU, 1, {{4}}, {0}, {12}, {3}},
    {"one unknown, unit", 1, 0, TR, UP, U, 2, {{0}}, {0}, {12}, {24}},
    {"identity", 3, 0, N, LO, NU, 1, {{1}, {0, 1}, {0, 0, 1}}, {0}, {5, -6, 7}, {5, -6, 7}},
    {"lower", 3, 0, N, LO, NU, 1, {{2}, {3, 4}, {-1, 5, 8}}, {0}, {2, 11, 33}, {1, 2, 3}},
    {"lower, alpha", 3, 0, N, LO, NU, -2, {{2}, {3, 4}, {-1, 5, 8}}, {0}, {-1, -5.5, -16.5}, {1, 2, 3}},
    /* A' = [2 3 -1; 0 4 5; 0 0 8] */
    {"lower transposed", 3, 0, TR, LO, NU, 1, {{2}, {3, 4}, {-1, 5, 8}}, {0}, {5, 23, 24}, {1, 2, 3}},
    {"lower, H of a real matrix", 3, 0, H, LO, NU, 1, {{2}, {3, 4}, {-1, 5, 8}}, {0}, {5, 23, 24}, {1, 2, 3}},
    {"upper", 3, 0, N, UP, NU, 1, {{2, 3, -1}, {0, 4, 5}, {0, 0, 8}}, {0}, {5, 23, 24}, {1, 2, 3}},
    {"upper transposed", 3, 0, TR, UP, NU, 1, {{2, 3, -1}, {0, 4, 5}, {0, 0, 8}}, {0}, {2, 11, 33}, {1, 2, 3}},
    {"lower of a full matrix", 3, 0, N, LO, NU, 1, {{2, 9, 9}, {3, 4, 9}, {-1, 5, 8}}, {0}, {2, 11, 33}, {1, 2, 3}},
    {"upper of a full matrix", 3, 0, N, UP, NU, 1, {{2, 3, -1}, {9, 4, 5}, {9, 9, 8}}, {0}, {5, 23, 24}, {1, 2, 3}},
    {"unit, diagonal not stored", 3, 0, N, LO, U, 1, {{0}, {3, 0}, {-1, 5, 0}}, {0}, {1, 5, 12}, {1, 2, 3}},
    {"unit, diagonal stored", 3, 0, N, LO, U, 1, {{7}, {3, 7}, {-1, 5, 7}}, {0}, {1, 5, 12}, {1, 2, 3}},
    {"separate diagonal", 3, 0, N, LO, SEP, 1, {{7}, {3, 0}, {-1, 5, 7}}, {2, 4, 8}, {2, 11, 33}, {1, 2, 3}},
    {"separate diagonal, transposed", 3, 0, TR, LO, SEP, 1, {{7}, {3, 0}, {-1, 5, 7}}, {2, 4, 8}, {5, 23, 24}, {1, 2, 3}},
    {"chain of five", 5, 0, N, LO, NU, 1, {{1}, {1, 1}, {0, 1, 1}, {0, 0, 1, 1}, {0, 0, 0, 1, 1}}, {0},
     {1, 3, 5, 7, 9}, {1, 2, 3, 4, 5}},
    {"arrow of five", 5, 0, N, UP, NU, 1, {{2, 1, 1, 1, 1}, {0, 2}, {0, 0, 2}, {0, 0, 0, 2}, {0, 0, 0, 0, 2}}, {0},
     {16, 4, 6, 8, 10}, {1, 2, 3, 4, 5}},
    /* [2i 0; 1+i 4] [1; i] = [2i; 1+5i] */
    {"complex lower", 2, 1, N, LO, NU, 1, {{2 * I}, {1 + I, 4}}, {0}, {2 * I, 1 + 5 * I}, {1, I}},
    /* [2i 1+i; 0 4] [1; i] = [-1+3i; 4i] */
    {"complex lower transposed", 2, 1, TR, LO, NU, 1, {{2 * I}, {1 + I, 4}}, {0}, {-1 + 3 * I, 4 * I}, {1, I}},
    /* [-2i 1-i; 0 4] [1; i] = [1-i; 4i] */
    {"complex lower, H", 2, 1, H, LO, NU, 1, {{2 * I}, {1 + I, 4}}, {0}, {1 - I, 4 * I}, {1, I}},
    {"complex, alpha = i", 2, 1, N, LO, NU, I, {{2 * I}, {1 + I, 4}}, {0}, {2, 5 - I}, {1, I}},
    {"complex separate diagonal, H", 2, 1, H, LO, SEP, 1, {{9}, {1 + I, 9}}, {2 * I, 4}, {1 - I, 4 * I}, {1, I}},
    {"complex upper, unit, H", 2, 1, H, UP, U, 1, {{0, 1 + I}, {0, 0}}, {0}, {1, 1}, {1, I}},
};

static void one_case(int c, Kind k, int a) {
  Entries list = {0};
  int n = CASES[c].n, exact = 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (CASES[c].A[i][j] != 0) push(&list, i, j, CASES[c].A[i][j]);
  k.op = CASES[c].op, k.fill = CASES[c].fill, k.diag = CASES[c].diag;
  Problem p = pack(k, n, list);
  for (int i = 0; i < n; i++) {
    put(k.type, p.f, i, CASES[c].f[i]);
    put(k.type, p.diag, i, CASES[c].d[i]);
  }
  p.alpha = CASES[c].alpha;

  System s;
  unsigned char x[5 * 16];
  sptrsvStatus_t status = open_system(&s, &p, ALGS[a].id);
  if (!status) status = solve(&s, x);
  for (int i = 0; i < n && !status; i++) exact &= get(k.type, x, i) == (num)CASES[c].x[i];
  if (status == SPTRSV_STATUS_NOT_SUPPORTED)
    T.unsupported++;
  else
    CHECK_THAT(!status && exact, "%s with %s (%s): %s, x = %g %g %g ...", CASES[c].name, ALGS[a].name, kind_text(&k),
               sptrsvGetErrorName(status), (double)creall(get(k.type, x, 0)), (double)creall(get(k.type, x, n > 1)),
               (double)creall(get(k.type, x, n > 2 ? 2 : 0)));
  close_system(&s);
  free_problem(&p);
}

static void solved_by_hand(void) {
  for (int c = 0; c < COUNT(CASES); c++)
    for (int t = CASES[c].only_complex ? 2 : 0; t < COUNT(TYPES); t++)
      for (int a = 0; a < COUNT(ALGS); a++)
        for (int bits = 0; bits < 16; bits++)
          one_case(c, (Kind){.type = TYPES[t], .base = bits & 1, .format = bits >> 1 & 1, .in_place = bits >> 2 & 1,
                             .wide = bits >> 3 & 1 ? 2 : 0}, a);
}

int main(int argc, char **argv) {
  check_begin("test_small", argc, argv);
  RUN(solved_by_hand);
  return check_end();
}
