/*
 * sptrsvSetAnalysisForAllOperations: one analysis, called with any operation, serves op N, T and H; without it a solve with
 * another operation than was analysed is refused. Every solve by the same rule as after an analysis of its own, with
 * its own pivots; the figures that an info reports; what is refused as before.
 */
#include "problem.h"

enum { M = 300 };

static const char UNTOUCHED = 0x5a;

/* Solves with an operation; x, on the host, must solve that system. */
static int solves(System *s, Problem *p, int op, void *x, const char *what) {
  p->k.op = op;
  return solves_right(s, x, what);
}

/* Each operation twice, out of turn: a deterministic algorithm gives the same bits. */
static void solves_all(System *s, Problem *p, int deterministic, const char *what) {
  int first = (int)below(3), ok = 1;
  char *x[3];
  for (int i = 0; i < 3; i++) x[i] = malloc(s->bytes + 1);
  char *again = malloc(s->bytes + 1);
  for (int i = 0; i < 6 && ok; i++) {
    int op = (first + i) % 3;
    ok = solves(s, p, op, i < 3 ? x[op] : again, what);
    if (ok && i >= 3 && deterministic)
      CHECK_THAT(!memcmp(x[op], again, s->bytes), "%s: two solves by %s differ in their bits (%s)", what, s->algorithm,
                 kind_text(&p->k));
  }
  for (int i = 0; i < 3; i++) free(x[i]);
  free(again);
}

/* A solve with an operation is refused: by the name of what differs, and x stays. */
static void is_refused(System *s, Problem *p, int op) {
  p->k.op = op;
  mem_fill(s->x, UNTOUCHED, s->bytes);
  CHECK_STATUS(solve_from(s, s->f, s->x), SPTRSV_STATUS_PATTERN_MISMATCH);
  CHECK_MESSAGE("operation");
  sptrsvSetPointerMode(T.h, SPTRSV_POINTER_MODE_HOST);
  CHECK(mem_is(s->x, UNTOUCHED, s->bytes));
}

/* One problem, from an info for one operation to one for all of them and back. */
static void one_case(Kind k, enum Shape shape, int64_t n, int a) {
  Problem p = make_problem(k, shape, n);
  System s;
  if (opened(&s, &p, a)) {
    int analysed = k.op, enabled = -1;
    CHECK(sptrsvGetAnalysisForAllOperations(s.info, &enabled) == SPTRSV_STATUS_SUCCESS && enabled == 0);
    char *x = malloc(s.bytes + 1);
    for (int op = 0; op < 3; op++) {
      /* H of real types is T. */
      if (op != analysed && (is_complex(k.type) || !op || !analysed)) is_refused(&s, &p, op);
      else solves(&s, &p, op, x, "one operation");
    }
    CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
    CHECK(sptrsvGetAnalysisForAllOperations(s.info, &enabled) == SPTRSV_STATUS_SUCCESS && enabled == 1);
    /* What was analysed before stays as it is. */
    int other = analysed ? SPTRSV_OPERATION_NON_TRANSPOSE : SPTRSV_OPERATION_TRANSPOSE;
    is_refused(&s, &p, other);
    p.k.op = analysed;
    CHECK_OK(analyse(&s));
    solves_all(&s, &p, ALGS[a].deterministic, "any operation");
    /* Values are read at each solve. */
    for (int64_t t = 0; t < p.nnz; t++) put(k.type, p.val, t, 1.5L * get(k.type, p.val, t));
    mem_put(s.val, p.val, (size_t)p.nnz * s.vs);
    solves_all(&s, &p, ALGS[a].deterministic, "new values");
    p.k.op = analysed;
    CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 0));
    CHECK_OK(analyse(&s));
    is_refused(&s, &p, other);
    solves(&s, &p, analysed, x, "one operation again");
    free(x);
  }
  close_system(&s);
  free_problem(&p);
}

static void every_kind_and_algorithm(void) {
  static const int SIZES[] = {1, 2, 33, 257};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < FORMAT_KINDS; i++)
      one_case(format_kind(i), (enum Shape)below(SHAPES), SIZES[below(4)], a);
}

static void large(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 3; i++) {
      Kind k = {.type = TYPES[below(4)], .op = (int)below(3), .fill = (int)below(2), .format = (int)below(2),
                .unsorted = i == 2, .full = (int)below(2), .in_place = (int)below(2), .setup = any_setup()};
      one_case(k, i == 0 ? GRID : i == 1 ? RANDOM : EMPTY_ROWS, 40000 + below(20000), a);
    }
}

