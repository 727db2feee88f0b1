/*
 * sptrsvSolveMulti: any number of right-hand sides, leading dimensions, in place; each column by the same
 * rule as a single solve, with the same bits where the algorithm is deterministic, and what lies between the
 * columns and around the buffer untouched; pivots, NaN, the watchdog, graphs. And sptrsvSolveMultiRowMajor.
 */
#include "fence.h"

/* Every remainder of a GPU's passes of 2, 4 and 8 right-hand sides, and a few larger counts. */
static const int NRHS[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 17, 31, 33, 64};

typedef sptrsvStatus_t SolveMulti(sptrsvHandle_t, sptrsvOperation_t, int64_t, int64_t, int64_t, const void *,
                                  sptrsvConstMatDescr_t, sptrsvDataType_t, const void *, const void *, const void *,
                                  sptrsvInfo_t, const void *, int64_t, void *, int64_t, sptrsvSolvePolicy_t, void *);

static sptrsvStatus_t solve_by(SolveMulti *f_of, System *s, int64_t nrhs, const void *f, int64_t ldf, void *x,
                               int64_t ldx) {
  const Problem *p = s->p;
  sptrsvSetPointerMode(s->h, (sptrsvPointerMode_t)p->k.device_alpha);
  sptrsvStatus_t status =
      f_of(s->h, (sptrsvOperation_t)p->k.op, p->n, p->nnz, nrhs, p->k.device_alpha ? s->alpha : s->alpha_host, s->d,
           (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->info, f, ldf, x, ldx, s->policy, s->buffer);
  return host_mode_again(s, status);
}

static sptrsvStatus_t solve_multi(System *s, int64_t nrhs, const void *f, int64_t ldf, void *x, int64_t ldx) {
  return solve_by(sptrsvSolveMulti, s, nrhs, f, ldf, x, ldx);
}

/* From columns, `ld` values apart, to rows, `rows_ld` apart, or back. */
static void turn(const System *s, int64_t nrhs, char *columns, int64_t ld, char *rows, int64_t rows_ld, int back) {
  for (int64_t i = 0; i < s->p->n; i++)
    for (int64_t c = 0; c < nrhs; c++) {
      char *column = columns + (size_t)(c * ld + i) * s->vs, *row = rows + (size_t)(i * rows_ld + c) * s->vs;
      memcpy(back ? column : row, back ? row : column, s->vs);
    }
}

/* The same by rows: status, and x by columns; what lies between rows is left alone. */
static sptrsvStatus_t solve_rows(System *s, int64_t nrhs, char *f, int64_t ldf, char *x, int64_t ldx, int *padding) {
  int64_t n = s->p->n, in = nrhs + below(3), out = s->p->k.in_place ? in : nrhs + below(3);
  size_t vs = s->vs, fbytes = (size_t)(in * n) * vs, xbytes = (size_t)(out * n) * vs;
  char *rows = malloc(fbytes + xbytes + 1);
  memset(rows, GUARD, fbytes + xbytes);
  turn(s, nrhs, f, ldf, rows, in, 0);
  void *df = mem_copy(rows, fbytes), *dx = s->p->k.in_place ? df : mem_new(xbytes);
  if (dx != df) mem_fill(dx, GUARD, xbytes);
  sptrsvStatus_t status = solve_by(sptrsvSolveMultiRowMajor, s, nrhs, df, in, dx, out);
  mem_get(rows, dx, xbytes);
  turn(s, nrhs, x, ldx, rows, out, 1);
  for (int64_t i = 0; i < n; i++)
    for (size_t b = (size_t)(i * out + nrhs) * vs; b < (size_t)((i + 1) * out) * vs; b++) *padding &= rows[b] == GUARD;
  if (dx != df) mem_free(dx);
  mem_free(df);
  free(rows);
  return status;
}

/* One call with several right-hand sides, then its columns one by one: a deterministic algorithm gives each
 * the bits that it has alone. */
static void check_columns(System *s, int64_t nrhs, int a) {
  const Problem *p = s->p;
  const Kind *k = &p->k;
  int64_t n = p->n, ldf = n + below(3) * 5, ldx = k->in_place ? ldf : n + below(3) * 3, worst_column = 0, differs = -1;
  size_t vs = s->vs, fbytes = (size_t)(ldf * nrhs) * vs, xbytes = (size_t)(ldx * nrhs) * vs;
  char *f = malloc(fbytes + 1), *x = malloc(xbytes + 1), *single = malloc(s->bytes + 1);
  memset(f, GUARD, fbytes);
  for (int64_t c = 0; c < nrhs; c++)
    for (int64_t i = 0; i < n; i++) put(k->type, f, c * ldf + i, random_num(1));
  void *df = mem_copy(f, fbytes), *dx = k->in_place ? df : mem_new(xbytes);
  if (!k->in_place) mem_fill(dx, GUARD, xbytes);
  Fence around = fence(s);
  int by_rows = below(3) == 0, padding = 1;
  sptrsvStatus_t status;
  if (by_rows) {
    memset(x, GUARD, xbytes);
    status = solve_rows(s, nrhs, f, ldf, x, ldx, &padding);
  } else {
    status = solve_multi(s, nrhs, df, ldf, dx, ldx);
    mem_get(x, dx, xbytes);
  }
  int fenced = unfence(s, &around);
  long double worst = 0;
  for (int64_t c = 0; c < nrhs; c++) {
    long double e = worst_error(p, p->alpha, f + (size_t)(c * ldf) * vs, x + (size_t)(c * ldx) * vs);
    if (e > worst) worst = e, worst_column = c;
    for (size_t b = (size_t)(c * ldx + n) * vs; b < (size_t)((c + 1) * ldx) * vs; b++) padding &= x[b] == GUARD;
  }
  if (status == SPTRSV_STATUS_NOT_SUPPORTED) {
    T.unsupported++;
  } else {
    CHECK_THAT(!status && worst <= 1 && padding && fenced,
               "%s: n = %" PRId64 ", nrhs %" PRId64 ", ldf %" PRId64 ", ldx %" PRId64
               ", %s: %s, error / bound = %Lg in column %" PRId64 "%s%s%s",
               ALGS[a].name, n, nrhs, ldf, ldx, kind_text(k), sptrsvGetErrorName(status), worst, worst_column,
               by_rows ? ", by rows" : "", padding ? "" : ", padding between them written", fenced ? "" : ", written outside the buffer");
    long double alone = 0;
    for (int64_t c = 0; c < (ALGS[a].deterministic ? nrhs : nrhs > 0); c++) {
      mem_put(s->f, f + (size_t)(c * ldf) * vs, s->bytes);
      CHECK_OK(solve_from(s, s->f, s->x));
      mem_get(single, s->x, s->bytes);
      if (c == 0) alone = worst_error(p, p->alpha, f, single);
      if (memcmp(single, x + (size_t)(c * ldx) * vs, s->bytes)) differs = c;
    }
    CHECK_THAT(alone <= 1, "%s: a single solve after %" PRId64 " right-hand sides (%s): error / bound = %Lg",
               ALGS[a].name, nrhs, kind_text(k), alone);
    CHECK_THAT(!ALGS[a].deterministic || differs < 0,
               "%s: n = %" PRId64 ", %s: column %" PRId64 " of %" PRId64 " has other bits than its single solve",
               ALGS[a].name, n, kind_text(k), differs, nrhs);
  }
  if (dx != df) mem_free(dx);
  mem_free(df);
  free(f), free(x), free(single);
}

static void one_case(Kind k, enum Shape shape, int64_t n, int64_t nrhs, int a) {
  Problem p = make_problem(k, shape, n);
  System s;
  if (opened(&s, &p, a)) check_columns(&s, nrhs, a);
  close_system(&s);
  free_problem(&p);
}

static Kind kind_of_type(int type) {
  Kind k = random_kind();
  k.type = type, k.setup = SPTRSV_ANALYSIS_MODE_AUTO;
  return k;
}

static void every_count(void) {
  static const int SIZES[] = {1, 2, 9, 17, 33, 257};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int r = 0; r < COUNT(NRHS); r++)
      for (int t = 0; t < COUNT(TYPES); t++)
        for (int i = 0; i < 12; i++) {
          Kind k = kind_of_type(TYPES[t]);
          k.op = i % 3, k.fill = i / 3 % 2, k.format = i / 6;
          one_case(k, (enum Shape)below(SHAPES), SIZES[below(COUNT(SIZES))], NRHS[r], a);
        }
}

