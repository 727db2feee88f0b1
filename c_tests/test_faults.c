/*
 * The statuses that no argument brings: memory that runs out, errors of the driver, a GPU that the library has
 * no code for, a wait that never ends, a defect inside. Each must end as its status and a message, with the
 * analysis from before intact, and the same call must work once the fault is gone.
 *
 * What would end or spoil the process runs in a child of its own, this very program with the name of a case.
 * The driver's faults come from standin/libcuda.c, on every machine.
 */
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "problem.h"

#define ALLOC_FAILED SPTRSV_STATUS_ALLOC_FAILED
#define EXECUTION_FAILED SPTRSV_STATUS_EXECUTION_FAILED

/* ---------------------------------------------------------------------------------------------- children */

/* Runs a case of `CHILDREN` in a process of its own, with a folder in front of the library search path. */
static void in_a_child(const char *name, const char *libraries) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    setenv("RUST_BACKTRACE", "0", 1); /* of the panic that one case provokes, a line is enough */
    if (libraries) {
      const char *old = getenv("LD_LIBRARY_PATH");
      char path[8192];
      snprintf(path, sizeof path, "%s%s%s", libraries, old ? ":" : "", old ? old : "");
      setenv("LD_LIBRARY_PATH", path, 1);
    }
    execl("/proc/self/exe", "test_faults", "--child", name, (char *)NULL);
    _exit(127);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK_THAT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child for %s ended with status %#x", name, status);
}

/* The folder that holds the stand-in of the driver: beside this program. */
static const char *standin(void) {
  static char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 16);
  if (length <= 0) fatal("readlink", "this program does not know its own path");
  path[length] = 0;
  strcpy(strrchr(path, '/'), "/standin");
  return path;
}

/* Checks ask T.h for its message, so it must not be the destroyed one. */
static void destroy_handle(void) {
  sptrsvHandle_t h = T.h;
  T.h = NULL;
  CHECK_OK(sptrsvDestroy(h));
}

static sptrsvStatus_t pivot(const System *s, int64_t *row) { return sptrsvZeroPivot(s->h, s->info, row); }

static int is_right(System *s) {
  void *x = malloc(s->bytes);
  int right = solve(s, x) == SPTRSV_STATUS_SUCCESS && worst_error(s->p, s->p->alpha, s->p->f, x) <= 1;
  free(x);
  return right;
}

/* ------------------------------------------------------------------------------- faults of the driver */

enum { NO_DEVICE = 100, INVALID_DEVICE = 101, NO_BINARY_FOR_GPU = 209, INVALID_PTX = 218, ILLEGAL_ADDRESS = 700,
       LAUNCH_FAILED = 719, OUT_OF_MEMORY = 2, INVALID_CONTEXT = 201, GARBLED = -1,
       DEVICE_UNAVAILABLE = 46, NEW_IN_CUDA_12 = 914, NEVER_HEARD_OF = 12345 };
/* ANALYSIS fails before an info gives up the analysis from before, SCHEDULE after it. */
enum Step { CREATE, FIRST_ANALYSIS, ANALYSIS, SCHEDULE, SOLVE, PIVOT, DESTROY };

