/*
 * A gate: holds a stream, so that what is enqueued behind it waits.
 */
#ifndef SPTRSV_GATE_H
#define SPTRSV_GATE_H

#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

typedef struct {
  atomic_int open, waited_in_vain;
} Gate;

/* Runs on the stream: holds it until the gate opens; ends by itself after 5 seconds. */
static inline void CUDART_CB hold(void *argument) {
  Gate *gate = argument;
  double end = seconds() + 5;
  while (!atomic_load(&gate->open) && seconds() < end) usleep(100);
  if (!atomic_load(&gate->open)) atomic_store(&gate->waited_in_vain, 1);
}

#endif
