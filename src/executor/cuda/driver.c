/*
 * The CUDA driver, bound at run time.
 *
 * Defines the driver entry points that this library uses and forwards each to libcuda.so.1, which is
 * opened on first use. So libsptrsv.so has no load-time dependency on the driver and loads where there
 * is none; every entry point then returns CUDA_ERROR_STUB_LIBRARY. The symbols stay local to the library.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

typedef int Result; /* CUresult */
enum { SUCCESS = 0, STUB_LIBRARY = 34, SYMBOL_NOT_FOUND = 500, UNKNOWN = 999 };

static void *driver;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

static void open_driver(void) { driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL); }

static void *entry(const char *name) {
    pthread_once(&opened, open_driver);
    return driver ? dlsym(driver, name) : NULL;
}

/* A driver newer than the bindings may answer with a result that their enum lacks, and that no Rust code may
 * ever see. */
static Result known(Result result) {
    static const Result ranges[][2] = {{0, 8},     {34, 34},   {100, 102}, {200, 202}, {205, 224},
                                       {300, 304}, {400, 401}, {500, 500}, {600, 600}, {700, 705},
                                       {708, 720}, {800, 809}, {900, 911}};
    if (result == SUCCESS) return SUCCESS;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (ranges[i][0] <= result && result <= ranges[i][1]) return result;
    return UNKNOWN;
}

#pragma GCC visibility push(hidden)

int sptrsv_driver_present(void);

/* Whether the driver library was found. */
int sptrsv_driver_present(void) {
    pthread_once(&opened, open_driver);
    return driver != NULL;
}

/* Two threads may look a symbol up at once; both find the same address. */
#define FORWARD(name, params, args)                                                   \
    Result name params;                                                               \
    Result name params {                                                              \
        static void *cached;                                                          \
        void *target = __atomic_load_n(&cached, __ATOMIC_ACQUIRE);                    \
        if (!target) {                                                                \
            target = entry(#name);                                                    \
            if (!target) return driver ? SYMBOL_NOT_FOUND : STUB_LIBRARY;             \
            __atomic_store_n(&cached, target, __ATOMIC_RELEASE);                      \
        }                                                                             \
        return known(((Result(*) params)target)args);                                 \
    }

typedef void *P; /* any handle or host pointer */
typedef unsigned long long D; /* CUdeviceptr */
typedef unsigned U;
typedef size_t Z;

FORWARD(cuInit, (U flags), (flags))
FORWARD(cuDriverGetVersion, (P a), (a))
FORWARD(cuGetErrorName, (int e, P s), (e, s))
FORWARD(cuGetErrorString, (int e, P s), (e, s))
FORWARD(cuDeviceGet, (P d, int i), (d, i))
FORWARD(cuDeviceGetCount, (P n), (n))
FORWARD(cuDeviceGetName, (P s, int n, int d), (s, n, d))
FORWARD(cuDeviceTotalMem_v2, (P n, int d), (n, d))
FORWARD(cuDeviceGetAttribute, (P v, int a, int d), (v, a, d))
FORWARD(cuDevicePrimaryCtxRetain, (P c, int d), (c, d))
FORWARD(cuDevicePrimaryCtxRelease_v2, (int d), (d))
FORWARD(cuCtxGetCurrent, (P c), (c))
FORWARD(cuCtxSetCurrent, (P c), (c))
FORWARD(cuCtxPushCurrent_v2, (P c), (c))
FORWARD(cuCtxPopCurrent_v2, (P c), (c))
FORWARD(cuCtxGetDevice, (P d), (d))
FORWARD(cuCtxGetId, (P c, P id), (c, id))
FORWARD(cuCtxSynchronize, (void), ())
FORWARD(cuStreamGetId, (P s, P id), (s, id))
FORWARD(cuStreamGetGreenCtx, (P s, P c), (s, c))
FORWARD(cuModuleLoadDataEx, (P m, P image, U n, P o, P v), (m, image, n, o, v))
FORWARD(cuModuleUnload, (P m), (m))
FORWARD(cuModuleGetFunction, (P f, P m, P name), (f, m, name))
FORWARD(cuModuleGetFunctionCount, (P n, P m), (n, m))
FORWARD(cuModuleEnumerateFunctions, (P f, U n, P m), (f, n, m))
FORWARD(cuFuncGetName, (P name, P f), (name, f))
FORWARD(cuFuncLoad, (P f), (f))
FORWARD(cuFuncSetAttribute, (P f, int a, int v), (f, a, v))
FORWARD(cuOccupancyMaxActiveBlocksPerMultiprocessor, (P n, P f, int b, Z s), (n, f, b, s))
FORWARD(cuMemAlloc_v2, (P p, Z n), (p, n))
FORWARD(cuMemFree_v2, (D p), (p))
FORWARD(cuMemFreeAsync, (D p, P s), (p, s))
FORWARD(cuMemPoolCreate, (P pool, P props), (pool, props))
FORWARD(cuMemPoolDestroy, (P pool), (pool))
FORWARD(cuMemPoolSetAttribute, (P pool, int a, P v), (pool, a, v))
FORWARD(cuMemPoolTrimTo, (P pool, Z n), (pool, n))
FORWARD(cuMemAllocFromPoolAsync, (P p, Z n, P pool, P s), (p, n, pool, s))
FORWARD(cuMemHostAlloc, (P p, Z n, U f), (p, n, f))
FORWARD(cuMemHostGetDevicePointer_v2, (P d, P h, U f), (d, h, f))
FORWARD(cuMemFreeHost, (P p), (p))
FORWARD(cuMemcpyHtoDAsync_v2, (D d, P h, Z n, P s), (d, h, n, s))
FORWARD(cuMemcpyDtoHAsync_v2, (P h, D d, Z n, P s), (h, d, n, s))
FORWARD(cuMemcpyDtoDAsync_v2, (D d, D e, Z n, P s), (d, e, n, s))
FORWARD(cuMemsetD8Async, (D d, unsigned char v, Z n, P s), (d, v, n, s))
FORWARD(cuMemsetD32Async, (D d, U v, Z n, P s), (d, v, n, s))
FORWARD(cuThreadExchangeStreamCaptureMode, (P m), (m))
FORWARD(cuStreamSynchronize, (P s), (s))
FORWARD(cuStreamCreate, (P s, U f), (s, f))
FORWARD(cuStreamDestroy_v2, (P s), (s))
FORWARD(cuStreamIsCapturing, (P s, P v), (s, v))
FORWARD(cuEventCreate, (P e, U f), (e, f))
FORWARD(cuEventRecord, (P e, P s), (e, s))
FORWARD(cuEventElapsedTime, (P ms, P a, P b), (ms, a, b))
FORWARD(cuEventDestroy_v2, (P e), (e))
FORWARD(cuGraphCreate, (P g, U f), (g, f))
FORWARD(cuGraphAddKernelNode, (P n, P g, P d, size_t c, P p), (n, g, d, c, p))
FORWARD(cuGraphInstantiateWithFlags, (P e, P g, unsigned long long f), (e, g, f))
FORWARD(cuGraphLaunch, (P e, P s), (e, s))
FORWARD(cuGraphDestroy, (P g), (g))
FORWARD(cuGraphExecDestroy, (P e), (e))
FORWARD(cuLaunchKernel,
        (P f, U gx, U gy, U gz, U bx, U by, U bz, U sh, P s, P args, P extra),
        (f, gx, gy, gz, bx, by, bz, sh, s, args, extra))
FORWARD(cuLaunchKernelEx, (P config, P f, P args, P extra), (config, f, args, extra))

#pragma GCC visibility pop
