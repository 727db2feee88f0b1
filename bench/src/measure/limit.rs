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

/// The greatest of its terms, in milliseconds, and which one that is.
pub struct Limit {
    pub ms: f64,
    pub bound_by: &'static str,
}

/// The limit of a solve; none for the host executor. `gather_ms` is the measured time of the gathers, if there is one.
pub fn limit(executor: &Executor, a: Size, ty: Type, rhs: usize, gather_ms: Option<f64>) -> Option<Limit> {
    (!executor.is_host()).then(|| greatest(a, ty, rhs, gather_ms))
}

/// The greatest of the time to move the bytes, the time to walk the levels, and that of the gathers.
fn greatest(a: Size, ty: Type, rhs: usize, gather_ms: Option<f64>) -> Limit {
    let Size { n, nnz, levels } = a;
    let value = ty.bytes() as f64;
    let bytes = (value + 4.0) * nnz as f64 + (2.0 * value * rhs as f64 + 4.0) * n as f64;
    let mut limit = Limit { ms: levels as f64 * LEVEL_SECONDS * 1e3, bound_by: "levels" };
    for (term, bound_by) in [(Some(bytes / BANDWIDTH * 1e3), "bytes"), (gather_ms, "gathers")] {
        if let Some(ms) = term.filter(|&ms| ms > limit.ms) {
            limit = Limit { ms, bound_by };
        }
    }
    limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_its_greatest_term() {
        let limit = |levels, gather_ms| {
            // 10^6 (12 * 4 + 2 * 8 * 2 + 4) bytes take 0.0198 ms.
            let size = Size { n: 1_000_000, nnz: 4_000_000, levels };
            let Limit { ms, bound_by } = greatest(size, Type::D, 2, gather_ms);
            (format!("{ms:.4}"), bound_by)
        };
        assert_eq!(limit(10, None), ("0.0198".into(), "bytes"));
        assert_eq!(limit(10, Some(0.01)), ("0.0198".into(), "bytes"));
        assert_eq!(limit(1000, Some(0.01)), ("0.0250".into(), "levels"));
        assert_eq!(limit(1000, Some(0.04)), ("0.0400".into(), "gathers"));
    }
}
