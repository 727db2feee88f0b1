/*
 * Litmus tests of the wait protocols of docs/protocols.md, on a GPU: millions of words are published and polled by the functions of
 * kernels/, beside a kernel that keeps caches and memory busy. Each word that arrives is compared.
 */
#include "hostile.h"
#include "litmus.h"

static unsigned long long published;

static void run_tests(const LitmusTest *tests, int count) {
  struct cudaDeviceProp gpu;
  CUDA(cudaGetDeviceProperties(&gpu, 0));
  for (int i = 0; i < count; i++) {
    if (10 * gpu.major + gpu.minor < tests[i].capability) {
      printf("SKIPPED %s: it needs compute capability %d.%d\n", tests[i].name, tests[i].capability / 10, tests[i].capability % 10);
      T.skipped++;
      continue;
    }
    Litmus seen = {0};
    double start = seconds();
    hostile_case("%s", tests[i].name);
    cudaError_t error = tests[i].run(&seen);
    CHECK_THAT(error == cudaSuccess, "%s", cudaGetErrorString(error));
    CHECK_THAT(seen.timed_out == 0, "%u waits have come to no end", seen.timed_out);
    CHECK_THAT(seen.published > 1000000, "only %llu words were published", seen.published);
    CHECK_THAT(seen.wrong == 0, "%llu of %llu words are wrong", seen.wrong, seen.published);
    printf("litmus: %s: %llu words published and compared, %llu wrong, in %.2f s\n", tests[i].name, seen.published, seen.wrong,
           seconds() - start);
    fflush(stdout);
    published += seen.published;
  }
}

static void protocols_of_solves(void) {
  int count;
  const LitmusTest *tests = litmus_of_solves(&count);
  run_tests(tests, count);
}

static void protocols_of_analyses(void) {
  int count;
  const LitmusTest *tests = litmus_of_setups(&count);
  run_tests(tests, count);
}

int main(int argc, char **argv) {
  /* A kernel that is loaded at its first launch would wait for the one that disturbs. */
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  check_begin("test_litmus", argc, argv);
  RUN_ON_GPU(protocols_of_solves);
  RUN_ON_GPU(protocols_of_analyses);
  alarm(0);
  printf("test_litmus: %llu words published and compared\n", published);
  return check_end();
}
