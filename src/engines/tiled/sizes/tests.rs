//! The best sizes of tiles of patterns that are known.
#![forbid(unsafe_code)]

use super::*;
use crate::analysis::lines::Grid;
use crate::analysis::ranges::tests::{grid, ranges};
use crate::engines::tiled::cost::tests::{rows, tiles};
use crate::engines::tiled::tuning::TILED_LARGEST_FORWARDED;
use crate::select::features::tests::counts_of;
use crate::select::features::Counts;

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
