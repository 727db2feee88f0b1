/*
 * The product of everything a problem can be, against the naive check of problem.h:
 *
 * - every kind of problem (type, op, triangle, diagonal, base, format, index types, order, storage, in
 *   place, alpha's place) with every algorithm; the shape, size and setup are drawn at random;
 * - every size and shape with every type, op, triangle, diagonal, base and algorithm, the rest drawn at random;
 * - every type, op and triangle in narrow tiles;
 * - random kinds on large systems.
 *
 * Each problem is solved twice: a deterministic algorithm must give the same bits.
 */
#include "problem.h"

/* Two solves after an analysis that returned `status`. */
static void judge(System *s, sptrsvStatus_t status, enum Shape shape, uint64_t seed, int a) {
  const Problem *p = s->p;
  void *x = malloc(s->bytes + 1), *again = malloc(s->bytes + 1);
  const char *what = "";
  long double worst = 0;
  if (!status) status = solve(s, x);
  if (!status) {
    worst = worst_error(p, p->alpha, p->f, x);
    if (!(worst <= 1)) what = "the first solution is wrong";
    status = solve(s, again);
  }
  if (!status && !*what) {
    worst = worst_error(p, p->alpha, p->f, again);
    if (!(worst <= 1))
      what = "the second solution is wrong";
    else if (ALGS[a].deterministic && memcmp(x, again, s->bytes))
      what = "two solves differ in their bits";
    else if (!p->k.in_place && s->bytes) {
      mem_get(again, s->f, s->bytes);
      if (memcmp(again, p->f, s->bytes)) what = "the right-hand side was changed";
    }
  }
  if (status == SPTRSV_STATUS_NOT_SUPPORTED)
    T.unsupported++;
  else
    CHECK_THAT(!status && !*what, "%s: %s n = %" PRId64 ", %s, seed %#" PRIx64 ": %s%s, error / bound = %Lg, message \"%s\"",
               ALGS[a].name, SHAPE_NAMES[shape], p->n, kind_text(&p->k), seed, status ? sptrsvGetErrorName(status) : "",
               what, worst, sptrsvGetLastErrorMessage(T.h));
  free(x), free(again);
}

/* One problem with the algorithms from `first` to before `end`, by one info that is analysed anew for each. */
static void one_case(Kind k, enum Shape shape, int64_t n, int first, int end) {
  uint64_t seed = rng_state;
  Problem p = make_problem(k, shape, n);
  System s;
  judge(&s, open_system(&s, &p, ALGS[first].id), shape, seed, first);
  for (int a = first + 1; a < end; a++) {
    sptrsvStatus_t status = sptrsvSetAlgorithm(s.info, ALGS[a].id);
    judge(&s, status ? status : analyse(&s), shape, seed, a);
  }
  close_system(&s);
  free_problem(&p);
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
enum { MAIN_KINDS = 4 * 3 * 2 * 3 * 2, KINDS = MAIN_KINDS * 2 * 3 * 2 * 2 * 2 * 2 };

static Kind random_kind(void) {
  Kind k = nth_kind((int)below(KINDS));
  k.duplicates = (int)below(2), k.setup = random_setup();
  return k;
}

static void every_kind(void) {
  static const int SIZES[] = {0, 1, 2, 30, 31, 32, 33};
  for (int i = 0; i < KINDS; i++) {
    Kind k = nth_kind(i);
    k.duplicates = (int)below(2), k.setup = random_setup();
    /* Sizes below 3 leave little to go wrong: they come up less often. */
    int64_t n = SIZES[below(4) ? 3 + below(4) : below(7)];
    one_case(k, (enum Shape)below(SHAPES), n, 0, COUNT(ALGS));
  }
}

static void every_size_and_shape(void) {
  static const int SIZES[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 1500};
  for (int i = 0; i < COUNT(SIZES) * SHAPES * MAIN_KINDS; i++) {
    Kind k = random_kind(), main = nth_kind(i % MAIN_KINDS);
    k.type = main.type, k.op = main.op, k.fill = main.fill, k.diag = main.diag, k.base = main.base;
    one_case(k, (enum Shape)(i / MAIN_KINDS % SHAPES), SIZES[i / MAIN_KINDS / SHAPES], 0, COUNT(ALGS));
  }
}

/* Every type, operation and triangle by one algorithm, in five shapes with narrow levels. */
static void narrow_levels(sptrsvAlgorithm_t algorithm, const enum Shape *shapes) {
  int a = place_of(algorithm);
  for (int i = 0; i < 4 * 3 * 2; i++) {
    Kind k = nth_kind(i);
    k.setup = random_setup();
    one_case(k, shapes[i % 5], 40000 + below(20000), a, a + 1);
  }
}

/* In tiles with narrow levels, many of which a warp solves at once, and whose blocks
 * hand over to each other where a GPU has clusters; with short rows and with longer ones, and by strips. */
static void narrow_tiles(void) {
  narrow_levels(SPTRSV_ALG_TILED, (enum Shape[]){GRID, DIAGONALS, NODES, GRID, CHAIN});
}

/* By rows, where levels are narrow from the first one on, or behind wide ones. */
static void narrow_ends(void) {
  narrow_levels(SPTRSV_ALG_ONE_WORD, (enum Shape[]){TAIL, GRID, CHAIN, TAIL, NODES});
}

static void large(void) {
  for (int i = 0; i < 4 * COUNT(ALGS); i++)
    one_case(random_kind(), i % 2 ? GRID : i % 4 ? EMPTY_ROWS : RANDOM, 40000 + below(20000), i % COUNT(ALGS),
             i % COUNT(ALGS) + 1);
  for (int i = 0; i < 20; i++) {
    Kind k = random_kind();
    k.unsorted = k.duplicates = 0;
    int a = place_of(i % 2 ? SPTRSV_ALG_NODAL : SPTRSV_ALG_AUTO);
    one_case(k, NODES, 60 * (500 + below(500)), a, a + 1);
  }
}

int main(int argc, char **argv) {
  check_begin("test_product", argc, argv);
  RUN(every_kind);
  RUN(every_size_and_shape);
  RUN(narrow_tiles);
  RUN(narrow_ends);
  RUN(large);
  return check_end();
}
