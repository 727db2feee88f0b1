/*
 * ILU(0) and IC(0): the product of the factors is the matrix wherever it has an entry, component by component, against sums in
 * long double; factors have the same bits in every run; zero pivots, boosts, bad patterns and misuse are told.
 */
#include "factored.h"
#include "watched.h"

/* With all values times a power of two, by an info whose solves go by ALGS[a]: so may its factorisations. */
static void scaled_case(Kind k, enum Shape shape, int64_t n, int kind, int exponent, int a) {
  rng_state = (uint64_t)(n * 31 + shape * 7 + k.type + k.base + k.wide);
  Problem p = make_matrix(k, shape, n, kind);
  for (int64_t t = 0; exponent && t < p.nnz; t++) put(k.type, p.val, t, ldexpl(1, exponent) * get(k.type, p.val, t));
  size_t bytes = (size_t)p.nnz * value_size(k.type);
  void *first = malloc(bytes + 1), *again = malloc(bytes + 1);
  Factored s;
  CHECK_OK(open_factor(T.h, &s, &p));
  CHECK_OK(sptrsvSetAlgorithm(s.info, ALGS[a].id));
  sptrsvStatus_t status = analyse_factor(&s);
  if (status == SPTRSV_STATUS_NOT_SUPPORTED)
    T.unsupported++;
  else if (CHECK_OK(status))
    for (int run = 0; run < 3; run++) {
      int64_t row = -2;
      CHECK_OK(sptrsvSetSmCountTarget(T.h, run)); /* all multiprocessors, one, and two */
      mem_put(s.val, p.val, bytes);
      CHECK_OK(factorize(&s, kind));
      CHECK_OK(sptrsvFactorZeroPivot(T.h, s.info, &row));
      CHECK(row == -1);
      mem_get(run ? again : first, s.val, bytes);
      if (run) {
        CHECK_THAT(!memcmp(first, again, bytes), "%s of %s by %s: other bits in run %d (%s)", METHODS[kind],
                   SHAPE_NAMES[shape], ALGS[a].name, run, kind_text(&k));
        continue;
      }
      long double worst = worst_residual(&p, first, kind);
      CHECK_THAT(worst <= 1, "%s of %s by %s, n = %lld: error %Lg of the bound (%s)", METHODS[kind], SHAPE_NAMES[shape],
                 ALGS[a].name, (long long)n, worst, kind_text(&k));
      for (int64_t t = 0; kind == IC0 && t < p.nnz; t++)
        if (p.e[t].j > p.e[t].i && !nan_num(get(k.type, first, t))) {
          CHECK_THAT(0, "IC(0) changed the upper triangle (%s)", kind_text(&k));
          break;
        }
    }
  CHECK_OK(sptrsvSetSmCountTarget(T.h, 0));
  close_factor(&s);
  free(first), free(again);
  free_problem(&p);
}

static void one_case(Kind k, enum Shape shape, int64_t n, int kind) {
  scaled_case(k, shape, n, kind, 0, place_of(SPTRSV_ALG_AUTO));
}

static void every_kind(void) {
  static const enum Shape SHAPES_HERE[] = {DIAGONAL, CHAIN, GRID, RANDOM, DENSE_ROW, DENSE_COLUMN, NODES, DIAGONALS, TAIL, BAND, MANY};
  for (int t = 0; t < COUNT(TYPES); t++)
    for (int kind = ILU0; kind <= IC0; kind++)
      for (int shape = 0; shape < COUNT(SHAPES_HERE); shape++)
        for (int variant = 0; variant < 4; variant++) {
          Kind k = {.type = TYPES[t], .full = variant != 1, .base = variant & 1, .wide = variant == 2 ? 1 : variant == 3 ? 2 : 0,
                    .diag = variant == 2 ? SPTRSV_DIAG_TYPE_UNIT : SPTRSV_DIAG_TYPE_NON_UNIT,
                    .setup = variant == 3 ? SPTRSV_ANALYSIS_MODE_CPU : SPTRSV_ANALYSIS_MODE_AUTO};
          one_case(k, SHAPES_HERE[shape], variant == 0 ? 3000 : 400, kind);
        }
  for (int64_t n = 0; n < 4; n++) one_case((Kind){.type = SPTRSV_R_64F, .full = 1}, CHAIN, n, ILU0);
}

