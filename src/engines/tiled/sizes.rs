//! The best size of tiles by the model.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::cost::{predict, Regularity, Rows, CLUSTER};
use super::tuning::*;
use crate::analysis::lines::Sizes;
use crate::analysis::ranges::{Ranges, Span, Spread};
use crate::analysis::Forwarding;
use crate::tuning::MESH_ROWS;

/// Rows of the tiles that are looked at first: those that most grids get.
const FIRST_ROWS: u32 = 2 * MESH_ROWS;

/// A size and what the model says of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    pub rows: u32,
    pub forwarding: Forwarding,
    /// Whether a level of a tile fills half of a batch, in most of them.
    pub is_wide: bool,
    pub predicted: Duration,
}

/// 3-D blocks, if a solve takes less than the limit. They do better than the model says, which takes each to depend on two.
pub fn by_blocks_3d(spans: &[Span], shape: Rows, limit: Duration) -> Option<Choice> {
    let rows = spans.iter().map(|span| span.rows).max()?;
    let predicted = predict_part(TILED_BLOCK_3D, spans, shape, Regularity::Lines, Forwarding::No, limit)?;
    let is_wide = usual_batches(spans, shape) >= TILED_SHORT_BATCHES;
    Some(Choice { rows, forwarding: Forwarding::No, is_wide, predicted })
}

/// Batches of a level of a tile that most are like.
fn usual_batches(spans: &[Span], shape: Rows) -> f64 {
    spans.get(spans.len() / 2).map_or(0.0, |span| span.batches(shape))
}

/// Whether blocks in clusters can forward unknowns from tile to tile: where a tile fits into a remote buffer of so many
/// unknowns, and where tiles depend on the one before: they begin at rising levels, and not, as parts of planes, at
/// those of the plane before again, or, as parts of no chain, all at the first.
fn can_forward(spans: &[Span], rows: u32, remote_buffer: u32) -> bool {
    let others = spans.windows(2).filter(|w| w[1].low <= w[0].low).count();
    spans.len() > 1 && rows <= remote_buffer && others * CLUSTER * 2 <= spans.len()
}

impl Regularity {
    /// The same, but `Even` for what is no mesh by the levels of such tiles.
    fn of_levels(self, tiles: &[Spread]) -> Regularity {
        let levels = |of: &dyn Fn(&Spread) -> Span| tiles.iter().map(|s| of(s).levels()).sum::<f64>();
        let is_mesh = || levels(&|tile| tile.usual()) < TILED_MESH_LEVELS * levels(&|tile| tile.span);
        match self {
            Regularity::Mesh if tiles.len() <= 1 || !is_mesh() => Regularity::Even,
            other => other,
        }
    }

    /// Whether forwarding is of use to so many tiles of such rows: where there are no lines, only to several clusters'.
    fn may_forward(self, tiles: usize, shape: Rows) -> bool {
        matches!(self, Regularity::Lines | Regularity::Crossing) || tiles >= 2 * CLUSTER && shape.may_forward
    }

    /// The levels that tiles of a size are taken to have, and what part of the time that the model then says.
    fn of_tiles(self, rows: u32, whole: u32, spreads: &[Spread], shape: Rows) -> (Vec<Span>, f64) {
        let part = match self {
            Regularity::Crossing if rows == whole && shape.average <= TILED_PLANE_ENTRIES => TILED_BLOCK_3D,
            Regularity::Crossing | Regularity::Lines | Regularity::Even => 1.0,
            Regularity::Mesh => TILED_MESH,
        };
        let by_usual = self == Regularity::Mesh && spreads.len() > 1;
        let levels = |spread: &Spread| if by_usual { spread.usual() } else { spread.span };
        (spreads.iter().map(levels).collect(), part)
    }
}

/// The best size, with or without forwarding, if a solve takes less than the limit.
pub fn choose(
    ranges: &Ranges,
    regularity: Regularity,
    shape: Rows,
    remote_buffer: u32,
    limit: Duration,
) -> Option<Choice> {
    let Sizes { plane, whole, .. } = ranges.sizes;
    let regularity = regularity.of_levels(ranges.of_middle_size());
    let mut sizes: Vec<_> = ranges.tiles().iter().collect();
    // Beginning with what is mostly good, so that what is not is soon seen to be worse.
    sizes.sort_by_key(|&&(rows, _)| rows.max(FIRST_ROWS) as u64 * 16 / rows.min(FIRST_ROWS) as u64);
    let best_up_to = |most: u32| {
        let mut best: Option<Choice> = None;
        for &&(rows, ref spreads) in sizes.iter().filter(|&&&(rows, _)| rows <= most) {
            let (spans, part) = regularity.of_tiles(rows, whole, spreads, shape);
            let spans = &spans;
            if spans.len() > 1 && straddles(rows, plane) && spans[0].batch_levels(shape) > 1.0 {
                continue;
            }
            if regularity == Regularity::Crossing && rows < whole {
                continue;
            }
            let is_wide = usual_batches(spans, shape) >= TILED_SHORT_BATCHES;
            let forwarding =
                regularity.may_forward(spans.len(), shape) && can_forward(spans, rows, remote_buffer);
            let ways: &[Forwarding] = match (forwarding, shape.scattered) {
                (false, _) => &[Forwarding::No],
                (true, true) => &[Forwarding::Narrow, Forwarding::No],
                (true, false) => &[Forwarding::Narrow, Forwarding::Wide, Forwarding::No],
            };
            for &forwarding in ways {
                let limit = best.map_or(limit, |best| best.predicted);
                let better = predict_part(part, spans, shape, regularity, forwarding, limit);
                best = better.map(|predicted| Choice { rows, forwarding, is_wide, predicted }).or(best);
            }
        }
        best
    };
    match shape.irregular {
        // So few rows may be no size of this pattern. Where tiles are asked for there are some.
        true if limit == Duration::MAX => best_up_to(TILED_IRREGULAR_ROWS).or_else(|| best_up_to(u32::MAX)),
        true => best_up_to(TILED_IRREGULAR_ROWS),
        false => best_up_to(u32::MAX),
    }
}

/// Whether some tiles hold the end of one plane and the beginning of the next. Where a batch has several levels these wait
/// for both of the tiles beside them, and so on through all tiles, which `predict` does not know.
fn straddles(rows: u32, plane: u32) -> bool {
    plane > 0 && rows % plane != 0 && plane % rows != 0
}

/// Such a part of what `predict` says, if it is below the limit.
fn predict_part(
    part: f64,
    spans: &[Span],
    shape: Rows,
    regularity: Regularity,
    forwarding: Forwarding,
    limit: Duration,
) -> Option<Duration> {
    // A limit of none stays one.
    let of_whole = if limit == Duration::MAX { limit } else { limit.div_f64(part) };
    predict(spans, shape, regularity, forwarding, of_whole).map(|time| time.mul_f64(part))
}

#[cfg(test)]
mod tests;
