//! Ranges of consecutive unknowns in some order, of which tiles are made, and the levels that they span.
#![forbid(unsafe_code)]

use std::cell::OnceCell;

use super::lines::Sizes;
use super::shared::ranges::{LevelSpan, FARTHEST};
use crate::tuning::{LOWER_LEVELS, MESH_ROWS, SPANS_APART, SPLIT_LEVELS};

/// The levels that a range of rows spans.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub low: u32,
    pub high: u32,
    pub rows: u32,
}

impl Span {
    fn join(self, other: Span) -> Span {
        Span { low: self.low.min(other.low), high: self.high.max(other.high), rows: self.rows + other.rows }
    }

    pub fn levels(self) -> f64 {
        (self.high - self.low + 1) as f64
    }
}

/// The levels of a range of rows: from where to where, and of the rows kept, whose levels are not far from the average one, their
/// number, their sum and that of their squares. These wrap from some 2^27 levels on; only the prediction suffers.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    pub span: Span,
    kept: u64,
    sum: u64,
    squares: u64,
}

impl Spread {
    /// That of so many rows, as the analysis on the GPU finds it.
    pub fn of(found: LevelSpan, rows: u32) -> Spread {
        let LevelSpan { low, high, kept, sum, squares, .. } = found;
        Spread { span: Span { low, high, rows }, kept: kept.into(), sum, squares }
    }

    /// The same as the analysis on the GPU would have found it.
    pub fn found(self) -> LevelSpan {
        let Span { low, high, .. } = self.span;
        LevelSpan { low, high, kept: self.kept as u32, unused: 0, sum: self.sum, squares: self.squares }
    }

    /// Leaves out rows that are more than two deviations from the average.
    fn new(levels: &[u32]) -> Spread {
        let (rows, middle) = (levels.len() as i64, levels[levels.len() / 2] as i64);
        let off = |level: u32| (level as i64 - middle).clamp(-FARTHEST, FARTHEST);
        let (sum, squares) = levels.iter().fold((0i64, 0i64), |(sum, squares), &level| {
            let d = off(level);
            (sum.wrapping_add(d), squares.wrapping_add(d * d))
        });
        // Twice the deviation, times the rows, squared.
        let farthest = rows.wrapping_mul(squares).wrapping_sub(sum.wrapping_mul(sum)).wrapping_mul(4) as u64;
        let is_kept = |level: u32| {
            let off = (rows * off(level)).wrapping_sub(sum);
            off.wrapping_mul(off) as u64 <= farthest
        };
        let one = |&level: &u32| {
            let (kept, wide) = (is_kept(level) as u64, level as u64);
            let span = Span { low: level, high: level, rows: 1 };
            Spread { span, kept, sum: kept * wide, squares: kept * wide * wide }
        };
        levels.iter().map(one).reduce(Spread::join).expect("chunks are not empty")
    }

    fn join(self, other: Spread) -> Spread {
        Spread {
            span: self.span.join(other.span),
            kept: self.kept + other.kept,
            sum: self.sum.wrapping_add(other.sum),
            squares: self.squares.wrapping_add(other.squares),
        }
    }

    /// The same of the rows, where these are nodes of so many: a node's levels become `b` levels of a row each.
    fn of_rows(self, b: u32) -> Spread {
        let Span { low, high, rows } = self.span;
        let (n, b, steps) = (self.kept, b as u64, b as u64 * (b as u64 - 1) / 2);
        let product = |a: u64, b: u64| a.wrapping_mul(b);
        Spread {
            span: Span { low: low * b as u32, high: high * b as u32 + b as u32 - 1, rows: rows * b as u32 },
            kept: n * b,
            sum: product(b * b, self.sum).wrapping_add(n * steps),
            squares: product(b * b * b, self.squares)
                .wrapping_add(product(2 * b * steps, self.sum))
                .wrapping_add(n * steps * (2 * b - 1) / 3),
        }
    }

    /// The variance of the levels of rows, as a part of the greatest that there could be with their average.
    fn split(self) -> f64 {
        let (low, levels, kept) = (self.span.low as f64, self.span.levels() - 1.0, self.kept as f64);
        let mean = self.sum as f64 / kept;
        let variance = (self.squares as f64 / kept - mean * mean).max(0.0);
        let greatest = (mean - low) * (low + levels - mean);
        if greatest > 0.0 {
            (variance / greatest).min(1.0)
        } else {
            0.0
        }
    }

