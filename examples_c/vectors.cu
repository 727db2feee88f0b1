/* Vectors and matrix products of the examples, on the GPU and on the host. */
#include "vectors.h"

#include <math.h>

#include "example.h"

namespace {

constexpr int BLOCK = 256;
constexpr int DOT_BLOCKS = 512;

void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) example_die(1, "CUDA: %s: %s", what, cudaGetErrorString(error));
}

int blocks(int n) { return (n + BLOCK - 1) / BLOCK; }

/* y = b - A x, or A x where b is NULL; a thread per row. */
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

void multiply_on_host(const matrix *a, const double *x, const double *b, double *y) {
    for (int i = 0; i < a->n; i++) {
        double sum = 0.0;
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) sum += a->val[k] * x[a->ind[k]];
        y[i] = b ? b[i] - sum : sum;
    }
}

void multiply_anywhere(const matrix *a, const double *x, const double *b, double *y) {
    if (!example_on_gpu()) return multiply_on_host(a, x, b, y);
    multiply<<<blocks(a->n), BLOCK>>>(a->n, a->ptr, a->ind, a->val, x, b, y);
    check(cudaGetLastError(), "matrix product");
}

}  // namespace

extern "C" void spmv(const matrix *a, const double *x, double *y) { multiply_anywhere(a, x, nullptr, y); }

extern "C" void residual(const matrix *a, const double *x, const double *b, double *r) {
    multiply_anywhere(a, x, b, r);
}

extern "C" double dot(int n, const double *x, const double *y) {
    double sum = 0.0;
    if (!example_on_gpu()) {
        for (int i = 0; i < n; i++) sum += x[i] * y[i];
        return sum;
    }
    static double *sums = nullptr; /* the blocks' sums, then the total; kept until the program ends */
    if (!sums) sums = static_cast<double *>(example_alloc((DOT_BLOCKS + 1) * sizeof(double)));
    partial_sums<<<DOT_BLOCKS, BLOCK>>>(n, x, y, sums);
    partial_sums<<<1, BLOCK>>>(DOT_BLOCKS, sums, nullptr, sums + DOT_BLOCKS);
    check(cudaGetLastError(), "dot product");
    example_download(&sum, sums + DOT_BLOCKS, sizeof sum);
    return sum;
}

extern "C" void axpby(int n, double alpha, const double *x, double beta, double *y) {
    if (example_on_gpu()) {
        combine<<<blocks(n), BLOCK>>>(n, alpha, x, beta, y);
        check(cudaGetLastError(), "vector update");
        return;
    }
    for (int i = 0; i < n; i++) y[i] = beta == 0.0 ? alpha * x[i] : alpha * x[i] + beta * y[i];
}

static cudaEvent_t event[STOPWATCH_MARKS];
static double second[STOPWATCH_MARKS];

extern "C" void stopwatch_mark(int mark) {
    if (!example_on_gpu()) {
        second[mark] = example_seconds();
        return;
    }
    if (!event[mark]) check(cudaEventCreate(&event[mark]), "create an event");
    check(cudaEventRecord(event[mark], nullptr), "record an event");
}

extern "C" double stopwatch_between(int from, int to) {
    if (!example_on_gpu()) return 1e3 * (second[to] - second[from]);
    float ms = 0.0f;
    check(cudaEventSynchronize(event[to]), "wait for an event");
    check(cudaEventElapsedTime(&ms, event[from], event[to]), "read an event");
    return ms;
}
