/*
 * Both factors in one call: X solves op(L U) X = alpha F against sums in long double, and has the bits of two solves; with and without
 * permutations, in place and not, from one array or from two, in a graph; misuse is told, and nothing is touched.
 */
#include "watched.h"

enum { COLUMNS = 3, GAP = 3, ROWS_PERMUTED = 1, COLUMNS_PERMUTED = 2, UNTOUCHED = 0x5a };
enum Storage { TWO_ARRAYS, ONE_ARRAY };

/* Two factors in the executor's memory. */
typedef struct {
  Problem l, u;
  enum Storage storage;
  System of_l, of_u;
  int64_t n;
  size_t bytes; /* of an array of right-hand sides with a gap behind each */
  size_t buffer_bytes;
  int64_t *row, *column;
  void *row_there, *column_there, *f, *x, *work, *buffer;
} Factors;

/* How a call is made. */
typedef struct {
  int permuted, columns;
  int64_t ldf, ldx;
} Way;

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

/* Both triangles and one diagonal: of U where L has a unit diagonal, else of L. */
static void make_one_array(Factors *c, Kind k, Kind upper, enum Shape shape, int64_t n) {
  Entries strict = {0}, list = {0};
  push_shape(&strict, shape, n);
  int64_t *degree = calloc((size_t)(n + 1), sizeof *degree);
  for (int64_t t = 0; t < strict.count; t++) degree[strict.e[t].i]++, degree[strict.e[t].j]++;
  for (int64_t t = 0; t < strict.count; t++) {
    int64_t i = strict.e[t].i, j = strict.e[t].j;
    long double most = (long double)(degree[i] > degree[j] ? degree[i] : degree[j]);
    push(&list, i, j, random_num(0.9L / most)), push(&list, j, i, random_num(0.9L / most));
  }
  for (int64_t i = 0; i < n; i++) push(&list, i, i, random_pivot());
  c->l = pack(k, n, list);
  c->l.alpha = CMPLXL(1.25L, 0.5L);
  c->u = c->l, c->u.k = upper;
  free(strict.e), free(degree);
}

/* The second info is analysed, and solves, by the arrays of the first. */
static int share_arrays(System *u, const System *l) {
  mem_free(u->val), mem_free(u->ptr), mem_free(u->ind);
  u->val = l->val, u->ptr = l->ptr, u->ind = l->ind;
  return CHECK_OK(analyse(u));
}

static int open_factors(Factors *c, Kind k, int diag_of_u, enum Storage storage, enum Shape shape, int64_t n, int a) {
  Kind upper = k;
  upper.fill = SPTRSV_FILL_MODE_UPPER, upper.diag = diag_of_u;
  *c = (Factors){.n = n, .storage = storage, .bytes = (size_t)(n + GAP) * COLUMNS * value_size(k.type)};
  if (storage == ONE_ARRAY) {
    upper.diag = k.diag == SPTRSV_DIAG_TYPE_UNIT ? SPTRSV_DIAG_TYPE_NON_UNIT : SPTRSV_DIAG_TYPE_UNIT;
    make_one_array(c, k, upper, shape, n);
  } else {
    upper.wide = 0, upper.base = 1 - k.base;
    c->l = make_problem(k, shape, n), c->u = make_problem(upper, shape, n);
  }
  int good = opened(&c->of_l, &c->l, a);
  good = opened(&c->of_u, &c->u, a) && good;
  if (good && storage == ONE_ARRAY) good = share_arrays(&c->of_u, &c->of_l);
  c->row = any_order(n), c->column = any_order(n);
  c->row_there = to_executor(c, c->row), c->column_there = to_executor(c, c->column);
  void *f = malloc(c->bytes + 1);
  for (int64_t i = 0; i < (n + GAP) * COLUMNS; i++) put(k.type, f, i, random_num(1));
  c->f = mem_copy(f, c->bytes), c->x = mem_new(c->bytes), c->work = mem_new(c->bytes);
  free(f);
  c->buffer_bytes = c->of_l.buffer_bytes > c->of_u.buffer_bytes ? c->of_l.buffer_bytes : c->of_u.buffer_bytes;
  c->buffer = mem_new(c->buffer_bytes + 1);
  return good;
}

