/*
 * Streams, graphs, threads, lifetimes under load, the watchdog, two devices. What needs a GPU by its nature
 * (streams, graphs and devices) is skipped without one; the rest runs on both executors.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "gate.h"
#include "problem.h"

static void wait_for(cudaStream_t stream) {
  if (T.on_gpu) CUDA(cudaStreamSynchronize(stream));
}

/* Whether x on the executor solves the system, with the problem's values and f. */
static long double error_of(const System *s, const void *x) {
  void *host = malloc(s->bytes + 1);
  mem_get(host, x, s->bytes);
  long double worst = worst_error(s->p, s->p->alpha, s->p->f, host);
  free(host);
  return worst;
}

/* ------------------------------------------------------------------------------------ streams and graphs */

/* With its stream held, a solve returns at once; it works when the stream goes on, and not before. */
static void solve_is_asynchronous(void) {
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int multi = 0; multi < 2; multi++) {
      Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 3000);
      System s;
      Gate gate = {0, 0};
      CHECK_OK(sptrsvSetStream(T.h, stream));
      if (opened(&s, &p, a)) {
        mem_fill(s.x, 0x5a, s.bytes);
        CUDA(cudaLaunchHostFunc(stream, hold, &gate));
        if (multi)
          CHECK_OK(sptrsvSolveMulti(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p.n, p.nnz, 1, s.alpha_host, s.d,
                                    (sptrsvDataType_t)p.k.type, s.val, s.ptr, s.ind, s.info, s.f, p.n, s.x, p.n,
                                    s.policy, s.buffer));
        else
          CHECK_OK(solve_from(&s, s.f, s.x));
        CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
        cudaGetLastError(); /* "not ready" is no error */
        atomic_store(&gate.open, 1);
        CUDA(cudaStreamSynchronize(stream));
        CHECK_THAT(!atomic_load(&gate.waited_in_vain), "%s: solve waited for its stream", ALGS[a].name);
        CHECK_THAT(error_of(&s, s.x) <= 1, "%s: a solve on a stream is wrong", ALGS[a].name);
      }
      close_system(&s);
      free_problem(&p);
    }
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  CUDA(cudaStreamDestroy(stream));
}

/* A solve is captured once and replayed with other values and right-hand sides in the same places. The
 * strictest capture mode also forbids the library every allocation and synchronisation. */
static void solve_in_a_graph(void) {
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < (ALGS[a].id == SPTRSV_ALG_AUTO ? 12 : 8); i++) {
      /* The last four may be more than one launch. */
      int band = i >= 8;
      Kind k = {.type = TYPES[i & 3], .op = band || i >> 2 & 1, .fill = i & 1, .device_alpha = i >> 1 & 1};
      Problem p = make_problem(k, band ? BAND : i & 1 ? GRID : RANDOM, band ? 6000 : 2000);
      System s;
      CHECK_OK(sptrsvSetStream(T.h, stream));
      if (opened(&s, &p, a)) {
        cudaGraph_t graph = NULL;
        cudaGraphExec_t exec = NULL;
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        sptrsvStatus_t status = solve_from(&s, s.f, s.x);
        cudaError_t ended = cudaStreamEndCapture(stream, &graph);
        cudaGetLastError();
        if (CHECK_THAT(!status && ended == cudaSuccess && graph, "%s: capture: %s, \"%s\", %s", ALGS[a].name,
                       sptrsvGetErrorName(status), sptrsvGetLastErrorString(), cudaGetErrorString(ended))) {
          CUDA(cudaGraphInstantiateWithFlags(&exec, graph, 0));
          for (int round = 0; round < 3; round++) {
            for (int64_t t = 0; t < p.nnz; t++) put(k.type, p.val, t, 1.25L * get(k.type, p.val, t));
            for (int64_t j = 0; j < p.n; j++) put(k.type, p.f, j, random_num(1));
            mem_put(s.val, p.val, (size_t)p.nnz * s.vs);
            mem_put(s.f, p.f, s.bytes);
            mem_fill(s.x, 0xff, s.bytes);
            CUDA(cudaDeviceSynchronize());
            CUDA(cudaGraphLaunch(exec, stream));
            CUDA(cudaStreamSynchronize(stream));
            CHECK_THAT(error_of(&s, s.x) <= 1, "%s: replay %d is wrong (%s)", ALGS[a].name, round, kind_text(&k));
          }
          /* The info still works outside the graph, and a replay after that too. */
          CHECK_OK(solve_from(&s, s.f, s.x));
          CUDA(cudaGraphLaunch(exec, stream));
          CUDA(cudaStreamSynchronize(stream));
          CHECK_THAT(error_of(&s, s.x) <= 1, "%s: a replay after a plain solve is wrong", ALGS[a].name);
          CUDA(cudaGraphExecDestroy(exec));
        }
        if (graph) CUDA(cudaGraphDestroy(graph));
      }
      close_system(&s);
      free_problem(&p);
    }
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  CUDA(cudaStreamDestroy(stream));
}

