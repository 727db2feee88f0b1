/*
 * Hostile cases: values that have the bits of the kernels' sentinel, NaN payloads, infinities, subnormal numbers.
 *
 * A spoilt value reaches what depends on it and nothing else, no solve waits for it in vain, and the next solve is as good as
 * ever.
 */
#include "hostile.h"

/* Bits of one part of a value. All ones are the kernels' sentinel; of a double its upper half alone is looked at. */
static const struct {
  const char *name;
  uint64_t of_double;
  uint32_t of_float;
} PAYLOADS[] = {
    {"all ones", UINT64_MAX, UINT32_MAX},
    {"all ones but the lowest", UINT64_MAX - 1, UINT32_MAX - 1},
    {"ones in the upper half", 0xffffffff00000000, 0xffff0000},
    {"the default NaN", 0xfff8000000000000, 0xffc00000},
    {"a signalling NaN", 0x7ff0000000000001, 0x7f800001},
    {"a positive NaN of all ones", 0x7fffffffffffffff, 0x7fffffff},
    {"minus infinity", 0xfff0000000000000, 0xff800000},
};
enum { INFINITE = COUNT(PAYLOADS) - 1 };

static void put_payload(int type, void *a, int64_t i, int which) {
  size_t size = is_single(type) ? 4 : 8;
  for (size_t part = 0; part < value_size(type); part += size)
    memcpy((char *)a + (size_t)i * value_size(type) + part,
           is_single(type) ? (const void *)&PAYLOADS[which].of_float : (const void *)&PAYLOADS[which].of_double, size);
}

/* Marks what depends on marked unknowns. */
static void mark_dependents(const Problem *p, char *marked) {
  for (int changed = 1; changed;) {
    changed = 0;
    for (int64_t t = 0; t < p->nnz; t++) {
      int64_t from = p->k.op ? p->e[t].i : p->e[t].j, to = p->k.op ? p->e[t].j : p->e[t].i;
      if (marked[from] && !marked[to]) marked[to] = 1, changed = 1;
    }
  }
}

enum Place { RIGHT_HAND_SIDE, DIAGONAL_ENTRY, OTHER_ENTRY, PLACES };
static const char *const PLACE_NAMES[] = {"the right-hand side", "the diagonal", "an entry"};

/* An entry for the place, as near the middle as there is one. */
static int64_t entry_for(const Problem *p, enum Place place) {
  for (int64_t k = 0; k < p->nnz; k++) {
    int64_t t = (p->nnz / 2 + k) % p->nnz;
    if ((p->e[t].i == p->e[t].j) == (place == DIAGONAL_ENTRY)) return t;
  }
  fatal("entry_for", "the problem has no such entry");
  return 0;
}

/* One payload in one place: x is spoilt exactly where it must be. */
static void one_payload(System *s, const Problem *p, enum Place place, int which) {
  int64_t t = entry_for(p, place), row = place == RIGHT_HAND_SIDE ? p->n / 2 : p->k.op ? p->e[t].j : p->e[t].i;
  void *values = place == RIGHT_HAND_SIDE ? s->f : s->val, *good = place == RIGHT_HAND_SIDE ? p->f : p->val;
  int64_t at = place == RIGHT_HAND_SIDE ? row : t, wrong = 0, first = -1, pivot = NO_ROW;
  char bits[16], *marked = calloc((size_t)p->n, 1), *x = malloc(s->bytes);
  put_payload(p->k.type, bits, 0, which);
  mem_put((char *)values + (size_t)at * s->vs, bits, s->vs);
  mem_fill(s->x, 0xff, s->bytes);
  CHECK_OK(solve_from(s, s->f, s->x));
  CHECK_STATUS(sptrsvZeroPivot(s->h, s->info, &pivot), SPTRSV_STATUS_SUCCESS);
  mem_get(x, s->x, s->bytes);
  marked[row] = 1;
  mark_dependents(p, marked);
  for (int64_t i = 0; i < p->n; i++)
    if (finite_num(get(p->k.type, x, i)) == marked[i] && wrong++ == 0) first = i;
  CHECK_THAT(wrong == 0, "%" PRId64 " unknowns, first %" PRId64 ", are not what row %" PRId64 " makes them (%s)", wrong, first, row,
             kind_text(&p->k));
  mem_put((char *)values + (size_t)at * s->vs, (char *)good + (size_t)at * s->vs, s->vs);
  free(marked), free(x);
}

