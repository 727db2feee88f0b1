/*
 * sptrsvTune: what is kept solves right and gives the same bits in every solve, for one right-hand side and for several, after new
 * values and another tuning; where there is nothing to choose it is a solve; what is refused leaves x alone. By the driver's stand-in,
 * whose clock goes by blocks: the engine that is kept is the fastest of those that were timed.
 */
#include "copies.h"
#include "driver.h"
#include "swept.h"

/* The log's line of the last tuning. */
static char tuned[512];
static void hear(sptrsvLogLevel_t level, const char *line, void *user) {
  (void)level, (void)user;
  if (strncmp(line, "tuning", 6) == 0) snprintf(tuned, sizeof tuned, "%s", line);
}

/* Tunes as the kind says (in place or not) and brings x to the host. */
static sptrsvStatus_t tune(System *s, void *x) {
  mem_fill(s->x, 0xff, s->bytes);
  if (s->p->k.in_place) mem_put(s->x, s->p->f, s->bytes);
  sptrsvStatus_t status = tune_from(s, s->p->k.in_place ? s->x : s->f, s->x);
  mem_get(x, s->x, s->bytes);
  return status;
}

/* Tunes; x solves the system, and has the bits of the solves that follow. */
static int tunes_right(System *s, void *x, const char *what) {
  const Problem *p = s->p;
  char *again = malloc(s->bytes + 1);
  sptrsvStatus_t status = tune(s, x);
  long double worst = status ? INFINITY : worst_error(p, p->alpha, p->f, x);
  int ok = CHECK_THAT(worst <= 1, "%s, n = %" PRId64 " (%s): %s \"%s\", error / bound = %Lg", what, p->n, kind_text(&p->k),
                      sptrsvGetErrorName(status), sptrsvGetLastErrorString(), worst);
  for (int i = 0; i < 2 && ok; i++)
    if ((ok = solves_right(s, again, what)))
      ok = CHECK_THAT(!memcmp(x, again, s->bytes), "%s: a solve has other bits than the tuning (%s)", what, kind_text(&p->k));
  free(again);
  return ok;
}

static void one_case(Kind k, enum Shape shape, int64_t n, int a) {
  Problem p = make_problem(k, shape, n);
  System s;
  if (opened(&s, &p, a)) {
    char *x = malloc(s.bytes + 1), *columns = malloc(3 * s.bytes + 1);
    sptrsvAlgorithm_t before, after;
    sptrsvGetAlgorithm(s.info, &before);
    int is_chosen = ALGS[a].id == SPTRSV_ALG_AUTO;
    if (!ALGS[a].deterministic) CHECK_OK(tune(&s, x));
    else if (tunes_right(&s, x, "tuned")) {
      mem_put(s.x, p.f, s.bytes);
      void *f = mem_new(3 * s.bytes), *all = mem_new(3 * s.bytes);
      for (int c = 0; c < 3; c++) mem_put((char *)f + (size_t)c * s.bytes, p.f, s.bytes);
      sptrsvSetPointerMode(T.h, SPTRSV_POINTER_MODE_HOST);
      CHECK_OK(solve_columns(&s, 3, f, all));
      mem_get(columns, all, 3 * s.bytes);
      columns_are_right(&s, a, 3, columns, x);
      mem_free(f), mem_free(all);
      tunes_right(&s, x, "tuned again");
    }
    pivot_is(&s, -1, "after a tuning");
    sptrsvGetAlgorithm(s.info, &after);
    sptrsvStats_t stats = stats_of(&s);
    CHECK(stats.algorithm == (int)after && ALGS[place_of(after)].deterministic >= is_chosen);
    CHECK_THAT(is_chosen || (after == before && stats.tuned_ms == 0), "%s has become %s", ALGS[a].name, ALGS[place_of(after)].name);
    if (is_chosen && n > 1000) CHECK_THAT(stats.tuned_ms > 0, "a solve takes %g ms", stats.tuned_ms);
    CHECK_OK(analyse(&s));
    CHECK(stats_of(&s).tuned_ms == 0);
    free(x), free(columns);
  }
  close_system(&s);
  free_problem(&p);
}

