//! Solves by the two factors of a matrix, one behind the other.
#![forbid(unsafe_code)]

use super::{Analysed, Body, Info, Request, Rhs};
use crate::address::Address;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::executor::PermuteCall;
use crate::problem::{require_aligned, Alpha, Dense, Index, Order};
use crate::scalar::{dispatch, Scalar};

/// In which orders F is read and X is written: addresses of indices, or null for the order of the factors.
#[derive(Clone, Copy)]
pub struct Permutations {
    pub read: Address,
    pub written: Address,
    pub index: Index,
    pub base: i64,
}

/// What the solves of a pair have in common. Their own right-hand sides and the second one's alpha follow from it.
#[derive(Clone, Copy)]
pub struct Pair {
    pub rhs: Rhs,
    pub permutations: Permutations,
    /// Room for a column of each right-hand side, where there is a permutation.
    pub work: Address,
}

impl Pair {
    /// Solves by the first info, and with what that gives by the second one. Where either is refused nothing is touched.
    pub fn solve(
        &self,
        context: &Context,
        infos: [&mut Info; 2],
        [mut first, mut second]: [Request; 2],
    ) -> Result<()> {
        let shape = first.shape;
        self.rhs.check(&shape)?;
        if second.shape.n != shape.n {
            return Err(Error::Invalid("the factors have different numbers of rows".into()));
        }
        let Permutations { read, written, index, .. } = self.permutations;
        // Where there is a permutation a solve takes `work` in the place of F or X, and does not see these.
        if !self.rhs.is_nothing(&shape) {
            let values = shape.dtype.bytes();
            require_aligned(self.rhs.f.address, self.rhs.names[0], values)?;
            require_aligned(self.rhs.x.address, self.rhs.names[1], values)?;
            for (address, name) in [(read, "the permutation of F"), (written, "the permutation of X")] {
                if !address.is_null() {
                    require_aligned(address, name, index.bytes())?;
                    require_aligned(self.work, "work", values)?;
                }
            }
        }
        let work = Dense { address: self.work, ld: i64::from(shape.n), order: Order::Columns };
        let (Rhs { f, x, .. }, takes_work) = (self.rhs, !read.is_null() || !written.is_null());
        let between = if takes_work { work } else { x };
        first.rhs = Rhs { f: if read.is_null() { f } else { work }, x: between, ..self.rhs };
        second.rhs = Rhs { f: between, x: if written.is_null() { x } else { work }, ..self.rhs };
        second.alpha = Alpha::Host(dispatch!(shape.dtype, T => T::ONE.bytes()));
        let [by_first, by_second] = infos;
        let (Some(one), Some(other)) = (by_first.ready(context, &first)?, by_second.ready(context, &second)?)
        else {
            return Ok(());
        };
        if !read.is_null() {
            by_first.permute(context, &self.copy(f, work, read, false))?;
        }
        by_first.enqueue(context, &first, one)?;
        by_second.enqueue(context, &second, other)?;
        if !written.is_null() {
            by_second.permute(context, &self.copy(work, x, written, true))?;
        }
        Ok(())
    }

    fn copy(&self, from: Dense, to: Dense, index: Address, scatters: bool) -> PermuteCall {
        let Permutations { index: width, base, .. } = self.permutations;
        let (columns, is_wide) = (self.rhs.count, width == Index::I64);
        PermuteCall { from, to, index, is_wide, base, columns, scatters }
    }
}

impl Info {
    fn permute(&mut self, context: &Context, call: &PermuteCall) -> Result<()> {
        let Analysed { bodies, last, .. } = self.analysed.as_mut().ok_or(Error::NotAnalysed)?;
        let body = &mut bodies[*last];
        let _bound = body.bind()?;
        match body {
            Body::Host(plan) => plan.permute(call),
            Body::Cuda(plan) => plan.permute(context.stream, call)?,
        }
        Ok(())
    }
}
