//! Right-hand sides and solutions in another order of their rows, on the calling thread.

use super::HostPlan;
use crate::executor::PermuteCall;
use crate::problem::DataType;
use crate::scalar::{dispatch, Scalar};

impl HostPlan {
    /// Does the copy.
    pub fn permute(&mut self, call: &PermuteCall) {
        let (n, dtype): (u32, DataType) = (self.shape().n, self.shape().dtype);
        dispatch!(dtype, T => {
            // SAFETY: by the caller's promise arrays of these sizes, which nobody else uses during the call.
            unsafe { permute::<T>(n as usize, call) }
        });
    }
}

/// An index that is none is left out, as NaN where it says where a row comes from.
///
/// # Safety
/// The addresses are those of arrays of these sizes, which nobody else uses during the call.
unsafe fn permute<T: Scalar>(n: usize, call: &PermuteCall) {
    for row in 0..n {
        let index = match call.is_wide {
            true => call.index.pointer::<i64>().add(row).read(),
            false => i64::from(call.index.pointer::<i32>().add(row).read()),
        };
        let there = usize::try_from(index.wrapping_sub(call.base)).ok().filter(|&there| there < n);
        let (from, to) = match (there, call.scatters) {
            (None, true) => continue,
            (there, true) => (Some(row), there.unwrap_or(0)),
            (there, false) => (there, row),
        };
        for j in 0..call.columns as usize {
            let value = from.map_or(T::NAN, |from| {
                call.from.address.pointer::<T>().add(from + j * call.from.ld as usize).read()
            });
            call.to.address.pointer::<T>().add(to + j * call.to.ld as usize).write(value);
        }
    }
}
