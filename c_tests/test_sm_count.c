/*
 * sptrsvSetSmCountTarget: whatever the number of multiprocessors, solves are right, and deterministic algorithms give the same bits;
 * layouts that an analysis made stay valid when the number changes; misuse is told. The library works on a stream of a green context.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <limits.h>

#include "problem.h"

/* Of the GPU; a number that stands for one on the host executor. */
static int multiprocessors(void) {
  int count = 132;
  if (T.on_gpu) CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

static void target(int count) { CHECK_OK(sptrsvSetSmCountTarget(T.h, count)); }

static void target_is(int expected) {
  int count = -7;
  CHECK_OK(sptrsvGetSmCountTarget(T.h, &count));
  CHECK_THAT(count == expected, "the target is %d, not %d", count, expected);
}

static void arguments(void) {
  int all = multiprocessors(), count = -7;
  sptrsvHandle_t other;
  CHECK_OK(sptrsvCreateWithExecutor(&other, T.on_gpu ? SPTRSV_EXECUTOR_CUDA : SPTRSV_EXECUTOR_HOST));
  CHECK_OK(sptrsvGetSmCountTarget(other, &count));
  CHECK_THAT(count == 0, "a new handle has the target %d", count);
  target(1), target_is(1);
  target(all), target_is(all);
  CHECK_STATUS(sptrsvSetSmCountTarget(T.h, -1), SPTRSV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE("smCountTarget is negative (-1)");
  CHECK_STATUS(sptrsvSetSmCountTarget(T.h, INT_MIN), SPTRSV_STATUS_INVALID_VALUE);
  target_is(all);
  if (T.on_gpu) {
    CHECK_STATUS(sptrsvSetSmCountTarget(T.h, all + 1), SPTRSV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE("multiprocessors");
    CHECK_STATUS(sptrsvSetSmCountTarget(T.h, INT_MAX), SPTRSV_STATUS_INVALID_VALUE);
    target_is(all);
  } else { /* where there are none, none are too many */
    target(INT_MAX), target_is(INT_MAX);
  }
  CHECK_STATUS(sptrsvGetSmCountTarget(T.h, NULL), SPTRSV_STATUS_INVALID_VALUE);
  CHECK_STATUS(sptrsvSetSmCountTarget(NULL, 0), SPTRSV_STATUS_NOT_INITIALIZED);
  CHECK_STATUS(sptrsvGetSmCountTarget(NULL, &count), SPTRSV_STATUS_NOT_INITIALIZED);
  CHECK_OK(sptrsvGetSmCountTarget(other, &count));
  CHECK_THAT(count == 0, "one handle's target is another's too");
  CHECK_OK(sptrsvDestroy(other));
  target(0), target_is(0);
}

enum { COLUMNS = 20 };

/* Solves for one and several right-hand sides by ALGS[a] with each target, after an analysis under one of them. */
static void one_system(const Problem *p, int a) {
  const int all = multiprocessors(), targets[] = {0, 1, 2, 7, all - 1, all};
  System s;
  if (opened(&s, p, a)) {
    char *plain = malloc(s.bytes + 1), *x = malloc(s.bytes + 1), *many = malloc(COLUMNS * s.bytes + 1);
    void *f = mem_new(COLUMNS * s.bytes), *solved = mem_new(COLUMNS * s.bytes);
    for (int c = 0; c < COLUMNS; c++) mem_put((char *)f + (size_t)c * s.bytes, p->f, s.bytes);
    int right = solves_right(&s, plain, "with all multiprocessors");
    target(1 + (int)below(8));
    CHECK_OK(analyse(&s));
    for (int t = 0; t < COUNT(targets) && right; t++) {
      target(targets[t]);
      if (!solves_right(&s, x, "with some multiprocessors")) break;
      CHECK_THAT(!ALGS[a].deterministic || !memcmp(x, plain, s.bytes), "%s: other bits with %d multiprocessors (%s)", ALGS[a].name,
                 targets[t], kind_text(&p->k));
      int columns = t & 1 ? COLUMNS : 3;
      CHECK_OK(solve_columns(&s, columns, f, solved));
      if (T.on_gpu) CUDA(cudaDeviceSynchronize());
      mem_get(many, solved, (size_t)columns * s.bytes);
      /* Columns with the bits of a solution that is right are right. */
      int alike = ALGS[a].deterministic;
      for (int c = 0; c < columns; c++) alike = alike && !memcmp(many + (size_t)c * s.bytes, plain, s.bytes);
      if (!alike) columns_are_right(&s, a, columns, many, plain);
    }
    target(0);
    mem_free(f), mem_free(solved);
    free(plain), free(x), free(many);
  }
  close_system(&s);
}

static void every_algorithm(void) {
  static const enum Shape SHAPES_HERE[] = {DIAGONAL, CHAIN, GRID, RANDOM, DENSE_ROW, NODES, DIAGONALS, TAIL, DENSE_END, BAND};
  for (int shape = 0; shape < COUNT(SHAPES_HERE); shape++)
    for (int i = 0; i < 4; i++) {
      Kind k = {.type = TYPES[i], .op = i & 1, .fill = shape & 1};
      Problem p = make_problem(k, SHAPES_HERE[shape], i == 1 ? 2000 : 600);
      for (int a = 0; a < COUNT(ALGS); a++) one_system(&p, a);
      free_problem(&p);
    }
}

/* More tiles and slices than blocks. */
static void large_ones(void) {
  for (int i = 0; i < 2; i++) {
    Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, i ? RANDOM : GRID, T.on_gpu ? 60000 : 8000);
    for (int a = 0; a < COUNT(ALGS); a++) one_system(&p, a);
    free_problem(&p);
  }
}

/* A captured solve is launched under other targets than that of its capture, and gives the bits that it had. */
static void in_a_graph(void) {
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 40000);
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int a = 0; a < COUNT(ALGS); a++) {
    System s;
    if (opened(&s, &p, a)) {
      char *plain = malloc(s.bytes), *x = malloc(s.bytes);
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      solves_right(&s, plain, "before the capture");
      CHECK_OK(sptrsvSetStream(T.h, stream));
      target(2);
      CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
      CHECK_OK(solve_from(&s, s.f, s.x));
      CUDA(cudaStreamEndCapture(stream, &graph));
      CUDA(cudaGraphInstantiateWithFlags(&exec, graph, 0));
      target(0);
      for (int round = 0; round < 2; round++) {
        mem_fill(s.x, 0xff, s.bytes);
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaStreamSynchronize(stream));
        mem_get(x, s.x, s.bytes);
        CHECK_THAT(worst_error(&p, p.alpha, p.f, x) <= 1 && (!ALGS[a].deterministic || !memcmp(x, plain, s.bytes)),
                   "%s: replay %d is wrong, or has other bits", ALGS[a].name, round);
      }
      CUDA(cudaGraphExecDestroy(exec));
      CUDA(cudaGraphDestroy(graph));
      CHECK_OK(sptrsvSetStream(T.h, NULL));
      free(plain), free(x);
    }
    close_system(&s);
  }
  CUDA(cudaStreamDestroy(stream));
  free_problem(&p);
}

