//! What the choice has found.
#![forbid(unsafe_code)]

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use super::features::Features;
use crate::analysis::Form;
use crate::error::Result;

/// How a solve gathers values that are not contiguous, before it begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gathering {
    #[default]
    No,
    /// Into the order in which the solve reads them.
    InOrder,
    /// One piece of the caller's array after the other, each into that order.
    ByPieces,
}

/// The order that tiles are ranges of: the natural one, by wavefront strips, or by 3-D blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    #[default]
    Natural,
    WavefrontStrips,
    Blocks3d,
}

/// How a pattern is to be solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decision {
    pub form: Form,
    /// Rows of a tile, or of the largest tile; 0 without tiles.
    pub rows: u32,
    pub order: Order,
    /// Whether a level of a tile fills half of a batch.
    pub is_wide: bool,
    pub gathering: Gathering,
    /// Time of a solve by the model.
    pub predicted: Duration,
}

impl Decision {
    /// That of a solve that has neither tiles nor a copy of values.
    pub fn plain(form: Form, predicted: Duration) -> Decision {
        Decision { form, predicted, ..Decision::default() }
    }
}

/// What finds a decision for a pattern.
pub type Decide<'d> = &'d dyn Fn(&Features) -> Result<Decision>;

/// The decision where there is nothing to choose.
pub fn rows_alone(_: &Features) -> Result<Decision> {
    Ok(Decision::plain(Form::Rows, Duration::ZERO))
}

/// The decision without the engine's name: rows of a tile, forwarding, order, copy.
impl Display for Decision {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Form::Tiles(forwarding) = self.form {
            write!(f, " {} {forwarding:?}", self.rows)?;
        }
        match self.order {
            Order::Natural => {}
            Order::WavefrontStrips => write!(f, " WavefrontStrips")?,
            Order::Blocks3d => write!(f, " Blocks3d")?,
        }
        if self.gathering != Gathering::No {
            write!(f, " {:?}", self.gathering)?;
        }
        Ok(())
    }
}
