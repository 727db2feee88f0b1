/*
 * A stand-in for libcuda.so.1, the CUDA driver, with faults to order: what an error of the driver becomes can
 * so be tested on every machine. Its two GPUs keep memory on the host, and kernels do nothing.
 *
 * Tests put its folder in LD_LIBRARY_PATH, and order faults by standin_fail.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Result;               /* CUresult */
typedef void *Handle;             /* contexts, modules, functions, streams, events, graphs */
typedef unsigned long long Address; /* CUdeviceptr */

enum { SUCCESS = 0, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101, NO_SUCH_SYMBOL = 500, CONTEXT_IS_DESTROYED = 709, NOT_SUPPORTED = 801,
       CAPTURE_UNSUPPORTED = 900 };
enum { DEVICES = 2, MULTIPROCESSORS = 16, COMPUTE_CAPABILITY_MAJOR = 75, COMPUTE_CAPABILITY_MINOR = 76, SHARED_BYTES_OF_A_BLOCK = 97,
       KILOHERTZ = 13, KILOHERTZ_OF_MEMORY = 36, BITS_OF_MEMORY = 37, BYTES_OF_L2 = 38 };
enum { GARBLED = -1 }; /* success, with an answer that no driver gives */

static struct {
  const char *entry;
  Result result;
  int calls;
  int at, count; /* the call of any entry point that fails, if it is not 0, and how many there were */
  char failed[80];
} fault;

/* From now on the entry point returns `result` and does nothing; a name that ends in * stands for all that begin
 * so, and NULL for none. */
void standin_fail(const char *entry, Result result) {
  fault.entry = entry;
  fault.result = result;
  fault.calls = 0;
}

/* How often the faulty entry point was called. */
int standin_calls(void) { return fault.calls; }

/* From now on the call of that number returns `result` and does nothing, whichever entry point it is of; 0 for none. */
void standin_fail_at(int call, Result result) {
  fault.at = call;
  fault.count = 0;
  fault.result = result;
  fault.failed[0] = 0;
}

/* How many calls there were since then, and the entry point of the one that failed. */
int standin_count(void) { return fault.count; }
const char *standin_failed_entry(void) { return fault.failed; }

static int is_faulty(const char *entry) {
  if (++fault.count == fault.at) {
    snprintf(fault.failed, sizeof fault.failed, "%s", entry);
    return 1;
  }
  if (!fault.entry) return 0;
  size_t length = strlen(fault.entry);
  int begins = length > 0 && fault.entry[length - 1] == '*' && strncmp(fault.entry, entry, length - 1) == 0;
  if (!begins && strcmp(fault.entry, entry) != 0) return 0;
  fault.calls++;
  return 1;
}