static void payloads(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      Problem p = shaped((Kind){.type = TYPES[t], .op = (a + t) & 1, .fill = t >> 1}, a + t);
      System s;
      hostile_case("a good system, %s, type %c", ALGS[a].name, letter_of(TYPES[t]));
      if (opened(&s, &p, a)) {
        void *before = malloc(s.bytes), *after = malloc(s.bytes);
        solves_right(&s, before, "before payloads");
        for (int place = 0; place < PLACES; place++)
          for (int which = 0; which < COUNT(PAYLOADS); which++) {
            /* A division by infinity gives zero. */
            if (place == DIAGONAL_ENTRY && which == INFINITE) continue;
            hostile_case("%s in %s, %s, type %c", PAYLOADS[which].name, PLACE_NAMES[place], ALGS[a].name, letter_of(TYPES[t]));
            one_payload(&s, &p, (enum Place)place, which);
          }
        solves_right(&s, after, "after payloads");
        if (ALGS[a].deterministic) CHECK_THAT(!memcmp(before, after, s.bytes), "other bits than before the payloads");
        free(before), free(after);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* All of f, then all values, are the sentinel: every unknown is NaN, and several columns too. */
static void everything_is_the_sentinel(void) {
  enum { COLUMNS = 5 };
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      hostile_case("everything is the sentinel, %s, type %c", ALGS[a].name, letter_of(TYPES[t]));
      Problem p = shaped((Kind){.type = TYPES[t], .op = t & 1}, a + t);
      System s;
      if (opened(&s, &p, a)) {
        char *f = mem_new(COLUMNS * s.bytes), *x = mem_new(COLUMNS * s.bytes), *host = malloc(COLUMNS * s.bytes);
        for (int values = 0; values < 2; values++)
          for (int columns = 1; columns <= COLUMNS; columns += 2) {
            mem_fill(f, 0xff, COLUMNS * s.bytes);
            mem_fill(x, 0, COLUMNS * s.bytes);
            if (values) mem_fill(s.val, 0xff, (size_t)p.nnz * s.vs);
            CHECK_OK(columns == 1 ? solve_from(&s, f, x) : solve_columns(&s, columns, f, x));
            all_done();
            mem_get(host, x, (size_t)columns * s.bytes);
            int64_t numbers = 0, pivot;
            for (int64_t i = 0; i < columns * p.n; i++) numbers += !nan_num(get(p.k.type, host, i));
            CHECK_THAT(numbers == 0, "%" PRId64 " of %d columns are numbers", numbers, columns);
            CHECK_OK(sptrsvZeroPivot(s.h, s.info, &pivot));
          }
        mem_put(s.val, p.val, (size_t)p.nnz * s.vs);
        still_right(&s, "after the sentinel");
        mem_free(f), mem_free(x), free(host);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* Whatever lies in x and in the buffer before a solve, the result has the same bits. */
static void what_lies_in_the_outputs(void) {
  static const int BYTES[] = {0xff, 0x00, 0x7f, 0x80};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      hostile_case("what lies in x and in the buffer, %s, type %c", ALGS[a].name, letter_of(TYPES[t]));
      Problem p = shaped((Kind){.type = TYPES[t], .fill = t & 1}, a + 2 * t);
      System s;
      if (opened(&s, &p, a)) {
        char *first = malloc(s.bytes), *x = malloc(s.bytes);
        solves_right(&s, first, "at first");
        for (int i = 0; i < COUNT(BYTES); i++) {
          mem_fill(s.x, BYTES[i], s.bytes);
          mem_fill(s.buffer, BYTES[i], s.buffer_bytes);
          CHECK_OK(solve_from(&s, s.f, s.x));
          all_done();
          mem_get(x, s.x, s.bytes);
          CHECK_THAT(ALGS[a].deterministic ? !memcmp(first, x, s.bytes) : worst_error(&p, p.alpha, p.f, x) <= 1,
                     "with %#x in x and in the buffer it is another result", (unsigned)BYTES[i]);
        }
        free(first), free(x);
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* ------------------------------------------------------------------------------------ subnormal numbers */

/* The worst row's residual over its bound, where products and sums may each be off by the smallest subnormal number. */
static long double subnormal_error(const Problem *p, const void *x) {
  long double tiny = is_single(p->k.type) ? ldexpl(1, -149) : ldexpl(1, -1074), eps = is_single(p->k.type) ? FLT_EPSILON : DBL_EPSILON;
  num *r = malloc((size_t)p->n * sizeof *r);
  long double *bound = malloc((size_t)p->n * sizeof *bound), worst = 0;
  for (int64_t i = 0; i < p->n; i++) {
    r[i] = p->alpha * get(p->k.type, p->f, i);
    bound[i] = 16 * (eps * cabsl(r[i]) + tiny);
  }
  for (int64_t t = 0; t < p->nnz; t++) {
    int64_t i = p->k.op ? p->e[t].j : p->e[t].i, j = p->k.op ? p->e[t].i : p->e[t].j;
    num a = get(p->k.type, p->val, t), product = a * get(p->k.type, x, j);
    r[i] -= product;
    bound[i] += 16 * (eps * cabsl(product) + tiny * (1 + cabsl(a)));
  }
  for (int64_t i = 0; i < p->n; i++) {
    long double ratio = cabsl(r[i]) / bound[i];
    if (!(ratio <= worst)) worst = isnan(ratio) ? INFINITY : ratio;
  }
  free(r), free(bound);
  return worst;
}

/* Additions by atomics flush subnormal numbers of single precision on NVIDIA GPUs, which the header says. */
static int may_flush(int a, int type) { return T.on_gpu && !ALGS[a].deterministic && is_single(type); }

static void subnormal_numbers(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      hostile_case("subnormal numbers, %s, type %c", ALGS[a].name, letter_of(TYPES[t]));
      Problem p = shaped((Kind){.type = TYPES[t], .op = t & 1}, a + t);
      long double least = is_single(TYPES[t]) ? FLT_MIN : DBL_MIN;
      int64_t subnormal = 0;
      p.alpha = 1;
      for (int64_t i = 0; i < p.n; i++) put(p.k.type, p.f, i, random_num(least / 4));
      System s;
      if (opened(&s, &p, a)) {
        char *x = malloc(s.bytes);
        CHECK_OK(solve(&s, x));
        for (int64_t i = 0; i < p.n; i++) {
          long double size = cabsl(get(p.k.type, x, i));
          subnormal += size > 0 && size < least;
        }
        if (may_flush(a, TYPES[t])) {
          /* What is flushed is smaller than the least normal number, so no unknown is far off. */
          for (int64_t i = 0; i < p.n; i++) CHECK(cabsl(get(p.k.type, x, i)) < 1000 * least);
        } else {
          long double worst = subnormal_error(&p, x);
          CHECK_THAT(worst <= 1, "error / bound = %Lg (%s)", worst, kind_text(&p.k));
          CHECK_THAT(subnormal > p.n / 2, "%" PRId64 " of %" PRId64 " unknowns are subnormal", subnormal, p.n);
        }
        free(x);
      }
      close_system(&s);
      free_problem(&p);
    }
}

int main(int argc, char **argv) {
  check_begin("test_hostile_values", argc, argv);
  RUN(payloads);
  RUN(everything_is_the_sentinel);
  RUN(what_lies_in_the_outputs);
  RUN(subnormal_numbers);
  return hostile_end();
}
