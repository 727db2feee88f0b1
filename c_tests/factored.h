/*
 * Matrices to factorise by ILU(0) and IC(0), and how far the product of the factors is from them, component by component, against sums
 * in long double.
 */
#ifndef SPTRSV_FACTORED_H
#define SPTRSV_FACTORED_H

#include "problem.h"

enum { ILU0, IC0 };
static const char *const METHODS[] = {"ILU(0)", "IC(0)"};

/* A matrix that factorises well: the pattern of a shape, some of it in the upper triangle too, each place once. IC(0) gets a
 * Hermitian one, whose upper triangle is NaN where it is stored. */
static inline Problem make_matrix(Kind k, enum Shape shape, int64_t n, int kind) {
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
  sptrsvHandle_t h;
  sptrsvInfo_t info;
  sptrsvMatDescr_t d;
  void *val, *ptr, *ind, *buffer;
  size_t bytes;
} Factored;

static inline sptrsvStatus_t analyse_factor(Factored *s) {
  const Problem *p = s->p;
  sptrsvStatus_t status = sptrsvBufferSize(s->h, SPTRSV_OPERATION_NON_TRANSPOSE, p->n, p->nnz, s->d, (sptrsvDataType_t)p->k.type,
                                           NULL, NULL, NULL, s->info, &s->bytes);
  if (status) return status;
  mem_free(s->buffer);
  s->buffer = mem_new(s->bytes + 1);
  return sptrsvAnalysis(s->h, SPTRSV_OPERATION_NON_TRANSPOSE, p->n, p->nnz, s->d, (sptrsvDataType_t)p->k.type, NULL, s->ptr, s->ind,
                        s->info, SPTRSV_SOLVE_POLICY_USE_LEVEL, s->buffer);
}

static inline sptrsvStatus_t open_factor(sptrsvHandle_t h, Factored *s, const Problem *p) {
  size_t vs = value_size(p->k.type);
  *s = (Factored){.p = p, .h = h};
  s->val = mem_copy(p->val, (size_t)p->nnz * vs + 1);
  s->ptr = mem_copy(p->ptr, (size_t)(p->n + 1) * (p->k.wide >= 1 ? 8 : 4));
  s->ind = mem_copy(p->ind, (size_t)p->nnz * (p->k.wide >= 2 ? 8 : 4) + 1);
  sptrsvStatus_t status = sptrsvCreateMatDescr(&s->d);
  if (!status) status = set_descr(s->d, &p->k);
  if (!status) status = sptrsvCreateInfo(&s->info);
  if (!status) status = sptrsvSetFactorization(s->info, 1);
  return status ? status : sptrsvSetAnalysisMode(s->info, (sptrsvAnalysisMode_t)p->k.setup);
}

static inline void close_factor(Factored *s) {
  mem_free(s->val), mem_free(s->ptr), mem_free(s->ind), mem_free(s->buffer);
  sptrsvDestroyInfo(s->info), sptrsvDestroyMatDescr(s->d);
}

static inline sptrsvStatus_t factorize(Factored *s, int kind) {
  const Problem *p = s->p;
  return (kind == IC0 ? sptrsvIc0 : sptrsvIlu0)(s->h, p->n, p->nnz, s->d, (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->info,
                                                s->buffer);
}

/* The worst |A - LU| of an entry over 4 (terms + 4) eps (|L| |U| + |A|). The triplets of a problem are sorted by rows. */
static inline long double worst_residual(const Problem *p, const void *factor, int kind) {
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
      long double bound = 4 * (long double)(terms[at] + 4) * eps * (size[at] + cabsl(a)), error = cabsl(a - sum[at]);
      error = error == 0 ? 0 : error / bound;
      if (!(error <= worst)) worst = isnan(error) ? INFINITY : error;
    }
    free(sum), free(size), free(terms);
  }
  free(begin), free(place);
  return worst;
}

#endif
