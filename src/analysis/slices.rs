//! Slices: rows that one warp solves at a time, none of which depends on another.
//!
//! A group of independent rows (a level, or the part of a level in a tile) is cut into chunks of 32 rows.
//! The longest row of a chunk decides how many lanes a row gets there, and the chunk is cut again into
//! slices of as many rows as 32 lanes then serve. So one long row widens only its own chunk. A row that is longer than
//! what 32 lanes hold is solved in parts, each of which is a slice before the row's own.
#![forbid(unsafe_code)]

use super::shared::schedule::{self, GATE_SHIFT, PART};
use crate::error::{Error, Result};
use crate::tuning::{GATE_ENTRIES, GATE_LEVELS, NEAR_GATE_LANES, NEAR_GATE_LEVELS};

pub const LANES: u32 = 32;

/// `[first position, rows | lanes of a row << 6 | positions back to the slice's gate << GATE_SHIFT]`; no positions back,
/// no gate. A part of a row is `[position, PART | 32 << 6 | number << GATE_SHIFT]`, the number counted from the row's own
/// share of entries, which are those that depend on the unknowns solved last.
pub type Slice = [u32; 2];

/// Refuses a row of so many parts, if their numbers do not fit into a slice.
pub fn must_number(parts: u32) -> Result<()> {
    match parts.saturating_sub(1) >> (u32::BITS - GATE_SHIFT) {
        0 => Ok(()),
        _ => Err(Error::Unsupported(format!("a row of {parts} parts, by an algorithm that cuts long rows"))),
    }
}

/// How an engine wants positions cut into slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Not at all.
    None,
    /// Level by level, with another lane for every `entries` entries of a row. Rows may be nodes: an entry then
    /// counts for each of its unknowns, and a node has at least as many lanes as unknowns. Where
    /// `names_rows`, dependencies are named by rows, not by positions, and it is wanted where each level begins. The end that one
    /// cluster solves is found by its rows or else by its slices.
    Levels { entries: u32, node: u32, names_rows: bool, end_by_rows: bool },
    /// Into the batches of the tiled engine, with another lane for every `entries` entries of a row. Rows look
    /// back over `reach` positions of their tile in a window.
    Tiles { entries: u32, window: u32, reach: u32 },
}

/// The codes of a batch of TILED begin at a multiple of it.
pub const CODE_UNIT: usize = schedule::CODE_UNIT as usize;

/// Past the codes of a batch: by its rows and log2(lanes of a row), its first code, and the most entries of a lane.
pub fn codes_end(batch: &[u32]) -> usize {
    let lanes = (batch[1] & 63) << (batch[1] >> 6 & 7);
    batch[2] as usize * CODE_UNIT + (batch[3] as usize * lanes as usize).next_multiple_of(CODE_UNIT)
}

/// The most parts that so many entries are cut into, where a lane takes so many of them, and so the words for
/// their sums.
pub fn most_parts(all_entries: u32, entries: u32) -> u32 {
    all_entries / (entries * LANES)
}

/// The parts of a row of so many entries, beside its own share of them.
fn parts(row_entries: u32, entries: u32) -> u32 {
    row_entries.saturating_sub(1) / (entries * LANES)
}

/// Whether a slice is a part of a row.
pub fn is_part(slice: &Slice) -> bool {
    slice[1] & 63 == PART
}

/// Appends the slices of the group `begin..end`; `lanes(p)` is how many lanes the row at `p` wants.
pub fn cut(begin: u32, end: u32, lanes: impl Fn(u32) -> u32, slices: &mut Vec<Slice>) {
    let mut chunk = begin;
    while chunk < end {
        let stop = end.min(chunk + LANES);
        let widest = (chunk..stop).map(&lanes).max().unwrap_or(1);
        let share = widest.clamp(1, LANES).next_power_of_two();
        let mut first = chunk;
        while first < stop {
            let rows = (LANES / share).min(stop - first);
            slices.push([first, rows | share << 6]);
            first += rows;
        }
        chunk = stop;
    }
}

/// The slices of every level, where another lane joins in for every `entries` entries of a row of `node` unknowns. Only
/// rows of one unknown have parts. The gate of a slice whose rows have several lanes, or `GATE_ENTRIES` on average, is
/// the first unknown of the level `GATE_LEVELS` before its own, or of a nearer one where levels are wide; the nodal
/// engine takes from it how wide levels are, and waits nearer (kernels/nodal/nodal.cuh).
pub fn of_levels(level_ptr: &[u32], row_ptr: &[u32], entries: u32, node: u32) -> Result<Vec<Slice>> {
    let lanes = |p: u32| ((row_ptr[p as usize + 1] - row_ptr[p as usize]) * node).div_ceil(entries).max(node);
    let (mut all, mut of_level) = (Vec::new(), Vec::new());
    for (l, level) in level_ptr.windows(2).enumerate() {
        of_level.clear();
        cut(level[0], level[1], lanes, &mut of_level);
        // The polls of short rows are few, and their gate another wait.
        let has_gate = |slice: &Slice| {
            let (first, rows) = (slice[0] as usize, slice[1] & 63);
            slice[1] >> 6 > 1 || row_ptr[first + rows as usize] - row_ptr[first] >= GATE_ENTRIES * rows
        };
        let [far, near] =
            [GATE_LEVELS, NEAR_GATE_LEVELS].map(|levels| Some(level_ptr[l.checked_sub(levels as usize)?]));
        for slice in of_level.iter_mut().filter(|slice| has_gate(slice)) {
            let back_to = |gate: Option<u32>| gate.map(|gate| slice[0] - gate);
            let lanes = (slice[1] >> 6) as u64;
            let near = back_to(near).filter(|&back| back as u64 * lanes >= NEAR_GATE_LANES.into());
            if let Some(back) = near.or(back_to(far)).filter(|&back| back < 1 << (u32::BITS - GATE_SHIFT)) {
                slice[1] |= back << GATE_SHIFT;
            }
        }
        for &slice in &of_level {
            let p = slice[0] as usize;
            let parts = if node == 1 { parts(row_ptr[p + 1] - row_ptr[p], entries) } else { 0 };
            must_number(parts)?;
            all.extend((0..parts).rev().map(|k| [slice[0], PART | LANES << 6 | k << GATE_SHIFT]));
            all.push(slice);
        }
    }
    Ok(all)
}

