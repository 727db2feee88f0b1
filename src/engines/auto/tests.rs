//! The choice on patterns that are known.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::*;
use crate::analysis::blocks_3d::Blocks3d;
use crate::analysis::lines::Grid;
use crate::analysis::ranges::tests::{grid, ranges};
use crate::analysis::ranges::{Ranges, Span};
use crate::analysis::{Form, Forwarding, Needs, Tiles};
use crate::engines::block::Block;
use crate::engines::tiled::choose::advantage;
use crate::engines::tiled::tuning::*;
use crate::engines::wide::tuning::WIDE_MOST_LEVELS;
use crate::engines::{one_word, thin, Algorithm, MANY_COLUMNS};
use crate::select::decision::{Gathering, Order};
use crate::select::features::tests::counts_of;
use crate::select::features::{squares, Counts, LastLevels, LazyFeatures};
use crate::tuning::{LAUNCH, SETUP_GPU_ROW, SETUP_GPU_SMALLEST, TYPE_C, TYPE_S, TYPE_Z};

/// Features that are asked for by closures.
struct Asked<'a> {
    blocks_3d: &'a mut dyn FnMut() -> Option<Vec<Span>>,
    wavefront_strips: &'a mut dyn FnMut() -> Result<Option<Ranges>>,
    last_levels: &'a mut dyn FnMut() -> Option<LastLevels>,
}

impl LazyFeatures for Asked<'_> {
    fn blocks_3d(&mut self) -> Option<Vec<Span>> {
        (self.blocks_3d)()
    }
    fn wavefront_strips(&mut self) -> Result<Option<Ranges>> {
        (self.wavefront_strips)()
    }
    fn last_levels(
        &mut self,
        _: fn(&[u32], u32) -> Option<LastLevels>,
        _: u32,
    ) -> Result<Option<LastLevels>> {
        Ok((self.last_levels)())
    }
}

/// The choice without narrow ends and panels.
fn decide(
    wish: Tiles,
    remote_buffer: u32,
    natural: Ranges,
    counts: Counts,
    blocks_3d: &mut dyn FnMut() -> Option<Vec<Span>>,
    wavefront_strips: &mut dyn FnMut() -> Result<Option<Ranges>>,
) -> Result<Decision> {
    let needs = Needs { levels: true, tiles: wish, remote_buffer, ..Needs::default() };
    let mut asked = Asked { blocks_3d, wavefront_strips, last_levels: &mut || None };
    super::decide(&Features::new(needs, counts, natural, &mut asked))
}

/// THIN in place of another decision, if it is to be.
fn with_thin_end(
    other: Decision,
    counts: Counts,
    mut last_levels: impl FnMut() -> Option<LastLevels>,
) -> Decision {
    let needs = Needs { levels: true, narrow_levels: true, ..Needs::default() };
    let mut asked =
        Asked { blocks_3d: &mut || None, wavefront_strips: &mut || Ok(None), last_levels: &mut last_levels };
    let features = Features::new(needs, counts, ranges(&[0]), &mut asked);
    thin::cost::cost(&features, other).unwrap().unwrap_or(other)
}

#[test]
fn irregular_rows_go_by_small_tiles_and_scattered_values_by_pieces() {
    // Each row has six neighbours anywhere, and depends on those before it: as 7-pt 128³ in random order.
    let n = 1u32 << 21;
    let (mut level, mut entries, mut random) = (vec![0; n as usize], 0, 1u64);
    for i in 0..n as usize {
        for _ in 0..6 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let j = (random >> 33) as usize % n as usize;
            if j < i {
                level[i] = level[i].max(level[j] + 1);
                entries += 1;
            }
        }
    }
    let levels = level.iter().max().unwrap() + 1;
    let counts =
        Counts { squares: (4 * entries as u64, 0), off_band: entries, ..counts_of(n, entries, levels) };
    let chosen = |irregular, scattered, value_bytes| {
        let counts = Counts { irregular, scattered, value_bytes, ..counts };
        decide(Tiles::IfFaster, 0, ranges(&level), counts, &mut || None, &mut || Ok(None)).unwrap()
    };
    let tiles = chosen(true, false, 8);
    assert!(matches!(tiles.form, Form::Tiles(_)) && tiles.rows == TILED_IRREGULAR_ROWS, "{tiles:?}");
    assert_eq!(tiles.gathering, Gathering::No);
    assert_eq!(chosen(false, false, 8).form, Form::Rows);
    let by_pieces = chosen(true, true, 8);
    assert_eq!((by_pieces.form, by_pieces.gathering), (Form::Rows, Gathering::ByPieces));
    // The cache holds them, or lines of it are of use.
    assert_eq!(chosen(true, true, 2).gathering, Gathering::No);
    assert_eq!(chosen(false, true, 8).gathering, Gathering::No);
}

