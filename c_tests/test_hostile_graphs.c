/*
 * Hostile cases: CUDA graphs. Solves are captured, replayed many times with new values, after their handle is gone, after settings
 * have changed, beside plain solves; captures are abandoned and broken.
 */
#include "copies.h"
#include "factored.h"
#include "hostile.h"
#include "swept.h"

static cudaStream_t stream;

/* What a case captures. */
typedef void (*Enqueue)(System *s);

static void one_solve(System *s) { CHECK_OK(solve_from(s, s->f, s->x)); }
static void update_and_solve(System *s) {
  CHECK_OK(sptrsvUpdateValues(s->h, s->info, s->val));
  CHECK_OK(solve_from(s, s->f, s->x));
}

/* In the strictest mode, in which no call may allocate or wait. */
static void begin_capture(void) { CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal)); }

/* NULL where the capture failed, which is counted. */
static cudaGraphExec_t end_capture(void) {
  cudaGraph_t graph = NULL;
  cudaGraphExec_t exec = NULL;
  cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();
  if (CHECK_THAT(ended == cudaSuccess && graph, "the capture: %s", cudaGetErrorString(ended)))
    CUDA(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  if (graph) CUDA(cudaGraphDestroy(graph));
  return exec;
}

static cudaGraphExec_t captured(System *s, Enqueue enqueue) {
  begin_capture();
  enqueue(s);
  return end_capture();
}

static void launch(cudaGraphExec_t exec) {
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaStreamSynchronize(stream));
}

/* Other values and right-hand sides, in the problem and in the executor's memory. The values change their signs alone, so that the
 * system stays as well-conditioned as it was. */
static void other_values(System *s, Problem *p) {
  for (int64_t k = 0; k < p->nnz; k++)
    if (rng() & 1) put(p->k.type, p->val, k, -get(p->k.type, p->val, k));
  mend(s);
  for (int64_t i = 0; i < p->n; i++) put(p->k.type, p->f, i, random_num(1));
  mem_put(s->f, p->f, s->bytes);
  mem_fill(s->x, 0xff, s->bytes);
}

static void replays(void) {
  enum { REPLAYS = 30 };
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      hostile_case("%d replays, %s, type %c", REPLAYS, ALGS[a].name, letter_of(TYPES[t]));
      Problem p = shaped((Kind){.type = TYPES[t], .op = t & 1, .fill = t >> 1, .device_alpha = t == 2}, a + t);
      System s;
      cudaGraphExec_t exec;
      if (opened(&s, &p, a) && (exec = captured(&s, one_solve))) {
        for (int k = 0; k < REPLAYS; k++) {
          other_values(&s, &p);
          if (k % 7 == 3) CHECK_OK(solve_from(&s, s.f, s.x)); /* a plain solve in between */
          launch(exec);
          CHECK_THAT(error_in(&s, s.x) <= 1, "replay %d is wrong (%s)", k, kind_text(&p.k));
        }
        CUDA(cudaGraphExecDestroy(exec));
      }
      close_system(&s);
      free_problem(&p);
    }
}

