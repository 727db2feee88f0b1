/*
 * A stand-in for a profiler's library, as NVTX_INJECTION64_PATH names one: it keeps the names of ranges, and how deep they are nested.
 * It follows the protocol of NVTX 3 as a tool does.
 *
 * Tests order by SPTRSV_STANDIN_NVTX: "refuse" has it refuse to work, and "nothing" has it take no functions.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLBACKS = 1, VERSION_INFO = 3, MODULES = 6, CORE2 = 5, PUSH = 4, POP = 5, CREATE = 12, RANGES = 64, LENGTH = 128 };

typedef void (*Function)(void);
typedef const void *(*GetExportTable)(uint32_t id);
typedef struct {
  size_t size;
  int (*slots)(int module, Function ***table, unsigned *size);
} Callbacks;
typedef struct {
  size_t size;
  uint32_t version, reserved;
  void (*set_version)(uint32_t version);
} VersionInfo;
typedef struct {
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const char *message;
} Attributes;

static int begun, depth, deepest, wrong;
static char names[RANGES][LENGTH], domain_name[LENGTH];

/* Ranges begun; those that have not ended, and the most at once; what broke the protocol; the names. */
int standin_begun(void) { return begun; }
int standin_depth(void) { return depth; }
int standin_deepest(void) { return deepest; }
int standin_wrong(void) { return wrong; }
const char *standin_name(int i) { return i < begun && i < RANGES ? names[i] : ""; }
const char *standin_domain(void) { return domain_name; }

static void *create(const char *name) {
  snprintf(domain_name, sizeof domain_name, "%s", name);
  return domain_name;
}

static int push(void *domain, const Attributes *a) {
  wrong += domain != domain_name || a->version != 3 || a->size != sizeof *a || a->message_type != 1;
  if (begun < RANGES) snprintf(names[begun], LENGTH, "%s", a->message);
  begun++;
  if (++depth > deepest) deepest = depth;
  return depth - 1;
}

static int pop(void *domain) {
  wrong += domain != domain_name;
  return --depth;
}

int InitializeInjectionNvtx2(GetExportTable get);
int InitializeInjectionNvtx2(GetExportTable get) {
  static const unsigned sizes[MODULES + 1] = {0, 16, 9, 15, 7, 16, 7};
  const char *order = getenv("SPTRSV_STANDIN_NVTX");
  const VersionInfo *version = get(VERSION_INFO);
  const Callbacks *callbacks = get(CALLBACKS);
  Function **table = NULL;
  unsigned size = 0;
  if (order && !strcmp(order, "refuse")) return 0;
  if (!version || version->size < sizeof *version || version->version != 3 || !callbacks || callbacks->size < sizeof *callbacks) return 0;
  version->set_version(3);
  wrong += get(2) != NULL || callbacks->slots(0, &table, &size) || callbacks->slots(MODULES + 1, &table, &size);
  for (int module = 1; module <= MODULES; module++) {
    wrong += !callbacks->slots(module, &table, &size) || size != sizes[module] || table[0] || table[size];
    for (unsigned i = 1; i < size; i++) wrong += !table[i] || *table[i];
  }
  if (order && !strcmp(order, "nothing")) return 1;
  if (!callbacks->slots(CORE2, &table, &size)) return 0;
  *table[CREATE] = (Function)create, *table[PUSH] = (Function)push, *table[POP] = (Function)pop;
  return 1;
}
