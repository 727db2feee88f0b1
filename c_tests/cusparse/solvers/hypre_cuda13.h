/*
 * What hypre 2.32.0 uses of earlier versions of CUDA and CUDA 13 has no more. Included before each file that nvcc compiles:
 * `-include hypre_cuda13.h`.
 */
#if defined(__CUDACC__) && defined(__cplusplus) && !defined(HYPRE_CUDA13_H)
#define HYPRE_CUDA13_H

#include <cuda_runtime_api.h>
#include <thrust/functional.h>

#include <utility>

namespace thrust {

template <class Argument, class Result>
struct unary_function {
    using argument_type = Argument;
    using result_type = Result;
};

template <class First, class Second, class Result>
struct binary_function {
    using first_argument_type = First;
    using second_argument_type = Second;
    using result_type = Result;
};

template <class T = void>
struct identity {
    template <class U>
    __host__ __device__ constexpr U &&operator()(U &&value) const {
        return std::forward<U>(value);
    }
};

template <class Predicate>
struct negated {
    Predicate predicate;
    template <class T>
    __host__ __device__ bool operator()(const T &value) {
        return !predicate(value);
    }
};

template <class Predicate>
__host__ __device__ negated<Predicate> not1(Predicate predicate) {
    return {predicate};
}

}  // namespace thrust

/* With a device's number, or cudaCpuDeviceId for the host. */
inline cudaError_t cudaMemPrefetchAsync(const void *pointer, std::size_t bytes, int device, cudaStream_t stream) {
    cudaMemLocation location = {};
    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device == cudaCpuDeviceId ? 0 : device;
    return cudaMemPrefetchAsync(pointer, bytes, location, 0, stream);
}

#endif
