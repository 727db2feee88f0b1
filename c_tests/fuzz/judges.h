/*
 * The judgement of factorisations and sweeps. Each is made again in long double, row by row as the serial loop does it, but from the
 * library's own results of earlier rows: so errors do not add up, and each number must be right within rounding.
 */
#ifndef FUZZ_JUDGES_H
#define FUZZ_JUDGES_H

#include "calls.h"

enum { ILU0, IC0 };

/* ------------------------------------------------------------------------------------------------- numbers */

/* What a number of the result is made of. */
typedef struct {
  num value;
  long double size; /* of what it is a sum of */
  int64_t terms;
  int is_poisoned; /* something that it is made of is not finite */
} Sum;

static Sum begin_sum(num v) { return (Sum){.value = v, .size = cabsl(v), .terms = 1, .is_poisoned = !is_finite(v)}; }

static void subtract(Sum *s, num a, num b) {
  s->terms++;
  if (is_finite(a) && is_finite(b))
    s->value -= a * b, s->size += cabsl(a) * cabsl(b);
  else
    s->is_poisoned = 1;
}

/* From where on a sum may overflow on its way, and anything may come of it. */
static long double limit_of(int type, const Sum *s) {
  return (is_single(type) ? FLT_MAX : DBL_MAX) / (16 * (long double)(s->terms + 1));
}
/* What rounding and underflow may take from a sum that is divided by a pivot of that size to give something of that size. */
static long double bound_of(int type, const Sum *s, long double pivot, long double quotient) {
  long double eps = is_single(type) ? FLT_EPSILON : DBL_EPSILON, least = is_single(type) ? 1.5e-45L : 5e-324L;
  long double terms = 4 * (long double)(s->terms + 4);
  return terms * eps * (s->size + pivot * quotient) + terms * least * (1 + pivot);
}

/* x is the sum divided by the pivot. */
static int is_quotient(int type, const Sum *s, num pivot, num x) {
  long double size = cabsl(pivot), limit = limit_of(type, s);
  if (!is_finite(pivot)) return !is_finite(x) || x == 0;
  if (s->is_poisoned || size == 0) return !is_finite(x);
  if (s->size >= limit || s->size >= size * limit || size >= limit) return 1;
  return is_finite(x) && cabsl(s->value - pivot * x) <= bound_of(type, s, size, cabsl(x));
}

/* As the type rounds it. */
static num rounded(int type, num v) {
  char place[16];
  put(type, place, 0, v);
  return get(type, place, 0);
}

/* -------------------------------------------------------------------------------------------- factorisations */

typedef struct {
  const Problem *p;
  const Info *i;
  const void *before, *after; /* the values */
  int64_t *begin, *diag, *place; /* of rows: first entry and diagonal; of columns: entry of the row that is judged, or -1 */
  int64_t sure, maybe;           /* the first rows with a zero pivot for sure, and perhaps; n for none */
} Factor;

static num entry(const Factor *s, int64_t t) { return get(s->p->type, s->after, t); }

/* What is left of entry t of row i when the rows before it are done. */
static Sum eliminated(const Factor *s, int kind, int64_t i, int64_t t) {
  const Problem *p = s->p;
  int64_t j = p->column[t];
  Sum sum = begin_sum(get(p->type, s->before, t));
  if (kind == IC0) {
    if (j == i) sum = begin_sum(creall(sum.value)); /* whose imaginary part is nobody's business */
    for (int64_t u = s->begin[j]; u < s->diag[j]; u++) {
      int64_t own = s->place[p->column[u]];
      if (own >= 0) subtract(&sum, entry(s, own), conjl(entry(s, u)));
    }
    return sum;
  }
  for (int64_t e = s->begin[i]; e < s->diag[i] && p->column[e] < j; e++) {
    int64_t k = p->column[e], low = s->diag[k] + 1, high = s->begin[k + 1];
    while (low < high) { /* the entry (k, j) */
      int64_t middle = (low + high) / 2;
      if (p->column[middle] < j)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < s->begin[k + 1] && p->column[low] == j) subtract(&sum, entry(s, e), entry(s, low));
  }
  return sum;
}

static void note_pivot(Factor *s, int64_t i, int is_sure) {
  if (s->maybe == s->p->n) s->maybe = i;
  if (is_sure && s->sure == s->p->n) s->sure = i;
}

