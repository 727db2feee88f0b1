/*
 * ILU(0) and IC(0): the product of the factors is the matrix wherever it has an entry, component by component, against sums in
 * long double; factors have the same bits in every run; zero pivots, boosts, bad patterns and misuse are told.
 */
#include "problem.h"

enum { ILU0, IC0 };
static const char *const METHODS[] = {"ILU(0)", "IC(0)"};

/* A matrix that factorises well: the pattern of a shape, some of it in the upper triangle too, each place once. IC(0) gets a
 * Hermitian one, whose upper triangle is NaN where it is stored. */
static Problem make_matrix(Kind k, enum Shape shape, int64_t n, int kind) {
  Entries strict = {0}, list = {0};
  push_shape(&strict, shape, n);
  int64_t *last = malloc((size_t)(n + 1) * sizeof *last);
  long double *size = calloc((size_t)(n + 1), sizeof *size);
  if (!last || !size) fatal("malloc", "out of memory");
  for (int64_t t = 0; t < strict.count; t++) strict.e[t].major = strict.e[t].i, strict.e[t].key = strict.e[t].j;
  if (strict.count) qsort(strict.e, (size_t)strict.count, sizeof *strict.e, by_major);
  for (int64_t t = 0; t < strict.count; t++) {
    Entry e = strict.e[t];
    if (t && e.i == strict.e[t - 1].i && e.j == strict.e[t - 1].j) continue;
    num v = random_num(1), back = random_num(1);
    push(&list, e.i, e.j, v);
    size[e.i] += 1.5L, size[e.j] += 1.5L;
    if (k.full && below(4)) push(&list, e.j, e.i, kind == IC0 ? CMPLXL(NAN, NAN) : back);
  }
  for (int64_t i = 0; i < n; i++) push(&list, i, i, CMPLXL(size[i] + 1, kind == IC0 ? 0 : uniform()));
  free(strict.e), free(last), free(size);
  return pack(k, n, list);
}

/* An info that factorises, and the matrix where the executor has it. */
typedef struct {
  const Problem *p;
  sptrsvInfo_t info;
  sptrsvMatDescr_t d;
  void *val, *ptr, *ind, *buffer;
  size_t bytes;
} Factored;

static sptrsvStatus_t analyse_factor(Factored *s) {
  const Problem *p = s->p;
  sptrsvStatus_t status = sptrsvBufferSize(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p->n, p->nnz, s->d, (sptrsvDataType_t)p->k.type,
                                           NULL, NULL, NULL, s->info, &s->bytes);
  if (status) return status;
  mem_free(s->buffer);
  s->buffer = mem_new(s->bytes + 1);
  return sptrsvAnalysis(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p->n, p->nnz, s->d, (sptrsvDataType_t)p->k.type, NULL, s->ptr, s->ind,
                        s->info, SPTRSV_SOLVE_POLICY_USE_LEVEL, s->buffer);
}

static void open_factor(Factored *s, const Problem *p) {
  size_t vs = value_size(p->k.type);
  *s = (Factored){.p = p};
  CHECK_OK(sptrsvCreateMatDescr(&s->d));
  CHECK_OK(sptrsvSetMatIndexBase(s->d, (sptrsvIndexBase_t)p->k.base));
  CHECK_OK(sptrsvSetMatFillMode(s->d, (sptrsvFillMode_t)p->k.fill));
  CHECK_OK(sptrsvSetMatDiagType(s->d, (sptrsvDiagType_t)p->k.diag));
  CHECK_OK(sptrsvSetMatIndexTypes(s->d, p->k.wide >= 1 ? SPTRSV_INDEX_64I : SPTRSV_INDEX_32I,
                                  p->k.wide >= 2 ? SPTRSV_INDEX_64I : SPTRSV_INDEX_32I));
  CHECK_OK(sptrsvCreateInfo(&s->info));
  CHECK_OK(sptrsvSetFactorization(s->info, 1));
  CHECK_OK(sptrsvSetAnalysisMode(s->info, (sptrsvAnalysisMode_t)p->k.setup));
  s->val = mem_copy(p->val, (size_t)p->nnz * vs + 1);
  s->ptr = mem_copy(p->ptr, (size_t)(p->n + 1) * (p->k.wide >= 1 ? 8 : 4));
  s->ind = mem_copy(p->ind, (size_t)p->nnz * (p->k.wide >= 2 ? 8 : 4) + 1);
}

static void close_factor(Factored *s) {
  mem_free(s->val), mem_free(s->ptr), mem_free(s->ind), mem_free(s->buffer);
  sptrsvDestroyInfo(s->info), sptrsvDestroyMatDescr(s->d);
}

