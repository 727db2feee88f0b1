/*
 * Both factors in one call: the bits of two solves, with and without permutations, in place and not, in a graph; misuse is told, and
 * nothing is touched.
 */
#include "watched.h"

enum { COLUMNS = 3, ROWS_PERMUTED = 1, COLUMNS_PERMUTED = 2 };

/* Two factors in the executor's memory. */
typedef struct {
  Problem l, u;
  System of_l, of_u;
  int64_t n;
  size_t bytes; /* of the right-hand sides */
  size_t buffer_bytes;
  int64_t *row, *column;
  void *row_there, *column_there, *f, *x, *work, *buffer;
} Factors;

static int64_t *any_order(int64_t n) {
  int64_t *order = malloc((size_t)(n + 1) * sizeof *order);
  if (!order) fatal("malloc", "out of memory");
  for (int64_t i = 0; i < n; i++) order[i] = i;
  for (int64_t i = n - 1; i > 0; i--) {
    int64_t j = below(i + 1), kept = order[i];
    order[i] = order[j], order[j] = kept;
  }
  return order;
}

/* In the type and base of the columns of L. */
static void *to_executor(const Factors *c, const int64_t *order) {
  const Kind *k = &c->l.k;
  size_t bytes = (size_t)c->n * (k->wide >= 2 ? 8 : 4);
  void *index = malloc(bytes + 1);
  for (int64_t i = 0; i < c->n; i++) put_index(k->wide >= 2, index, i, order[i] + k->base);
  void *there = mem_copy(index, bytes);
  free(index);
  return there;
}

static int open_factors(Factors *c, Kind k, enum Shape shape, int64_t n, int a) {
  Kind upper = k;
  upper.fill = SPTRSV_FILL_MODE_UPPER, upper.diag = SPTRSV_DIAG_TYPE_NON_UNIT, upper.wide = 0, upper.base = 1 - k.base;
  *c = (Factors){.n = n, .bytes = (size_t)n * COLUMNS * value_size(k.type)};
  c->l = make_problem(k, shape, n), c->u = make_problem(upper, shape, n);
  int good = opened(&c->of_l, &c->l, a);
  good = opened(&c->of_u, &c->u, a) && good;
  c->row = any_order(n), c->column = any_order(n);
  c->row_there = to_executor(c, c->row), c->column_there = to_executor(c, c->column);
  void *f = malloc(c->bytes + 1);
  for (int64_t i = 0; i < n * COLUMNS; i++) put(k.type, f, i, random_num(1));
  c->f = mem_copy(f, c->bytes), c->x = mem_new(c->bytes), c->work = mem_new(c->bytes);
  free(f);
  c->buffer_bytes = c->of_l.buffer_bytes > c->of_u.buffer_bytes ? c->of_l.buffer_bytes : c->of_u.buffer_bytes;
  c->buffer = mem_new(c->buffer_bytes + 1);
  return good;
}

static void close_factors(Factors *c) {
  close_system(&c->of_l), close_system(&c->of_u);
  mem_free(c->row_there), mem_free(c->column_there), mem_free(c->f), mem_free(c->x), mem_free(c->work), mem_free(c->buffer);
  free(c->row), free(c->column);
  free_problem(&c->l), free_problem(&c->u);
}

/* The right-hand sides in f, `columns` of them. */
static sptrsvStatus_t solve_pair(Factors *c, int permuted, int columns, const void *f, void *x) {
  System *l = &c->of_l, *u = &c->of_u;
  return sptrsvSolvePair(T.h, (sptrsvOperation_t)c->l.k.op, c->n, columns, l->alpha_host, (sptrsvDataType_t)c->l.k.type, l->d, c->l.nnz,
                         l->val, l->ptr, l->ind, l->info, u->d, c->u.nnz, u->val, u->ptr, u->ind, u->info,
                         permuted & ROWS_PERMUTED ? c->row_there : NULL, permuted & COLUMNS_PERMUTED ? c->column_there : NULL, f, c->n, x,
                         c->n, permuted ? c->work : NULL, SPTRSV_SOLVE_POLICY_USE_LEVEL, (char *)c->buffer + 1);
}

