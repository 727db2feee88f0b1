//! All that the choice may ask for of one pattern, as numbers that can be kept: what the choice does is then known without the
//! pattern.
#![forbid(unsafe_code)]

use sptrsv::analysis::blocks_3d::Blocks3d;
use sptrsv::analysis::lines::{self, Grid, Sizes};
use sptrsv::analysis::ranges::{Ranges, Span, Spread};
use sptrsv::analysis::shared::ranges::LevelSpan;
use sptrsv::analysis::{nodes, Needs, Pattern};
use sptrsv::engines::thin;
use sptrsv::error::Result;
use sptrsv::executor::host::setup::{self, Seen, Survey};
use sptrsv::gpus::Speed;
use sptrsv::problem::Shape;
use sptrsv::select::features::{Counts, LastLevels, LazyFeatures};

use crate::{blocks_3d, irregular, wavefront_strips};

/// The features of a pattern.
#[derive(Clone, Debug)]
pub struct Known {
    pub counts: Counts,
    pub natural: Ranges,
    pub blocks_3d: Option<Vec<Span>>,
    pub wavefront_strips: Option<Ranges>,
    pub last_levels: Option<LastLevels>,
}

impl LazyFeatures for Known {
    fn blocks_3d(&mut self) -> Option<Vec<Span>> {
        self.blocks_3d.clone()
    }
    fn wavefront_strips(&mut self) -> Result<Option<Ranges>> {
        Ok(self.wavefront_strips.clone())
    }
    fn last_levels(
        &mut self,
        _: fn(&[u32], u32) -> Option<LastLevels>,
        _: u32,
    ) -> Result<Option<LastLevels>> {
        Ok(self.last_levels)
    }
}

/// All that the choice may ask for on a GPU: of the pattern's nodes, if it has any, and of its rows.
pub fn of(shape: &Shape, pattern: &Pattern, needs: Needs) -> Vec<Known> {
    let survey = Survey::new(shape, pattern, 1);
    let of_nodes = setup::nodes_of(&survey).map(|(_, size, pattern)| {
        let shape = nodes::shape(shape, pattern.ind.len() as u32, size);
        Known::new(&Survey::new(&shape, &pattern, size), needs, size)
    });
    of_nodes.into_iter().chain([Known::new(&survey, needs, 1)]).collect()
}

impl Known {
    /// What the library's analysis on the CPU finds, and what only that on the GPU looks for.
    fn new(survey: &Survey, needs: Needs, node: u32) -> Known {
        let mut seen = Seen::new(survey, needs, node);
        seen.counts.irregular = node == 1 && is_irregular(survey);
        // Of nodes, and of irregular patterns, nobody asks for them.
        let is_asked_for = node == 1 && !seen.counts.irregular;
        Known {
            blocks_3d: if node == 1 { blocks_3d_of(survey, &seen) } else { None },
            wavefront_strips: if is_asked_for { wavefront_strips_of(survey, &seen) } else { None },
            last_levels: thin::layout::best(&seen.level_ptr, node),
            counts: seen.counts,
            natural: seen.ranges,
        }
    }
}

fn is_irregular(survey: &Survey) -> bool {
    let entry = |i: u32, k: u32| survey.pattern.ind[(survey.first[i as usize] + k) as usize];
    irregular::sample(survey.n, |i| survey.lengths[i as usize], entry).is_irregular()
}

fn blocks_3d_of(survey: &Survey, seen: &Seen) -> Option<Vec<Span>> {
    let steps = blocks_3d::steps(seen.grid, &seen.natural_levels)?;
    let skew = survey.skew(seen.grid);
    Blocks3d::new(survey.n, survey.entries, seen.grid, steps, skew).map(|blocks_3d| blocks_3d.spans)
}

/// The levels of the ranges of the order by wavefront strips.
fn wavefront_strips_of(survey: &Survey, seen: &Seen) -> Option<Ranges> {
    let (n, forward) = (survey.n, survey.shape.forward());
    let (positions, wavefront_strips) = wavefront_strips::positions(
        &seen.by_level,
        &seen.level_ptr,
        &seen.level,
        forward,
        survey.dependencies(),
    )?;
    let mut natural_levels = vec![0; n as usize];
    positions
        .iter()
        .zip(&seen.level)
        .for_each(|(&position, &level)| natural_levels[position as usize] = level);
    let grid = Grid::new(n, lines::length(n, wavefront_strips), 0);
    Some(Ranges::new(grid.sizes(n, 0), &natural_levels))
}

