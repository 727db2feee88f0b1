/*
 * sptrsvSolveDense: right-hand sides and solutions, each stored by columns or by rows, with room between them or not, in
 * place where both are stored alike, with the buffer that was announced for several right-hand sides and without. Columns
 * have the bits of single solves where the algorithm is deterministic; what lies between the values of X, F, and all around
 * the buffer stay. Where both sides are stored alike, sptrsvSolveMulti and sptrsvSolveMultiRowMajor do the same.
 */
#include "copies.h"
#include "fence.h"

static const sptrsvOrder_t ORDERS[] = {SPTRSV_ORDER_COLUMN, SPTRSV_ORDER_ROW};

/* F or X: how it is stored, with its place on the host and in the executor's memory. */
typedef struct {
  sptrsvOrder_t order;
  int64_t ld;
  size_t bytes;
  char *host;
  void *dev;
} Side;

static size_t place(const System *s, const Side *side, int64_t i, int64_t c) {
  return (size_t)(side->order == SPTRSV_ORDER_ROW ? i * side->ld + c : c * side->ld + i) * s->vs;
}

/* A side all of guards. */
static Side new_side(const System *s, sptrsvOrder_t order, int64_t nrhs, int64_t room) {
  int64_t n = s->p->n, by_rows = order == SPTRSV_ORDER_ROW;
  Side side = {.order = order, .ld = (by_rows ? nrhs : n) + room};
  side.bytes = (size_t)(side.ld * (by_rows ? n : nrhs)) * s->vs;
  side.host = malloc(side.bytes + 1);
  memset(side.host, GUARD, side.bytes);
  side.dev = mem_new(side.bytes);
  mem_fill(side.dev, GUARD, side.bytes);
  return side;
}

static void free_side(Side *side) {
  free(side->host);
  mem_free(side->dev);
}

/* Between columns of n values and a side; what lies between the side's values is left alone. */
static void to_side(const System *s, Side *side, int64_t nrhs, const char *columns) {
  for (int64_t c = 0; c < nrhs; c++)
    for (int64_t i = 0; i < s->p->n; i++)
      memcpy(side->host + place(s, side, i, c), columns + (size_t)c * s->bytes + (size_t)i * s->vs, s->vs);
  mem_put(side->dev, side->host, side->bytes);
}

/* Whether all but the values is as it was. */
static int from_side(const System *s, Side *side, int64_t nrhs, char *columns) {
  mem_get(side->host, side->dev, side->bytes);
  for (int64_t c = 0; c < nrhs; c++)
    for (int64_t i = 0; i < s->p->n; i++) {
      char *value = side->host + place(s, side, i, c);
      memcpy(columns + (size_t)c * s->bytes + (size_t)i * s->vs, value, s->vs);
      memset(value, GUARD, s->vs);
    }
  size_t b = 0;
  while (b < side->bytes && side->host[b] == GUARD) b++;
  return b == side->bytes;
}

/* By sptrsvSolveDense, or by the function that is for this order only. */
static sptrsvStatus_t solve_sides(System *s, int64_t nrhs, const Side *f, const Side *x, int by_dense) {
  const Problem *p = s->p;
  const void *alpha = p->k.device_alpha ? s->alpha : s->alpha_host;
  sptrsvOperation_t op = (sptrsvOperation_t)p->k.op;
  sptrsvDataType_t type = (sptrsvDataType_t)p->k.type;
  sptrsvStatus_t status;
  sptrsvSetPointerMode(s->h, (sptrsvPointerMode_t)p->k.device_alpha);
  if (by_dense)
    status = sptrsvSolveDense(s->h, op, p->n, p->nnz, nrhs, alpha, s->d, type, s->val, s->ptr, s->ind, s->info, f->dev, f->ld,
                              f->order, x->dev, x->ld, x->order, s->policy, s->buffer);
  else
    status = (f->order == SPTRSV_ORDER_ROW ? sptrsvSolveMultiRowMajor : sptrsvSolveMulti)(
        s->h, op, p->n, p->nnz, nrhs, alpha, s->d, type, s->val, s->ptr, s->ind, s->info, f->dev, f->ld, x->dev, x->ld,
        s->policy, s->buffer);
  return host_mode_again(s, status);
}

