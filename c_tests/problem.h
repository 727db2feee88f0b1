/*
 * Test problems: matrices of several shapes, packed into every storage that the library reads, and the
 * naive check of a solution.
 *
 * A matrix is a list of triplets (row, column, value), whatever its storage. The check walks that list,
 * so that it shares nothing with the compressed arrays it judges.
 */
#ifndef SPTRSV_PROBLEM_H
#define SPTRSV_PROBLEM_H

#include <complex.h>
#include <float.h>
#include <math.h>

#include "check.h"

typedef long double complex num;

/* The algorithms under test; a new one is one row here. */
static const struct {
  sptrsvAlgorithm_t id;
  const char *name;
  int deterministic, self_scheduled;
} ALGS[] = {
    {SPTRSV_ALG_AUTO, "AUTO", 1, 0}, {SPTRSV_ALG_LEVR, "LEVR", 1, 0}, {SPTRSV_ALG_LEVC, "LEVC", 0, 0},
    {SPTRSV_ALG_SLFR, "SLFR", 1, 1}, {SPTRSV_ALG_SLFC, "SLFC", 0, 1}, {SPTRSV_ALG_GSF, "GSF", 0, 1},
    {SPTRSV_ALG_ONE_WORD, "ONE_WORD", 1, 1}, {SPTRSV_ALG_TILED, "TILED", 1, 1},
    {SPTRSV_ALG_NODAL, "NODAL", 1, 1},       {SPTRSV_ALG_WIDE, "WIDE", 1, 0},
    {SPTRSV_ALG_THIN, "THIN", 1, 1},         {SPTRSV_ALG_BLOCK, "BLOCK", 1, 1},
    {SPTRSV_ALG_PANEL, "PANEL", 1, 1},
};

/* The place of an algorithm in the table. */
static inline int place_of(sptrsvAlgorithm_t id) {
  for (int a = 0; a < COUNT(ALGS); a++)
    if (ALGS[a].id == id) return a;
  fatal("place_of", "no such algorithm");
  return 0;
}

static const sptrsvDataType_t TYPES[] = {SPTRSV_R_32F, SPTRSV_R_64F, SPTRSV_C_32F, SPTRSV_C_64F};

enum { SEPARATE_DIAGONAL = 2 }; /* beside the library's NON_UNIT and UNIT */

enum Shape { DIAGONAL, CHAIN, GRID, RANDOM, DENSE_ROW, DENSE_COLUMN, EMPTY_ROWS, NODES, DIAGONALS, TAIL, DENSE_END, SHAPES,
             /* Not among all shapes: levels of eight rows, also of twenty entries each; eight entries anywhere; a complete factor. */
             BAND, MANY, IRREGULAR, SEPARATORS };
static const char *const SHAPE_NAMES[] = {"diagonal",  "chain",        "grid",      "random",
                                          "dense row", "dense column", "empty rows", "nodes",     "diagonals",
                                          "tail",      "dense end",    "",          "band",       "many",
                                          "irregular", "separators"};

/* What kind of problem it is. Zero everywhere is the plain one: float, op N, lower, non-unit, base 0, CSR,
 * 32-bit indices, sorted rows, triangular storage, not in place, alpha on the host, setup AUTO. */
typedef struct {
  int type, op, fill, diag, base, format;
  int wide;       /* number of 64-bit index arrays: 0, 1 (offsets), 2 (columns too) */
  int unsorted;   /* 2: sorted but for the diagonal, which is on the far side of its row or column */
  int full, duplicates;
  int in_place, device_alpha, setup;
} Kind;

static inline const char *kind_text(const Kind *k) {
  static char text[200];
  snprintf(text, sizeof text, "%c op %c %s %s base %d %s %s%s%s%s%s%s setup %d",
           k->type == SPTRSV_R_32F ? 'S' : k->type == SPTRSV_R_64F ? 'D' : k->type == SPTRSV_C_32F ? 'C' : 'Z',
           "NTH"[k->op], k->fill ? "upper" : "lower",
           k->diag == SEPARATE_DIAGONAL ? "separate diagonal" : k->diag ? "unit" : "non-unit", k->base,
           k->format ? "CSC" : "CSR", k->wide == 0 ? "32/32" : k->wide == 1 ? "64/32" : "64/64",
           k->unsorted > 1 ? " diagonal apart" : k->unsorted ? " unsorted" : "", k->full ? " full" : "",
           k->duplicates ? " duplicates" : "", k->in_place ? " in place" : "", k->device_alpha ? " device alpha" : "", k->setup);
  return text;
}