    /// The levels that most rows are of: as many as there would be if all of them had as many rows, and those kept varied as much.
    /// All of them where most rows are of the lower ones, as in nested dissection: then few are what others wait for.
    pub fn usual(self) -> Span {
        let Span { low, high, rows } = self.span;
        let kept = self.kept as f64;
        let mean = self.sum as f64 / kept;
        if mean - (low as f64) < LOWER_LEVELS * (high - low) as f64 {
            return self.span;
        }
        let half = (3.0 * (self.squares as f64 / kept - mean * mean)).max(0.0).sqrt();
        let level = |of: f64| ((of + 0.5) as u32).clamp(low, high);
        let first = level(mean - half + 0.5);
        Span { low: first, high: level(mean + half - 0.5).max(first), rows }
    }
}

/// The levels of an order, and the sizes that tiles of it may have.
#[derive(Clone, Debug)]
pub struct Ranges {
    pub sizes: Sizes,
    pub spreads: Vec<Spread>,
    /// The tiles of each size, once they have been asked for.
    tiles: OnceCell<Vec<(u32, Vec<Spread>)>>,
}

impl Ranges {
    /// `level` is in that order.
    pub fn new(sizes: Sizes, level: &[u32]) -> Self {
        let spreads = level.chunks(sizes.span as usize).map(Spread::new).collect();
        Ranges::of(sizes, spreads)
    }

    pub fn of(sizes: Sizes, spreads: Vec<Spread>) -> Self {
        Ranges { sizes, spreads, tiles: OnceCell::new() }
    }

    /// The average level of an unknown, except those that are left out.
    pub fn average_level(&self) -> f64 {
        let total = |of: fn(&Spread) -> f64| self.spreads.iter().map(of).sum::<f64>();
        total(|spread| spread.sum as f64) / total(|spread| spread.kept as f64).max(1.0)
    }

    /// Whether unknowns are laid out level by level, or `most` levels beside each other, except some.
    pub fn are_levels(&self, most: u32) -> bool {
        let apart = self.spreads.iter().filter(|spread| spread.usual().levels() > most as f64).count();
        apart * SPANS_APART <= self.spreads.len()
    }

    /// Whether tiles mostly hold the first and the last of their levels, and little between.
    pub fn are_split(&self) -> bool {
        let tiles = self.of_middle_size();
        tiles.iter().map(|spread| spread.split()).sum::<f64>() > SPLIT_LEVELS * tiles.len() as f64
    }

    /// The tiles of a size in the middle of those that are mostly good.
    pub fn of_middle_size(&self) -> &[Spread] {
        let size = self.tiles().iter().min_by_key(|(rows, _)| rows.abs_diff(MESH_ROWS));
        size.map_or(&[], |(_, spreads)| spreads)
    }

    /// The same of the rows, where these are nodes of so many.
    pub fn of_rows(&self, b: u32) -> Ranges {
        let Sizes { span, ref tiles, plane, whole } = self.sizes;
        let tiles = tiles.iter().map(|rows| rows.saturating_mul(b)).collect();
        let sizes = Sizes { span: span * b, tiles, plane: plane * b, whole: whole * b };
        Ranges::of(sizes, self.spreads.iter().map(|spread| spread.of_rows(b)).collect())
    }

    /// Every size with its tiles.
    pub fn tiles(&self) -> &[(u32, Vec<Spread>)] {
        self.tiles.get_or_init(|| {
            let mut known: Vec<(u32, Vec<Spread>)> = Vec::with_capacity(self.sizes.tiles.len());
            for &rows in &self.sizes.tiles {
                let smaller = known.iter().rev().find(|(of, _)| rows % of == 0);
                let (of, spreads) = smaller.map_or((self.sizes.span, &self.spreads), |(of, s)| (*of, s));
                let join = |w: &[Spread]| w.iter().copied().reduce(Spread::join).expect("not empty");
                let joined = spreads.chunks((rows / of) as usize).map(join).collect();
                known.push((rows, joined));
            }
            known
        })
    }
}

