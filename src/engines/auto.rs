//! AUTO: the engine whose cost function promises the least time.
#![forbid(unsafe_code)]

use super::ALL;
use crate::error::Result;
use crate::select::decision::Decision;
use crate::select::features::Features;

/// The best that any engine promises for a pattern. Each is asked in the order of the list, and gets to know the best so far.
pub fn decide(features: &Features) -> Result<Decision> {
    let mut best = None;
    for engine in ALL {
        best = engine.cost(features, best)?.or(best);
    }
    Ok(best.expect("an engine takes rows, and one nodes, whatever else is promised"))
}

#[cfg(test)]
mod tests;