static void close_factors(Factors *c) {
  if (c->of_u.val == c->of_l.val) c->of_u.val = c->of_u.ptr = c->of_u.ind = NULL;
  close_system(&c->of_l), close_system(&c->of_u);
  mem_free(c->row_there), mem_free(c->column_there), mem_free(c->f), mem_free(c->x), mem_free(c->work), mem_free(c->buffer);
  free(c->row), free(c->column);
  free_problem(&c->l);
  if (c->storage == TWO_ARRAYS) free_problem(&c->u);
}

static sptrsvStatus_t solve_pair(Factors *c, const Way *w, const void *f, void *x) {
  System *l = &c->of_l, *u = &c->of_u;
  sptrsvSetPointerMode(T.h, (sptrsvPointerMode_t)c->l.k.device_alpha);
  sptrsvStatus_t status = sptrsvSolvePair(
      T.h, (sptrsvOperation_t)c->l.k.op, c->n, w->columns, c->l.k.device_alpha ? l->alpha : l->alpha_host,
      (sptrsvDataType_t)c->l.k.type, l->d, c->l.nnz, l->val, l->ptr, l->ind, l->info, u->d, c->u.nnz, u->val, u->ptr, u->ind, u->info,
      w->permuted & ROWS_PERMUTED ? c->row_there : NULL, w->permuted & COLUMNS_PERMUTED ? c->column_there : NULL, f, w->ldf, x, w->ldx,
      w->permuted ? c->work : NULL, SPTRSV_SOLVE_POLICY_USE_LEVEL, (char *)c->buffer + 1);
  return host_mode_again(l, status);
}

/* Where the factors' unknowns are in F and in X; NULL: where they are in the factors. */
static const int64_t *order_of(const Factors *c, int permuted, int is_row) {
  if (is_row) return permuted & ROWS_PERMUTED ? c->row : NULL;
  return permuted & COLUMNS_PERMUTED ? c->column : NULL;
}
static const int64_t *order_of_f(const Factors *c, int permuted) { return order_of(c, permuted, c->l.k.op == SPTRSV_OPERATION_NON_TRANSPOSE); }
static const int64_t *order_of_x(const Factors *c, int permuted) { return order_of(c, permuted, c->l.k.op != SPTRSV_OPERATION_NON_TRANSPOSE); }

/* An element of op(A) x, the sum of what it is made of without signs, and what rounding in a solve by A may have done to it. */
typedef struct {
  num value;
  long double size, error;
} Sum;

/* x becomes op(A) x. A solve by a row of so many terms is within 4 (terms + 4) eps of the sizes of the sum and of the right-hand side,
 * which is no larger. */
static void multiply(const Problem *p, Sum *x) {
  const Kind *k = &p->k;
  long double eps = is_single(k->type) ? FLT_EPSILON : DBL_EPSILON;
  Sum *y = calloc((size_t)(p->n + 1), sizeof *y);
  int64_t *terms = calloc((size_t)(p->n + 1), sizeof *terms);
  if (k->diag == SPTRSV_DIAG_TYPE_UNIT) memcpy(y, x, (size_t)p->n * sizeof *y);
  for (int64_t t = 0; t < p->nnz; t++) {
    const Entry *e = &p->e[t];
    if (!is_kept(k, e)) continue;
    num a = get(k->type, p->val, t);
    Sum *to = &y[k->op ? e->j : e->i], *from = &x[k->op ? e->i : e->j];
    to->value += (k->op == SPTRSV_OPERATION_CONJUGATE_TRANSPOSE ? conjl(a) : a) * from->value;
    to->size += cabsl(a) * from->size, to->error += cabsl(a) * from->error;
    terms[to - y]++;
  }
  for (int64_t i = 0; i < p->n; i++) y[i].error += 8 * (long double)(terms[i] + 4) * eps * y[i].size;
  memcpy(x, y, (size_t)p->n * sizeof *y);
  free(y), free(terms);
}

