/*
 * Memory of the GPU that a test takes, so that there is none for others.
 */
#ifndef SPTRSV_TAKEN_H
#define SPTRSV_TAKEN_H

#include <unistd.h>

#include "check.h"

enum { MOST_TAKEN = 4096 };

/* Takes all memory of the GPU, in pieces behind the first so many; returns how many there are then. */
static inline int take_memory(void **taken, int count) {
  /* What processes that have ended gave back may be there a moment later. */
  for (int before = -1; count > before; usleep(300000)) {
    before = count;
    for (size_t bytes = (size_t)1 << 36; bytes >= (size_t)1 << 20; bytes /= 2)
      while (count < MOST_TAKEN && cudaMalloc(&taken[count], bytes) == cudaSuccess) count++;
    cudaGetLastError();
  }
  return count;
}

static inline void give_memory_back(void **taken, int count) {
  while (count > 0) mem_free(taken[--count]);
}

#endif
