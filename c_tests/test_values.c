/*
 * What happens to values: they are read at every solve; the buffer is scratch; alpha, NaN and Inf behave
 * as IEEE says; one factor serves several solves.
 */
#include "problem.h"

enum { M = 300 };

static void solves(System *s, num alpha, const char *what) {
  unsigned char x[M * 16];
  set_alpha(s, alpha);
  sptrsvStatus_t status = solve(s, x);
  long double worst = status ? INFINITY : worst_error(s->p, alpha, s->p->f, x);
  CHECK_THAT(worst <= 1, "%s with %s (%s): %s, error / bound = %Lg", what, s->algorithm, kind_text(&s->p->k),
             sptrsvGetErrorName(status), worst);
}

static Kind some_kind(int i) {
  return (Kind){.type = TYPES[i % 4], .op = i / 4 % 3, .fill = i / 12 % 2, .format = i / 24 % 2,
                .diag = (int)below(3), .unsorted = (int)below(2), .base = (int)below(2), .full = (int)below(2),
                .wide = (int)below(3), .in_place = (int)below(2), .setup = random_setup()};
}
enum { SOME_KINDS = 48 };

static void new_values_need_no_analysis(void) {
  for (int i = 0; i < SOME_KINDS * COUNT(ALGS); i++) {
    Problem p = make_problem(some_kind(i), RANDOM, M);
    System s;
    if (opened(&s, &p, i / SOME_KINDS)) {
      solves(&s, p.alpha, "first values");
      for (int64_t t = 0; t < p.nnz; t++) put(p.k.type, p.val, t, 1.5L * get(p.k.type, p.val, t));
      mem_put(s.val, p.val, (size_t)p.nnz * s.vs);
      solves(&s, p.alpha, "new values");
      /* The same in another place: val and a separate diagonal are arguments, not state. */
      for (int64_t j = 0; j < M; j++) put(p.k.type, p.diag, j, random_pivot());
      void *val = s.val, *diag = s.diag;
      s.val = mem_copy(p.val, (size_t)p.nnz * s.vs);
      s.diag = mem_copy(p.diag, s.bytes);
      mem_fill(val, 0xff, (size_t)p.nnz * s.vs);
      if (p.k.diag == SEPARATE_DIAGONAL) CHECK_OK(sptrsvSetDiagonal(s.info, s.diag));
      solves(&s, p.alpha, "values in another place");
      mem_free(val);
      mem_free(diag);
    }
    close_system(&s);
    free_problem(&p);
  }
}

/* Where a solve has many levels it may begin by bringing scattered values together: every one does, of any number of right-hand
 * sides. */
static void new_values_before_many_levels(void) {
  enum { COLUMNS = 5 };
  for (int i = 0; i < 24; i++) {
    Kind k = {.type = TYPES[i % 4], .op = i / 2 % 3, .fill = i % 2, .format = i / 12, .diag = i / 4 % 3,
              .duplicates = i / 8 % 2, .setup = random_setup()};
    Problem p = make_problem(k, BAND, 6000);
    System s;
    if (opened(&s, &p, place_of(SPTRSV_ALG_AUTO))) {
      char *x = malloc(s.bytes), *columns = malloc(COLUMNS * s.bytes);
      void *f = mem_new(COLUMNS * s.bytes), *solved = mem_new(COLUMNS * s.bytes);
      if (!x || !columns) fatal("malloc", "out of memory");
      for (int c = 0; c < COLUMNS; c++) mem_put((char *)f + c * s.bytes, p.f, s.bytes);
      for (int round = 0; round < 3; round++) {
        solves_right(&s, x, "values of a band");
        if (T.on_gpu) CUDA(cudaDeviceSynchronize());
        for (int64_t t = 0; t < p.nnz; t++) put(k.type, p.val, t, 1.25L * get(k.type, p.val, t));
        mem_put(s.val, p.val, (size_t)p.nnz * s.vs);
      }
      CHECK_OK(solve_columns(&s, COLUMNS, f, solved));
      if (T.on_gpu) CUDA(cudaDeviceSynchronize());
      mem_get(columns, solved, COLUMNS * s.bytes);
      solves_right(&s, x, "values of a band, after several right-hand sides");
      for (int c = 0; c < COLUMNS; c++)
        CHECK_THAT(!memcmp(columns + c * s.bytes, x, s.bytes), "column %d has other bits (%s)", c, kind_text(&k));
      mem_free(f), mem_free(solved);
      free(x), free(columns);
    }
    close_system(&s);
    free_problem(&p);
  }
}

