/*
 * Solves by both infos in one call, with and without permutations.
 */
#ifndef FUZZ_PAIRS_H
#define FUZZ_PAIRS_H

#include "steps.h"

/* A call by both infos, as it should be or with a defect: `of[0]` is about L and has what both share, and `of[1]` is about U. */
typedef struct {
  Call of[2];
  const void *row, *column;
  void *work;
} PairCall;

static sptrsvStatus_t solve_pair(const PairCall *p) {
  const Call *l = &p->of[0], *u = &p->of[1];
  return CALL(sptrsvSolvePair(l->h, (sptrsvOperation_t)l->op, l->m, l->nrhs, l->alpha, (sptrsvDataType_t)l->type, l->descr, l->nnz, l->val,
                              l->ptr, l->ind, l->info, u->descr, u->nnz, u->val, u->ptr, u->ind, u->info, p->row, p->column, l->f, l->ldf,
                              l->x, l->ldx, p->work, (sptrsvSolvePolicy_t)l->policy, l->buffer));
}

/* The rows in any order, in the type and base of the columns of L; some are none where that is asked for. On the host -1 stands for these. */
static const void *random_permutation(const Problem *l, int place, int64_t *order, int has_none) {
  int is_wide = l->wide >= 2;
  const int64_t NONE[] = {l->base - 1, l->n + l->base, INT32_MIN, INT32_MAX, (int64_t)1 << 32, INT64_MIN};
  void *index = array(place, (size_t)l->n * (is_wide ? 8 : 4), one_in(2));
  for (int64_t k = 0; k < l->n; k++) {
    int64_t j = below(k + 1);
    order[k] = order[j], order[j] = k;
  }
  for (int64_t k = 0; k < l->n; k++) {
    int is_none = has_none && one_in(8);
    put_index(is_wide, index, k, is_none ? NONE[below(is_wide ? 6 : 4)] : order[k] + l->base);
    if (is_none) order[k] = -1;
  }
  return index;
}

static int spoil_pair(PairCall *p, const Problem *l) {
  Call *c = p->of;
  int64_t *ld = one_in(2) ? &c->ldf : &c->ldx;
  switch (below(19)) {
    case 0: c->h = NULL; return SPTRSV_STATUS_NOT_INITIALIZED;
    case 1: c[below(2)].info = NULL; return INVALID;
    case 2: c[1].info = c[0].info; return INVALID;
    case 3: c[below(2)].descr = NULL; return INVALID;
    case 4: c->op = one_in(2) ? 3 : -1; return INVALID;
    case 5: c->type = -1; return INVALID;
    case 6: c->policy = 2; return INVALID;
    case 7: c->alpha = NULL; return INVALID;
    case 8: c->nrhs = -1 - below(2); return INVALID;
    case 9: *ld = one_in(2) ? l->n - 1 : INT64_MAX; return INVALID;
    case 10: c->f = one_in(2) ? NULL : misaligned(c->f); return INVALID;
    case 11: c->x = one_in(2) ? NULL : misaligned(c->x); return INVALID;
    case 12: c->buffer = NULL; return INVALID;
    case 13: c->f = c->x, c->ldf = c->ldx + 1; return c->nrhs > 1 ? INVALID : 0;
    case 14: c[below(2)].nnz++; return MISMATCH;
    case 15: c->m++, c->ldf++, c->ldx++; return MISMATCH;
    case 16: p->work = one_in(2) ? NULL : misaligned(p->work); return p->row || p->column ? INVALID : 0;
    case 17: p->row = misaligned(p->row); return p->row == misaligned(NULL) ? 0 : INVALID;
    default: p->column = misaligned(p->column); return p->column == misaligned(NULL) ? 0 : INVALID;
  }
}

