/*
 * A fence: a system's buffer is of the size that was asked for, and what lies around it must stay.
 */
#ifndef SPTRSV_FENCE_H
#define SPTRSV_FENCE_H

#include "problem.h"

enum { GUARD = 0x5a, FENCE = 64 };

/* The system's buffer moves into a larger block, aligned to 8 bytes only and between guards. */
typedef struct {
  char *block;
  void *buffer;
  size_t bytes;
} Fence;

static inline Fence fence(System *s) {
  Fence e = {.buffer = s->buffer, .bytes = s->buffer_bytes};
  e.block = mem_new(e.bytes + 2 * FENCE + 8);
  mem_fill(e.block, GUARD, e.bytes + 2 * FENCE + 8);
  s->buffer = e.block + FENCE + 8 * below(2);
  /* Scratch: whatever lies in it, also what could be taken for solutions. */
  mem_fill(s->buffer, below(2) ? 0 : 0x11, e.bytes);
  return e;
}

/* Puts the system's own buffer back. Whether all around the other one stayed. */
static inline int unfence(System *s, Fence *e) {
  char *end = (char *)s->buffer + e->bytes;
  int whole = mem_is(e->block, GUARD, (size_t)((char *)s->buffer - e->block)) &&
              mem_is(end, GUARD, (size_t)(e->block + e->bytes + 2 * FENCE + 8 - end));
  s->buffer = e->buffer;
  mem_free(e->block);
  return whole;
}

#endif
