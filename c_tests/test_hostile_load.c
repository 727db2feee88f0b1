/*
 * Hostile cases: a GPU that others keep busy, many streams, objects that go while work is in flight, no memory, a second process.
 */
#include <sys/wait.h>

#include "driver.h"
#include "hostile.h"
#include "occupy.h"
#include "taken.h"

static cudaStream_t new_stream(void) {
  cudaStream_t stream = NULL;
  if (T.on_gpu) CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

static void end_stream(cudaStream_t stream) {
  if (stream) CUDA(cudaStreamDestroy(stream));
}

/* ------------------------------------------------------------------------------------------- a full GPU */

/* Analyses and solves beside a kernel that has all threads of all multiprocessors, or of all but a few. */
static void a_full_gpu(void) {
  static const int LEFT[] = {0, 1, 8};
  struct cudaDeviceProp gpu;
  CUDA(cudaGetDeviceProperties(&gpu, 0));
  cudaStream_t stream = new_stream(), other = new_stream();
  CHECK_OK(sptrsvSetStream(T.h, stream));
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int i = 0; i < COUNT(LEFT); i++)
      for (int t = 0; t < 2; t++) {
        hostile_case("all multiprocessors but %d are busy, %s, type %c", LEFT[i], ALGS[a].name, letter_of(TYPES[1 + t]));
        Problem p = make_problem((Kind){.type = TYPES[1 + t], .op = i & 1}, t ? RANDOM : GRID, 20000);
        System s;
        if (opened(&s, &p, a)) {
          int threads = gpu.maxThreadsPerMultiProcessor / 2, blocks = 2 * (gpu.multiProcessorCount - LEFT[i]);
          int64_t row;
          mem_fill(s.x, 0xff, s.bytes);
          CUDA(occupy(other, blocks, threads, 0.1));
          CHECK_OK(solve_from(&s, s.f, s.x));
          CHECK_OK(sptrsvZeroPivot(T.h, s.info, &row));
          CHECK_THAT(error_in(&s, s.x) <= 1, "a solve beside a busy kernel is wrong");
          CUDA(occupy(other, blocks, threads, 0.1));
          CHECK_OK(analyse(&s));
          CHECK_OK(solve_from(&s, s.f, s.x));
          CHECK_OK(sptrsvZeroPivot(T.h, s.info, &row));
          CHECK_THAT(error_in(&s, s.x) <= 1, "an analysis beside a busy kernel is wrong");
          all_done();
        }
        close_system(&s);
        free_problem(&p);
      }
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  end_stream(other), end_stream(stream);
}

/* ------------------------------------------------------------------------------------------ many streams */

enum { STREAMS = 16, ROUNDS = 6 };

/* As many infos on as many streams, and a solve on each in turn, without a wait. */
static void many_streams(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int mixed = 0; mixed < 2; mixed++) {
      hostile_case("%d streams, %s%s", STREAMS, ALGS[a].name, mixed ? " beside all others" : "");
      static Problem p[STREAMS];
      static System s[STREAMS];
      cudaStream_t stream[STREAMS];
      int is_open[STREAMS];
      for (int k = 0; k < STREAMS; k++) {
        p[k] = shaped((Kind){.type = TYPES[k % 4], .op = k >> 2 & 1, .fill = k >> 3 & 1}, a + k);
        stream[k] = new_stream();
        CHECK_OK(sptrsvSetStream(T.h, stream[k]));
        is_open[k] = opened(&s[k], &p[k], mixed ? (a + k) % COUNT(ALGS) : a);
      }
      for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < STREAMS; k++) {
          if (!is_open[k]) continue;
          CHECK_OK(sptrsvSetStream(T.h, stream[k]));
          CHECK_OK(solve_from(&s[k], s[k].f, s[k].x));
        }
      all_done();
      CHECK_OK(sptrsvSetStream(T.h, NULL));
      for (int k = 0; k < STREAMS; k++) {
        if (is_open[k]) CHECK_THAT(error_in(&s[k], s[k].x) <= 1, "stream %d (%s): a wrong solution", k, s[k].algorithm);
        close_system(&s[k]);
        free_problem(&p[k]);
        end_stream(stream[k]);
      }
    }
}

