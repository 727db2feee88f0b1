//! Where the work is done: an NVIDIA GPU or CPU threads.

pub mod cuda;
pub mod host;
mod owned;

use std::sync::Arc;
use std::time::Duration;

use crate::address::{Address, Stream};
use crate::error::Result;
use crate::problem::{Arrays, Boost, Dense, ExecutorKind};
use crate::workspace::Workspace;

pub use owned::{lock, Owned};

#[derive(Clone)]
pub enum Executor {
    Cuda(Arc<cuda::Gpu>),
    Host(Arc<host::Pool>),
}

impl Executor {
    pub fn new(kind: ExecutorKind) -> Result<Self> {
        Ok(match kind {
            ExecutorKind::Cuda => Executor::Cuda(cuda::Gpu::open()?),
            ExecutorKind::Host => Executor::Host(Arc::new(host::Pool::new(host::default_threads()))),
        })
    }
}

/// One solve, as addresses on the executor's side.
#[derive(Clone, Copy)]
pub struct SolveCall {
    pub val: Address,
    /// The separate diagonal, or null.
    pub diagonal: Address,
    pub f: Address,
    pub x: Address,
    /// alpha in device memory, or null: then its bytes are in `alpha_host`.
    pub alpha_device: Address,
    pub alpha_host: [u8; 16],
    /// Whether matrix values are to be conjugated.
    pub conjugate: bool,
    /// Whether x becomes the reciprocal of what is left of f, as it does in a factorisation: then the diagonal is one.
    pub inverts: bool,
    pub workspace: Workspace,
    pub timeout: Duration,
    /// How many multiprocessors launches are sized for; 0 stands for all.
    pub sm_count_target: u32,
}

/// What can be timed: a plan of either executor.
pub trait Timed {
    /// Solves for one right-hand side once for each of `times`, one solve behind the other on `stream`, and notes how long each takes.
    /// Waits for them.
    fn time_solves(&mut self, stream: Stream, call: &SolveCall, times: &mut [Duration]) -> Result<()>;
}

/// One factorisation, as addresses on the executor's side.
#[derive(Clone, Copy)]
pub struct FactorCall {
    pub arrays: Arrays,
    /// Room for as many values as the matrix has, and behind them for two for each row.
    pub work: Address,
    /// What a solve takes of the buffer.
    pub workspace: Workspace,
    pub boost: Option<Boost>,
    pub timeout: Duration,
    /// As in a solve.
    pub sm_count_target: u32,
}

/// A copy of columns by rows in another order, as addresses on the executor's side.
#[derive(Clone, Copy)]
pub struct PermuteCall {
    /// Stored by columns.
    pub from: Dense,
    pub to: Dense,
    /// Of each row, where it comes from, or where it goes to.
    pub index: Address,
    pub is_wide: bool,
    pub base: i64,
    pub columns: i64,
    pub scatters: bool,
}

/// What comes before a sweep's solve, as addresses on the executor's side: r = b - (A - L - D') x, where L is the triangle of the
/// analysis and D' the sweep's diagonal. Where only some rows are relaxed, r also lacks what L takes from the others; of these r is
/// zero and D' infinite, so that the solve gives zero for them. What it gives for the rows that are relaxed is then copied to x.
#[derive(Clone, Copy)]
pub struct SweepCall {
    pub arrays: Arrays,
    pub b: Address,
    pub x: Address,
    /// The separate diagonal, or null for that of A.
    pub diagonal: Address,
    /// Room for r, and for D'; null where that is the diagonal of A, which the solve finds itself.
    pub rest: Address,
    pub scaled: Address,
    /// D' in diagonals: the reciprocal of the weight.
    pub factor: f64,
    /// Whether x counts as zero.
    pub is_zero: bool,
    pub marked: Option<Marked>,
}

/// The rows that are relaxed: those with the number `points` in an array of n 32-bit numbers.
#[derive(Clone, Copy)]
pub struct Marked {
    pub marker: Address,
    pub points: i32,
}

/// Why a pattern cannot be factorised: the smallest row (zero-based) that is not sorted, or else the smallest one without a diagonal
/// entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    Unsorted(u32),
    NoDiagonal(u32),
}