/* ------------------------------------------------------------------------- scalars and random numbers */

static inline int is_complex(int type) { return type == SPTRSV_C_32F || type == SPTRSV_C_64F; }
static inline int is_single(int type) { return type == SPTRSV_R_32F || type == SPTRSV_C_32F; }
static inline size_t value_size(int type) { return (is_single(type) ? 4 : 8) * (is_complex(type) ? 2 : 1); }

static inline num get(int type, const void *a, int64_t i) {
  switch (type) {
    case SPTRSV_R_32F: return ((const float *)a)[i];
    case SPTRSV_R_64F: return ((const double *)a)[i];
    case SPTRSV_C_32F: return CMPLXL(((const float *)a)[2 * i], ((const float *)a)[2 * i + 1]);
    default: return CMPLXL(((const double *)a)[2 * i], ((const double *)a)[2 * i + 1]);
  }
}

static inline void put(int type, void *a, int64_t i, num v) {
  switch (type) {
    case SPTRSV_R_32F: ((float *)a)[i] = (float)creall(v); break;
    case SPTRSV_R_64F: ((double *)a)[i] = (double)creall(v); break;
    case SPTRSV_C_32F: ((float *)a)[2 * i] = (float)creall(v), ((float *)a)[2 * i + 1] = (float)cimagl(v); break;
    default: ((double *)a)[2 * i] = (double)creall(v), ((double *)a)[2 * i + 1] = (double)cimagl(v);
  }
}

static inline int finite_num(num v) { return isfinite(creall(v)) && isfinite(cimagl(v)); }
static inline int nan_num(num v) { return isnan(creall(v)) || isnan(cimagl(v)); }

