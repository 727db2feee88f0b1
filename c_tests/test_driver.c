/*
 * What a driver can do to the library, by its stand-in and so on every machine: memory that is short is given back, captures of
 * other threads are left alone, and each call of the driver in turn may fail.
 */
#include "copies.h"
#include "driver.h"

#define ALLOC_FAILED SPTRSV_STATUS_ALLOC_FAILED

/* ------------------------------------------------------------------------------------- memory is short */

/* What an analysis is for. A tuning comes behind it, and is part of the work. */
enum Purpose { SOLVES, ALL_VALUES, ALL_OPERATIONS, KEEP_PATTERN, FACTORISATIONS, SWEEPS, TUNING };
static const char *const PURPOSES[] = {"analysis", "copy of values", "analysis for all operations", "kept pattern", "factorisation", "sweep",
                                       "tuning"};

/* What work takes and leaves: by algorithms of few and of many arrays, on the CPU and on the GPU. */
static const struct {
  sptrsvAlgorithm_t algorithm;
  sptrsvAnalysisMode_t setup;
  enum Purpose purpose;
} WAYS[] = {{SPTRSV_ALG_AUTO, SPTRSV_ANALYSIS_MODE_CPU, SOLVES}, {SPTRSV_ALG_SLFC, SPTRSV_ANALYSIS_MODE_CPU, SOLVES},
            {SPTRSV_ALG_LEVR, SPTRSV_ANALYSIS_MODE_CPU, SOLVES}, {SPTRSV_ALG_SLFC, SPTRSV_ANALYSIS_MODE_GPU, SOLVES},
            {SPTRSV_ALG_TILED, SPTRSV_ANALYSIS_MODE_CPU, SOLVES},
            {SPTRSV_ALG_ONE_WORD, SPTRSV_ANALYSIS_MODE_CPU, ALL_VALUES}, {SPTRSV_ALG_SLFC, SPTRSV_ANALYSIS_MODE_GPU, ALL_VALUES},
            {SPTRSV_ALG_TILED, SPTRSV_ANALYSIS_MODE_CPU, ALL_OPERATIONS},
            {SPTRSV_ALG_AUTO, SPTRSV_ANALYSIS_MODE_CPU, KEEP_PATTERN}, {SPTRSV_ALG_SLFC, SPTRSV_ANALYSIS_MODE_GPU, KEEP_PATTERN},
            {SPTRSV_ALG_AUTO, SPTRSV_ANALYSIS_MODE_CPU, FACTORISATIONS}, {SPTRSV_ALG_AUTO, SPTRSV_ANALYSIS_MODE_CPU, SWEEPS},
            {SPTRSV_ALG_AUTO, SPTRSV_ANALYSIS_MODE_CPU, TUNING}};

/* A new info in place of the one from before. */
static void new_info(System *s, int w) {
  CHECK_OK(sptrsvDestroyInfo(s->info));
  CHECK_OK(sptrsvCreateInfo(&s->info));
  CHECK_OK(sptrsvSetAlgorithm(s->info, WAYS[w].algorithm));
  CHECK_OK(sptrsvSetAnalysisMode(s->info, WAYS[w].setup));
  CHECK_OK(sptrsvSetCopyValues(s->info, WAYS[w].purpose == ALL_VALUES ? SPTRSV_COPY_ALL : SPTRSV_COPY_NONE));
  CHECK_OK(sptrsvSetAnalysisForAllOperations(s->info, WAYS[w].purpose == ALL_OPERATIONS));
  CHECK_OK(sptrsvSetKeepPattern(s->info, WAYS[w].purpose == KEEP_PATTERN));
  CHECK_OK(sptrsvSetFactorization(s->info, WAYS[w].purpose == FACTORISATIONS));
  CHECK_OK(sptrsvSetSweeps(s->info, WAYS[w].purpose == SWEEPS ? SPTRSV_SWEEPS_ANY : SPTRSV_SWEEPS_NONE));
  CHECK_OK(make_buffer(s));
}

