//! One pass over the stored pattern, and the passes that build on it. A stored row or column is called a *major* here, whichever of
//! the two it is.
#![forbid(unsafe_code)]

use std::cell::OnceCell;
use std::ops::Range;

use crate::analysis::lines::Grid;
use crate::analysis::{blocks_3d, running_sum, Lists, Pattern, Values, NONE};
use crate::problem::{DiagSource, Shape};
use crate::select::features;
use crate::tuning::NEAR;

/// What one pass over the stored pattern finds, and the passes that build on it.
pub struct Survey<'a> {
    pub shape: &'a Shape,
    pub pattern: &'a Pattern,
    pub n: u32,
    pub low: bool,
    /// Off-diagonal entries of the triangle: in each major, and in all.
    pub lengths: Vec<u32>,
    pub entries: u32,
    /// The storage from the first to past the last of them; both the major's start where it has none.
    pub first: Vec<u32>,
    pub end: Vec<u32>,
    /// Whether those entries are consecutive in every major.
    pub consecutive: bool,
    /// Of each unknown, where the diagonal is the matrix's own.
    pub diag: Vec<u32>,
    pub extra_diag: usize,
    pub missing_diag: Option<u32>,
    /// Of those entries, how many are of an unknown beside the major's own.
    pub next_to_diagonal: u32,
    /// Near entries, and off-band ones.
    pub near: u32,
    pub off_band: u32,
    /// The level of each unknown, where the transposed problem has told.
    pub known_levels: Option<Vec<u32>>,
    /// How many entries of the triangle have each index, once that has been asked for.
    minor_lengths: OnceCell<Vec<u32>>,
}

impl<'a> Survey<'a> {
    pub fn new(shape: &'a Shape, pattern: &'a Pattern, node: u32) -> Self {
        let n = shape.n;
        let low = shape.keeps_low();
        let own_diag = shape.diag == DiagSource::Matrix;
        let mut survey = Survey {
            shape,
            pattern,
            n,
            low,
            lengths: Vec::with_capacity(n as usize),
            entries: 0,
            first: Vec::with_capacity(n as usize),
            end: Vec::with_capacity(n as usize),
            consecutive: true,
            diag: Vec::with_capacity(if own_diag { n as usize } else { 0 }),
            extra_diag: 0,
            missing_diag: None,
            next_to_diagonal: 0,
            near: 0,
            off_band: 0,
            known_levels: None,
            minor_lengths: OnceCell::new(),
        };
        let off_band = features::off_band_from(n);
        for i in 0..n {
            let (start, stop) = (pattern.ptr[i as usize], pattern.ptr[i as usize + 1]);
            let (mut first, mut end, mut length) = (start, start, 0);
            let (mut diag, mut diags) = (NONE, 0);
            for (e, &j) in (start..stop).zip(&pattern.ind[start as usize..stop as usize]) {
                if j == i {
                    if diags == 0 {
                        diag = e;
                    }
                    diags += 1;
                } else if (j < i) == low {
                    if length == 0 {
                        first = e;
                    }
                    length += 1;
                    end = e + 1;
                    survey.next_to_diagonal += (j.abs_diff(i) == 1) as u32;
                    survey.near += (j.abs_diff(i) <= NEAR / node) as u32;
                    survey.off_band += (j.abs_diff(i) > off_band) as u32;
                }
            }
            survey.first.push(first);
            survey.end.push(end);
            survey.lengths.push(length);
            survey.entries += length;
            survey.consecutive &= end - first == length;
            if own_diag {
                survey.diag.push(diag);
                survey.extra_diag += usize::saturating_sub(diags, 1);
                if diags == 0 && survey.missing_diag.is_none() {
                    survey.missing_diag = Some(i);
                }
            }
        }
        survey
    }

