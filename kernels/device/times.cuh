// Values of any type times a real number of double precision.
#pragma once
#include <cstdint>

#include "device/scalar.cuh"

__device__ __forceinline__ float times(float v, double by) { return (float)(v * by); }
__device__ __forceinline__ double times(double v, double by) { return v * by; }
template <class R>
__device__ Complex<R> times(Complex<R> v, double by) {
    return {times(v.re, by), times(v.im, by)};
}