#define ENTRY(name, parameters, body)                              \
  Result name parameters;                                          \
  Result name parameters {                                         \
    if (is_faulty(#name) && fault.result != GARBLED) return fault.result; \
    body;                                                          \
    return SUCCESS;                                                \
  }

static struct {
  int retained;          /* it lives as long as somebody has it */
  unsigned long long id; /* another one in each of its lives */
} contexts[DEVICES];
static int object; /* something to point to */
static _Thread_local Handle current;
static void free_all(int device);
static void settle(void);

/* The beginning of a CUlaunchConfig. */
struct Launch {
  unsigned grid[3], block[3], shared;
  Handle stream;
};

static void retain(int device) {
  static unsigned long long lives;
  if (contexts[device].retained++ == 0) contexts[device].id = ++lives;
}
/* The last one who leaves takes along all that was there. */
static void leave_to_others(int device) {
  if (--contexts[device].retained == 0) free_all(device);
}

/* Makes a GPU's context current on this thread, as a program does that has one of its own. */
void standin_use(int device) {
  retain(device);
  current = &contexts[device];
}

/* Undoes it, whole or in two steps. */
void standin_leave_current(void) { current = NULL; }
void standin_leave_from(int device) { leave_to_others(device); }
void standin_leave(void) {
  standin_leave_from(current == &contexts[1]);
  standin_leave_current();
}

static struct {
  int driver, capability;
} gpu = {13000, 90};

/* From now on the driver is of that version of CUDA, times 1000, and its GPUs have that compute capability, times 10. */
void standin_gpu(int driver, int capability) { gpu.driver = driver, gpu.capability = capability; }

/* From now on it has so many multiprocessors. */
static int multiprocessors = 16;
void standin_multiprocessors(int count) { multiprocessors = count; }

static int captures, broken_captures;
static _Thread_local int capture_mode = 1; /* the program's own: of the thread */

/* From now on all streams capture, or none does, and how often a call has ended a capture. */
void standin_capture(int all) { captures = all; }
int standin_broken_captures(void) { return broken_captures; }

/* From now on another thread captures a stream in global mode, for which the legacy stream would wait, or none does. */
static int captures_elsewhere;
void standin_capture_elsewhere(int on) { captures_elsewhere = on; }

enum { CAPTURE_IMPLICIT = 906, MODE_RELAXED = 2 };
/* What may harm that capture, unless the thread says that it does not; and work on the legacy stream, whatever it says. */
#define IS_UNSAFE                                            \
  if (captures_elsewhere && capture_mode != MODE_RELAXED) { \
    broken_captures++;                                       \
    return CAPTURE_UNSUPPORTED;                              \
  }
#define ON(stream)                       \
  if (captures_elsewhere && !(stream)) { \
    broken_captures++;                   \
    return CAPTURE_IMPLICIT;             \
  }

/* What begins with this may not be called while a stream captures. */
#define ENDS_A_CAPTURE            \
  if (captures) {                 \
    broken_captures++;            \
    return CAPTURE_UNSUPPORTED;   \
  }

static int has_pools;

/* Whether the driver has pools of memory, as drivers from CUDA 11.2 on do. */
void standin_pools(int present) { has_pools = present; }

/* How this thread looks at captures now. */
int standin_capture_mode(void) { return capture_mode; }

/* ------------------------------------------------------------------------------------ GPU and contexts */

ENTRY(cuInit, (unsigned flags), (void)flags)
ENTRY(cuDriverGetVersion, (int *version), *version = gpu.driver)
ENTRY(cuDeviceGetCount, (int *count), *count = DEVICES)
ENTRY(cuDeviceGet, (int *device, int ordinal), if (ordinal >= DEVICES) return INVALID_DEVICE; *device = ordinal)
ENTRY(cuDeviceGetAttribute, (int *value, int attribute, int device), (void)device; switch (attribute) {
  case SHARED_BYTES_OF_A_BLOCK: *value = 227 << 10; break;
  case MULTIPROCESSORS: *value = multiprocessors; break;
  case KILOHERTZ: *value = 1980000; break;
  case KILOHERTZ_OF_MEMORY: *value = 3201000; break;
  case BITS_OF_MEMORY: *value = 6144; break;
  case BYTES_OF_L2: *value = 60 << 20; break;
  case COMPUTE_CAPABILITY_MAJOR: *value = gpu.capability / 10; break;
  case COMPUTE_CAPABILITY_MINOR: *value = gpu.capability % 10; break;
  default: *value = 1;
})
ENTRY(cuDeviceTotalMem_v2, (size_t *bytes, int device), (void)device; *bytes = (size_t)1 << 36)
ENTRY(cuDevicePrimaryCtxRetain, (Handle *c, int device), retain(device); *c = &contexts[device])
ENTRY(cuDevicePrimaryCtxRelease_v2, (int device), leave_to_others(device))
ENTRY(cuCtxGetCurrent, (Handle *c), *c = current)
ENTRY(cuCtxSetCurrent, (Handle c), current = c)
ENTRY(cuCtxPushCurrent_v2, (Handle c), current = c)
ENTRY(cuCtxPopCurrent_v2, (Handle *c), *c = current; current = NULL)
ENTRY(cuCtxGetDevice, (int *device), *device = current == &contexts[1];
      if (current && !contexts[*device].retained) return CONTEXT_IS_DESTROYED)
ENTRY(cuCtxGetId, (Handle c, unsigned long long *id), int device = (c ? c : current) == &contexts[1];
      if (!contexts[device].retained) return CONTEXT_IS_DESTROYED;
      *id = contexts[device].id)
ENTRY(cuCtxSynchronize, (void), ENDS_A_CAPTURE ON(NULL) settle())

/* A name as long as the place for it leaves no room for the zero at its end. */
Result cuDeviceGetName(char *name, int length, int device);
Result cuDeviceGetName(char *name, int length, int device) {
  (void)device;
  int faulty = is_faulty("cuDeviceGetName");
  if (faulty && fault.result != GARBLED) return fault.result;
  memset(name, faulty ? 'x' : 0, (size_t)length);
  return SUCCESS;
}

/* --------------------------------------------------------------------------------- modules and launches */

static long launched, launched_ever;

static void count_blocks(long blocks) { launched += blocks, launched_ever += blocks; }

/* Blocks of all launches since the last call; those of graphs are not counted. */
long standin_blocks(void) {
  long blocks = launched;
  launched = 0;
  return blocks;
}

/* Modules are of two kinds, each with one half of the kernels. The names of kernels do not say of which kind they are. */
static int modules[2];
static atomic_uint loaded;

static Handle module_of(const char *kernel) {
  unsigned sum = 0;
  while (*kernel) sum += (unsigned char)*kernel++;
  return &modules[sum % 2];
}

ENTRY(cuModuleLoadDataEx, (Handle *m, const void *image, unsigned n, void *o, void *v),
      (void)image; (void)n; (void)o; (void)v; *m = &modules[loaded++ % 2])
ENTRY(cuModuleUnload, (Handle m), (void)m)
ENTRY(cuModuleGetFunction, (Handle *f, Handle m, const char *name), if (m != module_of(name)) return NO_SUCH_SYMBOL; *f = &object)
ENTRY(cuModuleGetFunctionCount, (unsigned *count, Handle m), (void)m; *count = 1)
ENTRY(cuModuleEnumerateFunctions, (Handle *f, unsigned count, Handle m), (void)count; (void)m; *f = &object)
ENTRY(cuFuncGetName, (const char **name, Handle f), (void)f; *name = "of_no_algorithm")
ENTRY(cuFuncLoad, (Handle f), (void)f)
ENTRY(cuFuncSetAttribute, (Handle f, int attribute, int value), (void)f; (void)attribute; (void)value)
ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, Handle f, int threads, size_t shared),
      (void)f; (void)threads; (void)shared; *blocks = 1)