static void large_ones(void) {
  one_case((Kind){.type = SPTRSV_R_64F, .full = 1}, GRID, 250000, ILU0);
  one_case((Kind){.type = SPTRSV_R_64F, .full = 1}, IRREGULAR, 60000, ILU0);
  one_case((Kind){.type = SPTRSV_R_32F, .full = 1}, MANY, 60000, IC0);
}

/* Grids, whose updates all go to the diagonal; and values whose products leave the range of their type. */
static void grids(void) {
  for (int t = 0; t < COUNT(TYPES); t++)
    for (int kind = ILU0; kind <= IC0; kind++)
      for (int i = 0; i < 6; i++) {
        int most = TYPES[t] == SPTRSV_R_32F || TYPES[t] == SPTRSV_C_32F ? 100 : 800;
        Kind k = {.type = TYPES[t], .full = 1, .base = i & 1, .wide = i % 3,
                  .diag = i % 2 ? SPTRSV_DIAG_TYPE_UNIT : SPTRSV_DIAG_TYPE_NON_UNIT};
        scaled_case(k, GRID, i < 3 ? 60000 : 3000, kind, (i % 3 - 1) * most, place_of(SPTRSV_ALG_AUTO));
      }
}

/* Whatever solves by the factors: a factorisation of a grid goes by the info's solve where that can do it. */
static void every_algorithm(void) {
  static const enum Shape SHAPES_HERE[] = {GRID, CHAIN, RANDOM, TAIL};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++)
      for (int kind = ILU0; kind <= IC0; kind++)
        for (int shape = 0; shape < COUNT(SHAPES_HERE); shape++)
          scaled_case((Kind){.type = TYPES[t], .full = 1, .base = shape & 1}, SHAPES_HERE[shape], 3000, kind, 0, a);
}

/* A matrix of nodes of b unknowns, which are linked in whole blocks, some above the diagonal only; of node 5 all values but its
 * diagonal are zero. IC(0) gets a Hermitian one, whose upper triangle is NaN. */
static Problem make_nodes(Kind k, int64_t b, int64_t nodes, int kind) {
  static const int64_t LINKS[] = {-40, -8, -3, -1, 0, 1, 3, 5, 8, 40};
  Entries list = {0};
  for (int64_t node = 0; node < nodes; node++)
    for (int link = 0; link < COUNT(LINKS); link++) {
      int64_t other = node + LINKS[link];
      for (int64_t i = node * b; other >= 0 && other < nodes && i < (node + 1) * b; i++)
        for (int64_t j = other * b; j < (other + 1) * b; j++) {
          num v = i == j ? CMPLXL(12 * (long double)b, kind == ILU0) : random_num(1);
          if (node == 5 || other == 5) v = i == j ? 2 : 0;
          push(&list, i, j, kind == IC0 && j > i ? CMPLXL(NAN, NAN) : v);
        }
    }
  return pack(k, nodes * b, list);
}

static void put_diagonal_entry(Problem *p, int64_t row, num v) {
  for (int64_t e = 0; e < p->nnz; e++)
    if (p->e[e].i == row && p->e[e].j == row) put(p->k.type, p->val, e, v);
}

