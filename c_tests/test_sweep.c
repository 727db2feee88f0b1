/*
 * Gauss-Seidel and SOR sweeps: each row's equation holds with the new unknowns of one triangle and the old ones of the other, component
 * by component, against sums in long double; misuse is told, and nothing is touched.
 */
#include "swept.h"
#include "watched.h"

static void one_case(Kind k, enum Shape shape, int64_t n, double weight, int zero, int with_diagonal) {
  rng_state = (uint64_t)(n * 31 + shape * 7 + k.type + k.fill);
  Problem p = make_whole_matrix(k, shape, n);
  size_t bytes = (size_t)n * value_size(k.type);
  void *old = malloc(bytes + 1), *first = malloc(bytes + 1), *x = malloc(bytes + 1);
  for (int64_t i = 0; i < n; i++) put(k.type, old, i, zero ? CMPLXL(NAN, NAN) : random_num(1));
  Swept s;
  if (CHECK_OK(open_sweep(T.h, &s, &p, with_diagonal)))
    for (int run = 0; run < 2; run++) {
      CHECK_OK(sptrsvSetSmCountTarget(T.h, run)); /* all multiprocessors, and one */
      mem_put(s.x, old, bytes);
      CHECK_OK(sweep(&s, weight, zero));
      mem_get(run ? x : first, s.x, bytes);
      if (run) {
        CHECK_THAT(!memcmp(first, x, bytes), "other bits in the second run (%s)", kind_text(&k));
        continue;
      }
      long double worst = worst_row(&p, old, first, weight, zero, with_diagonal);
      CHECK_THAT(worst <= 1, "%s, n = %lld, weight %g%s%s: error %Lg of the bound (%s)", SHAPE_NAMES[shape], (long long)n, weight,
                 zero ? ", from zero" : "", with_diagonal == GIVEN ? ", separate diagonal" : with_diagonal == ONLY_OWN ? ", Gauss-Seidel alone" : "", worst, kind_text(&k));
    }
  CHECK_OK(sptrsvSetSmCountTarget(T.h, 0));
  close_sweep(&s);
  free(old), free(first), free(x);
  free_problem(&p);
}

static void every_kind(void) {
  static const enum Shape SHAPES_HERE[] = {DIAGONAL, CHAIN, GRID, RANDOM, DENSE_ROW, NODES, TAIL, BAND};
  static const double WEIGHTS[] = {1, 0.7, 1.5};
  for (int t = 0; t < COUNT(TYPES); t++)
    for (int fill = 0; fill < 2; fill++)
      for (int shape = 0; shape < COUNT(SHAPES_HERE); shape++)
        for (int w = 0; w < COUNT(WEIGHTS); w++)
          for (int variant = 0; variant < 3; variant++) {
            Kind k = {.type = TYPES[t], .fill = fill, .base = variant & 1, .wide = variant, .unsorted = variant == 2};
            one_case(k, SHAPES_HERE[shape], variant ? 300 : 2500, WEIGHTS[w], variant == 1, w == 2 || variant == 2 ? GIVEN : OWN);
            if (w == 0) one_case(k, SHAPES_HERE[shape], variant ? 300 : 2500, 1, variant == 1, ONLY_OWN);
          }
  one_case((Kind){.type = SPTRSV_R_64F}, GRID, 160000, 1, 0, OWN);
  one_case((Kind){.type = SPTRSV_R_64F}, GRID, 160000, 1, 0, ONLY_OWN);
  one_case((Kind){.type = SPTRSV_R_64F, .fill = SPTRSV_FILL_MODE_UPPER}, IRREGULAR, 40000, 1.2, 0, GIVEN);
}