/* Rows that depend on unknowns anywhere, so many of them that scattered values are brought together piece by piece, beside plain
 * ones. The host would take long. */
static void new_values_of_a_irregular_pattern(void) {
  for (int op = 0; op < 2; op++) {
    Kind k = {.type = SPTRSV_R_64F, .op = op, .duplicates = op};
    Problem p = make_problem(k, IRREGULAR, 600000);
    System s;
    if (opened(&s, &p, place_of(SPTRSV_ALG_AUTO))) {
      char *x = malloc(s.bytes);
      if (!x) fatal("malloc", "out of memory");
      for (int round = 0; round < 2; round++) {
        solves_right(&s, x, "values of an irregular pattern");
        CUDA(cudaDeviceSynchronize());
        for (int64_t t = 0; t < p.nnz; t++) put(k.type, p.val, t, 1.25L * get(k.type, p.val, t));
        mem_put(s.val, p.val, (size_t)p.nnz * s.vs);
      }
      free(x);
    }
    close_system(&s);
    free_problem(&p);
  }
}

/* Values are aligned to their own size only, and what is beside them is none of a solve's business. The diagonal is in its
 * place in its row, or on the far side of it. */
static void values_lie_anywhere(void) {
  for (int i = 0; i < 2 * SOME_KINDS * COUNT(ALGS); i++) {
    Kind k = some_kind(i / 2);
    if (i % 2) k.unsorted = 2;
    Problem p = make_problem(k, NODES, M);
    System s;
    if (opened(&s, &p, i / 2 / SOME_KINDS)) {
      size_t bytes = (size_t)p.nnz * s.vs;
      char *block = mem_new(bytes + 128);
      void *val = s.val;
      for (size_t first = 0; first < 4; first++) {
        mem_fill(block, 0xff, bytes + 128);
        s.val = block + first * s.vs;
        mem_put(s.val, p.val, bytes);
        solves(&s, p.alpha, "values anywhere");
      }
      s.val = val;
      mem_free(block);
    }
    close_system(&s);
    free_problem(&p);
  }
}

static void buffer_is_scratch(void) {
  for (int i = 0; i < SOME_KINDS * COUNT(ALGS); i++) {
    Problem p = make_problem(some_kind(i), RANDOM, M);
    System s;
    if (opened(&s, &p, i / SOME_KINDS)) {
      CHECK(s.buffer_bytes >= 8);
      mem_fill(s.buffer, 0xff, s.buffer_bytes);
      solves(&s, p.alpha, "buffer of 0xff");
      mem_fill(s.buffer, 0x55, s.buffer_bytes);
      solves(&s, p.alpha, "buffer of 0x55");
      /* Another buffer, aligned to 8 bytes only, with guards around it. */
      char *other = mem_new(s.buffer_bytes + 32);
      void *first = s.buffer;
      mem_fill(other, 0x3c, s.buffer_bytes + 32);
      s.buffer = other + 8;
      solves(&s, p.alpha, "another buffer");
      CHECK_THAT(mem_is(other, 0x3c, 8) && mem_is(other + 8 + s.buffer_bytes, 0x3c, 24),
                 "%s wrote outside the buffer (%s)", s.algorithm, kind_text(&p.k));
      s.buffer = first;
      mem_free(other);
    }
    close_system(&s);
    free_problem(&p);
  }
}

/* An ILU factor: L unit lower and U non-unit upper in one matrix, one buffer, one descriptor that is
 * changed between the calls, both analysed before the solves; then U again, transposed (as ICC does). */
