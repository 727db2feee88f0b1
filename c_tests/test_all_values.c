/*
 * SPTRSV_COPY_ALL: the analysis copies all values. The caller's arrays are overwritten after it, and then freed; solves
 * get NULL for them and give the bits of an info without such a copy. sptrsvUpdateValues and sptrsvUpdateDiagonal replace
 * values, in stream order on a GPU, and the arrays given there are overwritten and freed too. What is refused changes
 * nothing.
 */
#include "copies.h"
#include "gate.h"

enum { M = 300 };

/* Solves as infos without a copy of all values do: in the order of the solve where values are put into one. */
static void reference(System *s, int a, void *x) {
  analyse_for(s, reads_copy(&s->p->k, a) ? SPTRSV_COPY_WHERE_FASTER : SPTRSV_COPY_NONE);
  if (reads_copy(&s->p->k, a)) CHECK_OK(update(s));
  solves_right(s, x, "no copy of all values");
}

/* One problem: bits of an info without a copy, after the analysis and after updates. */
static void one_case(Kind k, enum Shape shape, int64_t n, int a) {
  Problem p = make_problem(k, shape, n);
  System s;
  int exact = ALGS[a].deterministic;
  if (opened(&s, &p, a)) {
    char *x = malloc(s.bytes + 1);
    reference(&s, a, x);
    analyse_for(&s, SPTRSV_COPY_ALL);
    spoil_arrays(&s);
    solves_again(&s, x, exact, "with the arrays spoilt");
    free_arrays(&s);
    solves_again(&s, x, exact, "without the arrays");
    replace_values(&s, &p);
    solves_right(&s, x, "other values");
    if (replace_diagonal(&s, &p))
      solves_right(&s, x, "another diagonal");
    else
      solves_again(&s, x, exact, "after a diagonal that was refused");
    replace_values(&s, &p);
    if (below(2)) replace_diagonal(&s, &p);
    solves_right(&s, x, "other values again");
    arrays_again(&s);
    char *plain = malloc(s.bytes + 1);
    reference(&s, a, plain);
    CHECK_THAT(!exact || !memcmp(x, plain, s.bytes), "%s, n = %" PRId64 " (%s): other bits than without a copy", s.algorithm, n,
               kind_text(&k));
    free(x), free(plain);
  }
  close_system(&s);
  free_problem(&p);
}

/* Every type, operation, triangle, diagonal, base, format and index types; the rest at random. */
static void every_kind_and_algorithm(void) {
  static const int SIZES[] = {1, 2, 33, 90, 257};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < MAIN_KINDS * 2 * 3; i++) {
      Kind k = nth_kind(i);
      k.unsorted = (int)below(3), k.full = (int)below(2), k.duplicates = (int)below(2);
      k.in_place = (int)below(2), k.device_alpha = (int)below(2), k.setup = any_setup();
      one_case(k, (enum Shape)below(SHAPES), SIZES[below(COUNT(SIZES))], a);
    }
}

/* Sizes at which a GPU has wide levels and narrow ones, tiles, long rows and columns. */
static void large(void) {
  static const enum Shape LARGE[] = {GRID,     RANDOM,     EMPTY_ROWS, DIAGONALS, NODES, TAIL,
                                     DENSE_ROW, DENSE_COLUMN, DENSE_END, CHAIN,     BAND,  IRREGULAR};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 2 * COUNT(LARGE); i++) {
      enum Shape shape = LARGE[i / 2];
      int op = (int)below(3);
      /* Once where the rows of op(A) are stored, once where they are not. */
      Kind k = {.type = TYPES[below(4)], .op = op, .fill = (int)below(2), .diag = below(3) ? 0 : (int)below(3),
                .format = i % 2 ? op != 0 : !op, .base = (int)below(2), .wide = (int)below(3), .unsorted = shape == RANDOM,
                .full = (int)below(2), .duplicates = shape == EMPTY_ROWS, .in_place = (int)below(2), .setup = any_setup()};
      int64_t n = shape == NODES || shape == TAIL || shape == CHAIN ? 12000 : 40000 + below(20000);
      one_case(k, shape, T.on_gpu ? n : n / 4, a);
    }
}

