//! Sparse matrices in memory: compressed rows, levels and generated values; other orders of their unknowns and the
//! patterns of their factors.

mod csr;
mod metis;
pub mod permute;

pub use csr::{hash, right_hand_side, unit, Csr, Fill};
