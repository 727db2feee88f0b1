/*
 * The diagonal: sptrsvStats_t.missing_diagonal says which one is missing, in the matrix's own counting, and
 * sptrsvUpdateDiagonal replaces it in a copy of all values: zeros come and go, rows without an entry keep none, and what is
 * refused changes nothing. (test_all_values has new diagonals of every kind of problem.)
 */
#include "copies.h"

enum { M = 300, ROWS = 40, FIRST_HOLE = 20, LAST_HOLE = 33 };

/* 2 on the diagonal and 1 beside it; where `holes`, two rows have no diagonal entry. */
static Problem with_holes(Kind k, int holes) {
  Entries list = {0};
  for (int64_t r = 0; r < ROWS; r++) {
    if (!holes || (r != FIRST_HOLE && r != LAST_HOLE)) push(&list, r, r, 2);
    if (r > 0) push(&list, k.fill ? r - 1 : r, k.fill ? r : r - 1, 1);
  }
  return pack(k, ROWS, list);
}

/* The smallest row without a diagonal entry is told after any analysis, in the matrix's own counting. */
static void missing_diagonal(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < LESS_FORMAT * 2; i++)
      for (int holes = 0; holes < 2; holes++) {
        Kind k = nth_kind(i % LESS_FORMAT);
        k.base = i / LESS_FORMAT, k.format = (int)below(2), k.wide = (int)below(3), k.unsorted = (int)below(2);
        k.setup = any_setup();
        Problem p = with_holes(k, holes);
        int64_t expected = holes && k.diag == SPTRSV_DIAG_TYPE_NON_UNIT ? FIRST_HOLE + k.base : -1;
        System s;
        if (opened(&s, &p, a))
          for (int mode = SPTRSV_COPY_NONE; mode <= SPTRSV_COPY_ALL; mode++) {
            CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, (int)below(2)));
            analyse_for(&s, (sptrsvCopyValues_t)mode);
            int64_t row = stats_of(&s).missing_diagonal;
            CHECK_THAT(row == expected, "%s, mode %d (%s): row %" PRId64 ", expected %" PRId64, s.algorithm, mode, kind_text(&k),
                       row, expected);
          }
        close_system(&s);
        free_problem(&p);
      }
}

/* x, in which rows depend on a pivot that is missing, is as by an info without a copy. */
static void is_like(const System *s, const void *x, const void *plain, int exact) {
  int type = s->p->k.type, same = 1;
  for (int64_t i = 0; i < s->p->n; i++) {
    num v = get(type, x, i), w = get(type, plain, i);
    same &= finite_num(v) ? finite_num(w) && (!exact || v == w) : !finite_num(w);
  }
  CHECK_THAT(same, "%s (%s): another x than without a copy", s->algorithm, kind_text(&s->p->k));
}