static void every_kind(void) {
  static const int SIZES[] = {1, 2, 33, 257};
  for (int i = 0; i < FORMAT_KINDS; i++) one_case(format_kind(i), (enum Shape)below(SHAPES), SIZES[below(4)], 0);
  for (int shape = 0; shape <= IRREGULAR; shape++)
    if (shape != SHAPES) {
      Kind k = format_kind((int)below(FORMAT_KINDS));
      k.duplicates = 0;
      one_case(k, (enum Shape)shape, 3000, 0);
    }
}

static void large(void) {
  for (int i = 0; i < 6; i++) {
    Kind k = {.type = TYPES[i % 4], .op = i % 3, .fill = i & 1, .in_place = i == 2};
    one_case(k, i == 1 ? RANDOM : i == 2 ? NODES : GRID, 60000, 0);
  }
}

/* Where an algorithm was asked for there is nothing to choose. */
static void nothing_to_choose(void) {
  for (int a = 1; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4; i++) one_case(random_kind(), GRID, 300, a);
}

/* One operation after the other, of an info for all of them. */
static void all_operations(void) {
  for (int t = 0; t < COUNT(TYPES); t++)
    for (int first = 0; first < 3; first++) {
      Problem p = make_problem((Kind){.type = TYPES[t], .op = first, .fill = t & 1, .setup = any_setup()}, GRID, 2500);
      System s;
      if (opened(&s, &p, 0)) {
        CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
        CHECK_OK(analyse(&s));
        char *x[3], *again = malloc(s.bytes);
        for (int i = 0; i < 3; i++) {
          p.k.op = (first + i) % 3;
          x[i] = malloc(s.bytes);
          tunes_right(&s, x[i], "one of all operations");
        }
        for (int i = 0; i < 3; i++) {
          p.k.op = (first + i) % 3;
          if (p.k.op != SPTRSV_OPERATION_TRANSPOSE && solves_right(&s, again, "after all operations"))
            CHECK_THAT(p.k.op || !memcmp(x[i], again, s.bytes), "the tuning of another operation has changed bits");
          free(x[i]);
        }
        CHECK(stats_of(&s).bytes_held > 0);
        free(again);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* Infos that copy values: tuned and then given others. */
static void copied_values(void) {
  for (int i = 0; i < FORMAT_KINDS; i += 3)
    for (sptrsvCopyValues_t copy = SPTRSV_COPY_WHERE_FASTER; copy <= SPTRSV_COPY_ALL; copy++) {
      Kind k = format_kind(i);
      k.duplicates = 0;
      Problem p = make_problem(k, GRID, 900);
      System s;
      if (opened(&s, &p, 0)) {
        char *x = malloc(s.bytes + 1);
        analyse_for(&s, copy);
        if (copy == SPTRSV_COPY_WHERE_FASTER) {
          CHECK_STATUS(tune(&s, x), SPTRSV_STATUS_INVALID_VALUE);
          CHECK_MESSAGE("sptrsvUpdateValues");
          CHECK_OK(update(&s));
        } else {
          change(&s, &p); /* copied anew */
        }
        tunes_right(&s, x, "with a copy");
        change(&s, &p);
        CHECK_OK(update(&s));
        solves_right(&s, x, "new values after a tuning");
        tunes_right(&s, x, "tuned again with new values");
        if (copy == SPTRSV_COPY_ALL) {
          free_arrays(&s);
          replace_values(&s, &p);
          replace_diagonal(&s, &p);
          solves_right(&s, x, "without the arrays after a tuning");
          mem_fill(s.x, UNTOUCHED, s.bytes);
          CHECK_STATUS(tune_from(&s, s.f, s.x), SPTRSV_STATUS_INVALID_VALUE);
          CHECK_MESSAGE("is NULL");
          sptrsvSetPointerMode(T.h, SPTRSV_POINTER_MODE_HOST);
          CHECK(mem_is(s.x, UNTOUCHED, s.bytes));
          arrays_again(&s);
        }
        free(x);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* What a tuning has kept stays where an analysis knows the pattern again, and where it does not, AUTO chooses anew. */
static void known_patterns(void) {
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .setup = any_setup()}, GRID, 2500);
  System s;
  if (opened(&s, &p, 0)) {
    char *x = malloc(s.bytes), *again = malloc(s.bytes);
    CHECK_OK(sptrsvSetKeepPattern(s.info, 1));
    CHECK_OK(analyse(&s));
    tunes_right(&s, x, "with a kept pattern");
    sptrsvStats_t before = stats_of(&s);
    CHECK_OK(analyse(&s));
    sptrsvStats_t after = stats_of(&s);
    CHECK(after.pattern_was_known && after.tuned_ms == before.tuned_ms && after.algorithm == before.algorithm);
    if (solves_right(&s, again, "of a known pattern")) CHECK(!memcmp(x, again, s.bytes));
    tunes_right(&s, x, "of a known pattern");
    CHECK_OK(sptrsvSetKeepPattern(s.info, 0));
    CHECK_OK(sptrsvSetExpectedRightHandSides(s.info, 2)); /* another setting */
    CHECK_OK(make_buffer(&s));
    CHECK_OK(analyse(&s));
    CHECK(stats_of(&s).tuned_ms == 0);
    tunes_right(&s, x, "of another analysis");
    free(x), free(again);
  }
  close_system(&s);
  free_problem(&p);
}

/* Zeros of the diagonal are those of the solve at the end. */
static void zero_pivots(void) {
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .base = 1}, GRID, 2500);
  System s;
  if (opened(&s, &p, 0)) {
    char *x = malloc(s.bytes);
    put_diagonal(&s, &p, 1700, 0);
    CHECK_OK(tune(&s, x));
    pivot_is(&s, 1700, "after a tuning");
    put_diagonal(&s, &p, 1700, 2);
    tunes_right(&s, x, "without the zero");
    pivot_is(&s, -1, "after another tuning");
    free(x);
  }
  close_system(&s);
  free_problem(&p);
}

/* An info for Gauss-Seidel sweeps sweeps right after a tuning; one for factorisations factorises. */
static void sweeps_and_factorisations(void) {
  Problem p = make_whole_matrix((Kind){.type = SPTRSV_R_64F}, GRID, 2500);
  size_t bytes = (size_t)p.n * sizeof(double);
  double *old = malloc(bytes), *x = malloc(bytes), one = 1;
  for (int64_t i = 0; i < p.n; i++) old[i] = (double)uniform();
  Swept s;
  if (CHECK_OK(open_sweep(T.h, &s, &p, ONLY_OWN))) {
    CHECK_OK(sptrsvTune(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p.n, p.nnz, &one, s.d, SPTRSV_R_64F, s.val, s.ptr, s.ind, s.info, s.b, s.x,
                        SPTRSV_SOLVE_POLICY_NO_LEVEL, (char *)s.buffer + 1));
    mem_put(s.x, old, bytes);
    CHECK_OK(sweep(&s, 1, 0));
    mem_get(x, s.x, bytes);
    CHECK(worst_row(&p, old, x, 1, 0, ONLY_OWN) <= 1);
  }
  close_sweep(&s);
  System f;
  if (CHECK_OK(open_system(&f, &p, SPTRSV_ALG_AUTO))) {
    int64_t row;
    CHECK_OK(sptrsvSetFactorization(f.info, 1));
    CHECK_OK(make_buffer(&f));
    CHECK_OK(analyse(&f));
    CHECK_OK(tune_from(&f, f.f, f.x));
    CHECK_OK(sptrsvIlu0(T.h, p.n, p.nnz, f.d, SPTRSV_R_64F, f.val, f.ptr, f.ind, f.info, f.buffer));
    CHECK_OK(sptrsvFactorZeroPivot(T.h, f.info, &row));
    CHECK_OK(tune_from(&f, f.f, f.x));
  }
  close_system(&f);
  free(old), free(x);
  free_problem(&p);
}

/* --------------------------------------------------------------------------------------------- refusals */

static void misuse(void) {
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 400);
  System s;
  if (!opened(&s, &p, 0)) return;
  const sptrsvOperation_t N = SPTRSV_OPERATION_NON_TRANSPOSE;
  const sptrsvSolvePolicy_t L = SPTRSV_SOLVE_POLICY_USE_LEVEL;
  const sptrsvDataType_t D = SPTRSV_R_64F;
  const sptrsvStatus_t INVALID = SPTRSV_STATUS_INVALID_VALUE, MISMATCH = SPTRSV_STATUS_PATTERN_MISMATCH;
  const int64_t m = p.n, nnz = p.nnz;
  void *a = s.alpha_host, *odd = (char *)s.ptr + 1;
  mem_fill(s.x, UNTOUCHED, s.bytes);
#define TUNE(h, op, m, nnz, alpha, d, type, val, ptr, ind, info, f, x, policy, buffer, status, word)                       \
  CHECK_STATUS(sptrsvTune(h, op, m, nnz, alpha, d, type, val, ptr, ind, info, f, x, policy, buffer), status), CHECK_MESSAGE(word)
  TUNE(NULL, N, m, nnz, a, s.d, D, s.val, s.ptr, s.ind, s.info, s.f, s.x, L, s.buffer, SPTRSV_STATUS_NOT_INITIALIZED, "handle");
  TUNE(T.h, N, m, nnz, NULL, s.d, D, s.val, s.ptr, s.ind, s.info, s.f, s.x, L, s.buffer, INVALID, "alpha is NULL");
  TUNE(T.h, N, m, nnz, a, NULL, D, s.val, s.ptr, s.ind, s.info, s.f, s.x, L, s.buffer, INVALID, "descr is NULL");
  TUNE(T.h, N, m, nnz, a, s.d, D, NULL, s.ptr, s.ind, s.info, s.f, s.x, L, s.buffer, INVALID, "val is NULL");
  TUNE(T.h, N, m, nnz, a, s.d, D, s.val, NULL, s.ind, s.info, s.f, s.x, L, s.buffer, INVALID, "rowPtr is NULL");
  TUNE(T.h, N, m, nnz, a, s.d, D, s.val, odd, s.ind, s.info, s.f, s.x, L, s.buffer, INVALID, "rowPtr is not aligned");
  TUNE(T.h, N, m, nnz, a, s.d, D, s.val, s.ptr, NULL, s.info, s.f, s.x, L, s.buffer, INVALID, "colInd is NULL");
  TUNE(T.h, N, m, nnz, a, s.d, D, s.val, s.ptr, odd, s.info, s.f, s.x, L, s.buffer, INVALID, "colInd is not aligned");
  TUNE(T.h, N, m, nnz, a, s.d, D, s.val, s.ptr, s.ind, NULL, s.f, s.x, L, s.buffer, INVALID, "info is NULL");
  TUNE(T.h, N, m, nnz, a, s.d, D, s.val, s.ptr, s.ind, s.info, NULL, s.x, L, s.buffer, INVALID, "f is NULL");
  TUNE(T.h, N, m, nnz, a, s.d, D, s.val, s.ptr, s.ind, s.info, s.f, NULL, L, s.buffer, INVALID, "x is NULL");
  TUNE(T.h, N, m, nnz, a, s.d, D, s.val, s.ptr, s.ind, s.info, s.f, s.x, L, NULL, INVALID, "buffer is NULL");
  TUNE(T.h, N, m, nnz, a, s.d, D, s.val, s.ptr, s.ind, s.info, s.f, s.x, (sptrsvSolvePolicy_t)7, s.buffer, INVALID, "7");
  TUNE(T.h, N, m + 1, nnz, a, s.d, D, s.val, s.ptr, s.ind, s.info, s.f, s.x, L, s.buffer, MISMATCH, "401");
  TUNE(T.h, N, m, nnz - 1, a, s.d, D, s.val, s.ptr, s.ind, s.info, s.f, s.x, L, s.buffer, MISMATCH, "nnz");
  TUNE(T.h, SPTRSV_OPERATION_TRANSPOSE, m, nnz, a, s.d, D, s.val, s.ptr, s.ind, s.info, s.f, s.x, L, s.buffer, MISMATCH, "operation");
  TUNE(T.h, N, m, nnz, a, s.d, SPTRSV_C_64F, s.val, s.ptr, s.ind, s.info, s.f, s.x, L, s.buffer, MISMATCH, "type");
  CHECK(mem_is(s.x, UNTOUCHED, s.bytes));
  CHECK(stats_of(&s).tuned_ms == 0);
  sptrsvInfo_t info;
  CHECK_OK(sptrsvCreateInfo(&info));
  TUNE(T.h, N, m, nnz, a, s.d, D, s.val, s.ptr, s.ind, info, s.f, s.x, L, s.buffer, SPTRSV_STATUS_NOT_ANALYSED, "sptrsvAnalysis");
#undef TUNE
  CHECK_OK(sptrsvDestroyInfo(info));
  CHECK(mem_is(s.x, UNTOUCHED, s.bytes));
  char *x = malloc(s.bytes);
  tunes_right(&s, x, "after refusals");
  free(x);
  close_system(&s);
  free_problem(&p);
}

static void a_capture_is_refused(void) {
  cudaStream_t stream;
  cudaGraph_t graph = NULL;
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 2500);
  System s;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_OK(sptrsvSetStream(T.h, stream));
  if (opened(&s, &p, 0)) {
    char *x = malloc(s.bytes);
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK_STATUS(tune_from(&s, s.f, s.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("captur");
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    cudaGetLastError();
    if (graph) CUDA(cudaGraphDestroy(graph));
    tunes_right(&s, x, "on a stream");
    /* What is kept can be captured. */
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK_OK(solve_from(&s, s.f, s.x));
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    if (graph) CUDA(cudaGraphDestroy(graph));
    free(x);
  }
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  close_system(&s);
  free_problem(&p);
  CUDA(cudaStreamDestroy(stream));
}

/* ------------------------------------------------------------------------------- which algorithm is kept */

/* Reads the line of a tuning: how many algorithms were timed, and whether none is faster than the one that stays. */
static int timed(int64_t n) {
  char begin[40], kept[32] = "", name[32], list[sizeof tuned];
  int count = 0, used = 0;
  double time, least = INFINITY, of_kept = INFINITY;
  snprintf(begin, sizeof begin, "tuning of %" PRId64 " rows: ", n);
  if (!CHECK_THAT(strncmp(tuned, begin, strlen(begin)) == 0, "the line is '%s'", tuned)) return 0;
  snprintf(list, sizeof list, "%s", tuned + strlen(begin));
  char *stays = strstr(list, "; ");
  if (!CHECK_THAT(stays && sscanf(stays, "; %31s stays", kept) == 1, "nothing stays in '%s'", tuned)) return 0;
  for (char *at = list; at < stays && sscanf(at, "%31s %lf ms%n", name, &time, &used) == 2; at += used + 2, count++) {
    least = fmin(least, time);
    if (!strcmp(name, kept)) of_kept = time;
  }
  CHECK_THAT(of_kept <= least, "not the fastest stays: '%s'", tuned);
  return count;
}

/* Arrays that hold another pattern of the same size, malformed or not, give no candidate: what was analysed goes on. */
static void another_pattern(void) {
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 400);
  System s;
  CHECK_OK(sptrsvSetLogCallback(SPTRSV_LOG_INFO, hear, NULL));
  if (opened(&s, &p, 0)) {
    char *x = malloc(s.bytes);
    int32_t *ind = malloc((size_t)p.nnz * sizeof *ind);
    for (int malformed = 0; malformed < 2; malformed++) {
      memcpy(ind, p.ind, (size_t)p.nnz * sizeof *ind);
      ind[1] = malformed ? (int32_t)p.n : 399; /* row 1 has an entry on the left in the matrix */
      mem_put(s.ind, ind, (size_t)p.nnz * sizeof *ind);
      tunes_right(&s, x, "with another pattern");
      CHECK_THAT(timed(p.n) == 1, "'%s'", tuned);
    }
    mem_put(s.ind, p.ind, (size_t)p.nnz * sizeof *ind);
    tunes_right(&s, x, "after another pattern");
    CHECK_THAT(timed(p.n) > 1, "'%s'", tuned);
    free(ind), free(x);
  }
  CHECK_OK(sptrsvSetLogCallback(SPTRSV_LOG_OFF, NULL, NULL));
  close_system(&s);
  free_problem(&p);
}

static void a_line_says_what_was_timed(void) {
  CHECK_OK(sptrsvSetLogCallback(SPTRSV_LOG_INFO, hear, NULL));
  for (int i = 0; i < 2; i++) {
    Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 40000);
    System s;
    if (opened(&s, &p, 0)) {
      CHECK_OK(tune_from(&s, s.f, s.x));
      int count = timed(p.n);
      CHECK_THAT(T.on_gpu ? count >= 2 && count <= 3 : count == 3, "%d algorithms were timed: '%s'", count, tuned);
    }
    close_system(&s);
    free_problem(&p);
  }
  CHECK_OK(sptrsvSetLogCallback(SPTRSV_LOG_OFF, NULL, NULL));
}

