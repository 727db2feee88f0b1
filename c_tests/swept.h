/*
 * Whole matrices to sweep over, and how far a sweep is from its equations, component by component, against sums in long double.
 */
#ifndef SPTRSV_SWEPT_H
#define SPTRSV_SWEPT_H

#include "problem.h"

typedef struct {
  const Problem *p;
  sptrsvHandle_t h;
  sptrsvInfo_t info;
  sptrsvMatDescr_t d;
  void *val, *ptr, *ind, *diag, *b, *x, *buffer;
  size_t buffer_bytes;
} Swept;

/* A whole matrix of the pattern of a shape, each place once, with a heavy diagonal. */
static inline Problem make_whole_matrix(Kind k, enum Shape shape, int64_t n) {
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
  /* So heavy that unknowns do not grow from row to row, also with a weight of 1.5. */
  for (int64_t i = 0; i < n; i++) push(&list, i, i, CMPLXL(2 * (1 + size[i]), uniform()));
  Problem p = pack(k, n, list);
  for (int64_t i = 0; i < n; i++) put(k.type, p.diag, i, CMPLXL(2 * (1 + size[i]) + uniform(), 0));
  free(strict.e), free(size);
  return p;
}

/* Whether sweeps have a diagonal of their own: values of `with_diagonal`. ONLY_OWN: an analysis for Gauss-Seidel sweeps alone. */
enum { OWN, GIVEN, ONLY_OWN };

/* An info for sweeps over the problem of `s` by an algorithm, with a descriptor and a buffer. */
static inline sptrsvStatus_t analyse_sweeps(Swept *s, int with_diagonal, sptrsvAlgorithm_t algorithm) {
  const Problem *p = s->p;
  sptrsvDataType_t type = (sptrsvDataType_t)p->k.type;
  sptrsvStatus_t status = sptrsvCreateMatDescr(&s->d);
  if (!status) status = set_descr(s->d, &p->k);
  if (!status) status = sptrsvCreateInfo(&s->info);
  if (!status) status = sptrsvSetAlgorithm(s->info, algorithm);
  if (!status) status = sptrsvSetSweeps(s->info, with_diagonal == ONLY_OWN ? SPTRSV_SWEEPS_GAUSS_SEIDEL : SPTRSV_SWEEPS_ANY);
  if (!status && with_diagonal == GIVEN) status = sptrsvSetDiagonal(s->info, s->diag);
  if (!status) status = sptrsvBufferSize(s->h, SPTRSV_OPERATION_NON_TRANSPOSE, p->n, p->nnz, s->d, type, NULL, NULL, NULL, s->info,
                                          &s->buffer_bytes);
  if (status) return status;
  s->buffer = mem_new(s->buffer_bytes + 1);
  return sptrsvAnalysis(s->h, SPTRSV_OPERATION_NON_TRANSPOSE, p->n, p->nnz, s->d, type, NULL, s->ptr, s->ind, s->info,
                        SPTRSV_SOLVE_POLICY_USE_LEVEL, (char *)s->buffer + 1);
}

static inline sptrsvStatus_t open_sweep_by(sptrsvHandle_t h, Swept *s, const Problem *p, int with_diagonal, sptrsvAlgorithm_t algorithm) {
  size_t vs = value_size(p->k.type);
  *s = (Swept){.p = p, .h = h};
  s->val = mem_copy(p->val, (size_t)p->nnz * vs + 1);
  s->ptr = mem_copy(p->ptr, (size_t)(p->n + 1) * (p->k.wide >= 1 ? 8 : 4));
  s->ind = mem_copy(p->ind, (size_t)p->nnz * (p->k.wide >= 2 ? 8 : 4) + 1);
  s->diag = mem_copy(p->diag, (size_t)p->n * vs + 1);
  s->b = mem_copy(p->f, (size_t)p->n * vs + 1);
  s->x = mem_new((size_t)p->n * vs + 1);
  return analyse_sweeps(s, with_diagonal, algorithm);
}

static inline sptrsvStatus_t open_sweep(sptrsvHandle_t h, Swept *s, const Problem *p, int with_diagonal) {
  return open_sweep_by(h, s, p, with_diagonal, SPTRSV_ALG_AUTO);
}

static inline void close_sweep(Swept *s) {
  mem_free(s->val), mem_free(s->ptr), mem_free(s->ind), mem_free(s->diag), mem_free(s->b), mem_free(s->x), mem_free(s->buffer);
  sptrsvDestroyInfo(s->info), sptrsvDestroyMatDescr(s->d);
}

static inline sptrsvStatus_t sweep(Swept *s, double weight, int zero) {
  const Problem *p = s->p;
  return sptrsvSweep(s->h, p->n, p->nnz, weight, zero, s->d, (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->info, s->b, s->x,
                     (char *)s->buffer + 1);
}

/* The worst row's |d x + L x + (A - L - d) old - b| over 4 (n_row + 8) eps of the sum of its terms' absolute values; of the rows with
 * that number in the marker, if there is one. */
static inline long double worst_marked_row(const Problem *p, const int32_t *marker, int32_t points, const void *old, const void *x,
                                           double weight, int zero, int with_diagonal) {
  int type = p->k.type, lower = p->k.fill == SPTRSV_FILL_MODE_LOWER;
  long double eps = is_single(type) ? FLT_EPSILON : DBL_EPSILON, worst = 0;
  for (int64_t i = 0, t = 0; i < p->n; i++) {
    num own = 0, r = -get(type, p->f, i), xi = get(type, x, i), before = zero ? 0 : get(type, old, i);
    long double size = cabsl(r);
    int64_t terms = 8;
    if (marker && marker[i] != points) {
      while (t < p->nnz && p->e[t].i == i) t++;
      continue;
    }
    for (; t < p->nnz && p->e[t].i == i; t++, terms++) {
      num a = get(type, p->val, t), y;
      if (p->e[t].j == i) {
        own += a;
        continue;
      }
      y = (p->e[t].j < i) == lower ? get(type, x, p->e[t].j) : zero ? 0 : get(type, old, p->e[t].j);
      r += a * y, size += cabsl(a * y);
    }
    num d = (with_diagonal == GIVEN ? get(type, p->diag, i) : own) / weight;
    r += d * xi + (own - d) * before;
    size += cabsl(d * xi) + (cabsl(own) + cabsl(d)) * cabsl(before);
    long double error = cabsl(r) / (4 * (long double)terms * eps * size);
    if (!(error <= worst)) worst = isnan(error) ? INFINITY : error;
  }
  return worst;
}

static inline long double worst_row(const Problem *p, const void *old, const void *x, double weight, int zero, int with_diagonal) {
  return worst_marked_row(p, NULL, 0, old, x, weight, zero, with_diagonal);
}

#endif