#[test]
fn irregular_rows_of_narrow_levels_go_level_by_level() {
    // Levels lie all over the order, the higher ones in its later part only.
    let (n, levels) = (1u32 << 20, 1000);
    let spread = |i: u32| (i as u64 * (i.wrapping_mul(2_654_435_761) % levels) as u64 / n as u64) as u32;
    let level: Vec<u32> = (0..n).map(spread).collect();
    let chosen = |irregular| {
        let counts = Counts { irregular, ..counts_of(n, 3 * n, levels) };
        decide(Tiles::IfFaster, 0, ranges(&level), counts, &mut || None, &mut || Ok(None)).unwrap()
    };
    assert!(matches!(chosen(false).form, Form::Tiles(_)));
    assert_eq!(chosen(true).form, Form::Rows);
}

#[test]
fn wavefront_strips_are_asked_for_where_levels_follow_one_another() {
    let (n, entries, levels) = (1 << 20, 2 << 20, 2047);
    let counts = counts_of(n, entries, levels);
    let natural = grid(1024, 1024);
    let mut by_level = natural.clone();
    by_level.sort_unstable();
    let decision = |wish, level: &[u32], wavefront_strips: &mut dyn FnMut() -> Result<Option<Ranges>>| {
        decide(wish, TILED_LARGEST_FORWARDED, ranges(level), counts, &mut || None, wavefront_strips).unwrap()
    };
    let never = &mut || panic!("lines are good tiles");
    let lines = decision(Tiles::IfFaster, &natural, never);
    assert!(lines.order == Order::Natural && matches!(lines.form, Form::Tiles(_)));
    for wish in [Tiles::IfFaster, Tiles::Yes] {
        let wavefront_strips = decision(wish, &by_level, &mut || Ok(Some(ranges(&natural))));
        // Wavefront strips are lines, and forward.
        let form = Form::Tiles(Forwarding::Narrow);
        let predicted = wavefront_strips.predicted;
        assert_eq!(wavefront_strips, Decision { order: Order::WavefrontStrips, form, predicted, ..lines });
        // Where there are none, or they are no better.
        for mut none in [None, Some(ranges(&(0..n).collect::<Vec<_>>()))] {
            let plain = decision(wish, &by_level, &mut || Ok(none.take()));
            assert_eq!(plain.form == Form::Rows, wish == Tiles::IfFaster);
            assert!(plain.order == Order::Natural && plain.predicted > wavefront_strips.predicted);
        }
    }
    assert_eq!(decision(Tiles::No, &by_level, never).form, Form::Rows);
}

#[test]
fn tiles_that_are_asked_for_are_found_in_irregular_patterns_too() {
    // A line has more rows than tiles of an irregular pattern are to have.
    let (nx, ny) = (TILED_IRREGULAR_ROWS + 1, 200);
    let sizes = Grid::new(nx * ny, nx, 0).sizes(nx * ny, 0);
    let counts = Counts { has_lines: true, irregular: true, ..counts_of(nx * ny, 5 * nx * ny, nx + ny - 1) };
    let natural = Ranges::new(sizes, &grid(nx, ny));
    let form = |wish| decide(wish, 0, natural.clone(), counts, &mut || None, &mut || Ok(None)).unwrap().form;
    assert!(matches!(form(Tiles::Yes), Form::Tiles(_)));
    assert_eq!(form(Tiles::IfFaster), Form::Rows);
}

