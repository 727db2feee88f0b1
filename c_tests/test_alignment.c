/*
 * Arrays lie at multiples of the size of their elements; the call that would read another one gives INVALID_VALUE, names
 * it, and touches nothing: on a GPU such an access would end the CUDA context. The buffer and an alpha on the host may lie
 * anywhere. Also sizes of dense matrices that no memory has.
 */
#include "check.h"

enum { N = 4, SHIFTS = 32, GUARD = 0x5a };

static const struct { sptrsvDataType_t type; size_t bytes; const char *name; } TYPES[] = {
  {SPTRSV_R_32F, 4, "R_32F"}, {SPTRSV_R_64F, 8, "R_64F"}, {SPTRSV_C_32F, 8, "C_32F"}, {SPTRSV_C_64F, 16, "C_64F"}};

/* diag(2) x = alpha f with alpha = 1 and f = 6; every array has room to be shifted. */
typedef struct {
  sptrsvMatDescr_t descr;
  sptrsvInfo_t info;
  int type, wide;
  size_t bytes, index_bytes;
  void *val, *ptr, *ind, *f, *x, *diagonal, *alpha;
  char host_alpha[16], *buffer;
} System;

static int is_complex(int type) { return type >= 2; }

/* `count` copies of a real number in the type. */
static void put(char *to, int type, double value, int count) {
  for (int i = 0; i < count * (is_complex(type) ? 2 : 1); i++) {
    double part = is_complex(type) && i % 2 ? 0 : value;
    float single = (float)part;
    if (type % 2) memcpy(to + 8 * i, &part, 8);
    else memcpy(to + 4 * i, &single, 4);
  }
}

static void *values(int type, double value, int count) {
  char host[16 * N] = {0}, *p = mem_new(16 * N + SHIFTS);
  put(host, type, value, count);
  mem_put(p, host, sizeof host);
  return p;
}

static void *indices(int wide, int count) {
  int64_t of_64[N + 1];
  int32_t of_32[N + 1];
  for (int i = 0; i < count; i++) of_64[i] = of_32[i] = i;
  char *p = mem_new(sizeof of_64 + SHIFTS);
  mem_put(p, wide ? (void *)of_64 : (void *)of_32, wide ? sizeof of_64 : sizeof of_32);
  return p;
}

static sptrsvStatus_t analyse(System *s, const char *val, const char *ptr, const char *ind) {
  return sptrsvAnalysis(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, N, N, s->descr, TYPES[s->type].type, val, ptr, ind, s->info,
                        SPTRSV_SOLVE_POLICY_USE_LEVEL, s->buffer);
}

static sptrsvStatus_t solve(System *s, const char *val, const char *f, char *x, const char *alpha) {
  return sptrsvSolve(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, N, N, alpha, s->descr, TYPES[s->type].type, val, s->ptr, s->ind,
                     s->info, f, x, SPTRSV_SOLVE_POLICY_USE_LEVEL, s->buffer);
}

static System make(int type, int wide, sptrsvCopyValues_t copy) {
  System s = {.type = type, .wide = wide, .bytes = TYPES[type].bytes, .index_bytes = wide ? 8 : 4};
  size_t bytes;
  sptrsvIndexType_t index = wide ? SPTRSV_INDEX_64I : SPTRSV_INDEX_32I;
  CHECK_OK(sptrsvCreateMatDescr(&s.descr));
  CHECK_OK(sptrsvSetMatIndexTypes(s.descr, index, index));
  CHECK_OK(sptrsvCreateInfo(&s.info));
  CHECK_OK(sptrsvSetCopyValues(s.info, copy));
  s.val = values(type, 2, N), s.f = values(type, 6, N), s.x = values(type, 0, N), s.diagonal = values(type, 2, N);
  s.alpha = values(type, 1, 1), s.ptr = indices(wide, N + 1), s.ind = indices(wide, N);
  put(s.host_alpha, type, 1, 1);
  CHECK_OK(sptrsvBufferSize(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, N, N, s.descr, TYPES[type].type, NULL, NULL, NULL, s.info,
                            &bytes));
  s.buffer = mem_new(bytes + SHIFTS);
  CHECK_OK(analyse(&s, s.val, s.ptr, s.ind));
  return s;
}