/* Sweeps solve: from any guess, the error of a heavy diagonal falls under rounding. */
static void sweeps_converge(void) {
  rng_state = 5;
  Problem p = make_whole_matrix((Kind){.type = SPTRSV_R_64F}, GRID, 4900);
  size_t bytes = (size_t)p.n * sizeof(double);
  double *x = calloc((size_t)p.n, sizeof *x), *before = calloc((size_t)p.n, sizeof *x), change = 0;
  Swept s;
  if (CHECK_OK(open_sweep(T.h, &s, &p, 0))) {
    mem_put(s.x, x, bytes);
    for (int k = 0; k < 200; k++) {
      memcpy(before, x, bytes);
      CHECK_OK(sweep(&s, 1, 0));
      mem_get(x, s.x, bytes);
    }
    for (int64_t i = 0; i < p.n; i++) change = fmax(change, fabs(x[i] - before[i]));
    CHECK_THAT(change < 1e-13, "the last sweep changed x by %g", change);
  }
  close_sweep(&s);
  free(x), free(before);
  free_problem(&p);
}

static void misuse(void) {
  Problem p = make_whole_matrix((Kind){.type = SPTRSV_R_64F}, GRID, 100);
  double x[100], now[100], one = 1;
  sptrsvSweeps_t sweeps = SPTRSV_SWEEPS_NONE;
  Swept s;
  for (int i = 0; i < 100; i++) x[i] = i;
  if (CHECK_OK(open_sweep(T.h, &s, &p, 0))) {
    mem_put(s.x, x, sizeof x);
    CHECK_OK(sptrsvGetSweeps(s.info, &sweeps));
    CHECK(sweeps == SPTRSV_SWEEPS_ANY);
    CHECK_STATUS(sptrsvSetSweeps(s.info, 7), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_STATUS(sptrsvSetSweeps(NULL, 1), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_STATUS(sweep(&s, 0, 0), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("weight");
    CHECK_STATUS(sweep(&s, NAN, 0), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_STATUS(sweep(&s, 1, 2), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("zeroGuess");
    /* A solve with such an info has no diagonal. */
    CHECK_STATUS(sptrsvSolve(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p.n, p.nnz, &one, s.d, SPTRSV_R_64F, s.val, s.ptr, s.ind, s.info, s.b,
                             s.x, SPTRSV_SOLVE_POLICY_NO_LEVEL, s.buffer),
                 SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("diagonal");
    void *b = s.b;
    s.b = NULL;
    CHECK_STATUS(sweep(&s, 1, 0), SPTRSV_STATUS_INVALID_VALUE);
    s.b = s.x;
    CHECK_STATUS(sweep(&s, 1, 0), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("x is b itself");
    s.b = b;
    sptrsvInfo_t analysed = s.info;
    CHECK_OK(sptrsvCreateInfo(&s.info));
    CHECK_OK(sptrsvSetSweeps(s.info, SPTRSV_SWEEPS_ANY));
    CHECK_STATUS(sweep(&s, 1, 0), SPTRSV_STATUS_NOT_ANALYSED);
    CHECK_MESSAGE("sptrsvAnalysis");
    CHECK_OK(sptrsvDestroyInfo(s.info));
    s.info = analysed;
    CHECK_STATUS(sptrsvSweep(T.h, p.n, p.nnz - 1, 1, 0, s.d, SPTRSV_R_64F, s.val, s.ptr, s.ind, s.info, s.b, s.x, s.buffer),
                 SPTRSV_STATUS_PATTERN_MISMATCH);
    CHECK_MESSAGE("nnz");
    CHECK_STATUS(sptrsvSweep(NULL, p.n, p.nnz, 1, 0, s.d, SPTRSV_R_64F, s.val, s.ptr, s.ind, s.info, s.b, s.x, s.buffer),
                 SPTRSV_STATUS_NOT_INITIALIZED);
    mem_get(now, s.x, sizeof now);
    CHECK(!memcmp(x, now, sizeof x));
    /* What is chosen now is for later analyses. */
    CHECK_OK(sptrsvSetSweeps(s.info, 0));
    CHECK_OK(sweep(&s, 1, 0));
    mem_put(s.x, x, sizeof x);
    CHECK_OK(sptrsvSetDiagonal(s.info, s.diag));
    CHECK_OK(sptrsvAnalysis(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p.n, p.nnz, s.d, SPTRSV_R_64F, NULL, s.ptr, s.ind, s.info,
                            SPTRSV_SOLVE_POLICY_USE_LEVEL, s.buffer));
    CHECK_OK(sptrsvSetSweeps(s.info, 1));
    CHECK_STATUS(sweep(&s, 1, 0), SPTRSV_STATUS_NOT_SUPPORTED);
    CHECK_OK(sptrsvSetDiagonal(s.info, NULL));
    mem_get(now, s.x, sizeof now);
    CHECK(!memcmp(x, now, sizeof x));
    /* Not analysed for sweeps. */
    CHECK_OK(sptrsvSetSweeps(s.info, 0));
    CHECK_OK(sptrsvAnalysis(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p.n, p.nnz, s.d, SPTRSV_R_64F, NULL, s.ptr, s.ind, s.info,
                            SPTRSV_SOLVE_POLICY_USE_LEVEL, s.buffer));
    CHECK_STATUS(sweep(&s, 1, 0), SPTRSV_STATUS_NOT_SUPPORTED);
    CHECK_MESSAGE("sptrsvSetSweeps");
  }
  close_sweep(&s);
  free_problem(&p);
}

/* An analysis for Gauss-Seidel alone serves solves too, and no other weights or diagonals. */
static void gauss_seidel_alone(void) {
  Problem p = make_whole_matrix((Kind){.type = SPTRSV_R_64F}, GRID, 100);
  double x[100], now[100], one = 1;
  Swept s;
  for (int i = 0; i < 100; i++) x[i] = i;
  if (CHECK_OK(open_sweep(T.h, &s, &p, ONLY_OWN))) {
    mem_put(s.x, x, sizeof x);
    CHECK_STATUS(sweep(&s, 1.5, 0), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("weight is 1.5");
    CHECK_OK(sptrsvSetDiagonal(s.info, s.diag));
    CHECK_STATUS(sweep(&s, 1, 0), SPTRSV_STATUS_PATTERN_MISMATCH);
    CHECK_MESSAGE("sptrsvSetDiagonal");
    CHECK_STATUS(sptrsvAnalysis(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p.n, p.nnz, s.d, SPTRSV_R_64F, NULL, s.ptr, s.ind, s.info,
                                SPTRSV_SOLVE_POLICY_USE_LEVEL, s.buffer),
                 SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("own diagonal");
    CHECK_OK(sptrsvSetDiagonal(s.info, NULL));
    mem_get(now, s.x, sizeof now);
    CHECK(!memcmp(x, now, sizeof x));
    /* From zero a sweep is a solve. */
    CHECK_OK(sweep(&s, 1, 1));
    mem_get(x, s.x, sizeof x);
    CHECK_OK(sptrsvSolve(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p.n, p.nnz, &one, s.d, SPTRSV_R_64F, s.val, s.ptr, s.ind, s.info, s.b, s.x,
                         SPTRSV_SOLVE_POLICY_NO_LEVEL, (char *)s.buffer + 1));
    mem_get(now, s.x, sizeof now);
    CHECK(!memcmp(x, now, sizeof x));
  }
  close_sweep(&s);
  free_problem(&p);
}

/* A row without an entry on its diagonal has a zero there: nothing is refused, and the row is told. */
static void missing_diagonal(void) {
  enum { ROW = 42 };
  Kind k = {.type = SPTRSV_R_64F, .base = 1};
  Problem whole = make_whole_matrix(k, GRID, 100);
  Entries list = {0};
  for (int64_t t = 0; t < whole.nnz; t++)
    if (whole.e[t].i != ROW || whole.e[t].j != ROW) push(&list, whole.e[t].i, whole.e[t].j, get(k.type, whole.val, t));
  Problem p = pack(k, whole.n, list);
  double x[100], old[100];
  for (int i = 0; i < 100; i++) old[i] = i;
  for (int with_diagonal = OWN; with_diagonal <= ONLY_OWN; with_diagonal++) {
    Swept s;
    int64_t row = NO_ROW;
    sptrsvStats_t stats = {.struct_size = sizeof stats};
    if (CHECK_OK(open_sweep(T.h, &s, &p, with_diagonal))) {
      CHECK_OK(sptrsvGetStats(s.info, &stats));
      CHECK(stats.missing_diagonal == (with_diagonal == ONLY_OWN ? ROW + 1 : -1));
      CHECK_STATUS(sptrsvZeroPivot(T.h, s.info, &row), with_diagonal == ONLY_OWN ? SPTRSV_STATUS_ZERO_PIVOT : SPTRSV_STATUS_SUCCESS);
      CHECK(row == stats.missing_diagonal);
      mem_put(s.x, old, sizeof old);
      CHECK_OK(sweep(&s, 1, 0));
      CHECK_STATUS(sptrsvZeroPivot(T.h, s.info, &row), with_diagonal == GIVEN ? SPTRSV_STATUS_SUCCESS : SPTRSV_STATUS_ZERO_PIVOT);
      CHECK(row == (with_diagonal == GIVEN ? -1 : ROW + 1));
      mem_get(x, s.x, sizeof x);
      if (with_diagonal == GIVEN)
        CHECK(worst_row(&p, old, x, 1, 0, GIVEN) <= 1);
      else
        for (int i = 0; i <= ROW; i++) CHECK_THAT(isfinite(x[i]) == (i < ROW), "x[%d] is %g", i, x[i]);
    }
    close_sweep(&s);
  }
  free_problem(&whole), free_problem(&p);
}

static sptrsvStatus_t gauss_seidel(void *subject) { return sweep(subject, 1, 0); }

static int swept_right(void *subject) {
  Swept *s = subject;
  size_t bytes = (size_t)s->p->n * sizeof(double);
  double *x = malloc(bytes);
  mem_get(x, s->x, bytes);
  long double worst = worst_row(s->p, s->p->f, x, 1, 0, OWN);
  free(x);
  return worst <= 1;
}

/* Each sweep begins with f in x. */
static void watchdog(void) {
  rng_state = 8;
  Problem p = make_whole_matrix((Kind){.type = SPTRSV_R_64F}, CHAIN, 100000);
  int ended = 0;
  for (int a = 0; a < COUNT(ALGS); a++) {
    Swept s;
    if (!ALGS[a].self_scheduled) continue;
    sptrsvStatus_t status = open_sweep_by(T.h, &s, &p, OWN, ALGS[a].id);
    if (status == SPTRSV_STATUS_NOT_SUPPORTED) {
      T.unsupported++;
    } else if (CHECK_OK(status)) {
      Watched w = {.name = ALGS[a].name, .call = gauss_seidel, .is_right = swept_right, .subject = &s, .x = s.x, .before = p.f, .count = p.n,
                   .infos = {s.info}, .pivot = sptrsvZeroPivot, .leaves_nan = 1, .buffer = s.buffer, .buffer_bytes = s.buffer_bytes};
      int was_ended = watch(&w);
      CHECK_THAT(was_ended || T.on_gpu, "%s: no sweep was ended", ALGS[a].name);
      ended += was_ended;
    }
    close_sweep(&s);
  }
  printf("watchdog: %d sweeps were ended by it\n", ended);
  CHECK(ended > 0);
  free_problem(&p);
}

int main(int argc, char **argv) {
  check_begin("test_sweep", argc, argv);
  RUN(every_kind);
  RUN(sweeps_converge);
  RUN(misuse);
  RUN(gauss_seidel_alone);
  RUN(missing_diagonal);
  RUN(watchdog);
  return check_end();
}
