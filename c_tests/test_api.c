/*
 * Every function and every status that arguments and call order can bring: NULLs, numbers out of range,
 * sizes, states, malformed patterns, lifetimes. On every error x stays untouched and the message names
 * what was wrong.
 */
#include <math.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define SUCCESS SPTRSV_STATUS_SUCCESS
#define INVALID SPTRSV_STATUS_INVALID_VALUE
#define MISMATCH SPTRSV_STATUS_PATTERN_MISMATCH

/* ------------------------------------------------------------------------- a call as a list of arguments */

enum Argument { HANDLE, OP, M, NNZ, NRHS, ALPHA, DESCR, TYPE, VAL, ROWPTR, COLIND, INFO, F, LDF, X, LDX, POLICY, BUFFER,
                BYTES, ARGUMENTS };
typedef struct {
  int64_t a[ARGUMENTS];
} Call;
enum Function { SIZE = 1, ANALYSIS = 2, SOLVE = 4, MULTI = 8, ROW_MAJOR = 16, SOLVES = SOLVE | MULTI | ROW_MAJOR,
                LATER = ANALYSIS | SOLVES, ALL = SIZE | LATER };

static sptrsvStatus_t call(enum Function function, const Call *c) {
#define P(i) ((void *)(intptr_t)c->a[i])
#define MATRIX c->a[M], c->a[NNZ]
#define ARRAYS (sptrsvMatDescr_t)P(DESCR), (sptrsvDataType_t)c->a[TYPE], P(VAL), P(ROWPTR), P(COLIND), (sptrsvInfo_t)P(INFO)
  sptrsvHandle_t h = P(HANDLE);
  sptrsvOperation_t op = (sptrsvOperation_t)c->a[OP];
  sptrsvSolvePolicy_t policy = (sptrsvSolvePolicy_t)c->a[POLICY];
  switch (function) {
    case SIZE: return sptrsvBufferSize(h, op, MATRIX, ARRAYS, P(BYTES));
    case ANALYSIS: return sptrsvAnalysis(h, op, MATRIX, ARRAYS, policy, P(BUFFER));
    case SOLVE: return sptrsvSolve(h, op, MATRIX, P(ALPHA), ARRAYS, P(F), P(X), policy, P(BUFFER));
    case MULTI:
      return sptrsvSolveMulti(h, op, MATRIX, c->a[NRHS], P(ALPHA), ARRAYS, P(F), c->a[LDF], P(X), c->a[LDX], policy,
                              P(BUFFER));
    default:
      return sptrsvSolveMultiRowMajor(h, op, MATRIX, c->a[NRHS], P(ALPHA), ARRAYS, P(F), c->a[LDF], P(X), c->a[LDX],
                                      policy, P(BUFFER));
  }
}

/* The system of all tests here: [2 0 0; 3 4 0; -1 5 8] x = [2 11 33], x = [1 2 3]. */
enum { ROWS = 3, ENTRIES = 6, XBYTES = 24, GUARD = 0x5a };
static Call good;
static size_t buffer_bytes;
static double alpha = 1;
static int gpu_setup; /* whether setup on the GPU is there */

static void make_good(void) {
  static const double val[] = {2, 3, 4, -1, 5, 8}, f[] = {2, 11, 33};
  static const int32_t ptr[] = {0, 1, 3, 6}, ind[] = {0, 0, 1, 0, 1, 2};
  sptrsvMatDescr_t d;
  sptrsvInfo_t info;
  CHECK_OK(sptrsvCreateMatDescr(&d));
  CHECK_OK(sptrsvCreateInfo(&info));
  good.a[HANDLE] = (intptr_t)T.h, good.a[M] = ROWS, good.a[NNZ] = ENTRIES, good.a[NRHS] = 1;
  good.a[ALPHA] = (intptr_t)&alpha, good.a[DESCR] = (intptr_t)d, good.a[TYPE] = SPTRSV_R_64F;
  good.a[VAL] = (intptr_t)mem_copy(val, sizeof val), good.a[ROWPTR] = (intptr_t)mem_copy(ptr, sizeof ptr);
  good.a[COLIND] = (intptr_t)mem_copy(ind, sizeof ind), good.a[INFO] = (intptr_t)info;
  good.a[F] = (intptr_t)mem_copy(f, sizeof f), good.a[X] = (intptr_t)mem_new(XBYTES);
  good.a[LDF] = good.a[LDX] = ROWS, good.a[POLICY] = SPTRSV_SOLVE_POLICY_USE_LEVEL;
  good.a[BYTES] = (intptr_t)&buffer_bytes;
  CHECK_OK(call(SIZE, &good));
  good.a[BUFFER] = (intptr_t)mem_new(buffer_bytes);
}

static Call with(enum Argument which, int64_t value) {
  Call c = good;
  c.a[which] = value;
  return c;
}
#define GOOD(i) ((void *)(intptr_t)good.a[i])

static void hide_x(void) { mem_fill(GOOD(X), GUARD, XBYTES); }
static int x_untouched(void) { return mem_is(GOOD(X), GUARD, XBYTES); }

/* Solves with the arguments given and expects x = [1 2 3]. */
static int solves_with(const Call *c) {
  double x[3];
  hide_x();
  sptrsvStatus_t status = call(SOLVE, c);
  mem_get(x, GOOD(X), XBYTES);
  return status == SUCCESS && x[0] == 1 && x[1] == 2 && x[2] == 3;
}

/* -------------------------------------------------------------------------------------- single functions */

static void names_of_statuses(void) {
  static const int ALL_STATUSES[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 100, 101, 102, 103, 104};
  for (int i = 0; i < COUNT(ALL_STATUSES); i++) {
    const char *name = sptrsvGetErrorName((sptrsvStatus_t)ALL_STATUSES[i]);
    CHECK(name && !strncmp(name, "SPTRSV_STATUS_", 14));
    CHECK(*sptrsvGetErrorString((sptrsvStatus_t)ALL_STATUSES[i]));
    for (int j = 0; j < i; j++) CHECK(strcmp(name, sptrsvGetErrorName((sptrsvStatus_t)ALL_STATUSES[j])));
  }
  CHECK(!strcmp(sptrsvGetErrorName(SPTRSV_STATUS_SUCCESS), "SPTRSV_STATUS_SUCCESS"));
  CHECK(!strcmp(sptrsvGetErrorName(SPTRSV_STATUS_TIMED_OUT), "SPTRSV_STATUS_TIMED_OUT"));
  static const int NONE[] = {-1, 12, 99, 105, 1 << 30};
  for (int i = 0; i < COUNT(NONE); i++) {
    CHECK(*sptrsvGetErrorName((sptrsvStatus_t)NONE[i]));
    CHECK(*sptrsvGetErrorString((sptrsvStatus_t)NONE[i]));
  }
}

