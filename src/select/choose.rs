//! The choice of an engine: the one whose cost function promises the least time.
#![forbid(unsafe_code)]

use super::decision::Decision;
use super::features::Features;
use crate::engines::ALL;
use crate::error::Result;

/// The best that any engine promises for a pattern. Each is asked in the order of the list, and gets to know the best so far.
pub fn choose(features: &Features) -> Result<Decision> {
    let mut best = None;
    for engine in ALL {
        best = engine.cost(features, best)?.or(best);
    }
    Ok(best.expect("an engine takes rows, and one nodes, whatever else is promised"))
}

#[cfg(test)]
mod tests;
