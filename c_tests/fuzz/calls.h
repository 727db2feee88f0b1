/*
 * Calls of the library, counted, and what must be true of each: the status that the model expects, a sentence after an
 * error, none after a success, outputs untouched by what was refused.
 */
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

#include "system.h"

/* What the process that runs cases tells the one that watches it. */
typedef struct {
  int64_t at; /* the case under way */
  int64_t calls, cases, checks, solves, factorisations, sweeps, pairs, refused, failed;
} Counts;

static Counts *counts;
static int is_verbose, case_failed;
static const char *planted = ""; /* a defect to be found: see PLANTS in fuzz.c */

static int is_planted(const char *defect) { return strcmp(planted, defect) == 0; }

static sptrsvStatus_t called(sptrsvStatus_t status, const char *call) {
  counts->calls++;
  if (is_verbose) printf("  %.100s: %s\n", call, sptrsvGetErrorName(status));
  return status;
}
#define CALL(call) called((call), #call)

static int check(int holds, const char *what) {
  counts->checks++;
  if (holds) return 1;
  case_failed = 1;
  printf("case %lld: %s\n", (long long)counts->at, what);
  fflush(stdout);
  return 0;
}

/* A call must end so. A sentence tells why it was refused, and is gone after a success. */
static int expect(sptrsvStatus_t got, sptrsvStatus_t wanted, const char *call) {
  char text[400];
  const char *message = sptrsvGetLastErrorString();
  counts->refused += wanted != SPTRSV_STATUS_SUCCESS;
  snprintf(text, sizeof text, "%.80s gave %s (\"%.100s\") where it must give %s", call, sptrsvGetErrorName(got), message,
           sptrsvGetErrorName(wanted));
  if (!check(got == wanted, text)) return 0;
  snprintf(text, sizeof text, "%.80s: after %s the message is \"%.100s\"", call, sptrsvGetErrorName(got), message);
  return check((*message != 0) == (got != SPTRSV_STATUS_SUCCESS), text);
}
#define EXPECT(call, wanted) expect(CALL(call), (wanted), #call)
#define OK(call) EXPECT(call, SPTRSV_STATUS_SUCCESS)

/* ------------------------------------------------------------------------------------------------- state */

/* An info, and what the library must have kept of the calls on it. */
typedef struct {
  sptrsvInfo_t info;
  int algorithm, any_operation, copy;
  int64_t right_hand_sides;
  const void *diagonal; /* of sptrsvSetDiagonal */
  int factorises, sweeps; /* what later analyses are for beside solves */
  double tolerance, boost[2]; /* of sptrsvSetPivotBoost */
  size_t bytes;
  void *buffer;
  /* Of the analysis. */
  int analysed, which, op, policy, serves_any, copied, source_of_diagonal, can_factorise, can_sweep;
  char *kept;      /* the copy of all values */
  const void *handed; /* the array of the last sptrsvUpdateValues */
  int64_t pivot;   /* what sptrsvZeroPivot must report: a row from 0 on, or -1 */
  int64_t factor_pivot; /* the same of sptrsvFactorZeroPivot */
} Info;

static struct {
  sptrsvHandle_t handle[2];
  Info info[2];
  Problem problem[2];
  int is_strict; /* arrays that a call may not read cannot be read meanwhile, those that it may not write not written */
} S;

static sptrsvHandle_t a_handle(void) { return S.handle[below(2)]; }

/* ------------------------------------------------------------------------- arguments of analysis and solve */

/* One call, as it should be or with a defect. `descr` is that of p. */
typedef struct {
  sptrsvHandle_t h;
  int op, type, policy, order_f, order_x;
  int64_t m, nnz, nrhs, ldf, ldx;
  sptrsvMatDescr_t descr;
  const void *val, *ptr, *ind, *alpha, *f;
  sptrsvInfo_t info;
  void *x, *buffer;
} Call;

static Call call_for(const Info *i, const Problem *p, int op, int policy) {
  return (Call){.h = a_handle(), .op = op, .type = p->type, .policy = policy, .m = p->n, .nnz = p->nnz, .nrhs = 1, .descr = p->descr,
                .val = p->val, .ptr = p->ptr, .ind = p->ind, .info = i->info, .buffer = i->buffer, .ldf = p->n, .ldx = p->n,
                .order_f = SPTRSV_ORDER_COLUMN, .order_x = SPTRSV_ORDER_COLUMN};
}

static sptrsvStatus_t buffer_size(const Call *c, size_t *bytes) {
  return CALL(sptrsvBufferSize(c->h, (sptrsvOperation_t)c->op, c->m, c->nnz, c->descr, (sptrsvDataType_t)c->type, c->val, c->ptr,
                               c->ind, c->info, bytes));
}

static sptrsvStatus_t analyse(const Call *c) {
  return CALL(sptrsvAnalysis(c->h, (sptrsvOperation_t)c->op, c->m, c->nnz, c->descr, (sptrsvDataType_t)c->type, c->val, c->ptr, c->ind,
                             c->info, (sptrsvSolvePolicy_t)c->policy, c->buffer));
}

enum Door { SINGLE, MULTI, ROW_MAJOR, ANY_ORDER, DOORS, TUNING };

