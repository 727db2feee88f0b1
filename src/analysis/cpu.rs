//! Analysis on the CPU: the paper's setup phase LEV_CPU with both of its loops, the dependency counts,
//! and the transposition of the pattern.
//!
//! Every pass is linear in rows and entries and touches flat arrays only: it has to serve a hundred
//! million entries. A stored row or column is called a *major* here, whichever of the two it is.
#![forbid(unsafe_code)]

use std::ops::Range;
use std::time::{Duration, Instant};

use super::boxes::{self, Boxes};
use super::choice::{self, Order, Staging};
use super::lines::{self, Grid};
use super::thin::{self, ThinEnd};
use super::{
    families, model, nodes, ranges, strewn, strips, Engine, Lists, Needs, Panels, Pattern, Relays, Schedule,
    Tiles, Values, NONE,
};
use crate::error::{Error, Result};
use crate::problem::{DiagSource, Shape};

/// Time spent in the paper's setup operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Reading the pattern and building the lists (TRANS).
    pub trans: Duration,
    /// Counting dependencies (DEP).
    pub dep: Duration,
    /// Levels and the order by level (LEV).
    pub lev: Duration,
}

/// Adds the time that `work` takes to `total`.
pub fn timed<R>(total: &mut Duration, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = work();
    *total += start.elapsed();
    result
}

/// Checks a pattern as the caller stores it and makes it zero-based and 32-bit. `ptr` has n + 1 entries
/// (or none where n = 0) and `ind` nnz; whatever they hold, nothing outside them is read.
pub fn validate<P, I>(shape: &Shape, ptr: &[P], ind: &[I]) -> Result<Pattern>
where
    P: Copy + Into<i64>,
    I: Copy + Into<i64>,
{
    let ptr = offsets(shape, ptr)?;
    let ind = indices(shape, &ptr, ind)?;
    Ok(Pattern { ptr, ind })
}

/// The offsets of a pattern, zero-based. They say how many indices there are; only where that is nnz may indices be read.
pub fn offsets<P: Copy + Into<i64>>(shape: &Shape, ptr: &[P]) -> Result<Vec<u32>> {
    let (n, nnz, base) = (shape.n as usize, shape.nnz as usize, shape.base());
    if ptr.len() != n + 1 && !(n == 0 && ptr.is_empty()) {
        return Err(Error::Invalid(format!("{} offsets do not fit a matrix with m = {n}", ptr.len())));
    }
    // A number below the base wraps around to one that is far too large.
    let mut rises = true;
    let mut previous = 0;
    let mut offsets = Vec::with_capacity(n + 1);
    for &offset in ptr {
        let offset = offset.into().wrapping_sub(base) as u64;
        rises &= previous <= offset;
        previous = offset;
        offsets.push(offset as u32);
    }
    if offsets.is_empty() {
        offsets.push(0);
    }
    if rises && offsets[0] == 0 && previous == nnz as u64 {
        return Ok(offsets);
    }
    Err(first_bad_offset(shape, ptr))
}

/// The indices of a pattern with these offsets, zero-based.
pub fn indices<I: Copy + Into<i64>>(shape: &Shape, offsets: &[u32], ind: &[I]) -> Result<Vec<u32>> {
    let (n, nnz, base) = (i64::from(shape.n), shape.nnz as usize, shape.base());
    if ind.len() != nnz {
        return Err(Error::Invalid(format!("{} indices do not fit a matrix with nnz = {nnz}", ind.len())));
    }
    // The largest number says whether all were in range, as one below the base wraps around.
    let mut largest = 0;
    let indices: Vec<u32> = ind
        .iter()
        .map(|&index| {
            let index = index.into().wrapping_sub(base) as u64;
            largest = largest.max(index);
            index as u32
        })
        .collect();
    if nnz == 0 || largest < n as u64 {
        return Ok(indices);
    }
    let is_bad = |index: i64| !(base..n + base).contains(&index);
    let at = ind.iter().position(|&index| is_bad(index.into())).expect("one is out of range");
    let row = offsets.partition_point(|&begin| begin as usize <= at) as i64 - 1;
    let (index, last): (i64, i64) = (ind[at].into(), n - 1 + base);
    let other = if shape.major() == "row" { "column" } else { "row" };
    Err(fault(shape, row, format!("{other} index {index} is outside {base} to {last}")))
}

fn fault(shape: &Shape, row: i64, why: String) -> Error {
    Error::Malformed { major: shape.major(), row: row + shape.base(), why }
}

/// The first bad row of offsets that are known to have one.
fn first_bad_offset<P: Copy + Into<i64>>(shape: &Shape, ptr: &[P]) -> Error {
    let (n, nnz, base) = (i64::from(shape.n), i64::from(shape.nnz), shape.base());
    let mut begin = base;
    for (row, &offset) in (-1..).zip(ptr) {
        let end: i64 = offset.into();
        if row < 0 && end != base {
            return fault(shape, 0, format!("the first offset is {end}, but the index base is {base}"));
        }
        if end < begin {
            return fault(shape, row, format!("its offsets fall from {begin} to {end}"));
        }
        if end > nnz + base {
            return fault(
                shape,
                row,
                format!("it ends at offset {end}, but nnz is {nnz} with index base {base}"),
            );
        }
        begin = end;
    }
    let why = format!("the last offset is {begin}, but nnz is {nnz} with index base {base}");
    fault(shape, (n - 1).max(0), why)
}

/// Builds the normal form of a problem: exactly what `needs` asks for. Deterministic.
pub fn schedule(shape: &Shape, pattern: &Pattern, needs: Needs) -> (Schedule, Times) {
    schedule_by(shape, pattern, needs, None)
}

/// The level of each unknown in the transposed problem, by the schedule of the problem: what is solved last there is
/// solved first here. As many levels, though an unknown may come later than it could. None where the schedule has
/// none, or has those of nodes.
pub fn transposed_levels(schedule: &Schedule) -> Option<Vec<u32>> {
    if schedule.nodes.is_some() {
        return None;
    }
    let last = schedule.levels().checked_sub(1)? as u32;
    let mut levels = vec![0; schedule.n as usize];
    let mut set = |p: usize, level: u32| levels[schedule.order[p] as usize] = last - level;
    if schedule.level.is_empty() {
        for (level, ends) in (0..).zip(schedule.level_ptr.windows(2)) {
            (ends[0]..ends[1]).for_each(|p| set(p as usize, level));
        }
    } else {
        // With tiles levels are not consecutive positions.
        schedule.level.iter().enumerate().for_each(|(p, &level)| set(p, level));
    }
    Some(levels)
}