static void analysis_is_not_captured(void) {
  cudaStream_t stream;
  cudaGraph_t graph = NULL;
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 500);
  System s;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_OK(sptrsvSetStream(T.h, stream));
  if (opened(&s, &p, 0)) {
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK_STATUS(analyse(&s), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("captur");
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess); /* the capture itself came to no harm */
    cudaGetLastError();
    if (graph) CUDA(cudaGraphDestroy(graph));
    CHECK_OK(solve_from(&s, s.f, s.x));
    CUDA(cudaStreamSynchronize(stream));
    CHECK(error_of(&s, s.x) <= 1);
  }
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  close_system(&s);
  free_problem(&p);
  CUDA(cudaStreamDestroy(stream));
}

/* Another stream's capture comes to no harm, and does none, not even in the strictest mode. */
static void all_goes_on_beside_a_capture(void) {
  cudaStream_t stream, other;
  cudaGraph_t graph = NULL;
  int64_t row = 0;
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 20000);
  System s;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK_OK(sptrsvSetStream(T.h, stream));
  if (opened(&s, &p, 0)) {
    CUDA(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
    CHECK_OK(analyse(&s));
    CHECK_OK(solve_from(&s, s.f, s.x));
    CHECK_OK(sptrsvZeroPivot(T.h, s.info, &row));
    CHECK(cudaStreamEndCapture(other, &graph) == cudaSuccess && graph);
    cudaGetLastError();
    CHECK(row == -1);
    CHECK(error_of(&s, s.x) <= 1);
    if (graph) CUDA(cudaGraphDestroy(graph));
  }
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  close_system(&s);
  free_problem(&p);
  CUDA(cudaStreamDestroy(other));
  CUDA(cudaStreamDestroy(stream));
}

/* ---------------------------------------------------------------------------------------- under load */

static void an_info_is_destroyed_in_flight(void) {
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, CHAIN, 100000);
  for (int a = 0; a < COUNT(ALGS); a++) {
    System s;
    CHECK_OK(sptrsvSetStream(T.h, stream));
    if (opened(&s, &p, a)) {
      for (int i = 0; i < 3; i++) CHECK_OK(solve_from(&s, s.f, s.x));
      CHECK_OK(sptrsvDestroyInfo(s.info));
      s.info = NULL;
      CUDA(cudaStreamSynchronize(stream));
      CHECK_THAT(error_of(&s, s.x) <= 1, "%s: a solve was disturbed by destroying its info", ALGS[a].name);
    }
    close_system(&s);
  }
  free_problem(&p);
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  CUDA(cudaStreamDestroy(stream));
}