/* What the analysis is for, and what needs no memory of the GPU. */
static sptrsvStatus_t use(System *s, enum Purpose purpose) {
  const Problem *p = s->p;
  switch (purpose) {
    case FACTORISATIONS:
      return sptrsvIlu0(s->h, p->n, p->nnz, s->d, (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->info, s->buffer);
    case SWEEPS:
      return sptrsvSweep(s->h, p->n, p->nnz, 1, 0, s->d, (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->info, s->f, s->x, s->buffer);
    default: return solve_from(s, s->f, s->x);
  }
}

static sptrsvStatus_t work(System *s, int w) {
  sptrsvStatus_t status = analyse_values(s, s->val);
  return status || WAYS[w].purpose != TUNING ? status : tune_from(s, s->f, s->x);
}

static int knows_pattern(System *s) {
  sptrsvStats_t stats = {.struct_size = sizeof stats};
  CHECK_OK(analyse_values(s, s->val));
  CHECK_OK(sptrsvGetStats(s->info, &stats));
  return (int)stats.pattern_was_known;
}

/* Factorisations and sweeps are parts of an analysis beside the plan of solves. What the pool gets of one part when another one is refused
 * stays there. */
static int has_parts(enum Purpose purpose) { return purpose == FACTORISATIONS || purpose == SWEEPS; }

/* With less memory than it takes, work is refused and leaves nothing in the pool; with just as much it works, though the pool is full of
 * what others have left. Two things are left out instead where there is no memory for them: the copy of the pattern by which the next
 * analysis knows it, and an algorithm that a tuning would have tried. */
static void memory_is_given_back(void) {
  find_standin();
  driver.pools(1);
  CHECK_OK(sptrsvCreate(&T.h));
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 20000);
  int left_out = 0;
  for (int w = 0; w < COUNT(WAYS); w++) {
    System s;
    enum Purpose purpose = WAYS[w].purpose;
    p.k.setup = WAYS[w].setup;
    driver.room(SIZE_MAX);
    CHECK_OK(open_system(&s, &p, WAYS[w].algorithm));
    sptrsvInfo_t other = s.info;
    CHECK_OK(sptrsvCreateInfo(&s.info));
    new_info(&s, w);
    size_t before = driver.used();
    driver.room(SIZE_MAX);
    CHECK_OK(work(&s, w));
    size_t taken = driver.most_used() - before, held = driver.used() - before;
    CHECK(taken >= held && held > 0);
    int refused = 0, worked = 0;
    for (int part = 0; part <= 20; part++) {
      new_info(&s, w);
      CHECK(driver.used() == before);
      CHECK_THAT(driver.kept() > 0 || refused, "%s %d: the pool keeps nothing", PURPOSES[purpose], w);
      driver.room(taken * (size_t)part / 20);
      sptrsvStatus_t status = work(&s, w);
      driver.room(SIZE_MAX);
      CHECK_THAT(status == SPTRSV_STATUS_SUCCESS || (part < 20 && status == ALLOC_FAILED), "%s %d with %d of 20 parts of %zu bytes: %s",
                 PURPOSES[purpose], w, part, taken, sptrsvGetErrorName(status));
      refused += status == ALLOC_FAILED, worked += status == SPTRSV_STATUS_SUCCESS;
      if (status == ALLOC_FAILED) {
        CHECK_MESSAGE("bytes of device memory");
        if (purpose != TUNING) {
          CHECK_THAT((driver.kept() == 0 || has_parts(purpose)) && driver.used() == before, "%s %d: %zu bytes are kept and %zu used after a refusal",
                     PURPOSES[purpose], w, driver.kept(), driver.used() - before);
          CHECK_STATUS(use(&s, purpose), SPTRSV_STATUS_NOT_ANALYSED);
        }
        CHECK_OK(work(&s, w));
      } else if (purpose == KEEP_PATTERN) {
        int knows = knows_pattern(&s);
        left_out += !knows;
        CHECK_THAT(knows || part < 20, "an analysis with all memory kept no pattern");
        CHECK_THAT(knows_pattern(&s), "an analysis that was to keep the pattern again did not");
      }
      CHECK_OK(use(&s, purpose));
    }
    CHECK_THAT(refused > 10 && worked > 0, "%s %d: %d times it was refused, %d times it worked", PURPOSES[purpose], w, refused, worked);
    CHECK_OK(sptrsvDestroyInfo(other));
    close_system(&s);
  }
  CHECK_THAT(left_out > 0, "all analyses found memory for the pattern");
  free_problem(&p);
  destroy_handle();
}

static void short_memory(void) { in_a_child("memory_is_given_back", standin()); }

/* ---------------------------------------------------------------------------- another thread captures */

/* In global mode, the strictest. An analysis that may use the legacy stream no more goes on apart from it, and no call on any stream
 * ends the capture. */
static void another_thread_captures(void) {
  find_standin();
  int handle; /* something to point to */
  cudaStream_t streams[] = {NULL, (cudaStream_t)(void *)&handle};
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, CHAIN, 5);
  driver.pools(1);
  CHECK_OK(sptrsvCreate(&T.h));
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int gpu = 0; gpu < 2; gpu++)
      for (int on = 0; on < 2; on++) {
        System s;
        p.k.setup = gpu ? SPTRSV_ANALYSIS_MODE_GPU : SPTRSV_ANALYSIS_MODE_CPU;
        if (!opened(&s, &p, a)) continue;
        CHECK_OK(sptrsvSetStream(T.h, streams[on]));
        CHECK_OK(solve_from(&s, s.f, s.x));
        driver.capture_elsewhere(1);
        CHECK_OK(analyse(&s));
        CHECK_OK(tune_from(&s, s.f, s.x));
        analyse_for(&s, SPTRSV_COPY_ALL);
        CHECK_OK(tune_from(&s, s.f, s.x));
        if (on) { /* work on the legacy stream is what the capture forbids */
          int64_t row;
          CHECK_OK(solve_from(&s, s.f, s.x));
          CHECK_OK(update(&s));
          sptrsvStatus_t status = sptrsvZeroPivot(T.h, s.info, &row);
          CHECK(status == SPTRSV_STATUS_SUCCESS || (gpu && status == SPTRSV_STATUS_ZERO_PIVOT));
        }
        sptrsvInfo_t kept = s.info;
        CHECK_OK(sptrsvCreateInfo(&s.info));
        CHECK_OK(set_algorithm(&s, ALGS[a].id));
        CHECK_OK(sptrsvSetAnalysisMode(s.info, (sptrsvAnalysisMode_t)p.k.setup));
        CHECK_OK(analyse(&s));
        CHECK_OK(sptrsvDestroyInfo(kept));
        CHECK_THAT(driver.broken_captures() == 0, "%s, stream %d, setup %d: %d calls would have ended the capture", ALGS[a].name, on,
                   gpu, driver.broken_captures());
        CHECK_THAT(driver.capture_mode() == 1, "the thread has another mode of capture than before");
        sptrsvHandle_t h;
        CHECK_OK(sptrsvCreate(&h));
        CHECK_OK(sptrsvDestroy(h));
        driver.capture_elsewhere(0);
        CHECK_OK(solve_from(&s, s.f, s.x));
        CHECK_OK(sptrsvSetStream(T.h, NULL));
        close_system(&s);
      }
  free_problem(&p);
  destroy_handle();
}

