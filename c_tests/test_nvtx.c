/*
 * NVTX ranges: with a profiler's library in NVTX_INJECTION64_PATH each analysis, tuning, solve, factorisation and sweep has one, which
 * also ends where the call fails; with one that is missing, refuses or takes nothing, calls work as without.
 */
#include "driver.h"
#include "problem.h"

enum { ROWS = 400 };

static struct {
  int (*begun)(void), (*depth)(void), (*deepest)(void), (*wrong)(void);
  const char *(*name)(int), *(*domain)(void);
} profiler;

static void find_profiler(void) {
  void *library = dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_NOW | RTLD_NOLOAD);
  const struct {
    void *place;
    const char *name;
  } SYMBOLS[] = {{&profiler.begun, "standin_begun"},     {&profiler.depth, "standin_depth"}, {&profiler.deepest, "standin_deepest"},
                 {&profiler.wrong, "standin_wrong"}, {&profiler.name, "standin_name"},   {&profiler.domain, "standin_domain"}};
  for (int i = 0; i < COUNT(SYMBOLS); i++) {
    void *symbol = library ? dlsym(library, SYMBOLS[i].name) : NULL;
    if (!symbol) fatal("the stand-in of a profiler", "the library has not loaded it");
    memcpy(SYMBOLS[i].place, &symbol, sizeof symbol);
  }
}

static sptrsvStatus_t sweep(System *s) {
  const Problem *p = s->p;
  return sptrsvSweep(s->h, p->n, p->nnz, 1, 0, s->d, (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->info, s->f, s->x, s->buffer);
}

static sptrsvStatus_t relax(System *s) {
  const Problem *p = s->p;
  return sptrsvRelax(s->h, p->n, p->nnz, 3, 1, 0, (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->d, s->info, NULL, NULL, NULL, 0,
                     s->f, s->x, s->buffer);
}

static sptrsvStatus_t factorize(System *s, int cholesky) {
  const Problem *p = s->p;
  return (cholesky ? sptrsvIc0 : sptrsvIlu0)(s->h, p->n, p->nnz, s->d, (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->info,
                                             s->buffer);
}

/* One of each, and a solve that is refused: the number of ranges that there are to be. */
static int work(void) {
  CHECK_OK(sptrsvCreateWithExecutor(&T.h, SPTRSV_EXECUTOR_HOST));
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, ROWS);
  System s;
  double *f = malloc(3 * ROWS * sizeof *f), *x = malloc(3 * ROWS * sizeof *x);
  for (int i = 0; i < 3 * ROWS; i++) f[i] = 1;
  CHECK_OK(open_system(&s, &p, SPTRSV_ALG_SLFR));
  s.algorithm = "SLFR";
  CHECK(solves_right(&s, x, "with a profiler"));
  CHECK_OK(solve_columns(&s, 3, f, x));
  CHECK_STATUS(solve_from(&s, NULL, s.x), SPTRSV_STATUS_INVALID_VALUE);
  CHECK_OK(sptrsvSetFactorization(s.info, 1));
  CHECK_OK(make_buffer(&s));
  CHECK_OK(analyse(&s));
  CHECK_OK(factorize(&s, 0));
  CHECK_OK(factorize(&s, 1));
  CHECK_OK(sptrsvSetFactorization(s.info, 0));
  CHECK_OK(sptrsvSetSweeps(s.info, 1));
  CHECK_OK(make_buffer(&s));
  CHECK_OK(analyse(&s));
  CHECK_OK(sweep(&s));
  CHECK_OK(relax(&s));
  CHECK_OK(sptrsvSetDiagonal(s.info, s.diag));
  CHECK_OK(tune_from(&s, s.f, s.x));
  close_system(&s);
  free_problem(&p);
  free(f), free(x);
  destroy_handle();
  return 11;
}

static void is_range(int i, const char *name) { CHECK_THAT(!strcmp(profiler.name(i), name), "range %d is '%s', not '%s'", i, profiler.name(i), name); }

static void with_profiler(void) {
  int ranges = work();
  find_profiler();
  CHECK_THAT(profiler.begun() == ranges, "%d ranges began, not %d", profiler.begun(), ranges);
  CHECK_THAT(profiler.depth() == 0 && profiler.deepest() == 1, "%d ranges did not end, %d were nested", profiler.depth(),
             profiler.deepest());
  CHECK_THAT(profiler.wrong() == 0, "the protocol was broken %d times", profiler.wrong());
  CHECK_THAT(!strcmp(profiler.domain(), "sptrsv"), "the domain is '%s'", profiler.domain());
  char analysis[80];
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, ROWS);
  snprintf(analysis, sizeof analysis, "sptrsvAnalysis n=%d nnz=%" PRId64, ROWS, p.nnz);
  free_problem(&p);
  is_range(0, analysis);
  is_range(1, "sptrsvSolve SLFR n=400");
  is_range(2, "sptrsvSolveMulti SLFR n=400 nrhs=3");
  is_range(3, "sptrsvSolve SLFR n=400");
  is_range(5, "sptrsvIlu0 n=400");
  is_range(6, "sptrsvIc0 n=400");
  is_range(8, "sptrsvSweep SLFR n=400");
  is_range(9, "sptrsvRelax SLFR n=400 sweeps=3");
  is_range(10, "sptrsvTune n=400");
}

/* There is nobody to tell. */
static void with_nothing(void) { CHECK(work() > 0); }

static void takes_nothing(void) {
  work();
  find_profiler();
  CHECK(profiler.begun() == 0 && profiler.wrong() == 0);
}

static void with(const char *library, const char *order, const char *child) {
  setenv("NVTX_INJECTION64_PATH", library, 1);
  setenv("SPTRSV_STANDIN_NVTX", order, 1);
  in_a_child(child, NULL);
  unsetenv("NVTX_INJECTION64_PATH");
}

static const char *profiler_library(void) {
  static char path[4200];
  snprintf(path, sizeof path, "%s/libprofiler.so", standin());
  return path;
}

static void ranges(void) { with(profiler_library(), "", "with_profiler"); }

static void no_profiler(void) {
  with("/nowhere/libprofiler.so", "", "with_nothing");
  with("", "", "with_nothing");
  with("libm.so.6", "", "with_nothing"); /* which is no profiler's */
  with(profiler_library(), "refuse", "with_nothing");
  with(profiler_library(), "nothing", "takes_nothing");
}

static const Child CHILDREN[] = {{"with_profiler", with_profiler}, {"with_nothing", with_nothing}, {"takes_nothing", takes_nothing}};

int main(int argc, char **argv) {
  if (is_child(argc, argv)) return run_child(CHILDREN, COUNT(CHILDREN), argv[2]);
  check_begin("test_nvtx", argc, argv);
  RUN(ranges);
  RUN(no_profiler);
  return check_end();
}