/* For each row of the factors |alpha f - op(L U) x| over what rounding in two solves may leave of it: at most 1 where x is right. */
static void errors_of_column(const Factors *c, int permuted, const void *f, const void *x, long double *error) {
  int type = c->l.k.type, is_plain = c->l.k.op == SPTRSV_OPERATION_NON_TRANSPOSE;
  const int64_t *read = order_of_f(c, permuted), *written = order_of_x(c, permuted);
  Sum *sum = malloc((size_t)(c->n + 1) * sizeof *sum);
  for (int64_t i = 0; i < c->n; i++) {
    num xi = get(type, x, written ? written[i] : i);
    sum[i] = (Sum){.value = xi, .size = cabsl(xi)};
  }
  multiply(is_plain ? &c->u : &c->l, sum);
  multiply(is_plain ? &c->l : &c->u, sum);
  char alpha[16]; /* as the type rounds it */
  put(type, alpha, 0, c->l.alpha);
  for (int64_t i = 0; i < c->n; i++) {
    long double rest = cabsl(get(type, alpha, 0) * get(type, f, read ? read[i] : i) - sum[i].value);
    error[i] = rest == 0 ? 0 : rest / sum[i].error;
    if (isnan(error[i])) error[i] = INFINITY;
  }
  free(sum);
}

static long double worst_of_column(const Factors *c, int permuted, const void *f, const void *x) {
  long double *error = malloc((size_t)(c->n + 1) * sizeof *error), worst = 0;
  errors_of_column(c, permuted, f, x, error);
  for (int64_t i = 0; i < c->n; i++) worst = fmaxl(worst, error[i]);
  free(error);
  return worst;
}

/* What two calls give for one column of the host's f. */
static void solve_apart(Factors *c, int permuted, const char *f, char *x) {
  size_t vs = c->of_l.vs, bytes = c->of_l.bytes;
  int is_plain = c->l.k.op == SPTRSV_OPERATION_NON_TRANSPOSE;
  const int64_t *read = order_of_f(c, permuted), *written = order_of_x(c, permuted);
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
  set_alpha(&c->of_l, c->l.alpha);
  free(between);
}

/* Whether nobody has written behind the columns of x, which were `before`. */
static int gaps_are_kept(const Factors *c, const Way *w, const char *before, const char *x) {
  size_t vs = c->of_l.vs, bytes = c->of_l.bytes, end = c->bytes;
  for (int j = 0; j < w->columns; j++) {
    size_t behind = (size_t)(j * w->ldx) * vs + bytes, next = j + 1 < w->columns ? (size_t)((j + 1) * w->ldx) * vs : end;
    if (memcmp(before + behind, x + behind, next - behind)) return 0;
  }
  return 1;
}

/* The columns of x, which was `before`, for those of f, both on the host. */
static void judge(Factors *c, int a, const Way *w, const char *f, const char *before, const char *x, const char *what) {
  size_t vs = c->of_l.vs, bytes = c->of_l.bytes;
  char *expected = malloc(bytes + 1);
  for (int j = 0; j < w->columns; j++) {
    const char *f_j = f + (size_t)(j * w->ldf) * vs, *x_j = x + (size_t)(j * w->ldx) * vs;
    long double worst = worst_of_column(c, w->permuted, f_j, x_j);
    CHECK_THAT(worst <= 1, "%s, %s: column %d, permuted %d, error / bound = %Lg (%s)", ALGS[a].name, what, j, w->permuted, worst,
               kind_text(&c->l.k));
    if (!ALGS[a].deterministic) continue;
    solve_apart(c, w->permuted, f_j, expected);
    CHECK_THAT(!memcmp(x_j, expected, bytes), "%s, %s: column %d has other bits than two solves, permuted %d (%s)", ALGS[a].name, what, j,
               w->permuted, kind_text(&c->l.k));
  }
  CHECK_THAT(gaps_are_kept(c, w, before, x), "%s, %s: something was written between the columns (%s)", ALGS[a].name, what,
             kind_text(&c->l.k));
  free(expected);
}

