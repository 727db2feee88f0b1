/*
 * Hostile cases of factorisations and sweeps: malformed patterns, values with the bits of the kernels' sentinel, a GPU that others keep
 * busy, many streams, infos that go while work is in flight.
 */
#include "factored.h"
#include "hostile.h"
#include "occupy.h"
#include "swept.h"

enum { SWEEP = IC0 + 1, WORKS };
static const char *const WORK_NAMES[] = {"ILU(0)", "IC(0)", "a sweep"};
static const enum Shape SHAPES_HERE[] = {GRID, RANDOM, CHAIN, BAND, DENSE_ROW, NODES};

/* A matrix, and what is done with it. */
typedef struct {
  int what;
  Problem p;
  Factored factored;
  Swept swept;
  void *x; /* of a sweep, as it was before */
} Work;

static size_t bytes_of(const Work *w) { return (size_t)(w->what == SWEEP ? w->p.n : w->p.nnz) * value_size(w->p.k.type); }

/* What the call changes, in the executor's memory. */
static void *result_of(const Work *w) { return w->what == SWEEP ? w->swept.x : w->factored.val; }
static const void *input_of(const Work *w) { return w->what == SWEEP ? w->x : w->p.val; }

static int open_work(Work *w, int what, Kind k, enum Shape shape, int64_t n) {
  *w = (Work){.what = what, .p = what == SWEEP ? make_whole_matrix(k, shape, n) : make_matrix(k, shape, n, what)};
  w->x = malloc((size_t)n * 16);
  for (int64_t i = 0; i < n; i++) put(k.type, w->x, i, random_num(1));
  sptrsvStatus_t status = what == SWEEP ? open_sweep(T.h, &w->swept, &w->p, 0) : open_factor(T.h, &w->factored, &w->p);
  if (!status && what != SWEEP) status = analyse_factor(&w->factored);
  return CHECK_OK(status);
}

static void close_work(Work *w) {
  if (w->what == SWEEP) close_sweep(&w->swept);
  else close_factor(&w->factored);
  free(w->x);
  free_problem(&w->p);
}

static void do_work(Work *w) {
  if (w->what == SWEEP) CHECK_OK(sweep(&w->swept, 1, 0));
  else CHECK_OK(factorize(&w->factored, w->what));
}

static void is_right(const Work *w, const char *when) {
  void *host = malloc(bytes_of(w) + 1);
  mem_get(host, result_of(w), bytes_of(w));
  long double error = w->what == SWEEP ? worst_row(&w->p, w->x, host, 1, 0, 0) : worst_residual(&w->p, host, w->what);
  CHECK_THAT(error <= 1, "%s: %Lg of the bound", when, error);
  free(host);
}

/* By itself, from the beginning. */
static void works_again(Work *w, const char *when) {
  mem_put(result_of(w), input_of(w), bytes_of(w));
  do_work(w);
  all_done();
  is_right(w, when);
}

