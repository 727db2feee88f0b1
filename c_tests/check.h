/*
 * What the test programs share: the executor and its memory, checks that count, the closing line.
 *
 *     prog [--executor host|cuda] [--case CASE]
 *
 * Without an executor a program takes CUDA where a GPU works, else the host executor; its first line says
 * which. A line follows for each case that has ended, or for the one named, with the seconds that it took. The last
 * line is "name: N passed, N failed, N skipped", and the program exits with 0 if none failed.
 * A case that needs a GPU is skipped where there is none; SPTRSV_REQUIRE_GPU=1 makes that a failure.
 * On a machine with a GPU such a case belongs to the run on CUDA alone, and a run on the host executor
 * neither runs nor counts it.
 */
#ifndef SPTRSV_CHECK_H
#define SPTRSV_CHECK_H

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sptrsv.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static struct {
  const char *name, *current; /* program and running case */
  const char *only;           /* the case to run, NULL: all */
  int cases;                  /* that ran or were skipped */
  int on_gpu, gpu_works, require_gpu;
  long passed, failed, skipped, unsupported;
  sptrsvHandle_t h;
} T;

/* On a clock that only goes forward. */
static inline double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------------------------------------ outcome */

/* One check: counts it, and says where and what when it failed. Returns whether it held. */
static int check_at(int ok, const char *file, int line, const char *format, ...) {
  if (ok) {
    T.passed++;
    return 1;
  }
  if (++T.failed <= 30) {
    va_list args;
    printf("%s:%d: FAILED in %s: ", file, line, T.current);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(stdout);
  } else if (T.failed == 31) {
    printf("further failures are counted but not printed\n");
  }
  return 0;
}

/* The closing line; its value is the program's exit status. */
static int check_end(void) {
  if (T.only && !T.cases) {
    T.current = T.only;
    check_at(0, __FILE__, __LINE__, "there is no such case");
  }
  if (T.h) sptrsvDestroy(T.h);
  if (T.unsupported)
    printf("%s: %ld combinations were refused as NOT_SUPPORTED (counted as skipped)\n", T.name, T.unsupported);
  printf("%s: %ld passed, %ld failed, %ld skipped\n", T.name, T.passed, T.failed, T.skipped + T.unsupported);
  fflush(stdout);
  return T.failed != 0;
}

#define CHECK(condition) check_at(!!(condition), __FILE__, __LINE__, "%s", #condition)
/* CHECK with a text of its own. */
#define CHECK_THAT(condition, ...) check_at(!!(condition), __FILE__, __LINE__, __VA_ARGS__)
#define CHECK_STATUS(call, expected) check_status_at((call), (expected), #call, __FILE__, __LINE__)
#define CHECK_OK(call) CHECK_STATUS(call, SPTRSV_STATUS_SUCCESS)

static inline int check_status_at(sptrsvStatus_t got, sptrsvStatus_t expected, const char *call, const char *file,
                                  int line) {
  return check_at(got == expected, file, line, "%.60s returned %s, expected %s (last message: \"%s\")", call,
                  sptrsvGetErrorName(got), sptrsvGetErrorName(expected), sptrsvGetLastErrorString());
}

/* Whether the handle's last message contains the word. */
static inline int check_message_at(const char *word, const char *file, int line) {
  const char *message = sptrsvGetLastErrorString();
  return check_at(strstr(message, word) != NULL, file, line, "the message \"%s\" does not say \"%s\"", message, word);
}
#define CHECK_MESSAGE(word) check_message_at(word, __FILE__, __LINE__)

/* Ends the program: nothing sensible can follow. */
static inline void fatal(const char *what, const char *why) {
  check_at(0, __FILE__, __LINE__, "%s: %s", what, why);
  exit(check_end());
}

#define CUDA(call) cuda_ok((call), #call)
static inline void cuda_ok(cudaError_t error, const char *call) {
  if (error != cudaSuccess) fatal(call, cudaGetErrorString(error));
}

/* -------------------------------------------------------------------------------------------- cases */

static inline void run_case(const char *name, void (*run)(void), int gpu_only) {
  if (T.only && strcmp(T.only, name)) return;
  T.current = name;
  T.cases++;
  if (!gpu_only || T.on_gpu) {
    double begin = seconds();
    run();
    /* A CUDA error that no check saw must not pass. */
    if (T.on_gpu) CHECK_THAT(cudaGetLastError() == cudaSuccess, "the case left a CUDA error behind");
    printf("%s: %.1f s\n", name, seconds() - begin);
    fflush(stdout);
  } else if (!T.gpu_works) {
    if (T.require_gpu) {
      check_at(0, __FILE__, __LINE__, "it needs a GPU, and SPTRSV_REQUIRE_GPU is set");
    } else {
      printf("SKIPPED %s: it needs a GPU\n", name);
      T.skipped++;
    }
  }
}
#define RUN(function) run_case(#function, function, 0)
#define RUN_ON_GPU(function) run_case(#function, function, 1)

