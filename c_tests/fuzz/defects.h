/*
 * Calls with one defect. Each must be refused with the right status, leave every output as it was, and leave the info as
 * good as before, which the solves that follow show.
 */
#ifndef FUZZ_DEFECTS_H
#define FUZZ_DEFECTS_H

#include "calls.h"

enum { INVALID = SPTRSV_STATUS_INVALID_VALUE, MISMATCH = SPTRSV_STATUS_PATTERN_MISMATCH };

/* The same address, one byte on. */
static void *misaligned(const void *p) { return (char *)(uintptr_t)p + 1; }

/* What a call about any problem can be wrong about: returns the status, or SUCCESS where this defect is none here. Factorisations
 * and sweeps take no operation. */
static int spoil_arguments(Call *c, int takes_operation) {
  switch (below(9)) {
    case 0: c->h = NULL; return SPTRSV_STATUS_NOT_INITIALIZED;
    case 1: c->info = NULL; return INVALID;
    case 2: c->descr = NULL; return INVALID;
    case 3: c->op = one_in(2) ? 3 : -1; return takes_operation ? INVALID : 0;
    case 4: c->type = 2 + (int)below(2) * 4; return INVALID;
    case 5: c->m = -1 - below(3); return INVALID;
    case 6: c->nnz = INT64_MIN + below(2); return INVALID;
    case 7: c->m = (int64_t)UINT32_MAX - 4095 + below(2) * ((int64_t)1 << 40); return SPTRSV_STATUS_INSUFFICIENT_RESOURCES;
    default: c->nnz = (int64_t)UINT32_MAX - 4095; return SPTRSV_STATUS_INSUFFICIENT_RESOURCES;
  }
}

/* A descriptor that says something else; `undo` afterwards. */
static int spoil_descriptor(const Call *c, int *undo) {
  *undo = 1;
  switch (below(2)) {
    case 0: OK(sptrsvSetMatType(c->descr, (sptrsvMatrixType_t)(1 + below(3)))); return SPTRSV_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    default: OK(sptrsvSetMatIndexTypes(c->descr, SPTRSV_INDEX_32I, SPTRSV_INDEX_64I)); return SPTRSV_STATUS_NOT_SUPPORTED;
  }
}

static void set_descriptor(const Problem *p) {
  OK(sptrsvSetMatType(p->descr, SPTRSV_MATRIX_TYPE_GENERAL));
  OK(sptrsvSetMatFillMode(p->descr, (sptrsvFillMode_t)p->fill));
  OK(sptrsvSetMatDiagType(p->descr, p->diagonal == UNIT_DIAGONAL ? SPTRSV_DIAG_TYPE_UNIT : SPTRSV_DIAG_TYPE_NON_UNIT));
  OK(sptrsvSetMatIndexBase(p->descr, (sptrsvIndexBase_t)p->base));
  OK(sptrsvSetMatFormat(p->descr, (sptrsvFormat_t)p->format));
  OK(sptrsvSetMatIndexTypes(p->descr, (sptrsvIndexType_t)(p->wide >= 1), (sptrsvIndexType_t)(p->wide >= 2)));
}

/* ---------------------------------------------------------------------------------------------- analyses */

/* A pattern that is no pattern, in arrays of its own, which end where the good ones would. */
static int spoil_pattern(Call *c, const Problem *p) {
  int wide_ptr = p->wide >= 1, wide_ind = p->wide >= 2;
  size_t ptr_bytes = (size_t)(p->n + 1) * (wide_ptr ? 8 : 4);
  void *ptr = array(BAD_POINTERS, ptr_bytes, one_in(2)), *ind = array(BAD_INDICES, indices_size(p), one_in(2));
  memcpy(ptr, p->ptr, ptr_bytes), memcpy(ind, p->ind, indices_size(p));
  c->ptr = ptr, c->ind = ind;
  int64_t row = below(p->n), entry = p->nnz ? below(p->nnz) : 0, least = wide_ptr ? INT64_MIN : INT32_MIN,
          most = wide_ptr ? INT64_MAX : INT32_MAX;
  const int64_t OFFSETS[] = {least, least + 1, -1, p->base - 1, p->nnz + p->base + 1, most - 1, most, (int64_t)1 << 32};
  const int64_t COLUMNS[] = {wide_ind ? INT64_MIN : INT32_MIN, -1, p->base - 1, p->n + p->base, p->n + p->base + 1,
                             wide_ind ? INT64_MAX : INT32_MAX, wide_ind ? (int64_t)1 << 32 : INT32_MAX - 1};
  switch (below(5)) {
    case 0: /* the entries are said to be more than there are, far more, or fewer */
      c->nnz = one_in(3) ? p->nnz + 1 : one_in(2) ? p->nnz + 1 + below(1 << 20) : p->nnz ? below(p->nnz) : 1;
      break;
    case 1: put_index(wide_ptr, ptr, row, OFFSETS[below(wide_ptr ? 8 : 7)]); break;
    case 2: put_index(wide_ptr, ptr, p->n, get_index(wide_ptr, ptr, p->n) + (one_in(2) ? 1 : -1)); break;
    case 3: put_index(wide_ptr, ptr, 0, p->base + 1); break;
    default:
      if (!p->nnz) return 0;
      put_index(wide_ind, ind, entry, COLUMNS[below(7)]);
  }
  return SPTRSV_STATUS_INVALID_MATRIX;
}

