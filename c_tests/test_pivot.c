/*
 * Zero pivots, by the csrsv2 contract: analysis and solve succeed; sptrsvZeroPivot reports the smallest
 * row without a diagonal entry (after analysis), or with a missing or zero one (after a solve), in the
 * matrix's own base; the next solve starts afresh; a unit diagonal has none.
 */
#include "problem.h"

enum { M = 40, LOW = 11, HIGH = 29 }; /* size, and the two bad rows */

/* A matrix of that shape; the diagonal entries of the rows given are left out (bit 1) or zero (bit 2). */
static Problem bad_problem(Kind k, enum Shape shape, int low, int high) {
  Problem good = make_problem((Kind){.type = k.type, .fill = k.fill}, shape, M);
  Entries list = {0};
  for (int64_t t = 0; t < good.nnz; t++) {
    Entry e = good.e[t];
    int bad = e.i != e.j ? 0 : e.i == LOW ? low : e.i == HIGH ? high : 0;
    if (bad != 1) push(&list, e.i, e.j, bad == 2 ? 0 : e.v);
  }
  free_problem(&good);
  Problem p = pack(k, M, list);
  if (low == 2) put(k.type, p.diag, LOW, 0);
  if (high == 2) put(k.type, p.diag, HIGH, 0);
  return p;
}

static void solve_expecting(System *s, int bad_row) {
  unsigned char x[M * 16];
  sptrsvStatus_t status = solve(s, x);
  CHECK_THAT(status == SPTRSV_STATUS_SUCCESS && (bad_row < 0 || !finite_num(get(s->p->k.type, x, bad_row))),
             "the solve with %s returned %s, or x[%d] is finite (%s)", s->algorithm, sptrsvGetErrorName(status), bad_row,
             kind_text(&s->p->k));
}

/* low and high: what is wrong with the two rows (0 nothing, 1 no entry, 2 zero). */
static void one_case(Kind k, int a, int low, int high) {
  Problem p = bad_problem(k, RANDOM, low, high);
  System s;
  int counted = k.diag == SPTRSV_DIAG_TYPE_NON_UNIT, separate = k.diag == SEPARATE_DIAGONAL;
  int64_t structural = !counted ? -1 : low == 1 ? LOW : high == 1 ? HIGH : -1;
  int64_t any = k.diag == SPTRSV_DIAG_TYPE_UNIT ? -1
                : separate                      ? (low == 2 ? LOW : high == 2 ? HIGH : -1)
                                                : (low ? LOW : high ? HIGH : -1);
  if (opened(&s, &p, a)) {
    pivot_is(&s, structural, "after analysis");
    pivot_is(&s, structural, "after analysis, asked again");
    solve_expecting(&s, (int)any);
    pivot_is(&s, any, "after a solve");
    /* With good values only what is structural stays, and zero values come back as they come. */
    void *good = malloc(((size_t)p.nnz + M) * 16);
    for (int64_t i = 0; i < p.nnz + M; i++) put(k.type, good, i, 1.0L);
    mem_put(s.val, good, (size_t)p.nnz * s.vs);
    mem_put(s.diag, good, M * s.vs);
    solve_expecting(&s, (int)structural);
    pivot_is(&s, structural, "after a solve with good values");
    mem_put(s.val, p.val, (size_t)p.nnz * s.vs);
    mem_put(s.diag, p.diag, M * s.vs);
    solve_expecting(&s, (int)any);
    pivot_is(&s, any, "after a solve with bad values again");
    free(good);
  }
  close_system(&s);
  free_problem(&p);
}

static void every_kind_and_algorithm(void) {
  static const int BAD[][2] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {0, 2}, {1, 1}, {2, 2}, {1, 2}, {2, 1}};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++)
      for (int op = 0; op < 3; op++)
        for (int bits = 0; bits < 4; bits++)
          for (int b = 0; b < COUNT(BAD); b++)
            one_case((Kind){.type = TYPES[t], .op = op, .fill = bits & 1, .format = bits >> 1,
                            .diag = (int[]){0, 0, 0, 1, 2}[below(5)], .base = (int)below(2), .wide = (int)below(3),
                            .unsorted = (int)below(2), .device_alpha = (int)below(2), .setup = random_setup()},
                     a, BAD[b][0], BAD[b][1]);
}

/* Solves for one right-hand side and for several, with zeros on the diagonal and without, one after the other: each
 * reports what it has found itself. */