static void nodes_of(Kind k, int64_t b, int kind) {
  rng_state = (uint64_t)(b * 10 + k.type);
  Problem p = make_nodes(k, b, 300, kind);
  size_t bytes = (size_t)p.nnz * value_size(k.type);
  void *first = malloc(bytes + 1), *again = malloc(bytes + 1);
  Factored s;
  CHECK_OK(open_factor(T.h, &s, &p));
  CHECK_OK(analyse_factor(&s));
  for (int run = 0; run < 3; run++) {
    CHECK_OK(sptrsvSetSmCountTarget(T.h, run)); /* all multiprocessors, one, and two */
    mem_put(s.val, p.val, bytes);
    CHECK_OK(factorize(&s, kind));
    mem_get(run ? again : first, s.val, bytes);
    CHECK_THAT(!run || !memcmp(first, again, bytes), "%s of nodes of %lld: other bits in run %d", METHODS[kind], (long long)b, run);
  }
  CHECK_OK(sptrsvSetSmCountTarget(T.h, 0));
  long double worst = worst_residual(&p, first, kind);
  CHECK_THAT(worst <= 1, "%s of nodes of %lld: error %Lg of the bound (%s)", METHODS[kind], (long long)b, worst, kind_text(&k));
  int64_t row = -2, zero = 5 * b + 1;
  put_diagonal_entry(&p, zero, 0);
  mem_put(s.val, p.val, bytes);
  CHECK_OK(factorize(&s, kind));
  CHECK_STATUS(sptrsvFactorZeroPivot(T.h, s.info, &row), SPTRSV_STATUS_ZERO_PIVOT);
  CHECK_THAT(row == zero + k.base, "%s of nodes of %lld: the pivot is in row %lld", METHODS[kind], (long long)b, (long long)row);
  /* Which IC(0) takes no notice of. */
  CHECK_OK(sptrsvSetPivotBoost(s.info, 1e-8, 3, 0));
  mem_put(s.val, p.val, bytes);
  CHECK_OK(factorize(&s, kind));
  CHECK_STATUS(sptrsvFactorZeroPivot(T.h, s.info, &row), kind == ILU0 ? SPTRSV_STATUS_SUCCESS : SPTRSV_STATUS_ZERO_PIVOT);
  mem_get(again, s.val, bytes);
  for (int64_t e = 0; e < p.nnz; e++)
    if (p.e[e].i == zero && p.e[e].j == zero) CHECK(get(k.type, again, e) == (kind == ILU0 ? 3 : 0));
  close_factor(&s);
  free(first), free(again);
  free_problem(&p);
}

static void nodes(void) {
  for (int t = 0; t < COUNT(TYPES); t++)
    for (int64_t b = 2; b <= 7; b++)
      for (int kind = ILU0; kind <= IC0; kind++)
        nodes_of((Kind){.type = TYPES[t], .full = 1, .base = (int)b & 1, .wide = (int)b % 3}, b, kind);
}

static void check_boost(sptrsvInfo_t info, double tolerance, double re, double im) {
  double read[3] = {7, 7, 7};
  CHECK_OK(sptrsvGetPivotBoost(info, &read[0], &read[1], &read[2]));
  CHECK_THAT(read[0] == tolerance && read[1] == re && read[2] == im, "read %g, %g, %g", read[0], read[1], read[2]);
}

static void boost_is_read(void) {
  sptrsvInfo_t info;
  CHECK_OK(sptrsvCreateInfo(&info));
  check_boost(info, -1, 0, 0);
  CHECK_OK(sptrsvSetPivotBoost(info, 0, 3, -2));
  check_boost(info, 0, 3, -2);
  CHECK_STATUS(sptrsvSetPivotBoost(info, NAN, 1, 0), SPTRSV_STATUS_INVALID_VALUE);
  check_boost(info, 0, 3, -2);
  for (int missing = 0; missing < 4; missing++) {
    double read[3] = {7, 7, 7};
    double *p[3] = {missing == 0 ? NULL : &read[0], missing == 1 ? NULL : &read[1], missing == 2 ? NULL : &read[2]};
    CHECK_STATUS(sptrsvGetPivotBoost(missing == 3 ? NULL : info, p[0], p[1], p[2]), SPTRSV_STATUS_INVALID_VALUE);
    CHECK(read[0] == 7 && read[1] == 7 && read[2] == 7);
  }
  CHECK_OK(sptrsvSetPivotBoost(info, -0.5, 3, 4));
  check_boost(info, -1, 0, 0);
  CHECK_OK(sptrsvDestroyInfo(info));
}

