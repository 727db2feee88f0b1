/*
 * Soak: mixed solves for a long time, in two processes of several threads, each with a handle and a stream, every result checked.
 *
 *     soak MINUTES [--executor host|cuda] [--threads N] [--seed N] [--plant solution]
 *
 * A thread makes one random system after the other: any type, operation, triangle, diagonal, format, index type, shape, algorithm
 * and setup. It analyses, solves several times without a wait between, for one and for several right-hand sides, changes values,
 * analyses again, replays CUDA graphs, reads zero pivots and destroys all. One system in four is factorised (ILU(0), IC(0)) or swept
 * over instead. On a GPU it is the first one that CUDA_VISIBLE_DEVICES shows. The last lines report calls, GPU time and memory, then
 * "soak: N passed, N failed, N skipped", where a case is a system. The exit status is 0 if nothing failed.
 *
 * A thread that gets no further for two minutes counts as a hang, and ends the program. `--plant` spoils a result, which must be
 * found.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "factored.h"
#include "swept.h"

enum { MOST_THREADS = 64, BURST = 6, COLUMNS = 5, HANG_SECONDS = 120, SLACK = 64 /* MiB */ };

/* What a process has seen, as it tells the other one. */
typedef struct {
  long systems, refused, calls, solves, factorisations, sweeps, replays, analyses, results, wrong, failed;
  double gpu_seconds;
} Report;

typedef struct {
  pthread_t thread;
  int number;
  uint64_t seed;
  Report report;
  _Atomic double progress; /* when it last got further */
  char doing[240];         /* for the message about a hang */
  sptrsvHandle_t h;
  cudaStream_t stream;
  cudaEvent_t begin, end;
} Worker;

static struct {
  double end; /* of the soak, on the clock of seconds() */
  int plant, threads;
  atomic_int failures;
  /* Held for writing while a stream captures: CUDA allows no wait for the context then. */
  pthread_rwlock_t capture;
  double gpu_early, host_early; /* memory in use when a tenth of the time was over */
} S;

/* ---------------------------------------------------------------------------------------------- outcome */

static void say_failed(Worker *w, const char *what) {
  if (atomic_fetch_add(&S.failures, 1) < 20) {
    printf("FAILED in thread %d of process %d: %s: %s, \"%s\"\n", w->number, (int)getpid(), w->doing, what, sptrsvGetLastErrorString());
    fflush(stdout);
  }
}

/* Counts a call of the library, which must succeed. */
static int succeeded(Worker *w, sptrsvStatus_t status, const char *what) {
  w->report.calls++;
  atomic_store(&w->progress, seconds());
  if (status == SPTRSV_STATUS_SUCCESS) return 1;
  w->report.failed++;
  say_failed(w, what);
  return 0;
}
#define OK(call) succeeded(w, (call), #call)

static void result_is(Worker *w, int right, const char *what) {
  w->report.results++;
  atomic_store(&w->progress, seconds());
  if (right) return;
  w->report.wrong++;
  say_failed(w, what);
}

/* ---------------------------------------------------------------------------------------- one system */

/* A system with room for several solutions. */
typedef struct {
  System s;
  Problem p;
  int a; /* in the table of algorithms */
  char *f, *x, *host;
  sptrsvCopyValues_t copy;
} Case;

static Kind any_kind(void) {
  Kind k = nth_kind((int)below(KINDS));
  k.duplicates = (int)below(2), k.setup = (int)below(3);
  k.in_place = k.device_alpha = 0;
  return k;
}

/* Small ones more often than large ones. */
static int64_t any_size(int most) { return 1 + below(below(8) ? 2000 : most); }

static void wait_for(Worker *w) {
  if (w->stream) CUDA(cudaStreamSynchronize(w->stream));
}

