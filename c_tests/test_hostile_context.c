/*
 * Hostile cases: a context that is lost. A kernel of somebody else faults, or the device is reset, while handles and infos are
 * alive: every call gives a status with a sentence, nothing hangs, and all can be destroyed. Each case has a process of its own.
 */
#include "driver.h"
#include "hostile.h"
#include "occupy.h"

static const char *const BREAK_NAMES[] = {"a store to where there is no memory", "a trap", "a misaligned store"};

static int number_from(const char *variable) {
  const char *text = getenv(variable);
  return text ? atoi(text) : 0;
}

/* Whatever is called after the context is lost. */
static void calls_fail(System *s, sptrsvStatus_t expected) {
  int64_t row = NO_ROW;
  CHECK_STATUS(solve_from(s, s->f, s->x), expected);
  CHECK(*sptrsvGetLastErrorString());
  CHECK_STATUS(solve_columns(s, 1, s->f, s->x), expected);
  CHECK_STATUS(sptrsvZeroPivot(s->h, s->info, &row), expected);
  CHECK(*sptrsvGetLastErrorString() && row == NO_ROW);
  CHECK_STATUS(analyse(s), expected);
  CHECK(*sptrsvGetLastErrorString());
  CHECK(solve_from(s, s->f, s->x) != SPTRSV_STATUS_SUCCESS);
  sptrsvStats_t stats = {.struct_size = sizeof stats};
  sptrsvStatus_t status = sptrsvGetStats(s->info, &stats);
  CHECK(status == SPTRSV_STATUS_SUCCESS || status == SPTRSV_STATUS_NOT_ANALYSED);
}

/* In either order. */
static void destroy_all(System *s, int info_first) {
  if (info_first) CHECK_OK(sptrsvDestroyInfo(s->info));
  destroy_handle();
  if (!info_first) CHECK_OK(sptrsvDestroyInfo(s->info));
  CHECK_OK(sptrsvDestroyMatDescr(s->d));
}

static void context_is_lost(void) {
  int a = number_from("SPTRSV_HOSTILE_ALGORITHM"), how = number_from("SPTRSV_HOSTILE_BREAK");
  hostile_case("%s, %s", BREAK_NAMES[how], ALGS[a].name);
  T.on_gpu = 1;
  CHECK_OK(sptrsvCreate(&T.h));
  Problem p = shaped((Kind){.type = TYPES[a % 4]}, a);
  System s;
  if (opened(&s, &p, a)) {
    still_right(&s, "before");
    for (int k = 0; k < 3; k++) CHECK_OK(solve_from(&s, s.f, s.x));
    CHECK(break_context(NULL, how) == cudaSuccess);
    /* Calls in the moment of the fault: any status, but no hang. */
    for (int k = 0; k < 20; k++) solve_from(&s, s.f, s.x);
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
    calls_fail(&s, SPTRSV_STATUS_EXECUTION_FAILED);
    sptrsvHandle_t another = NULL;
    sptrsvStatus_t status = sptrsvCreate(&another);
    CHECK_THAT(!status || *sptrsvGetLastErrorString(), "a new handle: %s without a sentence", sptrsvGetErrorName(status));
    if (!status) CHECK_OK(sptrsvDestroy(another));
    destroy_all(&s, a & 1);
  }
}

static void device_is_reset(void) {
  int a = number_from("SPTRSV_HOSTILE_ALGORITHM");
  hostile_case("a reset of the device, %s", ALGS[a].name);
  T.on_gpu = 1;
  CHECK_OK(sptrsvCreate(&T.h));
  Problem p = shaped((Kind){.type = TYPES[a % 4]}, a);
  System s, again;
  if (opened(&s, &p, a)) {
    still_right(&s, "before");
    CUDA(cudaDeviceReset());
    calls_fail(&s, SPTRSV_STATUS_EXECUTION_FAILED);
    destroy_all(&s, a & 1);
    CUDA(cudaFree(NULL));
    CHECK_OK(sptrsvCreate(&T.h));
    if (opened(&again, &p, a)) still_right(&again, "with a new handle");
    close_system(&again);
    destroy_handle();
  }
}

static void lost_contexts(void) {
  for (int a = 0; a < COUNT(ALGS); a++)
    for (int how = 0; how < BREAKS; how++) {
      char number[2][12];
      snprintf(number[0], sizeof number[0], "%d", a);
      snprintf(number[1], sizeof number[1], "%d", how);
      setenv("SPTRSV_HOSTILE_ALGORITHM", number[0], 1);
      setenv("SPTRSV_HOSTILE_BREAK", number[1], 1);
      hostile_case("%s, %s", BREAK_NAMES[how], ALGS[a].name);
      alarm(2 * CASE_SECONDS); /* the child's ends first */
      in_a_child("context_is_lost", NULL);
    }
}

static void resets(void) {
  for (int a = 0; a < COUNT(ALGS); a++) {
    char number[12];
    snprintf(number, sizeof number, "%d", a);
    setenv("SPTRSV_HOSTILE_ALGORITHM", number, 1);
    hostile_case("a reset of the device, %s", ALGS[a].name);
    alarm(2 * CASE_SECONDS);
    in_a_child("device_is_reset", NULL);
  }
}

static const Child CHILDREN[] = {{"context_is_lost", context_is_lost}, {"device_is_reset", device_is_reset}};

int main(int argc, char **argv) {
  if (is_child(argc, argv)) return run_child(CHILDREN, COUNT(CHILDREN), argv[2]);
  check_begin("test_hostile_context", argc, argv);
  RUN_ON_GPU(lost_contexts);
  RUN_ON_GPU(resets);
  return hostile_end();
}
