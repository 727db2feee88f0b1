//! What must hold of a schedule, whoever made it: it is read back to dependencies and values, and compared with the pattern's own.

use sptrsv::analysis::shared::schedule::{GATE_SHIFT, PART};
use sptrsv::analysis::slices::{self, Cut, Slice, CODE_UNIT, LANES};
use sptrsv::analysis::{running_sum, Form, NONE};
use sptrsv::engines::tiled::shared::{HIGH_BIT, LANE_SHIFT, NEXT_BIT};
use sptrsv::engines::Algorithm;
use sptrsv::executor::cuda::PlanArrays;
use sptrsv::problem::{DiagSource, Shape};
use sptrsv::select::features::longest_usual;
use sptrsv::tuning::NEAR_GATE_LEVELS;

pub type Checked<T = ()> = Result<T, String>;

macro_rules! must {
    ($holds:expr, $($what:tt)*) => {
        if !$holds {
            return Err(format!($($what)*));
        }
    };
}

/// An unknown, and where the value lies.
type Entry = (u32, u32);

/// A triangle as solves read it: what each row of op(A) depends on, what depends on each unknown, and what is on the diagonal.
pub struct Triangle {
    shape: Shape,
    rows: Vec<Vec<Entry>>,
    columns: Vec<Vec<Entry>>,
    diag: Vec<Vec<u32>>,
}

impl Triangle {
    pub fn new(shape: &Shape, majors: &[Vec<i64>]) -> Triangle {
        let n = shape.n as usize;
        let (mut stored, mut across, mut diag) =
            (vec![Vec::new(); n], vec![Vec::new(); n], vec![Vec::new(); n]);
        let entries =
            majors.iter().enumerate().flat_map(|(i, major)| major.iter().map(move |&j| (i, j as usize)));
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

    pub fn n(&self) -> u32 {
        self.shape.n
    }

    fn entries(&self) -> u32 {
        self.rows.iter().map(|row| row.len() as u32).sum()
    }

    /// The earliest level of each unknown, by the longest chain.
    pub fn levels(&self) -> Vec<u32> {
        self.levels_of(&self.rows)
    }

    /// The levels for the transposed operation, made of those of this one.
    pub fn transposed(&self, level: &[u32]) -> Vec<u32> {
        let last = level.iter().max().copied().unwrap_or(0);
        let mut turned = level.iter().map(|&level| last - level).collect();
        raise_long_rows(&self.columns, &mut turned);
        turned
    }

    fn levels_of(&self, rows: &[Vec<Entry>]) -> Vec<u32> {
        let mut level = vec![0; rows.len()];
        for turn in 0..rows.len() {
            let i = if self.shape.forward() { turn } else { rows.len() - 1 - turn };
            level[i] = rows[i].iter().map(|&(j, _)| level[j as usize] + 1).max().unwrap_or(0);
        }
        raise_long_rows(rows, &mut level);
        level
    }

    /// Where the value of the diagonal lies, and whether further ones count.
    fn diagonal(&self, i: u32) -> u32 {
        match self.shape.diag {
            DiagSource::Unit => NONE,
            DiagSource::Separate => i,
            DiagSource::Matrix => self.diag[i as usize].first().copied().unwrap_or(NONE),
        }
    }

    /// What nodes of so many unknowns depend on: whole nodes, as the row says that is solved first.
    fn of_nodes(&self, size: u32) -> Vec<Vec<Entry>> {
        let first = if self.shape.forward() { 0 } else { size - 1 };
        let nodes = (0..self.n() / size).map(|node| &self.rows[(node * size + first) as usize]);
        nodes.map(|row| row.iter().step_by(size as usize).map(|&(j, e)| (j / size, e)).collect()).collect()
    }
}

/// Long rows that nobody depends on are of the last level.
fn raise_long_rows(rows: &[Vec<Entry>], level: &mut Vec<u32>) {
    let entries = rows.iter().map(|row| row.len() as u32).sum();
    let (longest, last) =
        (longest_usual(rows.len() as u32, entries), level.iter().max().copied().unwrap_or(0));
    let mut is_needed = vec![false; rows.len()];
    rows.iter().flatten().for_each(|&(j, _)| is_needed[j as usize] = true);
    for (i, row) in rows.iter().enumerate().filter(|(i, row)| row.len() as u32 > longest && !is_needed[*i]) {
        debug_assert!(!row.is_empty());
        level[i] = last;
    }
}

fn word(words: &[u32], at: usize) -> Checked<u32> {
    words.get(at).copied().ok_or_else(|| format!("word {at} of {}", words.len()))
}

/// A plan's arrays, and what they are to be.
struct Plan<'a> {
    of: &'a Triangle,
    got: &'a PlanArrays,
    /// Of rows, or nodes, by the pattern.
    level: Vec<u32>,
    node: u32,
    permuted: bool,
    /// The unknown, or node, of each position.
    order: Vec<u32>,
    /// And the position of each.
    place: Vec<u32>,
}

