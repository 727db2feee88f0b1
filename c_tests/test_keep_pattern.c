/*
 * sptrsvSetKeepPattern: an analysis of the pattern that the info holds already, with the same settings, keeps the schedule,
 * and says so. All else is as after a new analysis: bits, values, pivots, what is refused. A pattern that differs in one
 * word, another shape or another setting is analysed anew.
 */
#include "copies.h"

enum { M = 300, LARGE = 70000 };

static void is_known(const System *s, int expected, const char *what) {
  int64_t known = stats_of(s).pattern_was_known;
  CHECK_THAT(known == expected, "%s: pattern_was_known is %" PRId64 ", not %d (%s, %s)", what, known, expected, s->algorithm,
             kind_text(&s->p->k));
}

static void setter(void) {
  sptrsvInfo_t info;
  int enabled = -1;
  CHECK_OK(sptrsvCreateInfo(&info));
  CHECK_OK(sptrsvGetKeepPattern(info, &enabled));
  CHECK(enabled == 0);
  CHECK_OK(sptrsvSetKeepPattern(info, 1));
  CHECK_STATUS(sptrsvSetKeepPattern(info, 2), SPTRSV_STATUS_INVALID_VALUE);
  CHECK_OK(sptrsvGetKeepPattern(info, &enabled));
  CHECK(enabled == 1);
  CHECK_STATUS(sptrsvSetKeepPattern(NULL, 1), SPTRSV_STATUS_INVALID_VALUE);
  CHECK_STATUS(sptrsvGetKeepPattern(NULL, &enabled), SPTRSV_STATUS_INVALID_VALUE);
  CHECK_STATUS(sptrsvGetKeepPattern(info, NULL), SPTRSV_STATUS_INVALID_VALUE);
  sptrsvDestroyInfo(info);
}

/* The bits that an info gives which has analysed nothing before, for what `s` holds now. */
static void has_fresh_bits(System *s, const Problem *p, int a, const char *x, const char *what) {
  System fresh;
  char *other = malloc(s->bytes + 1);
  if (opened(&fresh, p, a) && solves_right(&fresh, other, what) && ALGS[a].deterministic)
    CHECK_THAT(!memcmp(x, other, s->bytes), "%s: other bits than of a new info (%s, %s)", what, s->algorithm,
               kind_text(&p->k));
  close_system(&fresh);
  free(other);
}

/* One problem, its values read from the caller, copied by updates, and copied by the analysis. */
static void one_case(Kind k, enum Shape shape, int64_t n, int a) {
  Problem p = make_problem(k, shape, n);
  System s;
  if (opened(&s, &p, a)) {
    char *x = malloc(s.bytes + 1);
    CHECK_OK(analyse(&s));
    is_known(&s, 0, "nothing is kept");
    CHECK_OK(sptrsvSetKeepPattern(s.info, 1));
    CHECK_OK(analyse(&s));
    is_known(&s, 0, "nothing was kept");
    solves_right(&s, x, "kept");
    sptrsvStats_t before = stats_of(&s);
    change(&s, &p);
    CHECK_OK(analyse(&s));
    is_known(&s, n > 0, "the same pattern");
    sptrsvStats_t after = stats_of(&s);
    CHECK(after.levels == before.levels && after.algorithm == before.algorithm && after.bytes_held == before.bytes_held);
    solves_right(&s, x, "known, before any update");
    has_fresh_bits(&s, &p, a, x, "known");

    analyse_for(&s, SPTRSV_COPY_ALL);
    is_known(&s, 0, "values were not copied");
    change(&s, &p);
    analyse_for(&s, SPTRSV_COPY_ALL);
    is_known(&s, n > 0, "values are copied");
    free_arrays(&s);
    solves_right(&s, x, "known, with a copy");
    replace_values(&s, &p);
    solves_right(&s, x, "known, with other values");
    arrays_again(&s);
    analyse_for(&s, SPTRSV_COPY_ALL);
    is_known(&s, n > 0, "from other arrays");
    solves_right(&s, x, "known, from other arrays");

    analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
    is_known(&s, 0, "values were copied by the analysis");
    CHECK_OK(update(&s));
    analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
    is_known(&s, n > 0, "values are copied by updates");
    is_refused(&s, "the info has no values yet: call sptrsvUpdateValues first");
    CHECK_OK(update(&s));
    solves_right(&s, x, "known, after an update");

    CHECK_OK(sptrsvSetKeepPattern(s.info, 0));
    CHECK_OK(analyse(&s));
    is_known(&s, n > 0, "kept before, and no more");
    CHECK_OK(analyse(&s));
    is_known(&s, 0, "kept no more");
    free(x);
  }
  close_system(&s);
  free_problem(&p);
}

