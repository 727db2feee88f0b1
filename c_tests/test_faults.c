/*
 * The statuses that no argument brings: memory that runs out, errors of the driver, a GPU that the library has
 * no code for, a wait that never ends, a defect inside. Each must end as its status and a message, with the
 * analysis from before intact, and the same call must work once the fault is gone.
 *
 * What would end or spoil the process runs in a child of its own, this very program with the name of a case.
 * The driver's faults come from standin/libcuda.c, on every machine.
 */
#include <malloc.h>
#include <sys/resource.h>

#include "copies.h"
#include "driver.h"
#include "taken.h"
#include "watched.h"

#define ALLOC_FAILED SPTRSV_STATUS_ALLOC_FAILED
#define EXECUTION_FAILED SPTRSV_STATUS_EXECUTION_FAILED

static sptrsvStatus_t pivot(const System *s, int64_t *row) { return sptrsvZeroPivot(s->h, s->info, row); }

static int is_right(System *s) {
  void *x = malloc(s->bytes);
  int right = solve(s, x) == SPTRSV_STATUS_SUCCESS && worst_error(s->p, s->p->alpha, s->p->f, x) <= 1;
  free(x);
  return right;
}

/* ------------------------------------------------------------------------------- faults of the driver */

enum { NO_DEVICE = 100, INVALID_DEVICE = 101, NO_BINARY_FOR_GPU = 209, INVALID_PTX = 218,
       JIT_COMPILER_NOT_FOUND = 221, UNSUPPORTED_PTX_VERSION = 222, JIT_COMPILATION_DISABLED = 223,
       ALREADY_MAPPED = 208, ILLEGAL_ADDRESS = 700, LAUNCH_FAILED = 719, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, INVALID_CONTEXT = 201, GARBLED = -1,
       DEVICE_UNAVAILABLE = 46, NO_SUCH_SYMBOL = 500, NEW_IN_CUDA_12 = 914, NOT_SUPPORTED = 801, NEVER_HEARD_OF = 12345 };
/* ANALYSIS fails before an info gives up the analysis from before, SCHEDULE after it, and so does COPY, which has all values copied;
 * what comes later works on the copy. */
enum Step { CREATE, FIRST_ANALYSIS, ANALYSIS, SCHEDULE, COPY, SOLVE, UPDATE, NEW_DIAGONAL, DENSE, PIVOT, PIVOT_ELSEWHERE, STATS,
            DESTROY };

/* Whether the driver must have pools of memory for a fault, or must not. */
enum Pools { EITHER, WITHOUT, WITH };