/* What two calls give for one column of the host's f. */
static void solve_apart(Factors *c, int permuted, const char *f, char *x) {
  size_t vs = c->of_l.vs, bytes = c->of_l.bytes;
  int is_plain = c->l.k.op == SPTRSV_OPERATION_NON_TRANSPOSE;
  const int64_t *read = permuted & ROWS_PERMUTED ? c->row : NULL, *written = permuted & COLUMNS_PERMUTED ? c->column : NULL;
  if (!is_plain) {
    read = permuted & COLUMNS_PERMUTED ? c->column : NULL;
    written = permuted & ROWS_PERMUTED ? c->row : NULL;
  }
  System *first = is_plain ? &c->of_l : &c->of_u, *second = is_plain ? &c->of_u : &c->of_l;
  char *between = malloc(bytes + 1);
  for (int64_t i = 0; i < c->n; i++) memcpy(between + (size_t)i * vs, f + (size_t)(read ? read[i] : i) * vs, vs);
  mem_put(first->x, between, bytes);
  set_alpha(first, c->l.alpha), set_alpha(second, 1);
  CHECK_OK(solve_from(first, first->x, first->x));
  CHECK_OK(solve_from(second, first->x, second->x));
  if (T.on_gpu) CUDA(cudaDeviceSynchronize());
  mem_get(between, second->x, bytes);
  for (int64_t i = 0; i < c->n; i++) memcpy(x + (size_t)(written ? written[i] : i) * vs, between + (size_t)i * vs, vs);
  free(between);
}

static void compare(Factors *c, int a, int permuted, const void *from, const char *what) {
  size_t bytes = c->of_l.bytes;
  char *f = malloc(c->bytes + 1), *x = malloc(c->bytes + 1), *expected = malloc(bytes + 1);
  mem_get(f, c->f, c->bytes);
  mem_get(x, from, c->bytes);
  for (int j = 0; j < COLUMNS; j++) {
    solve_apart(c, permuted, f + (size_t)j * bytes, expected);
    int same = !memcmp(x + (size_t)j * bytes, expected, bytes);
    for (int64_t i = 0; i < c->n && !same && !ALGS[a].deterministic; i++) {
      num got = get(c->l.k.type, x + (size_t)j * bytes, i), want = get(c->l.k.type, expected, i);
      if (!(cabsl(got - want) <= 1e-2L * (1 + cabsl(want)))) break;
      same = i + 1 == c->n;
    }
    CHECK_THAT(same, "%s, %s: column %d differs from two solves, permuted %d (%s)", ALGS[a].name, what, j, permuted, kind_text(&c->l.k));
  }
  free(f), free(x), free(expected);
}

static void one_case(Kind k, enum Shape shape, int64_t n, int a) {
  rng_state = (uint64_t)(n * 31 + shape * 7 + k.type + k.op);
  Factors c;
  if (open_factors(&c, k, shape, n, a))
    for (int permuted = 0; permuted < 4; permuted++) {
      set_alpha(&c.of_l, c.l.alpha);
      mem_fill(c.x, 0xff, c.bytes);
      if (CHECK_OK(solve_pair(&c, permuted, COLUMNS, c.f, c.x))) compare(&c, a, permuted, c.x, "two vectors");
      /* A single column, and in place. */
      set_alpha(&c.of_l, c.l.alpha);
      char *f = malloc(c.bytes + 1);
      mem_get(f, c.f, c.bytes);
      mem_put(c.x, f, c.bytes);
      int good = 1;
      for (int j = 0; j < COLUMNS; j++) {
        char *column = (char *)c.x + (size_t)j * c.of_l.bytes;
        good = CHECK_OK(solve_pair(&c, permuted, 1, column, column)) && good;
      }
      if (good) compare(&c, a, permuted, c.x, "in place");
      free(f);
    }
  close_factors(&c);
}

