//! What must hold of a schedule, whoever made it: it is read back to dependencies and values, which are to be the pattern's own.

use std::ops::Range;

use sptrsv::analysis::shared::panels::{PANEL_ITEM_WORDS, PANEL_PIECE_BIT, PANEL_ROWS};
use sptrsv::analysis::shared::schedule::*;
use sptrsv::analysis::work_items::{self, Cut, WorkItem, CODE_UNIT, LANES};
use sptrsv::analysis::{panels, running_sum, Form, Needs, NONE};
use sptrsv::engines::tiled::shared::{HIGH_BIT, LANE_SHIFT, NEXT_BIT};
use sptrsv::engines::Algorithm;
use sptrsv::executor::cuda::PlanArrays;
use sptrsv::problem::{DiagSource, Shape};
use sptrsv::select::features::longest_usual;
use sptrsv::tuning::RUN_AHEAD_NEAR_LEVELS;

/// An unknown, or its position, and where the value lies.
type Entry = (u32, u32);
type Rows = Vec<Vec<Entry>>;

/// A triangle as solves read it: what each row of op(A) depends on, what depends on each unknown, and what is on the diagonal.
pub struct Triangle {
    shape: Shape,
    rows: Rows,
    columns: Rows,
    diag: Vec<Vec<u32>>,
}

impl Triangle {
    pub fn new(shape: &Shape, majors: &[Vec<i64>]) -> Triangle {
        let mut stored = vec![Vec::new(); majors.len()];
        let (mut across, mut diag) = (stored.clone(), vec![Vec::new(); majors.len()]);
        let majors = majors.iter().enumerate();
        let entries = majors.flat_map(|(i, major)| major.iter().map(move |&j| (i, j as usize)));
        for (e, (i, j)) in (0..).zip(entries) {
            if i == j {
                diag[i].push(e);
            } else if (j < i) == shape.keeps_low() {
                stored[i].push((j as u32, e));
                across[j].push((i as u32, e));
            }
        }
        let (rows, columns) = if shape.rows_are_stored() { (stored, across) } else { (across, stored) };
        Triangle { shape: *shape, rows, columns, diag }
    }

    /// The earliest level of each unknown, by the longest chain.
    pub fn levels(&self) -> Vec<u32> {
        self.levels_of(&self.rows)
    }

    fn levels_of(&self, rows: &Rows) -> Vec<u32> {
        let mut level = vec![0; rows.len()];
        for position in 0..rows.len() {
            let i = if self.shape.forward() { position } else { rows.len() - 1 - position };
            level[i] = rows[i].iter().map(|&(j, _)| level[j as usize] + 1).max().unwrap_or(0);
        }
        raise_long_rows(rows, level)
    }

    /// The levels for the transposed operation, made of those of this one.
    pub fn transposed_levels(&self) -> Vec<u32> {
        let level = self.levels();
        let last = level.iter().max().copied().unwrap_or(0);
        raise_long_rows(&self.columns, level.iter().map(|&level| last - level).collect())
    }

    /// What nodes of so many unknowns depend on: whole nodes, as the row says that is solved first.
    fn of_nodes(&self, size: usize) -> Rows {
        let rows = self.rows.iter().skip(if self.shape.forward() { 0 } else { size - 1 }).step_by(size);
        rows.map(|row| row.iter().step_by(size).map(|&(j, e)| (j / size as u32, e)).collect()).collect()
    }
}

/// Long rows that nobody depends on are of the last level.
fn raise_long_rows(rows: &Rows, mut level: Vec<u32>) -> Vec<u32> {
    let longest = longest_usual(rows.len() as u32, rows.iter().map(|row| row.len() as u32).sum());
    let last = level.iter().max().copied().unwrap_or(0);
    let mut is_raised: Vec<bool> = rows.iter().map(|row| row.len() as u32 > longest).collect();
    rows.iter().flatten().for_each(|&(j, _)| is_raised[j as usize] = false);
    level.iter_mut().zip(is_raised).filter(|(_, is_raised)| *is_raised).for_each(|(level, _)| *level = last);
    level
}