/* By the stand-in: on every matrix two or three engines of the GPU are timed. Sometimes another one than AUTO's is kept, and tuned
 * again, AUTO's is among those that are timed. */
static void engines_are_timed(void) {
  int others = 0;
  find_standin();
  driver.pools(1);
  CHECK_OK(sptrsvCreate(&T.h));
  CHECK_OK(sptrsvSetLogCallback(SPTRSV_LOG_INFO, hear, NULL));
  for (int shape = 0; shape <= IRREGULAR; shape++)
    for (int op = 0; op < 2 && shape != SHAPES; op++) {
      Problem p = make_problem((Kind){.type = TYPES[shape % 4], .op = op, .setup = SPTRSV_ANALYSIS_MODE_CPU}, (enum Shape)shape, 20000);
      System s;
      if (opened(&s, &p, 0)) {
        sptrsvAlgorithm_t before, after;
        sptrsvGetAlgorithm(s.info, &before);
        CHECK_OK(tune_from(&s, s.f, s.x));
        int count = timed(p.n);
        CHECK_THAT(count == 3 && strstr(tuned, ALGS[place_of(before)].name), "%d engines were timed: '%s'", count, tuned);
        sptrsvGetAlgorithm(s.info, &after);
        CHECK_THAT(strstr(strchr(tuned, ';'), ALGS[place_of(after)].name), "%s is in use: '%s'", ALGS[place_of(after)].name, tuned);
        others += after != before;
        CHECK_OK(tune_from(&s, s.f, s.x));
        CHECK_THAT(after == before || strstr(tuned, ALGS[place_of(before)].name), "AUTO's choice is forgotten: '%s'", tuned);
        CHECK_THAT(timed(p.n) >= 2, "'%s'", tuned);
        /* Without memory for another analysis there is no candidate. */
        CHECK_OK(analyse(&s));
        driver.room(s.bytes + 4096);
        CHECK_OK(tune_from(&s, s.f, s.x));
        driver.room(SIZE_MAX);
        CHECK_THAT(timed(p.n) == 1, "without memory: '%s'", tuned);
        sptrsvGetAlgorithm(s.info, &after);
        CHECK(after == before);
        driver.room(0);
        CHECK_STATUS(tune_from(&s, s.f, s.x), SPTRSV_STATUS_ALLOC_FAILED);
        driver.room(SIZE_MAX);
        CHECK_OK(solve_from(&s, s.f, s.x));
      }
      close_system(&s);
      free_problem(&p);
    }
  CHECK_THAT(others > 0, "AUTO's choice was kept everywhere");
  destroy_handle();
}

static void engines_of_a_gpu(void) { in_a_child("engines_are_timed", standin()); }

static const Child CHILDREN[] = {{"engines_are_timed", engines_are_timed}};

int main(int argc, char **argv) {
  if (is_child(argc, argv)) return run_child(CHILDREN, COUNT(CHILDREN), argv[2]);
  check_begin("test_tune", argc, argv);
  RUN(every_kind);
  RUN(large);
  RUN(nothing_to_choose);
  RUN(all_operations);
  RUN(copied_values);
  RUN(known_patterns);
  RUN(zero_pivots);
  RUN(sweeps_and_factorisations);
  RUN(misuse);
  RUN_ON_GPU(a_capture_is_refused);
  RUN(another_pattern);
  RUN(a_line_says_what_was_timed);
  RUN(engines_of_a_gpu);
  return check_end();
}