/* From f into x, or in place, whatever the columns' distances. */
static void one_call(Factors *c, int a, const Way *w, int in_place) {
  char *f = malloc(c->bytes + 1), *before = malloc(c->bytes + 1), *x = malloc(c->bytes + 1), what[80];
  snprintf(what, sizeof what, "%d columns %s, ldf = m + %d, ldx = m + %d", w->columns, in_place ? "in place" : "into X",
           (int)(w->ldf - c->n), (int)(w->ldx - c->n));
  mem_get(f, c->f, c->bytes);
  if (in_place)
    memcpy(before, f, c->bytes);
  else
    memset(before, UNTOUCHED, c->bytes);
  mem_put(c->x, before, c->bytes);
  if (CHECK_OK(solve_pair(c, w, in_place ? c->x : c->f, c->x))) {
    if (T.on_gpu) CUDA(cudaDeviceSynchronize());
    mem_get(x, c->x, c->bytes);
    judge(c, a, w, f, before, x, what);
  }
  free(f), free(before), free(x);
}

static void one_case(Kind k, int diag_of_u, enum Storage storage, enum Shape shape, int64_t n, int a) {
  rng_state = (uint64_t)(n * 31 + shape * 7 + k.type + k.op);
  Factors c;
  if (open_factors(&c, k, diag_of_u, storage, shape, n, a))
    for (int permuted = 0; permuted < 4; permuted++) {
      one_call(&c, a, &(Way){permuted, 1, n, n}, 0);
      one_call(&c, a, &(Way){permuted, 1, n, n}, 1);
      one_call(&c, a, &(Way){permuted, COLUMNS, n + GAP, n + 1}, 0);
      one_call(&c, a, &(Way){permuted, COLUMNS, n, n + GAP}, 0);
      one_call(&c, a, &(Way){permuted, COLUMNS, n + 2, n + 2}, 1);
    }
  close_factors(&c);
}

static void every_kind(void) {
  static const enum Shape SHAPES_HERE[] = {DIAGONAL, CHAIN, GRID, RANDOM, NODES};
  for (int t = 0; t < COUNT(TYPES); t++)
    for (int op = 0; op < 3; op++)
      for (int shape = 0; shape < COUNT(SHAPES_HERE); shape++)
        for (int a = 0; a < COUNT(ALGS); a++) {
          Kind k = {.type = TYPES[t], .op = op, .diag = shape & 1, .base = t & 1, .wide = (t + op) % 3,
                    .unsorted = SHAPES_HERE[shape] == RANDOM, .device_alpha = (op + shape + a) & 1};
          int diag_of_u = (shape / 2 + t + a) & 1 ? SPTRSV_DIAG_TYPE_UNIT : SPTRSV_DIAG_TYPE_NON_UNIT;
          one_case(k, diag_of_u, TWO_ARRAYS, SHAPES_HERE[shape], a == 0 ? 900 : 150, a);
          one_case(k, diag_of_u, ONE_ARRAY, SHAPES_HERE[shape], a == 0 ? 700 : 150, a);
        }
  one_case((Kind){.type = SPTRSV_R_64F}, SPTRSV_DIAG_TYPE_NON_UNIT, TWO_ARRAYS, GRID, 40000, place_of(SPTRSV_ALG_AUTO));
}

