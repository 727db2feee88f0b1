//! Irregular patterns: what a row depends on lies anywhere, and elsewhere than what the row beside it depends on. So it is in
//! random orders, and not in grids, meshes with a narrow band, nested dissection, and orders by colours.
//!
//! There no line of the cache that a row asks for is of use to the next ones, and of values that lie scattered memory delivers
//! many times as much as is wanted. Some thousand rows, each beside the next one, are looked at.
//!
//! kernels/analysis/setup_irregular.cuh has the same rules.
#![forbid(unsafe_code)]

use crate::tuning::*;

/// What was found: entries that were looked at, and how many of them are irregular.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    pub entries: u32,
    pub irregular: u32,
}

impl Sample {
    /// Whether so many unknowns are worth a look.
    pub fn is_wanted(n: u32) -> bool {
        n >= IRREGULAR_SMALLEST
    }

    /// `entry(i, k)` is the `k`-th of the `kept(i)` entries of the triangle that major `i` has.
    pub fn new(n: u32, kept: impl Fn(u32) -> u32, entry: impl Fn(u32, u32) -> u32) -> Sample {
        let mut sample = Sample::default();
        if !Self::is_wanted(n) {
            return sample;
        }
        for pair in 0..IRREGULAR_PAIRS {
            let i = pair * (n / IRREGULAR_PAIRS);
            let both = kept(i).min(kept(i + 1));
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

    /// Where a third of them are. In random orders nine of ten are, in layers of rows that depend on any earlier ones four to
    /// eight, and in grids, meshes, nested dissection and orders by colours less than a quarter.
    pub fn is_irregular(self) -> bool {
        3 * self.irregular > self.entries
    }
}

/// Values of a piece of the caller's `nnz`: such pieces fit into the cache, unless there would be too many.
pub fn piece(nnz: u32, value_bytes: u32) -> u32 {
    (GATHER_PIECE_BYTES / value_bytes).max(nnz.div_ceil(GATHER_MOST_PIECES))
}

/// Where values come from that are to be gathered piece by piece, those of a piece in the order of the entries. `places`, where
/// the value of each entry lies, become where it lies among these.
pub fn by_pieces(places: &mut [u32], piece: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..places.len() as u32).collect();
    order.sort_by_key(|&e| places[e as usize] / piece);
    let mut source = Vec::with_capacity(places.len());
    for (&e, to) in order.iter().zip(0..) {
        source.push(std::mem::replace(&mut places[e as usize], to));
    }
    source
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of rows that have four entries each; `entry(i, k)` as above.
    fn is_irregular(n: u32, entry: impl Fn(u32, u32) -> u32) -> bool {
        let kept = |i: u32| i.min(4);
        Sample::new(n, kept, |i, k| entry(i, k).min(i - 1)).is_irregular()
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

    #[test]
    fn values_are_gathered_piece_by_piece() {
        let mut places = [9, 0, 4, 8, 5, 1, 11];
        assert_eq!(by_pieces(&mut places, 4), [0, 1, 4, 5, 9, 8, 11]);
        assert_eq!(places, [4, 0, 2, 5, 3, 1, 6]);
        // The cache holds one, and there are not too many.
        assert_eq!(piece(10_000_000, 8) * 8, GATHER_PIECE_BYTES);
        assert_eq!(piece(u32::MAX, 8), u32::MAX.div_ceil(GATHER_MOST_PIECES));
    }
}