static void repeated_solves(void) {
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, RANDOM, 5000);
  for (int a = 0; a < COUNT(ALGS); a++) {
    System s;
    if (opened(&s, &p, a)) {
      void *first = malloc(s.bytes), *x = malloc(s.bytes);
      int same = 1, right = 1;
      CHECK_OK(solve(&s, first));
      for (int i = 0; i < 200 && same && right; i++) {
        right = solve(&s, x) == SPTRSV_STATUS_SUCCESS;
        same = !ALGS[a].deterministic || !memcmp(first, x, s.bytes);
        if (i % 50 == 0) right &= worst_error(&p, p.alpha, p.f, x) <= 1;
      }
      CHECK_THAT(right, "%s: one of 200 solves is wrong", ALGS[a].name);
      CHECK_THAT(same, "%s: 200 solves do not give the same bits", ALGS[a].name);
      free(first), free(x);
    }
    close_system(&s);
  }
  free_problem(&p);
}

/* Solves of which each takes what the one before has left, with nothing between them: the end is the same, to the bit, as
 * with a wait after each. */
static void solves_in_a_row(void) {
  static const struct {
    enum Shape shape;
    int64_t n;
  } shapes[] = {{DIAGONAL, 3000}, {CHAIN, 5000}, {GRID, 10000}, {RANDOM, 50000}};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; ALGS[a].deterministic && i < COUNT(shapes); i++) {
      Problem p = make_problem((Kind){.type = TYPES[i], .op = (int)below(2)}, shapes[i].shape, shapes[i].n);
      System s;
      if (opened(&s, &p, a)) {
        void *end[2] = {malloc(s.bytes), malloc(s.bytes)}, *place[2] = {mem_new(s.bytes), s.x};
        for (int waits = 0; waits < 2; waits++) {
          mem_put(place[0], p.f, s.bytes);
          for (int k = 0; k < 10; k++) {
            CHECK_OK(solve_from(&s, place[k & 1], place[~k & 1]));
            if (waits) wait_for(NULL);
          }
          wait_for(NULL);
          mem_get(end[waits], place[0], s.bytes);
        }
        /* Else all would be the same whatever had happened on the way. */
        int64_t finite = 0;
        for (int64_t j = 0; j < p.n; j++) finite += finite_num(get(p.k.type, end[1], j));
        CHECK_THAT(finite == p.n, "%s, %s: %" PRId64 " of %" PRId64 " are finite", ALGS[a].name, SHAPE_NAMES[shapes[i].shape],
                   finite, p.n);
        CHECK_THAT(!memcmp(end[0], end[1], s.bytes), "%s: solves in a row run into each other (%s)", ALGS[a].name,
                   SHAPE_NAMES[shapes[i].shape]);
        free(end[0]), free(end[1]), mem_free(place[0]);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* Two threads, a handle and a stream each, no lock; a descriptor each, or one that both read. */
typedef struct {
  const Problem *p;
  sptrsvMatDescr_t shared;
  int algorithm, wrong, refused;
  sptrsvStatus_t status;
} Work;

static void *solve_many_times(void *argument) {
  Work *w = argument;
  sptrsvHandle_t h;
  cudaStream_t stream = NULL;
  if (T.on_gpu) CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  w->status = sptrsvCreateWithExecutor(&h, T.on_gpu ? SPTRSV_EXECUTOR_CUDA : SPTRSV_EXECUTOR_HOST);
  if (w->status) return NULL;
  sptrsvSetStream(h, stream);
  System s;
  w->status = open_system_on(h, &s, w->p, ALGS[w->algorithm].id);
  w->refused = w->status == SPTRSV_STATUS_NOT_SUPPORTED;
  sptrsvMatDescr_t own = s.d;
  if (w->shared) s.d = w->shared;
  for (int i = 0; i < 40 && !w->status; i++) {
    if (i % 8 == 0) w->status = analyse(&s);
    if (!w->status) w->status = solve_from(&s, s.f, s.x);
    wait_for(stream);
    if (!w->status && !(error_of(&s, s.x) <= 1)) w->wrong++;
  }
  s.d = own;
  close_system(&s);
  sptrsvDestroy(h);
  if (stream) CUDA(cudaStreamDestroy(stream));
  return NULL;
}

static void in_two_threads(const Problem p[2], sptrsvMatDescr_t shared) {
  for (int a = 0; a < COUNT(ALGS); a++) {
    Work w[2] = {{.p = &p[0], .shared = shared, .algorithm = a}, {.p = &p[1], .shared = shared, .algorithm = a}};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
      if (pthread_create(&thread[i], NULL, solve_many_times, &w[i])) fatal("pthread_create", "failed");
    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < 2; i++)
      if (w[i].refused)
        T.unsupported++;
      else
        CHECK_THAT(!w[i].status && !w[i].wrong, "%s in thread %d: %s, %d wrong solutions", ALGS[a].name, i,
                   sptrsvGetErrorName(w[i].status), w[i].wrong);
  }
}

static void two_threads_two_handles(void) {
  Problem p[2] = {make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 3000),
                  make_problem((Kind){.type = SPTRSV_C_32F, .op = 1, .fill = 1}, RANDOM, 2000)};
  in_two_threads(p, NULL);
  free_problem(&p[0]), free_problem(&p[1]);
}