/* An entry point that fails, with CUDA's error; the call of ours that notices, and its status and words. */
static const struct {
  const char *entry;
  int error;
  enum Step step;
  sptrsvAlgorithm_t algorithm;
  sptrsvStatus_t status;
  const char *word;
  enum Pools pools;
  int gpu_setup; /* else on the CPU; 2: of a large system */
} FAULTS[] = {
    {"cuInit", NO_DEVICE, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_NO_DRIVER, NULL, EITHER, 0},
    {"cuDeviceGet", INVALID_DEVICE, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_NO_DRIVER, NULL, EITHER, 0},
    {"cuModuleLoadDataEx", NO_BINARY_FOR_GPU, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_ARCH_MISMATCH, NULL, EITHER, 0},
    {"cuModuleLoadDataEx", INVALID_PTX, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_ARCH_MISMATCH, NULL, EITHER, 0},
    {"cuModuleLoadDataEx", UNSUPPORTED_PTX_VERSION, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_ARCH_MISMATCH, NULL, EITHER, 0},
    {"cuModuleLoadDataEx", JIT_COMPILER_NOT_FOUND, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_ARCH_MISMATCH, NULL, EITHER, 0},
    {"cuModuleLoadDataEx", JIT_COMPILATION_DISABLED, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_ARCH_MISMATCH, NULL, EITHER, 0},
    {"cuModuleLoadDataEx", ALREADY_MAPPED, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL, EITHER, 0},
    {"cuModuleLoadDataEx", NEVER_HEARD_OF, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL, EITHER, 0},
    {"cuModuleLoadDataEx", LAUNCH_FAILED, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL, EITHER, 0},
    {"cuCtxGetCurrent", INVALID_CONTEXT, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL, EITHER, 0},
    {"cuDevicePrimaryCtxRetain", OUT_OF_MEMORY, CREATE, SPTRSV_ALG_AUTO, ALLOC_FAILED, NULL, EITHER, 0},
    {"cuDevicePrimaryCtxRetain", INVALID_DEVICE, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL, EITHER, 0},
    {"cuModuleLoadDataEx", OUT_OF_MEMORY, CREATE, SPTRSV_ALG_AUTO, ALLOC_FAILED, NULL, EITHER, 0},
    /* No kernel is left to be loaded when it is first asked for, where the driver can tell which there are. */
    {"cuFuncLoad", OUT_OF_MEMORY, CREATE, SPTRSV_ALG_AUTO, ALLOC_FAILED, NULL, EITHER, 0},
    {"cuFuncLoad", LAUNCH_FAILED, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL, EITHER, 0},
    {"cuModuleEnumerateFunctions", INVALID_CONTEXT, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL, EITHER, 0},
    {"cuModuleGetFunctionCount", NO_SUCH_SYMBOL, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_SUCCESS, NULL, EITHER, 0},
    {"cuInit", NEVER_HEARD_OF, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_NO_DRIVER, NULL, EITHER, 0},
    {"cuDevicePrimaryCtxRetain", DEVICE_UNAVAILABLE, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL, EITHER, 0},
    {"cuCtxGetDevice", DEVICE_UNAVAILABLE, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL, EITHER, 0},
    {"cuCtxGetDevice", INVALID_CONTEXT, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL, EITHER, 0},
    {"cuDeviceGetAttribute", INVALID_DEVICE, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL, EITHER, 0},
    {"cuMemHostAlloc", OUT_OF_MEMORY, CREATE, SPTRSV_ALG_AUTO, ALLOC_FAILED, NULL, EITHER, 0},
    {"cuMemHostAlloc", LAUNCH_FAILED, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL, EITHER, 0},
    /* A name without an end is more than the library is prepared for: it must say so, and go on living. */
    {"cuDeviceGetName", GARBLED, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_INTERNAL_ERROR, NULL, EITHER, 0},

    /* A pool of its own spares the library time, nothing more. */
    {"cuDeviceTotalMem_v2", INVALID_DEVICE, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_SUCCESS, NULL, EITHER, 0},
    {"cuMemPoolCreate", OUT_OF_MEMORY, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_SUCCESS, NULL, EITHER, 0},
    {"cuMemPoolSetAttribute", INVALID_DEVICE, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_SUCCESS, NULL, WITH, 0},
    {"cuStreamCreate", OUT_OF_MEMORY, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_SUCCESS, NULL, WITH, 0},

    {"cuModuleGetFunction", LAUNCH_FAILED, FIRST_ANALYSIS, SPTRSV_ALG_LEVR, EXECUTION_FAILED, "cuModuleGetFunction", EITHER, 0},
    {"cuModuleGetFunction", OUT_OF_MEMORY, FIRST_ANALYSIS, SPTRSV_ALG_LEVR, ALLOC_FAILED, "device memory", EITHER, 0},

    {"cuStreamIsCapturing", INVALID_CONTEXT, ANALYSIS, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuStreamIsCapturing", EITHER, 0},
    {"cuMemcpyDtoHAsync_v2", LAUNCH_FAILED, ANALYSIS, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuMemcpyDtoHAsync", EITHER, 0},
    {"cuMemcpyHtoDAsync_v2", LAUNCH_FAILED, SCHEDULE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuMemcpyHtoDAsync", EITHER, 0},
    {"cuStreamSynchronize", LAUNCH_FAILED, ANALYSIS, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuStreamSynchronize", EITHER, 0},
    {"cuMemAlloc_v2", OUT_OF_MEMORY, SCHEDULE, SPTRSV_ALG_AUTO, ALLOC_FAILED, "bytes of device memory", WITHOUT, 0},
    {"cuMemAlloc_v2", LAUNCH_FAILED, SCHEDULE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuMemAlloc", WITHOUT, 0},
    /* Where the pool has no room, memory may still be had outside of it. */
    {"cuMemAllocFromPoolAsync", OUT_OF_MEMORY, SCHEDULE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_SUCCESS, NULL, WITH, 0},
    {"cuMemAllocFromPoolAsync", LAUNCH_FAILED, SCHEDULE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuMemAllocFromPoolAsync",
     WITH, 0},
    {"cuMemAlloc*", OUT_OF_MEMORY, SCHEDULE, SPTRSV_ALG_AUTO, ALLOC_FAILED, "bytes of device memory", EITHER, 0},
    {"cuMemAlloc*", ILLEGAL_ADDRESS, SCHEDULE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "ILLEGAL_ADDRESS", EITHER, 0},
    {"cuMemHostGetDevicePointer_v2", LAUNCH_FAILED, SCHEDULE, SPTRSV_ALG_AUTO, EXECUTION_FAILED,
     "cuMemHostGetDevicePointer", EITHER, 0},
    {"cuMemsetD8Async", LAUNCH_FAILED, SCHEDULE, SPTRSV_ALG_ONE_WORD, EXECUTION_FAILED, "cuMemsetD8Async", EITHER, 0},
    {"cuGraphCreate", OUT_OF_MEMORY, SCHEDULE, SPTRSV_ALG_LEVR, ALLOC_FAILED, "device memory", EITHER, 0},
    {"cuGraphAddKernelNode", INVALID_CONTEXT, SCHEDULE, SPTRSV_ALG_LEVR, EXECUTION_FAILED, "cuGraphAddKernelNode", EITHER, 0},
    {"cuGraphInstantiateWithFlags", OUT_OF_MEMORY, SCHEDULE, SPTRSV_ALG_LEVR, ALLOC_FAILED, "device memory", EITHER, 0},
    {"cuLaunchKernel*", LAUNCH_FAILED, ANALYSIS, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuLaunchKernel", EITHER, 1},
    /* Words from the GPU, by way of page-locked memory. */
    {"cuMemHostGetDevicePointer_v2", LAUNCH_FAILED, ANALYSIS, SPTRSV_ALG_SLFR, EXECUTION_FAILED, "cuMemHostGetDevicePointer",
     EITHER, 1},
    {"cuStreamSynchronize", LAUNCH_FAILED, ANALYSIS, SPTRSV_ALG_SLFR, EXECUTION_FAILED, "cuStreamSynchronize", EITHER, 1},
    {"cuMemAlloc*", LAUNCH_FAILED, ANALYSIS, SPTRSV_ALG_SLFC, EXECUTION_FAILED, "cuMemAlloc", EITHER, 1},
    {"cuMemAlloc*", OUT_OF_MEMORY, ANALYSIS, SPTRSV_ALG_SLFC, ALLOC_FAILED, "bytes of device memory", EITHER, 1},

    {"cuLaunchKernel*", LAUNCH_FAILED, SOLVE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuLaunchKernel", EITHER, 0},
    {"cuLaunchKernel", ILLEGAL_ADDRESS, SOLVE, SPTRSV_ALG_SLFR, EXECUTION_FAILED, "ILLEGAL_ADDRESS", EITHER, 0},
    {"cuLaunchKernel*", NEW_IN_CUDA_12, SOLVE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuLaunchKernel", EITHER, 0},
    /* A kernel that may not start before its turn is launched plainly. */
    {"cuLaunchKernelEx", NOT_SUPPORTED, SOLVE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_SUCCESS, NULL, EITHER, 0},
    /* Captures of other streams that it cannot leave alone are no reason to fail. */
    {"cuThreadExchangeStreamCaptureMode", INVALID_CONTEXT, SOLVE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_SUCCESS, NULL, EITHER, 0},
    {"cuGraphLaunch", LAUNCH_FAILED, SOLVE, SPTRSV_ALG_LEVR, EXECUTION_FAILED, "cuGraphLaunch", EITHER, 0},
    {"cuCtxGetCurrent", NOT_INITIALIZED, SOLVE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "a child of a process", EITHER, 0},
    {"cuCtxGetCurrent", INVALID_CONTEXT, SOLVE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuCtxGetCurrent", EITHER, 0},

    {"cuMemAlloc*", OUT_OF_MEMORY, COPY, SPTRSV_ALG_AUTO, ALLOC_FAILED, "bytes of device memory", EITHER, 0},
    {"cuMemcpyDtoDAsync_v2", LAUNCH_FAILED, COPY, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuMemcpyDtoDAsync", EITHER, 0},
    {"cuMemcpyDtoDAsync_v2", LAUNCH_FAILED, COPY, SPTRSV_ALG_SLFC, EXECUTION_FAILED, "cuMemcpyDtoDAsync", EITHER, 1},
    /* The kernel of a first new diagonal is loaded by the analysis, as a capture may come. */
    {"cuModuleGetFunction", LAUNCH_FAILED, COPY, SPTRSV_ALG_LEVR, EXECUTION_FAILED, "cuModuleGetFunction", EITHER, 0},
    {"cuMemcpyDtoDAsync_v2", LAUNCH_FAILED, UPDATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuMemcpyDtoDAsync", EITHER, 0},
    {"cuCtxGetCurrent", INVALID_CONTEXT, UPDATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuCtxGetCurrent", EITHER, 0},
    {"cuLaunchKernel*", LAUNCH_FAILED, NEW_DIAGONAL, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuLaunchKernel", EITHER, 0},
    {"cuLaunchKernelEx", NOT_SUPPORTED, NEW_DIAGONAL, SPTRSV_ALG_AUTO, SPTRSV_STATUS_SUCCESS, NULL, EITHER, 0},
    {"cuCtxGetCurrent", INVALID_CONTEXT, NEW_DIAGONAL, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuCtxGetCurrent", EITHER, 0},
    {"cuLaunchKernel*", LAUNCH_FAILED, DENSE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuLaunchKernel", EITHER, 0},
    {"cuLaunchKernel*", LAUNCH_FAILED, DENSE, SPTRSV_ALG_ONE_WORD, EXECUTION_FAILED, "cuLaunchKernel", EITHER, 0},
    {"cuLaunchKernelEx", NOT_SUPPORTED, DENSE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_SUCCESS, NULL, EITHER, 0},
    {"cuCtxGetCurrent", INVALID_CONTEXT, DENSE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuCtxGetCurrent", EITHER, 0},

    {"cuStreamSynchronize", ILLEGAL_ADDRESS, PIVOT, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "earlier asynchronous work", EITHER, 0},
    {"cuCtxSynchronize", ILLEGAL_ADDRESS, PIVOT_ELSEWHERE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "earlier asynchronous work",
     EITHER, 0},
    {"cuMemcpyDtoHAsync_v2", LAUNCH_FAILED, PIVOT, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuMemcpyDtoHAsync", EITHER, 0},

    {"cuMemFree_v2", LAUNCH_FAILED, DESTROY, SPTRSV_ALG_AUTO, SPTRSV_STATUS_SUCCESS, NULL, EITHER, 0},
    /* With no memory left all of it is given back none the less. */
    {"cuMemAlloc_v2", OUT_OF_MEMORY, DESTROY, SPTRSV_ALG_AUTO, SPTRSV_STATUS_SUCCESS, NULL, WITH, 0},
    {"cuMemFreeAsync", LAUNCH_FAILED, DESTROY, SPTRSV_ALG_AUTO, SPTRSV_STATUS_SUCCESS, NULL, WITH, 0},
    {"cuGraphExecDestroy", LAUNCH_FAILED, DESTROY, SPTRSV_ALG_LEVR, SPTRSV_STATUS_SUCCESS, NULL, EITHER, 0},
    {"cuCtxGetCurrent", INVALID_CONTEXT, DESTROY, SPTRSV_ALG_LEVR, SPTRSV_STATUS_SUCCESS, NULL, EITHER, 0},
};

/* Solves for columns of F, stored by columns, into X, stored by rows. */
static sptrsvStatus_t solve_into_rows(System *s, int64_t columns, const void *f, void *x) {
  const Problem *p = s->p;
  return sptrsvSolveDense(s->h, (sptrsvOperation_t)p->k.op, p->n, p->nnz, columns, s->alpha_host, s->d, (sptrsvDataType_t)p->k.type,
                          s->val, s->ptr, s->ind, s->info, f, p->n, SPTRSV_ORDER_COLUMN, x, columns, SPTRSV_ORDER_ROW, s->policy,
                          s->buffer);
}

/* The same for two columns in memory of its own. */
static sptrsvStatus_t solve_dense(System *s) {
  void *f = mem_new(2 * s->bytes), *x = mem_new(2 * s->bytes);
  mem_fill(f, 0, 2 * s->bytes);
  sptrsvStatus_t status = solve_into_rows(s, 2, f, x);
  mem_free(f), mem_free(x);
  return status;
}

/* Takes a step. The first analysis opens the system, if that is not done yet. */
static sptrsvStatus_t take(enum Step step, System *s, const Problem *p, sptrsvAlgorithm_t algorithm) {
  int64_t row = -77;
  sptrsvStats_t stats = {.struct_size = sizeof stats, .rows = -77};
  sptrsvStatus_t status = SPTRSV_STATUS_SUCCESS;
  switch (step) {
    case CREATE:
      status = sptrsvCreate(&T.h);
      CHECK((status == SPTRSV_STATUS_SUCCESS) == (T.h != NULL));
      break;
    case FIRST_ANALYSIS: return s->info ? analyse(s) : open_system_on(T.h, s, p, algorithm);
    case ANALYSIS:
    case SCHEDULE: return analyse(s);
    case COPY:
      CHECK_OK(sptrsvSetCopyValues(s->info, SPTRSV_COPY_ALL));
      return analyse_values(s, s->val);
    case SOLVE: return solve_from(s, s->f, s->x);
    case UPDATE: return update(s);
    case NEW_DIAGONAL: return sptrsvUpdateDiagonal(s->h, s->info, s->diag);
    case DENSE: return solve_dense(s);
    case PIVOT_ELSEWHERE: /* of a solve on another stream */
    case PIVOT:
      if (step == PIVOT_ELSEWHERE) CHECK_OK(sptrsvSetStream(T.h, cudaStreamPerThread));
      status = pivot(s, &row);
      /* Kernels do nothing here, so a setup on the GPU leaves a state of zeros, by which row 0 has a zero pivot. */
      if (p->k.setup == SPTRSV_ANALYSIS_MODE_GPU) {
        CHECK(status == SPTRSV_STATUS_ZERO_PIVOT && row == 0);
        return SPTRSV_STATUS_SUCCESS;
      }
      CHECK(row == (status ? -77 : -1));
      break;
    case STATS:
      status = sptrsvGetStats(s->info, &stats);
      CHECK(stats.rows == (status ? -77 : p->n));
      break;
    case DESTROY:
      status = sptrsvDestroyInfo(s->info);
      s->info = NULL;
      break;
  }
  return status;
}

/* One fault: the steps before it work; the step ends as it must, and works when the fault is gone. In the end
 * nothing is left allocated, unless it was the freeing that failed. */
static void one_fault(int i, const Problem *p, int pools) {
  char text[100];
  snprintf(text, sizeof text, "%s failing with %d, %s pools", FAULTS[i].entry, FAULTS[i].error, pools ? "with" : "without");
  T.current = text;
  driver.pools(pools);
  int before = driver.allocated(), mode = driver.capture_mode();
  System s = {0};
  for (enum Step step = CREATE; step <= DESTROY; step++) {
    if (step == FAULTS[i].step) {
      driver.fail(FAULTS[i].entry, FAULTS[i].error);
      CHECK_STATUS(take(step, &s, p, FAULTS[i].algorithm), FAULTS[i].status);
      CHECK_THAT(driver.calls() > 0, "the library did not call it");
      driver.fail(NULL, 0);
      if (FAULTS[i].word) CHECK_MESSAGE(FAULTS[i].word);
      if (FAULTS[i].status == SPTRSV_STATUS_SUCCESS) continue;
      if (step == FIRST_ANALYSIS) CHECK_STATUS(solve_from(&s, s.f, s.x), SPTRSV_STATUS_NOT_ANALYSED);
      if (step == ANALYSIS) CHECK_OK(solve_from(&s, s.f, s.x));
      if (step == UPDATE || step == NEW_DIAGONAL) CHECK_OK(solve_from(&s, s.f, s.x));
      if (step == SCHEDULE || step == COPY) CHECK_STATUS(solve_from(&s, s.f, s.x), SPTRSV_STATUS_NOT_ANALYSED);
      if (step == SOLVE && FAULTS[i].algorithm == SPTRSV_ALG_AUTO && strncmp(FAULTS[i].entry, "cuLaunch", 8) == 0) {
        /* A part of the refused solve may have run: the next one clears what that has left, and the one after it does not. */
        for (int again = 0; again < 2; again++) {
          driver.fail("cuMemsetD8Async", GARBLED);
          CHECK_OK(take(step, &s, p, FAULTS[i].algorithm));
          CHECK_THAT((driver.calls() > 0) == !again, "solve %d after a refused one cleared %d arrays", again, driver.calls());
        }
        driver.fail(NULL, 0);
      }
    }
    CHECK_OK(take(step, &s, p, FAULTS[i].algorithm));
    CHECK_THAT(driver.capture_mode() == mode, "the thread has another mode of capture than before");
  }
  close_system(&s);
  destroy_handle();
  CHECK_THAT(driver.capture_mode() == mode, "the thread is left with another mode of capture");
  int left = driver.allocated() - before;
  int may_stay = FAULTS[i].step == DESTROY && FAULTS[i].error != OUT_OF_MEMORY;
  CHECK_THAT(left == 0 || may_stay, "%d allocations were not freed", left);
}

static void driver_faults(void) {
  find_standin();
  Kind kind = {.type = SPTRSV_R_64F};
  Problem small = make_problem(kind, CHAIN, 5), large = make_problem(kind, CHAIN, 70000);
  for (int i = 0; i < COUNT(FAULTS); i++)
    for (int pools = 0; pools < 2; pools++) {
      Problem *p = FAULTS[i].gpu_setup > 1 ? &large : &small;
      p->k.setup = FAULTS[i].gpu_setup ? SPTRSV_ANALYSIS_MODE_GPU : SPTRSV_ANALYSIS_MODE_CPU;
      if (FAULTS[i].pools != (pools ? WITHOUT : WITH)) one_fault(i, p, pools);
    }
  free_problem(&small);
  free_problem(&large);
}

static void errors_of_the_driver(void) { in_a_child("driver_faults", standin()); }

/* ------------------------------------------------------------------------------------------- captures */

/* While a stream captures solves and updates call nothing that ends the capture, also the first ones of an info; what would have to wait is
 * refused before it tries. */
static void a_stream_captures(void) {
  find_standin();
  CHECK_OK(sptrsvCreate(&T.h));
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .setup = SPTRSV_ANALYSIS_MODE_CPU}, CHAIN, 5);
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int is_first = 0; is_first < 2; is_first++) {
      System s;
      if (opened(&s, &p, a)) {
        int64_t row;
        analyse_for(&s, SPTRSV_COPY_ALL);
        if (!is_first) CHECK_OK(solve_from(&s, s.f, s.x));
        driver.capture(1);
        CHECK_OK(update(&s));
        CHECK_OK(sptrsvUpdateDiagonal(s.h, s.info, s.diag));
        CHECK_OK(solve_from(&s, s.f, s.x));
        CHECK_OK(solve_dense(&s));
        CHECK_STATUS(pivot(&s, &row), SPTRSV_STATUS_INVALID_VALUE);
        CHECK_STATUS(analyse(&s), SPTRSV_STATUS_INVALID_VALUE);
        CHECK_STATUS(tune_from(&s, s.f, s.x), SPTRSV_STATUS_INVALID_VALUE);
        CHECK_MESSAGE("captur");
        CHECK_THAT(driver.broken_captures() == 0, "%s: a capture was ended by %d calls", ALGS[a].name, driver.broken_captures());
        driver.capture(0);
        CHECK_OK(solve_from(&s, s.f, s.x));
        CHECK_OK(pivot(&s, &row));
      }
      close_system(&s);
    }
  free_problem(&p);
  destroy_handle();
}

/* A captured update counts as made: solves, which wait for the first one, are taken from then on. */
static void an_update_is_captured(void) {
  find_standin();
  CHECK_OK(sptrsvCreate(&T.h));
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .op = 1, .setup = SPTRSV_ANALYSIS_MODE_CPU}, CHAIN, 5);
  for (int a = 0; a < COUNT(ALGS); a++) {
    System s;
    if (opened(&s, &p, a)) {
      analyse_for(&s, SPTRSV_COPY_WHERE_FASTER);
      CHECK_STATUS(solve_from(&s, s.f, s.x), SPTRSV_STATUS_INVALID_VALUE);
      driver.capture(1);
      CHECK_OK(update(&s));
      driver.capture(0);
      CHECK_OK(solve_from(&s, s.f, s.x));
    }
    close_system(&s);
  }
  free_problem(&p);
  destroy_handle();
}

static void solves_of_a_capture(void) { in_a_child("a_stream_captures", standin()); }

static void updates_of_a_capture(void) { in_a_child("an_update_is_captured", standin()); }

/* ---------------------------------------------------------------------------------------- two devices */

/* An info analysed on one GPU is refused on the other, with both their names and nothing written; a new analysis
 * there takes it over. */
static void an_info_moves(void) {
  find_standin();
  sptrsvHandle_t h[2];
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .setup = SPTRSV_ANALYSIS_MODE_CPU}, CHAIN, 5);
  for (int pools = 0; pools < 2; pools++) {
    driver.pools(pools);
    int before = driver.allocated();
    for (int device = 0; device < 2; device++) {
      driver.use(device);
      CHECK_OK(sptrsvCreate(&h[device]));
      driver.leave_current();
    }
    System s;
    CHECK_OK(open_system_on(h[0], &s, &p, SPTRSV_ALG_AUTO));
    analyse_for(&s, SPTRSV_COPY_ALL);
    CHECK_OK(solve_from(&s, s.f, s.x));
    for (int to = 1; to >= 0; to--) {
      int64_t row = -77;
      T.h = s.h = h[to];
      memset(s.x, 0x5a, s.bytes);
      CHECK_STATUS(solve_from(&s, s.f, s.x), SPTRSV_STATUS_PATTERN_MISMATCH);
      CHECK_MESSAGE(to ? "the handle's device is device 1" : "the handle's device is device 0");
      CHECK_MESSAGE(to ? "analysed with device 0" : "analysed with device 1");
      CHECK_STATUS(pivot(&s, &row), SPTRSV_STATUS_PATTERN_MISMATCH);
      CHECK_STATUS(update(&s), SPTRSV_STATUS_PATTERN_MISMATCH);
      CHECK_STATUS(sptrsvUpdateDiagonal(s.h, s.info, s.diag), SPTRSV_STATUS_PATTERN_MISMATCH);
      CHECK_STATUS(solve_dense(&s), SPTRSV_STATUS_PATTERN_MISMATCH);
      CHECK_MESSAGE("the handle's device");
      CHECK(row == -77 && mem_is(s.x, 0x5a, s.bytes));
      CHECK_OK(analyse_values(&s, s.val));
      CHECK_OK(update(&s));
      CHECK_OK(sptrsvUpdateDiagonal(s.h, s.info, s.diag));
      CHECK_OK(solve_from(&s, s.f, s.x));
      CHECK_OK(pivot(&s, &row));
      CHECK(row == -1);
    }
    close_system(&s);
    T.h = NULL;
    for (int device = 0; device < 2; device++) CHECK_OK(sptrsvDestroy(h[device]));
    CHECK(driver.allocated() == before);
    for (int device = 0; device < 2; device++) driver.leave_from(device);
  }
  free_problem(&p);
}

static void an_info_of_another_device(void) { in_a_child("an_info_moves", standin()); }

/* How often kernels are loaded when a handle is made. */
static int loads(sptrsvHandle_t *h) {
  driver.fail("cuModuleLoadDataEx", GARBLED); /* which only counts */
  CHECK_OK(sptrsvCreate(h));
  int calls = driver.calls();
  driver.fail(NULL, 0);
  return calls;
}

/* Without a context of its own a thread gets the primary one of device 0, whose kernels are there. */
static void is_on_device_0(void) {
  sptrsvHandle_t own, other;
  driver.use(0);
  CHECK(loads(&own) > 0);
  driver.leave_current();
  CHECK(loads(&other) == 0);
  CHECK_OK(sptrsvDestroy(other));
  CHECK_OK(sptrsvDestroy(own));
  driver.leave_from(0);
}

/* Handles on one context share its kernels and its memory, as long as there is one; another context that comes to
 * lie where it was has nothing of it. */
static void handles_share(void) {
  find_standin();
  sptrsvHandle_t first, h;
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .setup = SPTRSV_ANALYSIS_MODE_CPU}, CHAIN, 5);
  for (int pools = 0; pools < 2; pools++) {
    driver.pools(pools);
    int before = driver.allocated();
    is_on_device_0();
    /* The last one gives kernels and memory back, and the next one loads and allocates anew, on the same context. */
    driver.use(0);
    for (int turn = 0; turn < 2; turn++) {
      CHECK(loads(&first) > 0);
      CHECK(driver.allocated() > before);
      CHECK_OK(sptrsvDestroy(first));
      CHECK(driver.allocated() == before);
    }
    CHECK(loads(&first) > 0);
    CHECK(loads(&h) == 0);
    CHECK_OK(sptrsvDestroy(first));
    driver.leave();
    /* The context is destroyed, and so are others' handles on it of no use but to be destroyed. */
    driver.use(0);
    CHECK(loads(&first) > 0);
    CHECK_OK(sptrsvDestroy(h));
    System s;
    CHECK_OK(open_system_on(first, &s, &p, SPTRSV_ALG_AUTO));
    CHECK_OK(solve_from(&s, s.f, s.x));
    /* What an info needs is there when the handle is gone, and for the next one. */
    CHECK_OK(sptrsvDestroy(first));
    CHECK(loads(&h) == 0);
    T.h = s.h = h;
    CHECK_OK(solve_from(&s, s.f, s.x));
    close_system(&s);
    T.h = NULL;
    CHECK_OK(sptrsvDestroy(h));
    driver.leave();
    CHECK(driver.allocated() == before);

    /* One that finds the context current, and one that holds it itself. */
    driver.use(0);
    CHECK(loads(&first) > 0);
    driver.leave_current();
    CHECK(loads(&h) == 0);
    driver.leave_from(0);
    T.h = h;
    CHECK_OK(open_system_on(h, &s, &p, SPTRSV_ALG_AUTO));
    CHECK_OK(solve_from(&s, s.f, s.x));
    close_system(&s);
    T.h = NULL;
    CHECK_OK(sptrsvDestroy(first));
    CHECK_OK(sptrsvDestroy(h));
    CHECK(driver.allocated() == before);

    /* An info of a context that is gone is not taken for one of the next that lies there, nor a handle, and nothing of theirs
     * is freed there. */
    driver.use(0);
    CHECK_OK(sptrsvCreate(&first));
    T.h = first;
    CHECK_OK(open_system_on(first, &s, &p, SPTRSV_ALG_AUTO));
    driver.leave();
    driver.use(0);
    CHECK_STATUS(solve_from(&s, s.f, s.x), EXECUTION_FAILED);
    CHECK_OK(sptrsvCreate(&h));
    T.h = s.h = h;
    CHECK_STATUS(solve_from(&s, s.f, s.x), SPTRSV_STATUS_PATTERN_MISMATCH);
    close_system(&s);
    T.h = NULL;
    CHECK_OK(sptrsvDestroy(first));
    CHECK_OK(sptrsvDestroy(h));
    driver.leave();
    CHECK(driver.allocated() == before);

    /* A driver from before CUDA 12 does not tell contexts apart. */
    driver.use(0);
    driver.fail("cuCtxGetId", NO_SUCH_SYMBOL);
    CHECK_OK(sptrsvCreate(&first));
    int each = driver.allocated() - before; /* each handle has its own pages of host memory, and a pool where there are any */
    CHECK_OK(sptrsvCreate(&h));
    driver.fail(NULL, 0);
    CHECK(each > 0 && driver.allocated() - before == 2 * each);
    CHECK_OK(sptrsvDestroy(first));
    CHECK_OK(sptrsvDestroy(h));
    driver.leave();
    CHECK(driver.allocated() == before);
  }
  free_problem(&p);
}

static void handles_on_one_context(void) { in_a_child("handles_share", standin()); }

/* -------------------------------------------------------------------------------------- clusters of blocks */

/* Where a launch of clusters is refused, tiles and narrow levels are solved without them; other engines have nothing else
 * to try. Each kernel that may start before its turn is launched plainly where that is refused. */
static void refused_clusters(void) {
  enum { INVALID_CLUSTER_SIZE = 912 };
  static const struct {
    sptrsvAlgorithm_t alg;
    int launches;
  } engines[] = {{SPTRSV_ALG_SLFR, 1}, {SPTRSV_ALG_ONE_WORD, 4}, {SPTRSV_ALG_TILED, 4}};
  find_standin();
  driver.multiprocessors(132); /* of so many, tiles of this grid are in clusters */
  CHECK_OK(sptrsvCreate(&T.h));
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .setup = SPTRSV_ANALYSIS_MODE_CPU}, GRID, 60000);
  for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
    System s;
    CHECK_OK(open_system(&s, &p, engines[e].alg));
    CHECK_OK(solve_from(&s, s.f, s.x));
    driver.fail("cuLaunchKernel*", INVALID_CLUSTER_SIZE);
    CHECK_STATUS(solve_from(&s, s.f, s.x), EXECUTION_FAILED);
    CHECK_THAT(driver.calls() == engines[e].launches, "%d launches", driver.calls());
    driver.fail(NULL, 0);
    close_system(&s);
  }
  free_problem(&p);
  destroy_handle();
}

static void clusters_are_refused(void) { in_a_child("refused_clusters", standin()); }

/* -------------------------------------------------------------------------------------- memory runs out */

/* The address space of this process, in bytes. */
static rlim_t address_space(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%lu", &pages) != 1) fatal("/proc/self/statm", "cannot be read");
  fclose(file);
  return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* With little room to grow: an analysis works or is refused, whatever the limit; it never ends the program, and
 * it loses nothing. Whether the allocator keeps what was freed, and so meets the limit late, is up to it, unless
 * `strict` has large blocks go back at once: then there must be refusals. */
static void little_room(const Problem *p, int strict) {
  struct rlimit old;
  if (getrlimit(RLIMIT_AS, &old)) fatal("getrlimit", "failed");
  for (int a = 0; a < COUNT(ALGS); a++) {
    System s;
    if (ALGS[a].id > SPTRSV_ALG_GSF) continue; /* on the host these run as SLFR */
    if (opened(&s, p, a)) {
      int refused = 0, worked = 0;
      for (int mib = 0; mib <= 48; mib += 4) {
        struct rlimit less = old;
        less.rlim_cur = address_space() + ((rlim_t)mib << 20);
        if (setrlimit(RLIMIT_AS, &less)) fatal("setrlimit", "failed");
        sptrsvStatus_t status = analyse(&s);
        setrlimit(RLIMIT_AS, &old);
        CHECK_THAT(status == SPTRSV_STATUS_SUCCESS || status == ALLOC_FAILED, "%s with %d MiB: %s", ALGS[a].name, mib,
                   sptrsvGetErrorName(status));
        if (status == ALLOC_FAILED && !refused++) CHECK_MESSAGE("bytes of host memory");
        worked += status == SPTRSV_STATUS_SUCCESS;
        if (mib % 12 == 0) CHECK_THAT(is_right(&s), "%s: a solve after an analysis with %d MiB", ALGS[a].name, mib);
      }
      CHECK_THAT(worked > 0 && (refused > 0 || !strict), "%s: %d analyses were refused and %d worked", ALGS[a].name,
                 refused, worked);
    }
    close_system(&s);
  }
}

static void little_host_memory(void) {
  CHECK_OK(sptrsvCreateWithExecutor(&T.h, SPTRSV_EXECUTOR_HOST));
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 150000);
  little_room(&p, 0);
  if (!mallopt(M_MMAP_THRESHOLD, 1 << 16)) fatal("mallopt", "refused");
  malloc_trim(0);
  little_room(&p, 1);
  free_problem(&p);
}

static void host_memory_runs_out(void) { in_a_child("little_host_memory", NULL); }

/* What else takes memory: copies of values and patterns, both operations, factorisations, sweeps and a tuning. */
enum Purpose { ALL_VALUES, ALL_OPERATIONS, KEEP_PATTERN, FACTORISATIONS, SWEEPS, TUNING, PURPOSES };
static const char *const PURPOSE_NAMES[] = {"a copy of all values", "all operations", "a kept pattern", "factorisations", "sweeps", "a tuning"};

static void set_purpose(System *s, enum Purpose purpose) {
  CHECK_OK(sptrsvSetCopyValues(s->info, purpose == ALL_VALUES ? SPTRSV_COPY_ALL : SPTRSV_COPY_NONE));
  CHECK_OK(sptrsvSetAnalysisForAllOperations(s->info, purpose == ALL_OPERATIONS));
  CHECK_OK(sptrsvSetKeepPattern(s->info, purpose == KEEP_PATTERN));
  CHECK_OK(sptrsvSetFactorization(s->info, purpose == FACTORISATIONS));
  CHECK_OK(sptrsvSetSweeps(s->info, purpose == SWEEPS ? SPTRSV_SWEEPS_GAUSS_SEIDEL : SPTRSV_SWEEPS_NONE));
  CHECK_OK(make_buffer(s));
}

static void little_host_memory_for_more(void) {
  CHECK_OK(sptrsvCreateWithExecutor(&T.h, SPTRSV_EXECUTOR_HOST));
  if (!mallopt(M_MMAP_THRESHOLD, 1 << 16)) fatal("mallopt", "refused");
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 150000);
  System s;
  CHECK_OK(open_system(&s, &p, SPTRSV_ALG_AUTO));
  for (enum Purpose purpose = 0; purpose < PURPOSES; purpose++) {
    struct rlimit old;
    int refused = 0, worked = 0;
    if (getrlimit(RLIMIT_AS, &old)) fatal("getrlimit", "failed");
    for (int mib = 0; mib <= 64; mib += 2) {
      CHECK_OK(sptrsvDestroyInfo(s.info));
      CHECK_OK(sptrsvCreateInfo(&s.info));
      set_purpose(&s, purpose);
      struct rlimit less = old;
      less.rlim_cur = address_space() + ((rlim_t)mib << 20);
      if (setrlimit(RLIMIT_AS, &less)) fatal("setrlimit", "failed");
      sptrsvStatus_t status = analyse_values(&s, s.val);
      if (purpose == TUNING && !status) status = tune_from(&s, s.f, s.x);
      setrlimit(RLIMIT_AS, &old);
      CHECK_THAT(!status || status == ALLOC_FAILED, "%s with %d MiB: %s", PURPOSE_NAMES[purpose], mib, sptrsvGetErrorName(status));
      if (status == ALLOC_FAILED && !refused++) CHECK_MESSAGE("bytes of host memory");
      worked += !status;
    }
    CHECK_THAT(worked > 0 && refused > 0, "%s: %d times refused and %d times not", PURPOSE_NAMES[purpose], refused, worked);
    CHECK_OK(analyse_values(&s, s.val));
    CHECK_THAT(is_right(&s), "%s: a solve when there was memory again", PURPOSE_NAMES[purpose]);
  }
  close_system(&s);
  free_problem(&p);
}

static void host_memory_runs_out_for_more(void) { in_a_child("little_host_memory_for_more", NULL); }

/* The same for an analysis on the CPU of a matrix on a GPU. The stand-in's memory is the host's too, so either
 * kind may run out; what counts is that the first to do so is what the analysis works in. */
static void little_host_memory_for_a_gpu(void) {
  if (!mallopt(M_MMAP_THRESHOLD, 1 << 16)) fatal("mallopt", "refused");
  find_standin();
  driver.pools(1);
  CHECK_OK(sptrsvCreate(&T.h));
  for (int kind = 0; kind < 2; kind++) {
    Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .wide = 2 * kind, .op = kind, .setup = SPTRSV_ANALYSIS_MODE_CPU}, GRID,
                             60000);
    for (int a = 0; a < COUNT(ALGS); a++) {
      System s;
      if (opened(&s, &p, a)) {
        struct rlimit old;
        if (getrlimit(RLIMIT_AS, &old)) fatal("getrlimit", "failed");
        int refused = 0, worked = 0;
        for (int mib = 0; mib <= 40; mib++) {
          struct rlimit less = old;
          less.rlim_cur = address_space() + ((rlim_t)mib << 20);
          if (setrlimit(RLIMIT_AS, &less)) fatal("setrlimit", "failed");
          sptrsvStatus_t status = analyse(&s);
          setrlimit(RLIMIT_AS, &old);
          if (mib == 0) CHECK_MESSAGE("bytes of host memory");
          CHECK_THAT(status == SPTRSV_STATUS_SUCCESS || status == ALLOC_FAILED, "%s with %d MiB: %s, \"%s\"",
                     ALGS[a].name, mib, sptrsvGetErrorName(status), sptrsvGetLastErrorString());
          refused += status == ALLOC_FAILED;
          worked += status == SPTRSV_STATUS_SUCCESS;
        }
        CHECK_THAT(worked > 0 && refused > 0, "%s: %d analyses were refused and %d worked", ALGS[a].name, refused, worked);
      }
      close_system(&s);
    }
    free_problem(&p);
  }
  destroy_handle();
}

static void host_memory_runs_out_for_a_gpu(void) { in_a_child("little_host_memory_for_a_gpu", standin()); }

/* Solves for so many right-hand sides, by columns and into rows: whether all is right. */
static int are_right(System *s, void *f, void *x, int64_t columns) {
  const Problem *p = s->p;
  double *host = malloc(s->bytes * (size_t)columns), *column = malloc(s->bytes);
  int right = 1;
  for (int by_rows = 0; by_rows < 2; by_rows++) {
    mem_fill(x, 0xff, s->bytes * (size_t)columns);
    right &= (by_rows ? solve_into_rows(s, columns, f, x) : solve_columns(s, columns, f, x)) == SPTRSV_STATUS_SUCCESS;
    mem_get(host, x, s->bytes * (size_t)columns);
    for (int64_t j = 0; j < columns && right; j++) {
      for (int64_t i = 0; i < p->n; i++) column[i] = by_rows ? host[i * columns + j] : host[j * p->n + i];
      right = worst_error(p, p->alpha, p->f, column) <= 1;
    }
  }
  free(host), free(column);
  return right;
}

/* With the GPU's memory filled up: solves and updates need none, be it the first ones of an algorithm and of so many right-hand
 * sides. */
static void first_solves_without_memory(void) {
  enum { COLUMNS = 32 };
  static void *taken[MOST_TAKEN];
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 3000);
  System s[COUNT(ALGS)];
  int is_open[COUNT(ALGS)];
  size_t bytes = (size_t)p.n * sizeof(double);
  for (int a = 0; a < COUNT(ALGS); a++) {
    is_open[a] = opened(&s[a], &p, a);
    if (is_open[a]) analyse_for(&s[a], SPTRSV_COPY_ALL);
  }
  put_whole_diagonal(&p, p.diag); /* as the updates below do */
  char *f = mem_new(COLUMNS * bytes), *x = mem_new(COLUMNS * bytes);
  for (int j = 0; j < COLUMNS; j++) mem_put(f + (size_t)j * bytes, p.f, bytes);
  int count = take_memory(taken, 0);
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int columns = 1; is_open[a] && columns <= COLUMNS; columns = columns == 1 ? 4 : 8 * columns) {
      CHECK_OK(sptrsvUpdateValues(T.h, s[a].info, s[a].val));
      CHECK_OK(sptrsvUpdateDiagonal(T.h, s[a].info, s[a].diag));
      CHECK_THAT(are_right(&s[a], f, x, columns), "%s: a first solve for %d right-hand sides: \"%s\"", ALGS[a].name, columns,
                 sptrsvGetLastErrorString());
    }
  give_memory_back(taken, count);
  mem_free(f), mem_free(x);
  for (int a = 0; a < COUNT(ALGS); a++) close_system(&s[a]);
  free_problem(&p);
}