/* A row of zeros above the diagonal, and one on it. */
static void pivots(void) {
  for (int t = 0; t < COUNT(TYPES); t++) {
    Kind k = {.type = TYPES[t], .full = 1, .base = 1};
    Entries list = {0};
    for (int64_t i = 0; i < 200; i++) push(&list, i, i, i == 70 || i == 90 ? 0 : 2);
    for (int64_t i = 1; i < 60; i++) push(&list, i, i - 1, 0.5L), push(&list, i - 1, i, 0.5L);
    Problem p = pack(k, 200, list);
    Factored s;
    CHECK_OK(open_factor(T.h, &s, &p));
    int64_t row = -2;
    CHECK_OK(analyse_factor(&s));
    for (int kind = ILU0; kind <= IC0; kind++) {
      mem_put(s.val, p.val, (size_t)p.nnz * value_size(k.type));
      CHECK_OK(factorize(&s, kind));
      CHECK_STATUS(sptrsvFactorZeroPivot(T.h, s.info, &row), SPTRSV_STATUS_ZERO_PIVOT);
      CHECK_THAT(row == 71, "%s: the pivot is in row %lld", METHODS[kind], (long long)row);
    }
    CHECK_OK(sptrsvSetPivotBoost(s.info, 1e-8, 3, -2));
    mem_put(s.val, p.val, (size_t)p.nnz * value_size(k.type));
    CHECK_OK(factorize(&s, ILU0));
    CHECK_OK(sptrsvFactorZeroPivot(T.h, s.info, &row));
    CHECK(row == -1);
    char *factor = malloc((size_t)p.nnz * 16);
    mem_get(factor, s.val, (size_t)p.nnz * value_size(k.type));
    for (int64_t e = 0; e < p.nnz; e++)
      if (p.e[e].i == p.e[e].j && (p.e[e].i == 70 || p.e[e].i == 90)) CHECK(get(k.type, factor, e) == CMPLXL(3, is_complex(k.type) ? -2 : 0));
    /* Any number takes their place, also one that is none. */
    CHECK_OK(sptrsvSetPivotBoost(s.info, 1e-8, NAN, 0));
    mem_put(s.val, p.val, (size_t)p.nnz * value_size(k.type));
    CHECK_OK(factorize(&s, ILU0));
    CHECK_OK(sptrsvFactorZeroPivot(T.h, s.info, &row));
    CHECK(row == -1);
    mem_get(factor, s.val, (size_t)p.nnz * value_size(k.type));
    for (int64_t e = 0; e < p.nnz; e++)
      if (p.e[e].i == p.e[e].j) CHECK(nan_num(get(k.type, factor, e)) == (p.e[e].i == 70 || p.e[e].i == 90));
    free(factor);
    close_factor(&s);
    free_problem(&p);
  }
}

/* A solve of a problem in double precision; f is the matrix's own values, of which there are enough. */
static sptrsvStatus_t solve_by(Factored *s, void *x) {
  const Problem *p = s->p;
  const double one = 1;
  return sptrsvSolve(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p->n, p->nnz, &one, s->d, SPTRSV_R_64F, s->val, s->ptr, s->ind, s->info, s->val, x,
                     SPTRSV_SOLVE_POLICY_USE_LEVEL, s->buffer);
}

static void pivot_of_last_is(sptrsvStatus_t (*ask)(sptrsvHandle_t, sptrsvInfo_t, int64_t *), Factored *s, int64_t expected, const char *of) {
  int64_t row = -2;
  CHECK_STATUS(ask(T.h, s->info, &row), expected < 0 ? SPTRSV_STATUS_SUCCESS : SPTRSV_STATUS_ZERO_PIVOT);
  CHECK_THAT(row == expected, "the pivot of the last %s is row %" PRId64 ", not %" PRId64, of, row, expected);
}

