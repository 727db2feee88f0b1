//! Measured numbers of PANEL.
#![forbid(unsafe_code)]

use std::time::Duration;

/// The values that a tile of a warp has room for.
pub const PANEL_PLACES: u32 = 80 * 32;

/// Its start and end, a level of rows, a hop from panel to panel, and (in seconds) an entry, and a panel, of which all blocks
/// solve one each side by side. Where a path has r rows from hop to hop, a hop takes PANEL_FAR_HOP / r² more:
/// where r is large it mostly stays in a chain, else it leads through far entries.
pub const PANEL_START: Duration = Duration::from_nanos(10000);
pub const PANEL_LEVEL: Duration = Duration::from_nanos(25);
pub const PANEL_HOP: Duration = Duration::from_nanos(800);
pub const PANEL_FAR_HOP: Duration = Duration::from_micros(110);
pub const PANEL_ENTRY_SECONDS: f64 = 0.4e-11;
pub const PANEL_SECONDS: f64 = 0.4e-5;
