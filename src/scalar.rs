//! The four value types, and the one place where a [`DataType`](crate::problem::DataType) becomes one of
//! them.
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use num_complex::Complex;
use num_traits::Float;

/// A matrix value: `f32`, `f64`, or a complex number of these.
pub trait Scalar: Copy + PartialEq + Send + Sync + std::fmt::Debug + 'static {
    const ZERO: Self;
    const ONE: Self;
    /// NaN in every component.
    const NAN: Self;

    /// One atomic word per component: the same size and layout as `Self`.
    type Atomic: Sync;

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// Each component times a real number.
    fn times(self, factor: f64) -> Self;
    /// The quotient as IEEE has it, for complex numbers without overflow on the way; finite over
    /// infinite is zero.
    fn div(self, other: Self) -> Self;
    /// `self - a * b`.
    fn mul_sub(self, a: Self, b: Self) -> Self;
    fn conj(self) -> Self;
    fn is_zero(self) -> bool;
    /// The square root of the real part.
    fn root(self) -> Self;
    /// Whether the real part is zero or less.
    fn is_not_positive(self) -> bool;
    fn modulus(self) -> f64;
    fn from_parts(parts: [f64; 2]) -> Self;
    /// Its bytes in memory, and zeros behind them.
    fn bytes(self) -> [u8; 16];

    /// Adds to a shared number, each component on its own. Orders nothing around it.
    fn atomic_add(cell: &Self::Atomic, value: Self);
    /// Reads a shared number, each component on its own. Orders nothing around it.
    fn atomic_load(cell: &Self::Atomic) -> Self;
}

