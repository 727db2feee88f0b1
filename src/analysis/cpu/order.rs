//! The order in which unknowns are solved, and the choice that it goes by.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::survey::{shift_back, Survey};
use crate::analysis::boxes::{self, Boxes};
use crate::analysis::lines::{self, Grid};
use crate::analysis::ranges::{self, Ranges, Span};
use crate::analysis::{running_sum, Form, Needs, Panels, Tiles};
use crate::error::Result;
use crate::select::choose;
use crate::select::decision::{Decision, Gathering, Order};
use crate::select::features::{Counts, Features, LastLevels, LazyFeatures};
use crate::select::known::Known;

/// The unknowns in the order in which they are solved; the fields are those of a schedule.
#[derive(Default)]
pub(super) struct Ordered {
    pub form: Form,
    pub level_ptr: Vec<u32>,
    pub tile_ptr: Vec<u32>,
    pub wide_tiles: bool,
    pub level: Vec<u32>,
    pub order: Vec<u32>,
    pub gathering: Gathering,
    pub predicted: Duration,
}

impl Ordered {
    /// None for nodes whose rows are faster in tiles.
    pub fn new(survey: &Survey, needs: Needs, node: u32) -> Option<Ordered> {
        let n = survey.n;
        if needs.tiles != Tiles::No || needs.nodes {
            return Self::by_choice(survey, needs, node);
        }
        if needs.levels && needs.panels != Panels::Yes {
            let by_unknown = survey.levels();
            let (level_ptr, order) = by_level(&by_unknown);
            let form = Form::of_rows(needs, level_ptr.len() as u32 - 1);
            let (level_ptr, order) = survey.by_families(needs, level_ptr, order, &by_unknown);
            return Some(Ordered { form, level_ptr, order, ..Ordered::default() });
        }
        let order = if survey.shape.forward() { (0..n).collect() } else { (0..n).rev().collect() };
        Some(Ordered { order, ..Ordered::default() })
    }

    fn by_choice(survey: &Survey, needs: Needs, node: u32) -> Option<Ordered> {
        let (n, shape) = (survey.n, survey.shape);
        let by_unknown = survey.levels();
        let (level_ptr, by_level) = by_level(&by_unknown);
        let mut seen = Seen::new(survey, &by_unknown, &level_ptr, &by_level);
        let (ranges, counts) = (seen.ranges(needs), seen.counts(needs, node));
        let decision =
            choose::choose(&Features::new(needs, counts, ranges, &mut seen)).expect("nothing fails here");
        let Decision { form, rows, order: by, is_wide, gathering, predicted } = decision;
        if node > 1 && form.is_of_rows_only() {
            return None;
        }
        let (turns, boxes) = (seen.turns, seen.boxes);
        let chosen = Ordered { form, gathering, predicted, ..Ordered::default() };
        match form {
            Form::WideLevels => return Some(Ordered { level_ptr, order: by_level, ..chosen }),
            Form::Tiles(_) => {}
            _ => {
                let (level_ptr, order) = survey.by_families(needs, level_ptr, by_level, &by_unknown);
                return Some(Ordered { level_ptr, order, ..chosen });
            }
        }
        let natural = |i: u32| if shape.forward() { i } else { n - 1 - i };
        let mut tile_ptr = ranges::begins(n, rows);
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
        let level = order.iter().map(|&i| by_unknown[i as usize]).collect();
        Some(Ordered { level_ptr, tile_ptr, wide_tiles: is_wide, level, order, ..chosen })
    }
}

/// The rule for last levels, as `LazyFeatures` gets it.
type BestLevels = fn(&[u32], u32) -> Option<LastLevels>;