impl Known {
    /// The features as numbers, one behind the other.
    pub fn numbers(&self) -> Vec<u64> {
        let c = self.counts;
        let flags = [c.scattered, c.has_lines, c.crosses, c.irregular, c.is_complex].map(u64::from);
        let sizes = [c.n, c.entries, c.levels, c.near, c.off_band, c.node, c.value_bytes].map(u64::from);
        let mut to = [sizes.as_slice(), &[c.squares.0, c.squares.1], &flags].concat();
        write_ranges(&mut to, &self.natural);
        write_list(&mut to, self.blocks_3d.as_deref(), |to, s| {
            to.extend([s.low, s.high, s.rows].map(u64::from))
        });
        write_list(&mut to, self.wavefront_strips.as_slice().get(..1), write_ranges);
        write_list(&mut to, self.last_levels.as_slice().get(..1), |to, end| {
            to.extend([end.level, end.rows].map(u64::from));
        });
        to
    }

    /// The features that such numbers stand for. None where they end too soon.
    pub fn read(from: &mut dyn Iterator<Item = u64>) -> Option<Known> {
        let mut small = || from.next().map(|number| number as u32);
        let [n, entries, levels, near, off_band, node, value_bytes] =
            [small()?, small()?, small()?, small()?, small()?, small()?, small()?];
        let squares = (from.next()?, from.next()?);
        let mut flag = || from.next().map(|number| number == 1);
        let [scattered, has_lines, crosses, irregular, is_complex] =
            [flag()?, flag()?, flag()?, flag()?, flag()?];
        let counts = Counts {
            n,
            entries,
            squares,
            levels,
            scattered,
            has_lines,
            crosses,
            irregular,
            near,
            off_band,
            node,
            value_bytes,
            is_complex,
            speed: Speed::default(),
        };
        Some(Known {
            counts,
            natural: read_ranges(from)?,
            blocks_3d: read_list(from, |from| {
                Some(Span { low: from.next()? as u32, high: from.next()? as u32, rows: from.next()? as u32 })
            })?,
            wavefront_strips: read_list(from, read_ranges)?.and_then(|mut one| one.pop()),
            last_levels: read_list(from, |from| {
                Some(LastLevels { level: from.next()? as u32, rows: from.next()? as u32 })
            })?
            .and_then(|mut one| one.pop()),
        })
    }
}

/// The length and the elements of a list; 0 where there is none.
fn write_list<T>(to: &mut Vec<u64>, list: Option<&[T]>, write: impl Fn(&mut Vec<u64>, &T)) {
    to.push(list.map_or(0, |list| list.len() as u64));
    list.unwrap_or_default().iter().for_each(|element| write(to, element));
}

fn read_list<T>(
    from: &mut dyn Iterator<Item = u64>,
    read: impl Fn(&mut dyn Iterator<Item = u64>) -> Option<T>,
) -> Option<Option<Vec<T>>> {
    let length = from.next()?;
    let list = (0..length).map(|_| read(from)).collect::<Option<Vec<T>>>()?;
    Some((length > 0).then_some(list))
}

fn write_ranges(to: &mut Vec<u64>, ranges: &Ranges) {
    let Sizes { span, ref tiles, plane, whole } = ranges.sizes;
    to.extend([span, plane, whole].map(u64::from));
    write_list(to, Some(tiles), |to, &rows| to.push(rows.into()));
    write_list(to, Some(&ranges.spreads), |to, spread| {
        let LevelSpan { low, high, kept, sum, squares, .. } = spread.found();
        to.extend([low, high, spread.span.rows, kept].map(u64::from));
        to.extend([sum, squares]);
    });
}

fn read_ranges(from: &mut dyn Iterator<Item = u64>) -> Option<Ranges> {
    let [span, plane, whole] = [from.next()? as u32, from.next()? as u32, from.next()? as u32];
    let tiles = read_list(from, |from| from.next().map(|rows| rows as u32))?.unwrap_or_default();
    let spreads = read_list(from, |from| {
        let [low, high, rows, kept] =
            [from.next()? as u32, from.next()? as u32, from.next()? as u32, from.next()? as u32];
        let found = LevelSpan { low, high, kept, unused: 0, sum: from.next()?, squares: from.next()? };
        Some(Spread::of(found, rows))
    })?;
    Some(Ranges::of(Sizes { span, tiles, plane, whole }, spreads.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read_as_they_were_written() {
        let counts = Counts {
            n: 4096,
            entries: 8000,
            levels: 127,
            squares: (5, 3),
            node: 1,
            has_lines: true,
            near: 6,
            off_band: 7,
            ..Counts::default()
        };
        let level: Vec<u32> = (0..4096).map(|i| i % 64 + i / 64).collect();
        let natural = Ranges::new(Sizes::plain(4096), &level);
        for is_full in [false, true] {
            let known = Known {
                counts,
                natural: natural.clone(),
                blocks_3d: is_full.then(|| vec![Span { low: 1, high: 2, rows: 3 }; 2]),
                wavefront_strips: is_full.then(|| natural.clone()),
                last_levels: is_full.then_some(LastLevels { level: 4, rows: 5 }),
            };
            let numbers = known.numbers();
            let again = Known::read(&mut numbers.iter().copied()).unwrap();
            assert_eq!(format!("{again:?}"), format!("{known:?}"));
            assert!(Known::read(&mut numbers[1..].iter().copied()).is_none());
        }
    }
}