static sptrsvStatus_t solve(enum Door door, const Call *c) {
  sptrsvOperation_t op = (sptrsvOperation_t)c->op;
  sptrsvDataType_t type = (sptrsvDataType_t)c->type;
  sptrsvSolvePolicy_t policy = (sptrsvSolvePolicy_t)c->policy;
  switch (door) {
    case SINGLE:
      return CALL(sptrsvSolve(c->h, op, c->m, c->nnz, c->alpha, c->descr, type, c->val, c->ptr, c->ind, c->info, c->f, c->x, policy,
                              c->buffer));
    case TUNING:
      return CALL(sptrsvTune(c->h, op, c->m, c->nnz, c->alpha, c->descr, type, c->val, c->ptr, c->ind, c->info, c->f, c->x, policy,
                             c->buffer));
    case MULTI:
      return CALL(sptrsvSolveMulti(c->h, op, c->m, c->nnz, c->nrhs, c->alpha, c->descr, type, c->val, c->ptr, c->ind, c->info, c->f,
                                   c->ldf, c->x, c->ldx, policy, c->buffer));
    case ROW_MAJOR:
      return CALL(sptrsvSolveMultiRowMajor(c->h, op, c->m, c->nnz, c->nrhs, c->alpha, c->descr, type, c->val, c->ptr, c->ind, c->info,
                                           c->f, c->ldf, c->x, c->ldx, policy, c->buffer));
    default:
      return CALL(sptrsvSolveDense(c->h, op, c->m, c->nnz, c->nrhs, c->alpha, c->descr, type, c->val, c->ptr, c->ind, c->info, c->f,
                                   c->ldf, (sptrsvOrder_t)c->order_f, c->x, c->ldx, (sptrsvOrder_t)c->order_x, policy, c->buffer));
  }
}

/* ---------------------------------------------------------------------------------------------- the model */

/* A sweep hands its solve a diagonal, unless it is for Gauss-Seidel alone. */
static int source_of_diagonal(const Info *i, const Problem *p, int sweeps) {
  return p->diagonal == UNIT_DIAGONAL ? UNIT_DIAGONAL : i->diagonal || sweeps == SPTRSV_SWEEPS_ANY ? SEPARATE_DIAGONAL : OWN_DIAGONAL;
}

static int is_contradictory(const Info *i, const Problem *p, int sweeps) {
  return p->diagonal == UNIT_DIAGONAL && (i->diagonal || sweeps == SPTRSV_SWEEPS_ANY);
}

/* Whether the library can tell the two problems apart. */
static int look_alike(const Problem *a, const Problem *b) {
  return a->n == b->n && a->nnz == b->nnz && a->type == b->type && a->fill == b->fill && a->base == b->base && a->format == b->format &&
         a->wide == b->wide;
}

/* H is T for real types. */
static int same_operation(int type, int a, int b) { return a == b || (!is_complex(type) && a > 0 && b > 0); }

/* Whether a call is about the matrix that was analysed. */
static sptrsvStatus_t is_of_analysis(const Info *i, const Problem *p, int op) {
  if (is_contradictory(i, p, i->can_sweep)) return SPTRSV_STATUS_INVALID_VALUE;
  if (!i->analysed) return SPTRSV_STATUS_NOT_ANALYSED;
  const Problem *of = &S.problem[i->which];
  if (!look_alike(of, p) || i->source_of_diagonal != source_of_diagonal(i, p, i->can_sweep)) return SPTRSV_STATUS_PATTERN_MISMATCH;
  if (!i->serves_any && !same_operation(p->type, i->op, op)) return SPTRSV_STATUS_PATTERN_MISMATCH;
  return SPTRSV_STATUS_SUCCESS;
}

/* What a solve without defects must give. */
static sptrsvStatus_t verdict(const Info *i, const Problem *p, int op, int policy, int64_t nrhs) {
  sptrsvStatus_t status = is_of_analysis(i, p, op);
  if (status) return status;
  if (policy == SPTRSV_SOLVE_POLICY_USE_LEVEL && i->policy == SPTRSV_SOLVE_POLICY_NO_LEVEL) return SPTRSV_STATUS_INVALID_VALUE;
  if (p->n == 0 || nrhs == 0) return SPTRSV_STATUS_SUCCESS;
  if (i->copied == SPTRSV_COPY_WHERE_FASTER && p->nnz && i->handed != p->val) return SPTRSV_STATUS_INVALID_VALUE;
  if (i->source_of_diagonal == SEPARATE_DIAGONAL && !i->diagonal) return SPTRSV_STATUS_INVALID_VALUE; /* analysed for sweeps */
  return SPTRSV_STATUS_SUCCESS;
}

/* Closes what a call has no business with, and opens it again. */
static void restrict_arrays(const Info *i, const Problem *p, int reads_pattern, int reads_values) {
  if (!S.is_strict) return;
  int pattern = reads_pattern ? PROT_READ : PROT_NONE;
  protect(p->place + POINTERS, pattern), protect(p->place + INDICES, pattern);
  protect(p->place + VALUES, reads_values ? PROT_READ : PROT_NONE);
  protect(p->place + DIAGONAL, i->diagonal == p->diag && !reads_pattern ? PROT_READ : PROT_NONE);
}
static void release_arrays(const Problem *p) {
  if (!S.is_strict) return;
  for (int place = 0; place < OF_PROBLEM; place++) protect(p->place + place, PROT_READ | PROT_WRITE);
}

#endif
