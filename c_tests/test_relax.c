/*
 * Several sweeps in one call, in one direction or in both, on all rows or on those that a marker names: each sweep's rows hold their
 * equations, against sums in long double; the whole call is as the serial loop; rows that are not relaxed keep their bits; misuse is
 * told, and nothing is touched.
 */
#include "swept.h"
#include "watched.h"

enum { COARSE = 1, FINE = -1, SWEEPS_IN_A_CALL = 3 };

/* A matrix with an info for each triangle. The second one has the arrays of the first. */
typedef struct {
  Problem p, turned;
  Swept own, other;
  int with_diagonal, is_deterministic;
  size_t bytes; /* of x */
  int32_t *marked; /* on the host; NULL: all rows */
  void *marker;
  int32_t points;
} Relaxed;

/* What is asked for in a call. */
typedef struct {
  int sweeps, zero, both;
  double weight;
} Ask;

static int open_relaxed(Relaxed *r, Kind k, enum Shape shape, int64_t n, int with_diagonal, int a) {
  rng_state = (uint64_t)(n * 31 + shape * 7 + k.type + k.fill);
  *r = (Relaxed){.p = make_whole_matrix(k, shape, n), .with_diagonal = with_diagonal, .is_deterministic = ALGS[a].deterministic};
  r->turned = r->p, r->turned.k.fill = 1 - k.fill;
  r->bytes = (size_t)n * value_size(k.type);
  r->marked = malloc((size_t)(n + 1) * sizeof *r->marked);
  r->marker = mem_new((size_t)(n + 1) * sizeof *r->marked);
  sptrsvStatus_t status = open_sweep_by(T.h, &r->own, &r->p, with_diagonal, ALGS[a].id);
  r->other = r->own;
  r->other.p = &r->turned, r->other.info = NULL, r->other.d = NULL, r->other.buffer = NULL;
  if (!status) status = analyse_sweeps(&r->other, with_diagonal, ALGS[a].id);
  if (status == SPTRSV_STATUS_NOT_SUPPORTED) return T.unsupported++, 0;
  return CHECK_OK(status);
}

static void close_relaxed(Relaxed *r) {
  mem_free(r->other.buffer);
  sptrsvDestroyInfo(r->other.info), sptrsvDestroyMatDescr(r->other.d);
  close_sweep(&r->own);
  mem_free(r->marker);
  free(r->marked);
  free_problem(&r->p);
}

/* By the first info, or by the second one too, which may come first. */
static sptrsvStatus_t relax_by(Relaxed *r, const Swept *one, const Swept *other, int32_t *marker, const Ask *ask) {
  return sptrsvRelax(T.h, r->p.n, r->p.nnz, ask->sweeps, ask->weight, ask->zero, (sptrsvDataType_t)r->p.k.type, one->val, one->ptr,
                     one->ind, one->d, one->info, other ? other->d : NULL, other ? other->info : NULL, marker, r->points, one->b, one->x,
                     (char *)r->own.buffer + 1);
}

static sptrsvStatus_t relax(Relaxed *r, const int32_t *marked, const Ask *ask) {
  return relax_by(r, &r->own, ask->both ? &r->other : NULL, marked ? r->marker : NULL, ask);
}

static int is_relaxed(const int32_t *marked, int32_t points, int64_t i) { return !marked || marked[i] == points; }

