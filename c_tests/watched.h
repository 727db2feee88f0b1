/*
 * Calls that the watchdog ends. On a GPU its time is a nanosecond, too short for the waits of a long chain of rows. On the host executor
 * another thread writes to the buffer meanwhile, against the contract, so that counts of dependencies never reach zero.
 */
#ifndef SPTRSV_WATCHED_H
#define SPTRSV_WATCHED_H

#include <pthread.h>
#include <stdatomic.h>

#include "problem.h"

typedef struct {
  const char *name;
  sptrsvStatus_t (*call)(void *subject);
  int (*is_right)(void *subject); /* what the call has left */
  void *subject;
  double *x; /* doubles in the executor's memory that the call replaces */
  const void *before;
  int64_t count;
  sptrsvInfo_t infos[2]; /* one, or two */
  sptrsvStatus_t (*pivot)(sptrsvHandle_t h, sptrsvInfo_t info, int64_t *row);
  int leaves_nan; /* where the watchdog has ended it */
  void *buffer;
  size_t buffer_bytes;
} Watched;

typedef struct {
  volatile unsigned char *buffer;
  size_t bytes;
  atomic_int on;
} Scribbler;

static void *scribble(void *argument) {
  Scribbler *w = argument;
  while (atomic_load(&w->on))
    for (size_t i = 0; i < w->bytes; i++) w->buffer[i] = 0x7f;
  return NULL;
}

static void put_before(const Watched *w) { mem_put(w->x, w->before, (size_t)w->count * sizeof *w->x); }

/* TIMED_OUT if the watchdog has ended what one of the infos did. */
static sptrsvStatus_t outcome(const Watched *w) {
  sptrsvStatus_t outcome = SPTRSV_STATUS_SUCCESS;
  for (int k = 0; k < 2 && w->infos[k]; k++) {
    int64_t row = NO_ROW;
    sptrsvStatus_t status = w->pivot(T.h, w->infos[k], &row);
    if (status) outcome = status;
    if (status == SPTRSV_STATUS_TIMED_OUT) CHECK_MESSAGE("watchdog");
    CHECK_THAT(row == (status ? NO_ROW : -1), "%s: the pivot is row %" PRId64, w->name, row);
  }
  return outcome;
}

static sptrsvStatus_t call_and_wait(const Watched *w) {
  put_before(w);
  CHECK_OK(w->call(w->subject));
  return outcome(w);
}

/* A call may be lucky, and where other programs run beside it many in turn, but not for so long. */
static sptrsvStatus_t call_while_scribbling(const Watched *w) {
  Scribbler scribbler = {.buffer = w->buffer, .bytes = w->buffer_bytes, .on = 1};
  pthread_t thread;
  sptrsvStatus_t status;
  if (pthread_create(&thread, NULL, scribble, &scribbler)) fatal("pthread_create", "failed");
  double end = seconds() + 60;
  do status = call_and_wait(w);
  while (status == SPTRSV_STATUS_SUCCESS && seconds() < end);
  atomic_store(&scribbler.on, 0);
  pthread_join(thread, NULL);
  return status;
}

/* Whether the watchdog has ended the call. It says so once; the next call is refused where nobody has asked before, and does nothing;
 * then the info is as good as before. */
static int watch(const Watched *w) {
  size_t bytes = (size_t)w->count * sizeof *w->x;
  double *x = malloc(bytes + 1), start = seconds();
  CHECK_OK(sptrsvSetTimeout(T.h, T.on_gpu ? 1e-9 : 0.2));
  sptrsvStatus_t status = T.on_gpu ? call_and_wait(w) : call_while_scribbling(w);
  int was_ended = status == SPTRSV_STATUS_TIMED_OUT;
  if (T.on_gpu) CHECK_THAT(seconds() - start < 20, "%s: the watchdog took %g s", w->name, seconds() - start);
  if (was_ended) {
    int64_t nans = 0;
    mem_get(x, w->x, bytes);
    for (int64_t i = 0; i < w->count; i++) nans += isnan(x[i]) != 0;
    CHECK_THAT(!w->leaves_nan || (T.on_gpu ? nans > 0 : nans == w->count), "%s: %" PRId64 " values of a call that was ended look valid", w->name,
               w->count - nans);
    if (!w->leaves_nan) CHECK(!w->is_right(w->subject));
    CHECK_OK(outcome(w));
  } else {
    CHECK_THAT(!status && w->is_right(w->subject), "%s: a call in spite of the limit: %s", w->name, sptrsvGetErrorName(status));
  }
  if (T.on_gpu) {
    put_before(w);
    CHECK_OK(w->call(w->subject));
    CUDA(cudaDeviceSynchronize());
  }
  CHECK_OK(sptrsvSetTimeout(T.h, 10));
  put_before(w);
  int refusals = 0;
  while ((status = w->call(w->subject)) == SPTRSV_STATUS_TIMED_OUT && refusals++ < 2) {
    mem_get(x, w->x, bytes);
    CHECK_THAT(!memcmp(x, w->before, bytes), "%s: a call that was refused has done something", w->name);
  }
  CHECK_THAT(!status && (T.on_gpu || !refusals), "%s after the watchdog: %s, %d refusals", w->name, sptrsvGetErrorName(status), refusals);
  CHECK_OK(outcome(w));
  CHECK_THAT(w->is_right(w->subject), "%s: a call after the watchdog is wrong", w->name);
  free(x);
  return was_ended;
}

#endif