#[test]
fn a_few_wide_levels_are_streamed_where_they_are_laid_out() {
    let (n, entries) = (1u32 << 20, 2u32 << 20);
    let squares = (n / 2) as u64 * 16;
    let counts = |levels| Counts { squares: (squares, 0), ..counts_of(n, entries, levels) };
    let level = |of: &dyn Fn(u32) -> u32| -> Vec<u32> { (0..n).map(of).collect() };
    let is_wide = |wish, level: &[u32], counts| {
        let chosen = decide(wish, 0, ranges(level), counts, &mut || None, &mut || Ok(None)).unwrap();
        chosen.form == Form::WideLevels
    };
    let two = level(&|t| t / (n / 2));
    assert!(is_wide(Tiles::IfFaster, &two, counts(2)));
    // One span of levels that do not follow one another is nothing.
    assert!(is_wide(Tiles::IfFaster, &level(&|t| if t < 1000 { t % 2 } else { t / (n / 2) }), counts(2)));
    assert!(!is_wide(Tiles::IfFaster, &level(&|t| t % 2), counts(2)));
    assert!(!is_wide(Tiles::IfFaster, &level(&|t| t / (n / 16)), counts(16)));
    assert!(is_wide(Tiles::IfFaster, &two, Counts { scattered: true, ..counts(2) }));
    assert!(!is_wide(Tiles::IfFaster, &level(&|_| 0), counts(1)));
    // No more than asked for by name.
    let large =
        |levels| Counts { squares: (144 * 150_000_000, 0), ..counts_of(150_000_000, 1_800_000_000, levels) };
    assert!(is_wide(Tiles::IfFaster, &two, large(WIDE_MOST_LEVELS)));
    assert!(!is_wide(Tiles::IfFaster, &two, large(WIDE_MOST_LEVELS + 1)));
    // A quarter of all levels may lie beside each other, and no more.
    let mixed = |levels: u32| level(&|t| t / (n / 2) * 4 + t % levels);
    let of_many = Counts { squares: (n as u64 * 169, 0), ..counts_of(n, 13 * n, 8) };
    assert!(is_wide(Tiles::IfFaster, &mixed(2), of_many));
    assert!(!is_wide(Tiles::IfFaster, &mixed(4), of_many));
    let one_long_row = Counts { squares: (squares + (1 << 20), 1 << 20), ..counts(2) };
    assert!(!is_wide(Tiles::IfFaster, &two, one_long_row));
    assert!(!is_wide(Tiles::Yes, &two, counts(2)) && !is_wide(Tiles::No, &two, counts(2)));
}

#[test]
fn a_few_long_rows_make_tiles_slower_and_rows_not() {
    let (m, long) = (512, 60_000);
    let level = grid(m, m);
    let (n, levels) = (m * m, 2 * m - 1);
    let lengths =
        |long_rows: u32| -> Vec<u32> { (0..n).map(|i| if i < long_rows { long } else { 2 }).collect() };
    let decide = |long_rows| {
        let entries = 2 * n + long_rows * long;
        let squares = squares(&lengths(long_rows), entries);
        let counts = Counts { squares, ..counts_of(n, entries, levels) };
        let form = decide(Tiles::IfFaster, 0, ranges(&level), counts, &mut || None, &mut || Ok(None));
        (form.unwrap().form, one_word::cost::predict(counts, counts.levels as f64))
    };
    let ((plain, rows), (uneven, same_rows)) = (decide(0), decide(4));
    assert!(matches!(plain, Form::Tiles(_)) && uneven == Form::Rows);
    assert!(same_rows < rows.mul_f64(1.1));
}

#[test]
fn scattered_values_are_gathered_where_a_copy_takes_less_than_levels_wait_for_them() {
    let decide = |wish, [nx, ny]: [u32; 2], level: Vec<u32>, scattered, entries_of_a_row: u32| {
        let (n, levels) = (nx * ny, level.iter().max().unwrap() + 1);
        let counts = Counts { scattered, has_lines: true, ..counts_of(n, entries_of_a_row * n, levels) };
        let lines = Ranges::new(Grid { line: nx, plane: n }.sizes(n, 0), &level);
        decide(wish, TILED_LARGEST_FORWARDED, lines, counts, &mut || None, &mut || Ok(None)).unwrap()
    };
    let long = |wish, scattered| decide(wish, [64, 16384], grid(64, 16384), scattered, 2);
    let (gathered, stored) = (long(Tiles::IfFaster, true), long(Tiles::IfFaster, false));
    assert!(gathered.gathering == Gathering::InOrder && stored.gathering == Gathering::No);
    let copy = gathered.predicted - stored.predicted;
    assert_eq!(Decision { gathering: Gathering::No, predicted: stored.predicted, ..gathered }, stored);
    assert!(copy > LAUNCH && copy < TILED_SCATTERED_LEVEL * (64 + 16384 - 1));
    // Whatever else is asked for, and lines by themselves, whose levels are few.
    assert!(
        long(Tiles::Yes, true).gathering == Gathering::No && long(Tiles::No, true).gathering == Gathering::No
    );
    let lines = (0..256 * 4096).map(|i| i % 256).collect();
    let alone = decide(Tiles::IfFaster, [256, 4096], lines, true, 1);
    assert!(matches!(alone.form, Form::Tiles(_)) && alone.gathering == Gathering::No);
}

