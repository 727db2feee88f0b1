/*
 * Named tests, counted: the last line is "name: N passed, N failed, N skipped", and the program fails when a
 * test failed. A test that needs a GPU is skipped where there is none; SPTRSV_REQUIRE_GPU=1 makes that a
 * failure.
 */

#ifndef HARNESS_H
#define HARNESS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static struct {
    const char *test;
    int passed, failed, skipped;
    int complaints, skip;
} tally;

__attribute__((unused, format(printf, 2, 3))) static void complain(int line, const char *format, ...)
{
    va_list arguments;
    if (tally.complaints++ == 20)
        printf("  %s: more complaints follow\n", tally.test);
    if (tally.complaints > 20)
        return;
    printf("  %s, line %d: ", tally.test, line);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
}

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            complain(__LINE__, "not so: %s", #condition);                                                    \
    } while (0)

/* The call must return this status, by its number. */
#define STATUS(expected, call)                                                                               \
    do {                                                                                                     \
        int status_ = (int)(call);                                                                           \
        if (status_ != (expected))                                                                           \
            complain(__LINE__, "status %d, not %d, from %s", status_, (int)(expected), #call);               \
    } while (0)

#define SKIP(reason)                                                                                         \
    do {                                                                                                     \
        printf("SKIPPED %s: %s\n", tally.test, reason);                                                      \
        tally.skip = 1;                                                                                      \
        return;                                                                                              \
    } while (0)

#define RUN(test) run(#test, test)

__attribute__((unused)) static void run(const char *name, void (*test)(void))
{
    tally.test = name;
    tally.complaints = tally.skip = 0;
    test();
    if (tally.skip && tally.complaints == 0) {
        tally.skipped++;
        return;
    }
    if (tally.complaints)
        tally.failed++;
    else
        tally.passed++;
    printf("%s %s\n", tally.complaints ? "FAILED " : "ok     ", name);
    fflush(stdout);
}

/* The first line of every program; ends it with an error where a GPU is required and there is none. */
__attribute__((unused)) static int open_executor(const char *program)
{
    const char *required = getenv("SPTRSV_REQUIRE_GPU");
    int on_gpu = memory_open();
    printf("%s: executor %s (%s)\n", program, on_gpu ? "CUDA" : "host", memory_device_name());
    if (!on_gpu && required && strcmp(required, "1") == 0) {
        printf("SPTRSV_REQUIRE_GPU=1, and no GPU was found\n%s: 0 passed, 1 failed, 0 skipped\n", program);
        exit(1);
    }
    return on_gpu;
}

static int close_tally(const char *program)
{
    printf("%s: %d passed, %d failed, %d skipped\n", program, tally.passed, tally.failed, tally.skipped);
    return tally.failed != 0;
}

#endif