/* The next nodes that are drawn have b unknowns. */
static void aim_for_nodes_of(int64_t b) {
  uint64_t state;
  do state = rng_state;
  while (2 + below(5) != b);
  rng_state = state;
}

/* Nodes of every size, for the algorithms that solve by nodes or know them. */
static void nodes_of_every_size(void) {
  static const sptrsvAlgorithm_t BY_NODES[] = {SPTRSV_ALG_NODAL, SPTRSV_ALG_TILED, SPTRSV_ALG_AUTO, SPTRSV_ALG_ONE_WORD};
  for (int a = 0; a < COUNT(BY_NODES); a++)
    for (int b = 2; b <= 6; b++)
      for (int i = 0; i < 4 * 3 * 2; i++) {
        Kind k = {.type = TYPES[i % 4], .op = i / 4 % 3, .format = i / 12, .fill = (int)below(2), .base = (int)below(2),
                  .wide = (int)below(3), .full = (int)below(2), .setup = any_setup()};
        aim_for_nodes_of(b);
        one_case(k, NODES, i % 4 ? 120 : 6000, place_of(BY_NODES[a]));
      }
}

/* Several right-hand sides: each column has the bits of its single solve, without any array. */
static void several_right_hand_sides(void) {
  enum { COLUMNS = 5 };
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4 * 3 * 2; i++) {
      Kind k = {.type = TYPES[i % 4], .op = i / 4 % 3, .format = i / 12, .fill = (int)below(2), .setup = any_setup()};
      Problem p = make_problem(k, below(2) ? GRID : NODES, M);
      System s;
      if (opened(&s, &p, a)) {
        char *x = malloc(COLUMNS * s.bytes), *single = malloc(s.bytes);
        for (int c = 0; c < COLUMNS; c++) memcpy(x + (size_t)c * s.bytes, p.f, s.bytes);
        void *df = mem_copy(x, COLUMNS * s.bytes), *dx = mem_new(COLUMNS * s.bytes);
        analyse_all(&s);
        for (int round = 0; round < 2; round++) {
          CHECK_OK(solve_columns(&s, COLUMNS, df, dx));
          mem_get(x, dx, COLUMNS * s.bytes);
          solves_right(&s, single, "beside several right-hand sides");
          columns_are_right(&s, a, COLUMNS, x, single);
          replace_values(&s, &p);
          replace_diagonal(&s, &p);
        }
        mem_free(df), mem_free(dx), free(x), free(single);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* ----------------------------------------------------------------------------- operations and analyses */

/* One analysis, one update of values and one of the diagonal serve every operation. */
static void any_operation(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < FORMAT_KINDS; i++) {
      Kind k = format_kind(i);
      Problem p = make_problem(k, (enum Shape)below(SHAPES), i % 8 ? M : 3000);
      System s;
      if (opened(&s, &p, a)) {
        int exact = ALGS[a].deterministic, first = (int)below(3);
        char *x[3] = {malloc(s.bytes), malloc(s.bytes), malloc(s.bytes)};
        CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
        analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
        CHECK_OK(update(&s));
        for (p.k.op = 0; p.k.op < 3; p.k.op++) solves_right(&s, x[p.k.op], "any operation, no copy of all values");
        p.k.op = k.op;
        analyse_all(&s);
        for (int j = 0; j < 3; j++) p.k.op = (first + j) % 3, solves_again(&s, x[p.k.op], exact, "any operation");
        replace_values(&s, &p);
        for (p.k.op = 0; p.k.op < 3; p.k.op++) solves_right(&s, x[p.k.op], "any operation, other values");
        int replaced = replace_diagonal(&s, &p);
        for (p.k.op = 0; p.k.op < 3; p.k.op++) {
          if (replaced) solves_right(&s, x[p.k.op], "any operation, another diagonal");
          solves_again(&s, x[p.k.op], exact, "any operation, once more");
        }
        for (int op = 0; op < 3; op++) free(x[op]);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* One info, analysed with one mode after the other: each says what solves read and which updates are taken. */
static void modes_in_any_order(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4 * 3 * 2; i++) {
      Kind k = {.type = TYPES[i % 4], .op = i / 4 % 3, .format = i / 12, .fill = (int)below(2), .full = 1, .setup = any_setup()};
      Problem p = make_problem(k, (enum Shape)below(SHAPES), M);
      System s;
      if (opened(&s, &p, a)) {
        char *x = malloc(s.bytes);
        void *d = mem_copy(p.diag, s.bytes);
        for (int step = 0; step < 8; step++) {
          sptrsvCopyValues_t mode = (sptrsvCopyValues_t)below(3);
          change(&s, &p);
          analyse_for(&s, mode);
          if (mode == SPTRSV_COPY_WHERE_FASTER) is_refused(&s, "sptrsvUpdateValues");
          if (mode != SPTRSV_COPY_ALL) {
            CHECK_STATUS(update(&s), mode == SPTRSV_COPY_NONE ? SPTRSV_STATUS_INVALID_VALUE : SPTRSV_STATUS_SUCCESS);
            CHECK_STATUS(sptrsvUpdateDiagonal(s.h, s.info, d), SPTRSV_STATUS_INVALID_VALUE);
            CHECK_MESSAGE(ALL_WORD);
            solves_right(&s, x, "a copy of all values is not wanted");
          } else {
            spoil(&s);
            solves_right(&s, x, "a copy of all values is wanted");
            replace_values(&s, &p);
            replace_diagonal(&s, &p);
            solves_right(&s, x, "a copy of all values is wanted, others");
          }
        }
        mem_free(d), free(x);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* The copy goes with its analysis: an info for another matrix has that one's values. */
static void another_matrix(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 24; i++) {
      Problem p = make_problem(format_kind((int)below(FORMAT_KINDS)), (enum Shape)below(SHAPES), 1 + below(M));
      Problem q = make_problem(format_kind((int)below(FORMAT_KINDS)), (enum Shape)below(SHAPES), 1 + below(2 * M));
      System s, t;
      char x[2 * M * 16];
      int ok = opened(&s, &p, a);
      if (opened(&t, &q, a) && ok) {
        sptrsvInfo_t own = t.info;
        analyse_all(&s);
        solves_right(&s, x, "the first matrix");
        t.info = s.info;
        CHECK_OK(sptrsvSetAnalysisMode(t.info, (sptrsvAnalysisMode_t)q.k.setup));
        CHECK_OK(sptrsvSetDiagonal(t.info, q.k.diag == SEPARATE_DIAGONAL ? t.diag : NULL));
        CHECK_OK(make_buffer(&t));
        analyse_all(&t);
        solves_right(&t, x, "the second matrix");
        replace_values(&t, &q);
        solves_right(&t, x, "the second matrix, other values");
        t.info = own;
      }
      close_system(&s), close_system(&t);
      free_problem(&p), free_problem(&q);
    }
}

/* No rows, rows without any entry, and entries none of which a solve reads. */
static void nothing_to_copy(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 3 * 3 * 3 * 2; i++) {
      Kind k = {.type = SPTRSV_R_64F, .op = i % 3, .diag = i / 3 % 3, .format = i / 27, .setup = any_setup()};
      int64_t n = i / 9 % 3 * 2;
      int entries = below(2) && n > 0 && k.diag == SPTRSV_DIAG_TYPE_UNIT;
      Entries list = {0};
      if (entries) push(&list, 0, 1, CMPLXL(NAN, NAN));
      Problem p = pack(k, n, list);
      System s;
      char x[64];
      if (opened(&s, &p, a)) {
        analyse_all(&s);
        CHECK_STATUS(sptrsvUpdateValues(s.h, s.info, NULL), entries ? SPTRSV_STATUS_INVALID_VALUE : SPTRSV_STATUS_SUCCESS);
        int takes_null = !k.diag && !n;
        CHECK_STATUS(sptrsvUpdateDiagonal(s.h, s.info, NULL), takes_null ? SPTRSV_STATUS_SUCCESS : SPTRSV_STATUS_INVALID_VALUE);
        if (!k.diag) {
          CHECK_OK(sptrsvUpdateDiagonal(s.h, s.info, s.diag));
          CHECK_OK(solve(&s, x));
          pivot_is(&s, n ? 0 : -1, "no entries");
        } else {
          solves_right(&s, x, "nothing to copy");
        }
        CHECK(stats_of(&s).missing_diagonal == (k.diag || !n ? -1 : 0));
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* The copy is counted: where values are put into the order of the solve as after WHERE_FASTER, else a value for each entry of A,
 * for each operation. All else is as before. */
static void figures(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4 * 3 * 2 * 2; i++) {
      Kind k = {.type = TYPES[i % 4], .op = i / 4 % 3, .format = i / 12 % 2, .fill = (int)below(2), .full = 1, .setup = any_setup()};
      Problem p = make_problem(k, GRID, 5000);
      System s;
      int any = i / 24;
      if (opened(&s, &p, a)) {
        CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, any));
        analyse_for(&s, any || reads_copy(&k, a) ? SPTRSV_COPY_WHERE_FASTER : SPTRSV_COPY_NONE);
        sptrsvStats_t alone = stats_of(&s);
        analyse_for(&s, SPTRSV_COPY_ALL);
        sptrsvStats_t all = stats_of(&s);
        Kind other = {.op = !k.op, .format = k.format};
        int64_t copies = !reads_copy(&k, a) + (any && !reads_copy(&other, a)), values = copies * (int64_t)value_bytes(&s);
        int64_t more = all.bytes_held - alone.bytes_held;
        CHECK_THAT(more >= values && more <= values + copies * 512,
                   "%s: %" PRId64 " bytes more for %" PRId64 " bytes of values (%s, any operation %d)", s.algorithm, more, values,
                   kind_text(&k), any);
        CHECK_THAT(all.levels == alone.levels && all.widest_level == alone.widest_level && all.rows == alone.rows &&
                       all.entries_used == alone.entries_used && all.setup == alone.setup && all.algorithm == alone.algorithm,
                   "%s: other figures with a copy of all values (%s)", s.algorithm, kind_text(&k));
        CHECK_OK(update(&s));
        CHECK(stats_of(&s).bytes_held == all.bytes_held);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* An analysis that is refused (no values to copy, a malformed pattern) leaves the info as it was, and its values too. */
static void analyses_that_are_refused(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 3 * 2 * 2; i++) {
      Kind k = {.type = TYPES[below(4)], .op = i % 3, .format = i / 3 % 2, .fill = (int)below(2), .setup = any_setup()};
      Problem p = make_problem(k, GRID, M);
      System s;
      char x[M * 16];
      int copied = i / 6;
      if (opened(&s, &p, a)) {
        analyse_for(&s, copied ? SPTRSV_COPY_ALL : SPTRSV_COPY_NONE);
        solves_right(&s, x, "before an analysis that is refused");
        int64_t held = stats_of(&s).bytes_held;
        CHECK_OK(sptrsvSetCopyValues(s.info, SPTRSV_COPY_ALL));
        CHECK_STATUS(analyse_values(&s, NULL), SPTRSV_STATUS_INVALID_VALUE);
        CHECK_MESSAGE("val");
        mem_fill(s.ptr, 0xff, ptr_bytes(&s));
        CHECK_STATUS(analyse_values(&s, s.val), SPTRSV_STATUS_INVALID_MATRIX);
        if (copied) spoil(&s), CHECK_STATUS(update(&s), SPTRSV_STATUS_SUCCESS), mend(&s), CHECK_OK(update(&s));
        if (copied) free_arrays(&s);
        if (copied) CHECK_STATUS(sptrsvUpdateValues(s.h, s.info, NULL), SPTRSV_STATUS_INVALID_VALUE);
        CHECK(stats_of(&s).bytes_held == held);
        solves_again(&s, x, ALGS[a].deterministic, "after an analysis that was refused");
        if (!copied) CHECK_STATUS(sptrsvUpdateDiagonal(s.h, s.info, s.diag), SPTRSV_STATUS_INVALID_VALUE);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* A handle of the other executor, whose memory it is not. */
static void another_executor(void) {
  sptrsvHandle_t host;
  CHECK_OK(sptrsvCreateWithExecutor(&host, SPTRSV_EXECUTOR_HOST));
  for (int op = 0; op < 2; op++) {
    Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .op = op}, RANDOM, M);
    System s;
    char x[M * 16];
    if (opened(&s, &p, 0)) {
      analyse_all(&s);
      CHECK_STATUS(sptrsvUpdateValues(host, s.info, p.val), SPTRSV_STATUS_PATTERN_MISMATCH);
      CHECK_STATUS(sptrsvUpdateDiagonal(host, s.info, p.diag), SPTRSV_STATUS_PATTERN_MISMATCH);
      solves_right(&s, x, "after updates by another executor");
    }
    close_system(&s);
    free_problem(&p);
  }
  CHECK_OK(sptrsvDestroy(host));
}

/* ------------------------------------------------------------------------------------ streams and graphs */

/* The calls return while the stream is held. They copy what the arrays hold when the stream comes to them: not what is there at the
 * call, nor what comes later. */
static void updates_in_stream_order(System *s, Problem *p, cudaStream_t stream) {
  Gate gate = {0, 0};
  change_problem(p);
  void *good = mem_copy(p->val, value_bytes(s)), *val = mem_new(value_bytes(s)), *d = random_diagonal(p);
  put_whole_diagonal(p, d);
  void *good_d = mem_copy(d, s->bytes), *given = mem_new(s->bytes);
  mem_fill(val, 0xff, value_bytes(s)), mem_fill(given, 0xff, s->bytes);
  CUDA(cudaLaunchHostFunc(stream, hold, &gate));
  CUDA(cudaMemcpyAsync(val, good, value_bytes(s), cudaMemcpyDeviceToDevice, stream));
  CHECK_OK(sptrsvUpdateValues(s->h, s->info, val));
  CUDA(cudaMemsetAsync(val, 0xff, value_bytes(s), stream));
  CUDA(cudaMemcpyAsync(given, good_d, s->bytes, cudaMemcpyDeviceToDevice, stream));
  CHECK_OK(sptrsvUpdateDiagonal(s->h, s->info, given));
  CUDA(cudaMemsetAsync(given, 0xff, s->bytes, stream));
  CHECK_OK(solve_from(s, s->f, s->x));
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  cudaGetLastError(); /* "not ready" is no error */
  atomic_store(&gate.open, 1);
  CUDA(cudaStreamSynchronize(stream));
  CHECK_THAT(!atomic_load(&gate.waited_in_vain), "%s: a call waited for its stream", s->algorithm);
  void *x = malloc(s->bytes);
  mem_get(x, s->x, s->bytes);
  long double worst = worst_error(p, p->alpha, p->f, x);
  CHECK_THAT(worst <= 1, "%s (%s): error / bound = %Lg", s->algorithm, kind_text(&p->k), worst);
  mem_free(good), mem_free(val), mem_free(good_d), mem_free(given), free(d), free(x);
}

static void CUDART_CB rest(void *argument) {
  (void)argument;
  usleep(3000);
}

/* The analysis takes the values that the stream brings before it, and has them when it returns. */
static void an_analysis_in_stream_order(System *s, cudaStream_t stream) {
  void *good = mem_copy(s->p->val, value_bytes(s)), *x = malloc(s->bytes);
  spoil(s);
  CHECK_OK(sptrsvSetCopyValues(s->info, SPTRSV_COPY_ALL));
  CUDA(cudaLaunchHostFunc(stream, rest, NULL));
  CUDA(cudaMemcpyAsync(s->val, good, value_bytes(s), cudaMemcpyDeviceToDevice, stream));
  CHECK_OK(analyse_values(s, s->val));
  free_arrays(s);
  solves_right(s, x, "values that come on the stream");
  mem_free(good), free(x);
}

static void in_stream_order(void) {
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4 * 3; i++) {
      Kind k = {.type = TYPES[i % 4], .op = i / 4, .format = (int)below(2), .setup = any_setup()};
      Problem p = make_problem(k, below(2) ? GRID : NODES, 3000);
      System s;
      CHECK_OK(sptrsvSetStream(T.h, stream));
      if (opened(&s, &p, a)) {
        an_analysis_in_stream_order(&s, stream);
        updates_in_stream_order(&s, &p, stream);
      }
      CHECK_OK(sptrsvSetStream(T.h, NULL));
      close_system(&s);
      free_problem(&p);
    }
  CUDA(cudaStreamDestroy(stream));
}

/* A graph of both updates and solves with every operation: NULL if it could not be captured. */
static cudaGraphExec_t capture(System *s, Problem *p, cudaStream_t stream, void *val, void *diag, void **dx) {
  cudaGraph_t graph = NULL;
  cudaGraphExec_t exec = NULL;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  sptrsvStatus_t status = sptrsvUpdateValues(s->h, s->info, val);
  if (!status) status = sptrsvUpdateDiagonal(s->h, s->info, diag);
  for (p->k.op = 0; p->k.op < 3 && !status; p->k.op++) status = solve_from(s, s->f, dx[p->k.op]);
  cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();
  if (CHECK_THAT(!status && ended == cudaSuccess && graph, "%s: capture: %s, \"%s\", %s", s->algorithm,
                 sptrsvGetErrorName(status), sptrsvGetLastErrorString(), cudaGetErrorString(ended)))
    CUDA(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  if (graph) CUDA(cudaGraphDestroy(graph));
  return exec;
}

/* Each replay copies what the arrays hold then. The strictest capture mode also forbids the library every allocation and
 * synchronisation, at the first update of an info too. */
static void replays(System *s, Problem *p, cudaStream_t stream) {
  void *val = mem_new(value_bytes(s)), *diag = mem_new(s->bytes), *dx[3], *x = malloc(s->bytes);
  for (int op = 0; op < 3; op++) dx[op] = mem_new(s->bytes);
  cudaGraphExec_t exec = capture(s, p, stream, val, diag, dx);
  for (int round = 0; round < 3 && exec; round++) {
    void *d = random_diagonal(p);
    change_problem(p);
    mem_put(val, p->val, value_bytes(s)), mem_put(diag, d, s->bytes);
    put_whole_diagonal(p, d);
    free(d);
    for (int op = 0; op < 3; op++) mem_fill(dx[op], 0xff, s->bytes);
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (p->k.op = 0; p->k.op < 3; p->k.op++) {
      mem_get(x, dx[p->k.op], s->bytes);
      long double worst = worst_error(p, p->alpha, p->f, x);
      CHECK_THAT(worst <= 1, "%s, replay %d (%s): error / bound = %Lg", s->algorithm, round, kind_text(&p->k), worst);
    }
  }
  /* Outside of the graph solves read what its last launch has copied. */
  for (p->k.op = 0; p->k.op < 3 && exec; p->k.op++) solves_right(s, x, "after a graph");
  if (exec) CUDA(cudaGraphExecDestroy(exec));
  for (int op = 0; op < 3; op++) mem_free(dx[op]);
  mem_free(val), mem_free(diag), free(x);
}

static void updates_in_a_graph(void) {
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4 * 2; i++) {
      Problem p = make_problem((Kind){.type = TYPES[i % 4], .op = (int)below(3), .format = i / 4}, below(2) ? GRID : NODES, 2000);
      System s;
      CHECK_OK(sptrsvSetStream(T.h, stream));
      if (opened(&s, &p, a)) {
        CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
        analyse_all(&s);
        replays(&s, &p, stream);
      }
      CHECK_OK(sptrsvSetStream(T.h, NULL));
      close_system(&s);
      free_problem(&p);
    }
  CUDA(cudaStreamDestroy(stream));
}

int main(int argc, char **argv) {
  check_begin("test_all_values", argc, argv);
  /* First, so that no kernel of an update has been loaded before a graph has it. */
  RUN_ON_GPU(updates_in_a_graph);
  RUN_ON_GPU(in_stream_order);
  RUN(nothing_to_copy);
  RUN(figures);
  RUN(analyses_that_are_refused);
  RUN(another_matrix);
  RUN(modes_in_any_order);
  RUN(several_right_hand_sides);
  RUN(any_operation);
  RUN(nodes_of_every_size);
  RUN(every_kind_and_algorithm);
  RUN(large);
  RUN_ON_GPU(another_executor);
  return check_end();
}