/* The loop over the rows in long double, as it stands in books. */
static void serial_loop(const Relaxed *r, const int32_t *marked, const Ask *ask, num *x) {
  const Problem *p = &r->p;
  int64_t *begin = calloc((size_t)(p->n + 2), sizeof *begin);
  for (int64_t t = 0; t < p->nnz; t++) begin[p->e[t].i + 1]++;
  for (int64_t i = 0; i < p->n; i++) begin[i + 1] += begin[i];
  for (int way = 0; way < ask->sweeps * (1 + ask->both); way++) {
    int is_upper = (p->k.fill == SPTRSV_FILL_MODE_UPPER) != (ask->both && way % 2);
    for (int64_t k = 0; k < p->n; k++) {
      int64_t i = is_upper ? p->n - 1 - k : k;
      if (!is_relaxed(marked, r->points, i)) continue;
      num rest = get(p->k.type, p->f, i), d = 0;
      for (int64_t t = begin[i]; t < begin[i + 1]; t++) {
        num a = get(p->k.type, p->val, t);
        rest -= a * x[p->e[t].j];
        if (p->e[t].j == i) d += a;
      }
      if (r->with_diagonal == GIVEN) d = get(p->k.type, p->diag, i);
      x[i] += ask->weight * rest / d;
    }
  }
  free(begin);
}

/* How far x is from what the serial loop makes of `old`, in units of rounding of the largest unknown. Errors do not grow, as the
 * diagonal is heavy. */
static long double from_serial_loop(const Relaxed *r, const int32_t *marked, const Ask *ask, const void *old, const void *x) {
  int type = r->p.k.type;
  int64_t n = r->p.n;
  num *serial = malloc((size_t)(n + 1) * sizeof *serial);
  long double largest = 0, worst = 0;
  for (int64_t i = 0; i < n; i++) serial[i] = ask->zero ? 0 : get(type, old, i), largest = fmaxl(largest, cabsl(serial[i]));
  serial_loop(r, marked, ask, serial);
  for (int64_t i = 0; i < n; i++) {
    long double error = cabsl(serial[i] - get(type, x, i));
    largest = fmaxl(largest, cabsl(serial[i]));
    if (!(error <= worst)) worst = isnan(error) ? INFINITY : error;
  }
  free(serial);
  return worst == 0 ? 0 : worst / (largest * (is_single(type) ? FLT_EPSILON : DBL_EPSILON));
}

/* Rows that are not relaxed have the bits of before, or of zero. */
static int others_are_kept(const Relaxed *r, const int32_t *marked, const char *old, const char *x, int zero) {
  static const char ZEROS[16];
  size_t size = value_size(r->p.k.type);
  for (int64_t i = 0; i < r->p.n; i++)
    if (!is_relaxed(marked, r->points, i) && memcmp(x + (size_t)i * size, zero ? ZEROS : old + (size_t)i * size, size)) return 0;
  return 1;
}

/* A call in steps: one sweep by one info at a time, each of which is judged. All at once then has the same bits, also on one
 * multiprocessor; and where all rows are relaxed sptrsvSweep has them too. */
static void one_call(Relaxed *r, const int32_t *marked, const Ask *ask, const char *old, char *x) {
  char *before = malloc(r->bytes + 1), *again = malloc(r->bytes + 1);
  const Problem *p = &r->p;
  int steps = ask->sweeps * (1 + ask->both);
  memcpy(x, old, r->bytes);
  mem_put(r->own.x, old, r->bytes);
  for (int step = 0; step < steps; step++) {
    const Swept *by = ask->both && step % 2 ? &r->other : &r->own;
    Ask one = {.sweeps = 1, .zero = ask->zero && !step, .weight = ask->weight};
    memcpy(before, x, r->bytes);
    CHECK_OK(relax_by(r, by, NULL, marked ? r->marker : NULL, &one));
    mem_get(x, r->own.x, r->bytes);
    long double worst = worst_marked_row(by->p, marked, r->points, before, x, one.weight, one.zero, r->with_diagonal);
    CHECK_THAT(worst <= 1, "step %d: error %Lg of the bound (%s)", step, worst, kind_text(&by->p->k));
    CHECK_THAT(others_are_kept(r, marked, before, x, one.zero), "step %d: a row that is not relaxed is another one (%s)", step,
               kind_text(&p->k));
    if (marked || !r->is_deterministic) continue;
    mem_put(r->own.x, before, r->bytes);
    Swept same = *by;
    same.buffer = r->own.buffer;
    CHECK_OK(sweep(&same, one.weight, one.zero));
    mem_get(again, r->own.x, r->bytes);
    CHECK_THAT(!memcmp(x, again, r->bytes), "step %d: sptrsvSweep has other bits (%s)", step, kind_text(&p->k));
  }
  for (int run = 0; run < 2; run++) {
    CHECK_OK(sptrsvSetSmCountTarget(T.h, run));
    mem_put(r->own.x, old, r->bytes);
    CHECK_OK(relax(r, marked, ask));
    mem_get(again, r->own.x, r->bytes);
    CHECK_THAT(!memcmp(x, again, r->bytes) || !r->is_deterministic, "run %d: all sweeps at once have other bits (%s)", run, kind_text(&p->k));
    CHECK_THAT(others_are_kept(r, marked, old, again, ask->zero), "run %d: a row that is not relaxed is another one", run);
  }
  CHECK_OK(sptrsvSetSmCountTarget(T.h, 0));
  long double far = from_serial_loop(r, marked, ask, old, again);
  CHECK_THAT(far <= 200, "%d sweeps%s, weight %g: %Lg units of rounding from the serial loop (%s)", ask->sweeps,
             ask->both ? ", symmetric" : "", ask->weight, far, kind_text(&p->k));
  free(before), free(again);
}