/* Chooses the executor and creates the handle T.h. */
static void check_begin(const char *name, int argc, char **argv) {
  const char *wish = "";
  int i = 1;
  for (; i + 1 < argc; i += 2)
    if (!strcmp(argv[i], "--executor") && (!strcmp(argv[i + 1], "host") || !strcmp(argv[i + 1], "cuda")))
      wish = argv[i + 1];
    else if (!strcmp(argv[i], "--case"))
      T.only = argv[i + 1];
    else
      break;
  if (i != argc) {
    fprintf(stderr, "usage: %s [--executor host|cuda] [--case CASE]\n", argv[0]);
    exit(2);
  }
  T.name = T.current = name;
  T.require_gpu = getenv("SPTRSV_REQUIRE_GPU") && !strcmp(getenv("SPTRSV_REQUIRE_GPU"), "1");

  /* CUDA's own word on the GPU, not the library's: a library that fails to see a GPU must not pass. */
  int devices = 0;
  struct cudaDeviceProp gpu;
  T.gpu_works = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0 && cudaFree(NULL) == cudaSuccess &&
                cudaGetDeviceProperties(&gpu, 0) == cudaSuccess;
  cudaGetLastError();
  T.on_gpu = *wish ? wish[0] == 'c' : T.gpu_works;

  printf("%s: executor %s%s%s\n", name, T.on_gpu ? "cuda" : "host", T.on_gpu && T.gpu_works ? " on " : "",
         T.on_gpu && T.gpu_works ? gpu.name : "");
  fflush(stdout);
  sptrsvStatus_t s = sptrsvCreateWithExecutor(&T.h, T.on_gpu ? SPTRSV_EXECUTOR_CUDA : SPTRSV_EXECUTOR_HOST);
  if (s != SPTRSV_STATUS_SUCCESS) fatal("sptrsvCreateWithExecutor", sptrsvGetErrorName(s));
  if (T.require_gpu) CHECK_THAT(T.gpu_works, "SPTRSV_REQUIRE_GPU is set, but no GPU works");
}

/* ------------------------------------------------------- the executor's memory, device or host alike */

static inline void *mem_new(size_t bytes) {
  void *p = NULL;
  if (!bytes) bytes = 16;
  if (T.on_gpu)
    CUDA(cudaMalloc(&p, bytes));
  else if (!(p = malloc(bytes)))
    fatal("malloc", "out of memory");
  return p;
}

static inline void mem_free(void *p) {
  if (!T.on_gpu)
    free(p);
  else
    CUDA(cudaFree(p));
}

/* Streams that do not wait for the default stream may follow, and a copy from pageable memory or a fill can
 * still be on its way when the call returns. */
static inline void arrived(void) { CUDA(cudaStreamSynchronize(NULL)); }

static inline void mem_put(void *to, const void *host, size_t bytes) {
  if (!T.on_gpu) {
    memcpy(to, host, bytes);
  } else if (bytes) {
    CUDA(cudaMemcpy(to, host, bytes, cudaMemcpyHostToDevice));
    arrived();
  }
}

static inline void mem_get(void *host, const void *from, size_t bytes) {
  if (!T.on_gpu)
    memcpy(host, from, bytes);
  else if (bytes)
    CUDA(cudaMemcpy(host, from, bytes, cudaMemcpyDeviceToHost));
}

static inline void mem_fill(void *to, int byte, size_t bytes) {
  if (!T.on_gpu) {
    memset(to, byte, bytes);
  } else if (bytes) {
    CUDA(cudaMemset(to, byte, bytes));
    arrived();
  }
}

static inline void *mem_copy(const void *host, size_t bytes) {
  void *p = mem_new(bytes);
  mem_put(p, host, bytes);
  return p;
}

/* Whether all bytes have this value. */
static inline int mem_is(const void *from, int byte, size_t bytes) {
  unsigned char *host = malloc(bytes + 1);
  size_t i = 0;
  mem_get(host, from, bytes);
  while (i < bytes && host[i] == (unsigned char)byte) i++;
  free(host);
  return i == bytes;
}

#endif
