/*
 * A process that solves on several threads is forked, again and again. No call of the child hangs: what another thread was using at
 * the fork is refused with a sentence, all else works, and everything can be destroyed.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "problem.h"

enum { FORKS = 60, ROWS = 100000, SECONDS = 60 };

static atomic_int running = 1, solved;

/* Solves without end, on a handle and an info of its own. */
static void *solve_on(void *system) {
  System *s = system;
  for (; atomic_load(&running); atomic_fetch_add(&solved, 1))
    if (solve_from(s, s->f, s->x)) abort();
  return NULL;
}

/* What a child has seen; its exit status is the sum. */
enum { REFUSED = 1, WORKED = 2, WRONG = 64 };

/* In the child: a handle or an info that may have been in use. */
static int judged(sptrsvStatus_t status) {
  if (status == SPTRSV_STATUS_SUCCESS) return WORKED;
  const char *message = sptrsvGetLastErrorString();
  return status == SPTRSV_STATUS_INVALID_VALUE && strstr(message, "when this process was forked") ? REFUSED : WRONG;
}

static int is_solved(System *s) {
  void *x = malloc(s->bytes);
  int right = solve_from(s, s->f, s->x) == SPTRSV_STATUS_SUCCESS;
  memcpy(x, s->x, s->bytes);
  right = right && worst_error(s->p, s->p->alpha, s->p->f, x) <= 1;
  free(x);
  return right;
}

/* The busy system, one at rest that was analysed by the same handle, and a handle at rest. */
static int child(System *busy, System *at_rest, sptrsvHandle_t idle, const Problem *p) {
  int64_t row;
  alarm(SECONDS); /* which ends a child that hangs */
  int seen = judged(solve_from(busy, busy->f, busy->x));
  busy->h = at_rest->h = idle;
  seen |= judged(sptrsvZeroPivot(idle, busy->info, &row));
  sptrsvAlgorithm_t algorithm;
  sptrsvStatus_t status = sptrsvGetAlgorithm(busy->info, &algorithm);
  if (status != SPTRSV_STATUS_SUCCESS && status != SPTRSV_STATUS_INVALID_VALUE) seen |= WRONG;
  if (!is_solved(at_rest)) seen |= WRONG;
  System fresh;
  if (sptrsvCreateWithExecutor(&fresh.h, SPTRSV_EXECUTOR_HOST)) return WRONG;
  sptrsvHandle_t h = fresh.h;
  if (open_system_on(h, &fresh, p, SPTRSV_ALG_LEVR) || !is_solved(&fresh)) seen |= WRONG;
  if (sptrsvDestroyInfo(busy->info) || sptrsvDestroyInfo(at_rest->info) || sptrsvDestroyInfo(fresh.info)) seen |= WRONG;
  if (sptrsvDestroy(T.h) || sptrsvDestroy(idle) || sptrsvDestroy(h)) seen |= WRONG;
  return seen;
}

static void forks(void) {
  if (T.on_gpu) return; /* the run on the host executor has it: CUDA itself does not serve children */
  setenv("SPTRSV_NUM_THREADS", "2", 1);
  sptrsvHandle_t idle, old = T.h;
  CHECK_OK(sptrsvCreateWithExecutor(&T.h, SPTRSV_EXECUTOR_HOST));
  CHECK_OK(sptrsvCreateWithExecutor(&idle, SPTRSV_EXECUTOR_HOST));
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, ROWS), small = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, 900);
  System busy, at_rest;
  CHECK_OK(open_system(&busy, &p, SPTRSV_ALG_SLFR));
  CHECK_OK(open_system(&at_rest, &p, SPTRSV_ALG_SLFR));
  pthread_t thread;
  if (pthread_create(&thread, NULL, solve_on, &busy)) fatal("pthread_create", "failed");
  int refused = 0;
  for (int i = 0; i < FORKS; i++) {
    usleep((useconds_t)(100 * below(50)));
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) _exit(child(&busy, &at_rest, idle, &small));
    int status = -1;
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK_THAT(WIFEXITED(status) && !(WEXITSTATUS(status) & WRONG), "child %d ended with status %#x", i, status);
    refused += WIFEXITED(status) && (WEXITSTATUS(status) & REFUSED);
  }
  atomic_store(&running, 0);
  pthread_join(thread, NULL);
  CHECK_THAT(refused > 0 && atomic_load(&solved) > 0, "%d children found something in use, after %d solves", refused, atomic_load(&solved));
  CHECK(is_solved(&busy)); /* the parent has noticed nothing */
  close_system(&busy), close_system(&at_rest);
  free_problem(&p), free_problem(&small);
  CHECK_OK(sptrsvDestroy(idle));
  sptrsvHandle_t h = T.h;
  T.h = old;
  CHECK_OK(sptrsvDestroy(h));
}

int main(int argc, char **argv) {
  check_begin("test_fork", argc, argv);
  RUN(forks);
  return check_end();
}