static cudaStream_t new_stream(void) {
  cudaStream_t stream = NULL;
  if (T.on_gpu) CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

/* --------------------------------------------------------------------------------------------- patterns */

static const char *const DEFECTS[] = {"an offset far too large", "an offset below zero", "a column behind the last", "a negative column",
                                      "two columns the wrong way round", "a column twice", "no diagonal entry"};

/* Refused, and the analysis before stays good. */
static void malformed_patterns(void) {
  for (int t = 0; t < COUNT(TYPES); t++)
    for (int setup = 0; setup < 3; setup++)
      for (int d = 0; d < COUNT(DEFECTS); d++) {
        hostile_case("%s, type %c, setup %d", DEFECTS[d], letter_of(TYPES[t]), setup);
        Work w;
        if (open_work(&w, ILU0, (Kind){.type = TYPES[t], .full = 1, .setup = setup}, BAND, 300)) {
          int32_t *ptr = malloc(301 * 4), *ind = malloc((size_t)w.p.nnz * 4), *row;
          memcpy(ptr, w.p.ptr, 301 * 4), memcpy(ind, w.p.ind, (size_t)w.p.nnz * 4);
          row = ind + ptr[150];
          switch (d) {
            case 0: ptr[150] = INT32_MAX; break;
            case 1: ptr[150] = -5; break;
            case 2: row[1] = 300; break;
            case 3: row[1] = INT32_MIN; break;
            case 4: { int32_t first = row[0]; row[0] = row[1], row[1] = first; break; }
            case 5: row[1] = row[0]; break;
            default: /* the diagonal entry becomes one between it and its neighbour, or that neighbour */
              for (int32_t *e = row; e < ind + ptr[151]; e++)
                if (*e == 150) *e = 149;
          }
          mem_put(w.factored.ptr, ptr, 301 * 4), mem_put(w.factored.ind, ind, (size_t)w.p.nnz * 4);
          CHECK_STATUS(analyse_factor(&w.factored), SPTRSV_STATUS_INVALID_MATRIX);
          CHECK_THAT(*sptrsvGetLastErrorString(), "no message");
          mem_put(w.factored.ptr, w.p.ptr, 301 * 4), mem_put(w.factored.ind, w.p.ind, (size_t)w.p.nnz * 4);
          works_again(&w, "after a refused analysis");
          free(ptr), free(ind);
        }
        close_work(&w);
      }
}

/* ---------------------------------------------------------------------------------------------- values */

/* A pivot of IC(0) that is zero or negative counts as a zero one, and its root is zero or NaN. A NaN is no zero, as in solves. */
static void pivots_of_ic0(void) {
  static const double PIVOTS[] = {0, -0.0, -2, -INFINITY, NAN, 1e-30};
  enum { AT = 150 };
  for (int t = 0; t < COUNT(TYPES); t++)
    for (int c = 0; c < COUNT(PIVOTS); c++) {
      hostile_case("a pivot of %g, IC(0), type %c", PIVOTS[c], letter_of(TYPES[t]));
      Entries list = {0};
      for (int64_t i = 0; i < 300; i++) {
        if (i && i != AT && i != AT + 1) push(&list, i, i - 1, 1);
        push(&list, i, i, i == AT ? PIVOTS[c] : 4);
      }
      Problem p = pack((Kind){.type = TYPES[t]}, 300, list);
      Factored s;
      int64_t row = -77;
      CHECK_OK(open_factor(T.h, &s, &p));
      if (CHECK_OK(analyse_factor(&s))) {
        int is_zero = PIVOTS[c] <= 0;
        CHECK_OK(factorize(&s, IC0));
        CHECK_STATUS(sptrsvFactorZeroPivot(T.h, s.info, &row), is_zero ? SPTRSV_STATUS_ZERO_PIVOT : SPTRSV_STATUS_SUCCESS);
        CHECK_THAT(row == (is_zero ? AT : -1), "the pivot is in row %" PRId64, row);
        char *factor = malloc((size_t)p.nnz * value_size(TYPES[t]) + 1);
        mem_get(factor, s.val, (size_t)p.nnz * value_size(TYPES[t]));
        num root = get(TYPES[t], factor, 2 * AT - 1);
        CHECK_THAT(PIVOTS[c] > 0 ? creall(root) > 0 : root == 0 || nan_num(root), "its root is %Lg", creall(root));
        free(factor);
      }
      close_factor(&s);
      free_problem(&p);
    }
}

/* All values are the sentinel, a NaN: the call ends, what it leaves are NaNs, and the next one is right. */
static void everything_is_the_sentinel(void) {
  for (int what = 0; what < WORKS; what++)
    for (int t = 0; t < COUNT(TYPES); t++)
      for (int shape = 0; shape < COUNT(SHAPES_HERE); shape++) {
        hostile_case("everything is the sentinel, %s, type %c, %s", WORK_NAMES[what], letter_of(TYPES[t]), SHAPE_NAMES[SHAPES_HERE[shape]]);
        Work w;
        if (open_work(&w, what, (Kind){.type = TYPES[t], .full = 1}, SHAPES_HERE[shape], 400)) {
          mem_fill(result_of(&w), 0xff, bytes_of(&w));
          if (what == SWEEP) mem_fill(w.swept.b, 0xff, bytes_of(&w));
          do_work(&w);
          all_done();
          char *host = malloc(bytes_of(&w) + 1);
          mem_get(host, result_of(&w), bytes_of(&w));
          int64_t numbers = what == SWEEP ? w.p.n : w.p.nnz, finite = 0;
          for (int64_t k = 0; k < numbers; k++) finite += !nan_num(get(TYPES[t], host, k));
          CHECK_THAT(finite == 0, "%lld numbers are not NaN", (long long)finite);
          free(host);
          if (what == SWEEP) mem_put(w.swept.b, w.p.f, bytes_of(&w));
          works_again(&w, "after the sentinel");
        }
        close_work(&w);
      }
}

/* ------------------------------------------------------------------------------------------------- load */

static void a_full_gpu(void) {
  static const int LEFT[] = {0, 1, 8};
  struct cudaDeviceProp gpu;
  CUDA(cudaGetDeviceProperties(&gpu, 0));
  cudaStream_t stream = new_stream(), other = new_stream();
  CHECK_OK(sptrsvSetStream(T.h, stream));
  for (int what = 0; what < WORKS; what++)
    for (int left = 0; left < COUNT(LEFT); left++) {
      hostile_case("all multiprocessors but %d are busy, %s", LEFT[left], WORK_NAMES[what]);
      Work w;
      if (open_work(&w, what, (Kind){.type = SPTRSV_R_64F, .full = 1}, GRID, 20000)) {
        mem_put(result_of(&w), input_of(&w), bytes_of(&w));
        CUDA(occupy(other, 2 * (gpu.multiProcessorCount - LEFT[left]), gpu.maxThreadsPerMultiProcessor / 2, 0.1));
        do_work(&w);
        all_done();
        is_right(&w, "beside a busy kernel");
      }
      close_work(&w);
    }
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  CUDA(cudaStreamDestroy(stream)), CUDA(cudaStreamDestroy(other));
}

enum { STREAMS = 12, ROUNDS = 5 };

/* A work on each stream in turn, without a wait. What the rounds before have left is worked on again. */
static void many_streams(void) {
  for (int type = 0; type < COUNT(TYPES); type++) {
    hostile_case("%d streams, type %c", STREAMS, letter_of(TYPES[type]));
    static Work w[STREAMS];
    cudaStream_t stream[STREAMS];
    for (int k = 0; k < STREAMS; k++) {
      stream[k] = new_stream();
      CHECK_OK(sptrsvSetStream(T.h, stream[k]));
      open_work(&w[k], k % WORKS, (Kind){.type = TYPES[type], .full = 1, .base = k & 1}, SHAPES_HERE[k % COUNT(SHAPES_HERE)], 900);
      mem_put(result_of(&w[k]), input_of(&w[k]), bytes_of(&w[k]));
    }
    for (int k = 0; k < STREAMS; k++) {
      CHECK_OK(sptrsvSetStream(T.h, stream[k]));
      do_work(&w[k]);
    }
    all_done();
    for (int k = 0; k < STREAMS; k++) is_right(&w[k], WORK_NAMES[w[k].what]);
    for (int round = 0; round < ROUNDS; round++)
      for (int k = 0; k < STREAMS; k++) {
        CHECK_OK(sptrsvSetStream(T.h, stream[k]));
        do_work(&w[k]);
      }
    CHECK_OK(sptrsvSetStream(T.h, NULL));
    all_done();
    for (int k = 0; k < STREAMS; k++) {
      works_again(&w[k], "after many streams");
      close_work(&w[k]);
      if (stream[k]) CUDA(cudaStreamDestroy(stream[k]));
    }
  }
}

/* The info goes, or is analysed again, while its work is in flight. */
static void work_in_flight(void) {
  cudaStream_t stream = new_stream();
  CHECK_OK(sptrsvSetStream(T.h, stream));
  for (int what = 0; what < WORKS; what++)
    for (int again = 0; again < 2; again++) {
      hostile_case("an info is %s, %s in flight", again ? "analysed again" : "destroyed", WORK_NAMES[what]);
      Work w;
      if (open_work(&w, what, (Kind){.type = SPTRSV_R_64F, .full = 1}, CHAIN, 40000)) {
        mem_put(result_of(&w), input_of(&w), bytes_of(&w));
        do_work(&w);
        sptrsvInfo_t *info = what == SWEEP ? &w.swept.info : &w.factored.info;
        if (!again) {
          CHECK_OK(sptrsvDestroyInfo(*info));
          *info = NULL;
        } else {
          const Problem *p = &w.p;
          sptrsvMatDescr_t d = what == SWEEP ? w.swept.d : w.factored.d;
          void *ptr = what == SWEEP ? w.swept.ptr : w.factored.ptr, *ind = what == SWEEP ? w.swept.ind : w.factored.ind;
          CHECK_OK(sptrsvAnalysis(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, p->n, p->nnz, d, SPTRSV_R_64F, NULL, ptr, ind, *info,
                                  SPTRSV_SOLVE_POLICY_USE_LEVEL, what == SWEEP ? w.swept.buffer : w.factored.buffer));
        }
        all_done();
        is_right(&w, "what was in flight");
      }
      close_work(&w);
    }
  CHECK_OK(sptrsvSetStream(T.h, NULL));
  if (stream) CUDA(cudaStreamDestroy(stream));
}

int main(int argc, char **argv) {
  check_begin("test_hostile_factors", argc, argv);
  RUN(malformed_patterns);
  RUN(pivots_of_ic0);
  RUN(everything_is_the_sentinel);
  RUN_ON_GPU(a_full_gpu);
  RUN(many_streams);
  RUN(work_in_flight);
  return hostile_end();
}