/* Solves and factorisations report their own pivots, also where a factorisation goes by a solve. */
static void pivots_of_both(void) {
  static const sptrsvAlgorithm_t BY[] = {SPTRSV_ALG_AUTO, SPTRSV_ALG_TILED, SPTRSV_ALG_LEVR};
  for (int a = 0; a < COUNT(BY); a++)
    for (int kind = ILU0; kind <= IC0; kind++) {
      Problem p = make_matrix((Kind){.type = SPTRSV_R_64F, .full = 1}, GRID, 3000, kind);
      size_t bytes = (size_t)p.nnz * sizeof(double);
      double *good = malloc(bytes);
      memcpy(good, p.val, bytes);
      Factored s;
      CHECK_OK(open_factor(T.h, &s, &p));
      CHECK_OK(sptrsvSetAlgorithm(s.info, BY[a]));
      void *x = mem_new((size_t)p.n * sizeof(double));
      if (CHECK_OK(analyse_factor(&s)))
        for (int run = 0; run < 3; run++) {
          put_diagonal_entry(&p, 40, 0);
          mem_put(s.val, p.val, bytes);
          CHECK_OK(solve_by(&s, x));
          mem_put(s.val, good, bytes);
          CHECK_OK(factorize(&s, kind));
          pivot_of_last_is(sptrsvZeroPivot, &s, 40, "solve");
          pivot_of_last_is(sptrsvFactorZeroPivot, &s, -1, "factorisation");
          mem_put(s.val, good, bytes);
          CHECK_OK(solve_by(&s, x));
          memcpy(p.val, good, bytes);
          put_diagonal_entry(&p, 0, 0);
          mem_put(s.val, p.val, bytes);
          CHECK_OK(factorize(&s, kind));
          pivot_of_last_is(sptrsvZeroPivot, &s, -1, "solve");
          pivot_of_last_is(sptrsvFactorZeroPivot, &s, 0, "factorisation");
          memcpy(p.val, good, bytes);
        }
      close_factor(&s);
      mem_free(x), free(good);
      free_problem(&p);
    }
}

static void is_refused(const Problem *p, sptrsvStatus_t expected, const char *word) {
  Factored s;
  CHECK_OK(open_factor(T.h, &s, p));
  CHECK_STATUS(analyse_factor(&s), expected);
  CHECK_MESSAGE(word);
  close_factor(&s);
}

