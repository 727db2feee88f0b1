/*
 * Solves, factorisations and sweeps allocate no host memory: this program has its own malloc, which counts. The first call of a kind
 * may allocate. What a GPU's driver allocates is left out by where the call comes from; on the host executor every thread counts.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdatomic.h>

#include "factored.h"
#include "swept.h"

extern void *__libc_malloc(size_t bytes), *__libc_calloc(size_t count, size_t bytes), *__libc_realloc(void *old, size_t bytes),
    *__libc_memalign(size_t alignment, size_t bytes);

static atomic_int is_counting;
static atomic_long of_all, of_library;
static uintptr_t library_begin, library_end;

static void note(const void *caller) {
  if (!atomic_load(&is_counting)) return;
  atomic_fetch_add(&of_all, 1);
  if ((uintptr_t)caller - library_begin < library_end - library_begin) atomic_fetch_add(&of_library, 1);
}

#define CALLER __builtin_return_address(0)
void *malloc(size_t bytes) { return note(CALLER), __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return note(CALLER), __libc_calloc(count, bytes); }
void *realloc(void *old, size_t bytes) { return note(CALLER), __libc_realloc(old, bytes); }
void *memalign(size_t alignment, size_t bytes) { return note(CALLER), __libc_memalign(alignment, bytes); }
void *aligned_alloc(size_t alignment, size_t bytes) { return note(CALLER), __libc_memalign(alignment, bytes); }
int posix_memalign(void **p, size_t alignment, size_t bytes) {
  note(CALLER);
  *p = __libc_memalign(alignment, bytes);
  return *p ? 0 : 12; /* ENOMEM */
}

/* Finds the file in memory that has sptrsvSolve. */
static int find_library(struct dl_phdr_info *file, size_t size, void *unused) {
  (void)size, (void)unused;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int i = 0; i < file->dlpi_phnum; i++) {
    if (file->dlpi_phdr[i].p_type != PT_LOAD) continue;
    uintptr_t from = file->dlpi_addr + file->dlpi_phdr[i].p_vaddr, to = from + file->dlpi_phdr[i].p_memsz;
    begin = from < begin ? from : begin, end = to > end ? to : end;
  }
  if ((uintptr_t)sptrsvSolve < begin || (uintptr_t)sptrsvSolve >= end) return 0;
  library_begin = begin, library_end = end;
  return 1;
}

typedef sptrsvStatus_t Call(void *subject);

/* How often memory is asked for in two calls. */
static long allocations(Call *call, void *subject) {
  atomic_store(&of_all, 0), atomic_store(&of_library, 0);
  atomic_store(&is_counting, 1);
  sptrsvStatus_t first = call(subject), second = call(subject);
  atomic_store(&is_counting, 0);
  CHECK_OK(first);
  CHECK_OK(second);
  return T.on_gpu ? atomic_load(&of_library) : atomic_load(&of_all);
}

/* A thread of the host executor that comes to its first work late may ask for memory then: what is asked for in every call is not
 * that. */
enum { TRIES = 20 };

static void allocates_nothing(const char *algorithm, const char *what, Call *call, void *subject) {
  if (!CHECK_OK(call(subject))) return;
  long count = allocations(call, subject);
  for (int k = 1; k < TRIES && count > 0; k++) count = allocations(call, subject);
  CHECK_THAT(count == 0, "%s: %s asks for memory %ld times", algorithm, what, count);
}

/* ------------------------------------------------------------------------------------------------- solves */

enum { COLUMNS = 5 };

/* Two systems of one size, and several right-hand sides. */
typedef struct {
  System s, upper;
  void *f, *x, *buffer;
} Solves;

static Call one, columns, rows, both_ways, pair, again;
static sptrsvStatus_t one(void *subject) {
  Solves *c = subject;
  return solve_from(&c->s, c->s.f, c->s.x);
}
static sptrsvStatus_t columns(void *subject) {
  Solves *c = subject;
  return solve_columns(&c->s, COLUMNS, c->f, c->x);
}
static sptrsvStatus_t dense(Solves *c, sptrsvOrder_t of_f, sptrsvOrder_t of_x) {
  System *s = &c->s;
  const Problem *p = s->p;
  int64_t ld[] = {of_f == SPTRSV_ORDER_ROW ? COLUMNS : p->n, of_x == SPTRSV_ORDER_ROW ? COLUMNS : p->n};
  return sptrsvSolveDense(s->h, (sptrsvOperation_t)p->k.op, p->n, p->nnz, COLUMNS, s->alpha_host, s->d, (sptrsvDataType_t)p->k.type,
                          s->val, s->ptr, s->ind, s->info, c->f, ld[0], of_f, c->x, ld[1], of_x, s->policy, s->buffer);
}
static sptrsvStatus_t rows(void *subject) { return dense(subject, SPTRSV_ORDER_ROW, SPTRSV_ORDER_ROW); }
static sptrsvStatus_t both_ways(void *subject) { return dense(subject, SPTRSV_ORDER_COLUMN, SPTRSV_ORDER_ROW); }
static sptrsvStatus_t pair(void *subject) {
  Solves *c = subject;
  const System *l = &c->s, *u = &c->upper;
  return sptrsvSolvePair(T.h, (sptrsvOperation_t)l->p->k.op, l->p->n, COLUMNS, l->alpha_host, (sptrsvDataType_t)l->p->k.type, l->d,
                         l->p->nnz, l->val, l->ptr, l->ind, l->info, u->d, u->p->nnz, u->val, u->ptr, u->ind, u->info, NULL, NULL, c->f,
                         l->p->n, c->x, l->p->n, NULL, SPTRSV_SOLVE_POLICY_USE_LEVEL, c->buffer);
}
static sptrsvStatus_t again(void *subject) { return analyse(&((Solves *)subject)->s); }

