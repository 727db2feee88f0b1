/*
 * Gauss-Seidel and SOR sweeps: each row's equation holds with the new unknowns of one triangle and the old ones of the other, component
 * by component, against sums in long double; misuse is told, and nothing is touched.
 */
#include "problem.h"

typedef struct {
  const Problem *p;
  sptrsvInfo_t info;
  sptrsvMatDescr_t d;
  void *val, *ptr, *ind, *diag, *b, *x, *buffer;
} Swept;

/* A whole matrix of the pattern of a shape, each place once, with a heavy diagonal. */
static Problem make_matrix(Kind k, enum Shape shape, int64_t n) {
  Entries strict = {0}, list = {0};
  push_shape(&strict, shape, n);
  long double *size = calloc((size_t)(n + 1), sizeof *size);
  if (!size) fatal("calloc", "out of memory");
  for (int64_t t = 0; t < strict.count; t++) {
    Entry e = strict.e[t];
    push(&list, e.i, e.j, random_num(1));
    size[e.i] += 1;
    if (below(5)) push(&list, e.j, e.i, random_num(1)), size[e.j] += 1;
  }
  for (int64_t i = 0; i < n; i++) push(&list, i, i, CMPLXL(1 + size[i], uniform()));
  free(strict.e), free(size);
  Problem p = pack(k, n, list);
  for (int64_t i = 0; i < n; i++) put(k.type, p.diag, i, CMPLXL(2 + uniform(), 0));
  return p;
}

static int open_sweep(Swept *s, const Problem *p, int with_diagonal) {
  size_t vs = value_size(p->k.type), bytes = 0;
  *s = (Swept){.p = p};
  CHECK_OK(sptrsvCreateMatDescr(&s->d));
  CHECK_OK(sptrsvSetMatIndexBase(s->d, (sptrsvIndexBase_t)p->k.base));
  CHECK_OK(sptrsvSetMatFillMode(s->d, (sptrsvFillMode_t)p->k.fill));
  CHECK_OK(sptrsvSetMatIndexTypes(s->d, p->k.wide >= 1 ? SPTRSV_INDEX_64I : SPTRSV_INDEX_32I,
                                  p->k.wide >= 2 ? SPTRSV_INDEX_64I : SPTRSV_INDEX_32I));
  CHECK_OK(sptrsvCreateInfo(&s->info));
  CHECK_OK(sptrsvSetSweeps(s->info, 1));
  s->val = mem_copy(p->val, (size_t)p->nnz * vs + 1);
  s->ptr = mem_copy(p->ptr, (size_t)(p->n + 1) * (p->k.wide >= 1 ? 8 : 4));
  s->ind = mem_copy(p->ind, (size_t)p->nnz * (p->k.wide >= 2 ? 8 : 4) + 1);
  s->diag = mem_copy(p->diag, (size_t)p->n * vs + 1);
  s->b = mem_copy(p->f, (size_t)p->n * vs + 1);
  s->x = mem_new((size_t)p->n * vs + 1);
  if (with_diagonal) CHECK_OK(sptrsvSetDiagonal(s->info, s->diag));
  CHECK_OK(sptrsvBufferSize(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p->n, p->nnz, s->d, (sptrsvDataType_t)p->k.type, NULL, NULL, NULL,
                            s->info, &bytes));
  s->buffer = mem_new(bytes + 1);
  return CHECK_OK(sptrsvAnalysis(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p->n, p->nnz, s->d, (sptrsvDataType_t)p->k.type, NULL, s->ptr,
                                 s->ind, s->info, SPTRSV_SOLVE_POLICY_USE_LEVEL, (char *)s->buffer + 1));
}

static void close_sweep(Swept *s) {
  mem_free(s->val), mem_free(s->ptr), mem_free(s->ind), mem_free(s->diag), mem_free(s->b), mem_free(s->x), mem_free(s->buffer);
  sptrsvDestroyInfo(s->info), sptrsvDestroyMatDescr(s->d);
}

