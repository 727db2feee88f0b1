/*
 * Hostile cases: malformed patterns, patterns that change behind an analysis, arguments of another matrix, misaligned arrays.
 *
 * What is refused is refused with a sentence, and the info goes on as before.
 */
#include "fence.h"
#include "hostile.h"

/* ------------------------------------------------------------------------------------- malformed patterns */

enum { ROWS = 3000 };

/* Places in the offsets and in the indices, each of which is given a wrong number. */
typedef enum { OFFSET, INDEX } Array;
static const struct {
  const char *name;
  Array array;
  int percent;   /* where in the array */
  int64_t value; /* in place of what is there; small ones count from the base */
  int least_wide;
} DEFECTS[] = {
    {"first offset below the base", OFFSET, 0, -1, 0},
    {"first offset past the base", OFFSET, 0, 1, 0},
    {"offset that falls", OFFSET, 60, 0, 0},
    {"offset below zero", OFFSET, 60, -70000, 0},
    {"offset far past the end", OFFSET, 40, INT32_MAX - 1, 0},
    {"last offset too small", OFFSET, 100, 1, 0},
    {"last offset far too large", OFFSET, 100, INT32_MAX - 1, 0},
    {"offset of 2^40", OFFSET, 50, (int64_t)1 << 40, 1},
    {"most negative offset", OFFSET, 50, INT64_MIN, 1},
    {"index one too large", INDEX, 99, ROWS, 0},
    {"index below the base", INDEX, 50, -1, 0},
    {"huge index", INDEX, 20, INT32_MAX - 1, 0},
    {"index of the sentinel's bits", INDEX, 70, UINT32_MAX, 2},
    {"index that is good in its low half", INDEX, 10, (int64_t)1 << 32, 2},
    {"most negative index", INDEX, 0, INT64_MIN, 2},
};

static int64_t get_index(int wide, const void *a, int64_t t) { return wide ? ((const int64_t *)a)[t] : ((const int32_t *)a)[t]; }

/* Puts the defect into the executor's arrays; `back` takes it out again. */
static void put_defect(const System *s, int d, int back) {
  const Problem *p = s->p;
  int is_offset = DEFECTS[d].array == OFFSET, wide = p->k.wide >= (is_offset ? 1 : 2);
  int64_t place = (is_offset ? p->n : p->nnz - 1) * DEFECTS[d].percent / 100, value = DEFECTS[d].value, number[1];
  if (value > INT64_MIN && value < INT32_MAX - 1) value += p->k.base;
  if (back) value = get_index(wide, is_offset ? p->ptr : p->ind, place);
  put_index(wide, number, 0, value);
  mem_put((char *)(is_offset ? s->ptr : s->ind) + place * (wide ? 8 : 4), number, wide ? 8 : 4);
}

static void malformed_patterns(void) {
  static const sptrsvAnalysisMode_t MODES[] = {SPTRSV_ANALYSIS_MODE_CPU, SPTRSV_ANALYSIS_MODE_GPU, SPTRSV_ANALYSIS_MODE_GPU_KAHN};
  for (int mode = 0; mode < (T.on_gpu ? COUNT(MODES) : 1); mode++)
    for (int wide = 0; wide < 3; wide++)
      for (int transposed = 0; transposed < 2; transposed++) {
        Kind k = {.type = TYPES[wide + transposed], .wide = wide, .base = transposed, .format = transposed, .op = wide & 1, .full = 1,
                  .setup = (int)MODES[mode]};
        Problem p = make_problem(k, wide & 1 ? BAND : RANDOM, ROWS);
        System s;
        hostile_case("a good pattern, mode %d, %d wide", MODES[mode], wide);
        if (opened(&s, &p, mode + wide))
          for (int d = 0; d < COUNT(DEFECTS); d++) {
            if (DEFECTS[d].least_wide > wide) continue;
            hostile_case("%s, mode %d, %s", DEFECTS[d].name, MODES[mode], kind_text(&k));
            put_defect(&s, d, 0);
            CHECK_STATUS(analyse(&s), SPTRSV_STATUS_INVALID_MATRIX);
            CHECK(*sptrsvGetLastErrorString());
            put_defect(&s, d, 1);
            still_right(&s, "after a pattern was refused");
          }
        close_system(&s);
        free_problem(&p);
      }
}

/* More entries than there are: the offsets say so before any index is read. */
static void more_entries_than_there_are(void) {
  /* With the last number no memory would do, on the host. */
  static const int64_t TOO_MANY[] = {1, 1000, 1000000, 40000000, 4000000000};
  for (int setup = 0; setup < (T.on_gpu ? 3 : 2); setup++)
    for (int i = 0; i < COUNT(TOO_MANY) - T.on_gpu; i++) {
      hostile_case("%" PRId64 " entries more than there are, setup %d", TOO_MANY[i], setup);
      Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .setup = setup}, RANDOM, ROWS), larger = p;
      System s;
      if (opened(&s, &p, 0)) {
        larger.nnz += TOO_MANY[i];
        s.p = &larger;
        CHECK_OK(make_buffer(&s));
        CHECK_STATUS(analyse(&s), SPTRSV_STATUS_INVALID_MATRIX);
        s.p = &p;
        still_right(&s, "after too many entries");
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* ---------------------------------------------------------------------------------------- changed patterns */

/* The arrays of the pattern are overwritten by the sentinel, by zeros or by indices out of range: solves do not read them. */
static void patterns_change_behind_an_analysis(void) {
  static const int BYTES[] = {0xff, 0x00, 0x7f};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      hostile_case("the pattern changes behind an analysis, %s, type %c", ALGS[a].name, letter_of(TYPES[t]));
      Problem p = shaped((Kind){.type = TYPES[t], .op = t & 1, .wide = t % 3}, a + t);
      System s;
      if (opened(&s, &p, a))
        for (int i = 0; i < COUNT(BYTES); i++) {
          mem_fill(s.ptr, BYTES[i], (size_t)(p.n + 1) * (p.k.wide >= 1 ? 8 : 4));
          mem_fill(s.ind, BYTES[i], (size_t)p.nnz * (p.k.wide >= 2 ? 8 : 4));
          still_right(&s, "behind a changed pattern");
        }
      close_system(&s);
      free_problem(&p);
    }
}