/* No rows, and rows without any entry. */
static void nothing_to_solve(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int n = 0; n < 2; n++) {
      Problem p = pack((Kind){.type = SPTRSV_R_64F, .diag = SPTRSV_DIAG_TYPE_UNIT}, n, (Entries){0});
      System s;
      if (opened(&s, &p, a)) {
        CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
        CHECK_OK(analyse(&s));
        solves_all(&s, &p, 1, "nothing");
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* Several right-hand sides: each column has the bits of its single solve, for each operation. */
static void several_right_hand_sides(void) {
  enum { COLUMNS = 5 };
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      Problem p = make_problem((Kind){.type = TYPES[t], .op = (int)below(3), .fill = t & 1, .setup = any_setup()}, GRID, M);
      System s;
      if (opened(&s, &p, a)) {
        CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
        CHECK_OK(analyse(&s));
        char *f = malloc(COLUMNS * s.bytes), *x = malloc(COLUMNS * s.bytes), *single = malloc(s.bytes);
        for (int c = 0; c < COLUMNS; c++) memcpy(f + (size_t)c * s.bytes, p.f, s.bytes);
        void *df = mem_copy(f, COLUMNS * s.bytes), *dx = mem_new(COLUMNS * s.bytes);
        for (int op = 0; op < 3; op++) {
          p.k.op = op;
          CHECK_OK(solve_columns(&s, COLUMNS, df, dx));
          mem_get(x, dx, COLUMNS * s.bytes);
          solves(&s, &p, op, single, "beside several right-hand sides");
          columns_are_right(&s, a, COLUMNS, x, single);
        }
        mem_free(df), mem_free(dx), free(f), free(x), free(single);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* Each solve reports its own pivots, whatever the solve before it had; the analysis what is structural. */
static void zero_pivots(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4 * 3 * 2 * 2; i++)
      for (int missing = 0; missing < 2; missing++) {
        Kind k = {.type = TYPES[i % 4], .op = i / 4 % 3, .fill = i / 12 % 2, .format = i / 24, .base = i & 1,
                  .setup = any_setup()};
        int one = k.op, other = k.op ? 0 : 1 + (int)below(2);
        int64_t hole = missing ? 20 : -1;
        Entries list = {0};
        for (int64_t r = 0; r < 40; r++) {
          if (r != hole) push(&list, r, r, 2);
          if (r > 0) push(&list, k.fill ? r - 1 : r, k.fill ? r : r - 1, 1);
        }
        Problem p = pack(k, 40, list);
        System s;
        char x[40 * 16];
        if (opened(&s, &p, a)) {
          CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
          CHECK_OK(analyse(&s));
          pivot_is(&s, hole, "after the analysis");
          p.k.op = other;
          CHECK_OK(solve(&s, x));
          pivot_is(&s, hole, "after a good solve with the other operation");
          put_diagonal(&s, &p, 7, 0);
          p.k.op = one;
          CHECK_OK(solve(&s, x));
          pivot_is(&s, 7, "after a bad solve");
          put_diagonal(&s, &p, 7, 2);
          put_diagonal(&s, &p, 11, 0);
          p.k.op = other;
          CHECK_OK(solve(&s, x));
          pivot_is(&s, 11, "after another bad solve with the other operation");
          put_diagonal(&s, &p, 11, 2);
          p.k.op = one;
          CHECK_OK(solve(&s, x));
          pivot_is(&s, hole, "after a good solve again");
        }
        close_system(&s);
        free_problem(&p);
      }
}

/* Bytes are those of both operations, all else is about the one of the analysis. */
static void figures(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int op = 0; op < 2; op++) {
      Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .op = op, .setup = any_setup()}, GRID, 5000);
      System s;
      if (opened(&s, &p, a)) {
        sptrsvStats_t alone = stats_of(&s);
        p.k.op = !op;
        CHECK_OK(analyse(&s));
        sptrsvStats_t other = stats_of(&s);
        p.k.op = op;
        CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
        for (int round = 0; round < 2; round++) {
          CHECK_OK(analyse(&s));
          sptrsvStats_t both = stats_of(&s);
          CHECK_THAT(both.levels == alone.levels && both.widest_level == alone.widest_level && both.rows == alone.rows &&
                         both.entries_used == alone.entries_used && both.algorithm == alone.algorithm &&
                         both.setup == alone.setup && both.setup_ms > 0,
                     "%s: the figures are not those of the operation analysed", s.algorithm);
          /* The transposed one has other levels of as many rows in all, so other slices. On the host AUTO holds one
             pattern for both. */
          double sum = (double)(alone.bytes_held + other.bytes_held), held = (double)both.bytes_held;
          CHECK_THAT(held > 0.4 * sum && held < 1.25 * sum, "%s: %g bytes are held, %g by two infos", s.algorithm, held, sum);
          sptrsvAlgorithm_t used;
          CHECK(sptrsvGetAlgorithm(s.info, &used) == SPTRSV_STATUS_SUCCESS && (int)used == both.algorithm);
        }
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* Wherever the analysis is done, the schedule for either operation is the same, and so are the bits. */
static void every_setup_gives_the_same_bits(void) {
  static const sptrsvAnalysisMode_t SETUPS[] = {SPTRSV_ANALYSIS_MODE_CPU, SPTRSV_ANALYSIS_MODE_GPU, SPTRSV_ANALYSIS_MODE_GPU_KAHN};
  for (int a = 0; a < COUNT(ALGS); a++)
    /* PANEL orders its panels on the GPU only. */
    for (int i = 0; ALGS[a].deterministic && ALGS[a].id != SPTRSV_ALG_PANEL && i < 2 * SHAPES; i++) {
      Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .op = i & 1, .fill = (int)below(2), .format = (int)below(2),
                                      .unsorted = (int)below(2)},
                               (enum Shape)(i / 2), 3000);
      System s;
      if (opened(&s, &p, a)) {
        char *first[2] = {malloc(s.bytes), malloc(s.bytes)}, *x = malloc(s.bytes);
        CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
        for (int where = 0; where < COUNT(SETUPS); where++) {
          CHECK_OK(sptrsvSetAnalysisMode(s.info, SETUPS[where]));
          p.k.op = i & 1;
          CHECK_OK(analyse(&s));
          for (int op = 0; op < 2; op++) {
            solves(&s, &p, op, where ? x : first[op], "by a setup");
            CHECK_THAT(!where || !memcmp(x, first[op], s.bytes), "%s, setup %d: other bits than by the CPU's (%s)",
                       s.algorithm, SETUPS[where], kind_text(&p.k));
          }
        }
        free(first[0]), free(first[1]), free(x);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* Solves with both operations in one graph, replayed with other values. */
static void both_in_a_graph(void) {
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int a = 0; a < COUNT(ALGS); a++) {
    Problem p = make_problem((Kind){.type = SPTRSV_C_64F}, GRID, M);
    System s;
    CHECK_OK(sptrsvSetStream(T.h, stream));
    if (opened(&s, &p, a)) {
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      char *x = malloc(s.bytes);
      void *dx[3];
      CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
      CHECK_OK(analyse(&s));
      for (int op = 0; op < 3; op++) dx[op] = mem_new(s.bytes);
      CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
      for (int op = 0; op < 3; op++) {
        p.k.op = op;
        CHECK_OK(solve_from(&s, s.f, dx[op]));
      }
      CUDA(cudaStreamEndCapture(stream, &graph));
      CUDA(cudaGraphInstantiate(&exec, graph, 0));
      for (int round = 0; round < 3; round++) {
        for (int64_t t = 0; t < p.nnz; t++) put(p.k.type, p.val, t, 1.25L * get(p.k.type, p.val, t));
        mem_put(s.val, p.val, (size_t)p.nnz * s.vs);
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaStreamSynchronize(stream));
        for (int op = 0; op < 3; op++) {
          p.k.op = op;
          mem_get(x, dx[op], s.bytes);
          long double worst = worst_error(&p, p.alpha, p.f, x);
          CHECK_THAT(worst <= 1, "%s, replay %d, op %c: error / bound = %Lg", s.algorithm, round, "NTH"[op], worst);
        }
      }
      CUDA(cudaGraphExecDestroy(exec));
      CUDA(cudaGraphDestroy(graph));
      for (int op = 0; op < 3; op++) mem_free(dx[op]);
      free(x);
    }
    CHECK_OK(sptrsvSetStream(T.h, NULL));
    close_system(&s);
    free_problem(&p);
  }
  CUDA(cudaStreamDestroy(stream));
}

/* Under an absurd limit the watchdog may end a solve. The next call says so once, with whichever operation; then
 * both are solved again. */
static void a_watchdog_for_both(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int op = 0; op < 2; op++) {
      Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .op = op}, CHAIN, 5000);
      System s;
      if (opened(&s, &p, a)) {
        char *x = malloc(s.bytes);
        CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
        CHECK_OK(analyse(&s));
        CHECK_OK(sptrsvSetTimeout(T.h, 1e-9));
        CHECK_OK(solve_from(&s, s.f, s.x));
        if (T.on_gpu) CUDA(cudaDeviceSynchronize());
        CHECK_OK(sptrsvSetTimeout(T.h, 10));
        p.k.op = !op;
        mem_fill(s.x, UNTOUCHED, s.bytes);
        sptrsvStatus_t status = solve_from(&s, s.f, s.x);
        if (T.on_gpu) CUDA(cudaDeviceSynchronize());
        if (status == SPTRSV_STATUS_TIMED_OUT)
          CHECK_THAT(mem_is(s.x, UNTOUCHED, s.bytes), "%s: x is written by a call that reports a time-out", s.algorithm);
        else
          CHECK_THAT(!status, "%s after a short limit: %s", s.algorithm, sptrsvGetErrorName(status));
        solves_all(&s, &p, ALGS[a].deterministic, "after the watchdog");
        free(x);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* Nothing else than the operation may differ, and a matrix that is refused leaves the info as it was. */
static void what_is_refused(void) {
  for (int setup = 0; setup < 2; setup++) {
    Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .setup = setup ? any_setup() : 0}, RANDOM, M);
    System s;
    if (opened(&s, &p, 0)) {
      int enabled = -77;
      CHECK_STATUS(sptrsvSetAnalysisForAllOperations(NULL, 1), SPTRSV_STATUS_INVALID_VALUE);
      CHECK_STATUS(sptrsvGetAnalysisForAllOperations(NULL, &enabled), SPTRSV_STATUS_INVALID_VALUE);
      CHECK_STATUS(sptrsvGetAnalysisForAllOperations(s.info, NULL), SPTRSV_STATUS_INVALID_VALUE);
      CHECK(enabled == -77);
      CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
      for (int bad = -1; bad < 4; bad += 3) CHECK_STATUS(sptrsvSetAnalysisForAllOperations(s.info, bad), SPTRSV_STATUS_INVALID_VALUE);
      CHECK(sptrsvGetAnalysisForAllOperations(s.info, &enabled) == SPTRSV_STATUS_SUCCESS && enabled == 1);
      CHECK_OK(analyse(&s));

      p.k.op = SPTRSV_OPERATION_TRANSPOSE;
      CHECK_OK(sptrsvSetMatFillMode(s.d, SPTRSV_FILL_MODE_UPPER));
      CHECK_STATUS(solve_from(&s, s.f, s.x), SPTRSV_STATUS_PATTERN_MISMATCH);
      CHECK_MESSAGE("fill");
      CHECK_OK(set_descr(s.d, &p.k));
      CHECK_STATUS(sptrsvSolve(T.h, (sptrsvOperation_t)3, p.n, p.nnz, s.alpha_host, s.d, SPTRSV_R_64F, s.val, s.ptr,
                               s.ind, s.info, s.f, s.x, s.policy, s.buffer),
                   SPTRSV_STATUS_INVALID_VALUE);

      int32_t wild = (int32_t)p.n, good;
      mem_get(&good, (int32_t *)s.ind + p.nnz / 2, sizeof good);
      mem_put((int32_t *)s.ind + p.nnz / 2, &wild, sizeof wild);
      CHECK_STATUS(analyse(&s), SPTRSV_STATUS_INVALID_MATRIX);
      CHECK_MESSAGE("outside");
      mem_put((int32_t *)s.ind + p.nnz / 2, &good, sizeof good);
      solves_all(&s, &p, 1, "after a matrix that was refused");
    }
    close_system(&s);
    free_problem(&p);
  }
}

int main(int argc, char **argv) {
  check_begin("test_any_operation", argc, argv);
  RUN(what_is_refused);
  RUN(nothing_to_solve);
  RUN(figures);
  RUN(zero_pivots);
  RUN(several_right_hand_sides);
  RUN(every_kind_and_algorithm);
  RUN(large);
  RUN(a_watchdog_for_both);
  RUN_ON_GPU(every_setup_gives_the_same_bits);
  RUN_ON_GPU(both_in_a_graph);
  return check_end();
}