enum { ALL_ROWS, NO_ROWS, ANY_ROWS, EVERY_OTHER_ROW, MARKERS };

static void mark(Relaxed *r, int how) {
  r->points = COARSE;
  for (int64_t i = 0; i < r->p.n; i++) {
    int is_coarse = how == ALL_ROWS || (how == ANY_ROWS && below(2)) || (how == EVERY_OTHER_ROW && i % 2);
    r->marked[i] = is_coarse ? COARSE : below(4) ? FINE : 0;
  }
  mem_put(r->marker, r->marked, (size_t)r->p.n * sizeof *r->marked);
}

static void one_case(Kind k, enum Shape shape, int64_t n, double weight, int zero, int with_diagonal, int a) {
  Relaxed r;
  static char text[200];
  snprintf(text, sizeof text, "%s by %s, n = %lld, weight %g%s%s", SHAPE_NAMES[shape], ALGS[a].name, (long long)n, weight,
           zero ? ", from zero" : "", with_diagonal == GIVEN ? ", separate diagonal" : with_diagonal == ONLY_OWN ? ", Gauss-Seidel alone" : "");
  const char *was = T.current;
  T.current = text;
  if (open_relaxed(&r, k, shape, n, with_diagonal, a)) {
    char *old = malloc(r.bytes + 1), *x = malloc(r.bytes + 1);
    for (int64_t i = 0; i < n; i++) put(k.type, old, i, zero ? CMPLXL(NAN, NAN) : random_num(1));
    for (int both = 0; both < 2; both++) {
      Ask ask = {.sweeps = SWEEPS_IN_A_CALL - both, .zero = zero, .both = both, .weight = weight};
      one_call(&r, NULL, &ask, old, x);
      for (int how = 0; how < MARKERS && with_diagonal != ONLY_OWN; how++) {
        mark(&r, how);
        one_call(&r, r.marked, &ask, old, x);
        if (how != ANY_ROWS) continue;
        /* C points, and from what that gives F points. */
        Ask then = {.sweeps = 1, .both = both, .weight = weight};
        char *coarse = malloc(r.bytes + 1);
        memcpy(coarse, x, r.bytes);
        r.points = FINE;
        one_call(&r, r.marked, &then, coarse, x);
        free(coarse);
      }
    }
    free(old), free(x);
  }
  close_relaxed(&r);
  T.current = was;
}