/* What a pair without defects must give: `i` are the infos in the order of L and U, `called` the problems as the call describes them. */
static sptrsvStatus_t verdict_of_pair(Info *const i[2], const Problem called[2], int op, int policy, int64_t nrhs) {
  int first = op == SPTRSV_OPERATION_NON_TRANSPOSE ? 0 : 1;
  for (int k = 0; k < 2; k++)
    if (is_contradictory(i[k], &called[k], i[k]->can_sweep)) return SPTRSV_STATUS_INVALID_VALUE;
  sptrsvStatus_t status = verdict(i[first], &called[first], op, policy, nrhs);
  return status ? status : verdict(i[1 - first], &called[1 - first], op, policy, nrhs);
}

static Problem problem_of(const Info *i) {
  Problem p = S.problem[i->which];
  p.diagonal = i->source_of_diagonal;
  return p;
}

/* A solve by one info from f into x, both of one column, judged. */
static int judged_solve(const Info *i, const Call *of, int op, num alpha, const void *f, void *x) {
  Problem as_analysed = problem_of(i);
  char factor[16], text[100];
  Call c = *of;
  put(of->type, factor, 0, alpha);
  c.op = op, c.alpha = factor, c.f = f, c.x = x;
  if (!expect(solve(SINGLE, &c), SPTRSV_STATUS_SUCCESS, "sptrsvSolve")) return 0;
  Solve s = {.p = &as_analysed, .op = op, .val = i->kept ? i->kept : c.val, .diag = i->diagonal, .alpha = alpha, .f = f, .x = x,
             .f_step = 1, .x_step = 1};
  int64_t row = wrong_row(&s);
  snprintf(text, sizeof text, "x of half a pair is wrong in row %lld of %lld", (long long)row, (long long)as_analysed.n);
  return check(row < 0, text);
}

/* Each column has the bits of two solves, each of which is judged; nothing else is written. The order of F is `read`, that of X
 * `written`; NULL: that of the factors. */
static void check_pair(Info *const i[2], const PairCall *p, const int64_t *read, const int64_t *written, const char *f, char *before,
                       size_t bytes) {
  const Call *c = &p->of[0];
  int64_t n = c->m;
  int type = c->type, first = c->op == SPTRSV_OPERATION_NON_TRANSPOSE ? 0 : 1, is_judged = is_deterministic(i[0]) && is_deterministic(i[1]);
  size_t size = value_size(type);
  for (int k = 0; k < 2; k++) {
    Problem as_analysed = problem_of(i[k]);
    Solve s = {.p = &as_analysed, .val = i[k]->kept ? i[k]->kept : p->of[k].val, .diag = i[k]->diagonal};
    i[k]->pivot = zero_pivot(&s);
  }
  char *own_f = own((size_t)n * size), *between = own((size_t)n * size), *x = c->x;
  for (int64_t j = 0; j < c->nrhs; j++) {
    const char *f_j = f + (size_t)(j * c->ldf) * size, *x_j = x + (size_t)(j * c->ldx) * size;
    char *before_j = before + (size_t)(j * c->ldx) * size, *expected = array(ALONE, (size_t)n * size, one_in(2));
    for (int64_t k = 0; k < n; k++) {
      int64_t place = read ? read[k] : k;
      put(type, own_f, k, place < 0 ? CMPLXL(NAN, is_complex(type) ? NAN : 0) : get(type, f_j, place));
    }
    int is_right = is_judged && (c->nrhs < 5 || one_in(c->nrhs / 2)) &&
                   judged_solve(i[first], &p->of[first], c->op, get(type, c->alpha, 0), own_f, between) &&
                   judged_solve(i[1 - first], &p->of[1 - first], c->op, 1, between, expected);
    for (int64_t k = 0; k < n; k++) {
      int64_t place = written ? written[k] : k;
      if (place < 0) continue;
      if (is_right) is_right = check(same(type, expected, k, x_j, place), "a pair has other bits than two solves");
      memcpy(before_j + (size_t)place * size, x_j + (size_t)place * size, size);
    }
    counts->pairs += is_right;
  }
  check(memcmp(before, x, bytes) == 0, "a pair has written where no solution is");
  free(own_f), free(between);
}