static void one_factor_two_solves(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      Entries list = {0};
      for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
          if (i == j || below(60) == 0) push(&list, i, j, i == j ? random_pivot() : random_num(0.15L));
      Problem p[3];
      Kind kinds[3] = {{.type = TYPES[t], .diag = SPTRSV_DIAG_TYPE_UNIT, .in_place = 1},
                       {.type = TYPES[t], .fill = SPTRSV_FILL_MODE_UPPER, .in_place = 1},
                       {.type = TYPES[t], .fill = SPTRSV_FILL_MODE_UPPER, .op = SPTRSV_OPERATION_TRANSPOSE, .in_place = 1}};
      System s[3];
      int ok = 1;
      p[0] = pack(kinds[0], M, list);
      for (int i = 0; i < 3; i++) {
        if (i) p[i] = p[0], p[i].k = kinds[i];
        ok &= opened(&s[i], &p[i], a);
      }
      if (ok) {
        void *buffer[3];
        sptrsvMatDescr_t d[3];
        for (int i = 0; i < 3; i++) {
          buffer[i] = s[i].buffer, d[i] = s[i].d;
          s[i].buffer = s[0].buffer, s[i].d = s[0].d;
          CHECK(s[i].buffer_bytes <= s[0].buffer_bytes);
        }
        for (int round = 0; round < 2; round++)
          for (int i = 0; i < 3; i++) {
            CHECK_OK(set_descr(s[i].d, &kinds[i]));
            solves(&s[i], p[i].alpha, "one factor");
          }
        for (int i = 0; i < 3; i++) s[i].buffer = buffer[i], s[i].d = d[i];
      }
      for (int i = 0; i < 3; i++) close_system(&s[i]);
      free_problem(&p[0]);
    }
}

static void alphas(void) {
  static const long double ALPHAS[][2] = {{1, 0}, {-2.5L, 0}, {1e-3L, 0}, {0, 1}, {0.5L, -3}};
  for (int i = 0; i < SOME_KINDS * COUNT(ALGS); i++) {
    Kind k = some_kind(i);
    k.device_alpha = i & 1;
    Problem p = make_problem(k, GRID, M);
    System s;
    int zero = 1;
    if (opened(&s, &p, i / SOME_KINDS)) {
      for (int j = 0; j < (is_complex(k.type) ? 5 : 3); j++)
        solves(&s, CMPLXL(ALPHAS[j][0], ALPHAS[j][1]), "alpha");
      unsigned char x[M * 16];
      set_alpha(&s, 0);
      CHECK_OK(solve(&s, x));
      for (int64_t j = 0; j < M; j++) zero &= get(k.type, x, j) == 0;
      CHECK_THAT(zero, "alpha = 0 with %s (%s) does not give x = 0", s.algorithm, kind_text(&k));
    }
    close_system(&s);
    free_problem(&p);
  }
}

/* Values that a solve writes right before, on the same stream: kernels may begin before the one before them has ended, and must not
 * read values before that. */
static void values_of_the_solve_before(void) {
  enum { ROWS = 100000, TIMES = 20 };
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < 2; t++) {
      Problem p = make_problem((Kind){.type = TYPES[t]}, DIAGONAL, ROWS);
      System ones, s;
      int one = opened(&ones, &p, a);
      if (one && opened(&s, &p, a)) {
        char *host = malloc(s.bytes), *x = malloc(s.bytes);
        void *values[2];
        set_alpha(&ones, 1), set_alpha(&s, 1);
        for (int64_t i = 0; i < ROWS; i++) put(TYPES[t], host, i, 1);
        mem_put(ones.val, host, s.bytes);
        for (int which = 0; which < 2; which++) {
          for (int64_t i = 0; i < ROWS; i++) put(TYPES[t], host, i, which ? ldexpl(1, (int)(i % 8)) : -4);
          values[which] = mem_copy(host, s.bytes);
        }
        for (int64_t i = 0; i < ROWS; i++) put(TYPES[t], host, i, (long double)(i % 1000 + 1));
        mem_put(s.f, host, s.bytes);
        int64_t wrong = 0;
        for (int time = 0; time < TIMES; time++) {
          CHECK_OK(solve_from(&ones, values[time % 2], s.val));
          CHECK_OK(solve_from(&s, s.f, s.x));
          if (T.on_gpu) CUDA(cudaDeviceSynchronize());
          mem_get(x, s.x, s.bytes);
          for (int64_t i = 0; i < ROWS; i++)
            wrong += get(TYPES[t], x, i) != get(TYPES[t], host, i) / (time % 2 ? ldexpl(1, (int)(i % 8)) : -4);
        }
        CHECK_THAT(wrong == 0, "%s: %lld unknowns are not by the values of the solve before (%s)", s.algorithm, (long long)wrong,
                   kind_text(&p.k));
        mem_free(values[0]), mem_free(values[1]);
        free(host), free(x);
      }
      close_system(&ones);
      if (one) close_system(&s);
      free_problem(&p);
    }
}