/* The same of analyses for factorisations and for sweeps, and of these, and of an info that is destroyed meanwhile. */
static void another_thread_captures_beside_factors(void) {
  find_standin();
  int handle; /* something to point to */
  cudaStream_t streams[] = {NULL, (cudaStream_t)(void *)&handle};
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, CHAIN, 50);
  driver.pools(1);
  CHECK_OK(sptrsvCreate(&T.h));
  for (int purpose = FACTORISATIONS; purpose <= SWEEPS; purpose++)
    for (int gpu = 0; gpu < 2; gpu++)
      for (int on = 0; on < 2; on++) {
        System s;
        p.k.setup = gpu ? SPTRSV_ANALYSIS_MODE_GPU : SPTRSV_ANALYSIS_MODE_CPU;
        CHECK_OK(open_system(&s, &p, SPTRSV_ALG_AUTO));
        CHECK_OK(sptrsvSetFactorization(s.info, purpose == FACTORISATIONS));
        CHECK_OK(sptrsvSetSweeps(s.info, purpose == SWEEPS ? SPTRSV_SWEEPS_ANY : SPTRSV_SWEEPS_NONE));
        CHECK_OK(make_buffer(&s));
        CHECK_OK(sptrsvSetStream(T.h, streams[on]));
        CHECK_OK(analyse_values(&s, s.val));
        CHECK_OK(use(&s, purpose));
        driver.capture_elsewhere(1);
        CHECK_OK(analyse_values(&s, s.val));
        if (on) CHECK_OK(use(&s, purpose)); /* work on the legacy stream is what the capture forbids */
        CHECK_OK(sptrsvDestroyInfo(s.info));
        s.info = NULL;
        CHECK_THAT(driver.broken_captures() == 0, "%s, stream %d, setup %d: %d calls would have ended the capture", PURPOSES[purpose], on,
                   gpu, driver.broken_captures());
        CHECK_THAT(driver.capture_mode() == 1, "the thread has another mode of capture than before");
        driver.capture_elsewhere(0);
        CHECK_OK(sptrsvSetStream(T.h, NULL));
        close_system(&s);
      }
  free_problem(&p);
  destroy_handle();
}

