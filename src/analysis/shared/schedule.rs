//! How a schedule is written down.
#![forbid(unsafe_code)]

/// "No such entry" among value indices.
pub const NONE: u32 = u32::MAX;

/// Of a slice's second word: where the way to its gate begins; and in place of its number of rows, that it is a part of one row,
/// whose number takes the place of the gate.
pub const GATE_SHIFT: u32 = 12;
pub const PART: u32 = 63;
