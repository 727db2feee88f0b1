/*
 * What the watchdog costs: solves with it (10 seconds) and without (off), in turn, and the median time of each.
 *
 *     watchdog_cost [REPETITIONS]
 *
 * On the GPU where one works, else on the host executor. Prints a line for each system and algorithm, and the geometric mean and the
 * greatest of all.
 */
#include "problem.h"

static const struct {
  const char *name;
  enum Shape shape;
  int64_t n;
} SYSTEMS[] = {{"a chain", CHAIN, 50000}, {"a grid", GRID, 250000}, {"random rows", RANDOM, 250000}};

enum { MOST = 1000 };

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Seconds that a solve takes, from before the call to its end on the GPU. */
static double time_of_solve(System *s, cudaEvent_t event[2]) {
  float ms = 0;
  double start = seconds();
  if (T.on_gpu) CUDA(cudaEventRecord(event[0], NULL));
  CHECK_OK(solve_from(s, s->f, s->x));
  if (!T.on_gpu) return seconds() - start;
  CUDA(cudaEventRecord(event[1], NULL));
  CUDA(cudaEventSynchronize(event[1]));
  CUDA(cudaEventElapsedTime(&ms, event[0], event[1]));
  return ms * 1e-3;
}

int main(int argc, char **argv) {
  int repetitions = argc > 1 ? atoi(argv[1]) : 100, count = 0;
  if (argc > 2 || repetitions < 1 || repetitions > MOST) {
    fprintf(stderr, "usage: %s [REPETITIONS, at most %d]\n", argv[0], MOST);
    return 2;
  }
  check_begin("watchdog_cost", 1, argv);
  cudaEvent_t event[2] = {NULL, NULL};
  for (int k = 0; T.on_gpu && k < 2; k++) CUDA(cudaEventCreate(&event[k]));
  double logarithms = 0, greatest = 0;
  for (int i = 0; i < COUNT(SYSTEMS); i++) {
    Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, SYSTEMS[i].shape, SYSTEMS[i].n);
    for (int a = 0; a < COUNT(ALGS); a++) {
      static double times[2][MOST];
      System s;
      if (opened(&s, &p, a)) {
        for (int k = 0; k < 5; k++) time_of_solve(&s, event);
        for (int r = 0; r < repetitions; r++)
          for (int half = 0; half < 2; half++) {
            int on = half ^ (r & 1); /* neither is always the first */
            CHECK_OK(sptrsvSetTimeout(T.h, on ? 10 : 0));
            times[on][r] = time_of_solve(&s, event);
          }
        for (int on = 0; on < 2; on++) qsort(times[on], (size_t)repetitions, sizeof(double), by_size);
        double without = times[0][repetitions / 2], with = times[1][repetitions / 2];
        printf("watchdog_cost: %s, %s: %.4f ms without, %.4f ms with, %+.2f %%\n", SYSTEMS[i].name, ALGS[a].name, 1e3 * without,
               1e3 * with, 100 * (with / without - 1));
        fflush(stdout);
        logarithms += log(with / without), count++;
        greatest = fmax(greatest, with / without);
      }
      close_system(&s);
    }
    free_problem(&p);
  }
  for (int k = 0; T.on_gpu && k < 2; k++) CUDA(cudaEventDestroy(event[k]));
  printf("watchdog_cost: %+.2f %% in geometric mean of %d, %+.2f %% at most\n", 100 * (exp(logarithms / (count ? count : 1)) - 1), count,
         100 * (greatest - 1));
  return check_end();
}
