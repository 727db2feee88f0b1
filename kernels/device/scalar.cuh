// The four value types. Kernels are written once, over these operations.
#pragma once
#include <cuda_runtime.h>

template <class R>
struct alignas(2 * sizeof(R)) Complex {
    R re, im;
};

using s_type = float;
using d_type = double;
using c_type = Complex<float>;
using z_type = Complex<double>;

// Instantiates a kernel template for every value type: `name_s`, `name_d`, `name_c`, `name_z`.
#define FOR_EACH_TYPE(INSTANTIATE) INSTANTIATE(s) INSTANTIATE(d) INSTANTIATE(c) INSTANTIATE(z)

template <class T>
struct Real {
    using type = T;
};
template <class R>
struct Real<Complex<R>> {
    using type = R;
};

__device__ inline float zero(float) { return 0.0f; }
__device__ inline double zero(double) { return 0.0; }
template <class R>
__device__ Complex<R> zero(Complex<R>) {
    return {R(0), R(0)};
}

__device__ inline float one(float) { return 1.0f; }
__device__ inline double one(double) { return 1.0; }
template <class R>
__device__ Complex<R> one(Complex<R>) {
    return {R(1), R(0)};
}

__device__ inline float not_a_number(float) { return __int_as_float(0x7fc00000); }
__device__ inline double not_a_number(double) { return __longlong_as_double(0x7ff8000000000000ll); }
template <class R>
__device__ Complex<R> not_a_number(Complex<R>) {
    return {not_a_number(R(0)), not_a_number(R(0))};
}

__device__ inline float conjugate_if(bool, float a) { return a; }
__device__ inline double conjugate_if(bool, double a) { return a; }
template <class R>
__device__ Complex<R> conjugate_if(bool yes, Complex<R> a) {
    return {a.re, yes ? -a.im : a.im};
}

template <class T>
__device__ bool is_zero(T a) {
    return a == T(0);
}
template <class R>
__device__ bool is_zero(Complex<R> a) {
    return a.re == R(0) && a.im == R(0);
}

template <class R>
__device__ Complex<R> operator+(Complex<R> a, Complex<R> b) {
    return {a.re + b.re, a.im + b.im};
}
template <class R>
__device__ Complex<R> operator-(Complex<R> a, Complex<R> b) {
    return {a.re - b.re, a.im - b.im};
}
template <class R>
__device__ Complex<R> operator-(Complex<R> a) {
    return {-a.re, -a.im};
}
template <class R>
__device__ Complex<R> operator*(Complex<R> a, Complex<R> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// c + a * b
__device__ inline float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
__device__ inline double multiply_add(double a, double b, double c) { return fma(a, b, c); }
template <class R>
__device__ Complex<R> multiply_add(Complex<R> a, Complex<R> b, Complex<R> c) {
    return {multiply_add(-a.im, b.im, multiply_add(a.re, b.re, c.re)),
            multiply_add(a.im, b.re, multiply_add(a.re, b.im, c.im))};
}

// Loads a value where `yes`, else zero, without a branch.
#define LOAD_IF(name, LOAD)                                                                                                     \
    __device__ __forceinline__ void name(bool yes, const float *p, float &v) {                                                  \
        asm volatile("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %2, 0;\n\tmov.b32 %0, 0;\n\t@yes " LOAD ".f32 %0, [%1];\n\t}"  \
                     : "=&f"(v)                                                                                                 \
                     : "l"(p), "r"((unsigned)yes));                                                                             \
    }                                                                                                                           \
    __device__ __forceinline__ void name(bool yes, const double *p, double &v) {                                                \
        asm volatile("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %2, 0;\n\tmov.b64 %0, 0;\n\t@yes " LOAD ".f64 %0, [%1];\n\t}"  \
                     : "=&d"(v)                                                                                                 \
                     : "l"(p), "r"((unsigned)yes));                                                                             \
    }                                                                                                                           \
    template <class R>                                                                                                          \
    __device__ __forceinline__ void name(bool yes, const Complex<R> *p, Complex<R> &v) {                                        \
        v = zero(Complex<R>{});                                                                                                 \
        if (yes) v = *p;                                                                                                        \
    }
LOAD_IF(load_if, "ld.global")

// Where what lies beside it is wanted soon: a whole line of the cache comes to L2, of which half would come otherwise.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
#define WHOLE_LINE ".L2::128B"
#else
#define WHOLE_LINE ""
#endif
LOAD_IF(load_line_if, "ld.global" WHOLE_LINE)

// What nobody reads again in this solve leaves L2 before anything else: so what is published stays there.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ __forceinline__ uint64_t leaving_first() {
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}
__device__ __forceinline__ uint32_t load_once(const uint32_t *p) {
    uint32_t v;
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(v) : "l"(p), "l"(leaving_first()));
    return v;
}
__device__ __forceinline__ uint4 load_once(const uint4 *p) {
    uint4 v;
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p), "l"(leaving_first()));
    return v;
}
__device__ __forceinline__ void store_once(uint32_t *p, uint32_t v) {
    asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(p), "r"(v), "l"(leaving_first()) : "memory");
}
__device__ __forceinline__ void store_once(uint64_t *p, uint64_t v) {
    asm volatile("st.global.L2::cache_hint.u64 [%0], %1, %2;" ::"l"(p), "l"(v), "l"(leaving_first()) : "memory");
}
#else
template <class V>
__device__ __forceinline__ V load_once(const V *p) {
    return *p;
}
template <class V>
__device__ __forceinline__ void store_once(V *p, V v) {
    *p = v;
}
#endif