fn at(words: &[u32], place: u32) -> u32 {
    words[place as usize]
}

/// A plan's arrays, and what they are to be.
struct Plan<'a> {
    of: &'a Triangle,
    got: &'a PlanArrays,
    permuted: bool,
    /// Unknowns of a node. What follows is of nodes, where these are scheduled.
    node: u32,
    level: Vec<u32>,
    /// The unknown at each position, and the position of each unknown.
    order: Vec<u32>,
    place: Vec<u32>,
}

/// Panics unless the arrays of an algorithm are a schedule for a triangle with these levels.
pub fn check(of: &Triangle, level: &[u32], algorithm: &dyn Algorithm, got: &PlanArrays) {
    let [entries, missing, widest, permuted, col_permuted, extra, count, tiles, node, in_rows, ref own @ ..] =
        got.numbers[..]
    else {
        panic!("{} numbers", got.numbers.len());
    };
    let form = match (tiles, node) {
        (0, 1) => Form::Rows,
        (0, node) => Form::Nodes(node),
        _ => Form::Tiles(Default::default()),
    };
    let (needs, cut) = (algorithm.needs(), algorithm.cut(of.shape.dtype, form));
    let level = if node > 1 { of.levels_of(&of.of_nodes(node as usize)) } else { level.to_vec() };
    let order: Vec<u32> = match cut {
        Cut::None => got.order.clone(),
        _ => got.record.chunks(4).map(|record| record[0]).collect(),
    };
    let plan = Plan::new(of, got, permuted > 0, node, level, order);
    assert_eq!(entries, of.rows.iter().map(|row| row.len() as u32).sum::<u32>());
    let of_level = plan.rows_of_levels();
    assert_eq!(widest, of_level.iter().max().filter(|_| needs.levels).copied().unwrap_or(0));
    let level_ptr = running_sum(&of_level);
    assert!(!needs.levels || tiles > 0 || plan.is_by_level(0..plan.order.len() as u32), "not by level");
    plan.diagonals(missing, extra);
    match cut {
        Cut::None => {
            plan.lists(needs, [permuted, col_permuted]);
            assert!(own.is_empty() || *own == level_ptr, "levels begin at {own:?}");
        }
        Cut::Levels { entries, names_rows, .. } => {
            plan.levels([count, in_rows], own, &level_ptr, entries, names_rows)
        }
        Cut::Tiles { window, reach, .. } => plan.tiles([count, tiles], own, window, reach),
    }
}

impl<'a> Plan<'a> {
    /// Panics unless the order is one of all unknowns, each behind what it depends on.
    fn new(
        of: &'a Triangle,
        got: &'a PlanArrays,
        permuted: bool,
        node: u32,
        level: Vec<u32>,
        order: Vec<u32>,
    ) -> Plan<'a> {
        let mut place = vec![NONE; level.len()];
        (0..).zip(&order).for_each(|(p, &i)| place[i as usize] = p);
        assert!(order.len() == level.len() && !place.contains(&NONE), "the order is no permutation");
        let position = |i: usize| (at(&place, i as u32 / node), i);
        let is_early = |(i, row): (usize, &Vec<Entry>)| {
            row.iter().all(|&(j, _)| position(j as usize).0 <= position(i).0)
        };
        assert!(of.rows.iter().enumerate().all(is_early), "a row comes before what it depends on");
        Plan { of, got, permuted, node, level, order, place }
    }
}

