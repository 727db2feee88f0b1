/*
 * The steps that a case is made of, each with the model of what it must do.
 */
#ifndef FUZZ_STEPS_H
#define FUZZ_STEPS_H

#include "defects.h"

static const int ALGORITHMS[] = {SPTRSV_ALG_AUTO, SPTRSV_ALG_LEVR, SPTRSV_ALG_LEVC, SPTRSV_ALG_SLFR,  SPTRSV_ALG_SLFC, SPTRSV_ALG_GSF,
                                 SPTRSV_ALG_ONE_WORD, SPTRSV_ALG_TILED, SPTRSV_ALG_NODAL, SPTRSV_ALG_WIDE, SPTRSV_ALG_THIN, SPTRSV_ALG_BLOCK,
                                 SPTRSV_ALG_PANEL};
enum { ALGORITHM_COUNT = sizeof ALGORITHMS / sizeof *ALGORITHMS };

/* Whether each column of several must have the bits that it has alone. */
static int is_deterministic(const Info *i) {
  sptrsvAlgorithm_t a = SPTRSV_ALG_GSF;
  OK(sptrsvGetAlgorithm(i->info, &a));
  return a != SPTRSV_ALG_LEVC && a != SPTRSV_ALG_SLFC && a != SPTRSV_ALG_GSF;
}

/* --------------------------------------------------------------------------------------------- settings */

/* Changes a setting, or tries to make it one that there is not; then it must be as before. */
static void step_setting(Info *i) {
  int is_bad = one_in(4), got = -1;
  int64_t count = -1;
  sptrsvStatus_t wanted = is_bad ? SPTRSV_STATUS_INVALID_VALUE : SPTRSV_STATUS_SUCCESS;
  switch (below(8)) {
    case 0: {
      int algorithm = is_bad ? 6 + (int)below(10) : ALGORITHMS[below(ALGORITHM_COUNT)];
      EXPECT(sptrsvSetAlgorithm(i->info, (sptrsvAlgorithm_t)algorithm), wanted);
      if (!is_bad) i->algorithm = algorithm;
      break;
    }
    case 1: {
      int64_t nrhs = is_bad ? -below(3) : 1 + below(40);
      EXPECT(sptrsvSetExpectedRightHandSides(i->info, nrhs), wanted);
      if (!is_bad) i->right_hand_sides = nrhs;
      OK(sptrsvGetExpectedRightHandSides(i->info, &count));
      check(count == i->right_hand_sides, "the number of right-hand sides is not what was set");
      break;
    }
    case 2: {
      int any = is_bad ? 2 : (int)below(2);
      EXPECT(sptrsvSetAnalysisForAllOperations(i->info, any), wanted);
      if (!is_bad) i->any_operation = any;
      OK(sptrsvGetAnalysisForAllOperations(i->info, &got));
      check(got == i->any_operation, "the switch for any operation is not what was set");
      break;
    }
    case 3: {
      int copy = is_bad ? 3 : (int)below(3);
      sptrsvCopyValues_t kept;
      EXPECT(sptrsvSetCopyValues(i->info, (sptrsvCopyValues_t)copy), wanted);
      if (!is_bad) i->copy = copy;
      OK(sptrsvGetCopyValues(i->info, &kept));
      check((int)kept == i->copy, "the copy mode is not what was set");
      break;
    }
    case 4:
      EXPECT(sptrsvSetFactorization(i->info, is_bad ? 2 : i->factorises), wanted);
      OK(sptrsvGetFactorization(i->info, &got));
      check(got == i->factorises, "the switch for factorisations is not what was set");
      break;
    case 5: {
      EXPECT(sptrsvSetSweeps(i->info, (sptrsvSweeps_t)(is_bad ? -1 : i->sweeps)), wanted);
      sptrsvSweeps_t sweeps = SPTRSV_SWEEPS_NONE;
      OK(sptrsvGetSweeps(i->info, &sweeps));
      check((int)sweeps == i->sweeps, "the switch for sweeps is not what was set");
      break;
    }
    case 6: {
      static const double TOLERANCES[] = {-1, -INFINITY, 0, 1e-3, 1.2, INFINITY}, RE[] = {1, -3, 0, 1e-40, 1e300}, IM[] = {0, 2};
      double tolerance = is_bad ? NAN : TOLERANCES[below(6)], re = RE[below(5)], im = IM[below(2)];
      EXPECT(sptrsvSetPivotBoost(i->info, tolerance, re, im), wanted);
      if (!is_bad) i->tolerance = tolerance, i->boost[0] = re, i->boost[1] = im;
      OK(sptrsvGetPivotBoost(i->info, &tolerance, &re, &im));
      check(i->tolerance < 0 ? tolerance == -1 : tolerance == i->tolerance && re == i->boost[0] && im == i->boost[1],
            "what replaces pivots is not what was set");
      break;
    }
    default: EXPECT(sptrsvSetAnalysisMode(i->info, (sptrsvAnalysisMode_t)(is_bad ? 4 : below(4))), wanted);
  }
}