static void misuse(void) {
  Kind k = {.type = SPTRSV_R_64F};
  Entries list = {0};
  for (int64_t i = 0; i < 50; i++)
    if (i != 20) push(&list, i, i, 1);
  Problem p = pack(k, 50, list);
  is_refused(&p, SPTRSV_STATUS_INVALID_MATRIX, "row 20");
  free_problem(&p);

  p = make_matrix(k, GRID, 100, ILU0);
  int32_t *ind = p.ind, swap = ind[3]; /* of row 2 */
  ind[3] = ind[4], ind[4] = swap;
  is_refused(&p, SPTRSV_STATUS_INVALID_MATRIX, "ascend");
  free_problem(&p);

  p = make_matrix(k, GRID, 100, ILU0);
  ((int32_t *)p.ptr)[50] = INT32_MAX;
  is_refused(&p, SPTRSV_STATUS_INVALID_MATRIX, "row 49");
  free_problem(&p);

  p = make_matrix((Kind){.type = SPTRSV_R_64F, .fill = SPTRSV_FILL_MODE_UPPER, .full = 1}, GRID, 100, ILU0);
  is_refused(&p, SPTRSV_STATUS_NOT_SUPPORTED, "upper");
  free_problem(&p);

  p = make_matrix(k, GRID, 100, ILU0);
  Factored s;
  int64_t row = -2;
  int enabled = -1;
  CHECK_OK(open_factor(T.h, &s, &p));
  CHECK_OK(sptrsvGetFactorization(s.info, &enabled));
  CHECK(enabled == 1);
  CHECK_STATUS(sptrsvSetFactorization(s.info, 2), SPTRSV_STATUS_INVALID_VALUE);
  CHECK_STATUS(sptrsvSetFactorization(NULL, 1), SPTRSV_STATUS_INVALID_VALUE);
  for (int kind = ILU0; kind <= IC0; kind++) {
    CHECK_STATUS(factorize(&s, kind), SPTRSV_STATUS_NOT_ANALYSED);
    CHECK_MESSAGE("sptrsvAnalysis");
  }
  CHECK_STATUS(sptrsvFactorZeroPivot(T.h, s.info, &row), SPTRSV_STATUS_NOT_ANALYSED);
  CHECK(row == -2);
  /* The size of the buffer was asked for without factorisations. */
  CHECK_OK(sptrsvSetFactorization(s.info, 0));
  CHECK_OK(analyse_factor(&s));
  CHECK_STATUS(factorize(&s, ILU0), SPTRSV_STATUS_NOT_SUPPORTED);
  CHECK_MESSAGE("sptrsvSetFactorization");
  CHECK_OK(sptrsvSetFactorization(s.info, 1));
  CHECK_STATUS(sptrsvAnalysis(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p.n, p.nnz, s.d, SPTRSV_R_64F, NULL, s.ptr, s.ind, s.info,
                              SPTRSV_SOLVE_POLICY_USE_LEVEL, s.buffer),
               SPTRSV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE("sptrsvBufferSize");
  CHECK_OK(analyse_factor(&s));
  void *val = s.val;
  s.val = NULL;
  CHECK_STATUS(factorize(&s, ILU0), SPTRSV_STATUS_INVALID_VALUE);
  s.val = val;
  CHECK_STATUS(sptrsvIlu0(T.h, p.n + 1, p.nnz, s.d, SPTRSV_R_64F, s.val, s.ptr, s.ind, s.info, s.buffer),
               SPTRSV_STATUS_PATTERN_MISMATCH);
  CHECK_MESSAGE("m is 101");
  CHECK_STATUS(sptrsvIlu0(NULL, p.n, p.nnz, s.d, SPTRSV_R_64F, s.val, s.ptr, s.ind, s.info, s.buffer),
               SPTRSV_STATUS_NOT_INITIALIZED);
  size_t bytes = (size_t)p.nnz * sizeof(double);
  void *now = malloc(bytes);
  mem_get(now, s.val, bytes);
  CHECK_THAT(!memcmp(p.val, now, bytes), "a refused call has touched the values");
  free(now);
  CHECK_OK(factorize(&s, ILU0));
  close_factor(&s);
  free_problem(&p);
}

/* A factorisation is captured once and replayed on other values. */
static void captured(const Problem *p, int kind) {
  size_t bytes = (size_t)p->nnz * value_size(p->k.type);
  Factored s;
  cudaStream_t stream;
  cudaGraph_t graph = NULL;
  cudaGraphExec_t exec = NULL;
  void *first = malloc(bytes), *again = malloc(bytes);
  CUDA(cudaStreamCreate(&stream));
  CHECK_OK(open_factor(T.h, &s, p));
  CHECK_OK(sptrsvSetStream(T.h, stream));
  CHECK_OK(analyse_factor(&s));
  CHECK_OK(factorize(&s, kind));
  CUDA(cudaStreamSynchronize(stream));
  mem_get(first, s.val, bytes);
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  sptrsvStatus_t status = factorize(&s, kind);
  CUDA(cudaStreamEndCapture(stream, &graph));
  CHECK_OK(status);
  CUDA(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  for (int run = 0; run < 3; run++) {
    mem_put(s.val, p->val, bytes);
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    mem_get(again, s.val, bytes);
    CHECK(!memcmp(first, again, bytes));
  }
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaStreamDestroy(stream));
  close_factor(&s);
  free(first), free(again);
}

static void in_a_graph(void) {
  const Kind k = {.type = SPTRSV_R_64F, .full = 1};
  for (int kind = ILU0; kind <= IC0; kind++)
    for (int has_nodes = 0; has_nodes < 2; has_nodes++) {
      Problem p = has_nodes ? make_nodes(k, 3, 2000, kind) : make_matrix(k, GRID, 10000, kind);
      captured(&p, kind);
      free_problem(&p);
    }
}

typedef struct {
  Factored s;
  int kind;
} Way;

static sptrsvStatus_t factorize_by(void *subject) {
  Way *way = subject;
  return factorize(&way->s, way->kind);
}

static int factors_are_right(void *subject) {
  Way *way = subject;
  const Problem *p = way->s.p;
  void *factor = malloc((size_t)p->nnz * sizeof(double));
  mem_get(factor, way->s.val, (size_t)p->nnz * sizeof(double));
  long double worst = worst_residual(p, factor, way->kind);
  free(factor);
  return worst <= 1;
}

/* Whether a solve refuses to go by factors of a factorisation that was ended: once, and nobody is told again. */
static int next_solve_tells(Way *way) {
  const Problem *p = way->s.p;
  void *x = mem_new((size_t)p->n * sizeof(double));
  mem_put(way->s.val, p->val, (size_t)p->nnz * sizeof(double));
  CHECK_OK(sptrsvSetTimeout(T.h, 1e-9));
  CHECK_OK(factorize(&way->s, way->kind));
  CUDA(cudaDeviceSynchronize());
  CHECK_OK(sptrsvSetTimeout(T.h, 10));
  int was_right = factors_are_right(way);
  sptrsvStatus_t status = solve_by(&way->s, x);
  CHECK_STATUS(status, was_right ? SPTRSV_STATUS_SUCCESS : SPTRSV_STATUS_TIMED_OUT);
  pivot_of_last_is(sptrsvFactorZeroPivot, &way->s, -1, "factorisation");
  mem_free(x);
  return status == SPTRSV_STATUS_TIMED_OUT;
}

/* The host executor factorises on one thread, which waits for nobody. */
static void watchdog(void) {
  static const enum Shape SHAPES_HERE[] = {CHAIN, GRID, NODES, TAIL};
  int ended[2] = {0}, told = 0;
  for (int shape = 0; shape < COUNT(SHAPES_HERE); shape++)
    for (int kind = ILU0; kind <= IC0; kind++) {
      rng_state = (uint64_t)(shape * 2 + kind);
      int has_nodes = SHAPES_HERE[shape] == NODES;
      Kind k = {.type = SPTRSV_R_64F, .full = has_nodes || kind == ILU0};
      Problem p = has_nodes ? make_nodes(k, 4, 10000, kind) : make_matrix(k, SHAPES_HERE[shape], 100000, kind);
      Way way = {.kind = kind};
      CHECK_OK(open_factor(T.h, &way.s, &p));
      if (CHECK_OK(analyse_factor(&way.s))) {
        char name[80];
        snprintf(name, sizeof name, "%s of %s", METHODS[kind], SHAPE_NAMES[SHAPES_HERE[shape]]);
        Watched w = {.name = name, .call = factorize_by, .is_right = factors_are_right, .subject = &way, .x = way.s.val, .before = p.val,
                     .count = p.nnz, .infos = {way.s.info}, .pivot = sptrsvFactorZeroPivot};
        ended[kind] += watch(&w);
        told += next_solve_tells(&way);
      }
      close_factor(&way.s);
      free_problem(&p);
    }
  printf("watchdog: %d factorisations by ILU(0) and %d by IC(0) were ended by it\n", ended[ILU0], ended[IC0]);
  CHECK(ended[ILU0] > 0 && ended[IC0] > 0 && told > 0);
}

int main(int argc, char **argv) {
  check_begin("test_factor", argc, argv);
  RUN(every_kind);
  RUN(large_ones);
  RUN(grids);
  RUN(every_algorithm);
  RUN(nodes);
  RUN(pivots);
  RUN(pivots_of_both);
  RUN(boost_is_read);
  RUN(misuse);
  RUN_ON_GPU(in_a_graph);
  RUN_ON_GPU(watchdog);
  return check_end();
}