static _Thread_local uint64_t rng_state = 1;
static inline uint64_t rng(void) { /* splitmix64 */
  uint64_t z = rng_state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
static inline int64_t below(int64_t n) { return (int64_t)(rng() % (uint64_t)n); }
static inline long double uniform(void) { return (long double)rng() / 18446744073709551616.0L; }
static inline num random_num(long double size) {
  long double re = (2 * uniform() - 1) * size, im = (2 * uniform() - 1) * size;
  return CMPLXL(re, im);
}
/* Of modulus between 1 and 3, well away from zero also when the imaginary part is dropped. */
static inline num random_pivot(void) {
  long double re = (1 + uniform()) * (rng() & 1 ? 1 : -1), im = 2 * uniform() - 1;
  return CMPLXL(re, im);
}

/* ------------------------------------------------------------------------------------------ triplets */

typedef struct {
  int64_t i, j;
  num v;
  int64_t major, key; /* for packing */
} Entry;

typedef struct {
  Entry *e;
  int64_t count, room;
} Entries;

static inline void push(Entries *list, int64_t i, int64_t j, num v) {
  if (list->count == list->room) {
    list->room = 2 * list->room + 64;
    list->e = realloc(list->e, (size_t)list->room * sizeof *list->e);
    if (!list->e) fatal("realloc", "out of memory");
  }
  list->e[list->count++] = (Entry){.i = i, .j = j, .v = v};
}

/* Nodes of 2 to 6 unknowns, as many as divide n, that depend on each other as wholes; the last one on all. */
static inline void push_nodes(Entries *list, int64_t n) {
  int64_t b = 2 + below(5);
  for (int tries = 0; tries < 5 && n % b; tries++) b = b == 6 ? 2 : b + 1;
  for (int64_t node = 0; node < n / b; node++)
    for (int64_t other = node < 8 || node == n / b - 1 ? 0 : node - 8; other <= node; other++) {
      int64_t back = node - other;
      int wanted = (node < 700 && node == n / b - 1) || ((back == 1 || back == 3 || back == 8) && below(4));
      for (int64_t r = 0; r < b; r++)
        for (int64_t c = 0; c < (back ? wanted * b : r); c++) push(list, node * b + r, other * b + c, 0);
    }
}

/* A square grid whose points come by diagonals, and unknowns by themselves: tiles are strips across the diagonals. */
static inline void push_diagonals(Entries *list, int64_t n) {
  int64_t side = (int64_t)sqrt((double)n), begin = 0, low = 0, high = 0;
  for (int64_t d = 1; d < 2 * side - 1; d++) {
    int64_t before = begin - low, last = high;
    begin += high - low + 1, low = d < side ? 0 : d - side + 1, high = d < side ? d : side - 1;
    for (int64_t y = low; y <= high; y++) {
      if (y > 0) push(list, begin + y - low, before + y - 1, 0);
      if (y <= last) push(list, begin + y - low, before + y, 0);
    }
  }
}

/* A complete factor in an order by nested dissection: two halves without an entry between them, and behind them a separator whose rows
 * depend on all before. */
static inline void push_separators(Entries *list, int64_t first, int64_t end) {
  int64_t n = end - first, separator = n <= 24 ? n : n / 8 + 4, half = (n - separator) / 2;
  if (separator < n) {
    push_separators(list, first, first + half);
    push_separators(list, first + half, end - separator);
  }
  for (int64_t i = end - separator; i < end; i++)
    for (int64_t j = first; j < i; j++) push(list, i, j, 0);
}

/* The strictly lower entries of a shape, without values. */
static inline void push_shape(Entries *list, enum Shape shape, int64_t n) {
  int64_t side = (int64_t)sqrt((double)n), dense = n > 10000 ? 120 : 40; /* rows at the end */
  if (shape == NODES) push_nodes(list, n);
  if (shape == DIAGONALS) push_diagonals(list, n);
  if (shape == SEPARATORS) push_separators(list, 0, n);
  for (int64_t i = 1; i < n; i++) switch (shape) {
      case DIAGONAL:
      case DIAGONALS:
      case SEPARATORS:
      case NODES: break;
      case CHAIN: push(list, i, i - 1, 0); break;
      case GRID:
        if (i % side) push(list, i, i - 1, 0);
        if (i >= side) push(list, i, i - side, 0);
        break;
      case RANDOM:
        for (int64_t k = below(5); k > 0; k--) push(list, i, below(i), 0);
        break;
      case DENSE_ROW:
        if (i == n - 1 || i == n / 2)
          for (int64_t j = 0; j < i; j++) push(list, i, j, 0);
        break;
      case TAIL: /* a wide level, and narrow ones behind it, with a long row now and then */
        if (i < n / 2) break;
        push(list, i, i - 1 - below(i < 20 ? i : 20), 0);
        for (int64_t k = i % 64 ? below(4) : 300; k > 0; k--) push(list, i, below(i), 0);
        break;
      case DENSE_END: /* as a factor has: rows and columns of hundreds of entries, each dependent on the one before */
        if (i < n - dense) push(list, i, below(i), 0);
        for (int64_t j = i < 700 ? 0 : i - 700; j < i && i >= n - dense; j++) push(list, i, j, 0);
        break;
      case BAND:
        for (int64_t k = 0, back[] = {8, 12, 16, 21, 27, 33, 40}; k < 7; k++)
          if (i >= back[k]) push(list, i, i - back[k], 0);
        break;
      case MANY:
        for (int64_t k = 0; k < 20; k++)
          if (i >= 8 + 9 * k) push(list, i, i - 8 - 9 * k, 0);
        break;
      case IRREGULAR:
        for (int64_t k = 0; k < 8; k++) push(list, i, below(i), 0);
        break;
      case DENSE_COLUMN:
        push(list, i, 0, 0);
        if (i > n / 2) push(list, i, n / 2, 0);
        break;
      default:
        for (int k = i % 3 ? 0 : 3; k > 0; k--) push(list, i, below(i), 0);
    }
}

/* ------------------------------------------------------------------------------------------ problems */

/* A problem on the host: typed arrays as the library reads them, and the triplets of the entries. */
typedef struct {
  Kind k;
  int64_t n, nnz;
  Entry *e; /* entry t has value val[t] */
  void *val, *ptr, *ind, *diag, *f;
  num alpha;
} Problem;

static inline int by_major(const void *a, const void *b) {
  const Entry *x = a, *y = b;
  if (x->major != y->major) return x->major < y->major ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

static inline void put_index(int wide, void *a, int64_t t, int64_t value) {
  if (wide)
    ((int64_t *)a)[t] = value;
  else
    ((int32_t *)a)[t] = (int32_t)value;
}

/* Packs triplets into the storage of the kind, and takes them over. The right-hand side and a separate
 * diagonal are random. */
static inline Problem pack(Kind k, int64_t n, Entries list) {
  Problem p = {.k = k, .n = n, .nnz = list.count, .e = list.e, .alpha = 1};
  size_t vs = value_size(k.type);
  for (int64_t t = 0; t < p.nnz; t++) {
    Entry *e = &p.e[t];
    e->major = k.format ? e->j : e->i;
    e->key = k.unsorted == 1 ? (int64_t)(rng() >> 1) : k.format ? e->i : e->j;
    if (k.unsorted > 1 && e->i == e->j) e->key = (k.fill == SPTRSV_FILL_MODE_LOWER) != k.format ? -1 : n;
  }
  if (p.nnz) qsort(p.e, (size_t)p.nnz, sizeof *p.e, by_major);
  p.val = malloc((size_t)p.nnz * vs + 1);
  p.ind = malloc((size_t)p.nnz * 8 + 1);
  p.ptr = malloc((size_t)(n + 1) * 8);
  p.f = malloc((size_t)n * vs + 1);
  p.diag = malloc((size_t)n * vs + 1);
  if (!p.val || !p.ind || !p.ptr || !p.f || !p.diag) fatal("malloc", "out of memory");
  for (int64_t t = 0, i = 0; i <= n; i++) {
    while (t < p.nnz && p.e[t].major < i) t++;
    put_index(k.wide >= 1, p.ptr, i, t + k.base);
  }
  for (int64_t t = 0; t < p.nnz; t++) {
    put(k.type, p.val, t, p.e[t].v);
    put_index(k.wide >= 2, p.ind, t, (k.format ? p.e[t].i : p.e[t].j) + k.base);
  }
  for (int64_t i = 0; i < n; i++) {
    put(k.type, p.f, i, random_num(1));
    put(k.type, p.diag, i, random_pivot());
  }
  return p;
}

static inline int is_kept(const Kind *k, const Entry *e) {
  return e->i == e->j ? k->diag == SPTRSV_DIAG_TYPE_NON_UNIT : (e->i > e->j) == (k->fill == SPTRSV_FILL_MODE_LOWER);
}

/* A random, well-conditioned problem of a shape. What a solve must not read (the other triangle, a diagonal
 * that is not used) is NaN. */
static inline Problem make_problem(Kind k, enum Shape shape, int64_t n) {
  Entries list = {0};
  const num nan = CMPLXL(NAN, NAN);
  push_shape(&list, shape, n);
  int64_t strict = list.count, *degree = calloc((size_t)(2 * n + 1), sizeof *degree);
  for (int64_t t = 0; t < strict; t++) degree[list.e[t].i]++, degree[n + list.e[t].j]++;
  for (int64_t t = 0; t < strict; t++) {
    int64_t i = list.e[t].i, j = list.e[t].j;
    long double most = (long double)(degree[i] > degree[n + j] ? degree[i] : degree[n + j]);
    list.e[t].v = random_num(0.9L / most);
    if (k.duplicates && below(4) == 0) push(&list, i, j, random_num(0.5L / most));
    if (k.full && below(4) != 0) push(&list, j, i, nan);
  }
  for (int64_t i = 0; i < n; i++) {
    if (k.diag == SPTRSV_DIAG_TYPE_NON_UNIT) {
      num d = random_pivot();
      int split = k.duplicates && below(4) == 0;
      push(&list, i, i, split ? 0.25L * d : d);
      if (split) push(&list, i, i, 0.75L * d);
    } else if (rng() & 1) {
      push(&list, i, i, nan);
    }
  }
  free(degree);
  if (k.fill == SPTRSV_FILL_MODE_UPPER)
    for (int64_t t = 0; t < list.count; t++) {
      int64_t i = list.e[t].i;
      list.e[t].i = list.e[t].j, list.e[t].j = i;
    }
  Problem p = pack(k, n, list);
  p.alpha = CMPLXL(0.75L + below(3), is_complex(k.type) ? 0.5L : 0);
  return p;
}

static inline void free_problem(Problem *p) {
  free(p->e), free(p->val), free(p->ptr), free(p->ind), free(p->diag), free(p->f);
}

/* The naive check: the worst row's |r| over its bound in r = alpha f - op(A) x, where the bound of a row is
 * 4 (n_row + 4) eps (|op(A)| |x| + |alpha f|). A solution is right where this is at most 1; NaN gives Inf. */
static inline long double worst_error(const Problem *p, num alpha, const void *f, const void *x) {
  const Kind *k = &p->k;
  num *r = malloc((size_t)(p->n + 1) * sizeof *r);
  long double *size = malloc((size_t)(p->n + 1) * sizeof *size), worst = 0;
  int64_t *row_length = calloc((size_t)(p->n + 1), sizeof *row_length);
  for (int64_t i = 0; i < p->n; i++) {
    num xi = get(k->type, x, i), d = k->diag == SPTRSV_DIAG_TYPE_UNIT ? 1 : get(k->type, p->diag, i);
    if (k->diag == SPTRSV_DIAG_TYPE_NON_UNIT) d = 0; /* it comes with the entries */
    if (k->op == SPTRSV_OPERATION_CONJUGATE_TRANSPOSE) d = conjl(d);
    r[i] = alpha * get(k->type, f, i);
    size[i] = cabsl(r[i]) + cabsl(d) * cabsl(xi);
    r[i] -= d * xi;
  }
  for (int64_t t = 0; t < p->nnz; t++) {
    const Entry *e = &p->e[t];
    if (!is_kept(k, e)) continue;
    num a = get(k->type, p->val, t), xj = get(k->type, x, k->op ? e->i : e->j);
    int64_t i = k->op ? e->j : e->i;
    if (k->op == SPTRSV_OPERATION_CONJUGATE_TRANSPOSE) a = conjl(a);
    r[i] -= a * xj;
    size[i] += cabsl(a) * cabsl(xj);
    row_length[i]++;
  }
  long double eps = is_single(k->type) ? FLT_EPSILON : DBL_EPSILON;
  for (int64_t i = 0; i < p->n; i++) {
    long double bound = 4 * (long double)(row_length[i] + 4) * eps * size[i], error = cabsl(r[i]);
    long double ratio = error == 0 ? 0 : error / bound;
    if (!(ratio <= worst)) worst = isnan(ratio) ? INFINITY : ratio;
  }
  free(r), free(size), free(row_length);
  return worst;
}

/* ------------------------------------------------------------------ a problem in the executor's memory */

typedef struct {
  const Problem *p;
  void *val, *ptr, *ind, *diag, *f, *x, *alpha, *buffer;
  size_t vs, bytes, buffer_bytes;
  unsigned char alpha_host[16];
  sptrsvMatDescr_t d;
  sptrsvInfo_t info;
  sptrsvHandle_t h;
  sptrsvSolvePolicy_t policy;
  const char *algorithm; /* its name, for messages */
} System;

static inline sptrsvStatus_t set_descr(sptrsvMatDescr_t d, const Kind *k) {
  sptrsvStatus_t s[] = {
      sptrsvSetMatFillMode(d, (sptrsvFillMode_t)k->fill),
      sptrsvSetMatDiagType(d, k->diag == SPTRSV_DIAG_TYPE_UNIT ? SPTRSV_DIAG_TYPE_UNIT : SPTRSV_DIAG_TYPE_NON_UNIT),
      sptrsvSetMatIndexBase(d, (sptrsvIndexBase_t)k->base),
      sptrsvSetMatFormat(d, (sptrsvFormat_t)k->format),
      sptrsvSetMatIndexTypes(d, (sptrsvIndexType_t)(k->wide >= 1), (sptrsvIndexType_t)(k->wide >= 2)),
  };
  for (int i = 0; i < COUNT(s); i++)
    if (s[i]) return s[i];
  return SPTRSV_STATUS_SUCCESS;
}

static inline void set_alpha(System *s, num alpha) {
  put(s->p->k.type, s->alpha_host, 0, alpha);
  mem_put(s->alpha, s->alpha_host, s->vs);
}

static inline sptrsvStatus_t analyse(System *s) {
  const Problem *p = s->p;
  return sptrsvAnalysis(s->h, (sptrsvOperation_t)p->k.op, p->n, p->nnz, s->d, (sptrsvDataType_t)p->k.type, NULL, s->ptr,
                        s->ind, s->info, s->policy, s->buffer);
}

/* A buffer of the size that the info's algorithm wants, in place of the one from before. */
static inline sptrsvStatus_t make_buffer(System *s) {
  const Problem *p = s->p;
  sptrsvStatus_t status = sptrsvBufferSize(s->h, (sptrsvOperation_t)p->k.op, p->n, p->nnz, s->d, (sptrsvDataType_t)p->k.type,
                                           s->val, s->ptr, s->ind, s->info, &s->buffer_bytes);
  mem_free(s->buffer);
  s->buffer = mem_new(s->buffer_bytes);
  return status;
}

/* Another algorithm for the next analysis. */
static inline sptrsvStatus_t set_algorithm(System *s, sptrsvAlgorithm_t alg) {
  sptrsvStatus_t status = sptrsvSetAlgorithm(s->info, alg);
  return status ? status : make_buffer(s);
}

/* Copies the problem to the executor and analyses it with an algorithm. Close it whatever the status. */
static inline sptrsvStatus_t open_system_on(sptrsvHandle_t h, System *s, const Problem *p, sptrsvAlgorithm_t alg) {
  size_t n = (size_t)p->n, nnz = (size_t)p->nnz, vs = value_size(p->k.type);
  *s = (System){.p = p, .vs = vs, .bytes = n * vs, .h = h, .policy = SPTRSV_SOLVE_POLICY_USE_LEVEL};
  s->val = mem_copy(p->val, nnz * vs);
  s->ptr = mem_copy(p->ptr, (n + 1) * (p->k.wide >= 1 ? 8 : 4));
  s->ind = mem_copy(p->ind, nnz * (p->k.wide >= 2 ? 8 : 4));
  s->diag = mem_copy(p->diag, s->bytes);
  s->f = mem_copy(p->f, s->bytes);
  s->x = mem_new(s->bytes);
  s->alpha = mem_new(16);
  set_alpha(s, p->alpha);
  sptrsvStatus_t status = sptrsvCreateMatDescr(&s->d);
  if (!status) status = sptrsvCreateInfo(&s->info);
  if (!status) status = set_descr(s->d, &p->k);
  if (!status) status = set_algorithm(s, alg);
  if (!status) status = sptrsvSetAnalysisMode(s->info, (sptrsvAnalysisMode_t)p->k.setup);
  if (!status) status = sptrsvSetDiagonal(s->info, p->k.diag == SEPARATE_DIAGONAL ? s->diag : NULL);
  return status ? status : analyse(s);
}

static inline sptrsvStatus_t open_system(System *s, const Problem *p, sptrsvAlgorithm_t alg) {
  return open_system_on(T.h, s, p, alg);
}

/* Whether the algorithm ALGS[a] could be analysed; counts a refusal as such, and anything else as a failure. */
static inline int opened(System *s, const Problem *p, int a) {
  sptrsvStatus_t status = open_system(s, p, ALGS[a].id);
  s->algorithm = ALGS[a].name;
  if (status == SPTRSV_STATUS_NOT_SUPPORTED) return T.unsupported++, 0;
  return CHECK_THAT(!status, "analysis for %s (%s): %s, \"%s\"", ALGS[a].name, kind_text(&p->k),
                    sptrsvGetErrorName(status), sptrsvGetLastErrorString());
}

/* Back to host pointers, but not after an error: its message would be lost. */
static inline sptrsvStatus_t host_mode_again(const System *s, sptrsvStatus_t status) {
  if (s->p->k.device_alpha && !status) sptrsvSetPointerMode(s->h, SPTRSV_POINTER_MODE_HOST);
  return status;
}

/* Solves for f into x, both in the executor's memory. */
static inline sptrsvStatus_t solve_from(System *s, const void *f, void *x) {
  const Problem *p = s->p;
  sptrsvSetPointerMode(s->h, (sptrsvPointerMode_t)p->k.device_alpha);
  sptrsvStatus_t status =
      sptrsvSolve(s->h, (sptrsvOperation_t)p->k.op, p->n, p->nnz, p->k.device_alpha ? s->alpha : s->alpha_host, s->d,
                  (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->info, f, x, s->policy, s->buffer);
  return host_mode_again(s, status);
}

/* Tunes with f as the right-hand side and solves into x, both in the executor's memory. */
static inline sptrsvStatus_t tune_from(System *s, const void *f, void *x) {
  const Problem *p = s->p;
  sptrsvSetPointerMode(s->h, (sptrsvPointerMode_t)p->k.device_alpha);
  sptrsvStatus_t status =
      sptrsvTune(s->h, (sptrsvOperation_t)p->k.op, p->n, p->nnz, p->k.device_alpha ? s->alpha : s->alpha_host, s->d,
                 (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->info, f, x, s->policy, s->buffer);
  return host_mode_again(s, status);
}

/* Solves as the kind says (in place or not) and brings x to the host. */
static inline sptrsvStatus_t solve(System *s, void *x) {
  mem_fill(s->x, 0xff, s->bytes);
  if (s->p->k.in_place) mem_put(s->x, s->p->f, s->bytes);
  sptrsvStatus_t status = solve_from(s, s->p->k.in_place ? s->x : s->f, s->x);
  if (T.on_gpu) CUDA(cudaDeviceSynchronize());
  mem_get(x, s->x, s->bytes);
  return status;
}

/* Solves; x, on the host, must solve the system with the problem's values. */
static inline int solves_right(System *s, void *x, const char *what) {
  const Problem *p = s->p;
  sptrsvStatus_t status = solve(s, x);
  long double worst = status ? INFINITY : worst_error(p, p->alpha, p->f, x);
  return CHECK_THAT(worst <= 1, "%s: %s, n = %" PRId64 " (%s): %s \"%s\", error / bound = %Lg", what, s->algorithm,
                    p->n, kind_text(&p->k), sptrsvGetErrorName(status), sptrsvGetLastErrorString(), worst);
}

/* Solves for columns of F into those of X, in the executor's memory, one behind the other. */
static inline sptrsvStatus_t solve_columns(System *s, int64_t nrhs, const void *f, void *x) {
  const Problem *p = s->p;
  return sptrsvSolveMulti(s->h, (sptrsvOperation_t)p->k.op, p->n, p->nnz, nrhs, s->alpha_host, s->d,
                          (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->info, f, p->n, x, p->n, s->policy,
                          s->buffer);
}

/* Columns on the host: each solves the system, and has the bits of a single solve if ALGS[a] is deterministic. */
static inline void columns_are_right(const System *s, int a, int columns, const char *x, const char *single) {
  const Problem *p = s->p;
  for (int c = 0; c < columns; c++) {
    const char *column = x + (size_t)c * s->bytes;
    long double worst = worst_error(p, p->alpha, p->f, column);
    CHECK_THAT(worst <= 1 && (!ALGS[a].deterministic || !memcmp(column, single, s->bytes)),
               "%s, column %d (%s): error / bound = %Lg, or other bits than alone", s->algorithm, c, kind_text(&p->k),
               worst);
  }
}

/* Gives unknown i that diagonal, in the problem and in the executor's memory. */
static inline void put_diagonal(System *s, Problem *p, int64_t i, num v) {
  for (int64_t t = 0; t < p->nnz; t++)
    if (p->e[t].i == i && p->e[t].j == i) put(p->k.type, p->val, t, v);
  mem_put(s->val, p->val, (size_t)p->nnz * s->vs);
}

enum { NO_ROW = -77 }; /* what no call writes */

/* Reads the pivot in the pointer mode of the kind. */
static inline sptrsvStatus_t pivot_of(const System *s, int64_t *row) {
  *row = NO_ROW;
  if (!s->p->k.device_alpha) return sptrsvZeroPivot(s->h, s->info, row);
  int64_t *place = mem_copy(row, sizeof *row);
  sptrsvSetPointerMode(s->h, SPTRSV_POINTER_MODE_DEVICE);
  sptrsvStatus_t status = sptrsvZeroPivot(s->h, s->info, place);
  mem_get(row, place, sizeof *row);
  mem_free(place);
  return status;
}

/* Expects this row (zero-based; -1 for none) and a message that names it. */
static inline int pivot_is(const System *s, int64_t expected, const char *when) {
  int64_t row, base = s->p->k.base;
  char name[40];
  sptrsvStatus_t status = pivot_of(s, &row);
  snprintf(name, sizeof name, "row %" PRId64 " ", expected + base);
  const char *message = sptrsvGetLastErrorString();
  char padded[400];
  snprintf(padded, sizeof padded, "%s ", message);
  int ok = expected < 0 ? status == SPTRSV_STATUS_SUCCESS && row == -1 && !*message
                        : status == SPTRSV_STATUS_ZERO_PIVOT && row == expected + base && strstr(padded, name);
  CHECK_THAT(ok, "%s, %s, %s: expected row %" PRId64 ", got %" PRId64 " with %s, message \"%s\"", when, s->algorithm,
             kind_text(&s->p->k), expected < 0 ? -1 : expected + base, row, sptrsvGetErrorName(status), message);
  sptrsvSetPointerMode(s->h, SPTRSV_POINTER_MODE_HOST);
  return ok;
}

static inline sptrsvStats_t stats_of(const System *s) {
  sptrsvStats_t stats = {.struct_size = sizeof stats};
  CHECK_OK(sptrsvGetStats(s->info, &stats));
  return stats;
}

static inline void close_system(System *s) {
  sptrsvDestroyInfo(s->info);
  sptrsvDestroyMatDescr(s->d);
  void *all[] = {s->val, s->ptr, s->ind, s->diag, s->f, s->x, s->alpha, s->buffer};
  for (int i = 0; i < COUNT(all); i++) mem_free(all[i]);
}

/* A setup at random; on the GPU too, where the library has one for this executor. */
static inline int random_setup(void) {
  static int choices = 0;
  if (!choices) {
    Entries one = {0};
    push(&one, 0, 0, 1);
    Problem p = pack((Kind){.setup = SPTRSV_ANALYSIS_MODE_GPU}, 1, one);
    System s;
    choices = open_system(&s, &p, SPTRSV_ALG_AUTO) == SPTRSV_STATUS_SUCCESS ? 3 : 2;
    close_system(&s);
    free_problem(&p);
  }
  return (int)below(choices);
}

/* The same, or Kahn's algorithm on the GPU. */
static inline int any_setup(void) {
  return T.on_gpu && below(4) == 0 ? SPTRSV_ANALYSIS_MODE_GPU_KAHN : random_setup();
}

/* The i-th kind of all; mixed radix. */
static inline Kind nth_kind(int i) {
  Kind k = {0};
#define DIGIT(field, radix) k.field = i % (radix), i /= (radix)
  DIGIT(type, 4), DIGIT(op, 3), DIGIT(fill, 2), DIGIT(diag, 3), DIGIT(base, 2), DIGIT(format, 2), DIGIT(wide, 3);
  DIGIT(unsorted, 2), DIGIT(full, 2), DIGIT(in_place, 2), DIGIT(device_alpha, 2);
#undef DIGIT
  k.type = TYPES[k.type];
  return k;
}
enum { MAIN_KINDS = 4 * 3 * 2 * 3 * 2, KINDS = MAIN_KINDS * 2 * 3 * 2 * 2 * 2 * 2 };

static inline Kind random_kind(void) {
  Kind k = nth_kind((int)below(KINDS));
  k.duplicates = (int)below(2), k.setup = random_setup();
  return k;
}

/* Of every type, operation, triangle, diagonal and format the i-th; the rest at random. */
enum { LESS_FORMAT = 4 * 3 * 2 * 3, FORMAT_KINDS = LESS_FORMAT * 2 };
static inline Kind format_kind(int i) {
  Kind k = random_kind(), main = nth_kind(i % LESS_FORMAT);
  k.type = main.type, k.op = main.op, k.fill = main.fill, k.diag = main.diag, k.format = i / LESS_FORMAT;
  k.setup = any_setup();
  return k;
}

#endif
