/*
 * Random triangular systems, and the judgement of a solution. A matrix is a list of entries (row, column, value) beside
 * the arrays that the library reads; the judge walks the list, and shares nothing with the library.
 */
#ifndef FUZZ_SYSTEM_H
#define FUZZ_SYSTEM_H

#include <complex.h>
#include <float.h>
#include <math.h>

#include "memory.h"
#include "sptrsv.h"

typedef long double complex num;

/* ------------------------------------------------------------------------------------------ random numbers */

static uint64_t random_state;
static uint64_t random_word(void) { /* splitmix64 */
  uint64_t z = random_state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
static int64_t below(int64_t n) { return (int64_t)(random_word() % (uint64_t)n); }
static int one_in(int64_t n) { return below(n) == 0; }
static long double uniform(void) { return (long double)random_word() / 18446744073709551616.0L; }

/* ------------------------------------------------------------------------------------------------- scalars */

static const int TYPES[] = {SPTRSV_R_32F, SPTRSV_R_64F, SPTRSV_C_32F, SPTRSV_C_64F};
static int is_complex(int type) { return type == SPTRSV_C_32F || type == SPTRSV_C_64F; }
static int is_single(int type) { return type == SPTRSV_R_32F || type == SPTRSV_C_32F; }
static size_t value_size(int type) { return (is_single(type) ? 4u : 8u) * (is_complex(type) ? 2u : 1u); }

static num get(int type, const void *a, int64_t i) {
  switch (type) {
    case SPTRSV_R_32F: return ((const float *)a)[i];
    case SPTRSV_R_64F: return ((const double *)a)[i];
    case SPTRSV_C_32F: return CMPLXL(((const float *)a)[2 * i], ((const float *)a)[2 * i + 1]);
    default: return CMPLXL(((const double *)a)[2 * i], ((const double *)a)[2 * i + 1]);
  }
}

static void put(int type, void *a, int64_t i, num v) {
  switch (type) {
    case SPTRSV_R_32F: ((float *)a)[i] = (float)creall(v); break;
    case SPTRSV_R_64F: ((double *)a)[i] = (double)creall(v); break;
    case SPTRSV_C_32F: ((float *)a)[2 * i] = (float)creall(v), ((float *)a)[2 * i + 1] = (float)cimagl(v); break;
    default: ((double *)a)[2 * i] = (double)creall(v), ((double *)a)[2 * i + 1] = (double)cimagl(v);
  }
}

static int is_finite(num v) { return isfinite(creall(v)) && isfinite(cimagl(v)); }

/* The same bits, or both NaN: which NaN it is is nobody's promise. */
static int same(int type, const void *a, int64_t i, const void *b, int64_t j) {
  size_t size = is_single(type) ? 4 : 8, parts = is_complex(type) ? 2 : 1;
  const char *x = (const char *)a + (size_t)i * size * parts, *y = (const char *)b + (size_t)j * size * parts;
  int equal = 1;
  for (size_t part = 0; part < parts; part++, x += size, y += size) {
    int real = is_single(type) ? SPTRSV_R_32F : SPTRSV_R_64F;
    equal &= memcmp(x, y, size) == 0 || (isnan(creall(get(real, x, 0))) && isnan(creall(get(real, y, 0))));
  }
  return equal;
}

/* ------------------------------------------------------------------------------------------------ problems */

enum { OWN_DIAGONAL, UNIT_DIAGONAL, SEPARATE_DIAGONAL }; /* where the diagonal comes from */
enum Pattern { EMPTY, CHAIN, SPARSE, DENSE_ROWS, DENSE_COLUMNS, BAND, DENSE, ARROW, TWO_LEVELS, PATTERNS };

typedef struct {
  int type, fill, diagonal, base, format, wide; /* wide: how many of the index arrays are of 64 bits */
  int wild;                                     /* values from one end of the type's range to the other */
  int can_factorise;                            /* whether the lower triangle in CSR can be factorised without fill-in */
  int64_t n, nnz;
  int32_t *row, *column; /* of each entry, as stored */
  void *val, *ptr, *ind, *diag;
  int place; /* of its first array */
  sptrsvMatDescr_t descr;
} Problem;

enum { MOST_ENTRIES = 60000, MOST_DENSE_ROWS = 100 };
static struct {
  int32_t row, column;
} list[3 * MOST_ENTRIES];
static int64_t listed;

static void push(int64_t i, int64_t j) {
  if (listed < MOST_ENTRIES && j >= 0 && j < i) list[listed].row = (int32_t)i, list[listed++].column = (int32_t)j;
}

/* The entries below the diagonal. */
static void push_pattern(enum Pattern pattern, int64_t n) {
  int64_t band = 1 + below(9), dense = 1 + below(3);
  for (int64_t i = 1; i < n; i++) switch (pattern) {
      case CHAIN: push(i, i - 1); break;
      case SPARSE:
        for (int64_t k = below(5); k > 0; k--) push(i, below(i));
        break;
      case DENSE_ROWS:
        for (int64_t j = i % (n / dense + 1) == n / dense || i == n - 1 ? 0 : i; j < i; j++) push(i, j);
        break;
      case DENSE_COLUMNS:
        for (int64_t c = 0; c < dense; c++) push(i, c * n / dense);
        break;
      case BAND:
        for (int64_t k = 1; k <= band; k++)
          if (!one_in(4)) push(i, i - k);
        break;
      case DENSE:
        for (int64_t j = 0; j < i; j++) push(i, j);
        break;
      case ARROW: push(i, 0), push(i, i == n - 1 ? i : i - 1); break;
      case TWO_LEVELS:
        for (int64_t k = i < n / 2 ? 0 : 3; k > 0; k--) push(i, below(n / 2 + 1));
        break;
      default: break;
    }
}

/* How far values reach: within a factor of 4, or over the type's whole range. */
static long double magnitude(const Problem *p) {
  long double factor = 1 + uniform();
  if (!p->wild) return factor;
  return ldexpl(factor, (int)below(is_single(p->type) ? 270 : 2090) - (is_single(p->type) ? 147 : 1070));
}
static num random_value(const Problem *p, long double scale) {
  long double re = (2 * uniform() - 1) * scale * magnitude(p), im = (2 * uniform() - 1) * scale;
  return CMPLXL(re, is_complex(p->type) ? im : 0);
}
/* Well away from zero. */
static num random_pivot(const Problem *p) {
  long double re = (one_in(2) ? 1 : -1) * magnitude(p), im = 2 * uniform() - 1;
  return CMPLXL(re, is_complex(p->type) ? im : 0);
}

static void put_index(int is_wide, void *a, int64_t t, int64_t value) {
  if (is_wide)
    ((int64_t *)a)[t] = value;
  else
    ((int32_t *)a)[t] = (int32_t)value;
}
static int64_t get_index(int is_wide, const void *a, int64_t t) {
  return is_wide ? ((const int64_t *)a)[t] : ((const int32_t *)a)[t];
}
static size_t pointers_size(const Problem *p) { return p->n || !one_in(2) ? (size_t)(p->n + 1) * (p->wide >= 1 ? 8 : 4) : 0; }
static size_t indices_size(const Problem *p) { return (size_t)p->nnz * (p->wide >= 2 ? 8 : 4); }
static size_t values_size(const Problem *p) { return (size_t)p->nnz * value_size(p->type); }

static int by_row(const void *a, const void *b) {
  const int32_t *x = a, *y = b;
  return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}
/* Leaves each place once. */
static void drop_duplicates(void) {
  int64_t kept = 0;
  qsort(list, (size_t)listed, sizeof *list, by_row);
  for (int64_t t = 0; t < listed; t++)
    if (!t || by_row(&list[t], &list[kept - 1])) list[kept++] = list[t];
  listed = kept;
}

/* Lists every entry: duplicates, the other triangle, the diagonal as far as it is stored. Or, `tidy`, each place once and the
 * whole diagonal. */
static void list_entries(const Problem *p, enum Pattern pattern, int tidy) {
  listed = 0;
  push_pattern(pattern, p->n);
  if (tidy) drop_duplicates();
  int64_t strict = listed;
  int duplicates = !tidy && one_in(4), full = one_in(2), missing = one_in(6), twice = one_in(6);
  for (int64_t t = 0; t < strict; t++) {
    if (duplicates && one_in(4)) list[listed++] = list[t];
    if (full && !one_in(4)) list[listed].row = list[t].column, list[listed++].column = list[t].row;
  }
  for (int64_t i = 0; i < p->n; i++) {
    int copies = tidy ? 1 : p->diagonal ? (int)below(2) : missing && one_in(8) ? 0 : 1 + (twice && one_in(4));
    for (; copies > 0; copies--) list[listed].row = list[listed].column = (int32_t)i, listed++;
  }
  if (p->fill == SPTRSV_FILL_MODE_UPPER)
    for (int64_t t = 0; t < listed; t++) {
      int32_t i = list[t].row;
      list[t].row = list[t].column, list[t].column = i;
    }
}

static int by_place(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Puts the list into the arrays, sorted or in any order inside of a row (CSR) or column (CSC). */
static void pack(Problem *p, int tidy) {
  int shuffled = !tidy && one_in(3), at_begin = one_in(2);
  p->nnz = listed;
  uint64_t *order = own((size_t)listed * sizeof *order);
  for (int64_t t = 0; t < listed; t++) {
    uint64_t major = (uint64_t)(p->format ? list[t].column : list[t].row), minor = (uint64_t)(p->format ? list[t].row : list[t].column);
    order[t] = major << 48 | (shuffled ? random_word() & 0xffff : minor) << 20 | (uint64_t)t;
  }
  qsort(order, (size_t)listed, sizeof *order, by_place);
  p->row = own((size_t)listed * sizeof *p->row), p->column = own((size_t)listed * sizeof *p->column);
  p->ptr = array(p->place + POINTERS, pointers_size(p), at_begin);
  p->ind = array(p->place + INDICES, indices_size(p), at_begin);
  int64_t major = 0;
  for (int64_t t = 0; t < listed; t++) {
    int64_t from = (int64_t)(order[t] & 0xfffff), of = p->format ? list[from].column : list[from].row;
    p->row[t] = list[from].row, p->column[t] = list[from].column;
    for (; major <= of; major++) put_index(p->wide >= 1, p->ptr, major, t + p->base);
    put_index(p->wide >= 2, p->ind, t, (p->format ? p->row[t] : p->column[t]) + p->base);
  }
  for (; p->n && major <= p->n; major++) put_index(p->wide >= 1, p->ptr, major, listed + p->base);
  free(order);
}

/* Whether rows ascend and have an entry on the diagonal each: what a factorisation needs, where rows are stored. */
static int rows_ascend_with_diagonal(const Problem *p) {
  int64_t diagonals = 0;
  for (int64_t t = 0; t < p->nnz; t++) {
    if (t && p->row[t] == p->row[t - 1] && p->column[t] <= p->column[t - 1]) return 0;
    diagonals += p->row[t] == p->column[t];
  }
  return diagonals == p->n;
}

/* New values: NaN where a solve must not look, if that is asked for; zero on the diagonal now and then. */
static void fill_all_values(const Problem *p, void *val, int hides_nan) {
  int zeros = one_in(6);
  long double scale = 0.9L / (1 + (long double)(p->n ? p->nnz / p->n : 0));
  num before = 0;
  for (int64_t t = 0; t < p->nnz; t++) {
    int64_t i = p->row[t], j = p->column[t];
    int is_used = i == j ? p->diagonal == OWN_DIAGONAL : (i > j) == (p->fill == SPTRSV_FILL_MODE_LOWER);
    int is_second = i == j && t > 0 && p->row[t - 1] == i && p->column[t - 1] == i;
    num value = i == j ? random_pivot(p) : random_value(p, scale);
    if (i == j && zeros && one_in(8)) value = is_second ? -before : 0;
    if (!is_used && hides_nan) value = CMPLXL(NAN, NAN);
    put(p->type, val, t, value);
    before = get(p->type, val, t);
  }
}

static void fill_values(const Problem *p, void *val) { fill_all_values(p, val, one_in(2)); }

static void fill_diagonal(const Problem *p, void *diag) {
  int zeros = one_in(6);
  for (int64_t i = 0; i < p->n; i++) put(p->type, diag, i, zeros && one_in(8) ? 0 : random_pivot(p));
}

static int64_t random_size(void) {
  int64_t kind = below(100);
  return kind < 3 ? 0 : kind < 40 ? 1 + below(8) : kind < 75 ? 1 + below(64) : kind < 98 ? 1 + below(400) : 1000 + below(3000);
}

/* Of the size and type of another one, if there is one to be like. */
static Problem random_problem(int which, const Problem *like) {
  enum Pattern pattern = (enum Pattern)below(PATTERNS);
  Problem p = {.type = TYPES[below(4)], .fill = (int)below(2), .diagonal = (int)below(3), .base = (int)below(2), .format = (int)below(2),
               .wide = (int)below(3), .wild = one_in(5), .n = random_size(), .place = which * OF_PROBLEM};
  int tidy = one_in(4) && !(like && pattern == DENSE);
  if (like) p.n = like->n, p.type = like->type;
  if (tidy) p.format = SPTRSV_FORMAT_CSR, p.fill = SPTRSV_FILL_MODE_LOWER;
  if (tidy && pattern == DENSE) p.n = 1 + p.n % MOST_DENSE_ROWS; /* whose factorisation takes the cube of that */
  list_entries(&p, pattern, tidy);
  pack(&p, tidy);
  p.can_factorise = p.format == SPTRSV_FORMAT_CSR && p.fill == SPTRSV_FILL_MODE_LOWER && rows_ascend_with_diagonal(&p);
  p.val = array(p.place + VALUES, values_size(&p), one_in(2));
  p.diag = array(p.place + DIAGONAL, (size_t)p.n * value_size(p.type), one_in(2));
  fill_values(&p, p.val);
  fill_diagonal(&p, p.diag);
  return p;
}

static void free_problem(Problem *p) { free(p->row), free(p->column); }

/* ---------------------------------------------------------------------------------------------- the judge */

/* A solve: op(A) x = alpha f with values that need not be those of p->val; how f and x lie. */
typedef struct {
  const Problem *p;
  int op;
  const void *val, *diag;
  num alpha;
  const void *f, *x;
  int64_t f_step, x_step; /* from one value of a column to the next */
} Solve;

static int is_used(const Problem *p, int64_t t) {
  return p->row[t] == p->column[t] || (p->row[t] > p->column[t]) == (p->fill == SPTRSV_FILL_MODE_LOWER);
}

typedef struct {
  num residual, pivot;
  long double size; /* of what the residual is a sum of */
  int64_t length, on_diagonal;
  int is_poisoned; /* something that it depends on is not finite */
} Row;

/* The diagonal of each row of op(A). */
static void find_pivots(const Solve *s, Row *rows) {
  const Problem *p = s->p;
  for (int64_t i = 0; i < p->n; i++) {
    rows[i] = (Row){.pivot = p->diagonal == UNIT_DIAGONAL ? 1 : 0};
    if (p->diagonal == SEPARATE_DIAGONAL) rows[i].pivot = get(p->type, s->diag, i);
  }
  for (int64_t t = 0; t < p->nnz && p->diagonal == OWN_DIAGONAL; t++)
    if (p->row[t] == p->column[t]) rows[p->row[t]].pivot += get(p->type, s->val, t), rows[p->row[t]].on_diagonal++;
}

/* The first row with a zero on its diagonal, or none: -1. */
static int64_t zero_pivot(const Solve *s) {
  Row *rows = own((size_t)s->p->n * sizeof *rows);
  int64_t i = 0;
  find_pivots(s, rows);
  while (i < s->p->n && rows[i].pivot != 0) i++;
  free(rows);
  return i < s->p->n ? i : -1;
}

/* The first row without an entry on its diagonal, or -1. */
static int64_t missing_diagonal(const Problem *p) {
  if (p->diagonal != OWN_DIAGONAL) return -1;
  char *has = calloc((size_t)p->n + 1, 1);
  for (int64_t t = 0; t < p->nnz; t++)
    if (p->row[t] == p->column[t]) has[p->row[t]] = 1;
  int64_t i = 0;
  while (i < p->n && has[i]) i++;
  free(has);
  return i < p->n ? i : -1;
}

/* One row: its backward error must be within rounding, 4 (n_row + 4) eps (|op(A)| |x| + |alpha f|), or within what underflow
 * takes away. What depends on Inf or NaN, or is divided by zero, must not be finite. Near the end of the range all may be. */
static int row_is_right(const Solve *s, const Row *row, num x) {
  int type = s->p->type;
  long double pivot = cabsl(row->pivot), most = is_single(type) ? FLT_MAX : DBL_MAX;
  if (!is_finite(row->pivot)) return !is_finite(x) || x == 0;
  if (row->is_poisoned || pivot == 0) return !is_finite(x);
  long double limit = most / (16 * (long double)(row->length + 1));
  if (row->size >= limit || row->size >= pivot * limit || pivot >= limit) return 1;
  long double eps = is_single(type) ? FLT_EPSILON : DBL_EPSILON, least = is_single(type) ? 1.5e-45L : 5e-324L;
  long double terms = 4 * (long double)(row->length + 4);
  long double bound = terms * eps * (row->size + pivot * cabsl(x)) + terms * least * (1 + pivot);
  return is_finite(x) && cabsl(row->residual - row->pivot * x) <= bound;
}

/* Whether long double is more than double, as the judge needs; valgrind has it so that it is not. */
static int can_judge(void) {
  volatile long double one = 1, little = 0x1p-60L;
  return one + little > one;
}

/* The first row in which x is wrong, or -1. */
static int64_t wrong_row(const Solve *s) {
  if (!can_judge()) return -1;
  const Problem *p = s->p;
  Row *rows = own((size_t)p->n * sizeof *rows);
  int conjugates = s->op == SPTRSV_OPERATION_CONJUGATE_TRANSPOSE;
  find_pivots(s, rows);
  for (int64_t i = 0; i < p->n; i++) {
    num f = get(p->type, s->f, i * s->f_step);
    if (conjugates) rows[i].pivot = conjl(rows[i].pivot);
    rows[i].is_poisoned = !is_finite(f);
    rows[i].residual = s->alpha * f, rows[i].size = cabsl(rows[i].residual);
  }
  for (int64_t t = 0; t < p->nnz; t++) {
    if (!is_used(p, t) || p->row[t] == p->column[t]) continue;
    Row *row = &rows[s->op ? p->column[t] : p->row[t]];
    num a = get(p->type, s->val, t), x = get(p->type, s->x, (s->op ? p->row[t] : p->column[t]) * s->x_step);
    if (conjugates) a = conjl(a);
    row->length++;
    if (is_finite(x) && is_finite(a))
      row->residual -= a * x, row->size += cabsl(a) * cabsl(x);
    else
      row->is_poisoned = 1;
  }
  int64_t i = 0;
  while (i < p->n && row_is_right(s, &rows[i], get(p->type, s->x, i * s->x_step))) i++;
  free(rows);
  return i < p->n ? i : -1;
}

#endif