/* An index that names no row gives NaN in F, and one that names no column leaves X as it is. */
static void indices_that_are_none(void) {
  for (int t = 0; t < COUNT(TYPES); t++)
    for (int variant = 0; variant < 12; variant++) {
      Kind k = {.type = TYPES[t], .op = variant % 3, .base = variant / 3 % 2, .wide = variant / 6 * 2};
      int64_t n = 50, bad[] = {k.base - 1, n + k.base, INT32_MIN, INT32_MAX, k.wide ? (INT64_C(1) << 32) + 7 : -1, k.wide ? INT64_MIN : INT32_MIN + 1};
      enum { FROM_F = 2, FROM_X = 20 };
      Factors c;
      rng_state = (uint64_t)variant;
      /* No unknown depends on another one. */
      if (open_factors(&c, k, SPTRSV_DIAG_TYPE_NON_UNIT, TWO_ARRAYS, DIAGONAL, n, place_of(SPTRSV_ALG_AUTO))) {
        int is_plain = k.op == SPTRSV_OPERATION_NON_TRANSPOSE;
        char *read = is_plain ? c.row_there : c.column_there, *written = is_plain ? c.column_there : c.row_there;
        size_t width = k.wide ? 8 : 4;
        for (int i = 0; i < COUNT(bad); i++) {
          char index[8];
          put_index(k.wide, index, 0, bad[i]);
          mem_put(read + (size_t)(FROM_F + i) * width, index, width), mem_put(written + (size_t)(FROM_X + i) * width, index, width);
        }
        char *f = malloc(c.bytes), *before = malloc(c.bytes), *x = malloc(c.bytes);
        long double *error = malloc((size_t)n * sizeof *error);
        Way w = {ROWS_PERMUTED | COLUMNS_PERMUTED, COLUMNS, n + 1, n + 2};
        memset(before, UNTOUCHED, c.bytes);
        mem_put(c.x, before, c.bytes);
        CHECK_OK(solve_pair(&c, &w, c.f, c.x));
        if (T.on_gpu) CUDA(cudaDeviceSynchronize());
        mem_get(f, c.f, c.bytes), mem_get(x, c.x, c.bytes);
        CHECK(gaps_are_kept(&c, &w, before, x));
        for (int j = 0; j < COLUMNS; j++) {
          const char *x_j = x + (size_t)(j * w.ldx) * c.of_l.vs;
          errors_of_column(&c, w.permuted, f + (size_t)(j * w.ldf) * c.of_l.vs, x_j, error);
          for (int64_t i = 0; i < n; i++) {
            int64_t place = order_of_x(&c, w.permuted)[i];
            int is_from_none = i >= FROM_F && i < FROM_F + COUNT(bad), is_left = i >= FROM_X && i < FROM_X + COUNT(bad);
            int right = is_from_none ? nan_num(get(k.type, x_j, place))
                        : is_left    ? !memcmp(x_j + (size_t)place * c.of_l.vs, before, c.of_l.vs)
                                     : error[i] <= 1;
            CHECK_THAT(right, "unknown %" PRId64 " of column %d (%s)", i, j, kind_text(&k));
          }
        }
        free(f), free(before), free(x), free(error);
      }
      close_factors(&c);
    }
}

/* A factor without an entry on its diagonal: nothing is refused, and its info tells the row. */
static void missing_diagonal(void) {
  enum { ROW = 42 };
  for (int is_upper = 0; is_upper < 2; is_upper++) {
    Factors c;
    rng_state = 4;
    int good = open_factors(&c, (Kind){.type = SPTRSV_R_64F, .base = 1}, SPTRSV_DIAG_TYPE_NON_UNIT, TWO_ARRAYS, GRID, 100,
                            place_of(SPTRSV_ALG_AUTO));
    Problem *whole = is_upper ? &c.u : &c.l, p;
    System *s = is_upper ? &c.of_u : &c.of_l;
    Entries list = {0};
    for (int64_t t = 0; t < whole->nnz; t++)
      if (whole->e[t].i != ROW || whole->e[t].j != ROW) push(&list, whole->e[t].i, whole->e[t].j, get(whole->k.type, whole->val, t));
    p = pack(whole->k, whole->n, list), p.alpha = whole->alpha;
    free_problem(whole);
    *whole = p;
    close_system(s);
    if (opened(s, whole, place_of(SPTRSV_ALG_AUTO)) && good) {
      int64_t row = NO_ROW;
      double x;
      CHECK_OK(solve_pair(&c, &(Way){0, 1, c.n, c.n}, c.f, c.x));
      CHECK_STATUS(sptrsvZeroPivot(T.h, s->info, &row), SPTRSV_STATUS_ZERO_PIVOT);
      CHECK(row == ROW + whole->k.base);
      CHECK_OK(sptrsvZeroPivot(T.h, is_upper ? c.of_l.info : c.of_u.info, &row));
      mem_get(&x, (double *)c.x + ROW, sizeof x);
      CHECK_THAT(!isfinite(x), "x of the row is %g", x);
    }
    close_factors(&c);
  }
}

