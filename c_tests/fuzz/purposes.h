/*
 * Steps of infos that are for more than solves: factorisations and sweeps.
 */
#ifndef FUZZ_PURPOSES_H
#define FUZZ_PURPOSES_H

#include "judges.h"
#include "steps.h"

/* Opens what a factorisation or a sweep reads, and closes what it has no business with. */
static void open_pattern(const Problem *p, int values, int diagonal) {
  if (!S.is_strict) return;
  protect(p->place + POINTERS, PROT_READ), protect(p->place + INDICES, PROT_READ);
  protect(p->place + VALUES, values), protect(p->place + DIAGONAL, diagonal);
}

/* -------------------------------------------------------------------------------------------- factorisations */

static sptrsvStatus_t factorise(int kind, const Call *c) {
  sptrsvDataType_t type = (sptrsvDataType_t)c->type;
  void *val = (void *)(uintptr_t)c->val;
  if (kind == IC0) return CALL(sptrsvIc0(c->h, c->m, c->nnz, c->descr, type, val, c->ptr, c->ind, c->info, c->buffer));
  return CALL(sptrsvIlu0(c->h, c->m, c->nnz, c->descr, type, val, c->ptr, c->ind, c->info, c->buffer));
}

/* Values to factorise: mostly such that pivots do not vanish. IC(0) finds NaN where it must not look. */
static void fill_to_factorise(const Problem *p, int kind) {
  if (one_in(8)) return; /* those that there are: of factors, say */
  fill_all_values(p, p->val, kind == IC0 && one_in(2) && p->diagonal == OWN_DIAGONAL);
  for (int64_t t = 0; kind == IC0 && t < p->nnz && !one_in(200); t++)
    if (p->row[t] == p->column[t]) put(p->type, p->val, t, 2 * fabsl(creall(get(p->type, p->val, t))));
}

/* Solves where copies are read are given the new values. */
static void hand_over(const Problem *p) {
  for (int k = 0; k < 2; k++) {
    Info *i = &S.info[k];
    if (i->analysed && &S.problem[i->which] == p && i->copied == SPTRSV_COPY_WHERE_FASTER && i->handed)
      OK(sptrsvUpdateValues(a_handle(), i->info, i->handed));
  }
}

static void check_factor_pivot(Info *i, int64_t sure, int64_t maybe) {
  int64_t position = -77, base = S.problem[i->which].base, n = S.problem[i->which].n;
  sptrsvStatus_t status = CALL(sptrsvFactorZeroPivot(a_handle(), i->info, &position));
  if (is_planted("pivot")) position++;
  int64_t row = position < 0 ? -1 : position - base;
  check(status == (position < 0 ? SPTRSV_STATUS_SUCCESS : SPTRSV_STATUS_ZERO_PIVOT), "the status and the row of a pivot do not fit");
  check(row < 0 ? position == -1 && sure == n : row >= maybe && row <= sure, "another pivot of the factors is zero");
  i->factor_pivot = row;
}

/* The factors that a call has left in the caller's array. */
static void check_factors(Info *i, const Call *c, int kind, const char *before) {
  const Problem *p = &S.problem[i->which];
  size_t bytes = values_size(p);
  if (is_planted("factor") && bytes) ((char *)p->val)[value_size(p->type) - 1] ^= 8;
  Factor s = {.p = p, .i = i, .before = before, .after = p->val, .sure = p->n};
  int64_t row = can_judge() ? wrong_row_of_factor(&s, kind) : -1;
  char text[100];
  snprintf(text, sizeof text, "%s is wrong in row %lld of %lld", kind == IC0 ? "IC(0)" : "ILU(0)", (long long)row, (long long)p->n);
  if (!check(row < 0, text)) return;
  counts->factorisations++;
  check_factor_pivot(i, s.sure, s.maybe);
  if (!one_in(3)) return;
  /* The same once more. */
  char *first = own_copy(p->val, bytes);
  memcpy(p->val, before, bytes);
  if (expect(factorise(kind, c), SPTRSV_STATUS_SUCCESS, "a factorisation")) {
    if (is_planted("bits") && bytes) *first ^= 1;
    check(memcmp(first, p->val, bytes) == 0, "a second factorisation has given other bits");
  }
  free(first);
}