static void two_threads_one_descriptor(void) {
  const Kind k = {.type = SPTRSV_R_64F, .fill = 1, .base = 1};
  Problem p[2] = {make_problem(k, GRID, 3000), make_problem(k, RANDOM, 2000)};
  sptrsvMatDescr_t shared;
  CHECK_OK(sptrsvCreateMatDescr(&shared));
  CHECK_OK(set_descr(shared, &k));
  in_two_threads(p, shared);
  CHECK_OK(sptrsvDestroyMatDescr(shared));
  free_problem(&p[0]), free_problem(&p[1]);
}

/* ---------------------------------------------------------------------------------------- the watchdog */

/* With a limit of a nanosecond on a long chain a wait may run out of time. Then the solution is marked as
 * invalid, the next call says so once, and after that the info works as before. A solve that finishes in
 * spite of the limit must be right. */
static void watchdog(void) {
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, CHAIN, 200000);
  int ended = 0;
  for (int a = 0; a < COUNT(ALGS); a++) {
    if (!ALGS[a].self_scheduled) continue;
    System s;
    if (opened(&s, &p, a)) {
      int64_t row = -77;
      double *x = malloc(s.bytes), start = seconds();
      CHECK_OK(sptrsvSetTimeout(T.h, 1e-9));
      CHECK_OK(solve_from(&s, s.f, s.x));
      sptrsvStatus_t status = sptrsvZeroPivot(T.h, s.info, &row);
      CHECK_THAT(seconds() - start < 20, "%s: the watchdog took %g s", ALGS[a].name, seconds() - start);
      mem_get(x, s.x, s.bytes);
      if (status == SPTRSV_STATUS_TIMED_OUT) {
        int64_t first = 0, nans = 0;
        ended++;
        CHECK_MESSAGE("watchdog");
        CHECK(row == -77);
        while (first < p.n && !isnan(x[first])) first++;
        for (int64_t i = first; i < p.n; i++) nans += isnan(x[i]);
        CHECK_THAT(nans > 0, "%s: a solve that was ended leaves no NaN behind", ALGS[a].name);
        /* In a chain each unknown depends on all before it. */
        CHECK_THAT(nans == p.n - first, "%s: %" PRId64 " unknowns behind the first NaN look valid", ALGS[a].name, p.n - first - nans);
      } else {
        CHECK_THAT(status == SPTRSV_STATUS_SUCCESS && worst_error(&p, p.alpha, p.f, x) <= 1,
                   "%s: a solve in spite of the limit: %s", ALGS[a].name, sptrsvGetErrorName(status));
      }
      /* It is said once; the same when a solve, not the pivot, is the next call. */
      CHECK_OK(solve_from(&s, s.f, s.x));
      CHECK_OK(sptrsvSetTimeout(T.h, 10));
      wait_for(NULL);
      mem_fill(s.x, 0x5a, s.bytes);
      status = solve_from(&s, s.f, s.x);
      wait_for(NULL);
      if (status == SPTRSV_STATUS_TIMED_OUT) {
        CHECK_THAT(mem_is(s.x, 0x5a, s.bytes), "%s: x was written by a solve that was refused", ALGS[a].name);
        status = solve_from(&s, s.f, s.x);
      }
      CHECK_THAT(status == SPTRSV_STATUS_SUCCESS, "%s after the watchdog: %s", ALGS[a].name, sptrsvGetErrorName(status));
      CHECK_OK(sptrsvZeroPivot(T.h, s.info, &row));
      CHECK_THAT(error_of(&s, s.x) <= 1, "%s: a solve after the watchdog is wrong", ALGS[a].name);
      /* Off: nothing is ended. */
      CHECK_OK(sptrsvSetTimeout(T.h, 0));
      CHECK_OK(solve_from(&s, s.f, s.x));
      CHECK_OK(sptrsvZeroPivot(T.h, s.info, &row));
      CHECK_THAT(error_of(&s, s.x) <= 1, "%s: a solve without a watchdog is wrong", ALGS[a].name);
      CHECK_OK(sptrsvSetTimeout(T.h, 10));
      free(x);
    }
    close_system(&s);
  }
  printf("watchdog: %d solves were ended by it\n", ended);
  /* On a GPU a chain of 200,000 cannot be done within the limit. */
  if (T.on_gpu) CHECK(ended > 0);
  free_problem(&p);
}