#[test]
fn tiles_of_the_rows_of_nodes_are_gathered_where_that_is_faster_than_by_nodes() {
    // Nodes of so many unknowns on a grid of 9 points, by nodes; a node's levels are as many of its rows.
    let decide = |node, scattered| {
        let (nx, ny) = (100, 1000);
        let (n, level) = (nx * ny, (0..nx * ny).map(|i| i % nx + 2 * (i / nx)).collect::<Vec<_>>());
        let levels = level.iter().max().unwrap() + 1;
        let entries = 4 * n - 3 * ny - nx;
        let squares = (4 * entries as u64, 0);
        let counts = Counts { squares, scattered, has_lines: true, node, ..counts_of(n, entries, levels) };
        let lines = Ranges::new(Grid { line: nx, plane: n }.sizes(n, 0), &level);
        decide(Tiles::IfFaster, TILED_LARGEST_FORWARDED, lines, counts, &mut || None, &mut || Ok(None))
            .unwrap()
    };
    let (stored, gathered, by_nodes) = (decide(3, false), decide(3, true), decide(6, true));
    assert!(matches!(stored.form, Form::Tiles(_)) && stored.gathering == Gathering::No);
    assert!(matches!(gathered.form, Form::Tiles(_)) && gathered.gathering == Gathering::InOrder);
    assert!(gathered.predicted > stored.predicted);
    assert_eq!((by_nodes.form, by_nodes.gathering), (Form::Nodes(6), Gathering::No));
}

#[test]
fn types_are_promised_their_own_times() {
    let n = 512 * 512;
    let decide = |wish, value_bytes, is_complex, scattered| {
        let counts = Counts { value_bytes, is_complex, scattered, ..counts_of(n, 2 * n, 1023) };
        let lines = Ranges::new(Grid { line: 512, plane: n }.sizes(n, 0), &grid(512, 512));
        decide(wish, TILED_LARGEST_FORWARDED, lines, counts, &mut || None, &mut || Ok(None)).unwrap()
    };
    let part = |wish, value_bytes, is_complex| {
        let time = |value_bytes, is_complex| decide(wish, value_bytes, is_complex, false).predicted;
        time(value_bytes, is_complex).div_duration_f64(time(8, false))
    };
    for (bytes, is_complex, of) in [(4, false, TYPE_S), (8, true, TYPE_C), (16, true, TYPE_Z)] {
        assert!((part(Tiles::No, bytes, is_complex) - of.rows).abs() < 1e-4);
        assert!((part(Tiles::Yes, bytes, is_complex) - of.tiles).abs() < 1e-4);
    }
    // Products of complex numbers hide what scattered values keep a level waiting.
    let gathering = |is_complex| decide(Tiles::IfFaster, 8, is_complex, true).gathering;
    assert_eq!((gathering(false), gathering(true)), (Gathering::InOrder, Gathering::No));
}

#[test]
fn wavefront_strips_serve_gathered_tiles_and_others_and_are_looked_for_once() {
    // A grid of 9 points by diagonals, which by wavefront strips has its lines back.
    let (nx, n, levels) = (512, 512 * 512, 3 * 512 - 2);
    let level = |i: u32| i % nx + 2 * (i / nx);
    let mut order: Vec<u32> = (0..n).collect();
    order.sort_by_key(|&i| (i % nx + i / nx, i));
    let natural = ranges(&order.into_iter().map(level).collect::<Vec<_>>());
    let lines = (0..n).map(level).collect::<Vec<_>>();
    let lines = Ranges::new(Grid { line: nx, plane: 0 }.sizes(n, 0), &lines);
    let mut looks = 0;
    let mut wavefront_strips = || {
        looks += 1;
        Ok(Some(lines.clone()))
    };
    let counts = Counts { scattered: true, squares: (16 * n as u64, 0), ..counts_of(n, 4 * n, levels) };
    let chosen = decide(
        Tiles::IfFaster,
        TILED_LARGEST_FORWARDED,
        natural,
        counts,
        &mut || None,
        &mut wavefront_strips,
    )
    .unwrap();
    assert_eq!((chosen.order, looks), (Order::WavefrontStrips, 1), "{chosen:?}");
}