static void step_factorisation(Info *i) {
  int which = i->analysed && !one_in(12) ? i->which : (int)below(2), kind = one_in(2) ? IC0 : ILU0, undo = 0;
  Problem *p = &S.problem[which];
  Call c = call_for(i, p, SPTRSV_OPERATION_NON_TRANSPOSE, 0), bad = c;
  sptrsvStatus_t wanted = is_of_analysis(i, p, SPTRSV_OPERATION_NON_TRANSPOSE);
  if (!wanted && !i->can_factorise) wanted = SPTRSV_STATUS_NOT_SUPPORTED;
  if (!wanted) fill_to_factorise(p, kind);
  char *before = own_copy(p->val, values_size(p));
  open_pattern(p, PROT_READ | PROT_WRITE, PROT_NONE);
  if (!wanted && p->n && one_in(3)) {
    sptrsvStatus_t status = (sptrsvStatus_t)spoil_factorisation(&bad, p, &undo);
    if (status) expect(factorise(kind, &bad), status, "a factorisation with a defect");
    if (status) check(memcmp(before, p->val, values_size(p)) == 0, "a refused factorisation has written to val");
    if (undo) set_descriptor(p);
  }
  if (expect(factorise(kind, &c), wanted, "a factorisation")) {
    if (wanted || !p->n)
      check(memcmp(before, p->val, values_size(p)) == 0, "a factorisation that was refused has written to val");
    else
      check_factors(i, &c, kind, before);
  }
  release_arrays(p);
  free(before);
  hand_over(p);
}

static void step_factor_pivot(const Info *i) {
  int64_t position = -77, base = S.problem[i->which].base, row = i->factor_pivot;
  sptrsvStatus_t wanted = !i->analysed       ? SPTRSV_STATUS_NOT_ANALYSED
                          : !i->can_factorise ? SPTRSV_STATUS_NOT_SUPPORTED
                          : row < 0           ? SPTRSV_STATUS_SUCCESS
                                              : SPTRSV_STATUS_ZERO_PIVOT;
  EXPECT(sptrsvFactorZeroPivot(a_handle(), i->info, &position), wanted);
  check(position == (!i->can_factorise ? -77 : row < 0 ? -1 : row + base), "another pivot of the factors is zero than before");
}

/* ------------------------------------------------------------------------------------------------- sweeps */

static sptrsvStatus_t sweep(const Call *c, double weight, int zero_guess) {
  return CALL(sptrsvSweep(c->h, c->m, c->nnz, weight, zero_guess, c->descr, (sptrsvDataType_t)c->type, c->val, c->ptr, c->ind, c->info,
                          c->f, c->x, c->buffer));
}

/* One sweep on the rows with `points` in the marker, or on all. */
static sptrsvStatus_t relax(const Call *c, double weight, int zero_guess, const int32_t *marker, int32_t points) {
  return CALL(sptrsvRelax(c->h, c->m, c->nnz, 1, weight, zero_guess, (sptrsvDataType_t)c->type, c->val, c->ptr, c->ind, c->descr, c->info,
                          NULL, NULL, marker, points, c->f, c->x, c->buffer));
}

static sptrsvStatus_t verdict_of_sweep(const Info *i, const Problem *p, double weight) {
  sptrsvStatus_t status = is_of_analysis(i, p, SPTRSV_OPERATION_NON_TRANSPOSE);
  if (status) return status;
  if (!i->can_sweep || p->format != SPTRSV_FORMAT_CSR) return SPTRSV_STATUS_NOT_SUPPORTED;
  if (i->can_sweep == SPTRSV_SWEEPS_GAUSS_SEIDEL && weight != 1) return SPTRSV_STATUS_INVALID_VALUE;
  if (p->n && p->nnz && i->copied == SPTRSV_COPY_WHERE_FASTER && i->handed != p->val) return SPTRSV_STATUS_INVALID_VALUE;
  return SPTRSV_STATUS_SUCCESS;
}

/* A sweep on some rows of x, which is `before` again. */
static void check_marked(Info *i, const Call *c, double weight, int zero_guess, const char *before) {
  const Problem *p = &S.problem[i->which];
  int32_t *marker = array(BAD_POINTERS, (size_t)p->n * sizeof *marker, one_in(2)), points = (int32_t)below(4);
  for (int64_t k = 0; k < p->n; k++) marker[k] = (int32_t)below(3);
  memcpy(c->x, before, (size_t)p->n * value_size(p->type));
  int may = i->can_sweep == SPTRSV_SWEEPS_ANY;
  if (!expect(relax(c, weight, zero_guess, marker, points), may ? SPTRSV_STATUS_SUCCESS : SPTRSV_STATUS_NOT_SUPPORTED, "some rows") || !may)
    return;
  Sweep s = {.p = p, .val = p->val, .triangle = i->kept ? i->kept : p->val, .own = p->val, .diag = i->diagonal, .b = c->f,
             .before = before, .after = c->x, .weight = weight, .zero_guess = zero_guess, .marker = marker, .points = points};
  int64_t row = wrong_row_of_sweep(&s, &i->pivot);
  char text[100];
  snprintf(text, sizeof text, "a sweep on some rows is wrong in row %lld of %lld", (long long)row, (long long)p->n);
  if (check(row < 0, text)) counts->sweeps++;
}

