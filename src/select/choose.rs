//! The choice of an engine, and of tiles where it is the tiled one: what takes least by the model, but for what it is known not to
//! know.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use super::features::{Counts, LastLevels};
use crate::analysis::ranges::{Ranges, Span};
use crate::analysis::{Form, Needs, Panels, Tiles};
use crate::engines::one_word::tuning::NARROW_SKEW;
use crate::engines::panel::layout::SegmentCounts;
use crate::engines::tiled::cost::{self as tiles, Regularity, Rows};
use crate::engines::tiled::tuning::{
    TILED_ADVANTAGE, TILED_ADVANTAGE_ALONE, TILED_ADVANTAGE_DISTANT_MANY, TILED_ADVANTAGE_DISTANT_MOST,
    TILED_ADVANTAGE_DISTANT_SOME, TILED_ADVANTAGE_NEAR, TILED_ADVANTAGE_NODES, TILED_ADVANTAGE_SHORT,
    TILED_ADVANTAGE_STREWN, TILED_ALONE_LEVEL, TILED_BOX_FAVOUR, TILED_DISSECTED, TILED_DISSECTED_ROWS,
    TILED_DISTANT_MANY, TILED_DISTANT_MOST, TILED_DISTANT_NONE, TILED_DISTANT_SCATTERED, TILED_DISTANT_SOME,
    TILED_LARGE_LEVEL, TILED_STRIPS_GAIN, TILED_STRIPS_LEVELS, TILED_STRIPS_WORTH,
    TILED_STRIPS_WORTH_SCATTERED,
};
use crate::engines::wide::tuning::{WIDE_ADVANTAGE, WIDE_MOST_LEVELS, WIDE_SPAN_PART};
use crate::engines::{nodal, one_word, panel, thin, wide};
use crate::error::Result;
use crate::tuning::{
    STAGED_PIECES_ALL_BYTES, STAGED_PIECES_BYTES, STAGED_PIECES_LEVEL, STAGED_PIECES_SECONDS,
    STAGED_SMALLEST, STAGED_START, STREWN_ROW_BYTES,
};

/// The order that tiles are ranges of: the natural one, by strips, or by boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    #[default]
    Natural,
    Strips,
    Boxes,
}

/// The copy of scattered values that a solve begins with, if it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Staging {
    #[default]
    No,
    /// Into the order in which it reads them.
    InOrder,
    /// Piece by piece of the caller's array, each into that order.
    ByPieces,
}

/// What `decide` has found best.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decision {
    pub form: Form,
    /// Of a tile, or of the largest; 0 without tiles.
    pub rows: u32,
    pub order: Order,
    /// Whether a level of a tile fills half of a batch.
    pub is_wide: bool,
    pub staging: Staging,
    /// Time of a solve by the model.
    pub predicted: Duration,
}

/// The engine of rows that is asked for.
pub fn of_rows(needs: Needs, levels: u32) -> Decision {
    let wide = needs.wide_levels && levels <= WIDE_MOST_LEVELS;
    Decision { form: if wide { Form::WideLevels } else { Form::Rows }, ..Decision::default() }
}

/// What the choice looks at where it may be of use: it takes time to find out.
pub trait Looks {
    /// The levels of boxes, if the pattern has any.
    fn boxes(&mut self) -> Option<Vec<Span>>;
    /// The levels of the ranges of the order by strips, if there is one.
    fn strips(&mut self) -> Result<Option<Ranges>>;
    /// The last levels that are best by the rule `best`, which gets where levels begin and the unknowns of a node.
    fn last_levels(
        &mut self,
        best: fn(&[u32], u32) -> Option<LastLevels>,
        node: u32,
    ) -> Result<Option<LastLevels>>;
    /// What is known of segments of chains. None: panels are not to be chosen.
    fn segments(&mut self) -> Result<Option<SegmentCounts>> {
        Ok(None)
    }
}

