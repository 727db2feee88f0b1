/* Memory, vectors and matrix products of the examples on a GPU. */
#include "gpu.h"

#include "example.h"

namespace {

constexpr int BLOCK = 256;
constexpr int DOT_BLOCKS = 512;

void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) example_die(1, "CUDA: cannot %s: %s", what, cudaGetErrorString(error));
}

int blocks(int n) { return (n + BLOCK - 1) / BLOCK; }

/* A thread per row. */
__global__ void multiply(int n, const int *ptr, const int *ind, const double *val, const double *x, const double *b,
                         double *y) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    double sum = 0.0;
    for (int k = ptr[i]; k < ptr[i + 1]; k++) sum += val[k] * x[ind[k]];
    y[i] = b ? b[i] - sum : sum;
}

__global__ void combine(int n, double alpha, const double *x, double beta, double *y) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = beta == 0.0 ? alpha * x[i] : alpha * x[i] + beta * y[i];
}

__global__ void gather(int n, const int *index, const double *x, double *to) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) to[i] = x[index[i]];
}

__global__ void scatter_add(int n, const int *index, const double *from, double *x) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) x[index[i]] += from[i];
}

/* One partial sum per block: of x * y, or of x alone where y is NULL. */
__global__ void partial_sums(int n, const double *x, const double *y, double *sums) {
    __shared__ double part[BLOCK];
    double sum = 0.0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) sum += y ? x[i] * y[i] : x[i];
    part[threadIdx.x] = sum;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

cudaEvent_t event[GPU_MARKS];

}  // namespace

extern "C" const char *gpu_open(int number, const char **why_not) {
    static cudaDeviceProp gpu;
    int devices = 0, driver = 0;
    *why_not = "there is no NVIDIA GPU";
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return nullptr;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess && error != cudaErrorNoDevice) *why_not = cudaGetErrorString(error);
    if (error != cudaSuccess || devices == 0) return nullptr;
    check(cudaSetDevice(number % devices), "use the GPU");
    check(cudaGetDeviceProperties(&gpu, number % devices), "ask for the GPU's name");
    return gpu.name;
}

extern "C" void *gpu_alloc(size_t bytes) {
    void *array = nullptr;
    check(cudaMalloc(&array, bytes), "allocate GPU memory");
    return array;
}

extern "C" void gpu_free(void *array) { check(cudaFree(array), "free GPU memory"); }

extern "C" void gpu_write(void *to, const void *from, size_t bytes) {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copy to the GPU");
}

extern "C" void gpu_read(void *to, const void *from, size_t bytes) {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copy from the GPU");
}

extern "C" void *gpu_alloc_host(size_t bytes) {
    void *array = nullptr;
    check(cudaMallocHost(&array, bytes), "allocate page-locked memory");
    return array;
}

extern "C" void gpu_free_host(void *array) { check(cudaFreeHost(array), "free page-locked memory"); }

extern "C" void gpu_wait() { check(cudaStreamSynchronize(nullptr), "wait for the GPU"); }

extern "C" void gpu_multiply(int n, const int *ptr, const int *ind, const double *val, const double *x, const double *b,
                             double *y) {
    if (n == 0) return;
    multiply<<<blocks(n), BLOCK>>>(n, ptr, ind, val, x, b, y);
    check(cudaGetLastError(), "multiply a matrix");
}

extern "C" double gpu_dot(int n, const double *x, const double *y) {
    static double *sums = nullptr; /* the blocks' sums, then the total; kept until the program ends */
    double sum = 0.0;
    if (!sums) sums = static_cast<double *>(gpu_alloc((DOT_BLOCKS + 1) * sizeof(double)));
    partial_sums<<<DOT_BLOCKS, BLOCK>>>(n, x, y, sums);
    partial_sums<<<1, BLOCK>>>(DOT_BLOCKS, sums, nullptr, sums + DOT_BLOCKS);
    check(cudaGetLastError(), "multiply vectors");
    gpu_read(&sum, sums + DOT_BLOCKS, sizeof sum);
    return sum;
}

extern "C" void gpu_axpby(int n, double alpha, const double *x, double beta, double *y) {
    if (n == 0) return;
    combine<<<blocks(n), BLOCK>>>(n, alpha, x, beta, y);
    check(cudaGetLastError(), "add vectors");
}

extern "C" void gpu_gather(int n, const int *index, const double *x, double *to) {
    if (n == 0) return;
    gather<<<blocks(n), BLOCK>>>(n, index, x, to);
    check(cudaGetLastError(), "gather values");
}

extern "C" void gpu_scatter_add(int n, const int *index, const double *from, double *x) {
    if (n == 0) return;
    scatter_add<<<blocks(n), BLOCK>>>(n, index, from, x);
    check(cudaGetLastError(), "add values");
}

extern "C" void gpu_mark(int mark) {
    if (!event[mark]) check(cudaEventCreate(&event[mark]), "create an event");
    check(cudaEventRecord(event[mark], nullptr), "record an event");
}

extern "C" double gpu_between(int from, int to) {
    float ms = 0.0f;
    check(cudaEventSynchronize(event[to]), "wait for an event");
    check(cudaEventElapsedTime(&ms, event[from], event[to]), "read an event");
    return ms;
}