// a * b in roundings of its own, never joined with what comes before or after: the same bits in every kernel.
__device__ inline float product(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double product(double a, double b) { return __dmul_rn(a, b); }
template <class R>
__device__ Complex<R> product(Complex<R> a, Complex<R> b) {
    return {multiply_add(-a.im, b.im, product(a.re, b.re)), multiply_add(a.im, b.re, product(a.re, b.im))};
}

// c = a * b where `yes`, without a branch or a choice between two results.
__device__ __forceinline__ void product_if(bool yes, float a, float b, float &c) {
    asm("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %3, 0;\n\t@yes mul.rn.f32 %0, %1, %2;\n\t}"
        : "+f"(c)
        : "f"(a), "f"(b), "r"((unsigned)yes));
}
__device__ __forceinline__ void product_if(bool yes, double a, double b, double &c) {
    asm("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %3, 0;\n\t@yes mul.rn.f64 %0, %1, %2;\n\t}"
        : "+d"(c)
        : "d"(a), "d"(b), "r"((unsigned)yes));
}
template <class R>
__device__ __forceinline__ void product_if(bool yes, Complex<R> a, Complex<R> b, Complex<R> &c) {
    if (yes) c = product(a, b);
}

// d = c + a * b where `yes`, in the same way.
__device__ __forceinline__ void multiply_add_if(bool yes, float a, float b, float c, float &d) {
    asm("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %4, 0;\n\t@yes fma.rn.f32 %0, %1, %2, %3;\n\t}"
        : "+f"(d)
        : "f"(a), "f"(b), "f"(c), "r"((unsigned)yes));
}
__device__ __forceinline__ void multiply_add_if(bool yes, double a, double b, double c, double &d) {
    asm("{\n\t.reg .pred yes;\n\tsetp.ne.u32 yes, %4, 0;\n\t@yes fma.rn.f64 %0, %1, %2, %3;\n\t}"
        : "+d"(d)
        : "d"(a), "d"(b), "d"(c), "r"((unsigned)yes));
}
template <class R>
__device__ __forceinline__ void multiply_add_if(bool yes, Complex<R> a, Complex<R> b, Complex<R> c, Complex<R> &d) {
    if (yes) d = multiply_add(a, b, c);
}

// Whether a value is so far from overflow and underflow that multiplying by it is as good as multiplying by one of its
// factors after the other.
__device__ __forceinline__ bool is_moderate(float a) {
    float m = fabsf(a);
    return m >= 1e-30f && m <= 1e30f;
}
__device__ __forceinline__ bool is_moderate(double a) {
    double m = fabs(a);
    return m >= 1e-290 && m <= 1e290;
}
template <class R>
__device__ bool is_moderate(Complex<R> a) {
    return is_moderate(fmax(fabs(a.re), fabs(a.im)));
}

// The upper half of a value without its sign, and what it is at least where the value is infinite, none, or the sentinel.
__device__ __forceinline__ uint32_t magnitude(float v) { return __float_as_uint(v) & 0x7fffffffu; }
__device__ __forceinline__ uint32_t magnitude(double v) { return (uint32_t)__double2hiint(v) & 0x7fffffffu; }
template <class R>
__device__ __forceinline__ uint32_t magnitude(Complex<R> v) {
    return max(magnitude(v.re), magnitude(v.im));
}
template <class T>
constexpr uint32_t NOT_FINITE = sizeof(typename Real<T>::type) == 4 ? 0x7f800000u : 0x7ff00000u;

template <class T>
__device__ T divide(T a, T b) {
    return a / b;
}
// Keeps what is computed from a value in the branch where it is computed, and behind the accesses before it.
__device__ __forceinline__ void settle(float &v) { asm volatile("" : "+f"(v) : : "memory"); }
__device__ __forceinline__ void settle(double &v) { asm volatile("" : "+d"(v) : : "memory"); }

// The same for an address: what is added to it is added once it is known, and not to what it is made of.
template <class T>
__device__ __forceinline__ void settle(T *&p) { asm volatile("" : "+l"(p)); }
__device__ __forceinline__ void settle(uint32_t &address) { asm volatile("" : "+r"(address)); }

// Has a value computed here, and not where it is first looked at.
__device__ __forceinline__ void compute(float &v) { asm volatile("" : "+f"(v)); }
__device__ __forceinline__ void compute(double &v) { asm volatile("" : "+d"(v)); }
template <class R>
__device__ __forceinline__ void compute(Complex<R> &v) {
    compute(v.re);
    compute(v.im);
}

// Smith's algorithm: no overflow of |b|^2. An infinite divisor gives zero, a zero divisor Inf or NaN.
template <class R>
__device__ Complex<R> divide(Complex<R> a, Complex<R> b) {
    // Else the compiler would divide even where nobody asks for it.
    settle(b.re);
    settle(b.im);
    if (isinf(b.re) || isinf(b.im)) {
        // Zeros of the quotient's signs, by Annex G of C99.
        R re = copysign(R(isinf(b.re)), b.re), im = copysign(R(isinf(b.im)), b.im);
        if (isfinite(a.re) && isfinite(a.im)) return {R(0) * (a.re * re + a.im * im), R(0) * (a.im * re - a.re * im)};
    } else if (b.im == R(0)) {
        return {a.re / b.re, a.im / b.re};
    }
    if (fabs(b.re) >= fabs(b.im)) {
        R t = b.im / b.re, s = b.re + b.im * t;
        return {(a.re + a.im * t) / s, (a.im - a.re * t) / s};
    }
    R t = b.re / b.im, s = b.re * t + b.im;
    return {(a.re * t + a.im) / s, (a.im * t - a.re) / s};
}

// 1 / d, where multiplying by it is as good as dividing: not for a tiny, huge or undefined divisor. A zero
// or infinite divisor is fine: the products with Inf and 0 are what the quotients are.
__device__ inline bool reciprocal(float d, float &r) {
    r = 1.0f / d;
    float m = fabsf(d);
    return (m >= 1e-37f && m <= 1e37f) || m == 0.0f || isinf(d);
}
__device__ inline bool reciprocal(double d, double &r) {
    r = 1.0 / d;
    double m = fabs(d);
    return (m >= 1e-307 && m <= 1e307) || m == 0.0 || isinf(d);
}
// Only where nothing can overflow on the way; else the caller divides. In double precision no square of a float does.
template <class R>
__device__ bool reciprocal(Complex<R> d, Complex<R> &r) {
    double re = d.re, im = d.im, m = re * re + im * im, by = 1.0 / m;
    r = {R(re * by), R(-im * by)};
    double low = sizeof(R) == 4 ? 1e-74 : 1e-150, high = sizeof(R) == 4 ? 1e74 : 1e150;
    return m >= low && m <= high;
}

template <class T>
__device__ T shuffle_down(T a, int by, int width) {
    return __shfl_down_sync(0xffffffffu, a, by, width);
}
template <class R>
__device__ Complex<R> shuffle_down(Complex<R> a, int by, int width) {
    return {__shfl_down_sync(0xffffffffu, a.re, by, width), __shfl_down_sync(0xffffffffu, a.im, by, width)};
}

template <class T>
__device__ T shuffle_xor(T a, int by) {
    return __shfl_xor_sync(0xffffffffu, a, by);
}
template <class R>
__device__ Complex<R> shuffle_xor(Complex<R> a, int by) {
    return {__shfl_xor_sync(0xffffffffu, a.re, by), __shfl_xor_sync(0xffffffffu, a.im, by)};
}

template <class T>
__device__ T shuffle(T a, int from) {
    return __shfl_sync(0xffffffffu, a, from);
}
template <class R>
__device__ Complex<R> shuffle(Complex<R> a, int from) {
    return {__shfl_sync(0xffffffffu, a.re, from), __shfl_sync(0xffffffffu, a.im, from)};
}

__device__ inline void atomic_add(float *p, float a) { atomicAdd(p, a); }
__device__ inline void atomic_add(double *p, double a) { atomicAdd(p, a); }
template <class R>
__device__ void atomic_add(Complex<R> *p, Complex<R> a) {
    atomicAdd(&p->re, a.re);
    atomicAdd(&p->im, a.im);
}
