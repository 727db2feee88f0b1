/*
 * Lines about the library's work: which there are at which level, what they say, and where they go: to a callback, or where
 * SPTRSV_LOG and SPTRSV_LOG_FILE say.
 */
#include <pthread.h>
#include <unistd.h>

#include "problem.h"

enum { ROWS = 500, LINES = 64 };

static char file[64];
static struct {
  int count;
  sptrsvLogLevel_t level[LINES];
  char text[LINES][512];
} heard;

static void hear(sptrsvLogLevel_t level, const char *line, void *user) {
  if (user != &heard || heard.count == LINES) fatal("the callback", "was given something else");
  heard.level[heard.count] = level;
  snprintf(heard.text[heard.count++], sizeof heard.text[0], "%s", line);
}

static int is_line(int i, sptrsvLogLevel_t level, const char *part) {
  return CHECK_THAT(i < heard.count && heard.level[i] == level && strstr(heard.text[i], part), "line %d of %d is '%s', not '%s'",
                    i, heard.count, i < heard.count ? heard.text[i] : "", part);
}

/* An analysis, a solve, a call that fails; the lines heard of them. */
static int work(void) {
  Problem p = make_problem((Kind){.type = SPTRSV_R_64F}, GRID, ROWS);
  System s;
  char *x = malloc(ROWS * sizeof(double));
  heard.count = 0;
  CHECK_OK(open_system(&s, &p, SPTRSV_ALG_LEVR));
  s.algorithm = "LEVR";
  solves_right(&s, x, "with a log");
  CHECK_STATUS(sptrsvSetStream(NULL, NULL), SPTRSV_STATUS_NOT_INITIALIZED);
  close_system(&s);
  free_problem(&p);
  free(x);
  return heard.count;
}

static void levels(void) {
  const char *failed = "SPTRSV_STATUS_NOT_INITIALIZED: the handle is NULL";
  CHECK_OK(sptrsvSetLogCallback(SPTRSV_LOG_OFF, hear, &heard));
  CHECK(work() == 0);
  CHECK_OK(sptrsvSetLogCallback(SPTRSV_LOG_ERROR, hear, &heard));
  CHECK(work() == 1);
  is_line(0, SPTRSV_LOG_ERROR, failed);
  CHECK_OK(sptrsvSetLogCallback(SPTRSV_LOG_INFO, hear, &heard));
  CHECK(work() == 2);
  is_line(0, SPTRSV_LOG_INFO, "analysis of 500 rows, ");
  is_line(0, SPTRSV_LOG_INFO, " levels: LEVR, ");
  is_line(0, SPTRSV_LOG_INFO, " bytes held");
  is_line(1, SPTRSV_LOG_ERROR, failed);
  CHECK_OK(sptrsvSetLogCallback(SPTRSV_LOG_TRACE, hear, &heard));
  CHECK(work() == 3);
  is_line(1, SPTRSV_LOG_TRACE, "solve of 500 rows, 1 right-hand sides: LEVR");
  is_line(2, SPTRSV_LOG_ERROR, failed);
}

static void wrong_levels(void) {
  CHECK_OK(sptrsvSetLogCallback(SPTRSV_LOG_ERROR, hear, &heard));
  CHECK_STATUS(sptrsvSetLogCallback((sptrsvLogLevel_t)4, hear, &heard), SPTRSV_STATUS_INVALID_VALUE);
  CHECK_STATUS(sptrsvSetLogCallback((sptrsvLogLevel_t)-1, hear, &heard), SPTRSV_STATUS_INVALID_VALUE);
  CHECK(work() == 1); /* the level is what it was */
}

static _Thread_local int heard_here;

static void count_here(sptrsvLogLevel_t level, const char *line, void *user) {
  (void)level, (void)line, (void)user;
  heard_here++;
}

enum { FAILURES = 200 };

/* The lines that this thread hears of its own calls. */
static void *fail_often(void *lines) {
  for (int i = 0; i < FAILURES; i++) sptrsvSetStream(NULL, NULL);
  *(int *)lines = heard_here;
  return NULL;
}

static void lines_come_on_the_thread_of_the_call(void) {
  pthread_t threads[3];
  int lines[COUNT(threads)];
  CHECK_OK(sptrsvSetLogCallback(SPTRSV_LOG_ERROR, count_here, NULL));
  for (int i = 0; i < COUNT(threads); i++)
    if (pthread_create(&threads[i], NULL, fail_often, &lines[i])) fatal("pthread_create", "failed");
  for (int i = 0; i < COUNT(threads); i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < COUNT(threads); i++) CHECK_THAT(lines[i] == FAILURES, "thread %d hears %d lines of %d calls", i, lines[i], FAILURES);
}

/* Without a callback, what the environment says, which main has set. */
static void environment(void) {
  static char text[4096];
  CHECK_OK(sptrsvSetLogCallback(SPTRSV_LOG_OFF, NULL, NULL));
  CHECK(truncate(file, 0) == 0);
  CHECK(work() == 0);
  FILE *f = fopen(file, "r");
  if (!CHECK(f)) return;
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  const char *lines[] = {"sptrsv: analysis of 500 rows, ", "\nsptrsv: solve of 500 rows, ", "\nsptrsv: SPTRSV_STATUS_NOT_INITIALIZED: "};
  for (int i = 0; i < COUNT(lines); i++) CHECK_THAT(strstr(text, lines[i]), "no '%s' in '%s'", lines[i], text);
}

int main(int argc, char **argv) {
  snprintf(file, sizeof file, "/tmp/sptrsv-log-%ld", (long)getpid());
  setenv("SPTRSV_LOG", "trace", 1);
  setenv("SPTRSV_LOG_FILE", file, 1);
  check_begin("test_log", argc, argv);
  RUN(levels);
  RUN(wrong_levels);
  RUN(lines_come_on_the_thread_of_the_call);
  RUN(environment);
  remove(file);
  return check_end();
}