/// The same as `schedule` with these levels, if some are given, in place of the earliest possible ones.
pub fn schedule_by(
    shape: &Shape,
    pattern: &Pattern,
    needs: Needs,
    levels: Option<Vec<u32>>,
) -> (Schedule, Times) {
    let mut times = Times::default();
    let mut survey = timed(&mut times.trans, || Survey::new(shape, pattern));
    survey.known_levels = levels;
    if needs.nodes {
        if let Some(schedule) = by_nodes(&survey, needs, &mut times) {
            return (schedule, times);
        }
    }
    let schedule = by_rows(&survey, needs, 1, &mut times).expect("rows are what is left");
    (schedule, times)
}

/// The schedule of the pattern's nodes, if it has any and tiles of rows are not faster.
fn by_nodes(survey: &Survey, needs: Needs, times: &mut Times) -> Option<Schedule> {
    if !survey.consecutive || survey.extra_diag > 0 {
        return None;
    }
    let Survey { low, ref first, ref kept, ref diag, shape, .. } = *survey;
    let majors = nodes::Majors { low, first, kept, diag, ind: &survey.pattern.ind };
    let (size, pattern) = timed(&mut times.trans, || majors.size().map(|size| (size, majors.pattern(size))))?;
    let node_shape = nodes::shape(shape, pattern.ind.len() as u32, size);
    let of_nodes = timed(&mut times.trans, || Survey::new(&node_shape, &pattern));
    let mut schedule = by_rows(&of_nodes, needs, size, times)?;
    schedule.nodes = Some(timed(&mut times.trans, || majors.rows(&pattern, &schedule, size, shape.diag)));
    (schedule.entries, schedule.missing_diag) = (survey.entries, survey.missing_diag);
    Some(schedule)
}

/// The schedule of rows, or of nodes in their place. None for nodes whose rows are faster in tiles.
fn by_rows(survey: &Survey, needs: Needs, node: u32, times: &mut Times) -> Option<Schedule> {
    let (n, shape) = (survey.n, survey.shape);
    let (mut tile_ptr, mut relays, mut wide_tiles, mut level, mut predicted) =
        (Vec::new(), Relays::No, false, Vec::new(), Duration::ZERO);
    let (mut is_wide, mut is_thin, mut staging) = (false, false, Staging::No);
    let (level_ptr, order) = timed(&mut times.lev, || {
        if needs.tiles != Tiles::No || needs.nodes {
            let by_unknown = survey.levels();
            let (level_ptr, by_level) = by_level(&by_unknown);
            let natural = |i: u32| if shape.forward() { i } else { n - 1 - i };
            let by_turn = |turn: &dyn Fn(u32) -> u32| {
                let mut by_turn = vec![0; n as usize];
                for (i, &level) in (0..).zip(&by_unknown) {
                    by_turn[turn(i) as usize] = level;
                }
                by_turn
            };
            let in_turn = by_turn(&natural);
            let line = lines::line(n, survey.next_to_diagonal);
            let grid = Grid::new(n, line, lines::plane(n, line, |t| survey.nearest(t)));
            let ranges = ranges::Ranges::new(grid.sizes(n, needs.mirror), &in_turn);
            let (levels, scattered) = (level_ptr.len() as u32 - 1, !shape.rows_are_stored());
            let (entries, skew) = (survey.entries, survey.skew(grid));
            let (has_lines, crosses) = (line > 0, skew > 0);
            let squares = survey.squares();
            let counts = model::Counts {
                n,
                entries,
                squares,
                levels,
                scattered,
                has_lines,
                crosses,
                distant: survey.distant,
                strewn: node == 1 && survey.is_strewn(),
                node,
                value_bytes: shape.dtype.bytes() as u32,
                is_complex: shape.dtype.is_complex(),
            };
            let mut boxes = None;
            let mut turns: Option<Vec<u32>> = None;
            let mut strips = || {
                Ok(survey.strips(&by_unknown, &level_ptr, &by_level).map(|(turn, strips)| {
                    let grid = Grid::new(n, lines::length(n, strips), 0);
                    let ranges = ranges::Ranges::new(grid.sizes(n, 0), &by_turn(&|i| turn[i as usize]));
                    turns = Some(turn);
                    ranges
                }))
            };
            let mut boxed = || {
                boxes =
                    boxes::steps(grid, &in_turn).and_then(|steps| Boxes::new(n, entries, grid, steps, skew));
                boxes.as_ref().map(|boxes| boxes.spans.clone())
            };
            let decision = choice::decide(needs.tiles, needs.mirror, ranges, counts, &mut boxed, &mut strips)
                .and_then(|chosen| match needs.thin {
                    true => thin::choose(chosen, counts, || Ok(ThinEnd::best(&level_ptr, node))),
                    false => Ok(chosen),
                })
                .expect("nothing fails here");
            let choice::Decision { engine, rows, order: by, .. } = decision;
            (predicted, staging) = (decision.predicted, decision.staging);
            (is_wide, is_thin) = (engine == Engine::Wide, engine == Engine::Thin);
            if node > 1 && engine.is_of_rows_only() {
                return None;
            }
            if is_wide {
                return Some((level_ptr, by_level));
            }
            let Engine::Tiles(chosen) = engine else {
                return Some(survey.by_families(needs, level_ptr, by_level, &by_unknown));
            };
            (relays, wide_tiles) = (chosen, decision.is_wide);
            tile_ptr = ranges::begins(n, rows);
            let order = match (by, turns, boxes) {
                (Order::Strips, Some(turns), _) => {
                    ranges::arrange(&by_level, &tile_ptr, |i| turns[i as usize] / rows)
                }
                (Order::Boxes, _, Some(boxes)) => {
                    tile_ptr = boxes.begin.clone();
                    ranges::arrange(&by_level, &tile_ptr, |i| boxes.tile_of(natural(i)))
                }
                _ => ranges::arrange(&by_level, &tile_ptr, |i| natural(i) / rows),
            };
            level = order.iter().map(|&i| by_unknown[i as usize]).collect();
            Some((level_ptr, order))
        } else if needs.levels && needs.panels != Panels::Yes {
            let by_unknown = survey.levels();
            let (level_ptr, order) = by_level(&by_unknown);
            is_wide = choice::of_rows(needs, level_ptr.len() as u32 - 1).engine == Engine::Wide;
            Some(survey.by_families(needs, level_ptr, order, &by_unknown))
        } else if shape.forward() {
            Some((Vec::new(), (0..n).collect()))
        } else {
            Some((Vec::new(), (0..n).rev().collect()))
        }
    })?;
    let position = timed(&mut times.lev, || {
        let mut position = vec![0; n as usize];
        for (p, &unknown) in (0..).zip(&order) {
            position[unknown as usize] = p;
        }
        position
    });

    // The rows of op(A) are either what is stored or its transpose; the columns are the other one.
    let stored_rows = shape.rows_are_stored();
    let (want_stored, want_transposed) =
        if stored_rows { (needs.rows, needs.columns) } else { (needs.columns, needs.rows) };
    let value_wanted = |rows: bool| rows || needs.column_values;

    let stored_counts = || order.iter().map(|&i| survey.kept[i as usize]).collect();
    let transposed_counts = || survey.minor_counts(&position);
    let counts: Vec<u32> = timed(&mut times.dep, || match (needs.counts, stored_rows) {
        (false, _) => Vec::new(),
        (true, true) => stored_counts(),
        (true, false) => transposed_counts(),
    });

    let (stored, transposed, (diag, extra_diag)) = timed(&mut times.trans, || {
        let stored = want_stored.then(|| survey.stored(&order, &position, value_wanted(stored_rows)));
        let transposed = want_transposed.then(|| {
            let own = (stored_rows || counts.is_empty()).then(transposed_counts);
            survey.transposed(own.as_ref().unwrap_or(&counts), &position, value_wanted(!stored_rows))
        });
        (stored, transposed, survey.diagonal(&order))
    });
    let (mut rows, columns) = if stored_rows { (stored, transposed) } else { (transposed, stored) };
    let staged = rows.as_mut().map_or(Vec::new(), |rows| survey.stage(rows, staging));

    let entries = survey.entries;
    let missing_diag = survey.missing_diag;
    Some(Schedule {
        n,
        entries,
        level_ptr,
        tile_ptr,
        relays,
        wide_tiles,
        wide: is_wide,
        thin: is_thin,
        level,
        order,
        rows,
        staged,
        columns,
        counts,
        diag,
        extra_diag,
        missing_diag,
        predicted,
        nodes: None,
    })
}