/* One analysis serves any sequence of counts, one right-hand side among them. */
static void one_info(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++)
      for (int shape = 0; shape < SHAPES; shape++) {
        Problem p = make_problem(kind_of_type(TYPES[t]), (enum Shape)shape, 300);
        System s;
        if (opened(&s, &p, a))
          for (int i = 0; i < 8; i++) check_columns(&s, 1 + below(10), a);
        close_system(&s);
        free_problem(&p);
      }
}

/* How many right-hand sides are announced, in order. On a GPU each of them wants a larger buffer than the one before, up to 64. */
static const int64_t ANNOUNCED[] = {1, 2, 15, 16, 1000, INT64_MAX};

static int rank_of(int64_t announced) {
  int rank = 0;
  while (ANNOUNCED[rank] < announced) rank++;
  return rank;
}

/* The buffer's size is the one for so many, where that is known, and no smaller than that for fewer. */
static void has_size(const System *s, size_t *known, int rank) {
  if (!known[rank]) known[rank] = s->buffer_bytes;
  CHECK_THAT(s->buffer_bytes == known[rank], "%s: %zu bytes for %" PRId64 " right-hand sides, not %zu", s->algorithm,
             s->buffer_bytes, ANNOUNCED[rank], known[rank]);
  for (int fewer = 0; fewer < rank; fewer++) {
    int is_larger = fewer == 0 || (T.on_gpu && ANNOUNCED[fewer] < 64);
    CHECK(!known[fewer] || (is_larger ? known[rank] > known[fewer] : known[rank] == known[fewer]));
  }
}