static void every_kind(void) {
  static const enum Shape SHAPES_HERE[] = {DIAGONAL, CHAIN, GRID, RANDOM, DENSE_ROW, NODES, TAIL, BAND};
  static const double WEIGHTS[] = {1, 0.7, 1.5};
  for (int t = 0; t < COUNT(TYPES); t++)
    for (int fill = 0; fill < 2; fill++)
      for (int shape = 0; shape < COUNT(SHAPES_HERE); shape++)
        for (int variant = 0; variant < 3; variant++) {
          Kind k = {.type = TYPES[t], .fill = fill, .base = variant & 1, .wide = variant, .unsorted = variant == 2};
          double weight = WEIGHTS[(t + fill + shape + variant) % 3];
          int zero = (fill + shape + variant) % 2;
          one_case(k, SHAPES_HERE[shape], variant ? 150 : 700, weight, zero, variant == 2 || shape % 3 == 0 ? GIVEN : OWN, 0);
          if (variant == shape % 3) one_case(k, SHAPES_HERE[shape], 150, 1, zero, ONLY_OWN, 0);
        }
  one_case((Kind){.type = SPTRSV_R_64F}, GRID, 40000, 1, 0, OWN, 0);
  one_case((Kind){.type = SPTRSV_C_64F, .fill = SPTRSV_FILL_MODE_UPPER}, IRREGULAR, 20000, 1.2, 0, GIVEN, 0);
}

/* Weights with which no method converges are taken all the same. */
static void any_weight(void) {
  static const enum Shape SHAPES_HERE[] = {DIAGONAL, CHAIN, GRID, RANDOM, NODES};
  static const double WEIGHTS[] = {2.5, -1, -0.3, 3};
  for (int t = 0; t < COUNT(TYPES); t++)
    for (int shape = 0; shape < COUNT(SHAPES_HERE); shape++)
      for (int w = 0; w < COUNT(WEIGHTS); w++)
        one_case((Kind){.type = TYPES[t], .fill = (t + w) % 2}, SHAPES_HERE[shape], 500, WEIGHTS[w], (shape + w) % 3 == 0,
                 (shape + t) % 2 ? GIVEN : OWN, 0);
}

/* Whatever solves: an infinite diagonal gives zero in every engine. */
static void every_algorithm(void) {
  static const enum Shape SHAPES_HERE[] = {GRID, RANDOM, NODES, TAIL, CHAIN, DENSE_ROW};
  for (int a = 1; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++)
      for (int shape = 0; shape < COUNT(SHAPES_HERE); shape++)
        for (int only_own = 0; only_own < 2; only_own++)
          one_case((Kind){.type = TYPES[t], .fill = (t + shape) % 2}, SHAPES_HERE[shape], 400, only_own ? 1 : 1.3, shape == 1,
                   only_own ? ONLY_OWN : OWN, a);
}

/* What is in x where rows are not relaxed stays, whatever it is; a sweep from zero does not read it. */
static void not_a_number_is_kept(void) {
  for (int t = 0; t < COUNT(TYPES); t++) {
    Relaxed r;
    int type = TYPES[t];
    if (open_relaxed(&r, (Kind){.type = type}, GRID, 400, OWN, 0)) {
      char *old = malloc(r.bytes), *x = malloc(r.bytes);
      size_t size = value_size(type);
      Ask ask = {.sweeps = 2, .both = 1, .weight = 1};
      mark(&r, EVERY_OTHER_ROW);
      for (int64_t i = 0; i < r.p.n; i++) put(type, old, i, i % 2 ? random_num(1) : i % 4 ? CMPLXL(INFINITY, 1) : CMPLXL(NAN, -INFINITY));
      memset(old, 0xff, size); /* NaN with a payload */
      mem_put(r.own.x, old, r.bytes);
      CHECK_OK(relax(&r, r.marked, &ask));
      mem_get(x, r.own.x, r.bytes);
      CHECK(others_are_kept(&r, r.marked, old, x, 0));
      for (int64_t i = 0; i < r.p.n; i++) put(type, old, i, CMPLXL(NAN, INFINITY));
      ask.zero = 1;
      mem_put(r.own.x, old, r.bytes);
      CHECK_OK(relax(&r, r.marked, &ask));
      mem_get(x, r.own.x, r.bytes);
      CHECK(others_are_kept(&r, r.marked, old, x, 1));
      CHECK(from_serial_loop(&r, r.marked, &ask, old, x) <= 200);
      free(old), free(x);
    }
    close_relaxed(&r);
  }
}

