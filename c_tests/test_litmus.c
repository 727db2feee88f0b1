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

/* What passes between two checks counts as a quarter of the limit at most: a GPU or a machine that was stopped ends no solve. */
static void a_stop_ends_no_wait(void) {
  const unsigned long long limit = 10000000000ull; /* ns */
  hostile_case("a wait of ten seconds");
  unsigned usual = litmus_checks(limit, 100000), rare = litmus_checks(limit, limit / 10), stopped = litmus_checks(limit, 3600 * limit);
  CHECK_THAT(usual > 100000 && usual < 110000, "%u checks at 0.1 ms end it", usual);
  CHECK_THAT(rare >= 11 && rare <= 13, "%u checks at one second end it", rare);
  CHECK_THAT(stopped == 5, "%u checks end it, of which any two have hours between them", stopped);
}

int main(int argc, char **argv) {
  /* A kernel that is loaded at its first launch would wait for the one that disturbs. */
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  check_begin("test_litmus", argc, argv);
  RUN_ON_GPU(a_stop_ends_no_wait);
  RUN_ON_GPU(protocols_of_solves);
  RUN_ON_GPU(protocols_of_analyses);
  alarm(0);
  printf("test_litmus: %llu words published and compared\n", published);
  return check_end();
}
