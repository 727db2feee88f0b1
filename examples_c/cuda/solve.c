/*
 * A complete program on a GPU in C: its own memory, its own stream, every call checked. It solves L x = f, where L is the
 * lower triangle of the five-point stencil on a grid of N x N points, and solves again with new values.
 *
 *     cc solve.c -I/opt/sptrsv/include -I/usr/local/cuda/include -L/opt/sptrsv/lib -lsptrsv \
 *        -L/usr/local/cuda/lib64 -lcudart -lm -Wl,-rpath,/opt/sptrsv/lib:/usr/local/cuda/lib64
 */
#include <cuda_runtime_api.h>
#include <math.h>
#include <sptrsv.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 300, ROWS = N * N };

#define SPTRSV(call) check_sptrsv((call), #call)
#define CUDA(call) check_cuda((call), #call)

static void check_sptrsv(sptrsvStatus_t status, const char *call) {
    if (status == SPTRSV_STATUS_SUCCESS) return;
    fprintf(stderr, "%s: %s: %s\n", call, sptrsvGetErrorName(status), sptrsvGetLastErrorString());
    exit(1);
}

static void check_cuda(cudaError_t error, const char *call) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    exit(1);
}

static void *upload(const void *from, size_t bytes) {
    void *to = NULL;
    CUDA(cudaMalloc(&to, bytes));
    CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return to;
}

static int ptr[ROWS + 1], ind[3 * ROWS];
static double val[3 * ROWS], f[ROWS], x[ROWS];

/* Row by row: the point before, the point of the line before, the diagonal. f is that of x = 1. */
static int make_system(double diagonal) {
    int nnz = 0;
    for (int i = 0; i < ROWS; i++) {
        f[i] = diagonal;
        if (i >= N) ind[nnz] = i - N, val[nnz++] = -1.0, f[i] -= 1.0;
        if (i % N > 0) ind[nnz] = i - 1, val[nnz++] = -1.0, f[i] -= 1.0;
        ind[nnz] = i, val[nnz++] = diagonal;
        ptr[i + 1] = nnz;
    }
    return nnz;
}

static double largest_error(void) {
    double error = 0.0;
    for (int i = 0; i < ROWS; i++) error = fmax(error, fabs(x[i] - 1.0));
    return error;
}

int main(void) {
    const sptrsvOperation_t op = SPTRSV_OPERATION_NON_TRANSPOSE;
    const sptrsvSolvePolicy_t policy = SPTRSV_SOLVE_POLICY_USE_LEVEL;
    const double one = 1.0;
    const int nnz = make_system(4.0);

    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    int *d_ptr = upload(ptr, sizeof ptr), *d_ind = upload(ind, (size_t)nnz * sizeof(int));
    double *d_val = upload(val, (size_t)nnz * sizeof(double)), *d_f = upload(f, sizeof f), *d_x;
    CUDA(cudaMalloc((void **)&d_x, sizeof x));

    /* A handle for the current GPU, a descriptor (CSR, base 0, lower triangle, stored diagonal), an info. */
    sptrsvHandle_t handle;
    sptrsvMatDescr_t descr;
    sptrsvInfo_t info;
    size_t bytes;
    void *buffer;
    SPTRSV(sptrsvCreate(&handle));
    SPTRSV(sptrsvSetStream(handle, stream));
    SPTRSV(sptrsvCreateMatDescr(&descr));
    SPTRSV(sptrsvCreateInfo(&info));

    /* Once for a pattern. */
    SPTRSV(sptrsvBufferSize(handle, op, ROWS, nnz, descr, SPTRSV_R_64F, d_val, d_ptr, d_ind, info, &bytes));
    CUDA(cudaMalloc(&buffer, bytes));
    SPTRSV(sptrsvAnalysis(handle, op, ROWS, nnz, descr, SPTRSV_R_64F, d_val, d_ptr, d_ind, info, policy, buffer));

    /* As often as there are right-hand sides or values: nothing here waits but the last line. */
    int bad = 0;
    for (int step = 0; step < 2; step++) {
        if (step == 1) {
            make_system(5.0);
            CUDA(cudaMemcpyAsync(d_val, val, (size_t)nnz * sizeof(double), cudaMemcpyHostToDevice, stream));
            CUDA(cudaMemcpyAsync(d_f, f, sizeof f, cudaMemcpyHostToDevice, stream));
        }
        SPTRSV(sptrsvSolve(handle, op, ROWS, nnz, &one, descr, SPTRSV_R_64F, d_val, d_ptr, d_ind, info, d_f, d_x, policy,
                           buffer));
        CUDA(cudaMemcpyAsync(x, d_x, sizeof x, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));

        int64_t row;
        if (sptrsvZeroPivot(handle, info, &row) == SPTRSV_STATUS_ZERO_PIVOT) printf("row %lld has no pivot\n", (long long)row);
        printf("step %d: largest error %.1e\n", step + 1, largest_error());
        bad |= !(largest_error() < 1e-12);
    }

    SPTRSV(sptrsvDestroyInfo(info));
    SPTRSV(sptrsvDestroyMatDescr(descr));
    SPTRSV(sptrsvDestroy(handle));
    void *arrays[] = {d_ptr, d_ind, d_val, d_f, d_x, buffer};
    for (int i = 0; i < 6; i++) CUDA(cudaFree(arrays[i]));
    CUDA(cudaStreamDestroy(stream));
    return bad;
}