static sptrsvStatus_t factorize(Factored *s, int kind) {
  const Problem *p = s->p;
  return (kind == IC0 ? sptrsvIc0 : sptrsvIlu0)(T.h, p->n, p->nnz, s->d, (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->info,
                                                s->buffer);
}

/* The worst |A - LU| of an entry over 4 (terms + 4) eps (|L| |U| + |A|). The triplets of a problem are sorted by rows. */
static long double worst_residual(const Problem *p, const void *factor, int kind) {
  long double worst = 0, eps = is_single(p->k.type) ? FLT_EPSILON : DBL_EPSILON;
  int64_t *begin = malloc((size_t)(p->n + 1) * sizeof *begin), *place = malloc((size_t)(p->n + 1) * sizeof *place);
  if (!begin || !place) fatal("malloc", "out of memory");
  for (int64_t i = 0, t = 0; i <= p->n; begin[i++] = t)
    while (t < p->nnz && p->e[t].i < i) t++;
  for (int64_t j = 0; j < p->n; j++) place[j] = -1;
  /* Of the transposed one: where column j of U has its entries. Found by walking each row k of U for the entries of row i. */
  for (int64_t i = 0; i < p->n; i++) {
    int64_t length = begin[i + 1] - begin[i];
    num *sum = calloc((size_t)length, sizeof *sum);
    long double *size = calloc((size_t)length, sizeof *size);
    int64_t *terms = calloc((size_t)length, sizeof *terms);
    for (int64_t t = begin[i]; t < begin[i + 1]; t++) place[p->e[t].j] = t - begin[i];
    for (int64_t t = begin[i]; t < begin[i + 1] && p->e[t].j <= i; t++) {
      int64_t k = p->e[t].j;
      num l = kind == ILU0 && k == i ? 1 : get(p->k.type, factor, t);
      for (int64_t u = begin[k]; u < begin[k + 1]; u++) {
        int64_t j = p->e[u].j;
        /* a_ij = sum of l_ik u_kj over k <= min(i, j); for IC(0) the sum of l_ik conj(l_jk) is built below. */
        if (kind == IC0 || j < k || place[j] < 0) continue;
        num x = l * get(p->k.type, factor, u);
        sum[place[j]] += x, size[place[j]] += cabsl(x), terms[place[j]]++;
      }
    }
    if (kind == IC0)
      for (int64_t t = begin[i]; t < begin[i + 1] && p->e[t].j <= i; t++) {
        int64_t j = p->e[t].j;
        for (int64_t u = begin[j]; u < begin[j + 1] && p->e[u].j <= j; u++) {
          int64_t at = place[p->e[u].j];
          if (at < 0) continue;
          num x = get(p->k.type, factor, begin[i] + at) * conjl(get(p->k.type, factor, u));
          sum[t - begin[i]] += x, size[t - begin[i]] += cabsl(x), terms[t - begin[i]]++;
        }
      }
    for (int64_t t = begin[i]; t < begin[i + 1]; t++) {
      int64_t at = t - begin[i];
      place[p->e[t].j] = -1;
      if (kind == IC0 && p->e[t].j > i) continue;
      num a = get(p->k.type, p->val, t);
      long double bound = 4 * (long double)(terms[at] + 4) * eps * (size[at] + cabsl(a)), error = cabsl(a - sum[at]) / bound;
      if (!(error <= worst)) worst = isnan(error) ? INFINITY : error;
    }
    free(sum), free(size), free(terms);
  }
  free(begin), free(place);
  return worst;
}

static void one_case(Kind k, enum Shape shape, int64_t n, int kind) {
  rng_state = (uint64_t)(n * 31 + shape * 7 + k.type + k.base + k.wide);
  Problem p = make_matrix(k, shape, n, kind);
  size_t bytes = (size_t)p.nnz * value_size(k.type);
  void *first = malloc(bytes + 1), *again = malloc(bytes + 1);
  Factored s;
  open_factor(&s, &p);
  if (CHECK_OK(analyse_factor(&s)))
    for (int run = 0; run < 3; run++) {
      int64_t row = -2;
      mem_put(s.val, p.val, bytes);
      CHECK_OK(factorize(&s, kind));
      CHECK_OK(sptrsvFactorZeroPivot(T.h, s.info, &row));
      CHECK(row == -1);
      mem_get(run ? again : first, s.val, bytes);
      if (run) {
        CHECK_THAT(!memcmp(first, again, bytes), "%s of %s: other bits in run %d (%s)", METHODS[kind], SHAPE_NAMES[shape % SHAPES], run,
                   kind_text(&k));
        continue;
      }
      long double worst = worst_residual(&p, first, kind);
      CHECK_THAT(worst <= 1, "%s of %s, n = %lld: error %Lg of the bound (%s)", METHODS[kind], SHAPE_NAMES[shape % SHAPES], (long long)n,
                 worst, kind_text(&k));
      for (int64_t t = 0; kind == IC0 && t < p.nnz; t++)
        if (p.e[t].j > p.e[t].i && !nan_num(get(k.type, first, t))) {
          CHECK_THAT(0, "IC(0) changed the upper triangle (%s)", kind_text(&k));
          break;
        }
    }
  close_factor(&s);
  free(first), free(again);
  free_problem(&p);
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
  one_case((Kind){.type = SPTRSV_R_64F, .full = 1}, STREWN, 60000, ILU0);
  one_case((Kind){.type = SPTRSV_R_32F, .full = 1}, MANY, 60000, IC0);
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
    open_factor(&s, &p);
    int64_t row = -2;
    CHECK_OK(analyse_factor(&s));
    for (int kind = ILU0; kind <= IC0; kind++) {
      mem_put(s.val, p.val, (size_t)p.nnz * value_size(k.type));
      CHECK_OK(factorize(&s, kind));
      CHECK_STATUS(sptrsvFactorZeroPivot(T.h, s.info, &row), SPTRSV_STATUS_ZERO_PIVOT);
      CHECK_THAT(row == 71, "%s: the pivot is in row %lld", METHODS[kind], (long long)row);
    }
    CHECK_OK(sptrsvSetPivotBoost(s.info, 1e-8, 3, 0));
    mem_put(s.val, p.val, (size_t)p.nnz * value_size(k.type));
    CHECK_OK(factorize(&s, ILU0));
    CHECK_OK(sptrsvFactorZeroPivot(T.h, s.info, &row));
    CHECK(row == -1);
    char *factor = malloc((size_t)p.nnz * 16);
    mem_get(factor, s.val, (size_t)p.nnz * value_size(k.type));
    for (int64_t e = 0; e < p.nnz; e++)
      if (p.e[e].i == p.e[e].j && (p.e[e].i == 70 || p.e[e].i == 90)) CHECK(get(k.type, factor, e) == 3);
    free(factor);
    CHECK_STATUS(sptrsvSetPivotBoost(s.info, NAN, 1, 0), SPTRSV_STATUS_INVALID_VALUE);
    close_factor(&s);
    free_problem(&p);
  }
}