/* The infos' own problems mostly, which may be one and the same. */
static void step_pair(void) {
  int first = (int)below(2), permuted = one_in(2) ? 0 : 1 + (int)below(3), has_none = one_in(6);
  Info *i[2] = {&S.info[first], &S.info[1 - first]};
  Problem *problem[2], called[2];
  PairCall p = {0}, bad;
  for (int k = 0; k < 2; k++) problem[k] = &S.problem[i[k]->analysed && !one_in(16) ? i[k]->which : (int)below(2)];
  const Problem *l = problem[0];
  size_t size = value_size(l->type);
  int op = one_in(8) ? (int)below(3) : i[below(2)]->op, policy = one_in(8) ? (int)below(2) : SPTRSV_SOLVE_POLICY_NO_LEVEL;
  for (int k = 0; k < 2; k++) {
    p.of[k] = call_for(i[k], problem[k], op, policy);
    p.of[k].type = l->type, p.of[k].m = p.of[k].ldf = p.of[k].ldx = l->n;
    called[k] = *problem[k], called[k].type = l->type, called[k].n = l->n;
  }
  Call *c = &p.of[0];
  size_t bytes_wanted = i[0]->bytes > i[1]->bytes ? i[0]->bytes : i[1]->bytes;
  c->nrhs = random_count(l->n);
  c->ldf += one_in(2) ? below(4) : 0, c->ldx += one_in(2) ? below(4) : 0;
  int in_place = c->ldf == c->ldx && one_in(3), has_nan = one_in(12);
  size_t f_bytes = extent(0, c->ldf, l->n, c->nrhs, size), x_bytes = extent(0, c->ldx, l->n, c->nrhs, size);
  char *f = array(RIGHT_SIDES, f_bytes, one_in(2)), *x = in_place ? f : array(SOLUTIONS, x_bytes, one_in(2)), alpha[16];
  if (!in_place) memset(x, 0x5a, x_bytes);
  for (size_t k = 0; k < f_bytes / size; k++) put(l->type, f, (int64_t)k, has_nan && one_in(20) ? CMPLXL(NAN, 0) : random_value(l, 1));
  put(l->type, alpha, 0, one_in(10) ? 0 : one_in(3) ? 1 : random_value(l, 1));
  c->f = f, c->x = x, c->alpha = alpha, c->buffer = array(PAIR_BUFFER, bytes_wanted, one_in(2));
  int64_t *order = own((size_t)(2 * l->n) * sizeof *order), *rows = permuted & 1 ? order : NULL, *columns = permuted & 2 ? order + l->n : NULL;
  if (rows) p.row = random_permutation(l, BAD_POINTERS, rows, has_none);
  if (columns) p.column = random_permutation(l, BAD_INDICES, columns, has_none);
  if (permuted) p.work = array(NEW_VALUES, (size_t)(l->n * c->nrhs) * size, one_in(2));
  const int64_t *read = op == SPTRSV_OPERATION_NON_TRANSPOSE ? rows : columns, *written = op == SPTRSV_OPERATION_NON_TRANSPOSE ? columns : rows;
  char *f_before = own_copy(f, f_bytes), *before = own_copy(x, x_bytes);

  sptrsvStatus_t wanted = verdict_of_pair(i, called, op, policy, c->nrhs);
  bad = p;
  int is_spoiled = !wanted && l->n && c->nrhs && one_in(3);
  sptrsvStatus_t status = is_spoiled ? (sptrsvStatus_t)spoil_pair(&bad, l) : SPTRSV_STATUS_SUCCESS;
  if (status) expect(solve_pair(&bad), status, "a pair with a defect");
  if (status) check(memcmp(before, x, x_bytes) == 0, "a refused pair has written to x");
  if (expect(solve_pair(&p), wanted, "a pair")) {
    if (is_planted("pair") && !wanted && x_bytes) x[size - 1] ^= 8;
    if (wanted || !l->n || !c->nrhs)
      check(memcmp(before, x, x_bytes) == 0, "a pair that has nothing to do, or was refused, has written to x");
    else
      check_pair(i, &p, read, written, f_before, before, x_bytes);
  }
  free(f_before), free(before), free(order);
}

#endif