    /// The off-diagonal entries of the triangle in major `i`, in storage order: where, and which index.
    #[inline(always)]
    pub fn entries_of(&self, i: u32) -> impl Iterator<Item = (u32, u32)> + use<'_> {
        let low = self.low;
        let span: Range<u32> = self.first[i as usize]..self.end[i as usize];
        let ind = &self.pattern.ind[span.start as usize..span.end as usize];
        span.zip(ind).map(|(e, &j)| (e, j)).filter(move |&(_, j)| if low { j < i } else { j > i })
    }

    /// The level of each unknown, from 0, by the paper's row-wise or column-wise loop: whichever fits how the matrix is
    /// stored. Long rows that no row depends on are of the last level, so that none that others wait for shares a level
    /// with them.
    pub(super) fn levels(&self) -> Vec<u32> {
        let mut level = self.known_levels.clone().unwrap_or_else(|| self.earliest_levels());
        self.raise_long_rows(&mut level);
        level
    }

    fn earliest_levels(&self) -> Vec<u32> {
        let mut level = vec![0u32; self.n as usize];
        let by_rows = self.shape.rows_are_stored();
        let mut visit = |i: u32| {
            if by_rows {
                let deepest = self.entries_of(i).map(|(_, j)| level[j as usize] + 1).max();
                level[i as usize] = deepest.unwrap_or(0);
            } else {
                let next = level[i as usize] + 1;
                for (_, j) in self.entries_of(i) {
                    level[j as usize] = level[j as usize].max(next);
                }
            }
        };
        if self.shape.forward() {
            (0..self.n).for_each(&mut visit);
        } else {
            (0..self.n).rev().for_each(&mut visit);
        }
        level
    }

    fn raise_long_rows(&self, level: &mut [u32]) {
        let longest = features::longest_usual(self.n, self.entries);
        let lengths = self.lengths_of_rows();
        let mut is_raised: Vec<bool> = lengths.iter().map(|&length| length > longest).collect();
        if !is_raised.contains(&true) {
            return;
        }
        self.dependencies().for_each(|(_, needed)| is_raised[needed as usize] = false);
        let last = level.iter().max().copied().unwrap_or(0);
        let raised = level.iter_mut().zip(is_raised).filter(|(_, is_raised)| *is_raised);
        raised.for_each(|(level, _)| *level = last);
    }

    /// The position of an unknown in the natural order; and the unknown at a position.
    #[inline(always)]
    pub fn natural_position(&self, i: u32) -> u32 {
        match self.shape.forward() {
            true => i,
            false => self.n - 1 - i,
        }
    }

    /// By how many lines for each plane 3-D blocks of a grid must be skewed; 0 where there are no planes.
    pub fn skew(&self, grid: Grid) -> u32 {
        if grid.plane == 0 {
            return 0;
        }
        // An entry and its transpose are as far apart, in the same direction.
        let position = |i: u32| if self.low { i } else { self.n - 1 - i };
        let entries =
            (0..self.n).flat_map(|i| self.entries_of(i).map(move |(_, j)| (position(i), position(j))));
        blocks_3d::skew(grid, entries)
    }

    /// How far the nearest entry of the triangle is from the diagonal in a major, counted from that end of the majors that
    /// has fewer.
    pub(super) fn nearest(&self, from_end: u32) -> u32 {
        let i = if self.low { from_end } else { self.n - 1 - from_end };
        self.entries_of(i).map(|(_, j)| j.abs_diff(i)).min().unwrap_or(NONE)
    }

    /// All dependencies, as (row of op(A), what it depends on).
    pub fn dependencies(&self) -> impl Iterator<Item = (u32, u32)> + use<'_> {
        let by_rows = self.shape.rows_are_stored();
        let entries = (0..self.n).flat_map(|i| self.entries_of(i).map(move |(_, j)| (i, j)));
        entries.map(move |(i, j)| if by_rows { (i, j) } else { (j, i) })
    }

    /// Of the numbers of entries of the rows of op(A), the sum of their squares, and of those of long rows.
    pub(super) fn squares(&self) -> (u64, u64) {
        features::squares(self.lengths_of_rows(), self.entries)
    }

    /// Entries of each row of op(A).
    fn lengths_of_rows(&self) -> &[u32] {
        if self.shape.rows_are_stored() {
            return &self.lengths;
        }
        self.minor_lengths.get_or_init(|| {
            let natural: Vec<u32> = (0..self.n).collect();
            self.minor_counts(&natural)
        })
    }

    /// How many entries of the triangle have each index, by its position.
    pub(super) fn minor_counts(&self, position: &[u32]) -> Vec<u32> {
        let mut counts = vec![0; self.n as usize];
        for i in 0..self.n {
            for (_, j) in self.entries_of(i) {
                counts[position[j as usize] as usize] += 1;
            }
        }
        counts
    }

    /// The majors' lists. Where a major is empty its first value index is where it begins in storage.
    pub(super) fn stored(&self, order: &[u32], position: &[u32], with_values: bool) -> Lists {
        let permuted = with_values && !self.consecutive;
        let mut ptr = Vec::with_capacity(order.len() + 1);
        let mut adj = Vec::with_capacity(self.entries as usize);
        let mut index = Vec::with_capacity(if permuted { self.entries as usize } else { 0 });
        ptr.push(0);
        for &i in order {
            if self.consecutive {
                // Nothing to leave out: a copy of known length is faster.
                let span = self.first[i as usize] as usize..self.end[i as usize] as usize;
                adj.extend(self.pattern.ind[span].iter().map(|&j| position[j as usize]));
            } else {
                adj.extend(self.entries_of(i).map(|(_, j)| position[j as usize]));
            }
            if permuted {
                index.extend(self.entries_of(i).map(|(e, _)| e));
            }
            ptr.push(adj.len() as u32);
        }
        let values = match (with_values, permuted) {
            (false, _) => None,
            (true, true) => Some(Values::Permuted(index)),
            (true, false) => {
                Some(Values::Contiguous(order.iter().map(|&i| self.first[i as usize]).collect()))
            }
        };
        Lists { ptr, adj, values }
    }

    /// The lists across the majors, each by rising major. `counts` is how long each is.
    pub(super) fn transposed(&self, counts: &[u32], position: &[u32], with_values: bool) -> Lists {
        let entries = self.entries as usize;
        let mut adj = vec![0; entries];
        let mut index = vec![0; if with_values { entries } else { 0 }];
        let mut ptr = running_sum(counts);
        for i in 0..self.n {
            let p = position[i as usize];
            for (e, j) in self.entries_of(i) {
                let next = &mut ptr[position[j as usize] as usize];
                let slot = *next as usize;
                *next += 1;
                adj[slot] = p;
                if with_values {
                    index[slot] = e;
                }
            }
        }
        shift_back(&mut ptr);
        Lists { ptr, adj, values: with_values.then_some(Values::Permuted(index)) }
    }

    /// The diagonal's value indices by position, and the second and further ones.
    pub(super) fn diagonal(&self, order: &[u32]) -> (Vec<u32>, Vec<[u32; 2]>) {
        if self.shape.diag != DiagSource::Matrix {
            return (Vec::new(), Vec::new());
        }
        let diag = order.iter().map(|&i| self.diag[i as usize]).collect();
        let mut extra = Vec::with_capacity(self.extra_diag);
        if self.extra_diag > 0 {
            for (p, &i) in (0..).zip(order) {
                let stop = self.pattern.ptr[i as usize + 1];
                let later = self.diag[i as usize].saturating_add(1)..stop;
                extra.extend(later.filter(|&e| self.pattern.ind[e as usize] == i).map(|e| [p, e]));
            }
        }
        (diag, extra)
    }
}

/// Makes starts of groups again from the starts that filling the groups has moved to their ends.
pub(super) fn shift_back(ptr: &mut [u32]) {
    let groups = ptr.len() - 1;
    ptr.copy_within(..groups, 1);
    ptr[0] = 0;
}