/* A zero on the diagonal is told where its row is relaxed, and is none elsewhere. */
static void zero_pivots(void) {
  Relaxed r;
  int64_t row;
  double *x = malloc(100 * sizeof *x), *zeros = calloc(100, sizeof *zeros);
  Ask ask = {.sweeps = 2, .both = 1, .weight = 1};
  if (open_relaxed(&r, (Kind){.type = SPTRSV_R_64F, .base = 1}, GRID, 100, OWN, 0)) {
    for (int64_t t = 0; t < r.p.nnz; t++)
      if (r.p.e[t].i == 42 && r.p.e[t].j == 42) put(SPTRSV_R_64F, r.p.val, t, 0);
    mem_put(r.own.val, r.p.val, (size_t)r.p.nnz * sizeof(double));
    mark(&r, EVERY_OTHER_ROW);
    mem_fill(r.own.x, 0, r.bytes);
    CHECK_OK(relax(&r, r.marked, &ask));
    CHECK_OK(sptrsvZeroPivot(T.h, r.own.info, &row));
    CHECK_OK(sptrsvZeroPivot(T.h, r.other.info, &row));
    mem_get(x, r.own.x, r.bytes);
    CHECK(from_serial_loop(&r, r.marked, &ask, zeros, x) <= 200);
    r.points = 77; /* row 42 alone */
    r.marked[42] = 77;
    mem_put(r.marker, r.marked, (size_t)r.p.n * sizeof *r.marked);
    CHECK_OK(relax(&r, r.marked, &ask));
    CHECK_STATUS(sptrsvZeroPivot(T.h, r.own.info, &row), SPTRSV_STATUS_ZERO_PIVOT);
    CHECK(row == 43);
    CHECK_STATUS(sptrsvZeroPivot(T.h, r.other.info, &row), SPTRSV_STATUS_ZERO_PIVOT);
    CHECK(row == 43);
  }
  free(x), free(zeros);
  close_relaxed(&r);
}

