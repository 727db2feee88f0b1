//! The algorithms: one file each, the list of all, and the choice among them.
#![forbid(unsafe_code)]

mod gsf;
mod level;
mod levc;
mod levr;
mod one_word;
mod self_scheduled;
mod slfc;
mod slfr;
mod tiled;

use crate::analysis::{Needs, Schedule};
use crate::executor::cuda::args::SolveArgs;
use crate::executor::cuda::{CudaPlan, Launcher};
use crate::executor::host::Method;
use crate::status::{Error, Result};

/// An algorithm on both executors.
pub trait Algorithm: Sync {
    /// Its number in `sptrsvAlgorithm_t`.
    fn id(&self) -> i32;
    /// Its name; kernels are called by it.
    fn name(&self) -> &'static str;
    /// Whether the same solve gives the same bits every time.
    fn deterministic(&self) -> bool;
    /// What it wants of the analysis.
    fn needs(&self) -> Needs;
    /// The method of the host executor.
    fn host(&self) -> Method;
    /// Adds to a plan what only this algorithm needs.
    fn prepare(&self, _launcher: &Launcher, _plan: &mut CudaPlan, _schedule: &Schedule) -> Result<()> {
        Ok(())
    }
    /// Enqueues one solve on the GPU.
    fn solve(&self, launcher: &Launcher, plan: &CudaPlan, args: &SolveArgs) -> Result<()>;
}

/// Every algorithm that can be asked for by number. AUTO is number 0.
pub static ALL: &[&dyn Algorithm] =
    &[&levr::Levr, &levc::Levc, &slfr::Slfr, &slfc::Slfc, &gsf::Gsf, &one_word::OneWord, &tiled::Tiled];

/// AUTO's number.
pub const AUTO: i32 = 0;

/// Checks a number that a caller asks for.
pub fn request(id: i32) -> Result<i32> {
    if id == AUTO || ALL.iter().any(|a| a.id() == id) {
        Ok(id)
    } else {
        Err(Error::BadEnum { what: "sptrsvAlgorithm_t", value: id })
    }
}

/// The algorithm with a valid number, or None for AUTO.
pub fn by_id(id: i32) -> Option<&'static dyn Algorithm> {
    ALL.iter().copied().find(|a| a.id() == id)
}

/// What AUTO takes on the GPU.
pub fn choose() -> &'static dyn Algorithm {
    &one_word::OneWord
}

/// What AUTO takes on the host, where it solves serially or level by level.
pub fn choose_on_host() -> &'static dyn Algorithm {
    &levr::Levr
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique() {
        for (k, a) in ALL.iter().enumerate() {
            assert_ne!(a.id(), AUTO);
            for b in &ALL[..k] {
                assert_ne!(a.id(), b.id());
                assert_ne!(a.name(), b.name());
            }
        }
    }

    #[test]
    fn auto_is_deterministic() {
        assert!(choose().deterministic());
    }
}