/* What an analysis of this problem is to be for. */
static void choose_purpose(Info *i, const Problem *p) {
  i->factorises = one_in(p->can_factorise ? 2 : 30);
  i->sweeps = one_in(p->format == SPTRSV_FORMAT_CSR && p->diagonal != UNIT_DIAGONAL ? 3 : 60) ? 1 + (int)below(2) : SPTRSV_SWEEPS_NONE;
  OK(sptrsvSetFactorization(i->info, i->factorises));
  OK(sptrsvSetSweeps(i->info, (sptrsvSweeps_t)i->sweeps));
}

/* Settings of a handle. A watchdog of seconds must not strike, however busy the machine is. */
static void step_handle(void) {
  static const double TIMES[] = {0, 60, 1e300, INFINITY}, NO_TIMES[] = {-1, NAN, -INFINITY};
  sptrsvHandle_t h = a_handle();
  int version = 0;
  sptrsvPointerMode_t mode = (sptrsvPointerMode_t)below(2), kept;
  int target = (int)below(200), count;
  switch (below(5)) {
    case 0: EXPECT(sptrsvSetTimeout(h, TIMES[below(4)]), SPTRSV_STATUS_SUCCESS); break;
    case 1: EXPECT(sptrsvSetTimeout(h, NO_TIMES[below(3)]), SPTRSV_STATUS_INVALID_VALUE); break;
    case 2:
      EXPECT(sptrsvSetPointerMode(h, mode), SPTRSV_STATUS_SUCCESS);
      EXPECT(sptrsvSetPointerMode(h, (sptrsvPointerMode_t)2), SPTRSV_STATUS_INVALID_VALUE);
      EXPECT(sptrsvGetPointerMode(h, &kept), SPTRSV_STATUS_SUCCESS);
      check(kept == mode, "the pointer mode is not what was set");
      break;
    case 3:
      EXPECT(sptrsvSetSmCountTarget(h, target), SPTRSV_STATUS_SUCCESS);
      EXPECT(sptrsvSetSmCountTarget(h, -1 - target), SPTRSV_STATUS_INVALID_VALUE);
      EXPECT(sptrsvGetSmCountTarget(h, &count), SPTRSV_STATUS_SUCCESS);
      check(count == target, "the number of multiprocessors is not what was set");
      break;
    default:
      EXPECT(sptrsvGetVersion(h, NULL), SPTRSV_STATUS_INVALID_VALUE);
      EXPECT(sptrsvGetVersion(h, &version), SPTRSV_STATUS_SUCCESS);
      check(version == SPTRSV_VERSION, "the version is another one than the header's");
  }
}

/* Another diagonal, or none. */
static void step_diagonal(Info *i) {
  i->diagonal = one_in(3) ? NULL : S.problem[i->analysed ? i->which : below(2)].diag;
  OK(sptrsvSetDiagonal(i->info, i->diagonal));
}

/* --------------------------------------------------------------------------------------------- analysis */

static void analysed(Info *i, const Call *c, int which) {
  const Problem *p = &S.problem[which];
  free(i->kept);
  i->kept = NULL;
  i->analysed = 1, i->which = which, i->op = c->op, i->policy = c->policy, i->serves_any = i->any_operation, i->copied = i->copy;
  i->source_of_diagonal = source_of_diagonal(i, p, i->sweeps), i->handed = NULL;
  i->can_factorise = i->factorises, i->can_sweep = i->sweeps, i->factor_pivot = -1;
  if (i->copied == SPTRSV_COPY_ALL) i->kept = own_copy(p->val, values_size(p));
  i->pivot = i->source_of_diagonal == OWN_DIAGONAL ? missing_diagonal(p) : -1;
}

