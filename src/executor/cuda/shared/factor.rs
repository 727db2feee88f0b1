//! Arguments of factorisations.
#![forbid(unsafe_code)]

use super::solve::SolveArgs;
use super::{ConstPtr, MutPtr, Pattern};

/// Warps of a block.
pub const FACTOR_WARPS: u32 = 4;

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct FactorArgs /*<T>*/ {
    /// `n`, `order`, `state`, what the watchdog needs, and `work`: a word for each of the caller's values.
    pub solve: SolveArgs, // <T>
    pub pattern: Pattern,
    pub val: MutPtr, // <T>
    /// By row: where its diagonal entry lies.
    pub diag: ConstPtr, // <u32>
    /// The first position of each work item, and the end of the last one.
    pub item: ConstPtr, // <u32>
    pub items: u32,
    /// Whether small pivots are replaced.
    pub boosts: u32,
    /// The largest absolute value that counts as small.
    pub tolerance: f64,
    /// The replacement: real and imaginary part.
    pub boost: [f64; 2],
}

/// Threads of a block that brings work items or nodes in order.
pub const FACTOR_ORDER_BLOCK: u32 = 1024;

/// Of the order of work items, or of nodes.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct FactorOrderArgs {
    /// The row at each of the `n` positions, for nodes.
    pub order: ConstPtr, // <u32>
    /// Where each of the `levels` levels begins, in positions, for work items.
    pub level_ptr: ConstPtr, // <u32>
    pub levels: u32,
    pub n: u32,
    /// Rows of a work item, at most, or of a node.
    pub rows: u32,
    /// How many there are.
    pub items: u32,
    /// How many each block finds.
    pub kept: MutPtr, // <u32>
    /// Where each work item begins, or the nodes; then `n`.
    pub out: MutPtr, // <u32>
}

/// Threads of a block that factorises by a solve, or checks whether that can be.
pub const ON_DIAGONAL_BLOCK: u32 = 128;

/// Which factorisations have updates beside the diagonal.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OtherUpdates {
    pub ilu0: u32,
    pub ic0: u32,
}

/// Of the check for them.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OtherUpdatesArgs {
    pub pattern: Pattern,
    /// By row: where its diagonal entry lies.
    pub diag: ConstPtr, // <u32>
    pub found: MutPtr, // <OtherUpdates>
}

/// Of a factorisation by a solve: what comes before the solve, and behind it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OnDiagonalArgs /*<T>*/ {
    pub pattern: Pattern,
    pub val: MutPtr, // <T>
    /// By row: where its diagonal entry lies.
    pub diag: ConstPtr, // <u32>
    /// What the solve has for values, at the places of the caller's.
    pub products: MutPtr, // <T>
    /// By row: what the solve begins with, and then what it publishes.
    pub pivots: MutPtr, // <T>
    /// By row: the exponent of its scale.
    pub scale: MutPtr, // <i32>
    /// Of the info's factorisations.
    pub state: MutPtr, // <State>
    /// Of its solves.
    pub solver: MutPtr, // <State>
}

/// Blocks of a node, one for each lane of a warp.
pub const FACTOR_MOST_BLOCKS: u32 = 32;

/// Of the check whether a pattern is one of nodes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct NodesArgs {
    pub pattern: Pattern,
    /// How many rows differ from what they would be in nodes.
    pub found: MutPtr, // <u32>
    pub node: u32,
    pub most_blocks: u32,
}