/// Checks the arrays of an algorithm for a triangle with these levels.
pub fn check(of: &Triangle, level: &[u32], algorithm: &dyn Algorithm, got: &PlanArrays) -> Checked {
    let [entries, missing, widest, permuted, _, extra, slices, tiles, node, diag_in_rows, ref own @ ..] =
        got.numbers[..]
    else {
        return Err("numbers".into());
    };
    let form = match (tiles, node) {
        (0, 1) => Form::Rows,
        (0, node) => Form::Nodes(node),
        _ => Form::Tiles(Default::default()),
    };
    let (needs, cut) = (algorithm.needs(), algorithm.cut(of.shape.dtype, form));
    let level = if node > 1 { of.levels_of(&of.of_nodes(node)) } else { level.to_vec() };
    let order: Vec<u32> = match cut {
        Cut::None => got.order.clone(),
        _ => got.record.chunks(4).map(|record| record[0]).collect(),
    };
    let n = level.len();
    let mut place = vec![NONE; n];
    for (p, &i) in (0..).zip(&order) {
        must!((i as usize) < n && place[i as usize] == NONE, "position {p}: unknown {i}");
        place[i as usize] = p;
    }
    must!(order.len() == n && entries == of.entries(), "{} positions, {entries} entries", order.len());
    let mut of_level = vec![0; level.iter().max().map_or(0, |&last| last as usize + 1)];
    level.iter().for_each(|&level| of_level[level as usize] += 1);
    let most = of_level.iter().max().filter(|_| needs.levels).copied().unwrap_or(0);
    must!(widest == most, "{widest} of a level, not {most}");
    let level_ptr = running_sum(&of_level);
    let plan = Plan { of, got, level, node, permuted: permuted > 0, order, place };
    if needs.levels && tiles == 0 {
        must!(plan.is_by_level(0, n as u32), "positions are not by level");
    }
    plan.diagonals(missing, extra)?;
    let slice = |count: u32| -> Checked<Vec<Slice>> {
        must!(got.slice.len() == 2 * count as usize, "{} words of slices", got.slice.len());
        Ok(got.slice.chunks(2).map(|slice| [slice[0], slice[1]]).collect())
    };
    match cut {
        Cut::None => {
            if needs.rows {
                plan.each_row(|p| plan.listed(p, [&got.row_ptr, &got.row_adj, &got.row_val], plan.permuted))?;
            }
            if needs.columns {
                plan.columns()?;
            }
            let counts = plan.order.iter().map(|&i| of.rows[i as usize].len() as u32);
            must!(!needs.counts || counts.eq(got.counts.iter().copied()), "counts of dependencies");
            must!(own.is_empty() || *own == level_ptr, "levels begin at {own:?}");
        }
        Cut::Levels { entries, names_rows, .. } if node == 1 => {
            plan.each_row(|p| plan.recorded(p, names_rows))?;
            let slices = slice(slices)?;
            let has_parts = plan.slices(&slices, &level_ptr, entries)?;
            let (&parts, own) = own.split_last().ok_or("no numbers")?;
            must!(parts == has_parts as u32, "parts of rows: {parts}");
            if names_rows {
                must!(
                    own.is_empty() || *own == slices::steps(&level_ptr, &slices),
                    "levels begin with {own:?}"
                );
            } else {
                let begins = |at: u32| slices.get(at as usize).is_some_and(|s| level_ptr.contains(&s[0]));
                must!(own.iter().all(|&end| end == NONE || begins(end)), "the end begins with {own:?}");
            }
        }
        Cut::Levels { entries, .. } => {
            plan.nodes(diag_in_rows, own)?;
            plan.slices(&slice(slices)?, &level_ptr, entries)?;
        }
        Cut::Tiles { window, reach, .. } => plan.tiles([slices, tiles], own, window, reach)?,
    }
    Ok(())
}