/* ------------------------------------------------------------------------------------------ all combinations */

/* Right-hand sides of a system by columns, and their single solves. */
typedef struct {
  int64_t nrhs;
  char *f, *x;
} Columns;

static Columns make_columns(System *s, int64_t nrhs, int a) {
  Columns all = {nrhs, malloc((size_t)nrhs * s->bytes + 1), malloc((size_t)nrhs * s->bytes + 1)};
  for (int64_t i = 0; i < nrhs * s->p->n; i++) put(s->p->k.type, all.f, i, random_num(1));
  for (int64_t c = 0; c < nrhs && ALGS[a].deterministic; c++) {
    mem_put(s->f, all.f + (size_t)c * s->bytes, s->bytes);
    CHECK_OK(solve_from(s, s->f, s->x));
    char *x = all.x + (size_t)c * s->bytes;
    mem_get(x, s->x, s->bytes);
    CHECK(worst_error(s->p, s->p->alpha, all.f + (size_t)c * s->bytes, x) <= 1);
  }
  return all;
}

static void free_columns(Columns *all) { free(all->f), free(all->x); }

static const char *order_name(sptrsvOrder_t order) { return order == SPTRSV_ORDER_ROW ? "rows" : "columns"; }

/* One call, in place if both are the same side. */
static void check_call(System *s, const Columns *all, Side *f, Side *x, int by_dense, int a) {
  const Problem *p = s->p;
  int64_t nrhs = all->nrhs, differs = -1;
  int in_place = f == x, exact = ALGS[a].deterministic;
  char *got = malloc((size_t)nrhs * s->bytes + 1);
  to_side(s, f, nrhs, all->f);
  if (!in_place) mem_fill(x->dev, GUARD, x->bytes);
  Fence around = fence(s);
  sptrsvStatus_t status = solve_sides(s, nrhs, f, x, by_dense);
  int padding = from_side(s, x, nrhs, got), fenced = unfence(s, &around), f_stays = 1;
  long double worst = 0;
  for (int64_t c = 0; c < nrhs; c++) {
    size_t at = (size_t)c * s->bytes;
    if (exact && !memcmp(got + at, all->x + at, s->bytes)) continue;
    if (exact) differs = c;
    long double e = worst_error(p, p->alpha, all->f + at, got + at);
    if (e > worst) worst = e;
  }
  if (!in_place) f_stays = from_side(s, f, nrhs, got) && !memcmp(got, all->f, (size_t)nrhs * s->bytes);
  CHECK_THAT(!status && worst <= 1 && padding && fenced && f_stays && differs < 0,
             "%s: n = %" PRId64 ", nrhs %" PRId64 ", F by %s, ldf %" PRId64 ", X by %s, ldx %" PRId64
             "%s%s, %s: %s \"%s\", error / bound = %Lg%s%s%s%s",
             ALGS[a].name, p->n, nrhs, order_name(f->order), f->ld, order_name(x->order), x->ld, in_place ? ", in place" : "",
             by_dense ? "" : ", by the function for one order", kind_text(&p->k), sptrsvGetErrorName(status),
             sptrsvGetLastErrorString(), worst, padding ? "" : ", written between values of X",
             fenced ? "" : ", written outside the buffer", f_stays ? "" : ", F has changed",
             differs < 0 ? "" : ", other bits than a single solve");
  free(got);
}

/* Every order of F and X, in place where that may be, by each function that takes it; `padded`: with room between columns or
 * rows. */
static void check_orders(System *s, int64_t nrhs, int padded, int a) {
  Columns all = make_columns(s, nrhs, a);
  for (int of = 0; of < 2; of++)
    for (int ox = 0; ox < 2; ox++) {
      Side f = new_side(s, ORDERS[of], nrhs, padded * (1 + below(5)));
      Side x = new_side(s, ORDERS[ox], nrhs, padded * (1 + below(3)));
      check_call(s, &all, &f, &x, 1, a);
      if (of == ox) {
        check_call(s, &all, &x, &x, 1, a);
        check_call(s, &all, &f, &x, 0, a);
        check_call(s, &all, &x, &x, 0, a);
      }
      free_side(&f), free_side(&x);
    }
  free_columns(&all);
}