impl Plan<'_> {
    fn is_by_level(&self, positions: Range<u32>) -> bool {
        positions.map(|p| self.level_at(p)).is_sorted()
    }

    fn level_at(&self, p: u32) -> u32 {
        at(&self.level, at(&self.order, p))
    }

    fn rows_of_levels(&self) -> Vec<u32> {
        let mut rows = vec![0; self.level.iter().max().map_or(0, |&last| last as usize + 1)];
        self.level.iter().for_each(|&level| rows[level as usize] += 1);
        rows
    }

    /// `read` reads what stands at each position: what `want` says, without values where there are none.
    fn each(&self, want: &Rows, with_values: bool, read: impl Fn(u32) -> Vec<Entry>) {
        let value = |place: u32| match (with_values, self.got.gathered.is_empty()) {
            (false, _) => NONE,
            (_, true) => place,
            (_, false) => at(&self.got.gathered, place),
        };
        for (p, &i) in (0..).zip(&self.order) {
            let found = read(p).into_iter().map(|(q, place)| (at(&self.order, q), value(place)));
            let want = want[i as usize].iter().map(|&(j, e)| (j, if with_values { e } else { NONE }));
            assert!(found.eq(want), "unknown {i} at {p}: {:?}", read(p));
        }
    }

    /// Lists of rows and of columns, whichever are needed, and how many entries rows have.
    fn lists(&self, needs: Needs, [permuted, col_permuted]: [u32; 2]) {
        let Plan { of, got, .. } = *self;
        if needs.rows {
            self.each(&of.rows, true, |p| {
                self.listed(p, [&got.row_ptr, &got.row_adj, &got.row_val], permuted)
            });
        }
        if needs.columns {
            let of_columns = [&got.col_ptr[..], &got.col_adj, &got.col_val];
            self.each(&of.columns, needs.column_values, |p| self.listed(p, of_columns, col_permuted));
        }
        let counts = self.order.iter().map(|&i| of.rows[i as usize].len() as u32);
        assert!(!needs.counts || counts.eq(got.counts.iter().copied()), "counts of dependencies");
    }

    /// Row or column `p` of lists: positions, and where the values lie.
    fn listed(&self, p: u32, [ptr, adj, val]: [&[u32]; 3], permuted: u32) -> Vec<Entry> {
        let begin = at(ptr, p);
        let place = |e: u32| match (val.is_empty(), permuted) {
            (true, _) => NONE,
            (_, 0) => at(val, p) + e - begin,
            _ => at(val, e),
        };
        (begin..at(ptr, p + 1)).map(|e| (at(adj, e), place(e))).collect()
    }

    fn diagonals(&self, missing: u32, extra: u32) {
        let Plan { of, got, ref order, node, .. } = *self;
        let own = |i: u32| match of.shape.diag {
            DiagSource::Matrix => of.diag[i as usize].as_slice(),
            _ => &[],
        };
        let is_missing = |&i: &u32| of.shape.diag == DiagSource::Matrix && own(i).is_empty();
        assert_eq!(missing, (0..of.shape.n).find(is_missing).unwrap_or(NONE));
        let further =
            |(p, &i): (u32, &u32)| own(i).iter().skip(1).flat_map(move |&e| [p, e]).collect::<Vec<_>>();
        let want: Vec<u32> = (0..).zip(order).filter(|_| node == 1).flat_map(further).collect();
        assert!(got.extra_diag == want && want.len() == 2 * extra as usize, "{:?}", got.extra_diag);
        let want = order.iter().map(|&i| match of.shape.diag {
            DiagSource::Separate if node == 1 => i,
            DiagSource::Matrix if node == 1 => own(i).first().copied().unwrap_or(NONE),
            _ => NONE,
        });
        match (got.record.is_empty(), of.shape.diag) {
            (true, DiagSource::Unit) => assert!(got.diag_index.is_empty(), "a unit diagonal lies somewhere"),
            (true, _) => assert!(want.eq(got.diag_index.iter().copied()), "{:?}", got.diag_index),
            (false, _) => assert!(want.eq(got.record.chunks(4).map(|r| r[1])), "diagonals of records"),
        }
    }

    /// The entries of the list of a record, up to the next one's.
    fn list(&self, p: u32) -> Range<u32> {
        let end = self.got.record.get(4 * p as usize + 6).copied();
        at(&self.got.record, 4 * p + 2)..end.unwrap_or(self.got.row_adj.len() as u32)
    }

    fn recorded(&self, p: u32, names_rows: bool) -> Vec<Entry> {
        let (list, first) = (self.list(p), at(&self.got.record, 4 * p + 3));
        let entry = |e: u32| {
            let named = at(&self.got.row_adj, e);
            let place = if self.permuted { at(&self.got.row_val, e) } else { first + e - list.start };
            (if names_rows { at(&self.place, named) } else { named }, place)
        };
        list.clone().map(entry).collect()
    }

    /// Rows are read back from those of nodes: the entries of other nodes, and those of the node's own triangle.
    fn nodes(&self, are_in_rows: bool, is_whole: bool) {
        let Plan { of, got, node: size, permuted, .. } = *self;
        let forward = of.shape.forward();
        let (mut in_rows, mut follow) = (true, true);
        for (p, &node) in (0..).zip(&self.order) {
            let list = self.list(p);
            let others = list.len() as u32 * size;
            let row_word = |unknown: u32, word: u32| at(&got.node_row, 2 * (p * size + unknown) + word);
            assert_eq!(at(&got.record, 4 * p + 3), row_word(0, 0));
            let mut end = None;
            for unknown in 0..size {
                let (i, own, diag) = (node * size + unknown, row_word(unknown, 0), row_word(unknown, 1));
                let outside = list.clone().flat_map(|e| (0..size).map(move |c| (e, c))).map(|(e, c)| {
                    let before = (e - list.start) * size + c;
                    let place = match (permuted, forward) {
                        (true, _) => at(&got.row_val, e * size + c) + unknown,
                        (false, true) => own.wrapping_add(before).wrapping_sub(others),
                        (false, false) => own.wrapping_add(before + size),
                    };
                    (at(&self.order, at(&got.row_adj, e)) * size + c, place)
                });
                let inside = if forward { 0..unknown } else { unknown + 1..size };
                let inside = inside.map(|v| match permuted {
                    true => (node * size + v, row_word(v, 0).wrapping_add(unknown)),
                    false => (node * size + v, own.wrapping_add(v)),
                });
                let row: Vec<Entry> =
                    if forward { outside.chain(inside).collect() } else { inside.chain(outside).collect() };
                assert_eq!(row, of.rows[i as usize], "row {i}");
                let own_diag = of.diag[i as usize].first().copied().unwrap_or(NONE);
                assert_eq!(diag, if of.shape.diag == DiagSource::Matrix { own_diag } else { i });
                in_rows &= diag != NONE && diag == own.wrapping_add(unknown);
                let stored = || row.iter().map(|&(_, place)| place).chain([diag]);
                follow &= end.is_none_or(|end| stored().min() == Some(end));
                end = stored().max().map(|last| last.wrapping_add(1));
            }
        }
        let in_rows = in_rows && of.shape.diag == DiagSource::Matrix && !permuted;
        assert_eq!((are_in_rows, is_whole), (in_rows, in_rows && follow));
    }

    /// Levels are work items, of records of rows or of nodes.
    fn levels(
        &self,
        [count, in_rows]: [u32; 2],
        own: &[u32],
        level_ptr: &[u32],
        per_lane: u32,
        names_rows: bool,
    ) {
        let work_items: Vec<WorkItem> =
            self.got.work_item.chunks(2).map(|work_item| [work_item[0], work_item[1]]).collect();
        assert_eq!(work_items.len(), count as usize);
        let has_segments = self.work_items(&work_items, level_ptr, per_lane);
        if self.node > 1 {
            return self.nodes(in_rows > 0, own[0] > 0);
        }
        self.each(&self.of.rows, true, |p| self.recorded(p, names_rows));
        let (&segments, own) = own.split_last().unwrap();
        assert_eq!(segments, has_segments as u32);
        // Where each level begins, or where the end does.
        let begins = |first: u32| level_ptr.contains(&work_items[first as usize][0]);
        match names_rows {
            true => assert!(own.is_empty() || *own == work_items::steps(level_ptr, &work_items), "{own:?}"),
            false => assert!(own.iter().all(|&first| first == NONE || begins(first)), "{own:?}"),
        }
    }

    /// Work items hold all rows, each rows of one level that a warp has lanes for, and before a longer row its segments. The
    /// run-ahead limit of a work item is the first row of an earlier level. Returns whether there are segments.
    fn work_items(&self, work_items: &[WorkItem], level_ptr: &[u32], per_lane: u32) -> bool {
        let (mut next, mut segments, mut has_segments) = (0, Vec::new(), false);
        for &[first, bits] in work_items {
            assert_eq!(first, next);
            let (rows, lanes, back) =
                (bits & ITEM_ROWS_MASK, bits >> ITEM_LANES_SHIFT & ITEM_LANES_MASK, bits >> RUN_AHEAD_SHIFT);
            if rows == SEGMENT {
                assert_eq!(lanes, LANES);
                segments.push(back);
                continue;
            }
            next += rows;
            assert!(rows > 0 && rows * lanes <= LANES && lanes.is_power_of_two(), "work item {bits:x}");
            let level = self.level_at(first);
            assert_eq!(level, self.level_at(next - 1));
            for p in first..next {
                let length = self.list(p).len() as u32;
                assert!(lanes == LANES || length * self.node <= lanes * per_lane, "{length} entries at {p}");
                let count = if self.node > 1 { 0 } else { length.saturating_sub(1) / (per_lane * LANES) };
                assert!((0..count).rev().eq(segments.drain(..)), "{count} segments of {p}");
                has_segments |= count > 0;
            }
            let is_run_ahead_limit = |l: usize| l as u32 + RUN_AHEAD_NEAR_LEVELS <= level;
            assert!(
                back == 0 || level_ptr.binary_search(&(first - back)).is_ok_and(is_run_ahead_limit),
                "run-ahead limit of {first}"
            );
        }
        assert!(next as usize == self.order.len() && segments.is_empty(), "work items end at {next}");
        has_segments
    }

    /// Tiles are batches that follow one another, each of some levels of its tile.
    fn tiles(&self, [count, tiles]: [u32; 2], own: &[u32], window: u32, reach: u32) {
        let (of, got) = (self.of, self.got);
        assert_eq!((got.tile_step.len(), got.work_item.len()), (tiles as usize + 1, 4 * count as usize));
        let (mut next, mut largest) = (0, 0);
        let mut rows: Rows = vec![Vec::new(); self.order.len()];
        for steps in got.tile_step.windows(2) {
            let tile = next;
            for batch in got.work_item[4 * steps[0] as usize..4 * steps[1] as usize].chunks(4) {
                assert_eq!(batch[0], next);
                next = self.batch(batch, tile, [window, reach], &mut rows);
            }
            assert!(self.is_by_level(tile..next), "the tile at {tile} is not by level");
            largest = largest.max(next - tile);
        }
        assert_eq!(next as usize, rows.len());
        let longest = of.rows.iter().map(|row| row.len() as u32).max().unwrap_or(0);
        assert_eq!(own[..2], [longest, largest]);
        self.each(&of.rows, true, |p| rows[p as usize].clone());
    }

    /// Reads the rows of a batch by its codes: what they depend on is in the batch, in the window, or anywhere before. Returns where it
    /// ends.
    fn batch(&self, batch: &[u32], tile: u32, [window, reach]: [u32; 2], rows: &mut Rows) -> u32 {
        let (got, forward) = (self.got, self.of.shape.forward());
        let (first, bits, begin, depth) = (batch[0], batch[1], batch[2] * CODE_UNIT as u32, batch[3]);
        let (shift, count) = (bits >> BATCH_LANES_SHIFT & BATCH_LANES_MASK, bits & BATCH_ROWS_MASK);
        let (lanes, end) = (count << shift, first + count);
        assert!((1..=LANES).contains(&lanes), "batch {bits:x}");
        let levels: Vec<u32> = (first..end).map(|p| self.level_at(p)).collect();
        assert_eq!(
            bits >> BATCH_LEVELS_SHIFT & BATCH_LEVELS_MASK,
            levels.chunk_by(|a, b| a == b).count() as u32
        );
        let (mut last_next, mut is_external, mut deepest) = (0, 0, 0);
        for (k, lane) in (0..depth).flat_map(|k| (0..lanes).map(move |lane| (k, lane))) {
            let (p, number) = (first + (lane >> shift), (lane & ((1 << shift) - 1)) + (k << shift));
            let code = at(&got.row_adj, begin + k * lanes + lane);
            if number >= at(&got.record, 4 * p + 2) {
                assert_eq!(code, HIGH_BIT | window);
                continue;
            }
            deepest = k + 1;
            let q = if code & HIGH_BIT == 0 {
                is_external = 1;
                assert!(code < tile || p - code > reach, "row {p} looks for {code} elsewhere");
                code
            } else if code & NEXT_BIT != 0 {
                last_next = k + 1;
                first + ((code & !(HIGH_BIT | NEXT_BIT)) >> LANE_SHIFT >> shift)
            } else {
                let back = p.wrapping_sub(code & !HIGH_BIT) % window;
                assert!(
                    (tile..first).contains(&(p - back)) && back <= reach,
                    "row {p} finds none {back} before"
                );
                p - back
            };
            assert!(q < p, "row {p} depends on {q}");
            let place = match (self.permuted, forward) {
                (true, _) => at(&got.row_val, begin + k * lanes + lane),
                (false, true) => at(&got.record, 4 * p + 3) - number,
                (false, false) => at(&got.record, 4 * p + 3) + number,
            };
            rows[p as usize].push((q, place));
        }
        let (own_next, external) = (bits >> BATCH_NEXT_SHIFT & BATCH_NEXT_MASK, bits >> BATCH_EXTERNAL_SHIFT);
        assert_eq!([own_next, external, depth], [last_next, is_external, deepest]);
        for p in first..end {
            let row = &mut rows[p as usize];
            assert_eq!(row.len() as u32, at(&got.record, 4 * p + 2));
            // Numbers count from the unknowns that are solved last.
            if forward {
                row.reverse();
            }
        }
        end
    }
}

