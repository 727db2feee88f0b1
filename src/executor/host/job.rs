//! One solve on the host.

use std::time::Duration;

use crate::problem::Steps;

/// The most right-hand sides of a [`Job`].
pub const MOST_COLUMNS: usize = 8;

/// Words of `counters` from one thread's to the next one's, where each thread has one: each is in a line of the cache of its own.
pub const COUNT_STRIDE: u32 = 32;

/// One solve of `op(A) x = alpha f`, with everything that an analysis does not say.
#[derive(Clone, Copy)]
pub struct Job<T> {
    pub alpha: T,
    /// The matrix values, as the caller stores them.
    pub val: *const T,
    /// The separate diagonal by unknown, or null.
    pub diag: *const T,
    pub unit: bool,
    pub conj: bool,
    /// Whether unknowns are solved from the first to the last: op(A) is a lower triangle.
    pub forward: bool,
    /// Right-hand sides and solutions, n values each; they may be the same arrays, or else not overlap.
    pub f: *const T,
    pub x: *mut T,
    /// How many: a power of two up to [`MOST_COLUMNS`]; and how they are stored.
    pub columns: usize,
    pub of_f: Steps,
    pub of_x: Steps,
    /// n scratch values for each of them, whatever they hold.
    pub work: *mut T,
    /// n scratch words, whatever they hold.
    pub counters: *mut u32,
    /// The watchdog's time; zero is off.
    pub timeout: Duration,
}
