/*
 * SPTRSV_COPY_WHERE_FASTER and sptrsvUpdateValues: an analysis that was asked for it solves with the values of the last
 * update, from the array that was given there, and is refused before one. On a GPU, where the rows of op(A) are not
 * what is stored, solves read a copy, and the array may hold anything in between; elsewhere they read the array itself.
 * The setting counts for later analyses. All else is as without it: bits, pivots, several right-hand sides, any
 * operation, graphs, what is refused.
 */
#include "copies.h"
#include "gate.h"

enum { M = 300 };

static const char NO_VALUES[] = "the info has no values yet: call sptrsvUpdateValues first";
static const char ANOTHER_ARRAY[] = "val is not the array that sptrsvUpdateValues was given last";

/* One problem: without a copy, with one, with other values, from another array, after another analysis, and without a
 * copy again. */
static void one_case(Kind k, enum Shape shape, int64_t n, int a) {
  Problem p = make_problem(k, shape, n);
  System s;
  int exact = ALGS[a].deterministic, copied = reads_copy(&k, a);
  if (opened(&s, &p, a)) {
    char *x = malloc(s.bytes + 1), *plain = malloc(s.bytes + 1);
    solves_right(&s, plain, "no copy");
    analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
    is_refused(&s, NO_VALUES);
    CHECK_OK(update(&s));
    solves_right(&s, x, "handed over");
    solves_again(&s, x, exact, "handed over, once more");
    if (!copied && exact)
      CHECK_THAT(!memcmp(x, plain, s.bytes), "%s: other bits than without a copy (%s)", s.algorithm, kind_text(&k));
    if (copied) {
      spoil(&s);
      solves_again(&s, x, exact, "with the array spoilt");
    }
    change(&s, &p);
    CHECK_OK(update(&s));
    solves_right(&s, x, "new values");

    /* The same values, aligned to their own size only. */
    void *first = s.val, *room = mem_new(value_bytes(&s) + 4 * s.vs), *second = (char *)room + (size_t)below(4) * s.vs;
    s.val = second;
    mend(&s);
    is_refused(&s, ANOTHER_ARRAY);
    CHECK_OK(update(&s));
    s.val = first;
    is_refused(&s, ANOTHER_ARRAY);
    spoil(&s);
    s.val = second;
    solves_again(&s, x, exact && copied, "another array");

    analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
    is_refused(&s, NO_VALUES);
    CHECK_OK(update(&s));
    solves_again(&s, x, exact && copied, "analysed anew");
    analyse_for(&s, SPTRSV_COPY_NONE);
    change(&s, &p);
    solves_right(&s, x, "no copy again");
    s.val = first;
    mend(&s);
    solves_right(&s, x, "no copy again, and another array");
    mem_free(room), free(x), free(plain);
  }
  close_system(&s);
  free_problem(&p);
}

static void every_kind_and_algorithm(void) {
  static const int SIZES[] = {1, 2, 33, 257};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < FORMAT_KINDS; i++)
      one_case(format_kind(i), (enum Shape)below(SHAPES), SIZES[below(4)], a);
}

/* Larger ones, whose rows are never those that are stored: wide levels and narrow ones, nodes, tiles, a long row, a
 * long column. */
static void large(void) {
  static const enum Shape LARGE[] = {GRID, RANDOM, EMPTY_ROWS, DIAGONALS, NODES, TAIL, DENSE_ROW, DENSE_COLUMN, DENSE_END};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < COUNT(LARGE); i++) {
      int op = (int)below(3);
      Kind k = {.type = TYPES[below(4)], .op = op, .fill = (int)below(2), .diag = i % 2 ? (int)below(3) : 0,
                .format = !op, .base = (int)below(2), .wide = (int)below(3), .unsorted = i == 1, .full = (int)below(2),
                .duplicates = i == 2, .in_place = (int)below(2), .setup = any_setup()};
      /* Nodes and the tail have about as many levels as rows. */
      one_case(k, LARGE[i], LARGE[i] == NODES || LARGE[i] == TAIL ? 12000 : 40000 + below(20000), a);
    }
}

