//! The time that a solve by NODAL is predicted to take.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::tuning::*;
use crate::analysis::Form;
use crate::engines::by_rows::tuning::ROWS_START;
use crate::select::decision::Decision;
use crate::select::features::{Counts, Features};

/// Node by node, where the pattern has nodes.
pub fn cost(features: &Features) -> Option<Decision> {
    let counts = features.counts;
    (counts.node > 1).then(|| Decision::plain(Form::Nodes(counts.node), predict(counts, counts.of_rows())))
}

/// Time of a solve by nodes: each level of nodes waits for the one before, and every entry is moved.
pub fn predict(nodes: Counts, rows: Counts) -> Duration {
    let levels = NODAL_LEVEL.mul_f64(nodes.levels as f64);
    let time = rows.time(ROWS_START + levels, rows.entries as f64 * NODAL_ENTRY_SECONDS);
    time.mul_f64(rows.of_type().rows)
}

/// The same of rows alone, whose nodes are not known: as if they came by twos.
pub fn least(rows: Counts) -> Duration {
    let Counts { n, entries, levels, .. } = rows;
    predict(Counts { n: n / 2, entries: entries / 4, levels: levels / 2, node: 2, ..rows }, rows)
}