/* An entry point that fails, with CUDA's error; the call of ours that notices, and its status and words. */
static const struct {
  const char *entry;
  int error;
  enum Step step;
  sptrsvAlgorithm_t algorithm;
  sptrsvStatus_t status;
  const char *word;
} FAULTS[] = {
    {"cuInit", NO_DEVICE, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_NO_DRIVER, NULL},
    {"cuDeviceGet", INVALID_DEVICE, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_NO_DRIVER, NULL},
    {"cuModuleLoadDataEx", NO_BINARY_FOR_GPU, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_ARCH_MISMATCH, NULL},
    {"cuModuleLoadDataEx", INVALID_PTX, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_ARCH_MISMATCH, NULL},
    {"cuModuleLoadDataEx", LAUNCH_FAILED, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL},
    {"cuCtxGetCurrent", INVALID_CONTEXT, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL},
    {"cuDevicePrimaryCtxRetain", OUT_OF_MEMORY, CREATE, SPTRSV_ALG_AUTO, ALLOC_FAILED, NULL},
    {"cuDevicePrimaryCtxRetain", INVALID_DEVICE, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL},
    {"cuModuleLoadDataEx", OUT_OF_MEMORY, CREATE, SPTRSV_ALG_AUTO, ALLOC_FAILED, NULL},
    {"cuInit", NEVER_HEARD_OF, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_NO_DRIVER, NULL},
    {"cuDevicePrimaryCtxRetain", DEVICE_UNAVAILABLE, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL},
    {"cuCtxGetDevice", DEVICE_UNAVAILABLE, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL},
    {"cuCtxGetDevice", INVALID_CONTEXT, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL},
    {"cuDeviceGetAttribute", INVALID_DEVICE, CREATE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, NULL},
    /* A name without an end is more than the library is prepared for: it must say so, and go on living. */
    {"cuDeviceGetName", GARBLED, CREATE, SPTRSV_ALG_AUTO, SPTRSV_STATUS_INTERNAL_ERROR, NULL},

    {"cuMemHostAlloc", OUT_OF_MEMORY, FIRST_ANALYSIS, SPTRSV_ALG_AUTO, ALLOC_FAILED, "memory"},
    {"cuModuleGetFunction", LAUNCH_FAILED, FIRST_ANALYSIS, SPTRSV_ALG_LEVR, EXECUTION_FAILED, "cuModuleGetFunction"},

    {"cuStreamIsCapturing", INVALID_CONTEXT, ANALYSIS, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuStreamIsCapturing"},
    {"cuMemcpyDtoHAsync_v2", LAUNCH_FAILED, ANALYSIS, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuMemcpyDtoHAsync"},
    {"cuMemcpyHtoDAsync_v2", LAUNCH_FAILED, SCHEDULE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuMemcpyHtoDAsync"},
    {"cuStreamSynchronize", LAUNCH_FAILED, ANALYSIS, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuStreamSynchronize"},
    {"cuMemAlloc_v2", OUT_OF_MEMORY, SCHEDULE, SPTRSV_ALG_AUTO, ALLOC_FAILED, "device memory"},
    {"cuMemHostGetDevicePointer_v2", LAUNCH_FAILED, SCHEDULE, SPTRSV_ALG_AUTO, EXECUTION_FAILED,
     "cuMemHostGetDevicePointer"},
    {"cuMemsetD8Async", LAUNCH_FAILED, SCHEDULE, SPTRSV_ALG_ONE_WORD, EXECUTION_FAILED, "cuMemsetD8Async"},
    {"cuStreamCreate", OUT_OF_MEMORY, SCHEDULE, SPTRSV_ALG_LEVR, ALLOC_FAILED, "device memory"},
    {"cuStreamBeginCapture_v2", INVALID_CONTEXT, SCHEDULE, SPTRSV_ALG_LEVR, EXECUTION_FAILED, "cuStreamBeginCapture"},
    {"cuStreamEndCapture", INVALID_CONTEXT, SCHEDULE, SPTRSV_ALG_LEVR, EXECUTION_FAILED, "cuStreamEndCapture"},
    {"cuGraphInstantiateWithFlags", OUT_OF_MEMORY, SCHEDULE, SPTRSV_ALG_LEVR, ALLOC_FAILED, "device memory"},

    {"cuLaunchKernel", LAUNCH_FAILED, SOLVE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuLaunchKernel"},
    {"cuLaunchKernel", ILLEGAL_ADDRESS, SOLVE, SPTRSV_ALG_SLFR, EXECUTION_FAILED, "ILLEGAL_ADDRESS"},
    {"cuLaunchKernel", NEW_IN_CUDA_12, SOLVE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuLaunchKernel"},
    {"cuGraphLaunch", LAUNCH_FAILED, SOLVE, SPTRSV_ALG_LEVR, EXECUTION_FAILED, "cuGraphLaunch"},
    {"cuCtxGetCurrent", INVALID_CONTEXT, SOLVE, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuCtxGetCurrent"},

    {"cuCtxSynchronize", ILLEGAL_ADDRESS, PIVOT, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "earlier asynchronous work"},
    {"cuMemcpyDtoHAsync_v2", LAUNCH_FAILED, PIVOT, SPTRSV_ALG_AUTO, EXECUTION_FAILED, "cuMemcpyDtoHAsync"},

    {"cuMemFree_v2", LAUNCH_FAILED, DESTROY, SPTRSV_ALG_AUTO, SPTRSV_STATUS_SUCCESS, NULL},
    {"cuGraphExecDestroy", LAUNCH_FAILED, DESTROY, SPTRSV_ALG_LEVR, SPTRSV_STATUS_SUCCESS, NULL},
    {"cuCtxGetCurrent", INVALID_CONTEXT, DESTROY, SPTRSV_ALG_LEVR, SPTRSV_STATUS_SUCCESS, NULL},
};

/* Takes a step. The first analysis opens the system, if that is not done yet. */
static sptrsvStatus_t take(enum Step step, System *s, const Problem *p, sptrsvAlgorithm_t algorithm) {
  int64_t row = -77;
  sptrsvStatus_t status = SPTRSV_STATUS_SUCCESS;
  switch (step) {
    case CREATE:
      status = sptrsvCreate(&T.h);
      CHECK((status == SPTRSV_STATUS_SUCCESS) == (T.h != NULL));
      break;
    case FIRST_ANALYSIS: return s->info ? analyse(s) : open_system_on(T.h, s, p, algorithm);
    case ANALYSIS:
    case SCHEDULE: return analyse(s);
    case SOLVE: return solve_from(s, s->f, s->x);
    case PIVOT:
      status = pivot(s, &row);
      CHECK(row == (status ? -77 : -1));
      break;
    case DESTROY:
      status = sptrsvDestroyInfo(s->info);
      s->info = NULL;
      break;
  }
  return status;
}

static struct {
  void (*fail)(const char *entry, int error);
  int (*calls)(void);
} driver;

/* One fault: the steps before it work; the step ends as it must, and works when the fault is gone. */
static void one_fault(int i, const Problem *p) {
  char text[100];
  snprintf(text, sizeof text, "%s failing with %d", FAULTS[i].entry, FAULTS[i].error);
  T.current = text;
  System s = {0};
  for (enum Step step = CREATE; step <= DESTROY; step++) {
    if (step == FAULTS[i].step) {
      driver.fail(FAULTS[i].entry, FAULTS[i].error);
      CHECK_STATUS(take(step, &s, p, FAULTS[i].algorithm), FAULTS[i].status);
      CHECK_THAT(driver.calls() > 0, "the library did not call it");
      driver.fail(NULL, 0);
      if (FAULTS[i].word) CHECK_MESSAGE(FAULTS[i].word);
      if (step == FIRST_ANALYSIS) CHECK_STATUS(solve_from(&s, s.f, s.x), SPTRSV_STATUS_NOT_ANALYSED);
      if (step == ANALYSIS) CHECK_OK(solve_from(&s, s.f, s.x));
      if (step == SCHEDULE) CHECK_STATUS(solve_from(&s, s.f, s.x), SPTRSV_STATUS_NOT_ANALYSED);
      if (step == DESTROY) break;
    }
    CHECK_OK(take(step, &s, p, FAULTS[i].algorithm));
  }
  close_system(&s);
  destroy_handle();
}

static void driver_faults(void) {
  /* The library's driver is the stand-in, so this is the one that it has open. */
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library) {
    *(void **)&driver.fail = dlsym(library, "standin_fail");
    *(void **)&driver.calls = dlsym(library, "standin_calls");
  }
  if (!driver.fail || !driver.calls) fatal("libcuda.so.1", "it is not the stand-in");
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F, .setup = SPTRSV_SETUP_CPU}, CHAIN, 5);
  for (int i = 0; i < COUNT(FAULTS); i++) one_fault(i, &p);
  free_problem(&p);
}

static void errors_of_the_driver(void) { in_a_child("driver_faults", standin()); }

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

/* The GPU's memory is filled up: a solve needs none, the analysis is refused, and all works again after it. */
static void device_memory_runs_out(void) {
  enum { MOST = 4096 };
  static void *taken[MOST];
  int count = 0;
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 1000000);
  System s;
  if (opened(&s, &p, 0)) {
    CHECK(is_right(&s));
    for (size_t bytes = (size_t)1 << 36; bytes >= (size_t)1 << 20; bytes /= 2)
      while (count < MOST && cudaMalloc(&taken[count], bytes) == cudaSuccess) count++;
    cudaGetLastError();
    CHECK(is_right(&s));
    CHECK_STATUS(analyse(&s), ALLOC_FAILED);
    CHECK_MESSAGE("device memory");
    CHECK_STATUS(solve_from(&s, s.f, s.x), SPTRSV_STATUS_NOT_ANALYSED);
    while (count > 0) mem_free(taken[--count]);
    CHECK_OK(analyse(&s));
    CHECK(is_right(&s));
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

typedef struct {
  volatile unsigned char *buffer;
  size_t bytes;
  atomic_int on;
} Scribbler;

static void *scribble(void *argument) {
  Scribbler *w = argument;
  while (atomic_load(&w->on))
    for (size_t i = 0; i < w->bytes; i++) w->buffer[i] = 0x7f;
  return NULL;
}

/* The buffer is given to somebody else during a solve, against the contract: counts of dependencies then never
 * reach zero. The watchdog ends the wait, says so once, and the info is as good as before. */
static void the_buffer_is_overwritten(void) {
  if (T.on_gpu) return; /* the run on the host executor has it */
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, CHAIN, 100000);
  for (int a = 0; a < COUNT(ALGS); a++) {
    System s;
    if (!ALGS[a].self_scheduled) continue;
    if (opened(&s, &p, a)) {
      CHECK(is_right(&s));
      CHECK_OK(sptrsvSetTimeout(T.h, 0.2));
      int64_t row = -77;
      double *x = malloc(s.bytes);
      sptrsvStatus_t status = SPTRSV_STATUS_SUCCESS;
      Scribbler w = {.buffer = s.buffer, .bytes = s.buffer_bytes, .on = 1};
      pthread_t thread;
      if (pthread_create(&thread, NULL, scribble, &w)) fatal("pthread_create", "failed");
      /* A solve may still be lucky, but not again and again. */
      for (int i = 0; i < 50 && status == SPTRSV_STATUS_SUCCESS; i++) {
        CHECK_OK(solve_from(&s, s.f, s.x));
        status = pivot(&s, &row);
        if (status == SPTRSV_STATUS_SUCCESS) row = -77;
      }
      atomic_store(&w.on, 0);
      pthread_join(thread, NULL);
      CHECK_THAT(status == SPTRSV_STATUS_TIMED_OUT, "%s: %s", ALGS[a].name, sptrsvGetErrorName(status));
      CHECK_MESSAGE("watchdog");
      CHECK(row == -77);
      mem_get(x, s.x, s.bytes);
      int64_t nans = 0;
      for (int64_t i = 0; i < p.n; i++) nans += isnan(x[i]) != 0;
      CHECK_THAT(nans == p.n, "%s: %" PRId64 " values of a solve that was ended look valid", ALGS[a].name, p.n - nans);
      CHECK_OK(pivot(&s, &row)); /* it is said once */
      CHECK(row == -1);
      CHECK_OK(sptrsvSetTimeout(T.h, 10));
      CHECK(is_right(&s));
      free(x);
    }
    close_system(&s);
  }
  free_problem(&p);
}

static const struct {
  const char *name;
  void (*run)(void);
} CHILDREN[] = {
    {"driver_faults", driver_faults}, {"little_host_memory", little_host_memory}, {"x_is_nowhere", x_is_nowhere},
    {"handles_in_turn", handles_in_turn}};

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "--child")) {
    for (int i = 0; i < COUNT(CHILDREN); i++)
      if (!strcmp(argv[2], CHILDREN[i].name)) {
        T.name = T.current = CHILDREN[i].name;
        CHILDREN[i].run();
        fflush(stdout);
        return T.failed != 0 || T.passed == 0;
      }
    return 2;
  }
  check_begin("test_faults", argc, argv);
  RUN(errors_of_the_driver);
  RUN(host_memory_runs_out);
  RUN_ON_GPU(device_memory_runs_out);
  RUN_ON_GPU(a_solve_fails_on_the_gpu);
  RUN_ON_GPU(a_handle_after_the_last_one);
  RUN(the_buffer_is_overwritten);
  return check_end();
}