/// The engine that takes least, of those that are asked for.
pub fn choose(needs: Needs, natural: Ranges, counts: Counts, looks: &mut dyn Looks) -> Result<Decision> {
    let looks = RefCell::new(looks);
    let (mut boxes, mut strips) = (|| looks.borrow_mut().boxes(), || looks.borrow_mut().strips());
    let mut chosen = decide(needs.tiles, needs.mirror, natural, counts, &mut boxes, &mut strips)?;
    let looks = looks.into_inner();
    if needs.narrow_levels {
        chosen = with_thin_end(chosen, counts, || looks.last_levels(thin::layout::best, counts.node))?;
    }
    match needs.panels {
        Panels::IfFaster => with_panels(chosen, counts, || looks.segments()),
        _ => Ok(chosen),
    }
}

/// The engine, and the tiles where it is the tiled one. A pattern of nodes is either solved by nodes, or has tiles of
/// its rows. Boxes, and the ranges of the order by strips, are asked for where they may be worth it, and may not exist.
///
/// Where values lie scattered, the same as if they did not may be better, after a copy of them.
fn decide(
    wish: Tiles,
    mirror: u32,
    natural: Ranges,
    counts: Counts,
    boxes: &mut dyn FnMut() -> Option<Vec<Span>>,
    strips: &mut dyn FnMut() -> Result<Option<Ranges>>,
) -> Result<Decision> {
    let rows = counts.of_rows();
    let of_tiles = OfTiles::new(counts, &natural);
    let is_free = wish == Tiles::IfFaster;
    // Where no row depends on another the one-word engine streams too, in one launch.
    if is_free && counts.node == 1 && (2..=WIDE_MOST_LEVELS).contains(&counts.levels) {
        let predicted = wide::cost::predict(counts);
        let most = (counts.levels / WIDE_SPAN_PART).max(1);
        let by_rows = one_word::cost::predict_streamed(counts).min(in_rows(counts, &natural));
        let promises = predicted < by_rows.mul_f64(WIDE_ADVANTAGE);
        if promises && wide::cost::are_alike(counts) && natural.are_levels(most) {
            return Ok(Decision { form: Form::WideLevels, predicted, ..Decision::default() });
        }
    }
    // Not looked for twice.
    let known = RefCell::new(None);
    let mut strips = || match &mut *known.borrow_mut() {
        Some(ranges) => Ok(Option::clone(ranges)),
        unknown => strips().map(|ranges| unknown.insert(ranges.map(Rc::new)).clone()),
    };
    if !is_free || !counts.scattered || rows.n < STAGED_SMALLEST {
        return decide_tiles(wish, mirror, &natural, counts, of_tiles, boxes, &mut strips);
    }
    let gathered = Counts { scattered: false, ..counts };
    let direct = decide_tiles(wish, mirror, &natural, counts, of_tiles, boxes, &mut strips)?;
    let copy = rows.copied_in_order();
    // What is strewn such a copy gathers no better than a solve.
    if !counts.strewn && copy < direct.predicted {
        // They must promise what either kind must.
        let advantage = of_tiles.advantage.min(advantage(gathered, &natural));
        let below = Some(direct.predicted - copy);
        let of_tiles = OfTiles { advantage, below, strips_are_known: known.borrow().is_some(), ..of_tiles };
        let staged = decide_tiles(wish, mirror, &natural, gathered, of_tiles, boxes, &mut strips)?;
        let predicted = staged.predicted + copy;
        // Rows by themselves, and nodes, wait for unknowns, not for values.
        if matches!(staged.form, Form::Tiles(_)) && predicted < direct.predicted {
            return Ok(Decision { staging: Staging::InOrder, predicted, ..staged });
        }
    }
    let bytes = counts.entries as u64 * counts.value_bytes as u64;
    let others = counts.n as u64 * STREWN_ROW_BYTES as u64 + counts.entries as u64 * 4;
    let is_large = bytes >= STAGED_PIECES_BYTES
        && bytes + others >= STAGED_PIECES_ALL_BYTES
        && rows.is_wider(STAGED_PIECES_LEVEL);
    if direct.form != Form::Rows || !counts.strewn || !is_large {
        return Ok(direct);
    }
    let copy = STAGED_START + Duration::from_secs_f64(counts.entries as f64 * STAGED_PIECES_SECONDS);
    Ok(Decision { staging: Staging::ByPieces, predicted: in_rows(gathered, &natural) + copy, ..direct })
}