static void version(void) {
  static const int PARTS[] = {SPTRSV_VERSION_MAJOR, SPTRSV_VERSION_MINOR, SPTRSV_VERSION_PATCH};
  int value = -1, number = 0;
  for (int i = 0; i < COUNT(PARTS); i++) {
    CHECK_OK(sptrsvGetProperty((sptrsvProperty_t)i, &value));
    CHECK(value == PARTS[i] && (i == 0 || value < 100));
    number = 100 * number + value;
  }
  CHECK(number == SPTRSV_VERSION);
  CHECK_STATUS(sptrsvGetProperty((sptrsvProperty_t)3, &value), INVALID);
  CHECK_MESSAGE("sptrsvProperty_t");
  CHECK_STATUS(sptrsvGetProperty(SPTRSV_PROPERTY_MAJOR_VERSION, NULL), INVALID);
  CHECK_MESSAGE("value is NULL");
#if SPTRSV_VERSION < 100 /* the preprocessor knows it too */
#error "0.1.0 is the first version"
#endif
}

static void names_of_algorithms(void) {
  static const struct { sptrsvAlgorithm_t number; const char *name; } ALGORITHMS[] = {
    {SPTRSV_ALG_AUTO, "AUTO"}, {SPTRSV_ALG_LEVR, "LEVR"}, {SPTRSV_ALG_LEVC, "LEVC"}, {SPTRSV_ALG_SLFR, "SLFR"},
    {SPTRSV_ALG_SLFC, "SLFC"}, {SPTRSV_ALG_GSF, "GSF"}, {SPTRSV_ALG_ONE_WORD, "ONE_WORD"}, {SPTRSV_ALG_TILED, "TILED"},
    {SPTRSV_ALG_NODAL, "NODAL"}, {SPTRSV_ALG_WIDE, "WIDE"}, {SPTRSV_ALG_THIN, "THIN"}, {SPTRSV_ALG_BLOCK, "BLOCK"},
    {SPTRSV_ALG_PANEL, "PANEL"},
    {(sptrsvAlgorithm_t)-1, "UNKNOWN"}, {(sptrsvAlgorithm_t)6, "UNKNOWN"}, {(sptrsvAlgorithm_t)(1 << 30), "UNKNOWN"}};
  for (int i = 0; i < COUNT(ALGORITHMS); i++)
    CHECK(!strcmp(sptrsvGetAlgorithmName(ALGORITHMS[i].number), ALGORITHMS[i].name));
}

/* In another thread: there is no message yet, and the one that comes is its own. */
static void *fail_elsewhere(void *said) {
  strcpy(said, sptrsvGetLastErrorString());
  sptrsvCreateInfo(NULL);
  strcat(said, sptrsvGetLastErrorString());
  return NULL;
}

/* Calls without a handle leave a message too, each thread has its own, and a success leaves none. */
static void last_message(void) {
  sptrsvMatDescr_t d;
  char said[200];
  pthread_t thread;
  CHECK_OK(sptrsvCreateMatDescr(&d));
  CHECK(!*sptrsvGetLastErrorString());
  CHECK_STATUS(sptrsvSetMatFillMode(d, (sptrsvFillMode_t)2), INVALID);
  CHECK_MESSAGE("2 is not a value of sptrsvFillMode_t");
  CHECK(pthread_create(&thread, NULL, fail_elsewhere, said) == 0 && pthread_join(thread, NULL) == 0);
  CHECK_THAT(!strcmp(said, "info is NULL"), "another thread's messages are \"%s\"", said);
  CHECK_MESSAGE("sptrsvFillMode_t");
  CHECK_STATUS(sptrsvSetTimeout(NULL, 1), SPTRSV_STATUS_NOT_INITIALIZED);
  CHECK_MESSAGE("the handle is NULL");
  CHECK_OK(sptrsvDestroyMatDescr(d));
  CHECK(!*sptrsvGetLastErrorString());
}

static void handle(void) {
  sptrsvHandle_t h = NULL;
  CHECK_STATUS(sptrsvCreate(NULL), INVALID);
  CHECK_STATUS(sptrsvCreateWithExecutor(NULL, SPTRSV_EXECUTOR_HOST), INVALID);
  CHECK_STATUS(sptrsvCreateWithExecutor(&h, (sptrsvExecutor_t)2), INVALID);
  CHECK_STATUS(sptrsvCreateWithExecutor(&h, (sptrsvExecutor_t)-1), INVALID);
  CHECK(strstr(sptrsvGetLastErrorString(), "sptrsvExecutor_t"));
  CHECK(h == NULL);
  CHECK_STATUS(sptrsvDestroy(NULL), SPTRSV_STATUS_NOT_INITIALIZED);
  CHECK_OK(sptrsvCreateWithExecutor(&h, T.on_gpu ? SPTRSV_EXECUTOR_CUDA : SPTRSV_EXECUTOR_HOST));
  CHECK(!*sptrsvGetLastErrorString());

  sptrsvExecutor_t executor = (sptrsvExecutor_t)-1;
  CHECK_OK(sptrsvGetExecutor(h, &executor));
  CHECK(executor == (T.on_gpu ? SPTRSV_EXECUTOR_CUDA : SPTRSV_EXECUTOR_HOST));
  CHECK_STATUS(sptrsvGetExecutor(h, NULL), INVALID);
  CHECK_STATUS(sptrsvGetExecutor(NULL, &executor), SPTRSV_STATUS_NOT_INITIALIZED);

  int version = -1;
  CHECK_OK(sptrsvGetVersion(h, &version));
  CHECK(version == SPTRSV_VERSION);
  CHECK_STATUS(sptrsvGetVersion(NULL, &version), SPTRSV_STATUS_NOT_INITIALIZED);
  CHECK_STATUS(sptrsvGetVersion(h, NULL), INVALID);
  CHECK(strstr(sptrsvGetLastErrorString(), "version"));
  CHECK_OK(sptrsvGetVersion(h, &version));
  CHECK(!*sptrsvGetLastErrorString());

  sptrsvPointerMode_t mode = SPTRSV_POINTER_MODE_DEVICE;
  CHECK_OK(sptrsvGetPointerMode(h, &mode));
  CHECK(mode == SPTRSV_POINTER_MODE_HOST);
  CHECK_OK(sptrsvSetPointerMode(h, SPTRSV_POINTER_MODE_DEVICE));
  CHECK_STATUS(sptrsvSetPointerMode(h, (sptrsvPointerMode_t)2), INVALID);
  CHECK(strstr(sptrsvGetLastErrorString(), "sptrsvPointerMode_t"));
  CHECK_OK(sptrsvGetPointerMode(h, &mode));
  CHECK(mode == SPTRSV_POINTER_MODE_DEVICE);
  CHECK_STATUS(sptrsvGetPointerMode(h, NULL), INVALID);
  CHECK_STATUS(sptrsvGetPointerMode(NULL, &mode), SPTRSV_STATUS_NOT_INITIALIZED);
  CHECK_STATUS(sptrsvSetPointerMode(NULL, mode), SPTRSV_STATUS_NOT_INITIALIZED);

  sptrsvStream_t stream = (sptrsvStream_t)8, none = NULL;
  CHECK_OK(sptrsvGetStream(h, &stream));
  CHECK(stream == NULL);
  CHECK_STATUS(sptrsvGetStream(h, NULL), INVALID);
  CHECK_STATUS(sptrsvGetStream(NULL, &stream), SPTRSV_STATUS_NOT_INITIALIZED);
  CHECK_STATUS(sptrsvSetStream(NULL, none), SPTRSV_STATUS_NOT_INITIALIZED);
  cudaStream_t own = NULL;
  if (T.on_gpu) CUDA(cudaStreamCreate(&own));
  CHECK_OK(sptrsvSetStream(h, own));
  CHECK_OK(sptrsvGetStream(h, &stream));
  CHECK(stream == own);

  static const double TIMES[][2] = {{0, 0}, {0.25, 0.25}, {1e-9, 1e-9}, {1e-300, 1e-9}, {1e300, INFINITY}, {INFINITY, INFINITY}};
  double time = -1;
  CHECK_OK(sptrsvGetTimeout(h, &time));
  CHECK(time == 10);
  for (int i = 0; i < COUNT(TIMES); i++) {
    CHECK_OK(sptrsvSetTimeout(h, TIMES[i][0]));
    CHECK_OK(sptrsvGetTimeout(h, &time));
    CHECK_THAT(time == TIMES[i][1], "a timeout of %g is read back as %g", TIMES[i][0], time);
  }
  CHECK_STATUS(sptrsvGetTimeout(h, NULL), INVALID);
  CHECK_STATUS(sptrsvGetTimeout(NULL, &time), SPTRSV_STATUS_NOT_INITIALIZED);
  CHECK_STATUS(sptrsvSetTimeout(h, -1), INVALID);
  CHECK_STATUS(sptrsvSetTimeout(h, NAN), INVALID);
  CHECK_STATUS(sptrsvSetTimeout(NULL, 1), SPTRSV_STATUS_NOT_INITIALIZED);
  CHECK_OK(sptrsvDestroy(h));
  if (own) CUDA(cudaStreamDestroy(own));
}