#[test]
fn rows_of_very_different_lengths_make_tiles_slower() {
    let level = grid(1024, 1024);
    let (n, entries, levels) = (1 << 20, 4u32 << 20, 2047);
    let decide = |wish, deviation: u64, entries: u32| {
        let squares = (entries as u64).pow(2) / n as u64 + deviation * deviation * n as u64;
        let counts = Counts { squares: (squares, 0), ..counts_of(n, entries, levels) };
        decide(wish, 0, ranges(&level), counts, &mut || None, &mut || Ok(None)).unwrap()
    };
    let (alike, apart) = (decide(Tiles::Yes, 4, entries), decide(Tiles::Yes, 20, entries));
    assert_eq!(Decision { predicted: alike.predicted.mul_f64(5.0), ..alike }, apart);
    assert!(matches!(decide(Tiles::IfFaster, 4, entries).form, Form::Tiles(_)));
    assert_eq!(decide(Tiles::IfFaster, 20, entries).form, Form::Rows);
    // But not where they are long on average.
    let long = |deviation| decide(Tiles::Yes, deviation, 20 << 20).predicted;
    assert_eq!(long(20), long(100));
}

#[test]
fn patterns_without_lines_forward_only_where_rows_depend_on_several_others() {
    let forwards = |nx: u32, ny: u32, entries_of_a_row: u32, has_lines, long_squares| {
        let counts = counts_of(nx * ny, entries_of_a_row * nx * ny, nx + ny - 1);
        let squares = (long_squares + (entries_of_a_row * counts.entries) as u64, long_squares);
        let (counts, natural) = (Counts { has_lines, squares, ..counts }, ranges(&grid(nx, ny)));
        let (wish, remote_buffer) = (Tiles::Yes, TILED_LARGEST_FORWARDED);
        let decision = decide(wish, remote_buffer, natural, counts, &mut || None, &mut || Ok(None)).unwrap();
        decision.form == Form::Tiles(Forwarding::Narrow)
    };
    assert!(forwards(64, 16384, 2, true, 0) && forwards(64, 16384, 2, false, 0));
    assert!(forwards(64, 16384, 1, true, 0) && !forwards(64, 16384, 1, false, 0));
    // Nor where some are far longer, or there are few tiles.
    assert!(!forwards(64, 16384, 2, false, 1 << 20));
    assert!(forwards(64, 128, 2, true, 0) && !forwards(64, 128, 2, false, 0));
}

#[test]
fn as_many_levels_are_launched_as_asked_for_and_no_more() {
    let needs = Needs { levels: true, wide_levels: WIDE_MOST_LEVELS, ..Needs::default() };
    assert_eq!(Form::of_rows(needs, WIDE_MOST_LEVELS), Form::WideLevels);
    assert_eq!(Form::of_rows(needs, WIDE_MOST_LEVELS + 1), Form::Rows);
    assert_eq!(Form::of_rows(Needs { wide_levels: 0, ..needs }, 2), Form::Rows);
}

#[test]
fn blocks_3d_are_taken_though_other_tiles_promise_more() {
    let side = 256;
    let (plane, n) = (side * side, side * side * side);
    let level: Vec<u32> = (0..n).map(|i| i % side + i % plane / side + i / plane).collect();
    let grid = Grid::new(n, side, plane);
    let entries = 3 * (n - plane);
    let counts =
        Counts { squares: (3 * entries as u64, 0), has_lines: true, ..counts_of(n, entries, 3 * side - 2) };
    let blocks_3d = Blocks3d::new(n, entries, grid, [1, 1], 0).unwrap();
    let choice = |with_blocks_3d: bool| {
        let natural = Ranges::new(grid.sizes(n, TILED_LARGEST_FORWARDED), &level);
        let mut blocks_3d = || with_blocks_3d.then(|| blocks_3d.spans.clone());
        let mut wavefront_strips = || Ok(None);
        let remote_buffer = TILED_LARGEST_FORWARDED;
        decide(Tiles::IfFaster, remote_buffer, natural, counts, &mut blocks_3d, &mut wavefront_strips)
            .unwrap()
    };
    let (with, without) = (choice(true), choice(false));
    assert_eq!((with.order, without.order), (Order::Blocks3d, Order::Natural));
    let more = with.predicted.div_duration_f64(without.predicted);
    assert!(more > 1.0, "{more}");
}

