/*
 * The stand-in of the CUDA driver (standin/libcuda.c) for test programs: cases that use it run in a child process, which finds it
 * in the place of libcuda.so.1.
 */
#ifndef SPTRSV_DRIVER_H
#define SPTRSV_DRIVER_H

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* ---------------------------------------------------------------------------------------------- children */

/* Runs a case of the table of children in a process of its own, with a folder in front of the library search path. */
static inline void in_a_child(const char *name, const char *libraries) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    setenv("RUST_BACKTRACE", "0", 1); /* of the panic that one case provokes, a line is enough */
    if (libraries) {
      const char *old = getenv("LD_LIBRARY_PATH");
      char path[8192];
      snprintf(path, sizeof path, "%s%s%s", libraries, old ? ":" : "", old ? old : "");
      setenv("LD_LIBRARY_PATH", path, 1);
    }
    execl("/proc/self/exe", T.name, "--child", name, (char *)NULL);
    _exit(127);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK_THAT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child for %s ended with status %#x", name, status);
}

/* The folder that holds the stand-in of the driver: beside this program. */
static inline const char *standin(void) {
  static char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 16);
  if (length <= 0) fatal("readlink", "this program does not know its own path");
  path[length] = 0;
  strcpy(strrchr(path, '/'), "/standin");
  return path;
}

/* A case of a child. */
typedef struct {
  const char *name;
  void (*run)(void);
} Child;

static inline int is_child(int argc, char **argv) { return argc == 3 && !strcmp(argv[1], "--child"); }

/* Runs it; its value is the child's exit status. */
static inline int run_child(const Child *children, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (!strcmp(name, children[i].name)) {
      T.name = T.current = children[i].name;
      children[i].run();
      if (T.failed == 0) printf("%s: %ld checks held\n", name, T.passed);
      fflush(stdout);
      return T.failed != 0 || T.passed == 0;
    }
  return 2;
}

/* Checks ask T.h for its message, so it must not be the destroyed one. */
static inline void destroy_handle(void) {
  sptrsvHandle_t h = T.h;
  T.h = NULL;
  CHECK_OK(sptrsvDestroy(h));
}

/* -------------------------------------------------------------------------------------------- the stand-in */

static struct {
  void (*fail)(const char *entry, int error);
  int (*calls)(void), (*allocated)(void), (*capture_mode)(void), (*broken_captures)(void);
  void (*fail_at)(int call, int error), (*room)(size_t bytes), (*capture_elsewhere)(int on);
  int (*count)(void);
  const char *(*failed_entry)(void);
  void (*gpu)(int driver, int capability);
  long (*blocks)(void);
  size_t (*used)(void), (*most_used)(void), (*kept)(void);
  void (*capture)(int all), (*pools)(int present), (*use)(int device), (*leave)(void), (*leave_current)(void), (*leave_from)(int device), (*green)(int all),
      (*multiprocessors)(int count);
} driver;

/* The library's driver is the stand-in, so this is the one that it has open. */
static inline void find_standin(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  const struct {
    void *place;
    const char *name;
  } SYMBOLS[] = {{&driver.fail, "standin_fail"},   {&driver.calls, "standin_calls"}, {&driver.allocated, "standin_allocated"},
                 {&driver.pools, "standin_pools"}, {&driver.use, "standin_use"},     {&driver.leave, "standin_leave"},
                 {&driver.capture_mode, "standin_capture_mode"},
                 {&driver.fail_at, "standin_fail_at"},   {&driver.count, "standin_count"},   {&driver.failed_entry, "standin_failed_entry"},
                 {&driver.room, "standin_room"},         {&driver.used, "standin_used"},     {&driver.most_used, "standin_most_used"},
                 {&driver.kept, "standin_kept"},         {&driver.capture_elsewhere, "standin_capture_elsewhere"},
                 {&driver.capture, "standin_capture"},   {&driver.gpu, "standin_gpu"},
                 {&driver.broken_captures, "standin_broken_captures"}, {&driver.blocks, "standin_blocks"},
                 {&driver.leave_current, "standin_leave_current"}, {&driver.leave_from, "standin_leave_from"},
                 {&driver.green, "standin_green"},             {&driver.multiprocessors, "standin_multiprocessors"}};
  for (int i = 0; i < COUNT(SYMBOLS); i++) {
    void *symbol = library ? dlsym(library, SYMBOLS[i].name) : NULL;
    if (!symbol) fatal("libcuda.so.1", "it is not the stand-in");
    memcpy(SYMBOLS[i].place, &symbol, sizeof symbol);
  }
}

#endif