/* The diagonal entry of U: what is left, or what small pivots are replaced by. */
static int pivot_is_right(Factor *s, int64_t i, const Sum *left, num x) {
  int type = s->p->type;
  long double size = cabsl(left->value), bound = bound_of(type, left, 1, size);
  double tolerance = s->i->tolerance;
  num boost = rounded(type, CMPLXL(s->i->boost[0], is_complex(type) ? s->i->boost[1] : 0));
  int is_boost = x == boost || (!is_finite(boost) && !is_finite(x));
  if (x == 0) note_pivot(s, i, 1);
  if (left->is_poisoned) return !is_finite(x) || (tolerance == INFINITY && is_boost);
  if (left->size >= limit_of(type, left)) return 1;
  if (tolerance >= 0 && size + bound <= tolerance) return is_boost;
  return (tolerance >= 0 && size - bound <= tolerance && is_boost) || is_quotient(type, left, 1, x);
}

/* The diagonal entry of L in IC(0): the root of what is left, which must be positive. */
static int root_is_right(Factor *s, int64_t i, const Sum *left, num x) {
  int type = s->p->type;
  long double rest = creall(left->value), bound = bound_of(type, left, 1, fabsl(rest));
  if (left->is_poisoned || left->size >= limit_of(type, left)) {
    note_pivot(s, i, 0);
    return !left->is_poisoned || !is_finite(x);
  }
  if (x == 0 || isnan(creall(x))) note_pivot(s, i, 1);
  if (isnan(creall(x))) return rest <= bound;
  return is_finite(x) && cimagl(x) == 0 && fabsl(creall(x) * creall(x) - rest) <= bound;
}

static int row_of_factor_is_right(Factor *s, int kind, int64_t i) {
  const Problem *p = s->p;
  int right = 1;
  for (int64_t t = s->begin[i]; t < s->begin[i + 1]; t++) s->place[p->column[t]] = t;
  for (int64_t t = s->begin[i]; t < s->begin[i + 1] && right; t++) {
    int64_t j = p->column[t];
    if (kind == IC0 && j > i) { /* neither read nor changed */
      size_t size = value_size(p->type);
      right = memcmp((const char *)s->before + (size_t)t * size, (const char *)s->after + (size_t)t * size, size) == 0;
      continue;
    }
    Sum left = eliminated(s, kind, i, t);
    if (j < i) right = is_quotient(p->type, &left, entry(s, s->diag[j]), entry(s, t));
    else if (j > i) right = is_quotient(p->type, &left, 1, entry(s, t));
    else right = (kind == IC0 ? root_is_right : pivot_is_right)(s, i, &left, entry(s, t));
  }
  for (int64_t t = s->begin[i]; t < s->begin[i + 1]; t++) s->place[p->column[t]] = -1;
  return right;
}

/* The first row of the factors that is wrong, or -1; and what is known of the first zero pivot. */
static int64_t wrong_row_of_factor(Factor *s, int kind) {
  const Problem *p = s->p;
  int64_t *words = own((size_t)(3 * p->n + 1) * sizeof *words), wrong = -1;
  s->begin = words, s->diag = words + p->n + 1, s->place = s->diag + p->n, s->sure = s->maybe = p->n;
  for (int64_t i = 0, t = 0; i <= p->n; s->begin[i++] = t)
    while (t < p->nnz && p->row[t] < i) t++;
  for (int64_t t = 0; t < p->nnz; t++)
    if (p->row[t] == p->column[t]) s->diag[p->row[t]] = t;
  for (int64_t j = 0; j < p->n; j++) s->place[j] = -1;
  for (int64_t i = 0; i < p->n && wrong < 0; i++)
    if (!row_of_factor_is_right(s, kind, i)) wrong = i;
  free(words);
  return wrong;
}

/* ------------------------------------------------------------------------------------------------- sweeps */

typedef struct {
  const Problem *p;
  const void *val, *triangle, *diag; /* values; those of the triangle, which may be a copy; the separate diagonal, or NULL */
  const void *own;                   /* values whose diagonal is the matrix's own */
  const void *b, *before, *after;    /* right-hand side, and x */
  double weight;
  int zero_guess;
  const int32_t *marker; /* NULL: all rows are relaxed */
  int32_t points;
} Sweep;

static int is_relaxed(const Sweep *s, int64_t i) { return !s->marker || s->marker[i] == s->points; }