static void check_stats(const Info *i, const Problem *p) {
  sptrsvStats_t stats = {.struct_size = sizeof stats};
  int64_t entries = p->n, missing = i->source_of_diagonal == OWN_DIAGONAL ? missing_diagonal(p) : -1;
  for (int64_t t = 0; t < p->nnz; t++) entries += p->row[t] != p->column[t] && is_used(p, t);
  OK(sptrsvGetStats(i->info, &stats));
  check(stats.rows == p->n && stats.entries_used == entries, "rows or entries are counted wrong");
  check(stats.missing_diagonal == (missing < 0 ? -1 : missing + p->base), "another diagonal entry is missing");
  check(stats.struct_size == sizeof stats, "the size of the statistics was changed");
  /* A caller who knows a shorter structure has room for no more. */
  size_t known = sizeof(size_t) * (size_t)(1 + below(sizeof stats / sizeof(size_t)));
  void *place = array(ALONE, known, 0);
  memcpy(place, &known, sizeof known);
  OK(sptrsvGetStats(i->info, place));
  stats.struct_size = known;
  check(memcmp(place, &stats, known) == 0, "the same statistics are others in a shorter structure");
}

/* Whether neither an analysis nor the size of its buffer is to be had. */
static int is_refused(const Info *i, const Problem *p) {
  int has_another = p->diagonal == UNIT_DIAGONAL || i->diagonal;
  return is_contradictory(i, p, i->sweeps) || (i->sweeps == SPTRSV_SWEEPS_GAUSS_SEIDEL && has_another);
}

/* What an analysis without defects must give. */
static sptrsvStatus_t verdict_of_analysis(const Info *i, const Problem *p, int op) {
  if (is_refused(i, p)) return SPTRSV_STATUS_INVALID_VALUE;
  if (!i->factorises) return SPTRSV_STATUS_SUCCESS;
  if (op != SPTRSV_OPERATION_NON_TRANSPOSE || p->fill != SPTRSV_FILL_MODE_LOWER || p->format != SPTRSV_FORMAT_CSR)
    return SPTRSV_STATUS_NOT_SUPPORTED;
  return p->can_factorise ? SPTRSV_STATUS_SUCCESS : SPTRSV_STATUS_INVALID_MATRIX;
}

/* Where the buffer's size was asked for without what the analysis is for, it is too small. */
static void analyse_with_a_small_buffer(const Info *i, const Call *c) {
  size_t bytes = 0;
  OK(sptrsvSetFactorization(i->info, 0)), OK(sptrsvSetSweeps(i->info, SPTRSV_SWEEPS_NONE));
  Call small = *c;
  if (!expect(buffer_size(&small, &bytes), SPTRSV_STATUS_SUCCESS, "sptrsvBufferSize")) return;
  small.buffer = array(ALONE, bytes, 0);
  OK(sptrsvSetFactorization(i->info, i->factorises)), OK(sptrsvSetSweeps(i->info, (sptrsvSweeps_t)i->sweeps));
  expect(analyse(&small), SPTRSV_STATUS_INVALID_VALUE, "sptrsvAnalysis with a small buffer");
}

/* Asks for the size, has a buffer of exactly that, and analyses; before it, perhaps with a defect. */
static void step_analysis(Info *i) {
  int which = (int)below(2), undo = 0;
  Problem *p = &S.problem[which];
  if (one_in(2)) choose_purpose(i, p);
  int op = i->factorises && !one_in(8) ? SPTRSV_OPERATION_NON_TRANSPOSE : (int)below(3);
  Call c = call_for(i, p, op, (int)below(2)), bad = c;
  const void *before = i->diagonal;
  if (i->diagonal || p->diagonal == SEPARATE_DIAGONAL) {
    i->diagonal = p->diagonal == SEPARATE_DIAGONAL || one_in(8) ? p->diag : NULL;
    OK(sptrsvSetDiagonal(i->info, i->diagonal));
  }
  size_t bytes = 12345;
  sptrsvStatus_t wanted = verdict_of_analysis(i, p, op), sized = is_refused(i, p) ? wanted : SPTRSV_STATUS_SUCCESS;
  int is_more = (i->factorises && !i->can_factorise) || (i->sweeps && !i->can_sweep);
  if (!wanted && is_more && p->n && one_in(8)) analyse_with_a_small_buffer(i, &c);
  int can = expect(buffer_size(&c, &bytes), sized, "sptrsvBufferSize");
  if (sized) check(bytes == 12345, "a refused size was written");
  if (can && !sized) {
    check(p->n == 0 || bytes >= 8, "the buffer has less than 8 bytes");
    c.buffer = array(BUFFERS + (int)(i - S.info), bytes, one_in(2));
  }
  if (wanted || !can) {
    expect(analyse(&c), wanted, "sptrsvAnalysis");
    i->diagonal = before;
    OK(sptrsvSetDiagonal(i->info, before));
    return;
  }
  i->bytes = bytes, i->buffer = bad.buffer = c.buffer;
  sptrsvStatus_t status = one_in(2) ? (sptrsvStatus_t)spoil_analysis(&bad, i, p, &undo) : SPTRSV_STATUS_SUCCESS;
  /* The values are nobody's business, unless they are copied. */
  restrict_arrays(i, p, 1, i->copy == SPTRSV_COPY_ALL);
  if (status) expect(analyse(&bad), status, "sptrsvAnalysis with a defect");
  if (undo) set_descriptor(p);
  if (i->copy != SPTRSV_COPY_ALL && one_in(2)) c.val = NULL;
  can = expect(analyse(&c), SPTRSV_STATUS_SUCCESS, "sptrsvAnalysis");
  release_arrays(p);
  if (!can) return;
  analysed(i, &c, which);
  if (one_in(4)) check_stats(i, p);
}