/* Inf on the diagonal gives 0 there, and the rest of the system is solved with it. */
static void infinite_pivot(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 16; i++) {
      Kind k = {.type = TYPES[i & 1], .op = i >> 1 & 1, .fill = i >> 2 & 1, .format = i >> 3};
      Problem p = make_problem(k, GRID, M);
      for (int64_t t = 0; t < p.nnz; t++)
        if (p.e[t].i == p.e[t].j && p.e[t].i == M / 2) put(k.type, p.val, t, INFINITY);
      System s;
      if (opened(&s, &p, a)) {
        unsigned char x[M * 16];
        int finite = 1;
        CHECK_OK(solve(&s, x));
        for (int64_t j = 0; j < M; j++) finite &= finite_num(get(k.type, x, j));
        CHECK_THAT(get(k.type, x, M / 2) == 0 && finite, "%s: x = %Lg beside an infinite pivot (%s)", s.algorithm,
                   creall(get(k.type, x, M / 2)), kind_text(&k));
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* What an infinite entry makes of its row, and of what depends on that: infinities of their signs, and NaN where they meet zeros
 * or each other. The order of a sum makes no difference to that. */
static void infinite_entries(void) {
  static const int KINDS_OF[] = {CHAIN, BAND, GRID, RANDOM, NODES, DENSE_ROW};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < COUNT(KINDS_OF) * 16; i++) {
      Kind k = {.type = TYPES[i & 1], .op = i >> 1 & 1, .fill = i >> 2 & 1, .format = i >> 3 & 1};
      Problem p = make_problem(k, KINDS_OF[i >> 4], M);
      int forward = (k.fill == SPTRSV_FILL_MODE_UPPER) == (k.op != 0), places = 0;
      int64_t chosen = 0;
      double x[M], diagonal[M];
      unsigned char got[M * 16];
      /* One of those in the middle. */
      for (int64_t t = 0; t < p.nnz; t++)
        if (p.e[t].i != p.e[t].j && p.e[t].i > M / 3 && p.e[t].i < 2 * M / 3 && below(++places) == 0) chosen = t;
      put(k.type, p.val, chosen, below(2) ? INFINITY : -INFINITY);
      for (int64_t t = 0; t < p.nnz; t++)
        if (p.e[t].i == p.e[t].j) diagonal[p.e[t].i] = (double)creall(get(k.type, p.val, t));
      for (int64_t c = 0; c < M; c++) {
        int64_t to = forward ? c : M - 1 - c;
        x[to] = (double)creall(p.alpha * get(k.type, p.f, to));
        for (int64_t t = 0; t < p.nnz; t++) {
          int64_t row = k.op ? p.e[t].j : p.e[t].i, column = k.op ? p.e[t].i : p.e[t].j;
          if (row == to && column != to) x[to] -= (double)creall(get(k.type, p.val, t)) * x[column];
        }
        x[to] /= diagonal[to];
      }
      System s;
      if (opened(&s, &p, a)) {
        int64_t wrong = 0;
        CHECK_OK(solve(&s, got));
        for (int64_t j = 0; j < M; j++) {
          double y = (double)creall(get(k.type, got, j));
          wrong += isfinite(x[j]) ? !isfinite(y) : isnan(x[j]) ? !isnan(y) : y != x[j];
        }
        CHECK_THAT(wrong == 0, "%s: %lld unknowns of shape %d are not what an infinite entry makes of them (%s)", s.algorithm,
                   (long long)wrong, KINDS_OF[i >> 4], kind_text(&k));
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* The quiet NaN that arithmetic gives, all ones, a positive one with a full payload, a signalling one. */
static const uint64_t DOUBLE_NAN[] = {0x7ff8000000000000, UINT64_MAX, 0x7fffffffffffffff, 0x7ff0000000000001};
static const uint32_t FLOAT_NAN[] = {0x7fc00000, UINT32_MAX, 0x7fffffff, 0x7f800001};

static void put_nan(int type, void *a, int64_t i, int which) {
  size_t size = is_single(type) ? 4 : 8;
  for (size_t part = 0; part < value_size(type); part += size)
    memcpy((char *)a + (size_t)i * value_size(type) + part,
           is_single(type) ? (const void *)&FLOAT_NAN[which] : (const void *)&DOUBLE_NAN[which], size);
}

/* NaN in the right-hand side reaches what depends on it and nothing else, whatever bits the NaN has: an
 * engine that marks "not there yet" by a NaN must not wait for ever. */
static void nan_reaches_its_dependents(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 128; i++) {
      Kind k = {.type = TYPES[i & 3], .op = i >> 2 & 1, .fill = i >> 3 & 1, .format = i >> 4 & 1};
      Problem p = make_problem(k, rng() & 1 ? GRID : RANDOM, M);
      int which = i >> 5, first = (k.fill == SPTRSV_FILL_MODE_UPPER) != (k.op != 0) ? 3 * M / 4 : M / 4;
      int changed = 1, right = 1;
      char hit[M] = {0};
      hit[first] = 1;
      put_nan(k.type, p.f, first, which);
      while (changed) {
        changed = 0;
        for (int64_t t = 0; t < p.nnz; t++) {
          int64_t from = k.op ? p.e[t].i : p.e[t].j, to = k.op ? p.e[t].j : p.e[t].i;
          if (hit[from] && !hit[to]) hit[to] = 1, changed = 1;
        }
      }
      System s;
      if (opened(&s, &p, a)) {
        unsigned char x[M * 16];
        CHECK_OK(solve(&s, x));
        for (int64_t j = 0; j < M; j++) right &= nan_num(get(k.type, x, j)) == hit[j];
        CHECK_THAT(right, "%s: NaN %d is not where it belongs (%s)", s.algorithm, which, kind_text(&k));
        /* All of f NaN, then a good solve again. */
        for (int64_t j = 0; j < M; j++) put_nan(k.type, p.f, j, which);
        mem_put(s.f, p.f, s.bytes);
        CHECK_OK(solve(&s, x));
        right = 1;
        for (int64_t j = 0; j < M; j++) right &= nan_num(get(k.type, x, j));
        CHECK_THAT(right, "%s: all of f is NaN %d, but not all of x (%s)", s.algorithm, which, kind_text(&k));
        for (int64_t j = 0; j < M; j++) put(k.type, p.f, j, random_num(1));
        mem_put(s.f, p.f, s.bytes);
        solves(&s, p.alpha, "after NaN");
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* Values at the ends of the range come through unharmed: zeros of either sign, subnormals, large ones. */
static void odd_right_hand_sides(void) {
  static const double ODD[] = {0.0, -0.0, 1e-310, 1e-40, 1e30, -1e30, INFINITY, -INFINITY};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      Entries list = {0};
      for (int i = 0; i < COUNT(ODD); i++) push(&list, i, i, 1);
      Problem p = pack((Kind){.type = TYPES[t]}, COUNT(ODD), list);
      for (int i = 0; i < COUNT(ODD); i++) put(TYPES[t], p.f, i, ODD[i]);
      System s;
      if (opened(&s, &p, a)) {
        unsigned char x[COUNT(ODD) * 16];
        int same = 1;
        CHECK_OK(solve(&s, x));
        /* An infinity divided by a complex one may gain a NaN beside it, by C's own rules. */
        for (int i = 0; i < COUNT(ODD); i++)
          same &= isinf(ODD[i]) ? !finite_num(get(TYPES[t], x, i)) : get(TYPES[t], x, i) == get(TYPES[t], p.f, i);
        CHECK_THAT(same, "%s, type %d: the identity changes a right-hand side", s.algorithm, TYPES[t]);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* A chain in pairs, whose entries divided by the diagonal would overflow or underflow, while no unknown does. Each
 * pair begins with a stored zero, or is a node. */
static void entries_far_from_the_diagonal(void) {
  static const long double VALUES[][3] = {{1e-200L, 1e150L, 1e300L}, {1e200L, 1e-150L, 1e-280L}};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 2 * 2 * 3 * 2; i++) {
      const long double *v = VALUES[i % 2];
      Entries list = {0};
      for (int j = 0; j < M; j++) {
        if (j % 2 || (j > 0 && i < 2 * 2 * 3)) push(&list, j, j - 1, j % 2 ? v[0] : 0);
        push(&list, j, j, v[1]);
      }
      Problem p = pack((Kind){.type = i / 2 % 2 ? SPTRSV_C_64F : SPTRSV_R_64F, .op = i / 4 % 3}, M, list);
      /* From the side where the solve begins. */
      for (int j = 0; j < M; j++) put(p.k.type, p.f, j, j % 2 == (p.k.op != 0) ? v[2] : 0);
      System s;
      if (opened(&s, &p, a)) solves(&s, p.alpha, "entries far from the diagonal");
      close_system(&s);
      free_problem(&p);
    }
}

/* Runs of 40 rows that depend on each other. The inverses of their triangles have entries of at most one, or of as much as 3^39, while
 * the solution is all ones but for rounding: a sum over entries of a large inverse would cancel. */
static void runs_whose_inverses_grow(void) {
  static const long double RATIOS[] = {0.5L, -0.9L, -1.2L, 3};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < COUNT(TYPES) * COUNT(RATIOS) * 2; i++) {
      Kind k = {.type = TYPES[i % COUNT(TYPES)], .op = i / (COUNT(TYPES) * COUNT(RATIOS))};
      Entries list = {0};
      for (int j = 0; j < M; j++) {
        if (j >= 33) push(&list, j, j - 33, 0.3L);
        if (j % 40) push(&list, j, j - 1, 2 * RATIOS[i / COUNT(TYPES) % COUNT(RATIOS)]);
        push(&list, j, j, 2);
      }
      Problem p = pack(k, M, list);
      for (int j = 0; j < M; j++) put(k.type, p.f, j, 0);
      for (int64_t e = 0; e < p.nnz; e++) {
        int64_t row = k.op ? p.e[e].j : p.e[e].i;
        put(k.type, p.f, row, get(k.type, p.f, row) + get(k.type, p.val, e));
      }
      System s;
      if (opened(&s, &p, a)) solves(&s, p.alpha, "runs whose inverses grow");
      close_system(&s);
      free_problem(&p);
    }
}

/* Solutions whose unknowns are of all sizes: one unknown and zeros, and runs of powers of a tenth. An algorithm whose errors go by the
 * largest unknowns nearby is right by a norm, and wrong in single unknowns. */
static void unknowns_of_all_sizes(void) {
  static const int REACH[] = {1, 5, 40};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < COUNT(TYPES) * COUNT(REACH) * 2 * 2; i++) {
      Kind k = {.type = TYPES[i % COUNT(TYPES)], .op = i / (COUNT(TYPES) * COUNT(REACH)) % 2};
      int reach = REACH[i / COUNT(TYPES) % COUNT(REACH)], has_powers = i / (COUNT(TYPES) * COUNT(REACH) * 2);
      Entries list = {0};
      for (int j = 0; j < M; j++) {
        for (int from = j < reach ? 0 : j - reach; from < j; from++) push(&list, j, from, -1.0L / reach);
        push(&list, j, j, 2);
      }
      Problem p = pack(k, M, list);
      long double *f = calloc(M, sizeof *f);
      for (int64_t e = 0; e < p.nnz; e++) {
        int64_t row = k.op ? p.e[e].j : p.e[e].i, column = k.op ? p.e[e].i : p.e[e].j;
        int64_t solved = k.op ? M - 1 - column : column; /* before it */
        f[row] += creall(get(k.type, p.val, e)) * (has_powers ? powl(10, -(solved % 30)) : !solved);
      }
      for (int j = 0; j < M; j++) put(k.type, p.f, j, f[j]);
      free(f);
      System s;
      if (opened(&s, &p, a)) solves(&s, p.alpha, "unknowns of all sizes");
      close_system(&s);
      free_problem(&p);
    }
}

int main(int argc, char **argv) {
  check_begin("test_values", argc, argv);
  RUN(new_values_need_no_analysis);
  RUN(new_values_before_many_levels);
  RUN_ON_GPU(new_values_of_a_irregular_pattern);
  RUN(values_lie_anywhere);
  RUN(values_of_the_solve_before);
  RUN(buffer_is_scratch);
  RUN(one_factor_two_solves);
  RUN(alphas);
  RUN(infinite_pivot);
  RUN(infinite_entries);
  RUN(nan_reaches_its_dependents);
  RUN(odd_right_hand_sides);
  RUN(entries_far_from_the_diagonal);
  RUN(runs_whose_inverses_grow);
  RUN(unknowns_of_all_sizes);
  return check_end();
}
