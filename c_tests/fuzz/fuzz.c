/*
 * Random calls of the library on the host executor, each judged: cases of malformed and well-formed systems, in memory
 * between guard pages, with a model of what each call must give. The same seed gives the same cases.
 *
 *     fuzz [--seed S] [--cases N | --calls N | --minutes M] [--plant DEFECT]
 *     fuzz [--seed S] --case K            one case, with its calls printed
 *
 * Cases run in child processes; one that crashes or hangs is named and counted as failed. Prints what was done, and a
 * closing line in which each case counts as one test. `--plant` spoils what the library gives, so that the fuzzer must fail.
 */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pairs.h"
#include "purposes.h"

enum { CASE_SECONDS = 60, CASES_OF_A_CHILD = 1000, MOST_FAILURES = 20 };
static const char *const PLANTS[] = {"solution", "gap", "bits", "pivot", "factor", "sweep", "pair", "crash", "hang"};
enum { PLANT_COUNT = sizeof PLANTS / sizeof *PLANTS };

static void run_case(uint64_t seed, int64_t number) {
  random_state = seed;
  random_state = random_word() ^ (uint64_t)number * 0xd1342543de82ef95u;
  case_failed = 0;
  counts->at = number;
  alarm(is_planted("hang") ? 1 : CASE_SECONDS); /* which ends a child that hangs */
  static const char *const THREADS[] = {"1", "1", "1", "1", "1", "1", "2", "3"};
  setenv("SPTRSV_NUM_THREADS", THREADS[below(8)], 1);

  S.is_strict = one_in(3);
  for (int k = 0; k < 2; k++) {
    S.problem[k] = random_problem(k, k && one_in(3) ? &S.problem[0] : NULL);
    new_handle(k);
    new_info(&S.info[k]);
    OK(sptrsvCreateMatDescr(&S.problem[k].descr));
    set_descriptor(&S.problem[k]);
  }
  for (int64_t steps = 8 + below(40); steps > 0 && !case_failed; steps--) {
    Info *i = &S.info[below(2)];
    int64_t kind = below(57);
    if (kind < 3) step_setting(i);
    else if (kind < 4) step_handle();
    else if (kind < 5) step_diagonal(i);
    else if (kind < 6) step_life();
    else if (kind < 7) step_nulls(i, &S.problem[i->which]);
    else if (kind < 13 || (!i->analysed && !one_in(4))) step_analysis(i);
    else if (kind < 18) step_pivot(i);
    else if (kind < 22) step_values(i);
    else if (kind < 24) step_new_diagonal(i);
    else if (kind < 25) step_factor_pivot(i);
    else if (kind < 33 && (i->can_factorise || one_in(12))) step_factorisation(i);
    else if (kind < 42 && (i->can_sweep || one_in(8))) step_sweep(i);
    else if (kind < 47 && ((S.info[0].analysed && S.info[1].analysed) || one_in(8))) step_pair();
    else step_solve(i);
  }
  if (is_planted("crash")) begin_of(SOLUTIONS)[ROOM] = 1;
  while (is_planted("hang")) pause();
  int infos_first = one_in(2);
  for (int k = 0; k < 2; k++) {
    if (infos_first) OK(sptrsvDestroyInfo(S.info[k].info));
    OK(sptrsvDestroy(S.handle[k]));
    OK(sptrsvDestroyMatDescr(S.problem[k].descr));
    if (!infos_first) OK(sptrsvDestroyInfo(S.info[k].info));
    free(S.info[k].kept);
    S.info[k].kept = NULL;
    free_problem(&S.problem[k]);
  }
  counts->cases++;
  counts->failed += case_failed;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs some cases in a child, and returns the number of the next one. */
static int64_t run_child(uint64_t seed, int64_t from, int64_t to) {
  fflush(stdout);
  pid_t child = fork();
  if (child < 0) fatal("fork");
  if (child == 0) {
    open_places();
    for (int64_t number = from; number < to; number++) run_case(seed, number);
    fflush(stdout);
    _exit(0);
  }
  int status;
  if (waitpid(child, &status, 0) != child) fatal("waitpid");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return to;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    printf("case %lld: it hangs\n", (long long)counts->at);
  else
    printf("case %lld: ended with %s %d\n", (long long)counts->at, WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  counts->cases++, counts->failed++;
  return counts->at + 1;
}

static int usage(void) {
  fprintf(stderr, "usage: fuzz [--seed S] [--cases N | --calls N | --minutes M | --case K] [--plant DEFECT]\n");
  return 2;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 1 << 16);
  int64_t seed = 1, cases = INT64_MAX, calls = INT64_MAX, minutes = INT64_MAX / 60, one = -1;
  for (int a = 1; a < argc; a += 2) {
    const struct {
      const char *name;
      int64_t *value;
    } OPTIONS[] = {{"--seed", &seed}, {"--cases", &cases}, {"--calls", &calls}, {"--minutes", &minutes}, {"--case", &one}};
    char *end = NULL;
    if (a + 1 == argc) return usage();
    for (int k = 0; k < 5; k++)
      if (!strcmp(argv[a], OPTIONS[k].name)) *OPTIONS[k].value = strtoll(argv[a + 1], &end, 10);
    if (!strcmp(argv[a], "--plant"))
      for (int k = 0; k < PLANT_COUNT; k++)
        if (!strcmp(argv[a + 1], PLANTS[k])) planted = PLANTS[k], end = argv[a + 1] + strlen(argv[a + 1]);
    if (!end || *end || end == argv[a + 1]) return usage();
  }
  if (cases == INT64_MAX && calls == INT64_MAX && minutes == INT64_MAX / 60) calls = 1000000;
  counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (counts == MAP_FAILED) fatal("mmap");
  if (one >= 0) {
    is_verbose = 1;
    open_places();
    run_case((uint64_t)seed, one);
  }
  double begin = seconds();
  for (int64_t next = 0; one < 0 && next < cases && counts->calls < calls && seconds() - begin < 60.0 * (double)minutes;) {
    int64_t to = cases - next > CASES_OF_A_CHILD ? next + CASES_OF_A_CHILD : cases;
    next = run_child((uint64_t)seed, next, to);
    if (counts->failed < MOST_FAILURES) continue;
    printf("too many failures: the rest is left out\n");
    break;
  }
  printf("fuzz: seed %lld: %lld calls, %lld of them to be refused; %lld checks, %lld solved columns, %lld factorisations, %lld sweeps, %lld "
         "columns of pairs judged; %.0f s\n", (long long)seed, (long long)counts->calls, (long long)counts->refused, (long long)counts->checks,
         (long long)counts->solves, (long long)counts->factorisations, (long long)counts->sweeps, (long long)counts->pairs, seconds() - begin);
  if (counts->failed) printf("fuzz: a case again, alone: fuzz --seed %lld --case NUMBER\n", (long long)seed);
  if (!can_judge()) printf("fuzz: solutions were not judged: long double is no more than double here\n");
  printf("fuzz: %lld passed, %lld failed, 0 skipped\n", (long long)(counts->cases - counts->failed), (long long)counts->failed);
  return counts->failed > 0 || counts->cases == 0;
}