static void captures_of_others_beside_factors(void) { in_a_child("another_thread_captures_beside_factors", standin()); }

static void captures_of_others(void) { in_a_child("another_thread_captures", standin()); }

/* ------------------------------------------------------------------------- each call of the driver fails */

enum { OUT_OF_MEMORY = 2, LAUNCH_FAILED = 719 };

/* What is done with an info, in this order. */
enum Step { CREATE, ANALYSIS, ANY_OPERATION, COPY_ALL, KEPT_PATTERN, KNOWN_PATTERN, UPDATE, NEW_DIAGONAL, SOLVE, MULTI, DENSE, TUNE, PIVOT, FACTORISE, SWEEP, RELAX, PAIR, DESTROY, STEPS };
static const char *const STEP_NAMES[] = {"create", "analysis", "analysis for any operation", "analysis with a copy",
                                         "analysis that keeps the pattern", "analysis of a known pattern", "update of values",
                                         "update of the diagonal", "solve", "solve of columns", "solve of rows", "tuning", "pivot", "factorisation", "sweep", "sweeps on some rows", "pair", "destroy"};

/* Kernels do nothing here, so after a setup on the GPU row 0 seems to have a zero pivot. */
static sptrsvStatus_t pivot_status(const System *s, sptrsvStatus_t status) {
  int is_expected = status == SPTRSV_STATUS_ZERO_PIVOT && s->p->k.setup == SPTRSV_ANALYSIS_MODE_GPU;
  return is_expected ? SPTRSV_STATUS_SUCCESS : status;
}

