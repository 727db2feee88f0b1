/*
 * The stand-in for the CUDA driver of c_tests, with the entry points that the Python package calls itself. Memory of
 * its GPUs is what a test says; what happens to streams is written into a log.
 */
#define cuEventRecord cuEventRecord_without_log
#include "../../c_tests/standin/libcuda.c"
#undef cuEventRecord

static char log_text[4096];

/* What was recorded and waited for since the last call: "record STREAM;" and "wait STREAM;". */
const char *standin_log(void);
const char *standin_log(void) {
  static char taken[sizeof log_text];
  strcpy(taken, log_text);
  log_text[0] = 0;
  return taken;
}

/* How many have the GPU's context. */
int standin_retained(int device);
int standin_retained(int device) { return contexts[device].retained; }

static void note(const char *what, Handle stream) {
  size_t used = strlen(log_text);
  snprintf(log_text + used, sizeof log_text - used, "%s %#zx;", what, (size_t)stream);
}

static struct {
  const char *start, *end;
  int device;
} places[256];
static int place_count;

/* From now on these bytes are memory of a GPU. */
void standin_memory(const void *start, size_t bytes, int device);
void standin_memory(const void *start, size_t bytes, int device) {
  if (place_count == sizeof places / sizeof places[0]) abort();
  places[place_count].start = start;
  places[place_count].end = (const char *)start + bytes;
  places[place_count++].device = device;
}

enum { INVALID_VALUE = 1, DEVICE_ORDINAL = 9 };

ENTRY(cuPointerGetAttribute, (void *value, int attribute, Address address),
      if (attribute != DEVICE_ORDINAL) return INVALID_VALUE;
      const char *at = (const char *)address;
      for (int i = 0; i < place_count; i++)
        if (places[i].start <= at && at < places[i].end) {
          memcpy(value, &places[i].device, sizeof places[i].device);
          return SUCCESS;
        }
      return INVALID_VALUE)
ENTRY(cuEventRecord, (Handle event, Handle stream), note("record", stream); return cuEventRecord_without_log(event, stream))
ENTRY(cuStreamWaitEvent, (Handle stream, Handle event, unsigned flags), (void)event; (void)flags; note("wait", stream))