static int expect_columns(System *s) {
  return CHECK_OK(sptrsvSetExpectedRightHandSides(s->info, COLUMNS)) && CHECK_OK(make_buffer(s)) && CHECK_OK(analyse(s));
}

static void solves_by(int a, Kind k) {
  Kind other = k;
  other.fill = 1 - k.fill;
  Problem p = make_problem(k, GRID, 2500), q = make_problem(other, GRID, 2500);
  Solves c;
  int good = opened(&c.s, &p, a);
  good = opened(&c.upper, &q, a) && good;
  c.f = mem_new(COLUMNS * c.s.bytes), c.x = mem_new(COLUMNS * c.s.bytes);
  c.buffer = NULL;
  mem_fill(c.f, 0, COLUMNS * c.s.bytes);
  for (int expected = 0; expected < 2 && good; expected++) {
    if (expected) good = expect_columns(&c.s) && expect_columns(&c.upper);
    mem_free(c.buffer);
    c.buffer = mem_new(c.s.buffer_bytes > c.upper.buffer_bytes ? c.s.buffer_bytes : c.upper.buffer_bytes);
    allocates_nothing(ALGS[a].name, "a solve", one, &c);
    allocates_nothing(ALGS[a].name, "a solve by columns", columns, &c);
    allocates_nothing(ALGS[a].name, "a solve by rows", rows, &c);
    allocates_nothing(ALGS[a].name, "a solve from columns to rows", both_ways, &c);
    allocates_nothing(ALGS[a].name, "a pair of solves", pair, &c);
  }
  if (good) CHECK_THAT(allocations(again, &c) > 0, "%s: an analysis that asks for no memory is not believed", ALGS[a].name);
  mem_free(c.f), mem_free(c.x), mem_free(c.buffer);
  close_system(&c.s), close_system(&c.upper);
  free_problem(&p), free_problem(&q);
}

static void solves(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) solves_by(a, (Kind){.type = TYPES[t], .op = t % 3, .fill = t & 1});
}

/* ------------------------------------------------------------------------------ sweeps and factorisations */

static Call swept, relaxed, lu, cholesky;
static sptrsvStatus_t swept(void *subject) { return sweep(subject, 1, 0); }
static sptrsvStatus_t relaxed(void *subject) {
  Swept *s = subject;
  return sptrsvRelax(s->h, s->p->n, s->p->nnz, 2, 1, 0, (sptrsvDataType_t)s->p->k.type, s->val, s->ptr, s->ind, s->d, s->info, NULL, NULL,
                     NULL, 0, s->b, s->x, (char *)s->buffer + 1);
}
static sptrsvStatus_t lu(void *subject) { return factorize(subject, ILU0); }
static sptrsvStatus_t cholesky(void *subject) { return factorize(subject, IC0); }

static void sweeps(void) {
  Problem p = make_whole_matrix((Kind){.type = SPTRSV_R_64F}, GRID, 2500);
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int with_diagonal = OWN; with_diagonal <= ONLY_OWN; with_diagonal++) {
      Swept s;
      sptrsvStatus_t status = open_sweep_by(T.h, &s, &p, with_diagonal, ALGS[a].id);
      if (status == SPTRSV_STATUS_NOT_SUPPORTED) {
        T.unsupported++;
      } else if (CHECK_OK(status)) {
        mem_fill(s.x, 0, (size_t)p.n * sizeof(double));
        allocates_nothing(ALGS[a].name, "a sweep", swept, &s);
        allocates_nothing(ALGS[a].name, "two sweeps in a call", relaxed, &s);
      }
      close_sweep(&s);
    }
  free_problem(&p);
}

static void factorisations(void) {
  static const enum Shape SHAPES_HERE[] = {CHAIN, GRID, NODES, TAIL};
  for (int shape = 0; shape < COUNT(SHAPES_HERE); shape++) {
    Problem p = make_matrix((Kind){.type = SPTRSV_R_64F}, SHAPES_HERE[shape], 2500, IC0);
    Factored s;
    CHECK_OK(open_factor(T.h, &s, &p));
    if (CHECK_OK(analyse_factor(&s))) {
      allocates_nothing(SHAPE_NAMES[SHAPES_HERE[shape]], "ILU(0)", lu, &s);
      allocates_nothing(SHAPE_NAMES[SHAPES_HERE[shape]], "IC(0)", cholesky, &s);
    }
    close_factor(&s);
    free_problem(&p);
  }
}

int main(int argc, char **argv) {
  check_begin("test_allocation", argc, argv);
  CHECK(dl_iterate_phdr(find_library, NULL) == 1);
  RUN(solves);
  RUN(sweeps);
  RUN(factorisations);
  return check_end();
}
