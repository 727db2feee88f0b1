/*
 * Systems whose values an info copies: which are copied, updates, arrays that are spoilt or taken away.
 */
#ifndef SPTRSV_COPIES_H
#define SPTRSV_COPIES_H

#include "problem.h"

static const char UNTOUCHED = 0x5a;

/* Algorithms by columns put no values into another order. */
static inline int by_columns(int a) {
  return ALGS[a].id == SPTRSV_ALG_LEVC || ALGS[a].id == SPTRSV_ALG_SLFC || ALGS[a].id == SPTRSV_ALG_GSF;
}

/* Whether solves of that kind read values in an order of their own, after SPTRSV_COPY_WHERE_FASTER too. */
static inline int reads_copy(const Kind *k, int a) { return T.on_gpu && !by_columns(a) && !k->format != !k->op; }

static inline size_t value_bytes(const System *s) { return (size_t)s->p->nnz * s->vs; }
static inline size_t ptr_bytes(const System *s) { return (size_t)(s->p->n + 1) * (s->p->k.wide >= 1 ? 8 : 4); }
static inline size_t ind_bytes(const System *s) { return (size_t)s->p->nnz * (s->p->k.wide >= 2 ? 8 : 4); }

static inline sptrsvStatus_t update(const System *s) { return sptrsvUpdateValues(s->h, s->info, s->val); }

/* Has the array hold NaN throughout, or what the problem has, or other values, in the problem as well. */
static inline void spoil(System *s) { mem_fill(s->val, 0xff, value_bytes(s)); }
static inline void mend(System *s) { mem_put(s->val, s->p->val, value_bytes(s)); }
static inline void change_problem(Problem *p) {
  for (int64_t t = 0; t < p->nnz; t++) put(p->k.type, p->val, t, (0.5L + uniform()) * get(p->k.type, p->val, t));
}
static inline void change(System *s, Problem *p) {
  change_problem(p);
  mend(s);
}

/* An analysis that is given the values too. */
static inline sptrsvStatus_t analyse_values(System *s, const void *val) {
  const Problem *p = s->p;
  return sptrsvAnalysis(s->h, (sptrsvOperation_t)p->k.op, p->n, p->nnz, s->d, (sptrsvDataType_t)p->k.type, val, s->ptr, s->ind,
                        s->info, s->policy, s->buffer);
}

static inline void analyse_for(System *s, sptrsvCopyValues_t copy) {
  CHECK_OK(sptrsvSetCopyValues(s->info, copy));
  CHECK_OK(analyse_values(s, copy == SPTRSV_COPY_ALL ? s->val : NULL));
}

/* The caller's arrays hold NaN and indices out of range; then they are gone, and come back. */
static inline void spoil_arrays(System *s) {
  spoil(s);
  mem_fill(s->ptr, 0xff, ptr_bytes(s));
  mem_fill(s->ind, 0xff, ind_bytes(s));
}
static inline void free_arrays(System *s) {
  spoil_arrays(s);
  mem_free(s->val), mem_free(s->ptr), mem_free(s->ind);
  s->val = s->ptr = s->ind = NULL;
}
static inline void arrays_again(System *s) {
  s->val = mem_copy(s->p->val, value_bytes(s));
  s->ptr = mem_copy(s->p->ptr, ptr_bytes(s));
  s->ind = mem_copy(s->p->ind, ind_bytes(s));
}

/* Solves right, and to the bits of an earlier solve where `exact`. */
static inline void solves_again(System *s, const void *earlier, int exact, const char *what) {
  char *x = malloc(s->bytes + 1);
  if (solves_right(s, x, what) && exact)
    CHECK_THAT(!memcmp(x, earlier, s->bytes), "%s: other bits by %s (%s)", what, s->algorithm, kind_text(&s->p->k));
  free(x);
}

/* A solve is refused with that sentence, and x stays. Without entries there are no values to miss. */
static inline void is_refused(System *s, const char *sentence) {
  if (!s->p->nnz) return;
  mem_fill(s->x, UNTOUCHED, s->bytes);
  CHECK_STATUS(solve_from(s, s->f, s->x), SPTRSV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE(sentence);
  sptrsvSetPointerMode(T.h, SPTRSV_POINTER_MODE_HOST);
  if (T.on_gpu) CUDA(cudaDeviceSynchronize());
  CHECK(mem_is(s->x, UNTOUCHED, s->bytes));
}

/* ------------------------------------------------------------------------------- copies of all values */

static const char ALL_WORD[] = "SPTRSV_COPY_ALL";

/* An analysis that copies all values; the arrays are overwritten at once and freed before the next solve. */
static inline void analyse_all(System *s) {
  analyse_for(s, SPTRSV_COPY_ALL);
  free_arrays(s);
}

/* Replaces all values by new ones, from an array that is overwritten after the call and freed. */
static inline void replace_values(System *s, Problem *p) {
  change_problem(p);
  void *val = mem_copy(p->val, value_bytes(s));
  CHECK_OK(sptrsvUpdateValues(s->h, s->info, val));
  mem_fill(val, 0xff, value_bytes(s));
  mem_free(val);
}

/* Whether a row has two diagonal entries. */
static inline int splits_diagonal(const Problem *p) {
  char *seen = calloc((size_t)p->n + 1, 1);
  int twice = 0;
  for (int64_t t = 0; t < p->nnz; t++)
    if (p->e[t].i == p->e[t].j) twice |= seen[p->e[t].i]++;
  free(seen);
  return twice;
}

/* What a new diagonal for this problem gives. */
static inline sptrsvStatus_t diagonal_status(const Problem *p) {
  if (p->k.diag != SPTRSV_DIAG_TYPE_NON_UNIT) return SPTRSV_STATUS_INVALID_VALUE;
  return splits_diagonal(p) ? SPTRSV_STATUS_NOT_SUPPORTED : SPTRSV_STATUS_SUCCESS;
}

/* Gives the problem the diagonal d where it has entries. */
static inline void put_whole_diagonal(Problem *p, const void *d) {
  for (int64_t t = 0; t < p->nnz; t++)
    if (p->e[t].i == p->e[t].j) put(p->k.type, p->val, t, get(p->k.type, d, p->e[t].i));
}

static inline void *random_diagonal(const Problem *p) {
  void *d = malloc((size_t)p->n * value_size(p->k.type) + 1);
  for (int64_t i = 0; i < p->n; i++) put(p->k.type, d, i, random_pivot());
  return d;
}

/* The same for the diagonal, where the library takes one; whether it does. */
static inline int replace_diagonal(System *s, Problem *p) {
  sptrsvStatus_t expected = diagonal_status(p);
  void *d = random_diagonal(p), *given = mem_copy(d, s->bytes);
  CHECK_STATUS(sptrsvUpdateDiagonal(s->h, s->info, given), expected);
  mem_fill(given, 0xff, s->bytes);
  mem_free(given);
  if (!expected) put_whole_diagonal(p, d);
  free(d);
  return !expected;
}

#endif