static void every_kind(void) {
  static const enum Shape SHAPES_HERE[] = {DIAGONAL, CHAIN, GRID, RANDOM, NODES};
  for (int t = 0; t < COUNT(TYPES); t++)
    for (int op = 0; op < 3; op++)
      for (int shape = 0; shape < COUNT(SHAPES_HERE); shape++)
        for (int a = 0; a < COUNT(ALGS); a++) {
          Kind k = {.type = TYPES[t], .op = op, .diag = shape & 1, .base = t & 1, .wide = (t + op) % 3, .unsorted = shape == RANDOM};
          one_case(k, SHAPES_HERE[shape], a == 0 ? 900 : 150, a);
        }
  one_case((Kind){.type = SPTRSV_R_64F}, GRID, 40000, place_of(SPTRSV_ALG_AUTO));
}

/* One array has both factors, unit below and not unit above: A = (2 1; 4 5) = (1 0; 2 1) (2 1; 0 3). */
static void one_array(void) {
  double val[] = {2, 1, 2, 3}, f[] = {4, 14}, x[2] = {0, 0}, one = 1;
  int32_t ptr[] = {0, 2, 4}, ind[] = {0, 1, 0, 1};
  void *v = mem_copy(val, sizeof val), *p = mem_copy(ptr, sizeof ptr), *c = mem_copy(ind, sizeof ind), *b = mem_copy(f, sizeof f);
  void *y = mem_new(sizeof x), *buffer = mem_new(4096);
  sptrsvMatDescr_t d[2];
  sptrsvInfo_t info[2];
  for (int k = 0; k < 2; k++) {
    CHECK_OK(sptrsvCreateMatDescr(&d[k]));
    CHECK_OK(sptrsvCreateInfo(&info[k]));
    CHECK_OK(sptrsvSetMatFillMode(d[k], k ? SPTRSV_FILL_MODE_UPPER : SPTRSV_FILL_MODE_LOWER));
    CHECK_OK(sptrsvSetMatDiagType(d[k], k ? SPTRSV_DIAG_TYPE_NON_UNIT : SPTRSV_DIAG_TYPE_UNIT));
    CHECK_OK(sptrsvAnalysis(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, 2, 4, d[k], SPTRSV_R_64F, v, p, c, info[k],
                            SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer));
  }
  CHECK_OK(sptrsvSolvePair(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, 2, 1, &one, SPTRSV_R_64F, d[0], 4, v, p, c, info[0], d[1], 4, v, p, c,
                           info[1], NULL, NULL, b, 2, y, 2, NULL, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer));
  if (T.on_gpu) CUDA(cudaDeviceSynchronize());
  mem_get(x, y, sizeof x);
  CHECK_THAT(x[0] == 1 && x[1] == 2, "x is %g, %g", x[0], x[1]);
  for (int k = 0; k < 2; k++) sptrsvDestroyInfo(info[k]), sptrsvDestroyMatDescr(d[k]);
  mem_free(v), mem_free(p), mem_free(c), mem_free(b), mem_free(y), mem_free(buffer);
}

static void in_a_graph(void) {
  Factors c;
  int a = place_of(SPTRSV_ALG_AUTO);
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  rng_state = 11;
  if (open_factors(&c, (Kind){.type = SPTRSV_R_64F}, GRID, 2500, a)) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    set_alpha(&c.of_l, c.l.alpha);
    CHECK_OK(sptrsvSetStream(T.h, stream));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK_OK(solve_pair(&c, ROWS_PERMUTED | COLUMNS_PERMUTED, COLUMNS, c.f, c.x));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    for (int k = 0; k < 3; k++) {
      mem_fill(c.x, 0xff, c.bytes);
      CUDA(cudaDeviceSynchronize());
      CUDA(cudaGraphLaunch(exec, stream));
      CUDA(cudaStreamSynchronize(stream));
      CHECK_OK(sptrsvSetStream(T.h, NULL));
      compare(&c, a, ROWS_PERMUTED | COLUMNS_PERMUTED, c.x, "replay");
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
  }
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  close_factors(&c);
  CUDA(cudaStreamDestroy(stream));
}