static void is_refused(const Problem *p, sptrsvStatus_t expected, const char *word) {
  Factored s;
  open_factor(&s, p);
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

  p = make_matrix((Kind){.type = SPTRSV_R_64F, .fill = SPTRSV_FILL_MODE_UPPER, .full = 1}, GRID, 100, ILU0);
  is_refused(&p, SPTRSV_STATUS_NOT_SUPPORTED, "upper");
  free_problem(&p);

  p = make_matrix(k, GRID, 100, ILU0);
  Factored s;
  int64_t row = -2;
  int enabled = -1;
  open_factor(&s, &p);
  CHECK_OK(sptrsvGetFactorization(s.info, &enabled));
  CHECK(enabled == 1);
  CHECK_STATUS(sptrsvSetFactorization(s.info, 2), SPTRSV_STATUS_INVALID_VALUE);
  CHECK_STATUS(sptrsvSetFactorization(NULL, 1), SPTRSV_STATUS_INVALID_VALUE);
  CHECK_STATUS(factorize(&s, ILU0), SPTRSV_STATUS_NOT_ANALYSED);
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
  CHECK_STATUS(sptrsvIlu0(NULL, p.n, p.nnz, s.d, SPTRSV_R_64F, s.val, s.ptr, s.ind, s.info, s.buffer),
               SPTRSV_STATUS_NOT_INITIALIZED);
  CHECK_OK(factorize(&s, ILU0));
  close_factor(&s);
  free_problem(&p);
}

/* A factorisation is captured once and replayed on other values. */
static void in_a_graph(void) {
  Problem p = make_matrix((Kind){.type = SPTRSV_R_64F, .full = 1}, GRID, 10000, ILU0);
  size_t bytes = (size_t)p.nnz * 8;
  Factored s;
  cudaStream_t stream;
  cudaGraph_t graph = NULL;
  cudaGraphExec_t exec = NULL;
  void *first = malloc(bytes), *again = malloc(bytes);
  CHECK(cudaStreamCreate(&stream) == cudaSuccess);
  open_factor(&s, &p);
  CHECK_OK(sptrsvSetStream(T.h, stream));
  CHECK_OK(analyse_factor(&s));
  CHECK_OK(factorize(&s, ILU0));
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  mem_get(first, s.val, bytes);
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK_OK(factorize(&s, ILU0));
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph);
  CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  for (int run = 0; run < 3; run++) {
    mem_put(s.val, p.val, bytes);
    CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess);
    mem_get(again, s.val, bytes);
    CHECK(!memcmp(first, again, bytes));
  }
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  cudaGraphExecDestroy(exec), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
  close_factor(&s);
  free(first), free(again);
  free_problem(&p);
}

int main(int argc, char **argv) {
  check_begin("test_factor", argc, argv);
  RUN(every_kind);
  RUN(large_ones);
  RUN(pivots);
  RUN(misuse);
  RUN_ON_GPU(in_a_graph);
  return check_end();
}
