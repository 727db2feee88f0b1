/*
 * Hostile cases: each has a name and a time after which it counts as hanging.
 *
 * A case that hangs ends its program: the name, and a closing line that counts it as a failure, are written first. Every program
 * of hostile cases ends with "hostile cases: N" in front of its closing line.
 */
#ifndef SPTRSV_HOSTILE_H
#define SPTRSV_HOSTILE_H

#include <signal.h>
#include <unistd.h>

#include "problem.h"

enum { CASE_SECONDS = 60 }; /* far more than any case takes, also beside other programs */

static struct {
  long cases;
  char name[240];
} H;

/* Writes without the locks of stdio: the thread that was interrupted may hold them. */
static void case_hangs(int signal_number) {
  char text[600];
  (void)signal_number;
  int length = snprintf(text, sizeof text, "FAILED: it hangs: %s\n%s: %ld passed, %ld failed, %ld skipped\n", H.name, T.name, T.passed,
                        T.failed + 1, T.skipped + T.unsupported);
  if (write(STDOUT_FILENO, text, (size_t)length) < 0) _exit(3);
  _exit(1);
}

/* Begins a case: failures from here on bear its name. */
__attribute__((format(printf, 1, 2))) static void hostile_case(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(H.name, sizeof H.name, format, args);
  va_end(args);
  H.cases++;
  T.current = H.name;
  signal(SIGALRM, case_hangs);
  alarm(CASE_SECONDS);
}

/* The end of the program; its value is the exit status. */
static inline int hostile_end(void) {
  alarm(0);
  printf("%s: hostile cases: %ld\n", T.name, H.cases);
  return check_end();
}

static inline char letter_of(int type) { return "SD  CZ"[type]; }

/* Waits for all work of the GPU. */
static inline void all_done(void) {
  if (T.on_gpu) CUDA(cudaDeviceSynchronize());
}

/* How far x, in the executor's memory, is from solving the system. */
static inline long double error_in(const System *s, const void *x) {
  void *host = malloc(s->bytes + 1);
  mem_get(host, x, s->bytes);
  long double worst = worst_error(s->p, s->p->alpha, s->p->f, host);
  free(host);
  return worst;
}

/* Solves by itself and checks x; the word says when. */
static inline int still_right(System *s, const char *when) {
  void *x = malloc(s->bytes + 1);
  int right = solves_right(s, x, when);
  free(x);
  return right;
}

/* Shapes that lead to the different ways of the engines; and sizes at which tiles, panels and nodes are whole and not. */
static const struct {
  enum Shape shape;
  int64_t n;
} SHAPES_OF[] = {{GRID, 900}, {RANDOM, 1500}, {NODES, 600}, {CHAIN, 500}, {DENSE_END, 800}, {BAND, 700}};

/* A problem of one of these shapes. */
static inline Problem shaped(Kind k, int i) {
  return make_problem(k, SHAPES_OF[i % COUNT(SHAPES_OF)].shape, SHAPES_OF[i % COUNT(SHAPES_OF)].n);
}

#endif
