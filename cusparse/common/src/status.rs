//! cuSPARSE's twelve statuses, and how libsptrsv's map onto them.

use libc::c_int;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A `cusparseStatus_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Status(pub c_int);

pub const SUCCESS: Status = Status(0);
pub const NOT_INITIALIZED: Status = Status(1);
pub const ALLOC_FAILED: Status = Status(2);
pub const INVALID_VALUE: Status = Status(3);
pub const EXECUTION_FAILED: Status = Status(6);
pub const INTERNAL_ERROR: Status = Status(7);
pub const MATRIX_TYPE_NOT_SUPPORTED: Status = Status(8);
pub const ZERO_PIVOT: Status = Status(9);
pub const NOT_SUPPORTED: Status = Status(10);
pub const INSUFFICIENT_RESOURCES: Status = Status(11);

impl Status {
    /// What libcusparse itself returned.
    pub fn from_cusparse(status: c_int) -> Result<(), Status> {
        match status {
            0 => Ok(()),
            1..=11 => Err(Status(status)),
            _ => Err(INTERNAL_ERROR),
        }
    }

    /// What libsptrsv returned: its first twelve statuses are cuSPARSE's, each of its own has one that a
    /// program written for csrsv2 expects in that case.
    pub fn from_sptrsv(status: c_int) -> Result<(), Status> {
        match status {
            0 => Ok(()),
            1..=11 => Err(Status(status)),
            // A malformed pattern, no analysis, another matrix than was analysed.
            100..=102 => Err(INVALID_VALUE),
            // The watchdog ended an earlier solve.
            103 => Err(EXECUTION_FAILED),
            // No driver.
            104 => Err(NOT_INITIALIZED),
            _ => Err(INTERNAL_ERROR),
        }
    }
}

/// The body of every exported function: its error as a status, and a panic as INTERNAL_ERROR.
pub fn guard(body: impl FnOnce() -> Result<(), Status>) -> Status {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => SUCCESS,
        Ok(Err(status)) => status,
        Err(_) => INTERNAL_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_becomes_one_of_the_twelve() {
        for status in -1..300 {
            if let Err(Status(mapped)) = Status::from_sptrsv(status) {
                assert!((1..=11).contains(&mapped), "{status} became {mapped}");
            } else {
                assert_eq!(status, 0);
            }
        }
    }

    #[test]
    fn a_panic_stays_inside() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        assert_eq!(guard(|| panic!("inside")), INTERNAL_ERROR);
        std::panic::set_hook(hook);
    }
}