static void updates_in_a_graph(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      hostile_case("an update of the values in the graph, %s, type %c", ALGS[a].name, letter_of(TYPES[t]));
      Problem p = shaped((Kind){.type = TYPES[t], .op = 1 ^ (t & 1)}, a + t);
      System s;
      cudaGraphExec_t exec;
      if (opened(&s, &p, a)) {
        analyse_for(&s, t & 1 ? SPTRSV_COPY_ALL : SPTRSV_COPY_WHERE_FASTER);
        if ((exec = captured(&s, update_and_solve))) {
          for (int k = 0; k < 10; k++) {
            other_values(&s, &p);
            launch(exec);
            CHECK_THAT(error_in(&s, s.x) <= 1, "replay %d after an update is wrong (%s)", k, kind_text(&p.k));
          }
          CUDA(cudaGraphExecDestroy(exec));
        }
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* The handle that has captured is gone, and so is the stream; the info stays. */
static void the_handle_is_gone(void) {
  for (int a = 0; a < COUNT(ALGS); a++) {
    hostile_case("a replay after the handle is gone, %s", ALGS[a].name);
    Problem p = shaped((Kind){.type = TYPES[a % 4]}, a);
    sptrsvHandle_t first = T.h;
    CHECK_OK(sptrsvCreate(&T.h));
    CHECK_OK(sptrsvSetStream(T.h, stream));
    System s;
    cudaGraphExec_t exec = NULL;
    if (opened(&s, &p, a)) exec = captured(&s, one_solve);
    sptrsvHandle_t own = T.h;
    T.h = first;
    CHECK_OK(sptrsvDestroy(own));
    for (int k = 0; exec && k < 5; k++) {
      other_values(&s, &p);
      launch(exec);
      CHECK_THAT(error_in(&s, s.x) <= 1, "replay %d is wrong", k);
    }
    if (exec) CUDA(cudaGraphExecDestroy(exec));
    close_system(&s);
    free_problem(&p);
  }
}

/* ----------------------------------------------------------------------------------- what a capture keeps */

/* The time of the watchdog: a nanosecond, too short for a long chain, or ten seconds. Whether it has ended the launch. */
static int launch_keeps_time(System *s, int is_short) {
  int64_t row = -77;
  CHECK_OK(sptrsvSetTimeout(T.h, is_short ? 1e-9 : 10));
  cudaGraphExec_t exec = captured(s, one_solve);
  CHECK_OK(sptrsvSetTimeout(T.h, is_short ? 10 : 1e-9));
  if (!exec) return 0;
  launch(exec);
  sptrsvStatus_t status = sptrsvZeroPivot(T.h, s->info, &row);
  int was_ended = status == SPTRSV_STATUS_TIMED_OUT;
  CHECK_THAT(!status || (is_short && was_ended), "captured with %s time: %s", is_short ? "a short" : "a long", sptrsvGetErrorName(status));
  if (!was_ended) CHECK_THAT(error_in(s, s->x) <= 1, "the replay is wrong");
  CUDA(cudaGraphExecDestroy(exec));
  CHECK_OK(sptrsvSetTimeout(T.h, 10));
  return was_ended;
}

static void a_capture_keeps_the_time(void) {
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, CHAIN, 200000);
  int ended = 0;
  for (int a = 0; a < COUNT(ALGS); a++) {
    System s;
    if (!ALGS[a].self_scheduled) continue;
    hostile_case("another time after the capture, %s", ALGS[a].name);
    if (opened(&s, &p, a)) {
      launch_keeps_time(&s, 0);
      ended += launch_keeps_time(&s, 1);
      still_right(&s, "after the watchdog");
    }
    close_system(&s);
  }
  printf("a_capture_keeps_the_time: %d launches were ended by the watchdog\n", ended);
  CHECK(ended > 0);
  free_problem(&p);
}

/* Alpha on the host, and the pointer of sptrsvSetDiagonal: what they are later is NaN. */
static void a_capture_keeps_alpha_and_the_diagonal(void) {
  for (int a = 0; a < COUNT(ALGS); a++) {
    hostile_case("another alpha and another diagonal after the capture, %s", ALGS[a].name);
    Problem p = shaped((Kind){.type = TYPES[a % 4], .diag = SEPARATE_DIAGONAL}, a);
    System s;
    cudaGraphExec_t exec;
    if (opened(&s, &p, a) && (exec = captured(&s, one_solve))) {
      void *other = mem_new(s.bytes);
      mem_fill(other, 0xff, s.bytes);
      CHECK_OK(sptrsvSetDiagonal(s.info, other));
      memset(s.alpha_host, 0xff, sizeof s.alpha_host);
      launch(exec);
      CHECK_THAT(error_in(&s, s.x) <= 1, "the replay is wrong");
      set_alpha(&s, p.alpha);
      CHECK_OK(solve_from(&s, s.f, s.x));
      CUDA(cudaStreamSynchronize(stream));
      CHECK_THAT(!(error_in(&s, s.x) <= 1), "a solve does not read the other diagonal");
      CUDA(cudaGraphExecDestroy(exec));
      mem_free(other);
    }
    close_system(&s);
    free_problem(&p);
  }
}

/* What small pivots are replaced by: each diagonal entry is zero, and there are no others. */
static void a_capture_keeps_the_boost(void) {
  enum { ROWS = 500 };
  for (int t = 0; t < COUNT(TYPES); t++) {
    hostile_case("another boost after the capture, type %c", letter_of(TYPES[t]));
    Entries list = {0};
    for (int64_t i = 0; i < ROWS; i++) push(&list, i, i, 0);
    Problem p = pack((Kind){.type = TYPES[t]}, ROWS, list);
    size_t bytes = ROWS * value_size(TYPES[t]);
    Factored s;
    CHECK_OK(open_factor(T.h, &s, &p));
    if (CHECK_OK(analyse_factor(&s))) {
      char *factor = malloc(bytes);
      CHECK_OK(sptrsvSetPivotBoost(s.info, 1e-8, 3, 0));
      begin_capture();
      CHECK_OK(factorize(&s, ILU0));
      cudaGraphExec_t exec = end_capture();
      CHECK_OK(sptrsvSetPivotBoost(s.info, 1e-8, 5, 0));
      if (exec) {
        launch(exec);
        mem_get(factor, s.val, bytes);
        int kept = 1;
        for (int64_t i = 0; i < ROWS; i++) kept &= get(TYPES[t], factor, i) == 3;
        CHECK_THAT(kept, "a pivot was replaced by %Lg", creall(get(TYPES[t], factor, 0)));
        CUDA(cudaGraphExecDestroy(exec));
      }
      free(factor);
    }
    close_factor(&s);
    free_problem(&p);
  }
}

/* The weight of a sweep: a sweep with another one comes between the capture and the launch. */
static void a_capture_keeps_the_weight(void) {
  for (int t = 0; t < COUNT(TYPES); t++) {
    hostile_case("another weight after the capture, type %c", letter_of(TYPES[t]));
    Problem p = make_whole_matrix((Kind){.type = TYPES[t]}, t & 1 ? GRID : RANDOM, 900);
    size_t bytes = 900 * value_size(TYPES[t]);
    char *old = malloc(bytes), *x = malloc(bytes);
    for (int64_t i = 0; i < p.n; i++) put(TYPES[t], old, i, random_num(1));
    Swept s;
    if (CHECK_OK(open_sweep(T.h, &s, &p, OWN))) {
      begin_capture();
      CHECK_OK(sweep(&s, 0.5, 0));
      cudaGraphExec_t exec = end_capture();
      CHECK_OK(sweep(&s, 1.25, 1));
      CUDA(cudaStreamSynchronize(stream));
      if (exec) {
        mem_put(s.x, old, bytes);
        launch(exec);
        mem_get(x, s.x, bytes);
        CHECK_THAT(worst_row(&p, old, x, 0.5, 0, OWN) <= 1, "the replay has another weight");
        CUDA(cudaGraphExecDestroy(exec));
      }
    }
    close_sweep(&s);
    free(old), free(x);
    free_problem(&p);
  }
}

static void *between; /* what the first of two solves gives the second */

static void both_solves(System *s) {
  const Problem *p = s->p;
  for (int op = 0; op < 2; op++)
    CHECK_OK(sptrsvSolve(s->h, (sptrsvOperation_t)op, p->n, p->nnz, s->alpha_host, s->d, (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind,
                         s->info, op ? between : s->f, op ? s->x : between, s->policy, s->buffer));
}

/* Both solves of a factor, one behind the other, in one graph. */
static void two_solves_in_a_graph(void) {
  for (int a = 0; a < COUNT(ALGS); a++) {
    hostile_case("two solves in a graph, %s", ALGS[a].name);
    Problem p = shaped((Kind){.type = TYPES[a % 4]}, a);
    System s;
    cudaGraphExec_t exec;
    if (opened(&s, &p, a)) {
      between = mem_new(s.bytes);
      void *y = malloc(s.bytes), *x = malloc(s.bytes);
      CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
      CHECK_OK(make_buffer(&s));
      CHECK_OK(analyse(&s));
      if ((exec = captured(&s, both_solves))) {
        for (int k = 0; k < 5; k++) {
          other_values(&s, &p);
          launch(exec);
          mem_get(y, between, s.bytes);
          mem_get(x, s.x, s.bytes);
          CHECK_THAT(worst_error(&p, p.alpha, p.f, y) <= 1, "the first solve of replay %d is wrong", k);
          p.k.op = SPTRSV_OPERATION_TRANSPOSE;
          CHECK_THAT(worst_error(&p, p.alpha, y, x) <= 1, "the second solve of replay %d is wrong", k);
          p.k.op = SPTRSV_OPERATION_NON_TRANSPOSE;
        }
        CUDA(cudaGraphExecDestroy(exec));
      }
      free(y), free(x), mem_free(between);
    }
    close_system(&s);
    free_problem(&p);
  }
}

enum { COLUMNS = 17 };
static void *many_f, *many_x;
static void many_columns(System *s) { CHECK_OK(solve_columns(s, COLUMNS, many_f, many_x)); }

static void several_columns_in_a_graph(void) {
  for (int a = 0; a < COUNT(ALGS); a++) {
    hostile_case("%d columns in a graph, %s", COLUMNS, ALGS[a].name);
    Problem p = shaped((Kind){.type = TYPES[a % 4]}, a);
    System s;
    cudaGraphExec_t exec;
    if (opened(&s, &p, a)) {
      char *host = malloc(COLUMNS * s.bytes);
      many_f = mem_new(COLUMNS * s.bytes), many_x = mem_new(COLUMNS * s.bytes);
      if ((exec = captured(&s, many_columns))) {
        for (int k = 0; k < 3; k++) {
          other_values(&s, &p);
          for (int c = 0; c < COLUMNS; c++) mem_put((char *)many_f + (size_t)c * s.bytes, p.f, s.bytes);
          mem_fill(many_x, 0xff, COLUMNS * s.bytes);
          launch(exec);
          mem_get(host, many_x, COLUMNS * s.bytes);
          columns_are_right(&s, a, COLUMNS, host, host);
        }
        CUDA(cudaGraphExecDestroy(exec));
      }
      free(host), mem_free(many_f), mem_free(many_x);
    }
    close_system(&s);
    free_problem(&p);
  }
}

/* What is not allowed in a capture is refused, and the capture is as good as without. */
static void with_refused_calls(System *s) {
  int64_t row = NO_ROW;
  CHECK_STATUS(analyse(s), SPTRSV_STATUS_INVALID_VALUE);
  CHECK_OK(solve_from(s, s->f, s->x));
  CHECK_STATUS(sptrsvZeroPivot(s->h, s->info, &row), SPTRSV_STATUS_INVALID_VALUE);
  CHECK(row == NO_ROW);
}

static void refused_calls_in_a_capture(void) {
  for (int a = 0; a < COUNT(ALGS); a++) {
    hostile_case("refused calls in a capture, %s", ALGS[a].name);
    Problem p = shaped((Kind){.type = TYPES[a % 4], .op = 1}, a);
    System s;
    cudaGraphExec_t exec;
    if (opened(&s, &p, a) && (exec = captured(&s, with_refused_calls))) {
      other_values(&s, &p);
      launch(exec);
      CHECK_THAT(error_in(&s, s.x) <= 1, "the replay is wrong");
      CUDA(cudaGraphExecDestroy(exec));
    }
    close_system(&s);
    free_problem(&p);
  }
}

/* A graph that nobody launches, and a capture that a wait has broken: plain solves and a new capture are right. */
static void abandoned_captures(void) {
  for (int a = 0; a < COUNT(ALGS); a++) {
    hostile_case("abandoned captures, %s", ALGS[a].name);
    Problem p = shaped((Kind){.type = TYPES[a % 4]}, a);
    System s;
    cudaGraphExec_t exec;
    if (opened(&s, &p, a)) {
      if ((exec = captured(&s, one_solve))) CUDA(cudaGraphExecDestroy(exec));
      CHECK_OK(solve_from(&s, s.f, s.x));
      all_done();
      CHECK_THAT(error_in(&s, s.x) <= 1, "a solve after a graph that was not launched is wrong");

      cudaGraph_t graph = NULL;
      CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
      CHECK_OK(solve_from(&s, s.f, s.x));
      CHECK(cudaStreamSynchronize(stream) != cudaSuccess); /* which breaks the capture */
      cudaGetLastError();
      sptrsvStatus_t status = solve_from(&s, s.f, s.x);
      CHECK_THAT(status == SPTRSV_STATUS_EXECUTION_FAILED || status == SPTRSV_STATUS_INVALID_VALUE, "in a broken capture: %s",
                 sptrsvGetErrorName(status));
      CHECK(*sptrsvGetLastErrorString());
      CHECK(cudaStreamEndCapture(stream, &graph) != cudaSuccess);
      cudaGetLastError();

      other_values(&s, &p);
      CHECK_OK(solve_from(&s, s.f, s.x));
      all_done();
      CHECK_THAT(error_in(&s, s.x) <= 1, "a solve after a broken capture is wrong");
      if ((exec = captured(&s, one_solve))) {
        other_values(&s, &p);
        launch(exec);
        CHECK_THAT(error_in(&s, s.x) <= 1, "a replay after a broken capture is wrong");
        CUDA(cudaGraphExecDestroy(exec));
      }
    }
    close_system(&s);
    free_problem(&p);
  }
}

/* Launches one behind the other, without a wait, of two graphs of one info and of plain solves. */
static void launches_in_a_row(void) {
  for (int a = 0; a < COUNT(ALGS); a++) {
    hostile_case("launches in a row, %s", ALGS[a].name);
    Problem p = shaped((Kind){.type = TYPES[a % 4]}, a + 1);
    System s;
    cudaGraphExec_t exec[2] = {NULL, NULL};
    if (opened(&s, &p, a)) {
      for (int k = 0; k < 2; k++) exec[k] = captured(&s, one_solve);
      mem_fill(s.x, 0xff, s.bytes);
      for (int k = 0; exec[0] && exec[1] && k < 100; k++) {
        CUDA(cudaGraphLaunch(exec[k & 1], stream));
        if (k % 9 == 0) CHECK_OK(solve_from(&s, s.f, s.x));
      }
      all_done();
      CHECK_THAT(error_in(&s, s.x) <= 1, "the last one is wrong");
      for (int k = 0; k < 2; k++)
        if (exec[k]) CUDA(cudaGraphExecDestroy(exec[k]));
    }
    close_system(&s);
    free_problem(&p);
  }
}

int main(int argc, char **argv) {
  check_begin("test_hostile_graphs", argc, argv);
  if (T.on_gpu) {
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK_OK(sptrsvSetStream(T.h, stream));
  }
  RUN_ON_GPU(replays);
  RUN_ON_GPU(updates_in_a_graph);
  RUN_ON_GPU(the_handle_is_gone);
  RUN_ON_GPU(a_capture_keeps_the_time);
  RUN_ON_GPU(a_capture_keeps_alpha_and_the_diagonal);
  RUN_ON_GPU(a_capture_keeps_the_boost);
  RUN_ON_GPU(a_capture_keeps_the_weight);
  RUN_ON_GPU(two_solves_in_a_graph);
  RUN_ON_GPU(several_columns_in_a_graph);
  RUN_ON_GPU(refused_calls_in_a_capture);
  RUN_ON_GPU(abandoned_captures);
  RUN_ON_GPU(launches_in_a_row);
  if (T.on_gpu) {
    CHECK_OK(sptrsvSetStream(T.h, NULL));
    CUDA(cudaStreamDestroy(stream));
  }
  return hostile_end();
}
