/*
 * Systems of at most 5 unknowns, solved by hand. All their pivots are powers of two, so that every algorithm must give
 * the exact solution. And the product of everything a problem can be, against the naive check of problem.h:
 *
 * - every kind of problem (type, op, triangle, diagonal, base, format, index types, order, storage, in
 *   place, alpha's place) with every algorithm; the shape, size and setup are drawn at random;
 * - every size and shape with every type, op, triangle, diagonal, base and algorithm, the rest drawn at random;
 * - every type, op and triangle in narrow tiles, and in complete factors;
 * - random kinds on large systems.
 *
 * Each of these is solved twice: a deterministic algorithm must give the same bits.
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

static void one_by_hand(int c, Kind k, int a) {
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
          one_by_hand(c, (Kind){.type = TYPES[t], .base = bits & 1, .format = bits >> 1 & 1, .in_place = bits >> 2 & 1,
                             .wide = bits >> 3 & 1 ? 2 : 0}, a);
}

/* Two solves after an analysis that returned `status`. */
static void judge(System *s, sptrsvStatus_t status, enum Shape shape, uint64_t seed, int a) {
  const Problem *p = s->p;
  void *x = malloc(s->bytes + 1), *again = malloc(s->bytes + 1);
  const char *what = "";
  long double worst = 0;
  if (!status) status = solve(s, x);
  if (!status) {
    worst = worst_error(p, p->alpha, p->f, x);
    if (!(worst <= 1)) what = "the first solution is wrong";
    status = solve(s, again);
  }
  if (!status && !*what) {
    worst = worst_error(p, p->alpha, p->f, again);
    if (!(worst <= 1))
      what = "the second solution is wrong";
    else if (ALGS[a].deterministic && memcmp(x, again, s->bytes))
      what = "two solves differ in their bits";
    else if (!p->k.in_place && s->bytes) {
      mem_get(again, s->f, s->bytes);
      if (memcmp(again, p->f, s->bytes)) what = "the right-hand side was changed";
    }
  }
  if (status == SPTRSV_STATUS_NOT_SUPPORTED)
    T.unsupported++;
  else
    CHECK_THAT(!status && !*what, "%s: %s n = %" PRId64 ", %s, seed %#" PRIx64 ": %s%s, error / bound = %Lg, message \"%s\"",
               ALGS[a].name, SHAPE_NAMES[shape], p->n, kind_text(&p->k), seed, status ? sptrsvGetErrorName(status) : "",
               what, worst, sptrsvGetLastErrorString());
  free(x), free(again);
}

/* One problem with the algorithms from `first` to before `end`, by one info that is analysed anew for each. */
static void one_case(Kind k, enum Shape shape, int64_t n, int first, int end) {
  uint64_t seed = rng_state;
  Problem p = make_problem(k, shape, n);
  System s;
  judge(&s, open_system(&s, &p, ALGS[first].id), shape, seed, first);
  for (int a = first + 1; a < end; a++) {
    sptrsvStatus_t status = set_algorithm(&s, ALGS[a].id);
    judge(&s, status ? status : analyse(&s), shape, seed, a);
  }
  close_system(&s);
  free_problem(&p);
}

static void every_kind(void) {
  static const int SIZES[] = {0, 1, 2, 30, 31, 32, 33};
  for (int i = 0; i < KINDS; i++) {
    Kind k = nth_kind(i);
    k.duplicates = (int)below(2), k.setup = random_setup();
    /* Sizes below 3 leave little to go wrong: they come up less often. */
    int64_t n = SIZES[below(4) ? 3 + below(4) : below(7)];
    one_case(k, (enum Shape)below(SHAPES), n, 0, COUNT(ALGS));
  }
}

static void every_size_and_shape(void) {
  static const int SIZES[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 1500};
  for (int i = 0; i < COUNT(SIZES) * SHAPES * MAIN_KINDS; i++) {
    Kind k = random_kind(), main = nth_kind(i % MAIN_KINDS);
    k.type = main.type, k.op = main.op, k.fill = main.fill, k.diag = main.diag, k.base = main.base;
    one_case(k, (enum Shape)(i / MAIN_KINDS % SHAPES), SIZES[i / MAIN_KINDS / SHAPES], 0, COUNT(ALGS));
  }
}

/* Every type, operation and triangle by one algorithm, in five shapes with narrow levels. */
static void narrow_levels(sptrsvAlgorithm_t algorithm, const enum Shape *shapes) {
  int a = place_of(algorithm);
  for (int i = 0; i < 4 * 3 * 2; i++) {
    Kind k = nth_kind(i);
    k.setup = random_setup();
    one_case(k, shapes[i % 5], 40000 + below(20000), a, a + 1);
  }
}

/* In tiles with narrow levels, many of which a warp solves at once, and whose blocks
 * hand over to each other where a GPU has clusters; with short rows and with longer ones, and by strips. */
static void narrow_tiles(void) {
  narrow_levels(SPTRSV_ALG_TILED, (enum Shape[]){GRID, DIAGONALS, NODES, GRID, CHAIN});
}

/* By rows, where levels are narrow from the first one on, or behind wide ones, and some rows are long. */
static void narrow_ends(void) {
  narrow_levels(SPTRSV_ALG_ONE_WORD, (enum Shape[]){TAIL, GRID, CHAIN, DENSE_END, NODES});
}

/* Complete factors, with some thirty entries a row and with hundreds, which a GPU solves by panels with few warps or many; and short
 * rows with long ones behind them, which it cuts into pieces. */
static void factors(void) {
  for (int i = 0; i < 4 * 3 * 2; i++)
    for (int which = 0; which < 3; which++) {
      Kind k = nth_kind(i);
      k.setup = random_setup();
      int a = place_of(SPTRSV_ALG_PANEL), sizes[] = {100 + below(100), 900 + below(300), 9000 + below(300)};
      one_case(k, which == 2 ? DENSE_END : SEPARATORS, sizes[which], a, a + 1);
    }
}

static void large(void) {
  for (int i = 0; i < 4 * COUNT(ALGS); i++)
    one_case(random_kind(), i % 2 ? GRID : i % 4 ? EMPTY_ROWS : RANDOM, 40000 + below(20000), i % COUNT(ALGS),
             i % COUNT(ALGS) + 1);
  for (int i = 0; i < 20; i++) {
    Kind k = random_kind();
    k.unsorted = k.duplicates = 0;
    int a = place_of(i % 2 ? SPTRSV_ALG_NODAL : SPTRSV_ALG_AUTO);
    one_case(k, NODES, 60 * (500 + below(500)), a, a + 1);
  }
}

int main(int argc, char **argv) {
  check_begin("test_product", argc, argv);
  RUN(solved_by_hand);
  RUN(every_kind);
  RUN(every_size_and_shape);
  RUN(narrow_tiles);
  RUN(narrow_ends);
  RUN(factors);
  RUN(large);
  return check_end();
}
