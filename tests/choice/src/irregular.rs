//! A look at some rows for whether the pattern is irregular: what src/analysis/irregular.rs goes by.
#![forbid(unsafe_code)]

use sptrsv::analysis::irregular::Sample;
use sptrsv::tuning::*;

/// `entry(i, k)` is the `k`-th of the `length(i)` entries of the triangle that major `i` has.
pub fn sample(n: u32, length: impl Fn(u32) -> u32, entry: impl Fn(u32, u32) -> u32) -> Sample {
    let mut sample = Sample::default();
    if !Sample::is_wanted(n) {
        return sample;
    }
    for pair in 0..IRREGULAR_PAIRS {
        let i = pair * (n / IRREGULAR_PAIRS);
        let both = length(i).min(length(i + 1));
        let looks = both.min(IRREGULAR_ENTRIES);
        for k in (0..looks).map(|k| (k as u64 * both as u64 / looks as u64) as u32) {
            let (own, next) = (entry(i, k), entry(i + 1, k));
            let is_far = own.abs_diff(i) > n / IRREGULAR_FAR_PART;
            sample.entries += 1;
            sample.irregular += (is_far && own.abs_diff(next) > IRREGULAR_BESIDE) as u32;
        }
    }
    sample
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of rows that have four entries each; `entry(i, k)` as above.
    fn is_irregular(n: u32, entry: impl Fn(u32, u32) -> u32) -> bool {
        let length = |i: u32| i.min(4);
        sample(n, length, |i, k| entry(i, k).min(i - 1)).is_irregular()
    }

    #[test]
    fn random_orders_are_irregular_and_bands_and_colours_are_not() {
        let n = IRREGULAR_SMALLEST;
        let anywhere = |i: u32, k: u32| (i ^ k << 9).wrapping_mul(2_654_435_761) % i;
        assert!(is_irregular(n, anywhere));
        assert!(!is_irregular(n, |i, k| i.saturating_sub(1 + k * 700)));
        // Far away, but what the next row depends on is beside it.
        assert!(!is_irregular(n, |i, k| (i % (n / 4)) + k));
        // Near, but elsewhere.
        assert!(!is_irregular(n, |i, k| i - anywhere(i, k) % i.min(n / 20)));
        assert!(!is_irregular(n - 1, anywhere));
        // Two entries of four anywhere, and one.
        let some = |least: u32| {
            move |i: u32, k: u32| if k < least { anywhere(i, k) } else { i.saturating_sub(1 + k) }
        };
        assert!(is_irregular(n, some(2)));
        assert!(!is_irregular(n, some(1)));
    }
}