/* Each call is refused with a sentence. */
static void refused_calls(Relaxed *r) {
  Swept *one = &r->own, *other = &r->other;
  int32_t *marker = r->marker;
  Ask good = {.sweeps = 2, .weight = 1};
#define REFUSED(status, word, ...)                                                    \
  do {                                                                                \
    CHECK_STATUS(__VA_ARGS__, status);                                                \
    CHECK_MESSAGE(word);                                                              \
  } while (0)
#define ASK(...) (&(Ask){.sweeps = 2, .weight = 1, __VA_ARGS__})
  const sptrsvStatus_t invalid = SPTRSV_STATUS_INVALID_VALUE;
  REFUSED(invalid, "sweeps is negative (-1)", relax_by(r, one, other, NULL, &(Ask){.sweeps = -1, .weight = 1}));
  REFUSED(invalid, "weight is 0", relax_by(r, one, other, NULL, &(Ask){.sweeps = 1}));
  REFUSED(invalid, "weight is NaN", relax_by(r, one, NULL, NULL, &(Ask){.sweeps = 1, .weight = NAN}));
  REFUSED(invalid, "zeroGuess is 2", relax_by(r, one, other, NULL, ASK(.zero = 2)));
  REFUSED(invalid, "marker is not aligned", relax_by(r, one, other, (int32_t *)((char *)marker + 2), &good));
  REFUSED(invalid, "info and otherInfo are the same info", relax_by(r, one, one, NULL, &good));
  Swept s = *one;
  REFUSED(invalid, "info is NULL", (s.info = NULL, relax_by(r, &s, NULL, NULL, &good)));
  REFUSED(invalid, "info is NULL", relax_by(r, &s, other, NULL, &good));
  s = *one;
  REFUSED(invalid, "descr is NULL", (s.d = NULL, relax_by(r, &s, NULL, NULL, &good)));
  s = *one;
  REFUSED(invalid, "x is b itself", (s.b = s.x, relax_by(r, &s, NULL, NULL, &good)));
  s = *one;
  REFUSED(invalid, "b is NULL", (s.b = NULL, relax_by(r, &s, other, NULL, &good)));
  s = *one;
  REFUSED(invalid, "x is NULL", (s.x = NULL, relax_by(r, &s, other, marker, &good)));
  s = *one;
  REFUSED(invalid, "val is NULL", (s.val = NULL, relax_by(r, &s, other, marker, &good)));
  Swept second = *other;
  REFUSED(invalid, "otherDescr is NULL", (second.d = NULL, relax_by(r, one, &second, NULL, &good)));
  second = *other;
  CHECK_OK(sptrsvCreateInfo(&second.info));
  REFUSED(SPTRSV_STATUS_NOT_ANALYSED, "analys", relax_by(r, one, &second, marker, &good));
  REFUSED(SPTRSV_STATUS_NOT_ANALYSED, "analys", relax_by(r, &second, one, NULL, &good));
  CHECK_OK(sptrsvDestroyInfo(second.info));
  second = *other; /* the second info's triangle by the first one's descriptor */
  REFUSED(SPTRSV_STATUS_PATTERN_MISMATCH, "the fill mode", (second.d = one->d, relax_by(r, one, &second, NULL, &good)));
  r->p.nnz--;
  REFUSED(SPTRSV_STATUS_PATTERN_MISMATCH, "nnz", relax_by(r, one, other, marker, &good));
  r->p.nnz++;
  REFUSED(SPTRSV_STATUS_NOT_INITIALIZED, "handle",
          sptrsvRelax(NULL, 0, 0, 0, 1, 0, SPTRSV_R_64F, NULL, NULL, NULL, one->d, one->info, NULL, NULL, NULL, 0, NULL, NULL, NULL));
}

/* Infos that do not belong together, or are for something else. */
static void refused_infos(Relaxed *r) {
  Ask good = {.sweeps = 2, .weight = 1};
  Swept same = r->own, based = r->own;
  same.info = based.info = NULL, same.d = based.d = NULL, same.buffer = based.buffer = NULL;
  CHECK_OK(analyse_sweeps(&same, OWN, SPTRSV_ALG_AUTO));
  REFUSED(SPTRSV_STATUS_INVALID_VALUE, "descr and otherDescr are both for the LOWER triangle", relax_by(r, &r->own, &same, NULL, &good));
  /* Of an array with another index base. */
  Problem p = r->turned;
  p.k.base = 1;
  void *ptr = mem_new((size_t)(r->p.n + 1) * 4), *ind = mem_new((size_t)r->p.nnz * 4);
  int32_t *host = malloc((size_t)(r->p.nnz + r->p.n + 1) * 4);
  for (int64_t i = 0; i <= r->p.n; i++) host[i] = ((int32_t *)r->p.ptr)[i] + 1;
  mem_put(ptr, host, (size_t)(r->p.n + 1) * 4);
  for (int64_t t = 0; t < r->p.nnz; t++) host[t] = ((int32_t *)r->p.ind)[t] + 1;
  mem_put(ind, host, (size_t)r->p.nnz * 4);
  based.p = &p, based.ptr = ptr, based.ind = ind;
  CHECK_OK(analyse_sweeps(&based, OWN, SPTRSV_ALG_AUTO));
  REFUSED(SPTRSV_STATUS_INVALID_VALUE, "descr and otherDescr differ in the index base", relax_by(r, &r->own, &based, NULL, &good));
  sptrsvDestroyInfo(same.info), sptrsvDestroyMatDescr(same.d), sptrsvDestroyInfo(based.info), sptrsvDestroyMatDescr(based.d);
  mem_free(same.buffer), mem_free(based.buffer), mem_free(ptr), mem_free(ind);
  free(host);
  /* An analysis for solves. */
  CHECK_OK(sptrsvSetSweeps(r->other.info, SPTRSV_SWEEPS_NONE));
  CHECK_OK(sptrsvAnalysis(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, r->p.n, r->p.nnz, r->other.d, SPTRSV_R_64F, NULL, r->own.ptr, r->own.ind,
                          r->other.info, SPTRSV_SOLVE_POLICY_USE_LEVEL, r->other.buffer));
  REFUSED(SPTRSV_STATUS_NOT_SUPPORTED, "sptrsvSetSweeps", relax_by(r, &r->own, &r->other, NULL, &good));
}

