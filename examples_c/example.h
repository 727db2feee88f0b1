/*
 * What every example needs and none is about: an executor, arrays where that executor wants them, and
 * errors that end the program with one line.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stddef.h>

#include "sptrsv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the program, saying what failed, unless the call of the library succeeds. */
#define OK(call) example_check((call), #call)
void example_check(sptrsvStatus_t status, const char *call);

/* Prints one line on stderr and ends the program. */
void example_die(int exit_code, const char *format, ...)
#ifdef __GNUC__
    __attribute__((noreturn, format(printf, 2, 3)))
#endif
    ;

/*
 * A handle on the GPU where there is one, otherwise (or with want_host) on the host executor, and a
 * first line of output that says which. SPTRSV_REQUIRE_GPU=1 in the environment makes a missing GPU an
 * error.
 */
sptrsvHandle_t example_open(int want_host);

/* The same for one of several processes, which share the GPUs by their number; the line goes into `line`. */
enum { EXAMPLE_LINE = 256 };
sptrsvHandle_t example_open_one_of(int number, int want_host, char line[EXAMPLE_LINE]);

/* Nonzero when the arrays below are in GPU memory. */
int example_on_gpu(void);

/* Arrays in the executor's memory. */
void *example_alloc(size_t bytes);
void *example_upload(const void *from, size_t bytes);
void example_write(void *to, const void *from, size_t bytes);
void example_download(void *to, const void *from, size_t bytes);
void example_free(void *array);

/* Wall-clock seconds. */
double example_seconds(void);

#ifdef __cplusplus
}
#endif
#endif