static void timed(Worker *w, int ends) {
  if (!w->stream) return;
  CUDA(cudaEventRecord(ends ? w->end : w->begin, w->stream));
  if (!ends) return;
  float ms = 0;
  CUDA(cudaEventSynchronize(w->end));
  CUDA(cudaEventElapsedTime(&ms, w->begin, w->end));
  w->report.gpu_seconds += ms * 1e-3;
}

/* Judges one solution, in the executor's memory; the bits of `first`, which is right, where there is one. */
static void judge(Worker *w, Case *c, const char *x, const char *first, const char *what) {
  mem_get(c->host, x, c->s.bytes);
  if (S.plant && w->report.results > 20 && c->p.n) c->host[c->s.bytes - 1] ^= 0x40;
  int right = first && ALGS[c->a].deterministic ? !memcmp(c->host, first, c->s.bytes)
                                                : worst_error(&c->p, c->p.alpha, c->p.f, c->host) <= 1;
  result_is(w, right, what);
}

/* Solves, one right behind the other, each into its own vector; all are judged. */
static void solve_in_a_burst(Worker *w, Case *c) {
  int count = 1 + (int)below(BURST), done = 0;
  mem_fill(c->x, 0xff, BURST * c->s.bytes);
  timed(w, 0);
  while (done < count && OK(solve_from(&c->s, c->f, c->x + (size_t)done * c->s.bytes))) done++;
  timed(w, 1);
  wait_for(w);
  w->report.solves += done;
  char *first = malloc(c->s.bytes + 1);
  for (int k = 0; k < done; k++) {
    judge(w, c, c->x + (size_t)k * c->s.bytes, k ? first : NULL, k ? "other bits than before" : "a wrong solution");
    if (k == 0) memcpy(first, c->host, c->s.bytes);
  }
  free(first);
}

static void solve_several(Worker *w, Case *c) {
  int columns = 1 + (int)below(COLUMNS);
  mem_fill(c->x, 0xff, BURST * c->s.bytes);
  timed(w, 0);
  int good = OK(solve_columns(&c->s, columns, c->f, c->x));
  timed(w, 1);
  wait_for(w);
  w->report.solves += good;
  for (int k = 0; good && k < columns; k++) judge(w, c, c->x + (size_t)k * c->s.bytes, NULL, "a wrong column");
}

static void new_values(Worker *w, Case *c) {
  for (int64_t t = 0; t < c->p.nnz; t++)
    if (rng() & 1) put(c->p.k.type, c->p.val, t, -get(c->p.k.type, c->p.val, t));
  for (int64_t i = 0; i < c->p.n; i++) put(c->p.k.type, c->p.f, i, random_num(1));
  mem_put(c->s.val, c->p.val, (size_t)c->p.nnz * c->s.vs);
  for (int k = 0; k < COLUMNS; k++) mem_put(c->f + (size_t)k * c->s.bytes, c->p.f, c->s.bytes);
  if (c->copy) OK(sptrsvUpdateValues(w->h, c->s.info, c->s.val));
  wait_for(w);
}

static int analyse_again(Worker *w, Case *c) {
  const Problem *p = &c->p;
  w->report.analyses++;
  c->copy = below(3) ? SPTRSV_COPY_NONE : SPTRSV_COPY_ALL;
  return OK(sptrsvSetCopyValues(c->s.info, c->copy)) && OK(sptrsvSetKeepPattern(c->s.info, (int)below(2))) &&
         OK(sptrsvAnalysis(w->h, (sptrsvOperation_t)p->k.op, p->n, p->nnz, c->s.d, (sptrsvDataType_t)p->k.type, c->s.val, c->s.ptr,
                           c->s.ind, c->s.info, c->s.policy, c->s.buffer));
}

/* Something that is enqueued on the thread's stream, and counted. */
typedef int (*Enqueue)(Worker *w, void *what);

