//! What a sweep solves its triangle for, on the calling thread.

use super::pattern::Pattern;
use super::HostPlan;
use crate::executor::SweepCall;
use crate::scalar::{dispatch, Scalar};

impl HostPlan {
    /// Does what comes before the sweep's solve.
    pub fn begin_sweep(&mut self, call: &SweepCall) {
        let shape = *self.shape();
        let pattern = Pattern { arrays: call.arrays, shape };
        dispatch!(shape.dtype, T => {
            // SAFETY: by the caller's promise arrays of these lengths; the places are in the caller's buffer.
            unsafe { rest::<T>(&pattern, call) }
        });
    }
}

/// r = b - (A - L - D') x, and D'.
///
/// # Safety
/// The addresses are those of arrays of n values, which nobody else uses during the call, and the pattern's values.
unsafe fn rest<T: Scalar>(pattern: &Pattern, call: &SweepCall) {
    let at = |address: usize, i: usize| (address as *mut T).add(i);
    let factor = T::from_parts([call.factor, 0.0]);
    for i in 0..pattern.shape.n as usize {
        let (mut sum, mut own) = (T::ZERO, T::ZERO);
        for e in pattern.row(i) {
            let (column, value) = (pattern.column(e), at(call.arrays.val, e).read());
            if column == i {
                own = own.add(value);
            } else if !call.is_zero && (column > i) == pattern.shape.forward() {
                sum = sum.add(value.mul(at(call.x, column).read()));
            }
        }
        if call.scaled == 0 {
            at(call.rest, i).write(at(call.b, i).read().sub(sum));
            continue;
        }
        let diagonal = if call.diagonal != 0 { at(call.diagonal, i).read() } else { own }.mul(factor);
        let (more, mut r) = (own.sub(diagonal), at(call.b, i).read().sub(sum));
        if !call.is_zero && !more.is_zero() {
            r = r.mul_sub(more, at(call.x, i).read());
        }
        at(call.rest, i).write(r);
        at(call.scaled, i).write(diagonal);
    }
}