/// What of the rows makes all tiles better or worse, wherever a solve takes their values from.
#[derive(Clone, Copy)]
struct OfTiles {
    /// The part of the other engines' time that tiles must promise.
    advantage: f64,
    /// How many times as long they take as of rows that are alike and of type d, and what some far longer ones add.
    uneven: f64,
    long_rows: Duration,
    /// What they must stay below whatever others promise.
    below: Option<Duration>,
    /// Whether strips are known, and cost nothing more to look at.
    strips_are_known: bool,
}

impl OfTiles {
    fn new(counts: Counts, natural: &Ranges) -> Self {
        let rows = counts.of_rows();
        OfTiles {
            advantage: advantage(counts, natural),
            uneven: rows.unevenness() * rows.of_type().tiles,
            long_rows: rows.long_rows_in_tiles(),
            below: None,
            strips_are_known: false,
        }
    }
}

/// The part of the other engines' time that tiles must promise, by the counts and by the levels that most rows are of.
fn advantage(counts: Counts, natural: &Ranges) -> f64 {
    let rows = counts.of_rows();
    let usual = rows.advantage();
    if counts.node > 1 {
        return usual;
    }
    let (distant, average) = (rows.distant_part(), natural.average_level() / rows.levels.max(1) as f64);
    let are_alone = distant < TILED_DISTANT_NONE && rows.is_wider(TILED_ALONE_LEVEL);
    if are_alone && average >= TILED_DISSECTED && usual >= TILED_ADVANTAGE && !natural.are_split() {
        return usual.max(TILED_ADVANTAGE_ALONE);
    }
    if rows.scattered {
        let is_distant = distant > TILED_DISTANT_SCATTERED && rows.has_lanes();
        return if is_distant { usual.min(TILED_ADVANTAGE_DISTANT_SOME) } else { usual };
    }
    if rows.strewn {
        let is_short = !rows.has_lanes() && average >= NARROW_SKEW && rows.is_wider(TILED_LARGE_LEVEL);
        return if is_short { TILED_ADVANTAGE_SHORT } else { usual };
    }
    if natural.are_split() {
        return TILED_ADVANTAGE_STREWN;
    }
    match distant {
        part if part > TILED_DISTANT_MOST => usual.min(TILED_ADVANTAGE_DISTANT_MOST),
        _ if average >= TILED_DISSECTED || rows.n < TILED_DISSECTED_ROWS && !rows.has_lanes() => usual,
        part if part > TILED_DISTANT_MANY => usual.min(TILED_ADVANTAGE_DISTANT_MANY),
        part if part > TILED_DISTANT_SOME => usual.min(TILED_ADVANTAGE_DISTANT_SOME),
        _ => usual.max(TILED_ADVANTAGE_NEAR),
    }
}

/// Time of a solve by the one-word engine, if the levels of ranges are known.
fn in_rows(rows: Counts, natural: &Ranges) -> Duration {
    one_word::cost::predict(rows, natural.average_level()) + one_word::cost::strewn_in_rows(rows, natural)
}

