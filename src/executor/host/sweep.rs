//! What a sweep solves its triangle for, and what it takes from the solve, on the calling thread.

use super::pattern::Pattern;
use super::HostPlan;
use crate::address::Address;
use crate::executor::{Marked, SweepCall};
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

    /// Does what comes after the solve where only some rows are relaxed.
    pub fn end_sweep(&mut self, call: &SweepCall) {
        let shape = *self.shape();
        dispatch!(shape.dtype, T => {
            // SAFETY: as before the solve.
            unsafe { take::<T>(shape.n as usize, call) }
        });
    }

    /// Sets x to zero.
    pub fn clear(&mut self, x: Address) {
        let bytes = self.shape().n as usize * self.shape().dtype.bytes();
        // SAFETY: by the caller's promise an array of n values, which nobody else uses during the call.
        unsafe { std::ptr::write_bytes(x.pointer::<u8>(), 0, bytes) };
    }
}

impl Marked {
    /// # Safety
    /// The marker is an array of more than `row` numbers.
    unsafe fn relaxes(&self, row: usize) -> bool {
        self.marker.pointer::<i32>().add(row).read() == self.points
    }
}

/// # Safety
/// As `rest`.
unsafe fn take<T: Scalar>(n: usize, call: &SweepCall) {
    let Some(marked) = call.marked else { return };
    let at = |address: Address, i: usize| address.pointer::<T>().add(i);
    for i in 0..n {
        if marked.relaxes(i) {
            at(call.x, i).write(at(call.rest, i).read());
        } else if call.is_zero {
            at(call.x, i).write(T::ZERO);
        }
    }
}

/// r = b - (A - L - D') x, and D'.
///
/// # Safety
/// The addresses are those of arrays of n values and numbers, which nobody else uses during the call, and the pattern's values.
unsafe fn rest<T: Scalar>(pattern: &Pattern, call: &SweepCall) {
    let at = |address: Address, i: usize| address.pointer::<T>().add(i);
    let relaxes = |row| call.marked.is_none_or(|marked| marked.relaxes(row));
    for i in 0..pattern.shape.n as usize {
        if !relaxes(i) {
            at(call.rest, i).write(T::ZERO);
            at(call.scaled, i).write(T::from_parts([f64::INFINITY, 0.0]));
            continue;
        }
        let (mut sum, mut own) = (T::ZERO, T::ZERO);
        for e in pattern.row(i) {
            let (column, value) = (pattern.column(e), at(call.arrays.val, e).read());
            if column == i {
                own = own.add(value);
            } else if !call.is_zero && ((column > i) == pattern.shape.forward() || !relaxes(column)) {
                sum = sum.add(value.mul(at(call.x, column).read()));
            }
        }
        if call.scaled.is_null() {
            at(call.rest, i).write(at(call.b, i).read().sub(sum));
            continue;
        }
        let diagonal =
            if call.diagonal.is_null() { own } else { at(call.diagonal, i).read() }.times(call.factor);
        let (more, mut r) = (own.sub(diagonal), at(call.b, i).read().sub(sum));
        if !call.is_zero && !more.is_zero() {
            r = r.mul_sub(more, at(call.x, i).read());
        }
        at(call.rest, i).write(r);
        at(call.scaled, i).write(diagonal);
    }
}