/* Exactly, from one array: A = (2 1; 4 5) = (1 0; 2 1) (2 1; 0 3). */
static void by_hand(void) {
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
  if (open_factors(&c, (Kind){.type = SPTRSV_R_64F}, SPTRSV_DIAG_TYPE_NON_UNIT, TWO_ARRAYS, GRID, 2500, a)) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    Way w = {ROWS_PERMUTED | COLUMNS_PERMUTED, COLUMNS, c.n + 1, c.n + 2};
    char *f = malloc(c.bytes), *before = malloc(c.bytes), *x = malloc(c.bytes);
    mem_get(f, c.f, c.bytes);
    memset(before, UNTOUCHED, c.bytes);
    CHECK_OK(sptrsvSetStream(T.h, stream));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK_OK(solve_pair(&c, &w, c.f, c.x));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    for (int k = 0; k < 3; k++) {
      mem_put(c.x, before, c.bytes);
      CUDA(cudaGraphLaunch(exec, stream));
      CUDA(cudaStreamSynchronize(stream));
      CHECK_OK(sptrsvSetStream(T.h, NULL));
      mem_get(x, c.x, c.bytes);
      judge(&c, a, &w, f, before, x, "replay");
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    free(f), free(before), free(x);
  }
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  close_factors(&c);
  CUDA(cudaStreamDestroy(stream));
}