/* Captures it in a graph; NULL where that is not possible. */
static cudaGraphExec_t capture(Worker *w, Enqueue enqueue, void *what) {
  cudaGraph_t graph = NULL;
  cudaGraphExec_t exec = NULL;
  if (!w->stream) return NULL;
  pthread_rwlock_unlock(&S.capture);
  pthread_rwlock_wrlock(&S.capture);
  CUDA(cudaStreamBeginCapture(w->stream, cudaStreamCaptureModeThreadLocal));
  int good = enqueue(w, what);
  cudaError_t ended = cudaStreamEndCapture(w->stream, &graph);
  pthread_rwlock_unlock(&S.capture);
  pthread_rwlock_rdlock(&S.capture);
  result_is(w, ended == cudaSuccess && graph, "a capture was lost");
  if (ended != cudaSuccess) return NULL;
  if (good) CUDA(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  CUDA(cudaGraphDestroy(graph));
  return exec;
}

static void launch(Worker *w, cudaGraphExec_t exec) {
  timed(w, 0);
  CUDA(cudaGraphLaunch(exec, w->stream));
  timed(w, 1);
  w->report.replays++;
}

/* Enqueues it, or launches the graph that has captured it. */
static int run(Worker *w, cudaGraphExec_t exec, Enqueue enqueue, void *what) {
  if (exec) return launch(w, exec), 1;
  timed(w, 0);
  int good = enqueue(w, what);
  timed(w, 1);
  return good;
}

/* A row without a zero pivot, as all of these systems are. */
static void read_pivot(Worker *w, Case *c) {
  int64_t row = NO_ROW;
  if (OK(sptrsvZeroPivot(w->h, c->s.info, &row))) result_is(w, row == -1, "a zero pivot");
}

static int enqueue_solve(Worker *w, void *what) {
  Case *c = what;
  return OK(solve_from(&c->s, c->f, c->x));
}

static void replay(Worker *w, Case *c) {
  cudaGraphExec_t exec = c->p.n ? capture(w, enqueue_solve, c) : NULL;
  if (!exec) return;
  for (int k = 0; k < 3; k++) {
    new_values(w, c);
    mem_fill(c->x, 0xff, c->s.bytes);
    launch(w, exec);
    judge(w, c, c->x, NULL, "a wrong replay");
  }
  CUDA(cudaGraphExecDestroy(exec));
}

/* ------------------------------------------------------------------------- factorisations and sweeps */

enum { RUNS = 4 };
static const enum Shape SHAPES_TO_FACTORISE[] = {DIAGONAL, CHAIN, GRID, RANDOM, DENSE_ROW, DENSE_COLUMN, NODES, DIAGONALS, TAIL, BAND};

/* Results of the first run are compared with sums, those of later runs with the first one's bits. */
static void judge_run(Worker *w, char *host, const char *first, size_t bytes, long double error, const char *what) {
  if (S.plant && bytes) host[bytes - 1] ^= 0x40;
  char text[100];
  snprintf(text, sizeof text, first ? "other bits than %s before" : "%s, %Lg of the bound", what, error);
  result_is(w, first ? !memcmp(host, first, bytes) : error <= 1, text);
}

typedef struct {
  Factored s;
  int kind;
} FactorRun;

static int enqueue_factorisation(Worker *w, void *what) {
  FactorRun *run = what;
  return OK(factorize(&run->s, run->kind));
}

static void one_factorisation(Worker *w) {
  FactorRun all = {.kind = below(2) ? IC0 : ILU0};
  enum Shape shape = SHAPES_TO_FACTORISE[below(COUNT(SHAPES_TO_FACTORISE))];
  Kind k = {.type = TYPES[below(4)], .full = (int)below(2), .base = (int)below(2), .wide = (int)below(3), .setup = (int)below(3)};
  Problem p = make_matrix(k, shape, 1 + below(below(8) ? 600 : 3000), all.kind);
  snprintf(w->doing, sizeof w->doing, "%s, %s, n = %" PRId64 " (%s)", METHODS[all.kind], SHAPE_NAMES[shape], p.n, kind_text(&k));
  size_t bytes = (size_t)p.nnz * value_size(k.type);
  char *first = malloc(bytes + 1), *host = malloc(bytes + 1);
  if (!first || !host) fatal("malloc", "out of memory");
  w->report.analyses++;
  if (OK(open_factor(w->h, &all.s, &p)) && OK(analyse_factor(&all.s))) {
    cudaGraphExec_t exec = below(2) ? capture(w, enqueue_factorisation, &all) : NULL;
    for (int turn = 0; turn < RUNS && seconds() < S.end; turn++) {
      int64_t row = NO_ROW;
      wait_for(w);
      mem_put(all.s.val, p.val, bytes);
      int good = run(w, exec, enqueue_factorisation, &all);
      w->report.factorisations += good;
      if (!good || !OK(sptrsvFactorZeroPivot(w->h, all.s.info, &row))) break;
      result_is(w, row == -1, "a zero pivot of a factor");
      mem_get(host, all.s.val, bytes);
      judge_run(w, host, turn ? first : NULL, bytes, turn ? 0 : worst_residual(&p, host, all.kind), "factors");
      if (turn == 0) memcpy(first, host, bytes);
    }
    if (exec) CUDA(cudaGraphExecDestroy(exec));
  }
  close_factor(&all.s);
  free(first), free(host);
  free_problem(&p);
}

typedef struct {
  Swept s;
  double weight;
  int zero_guess;
} SweepRun;

static int enqueue_sweep(Worker *w, void *what) {
  SweepRun *run = what;
  return OK(sweep(&run->s, run->weight, run->zero_guess));
}

static void one_sweep(Worker *w) {
  static const double WEIGHTS[] = {1, 0.7, 1.5};
  SweepRun all = {.weight = WEIGHTS[below(3)], .zero_guess = below(3) == 0};
  int with_diagonal = (int)below(2);
  enum Shape shape = SHAPES_TO_FACTORISE[below(COUNT(SHAPES_TO_FACTORISE))];
  Kind k = {.type = TYPES[below(4)], .fill = (int)below(2), .base = (int)below(2), .wide = (int)below(3), .unsorted = (int)below(2)};
  Problem p = make_whole_matrix(k, shape, 1 + below(below(8) ? 2000 : 20000));
  snprintf(w->doing, sizeof w->doing, "a sweep, %s, n = %" PRId64 " (%s)", SHAPE_NAMES[shape], p.n, kind_text(&k));
  size_t bytes = (size_t)p.n * value_size(k.type);
  char *old = malloc(bytes + 1), *first = malloc(bytes + 1), *host = malloc(bytes + 1);
  if (!old || !first || !host) fatal("malloc", "out of memory");
  for (int64_t i = 0; i < p.n; i++) put(k.type, old, i, all.zero_guess ? CMPLXL(NAN, NAN) : random_num(1));
  w->report.analyses++;
  if (OK(open_sweep(w->h, &all.s, &p, with_diagonal))) {
    cudaGraphExec_t exec = below(2) ? capture(w, enqueue_sweep, &all) : NULL;
    for (int turn = 0; turn < RUNS && seconds() < S.end; turn++) {
      wait_for(w);
      mem_put(all.s.x, old, bytes);
      int good = run(w, exec, enqueue_sweep, &all);
      wait_for(w);
      w->report.sweeps += good;
      if (!good) break;
      mem_get(host, all.s.x, bytes);
      long double error = turn ? 0 : worst_row(&p, old, host, all.weight, all.zero_guess, with_diagonal);
      judge_run(w, host, turn ? first : NULL, bytes, error, "a sweep");
      if (turn == 0) memcpy(first, host, bytes);
    }
    if (exec) CUDA(cudaGraphExecDestroy(exec));
  }
  close_sweep(&all.s);
  free(old), free(first), free(host);
  free_problem(&p);
}

/* -------------------------------------------------------------------------------------- one system */

static void one_triangle(Worker *w) {
  Case c = {.a = (int)below(COUNT(ALGS))};
  enum Shape shape = (enum Shape)below(SHAPES);
  /* The driver keeps some 6 KiB for each launch of the largest graph that there was, and LEVR and LEVC launch by levels. */
  int most = ALGS[c.a].id == SPTRSV_ALG_LEVR || ALGS[c.a].id == SPTRSV_ALG_LEVC ? 2000 : 40000;
  c.p = make_problem(any_kind(), shape, shape == DENSE_ROW || shape == DENSE_END ? 1 + below(2000) : any_size(most));
  snprintf(w->doing, sizeof w->doing, "%s, %s, n = %" PRId64 ", type %d op %d fill %d diag %d format %d wide %d setup %d", ALGS[c.a].name,
           SHAPE_NAMES[shape], c.p.n, c.p.k.type, c.p.k.op, c.p.k.fill, c.p.k.diag, c.p.k.format, c.p.k.wide, c.p.k.setup);
  sptrsvStatus_t status = open_system_on(w->h, &c.s, &c.p, ALGS[c.a].id);
  w->report.analyses++;
  if (status == SPTRSV_STATUS_NOT_SUPPORTED) {
    w->report.refused++;
  } else if (OK(status)) {
    size_t room = (BURST > COLUMNS ? BURST : COLUMNS) * c.s.bytes;
    c.f = mem_new(room), c.x = mem_new(room), c.host = malloc(c.s.bytes + 1);
    for (int k = 0; k < COLUMNS; k++) mem_put(c.f + (size_t)k * c.s.bytes, c.p.f, c.s.bytes);
    int good = 1;
    for (int step = (int)below(12); step >= 0 && good && seconds() < S.end; step--) switch (below(6)) {
        case 0: solve_several(w, &c); break;
        case 1: new_values(w, &c); break;
        case 2: good = analyse_again(w, &c); break;
        case 3: read_pivot(w, &c); break;
        case 4: replay(w, &c); break;
        default: solve_in_a_burst(w, &c);
      }
    /* Half of the systems go while a solve is on its way. */
    if (good && below(2)) OK(solve_from(&c.s, c.f, c.x));
    mem_free(c.f), mem_free(c.x), free(c.host);
  }
  close_system(&c.s);
  free_problem(&c.p);
}

static void one_system(Worker *w) {
  pthread_rwlock_rdlock(&S.capture);
  w->report.systems++;
  switch (below(8)) {
    case 0: one_factorisation(w); break;
    case 1: one_sweep(w); break;
    default: one_triangle(w);
  }
  pthread_rwlock_unlock(&S.capture);
}

/* ------------------------------------------------------------------------------- threads and processes */

static void *work(void *argument) {
  Worker *w = argument;
  rng_state = w->seed;
  snprintf(w->doing, sizeof w->doing, "begins");
  if (T.on_gpu) {
    CUDA(cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&w->begin));
    CUDA(cudaEventCreate(&w->end));
  }
  if (!OK(sptrsvCreateWithExecutor(&w->h, T.on_gpu ? SPTRSV_EXECUTOR_CUDA : SPTRSV_EXECUTOR_HOST))) return NULL;
  OK(sptrsvSetStream(w->h, w->stream));
  while (seconds() < S.end && atomic_load(&S.failures) < 100) one_system(w);
  OK(sptrsvDestroy(w->h));
  if (T.on_gpu) {
    CUDA(cudaEventDestroy(w->begin));
    CUDA(cudaEventDestroy(w->end));
    CUDA(cudaStreamDestroy(w->stream));
  }
  atomic_store(&w->progress, INFINITY);
  return NULL;
}