static void destroy(System *s) {
  CHECK_OK(sptrsvDestroyInfo(s->info));
  CHECK_OK(sptrsvDestroyMatDescr(s->descr));
  void *arrays[] = {s->val, s->ptr, s->ind, s->f, s->x, s->diagonal, s->alpha, s->buffer};
  for (int i = 0; i < COUNT(arrays); i++) mem_free(arrays[i]);
}

/* The GPU is as it was: x = 6 / 2. */
static void expect_solution(System *s, const char *f, char *x, const char *alpha, const char *what) {
  char expected[16 * N], got[16 * N];
  put(expected, s->type, 3, N);
  mem_fill(x, GUARD, s->bytes * N);
  CHECK_OK(solve(s, s->val, f, x, alpha));
  mem_get(got, x, s->bytes * N);
  CHECK_THAT(!memcmp(got, expected, s->bytes * N), "%s, %s: the solution is another one", TYPES[s->type].name, what);
}

#define REFUSED(call, word)                              \
  do {                                                   \
    CHECK_STATUS(call, SPTRSV_STATUS_INVALID_VALUE);     \
    CHECK_MESSAGE(word " is not aligned");               \
  } while (0)

static void arrays_of_a_solve(void) {
  for (int type = 0; type < COUNT(TYPES); type++) {
    System s = make(type, type % 2, SPTRSV_COPY_NONE);
    mem_fill(s.x, GUARD, 16 * N + SHIFTS);
    for (size_t shift = 1; shift < s.bytes; shift++) {
      REFUSED(solve(&s, (char *)s.val + shift, s.f, s.x, s.host_alpha), "val");
      REFUSED(solve(&s, s.val, (char *)s.f + shift, s.x, s.host_alpha), "f");
      REFUSED(solve(&s, s.val, s.f, (char *)s.x + shift, s.host_alpha), "x");
    }
    CHECK(mem_is(s.x, GUARD, 16 * N + SHIFTS));
    expect_solution(&s, s.f, s.x, s.host_alpha, "after refused solves");
    /* One element further is aligned. */
    expect_solution(&s, s.f, (char *)s.x + s.bytes, s.host_alpha, "x one element further");
    destroy(&s);
  }
}

static void arrays_of_an_analysis(void) {
  for (int type = 0; type < COUNT(TYPES); type++)
    for (int wide = 0; wide < 2; wide++) {
      System s = make(type, wide, SPTRSV_COPY_ALL);
      for (size_t shift = 1; shift < s.index_bytes; shift++) {
        REFUSED(analyse(&s, s.val, (char *)s.ptr + shift, s.ind), "rowPtr");
        REFUSED(analyse(&s, s.val, s.ptr, (char *)s.ind + shift), "colInd");
      }
      for (size_t shift = 1; shift < s.bytes; shift++) {
        REFUSED(analyse(&s, (char *)s.val + shift, s.ptr, s.ind), "val");
        REFUSED(sptrsvUpdateValues(T.h, s.info, (char *)s.val + shift), "val");
        REFUSED(sptrsvUpdateDiagonal(T.h, s.info, (char *)s.diagonal + shift), "diag");
      }
      expect_solution(&s, s.f, s.x, s.host_alpha, "after refused analyses");
      CHECK_OK(sptrsvUpdateValues(T.h, s.info, s.val));
      CHECK_OK(sptrsvUpdateDiagonal(T.h, s.info, s.diagonal));
      expect_solution(&s, s.f, s.x, s.host_alpha, "after updates");
      destroy(&s);
    }
}

static void a_separate_diagonal(void) {
  for (int type = 0; type < COUNT(TYPES); type++) {
    System s = make(type, 0, SPTRSV_COPY_NONE);
    CHECK_OK(sptrsvSetDiagonal(s.info, s.diagonal));
    CHECK_OK(analyse(&s, s.val, s.ptr, s.ind));
    CHECK_OK(sptrsvSetDiagonal(s.info, (char *)s.diagonal + s.bytes / 2));
    REFUSED(solve(&s, s.val, s.f, s.x, s.host_alpha), "the diagonal");
    CHECK_OK(sptrsvSetDiagonal(s.info, s.diagonal));
    expect_solution(&s, s.f, s.x, s.host_alpha, "with a separate diagonal");
    destroy(&s);
  }
}