static void misuse(void) {
  Relaxed r;
  double x[100], now[100];
  for (int i = 0; i < 100; i++) x[i] = i;
  if (open_relaxed(&r, (Kind){.type = SPTRSV_R_64F}, GRID, 100, OWN, 0)) {
    mark(&r, ANY_ROWS);
    mem_put(r.own.x, x, sizeof x);
    refused_calls(&r);
    refused_infos(&r);
    /* No sweeps: nothing, or zero. */
    CHECK_OK(relax(&r, r.marked, &(Ask){.sweeps = 0, .weight = 1}));
    mem_get(now, r.own.x, sizeof now);
    CHECK(!memcmp(x, now, sizeof x));
    CHECK_OK(relax(&r, r.marked, &(Ask){.sweeps = 0, .zero = 1, .weight = 1}));
    CHECK(mem_is(r.own.x, 0, sizeof now));
  }
  close_relaxed(&r);
  if (open_relaxed(&r, (Kind){.type = SPTRSV_R_64F}, GRID, 100, ONLY_OWN, 0)) {
    Ask ask = {.sweeps = 1, .weight = 1};
    mem_put(r.own.x, x, sizeof x);
    mark(&r, ANY_ROWS);
    REFUSED(SPTRSV_STATUS_NOT_SUPPORTED, "SPTRSV_SWEEPS_ANY", relax(&r, r.marked, &ask));
    ask.weight = 1.5;
    REFUSED(SPTRSV_STATUS_INVALID_VALUE, "weight is 1.5", relax(&r, NULL, &ask));
    mem_get(now, r.own.x, sizeof now);
    CHECK(!memcmp(x, now, sizeof x));
  }
  close_relaxed(&r);
  /* No rows. */
  if (open_relaxed(&r, (Kind){.type = SPTRSV_R_64F}, DIAGONAL, 0, OWN, 0))
    CHECK_OK(relax(&r, r.marked, &(Ask){.sweeps = 2, .zero = 1, .both = 1, .weight = 1}));
  close_relaxed(&r);
}