static void every_kind_and_algorithm(void) {
  static const int SIZES[] = {0, 1, 2, 33, 257};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < FORMAT_KINDS; i += 3) one_case(format_kind(i + (int)below(3)), (enum Shape)below(SHAPES), SIZES[below(5)], a);
}

static void large(void) {
  static const enum Shape SHAPES_OF_LARGE[] = {GRID, RANDOM, NODES, DENSE_ROW, DENSE_END};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < COUNT(SHAPES_OF_LARGE); i++) {
      Kind k = format_kind((int)below(FORMAT_KINDS));
      one_case(k, SHAPES_OF_LARGE[i], SHAPES_OF_LARGE[i] == NODES ? 6000 : 20000 + below(20000), a);
    }
}

/* A chain; or with its last row, or the row `moved`, on row 0; or with an entry of the last row in row 1. */
enum Chain { PLAIN, OTHER_INDEX, OTHER_OFFSET };
static Problem chain(Kind k, int64_t n, enum Chain which, int64_t moved) {
  Entries list = {0};
  for (int64_t r = 0; r < n; r++) {
    if (which == OTHER_OFFSET && r == 1) push(&list, 1, 0, 0.25L);
    if (r > 0 && !(which == OTHER_OFFSET && r == n - 1)) push(&list, r, which == OTHER_INDEX && r == moved ? 0 : r - 1, 0.5L);
    push(&list, r, r, 2);
  }
  return pack(k, n, list);
}

/* Puts the other problem, which has as many entries, where the system has its own. */
static void exchange(System *s, const Problem *p) {
  s->p = p;
  mend(s);
  mem_put(s->ptr, p->ptr, ptr_bytes(s));
  mem_put(s->ind, p->ind, ind_bytes(s));
  mem_put(s->f, p->f, s->bytes);
}

/* One word that differs, at the beginning, in the middle and at the end. */
static void one_word_differs(void) {
  for (int wide = 0; wide < 3; wide++)
    for (int i = 0; i < 2 * 4; i++) {
      int64_t n = i % 2 ? M : LARGE;
      Kind k = {.type = SPTRSV_R_64F, .wide = wide, .base = i / 2 % 2, .setup = any_setup()};
      Problem p = chain(k, n, PLAIN, 0);
      int64_t moved[] = {2, n / 2, n - 1, 0};
      Problem q = chain(k, n, i / 2 == 3 ? OTHER_OFFSET : OTHER_INDEX, moved[i / 2]);
      System s;
      char *x = malloc((size_t)n * 8);
      CHECK(p.nnz == q.nnz);
      CHECK_OK(open_system(&s, &p, SPTRSV_ALG_AUTO));
      s.algorithm = "AUTO";
      CHECK_OK(sptrsvSetKeepPattern(s.info, 1));
      for (int copy = SPTRSV_COPY_NONE; copy <= SPTRSV_COPY_ALL; copy += SPTRSV_COPY_ALL) {
        analyse_for(&s, (sptrsvCopyValues_t)copy);
        analyse_for(&s, (sptrsvCopyValues_t)copy);
        is_known(&s, 1, "the same chain");
        exchange(&s, &q);
        analyse_for(&s, (sptrsvCopyValues_t)copy);
        is_known(&s, 0, "another chain");
        solves_right(&s, x, "another chain");
        exchange(&s, &p);
        analyse_for(&s, (sptrsvCopyValues_t)copy);
        is_known(&s, 0, "the first one again");
        solves_right(&s, x, "the first one again");
      }
      close_system(&s);
      free_problem(&p), free_problem(&q);
      free(x);
    }
}

