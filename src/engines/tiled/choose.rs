//! Which tiles: what they must promise in place of other engines, and the order that they are ranges of; the cost function of TILED.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::cost::{self, Regularity, Rows};
use super::sizes;
use super::tuning::*;
use crate::analysis::ranges::Ranges;
use crate::analysis::{Form, Tiles};
use crate::engines::one_word;
use crate::error::Result;
use crate::select::decision::{Decision, Gathering, Order};
use crate::select::features::{Counts, Features};
use crate::tuning::{GATHER_SMALLEST, HOPS_HIDDEN_LEVEL, LOWER_LEVELS};

/// Tiles, plainly or after a copy of values that lie scattered, if they promise less than what they must in place of the best so far.
pub fn cost(features: &Features, best: Decision) -> Result<Option<Decision>> {
    let Features { needs, counts, .. } = *features;
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
    let after_copy = of_tiles.after_copy(copy, so_far).best(gathered, best.predicted)?;
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
    /// What is done before them, and what they must stay below with that, whatever part of others they may take.
    copy: Duration,
    below: Duration,
}

impl<'a, 'f> OfTiles<'a, 'f> {
    fn new(features: &'a Features<'f>) -> Self {
        let rows = features.counts.of_rows();
        OfTiles {
            features,
            advantage: advantage(features.counts, &features.natural),
            uneven: rows.unevenness() * rows.of_type().tiles * rows.speed.steps,
            long_rows: rows.time(rows.long_rows_in_tiles(), 0.0),
            copy: Duration::ZERO,
            below: Duration::MAX,
        }
    }

    /// The same after a copy of their values, which must both take less than `below`.
    fn after_copy(self, copy: Duration, below: Duration) -> Self {
        OfTiles { copy, below, ..self }
    }

    /// The best tiles and their order, if they promise what they must in place of what takes `untiled`.
    fn best(self, counts: Counts, untiled: Duration) -> Result<Option<Decision>> {
        let OfTiles { features, advantage, uneven, long_rows, copy, below } = self;
        let Features { needs, ref natural, .. } = *features;
        let remote_buffer = needs.remote_buffer;
        let rows = counts.of_rows();
        let b = counts.node;
        // Whatever the tiles, it takes so many times as long in the end, and these are added.
        let added = long_rows + rows.time(rows.levels_apart(), 0.0) + slower_memory(rows);
        let of_alike = |time: Duration| time.saturating_sub(added).div_f64(uneven);
        let limit = match (needs.tiles, advantage) {
            (Tiles::IfFaster, None) => return Ok(None),
            (Tiles::IfFaster, Some(part)) => of_alike(untiled.mul_f64(part).min(below).saturating_sub(copy)),
            _ => Duration::MAX,
        };
        let may_have_wavefront_strips = b == 1 && natural.spreads.len() > 1 && !counts.irregular;
        let shape = Rows::new(rows);
        let mut order = Order::Natural;
        let of_rows = (b > 1).then(|| natural.of_rows(b));
        let mut best = sizes::choose(
            of_rows.as_ref().unwrap_or(natural),
            rows.regularity(),
            shape,
            remote_buffer,
            limit,
        );
        // 3-D blocks are better than other tiles, whatever these promise.
        let of_blocks_3d = limit;
        let mut limit = best.map_or(limit, |best| best.predicted.min(limit));
        if b == 1 {
            if let Some(tiles) =
                features.blocks_3d().and_then(|spans| sizes::by_blocks_3d(&spans, shape, of_blocks_3d))
            {
                (order, best, limit) = (Order::Blocks3d, Some(tiles), tiles.predicted);
            }
        }
        let other = best.map_or(of_alike(untiled), |tiles| tiles.predicted);
        let ideal = cost::ideal(rows, shape);
        let are_worth_it = features.wavefront_strips_are_known()
            || other > ideal.mul_f64(TILED_WAVEFRONT_STRIPS_WORTH).max(ideal + TILED_WAVEFRONT_STRIPS_GAIN);
        if may_have_wavefront_strips && are_worth_it {
            if let Some(tiles) = features.wavefront_strips()?.and_then(|ranges| {
                sizes::choose(ranges, Regularity::Lines, shape, remote_buffer, limit.min(other))
            }) {
                (order, best) = (Order::WavefrontStrips, Some(tiles));
            }
        }
        Ok(best.map(|tiles| Decision {
            form: Form::Tiles(tiles.forwarding),
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

/// The part of the other engines' time that tiles must promise. None: there are to be no tiles.
pub fn advantage(counts: Counts, natural: &Ranges) -> Option<f64> {
    let rows = counts.of_rows();
    let are_wide = rows.is_wider(HOPS_HIDDEN_LEVEL);
    // Each level is a hop there, which the model does not know; where levels are wide hops are not what takes time, but values that lie
    // scattered are.
    if rows.irregular {
        return (are_wide && !rows.scattered).then_some(TILED_FAVOUR);
    }
    if rows.has_lines && counts.node == 1 {
        return Some(if rows.scattered { 1.0 } else { TILED_FAVOUR });
    }
    // Also by nodes: else they would be left for tiles of rows, which are not taken then.
    if natural.are_split() && !rows.has_lines {
        return None;
    }
    if counts.node > 1 {
        return Some(1.0);
    }
    let average = natural.average_level() / rows.levels.max(1) as f64;
    if average >= LOWER_LEVELS && !are_wide {
        return Some(1.0);
    }
    Some(TILED_FAVOUR / (1.0 + TILED_OFF_BAND * rows.off_band_part().min(TILED_OFF_BAND_MOST)))
}