static void misuse(void) {
  Factors c;
  rng_state = 3;
  if (open_factors(&c, (Kind){.type = SPTRSV_R_64F}, GRID, 100, place_of(SPTRSV_ALG_AUTO))) {
    mem_fill(c.x, 0x5a, c.bytes);
    Factors other = c;
    other.of_u.info = c.of_l.info;
    CHECK_STATUS(solve_pair(&other, 0, COLUMNS, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("same info");
    other = c, other.of_u.info = NULL;
    CHECK_STATUS(solve_pair(&other, 0, COLUMNS, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    other = c, other.of_u.d = NULL;
    CHECK_STATUS(solve_pair(&other, 0, COLUMNS, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("descrU");
    other = c, other.work = NULL;
    CHECK_STATUS(solve_pair(&other, ROWS_PERMUTED, COLUMNS, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("work");
    other = c, other.row_there = (char *)c.row_there + 1;
    CHECK_STATUS(solve_pair(&other, ROWS_PERMUTED, COLUMNS, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("permutation of F");
    CHECK_STATUS(solve_pair(&c, 0, -1, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_STATUS(solve_pair(&c, 0, COLUMNS, NULL, c.x), SPTRSV_STATUS_INVALID_VALUE);
    /* The second factor is refused before the first one solves. */
    other = c, other.u.nnz--;
    CHECK_STATUS(solve_pair(&other, 0, COLUMNS, c.f, c.x), SPTRSV_STATUS_PATTERN_MISMATCH);
    other = c, other.of_u.val = NULL;
    CHECK_STATUS(solve_pair(&other, 0, COLUMNS, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("val");
    CHECK_OK(solve_pair(&c, 0, 0, NULL, NULL));
    CHECK_THAT(mem_is(c.x, 0x5a, c.bytes), "a refused call has touched x");
  }
  close_factors(&c);
}

static sptrsvStatus_t solve_one_pair(void *subject) {
  Factors *c = subject;
  return solve_pair(c, 0, 1, c->f, c->x);
}

static int pair_is_right(void *subject) {
  Factors *c = subject;
  char *f = malloc(c->of_l.bytes), *x = malloc(c->of_l.bytes), *apart = malloc(c->of_l.bytes);
  mem_get(f, c->f, c->of_l.bytes), mem_get(x, c->x, c->of_l.bytes);
  CHECK_OK(sptrsvSetTimeout(T.h, 10));
  solve_apart(c, 0, f, apart);
  int64_t i = 0;
  while (i < c->n) {
    num got = get(c->l.k.type, x, i), want = get(c->l.k.type, apart, i);
    if (!(cabsl(got - want) <= 1e-12L * (1 + cabsl(want)))) break;
    i++;
  }
  free(f), free(x), free(apart);
  return i == c->n;
}

static void watchdog(void) {
  int ended = 0;
  for (int a = 0; a < COUNT(ALGS); a++) {
    Factors c;
    if (!ALGS[a].self_scheduled) continue;
    rng_state = 9;
    if (open_factors(&c, (Kind){.type = SPTRSV_R_64F}, CHAIN, 100000, a)) {
      void *before = malloc(c.of_l.bytes);
      memset(before, 0x5a, c.of_l.bytes);
      Watched w = {.name = ALGS[a].name, .call = solve_one_pair, .is_right = pair_is_right, .subject = &c, .x = c.x, .before = before,
                   .count = c.n, .infos = {c.of_l.info, c.of_u.info}, .pivot = sptrsvZeroPivot, .leaves_nan = 1, .buffer = c.buffer,
                   .buffer_bytes = c.buffer_bytes};
      int was_ended = watch(&w);
      CHECK_THAT(was_ended || T.on_gpu, "%s: no pair of solves was ended", ALGS[a].name);
      ended += was_ended;
      free(before);
    }
    close_factors(&c);
  }
  printf("watchdog: %d pairs of solves were ended by it\n", ended);
  CHECK(ended > 0);
}

int main(int argc, char **argv) {
  check_begin("test_pair", argc, argv);
  RUN(every_kind);
  RUN(one_array);
  RUN_ON_GPU(in_a_graph);
  RUN(misuse);
  RUN(watchdog);
  return check_end();
}