/// The first slice of each level, and past the last.
pub fn steps(level_ptr: &[u32], slices: &[Slice]) -> Vec<u32> {
    level_ptr.iter().map(|&begin| slices.partition_point(|slice| slice[0] < begin) as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::running_sum;

    #[test]
    fn levels_begin_with_slices_or_parts_of_rows() {
        let row_ptr = [0, 3, 303, 306, 309, 909];
        let level_ptr = [0, 1, 4, 5];
        let slices = of_levels(&level_ptr, &row_ptr, 8, 1).unwrap();
        let steps = steps(&level_ptr, &slices);
        assert_eq!(steps.len(), level_ptr.len());
        assert_eq!((steps[0], steps[3] as usize), (0, slices.len()));
        for (level, step) in level_ptr.windows(2).zip(steps.windows(2)) {
            let of_level = &slices[step[0] as usize..step[1] as usize];
            assert!(!of_level.is_empty());
            assert!(of_level.iter().all(|slice| (level[0]..level[1]).contains(&slice[0])));
        }
        assert!(is_part(&slices[steps[1] as usize]) && is_part(&slices[steps[2] as usize]));
    }

    #[test]
    fn slices_of_all_but_short_rows_have_gates() {
        // Narrow and wide levels, whose rows have 20 entries in every other one, and few in the rest.
        let several = (20, 40, GATE_LEVELS);
        let wide = (20, 600, NEAR_GATE_LEVELS);
        let single = (GATE_ENTRIES, 40, GATE_LEVELS);
        for (entries, rows, levels_back) in [several, wide, single] {
            let level_ptr: Vec<u32> = (0..=24).map(|l| rows * l).collect();
            let mut row_ptr = vec![0];
            for p in 0..24 * rows as usize {
                let is_long = p as u32 / rows % 2 == 0;
                row_ptr.push(row_ptr[p] + if is_long { entries } else { GATE_ENTRIES - 1 });
            }
            let slices = of_levels(&level_ptr, &row_ptr, 8, 1).unwrap();
            assert!(slices.iter().any(|s| s[1] >> GATE_SHIFT > 0));
            for [first, packed] in slices {
                let (lanes, back, level) = (packed >> 6 & 63, packed >> GATE_SHIFT, first / rows);
                let is_long = level % 2 == 0;
                assert_eq!(lanes, if is_long { entries.div_ceil(8).next_power_of_two() } else { 1 });
                let gate = level.checked_sub(levels_back).filter(|_| is_long);
                assert_eq!(back, gate.map_or(0, |gate| first - rows * gate));
            }
        }
    }

    #[test]
    fn long_rows_have_parts_before_them() {
        let lengths = [3, 256, 257, 5, 513, 70_000];
        let row_ptr = running_sum(&lengths);
        let slices = of_levels(&[0, 2, 6], &row_ptr, 8, 1).unwrap();
        let parts = |p: u32| slices.iter().filter(|s| s[0] == p && is_part(s)).count();
        assert_eq!([0, 1, 2, 3, 4, 5].map(parts), [0, 0, 1, 0, 2, 273]);
        assert_eq!(slices.len(), 6 + 276);
        assert!(most_parts(row_ptr[6], 8) >= 276);
        let of_fourth: Vec<Slice> = slices.iter().copied().filter(|s| s[0] == 4).collect();
        assert_eq!(of_fourth, [[4, PART | 32 << 6 | 1 << 12], [4, PART | 32 << 6], [4, 1 | 32 << 6]]);
        // Nodes have none.
        assert_eq!(of_levels(&[0, 2, 6], &row_ptr, 8, 2).unwrap().len(), 6);
    }

    #[test]
    fn slices_cover_a_group_once_and_fit_a_warp() {
        let lanes = |p: u32| if p % 97 == 0 { 31 } else { p % 3 };
        let mut slices = Vec::new();
        cut(5, 505, lanes, &mut slices);
        let mut next = 5;
        for [first, packed] in slices {
            let (rows, share) = (packed & 63, packed >> 6);
            assert_eq!(first, next);
            assert!(rows >= 1 && rows * share <= 32 && share.is_power_of_two());
            assert!((first..first + rows).all(|p| lanes(p) <= share));
            next += rows;
        }
        assert_eq!(next, 505);
    }

    #[test]
    fn a_row_of_more_parts_than_have_numbers_is_refused() {
        // 256 entries of a row are its own share, and as many are each part.
        let longest = 256 * ((1 << 20) + 1);
        assert_eq!(of_levels(&[0, 1], &[0, longest], 8, 1).unwrap().len(), (1 << 20) + 1);
        assert!(matches!(of_levels(&[0, 1], &[0, longest + 1], 8, 1), Err(Error::Unsupported(_))));
    }
}