/* Announces right-hand sides before the buffer's size is asked for and the analysis made. */
static void announce(System *s, int64_t nrhs) {
  CHECK_OK(sptrsvSetExpectedRightHandSides(s->info, nrhs));
  CHECK_OK(make_buffer(s));
  CHECK_OK(analyse(s));
}

static void one_case(Kind k, enum Shape shape, int64_t n, int64_t nrhs, int announced, int padded, int a) {
  Problem p = make_problem(k, shape, n);
  System s;
  if (opened(&s, &p, a)) {
    if (announced) announce(&s, nrhs);
    check_orders(&s, nrhs, padded, a);
  }
  close_system(&s);
  free_problem(&p);
}

static Kind kind_of_type(int type) {
  Kind k = random_kind();
  k.type = type, k.in_place = 0;
  return k;
}

static void every_order_and_count(void) {
  static const int NRHS[] = {1, 2, 3, 5, 16, 33}, SIZES[] = {1, 2, 31, 64, 65, 129, 257};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int r = 0; r < COUNT(NRHS); r++)
      for (int t = 0; t < COUNT(TYPES); t++)
        for (int i = 0; i < 2 * 2; i++)
          one_case(kind_of_type(TYPES[t]), (enum Shape)below(SHAPES), SIZES[below(COUNT(SIZES))], NRHS[r], i % 2, i / 2, a);
}

/* More columns than a GPU copies at once, and rows for many of its blocks. */
static void large(void) {
  static const enum Shape SHAPE[] = {GRID, RANDOM, DENSE_ROW, EMPTY_ROWS};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      one_case(kind_of_type(TYPES[t]), SHAPE[t], 10000 + below(1000), 3 + below(4), t % 2, (int)below(2), a);
      one_case(kind_of_type(TYPES[t]), NODES, 600, 70 + below(70), t / 2, (int)below(2), a);
    }
}