/* A solve with the arguments of another matrix is refused, and x stays. */
static void arguments_of_another_matrix(void) {
  static const char *const CHANGES[] = {"rows", "entries", "type", "operation", "triangle", "diagonal", "base", "format", "index types"};
  for (int a = 0; a < COUNT(ALGS); a++) {
    Kind k = {.type = SPTRSV_R_64F};
    Problem p = shaped(k, a);
    System s;
    if (opened(&s, &p, a))
      for (int c = 0; c < COUNT(CHANGES); c++) {
        hostile_case("another %s than was analysed, %s", CHANGES[c], ALGS[a].name);
        Problem other = p;
        other.n -= c == 0, other.nnz -= c == 1;
        if (c == 2) other.k.type = SPTRSV_C_32F;
        if (c == 3) other.k.op = SPTRSV_OPERATION_TRANSPOSE;
        if (c == 4) other.k.fill = SPTRSV_FILL_MODE_UPPER;
        if (c == 5) other.k.diag = SPTRSV_DIAG_TYPE_UNIT;
        if (c == 6) other.k.base = 1;
        if (c == 7) other.k.format = SPTRSV_FORMAT_CSC;
        if (c == 8) other.k.wide = 1;
        CHECK_OK(set_descr(s.d, &other.k));
        s.p = &other;
        mem_fill(s.x, GUARD, s.bytes);
        CHECK_STATUS(solve_from(&s, s.f, s.x), SPTRSV_STATUS_PATTERN_MISMATCH);
        CHECK(*sptrsvGetLastErrorString());
        all_done();
        CHECK(mem_is(s.x, GUARD, s.bytes));
        s.p = &p;
        CHECK_OK(set_descr(s.d, &k));
        still_right(&s, "after a mismatch");
      }
    close_system(&s);
    free_problem(&p);
  }
}

/* Rows without any entry, and entries of the other triangle alone: a zero pivot in the first row, and no hang. */
static void empty_matrices(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int full = 0; full < 2; full++) {
      hostile_case("%s, %s", full ? "entries of the other triangle alone" : "rows without entries", ALGS[a].name);
      Entries list = {0};
      for (int64_t i = 0; full && i < 500; i++) push(&list, i, i + 1, 1);
      Problem p = pack((Kind){.type = TYPES[a % 4], .base = full}, 501, list);
      System s;
      if (opened(&s, &p, a)) {
        CHECK_OK(solve_from(&s, s.f, s.x));
        pivot_is(&s, 0, "without a diagonal");
      }
      close_system(&s);
      free_problem(&p);
    }
}

/* -------------------------------------------------------------------------------------------- alignment */

/* Each array of a solve at an address between two elements is refused, and x stays; the buffer may lie anywhere. */
static void between_two_elements(void) {
  static const char *const ARRAYS[] = {"values", "right-hand side", "solution", "diagonal"};
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int t = 0; t < COUNT(TYPES); t++) {
      Problem p = shaped((Kind){.type = TYPES[t], .diag = SEPARATE_DIAGONAL}, a + t);
      System s;
      hostile_case("misaligned arrays, %s, type %c", ALGS[a].name, letter_of(TYPES[t]));
      if (opened(&s, &p, a)) {
        for (int i = 0; i < COUNT(ARRAYS); i++) {
          hostile_case("misaligned %s, %s, type %c", ARRAYS[i], ALGS[a].name, letter_of(TYPES[t]));
          size_t off = 1 + (size_t)below((int64_t)s.vs - 1);
          System moved = s;
          if (i == 0) moved.val = (char *)s.val + off;
          if (i == 3) CHECK_OK(sptrsvSetDiagonal(s.info, (char *)s.diag + off));
          mem_fill(s.x, GUARD, s.bytes);
          sptrsvStatus_t status = solve_from(&moved, (char *)s.f + (i == 1 ? off : 0), (char *)s.x + (i == 2 ? off : 0));
          CHECK_STATUS(status, SPTRSV_STATUS_INVALID_VALUE);
          CHECK_MESSAGE("align");
          all_done();
          CHECK(mem_is(s.x, GUARD, s.bytes));
          CHECK_OK(sptrsvSetDiagonal(s.info, s.diag));
        }
        hostile_case("a buffer at an odd address, %s, type %c", ALGS[a].name, letter_of(TYPES[t]));
        char *room = mem_new(s.buffer_bytes + 64), *own = s.buffer;
        mem_fill(room, GUARD, s.buffer_bytes + 64);
        s.buffer = room + 33;
        still_right(&s, "from a buffer at an odd address");
        CHECK_THAT(mem_is(room, GUARD, 33) && mem_is(room + 33 + s.buffer_bytes, GUARD, 31), "something beside the buffer was written");
        s.buffer = own;
        mem_free(room);
      }
      close_system(&s);
      free_problem(&p);
    }
}

int main(int argc, char **argv) {
  check_begin("test_hostile_patterns", argc, argv);
  RUN(malformed_patterns);
  RUN(more_entries_than_there_are);
  RUN(patterns_change_behind_an_analysis);
  RUN(arguments_of_another_matrix);
  RUN(empty_matrices);
  RUN(between_two_elements);
  return hostile_end();
}