/* ----------------------------------------------------------------------------------------------- values */

static void step_values(Info *i) {
  Problem *p = &S.problem[i->which];
  sptrsvHandle_t h = a_handle();
  if (!i->analysed || i->copied == SPTRSV_COPY_NONE) {
    EXPECT(sptrsvUpdateValues(h, i->info, p->val), i->analysed ? SPTRSV_STATUS_INVALID_VALUE : SPTRSV_STATUS_NOT_ANALYSED);
    if (one_in(2)) fill_values(p, p->val); /* solves read them as they are */
    return;
  }
  if (p->nnz && one_in(4)) EXPECT(sptrsvUpdateValues(h, i->info, NULL), SPTRSV_STATUS_INVALID_VALUE);
  fill_values(p, p->val);
  const void *val = p->val;
  if (i->copied == SPTRSV_COPY_ALL) {
    /* From an array that is lost afterwards. */
    void *other = array(NEW_VALUES, values_size(p), one_in(2));
    fill_values(p, other);
    free(i->kept);
    i->kept = own_copy(other, values_size(p));
    val = other;
  }
  EXPECT(sptrsvUpdateValues(h, i->info, val), SPTRSV_STATUS_SUCCESS);
  i->handed = val;
  if (i->copied == SPTRSV_COPY_ALL) protect(NEW_VALUES, PROT_NONE);
}

static void step_new_diagonal(Info *i) {
  Problem *p = &S.problem[i->which];
  sptrsvHandle_t h = a_handle();
  sptrsvStatus_t wanted = SPTRSV_STATUS_SUCCESS;
  int64_t *stored = calloc((size_t)p->n + 1, sizeof *stored);
  int is_twice = 0;
  for (int64_t t = 0; t < p->nnz; t++)
    if (p->row[t] == p->column[t]) is_twice |= stored[p->row[t]] > 0, stored[p->row[t]] = t + 1;
  if (!i->analysed)
    wanted = SPTRSV_STATUS_NOT_ANALYSED;
  else if (i->copied != SPTRSV_COPY_ALL || i->source_of_diagonal != OWN_DIAGONAL)
    wanted = SPTRSV_STATUS_INVALID_VALUE;
  else if (is_twice)
    wanted = SPTRSV_STATUS_NOT_SUPPORTED;
  void *diag = array(NEW_VALUES, (size_t)p->n * value_size(p->type), one_in(2));
  fill_diagonal(p, diag);
  EXPECT(sptrsvUpdateDiagonal(h, i->info, diag), wanted);
  for (int64_t row = 0; row < p->n && !wanted; row++)
    if (stored[row]) put(p->type, i->kept, stored[row] - 1, get(p->type, diag, row));
  free(stored);
}

/* ----------------------------------------------------------------------------------------------- solves */

/* Where the value of row i and column j lies in right-hand sides or solutions. */
static int64_t at(int by_rows, int64_t ld, int64_t i, int64_t j) { return by_rows ? i * ld + j : i + j * ld; }
static size_t extent(int by_rows, int64_t ld, int64_t n, int64_t nrhs, size_t size) {
  return n && nrhs ? (size_t)(at(by_rows, ld, n - 1, nrhs - 1) + 1) * size : 0;
}