/* In pointer mode DEVICE alpha is an array of one value, on the host executor too. */
static void alpha_and_pivot(void) {
  for (int type = 0; type < COUNT(TYPES); type++) {
    System s = make(type, 1, SPTRSV_COPY_NONE);
    char room[16 + SHIFTS];
    for (size_t shift = 0; shift < 16; shift++) {
      memcpy(room + shift, s.host_alpha, s.bytes);
      expect_solution(&s, s.f, s.x, room + shift, "alpha anywhere on the host");
    }
    int64_t positions[3] = {7, 7, 7};
    for (int shift = 1; shift < 8; shift++)
      REFUSED(sptrsvZeroPivot(T.h, s.info, (int64_t *)((char *)(positions + 1) + shift)), "position");
    CHECK(positions[1] == 7 && positions[2] == 7);
    CHECK_OK(sptrsvSetPointerMode(T.h, SPTRSV_POINTER_MODE_DEVICE));
    for (size_t shift = 1; shift < s.bytes; shift++)
      REFUSED(solve(&s, s.val, s.f, s.x, (char *)s.alpha + shift), "alpha");
    expect_solution(&s, s.f, s.x, s.alpha, "alpha on the device");
    CHECK_OK(sptrsvSetPointerMode(T.h, SPTRSV_POINTER_MODE_HOST));
    destroy(&s);
  }
}

static void a_buffer_anywhere(void) {
  for (int type = 0; type < COUNT(TYPES); type++) {
    System s = make(type, 0, SPTRSV_COPY_NONE);
    char *buffer = s.buffer;
    for (int shift = 0; shift < SHIFTS; shift++) {
      s.buffer = buffer + shift;
      CHECK_OK(analyse(&s, s.val, s.ptr, s.ind));
      expect_solution(&s, s.f, s.x, s.host_alpha, "a buffer anywhere");
    }
    s.buffer = buffer;
    destroy(&s);
  }
}

/* ldf and ldx whose products with the number of columns or rows, or with the bytes of a value, are too large for 64 bits, or end
 * behind the last address. */
static void leading_dimensions_beyond_memory(void) {
  static const int64_t TOO_LARGE[] = {INT64_MAX, INT64_MAX / 2, INT64_MAX / 4 + 1, INT64_MAX / 8,
                                      INT64_MAX / 16 / N};
  for (int type = 0; type < COUNT(TYPES); type++) {
    System s = make(type, 0, SPTRSV_COPY_NONE);
    sptrsvOperation_t op = SPTRSV_OPERATION_NON_TRANSPOSE;
    sptrsvSolvePolicy_t policy = SPTRSV_SOLVE_POLICY_USE_LEVEL;
    mem_fill(s.x, GUARD, 16 * N + SHIFTS);
    for (int i = 0; i < COUNT(TOO_LARGE); i++) {
      /* The last one is too large for the widest type alone. */
      int64_t large = TOO_LARGE[i] * (i == COUNT(TOO_LARGE) - 1 ? 16 / (int64_t)s.bytes : 1);
#define SOLVE(function, nrhs, ldf, ldx)                                                                                      \
  function(T.h, op, N, N, nrhs, s.host_alpha, s.descr, TYPES[type].type, s.val, s.ptr, s.ind, s.info, s.f, ldf, s.x, ldx, policy, \
           s.buffer)
      CHECK_STATUS(SOLVE(sptrsvSolveMulti, N, large, N), SPTRSV_STATUS_INVALID_VALUE);
      CHECK_MESSAGE("ldf is");
      CHECK_STATUS(SOLVE(sptrsvSolveMulti, N, N, large), SPTRSV_STATUS_INVALID_VALUE);
      CHECK_MESSAGE("ldx is");
      CHECK_STATUS(SOLVE(sptrsvSolveMultiRowMajor, 2, large, 2), SPTRSV_STATUS_INVALID_VALUE);
      CHECK_MESSAGE("ldf is");
      CHECK_STATUS(SOLVE(sptrsvSolveMultiRowMajor, 2, 2, large), SPTRSV_STATUS_INVALID_VALUE);
      CHECK_MESSAGE("ldx is");
    }
    CHECK(mem_is(s.x, GUARD, 16 * N + SHIFTS));
    expect_solution(&s, s.f, s.x, s.host_alpha, "after refused sizes");
    destroy(&s);
  }
}

int main(int argc, char **argv) {
  check_begin("test_alignment", argc, argv);
  RUN(arrays_of_a_solve);
  RUN(arrays_of_an_analysis);
  RUN(a_separate_diagonal);
  RUN(alpha_and_pivot);
  RUN(a_buffer_anywhere);
  RUN(leading_dimensions_beyond_memory);
  return check_end();
}
