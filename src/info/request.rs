//! What a solve is called with.
#![forbid(unsafe_code)]

use crate::address::Address;
use crate::error::{Error, Result};
use crate::problem::{Alpha, Arrays, Dense, Order, Policy, Shape};

/// Right-hand sides and solutions.
#[derive(Clone, Copy)]
pub struct Rhs {
    pub count: i64,
    /// What the function calls them.
    pub names: [&'static str; 2],
    pub f: Dense,
    pub x: Dense,
}

impl Rhs {
    /// Refuses sizes that fit neither the matrix nor the address space, and sides that overlap but are stored in different ways.
    pub(super) fn check(&self, shape: &Shape) -> Result<()> {
        if self.count < 0 {
            return Err(Error::Negative { what: "nrhs", value: self.count });
        }
        let n = i64::from(shape.n);
        for (what, side) in [("ldf", self.f), ("ldx", self.x)] {
            let (least, is, times) = match side.order {
                Order::Columns => (n, "m", self.count),
                Order::Rows => (self.count, "nrhs", n),
            };
            let ld = side.ld;
            if ld < least {
                return Err(Error::Invalid(format!("{what} is {ld}, less than {is} = {least}")));
            }
            let bytes =
                ld.checked_mul(times).and_then(|values| values.checked_mul(shape.dtype.bytes() as i64));
            let end = bytes.and_then(|bytes| bytes.checked_add_unsigned(side.address.get()));
            if end.is_none() {
                return Err(Error::Invalid(format!(
                    "{what} is {ld}: {times} times that is more than memory can be"
                )));
            }
        }
        let lie_apart = self.count > 1 || [self.f, self.x].iter().any(|side| side.order == Order::Rows);
        if self.is_nothing(shape) || !lie_apart || self.f.address != self.x.address {
            return Ok(());
        }
        if self.f.order != self.x.order {
            return Err(Error::Invalid(
                "X is F itself, but one is stored by columns and the other by rows".into(),
            ));
        }
        if self.f.ld != self.x.ld {
            let (ldx, ldf) = (self.x.ld, self.f.ld);
            return Err(Error::Invalid(format!("X is F itself, but ldx is {ldx} and ldf is {ldf}")));
        }
        Ok(())
    }

    pub(super) fn is_nothing(&self, shape: &Shape) -> bool {
        shape.n == 0 || self.count == 0
    }
}

/// What a solve is called with.
#[derive(Clone, Copy)]
pub struct Request {
    pub shape: Shape,
    pub arrays: Arrays,
    pub policy: Policy,
    pub alpha: Alpha,
    pub rhs: Rhs,
    pub buffer: Address,
    /// Where the separate diagonal is, if not where the info says.
    pub diagonal: Option<Address>,
}