/* An analysis for factorisations, and one of these. */
static sptrsvStatus_t factorise(System *s) {
  const Problem *p = s->p;
  int64_t row;
  sptrsvStatus_t status = sptrsvSetFactorization(s->info, 1);
  if (!status) status = make_buffer(s);
  if (!status) status = analyse_values(s, s->val);
  if (!status)
    status = sptrsvIlu0(s->h, p->n, p->nnz, s->d, (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->info, s->buffer);
  if (!status) status = pivot_status(s, sptrsvFactorZeroPivot(s->h, s->info, &row));
  return status;
}

/* An analysis for sweeps, and one of these. */
static sptrsvStatus_t sweep(System *s) {
  const Problem *p = s->p;
  sptrsvSetFactorization(s->info, 0);
  sptrsvStatus_t status = sptrsvSetSweeps(s->info, 1);
  if (!status) status = make_buffer(s);
  if (!status) status = analyse_values(s, s->val);
  if (!status)
    status = sptrsvSweep(s->h, p->n, p->nnz, 1, 0, s->d, (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->info, s->f, s->x,
                         s->buffer);
  return status;
}

/* After an analysis for sweeps: sweeps on some rows, and none from zero. */
static sptrsvStatus_t relax(System *s) {
  const Problem *p = s->p;
  void *marker = mem_new((size_t)p->n * 4);
  sptrsvStatus_t status = SPTRSV_STATUS_SUCCESS;
  for (int sweeps = 2; sweeps >= 0 && !status; sweeps -= 2)
    status = sptrsvRelax(s->h, p->n, p->nnz, sweeps, 1, !sweeps, (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->d, s->info, NULL,
                         NULL, marker, 1, s->f, s->x, s->buffer);
  mem_free(marker);
  return status;
}

/* What a pair has beside an info: until that is destroyed, so that a message of a failure is not lost. */
static struct {
  sptrsvInfo_t info;
  sptrsvMatDescr_t d;
} other;

static void destroy_other(void) {
  if (other.info) sptrsvDestroyInfo(other.info);
  if (other.d) sptrsvDestroyMatDescr(other.d);
  other.info = NULL, other.d = NULL;
}

/* Analyses for both triangles, and a solve by both, with the row and column indices as permutations. */
static sptrsvStatus_t pair(System *s, void *f, void *x) {
  const Problem *p = s->p;
  System u = *s;
  destroy_other();
  void *work = mem_new(5 * s->bytes);
  sptrsvSetSweeps(s->info, 0);
  sptrsvStatus_t status = make_buffer(s);
  u.buffer = s->buffer;
  if (!status) status = analyse_values(s, s->val);
  if (!status) status = sptrsvCreateInfo(&other.info);
  if (!status) status = sptrsvCreateMatDescr(&other.d);
  u.info = other.info, u.d = other.d;
  if (!status) status = set_descr(u.d, &p->k);
  if (!status) status = sptrsvSetMatFillMode(u.d, (sptrsvFillMode_t)(1 - p->k.fill));
  if (!status) status = sptrsvSetMatDiagType(u.d, SPTRSV_DIAG_TYPE_UNIT);
  if (!status) status = analyse_values(&u, s->val);
  if (!status)
    status = sptrsvSolvePair(s->h, (sptrsvOperation_t)p->k.op, p->n, 5, s->alpha_host, (sptrsvDataType_t)p->k.type, s->d, p->nnz, s->val,
                             s->ptr, s->ind, s->info, u.d, p->nnz, s->val, s->ptr, s->ind, u.info, s->ind, s->ind, f, p->n, x, p->n, work,
                             s->policy, s->buffer);
  mem_free(work);
  return status;
}

static sptrsvStatus_t take(enum Step step, System *s, void *f, void *x) {
  const Problem *p = s->p;
  int64_t row;
  switch (step) {
    case CREATE: return sptrsvCreate(&T.h);
    case ANALYSIS: return analyse(s);
    case ANY_OPERATION:
    case COPY_ALL:
      sptrsvSetAnalysisForAllOperations(s->info, 1);
      sptrsvSetCopyValues(s->info, step == COPY_ALL ? SPTRSV_COPY_ALL : SPTRSV_COPY_NONE);
      return analyse_values(s, s->val);
    case KEPT_PATTERN:
    case KNOWN_PATTERN:
      sptrsvSetKeepPattern(s->info, 1);
      return analyse_values(s, s->val);
    case UPDATE: return update(s);
    case NEW_DIAGONAL: return sptrsvUpdateDiagonal(s->h, s->info, s->diag);
    case SOLVE: return solve_from(s, s->f, s->x);
    case MULTI: return solve_columns(s, 5, f, x);
    case DENSE:
      return sptrsvSolveDense(s->h, (sptrsvOperation_t)p->k.op, p->n, p->nnz, 5, s->alpha_host, s->d, (sptrsvDataType_t)p->k.type,
                              s->val, s->ptr, s->ind, s->info, f, p->n, SPTRSV_ORDER_COLUMN, x, 5, SPTRSV_ORDER_ROW, s->policy,
                              s->buffer);
    case TUNE: return tune_from(s, s->f, s->x);
    case PIVOT: return pivot_status(s, sptrsvZeroPivot(s->h, s->info, &row));
    case FACTORISE: return factorise(s);
    case SWEEP: return sweep(s);
    case RELAX: return relax(s);
    case PAIR: return pair(s, f, x);
    default: {
      sptrsvInfo_t info = s->info;
      s->info = NULL;
      destroy_other();
      return sptrsvDestroyInfo(info);
    }
  }
}

/* What fails to free, or to make a context current in order to free, leaves something behind, and cannot but do so. */
static int may_leave_something(const char *entry) {
  static const char *const ENTRIES[] = {"cuMemFree", "cuMemPoolDestroy", "cuStreamDestroy", "cuEventDestroy", "cuCtxGetCurrent", "cuCtxPushCurrent",
                                        "cuCtxGetId", "cuDevicePrimaryCtxRelease"};
  for (int i = 0; i < COUNT(ENTRIES); i++)
    if (strncmp(entry, ENTRIES[i], strlen(ENTRIES[i])) == 0) return 1;
  return 0;
}

/* Whether the driver is called in the same way whatever the algorithm. */
static int is_same_for_all(enum Step step) { return step == CREATE || step == TUNE || step == FACTORISE || step == SWEEP || step == RELAX || step == PAIR; }

/* The step with its call number `at` failing: whether there is one. The step then works, and so do all after it. */
static int one_fault(const Problem *p, int a, int pools, enum Step faulty, int at, int error) {
  static char text[200];
  snprintf(text, sizeof text, "%s, setup %d, %s pools: call %d of %s fails with %d", ALGS[a].name, p->k.setup, pools ? "with" : "without",
           at, STEP_NAMES[faulty], error);
  T.current = text;
  driver.pools(pools);
  int before = driver.allocated(), is_there = 0, may_leave = 0;
  System s = {0};
  size_t bytes = (size_t)p->n * value_size(p->k.type);
  void *f = mem_new(5 * bytes), *x = mem_new(5 * bytes);
  mem_fill(f, 0, 5 * bytes);
  for (enum Step step = CREATE; step < STEPS; step++) {
    if (a > 0 && step > CREATE && is_same_for_all(step)) continue;
    if (step == TUNE && faulty != TUNE) continue; /* it takes as long as all others */
    if (step == faulty) {
      driver.fail_at(at, error);
      sptrsvStatus_t status = take(step, &s, f, x);
      is_there = driver.count() >= at;
      may_leave = is_there && may_leave_something(driver.failed_entry());
      /* The driver has refused to take back the context that it had made current. */
      int stays = is_there && (!strcmp(driver.failed_entry(), "cuCtxSetCurrent") || !strcmp(driver.failed_entry(), "cuCtxPopCurrent_v2"));
      if (stays) driver.leave_current();
      driver.fail_at(0, 0);
      CHECK_THAT(status == SPTRSV_STATUS_SUCCESS || status == ALLOC_FAILED || status == SPTRSV_STATUS_EXECUTION_FAILED ||
                     (step == CREATE && status == SPTRSV_STATUS_NO_DRIVER),
                 "%s", sptrsvGetErrorName(status));
      if (status && step > CREATE) CHECK_THAT(*sptrsvGetLastErrorString(), "no message");
      if (!status && step == CREATE) destroy_handle();
      if (step == DESTROY) continue;
    }
    CHECK_OK(take(step, &s, f, x));
    if (step == CREATE) CHECK_OK(open_system(&s, p, ALGS[a].id));
  }
  close_system(&s);
  destroy_handle();
  mem_free(f), mem_free(x);
  int left = driver.allocated() - before;
  CHECK_THAT(left == 0 || may_leave, "%d allocations were not freed", left);
  return is_there;
}

static long faults;

static void each_call_fails(void) {
  find_standin();
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 40);
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int way = 0; way < 4; way++)
      for (enum Step step = CREATE; step < STEPS; step++) {
        /* In all ways AUTO and one more; each of the others in one of them, in turn. */
        int in_all_ways = a == 0 || ALGS[a].id == SPTRSV_ALG_TILED;
        if (!in_all_ways && way != a % 4) continue;
        p.k.setup = way & 1 ? SPTRSV_ANALYSIS_MODE_GPU : SPTRSV_ANALYSIS_MODE_CPU;
        if (is_same_for_all(step) && (a > 0 || (step == CREATE && way & 1))) continue;
        for (int turn = 0; turn <= (a == 0 && step != TUNE); turn++)
          for (int at = 1; one_fault(&p, a, way >> 1, step, at, (at + way + turn) & 1 ? LAUNCH_FAILED : OUT_OF_MEMORY); at++) faults++;
      }
  free_problem(&p);
  printf("each_call_fails: %ld faults\n", faults);
  CHECK(faults >= 2000);
}

static void every_fault(void) { in_a_child("each_call_fails", standin()); }

/* ------------------------------------------------------------------------------ some multiprocessors only */

/* Blocks that a step launches if launches are sized for so many multiprocessors. */
static long blocks_of(enum Step step, System *s, void *f, void *x, int multiprocessors) {
  CHECK_OK(sptrsvSetSmCountTarget(T.h, multiprocessors));
  driver.blocks();
  CHECK_OK(take(step, s, f, x));
  return driver.blocks();
}

static const enum Step BOUNDED[] = {SOLVE, MULTI, FACTORISE, SWEEP};

/* A step by ALGS[a] never launches more blocks for fewer of the stand-in's 16 multiprocessors; whether it launches less for one. */
static int is_smaller(enum Step step, System *s, int a, void *f, void *x) {
  long all = blocks_of(step, s, f, x, 0), same = blocks_of(step, s, f, x, 16);
  long eight = blocks_of(step, s, f, x, 8), one = blocks_of(step, s, f, x, 1);
  CHECK_THAT(all > 0 && same == all && one <= eight && eight <= all,
             "%s by %s: %ld blocks, for 16, 8 and 1 multiprocessors %ld, %ld and %ld", STEP_NAMES[step], ALGS[a].name, all, same, eight,
             one);
  return one < all;
}

/* Somewhere each algorithm but those of the paper, which launch a warp for each row or column. */
static void launches_are_smaller(void) {
  static const enum Shape SHAPES_HERE[] = {GRID, RANDOM, TAIL, NODES};
  int smaller[COUNT(ALGS)][COUNT(BOUNDED)] = {0};
  find_standin();
  driver.pools(1);
  CHECK_OK(sptrsvCreate(&T.h));
  CHECK_STATUS(sptrsvSetSmCountTarget(T.h, 17), SPTRSV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE("smCountTarget is 17, but the GPU has 16 multiprocessors");
  for (int shape = 0; shape < COUNT(SHAPES_HERE); shape++) {
    Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .setup = SPTRSV_ANALYSIS_MODE_CPU}, SHAPES_HERE[shape], 250000);
    void *f = mem_new(5 * (size_t)p.n * 8), *x = mem_new(5 * (size_t)p.n * 8);
    for (int a = 0; a < COUNT(ALGS); a++) {
      System s;
      if (opened(&s, &p, a))
        for (int t = 0; t < COUNT(BOUNDED); t++)
          if (a == 0 || BOUNDED[t] < FACTORISE) smaller[a][t] |= is_smaller(BOUNDED[t], &s, a, f, x);
      close_system(&s);
    }
    mem_free(f), mem_free(x);
    free_problem(&p);
  }
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(BOUNDED) && (a == 0 || BOUNDED[t] < FACTORISE); t++) {
      int of_paper = ALGS[a].id != SPTRSV_ALG_AUTO && ALGS[a].id < SPTRSV_ALG_ONE_WORD;
      CHECK_THAT(smaller[a][t] == !of_paper, "%s by %s: launches %s", STEP_NAMES[BOUNDED[t]], ALGS[a].name,
                 of_paper ? "are smaller" : "are nowhere smaller");
    }
  destroy_handle();
}

