//! The choice of an engine, and of tiles where it is the tiled one: what takes least by the model, but for what it is known not to
//! know.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use super::features::{Counts, LastLevels};
use crate::analysis::ranges::{Ranges, Span};
use crate::analysis::{Form, Needs, Panels, Tiles};
use crate::engines::panel::layout::SegmentCounts;
use crate::engines::tiled::choose::OfTiles;
use crate::engines::{nodal, one_word, panel, thin, wide};
use crate::error::Result;
use crate::tuning::{
    GATHER_PIECES_ALL_BYTES, GATHER_PIECES_BYTES, GATHER_PIECES_LEVEL, GATHER_PIECES_SECONDS,
    GATHER_SMALLEST, GATHER_START, IRREGULAR_ROW_BYTES,
};

pub use crate::engines::tiled::choose::Order;

/// The copy of scattered values that a solve begins with, if it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gathering {
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
    pub gathering: Gathering,
    /// Time of a solve by the model.
    pub predicted: Duration,
}

/// The engine of rows that is asked for.
pub fn of_rows(needs: Needs, levels: u32) -> Decision {
    let wide = needs.wide_levels && wide::cost::has_few_levels(levels);
    Decision { form: if wide { Form::WideLevels } else { Form::Rows }, ..Decision::default() }
}

/// Features that take time to find out. The choice asks for one where it may be of use.
pub trait LazyFeatures {
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
pub fn choose(
    needs: Needs,
    natural: Ranges,
    counts: Counts,
    features: &mut dyn LazyFeatures,
) -> Result<Decision> {
    let features = RefCell::new(features);
    let (mut boxes, mut strips) = (|| features.borrow_mut().boxes(), || features.borrow_mut().strips());
    let mut chosen = decide(needs.tiles, needs.mirror, natural, counts, &mut boxes, &mut strips)?;
    let features = features.into_inner();
    if needs.narrow_levels {
        chosen = with_thin_end(chosen, counts, || features.last_levels(thin::layout::best, counts.node))?;
    }
    match needs.panels {
        Panels::IfFaster => with_panels(chosen, counts, || features.segments()),
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
    let of_tiles = OfTiles::new(wish, mirror, counts, &natural);
    let is_free = wish == Tiles::IfFaster;
    if is_free && counts.node == 1 {
        let by_rows = || one_word::cost::in_rows(counts, &natural);
        if let Some(predicted) = wide::cost::if_faster(counts, &natural, by_rows) {
            return Ok(Decision { form: Form::WideLevels, predicted, ..Decision::default() });
        }
    }
    // Not looked for twice.
    let known = RefCell::new(None);
    let mut strips = || match &mut *known.borrow_mut() {
        Some(ranges) => Ok(Option::clone(ranges)),
        unknown => strips().map(|ranges| unknown.insert(ranges.map(Rc::new)).clone()),
    };
    if !is_free || !counts.scattered || rows.n < GATHER_SMALLEST {
        return decide_tiles(wish, &natural, counts, of_tiles, boxes, &mut strips);
    }
    let gathered = Counts { scattered: false, ..counts };
    let direct = decide_tiles(wish, &natural, counts, of_tiles, boxes, &mut strips)?;
    let copy = rows.copied_in_order();
    // What is irregular such a copy gathers no better than a solve.
    if !counts.irregular && copy < direct.predicted {
        let are_known = known.borrow().is_some();
        let of_tiles = of_tiles.after_copy(gathered, &natural, direct.predicted - copy, are_known);
        let after_copy = decide_tiles(wish, &natural, gathered, of_tiles, boxes, &mut strips)?;
        let predicted = after_copy.predicted + copy;
        // Rows by themselves, and nodes, wait for unknowns, not for values.
        if matches!(after_copy.form, Form::Tiles(_)) && predicted < direct.predicted {
            return Ok(Decision { gathering: Gathering::InOrder, predicted, ..after_copy });
        }
    }
    let bytes = counts.entries as u64 * counts.value_bytes as u64;
    let others = counts.n as u64 * IRREGULAR_ROW_BYTES as u64 + counts.entries as u64 * 4;
    let is_large = bytes >= GATHER_PIECES_BYTES
        && bytes + others >= GATHER_PIECES_ALL_BYTES
        && rows.is_wider(GATHER_PIECES_LEVEL);
    if direct.form != Form::Rows || !counts.irregular || !is_large {
        return Ok(direct);
    }
    let copy = GATHER_START + Duration::from_secs_f64(counts.entries as f64 * GATHER_PIECES_SECONDS);
    Ok(Decision {
        gathering: Gathering::ByPieces,
        predicted: one_word::cost::in_rows(gathered, &natural) + copy,
        ..direct
    })
}

/// Tiles, if they promise that part of the other engine's time, or else that one.
fn decide_tiles(
    wish: Tiles,
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
        (1, _) => (Form::Rows, one_word::cost::in_rows(rows, natural)),
        (node, _) => (Form::Nodes(node), nodal::cost::predict(counts, rows)),
    };
    let without = Decision { form, predicted: untiled, ..Decision::default() };
    if wish == Tiles::No {
        return Ok(without);
    }
    let best = of_tiles.best(natural, counts, untiled, boxes, strips)?;
    Ok(best.map_or(without, |(tiles, order)| Decision {
        form: Form::Tiles(tiles.relays),
        rows: tiles.rows,
        order,
        is_wide: tiles.is_wide,
        gathering: Gathering::No,
        predicted: tiles.predicted,
    }))
}

/// THIN in place of what was chosen, if it is faster. Its end is asked for where it may be; without one it takes all levels.
fn with_thin_end(
    chosen: Decision,
    counts: Counts,
    end: impl FnOnce() -> Result<Option<LastLevels>>,
) -> Result<Decision> {
    let limit = thin::cost::must_promise(chosen.predicted);
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