/// What one pass over the stored pattern finds, and the passes that build on it.
struct Survey<'a> {
    shape: &'a Shape,
    pattern: &'a Pattern,
    n: u32,
    low: bool,
    /// Off-diagonal entries of the triangle: of each major, and in all.
    kept: Vec<u32>,
    entries: u32,
    /// The storage from the first to past the last of them; both the major's start where it has none.
    first: Vec<u32>,
    end: Vec<u32>,
    /// Whether those entries are consecutive in every major.
    consecutive: bool,
    /// Of each unknown, where the diagonal is the matrix's own.
    diag: Vec<u32>,
    extra_diag: usize,
    missing_diag: Option<u32>,
    /// Of those entries, how many are of an unknown beside the major's own.
    next_to_diagonal: u32,
    /// And of one that is distant from it.
    distant: u32,
    /// The level of each unknown, where the transposed problem has told.
    known_levels: Option<Vec<u32>>,
}

impl<'a> Survey<'a> {
    fn new(shape: &'a Shape, pattern: &'a Pattern) -> Self {
        let n = shape.n;
        let low = shape.keeps_low();
        let own_diag = shape.diag == DiagSource::Matrix;
        let mut survey = Survey {
            shape,
            pattern,
            n,
            low,
            kept: Vec::with_capacity(n as usize),
            entries: 0,
            first: Vec::with_capacity(n as usize),
            end: Vec::with_capacity(n as usize),
            consecutive: true,
            diag: Vec::with_capacity(if own_diag { n as usize } else { 0 }),
            extra_diag: 0,
            missing_diag: None,
            next_to_diagonal: 0,
            distant: 0,
            known_levels: None,
        };
        let distant = model::distant_from(n);
        for i in 0..n {
            let (start, stop) = (pattern.ptr[i as usize], pattern.ptr[i as usize + 1]);
            let (mut first, mut end, mut kept) = (start, start, 0);
            let (mut diag, mut diags) = (NONE, 0);
            for (e, &j) in (start..stop).zip(&pattern.ind[start as usize..stop as usize]) {
                if j == i {
                    if diags == 0 {
                        diag = e;
                    }
                    diags += 1;
                } else if (j < i) == low {
                    if kept == 0 {
                        first = e;
                    }
                    kept += 1;
                    end = e + 1;
                    survey.next_to_diagonal += (j.abs_diff(i) == 1) as u32;
                    survey.distant += (j.abs_diff(i) > distant) as u32;
                }
            }
            survey.first.push(first);
            survey.end.push(end);
            survey.kept.push(kept);
            survey.entries += kept;
            survey.consecutive &= end - first == kept;
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
    fn entries_of(&self, i: u32) -> impl Iterator<Item = (u32, u32)> + use<'_> {
        let low = self.low;
        let span: Range<u32> = self.first[i as usize]..self.end[i as usize];
        let ind = &self.pattern.ind[span.start as usize..span.end as usize];
        span.zip(ind).map(|(e, &j)| (e, j)).filter(move |&(_, j)| if low { j < i } else { j > i })
    }

    /// The level of each unknown, from 0, by the paper's row-wise or column-wise loop: whichever fits
    /// how the matrix is stored.
    fn levels(&self) -> Vec<u32> {
        if let Some(known) = &self.known_levels {
            return known.clone();
        }
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

    /// By how many lines for each plane boxes of a grid must be skewed; 0 where there are no planes.
    fn skew(&self, grid: Grid) -> u32 {
        if grid.plane == 0 {
            return 0;
        }
        // An entry and its transpose are as far apart, in the same direction.
        let turn = |i: u32| if self.low { i } else { self.n - 1 - i };
        let entries = (0..self.n).flat_map(|i| self.entries_of(i).map(move |(_, j)| (turn(i), turn(j))));
        boxes::skew(grid, entries)
    }

    fn is_strewn(&self) -> bool {
        let entry = |i: u32, k: u32| self.pattern.ind[(self.first[i as usize] + k) as usize];
        strewn::Sample::new(self.n, |i| self.kept[i as usize], entry).is_strewn()
    }

    /// Where the values come from that solves stage, if they do. What `rows` says of their places is of the staged ones then.
    fn stage(&self, rows: &mut Lists, staging: Staging) -> Vec<u32> {
        let Some(Values::Permuted(places)) = &mut rows.values else { return Vec::new() };
        match staging {
            Staging::No => Vec::new(),
            Staging::InOrder => {
                let places = std::mem::take(places);
                rows.values = Some(Values::Contiguous(rows.ptr[..self.n as usize].to_vec()));
                places
            }
            Staging::ByPieces => {
                strewn::by_pieces(places, strewn::piece(self.shape.nnz, self.shape.dtype.bytes() as u32))
            }
        }
    }

    /// How far the nearest entry of the triangle is from the diagonal in a major, counted from that end of the majors that
    /// has fewer.
    fn nearest(&self, from_end: u32) -> u32 {
        let i = if self.low { from_end } else { self.n - 1 - from_end };
        self.entries_of(i).map(|(_, j)| j.abs_diff(i)).min().unwrap_or(NONE)
    }

    /// All dependencies, as (row of op(A), what it depends on).
    fn dependencies(&self) -> impl Iterator<Item = (u32, u32)> + use<'_> {
        let by_rows = self.shape.rows_are_stored();
        let entries = (0..self.n).flat_map(|i| self.entries_of(i).map(move |(_, j)| (i, j)));
        entries.map(move |(i, j)| if by_rows { (i, j) } else { (j, i) })
    }

    /// The level pointers, and the unknowns by level: in the order of families where that is asked for and worth it.
    fn by_families(
        &self,
        needs: Needs,
        level_ptr: Vec<u32>,
        mut by_level: Vec<u32>,
        level: &[u32],
    ) -> (Vec<u32>, Vec<u32>) {
        let levels = level_ptr.len() as u32 - 1;
        let has_lines = lines::line(self.n, self.next_to_diagonal) > 0;
        if needs.families && families::are_worth_it(self.n, self.entries, levels, has_lines) {
            let turn = |i: u32| if self.shape.forward() { i } else { self.n - 1 - i };
            families::arrange(&mut by_level, &level_ptr, level, turn, self.dependencies());
        }
        (level_ptr, by_level)
    }

    /// The turn of each unknown in the order by strips, if there is one, and how many strips there are.
    fn strips(&self, level: &[u32], level_ptr: &[u32], by_level: &[u32]) -> Option<(Vec<u32>, u32)> {
        strips::turns(by_level, level_ptr, level, self.shape.forward(), self.dependencies())
    }

    /// Of the numbers of entries of the rows of op(A), the sum of their squares, and of those of long rows.
    fn squares(&self) -> (u64, u64) {
        let sum = |lengths: &[u32]| model::squares(lengths, self.entries);
        if self.shape.rows_are_stored() {
            return sum(&self.kept);
        }
        let natural: Vec<u32> = (0..self.n).collect();
        sum(&self.minor_counts(&natural))
    }

    /// How many entries of the triangle have each index, by its position.
    fn minor_counts(&self, position: &[u32]) -> Vec<u32> {
        let mut counts = vec![0; self.n as usize];
        for i in 0..self.n {
            for (_, j) in self.entries_of(i) {
                counts[position[j as usize] as usize] += 1;
            }
        }
        counts
    }

    /// The majors' lists. Where a major is empty its first value index is where it begins in storage.
    fn stored(&self, order: &[u32], position: &[u32], with_values: bool) -> Lists {
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
    fn transposed(&self, counts: &[u32], position: &[u32], with_values: bool) -> Lists {
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
    fn diagonal(&self, order: &[u32]) -> (Vec<u32>, Vec<[u32; 2]>) {
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

/// Sorts unknowns by level, ascending inside a level: the level pointers and the order.
fn by_level(level: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let levels = level.iter().max().map_or(0, |&l| l as usize + 1);
    let mut counts = vec![0; levels];
    for &l in level {
        counts[l as usize] += 1;
    }
    let mut ptr = running_sum(&counts);
    let mut order = vec![0; level.len()];
    for (unknown, &l) in (0..).zip(level) {
        let next = &mut ptr[l as usize];
        order[*next as usize] = unknown;
        *next += 1;
    }
    shift_back(&mut ptr);
    (ptr, order)
}

/// Where each of consecutive groups begins, and where the last one ends.
pub(super) fn running_sum(counts: &[u32]) -> Vec<u32> {
    let mut sums = Vec::with_capacity(counts.len() + 1);
    let mut sum = 0;
    sums.push(0);
    for count in counts {
        sum += count;
        sums.push(sum);
    }
    sums
}

/// Makes starts of groups again from the starts that filling the groups has moved to their ends.
fn shift_back(ptr: &mut [u32]) {
    let groups = ptr.len() - 1;
    ptr.copy_within(..groups, 1);
    ptr[0] = 0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Base, DataType, Diag, Fill, Format, MatDescr, Op};

    const ALL: Needs = Needs {
        levels: true,
        rows: true,
        columns: true,
        column_values: true,
        counts: true,
        tiles: Tiles::No,
        nodes: false,
        wide: false,
        thin: false,
        families: false,
        mirror: 0,
        panels: Panels::No,
    };
    const NATURAL: Needs = Needs { levels: false, ..ALL };

    fn shape(op: Op, fill: Fill, n: u32, nnz: usize) -> Shape {
        let descr = MatDescr { fill, ..Default::default() };
        Shape::new(op, n.into(), nnz as i64, descr, DataType::F64, false).unwrap()
    }

    fn run(op: Op, fill: Fill, ptr: &[i32], ind: &[i32], needs: Needs) -> Schedule {
        let shape = shape(op, fill, ptr.len() as u32 - 1, ind.len());
        schedule(&shape, &validate(&shape, ptr, ind).unwrap(), needs).0
    }

    fn lists(ptr: &[u32], adj: &[u32], values: Values) -> Option<Lists> {
        Some(Lists { ptr: ptr.to_vec(), adj: adj.to_vec(), values: Some(values) })
    }

    // A lower triangle, rows {0} {1} {0 2} {1 2 3}: levels {0 1} {2} {3}.
    const LOW_PTR: [i32; 5] = [0, 1, 2, 4, 7];
    const LOW_IND: [i32; 7] = [0, 1, 0, 2, 1, 2, 3];

    #[test]
    fn values_of_a_band_are_staged_in_the_order_of_its_lists() {
        // As in c_tests/test_values.c.
        let n = 6000;
        let (mut ptr, mut ind) = (vec![0], Vec::new());
        for i in 0..n {
            ind.extend([40, 33, 27, 21, 16, 12, 8, 0].iter().map(|back| i - back).filter(|&j| j >= 0));
            ptr.push(ind.len() as i32);
        }
        let needs = Needs {
            columns: false,
            column_values: false,
            counts: false,
            tiles: Tiles::IfFaster,
            wide: true,
            families: true,
            mirror: crate::tuning::TILED_LARGEST_RELAY,
            ..ALL
        };
        for (op, fill) in [(Op::Transpose, Fill::Lower), (Op::NonTranspose, Fill::Lower)] {
            let s = run(op, fill, &ptr, &ind, needs);
            let rows = s.rows.as_ref().unwrap();
            assert!(matches!(s.engine(), Engine::Tiles(_)));
            if op == Op::NonTranspose {
                assert!(s.staged.is_empty());
                continue;
            }
            assert_eq!(rows.values, Some(Values::Contiguous(rows.ptr[..n as usize].to_vec())));
            assert_eq!(s.staged.len(), rows.adj.len());
            for p in 0..n as usize {
                for e in rows.ptr[p] as usize..rows.ptr[p + 1] as usize {
                    let (column, row) = (s.order[p] as i32, s.order[rows.adj[e] as usize] as usize);
                    let value = s.staged[e] as i32;
                    assert!((ptr[row]..ptr[row + 1]).contains(&value) && ind[value as usize] == column);
                }
            }
        }
    }

    #[test]
    fn lower_by_hand() {
        let s = run(Op::NonTranspose, Fill::Lower, &LOW_PTR, &LOW_IND, ALL);
        let want = Schedule {
            n: 4,
            entries: 3,
            level_ptr: vec![0, 2, 3, 4],
            order: vec![0, 1, 2, 3],
            rows: lists(&[0, 0, 0, 1, 3], &[0, 1, 2], Values::Contiguous(vec![0, 1, 2, 4])),
            columns: lists(&[0, 1, 2, 3, 3], &[2, 3, 3], Values::Permuted(vec![2, 4, 5])),
            counts: vec![0, 0, 1, 2],
            diag: vec![0, 1, 3, 6],
            ..Default::default()
        };
        assert_eq!(s, want);
        assert_eq!((s.levels(), s.widest_level()), (3, 2));
    }

    #[test]
    fn transposed_lower_by_hand() {
        // op(A) is upper: 3 first, then 1 and 2 (2 needs 3, 1 needs 3), then 0 (needs 2).
        let s = run(Op::Transpose, Fill::Lower, &LOW_PTR, &LOW_IND, ALL);
        let want = Schedule {
            n: 4,
            entries: 3,
            level_ptr: vec![0, 1, 3, 4],
            order: vec![3, 1, 2, 0],
            rows: lists(&[0, 0, 1, 2, 3], &[0, 0, 2], Values::Permuted(vec![4, 5, 2])),
            columns: lists(&[0, 2, 2, 3, 3], &[1, 2, 3], Values::Contiguous(vec![4, 1, 2, 0])),
            counts: vec![0, 1, 1, 1],
            diag: vec![6, 1, 3, 0],
            ..Default::default()
        };
        assert_eq!(s, want);
    }

    #[test]
    fn levels_of_the_transposed_problem() {
        // Levels {0 1} {2} {3} from the last to the first: 1 could come with 2, but comes with 0.
        let first = run(Op::NonTranspose, Fill::Lower, &LOW_PTR, &LOW_IND, ALL);
        let levels = transposed_levels(&first);
        assert_eq!(levels, Some(vec![2, 2, 1, 0]));
        let shape = shape(Op::Transpose, Fill::Lower, 4, 7);
        let pattern = validate(&shape, &LOW_PTR, &LOW_IND).unwrap();
        let (s, _) = schedule_by(&shape, &pattern, ALL, levels);
        assert_eq!((&s.level_ptr[..], &s.order[..]), (&[0, 1, 2, 4][..], &[3, 2, 0, 1][..]));
        assert_eq!(s.rows, lists(&[0, 0, 1, 2, 3], &[0, 1, 0], Values::Permuted(vec![5, 2, 4])));
        assert_eq!((s.diag, s.counts), (vec![6, 3, 0, 1], vec![0, 1, 1, 1]));
        // By tiles the levels of positions are told apart from the order.
        let tiled =
            run(Op::NonTranspose, Fill::Lower, &LOW_PTR, &LOW_IND, Needs { tiles: Tiles::Yes, ..ALL });
        assert_eq!(transposed_levels(&tiled), Some(vec![2, 2, 1, 0]));
        assert_eq!(transposed_levels(&run(Op::NonTranspose, Fill::Lower, &LOW_PTR, &LOW_IND, NATURAL)), None);
    }

    /// Grids whose ranges follow one another: a square one that comes by diagonals, and one of short lines that come by
    /// lines. Tiles are strips then, by ranks from the one end of a level and from the other.
    #[test]
    fn grids_are_tiled_by_strips() {
        for (nx, ny, by_diagonals) in [(200, 200, true), (20, 2000, false)] {
            let mut points: Vec<(i32, i32)> = (0..ny).flat_map(|y| (0..nx).map(move |x| (x, y))).collect();
            if by_diagonals {
                points.sort_by_key(|&(x, y)| (x + y, y));
            }
            let mut number = vec![0; points.len()];
            for (i, &(x, y)) in (0..).zip(&points) {
                number[(y * nx + x) as usize] = i;
            }
            let (mut ptr, mut ind) = (vec![0], Vec::new());
            for &(x, y) in &points {
                let near = [(x, y - 1), (x - 1, y), (x, y), (x + 1, y), (x, y + 1)];
                let inside = near.iter().filter(|&&(x, y)| (0..nx).contains(&x) && (0..ny).contains(&y));
                ind.extend(inside.map(|&(x, y)| number[(y * nx + x) as usize]));
                ptr.push(ind.len() as i32);
            }
            let n = points.len() as u32;
            for fill in [Fill::Lower, Fill::Upper] {
                for op in [Op::NonTranspose, Op::Transpose] {
                    let s = run(op, fill, &ptr, &ind, Needs { tiles: Tiles::Yes, ..ALL });
                    assert!(s.tile_ptr.len() > 2);
                    // A range of the natural order would have its own unknowns only.
                    let forward = (fill == Fill::Lower) == (op == Op::NonTranspose);
                    let turn = |i: u32| if forward { i } else { n - 1 - i };
                    let first = &s.order[..s.tile_ptr[1] as usize];
                    assert!(first.iter().any(|&i| turn(i) >= s.tile_ptr[1]), "{nx} {fill:?} {op:?}");
                    // And what a position depends on comes before it.
                    let rows = s.rows.unwrap();
                    let entries = |p: usize| &rows.adj[rows.ptr[p] as usize..rows.ptr[p + 1] as usize];
                    assert!((0..n as usize).all(|p| entries(p).iter().all(|&q| q < p as u32)));
                }
            }
        }
    }

    /// Grids in three dimensions with large planes, of 7 and of 11 points: tiles are boxes, and skewed ones.
    #[test]
    fn large_grids_are_tiled_by_boxes() {
        let (nx, ny, nz) = (64, 128, 48);
        let n = nx * ny * nz;
        for skewed in [false, true] {
            let (mut ptr, mut ind) = (vec![0], Vec::new());
            for i in 0..n {
                let (x, y, z) = (i % nx, i / nx % ny, i / (nx * ny));
                let near = [(0, 0, -1), (0, -1, 0), (-1, 0, 0), (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)];
                let crossing = [(0, 1, -1), (0, -1, -1), (0, 1, 1), (0, -1, 1)];
                let others = crossing.into_iter().filter(|_| skewed);
                let points = near.into_iter().chain(others).map(|(dx, dy, dz)| (x + dx, y + dy, z + dz));
                let inside = |&(x, y, z): &(i32, i32, i32)| {
                    (0..nx).contains(&x) && (0..ny).contains(&y) && (0..nz).contains(&z)
                };
                ind.extend(points.filter(inside).map(|(x, y, z)| (z * ny + y) * nx + x));
                ptr.push(ind.len() as i32);
            }
            for (op, forward) in [(Op::NonTranspose, true), (Op::Transpose, false)] {
                let s = run(op, Fill::Lower, &ptr, &ind, Needs { tiles: Tiles::Yes, ..ALL });
                let turn = |i: u32| if forward { i as i32 } else { n - 1 - i as i32 };
                let first = &s.order[..s.tile_ptr[1] as usize];
                let lines = first.iter().map(|&i| (turn(i) / nx % ny, turn(i) / (nx * ny)));
                assert!(
                    lines.clone().all(|(y, z)| z < 4 && y + if skewed { z } else { 0 } < 8),
                    "{skewed} {op:?}"
                );
                assert!(lines.clone().any(|(_, z)| z == 3));
                let rows = s.rows.unwrap();
                let entries = |p: usize| &rows.adj[rows.ptr[p] as usize..rows.ptr[p + 1] as usize];
                assert!((0..n as usize).all(|p| entries(p).iter().all(|&q| q < p as u32)));
            }
        }
    }

    #[test]
    fn upper_in_natural_order() {
        // Rows {0 2} {1} {2}, the upper triangle: solved from the last unknown to the first.
        let s = run(Op::NonTranspose, Fill::Upper, &[0, 2, 3, 4], &[0, 2, 1, 2], NATURAL);
        assert_eq!(s.order, [2, 1, 0]);
        assert_eq!((s.levels(), s.widest_level(), s.level_ptr.len()), (0, 0, 0));
        assert_eq!(s.rows, lists(&[0, 0, 0, 1], &[0], Values::Contiguous(vec![3, 2, 1])));
        assert_eq!(s.columns, lists(&[0, 1, 1, 1], &[2], Values::Permuted(vec![1])));
        assert_eq!((s.counts, s.diag), (vec![0, 0, 1], vec![3, 2, 0]));
    }

    #[test]
    fn transposed_upper_in_natural_order() {
        let s = run(Op::Transpose, Fill::Upper, &[0, 2, 3, 4], &[0, 2, 1, 2], NATURAL);
        assert_eq!(s.order, [0, 1, 2]);
        assert_eq!(s.rows, lists(&[0, 0, 0, 1], &[0], Values::Permuted(vec![1])));
        assert_eq!(s.columns, lists(&[0, 1, 1, 1], &[2], Values::Contiguous(vec![1, 2, 3])));
    }

    #[test]
    fn columns_of_csc_are_its_majors() {
        let descr = MatDescr { format: Format::Csc, fill: Fill::Upper, ..Default::default() };
        let csc = Shape::new(Op::NonTranspose, 4, 7, descr, DataType::F64, false).unwrap();
        let pattern = validate(&csc, &LOW_PTR, &LOW_IND).unwrap();
        let (got, _) = schedule(&csc, &pattern, ALL);
        assert_eq!(got, run(Op::Transpose, Fill::Lower, &LOW_PTR, &LOW_IND, ALL));
    }

    #[test]
    fn unsorted_rows_keep_their_order() {
        // Row 2 is stored as 1, 2, 0: its diagonal parts its entries, so no row can be contiguous.
        let s = run(Op::NonTranspose, Fill::Lower, &[0, 1, 2, 5], &[0, 1, 1, 2, 0], ALL);
        assert_eq!(s.rows, lists(&[0, 0, 0, 2], &[1, 0], Values::Permuted(vec![2, 4])));
        assert_eq!((s.diag, s.level_ptr), (vec![0, 1, 3], vec![0, 2, 3]));
        // Stored as 2, 1, 0 it is unsorted, but contiguous.
        let s = run(Op::NonTranspose, Fill::Lower, &[0, 1, 2, 5], &[0, 1, 2, 1, 0], ALL);
        assert_eq!(s.rows, lists(&[0, 0, 0, 2], &[1, 0], Values::Contiguous(vec![0, 1, 3])));
    }

    #[test]
    fn duplicates_stay() {
        // Row 0 is {0 0}, row 1 is {0 0 1 1 1}.
        let s = run(Op::NonTranspose, Fill::Lower, &[0, 2, 7], &[0, 0, 0, 0, 1, 1, 1], ALL);
        assert_eq!(s.rows, lists(&[0, 0, 2], &[0, 0], Values::Contiguous(vec![0, 2])));
        assert_eq!(s.columns, lists(&[0, 2, 2], &[1, 1], Values::Permuted(vec![2, 3])));
        assert_eq!((s.entries, s.counts), (2, vec![0, 2]));
        assert_eq!((s.diag, s.extra_diag), (vec![0, 4], vec![[0, 1], [1, 5], [1, 6]]));
        // Solved backward, positions turn around, and extra entries still come by rising position.
        let s = run(Op::Transpose, Fill::Lower, &[0, 2, 7], &[0, 0, 0, 0, 1, 1, 1], NATURAL);
        assert_eq!((s.diag, s.extra_diag), (vec![4, 0], vec![[0, 5], [0, 6], [1, 1]]));
    }

    #[test]
    fn missing_diagonals() {
        let (ptr, ind) = ([0, 1, 2, 3], [0, 0, 1]);
        let s = run(Op::NonTranspose, Fill::Lower, &ptr, &ind, ALL);
        assert_eq!((s.diag, s.missing_diag, s.entries), (vec![0, NONE, NONE], Some(1), 2));
        // An empty row or one with nothing but the other triangle lacks its diagonal too.
        let s = run(Op::NonTranspose, Fill::Upper, &ptr, &ind, ALL);
        assert_eq!((s.diag, s.missing_diag, s.entries), (vec![0, NONE, NONE], Some(1), 0));
        let s = run(Op::NonTranspose, Fill::Lower, &[0, 0, 0], &[], ALL);
        assert_eq!((s.diag, s.missing_diag), (vec![NONE, NONE], Some(0)));
        // A missing diagonal beside an extra one.
        let s = run(Op::NonTranspose, Fill::Lower, &[0, 0, 2], &[1, 1], ALL);
        assert_eq!((s.diag, s.extra_diag, s.missing_diag), (vec![NONE, 0], vec![[1, 1]], Some(0)));
    }

    #[test]
    fn other_diagonals_ignore_the_stored_one() {
        let mut unit = shape(Op::NonTranspose, Fill::Lower, 3, 4);
        let pattern = validate(&unit, &[0, 2, 3, 4], &[0, 0, 0, 2]).unwrap();
        for diag in [DiagSource::Unit, DiagSource::Separate] {
            unit.diag = diag;
            let (s, _) = schedule(&unit, &pattern, ALL);
            assert_eq!((s.diag, s.extra_diag, s.missing_diag), (vec![], vec![], None));
            assert_eq!(s.rows, lists(&[0, 0, 0, 1], &[0], Values::Contiguous(vec![0, 3, 2])));
        }
    }

    #[test]
    fn full_matrix_serves_both_triangles() {
        let (ptr, ind) = ([0, 3, 6, 9], [0, 1, 2, 0, 1, 2, 0, 1, 2]);
        let s = run(Op::NonTranspose, Fill::Lower, &ptr, &ind, ALL);
        assert_eq!(s.rows, lists(&[0, 0, 1, 3], &[0, 0, 1], Values::Contiguous(vec![0, 3, 6])));
        assert_eq!(s.diag, [0, 4, 8]);
        let s = run(Op::NonTranspose, Fill::Upper, &ptr, &ind, ALL);
        assert_eq!(s.order, [2, 1, 0]);
        assert_eq!(s.rows, lists(&[0, 0, 1, 3], &[0, 1, 0], Values::Contiguous(vec![6, 5, 1])));
        assert_eq!((s.entries, s.counts), (3, vec![0, 1, 2]));
    }

    #[test]
    fn only_what_is_needed() {
        let none = Needs::default();
        let s = run(Op::NonTranspose, Fill::Lower, &LOW_PTR, &LOW_IND, none);
        assert!(s.rows.is_none() && s.columns.is_none() && s.counts.is_empty() && s.level_ptr.is_empty());
        for op in [Op::NonTranspose, Op::Transpose] {
            let all = run(op, Fill::Lower, &LOW_PTR, &LOW_IND, ALL);
            let some = run(op, Fill::Lower, &LOW_PTR, &LOW_IND, Needs { column_values: false, ..ALL });
            assert_eq!(some.rows, all.rows);
            let columns = some.columns.unwrap();
            assert_eq!(columns.values, None);
            assert_eq!(columns.adj, all.columns.unwrap().adj);
            let rows_only = Needs { columns: false, counts: false, ..ALL };
            assert_eq!(run(op, Fill::Lower, &LOW_PTR, &LOW_IND, rows_only).rows, all.rows);
        }
    }

    #[test]
    fn no_rows_at_all() {
        let empty = shape(Op::NonTranspose, Fill::Lower, 0, 0);
        for ptr in [&[][..], &[0][..]] {
            let pattern = validate::<i32, i32>(&empty, ptr, &[]).unwrap();
            assert_eq!(pattern.ptr, [0]);
            for tiles in [Tiles::No, Tiles::Yes, Tiles::IfFaster] {
                let (s, _) = schedule(&empty, &pattern, Needs { tiles, ..ALL });
                assert_eq!((s.n, s.levels(), s.widest_level(), s.missing_diag), (0, 0, 0, None));
                assert_eq!(s.rows, lists(&[0], &[], Values::Contiguous(vec![])));
            }
        }
        assert!(validate::<i32, i32>(&shape(Op::NonTranspose, Fill::Lower, 0, 1), &[], &[0]).is_err());
    }

    /// The row that the message names (in the caller's base), and the message.
    fn fault<P: Copy + Into<i64>, I: Copy + Into<i64>>(base: Base, ptr: &[P], ind: &[I]) -> (i64, String) {
        let descr = MatDescr { base, diag: Diag::NonUnit, ..Default::default() };
        let n = ptr.len() as i64 - 1;
        let shape = Shape::new(Op::NonTranspose, n, ind.len() as i64, descr, DataType::F64, false).unwrap();
        match validate(&shape, ptr, ind) {
            Err(Error::Malformed { major: "row", row, why }) => (row, why),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn malformed_patterns_name_the_first_bad_row() {
        let row = |base, ptr: &[i32], ind: &[i32]| fault(base, ptr, ind).0;
        // The first offset is not the base.
        assert_eq!(row(Base::Zero, &[1, 2, 3], &[0, 1, 1]), 0);
        assert_eq!(row(Base::One, &[0, 1, 2], &[1, 2]), 1);
        // Offsets fall, or leave the arrays on the way and come back.
        assert_eq!(row(Base::Zero, &[0, 2, 1, 3], &[0, 1, 2]), 1);
        assert_eq!(row(Base::Zero, &[0, 9, 2, 3], &[0, 1, 2]), 0);
        assert_eq!(row(Base::One, &[1, 2, -7, 4], &[1, 2, 3]), 2);
        // The last offset is not the end: too small and too large.
        assert_eq!(row(Base::Zero, &[0, 1, 2], &[0, 1, 1]), 1);
        assert_eq!(row(Base::Zero, &[0, 1, 4], &[0, 1, 1]), 1);
        // Indices below and above the range.
        assert_eq!(row(Base::Zero, &[0, 1, 2], &[0, -1]), 1);
        assert_eq!(row(Base::Zero, &[0, 1, 2], &[2, 0]), 0);
        assert_eq!(row(Base::One, &[1, 2, 3], &[1, 0]), 2);
        assert_eq!(row(Base::One, &[1, 2, 3], &[1, 3]), 2);
        // Of two bad rows the first one, but offsets come first: without good ones no index is looked at.
        assert_eq!(row(Base::Zero, &[0, 1, 2], &[5, 7]), 0);
        assert_eq!(row(Base::Zero, &[0, 1, 3, 2], &[5, 0]), 1);
    }

    #[test]
    fn messages_say_what_is_wrong() {
        let (_, why) = fault(Base::One, &[1, 2, 3], &[1, 3]);
        assert_eq!(why, "column index 3 is outside 1 to 2");
        let (_, why) = fault(Base::Zero, &[0, 2, 1, 3], &[0, 1, 2]);
        assert_eq!(why, "its offsets fall from 2 to 1");
        let (_, why) = fault(Base::One, &[0, 1], &[1]);
        assert_eq!(why, "the first offset is 0, but the index base is 1");
    }

    #[test]
    fn wild_64_bit_numbers() {
        for wild in [i64::MIN, i64::MIN + 1, -1, 1 << 32, (1 << 32) + 1, i64::MAX - 1, i64::MAX] {
            for base in [Base::Zero, Base::One] {
                let b = base as i64;
                assert_eq!(fault(base, &[wild, 1 + b, 2 + b], &[b, b]).0, b);
                assert_eq!(fault(base, &[b, wild, 2 + b], &[b, b]).0, b);
                assert_eq!(fault(base, &[b, 1 + b, wild], &[b, b]).0, 1 + b);
                assert_eq!(fault(base, &[b, 1 + b, 2 + b], &[b, wild]).0, 1 + b);
            }
        }
    }

    #[test]
    fn mixed_widths_and_wrong_lengths() {
        let s = shape(Op::NonTranspose, Fill::Lower, 2, 3);
        let pattern = validate(&s, &[0i64, 1, 3], &[0i32, 0, 1]).unwrap();
        assert_eq!((pattern.ptr, pattern.ind), (vec![0, 1, 3], vec![0, 0, 1]));
        assert!(validate(&s, &[0i64, 1], &[0i32, 0, 1]).is_err());
        assert!(validate(&s, &[0i64, 1, 3], &[0i32, 0]).is_err());
    }

    /// Whatever the numbers are, the answer is a pattern that is in range or the first row that is not.
    #[test]
    fn random_numbers_never_break_it() {
        let mut state = 1u64;
        let mut random = |bound: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % bound
        };
        let (mut good, mut bad) = (0, 0);
        for _ in 0..20_000 {
            let (n, nnz) = (random(4) as usize, random(5) as usize);
            let mut ptr: Vec<i64> = (0..=n).map(|_| random(nnz as u64 + 2) as i64 - 1).collect();
            if random(2) == 0 {
                ptr.iter_mut().for_each(|p| *p = (*p).clamp(0, nnz as i64));
                ptr.sort_unstable();
                (ptr[0], ptr[n]) = (0, nnz as i64);
            }
            let ind: Vec<i64> = (0..nnz).map(|_| random(n as u64 + 1) as i64).collect();
            let shape = shape(Op::NonTranspose, Fill::Lower, n as u32, nnz);
            match validate(&shape, &ptr, &ind) {
                Ok(p) => {
                    good += 1;
                    assert!(
                        p.ptr.windows(2).all(|w| w[0] <= w[1]) && p.ind.iter().all(|&i| (i as usize) < n)
                    );
                    assert_eq!((p.ptr[0], p.ptr[n] as usize), (0, nnz));
                    schedule(&shape, &p, ALL);
                }
                Err(Error::Malformed { row, .. }) => {
                    bad += 1;
                    assert!((0..n.max(1) as i64).contains(&row));
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert!(good > 1000 && bad > 1000);
    }
}