static int random_count(int64_t n) { return one_in(10) ? 0 : one_in(8) && n < 500 ? (int)(8 + below(28)) : 1 + (int)below(9); }

/* The solve of a column alone must give the same bits. */
static void compare_alone(const Info *i, const Call *c, int f_by_rows, int x_by_rows, const void *f, int64_t column) {
  const Problem *p = &S.problem[i->which];
  size_t size = value_size(p->type);
  Call alone = *c;
  char *f_alone = own((size_t)p->n * size), *x = array(ALONE, (size_t)p->n * size, one_in(2));
  for (int64_t row = 0; row < p->n; row++)
    memcpy(f_alone + (size_t)row * size, (const char *)f + (size_t)at(f_by_rows, c->ldf, row, column) * size, size);
  alone.f = f_alone, alone.x = x;
  if (expect(solve(SINGLE, &alone), SPTRSV_STATUS_SUCCESS, "sptrsvSolve")) {
    if (is_planted("bits") && p->n) x[0] ^= 1;
    int64_t row = 0;
    while (row < p->n && same(p->type, x, row, c->x, at(x_by_rows, c->ldx, row, column))) row++;
    check(row == p->n, "a column has other bits than it has alone");
  }
  free(f_alone);
}

/* Solutions must solve, and nothing between them may be written. */
static void check_solutions(const Info *i, const Call *c, int f_by_rows, int x_by_rows, const void *f, char *before, size_t bytes) {
  const Problem *p = &S.problem[i->which];
  size_t size = value_size(p->type);
  Problem as_analysed = *p;
  as_analysed.diagonal = i->source_of_diagonal;
  Solve s = {.p = &as_analysed, .op = c->op, .val = i->kept ? i->kept : c->val, .diag = i->diagonal, .alpha = get(p->type, c->alpha, 0)};
  s.f_step = f_by_rows ? c->ldf : 1, s.x_step = x_by_rows ? c->ldx : 1;
  for (int64_t j = 0; j < c->nrhs; j++) {
    if (c->nrhs > 4 && !one_in(c->nrhs / 2)) continue;
    s.f = (const char *)f + (size_t)at(f_by_rows, c->ldf, 0, j) * size, s.x = (char *)c->x + (size_t)at(x_by_rows, c->ldx, 0, j) * size;
    int64_t row = wrong_row(&s);
    char text[100];
    snprintf(text, sizeof text, "x is wrong in row %lld of %lld, column %lld", (long long)row, (long long)p->n, (long long)j);
    check(row < 0, text);
    counts->solves++;
  }
  for (int64_t j = 0; j < c->nrhs; j++)
    for (int64_t row = 0; row < p->n; row++) {
      size_t place = (size_t)at(x_by_rows, c->ldx, row, j) * size;
      memcpy(before + place, (char *)c->x + place, size);
    }
  check(memcmp(before, c->x, bytes) == 0, "something was written between the solutions");
  /* zero_pivot is the same for op(A). */
  ((Info *)(uintptr_t)i)->pivot = zero_pivot(&s);
}

