//! The narrow end: the levels at the end of a matrix that one cluster of blocks solves faster than all blocks do.
#![forbid(unsafe_code)]

use super::tuning::{NARROW_LAUNCH, NARROW_LEVEL, NARROW_SPLIT, NARROW_WORK_ITEM};
use crate::analysis::work_items::WorkItem;
use crate::tuning::END_GAIN;

/// The first work item of the narrow end: the last levels, where one cluster of blocks solves them faster than all blocks do.
/// Each level gains the same, each work item takes some of it away, and so does the launch; the end that gains most is it.
pub fn narrow_end(level_ptr: &[u32], work_items: &[WorkItem]) -> Option<u32> {
    let (mut most, mut best) = (0, None);
    let mut first = work_items.len();
    for (k, &begin) in level_ptr.iter().rev().skip(1).enumerate() {
        while first > 0 && work_items[first - 1][0] >= begin {
            first -= 1;
        }
        let launch = if first == 0 { NARROW_LAUNCH } else { NARROW_SPLIT };
        let gain =
            NARROW_LEVEL * (k as i64 + 1) - NARROW_WORK_ITEM * (work_items.len() - first) as i64 - launch;
        let gain = gain / END_GAIN;
        if gain > most {
            (most, best) = (gain, Some(first as u32));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::running_sum;
    use crate::analysis::work_items::of_levels;

    #[test]
    fn a_narrow_end_begins_where_levels_become_narrow() {
        let end = |widths: &[u32]| {
            let level_ptr = running_sum(widths);
            let rows = *level_ptr.last().unwrap();
            let work_items =
                of_levels(&level_ptr, &(0..=rows).map(|p| 3 * p).collect::<Vec<_>>(), 8, 1).unwrap();
            narrow_end(&level_ptr, &work_items).map(|s| work_items[s as usize][0])
        };
        // Wide, then narrow; narrow from the beginning; wide again at the end; too few narrow ones.
        assert_eq!(end(&[[5000; 10].as_slice(), &[20; 300]].concat()), Some(50_000));
        assert_eq!(end(&[20; 300]), Some(0));
        assert_eq!(end(&[[20; 300].as_slice(), &[5000; 10]].concat()), Some(0));
        assert_eq!(end(&[[20; 300].as_slice(), &[50_000; 10]].concat()), None);
        assert_eq!(end(&[[5000; 10].as_slice(), &[20; 40]].concat()), None);
        assert_eq!(end(&[20; 40]), Some(0));
        assert_eq!(end(&[]), None);
    }
}
