/*
 * sptrsvSolveMulti: any number of right-hand sides, leading dimensions, in place; each column by the same
 * rule as a single solve, and what lies between the columns untouched.
 */
#include "problem.h"

static const int NRHS[] = {0, 1, 2, 3, 8, 17, 64};
enum { GUARD = 0x5a };

static sptrsvStatus_t solve_multi(System *s, int64_t nrhs, const void *f, int64_t ldf, void *x, int64_t ldx) {
  const Problem *p = s->p;
  sptrsvSetPointerMode(s->h, (sptrsvPointerMode_t)p->k.device_alpha);
  sptrsvStatus_t status = sptrsvSolveMulti(
      s->h, (sptrsvOperation_t)p->k.op, p->n, p->nnz, nrhs, p->k.device_alpha ? s->alpha : s->alpha_host, s->d,
      (sptrsvDataType_t)p->k.type, s->val, s->ptr, s->ind, s->info, f, ldf, x, ldx, s->policy, s->buffer);
  return host_mode_again(s, status);
}

static void one_case(Kind k, enum Shape shape, int64_t n, int64_t nrhs, int a) {
  Problem p = make_problem(k, shape, n);
  System s;
  if (opened(&s, &p, a)) {
    int64_t ldf = n + below(3) * 5, ldx = k.in_place ? ldf : n + below(3) * 3, worst_column = 0;
    size_t vs = s.vs, fbytes = (size_t)(ldf * nrhs) * vs, xbytes = (size_t)(ldx * nrhs) * vs;
    char *f = malloc(fbytes + 1), *x = malloc(xbytes + 1), *single = malloc(s.bytes + 1);
    memset(f, GUARD, fbytes);
    for (int64_t c = 0; c < nrhs; c++)
      for (int64_t i = 0; i < n; i++) put(k.type, f, c * ldf + i, random_num(1));
    void *df = mem_copy(f, fbytes), *dx = k.in_place ? df : mem_new(xbytes);
    if (!k.in_place) mem_fill(dx, GUARD, xbytes);
    sptrsvStatus_t status = solve_multi(&s, nrhs, df, ldf, dx, ldx);
    mem_get(x, dx, xbytes);
    long double worst = 0;
    int guards = 1;
    for (int64_t c = 0; c < nrhs; c++) {
      long double e = worst_error(&p, p.alpha, f + (size_t)(c * ldf) * vs, x + (size_t)(c * ldx) * vs);
      if (e > worst) worst = e, worst_column = c;
      for (size_t b = (size_t)(c * ldx + n) * vs; b < (size_t)((c + 1) * ldx) * vs; b++) guards &= x[b] == GUARD;
    }
    if (status == SPTRSV_STATUS_NOT_SUPPORTED)
      T.unsupported++;
    else
      CHECK_THAT(!status && worst <= 1 && guards,
                 "%s: %s, n = %" PRId64 ", nrhs %" PRId64 ", ldf %" PRId64 ", ldx %" PRId64
                 ", %s: %s, error / bound = %Lg in column %" PRId64 "%s",
                 ALGS[a].name, SHAPE_NAMES[shape], n, nrhs, ldf, ldx, kind_text(&k), sptrsvGetErrorName(status), worst,
                 worst_column, guards ? "" : ", padding between columns written");
    if (!status && nrhs) {
      /* The first column once more, alone: both obey the bound, and so differ by no more than two of it. */
      CHECK_OK(solve_from(&s, s.f, s.x));
      mem_get(single, s.x, s.bytes);
      worst = worst_error(&p, p.alpha, p.f, single);
      CHECK_THAT(worst <= 1, "%s: a single solve after %" PRId64 " right-hand sides (%s): error / bound = %Lg",
                 ALGS[a].name, nrhs, kind_text(&k), worst);
    }
    if (dx != df) mem_free(dx);
    mem_free(df);
    free(f), free(x), free(single);
  }
  close_system(&s);
  free_problem(&p);
}

