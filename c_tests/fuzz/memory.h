/*
 * Memory between guard pages: an array ends (or begins) where a page begins that nobody may touch, so a library that
 * reads or writes one byte outside of it is ended by SIGSEGV.
 */
#ifndef FUZZ_MEMORY_H
#define FUZZ_MEMORY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The places of arrays. Those of a problem come once for each of the two problems of a case. */
enum Place { VALUES, POINTERS, INDICES, DIAGONAL, OF_PROBLEM, BAD_POINTERS = 2 * OF_PROBLEM, BAD_INDICES, RIGHT_SIDES, SOLUTIONS,
             ALONE, NEW_VALUES, PAIR_BUFFER, BUFFERS /* one for each info */, PLACES = BUFFERS + 2 };

enum { PAGE = 4096, ROOM = 4 << 20 };

static unsigned char *places;   /* of each place: a guard page, ROOM bytes, a guard page */
static int protections[PLACES]; /* of the bytes between */

static void fatal(const char *what) {
  perror(what);
  exit(3);
}

static unsigned char *begin_of(int place) { return places + (size_t)place * (ROOM + 2 * PAGE) + PAGE; }

static void protect(int place, int protection) {
  if (protections[place] == protection) return;
  protections[place] = protection;
  if (mprotect(begin_of(place), ROOM, protection)) fatal("mprotect");
}

static void open_places(void) {
  places = mmap(NULL, (size_t)PLACES * (ROOM + 2 * PAGE), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (places == MAP_FAILED) fatal("mmap");
  for (int place = 0; place < PLACES; place++) protections[place] = PROT_NONE, protect(place, PROT_READ | PROT_WRITE);
}

/* An array of that many bytes: `at_begin` right behind a guard page, else right before one. */
static void *array(int place, size_t bytes, int at_begin) {
  if (bytes > ROOM) {
    fprintf(stderr, "an array of %zu bytes has no room\n", bytes);
    exit(3);
  }
  protect(place, PROT_READ | PROT_WRITE);
  return begin_of(place) + (at_begin ? 0 : ROOM - bytes);
}

/* Memory of the fuzzer's own. */
static void *own(size_t bytes) {
  void *memory = malloc(bytes + 1);
  if (!memory) fatal("malloc");
  return memory;
}

static void *own_copy(const void *from, size_t bytes) { return memcpy(own(bytes), from, bytes); }

#endif