/* ---------------------------------------------------------------------------------------- work in flight */

enum Gone { INFO, ANALYSIS, HANDLE, STREAM, DESCRIPTOR, GONE };
static const char *const GONE_NAMES[] = {"the info is destroyed", "the info is analysed for another matrix", "the handle is destroyed",
                                         "another stream is set", "the descriptor is destroyed"};

/* Solves are enqueued, and something that they came from goes: their results are right all the same. */
static void goes_in_flight(enum Gone gone, int a) {
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, CHAIN, 40000), next = shaped((Kind){.type = SPTRSV_C_64F, .op = 1}, a);
  cudaStream_t stream = new_stream(), other = new_stream();
  sptrsvHandle_t own, first = T.h;
  CHECK_OK(sptrsvCreateWithExecutor(&own, T.on_gpu ? SPTRSV_EXECUTOR_CUDA : SPTRSV_EXECUTOR_HOST));
  T.h = own;
  CHECK_OK(sptrsvSetStream(own, stream));
  System s, t;
  int is_open = opened(&s, &p, a), is_next = opened(&t, &next, a);
  if (is_open && is_next) {
    for (int k = 0; k < 3; k++) CHECK_OK(solve_from(&s, s.f, s.x));
    sptrsvInfo_t its = t.info;
    switch (gone) {
      case INFO: CHECK_OK(sptrsvDestroyInfo(s.info)), s.info = NULL; break;
      case ANALYSIS: t.info = s.info; CHECK_OK(make_buffer(&t)); CHECK_OK(analyse(&t)); break;
      case HANDLE: T.h = first; CHECK_OK(sptrsvDestroy(own)); own = NULL, s.h = t.h = first; break;
      case STREAM: CHECK_OK(sptrsvSetStream(own, other)); break;
      default: CHECK_OK(sptrsvDestroyMatDescr(s.d)), s.d = NULL;
    }
    CHECK_OK(solve_from(&t, t.f, t.x));
    all_done();
    CHECK_THAT(error_in(&s, s.x) <= 1, "what was in flight is wrong");
    CHECK_THAT(error_in(&t, t.x) <= 1, "what came behind is wrong");
    t.info = its;
  }
  T.h = first;
  close_system(&s), close_system(&t);
  if (own) CHECK_OK(sptrsvDestroy(own));
  end_stream(stream), end_stream(other);
  free_problem(&p), free_problem(&next);
}

static void work_in_flight(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int gone = 0; gone < GONE; gone++) {
      hostile_case("%s in flight, %s", GONE_NAMES[gone], ALGS[a].name);
      goes_in_flight((enum Gone)gone, a);
    }
}

/* ---------------------------------------------------------------------------------------------- memory */

/* With no memory left an analysis works or says so; solves of other infos go on; all works again when there is memory. */
static void no_memory(void) {
  static void *taken[MOST_TAKEN];
  static System s[COUNT(ALGS)];
  int is_open[COUNT(ALGS)];
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 250000);
  hostile_case("a good system for each algorithm");
  for (int a = 0; a < COUNT(ALGS); a++) is_open[a] = opened(&s[a], &p, a);
  int count = take_memory(taken, 0), refused = 0;
  for (int a = 0; a < COUNT(ALGS); a++) {
    hostile_case("no memory, %s", ALGS[a].name);
    if (!is_open[a]) continue;
    CHECK_OK(solve_from(&s[a], s[a].f, s[a].x));
    all_done();
    CHECK_THAT(error_in(&s[a], s[a].x) <= 1, "a solve without memory is wrong");
    sptrsvStatus_t status = analyse(&s[a]);
    refused += status != SPTRSV_STATUS_SUCCESS;
    CHECK_THAT(!status || (status == SPTRSV_STATUS_ALLOC_FAILED && *sptrsvGetLastErrorString()), "an analysis: %s, \"%s\"",
               sptrsvGetErrorName(status), sptrsvGetLastErrorString());
    if (status) CHECK_STATUS(solve_from(&s[a], s[a].f, s[a].x), SPTRSV_STATUS_NOT_ANALYSED);
  }
  give_memory_back(taken, count);
  printf("no memory: %d of %d analyses were refused\n", refused, COUNT(ALGS));
  for (int a = 0; a < COUNT(ALGS); a++) {
    hostile_case("memory again, %s", ALGS[a].name);
    if (is_open[a]) {
      CHECK_OK(analyse(&s[a]));
      still_right(&s[a], "when there was memory again");
    }
    close_system(&s[a]);
  }
  free_problem(&p);
}