/* Behind a solve that is ended another one is on its way already, before anybody knows. It may be invalid as well, but what it
 * gives that is a number is right: nothing of earlier solves is taken for news. */
static int behind_one_that_was_ended(int shape) {
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_OK(sptrsvSetStream(T.h, stream));
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, shape, 200000);
  int ended = 0;
  for (int a = 0; a < COUNT(ALGS); a++) {
    if (!ALGS[a].self_scheduled) continue;
    System s;
    if (opened(&s, &p, a)) {
      double *want = malloc(s.bytes), *twice = malloc(s.bytes);
      Gate gate = {0, 0};
      int64_t row, wrong = 0;
      /* Two work vectors take turns: both have the unknowns of these. */
      for (int k = 0; k < 2; k++) CHECK_OK(solve_from(&s, s.f, s.x));
      CUDA(cudaStreamSynchronize(stream));
      mem_get(want, s.x, s.bytes);
      mem_get(twice, s.f, s.bytes);
      for (int64_t i = 0; i < p.n; i++) twice[i] *= 2;
      void *f = mem_copy(twice, s.bytes);
      CUDA(cudaLaunchHostFunc(stream, hold, &gate));
      CHECK_OK(sptrsvSetTimeout(T.h, 1e-9));
      CHECK_OK(solve_from(&s, s.f, s.x));
      CHECK_OK(sptrsvSetTimeout(T.h, 10));
      CHECK_OK(solve_from(&s, f, s.x));
      atomic_store(&gate.open, 1);
      CUDA(cudaStreamSynchronize(stream));
      mem_get(twice, s.x, s.bytes);
      for (int64_t i = 0; i < p.n; i++)
        wrong += !isnan(twice[i]) && fabs(twice[i] - 2 * want[i]) > 1e-9 * fabs(want[i]);
      CHECK_THAT(wrong == 0, "%s: %lld unknowns are wrong, and no NaN", ALGS[a].name, (long long)wrong);
      int was_ended = sptrsvZeroPivot(T.h, s.info, &row) == SPTRSV_STATUS_TIMED_OUT;
      if (was_ended) printf("%s was ended\n", ALGS[a].name);
      ended += was_ended;
      CHECK_OK(solve_from(&s, s.f, s.x));
      CUDA(cudaStreamSynchronize(stream));
      CHECK_THAT(error_of(&s, s.x) <= 1, "%s: a solve after both is wrong", ALGS[a].name);
      free(want), free(twice), mem_free(f);
    }
    close_system(&s);
  }
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  CUDA(cudaStreamDestroy(stream));
  free_problem(&p);
  return ended;
}

