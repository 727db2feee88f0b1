//! What a program's call is told.

use crate::report;
use doors::cusparse::Handle;
use libc::{c_int, c_void};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    SpSV,
    SpSM,
}

impl From<Family> for report::Name {
    fn from(family: Family) -> report::Name {
        match family {
            Family::SpSV => report::Name::SpSV,
            Family::SpSM => report::Name::SpSM,
        }
    }
}

/// What bufferSize, analysis and solve are told: op(A) C = alpha op(B), where B and C are vectors for SpSV.
#[derive(Clone, Copy)]
pub struct Call {
    pub family: Family,
    pub handle: Handle,
    pub op: c_int,
    pub op_b: c_int,
    pub alpha: *const c_void,
    pub a: *const c_void,
    pub b: *const c_void,
    pub c: *mut c_void,
    pub compute: c_int,
    pub alg: c_int,
    pub descr: usize,
}
