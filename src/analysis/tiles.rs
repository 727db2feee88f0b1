//! Tiles: ranges of consecutive unknowns in solving order, each solved by one block of the GPU.
//!
//! Unknowns are taken in solving order (rising for a forward, falling for a backward solve), so a tile
//! depends on earlier tiles only. The size of the tiles is chosen by a model of the time that a solve
//! takes: steps inside a tile cost `STEP`, a dependency on another tile costs `HOP`.
#![forbid(unsafe_code)]

use std::time::Duration;

use crate::tuning::{TILED_BLOCKS, TILED_HOP, TILED_SMALLEST, TILED_STEP};

/// Lanes of a step, for the model: a row takes one.
const LANES: u64 = 32;

/// A size and what the model says of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    pub rows: u32,
    pub predicted: Duration,
}

/// The levels that a range of rows spans.
#[derive(Clone, Copy)]
struct Span {
    low: u32,
    high: u32,
    rows: u32,
}

impl Span {
    fn join(self, other: Span) -> Span {
        Span { low: self.low.min(other.low), high: self.high.max(other.high), rows: self.rows + other.rows }
    }
    fn steps(self) -> u64 {
        ((self.high - self.low + 1) as u64).max((self.rows as u64).div_ceil(LANES))
    }
}

/// The best size among `TILED_SMALLEST` times a power of two. `level` is by unknown.
pub fn choose(level: &[u32], forward: bool, levels: usize) -> Choice {
    let span = |chunk: &[u32]| Span {
        low: *chunk.iter().min().expect("chunks are not empty"),
        high: *chunk.iter().max().expect("chunks are not empty"),
        rows: chunk.len() as u32,
    };
    let size = TILED_SMALLEST as usize;
    // In solving order: a backward solve begins at the last unknown.
    let mut spans: Vec<Span> =
        if forward { level.chunks(size).map(span).collect() } else { level.rchunks(size).map(span).collect() };
    let mut rows = TILED_SMALLEST;
    let mut best = Choice { rows, predicted: predict(&spans, levels) };
    while spans.len() > 1 {
        spans = spans.chunks(2).map(|w| w.iter().copied().reduce(Span::join).expect("not empty")).collect();
        rows = rows.saturating_mul(2);
        let predicted = predict(&spans, levels);
        if predicted < best.predicted {
            best = Choice { rows, predicted };
        }
    }
    best
}

/// Time of a solve with these tiles: each begins when a block is free and ends no earlier than its own
/// steps allow, nor than one hop after the tile before it, from which the dependencies come.
fn predict(spans: &[Span], levels: usize) -> Duration {
    let (step, hop) = (TILED_STEP.as_secs_f64(), TILED_HOP.as_secs_f64());
    let mut free = std::collections::BinaryHeap::new();
    let mut before: Option<(Span, f64)> = None;
    let mut last = levels as f64 * step;
    for (t, &span) in spans.iter().enumerate() {
        // Times are compared as their bits: they are not negative.
        let start = if t < TILED_BLOCKS { 0.0 } else { f64::from_bits(free.pop().map_or(0, |std::cmp::Reverse(b)| b)) };
        let mut end = start + span.steps() as f64 * step;
        if let Some((previous, previous_end)) = before {
            end = end.max(previous_end + hop + span.high.saturating_sub(previous.high) as f64 * step);
        }
        free.push(std::cmp::Reverse(end.to_bits()));
        before = Some((span, end));
        last = last.max(end);
    }
    Duration::from_secs_f64(last)
}

/// Sorts unknowns by tile, keeping the order by level inside each: the tile pointers and the order.
pub fn arrange(by_level: &[u32], forward: bool, rows: u32) -> (Vec<u32>, Vec<u32>) {
    let n = by_level.len() as u32;
    let tiles = n.div_ceil(rows.max(1));
    let tile_ptr: Vec<u32> = (0..=tiles).map(|t| (t as u64 * rows as u64).min(n as u64) as u32).collect();
    let mut next = tile_ptr.clone();
    let mut order = vec![0; n as usize];
    for &unknown in by_level {
        let turn = if forward { unknown } else { n - 1 - unknown };
        let slot = &mut next[(turn / rows) as usize];
        order[*slot as usize] = unknown;
        *slot += 1;
    }
    (tile_ptr, order)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels of a five-point grid in natural order.
    fn grid(nx: u32, ny: u32) -> Vec<u32> {
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
            let (ptr, order) = arrange(&by_level, forward, 500);
            assert_eq!(ptr, [0, 500, 1000, 1200]);
            for (t, w) in ptr.windows(2).enumerate() {
                let tile = &order[w[0] as usize..w[1] as usize];
                assert!(tile.windows(2).all(|p| by_unknown[p[0] as usize] <= by_unknown[p[1] as usize]));
                for &i in tile {
                    let turn = if forward { i } else { 1199 - i };
                    assert_eq!((turn / 500) as usize, t);
                }
            }
        }
    }

    #[test]
    fn a_chain_is_one_tile_and_a_grid_is_not() {
        let chain: Vec<u32> = (0..100_000).collect();
        assert!(choose(&chain, true, chain.len()).rows >= 100_000);
        let level = grid(1024, 1024);
        let rows = choose(&level, true, 2047).rows;
        assert!((8 * 1024..=64 * 1024).contains(&rows), "{rows}");
    }
}