static void a_solve_behind_one_that_was_ended(void) {
  int of_chain = behind_one_that_was_ended(CHAIN), of_grid = behind_one_that_was_ended(GRID);
  int of_band = behind_one_that_was_ended(MANY);
  printf("a solve behind one that was ended: %d of a chain, %d of a grid and %d of a band were\n", of_chain, of_grid, of_band);
  CHECK(of_chain + of_grid > 0 && of_band > 0);
}

/* While a solve that the watchdog will end is on its way, its info is analysed again: what that solve says of its end in the last
 * moment is about the analysis before, and no solve of the new one hears of it. */
static void an_analysis_behind_a_solve_that_is_ended(void) {
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_OK(sptrsvSetStream(T.h, stream));
  int ended = 0;
  for (int setup = 0; setup < 2; setup++) {
    Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .setup = setup ? SPTRSV_ANALYSIS_MODE_GPU : SPTRSV_ANALYSIS_MODE_CPU}, CHAIN, 200000);
    for (int a = 0; a < COUNT(ALGS); a++) {
      if (!ALGS[a].self_scheduled) continue;
      System s;
      if (opened(&s, &p, a)) {
        double *x = malloc(s.bytes);
        int64_t row = -77, nans = 0;
        CHECK_OK(sptrsvSetTimeout(T.h, 1e-9));
        CHECK_OK(solve_from(&s, s.f, s.x));
        CHECK_OK(sptrsvSetTimeout(T.h, 10));
        CHECK_OK(analyse(&s));
        CUDA(cudaStreamSynchronize(stream));
        mem_get(x, s.x, s.bytes);
        for (int64_t i = 0; i < p.n; i++) nans += isnan(x[i]);
        ended += nans > 0;
        CHECK_THAT(sptrsvZeroPivot(T.h, s.info, &row) == SPTRSV_STATUS_SUCCESS && row == -1,
                   "%s: an analysis was told of the end of a solve before it", ALGS[a].name);
        for (int k = 0; k < 2; k++) {
          mem_fill(s.x, 0x5a, s.bytes);
          CHECK_OK(solve_from(&s, s.f, s.x));
          CUDA(cudaStreamSynchronize(stream));
          CHECK_THAT(error_of(&s, s.x) <= 1, "%s: a solve of the analysis after is wrong", ALGS[a].name);
        }
        free(x);
      }
      close_system(&s);
    }
    free_problem(&p);
  }
  printf("an analysis behind a solve that is ended: %d solves were\n", ended);
  CHECK(ended > 0);
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  CUDA(cudaStreamDestroy(stream));
}

/* Rows that depend on nothing, but for one that depends on all before it, and the last one, which depends on that one: an analysis on
 * the GPU finds the level of the last row when one block has walked the long one, and nothing else goes on meanwhile. */
enum { BEHIND_THE_LONG_ROW = 3000 };

static Problem waiting_problem(int64_t n) {
  int64_t at = n - BEHIND_THE_LONG_ROW;
  Problem p = {.k = {.type = SPTRSV_R_32F, .diag = SPTRSV_DIAG_TYPE_UNIT, .setup = SPTRSV_ANALYSIS_MODE_GPU}, .n = n, .nnz = at + 1, .alpha = 1};
  int32_t *ptr = malloc((size_t)(n + 1) * sizeof *ptr), *ind = malloc((size_t)p.nnz * sizeof *ind);
  float *val = calloc((size_t)p.nnz, sizeof *val), *f = malloc((size_t)n * sizeof *f), *diag = calloc((size_t)n, sizeof *diag);
  if (!ptr || !ind || !val || !f || !diag) fatal("malloc", "out of memory");
  for (int64_t i = 0; i <= n; i++) ptr[i] = i <= at ? 0 : i < n ? (int32_t)at : (int32_t)p.nnz;
  for (int64_t i = 0; i < at; i++) ind[i] = (int32_t)i;
  for (int64_t i = 0; i < n; i++) f[i] = 1;
  ind[at] = (int32_t)at, val[0] = 0.25f, val[at] = 1;
  p.ptr = ptr, p.ind = ind, p.val = val, p.f = f, p.diag = diag;
  return p;
}