static void every_count(void) {
  static const int SIZES[] = {1, 2, 33, 257};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int r = 0; r < COUNT(NRHS); r++)
      for (int t = 0; t < COUNT(TYPES); t++)
        for (int i = 0; i < 24; i++)
          one_case((Kind){.type = TYPES[t], .op = i % 3, .fill = i / 3 % 2, .format = i / 6 % 2, .in_place = i / 12,
                          .diag = (int)below(3), .base = (int)below(2), .wide = (int)below(3), .full = (int)below(2),
                          .unsorted = (int)below(2), .device_alpha = (int)below(2), .duplicates = (int)below(2)},
                   (enum Shape)below(SHAPES), SIZES[below(4)], NRHS[r], a);
}

static void large(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++)
      one_case((Kind){.type = TYPES[t], .op = (int)below(3), .fill = (int)below(2)}, t % 2 ? GRID : RANDOM, 10000, 5, a);
}

static void empty_matrix(void) {
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, DIAGONAL, 0);
  System s;
  if (opened(&s, &p, 0)) {
    mem_fill(s.x, GUARD, 16);
    CHECK_OK(solve_multi(&s, 3, s.f, 0, s.x, 0));
    CHECK(mem_is(s.x, GUARD, 16));
  }
  close_system(&s);
  free_problem(&p);
}

/* The pivot of a solve with several right-hand sides is that of the matrix. */
static void zero_pivot(void) {
  for (int a = 0; a < COUNT(ALGS); a++) {
    Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .base = 1}, CHAIN, 20);
    for (int64_t t = 0; t < p.nnz; t++)
      if (p.e[t].i == p.e[t].j && p.e[t].i >= 6) put(p.k.type, p.val, t, 0);
    System s;
    if (opened(&s, &p, a)) {
      int64_t row = 0;
      void *x = mem_new(3 * s.bytes);
      mem_fill(x, 0, 3 * s.bytes);
      CHECK_OK(solve_multi(&s, 3, x, 20, x, 20));
      CHECK_STATUS(sptrsvZeroPivot(T.h, s.info, &row), SPTRSV_STATUS_ZERO_PIVOT);
      CHECK(row == 7);
      mem_free(x);
    }
    close_system(&s);
    free_problem(&p);
  }
}

static void bad_arguments(void) {
  enum { N = 9, LD = 12, RHS = 3 };
  static const struct {
    int64_t nrhs, ldf, ldx;
    const char *word;
  } BAD[] = {{-1, LD, LD, "nrhs"}, {RHS, N - 1, LD, "ldf"}, {RHS, LD, N - 1, "ldx"}, {RHS, -LD, LD, "ldf"},
             {RHS, LD, 0, "ldx"},  {INT64_MIN, LD, LD, "nrhs"}, {RHS, LD, INT64_MIN, "ldx"}};
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, CHAIN, N);
  System s;
  if (opened(&s, &p, 0)) {
    void *f = mem_new(RHS * LD * 8), *x = mem_new(RHS * LD * 8);
    mem_fill(f, 0, RHS * LD * 8);
    mem_fill(x, GUARD, RHS * LD * 8);
    for (int i = 0; i < COUNT(BAD); i++) {
      CHECK_STATUS(solve_multi(&s, BAD[i].nrhs, f, BAD[i].ldf, x, BAD[i].ldx), SPTRSV_STATUS_INVALID_VALUE);
      CHECK_MESSAGE(BAD[i].word);
    }
    CHECK_STATUS(solve_multi(&s, RHS, NULL, LD, x, LD), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("f is");
    CHECK_STATUS(solve_multi(&s, RHS, f, LD, NULL, LD), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("x is");
    CHECK(mem_is(x, GUARD, RHS * LD * 8));
    CHECK_OK(solve_multi(&s, 0, NULL, LD, NULL, LD));
    /* In place with two leading dimensions would overwrite what is still to be read. */
    CHECK_STATUS(solve_multi(&s, RHS, x, LD, x, N), SPTRSV_STATUS_INVALID_VALUE);
    CHECK(mem_is(x, GUARD, RHS * LD * 8));
    mem_free(f);
    mem_free(x);
  }
  close_system(&s);
  free_problem(&p);
}

int main(int argc, char **argv) {
  check_begin("test_multi", argc, argv);
  RUN(bad_arguments);
  RUN(empty_matrix);
  RUN(zero_pivot);
  RUN(every_count);
  RUN(large);
  return check_end();
}