/* What a sweep has made of x, which was `before`. */
static void check_sweep(Info *i, const Call *c, double weight, int zero_guess, const char *before) {
  const Problem *p = &S.problem[i->which];
  size_t bytes = (size_t)p->n * value_size(p->type);
  char *x = c->x;
  if (is_planted("sweep")) x[value_size(p->type) - 1] ^= 8;
  Sweep s = {.p = p, .val = p->val, .triangle = i->kept ? i->kept : p->val,
             .own = i->kept && i->can_sweep == SPTRSV_SWEEPS_GAUSS_SEIDEL ? i->kept : p->val, .diag = i->diagonal, .b = c->f, .before = before, .after = x,
             .weight = weight, .zero_guess = zero_guess};
  int64_t row = wrong_row_of_sweep(&s, &i->pivot);
  char text[100];
  snprintf(text, sizeof text, "a sweep is wrong in row %lld of %lld", (long long)row, (long long)p->n);
  if (!check(row < 0, text)) return;
  counts->sweeps++;
  if (one_in(3)) return check_marked(i, c, weight, zero_guess, before);
  if (!is_deterministic(i) || !one_in(3)) return;
  char *first = own_copy(x, bytes);
  memcpy(x, before, bytes);
  if (expect(relax(c, weight, zero_guess, NULL, 0), SPTRSV_STATUS_SUCCESS, "a sweep on all rows"))
    for (row = 0; row < p->n; row++)
      if (!check(same(p->type, first, row, x, row), "a second sweep has given other bits")) break;
  free(first);
}

static void step_sweep(Info *i) {
  static const double WEIGHTS[] = {1, 1, 1, 0.5, 0.7, 1.5, 1.99, -1, 3, 1e300, INFINITY, 1e-300, -1e-320};
  int which = i->analysed && !one_in(12) ? i->which : (int)below(2), undo = 0, zero_guess = one_in(3);
  Problem *p = &S.problem[which];
  size_t bytes = (size_t)p->n * value_size(p->type);
  double weight = WEIGHTS[below(one_in(8) ? 13 : 9)];
  if (i->copied == SPTRSV_COPY_NONE && one_in(3)) fill_all_values(p, p->val, zero_guess);
  Call c = call_for(i, p, SPTRSV_OPERATION_NON_TRANSPOSE, 0), bad = c;
  char *b = array(RIGHT_SIDES, bytes, one_in(2)), *x = array(SOLUTIONS, bytes, one_in(2));
  int has_nan = one_in(12);
  for (int64_t k = 0; k < p->n; k++) {
    put(p->type, b, k, has_nan && one_in(20) ? CMPLXL(NAN, 0) : random_value(p, 1));
    put(p->type, x, k, zero_guess || (has_nan && one_in(20)) ? CMPLXL(NAN, NAN) : random_value(p, 1));
  }
  c.f = bad.f = b, c.x = bad.x = x;
  char *before = own_copy(x, bytes);
  sptrsvStatus_t wanted = verdict_of_sweep(i, p, weight);
  open_pattern(p, PROT_READ, i->diagonal == p->diag ? PROT_READ : PROT_NONE);
  if (S.is_strict) protect(RIGHT_SIDES, PROT_READ);
  if (!wanted && p->n && one_in(3)) {
    double bad_weight = weight;
    int bad_guess = zero_guess;
    sptrsvStatus_t status = (sptrsvStatus_t)spoil_sweep(&bad, &bad_weight, &bad_guess, i, p, &undo);
    if (status) expect(sweep(&bad, bad_weight, bad_guess), status, "a sweep with a defect");
    if (status) check(memcmp(before, x, bytes) == 0, "a refused sweep has written to x");
    if (undo) set_descriptor(p);
    OK(sptrsvSetDiagonal(i->info, i->diagonal));
  }
  if (expect(sweep(&c, weight, zero_guess), wanted, "a sweep")) {
    if (wanted || !p->n)
      check(memcmp(before, x, bytes) == 0, "a sweep that was refused has written to x");
    else
      check_sweep(i, &c, weight, zero_guess, before);
  }
  release_arrays(p);
  protect(RIGHT_SIDES, PROT_READ | PROT_WRITE);
  free(before);
}

#endif