static int waiting_is_solved(System *s, float *x) {
  int64_t n = s->p->n, at = n - BEHIND_THE_LONG_ROW;
  sptrsvStatus_t status = solve(s, x);
  return !status && x[0] == 1 && x[at - 1] == 1 && x[at] == 0.75f && x[at + 1] == 1 && x[n - 1] == 0.25f;
}

/* An analysis that the watchdog ends says so. The analysis before it still solves or is gone, and the info can be analysed again. */
static void an_analysis_is_ended(void) {
  int is_ended = 0;
  /* How fast a block walks a row is the GPU's business: the row grows until the wait for it is long enough. */
  for (int64_t n = (int64_t)1 << 23; n <= (int64_t)1 << 26 && !is_ended; n *= 2) {
    Problem p = waiting_problem(n);
    System s;
    if (opened(&s, &p, 0)) {
      float *x = malloc(s.bytes);
      CHECK(waiting_is_solved(&s, x));
      CHECK_OK(sptrsvSetTimeout(T.h, 1e-9));
      sptrsvStatus_t status = analyse(&s);
      if (status == SPTRSV_STATUS_TIMED_OUT) CHECK_MESSAGE("the analysis was ended by the watchdog");
      CHECK_OK(sptrsvSetTimeout(T.h, 10));
      if (status == SPTRSV_STATUS_TIMED_OUT) {
        is_ended = 1;
        sptrsvStatus_t after = solve_from(&s, s.f, s.x);
        CHECK(after == SPTRSV_STATUS_NOT_ANALYSED || (!after && waiting_is_solved(&s, x)));
        CHECK_OK(analyse(&s));
      } else {
        CHECK_OK(status);
      }
      CHECK_THAT(waiting_is_solved(&s, x), "a solve behind an analysis that %s is wrong", is_ended ? "was ended" : "was not ended");
      printf("an_analysis_is_ended: %" PRId64 " rows: %s\n", n, sptrsvGetErrorName(status));
      free(x);
    }
    close_system(&s);
    free_problem(&p);
  }
  CHECK(is_ended);
}

/* Whatever it waits for when the watchdog ends it: levels of rows, or of PANEL's segments, whose long row one warp walks. */
static void an_analysis_is_ended_anywhere(void) {
  Problem p = waiting_problem((int64_t)1 << 23);
  System s;
  if (opened(&s, &p, place_of(SPTRSV_ALG_PANEL))) {
    float *x = malloc(s.bytes);
    sptrsvStatus_t status = SPTRSV_STATUS_TIMED_OUT;
    int ended = 0;
    for (double limit = 1e-6; limit < 10 && status == SPTRSV_STATUS_TIMED_OUT; limit *= 1.5, ended++) {
      CHECK_OK(sptrsvSetTimeout(T.h, limit));
      status = analyse(&s);
      CHECK(!status || status == SPTRSV_STATUS_TIMED_OUT);
    }
    CHECK_OK(sptrsvSetTimeout(T.h, 10));
    CHECK_OK(analyse(&s));
    CHECK(waiting_is_solved(&s, x));
    CHECK_THAT(ended > 1, "no analysis was ended");
    printf("an_analysis_is_ended_anywhere: %d analyses before one that was not ended\n", ended - 1);
    free(x);
  }
  close_system(&s);
  free_problem(&p);
}

/* -------------------------------------------------------------------------------------- devices and contexts */

/* The primary context of the first GPU (0), and that of the second one or, on a machine with one GPU, a second
 * context on it (1). */
static void *second_context;

static void use_context(int which) {
  int (*set_current)(void *) = (int (*)(void *))dlsym(RTLD_DEFAULT, "cuCtxSetCurrent");
  if (second_context && which)
    CHECK(set_current(second_context) == 0);
  else
    CUDA(cudaSetDevice(which));
}

/* Handles of two devices serve side by side on one thread, whichever device is current, which stays so; what one
 * has analysed the other refuses, and no byte is written. */