static void solves_of_both_kinds(void) {
  enum { MOST = 5 };
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 2 * COUNT(TYPES); i++) {
      Kind k = {.type = TYPES[i / 2], .op = (int)below(3), .fill = (int)below(2)};
      Problem p = bad_problem(k, i % 2 ? DIAGONAL : RANDOM, 2, 2);
      System s;
      if (opened(&s, &p, a)) {
        void *good = malloc((size_t)p.nnz * s.vs), *f = mem_new(MOST * s.bytes), *x = mem_new(MOST * s.bytes);
        for (int64_t e = 0; e < p.nnz; e++) put(k.type, good, e, 1.0L);
        mem_fill(f, 0, MOST * s.bytes);
        for (int round = 0; round < 16; round++) {
          int is_bad = (int)below(2), columns = below(2) ? 1 : 1 + (int)below(MOST);
          mem_put(s.val, is_bad ? p.val : good, (size_t)p.nnz * s.vs);
          CHECK_OK(columns == 1 ? solve_from(&s, f, x)
                                : sptrsvSolveMulti(s.h, (sptrsvOperation_t)k.op, M, p.nnz, columns, s.alpha_host, s.d,
                                                   (sptrsvDataType_t)k.type, s.val, s.ptr, s.ind, s.info, f, M, x, M,
                                                   s.policy, s.buffer));
          pivot_is(&s, is_bad ? LOW : -1, columns == 1 ? "after one column" : "after several columns");
        }
        free(good), mem_free(f), mem_free(x);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* Nodes of some rows that depend on the same others, the first of which has no entry on the diagonal: where the upper
 * triangle is stored, no entry at all lies before its others. */
static void the_first_diagonal_of_nodes(void) {
  static const int SIZES[] = {2, 3, 5, 6};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++)
      for (int c = 0; c < 3 * 2 * 2 * 2 * COUNT(SIZES); c++) {
        Kind k = {.type = TYPES[t], .op = c % 3, .fill = c / 3 % 2, .format = c / 6 % 2, .setup = random_setup()};
        int size = SIZES[c / 24], m = size * (1 + c / 12 % 2);
        Entries list = {0};
        for (int i = 0; i < m; i++)
          for (int j = 0; j < m; j++)
            if ((i > j) == (k.fill == SPTRSV_FILL_MODE_LOWER) || i == j)
              if (i + j > 0) push(&list, i, j, i == j ? 2 : 0.25L);
        Problem p = pack(k, m, list);
        System s;
        if (opened(&s, &p, a)) {
          pivot_is(&s, 0, "after analysis of nodes");
          solve_expecting(&s, 0);
          pivot_is(&s, 0, "after a solve of nodes");
        }
        close_system(&s);
        free_problem(&p);
      }
}

/* Two entries on one diagonal add up, to zero as well. */
static void entries_that_cancel(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      Entries list = {0};
      for (int i = 0; i < 3; i++) push(&list, i, i, i == 2 ? 5 : 1);
      push(&list, 2, 2, -5);
      push(&list, 1, 1, -1.5L);
      Problem p = pack((Kind){.type = TYPES[t], .base = 1}, 3, list);
      System s;
      if (opened(&s, &p, a)) {
        pivot_is(&s, -1, "after analysis of diagonals that cancel");
        solve_expecting(&s, 2);
        pivot_is(&s, 2, "after a solve with diagonals that cancel");
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* Only an exact zero is a zero pivot: not a subnormal, not NaN; a negative zero is one. */
static void what_counts_as_zero(void) {
  static const struct {
    double value;
    int zero;
  } CASES[] = {{0.0, 1}, {-0.0, 1}, {1e-40, 0}, {NAN, 0}, {INFINITY, 0}, {1e-30, 0}};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++)
      for (int c = 0; c < COUNT(CASES); c++) {
        Entries list = {0};
        push(&list, 0, 0, 1);
        push(&list, 1, 1, CASES[c].value);
        Problem p = pack((Kind){.type = TYPES[t]}, 2, list);
        System s;
        if (opened(&s, &p, a)) {
          solve_expecting(&s, -1);
          pivot_is(&s, CASES[c].zero ? 1 : -1, "after a solve with an odd diagonal");
        }
        close_system(&s);
        free_problem(&p);
      }
}

static void arguments(void) {
  Problem p = bad_problem((Kind){.type = SPTRSV_R_64F}, RANDOM, 2, 0);
  System s;
  sptrsvInfo_t fresh;
  int64_t row = NO_ROW;
  CHECK_OK(sptrsvCreateInfo(&fresh));
  CHECK_STATUS(sptrsvZeroPivot(T.h, fresh, &row), SPTRSV_STATUS_NOT_ANALYSED);
  CHECK(row == NO_ROW);
  CHECK_MESSAGE("analys");
  CHECK_STATUS(sptrsvZeroPivot(T.h, NULL, &row), SPTRSV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE("info");
  CHECK_STATUS(sptrsvZeroPivot(NULL, fresh, &row), SPTRSV_STATUS_NOT_INITIALIZED);
  CHECK(row == NO_ROW);
  if (opened(&s, &p, 0)) {
    CHECK_STATUS(sptrsvZeroPivot(T.h, s.info, NULL), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("position");
    /* A new analysis, of a good matrix, forgets the old pivot. */
    solve_expecting(&s, LOW);
    pivot_is(&s, LOW, "before the new analysis");
    CHECK_OK(analyse(&s));
    pivot_is(&s, -1, "after the new analysis");
  }
  close_system(&s);
  sptrsvDestroyInfo(fresh);
  free_problem(&p);
}

int main(int argc, char **argv) {
  check_begin("test_pivot", argc, argv);
  RUN(arguments);
  RUN(the_first_diagonal_of_nodes);
  RUN(entries_that_cancel);
  RUN(what_counts_as_zero);
  RUN(every_kind_and_algorithm);
  RUN(solves_of_both_kinds);
  return check_end();
}
