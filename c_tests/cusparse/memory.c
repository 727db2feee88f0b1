/* See memory.h. A failing call of the driver ends the program: the tests cannot go on without memory. */

#define _GNU_SOURCE
#include "memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long Address;

static int on_gpu;
static void *context;
static char device_name[128] = "host";

static struct {
    int (*Init)(unsigned);
    int (*DeviceGetCount)(int *);
    int (*DeviceGet)(int *, int);
    int (*DeviceGetName)(char *, int, int);
    int (*DevicePrimaryCtxRetain)(void **, int);
    int (*CtxSetCurrent)(void *);
    int (*CtxSynchronize)(void);
    int (*MemAlloc)(Address *, size_t);
    int (*MemFree)(Address);
    int (*MemcpyHtoD)(Address, const void *, size_t);
    int (*MemcpyDtoH)(void *, Address, size_t);
    int (*MemsetD8)(Address, unsigned char, size_t);
    int (*StreamCreate)(void **, unsigned);
    int (*StreamDestroy)(void *);
    int (*StreamSynchronize)(void *);
    int (*StreamBeginCapture)(void *, int);
    int (*StreamEndCapture)(void *, void **);
    int (*GraphInstantiate)(void **, void *, unsigned long long);
    int (*GraphLaunch)(void *, void *);
    int (*GraphDestroy)(void *);
    int (*GraphExecDestroy)(void *);
} cu;

static void must(int result, const char *call)
{
    if (result != 0) {
        fprintf(stderr, "the CUDA driver returned %d from %s\n", result, call);
        exit(1);
    }
}
#define MUST(call) must(cu.call, #call)

static void *must_alloc(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    if (p == NULL) {
        fprintf(stderr, "out of host memory\n");
        exit(1);
    }
    return p;
}

static int load_driver(void)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);
    if (lib == NULL)
        return 0;
    struct {
        void *slot;
        const char *name;
    } wanted[] = {
        {&cu.Init, "cuInit"},
        {&cu.DeviceGetCount, "cuDeviceGetCount"},
        {&cu.DeviceGet, "cuDeviceGet"},
        {&cu.DeviceGetName, "cuDeviceGetName"},
        {&cu.DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain"},
        {&cu.CtxSetCurrent, "cuCtxSetCurrent"},
        {&cu.CtxSynchronize, "cuCtxSynchronize"},
        {&cu.MemAlloc, "cuMemAlloc_v2"},
        {&cu.MemFree, "cuMemFree_v2"},
        {&cu.MemcpyHtoD, "cuMemcpyHtoD_v2"},
        {&cu.MemcpyDtoH, "cuMemcpyDtoH_v2"},
        {&cu.MemsetD8, "cuMemsetD8_v2"},
        {&cu.StreamCreate, "cuStreamCreate"},
        {&cu.StreamDestroy, "cuStreamDestroy_v2"},
        {&cu.StreamSynchronize, "cuStreamSynchronize"},
        {&cu.StreamBeginCapture, "cuStreamBeginCapture_v2"},
        {&cu.StreamEndCapture, "cuStreamEndCapture"},
        {&cu.GraphInstantiate, "cuGraphInstantiateWithFlags"},
        {&cu.GraphLaunch, "cuGraphLaunch"},
        {&cu.GraphDestroy, "cuGraphDestroy"},
        {&cu.GraphExecDestroy, "cuGraphExecDestroy"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *symbol = dlsym(lib, wanted[i].name);
        if (symbol == NULL)
            return 0;
        memcpy(wanted[i].slot, &symbol, sizeof symbol);
    }
    return 1;
}

int memory_open(void)
{
    const char *asked = getenv("SPTRSV_CUSPARSE_EXECUTOR");
    int count = 0;
    on_gpu = !(asked && strcmp(asked, "host") == 0) && load_driver() && cu.Init(0) == 0 &&
             cu.DeviceGetCount(&count) == 0 && count > 0;
    if (on_gpu) {
        int device;
        MUST(DeviceGet(&device, 0));
        MUST(DeviceGetName(device_name, sizeof device_name, device));
        MUST(DevicePrimaryCtxRetain(&context, device));
        MUST(CtxSetCurrent(context));
    } else {
        setenv("SPTRSV_CUSPARSE_EXECUTOR", "host", 1);
    }
    return on_gpu;
}

void memory_enter_thread(void)
{
    if (on_gpu)
        MUST(CtxSetCurrent(context));
}

const char *memory_device_name(void) { return device_name; }

void *memory_alloc(size_t bytes)
{
    if (!on_gpu)
        return must_alloc(bytes);
    Address p = 0;
    MUST(MemAlloc(&p, bytes ? bytes : 1));
    return (void *)(size_t)p;
}

void memory_free(void *p)
{
    if (!on_gpu)
        free(p);
    else if (p)
        MUST(MemFree((Address)(size_t)p));
}

void memory_put(void *to, const void *from, size_t bytes)
{
    if (bytes == 0)
        return;
    if (on_gpu)
        MUST(MemcpyHtoD((Address)(size_t)to, from, bytes));
    else
        memcpy(to, from, bytes);
    /* The copy may still be under way, and streams that do not wait for the default one would read what was there. */
    memory_synchronize();
}

void memory_get(void *to, const void *from, size_t bytes)
{
    if (bytes == 0)
        return;
    /* Solves may be on a stream that the default stream does not wait for. */
    memory_synchronize();
    if (on_gpu)
        MUST(MemcpyDtoH(to, (Address)(size_t)from, bytes));
    else
        memcpy(to, from, bytes);
}

void memory_fill(void *p, unsigned char byte, size_t bytes)
{
    if (bytes == 0)
        return;
    if (on_gpu)
        MUST(MemsetD8((Address)(size_t)p, byte, bytes));
    else
        memset(p, byte, bytes);
    memory_synchronize();
}

void memory_synchronize(void)
{
    if (on_gpu)
        MUST(CtxSynchronize());
}

void *stream_create(void)
{
    void *stream = NULL;
    MUST(StreamCreate(&stream, 1 /* not waiting for the default stream */));
    return stream;
}

void stream_destroy(void *stream) { MUST(StreamDestroy(stream)); }

void stream_synchronize(void *stream) { MUST(StreamSynchronize(stream)); }

void stream_begin_capture(void *stream) { MUST(StreamBeginCapture(stream, 0 /* global: the strictest */)); }

void *stream_end_capture(void *stream)
{
    void *graph = NULL, *executable = NULL;
    if (cu.StreamEndCapture(stream, &graph) != 0 || graph == NULL)
        return NULL;
    MUST(GraphInstantiate(&executable, graph, 0));
    MUST(GraphDestroy(graph));
    return executable;
}

void graph_launch(void *graph, void *stream) { MUST(GraphLaunch(graph, stream)); }

void graph_destroy(void *graph) { MUST(GraphExecDestroy(graph)); }