static void misuse(void) {
  const int64_t n = 100;
  const Way plain = {0, COLUMNS, n, n}, by_rows = {ROWS_PERMUTED, COLUMNS, n, n};
  Factors c;
  rng_state = 3;
  if (open_factors(&c, (Kind){.type = SPTRSV_R_64F}, SPTRSV_DIAG_TYPE_NON_UNIT, TWO_ARRAYS, GRID, n, place_of(SPTRSV_ALG_AUTO))) {
    mem_fill(c.x, UNTOUCHED, c.bytes);
    Factors other = c;
    other.of_u.info = c.of_l.info;
    CHECK_STATUS(solve_pair(&other, &plain, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("same info");
    other = c, other.of_u.info = NULL;
    CHECK_STATUS(solve_pair(&other, &plain, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("infoU");
    other = c, other.of_l.info = NULL;
    CHECK_STATUS(solve_pair(&other, &plain, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("infoL");
    other = c, other.of_u.d = NULL;
    CHECK_STATUS(solve_pair(&other, &plain, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("descrU");
    other = c, other.work = NULL;
    CHECK_STATUS(solve_pair(&other, &by_rows, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("work");
    other = c, other.row_there = (char *)c.row_there + 1;
    CHECK_STATUS(solve_pair(&other, &by_rows, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("permutation of F");
    CHECK_STATUS(solve_pair(&c, &(Way){0, -1, n, n}, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_STATUS(solve_pair(&c, &plain, NULL, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_STATUS(solve_pair(&c, &(Way){0, COLUMNS, n - 1, n}, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("ldf");
    CHECK_STATUS(solve_pair(&c, &(Way){0, COLUMNS, n, n - 1}, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("ldx");
    CHECK_STATUS(solve_pair(&c, &(Way){0, COLUMNS, n, n + 1}, c.x, c.x), SPTRSV_STATUS_INVALID_VALUE);
    /* The second factor is refused before the first one solves. */
    other = c, other.u.nnz--;
    CHECK_STATUS(solve_pair(&other, &plain, c.f, c.x), SPTRSV_STATUS_PATTERN_MISMATCH);
    CHECK_MESSAGE("nnz");
    sptrsvInfo_t not_analysed;
    CHECK_OK(sptrsvCreateInfo(&not_analysed));
    other = c, other.of_u.info = not_analysed;
    CHECK_STATUS(solve_pair(&other, &plain, c.f, c.x), SPTRSV_STATUS_NOT_ANALYSED);
    CHECK_MESSAGE("sptrsvAnalysis");
    other = c, other.of_l.info = not_analysed;
    CHECK_STATUS(solve_pair(&other, &plain, c.f, c.x), SPTRSV_STATUS_NOT_ANALYSED);
    CHECK_MESSAGE("sptrsvAnalysis");
    CHECK_OK(sptrsvDestroyInfo(not_analysed));
    other = c, other.of_u.val = NULL;
    CHECK_STATUS(solve_pair(&other, &plain, c.f, c.x), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("val");
    CHECK_OK(solve_pair(&c, &(Way){0, 0, n, n}, NULL, NULL));
    CHECK_THAT(mem_is(c.x, UNTOUCHED, c.bytes), "a refused call has touched x");
  }
  close_factors(&c);
}

typedef struct {
  Factors c;
  Way way;
} Subject;

static sptrsvStatus_t solve_one_pair(void *subject) {
  Subject *s = subject;
  return solve_pair(&s->c, &s->way, s->c.f, s->c.x);
}

static int pair_is_right(void *subject) {
  Subject *s = subject;
  char *f = malloc(s->c.bytes), *x = malloc(s->c.bytes);
  mem_get(f, s->c.f, s->c.bytes), mem_get(x, s->c.x, s->c.bytes);
  long double worst = worst_of_column(&s->c, s->way.permuted, f, x);
  free(f), free(x);
  return worst <= 1;
}

static void watchdog(void) {
  const int64_t n = 100000;
  int ended = 0;
  for (int a = 0; a < COUNT(ALGS); a++) {
    Subject s = {.way = {0, 1, n, n}};
    Factors *c = &s.c;
    if (!ALGS[a].self_scheduled) continue;
    rng_state = 9;
    if (open_factors(c, (Kind){.type = SPTRSV_R_64F}, SPTRSV_DIAG_TYPE_NON_UNIT, TWO_ARRAYS, CHAIN, n, a)) {
      void *before = malloc(c->of_l.bytes);
      memset(before, UNTOUCHED, c->of_l.bytes);
      for (int permuted = 0; permuted < 4; permuted += 3) {
        s.way.permuted = permuted;
        char name[80];
        snprintf(name, sizeof name, "%s%s", ALGS[a].name, permuted ? ", permuted" : "");
        Watched w = {.name = name, .call = solve_one_pair, .is_right = pair_is_right, .subject = &s, .x = c->x, .before = before,
                     .count = n, .infos = {c->of_l.info, c->of_u.info}, .pivot = sptrsvZeroPivot, .leaves_nan = 1, .buffer = c->buffer,
                     .buffer_bytes = c->buffer_bytes};
        int was_ended = watch(&w);
        CHECK_THAT(was_ended || T.on_gpu, "%s: no pair of solves was ended", name);
        ended += was_ended;
      }
      free(before);
    }
    close_factors(c);
  }
  printf("watchdog: %d pairs of solves were ended by it\n", ended);
  CHECK(ended > 0);
}

int main(int argc, char **argv) {
  check_begin("test_pair", argc, argv);
  RUN(every_kind);
  RUN(indices_that_are_none);
  RUN(missing_diagonal);
  RUN(by_hand);
  RUN_ON_GPU(in_a_graph);
  RUN(misuse);
  RUN(watchdog);
  return check_end();
}