/* Objects that come and go leave no memory behind. What others take of the GPU meanwhile would look like that, but not each time. */
static void nothing_is_left_behind(void) {
  enum { WARM = 4, MORE = 60, TRIES = 3 };
  const size_t PIECE = (size_t)34 << 20; /* what a pool of memory grows by at once; a leak of each round would be more */
  for (int a = 0; a < COUNT(ALGS); a++) {
    hostile_case("objects come and go, %s", ALGS[a].name);
    Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 40000);
    size_t gone = PIECE + 1;
    for (int t = 0; t < TRIES && gone > PIECE; t++) {
      size_t before = 0, after = 0, all;
      for (int k = 0; k < WARM + MORE; k++) {
        if (k == WARM) CUDA(cudaMemGetInfo(&before, &all));
        System s;
        if (opened(&s, &p, a)) CHECK_OK(solve_from(&s, s.f, s.x));
        close_system(&s);
      }
      CUDA(cudaMemGetInfo(&after, &all));
      gone = before > after ? before - after : 0;
    }
    CHECK_THAT(gone <= PIECE, "%zu bytes are gone each time", gone);
    free_problem(&p);
  }
}

/* ----------------------------------------------------------------------------------------- two processes */

/* Analyses and solves of each algorithm in turn, each checked. */
static void for_a_while(const char *who) {
  for (int a = 0; a < COUNT(ALGS); a++) {
    hostile_case("a second process, %s, in the %s", ALGS[a].name, who);
    double end = seconds() + 0.5;
    for (int round = 0; round == 0 || seconds() < end; round++) {
      Problem p = shaped((Kind){.type = TYPES[round % 4], .op = round >> 2 & 1}, a + round);
      System s;
      if (opened(&s, &p, a))
        for (int k = 0; k < 5; k++) still_right(&s, "beside another process");
      close_system(&s);
      free_problem(&p);
    }
  }
}

static void in_the_child(void) {
  T.on_gpu = getenv("SPTRSV_HOSTILE_HOST") == NULL;
  CHECK_OK(sptrsvCreateWithExecutor(&T.h, T.on_gpu ? SPTRSV_EXECUTOR_CUDA : SPTRSV_EXECUTOR_HOST));
  for_a_while("child");
  destroy_handle();
}

/* A process of its own does the same at the same time. */
static void two_processes(void) {
  fflush(stdout);
  if (!T.on_gpu) setenv("SPTRSV_HOSTILE_HOST", "1", 1);
  pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", T.name, "--child", "in_the_child", (char *)NULL);
    _exit(127);
  }
  for_a_while("parent");
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK_THAT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the other process ended with status %#x", (unsigned)status);
}

static const Child CHILDREN[] = {{"in_the_child", in_the_child}};

int main(int argc, char **argv) {
  if (is_child(argc, argv)) return run_child(CHILDREN, COUNT(CHILDREN), argv[2]);
  check_begin("test_hostile_load", argc, argv);
  RUN_ON_GPU(a_full_gpu);
  RUN(many_streams);
  RUN(work_in_flight);
  RUN_ON_GPU(no_memory);
  RUN_ON_GPU(nothing_is_left_behind);
  RUN(two_processes);
  return hostile_end();
}