/* LEVR and LEVC launch their levels as a graph, but one by one on a stream of a green context. */
static void green_streams_take_no_graphs(void) {
  find_standin();
  driver.pools(1);
  CHECK_OK(sptrsvCreate(&T.h));
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .setup = SPTRSV_ANALYSIS_MODE_CPU}, GRID, 40000);
  void *f = mem_new((size_t)p.n * 8), *x = mem_new((size_t)p.n * 8);
  for (int a = 0; a < COUNT(ALGS); a++) {
    System s;
    int has_graph = ALGS[a].id == SPTRSV_ALG_LEVR || ALGS[a].id == SPTRSV_ALG_LEVC;
    if (has_graph && opened(&s, &p, a)) {
      long blocks[2];
      for (int green = 0; green < 2; green++) {
        driver.green(green);
        driver.fail("cuGraphLaunch", 0); /* which counts its calls */
        driver.blocks();
        CHECK_OK(take(SOLVE, &s, f, x));
        blocks[green] = driver.blocks();
        CHECK_THAT(driver.calls() == !green, "%s: %d graphs are launched", ALGS[a].name, driver.calls());
        driver.fail(NULL, 0);
      }
      CHECK_THAT(blocks[1] > blocks[0], "%s: levels are launched by %ld blocks, and %ld with a graph", ALGS[a].name, blocks[1], blocks[0]);
      driver.green(0);
    }
    if (has_graph) close_system(&s);
  }
  mem_free(f), mem_free(x);
  free_problem(&p);
  destroy_handle();
}

static void green_contexts(void) { in_a_child("green_streams_take_no_graphs", standin()); }

static void some_multiprocessors(void) { in_a_child("launches_are_smaller", standin()); }

static const Child CHILDREN[] = {{"memory_is_given_back", memory_is_given_back}, {"another_thread_captures", another_thread_captures},
                                 {"another_thread_captures_beside_factors", another_thread_captures_beside_factors},
                                 {"each_call_fails", each_call_fails}, {"launches_are_smaller", launches_are_smaller},
                                 {"green_streams_take_no_graphs", green_streams_take_no_graphs}};

int main(int argc, char **argv) {
  if (is_child(argc, argv)) return run_child(CHILDREN, COUNT(CHILDREN), argv[2]);
  check_begin("test_driver", argc, argv);
  RUN(short_memory);
  RUN(captures_of_others);
  RUN(captures_of_others_beside_factors);
  RUN(some_multiprocessors);
  RUN(green_contexts);
  RUN(every_fault);
  return check_end();
}