/* With the GPU's memory filled up: a solve works, an analysis with the memory of the one before it works, the first one of an
 * info is refused, and all works again after it. */
static void device_memory_runs_out(void) {
  static void *taken[MOST_TAKEN];
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 1000000);
  System s;
  if (opened(&s, &p, 0)) {
    CHECK(is_right(&s));
    int count = take_memory(taken, 0);
    CHECK(is_right(&s));
    CHECK_OK(analyse(&s));
    CHECK(is_right(&s));
    count = take_memory(taken, count);
    sptrsvInfo_t full = s.info;
    CHECK_OK(sptrsvCreateInfo(&s.info));
    CHECK_STATUS(analyse(&s), ALLOC_FAILED);
    CHECK_MESSAGE("device memory");
    CHECK_STATUS(solve_from(&s, s.f, s.x), SPTRSV_STATUS_NOT_ANALYSED);
    give_memory_back(taken, count);
    CHECK_OK(analyse(&s));
    CHECK(is_right(&s));
    CHECK_OK(sptrsvDestroyInfo(full));
  }
  close_system(&s);
  free_problem(&p);
}

/* --------------------------------------------------------------------- an error of asynchronous work */

/* x lies where there is no memory. The GPU notices when the solve is under way, and the context is lost; every
 * later call says so, and taking everything down does not crash. */