ENTRY(cuLaunchKernel,
      (Handle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
       Handle stream, void **arguments, void **extra),
      (void)f; (void)gy; (void)gz; (void)bx; (void)by; (void)bz; (void)shared; (void)arguments; (void)extra; ON(stream) count_blocks(gx))
ENTRY(cuLaunchKernelEx, (const struct Launch *config, Handle f, void **arguments, void **extra),
      (void)f; (void)arguments; (void)extra; ON(config->stream) count_blocks(config->grid[0]))

/* ---------------------------------------------------------------------------------------------- memory */

static atomic_int allocated;
static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;

/* How much has been allocated and not been freed: memory, pools and streams. */
int standin_allocated(void) { return allocated; }

/* Bytes of the GPUs' memory: all that there are, those in use, and what the pool keeps, of which a part is freed on a stream that
 * has not come to it yet. */
static struct {
  size_t limit, used, most, kept, pending;
} memory = {.limit = SIZE_MAX};

/* From now on there is room for so much more than is in use; and how much is in use, was at most since then, and is kept. */
void standin_room(size_t bytes) {
  memory.limit = bytes == SIZE_MAX ? bytes : memory.used + bytes;
  memory.most = memory.used;
}
size_t standin_used(void) { return memory.used; }
size_t standin_most_used(void) { return memory.most; }
size_t standin_kept(void) { return memory.kept + memory.pending; }