static sptrsvStatus_t sweep(Swept *s, double weight, int zero) {
  const Problem *p = s->p;
  return sptrsvSweep(T.h, p->n, p->nnz, weight, zero, s->d, (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->info, s->b, s->x,
                     (char *)s->buffer + 1);
}

/* The worst row's |d x + L x + (A - L - d) old - b| over 4 (n_row + 8) eps of the sum of its terms' absolute values. */
static long double worst_row(const Problem *p, const void *old, const void *x, double weight, int zero, int with_diagonal) {
  int type = p->k.type, lower = p->k.fill == SPTRSV_FILL_MODE_LOWER;
  long double eps = is_single(type) ? FLT_EPSILON : DBL_EPSILON, worst = 0;
  for (int64_t i = 0, t = 0; i < p->n; i++) {
    num own = 0, r = -get(type, p->f, i), xi = get(type, x, i), before = zero ? 0 : get(type, old, i);
    long double size = cabsl(r);
    int64_t terms = 8;
    for (; t < p->nnz && p->e[t].i == i; t++, terms++) {
      num a = get(type, p->val, t), y;
      if (p->e[t].j == i) {
        own += a;
        continue;
      }
      y = (p->e[t].j < i) == lower ? get(type, x, p->e[t].j) : zero ? 0 : get(type, old, p->e[t].j);
      r += a * y, size += cabsl(a * y);
    }
    num d = (with_diagonal ? get(type, p->diag, i) : own) / weight;
    r += d * xi + (own - d) * before;
    size += cabsl(d * xi) + (cabsl(own) + cabsl(d)) * cabsl(before);
    long double error = cabsl(r) / (4 * (long double)terms * eps * size);
    if (!(error <= worst)) worst = isnan(error) ? INFINITY : error;
  }
  return worst;
}

static void one_case(Kind k, enum Shape shape, int64_t n, double weight, int zero, int with_diagonal) {
  rng_state = (uint64_t)(n * 31 + shape * 7 + k.type + k.fill);
  Problem p = make_matrix(k, shape, n);
  size_t bytes = (size_t)n * value_size(k.type);
  void *old = malloc(bytes + 1), *first = malloc(bytes + 1), *x = malloc(bytes + 1);
  for (int64_t i = 0; i < n; i++) put(k.type, old, i, zero ? CMPLXL(NAN, NAN) : random_num(1));
  Swept s;
  if (open_sweep(&s, &p, with_diagonal))
    for (int run = 0; run < 2; run++) {
      mem_put(s.x, old, bytes);
      CHECK_OK(sweep(&s, weight, zero));
      mem_get(run ? x : first, s.x, bytes);
      if (run) {
        CHECK_THAT(!memcmp(first, x, bytes), "other bits in the second run (%s)", kind_text(&k));
        continue;
      }
      long double worst = worst_row(&p, old, first, weight, zero, with_diagonal);
      CHECK_THAT(worst <= 1, "%s, n = %lld, weight %g%s%s: error %Lg of the bound (%s)", SHAPE_NAMES[shape % SHAPES], (long long)n, weight,
                 zero ? ", from zero" : "", with_diagonal ? ", separate diagonal" : "", worst, kind_text(&k));
    }
  close_sweep(&s);
  free(old), free(first), free(x);
  free_problem(&p);
}

static void every_kind(void) {
  static const enum Shape SHAPES_HERE[] = {DIAGONAL, CHAIN, GRID, RANDOM, DENSE_ROW, NODES, TAIL, BAND};
  static const double WEIGHTS[] = {1, 0.7, 1.5};
  for (int t = 0; t < COUNT(TYPES); t++)
    for (int fill = 0; fill < 2; fill++)
      for (int shape = 0; shape < COUNT(SHAPES_HERE); shape++)
        for (int w = 0; w < COUNT(WEIGHTS); w++)
          for (int variant = 0; variant < 3; variant++) {
            Kind k = {.type = TYPES[t], .fill = fill, .base = variant & 1, .wide = variant, .unsorted = variant == 2};
            one_case(k, SHAPES_HERE[shape], variant ? 300 : 2500, WEIGHTS[w], variant == 1, w == 2 || variant == 2);
          }
  one_case((Kind){.type = SPTRSV_R_64F}, GRID, 160000, 1, 0, 0);
  one_case((Kind){.type = SPTRSV_R_64F, .fill = SPTRSV_FILL_MODE_UPPER}, STREWN, 40000, 1.2, 0, 1);
}

/* Sweeps solve: from any guess, the error of a heavy diagonal falls under rounding. */
static void sweeps_converge(void) {
  rng_state = 5;
  Problem p = make_matrix((Kind){.type = SPTRSV_R_64F}, GRID, 4900);
  size_t bytes = (size_t)p.n * sizeof(double);
  double *x = calloc((size_t)p.n, sizeof *x), *before = calloc((size_t)p.n, sizeof *x), change = 0;
  Swept s;
  if (open_sweep(&s, &p, 0)) {
    mem_put(s.x, x, bytes);
    for (int k = 0; k < 200; k++) {
      memcpy(before, x, bytes);
      CHECK_OK(sweep(&s, 1, 0));
      mem_get(x, s.x, bytes);
    }
    for (int64_t i = 0; i < p.n; i++) change = fmax(change, fabs(x[i] - before[i]));
    CHECK_THAT(change < 1e-13, "the last sweep changed x by %g", change);
  }
  close_sweep(&s);
  free(x), free(before);
  free_problem(&p);
}

static void misuse(void) {
  Problem p = make_matrix((Kind){.type = SPTRSV_R_64F}, GRID, 100);
  double x[100], now[100], one = 1;
  int enabled = 0;
  Swept s;
  for (int i = 0; i < 100; i++) x[i] = i;
  if (open_sweep(&s, &p, 0)) {
    mem_put(s.x, x, sizeof x);
    CHECK_OK(sptrsvGetSweeps(s.info, &enabled));
    CHECK(enabled == 1);
    CHECK_STATUS(sptrsvSetSweeps(s.info, 7), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_STATUS(sptrsvSetSweeps(NULL, 1), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_STATUS(sweep(&s, 0, 0), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("weight");
    CHECK_STATUS(sweep(&s, NAN, 0), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_STATUS(sweep(&s, 1, 2), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("zeroGuess");
    /* A solve with such an info has no diagonal. */
    CHECK_STATUS(sptrsvSolve(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p.n, p.nnz, &one, s.d, SPTRSV_R_64F, s.val, s.ptr, s.ind, s.info, s.b,
                             s.x, SPTRSV_SOLVE_POLICY_NO_LEVEL, s.buffer),
                 SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("diagonal");
    void *b = s.b;
    s.b = NULL;
    CHECK_STATUS(sweep(&s, 1, 0), SPTRSV_STATUS_INVALID_VALUE);
    s.b = b;
    CHECK_STATUS(sptrsvSweep(T.h, p.n, p.nnz - 1, 1, 0, s.d, SPTRSV_R_64F, s.val, s.ptr, s.ind, s.info, s.b, s.x, s.buffer),
                 SPTRSV_STATUS_PATTERN_MISMATCH);
    CHECK_STATUS(sptrsvSweep(NULL, p.n, p.nnz, 1, 0, s.d, SPTRSV_R_64F, s.val, s.ptr, s.ind, s.info, s.b, s.x, s.buffer),
                 SPTRSV_STATUS_NOT_INITIALIZED);
    mem_get(now, s.x, sizeof now);
    CHECK(!memcmp(x, now, sizeof x));
    /* Not analysed for sweeps. */
    CHECK_OK(sptrsvSetSweeps(s.info, 0));
    CHECK_OK(sptrsvAnalysis(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p.n, p.nnz, s.d, SPTRSV_R_64F, NULL, s.ptr, s.ind, s.info,
                            SPTRSV_SOLVE_POLICY_USE_LEVEL, s.buffer));
    CHECK_STATUS(sweep(&s, 1, 0), SPTRSV_STATUS_NOT_SUPPORTED);
    CHECK_MESSAGE("sptrsvSetSweeps");
  }
  close_sweep(&s);
  free_problem(&p);
}

int main(int argc, char **argv) {
  check_begin("test_sweep", argc, argv);
  RUN(every_kind);
  RUN(sweeps_converge);
  RUN(misuse);
  return check_end();
}