/* A size that is asked for before or after another number is announced suffices for the analysis that there is. */
static void sizes_of_other_announcements(void) {
  static const int64_t ANNOUNCED[] = {1, 5, 16};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 3 * 3; i++) {
      Problem p = make_problem(kind_of_type(TYPES[below(4)]), GRID, 200);
      System s;
      if (opened(&s, &p, a)) {
        announce(&s, ANNOUNCED[i % 3]);
        CHECK_OK(sptrsvSetExpectedRightHandSides(s.info, ANNOUNCED[i / 3]));
        check_orders(&s, 17, 1, a);
        CHECK_OK(make_buffer(&s));
        check_orders(&s, 17, 0, a);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* From a copy of all values, without the matrix's arrays. */
static void from_a_copy(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      Problem p = make_problem(kind_of_type(TYPES[t]), GRID, 300);
      System s;
      if (opened(&s, &p, a)) {
        analyse_all(&s);
        check_orders(&s, 5, 1, a);
        replace_values(&s, &p);
        check_orders(&s, 5, 0, a);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* ---------------------------------------------------------------------------------- what a column may bring */

/* NaN in one right-hand side, of the bits with which memory is often marked, stays in its column; a zero pivot is found. */
static void nan_and_zero_pivots(void) {
  enum { N = 500, COLUMNS = 7, BAD = 2, ROW = 6 };
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 2 * 2 * 2; i++) {
      Problem p = make_problem((Kind){.type = TYPES[below(4)], .base = 1}, CHAIN, N);
      System s;
      if (opened(&s, &p, a)) {
        char *columns = malloc(COLUMNS * s.bytes);
        if (i / 4) announce(&s, COLUMNS);
        for (int c = 0; c < COLUMNS; c++) memcpy(columns + (size_t)c * s.bytes, p.f, s.bytes);
        memset(columns + BAD * s.bytes, 0xff, s.bytes);
        Side f = new_side(&s, ORDERS[i % 2], COLUMNS, 1), x = new_side(&s, ORDERS[i / 2 % 2], COLUMNS, 2);
        to_side(&s, &f, COLUMNS, columns);
        CHECK_OK(solve_sides(&s, COLUMNS, &f, &x, 1));
        CHECK(from_side(&s, &x, COLUMNS, columns));
        for (int c = 0; c < COLUMNS; c++) {
          const char *column = columns + (size_t)c * s.bytes;
          int64_t nans = 0;
          for (int64_t r = 0; r < N; r++) nans += nan_num(get(p.k.type, column, r));
          CHECK_THAT(c == BAD ? nans == N : nans == 0 && worst_error(&p, p.alpha, p.f, column) <= 1,
                     "%s: NaN in column %d: column %d has %" PRId64 " NaN", s.algorithm, BAD, c, nans);
        }
        pivot_is(&s, -1, "after NaN in a column");
        put_diagonal(&s, &p, ROW, 0);
        CHECK_OK(solve_sides(&s, COLUMNS, &f, &x, 1));
        pivot_is(&s, ROW, "after a bad solve");
        free_side(&f), free_side(&x), free(columns);
      }
      close_system(&s);
      free_problem(&p);
    }
}

static void nothing_to_solve(void) {
  for (int n = 0; n < 2; n++) {
    Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, DIAGONAL, n);
    System s;
    if (opened(&s, &p, 0))
      for (int i = 0; i < 4; i++) {
        Side f = {.order = ORDERS[i % 2], .ld = 3}, x = {.order = ORDERS[i / 2], .ld = 4};
        CHECK_OK(solve_sides(&s, n ? 0 : 3, &f, &x, 1));
        f.dev = x.dev = s.x;
        mem_fill(s.x, GUARD, s.bytes);
        CHECK_OK(solve_sides(&s, n ? 0 : 3, &f, &x, 1));
        CHECK(mem_is(s.x, GUARD, s.bytes));
      }
    close_system(&s);
    free_problem(&p);
  }
}

/* ------------------------------------------------------------------------------------------------ refusals */

/* A call that is refused with that status and word, and touches nothing. */
static void is_refused_by(System *s, int64_t nrhs, Side f, Side x, sptrsvStatus_t status, const char *word) {
  int alike = f.order == x.order && (f.order == SPTRSV_ORDER_ROW || f.order == SPTRSV_ORDER_COLUMN);
  for (int by_dense = !alike; by_dense < 2; by_dense++) {
    CHECK_STATUS(solve_sides(s, nrhs, &f, &x, by_dense), status);
    CHECK_MESSAGE(word);
    if (x.host) CHECK(mem_is(x.dev, GUARD, x.bytes));
  }
}

static void leading_dimensions_are_refused(System *s, Side f, Side x, int64_t nrhs) {
  const int64_t n = s->p->n, least_f = f.order == SPTRSV_ORDER_ROW ? nrhs : n, least_x = x.order == SPTRSV_ORDER_ROW ? nrhs : n;
  const int64_t small_f[] = {least_f - 1, 0, -1, -least_f, INT64_MIN}, small_x[] = {least_x - 1, 0, -1, -least_x, INT64_MIN};
  /* Of so many values, or bytes, there is no number. */
  const int64_t large[] = {INT64_MAX, INT64_MAX / 2 + 1, INT64_MAX / 3 + 1, INT64_MAX / 3 / 8 + 1};
  Side bad_f = f, bad_x = x;
  for (int i = 0; i < COUNT(small_f); i++) {
    bad_f.ld = small_f[i], bad_x.ld = small_x[i];
    is_refused_by(s, nrhs, bad_f, x, SPTRSV_STATUS_INVALID_VALUE, "ldf");
    is_refused_by(s, nrhs, f, bad_x, SPTRSV_STATUS_INVALID_VALUE, "ldx");
  }
  for (int i = 0; i < COUNT(large); i++) {
    bad_f.ld = bad_x.ld = large[i];
    is_refused_by(s, nrhs, bad_f, x, SPTRSV_STATUS_INVALID_VALUE, "ldf");
    is_refused_by(s, nrhs, f, bad_x, SPTRSV_STATUS_INVALID_VALUE, "ldx");
  }
  is_refused_by(s, INT64_MAX, f, x, SPTRSV_STATUS_INVALID_VALUE, "ldf");
  is_refused_by(s, INT64_MAX / 8, f, x, SPTRSV_STATUS_INVALID_VALUE, "ldf");
  is_refused_by(s, -1, f, x, SPTRSV_STATUS_INVALID_VALUE, "nrhs");
  is_refused_by(s, INT64_MIN, f, x, SPTRSV_STATUS_INVALID_VALUE, "nrhs");
}

static void orders_are_refused(System *s, Side f, Side x, int64_t nrhs) {
  static const int BAD[] = {0, 3, -1, 256, 257, INT32_MIN, INT32_MAX};
  Side bad_f = f, bad_x = x, same = x;
  for (int i = 0; i < COUNT(BAD); i++) {
    bad_f.order = bad_x.order = (sptrsvOrder_t)BAD[i];
    is_refused_by(s, nrhs, bad_f, x, SPTRSV_STATUS_INVALID_VALUE, "sptrsvOrder_t");
    is_refused_by(s, nrhs, f, bad_x, SPTRSV_STATUS_INVALID_VALUE, "sptrsvOrder_t");
  }
  /* In place, but stored otherwise or farther apart. */
  same.order = x.order == SPTRSV_ORDER_ROW ? SPTRSV_ORDER_COLUMN : SPTRSV_ORDER_ROW;
  same.ld = s->p->n + 2;
  is_refused_by(s, nrhs, same, x, SPTRSV_STATUS_INVALID_VALUE, "X is F");
  same = x, same.ld++;
  is_refused_by(s, nrhs, same, x, SPTRSV_STATUS_INVALID_VALUE, "X is F");
}

static void other_arguments_are_refused(System *s, Side f, Side x, int64_t nrhs) {
  Side none = f;
  none.dev = none.host = NULL;
  is_refused_by(s, nrhs, none, x, SPTRSV_STATUS_INVALID_VALUE, "F is");
  none = x, none.dev = none.host = NULL;
  is_refused_by(s, nrhs, f, none, SPTRSV_STATUS_INVALID_VALUE, "X is");
  void *buffer = s->buffer;
  s->buffer = NULL;
  is_refused_by(s, nrhs, f, x, SPTRSV_STATUS_INVALID_VALUE, "buffer");
  s->buffer = buffer;
  sptrsvInfo_t info = s->info;
  s->info = NULL;
  is_refused_by(s, nrhs, f, x, SPTRSV_STATUS_INVALID_VALUE, "info");
  CHECK_OK(sptrsvCreateInfo(&s->info));
  is_refused_by(s, nrhs, f, x, SPTRSV_STATUS_NOT_ANALYSED, "");
  CHECK_OK(sptrsvDestroyInfo(s->info));
  s->info = info;
  CHECK_OK(sptrsvSetMatFillMode(s->d, SPTRSV_FILL_MODE_UPPER));
  is_refused_by(s, nrhs, f, x, SPTRSV_STATUS_PATTERN_MISMATCH, "");
  CHECK_OK(sptrsvSetMatFillMode(s->d, SPTRSV_FILL_MODE_LOWER));
  sptrsvHandle_t h = s->h;
  s->h = NULL;
  CHECK_STATUS(solve_sides(s, nrhs, &f, &x, 1), SPTRSV_STATUS_NOT_INITIALIZED);
  s->h = h;
}

static void what_is_refused(void) {
  enum { N = 9, COLUMNS = 3 };
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4; i++) {
      Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, CHAIN, N);
      System s;
      if (opened(&s, &p, a)) {
        Side f = new_side(&s, ORDERS[i % 2], COLUMNS, 1), x = new_side(&s, ORDERS[i / 2], COLUMNS, 2);
        leading_dimensions_are_refused(&s, f, x, COLUMNS);
        orders_are_refused(&s, f, x, COLUMNS);
        other_arguments_are_refused(&s, f, x, COLUMNS);
        free_side(&f), free_side(&x);
        check_orders(&s, COLUMNS, 1, a);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* ------------------------------------------------------------------------------------------------ on the GPU */

/* Captured once, replayed with other values. The strictest mode forbids allocation and synchronisation, at the first call of an
 * info too. */
static void replays(System *s, Problem *p, cudaStream_t stream, Side *f, Side *x, int64_t nrhs) {
  cudaGraph_t graph = NULL;
  cudaGraphExec_t exec = NULL;
  char *columns = malloc((size_t)nrhs * s->bytes);
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  sptrsvStatus_t status = solve_sides(s, nrhs, f, x, 1);
  cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();
  if (CHECK_THAT(!status && ended == cudaSuccess && graph, "%s: capture: %s, \"%s\", %s", s->algorithm, sptrsvGetErrorName(status),
                 sptrsvGetLastErrorString(), cudaGetErrorString(ended)))
    CUDA(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  for (int round = 0; round < 3 && exec; round++) {
    change(s, p);
    for (int64_t c = 0; c < nrhs; c++) memcpy(columns + (size_t)c * s->bytes, p->f, s->bytes);
    to_side(s, f, nrhs, columns);
    mem_fill(x->dev, GUARD, x->bytes);
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    long double worst = from_side(s, x, nrhs, columns) ? 0 : INFINITY;
    for (int64_t c = 0; c < nrhs; c++) worst = fmaxl(worst, worst_error(p, p->alpha, p->f, columns + (size_t)c * s->bytes));
    CHECK_THAT(worst <= 1, "%s, replay %d (%s): error / bound = %Lg", s->algorithm, round, kind_text(&p->k), worst);
  }
  if (exec) CUDA(cudaGraphExecDestroy(exec));
  if (graph) CUDA(cudaGraphDestroy(graph));
  free(columns);
}

static void in_a_graph(void) {
  enum { COLUMNS = 13 };
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_OK(sptrsvSetStream(T.h, stream));
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4 * 2 * 2 * 2; i++) {
      Problem p = make_problem((Kind){.type = TYPES[i % 4], .op = (int)below(3)}, below(2) ? GRID : RANDOM, 1000);
      System s;
      if (opened(&s, &p, a)) {
        if (i / 16) announce(&s, COLUMNS);
        Side f = new_side(&s, ORDERS[i / 4 % 2], COLUMNS, 3), x = new_side(&s, ORDERS[i / 8 % 2], COLUMNS, 1);
        replays(&s, &p, stream, &f, &x, COLUMNS);
        free_side(&f), free_side(&x);
      }
      close_system(&s);
      free_problem(&p);
    }
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  CUDA(cudaStreamDestroy(stream));
}

/* Values farther apart than 32 bits count: columns or rows of X, where F lies otherwise. */
static void far_apart(void) {
  const int64_t far = ((int64_t)1 << 31) + 3;
  enum { N = 3, COLUMNS = 3 };
  void *room = NULL;
  if (cudaMalloc(&room, (size_t)(2 * far + N) * sizeof(float)) != cudaSuccess) {
    cudaGetLastError();
    printf("SKIPPED %s: it needs %zu MB of device memory\n", T.current, (size_t)(2 * far + N) * sizeof(float) >> 20);
    T.skipped++;
    return;
  }
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 2 * 2; i++) {
      Problem p = make_problem((Kind){.type = SPTRSV_R_32F}, CHAIN, N);
      System s;
      if (opened(&s, &p, a)) {
        Columns all = make_columns(&s, COLUMNS, 0);
        Side f = new_side(&s, ORDERS[i % 2], COLUMNS, 0), x = {.order = ORDERS[i / 2], .ld = far, .dev = room};
        float column[N];
        to_side(&s, &f, COLUMNS, all.f);
        CHECK_OK(solve_sides(&s, COLUMNS, &f, &x, 1));
        for (int c = 0; c < COLUMNS; c++) {
          for (int r = 0; r < N; r++) mem_get(&column[r], (char *)room + place(&s, &x, r, c), sizeof column[r]);
          CHECK_THAT(worst_error(&p, p.alpha, all.f + (size_t)c * s.bytes, column) <= 1, "%s: column %d is wrong", s.algorithm, c);
        }
        free_side(&f), free_columns(&all);
      }
      close_system(&s);
      free_problem(&p);
    }
  CUDA(cudaFree(room));
}

int main(int argc, char **argv) {
  check_begin("test_dense", argc, argv);
  /* First, so that no kernel has been loaded before a graph has it. */
  RUN_ON_GPU(in_a_graph);
  RUN(what_is_refused);
  RUN(nothing_to_solve);
  RUN(nan_and_zero_pivots);
  RUN(from_a_copy);
  RUN(sizes_of_other_announcements);
  RUN(every_order_and_count);
  RUN(large);
  RUN_ON_GPU(far_apart);
  return check_end();
}