/* A stream of a green context of about so many multiprocessors, and their number; NULL where the driver has none. */
static cudaStream_t green_stream(unsigned wanted, CUgreenCtx *green, int *count) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
#define FIND(name) __typeof__(name) *find_##name = library ? (__typeof__(name) *)dlsym(library, #name) : NULL
  FIND(cuDeviceGetDevResource);
  FIND(cuDevSmResourceSplitByCount);
  FIND(cuDevResourceGenerateDesc);
  FIND(cuGreenCtxCreate);
  FIND(cuGreenCtxStreamCreate);
#undef FIND
  CUdevResource all, part, rest;
  CUdevResourceDesc descr;
  CUstream stream;
  unsigned groups = 1;
  if (!find_cuDeviceGetDevResource || !find_cuGreenCtxStreamCreate) return NULL;
  int made = !find_cuDeviceGetDevResource((CUdevice)0, &all, CU_DEV_RESOURCE_TYPE_SM) &&
             !find_cuDevSmResourceSplitByCount(&part, &groups, &all, &rest, 0u, wanted) &&
             !find_cuDevResourceGenerateDesc(&descr, &part, 1u) &&
             !find_cuGreenCtxCreate(green, descr, (CUdevice)0, (unsigned)CU_GREEN_CTX_DEFAULT_STREAM) &&
             !find_cuGreenCtxStreamCreate(&stream, *green, (unsigned)CU_STREAM_NON_BLOCKING, 0);
  CHECK_THAT(made, "the driver has green contexts, but makes none");
  *count = (int)part.sm.smCount;
  return made ? (cudaStream_t)stream : NULL;
}

/* A handle of the primary context solves, and analyses, on a stream of a green context. */
static void in_a_green_context(void) {
  CUgreenCtx green;
  int count;
  cudaStream_t stream = green_stream(16, &green, &count);
  if (!stream) {
    printf("SKIPPED in_a_green_context: the driver has no green contexts\n");
    T.skipped++;
    return;
  }
  for (int shape = 0; shape < 3; shape++) {
    Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, shape == 0 ? GRID : shape == 1 ? RANDOM : TAIL, 40000);
    for (int a = 0; a < COUNT(ALGS); a++)
      for (int told = 0; told < 2; told++) { /* of how many multiprocessors there are */
        System s;
        char *x = malloc((size_t)p.n * 8);
        CHECK_OK(sptrsvSetStream(T.h, stream));
        target(told ? count : 0);
        if (opened(&s, &p, a)) solves_right(&s, x, "in a green context");
        close_system(&s);
        free(x);
      }
    free_problem(&p);
  }
  target(0);
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  CUDA(cudaStreamDestroy(stream));
  __typeof__(cuGreenCtxDestroy) *destroy = (__typeof__(cuGreenCtxDestroy) *)dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuGreenCtxDestroy");
  CHECK(destroy && destroy(green) == CUDA_SUCCESS);
}

int main(int argc, char **argv) {
  check_begin("test_sm_count", argc, argv);
  RUN(arguments);
  RUN(every_algorithm);
  RUN(large_ones);
  RUN_ON_GPU(in_a_graph);
  RUN_ON_GPU(in_a_green_context);
  return check_end();
}