static int spoil_analysis(Call *c, const Info *i, const Problem *p, int *undo) {
  if (one_in(4)) return spoil_arguments(c, 1);
  if (one_in(6)) return spoil_descriptor(c, undo);
  if (p->n == 0) return 0;
  if (!one_in(3)) return spoil_pattern(c, p);
  switch (below(8)) {
    case 5: c->ptr = misaligned(c->ptr); return INVALID;
    case 6: c->ind = misaligned(c->ind); return p->nnz ? INVALID : 0;
    case 7: c->val = misaligned(c->val); return i->copy == SPTRSV_COPY_ALL && p->nnz ? INVALID : 0;
    case 0: c->ptr = NULL; return INVALID;
    case 1: c->ind = NULL; return p->nnz ? INVALID : 0;
    case 2: c->buffer = NULL; return INVALID;
    case 3: c->policy = 2; return INVALID;
    default: c->val = NULL; return i->copy == SPTRSV_COPY_ALL && p->nnz ? INVALID : 0;
  }
}

/* ------------------------------------------------------------------------------------------------ solves */

static int spoil_sides(Call *c, enum Door door, const Problem *p) {
  if (door == SINGLE) return 0;
  int f_by_rows = door == ROW_MAJOR || (door == ANY_ORDER && c->order_f == SPTRSV_ORDER_ROW);
  switch (below(6)) {
    case 0: c->nrhs = -1 - below(2); return INVALID;
    case 1: c->ldf = (f_by_rows ? c->nrhs : p->n) - 1; return INVALID;
    case 2: c->ldx = -5; return INVALID;
    case 3: c->ldf = INT64_MAX; return INVALID;
    case 4: /* X is F, but lies otherwise */
      c->f = c->x, c->ldf = c->ldx + 1;
      return c->nrhs > 1 ? INVALID : 0;
    default:
      if (door != ANY_ORDER) return 0;
      c->order_x = 3 * (int)below(2);
      return INVALID;
  }
}

static int spoil_solve(Call *c, enum Door door, const Info *i, const Problem *p, int *undo) {
  int reads_values = i->copied != SPTRSV_COPY_ALL || door == TUNING;
  if (one_in(4)) return spoil_arguments(c, 1);
  if (one_in(8)) return spoil_descriptor(c, undo);
  if (one_in(3)) return spoil_sides(c, door == TUNING ? SINGLE : door, p);
  switch (below(14)) {
    case 0: c->f = NULL; return INVALID;
    case 1: c->x = NULL; return INVALID;
    case 10: c->f = misaligned(c->f); return INVALID;
    case 11: c->x = misaligned(c->x); return INVALID;
    case 12: c->val = misaligned(c->val); return reads_values && c->val && p->nnz ? INVALID : 0;
    case 2: c->alpha = NULL; return INVALID;
    case 3: c->buffer = NULL; return INVALID;
    case 4: c->val = NULL; return reads_values && p->nnz ? INVALID : 0;
    case 5: c->ptr = NULL; return reads_values ? INVALID : 0;
    case 6: c->ind = NULL; return reads_values && p->nnz ? INVALID : 0;
    case 7: c->policy = -1; return INVALID;
    case 8: c->nnz++; return MISMATCH;
    case 9: c->m++; c->ldf++, c->ldx++; return MISMATCH;
    default: c->type ^= 1; return MISMATCH;
  }
}

/* ------------------------------------------------------------------------------ factorisations and sweeps */

static int spoil_factorisation(Call *c, const Problem *p, int *undo) {
  if (one_in(3)) return spoil_arguments(c, 0);
  if (one_in(8)) return spoil_descriptor(c, undo);
  switch (below(10)) {
    case 0: c->val = NULL; return INVALID;
    case 1: c->val = misaligned(c->val); return INVALID;
    case 2: c->ptr = NULL; return INVALID;
    case 3: c->ptr = misaligned(c->ptr); return INVALID;
    case 4: c->ind = NULL; return INVALID;
    case 5: c->ind = misaligned(c->ind); return INVALID;
    case 6: c->buffer = NULL; return INVALID;
    case 7: c->nnz = p->nnz - 1; return MISMATCH;
    case 8: c->m++; return MISMATCH;
    default: c->type ^= 1; return MISMATCH;
  }
}

static int spoil_sweep(Call *c, double *weight, int *zero_guess, const Info *i, const Problem *p, int *undo) {
  if (one_in(3)) return spoil_arguments(c, 0);
  if (one_in(8)) return spoil_descriptor(c, undo);
  switch (below(16)) {
    case 0: *weight = one_in(2) ? 0.0 : -0.0; return INVALID;
    case 1: *weight = NAN; return INVALID;
    case 2: *zero_guess = one_in(2) ? 2 : -1; return INVALID;
    case 3: c->f = NULL; return INVALID;
    case 4: c->f = misaligned(c->f); return INVALID;
    case 5: c->x = NULL; return INVALID;
    case 6: c->x = misaligned(c->x); return INVALID;
    case 7: c->val = NULL; return p->nnz ? INVALID : 0;
    case 8: c->val = misaligned(c->val); return p->nnz ? INVALID : 0;
    case 9: c->ptr = one_in(2) ? NULL : misaligned(c->ptr); return INVALID;
    case 10: c->ind = one_in(2) ? NULL : misaligned(c->ind); return p->nnz ? INVALID : 0;
    case 11: c->buffer = NULL; return INVALID;
    case 12: c->nnz++; return MISMATCH;
    case 13: c->m++; return MISMATCH;
    case 14: c->x = (void *)(uintptr_t)c->f; return INVALID;
    default:
      if (!i->diagonal) return 0;
      OK(sptrsvSetDiagonal(i->info, misaligned(i->diagonal))); /* until it is set again */
      return INVALID;
  }
}

#endif