/* Zeros come and go with the diagonal. A row without an entry keeps none, whatever the new diagonal has for it. */
static void zero_pivots(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4 * 3 * 2 * 2 * 2; i++) {
      int holes = i / 48, hole = holes ? FIRST_HOLE : -1;
      Kind k = {.type = TYPES[i % 4], .op = i / 4 % 3, .fill = i / 12 % 2, .format = i / 24 % 2, .base = (int)below(2),
                .wide = (int)below(3), .unsorted = (int)below(2), .setup = any_setup()};
      Problem p = with_holes(k, holes);
      System s;
      char x[ROWS * 16], plain[ROWS * 16];
      if (opened(&s, &p, a)) {
        CHECK_OK(solve(&s, plain));
        analyse_all(&s);
        pivot_is(&s, hole, "after the analysis");
        CHECK_OK(solve(&s, x));
        pivot_is(&s, hole, "after a solve");
        is_like(&s, x, plain, ALGS[a].deterministic);
        for (int step = 0; step < 3; step++) {
          void *d = random_diagonal(&p);
          if (step != 1) put(k.type, d, 7 + 24 * (step / 2), 0); /* row 7, none, row 31 */
          void *given = mem_copy(d, s.bytes);
          CHECK_OK(sptrsvUpdateDiagonal(s.h, s.info, given));
          CHECK_OK(solve(&s, x));
          pivot_is(&s, step == 0 ? 7 : step == 1 || holes ? hole : 31, "after another diagonal");
          put_whole_diagonal(&p, d);
          if (step == 1 && !holes) CHECK(worst_error(&p, p.alpha, p.f, x) <= 1);
          if (holes) CHECK_THAT(!finite_num(get(k.type, x, FIRST_HOLE)), "%s: x is finite at a missing pivot", s.algorithm);
          mem_free(given), free(d);
        }
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* One mode and diagonal type, and what an update of the diagonal gives then. */
static void diagonals_are_refused(int mode, int diag, int duplicates) {
  Kind k = {.type = SPTRSV_R_64F, .op = (int)below(3), .format = (int)below(2), .diag = diag, .duplicates = duplicates,
            .setup = any_setup()};
  for (int a = 0; a < COUNT(ALGS); a++) {
    Problem p = make_problem(k, GRID, M);
    System s;
    char x[M * 16];
    if (opened(&s, &p, a)) {
      int split = splits_diagonal(&p), all = mode == SPTRSV_COPY_ALL;
      CHECK(split == (duplicates && !diag));
      analyse_for(&s, (sptrsvCopyValues_t)mode);
      if (mode == SPTRSV_COPY_WHERE_FASTER) CHECK_OK(update(&s));
      solves_right(&s, x, "before an update that is refused");
      CHECK_STATUS(sptrsvUpdateDiagonal(s.h, s.info, s.diag),
                   !all || diag ? SPTRSV_STATUS_INVALID_VALUE : split ? SPTRSV_STATUS_NOT_SUPPORTED : SPTRSV_STATUS_SUCCESS);
      CHECK_MESSAGE(!all ? ALL_WORD : diag || split ? "diagonal" : "");
      if (all && !diag && !split) put_whole_diagonal(&p, p.diag), solves_right(&s, x, "after an update");
      CHECK_STATUS(sptrsvUpdateDiagonal(s.h, s.info, NULL), SPTRSV_STATUS_INVALID_VALUE);
      if (all && !diag) CHECK_MESSAGE("diag");
      CHECK_STATUS(sptrsvUpdateDiagonal(NULL, s.info, s.diag), SPTRSV_STATUS_NOT_INITIALIZED);
      CHECK_STATUS(sptrsvUpdateDiagonal(s.h, NULL, s.diag), SPTRSV_STATUS_INVALID_VALUE);
      CHECK_MESSAGE("info");
      solves_again(&s, x, ALGS[a].deterministic, "after updates that were refused");
    }
    close_system(&s);
    free_problem(&p);
  }
}

static void what_is_refused(void) {
  for (int mode = SPTRSV_COPY_NONE; mode <= SPTRSV_COPY_ALL; mode++)
    for (int i = 0; i < 3 * 2; i++) diagonals_are_refused(mode, i % 3, i / 3);
  sptrsvInfo_t fresh;
  CHECK_OK(sptrsvCreateInfo(&fresh));
  for (int mode = SPTRSV_COPY_NONE; mode <= SPTRSV_COPY_ALL; mode++) {
    CHECK_OK(sptrsvSetCopyValues(fresh, (sptrsvCopyValues_t)mode));
    CHECK_STATUS(sptrsvUpdateDiagonal(T.h, fresh, NULL), SPTRSV_STATUS_NOT_ANALYSED);
    CHECK_STATUS(sptrsvUpdateValues(T.h, fresh, NULL), SPTRSV_STATUS_NOT_ANALYSED);
  }
  CHECK_OK(sptrsvDestroyInfo(fresh));
}

int main(int argc, char **argv) {
  check_begin("test_diagonal", argc, argv);
  RUN(missing_diagonal);
  RUN(zero_pivots);
  RUN(what_is_refused);
  return check_end();
}