/* Getters and setters of a descriptor; each has the same shape, written once. */
#define PROPERTY(Name, type, start, other, beyond)                            \
  do {                                                                        \
    type value = (type)beyond;                                                \
    CHECK_OK(sptrsvGetMat##Name(d, &value));                                  \
    CHECK(value == start);                                                    \
    CHECK_OK(sptrsvSetMat##Name(d, other));                                   \
    CHECK_STATUS(sptrsvSetMat##Name(d, (type)beyond), INVALID);               \
    CHECK_STATUS(sptrsvSetMat##Name(d, (type)-1), INVALID);                   \
    CHECK_OK(sptrsvGetMat##Name(d, &value));                                  \
    CHECK(value == other);                                                    \
    CHECK_STATUS(sptrsvSetMat##Name(NULL, other), INVALID);                   \
    CHECK_STATUS(sptrsvGetMat##Name(NULL, &value), INVALID);                  \
    CHECK_STATUS(sptrsvGetMat##Name(d, NULL), INVALID);                       \
  } while (0)

static void descriptor(void) {
  sptrsvMatDescr_t d;
  CHECK_STATUS(sptrsvCreateMatDescr(NULL), INVALID);
  CHECK_OK(sptrsvCreateMatDescr(&d));
  PROPERTY(Type, sptrsvMatrixType_t, SPTRSV_MATRIX_TYPE_GENERAL, SPTRSV_MATRIX_TYPE_TRIANGULAR, 4);
  PROPERTY(FillMode, sptrsvFillMode_t, SPTRSV_FILL_MODE_LOWER, SPTRSV_FILL_MODE_UPPER, 2);
  PROPERTY(DiagType, sptrsvDiagType_t, SPTRSV_DIAG_TYPE_NON_UNIT, SPTRSV_DIAG_TYPE_UNIT, 2);
  PROPERTY(IndexBase, sptrsvIndexBase_t, SPTRSV_INDEX_BASE_ZERO, SPTRSV_INDEX_BASE_ONE, 2);
  PROPERTY(Format, sptrsvFormat_t, SPTRSV_FORMAT_CSR, SPTRSV_FORMAT_CSC, 2);

  sptrsvIndexType_t o = SPTRSV_INDEX_64I, c = SPTRSV_INDEX_64I;
  CHECK_OK(sptrsvGetMatIndexTypes(d, &o, &c));
  CHECK(o == SPTRSV_INDEX_32I && c == SPTRSV_INDEX_32I);
  CHECK_OK(sptrsvSetMatIndexTypes(d, SPTRSV_INDEX_64I, SPTRSV_INDEX_32I));
  CHECK_STATUS(sptrsvSetMatIndexTypes(d, SPTRSV_INDEX_32I, (sptrsvIndexType_t)2), INVALID);
  CHECK_STATUS(sptrsvSetMatIndexTypes(d, (sptrsvIndexType_t)-1, SPTRSV_INDEX_64I), INVALID);
  CHECK_OK(sptrsvGetMatIndexTypes(d, &o, &c));
  CHECK(o == SPTRSV_INDEX_64I && c == SPTRSV_INDEX_32I);
  CHECK_STATUS(sptrsvGetMatIndexTypes(d, NULL, &c), INVALID);
  CHECK_STATUS(sptrsvGetMatIndexTypes(d, &o, NULL), INVALID);
  CHECK_STATUS(sptrsvGetMatIndexTypes(NULL, &o, &c), INVALID);
  CHECK_STATUS(sptrsvSetMatIndexTypes(NULL, o, c), INVALID);
  CHECK_OK(sptrsvDestroyMatDescr(d));
  CHECK_OK(sptrsvDestroyMatDescr(NULL));
}

static void info(void) {
  sptrsvInfo_t i;
  sptrsvAlgorithm_t algorithm = SPTRSV_ALG_GSF;
  CHECK_STATUS(sptrsvCreateInfo(NULL), INVALID);
  CHECK_OK(sptrsvCreateInfo(&i));
  CHECK_OK(sptrsvGetAlgorithm(i, &algorithm));
  CHECK(algorithm == SPTRSV_ALG_AUTO);
  CHECK_OK(sptrsvSetAlgorithm(i, SPTRSV_ALG_SLFR));
  static const int NONE[] = {-1, 6, 15, 1000};
  for (int k = 0; k < COUNT(NONE); k++) CHECK_STATUS(sptrsvSetAlgorithm(i, (sptrsvAlgorithm_t)NONE[k]), INVALID);
  CHECK_OK(sptrsvGetAlgorithm(i, &algorithm));
  CHECK(algorithm == SPTRSV_ALG_SLFR);
  CHECK_STATUS(sptrsvGetAlgorithm(i, NULL), INVALID);
  CHECK_STATUS(sptrsvGetAlgorithm(NULL, &algorithm), INVALID);
  CHECK_STATUS(sptrsvSetAlgorithm(NULL, algorithm), INVALID);
  sptrsvAnalysisMode_t mode = SPTRSV_ANALYSIS_MODE_CPU;
  CHECK_OK(sptrsvGetAnalysisMode(i, &mode));
  CHECK(mode == SPTRSV_ANALYSIS_MODE_AUTO);
  CHECK_OK(sptrsvSetAnalysisMode(i, SPTRSV_ANALYSIS_MODE_GPU));
  CHECK_STATUS(sptrsvSetAnalysisMode(i, (sptrsvAnalysisMode_t)4), INVALID);
  CHECK_OK(sptrsvGetAnalysisMode(i, &mode));
  CHECK(mode == SPTRSV_ANALYSIS_MODE_GPU);
  CHECK_STATUS(sptrsvGetAnalysisMode(i, NULL), INVALID);
  CHECK_STATUS(sptrsvGetAnalysisMode(NULL, &mode), INVALID);
  CHECK_STATUS(sptrsvSetAnalysisMode(NULL, SPTRSV_ANALYSIS_MODE_CPU), INVALID);
  const void *diagonal = &mode;
  CHECK_OK(sptrsvGetDiagonal(i, &diagonal));
  CHECK(diagonal == NULL);
  CHECK_OK(sptrsvSetDiagonal(i, &alpha));
  CHECK_OK(sptrsvGetDiagonal(i, &diagonal));
  CHECK(diagonal == &alpha);
  CHECK_STATUS(sptrsvGetDiagonal(i, NULL), INVALID);
  CHECK_STATUS(sptrsvGetDiagonal(NULL, &diagonal), INVALID);
  CHECK_OK(sptrsvSetDiagonal(i, NULL));
  CHECK_STATUS(sptrsvSetDiagonal(NULL, &alpha), INVALID);
  sptrsvStats_t stats = {.struct_size = sizeof stats, .rows = 77};
  CHECK_STATUS(sptrsvGetStats(i, &stats), SPTRSV_STATUS_NOT_ANALYSED);
  CHECK(stats.rows == 77);
  CHECK_OK(sptrsvDestroyInfo(i)); /* never analysed */
  CHECK_OK(sptrsvDestroyInfo(NULL));
}

static void stats(void) {
  CHECK_OK(call(ANALYSIS, &good));
  sptrsvStats_t s = {.struct_size = sizeof s};
  CHECK_OK(sptrsvGetStats(GOOD(INFO), &s));
  CHECK(s.struct_size == sizeof s && s.rows == ROWS && s.entries_used == ENTRIES);
  CHECK(s.levels == 0 || (s.levels == 3 && s.widest_level == 1));
  CHECK(s.setup == SPTRSV_ANALYSIS_MODE_CPU || s.setup == SPTRSV_ANALYSIS_MODE_GPU);
  CHECK(s.setup_ms >= 0 && s.bytes_held > 0);
  CHECK(s.algorithm != SPTRSV_ALG_AUTO);
  sptrsvAlgorithm_t algorithm;
  CHECK_OK(sptrsvGetAlgorithm(GOOD(INFO), &algorithm));
  CHECK((int)algorithm == s.algorithm);

  /* Only struct_size bytes are written, whatever the caller's version of the structure. */
  union {
    sptrsvStats_t s;
    unsigned char byte[2 * sizeof(sptrsvStats_t)];
  } u;
  const size_t SIZES[] = {sizeof(size_t), offsetof(sptrsvStats_t, rows), sizeof u};
  for (int i = 0; i < COUNT(SIZES); i++) {
    memset(&u, GUARD, sizeof u);
    u.s.struct_size = SIZES[i];
    CHECK_OK(sptrsvGetStats(GOOD(INFO), &u.s));
    CHECK(u.s.struct_size == SIZES[i]);
    size_t end = SIZES[i] < sizeof u.s ? SIZES[i] : sizeof u.s, same = end;
    while (same < sizeof u && u.byte[same] == GUARD) same++;
    CHECK(same == sizeof u);
  }
  s.struct_size = 0;
  CHECK_STATUS(sptrsvGetStats(GOOD(INFO), &s), INVALID);
  CHECK_STATUS(sptrsvGetStats(GOOD(INFO), NULL), INVALID);
  CHECK_STATUS(sptrsvGetStats(NULL, &s), INVALID);
}

/* ------------------------------------------------------------------------------------ one wrong argument */

static const struct {
  enum Argument which;
  int64_t value;
  enum Function in;
  sptrsvStatus_t status;
  const char *word; /* what the message must say; NULL where there is no handle to hold one */
} WRONG[] = {
    {HANDLE, 0, ALL, SPTRSV_STATUS_NOT_INITIALIZED, NULL},
    {OP, 3, ALL, INVALID, "sptrsvOperation_t"},
    {OP, -1, ALL, INVALID, "sptrsvOperation_t"},
    {M, -1, ALL, INVALID, "m is"},
    {M, INT64_MIN, ALL, INVALID, "m is"},
    {NNZ, -1, ALL, INVALID, "nnz"},
    {M, INT64_MAX, ALL, SPTRSV_STATUS_INSUFFICIENT_RESOURCES, "m is"},
    {NNZ, (int64_t)1 << 33, ALL, SPTRSV_STATUS_INSUFFICIENT_RESOURCES, "nnz"},
    {DESCR, 0, ALL, INVALID, "descr"},
    {TYPE, 2, ALL, INVALID, "sptrsvDataType_t"},
    {TYPE, -1, ALL, INVALID, "sptrsvDataType_t"},
    {TYPE, 6, ALL, INVALID, "sptrsvDataType_t"},
    {INFO, 0, ALL, INVALID, "info"},
    {BYTES, 0, SIZE, INVALID, "bytes"},
    {ROWPTR, 0, LATER, INVALID, "rowPtr"},
    {COLIND, 0, LATER, INVALID, "colInd"},
    {BUFFER, 0, LATER, INVALID, "buffer"},
    {POLICY, 2, LATER, INVALID, "sptrsvSolvePolicy_t"},
    {POLICY, -1, LATER, INVALID, "sptrsvSolvePolicy_t"},
    {VAL, 0, SOLVES, INVALID, "val"},
    {ALPHA, 0, SOLVES, INVALID, "alpha"},
    {F, 0, SOLVE, INVALID, "f is"},
    {X, 0, SOLVE, INVALID, "x is"},
    {F, 0, MULTI | ROW_MAJOR, INVALID, "F is"},
    {X, 0, MULTI | ROW_MAJOR, INVALID, "X is"},
    {NRHS, -1, MULTI | ROW_MAJOR, INVALID, "nrhs"},
    {LDF, ROWS - 1, MULTI, INVALID, "ldf"},
    {LDX, ROWS - 1, MULTI, INVALID, "ldx"},
    {LDF, 0, ROW_MAJOR, INVALID, "ldf is 0, less than nrhs"},
    {LDX, 0, ROW_MAJOR, INVALID, "ldx"},
    /* What was analysed is not what is solved. */
    {M, ROWS - 1, SOLVES, MISMATCH, "m is"},
    {NNZ, ENTRIES - 1, SOLVES, MISMATCH, "nnz"},
    {OP, SPTRSV_OPERATION_TRANSPOSE, SOLVES, MISMATCH, "operation"},
    {TYPE, SPTRSV_R_32F, SOLVES, MISMATCH, "type"},
    {TYPE, SPTRSV_C_32F, SOLVES, MISMATCH, "type"},
};

static void one_wrong_argument(void) {
  CHECK_OK(call(ANALYSIS, &good));
  for (int i = 0; i < COUNT(WRONG); i++)
    for (int f = SIZE; f <= ROW_MAJOR; f *= 2) {
      if (!(WRONG[i].in & f)) continue;
      Call c = with(WRONG[i].which, WRONG[i].value);
      if (WRONG[i].which == M) c.a[LDF] = c.a[LDX] = WRONG[i].value > 0 ? WRONG[i].value : ROWS;
      hide_x();
      buffer_bytes = 12345;
      sptrsvStatus_t status = call((enum Function)f, &c);
      const char *message = sptrsvGetLastErrorString();
      CHECK_THAT(status == WRONG[i].status, "argument %d = %" PRId64 " in function %d: got %s, expected %s, \"%s\"",
                 WRONG[i].which, WRONG[i].value, f, sptrsvGetErrorName(status), sptrsvGetErrorName(WRONG[i].status),
                 message);
      if (WRONG[i].word)
        CHECK_THAT(strstr(message, WRONG[i].word), "argument %d = %" PRId64 " in function %d: \"%s\" does not say \"%s\"",
                   WRONG[i].which, WRONG[i].value, f, message, WRONG[i].word);
      CHECK_THAT(x_untouched() && buffer_bytes == 12345, "argument %d in function %d: something was written",
                 WRONG[i].which, f);
      /* The analysis from before is still good, and success clears the message. */
      CHECK(solves_with(&good));
      CHECK(!*sptrsvGetLastErrorString());
    }
}

/* An array that is read must lie where its elements can be read: a GPU would be lost otherwise. */
static void misaligned_arrays(void) {
  static const struct {
    enum Argument which;
    enum Function in;
    const char *message;
  } ARRAYS_READ[] = {{ROWPTR, ANALYSIS, "rowPtr is not aligned: its address is not a multiple of 4"},
                     {COLIND, ANALYSIS, "colInd is not aligned"},
                     {VAL, SOLVES, "val is not aligned: its address is not a multiple of 8"},
                     {F, SOLVE, "f is not aligned"},
                     {F, MULTI | ROW_MAJOR, "F is not aligned"},
                     {X, SOLVE, "x is not aligned"},
                     {X, MULTI | ROW_MAJOR, "X is not aligned"}};
  CHECK_OK(call(ANALYSIS, &good));
  for (int i = 0; i < COUNT(ARRAYS_READ); i++)
    for (int f = ANALYSIS; f <= ROW_MAJOR; f *= 2) {
      if (!(ARRAYS_READ[i].in & f)) continue;
      Call c = with(ARRAYS_READ[i].which, good.a[ARRAYS_READ[i].which] + 2);
      hide_x();
      CHECK_STATUS(call((enum Function)f, &c), INVALID);
      CHECK_MESSAGE(ARRAYS_READ[i].message);
      CHECK(x_untouched() && solves_with(&good));
    }
}

/* The same for what is wrong in the descriptor or in the info. */
static void descriptor_changed_after_analysis(void) {
  sptrsvMatDescr_t d = GOOD(DESCR);
  CHECK_OK(call(ANALYSIS, &good));
#define CHANGED(set, reset, expected, word)                                \
  do {                                                                     \
    CHECK_OK(set);                                                         \
    for (int f = SOLVE; f <= ROW_MAJOR; f *= 2) {                          \
      hide_x();                                                            \
      CHECK_STATUS(call((enum Function)f, &good), expected);               \
      CHECK_MESSAGE(word);                                                 \
      CHECK(x_untouched());                                                \
    }                                                                      \
    CHECK_OK(reset);                                                       \
    CHECK(solves_with(&good));                                             \
  } while (0)
  CHANGED(sptrsvSetMatFillMode(d, SPTRSV_FILL_MODE_UPPER), sptrsvSetMatFillMode(d, SPTRSV_FILL_MODE_LOWER), MISMATCH,
          "fill");
  CHANGED(sptrsvSetMatDiagType(d, SPTRSV_DIAG_TYPE_UNIT), sptrsvSetMatDiagType(d, SPTRSV_DIAG_TYPE_NON_UNIT), MISMATCH,
          "diagonal");
  CHANGED(sptrsvSetMatIndexBase(d, SPTRSV_INDEX_BASE_ONE), sptrsvSetMatIndexBase(d, SPTRSV_INDEX_BASE_ZERO), MISMATCH,
          "base");
  CHANGED(sptrsvSetMatFormat(d, SPTRSV_FORMAT_CSC), sptrsvSetMatFormat(d, SPTRSV_FORMAT_CSR), MISMATCH, "format");
  CHANGED(sptrsvSetMatIndexTypes(d, SPTRSV_INDEX_64I, SPTRSV_INDEX_64I),
          sptrsvSetMatIndexTypes(d, SPTRSV_INDEX_32I, SPTRSV_INDEX_32I), MISMATCH, "index type");
  CHANGED(sptrsvSetDiagonal(GOOD(INFO), GOOD(VAL)), sptrsvSetDiagonal(GOOD(INFO), NULL), MISMATCH, "diagonal");
  CHANGED((sptrsvSetMatDiagType(d, SPTRSV_DIAG_TYPE_UNIT), sptrsvSetDiagonal(GOOD(INFO), GOOD(VAL))),
          (sptrsvSetMatDiagType(d, SPTRSV_DIAG_TYPE_NON_UNIT), sptrsvSetDiagonal(GOOD(INFO), NULL)), INVALID, "UNIT");
  for (int type = SPTRSV_MATRIX_TYPE_SYMMETRIC; type <= SPTRSV_MATRIX_TYPE_TRIANGULAR; type++) {
    CHANGED(sptrsvSetMatType(d, (sptrsvMatrixType_t)type), sptrsvSetMatType(d, SPTRSV_MATRIX_TYPE_GENERAL),
            SPTRSV_STATUS_MATRIX_TYPE_NOT_SUPPORTED, "type");
    CHECK_OK(sptrsvSetMatType(d, (sptrsvMatrixType_t)type));
    CHECK_STATUS(call(SIZE, &good), SPTRSV_STATUS_MATRIX_TYPE_NOT_SUPPORTED);
    CHECK_STATUS(call(ANALYSIS, &good), SPTRSV_STATUS_MATRIX_TYPE_NOT_SUPPORTED);
    CHECK_OK(sptrsvSetMatType(d, SPTRSV_MATRIX_TYPE_GENERAL));
  }
  /* 32-bit offsets to 64-bit columns: representable, but no solve takes it. */
  CHECK_OK(sptrsvSetMatIndexTypes(d, SPTRSV_INDEX_32I, SPTRSV_INDEX_64I));
  for (int f = SIZE; f <= ROW_MAJOR; f *= 2) {
    hide_x();
    CHECK_STATUS(call((enum Function)f, &good), SPTRSV_STATUS_NOT_SUPPORTED);
    CHECK(x_untouched());
  }
  CHECK_MESSAGE("64-bit");
  CHECK_OK(sptrsvSetMatIndexTypes(d, SPTRSV_INDEX_32I, SPTRSV_INDEX_32I));
}

/* ---------------------------------------------------------------------------------------- order of calls */

static void solve_before_analysis(void) {
  sptrsvInfo_t fresh;
  int64_t row = -77;
  CHECK_OK(sptrsvCreateInfo(&fresh));
  Call c = with(INFO, (intptr_t)fresh);
  for (int f = SOLVE; f <= ROW_MAJOR; f *= 2) {
    hide_x();
    CHECK_STATUS(call((enum Function)f, &c), SPTRSV_STATUS_NOT_ANALYSED);
    CHECK_MESSAGE("sptrsvAnalysis");
    CHECK(x_untouched());
  }
  CHECK_STATUS(sptrsvZeroPivot(T.h, fresh, &row), SPTRSV_STATUS_NOT_ANALYSED);
  CHECK(row == -77);
  CHECK_OK(sptrsvDestroyInfo(fresh));
}

static void policy(void) {
  Call no_level = with(POLICY, SPTRSV_SOLVE_POLICY_NO_LEVEL);
  CHECK_OK(call(ANALYSIS, &good)); /* USE_LEVEL: both may solve */
  CHECK(solves_with(&good));
  CHECK(solves_with(&no_level));
  CHECK_OK(call(ANALYSIS, &no_level));
  CHECK(solves_with(&no_level));
  hide_x();
  CHECK_STATUS(call(SOLVE, &good), INVALID);
  CHECK_MESSAGE("USE_LEVEL");
  CHECK(x_untouched());
  CHECK(solves_with(&no_level));
  CHECK_OK(call(ANALYSIS, &good));
}

static void an_info_is_used_again(void) {
  for (int i = 0; i < 100; i++) CHECK_OK(call(ANALYSIS, &good));
  CHECK(solves_with(&good));
  /* For another matrix (its leading 2 x 2 block) and back; then a failed analysis leaves it as it was. */
  Call block = good;
  block.a[M] = 2, block.a[NNZ] = 3;
  CHECK_OK(call(ANALYSIS, &block));
  hide_x();
  CHECK_STATUS(call(SOLVE, &good), MISMATCH);
  CHECK(x_untouched());
  CHECK_OK(call(SOLVE, &block));
  double x[2];
  mem_get(x, GOOD(X), sizeof x);
  CHECK(x[0] == 1 && x[1] == 2);
  CHECK_OK(call(ANALYSIS, &good));
  Call no_buffer = with(BUFFER, 0);
  CHECK_STATUS(call(ANALYSIS, &no_buffer), INVALID);
  CHECK(solves_with(&good));

  /* Many infos of one tiny matrix alive at once. */
  enum { MANY = 100 };
  sptrsvInfo_t many[MANY];
  for (int i = 0; i < MANY; i++) {
    CHECK_OK(sptrsvCreateInfo(&many[i]));
    Call c = with(INFO, (intptr_t)many[i]);
    CHECK_OK(call(ANALYSIS, &c));
  }
  for (int i = 0; i < MANY; i++) {
    Call c = with(INFO, (intptr_t)many[i]);
    CHECK(solves_with(&c));
  }
  for (int i = 0; i < MANY; i++) CHECK_OK(sptrsvDestroyInfo(many[i]));
}

static void an_info_outlives_its_handle(void) {
  sptrsvHandle_t h;
  sptrsvInfo_t fresh, unused;
  CHECK_OK(sptrsvCreateWithExecutor(&h, T.on_gpu ? SPTRSV_EXECUTOR_CUDA : SPTRSV_EXECUTOR_HOST));
  CHECK_OK(sptrsvCreateInfo(&fresh));
  CHECK_OK(sptrsvCreateInfo(&unused));
  cudaStream_t stream = NULL;
  if (T.on_gpu) CUDA(cudaStreamCreate(&stream));
  CHECK_OK(sptrsvSetStream(h, stream));
  Call c = with(INFO, (intptr_t)fresh);
  c.a[HANDLE] = (intptr_t)h;
  CHECK_OK(call(ANALYSIS, &c));
  CHECK_OK(call(SOLVE, &c));
  CHECK_OK(sptrsvDestroy(h));
  if (stream) CUDA(cudaStreamDestroy(stream));
  c.a[HANDLE] = good.a[HANDLE];
  CHECK(solves_with(&c)); /* with another handle of the same executor */
  CHECK_OK(sptrsvDestroyInfo(fresh));
  CHECK_OK(sptrsvDestroyInfo(unused));
}

static void an_info_of_the_other_executor(void) {
  sptrsvHandle_t host;
  CHECK_OK(call(ANALYSIS, &good));
  CHECK_OK(sptrsvCreateWithExecutor(&host, SPTRSV_EXECUTOR_HOST));
  Call c = with(HANDLE, (intptr_t)host);
  hide_x();
  CHECK_STATUS(call(SOLVE, &c), MISMATCH);
  CHECK(strstr(sptrsvGetLastErrorString(), "executor") || strstr(sptrsvGetLastErrorString(), "device"));
  CHECK(x_untouched());
  CHECK_OK(sptrsvDestroy(host));
}

/* --------------------------------------------------------------------------------------- odd patterns */

/* A pattern of three rows with the arrays as given, in all index types, bases and formats. `bad` is the row
 * (zero-based) that a message must name (ANY_ROW where two rows share the blame), or GOOD_PATTERN. */
typedef struct {
  const char *what;
  int64_t nnz, ptr[4], ind[6];
  int bad, at_least_wide; /* how many of the two arrays must be 64-bit to hold the pattern */
} Pattern;
enum { GOOD_PATTERN = -1, ANY_ROW = -2 };

/* The number as stored in a base; the ends of the range stay what they are. */
static int64_t based(int64_t v, int base) { return v == INT64_MIN || v == INT64_MAX ? v : v + base; }

static const Pattern PATTERNS[] = {
    {"good", 6, {0, 1, 3, 6}, {0, 0, 1, 0, 1, 2}, GOOD_PATTERN, 0},
    {"unsorted with a duplicate", 6, {0, 1, 3, 6}, {0, 1, 0, 2, 0, 2}, GOOD_PATTERN, 0},
    {"first offset too large", 5, {1, 1, 3, 5}, {0, 0, 1, 0, 2}, 0, 0},
    {"first offset negative", 6, {-1, 1, 3, 6}, {0, 0, 1, 0, 1, 2}, 0, 0},
    {"offsets that fall", 6, {0, 4, 3, 6}, {0, 0, 1, 0, 1, 2}, 1, 0},
    {"offsets that fall below zero", 6, {0, 1, -5, 6}, {0, 0, 1, 0, 1, 2}, 1, 0},
    {"offsets that pass the end and come back", 6, {0, 100, 3, 6}, {0, 0, 1, 0, 1, 2}, ANY_ROW, 0},
    {"last offset too small", 6, {0, 1, 3, 5}, {0, 0, 1, 0, 1, 2}, 2, 0},
    {"last offset too large", 6, {0, 1, 3, 7}, {0, 0, 1, 0, 1, 2}, 2, 0},
    {"last offset far too small", (int64_t)1 << 24, {0, 1, 3, 6}, {0, 0, 1, 0, 1, 2}, 2, 0},
    {"last offset below the one before", 3, {0, 1, 4, 3}, {0, 0, 1, 0, 1, 2}, ANY_ROW, 0},
    {"index too large", 6, {0, 1, 3, 6}, {0, 0, 1, 0, 3, 2}, 2, 0},
    {"index huge", 6, {0, 1, 3, 6}, {0, 2147480000, 1, 0, 1, 2}, 1, 0},
    {"index negative", 6, {0, 1, 3, 6}, {-2, 0, 1, 0, 1, 2}, 0, 0},
    {"index good in its low 32 bits only", 6, {0, 1, 3, 6}, {0, (int64_t)1 << 32, 1, 0, 1, 2}, 1, 2},
    {"offset good in its low 32 bits only", 6, {0, 1, ((int64_t)1 << 32) + 3, 6}, {0, 0, 1, 0, 1, 2}, ANY_ROW, 1},
    {"index most negative", 6, {0, 1, 3, 6}, {0, 0, INT64_MIN, 0, 1, 2}, 1, 2},
    {"index most positive", 6, {0, 1, 3, 6}, {0, 0, INT64_MAX, 0, 1, 2}, 1, 2},
    {"offset most negative", 6, {0, 1, INT64_MIN, 6}, {0, 0, 1, 0, 1, 2}, 1, 1},
    {"offset most positive", 6, {0, 1, INT64_MAX, 6}, {0, 0, 1, 0, 1, 2}, ANY_ROW, 1},
};
/* Setup on the GPU is done there or refused by name; the host executor needs none and takes the CPU. */
static void setup_on_the_gpu(void) {
  CHECK_OK(call(ANALYSIS, &good));
  CHECK_OK(sptrsvSetAnalysisMode(GOOD(INFO), SPTRSV_ANALYSIS_MODE_GPU));
  sptrsvStatus_t status = call(ANALYSIS, &good);
  sptrsvStats_t s = {.struct_size = sizeof s};
  if (T.on_gpu && status == SPTRSV_STATUS_NOT_SUPPORTED) {
    CHECK_MESSAGE("GPU");
  } else {
    CHECK_STATUS(status, SUCCESS);
    CHECK_OK(sptrsvGetStats(GOOD(INFO), &s));
    CHECK(s.setup == (T.on_gpu ? SPTRSV_ANALYSIS_MODE_GPU : SPTRSV_ANALYSIS_MODE_CPU));
  }
  gpu_setup = status == SUCCESS;
  CHECK(solves_with(&good));
  CHECK_OK(sptrsvSetAnalysisMode(GOOD(INFO), SPTRSV_ANALYSIS_MODE_AUTO));
}

static void check_pattern(const Pattern *p, int base, int wide, int format, sptrsvAlgorithm_t algorithm, int setup) {
  int32_t ptr32[4], ind32[6];
  int64_t ptr64[4], ind64[6];
  for (int i = 0; i < 4; i++) ptr64[i] = based(p->ptr[i], base), ptr32[i] = (int32_t)ptr64[i];
  for (int i = 0; i < 6; i++) ind64[i] = based(p->ind[i], base), ind32[i] = (int32_t)ind64[i];
  sptrsvMatDescr_t d;
  CHECK_OK(sptrsvCreateMatDescr(&d));
  CHECK_OK(sptrsvSetMatIndexBase(d, (sptrsvIndexBase_t)base));
  CHECK_OK(sptrsvSetMatFormat(d, (sptrsvFormat_t)format));
  CHECK_OK(sptrsvSetMatIndexTypes(d, (sptrsvIndexType_t)(wide >= 1), (sptrsvIndexType_t)(wide >= 2)));
  Call c = good;
  c.a[DESCR] = (intptr_t)d, c.a[NNZ] = p->nnz;
  c.a[ROWPTR] = (intptr_t)(wide >= 1 ? mem_copy(ptr64, sizeof ptr64) : mem_copy(ptr32, sizeof ptr32));
  c.a[COLIND] = (intptr_t)(wide >= 2 ? mem_copy(ind64, sizeof ind64) : mem_copy(ind32, sizeof ind32));
  CHECK_OK(sptrsvSetAnalysisMode(GOOD(INFO), (sptrsvAnalysisMode_t)setup));
  CHECK_OK(sptrsvSetAlgorithm(GOOD(INFO), algorithm));
  sptrsvStatus_t status = call(ANALYSIS, &c), expected = p->bad == GOOD_PATTERN ? SUCCESS : SPTRSV_STATUS_INVALID_MATRIX;
  const char *message = sptrsvGetLastErrorString();
  char word[40];
  if (p->bad == ANY_ROW)
    snprintf(word, sizeof word, "%s ", format ? "column" : "row");
  else
    snprintf(word, sizeof word, "%s %d ", format ? "column" : "row", p->bad + base);
  CHECK_THAT(status == expected && (p->bad == GOOD_PATTERN || strstr(message, word)),
             "%s (base %d, %d wide, %s, algorithm %d, setup %d): %s, \"%s\" should name \"%s\"", p->what, base, wide,
             format ? "CSC" : "CSR", algorithm, setup, sptrsvGetErrorName(status), message, word);
  if (p->bad != GOOD_PATTERN) CHECK_THAT(solves_with(&good), "%s: the analysis from before was lost", p->what);
  mem_free((void *)(intptr_t)c.a[ROWPTR]);
  mem_free((void *)(intptr_t)c.a[COLIND]);
  CHECK_OK(sptrsvDestroyMatDescr(d));
}

static void patterns(void) {
  static const sptrsvAlgorithm_t ALGORITHMS[] = {SPTRSV_ALG_AUTO, SPTRSV_ALG_LEVR, SPTRSV_ALG_SLFC};
  for (int i = 0; i < COUNT(PATTERNS); i++)
    for (int bits = 0; bits < 12; bits++)
      for (int setup = 0; setup < (gpu_setup ? 3 : 2); setup++)
        for (int a = 0; a < COUNT(ALGORITHMS); a++) {
          int wide = bits / 4;
          if (PATTERNS[i].at_least_wide > wide) continue;
          CHECK_OK(sptrsvSetAlgorithm(GOOD(INFO), SPTRSV_ALG_AUTO));
          CHECK_OK(call(ANALYSIS, &good));
          check_pattern(&PATTERNS[i], bits & 1, wide, bits >> 1 & 1, ALGORITHMS[a], setup);
        }
  CHECK_OK(sptrsvSetAlgorithm(GOOD(INFO), SPTRSV_ALG_AUTO));
  CHECK_OK(sptrsvSetAnalysisMode(GOOD(INFO), SPTRSV_ANALYSIS_MODE_AUTO));
  CHECK_OK(call(ANALYSIS, &good));
}

/* An algorithm that wants a larger buffer is refused until the size has been asked for. */
static void larger_buffer(void) {
  sptrsvInfo_t fresh;
  size_t usual = 0, larger = 0;
  CHECK_OK(sptrsvCreateInfo(&fresh));
  Call c = with(INFO, (intptr_t)fresh);
  c.a[BYTES] = (intptr_t)&usual;
  CHECK_OK(call(SIZE, &c));
  CHECK_OK(sptrsvSetAlgorithm(fresh, SPTRSV_ALG_BLOCK));
  CHECK_STATUS(call(ANALYSIS, &c), INVALID);
  CHECK(strstr(sptrsvGetLastErrorString(), "sptrsvBufferSize"));
  CHECK_STATUS(call(SOLVE, &c), SPTRSV_STATUS_NOT_ANALYSED);
  c.a[BYTES] = (intptr_t)&larger;
  CHECK_OK(call(SIZE, &c));
  CHECK(larger > usual);
  void *buffer = mem_new(larger);
  c.a[BUFFER] = (intptr_t)buffer;
  CHECK_OK(call(ANALYSIS, &c));
  CHECK(solves_with(&c));
  /* Until another analysis comes the size is enough for this one, which on the host is another algorithm. */
  CHECK_OK(sptrsvSetAlgorithm(fresh, SPTRSV_ALG_AUTO));
  size_t still = 0, again = 0;
  c.a[BYTES] = (intptr_t)&still;
  CHECK_OK(call(SIZE, &c));
  CHECK(still == (T.on_gpu ? larger : usual));
  CHECK(solves_with(&c));
  CHECK_OK(call(ANALYSIS, &c));
  c.a[BYTES] = (intptr_t)&again;
  CHECK_OK(call(SIZE, &c));
  CHECK(again == usual);
  CHECK_OK(sptrsvDestroyInfo(fresh));
  mem_free(buffer);
}

/* No rows: nothing to do, and nothing is read or written. */
static void no_rows(void) {
  sptrsvInfo_t fresh;
  CHECK_OK(sptrsvCreateInfo(&fresh));
  Call c = with(INFO, (intptr_t)fresh);
  int32_t nothing = 77;
  int64_t row = 0;
  void *ptr = mem_copy(&nothing, sizeof nothing);
  c.a[M] = c.a[NNZ] = c.a[LDF] = c.a[LDX] = 0, c.a[ROWPTR] = (intptr_t)ptr;
  /* With no arrays either, as a process has them that got no part of a matrix. */
  Call none = c;
  none.a[ROWPTR] = none.a[COLIND] = none.a[VAL] = none.a[BUFFER] = 0;
  for (int arrays = 0; arrays < 2; arrays++) {
    for (int f = SIZE; f <= MULTI; f *= 2) {
      hide_x();
      CHECK_OK(call((enum Function)f, arrays ? &c : &none));
      CHECK(x_untouched());
    }
    CHECK_OK(sptrsvZeroPivot(T.h, fresh, &row));
    CHECK(row == -1);
  }
  c.a[NNZ] = 1; /* no rows, but an entry */
  CHECK_STATUS(call(ANALYSIS, &c), SPTRSV_STATUS_INVALID_MATRIX);
  CHECK_OK(sptrsvDestroyInfo(fresh));
  mem_free(ptr);
}

/* No entries: with a unit diagonal x = alpha f; else a structural zero at the first row. */
static void no_entries(void) {
  sptrsvInfo_t fresh;
  sptrsvMatDescr_t d;
  CHECK_OK(sptrsvCreateInfo(&fresh));
  CHECK_OK(sptrsvCreateMatDescr(&d));
  CHECK_OK(sptrsvSetMatIndexBase(d, SPTRSV_INDEX_BASE_ONE));
  const int32_t ones[] = {1, 1, 1, 1};
  const double two = 2;
  void *ptr = mem_copy(ones, sizeof ones);
  Call c = with(INFO, (intptr_t)fresh);
  c.a[DESCR] = (intptr_t)d, c.a[NNZ] = 0, c.a[ROWPTR] = (intptr_t)ptr, c.a[ALPHA] = (intptr_t)&two;
  c.a[VAL] = c.a[COLIND] = 0;
  int64_t row = -77;
  CHECK_OK(call(ANALYSIS, &c));
  CHECK_STATUS(sptrsvZeroPivot(T.h, fresh, &row), SPTRSV_STATUS_ZERO_PIVOT);
  CHECK(row == 1);
  CHECK_OK(call(SOLVE, &c));
  CHECK_STATUS(sptrsvZeroPivot(T.h, fresh, &row), SPTRSV_STATUS_ZERO_PIVOT);
  CHECK(row == 1);

  CHECK_OK(sptrsvSetMatDiagType(d, SPTRSV_DIAG_TYPE_UNIT));
  CHECK_OK(call(ANALYSIS, &c));
  double x[3];
  for (int f = SOLVE; f <= MULTI; f *= 2) {
    hide_x();
    CHECK_OK(call((enum Function)f, &c));
    mem_get(x, GOOD(X), XBYTES);
    CHECK(x[0] == 4 && x[1] == 22 && x[2] == 66);
  }
  CHECK_OK(sptrsvZeroPivot(T.h, fresh, &row));
  CHECK(row == -1);
  CHECK_OK(sptrsvDestroyInfo(fresh));
  CHECK_OK(sptrsvDestroyMatDescr(d));
  mem_free(ptr);
}

/* ------------------------------------------------------------------------------------ without a driver */

/* What the child below does: with every GPU hidden, CUDA is refused and the host executor works. */
static int without_gpu(void) {
  sptrsvHandle_t h = NULL;
  T.name = T.current = "without a GPU";
  CHECK_STATUS(sptrsvCreate(&h), SPTRSV_STATUS_NO_DRIVER);
  CHECK_STATUS(sptrsvCreateWithExecutor(&h, SPTRSV_EXECUTOR_CUDA), SPTRSV_STATUS_NO_DRIVER);
  CHECK(!strstr(sptrsvGetLastErrorString(), "is NULL"));
  CHECK(h == NULL);
  CHECK_OK(sptrsvCreateWithExecutor(&T.h, SPTRSV_EXECUTOR_HOST));
  make_good();
  CHECK_OK(call(ANALYSIS, &good));
  CHECK(solves_with(&good));
  return T.failed != 0;
}

static void no_driver(void) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
    execl("/proc/self/exe", "test_api", "--without-gpu", (char *)NULL);
    _exit(127);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK_THAT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the program without a GPU ended with status %#x", status);
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--without-gpu")) return without_gpu();
  check_begin("test_api", argc, argv);
  RUN(no_driver);
  RUN(version);
  RUN(names_of_statuses);
  RUN(names_of_algorithms);
  RUN(last_message);
  RUN(handle);
  RUN(descriptor);
  RUN(info);
  make_good();
  RUN(solve_before_analysis);
  RUN(stats);
  RUN(one_wrong_argument);
  RUN(misaligned_arrays);
  RUN(descriptor_changed_after_analysis);
  RUN(policy);
  RUN(an_info_is_used_again);
  RUN(an_info_outlives_its_handle);
  RUN_ON_GPU(an_info_of_the_other_executor);
  RUN(setup_on_the_gpu);
  RUN(patterns);
  RUN(larger_buffer);
  RUN(no_rows);
  RUN(no_entries);
  return check_end();
}