#[test]
fn what_tiles_must_promise_goes_by_off_band_entries_where_these_are_waited_for() {
    let n = 1u32 << 19;
    // Seven of eight rows are of the lowest levels, so many, or all of any; and so large a part of the entries is off-band.
    let of = |low: u32, levels: u32, off_band: f64, counts: Counts| {
        let level: Vec<u32> = (0..n).map(|i| i % if i % 8 > 0 { low } else { levels }).collect();
        let counts = Counts { levels, off_band: (off_band * counts.entries as f64) as u32, ..counts };
        advantage(counts, &ranges(&level))
    };
    let plain = counts_of(n, 9 * n, 0);
    let scattered = Counts { scattered: true, ..plain };
    let lines = Counts { has_lines: true, ..plain };
    let irregular = Counts { irregular: true, ..plain };
    let (narrow, wide) = (1000, 200);
    // By nested dissection, and where levels are wide, the more the more they are, except the last of them.
    for (low, levels) in [(100, narrow), (20, wide), (200, wide)] {
        for counts in [plain, scattered] {
            let parts = [0.0, 0.1, 0.2, 0.25, 0.9].map(|off_band| of(low, levels, off_band, counts).unwrap());
            assert_eq!(parts[0], TILED_FAVOUR);
            assert!(parts[..4].is_sorted_by(|a, b| a > b) && parts[3] < 0.8 && parts[4] == parts[3]);
        }
    }
    // In other orders, on grids, and by nodes.
    assert_eq!(of(narrow, narrow, 0.9, plain), Some(1.0));
    assert_eq!(of(20, wide, 0.9, lines), Some(TILED_FAVOUR));
    assert_eq!(of(20, wide, 0.9, Counts { scattered: true, ..lines }), Some(1.0));
    assert_eq!(of(20, wide, 0.9, Counts { node: 3, ..plain }), Some(1.0));
    // Of irregular ones hops take time where levels are narrow, and values where they are scattered.
    assert_eq!((of(20, wide, 0.9, irregular), of(20, narrow, 0.9, irregular)), (Some(TILED_FAVOUR), None));
    assert_eq!(of(20, wide, 0.9, Counts { scattered: true, ..irregular }), None);
}

#[test]
fn tiles_of_their_first_and_their_last_levels_must_promise_most() {
    // Two rows of three depend on none, and the others on those of the line before.
    let (n, line) = (1u32 << 19, 1000);
    let part = |third: u32| {
        let level: Vec<u32> = (0..n).map(|i| if i % 3 < third { 0 } else { 1 + i / line }).collect();
        advantage(counts_of(n, 3 * n, 1 + n.div_ceil(line)), &ranges(&level))
    };
    assert_eq!((part(2), part(0)), (None, Some(1.0)));
}

#[test]
fn wavefront_strips_are_tried_sooner_where_values_lie_scattered() {
    // 7-pt 128³ in reverse Cuthill-McKee order, transposed, where levels are ranges of rows; wavefront strips are planes.
    let n = 1u32 << 21;
    let planes: Vec<u32> = (0..n).map(|i| i % 128 + i / 128 % 128 + i / (128 * 128)).collect();
    let mut by_level = planes.clone();
    by_level.sort_unstable();
    let counts = Counts { scattered: true, squares: (9 * n as u64, 0), ..counts_of(n, 3 * n, 382) };
    let wavefront_strips = &mut || Ok(Some(ranges(&planes)));
    let chosen =
        decide(Tiles::IfFaster, 0, ranges(&by_level), counts, &mut || None, wavefront_strips).unwrap();
    assert_eq!((chosen.order, chosen.gathering), (Order::WavefrontStrips, Gathering::No));
}