/// Every row is in one panel, and what it depends on is in an earlier panel, or in the same one and then right before it. The pieces of
/// a panel are right before it, the oldest entries first, and none have their sums in one place. How many panels have rows of several
/// runs, and how many pieces there are.
pub fn check_panels(plan: &PlanArrays, n: u32) -> (usize, usize) {
    let (none, width) = (u32::MAX, PANEL_ROWS as usize);
    let (mut rows, mut sums, mut waiting) = (Vec::new(), 0, Vec::new());
    let piece = panels::piece(plan.row_ptr[n as usize], n);
    for item in plan.work_item.chunks(PANEL_ITEM_WORDS as usize) {
        let (own, first, pieces) = (&item[..width], item[width], item[width + 1]);
        if pieces & PANEL_PIECE_BIT != 0 {
            waiting.push((own, first, pieces ^ PANEL_PIECE_BIT));
            continue;
        }
        let positions = own.iter().filter(|&&p| p != none).map(|&p| p as usize);
        let longest = positions.map(|p| plan.row_ptr[p + 1] - plan.row_ptr[p]).max().unwrap();
        assert_eq!((first, pieces), (sums, longest.div_ceil(piece).max(1) - 1));
        let wanted: Vec<_> = (1..=pieces).rev().map(|piece| (own, sums + piece - 1, piece)).collect();
        assert_eq!(std::mem::take(&mut waiting), wanted);
        sums += pieces;
        rows.extend_from_slice(own);
    }
    assert!(waiting.is_empty(), "pieces of no panel");
    let mut place = vec![none; n as usize];
    for (at, &p) in rows.iter().enumerate().filter(|&(_, &p)| p != none) {
        assert_eq!(std::mem::replace(&mut place[p as usize], at as u32), none, "row {p} twice");
    }
    assert!(place.iter().all(|&at| at != none), "a row without a panel");
    let mut several = 0;
    for panel in rows.chunks(32) {
        assert_ne!(panel[0], none);
        let inside: Vec<u32> = panel.iter().copied().filter(|&p| p != none).collect();
        several += inside.windows(2).any(|w| w[1] != w[0] + 1) as usize;
    }
    for p in 0..n as usize {
        for &q in &plan.row_adj[plan.row_ptr[p] as usize..plan.row_ptr[p + 1] as usize] {
            let (at, of) = (place[p], place[q as usize]);
            let is_in_run = at / 32 == of / 32 && at - of == p as u32 - q;
            assert!(of / 32 < at / 32 || is_in_run, "row {p} at {at} depends on {q} at {of}");
        }
    }
    (several, sums as usize)
}