/* What was freed on streams is free. */
static void settle(void) {
  pthread_mutex_lock(&list);
  memory.kept += memory.pending, memory.pending = 0;
  pthread_mutex_unlock(&list);
}

/* What is allocated, in a list, before the memory itself. */
typedef struct Block {
  struct Block *before, *after;
  size_t bytes; /* on a GPU */
  int device, is_pooled;
  max_align_t memory[];
} Block;
static Block blocks = {.before = &blocks, .after = &blocks, .device = -1};

/* Takes a GPU's memory; what the pool keeps is its own to give. The list is locked. */
static int take(size_t bytes, int is_pooled) {
  size_t from_pool = !is_pooled ? 0 : bytes < memory.kept ? bytes : memory.kept;
  if (memory.limit - memory.used < memory.kept + memory.pending + (bytes - from_pool)) return 0;
  memory.kept -= from_pool, memory.used += bytes;
  if (memory.used > memory.most) memory.most = memory.used;
  return 1;
}

enum Kind { OF_HOST, OF_GPU, OF_POOL };
static Result allocate_kind(void *place, size_t bytes, enum Kind kind) {
  Block *block = calloc(1, sizeof *block + bytes);
  if (!block) return OUT_OF_MEMORY;
  pthread_mutex_lock(&list);
  if (kind != OF_HOST && !take(bytes, kind == OF_POOL)) {
    pthread_mutex_unlock(&list);
    free(block);
    return OUT_OF_MEMORY;
  }
  *block = (Block){&blocks, blocks.after, kind == OF_HOST ? 0 : bytes, current == &contexts[1], kind == OF_POOL};
  block->after->before = blocks.after = block;
  allocated++;
  pthread_mutex_unlock(&list);
  void *memory = block->memory;
  memcpy(place, &memory, sizeof memory);
  return SUCCESS;
}

static Result allocate(void *place, size_t bytes) { return allocate_kind(place, bytes, OF_HOST); }

static void unlink_and_free(Block *block) {
  memory.used -= block->bytes;
  if (block->is_pooled) memory.pending += block->bytes;
  block->before->after = block->after;
  block->after->before = block->before;
  allocated--;
  free(block);
}

/* What is not there, as the memory of a context that is gone, may be somebody else's by now. */
static void release(void *memory) {
  if (!memory) return;
  pthread_mutex_lock(&list);
  Block *block = blocks.after;
  while (block != &blocks && block->memory != memory) block = block->after;
  if (block == &blocks) {
    fprintf(stderr, "libcuda stand-in: freed what is not allocated\n");
    abort();
  }
  unlink_and_free(block);
  pthread_mutex_unlock(&list);
}

static void free_all(int device) {
  pthread_mutex_lock(&list);
  for (Block *block = blocks.after, *after; block != &blocks; block = after) {
    after = block->after;
    if (block->device == device) unlink_and_free(block);
  }
  pthread_mutex_unlock(&list);
}

ENTRY(cuMemAlloc_v2, (Address *p, size_t bytes), ENDS_A_CAPTURE IS_UNSAFE return allocate_kind(p, bytes, OF_GPU))
ENTRY(cuMemHostAlloc, (void **p, size_t bytes, unsigned flags), (void)flags; IS_UNSAFE return allocate(p, bytes))
ENTRY(cuMemFree_v2, (Address p), IS_UNSAFE release((void *)p); settle())
ENTRY(cuMemFreeAsync, (Address p, Handle stream), ON(stream) release((void *)p))
ENTRY(cuMemFreeHost, (void *p), release(p))
ENTRY(cuMemPoolCreate, (Handle *pool, const void *properties),
      (void)properties; return has_pools ? allocate(pool, 1) : NOT_SUPPORTED)
ENTRY(cuMemPoolDestroy, (Handle pool), release(pool); memory.kept = memory.pending = 0)
ENTRY(cuMemPoolSetAttribute, (Handle pool, int attribute, void *value), (void)pool; (void)attribute; (void)value)
ENTRY(cuMemPoolTrimTo, (Handle pool, size_t bytes), (void)pool; memory.kept = memory.kept < bytes ? memory.kept : bytes)
ENTRY(cuMemAllocFromPoolAsync, (Address *p, size_t bytes, Handle pool, Handle stream),
      (void)pool; ON(stream) return allocate_kind(p, bytes, OF_POOL))
