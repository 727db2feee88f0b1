//! Predictions for tiles of patterns that are known.
#![forbid(unsafe_code)]

use super::*;
use crate::analysis::lines::Grid;
use crate::analysis::ranges::tests::{grid, ranges};
use crate::engines::tiled::tuning::TILED_LARGEST_FORWARDED;
use crate::select::features::tests::counts_of;
use crate::tuning::CACHED_ENTRIES;

fn rows(n: u32, entries: u32, levels: u32) -> Rows {
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

fn chosen(level: &[u32], shape: Rows, remote_buffer: u32) -> Choice {
    choose(&ranges(level), Regularity::Lines, shape, remote_buffer, Duration::MAX).unwrap()
}

#[test]
fn a_chain_is_one_tile_and_a_grid_is_not() {
    let chain: Vec<u32> = (0..100_000).collect();
    assert!(chosen(&chain, rows(100_000, 99_999, 100_000), 0).rows >= 100_000);
    let level = grid(1024, 1024);
    let plain = chosen(&level, rows(1 << 20, 2 << 20, 2047), 0);
    assert!((4 * 1024..=64 * 1024).contains(&plain.rows), "{plain:?}");
    let forwarded = chosen(&level, rows(1 << 20, 2 << 20, 2047), 16384);
    assert!(forwarded.predicted < plain.predicted, "{forwarded:?} {plain:?}");
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
fn tiles(nx: u32, ny: u32, rows: usize) -> Vec<Span> {
    let level = grid(nx, ny);
    let span = |tile: &[u32]| Span {
        low: *tile.iter().min().unwrap(),
        high: *tile.iter().max().unwrap(),
        rows: tile.len() as u32,
    };
    level.chunks(rows).map(span).collect()
}

#[test]
fn tiles_of_a_mesh_must_promise_more() {
    // Each range has rows of all levels before it, and most are of a few; in a grid all levels have as many.
    let (tiles, rows) = (64, 4096);
    let levels = |most: u32| -> Vec<u32> {
        let of_tile = |t: u32| move |i: u32| if i % 16 < most { 20 * t + i % 20 } else { i % (20 * t + 20) };
        (0..tiles).flat_map(|t| (0..rows).map(of_tile(t))).collect()
    };
    let time = |level: &[u32], regularity| {
        let sizes = Sizes { span: rows, tiles: vec![rows], plane: 0, whole: 0 };
        let shape = self::rows(tiles * rows, 3 * tiles * rows, 20 * tiles);
        choose(&Ranges::new(sizes, level), regularity, shape, 0, Duration::MAX).unwrap().predicted
    };
    let (mesh, even) = (levels(15), levels(0));
    assert!(time(&mesh, Regularity::Mesh) > time(&mesh, Regularity::Lines).mul_f64(TILED_MESH));
    assert_eq!(time(&even, Regularity::Mesh), time(&even, Regularity::Lines));
}

#[test]
fn planes_forward_with_all_warps_where_values_are_not_scattered() {
    let (n, levels) = (128 * 128 * 128, 382);
    let planes: Vec<u32> = (0..n).map(|i| i % 128 + i / 128 % 128 + i / (128 * 128)).collect();
    let of = |scattered| {
        let shape = Rows::new(Counts {
            squares: (9 * n as u64, 0),
            scattered,
            has_lines: true,
            ..counts_of(n, 3 * n, levels)
        });
        chosen(&planes, shape, TILED_LARGEST_FORWARDED)
    };
    assert_eq!((of(false).rows, of(false).forwarding), (128 * 128, Forwarding::Wide));
    assert_ne!(of(true).forwarding, Forwarding::Wide);
}

#[test]
fn no_tile_is_less_than_a_plane_where_a_grid_crosses() {
    let (line, plane, n) = (64, 64 * 64, 64 * 64 * 64);
    let level: Vec<u32> = (0..n).map(|i| i % line + 2 * (i % plane / line) + 3 * (i / plane)).collect();
    let ranges = Ranges::new(Grid { line, plane }.sizes(n, TILED_LARGEST_FORWARDED), &level);
    let chosen = |regularity| {
        let shape = rows(n, 5 * n, 379);
        choose(&ranges, regularity, shape, TILED_LARGEST_FORWARDED, Duration::MAX).unwrap().rows
    };
    assert!(chosen(Regularity::Lines) < plane);
    assert_eq!(chosen(Regularity::Crossing), plane);
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
fn planes_of_long_rows_do_no_better_than_the_model_says() {
    let part = |entries_of_a_row: u32, rows_of_a_tile| {
        let shape = rows(1 << 20, entries_of_a_row << 20, 400);
        Regularity::Crossing.of_tiles(rows_of_a_tile, 4096, &[], shape).1
    };
    assert_eq!((part(13, 4096), part(13, 1024), part(39, 4096)), (TILED_BLOCK_3D, 1.0, 1.0));
}

#[test]
fn tiles_forward_where_they_fit_and_depend_on_the_one_before() {
    let square = tiles(1024, 1024, 8192);
    assert!(can_forward(&square, 8192, 8192));
    assert!(!can_forward(&square, 8192, 8191) && !can_forward(&square, 8192, 0));
    assert!(!can_forward(&square[..1], 8192, 8192));
    // Half of a line each.
    let mut halves = square;
    halves.iter_mut().skip(1).step_by(2).for_each(|s| s.low += 512);
    assert!(!can_forward(&halves, 8192, 8192));
    let apart = [Span { low: 0, high: 9, rows: 8192 }; 100];
    assert!(!can_forward(&apart, 8192, 8192));
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
