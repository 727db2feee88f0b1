//! Families: an order of the rows of a level in which those that wait for unknowns side by side lie side by side.
//!
//! The parent of a row is, of the unknowns of the level before its own that it depends on, the last one in solving order. A
//! family is what has descended from one row, its head, in the levels up to the next multiple of `FAMILY_LEVELS`, where
//! every row is the head of a family again. Rows of a level go by the places of their heads in their levels, and
//! ascend inside a family. So the parents of rows beside each other lie beside each other, but for one level of so many.
//!
//! A warp of the one-word engine then looks for the youngest unknowns of its rows in a few lines of the cache; in the order
//! of the rows' numbers these may lie anywhere in the level before. docs/performance.md says what that gains.
#![forbid(unsafe_code)]

use super::NONE;
use crate::tuning::{
    FAMILY_ENTRIES, FAMILY_FEW_LEVELS, FAMILY_LEVELS, FAMILY_LONG_ROW, FAMILY_NARROWEST, FAMILY_SMALLEST,
    FAMILY_WIDEST, FEW_LEVELS,
};

/// Whether rows should go by families: `entries` are those beside the diagonal. Where a pattern has lines the rows of a level
/// lie as they should already. In wide levels of short rows not the looks for unknowns decide, but how many lines of the
/// cache all else is in, which then is side by side no more. And a solve that is over soon has little to gain by what takes the
/// analysis some 80 microseconds.
pub fn are_worth_it(n: u32, entries: u32, levels: u32, has_lines: bool) -> bool {
    let width = n / levels.max(1);
    let rows_are_long = entries as u64 >= FAMILY_LONG_ROW * n as u64;
    let takes_long = levels >= FAMILY_FEW_LEVELS || entries >= FAMILY_ENTRIES;
    let fits = place_bits(levels) + level_bits(levels) < u32::BITS;
    !has_lines
        && n >= FAMILY_SMALLEST
        && takes_long
        && levels as usize > FEW_LEVELS
        && width >= FAMILY_NARROWEST
        && (width <= FAMILY_WIDEST || rows_are_long)
        && fits
}

fn level_bits(levels: u32) -> u32 {
    u32::BITS - levels.saturating_sub(1).leading_zeros()
}

/// Bits that tell where in its level a head is. A key is a level and these; that has 24 bits if so many are enough, as it is
/// sorted 8 by 8.
pub fn place_bits(levels: u32) -> u32 {
    24u32.saturating_sub(level_bits(levels)).max(12)
}

/// Puts the rows of each level, which ascend, in the order of their families. `level` is by unknown, `turn` an unknown's place in the
/// natural solving order, and `entries` are all dependencies, as (row, what it depends on).
pub fn arrange(
    by_level: &mut [u32],
    level_ptr: &[u32],
    level: &[u32],
    turn: impl Fn(u32) -> u32,
    entries: impl Iterator<Item = (u32, u32)>,
) {
    let mut parent = vec![NONE; by_level.len()];
    for (i, j) in entries {
        let own = level[i as usize];
        if level[j as usize] + 1 != own || own % FAMILY_LEVELS == 0 {
            continue;
        }
        let parent = &mut parent[i as usize];
        if *parent == NONE || turn(*parent) < turn(j) {
            *parent = j;
        }
    }
    let bits = place_bits(level_ptr.len() as u32 - 1);
    let mut place = vec![0; by_level.len()];
    for ends in level_ptr.windows(2) {
        let rows = &mut by_level[ends[0] as usize..ends[1] as usize];
        let count = rows.len() as u64;
        for (k, &i) in (0..).zip(rows.iter()) {
            place[i as usize] = match parent[i as usize] {
                NONE => ((k << bits) / count) as u32,
                parent => place[parent as usize],
            };
        }
        rows.sort_by_key(|&i| place[i as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels of a hundred rows, each of which depends on one of the level before, by a rule, and on one of those before that.
    #[test]
    fn parents_of_neighbours_are_neighbours() {
        let (width, levels) = (100u32, 50u32);
        let n = width * levels;
        let level: Vec<u32> = (0..n).map(|i| i / width).collect();
        let level_ptr: Vec<u32> = (0..=levels).map(|l| l * width).collect();
        let own = |i: u32| (i / width - 1) * width + i * 37 % width;
        let older = |i: u32| i / width / 2 * width + i * 11 % width;
        for forward in [true, false] {
            let entries = (width..n).map(|i| (i, own(i))).chain((3 * width..n).map(|i| (i, older(i))));
            let mut order: Vec<u32> = (0..n).collect();
            arrange(&mut order, &level_ptr, &level, |i| if forward { i } else { n - 1 - i }, entries);
            let mut position = vec![0; n as usize];
            (0..).zip(&order).for_each(|(p, &i)| position[i as usize] = p);
            for l in 0..levels {
                let rows = &order[(l * width) as usize..][..width as usize];
                assert!(rows.iter().all(|&i| level[i as usize] == l));
                let ascend = rows.is_sorted();
                let parents: Vec<u32> = match l {
                    0 => continue,
                    _ => rows.iter().map(|&i| position[own(i) as usize]).collect(),
                };
                // Each unknown has one child, so parents follow each other where rows are not heads.
                assert_eq!(parents.is_sorted(), l % FAMILY_LEVELS != 0, "level {l}");
                assert_eq!(ascend, l % FAMILY_LEVELS == 0, "level {l}");
            }
        }
    }

    #[test]
    fn the_last_of_several_in_solving_order_is_the_parent() {
        // Unknowns 0 and 1, and three rows, of which the first depends on both; a row without one is a head.
        let (level_ptr, level) = ([0, 2, 6], [0, 0, 1, 1, 1, 1]);
        let entries = [(2, 0), (2, 1), (3, 0), (4, 1), (5, 0)];
        let arranged = |forward: bool| {
            let mut order: Vec<u32> = (0..6).collect();
            let turn = |i: u32| if forward { i } else { 5 - i };
            arrange(&mut order, &level_ptr, &level, turn, entries.into_iter());
            order
        };
        assert_eq!(arranged(true), [0, 1, 3, 5, 2, 4]);
        assert_eq!(arranged(false), [0, 1, 2, 3, 5, 4]);
    }

    #[test]
    fn only_where_it_gains() {
        assert!(are_worth_it(1_228_045, 3_070_000, 1239, false));
        assert!(!are_worth_it(1_228_045, 3_070_000, 1239, true));
        // Wide levels, of short rows and of long ones; narrow ones; few; and a small system.
        assert!(!are_worth_it(2_000_000, 8_000_000, 59, false));
        assert!(are_worth_it(2_000_000, 26_000_000, 59, false));
        assert!(!are_worth_it(400_000, 2_000_000, 3000, false));
        assert!(!are_worth_it(100_000, 2_000_000, 24, false));
        assert!(!are_worth_it(30_000, 200_000, 60, false));
        assert!(!are_worth_it(160_000, 1_000_000, 33, false));
        // Keys of three digits, or of four.
        assert_eq!([2, 59, 1239, 4096, 4097, 1 << 20].map(place_bits), [23, 18, 13, 12, 12, 12]);
    }
}
