//! A yardstick for the time of a solve on a GPU. The host executor has none.

use crate::system::executor::Executor;
use crate::system::Type;

/// Bytes a second, and seconds a level, of the yardstick: what an H200 allows where an unknown goes from block to block.
const BANDWIDTH: f64 = 4.25e12;
const LEVEL_SECONDS: f64 = 25e-9;

/// Rows, entries and levels of a triangle.
#[derive(Clone, Copy)]
pub struct Size {
    pub n: usize,
    pub nnz: usize,
    pub levels: usize,
}

/// The larger of the time to move the bytes and the time to walk the levels, in milliseconds; none for the host executor.
pub fn limit_ms(executor: &Executor, a: Size, ty: Type, rhs: usize) -> Option<f64> {
    if executor.is_host() {
        return None;
    }
    let Size { n, nnz, levels } = a;
    let value = ty.bytes() as f64;
    let bytes = (value + 4.0) * nnz as f64 + (2.0 * value * rhs as f64 + 4.0) * n as f64;
    Some((bytes / BANDWIDTH).max(levels as f64 * LEVEL_SECONDS) * 1e3)
}

/// Which of its two terms that limit is.
pub fn bound_by(limit_ms: f64, levels: usize) -> &'static str {
    let by_levels = levels as f64 * LEVEL_SECONDS * 1e3;
    if limit_ms > by_levels {
        "bytes"
    } else {
        "levels"
    }
}