static void step_solve(Info *i) {
  int which = i->analysed && !one_in(12) ? i->which : (int)below(2), undo = 0;
  Problem *p = &S.problem[which];
  size_t size = value_size(p->type);
  int op = i->analysed && !one_in(8) && !i->serves_any ? i->op : (int)below(3), policy = (int)below(2);
  if (i->analysed && !one_in(8)) policy = i->policy;
  enum Door door = (enum Door)below(DOORS);
  Call c = call_for(i, p, op, policy);
  c.nrhs = door == SINGLE ? 1 : random_count(p->n);
  c.order_f = door == ROW_MAJOR || (door == ANY_ORDER && one_in(2)) ? SPTRSV_ORDER_ROW : SPTRSV_ORDER_COLUMN;
  c.order_x = door == ROW_MAJOR || (door == ANY_ORDER && one_in(2)) ? SPTRSV_ORDER_ROW : SPTRSV_ORDER_COLUMN;
  int f_by_rows = c.order_f == SPTRSV_ORDER_ROW, x_by_rows = c.order_x == SPTRSV_ORDER_ROW;
  int64_t gap = door != SINGLE && one_in(2) ? below(4) : 0;
  c.ldf = (f_by_rows ? c.nrhs : p->n) + gap, c.ldx = (x_by_rows ? c.nrhs : p->n) + (one_in(2) ? gap : 0);
  if (door == SINGLE && i->analysed && which == i->which && one_in(16)) door = TUNING;
  int in_place = f_by_rows == x_by_rows && c.ldf == c.ldx && one_in(3);
  size_t f_bytes = extent(f_by_rows, c.ldf, p->n, c.nrhs, size), x_bytes = extent(x_by_rows, c.ldx, p->n, c.nrhs, size);
  char *f = array(RIGHT_SIDES, f_bytes, one_in(2)), *x = in_place ? f : array(SOLUTIONS, x_bytes, one_in(2)), alpha[16];
  int has_nan = one_in(12);
  if (!in_place) memset(x, 0x5a, x_bytes);
  for (size_t k = 0; k < f_bytes / size; k++) put(p->type, f, (int64_t)k, has_nan && one_in(20) ? CMPLXL(NAN, 0) : random_value(p, 1));
  put(p->type, alpha, 0, one_in(10) ? 0 : one_in(3) ? 1 : random_value(p, 1));
  c.f = f, c.x = x, c.alpha = alpha;
  if (i->analysed && i->copied == SPTRSV_COPY_ALL && which == i->which && door != TUNING && one_in(2)) c.val = c.ptr = c.ind = NULL;
  char *f_before = own_copy(f, f_bytes), *before = own_copy(x, x_bytes);

  sptrsvStatus_t wanted = verdict(i, p, op, policy, c.nrhs);
  restrict_arrays(i, p, door == TUNING, i->copied != SPTRSV_COPY_ALL || door == TUNING);
  if (S.is_strict && door == TUNING && i->diagonal == p->diag) protect(p->place + DIAGONAL, PROT_READ);
  if (S.is_strict && !in_place) protect(RIGHT_SIDES, PROT_READ);
  if (!wanted && p->n && c.nrhs && one_in(3)) {
    Call bad = c;
    sptrsvStatus_t status = (sptrsvStatus_t)spoil_solve(&bad, door, i, p, &undo);
    if (status) expect(solve(door, &bad), status, "a solve with a defect");
    if (status) check(memcmp(before, x, x_bytes) == 0, "a refused solve has written to x");
    if (undo) set_descriptor(p);
  }
  if (expect(solve(door, &c), wanted, "a solve")) {
    if (is_planted("solution") && !wanted && x_bytes) x[size - 1 - (size_t)below((int64_t)size / 4)] ^= 8;
    if (is_planted("gap") && gap && x_bytes > size) x[(size_t)(at(x_by_rows, c.ldx, 0, 0) + (x_by_rows ? c.nrhs : p->n)) * size % x_bytes] ^= 1;
    if (wanted || !p->n || !c.nrhs) {
      check(memcmp(before, x, x_bytes) == 0, "a solve that has nothing to do, or was refused, has written to x");
    } else {
      if (door == TUNING && i->copied == SPTRSV_COPY_ALL) memcpy(i->kept, p->val, values_size(p));
      check_solutions(i, &c, f_by_rows, x_by_rows, f_before, before, x_bytes);
      if (c.nrhs && is_deterministic(i)) compare_alone(i, &c, f_by_rows, x_by_rows, f_before, below(c.nrhs));
    }
  }
  release_arrays(p);
  protect(RIGHT_SIDES, PROT_READ | PROT_WRITE);
  free(f_before), free(before);
}

static void step_pivot(const Info *i) {
  sptrsvHandle_t h = a_handle();
  int64_t position = -77, base = S.problem[i->which].base;
  if (one_in(6)) EXPECT(sptrsvZeroPivot(h, i->info, NULL), SPTRSV_STATUS_INVALID_VALUE);
  sptrsvStatus_t wanted = !i->analysed ? SPTRSV_STATUS_NOT_ANALYSED : i->pivot < 0 ? SPTRSV_STATUS_SUCCESS : SPTRSV_STATUS_ZERO_PIVOT;
  EXPECT(sptrsvZeroPivot(h, i->info, &position), wanted);
  if (is_planted("pivot")) position++;
  check(position == (!i->analysed ? -77 : i->pivot < 0 ? -1 : i->pivot + base), "another row has a zero pivot");
}

