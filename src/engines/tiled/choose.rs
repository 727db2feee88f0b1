//! Which tiles: what they must promise in place of other engines, and the order that they are ranges of; the cost function of TILED.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::cost::{self, Regularity, Rows};
use super::tuning::*;
use crate::analysis::ranges::Ranges;
use crate::analysis::{Form, Tiles};
use crate::engines::one_word;
use crate::error::Result;
use crate::select::decision::{Decision, Gathering, Order};
use crate::select::features::{Counts, Features};
use crate::tuning::{GATHER_SMALLEST, HOPS_HIDDEN_LEVEL, SKEWED_LEVELS};

/// Tiles, plainly or after a copy of values that lie scattered, if they promise less than what they must in place of the best so far.
pub fn cost(features: &Features, best: Decision) -> Result<Option<Decision>> {
    let Features { needs, counts, ref natural, .. } = *features;
    // Levels so wide that each is a launch leave nothing to tiles.
    if needs.tiles == Tiles::No || best.form == Form::WideLevels {
        return Ok(None);
    }
    let rows = counts.of_rows();
    let of_tiles = OfTiles::new(features);
    let direct = of_tiles.best(counts, best.predicted)?;
    // What is irregular a copy gathers no better than a solve.
    let may_gather = counts.scattered && !counts.irregular && rows.n >= GATHER_SMALLEST;
    let (so_far, copy) = (direct.map_or(best.predicted, |tiles| tiles.predicted), rows.copied_in_order());
    if needs.tiles == Tiles::Yes || !may_gather || copy >= so_far {
        return Ok(direct);
    }
    let gathered = Counts { scattered: false, ..counts };
    let others = match counts.node {
        1 => one_word::cost::in_rows(gathered, natural),
        _ => best.predicted,
    };
    let after_copy = of_tiles.after_copy(gathered, so_far - copy).best(gathered, others)?;
    Ok(after_copy
        .map(|tiles| Decision { gathering: Gathering::InOrder, predicted: tiles.predicted + copy, ..tiles })
        .filter(|tiles| tiles.predicted < so_far)
        .or(direct))
}

/// What of the rows makes all tiles better or worse, wherever a solve takes their values from.
#[derive(Clone, Copy)]
struct OfTiles<'a, 'f> {
    features: &'a Features<'f>,
    /// The part of the other engines' time that tiles must promise. None: AUTO takes none.
    advantage: Option<f64>,
    /// How many times as long they take as on an H200, of rows that are alike and of type d, and what some far longer ones add.
    uneven: f64,
    long_rows: Duration,
    /// What they must stay below whatever others promise.
    below: Option<Duration>,
}

impl<'a, 'f> OfTiles<'a, 'f> {
    fn new(features: &'a Features<'f>) -> Self {
        let rows = features.counts.of_rows();
        OfTiles {
            features,
            advantage: advantage(features.counts, &features.natural),
            uneven: rows.unevenness() * rows.of_type().tiles * rows.speed.steps,
            long_rows: rows.time(rows.long_rows_in_tiles(), 0.0),
            below: None,
        }
    }

    /// The same where a copy gathers their values before: they must promise what either kind must, and take less than `below`.
    fn after_copy(self, gathered: Counts, below: Duration) -> Self {
        let gathered = advantage(gathered, &self.features.natural);
        let advantage = self.advantage.zip(gathered).map(|(one, other)| one.min(other));
        OfTiles { advantage, below: Some(below), ..self }
    }