static void x_is_nowhere(void) {
  T.on_gpu = 1;
  CHECK_OK(sptrsvCreate(&T.h));
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 10000);
  System s;
  if (opened(&s, &p, 0)) {
    int64_t row = -77;
    CHECK_OK(solve_from(&s, s.f, (void *)64));
    CHECK_STATUS(pivot(&s, &row), EXECUTION_FAILED);
    CHECK_MESSAGE("earlier asynchronous work");
    CHECK(row == -77);
    CHECK_STATUS(solve_from(&s, s.f, s.x), EXECUTION_FAILED);
    CHECK_STATUS(pivot(&s, &row), EXECUTION_FAILED);
    CHECK_OK(sptrsvDestroyInfo(s.info));
    CHECK_OK(sptrsvDestroyMatDescr(s.d));
  }
  destroy_handle();
}

/* Nothing else in the process holds the GPU's context, so each handle opens it and its end closes it. */
static void handles_in_turn(void) {
  for (int i = 0; i < 3; i++) {
    CHECK_OK(sptrsvCreate(&T.h));
    destroy_handle();
  }
}

static void a_handle_after_the_last_one(void) { in_a_child("handles_in_turn", NULL); }

static void a_solve_fails_on_the_gpu(void) { in_a_child("x_is_nowhere", NULL); }

