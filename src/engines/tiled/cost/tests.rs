//! Predictions for tiles of patterns that are known.
#![forbid(unsafe_code)]

use super::*;
use crate::analysis::ranges::tests::{grid, ranges};
use crate::select::features::tests::counts_of;
use crate::tuning::CACHED_ENTRIES;

pub fn rows(n: u32, entries: u32, levels: u32) -> Rows {
    Rows::new(counts_of(n, entries, levels))
}

#[test]
fn scattered_values_cost_a_batch_less_where_the_cache_holds_them() {
    let batch = |scattered, entries| {
        let (n, squares) = (entries / 8, 8 * entries as u64);
        let counts = Counts { squares: (squares, 0), scattered, ..counts_of(n, entries, 100) };
        Rows::new(counts).batch
    };
    let (small, large) = (CACHED_ENTRIES, CACHED_ENTRIES + 8);
    assert_eq!(batch(false, small), batch(false, large));
    assert!(batch(false, small) < batch(true, small) && batch(true, small) < batch(true, large));
}

#[test]
fn a_long_row_costs_more_where_values_lie_scattered() {
    let time = |scattered| {
        let counts = Counts { squares: (1 << 30, 1 << 30), scattered, ..counts_of(1 << 20, 2 << 20, 100) };
        counts.long_rows_in_tiles()
    };
    assert!(time(true) > time(false) && time(false) > Duration::ZERO);
}

#[test]
fn tiles_that_end_at_the_same_level_wait_for_each_other_only_without_lines() {
    let domains = vec![Span { low: 0, high: 99, rows: 4096 }; 100];
    let shape = rows(409_600, 819_200, 100);
    let time = |regularity| predict(&domains, shape, regularity, Forwarding::No, Duration::MAX).unwrap();
    assert!(time(Regularity::Even) > time(Regularity::Lines) + TILED_HOP.mul_f64(90.0));
    assert_eq!(time(Regularity::Mesh), time(Regularity::Lines));
}

/// Tiles of so many rows of a grid.
pub fn tiles(nx: u32, ny: u32, rows: usize) -> Vec<Span> {
    let level = grid(nx, ny);
    let span = |tile: &[u32]| Span {
        low: *tile.iter().min().unwrap(),
        high: *tile.iter().max().unwrap(),
        rows: tile.len() as u32,
    };
    level.chunks(rows).map(span).collect()
}

#[test]
fn a_limit_leaves_out_nothing_that_is_below_it() {
    let in_a_limit = |spans: &[Span], shape: Rows| {
        for regularity in [Regularity::Lines, Regularity::Even] {
            for forwarding in [Forwarding::No, Forwarding::Narrow, Forwarding::Wide] {
                let time = |limit| predict(spans, shape, regularity, forwarding, limit);
                let whole = time(Duration::MAX).unwrap();
                assert_eq!(time(whole + Duration::from_nanos(2)), Some(whole));
                assert_eq!(time(whole), None);
            }
        }
    };
    let span = |t: u32, rise, levels| Span { low: rise * t, high: rise * t + levels - 1, rows: 4096 };
    // A chain of hops, chains whose tiles have many levels or few, and planes.
    let patterns = [(300, 1, 4096), (300, 20, 30), (300, 500, 2000), (40, 0, 64)];
    for (tiles, rise, levels) in patterns {
        let spans: Vec<Span> = (0..tiles).map(|t| span(t, rise, levels)).collect();
        for entries_of_a_row in [2, 7, 39] {
            in_a_limit(&spans, rows(4096 * tiles, entries_of_a_row * 4096 * tiles, rise * tiles + levels));
        }
    }
    // All sizes of tiles of lines, of no order at all, of nested dissection, and of domains by themselves.
    let n = 1 << 18;
    let anywhere = |i: u32| i.wrapping_mul(2_654_435_761) >> 22;
    let level = |of: &dyn Fn(u32) -> u32| -> Vec<u32> { (0..n).map(of).collect() };
    let orders = [
        grid(512, n / 512),
        level(&anywhere),
        level(&|i| i.trailing_ones() + anywhere(i) % 40),
        level(&|i| i % 4096 / 8),
    ];
    for (_, spreads) in orders.iter().flat_map(|level| ranges(level).tiles().to_vec()) {
        let spans: Vec<Span> = spreads.iter().map(|spread| spread.span).collect();
        in_a_limit(&spans, rows(n, 3 * n, 1023));
    }
}

#[test]
fn forwarding_pays_in_long_grids_and_not_where_levels_are_wide() {
    let long = tiles(64, 16384, 1024);
    let shape = rows(1 << 20, 2 << 20, 16447);
    let predict = |spans: &[Span], forwarding| {
        predict(spans, shape, Regularity::Lines, forwarding, Duration::MAX).unwrap()
    };
    assert!(predict(&long, Forwarding::Narrow) < predict(&long, Forwarding::No));
    // So many rows in each level of every tile that batches, and not hops, are what takes time; and whole clusters
    // have fewer blocks.
    let busy = vec![Span { low: 0, high: 99, rows: 1 << 18 }; 132];
    assert!(predict(&busy, Forwarding::Narrow) > predict(&busy, Forwarding::No));
    let limit = predict(&busy, Forwarding::No);
    assert_eq!(super::predict(&busy, shape, Regularity::Lines, Forwarding::No, limit), None);
}
