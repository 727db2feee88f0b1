/*
 * The product of everything a problem can be, against the naive check of problem.h:
 *
 * - every kind of problem (type, op, triangle, diagonal, base, format, index types, order, storage, in
 *   place, alpha's place), each with a shape, size, algorithm and setup drawn at random;
 * - every algorithm with every shape, size, type, triangle and op N or T, the rest drawn at random;
 * - random kinds on large systems.
 *
 * Each problem is solved twice: a deterministic algorithm must give the same bits.
 */
#include "problem.h"

static void one_case(Kind k, enum Shape shape, int64_t n, int a) {
  uint64_t seed = rng_state;
  Problem p = make_problem(k, shape, n);
  System s;
  void *x = malloc((size_t)n * 16 + 1), *again = malloc((size_t)n * 16 + 1);
  const char *what = "";
  long double worst = 0;
  sptrsvStatus_t status = open_system(&s, &p, ALGS[a].id);
  if (!status) status = solve(&s, x);
  if (!status) {
    worst = worst_error(&p, p.alpha, p.f, x);
    if (!(worst <= 1)) what = "the first solution is wrong";
    status = solve(&s, again);
  }
  if (!status && !*what) {
    worst = worst_error(&p, p.alpha, p.f, again);
    if (!(worst <= 1))
      what = "the second solution is wrong";
    else if (ALGS[a].deterministic && memcmp(x, again, s.bytes))
      what = "two solves differ in their bits";
    else if (!k.in_place && s.bytes) {
      mem_get(again, s.f, s.bytes);
      if (memcmp(again, p.f, s.bytes)) what = "the right-hand side was changed";
    }
  }
  if (status == SPTRSV_STATUS_NOT_SUPPORTED)
    T.unsupported++;
  else
    CHECK_THAT(!status && !*what, "%s: %s n = %" PRId64 ", %s, seed %#" PRIx64 ": %s%s, error / bound = %Lg, message \"%s\"",
               ALGS[a].name, SHAPE_NAMES[shape], n, kind_text(&k), seed, status ? sptrsvGetErrorName(status) : "", what,
               worst, sptrsvGetLastErrorMessage(T.h));
  close_system(&s);
  free_problem(&p);
  free(x), free(again);
}

/* The i-th kind of all; mixed radix. */
static Kind nth_kind(int i) {
  Kind k = {0};
#define DIGIT(field, radix) k.field = i % (radix), i /= (radix)
  DIGIT(type, 4), DIGIT(op, 3), DIGIT(fill, 2), DIGIT(diag, 3), DIGIT(base, 2), DIGIT(format, 2), DIGIT(wide, 3);
  DIGIT(unsorted, 2), DIGIT(full, 2), DIGIT(in_place, 2), DIGIT(device_alpha, 2);
#undef DIGIT
  k.type = TYPES[k.type];
  return k;
}
enum { KINDS = 4 * 3 * 2 * 3 * 2 * 2 * 3 * 2 * 2 * 2 * 2 };

static Kind random_kind(void) {
  Kind k = nth_kind((int)below(KINDS));
  k.duplicates = (int)below(2), k.setup = random_setup();
  return k;
}

static void every_kind(void) {
  static const int SIZES[] = {0, 1, 2, 31, 32, 33};
  for (int i = 0; i < KINDS; i++) {
    Kind k = nth_kind(i);
    k.duplicates = (int)below(2), k.setup = random_setup();
    /* Sizes below 3 leave little to go wrong: they come up less often. */
    int64_t n = SIZES[below(4) ? 3 + below(3) : below(6)];
    one_case(k, (enum Shape)below(SHAPES), n, (int)below(COUNT(ALGS)));
  }
}

static void every_algorithm(void) {
  static const int SIZES[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 5000};
  for (int z = 0; z < COUNT(SIZES); z++)
    for (int a = 0; a < COUNT(ALGS); a++)
      for (int shape = 0; shape < SHAPES; shape++)
        for (int t = 0; t < COUNT(TYPES); t++)
          for (int bits = 0; bits < 4; bits++) {
            Kind k = random_kind();
            k.type = TYPES[t], k.fill = bits & 1, k.op = bits >> 1;
            one_case(k, (enum Shape)shape, SIZES[z], a);
          }
}

static void large(void) {
  for (int i = 0; i < 4 * COUNT(ALGS); i++)
    one_case(random_kind(), i % 2 ? GRID : i % 4 ? EMPTY_ROWS : RANDOM, 40000 + below(20000), i % COUNT(ALGS));
}

int main(int argc, char **argv) {
  check_begin("test_product", argc, argv);
  RUN(every_kind);
  RUN(every_algorithm);
  RUN(large);
  return check_end();
}