static void two_devices(void) {
  int devices = 0;
  int (*create)(void **, unsigned, int) = NULL;
  int (*destroy)(void *) = NULL;
  CUDA(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    create = driver ? (int (*)(void **, unsigned, int))dlsym(driver, "cuCtxCreate_v2") : NULL;
    destroy = driver ? (int (*)(void *))dlsym(driver, "cuCtxDestroy_v2") : NULL;
    if (!CHECK(create && destroy && create(&second_context, 0, 0) == 0)) return;
  }
  printf("two devices: %s\n", devices < 2 ? "two contexts on one GPU" : "two GPUs");
  sptrsvHandle_t h[2], first = T.h;
  for (int d = 0; d < 2; d++) {
    use_context(d);
    CHECK_OK(sptrsvCreateWithExecutor(&h[d], SPTRSV_EXECUTOR_CUDA));
  }
  for (int a = 0; a < COUNT(ALGS); a++) {
    Kind k = {.type = SPTRSV_R_64F, .setup = a % 2 ? SPTRSV_ANALYSIS_MODE_CPU : SPTRSV_ANALYSIS_MODE_GPU};
    Problem p = make_problem(k, GRID, 3000);
    System s[2];
    for (int d = 0; d < 2; d++) {
      use_context(d);
      T.h = h[d];
      CHECK_OK(open_system_on(h[d], &s[d], &p, ALGS[a].id));
    }
    for (int d = 0; d < 2; d++) {
      T.h = h[d];
      for (int current = 0; current < 2; current++) {
        use_context(current);
        CHECK_OK(solve_from(&s[d], s[d].f, s[d].x));
        int64_t row = -77;
        CHECK_OK(sptrsvZeroPivot(h[d], s[d].info, &row));
        CHECK(row == -1);
        int now = -1;
        if (!second_context) {
          CUDA(cudaGetDevice(&now));
          CHECK(now == current);
        }
        use_context(d);
        CUDA(cudaDeviceSynchronize());
        CHECK_THAT(error_of(&s[d], s[d].x) <= 1, "%s on device %d is wrong", ALGS[a].name, d);
        mem_fill(s[d].x, 0x5a, s[d].bytes);
        CUDA(cudaDeviceSynchronize());
      }
      s[d].h = T.h = h[1 - d];
      CHECK_STATUS(solve_from(&s[d], s[d].f, s[d].x), SPTRSV_STATUS_PATTERN_MISMATCH);
      CHECK_MESSAGE("the handle's device");
      CUDA(cudaDeviceSynchronize());
      CHECK(mem_is(s[d].x, 0x5a, s[d].bytes));
      s[d].h = h[d];
    }
    for (int d = 0; d < 2; d++) {
      use_context(1 - d);
      CHECK_OK(sptrsvDestroyInfo(s[d].info));
      s[d].info = NULL;
      use_context(d);
      close_system(&s[d]);
    }
    free_problem(&p);
  }
  T.h = first;
  for (int d = 0; d < 2; d++) CHECK_OK(sptrsvDestroy(h[d]));
  use_context(0);
  if (second_context) CHECK(destroy(second_context) == 0);
}

int main(int argc, char **argv) {
  check_begin("test_stream", argc, argv);
  RUN_ON_GPU(solve_is_asynchronous);
  RUN_ON_GPU(solve_in_a_graph);
  RUN_ON_GPU(a_solve_behind_one_that_was_ended);
  RUN_ON_GPU(an_analysis_behind_a_solve_that_is_ended);
  RUN_ON_GPU(an_analysis_is_ended);
  RUN_ON_GPU(an_analysis_is_ended_anywhere);
  RUN_ON_GPU(analysis_is_not_captured);
  RUN_ON_GPU(all_goes_on_beside_a_capture);
  RUN_ON_GPU(an_info_is_destroyed_in_flight);
  RUN(repeated_solves);
  RUN_ON_GPU(solves_in_a_row);
  RUN(two_threads_two_handles);
  RUN(two_threads_one_descriptor);
  RUN(watchdog);
  RUN_ON_GPU(two_devices);
  return check_end();
}
