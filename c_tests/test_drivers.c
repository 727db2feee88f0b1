/*
 * What a handle says where a GPU cannot be used: a driver that is missing, a stub, broken or too old, and a GPU that the
 * library has no code for. Each is one line that says what to do. The driver is standin/libcuda.c, on every machine.
 */
#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STUB_LIBRARY = 34, NO_DEVICE = 100, INVALID_IMAGE = 200, NO_BINARY_FOR_GPU = 209, UNSUPPORTED_PTX_VERSION = 222,
       INVALID_SOURCE = 300, DRIVER_MISMATCH = 803 };

/* What the driver says of itself and its GPU, the call that fails with an error, and the status and words that come of it. */
static const struct {
  int driver, capability;
  const char *entry;
  int error;
  sptrsvStatus_t status;
  const char *words, *more;
} CASES[] = {
    {13000, 90, "cuInit", NO_DEVICE, SPTRSV_STATUS_NO_DRIVER, "the NVIDIA driver sees no GPU", "host executor"},
    {13000, 90, "cuInit", STUB_LIBRARY, SPTRSV_STATUS_NO_DRIVER, "toolkit's stub", "host executor"},
    {13000, 90, "cuInit", DRIVER_MISMATCH, SPTRSV_STATUS_NO_DRIVER, "different versions; restart", "host executor"},
    {13000, 90, "cuInit", 999, SPTRSV_STATUS_NO_DRIVER, "the NVIDIA driver does not start", "CUDA_ERROR_UNKNOWN"},
    {13000, 50, "cuModuleLoadDataEx", NO_BINARY_FOR_GPU, SPTRSV_STATUS_ARCH_MISMATCH, "of compute capability 5.0",
     "build it with SPTRSV_CUDA_ARCHS=50"},
    {9000, 50, "cuModuleLoadDataEx", NO_BINARY_FOR_GPU, SPTRSV_STATUS_ARCH_MISMATCH, "of compute capability 5.0",
     "build it with SPTRSV_CUDA_ARCHS=50"},
    {99000, 121, "cuModuleLoadDataEx", UNSUPPORTED_PTX_VERSION, SPTRSV_STATUS_ARCH_MISMATCH, "of compute capability 12.1",
     "or update the driver"},
    {9020, 90, "cuModuleLoadDataEx", INVALID_IMAGE, SPTRSV_STATUS_ARCH_MISMATCH, "the NVIDIA driver is for CUDA 9.2,",
     "update the driver, or build"},
    {9000, 90, "cuModuleLoadDataEx", UNSUPPORTED_PTX_VERSION, SPTRSV_STATUS_ARCH_MISMATCH, "the NVIDIA driver is for CUDA 9.0,",
     "update the driver, or build"},
    {9000, 90, "cuModuleLoadDataEx", INVALID_SOURCE, SPTRSV_STATUS_ARCH_MISMATCH, "the NVIDIA driver is for CUDA 9.0,",
     "update the driver, or build"}};

static void *symbol(void *library, const char *name) {
  void *found = library ? dlsym(library, name) : NULL;
  if (!found) fatal("libcuda.so.1", "it is not the stand-in");
  return found;
}

static void messages(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  void (*fail)(const char *, int), (*gpu)(int, int);
  *(void **)&fail = symbol(library, "standin_fail");
  *(void **)&gpu = symbol(library, "standin_gpu");
  for (int i = 0; i < COUNT(CASES); i++) {
    sptrsvHandle_t h = NULL;
    gpu(CASES[i].driver, CASES[i].capability);
    fail(CASES[i].entry, CASES[i].error);
    CHECK_STATUS(sptrsvCreateWithExecutor(&h, SPTRSV_EXECUTOR_CUDA), CASES[i].status);
    const char *said = sptrsvGetLastErrorString();
    CHECK_THAT(strstr(said, CASES[i].words) && strstr(said, CASES[i].more), "%s failing with %d: %s", CASES[i].entry,
               CASES[i].error, said);
    CHECK_THAT(!strchr(said, '\n'), "more than one line: %s", said);
    fail(NULL, 0);
  }
  /* Once the cause is gone, a handle can be made. */
  sptrsvHandle_t h = NULL;
  gpu(13000, 90);
  CHECK_OK(sptrsvCreateWithExecutor(&h, SPTRSV_EXECUTOR_CUDA));
  CHECK_OK(sptrsvDestroy(h));
}

/* Runs this program again with a folder in front of the library search path. */
static void in_a_child(const char *libraries) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    const char *old = getenv("LD_LIBRARY_PATH");
    char path[8192];
    snprintf(path, sizeof path, "%s%s%s", libraries, old ? ":" : "", old ? old : "");
    setenv("LD_LIBRARY_PATH", path, 1);
    execl("/proc/self/exe", "test_drivers", "--child", (char *)NULL);
    _exit(127);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK_THAT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with status %#x", status);
}

static void one_line_for_each_driver(void) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 16);
  if (length <= 0) fatal("readlink", "this program does not know its own path");
  path[length] = 0;
  strcpy(strrchr(path, '/'), "/standin");
  in_a_child(path);
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--child")) {
    T.name = T.current = "messages";
    messages();
    fflush(stdout);
    return T.failed != 0 || T.passed == 0;
  }
  check_begin("test_drivers", argc, argv);
  RUN(one_line_for_each_driver);
  return check_end();
}