/* Symmetric sweeps are captured once, and replayed with other markers, guesses and right-hand sides. */
static void in_a_graph(void) {
  for (int t = 0; t < COUNT(TYPES); t++) {
    Relaxed r;
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    if (open_relaxed(&r, (Kind){.type = TYPES[t]}, t % 2 ? GRID : RANDOM, 5000, t % 2 ? OWN : GIVEN, 0)) {
      char *old = malloc(r.bytes), *first = malloc(r.bytes), *again = malloc(r.bytes);
      Ask ask = {.sweeps = 2, .both = 1, .weight = 0.9};
      mark(&r, ANY_ROWS); /* which points are relaxed is fixed in the graph, and which rows these are is not */
      CHECK_OK(sptrsvSetStream(T.h, stream));
      CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
      sptrsvStatus_t status = relax(&r, r.marked, &ask);
      CUDA(cudaStreamEndCapture(stream, &graph));
      CHECK_OK(status);
      CUDA(cudaGraphInstantiateWithFlags(&exec, graph, 0));
      for (int round = 0; round < 3; round++) {
        mark(&r, ANY_ROWS);
        for (int64_t i = 0; i < r.p.n; i++) put(TYPES[t], old, i, random_num(1)), put(TYPES[t], r.p.f, i, random_num(1));
        mem_put(r.own.b, r.p.f, r.bytes);
        mem_put(r.own.x, old, r.bytes);
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaStreamSynchronize(stream));
        mem_get(first, r.own.x, r.bytes);
        mem_put(r.own.x, old, r.bytes);
        CHECK_OK(relax(&r, r.marked, &ask));
        CUDA(cudaStreamSynchronize(stream));
        mem_get(again, r.own.x, r.bytes);
        CHECK_THAT(!memcmp(first, again, r.bytes), "replay %d has other bits than a call", round);
        CHECK(others_are_kept(&r, r.marked, old, first, 0));
        CHECK(from_serial_loop(&r, r.marked, &ask, old, first) <= 200);
      }
      CUDA(cudaGraphExecDestroy(exec));
      CUDA(cudaGraphDestroy(graph));
      free(old), free(first), free(again);
    }
    CHECK_OK(sptrsvSetStream(T.h, NULL));
    close_relaxed(&r);
    CUDA(cudaStreamDestroy(stream));
  }
}

typedef struct {
  Relaxed r;
  Ask ask;
  const int32_t *marked;
  const double *old;
} Subject;

static sptrsvStatus_t relax_subject(void *subject) {
  Subject *s = subject;
  return relax(&s->r, s->marked, &s->ask);
}

static int relaxed_right(void *subject) {
  Subject *s = subject;
  double *x = malloc(s->r.bytes);
  mem_get(x, s->r.own.x, s->r.bytes);
  long double far = from_serial_loop(&s->r, s->marked, &s->ask, s->old, x);
  free(x);
  return far <= 200;
}

/*
 * Symmetric sweeps, on all rows and on some; those that are not relaxed do not become NaN. On the host executor none need be: what a
 * sweep after the one that was ended reads in the buffer is written over there.
 */
static void watchdog(void) {
  int ended = 0;
  for (int a = 0; a < COUNT(ALGS); a++) {
    Subject s = {.ask = {.sweeps = 2, .both = 1, .weight = 1}};
    if (!ALGS[a].self_scheduled) continue;
    if (open_relaxed(&s.r, (Kind){.type = SPTRSV_R_64F}, CHAIN, 100000, OWN, a)) {
      Swept *own = &s.r.own;
      mark(&s.r, ANY_ROWS);
      s.old = s.r.p.f;
      for (int is_marked = 0; is_marked < 2; is_marked++) {
        s.marked = is_marked ? s.r.marked : NULL;
        char name[80];
        snprintf(name, sizeof name, "%s, %s", ALGS[a].name, is_marked ? "some rows" : "all rows");
        Watched w = {.name = name, .call = relax_subject, .is_right = relaxed_right, .subject = &s, .x = own->x, .before = s.old,
                     .count = s.r.p.n, .infos = {own->info, s.r.other.info}, .pivot = sptrsvZeroPivot, .leaves_nan = T.on_gpu && !is_marked,
                     .buffer = own->buffer, .buffer_bytes = own->buffer_bytes};
        int was_ended = watch(&w);
        CHECK_THAT(was_ended || T.on_gpu, "%s: no sweeps were ended", name);
        ended += was_ended;
      }
    }
    close_relaxed(&s.r);
  }
  printf("watchdog: %d calls of sptrsvRelax were ended by it\n", ended);
  CHECK(ended > 0);
}

int main(int argc, char **argv) {
  check_begin("test_relax", argc, argv);
  RUN(every_kind);
  RUN(any_weight);
  RUN(every_algorithm);
  RUN(not_a_number_is_kept);
  RUN(zero_pivots);
  RUN(misuse);
  RUN_ON_GPU(in_a_graph);
  RUN(watchdog);
  return check_end();
}