/// Tiles, if they promise that part of the other engine's time, or else that one.
fn decide_tiles(
    wish: Tiles,
    mirror: u32,
    natural: &Ranges,
    counts: Counts,
    of_tiles: OfTiles,
    boxes: &mut dyn FnMut() -> Option<Vec<Span>>,
    strips: &mut dyn FnMut() -> Result<Option<Rc<Ranges>>>,
) -> Result<Decision> {
    let rows = counts.of_rows();
    let (form, untiled) = match (counts.node, wish) {
        // Without tiles the levels of ranges are not known.
        (1, Tiles::No) => (Form::Rows, one_word::cost::predict(rows, rows.levels as f64)),
        (1, _) => (Form::Rows, in_rows(rows, natural)),
        (node, _) => (Form::Nodes(node), nodal::cost::predict(counts, rows)),
    };
    let without = Decision { form, predicted: untiled, ..Decision::default() };
    if wish == Tiles::No {
        return Ok(without);
    }
    let b = counts.node;
    // Whatever the tiles, it takes so many times as long in the end, and these are added.
    let OfTiles { advantage, uneven, long_rows, below, strips_are_known } = of_tiles;
    let added = long_rows + rows.levels_apart();
    let of_alike = |time: Duration| time.saturating_sub(added).div_f64(uneven);
    let (untiled, below) = (of_alike(untiled), below.map_or(Duration::MAX, of_alike));
    let limit = match wish {
        Tiles::IfFaster if b > 1 => untiled.mul_f64(advantage.min(TILED_ADVANTAGE_NODES)),
        Tiles::IfFaster => untiled.mul_f64(advantage),
        _ => Duration::MAX,
    }
    .min(below);
    let may_have_strips = b == 1 && natural.spreads.len() > 1 && !counts.strewn;
    let shape = Rows::new(rows);
    let mut order = Order::Natural;
    let of_rows = (b > 1).then(|| natural.of_rows(b));
    let mut best =
        tiles::choose(of_rows.as_ref().unwrap_or(natural), rows.regularity(), shape, mirror, limit);
    // Against other tiles boxes need not promise as much.
    let of_boxes = best.map_or(limit, |tiles| tiles.predicted.mul_f64(TILED_BOX_FAVOUR).min(limit));
    let mut limit = best.map_or(limit, |best| best.predicted.min(limit));
    if b == 1 {
        if let Some(tiles) = boxes().and_then(|spans| tiles::by_boxes(&spans, shape, of_boxes)) {
            (order, best, limit) = (Order::Boxes, Some(tiles), tiles.predicted);
        }
    }
    let other = best.map_or(untiled.min(below), |tiles| tiles.predicted);
    let ideal = tiles::ideal(rows, shape);
    let worth = match rows.scattered && rows.levels >= TILED_STRIPS_LEVELS {
        true => TILED_STRIPS_WORTH_SCATTERED,
        false => TILED_STRIPS_WORTH,
    };
    let are_worth_it = strips_are_known || other > ideal.mul_f64(worth).max(ideal + TILED_STRIPS_GAIN);
    if may_have_strips && are_worth_it {
        if let Some(tiles) = strips()?
            .and_then(|ranges| tiles::choose(&ranges, Regularity::Lines, shape, mirror, limit.min(other)))
        {
            (order, best) = (Order::Strips, Some(tiles));
        }
    }
    Ok(best.map_or(without, |tiles| Decision {
        form: Form::Tiles(tiles.relays),
        rows: tiles.rows,
        order,
        is_wide: tiles.is_wide,
        staging: Staging::No,
        predicted: tiles.predicted.mul_f64(uneven) + added,
    }))
}

/// THIN in place of what was chosen, if it is faster. Its end is asked for where it may be; without one it takes all levels.
fn with_thin_end(
    chosen: Decision,
    counts: Counts,
    end: impl FnOnce() -> Result<Option<LastLevels>>,
) -> Result<Decision> {
    let limit = chosen.predicted.mul_f64(thin::tuning::THIN_ADVANTAGE);
    if thin::cost::least(counts.of_rows()) >= limit {
        return Ok(chosen);
    }
    let end = end()?.unwrap_or(LastLevels { level: 0, rows: counts.n });
    let predicted = thin::cost::predict(end, counts);
    Ok(match predicted < limit {
        true => Decision { form: Form::NarrowLevels, predicted, ..Decision::default() },
        false => chosen,
    })
}

/// Panels in place of what was chosen, if they are faster. What is known of their segments is asked for where they may be.
fn with_panels(
    chosen: Decision,
    counts: Counts,
    segments: impl FnOnce() -> Result<Option<SegmentCounts>>,
) -> Result<Decision> {
    if !panel::cost::may_be_faster(counts, chosen.predicted) {
        return Ok(chosen);
    }
    let predicted = segments()?.and_then(|segments| panel::cost::predict(segments, counts));
    let predicted = predicted.filter(|&time| time < chosen.predicted);
    Ok(predicted.map_or(chosen, |predicted| Decision {
        form: Form::Panels,
        predicted,
        ..Decision::default()
    }))
}

#[cfg(test)]
mod tests;