ENTRY(cuMemHostGetDevicePointer_v2, (Address *d, void *h, unsigned flags), (void)flags; *d = (Address)h)
ENTRY(cuMemcpyHtoDAsync_v2, (Address to, const void *from, size_t bytes, Handle stream),
      ON(stream) memcpy((void *)to, from, bytes))
ENTRY(cuMemcpyDtoHAsync_v2, (void *to, Address from, size_t bytes, Handle stream),
      ON(stream) memcpy(to, (const void *)from, bytes))
ENTRY(cuMemcpyDtoDAsync_v2, (Address to, Address from, size_t bytes, Handle stream),
      ON(stream) memmove((void *)to, (const void *)from, bytes))
ENTRY(cuMemcpyAsync, (Address to, Address from, size_t bytes, Handle stream),
      ON(stream) memmove((void *)to, (const void *)from, bytes))
ENTRY(cuMemsetD8Async, (Address p, unsigned char byte, size_t count, Handle stream),
      ON(stream) memset((void *)p, byte, count))
ENTRY(cuMemsetD32Async, (Address p, unsigned word, size_t count, Handle stream),
      ON(stream) for (size_t i = 0; i < count; i++) ((unsigned *)p)[i] = word)

/* ------------------------------------------------------------------------------------ streams and graphs */

ENTRY(cuStreamCreate, (Handle *s, unsigned flags), (void)flags; return allocate(s, 1))
ENTRY(cuStreamDestroy_v2, (Handle s), release(s))
ENTRY(cuStreamSynchronize, (Handle s), ENDS_A_CAPTURE ON(s) settle())
static int green; /* whether all streams are of a green context */
void standin_green(int all) { green = all; }
ENTRY(cuStreamGetGreenCtx, (Handle s, Handle *context), (void)s; *context = green ? &object : NULL)
ENTRY(cuStreamGetId, (Handle s, unsigned long long *id), ENDS_A_CAPTURE *id = (unsigned long long)s)
ENTRY(cuStreamIsCapturing, (Handle s, int *status), *status = captures; if (captures_elsewhere && !s) return CAPTURE_IMPLICIT)
ENTRY(cuThreadExchangeStreamCaptureMode, (int *mode), int old = capture_mode; capture_mode = *mode; *mode = old)
/* Time goes by blocks: each takes a microsecond. */
ENTRY(cuEventCreate, (Handle *e, unsigned flags), (void)flags; return allocate(e, sizeof(long)))
ENTRY(cuEventRecord, (Handle e, Handle s), ON(s) memcpy(e, &launched_ever, sizeof launched_ever))
ENTRY(cuEventElapsedTime, (float *ms, Handle begin, Handle end), long ends[2]; memcpy(&ends[0], begin, sizeof *ends);
      memcpy(&ends[1], end, sizeof *ends); *ms = (float)(ends[1] - ends[0]) / 1000)
ENTRY(cuEventQuery, (Handle e), (void)e)
ENTRY(cuEventDestroy_v2, (Handle e), release(e))
ENTRY(cuGraphCreate, (Handle *graph, unsigned flags), (void)flags; *graph = &object)
ENTRY(cuGraphAddKernelNode, (Handle *node, Handle graph, const Handle *before, size_t count, const void *kernel),
      (void)graph; (void)before; (void)count; (void)kernel; *node = &object)
ENTRY(cuGraphInstantiateWithFlags, (Handle *exec, Handle graph, unsigned long long flags),
      (void)graph; (void)flags; *exec = &object)
ENTRY(cuGraphLaunch, (Handle exec, Handle s), (void)exec; ON(s))
ENTRY(cuGraphDestroy, (Handle graph), (void)graph)
ENTRY(cuGraphExecDestroy, (Handle exec), (void)exec)