/// All that the choice may ask for of this pattern, whether it would or not; the last levels by the rule `best`.
pub(super) fn known(survey: &Survey, needs: Needs, node: u32, best: BestLevels) -> Known {
    let by_unknown = survey.levels();
    let (level_ptr, by_level) = by_level(&by_unknown);
    let mut seen = Seen::new(survey, &by_unknown, &level_ptr, &by_level);
    let (natural, counts) = (seen.ranges(needs), seen.counts(needs, node));
    // Of nodes, and of irregular patterns, nobody asks for them.
    let is_asked_for = node == 1 && !counts.irregular;
    Known {
        counts,
        natural,
        boxes: (node == 1).then(|| seen.boxes()).flatten(),
        strips: if is_asked_for { seen.strips().expect("nothing fails here") } else { None },
        last_levels: best(&level_ptr, node),
    }
}

/// The features that the choice asks for, and those that it has got.
struct Seen<'s> {
    survey: &'s Survey<'s>,
    by_unknown: &'s [u32],
    level_ptr: &'s [u32],
    by_level: &'s [u32],
    /// The level of each unknown in the natural order.
    in_turn: Vec<u32>,
    grid: Grid,
    skew: u32,
    boxes: Option<Boxes>,
    /// The turn of each unknown in the order by strips.
    turns: Option<Vec<u32>>,
}

impl<'s> Seen<'s> {
    fn new(
        survey: &'s Survey<'s>,
        by_unknown: &'s [u32],
        level_ptr: &'s [u32],
        by_level: &'s [u32],
    ) -> Seen<'s> {
        let n = survey.n;
        let natural = |i: u32| if survey.shape.forward() { i } else { n - 1 - i };
        let line = lines::line(n, survey.next_to_diagonal);
        let grid = Grid::new(n, line, lines::plane(n, line, |t| survey.nearest(t)));
        let in_turn = by_turn(by_unknown, natural);
        let skew = survey.skew(grid);
        Seen { survey, by_unknown, level_ptr, by_level, in_turn, grid, skew, boxes: None, turns: None }
    }

    fn ranges(&self, needs: Needs) -> Ranges {
        Ranges::new(self.grid.sizes(self.survey.n, needs.mirror), &self.in_turn)
    }

    fn counts(&self, needs: Needs, node: u32) -> Counts {
        let Seen { survey, level_ptr, grid, skew, .. } = *self;
        let shape = survey.shape;
        Counts {
            n: survey.n,
            entries: survey.entries,
            squares: survey.squares(),
            levels: level_ptr.len() as u32 - 1,
            scattered: !shape.rows_are_stored(),
            has_lines: grid.line > 0,
            crosses: skew > 0,
            distant: survey.distant,
            irregular: node == 1 && survey.is_irregular(),
            node,
            value_bytes: shape.dtype.bytes() as u32,
            is_complex: shape.dtype.is_complex(),
            speed: needs.speed,
        }
    }
}

impl LazyFeatures for Seen<'_> {
    fn boxes(&mut self) -> Option<Vec<Span>> {
        let (n, entries) = (self.survey.n, self.survey.entries);
        self.boxes = boxes::steps(self.grid, &self.in_turn)
            .and_then(|steps| Boxes::new(n, entries, self.grid, steps, self.skew));
        self.boxes.as_ref().map(|boxes| boxes.spans.clone())
    }

    fn strips(&mut self) -> Result<Option<Ranges>> {
        let n = self.survey.n;
        let found = self.survey.strips(self.by_unknown, self.level_ptr, self.by_level);
        Ok(found.map(|(turns, strips)| {
            let grid = Grid::new(n, lines::length(n, strips), 0);
            let ranges = Ranges::new(grid.sizes(n, 0), &by_turn(self.by_unknown, |i| turns[i as usize]));
            self.turns = Some(turns);
            ranges
        }))
    }

    fn last_levels(
        &mut self,
        best: fn(&[u32], u32) -> Option<LastLevels>,
        node: u32,
    ) -> Result<Option<LastLevels>> {
        Ok(best(self.level_ptr, node))
    }
}

/// The level of each unknown by its turn in some order.
fn by_turn(by_unknown: &[u32], turn: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut levels = vec![0; by_unknown.len()];
    for (i, &level) in (0..).zip(by_unknown) {
        levels[turn(i) as usize] = level;
    }
    levels
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
