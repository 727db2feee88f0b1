/*
 * What a handle says where a GPU cannot be used: a driver that is missing, a stub, broken or too old, and a GPU that the
 * library has no code for. Each is one line that says what to do. The driver is standin/libcuda.c, on every machine.
 */
#include "driver.h"

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

static void messages(void) {
  find_standin();
  sptrsvHandle_t h = NULL;
  for (int i = 0; i < COUNT(CASES); i++) {
    driver.gpu(CASES[i].driver, CASES[i].capability);
    driver.fail(CASES[i].entry, CASES[i].error);
    CHECK_STATUS(sptrsvCreateWithExecutor(&h, SPTRSV_EXECUTOR_CUDA), CASES[i].status);
    const char *said = sptrsvGetLastErrorString();
    CHECK_THAT(strstr(said, CASES[i].words) && strstr(said, CASES[i].more), "%s failing with %d: %s", CASES[i].entry,
               CASES[i].error, said);
    CHECK_THAT(!strchr(said, '\n'), "more than one line: %s", said);
    driver.fail(NULL, 0);
  }
  /* Once the cause is gone, a handle can be made. */
  driver.gpu(13000, 90);
  CHECK_OK(sptrsvCreateWithExecutor(&h, SPTRSV_EXECUTOR_CUDA));
  CHECK_OK(sptrsvDestroy(h));
}

static void a_line_says_why(void) { in_a_child("messages", standin()); }

static const Child CHILDREN[] = {{"messages", messages}};

int main(int argc, char **argv) {
  if (is_child(argc, argv)) return run_child(CHILDREN, COUNT(CHILDREN), argv[2]);
  check_begin("test_no_gpu", argc, argv);
  RUN(a_line_says_why);
  return check_end();
}
