//! What is wrong with numbers that were read.

use crate::base::numbers::counted;
use crate::base::Result;

/// Refuses a value that is infinite in the precision that is computed in: a large one, or the sum of several entries.
pub fn must_fit(re: f64, im: f64, single: bool) -> Result<()> {
    let is_infinite = |v: &&f64| if single { (**v as f32).is_infinite() } else { v.is_infinite() };
    match [re, im].iter().find(is_infinite) {
        None => Ok(()),
        Some(value) => {
            let precision = if single { "single" } else { "double" };
            let value = if value.is_finite() { format!("{value:e}") } else { "the sum".into() };
            Err(format!("{value} overflows in {precision} precision"))
        }
    }
}

/// That there are more or fewer entries than the file itself says.
pub fn not_as_said(found: usize, said: usize) -> String {
    format!("the file holds {} where its head says {said}", counted(found, "entry", "entries"))
}