/* No rows, and rows without any entry: there are no values, and no array need be. */
static void nothing_to_solve(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int n = 0; n < 3; n++)
      for (int op = 0; op < 3; op++) {
        Kind k = {.type = SPTRSV_R_64F, .op = op, .diag = SPTRSV_DIAG_TYPE_UNIT, .setup = any_setup()};
        Problem p = pack(k, n, (Entries){0});
        System s;
        char x[64];
        if (opened(&s, &p, a)) {
          void *val = s.val;
          analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
          s.val = NULL;
          CHECK_OK(update(&s));
          solves_right(&s, x, "nothing");
          s.val = val;
          CHECK_OK(update(&s));
          solves_right(&s, x, "nothing, from an array");
        }
        close_system(&s);
        free_problem(&p);
      }
}

/* Entries, but none that a solve reads: there is an array to hand over, and nothing in it to copy. */
static void nothing_to_copy(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4 * 3 * 2; i++) {
      Kind k = {.type = TYPES[i % 4], .op = i / 4 % 3, .diag = SPTRSV_DIAG_TYPE_UNIT, .format = i / 12,
                .setup = any_setup()};
      Entries list = {0};
      for (int64_t r = 0; r < M; r++) {
        push(&list, r, r, CMPLXL(NAN, NAN));
        if (r > 0) push(&list, r - 1, r, CMPLXL(NAN, NAN));
      }
      Problem p = pack(k, M, list);
      System s;
      char x[M * 16];
      if (opened(&s, &p, a)) {
        analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
        is_refused(&s, NO_VALUES);
        CHECK_OK(update(&s));
        solves_right(&s, x, "nothing to copy");
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* Several right-hand sides: each column has the bits of its single solve. */
static void several_right_hand_sides(void) {
  enum { COLUMNS = 5 };
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4 * 3 * 2; i++) {
      Kind k = {.type = TYPES[i % 4], .op = i / 4 % 3, .format = i / 12, .fill = (int)below(2), .setup = any_setup()};
      Problem p = make_problem(k, below(2) ? GRID : NODES, M);
      System s;
      if (opened(&s, &p, a)) {
        char *f = malloc(COLUMNS * s.bytes), *x = malloc(COLUMNS * s.bytes), *single = malloc(s.bytes);
        for (int c = 0; c < COLUMNS; c++) memcpy(f + (size_t)c * s.bytes, p.f, s.bytes);
        void *df = mem_copy(f, COLUMNS * s.bytes), *dx = mem_new(COLUMNS * s.bytes);
        analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
        mem_fill(dx, UNTOUCHED, COLUMNS * s.bytes);
        CHECK_STATUS(solve_columns(&s, COLUMNS, df, dx), SPTRSV_STATUS_INVALID_VALUE);
        CHECK_MESSAGE(NO_VALUES);
        CHECK(mem_is(dx, UNTOUCHED, COLUMNS * s.bytes));
        for (int round = 0; round < 2; round++) {
          change(&s, &p);
          CHECK_OK(update(&s));
          if (reads_copy(&k, a)) spoil(&s);
          CHECK_OK(solve_columns(&s, COLUMNS, df, dx));
          mem_get(x, dx, COLUMNS * s.bytes);
          solves_right(&s, single, "beside several right-hand sides");
          columns_are_right(&s, a, COLUMNS, x, single);
        }
        mem_free(df), mem_free(dx), free(f), free(x), free(single);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* One update serves every operation; those of them that read no copy see the array. */
static void any_operation(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4 * 3 * 2; i++) {
      Kind k = {.type = TYPES[i % 4], .op = i / 4 % 3, .format = i / 12, .fill = (int)below(2), .diag = (int)below(3),
                .base = (int)below(2), .wide = (int)below(3), .unsorted = (int)below(2), .full = (int)below(2),
                .setup = any_setup()};
      Problem p = make_problem(k, (enum Shape)below(SHAPES), M);
      System s;
      if (opened(&s, &p, a)) {
        int exact = ALGS[a].deterministic, first = (int)below(3);
        char *x[3] = {malloc(s.bytes), malloc(s.bytes), malloc(s.bytes)};
        CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
        analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
        for (p.k.op = 0; p.k.op < 3; p.k.op++) is_refused(&s, NO_VALUES);
        for (int round = 0; round < 2; round++) {
          change(&s, &p);
          CHECK_OK(update(&s));
          for (int j = 0; j < 3; j++) {
            p.k.op = (first + j) % 3;
            solves_right(&s, x[p.k.op], "any operation");
          }
          for (p.k.op = 0; p.k.op < 3; p.k.op++) {
            if (reads_copy(&p.k, a)) spoil(&s);
            solves_again(&s, x[p.k.op], exact, "any operation, once more");
            mend(&s);
          }
        }
        void *val = s.val;
        s.val = mem_copy(p.val, value_bytes(&s));
        for (p.k.op = 0; p.k.op < 3; p.k.op++) is_refused(&s, ANOTHER_ARRAY);
        mem_free(val);
        for (int op = 0; op < 3; op++) free(x[op]);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* A separate diagonal is read at each solve as ever, and needs no update. */
static void a_separate_diagonal(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4 * 3; i++) {
      Kind k = {.type = TYPES[i % 4], .op = i / 4, .diag = SEPARATE_DIAGONAL, .setup = any_setup()};
      Problem p = make_problem(k, GRID, M);
      System s;
      char x[M * 16];
      if (opened(&s, &p, a)) {
        analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
        CHECK_OK(update(&s));
        solves_right(&s, x, "a separate diagonal");
        for (int64_t j = 0; j < M; j++) put(k.type, p.diag, j, random_pivot());
        mem_put(s.diag, p.diag, s.bytes);
        solves_right(&s, x, "another diagonal in its place");
        for (int64_t j = 0; j < M; j++) put(k.type, p.diag, j, random_pivot());
        void *diag = s.diag;
        s.diag = mem_copy(p.diag, s.bytes);
        CHECK_OK(sptrsvSetDiagonal(s.info, s.diag));
        mem_free(diag);
        solves_right(&s, x, "another diagonal in another place");
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* ------------------------------------------------------------------------------------------- zero pivots */

/* The analysis reports what is structural, a solve what its values have: those of the last update. */
static void zero_pivots(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4 * 3 * 2 * 2; i++)
      for (int missing = 0; missing < 2; missing++) {
        Kind k = {.type = TYPES[i % 4], .op = i / 4 % 3, .fill = i / 12 % 2, .format = i / 24, .base = (int)below(2),
                  .wide = (int)below(3), .unsorted = (int)below(2), .setup = any_setup()};
        int64_t hole = missing ? 20 : -1;
        Entries list = {0};
        for (int64_t r = 0; r < 40; r++) {
          if (r != hole) push(&list, r, r, 2);
          if (r > 0) push(&list, k.fill ? r - 1 : r, k.fill ? r : r - 1, 1);
        }
        Problem p = pack(k, 40, list);
        System s;
        char x[40 * 16];
        if (opened(&s, &p, a)) {
          analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
          pivot_is(&s, hole, "after the analysis");
          is_refused(&s, NO_VALUES);
          pivot_is(&s, hole, "after a solve that was refused");
          CHECK_OK(update(&s));
          CHECK_OK(solve(&s, x));
          pivot_is(&s, hole, "after a good solve");
          if (missing)
            CHECK_THAT(!finite_num(get(k.type, x, hole)), "%s: x is finite at a missing pivot (%s)", s.algorithm,
                       kind_text(&k));
          put_diagonal(&s, &p, 7, 0);
          CHECK_OK(solve(&s, x));
          pivot_is(&s, reads_copy(&k, a) ? hole : 7, "after a solve before the update");
          CHECK_OK(update(&s));
          CHECK_OK(solve(&s, x));
          pivot_is(&s, 7, "after a bad solve");
          CHECK_THAT(!finite_num(get(k.type, x, 7)), "%s: x is finite at a zero pivot (%s)", s.algorithm,
                     kind_text(&k));
          put_diagonal(&s, &p, 7, 2);
          put_diagonal(&s, &p, 31, 0);
          CHECK_OK(update(&s));
          CHECK_OK(solve(&s, x));
          pivot_is(&s, missing ? hole : 31, "after another bad solve");
          put_diagonal(&s, &p, 31, 2);
          CHECK_OK(update(&s));
          CHECK_OK(solve(&s, x));
          pivot_is(&s, hole, "after a good solve again");
        }
        close_system(&s);
        free_problem(&p);
      }
}

/* ---------------------------------------------------------------------------------------------- refusals */

static void is_set_to(const System *s, sptrsvCopyValues_t expected) {
  sptrsvCopyValues_t copy = (sptrsvCopyValues_t)-77;
  CHECK(sptrsvGetCopyValues(s->info, &copy) == SPTRSV_STATUS_SUCCESS && copy == expected);
}

/* The setting counts at the next analysis, in either direction. */
static void a_setting_counts_later(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 3 * 2; i++) {
      Kind k = {.type = SPTRSV_R_64F, .op = i % 3, .format = i / 3, .setup = any_setup()};
      Problem p = make_problem(k, GRID, M);
      System s;
      char x[M * 16];
      if (opened(&s, &p, a)) {
        is_set_to(&s, SPTRSV_COPY_NONE);
        for (int set = SPTRSV_COPY_NONE; set <= SPTRSV_COPY_WHERE_FASTER; set++) {
          CHECK_OK(sptrsvSetCopyValues(s.info, (sptrsvCopyValues_t)set));
          CHECK_STATUS(update(&s), SPTRSV_STATUS_INVALID_VALUE);
          CHECK_MESSAGE("sptrsvSetCopyValues");
          change(&s, &p);
          solves_right(&s, x, "analysed without a copy");
        }
        is_set_to(&s, SPTRSV_COPY_WHERE_FASTER);
        CHECK_OK(analyse(&s));
        for (int set = SPTRSV_COPY_WHERE_FASTER; set >= SPTRSV_COPY_NONE; set--) {
          CHECK_OK(sptrsvSetCopyValues(s.info, (sptrsvCopyValues_t)set));
          if (set) is_refused(&s, NO_VALUES);
          change(&s, &p);
          CHECK_OK(update(&s));
          if (reads_copy(&k, a)) spoil(&s);
          solves_right(&s, x, "analysed for a copy");
        }
        is_set_to(&s, SPTRSV_COPY_NONE);
        CHECK_OK(analyse(&s));
        CHECK_STATUS(update(&s), SPTRSV_STATUS_INVALID_VALUE);
        change(&s, &p);
        solves_right(&s, x, "analysed without a copy again");
      }
      close_system(&s);
      free_problem(&p);
    }
}

static void what_is_refused(void) {
  for (int op = 0; op < 3; op++) {
    Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .op = op, .setup = any_setup()}, RANDOM, M);
    System s;
    char x[M * 16];
    if (opened(&s, &p, 0)) {
      static const int BAD[] = {-1, 3, 256, INT32_MIN};
      sptrsvCopyValues_t copy = (sptrsvCopyValues_t)-77;
      sptrsvInfo_t fresh;
      CHECK_STATUS(sptrsvSetCopyValues(NULL, SPTRSV_COPY_WHERE_FASTER), SPTRSV_STATUS_INVALID_VALUE);
      CHECK_STATUS(sptrsvGetCopyValues(NULL, &copy), SPTRSV_STATUS_INVALID_VALUE);
      CHECK_STATUS(sptrsvGetCopyValues(s.info, NULL), SPTRSV_STATUS_INVALID_VALUE);
      CHECK((int)copy == -77);
      static const sptrsvCopyValues_t MODES[] = {SPTRSV_COPY_NONE, SPTRSV_COPY_ALL, SPTRSV_COPY_WHERE_FASTER};
      for (int set = 0; set < COUNT(MODES); set++) {
        CHECK_OK(sptrsvSetCopyValues(s.info, MODES[set]));
        for (int b = 0; b < COUNT(BAD); b++)
          CHECK_STATUS(sptrsvSetCopyValues(s.info, (sptrsvCopyValues_t)BAD[b]), SPTRSV_STATUS_INVALID_VALUE);
        is_set_to(&s, MODES[set]);
      }

      CHECK_OK(sptrsvCreateInfo(&fresh));
      for (int set = 0; set < COUNT(MODES); set++) {
        CHECK_OK(sptrsvSetCopyValues(fresh, MODES[set]));
        CHECK_STATUS(sptrsvUpdateValues(T.h, fresh, s.val), SPTRSV_STATUS_NOT_ANALYSED);
        CHECK_MESSAGE("analys");
      }
      CHECK_OK(sptrsvDestroyInfo(fresh));

      CHECK_OK(analyse(&s));
      CHECK_STATUS(sptrsvUpdateValues(NULL, s.info, s.val), SPTRSV_STATUS_NOT_INITIALIZED);
      CHECK_STATUS(sptrsvUpdateValues(T.h, NULL, s.val), SPTRSV_STATUS_INVALID_VALUE);
      CHECK_MESSAGE("info");
      CHECK_STATUS(sptrsvUpdateValues(T.h, s.info, NULL), SPTRSV_STATUS_INVALID_VALUE);
      CHECK_MESSAGE("val");
      is_refused(&s, NO_VALUES);
      CHECK_OK(update(&s));
      /* What is refused changes nothing. */
      CHECK_STATUS(sptrsvUpdateValues(T.h, s.info, NULL), SPTRSV_STATUS_INVALID_VALUE);
      solves_right(&s, x, "after an update that was refused");
      void *val = s.val;
      s.val = NULL;
      is_refused(&s, "val");
      s.val = (char *)val + s.vs;
      is_refused(&s, ANOTHER_ARRAY);
      s.val = val;
      solves_right(&s, x, "after solves that were refused");
    }
    close_system(&s);
    free_problem(&p);
  }
}

/* A handle of the other executor, whose memory it is not. */
static void another_executor(void) {
  sptrsvHandle_t host;
  CHECK_OK(sptrsvCreateWithExecutor(&host, SPTRSV_EXECUTOR_HOST));
  for (int op = 0; op < 2; op++) {
    Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .op = op}, RANDOM, M);
    System s;
    char x[M * 16];
    if (opened(&s, &p, 0)) {
      analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
      CHECK_STATUS(sptrsvUpdateValues(host, s.info, s.val), SPTRSV_STATUS_PATTERN_MISMATCH);
      is_refused(&s, NO_VALUES);
      CHECK_OK(update(&s));
      CHECK_STATUS(sptrsvUpdateValues(host, s.info, p.val), SPTRSV_STATUS_PATTERN_MISMATCH);
      solves_right(&s, x, "after an update by another executor");
    }
    close_system(&s);
    free_problem(&p);
  }
  CHECK_OK(sptrsvDestroy(host));
}

/* ---------------------------------------------------------------------------------- malformed patterns */

enum { INDEX_TOO_LARGE, INDEX_TOO_SMALL, FIRST_OFFSET, LAST_OFFSET, OFFSETS_THAT_FALL, FAULTS };

static void put_pattern(System *s, const void *ptr, const void *ind) {
  const Problem *p = s->p;
  mem_put(s->ptr, ptr, (size_t)(p->n + 1) * (p->k.wide >= 1 ? 8 : 4));
  mem_put(s->ind, ind, (size_t)p->nnz * (p->k.wide >= 2 ? 8 : 4));
}

static void put_fault(System *s, int fault) {
  const Problem *p = s->p;
  size_t ptr_bytes = (size_t)(p->n + 1) * 8, ind_bytes = (size_t)p->nnz * 8;
  void *ptr = malloc(ptr_bytes), *ind = malloc(ind_bytes);
  memcpy(ptr, p->ptr, ptr_bytes), memcpy(ind, p->ind, ind_bytes);
  int64_t base = p->k.base, middle = p->nnz / 2;
  switch (fault) {
    case INDEX_TOO_LARGE: put_index(p->k.wide >= 2, ind, middle, p->n + base); break;
    case INDEX_TOO_SMALL: put_index(p->k.wide >= 2, ind, middle, base - 1); break;
    case FIRST_OFFSET: put_index(p->k.wide >= 1, ptr, 0, base + 1); break;
    case LAST_OFFSET: put_index(p->k.wide >= 1, ptr, p->n, base + p->nnz - 1); break;
    default: put_index(p->k.wide >= 1, ptr, p->n / 2, base + p->nnz + 7);
  }
  put_pattern(s, ptr, ind);
  free(ptr), free(ind);
}

/* They are refused in the same words as where no copy is asked for; the analysis from before stays, and so do its
 * values. */
static void malformed_patterns(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 3 * 2 * FAULTS; i++) {
      int fault = i / 6;
      Kind k = {.type = SPTRSV_R_64F, .op = i % 3, .format = i / 3 % 2, .fill = (int)below(2), .base = (int)below(2),
                .wide = (int)below(3), .unsorted = (int)below(2), .full = (int)below(2), .setup = any_setup()};
      Problem p = make_problem(k, GRID, M);
      System plain, copied;
      int ok = opened(&plain, &p, a);
      if (opened(&copied, &p, a) && ok) {
        sptrsvInfo_t info = copied.info;
        char first[500], *x = malloc(copied.bytes);
        CHECK_OK(sptrsvSetAnalysisForAllOperations(copied.info, (int)below(2)));
        analyse_for(&copied, SPTRSV_COPY_WHERE_FASTER);
        CHECK_OK(update(&copied));
        solves_right(&copied, x, "before a malformed pattern");
        put_fault(&plain, fault);
        put_fault(&copied, fault);
        CHECK_STATUS(analyse(&plain), SPTRSV_STATUS_INVALID_MATRIX);
        snprintf(first, sizeof first, "%s", sptrsvGetLastErrorString());
        CHECK_STATUS(analyse(&copied), SPTRSV_STATUS_INVALID_MATRIX);
        const char *second = sptrsvGetLastErrorString();
        CHECK_THAT(*first && !strcmp(first, second), "fault %d (%s): \"%s\", but for a copy \"%s\"", fault,
                   kind_text(&k), first, second);

        CHECK_OK(sptrsvCreateInfo(&copied.info));
        CHECK_OK(set_algorithm(&copied, ALGS[a].id));
        CHECK_OK(sptrsvSetCopyValues(copied.info, SPTRSV_COPY_WHERE_FASTER));
        CHECK_STATUS(analyse(&copied), SPTRSV_STATUS_INVALID_MATRIX);
        CHECK_STATUS(update(&copied), SPTRSV_STATUS_NOT_ANALYSED);
        CHECK_STATUS(solve_from(&copied, copied.f, copied.x), SPTRSV_STATUS_NOT_ANALYSED);
        CHECK_OK(sptrsvDestroyInfo(copied.info));
        copied.info = info;

        put_pattern(&plain, p.ptr, p.ind);
        put_pattern(&copied, p.ptr, p.ind);
        if (reads_copy(&k, a)) spoil(&copied);
        solves_again(&copied, x, ALGS[a].deterministic, "after a malformed pattern");
        mend(&copied);
        solves_right(&plain, x, "after a malformed pattern, without a copy");
        CHECK_OK(analyse(&copied));
        is_refused(&copied, NO_VALUES);
        CHECK_OK(update(&copied));
        solves_right(&copied, x, "analysed after a malformed pattern");
        free(x);
      }
      close_system(&plain);
      close_system(&copied);
      free_problem(&p);
    }
}

/* ----------------------------------------------------------------------------------------------- figures */

/* What is not copied takes no room, what is takes a value for each entry at least; other figures stay. Algorithms that
 * may be cut into other pieces are compared below. */
static void figures(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 2 * 4; i++) {
      Kind k = {.type = TYPES[i % 4], .op = i / 4, .fill = (int)below(2), .setup = any_setup()};
      Problem p = make_problem(k, GRID, 5000);
      System s;
      if (opened(&s, &p, a)) {
        sptrsvStats_t alone = stats_of(&s);
        analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
        sptrsvStats_t copied = stats_of(&s);
        int64_t more = copied.bytes_held - alone.bytes_held, values = alone.entries_used * (int64_t)s.vs;
        CHECK(alone.entries_used == p.nnz);
        CHECK_THAT(copied.levels == alone.levels && copied.widest_level == alone.widest_level &&
                       copied.rows == alone.rows && copied.entries_used == alone.entries_used &&
                       copied.setup == alone.setup,
                   "%s: other figures with a copy (%s)", s.algorithm, kind_text(&k));
        if (!reads_copy(&k, a))
          CHECK_THAT(more == 0, "%s: %" PRId64 " bytes where nothing is copied (%s)", s.algorithm, more, kind_text(&k));
        else if (ALGS[a].id != SPTRSV_ALG_AUTO && ALGS[a].id != SPTRSV_ALG_TILED)
          CHECK_THAT(more >= values, "%s: %" PRId64 " bytes for %" PRId64 " of values (%s)", s.algorithm, more, values,
                     kind_text(&k));
        CHECK_OK(update(&s));
        CHECK(stats_of(&s).bytes_held == copied.bytes_held);
        analyse_for(&s, SPTRSV_COPY_NONE);
        CHECK(stats_of(&s).bytes_held == alone.bytes_held);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* A copy is as good as a matrix stored the other way: the same figures, but for the copy's bytes, and the same bits. */
static void as_stored_the_other_way(void) {
  /* Without two entries in one place, whose order would count. */
  static const enum Shape SIMPLE[] = {CHAIN, GRID, DENSE_ROW, DENSE_COLUMN, DIAGONALS, NODES};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; !by_columns(a) && i < 3 * 4 * COUNT(SIMPLE); i++) {
      int op = i % 3;
      Kind k = {.type = TYPES[i / 3 % 4], .op = op, .format = !op, .fill = (int)below(2), .diag = (int)below(3),
                .base = (int)below(2), .wide = (int)below(3), .unsorted = (int)below(3), .full = (int)below(2),
                .setup = any_setup()};
      Kind other = {.type = k.type, .op = op, .format = op != 0, .fill = k.fill, .diag = k.diag, .setup = k.setup};
      Problem p = make_problem(k, SIMPLE[i / 12], 3000);
      Entries triangle = {0};
      for (int64_t t = 0; t < p.nnz; t++)
        if (is_kept(&k, &p.e[t])) push(&triangle, p.e[t].i, p.e[t].j, get(k.type, p.val, t));
      Problem q = pack(other, p.n, triangle);
      size_t bytes = (size_t)p.n * value_size(k.type);
      memcpy(q.f, p.f, bytes), memcpy(q.diag, p.diag, bytes), q.alpha = p.alpha;
      System s, turned;
      int ok = opened(&turned, &q, a);
      if (opened(&s, &p, a) && ok) {
        analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
        CHECK_OK(update(&s));
        sptrsvStats_t with = stats_of(&s), without = stats_of(&turned);
        int64_t copy = q.nnz * ((int64_t)s.vs + 4);
        CHECK_THAT(with.levels == without.levels && with.widest_level == without.widest_level &&
                       with.rows == without.rows && with.entries_used == without.entries_used &&
                       with.algorithm == without.algorithm && with.setup == without.setup,
                   "%s: other figures than stored the other way (%s)", s.algorithm, kind_text(&k));
        CHECK_THAT(with.bytes_held == without.bytes_held + copy,
                   "%s: %" PRId64 " bytes, stored the other way %" PRId64 ", and %" PRId64 " for the copy (%s)",
                   s.algorithm, with.bytes_held, without.bytes_held, copy, kind_text(&k));
        char *x = malloc(s.bytes);
        solves_right(&turned, x, "stored the other way");
        solves_again(&s, x, ALGS[a].deterministic, "as stored the other way");
        free(x);
      }
      close_system(&s);
      close_system(&turned);
      free_problem(&p);
      free_problem(&q);
    }
}

/* ------------------------------------------------------------------------------------ streams and graphs */

/* With its stream held, an update returns at once. It takes what the array holds when its turn comes: not what is there
 * at the call, nor what comes later. */
static void an_update_takes_its_turn(void) {
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; !by_columns(a) && t < COUNT(TYPES); t++) {
      Problem p = make_problem((Kind){.type = TYPES[t], .op = 1 + (int)below(2)}, GRID, 3000);
      System s;
      Gate gate = {0, 0};
      CHECK_OK(sptrsvSetStream(T.h, stream));
      if (opened(&s, &p, a)) {
        analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
        CUDA(cudaStreamSynchronize(stream));
        void *good = mem_copy(p.val, value_bytes(&s)), *x = malloc(s.bytes);
        spoil(&s);
        CUDA(cudaLaunchHostFunc(stream, hold, &gate));
        CUDA(cudaMemcpyAsync(s.val, good, value_bytes(&s), cudaMemcpyDeviceToDevice, stream));
        CHECK_OK(update(&s));
        CUDA(cudaMemsetAsync(s.val, 0xff, value_bytes(&s), stream));
        CHECK_OK(solve_from(&s, s.f, s.x));
        CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
        cudaGetLastError(); /* "not ready" is no error */
        atomic_store(&gate.open, 1);
        CUDA(cudaStreamSynchronize(stream));
        mem_get(x, s.x, s.bytes);
        long double worst = worst_error(&p, p.alpha, p.f, x);
        CHECK_THAT(!atomic_load(&gate.waited_in_vain), "%s: a call waited for its stream", s.algorithm);
        CHECK_THAT(worst <= 1, "%s (%s): error / bound = %Lg", s.algorithm, kind_text(&p.k), worst);
        mem_free(good), free(x);
      }
      CHECK_OK(sptrsvSetStream(T.h, NULL));
      close_system(&s);
      free_problem(&p);
    }
  CUDA(cudaStreamDestroy(stream));
}

/* The first update of an info and solves with every operation in one graph: each replay copies what the array holds
 * then. The strictest capture mode also forbids the library every allocation and synchronisation. */
static void an_update_in_a_graph(void) {
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < 4 * 2; i++) {
      Problem p = make_problem((Kind){.type = TYPES[i % 4], .op = (int)below(3), .format = i / 4}, GRID, 2000);
      System s;
      CHECK_OK(sptrsvSetStream(T.h, stream));
      if (opened(&s, &p, a)) {
        cudaGraph_t graph = NULL;
        cudaGraphExec_t exec = NULL;
        char *x = malloc(s.bytes);
        void *dx[3] = {mem_new(s.bytes), mem_new(s.bytes), mem_new(s.bytes)};
        CHECK_OK(sptrsvSetAnalysisForAllOperations(s.info, 1));
        analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        sptrsvStatus_t status = update(&s);
        for (p.k.op = 0; p.k.op < 3 && !status; p.k.op++) status = solve_from(&s, s.f, dx[p.k.op]);
        cudaError_t ended = cudaStreamEndCapture(stream, &graph);
        cudaGetLastError();
        if (CHECK_THAT(!status && ended == cudaSuccess && graph, "%s: capture: %s, \"%s\", %s", s.algorithm,
                       sptrsvGetErrorName(status), sptrsvGetLastErrorString(), cudaGetErrorString(ended))) {
          CUDA(cudaGraphInstantiate(&exec, graph, 0));
          for (int round = 0; round < 3; round++) {
            change(&s, &p);
            for (int op = 0; op < 3; op++) mem_fill(dx[op], 0xff, s.bytes);
            CUDA(cudaGraphLaunch(exec, stream));
            CUDA(cudaStreamSynchronize(stream));
            for (p.k.op = 0; p.k.op < 3; p.k.op++) {
              mem_get(x, dx[p.k.op], s.bytes);
              long double worst = worst_error(&p, p.alpha, p.f, x);
              CHECK_THAT(worst <= 1, "%s, replay %d (%s): error / bound = %Lg", s.algorithm, round, kind_text(&p.k),
                         worst);
            }
          }
          /* Outside of the graph solves read what its last launch has copied. */
          for (p.k.op = 0; p.k.op < 3; p.k.op++) {
            if (reads_copy(&p.k, a)) spoil(&s);
            solves_right(&s, x, "after a graph");
            mend(&s);
          }
          CUDA(cudaGraphExecDestroy(exec));
        }
        if (graph) CUDA(cudaGraphDestroy(graph));
        for (int op = 0; op < 3; op++) mem_free(dx[op]);
        free(x);
      }
      CHECK_OK(sptrsvSetStream(T.h, NULL));
      close_system(&s);
      free_problem(&p);
    }
  CUDA(cudaStreamDestroy(stream));
}

int main(int argc, char **argv) {
  check_begin("test_copied_values", argc, argv);
  /* First, so that the kernel of an update has not been loaded before a graph has it. */
  RUN_ON_GPU(an_update_in_a_graph);
  RUN_ON_GPU(an_update_takes_its_turn);
  RUN(what_is_refused);
  RUN(a_setting_counts_later);
  RUN(nothing_to_solve);
  RUN(nothing_to_copy);
  RUN(malformed_patterns);
  RUN(figures);
  RUN(zero_pivots);
  RUN(a_separate_diagonal);
  RUN(several_right_hand_sides);
  RUN(any_operation);
  RUN(every_kind_and_algorithm);
  RUN(large);
  RUN_ON_GPU(another_executor);
  RUN_ON_GPU(as_stored_the_other_way);
  return check_end();
}