#[test]
fn a_band_is_thin_and_a_dense_triangle_and_wide_levels_are_not() {
    // `--suite structures` and `extremes` have the first two, with these times of the others by the model.
    let chosen = |n: u32, entries, near, levels, micros| {
        let squares = ((entries as u64).pow(2) / n as u64, 0);
        let counts = Counts { squares, near, ..counts_of(n, entries, levels) };
        let other = Decision { predicted: Duration::from_micros(micros), ..Decision::default() };
        with_thin_end(other, counts, || Some(LastLevels { level: 0, rows: n })).form
    };
    assert_eq!(chosen(50_000, 1_500_000, 1_500_000, 50_000, 2700), Form::NarrowLevels);
    assert_eq!(chosen(1200, 719_400, 74_720, 1200, 99), Form::Rows);
    assert_eq!(chosen(262_144, 1_000_000, 260_000, 190, 80), Form::Rows);
    // A chain, whose tiles are faster in single precision.
    assert_eq!(chosen(200_000, 199_999, 199_999, 200_000, 6168), Form::NarrowLevels);
    let single = Counts { value_bytes: 4, ..counts_of(200_000, 199_999, 200_000) };
    let tiles = Decision { predicted: Duration::from_micros(5551), ..Decision::default() };
    assert_eq!(with_thin_end(tiles, single, || None), tiles);
    // Nobody asks for the end where none can be as fast.
    let counts = Counts { n: 262_144, levels: 45, entries: 523_000, node: 1, ..Counts::default() };
    let other = Decision { predicted: Duration::from_micros(22), ..Decision::default() };
    assert_eq!(with_thin_end(other, counts, || panic!("no end can be as fast")), other);
}

/// Both analyses make the same schedule where AUTO may take either: no order is asked for that only the GPU makes.
#[test]
fn small_systems_have_no_wavefront_strips() {
    let none = &mut || None;
    for n in (1025..2000).step_by(75) {
        let most = (SETUP_GPU_SMALLEST - SETUP_GPU_ROW * n as u64 - 1) as u32;
        for (entries, width) in [most, n / 2].into_iter().flat_map(|e| (1..9).map(move |w| (e, 1 << w))) {
            let levels = n.div_ceil(width);
            for level in [|i, width, _| i / width, |i, _, levels| i % levels] {
                let level: Vec<u32> = (0..n).map(|i| level(i, width, levels)).collect();
                for (wish, scattered) in
                    [(Tiles::Yes, true), (Tiles::IfFaster, false), (Tiles::IfFaster, true)]
                {
                    let counts = Counts { scattered, ..counts_of(n, entries, levels) };
                    let wavefront_strips = &mut || panic!("{n} rows, {entries} entries, {levels} levels");
                    decide(wish, TILED_LARGEST_FORWARDED, ranges(&level), counts, none, wavefront_strips)
                        .unwrap();
                }
            }
        }
    }
}

#[test]
fn many_columns_go_in_groups_where_levels_are_narrow() {
    let of = |counts: Counts, form: Form, right_hand_sides: i64, tile_columns: u32| {
        let needs = Needs { levels: true, right_hand_sides, tile_columns, ..Needs::default() };
        let mut asked =
            Asked { blocks_3d: &mut || None, wavefront_strips: &mut || Ok(None), last_levels: &mut || None };
        let features = Features::new(needs, counts, ranges(&[0]), &mut asked);
        let best = Decision::plain(form, Duration::from_micros(200));
        let chosen = Block.cost(&features, Some(best)).unwrap();
        assert!(chosen.is_none_or(|c| c.form == Form::ManyColumns));
        chosen.is_some()
    };
    let is_for_block = |counts, form, right_hand_sides| of(counts, form, right_hand_sides, 4);
    let tiles = Form::Tiles(Forwarding::No);
    // 5-pt 1024², and 7-pt 128³.
    let (narrow, wide) = (counts_of(1 << 20, 2 << 20, 2047), counts_of(1 << 21, 6 << 20, 382));
    assert!(!is_for_block(narrow, Form::Rows, MANY_COLUMNS - 1));
    assert!(is_for_block(narrow, Form::Rows, MANY_COLUMNS) && !is_for_block(narrow, tiles, MANY_COLUMNS));
    assert!(!is_for_block(wide, tiles, MANY_COLUMNS) && is_for_block(wide, tiles, 64));
    // A pass of tiles may have room for one column only.
    assert!(of(narrow, tiles, MANY_COLUMNS, 1) && !of(narrow, tiles, MANY_COLUMNS, 2));
    // Rows of more than two lanes have no groups in tiles, and nodes have.
    let shell = Counts { node: 5, ..counts_of(100_000, 300_000, 745) };
    assert!(is_for_block(shell.of_rows(), tiles, MANY_COLUMNS));
    assert!(!is_for_block(shell, Form::Nodes(5), MANY_COLUMNS));
}