/* With the analysis for more that there is, whose algorithm may want less than that of AUTO's choice that wants most. */
static void has_size_between(const System *s, const size_t *known, int rank, int last) {
  size_t least = known[rank] ? known[rank] : known[0];
  CHECK_THAT(s->buffer_bytes >= least && s->buffer_bytes <= known[last],
             "%s: %zu bytes for %" PRId64 " right-hand sides behind %" PRId64 ", not %zu to %zu", s->algorithm,
             s->buffer_bytes, ANNOUNCED[rank], ANNOUNCED[last], least, known[last]);
}

/* Announces so many right-hand sides; the buffer serves the analysis that there is, and the next one. */
static void announce(System *s, int64_t announced, size_t *known, int *last, sptrsvAlgorithm_t few) {
  static const int64_t BAD[] = {0, -1, INT64_MIN};
  const Problem *p = s->p;
  int rank = rank_of(announced), is_many = T.on_gpu && announced >= 16;
  int64_t nrhs = -77;
  sptrsvAlgorithm_t in_use;
  CHECK_OK(sptrsvSetExpectedRightHandSides(s->info, announced));
  for (int b = 0; b < COUNT(BAD); b++) CHECK_STATUS(sptrsvSetExpectedRightHandSides(s->info, BAD[b]), SPTRSV_STATUS_INVALID_VALUE);
  CHECK(sptrsvGetExpectedRightHandSides(s->info, &nrhs) == SPTRSV_STATUS_SUCCESS && nrhs == announced);
  if (is_many && ANNOUNCED[*last] < 16) {
    CHECK_STATUS(analyse(s), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("a larger buffer is wanted");
  }
  CHECK_OK(make_buffer(s));
  if (rank >= *last)
    has_size(s, known, rank);
  else
    has_size_between(s, known, rank, *last);
  /* One for another type changes nothing. */
  size_t other;
  CHECK_OK(sptrsvBufferSize(s->h, (sptrsvOperation_t)p->k.op, p->n, p->nnz, s->d,
                            p->k.type == SPTRSV_R_64F ? SPTRSV_C_32F : SPTRSV_R_64F, s->val, s->ptr, s->ind, s->info, &other));
  check_columns(s, 17, 0);
  CHECK_OK(analyse(s));
  CHECK_OK(make_buffer(s));
  has_size(s, known, rank);
  CHECK(sptrsvGetAlgorithm(s->info, &in_use) == SPTRSV_STATUS_SUCCESS && (in_use == few || (is_many && in_use == SPTRSV_ALG_BLOCK)));
  check_columns(s, 1, 0);
  check_columns(s, 16 + below(30), 0);
  *last = rank;
}

/* AUTO goes by how many right-hand sides there will be, if it is told before the buffer's size is asked for. */
static void how_many_there_will_be(void) {
  static const int64_t COUNTS[] = {15, 16, 2, 1000, 1, INT64_MAX};
  for (int t = 0; t < COUNT(TYPES); t++) {
    Problem p = make_problem(kind_of_type(TYPES[t]), GRID, 400);
    System s;
    int64_t nrhs = -77;
    CHECK_STATUS(sptrsvSetExpectedRightHandSides(NULL, 1), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_STATUS(sptrsvGetExpectedRightHandSides(NULL, &nrhs), SPTRSV_STATUS_INVALID_VALUE);
    CHECK(nrhs == -77);
    if (opened(&s, &p, 0)) {
      size_t known[COUNT(ANNOUNCED)] = {s.buffer_bytes};
      int last = 0;
      sptrsvAlgorithm_t few;
      CHECK_STATUS(sptrsvGetExpectedRightHandSides(s.info, NULL), SPTRSV_STATUS_INVALID_VALUE);
      CHECK(sptrsvGetExpectedRightHandSides(s.info, &nrhs) == SPTRSV_STATUS_SUCCESS && nrhs == 1);
      CHECK_OK(sptrsvGetAlgorithm(s.info, &few));
      for (int i = 0; i < COUNT(COUNTS); i++) announce(&s, COUNTS[i], known, &last, few);
      /* One that is asked for by name is taken for any number. */
      sptrsvAlgorithm_t in_use;
      CHECK_OK(set_algorithm(&s, SPTRSV_ALG_SLFR));
      CHECK_OK(analyse(&s));
      CHECK_OK(make_buffer(&s));
      CHECK(sptrsvGetAlgorithm(s.info, &in_use) == SPTRSV_STATUS_SUCCESS && in_use == SPTRSV_ALG_SLFR);
    }
    close_system(&s);
    free_problem(&p);
  }
}

/* Where many are announced, groups of columns go beside each other. */
static void in_groups(void) {
  static const sptrsvAlgorithm_t IN_GROUPS[] = {SPTRSV_ALG_AUTO, SPTRSV_ALG_TILED, SPTRSV_ALG_NODAL, SPTRSV_ALG_BLOCK};
  for (int a = 0; a < COUNT(ALGS); a++) {
    int has_groups = 0;
    for (int g = 0; g < COUNT(IN_GROUPS); g++) has_groups |= ALGS[a].id == IN_GROUPS[g];
    for (int t = 0; has_groups && t < COUNT(TYPES); t++)
      for (int shape = 0; shape < SHAPES; shape++) {
        Problem p = make_problem(kind_of_type(TYPES[t]), (enum Shape)shape, 700);
        System s;
        if (opened(&s, &p, a)) {
          int64_t announced = 5 + below(80);
          CHECK_OK(sptrsvSetExpectedRightHandSides(s.info, announced));
          CHECK_OK(make_buffer(&s));
          CHECK_OK(analyse(&s));
          for (int i = 0; i < 3; i++) check_columns(&s, 2 + below(announced + 10), a);
        }
        close_system(&s);
        free_problem(&p);
      }
  }
}

/* The engines of both operations may be different ones, which want other places in the buffer. */
static void of_either_operation(void) {
  static const int64_t SIZES[] = {700, 8000};
  for (int shape = 0; shape < SHAPES; shape++)
    for (int i = 0; i < COUNT(SIZES); i++) {
      Problem p = make_problem(kind_of_type(TYPES[(shape + i) % COUNT(TYPES)]), (enum Shape)shape, SIZES[i]);
      System s;
      if (opened(&s, &p, 0)) {
        int64_t announced = 16 + below(15);
        CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
        CHECK_OK(sptrsvSetExpectedRightHandSides(s.info, announced));
        CHECK_OK(make_buffer(&s));
        CHECK_OK(analyse(&s));
        for (p.k.op = 0; p.k.op < 3; p.k.op++) check_columns(&s, announced, 0);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* Levels of many warps; rows that a whole warp works on; the whole GPU at once. */
static void large(void) {
  static const enum Shape SHAPE[] = {GRID, RANDOM, DENSE_ROW, EMPTY_ROWS};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++)
      for (int i = 0; i < 2; i++) one_case(kind_of_type(TYPES[t]), SHAPE[(2 * t + i) & 3], 10000, 5 + 6 * i, a);
  for (int t = 0; t < COUNT(TYPES); t++) one_case((Kind){.type = TYPES[t]}, GRID, 100000, 9, 0);
}

/* NaN in one right-hand side, of the bits with which memory is often marked, stays in its column. */
static void not_a_number_stays_in_its_column(void) {
  enum { N = 500, COLUMNS = 7, BAD = 2 };
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      Problem p = make_problem((Kind){.type = TYPES[t]}, CHAIN, N);
      System s;
      if (opened(&s, &p, a)) {
        char *f = malloc(COLUMNS * s.bytes), *x = malloc(COLUMNS * s.bytes);
        for (int c = 0; c < COLUMNS; c++) memcpy(f + (size_t)c * s.bytes, p.f, s.bytes);
        memset(f + BAD * s.bytes, 0xff, s.bytes);
        void *both = mem_copy(f, COLUMNS * s.bytes);
        CHECK_OK(solve_multi(&s, COLUMNS, both, N, both, N));
        mem_get(x, both, COLUMNS * s.bytes);
        for (int c = 0; c < COLUMNS; c++) {
          const char *column = x + (size_t)c * s.bytes;
          int64_t nans = 0;
          for (int64_t i = 0; i < N; i++) nans += nan_num(get(TYPES[t], column, i));
          CHECK_THAT(c == BAD ? nans == N : nans == 0 && worst_error(&p, p.alpha, p.f, column) <= 1,
                     "%s: NaN in column %d: column %d has %" PRId64 " NaN", ALGS[a].name, BAD, c, nans);
        }
        mem_free(both);
        free(f), free(x);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* Columns farther apart than 32 bits count. */
static void far_columns(void) {
  enum { N = 100, COLUMNS = 3 };
  const int64_t ld = ((int64_t)1 << 31) + 3;
  const size_t bytes = (size_t)(2 * ld + N) * sizeof(float);
  Problem p = make_problem((Kind){.type = SPTRSV_R_32F, .in_place = 1}, GRID, N);
  void *columns = NULL;
  if (cudaMalloc(&columns, bytes) != cudaSuccess) {
    cudaGetLastError();
    printf("SKIPPED %s: it needs %zu MB of device memory\n", T.current, bytes >> 20);
    T.skipped++;
  } else {
    for (int a = 0; a < COUNT(ALGS); a++) {
      System s;
      float x[N];
      if (opened(&s, &p, a)) {
        for (int64_t c = 0; c < COLUMNS; c++) mem_put((float *)columns + c * ld, p.f, s.bytes);
        CHECK_OK(solve_multi(&s, COLUMNS, columns, ld, columns, ld));
        for (int64_t c = 0; c < COLUMNS; c++) {
          mem_get(x, (float *)columns + c * ld, s.bytes);
          CHECK_THAT(worst_error(&p, p.alpha, p.f, x) <= 1, "%s: column %" PRId64 " is wrong, ld = %" PRId64,
                     ALGS[a].name, c, ld);
        }
      }
      close_system(&s);
    }
    CUDA(cudaFree(columns));
  }
  free_problem(&p);
}

/* Captured once, replayed with other values. The strictest mode forbids allocation and synchronisation. */
static void in_a_graph(void) {
  enum { N = 2000, COLUMNS = 13 };
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_OK(sptrsvSetStream(T.h, stream));
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      Problem p = make_problem((Kind){.type = TYPES[t], .op = t % 3}, t & 1 ? GRID : RANDOM, N);
      System s;
      if (opened(&s, &p, a)) {
        cudaGraph_t graph = NULL;
        cudaGraphExec_t exec = NULL;
        char *x = malloc(COLUMNS * s.bytes);
        void *df = mem_new(COLUMNS * s.bytes), *dx = mem_new(COLUMNS * s.bytes);
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        sptrsvStatus_t status = solve_multi(&s, COLUMNS, df, N, dx, N);
        cudaError_t ended = cudaStreamEndCapture(stream, &graph);
        cudaGetLastError();
        if (CHECK_THAT(!status && ended == cudaSuccess && graph, "%s: capture: %s, \"%s\", %s", ALGS[a].name,
                       sptrsvGetErrorName(status), sptrsvGetLastErrorString(), cudaGetErrorString(ended))) {
          CUDA(cudaGraphInstantiateWithFlags(&exec, graph, 0));
          for (int round = 0; round < 3; round++) {
            for (int64_t i = 0; i < p.nnz; i++) put(p.k.type, p.val, i, 1.25L * get(p.k.type, p.val, i));
            mem_put(s.val, p.val, (size_t)p.nnz * s.vs);
            for (int c = 0; c < COLUMNS; c++) mem_put((char *)df + (size_t)c * s.bytes, p.f, s.bytes);
            mem_fill(dx, 0xff, COLUMNS * s.bytes);
            CUDA(cudaGraphLaunch(exec, stream));
            /* A single solve between two replays. */
            CHECK_OK(solve_from(&s, s.f, s.x));
            CUDA(cudaStreamSynchronize(stream));
            mem_get(x, dx, COLUMNS * s.bytes);
            long double worst = 0;
            for (int c = 0; c < COLUMNS; c++) {
              long double e = worst_error(&p, p.alpha, p.f, x + (size_t)c * s.bytes);
              if (e > worst) worst = e;
            }
            CHECK_THAT(worst <= 1, "%s: replay %d is wrong (%s), error / bound = %Lg", ALGS[a].name, round,
                       kind_text(&p.k), worst);
            mem_get(x, s.x, s.bytes);
            CHECK_THAT(worst_error(&p, p.alpha, p.f, x) <= 1, "%s: a solve after replay %d is wrong", ALGS[a].name,
                       round);
          }
          CUDA(cudaGraphExecDestroy(exec));
        }
        if (graph) CUDA(cudaGraphDestroy(graph));
        mem_free(df);
        mem_free(dx);
        free(x);
      }
      close_system(&s);
      free_problem(&p);
    }
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  CUDA(cudaStreamDestroy(stream));
}

/* A wait that runs out of time marks the solutions as invalid and is reported once; then all is as before. */
static void watchdog(void) {
  enum { N = 200000, COLUMNS = 6 };
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, CHAIN, N);
  int ended = 0;
  for (int a = 0; a < COUNT(ALGS); a++) {
    if (!ALGS[a].self_scheduled) continue;
    System s;
    if (opened(&s, &p, a)) {
      int64_t row = 0, nans = 0;
      double *x = malloc(COLUMNS * s.bytes);
      void *df = mem_new(COLUMNS * s.bytes), *dx = mem_new(COLUMNS * s.bytes);
      for (int c = 0; c < COLUMNS; c++) mem_put((char *)df + (size_t)c * s.bytes, p.f, s.bytes);
      CHECK_OK(sptrsvSetTimeout(T.h, 1e-9));
      CHECK_OK(solve_multi(&s, COLUMNS, df, N, dx, N));
      sptrsvStatus_t status = sptrsvZeroPivot(T.h, s.info, &row);
      CHECK_OK(sptrsvSetTimeout(T.h, 10));
      mem_get(x, dx, COLUMNS * s.bytes);
      for (int64_t i = 0; i < COLUMNS * p.n; i++) nans += isnan(x[i]);
      ended += status == SPTRSV_STATUS_TIMED_OUT;
      CHECK_THAT(status == SPTRSV_STATUS_TIMED_OUT ? nans > 0 : !status && nans == 0,
                 "%s: %s after a limit of a nanosecond, and %" PRId64 " NaN", ALGS[a].name, sptrsvGetErrorName(status),
                 nans);
      /* The end of the chain has waited for what was given up, in every column of the last pass. */
      if (T.on_gpu && status == SPTRSV_STATUS_TIMED_OUT)
        for (int c = COLUMNS - 2; c < COLUMNS; c++)
          CHECK_THAT(isnan(x[(size_t)c * N + N - 1]), "%s: column %d ends with a number", ALGS[a].name, c);
      CHECK_OK(solve_multi(&s, COLUMNS, df, N, dx, N));
      CHECK_OK(sptrsvZeroPivot(T.h, s.info, &row));
      mem_get(x, dx, COLUMNS * s.bytes);
      long double worst = 0;
      for (int c = 0; c < COLUMNS; c++) {
        long double e = worst_error(&p, p.alpha, p.f, x + (size_t)c * N);
        if (e > worst) worst = e;
      }
      CHECK_THAT(worst <= 1, "%s: after the watchdog: error / bound = %Lg", ALGS[a].name, worst);
      mem_free(df);
      mem_free(dx);
      free(x);
    }
    close_system(&s);
  }
  /* On a GPU a chain of 200,000 cannot be done within the limit. */
  if (T.on_gpu) CHECK(ended > 0);
  free_problem(&p);
}

static void empty_matrix(void) {
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, DIAGONAL, 0);
  System s;
  if (opened(&s, &p, 0)) {
    mem_fill(s.x, GUARD, 16);
    CHECK_OK(solve_multi(&s, 3, s.f, 0, s.x, 0));
    CHECK_OK(solve_multi(&s, 3, s.x, 1, s.x, 2));
    CHECK(mem_is(s.x, GUARD, 16));
  }
  close_system(&s);
  free_problem(&p);
}

/* The pivot of a solve with several right-hand sides is that of the matrix, whichever pass was the last; it
 * goes when the values are good. */
static void zero_pivot(void) {
  static const int COUNTS[] = {1, 2, 3, 4, 5, 8, 9, 17};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      Problem p = make_problem((Kind){.type = TYPES[t], .base = 1}, CHAIN, 20);
      System s;
      if (opened(&s, &p, a)) {
        char *good = malloc((size_t)p.nnz * s.vs);
        void *x = mem_new(17 * s.bytes);
        mem_fill(x, 0, 17 * s.bytes);
        memcpy(good, p.val, (size_t)p.nnz * s.vs);
        for (int64_t i = 0; i < p.nnz; i++)
          if (p.e[i].i == p.e[i].j && p.e[i].i >= 6) put(p.k.type, p.val, i, 0);
        for (int c = 0; c < COUNT(COUNTS); c++) {
          int64_t row = 0;
          mem_put(s.val, p.val, (size_t)p.nnz * s.vs);
          CHECK_OK(solve_multi(&s, COUNTS[c], x, 20, x, 20));
          CHECK_STATUS(sptrsvZeroPivot(T.h, s.info, &row), SPTRSV_STATUS_ZERO_PIVOT);
          CHECK_THAT(row == 7, "%s: zero pivot %" PRId64 " with %d right-hand sides", ALGS[a].name, row, COUNTS[c]);
          mem_put(s.val, good, (size_t)p.nnz * s.vs);
          CHECK_OK(solve_multi(&s, COUNTS[c], x, 20, x, 20));
          CHECK_OK(sptrsvZeroPivot(T.h, s.info, &row));
          CHECK(row == -1);
        }
        mem_free(x);
        free(good);
      }
      close_system(&s);
      free_problem(&p);
    }
}

static void bad_arguments(void) {
  enum { N = 9, LD = 12, RHS = 3 };
  static const struct {
    int64_t nrhs, ldf, ldx;
    const char *word;
  } BAD[] = {{-1, LD, LD, "nrhs"}, {RHS, N - 1, LD, "ldf"}, {RHS, LD, N - 1, "ldx"}, {RHS, -LD, LD, "ldf"},
             {RHS, LD, 0, "ldx"},  {INT64_MIN, LD, LD, "nrhs"}, {RHS, LD, INT64_MIN, "ldx"}};
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, CHAIN, N);
  System s;
  if (opened(&s, &p, 0)) {
    void *f = mem_new(RHS * LD * 8), *x = mem_new(RHS * LD * 8);
    mem_fill(f, 0, RHS * LD * 8);
    mem_fill(x, GUARD, RHS * LD * 8);
    for (int i = 0; i < COUNT(BAD); i++) {
      CHECK_STATUS(solve_multi(&s, BAD[i].nrhs, f, BAD[i].ldf, x, BAD[i].ldx), SPTRSV_STATUS_INVALID_VALUE);
      CHECK_MESSAGE(BAD[i].word);
    }
    CHECK_STATUS(solve_multi(&s, RHS, NULL, LD, x, LD), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("F is");
    CHECK_STATUS(solve_multi(&s, RHS, f, LD, NULL, LD), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("X is");
    CHECK(mem_is(x, GUARD, RHS * LD * 8));
    CHECK_OK(solve_multi(&s, 0, NULL, LD, NULL, LD));
    /* In place with two leading dimensions would overwrite what is still to be read. */
    CHECK_STATUS(solve_multi(&s, RHS, x, LD, x, N), SPTRSV_STATUS_INVALID_VALUE);
    CHECK(mem_is(x, GUARD, RHS * LD * 8));
    mem_free(f);
    mem_free(x);
  }
  close_system(&s);
  free_problem(&p);
}

int main(int argc, char **argv) {
  check_begin("test_multi", argc, argv);
  RUN(bad_arguments);
  RUN(empty_matrix);
  RUN(zero_pivot);
  RUN(every_count);
  RUN(one_info);
  RUN(how_many_there_will_be);
  RUN(in_groups);
  RUN(of_either_operation);
  RUN(large);
  RUN(not_a_number_stays_in_its_column);
  RUN(watchdog);
  RUN_ON_GPU(in_a_graph);
  RUN_ON_GPU(far_columns);
  return check_end();
}
