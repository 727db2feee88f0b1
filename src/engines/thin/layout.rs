//! The thin end: the levels at the end of a matrix, or all of them, that have so few rows that the thin engine, which takes 32
//! positions at a time, is faster than rows by level.
#![forbid(unsafe_code)]

use super::tuning::{THIN_LEVEL, THIN_ROW, THIN_SPLIT};
use crate::analysis::work_items::WorkItem;
use crate::select::features::LastLevels;
use crate::tuning::END_GAIN;

/// The last levels for which THIN gains most compared with rows by level. `node` is the number of unknowns of a node, or 1 for rows.
/// Each level gains the same time, each row takes some of it away, and so does the second launch. None where no end gains.
pub fn best(level_ptr: &[u32], node: u32) -> Option<LastLevels> {
    let (levels, n) = (level_ptr.len() - 1, *level_ptr.last().expect("not empty"));
    let (mut most, mut best) = (0, None);
    for (level, begin) in level_ptr[..levels].iter().enumerate().rev() {
        let launch = if level == 0 { 0 } else { THIN_SPLIT };
        let of_levels = THIN_LEVEL * (levels - level) as i64 - THIN_ROW * (n - begin) as i64;
        let gain = (node as i64 * of_levels - launch) / END_GAIN;
        if gain > most {
            (most, best) = (gain, Some(LastLevels { level: level as u32, rows: n - begin }));
        }
    }
    best
}

/// With which work item an end begins.
pub fn first_work_item(end: LastLevels, level_ptr: &[u32], work_items: &[WorkItem]) -> u32 {
    work_items.partition_point(|work_item| work_item[0] < level_ptr[end.level as usize]) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::running_sum;

    fn end(widths: &[u32]) -> Option<LastLevels> {
        best(&running_sum(widths), 1)
    }

    #[test]
    fn a_thin_end_begins_where_levels_have_few_rows() {
        // Behind wide levels; from the first one on; not at the end; and nowhere.
        let some = |level, rows| Some(LastLevels { level, rows });
        assert_eq!(end(&[[5000; 10].as_slice(), &[1; 300]].concat()), some(10, 300));
        assert_eq!(end(&[2; 300]), some(0, 600));
        assert_eq!(end(&[[1; 300].as_slice(), &[100; 10]].concat()), some(0, 1300));
        assert_eq!(end(&[5000; 3]), None);
    }
}