/* ------------------------------------------------------------------------------ a wait that never ends */

static sptrsvStatus_t solve_again(void *subject) {
  System *s = subject;
  return solve_from(s, s->f, s->x);
}

static int is_solved(void *subject) {
  System *s = subject;
  double *x = malloc(s->bytes);
  mem_get(x, s->x, s->bytes);
  long double worst = worst_error(s->p, s->p->alpha, s->p->f, x);
  free(x);
  return worst <= 1;
}

/* The buffer is given to somebody else during a solve. */
static void the_buffer_is_overwritten(void) {
  if (T.on_gpu) return; /* the run on the host executor has it */
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, CHAIN, 100000);
  for (int a = 0; a < COUNT(ALGS); a++) {
    System s;
    if (!ALGS[a].self_scheduled) continue;
    if (opened(&s, &p, a)) {
      Watched w = {.name = ALGS[a].name, .call = solve_again, .is_right = is_solved, .subject = &s, .x = s.x, .before = p.f, .count = p.n,
                   .infos = {s.info}, .pivot = sptrsvZeroPivot, .leaves_nan = 1, .buffer = s.buffer, .buffer_bytes = s.buffer_bytes};
      CHECK_THAT(watch(&w), "%s: no solve was ended", ALGS[a].name);
    }
    close_system(&s);
  }
  free_problem(&p);
}

