//! Graphs whose degrees follow a power law.

use crate::base::Result;
use crate::matrix::{hash, unit, Csr};

/// Links between two unknowns that are drawn by chance, those of low rank far more often: unknown of rank r about
/// (rows / r)^(1 - 2 / skew) times as often as the last one. Ranks are in no order among the numbers of the unknowns.
#[derive(Clone, Copy, Debug)]
pub struct PowerLaw {
    pub rows: usize,
    pub links: usize,
    /// Twice the power to which numbers in [0, 1) are raised to draw a rank.
    pub skew: u32,
}

/// A prime that divides no number of rows in use, so that products with it are in no order.
const STRIDE: usize = 1_000_003;

impl PowerLaw {
    pub fn lower_pattern(&self) -> Result<Csr> {
        let end = |k: usize| {
            let rank = {
                // Square roots and products are the same on all machines.
                let root = unit(hash(k as u64)).sqrt();
                (self.rows as f64 * (0..self.skew).fold(1.0, |power, _| power * root)) as usize
            };
            (rank.min(self.rows - 1) * STRIDE) % self.rows
        };
        let mut links: Vec<(usize, i32)> = (0..self.links)
            .map(|k| (end(2 * k), end(2 * k + 1)))
            .filter(|(a, b)| a != b)
            .map(|(a, b)| (a.max(b), a.min(b) as i32))
            .collect();
        links.sort_unstable();
        links.dedup();
        Csr::from_rows(self.rows, |row, out| {
            let first = links.partition_point(|link| link.0 < row);
            out.extend(links[first..].iter().take_while(|link| link.0 == row).map(|link| link.1));
            out.push(row as i32);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_unknowns_have_many_links() {
        let a = PowerLaw { rows: 10_000, links: 60_000, skew: 5 }.lower_pattern().unwrap();
        assert_eq!(a.missing_diagonal(), None);
        let whole = a.symmetrised().unwrap();
        let mut degrees: Vec<usize> = (0..whole.n).map(|i| whole.row(i).len()).collect();
        degrees.sort_unstable();
        let (middle, most) = (degrees[whole.n / 2], degrees[whole.n - 1]);
        assert!(most > 100 * middle, "{middle} {most}");
    }
}