static void add(Report *sum, const Report *one) {
  sum->systems += one->systems, sum->refused += one->refused, sum->calls += one->calls, sum->solves += one->solves;
  sum->factorisations += one->factorisations, sum->sweeps += one->sweeps;
  sum->replays += one->replays, sum->analyses += one->analyses, sum->results += one->results, sum->wrong += one->wrong;
  sum->failed += one->failed, sum->gpu_seconds += one->gpu_seconds;
}

/* Memory that is in use: on the GPU, by all of its programs, and by this process on the host; in MiB. */
static double gpu_memory(void) {
  size_t free_bytes = 0, all = 0;
  if (T.on_gpu) CUDA(cudaMemGetInfo(&free_bytes, &all));
  return (double)(all - free_bytes) / (1 << 20);
}
static double host_memory(void) {
  malloc_trim(0); /* what the C library keeps of memory that was given back */
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  fclose(file);
  return (double)resident * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

/* A line a minute, so that a soak that is cut short has said what it saw. Workers go on counting meanwhile. */
static void say_so_far(const Worker *workers, double minutes) {
  long calls = 0, results = 0, wrong = 0;
  for (int k = 0; k < S.threads; k++) {
    const Report *r = &workers[k].report;
    calls += __atomic_load_n(&r->calls, __ATOMIC_RELAXED);
    results += __atomic_load_n(&r->results, __ATOMIC_RELAXED);
    wrong += __atomic_load_n(&r->wrong, __ATOMIC_RELAXED);
  }
  printf("soak: %.0f minutes: %ld calls, %ld results checked, %ld wrong, %d failures in this process; memory %.0f MiB, on the GPU %.0f MiB\n",
         minutes, calls, results, wrong, atomic_load(&S.failures), host_memory(), gpu_memory());
  fflush(stdout);
}

/* Runs the threads of this process, and looks after them. */
static Report run_threads(uint64_t seed, int speaks) {
  static Worker workers[MOST_THREADS];
  Report sum = {0};
  double start = seconds(), said = start;
  for (int k = 0; k < S.threads; k++) {
    workers[k].number = k, workers[k].seed = seed * MOST_THREADS + (uint64_t)k;
    atomic_store(&workers[k].progress, start);
    if (pthread_create(&workers[k].thread, NULL, work, &workers[k])) fatal("pthread_create", "failed");
  }
  for (int running = 1; running;) {
    running = 0;
    for (int k = 0; k < S.threads; k++) {
      double progress = atomic_load(&workers[k].progress);
      running |= progress < INFINITY;
      if (seconds() - progress > HANG_SECONDS) {
        printf("FAILED: thread %d of process %d hangs: %s\n", k, (int)getpid(), workers[k].doing);
        printf("soak: 0 passed, 1 failed, 0 skipped\n");
        fflush(stdout);
        _exit(1);
      }
    }
    usleep(50000);
    if (!S.gpu_early && !S.host_early && seconds() - start > (S.end - start) / 10) S.gpu_early = gpu_memory(), S.host_early = host_memory();
    if (speaks && seconds() - said >= 60) {
      said = seconds();
      say_so_far(workers, (said - start) / 60);
    }
  }
  for (int k = 0; k < S.threads; k++) {
    pthread_join(workers[k].thread, NULL);
    add(&sum, &workers[k].report);
  }
  return sum;
}

/* The second process is this program again, which writes its report where its output goes. */
static pid_t second_process(char **argv, int argc, int *from) {
  int ends[2];
  if (pipe(ends)) fatal("pipe", "failed");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    char *again[16] = {argv[0]}, number[12];
    for (int k = 1; k < argc && k < 12; k++) again[k] = argv[k];
    snprintf(number, sizeof number, "%d", ends[1]);
    again[argc] = "--report", again[argc + 1] = number;
    execv("/proc/self/exe", again);
    _exit(127);
  }
  close(ends[1]);
  *from = ends[0];
  return child;
}