/// Where tiles of so many rows begin, and where the last one ends.
pub fn begins(n: u32, rows: u32) -> Vec<u32> {
    let tiles = n.div_ceil(rows.max(1));
    (0..=tiles).map(|t| (t as u64 * rows as u64).min(n as u64) as u32).collect()
}

/// Sorts unknowns by tile, keeping the order by level inside each.
pub fn arrange(by_level: &[u32], tile_ptr: &[u32], tile: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut next = tile_ptr.to_vec();
    let mut order = vec![0; by_level.len()];
    for &unknown in by_level {
        let slot = &mut next[tile(unknown) as usize];
        order[*slot as usize] = unknown;
        *slot += 1;
    }
    order
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn ranges(level: &[u32]) -> Ranges {
        Ranges::new(Sizes::plain(level.len() as u32), level)
    }

    /// Levels of a five-point grid in natural order.
    pub fn grid(nx: u32, ny: u32) -> Vec<u32> {
        (0..nx * ny).map(|i| i % nx + i / nx).collect()
    }

    #[test]
    fn tiles_are_ranges_in_solving_order_sorted_by_level() {
        let level = grid(40, 30);
        for forward in [true, false] {
            let by_unknown: Vec<u32> =
                if forward { level.clone() } else { level.iter().rev().copied().collect() };
            let mut by_level: Vec<u32> = (0..1200).collect();
            by_level.sort_by_key(|&i| (by_unknown[i as usize], i));
            let position = |i| if forward { i } else { 1199 - i };
            let ptr = begins(1200, 500);
            let order = arrange(&by_level, &ptr, |i| position(i) / 500);
            assert_eq!(ptr, [0, 500, 1000, 1200]);
            for (t, w) in ptr.windows(2).enumerate() {
                let tile = &order[w[0] as usize..w[1] as usize];
                assert!(tile.windows(2).all(|p| by_unknown[p[0] as usize] <= by_unknown[p[1] as usize]));
                assert!(tile.iter().all(|&i| (position(i) / 500) as usize == t));
            }
        }
    }

    #[test]
    fn a_few_rows_far_from_the_others_do_not_count() {
        let of = |levels: &[u32]| {
            let spread = Spread::new(levels);
            let usual = spread.usual();
            assert_eq!(usual.rows, levels.len() as u32);
            (usual.low, usual.high, spread.span.low, spread.span.high)
        };
        let even: Vec<u32> = (0..1000).map(|i| 7 + i % 50).collect();
        assert_eq!(of(&even), (7, 56, 7, 56));
        assert_eq!(of(&[3]), (3, 3, 3, 3));
        // Some rows are far before the others.
        let late: Vec<u32> = (0..1000).map(|i| if i < 20 { i } else { 500 + i % 50 }).collect();
        let (low, high, first, last) = of(&late);
        assert_eq!((low, high, first, last), (500, 549, 0, 549));
        // Many are of the lower levels, and few behind them.
        let early: Vec<u32> = (0..1000).map(|i| if i < 20 { 400 + i } else { i % 50 }).collect();
        assert_eq!(of(&early), (0, 419, 0, 419));
    }

    #[test]
    fn levels_at_both_ends_are_split_and_others_are_not() {
        let split =
            |level: &dyn Fn(u32) -> u32| Spread::new(&(0..1000).map(level).collect::<Vec<_>>()).split();
        let (ends, even, one) = (split(&|i| i % 3 / 2 * 50), split(&|i| i % 50), split(&|_| 7));
        assert!((ends - 1.0).abs() < 1e-9 && (0.3..0.4).contains(&even) && one == 0.0, "{ends} {even}");
    }

    #[test]
    fn nodes_have_the_levels_of_their_rows() {
        let nodes = [4u32, 0, 9, 9, 2];
        for b in 1..=6 {
            let rows: Vec<u32> = nodes.iter().flat_map(|l| (0..b).map(move |j| l * b + j)).collect();
            let (of_rows, direct) = (Spread::new(&nodes).of_rows(b), Spread::new(&rows));
            let numbers = |s: Spread| (s.span.low, s.span.high, s.span.rows, s.kept, s.sum, s.squares);
            assert_eq!(numbers(of_rows), numbers(direct));
        }
    }
}