static const Child CHILDREN[] = {
    {"driver_faults", driver_faults}, {"little_host_memory", little_host_memory}, {"x_is_nowhere", x_is_nowhere},
    {"handles_in_turn", handles_in_turn}, {"an_info_moves", an_info_moves}, {"refused_clusters", refused_clusters},
    {"handles_share", handles_share}, {"a_stream_captures", a_stream_captures},
    {"an_update_is_captured", an_update_is_captured},
    {"little_host_memory_for_more", little_host_memory_for_more},
    {"little_host_memory_for_a_gpu", little_host_memory_for_a_gpu}};

int main(int argc, char **argv) {
  if (is_child(argc, argv)) return run_child(CHILDREN, COUNT(CHILDREN), argv[2]);
  check_begin("test_faults", argc, argv);
  RUN(errors_of_the_driver);
  RUN(solves_of_a_capture);
  RUN(updates_of_a_capture);
  RUN(an_info_of_another_device);
  RUN(handles_on_one_context);
  RUN(clusters_are_refused);
  RUN(host_memory_runs_out);
  RUN(host_memory_runs_out_for_more);
  RUN(host_memory_runs_out_for_a_gpu);
  RUN_ON_GPU(device_memory_runs_out);
  RUN_ON_GPU(first_solves_without_memory);
  RUN_ON_GPU(a_solve_fails_on_the_gpu);
  RUN_ON_GPU(a_handle_after_the_last_one);
  RUN(the_buffer_is_overwritten);
  return check_end();
}