static void usage(const char *program) {
  fprintf(stderr, "usage: %s MINUTES [--executor host|cuda] [--threads N] [--seed N] [--plant solution]\n", program);
  exit(2);
}

int main(int argc, char **argv) {
  int report_to = -1;
  uint64_t seed = 1;
  char *end = NULL;
  char *executor[] = {argv[0], "--executor", NULL};
  if (argc < 2 || argc > 12) usage(argv[0]);
  double minutes = strtod(argv[1], &end);
  if (*end || !(minutes > 0)) usage(argv[0]);
  S.threads = 4;
  for (int k = 2; k < argc; k += 2) {
    if (k + 1 == argc) usage(argv[0]);
    if (!strcmp(argv[k], "--executor")) executor[2] = argv[k + 1];
    else if (!strcmp(argv[k], "--threads")) S.threads = atoi(argv[k + 1]);
    else if (!strcmp(argv[k], "--seed")) seed = strtoull(argv[k + 1], NULL, 10);
    else if (!strcmp(argv[k], "--plant")) S.plant = 1;
    else if (!strcmp(argv[k], "--report")) report_to = atoi(argv[k + 1]);
    else usage(argv[0]);
  }
  if (S.threads < 1 || S.threads > MOST_THREADS) usage(argv[0]);
  pthread_rwlockattr_t fair; /* else readers, which follow each other, keep a writer out for ever */
  pthread_rwlockattr_init(&fair);
  pthread_rwlockattr_setkind_np(&fair, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&S.capture, &fair);

  int from = -1;
  pid_t child = report_to < 0 ? second_process(argv, argc, &from) : 0;
  double start = seconds();
  S.end = start + 60 * minutes;
  check_begin("soak", executor[2] ? 3 : 1, executor);
  CHECK_OK(sptrsvDestroy(T.h)); /* each thread has its own */
  T.h = NULL;
  double gpu_before = gpu_memory(), host_before = host_memory();
  Report sum = run_threads(2 * seed + (report_to >= 0), report_to < 0);
  double host_after = host_memory();
  if (report_to >= 0) return write(report_to, &sum, sizeof sum) != sizeof sum || sum.failed || sum.wrong;

  Report other = {0};
  int status = -1, whole = read(from, &other, sizeof other) == sizeof other;
  whole = waitpid(child, &status, 0) == child && whole && WIFEXITED(status);
  add(&sum, &other);
  if (!whole) printf("FAILED: the second process ended with status %#x and without a report\n", (unsigned)status);
  double gpu_after = gpu_memory();
  printf("soak: %.2f minutes, 2 processes of %d threads, seed %" PRIu64 "\n", (seconds() - start) / 60, S.threads, seed);
  printf("soak: %ld calls, %ld analyses, %ld solves, %ld factorisations, %ld sweeps, %ld replays of graphs, %ld results checked, %ld wrong, "
         "%ld calls failed\n", sum.calls, sum.analyses, sum.solves, sum.factorisations, sum.sweeps, sum.replays, sum.results, sum.wrong,
         sum.failed);
  if (T.on_gpu)
    printf("soak: %.1f s of GPU time in all three; GPU memory in use %.0f MiB before, %.0f MiB after a tenth of the time, %.0f MiB at the end\n",
           sum.gpu_seconds, gpu_before, S.gpu_early, gpu_after);
  printf("soak: memory of the first process %.0f MiB before, %.0f MiB after a tenth of the time, %.0f MiB at the end\n", host_before,
         S.host_early, host_after);
  /* At the end all objects and the other process are gone. */
  int leaks = gpu_after > S.gpu_early + SLACK || host_after > S.host_early + SLACK;
  if (leaks) printf("FAILED: memory was left behind\n");
  long failed = sum.wrong + sum.failed + !whole + leaks + T.failed;
  printf("soak: %ld passed, %ld failed, %ld skipped\n", sum.systems - sum.refused, failed, sum.refused);
  return failed != 0 || sum.results == 0;
}