/* The diagonal of the matrix, as the type adds it up, and the one that the sweep divides by. */
static num own_diagonal(const Sweep *s, int64_t i, const int64_t *first, const int64_t *next) {
  num own = 0;
  for (int64_t t = first[i]; t >= 0; t = next[t])
    if (s->p->column[t] == i) own = rounded(s->p->type, own + get(s->p->type, s->own, t));
  return own;
}
static num pivot_of_sweep(const Sweep *s, int64_t i, num own) {
  int type = s->p->type;
  num d = s->diag ? get(type, s->diag, i) : own;
  long double factor = creall(rounded(type, 1.0 / s->weight));
  return rounded(type, CMPLXL(creall(d) * factor, is_complex(type) ? cimagl(d) * factor : 0));
}

static int row_of_sweep_is_right(const Sweep *s, int64_t i, num own, num pivot, const int64_t *first, const int64_t *next) {
  const Problem *p = s->p;
  int type = p->type;
  Sum sum = begin_sum(get(type, s->b, i));
  for (int64_t t = first[i]; t >= 0; t = next[t]) {
    int64_t j = p->column[t];
    if (j == i) sum.terms++;
    else if (is_used(p, t) && !is_relaxed(s, j)) {
      if (!s->zero_guess) subtract(&sum, get(type, s->val, t), get(type, s->before, j));
      if (!is_finite(get(type, s->triangle, t))) sum.is_poisoned = 1;
    } else if (is_used(p, t)) subtract(&sum, get(type, s->triangle, t), get(type, s->after, j));
    else if (!s->zero_guess) subtract(&sum, get(type, s->val, t), get(type, s->before, j));
  }
  num more = rounded(type, own - pivot), old = s->zero_guess ? 0 : get(type, s->before, i);
  if (!s->zero_guess && more != 0) {
    subtract(&sum, more, old);
    if (is_finite(old)) sum.size += (cabsl(own) + cabsl(pivot)) * cabsl(old);
  }
  return is_quotient(type, &sum, pivot, get(type, s->after, i));
}

/* Whether something that is not finite, or an overflow, may go through a row that is not relaxed. */
static int lets_through(const Sweep *s, int64_t i, const int64_t *first, const int64_t *next) {
  const Problem *p = s->p;
  Sum sum = begin_sum(0);
  for (int64_t t = first[i]; t >= 0; t = next[t]) {
    int64_t j = p->column[t];
    if (j != i && is_used(p, t)) subtract(&sum, get(p->type, s->triangle, t), is_relaxed(s, j) ? get(p->type, s->after, j) : 0);
  }
  return sum.is_poisoned || sum.size >= limit_of(p->type, &sum);
}

/* A row that is not relaxed has its number of before, or zero. */
static int is_kept(const Sweep *s, int64_t i) {
  static const char ZEROS[16];
  size_t size = value_size(s->p->type);
  const char *was = s->zero_guess ? ZEROS : (const char *)s->before + (size_t)i * size;
  return memcmp(was, (const char *)s->after + (size_t)i * size, size) == 0;
}

/* The first row of the sweep in which x is wrong, or -1; and the first row that was divided by zero, or -1. */
static int64_t wrong_row_of_sweep(const Sweep *s, int64_t *zero) {
  const Problem *p = s->p;
  int64_t *first = own((size_t)(p->n + p->nnz) * sizeof *first), *next = first + p->n, wrong = -1;
  *zero = -1;
  for (int64_t i = 0; i < p->n; i++) first[i] = -1;
  for (int64_t t = p->nnz - 1; t >= 0; t--) next[t] = first[p->row[t]], first[p->row[t]] = t;
  for (int64_t k = 0, came_through = 0; k < p->n; k++) {
    int64_t i = p->fill == SPTRSV_FILL_MODE_LOWER ? k : p->n - 1 - k;
    if (!is_relaxed(s, i)) {
      if (wrong < 0 && !is_kept(s, i)) wrong = i;
      came_through |= lets_through(s, i, first, next);
      continue;
    }
    num own = own_diagonal(s, i, first, next), pivot = pivot_of_sweep(s, i, own);
    if (pivot == 0 && (*zero < 0 || i < *zero)) *zero = i;
    if (wrong >= 0 || !can_judge() || row_of_sweep_is_right(s, i, own, pivot, first, next)) continue;
    if (!came_through || is_finite(get(p->type, s->after, i))) wrong = i;
  }
  free(first);
  return wrong;
}

#endif