macro_rules! real_scalar {
    ($real:ty, $bits:ty, $word:ty) => {
        impl Real for $real {
            const TOP: i32 = <$real>::MAX_EXP - 2;
            fn power_of_two(power: i32) -> Self {
                let biased = (power + <$real>::MAX_EXP - 1) as $bits;
                <$real>::from_bits(biased << (<$real>::MANTISSA_DIGITS - 1))
            }
        }

        impl Scalar for $real {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const NAN: Self = <$real>::NAN;
            type Atomic = $word;

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn times(self, factor: f64) -> Self {
                self * factor as $real
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn mul_sub(self, a: Self, b: Self) -> Self {
                self - a * b
            }
            #[inline(always)]
            fn conj(self) -> Self {
                self
            }
            #[inline(always)]
            fn is_zero(self) -> bool {
                self == 0.0
            }
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn is_not_positive(self) -> bool {
                self <= 0.0
            }
            #[inline(always)]
            fn modulus(self) -> f64 {
                f64::from(self).abs()
            }
            #[inline(always)]
            fn from_parts([re, _]: [f64; 2]) -> Self {
                re as $real
            }
            fn bytes(self) -> [u8; 16] {
                let mut bytes = [0; 16];
                bytes[..size_of::<Self>()].copy_from_slice(&self.to_ne_bytes());
                bytes
            }
            #[inline(always)]
            fn atomic_add(cell: &$word, value: Self) {
                let mut old = cell.load(Relaxed);
                // Ends: an exchange fails only where another thread's exchange has succeeded.
                loop {
                    let new = (<$real>::from_bits(old) + value).to_bits();
                    match cell.compare_exchange_weak(old, new, Relaxed, Relaxed) {
                        Ok(_) => return,
                        Err(current) => old = current,
                    }
                }
            }
            #[inline(always)]
            fn atomic_load(cell: &$word) -> Self {
                <$real>::from_bits(cell.load(Relaxed))
            }
        }
    };
}

macro_rules! complex_scalar {
    ($real:ty, $word:ty) => {
        impl Scalar for Complex<$real> {
            const ZERO: Self = Complex { re: 0.0, im: 0.0 };
            const ONE: Self = Complex { re: 1.0, im: 0.0 };
            const NAN: Self = Complex { re: <$real>::NAN, im: <$real>::NAN };
            type Atomic = [$word; 2];

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn times(self, factor: f64) -> Self {
                Complex { re: self.re * factor as $real, im: self.im * factor as $real }
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
            #[inline]
            fn div(self, other: Self) -> Self {
                divide(self, other)
            }
            #[inline(always)]
            fn mul_sub(self, a: Self, b: Self) -> Self {
                self - a * b
            }
            #[inline(always)]
            fn conj(self) -> Self {
                Complex { re: self.re, im: -self.im }
            }
            #[inline(always)]
            fn is_zero(self) -> bool {
                self.re == 0.0 && self.im == 0.0
            }
            #[inline(always)]
            fn root(self) -> Self {
                Complex { re: self.re.sqrt(), im: 0.0 }
            }
            #[inline(always)]
            fn is_not_positive(self) -> bool {
                self.re <= 0.0
            }
            #[inline(always)]
            fn modulus(self) -> f64 {
                f64::from(self.re).hypot(f64::from(self.im))
            }
            #[inline(always)]
            fn from_parts([re, im]: [f64; 2]) -> Self {
                Complex { re: re as $real, im: im as $real }
            }
            fn bytes(self) -> [u8; 16] {
                const HALF: usize = size_of::<$real>();
                let mut bytes = self.re.bytes();
                bytes[HALF..2 * HALF].copy_from_slice(&self.im.to_ne_bytes());
                bytes
            }
            #[inline(always)]
            fn atomic_add(cell: &[$word; 2], value: Self) {
                <$real>::atomic_add(&cell[0], value.re);
                <$real>::atomic_add(&cell[1], value.im);
            }
            #[inline(always)]
            fn atomic_load(cell: &[$word; 2]) -> Self {
                Complex { re: <$real>::atomic_load(&cell[0]), im: <$real>::atomic_load(&cell[1]) }
            }
        }
    };
}

real_scalar!(f32, u32, AtomicU32);
real_scalar!(f64, u64, AtomicU64);
complex_scalar!(f32, AtomicU32);
complex_scalar!(f64, AtomicU64);

/// `a / b`. Both are brought to components around 1 by powers of two, so that no product overflows or
/// vanishes where the quotient does not.
fn divide<F: Real>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    let (zero, inf) = (F::zero(), F::infinity());
    let infinite = |z: Complex<F>| z.re.is_infinite() || z.im.is_infinite();
    if [a.re, a.im, b.re, b.im].iter().any(|v| v.is_nan()) || infinite(a) && infinite(b) {
        return Complex::new(F::nan(), F::nan());
    }
    if infinite(b) {
        return Complex::new(zero, zero);
    }
    if b.re == zero && b.im == zero {
        let signed = inf.copysign(b.re);
        return Complex::new(signed * a.re, signed * a.im);
    }
    if infinite(a) {
        let unit = |v: F| if v.is_infinite() { v.signum() } else { zero.copysign(v) };
        let (re, im) = (unit(a.re), unit(a.im));
        return Complex::new(inf * (re * b.re + im * b.im), inf * (im * b.re - re * b.im));
    }
    if a.re == zero && a.im == zero {
        return Complex::new(zero, zero);
    }
    let (ea, eb) = (exponent(a), exponent(b));
    let (ar, ai) = (scale(a.re, -ea), scale(a.im, -ea));
    let (br, bi) = (scale(b.re, -eb), scale(b.im, -eb));
    let norm = br * br + bi * bi;
    let (re, im) = ((ar * br + ai * bi) / norm, (ai * br - ar * bi) / norm);
    Complex::new(scale(re, ea - eb), scale(im, ea - eb))
}

/// The binary exponent of the larger component of a finite number that is not zero.
fn exponent<F: Real>(z: Complex<F>) -> i32 {
    let (mantissa, exponent, _) = z.re.abs().max(z.im.abs()).integer_decode();
    exponent as i32 + mantissa.ilog2() as i32
}

/// `value * 2^power`, in two steps, because the power alone may be out of range.
fn scale<F: Real>(value: F, power: i32) -> F {
    let power = power.clamp(-2 * F::TOP, 2 * F::TOP);
    let half = power / 2;
    value * F::power_of_two(half) * F::power_of_two(power - half)
}

/// A component, with exact powers of two.
trait Real: Float {
    /// The largest exponent to ask for, up or down; twice this leaves the range whatever it multiplies.
    const TOP: i32;
    fn power_of_two(power: i32) -> Self;
}

/// Runs an expression with a type name standing for the value type of a `DataType`:
/// `dispatch!(dtype, T => solve::<T>(...))`.
macro_rules! dispatch {
    ($dtype:expr, $t:ident => $body:expr) => {
        match $dtype {
            $crate::problem::DataType::F32 => {
                type $t = f32;
                $body
            }
            $crate::problem::DataType::F64 => {
                type $t = f64;
                $body
            }
            $crate::problem::DataType::C32 => {
                type $t = ::num_complex::Complex<f32>;
                $body
            }
            $crate::problem::DataType::C64 => {
                type $t = ::num_complex::Complex<f64>;
                $body
            }
        }
    };
}
pub(crate) use dispatch;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::DataType;

    fn c(re: f64, im: f64) -> Complex<f64> {
        Complex::new(re, im)
    }

    fn close(got: Complex<f64>, want: Complex<f64>) {
        let error = (got.re - want.re).abs().max((got.im - want.im).abs());
        assert!(error <= 4.0 * f64::EPSILON * want.re.abs().max(want.im.abs()), "{got} is not {want}");
    }

    #[test]
    fn real_factors_leave_other_components_alone() {
        let infinite = Complex { re: f64::INFINITY, im: 0.0 };
        assert_eq!(infinite.times(0.5), infinite);
        assert_eq!(Complex { re: 2.0f32, im: -4.0 }.times(0.5), Complex { re: 1.0, im: -2.0 });
        assert_eq!(3.0f64.times(0.5), 1.5);
    }

    #[test]
    fn ordinary_quotients() {
        close(c(1.0, 2.0).div(c(3.0, -4.0)), c(-0.2, 0.4));
        close(c(5.0, 0.0).div(c(0.0, 2.0)), c(0.0, -2.5));
        close(c(-7.0, 1.0).div(c(2.0, 0.0)), c(-3.5, 0.5));
        assert_eq!(c(0.0, 0.0).div(c(3.0, 1.0)), c(0.0, 0.0));
    }

    #[test]
    fn quotients_at_the_ends_of_the_range() {
        let (max, tiny) = (f64::MAX, f64::MIN_POSITIVE);
        close(c(max, max).div(c(max, max)), c(1.0, 0.0));
        close(c(tiny, tiny).div(c(tiny, -tiny)), c(0.0, 1.0));
        close(c(1e-320, 0.0).div(c(1e-320, 0.0)), c(1.0, 0.0));
        close(c(max, 0.0).div(c(2.0, 0.0)), c(max / 2.0, 0.0));
        close(c(tiny, 0.0).div(c(0.5, 0.0)), c(2.0 * tiny, 0.0));
        assert_eq!(c(tiny, tiny).div(c(max, max)), c(0.0, 0.0));
        assert_eq!(c(max, 0.0).div(c(tiny, 0.0)).re, f64::INFINITY);
        assert_eq!(c(5e-324, 0.0).div(c(max, 0.0)), c(0.0, 0.0));
        assert_eq!(c(max, max).div(c(5e-324, 0.0)).re, f64::INFINITY);
        for end in [f32::MAX, f32::MIN_POSITIVE, 1e-45] {
            assert_eq!(Complex::new(end, 0.0).div(Complex::new(0.0, end)), Complex::new(0.0, -1.0));
        }
    }

    #[test]
    fn quotients_with_infinity_zero_and_nan() {
        let inf = f64::INFINITY;
        for b in [c(inf, 0.0), c(-inf, 1.0), c(0.0, inf), c(inf, inf)] {
            assert_eq!(c(3.0, -2.0).div(b), c(0.0, 0.0));
        }
        let by_zero = c(1.0, -2.0).div(c(0.0, 0.0));
        assert_eq!((by_zero.re, by_zero.im), (inf, -inf));
        let zero_by_zero = c(0.0, 0.0).div(c(0.0, 0.0));
        assert!(zero_by_zero.re.is_nan() && zero_by_zero.im.is_nan());
        assert_eq!(c(inf, 0.0).div(c(2.0, 0.0)).re, inf);
        assert_eq!(c(0.0, inf).div(c(0.0, 2.0)).re, inf);
        for (a, b) in
            [(c(f64::NAN, 0.0), c(1.0, 0.0)), (c(1.0, 1.0), c(0.0, f64::NAN)), (c(inf, 0.0), c(inf, 0.0))]
        {
            let q = a.div(b);
            assert!(q.re.is_nan() && q.im.is_nan());
        }
    }

    #[test]
    fn arithmetic_and_constants() {
        fn check<T: Scalar>() {
            let two = T::ONE.add(T::ONE);
            assert_eq!(two.mul(two), two.add(two));
            assert_eq!(two.sub(two), T::ZERO);
            assert_eq!(two.div(two), T::ONE);
            assert_eq!(T::ZERO.mul_sub(two, two).add(two), T::ZERO.sub(two));
            assert!(T::ZERO.is_zero() && !T::ONE.is_zero() && !T::NAN.is_zero() && T::NAN != T::NAN);
            assert_eq!(std::mem::size_of::<T>(), std::mem::size_of::<T::Atomic>());
        }
        check::<f32>();
        check::<f64>();
        check::<Complex<f32>>();
        check::<Complex<f64>>();
        assert_eq!(c(1.0, 2.0).conj(), c(1.0, -2.0));
        assert_eq!(c(1.0, 2.0).mul_sub(c(0.0, 1.0), c(0.0, 1.0)), c(2.0, 2.0));
    }

    #[test]
    fn concurrent_additions_all_arrive() {
        let cell = [AtomicU64::new(0), AtomicU64::new(0)];
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| (0..1000).for_each(|_| Complex::<f64>::atomic_add(&cell, c(1.0, -2.0))));
            }
        });
        assert_eq!(Complex::<f64>::atomic_load(&cell), c(3000.0, -6000.0));
    }

    #[test]
    fn every_data_type_has_its_type() {
        for dtype in [DataType::F32, DataType::F64, DataType::C32, DataType::C64] {
            assert_eq!(dispatch!(dtype, T => std::mem::size_of::<T>()), dtype.bytes());
        }
        assert_eq!(dispatch!(DataType::C32, T => std::mem::align_of::<T>()), 4);
    }
}
