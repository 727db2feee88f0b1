//! Incomplete factorisations on the calling thread, row by row: what the GPU's are compared with.

use super::memory;
use super::pattern::Pattern;
use crate::analysis::NONE;
use crate::error::Result;
use crate::executor::{FactorCall, Unfit};
use crate::problem::{Arrays, Boost, Factorization, Shape};
use crate::scalar::{dispatch, Scalar};

/// What an info holds for factorisations of a pattern.
pub struct HostFactor {
    shape: Shape,
    /// Where each row's diagonal entry lies.
    diag: Vec<u32>,
    /// Where the row that is worked on has each column, or NONE.
    place: Vec<u32>,
    /// The smallest row (zero-based) with a zero pivot in the last factorisation.
    pub pivot: Option<u32>,
}

impl HostFactor {
    /// Prepares factorisations of a pattern that is known to be well-formed.
    pub fn new(shape: &Shape, arrays: Arrays) -> Result<std::result::Result<HostFactor, Unfit>> {
        let pattern = Pattern { arrays, shape: *shape };
        memory::must_have(8 * u64::from(shape.n))?;
        let (mut diag, mut missing) = (Vec::with_capacity(shape.n as usize), None);
        for row in 0..shape.n {
            let entries = pattern.row(row as usize);
            if entries.clone().skip(1).any(|e| pattern.column(e) <= pattern.column(e - 1)) {
                return Ok(Err(Unfit::Unsorted(row)));
            }
            let found = entries.clone().find(|&e| pattern.column(e) == row as usize);
            if found.is_none() && missing.is_none() {
                missing = Some(row);
            }
            diag.push(found.unwrap_or(0) as u32);
        }
        Ok(match missing {
            Some(row) => Err(Unfit::NoDiagonal(row)),
            None => Ok(HostFactor { shape: *shape, place: vec![NONE; diag.len()], diag, pivot: None }),
        })
    }

    pub fn factorize(&mut self, kind: Factorization, call: &FactorCall) {
        let pattern = Pattern { arrays: call.arrays, shape: self.shape };
        let nnz = self.shape.nnz as usize;
        self.pivot = dispatch!(self.shape.dtype, T => {
            // SAFETY: by the caller's promise there are so many values, which nobody else uses during the call.
            let values = unsafe { std::slice::from_raw_parts_mut(call.arrays.val.pointer::<T>(), nnz) };
            match kind {
                Factorization::Ilu0 => ilu0(&pattern, &self.diag, &mut self.place, values, call.boost),
                Factorization::Ic0 => ic0(&pattern, &self.diag, &mut self.place, values),
            }
        });
    }

    pub fn bytes_held(&self) -> usize {
        size_of_val(self.diag.as_slice()) + size_of_val(self.place.as_slice())
    }
}

/// Calls `visit` for each row in turn, with where the row has each column.
fn each_row(pattern: &Pattern, place: &mut [u32], mut visit: impl FnMut(usize, &[u32])) {
    for row in 0..place.len() {
        pattern.row(row).for_each(|e| place[pattern.column(e)] = e as u32);
        visit(row, place);
        pattern.row(row).for_each(|e| place[pattern.column(e)] = NONE);
    }
}

/// A = L U without fill-in. The first row with a zero pivot.
fn ilu0<T: Scalar>(
    pattern: &Pattern,
    diag: &[u32],
    place: &mut [u32],
    values: &mut [T],
    boost: Option<Boost>,
) -> Option<u32> {
    let mut pivot = None;
    each_row(pattern, place, |row, place| {
        let own = diag[row] as usize;
        for e in pattern.row(row).start..own {
            let k = pattern.column(e);
            let of_k = diag[k] as usize;
            values[e] = values[e].div(values[of_k]);
            for u in of_k + 1..pattern.row(k).end {
                let target = place[pattern.column(u)];
                if target != NONE {
                    let target = target as usize;
                    values[target] = values[target].mul_sub(values[e], values[u]);
                }
            }
        }
        if let Some(boost) = boost.filter(|boost| values[own].modulus() <= boost.tolerance) {
            values[own] = T::from_parts(boost.value);
        }
        if values[own].is_zero() {
            pivot = pivot.or(Some(row as u32));
        }
    });
    pivot
}

/// A = L L^H without fill-in, in the lower triangle. The first row whose pivot is not positive.
fn ic0<T: Scalar>(pattern: &Pattern, diag: &[u32], place: &mut [u32], values: &mut [T]) -> Option<u32> {
    let mut pivot = None;
    each_row(pattern, place, |row, place| {
        let own = diag[row] as usize;
        let mut rest = values[own];
        for e in pattern.row(row).start..own {
            let k = pattern.column(e);
            let of_k = diag[k] as usize;
            for l in pattern.row(k).start..of_k {
                let other = place[pattern.column(l)];
                if other != NONE {
                    values[e] = values[e].mul_sub(values[other as usize], values[l].conj());
                }
            }
            values[e] = values[e].div(values[of_k]);
            rest = rest.mul_sub(values[e], values[e].conj());
        }
        if rest.is_not_positive() {
            pivot = pivot.or(Some(row as u32));
        }
        values[own] = rest.root();
    });
    pivot
}
