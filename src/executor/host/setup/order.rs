//! The order in which unknowns are solved, and the choice that it goes by.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::survey::{shift_back, Survey};
use crate::analysis::lines::{self, Grid};
use crate::analysis::ranges::{self, Ranges, Span};
use crate::analysis::{running_sum, Form, Needs, Panels, Tiles};
use crate::error::Result;
use crate::select::decision::{Decide, Decision, Gathering};
use crate::select::features::{Counts, Features, LastLevels, LazyFeatures};

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
    pub fn new(survey: &Survey, needs: Needs, node: u32, decide: Decide) -> Option<Ordered> {
        if needs.tiles != Tiles::No || needs.nodes {
            return Self::by_choice(survey, needs, node, decide);
        }
        if needs.levels && needs.panels != Panels::Yes {
            let (level_ptr, order) = by_level(&survey.levels());
            let form = Form::of_rows(needs, level_ptr.len() as u32 - 1);
            return Some(Ordered { form, level_ptr, order, ..Ordered::default() });
        }
        let order = (0..survey.n).map(|t| survey.natural_position(t)).collect();
        Some(Ordered { order, ..Ordered::default() })
    }

    fn by_choice(survey: &Survey, needs: Needs, node: u32, decide: Decide) -> Option<Ordered> {
        let Seen { counts, ranges, level: by_unknown, level_ptr, by_level, .. } =
            Seen::new(survey, needs, node);
        let mut asked = Asked { level_ptr: &level_ptr };
        let decision = decide(&Features::new(needs, counts, ranges, &mut asked)).expect("nothing fails here");
        let Decision { form, rows, is_wide, gathering, predicted, .. } = decision;
        if node > 1 && form.is_of_rows_only() {
            return None;
        }
        let chosen = Ordered { form, gathering, predicted, ..Ordered::default() };
        if !matches!(form, Form::Tiles(_)) {
            return Some(Ordered { level_ptr, order: by_level, ..chosen });
        }
        let tile_ptr = ranges::begins(survey.n, rows);
        let order = ranges::arrange(&by_level, &tile_ptr, |i| survey.natural_position(i) / rows);
        let level = order.iter().map(|&i| by_unknown[i as usize]).collect();
        Some(Ordered { level_ptr, tile_ptr, wide_tiles: is_wide, level, order, ..chosen })
    }
}

/// What the choice goes by, and what orders are made of.
pub struct Seen {
    pub counts: Counts,
    /// The levels of ranges of the natural order, in which the level of each unknown is `natural_levels`.
    pub ranges: Ranges,
    pub natural_levels: Vec<u32>,
    pub grid: Grid,
    /// The level of each unknown; the unknowns level by level, and where each level begins.
    pub level: Vec<u32>,
    pub by_level: Vec<u32>,
    pub level_ptr: Vec<u32>,
}

impl Seen {
    /// Of rows, or of nodes of so many.
    pub fn new(survey: &Survey, needs: Needs, node: u32) -> Seen {
        let (n, shape) = (survey.n, survey.shape);
        let level = survey.levels();
        let (level_ptr, by_level) = by_level(&level);
        let line = lines::line(n, survey.next_to_diagonal);
        let grid = Grid::new(n, line, lines::plane(n, line, |t| survey.nearest(t)));
        let natural_levels = by_position(&level, |i| survey.natural_position(i));
        let counts = Counts {
            n,
            entries: survey.entries,
            squares: survey.squares(),
            levels: level_ptr.len() as u32 - 1,
            scattered: !shape.rows_are_stored(),
            has_lines: grid.line > 0,
            crosses: survey.skew(grid) > 0,
            near: survey.near,
            off_band: survey.off_band,
            irregular: false,
            node,
            value_bytes: shape.dtype.bytes() as u32,
            is_complex: shape.dtype.is_complex(),
            speed: needs.speed,
        };
        let ranges = Ranges::new(grid.sizes(n, needs.remote_buffer), &natural_levels);
        Seen { counts, ranges, natural_levels, grid, level, by_level, level_ptr }
    }
}

/// What the choice may ask for. It is told of no order that is not made here.
struct Asked<'s> {
    level_ptr: &'s [u32],
}

impl LazyFeatures for Asked<'_> {
    fn blocks_3d(&mut self) -> Option<Vec<Span>> {
        None
    }

    fn wavefront_strips(&mut self) -> Result<Option<Ranges>> {
        Ok(None)
    }

    fn last_levels(
        &mut self,
        best: fn(&[u32], u32) -> Option<LastLevels>,
        node: u32,
    ) -> Result<Option<LastLevels>> {
        Ok(best(self.level_ptr, node))
    }
}

/// The level of each unknown by its position in some order.
pub fn by_position(level: &[u32], position: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut levels = vec![0; level.len()];
    for (i, &level) in (0..).zip(level) {
        levels[position(i) as usize] = level;
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