    /// The best tiles and their order, if they promise what they must in place of what takes `untiled`.
    fn best(self, counts: Counts, untiled: Duration) -> Result<Option<Decision>> {
        let OfTiles { features, advantage, uneven, long_rows, below } = self;
        let Features { needs, ref natural, .. } = *features;
        let mirror = needs.mirror;
        let rows = counts.of_rows();
        let b = counts.node;
        // Whatever the tiles, it takes so many times as long in the end, and these are added.
        let added = long_rows + rows.time(rows.levels_apart(), 0.0) + slower_memory(rows);
        let of_alike = |time: Duration| time.saturating_sub(added).div_f64(uneven);
        let (untiled, below) = (of_alike(untiled), below.map_or(Duration::MAX, of_alike));
        let limit = match (needs.tiles, advantage) {
            (Tiles::IfFaster, None) => return Ok(None),
            (Tiles::IfFaster, Some(part)) if b > 1 => untiled.mul_f64(part.min(TILED_ADVANTAGE_NODES)),
            (Tiles::IfFaster, Some(part)) => untiled.mul_f64(part),
            _ => Duration::MAX,
        }
        .min(below);
        let may_have_strips = b == 1 && natural.spreads.len() > 1 && !counts.irregular;
        let shape = Rows::new(rows);
        let mut order = Order::Natural;
        let of_rows = (b > 1).then(|| natural.of_rows(b));
        let mut best =
            cost::choose(of_rows.as_ref().unwrap_or(natural), rows.regularity(), shape, mirror, limit);
        // Boxes are better than other tiles, whatever these promise.
        let of_boxes = limit;
        let mut limit = best.map_or(limit, |best| best.predicted.min(limit));
        if b == 1 {
            if let Some(tiles) = features.boxes().and_then(|spans| cost::by_boxes(&spans, shape, of_boxes)) {
                (order, best, limit) = (Order::Boxes, Some(tiles), tiles.predicted);
            }
        }
        let other = best.map_or(untiled.min(below), |tiles| tiles.predicted);
        let ideal = cost::ideal(rows, shape);
        let worth = match rows.scattered {
            true => TILED_STRIPS_WORTH_SCATTERED,
            false => TILED_STRIPS_WORTH,
        };
        let are_worth_it =
            features.strips_are_known() || other > ideal.mul_f64(worth).max(ideal + TILED_STRIPS_GAIN);
        if may_have_strips && are_worth_it {
            if let Some(tiles) = features
                .strips()?
                .and_then(|ranges| cost::choose(ranges, Regularity::Lines, shape, mirror, limit.min(other)))
            {
                (order, best) = (Order::Strips, Some(tiles));
            }
        }
        Ok(best.map(|tiles| Decision {
            form: Form::Tiles(tiles.relays),
            rows: tiles.rows,
            order,
            is_wide: tiles.is_wide,
            gathering: Gathering::No,
            predicted: tiles.predicted.mul_f64(uneven) + added,
        }))
    }
}

/// What tiles take longer where memory is slower than that of the GPU that was measured: as rows do, as the model of tiles knows no bytes.
fn slower_memory(rows: Counts) -> Duration {
    Duration::from_secs_f64(one_word::cost::moved(rows) * (rows.speed.memory - 1.0).max(0.0))
}

/// The part of the other engines' time that tiles must promise, by the counts and by the levels that most rows are of. None: there are
/// to be no tiles.
pub fn advantage(counts: Counts, natural: &Ranges) -> Option<f64> {
    let rows = counts.of_rows();
    let usual = rows.advantage();
    if counts.node > 1 {
        return usual;
    }
    let (distant, average) = (rows.distant_part(), natural.average_level() / rows.levels.max(1) as f64);
    let are_wide = rows.is_wider(HOPS_HIDDEN_LEVEL);
    let are_alone = distant < TILED_DISTANT_NONE && are_wide && average >= TILED_DISSECTED;
    if are_alone && usual.is_some_and(|part| part >= 1.0) && !natural.are_split() {
        return usual.map(|part| part.max(TILED_ADVANTAGE_ALONE));
    }
    if rows.irregular && !rows.scattered && !rows.has_lanes() && average >= SKEWED_LEVELS && are_wide {
        return Some(TILED_ADVANTAGE_SHORT);
    }
    if rows.scattered || rows.irregular {
        return usual;
    }
    if natural.are_split() {
        return None;
    }
    usual.map(|usual| match distant {
        part if part > TILED_DISTANT_MOST => usual.min(TILED_ADVANTAGE_DISTANT_MOST),
        _ if average >= TILED_DISSECTED || rows.n < TILED_DISSECTED_ROWS && !rows.has_lanes() => usual,
        part if part > TILED_DISTANT_MANY => usual.min(TILED_ADVANTAGE_DISTANT_MANY),
        part if part > TILED_DISTANT_SOME => usual.min(TILED_ADVANTAGE_DISTANT_SOME),
        _ => usual.max(TILED_ADVANTAGE_NEAR),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::ranges::tests::{grid, ranges};
    use crate::analysis::Needs;
    use crate::select::features::tests::counts_of;
    use crate::select::known::Known;

    #[test]
    fn tiles_after_a_copy_must_promise_what_either_kind_must() {
        let counts = Counts { scattered: true, has_lines: true, ..counts_of(1 << 20, 2 << 20, 2047) };
        let gathered = Counts { scattered: false, ..counts };
        let natural = ranges(&grid(1024, 1024));
        let mut known =
            Known { counts, natural: natural.clone(), boxes: None, strips: None, last_levels: None };
        assert_eq!(advantage(gathered, &natural), Some(TILED_ADVANTAGE_LINES));
        let features = Features::new(Needs::default(), counts, natural, &mut known);
        let after_copy = OfTiles::new(&features).after_copy(gathered, Duration::MAX);
        assert_eq!(after_copy.advantage, Some(1.0));
    }
}