/* What a pattern is analysed for is a part of what is known. */
static void settings_and_shapes(void) {
  Kind k = {.type = SPTRSV_R_64F};
  Problem p = chain(k, M, PLAIN, 0);
  System s;
  char x[M * 8];
  CHECK_OK(open_system(&s, &p, SPTRSV_ALG_AUTO));
  s.algorithm = "AUTO";
  CHECK_OK(sptrsvSetKeepPattern(s.info, 1));
#define ANEW(change, back)                \
  do {                                    \
    CHECK_OK(analyse(&s));                \
    CHECK_OK(change);                     \
    CHECK_OK(make_buffer(&s));            \
    CHECK_OK(analyse(&s));                \
    is_known(&s, 0, #change);             \
    CHECK_OK(analyse(&s));                \
    is_known(&s, 1, #change ", twice");   \
    CHECK_OK(back);                       \
    CHECK_OK(make_buffer(&s));            \
  } while (0)
  ANEW(sptrsvSetAlgorithm(s.info, SPTRSV_ALG_SLFR), sptrsvSetAlgorithm(s.info, SPTRSV_ALG_AUTO));
  ANEW(sptrsvSetExpectedRightHandSides(s.info, 3), sptrsvSetExpectedRightHandSides(s.info, 1));
  ANEW(sptrsvSetAnalysisMode(s.info, SPTRSV_ANALYSIS_MODE_CPU), sptrsvSetAnalysisMode(s.info, SPTRSV_ANALYSIS_MODE_AUTO));
  ANEW(sptrsvSetAnalysisForAllOperations(s.info, 1), sptrsvSetAnalysisForAllOperations(s.info, 0));
  ANEW(sptrsvSetCopyValues(s.info, SPTRSV_COPY_WHERE_FASTER), sptrsvSetCopyValues(s.info, SPTRSV_COPY_NONE));
  ANEW(sptrsvSetSweeps(s.info, SPTRSV_SWEEPS_ANY), sptrsvSetSweeps(s.info, SPTRSV_SWEEPS_NONE));
  ANEW(sptrsvSetFactorization(s.info, 1), sptrsvSetFactorization(s.info, 0));
  ANEW(sptrsvSetMatDiagType(s.d, SPTRSV_DIAG_TYPE_UNIT), sptrsvSetMatDiagType(s.d, SPTRSV_DIAG_TYPE_NON_UNIT));
  ANEW(sptrsvSetMatFillMode(s.d, SPTRSV_FILL_MODE_UPPER), sptrsvSetMatFillMode(s.d, SPTRSV_FILL_MODE_LOWER));
  ANEW(sptrsvSetMatFormat(s.d, SPTRSV_FORMAT_CSC), sptrsvSetMatFormat(s.d, SPTRSV_FORMAT_CSR));
#undef ANEW
  Problem other = p;
  s.p = &other;
  const int types[] = {SPTRSV_R_32F, SPTRSV_C_64F, SPTRSV_R_64F};
  for (int i = 0; i < COUNT(types); i++) {
    other.k.type = types[i];
    CHECK_OK(make_buffer(&s));
    CHECK_OK(analyse(&s));
    is_known(&s, 0, "another type");
  }
  other.k.op = SPTRSV_OPERATION_TRANSPOSE;
  CHECK_OK(analyse(&s));
  is_known(&s, 0, "another operation");
  s.p = &p;
  CHECK_OK(analyse(&s));
  is_known(&s, 0, "the first operation again");
  solves_right(&s, x, "in the end");
  close_system(&s);
  free_problem(&p);
}

/* An info that has found a zero pivot has none after another analysis, but the one that the pattern is without. */
static void pivots(void) {
  for (int a = 0; a < COUNT(ALGS); a++) {
    Problem p = chain((Kind){.type = SPTRSV_R_64F}, M, PLAIN, 0);
    System s;
    char x[M * 8];
    if (opened(&s, &p, a)) {
      CHECK_OK(sptrsvSetKeepPattern(s.info, 1));
      CHECK_OK(analyse(&s));
      put_diagonal(&s, &p, 17, 0);
      CHECK_OK(solve(&s, x));
      pivot_is(&s, 17, "solved");
      put_diagonal(&s, &p, 17, 2);
      CHECK_OK(analyse(&s));
      is_known(&s, 1, "after a zero pivot");
      pivot_is(&s, -1, "analysed again");
      solves_right(&s, x, "analysed again");
      pivot_is(&s, -1, "solved again");
    }
    close_system(&s);
    free_problem(&p);
  }
}

/* A malformed pattern is refused as ever, and the analysis before it stays. */
static void malformed(void) {
  Problem p = chain((Kind){.type = SPTRSV_R_64F}, M, PLAIN, 0);
  System s;
  char x[M * 8];
  CHECK_OK(open_system(&s, &p, SPTRSV_ALG_AUTO));
  s.algorithm = "AUTO";
  CHECK_OK(sptrsvSetKeepPattern(s.info, 1));
  CHECK_OK(analyse(&s));
  mem_fill(s.ind, 0xff, ind_bytes(&s));
  CHECK_STATUS(analyse(&s), SPTRSV_STATUS_INVALID_MATRIX);
  mem_put(s.ind, p.ind, ind_bytes(&s));
  solves_right(&s, x, "after a malformed pattern");
  CHECK_OK(analyse(&s));
  is_known(&s, 1, "after a malformed pattern");
  close_system(&s);
  free_problem(&p);
}

int main(int argc, char **argv) {
  check_begin("test_keep_pattern", argc, argv);
  RUN(setter);
  RUN(every_kind_and_algorithm);
  RUN(large);
  RUN(one_word_differs);
  RUN(settings_and_shapes);
  RUN(pivots);
  RUN(malformed);
  return check_end();
}
