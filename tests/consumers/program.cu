// Compiled by nvcc, with code for a GPU that is not run where there is none.
#include "solve.h"

__global__ void fill(double *to, double value) { to[blockIdx.x * blockDim.x + threadIdx.x] = value; }

int main() {
  double *device = nullptr;
  if (cudaMalloc(&device, 32 * sizeof *device) == cudaSuccess) {
    fill<<<1, 32>>>(device, 1.0);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaFree(device);
  }
  return solve();
}