impl Plan<'_> {
    fn is_by_level(&self, begin: u32, end: u32) -> bool {
        self.order[begin as usize..end as usize].is_sorted_by_key(|&i| self.level[i as usize])
    }

    fn unknown(&self, p: u32) -> Checked<u32> {
        word(&self.order, p as usize)
    }

    /// Where the caller's value lies that a solve finds at a place.
    fn value(&self, place: u32) -> Checked<u32> {
        match self.got.gathered.is_empty() {
            true => Ok(place),
            false => word(&self.got.gathered, place as usize),
        }
    }

    /// Each row has what it depends on, and that comes before it. `read` reads the row at a position.
    fn each_row(&self, read: impl Fn(u32) -> Checked<Vec<Entry>>) -> Checked {
        for (p, &i) in (0..).zip(&self.order) {
            let (row, want) = (read(p)?, &self.of.rows[i as usize]);
            must!(row.iter().all(|&(q, _)| q < p), "position {p} depends on a later one: {row:?}");
            let found = row.iter().map(|&(q, place)| Ok((self.unknown(q)?, self.value(place)?)));
            let found: Vec<Entry> = found.collect::<Checked<_>>()?;
            must!(found == *want, "row {i} at {p} has {found:?}, not {want:?}");
        }
        Ok(())
    }

    /// Row or column `p` of lists: positions, and where the values lie, if they are told.
    fn listed(&self, p: u32, [ptr, adj, val]: [&[u32]; 3], permuted: bool) -> Checked<Vec<Entry>> {
        let (begin, end) = (word(ptr, p as usize)?, word(ptr, p as usize + 1)?);
        let place = |e: u32| match (val.is_empty(), permuted) {
            (true, _) => Ok(NONE),
            (_, true) => word(val, e as usize),
            _ => Ok(word(val, p as usize)?.wrapping_add(e - begin)),
        };
        (begin..end).map(|e| Ok((word(adj, e as usize)?, place(e)?))).collect()
    }

    fn columns(&self) -> Checked {
        let PlanArrays { col_ptr, col_adj, col_val, numbers, .. } = self.got;
        for (p, &i) in (0..).zip(&self.order) {
            let column = self.listed(p, [col_ptr, col_adj, col_val], numbers[4] > 0)?;
            must!(column.iter().all(|&(q, _)| q > p), "position {p} is needed earlier: {column:?}");
            let found = column.iter().map(|&(q, value)| Ok((self.unknown(q)?, value)));
            let found: Vec<Entry> = found.collect::<Checked<_>>()?;
            let place = |value: u32| if col_val.is_empty() { NONE } else { value };
            let want = self.of.columns[i as usize].iter().map(|&(q, value)| (q, place(value)));
            must!(want.eq(found.iter().copied()), "column {i} at {p} has {found:?}");
        }
        Ok(())
    }

    fn diagonals(&self, missing: u32, extra: u32) -> Checked {
        let Plan { of, got, ref order, node, .. } = *self;
        let is_own = of.shape.diag == DiagSource::Matrix;
        let first_missing = (0..of.n()).find(|&i| is_own && of.diag[i as usize].is_empty());
        must!(missing == first_missing.unwrap_or(NONE), "missing diagonal: {missing}");
        let further =
            |(p, &i): (usize, &u32)| of.diag[i as usize].iter().skip(1).flat_map(move |&e| [p as u32, e]);
        let want: Vec<u32> =
            order.iter().enumerate().filter(|_| is_own && node == 1).flat_map(further).collect();
        must!(
            got.extra_diag == want && want.len() == 2 * extra as usize,
            "further diagonals: {:?}",
            got.extra_diag
        );
        let want = order.iter().map(|&i| if node == 1 { of.diagonal(i) } else { NONE });
        match (got.record.is_empty(), of.shape.diag) {
            (true, DiagSource::Unit) => must!(got.diag_index.is_empty(), "a unit diagonal lies somewhere"),
            (true, _) => must!(want.eq(got.diag_index.iter().copied()), "the diagonal"),
            (false, _) => must!(want.eq(got.record.chunks(4).map(|r| r[1])), "the diagonal of records"),
        }
        Ok(())
    }

    /// The entries of the list of a record, where the next one begins after it.
    fn list(&self, p: u32) -> Checked<std::ops::Range<u32>> {
        let record = &self.got.record;
        let end = record.get(4 * p as usize + 6).copied().unwrap_or(self.got.row_adj.len() as u32);
        Ok(word(record, 4 * p as usize + 2)?..end)
    }

    fn recorded(&self, p: u32, names_rows: bool) -> Checked<Vec<Entry>> {
        let list = self.list(p)?;
        let (begin, first) = (list.start, self.got.record[4 * p as usize + 3]);
        let entry = |e: u32| {
            let named = word(&self.got.row_adj, e as usize)?;
            let q = if names_rows { word(&self.place, named as usize)? } else { named };
            let place = if self.permuted {
                word(&self.got.row_val, e as usize)?
            } else {
                first.wrapping_add(e - begin)
            };
            Ok((q, place))
        };
        list.map(entry).collect()
    }

    /// Rows are read back from those of nodes: the entries of other nodes, and those of the node's own triangle.
    fn nodes(&self, diag_in_rows: u32, own: &[u32]) -> Checked {
        let Plan { of, got, node: size, .. } = *self;
        let forward = of.shape.forward();
        must!(got.node_row.len() == of.n() as usize * 2, "{} words of rows of nodes", got.node_row.len());
        let row_at = |p: u32, unknown: u32| (p * size + unknown) as usize;
        let (mut in_rows, mut follow) = (true, true);
        for (p, &node) in (0..).zip(&self.order) {
            let list = self.list(p)?;
            let (begin, others) = (list.start, list.len() as u32);
            must!(
                got.record[4 * p as usize + 3] == got.node_row[2 * row_at(p, 0)],
                "where node {node} begins"
            );
            let mut end = None;
            for unknown in 0..size {
                let [own, diag] = [0, 1].map(|word| got.node_row[2 * row_at(p, unknown) + word]);
                let i = node * size + unknown;
                let mut row = Vec::new();
                for (e, c) in list.clone().flat_map(|e| (0..size).map(move |c| (e, c))) {
                    let q = word(&got.row_adj, e as usize)?;
                    must!(q < p, "node {p} depends on {q}");
                    let place = match (self.permuted, forward) {
                        (true, _) => word(&got.row_val, (e * size + c) as usize)?.wrapping_add(unknown),
                        (false, true) => own.wrapping_add((e - begin) * size + c).wrapping_sub(others * size),
                        (false, false) => own.wrapping_add((e - begin + 1) * size + c),
                    };
                    row.push((self.unknown(q)? * size + c, place));
                }
                let inside = if forward { 0..unknown } else { unknown + 1..size };
                let inside = inside.map(|v| match self.permuted {
                    true => (node * size + v, got.node_row[2 * row_at(p, v)].wrapping_add(unknown)),
                    false => (node * size + v, own.wrapping_add(v)),
                });
                row.splice(if forward { row.len()..row.len() } else { 0..0 }, inside);
                must!(row == of.rows[i as usize], "row {i} has {row:?}, not {:?}", of.rows[i as usize]);
                let want = if of.shape.diag == DiagSource::Unit { i } else { of.diagonal(i) };
                must!(diag == want, "the diagonal of row {i} is at {diag}, not {want}");
                in_rows &= diag != NONE && diag == own.wrapping_add(unknown);
                let stored = || row.iter().map(|&(_, place)| place).chain([diag]);
                follow &= end.is_none_or(|end| stored().min() == Some(end));
                end = stored().max().map(|last| last.wrapping_add(1));
            }
        }
        let in_rows = in_rows && of.shape.diag == DiagSource::Matrix && !self.permuted;
        must!((diag_in_rows > 0) == in_rows, "diagonals in rows: {diag_in_rows}");
        must!(*own == [(in_rows && follow) as u32], "whole nodes: {own:?}");
        Ok(())
    }

    /// Slices hold all rows, each rows of one level that a warp has lanes for, and before a longer row its parts. The gate of a slice
    /// is the first row of an earlier level. Returns whether there are parts.
    fn slices(&self, slices: &[Slice], level_ptr: &[u32], per_lane: u32) -> Checked<bool> {
        let (mut next, mut parts, mut has_parts) = (0, Vec::new(), false);
        let level = |p: u32| Ok::<_, String>(self.level[self.unknown(p)? as usize]);
        for slice in slices {
            let [first, bits] = *slice;
            must!(first == next, "a slice begins at {first}, not {next}");
            let (rows, lanes, back) = (bits & 63, bits >> 6 & 63, bits >> GATE_SHIFT);
            if slices::is_part(slice) {
                must!(bits == PART | LANES << 6 | back << GATE_SHIFT, "part {bits:x} at {first}");
                parts.push(back);
                continue;
            }
            must!(rows > 0 && rows * lanes <= LANES && lanes.is_power_of_two(), "slice {bits:x} at {first}");
            next = first + rows;
            must!(level(first)? == level(next - 1)?, "a slice of two levels at {first}");
            for p in first..next {
                let length = self.list(p)?.len() as u32;
                must!(
                    lanes == LANES || length * self.node <= lanes * per_lane,
                    "{length} entries in {lanes} lanes"
                );
                let count = if self.node > 1 { 0 } else { length.saturating_sub(1) / (per_lane * LANES) };
                must!(
                    (0..count).rev().eq(parts.drain(..)),
                    "row {p} of {length} entries has not {count} parts"
                );
                has_parts |= count > 0;
            }
            let gate = first.checked_sub(back).ok_or("a gate before all rows")?;
            let is_gate = || {
                level_ptr.binary_search(&gate).is_ok_and(|l| {
                    l as u32 + NEAR_GATE_LEVELS <= self.level[self.order[first as usize] as usize]
                })
            };
            must!(back == 0 || is_gate(), "the gate of {first} is {gate}");
        }
        must!(next as usize == self.order.len() && parts.is_empty(), "slices end at {next}");
        Ok(has_parts)
    }

    /// Tiles are batches that follow one another, each of some levels of its tile, and their codes say what rows depend on: rows of
    /// the same batch, of the window, or any that come earlier.
    fn tiles(&self, [count, tiles]: [u32; 2], own: &[u32], window: u32, reach: u32) -> Checked {
        let Plan { of, got, .. } = *self;
        let n = self.order.len() as u32;
        must!(got.tile_step.len() as u32 == tiles + 1 && got.slice.len() as u32 == 4 * count, "tiles");
        must!(got.tile_step[0] == 0 && got.tile_step[tiles as usize] == count, "{:?}", got.tile_step);
        let (mut next, mut largest) = (0, 0);
        let mut rows = vec![Vec::new(); n as usize];
        for steps in got.tile_step.windows(2) {
            let tile = next;
            must!(steps[0] < steps[1] && steps[1] <= count, "a tile of the batches {steps:?}");
            for batch in got.slice[4 * steps[0] as usize..4 * steps[1] as usize].chunks(4) {
                must!(batch[0] == next, "a batch begins at {}, not {next}", batch[0]);
                next = self.batch(batch, tile, [window, reach], &mut rows)?;
            }
            must!(self.is_by_level(tile, next), "the tile at {tile} is not by level");
            largest = largest.max(next - tile);
        }
        must!(next == n, "tiles end at {next}");
        let longest = of.rows.iter().map(|row| row.len() as u32).max().unwrap_or(0);
        must!(own[..2] == [longest, largest], "{longest} entries, {largest} rows of a tile; {own:?}");
        self.each_row(|p| Ok(rows[p as usize].clone()))
    }

    /// Reads the rows of a batch. Returns where it ends.
    fn batch(
        &self,
        batch: &[u32],
        tile: u32,
        [window, reach]: [u32; 2],
        read: &mut [Vec<Entry>],
    ) -> Checked<u32> {
        let (got, forward) = (self.got, self.of.shape.forward());
        let [first, bits, begin, depth] = *batch else { return Err("four words".into()) };
        let (rows, shift, levels) = (bits & 63, bits >> 6 & 7, bits >> 9 & 63);
        let (next, external, lanes, end) = (bits >> 15 & 7, bits >> 18, rows << shift, first + rows);
        must!((1..=LANES).contains(&lanes) && end as usize <= read.len(), "batch {bits:x} at {first}");
        let length = |p: u32| word(&got.record, 4 * p as usize + 2);
        let level: Vec<u32> = (first..end).map(|p| self.level[self.order[p as usize] as usize]).collect();
        must!(level.chunk_by(|a, b| a == b).count() as u32 == levels, "the batch at {first} is of {level:?}");
        let (mut last_next, mut is_external, mut deepest) = (0, false, 0);
        for (k, lane) in (0..depth).flat_map(|k| (0..lanes).map(move |lane| (k, lane))) {
            let (p, number) = (first + (lane >> shift), (lane & ((1 << shift) - 1)) + (k << shift));
            let at = begin as usize * CODE_UNIT + (k * lanes + lane) as usize;
            let code = word(&got.row_adj, at)?;
            if number >= length(p)? {
                must!(code == HIGH_BIT | window, "code {code:x} of nothing");
                continue;
            }
            deepest = k + 1;
            let q = if code & HIGH_BIT == 0 {
                is_external = true;
                must!(code < tile || code < first && p - code > reach, "row {p} looks for {code} elsewhere");
                code
            } else if code & NEXT_BIT != 0 {
                last_next = k + 1;
                first + ((code & !(HIGH_BIT | NEXT_BIT)) >> LANE_SHIFT >> shift)
            } else {
                let back = p.wrapping_sub(code) % window;
                let q = p.checked_sub(back).ok_or("a cell before all rows")?;
                must!((tile..first).contains(&q) && back <= reach, "row {p} finds {q} in no window");
                q
            };
            let place = word(&got.record, 4 * p as usize + 3)?;
            let place = match (self.permuted, forward) {
                (true, _) => word(&got.row_val, at)?,
                (false, true) => place.wrapping_sub(number),
                (false, false) => place.wrapping_add(number),
            };
            let row = &mut read[p as usize];
            must!(row.len() as u32 == number, "entry {number} of row {p}");
            row.push((q, place));
        }
        let flags = [last_next, is_external as u32, deepest];
        must!([next, external, depth] == flags, "batch {bits:x} of {depth} at {first}: {flags:?}");
        // Numbers count from the unknowns that are solved last.
        if forward {
            read[first as usize..end as usize].iter_mut().for_each(|row| row.reverse());
        }
        must!(
            (first..end).all(|p| length(p) == Ok(read[p as usize].len() as u32)),
            "rows of the batch at {first}"
        );
        Ok(end)
    }
}