/* NULL in the place of every object and result: a status, and no harm. */
static void step_nulls(const Info *i, const Problem *p) {
  const sptrsvStatus_t none = SPTRSV_STATUS_NOT_INITIALIZED, bad = SPTRSV_STATUS_INVALID_VALUE;
  sptrsvHandle_t h = a_handle();
  switch (below(6)) {
    case 0:
      EXPECT(sptrsvCreateWithExecutor(NULL, SPTRSV_EXECUTOR_HOST), bad);
      EXPECT(sptrsvCreateMatDescr(NULL), bad), EXPECT(sptrsvCreateInfo(NULL), bad);
      OK(sptrsvDestroyMatDescr(NULL)), OK(sptrsvDestroyInfo(NULL));
      EXPECT(sptrsvDestroy(NULL), none);
      break;
    case 1:
      EXPECT(sptrsvUpdateValues(NULL, i->info, p->val), none), EXPECT(sptrsvUpdateValues(h, NULL, p->val), bad);
      EXPECT(sptrsvUpdateDiagonal(h, NULL, p->diag), bad), EXPECT(sptrsvZeroPivot(NULL, i->info, NULL), none);
      break;
    case 2:
      EXPECT(sptrsvSetMatFillMode(NULL, SPTRSV_FILL_MODE_UPPER), bad), EXPECT(sptrsvGetMatFillMode(p->descr, NULL), bad);
      EXPECT(sptrsvSetMatDiagType(p->descr, (sptrsvDiagType_t)2), bad), EXPECT(sptrsvGetMatFormat(p->descr, NULL), bad);
      EXPECT(sptrsvSetMatIndexTypes(p->descr, SPTRSV_INDEX_64I, (sptrsvIndexType_t)-1), bad);
      break;
    case 3:
      EXPECT(sptrsvSetAlgorithm(NULL, SPTRSV_ALG_AUTO), bad), EXPECT(sptrsvGetAlgorithm(i->info, NULL), bad);
      EXPECT(sptrsvSetDiagonal(NULL, p->diag), bad), EXPECT(sptrsvGetStats(i->info, NULL), bad);
      break;
    case 4:
      EXPECT(sptrsvSetFactorization(NULL, 1), bad), EXPECT(sptrsvGetFactorization(i->info, NULL), bad);
      EXPECT(sptrsvSetSweeps(NULL, SPTRSV_SWEEPS_NONE), bad), EXPECT(sptrsvGetSweeps(NULL, NULL), bad);
      EXPECT(sptrsvSetPivotBoost(NULL, 1, 1, 0), bad), EXPECT(sptrsvFactorZeroPivot(NULL, i->info, NULL), none);
      EXPECT(sptrsvFactorZeroPivot(h, NULL, NULL), bad), EXPECT(sptrsvFactorZeroPivot(h, i->info, NULL), bad);
      break;
    default: {
      sptrsvStatus_t any = (sptrsvStatus_t)(below(300) - 100);
      check(*sptrsvGetErrorName(any) && *sptrsvGetErrorString(any), "a status has no name");
      EXPECT(sptrsvSetMatFillMode(NULL, SPTRSV_FILL_MODE_UPPER), bad);
      check(*sptrsvGetLastErrorString() != 0, "a refused call has no message");
      counts->calls += 3;
    }
  }
}

/* ------------------------------------------------------------------------------------------------- lives */

static void new_handle(int k) {
  if (!EXPECT(sptrsvCreateWithExecutor(&S.handle[k], SPTRSV_EXECUTOR_HOST), SPTRSV_STATUS_SUCCESS)) exit(4);
}

static void new_info(Info *i) {
  free(i->kept);
  *i = (Info){.algorithm = SPTRSV_ALG_AUTO, .right_hand_sides = 1, .tolerance = -1};
  if (!OK(sptrsvCreateInfo(&i->info))) exit(4);
  /* What it is to know again makes no difference but in time. */
  OK(sptrsvSetKeepPattern(i->info, one_in(2)));
}

/* Something goes, and another one takes its place; what belonged together with it stays. */
static void step_life(void) {
  int k = (int)below(2);
  switch (below(3)) {
    case 0:
      OK(sptrsvDestroy(S.handle[k]));
      new_handle(k);
      break;
    case 1:
      OK(sptrsvDestroyInfo(S.info[k].info));
      new_info(&S.info[k]);
      break;
    default:
      OK(sptrsvDestroyMatDescr(S.problem[k].descr));
      OK(sptrsvCreateMatDescr(&S.problem[k].descr));
      set_descriptor(&S.problem[k]);
  }
}

#endif
